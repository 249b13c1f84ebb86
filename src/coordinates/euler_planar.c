/* Reference point and planar Euler parameters (RPCF-EP): q = (x, y, p0, p1), p = (cos θ/2, sin
 * θ/2).
 *
 * The inertia block 4I [p1² −p0p1; −p0p1 p0²] alone is singular: trm_euler_planar_singular keeps
 * it, for the solvers that can take it. trm_euler_planar adds 4I p pᵀ, the intrinsic constraint's
 * own direction, which does no work: 4I times the identity remains, constant, without Qv (both
 * differ from the singular form by a force along p only). */
#include <math.h>
#include <string.h>

#include "coordinates/coordinates.h"

static void from_pose(const trm_frame *frame, double angle, double *q) {
  q[0] = frame->x[0];
  q[1] = frame->x[1];
  q[2] = cos(angle / 2);
  q[3] = sin(angle / 2);
}

/* ṗ = ω/2 (−p1, p0) */
static void from_twist(const double *q, const double v[3], const double omega[3], double *qdot) {
  qdot[0] = v[0];
  qdot[1] = v[1];
  qdot[2] = -omega[2] / 2 * q[3];
  qdot[3] = omega[2] / 2 * q[2];
}

/* The second axis is the first one turned by a quarter, and so are its derivatives. */
static void complete(double a[3][3]) {
  a[1][0] = -a[0][1];
  a[1][1] = a[0][0];
}

static void axes(const double *q, double a[3][3]) {
  const double *p = q + 2;
  a[0][0] = p[0] * p[0] - p[1] * p[1];
  a[0][1] = 2 * p[0] * p[1];
  complete(a);
}

static void rates(const double *q, double a[3][3], const double *qdot, double da[3][3]) {
  const double *p = q + 2, *dp = qdot + 2;
  (void)a;
  da[0][0] = 2 * (p[0] * dp[0] - p[1] * dp[1]);
  da[0][1] = 2 * (p[0] * dp[1] + p[1] * dp[0]);
  complete(da);
}

static void bias(const double *q, double a[3][3], const double *qdot, double dda[3][3]) {
  const double *dp = qdot + 2;
  (void)q;
  (void)a;
  dda[0][0] = 2 * (dp[0] * dp[0] - dp[1] * dp[1]);
  dda[0][1] = 4 * dp[0] * dp[1];
  complete(dda);
}

/* ∂(Au)/∂p0 = 2 (p0 u + p1 u⊥), ∂(Au)/∂p1 = 2 (p0 u⊥ − p1 u) */
static void add(const double *q, double a[3][3], const double *u, const double *s, double scale,
                double *row) {
  const double *p = q + 2;
  (void)a;
  double along = 2 * scale * (u[0] * s[0] + u[1] * s[1]);
  double across = 2 * scale * (u[0] * s[1] - u[1] * s[0]);
  row[0] += p[0] * along + p[1] * across;
  row[1] += p[0] * across - p[1] * along;
}

static void bend(const double *q, double a[3][3], const double *u, const double *s, double scale,
                 double *block) {
  (void)q;
  (void)a;
  double along = 2 * scale * (u[0] * s[0] + u[1] * s[1]);
  double across = 2 * scale * (u[0] * s[1] - u[1] * s[0]);
  block[10] += along;
  block[11] += across;
  block[14] += across;
  block[15] -= along;
}

static void definite_mass(const trm_inertia *inertia, const double *q, double *M) {
  (void)q;
  M[0] = M[1] = inertia->mass;
  M[2] = M[3] = 4 * inertia->I[2];
}

static void singular_mass(const trm_inertia *inertia, const double *q, double *M) {
  const double *p = q + 2;
  double I4 = 4 * inertia->I[2];
  memset(M, 0, 16 * sizeof *M);
  M[0] = M[5] = inertia->mass;
  M[10] = I4 * p[1] * p[1];
  M[11] = M[14] = -I4 * p[0] * p[1];
  M[15] = I4 * p[0] * p[0];
}

/* Qv = ∂T/∂q − Ṁq̇ = 8I (p0ṗ1 − p1ṗ0) (ṗ1, −ṗ0) */
static void inertia_force(const trm_inertia *inertia, const double *q, const double *qdot,
                          double *Q) {
  const double *p = q + 2, *dp = qdot + 2;
  double s = 8 * inertia->I[2] * (p[0] * dp[1] - p[1] * dp[0]);
  Q[2] += s * dp[1];
  Q[3] -= s * dp[0];
}

/* M a = 4I w (w·a), w = (−p1, p0) */
static void mass_slope(const trm_inertia *inertia, const double *q, const double *acceleration,
                       double scale, double *block) {
  const double *p = q + 2, *b = acceleration + 2;
  double s = 4 * scale * inertia->I[2], wb = p[0] * b[1] - p[1] * b[0];
  block[10] -= s * p[1] * b[1];
  block[11] += s * (p[1] * b[0] - wb);
  block[14] += s * (p[0] * b[1] + wb);
  block[15] -= s * p[0] * b[0];
}

static void inertia_force_slope(const trm_inertia *inertia, const double *q, const double *qdot,
                                double scale, double *Kblock, double *Dblock) {
  const double *p = q + 2, *dp = qdot + 2;
  double s = 8 * scale * inertia->I[2], spin = p[0] * dp[1] - p[1] * dp[0];
  const double force[2] = {dp[1], -dp[0]}, by_q[2] = {dp[1], -dp[0]}, by_v[2] = {-p[1], p[0]};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      Kblock[4 * (2 + i) + 2 + j] += s * force[i] * by_q[j];
      Dblock[4 * (2 + i) + 2 + j] += s * force[i] * by_v[j];
    }
  Dblock[11] += s * spin;
  Dblock[14] -= s * spin;
}

static void normalize(const double *q, double *C, double *rows) {
  C[0] = (q[2] * q[2] + q[3] * q[3] - 1) / 2;
  rows[0] = rows[1] = 0;
  rows[2] = q[2];
  rows[3] = q[3];
}

static void normalize_bias(const double *qdot, double *Qd) {
  Qd[0] = -(qdot[2] * qdot[2] + qdot[3] * qdot[3]);
}

static void split(const double *q, double *T, double *G) {
  const double *p = q + 2;
  double scale = 1 / (p[0] * p[0] + p[1] * p[1]);
  T[0] = -p[1] / 2;
  T[1] = p[0] / 2;
  G[0] = scale * p[0];
  G[1] = scale * p[1];
}

static void normalize_bend(const double *lambda, double scale, double *block) {
  block[10] += scale * lambda[0];
  block[15] += scale * lambda[0];
}

#define SHARED                                                                                     \
  .name = "euler-parameters", .dim = 2, .nq = 4, .intrinsic = 1, .linear = false,                  \
  .from_pose = from_pose, .from_twist = from_twist, .axes = axes, .rates = rates, .bias = bias,    \
  .add = add, .normalize = normalize, .normalize_bias = normalize_bias, .split = split,            \
  .bend = bend, .normalize_bend = normalize_bend

const trm_coordinates trm_euler_planar_singular = {
    SHARED,
    .mass_singular = true,
    .mass = singular_mass,
    .inertia_force = inertia_force,
    .mass_slope = mass_slope,
    .inertia_force_slope = inertia_force_slope,
};

const trm_coordinates trm_euler_planar = {
    SHARED,
    .mass_diagonal = true,
    .mass_constant = true,
    .mass = definite_mass,
    .singular = &trm_euler_planar_singular,
};
