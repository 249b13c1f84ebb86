/* The angle of one body relative to another about an axis, exactly differentiated.
 *
 * Two directions of each body, d and e = n × d, coincide as written. Of the relative rotation the
 * part about n, the twist of the swing-twist decomposition, has
 *
 *     θ = atan2(y, x),   x = d0·d1 + e0·e1,   y = e0·d1 − d0·e1,
 *
 * whichever d is chosen: 2 wz and w² − z² of the relative quaternion, twice. Where a joint keeps
 * the bodies coaxial, and in the plane, it is the angle between the two d. Where one side has no e
 * it is the direction in which d points, seen by the other: an Euler angle (system/euler.c). */
#include "coordinates/angle.h"

#include <string.h>

/* ---- in the plane: the difference of two headings, each with the gradient d⊥/d² ---- */

static void heading_gradient(const trm_marker *p, const trm_motion *m, double scale, double *row) {
  double d[3], across[3] = {0, 0, 0};
  trm_direction(m, p, d);
  across[0] = -d[1];
  across[1] = d[0];
  trm_row_direction(m, p, across, scale / trm_dot(2, d, d), row);
}

static double heading_rate(const trm_marker *p, const trm_motion *m) {
  double d[3], dd[3];
  trm_direction(m, p, d);
  trm_direction_rate(m, p, dd);
  return trm_cross_z(d, dd) / trm_dot(2, d, d);
}

static double heading_bias(const trm_marker *p, const trm_motion *m) {
  double d[3], dd[3], bd[3];
  trm_direction(m, p, d);
  trm_direction_rate(m, p, dd);
  trm_direction_bias(m, p, bd);
  double d2 = trm_dot(2, d, d);
  return (trm_cross_z(d, bd) - 2 * trm_cross_z(d, dd) * trm_dot(2, d, dd) / d2) / d2;
}

/* −(d d⊥ᵀ + d⊥ dᵀ)/d⁴ */
static void heading_curvature(const trm_marker *p, double scale, const trm_curvature *c) {
  const trm_motion *m = c->motion;
  double d[3], across[3] = {0, 0, 0}, longer[TRM_MOST_NQ] = {0}, turn[TRM_MOST_NQ] = {0};
  if (p->body < 0) return;
  trm_direction(m, p, d);
  across[0] = -d[1];
  across[1] = d[0];
  double d2 = trm_dot(2, d, d);
  trm_row_direction(m, p, d, 1 / d2, longer);
  trm_row_direction(m, p, across, 1 / d2, turn);
  trm_bend(c, p, across, scale / d2);
  trm_curve_rows(c, p->body, longer, p->body, turn, -scale);
  trm_curve_rows(c, p->body, turn, p->body, longer, -scale);
}

/* ---- in space ---- */

/* d and e of one side: values, rates or second derivatives */
typedef struct two {
  double d[3], e[3];
} two;

/* x and y are sums of products of one side's vectors with the other's. */
static void multiply(const two *a, const two *b, double *x, double *y) {
  *x += trm_dot(3, a->d, b->d) + trm_dot(3, a->e, b->e);
  *y += trm_dot(3, a->e, b->d) - trm_dot(3, a->d, b->e);
}

#define SMALL 0.1 /* of x and y, whose terms are of size 1 */

/* x and y. Where the swing is nearly half a turn they are differences of what is nearly equal: of
 * the relative quaternion they are 2 (w² − z²) and 4 w z, and its w and z are known to round-off
 * by way of the larger of its other two (Shepperd). */
