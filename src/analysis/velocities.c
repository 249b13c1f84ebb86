/* Assembly at velocity level: conditions and given velocities are rows beside the joints' own. */
#include "analysis/velocities.h"
#include "analysis/assemble.h"

#include <string.h>

#include "math/extremes.h"

#define CONSISTENT  1e-9  /* relative to the velocities */
#define ROUND_OFF   1e-14 /* as well */
#define MOST_PASSES 30    /* of Newton's method, where a constraint is not linear in v */

typedef struct velocity_problem {
  trm_system *sys; /* joints and conditions */
  trm_solver *solver;
  trm_condition *conditions;
  int hard,
      count; /* the first `hard` conditions are the user's `initial:`, the rest given velocities */
  double *residual; /* [m] */
  double left;      /* of it in joints and `initial:`, relative to the velocities */
  double fits;      /* up to here all of it is met, as well */
} velocity_problem;

static int collect_initial(const trm_model *model, trm_condition *conditions) {
  int count = 0;
  for (int i = 0; i < model->initial_count; i++) {
    trm_condition c = {model->initials[i].measure, model->initials[i].value, true};
    if (c.measure.level != 1) continue;
    c.measure.level = 0;
    conditions[count++] = c;
  }
  return count;
}

static int collect_given(const trm_model *model, trm_condition *conditions) {
  int count = 0;
  for (int b = 0; b < model->body_count; b++) {
    const trm_body *body = &model->bodies[b];
    trm_measure point = {.name = body->name, .kind = TRM_MEASURE_POINT, .end = {b, {0, 0, 0}}};
    for (point.component = 0; body->velocity_given && point.component < model->dim;
         point.component++)
      conditions[count++] = (trm_condition){point, body->velocity[point.component], true};
    if (!body->angular_velocity_given) continue;
    bool planar = model->dim == 2;
    trm_measure spin = {.name = body->name, .index = b};
    spin.kind = planar ? TRM_MEASURE_ANGLE : TRM_MEASURE_ORIENTATION;
    for (spin.component = planar ? 2 : 0; spin.component < 3; spin.component++)
      conditions[count++] = (trm_condition){spin, body->angular_velocity[spin.component], true};
  }
  return count;
}

static int collect_given_coordinates(const trm_user *user, trm_condition *conditions) {
  int count = 0;
  for (int i = 0; i < user->n; i++) {
    trm_measure rate = {.name = user->names[i], .kind = TRM_MEASURE_COORDINATE, .index = i};
    if (user->v_given[i]) conditions[count++] = (trm_condition){rate, user->v[i], true};
  }
  return count;
}

static bool pose_problem(velocity_problem *p, const trm_system *sys, const double *q,
                         bool keep_given, trm_arena *scratch) {
  const trm_model *model = sys->model;
  int given = model->user ? model->user->n : 6 * model->body_count;
  p->conditions = TRM_NEW(scratch, trm_condition, model->initial_count + given + 1);
  if (!p->conditions) return false;
  p->fits = CONSISTENT;
  p->count = p->hard = collect_initial(model, p->conditions);
  trm_condition *rest = p->conditions + p->hard;
  if (keep_given)
    p->count +=
        model->user ? collect_given_coordinates(model->user, rest) : collect_given(model, rest);
  p->sys =
      trm_system_create(model, sys->motion.coordinates, false, p->conditions, p->count, scratch);
  p->solver = p->sys ? trm_solver_create(&trm_udwadia_kalaba, scratch, &p->sys->structure) : NULL;
  p->residual = p->sys ? TRM_NEW(scratch, double, p->sys->m + 1) : NULL;
  if (!p->solver || !p->residual) return false;
  if (sys->filtered)
    memcpy(p->sys->law_states, sys->law_states, (size_t)sys->states * sizeof(double));
  if (sys->inconsistent) {
    p->sys->inconsistent = TRM_NEW(scratch, bool, p->sys->m + 1);
    if (!p->sys->inconsistent) return false;
    memcpy(p->sys->inconsistent, sys->inconsistent,
           (size_t)sys->m * sizeof(bool)); /* conditions come last */
    trm_solver_set_redundant(p->solver, p->sys->inconsistent);
    /* given velocities fit as well as positions do; half way, as there */
    p->fits = fmax(CONSISTENT, sqrt(sys->inconsistency));
    trm_solver_cut(p->solver, sqrt(sys->inconsistency));
  }
  return trm_system_position(p->sys, sys->t, q);
}

/* The largest of the velocities, in units of the model. */
static double fastest_of(const trm_system *sys, const double *v) {
  double fastest = 0;
  for (int i = 0; i < sys->n; i++) fastest = fmax(fastest, fabs(v[i]) / sys->span[i]);
  return fastest;
}

