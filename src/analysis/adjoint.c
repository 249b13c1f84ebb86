/* Derivatives of a run by any number of parameters, backwards along it. With ẏ = f(t, y, p) and
 * value = h(y(T), p) + ∫ g(t, y, p) dt,
 *
 *     μ̇ = −(∂f/∂y)ᵀ μ − ∂g/∂y,   μ(T) = ∂h/∂y,
 *     d(value)/dp = ∂h/∂p + ∫ (μᵀ ∂f/∂p + ∂g/∂p) dt + μ(0)ᵀ dy(0)/dp.
 *
 * With M w + Cqᵀ ν = μv, Cq w = 0, and r = M a + Cqᵀ λ − Q, e = Cq a − Qd it is
 *
 *     μvᵀ δa = −wᵀ δr − νᵀ δe,
 *
 * so that one solution with the factored matrix of the motion stands for all parameters. Over each
 * step of the run μ follows Gauss's method, iterated point by point. */
#include "analysis/adjoint.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/double2.h"
#include "system/tangent_work.h"

enum { ITERATIONS = 300, FARTHEST = 2 };
#define FINE      1     /* of rtol, and a part of μ: as much as a step of the run may be off */
#define ROUND_OFF 1e-10 /* what iterations may leave */

/* ---- what is refused ---- */

static bool is_beyond(const trm_measure *measure) {
  return !trm_system_has_slope(measure);
}

/* An event sets a state that a driver follows. */
static bool sets_laws(const trm_model *model) {
  for (int i = 0; i < model->event_count; i++)
    for (int k = 0; k < model->events[i].set_count; k++)
      for (int j = 0; j < model->law_signal_count; j++)
        if (model->law_signals[j] == model->states[model->events[i].sets[k].state]) return true;
  return false;
}

bool trm_adjoint_refuses(const trm_model *model, const trm_asked *asked, char *why, size_t size) {
  const char *reason = NULL;
  if (model->user) reason = "the adjoint is for mechanisms, not for systems of equations";
  if (asked->time_count > 0) reason = "the adjoint is for the end of a run";
  if (sets_laws(model)) reason = "the adjoint does not know joints that an event moves";
  trm_variant plain = {0};
  trm_diagnostics *said = trm_diagnostics_create(); /* what is wrong is said later */
  if (!reason && said && trm_variant_formulas(&plain, model, asked, said) == TRM_OK &&
      trm_variant_find(&plain, is_beyond))
    reason = "the adjoint knows measures of position and velocity alone";
  trm_variant_free(&plain);
  trm_diagnostics_destroy(said);
  if (reason) snprintf(why, size, "%s", reason);
  return reason != NULL;
}

/* ---- memory ---- */

static bool create_node(trm_adjoint *s, trm_adjoint_node *p) {
  size_t asked = (size_t)s->asked->count, width = (size_t)s->width;
  trm_system *sys = p->at.simulation->engine->system;
  int slots = 1;
  for (int i = 0; i < s->asked->count; i++)
    if (p->at.instants[i].count >= slots) slots = p->at.instants[i].count + 1;
  p->tangent = trm_tangent_create(sys, s->arena);
  p->source = TRM_NEW(s->arena, double, asked *width + 1);
  p->mu = TRM_NEW(s->arena, double, asked *width + 1);
  p->rate = TRM_NEW(s->arena, double, asked *width + 1);
  p->w = TRM_NEW(s->arena, double, asked *(size_t)s->half + 1);
  p->nu = TRM_NEW(s->arena, double, asked *(size_t)s->m + 1);
  p->gradient = TRM_NEW(s->arena, double, slots + 1);
  if (p->tangent)
    p->room = TRM_NEW(s->arena, double, 3 * p->tangent->K.bodies * p->tangent->K.width + 1);
  p->next = TRM_NEW(s->arena, double, s->width + 1);
  p->zero = TRM_NEW(s->arena, double, s->m + 1);
  p->by_state = TRM_NEW(s->arena, double, 2 * s->states + 1);
  p->laws = TRM_NEW(s->arena, trm_law_by, 2 * sys->law_slope_count + 1);
  if (p->laws) p->law_count = trm_list_laws(sys, p->laws);
  p->turns = trm_arena_create();
  if (p->turns) trm_trace_declare(sys, p->turns);
  return p->turns && trm_kept_size(p->turns) > 0 && !trm_arena_failed(s->arena) && p->tangent &&
         trm_curved_create(&p->curved, sys, s->arena);
}

