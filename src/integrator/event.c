/* Events: found between the ends of a step, met by a step to there, then fired.
 *
 * An event is passed where its formula has left one side of zero strictly and is strictly on the
 * other; zero itself is on neither. So it does not fire where it starts at zero, touches it and
 * turns back, or is set to zero by what it does itself: it must leave zero first. */
#include "integrator/event.h"
#include "integrator/search.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define MOST    1000    /* times within one step */
#define SAMPLES 4       /* of a step, evenly; crossings in pairs between two of them are not seen */
#define SHORT   0.125   /* of a step: events are so dense that the next may be shorter */
#define LEAST   1e-11   /* of t: no step need be shorter */
#define NEAR    0x1p-48 /* of a step: where it is first asked which way something leaves zero */
#define SAME    (8 * DBL_EPSILON) /* of t: two crossings that are no farther apart are one */

bool trm_integrator_watch(trm_integrator *in, trm_dynamics *d, trm_arena *arena) {
  int count = d->system->model->event_count;
  if (count == 0) return true;
  trm_events *own = in->events = TRM_NEW(arena, trm_events, 1);
  if (!own) return false;
  own->count = count;
  own->until = -INFINITY;
  own->side = TRM_KEEP_NEW(arena, int, count);
  own->fired = TRM_KEEP_NEW(arena, int, count);
  own->due = TRM_KEEP_NEW(arena, int, count);
  own->from = TRM_NEW(arena, int, count);
  own->value = TRM_NEW(arena, double, count);
  own->before = TRM_NEW(arena, double, count);
  own->reach = TRM_NEW(arena, double, count);
  own->rests = TRM_KEEP_NEW(arena, bool, count);
  own->at = TRM_NEW(arena, double, in->size);
  TRM_KEEP(arena, own->until);
  TRM_KEEP(arena, own->pending);
  return !trm_arena_failed(arena);
}

static int sign_of(double x) {
  return (x > 0) - (x < 0);
}

static void watch(trm_events *own, trm_dynamics *d, double t, const double *y) {
  trm_system_watch(d->system, t, y, y + d->at.v, own->value);
}

static bool are_finite(trm_events *own, trm_dynamics *d, double t) {
  trm_system *sys = d->system;
  for (int i = 0; i < own->count; i++) {
    if (isfinite(own->value[i])) continue;
    const trm_event *event = &sys->model->events[i];
    sys->place = trm_origin_place(sys->model, event->origin);
    return trm_system_fail(sys, t, "event '%s': the value of `when` is not a finite number",
                           event->name);
  }
  return true;
}

bool trm_events_begin(trm_integrator *in, trm_dynamics *d, double t, const double *y) {
  trm_events *own = in->events;
  if (!own) return true;
  watch(own, d, t, y);
  for (int i = 0; i < own->count; i++) own->side[i] = sign_of(own->value[i]);
  own->until = -INFINITY;
  own->pending = false;
  return are_finite(own, d, t);
}

/* How far an event is behind zero, in its direction; negative before it. */
static double depth(const trm_events *own, const trm_model *model, const int *from, int i) {
  static const int wanted[] = {[TRM_BOTH] = 0, [TRM_RISING] = -1, [TRM_FALLING] = 1};
  int side = from[i], only = wanted[model->events[i].direction];
  bool can = side != 0 && (only == 0 || side == only);
  return can ? -side * own->value[i] : -INFINITY;
}

/* What has fired is as far from zero as round-off, on either side: a search that took this for a
 * distance would look for it there, and find it again. */
static bool has_just_been(const trm_events *own, const trm_system *sys, int i, double t) {
  return t - sys->event_records[i].time <= (own->rests[i] ? SAME * fabs(t) : 0);
}

/* Of the first one; where it is above zero an event has been passed. */
static double deepest(const trm_events *own, const trm_system *sys, double t) {
  double most = -INFINITY;
  for (int i = 0; i < own->count; i++)
    if (!has_just_been(own, sys, i, t)) most = fmax(most, depth(own, sys->model, own->from, i));
  return most;
}

