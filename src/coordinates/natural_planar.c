/* Natural absolute coordinates in the plane (NACF): q = (x, y, α1, α2, β1, β2), the axes
 * themselves. 000 sec. 2–4. */
#include "coordinates/coordinates.h"
#include "math/axes.h"

static void from_pose(const trm_frame *frame, double angle, double *q) {
  (void)angle;
  for (int i = 0; i < 2; i++) {
    q[i] = frame->x[i];
    q[2 + i] = frame->a[0][i];
    q[4 + i] = frame->a[1][i];
  }
}

static void from_twist(const double *q, const double v[3], const double omega[3], double *qdot) {
  qdot[0] = v[0];
  qdot[1] = v[1];
  for (int k = 2; k < 6; k += 2) {
    qdot[k] = -omega[2] * q[k + 1];
    qdot[k + 1] = omega[2] * q[k];
  }
}

static void axes(const double *q, double a[3][3]) {
  a[0][0] = q[2];
  a[0][1] = q[3];
  a[1][0] = q[4];
  a[1][1] = q[5];
}

/* N(u) = [u1 I  u2 I], eq. 13 */
static void add(const double *q, double a[3][3], const double *u, const double *s, double scale,
                double *row) {
  (void)q;
  (void)a;
  double u0 = scale * u[0], u1 = scale * u[1];
  row[0] += u0 * s[0];
  row[1] += u0 * s[1];
  row[2] += u1 * s[0];
  row[3] += u1 * s[1];
}

/* eq. 57; only Izz = Jx + Jy acts on a rigid motion, so the split is ours: half and half conditions
 * best */
static void mass(const trm_inertia *inertia, const double *q, double *M) {
  (void)q;
  M[0] = M[1] = inertia->mass;
  M[2] = M[3] = M[4] = M[5] = inertia->I[2] / 2;
}

/* eq. 9, halved where squared so that each residual is a length error of its unit vector */
static void normalize(const double *q, double *C, double *rows) {
  const double *alpha = q + 2, *beta = q + 4;
  C[0] = (alpha[0] * alpha[0] + alpha[1] * alpha[1] - 1) / 2;
  C[1] = (beta[0] * beta[0] + beta[1] * beta[1] - 1) / 2;
  C[2] = alpha[0] * beta[0] + alpha[1] * beta[1];
  double *r0 = rows, *r1 = rows + 6, *r2 = rows + 12;
  r0[2] = r2[4] = alpha[0];
  r0[3] = r2[5] = alpha[1];
  r1[4] = r2[2] = beta[0];
  r1[5] = r2[3] = beta[1];
}

/* eq. 25 */
static void normalize_bias(const double *qdot, double *Qd) {
  trm_axes_bias(2, qdot + 2, Qd);
}

static void split(const double *q, double *T, double *G) {
  trm_axes_split(2, q + 2, T, G);
}

static void normalize_bend(const double *lambda, double scale, double *block) {
  for (int i = 0; i < 2; i++) {
    int alpha = 2 + i, beta = 4 + i;
    block[7 * alpha] += scale * lambda[0];
    block[7 * beta] += scale * lambda[1];
    block[6 * alpha + beta] += scale * lambda[2];
    block[6 * beta + alpha] += scale * lambda[2];
  }
}

const trm_coordinates trm_natural_planar = {
    .name = "natural",
    .dim = 2,
    .nq = 6,
    .intrinsic = 3,
    .linear = true,
    .natural = true,
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
