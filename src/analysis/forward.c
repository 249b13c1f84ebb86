/* Derivatives of a motion with respect to parameters, along the motion:
 *
 *     ẏ = f(t, y, p),   ṡ = ∂f/∂y s + ∂f/∂p,   s(0) that of the assembled start
 *
 * integrated together by Dormand and Prince's method of order 8, with the integrals asked for. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/differentiate.h"
#include "math/difference.h"

#define AMPLIFY  10    /* what weights of stages make of round-off */
#define SMALLEST 1e-13 /* step, as a part of the duration */

enum { STAGES = 12 };

typedef struct variation {
  trm_arena *arena;
  const trm_asked *asked;
  trm_settings settings;
  trm_variant base;
  int count; /* parameters */
  trm_neighbours *by;
  int size;  /* of a state */
  int block; /* of a state and its integral: the motion, then its derivative by each parameter */
  int total; /* numbers at hand: all, or the motion's alone */
  size_t stride; /* all */
  double rtol, atol, t;
  double *y;                /* [total] */
  double *k;                /* [STAGES × total] rates at the stages */
  double *stage;            /* [total] */
  double *error;            /* [total] */
  double *slope;            /* [size] */
  double *scale;            /* [total] tolerances */
  double (*noise)[2];       /* [count] of derivatives of rates: of positions, of velocities */
  double *rough;            /* [count × asked] the same of integrals */
  int *side;                /* [events] of zero where each was last; 0: it has not left it yet */
  double *watched;          /* [events] */
  double *before;           /* [block] rates before an event */
  double *drift;            /* [count] how its time moves with a parameter */
  bool stopped;             /* by an event */
  bool leaves;              /* a formula leaves its piece at the end of the step */
  double off_branch;        /* the first stage of the last attempt that is on another piece */
  int told;                 /* of the times at which values are told */
  double *value, *gradient; /* [asked], [asked × count] room for that */
} variation;

static trm_status fail(const trm_system *sys, trm_diagnostics *diagnostics) {
  trm_report_place(diagnostics, TRM_ERROR, sys->place, "%s", sys->error);
  return TRM_FAILED;
}

/* ---- the start ---- */

static bool create_arrays(variation *s) {
  s->size = s->base.simulation->engine->dynamics.size;
  s->block = s->size + s->asked->count;
  s->total = s->block * (1 + s->count);
  s->stride = (size_t)s->total;
  s->y = TRM_NEW(s->arena, double, s->total);
  s->k = TRM_NEW(s->arena, double, STAGES *(size_t)s->total);
  s->stage = TRM_NEW(s->arena, double, s->total);
  s->error = TRM_NEW(s->arena, double, s->total);
  s->scale = TRM_NEW(s->arena, double, s->total);
  s->slope = TRM_NEW(s->arena, double, s->size);
  s->noise = (double(*)[2])TRM_NEW(s->arena, double, 2 * s->count + 1);
  s->rough = TRM_NEW(s->arena, double, s->asked->count * s->count + 1);
  size_t events = (size_t)s->base.simulation->engine->model->event_count;
  s->side = TRM_NEW(s->arena, int, events + 1);
  s->value = TRM_NEW(s->arena, double, s->asked->count + 1);
  s->gradient = TRM_NEW(s->arena, double, s->asked->count * s->count + 1);
  s->watched = TRM_NEW(s->arena, double, events + 1);
  s->before = TRM_NEW(s->arena, double, s->block);
  s->drift = TRM_NEW(s->arena, double, s->count + 1);
  return !trm_arena_failed(s->arena);
}

static double *derivative(const variation *s, double *all, int k) {
  return all + (size_t)(k + 1) * (size_t)s->block;
}

/* Neighbours come nearer where the motion hangs much on the parameter. */
static trm_status approach(variation *s, int k, trm_diagnostics *diagnostics) {
  trm_neighbours *n = &s->by[k];
  double far = trm_reach(&s->base.simulation->engine->dynamics, s->y, derivative(s, s->y, k));
  if (!(far * n->step > TRM_REACH)) return TRM_OK;
  trm_status status = trm_neighbours_approach(n, &s->base, &s->settings, s->asked,
                                              TRM_REACH / 4 / far, diagnostics);
  if (status != TRM_OK || !s->base.holds) return status;
  return trm_neighbours_fix_branches(n, &s->base) ? TRM_OK : TRM_NO_MEMORY;
}

