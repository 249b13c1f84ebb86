/* A run kept for those who go back along it. */
#include "analysis/trace.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 40 };
#define JUMP    1e-8 /* of the rates: less is no jump */
#define LOCATED 1e-9 /* of a step: so far from its end a formula is still on its piece */

trm_gauss trm_gauss_method(void) {
  static const double place[TRM_NODES] = {-0.86113631159405258, -0.33998104358485626,
                                          0.33998104358485626, 0.86113631159405258};
  static const double weight[TRM_NODES] = {0.34785484513745386, 0.65214515486254614,
                                           0.65214515486254614, 0.34785484513745386};
  trm_gauss g;
  for (int i = 0; i < TRM_NODES; i++) {
    g.c[i] = (1 + place[i]) / 2;
    g.b[i] = weight[i] / 2;
  }
  /* a[i][j] = ∫ of the j-th Lagrange polynomial from 0 to c[i], exactly by the same points */
  for (int i = 0; i < TRM_NODES; i++)
    for (int j = 0; j < TRM_NODES; j++) {
      g.a[i][j] = 0;
      for (int k = 0; k < TRM_NODES; k++) {
        double l = 1;
        for (int n = 0; n < TRM_NODES; n++)
          if (n != j) l *= (g.c[i] * g.c[k] - g.c[n]) / (g.c[j] - g.c[n]);
        g.a[i][j] += g.c[i] * g.b[k] * l;
      }
    }
  return g;
}

static bool grow_times(trm_trace *t) {
  if (t->steps < t->times) return true;
  t->times = t->times ? 2 * t->times : 64;
  double *time = realloc(t->time, ((size_t)t->times + 1) * sizeof(double));
  if (time) t->time = time;
  return time != NULL;
}

/* Of a step. */
static size_t state_bytes(const trm_trace *t) {
  return (size_t)t->size * TRM_NODES * sizeof(double);
}

static bool grow_piece(trm_trace *t) {
  if (t->steps - t->first < t->capacity) return true;
  int room = t->capacity ? 2 * t->capacity : 64;
  t->capacity = room < t->most ? room : t->most;
  size_t count = (size_t)t->capacity;
  double *states = realloc(t->states, count * state_bytes(t));
  if (states) t->states = states;
  char *turns = realloc(t->turns, (count + 1) * t->bytes);
  if (turns) t->turns = turns;
  return states && turns;
}

/* The whole piece at hand, for the way back. */
static void put_away(trm_trace *t) {
  size_t steps = (size_t)t->most;
  int part = t->first / t->most;
  if (part == 0) t->spill = trm_spill_create(steps * state_bytes(t), steps * t->bytes);
  if (t->spill && trm_spill_write(t->spill, part, t->states, t->turns)) return;
  trm_spill_free(t->spill);
  t->spill = NULL;
}

/* What is at hand is left for the next piece, which begins where the engine is. */
static bool begin_piece(trm_trace *t, const trm_engine *e) {
  if (t->steps > 0) put_away(t);
  size_t before = (size_t)(t->steps / t->most) * t->whole;
  char *starts = realloc(t->starts, before + t->whole);
  if (!starts) return false;
  t->starts = starts;
  t->first = t->steps;
  trm_kept_save(e->arena, starts + before);
  return true;
}

static bool make_room(trm_trace *t, const trm_engine *e) {
  bool begins = t->steps % t->most == 0;
  return (!begins || begin_piece(t, e)) && grow_times(t) && grow_piece(t);
}

void trm_trace_free(trm_trace *t) {
  free(t->time);
  free(t->states);
  free(t->turns);
  free(t->starts);
  free(t->here);
  free(t->room);
  trm_spill_free(t->spill);
  for (int i = 0; i < t->jump_count; i++) free(t->jumps[i].before);
  free(t->jumps);
  trm_arena_destroy(t->counted);
  *t = (trm_trace){0};
}

void trm_trace_declare(trm_system *sys, trm_arena *arena) {
  trm_system_keep_turns(sys, arena);
  trm_keep(arena, sys->event_records, (size_t)sys->model->event_count * sizeof *sys->event_records);
}

