/* Redundant rows fit the others only up to the digits they are written with, and assembly may meet
 * others than those that steps keep: from there a first step would jump onto its own. */
#include <string.h>

#include "analysis/assemble.h"
#include "math/extremes.h"

#define ROUND_OFF 1e-14 /* of the model's length; of the velocities */

static bool factor(trm_system *sys, trm_solver *solver, const double *q, const double *v) {
  if (!trm_system_position(sys, sys->t, q) || !trm_system_linearize(sys, v)) return false;
  trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
  return true;
}

/* In units of the model's own. */
static double fastest_of(const trm_system *sys, const double *v) {
  double fastest = 0;
  for (int i = 0; i < sys->n; i++) fastest = fmax(fastest, fabs(v[i]) / sys->span[i]);
  return fastest;
}

/* x moves by the least way that takes back what kept rows are off by, where that is more than
 * enough. */
static void take_back(const trm_system *sys, trm_solver *solver, const double *off, double enough,
                      double *way, double *x) {
  const bool *left_out = trm_solver_left_out(solver);
  double most = 0;
  for (int i = 0; i < sys->m; i++)
    if (!left_out[i]) most = trm_larger(most, fabs(off[i]) / trm_system_row_unit(sys, i));
  if (!(most > enough)) return;
  trm_solver_project(solver, off, way);
  trm_axpy(sys->n, -1, way, x);
}

trm_status trm_go_onto_kept_rows(trm_system *sys, trm_solver *solver, double *q, double *v) {
  trm_arena *scratch = trm_arena_create();
  double *way = scratch ? TRM_NEW(scratch, double, sys->n + sys->m + 1) : NULL;
  if (way && factor(sys, solver, q, v)) {
    take_back(sys, solver, sys->C, ROUND_OFF, way, q);
    if (factor(sys, solver, q, v)) { /* where it cannot be evaluated the start says so itself */
      double *slip = way + sys->n;
      trm_system_velocity_residual(sys, v, slip);
      take_back(sys, solver, slip, ROUND_OFF * fastest_of(sys, v), way, v);
    }
  }
  trm_arena_destroy(scratch);
  return way ? TRM_OK : TRM_NO_MEMORY;
}
