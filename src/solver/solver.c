/* The front of the linear solvers: the cheap factorization first, a rank decision where its pivots
 * ask for one, and the same factorization again without the rows that are then left out. */
#include <math.h>
#include <string.h>

#include "math/double2.h"
#include "math/tree.h"
#include "solver/rows.h"

/* Digits come back with each refinement; where they do not, it is the last. */
enum { refinements = 6 };
static const double least_gain = 0.5;
/* About √eps of a solution: the next correction would be as small a part of this one, so eps of it.
 */
static const double settled = 1e-8;

/* ---- creation ---- */

static const trm_solver_class *choose(const trm_solver_class *type, const trm_structure *s) {
  if (type->tree && s->tree && s->m == s->tree->balls) return type->tree;
  return type->reduced && s->intrinsic > 0 ? type->reduced : type;
}

trm_solver *trm_solver_create_linear(const trm_solver_class *type, trm_arena *arena,
                                     const trm_structure *structure, trm_linear linear) {
  trm_solver *solver = TRM_NEW(arena, trm_solver, 1);
  if (!solver) return NULL;
  solver->type = choose(type, structure);
  solver->arena = arena;
  solver->structure = structure;
  if (solver->type->shifts) solver->shifted = trm_shifted_create(arena, structure);
  if (solver->type->shifts && !solver->shifted) return NULL;
  if (!trm_rows_create(solver, linear)) return NULL;
  const trm_structure *seen = solver->shifted ? &solver->shifted->structure : structure;
  solver->self = solver->type->create(arena, seen, linear);
  if (structure->massless > 0) solver->massless = trm_massless_create(arena, structure);
  return solver->self && (solver->massless || structure->massless == 0) ? solver : NULL;
}

trm_solver *trm_solver_create(const trm_solver_class *type, trm_arena *arena,
                              const trm_structure *structure) {
  return trm_solver_create_linear(type, arena, structure, TRM_LINEAR_AUTO);
}

const trm_solver_class *trm_solver_find(const char *name) {
  static const trm_solver_class *const all[] = {&trm_udwadia_kalaba, &trm_udwadia_kalaba_general,
                                                &trm_augmented};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i]->name, name) == 0) return all[i];
  return strcmp(name, "auto") == 0 ? &trm_udwadia_kalaba : NULL;
}

trm_linear trm_linear_find(const char *name) {
  if (strcmp(name, "dense") == 0) return TRM_LINEAR_DENSE;
  return strcmp(name, "sparse") == 0 ? TRM_LINEAR_SPARSE : TRM_LINEAR_AUTO;
}

/* ---- the cheap factorization ---- */

static double note(trm_solver *solver, double pivot) {
  if (pivot < solver->lowest) solver->lowest = pivot;
  return solver->least = pivot;
}

double trm_solver_factor_cheaply(trm_solver *solver) {
  const double *M = solver->M, *Cq = solver->Cq;
  if (solver->shifted) {
    trm_shifted_fill(solver->shifted, M, Cq, solver->left_out);
    M = solver->shifted->M;
    Cq = solver->shifted->Cq;
  }
  return note(solver, solver->type->factor(solver->self, M, Cq));
}

void trm_solver_set_left_out(trm_solver *solver, const bool *rows, int count) {
  memmove(solver->left_out, rows, (size_t)solver->structure->m * sizeof *rows);
  solver->left_out_count = count;
  solver->type->omit(solver->self, solver->left_out);
}

static void begin(trm_solver *solver, const double *M, const double *Cq) {
  solver->counters.factorizations++;
  solver->M = M;
  solver->Cq = Cq;
  solver->decided = solver->unknown = solver->near = false;
  if (solver->rank_lost)
    trm_solver_set_left_out(solver, solver->redundant, solver->redundant_count);
  solver->rank_lost = false;
}

/* ---- factorization and solution ---- */

TRM_INLINE void solve_once(trm_solver *solver, const double *f, const double *g, double *x,
                           double *lambda) {
  if (solver->shifted) f = trm_shifted_force(solver->shifted, f, g);
  solver->type->solve(solver->self, f, g, x, lambda);
}

