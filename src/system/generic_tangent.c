/* Derivatives of R = M a − Q + Cqᵀλ by q and v, for Newton's method: exact where formulas or jets
 * give them, by differences where there are only numbers. */
#include <string.h>

#include "system/generic.h"
#include "system/tangent_work.h"

/* of a coordinate's size: what a difference over both sides loses least with */
static const double step = 6e-6;

/* Σ λ ∂²Φ/∂x_i∂x_j over the rows of one level, slots i and j, from second derivatives along x_i +
 * x_j, x_i and x_j */
static double along(trm_generic *g, bool velocity, const double *lambda, int i, int j) {
  int count = velocity ? g->user->p : g->user->m;
  double sum = 0;
  for (int k = 0; k < 1 + 2 * g->user->n; k++) g->jets[k] = trm_jet_constant(g->x[k]);
  g->jets[i].d = g->jets[j].d = 1;
  trm_generic_evaluate_jets(g, velocity);
  for (int r = 0; r < count; r++) sum += lambda[r] * g->phi[r].dd;
  return sum;
}

/* out[i][j] += Σ λ ∂²Φ/∂x_(rows + i)∂x_(columns + j) */
static void add_hessian(trm_generic *g, bool velocity, const double *lambda, int rows, int columns,
                        double *out) {
  int n = g->user->n;
  for (int k = 0; k < 2 * n; k++) g->gradient[1 + k] = along(g, velocity, lambda, 1 + k, 1 + k);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int a = rows + i, b = columns + j;
      double both = a == b ? 4 * g->gradient[a] : along(g, velocity, lambda, a, b);
      out[i * n + j] += (both - g->gradient[a] - g->gradient[b]) / 2;
    }
}

/* out[i][j] += scale ∂f/∂x_(columns + j) of a formula, in row i */
static void add_gradient(trm_generic *g, const trm_quantity *f, double scale, int columns,
                         double *row) {
  if (!f->formula) return;
  int used = trm_expression_slot_count(f->formula);
  trm_expression_gradient(f->formula, g->x, g->gradient);
  for (int j = 0; j < g->user->n && columns + j < used; j++)
    row[j] += scale * g->gradient[columns + j];
}

static void add_formulas(trm_generic *g, const double *a, double *K, double *D) {
  const trm_user *user = g->user;
  int n = user->n;
  for (int i = 0; i < n; i++) {
    add_gradient(g, &user->force[i], -1, 1, K + i * n);
    add_gradient(g, &user->force[i], -1, 1 + n, D + i * n);
    if (user->mass_diagonal) add_gradient(g, &user->mass[i], a[i], 1, K + i * n);
    for (int k = 0; k < n && !user->mass_diagonal; k++)
      add_gradient(g, &user->mass[i * n + k], a[k], 1, K + i * n);
  }
}

/* f += scale (M a − Q) at the point g->y, by callbacks; M goes to g->L. */
static void add_residual(trm_generic *g, const double *a, double scale, double *f) {
  const trm_system_def *c = &g->user->callbacks;
  int n = g->user->n;
  c->force(c->context, g->y[0], g->y + 1, g->y + 1 + n, g->product);
  trm_axpy(n, -scale, g->product, f);
  c->mass(c->context, g->y[0], g->y + 1, g->L);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) f[i] += scale * g->L[i * n + k] * a[k];
}

/* f += scale Cqᵀλ at the point g->y, by callbacks that give their own Jacobians */
static void add_reactions(trm_system *sys, const double *lambda, double scale, double *f) {
  trm_generic *g = sys->generic;
  const trm_system_def *c = &g->user->callbacks;
  int n = sys->n, m = g->user->m, p = g->user->p;
  double *rows = g->rows;
  memset(rows, 0, (size_t)(m + p) * (size_t)n * sizeof *rows);
  if (c->position_jacobian) c->position_jacobian(c->context, g->y[0], g->y + 1, rows, g->residual);
  if (c->velocity_jacobian)
    c->velocity_jacobian(c->context, g->y[0], g->y + 1, g->y + 1 + n, rows + m * n);
  for (int r = 0; r < m + p; r++) trm_axpy(n, scale * lambda[r], rows + r * n, f);
}

/* Column j of K or D: slot `slot` moved to both sides. */
static void difference(trm_system *sys, const double *a, const double *lambda, int slot, int j,
                       double *out) {
  trm_generic *g = sys->generic;
  int n = sys->n;
  double h = step * fmax(fabs(g->x[slot]), sys->span[j]), *f = g->change;
  memset(f, 0, (size_t)n * sizeof *f);
  for (int side = -1; side <= 1; side += 2) {
    memcpy(g->y, g->x, (size_t)(1 + 2 * n) * sizeof(double));
    g->y[slot] += side * h;
    add_residual(g, a, side / (2 * h), f);
    add_reactions(sys, lambda, side / (2 * h), f);
  }
  for (int i = 0; i < n; i++) out[i * n + j] += f[i];
}

