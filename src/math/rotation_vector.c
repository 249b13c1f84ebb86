/* Rotation vectors from axes, their rates, and the slopes of both. */
#include "math/rotation_vector.h"

#include "math/rotation.h"
#include "math/vector.h"

/* φ = scale p: 2 atan2(s, p0)/s, s = |p| */
static double stretch(const double p[4], double s) {
  return s > 0 ? 2 * atan2(s, p[0]) / s : 2 / p[0];
}

void trm_rotation_vector_of(const double p[4], double phi[3]) {
  double scale = stretch(p, trm_norm(3, p + 1));
  for (int i = 0; i < 3; i++) phi[i] = scale * p[1 + i];
}

void trm_rotation_vector_slope(const double p[4], double a[3][3], double da[3][3], double dphi[3]) {
  double shortest[4], dp[4];
  trm_quaternion_of(a, shortest);
  trm_quaternion_slope(a, da, dp);
  double sign = p[0] * shortest[0] + trm_dot(3, p + 1, shortest + 1) < 0 ? -1 : 1;
  double s = trm_norm(3, p + 1), scale = stretch(p, s), dscale = 0;
  for (int i = 0; i < 4; i++) dp[i] *= sign;
  if (s > 0) {
    double ds = trm_dot(3, p + 1, dp + 1) / s;
    dscale = (2 * (p[0] * ds - s * dp[0]) / (s * s + p[0] * p[0]) - scale * ds) / s;
  }
  for (int i = 0; i < 3; i++) dphi[i] = scale * dp[1 + i] + dscale * p[1 + i];
}

/* Below this θ² the closed form would cancel. */
static const double small = 1e-2;

/* c = (1 − θ/2 cot θ/2)/θ² */
static double coefficient(double theta2) {
  if (theta2 < small)
    return 1.0 / 12 + theta2 * (1.0 / 720 + theta2 * (1.0 / 30240 + theta2 / 1209600));
  double half = sqrt(theta2) / 2;
  return (1 - half * cos(half) / sin(half)) / theta2;
}

/* ∂c/∂θ² */
static double coefficient_slope(double theta2) {
  if (theta2 < small)
    return 1.0 / 720 + theta2 * (1.0 / 15120 + theta2 * (1.0 / 403200 + theta2 / 11975040));
  double half = sqrt(theta2) / 2, sine = sin(half);
  return ((1 / (sine * sine) - cos(half) / (half * sine)) / 8 - coefficient(theta2)) / theta2;
}

void trm_unroll(const double phi[3], double side, const double x[3], double y[3]) {
  double once[3], twice[3], c = coefficient(trm_dot(3, phi, phi));
  trm_cross(phi, x, once);
  trm_cross(phi, once, twice);
  for (int i = 0; i < 3; i++) y[i] = x[i] + side / 2 * once[i] + c * twice[i];
}

void trm_unroll_slope(const double phi[3], double side, const double x[3], const double dphi[3],
                      double dy[3]) {
  double once[3], twice[3], turned[3], first[3], second[3], theta2 = trm_dot(3, phi, phi);
  double c = coefficient(theta2), dc = 2 * trm_dot(3, phi, dphi) * coefficient_slope(theta2);
  trm_cross(phi, x, once);
  trm_cross(phi, once, twice);
  trm_cross(dphi, x, turned);
  trm_cross(dphi, once, first);
  trm_cross(phi, turned, second);
  for (int i = 0; i < 3; i++)
    dy[i] = side / 2 * turned[i] + c * (first[i] + second[i]) + dc * twice[i];
}
