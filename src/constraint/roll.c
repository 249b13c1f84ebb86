/* A sphere or a thin disc rolls on a plane carried by the first body: contact at position level, no
 * slip at velocity level (004 ex. 5; never integrated into a position constraint).
 *
 * n: the plane's normal towards the rolling body, a: the disc's axis, c = n·a, s = √(1 − c²). From
 * the centre r1 to the contact: ρ = −R n (sphere), ρ = −R (n − c a)/s (disc). A disc that lies
 * flat, s = 0, touches everywhere. */
#include "constraint/roll.h"

void trm_contact_evaluate(const trm_primitive *p, const trm_motion *m, trm_contact *k) {
  double r0[3], r1[3];
  trm_direction(m, &p->normal, k->n);
  trm_position(m, &p->end[0], r0);
  trm_position(m, &p->end[1], r1);
  trm_sub(3, r1, r0, k->e);
  k->c = 0;
  k->s = 1;
  if (p->disc) {
    trm_direction(m, &p->direction[1], k->a);
    k->c = trm_dot(3, k->n, k->a);
    k->s = sqrt(1 - k->c * k->c);
  }
  for (int i = 0; i < 3; i++)
    k->rho[i] = -p->radius * (k->n[i] - (p->disc ? k->c * k->a[i] : 0)) / k->s;
}

/* --- contact: n·(r1 − r0) − R s = 0 --- */

static void contact_position(const trm_primitive *p, const trm_motion *m, double *C) {
  trm_contact k;
  trm_contact_evaluate(p, m, &k);
  C[0] = trm_dot(3, k.n, k.e) - p->radius * k.s;
}

static void contact_jacobian(const trm_primitive *p, const trm_motion *m) {
  trm_contact k;
  trm_contact_evaluate(p, m, &k);
  double *J0 = trm_primitive_rows(p, p->end[0].body), *J1 = trm_primitive_rows(p, p->end[1].body);
  trm_row_point(m, &p->end[1], k.n, 1, J1);
  trm_row_point(m, &p->end[0], k.n, -1, J0);
  trm_row_direction(m, &p->normal, k.e, 1, J0);
  if (!p->disc) return;
  trm_row_direction(m, &p->normal, k.a, p->radius * k.c / k.s, J0);
  trm_row_direction(m, &p->direction[1], k.n, p->radius * k.c / k.s, J1);
}

static void contact_bias(const trm_primitive *p, const trm_motion *m, double *Qd) {
  trm_contact k;
  double v0[3], v1[3], de[3], b0[3], b1[3], be[3], dn[3], bn[3], da[3], ba[3];
  trm_contact_evaluate(p, m, &k);
  trm_velocity(m, &p->end[0], v0);
  trm_velocity(m, &p->end[1], v1);
  trm_sub(3, v1, v0, de);
  trm_direction_bias(m, &p->end[0], b0);
  trm_direction_bias(m, &p->end[1], b1);
  trm_sub(3, b1, b0, be);
  trm_direction_rate(m, &p->normal, dn);
  trm_direction_bias(m, &p->normal, bn);
  Qd[0] = -(trm_dot(3, bn, k.e) + 2 * trm_dot(3, dn, de) + trm_dot(3, k.n, be));
  if (!p->disc) return;
  trm_direction_rate(m, &p->direction[1], da);
  trm_direction_bias(m, &p->direction[1], ba);
  double dc = trm_dot(3, dn, k.a) + trm_dot(3, k.n, da);
  double ddc = trm_dot(3, bn, k.a) + 2 * trm_dot(3, dn, da) + trm_dot(3, k.n, ba);
  Qd[0] -= p->radius * (dc * dc / (k.s * k.s * k.s) + k.c * ddc / k.s); /* −R s̈ */
}

static void contact_reaction(const trm_primitive *p, const trm_motion *m, const double *lambda,
                             double force[3], double torque[3]) {
  double n[3];
  (void)torque; /* the force acts at the contact point */
  trm_direction(m, &p->normal, n);
  trm_axpy(3, -lambda[0], n, force);
}

/* --- no slip along t: t·(velocity of the second − velocity of the first, at the contact) = 0 ---
 */

static void no_position(const trm_primitive *p, const trm_motion *m, double *C) {
  (void)p;
  (void)m;
  C[0] = 0;
}

