/* Measured markers brought onto the constraints: at each time the place at which measures come
 * nearest to their values, by Gauss and Newton's method along the constraints. What they do not
 * determine stays as it is. */
#include <math.h>
#include <string.h>
#include <trammel/analysis.h>

#include "analysis/independent.h"
#include "analysis/simulation.h"
#include "base/flush.h"
#include "base/sized.h"
#include "math/lapack.h"
#include "math/serial.h"

#define MOST     200   /* iterations */
#define FARTHEST 0.25  /* of a coordinate's span: a step */
#define ENOUGH   1e-13 /* a step that is round-off */
#define GOOD     1e-8  /* a step that may be: it must not become smaller any more */
#define RANK     1e-9  /* of what markers determine, beside the best determined */
#define WITHIN   1e-6  /* of a gradient: what lies outside of the markers' */

#define TURN 6.283185307179586476925

typedef struct fit {
  trm_marker_fit found; /* first */
  trm_arena *arena;
  const trm_marker_options *options;
  trm_engine *engine;
  trm_manifold *m;
  trm_diagnostics *diagnostics;
  trm_measure *measures; /* [markers] */
  double *q, *v;
  double *J, *e, *work, *row, *move; /* [markers × positions] by column */
  int *pivot, room;
  int rank;
  trm_measure *kept; /* [found.count] what moves */
  const char **names;
  double *values, *rms, *left; /* those of found */
} fit;

static bool is_angle(const trm_measure *measure) {
  return measure->kind == TRM_MEASURE_ANGLE ||
         (measure->kind == TRM_MEASURE_FREEDOM && measure->component == 0);
}

static bool is_place(const trm_measure *measure) {
  bool names = measure->kind == TRM_MEASURE_POINT || measure->kind == TRM_MEASURE_ANGLE ||
               measure->kind == TRM_MEASURE_FREEDOM || measure->kind == TRM_MEASURE_COORDINATE ||
               measure->kind == TRM_MEASURE_CARDAN;
  return names && measure->level == 0;
}

static bool create_arrays(fit *f) {
  const trm_manifold *m = f->m;
  int markers = f->options->count, rows = f->options->rows,
      larger = markers > m->n ? markers : m->n;
  f->room = 70 * (larger + 1);
  f->q = TRM_NEW(f->arena, double, m->n + 1);
  f->v = TRM_NEW(f->arena, double, m->n + m->states + 1);
  f->J = TRM_NEW(f->arena, double, (size_t)(markers + 1) * (size_t)(m->n + 1));
  f->e = TRM_NEW(f->arena, double, larger + 1);
  f->work = TRM_NEW(f->arena, double, f->room);
  f->row = TRM_NEW(f->arena, double, m->n + 1);
  f->move = TRM_NEW(f->arena, double, m->n + 1);
  f->pivot = TRM_NEW(f->arena, int, m->n + 1);
  f->rms = TRM_NEW(f->arena, double, rows);
  f->left = TRM_NEW(f->arena, double, (size_t)rows *(size_t)markers + 1);
  return !trm_arena_failed(f->arena);
}

static trm_status find_measures(fit *f) {
  const trm_marker_options *o = f->options;
  char reason[512];
  f->measures = TRM_NEW(f->arena, trm_measure, o->count);
  if (!f->measures) return TRM_NO_MEMORY;
  for (int k = 0; k < o->count; k++) {
    const char *name = o->measures[k];
    trm_measure *measure = &f->measures[k];
    if (!trm_measure_find(f->engine->model, name, strlen(name), measure, reason, sizeof reason)) {
      trm_report(f->diagnostics, TRM_ERROR, "markers: %s", reason);
      return TRM_BAD_MODEL;
    }
    measure->name = trm_arena_string(f->arena, name);
    if (!measure->name) return TRM_NO_MEMORY;
    if (is_place(measure)) continue;
    trm_report(
        f->diagnostics, TRM_ERROR,
        "markers: '%s' is no place; markers are coordinates and angles of bodies, points and "
        "joint freedoms",
        name);
    return TRM_BAD_MODEL;
  }
  return TRM_OK;
}

