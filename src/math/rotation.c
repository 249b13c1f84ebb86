/* Quaternions and principal axes. */
#include "math/rotation.h"

#include <math.h>
#include <string.h>

#include "math/lapack.h"
#include "math/vector.h"

/* 4 p[big] p, linear in a beside the constant `one` */
static void products(double a[3][3], double one, int big, double out[4]) {
  double trace = a[0][0] + a[1][1] + a[2][2];
  double own = big ? one + 2 * a[big - 1][big - 1] - trace : one + trace;
  double x = a[1][2] - a[2][1], y = a[2][0] - a[0][2], z = a[0][1] - a[1][0];
  double xy = a[1][0] + a[0][1], xz = a[2][0] + a[0][2], yz = a[2][1] + a[1][2];
  const double all[4][4] = {{own, x, y, z}, {x, own, xy, xz}, {y, xy, own, yz}, {z, xz, yz, own}};
  memcpy(out, all[big], sizeof all[big]);
}

/* The largest of w², x², … is found first: no division by a small number. */
static int largest(double a[3][3]) {
  double trace = a[0][0] + a[1][1] + a[2][2], square[4] = {(1 + trace) / 4};
  for (int i = 0; i < 3; i++) square[i + 1] = (1 + 2 * a[i][i] - trace) / 4;
  int big = 0;
  for (int i = 1; i < 4; i++)
    if (square[i] > square[big]) big = i;
  return big;
}

static double dot4(const double a[4], const double b[4]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* out = P p with P = 4 p pᵀ of a, linear in a beside `one` */
static void apply(double a[3][3], double one, const double p[4], double out[4]) {
  double row[4];
  for (int i = 0; i < 4; i++) {
    products(a, one, i, row);
    out[i] = dot4(row, p);
  }
}

#define MAX_PASSES 20
#define SAME       1e-15

/* Of axes that are not quite at right angles, as in the stages of a step, each row of P gives
 * another p. Its vector of the largest eigenvalue, 4, is that of the nearest rotation, whichever
 * row it is sought from; the other eigenvalues are as small as the axes are off. */
void trm_quaternion_of(double a[3][3], double p[4]) {
  double next[4], change = 1;
  products(a, 1, largest(a), p);
  for (int pass = 0; pass < MAX_PASSES && change > SAME; pass++) {
    apply(a, 1, p, next);
    double size = sqrt(dot4(next, next));
    change = 0;
    for (int i = 0; i < 4; i++) {
      change = fmax(change, fabs(next[i] / size - p[i]));
      p[i] = next[i] / size;
    }
  }
  for (int i = 3; i >= 0 && p[0] < 0; i--) p[i] = -p[i];
}

/* dp = (1 − p pᵀ) (dP p + P dp) / μ, with μ the largest eigenvalue; P dp is as small as the axes
 * are off. */
void trm_quaternion_slope(double a[3][3], double da[3][3], double dp[4]) {
  double p[4], Pp[4], dPp[4], rest[4];
  trm_quaternion_of(a, p);
  apply(a, 1, p, Pp);
  apply(da, 0, p, dPp);
  double largest_value = dot4(p, Pp);
  memset(dp, 0, 4 * sizeof *dp);
  for (int pass = 0; pass < MAX_PASSES; pass++) {
    apply(a, 1, dp, rest);
    for (int i = 0; i < 4; i++) dp[i] = (rest[i] + dPp[i]) / largest_value;
    double along = dot4(p, dp);
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
  if (dot4(expected, p) < 0)
    for (int i = 0; i < 4; i++) p[i] = -p[i];
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
