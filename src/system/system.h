/* A model compiled in one formulation: offsets, sparsity, constraint rows, and the arrays of one
 * evaluation. */
#ifndef TRM_SYSTEM_H
#define TRM_SYSTEM_H

#include "constraint/primitive.h"
#include "force/element.h"
#include "math/structure.h"
#include "model/model.h"

/* A condition on the initial state beside the joints: a scalar, or its rate, has a value. */
typedef struct trm_condition {
  trm_measure measure; /* of position level */
  double value;
  bool rate;
} trm_condition;

typedef struct trm_system {
  const trm_model *model;
  trm_arena *arena;
  trm_structure structure;
  int n,
      m; /* coordinates, constraint rows: intrinsic first, then joint by joint, then conditions */

  /* fixed */
  trm_inertia *inertia; /* [bodies] with the fictitious inertia of massless rotations */
  bool *massless;       /* [bodies] */
  double *weight_force; /* [n] generalized forces of gravity: constant, x is the centre of mass */
  int primitive_count;
  trm_primitive *primitives; /* in the order of their rows */
  int *first_primitive;      /* [joints + 1] the joint's primitives */
  const trm_quantity **law;  /* [primitives] a time law, or NULL where the value is constant */
  bool *rate_only;           /* [primitives] a condition on a rate */
  trm_scalar *body_angle;    /* [bodies] */
  trm_scalar *freedom;       /* [joints × 2] angle, displacement; only those the joint has */
  trm_element *elements;     /* [forces] */

  /* position stage */
  double t;
  trm_motion motion;
  double *M;  /* structure->mass_value */
  double *C;  /* [m] */
  double *Cq; /* structure->panel_value */
  double *Ct; /* [m] */
  double *N;  /* structure->massless_value */

  /* velocity stage */
  const double *v;
  double *slots;         /* [1 + inputs] t and the measures that formulas use */
  double *Q;             /* [n] applied and velocity-quadratic inertia forces */
  double *Qd;            /* [m] */
  double *massless_bias; /* [massless] */
  double power; /* of what is not in the potential; drivers add theirs once lambda is known */

  /* acceleration stage, filled by the solver's caller */
  double *a;      /* [n] */
  double *lambda; /* [m] */

  /* what goes with the accepted state */
  double work, energy0;
  double velocity_violation; /* ‖Cq v + Ct‖ */

  char error[256]; /* why a stage failed */
} trm_system;

/* All memory comes from the arena. NULL: out of memory. */
trm_system *trm_system_create(const trm_model *model, const trm_coordinates *coordinates,
                              const trm_condition *conditions, int condition_count,
                              trm_arena *arena);

/* The state as written. */
void trm_system_written(const trm_system *system, double *q, double *v);

/* M, C, Cq, Ct, N at (t, q); q must stay until the next position stage. False: see system->error.
 */
bool trm_system_position(trm_system *system, double t, const double *q);
/* Q, Qd and power at v, after the position stage. */
bool trm_system_velocity(trm_system *system, const double *v);
/* ‖C‖ of the position stage, and ‖Cq v + Ct‖ with the residual left in `residual` [m]. */
double trm_system_violation(const trm_system *system);
double trm_system_velocity_residual(const trm_system *system, const double *v, double *residual);
/* Power of the time-dependent constraints, λᵀCt. */
double trm_system_driver_power(const trm_system *system);
/* Counts turns: the state of the last position stage is accepted. */
void trm_system_accept(trm_system *system);

/* After the velocity stage. */
double trm_system_kinetic(const trm_system *system);
double trm_system_potential(const trm_system *system);
double trm_system_energy(const trm_system *system);
void trm_system_momentum(const trm_system *system, double p[3], double l[3]);

/* A measure after the acceleration stage; levels 0 and 1 need the position and velocity stages
 * only. */
double trm_system_measure(const trm_system *system, const trm_measure *measure);

/* The joint that owns a row, or −1 (intrinsic, condition); the body of an intrinsic row, or −1. */
int trm_system_row_joint(const trm_system *system, int row);
int trm_system_row_body(const trm_system *system, int row);

/* parts of compilation, in their own files */
trm_marker trm_system_point(const trm_model *model, const trm_end *end);
trm_marker trm_system_axis(int body, const double u[3]);
bool trm_system_joints(trm_system *system, const trm_condition *conditions, int count);
bool trm_system_forces(trm_system *system);
bool trm_system_layout(trm_system *system);
trm_scalar trm_system_scalar(const trm_system *system, const trm_measure *measure);

#endif
