/* Assembly at position level, and the report of what moved. */
#include "analysis/assemble.h"

#include <string.h>

#include "analysis/velocities.h"

#define MAX_ITERATIONS 100
#define MAX_HALVINGS   12
#define ROUND_OFF      1e-12 /* of the system's size: there a step that does not help is the last */
#define MAX_PARTS      1000  /* on the way to conditions beyond half a turn */
#define NOTED          1e-9  /* of the model's length: smaller moves are round-off */
#define LARGE          0.1   /* of it: worth a warning */
#define TOO_FAR        1.0   /* of it: a joint this far open is a mistake, not an inaccuracy */
#define MISFIT         1e-3  /* of it: redundant joints that fit up to here were written so */

/* q + scale dq into trial; ‖C‖ there, infinite where it cannot be evaluated */
static double try_step(trm_system *sys, double t, const double *q, const double *dq, double scale,
                       double *trial) {
  for (int i = 0; i < sys->n; i++) trial[i] = q[i] + scale * dq[i];
  if (!trm_system_position(sys, t, trial)) return INFINITY;
  double violation = trm_system_violation(sys);
  return isfinite(violation) ? violation : INFINITY;
}

double trm_close_position(trm_system *sys, trm_solver *solver, double enough, double t, double *q) {
  trm_arena *scratch = trm_arena_create();
  double *dq = scratch ? TRM_NEW(scratch, double, sys->n) : NULL;
  double *trial = scratch ? TRM_NEW(scratch, double, sys->n) : NULL;
  double *mu = scratch ? TRM_NEW(scratch, double, 2 * sys->m + 1) : NULL, *g = mu + sys->m;
  double violation = INFINITY;
  bool factored = false; /* at q */
  if (dq && trial && mu && trm_system_position(sys, t, q)) violation = trm_system_violation(sys);
  for (int i = 0; i < MAX_ITERATIONS && isfinite(violation); i++) {
    trm_system_drop_rates(sys);
    trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
    factored = true;
    if (violation <= enough) break;
    for (int k = 0; k < sys->m; k++) g[k] = -sys->C[k];
    trm_solver_solve(solver, NULL, g, NULL, dq, mu);
    double scale = 1, next = try_step(sys, t, q, dq, scale, trial);
    int halvings = violation > ROUND_OFF * sys->size ? MAX_HALVINGS : 0;
    for (int h = 0; h < halvings && !(next < violation); h++)
      next = try_step(sys, t, q, dq, scale /= 2, trial);
    if (!(next < violation)) break;
    memcpy(q, trial, (size_t)sys->n * sizeof(double));
    bool last = violation <= ROUND_OFF * sys->size && next > violation / 2;
    violation = next;
    factored = false;
    if (last) break;
  }
  if (trm_system_position(sys, t, q) && !factored)
    trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
  trm_arena_destroy(scratch);
  return violation;
}

/* How far a joint is from closing; a distance in its own length, which its residual is only when
 * small. */
static double gap_of(const trm_system *sys, const trm_primitive *p) {
  double gap = trm_norm_of(p->rows, sys->C + p->row), l = p->value;
  if (p->type != &trm_primitive_distance) return gap;
  return fabs(sqrt(fmax(0, l * l + 2 * l * sys->C[p->row])) - l);
}

static void report_gap(const trm_system *sys, const trm_primitive *p,
                       const trm_condition *conditions, int first_condition,
                       trm_diagnostics *diagnostics) {
  const trm_model *model = sys->model;
  double gap = gap_of(sys, p);
  if (p->joint >= 0) {
    const trm_joint *joint = &model->joints[p->joint];
    trm_report_place(diagnostics, TRM_ERROR, trm_origin_place(model, joint->origin),
                     "joint '%s' cannot close: its gap is %.3g", joint->name, gap);
  } else {
    const char *name = conditions[p - sys->primitives - first_condition].measure.name;
    trm_report_place(diagnostics, TRM_ERROR, trm_initial_place(model, name),
                     "initial condition '%s' cannot be met: it is off by %.3g", name, gap);
  }
}

/* Names every joint and condition that stays open; a gap far below the largest one is only a
 * follower. */
