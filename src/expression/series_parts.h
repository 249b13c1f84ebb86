/* A formula over a run. Internal to series*.c. */
#ifndef TRM_EXPRESSION_SERIES_PARTS_H
#define TRM_EXPRESSION_SERIES_PARTS_H

#include "expression/parser.h"
#include "expression/series.h"

enum { TRM_MOST_ARGUMENTS = 4 };

typedef struct trm_reduction trm_reduction;
typedef struct trm_rows trm_rows;

typedef struct trm_reduction_kind {
  const char *name;
  double (*value)(const trm_rows *rows, const trm_reduction *reduction);
  int least, most; /* arguments */
  int over_run;    /* so many of them are taken row by row, the others once */
} trm_reduction_kind;

struct trm_reduction {
  const trm_reduction_kind *kind;
  int count;
  trm_expression *argument[TRM_MOST_ARGUMENTS];
  bool compares;     /* `first` of an inequality: the argument is the difference of its sides */
  trm_op comparison; /* with zero */
};

typedef enum trm_series_kind {
  TRM_SERIES_COLUMN,
  TRM_SERIES_RESULT,
  TRM_SERIES_REDUCTION
} trm_series_kind;

typedef struct trm_series_name {
  trm_series_kind kind;
  int index;
} trm_series_name;

struct trm_series {
  trm_expression *whole;
  int reduction_count; /* those inside another stand before it */
  trm_reduction *reductions;
  int name_count; /* what the slots of all programs stand for */
  trm_series_name *names;
};

/* A run while a formula is evaluated over it. */
struct trm_rows {
  int count;
  trm_series_source source;
  void *context;
  const trm_series_name *names;
  double *values; /* [name_count] of the row at hand */
};

double trm_reduce_min(const trm_rows *rows, const trm_reduction *reduction);
double trm_reduce_max(const trm_rows *rows, const trm_reduction *reduction);
double trm_reduce_range(const trm_rows *rows, const trm_reduction *reduction);
double trm_reduce_mean(const trm_rows *rows, const trm_reduction *reduction);
double trm_reduce_rms(const trm_rows *rows, const trm_reduction *reduction);
double trm_reduce_integral(const trm_rows *rows, const trm_reduction *reduction);
double trm_reduce_initial(const trm_rows *rows, const trm_reduction *reduction);
double trm_reduce_final(const trm_rows *rows, const trm_reduction *reduction);
double trm_reduce_time_of_min(const trm_rows *rows, const trm_reduction *reduction);
double trm_reduce_time_of_max(const trm_rows *rows, const trm_reduction *reduction);
double trm_reduce_first(const trm_rows *rows, const trm_reduction *reduction);
double trm_reduce_at(const trm_rows *rows, const trm_reduction *reduction);
double trm_reduce_slope(const trm_rows *rows, const trm_reduction *reduction);

#endif
