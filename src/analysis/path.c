/* Equilibria over a parameter. At rest the branch is followed by its arc length, also where it
 * turns; where it passes a value that was asked for the point there is found. Steady motions are
 * sought one after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/analysis.h>

#include "analysis/branch.h"
#include "analysis/equilibrium.h"
#include "base/flush.h"
#include "base/sized.h"
#include "math/serial.h"
#include "result/json.h"

#define LONGEST  0.1 /* of a coordinate's scale: a step */
#define SHORTEST 1e-7
/* Cosine between tangents of neighbouring points: 18°, so twenty points on a full turn (chosen). A
 * circle then ends 0.16 of a step beside its tangent; more than half as much again is no such arc
 * but another branch. */
#define STRAIGHT 0.95
#define ASIDE    0.25
#define LEVEL    1e-9 /* the parameter's part of a tangent where the branch turns */

typedef struct path {
  trm_path found; /* first */
  trm_arena *arena;
  const trm_path_options *options;
  trm_simulation *base;
  trm_diagnostics *diagnostics;
  int capacity;
  double *values, *measures; /* [capacity], [capacity × measure_count] */
  trm_answer *stable;
  bool *turning;
  double *state;   /* of the simulation */
  double *written; /* where it starts with the value before */
} path;

static bool grow(path *p) {
  if (p->found.count < p->capacity) return true;
  int capacity = 2 * p->capacity + 64;
  size_t rows = (size_t)capacity, columns = (size_t)p->found.measure_count + 1;
  double *values = realloc(p->values, rows * sizeof *values);
  if (values) p->values = values;
  double *measures = realloc(p->measures, rows * columns * sizeof *measures);
  if (measures) p->measures = measures;
  trm_answer *stable = realloc(p->stable, rows * sizeof *stable);
  if (stable) p->stable = stable;
  bool *turning = realloc(p->turning, rows * sizeof *turning);
  if (turning) p->turning = turning;
  if (!values || !measures || !stable || !turning) return false;
  p->capacity = capacity;
  return true;
}

/* The simulation stands there. */
static bool record(path *p, trm_simulation *sim, double value, trm_answer stable, bool turning) {
  if (!grow(p)) return false;
  int i = p->found.count++;
  p->values[i] = value;
  p->stable[i] = stable;
  p->turning[i] = turning;
  const trm_model *model = sim->engine->model;
  trm_engine_measures(sim->engine, model->outputs, model->output_count,
                      p->measures + (size_t)i * (size_t)(p->found.measure_count + 1));
  return true;
}

static trm_status record_point(path *p, trm_branch *b, const trm_branch_point *at, bool turning) {
  trm_equilibrium_result result = trm_default_equilibrium_result();
  trm_simulation *sim = b->at.simulation;
  memset(p->state, 0, (size_t)trm_simulation_state_size(sim) * sizeof(double));
  memcpy(p->state, at->x, (size_t)b->n * sizeof(double));
  memcpy(p->state + 2 * b->n, at->x + b->n, (size_t)b->states * sizeof(double));
  trm_status status = trm_equilibrium_judge(b->at.manifold, &result);
  if (status == TRM_OK) status = trm_simulation_set_state(sim, b->t, p->state, p->diagnostics);
  if (status != TRM_OK) return status;
  return record(p, sim, trm_branch_value(b, at->p), result.stable, turning) ? TRM_OK
                                                                            : TRM_NO_MEMORY;
}

/* --- along a branch --- */

typedef struct walk {
  path *p;
  trm_branch b;
  trm_branch_point here, there, between;
} walk;

/* What was asked for between two points, the end included; true: it leads out of the range. */
static trm_status land(walk *w, const trm_branch_point *from, const trm_branch_point *to,
                       bool *out) {
  int cells = w->p->options->count - 1, all = w->b.n + w->b.states;
  bool up = to->p > from->p;
  double a = from->p * cells, c = to->p * cells;
  for (double g = up ? floor(a) + 1 : ceil(a) - 1; !*out && (up ? g <= c : g >= c);
       g += up ? 1 : -1) {
    double part = (g - a) / (c - a);
    if (g < 0 || g > cells) break;
    trm_branch_point_copy(&w->between, from, &w->b);
    for (int i = 0; i < all; i++) w->between.x[i] += part * (to->x[i] - from->x[i]);
    w->between.p = g / cells;
    if (!trm_branch_solve(&w->b, &w->between, NULL, 0)) return TRM_FAILED;
    trm_status status = record_point(w->p, &w->b, &w->between, false);
    if (status != TRM_OK) return status;
    *out = g == 0 || g == cells;
  }
  return TRM_OK;
}

