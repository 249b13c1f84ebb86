/* Agreement of two runs: differences, Bland-Altman limits and intraclass correlation per column. */
#ifndef TRAMMEL_COMPARE_H
#define TRAMMEL_COMPARE_H

#include <stddef.h>
#include <trammel/export.h>
#include <trammel/results.h>

TRM_BEGIN_C

/* A value with its 95 % confidence interval; all three NaN where it is undefined. */
typedef struct trm_estimate {
  double value, low, high;
} trm_estimate;

/* One column; differences are first − second. */
typedef struct trm_agreement {
  const char *name;
  double max_difference;               /* largest |difference| */
  double max_time;                     /* where it is, the first such time */
  double rms_difference;               /* root of the mean square */
  double sd;                           /* standard deviation of the differences */
  trm_estimate bias;                   /* their mean */
  trm_estimate lower_limit;            /* bias − 1.96 sd */
  trm_estimate upper_limit;            /* bias + 1.96 sd */
  trm_estimate icc_consistency;        /* ICC(C,1): 1 where the columns differ by a constant */
  trm_estimate icc_absolute_agreement; /* ICC(A,1): 1 where they are equal */
} trm_agreement;

typedef struct trm_comparison {
  int rows;                      /* times common to both */
  const int *row_in[2];          /* rows each: where these times are in the tables */
  double first_time, last_time;  /* of these */
  int column_count;              /* at least 1 */
  trm_agreement *columns;        /* column_count, in the order of the first table */
  int largest;                   /* the column of the largest difference */
  int only_count[2];             /* columns that only one of the tables has */
  const char *const *only_in[2]; /* only_count each */
} trm_comparison;

/* Strings and lists are used during the call only. */
typedef struct trm_compare_options {
  size_t size;                /* of this struct, see export.h */
  const char *names[2];       /* of the tables in messages, such as their files; may be NULL */
  int column_count;           /* 0: all common columns */
  const char *const *columns; /* "bob.x" selects itself, "bob" everything under it */
} trm_compare_options;

TRM_API void trm_compare_options_init(trm_compare_options *defaults, size_t size);
static inline trm_compare_options trm_default_compare_options(void) {
  trm_compare_options defaults;
  trm_compare_options_init(&defaults, sizeof defaults);
  return defaults;
}

/* Rows are matched by t, to 1e-9 (relative to t above 1). options == NULL: the defaults. NULL where
 * the tables cannot be compared; status (may be NULL) tells TRM_BAD_USAGE (a selected column is not
 * in both) and TRM_NO_MEMORY from TRM_FAILED (fewer than 3 common times, no common column, a cell
 * that is no finite number). Needs neither table afterwards. */
TRM_API trm_comparison *trm_compare_results(const trm_results *first, const trm_results *second,
                                            const trm_compare_options *options,
                                            trm_diagnostics *diagnostics, trm_status *status);
TRM_API void trm_comparison_destroy(trm_comparison *comparison); /* accepts NULL */

TRM_END_C

#endif
