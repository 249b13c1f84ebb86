/* A results table for plots: fewer rows where there are many, extremes kept. */
#ifndef TRM_REPORT_EXCERPT_H
#define TRM_REPORT_EXCERPT_H

#include <trammel/results.h>

#include "result/json.h"

/* Where the rows come from: t and the columns, one row at a time. */
typedef struct trm_row_source {
  int rows, columns;  /* columns with t */
  const char **names; /* [columns], which stay */
  void (*read)(void *context, int row, double *values);
  void *context;
} trm_row_source;

typedef struct trm_excerpt {
  int all; /* rows there were */
  const char **names;
  int rows, columns; /* columns without t */
  double *t;         /* [rows] */
  float *values;     /* [rows × columns] */
} trm_excerpt;

/* False: no memory. */
bool trm_excerpt_create(trm_excerpt *excerpt, const trm_results *results);
bool trm_excerpt_take(trm_excerpt *excerpt, const trm_row_source *source);
void trm_excerpt_free(trm_excerpt *excerpt);
/* An object: names, times, and how many rows there were. */
void trm_excerpt_write(const trm_excerpt *excerpt, const char *key, trm_json *json);

#endif
