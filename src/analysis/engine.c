/* What is compiled and assembled: the mechanism, its methods, and a consistent state. */
#include "analysis/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/conserve.h"
#include "base/parallel.h"
#include "math/serial.h"

/* Coordinates from which threads gain more than starting them costs. */
enum { large = 6000 };

static int threads_for(const trm_engine *e) {
  if (e->settings.threads != TRM_UNSET) return (int)e->settings.threads;
  return e->system->n >= large ? trm_cores() : 1;
}

static trm_status check_size(const trm_engine *e, const trm_solver_class *type,
                             trm_diagnostics *diagnostics) {
  int size = e->system->n + e->system->m;
  if (type->most == 0 || size <= type->most) return TRM_OK;
  return trm_refuse_setting(
      e->model, &e->settings, "solver", NULL, diagnostics,
      "solver '%s' factors full matrices, of up to %d coordinates and constraints; the model has "
      "%d: take udwadia-kalaba or augmented",
      type->name, type->most, size);
}

/* System, solver, stabilizer: all memory of an evaluation is taken here. */
static trm_status compile(trm_engine *e, trm_diagnostics *diagnostics) {
  const trm_settings *settings = &e->settings;
  const trm_solver_class *type = trm_solver_find(settings->solver);
  const trm_coordinates *coordinates = NULL; /* a system of its own has its own */
  if (!e->model->user) coordinates = trm_coordinates_find(settings->coordinates, e->model->dim);
  if (coordinates && type->takes_singular && coordinates->singular)
    coordinates = coordinates->singular;
  e->system = trm_system_create(e->model, coordinates, type->takes_singular, NULL, 0, e->arena);
  if (!e->system) return TRM_NO_MEMORY;
  if (coordinates && coordinates->joints && e->system->n == 0)
    return trm_refuse_setting(e->model, settings, "coordinates", NULL, diagnostics,
                              "coordinates 'relative': the joints leave no freedom");
  trm_status status = check_size(e, type, diagnostics);
  if (status != TRM_OK) return status;
  e->system->structure.pool = trm_pool_create(e->arena, threads_for(e));
  e->solver = trm_solver_create_linear(type, e->arena, &e->system->structure,
                                       trm_linear_find(settings->linear));
  if (!e->solver) return TRM_NO_MEMORY;
  trm_stabilizer *stabilizer = trm_stabilizer_create(e->arena, e->system, e->solver, settings);
  if (!stabilizer || !trm_dynamics_create(&e->dynamics, e->arena, stabilizer, settings))
    return TRM_NO_MEMORY;
  trm_solver_want_intrinsic(e->solver, false); /* methods that follow tangents ask for them */
  int size = e->dynamics.size;
  e->y = TRM_NEW(e->arena, double, size);
  e->ydot = TRM_NEW(e->arena, double, size);
  e->at = TRM_NEW(e->arena, double, 2 * size);
  return e->y && e->ydot && e->at ? TRM_OK : TRM_NO_MEMORY;
}

/* A driver among the redundant joints drives what the joints or another driver already fix. */
static trm_status refuse_drivers(const trm_engine *e, trm_diagnostics *diagnostics) {
  const trm_redundancy *r = &e->redundancy;
  trm_status status = TRM_OK;
  for (int i = 0; i < r->group_count && !e->model->user; i++) {
    const trm_joint *joint = &e->model->joints[r->groups[i]];
    if (joint->type != TRM_JOINT_DRIVER && !joint->value.formula) continue;
    trm_report_place(diagnostics, TRM_ERROR, trm_origin_place(e->model, joint->origin),
                     "joint '%s' drives what the other joints and drivers already determine: "
                     "the model has more drivers than freedoms there",
                     joint->name);
    status = TRM_BAD_MODEL;
  }
  return status;
}

/* Reactions of least norm are over the multipliers of all joints: those of a tree have none. */
static trm_status refuse_redundant(const trm_engine *e, trm_diagnostics *diagnostics) {
  if (!e->system->spanning || e->redundancy.group_count == 0) return TRM_OK;
  return trm_refuse_setting(e->model, &e->settings, "coordinates", NULL, diagnostics,
                            "coordinates 'relative' share no reactions among redundant joints, "
                            "and joint '%s' is redundant: take natural",
                            e->redundant_names[0]);
}

static bool name_redundant(trm_engine *e) {
  const trm_redundancy *r = &e->redundancy;
  e->redundant_names = TRM_NEW(e->arena, const char *, r->group_count + 1);
  for (int i = 0; e->redundant_names && i < r->group_count; i++) {
    char name[256];
    trm_system_group_name(e->system, r->groups[i], name, sizeof name);
    e->redundant_names[i] = trm_arena_string(e->arena, name);
    if (!e->redundant_names[i]) return false;
  }
  return e->redundant_names != NULL;
}

