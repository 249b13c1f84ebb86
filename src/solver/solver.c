/* The front of the linear solvers: the cheap factorization first, the rank-revealing one where it
 * fails. */
#include "solver/solver.h"

#include <string.h>

#include "math/rank.h"
#include "math/shifted.h"
#include "solver/massless.h"

/* Doubles; up to here the dense fallback's memory is taken at once. Beyond, it would dwarf the rest
 * of the simulation for what may never happen, and is taken from the arena at the first rank loss.
 */
static const double fallback_at_once = 4e6;
/* Beyond this a dense factorization is hopeless: the cheap one with its lost pivots left out must
 * do. */
static const double fallback_at_all = 4e7;

struct trm_solver {
  const trm_solver_class *type;
  void *self;
  trm_arena *arena;
  const trm_structure *structure;
  const double *M, *Cq;      /* of the last factorization */
  const trm_structure *seen; /* by the rank-revealing factorization: the shifted one, or the same */
  trm_shifted *shifted;      /* NULL: M is definite and the form plain */
  trm_rank *rank;            /* NULL: not needed yet, or too large */
  trm_massless *massless;    /* NULL: none */
  double *spare;             /* [m] for a lambda nobody wants */
  int limit;                 /* of the rank */
  bool sound;                /* the cheap factorization holds */
  bool fallback;             /* the rank-revealing one is in use */
  trm_solver_counters counters;
};

trm_solver *trm_solver_create(const trm_solver_class *type, trm_arena *arena,
                              const trm_structure *structure) {
  trm_solver *solver = TRM_NEW(arena, trm_solver, 1);
  if (!solver) return NULL;
  if (type->reduced && structure->own > 0) type = type->reduced;
  solver->type = type;
  solver->arena = arena;
  solver->structure = solver->seen = structure;
  solver->limit = structure->m;
  solver->spare = TRM_NEW(arena, double, structure->m + 1);
  if (!solver->spare) return NULL;
  if (type->shifts || structure->mass_singular) {
    solver->shifted = trm_shifted_create(arena, structure);
    if (!solver->shifted) return NULL;
    solver->seen = &solver->shifted->structure;
  }
  solver->self = type->create(arena, type->shifts ? solver->seen : structure);
  if (!solver->self) return NULL;
  if (trm_rank_storage(solver->seen) <= fallback_at_once) {
    solver->rank = trm_rank_create(arena, solver->seen);
    if (!solver->rank) return NULL;
  }
  if (structure->massless > 0) {
    solver->massless = trm_massless_create(arena, structure);
    if (!solver->massless) return NULL;
  }
  return solver;
}

const trm_solver_class *trm_solver_find(const char *name) {
  static const trm_solver_class *const all[] = {&trm_udwadia_kalaba, &trm_udwadia_kalaba_general,
                                                &trm_augmented};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i]->name, name) == 0) return all[i];
  return strcmp(name, "auto") == 0 ? &trm_udwadia_kalaba : NULL;
}

static void plain_solve(void *data, const double *f, const double *g, double *x, double *lambda) {
  trm_solver *solver = data;
  if (solver->shifted && (solver->fallback || solver->type->shifts))
    f = trm_shifted_force(solver->shifted, f, g);
  if (solver->fallback)
    trm_rank_solve(solver->rank, f, g, x, lambda);
  else
    solver->type->solve(solver->self, f, g, x, lambda);
}

static void fall_back(trm_solver *solver, const double *M, const double *Cq) {
  solver->counters.fallbacks++;
  if (!solver->rank && trm_rank_storage(solver->seen) <= fallback_at_all)
    solver->rank = trm_rank_create(solver->arena, solver->seen);
  if (!solver->rank) return;
  solver->fallback = true;
  trm_shifted *shifted = solver->shifted;
  if (shifted) trm_shifted_fill(shifted, M, Cq);
  solver->rank->limit = solver->limit;
  trm_rank_factor(solver->rank, shifted ? shifted->M : M, shifted ? shifted->Cq : Cq);
}

static trm_pivots factor_cheaply(trm_solver *solver, const double *M, const double *Cq) {
  trm_shifted *shifted = solver->shifted;
  if (!solver->type->shifts) return solver->type->factor(solver->self, M, Cq);
  trm_shifted_fill(shifted, M, Cq);
  return solver->type->factor(solver->self, shifted->M, shifted->Cq);
}

void trm_solver_factor(trm_solver *solver, const double *M, const double *Cq, const double *N) {
  bool redundant = solver->limit < solver->structure->m;
  solver->counters.factorizations++;
  solver->fallback = false;
  solver->M = M;
  solver->Cq = Cq;
  trm_pivots pivots = TRM_PIVOTS_LOST;
  if (!redundant || solver->type->expect) pivots = factor_cheaply(solver, M, Cq);
  solver->sound = pivots != TRM_PIVOTS_LOST;
  if (!solver->sound || (pivots == TRM_PIVOTS_DOUBTFUL && solver->rank)) fall_back(solver, M, Cq);
  if (solver->massless) trm_massless_factor(solver->massless, N, plain_solve, solver);
}

void trm_solver_solve(trm_solver *solver, const double *f, const double *g, const double *bias,
                      double *x, double *lambda) {
  plain_solve(solver, f, g, x, lambda);
  if (solver->massless) trm_massless_correct(solver->massless, bias, x, lambda);
}

void trm_solver_project(trm_solver *solver, const double *g, double *x) {
  bool skip = solver->type->skips_lambda && !solver->fallback && !solver->massless;
  trm_solver_solve(solver, NULL, g, NULL, x, skip ? NULL : solver->spare);
}

void trm_solver_limit_rank(trm_solver *solver, int rank) {
  int m = solver->structure->m;
  solver->limit = rank >= 0 && rank < m ? rank : m;
  if (solver->type->expect) solver->type->expect(solver->self, m - solver->limit);
}

int trm_solver_rank(const trm_solver *solver) {
  if (solver->fallback) return solver->rank->rank;
  return solver->sound ? solver->limit : -1;
}

/* The null space is the rank-revealing factorization's; where the cheap one left redundant rows
 * out, it comes late. */
static bool look_closely(trm_solver *solver) {
  if (!solver->fallback && solver->limit < solver->structure->m && solver->M)
    fall_back(solver, solver->M, solver->Cq);
  return solver->fallback;
}

int trm_solver_nullity(trm_solver *solver) {
  return look_closely(solver) ? solver->structure->m - solver->rank->rank : 0;
}

const double *trm_solver_null_space(trm_solver *solver) {
  return look_closely(solver) ? trm_rank_null_space(solver->rank) : NULL;
}

void trm_solver_minimum_norm(trm_solver *solver, double *lambda) {
  if (look_closely(solver)) trm_rank_minimum_norm(solver->rank, lambda);
}

trm_solver_counters trm_solver_count(const trm_solver *solver) {
  return solver->counters;
}

bool trm_solver_rotation_is_free(const trm_solver *solver, int i) {
  return solver->massless && trm_massless_is_free(solver->massless, i);
}