/* At the end of the step at hand, from `before` to where the engine is. */
static bool add_jump(trm_trace *t, const trm_engine *e, trm_jump jump, const double *before) {
  if (t->jump_count > 0 && t->jumps[t->jump_count - 1].step >= t->steps) return true; /* again */
  size_t size = (size_t)t->size * sizeof(double);
  trm_jump *jumps = realloc(t->jumps, ((size_t)t->jump_count + 1) * sizeof *jumps);
  if (jumps) t->jumps = jumps;
  jump.before = malloc(2 * size + t->bytes);
  if (!jumps || !jump.before) {
    free(jump.before);
    return false;
  }
  jump.step = t->steps;
  jump.after = jump.before + t->size;
  jump.turns = (char *)(jump.after + t->size);
  memcpy(jump.before, before, size);
  memcpy(jump.after, e->y, size);
  trm_kept_save(t->counted, jump.turns);
  jumps[t->jump_count++] = jump;
  return true;
}

static trm_status fail(const trm_system *sys, trm_diagnostics *diagnostics) {
  trm_report_place(diagnostics, TRM_ERROR, sys->place, "%s", sys->error);
  return TRM_FAILED;
}

/* Behind a singular position there is another motion. */
static trm_status check(trm_variant *v, trm_diagnostics *diagnostics) {
  trm_engine *e = v->simulation->engine;
  if (trm_solver_is_regular(e->solver)) return TRM_OK;
  trm_report(diagnostics, TRM_ERROR,
             "t = %.6g: the position is singular: the motion has no derivatives by parameters "
             "there",
             e->t);
  return TRM_FAILED;
}

static unsigned long piece(const trm_variant *v, double t, const double *y) {
  trm_engine *e = v->simulation->engine;
  return trm_system_branch(e->system, t, y, y + e->dynamics.at.v);
}

/* Whether the rates at (t, y) are the same on the piece there and on that of another state, but for
 * how well the place is known; room [2 size]. */
static bool is_bend(trm_variant *v, double t, const double *y, double other, const double *there,
                    double *room) {
  trm_engine *e = v->simulation->engine;
  trm_system *sys = e->system;
  int at = e->dynamics.at.v, size = e->dynamics.size;
  double *here = room, *rates = room + size, most = 0, jump = 0;
  if (!trm_dynamics_evaluate(&e->dynamics, t, y, here) ||
      !trm_system_fix_branches(sys, other, there, there + at))
    return false;
  bool good = trm_dynamics_evaluate(&e->dynamics, t, y, rates);
  trm_system_free_branches(sys);
  for (int i = at; i < size - 1; i++) {
    most = fmax(most, fabs(rates[i]) + fabs(here[i]));
    jump = fmax(jump, fabs(rates[i] - here[i]));
  }
  return good && jump <= JUMP * most;
}

/* A bend that the step before has not quite come to is at its end: this one is on the next piece.
 */
static void pass_bend(const trm_trace *t, trm_variant *v, double from) {
  const trm_engine *e = v->simulation->engine;
  double behind = from + LOCATED * (e->t - from), *start = t->room, *there = start + t->size;
  trm_integrator_interpolate(v->simulation->integrator, from, start);
  trm_integrator_interpolate(v->simulation->integrator, behind, there);
  unsigned long next = piece(v, behind, there);
  if (next != v->branch && is_bend(v, from, start, behind, there, there + t->size))
    v->branch = next;
}

/* A formula may bend or jump at the end of a step, and only there: the tangents are those of one
 * piece at all points of it. */
static bool is_on_one_piece(const trm_trace *t, trm_variant *v, double from) {
  trm_engine *e = v->simulation->engine;
  double just_before = e->t - LOCATED * (e->t - from);
  trm_gauss gauss = trm_gauss_method();
  for (int i = 0; i < TRM_NODES; i++)
    if (piece(v, from + gauss.c[i] * (e->t - from), trm_trace_state(t, t->steps, i)) != v->branch)
      return false;
  if (piece(v, e->t, e->y) == v->branch) return true;
  trm_integrator_interpolate(v->simulation->integrator, just_before, t->room);
  return piece(v, just_before, t->room) == v->branch;
}

/* On the piece of another state the velocities would be others. */
static bool is_struck(trm_variant *v, double other, const double *there, double *room) {
  trm_engine *e = v->simulation->engine;
  int size = e->dynamics.size;
  memcpy(room, e->y, (size_t)size * sizeof(double));
  if (!trm_system_fix_branches(e->system, other, there, there + e->dynamics.at.v)) return true;
  bool good = trm_dynamics_correct(&e->dynamics, e->t, room, room + size);
  trm_system_free_branches(e->system);
  return !good || trm_variant_is_struck(v, room, e->y);
}

static trm_status refuse_piece(const trm_engine *e, const char *what,
                               trm_diagnostics *diagnostics) {
  trm_report(diagnostics, TRM_ERROR, "t = %.6g: %s", e->t, what);
  return TRM_FAILED;
}

