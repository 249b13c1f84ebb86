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

static void name_joints(const trm_system *sys, trm_solver *solver, trm_redundancy *found) {
  int nullity = trm_solver_nullity(solver);
  const double *z = nullity ? trm_solver_null_space(solver) : NULL;
  for (int j = 0; z && j < sys->model->joint_count; j++) {
    bool part = false;
    for (int i = sys->first_primitive[j]; i < sys->first_primitive[j + 1]; i++)
      for (int r = 0; r < sys->primitives[i].rows; r++)
        part = part || takes_part(z, nullity, sys->m, sys->primitives[i].row + r);
    if (part) found->joints[found->joint_count++] = j;
  }
}

bool trm_find_redundancy(trm_system *sys, trm_solver *solver, const double *q,
                         trm_redundancy *found) {
  double *near = TRM_NEW(sys->arena, double, sys->n);
  *found = (trm_redundancy){.joints = TRM_NEW(sys->arena, int, sys->model->joint_count + 1)};
  if (!near || !found->joints) return false;
  found->at_start = trm_solver_rank(solver);
  unsigned state = 1;
  for (int i = 0; i < sys->n; i++) {
    bool length = i % sys->motion.nq < sys->motion.dim;
    near[i] = q[i] + NEARBY * (length ? sys->model->length : 1) * scatter(&state);
  }
  trm_close_position(sys, solver, sys->t, near);
  found->generic = trm_solver_rank(solver);
  name_joints(sys, solver, found);
  if (!trm_system_position(sys, sys->t, q)) return false;
  trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
  return true;
}
