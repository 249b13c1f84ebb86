/* The global error of a run, by companions: other runs of the same model, compared with it at its
 * marks. docs/theory/error-estimate.md has the reasons and what they cost. */
#include "analysis/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/simulation.h"
#include "base/clock.h"

#define SURE   1e-8  /* of the range: differences to the reference above it are the run's */
#define PLAIN  1e-6  /* … and need no second look */
#define LOOSE  5e-3  /* of the range: above it a coarser run tells too little */
#define LOOSER 10    /* times the tolerances of a run with variable steps */
#define RTOLS  1e-3  /* so far they may be made looser */
#define FEWER  0.95  /* of the steps: tolerances that make a difference have no more */
#define RTOL   1e-11 /* of the reference */
#define ATOL   1e-14
#define SLACK  1e-9  /* of the time between marks: the same time */
#define FREE   5e6   /* coordinates times evaluations that a reference may cost in any case */
#define SMALL  1e-2  /* of the model's length or a radian, or of what moves most: less is at rest */
#define STILL  1e-11 /* of the length, and of how far it is from zero: nothing moves */

typedef struct comparison {
  int count;          /* marks behind the start */
  bool whole;         /* to the last mark of the run */
  double error, part; /* the largest: as it is, and in parts of the measure's range */
  int worst;          /* whose */
  double since;       /* when it passed the limit first */
} comparison;

typedef struct job {
  trm_simulation *sim;
  trm_progress progress;
  void *context;
  bool stopped;
  bool no_memory;
  double steps;  /* of the last companion */
  double *range; /* [width] */
} job;

/* ---- companions ---- */

/* Evaluations, and what implicit methods do beside them. */
static double work_of(const trm_simulation *sim) {
  trm_work work = trm_integrator_work(sim->integrator);
  return (double)sim->engine->dynamics.evaluations + (double)work.iterations +
         4 * (double)(work.jacobians + work.refactorizations);
}

typedef struct watch {
  job *job;
  const trm_simulation *companion;
  double limit;
} watch;

static bool watch_step(void *context, double time, double fraction) {
  watch *w = context;
  if (w->job->progress && !w->job->progress(w->job->context, time, fraction))
    w->job->stopped = true;
  return !w->job->stopped && work_of(w->companion) <= w->limit;
}

/* Its marks as far as it came, in room of their own; step: the one it must have, or 0. */
static trm_marks run_companion(job *j, const trm_settings *settings, double step, double limit) {
  trm_marks marks = {0};
  trm_simulation *other = trm_simulation_create(j->sim->engine->model, settings, NULL, NULL);
  if (other && (step == 0 || fabs(other->grid.h - step) <= SLACK * step)) {
    watch w = {j, other, limit};
    other->marks.wanted = other->marks.all = true;
    trm_status status = trm_simulation_run(other, NULL, watch_step, &w, NULL);
    if (status == TRM_NO_MEMORY) j->no_memory = true;
    j->steps = (double)other->course->step;
    marks = other->marks;
    other->marks = (trm_marks){0};
  }
  trm_simulation_destroy(other);
  return marks;
}

/* Between marks of the run. */
static double interval_of(const trm_simulation *sim) {
  return (double)sim->marks.every * sim->grid.interval;
}

static trm_settings plan(const trm_simulation *sim, const trm_settings *from) {
  trm_settings settings = *from;
  settings.duration = sim->marks.t[sim->marks.count - 1];
  settings.output_step = interval_of(sim);
  settings.threads = sim->asked.threads;
  return settings;
}

/* What a companion may cost: so many times the run, and what nobody notices. */
static double allowance(const trm_simulation *sim, double times) {
  return times * work_of(sim) + FREE / sim->engine->system->n;
}

/* The default method with tighter tolerances, whatever the run's own are. */
static trm_marks run_reference(job *j) {
  const trm_simulation *sim = j->sim;
  trm_settings usual = trm_default_settings(), settings = plan(sim, &usual);
  settings.tolerance = fmin(usual.tolerance, sim->engine->settings.tolerance);
  settings.rtol = RTOL;
  settings.atol = ATOL;
  return run_companion(j, &settings, 0, allowance(sim, 1));
}

/* The same methods with other tolerances. */
static trm_marks run_with(job *j, double times, double most) {
  const trm_simulation *sim = j->sim;
  trm_settings settings = plan(sim, &sim->engine->settings);
  if (sim->chosen) trm_settings_set(&settings, "integrator", "auto", NULL);
  settings.rtol *= times;
  settings.atol *= times;
  return run_companion(j, &settings, 0, allowance(sim, most));
}