/* --- one time --- */

/* What is left of marker k: NaN where it was not seen. */
static double gap(const fit *f, int row, int k) {
  const trm_marker_options *o = f->options;
  double value = o->values[(size_t)row * (size_t)o->count + (size_t)k];
  double off = value - trm_system_measure(f->m->system, &f->measures[k]);
  return is_angle(&f->measures[k]) ? remainder(off, TURN) : off;
}

static double weight_of(const fit *f, int k) {
  return f->options->weights ? f->options->weights[k] : 1;
}

/* J = w ∂measure/∂(places), e = w gap; false: a measure has no gradient there. */
static bool linearize(fit *f, int row) {
  trm_manifold *m = f->m;
  int markers = f->options->count;
  for (int k = 0; k < markers; k++) {
    double off = gap(f, row, k), w = isnan(off) ? 0 : weight_of(f, k);
    if (!trm_measure_row(m->system, m->tangent, &f->measures[k], f->row)) return false;
    f->e[k] = w > 0 ? w * off : 0;
    for (int j = 0; j < m->positions; j++) {
      const double *Z = m->place->Z + (size_t)j * (size_t)m->n;
      double sum = 0;
      for (int i = 0; i < m->n; i++) sum += f->row[i] * Z[i];
      f->J[(size_t)j * (size_t)markers + (size_t)k] = w * sum;
    }
  }
  return true;
}

/* The step of least size, into move: its length in spans. */
static double solve(fit *f) {
  trm_manifold *m = f->m;
  int rows = f->options->count, columns = m->positions, one = 1, info;
  int larger = rows > columns ? rows : columns;
  double rcond = RANK, length = 0;
  memset(f->pivot, 0, (size_t)columns * sizeof(int));
  memset(f->move, 0, (size_t)m->n * sizeof(double));
  if (columns == 0) return 0;
  dgelsy_(&rows, &columns, &one, f->J, &rows, f->e, &larger, f->pivot, &rcond, &f->rank, f->work,
          &f->room, &info);
  for (int j = 0; j < columns; j++)
    trm_axpy(m->n, f->e[j], m->place->Z + (size_t)j * (size_t)m->n, f->move);
  for (int i = 0; i < m->n; i++) length = fmax(length, fabs(f->move[i]) / m->system->span[i]);
  return length;
}

static bool evaluate(fit *f, double t) {
  double violation;
  return trm_manifold_evaluate(f->m, t, f->q, f->v) &&
         trm_manifold_close(f->m, t, f->q, f->v, &violation) &&
         trm_manifold_evaluate(f->m, t, f->q, f->v);
}

static bool approach(fit *f, int row) {
  double t = f->options->t[row], last = INFINITY;
  for (int i = 0; i < MOST; i++) {
    if (!evaluate(f, t) || !linearize(f, row)) return false;
    double length = solve(f);
    if (!isfinite(length)) return false;
    trm_axpy(f->m->n, length > FARTHEST ? FARTHEST / length : 1, f->move, f->q);
    if (length <= ENOUGH || (length <= GOOD && length > last / 2)) return evaluate(f, t);
    last = length;
  }
  return false;
}

static void note_gaps(fit *f, int row) {
  double sum = 0, all = 0;
  int markers = f->options->count;
  for (int k = 0; k < markers; k++) {
    double off = gap(f, row, k), w = isnan(off) ? 0 : weight_of(f, k);
    f->left[(size_t)row * (size_t)markers + (size_t)k] = off;
    if (w > 0) sum += w * w * off * off, all += w * w;
  }
  f->rms[row] = all > 0 ? sqrt(sum / all) : 0;
}

/* --- what moves --- */

/* Adds a measure whose gradient lies in what markers determine and is not yet in what was added:
 * `basis` [rank × positions] holds orthonormal vectors, those of the markers first. */
