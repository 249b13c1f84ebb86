/* How rates, measures and events change along any direction, also one that leaves the constraints.
 */
#include <stdlib.h>
#include <string.h>
#include <trammel/analysis.h>

#include "analysis/manifold.h"
#include "analysis/simulation.h"
#include "base/flush.h"
#include "math/serial.h"

struct trm_differential {
  trm_simulation *simulation;
  trm_manifold *m;
  int measure_count, event_count;
  trm_measure *measures;     /* [measure_count] */
  double *direction;         /* [width] as asked for, then on the constraints */
  double *rate, *multiplier; /* [width], [m] what follows from it */
  double *projected_rate, *projected_multiplier;
  double *place, *speed, *pull;     /* [m], [m], [n] */
  double work, work_slope;          /* at the state, and along the part at hand */
  double *found;                    /* [1 + measure_count + event_count] of one part */
  double *rates, *values, *watched; /* [state size], sums over the parts */
};

/* --- what is read --- */

typedef struct reading {
  trm_differential *d;
  int first, count;
} reading;

static void read_power(void *context, const trm_system *sys, double *out) {
  (void)context;
  *out = trm_system_power(sys);
}

/* Redundant joints share their reactions in the way of least norm. A state that is set has its own
 * energy balance. */
static void read_measures(void *context, const trm_system *evaluated, double *out) {
  reading *r = context;
  trm_solver *solver = r->d->simulation->engine->solver;
  trm_system *sys = r->d->m->system;
  if (trm_solver_rank(solver) != sys->m) trm_solver_minimum_norm(solver, sys->lambda);
  sys->work = r->d->work + r->d->m->away * r->d->work_slope;
  sys->energy0 = trm_system_energy(evaluated) - sys->work;
  trm_system_measures(evaluated, r->d->measures + r->first, r->count, out);
}

static void read_events(void *context, const trm_system *sys, double *out) {
  trm_manifold *m = ((reading *)context)->d->m;
  trm_system_watch(m->system, sys->t, m->probe, m->probe + m->n, out);
}

/* Any number of them, as many at a time as there is room for. */
static bool slopes(trm_differential *d, const trm_course_of *along, trm_reader read, int total,
                   double *out) {
  for (int first = 0; first < total; first += d->m->unit) {
    int left = total - first, count = left < d->m->unit ? left : d->m->unit;
    reading r = {d, first, count};
    if (!trm_manifold_slopes(d->m, along, read, &r, count, out + first)) return false;
  }
  return true;
}

/* --- along one part of a change: of the state, an input or the time --- */

/* What stabilization adds to the rates of a state that leaves the constraints. */
static void add_feedback(trm_differential *d) {
  trm_dynamics *dynamics = &d->simulation->engine->dynamics;
  const trm_stabilizer *st = dynamics->stabilizer;
  trm_manifold *m = d->m;
  bool baumgarte = st->alpha > 0 || st->beta > 0;
  if (!baumgarte && !dynamics->correction) return;
  for (int i = 0; i < m->m; i++)
    d->pull[i] = !baumgarte ? d->speed[i]
                 : m->system->rate_row[i]
                     ? st->alpha * d->speed[i]
                     : 2 * st->alpha * d->speed[i] + st->beta * st->beta * d->place[i];
  trm_solver_project(d->simulation->engine->solver, d->pull, dynamics->normal);
  trm_axpy(m->n, -1, dynamics->normal, d->rate + (baumgarte ? m->n : 0));
}

/* The direction that a state takes which is put back onto the constraints, and what follows from
 * it. */
static bool project(trm_differential *d, bool time) {
  trm_manifold *m = d->m;
  trm_stabilizer *st = d->simulation->engine->dynamics.stabilizer;
  st->type->project(st, d->place, d->pull);
  trm_axpy(m->n, -1, d->pull, d->direction);
  if (!trm_manifold_leave(m, d->direction, time, d->place, d->speed)) return false;
  st->type->project(st, d->speed, d->pull);
  trm_axpy(m->n, -1, d->pull, d->direction + m->n);
  return trm_manifold_follow(m, d->direction, TRM_NO_INPUT, d->projected_rate,
                             d->projected_multiplier);
}

