/* The same mechanism with other values of a parameter. */
#include "analysis/neighbour.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPTS  5                    /* each ten times nearer, where the model allows no other */
#define STARTS    20                   /* the same, where nobody knows the scale */
#define ROUND_OFF (1e-3 * DBL_EPSILON) /* of the model's size: nothing is left of a violation */

const trm_stencil trm_six_sides = {
    .sides = 6,
    .step = 4e-3,
    .place = {-3, -2, -1, 1, 2, 3},
    .weight = {-1 / 60.0, 9 / 60.0, -45 / 60.0, 45 / 60.0, -9 / 60.0, 1 / 60.0},
    .rough = {-0.12, 0.48, -0.6, 0.6, -0.48, 0.12}};
const trm_stencil trm_four_sides = {.sides = 4,
                                    .step = 5e-4,
                                    .place = {-2, -1, 1, 2},
                                    .weight = {1 / 12.0, -8 / 12.0, 8 / 12.0, -1 / 12.0},
                                    .rough = {-0.2, 0.4, -0.4, 0.2}};

/* ---- formulas ---- */

typedef struct scope {
  const trm_model *model;
  trm_instant *instant;
  bool no_memory;
  char reason[512];
} scope;

static trm_symbol refuse(scope *s, const char *name, size_t length, const char *why) {
  snprintf(s->reason, sizeof s->reason, "'%.*s' is no measure or parameter%s%s",
           length < 60 ? (int)length : 60, name, why[0] ? ": " : "", why);
  return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .reason = s->reason};
}

/* Slot 0 is the time. */
static trm_symbol look_up(void *context, const char *name, size_t length) {
  scope *s = context;
  char reason[400] = "";
  if (length == 1 && *name == 't') return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 0};
  for (int i = 0; i < s->model->parameter_count; i++)
    if (strlen(s->model->parameters[i].name) == length &&
        memcmp(s->model->parameters[i].name, name, length) == 0)
      return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = s->model->parameters[i].value};
  trm_instant *in = s->instant;
  trm_measure *grown = realloc(in->measures, (size_t)(in->count + 1) * sizeof *grown);
  s->no_memory |= !grown;
  if (!grown) return refuse(s, name, length, "out of memory");
  in->measures = grown;
  if (!trm_measure_find(s->model, name, length, &grown[in->count], reason, sizeof reason))
    return refuse(s, name, length, reason);
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = ++in->count};
}

static trm_status parse(trm_instant *instant, const trm_model *model, const char *text,
                        trm_diagnostics *diagnostics) {
  scope s = {.model = model, .instant = instant};
  trm_expression_error error = {0};
  char folder[4096] = "."; /* tables are looked for beside the model */
  const char *slash = model->file ? strrchr(model->file, '/') : NULL;
  if (slash) snprintf(folder, sizeof folder, "%.*s/", (int)(slash - model->file), model->file);
  instant->formula = trm_expression_parse(text, look_up, &s, folder, &error);
  instant->slots = calloc((size_t)instant->count + 1, sizeof(double));
  if (instant->formula && instant->slots) return TRM_OK;
  bool no_memory = instant->formula || error.no_memory || s.no_memory;
  trm_report(diagnostics, TRM_ERROR, "'%s': %s", text, no_memory ? "out of memory" : error.message);
  return no_memory ? TRM_NO_MEMORY : TRM_BAD_USAGE;
}

double trm_variant_value(trm_variant *variant, int instant, double t) {
  trm_instant *in = &variant->instants[instant];
  trm_engine *e = variant->simulation->engine;
  e->reactions_ready = false;
  trm_engine_measures(e, in->measures, in->count, in->slots + 1);
  in->slots[0] = t;
  return trm_expression_value(in->formula, in->slots);
}

/* ---- a variant ---- */

trm_status trm_variant_formulas(trm_variant *v, const trm_model *model, const trm_asked *asked,
                                trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  v->instants = calloc((size_t)asked->count + 1, sizeof *v->instants);
  if (!v->instants) return TRM_NO_MEMORY;
  v->count = asked->count;
  for (int i = 0; i < v->count; i++) {
    trm_status one = parse(&v->instants[i], model, asked->formulas[i], diagnostics);
    if (one != TRM_OK) status = one;
  }
  return status;
}

const trm_measure *trm_variant_find(const trm_variant *v, bool (*fits)(const trm_measure *)) {
  for (int i = 0; i < v->count; i++)
    for (int k = 0; k < v->instants[i].count; k++)
      if (fits(&v->instants[i].measures[k])) return &v->instants[i].measures[k];
  return NULL;
}

