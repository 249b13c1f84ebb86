/* Natural absolute coordinates in space (NACF): q = (x, a0, a1, a2), the axes themselves. 001 eq.
 * 13–21. */
#include <string.h>

#include "coordinates/coordinates.h"
#include "math/axes.h"

static void from_pose(const trm_frame *frame, double angle, double *q) {
  (void)angle;
  memcpy(q, frame->x, 3 * sizeof *q);
  memcpy(q + 3, frame->a, 9 * sizeof *q);
}

static void from_twist(const double *q, const double v[3], const double omega[3], double *qdot) {
  memcpy(qdot, v, 3 * sizeof *qdot);
  for (int k = 3; k < 12; k += 3) trm_cross(omega, q + k, qdot + k);
}

void trm_second_moments(const double I[3], double J[3]) {
  static const double negligible = 1e-12; /* of the largest: the difference is round-off */
  double half = (I[0] + I[1] + I[2]) / 2;
  for (int k = 0; k < 3; k++) J[k] = half - I[k] > negligible * half ? half - I[k] : 0;
}

static void axes(const double *q, double a[3][3]) {
  memcpy(a, q + 3, 9 * sizeof *q);
}

/* N(u) = [u1 I  u2 I  u3 I] */
static void add(const double *q, double a[3][3], const double *u, const double *s, double scale,
                double *row) {
  (void)q;
  (void)a;
  for (int k = 0; k < 3; k++) {
    double uk = scale * u[k];
    row[3 * k] += uk * s[0];
    row[3 * k + 1] += uk * s[1];
    row[3 * k + 2] += uk * s[2];
  }
}

static void mass(const trm_inertia *inertia, const double *q, double *M) {
  double J[3];
  (void)q;
  trm_second_moments(inertia->I, J);
  for (int i = 0; i < 3; i++) M[i] = inertia->mass;
  for (int k = 0; k < 9; k++) M[3 + k] = J[k / 3];
}

/* The pairs of axes whose dot products are prescribed. */
static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

static void normalize(const double *q, double *C, double *rows) {
#pragma GCC unroll 6
  for (int i = 0; i < 6; i++) {
    int k = pairs[i][0], l = pairs[i][1];
    const double *a = q + 3 + 3 * k, *b = q + 3 + 3 * l;
    double *row = rows + 12 * i, dot = trm_dot(3, a, b);
    C[i] = k == l ? (dot - 1) / 2 : dot;
    memcpy(row + 3 + 3 * k, b, 3 * sizeof *row);
    memcpy(row + 3 + 3 * l, a, 3 * sizeof *row);
  }
}

static void normalize_bias(const double *qdot, double *Qd) {
  trm_axes_bias(3, qdot + 3, Qd);
}

static void split(const double *q, double *T, double *G) {
  trm_axes_split(3, q + 3, T, G);
}

static void normalize_bend(const double *lambda, double scale, double *block) {
  for (int r = 0; r < 6; r++)
    for (int i = 0; i < 3; i++) {
      int k = 3 + 3 * pairs[r][0] + i, l = 3 + 3 * pairs[r][1] + i;
      block[12 * k + l] += scale * lambda[r];
      if (k != l) block[12 * l + k] += scale * lambda[r];
    }
}

#define SHARED                                                                                     \
  .name = "natural", .dim = 3, .nq = 12, .intrinsic = 6, .linear = true, .natural = true,          \
  .from_pose = from_pose, .from_twist = from_twist, .axes = axes, .add = add,                      \
  .normalize = normalize, .normalize_bias = normalize_bias, .split = split,                        \
  .normalize_bend = normalize_bend, .mass = mass, .mass_diagonal = true, .mass_constant = true

const trm_coordinates trm_natural_spatial_flat = {SHARED, .mass_singular = true};

const trm_coordinates trm_natural_spatial = {SHARED, .flat = &trm_natural_spatial_flat};
