/* Redundant constraints: by the left null space of Cq in a generic configuration, so that a
 * singular start is not mistaken. */
#include <string.h>

#include "analysis/assemble.h"
#include "analysis/redundancy.h"

#define NEARBY 1e-3  /* how far the generic configuration is from the start */
#define NEXT   1e-5  /* and at least */
#define CLOSED 1e-10 /* a gap: then it is on the constraints */

/* A fixed pseudo-random sequence in [−1, 1]: results must be repeatable. */
static double scatter(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)*state / 2147483648.0 - 1;
}

/* Rows of one group stand together, and groups in their order. */
static bool name_groups(const trm_system *sys, trm_solver *solver, trm_redundancy *found) {
  bool *dependent = TRM_NEW(sys->arena, bool, sys->m + 1);
  if (!dependent) return false;
  trm_solver_dependent(solver, dependent);
  for (int row = 0, last = -1; row < sys->m; row++) {
    int group = dependent[row] ? trm_system_row_group(sys, row) : -1;
    if (group < 0 || group == last) continue;
    found->groups[found->group_count++] = last = group;
  }
  return true;
}

/* Off the constraints redundant rows contradict one another: what the start has too many of is left
 * out, unless the start alone is singular and the others do not close it. */
static double close_nearby(trm_system *sys, trm_solver *solver, const bool *at_start, double *q) {
  trm_solver_set_redundant(solver, at_start);
  double gap = trm_close_position(sys, solver, CLOSED, sys->t, q);
  trm_solver_set_redundant(solver, NULL);
  return gap <= CLOSED ? gap : trm_close_position(sys, solver, CLOSED, sys->t, q);
}

/* A generic configuration, on the constraints: beside them redundant rows look independent. False:
 * nearby a formula leaves its domain. */
static bool go_nearby(trm_system *sys, trm_solver *solver, const bool *at_start, const double *q,
                      double *near) {
  double gap = INFINITY;
  for (double way = NEARBY; way > NEXT / 2 && !(gap <= CLOSED); way /= 10) {
    unsigned state = 1;
    for (int i = 0; i < sys->n; i++) near[i] = q[i] + way * sys->span[i] * scatter(&state);
    gap = close_nearby(sys, solver, at_start, near);
  }
  return isfinite(gap);
}

static bool factor_at(trm_system *sys, trm_solver *solver, const double *q) {
  if (!trm_system_position(sys, sys->t, q)) return false;
  trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
  return true;
}

/* Assembly has found which rows are redundant. */
static bool keep_misfits(trm_system *sys, trm_solver *solver, const double *q,
                         trm_redundancy *found) {
  memcpy(found->redundant, sys->inconsistent, (size_t)sys->m * sizeof(bool));
  trm_solver_set_redundant(solver, found->redundant);
  if (!factor_at(sys, solver, q)) return false;
  found->generic = found->at_start = trm_solver_rank(solver);
  return name_groups(sys, solver, found);
}

bool trm_find_redundancy(trm_system *sys, trm_solver *solver, const double *q,
                         trm_redundancy *found) {
  double *near = TRM_NEW(sys->arena, double, sys->n);
  *found = (trm_redundancy){.groups = TRM_NEW(sys->arena, int, sys->groups + 1)};
  if (!near || !found->groups) return false;
  int most = sys->m < sys->n ? sys->m : sys->n;
  found->redundant = TRM_NEW(sys->arena, bool, sys->m + 1);
  if (!found->redundant) return false;
  if (sys->inconsistent) return keep_misfits(sys, solver, q, found);
  if (!factor_at(sys, solver, q)) return false;
  found->at_start = trm_solver_rank(solver);
  if (found->at_start < 0) found->at_start = most;
  memcpy(found->redundant, trm_solver_left_out(solver), (size_t)sys->m * sizeof(bool));
  bool closed = go_nearby(sys, solver, found->redundant, q, near); /* else the start must do */
  if (!factor_at(sys, solver, closed ? near : q)) return false;
  found->generic = trm_solver_rank(solver);
  if (found->generic < 0) found->generic = most; /* too large to say: nothing is claimed */
  if (!name_groups(sys, solver, found)) return false;
  memcpy(found->redundant, trm_solver_left_out(solver), (size_t)sys->m * sizeof(bool));
  trm_solver_set_redundant(solver, found->redundant);
  if (!factor_at(sys, solver, q)) return false;
  trm_solver_choose_anew(solver); /* the best, not only some: multipliers of bad ones are large */
  if (trm_solver_is_regular(solver))
    memcpy(found->redundant, trm_solver_left_out(solver), (size_t)sys->m * sizeof(bool));
  return true;
}