static trm_status begin(variation *s, trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  memcpy(s->y, s->base.y, (size_t)s->size * sizeof(double));
  for (int k = 0; k < s->count && status == TRM_OK; k++)
    status = trm_neighbours_begin(&s->by[k], &s->base, &s->settings, s->asked,
                                  derivative(s, s->y, k), diagnostics);
  return status;
}

/* ---- along the motion ---- */

/* NULL: it went well. At the end of a step the derivatives are put onto the constraints. */
static const trm_system *rates(variation *s, double t, double *y, bool end, double *out) {
  trm_engine *e = s->base.simulation->engine;
  bool good = end ? trm_dynamics_correct(&e->dynamics, t, y, out)
                  : trm_dynamics_evaluate(&e->dynamics, t, y, out);
  if (!good) return e->system;
  e->system->work = y[e->dynamics.at.work];
  int count = s->asked->count;
  for (int i = 0; i < count; i++)
    out[s->size + i] = s->asked->integrated[i] ? trm_variant_value(&s->base, i, t) : 0;
  for (int k = 0; k < s->count; k++) {
    double *slope = derivative(s, y, k), *rate = derivative(s, out, k);
    const trm_system *bad = trm_neighbours_move(&s->by[k], t, y, slope, s->slope, rate);
    if (bad) return bad;
    for (int i = 0; i < count; i++)
      rate[s->size + i] = s->asked->integrated[i]
                              ? trm_neighbours_slope(&s->by[k], i, t, &s->rough[k * count + i])
                              : 0;
    if (!end) continue;
    trm_neighbours_noise(&s->by[k], s->noise[k]);
    memcpy(slope, s->slope, (size_t)s->size * sizeof(double));
  }
  return NULL;
}

static void commit(variation *s) {
  trm_dynamics_commit(&s->base.simulation->engine->dynamics, s->y);
  for (int k = 0; k < s->count; k++)
    for (int side = 0; side < s->by[k].by->sides; side++) {
      trm_variant *v = &s->by[k].side[side];
      trm_dynamics_commit(&v->simulation->engine->dynamics, v->y);
    }
}

static double largest(int count, const double *x) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Coordinates by their own size; derivatives by the largest of their kind, and no finer than they
 * are known: a shorter step would not make them better. */
static void choose_scales(variation *s, double h) {
  const trm_dynamics *d = &s->base.simulation->engine->dynamics;
  int half = d->at.v, count = s->asked->count;
  for (int i = 0; i < 2 * half; i++)
    s->scale[i] = s->rtol * fabs(s->y[i]) + s->atol * d->unit[i % half];
  for (int k = 0; k < s->count; k++) {
    const double *slope = derivative(s, s->y, k);
    double *scale = derivative(s, s->scale, k), unit = fabs(s->by[k].value);
    double least = s->atol / (unit > 0 ? unit : 1), rough = AMPLIFY * h;
    for (int part = 0; part < 2; part++) {
      double most = s->rtol * largest(half, slope + part * half) + rough * s->noise[k][part];
      for (int i = 0; i < half; i++) scale[part * half + i] = most + least * d->unit[i];
    }
    for (int i = 0; i < count; i++)
      scale[s->size + i] =
          s->rtol * fabs(slope[s->size + i]) + least + rough * s->rough[k * count + i];
    scale[s->size - 1] = INFINITY; /* nobody needs the work */
  }
  s->scale[s->size - 1] = INFINITY;
  for (int i = s->size; i < s->block; i++) s->scale[i] = s->rtol * fabs(s->y[i]) + s->atol;
}