static trm_status refuse(trm_system *sys, trm_solver *solver, const trm_condition *conditions,
                         double tolerance, double *q, trm_diagnostics *diagnostics) {
  double largest = 0;
  trm_system_make_rigid(sys, q);
  trm_solver_contradiction(solver, sys->C);
  for (int i = 0; i < sys->m; i++) largest = fmax(largest, fabs(sys->C[i]));
  if (!isfinite(trm_system_violation(sys)))
    trm_report(diagnostics, TRM_ERROR, "the initial state cannot be evaluated%s%s",
               sys->error[0] ? ": " : "", sys->error);
  int joints = sys->first_primitive[sys->model->joint_count];
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    double gap = gap_of(sys, p);
    if (gap > fmax(tolerance, 1e-3 * largest)) report_gap(sys, p, conditions, joints, diagnostics);
  }
  trm_report(diagnostics, TRM_NOTE,
             "the joints contradict one another, or the positions as written are too far from an "
             "assembled configuration");
  return TRM_BAD_MODEL;
}

static double close_enough(const trm_system *sys, double tolerance) {
  return fmax(tolerance, 1e-12 * sys->model->length);
}

/* Joints that are redundant and fit only up to the decimals they are written with: those that the
 * others determine, more or less, are left out. False: that is not what is wrong. */
static bool leave_misfits_out(trm_system *sys, trm_solver *solver, double misfit, double enough,
                              double *q) {
  const trm_structure *s = &sys->structure;
  int joints = sys->first_primitive[sys->model->joint_count], last = s->m;
  if (joints < sys->primitive_count) last = sys->primitives[joints].row;
  if (!(misfit <= MISFIT * sys->size) || !trm_system_position(sys, sys->t, q)) return false;
  bool *misfits = TRM_NEW(sys->arena, bool, s->m + 1);
  if (!misfits) return false;
  /* half way between errors and what is independent, on a logarithmic scale */
  trm_solver_cut(solver, sqrt(misfit / sys->size));
  trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
  memcpy(misfits, trm_solver_out(solver), (size_t)s->m * sizeof(bool));
  trm_solver_leave_out(solver, misfits);
  trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
  trm_solver_choose_anew(solver); /* the best, not only some */
  memcpy(misfits, trm_solver_out(solver), (size_t)s->m * sizeof(bool));
  bool good =
      memchr(misfits, true, (size_t)last) && !memchr(misfits + last, true, (size_t)(s->m - last));
  if (good) {
    sys->misfits = misfits;
    sys->misfit = misfit;
    trm_solver_leave_out(solver, misfits);
    good = trm_close_position(sys, solver, trm_as_close_as_can_be(sys), 0, q) <= enough;
  }
  if (good) return true;
  sys->misfits = NULL;
  trm_solver_cut(solver, 0);
  trm_solver_leave_out(solver, NULL);
  return false;
}

static trm_status close_with(trm_system *sys, trm_solver *solver, const trm_condition *conditions,
                             double tolerance, double *q, trm_diagnostics *diagnostics) {
  size_t bytes = (size_t)sys->n * sizeof(double);
  double *written = TRM_NEW(sys->arena, double, sys->n + 1), enough = close_enough(sys, tolerance);
  if (!written) return TRM_NO_MEMORY;
  memcpy(written, q, bytes);
  double gap = trm_system_position(sys, sys->t, q) ? trm_system_violation(sys) : INFINITY;
  double violation = trm_close_position(sys, solver, trm_as_close_as_can_be(sys), 0, q);
  if (violation <= enough) return TRM_OK;
  /* from the start once more: where constraints nearly depend on one another it has gone far */
  double misfit = gap <= MISFIT * sys->size ? gap : violation;
  if (leave_misfits_out(sys, solver, misfit, enough, written)) {
    memcpy(q, written, bytes);
    return TRM_OK;
  }
  return refuse(sys, solver, conditions, enough, q, diagnostics);
}