static void pass_on(trm_events *own, const trm_system *sys, double t, int *side) {
  for (int i = 0; i < own->count; i++) {
    int sign = sign_of(own->value[i]);
    if (sign != 0 && !has_just_been(own, sys, i, t)) side[i] = sign;
  }
}

static bool rests_at_zero(const trm_events *own, const int *side) {
  for (int i = 0; i < own->count; i++)
    if (side[i] == 0) return true;
  return false;
}

bool trm_events_are_at_zero(const trm_integrator *in) {
  return in->events && rests_at_zero(in->events, in->events->side);
}

/* The step from t to `end`, taken by `step`. */
typedef struct span {
  trm_integrator *in;
  trm_dynamics *d;
  trm_step step;
  double t, end;
  const double *y, *ydot;
} span;

/* SUNDIALS has an interpolant; the cubic through both ends is good enough to see a crossing. */
static void between(const trm_integrator *in, const span *p, double s, double *at) {
  double u = 1 - s, h = p->end - p->t;
  if (in->type->interpolate && !in->substituted) {
    trm_integrator_interpolate(in, p->t + s * h, at);
    return;
  }
  for (int i = 0; i < in->size; i++) {
    double rise = in->trial[i] - p->y[i], first = h * p->ydot[i], last = h * in->rates[i];
    at[i] = p->y[i] + s * (rise + u * (u * (first - rise) - s * (last - rise)));
  }
}

/* Whether an event is passed at a share s of the step; *at moves there where none is. */
static bool is_passed(trm_integrator *in, trm_dynamics *d, const span *p, double s,
                      trm_bracket *at) {
  trm_events *own = in->events;
  double t = s < 1 ? p->t + s * (p->end - p->t) : p->end;
  if (s < 1) between(in, p, s, own->at);
  watch(own, d, t, s < 1 ? own->at : in->trial);
  double sum = 0;
  for (int i = 0; i < own->count; i++) sum += 0 * own->value[i];
  if (sum != 0) return false; /* the cubic may have left a domain; the end counts */
  at->high = t;
  at->above = deepest(own, d->system, t);
  if (at->above > 0) return true;
  pass_on(own, d->system, t, own->from);
  at->low = t;
  at->below = deepest(own, d->system, t);
  return false;
}

/* The first stretch of a step in which an event is passed. */
static bool find_stretch(trm_integrator *in, trm_dynamics *d, const span *p, trm_bracket *at) {
  trm_events *own = in->events;
  memcpy(own->from, own->side, (size_t)own->count * sizeof(int));
  watch(own, d, p->t, p->y);
  *at = (trm_bracket){.low = p->t, .below = deepest(own, d->system, p->t), .seen = p->end};
  for (double s = NEAR; s < 1.0 / SAMPLES && rests_at_zero(own, own->from); s *= 4)
    if (is_passed(in, d, p, s, at)) return true;
  for (int k = 1; k <= SAMPLES; k++)
    if (is_passed(in, d, p, (double)k / SAMPLES, at)) return true;
  return false;
}

static void plan(trm_integrator *in, double h) {
  in->next = h;
  if (in->stiffness && in->stiffness->stiffly) in->stiffness->other->next = h;
  if (in->substitute) in->substitute->next = h;
}

/* How deep the first event is at a time within the step, by the state from which the motion would
 * go on there: SUNDIALS by its history, corrected, since the correction may lead back over zero;
 * all others by a step to there, which may end before. */
static bool visit(void *of, double *t, double *how_deep) {
  const span *p = of;
  trm_integrator *in = p->in;
  trm_events *own = in->events;
  if (in->type->interpolate) {
    trm_integrator_interpolate(in, *t, own->at);
    if (!trm_dynamics_correct(p->d, *t, own->at, in->rates)) return false;
  } else {
    double h = *t - p->t;
    trm_integrator_restart(in);
    plan(in, p->end - p->t);
    if (!p->step(in, p->d, p->t, t, h, p->y, p->ydot)) return false;
  }
  watch(own, p->d, *t, in->type->interpolate ? own->at : in->trial);
  *how_deep = deepest(own, p->d->system, *t);
  return true;
}