/* s along the branch from here: near where the tangent leads, and not much turned. Another branch
 * that the search may have come to is neither. */
static bool reach(walk *w, double s, trm_branch_point *to) {
  const trm_branch *b = &w->b;
  int all = b->n + b->states;
  trm_branch_point_copy(to, &w->here, b);
  for (int i = 0; i < all; i++) to->x[i] += s * w->here.ahead[i];
  to->p += s * w->here.ahead[all];
  if (!trm_branch_solve(&w->b, to, &w->here, s)) return false;
  double cosine = to->ahead[all] * w->here.ahead[all];
  double off = to->p - w->here.p - s * w->here.ahead[all], aside = off * off;
  for (int i = 0; i < all; i++) {
    cosine += to->ahead[i] / b->scale[i] * (w->here.ahead[i] / b->scale[i]);
    off = (to->x[i] - w->here.x[i] - s * w->here.ahead[i]) / b->scale[i];
    aside += off * off;
  }
  return cosine >= STRAIGHT && sqrt(aside) <= ASIDE * fabs(s);
}

/* Where the parameter's part of the tangent vanishes between here and there: into between. */
static bool find_turn(walk *w, double s) {
  int all = w->b.n + w->b.states;
  double low = 0, high = s, of_low = w->here.ahead[all], of_high = w->there.ahead[all];
  for (int i = 0; i < 60; i++) {
    double at = low - of_low * (high - low) / (of_high - of_low);
    if (i % 3 == 2) at = (low + high) / 2; /* a side that stays does not keep the other away */
    if (!reach(w, at, &w->between)) return false;
    double of_at = w->between.ahead[all];
    if (fabs(of_at) <= LEVEL || high - low <= 1e-14 * s) return true;
    if (of_at * of_low > 0)
      low = at, of_low = of_at;
    else
      high = at, of_high = of_at;
  }
  return true;
}

/* A step has been taken: what lies on it. */
static trm_status pass(walk *w, double s, bool *out) {
  int all = w->b.n + w->b.states;
  if (w->here.ahead[all] * w->there.ahead[all] >= 0) return land(w, &w->here, &w->there, out);
  trm_branch_point turn = {0};
  if (!trm_branch_point_create(&turn, &w->b)) return TRM_NO_MEMORY;
  if (!find_turn(w, s)) return TRM_FAILED;
  trm_branch_point_copy(&turn, &w->between, &w->b);
  trm_status status = land(w, &w->here, &turn, out);
  if (status != TRM_OK || *out) return status;
  trm_branch_point_copy(&w->between, &turn, &w->b); /* the mechanism at hand is another one */
  if (!trm_branch_solve(&w->b, &w->between, &turn, 0)) return TRM_FAILED;
  status = record_point(w->p, &w->b, &turn, true);
  return status == TRM_OK ? land(w, &turn, &w->there, out) : status;
}

/* No longer than between two values that were asked for. */
static double longest(const walk *w) {
  int all = w->b.n + w->b.states;
  double most = 0, p = fabs(w->here.ahead[all]) * (w->p->options->count - 1);
  for (int i = 0; i < all; i++) most = fmax(most, fabs(w->here.ahead[i]) / w->b.scale[i]);
  return fmin(most > 0 ? LONGEST / most : INFINITY, p > 0 ? 1 / p : INFINITY);
}

static trm_status go(walk *w) {
  double s = longest(w), cells = w->p->options->count - 1;
  bool out = false;
  while (!out && w->p->found.count < w->p->options->most) {
    s = fmin(s, longest(w));
    while (!reach(w, s, &w->there))
      if ((s /= 2) < SHORTEST) return TRM_FAILED;
    trm_branch_point_copy(&w->between, &w->there, &w->b);
    trm_status status = pass(w, s, &out);
    if (status != TRM_OK) return status;
    trm_branch_point_copy(&w->here, &w->there, &w->b);
    if (!out && (w->here.p < -1 / cells || w->here.p > 1 + 1 / cells)) return TRM_FAILED;
    s *= 1.5;
  }
  w->p->found.complete = out;
  return TRM_OK;
}

