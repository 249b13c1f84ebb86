/* Reference point and angle in the plane (RPCF): q = (x, y, θ). */
#include <math.h>
#include <stddef.h>

#include "coordinates/coordinates.h"

static void from_pose(const trm_frame *frame, double angle, double *q) {
  q[0] = frame->x[0];
  q[1] = frame->x[1];
  q[2] = angle;
}

static void from_twist(const double *q, const double v[3], const double omega[3], double *qdot) {
  (void)q;
  qdot[0] = v[0];
  qdot[1] = v[1];
  qdot[2] = omega[2];
}

static void axes(const double *q, double a[3][3]) {
  double c = cos(q[2]), s = sin(q[2]);
  a[0][0] = a[1][1] = c;
  a[0][1] = s;
  a[1][0] = -s;
}

static double turn(const double *q) {
  return q[2];
}

/* ȧ = θ̇ a⊥ */
static void rates(const double *q, double a[3][3], const double *qdot, double da[3][3]) {
  (void)q;
  for (int k = 0; k < 2; k++) {
    da[k][0] = -qdot[2] * a[k][1];
    da[k][1] = qdot[2] * a[k][0];
  }
}

/* −θ̇² a */
static void bias(const double *q, double a[3][3], const double *qdot, double dda[3][3]) {
  (void)q;
  double w2 = qdot[2] * qdot[2];
  for (int k = 0; k < 2; k++) {
    dda[k][0] = -w2 * a[k][0];
    dda[k][1] = -w2 * a[k][1];
  }
}

/* N(u) = (Au)⊥ */
static void add(const double *q, double a[3][3], const double *u, const double *s, double scale,
                double *row) {
  (void)q;
  double dx = u[0] * a[0][0] + u[1] * a[1][0];
  double dy = u[0] * a[0][1] + u[1] * a[1][1];
  row[0] += scale * (dx * s[1] - dy * s[0]);
}

/* ∂(Au)⊥/∂θ = −Au */
static void bend(const double *q, double a[3][3], const double *u, const double *s, double scale,
                 double *block) {
  (void)q;
  double dx = u[0] * a[0][0] + u[1] * a[1][0];
  double dy = u[0] * a[0][1] + u[1] * a[1][1];
  block[8] -= scale * (dx * s[0] + dy * s[1]);
}

/* −θ̇² (Au)⊥ */
static void bias_slope(const double *q, double a[3][3], const double *qdot, const double *u,
                       const double *s, double scale, double *row) {
  add(q, a, u, s, -scale * qdot[2] * qdot[2], row);
}

static void mass(const trm_inertia *inertia, const double *q, double *M) {
  (void)q;
  M[0] = M[1] = inertia->mass;
  M[2] = inertia->I[2];
}

const trm_coordinates trm_angle_planar = {
    .name = "angle",
    .dim = 2,
    .nq = 3,
    .intrinsic = 0,
    .linear = false,
    .mass_diagonal = true,
    .mass_constant = true,
    .from_pose = from_pose,
    .from_twist = from_twist,
    .axes = axes,
    .turn = turn,
    .rates = rates,
    .bias = bias,
    .add = add,
    .mass = mass,
    .bend = bend,
    .bias_slope = bias_slope,
};
