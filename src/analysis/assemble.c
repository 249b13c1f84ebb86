/* Assembly at position level, and the report of what moved. */
#include "analysis/assemble.h"

#include <string.h>

#include "analysis/velocities.h"

#define MAX_ITERATIONS 100
#define MAX_HALVINGS   12
#define NOTED          1e-9 /* of the model's length: smaller moves are round-off */
#define LARGE          0.1  /* of it: worth a warning */
#define TOO_FAR        1.0  /* of it: a joint this far open is a mistake, not an inaccuracy */

/* q + scale dq into trial; ‖C‖ there, infinite where it cannot be evaluated */
static double try_step(trm_system *sys, double t, const double *q, const double *dq, double scale,
                       double *trial) {
  for (int i = 0; i < sys->n; i++) trial[i] = q[i] + scale * dq[i];
  if (!trm_system_position(sys, t, trial)) return INFINITY;
  double violation = trm_system_violation(sys);
  return isfinite(violation) ? violation : INFINITY;
}

double trm_close_position(trm_system *sys, trm_solver *solver, double t, double *q) {
  trm_arena *scratch = trm_arena_create();
  double *dq = scratch ? TRM_NEW(scratch, double, sys->n) : NULL;
  double *trial = scratch ? TRM_NEW(scratch, double, sys->n) : NULL;
  double *mu = scratch ? TRM_NEW(scratch, double, 2 * sys->m + 1) : NULL, *g = mu + sys->m;
  double violation = INFINITY, enough = 1e-15 * sys->model->length;
  if (dq && trial && mu && trm_system_position(sys, t, q)) violation = trm_system_violation(sys);
  for (int i = 0; i < MAX_ITERATIONS && isfinite(violation); i++) {
    trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
    if (violation <= enough) break;
    for (int k = 0; k < sys->m; k++) g[k] = -sys->C[k];
    trm_solver_solve(solver, NULL, g, NULL, dq, mu);
    double scale = 1, next = try_step(sys, t, q, dq, scale, trial);
    for (int h = 0; h < MAX_HALVINGS && !(next < violation); h++)
      next = try_step(sys, t, q, dq, scale /= 2, trial);
    if (!(next < violation)) break;
    memcpy(q, trial, (size_t)sys->n * sizeof(double));
    violation = next;
  }
  if (trm_system_position(sys, t, q)) trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
  trm_arena_destroy(scratch);
  return violation;
}

static void report_gap(const trm_system *sys, const trm_primitive *p,
                       const trm_condition *conditions, int first_condition,
                       trm_diagnostics *diagnostics) {
  double gap = trm_norm_of(p->rows, sys->C + p->row);
  if (p->joint >= 0)
    trm_report(diagnostics, TRM_ERROR, "joint '%s' cannot close: its gap is %.3g",
               sys->model->joints[p->joint].name, gap);
  else
    trm_report(diagnostics, TRM_ERROR, "initial condition '%s' cannot be met: it is off by %.3g",
               conditions[p - sys->primitives - first_condition].measure.name, gap);
}

/* Bodies that assembly had to stretch are made rigid again: what then stays open are the joints. */
static void make_rigid(trm_system *sys, double *q) {
  const trm_coordinates *co = sys->motion.coordinates;
  for (int b = 0; b < sys->motion.bodies && co->intrinsic > 0; b++) {
    trm_frame *frame = &sys->motion.frames[b];
    double angle = atan2(frame->a[0][1] - frame->a[1][0], frame->a[0][0] + frame->a[1][1]);
    frame->a[0][0] = frame->a[1][1] = cos(angle);
    frame->a[0][1] = sin(angle);
    frame->a[1][0] = -sin(angle);
    co->from_pose(frame, angle, q + b * co->nq);
  }
  trm_system_position(sys, sys->t, q);
}

/* Names every joint and condition that stays open; a gap far below the largest one is only a
 * follower. */
static trm_status refuse(trm_system *sys, const trm_condition *conditions, double tolerance,
                         double *q, trm_diagnostics *diagnostics) {
  double largest = 0;
  make_rigid(sys, q);
  for (int i = 0; i < sys->m; i++) largest = fmax(largest, fabs(sys->C[i]));
  if (!isfinite(trm_system_violation(sys)))
    trm_report(diagnostics, TRM_ERROR, "the initial state cannot be evaluated%s%s",
               sys->error[0] ? ": " : "", sys->error);
  int joints = sys->first_primitive[sys->model->joint_count];
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    double gap = trm_norm_of(p->rows, sys->C + p->row);
    if (gap > fmax(tolerance, 1e-3 * largest)) report_gap(sys, p, conditions, joints, diagnostics);
  }
  trm_report(diagnostics, TRM_NOTE,
             "the joints contradict one another, or the positions as written are too far from an "
             "assembled configuration");
  return TRM_BAD_MODEL;
}

static trm_status close_with(trm_system *sys, trm_solver *solver, const trm_condition *conditions,
                             double tolerance, double *q, trm_diagnostics *diagnostics) {
  double violation = trm_close_position(sys, solver, 0, q);
  double enough = fmax(tolerance, 1e-12 * sys->model->length);
  return violation <= enough ? TRM_OK : refuse(sys, conditions, enough, q, diagnostics);
}

