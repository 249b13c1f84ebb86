/* The right-hand side: from a state y = (q, s, v, z, work) to its rates, and what makes a step's
 * result a state. */
#ifndef TRM_INTEGRATOR_DYNAMICS_H
#define TRM_INTEGRATOR_DYNAMICS_H

#include "stabilization/stabilizer.h"

/* The constraint that was violated most, in the model's own lengths. */
typedef struct trm_worst {
  double size; /* of a position: a part of the length; of a velocity: that in a unit of time */
  int row;
  double t;
  bool left_out; /* it is redundant, and did not fit the others as written */
} trm_worst;

typedef struct trm_dynamics {
  trm_system *system;
  trm_solver *solver;
  trm_stabilizer *stabilizer;
  int n;         /* coordinates */
  trm_layout at; /* of states */
  int size;      /* of one; its last entry is the work of what is not in the potential */
  long evaluations;
  double *normal, *mu;                /* [n], [m] workspace */
  const trm_evaluation *within, *end; /* of stages within a step, of the state at its end */
  bool conserve;                      /* the energy balance, by the tangent velocity */
  const trm_measure *kept;            /* in place of the energy, or NULL */
  double kept0;                       /* its value at the start */
  double *tangent; /* [n] velocity along the constraints, or what changes the kept measure */
  double *tangent_acceleration; /* [n] acceleration along the constraints */
  double tangent_kinetic;       /* of `tangent` */
  double max_acceleration;      /* aᵀM a, what position errors are weighed by */
  double last_time;             /* of the last accepted state */
  double *correction;   /* [size] what the step at hand takes away, spread over it (embedded), else
                           NULL */
  double kinetic;       /* energy that the velocity keeps when it is projected; negative: none */
  const double *weight; /* [size] one over the tolerances of a history, which cannot follow a change
                           beyond them; NULL: there is none */
  double
      energy_digits; /* energy: conserve makes work of changes of the energy, known up to these */
  long energy_skips; /* steps at which the energy could not be corrected */
  double gap;        /* of rows that do not fit, where no others would do better */
  double max_position_violation, max_velocity_violation, max_energy_error;
  double max_kinetic, max_potential; /* what the energy error is measured by */
  trm_worst position, velocity;      /* what is worth a word, else zero */
  double max_rate;                   /* the largest of a coordinate, by its span */
  const double *per_span;            /* [n] 1/span, the stabilizer's */
  double least_unit;                 /* that a residual is measured by */
  double *unit;                      /* [at.v] what atol is a part of: the model's length, or one */
  double energy_unit; /* of a motion by the span of each coordinate in a unit of time */
} trm_dynamics;

bool trm_dynamics_create(trm_dynamics *dynamics, trm_arena *arena, trm_stabilizer *stabilizer,
                         const trm_settings *settings);

/* Declares what goes with the accepted state to be kept with it. */
void trm_dynamics_keep(trm_dynamics *dynamics, trm_arena *arena);
/* The position stage and the factorization at y. False: see system->error. */
bool trm_dynamics_factor(trm_dynamics *dynamics, double t, const double *y);
/* ydot = (v, z, q̈, ż, power). False: see system->error. */
bool trm_dynamics_rates(trm_dynamics *dynamics, double t, const double *y, double *ydot);

/* The same within a step, by within->stage, and no multipliers. ydot has v in place of q̇ already,
 * and gets the rest. False: see the error, or a rank must be decided; the other will tell. */
bool trm_dynamics_stage(trm_dynamics *dynamics, double t, const double *q, double *ydot);

/* The rates of a state that needs no correction. */
bool trm_dynamics_evaluate(trm_dynamics *dynamics, double t, const double *y, double *ydot);

/* Corrects y; the factorization is left there. nearby: the one at hand is of a position next to it.
 */
bool trm_dynamics_project(trm_dynamics *dynamics, double t, double *y, bool nearby);
/* Corrects y and takes the rates there; also after a stage that was nearby. */
bool trm_dynamics_correct(trm_dynamics *dynamics, double t, double *y, double *ydot);
bool trm_dynamics_end_step(trm_dynamics *dynamics, double t, double *y, double *ydot, bool nearby);

static inline bool trm_dynamics_has_redundant(const trm_dynamics *dynamics) {
  return dynamics->stabilizer->rank < dynamics->system->m;
}
/* Of the redundant rows others are left out, as suits an accepted state best; false: the same ones.
 */
bool trm_dynamics_choose_rows(trm_dynamics *dynamics, double t, const double *y);

/* y, just corrected, is the new state: counts turns and keeps the largest errors. */
void trm_dynamics_commit(trm_dynamics *dynamics, const double *y);

/* worst.c */
void trm_dynamics_measure_rows(trm_dynamics *dynamics);
/* The fastest coordinate so far, by its span. */
void trm_dynamics_note_rate(trm_dynamics *dynamics, const double *v);
/* What the accepted state violates most, if its violations are much. */
void trm_dynamics_find_worst(trm_dynamics *dynamics, double position, double velocity,
                             const double *v);

/* xᵀM x */
double trm_dynamics_square(trm_dynamics *dynamics, const double *x);

/* aᵀM a of the accelerations that forces alone would cause, at the state evaluated last. */
double trm_dynamics_free(trm_dynamics *dynamics);

/* e −= its part normal to the constraints at the factored position, in the mass norm; e has n
 * entries. */
void trm_dynamics_tangent(trm_dynamics *dynamics, double *e);

/* embedded.c: all at the factored position of y, with the constraint residuals there */

/* q̇ −= A⁺(A v + Ct): no velocity leaves the constraints */
void trm_embed_rates(trm_dynamics *dynamics, const double *y, double *ydot);
/* q̇ −= rate A⁺Φ, v̇ −= rate A⁺Φ̇: a violation dies out like exp(−rate t) */
void trm_embed_feedback(trm_dynamics *dynamics, const double *y, double rate, double *ydot);
/* What the next step shall take away: −A⁺Φ of q, −A⁺Φ̇ and the energy error of v. */
void trm_embed_correction(trm_dynamics *dynamics, const double *y);

/* energy.c */

double trm_energy_error(trm_dynamics *dynamics, const double *y);
/* dv += what takes away the energy error, or that of the kept measure, at y. */
void trm_energy_correction(trm_dynamics *dynamics, const double *y, double *dv);
/* Moves q and v to the right energy while a position is corrected; the context is the dynamics. */
void trm_energy_shift(void *context, double *q, double *v);
/* Changes the tangent velocity so that the balance closes, or the kept measure returns. */
void trm_energy_restore(trm_dynamics *dynamics, double *y);
/* How well the energy is known at the state just evaluated. */
void trm_energy_note_digits(trm_dynamics *dynamics, const double *q);
/* Kinetic energy as the equations of motion see it, also of a velocity off the constraints. */
double trm_dynamics_kinetic(trm_dynamics *dynamics, const double *v);
/* Changes the tangent velocity so that the kinetic energy is `kinetic`. */
void trm_restore_kinetic(trm_dynamics *dynamics, double *y);

#endif
