/* Rotations: axes to quaternions, principal axes of a symmetric tensor. */
#ifndef TRM_MATH_ROTATION_H
#define TRM_MATH_ROTATION_H

/* (w, x, y, z) with w ≥ 0 of the rotation whose axes, in global components, are a[0], a[1], a[2].
 */
void trm_quaternion_of(double a[3][3], double p[4]);
/* As far off as the axes are off right angles: to tell signs and turns by. */
void trm_quaternion_near(double a[3][3], double p[4]);
/* Its change where the axes change by da. */
void trm_quaternion_slope(double a[3][3], double da[3][3], double dp[4]);

/* Of p and −p the one that continues `last` when the axes turn by the rotation vector `turn`, which
 * need not be small or exact. */
void trm_quaternion_follow(const double last[4], const double turn[3], double p[4]);

/* dp += p∘s/2, of an angular velocity s along the turned axes. */
static inline void trm_quaternion_spin(const double p[4], const double s[3], double dp[4]) {
  const double *e = p + 1;
  dp[0] -= (e[0] * s[0] + e[1] * s[1] + e[2] * s[2]) / 2;
  dp[1] += (p[0] * s[0] + e[1] * s[2] - e[2] * s[1]) / 2;
  dp[2] += (p[0] * s[1] + e[2] * s[0] - e[0] * s[2]) / 2;
  dp[3] += (p[0] * s[2] + e[0] * s[1] - e[1] * s[0]) / 2;
}

/* e: a unit vector across n. */
void trm_find_across(const double n[3], double e[3]);
/* x turns as `from` does on the shortest way to `to`, both of unit length and not opposite. */
void trm_turn_along(const double from[3], const double to[3], double x[3]);

/* T = [T0 T3 T4; T3 T1 T5; T4 T5 T2]: its eigenvalues, and axes[k] their right-handed unit
 * eigenvectors. A diagonal tensor keeps its axes. */
void trm_principal_axes(const double T[6], double values[3], double axes[3][3]);

#endif
