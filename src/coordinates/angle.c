/* The angle of one body relative to another about an axis, exactly differentiated.
 *
 * Two directions of each body, d and e = n × d, coincide as written. Of the relative rotation the
 * part about n, the twist of the swing-twist decomposition, has
 *
 *     θ = atan2(y, x),   x = d0·d1 + e0·e1,   y = e0·d1 − d0·e1,
 *
 * whichever d is chosen: 2 wz and w² − z² of the relative quaternion, twice. Where a joint keeps
 * the bodies coaxial, and in the plane, it is the angle between the two d. */
#include "coordinates/angle.h"

#include <string.h>

/* d and e of one side: values, rates or second derivatives */
typedef struct two {
  double d[3], e[3];
} two;

/* x and y are sums of products of one side's vectors with the other's. */
static void multiply(int dim, const two *a, const two *b, double *x, double *y) {
  *x += trm_dot(dim, a->d, b->d) + trm_dot(dim, a->e, b->e);
  *y += trm_dot(dim, a->e, b->d) - trm_dot(dim, a->d, b->e);
}

typedef void look(const trm_motion *m, const trm_marker *p, double *d);

static two look_at(const trm_scalar *s, const trm_motion *m, int side, look *how) {
  two t;
  how(m, &s->end[side], t.d);
  how(m, &s->across[side], t.e);
  return t;
}

void trm_angle_turn(const trm_scalar *s, const trm_motion *m, double *x, double *y) {
  two first = look_at(s, m, 0, trm_direction), second = look_at(s, m, 1, trm_direction);
  *x = *y = 0;
  multiply(m->dim, &first, &second, x, y);
}

/* rows += fx ∂x/∂q + fy ∂y/∂q */
static void add_rows(const trm_scalar *s, const trm_motion *m, const two t[2], double fx, double fy,
                     double *row0, double *row1) {
  trm_row_direction(m, &s->end[0], t[1].d, fx, row0);
  trm_row_direction(m, &s->end[0], t[1].e, -fy, row0);
  trm_row_direction(m, &s->across[0], t[1].e, fx, row0);
  trm_row_direction(m, &s->across[0], t[1].d, fy, row0);
  trm_row_direction(m, &s->end[1], t[0].d, fx, row1);
  trm_row_direction(m, &s->end[1], t[0].e, fy, row1);
  trm_row_direction(m, &s->across[1], t[0].e, fx, row1);
  trm_row_direction(m, &s->across[1], t[0].d, -fy, row1);
}

/* dθ = fx dx + fy dy */
static void slopes(const two t[2], int dim, double *fx, double *fy) {
  double x = 0, y = 0;
  multiply(dim, &t[0], &t[1], &x, &y);
  *fx = -y / (x * x + y * y);
  *fy = x / (x * x + y * y);
}

void trm_angle_gradient(const trm_scalar *s, const trm_motion *m, double scale, double *row0,
                        double *row1) {
  const two t[2] = {look_at(s, m, 0, trm_direction), look_at(s, m, 1, trm_direction)};
  double fx, fy;
  slopes(t, m->dim, &fx, &fy);
  add_rows(s, m, t, scale * fx, scale * fy, row0, row1);
}

double trm_angle_rate(const trm_scalar *s, const trm_motion *m) {
  const two t[2] = {look_at(s, m, 0, trm_direction), look_at(s, m, 1, trm_direction)};
  const two dt[2] = {look_at(s, m, 0, trm_direction_rate), look_at(s, m, 1, trm_direction_rate)};
  double fx, fy, dx = 0, dy = 0;
  slopes(t, m->dim, &fx, &fy);
  multiply(m->dim, &dt[0], &t[1], &dx, &dy);
  multiply(m->dim, &t[0], &dt[1], &dx, &dy);
  return fx * dx + fy * dy;
}