/* Without what its assembly notes and warns of: the simulation that is differentiated has it. */
static trm_simulation *create_simulation(const trm_model *model, const trm_settings *settings,
                                         trm_diagnostics *diagnostics, trm_status *status) {
  trm_diagnostics *said = trm_diagnostics_create();
  *status = TRM_NO_MEMORY;
  trm_simulation *simulation = said ? trm_simulation_create(model, settings, said, status) : NULL;
  for (int i = 0; i < trm_diagnostics_count(said); i++) {
    const trm_diagnostic *d = trm_diagnostics_get(said, i);
    trm_place place = {d->file, d->line, d->column, d->source, NULL};
    if (d->severity == TRM_ERROR)
      trm_report_place(diagnostics, d->severity, place, "%s", d->message);
  }
  trm_diagnostics_destroy(said);
  return simulation;
}

trm_status trm_variant_create(trm_variant *v, const trm_model *model, bool owned,
                              const trm_settings *settings, const trm_asked *asked,
                              trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  *v = (trm_variant){.model = owned ? (trm_model *)model : NULL};
  v->simulation = create_simulation(model, settings, diagnostics, &status);
  if (!v->simulation) return status;
  trm_engine *e = v->simulation->engine;
  /* to round-off, since derivatives are taken of what it leaves; not to zero, which corrections of
   * coordinates that are nearly zero approach for ever */
  e->dynamics.stabilizer->tolerance = ROUND_OFF * e->system->size;
  v->y = calloc(2 * (size_t)e->dynamics.size, sizeof(double));
  if (!v->y) return TRM_NO_MEMORY;
  v->ydot = v->y + e->dynamics.size;
  memcpy(v->y, e->y, (size_t)e->dynamics.size * sizeof(double));
  status = trm_variant_formulas(v, model, asked, diagnostics);
  for (int i = 0; i < v->count; i++)
    for (int k = 0; k < v->instants[i].count; k++)
      trm_system_expect(e->system, &v->instants[i].measures[k]);
  return status;
}

void trm_variant_free(trm_variant *v) {
  for (int i = 0; i < v->count; i++) {
    trm_expression_destroy(v->instants[i].formula);
    free(v->instants[i].measures);
    free(v->instants[i].slots);
  }
  free(v->instants);
  free(v->y);
  trm_simulation_destroy(v->simulation);
  trm_model_destroy(v->model);
  *v = (trm_variant){0};
}

trm_status trm_variant_refuse_switch(trm_variant *v, double t, const double *y,
                                     trm_diagnostics *diagnostics) {
  trm_engine *e = v->simulation->engine;
  trm_system *sys = e->system;
  if (!trm_system_has_branches(sys)) return TRM_OK;
  unsigned long now = trm_system_branch(sys, t, y, y + e->dynamics.at.v);
  bool changes = t > 0 && now != v->branch;
  v->branch = now;
  if (!changes) return TRM_OK;
  trm_report(
      diagnostics, TRM_ERROR,
      "t = %.6g: a formula goes to its next piece: derivatives are not taken through that in "
      "surfaces of straight pieces (cubic ones have none) and in systems of equations",
      t);
  return TRM_FAILED;
}

/* ---- on both sides of a value ---- */

static bool is_alike(const trm_variant *a, const trm_variant *b) {
  const trm_system *x = a->simulation->engine->system, *y = b->simulation->engine->system;
  return x->n == y->n && x->m == y->m && x->states == y->states;
}

static trm_status create_with(trm_variant *side, bool symbols, int count, const char *const *names,
                              const double *values, const trm_variant *base,
                              const trm_settings *settings, const trm_asked *asked,
                              trm_diagnostics *diagnostics) {
  trm_status status;
  const trm_model *of = base->simulation->engine->model;
  trm_model *model = trm_model_near(of, symbols, count, names, values, diagnostics, &status);
  if (!model) return status;
  if (model->settings.duration != of->settings.duration) {
    trm_report(diagnostics, TRM_ERROR, "the duration hangs on '%s': it must not", names[0]);
    trm_model_destroy(model);
    return TRM_BAD_USAGE;
  }
  status = trm_variant_create(side, model, true, settings, asked, diagnostics);
  if (status != TRM_OK || is_alike(side, base)) return status;
  trm_report(diagnostics, TRM_ERROR,
             "with another value of '%s' the model has other coordinates or constraints: it is no "
             "number to differentiate by",
             names[0]);
  return TRM_BAD_USAGE;
}

static double value_of(const trm_neighbours *n, int side) {
  return n->value + n->by->place[side] * n->step;
}

