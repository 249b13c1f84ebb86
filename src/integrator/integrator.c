/* The integrators by name. */
#include "integrator/event.h"

#include <string.h>

static const trm_method_class methods[] = {
    {"euler", trm_runge_kutta_step, &trm_euler, 0, 2, .control = NULL},
    {"rk4", trm_runge_kutta_step, &trm_rk4, 0, 2.78, .control = NULL},
    {"rk6", trm_runge_kutta_step, &trm_rk6, 0, 3, .control = NULL},
    {"ab2", trm_adams_bashforth_step, &trm_rk4, 2, 1, .control = NULL},
    {"ab3", trm_adams_bashforth_step, &trm_rk4, 3, 6 / 11.0, .control = NULL},
    {"ab4", trm_adams_bashforth_step, &trm_rk4, 4, 3 / 10.0, .control = NULL},
    {"ab5", trm_adams_bashforth_step, &trm_rk6, 5, 90 / 551.0, .control = NULL},
    {"ab6", trm_adams_bashforth_step, &trm_rk6, 6, 5 / 57.0, .control = NULL},
    {"dopri5", trm_variable_step, &trm_dopri5, 0, 3.3, .control = &trm_dopri5_control},
    {"dop853", trm_variable_step, &trm_dop853, 0, 6, .control = &trm_dop853_control},
    {.name = "trapezoidal", .step = trm_implicit_step, .scheme = &trm_scheme_trapezoidal},
    {.name = "generalized-alpha",
     .step = trm_implicit_step,
     .scheme = &trm_scheme_generalized_alpha},
    {.name = "three-field", .step = trm_implicit_step, .scheme = &trm_scheme_three_field},
    {.name = "radau5",
     .step = trm_radau5_step,
     .control = &trm_radau5_control,
     .start = trm_radau5_start},
    {.name = "adams",
     .step = trm_sundials_step,
     .start = trm_cvode_start_adams,
     .interpolate = trm_sundials_interpolate},
    {.name = "bdf",
     .step = trm_sundials_step,
     .start = trm_cvode_start_bdf,
     .interpolate = trm_sundials_interpolate},
    {.name = "ida",
     .step = trm_sundials_step,
     .start = trm_ida_start,
     .interpolate = trm_sundials_interpolate},
};

const trm_method_class *trm_integrator_find(const char *name) {
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strcmp(methods[i].name, name) == 0) return &methods[i];
  return NULL;
}

int trm_integrator_order(const trm_method_class *type) {
  if (type->steps > 0) return type->steps;
  if (type->tableau) return type->tableau->order;
  return type->scheme ? 2 : 5; /* the others are radau5 with fixed steps */
}

bool trm_settings_is_variable(const trm_settings *settings) {
  if (strcmp(settings->stepping, "auto") != 0) return strcmp(settings->stepping, "variable") == 0;
  return trm_integrator_is_variable(trm_settings_resolve(settings).integrator);
}

bool trm_integrator_is_variable(const char *name) {
  const trm_method_class *type = trm_integrator_find(name);
  return type && (type->control || type->start);
}

static bool create_history(trm_integrator *in, trm_arena *arena) {
  int count = in->type->steps - 1;
  in->weights = trm_adams_bashforth_weights(in->type->steps);
  in->history = TRM_NEW(arena, double *, count);
  for (int j = 0; in->history && j < count; j++)
    if (!(in->history[j] = TRM_NEW(arena, double, in->size))) return false;
  return in->history != NULL;
}

static bool create_control(trm_integrator *in, const trm_settings *settings, trm_arena *arena) {
  in->control = in->type->scheme ? &trm_implicit_control : in->type->control;
  in->rtol = settings->rtol;
  in->atol = settings->atol;
  in->largest = settings->step == TRM_UNSET ? INFINITY : settings->step;
  in->estimate = TRM_NEW(arena, double, in->size);
  in->after_change = TRM_NEW(arena, double, 3 * in->size);
  if (in->control) in->dense = TRM_NEW(arena, double, in->control->parts * in->size);
  bool refines = in->control && in->control->pair && in->control->pair->more > 0;
  if (refines) in->spare = TRM_NEW(arena, double, (4 + in->type->tableau->stages) * in->size);
  return in->estimate && in->after_change && (in->dense || !in->control) && (in->spare || !refines);
}