/* The bracket as states to go on from have it, not the cubic. False: a step failed. */
static bool confirm(span *p, trm_bracket *at) {
  double how_deep;
  if (at->high < p->end) {
    at->seen = at->high;
    if (!visit(p, &at->seen, &at->above)) return false;
    at->high = at->seen;
  }
  if (at->low <= p->t || at->above <= 0) return true;
  at->seen = at->low;
  if (!visit(p, &at->seen, &how_deep)) return false;
  if (how_deep > 0)
    *at = (trm_bracket){p->t, at->seen, -how_deep, how_deep, at->seen};
  else
    *at = (trm_bracket){at->seen, at->high, how_deep, at->above, at->seen};
  return true;
}

/* To just behind the first event: trial is there, or before it where the method does not come so
 * far in one step: the next one will meet it. False: a step failed. */
static bool close_in(span *p, trm_bracket *at) {
  double how_deep;
  /* however near, it is ahead: a step must move on */
  at->high = fmin(fmax(at->high, p->t + 4 * DBL_EPSILON * fabs(p->t) + DBL_MIN), p->end);
  if (!confirm(p, at)) return false;
  if (!trm_search(at, 4 * DBL_EPSILON * fabs(at->high) + DBL_MIN, 0, visit, p)) return false;
  bool there = at->above <= 0 || at->seen == at->high || at->seen < at->low;
  if (!there) at->seen = at->high;
  bool unseen =
      p->in->type->interpolate && at->seen == p->end; /* trial is there, `at` may not be */
  return (there && !unseen) || visit(p, &at->seen, &how_deep);
}

/* A new step begins for who counts firings. Where events are dense, steps become shorter. */
static void open_step(trm_events *own, const span *p) {
  double end = p->t + fmax(p->end - p->t, LEAST * fmax(fabs(p->t), 1e-6));
  if (p->t >= own->until) {
    own->until = end;
    memset(own->fired, 0, (size_t)own->count * sizeof(int));
  }
  own->until = fmin(own->until, end);
}

bool trm_events_locate(trm_integrator *in, trm_dynamics *d, trm_step step, double t, double *end,
                       const double *y, const double *ydot) {
  trm_events *own = in->events;
  const trm_model *model = d->system->model;
  span p = {in, d, step, t, *end, y, ydot};
  trm_bracket at;
  open_step(own, &p);
  own->pending = false;
  if (in->type->interpolate && !trm_integrator_complete(in, d)) return false;
  if (!find_stretch(in, d, &p, &at)) {
    if (!are_finite(own, d, p.end)) return false;
    memcpy(own->side, own->from, (size_t)own->count * sizeof(int));
    return trm_dynamics_evaluate(d, p.end, in->trial, in->rates);
  }
  if (!close_in(&p, &at)) return false;
  *end = at.seen;
  if (!are_finite(own, d, *end)) return false;
  for (int i = 0; i < own->count; i++) {
    bool counts = !has_just_been(own, d->system, i, *end);
    own->due[i] = counts && depth(own, model, own->from, i) > 0;
    own->pending |= own->due[i];
    int sign = sign_of(own->value[i]);
    own->side[i] = own->due[i] || sign == 0 || !counts ? own->from[i] : sign;
  }
  double whole = p.end - t;
  plan(in, fmax(*end - t < SHORT * whole ? whole / 2 : whole, LEAST * fabs(t)));
  if (in->type->interpolate) {
    memcpy(in->trial, own->at, (size_t)in->size * sizeof(double));
    in->fresh = true;
  }
  return trm_dynamics_evaluate(d, *end, in->trial, in->rates);
}