static void add(int count, double factor, const double *x, double *sum) {
  for (int i = 0; i < count; i++) sum[i] += factor * x[i];
}

static void add_rates(trm_differential *d, double factor, double power) {
  const trm_layout *at = &d->simulation->engine->dynamics.at;
  add(2 * at->n + at->states, factor, d->rate, d->rates);
  d->rates[2 * at->n + at->states] += factor * power;
}

static bool add_values(trm_differential *d, const trm_course_of *along, double factor) {
  trm_system *sys = d->m->system;
  double work = sys->work, energy0 = sys->energy0;
  bool good = slopes(d, along, read_measures, d->measure_count, d->found) &&
              slopes(d, along, read_events, d->event_count, d->found + d->measure_count);
  sys->work = work;
  sys->energy0 = energy0;
  if (!good) return false;
  add(d->measure_count, factor, d->found, d->values);
  add(d->event_count, factor, d->found + d->measure_count, d->watched);
  return true;
}

/* The time moves what joints hang on, as a change of the state leaves them. */
static bool along(trm_differential *d, int input, double factor) {
  trm_manifold *m = d->m;
  bool state = input == TRM_NO_INPUT, time = input == TRM_TIME_ITSELF;
  trm_course_of course = {state ? d->direction : NULL, d->rate, d->multiplier, input};
  double power = 0;
  if ((state || time) && !trm_manifold_leave(m, course.direction, time, d->place, d->speed))
    return false;
  if (!trm_manifold_follow(m, course.direction, input, d->rate, d->multiplier) ||
      !slopes(d, &course, read_power, 1, &power))
    return false;
  if (state || time) add_feedback(d);
  add_rates(d, factor, power);
  if (d->measure_count + d->event_count == 0) return true;
  if (!d->simulation->engine->dynamics.stabilizer->type->project || !(state || time))
    return add_values(d, &course, factor);
  if (time) memset(d->direction, 0, (size_t)m->width * sizeof(double));
  if (!project(d, time)) return false;
  if (time) trm_axpy(m->width, 1, d->rate, d->projected_rate);
  if (time) trm_axpy(m->m, 1, d->multiplier, d->projected_multiplier);
  course = (trm_course_of){d->direction, d->projected_rate, d->projected_multiplier, input};
  return add_values(d, &course, factor);
}

/* --- made and asked --- */

static trm_status report(trm_simulation *sim, trm_diagnostics *diagnostics) {
  const trm_system *sys = sim->engine->system;
  trm_report_place(diagnostics, TRM_ERROR, sys->place, "the state cannot be differentiated: %s",
                   sys->error);
  return TRM_FAILED;
}

static bool create_arrays(trm_differential *d) {
  trm_arena *arena = d->m->arena;
  int width = d->m->width, rows = d->m->m + 1;
  d->direction = TRM_NEW(arena, double, width + 1);
  d->rate = TRM_NEW(arena, double, width + 1);
  d->multiplier = TRM_NEW(arena, double, rows);
  d->projected_rate = TRM_NEW(arena, double, width + 1);
  d->projected_multiplier = TRM_NEW(arena, double, rows);
  d->place = TRM_NEW(arena, double, rows);
  d->speed = TRM_NEW(arena, double, rows);
  d->pull = TRM_NEW(arena, double, rows + d->m->n);
  d->measures = TRM_NEW(arena, trm_measure, d->measure_count + 1);
  d->found = TRM_NEW(arena, double, d->measure_count + d->event_count + 1);
  d->rates = TRM_NEW(arena, double, width + 1); /* the work behind them */
  d->values = TRM_NEW(arena, double, d->measure_count + 1);
  d->watched = TRM_NEW(arena, double, d->event_count + 1);
  return !trm_arena_failed(arena);
}

