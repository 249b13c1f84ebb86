/* Back over a jump of a run: an event, or a formula that jumps. It is at the time τ at which φ(t,
 * y, p) passes zero, and makes R(t, y, p) of the state; derivatives s = dy/dp before and behind it
 * are
 *
 *     s⁺ = R_y s⁻ + R_p + (Ṙ − f⁺) dτ/dp,   dτ/dp = −(φ_y s⁻ + φ_p) / φ̇,
 *
 * with Ṙ and φ̇ along the motion before it. So that of μᵀ s and of the integrals nothing is lost,
 *
 *     μ⁻ = R_yᵀ μ⁺ − κ φ_yᵀ,   κ = (μ⁺ᵀ (Ṙ − f⁺) + g⁻ − g⁺) / φ̇,
 *
 * and the derivatives of the values get μ⁺ᵀ R_p − κ φ_p. Where a run ends by an event its value h
 * takes the place of what follows: κ = (ḣ + g⁻) / φ̇. */
#include "analysis/adjoint.h"

#include <math.h>
#include <string.h>

#include "math/difference.h"
#include "system/tangent_work.h"

#define TOUCHES 1e-7 /* of the rate of φ a little before: so slow, it does not go through zero */

typedef struct passage {
  trm_adjoint *s;
  const trm_jump *jump;
  const trm_event *event; /* or NULL */
  int piecewise;          /* where it is NULL: which formula, and where it jumps */
  trm_switch at;
  double t;
  const double *y;         /* before it */
  trm_arena *arena;        /* of the below */
  const trm_quantity **of; /* [count] φ, then what is set */
  trm_quantity zero;       /* φ of a formula that jumps */
  int count;
  double *row;              /* [count × width] by q, v and z */
  double *by_time;          /* [count × events] by the times of events */
  double *rate;             /* [count] along the motion before */
  double *slots, *gradient; /* [inputs + 1] */
  double *weight; /* [asked × count] what each counts: −κ, then μ⁺ of what is set */
  double *lost;   /* [asked] κ φ̇, as far as it is known */
  trm_adjoint_node *node[2]; /* before, after */
} passage;

static trm_system *system_of(const trm_adjoint_node *node) {
  return node->at.simulation->engine->system;
}

static trm_status refuse(const passage *p, const char *why, trm_diagnostics *diagnostics) {
  const trm_model *model = p->node[0]->at.simulation->engine->model;
  const trm_piecewise *formula = p->event ? NULL : &system_of(p->node[0])->piecewise[p->piecewise];
  trm_report_place(diagnostics, TRM_ERROR,
                   trm_origin_place(model, p->event ? p->event->origin : formula->origin),
                   "t = %.9g: %s '%s' %s: the motion has no derivatives there", p->t,
                   p->event ? "event" : "the formula of",
                   p->event ? p->event->name : formula->owner, why);
  return TRM_FAILED;
}

/* ---- what it is ---- */

static void fill_slots(trm_adjoint_node *node, double t, const double *y) {
  trm_system_visit(system_of(node), t, y, y + node->at.simulation->engine->dynamics.at.v);
}

/* The function that passes zero where a formula jumps. */
static bool find_zero(passage *p) {
  trm_system *sys = system_of(p->node[0]);
  size_t bytes = ((size_t)sys->model->input_count + 1) * sizeof(double);
  fill_slots(p->node[0], p->jump->t, p->jump->before);
  memcpy(p->slots, sys->slots, bytes);
  fill_slots(p->node[0], p->t, p->jump->after);
  p->piecewise = trm_system_find_switch(sys, p->slots, sys->slots, &p->at);
  if (p->piecewise < 0) return false;
  p->zero.formula = trm_expression_switching(sys->piecewise[p->piecewise].formula, &p->at);
  return p->zero.formula != NULL;
}

static trm_status begin(passage *p, trm_diagnostics *diagnostics) {
  trm_adjoint *s = p->s;
  const trm_model *model = p->node[0]->at.simulation->engine->model;
  size_t asked = (size_t)s->asked->count, inputs = (size_t)model->input_count + 1;
  p->count = 1 + (p->event ? p->event->set_count : 0);
  p->of = TRM_NEW(p->arena, const trm_quantity *, p->count);
  p->row = TRM_NEW(p->arena, double, p->count * s->width);
  p->by_time = TRM_NEW(p->arena, double, p->count * s->events + 1);
  p->rate = TRM_NEW(p->arena, double, p->count);
  p->slots = TRM_NEW(p->arena, double, inputs);
  p->gradient = TRM_NEW(p->arena, double, inputs);
  p->weight = TRM_NEW(p->arena, double, asked *(size_t)p->count);
  p->lost = TRM_NEW(p->arena, double, asked);
  if (trm_arena_failed(p->arena)) return TRM_NO_MEMORY;
  p->of[0] = p->event ? &p->event->when : &p->zero;
  for (int k = 1; k < p->count; k++) p->of[k] = &p->event->sets[k - 1].value;
  if (p->event || find_zero(p)) return TRM_OK;
  trm_report(diagnostics, TRM_ERROR,
             "t = %.6g: a formula jumps where nothing in it passes zero: the adjoint does not go "
             "back over that; the method 'forward' does",
             p->t);
  return TRM_FAILED;
}