/* One that is there already stays. The first tells what hangs on the parameter. */
static trm_status create_side(trm_neighbours *n, int k, const trm_variant *base,
                              const trm_settings *settings, const trm_asked *asked,
                              trm_diagnostics *diagnostics) {
  double value = value_of(n, k);
  if (n->side[k].simulation) return TRM_OK;
  bool symbols = k == 0 && base->simulation->engine->model->symbols;
  return create_with(&n->side[k], symbols, 1, &n->name, &value, base, settings, asked, diagnostics);
}

static trm_status create_sides(trm_neighbours *n, const trm_variant *base,
                               const trm_settings *settings, const trm_asked *asked,
                               trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  for (int k = 0; k < n->by->sides && status == TRM_OK; k++)
    status = create_side(n, k, base, settings, asked, diagnostics);
  if (status != TRM_OK) trm_neighbours_free(n);
  return status;
}

static void choose_step(trm_neighbours *n) {
  if (n->step == 0) n->step = n->by->step * (n->value != 0 ? fabs(n->value) : 1);
}

/* At steps as large as the model allows: `step` at most, or one that suits the value where it is
 * zero. */
static trm_status create(trm_neighbours *n, const trm_variant *base, const trm_settings *settings,
                         const trm_asked *asked, trm_diagnostics *diagnostics) {
  trm_status status = TRM_FAILED;
  choose_step(n);
  for (int i = 0; i < ATTEMPTS && status != TRM_OK; i++, n->step /= 10) {
    trm_diagnostics *said = trm_diagnostics_create();
    if (!said) return TRM_NO_MEMORY;
    bool last = i == ATTEMPTS - 1;
    status = create_sides(n, base, settings, asked, last ? diagnostics : said);
    trm_diagnostics_destroy(said);
    if (status == TRM_NO_MEMORY || status == TRM_OK) return status;
  }
  trm_report(
      diagnostics, TRM_ERROR,
      "with '%s' a little beside %g there is no such model: it is no number to differentiate "
      "by",
      n->name, n->value);
  return status;
}

void trm_neighbours_name(trm_neighbours *n, const trm_model *model, const char *name,
                         const trm_stencil *by) {
  for (int i = 0; i < model->parameter_count; i++)
    if (strcmp(model->parameters[i].name, name) == 0)
      *n = (trm_neighbours){
          .name = model->parameters[i].name, .value = model->parameters[i].value, .by = by};
}

double trm_reach(const trm_dynamics *d, const double *y, const double *slope) {
  double place = 0, speed = 0, fastest = 1;
  for (int i = 0; i < d->at.v; i++) {
    place = fmax(place, fabs(slope[i]) / d->unit[i]);
    speed = fmax(speed, fabs(slope[d->at.v + i]) / d->unit[i]);
    fastest = fmax(fastest, fabs(y[d->at.v + i]) / d->unit[i]);
  }
  return fmax(place, speed / fastest);
}

trm_status trm_neighbours_begin(trm_neighbours *n, const trm_variant *base,
                                const trm_settings *settings, const trm_asked *asked, double *slope,
                                trm_diagnostics *diagnostics) {
  const trm_dynamics *d = &base->simulation->engine->dynamics;
  for (int attempt = 0; attempt < STARTS; attempt++) {
    trm_status status = create(n, base, settings, asked, diagnostics);
    if (status != TRM_OK) return status;
    memset(slope, 0, (size_t)d->size * sizeof(double));
    for (int k = 0; k < n->by->sides; k++)
      trm_axpy(d->size, trm_side_weight(n, k), n->side[k].y, slope);
    double far = trm_reach(d, base->y, slope);
    if (!(far * n->step > TRM_REACH)) return TRM_OK;
    trm_neighbours_free(n);
    n->step = TRM_REACH / 4 / far;
  }
  trm_report(diagnostics, TRM_ERROR, "the start has no derivative by '%s'", n->name);
  return TRM_FAILED;
}

bool trm_neighbours_create_first(trm_neighbours *n, const trm_variant *base,
                                 const trm_settings *settings, const trm_asked *asked) {
  trm_diagnostics *said = trm_diagnostics_create();
  choose_step(n);
  bool good = said && create_side(n, 0, base, settings, asked, said) == TRM_OK;
  if (!good) trm_neighbours_free(n);
  trm_diagnostics_destroy(said);
  return good;
}

