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
#define MISFIT         1e-3  /* a gap: redundant joints that fit up to here were written so */
#define SMALL          1e-8  /* a gap, or a move of it: the square of a smaller move is round-off */
#define MAX_PASSES     200   /* towards the nearest position */
#define SETTLED        1e-13 /* of the whole move */

/* What a row changes by where bodies move by the system's size, and turn by a radian. */
static void units_of_rows(const trm_system *sys, double *unit) {
  trm_jacobian_norms(&sys->structure, sys->Cq, unit);
  for (int i = 0; i < sys->m; i++)
    if (!(unit[i] > 0)) unit[i] = 1;
}

/* ‖C‖ in these units: lengths and angles count alike, whatever they are measured in. */
static double off_by(const trm_system *sys, const double *unit) {
  double square = 0;
  for (int i = 0; i < sys->m; i++)
    if (!sys->inconsistent || !sys->inconsistent[i])
      square += sys->C[i] / unit[i] * (sys->C[i] / unit[i]);
  return sqrt(square);
}

/* q + scale dq into trial; how far it is off there, infinite where it cannot be evaluated */
static double try_step(trm_system *sys, double t, const double *q, const double *dq, double scale,
                       const double *unit, double *trial) {
  for (int i = 0; i < sys->n; i++) trial[i] = q[i] + scale * dq[i];
  if (!trm_system_position(sys, t, trial)) return INFINITY;
  double off = off_by(sys, unit);
  return isfinite(off) ? off : INFINITY;
}

double trm_close_position(trm_system *sys, trm_solver *solver, double enough, double t, double *q) {
  trm_arena *scratch = trm_arena_create();
  double *dq = scratch ? TRM_NEW(scratch, double, 2 * sys->n + 3 * sys->m + 1) : NULL;
  if (!dq) {
    trm_arena_destroy(scratch);
    return NAN;
  }
  double *trial = dq + sys->n, *mu = trial + sys->n, *g = mu + sys->m, *unit = g + sys->m;
  bool factored = false; /* at q */
  bool good = trm_system_position(sys, t, q) && isfinite(trm_system_violation(sys));
  for (int i = 0; i < MAX_ITERATIONS && good; i++) {
    trm_system_drop_rates(sys);
    trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
    factored = true;
    units_of_rows(sys, unit);
    double off = off_by(sys, unit);
    if (off <= enough) break;
    for (int k = 0; k < sys->m; k++) g[k] = -sys->C[k];
    trm_solver_solve(solver, NULL, g, NULL, dq, mu);
    double scale = 1, next = try_step(sys, t, q, dq, scale, unit, trial);
    int halvings = off > ROUND_OFF ? MAX_HALVINGS : 0;
    for (int h = 0; h < halvings && !(next < off); h++)
      next = try_step(sys, t, q, dq, scale /= 2, unit, trial);
    if (!(next < off)) break;
    memcpy(q, trial, (size_t)sys->n * sizeof(double));
    factored = false;
    if (off <= ROUND_OFF && next > off / 2) break;
  }
  good = good && trm_system_position(sys, t, q);
  if (good && !factored) trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
  trm_arena_destroy(scratch);
  double left = good ? trm_system_gap(sys) : INFINITY;
  return isfinite(left) ? left : INFINITY;
}

/* How far a joint is from closing; a distance in its own length, which its residual is only when
 * small. */
static double gap_of(const trm_system *sys, const trm_primitive *p) {
  double gap = trm_norm_of(p->rows, sys->C + p->row), l = p->value;
  if (p->type != &trm_primitive_distance) return gap;
  return fabs(sqrt(fmax(0, l * l + 2 * l * sys->C[p->row])) - l);
}

static void report_gap(const trm_system *sys, const trm_primitive *p, double gap,
                       trm_diagnostics *diagnostics) {
  const trm_joint *joint = &sys->model->joints[p->joint];
  trm_report_place(diagnostics, TRM_ERROR, trm_origin_place(sys->model, joint->origin),
                   "joint '%s' cannot close: its gap is %.3g", joint->name, gap);
}

