/* Second derivatives of rolling: of the contact's height and of the slip at the contact point. */
#include "constraint/roll.h"

/* n·e, and for a disc −R √(1 − c²): R (c/s ∂²c + 1/s³ ∂c ∂cᵀ) */
void trm_contact_curvature(const trm_primitive *p, const double *lambda, const trm_curvature *c) {
  trm_contact k;
  const trm_scalar height = {
      .kind = TRM_SCALAR_DISPLACEMENT, .end = {p->end[0], p->end[1]}, .along = p->normal};
  trm_contact_evaluate(p, c->motion, &k);
  trm_scalar_curvature(&height, lambda[0], c);
  if (!p->disc) return;
  trm_lever n, a;
  double first = lambda[0] * p->radius * k.c / k.s;
  double second = lambda[0] * p->radius / (k.s * k.s * k.s);
  double aa[3][3] = {{0}}, nn[3][3] = {{0}}, an[3][3] = {{0}};
  trm_add_outer(k.a, k.a, second, aa);
  trm_add_outer(k.n, k.n, second, nn);
  trm_add_outer(k.a, k.n, second, an);
  trm_add_unit(first, an);
  trm_lever_direction(c->motion, &p->normal, &n);
  trm_lever_direction(c->motion, &p->direction[1], &a);
  trm_bend(c, &p->normal, k.a, first);
  trm_bend(c, &p->direction[1], k.n, first);
  trm_curve(c, &n, aa, &n, 1);
  trm_curve(c, &a, nn, &a, 1);
  trm_curve_both(c, &n, an, &a, 1);
}

/* ∂ρ/∂n and ∂ρ/∂a */
static void arm_slopes(const trm_primitive *p, const trm_contact *k, double by_n[3][3],
                       double by_a[3][3]) {
  double R = p->radius / k->s, turn = k->c / (k->s * k->s);
  trm_add_unit(-R, by_n);
  if (!p->disc) return;
  trm_add_outer(k->a, k->a, R, by_n);
  trm_add_outer(k->rho, k->a, turn, by_n);
  trm_add_outer(k->a, k->n, R, by_a);
  trm_add_unit(R * k->c, by_a);
  trm_add_outer(k->rho, k->n, turn, by_a);
}

/* B += scale Wᵀ ∂(ρ × t)/∂q, t held */
static void curve_arm(const trm_primitive *p, const trm_contact *k, const trm_curvature *c,
                      const double t[3], const trm_lever *spin, double scale) {
  double by_n[3][3] = {{0}}, by_a[3][3] = {{0}}, skew[3][3] = {{0}}, Gn[3][3] = {{0}},
         Ga[3][3] = {{0}};
  trm_lever n, a;
  arm_slopes(p, k, by_n, by_a);
  trm_add_skew(t, -1, skew); /* δρ × t */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      trm_axpy(3, skew[i][j], by_n[j], Gn[i]);
      trm_axpy(3, skew[i][j], by_a[j], Ga[i]);
    }
  trm_lever_direction(c->motion, &p->normal, &n);
  trm_curve(c, spin, Gn, &n, scale);
  if (!p->disc) return;
  trm_lever_direction(c->motion, &p->direction[1], &a);
  trm_curve(c, spin, Ga, &a, scale);
}

/* Of the second's part: L1ᵀt + W1ᵀ(ρ × t) */
static void curve_second(const trm_primitive *p, const trm_contact *k, const trm_curvature *c,
                         const double t[3], const trm_lever *tangent, double scale) {
  trm_lever point, spin;
  double tau[3], G[3][3] = {{0}};
  trm_lever_point(c->motion, &p->end[1], &point);
  trm_lever_spin(c->motion, p->end[1].body, &spin);
  trm_cross(k->rho, t, tau);
  trm_add_skew(k->rho, 1, G);
  trm_bend(c, &p->end[1], t, scale);
  trm_bend_spin(c, p->end[1].body, tau, scale);
  trm_curve(c, &point, NULL, tangent, scale);
  trm_curve(c, &spin, G, tangent, scale);
  curve_arm(p, k, c, t, &spin, scale);
}

/* Of the first's part: −t on its origin, −W0ᵀ(arm × t), arm = r1 + ρ − x0 */
static void curve_first(const trm_primitive *p, const trm_contact *k, const trm_curvature *c,
                        const double t[3], const trm_lever *tangent, double scale) {
  int body = p->end[0].body;
  const trm_marker centre = {body, {0, 0, 0}};
  trm_lever origin, spin, point;
  double arm[3], tau[3], Gt[3][3] = {{0}}, G[3][3] = {{0}};
  trm_contact_arm(p, c->motion, k, arm);
  trm_cross(t, arm, tau);
  trm_add_skew(arm, -1, Gt);
  trm_add_skew(t, 1, G);
  trm_lever_point(c->motion, &centre, &origin);
  trm_lever_point(c->motion, &p->end[1], &point);
  trm_lever_spin(c->motion, body, &spin);
  trm_bend_spin(c, body, tau, scale);
  trm_curve(c, &origin, NULL, tangent, -scale);
  trm_curve(c, &spin, Gt, tangent, scale);
  trm_curve(c, &spin, G, &point, scale);
  trm_curve(c, &spin, G, &origin, -scale);
  curve_arm(p, k, c, t, &spin, -scale);
}

void trm_no_slip_curvature(const trm_primitive *p, const double *lambda, const trm_curvature *c) {
  trm_contact k;
  trm_lever tangent;
  double t[3];
  trm_contact_evaluate(p, c->motion, &k);
  trm_direction(c->motion, &p->direction[0], t);
  trm_lever_direction(c->motion, &p->direction[0], &tangent);
  curve_second(p, &k, c, t, &tangent, lambda[0]);
  if (p->end[0].body >= 0) curve_first(p, &k, c, t, &tangent, lambda[0]);
}
