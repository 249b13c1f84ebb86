/* Angles between directions, exactly differentiated: θ = atan2(y, x), x = d0·d1, y = n·(d0 × d1).
 */
#include "coordinates/angle.h"

void trm_angle_turn(const trm_scalar *s, const trm_motion *m, double *x, double *y) {
  double d0[3], d1[3], n[3], c[3];
  trm_direction(m, &s->end[0], d0);
  trm_direction(m, &s->end[1], d1);
  *x = trm_dot(m->dim, d0, d1);
  *y = trm_cross_z(d0, d1);
  if (m->dim == 2) return;
  trm_direction(m, &s->along, n);
  trm_cross(d0, d1, c);
  *y = trm_dot(3, n, c);
}

/* --- in the plane each direction has a heading of its own: gradient d⊥/d² --- */

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
  trm_lever lever;
  double d[3], across[3] = {0, 0, 0}, G[3][3] = {{0}};
  trm_direction(c->motion, p, d);
  across[0] = -d[1];
  across[1] = d[0];
  double d2 = trm_dot(2, d, d);
  trm_add_outer(d, across, -1 / (d2 * d2), G);
  trm_add_outer(across, d, -1 / (d2 * d2), G);
  trm_lever_direction(c->motion, p, &lever);
  trm_bend(c, p, across, scale / d2);
  trm_curve(c, &lever, G, &lever, scale);
}

/* --- in space --- */

/* The three directions and what is made of them; index 0, 1, 2: value, rate, bias. */
typedef struct triad {
  double d0[3][3], d1[3][3], n[3][3];
  double x, y, r2;
} triad;

static void look(const trm_scalar *s, const trm_motion *m, int levels, triad *t) {
  const trm_marker *markers[3] = {&s->end[0], &s->end[1], &s->along};
  double(*vectors[3])[3] = {t->d0, t->d1, t->n};
  for (int k = 0; k < 3; k++) {
    trm_direction(m, markers[k], vectors[k][0]);
    if (levels > 1) trm_direction_rate(m, markers[k], vectors[k][1]);
    if (levels > 2) trm_direction_bias(m, markers[k], vectors[k][2]);
  }
  double c[3];
  trm_cross(t->d0[0], t->d1[0], c);
  t->x = trm_dot(3, t->d0[0], t->d1[0]);
  t->y = trm_dot(3, t->n[0], c);
  t->r2 = t->x * t->x + t->y * t->y;
}

/* a·(b × c) */
static double triple(const double *a, const double *b, const double *c) {
  double bc[3];
  trm_cross(b, c, bc);
  return trm_dot(3, a, bc);
}

/* dθ = (x dy − y dx)/(x² + y²) */
static void gradient_in_space(const trm_scalar *s, const trm_motion *m, double scale, double *row0,
                              double *row1) {
  triad t;
  double g[3];
  look(s, m, 1, &t);
  double fx = -scale * t.y / t.r2, fy = scale * t.x / t.r2;
  trm_cross(t.n[0], t.d0[0], g); /* ∂y/∂d1 */
  trm_row_direction(m, &s->end[1], g, fy, row1);
  trm_row_direction(m, &s->end[1], t.d0[0], fx, row1);
  trm_cross(t.d1[0], t.n[0], g); /* ∂y/∂d0 */
  trm_row_direction(m, &s->end[0], g, fy, row0);
  trm_row_direction(m, &s->end[0], t.d1[0], fx, row0);
  trm_cross(t.d0[0], t.d1[0], g); /* ∂y/∂n */
  trm_row_direction(m, &s->along, g, fy, row0);
}

static void first_derivatives(const triad *t, double *dx, double *dy) {
  *dx = trm_dot(3, t->d0[1], t->d1[0]) + trm_dot(3, t->d0[0], t->d1[1]);
  *dy = triple(t->n[1], t->d0[0], t->d1[0]) + triple(t->n[0], t->d0[1], t->d1[0]) +
        triple(t->n[0], t->d0[0], t->d1[1]);
}

static double rate_in_space(const trm_scalar *s, const trm_motion *m) {
  triad t;
  double dx, dy;
  look(s, m, 2, &t);
  first_derivatives(&t, &dx, &dy);
  return (t.x * dy - t.y * dx) / t.r2;
}