static double error_by(variation *s, const double *weights, double h) {
  double worst = 0;
  memset(s->error, 0, (size_t)s->total * sizeof(double));
  for (int j = 0; j < STAGES; j++)
    if (weights[j] != 0) trm_axpy(s->total, h * weights[j], s->k + (size_t)j * s->stride, s->error);
  for (int i = 0; i < s->total; i++) {
    double part = fabs(s->error[i]) / s->scale[i];
    if (!(part <= worst)) worst = part; /* not a number counts */
  }
  return worst;
}

/* In units of the tolerance; as in pair.c. The new state is left in `stage`. */
static const trm_system *attempt(variation *s, double h, double *error) {
  const trm_pair *pair = &trm_pair_dop853;
  const trm_tableau *table = pair->tableau;
  s->off_branch = INFINITY;
  for (int i = 1; i <= STAGES; i++) {
    const double *a = i < STAGES ? table->a + i * STAGES : table->b;
    memcpy(s->stage, s->y, (size_t)s->total * sizeof(double));
    for (int j = 0; j < i && j < STAGES; j++)
      if (a[j] != 0) trm_axpy(s->total, h * a[j], s->k + (size_t)j * s->stride, s->stage);
    if (i == STAGES) break;
    double t = s->t + table->c[i] * h;
    if (trm_variant_leaves_branches(&s->base, t, s->stage))
      s->off_branch = fmin(s->off_branch, t - s->t);
    const trm_system *bad = rates(s, t, s->stage, false, s->k + (size_t)i * s->stride);
    if (bad) return bad;
  }
  double fine = error_by(s, pair->error, h), coarse = error_by(s, pair->coarse, h);
  *error = fine == 0 ? 0 : fine * fine / sqrt(fine * fine + 0.01 * coarse * coarse);
  return NULL;
}

/* ---- values ---- */

/* At the state evaluated last. */
static void read_values(variation *s, double *value, double *gradient) {
  double ignored;
  for (int i = 0; i < s->asked->count; i++) {
    bool integrated = s->asked->integrated[i];
    value[i] = integrated ? s->y[s->size + i] : trm_variant_value(&s->base, i, s->t);
    for (int k = 0; k < s->count; k++)
      gradient[i * s->count + k] = integrated ? derivative(s, s->y, k)[s->size + i]
                                              : trm_neighbours_slope(&s->by[k], i, s->t, &ignored);
  }
}

static double next_time(const variation *s) {
  return s->told < s->asked->time_count ? s->asked->times[s->told] : s->settings.duration;
}

static void tell(variation *s) {
  while (s->told < s->asked->time_count && s->asked->times[s->told] <= s->t) {
    read_values(s, s->value, s->gradient);
    s->asked->tell(s->asked->context, s->told++, s->value, s->gradient);
  }
}

/* ---- events ---- */

static void watch(variation *s, double t, const double *y) {
  const trm_engine *e = s->base.simulation->engine;
  trm_system_watch(e->system, t, y, y + e->dynamics.at.v, s->watched);
}

/* How many have been passed, and the first. */
static int count_passed(variation *s, double t, const double *y, int *first) {
  static const int wanted[] = {[TRM_BOTH] = 0, [TRM_RISING] = -1, [TRM_FALLING] = 1};
  const trm_model *model = s->base.simulation->engine->model;
  int count = 0;
  watch(s, t, y);
  for (int i = model->event_count - 1; i >= 0; i--) {
    int only = wanted[model->events[i].direction];
    if (s->side[i] * s->watched[i] >= 0 || (only != 0 && s->side[i] != only)) continue;
    count++;
    *first = i;
  }
  return count;
}

static void leave_zero(variation *s, double t, const double *y) {
  watch(s, t, y);
  for (int i = 0; i < s->base.simulation->engine->model->event_count; i++)
    if (s->watched[i] != 0) s->side[i] = s->watched[i] > 0 ? 1 : -1;
}

/* An event, or a change of piece. */
static bool passes(variation *s, double t, const double *y) {
  int first;
  bool event =
      s->base.simulation->engine->model->event_count > 0 && count_passed(s, t, y, &first) > 0;
  return event || trm_variant_leaves_branches(&s->base, t, y);
}