/* Against the fastest of the velocities and those of the drivers. */
static bool is_met(velocity_problem *p, double fastest, double *norm) {
  const trm_system *sys = p->sys;
  int given = sys->m - (p->count - p->hard); /* a row each, behind all others */
  double off = 0, first = 0;
  trm_jacobian_norms(&sys->structure, sys->Cq, norm);
  for (int i = 0; i < sys->m; i++) {
    double unit = norm[i] > 0 ? norm[i] : 1;
    fastest = fmax(fastest, fabs(sys->Ct[i]) / unit);
    if (!sys->inconsistent || !sys->inconsistent[i])
      off = trm_larger(off, fabs(p->residual[i]) / unit);
    if (i < given) first = off;
  }
  p->left = fastest > 0 ? first / fastest : first;
  return off <= p->fits * fastest;
}

/* v moves by the smallest mass-weighted change; whether everything is then met. */
static bool solve_problem(velocity_problem *p, double *v, trm_arena *scratch) {
  trm_system *sys = p->sys;
  double *dv = TRM_NEW(scratch, double, sys->n), *mu = TRM_NEW(scratch, double, sys->m + 1);
  if (!dv || !mu) return false;
  double before = fastest_of(sys, v); /* counts, too: of a rigid frame round-off of it is left */
  int passes = trm_system_is_linear(sys) ? 2 : MOST_PASSES;
  for (int pass = 0; pass < passes; pass++) { /* the second removes the round-off of the first */
    if (pass == 0 || !trm_system_is_linear(sys)) {
      if (!trm_system_linearize(sys, v)) return false;
      trm_solver_factor(p->solver, sys->M, sys->Cq, sys->N);
    }
    trm_system_velocity_residual(sys, v, p->residual);
    for (int i = 0; i < sys->m; i++) p->residual[i] = -p->residual[i];
    trm_solver_solve(p->solver, NULL, p->residual, NULL, dv, mu);
    trm_axpy(sys->n, 1, dv, v);
  }
  trm_system_velocity_residual(sys, v, p->residual);
  return is_met(p, fmax(before, fastest_of(sys, v)), mu);
}

static trm_status refuse_generic(const velocity_problem *p, trm_diagnostics *diagnostics) {
  const trm_system *sys = p->sys;
  const trm_user *user = sys->model->user;
  double largest = 0;
  for (int i = 0; i < sys->m; i++) largest = fmax(largest, fabs(p->residual[i]));
  for (int i = 0; i < sys->m; i++) {
    char name[100];
    double off = fabs(p->residual[i]);
    if (off < 1e-3 * largest) continue;
    if (i >= sys->groups) {
      const char *measure = p->conditions[i - sys->groups].measure.name;
      trm_report_place(
          diagnostics, TRM_ERROR, trm_initial_place(sys->model, measure),
          "initial conditions contradict one another or the constraints: '%s' is off by %.3g",
          measure, off);
      continue;
    }
    trm_system_group_name(sys, i, name, sizeof name);
    trm_origin origin = i < user->m ? user->position_origin[i] : user->velocity_origin[i - user->m];
    trm_report_place(diagnostics, TRM_ERROR, trm_origin_place(sys->model, origin),
                     "%s cannot be met by velocities: it is off by %.3g", name, off);
  }
  return TRM_BAD_MODEL;
}

static double off_at(const velocity_problem *p, int primitive) {
  const trm_primitive *row = &p->sys->primitives[primitive];
  return trm_norm_of(row->rows, p->residual + row->row);
}

/* Positions fit and velocities do not: what a driver asks for is a motion that the joints do not
 * have in this configuration. */
static void refuse_joints(const velocity_problem *p, double least, trm_diagnostics *diagnostics) {
  const trm_model *model = p->sys->model;
  const char *driver = NULL;
  char with[TRM_NAMED_SIZE] = "";
  int drivers = 0, joints = p->sys->first_primitive[model->joint_count];
  for (int j = 0; j < model->joint_count; j++) drivers += model->joints[j].type == TRM_JOINT_DRIVER;
  for (int i = 0; i < joints && drivers == 1; i++) {
    const trm_joint *joint = &model->joints[p->sys->primitives[i].joint];
    if (off_at(p, i) < least) continue;
    if (joint->type == TRM_JOINT_DRIVER)
      driver = joint->name;
    else
      trm_name_another(with, joint->name);
  }
  for (int i = 0; i < joints; i++) {
    const trm_joint *joint = &model->joints[p->sys->primitives[i].joint];
    if (off_at(p, i) < least || (driver && joint->type != TRM_JOINT_DRIVER)) continue;
    if (driver)
      trm_report_place(diagnostics, TRM_ERROR, trm_origin_place(model, joint->origin),
                       "joint '%s' cannot move as required: the start is a dead centre, from which "
                       "one starts a little beside, or joints hold it everywhere: %s",
                       joint->name, with);
    else
      trm_report_place(diagnostics, TRM_ERROR, trm_origin_place(model, joint->origin),
                       "joint '%s' cannot move as required: its velocity is off by %.3g",
                       joint->name, off_at(p, i));
  }
}

