/* trammel accuracy: many runs of one model, and how far each is from the exact motion. */
#ifndef TRM_CLI_ACCURACY_H
#define TRM_CLI_ACCURACY_H

#include "trial.h"

enum { TRM_MOST_ITEMS = 64 };

/* The keys that take lists, in the order of the table. */
typedef enum trm_cli_key {
  TRM_LIST_INTEGRATOR,
  TRM_LIST_COORDINATES,
  TRM_LIST_SOLVER,
  TRM_LIST_STABILIZATION,
  TRM_LIST_ENERGY,
  TRM_LIST_METHODS, /* so far they are names, from here on numbers */
  TRM_LIST_STEP = TRM_LIST_METHODS,
  TRM_LIST_RTOL,
  TRM_LISTS
} trm_cli_key;

typedef struct trm_cli_list {
  int count;
  const char *names[TRM_MOST_ITEMS]; /* of methods */
  double numbers[TRM_MOST_ITEMS];    /* of steps and tolerances, decreasing */
} trm_cli_list;

/* One run. Its `difference` is the error, the largest of the compared measures at all times. */
typedef struct trm_cli_point {
  trm_cli_trial run;
  int series;    /* points that differ in step or tolerance only */
  bool variable; /* chooses its steps */
  bool floor;    /* the error is that of the reference, or round-off */
  bool front;    /* no other is both faster and more accurate */
  double order;  /* observed, from the point before; NaN: none */
} trm_cli_point;

/* What errors are measured against. */
typedef struct trm_cli_exact {
  const char *file;       /* NULL: computed */
  const char *why;        /* computed although there is a file; or NULL */
  trm_cli_trial computed; /* how */
  trm_results *table;
  const char **measures; /* recorded in every run; NULL-terminated, or NULL */
  char *names;           /* memory of measures, or NULL */
  int *columns;          /* of the table, that are compared */
  int column_count, time;
  double interval; /* between its rows */
  double own;      /* its own error; NaN: unknown */
  double scale;    /* largest range of a compared column */
} trm_cli_exact;

typedef struct trm_cli_accuracy {
  const trm_cli_arguments *arguments;
  const char *path;
  trm_model *model;
  trm_settings settings; /* without the lists */
  trm_diagnostics *diagnostics;
  trm_cli_list lists[TRM_LISTS];
  trm_cli_exact exact;
  int count, series_count;
  trm_cli_point *points; /* count: series after series, from coarse to fine */
  int threads;
  double wall_seconds;
} trm_cli_accuracy;

/* --- accuracy_plan.c --- */

extern const char *const trm_cli_list_keys[TRM_LISTS];
/* The lists of the command line; false, and said why, where they are wrong. */
bool trm_cli_read_lists(trm_cli_accuracy *accuracy);
/* What was not given: the methods that suit and steps around the model's own. `interval` is the
 * time between the rows of the reference, 0: none. */
void trm_cli_choose_lists(trm_cli_accuracy *accuracy, double interval);
/* The runs, every item with every other; false: no memory. */
bool trm_cli_list_points(trm_cli_accuracy *accuracy);
/* What tells the series apart: "rk4", or "rk4 angle conserve" where these vary. */
void trm_cli_series_name(const trm_cli_accuracy *accuracy, const trm_cli_point *point, char *name,
                         size_t size);

/* --- accuracy_exact.c --- */

/* The reference's file, where there is one that holds for this run. Returns the exit status. */
int trm_cli_exact_open(trm_cli_accuracy *accuracy);
/* What is compared; without a file the reference is computed here. Returns the exit status. */
int trm_cli_exact_prepare(trm_cli_accuracy *accuracy);
/* The error of a run; false where its table has a number that is not finite, or no time of the
 * reference. */
bool trm_cli_exact_compare(const trm_cli_exact *exact, const trm_results *results,
                           trm_cli_trial *run);
void trm_cli_exact_free(trm_cli_exact *exact);

/* --- accuracy_judge.c --- */

/* Orders, floor and front. */
void trm_cli_judge_points(trm_cli_accuracy *accuracy);
/* Where errors stop falling, NaN where they do not. */
double trm_cli_floor(const trm_cli_accuracy *accuracy);
/* The fastest run with an error below this one, or NULL. */
const trm_cli_point *trm_cli_fastest(const trm_cli_accuracy *accuracy, double error);
/* The levels 1e-2, 1e-4, … for which a best run is named: the k-th, or 0 after the last. */
double trm_cli_level(const trm_cli_accuracy *accuracy, int k);
int trm_cli_count_points(const trm_cli_accuracy *accuracy, trm_cli_state state);

/* --- accuracy_print.c, accuracy_files.c --- */

void trm_cli_print_points(const trm_cli_accuracy *accuracy);
void trm_cli_json_points(const trm_cli_accuracy *accuracy, FILE *file);
/* Table and figures; false, and said why, where one cannot be written. */
bool trm_cli_write_points(const trm_cli_accuracy *accuracy, const char *folder);

#endif