/* ---- before it ---- */

static void find_rows(passage *p) {
  trm_adjoint_node *node = p->node[0];
  trm_system *sys = system_of(node);
  for (int k = 0; k < p->count; k++) {
    const int *used;
    const trm_expression *formula = p->of[k]->formula;
    int count = formula ? trm_expression_used(formula, &used) : 0;
    if (formula) trm_expression_gradient(formula, sys->slots, p->gradient);
    for (int i = 0; i < count; i++)
      if (used[i] > 0 && p->gradient[used[i]] != 0)
        trm_system_add_slot_slope(sys, used[i], p->gradient[used[i]], &node->tangent->work->q,
                                  &node->tangent->work->v);
    trm_adjoint_take_row(p->s, node, p->row + k * p->s->width);
    trm_adjoint_slope_by_times(p->s, sys, formula, p->by_time + k * p->s->events);
  }
}

typedef struct along {
  passage *p;
  const trm_adjoint_node *node; /* whose rates lead the motion */
  const double *y;
} along;

/* φ, what is set, and the formulas that are asked for, a little later. */
static bool value_along(void *context, double h, double *out) {
  const along *a = context;
  passage *p = a->p;
  trm_engine *e = a->node->at.simulation->engine;
  int size = e->dynamics.size, asked = p->s->asked->count;
  memcpy(e->at, a->y, (size_t)size * sizeof(double));
  trm_axpy(size, h, a->node->at.ydot, e->at);
  trm_system_visit(e->system, p->t + h, e->at, e->at + e->dynamics.at.v);
  double finite = 0;
  for (int k = 0; k < p->count; k++) out[k] = trm_quantity_value(p->of[k], e->system->slots);
  for (int i = 0; i < asked; i++)
    out[p->count + i] =
        p->jump->stop ? trm_variant_value((trm_variant *)&a->node->at, i, p->t + h) : 0;
  for (int k = 0; k < p->count + asked; k++) finite += 0 * out[k];
  return finite == 0;
}

/* rate: [count + asked] along the motion at a node; mean: of φ, over a while before. */
static bool find_rates(passage *p, const trm_adjoint_node *node, const double *y, double *rate,
                       double *mean) {
  const trm_dynamics *d = &node->at.simulation->engine->dynamics;
  int all = p->count + p->s->asked->count;
  double step = TRM_REACH / fmax(trm_reach(d, y, node->at.ydot), TRM_REACH);
  double *room = TRM_NEW(p->arena, double, TRM_DIFFERENCE_ROOM *all);
  along context = {p, node, y};
  if (!room || !trm_difference(value_along, &context, step, all, room, rate) ||
      !value_along(&context, 0, room) || !value_along(&context, -step, room + all))
    return false;
  *mean = (room[0] - room[all]) / step;
  return true;
}

/* Of the integrals, g; the node has just been visited. */
static void add_integrands(passage *p, trm_adjoint_node *node, double sign) {
  const trm_asked *asked = p->s->asked;
  for (int i = 0; i < asked->count; i++)
    if (asked->integrated[i]) p->lost[i] += sign * trm_variant_value(&node->at, i, p->t);
}

static trm_status visit_before(passage *p, double *rates, trm_diagnostics *diagnostics) {
  trm_adjoint_node *node = p->node[0];
  trm_system *sys = system_of(node);
  const trm_jump *j = p->jump;
  double mean = 0;
  int v = node->at.simulation->engine->dynamics.at.v;
  if (!p->event && !trm_system_fix_branches(sys, j->t, j->before, j->before + v))
    return TRM_NO_MEMORY;
  trm_status status = trm_adjoint_visit(p->s, node, trm_trace_turns(&p->s->trace, j->step), p->t,
                                        p->y, diagnostics);
  if (status == TRM_OK) {
    add_integrands(p, node, 1);
    find_rows(p);
    if (j->stop) /* as what is asked for at the end sees it */
      sys->event_records[j->event] =
          (trm_event_record){sys->event_records[j->event].count + 1, p->t};
    if (!find_rates(p, node, p->y, rates, &mean) || !(rates[0] * mean > 0) ||
        !(fabs(rates[0]) > TOUCHES * fabs(mean)))
      status = refuse(p, "touches zero without going through it", diagnostics);
  }
  if (!p->event) trm_system_free_branches(sys);
  memcpy(p->rate, rates, (size_t)p->count * sizeof(double));
  return status;
}

/* ---- behind it ---- */

static trm_status visit_after(passage *p, double *rates, trm_diagnostics *diagnostics) {
  trm_adjoint_node *node = p->node[1];
  double ignored;
  if (p->jump->stop) return TRM_OK;
  trm_status status =
      trm_adjoint_visit(p->s, node, p->jump->turns, p->t, p->jump->after, diagnostics);
  if (status != TRM_OK) return status;
  add_integrands(p, node, -1);
  if (p->event) return TRM_OK;
  if (!find_rates(p, node, p->jump->after, rates, &ignored) || !(rates[0] * p->rate[0] > 0))
    return refuse(p, "drives the motion back to where it changes", diagnostics);
  return TRM_OK;
}

