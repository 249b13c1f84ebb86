/* Constraint primitives: equations over points and directions, written once for every formulation.
 *
 *     C = 0,   Cq v = −Ct,   Cq q̈ = Qd
 *
 * A joint is a short list of them (joint.c). */
#ifndef TRM_CONSTRAINT_PRIMITIVE_H
#define TRM_CONSTRAINT_PRIMITIVE_H

#include "coordinates/scalar.h"

typedef struct trm_primitive trm_primitive;

typedef struct trm_primitive_class {
  const char *name;
  void (*position)(const trm_primitive *p, const trm_motion *m, double *C);
  void (*jacobian)(const trm_primitive *p, const trm_motion *m); /* adds to p->J, zeroed before */
  /* Qd[rows]; the value's second derivative is added by the caller (distance: its own part) */
  void (*bias)(const trm_primitive *p, const trm_motion *m, double *Qd);
  /* force and torque of the multipliers on the second body, at the point end[1], added */
  void (*reaction)(const trm_primitive *p, const trm_motion *m, const double *lambda,
                   double force[3], double torque[3]);
  /* B += Σ lambda[r] ∂(row r of Cq)ᵀ/∂q */
  void (*curvature)(const trm_primitive *p, const double *lambda, const trm_curvature *c);
  bool linear_constant; /* the Jacobian is constant where the coordinates are linear */
  bool torque;          /* the multipliers are torques */
} trm_primitive_class;

struct trm_primitive {
  const trm_primitive_class *type;
  int row, rows;           /* its constraint rows */
  int joint;               /* of the model; −1: an initial condition */
  trm_marker end[2];       /* points */
  trm_marker direction[2]; /* dot: one on each side; slide: [0], on the first side */
  double value, rate,
      acceleration;  /* a(t), b(t), l(t) and derivatives; set before each evaluation */
  int bodies;        /* moving bodies touched */
  int *body;         /* [bodies] */
  double **J;        /* [bodies] its rows in that body's panel, rows × nq */
  trm_marker normal; /* rolling: the plane's, towards the second */
  double radius;     /* rolling */
  bool disc;
  bool modulo; /* sum: of an angle, whole turns do not count */
  int terms;   /* sum: Σ factor·scalar */
  trm_scalar **term;
  double *factor;
};

extern const trm_primitive_class trm_primitive_position; /* r0 − r1 = 0, 000 eq. 32 */
extern const trm_primitive_class trm_primitive_dot;      /* d0·d1 − value = 0, 000 eq. 38 */
extern const trm_primitive_class trm_primitive_slide; /* d0·(r0 − r1) − value = 0, 000 eq. 48 */
extern const trm_primitive_class trm_primitive_distance; /* ((r0 − r1)² − l²)/(2l) = 0 */
extern const trm_primitive_class
    trm_primitive_turn; /* angle from d0 to d1 = value(t), 002 Table 1 */
extern const trm_primitive_class trm_primitive_contact; /* a sphere or disc touches a plane */
extern const trm_primitive_class trm_primitive_no_slip; /* … and does not slip: velocity level */
extern const trm_primitive_class trm_primitive_sum; /* Σ factor·scalar − value = 0, 000 eq. 26 */

/* Which form of `turn` an angle takes: rows of one form go together. */
bool trm_turn_takes_dot(double angle);

/* The rows that primitive p has for `body`: NULL for the ground. */
static inline double *trm_primitive_rows(const trm_primitive *p, int body) {
  for (int i = 0; i < p->bodies; i++)
    if (p->body[i] == body) return p->J[i];
  return NULL;
}

/* e = r0 − r1 */
static inline void trm_primitive_gap(const trm_primitive *p, const trm_motion *m, double *e) {
  double r0[3], r1[3];
  trm_position(m, &p->end[0], r0);
  trm_position(m, &p->end[1], r1);
  trm_sub(m->dim, r0, r1, e);
}

#endif