/* The shortest step that passes one, of the motion alone; h where none is passed. */
static const trm_system *locate(variation *s, double *h) {
  int count = s->count, total = s->total;
  double low = 0, high = *h, error;
  const trm_system *bad = NULL;
  s->leaves = false;
  if (!passes(s, s->t + *h, s->stage)) return NULL;
  s->count = 0;
  s->total = s->block;
  while (!bad && high - low > 2 * DBL_EPSILON * (s->t + high)) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    bad = attempt(s, middle, &error);
    if (!bad && passes(s, s->t + middle, s->stage))
      high = middle;
    else
      low = middle;
  }
  if (!bad) bad = attempt(s, high, &error);
  s->leaves = !bad && trm_variant_leaves_branches(&s->base, s->t + high, s->stage);
  s->count = count;
  s->total = total;
  *h = high;
  return bad;
}

typedef struct along {
  variation *s;
  int event;
} along;

static bool value_along(void *context, double h, double *out) {
  const along *a = context;
  variation *s = a->s;
  memcpy(s->slope, s->y, (size_t)s->size * sizeof(double));
  trm_axpy(s->size, h, s->k, s->slope);
  watch(s, s->t + h, s->slope);
  *out = s->watched[a->event];
  return isfinite(*out);
}

static trm_status refuse_event(const variation *s, int event, const char *why,
                               trm_diagnostics *diagnostics) {
  const trm_model *model = s->base.simulation->engine->model;
  const trm_event *e = &model->events[event];
  trm_report_place(diagnostics, TRM_ERROR, trm_origin_place(model, e->origin),
                   "t = %.9g: event '%s' %s: the motion has no derivatives there", s->t, e->name,
                   why);
  return TRM_FAILED;
}

/* How its time moves with each parameter: −dφ/dp by dφ/dt. */
static trm_status find_drift(variation *s, int event, trm_diagnostics *diagnostics) {
  const trm_dynamics *d = &s->base.simulation->engine->dynamics;
  double room[TRM_DIFFERENCE_ROOM], rate = 0, fast = trm_reach(d, s->y, s->k);
  along context = {s, event};
  if (!trm_difference(value_along, &context, TRM_REACH / fmax(fast, TRM_REACH), 1, room, &rate) ||
      !(s->side[event] * rate < 0) || !(fabs(rate) > 1e-9 * fabs(s->watched[event])))
    return refuse_event(s, event, "touches zero without going through it", diagnostics);
  for (int k = 0; k < s->count; k++) {
    trm_neighbours *n = &s->by[k];
    double slope = 0;
    for (int i = 0; i < n->by->sides; i++) {
      trm_variant *v = &n->side[i];
      trm_system_watch(v->simulation->engine->system, s->t, v->y, v->y + d->at.v, s->watched);
      slope += trm_side_weight(n, i) * s->watched[event];
    }
    s->drift[k] = -slope / rate;
  }
  return TRM_OK;
}

static void count_event(trm_variant *v, int event, double t) {
  trm_event_record *record = &v->simulation->engine->system->event_records[event];
  *record = (trm_event_record){record->count + 1, t};
}

/* What an event makes of a mechanism's state at the time when it comes there. */
static bool set_states(trm_variant *v, int event, double t, double *y) {
  trm_system *sys = v->simulation->engine->system;
  if (!trm_system_set_states(sys, event, t, y, y + v->simulation->engine->dynamics.at.v))
    return false;
  count_event(v, event, t);
  return true;
}

/* Derivatives behind a jump, of the neighbours at the times when each comes there: after what an
 * event sets (−1: nothing), and where drivers may jump with it, velocities that fit these. */
static trm_status carry_over(variation *s, int event, bool struck, trm_diagnostics *diagnostics) {
  for (int k = 0; k < s->count; k++) {
    trm_neighbours *n = &s->by[k];
    double *slope = derivative(s, s->y, k);
    memset(slope, 0, (size_t)s->size * sizeof(double));
    for (int i = 0; i < n->by->sides; i++) {
      trm_variant *v = &n->side[i];
      trm_dynamics *d = &v->simulation->engine->dynamics;
      double later = n->by->place[i] * n->step * s->drift[k];
      trm_axpy(s->size, later, s->before, v->y);
      if ((event >= 0 && !set_states(v, event, s->t + later, v->y)) ||
          (struck && !trm_dynamics_correct(d, s->t + later, v->y, v->ydot)))
        return fail(d->system, diagnostics);
      trm_axpy(s->size, trm_side_weight(n, i), v->y, slope);
    }
  }
  return TRM_OK;
}