/* The same methods with twice the step, which meets every second one. */
static trm_marks run_doubled(job *j) {
  const trm_simulation *sim = j->sim;
  trm_settings settings = plan(sim, &sim->engine->settings);
  double step = 2 * sim->grid.h, interval = settings.output_step;
  if (sim->grid.stride * sim->marks.every % 2 != 0) interval *= 2;
  settings.step = step;
  settings.output_step = interval;
  settings.duration = floor(settings.duration / interval * (1 + SLACK)) * interval;
  if (!(settings.duration > 0)) return (trm_marks){0};
  return run_companion(j, &settings, step, allowance(sim, 1));
}

/* ---- comparison ---- */

/* The model's length, or a radian. A single free body has no length but the way it goes. */
static double unit_of(const trm_simulation *sim, const trm_measure *measure, double most) {
  const trm_model *model = sim->engine->model;
  if (measure->kind == TRM_MEASURE_COORDINATE) return sim->engine->system->span[measure->index];
  if (measure->kind != TRM_MEASURE_POINT) return 1;
  return model->body_count == 1 && model->joint_count == 0 ? most : model->length;
}

typedef struct kind {
  double range, size; /* the largest of its measures */
} kind;

static double range_of(const trm_marks *marks, int k, double *size) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < marks->count; i++) {
    low = fmin(low, trm_marks_at(marks, i)[k]);
    high = fmax(high, trm_marks_at(marks, i)[k]);
  }
  *size = fmax(-low, high);
  return high - low;
}

/* How far every measure moves; what hardly does is measured by what moves most, unless it is a
 * coordinate of a system of the user's own: these have nothing in common. */
static void find_ranges(const job *j, const trm_marks *marks) {
  kind kinds[TRM_MEASURE_FORMULA + 1] = {{0, 0}};
  for (int k = 0; k < marks->width; k++) {
    double size;
    kind *of = &kinds[marks->measures[k].kind];
    j->range[k] = range_of(marks, k, &size);
    of->range = fmax(of->range, j->range[k]);
    of->size = fmax(of->size, size);
  }
  for (int k = 0; k < marks->width; k++) {
    const trm_measure *measure = &marks->measures[k];
    const kind *of = &kinds[measure->kind];
    double unit = unit_of(j->sim, measure, of->range);
    bool alone = measure->kind == TRM_MEASURE_COORDINATE;
    double still = STILL * (alone ? unit : fmax(unit, of->size));
    j->range[k] = fmax(j->range[k], fmax(still, alone ? 0 : SMALL * fmin(unit, of->range)));
  }
}

static void compare_mark(const job *j, int mark, const double *other, comparison *found) {
  const trm_marks *marks = &j->sim->marks;
  const double *own = trm_marks_at(marks, mark);
  for (int k = 0; k < marks->width; k++) {
    double off = fabs(own[k] - other[k]), part = off > 0 ? off / j->range[k] : off;
    if (!(off <= found->error)) found->error = off;
    if (part <= found->part) continue;
    found->part = part;
    found->worst = k;
    if (!(part <= TRM_ERROR_LIMIT) && isnan(found->since)) found->since = marks->t[mark];
  }
}

static comparison compare(const job *j, const trm_marks *others) {
  const trm_marks *marks = &j->sim->marks;
  double slack = SLACK * interval_of(j->sim);
  comparison found = {.since = NAN};
  for (int i = 0, k = 0; i < marks->count && k < others->count; i++) {
    while (k < others->count && others->t[k] < marks->t[i] - slack) k++;
    if (k == others->count || others->t[k] > marks->t[i] + slack) continue;
    compare_mark(j, i, trm_marks_at(others, k), &found);
    found.count += marks->t[i] > 0;
    found.whole = i == marks->count - 1;
  }
  return found;
}

/* ---- the estimate ---- */

static void take(trm_error_estimate *estimate, const comparison *found) {
  if (found->count == 0) return;
  estimate->error = fmax(estimate->error, found->error);
  if (estimate->made && found->part <= estimate->part) return;
  estimate->made = true;
  estimate->part = found->part;
  estimate->worst = found->worst;
  estimate->since = found->since;
}