/* The joint that is open most; −1: none is. */
static int widest(const trm_system *sys) {
  int found = -1;
  double most = 0;
  for (int i = 0; i < sys->first_primitive[sys->model->joint_count]; i++) {
    double gap = gap_of(sys, &sys->primitives[i]);
    if (!(gap > most)) continue;
    most = gap;
    found = i;
  }
  return found;
}

/* Where conditions take part in a contradiction it is they that are wrong: joints are only named.
 * False: none takes part. */
static bool report_conditions(const trm_system *sys, const trm_condition *conditions, double least,
                              trm_diagnostics *diagnostics) {
  int first = sys->first_primitive[sys->model->joint_count];
  char with[TRM_NAMED_SIZE] = "";
  bool found = false;
  for (int i = 0; i < first; i++)
    if (gap_of(sys, &sys->primitives[i]) > least)
      trm_name_another(with, sys->model->joints[sys->primitives[i].joint].name);
  for (int i = first; i < sys->primitive_count; i++) {
    double gap = gap_of(sys, &sys->primitives[i]);
    const char *name = conditions[i - first].measure.name;
    if (!(gap > least)) continue;
    found = true;
    trm_report_place(diagnostics, TRM_ERROR, trm_initial_place(sys->model, name),
                     "initial condition '%s' cannot be met: it is off by %.3g%s%s", name, gap,
                     with[0] ? " with joints that do not allow it: " : "", with);
  }
  return found;
}

/* Names every joint and condition that stays open; a gap far below the largest one is only a
 * follower. */
static trm_status refuse(trm_system *sys, trm_solver *solver, const trm_condition *conditions,
                         double tolerance, double *q, trm_diagnostics *diagnostics) {
  double largest = 0;
  trm_system_make_rigid(sys, q);
  if (!trm_system_position(sys, sys->t, q)) {
    trm_report(diagnostics, TRM_ERROR, "the initial state cannot be evaluated: %s", sys->error);
    return TRM_BAD_MODEL;
  }
  int open = widest(sys), errors = trm_diagnostics_errors(diagnostics);
  double gap = open < 0 ? 0 : gap_of(sys, &sys->primitives[open]);
  trm_solver_contradiction(solver, sys->C);
  for (int i = 0; i < sys->m; i++) largest = fmax(largest, fabs(sys->C[i]));
  if (!isfinite(trm_system_violation(sys)))
    trm_report(diagnostics, TRM_ERROR, "the initial state cannot be evaluated");
  double least = fmax(tolerance, 1e-3 * largest);
  if (report_conditions(sys, conditions, least, diagnostics)) return TRM_BAD_MODEL;
  for (int i = 0; i < sys->primitive_count; i++)
    if (gap_of(sys, &sys->primitives[i]) > least)
      report_gap(sys, &sys->primitives[i], gap_of(sys, &sys->primitives[i]), diagnostics);
  /* no contradiction, only too far away */
  bool named = trm_diagnostics_errors(diagnostics) > errors;
  if (!named && open >= 0) report_gap(sys, &sys->primitives[open], gap, diagnostics);
  if (!named && open < 0) trm_report(diagnostics, TRM_ERROR, "the initial state cannot be found");
  trm_report(diagnostics, TRM_NOTE,
             "the joints contradict one another, or the positions as written are too far from an "
             "assembled configuration");
  return TRM_BAD_MODEL;
}

static double close_enough(const trm_system *sys, double tolerance) {
  return fmax(tolerance, 1e-12 * sys->model->length);
}

/* By the tolerance as it is written. */
static bool is_closed(const trm_system *sys, double gap, double tolerance) {
  return isfinite(gap) && trm_system_violation(sys) <= close_enough(sys, tolerance);
}

/* And as it would be with the model's length for a unit: in a small model lengths that do not fit
 * are within the tolerance, but what they do to directions is not. */
static bool fits(const trm_system *sys, double gap, double tolerance) {
  return gap <= fmax(tolerance, 1e-12) && is_closed(sys, gap, tolerance);
}

/* Joints that are redundant and fit only up to the decimals they are written with: those that the
 * others determine, more or less, are left out. False: that is not what is wrong. */
