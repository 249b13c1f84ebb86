/* Derivatives backwards along a run: what goes back, and what hangs on each parameter. */
#ifndef TRM_ANALYSIS_ADJOINT_H
#define TRM_ANALYSIS_ADJOINT_H

#include "analysis/curved.h"
#include "analysis/differentiate.h"
#include "analysis/trace.h"
#include "system/symbols.h"

/* The equations at one of Gauss's points, with a factorization of its own. */
typedef struct trm_adjoint_node {
  trm_variant at;
  trm_arena *turns; /* where those of its system are declared */
  trm_tangent *tangent;
  trm_curved curved; /* ∂e/∂q and ∂e/∂v */
  int law_count;
  trm_law_by *laws; /* ∂e/∂z is by these */
  double *by_state; /* [2 states] */
  double t;
  double *source;    /* [asked × width] ∂g/∂(q, v, z) */
  double *mu, *rate; /* [asked × width] */
  double *w, *nu;    /* [asked × half], [asked × m] */
  double *gradient;  /* of a formula, by its slots */
  double *room;      /* [3 × blocks of the tangent] */
  double *next;      /* [width] */
  double *zero;      /* [m] */
} trm_adjoint_node;

/* Sides of several parameters at once, no two of which change the same part: what a part changes by
 * is due to one of them. */
typedef struct trm_adjoint_group {
  trm_variant side[TRM_MOST_SIDES];
  bool *body, *primitive, *force; /* changed by a member */
  int count;
  int *member; /* [parameters] */
} trm_adjoint_group;

/* A parameter. */
typedef struct trm_adjoint_by {
  trm_neighbours n;  /* of its own, where the start or more than parts hangs on it */
  trm_variant *side; /* [sides] those, or its group's */
  trm_differing parts;
  bool *of_formula;              /* [asked] it hangs on the parameter itself */
  bool of_jumps;                 /* what passes zero at a jump, or what an event sets, may do so */
  double *start;                 /* [size] of the assembled start; NULL: it does not move */
  double weight[TRM_MOST_SIDES]; /* of the sides in derivatives of parts */
} trm_adjoint_by;

typedef struct trm_adjoint {
  trm_arena *arena;
  const trm_asked *asked;
  trm_settings settings;
  trm_trace trace;
  trm_gauss gauss;
  trm_adjoint_node node[TRM_NODES];
  int count; /* parameters */
  trm_adjoint_by *by;
  trm_adjoint_group *group; /* [groups] */
  int groups;
  trm_symbols *symbols;          /* formulas of forces and signals by parameters */
  bool chained;                  /* some hang on parameters asked for */
  int times;                     /* slots for the time of an event */
  int *time_slot, *time_event;   /* [times] */
  int events;                    /* of the model, where their times are asked for; else 0 */
  double *by_time;               /* [asked × events] by the time of the last one of each */
  int n, states, half, width, m; /* width: of μ, (q, v, z) */
  double *mu;                    /* [asked × width] at the end of the step at hand */
  double last;                   /* the length of the step taken before; 0: none was */
  unsigned long branch;          /* of the pieces that the sides keep to */
  double *value, *gradient;
} trm_adjoint;

/* Evaluates the motion at a node, with turns as they were counted there, and its tangents. */
trm_status trm_adjoint_visit(trm_adjoint *s, trm_adjoint_node *node, const void *turns, double t,
                             const double *y, trm_diagnostics *diagnostics);
/* The motion at a node, and its virtual motion of the i-th formula. */
trm_virtual trm_adjoint_virtual(const trm_adjoint *s, const trm_adjoint_node *node, int i);
/* What has been gathered in the rows of a node's tangent, as a row over (q, v, z). */
void trm_adjoint_take_row(trm_adjoint *s, trm_adjoint_node *node, double *row);

/* adjoint_jump.c: back over a jump of the run. */
trm_status trm_adjoint_jump(trm_adjoint *s, const trm_jump *jump, trm_diagnostics *diagnostics);

/* adjoint_times.c: formulas that ask for the time of an event hang on it until it comes again. */
bool trm_adjoint_find_times(trm_adjoint *s, const trm_model *model);
/* Into out [events]: slopes of a formula of the model at the state at hand. */
void trm_adjoint_slope_by_times(trm_adjoint *s, const trm_system *sys,
                                const trm_expression *formula, double *out);
/* To by_time: of the i-th formula that is asked for, whose gradient is the node's; of what has just
 * been weighed by symbols. */
void trm_adjoint_add_times(trm_adjoint *s, const trm_adjoint_node *node, int i, double scale);
void trm_adjoint_take_times(trm_adjoint *s, int i, double scale);

/* adjoint_by.c */

/* What hangs on which parameter, after the nodes have been made. */
trm_status trm_adjoint_add_parameters(trm_adjoint *s, const trm_model *model,
                                      const char *const *names, trm_diagnostics *diagnostics);
void trm_adjoint_free_parameters(trm_adjoint *s);
/* All sides keep to the pieces that formulas of the motion are on at a point. False: out of memory.
 */
bool trm_adjoint_fix_branches(trm_adjoint *s, const trm_adjoint_node *at);
/* Of all parameters, the part of their derivatives that a step of length h adds. */
trm_status trm_adjoint_add_step(trm_adjoint *s, double h, trm_diagnostics *diagnostics);
/* What formulas at the end of the run add. */
void trm_adjoint_add_end(trm_adjoint *s, const trm_adjoint_node *at);
/* μ(0)ᵀ dy(0)/dp */
void trm_adjoint_add_start(trm_adjoint *s);

#endif