static void report_misfits(const trm_system *sys, trm_diagnostics *diagnostics) {
  const trm_model *model = sys->model;
  for (int j = 0; j < model->joint_count && sys->misfits; j++) {
    double gap = 0;
    for (int i = sys->first_primitive[j]; i < sys->first_primitive[j + 1]; i++) {
      const trm_primitive *p = &sys->primitives[i];
      for (int r = p->row; r < p->row + p->rows; r++)
        if (sys->misfits[r]) gap = fmax(gap, fabs(sys->C[r]));
    }
    if (gap == 0) continue;
    trm_report_place(diagnostics, TRM_WARNING, trm_origin_place(model, model->joints[j].origin),
                     "joint '%s' is redundant and does not fit the others exactly: it is left open "
                     "by %.3g; more decimals in positions, points and axes would close it",
                     model->joints[j].name, gap);
  }
}

/* The poses of one system as coordinates of another one of the same model; turns are counted. */
static bool transfer(const trm_system *from, trm_system *to, double *q) {
  const trm_coordinates *co = to->motion.coordinates;
  for (int b = 0; b < from->motion.bodies; b++) {
    double angle = co->dim == 2 ? trm_scalar_value(&from->body_angle[b], &from->motion) : 0;
    co->from_pose(&from->motion.frames[b], angle, q + b * co->nq);
  }
  if (!trm_system_position(to, 0, q)) return false;
  trm_system_accept(to);
  return true;
}

/* Conditions are approached in parts of at most a radian, so that turns are counted on the way. */
static trm_status approach(trm_system *posed, trm_solver *solver, const trm_condition *conditions,
                           int count, double tolerance, trm_system *sys, double *q,
                           trm_diagnostics *diagnostics) {
  trm_primitive *rows = posed->primitives + posed->first_primitive[sys->model->joint_count];
  double *p = TRM_NEW(posed->arena, double, posed->n);
  double *off = TRM_NEW(posed->arena, double, count + 1), largest = 0;
  if (!p || !off) return TRM_NO_MEMORY;
  trm_system_written(posed, p);
  bool good = trm_system_position(posed, 0, p);
  for (int i = 0; i < count; i++) {
    off[i] = good ? posed->C[rows[i].row] : 0;
    if (rows[i].term[0]->kind == TRM_SCALAR_ANGLE) largest = fmax(largest, fabs(off[i]));
  }
  int parts = (int)fmin(fmax(1, ceil(largest)), MAX_PARTS);
  for (int k = parts - 1; k > 0 && good; k--) {
    for (int i = 0; i < count; i++) rows[i].value = conditions[i].value + off[i] * k / parts;
    double closed = trm_close_position(posed, solver, trm_as_close_as_can_be(posed), 0, p);
    good = closed <= close_enough(sys, tolerance);
    if (good) trm_system_accept(posed);
    good = good && transfer(posed, sys, q);
  }
  for (int i = 0; i < count; i++) rows[i].value = conditions[i].value;
  trm_status status = close_with(posed, solver, conditions, tolerance, p, diagnostics);
  if (status == TRM_OK && !transfer(posed, sys, q)) status = TRM_BAD_MODEL;
  return status;
}

/* Solved over positions and angles whatever the formulation, so that all of them start from the
 * same configuration. Initial conditions on positions join the constraints of this solve only. */
static trm_status close_poses(trm_system *sys, double tolerance, double *q,
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
  const trm_coordinates *angle = trm_coordinates_find("angle", model->dim);
  trm_system *posed = conditions ? trm_system_create(model, angle ? angle : sys->motion.coordinates,
                                                     false, conditions, count, scratch)
                                 : NULL;
  trm_solver *own =
      posed ? trm_solver_create(&trm_udwadia_kalaba, scratch, &posed->structure) : NULL;
  if (own) status = approach(posed, own, conditions, count, tolerance, sys, q, diagnostics);
  trm_arena_destroy(scratch);
  return status;
}

static bool has_position_conditions(const trm_model *model) {
  for (int i = 0; i < model->initial_count; i++)
    if (model->initials[i].measure.level == 0) return true;
  return false;
}

typedef struct pose {
  double r[3], angle, p[4];
} pose;

