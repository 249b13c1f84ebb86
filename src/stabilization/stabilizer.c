/* The frame of every correction: positions iterated to the tolerance, velocities once. */
#include "stabilization/stabilizer.h"

#include <string.h>

#include "math/double2.h"
#include "math/extremes.h"

#define MAX_ITERATIONS 30
#define SAME           4e-15 /* of a coordinate's span */
#define NEARBY         1e-10 /* of the model's length, a row */
#define LEFT           1e-15 /* of its reach, a row: round-off */
#define ROUND_OFF      1e-8  /* a gap: above it, a correction that stalls has failed */

const trm_stabilization trm_stabilization_none = {.name = "none"};
const trm_stabilization trm_stabilization_embedded = {.name = "embedded"};

static const trm_stabilization *find(const char *name) {
  static const trm_stabilization *const all[] = {
      &trm_stabilization_direct, &trm_stabilization_partition, &trm_stabilization_embedded,
      &trm_stabilization_baumgarte};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i]->name, name) == 0) return all[i];
  return &trm_stabilization_none;
}

static bool measure(trm_stabilizer *st) {
  st->reach = st->system->size;
  if (!st->dx || !st->per_span) return false;
  for (int i = 0; i < st->system->n; i++) st->per_span[i] = 1 / st->system->span[i];
  trm_system_written(st->system, st->dx);
  for (int i = 0; i < st->system->n; i++) st->reach = fmax(st->reach, fabs(st->dx[i]));
  return true;
}

trm_stabilizer *trm_stabilizer_create(trm_arena *arena, trm_system *system, trm_solver *solver,
                                      const trm_settings *settings) {
  trm_stabilizer *st = TRM_NEW(arena, trm_stabilizer, 1);
  if (!st) return NULL;
  st->type = find(settings->stabilization);
  st->system = system;
  st->solver = solver;
  st->tolerance = settings->tolerance;
  st->rank = system->m;
  st->g = TRM_NEW(arena, double, system->m + 1);
  st->dx = TRM_NEW(arena, double, system->n + 1);
  st->dv = TRM_NEW(arena, double, system->n + 1);
  st->per_span = TRM_NEW(arena, double, system->n + 1);
  st->redundant = TRM_KEEP_NEW(arena, bool, system->m + 1);
  TRM_KEEP(arena, st->choices);
  TRM_KEEP(arena, st->corrections);
  TRM_KEEP(arena, st->stalls);
  if (!measure(st)) return NULL;
  bool good = st->g && st->dx && st->dv && st->redundant &&
              (!st->type->create || st->type->create(st, arena, settings));
  return good ? st : NULL;
}

/* Behind an evaluation that leaves rows of Cq out: they matter where a rank must be decided. */
static void factor(trm_stabilizer *st, const trm_evaluation *evaluation) {
  trm_system *sys = st->system;
  if (evaluation != &trm_evaluation_whole) {
    if (trm_solver_factor_links(st->solver, sys->M, sys->Cq)) return;
    trm_system_complete_rows(sys);
  }
  trm_solver_factor(st->solver, sys->M, sys->Cq, sys->N);
  if (st->type->factor) st->type->factor(st);
}

bool trm_stabilize_at(trm_stabilizer *st, const double *v) {
  if (trm_system_is_linear(st->system)) return true;
  if (!trm_system_linearize(st->system, v)) return false;
  factor(st, &trm_evaluation_whole);
  return true;
}

static bool fail(trm_system *sys, double violation, double *q) {
  trm_system_complete_rows(sys);
  trm_system_explain(sys, violation, q);
  return false;
}

/* True: it has stayed within round-off, where the factorization is the same as far as numbers tell.
 */
static bool move_back(const trm_stabilizer *st, double *q) {
  int n = st->system->n;
  trm_pair_axpy(n, -1, st->dx, q);
  return trm_largest_part(n, st->dx, st->per_span, 0) <= SAME;
}

/* The factorization of the last stage, next to it, takes back all of a small violation but the part
 * that is as small as its distance. True: it was taken back so. */
static bool correct_nearby(trm_stabilizer *st, const trm_evaluation *evaluation, double t,
                           double *q) {
  trm_system *sys = st->system;
  if (!trm_solver_is_regular(st->solver) || !evaluation->position(sys, t, q)) return false;
  if (!(trm_system_violation(sys) <= NEARBY * sys->size * sqrt(sys->m))) return false;
  st->type->project(st, sys->C, st->dx);
  st->corrections++;
  move_back(st, q);
  return true;
}