static trm_status refuse(const velocity_problem *p, trm_diagnostics *diagnostics) {
  const trm_system *sys = p->sys;
  if (sys->generic) return refuse_generic(p, diagnostics);
  int joints = sys->first_primitive[sys->model->joint_count];
  double largest = 0;
  for (int i = 0; i < sys->m; i++) largest = fmax(largest, fabs(p->residual[i]));
  bool conditions = false;
  for (int i = joints; i < sys->primitive_count; i++) {
    double off = off_at(p, i);
    const char *name = p->conditions[i - joints].measure.name;
    if (off < 1e-3 * largest) continue;
    conditions = true;
    trm_report_place(diagnostics, TRM_ERROR, trm_initial_place(sys->model, name),
                     "initial conditions contradict one another or the joints: '%s' is off by %.3g",
                     name, off);
  }
  /* where conditions take part it is they that are wrong */
  if (!conditions) refuse_joints(p, 1e-3 * largest, diagnostics);
  return TRM_BAD_MODEL;
}

static void report_coordinates(const trm_system *sys, const double *change, double size,
                               trm_diagnostics *diagnostics) {
  const trm_user *user = sys->model->user;
  for (int i = 0; i < sys->n; i++)
    if (user->v_given[i] && fabs(change[i]) > CONSISTENT * (1 + size))
      trm_report_place(diagnostics, TRM_WARNING,
                       trm_origin_place(sys->model, user->coordinate_origin[i]),
                       "the velocity given for coordinate '%s' contradicts the constraints or the "
                       "initial conditions: assembly changed it by %.3g",
                       user->names[i], change[i]);
}

/* Physical, the same in every formulation: how the origin's velocity and the angular one changed.
 */
static void report_changes(trm_system *sys, const double *change, double size,
                           trm_diagnostics *diagnostics) {
  trm_motion_velocity(&sys->motion, change); /* rates are linear in v */
  for (int b = 0; b < sys->motion.bodies; b++) {
    const trm_body *body = &sys->model->bodies[b];
    if (!body->velocity_given && !body->angular_velocity_given) continue;
    trm_marker origin = trm_system_point(sys, &(trm_end){b, {0, 0, 0}});
    double v[3] = {0, 0, 0}, omega = trm_scalar_rate(&sys->body_angle[b], &sys->motion);
    trm_velocity(&sys->motion, &origin, v);
    double speed = trm_norm_of(sys->model->dim, v);
    if (fmax(speed, fabs(omega)) > CONSISTENT * (1 + size))
      trm_report_place(diagnostics, TRM_WARNING, trm_origin_place(sys->model, body->origin),
                       "the velocity given for body '%s' contradicts the joints or the initial "
                       "conditions: assembly changed it by %.3g, and the angular velocity by %.3g",
                       body->name, speed, fabs(omega));
  }
}

static trm_status solve_velocities(trm_system *sys, const double *q, double *v, trm_arena *scratch,
                                   trm_diagnostics *diagnostics) {
  velocity_problem problem;
  size_t bytes = (size_t)sys->n * sizeof(double);
  double *written = TRM_NEW(scratch, double, sys->n);
  if (!written) return TRM_NO_MEMORY;
  memcpy(written, v, bytes);
  if (!pose_problem(&problem, sys, q, true, scratch)) return TRM_NO_MEMORY;
  bool fits = solve_problem(&problem, v, scratch);
  if (fits && problem.left <= ROUND_OFF) return TRM_OK;
  /* given velocities fit as far as their digits go: joints and `initial:` come first */
  if (!fits) memcpy(v, written, bytes);
  if (!pose_problem(&problem, sys, q, false, scratch)) return TRM_NO_MEMORY;
  if (!solve_problem(&problem, v, scratch)) {
    trm_solver_contradiction(problem.solver, problem.residual);
    return refuse(&problem, diagnostics);
  }
  for (int i = 0; i < sys->n; i++) written[i] = v[i] - written[i];
  if (sys->generic)
    report_coordinates(sys, written, trm_norm_of(sys->n, v), diagnostics);
  else
    report_changes(sys, written, trm_norm_of(sys->n, v), diagnostics);
  return TRM_OK;
}

static bool has_velocity_conditions(const trm_model *model) {
  for (int i = 0; i < model->initial_count; i++)
    if (model->initials[i].measure.level == 1) return true;
  return false;
}

trm_status trm_assemble_velocities(trm_system *sys, const double *q, double *v, double *gap,
                                   trm_diagnostics *diagnostics) {
  trm_arena *scratch = trm_arena_create();
  double *residual = scratch ? TRM_NEW(scratch, double, sys->m + 1) : NULL;
  trm_status status = TRM_NO_MEMORY;
  if (residual) {
    *gap = trm_system_velocity_residual(sys, v, residual);
    bool consistent = *gap <= 1e-15 * (1 + trm_norm_of(sys->n, v));
    status = TRM_OK;
    if (!consistent || has_velocity_conditions(sys->model))
      status = solve_velocities(sys, q, v, scratch, diagnostics);
  }
  trm_arena_destroy(scratch);
  return status;
}
