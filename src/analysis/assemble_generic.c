/* Assembly of a generic system at position level: its coordinates move by the smallest
 * mass-weighted change. */
#include <string.h>

#include "analysis/assemble.h"

#define NOTED 1e-9 /* of a coordinate's size: smaller moves are round-off */
#define LARGE 0.1  /* of it: worth a warning */

static trm_place row_place(const trm_system *sys, int row, const trm_condition *conditions) {
  const trm_user *user = sys->model->user;
  if (row < user->m) return trm_origin_place(sys->model, user->position_origin[row]);
  return trm_initial_place(sys->model, conditions[row - sys->groups].measure.name);
}

static trm_status refuse_evaluation(const trm_system *sys, trm_diagnostics *diagnostics) {
  trm_report_place(diagnostics, TRM_ERROR, sys->place, "the initial state cannot be evaluated: %s",
                   sys->error);
  return TRM_BAD_MODEL;
}

/* Names every row that stays open; one far below the largest is only a follower. */
static trm_status refuse(const trm_system *sys, const trm_condition *conditions,
                         trm_diagnostics *diagnostics) {
  double largest = 0;
  for (int i = 0; i < sys->m; i++) largest = fmax(largest, fabs(sys->C[i]));
  for (int i = 0; i < sys->m; i++) {
    bool condition = i >= sys->groups;
    char name[100];
    if (!(fabs(sys->C[i]) > 1e-3 * largest)) continue;
    if (condition)
      trm_report_place(diagnostics, TRM_ERROR, row_place(sys, i, conditions),
                       "initial condition '%s' cannot be met: it is off by %.3g",
                       conditions[i - sys->groups].measure.name, fabs(sys->C[i]));
    if (condition) continue;
    trm_system_group_name(sys, i, name, sizeof name);
    trm_report_place(diagnostics, TRM_ERROR, row_place(sys, i, conditions),
                     "%s cannot be met: it is off by %.3g", name, fabs(sys->C[i]));
  }
  trm_report(diagnostics, TRM_NOTE,
             "the constraints contradict one another, or the coordinates as written are too far "
             "from where they can be met");
  return TRM_BAD_MODEL;
}

static trm_status close_rows(trm_system *sys, trm_solver *solver, const trm_condition *conditions,
                             double tolerance, double *q, trm_diagnostics *diagnostics) {
  double gap = trm_close_position(sys, solver, TRM_ROUND_OFF_GAP, 0, q);
  if (isnan(gap)) return TRM_NO_MEMORY;
  if (!isfinite(gap)) return refuse_evaluation(sys, diagnostics);
  if (trm_system_violation(sys) <= fmax(tolerance, 1e-12 * sys->size)) return TRM_OK;
  return refuse(sys, conditions, diagnostics);
}

/* Conditions on the start join the constraints of this solve only. */
static trm_status close_conditions(trm_system *sys, double tolerance, double *q,
                                   trm_diagnostics *diagnostics) {
  const trm_model *model = sys->model;
  trm_arena *scratch = trm_arena_create();
  int count = 0;
  trm_condition *conditions = scratch ? trm_position_conditions(model, scratch, &count) : NULL;
  trm_status status = TRM_NO_MEMORY;
  trm_system *with =
      conditions ? trm_system_create(model, NULL, false, conditions, count, scratch) : NULL;
  trm_solver *solver =
      with ? trm_solver_create(&trm_udwadia_kalaba, scratch, &with->structure) : NULL;
  if (solver)
    status = count ? close_rows(with, solver, conditions, tolerance, q, diagnostics) : TRM_OK;
  trm_arena_destroy(scratch);
  return status;
}

static void report_moves(const trm_system *sys, const double *q, trm_assembly *assembly,
                         trm_diagnostics *diagnostics) {
  const trm_model *model = sys->model;
  const trm_user *user = model->user;
  for (int i = 0; i < sys->n; i++) {
    double moved = fabs(q[i] - user->q[i]);
    if (moved <= NOTED * sys->span[i]) continue;
    if (moved > assembly->moved) assembly->moved_body = user->names[i];
    assembly->moved = fmax(assembly->moved, moved);
    /* with conditions the user asked for it */
    bool large = model->initial_count == 0 && moved > LARGE * sys->span[i];
    trm_place place = {0};
    if (large) place = trm_origin_place(model, user->coordinate_origin[i]);
    trm_report_place(diagnostics, large ? TRM_WARNING : TRM_NOTE, place,
                     "assembly moved coordinate '%s' by %.3g", user->names[i], q[i] - user->q[i]);
  }
}

trm_status trm_assemble_generic(trm_system *sys, trm_solver *solver, double tolerance, double *q,
                                trm_assembly *assembly, trm_diagnostics *diagnostics) {
  if (!trm_system_position(sys, 0, q)) return refuse_evaluation(sys, diagnostics);
  assembly->position_gap = trm_system_violation(sys);
  trm_status status = close_conditions(sys, tolerance, q, diagnostics);
  if (status == TRM_OK) status = close_rows(sys, solver, NULL, tolerance, q, diagnostics);
  if (status == TRM_OK) report_moves(sys, q, assembly, diagnostics);
  return status;
}