/* Initial conditions on positions join the constraints of this solve only. */
static trm_status close_with_conditions(const trm_system *sys, double tolerance, double *q,
                                        trm_diagnostics *diagnostics) {
  const trm_model *model = sys->model;
  trm_arena *scratch = trm_arena_create();
  trm_condition *conditions =
      scratch ? TRM_NEW(scratch, trm_condition, model->initial_count + 1) : NULL;
  trm_status status = TRM_NO_MEMORY;
  int count = 0;
  for (int i = 0; conditions && i < model->initial_count; i++)
    if (model->initials[i].measure.level == 0)
      conditions[count++] =
          (trm_condition){model->initials[i].measure, model->initials[i].value, false};
  trm_system *extended =
      conditions ? trm_system_create(model, sys->motion.coordinates, conditions, count, scratch)
                 : NULL;
  trm_solver *own =
      extended ? trm_solver_create(&trm_udwadia_kalaba, scratch, &extended->structure) : NULL;
  if (own) status = close_with(extended, own, conditions, tolerance, q, diagnostics);
  trm_arena_destroy(scratch);
  return status;
}

static bool has_position_conditions(const trm_model *model) {
  for (int i = 0; i < model->initial_count; i++)
    if (model->initials[i].measure.level == 0) return true;
  return false;
}

/* Origins and angles of all bodies: 3 numbers each, from the current position stage. */
static void poses(const trm_system *sys, double *pose) {
  for (int b = 0; b < sys->motion.bodies; b++) {
    trm_end origin = {b, {0, 0, 0}};
    trm_marker p = trm_system_point(sys->model, &origin);
    double r[3] = {0, 0, 0};
    trm_position(&sys->motion, &p, r);
    pose[3 * b] = r[0];
    pose[3 * b + 1] = r[1];
    pose[3 * b + 2] = trm_scalar_value(&sys->body_angle[b], &sys->motion);
  }
}

static void report_moves(const trm_system *sys, const double *before, const double *after,
                         trm_assembly *assembly, trm_diagnostics *diagnostics) {
  double length = sys->model->length;
  for (int b = 0; b < sys->motion.bodies; b++) {
    const char *name = sys->model->bodies[b].name;
    double moved = hypot(after[3 * b] - before[3 * b], after[3 * b + 1] - before[3 * b + 1]);
    double turned = fabs(after[3 * b + 2] - before[3 * b + 2]);
    if (moved > assembly->moved) assembly->moved_body = name;
    assembly->moved = fmax(assembly->moved, moved);
    assembly->turned = fmax(assembly->turned, turned);
    if (moved <= NOTED * length && turned <= NOTED) continue;
    bool large = moved > LARGE * length || turned > LARGE;
    trm_report(diagnostics, large ? TRM_WARNING : TRM_NOTE,
               "assembly moved body '%s' by %.3g and turned it by %.3g rad", name, moved, turned);
  }
}

/* A joint that is open by more than a body's length would close somewhere the user does not expect.
 */
static trm_status refuse_far(const trm_system *sys, trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    double gap = trm_norm_of(p->rows, sys->C + p->row);
    if (p->type->torque || !(gap > TOO_FAR * sys->model->length)) continue;
    report_gap(sys, p, NULL, 0, diagnostics);
    status = TRM_BAD_MODEL;
  }
  if (status != TRM_OK)
    trm_report(diagnostics, TRM_NOTE,
               "as written it is open by more than the length of a body (%.3g): check positions "
               "and points",
               sys->model->length);
  return status;
}

static trm_status assemble_positions(trm_system *sys, trm_solver *solver, double tolerance,
                                     double *q, trm_assembly *assembly,
                                     trm_diagnostics *diagnostics) {
  double *pose = TRM_NEW(sys->arena, double, 6 * sys->motion.bodies + 1);
  if (!pose) return TRM_NO_MEMORY;
  bool conditions = has_position_conditions(sys->model);
  if (trm_system_position(sys, 0, q)) assembly->position_gap = trm_system_violation(sys);
  poses(sys, pose);
  trm_status status = refuse_far(sys, diagnostics);
  if (status == TRM_OK && conditions)
    status = close_with_conditions(sys, tolerance, q, diagnostics);
  if (status == TRM_OK) status = close_with(sys, solver, NULL, tolerance, q, diagnostics);
  if (status != TRM_OK) return status;
  double *after = pose + 3 * sys->motion.bodies;
  poses(sys, after);
  trm_system_accept(sys);
  report_moves(sys, pose, after, assembly, diagnostics);
  return TRM_OK;
}

trm_status trm_assemble(trm_system *sys, trm_solver *solver, double tolerance, double *q, double *v,
                        trm_assembly *assembly, trm_diagnostics *diagnostics) {
  *assembly = (trm_assembly){0};
  trm_status status = assemble_positions(sys, solver, tolerance, q, assembly, diagnostics);
  if (status != TRM_OK) return status;
  return trm_assemble_velocities(sys, q, v, &assembly->velocity_gap, diagnostics);
}