static void twist(const two t[2], double *x, double *y) {
  *x = *y = 0;
  multiply(&t[0], &t[1], x, y);
  const double *d0 = t[0].d, *e0 = t[0].e, *d1 = t[1].d, *e1 = t[1].e;
  double n0[3], n1[3];
  if (*x * *x + *y * *y > SMALL * SMALL) return;
  trm_cross(d0, e0, n0);
  trm_cross(d1, e1, n1);
  double cosine = trm_dot(3, n0, n1), skew = trm_dot(3, d0, d1) - trm_dot(3, e0, e1);
  if (!(cosine < 0)) return; /* one side has no e */
  bool first = skew > 0;
  double large = sqrt(1 - cosine + fabs(skew)); /* twice that one */
  double a = trm_dot(3, first ? e0 : d0, n1), b = trm_dot(3, first ? e1 : d1, n0);
  double c = trm_dot(3, first ? d0 : e0, n1), f = trm_dot(3, first ? d1 : e1, n0);
  double w = (first ? b - a : a - b) / (2 * large), z = (c + f) / (2 * large);
  *x = 2 * (w * w - z * z);
  *y = 4 * w * z;
}

typedef void look(const trm_motion *m, const trm_marker *p, double *d);

static two look_at(const trm_scalar *s, const trm_motion *m, int side, look *how) {
  two t;
  how(m, &s->end[side], t.d);
  how(m, &s->across[side], t.e);
  return t;
}

void trm_angle_turn(const trm_scalar *s, const trm_motion *m, double *x, double *y) {
  two t[2];
  if (m->dim == 2) {
    trm_direction(m, &s->end[0], t[0].d);
    trm_direction(m, &s->end[1], t[1].d);
    *x = trm_dot(2, t[0].d, t[1].d);
    *y = trm_cross_z(t[0].d, t[1].d);
    return;
  }
  for (int side = 0; side < 2; side++) t[side] = look_at(s, m, side, trm_direction);
  twist(t, x, y);
}

/* 1 + cos of the swing, a hundredth of a radian from half a turn: what a twist takes to change
 * grows without bound from here on. */
static const double nearly_opposite = 5e-5;

bool trm_angle_is_lost(const trm_scalar *s, const trm_motion *m) {
  double x, y;
  if (m->dim < 3) return false;
  trm_angle_turn(s, m, &x, &y); /* of size 1 + cos of the swing */
  return hypot(x, y) < nearly_opposite;
}

/* g, h: fx ∂x + fy ∂y by d and e of one side; other: the vectors of the other side */
static void gradients(int side, const two *other, double fx, double fy, double g[3], double h[3]) {
  double f = side ? fy : -fy;
  for (int i = 0; i < 3; i++) {
    g[i] = fx * other->d[i] + f * other->e[i];
    h[i] = fx * other->e[i] - f * other->d[i];
  }
}

/* rows += fx ∂x/∂q + fy ∂y/∂q */
static void add_rows(const trm_scalar *s, const trm_motion *m, const two t[2], double fx, double fy,
                     double *row0, double *row1) {
  for (int side = 0; side < 2; side++) {
    double g[3], h[3], *row = side ? row1 : row0;
    gradients(side, &t[1 - side], fx, fy, g, h);
    trm_row_direction(m, &s->end[side], g, 1, row);
    trm_row_direction(m, &s->across[side], h, 1, row);
  }
}

/* dθ = fx dx + fy dy */
static void slopes(const two t[2], double *fx, double *fy) {
  double x, y;
  twist(t, &x, &y);
  *fx = -y / (x * x + y * y);
  *fy = x / (x * x + y * y);
}

void trm_angle_gradient(const trm_scalar *s, const trm_motion *m, double scale, double *row0,
                        double *row1) {
  if (m->dim == 2) {
    heading_gradient(&s->end[0], m, -scale, row0);
    heading_gradient(&s->end[1], m, scale, row1);
    return;
  }
  const two t[2] = {look_at(s, m, 0, trm_direction), look_at(s, m, 1, trm_direction)};
  double fx, fy;
  slopes(t, &fx, &fy);
  add_rows(s, m, t, scale * fx, scale * fy, row0, row1);
}

/* ẋ and ẏ */
static void turn_rate(const trm_scalar *s, const trm_motion *m, const two t[2], double *dx,
                      double *dy) {
  const two dt[2] = {look_at(s, m, 0, trm_direction_rate), look_at(s, m, 1, trm_direction_rate)};
  *dx = *dy = 0;
  multiply(&dt[0], &t[1], dx, dy);
  multiply(&t[0], &dt[1], dx, dy);
}

