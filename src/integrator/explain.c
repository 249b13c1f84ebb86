/* Why a method gives up: what stays too large, how large it is, who is behind it, and whether the
 * position is to blame. */
#include <stdio.h>
#include <string.h>

#include "integrator/integrator.h"
#include "stabilization/partition.h"
#include "system/mechanism.h"

#define NEXT_TO 0.1 /* radians to where angles are singular: they turn 1/0.1 times as fast as ω */
#define NEARLY                                                                                     \
  1e4 /* multipliers of this size, made free of units, tell of dependent constraints               \
       */

/* scale[m] = the root of the diagonal of Cq M⁻¹ Cqᵀ, M by its diagonal */
static void find_scale(const trm_dynamics *d, double *scale) {
  const trm_system *sys = d->system;
  trm_partition_weigh(sys, d->normal);
  memset(scale, 0, (size_t)sys->m * sizeof(double));
  trm_jacobian_squares(&sys->structure, sys->Cq, d->normal, scale);
  for (int i = 0; i < sys->m; i++) scale[i] = sqrt(scale[i]);
}

/* The row of a joint with the largest multiplier, made free of units; −1: none. */
static int largest_of(const trm_system *sys, const double *lambda, const double *scale,
                      double *size) {
  int row = -1;
  *size = 0;
  for (int i = 0; i < sys->m; i++) {
    double now = fabs(lambda[i]) * scale[i];
    if (now <= *size || trm_system_row_group(sys, i) < 0) continue;
    *size = now;
    row = i;
  }
  return row;
}

/* The row of a joint most in question where constraints are dependent or nearly so, else −1: by
 * inverse iteration, changes of them then take multipliers far above their own size. */
static int find_dependent(trm_dynamics *d) {
  trm_system *sys = d->system;
  double *g = sys->Qd, *lambda = d->stabilizer->g, *scale = d->mu, growth = 0;
  int row = -1, rank = trm_solver_rank(d->solver);
  find_scale(d, scale);
  if (rank >= 0 && rank < d->stabilizer->rank && trm_solver_null_space(d->solver, 1, lambda) > 0)
    return largest_of(sys, lambda, scale, &growth); /* given up already */
  for (int i = 0; i < sys->m; i++) g[i] = i % 2 ? scale[i] : -scale[i];
  for (int round = 0; round < 3; round++) {
    trm_solver_solve(d->solver, NULL, g, NULL, d->normal, lambda);
    row = largest_of(sys, lambda, scale, &growth);
    for (int i = 0; i < sys->m && growth > 0; i++) g[i] = lambda[i] * scale[i] * scale[i] / growth;
  }
  return growth > NEARLY ? row : -1;
}

void trm_failure_of(trm_failure *failure, const trm_layout *at, const double *relative) {
  int worst = 0;
  for (int i = 1; i < at->work && !isnan(relative[worst]); i++)
    if (!(fabs(relative[i]) <= fabs(relative[worst]))) worst = i;
  failure->residual = fabs(relative[worst]);
  failure->unit = " of the tolerance";
  failure->coordinate = worst % at->v;
}

/* The row that moves fastest: a mechanism driven to the end of its reach is singular there. */
static int find_driver(const trm_system *sys) {
  int row = -1;
  for (int i = 0; i < sys->m; i++)
    if (sys->Ct[i] != 0 && (row < 0 || fabs(sys->Ct[i]) > fabs(sys->Ct[row]))) row = i;
  return row >= 0 && trm_system_row_group(sys, row) >= 0 ? row : -1;
}

static void advise(trm_dynamics *d, const char *otherwise, char *text, size_t size) {
  trm_system *sys = d->system;
  int row = sys->m > 0 ? find_dependent(d) : -1;
  char name[48];
  if (row < 0) {
    snprintf(text, size, "%s", otherwise);
    return;
  }
  trm_system_group_name(sys, trm_system_row_group(sys, row), name, sizeof name);
  int used = snprintf(
      text, size,
      "the position is singular, or nearly so: constraints are dependent there, among them %s",
      name);
  int driver = find_driver(sys);
  if (driver < 0 || used < 0 || (size_t)used >= size) return;
  trm_system_group_name(sys, trm_system_row_group(sys, driver), name, sizeof name);
  snprintf(text + used, size - (size_t)used, "; perhaps the motion of joint '%s' is out of reach",
           name);
}

bool trm_explain(trm_dynamics *d, double t, const double *y, double *rates,
                 const trm_failure *failure) {
  trm_system *sys = d->system;
  char where[120], advice[240];
  if (!trm_dynamics_evaluate(d, t, y, rates)) return false; /* the system has said why */
  if (trm_system_explain_orientation(sys, NEXT_TO)) return false;
  trm_system_name_cause(sys, failure->coordinate, failure->row, where, sizeof where);
  advise(d, failure->advice, advice, sizeof advice);
  return trm_system_fail(
      sys, t, "%s, down to a step of %.3g: residual %.3g%s, most of it in %s; %s", failure->what,
      failure->step, fabs(failure->residual), failure->unit, where, advice);
}

bool trm_explain_tiny_steps(trm_dynamics *d, double t, const double *y, double h) {
  char where[120];
  int fastest = 0;
  const double *v = y + d->at.v;
  for (int i = 1; i < d->n; i++)
    if (fabs(v[i]) / d->unit[i] > fabs(v[fastest]) / d->unit[fastest]) fastest = i;
  trm_system_coordinate_name(d->system, fastest, where, sizeof where);
  return trm_system_fail(d->system, t,
                         "the motion gets no farther, its steps have come down to %.3g; the "
                         "fastest is %s: it goes to infinity, or the tolerance is beyond double "
                         "precision",
                         h, where);
}