static trm_status create(trm_adjoint *s, const trm_model *model, trm_diagnostics *diagnostics) {
  for (int i = 0; i < TRM_NODES; i++) {
    trm_variant *v = &s->node[i].at;
    trm_status status = trm_variant_create(v, model, false, &s->settings, s->asked, diagnostics);
    if (status != TRM_OK) return status;
    const trm_system *sys = v->simulation->engine->system;
    s->n = sys->n;
    s->m = sys->m;
    s->states = sys->states;
    s->half = sys->n + sys->states;
    s->width = sys->n + s->half;
    trm_solver_want_intrinsic(v->simulation->engine->solver, true); /* tangents hang on them */
    if (!create_node(s, &s->node[i])) return TRM_NO_MEMORY;
    if (sys->structure.massless > 0)
      trm_solver_find_free(v->simulation->engine->solver, s->node[i].tangent->kept);
  }
  s->mu = TRM_NEW(s->arena, double, s->asked->count * s->width + 1);
  return s->mu ? TRM_OK : TRM_NO_MEMORY;
}

static trm_status fail(const trm_system *sys, trm_diagnostics *diagnostics) {
  trm_report_place(diagnostics, TRM_ERROR, sys->place, "%s", sys->error);
  return TRM_FAILED;
}

/* ---- points ---- */

void trm_adjoint_take_row(trm_adjoint *s, trm_adjoint_node *p, double *row) {
  trm_row *q = &p->tangent->work->q, *v = &p->tangent->work->v;
  memcpy(row, q->value, (size_t)s->n * sizeof(double));
  memcpy(row + s->n, v->value, (size_t)s->half * sizeof(double));
  trm_row_clear(q);
  trm_row_clear(v);
}

/* ∂(formula)/∂(q, v, z) at the state evaluated last. */
static void find_source(trm_adjoint *s, trm_adjoint_node *p, int i, double *out) {
  trm_instant *in = &p->at.instants[i];
  trm_system *sys = p->at.simulation->engine->system;
  trm_row *q = &p->tangent->work->q, *v = &p->tangent->work->v;
  trm_variant_value(&p->at, i, p->t); /* fills the slots */
  trm_expression_gradient(in->formula, in->slots, p->gradient);
  int used = trm_expression_slot_count(in->formula);
  for (int k = 1; k < used; k++)
    if (p->gradient[k] != 0) trm_system_add_slope(sys, &in->measures[k - 1], p->gradient[k], q, v);
  trm_adjoint_take_row(s, p, out);
}

trm_status trm_adjoint_visit(trm_adjoint *s, trm_adjoint_node *p, const void *turns, double t,
                             const double *y, trm_diagnostics *diagnostics) {
  trm_engine *e = p->at.simulation->engine;
  trm_dynamics *d = &e->dynamics;
  double *v = p->at.y + d->at.v, *a = p->at.ydot + d->at.v;
  p->t = t;
  trm_kept_restore(p->turns, turns, s->trace.bytes);
  memcpy(p->at.y, y, (size_t)d->size * sizeof(double));
  if (!trm_curved_evaluate(&p->curved, e->system, p->tangent, t, p->at.y, v) ||
      !trm_dynamics_rates(d, t, p->at.y, p->at.ydot) ||
      !trm_system_tangent(e->system, a, e->system->lambda, p->tangent))
    return fail(e->system, diagnostics);
  trm_curved_complete(&p->curved, e->system, p->tangent, v, a);
  if (!trm_differentiate_laws(e->system, t, v, p->law_count, p->laws))
    return fail(e->system, diagnostics);
  e->system->work = p->at.y[d->at.work];
  return TRM_OK;
}

trm_virtual trm_adjoint_virtual(const trm_adjoint *s, const trm_adjoint_node *p, int i) {
  const trm_engine *e = p->at.simulation->engine;
  return (trm_virtual){.t = p->t,
                       .system = e->system,
                       .motion = &e->system->motion,
                       .v = p->at.y + e->dynamics.at.v,
                       .a = p->at.ydot + e->dynamics.at.v,
                       .lambda = e->system->lambda,
                       .slots = e->system->slots,
                       .w = p->w + i * s->half,
                       .nu = p->nu + i * s->m};
}

