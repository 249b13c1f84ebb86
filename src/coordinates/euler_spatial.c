/* Reference point and Euler parameters in space (RPCF-EP): q = (x, p0, e), 001 eq. 1–10.
 *
 * A(p) = (p0² − e²) 1 + 2 e eᵀ + 2 p0 ẽ is a quadratic form in p: with its symmetric bilinear form
 * B, axes are B(p, p), their rates 2 B(p, ṗ), their bias 2 B(ṗ, ṗ). */
#include <string.h>

#include "coordinates/coordinates.h"
#include "math/double2.h"
#include "math/rotation.h"
#include "math/vector.h"

/* scale B(p, r) */
static void bilinear(const double *p, const double *r, double scale, double a[3][3]) {
  const double *e = p + 1, *f = r + 1;
  double diagonal = p[0] * r[0] - trm_dot(3, e, f);
  double w[3]; /* p0 f + r0 e: its cross product with each unit vector */
  for (int i = 0; i < 3; i++) w[i] = p[0] * f[i] + r[0] * e[i];
  for (int k = 0; k < 3; k++) {
    double unit[3] = {k == 0, k == 1, k == 2}, cross[3];
    trm_cross(w, unit, cross);
    for (int i = 0; i < 3; i++)
      a[k][i] = scale * (diagonal * unit[i] + e[k] * f[i] + f[k] * e[i] + cross[i]);
  }
}

static void from_pose(const trm_frame *frame, double angle, double *q) {
  double a[3][3];
  (void)angle;
  memcpy(a, frame->a, sizeof a);
  memcpy(q, frame->x, 3 * sizeof *q);
  trm_quaternion_of(a, q + 3);
}

/* ṗ = ½ ω ∘ p, ω in global axes */
static void from_twist(const double *q, const double v[3], const double omega[3], double *qdot) {
  const double *p = q + 3, *e = q + 4;
  double cross[3];
  memcpy(qdot, v, 3 * sizeof *qdot);
  trm_cross(omega, e, cross);
  qdot[3] = -trm_dot(3, omega, e) / 2;
  for (int i = 0; i < 3; i++) qdot[4 + i] = (p[0] * omega[i] + cross[i]) / 2;
}

static void axes(const double *q, double a[3][3]) {
  bilinear(q + 3, q + 3, 1, a);
}

static void rates(const double *q, double a[3][3], const double *qdot, double da[3][3]) {
  (void)a;
  bilinear(q + 3, qdot + 3, 2, da);
}

static void bias(const double *q, double a[3][3], const double *qdot, double dda[3][3]) {
  (void)q;
  (void)a;
  bilinear(qdot + 3, qdot + 3, 2, dda);
}

/* ∂(s·Au)/∂p, s·Au = (p0² − e²)(s·u) + 2 (s·e)(u·e) + 2 p0 s·(e×u) */
static void add(const double *q, double a[3][3], const double *u, const double *s, double scale,
                double *row) {
  const double *p = q + 3, *e = q + 4;
  double su = trm_dot(3, s, u), se = trm_dot(3, s, e), ue = trm_dot(3, u, e), us[3];
  (void)a;
  trm_cross(u, s, us);
  row[0] += 2 * scale * (p[0] * su + trm_dot(3, e, us));
  for (int i = 0; i < 3; i++)
    row[1 + i] += 2 * scale * (se * u[i] + ue * s[i] - su * e[i] + p[0] * us[i]);
}

static void bend(const double *q, double a[3][3], const double *u, const double *s, double scale,
                 double *block) {
  double *rotation = block + 7 * 3 + 3, su = trm_dot(3, s, u), us[3];
  (void)q;
  (void)a;
  trm_cross(u, s, us);
  rotation[0] += 2 * scale * su;
  for (int i = 0; i < 3; i++) {
    rotation[1 + i] += 2 * scale * us[i];
    rotation[7 * (1 + i)] += 2 * scale * us[i];
    for (int j = 0; j < 3; j++)
      rotation[7 * (1 + i) + 1 + j] += 2 * scale * (u[i] * s[j] + s[i] * u[j] - (i == j) * su);
  }
}

/* Gᵀy, G(p) = [−e  p0 1 − ẽ]: ω in body axes is 2 G ṗ */
static void transposed(const double *p, const double *y, double out[4]) {
  double cross[3];
  trm_cross(p + 1, y, cross);
  out[0] = -trm_dot(3, p + 1, y);
  for (int i = 0; i < 3; i++) out[1 + i] = p[0] * y[i] + cross[i];
}

