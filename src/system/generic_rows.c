/* Constraints and energy of a generic system with their exact derivatives: formulas by gradient and
 * jet, callbacks by jets, or as the user differentiated them. */
#include <string.h>

#include "system/generic.h"

/* x along a direction: slot k moves with rate[k]; NULL: not at all. */
static void seed(trm_generic *g, const double *x, const double *q_rate, const double *v_rate,
                 double t_rate) {
  int n = g->user->n;
  g->jets[0] = (trm_jet){x[0], t_rate, 0};
  for (int i = 0; i < n; i++) {
    g->jets[1 + i] = (trm_jet){x[1 + i], q_rate ? q_rate[i] : 0, 0};
    g->jets[1 + n + i] = (trm_jet){x[1 + n + i], v_rate ? v_rate[i] : 0, 0};
  }
}

void trm_generic_evaluate_jets(trm_generic *g, bool velocity) {
  const trm_user *user = g->user;
  const trm_system_def *c = &user->callbacks;
  const trm_jet *t = g->jets, *q = t + 1, *v = q + user->n;
  if (user->formulas) {
    const trm_quantity *list = velocity ? user->velocity : user->position;
    for (int i = 0; i < (velocity ? user->p : user->m); i++)
      g->phi[i] = trm_expression_jet(list[i].formula, g->jets);
  } else if (velocity) {
    c->velocity_jet(c->context, *t, q, v, g->phi);
  } else {
    c->position_jet(c->context, *t, q, g->phi);
  }
}

/* Derivatives of formulas by the n slots from `first` on, and by t (Ct may be NULL). */
static void differentiate_formulas(trm_generic *g, const trm_quantity *list, int count, int first,
                                   const double *x, double *phi, double *rows, double *Ct) {
  int n = g->user->n;
  memset(rows, 0, (size_t)count * (size_t)n * sizeof *rows);
  for (int i = 0; i < count; i++) {
    const trm_expression *e = list[i].formula;
    int used = trm_expression_slot_count(e);
    phi[i] = trm_expression_gradient(e, x, g->gradient);
    if (Ct) Ct[i] = used > 0 ? g->gradient[0] : 0;
    for (int j = 0; j < n && first + j < used; j++) rows[i * n + j] = g->gradient[first + j];
  }
}

/* One pass a column. */
static void differentiate_jets(trm_generic *g, bool velocity, const double *x, double *phi,
                               double *rows, double *Ct) {
  int n = g->user->n, count = velocity ? g->user->p : g->user->m, first = velocity ? 1 + n : 1;
  seed(g, x, NULL, NULL, 0);
  for (int j = 0; j < n; j++) {
    g->jets[first + j].d = 1;
    trm_generic_evaluate_jets(g, velocity);
    g->jets[first + j].d = 0;
    for (int i = 0; i < count; i++) rows[i * n + j] = g->phi[i].d;
  }
  for (int i = 0; i < count; i++) phi[i] = g->phi[i].f;
  if (!Ct) return;
  g->jets[0].d = 1;
  trm_generic_evaluate_jets(g, velocity);
  for (int i = 0; i < count; i++) Ct[i] = g->phi[i].d;
}

void trm_generic_position_rows(trm_generic *g, const double *x, double *C, double *Cq, double *Ct) {
  const trm_user *user = g->user;
  const trm_system_def *c = &user->callbacks;
  if (user->m == 0) return;
  if (user->formulas) {
    differentiate_formulas(g, user->position, user->m, 1, x, C, Cq, Ct);
  } else if (c->position_jet) {
    differentiate_jets(g, false, x, C, Cq, Ct);
  } else {
    c->position(c->context, x[0], x + 1, C);
    c->position_jacobian(c->context, x[0], x + 1, Cq, Ct);
  }
}

void trm_generic_position_gamma(trm_generic *g, const double *x, double *gamma) {
  const trm_user *user = g->user;
  const trm_system_def *c = &user->callbacks;
  const double *v = x + 1 + user->n;
  if (user->m == 0) return;
  if (!user->formulas && !c->position_jet) {
    c->position_gamma(c->context, x[0], x + 1, v, gamma);
    return;
  }
  /* d²Φ/dt² = Cq q̈ + what the jet along (1, v) holds: 003 eq. 5 */
  seed(g, x, v, NULL, 1);
  trm_generic_evaluate_jets(g, false);
  for (int i = 0; i < user->m; i++) gamma[i] = -g->phi[i].dd;
}

void trm_generic_velocity_value(trm_generic *g, const double *x, double *phi) {
  const trm_user *user = g->user;
  const trm_system_def *c = &user->callbacks;
  if (user->formulas) {
    for (int i = 0; i < user->p; i++) phi[i] = trm_quantity_value(&user->velocity[i], x);
  } else if (c->velocity_jet) {
    seed(g, x, NULL, NULL, 0);
    trm_generic_evaluate_jets(g, true);
    for (int i = 0; i < user->p; i++) phi[i] = g->phi[i].f;
  } else {
    c->velocity(c->context, x[0], x + 1, x + 1 + user->n, phi);
  }
}

void trm_generic_velocity_rows(trm_generic *g, const double *x, double *phi, double *A) {
  const trm_user *user = g->user;
  const trm_system_def *c = &user->callbacks;
  const double *v = x + 1 + user->n;
  if (user->formulas) {
    differentiate_formulas(g, user->velocity, user->p, 1 + user->n, x, phi, A, NULL);
  } else if (c->velocity_jet) {
    differentiate_jets(g, true, x, phi, A, NULL);
  } else {
    c->velocity(c->context, x[0], x + 1, v, phi);
    c->velocity_jacobian(c->context, x[0], x + 1, v, A);
  }
}

void trm_generic_velocity_gamma(trm_generic *g, const double *x, double *gamma) {
  const trm_user *user = g->user;
  const trm_system_def *c = &user->callbacks;
  const double *v = x + 1 + user->n;
  if (user->p == 0) return;
  if (!user->formulas && !c->velocity_jet) {
    c->velocity_gamma(c->context, x[0], x + 1, v, gamma);
    return;
  }
  seed(g, x, v, NULL, 1);
  trm_generic_evaluate_jets(g, true);
  for (int i = 0; i < user->p; i++) gamma[i] = -g->phi[i].d;
}

bool trm_generic_energy_has_rate(const trm_generic *g) {
  return g->user->has_energy && (g->user->formulas || g->user->callbacks.energy_jet);
}

double trm_generic_energy(const trm_generic *g, const double *x) {
  const trm_user *user = g->user;
  const trm_system_def *c = &user->callbacks;
  const double *v = x + 1 + user->n;
  if (user->formulas) return trm_quantity_value(&user->energy, x);
  if (c->energy) return c->energy(c->context, x[0], x + 1, v);
  for (int k = 0; k < 1 + 2 * user->n; k++) g->jets[k] = trm_jet_constant(x[k]);
  return c->energy_jet(c->context, g->jets[0], g->jets + 1, g->jets + 1 + user->n).f;
}

double trm_generic_energy_rate(trm_generic *g, const double *x, const double *a) {
  const trm_user *user = g->user;
  const trm_system_def *c = &user->callbacks;
  seed(g, x, x + 1 + user->n, a, 1);
  if (!user->formulas)
    return c->energy_jet(c->context, g->jets[0], g->jets + 1, g->jets + 1 + user->n).d;
  return user->energy.formula ? trm_expression_jet(user->energy.formula, g->jets).d : 0;
}