static trm_status make(trm_differential *d, const int *handles, trm_diagnostics *diagnostics) {
  trm_simulation *sim = d->simulation;
  for (int i = 0; i < d->measure_count; i++)
    if (handles[i] < 0 || handles[i] >= sim->measure_count) {
      trm_report(diagnostics, TRM_ERROR, "there is no measure of the handle %d", handles[i]);
      return TRM_BAD_USAGE;
    }
  d->m = trm_manifold_create(sim->engine);
  if (!d->m || !create_arrays(d)) return TRM_NO_MEMORY;
  for (int i = 0; i < d->measure_count; i++) d->measures[i] = sim->measures[handles[i]];
  trm_manifold *m = d->m;
  d->work = sim->engine->y[sim->engine->dynamics.at.work];
  if (!trm_manifold_evaluate(m, m->t, m->q, m->v) || !trm_manifold_accelerate(m))
    return report(sim, diagnostics);
  return TRM_OK;
}

trm_differential *trm_simulation_differentiate(trm_simulation *sim, int measure_count,
                                               const int *measures, trm_diagnostics *diagnostics,
                                               trm_status *status) {
  trm_status result = TRM_NO_MEMORY;
  trm_differential *d = calloc(1, sizeof *d);
  if (d) {
    unsigned before = trm_flush_begin();
    trm_serial_begin();
    d->simulation = sim;
    d->measure_count = measure_count;
    d->event_count = sim->engine->model->event_count;
    result = make(d, measures, diagnostics);
    trm_engine_return(sim->engine);
    trm_serial_end();
    trm_flush_set(before);
  }
  if (status) *status = result;
  if (result == TRM_OK) return d;
  if (result == TRM_NO_MEMORY) trm_report(diagnostics, TRM_ERROR, "out of memory");
  trm_differential_destroy(d);
  return NULL;
}

void trm_differential_destroy(trm_differential *d) {
  if (!d) return;
  trm_manifold_destroy(d->m);
  free(d);
}

/* False: there is nothing to follow. */
static bool take_state(trm_differential *d, const double *state) {
  d->work_slope = state ? state[d->m->width] : 0;
  bool any = d->work_slope != 0;
  for (int i = 0; state && i < d->m->width; i++) {
    d->direction[i] = state[i];
    any = any || state[i] != 0;
  }
  return any;
}

static bool all_parts(trm_differential *d, const trm_change *change) {
  const trm_model *model = d->simulation->engine->model;
  if (take_state(d, change->state) && !along(d, TRM_NO_INPUT, 1)) return false;
  d->work_slope = 0;
  if (change->time != 0 && !along(d, TRM_TIME_ITSELF, change->time)) return false;
  const double *value = change->inputs;
  for (int i = 0; value && i < model->signal_count; i++) {
    if (model->signals[i].kind != TRM_SIGNAL_INPUT) continue;
    if (*value != 0 && !along(d, i, *value)) return false;
    value++;
  }
  return true;
}

static bool is_finite(const trm_differential *d, const trm_change *change) {
  double zero = 0 * change->time;
  for (int i = 0; change->state && i <= d->m->width; i++) zero += 0 * change->state[i];
  const trm_model *model = d->simulation->engine->model;
  const double *value = change->inputs;
  for (int i = 0; value && i < model->signal_count; i++)
    if (model->signals[i].kind == TRM_SIGNAL_INPUT) zero += 0 * *value++;
  return zero == 0;
}

trm_status trm_differential_along(trm_differential *d, const trm_change *change, double *rates,
                                  double *measures, double *events, trm_diagnostics *diagnostics) {
  size_t width = (size_t)d->m->width + 1, size = sizeof(double);
  if (!is_finite(d, change)) {
    trm_report(diagnostics, TRM_ERROR, "the change to follow is not finite");
    return TRM_BAD_USAGE;
  }
  memset(d->rates, 0, width * size);
  memset(d->values, 0, (size_t)d->measure_count * size);
  memset(d->watched, 0, (size_t)d->event_count * size);
  unsigned before = trm_flush_begin();
  trm_serial_begin();
  bool good = all_parts(d, change);
  trm_status status = good ? TRM_OK : report(d->simulation, diagnostics);
  trm_engine_return(d->simulation->engine);
  trm_serial_end();
  trm_flush_set(before);
  if (status != TRM_OK) return status;
  if (rates) memcpy(rates, d->rates, width * size);
  if (measures) memcpy(measures, d->values, (size_t)d->measure_count * size);
  if (events) memcpy(events, d->watched, (size_t)d->event_count * size);
  return TRM_OK;
}