/* Where it jumps μ does, too. */
static trm_status change_piece(trm_trace *t, trm_variant *v, double from,
                               trm_diagnostics *diagnostics) {
  trm_engine *e = v->simulation->engine;
  if (!trm_system_has_branches(e->system)) return TRM_OK;
  double just_before = e->t - LOCATED * (e->t - from), *room = t->room + t->size;
  bool good = is_on_one_piece(t, v, from), known = trm_system_can_fix_branches(e->system);
  bool kept = true, struck = false;
  unsigned long before = v->branch;
  v->branch = piece(v, e->t, e->y);
  if (good && known && v->branch != before) {
    trm_integrator_interpolate(v->simulation->integrator, just_before, t->room);
    struck = is_struck(v, just_before, t->room, room);
    if (!struck && !is_bend(v, e->t, e->y, just_before, t->room, room)) {
      good = !trm_events_are_due(v->simulation->integrator);
      kept = !good || add_jump(t, e, (trm_jump){.event = -1, .t = just_before}, t->room);
    }
  }
  bool changes = !good || v->branch != before;
  trm_engine_return(e);
  if (!kept) return TRM_NO_MEMORY;
  if (struck)
    return refuse_piece(
        e,
        "the rate of a driver jumps, a blow: the adjoint does not go back over that; the "
        "method 'forward' does",
        diagnostics);
  if (changes && !known)
    return refuse_piece(
        e,
        "a formula goes to its next piece: derivatives are not taken through that in "
        "surfaces of straight pieces; cubic ones have none",
        diagnostics);
  if (good) return TRM_OK;
  return refuse_piece(e,
                      "a formula changes its piece in passing: the adjoint does not go back over "
                      "that; the method 'forward' does",
                      diagnostics);
}

static void begin_branch(trm_variant *v) {
  const trm_engine *e = v->simulation->engine;
  if (trm_system_has_branches(e->system)) v->branch = piece(v, e->t, e->y);
}

/* ---- events ---- */

static int count_fired(const trm_system *sys, const trm_event_record *before, int *last) {
  int count = 0;
  for (int i = 0; i < sys->model->event_count; i++) {
    if (sys->event_records[i].count == before[i].count) continue;
    count += (int)(sys->event_records[i].count - before[i].count);
    *last = i;
  }
  return count;
}

static trm_status refuse(const trm_engine *e, int event, const char *why,
                         trm_diagnostics *diagnostics) {
  const trm_event *of = &e->model->events[event];
  trm_report_place(diagnostics, TRM_ERROR, trm_origin_place(e->model, of->origin),
                   "t = %.9g: event '%s' %s: the motion has no derivatives there", e->t, of->name,
                   why);
  return TRM_FAILED;
}

/* One at a time. */
static trm_status fire(trm_trace *t, trm_variant *v, trm_diagnostics *diagnostics) {
  trm_simulation *sim = v->simulation;
  trm_engine *e = sim->engine;
  trm_system *sys = e->system;
  size_t records = (size_t)e->model->event_count * sizeof *sys->event_records;
  if (!trm_events_are_due(sim->integrator)) return TRM_OK;
  trm_event_record *before = malloc(records);
  if (!before) return TRM_NO_MEMORY;
  memcpy(before, sys->event_records, records);
  memcpy(v->y, e->y, (size_t)t->size * sizeof(double));
  trm_status status = trm_simulation_fire(sim, diagnostics);
  int event = 0, count = count_fired(sys, before, &event);
  free(before);
  if (status != TRM_OK) return status;
  const trm_event *of = &e->model->events[event];
  if (count != 1) return refuse(e, event, "comes together with another one", diagnostics);
  if (of->stop && of->set_count > 0)
    return refuse(e, event, "stops the run and sets states", diagnostics);
  begin_branch(v);
  const trm_jump jump = {.event = event, .stop = of->stop, .t = e->t};
  return add_jump(t, e, jump, v->y) ? TRM_OK : TRM_NO_MEMORY;
}

static void keep(trm_trace *t, const trm_engine *e) {
  t->time[t->steps] = e->t;
  trm_kept_save(t->counted, t->turns + (size_t)(t->steps - t->first) * t->bytes);
}