/* y += Kᵀ x of a block; inlined for each width, where y stays in registers */
TRM_INLINE void add_block(int width, const double *K, const double *x, double *y) {
  for (int i = 0; i < width; i++) trm_pair_axpy(width, x[i], K + i * width, y);
}

/* y += Kᵀ x; x and y have room for whole blocks */
static void add_transposed(const trm_blocks *K, const double *x, double *y) {
  int width = K->width;
  for (int b = 0; b < K->bodies; b++)
    for (int k = K->start[b]; k < K->start[b + 1]; k++) {
      const double *block = K->value + (size_t)k * (size_t)(width * width), *xb = x + b * width;
      double *yc = y + K->column[k] * width;
      switch (width) {
      case 3: add_block(3, block, xb, yc); break;
      case 4: add_block(4, block, xb, yc); break;
      case 6: add_block(6, block, xb, yc); break;
      case 7: add_block(7, block, xb, yc); break;
      case 12: add_block(12, block, xb, yc); break;
      default: add_block(width, block, xb, yc); break;
      }
    }
}

/* ∂e/∂z, into by_state: laws hang on states, and on the rates of these, which is as if the states
 * had other multipliers. */
static void contract_laws(const trm_adjoint *s, trm_adjoint_node *p, int i, double *multipliers) {
  double *by_rate = p->by_state + s->states;
  const trm_virtual x = trm_adjoint_virtual(s, p, i);
  memset(p->by_state, 0, 2 * (size_t)s->states * sizeof(double));
  trm_contract_laws(x.system, p->law_count, p->laws, &x, p->by_state, by_rate);
  trm_axpy(s->states, -1, by_rate, multipliers);
}

/* μ̇ of the i-th formula. */
static void find_rate(trm_adjoint *s, trm_adjoint_node *p, int i) {
  trm_engine *e = p->at.simulation->engine;
  const double *mu = p->mu + i * s->width, *source = p->source + i * s->width;
  double *w = p->w + i * s->half, *nu = p->nu + i * s->m, *rate = p->rate + i * s->width;
  double *by_q = rate, *by_v = rate + s->n;
  trm_solver_solve(e->solver, mu + s->n, p->zero, NULL, w, nu);
  memcpy(w + s->n, mu + 2 * s->n, (size_t)s->states * sizeof(double));
  size_t blocks = (size_t)(p->tangent->K.bodies * p->tangent->K.width);
  double *x = p->room, *y = x + blocks, *z = y + blocks;
  memset(x, 0, 3 * blocks * sizeof(double));
  memcpy(x, w, (size_t)s->half * sizeof(double));
  if (p->law_count > 0) contract_laws(s, p, i, x + s->n);
  add_transposed(&p->tangent->K, x, y);
  add_transposed(&p->tangent->D, x, z);
  memcpy(by_q, y, (size_t)s->n * sizeof(double)); /* the columns of states in K are zero */
  memcpy(by_v, z, (size_t)s->half * sizeof(double));
  trm_jacobian_transposed_add(&e->system->structure, p->curved.by_q, 1, nu, by_q);
  trm_jacobian_transposed_add(&e->system->structure, p->curved.by_v, 1, nu, by_v);
  trm_pair_axpy(s->n, -1, mu, by_v);
  if (p->law_count > 0) trm_axpy(s->states, 1, p->by_state, by_v + s->n);
  if (s->asked->integrated[i]) trm_pair_axpy(s->width, -1, source, rate);
}

/* ---- steps ---- */

/* How far the i-th rate of a node has moved from `before`, over a step, as a part of μ: of that of
 * positions and of velocities alone, where neither is nothing beside what the other makes of it,
 * over the step or over the run. */
static double find_motion(const trm_adjoint *s, const trm_adjoint_node *p, int i, double h,
                          const double *before) {
  const double *mu = p->mu + i * s->width, *rate = p->rate + i * s->width;
  double size[2] = {0}, moved[2] = {0}, most = 0;
  for (int c = 0; c < s->width; c++) {
    double d = rate[c] - before[c];
    size[c >= s->n] += mu[c] * mu[c];
    moved[c >= s->n] += d * d;
  }
  if (!isfinite(size[0] + size[1] + moved[0] + moved[1])) return INFINITY;
  double of_place = sqrt(size[0]), of_speed = sqrt(size[1]);
  const double floor[2] = {of_speed / s->settings.duration, h * of_place};
  for (int part = 0; part < 2; part++) {
    double whole = fmax(sqrt(size[part]), floor[part]);
    if (whole > 0) most = fmax(most, h * sqrt(moved[part]) / whole);
  }
  return most;
}

