/* Measures that name the freedoms of a state: independent positions, rates, and the model's own
 * states. */
#ifndef TRM_ANALYSIS_INDEPENDENT_H
#define TRM_ANALYSIS_INDEPENDENT_H

#include "analysis/manifold.h"

typedef struct trm_independent {
  int positions, velocities, states, size;
  const char **names; /* [size] */
  trm_measure *place; /* [positions] */
  trm_measure *speed; /* [velocities] */
  double *place_row;  /* [positions × n] ∂place/∂q */
  double *speed_row;  /* [velocities × n] ∂speed/∂v */
} trm_independent;

/* After trm_manifold_evaluate. chosen: names of the positions, NULL-terminated; NULL: from joints,
 * bodies and points, in this order. All memory is the manifold's. */
trm_status trm_independent_choose(trm_independent *independent, trm_manifold *manifold,
                                  const char *const *chosen, trm_diagnostics *diagnostics);

/* row [n] = ∂measure/∂q of position level, ∂measure/∂v of velocity level, at the system's state.
 * False: the measure is none that names a freedom. */
bool trm_measure_row(const trm_system *system, trm_tangent *tangent, const trm_measure *measure,
                     double *row);

/* Reads (positions, rates, states), then their rates in the same order: 2 × size numbers. */
typedef struct trm_independent_reader {
  const trm_independent *independent;
  trm_tangent *tangent;
  double *row; /* [n] */
} trm_independent_reader;
void trm_independent_read(void *reader, const trm_system *system, double *out);

#endif
