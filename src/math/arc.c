/* The projection p(s) = c + a cos s + b sin s of a circle: how often it crosses a cut far from both
 * its ends tells how far it went round the origin. */
#include "math/arc.h"

#include <math.h>

#include "math/vector.h"

#define TWO_PI 6.283185307179586476925286766559

typedef struct arc {
  double c[2], a[2], b[2];
} arc;

static double angle_at(const arc *p, double s) {
  double at[2];
  for (int k = 0; k < 2; k++) at[k] = p->c[k] + p->a[k] * cos(s) + p->b[k] * sin(s);
  return atan2(at[1], at[0]);
}

/* In [0, 2π) from the cut. */
static double angle_from(double angle, double cut) {
  double rest = fmod(angle - cut, TWO_PI);
  return rest < 0 ? rest + TWO_PI : rest;
}

/* How often s0 + 2πk lies between 0 and s. */
static double passes(double s0, double s) {
  return floor((s - s0) / TWO_PI) - floor(-s0 / TWO_PI);
}

/* Signed crossings of the half line in direction `cut`: there g·p > 0 and g × p = 0. */
static double crossings(const arc *p, double cut, double s) {
  double g[2] = {cos(cut), sin(cut)}, sum = 0;
  double c = trm_cross_z(g, p->c), a = trm_cross_z(g, p->a), b = trm_cross_z(g, p->b);
  double r = hypot(a, b);
  if (!(fabs(c) < r)) return 0;
  double middle = atan2(b, a), half = acos(-c / r);
  for (int rising = 0; rising < 2; rising++) {
    double root = rising ? middle - half : middle + half;
    double along =
        trm_dot(2, g, p->c) + trm_dot(2, g, p->a) * cos(root) + trm_dot(2, g, p->b) * sin(root);
    if (along > 0) sum += (rising ? 1 : -1) * passes(root, s);
  }
  return sum;
}

double trm_arc_angle(const double u[3], const double phi[3], int x, int y) {
  double s = trm_norm(3, phi), n[3], across[3];
  if (s == 0) return 0;
  for (int k = 0; k < 3; k++) n[k] = phi[k] / s;
  double along = trm_dot(3, n, u);
  trm_cross(n, u, across);
  const arc p = {{n[x] * along, n[y] * along},
                 {u[x] - n[x] * along, u[y] - n[y] * along},
                 {across[x], across[y]}};
  double start = angle_at(&p, 0), end = angle_at(&p, s);
  /* a third of a turn from the start, and farther than a sixth from the end */
  double cut = start + (angle_from(end, start) < TWO_PI / 2 ? -TWO_PI / 3 : TWO_PI / 3);
  return angle_from(end, cut) - angle_from(start, cut) + TWO_PI * crossings(&p, cut, s);
}
