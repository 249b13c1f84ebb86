/* Direct correction, 000 eq. 78–79: mass-weighted by default, iterated at position level, once at
 * velocity level. */
#include <stdio.h>
#include <string.h>

#include "stabilization/stabilizer.h"

#define MAX_ITERATIONS 30
#define ROUND_OFF      1e-8 /* of the model's length: above it, a correction that stalls has failed */

static double *unit_mass(trm_arena *arena, const trm_structure *s) {
  double *M = TRM_NEW(arena, double, s->mass_value[s->blocks]);
  if (!M) return NULL;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    for (int i = 0; i < width; i++)
      M[s->mass_value[b] + (s->mass_diagonal ? i : i * width + i)] = 1;
  }
  return M;
}

trm_stabilizer *trm_stabilizer_create(trm_arena *arena, trm_system *system, trm_solver *solver,
                                      const trm_solver_class *type, const trm_settings *settings) {
  trm_stabilizer *st = TRM_NEW(arena, trm_stabilizer, 1);
  if (!st) return NULL;
  st->system = system;
  st->solver = st->projector = solver;
  st->correct = strcmp(settings->stabilization, "direct") == 0;
  st->tolerance = settings->tolerance;
  st->dq = TRM_NEW(arena, double, system->n);
  st->mu = TRM_NEW(arena, double, system->m + 1);
  st->g = TRM_NEW(arena, double, system->m + 1);
  if (!st->dq || !st->mu || !st->g) return NULL;
  if (strcmp(settings->weighting, "none") != 0) return st;
  st->plain = system->structure;
  st->plain.massless = 0; /* with M = I no rotation is massless */
  st->plain.mass_constant = true;
  st->identity = unit_mass(arena, &st->plain);
  st->projector = trm_solver_create(type, arena, &st->plain);
  return st->identity && st->projector ? st : NULL;
}

static void factor(trm_stabilizer *st) {
  const trm_system *sys = st->system;
  trm_solver_factor(st->solver, sys->M, sys->Cq, sys->N);
  if (st->identity) trm_solver_factor(st->projector, st->identity, sys->Cq, NULL);
}

/* x −= M⁻¹Cqᵀ(Cq M⁻¹Cqᵀ)⁺ residual; residual may be st->g */
static void project(trm_stabilizer *st, const double *residual, double *x) {
  for (int i = 0; i < st->system->m; i++) st->g[i] = -residual[i];
  trm_solver_solve(st->projector, NULL, st->g, NULL, st->dq, st->mu);
  trm_axpy(st->system->n, 1, st->dq, x);
}

static int worst_row(const trm_system *sys) {
  int worst = 0;
  for (int i = 1; i < sys->m; i++)
    if (!(fabs(sys->C[i]) <= fabs(sys->C[worst]))) worst = i;
  return worst;
}

static bool fail(trm_system *sys, double violation) {
  int row = worst_row(sys), joint = trm_system_row_joint(sys, row);
  int body = trm_system_row_body(sys, row);
  const char *kind = joint >= 0 ? "joint" : "body";
  const char *name = joint >= 0  ? sys->model->joints[joint].name
                     : body >= 0 ? sys->model->bodies[body].name
                                 : "?";
  snprintf(sys->error, sizeof sys->error,
           "t = %.9g: the constraints cannot be met: violation %.3g, most of it in %s '%s'; "
           "a smaller step may help",
           sys->t, violation, kind, name);
  return false;
}

static bool correct_position(trm_stabilizer *st, double t, double *q) {
  trm_system *sys = st->system;
  double last = INFINITY, floor = ROUND_OFF * sys->model->length;
  for (int i = 0; i < MAX_ITERATIONS; i++) {
    if (!trm_system_position(sys, t, q)) return false;
    double violation = trm_system_violation(sys);
    if (!isfinite(violation)) return fail(sys, violation);
    factor(st);
    bool met = violation <= st->tolerance, stalled = violation > last / 2 && violation <= floor;
    if (i > 0 && (met || stalled)) { /* at least one correction: ‖C‖ then sits at round-off */
      st->stalls += !met;
      return true;
    }
    project(st, sys->C, q);
    st->corrections++;
    last = violation;
  }
  return fail(sys, last);
}

bool trm_stabilize(trm_stabilizer *st, double t, double *q, double *v) {
  trm_system *sys = st->system;
  if (!st->correct) {
    if (!trm_system_position(sys, t, q)) return false;
    factor(st);
    sys->velocity_violation = trm_system_velocity_residual(sys, v, st->g);
    return true;
  }
  if (!correct_position(st, t, q)) return false;
  trm_system_velocity_residual(sys, v, st->g);
  project(st, st->g, v);
  sys->velocity_violation = trm_system_velocity_residual(sys, v, st->g);
  return true;
}
