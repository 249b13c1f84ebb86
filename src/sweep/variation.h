/* How one parameter is varied: values in equal steps, a list, or a distribution. */
#ifndef TRM_SWEEP_VARIATION_H
#define TRM_SWEEP_VARIATION_H

#include "base/arena.h"
#include "base/diagnostics.h"
#include "expression/expression.h"

typedef enum trm_variation_kind {
  TRM_VARY_RANGE,    /* first:last:count */
  TRM_VARY_DISCRETE, /* discrete(v1, …) */
  TRM_VARY_UNIFORM,
  TRM_VARY_NORMAL,
  TRM_VARY_LOGNORMAL,
  TRM_VARY_TRIANGULAR
} trm_variation_kind;

typedef struct trm_variation {
  const char *name;
  trm_variation_kind kind;
  int count; /* of numbers: the arguments, or the values to choose from */
  double *numbers;
  long levels; /* that a grid takes; 0: a distribution, which has none */
} trm_variation;

/* "L=1:2:11", "m=normal(3, 0.1)"; its numbers are formulas of what `lookup` knows. False, reported,
 * where it is wrong. */
bool trm_variation_parse(trm_variation *variation, const char *text, trm_symbol_lookup lookup,
                         void *context, trm_arena *arena, trm_diagnostics *diagnostics);

/* Level k of a range or a list. */
double trm_variation_level(const trm_variation *variation, long k);

/* The value below which a share u of all lies, 0 < u < 1. Of a range or a list: each level has the
 * same share. */
double trm_variation_quantile(const trm_variation *variation, double u);

/* Of the normal distribution with mean 0 and standard deviation 1, to round-off. */
double trm_normal_quantile(double u);
double trm_normal_probability(double x);

#endif