/* Also the rates at the end of a step and the stages of its interpolant. */
static int stage_count(const trm_method_class *type) {
  if (!type->tableau) return 1;
  return type->tableau->stages + (type->control ? 1 + type->control->pair->more : 0);
}

/* Multistep methods do not come through singular positions: their history and their short steps are
 * full of what round-off becomes there. A pair takes them across. */
static bool create_substitute(trm_integrator *in, const trm_settings *settings, trm_arena *arena,
                              trm_dynamics *dynamics) {
  trm_settings substitute = *settings;
  if (!in->type->interpolate) return true;
  substitute.integrator = "dop853";
  substitute.stepping = "auto";
  return (in->substitute = trm_integrator_create(&substitute, arena, dynamics)) != NULL;
}

/* Of the method: what the next step depends on beside the state, and what is counted. */
static void keep(trm_integrator *in, trm_arena *arena) {
  size_t bytes = (size_t)in->size * sizeof(double);
  TRM_KEEP(arena, in->known);
  TRM_KEEP(arena, in->ended_at_bend);
  TRM_KEEP(arena, in->fresh);
  TRM_KEEP(arena, in->next);
  TRM_KEEP(arena, in->error);
  TRM_KEEP(arena, in->before);
  TRM_KEEP(arena, in->from);
  TRM_KEEP(arena, in->length);
  TRM_KEEP(arena, in->longest_step);
  TRM_KEEP(arena, in->tiny_steps);
  TRM_KEEP(arena, in->regular);
  TRM_KEEP(arena, in->taken);
  TRM_KEEP(arena, in->rejections);
  TRM_KEEP(arena, in->restarts);
  TRM_KEEP(arena, in->jacobians);
  TRM_KEEP(arena, in->iterations);
  TRM_KEEP(arena, in->refactorizations);
  TRM_KEEP(arena, in->cuts);
  TRM_KEEP(arena, in->projections);
  TRM_KEEP(arena, in->substituted);
  TRM_KEEP(arena, in->largest_pivot);
  TRM_KEEP(arena, in->own_steps);
  TRM_KEEP(arena, in->longest);
  TRM_KEEP(arena, in->substitutions);
  for (int j = 0; j < in->type->steps - 1; j++) trm_keep_at(arena, &in->history[j], bytes);
  if (in->dense) trm_keep(arena, in->dense, (size_t)in->control->parts * bytes);
}

trm_integrator *trm_integrator_create(const trm_settings *settings, trm_arena *arena,
                                      trm_dynamics *dynamics) {
  const trm_method_class *type = trm_integrator_find(settings->integrator);
  trm_integrator *in = type ? TRM_NEW(arena, trm_integrator, 1) : NULL;
  int size = dynamics->size;
  if (!in) return NULL;
  in->type = type;
  in->size = size;
  in->pool = dynamics->system->structure.pool;
  in->variable = trm_settings_is_variable(settings);
  if (type->scheme)
    in->implicit = trm_implicit_create(settings, arena, type->scheme, dynamics);
  else
    in->k = TRM_NEW(arena, double, stage_count(type) * size);
  in->linear = trm_linear_find(settings->linear);
  in->trial = TRM_NEW(arena, double, size);
  in->rates = TRM_NEW(arena, double, size);
  bool good = (in->k || in->implicit) && in->trial && in->rates &&
              (type->steps == 0 || create_history(in, arena)) &&
              (!(in->variable || type->control) || create_control(in, settings, arena)) &&
              create_substitute(in, settings, arena, dynamics) &&
              (!type->control || !type->control->pair || trm_stiffness_create(in, arena));
  if (good) keep(in, arena);
  return good ? in : NULL;
}

static void swap(double **a, double **b) {
  double *c = *a;
  *a = *b;
  *b = c;
}

#define TINY_STEP 1e-7 /* of the greatest step: no motion needs such steps for long */
#define MOST_TINY 10000

/* Whether all steps of late, as the method itself has chosen them, were next to nothing: a motion
 * that goes to infinity in a finite time has round-off that grows faster than steps shrink. */
