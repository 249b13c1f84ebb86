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

/* Differences of an even order: where neighbours stand, in steps, and what each counts in a
 * derivative. */
enum { TRM_MOST_SIDES = 6 };
typedef struct trm_stencil {
  int sides;
  double step; /* of the parameter: errors of the order and round-off are both small there */
  double place[TRM_MOST_SIDES], weight[TRM_MOST_SIDES];
  double rough[TRM_MOST_SIDES]; /* the difference next to it, as large as what round-off makes */
} trm_stencil;
extern const trm_stencil trm_six_sides;  /* for states that move with the parameter */
extern const trm_stencil trm_four_sides; /* for what hangs on the parameter alone */

/* What a motion is asked for. */
typedef struct trm_asked {
  int count;
  const char *const *formulas; /* [count] */
  const bool *integrated;      /* [count] over the run; else at its end */
  /* who is told of those that are not integrated on the way, at increasing times: values [count],
   * slopes [count × parameters] */
  int time_count;
  const double *times;
  void (*tell)(void *context, int time, const double *value, const double *slope);
  void *context;
  trm_progress progress; /* who may stop it, or NULL */
  void *progress_context;
} trm_asked;

/* TRM_INTERRUPTED where it is to stop. */
static inline trm_status trm_asked_go_on(const trm_asked *asked, double t, double fraction) {
  bool stops = asked->progress && !asked->progress(asked->progress_context, t, fraction);
  return stops ? TRM_INTERRUPTED : TRM_OK;
}

/* A mechanism that can be evaluated, with the formulas that are asked for. */
typedef struct trm_variant {
  trm_model *model; /* its own, or NULL */
  trm_simulation *simulation;
  int count;
  trm_instant *instants; /* [count] */
  double *y, *ydot;      /* [size] */
  unsigned long branch;  /* of the pieces that formulas are on, see below */
  bool holds;            /* they keep to it */
} trm_variant;

/* model: taken over; owned: to be destroyed with it. */
trm_status trm_variant_create(trm_variant *variant, const trm_model *model, bool owned,
                              const trm_settings *settings, const trm_asked *asked,
                              trm_diagnostics *diagnostics);
/* The formulas alone. */
trm_status trm_variant_formulas(trm_variant *variant, const trm_model *model,
                                const trm_asked *asked, trm_diagnostics *diagnostics);
/* A measure in its formulas; NULL: none is like that. */
const trm_measure *trm_variant_find(const trm_variant *variant, bool (*is)(const trm_measure *));
void trm_variant_free(trm_variant *variant);
/* Fails, and says so, where a formula is on another piece than at the last call. The stages are to
 * be repeated. */
trm_status trm_variant_refuse_switch(trm_variant *variant, double t, const double *y,
                                     trm_diagnostics *diagnostics);
/* switch.c: its formulas keep to the piece where the motion from (t, y) along `rates` leads to.
 * False: out of memory. */
bool trm_variant_fix_branches(trm_variant *variant, double t, const double *y, const double *rates,
                              double ahead);
/* Whether it would be on another piece than it keeps to. */
bool trm_variant_leaves_branches(trm_variant *variant, double t, const double *y);
/* Whether velocities jump between two states of the same time: a driver's rate has done so. */
bool trm_variant_is_struck(trm_variant *variant, const double *before, const double *behind);
/* Its formula at the state evaluated last. */
double trm_variant_value(trm_variant *variant, int instant, double t);

typedef struct trm_neighbours {
  const char *name;
  double value, step; /* of the parameter */
  double drift;       /* how the time that they are at moves with it */
  const trm_stencil *by;
  trm_variant side[TRM_MOST_SIDES];
} trm_neighbours;

/* The time that a side is at. */
static inline double trm_side_time(const trm_neighbours *neighbours, int side, double t) {
  return t + neighbours->by->place[side] * neighbours->step * neighbours->drift;
}
/* What a side counts in a derivative. */
static inline double trm_side_weight(const trm_neighbours *neighbours, int side) {
  return neighbours->by->weight[side] / neighbours->step;
}

#define TRM_REACH 2e-3 /* of a coordinate's span: neighbours are no farther */
/* The largest part of a derivative of the state y, by what coordinates are measured by. */
double trm_reach(const trm_dynamics *dynamics, const double *y, const double *slope);

/* Of a parameter that the model has. */
void trm_neighbours_name(trm_neighbours *neighbours, const trm_model *model, const char *name,
                         const trm_stencil *by);
/* Neighbours of the base at its start, which is that of base->y, and the derivative of the
 * assembled start, slope [size]. Of a parameter of zero nobody knows the scale: its neighbours come
 * nearer until they are near. */
trm_status trm_neighbours_begin(trm_neighbours *neighbours, const trm_variant *base,
                                const trm_settings *settings, const trm_asked *asked, double *slope,
                                trm_diagnostics *diagnostics);
/* The first of them alone. False: it cannot be made at the step tried first, and nothing is left.
 */
bool trm_neighbours_create_first(trm_neighbours *neighbours, const trm_variant *base,
                                 const trm_settings *settings, const trm_asked *asked);
/* Sides with the parameters of all neighbours changed together, each by its own step. False: the
 * model allows none, and nothing is left. */
bool trm_neighbours_join(trm_variant *side, int count, const trm_neighbours *const *all,
                         const trm_variant *base, const trm_settings *settings,
                         const trm_asked *asked);
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
/* They keep to the pieces of the base. False: out of memory. */
bool trm_neighbours_fix_branches(trm_neighbours *neighbours, const trm_variant *base);
/* How the time at which formulas leave the piece that they keep to moves with the parameter, where
 * the base does so at t; the sides have just been moved there. False: not all of them do within
 * the time `most`. */
bool trm_neighbours_switch(trm_neighbours *neighbours, double t, double most, double *drift);
/* Derivative of a formula where they are, and how far round-off may have moved it. */
double trm_neighbours_slope(trm_neighbours *neighbours, int instant, double t, double *noise);
/* The same of the last derivatives of rates: of positions, of velocities. */
void trm_neighbours_noise(const trm_neighbours *neighbours, double noise[2]);

#endif
