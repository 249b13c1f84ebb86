/* The middle one of three Euler angles, exactly differentiated: with a the direction, z = a_i and
 * h² = a_j² + a_k²,
 *
 *     β = atan2(z, h),   ∂β/∂h = −z/r,   ∂β/∂z = h/r,   r = h² + z². */
#include "coordinates/tilt.h"

typedef struct tilt {
  double a[3];
  double z, h, r;
  double g[3]; /* ∂β/∂a */
} tilt;

static tilt tilt_of(const trm_scalar *s, const trm_motion *m) {
  tilt l;
  trm_direction(m, &s->end[1], l.a);
  int i = s->axis, j = (i + 1) % 3, k = (i + 2) % 3;
  l.z = l.a[i];
  l.h = hypot(l.a[j], l.a[k]);
  l.r = l.h * l.h + l.z * l.z;
  l.g[i] = l.h / l.r;
  l.g[j] = -l.z / l.r * l.a[j] / l.h;
  l.g[k] = -l.z / l.r * l.a[k] / l.h;
  return l;
}

/* ∂²β/∂a² = β_hh ∂h ∂hᵀ + β_h ∂²h + β_hz (∂h ∂zᵀ + ∂z ∂hᵀ) + β_zz ∂z ∂zᵀ */
static void bend(const trm_scalar *s, const tilt *l, double G[3][3]) {
  int i = s->axis, j = (i + 1) % 3, k = (i + 2) % 3;
  double h = l->h, z = l->z, r2 = l->r * l->r, across[3] = {0, 0, 0}, dh[3] = {0, 0, 0};
  double up[3] = {i == 0, i == 1, i == 2};
  dh[j] = l->a[j] / h;
  dh[k] = l->a[k] / h;
  across[j] = -dh[k];
  across[k] = dh[j];
  trm_add_outer(dh, dh, 2 * h * z / r2, G);
  trm_add_outer(across, across, -z / (l->r * h), G); /* ∂²h is across acrossᵀ/h */
  trm_add_outer(dh, up, (z * z - h * h) / r2, G);
  trm_add_outer(up, dh, (z * z - h * h) / r2, G);
  trm_add_outer(up, up, -2 * h * z / r2, G);
}

double trm_tilt_value(const trm_scalar *s, const trm_motion *m) {
  tilt l = tilt_of(s, m);
  return atan2(l.z, l.h);
}

double trm_tilt_rate(const trm_scalar *s, const trm_motion *m) {
  tilt l = tilt_of(s, m);
  double da[3];
  trm_direction_rate(m, &s->end[1], da);
  return trm_dot(3, l.g, da);
}

double trm_tilt_bias(const trm_scalar *s, const trm_motion *m) {
  tilt l = tilt_of(s, m);
  double da[3], bias[3], G[3][3] = {{0}}, sum = 0;
  trm_direction_rate(m, &s->end[1], da);
  trm_direction_bias(m, &s->end[1], bias);
  bend(s, &l, G);
  for (int i = 0; i < 3; i++) sum += da[i] * trm_dot(3, G[i], da);
  return sum + trm_dot(3, l.g, bias);
}

void trm_tilt_gradient(const trm_scalar *s, const trm_motion *m, double scale, double *row1) {
  tilt l = tilt_of(s, m);
  trm_row_direction(m, &s->end[1], l.g, scale, row1);
}

void trm_tilt_curvature(const trm_scalar *s, double scale, const trm_curvature *c) {
  tilt l = tilt_of(s, c->motion);
  double G[3][3] = {{0}};
  trm_lever lever;
  bend(s, &l, G);
  trm_lever_direction(c->motion, &s->end[1], &lever);
  trm_bend(c, &s->end[1], l.g, scale);
  trm_curve(c, &lever, G, &lever, scale);
}

/* β' = g·(ω × a) */
void trm_tilt_axis(const trm_scalar *s, const trm_motion *m, double axis[3]) {
  tilt l = tilt_of(s, m);
  trm_cross(l.a, l.g, axis);
}