double trm_angle_rate(const trm_scalar *s, const trm_motion *m) {
  if (m->dim == 2) return heading_rate(&s->end[1], m) - heading_rate(&s->end[0], m);
  const two t[2] = {look_at(s, m, 0, trm_direction), look_at(s, m, 1, trm_direction)};
  double fx, fy, dx, dy;
  slopes(t, &fx, &fy);
  turn_rate(s, m, t, &dx, &dy);
  return fx * dx + fy * dy;
}

#define NEXT_TO_POLE 0.1 /* radians: so far the way of a step is taken to be straight */

bool trm_angle_turns_back(const trm_scalar *s, const trm_motion *m) {
  const two t[2] = {look_at(s, m, 0, trm_direction), look_at(s, m, 1, trm_direction)};
  const trm_winding *w = &s->winding;
  double x, y, dx, dy;
  twist(t, &x, &y);
  if (!(hypot(x, y) < NEXT_TO_POLE && hypot(w->x, w->y) < NEXT_TO_POLE)) return false;
  turn_rate(s, m, t, &dx, &dy);
  dx *= m->since;
  dy *= m->since;
  return w->x * (x - dx) + w->y * (y - dy) < 0 || x * (w->x + dx) + y * (w->y + dy) < 0;
}

double trm_angle_bias(const trm_scalar *s, const trm_motion *m) {
  if (m->dim == 2) return heading_bias(&s->end[1], m) - heading_bias(&s->end[0], m);
  const two t[2] = {look_at(s, m, 0, trm_direction), look_at(s, m, 1, trm_direction)};
  const two dt[2] = {look_at(s, m, 0, trm_direction_rate), look_at(s, m, 1, trm_direction_rate)};
  const two ddt[2] = {look_at(s, m, 0, trm_direction_bias), look_at(s, m, 1, trm_direction_bias)};
  double fx, fy, dx = 0, dy = 0, ddx = 0, ddy = 0;
  slopes(t, &fx, &fy);
  multiply(&dt[0], &t[1], &dx, &dy);
  multiply(&t[0], &dt[1], &dx, &dy);
  multiply(&dt[0], &dt[1], &ddx, &ddy);
  ddx *= 2;
  ddy *= 2;
  multiply(&ddt[0], &t[1], &ddx, &ddy);
  multiply(&t[0], &ddt[1], &ddx, &ddy);
  double along = fy * dx - fx * dy, across = fx * dx + fy * dy; /* ṙ/r and θ̇ */
  return fx * ddx + fy * ddy - 2 * along * across;
}

/* ∂²θ = fx ∂²x + fy ∂²y + (∂x ∂xᵀ − ∂y ∂yᵀ) 2xy/r⁴ + (∂x ∂yᵀ + ∂y ∂xᵀ)(y² − x²)/r⁴ */
static void curvature_in_space(const trm_scalar *s, double scale, const trm_curvature *c) {
  const trm_motion *m = c->motion;
  const two t[2] = {look_at(s, m, 0, trm_direction), look_at(s, m, 1, trm_direction)};
  double fx, fy, rows[2][2][TRM_MOST_NQ] = {{{0}}}, mix[2][2][TRM_MOST_NQ] = {{{0}}};
  int body[2] = {s->end[0].body, s->end[1].body};
  slopes(t, &fx, &fy);
  double same = -2 * fx * fy, mixed = fx * fx - fy * fy;
  for (int k = 0; k < 2; k++) { /* of x, of y */
    double *row0 = body[0] < 0 ? NULL : rows[k][0], *row1 = body[1] < 0 ? NULL : rows[k][1];
    add_rows(s, m, t, k == 0, k == 1, row0, row1);
  }
  for (int side = 0; side < 2; side++) {
    trm_axpy(m->nq, same, rows[0][side], mix[0][side]);
    trm_axpy(m->nq, mixed, rows[1][side], mix[0][side]);
    trm_axpy(m->nq, mixed, rows[0][side], mix[1][side]);
    trm_axpy(m->nq, -same, rows[1][side], mix[1][side]);
  }
  for (int i = 0; i < 8; i++)
    trm_curve_rows(c, body[i & 1], rows[i >> 2][i & 1], body[i >> 1 & 1], mix[i >> 2][i >> 1 & 1],
                   scale);
  trm_lever d[2], e[2];
  for (int side = 0; side < 2; side++) {
    double g[3], h[3];
    gradients(side, &t[1 - side], fx, fy, g, h);
    trm_bend(c, &s->end[side], g, scale);
    trm_bend(c, &s->across[side], h, scale);
    trm_lever_direction(m, &s->end[side], &d[side]);
    trm_lever_direction(m, &s->across[side], &e[side]);
  }
  trm_curve_both(c, &d[0], NULL, &d[1], scale * fx);
  trm_curve_both(c, &e[0], NULL, &e[1], scale * fx);
  trm_curve_both(c, &e[0], NULL, &d[1], scale * fy);
  trm_curve_both(c, &d[0], NULL, &e[1], -scale * fy);
}