/* The step as the integrator takes it, and its states at Gauss's points. */
static trm_status move(trm_trace *t, trm_variant *v, const trm_gauss *gauss, double until,
                       trm_diagnostics *diagnostics) {
  trm_simulation *sim = v->simulation;
  trm_engine *e = sim->engine;
  double from = e->t;
  trm_status status = trm_simulation_move(sim, until, diagnostics);
  if (status == TRM_OK) status = check(v, diagnostics);
  if (status != TRM_OK) return status;
  if (!trm_integrator_complete(sim->integrator, &e->dynamics)) return fail(e->system, diagnostics);
  bool driven = trm_system_is_driven(e->system);
  for (int i = 0; i < TRM_NODES; i++) {
    double time = from + gauss->c[i] * (e->t - from);
    double *y = (double *)trm_trace_state(t, t->steps, i);
    trm_integrator_interpolate(sim->integrator, time, y);
    /* where drivers lead the motion steps are long, and their ends are put right */
    if (driven && !trm_dynamics_correct(&e->dynamics, time, y, e->at))
      return fail(e->system, diagnostics);
  }
  return TRM_OK;
}

/* Where the integrator passes over a bend that does not matter to it, a shorter step may not. */
static trm_status step(trm_trace *t, trm_variant *v, const trm_gauss *gauss, double duration,
                       trm_diagnostics *diagnostics) {
  trm_engine *e = v->simulation->engine;
  double from = e->t, until = duration;
  bool pieces = trm_system_has_branches(e->system);
  keep(t, e);
  if (pieces) trm_kept_save(e->arena, t->here);
  trm_status status = move(t, v, gauss, until, diagnostics);
  if (pieces && status == TRM_OK && trm_system_can_fix_branches(e->system)) pass_bend(t, v, from);
  for (int i = 0; i < HALVINGS && pieces && status == TRM_OK && !is_on_one_piece(t, v, from); i++) {
    until = from + (e->t - from) / 2;
    trm_simulation_put_back(v->simulation, t->here, t->whole);
    status = move(t, v, gauss, until, diagnostics);
  }
  if (status == TRM_OK) status = change_piece(t, v, from, diagnostics);
  if (status == TRM_OK) status = fire(t, v, diagnostics);
  t->steps++;
  return status;
}

trm_status trm_trace_run(trm_trace *t, trm_variant *variant, const trm_asked *asked,
                         double duration, size_t room, trm_diagnostics *diagnostics) {
  trm_engine *e = variant->simulation->engine;
  trm_gauss gauss = trm_gauss_method();
  *t = (trm_trace){.size = e->dynamics.size,
                   .counted = trm_arena_create(),
                   .whole = trm_kept_size(e->arena),
                   .duration = duration};
  t->here = malloc(t->whole);
  t->room = calloc(4 * (size_t)t->size, sizeof(double));
  if (!t->counted || !t->here || !t->room) return TRM_NO_MEMORY;
  trm_trace_declare(e->system, t->counted);
  t->bytes = trm_kept_size(t->counted);
  if (t->bytes == 0 || t->whole == 0) return TRM_NO_MEMORY;
  size_t most = room / (t->bytes + state_bytes(t));
  t->most = most < 1 ? 1 : most < INT_MAX / 4 ? (int)most : INT_MAX / 4;
  trm_status status = check(variant, diagnostics);
  begin_branch(variant);
  while (status == TRM_OK && e->t < duration && !trm_simulation_stopped(variant->simulation)) {
    if (!make_room(t, e)) return TRM_NO_MEMORY;
    status = trm_asked_go_on(asked, e->t, e->t / (2 * duration));
    if (status == TRM_OK) status = step(t, variant, &gauss, duration, diagnostics);
  }
  if (status != TRM_OK) return status;
  if (t->steps == 0 && !make_room(t, e)) return TRM_NO_MEMORY;
  keep(t, e);
  memcpy(variant->y, e->y, (size_t)t->size * sizeof(double));
  return TRM_OK;
}

trm_status trm_trace_reach(trm_trace *t, trm_variant *variant, int at,
                           trm_diagnostics *diagnostics) {
  trm_gauss gauss = trm_gauss_method();
  trm_status status = TRM_OK;
  int steps = t->steps, part = at / t->most, last = (part + 1) * t->most;
  if (part == t->first / t->most) return TRM_OK;
  if (last > steps) last = steps;
  if (t->spill && trm_spill_read(t->spill, part, t->states, t->turns)) {
    t->first = part * t->most;
    return TRM_OK;
  }
  trm_simulation_put_back(variant->simulation, t->starts + (size_t)part * t->whole, t->whole);
  begin_branch(variant);
  t->first = t->steps = part * t->most;
  while (status == TRM_OK && t->steps < last)
    status = step(t, variant, &gauss, t->duration, diagnostics);
  t->steps = steps;
  return status;
}
