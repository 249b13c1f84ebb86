/* A system of the user's own: its stages and measures, by the same operations as a mechanism's. */
#include "system/generic.h"

#include <stdio.h>
#include <string.h>

static void written(const trm_system *sys, double *q) {
  memcpy(q, sys->generic->user->q, (size_t)sys->n * sizeof *q);
}

static void given_velocities(const trm_system *sys, const double *q, double *v) {
  (void)q;
  memcpy(v, sys->generic->user->v, (size_t)sys->n * sizeof *v);
}

static bool evaluate_mass(trm_system *sys) {
  trm_generic *g = sys->generic;
  const trm_user *user = g->user;
  const trm_system_def *c = &user->callbacks;
  if (g->mass_ready) return true;
  int count = user->mass_diagonal ? user->n : user->n * user->n;
  if (user->formulas)
    for (int k = 0; k < count; k++) sys->M[k] = trm_quantity_value(&user->mass[k], g->x);
  else
    c->mass(c->context, g->x[0], g->x + 1, sys->M);
  if (!trm_generic_check_mass(sys)) return false;
  g->mass_ready = user->mass_constant;
  return true;
}

/* A and Φᵥ = A v + Ct at the velocities of g->linear */
static bool evaluate_velocity_rows(trm_system *sys) {
  trm_generic *g = sys->generic;
  int n = sys->n, m = g->user->m, p = g->user->p;
  if (p == 0) return true;
  double *A = sys->Cq + (ptrdiff_t)m * n, *Ct = sys->Ct + m;
  memcpy(g->y, g->x, (size_t)(1 + n) * sizeof(double));
  memcpy(g->y + 1 + n, g->linear, (size_t)n * sizeof(double));
  trm_generic_velocity_rows(g, g->y, Ct, A);
  if (!trm_generic_check_rows(sys, true)) return false;
  for (int i = 0; i < p; i++)
    for (int j = 0; j < n; j++) Ct[i] -= A[i * n + j] * g->linear[j];
  return true;
}

static void evaluate_conditions(trm_system *sys) {
  const trm_generic *g = sys->generic;
  int first = g->user->m + g->user->p;
  for (int i = 0; i < g->condition_count; i++) {
    const trm_condition *c = &g->conditions[i];
    int row = first + i;
    sys->Cq[row * sys->n + c->measure.index] = 1;
    sys->C[row] = c->rate ? 0 : g->x[1 + c->measure.index] - c->value;
    sys->Ct[row] = c->rate ? -c->value : 0;
  }
}

static bool position(trm_system *sys, double t, const double *q) {
  trm_generic *g = sys->generic;
  sys->t = g->x[0] = t;
  sys->place = (trm_place){0};
  memcpy(g->x + 1, q, (size_t)sys->n * sizeof *q);
  if (!trm_generic_check_state(sys) || !evaluate_mass(sys)) return false;
  trm_generic_position_rows(g, g->x, sys->C, sys->Cq, sys->Ct);
  if (!trm_generic_check_rows(sys, false) || !evaluate_velocity_rows(sys)) return false;
  evaluate_conditions(sys);
  return true;
}

static void drop_rates(trm_system *sys) {
  for (int i = 0; i < sys->m; i++)
    if (sys->rate_row[i])
      memset(sys->Cq + (ptrdiff_t)i * sys->n, 0, (size_t)sys->n * sizeof(double));
}

static void take_velocity(trm_system *sys, const double *v) {
  memcpy(sys->generic->x + 1 + sys->n, v, (size_t)sys->n * sizeof *v);
}

static void take_position(trm_system *sys, const double *q) {
  memcpy(sys->generic->x + 1, q, (size_t)sys->n * sizeof *q);
}

static bool linearize(trm_system *sys, const double *v) {
  memcpy(sys->generic->linear, v, (size_t)sys->n * sizeof *v);
  return evaluate_velocity_rows(sys);
}

/* Velocity constraints that are not linear have their own value, not A v + Ct. */
static void residual(const trm_system *sys, const double *v, double *r) {
  trm_generic *g = sys->generic;
  trm_rows_residual(sys, v, r);
  memcpy(g->y, g->x, (size_t)(1 + sys->n) * sizeof(double));
  memcpy(g->y + 1 + sys->n, v, (size_t)sys->n * sizeof *v);
  trm_generic_velocity_value(g, g->y, r + g->user->m);
}

static bool velocity(trm_system *sys, const double *v) {
  trm_generic *g = sys->generic;
  const trm_user *user = g->user;
  const trm_system_def *c = &user->callbacks;
  sys->v = v;
  sys->power = 0;
  take_velocity(sys, v);
  if (!trm_generic_check_state(sys)) return false;
  if (user->formulas)
    for (int i = 0; i < user->n; i++) sys->Q[i] = trm_quantity_value(&user->force[i], g->x);
  else
    c->force(c->context, g->x[0], g->x + 1, g->x + 1 + user->n, sys->Q);
  if (c->power) sys->power = c->power(c->context, g->x[0], g->x + 1, g->x + 1 + user->n);
  trm_generic_position_gamma(g, g->x, sys->Qd);
  trm_generic_velocity_gamma(g, g->x, sys->Qd + user->m);
  for (int i = user->m + user->p; i < sys->m; i++) sys->Qd[i] = 0;
  return trm_generic_check_velocity(sys);
}