static bool is_zeno(trm_events *own, trm_dynamics *d, int i, double t) {
  trm_system *sys = d->system;
  const trm_event *event = &sys->model->events[i];
  if (++own->fired[i] < MOST) return false;
  sys->place = trm_origin_place(sys->model, event->origin);
  return !trm_system_fail(sys, t,
                          "event '%s' fires again and again, %d times within one step: time would "
                          "stand still (Zeno); what it sets must keep it away from zero for a "
                          "while",
                          event->name, MOST);
}

/* One event, and what its changes make others pass. */
static bool fire(trm_events *own, trm_dynamics *d, int i, double t, double *y) {
  trm_system *sys = d->system;
  const trm_event *event = &sys->model->events[i];
  watch(own, d, t, y);
  double before = own->value[i];
  if (is_zeno(own, d, i, t) || !trm_system_set_states(sys, i, t, y, y + d->at.v)) return false;
  sys->event_records[i] = (trm_event_record){sys->event_records[i].count + 1, t};
  own->due[i] = false;
  if (event->stop && !own->stopped) own->stopped = i + 1;
  watch(own, d, t, y);
  /* its own change is no crossing of its own */
  bool moves = own->value[i] != before;
  own->rests[i] = moves && own->value[i] != 0 && fabs(own->value[i]) <= own->reach[i];
  own->side[i] = !moves ? -own->side[i] : own->rests[i] ? 0 : sign_of(own->value[i]);
  own->value[i] = 0;
  for (int k = 0; k < own->count; k++)
    own->due[k] = own->due[k] || depth(own, sys->model, own->side, k) > 0;
  for (int k = 0; k < own->count; k++)
    if (!own->due[k] && own->value[k] != 0) own->side[k] = sign_of(own->value[k]);
  return are_finite(own, d, t);
}

/* By how much values change within the time that tells two crossings apart. */
static void find_reach(trm_events *own, trm_dynamics *d, double t, const double *y,
                       const double *ydot) {
  double h = SAME * fabs(t);
  watch(own, d, t, y);
  memcpy(own->reach, own->value, (size_t)own->count * sizeof(double));
  memcpy(own->at, y, (size_t)d->size * sizeof(double));
  trm_axpy(d->size, h, ydot, own->at);
  watch(own, d, t + h, own->at);
  for (int i = 0; i < own->count; i++) own->reach[i] = fabs(own->value[i] - own->reach[i]);
}

bool trm_events_are_due(const trm_integrator *in) {
  return in->events && in->events->pending;
}

bool trm_events_fire(trm_integrator *in, trm_dynamics *d, double t, double *y, double *ydot) {
  trm_events *own = in->events;
  if (!own) return true;
  own->stopped = 0;
  if (!own->pending) return true;
  find_reach(own, d, t, y, ydot);
  for (bool any = true; any;) {
    any = false;
    for (int i = 0; i < own->count; i++) {
      if (!own->due[i]) continue;
      any = true;
      if (!fire(own, d, i, t, y)) return false;
    }
  }
  own->pending = false;
  trm_integrator_restart(in);
  return trm_dynamics_correct(d, t, y, ydot);
}

void trm_events_set_input(trm_integrator *in, trm_dynamics *d, double t, const double *y, int input,
                          double value) {
  trm_events *own = in->events;
  trm_given_input *taken = &d->system->given_inputs[input];
  if (own) watch(own, d, t, y);
  if (own) memcpy(own->before, own->value, (size_t)own->count * sizeof(double));
  *taken = (trm_given_input){true, value};
  if (!own) return;
  watch(own, d, t, y);
  for (int i = 0; i < own->count; i++) {
    if (own->value[i] == own->before[i]) continue;
    own->due[i] = own->due[i] || depth(own, d->system->model, own->side, i) > 0;
    own->pending |= own->due[i];
    if (!own->due[i] && own->value[i] != 0) own->side[i] = sign_of(own->value[i]);
  }
}

int trm_events_stopped(const trm_integrator *in) {
  return in->events ? in->events->stopped - 1 : -1;
}
