/* What the implicit methods share: the scheme's own state, Newton's iteration, cut steps.
 *
 * A scheme looks for u, the change of q over the step, so that the equations of motion hold at a
 * stage q + share u, v0 + gamma u, a0 + beta u, and the constraints at q + u. */
#ifndef TRM_INTEGRATOR_IMPLICIT_H
#define TRM_INTEGRATOR_IMPLICIT_H

#include "integrator/dynamics.h"
#include "math/kkt.h"
#include "system/tangent.h"

typedef struct trm_implicit trm_implicit;

/* A state as the scheme continues it; what is recorded is its projection onto the constraints. */
typedef struct trm_scheme_state {
  double *y;     /* [2n + 1] like the integrator's */
  double *ydot;  /* [2n + 1] accelerations and power that go with it */
  double *aux;   /* [n] the auxiliary acceleration of generalized-α, the momenta of three-field */
  double *slope; /* [n + m] how ydot's accelerations, and λ, changed over the last step, per time */
  double *lambda; /* [m] */
  double *u;      /* [n] the last step's */
  double at;      /* the time that accelerations and λ are for */
  double h;       /* the last step; 0: none yet */
  double aux_h;   /* the step that aux is for; 0: any */
} trm_scheme_state;

typedef struct trm_scheme {
  /* the stage of a step from im->now over h: im->v0, im->a0 and the numbers beside them */
  void (*begin)(trm_implicit *im, double t, double h);
  /* im->next from im->u; false: see system->error */
  bool (*finish)(trm_implicit *im, trm_dynamics *d, double end, double h);
  double position_error, velocity_error; /* local errors by h³q⃛ and h³q⁗ */
  /* takes the inertia of the whole step instead of the stage's, in im->b and, where there is one,
   * in J; NULL: the stage's */
  void (*inertia)(trm_implicit *im, const trm_system *system, double *J);
  /* of im->now or im->next, what records have; NULL: as the projection leaves it */
  double (*kinetic)(trm_implicit *im, trm_dynamics *d, const trm_scheme_state *state);
  bool avoids; /* to go on from close to a singular position: small errors become large ones */
} trm_scheme;

struct trm_implicit {
  const trm_scheme *scheme;
  int n, m;   /* coordinates and states, constraint rows */
  int states; /* the last of the n */
  trm_scheme_state now, next;
  bool started; /* now holds the state at t */
  double t;
  double spectral_radius;
  bool constraint_inertia; /* m̄ of 004 eq. 19 */

  /* the stage */
  double share, gamma, beta, stage_t, end_t, h;
  double *v0, *a0;   /* [n] */
  double *u;         /* [n] */
  double *lambda;    /* [m] */
  double *q, *v, *a; /* [n] at the stage */
  double *x;         /* [n] q + u */
  double power;      /* at the stage */

  /* Newton */
  trm_tangent *tangent;
  trm_kkt *kkt;
  double *law;      /* [laws by states] entries of A2 beside the panels */
  double *span;     /* [n] what counts as one */
  const bool *rate; /* [m] rows of velocity level */
  bool *left_out;   /* [m] rows: those that are redundant here */
  double *b;        /* [n + m] residual, then the change */
  double *J;        /* in the tangent's pattern */
  double *A1, *A2;  /* like Cq */
  double *slope;    /* like Cq: of velocity rows */
  int rates;        /* how many */
  double *E;        /* [m] 1/weight of the augmented Lagrangian */
  double *miss;     /* [m] how far the midpoint gradient is from the discrete one */
  double *unit;     /* [m] of the rows, see newton.c */
  double *square;   /* [m] zero; of the rotational part of u over the row's bodies */
  bool *turns;      /* [n] rotational coordinates */
  double length;    /* of the model */
  bool factored;    /* for factored_beta and factored_gamma */
  double factored_beta, factored_gamma;
  bool stale;    /* the next step shall have a new Jacobian */
  double motion; /* the largest of u as predicted, in units of span */
  double tolerance;
  double stride, speed;             /* the largest motion of a step, and over its length, so far */
  bool strayed;                     /* much of the velocity is across the constraints */
  double *earlier, *before, *after; /* [n] recorded accelerations of the last three states */
  double earlier_h;                 /* of the step before the last; 0: there was none */
  double residual;                  /* of the last iteration, relative; worst: its entry */
  double violation; /* of the constraints, before the last iteration, in their units */
  int worst;
  double distance, farthest; /* from a singular position, a square: of the Jacobian, most so far */
  long iterations, jacobians, splits;
};

/* settings->integrator must be an implicit one. NULL: out of memory. */
trm_implicit *trm_implicit_create(const trm_settings *settings, trm_arena *arena,
                                  const trm_scheme *scheme, trm_dynamics *dynamics);

/* u and λ for the stage that the scheme has begun, and how exact they have to become. */
void trm_implicit_predict(trm_implicit *im, double h);
/* In im->next: what the next prediction starts from. */
void trm_implicit_remember(trm_implicit *im);
/* u and λ of the stage that the scheme has begun, from the u and λ that are there. False: no
 * convergence. */
bool trm_implicit_stage(trm_implicit *im, trm_dynamics *dynamics);
/* Whether the stage is so close to a singular position that projections cannot be believed. */
bool trm_implicit_is_singular(const trm_implicit *im);

/* The velocity of y onto the constraints, mass-orthogonally. False: see system->error. */
bool trm_implicit_project(trm_dynamics *dynamics, double t, double *y);

extern const trm_scheme trm_scheme_three_field, trm_scheme_generalized_alpha,
    trm_scheme_trapezoidal;

#endif