/* Origins and orientations of all bodies, from the current position stage. */
static void look_at_poses(const trm_system *sys, pose *poses) {
  for (int b = 0; b < sys->motion.bodies; b++) {
    trm_end origin = {b, {0, 0, 0}};
    trm_marker p = trm_system_point(sys, &origin);
    trm_position(&sys->motion, &p, poses[b].r);
    if (sys->motion.dim == 2)
      poses[b].angle = trm_scalar_value(&sys->body_angle[b], &sys->motion);
    else
      trm_system_orientation(sys, b, poses[b].p);
  }
}

static double turn_between(int dim, const pose *a, const pose *b) {
  if (dim == 2) return fabs(a->angle - b->angle);
  double sum = 0;
  for (int i = 0; i < 4; i++) sum += (a->p[i] - b->p[i]) * (a->p[i] - b->p[i]);
  return 4 * asin(fmin(1, sqrt(sum) / 2)); /* |p − p'| = 2 sin(angle/4) */
}

static void report_moves(const trm_system *sys, const pose *before, const pose *after,
                         trm_assembly *assembly, trm_diagnostics *diagnostics) {
  double length = sys->model->length;
  bool conditions = has_position_conditions(sys->model);
  for (int b = 0; b < sys->motion.bodies; b++) {
    const trm_body *body = &sys->model->bodies[b];
    double gap[3] = {0, 0, 0};
    trm_sub(sys->motion.dim, after[b].r, before[b].r, gap);
    double moved = trm_norm(3, gap), turned = turn_between(sys->motion.dim, &after[b], &before[b]);
    bool most = moved > assembly->moved;
    assembly->moved = fmax(assembly->moved, moved);
    assembly->turned = fmax(assembly->turned, turned);
    if (moved <= NOTED * length && turned <= NOTED) continue;
    /* a body may have turned without moving */
    if (most || !assembly->moved_body) assembly->moved_body = body->name;
    /* the user asked for it */
    bool large = !conditions && (moved > LARGE * length || turned > LARGE);
    /* notes are many: they do not show the file */
    trm_place place = {0};
    if (large) place = trm_origin_place(sys->model, body->origin);
    trm_report_place(diagnostics, large ? TRM_WARNING : TRM_NOTE, place,
                     "assembly moved body '%s' by %.3g and turned it by %.3g rad", body->name,
                     moved, turned);
  }
}

/* A joint that is open by more than a body's length would close somewhere the user does not expect.
 */
static trm_status refuse_far(const trm_system *sys, trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    double gap = gap_of(sys, p);
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
  pose *before = TRM_NEW(sys->arena, pose, 2 * sys->motion.bodies + 1);
  if (!before) return TRM_NO_MEMORY;
  bool conditions = has_position_conditions(sys->model);
  if (trm_system_position(sys, 0, q)) assembly->position_gap = trm_system_violation(sys);
  look_at_poses(sys, before);
  trm_status status = refuse_far(sys, diagnostics);
  /* in space they would be closed over the same coordinates twice */
  bool open = sys->model->dim == 2 && assembly->position_gap > 1e-15 * sys->model->length;
  if (status == TRM_OK && (conditions || open))
    status = close_poses(sys, tolerance, q, diagnostics);
  if (status == TRM_OK) status = close_with(sys, solver, NULL, tolerance, q, diagnostics);
  if (status != TRM_OK) return status;
  pose *after = before + sys->motion.bodies;
  look_at_poses(sys, after);
  trm_system_accept(sys);
  report_misfits(sys, diagnostics);
  report_moves(sys, before, after, assembly, diagnostics);
  return TRM_OK;
}

trm_status trm_assemble(trm_system *sys, trm_solver *solver, double tolerance, double *q, double *v,
                        trm_assembly *assembly, trm_diagnostics *diagnostics) {
  *assembly = (trm_assembly){0};
  trm_status status = sys->generic
                          ? trm_assemble_generic(sys, solver, tolerance, q, assembly, diagnostics)
                          : assemble_positions(sys, solver, tolerance, q, assembly, diagnostics);
  if (status != TRM_OK) return status;
  trm_system_given_velocities(sys, q, v);
  return trm_assemble_velocities(sys, q, v, &assembly->velocity_gap, diagnostics);
}