static bool leave_misfits_out(trm_system *sys, trm_solver *solver, double misfit, double tolerance,
                              double *q) {
  const trm_structure *s = &sys->structure;
  int joints = sys->first_primitive[sys->model->joint_count], last = s->m;
  if (joints < sys->primitive_count) last = sys->primitives[joints].row;
  if (!(misfit <= MISFIT) || !trm_system_position(sys, sys->t, q)) return false;
  bool *misfits = TRM_NEW(sys->arena, bool, s->m + 1);
  if (!misfits) return false;
  /* half way between errors and what is independent, on a logarithmic scale */
  trm_solver_cut(solver, sqrt(misfit));
  trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
  memcpy(misfits, trm_solver_left_out(solver), (size_t)s->m * sizeof(bool));
  trm_solver_set_redundant(solver, misfits);
  trm_solver_factor(solver, sys->M, sys->Cq, sys->N);
  trm_solver_choose_anew(solver); /* the best, not only some */
  memcpy(misfits, trm_solver_left_out(solver), (size_t)s->m * sizeof(bool));
  bool good =
      memchr(misfits, true, (size_t)last) && !memchr(misfits + last, true, (size_t)(s->m - last));
  if (good) {
    sys->inconsistent = misfits;
    sys->inconsistency = misfit;
    trm_solver_set_redundant(solver, misfits);
    double left = trm_close_position(sys, solver, TRM_ROUND_OFF_GAP, 0, q);
    good = fits(sys, left, tolerance);
  }
  if (good) return true;
  sys->inconsistent = NULL;
  trm_solver_cut(solver, 0);
  trm_solver_set_redundant(solver, NULL);
  return false;
}

static double mass_norm(const trm_system *sys, const double *x, double *Mx) {
  double sum = 0;
  trm_mass_times(&sys->structure, sys->M, x, Mx);
  for (int i = 0; i < sys->n; i++) sum += x[i] * Mx[i];
  return sqrt(sum);
}

/* The way along the constraints from q towards `written`, and back from there by the smallest
 * mass-weighted change: zero where q is nearest. */
static double way_to_nearest(trm_system *sys, trm_solver *solver, const double *written,
                             const double *q, double *way, double *work) {
  double *back = work, *g = back + sys->n, *mu = g + sys->m;
  for (int i = 0; i < sys->n; i++) way[i] = written[i] - q[i];
  trm_system_jacobian_times(sys, way, g);
  for (int i = 0; i < sys->m; i++) g[i] = -g[i];
  trm_solver_solve(solver, NULL, g, NULL, back, mu);
  trm_axpy(sys->n, 1, back, way);
  return mass_norm(sys, way, back);
}

/* From a closed q to the closed one that is nearest to `written`: Newton's method alone ends beside
 * it, by the square of the move, and where depends on units. Passes that lead away are halved. */
static void go_to_nearest(trm_system *sys, trm_solver *solver, const double *written, double *q) {
  int n = sys->n;
  size_t bytes = (size_t)n * sizeof(double);
  double *way = TRM_NEW(sys->arena, double, 4 * n + 2 * sys->m + 1), scale = 1, moved = 0;
  if (!way) return;
  double *best = way + n, *next = best + n, *work = next + n;
  for (int i = 0; i < n; i++) {
    best[i] = written[i] - q[i];
    moved = fmax(moved, fabs(best[i]) / sys->span[i]);
  }
  if (!(moved > SMALL)) return;
  double whole = mass_norm(sys, best, work);
  double left = way_to_nearest(sys, solver, written, q, way, work);
  for (int pass = 0; pass < MAX_PASSES && left > SETTLED * whole && scale > 1e-3; pass++) {
    for (int i = 0; i < n; i++) next[i] = q[i] + scale * way[i];
    trm_close_position(sys, solver, TRM_ROUND_OFF_GAP, sys->t, next);
    units_of_rows(sys, work);
    double off = off_by(sys, work);
    double then = way_to_nearest(sys, solver, written, next, best, work);
    if (off <= ROUND_OFF && then < left) {
      memcpy(q, next, bytes);
      memcpy(way, best, bytes);
      left = then;
    } else
      scale /= 2;
  }
  trm_close_position(sys, solver, TRM_ROUND_OFF_GAP, sys->t, q);
}

