/* The same mechanism with other values of a parameter, and derivatives with respect to it.
 *
 * A state y of the mechanism with the parameter p has neighbours: y + k h s, brought onto the
 * constraints of the mechanism with p + k h, for k = ±1, ±2, ±3. Differences of order six between
 * them give the derivative of anything along (s, 1), to about 1e-12: of the state itself, which is
 * s on the linearized constraints, of its rates, of measures, and of the assembled start. */
#ifndef TRM_ANALYSIS_NEIGHBOUR_H
#define TRM_ANALYSIS_NEIGHBOUR_H

#include "analysis/simulation.h"

/* A formula of t, parameters and measures at an instant. */
typedef struct trm_instant {
  trm_expression *formula;
  int count;
  trm_measure *measures; /* [count] */
  double *slots;         /* [count + 1] t first */
} trm_instant;

enum { TRM_SIDES = 6 };

/* What a motion is asked for. */
typedef struct trm_asked {
  int count;
  const char *const *formulas; /* [count] */
  const bool *integrated;      /* [count] over the run; else at its end */
} trm_asked;

/* A mechanism that can be evaluated, with the formulas that are asked for. */
typedef struct trm_variant {
  trm_model *model; /* its own, or NULL */
  trm_simulation *simulation;
  int count;
  trm_instant *instants; /* [count] */
  double *y, *ydot;      /* [size] */
} trm_variant;

/* model: taken over; owned: to be destroyed with it. */
trm_status trm_variant_create(trm_variant *variant, const trm_model *model, bool owned,
                              const trm_settings *settings, const trm_asked *asked,
                              trm_diagnostics *diagnostics);
void trm_variant_free(trm_variant *variant);
/* Its formula at the state evaluated last. */
double trm_variant_value(trm_variant *variant, int instant, double t);

typedef struct trm_neighbours {
  const char *name;
  double value, step; /* of the parameter */
  trm_variant side[TRM_SIDES];
} trm_neighbours;

/* Where a neighbour stands, in steps, and what it counts in a derivative. */
extern const double trm_side_place[TRM_SIDES], trm_side_weight[TRM_SIDES];

/* Neighbours of the base at its start, at steps as large as the model allows: `step` at most, or
 * one that suits the value where it is zero. */
trm_status trm_neighbours_create(trm_neighbours *neighbours, const trm_variant *base,
                                 const trm_settings *settings, const trm_asked *asked,
                                 trm_diagnostics *diagnostics);
void trm_neighbours_free(trm_neighbours *neighbours);
/* Others at a smaller step in their place, whose angles have turned as far. */
trm_status trm_neighbours_approach(trm_neighbours *neighbours, const trm_variant *base,
                                   const trm_settings *settings, const trm_asked *asked,
                                   double step, trm_diagnostics *diagnostics);
/* Moves them to the state y and its derivative s, and onto their constraints: slope and rate
 * [size], the derivatives of the state and of its rates. NULL: it went well; else the system that
 * says why not. */
const trm_system *trm_neighbours_move(trm_neighbours *neighbours, double t, const double *y,
                                      const double *s, double *slope, double *rate);
/* Derivative of a formula where they are, and how far round-off may have moved it. */
double trm_neighbours_slope(trm_neighbours *neighbours, int instant, double t, double *noise);
/* The same of the last derivatives of rates: of positions, of velocities. */
void trm_neighbours_noise(const trm_neighbours *neighbours, double noise[2]);

#endif