double trm_angle_bias(const trm_scalar *s, const trm_motion *m) {
  const two t[2] = {look_at(s, m, 0, trm_direction), look_at(s, m, 1, trm_direction)};
  const two dt[2] = {look_at(s, m, 0, trm_direction_rate), look_at(s, m, 1, trm_direction_rate)};
  const two ddt[2] = {look_at(s, m, 0, trm_direction_bias), look_at(s, m, 1, trm_direction_bias)};
  double fx, fy, dx = 0, dy = 0, ddx = 0, ddy = 0;
  slopes(t, m->dim, &fx, &fy);
  multiply(m->dim, &dt[0], &t[1], &dx, &dy);
  multiply(m->dim, &t[0], &dt[1], &dx, &dy);
  multiply(m->dim, &dt[0], &dt[1], &ddx, &ddy);
  ddx *= 2;
  ddy *= 2;
  multiply(m->dim, &ddt[0], &t[1], &ddx, &ddy);
  multiply(m->dim, &t[0], &ddt[1], &ddx, &ddy);
  double along = fy * dx - fx * dy, across = fx * dx + fy * dy; /* ṙ/r and θ̇ */
  return fx * ddx + fy * ddy - 2 * along * across;
}

/* ∂²θ = fx ∂²x + fy ∂²y + (∂x ∂xᵀ − ∂y ∂yᵀ) 2xy/r⁴ + (∂x ∂yᵀ + ∂y ∂xᵀ)(y² − x²)/r⁴ */
void trm_angle_curvature(const trm_scalar *s, double scale, const trm_curvature *c) {
  const trm_motion *m = c->motion;
  const two t[2] = {look_at(s, m, 0, trm_direction), look_at(s, m, 1, trm_direction)};
  double fx, fy, rows[2][2][TRM_MOST_NQ] = {{{0}}}, mix[2][2][TRM_MOST_NQ] = {{{0}}};
  int body[2] = {s->end[0].body, s->end[1].body};
  slopes(t, m->dim, &fx, &fy);
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
    const two *other = &t[1 - side];
    double sign = side ? 1 : -1, g[3], h[3];
    for (int i = 0; i < 3; i++) {
      g[i] = fx * other->d[i] + sign * fy * other->e[i];
      h[i] = fx * other->e[i] - sign * fy * other->d[i];
    }
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

/* ∂θ/∂ω1 = (n0 + n1)/(1 + n0·n1), n = d × e of each side */
void trm_angle_axis(const trm_scalar *s, const trm_motion *m, double axis[3]) {
  double n[2][3];
  axis[0] = axis[1] = 0;
  axis[2] = 1;
  if (m->dim == 2) return;
  for (int side = 0; side < 2; side++) {
    two t = look_at(s, m, side, trm_direction);
    trm_cross(t.d, t.e, n[side]);
  }
  double sum = 1 + trm_dot(3, n[0], n[1]);
  for (int i = 0; i < 3; i++) axis[i] = (n[0][i] + n[1][i]) / sum;
}

/* ---- turns ---- */

#define TWO_PI 6.283185307179586476925286766559
#define SHORT                                                                                      \
  0.5 /* radians: where no more is expected, the way between two directions is the short one */

long trm_winding_crossings(const trm_winding *w, double x, double y, double expected) {
  if (!(fabs(expected) < SHORT) && isfinite(expected))
    return lround((atan2(w->y, w->x) + expected - atan2(y, x)) / TWO_PI);
  if ((w->y < 0) == (y < 0)) return 0;
  double intercept = (w->x * y - x * w->y) / (y - w->y);
  if (intercept >= 0) return 0;
  return w->y >= 0 ? 1 : -1;
}

double trm_winding_angle(const trm_winding *w, double x, double y, double since) {
  return atan2(y, x) +
         TWO_PI * (double)(w->turns + trm_winding_crossings(w, x, y, since * w->rate));
}

void trm_winding_accept(trm_winding *w, double x, double y, double since, double rate) {
  w->turns += trm_winding_crossings(w, x, y, since * (w->rate + rate) / 2);
  *w = (trm_winding){x, y, w->turns, rate};
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

void trm_angle_accept(trm_scalar *s, const trm_motion *m) {
  double x, y;
  if (m->coordinates->turn) return;
  trm_angle_turn(s, m, &x, &y);
  trm_winding_accept(&s->winding, x, y, m->since, trm_angle_rate(s, m));
}
