/* Formulas over a run that goes on: extremes at the accepted steps, integrals over the motion
 * between them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/record.h"

struct trm_recorder {
  const trm_records *records;
  trm_series_stream **streams; /* [count] */
  trm_measure *measures;       /* of the model at hand */
  double *slots;               /* t, measures */
  double *results;             /* parameters, metrics, records */
  int integrals;               /* of all streams */
  double *left, *right;        /* [integrals] integrands at the ends of the step */
  double *middle;              /* [DEEPEST × 5 × integrals] inside it */
  double *sum,
      *size; /* [integrals] of the step; the integral of what is integrated, all positive */
  trm_observer observer;
};

enum { DEEPEST = 8, INSIDE = 5 };

static bool step(void *context, trm_simulation *sim, double from);
static bool jump(void *context, trm_simulation *sim);

trm_recorder *trm_recorder_create(const trm_records *records) {
  trm_recorder *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  size_t count = (size_t)records->count + 1, measures = (size_t)records->measure_count + 1;
  r->records = records;
  r->observer = (trm_observer){r, step, jump};
  r->streams = calloc(count, sizeof *r->streams);
  r->measures = calloc(measures, sizeof *r->measures);
  r->slots = calloc(measures, sizeof *r->slots);
  bool good = r->streams && r->measures && r->slots;
  trm_expression_error error;
  for (int i = 0; good && i < records->count; i++) {
    good = (r->streams[i] = trm_series_stream_create(records->series[i], &error)) != NULL;
    if (good) r->integrals += trm_series_stream_integrals(r->streams[i]);
  }
  size_t n = (size_t)r->integrals + 1;
  r->left = good ? calloc(n * (4 + DEEPEST * INSIDE), sizeof *r->left) : NULL;
  if (!r->left) {
    trm_recorder_destroy(r);
    return NULL;
  }
  r->right = r->left + n;
  r->sum = r->right + n;
  r->size = r->sum + n;
  r->middle = r->size + n;
  return r;
}

void trm_recorder_destroy(trm_recorder *r) {
  if (!r) return;
  for (int i = 0; r->streams && i < r->records->count; i++)
    trm_series_stream_destroy(r->streams[i]);
  free(r->streams);
  free(r->measures);
  free(r->slots);
  free(r->results);
  free(r->left);
  free(r);
}

/* Points of a model have their place by its parameters: measures are found anew. */
static bool find_measures(trm_recorder *r, const trm_model *model) {
  char reason[200];
  for (int i = 0; i < r->records->measure_count; i++) {
    const char *name = r->records->measures[i];
    if (!trm_measure_find(model, name, strlen(name), &r->measures[i], reason, sizeof reason))
      return false;
    r->measures[i].name = name;
  }
  trm_measures_group(r->measures, r->records->measure_count);
  return true;
}

static bool take_parameters(trm_recorder *r, const trm_model *model) {
  int known = model->parameter_count, count = known + model->metric_count + r->records->count;
  double *results = realloc(r->results, ((size_t)count + 1) * sizeof *results);
  if (!results) return false;
  r->results = results;
  for (int i = 0; i < known; i++) results[i] = model->parameters[i].value;
  for (int i = known; i < count; i++) results[i] = NAN; /* until the end */
  return true;
}

/* Of the state that was evaluated last. */
static void measure(trm_recorder *r, trm_simulation *sim, double t) {
  r->slots[0] = t;
  trm_engine_measures(sim->engine, r->measures, r->records->measure_count, r->slots + 1);
}

static void integrands(trm_recorder *r, double *values) {
  for (int i = 0; i < r->records->count; i++) {
    trm_series_stream_integrands(r->streams[i], r->slots, values);
    values += trm_series_stream_integrals(r->streams[i]);
  }
}

/* The accepted state. */
static void look(trm_recorder *r, trm_simulation *sim, double *values) {
  measure(r, sim, sim->engine->t);
  for (int i = 0; i < r->records->count; i++)
    trm_series_stream_state(r->streams[i], sim->engine->t, r->slots);
  if (r->integrals > 0) integrands(r, values);
}

bool trm_recorder_begin(trm_recorder *r, trm_simulation *sim) {
  const trm_model *model = sim->engine->model;
  if (!find_measures(r, model) || !take_parameters(r, model)) return false;
  for (int i = 0; i < r->records->measure_count; i++)
    trm_system_expect(sim->engine->system, &r->measures[i]);
  for (int i = 0; i < r->records->count; i++)
    trm_series_stream_begin(r->streams[i], sim->engine->t, r->results);
  memset(r->size, 0, (size_t)r->integrals * sizeof *r->size);
  look(r, sim, r->left);
  sim->observer = &r->observer;
  return true;
}

/* --- integrals --- */

/* The cubic through both ends of a step of a method without an interpolant. */
static void interpolate_cubic(trm_simulation *sim, double from, double t, double *y) {
  const trm_engine *e = sim->engine;
  const double *y0 = sim->integrator->trial, *f0 = sim->integrator->rates;
  double h = e->t - from, s = (t - from) / h, u = 1 - s;
  for (int i = 0; i < e->dynamics.size; i++)
    y[i] = u * u * ((1 + 2 * s) * y0[i] + s * h * f0[i]) +
           s * s * ((1 + 2 * u) * e->y[i] - u * h * e->ydot[i]);
}

