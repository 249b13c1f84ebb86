/* Fully Cartesian coordinates in the plane (FCCF): q = (x, y, U1, U2), one point and one unit
 * vector. 002 sec. 2.1. */
#include "coordinates/coordinates.h"

static void from_pose(const trm_frame *frame, double angle, double *q) {
  (void)angle;
  for (int i = 0; i < 2; i++) {
    q[i] = frame->x[i];
    q[2 + i] = frame->a[0][i];
  }
}

static void from_twist(const double *q, const double v[3], const double omega[3], double *qdot) {
  qdot[0] = v[0];
  qdot[1] = v[1];
  qdot[2] = -omega[2] * q[3];
  qdot[3] = omega[2] * q[2];
}

/* U and its perpendicular, eq. 3 */
static void axes(const double *q, double a[3][3]) {
  a[0][0] = a[1][1] = q[2];
  a[0][1] = q[3];
  a[1][0] = -q[3];
}

/* C = [I  c1 I + c2 R90], eq. 5 */
static void add(const double *q, double a[3][3], const double *u, const double *s, double scale,
                double *row) {
  (void)q;
  (void)a;
  row[0] += scale * (u[0] * s[0] + u[1] * s[1]);
  row[1] += scale * (u[0] * s[1] - u[1] * s[0]);
}

/* On a rigid motion U̇² = ω² */
static void mass(const trm_inertia *inertia, const double *q, double *M) {
  (void)q;
  M[0] = M[1] = inertia->mass;
  M[2] = M[3] = inertia->I[2];
}

/* Table 1, unit vector, halved so that the residual is a length error */
static void normalize(const double *q, double *C, double *rows) {
  C[0] = (q[2] * q[2] + q[3] * q[3] - 1) / 2;
  rows[2] = q[2];
  rows[3] = q[3];
}

static void normalize_bias(const double *qdot, double *Qd) {
  Qd[0] = -(qdot[2] * qdot[2] + qdot[3] * qdot[3]);
}

static void split(const double *q, double *T, double *G) {
  double scale = 1 / (q[2] * q[2] + q[3] * q[3]);
  T[0] = -q[3];
  T[1] = q[2];
  G[0] = scale * q[2];
  G[1] = scale * q[3];
}

static void normalize_bend(const double *lambda, double scale, double *block) {
  block[10] += scale * lambda[0];
  block[15] += scale * lambda[0];
}

const trm_coordinates trm_cartesian_planar = {
    .name = "cartesian",
    .dim = 2,
    .nq = 4,
    .intrinsic = 1,
    .linear = true,
    .mass_diagonal = true,
    .mass_constant = true,
    .from_pose = from_pose,
    .from_twist = from_twist,
    .axes = axes,
    .add = add,
    .mass = mass,
    .normalize = normalize,
    .normalize_bias = normalize_bias,
    .split = split,
    .normalize_bend = normalize_bend,
};