static bool add_measure(fit *f, const trm_measure *measure, double *basis, double *added,
                        const char *name) {
  trm_manifold *m = f->m;
  int p = m->positions, have = f->found.count;
  double *g = f->work, size = 0, left = 0;
  if (have == f->rank || !trm_measure_row(m->system, m->tangent, measure, f->row)) return true;
  for (int j = 0; j < p; j++) {
    const double *Z = m->place->Z + (size_t)j * (size_t)m->n;
    g[j] = 0;
    for (int i = 0; i < m->n; i++) g[j] += f->row[i] * Z[i];
    size += g[j] * g[j];
  }
  if (!(size > 0)) return true;
  double *own = f->work + p; /* its part along the markers' */
  memset(own, 0, (size_t)p * sizeof(double));
  for (int r = 0; r < f->rank; r++) {
    const double *u = basis + (size_t)r * (size_t)p;
    double part = 0;
    for (int j = 0; j < p; j++) part += u[j] * g[j];
    trm_axpy(p, part, u, own);
  }
  for (int j = 0; j < p; j++) left += (g[j] - own[j]) * (g[j] - own[j]);
  if (!(sqrt(left) <= WITHIN * sqrt(size))) return true; /* markers do not tell */
  for (int r = 0; r < have; r++) {
    const double *u = added + (size_t)r * (size_t)p;
    double part = 0;
    for (int j = 0; j < p; j++) part += u[j] * g[j];
    trm_axpy(p, -part, u, g);
  }
  double rest = 0;
  for (int j = 0; j < p; j++) rest += g[j] * g[j];
  if (!(sqrt(rest) > 1e-3 * sqrt(size))) return true; /* others tell it */
  for (int j = 0; j < p; j++) added[(size_t)have * (size_t)p + (size_t)j] = g[j] / sqrt(rest);
  f->kept[have] = *measure;
  f->names[have] = trm_arena_string(f->arena, name);
  f->found.count++;
  return f->names[have] != NULL;
}

/* Orthonormal rows of the space that the markers' gradients span. */
static bool span_markers(fit *f, double *basis) {
  int p = f->m->positions, markers = f->options->count, count = 0;
  double largest = 0;
  for (size_t i = 0; i < (size_t)p * (size_t)markers; i++) largest = fmax(largest, fabs(f->J[i]));
  for (int pass = 0; pass < f->rank; pass++) { /* the marker that has most left comes next */
    int best = -1;
    double most = 0;
    for (int k = 0; k < markers; k++) {
      double size = 0;
      for (int j = 0; j < p; j++) {
        double x = f->J[(size_t)j * (size_t)markers + (size_t)k];
        size += x * x;
      }
      if (size > most) most = size, best = k;
    }
    if (best < 0) break;
    double *u = basis + (size_t)count++ * (size_t)p;
    for (int j = 0; j < p; j++)
      u[j] = f->J[(size_t)j * (size_t)markers + (size_t)best] / sqrt(most);
    for (int k = 0; k < markers; k++) {
      double part = 0;
      for (int j = 0; j < p; j++) part += u[j] * f->J[(size_t)j * (size_t)markers + (size_t)k];
      for (int j = 0; j < p; j++) f->J[(size_t)j * (size_t)markers + (size_t)k] -= part * u[j];
    }
  }
  f->rank = count;
  return largest > 0 || count == 0;
}

/* Freedoms of joints, bodies and points that the markers determine; else markers themselves. */
static trm_status choose(fit *f) {
  trm_manifold *m = f->m;
  trm_independent independent;
  size_t p = (size_t)m->positions;
  double *basis = TRM_NEW(f->arena, double, p *p + 1), *added = TRM_NEW(f->arena, double, p *p + 1);
  f->kept = TRM_NEW(f->arena, trm_measure, p + 1);
  f->names = TRM_NEW(f->arena, const char *, p + 1);
  if (trm_arena_failed(f->arena)) return TRM_NO_MEMORY;
  if (!linearize(f, 0)) return TRM_FAILED;
  solve(f); /* the rank */
  linearize(f, 0);
  span_markers(f, basis);
  trm_status status = trm_independent_choose(&independent, m, NULL, f->diagnostics);
  if (status != TRM_OK) return status;
  for (int i = 0; i < independent.positions; i++)
    if (!add_measure(f, &independent.place[i], basis, added, independent.names[i]))
      return TRM_NO_MEMORY;
  for (int k = 0; k < f->options->count; k++)
    if (!add_measure(f, &f->measures[k], basis, added, f->options->measures[k]))
      return TRM_NO_MEMORY;
  f->found.undetermined = m->positions - f->found.count;
  f->values = TRM_NEW(f->arena, double, (size_t)f->options->rows *(size_t)f->found.count + 1);
  return f->values ? TRM_OK : TRM_NO_MEMORY;
}

