/* Coordinates of joints in space: a body has none of its own, it has a twist (v, ω) in global axes,
 * and what would be its generalized forces are force and torque at its centre of mass. Frames come
 * from the tree of the joints (system/tree.h). */
#include "coordinates/coordinates.h"
#include "math/vector.h"

static void rates(const double *q, double a[3][3], const double *twist, double da[3][3]) {
  (void)q;
  for (int k = 0; k < 3; k++) trm_cross(twist + 3, a[k], da[k]);
}

static void bias(const double *q, double a[3][3], const double *twist, double dda[3][3]) {
  (void)q;
  for (int k = 0; k < 3; k++) {
    double turned[3];
    trm_cross(twist + 3, a[k], turned);
    trm_cross(twist + 3, turned, dda[k]);
  }
}

/* N(u)ᵀ s: the torque of a force s at the end of the arm */
static void add(const double *q, double a[3][3], const double *u, const double *s, double scale,
                double *row) {
  double arm[3], torque[3];
  (void)q;
  for (int i = 0; i < 3; i++) arm[i] = u[0] * a[0][i] + u[1] * a[1][i] + u[2] * a[2][i];
  trm_cross(arm, s, torque);
  for (int i = 0; i < 3; i++) row[i] += scale * torque[i];
}

/* The arm c turns with the body: (δφ × c) × s = c (s·δφ) − (c·s) δφ */
static void bend(const double *q, double a[3][3], const double *u, const double *s, double scale,
                 double *block) {
  double arm[3], along;
  (void)q;
  for (int i = 0; i < 3; i++) arm[i] = u[0] * a[0][i] + u[1] * a[1][i] + u[2] * a[2][i];
  along = trm_dot(3, arm, s);
  for (int i = 0; i < 3; i++) {
    double *row = block + 6 * (3 + i) + 3;
    trm_axpy(3, scale * arm[i], s, row);
    row[i] -= scale * along;
  }
}

const trm_coordinates trm_relative_spatial = {
    .name = "relative",
    .dim = 3,
    .nq = 6,
    .joints = true,
    .rates = rates,
    .bias = bias,
    .add = add,
    .bend = bend,
};