/* The integrands at t within the last step: its interpolant, brought onto the constraints. */
static bool inside(trm_recorder *r, trm_simulation *sim, double from, double t, double *values) {
  trm_engine *e = sim->engine;
  int size = e->dynamics.size;
  if (sim->integrator->variable)
    trm_integrator_interpolate(sim->integrator, t, e->at);
  else
    interpolate_cubic(sim, from, t, e->at);
  if (!trm_dynamics_correct(&e->dynamics, t, e->at, e->at + size)) return false;
  e->system->work = e->at[size - 1];
  e->reactions_ready = false;
  measure(r, sim, t);
  integrands(r, values);
  return true;
}

/* Simpson's rule: as good as the cubic. */
static bool integrate_fixed(trm_recorder *r, trm_simulation *sim, double from) {
  double h = sim->engine->t - from;
  if (!inside(r, sim, from, from + h / 2, r->middle)) return false;
  for (int i = 0; i < r->integrals; i++)
    r->sum[i] = h / 6 * (r->left[i] + 4 * r->middle[i] + r->right[i]);
  return true;
}

/* Lobatto's rule of four points and Kronrod's extension of it by three: W. Gander, W. Gautschi,
 * Adaptive quadrature revisited, BIT 40 (2000). */
typedef struct estimate {
  double coarse, fine, size; /* size: of the absolute value, roughly */
} estimate;

static estimate estimate_of(double h, double fa, double fb, double *const *f, int i) {
  double ends = fa + fb, far = f[0][i] + f[4][i], near = f[1][i] + f[3][i];
  return (estimate){h / 6 * (ends + 5 * near),
                    h / 1470 * (77 * ends + 432 * far + 625 * near + 672 * f[2][i]),
                    h / 3 * (fabs(fa) + fabs(fb) + 4 * fabs(f[2][i]))};
}

/* Where the two rules differ by more than the tolerance the stretch is halved. */
static bool integrate(trm_recorder *r, trm_simulation *sim, double from, double a, double b,
                      const double *fa, const double *fb, int depth) {
  static const double at[INSIDE] = {-0.81649658092772603, -0.44721359549995794, 0,
                                    0.44721359549995794, 0.81649658092772603}; /* √⅔, √⅕ */
  double h = (b - a) / 2, m = (a + b) / 2, *f[INSIDE];
  bool good = true;
  for (int k = 0; k < INSIDE; k++) {
    f[k] = r->middle + (ptrdiff_t)(depth * INSIDE + k) * r->integrals;
    if (!inside(r, sim, from, m + at[k] * h, f[k])) return false;
  }
  for (int i = 0; i < r->integrals; i++) {
    estimate e = estimate_of(h, fa[i], fb[i], f, i);
    good &= !(fabs(e.fine - e.coarse) > sim->integrator->rtol * (r->size[i] + e.size));
  }
  if (!good && depth < DEEPEST - 1)
    return integrate(r, sim, from, a, m, fa, f[2], depth + 1) &&
           integrate(r, sim, from, m, b, f[2], fb, depth + 1);
  for (int i = 0; i < r->integrals; i++) {
    estimate e = estimate_of(h, fa[i], fb[i], f, i);
    r->sum[i] += e.fine;
    r->size[i] += e.size;
  }
  return true;
}

static bool add_step(trm_recorder *r, trm_simulation *sim, double from) {
  trm_engine *e = sim->engine;
  memset(r->sum, 0, (size_t)r->integrals * sizeof *r->sum);
  bool variable = sim->integrator->variable;
  if (variable && !trm_integrator_complete(sim->integrator, &e->dynamics)) return false;
  bool good = variable ? integrate(r, sim, from, from, e->t, r->left, r->right, 0)
                       : integrate_fixed(r, sim, from);
  if (!good) return false;
  double *sum = r->sum;
  for (int i = 0; i < r->records->count; i++) {
    trm_series_stream_add(r->streams[i], sum);
    sum += trm_series_stream_integrals(r->streams[i]);
  }
  trm_engine_return(e);
  return true;
}

static bool step(void *context, trm_simulation *sim, double from) {
  trm_recorder *r = context;
  look(r, sim, r->right);
  if (r->integrals == 0) return true;
  if (!add_step(r, sim, from)) return false;
  memcpy(r->left, r->right, (size_t)r->integrals * sizeof *r->left);
  return true;
}

static bool jump(void *context, trm_simulation *sim) {
  trm_recorder *r = context;
  look(r, sim, r->left);
  return true;
}

void trm_recorder_values(trm_recorder *r, const trm_model *model, const double *metrics,
                         double *values) {
  for (int i = 0; metrics && i < model->metric_count; i++)
    r->results[model->parameter_count + i] = metrics[i];
  double *own = r->results + model->parameter_count + model->metric_count;
  for (int i = 0; i < r->records->count; i++)
    own[i] = values[i] = trm_series_stream_value(r->streams[i], r->results);
}