/* gap: as the user has written it */
static trm_status close_with(trm_system *sys, trm_solver *solver, const trm_condition *conditions,
                             double tolerance, double gap, double *q,
                             trm_diagnostics *diagnostics) {
  size_t bytes = (size_t)sys->n * sizeof(double);
  double *written = TRM_NEW(sys->arena, double, 2 * sys->n + 1);
  if (!written) return TRM_NO_MEMORY;
  double *fitting = written + sys->n;
  memcpy(written, q, bytes);
  memcpy(fitting, q, bytes);
  double left = trm_close_position(sys, solver, TRM_ROUND_OFF_GAP, 0, q);
  if (isnan(left)) return TRM_NO_MEMORY;
  if (!fits(sys, left, tolerance)) {
    bool closed = is_closed(sys, left, tolerance);
    /* from the start once more: where constraints nearly depend on one another it has gone far */
    if (leave_misfits_out(sys, solver, gap <= MISFIT ? gap : left, tolerance, fitting)) {
      memcpy(q, fitting, bytes);
      return TRM_OK;
    }
    if (!closed)
      return refuse(sys, solver, conditions, close_enough(sys, tolerance), q, diagnostics);
    trm_close_position(sys, solver, TRM_ROUND_OFF_GAP, 0, q); /* far from the origin: round-off */
  }
  go_to_nearest(sys, solver, written, q);
  return TRM_OK;
}

