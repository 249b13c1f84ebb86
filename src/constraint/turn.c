/* Two directions enclose a prescribed angle φ(t): the angular driver of 002, Table 1, in its dot
 * form d0·d1 − cos φ = 0 or its cross form d0×d1 − sin φ = 0. Each is singular where the other is
 * best, so the one with the larger derivative is taken, divided by it: C is then the angle's error,
 * λ a torque. Far from φ, where either form has a second solution, the counted angle itself is
 * used. */
#include "constraint/primitive.h"
#include "coordinates/angle.h"

#define NEAR 0.9 /* cosine of the error up to which the quadratic forms are used */

typedef enum form { DOT, CROSS, FAR } form;

typedef struct pair {
  double d0[3], d1[3];
  double c, s; /* d0·d1, d0×d1 */
  form form;
  double k; /* what the form is multiplied with */
} pair;

bool trm_turn_takes_dot(double angle) {
  return fabs(sin(angle)) > fabs(cos(angle));
}

static pair look(const trm_primitive *p, const trm_motion *m) {
  pair a = {.form = FAR, .k = 1};
  double cosine = cos(p->value), sine = sin(p->value);
  trm_direction(m, &p->direction[0], a.d0);
  trm_direction(m, &p->direction[1], a.d1);
  a.c = trm_dot(2, a.d0, a.d1);
  a.s = trm_cross_z(a.d0, a.d1);
  if (a.c * cosine + a.s * sine < NEAR * hypot(a.c, a.s)) return a;
  a.form = trm_turn_takes_dot(p->value) ? DOT : CROSS;
  a.k = a.form == DOT ? -1 / sine : 1 / cosine;
  return a;
}

/* The angle itself, for the far form. */
static trm_scalar counted(const trm_primitive *p) {
  trm_scalar s = {.kind = TRM_SCALAR_ANGLE, .end = {p->direction[0], p->direction[1]}};
  for (int side = 0; side < 2; side++) {
    const trm_marker *d = &p->direction[side];
    s.across[side] = (trm_marker){d->body, {-d->u[1], d->u[0]}};
  }
  return s;
}

static double far_bias(const trm_primitive *p, const trm_motion *m) {
  trm_scalar angle = counted(p);
  return trm_scalar_bias(&angle, m);
}

static void position(const trm_primitive *p, const trm_motion *m, double *C) {
  pair a = look(p, m);
  double cosine = cos(p->value), sine = sin(p->value);
  if (a.form == DOT)
    C[0] = a.k * (a.c - cosine);
  else if (a.form == CROSS)
    C[0] = a.k * (a.s - sine);
  else {
    trm_scalar angle = counted(p);
    double x, y;
    trm_angle_turn(&angle, m, &x, &y);
    C[0] = atan2(y * cosine - x * sine, x * cosine + y * sine);
  }
}

/* row += scale ∂/∂q of g·d, d the marker's direction */
static void add_row(const trm_primitive *p, const trm_motion *m, int side, double gx, double gy,
                    double scale) {
  const trm_marker *marker = &p->direction[side];
  trm_row_direction(m, marker, (double[3]){gx, gy, 0}, scale, trm_primitive_rows(p, marker->body));
}

static void jacobian(const trm_primitive *p, const trm_motion *m) {
  pair a = look(p, m);
  const double *d0 = a.d0, *d1 = a.d1;
  if (a.form == DOT) {
    add_row(p, m, 0, d1[0], d1[1], a.k);
    add_row(p, m, 1, d0[0], d0[1], a.k);
  } else if (a.form == CROSS) {
    add_row(p, m, 0, d1[1], -d1[0], a.k);
    add_row(p, m, 1, -d0[1], d0[0], a.k);
  } else {
    trm_scalar angle = counted(p);
    trm_scalar_gradient(&angle, m, 1, trm_primitive_rows(p, angle.end[0].body),
                        trm_primitive_rows(p, angle.end[1].body));
  }
}

static void bias(const trm_primitive *p, const trm_motion *m, double *Qd) {
  pair a = look(p, m);
  double v0[3], v1[3], b0[3], b1[3], rate2 = p->rate * p->rate;
  trm_direction_rate(m, &p->direction[0], v0);
  trm_direction_rate(m, &p->direction[1], v1);
  trm_direction_bias(m, &p->direction[0], b0);
  trm_direction_bias(m, &p->direction[1], b1);
  double dot = trm_dot(2, b0, a.d1) + 2 * trm_dot(2, v0, v1) + trm_dot(2, a.d0, b1);
  double cross = trm_cross_z(b0, a.d1) + 2 * trm_cross_z(v0, v1) + trm_cross_z(a.d0, b1);
  if (a.form == DOT)
    Qd[0] = -a.k * (dot + cos(p->value) * rate2);
  else if (a.form == CROSS)
    Qd[0] = -a.k * (cross + sin(p->value) * rate2);
  else
    Qd[0] = -far_bias(p, m);
}

static void reaction(const trm_primitive *p, const trm_motion *m, const double *lambda,
                     double force[3], double torque[3]) {
  pair a = look(p, m);
  (void)force;
  double slope = a.form == DOT ? -a.s : a.form == CROSS ? a.c : 1;
  torque[2] -= lambda[0] * a.k * slope;
}

/* The gradients g of the form with respect to d0 and d1, and ∂²/∂d0∂d1: the identity or a quarter
 * turn. */
static void curvature(const trm_primitive *p, const double *lambda, const trm_curvature *c) {
  pair a = look(p, c->motion);
  if (a.form == FAR) {
    trm_scalar angle = counted(p);
    trm_scalar_curvature(&angle, lambda[0], c);
    return;
  }
  bool dot = a.form == DOT;
  const double g0[3] = {dot ? a.d1[0] : a.d1[1], dot ? a.d1[1] : -a.d1[0], 0};
  const double g1[3] = {dot ? a.d0[0] : -a.d0[1], dot ? a.d0[1] : a.d0[0], 0};
  double cross[3][3] = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 0}};
  trm_lever lever[2];
  for (int side = 0; side < 2; side++) {
    trm_bend(c, &p->direction[side], side ? g1 : g0, lambda[0] * a.k);
    trm_lever_direction(c->motion, &p->direction[side], &lever[side]);
  }
  trm_curve_both(c, &lever[0], dot ? NULL : cross, &lever[1], lambda[0] * a.k);
}

const trm_primitive_class trm_primitive_turn = {
    .name = "turn",
    .position = position,
    .jacobian = jacobian,
    .bias = bias,
    .reaction = reaction,
    .curvature = curvature,
    .torque = true,
};
