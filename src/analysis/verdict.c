/* The judgement over a run, by limits that do not depend on units: docs/results.md states them. */
#include "analysis/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define POSITION 1e-3 /* violation of a constraint: of the model's length, or of a radian */
#define VELOCITY 1e-3 /* the same of its rate, by the fastest motion */
#define KINETIC  1e-2 /* energy error: of the largest kinetic energy */
#define ENERGY   1e-6 /* or of all energies */
#define CREEP    1e-3 /* of its length in the whole run: what moves less stands */

typedef struct report {
  char *text;
  size_t size;
  bool doubtful;
} report;

__attribute__((format(printf, 2, 3))) static void doubt(report *r, const char *format, ...) {
  size_t used = strlen(r->text);
  va_list arguments;
  if (r->doubtful && r->size - used > 2) {
    memcpy(r->text + used, "; ", 3);
    used += 2;
  }
  va_start(arguments, format);
  vsnprintf(r->text + used, r->size - used, format, arguments);
  va_end(arguments);
  r->doubtful = true;
}

static bool is_variable(const trm_simulation *sim) {
  return sim->integrator->variable;
}

/* What makes errors of the method smaller. */
static const char *finer(const trm_simulation *sim) {
  if (!is_variable(sim)) return "take a smaller step, or integrator auto without a step";
  if (sim->engine->settings.rtol > 1e-10) return "take smaller rtol and atol";
  return "the motion is too sensitive for such a duration";
}

static const char *keep_closer(const trm_simulation *sim) {
  return strcmp(sim->engine->settings.stabilization, "direct") == 0 && !sim->integrator->implicit
             ? finer(sim)
             : "take stabilization direct, or a smaller step";
}

/* The slowest motion that counts as one, in spans of the coordinates a unit of time. */
static double slowest(const trm_simulation *sim) {
  double t = trm_simulation_time(sim);
  return t > 0 ? CREEP / t : 0;
}

/* The joint, or the body whose coordinates do not fit each other. */
static void name_row(const trm_simulation *sim, int row, char *name, size_t size) {
  trm_system *sys = sim->engine->system;
  bool intrinsic = !sys->generic && trm_system_row_group(sys, row) < 0;
  if (intrinsic)
    trm_system_coordinate_name(sys, sys->type->row_coordinate(sys, row), name, size);
  else
    trm_system_name_cause(sys, -1, row, name, size);
}

static void judge_constraints(trm_simulation *sim, report *r) {
  const trm_dynamics *d = &sim->engine->dynamics;
  double rate = fmax(d->max_rate, slowest(sim));
  char name[200];
  if (!(d->position.size <= POSITION)) {
    name_row(sim, d->position.row, name, sizeof name);
    doubt(r, "%s is open by %.3g of the model's length at t = %.4g: %s", name, d->position.size,
          d->position.t,
          d->position.left_out
              ? "it is redundant and was left out, since it does not fit the others as written"
              : keep_closer(sim));
  }
  if (!(d->velocity.size <= VELOCITY * rate)) {
    name_row(sim, d->velocity.row, name, sizeof name);
    doubt(r, "%s opens at %.3g of the fastest motion at t = %.4g: %s", name,
          d->velocity.size / rate, d->velocity.t, keep_closer(sim));
  }
}

/* The body that moves most, in energy, and what acts on it. */
static void name_strongest(trm_simulation *sim, char *name, size_t size) {
  const trm_dynamics *d = &sim->engine->dynamics;
  const trm_system *sys = sim->engine->system;
  const double *v = sim->engine->y + d->at.v;
  int fastest = 0;
  for (int i = 1; i < d->n; i++)
    if (fabs(v[i]) * d->per_span[i] > fabs(v[fastest]) * d->per_span[fastest]) fastest = i;
  snprintf(name, size, "the motion");
  if (d->n > 0 && sys->m + sys->model->force_count > 0)
    trm_system_name_cause(sim->engine->system, fastest, -1, name, size);
}

static void judge_energy(trm_simulation *sim, report *r) {
  const trm_dynamics *d = &sim->engine->dynamics;
  double error = d->max_energy_error, creep = slowest(sim);
  double kinetic = fmax(d->max_kinetic, d->energy_unit * creep * creep);
  double all = kinetic + d->max_potential + fabs(sim->engine->y[d->at.work]);
  char name[200];
  if (!sim->engine->system->has_energy || error <= KINETIC * kinetic || error <= ENERGY * all)
    return;
  if (!isfinite(error)) {
    doubt(r, "the energy is more than a number can hold: take other units");
    return;
  }
  name_strongest(sim, name, sizeof name);
  doubt(r, "the energy is off by %.3g, with a kinetic energy of up to %.3g (mostly %s): %s", error,
        d->max_kinetic, name, finer(sim));
}

/* The first of the body that a measure is of; shafts are the last bodies, on the last joints. */
static int coordinate_of(const trm_simulation *sim, const trm_measure *measure) {
  const trm_model *model = sim->engine->model;
  int body = measure->index;
  if (measure->kind == TRM_MEASURE_COORDINATE) return measure->index;
  if (measure->kind == TRM_MEASURE_FREEDOM) body += model->body_count - model->joint_count;
  const trm_system *sys = sim->engine->system;
  return sys->generic ? 0 : sys->type->body_coordinate(sys, body);
}

static void judge_error(trm_simulation *sim, report *r) {
  const trm_error_estimate *estimate = &sim->estimate;
  char name[200], cause[200];
  if (!estimate->made || estimate->part <= TRM_ERROR_LIMIT) return;
  const trm_measure *measure = &sim->marks.measures[estimate->worst];
  trm_marks_name(sim->engine->model, measure, name, sizeof name);
  trm_system_name_cause(sim->engine->system, coordinate_of(sim, measure), -1, cause, sizeof cause);
  doubt(r,
        "the estimated error of %s is %.2g of its range, by %s; rows are good up to about t = "
        "%.4g: %s",
        name, estimate->part, cause, estimate->since, finer(sim));
}

static void judge_proof(trm_simulation *sim, report *r) {
  if (!sim->estimate.tried || sim->estimate.made || is_variable(sim) || sim->marks.count < 2)
    return;
  doubt(r, "no other run confirms it: neither the default method nor one with twice the step came "
           "to a row");
}

bool trm_verdict_doubts(trm_simulation *sim, char *text, size_t size) {
  report r = {text, size, false};
  text[0] = 0;
  if (sim->status != TRM_OK) return false;
  trm_system_complete_frames(sim->engine->system); /* names are found by them */
  trm_system_complete_rows(sim->engine->system);
  judge_constraints(sim, &r);
  judge_energy(sim, &r);
  judge_error(sim, &r);
  judge_proof(sim, &r);
  return r.doubtful;
}
