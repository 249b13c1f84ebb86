/* v·d and ω·d, d an axis of the body or of the frame that turns with its heading. */
#include "coordinates/along_axes.h"

#include <string.h>

/* d, and its slope G with the direction carried by the body. Seen from above, the x axis h of the
 * heading is along that direction: ∂h = y (y·∂a)/r, ∂y = −h (y·∂a)/r. */
static void axis_of(const trm_scalar *s, const trm_motion *m, double d[3], double G[3][3]) {
  double a[3];
  trm_direction(m, &s->along, a);
  memset(G, 0, 9 * sizeof(double));
  if (s->kind != TRM_SCALAR_HEADING_SPEED) {
    memcpy(d, a, sizeof a);
    trm_add_unit(1, G);
    return;
  }
  double r = hypot(a[0], a[1]), h[3] = {a[0] / r, a[1] / r, 0}, y[3] = {-h[1], h[0], 0};
  memcpy(d, s->axis == 0 ? h : y, sizeof h);
  trm_add_outer(s->axis == 0 ? y : h, y, (s->axis == 0 ? 1 : -1) / r, G);
}

static bool is_spin(const trm_scalar *s) {
  return s->kind == TRM_SCALAR_BODY_SPIN;
}

static void velocity_of(const trm_scalar *s, const trm_motion *m, double v[3]) {
  v[2] = 0;
  if (is_spin(s))
    trm_spin(m, s->end[1].body, v);
  else
    trm_velocity(m, &s->end[1], v);
}

double trm_along_axes_rate(const trm_scalar *s, const trm_motion *m) {
  double d[3], v[3], G[3][3];
  axis_of(s, m, d, G);
  velocity_of(s, m, v);
  return trm_dot(m->dim, d, v);
}

double trm_along_axes_bias(const trm_scalar *s, const trm_motion *m) {
  double d[3], v[3], da[3], b[3], G[3][3], sum;
  axis_of(s, m, d, G);
  velocity_of(s, m, v);
  trm_direction_rate(m, &s->along, da);
  if (is_spin(s))
    trm_spin_bias(m, s->end[1].body, b);
  else
    trm_direction_bias(m, &s->end[1], b);
  sum = trm_dot(m->dim, d, b);
  for (int i = 0; i < m->dim; i++) sum += v[i] * trm_dot(m->dim, G[i], da);
  return sum;
}

void trm_along_axes_gradient(const trm_scalar *s, const trm_motion *m, double scale, double *row1) {
  double d[3], G[3][3];
  axis_of(s, m, d, G);
  if (!is_spin(s)) {
    trm_row_point(m, &s->end[1], d, scale, row1);
    return;
  }
  for (int i = 0; i < 3; i++) d[i] *= scale;
  trm_row_spin(m, s->end[1].body, d, row1);
}

void trm_along_axes_curvature(const trm_scalar *s, double scale, const trm_curvature *c) {
  const trm_motion *m = c->motion;
  trm_lever left, axis;
  double d[3], G[3][3];
  axis_of(s, m, d, G);
  trm_lever_direction(m, &s->along, &axis);
  if (is_spin(s)) {
    trm_bend_spin(c, s->end[1].body, d, scale);
    trm_lever_spin(m, s->end[1].body, &left);
  } else {
    trm_bend(c, &s->end[1], d, scale);
    trm_lever_point(m, &s->end[1], &left);
  }
  trm_curve(c, &left, G, &axis, scale);
}

void trm_along_axes_wrench(const trm_scalar *s, const trm_motion *m, double force[3],
                           double torque[3]) {
  double G[3][3];
  axis_of(s, m, is_spin(s) ? torque : force, G);
}