/* All formulas keep to the piece that the motion leads to. */
static trm_status hold(variation *s, double ahead) {
  if (!trm_variant_fix_branches(&s->base, s->t, s->y, s->k, ahead)) return TRM_NO_MEMORY;
  for (int k = 0; k < s->count; k++)
    if (!trm_neighbours_fix_branches(&s->by[k], &s->base)) return TRM_NO_MEMORY;
  return TRM_OK;
}

/* Derivatives at the time of the event, not with it: what moves before and behind it differs. */
static trm_status jump(variation *s, int event, trm_diagnostics *diagnostics) {
  trm_status status = find_drift(s, event, diagnostics);
  memcpy(s->before, s->k, (size_t)s->block * sizeof(double));
  trm_system *sys = s->base.simulation->engine->system;
  if (status == TRM_OK) status = carry_over(s, event, sys->filtered, diagnostics);
  if (status == TRM_OK && !set_states(&s->base, event, s->t, s->y)) return fail(sys, diagnostics);
  if (status == TRM_OK && s->base.holds) status = hold(s, 0);
  if (status != TRM_OK) return status;
  int count = s->count, first = event;
  s->count = 0;
  const trm_system *bad = rates(s, s->t, s->y, true, s->stage);
  s->count = count;
  if (bad) return fail(bad, diagnostics);
  for (int k = 0; k < s->count; k++) {
    double *slope = derivative(s, s->y, k);
    trm_axpy(s->size, -s->drift[k], s->stage, slope);
    trm_axpy(s->block - s->size, s->drift[k], s->before + s->size, slope + s->size);
    trm_axpy(s->block - s->size, -s->drift[k], s->stage + s->size, slope + s->size);
  }
  s->side[event] = 0; /* its own change is no crossing of its own */
  if (count_passed(s, s->t, s->y, &first) > 0)
    return refuse_event(s, first, "is passed by what another one sets", diagnostics);
  leave_zero(s, s->t, s->y);
  bad = rates(s, s->t, s->y, true, s->k);
  return bad ? fail(bad, diagnostics) : TRM_OK;
}

/* The end of the run moves with the parameters. */
static trm_status stop(variation *s, int event, trm_diagnostics *diagnostics) {
  trm_status status = find_drift(s, event, diagnostics);
  for (int k = 0; k < s->count && status == TRM_OK; k++) {
    trm_neighbours *n = &s->by[k];
    trm_axpy(s->block, s->drift[k], s->k, derivative(s, s->y, k));
    n->drift = s->drift[k];
    for (int i = 0; i < n->by->sides; i++)
      count_event(&n->side[i], event, trm_side_time(n, i, s->t));
  }
  count_event(&s->base, event, s->t);
  s->stopped = true;
  return status;
}

/* ---- changes of piece ---- */

static trm_status refuse_switch(const variation *s, const char *why, trm_diagnostics *diagnostics) {
  const trm_piecewise *of = trm_system_changes(s->base.simulation->engine->system);
  trm_report_place(diagnostics, TRM_ERROR,
                   of ? trm_origin_place(s->base.simulation->engine->model, of->origin)
                      : (trm_place){0},
                   "t = %.9g: the formula of '%s' %s: the motion has no derivatives there", s->t,
                   of ? of->owner : "a force", why);
  return TRM_FAILED;
}

/* A formula goes to its next piece, at a time that moves with the parameters: derivatives jump by
 * what the rates do, which is nothing where it only bends. */