static bool is_weak(const trm_solver *solver) {
  bool light = solver->shifted && solver->shifted->lightest < TRM_PIVOT_WEAK;
  double weak = solver->type->roots ? sqrt(TRM_PIVOT_WEAK) : TRM_PIVOT_WEAK;
  return solver->least < weak || light;
}

static bool is_little(int size, const double *dx, const double *x) {
  return trm_pair_dot(size, dx, dx) <= settled * settled * trm_pair_dot(size, x, x);
}

/* On the full equations, with M and Cq as they are. */
static void refine(trm_solver *solver, const double *f, const double *g, double *x,
                   double *lambda) {
  const trm_structure *s = solver->structure;
  double *rf = solver->rest, *rg = rf + s->n, *dx = rg + s->m, *dl = dx + s->n, last = INFINITY;
  for (int k = 0; k < refinements; k++) {
    trm_structure_residual(s, solver->M, solver->Cq, f, g, x, lambda, rf, rg);
    for (int i = 0; i < s->m; i++)
      if (solver->left_out[i]) rg[i] = 0;
    solve_once(solver, rf, rg, dx, dl);
    double size = trm_pair_dot(s->n, dx, dx);
    if (!(size < least_gain * least_gain * last)) return;
    trm_pair_axpy(s->n, 1, dx, x);
    trm_pair_axpy(s->m, 1, dl, lambda);
    if (is_little(s->n, dx, x) && is_little(s->m, dl, lambda)) return;
    last = size;
  }
}

void trm_solver_plain(void *data, const double *f, const double *g, double *x, double *lambda) {
  trm_solver *solver = data;
  solve_once(solver, f, g, x, lambda);
  if (!solver->type->refines && is_weak(solver)) refine(solver, f, g, x, lambda);
}

void trm_solver_factor(trm_solver *solver, const double *M, const double *Cq, const double *N) {
  begin(solver, M, Cq);
  trm_solver_factor_cheaply(solver);
  if (!trm_rows_are_independent(solver)) trm_rows_decide(solver);
  if (solver->massless) trm_massless_factor(solver->massless, N, trm_solver_plain, solver);
}

bool trm_solver_accelerates(const trm_solver *solver) {
  return solver->type->accelerate && !solver->massless;
}

bool trm_solver_accelerate(trm_solver *solver, const trm_stage *stage) {
  begin(solver, stage->M, stage->Cq);
  note(solver, solver->type->accelerate(solver->self, stage));
  return trm_rows_are_independent(solver);
}

bool trm_solver_factor_links(trm_solver *solver, const double *M, const double *Cq) {
  begin(solver, M, Cq);
  note(solver, solver->type->factor(solver->self, M, Cq));
  return trm_rows_are_independent(solver);
}

void trm_solver_solve(trm_solver *solver, const double *f, const double *g, const double *bias,
                      double *x, double *lambda) {
  if (f && solver->decided) trm_rows_doubt(solver, f, g);
  trm_solver_plain(solver, f, g, x, lambda);
  if (solver->massless) trm_massless_correct(solver->massless, bias, x, lambda);
}

void trm_solver_project(trm_solver *solver, const double *g, double *x) {
  bool skip = solver->type->skips_lambda && !solver->massless;
  trm_solver_solve(solver, NULL, g, NULL, x, skip ? NULL : solver->unread_lambda);
}

void trm_solver_project_both(trm_solver *solver, const double *const g[2], double *const x[2]) {
  bool can = solver->type->project_both && !solver->massless;
  if (can && solver->type->project_both(solver->self, g, x)) return;
  for (int k = 0; k < 2; k++) trm_solver_project(solver, g[k], x[k]);
}

void trm_solver_want_intrinsic(trm_solver *solver, bool wanted) {
  if (solver->type->want_intrinsic) solver->type->want_intrinsic(solver->self, wanted);
}

trm_solver_counters trm_solver_count(const trm_solver *solver) {
  return solver->counters;
}

void trm_solver_accept(trm_solver *solver) {
  if (solver->massless) trm_massless_accept(solver->massless);
}

void trm_solver_find_free(const trm_solver *solver, bool *free) {
  if (solver->massless) trm_massless_find_free(solver->massless, free);
}