/* Evaluates the last good state again, so that its measures hold. */
void trm_engine_return(trm_engine *e) {
  trm_dynamics_evaluate(&e->dynamics, e->t, e->y, e->ydot);
  e->reactions_ready = false;
}

#define PASSES  200
#define SETTLED 1e-13 /* of the largest state */
#define FASTEST 0.1   /* of 1/h: above it the feedback acts on the stages' own small violations */
#define FASTER  10    /* than the motion; singular positions ask for it */
#define STEADY                                                                                     \
  5 /* the same with fixed steps: from moderate ones on it does not depend on them, so             \
     * that a method keeps its order */

/* Baumgarte's default: violations die out faster than the mechanism moves, as far as the method can
 * follow. A motion's own rate is √(a/length) or v/length, in the mean of the masses, a being what
 * forces alone would cause, as at the start the constraints may hold them, or what drivers do. */
static void choose_coefficients(trm_engine *e) {
  trm_settings *settings = &e->settings;
  trm_dynamics *d = &e->dynamics;
  const trm_method_class *method = trm_integrator_find(settings->integrator);
  double v2 = trm_dynamics_square(d, e->y + d->at.v);
  double a2 = fmax(trm_dynamics_free(d), trm_dynamics_square(d, e->ydot + d->at.v));
  double rate = sqrt(fmax(v2 / d->energy_unit, sqrt(a2 / d->energy_unit)));
  if (!(rate > 0 && isfinite(rate))) rate = settings->duration > 0 ? 1 / settings->duration : 1;
  double fastest = FASTER * rate, limit = fmin(FASTEST, method->stable / 2);
  if (!trm_settings_is_variable(settings))
    fastest = fmin(STEADY * rate, limit / trm_settings_step(settings));
  if (settings->alpha == TRM_UNSET) settings->alpha = fastest;
  if (settings->beta == TRM_UNSET) settings->beta = fastest;
  if (d->stabilizer->type != &trm_stabilization_baumgarte) return;
  d->stabilizer->alpha = settings->alpha;
  d->stabilizer->beta = settings->beta;
}

static bool states_stay(const trm_system *sys, const double *v) {
  double off = 0, size = 1;
  for (int k = 0; k < sys->states; k++) {
    off = fmax(off, fabs(v[sys->n + k] - sys->law_states[k]));
    size = fmax(size, fabs(v[sys->n + k]));
  }
  return off <= SETTLED * size;
}

/* Laws that hang on states: a state starts from the assembled motion, which hangs on it. */
static trm_status assemble(trm_engine *e, trm_diagnostics *diagnostics) {
  trm_system *sys = e->system;
  double *q = e->y, *v = e->y + e->dynamics.at.v;
  trm_status status = TRM_OK;
  trm_system_written(sys, q);
  for (int i = 0; status == TRM_OK && i < PASSES; i++) {
    if (sys->filtered && !trm_system_start_states(sys, 0, q, v)) return TRM_OK; /* reported later */
    if (i > 0 && (!sys->filtered || states_stay(sys, v))) return TRM_OK;
    trm_system_take_states(sys, v);
    status = trm_assemble(sys, e->solver, e->settings.tolerance, q, v, &e->assembly, diagnostics);
  }
  if (status != TRM_OK) return status;
  trm_report(diagnostics, TRM_ERROR,
             "the initial state cannot be found: what drivers take from smooth(x, tau) hangs on "
             "the assembled motion, and the motion on it, without coming to rest");
  return TRM_BAD_MODEL;
}