static trm_status change_piece(variation *s, double h, trm_diagnostics *diagnostics) {
  unsigned long old = s->base.branch;
  double ahead = 4 * DBL_EPSILON * (s->t + h);
  for (int k = 0; k < s->count; k++)
    if (!trm_neighbours_switch(&s->by[k], s->t, s->settings.duration, &s->drift[k]))
      return refuse_switch(s, "comes to the end of its piece without going beyond", diagnostics);
  memcpy(s->before, s->k, (size_t)s->block * sizeof(double));
  trm_status status = hold(s, ahead);
  while (status == TRM_OK && s->base.branch == old && (ahead *= 4) < h) status = hold(s, ahead);
  if (status != TRM_OK) return status;
  int count = s->count;
  s->count = 0;
  memcpy(s->stage, s->y, (size_t)s->size * sizeof(double));
  const trm_system *bad = rates(s, s->t, s->y, true, s->k);
  s->count = count;
  if (bad) return fail(bad, diagnostics);
  bool struck = trm_variant_is_struck(&s->base, s->stage, s->y);
  memcpy(s->stage, s->y, (size_t)s->size * sizeof(double));
  trm_axpy(s->size, 2 * ahead, s->k, s->stage);
  if (trm_variant_leaves_branches(&s->base, s->t + 2 * ahead, s->stage))
    return refuse_switch(s, "drives the motion back to where it changes", diagnostics);
  if (struck) status = carry_over(s, -1, true, diagnostics);
  if (status != TRM_OK) return status;
  for (int k = 0; k < s->count; k++) {
    double *slope = derivative(s, s->y, k);
    int first = struck ? s->size : 0; /* the others are behind the blow already */
    trm_axpy(s->block - first, s->drift[k], s->before + first, slope + first);
    trm_axpy(s->block, -s->drift[k], s->k, slope);
  }
  bad = rates(s, s->t, s->y, true, s->k);
  return bad ? fail(bad, diagnostics) : TRM_OK;
}

static trm_status fire(variation *s, double h, trm_diagnostics *diagnostics) {
  const trm_model *model = s->base.simulation->engine->model;
  int first = 0, count = model->event_count > 0 ? count_passed(s, s->t, s->y, &first) : 0;
  if (count > 1) return refuse_event(s, first, "comes together with another one", diagnostics);
  if (count > 0 && s->leaves)
    return refuse_event(s, first, "comes together with a change of a formula's piece", diagnostics);
  if (count == 0 && model->event_count > 0) leave_zero(s, s->t, s->y);
  if (count > 0) {
    const trm_event *e = &model->events[first];
    if (e->stop && e->set_count > 0)
      return refuse_event(s, first, "stops the run and sets states", diagnostics);
    return (e->stop ? stop : jump)(s, first, diagnostics);
  }
  if (s->leaves) return change_piece(s, h, diagnostics);
  /* what watching has left behind */
  const trm_system *bad = model->event_count > 0 ? rates(s, s->t, s->y, true, s->k) : NULL;
  return bad ? fail(bad, diagnostics) : TRM_OK;
}

static trm_status accept(variation *s, double end, trm_diagnostics *diagnostics) {
  double h = end - s->t;
  s->t = end;
  memcpy(s->y, s->stage, (size_t)s->total * sizeof(double));
  trm_status status = TRM_OK;
  if (!s->base.holds) status = trm_variant_refuse_switch(&s->base, s->t, s->y, diagnostics);
  if (status != TRM_OK) return status;
  const trm_system *bad = rates(s, s->t, s->y, true, s->k);
  if (bad) return fail(bad, diagnostics);
  commit(s);
  tell(s);
  status = fire(s, h, diagnostics);
  for (int k = 0; k < s->count && status == TRM_OK && !s->stopped; k++)
    status = approach(s, k, diagnostics);
  return status;
}