static double bias_in_space(const trm_scalar *s, const trm_motion *m) {
  triad t;
  double dx, dy;
  look(s, m, 3, &t);
  first_derivatives(&t, &dx, &dy);
  double ddx = trm_dot(3, t.d0[2], t.d1[0]) + 2 * trm_dot(3, t.d0[1], t.d1[1]) +
               trm_dot(3, t.d0[0], t.d1[2]);
  double ddy = triple(t.n[2], t.d0[0], t.d1[0]) + triple(t.n[0], t.d0[2], t.d1[0]) +
               triple(t.n[0], t.d0[0], t.d1[2]) +
               2 * (triple(t.n[1], t.d0[1], t.d1[0]) + triple(t.n[1], t.d0[0], t.d1[1]) +
                    triple(t.n[0], t.d0[1], t.d1[1]));
  double along = t.x * dx + t.y * dy, across = t.x * dy - t.y * dx;
  return (t.x * ddy - t.y * ddx - 2 * along * across / t.r2) / t.r2;
}

void trm_angle_gradient(const trm_scalar *s, const trm_motion *m, double scale, double *row0,
                        double *row1) {
  if (m->dim == 3) {
    gradient_in_space(s, m, scale, row0, row1);
    return;
  }
  heading_gradient(&s->end[0], m, -scale, row0);
  heading_gradient(&s->end[1], m, scale, row1);
}

double trm_angle_rate(const trm_scalar *s, const trm_motion *m) {
  if (m->dim == 3) return rate_in_space(s, m);
  return heading_rate(&s->end[1], m) - heading_rate(&s->end[0], m);
}

double trm_angle_bias(const trm_scalar *s, const trm_motion *m) {
  if (m->dim == 3) return bias_in_space(s, m);
  return heading_bias(&s->end[1], m) - heading_bias(&s->end[0], m);
}

/* Gradients of x and y with respect to d0, d1, n. */
static void gradients(const triad *t, double gx[3][3], double gy[3][3]) {
  for (int i = 0; i < 3; i++) {
    gx[0][i] = t->d1[0][i];
    gx[1][i] = t->d0[0][i];
    gx[2][i] = 0;
  }
  trm_cross(t->d1[0], t->n[0], gy[0]);
  trm_cross(t->n[0], t->d0[0], gy[1]);
  trm_cross(t->d0[0], t->d1[0], gy[2]);
}

/* ∂²x and ∂²y by the vectors i < j: x has only ∂²x/∂d0∂d1 = 1 */
static void second_gradient(const triad *t, int i, int j, double fx, double fy, double G[3][3]) {
  if (i == 0 && j == 1) {
    trm_add_unit(fx, G);
    trm_add_skew(t->n[0], -fy, G);
  }
  if (i == 0 && j == 2) trm_add_skew(t->d1[0], fy, G);
  if (i == 1 && j == 2) trm_add_skew(t->d0[0], -fy, G);
}

/* With w = x + iy: ∂²θ = (x ∂²y − y ∂²x)/r² + ((∂x ∂xᵀ − ∂y ∂yᵀ) 2xy + (∂x ∂yᵀ + ∂y ∂xᵀ)(y² −
 * x²))/r⁴ */
static void curvature_in_space(const trm_scalar *s, double scale, const trm_curvature *c) {
  const trm_marker *markers[3] = {&s->end[0], &s->end[1], &s->along};
  trm_lever lever[3];
  triad t;
  double gx[3][3], gy[3][3];
  look(s, c->motion, 1, &t);
  gradients(&t, gx, gy);
  double fx = -t.y / t.r2, fy = t.x / t.r2, same = -2 * fx * fy, mixed = fx * fx - fy * fy;
  for (int i = 0; i < 3; i++) {
    double g[3] = {0, 0, 0};
    trm_axpy(3, fx, gx[i], g);
    trm_axpy(3, fy, gy[i], g);
    trm_bend(c, markers[i], g, scale);
    trm_lever_direction(c->motion, markers[i], &lever[i]);
    for (int j = 0; j <= i; j++) {
      double G[3][3] = {{0}};
      trm_add_outer(gx[j], gx[i], same, G);
      trm_add_outer(gy[j], gy[i], -same, G);
      trm_add_outer(gx[j], gy[i], mixed, G);
      trm_add_outer(gy[j], gx[i], mixed, G);
      second_gradient(&t, j, i, fx, fy, G);
      if (i == j)
        trm_curve(c, &lever[i], G, &lever[i], scale);
      else
        trm_curve_both(c, &lever[j], G, &lever[i], scale);
    }
  }
}

void trm_angle_curvature(const trm_scalar *s, double scale, const trm_curvature *c) {
  if (c->motion->dim == 3) {
    curvature_in_space(s, scale, c);
    return;
  }
  heading_curvature(&s->end[0], -scale, c);
  heading_curvature(&s->end[1], scale, c);
}