static trm_status start(trm_engine *e, trm_diagnostics *diagnostics) {
  trm_system *sys = e->system;
  double *q = e->y, *v = e->y + e->dynamics.at.v;
  trm_status status = assemble(e, diagnostics);
  if (status != TRM_OK) return status;
  if (!trm_find_redundancy(sys, e->solver, q, &e->redundancy)) return TRM_NO_MEMORY;
  if (!name_redundant(e)) return TRM_NO_MEMORY;
  status = refuse_drivers(e, diagnostics);
  if (status == TRM_OK) status = refuse_redundant(e, diagnostics);
  if (status == TRM_OK && e->redundancy.group_count > 0)
    status = trm_go_onto_kept_rows(sys, e->solver, q, v);
  if (status != TRM_OK) return status;
  if (e->redundancy.generic >= 0) e->dynamics.stabilizer->rank = e->redundancy.generic;
  memcpy(e->dynamics.stabilizer->redundant, e->redundancy.redundant, (size_t)sys->m * sizeof(bool));
  trm_solver_prepare(e->solver);
  if (!trm_system_start_states(sys, 0, q, v) ||
      !trm_dynamics_rates(&e->dynamics, 0, e->y, e->ydot)) {
    trm_report_place(diagnostics, TRM_ERROR, sys->place,
                     "the initial state cannot be evaluated: %s", sys->error);
    return TRM_BAD_MODEL;
  }
  double residual = 0;
  for (int i = 0; i < e->dynamics.size; i++) residual += 0 * e->ydot[i];
  if (residual != 0) {
    trm_report(diagnostics, TRM_ERROR, "the accelerations at t = 0 are not finite");
    return TRM_BAD_MODEL;
  }
  status = trm_conserve_measure(e, diagnostics);
  if (status != TRM_OK) return status;
  sys->energy0 = trm_system_energy(sys);
  e->dynamics.max_kinetic = trm_system_kinetic(sys);
  if (e->dynamics.conserve) trm_energy_note_digits(&e->dynamics, q);
  e->dynamics.energy_unit = trm_dynamics_square(&e->dynamics, sys->span);
  choose_coefficients(e);
  e->energy_initial = sys->has_energy ? sys->energy0 : NAN;
  e->start = sys->energy0 + trm_dynamics_square(&e->dynamics, sys->span);
  sys->velocity_violation = trm_system_velocity_residual(sys, v, e->dynamics.stabilizer->g);
  trm_dynamics_note_rate(&e->dynamics, v);
  e->dynamics.max_position_violation = trm_system_violation(sys);
  e->dynamics.max_velocity_violation = sys->velocity_violation;
  e->dynamics.max_energy_error = fabs(0 * sys->energy0); /* no balance where it is not finite */
  return TRM_OK;
}

static bool ask_reactions(const trm_model *model, const trm_measure *measures, int count) {
  for (int i = 0; i < count; i++) {
    if (measures[i].kind == TRM_MEASURE_REACTION || measures[i].kind == TRM_MEASURE_EFFORT ||
        measures[i].kind == TRM_MEASURE_MULTIPLIER)
      return true;
    if (measures[i].kind != TRM_MEASURE_FORMULA) continue;
    const trm_output_formula *f = &model->formulas[measures[i].index]; /* over no other formula */
    if (ask_reactions(model, f->measures, f->count)) return true;
  }
  return false;
}

/* Reactions of redundant joints are shared out when somebody asks for them. */
static void prepare_reactions(trm_engine *e, const trm_measure *measures, int count) {
  if (e->reactions_ready || trm_solver_rank(e->solver) == e->system->m) return;
  e->reactions_ready = ask_reactions(e->model, measures, count);
  if (!e->reactions_ready) return;
  if (trm_solver_share_links(e->solver, e->system->lambda)) return;
  trm_system_complete_rows(e->system);
  trm_serial_begin();
  trm_solver_minimum_norm(e->solver, e->system->lambda);
  trm_serial_end();
}

void trm_engine_measures(trm_engine *e, const trm_measure *measures, int count, double *values) {
  trm_system_complete_frames(e->system);
  prepare_reactions(e, measures, count);
  trm_system_find_motion(e->system);
  trm_system_measures(e->system, measures, count, values);
}

trm_engine *trm_engine_create(const trm_model *model, const trm_settings *settings,
                              trm_diagnostics *diagnostics, trm_status *status) {
  trm_engine *e = calloc(1, sizeof *e);
  *status = TRM_NO_MEMORY;
  if (!e) return NULL;
  e->model = model;
  e->settings = *settings;
  e->arena = trm_arena_create();
  if (e->arena) *status = compile(e, diagnostics);
  if (*status == TRM_OK) *status = start(e, diagnostics);
  if (*status == TRM_OK) return e;
  trm_engine_destroy(e);
  return NULL;
}

void trm_engine_destroy(trm_engine *e) {
  if (!e) return;
  trm_arena_destroy(e->arena);
  free(e);
}

void trm_engine_keep(trm_engine *e) {
  size_t bytes = (size_t)e->dynamics.size * sizeof(double);
  TRM_KEEP(e->arena, e->t);
  TRM_KEEP(e->arena, e->energy_initial);
  trm_keep_at(e->arena, &e->y, bytes);
  trm_keep_at(e->arena, &e->ydot, bytes);
  trm_system_keep(e->system);
  trm_solver_keep(e->solver);
  trm_dynamics_keep(&e->dynamics, e->arena);
}