static trm_status integrate(variation *s, trm_diagnostics *diagnostics) {
  double duration = s->settings.duration, h = duration / 1000;
  const trm_system *bad = rates(s, 0, s->y, true, s->k);
  if (bad) return fail(bad, diagnostics);
  commit(s);
  trm_status status = trm_variant_refuse_switch(&s->base, s->t, s->y, diagnostics);
  const trm_system *sys = s->base.simulation->engine->system;
  if (status == TRM_OK && trm_system_has_branches(sys) && trm_system_can_fix_branches(sys))
    status = hold(s, SMALLEST * duration);
  tell(s);
  leave_zero(s, s->t, s->y);
  while (status == TRM_OK && s->t < duration && !s->stopped) {
    status = trm_asked_go_on(s->asked, s->t, s->t / duration);
    if (status != TRM_OK) return status;
    double error = INFINITY, planned = h, until = fmin(next_time(s), duration), ignored;
    bool last = s->t + 1.0001 * h >= until;
    if (last) h = until - s->t;
    choose_scales(s, h);
    bad = attempt(s, h, &error);
    double to_event = h;
    /* in and out again within the step: its first part is looked at first */
    if (!bad && s->off_branch < h && !trm_variant_leaves_branches(&s->base, s->t + h, s->stage)) {
      h = s->off_branch;
      if (h < SMALLEST * duration)
        return refuse_switch(s, "only touches another piece", diagnostics);
      continue;
    }
    if (!bad && error <= 1) bad = locate(s, &to_event);
    if (!bad && to_event < h) bad = attempt(s, to_event, &ignored);
    if (!bad && error <= 1)
      status = accept(s, last && to_event == h ? until : s->t + to_event, diagnostics);
    /* cut off by what is told there: the next may be as long as this was to be */
    if (!bad && error <= 1 && last && until < duration && planned > h) {
      h = planned;
      continue;
    }
    double factor = bad || !isfinite(error) ? 0.2 : 0.9 * pow(fmax(error, 1e-12), -1 / 8.0);
    h *= fmin(6, fmax(0.2, factor));
    if (h >= SMALLEST * duration) continue;
    if (bad) return fail(bad, diagnostics);
    trm_report(diagnostics, TRM_ERROR,
               "t = %.9g: steps become too small; the motion is singular there, a force is not "
               "smooth, or rtol is too tight",
               s->t);
    return TRM_FAILED;
  }
  return status;
}

static trm_status finish(variation *s, double *value, double *gradient,
                         trm_diagnostics *diagnostics) {
  const trm_system *bad = rates(s, s->t, s->y, true, s->k);
  if (bad) return fail(bad, diagnostics);
  double finite = 0;
  read_values(s, value, gradient);
  for (int i = 0; i < s->asked->count; i++) finite += 0 * value[i];
  for (int i = 0; i < s->asked->count * s->count; i++) finite += 0 * gradient[i];
  if (finite == 0) return TRM_OK;
  trm_report(diagnostics, TRM_ERROR, "the value or its derivatives are not finite");
  return TRM_FAILED;
}

static trm_status work(variation *s, const trm_model *model, const char *const *parameters,
                       trm_diagnostics *diagnostics) {
  s->by = TRM_NEW(s->arena, trm_neighbours, s->count + 1);
  if (!s->by) return TRM_NO_MEMORY;
  for (int k = 0; k < s->count; k++)
    trm_neighbours_name(&s->by[k], model, parameters[k], &trm_six_sides);
  trm_status status =
      trm_variant_create(&s->base, model, false, &s->settings, s->asked, diagnostics);
  if (status != TRM_OK) return status;
  if (!create_arrays(s)) return TRM_NO_MEMORY;
  status = begin(s, diagnostics);
  return status == TRM_OK ? integrate(s, diagnostics) : status;
}

trm_status trm_differentiate_forward(const trm_model *model, const trm_settings *settings,
                                     const trm_asked *asked, int count,
                                     const char *const *parameters, double *value, double *gradient,
                                     trm_diagnostics *diagnostics) {
  variation s = {.arena = trm_arena_create(),
                 .asked = asked,
                 .count = count,
                 .settings = *settings,
                 .rtol = settings->rtol,
                 .atol = settings->atol};
  trm_status status = TRM_NO_MEMORY;
  if (s.arena) {
    status = work(&s, model, parameters, diagnostics);
    if (status == TRM_OK) status = finish(&s, value, gradient, diagnostics);
    for (int k = 0; s.by && k < count; k++) trm_neighbours_free(&s.by[k]);
    trm_variant_free(&s.base);
  }
  trm_arena_destroy(s.arena);
  return status;
}
