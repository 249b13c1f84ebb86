/* Rows that depend on one another: their null space, and multipliers shared among them. */
#include <math.h>
#include <string.h>

#include "math/loops.h"
#include "solver/rows.h"

int trm_solver_nullity(trm_solver *solver) {
  if (!trm_rows_decide_all(solver)) return 0;
  return solver->twist.rows.m - solver->local->rank;
}

/* Into columns of all rows. */
int trm_solver_null_space(trm_solver *solver, int most, double *z) {
  int first = solver->twist.first, joints = solver->twist.rows.m, m = solver->structure->m;
  int nullity = trm_solver_nullity(solver), columns = nullity < most ? nullity : most;
  if (columns == 0) return 0;
  trm_local_rank_null_space(solver->local, columns, z);
  for (ptrdiff_t k = columns - 1; k >= 0 && first > 0; k--) {
    memmove(z + k * m + first, z + k * joints, (size_t)joints * sizeof *z);
    memset(z + k * m, 0, (size_t)first * sizeof *z);
  }
  return columns;
}

void trm_solver_dependent(trm_solver *solver, bool *dependent) {
  bool *of_joints = dependent + solver->twist.first;
  memset(dependent, 0, (size_t)solver->structure->m * sizeof *dependent);
  if (solver->left_out_count == 0) return;
  trm_twist_fill(&solver->twist, solver->Cq);
  int found = solver->large ? trm_loops_find(&solver->twist.rows, solver->twist.G, solver->cut,
                                             solver->scratch, of_joints)
                            : 0;
  if (found == solver->left_out_count) return; /* loops alone tell */
  if (trm_solver_nullity(solver) > 0) trm_local_rank_dependent(solver->local, of_joints);
}

void trm_solver_contradiction(trm_solver *solver, double *residual) {
  if (trm_rows_decide_all(solver))
    trm_local_rank_contradiction(solver->local, residual + solver->twist.first);
}

/* One solution each where the class knows no better. */
static void solve_pull(trm_solver *solver, const trm_pulls *pulls, int pull, double *lambda) {
  const trm_structure *s = solver->structure;
  double *f = solver->pull, *x = f + s->n + 1, *g = x + s->n + 1, *one = solver->unread_lambda;
  memset(f, 0, (size_t)s->n * sizeof *f);
  for (int i = 0; i < pulls->touches; i++) {
    const trm_touch *t = &pulls->touch[i];
    int b = t->block, width = trm_block_width(s, b);
    const double *row = solver->Cq + s->panel_value[b] + (ptrdiff_t)t->row * width;
    if (t->pull == pull) memcpy(f + s->q_start[b], row, (size_t)width * sizeof *f);
  }
  trm_solver_plain(solver, f, g, x, one);
  for (ptrdiff_t i = 0; i < s->m; i++) lambda[2 * i * pulls->pairs + pull] = one[i];
}

static bool solve_pulls_by_class(void *data, const trm_pulls *pulls, double *lambda) {
  const trm_solver *solver = data;
  return solver->type->solve_pulls && solver->type->solve_pulls(solver->self, pulls, lambda);
}

static bool solve_pulls(void *data, const trm_pulls *pulls, double *lambda) {
  trm_solver *solver = data;
  if (solve_pulls_by_class(data, pulls, lambda)) return true;
  for (int p = 0; p < pulls->count; p++) solve_pull(solver, pulls, p, lambda);
  return true;
}

/* The rows left out in general are all there is, and the position is regular. */
static bool find_least_norm_cheaply(trm_solver *solver, trm_least_norm_solve *solve,
                                    double *lambda) {
  bool known = solver->share && trm_solver_is_regular(solver);
  return known && trm_least_norm_apply(solver->share, solve, solver, lambda);
}

bool trm_solver_share_links(trm_solver *solver, double *lambda) {
  return find_least_norm_cheaply(solver, solve_pulls_by_class, lambda);
}

void trm_solver_minimum_norm(trm_solver *solver, double *lambda) {
  if (find_least_norm_cheaply(solver, solve_pulls, lambda) || !trm_rows_decide_all(solver)) return;
  trm_local_rank_minimum_norm(solver->local, lambda + solver->twist.first);
}