/* An energy that can be differentiated: what the equations do to it, λᵀΦ̇ taken out, which is zero
 * but for the violation. Else the user's own figure, and what moving constraints bring in. */
static double power(const trm_system *sys) {
  trm_generic *g = sys->generic;
  if (!sys->has_energy) return 0;
  bool rate = trm_generic_energy_has_rate(g);
  double sum = rate ? trm_generic_energy_rate(g, g->x, sys->a) : sys->power;
  trm_system_velocity_residual(sys, sys->v, g->residual);
  for (int i = 0; i < sys->m; i++) sum += sys->lambda[i] * g->residual[i];
  if (rate) return sum;
  trm_jacobian_times(&sys->structure, sys->Cq, sys->v, g->residual);
  for (int i = 0; i < sys->m; i++) sum -= sys->lambda[i] * g->residual[i];
  return sum;
}

static double power_by_lambda(const trm_system *sys, int row) {
  bool given = sys->has_energy && !trm_generic_energy_has_rate(sys->generic);
  return given ? sys->Ct[row] : 0; /* else it is Φ̇ = 0 */
}

static void accept(trm_system *sys, double fastest) {
  (void)sys;
  (void)fastest;
}

static unsigned long branch(trm_system *sys, double t, const double *q, const double *v) {
  trm_generic *g = sys->generic;
  sys->t = g->x[0] = t;
  take_position(sys, q);
  take_velocity(sys, v);
  return trm_pieces_branch(sys, g->x);
}

static double kinetic(const trm_system *sys) {
  trm_generic *g = sys->generic;
  const double *v = g->x + 1 + sys->n;
  double sum = 0;
  trm_mass_times(&sys->structure, sys->M, v, g->product);
  for (int i = 0; i < sys->n; i++) sum += v[i] * g->product[i];
  return sum / 2;
}

static double potential(const trm_system *sys) {
  return sys->has_energy ? trm_generic_energy(sys->generic, sys->generic->x) - kinetic(sys) : 0;
}

static void measure(const trm_system *sys, const trm_measure *wanted, trm_reading *reading) {
  const double *q = sys->generic->x + 1, *v = q + sys->n;
  const double *levels[] = {q, v, sys->a};
  reading->parts[wanted->component] = wanted->kind == TRM_MEASURE_MULTIPLIER
                                          ? sys->lambda[wanted->index]
                                          : levels[wanted->level][wanted->index];
}

/* Velocities are linear in v: nothing else of velocity level has a name. */
static bool gradient(const trm_system *sys, const trm_measure *wanted, double *row) {
  bool velocity_level = wanted->kind == TRM_MEASURE_COORDINATE && wanted->level == 1;
  memset(row, 0, (size_t)sys->n * sizeof *row);
  if (velocity_level) row[wanted->index] = 1;
  return velocity_level;
}

static int row_group(const trm_system *sys, int row) {
  return row < sys->groups ? row : -1;
}

static void coordinate_name(const trm_system *sys, int coordinate, char *text, size_t size) {
  snprintf(text, size, "coordinate '%.200s'", sys->generic->user->names[coordinate]);
}

static void explain(trm_system *sys, double violation, double *q) {
  int worst = 0;
  char name[100];
  (void)q;
  for (int i = 1; i < sys->m && !isnan(sys->C[worst]); i++)
    if (!(fabs(sys->C[i]) <= fabs(sys->C[worst]))) worst = i;
  trm_generic_row_name(sys, worst, name, sizeof name);
  trm_system_fail(sys, sys->t,
                  "the constraints cannot be met: violation %.3g, most of it in %s; a smaller step "
                  "may help",
                  fabs(violation), name);
}

#define OPERATIONS                                                                                 \
  .least = &trm_evaluation_whole, .written = written, .given_velocities = given_velocities,        \
  .position = position, .velocity = velocity, .drop_rates = drop_rates,                            \
  .take_velocity = take_velocity, .take_position = take_position, .times = trm_rows_times,         \
  .power = power, .power_by_lambda = power_by_lambda, .accept = accept, .branch = branch,          \
  .kinetic = kinetic, .potential = potential, .measure = measure, .gradient = gradient,            \
  .tangent = trm_generic_tangent, .slope = trm_generic_slope, .row_group = row_group,              \
  .group_name = trm_generic_row_name, .coordinate_name = coordinate_name, .explain = explain

const trm_system_class trm_generic_linear = {OPERATIONS, .residual = trm_rows_residual};
const trm_system_class trm_generic_nonlinear = {OPERATIONS, .linearize = linearize,
                                                .residual = residual};