static bool steps_are_tiny(trm_integrator *in, double h, bool chosen) {
  if (h > in->longest_step) in->longest_step = h;
  if (chosen || h >= TINY_STEP * in->longest_step)
    in->tiny_steps = h < TINY_STEP * in->longest_step ? in->tiny_steps + 1 : 0;
  return in->tiny_steps > MOST_TINY;
}

bool trm_integrator_step(trm_integrator *in, trm_dynamics *dynamics, double t, double *end,
                         double h, double **y, double **ydot) {
  double last = *end;
  in->correction = dynamics->correction;
  trm_step step = in->variable && in->control && !in->implicit ? trm_variable_step : in->type->step;
  if (in->stiffness) step = trm_stiffness_step;
  if (!step(in, dynamics, t, end, h, *y, *ydot)) return false;
  if (steps_are_tiny(in, *end - t, *end < last))
    return trm_explain_tiny_steps(dynamics, t, *y, *end - t);
  if (in->events && !trm_events_locate(in, dynamics, step, t, end, *y, *ydot)) return false;
  in->regular = trm_solver_is_regular(dynamics->solver);
  trm_dynamics_commit(dynamics, in->trial);
  swap(y, &in->trial);
  swap(ydot, &in->rates);
  return true;
}

bool trm_integrator_start(trm_integrator *in, trm_dynamics *dynamics, trm_arena *arena, double t,
                          const double *y) {
  return !in->type->start || in->type->start(in, dynamics, arena, t, y);
}

trm_work trm_integrator_work(const trm_integrator *in) {
  trm_work work = {in->jacobians, in->iterations, in->refactorizations,
                   in->cuts,      in->rejections, in->restarts};
  const trm_integrator *other = in->stiffness ? in->stiffness->other : NULL;
  if (!other) return work;
  work.jacobians += other->jacobians;
  work.iterations += other->iterations;
  work.refactorizations += other->refactorizations;
  work.cuts += other->cuts;
  work.rejections += other->rejections;
  work.restarts += other->restarts;
  return work;
}

void trm_integrator_restart(trm_integrator *in) {
  in->known = 0;
  in->fresh = true;
  if (in->implicit) in->implicit->started = false;
  if (in->stiffness && in->stiffness->stiffly) trm_integrator_restart(in->stiffness->other);
}

static const char *refuse_sundials(const trm_settings *settings, const char **key) {
  bool projects = strcmp(settings->stabilization, "direct") == 0 ||
                  strcmp(settings->stabilization, "partition") == 0;
  *key = "stabilization";
  if (!projects)
    return "it keeps the constraints itself, by projection: stabilization must be direct or "
           "partition";
  *key = "energy";
  if (strcmp(settings->energy, "conserve") == 0 && strcmp(settings->integrator, "bdf") != 0)
    return "its history cannot be moved to another energy, which energy 'conserve' would ask for; "
           "that of bdf can";
  return NULL;
}

const char *trm_integrator_refuses(const trm_settings *settings, const char **key) {
  const trm_method_class *type = trm_integrator_find(settings->integrator);
  const char *ignored;
  if (!key) key = &ignored;
  *key = "stepping";
  bool variable = strcmp(settings->stepping, "variable") == 0;
  if (variable && !type->scheme && !type->control && !type->start)
    return "stepping 'variable' is for dopri5, dop853 and the implicit methods; this one takes "
           "`step`";
  if (strcmp(settings->stepping, "fixed") == 0 &&
      (type->interpolate || type->step == trm_variable_step))
    return "it always chooses its steps: stepping 'fixed' is not for it";
  if (type->interpolate) return refuse_sundials(settings, key);
  if (!type->scheme && type->step != trm_radau5_step) return NULL;
  *key = "stabilization";
  if (strcmp(settings->stabilization, "baumgarte") == 0 ||
      strcmp(settings->stabilization, "embedded") == 0)
    return "it meets the constraints itself: stabilization must be direct, partition or none";
  *key = "energy";
  if (strcmp(settings->energy, "conserve") == 0 && type->scheme &&
      type->scheme != &trm_scheme_trapezoidal)
    return "it goes on with velocities of its own, which energy 'conserve' does not reach";
  return NULL;
}