/* One sweep over the points, backwards from the end of the step, each with the latest rates of the
 * others: how far it has moved the rates. */
static double sweep(trm_adjoint *s, int i, double h) {
  double moved = 0;
  for (int k = TRM_NODES - 1; k >= 0; k--) {
    trm_adjoint_node *p = &s->node[k];
    double *mu = p->mu + i * s->width, *rate = p->rate + i * s->width;
    memcpy(mu, s->mu + i * s->width, (size_t)s->width * sizeof(double));
    for (int j = 0; j < TRM_NODES; j++)
      trm_pair_axpy(s->width, -h * (s->gauss.b[j] - s->gauss.a[k][j]),
                    s->node[j].rate + i * s->width, mu);
    memcpy(p->next, rate, (size_t)s->width * sizeof(double));
    find_rate(s, p, i);
    moved = fmax(moved, find_motion(s, p, i, h, p->next));
  }
  return moved;
}

/* Rates by those of the step behind this one, which was the last to be taken. */
static void predict(trm_adjoint *s, int i, double h) {
  const trm_gauss *g = &s->gauss;
  double far = s->last > 0 ? h / s->last : 0;
  size_t bytes = (size_t)s->width * sizeof(double);
  bool near = far > 0 && far < FARTHEST;
  for (int j = 0; j < TRM_NODES; j++) {
    trm_adjoint_node *p = &s->node[j];
    memset(p->next, 0, bytes);
    for (int n = 0; n < TRM_NODES && near; n++) { /* Lagrange's polynomials of that step, here */
      double last = 1;
      for (int k = 0; k < TRM_NODES; k++)
        if (k != n) last *= ((g->c[j] - 1) * far - g->c[k]) / (g->c[n] - g->c[k]);
      trm_pair_axpy(s->width, last, s->node[n].rate + i * s->width, p->next);
    }
  }
  for (int j = 0; j < TRM_NODES; j++)
    memcpy(s->node[j].rate + i * s->width, s->node[j].next, bytes);
}

static trm_status follow(trm_adjoint *s, int i, double t, double h, trm_diagnostics *diagnostics) {
  double moved = INFINITY, before = INFINITY, left = INFINITY, fine = FINE * s->settings.rtol;
  predict(s, i, h);
  for (int n = 0; n < ITERATIONS && !(left <= fine); n++, before = moved) {
    moved = sweep(s, i, h);
    /* the next ones are smaller by as much as this one is; the first tells of the prediction */
    left = moved < before && n > 1 ? moved * moved / (before - moved) : moved;
    /* down to round-off, which may be above */
    if (moved <= ROUND_OFF && moved >= before / 2) break;
  }
  if (!(moved <= fmax(fine, ROUND_OFF) || left <= fine)) {
    trm_report(
        diagnostics, TRM_ERROR,
        "t = %.6g: the position is singular, or the motion is too stiff for the adjoint; the "
        "method 'forward' may do",
        t);
    return TRM_FAILED;
  }
  for (int j = 0; j < TRM_NODES; j++)
    trm_pair_axpy(s->width, -h * s->gauss.b[j], s->node[j].rate + i * s->width,
                  s->mu + i * s->width);
  return TRM_OK;
}

static trm_status step_back(trm_adjoint *s, int step, trm_diagnostics *diagnostics) {
  double t = s->trace.time[step], h = s->trace.time[step + 1] - t;
  trm_status status = TRM_OK;
  for (int k = 0; k < TRM_NODES && status == TRM_OK; k++) {
    trm_adjoint_node *p = &s->node[k];
    status = trm_adjoint_visit(s, p, trm_trace_turns(&s->trace, step), t + s->gauss.c[k] * h,
                               trm_trace_state(&s->trace, step, k), diagnostics);
    for (int i = 0; status == TRM_OK && i < s->asked->count; i++)
      if (s->asked->integrated[i]) {
        find_source(s, p, i, p->source + i * s->width);
        trm_adjoint_add_times(s, p, i, h * s->gauss.b[k]);
        s->value[i] += h * s->gauss.b[k] * trm_variant_value(&p->at, i, p->t);
      }
  }
  for (int i = 0; status == TRM_OK && i < s->asked->count; i++)
    status = follow(s, i, t, h, diagnostics);
  s->last = h;
  if (status == TRM_OK && !trm_adjoint_fix_branches(s, &s->node[0])) return TRM_NO_MEMORY;
  return status == TRM_OK ? trm_adjoint_add_step(s, h, diagnostics) : status;
}