/* 4 GᵀIG: rank three of four */
static void mass(const trm_inertia *inertia, const double *q, double *M) {
  memset(M, 0, 49 * sizeof *M);
  for (int i = 0; i < 3; i++) M[8 * i] = inertia->mass;
  for (int k = 0; k < 3; k++) {
    double unit[3] = {k == 0, k == 1, k == 2}, row[4];
    transposed(q + 3, unit, row);
    for (int i = 0; i < 4; i++)
      trm_pair_axpy(4, 4 * inertia->I[k] * row[i], row, M + 7 * (3 + i) + 3);
  }
}

/* block += scale ∂(G(p)ᵀy)/∂p, y held */
static void add_transposed_slope(const double *y, double scale, double *block) {
  double *rotation = block + 7 * 3 + 3;
  for (int j = 0; j < 4; j++) {
    double unit[4] = {j == 0, j == 1, j == 2, j == 3}, column[4];
    transposed(unit, y, column);
    for (int i = 0; i < 4; i++) rotation[7 * i + j] += scale * column[i];
  }
}

/* block += scale G(p)ᵀ I G(r) */
static void add_product(const trm_inertia *inertia, const double *p, const double *r, double scale,
                        double *block) {
  double *rotation = block + 7 * 3 + 3;
  for (int k = 0; k < 3; k++) {
    double unit[3] = {k == 0, k == 1, k == 2}, left[4], right[4];
    transposed(p, unit, left);
    transposed(r, unit, right);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) rotation[7 * i + j] += scale * inertia->I[k] * left[i] * right[j];
  }
}

/* I G(p) r */
static void momentum(const trm_inertia *inertia, const double *p, const double *r, double y[3]) {
  double cross[3];
  trm_cross(p + 1, r + 1, cross);
  for (int i = 0; i < 3; i++) y[i] = inertia->I[i] * (p[0] * r[1 + i] - p[1 + i] * r[0] - cross[i]);
}

/* M a = 4 GᵀI G a with G(p) a = −G(a) p */
static void mass_slope(const trm_inertia *inertia, const double *q, const double *acceleration,
                       double scale, double *block) {
  double y[3];
  momentum(inertia, q + 3, acceleration + 3, y);
  add_transposed_slope(y, 4 * scale, block);
  add_product(inertia, q + 3, acceleration + 3, -4 * scale, block);
}

/* Qv = ∂T/∂p − Ṁṗ = −4 G(ṗ)ᵀ I ω */
static void inertia_force(const trm_inertia *inertia, const double *q, const double *qdot,
                          double *Q) {
  double y[3], force[4];
  momentum(inertia, q + 3, qdot + 3, y);
  transposed(qdot + 3, y, force);
  for (int i = 0; i < 4; i++) Q[3 + i] -= 8 * force[i];
}

static void inertia_force_slope(const trm_inertia *inertia, const double *q, const double *qdot,
                                double scale, double *Kblock, double *Dblock) {
  double y[3];
  momentum(inertia, q + 3, qdot + 3, y);
  add_product(inertia, qdot + 3, qdot + 3, 8 * scale, Kblock);
  add_transposed_slope(y, -8 * scale, Dblock);
  add_product(inertia, qdot + 3, q + 3, -8 * scale, Dblock);
}

static void normalize(const double *q, double *C, double *rows) {
  const double *p = q + 3;
  C[0] = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3] - 1) / 2;
  memcpy(rows + 3, p, 4 * sizeof *rows);
}

static void normalize_bias(const double *qdot, double *Qd) {
  const double *dp = qdot + 3;
  Qd[0] = -(dp[0] * dp[0] + dp[1] * dp[1] + dp[2] * dp[2] + dp[3] * dp[3]);
}

/* ṗ = ½ Gᵀω in body axes */
static void split(const double *q, double *T, double *G) {
  const double *p = q + 3;
  double scale = 1 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  for (int k = 0; k < 3; k++) {
    double half[3] = {0.5 * (k == 0), 0.5 * (k == 1), 0.5 * (k == 2)};
    transposed(p, half, T + 4 * k);
  }
  for (int i = 0; i < 4; i++) G[i] = scale * p[i];
}

static void normalize_bend(const double *lambda, double scale, double *block) {
  for (int i = 3; i < 7; i++) block[8 * i] += scale * lambda[0];
}

const trm_coordinates trm_euler_spatial = {
    .name = "euler-parameters",
    .dim = 3,
    .nq = 7,
    .intrinsic = 1,
    .mass_singular = true,
    .from_pose = from_pose,
    .from_twist = from_twist,
    .axes = axes,
    .rates = rates,
    .bias = bias,
    .add = add,
    .mass = mass,
    .inertia_force = inertia_force,
    .normalize = normalize,
    .normalize_bias = normalize_bias,
    .split = split,
    .bend = bend,
    .mass_slope = mass_slope,
    .inertia_force_slope = inertia_force_slope,
    .normalize_bend = normalize_bend,
};
