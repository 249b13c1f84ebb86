/* The front of the linear solvers: the cheap factorization first, the rank-revealing one where it
 * fails. */
#include "solver/solver.h"

#include "math/rank.h"
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
  trm_rank *rank;         /* NULL: not needed yet, or too large */
  trm_massless *massless; /* NULL: none */
  bool sound;             /* the cheap factorization holds */
  bool fallback;          /* the rank-revealing one is in use */
  trm_solver_counters counters;
};

trm_solver *trm_solver_create(const trm_solver_class *type, trm_arena *arena,
                              const trm_structure *structure) {
  trm_solver *solver = TRM_NEW(arena, trm_solver, 1);
  if (!solver) return NULL;
  solver->type = type;
  solver->arena = arena;
  solver->structure = structure;
  solver->self = type->create(arena, structure);
  if (!solver->self) return NULL;
  if (trm_rank_storage(structure) <= fallback_at_once) {
    solver->rank = trm_rank_create(arena, structure);
    if (!solver->rank) return NULL;
  }
  if (structure->massless > 0) {
    solver->massless = trm_massless_create(arena, structure);
    if (!solver->massless) return NULL;
  }
  return solver;
}

static void plain_solve(void *data, const double *f, const double *g, double *x, double *lambda) {
  trm_solver *solver = data;
  if (solver->fallback) {
    trm_rank_solve(solver->rank, f, g, x, lambda);
  } else {
    solver->type->solve(solver->self, f, g, x, lambda);
  }
}

static void fall_back(trm_solver *solver, const double *M, const double *Cq) {
  solver->counters.fallbacks++;
  if (!solver->rank && trm_rank_storage(solver->structure) <= fallback_at_all)
    solver->rank = trm_rank_create(solver->arena, solver->structure);
  if (!solver->rank) return;
  solver->fallback = true;
  trm_rank_factor(solver->rank, M, Cq);
}

void trm_solver_factor(trm_solver *solver, const double *M, const double *Cq, const double *N) {
  solver->counters.factorizations++;
  solver->fallback = false;
  solver->sound = solver->type->factor(solver->self, M, Cq);
  if (!solver->sound) fall_back(solver, M, Cq);
  if (solver->massless) trm_massless_factor(solver->massless, N, plain_solve, solver);
}

void trm_solver_solve(trm_solver *solver, const double *f, const double *g, const double *bias,
                      double *x, double *lambda) {
  plain_solve(solver, f, g, x, lambda);
  if (solver->massless) trm_massless_correct(solver->massless, bias, x, lambda);
}

int trm_solver_rank(const trm_solver *solver) {
  if (solver->fallback) return solver->rank->rank;
  return solver->sound ? solver->structure->m : -1;
}

int trm_solver_nullity(const trm_solver *solver) {
  return solver->fallback ? solver->structure->m - solver->rank->rank : 0;
}

const double *trm_solver_null_space(const trm_solver *solver) {
  return solver->fallback ? trm_rank_null_space(solver->rank) : NULL;
}

void trm_solver_minimum_norm(trm_solver *solver, double *lambda) {
  if (solver->fallback) trm_rank_minimum_norm(solver->rank, lambda);
}

trm_solver_counters trm_solver_count(const trm_solver *solver) {
  return solver->counters;
}