/* At the end of the run. */
static trm_status turn_back(trm_adjoint *s, const double *y, trm_diagnostics *diagnostics) {
  trm_adjoint_node *p = &s->node[0];
  double t = s->trace.time[s->trace.steps];
  const void *turns = trm_trace_turns(&s->trace, s->trace.steps);
  trm_status status = trm_adjoint_visit(s, p, turns, t, y, diagnostics);
  for (int i = 0; status == TRM_OK && i < s->asked->count; i++) {
    if (s->asked->integrated[i]) continue;
    find_source(s, p, i, s->mu + i * s->width);
    trm_adjoint_add_times(s, p, i, 1);
    s->value[i] = trm_variant_value(&p->at, i, t);
  }
  if (status == TRM_OK) trm_adjoint_add_end(s, p);
  return status;
}

static trm_status check_finite(const trm_adjoint *s, trm_diagnostics *diagnostics) {
  double finite = 0;
  for (int i = 0; i < s->asked->count; i++) finite += 0 * s->value[i];
  for (int i = 0; i < s->asked->count * s->count; i++) finite += 0 * s->gradient[i];
  if (finite == 0) return TRM_OK;
  trm_report(diagnostics, TRM_ERROR, "the value or its derivatives are not finite");
  return TRM_FAILED;
}

static trm_status work(trm_adjoint *s, const trm_model *model, const char *const *parameters,
                       trm_diagnostics *diagnostics) {
  trm_variant run = {0};
  trm_status status = create(s, model, diagnostics);
  if (status != TRM_OK) return status;
  status = trm_variant_create(&run, model, false, &s->settings, s->asked, diagnostics);
  double duration = s->settings.duration;
  if (status == TRM_OK)
    status = trm_trace_run(&s->trace, &run, s->asked, duration, TRM_TRACE_ROOM, diagnostics);
  if (status == TRM_OK) status = trm_adjoint_add_parameters(s, model, parameters, diagnostics);
  if (status == TRM_OK && s->trace.steps > 0) status = turn_back(s, run.y, diagnostics);
  const trm_jump *jump = s->trace.jumps + s->trace.jump_count;
  for (int step = s->trace.steps - 1; step >= 0 && status == TRM_OK; step--) {
    double t = s->trace.time[step];
    status = trm_asked_go_on(s->asked, t, 1 - t / (2 * duration));
    if (status == TRM_OK) status = trm_trace_reach(&s->trace, &run, step, diagnostics);
    if (status == TRM_OK && jump > s->trace.jumps && jump[-1].step == step)
      status = trm_adjoint_jump(s, --jump, diagnostics);
    if (status == TRM_OK) status = step_back(s, step, diagnostics);
  }
  if (status == TRM_OK) trm_adjoint_add_start(s);
  trm_variant_free(&run);
  return status == TRM_OK ? check_finite(s, diagnostics) : status;
}

trm_status trm_differentiate_adjoint(const trm_model *model, const trm_settings *settings,
                                     const trm_asked *asked, int count,
                                     const char *const *parameters, double *value, double *gradient,
                                     trm_diagnostics *diagnostics) {
  trm_adjoint s = {.arena = trm_arena_create(),
                   .asked = asked,
                   .settings = *settings,
                   .gauss = trm_gauss_method(),
                   .count = count,
                   .value = value,
                   .gradient = gradient};
  trm_status status = TRM_NO_MEMORY;
  if (strcmp(settings->coordinates, "relative") == 0) /* it is the same motion */
    status = trm_settings_set(&s.settings, "coordinates", "natural", diagnostics);
  memset(value, 0, (size_t)asked->count * sizeof(double));
  memset(gradient, 0, (size_t)asked->count * (size_t)count * sizeof(double));
  if (s.arena) status = work(&s, model, parameters, diagnostics);
  trm_adjoint_free_parameters(&s);
  for (int i = 0; i < TRM_NODES; i++) {
    trm_variant_free(&s.node[i].at);
    trm_arena_destroy(s.node[i].turns);
  }
  trm_trace_free(&s.trace);
  trm_arena_destroy(s.arena);
  return status;
}