static trm_status follow(path *p, const double *state) {
  const trm_path_options *o = p->options;
  walk w = {.p = p};
  if (!trm_branch_create(&w.b, p->base, o->parameter, o->first, o->last, p->arena) ||
      !trm_branch_point_create(&w.here, &w.b) || !trm_branch_point_create(&w.there, &w.b) ||
      !trm_branch_point_create(&w.between, &w.b)) {
    trm_branch_free(&w.b);
    return TRM_NO_MEMORY;
  }
  memcpy(w.here.x, state, (size_t)w.b.n * sizeof(double));
  memcpy(w.here.x + w.b.n, state + 2 * w.b.n, (size_t)w.b.states * sizeof(double));
  trm_status status = trm_branch_solve(&w.b, &w.here, NULL, 0) ? TRM_OK : TRM_FAILED;
  if (status == TRM_OK) status = record_point(p, &w.b, &w.here, false);
  if (status == TRM_OK) status = go(&w);
  trm_branch_free(&w.b);
  return status;
}

/* --- one after the other --- */

/* The start as written, in p->written. The search begins with the motion before, unless speeds are
 * those that the parameter gives: what nothing else determines keeps them. */
static void begin(path *p, bool first) {
  trm_simulation *sim = p->base;
  const trm_layout *at = &sim->engine->dynamics.at;
  double time, *start = p->written + trm_simulation_state_size(sim);
  size_t half = (size_t)(at->n + at->states) * sizeof(double);
  trm_simulation_get_state(sim, &time, start);
  bool same = memcmp(p->written + at->n, start + at->n, half) == 0;
  memcpy(p->written, start, (size_t)trm_simulation_state_size(sim) * sizeof(double));
  /* a state that does not fit the new geometry is left: the search then starts as written */
  if (same && !first) trm_simulation_set_state(sim, time, p->state, NULL);
}

static trm_status settle_at(path *p, double value, int i) {
  trm_simulation *sim = p->base;
  double time;
  trm_equilibrium_options options = trm_default_equilibrium_options();
  trm_equilibrium_result result = trm_default_equilibrium_result();
  options.steady = p->options->steady;
  trm_status status =
      trm_simulation_set_parameter(sim, p->options->parameter, value, p->diagnostics);
  if (status != TRM_OK) return status;
  begin(p, i == 0);
  status = trm_simulation_settle(sim, &options, &result, p->diagnostics);
  if (status != TRM_OK) return status;
  trm_simulation_get_state(sim, &time, p->state);
  return record(p, sim, value, result.stable, false) ? TRM_OK : TRM_NO_MEMORY;
}

static double grid_value(const trm_path_options *o, int i) {
  return i == o->count - 1 ? o->last : o->first + (o->last - o->first) * i / (o->count - 1);
}

static trm_status work(path *p) {
  const trm_path_options *o = p->options;
  int count = o->steady ? o->count : 1;
  trm_status status = TRM_OK;
  for (int i = 0; i < count && status == TRM_OK; i++) status = settle_at(p, grid_value(o, i), i);
  if (status != TRM_OK) return status;
  p->found.complete = o->steady;
  if (o->steady) return TRM_OK;
  double *state = TRM_NEW(p->arena, double, trm_simulation_state_size(p->base) + 1);
  if (!state) return TRM_NO_MEMORY;
  memcpy(state, p->state, (size_t)trm_simulation_state_size(p->base) * sizeof(double));
  p->found.count = 0; /* the branch begins with it */
  unsigned before = trm_flush_begin();
  trm_serial_begin();
  status = follow(p, state);
  trm_serial_end();
  trm_flush_set(before);
  if (status == TRM_FAILED) {
    double value = p->found.count > 0 ? p->values[p->found.count - 1] : o->first;
    trm_report(p->diagnostics, TRM_WARNING,
               "the path of equilibria could not be followed beyond %s = %.10g", o->parameter,
               value);
  }
  return status == TRM_FAILED && p->found.count > 0 ? TRM_OK : status;
}

/* --- public --- */

void trm_path_options_init(trm_path_options *defaults, size_t size) {
  const trm_path_options plain = {.size = sizeof plain, .count = 2, .most = 100000};
  trm_sized_give(defaults, size, &plain, sizeof plain);
}

