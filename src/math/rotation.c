/* Quaternions and principal axes. */
#include "math/rotation.h"

#include <math.h>
#include <string.h>

#include "math/extremes.h"
#include "math/lapack.h"
#include "math/vector.h"

/* P = 4 p pᵀ, linear in a beside the constant `one` */
static void products(double a[3][3], double one, double P[4][4]) {
  double trace = a[0][0] + a[1][1] + a[2][2];
  double x = a[1][2] - a[2][1], y = a[2][0] - a[0][2], z = a[0][1] - a[1][0];
  double xy = a[1][0] + a[0][1], xz = a[2][0] + a[0][2], yz = a[2][1] + a[1][2];
  double xx = one + 2 * a[0][0] - trace, yy = one + 2 * a[1][1] - trace;
  double zz = one + 2 * a[2][2] - trace;
  const double all[4][4] = {
      {one + trace, x, y, z}, {x, xx, xy, xz}, {y, xy, yy, yz}, {z, xz, yz, zz}};
  memcpy(P, all, sizeof all);
}

/* By the row of the largest of w², x², …: no division by a small number. */
static void first_guess(double P[4][4], double p[4]) {
  int big = 0;
  for (int i = 1; i < 4; i++)
    if (P[i][i] > P[big][big]) big = i;
  const double *row = P[big];
  double scale = (row[0] < 0 ? -1 : 1) / sqrt(trm_dot4(row, row));
  for (int i = 0; i < 4; i++) p[i] = scale * row[i];
}

static void apply(double P[4][4], const double p[4], double out[4]) {
  for (int i = 0; i < 4; i++) out[i] = trm_dot4(P[i], p);
}

/* p = x of length one; how far that is from what p was */
static double take_direction(const double x[4], double p[4]) {
  double scale = 1 / sqrt(trm_dot4(x, x)), change = 0;
  for (int i = 0; i < 4; i++) {
    double next = scale * x[i];
    change = trm_larger(change, fabs(next - p[i]));
    p[i] = next;
  }
  return change;
}

#define MAX_PASSES 20
#define SAME       1e-15

/* Of axes that are not quite at right angles, as in the stages of a step, each row of P gives
 * another p. Its vector of the largest eigenvalue, 4, is that of the nearest rotation, whichever
 * row it is sought from; the other eigenvalues are as small as the axes are off. */
static void dominant(double P[4][4], double p[4]) {
  double next[4], change = 1;
  first_guess(P, p);
  for (int pass = 0; pass < MAX_PASSES && change > SAME; pass++) {
    apply(P, p, next);
    change = take_direction(next, p);
  }
  for (int i = 3; i >= 0 && p[0] < 0; i--) p[i] = -p[i];
}

void trm_quaternion_of(double a[3][3], double p[4]) {
  double P[4][4];
  products(a, 1, P);
  dominant(P, p);
}

void trm_quaternion_near(double a[3][3], double p[4]) {
  double P[4][4];
  products(a, 1, P);
  first_guess(P, p);
}

/* dp = (1 − p pᵀ) (dP p + P dp) / μ, with μ the largest eigenvalue; P dp is as small as the axes
 * are off. */
void trm_quaternion_slope(double a[3][3], double da[3][3], double dp[4]) {
  double P[4][4], dP[4][4], p[4], Pp[4], dPp[4], rest[4];
  products(a, 1, P);
  products(da, 0, dP);
  dominant(P, p);
  apply(P, p, Pp);
  apply(dP, p, dPp);
  double largest_value = trm_dot4(p, Pp);
  memset(dp, 0, 4 * sizeof *dp);
  for (int pass = 0; pass < MAX_PASSES; pass++) {
    apply(P, dp, rest);
    for (int i = 0; i < 4; i++) dp[i] = (rest[i] + dPp[i]) / largest_value;
    double along = trm_dot4(p, dp);
    for (int i = 0; i < 4; i++) dp[i] -= along * p[i];
  }
}

void trm_quaternion_follow(const double last[4], const double turn[3], double p[4]) {
  double angle = trm_norm(3, turn), expected[4] = {last[0], last[1], last[2], last[3]};
  if (angle > 1.5) { /* radians: below, `last` itself is near enough */
    double c = cos(angle / 2), s = sin(angle / 2) / angle, v[3];
    trm_cross(turn, last + 1, v);
    expected[0] = c * last[0] - s * trm_dot(3, turn, last + 1);
    for (int i = 0; i < 3; i++) expected[1 + i] = c * last[1 + i] + s * (turn[i] * last[0] + v[i]);
  }
  if (trm_dot4(expected, p) < 0)
    for (int i = 0; i < 4; i++) p[i] = -p[i];
}

void trm_find_across(const double n[3], double e[3]) {
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(n[k]) < fabs(n[least])) least = k;
  double unit[3] = {least == 0, least == 1, least == 2};
  trm_cross(n, unit, e);
  double length = trm_norm(3, e);
  for (int k = 0; k < 3; k++) e[k] /= length;
}

/* Rodrigues; from × to is the sine times the axis of the turn. */
void trm_turn_along(const double from[3], const double to[3], double x[3]) {
  double across[3], once[3], twice[3], cosine = trm_dot(3, from, to);
  trm_cross(from, to, across);
  trm_cross(across, x, once);
  trm_cross(across, once, twice);
  for (int i = 0; i < 3; i++) x[i] += once[i] + twice[i] / (1 + cosine);
}

void trm_principal_axes(const double T[6], double values[3], double axes[3][3]) {
  memset(axes, 0, 9 * sizeof(double));
  for (int k = 0; k < 3; k++) {
    axes[k][k] = 1;
    values[k] = T[k];
  }
  if (T[3] == 0 && T[4] == 0 && T[5] == 0) return;
  double A[9] = {T[0], T[3], T[4], T[3], T[1], T[5], T[4], T[5], T[2]}, work[32];
  int n = 3, size = 32, info;
  dsyev_("V", "U", &n, A, &n, values, work, &size, &info, 1, 1);
  memcpy(axes, A, 6 * sizeof(double));
  trm_cross(axes[0], axes[1], axes[2]);
}