/* Ranges are those of a companion that is better, unless it has not come to the end. */
static comparison compare_with(job *j, trm_marks *others, bool better) {
  const trm_marks *marks = &j->sim->marks;
  comparison found = {0};
  if (others->count > 1) {
    bool whole = others->t[others->count - 1] >= marks->t[marks->count - 1] * (1 - SLACK);
    find_ranges(j, better && whole ? others : marks);
    found = compare(j, others);
  }
  trm_marks_free(others);
  return found;
}

/* What of the difference to a coarser run is the run's own error: ratio is how much larger that
 * one's is. All of it where it is too large to tell. */
static comparison scale(comparison found, double ratio) {
  if (!(found.part <= 10 * LOOSE)) return found;
  found.error /= ratio - 1;
  found.part /= ratio - 1;
  found.since = NAN;
  return found;
}

/* Fixed steps nobody has checked: the reference does. Where the run agrees with it better than the
 * reference may be known, or with a run of twice the step better than with it, that one tells. */
static void estimate_fixed(job *j, trm_error_estimate *estimate) {
  const char *method = j->sim->engine->settings.integrator;
  double ratio = pow(2, trm_integrator_order(trm_integrator_find(method)));
  trm_marks others = run_reference(j);
  comparison exact = compare_with(j, &others, true);
  if (exact.whole && exact.part > PLAIN) take(estimate, &exact);
  if (j->stopped || estimate->made) return;
  others = run_doubled(j);
  comparison coarser = compare_with(j, &others, false), scaled = scale(coarser, ratio);
  bool finer = coarser.part <= 10 * LOOSE && exact.part <= PLAIN &&
               (exact.part <= SURE || coarser.part < exact.part);
  if (coarser.count > 0 && (finer || !exact.whole)) take(estimate, &scaled);
  if (coarser.count == 0 || !finer) take(estimate, &exact);
}

/* Local errors of order p + 1 are held to the tolerance: those of the motion go with its p/(p + 1).
 */
static comparison compare_looser(job *j) {
  const trm_simulation *sim = j->sim;
  double p = trm_integrator_order(trm_integrator_find(sim->engine->settings.integrator));
  if (sim->engine->settings.rtol > RTOLS) return (comparison){0};
  trm_marks others = run_with(j, LOOSER, 1);
  comparison found = scale(compare_with(j, &others, false), pow(LOOSER, p / (p + 1)));
  return j->steps <= FEWER * (double)sim->course->step ? found : (comparison){0};
}

/* Steps chosen by their error: looser tolerances tell, or tighter ones where those are far too
 * loose, or the reference where tolerances change nothing. */
static void estimate_variable(job *j, trm_error_estimate *estimate) {
  comparison coarser = compare_looser(j);
  if (coarser.count > 0 && coarser.part <= LOOSE) take(estimate, &coarser);
  if (j->stopped || estimate->made) return;
  trm_marks others = run_with(j, 1.0 / LOOSER, 2);
  comparison exact = compare_with(j, &others, true);
  if (exact.whole && FEWER * j->steps < (double)j->sim->course->step) {
    others = run_reference(j);
    exact = compare_with(j, &others, true);
  }
  if (!exact.whole) take(estimate, &coarser);
  take(estimate, &exact);
}

trm_status trm_simulation_estimate(trm_simulation *sim, trm_progress progress, void *context,
                                   trm_diagnostics *diagnostics) {
  trm_error_estimate *estimate = &sim->estimate;
  *estimate = (trm_error_estimate){.tried = true, .since = NAN};
  if (sim->status != TRM_OK || sim->marks.count < 2) return TRM_OK;
  double cpu = trm_cpu_seconds();
  job j = {.sim = sim, .progress = progress, .context = context};
  j.range = calloc((size_t)sim->marks.width, sizeof *j.range);
  if (!j.range) j.no_memory = true;
  if (j.range && sim->integrator->variable) estimate_variable(&j, estimate);
  if (j.range && !sim->integrator->variable) estimate_fixed(&j, estimate);
  free(j.range);
  if (j.stopped || j.no_memory) *estimate = (trm_error_estimate){.since = NAN};
  estimate->cpu_seconds = trm_cpu_seconds() - cpu;
  if (j.no_memory) trm_report(diagnostics, TRM_ERROR, "out of memory: no estimate of the error");
  if (j.no_memory) return TRM_NO_MEMORY;
  return j.stopped ? TRM_INTERRUPTED : TRM_OK;
}