static path *create(trm_simulation *sim, const trm_path_options *options,
                    trm_diagnostics *diagnostics) {
  trm_arena *arena = trm_arena_create();
  path *p = arena ? TRM_NEW(arena, path, 1) : NULL;
  if (!p) {
    trm_arena_destroy(arena);
    return NULL;
  }
  const trm_model *model = sim->engine->model;
  const char **names = TRM_NEW(arena, const char *, model->output_count + 1);
  *p = (path){.arena = arena, .options = options, .base = sim, .diagnostics = diagnostics};
  p->state = TRM_NEW(arena, double, trm_simulation_state_size(sim) + 1);
  p->written = TRM_NEW(arena, double, 2 * trm_simulation_state_size(sim) + 1);
  for (int i = 0; names && i < model->output_count; i++)
    names[i] = trm_arena_string(arena, model->outputs[i].name);
  p->found.measure_count = model->output_count;
  p->found.names = names;
  if (names && p->state && p->written) return p;
  trm_arena_destroy(arena);
  return NULL;
}

trm_path *trm_simulation_follow(trm_simulation *sim, const trm_path_options *given,
                                trm_diagnostics *diagnostics, trm_status *status) {
  trm_path_options options;
  trm_status ignored, *result = status ? status : &ignored;
  trm_path_options_init(&options, sizeof options);
  *result = TRM_BAD_USAGE;
  if (!trm_sized_take_or_report(&options, sizeof options, given, "trm_default_path_options",
                                diagnostics))
    return NULL;
  if (!options.parameter || options.count < 2 || !isfinite(options.first) ||
      !isfinite(options.last) || options.first == options.last) {
    trm_report(diagnostics, TRM_ERROR,
               "a path of equilibria needs a parameter, two different values and a count of 2 or "
               "more");
    return NULL;
  }
  path *p = create(sim, &options, diagnostics);
  *result = p ? work(p) : TRM_NO_MEMORY;
  if (*result == TRM_NO_MEMORY) trm_report(diagnostics, TRM_ERROR, "out of memory");
  if (!p || p->found.count == 0) {
    if (p) trm_path_destroy(&p->found);
    return NULL;
  }
  p->options = NULL;
  p->found.values = p->values;
  p->found.measures = p->measures;
  p->found.stable = p->stable;
  p->found.turning = p->turning;
  return &p->found;
}

void trm_path_destroy(trm_path *found) {
  path *p = (path *)found;
  if (!p) return;
  free(p->values);
  free(p->measures);
  free(p->stable);
  free(p->turning);
  trm_arena_destroy(p->arena);
}

double trm_path_measure(const trm_path *found, int measure, int point) {
  return found->measures[(size_t)point * (size_t)(found->measure_count + 1) + (size_t)measure];
}

static void write_column(trm_json *json, const trm_path *found, int measure) {
  trm_json_open_list(json, found->names[measure]);
  for (int i = 0; i < found->count; i++)
    trm_json_number(json, NULL, trm_path_measure(found, measure, i));
  trm_json_close_list(json);
}

trm_status trm_path_write_json(const trm_path *found, const char *parameter, const char *file,
                               trm_diagnostics *diagnostics) {
  trm_output *output = trm_output_open(file, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_json json;
  trm_json_begin(&json, output);
  trm_json_string(&json, "status", found->complete ? "found" : "none");
  trm_json_string(&json, "parameter", parameter);
  trm_json_open_list(&json, "values");
  for (int i = 0; i < found->count; i++) trm_json_number(&json, NULL, found->values[i]);
  trm_json_close_list(&json);
  trm_json_open_list(&json, "stable");
  for (int i = 0; i < found->count; i++)
    if (found->stable[i] == TRM_UNDECIDED)
      trm_json_string(&json, NULL, NULL);
    else
      trm_json_bool(&json, NULL, found->stable[i] == TRM_YES);
  trm_json_close_list(&json);
  trm_json_open_list(&json, "turning");
  for (int i = 0; i < found->count; i++)
    if (found->turning[i]) trm_json_integer(&json, NULL, i);
  trm_json_close_list(&json);
  trm_json_open(&json, "measures");
  for (int k = 0; k < found->measure_count; k++) write_column(&json, found, k);
  trm_json_close(&json);
  trm_json_end(&json);
  return trm_output_close(output, diagnostics);
}