static void report_misfits(const trm_system *sys, trm_diagnostics *diagnostics) {
  const trm_model *model = sys->model;
  for (int j = 0; j < model->joint_count && sys->inconsistent; j++) {
    double gap = 0;
    for (int i = sys->first_primitive[j]; i < sys->first_primitive[j + 1]; i++) {
      const trm_primitive *p = &sys->primitives[i];
      for (int r = p->row; r < p->row + p->rows; r++)
        if (sys->inconsistent[r]) gap = fmax(gap, fabs(sys->C[r]));
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
  trm_system_from_frames(to, from, q);
  if (!trm_system_position(to, 0, q)) return false;
  trm_system_accept(to);
  return true;
}

/* By how much a body turns on the straight way to where all is closed: a screw whose displacement
 * is given turns, too. */
static double turn_ahead(trm_system *posed, trm_solver *solver, double *work) {
  const trm_motion *m = &posed->motion;
  double *dq = work, *g = dq + posed->n, *mu = g + posed->m, most = 0;
  trm_system_drop_rates(posed);
  trm_solver_factor(solver, posed->M, posed->Cq, posed->N);
  for (int i = 0; i < posed->m; i++) g[i] = -posed->C[i];
  trm_solver_solve(solver, NULL, g, NULL, dq, mu);
  for (int b = 0; b < m->bodies; b++) {
    double square = 0; /* of the changes of all directions: 2 angle² */
    for (int i = m->dim; i < m->nq; i++) square += dq[b * m->nq + i] * dq[b * m->nq + i];
    most = fmax(most, sqrt(square / 2));
  }
  return most;
}

/* Conditions are approached in parts of at most a radian, so that turns are counted on the way. */
static trm_status approach(trm_system *posed, trm_solver *solver, const trm_condition *conditions,
                           int count, double tolerance, trm_system *sys, double *q,
                           trm_diagnostics *diagnostics) {
  trm_primitive *rows = posed->primitives + posed->first_primitive[sys->model->joint_count];
  double *p = TRM_NEW(posed->arena, double, 3 * posed->n + 2 * posed->m + 1),
         *before = p + posed->n;
  double *off = TRM_NEW(posed->arena, double, count + 1), largest = 0;
  if (!p || !off) return TRM_NO_MEMORY;
  trm_system_written(posed, p);
  memcpy(before, p, (size_t)posed->n * sizeof(double));
  bool good = trm_system_position(posed, 0, p);
  double gap = good ? trm_system_gap(posed) : INFINITY;
  for (int i = 0; i < count; i++) {
    off[i] = good ? posed->C[rows[i].row] : 0;
    if (rows[i].term[0]->kind == TRM_SCALAR_ANGLE) largest = fmax(largest, fabs(off[i]));
  }
  if (good) largest = fmax(largest, turn_ahead(posed, solver, before + posed->n));
  int parts = (int)fmin(fmax(1, ceil(largest)), MAX_PARTS);
  for (int k = parts - 1; k > 0 && good; k--) {
    for (int i = 0; i < count; i++) rows[i].value = conditions[i].value + off[i] * k / parts;
    double closed = trm_close_position(posed, solver, TRM_ROUND_OFF_GAP, 0, p);
    good = is_closed(posed, closed, tolerance);
    if (good) go_to_nearest(posed, solver, before, p);
    memcpy(before, p, (size_t)posed->n * sizeof(double));
    if (good) trm_system_accept(posed);
    good = good && transfer(posed, sys, q);
  }
  for (int i = 0; i < count; i++) rows[i].value = conditions[i].value;
  trm_status status = close_with(posed, solver, conditions, tolerance, gap, p, diagnostics);
  if (status == TRM_OK && !transfer(posed, sys, q)) status = TRM_BAD_MODEL;
  return status;
}

trm_condition *trm_position_conditions(const trm_model *model, trm_arena *arena, int *count) {
  trm_condition *conditions = TRM_NEW(arena, trm_condition, model->initial_count + 1);
  *count = 0;
  for (int i = 0; conditions && i < model->initial_count; i++)
    if (model->initials[i].measure.level == 0)
      conditions[(*count)++] =
          (trm_condition){model->initials[i].measure, model->initials[i].value, false};
  return conditions;
}

/* Solved over natural coordinates whatever the formulation: their M is constant, so that the move
 * is the smallest one of all points of all bodies, and all start from the same configuration.
 * Initial conditions on positions join the constraints of this solve only. */
static trm_status close_poses(trm_system *sys, double tolerance, double *q,
                              trm_diagnostics *diagnostics) {
  const trm_model *model = sys->model;
  trm_arena *scratch = trm_arena_create();
  int count = 0;
  trm_condition *conditions = scratch ? trm_position_conditions(model, scratch, &count) : NULL;
  trm_status status = TRM_NO_MEMORY;
  const trm_coordinates *natural = trm_coordinates_find("natural", model->dim);
  trm_system *posed =
      conditions ? trm_system_create(model, natural, false, conditions, count, scratch) : NULL;
  if (posed) memcpy(posed->law_states, sys->law_states, (size_t)sys->states * sizeof(double));
  trm_solver *posed_solver =
      posed ? trm_solver_create(&trm_udwadia_kalaba, scratch, &posed->structure) : NULL;
  if (posed_solver)
    status = approach(posed, posed_solver, conditions, count, tolerance, sys, q, diagnostics);
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
static void read_poses(const trm_system *sys, pose *poses) {
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

/* In space the shorter way: p and −p are one orientation, and round-off decides between them where
 * a body is written half a turn away from the global axes. */
static double turn_between(int dim, const pose *a, const pose *b) {
  if (dim == 2) return fabs(a->angle - b->angle);
  double apart = 0, against = 0;
  for (int i = 0; i < 4; i++) {
    apart += (a->p[i] - b->p[i]) * (a->p[i] - b->p[i]);
    against += (a->p[i] + b->p[i]) * (a->p[i] + b->p[i]);
  }
  return 4 * asin(fmin(1, sqrt(fmin(apart, against)) / 2)); /* |p − p'| = 2 sin(angle/4) */
}

static void report_move(trm_diagnostics *diagnostics, trm_severity severity, trm_place place,
                        const char *body, double moved, double turned) {
  if (turned == 0)
    trm_report_place(diagnostics, severity, place, "assembly moved body '%s' by %.3g", body, moved);
  else if (moved == 0)
    trm_report_place(diagnostics, severity, place, "assembly turned body '%s' by %.3g rad", body,
                     turned);
  else
    trm_report_place(diagnostics, severity, place,
                     "assembly moved body '%s' by %.3g and turned it by %.3g rad", body, moved,
                     turned);
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
    if (moved <= NOTED * length) moved = 0; /* round-off */
    if (turned <= NOTED) turned = 0;
    bool most = moved > assembly->moved;
    assembly->moved = fmax(assembly->moved, moved);
    assembly->turned = fmax(assembly->turned, turned);
    if (moved == 0 && turned == 0) continue;
    /* a body may have turned without moving */
    if (most || !assembly->moved_body) assembly->moved_body = body->name;
    /* the user asked for it */
    bool large = !conditions && (moved > LARGE * length || turned > LARGE);
    /* notes are many: they do not show the file */
    trm_place place = {0};
    if (large) place = trm_origin_place(sys->model, body->origin);
    report_move(diagnostics, large ? TRM_WARNING : TRM_NOTE, place, body->name, moved, turned);
  }
}

/* A gap that is an angle, which no length measures. */
static bool is_turn(const trm_primitive *p) {
  for (int k = 0; k < p->terms; k++)
    if (!trm_scalar_turns(p->term[k])) return false;
  return p->terms > 0 || p->type->torque;
}

/* A joint that is open by more than a body's length would close somewhere the user does not expect.
 */
static trm_status refuse_far(const trm_system *sys, trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    double gap = gap_of(sys, p);
    if (is_turn(p) || !(gap > TOO_FAR * sys->model->length)) continue;
    report_gap(sys, p, gap, diagnostics);
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
  bool evaluated = trm_system_position(sys, 0, q);
  double gap = evaluated ? trm_system_gap(sys) : 0;
  if (evaluated) assembly->position_gap = trm_system_violation(sys);
  read_poses(sys, before);
  trm_status status = refuse_far(sys, diagnostics);
  bool natural = sys->motion.coordinates == trm_coordinates_find("natural", sys->model->dim);
  bool open = gap > SMALL;
  if (status == TRM_OK && (conditions || (open && !natural)))
    status = close_poses(sys, tolerance, q, diagnostics);
  if (status == TRM_OK) status = close_with(sys, solver, NULL, tolerance, gap, q, diagnostics);
  if (status != TRM_OK) return status;
  pose *after = before + sys->motion.bodies;
  read_poses(sys, after);
  trm_system_accept(sys);
  report_misfits(sys, diagnostics);
  report_moves(sys, before, after, assembly, diagnostics);
  return TRM_OK;
}

/* Coordinates of joints: assembled as bodies that are free to move to where the joints close, in
 * natural coordinates; then the joints' are read from the bodies. */
static trm_status assemble_bodies(trm_system *sys, double tolerance, double *q, double *v,
                                  trm_assembly *assembly, trm_diagnostics *diagnostics) {
  const trm_coordinates *natural = trm_coordinates_find("natural", sys->model->dim);
  trm_arena *scratch = trm_arena_create();
  trm_system *posed =
      scratch ? trm_system_create(sys->model, natural, false, NULL, 0, scratch) : NULL;
  trm_solver *solver =
      posed ? trm_solver_create(&trm_udwadia_kalaba, scratch, &posed->structure) : NULL;
  double *place = solver ? TRM_NEW(scratch, double, 2 * (posed->n + posed->states)) : NULL;
  trm_status status = TRM_NO_MEMORY;
  if (place) {
    double *rates = place + posed->n;
    memcpy(posed->law_states, sys->law_states, (size_t)sys->states * sizeof(double));
    trm_system_written(posed, place);
    status = trm_assemble(posed, solver, tolerance, place, rates, assembly, diagnostics);
    if (status == TRM_OK) {
      trm_system_take_velocity(posed, rates);
      trm_system_from_frames(sys, posed, q);
      trm_system_take_turns(sys, posed);
      if (trm_system_position(sys, 0, q))
        trm_system_from_rates(sys, posed, v);
      else
        status = TRM_BAD_MODEL;
    }
  }
  trm_arena_destroy(scratch);
  return status;
}

trm_status trm_assemble(trm_system *sys, trm_solver *solver, double tolerance, double *q, double *v,
                        trm_assembly *assembly, trm_diagnostics *diagnostics) {
  *assembly = (trm_assembly){0};
  if (sys->type->from_rates) return assemble_bodies(sys, tolerance, q, v, assembly, diagnostics);
  trm_status status = sys->generic
                          ? trm_assemble_generic(sys, solver, tolerance, q, assembly, diagnostics)
                          : assemble_positions(sys, solver, tolerance, q, assembly, diagnostics);
  if (status != TRM_OK) return status;
  trm_system_given_velocities(sys, q, v);
  return trm_assemble_velocities(sys, q, v, &assembly->velocity_gap, diagnostics);
}
