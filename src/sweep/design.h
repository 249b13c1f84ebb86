/* Which runs a study has: the parameters of run i, from i alone. */
#ifndef TRM_SWEEP_DESIGN_H
#define TRM_SWEEP_DESIGN_H

#include <stdint.h>
#include <trammel/results.h>

#include "sweep/sobol.h"
#include "sweep/variation.h"

typedef enum trm_design_kind {
  TRM_DESIGN_GRID,
  TRM_DESIGN_RANDOM,
  TRM_DESIGN_LHS,
  TRM_DESIGN_SOBOL,
  TRM_DESIGN_SALTELLI, /* for Sobol indices: points A, B, and A with one column of B each */
  TRM_DESIGN_TABLE
} trm_design_kind;

typedef struct trm_design {
  trm_design_kind kind;
  int columns;
  trm_variation *variations; /* [columns]; of a table their names only */
  uint64_t samples, runs;    /* those asked for, those there are */
  uint64_t seed;
  double *factor;             /* [columns × columns] L with L Lᵀ the correlation, or NULL */
  const double *const *table; /* [columns] of the table's rows, or NULL */
  uint32_t (*directions)[TRM_SOBOL_BITS]; /* [columns], of saltelli twice as many */
} trm_design;

const char *trm_design_name(trm_design_kind kind);
bool trm_design_find(const char *name, trm_design_kind *kind); /* of those with a name to choose */

/* Counts the runs and prepares; kind, columns, variations, samples, seed and table are given.
 * False, reported, where it cannot be. */
bool trm_design_prepare(trm_design *design, trm_arena *arena, trm_diagnostics *diagnostics);

/* Normal scores with these correlations: a square table whose columns are the parameters' names.
 * False, reported, where it is none. */
bool trm_design_correlate(trm_design *design, const trm_results *matrix, trm_arena *arena,
                          trm_diagnostics *diagnostics);

/* The parameters of a run from 0 on. */
void trm_design_run(const trm_design *design, uint64_t run, double *values);

#endif