bool trm_generic_tangent(trm_system *sys, const double *a, const double *lambda, trm_tangent *t) {
  trm_generic *g = sys->generic;
  const trm_user *user = g->user;
  const trm_system_def *c = &user->callbacks;
  int n = sys->n;
  double *K = t->K.value, *D = t->D.value;
  memset(K, 0, (size_t)n * (size_t)n * sizeof *K);
  memset(D, 0, (size_t)n * (size_t)n * sizeof *D);
  trm_tangent_copy_mass(sys, 0, t->M);
  if (user->formulas) add_formulas(g, a, K, D);
  for (int j = 0; j < n && !user->formulas; j++) {
    difference(sys, a, lambda, 1 + j, j, K);
    difference(sys, a, lambda, 1 + n + j, j, D);
  }
  if (user->m > 0 && (user->formulas || c->position_jet)) add_hessian(g, false, lambda, 1, 1, K);
  if (user->p > 0 && (user->formulas || c->velocity_jet)) {
    add_hessian(g, true, lambda + user->m, 1 + n, 1, K);
    add_hessian(g, true, lambda + user->m, 1 + n, 1 + n, D);
  }
  return trm_generic_check_tangent(sys, K, n * n) && trm_generic_check_tangent(sys, D, n * n);
}

/* --- ∂(Cq x)/∂q --- */

/* Second derivatives of all rows of a level along x, in q or v, and a unit step of q_j (−1: none):
 * into out[row × stride], times scale */
static void add_along(trm_generic *g, bool velocity, const double *x, int j, double scale,
                      double *out, int stride) {
  int n = g->user->n, count = velocity ? g->user->p : g->user->m, first = velocity ? 1 + n : 1;
  for (int k = 0; k < 1 + 2 * n; k++) g->jets[k] = trm_jet_constant(g->x[k]);
  for (int i = 0; i < n && x; i++) g->jets[first + i].d = x[i];
  if (j >= 0) g->jets[1 + j].d += 1;
  trm_generic_evaluate_jets(g, velocity);
  for (int r = 0; r < count; r++) out[r * stride] += scale * g->phi[r].dd;
}

static void slope_by_jets(trm_generic *g, bool velocity, const double *x, double *slope) {
  int n = g->user->n;
  for (int j = 0; j < n; j++) {
    add_along(g, velocity, x, j, 0.5, slope + j, n);
    add_along(g, velocity, x, -1, -0.5, slope + j, n);
    add_along(g, velocity, NULL, j, -0.5, slope + j, n);
  }
}

static void slope_by_differences(const trm_system *sys, bool velocity, const double *x,
                                 double *slope) {
  trm_generic *g = sys->generic;
  const trm_system_def *c = &g->user->callbacks;
  int n = sys->n, count = velocity ? g->user->p : g->user->m;
  for (int j = 0; j < n; j++)
    for (int side = -1; side <= 1; side += 2) {
      double h = step * fmax(fabs(g->x[1 + j]), sys->span[j]);
      memcpy(g->y, g->x, (size_t)(1 + 2 * n) * sizeof(double));
      g->y[1 + j] += side * h;
      if (velocity)
        c->velocity_jacobian(c->context, g->y[0], g->y + 1, g->y + 1 + n, g->rows);
      else
        c->position_jacobian(c->context, g->y[0], g->y + 1, g->rows, g->residual);
      for (int r = 0; r < count; r++)
        for (int i = 0; i < n; i++) slope[r * n + j] += side / (2 * h) * g->rows[r * n + i] * x[i];
    }
}

void trm_generic_slope(const trm_system *sys, trm_tangent *t, const double *x, double *slope) {
  trm_generic *g = sys->generic;
  const trm_user *user = g->user;
  (void)t;
  memset(slope, 0, (size_t)sys->m * (size_t)sys->n * sizeof *slope);
  for (int level = 0; level < 2; level++) {
    const trm_system_def *c = &user->callbacks;
    bool jets = user->formulas || (level ? c->velocity_jet != NULL : c->position_jet != NULL);
    double *rows = slope + (level ? (ptrdiff_t)user->m * sys->n : 0);
    if ((level ? user->p : user->m) == 0) continue;
    if (jets)
      slope_by_jets(g, level, x, rows);
    else
      slope_by_differences(sys, level, x, rows);
  }
}