/* Within round-off, as no correction brings it down any more. */
static bool has_stalled(const trm_system *sys, double violation, double last) {
  return violation > last / 2 && trm_system_gap(sys) <= ROUND_OFF;
}

/* A correction of round-off leaves Cq as it is: both may be found at once. */
static bool joins_velocity(const trm_stabilizer *st) {
  return st->type->project_both && !st->shift && trm_system_is_linear(st->system);
}

static void project_both(trm_stabilizer *st, const double *v) {
  const double *const residual[2] = {st->system->C, st->g};
  double *const change[2] = {st->dx, st->dv};
  trm_system_velocity_residual(st->system, v, st->g);
  st->type->project_both(st, residual, change);
}

/* At least one correction: ‖C‖ then sits at round-off. Of a nearby one it must: what is more
 * becomes an acceleration near a singular position. joined: st->dv is the correction of v. */
static bool correct_position(trm_stabilizer *st, const trm_evaluation *evaluation, double t,
                             double *q, double *v, bool nearby, bool *joined) {
  trm_system *sys = st->system;
  if (sys->m == 0 && !st->shift) { /* nothing to correct */
    if (!evaluation->position(sys, t, q)) return false;
    factor(st, evaluation);
    return true;
  }
  double last = INFINITY, left = LEFT * st->reach * sqrt(sys->m);
  bool factored = false, corrected = nearby && correct_nearby(st, evaluation, t, q);
  for (int i = 0; i < MAX_ITERATIONS; i++) {
    /* where a rank had to be decided last time Cq will be needed again */
    bool regular = trm_solver_is_regular(st->solver);
    const trm_evaluation *by = regular ? evaluation : &trm_evaluation_whole;
    if (!by->position(sys, t, q)) return false;
    double violation = trm_system_violation(sys);
    if (!isfinite(violation)) return fail(sys, violation, q);
    if (!factored) factor(st, by);
    bool met = violation <= st->tolerance;
    if (i == 0 ? corrected && violation <= left : met || has_stalled(sys, violation, last)) {
      st->stalls += !met;
      return true;
    }
    bool both = i == 0 && violation <= left && joins_velocity(st);
    if (both)
      project_both(st, v);
    else
      st->type->project(st, sys->C, st->dx);
    st->corrections++;
    factored = move_back(st, q) && !st->shift;
    *joined = (both || *joined) && factored;
    if (i == 0 && st->shift) st->shift(st->shift_context, q, v);
    last = violation;
  }
  trm_pair_axpy(sys->n, 1, st->dx, q); /* back to where that violation was */
  return fail(sys, last, q);
}

/* One projection meets linear constraints; others are linearized anew at each iteration, and at the
 * velocities it leaves. */
static bool correct_velocity(trm_stabilizer *st, double *v) {
  trm_system *sys = st->system;
  double last = INFINITY;
  for (int i = 0; i < MAX_ITERATIONS && sys->m > 0; i++) {
    double violation = trm_system_velocity_residual(sys, v, st->g);
    bool met = violation <= st->tolerance, stalled = !(violation <= last / 2);
    if (i > 0 && (met || stalled)) break;
    double *dv = i == 0 ? st->dv : st->dx;
    st->type->project(st, st->g, dv);
    trm_pair_axpy(sys->n, -1, dv, v);
    if (trm_system_is_linear(sys)) break;
    if (!trm_stabilize_at(st, v)) return false;
    last = violation;
  }
  return true;
}

bool trm_stabilize(trm_stabilizer *st, const trm_evaluation *evaluation, double t, double *q,
                   double *v, bool nearby) {
  trm_system *sys = st->system;
  trm_system_take_states(sys, v);
  if (st->type->project) {
    bool joined = false;
    if (!correct_position(st, evaluation, t, q, v, nearby, &joined)) return false;
    if (joined)
      trm_pair_axpy(sys->n, -1, st->dv, v);
    else if (!trm_stabilize_at(st, v) || !correct_velocity(st, v))
      return false;
  } else {
    if (!trm_system_position(sys, t, q) || !trm_system_linearize(sys, v)) return false;
    factor(st, &trm_evaluation_whole);
  }
  sys->velocity_violation = trm_system_velocity_residual(sys, v, st->g);
  return true;
}