void trm_angle_curvature(const trm_scalar *s, double scale, const trm_curvature *c) {
  if (c->motion->dim == 3) {
    curvature_in_space(s, scale, c);
    return;
  }
  heading_curvature(&s->end[0], -scale, c);
  heading_curvature(&s->end[1], scale, c);
}

/* ∂θ/∂ω1 = d1 × g + e1 × h; of a twist this is (n0 + n1)/(1 + n0·n1), n = d × e of each side */
void trm_angle_axis(const trm_scalar *s, const trm_motion *m, double axis[3]) {
  axis[0] = axis[1] = 0;
  axis[2] = 1;
  if (m->dim == 2) return;
  const two t[2] = {look_at(s, m, 0, trm_direction), look_at(s, m, 1, trm_direction)};
  double fx, fy, g[3], h[3], turn[3];
  slopes(t, &fx, &fy);
  gradients(1, &t[0], fx, fy, g, h);
  trm_cross(t[1].d, g, axis);
  trm_cross(t[1].e, h, turn);
  trm_axpy(3, 1, turn, axis);
}

/* ---- turns ---- */

#define TWO_PI 6.283185307179586476925286766559

double trm_winding_crossings(const trm_winding *w, double x, double y, double expected) {
  if (!(fabs(expected) < TRM_SHORT_WAY) && isfinite(expected))
    return round((atan2(w->y, w->x) + expected - atan2(y, x)) / TWO_PI);
  if ((w->y < 0) == (y < 0)) return 0;
  double intercept = (w->x * y - x * w->y) / (y - w->y);
  if (intercept >= 0) return 0;
  return w->y >= 0 ? 1 : -1;
}

double trm_winding_angle(const trm_winding *w, double x, double y, double since) {
  return atan2(y, x) + TWO_PI * (w->turns + trm_winding_crossings(w, x, y, since * w->rate));
}

void trm_winding_turn(trm_winding *w, double angle, double rate) {
  double sine = sin(angle), cosine = cos(angle);
  double x = cosine * w->x - sine * w->y, y = sine * w->x + cosine * w->y;
  w->turns += trm_winding_crossings(w, x, y, angle);
  w->x = x;
  w->y = y;
  w->rate = rate;
}

static double turn_of(const trm_motion *m, int body) {
  return body < 0 ? 0 : m->coordinates->turn(trm_motion_q(m, body));
}

double trm_angle_value(const trm_scalar *s, const trm_motion *m) {
  double x, y;
  if (m->coordinates->turn) return turn_of(m, s->end[1].body) - turn_of(m, s->end[0].body);
  trm_angle_turn(s, m, &x, &y);
  return trm_winding_angle(&s->winding, x, y, m->since);
}

double trm_angle_accept(trm_scalar *s, const trm_motion *m) {
  double x, y;
  if (m->coordinates->turn) return 1;
  trm_angle_turn(s, m, &x, &y);
  trm_winding_accept(&s->winding, x, y, m->since, trm_angle_rate(s, m));
  return sqrt(x * x + y * y) / (m->dim == 2 ? 1 : 2);
}
