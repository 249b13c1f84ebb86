/* Formulas over a run: max(abs(car.r)), final(x) - initial(x). What stands inside such a function
 * is taken row by row, the rest once at the end. */
#ifndef TRM_EXPRESSION_SERIES_H
#define TRM_EXPRESSION_SERIES_H

#include "expression/expression.h"

/* min max range, mean rms integral (trapezoidal), initial final, time_of_min time_of_max;
 * at(x, t): linear between rows; first(c): the first time at which c holds, linear between rows
 * where c is an inequality; slope(y, x, lo, hi): of the line of least squares through the rows with
 * lo ≤ x ≤ hi. */
typedef struct trm_series trm_series;

/* lookup as for trm_expression_parse. A variable is a column of the run, the time is slot 0; a
 * TRM_SYMBOL_RESULT is a number. NULL on error, with `error` filled in. */
trm_series *trm_series_parse(const char *text, trm_symbol_lookup lookup, void *context,
                             const char *folder, trm_expression_error *error);
void trm_series_destroy(trm_series *series); /* accepts NULL */
/* A comparison, logic, or what other formulas gave, which may have been one. */
bool trm_series_is_condition(const trm_series *series);

/* The value in one row of a column by its slot. */
typedef double (*trm_series_source)(void *context, int slot, int row);

/* NaN where it has no value: a condition that never holds, a time outside of the run, no rows. */
double trm_series_value(const trm_series *series, int rows, trm_series_source source, void *context,
                        const double *results);

#endif