bool trm_neighbours_join(trm_variant *side, int count, const trm_neighbours *const *all,
                         const trm_variant *base, const trm_settings *settings,
                         const trm_asked *asked) {
  trm_diagnostics *said = trm_diagnostics_create();
  const char **names = calloc((size_t)count, sizeof *names);
  double *values = calloc((size_t)count, sizeof *values);
  bool good = said && names && values;
  for (int k = 0; good && k < all[0]->by->sides; k++) {
    for (int i = 0; i < count; i++) {
      names[i] = all[i]->name;
      values[i] = value_of(all[i], k);
    }
    good =
        create_with(&side[k], false, count, names, values, base, settings, asked, said) == TRM_OK;
  }
  for (int k = 0; !good && k < TRM_MOST_SIDES; k++) trm_variant_free(&side[k]);
  free(names);
  free(values);
  trm_diagnostics_destroy(said);
  return good;
}

void trm_neighbours_free(trm_neighbours *n) {
  for (int k = 0; k < TRM_MOST_SIDES; k++) trm_variant_free(&n->side[k]);
}

/* How far angles have turned is a part of the state that is kept. */
static bool take_turns(trm_variant *to, const trm_variant *from) {
  const trm_arena *source = from->simulation->engine->arena;
  trm_engine *e = to->simulation->engine;
  size_t size = trm_kept_size(source);
  void *bytes = malloc(size);
  if (!bytes || trm_kept_size(e->arena) != size) {
    free(bytes);
    return false;
  }
  trm_kept_save(source, bytes);
  trm_kept_restore(e->arena, bytes, size);
  trm_kept_derive(e->arena);
  free(bytes);
  return true;
}

/* Times of events are as far from the base's as the sides' steps are long. */
static void take_times(trm_variant *to, const trm_variant *base, double shorter) {
  const trm_system *from = base->simulation->engine->system;
  trm_system *sys = to->simulation->engine->system;
  for (int i = 0; i < sys->model->event_count; i++) {
    double time = from->event_records[i].time, *own = &sys->event_records[i].time;
    *own = time + shorter * (*own - time);
  }
}

trm_status trm_neighbours_approach(trm_neighbours *n, const trm_variant *base,
                                   const trm_settings *settings, const trm_asked *asked,
                                   double step, trm_diagnostics *diagnostics) {
  trm_neighbours nearer = {.name = n->name, .value = n->value, .step = step, .by = n->by};
  trm_status status = create_sides(&nearer, base, settings, asked, diagnostics);
  if (status != TRM_OK) return status;
  for (int k = 0; k < n->by->sides && status == TRM_OK; k++)
    if (take_turns(&nearer.side[k], &n->side[k]))
      take_times(&nearer.side[k], base, step / n->step);
    else
      status = TRM_NO_MEMORY;
  trm_neighbours_free(n);
  *n = nearer;
  return status;
}

const trm_system *trm_neighbours_move(trm_neighbours *n, double t, const double *y, const double *s,
                                      double *slope, double *rate) {
  int size = n->side[0].simulation->engine->dynamics.size;
  memset(slope, 0, (size_t)size * sizeof(double));
  memset(rate, 0, (size_t)size * sizeof(double));
  for (int k = 0; k < n->by->sides; k++) {
    trm_variant *v = &n->side[k];
    trm_dynamics *d = &v->simulation->engine->dynamics;
    for (int i = 0; i < size; i++) v->y[i] = y[i] + n->by->place[k] * n->step * s[i];
    if (!trm_dynamics_correct(d, trm_side_time(n, k, t), v->y, v->ydot)) return d->system;
    d->system->work = v->y[d->at.work];
    trm_axpy(size, trm_side_weight(n, k), v->y, slope);
    trm_axpy(size, trm_side_weight(n, k), v->ydot, rate);
  }
  return NULL;
}

double trm_neighbours_slope(trm_neighbours *n, int instant, double t, double *noise) {
  double sum = 0, rough = 0;
  for (int k = 0; k < n->by->sides; k++) {
    double value = trm_variant_value(&n->side[k], instant, trm_side_time(n, k, t));
    sum += trm_side_weight(n, k) * value;
    rough += n->by->rough[k] / n->step * value;
  }
  *noise = fabs(rough);
  return sum;
}

void trm_neighbours_noise(const trm_neighbours *n, double noise[2]) {
  int half = n->side[0].simulation->engine->dynamics.at.v;
  noise[0] = noise[1] = 0;
  for (int i = 0; i < 2 * half; i++) {
    double rough = 0;
    for (int k = 0; k < n->by->sides; k++) rough += n->by->rough[k] / n->step * n->side[k].ydot[i];
    noise[i >= half] = fmax(noise[i >= half], fabs(rough));
  }
}