static void read_values(fit *f, int row) {
  int count = f->found.count;
  for (int i = 0; i < count; i++) {
    double *at = f->values + (size_t)row * (size_t)count + (size_t)i;
    *at = trm_system_measure(f->m->system, &f->kept[i]);
    if (row > 0 && is_angle(&f->kept[i])) /* counted over turns */
      *at = at[-count] + remainder(*at - at[-count], TURN);
  }
}

static trm_status work(fit *f) {
  const trm_marker_options *o = f->options;
  trm_status status = find_measures(f);
  f->m = status == TRM_OK ? trm_manifold_create(f->engine) : NULL;
  if (status == TRM_OK && (!f->m || !create_arrays(f))) status = TRM_NO_MEMORY;
  if (status != TRM_OK) return status;
  memcpy(f->q, f->m->q, (size_t)f->m->n * sizeof(double));
  memcpy(f->v + f->m->n, f->m->v + f->m->n, (size_t)f->m->states * sizeof(double));
  for (int row = 0; row < o->rows && status == TRM_OK; row++) {
    if (!approach(f, row)) {
      trm_report(f->diagnostics, TRM_ERROR,
                 "markers: no nearest place was found at t = %g; the model as written should be "
                 "near its first row, and rows near each other",
                 o->t[row]);
      return TRM_FAILED;
    }
    note_gaps(f, row);
    if (row == 0) status = choose(f);
    if (status == TRM_OK && row == 0 && !evaluate(f, o->t[0])) status = TRM_FAILED;
    if (status == TRM_OK) read_values(f, row);
  }
  return status;
}

/* --- public --- */

void trm_marker_options_init(trm_marker_options *defaults, size_t size) {
  const trm_marker_options plain = {.size = sizeof plain};
  trm_sized_give(defaults, size, &plain, sizeof plain);
}

trm_marker_fit *trm_simulation_fit_markers(trm_simulation *sim, const trm_marker_options *given,
                                           trm_diagnostics *diagnostics, trm_status *status) {
  trm_marker_options options;
  trm_status ignored, *result = status ? status : &ignored;
  trm_marker_options_init(&options, sizeof options);
  *result = TRM_BAD_USAGE;
  if (!trm_sized_take_or_report(&options, sizeof options, given, "trm_default_marker_options",
                                diagnostics))
    return NULL;
  if (options.count < 1 || options.rows < 1 || !options.measures || !options.t || !options.values) {
    trm_report(diagnostics, TRM_ERROR, "markers: there are none");
    return NULL;
  }
  trm_arena *arena = trm_arena_create();
  fit *f = arena ? TRM_NEW(arena, fit, 1) : NULL;
  *result = TRM_NO_MEMORY;
  if (f) {
    *f = (fit){.arena = arena, .options = &options, .engine = sim->engine};
    f->diagnostics = diagnostics;
    unsigned before = trm_flush_begin();
    trm_serial_begin();
    *result = work(f);
    trm_serial_end();
    trm_flush_set(before);
    trm_manifold_destroy(f->m);
    trm_engine_return(sim->engine);
  }
  if (*result == TRM_NO_MEMORY) trm_report(diagnostics, TRM_ERROR, "out of memory");
  if (*result != TRM_OK) {
    trm_arena_destroy(arena);
    return NULL;
  }
  f->found.rows = options.rows;
  f->found.names = f->names;
  f->found.values = f->values;
  f->found.rms = f->rms;
  f->found.left = f->left;
  return &f->found;
}

void trm_marker_fit_destroy(trm_marker_fit *found) {
  if (found) trm_arena_destroy(((fit *)found)->arena);
}