static void weigh(passage *p, const double *rates) {
  const trm_adjoint *s = p->s;
  const double *f = p->node[0]->at.ydot + s->half, *g = p->node[1]->at.ydot + s->half;
  for (int i = 0; i < s->asked->count; i++) {
    const double *mu = s->mu + i * s->width + s->n;
    double *weight = p->weight + i * p->count, lost = p->lost[i];
    if (p->jump->stop && !s->asked->integrated[i]) lost += rates[p->count + i];
    for (int c = 0; c < s->half && !p->jump->stop; c++) lost += mu[c] * (f[c] - g[c]);
    for (int k = 1; k < p->count; k++) {
      int state = s->n + p->event->sets[k - 1].state;
      weight[k] = mu[state];
      lost += mu[state] * (p->rate[k] - f[state]);
    }
    if (p->event && s->events > 0) lost += s->by_time[i * s->events + p->jump->event];
    weight[0] = -lost / p->rate[0];
  }
}

static void move_back(passage *p) {
  trm_adjoint *s = p->s;
  for (int i = 0; i < s->asked->count; i++) {
    double *mu = s->mu + i * s->width;
    for (int k = 1; k < p->count; k++) mu[2 * s->n + p->event->sets[k - 1].state] = 0;
    for (int k = 0; k < p->count; k++)
      trm_axpy(s->width, p->weight[i * p->count + k], p->row + k * s->width, mu);
    double *by_time = s->by_time + i * s->events;
    if (p->event && s->events > 0) by_time[p->jump->event] = 0;
    for (int k = 0; k < p->count; k++)
      trm_axpy(s->events, p->weight[i * p->count + k], p->by_time + k * s->events, by_time);
  }
  s->last = 0;
}

/* ---- parameters ---- */

/* The k-th of them in the mechanism of another value; false: out of memory, or of another form. */
static bool read_side(const passage *p, trm_system *sys, int k, double *value) {
  if (p->event) {
    const trm_event *event = &sys->model->events[p->jump->event];
    *value = trm_quantity_value(k ? &event->sets[k - 1].value : &event->when, sys->slots);
    return true;
  }
  trm_expression *zero = trm_expression_switching(sys->piecewise[p->piecewise].formula, &p->at);
  if (zero) *value = trm_expression_value(zero, sys->slots);
  trm_expression_destroy(zero);
  return zero != NULL;
}

static bool add_parameter(passage *p, int by) {
  trm_adjoint *s = p->s;
  trm_adjoint_by *of = &s->by[by];
  for (int side = 0; of->of_jumps && side < of->n.by->sides; side++) {
    trm_system *sys = of->side[side].simulation->engine->system;
    trm_system_take_turns(sys, system_of(p->node[0]));
    trm_system_visit(sys, p->t, p->y, p->y + s->half);
    for (int k = 0; k < p->count; k++) {
      double value = 0;
      if (!read_side(p, sys, k, &value)) return false;
      for (int i = 0; i < s->asked->count; i++)
        s->gradient[i * s->count + by] +=
            p->weight[i * p->count + k] * trm_side_weight(&of->n, side) * value;
    }
  }
  return true;
}

static trm_status pass(passage *p, trm_diagnostics *diagnostics) {
  trm_adjoint *s = p->s;
  trm_status status = begin(p, diagnostics);
  if (status != TRM_OK) return status;
  double *before = TRM_NEW(p->arena, double, p->count + s->asked->count),
         *after = TRM_NEW(p->arena, double, p->count + s->asked->count);
  if (!before || !after) return TRM_NO_MEMORY;
  status = visit_before(p, before, diagnostics);
  if (status == TRM_OK) status = visit_after(p, after, diagnostics);
  if (status != TRM_OK) return status;
  weigh(p, before);
  if (!trm_adjoint_fix_branches(s, p->node[0])) return TRM_NO_MEMORY;
  for (int k = 0; k < s->count; k++)
    if (!add_parameter(p, k)) return TRM_NO_MEMORY;
  move_back(p);
  return TRM_OK;
}

trm_status trm_adjoint_jump(trm_adjoint *s, const trm_jump *jump, trm_diagnostics *diagnostics) {
  const trm_model *model = s->node[0].at.simulation->engine->model;
  passage p = {.s = s,
               .jump = jump,
               .event = jump->event < 0 ? NULL : &model->events[jump->event],
               .t = s->trace.time[jump->step + 1],
               .y = jump->event < 0 ? jump->after : jump->before,
               .arena = trm_arena_create(),
               .node = {&s->node[0], &s->node[1]}};
  trm_status status = p.arena ? pass(&p, diagnostics) : TRM_NO_MEMORY;
  trm_expression_destroy(p.zero.formula);
  trm_arena_destroy(p.arena);
  return status;
}
