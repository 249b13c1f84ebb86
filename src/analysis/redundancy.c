/* Redundant constraints: by the left null space of Cq in a generic configuration, so that a
 * singular start is not mistaken. */
#include <string.h>

#include "analysis/assemble.h"
#include "analysis/redundancy.h"

#define NEARBY 1e-3 /* how far the generic configuration is from the start */

/* A fixed pseudo-random sequence in [−1, 1]: results must be repeatable. */
static double scatter(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)*state / 2147483648.0 - 1;
}

/* A row takes part where a null vector has more than round-off there. */
static bool takes_part(const double *null_space, int nullity, int m, int row) {
  for (int k = 0; k < nullity; k++) {
    const double *z = null_space + (ptrdiff_t)k * m;
    double largest = 0;
    for (int i = 0; i < m; i++) largest = fmax(largest, fabs(z[i]));
    if (fabs(z[row]) > 1e-6 * largest) return true;
  }
  return false;
}

/* Rows of one group stand together, and groups in their order. */
static void name_groups(const trm_system *sys, trm_solver *solver, trm_redundancy *found) {
  int nullity = trm_solver_nullity(solver), last = -1;
  const double *z = nullity ? trm_solver_null_space(solver) : NULL;
  for (int row = 0; z && row < sys->m; row++) {
    int group = trm_system_row_group(sys, row);
    if (group < 0 || group == last || !takes_part(z, nullity, sys->m, row)) continue;
    found->groups[found->group_count++] = last = group;
  }
}

/* One row for each null vector, by elimination with the largest entry: what is left without them is
 * independent. z is lost. */
static void choose_spare(double *z, int nullity, int m, bool *spare) {
  for (int k = 0; k < nullity; k++) {
    double *pivot = z + (ptrdiff_t)k * m;
    int row = 0;
    for (int i = 0; i < m; i++)
      if (fabs(pivot[i]) > fabs(pivot[row])) row = i;
    spare[row] = true;
    for (int j = k + 1; j < nullity; j++) {
      double *other = z + (ptrdiff_t)j * m, factor = other[row] / pivot[row];
      for (int i = 0; i < m; i++) other[i] -= factor * pivot[i];
      other[row] = 0;
    }
  }
}

static bool find_spare(trm_system *sys, trm_solver *solver, trm_redundancy *found) {
  int nullity = trm_solver_nullity(solver);
  size_t size = (size_t)nullity * (size_t)sys->m;
  found->spare = TRM_NEW(sys->arena, bool, sys->m + 1);
  double *z = TRM_NEW(sys->arena, double, size + 1);
  if (!found->spare || !z) return false;
  if (nullity > 0) memcpy(z, trm_solver_null_space(solver), size * sizeof(double));
  choose_spare(z, nullity, sys->m, found->spare);
  return true;
}

bool trm_find_redundancy(trm_system *sys, trm_solver *solver, const double *q,
                         trm_redundancy *found) {
  double *near = TRM_NEW(sys->arena, double, sys->n);
  *found = (trm_redundancy){.groups = TRM_NEW(sys->arena, int, sys->groups + 1)};
  if (!near || !found->groups) return false;
  found->at_start = trm_solver_rank(solver);
  unsigned state = 1;
  for (int i = 0; i < sys->n; i++) near[i] = q[i] + NEARBY * sys->span[i] * scatter(&state);
  /* nearby a formula may leave its domain: then the start must do */
  if (!isfinite(trm_close_position(sys, solver, sys->t, near))) {
    if (!trm_system_position(sys, sys->t, q)) return false;
    trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
  }
  found->generic = trm_solver_rank(solver);
  name_groups(sys, solver, found);
  if (!find_spare(sys, solver, found)) return false;
  if (!trm_system_position(sys, sys->t, q)) return false;
  trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
  return true;
}