void trm_contact_arm(const trm_primitive *p, const trm_motion *m, const trm_contact *k,
                     double arm[3]) {
  trm_position(m, &p->end[1], arm);
  for (int i = 0; i < 3; i++) arm[i] += k->rho[i] - m->frames[p->end[0].body].x[i];
}

static void slip_jacobian(const trm_primitive *p, const trm_motion *m) {
  trm_contact k;
  double t[3], arm[3], tau[3];
  trm_contact_evaluate(p, m, &k);
  trm_direction(m, &p->direction[0], t);
  double *J0 = trm_primitive_rows(p, p->end[0].body), *J1 = trm_primitive_rows(p, p->end[1].body);
  trm_cross(k.rho, t, tau);
  trm_row_point(m, &p->end[1], t, 1, J1);
  trm_row_spin(m, p->end[1].body, tau, J1);
  if (!J0) return;
  trm_contact_arm(p, m, &k, arm);
  trm_cross(t, arm, tau); /* −arm × t */
  for (int i = 0; i < 3; i++) J0[i] -= t[i];
  trm_row_spin(m, p->end[0].body, tau, J0);
}

/* ρ̇ */
static void arm_rate(const trm_primitive *p, const trm_motion *m, const trm_contact *k,
                     double drho[3]) {
  double dn[3], da[3] = {0, 0, 0}, dc = 0;
  trm_direction_rate(m, &p->normal, dn);
  if (p->disc) {
    trm_direction_rate(m, &p->direction[1], da);
    dc = trm_dot(3, dn, k->a) + trm_dot(3, k->n, da);
  }
  double ds = -k->c * dc / k->s;
  for (int i = 0; i < 3; i++) {
    double dw = dn[i] - (p->disc ? dc * k->a[i] + k->c * da[i] : 0);
    drho[i] = -p->radius * dw / k->s - k->rho[i] * ds / k->s;
  }
}

/* y += a × b */
static void add_cross(const double *a, const double *b, double sign, double *y) {
  double c[3];
  trm_cross(a, b, c);
  trm_axpy(3, sign, c, y);
}

static void slip_bias(const trm_primitive *p, const trm_motion *m, double *Qd) {
  trm_contact k;
  int first = p->end[0].body, second = p->end[1].body;
  double t[3], dt[3], arm[3], drho[3], w0[3], w1[3], beta0[3], beta1[3], slip[3], rate[3], darm[3];
  trm_contact_evaluate(p, m, &k);
  trm_direction(m, &p->direction[0], t);
  trm_direction_rate(m, &p->direction[0], dt);
  trm_contact_arm(p, m, &k, arm);
  arm_rate(p, m, &k, drho);
  trm_spin(m, first, w0);
  trm_spin(m, second, w1);
  trm_spin_bias(m, first, beta0);
  trm_spin_bias(m, second, beta1);
  trm_velocity(m, &p->end[1], slip); /* slip = v1 + ω1×ρ − ẋ0 − ω0×arm */
  for (int i = 0; i < 3; i++) darm[i] = slip[i] + drho[i] - m->frames[first].v[i];
  for (int i = 0; i < 3; i++) slip[i] -= m->frames[first].v[i];
  add_cross(w1, k.rho, 1, slip);
  add_cross(w0, arm, -1, slip);
  trm_direction_bias(m, &p->end[1], rate); /* its derivative where q̈ = 0 */
  add_cross(beta1, k.rho, 1, rate);
  add_cross(w1, drho, 1, rate);
  add_cross(beta0, arm, -1, rate);
  add_cross(w0, darm, -1, rate);
  Qd[0] = -trm_dot(3, dt, slip) - trm_dot(3, t, rate);
}

static void slip_reaction(const trm_primitive *p, const trm_motion *m, const double *lambda,
                          double force[3], double torque[3]) {
  double t[3];
  (void)torque;
  trm_direction(m, &p->direction[0], t);
  trm_axpy(3, -lambda[0], t, force);
}

const trm_primitive_class trm_primitive_contact = {
    .name = "contact",
    .position = contact_position,
    .jacobian = contact_jacobian,
    .bias = contact_bias,
    .reaction = contact_reaction,
    .curvature = trm_contact_curvature,
};

const trm_primitive_class trm_primitive_no_slip = {
    .name = "no slip",
    .position = no_position,
    .jacobian = slip_jacobian,
    .bias = slip_bias,
    .reaction = slip_reaction,
    .curvature = trm_no_slip_curvature,
};
