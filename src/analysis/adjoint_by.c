/* What the derivatives of a run by each parameter are made of, along the adjoint. */
#include "analysis/adjoint.h"

#include <math.h>
#include <string.h>

#define GENERIC 0.618 /* of the run: a time when laws of time are not zero */
#define ALIKE   1e-10 /* derivatives of two orders: the lower one is exact */

static trm_status fail(const trm_system *sys, trm_diagnostics *diagnostics) {
  trm_report_place(diagnostics, TRM_ERROR, sys->place, "%s", sys->error);
  return TRM_FAILED;
}

/* Numbers in (−1, 1) without a pattern. */
static double draw(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* A state next to the start and a virtual motion, all of them generic. */
static bool look_around(trm_adjoint *s, trm_virtual *x) {
  trm_variant *base = &s->node[0].at;
  trm_engine *e = base->simulation->engine;
  double *room = TRM_NEW(s->arena, double, s->n + 3 * s->half + 2 * s->m + 1);
  unsigned seed = 1;
  if (!room) return false;
  double *q = room, *v = q + s->n, *a = v + s->half, *w = a + s->half, *lambda = w + s->half;
  for (int i = 0; i < s->half; i++) {
    double unit = i < s->n ? e->system->span[i] : 1;
    if (i < s->n) q[i] = base->y[i] + 0.03 * unit * draw(&seed);
    v[i] = base->y[e->dynamics.at.v + i] + unit * draw(&seed);
    a[i] = unit * draw(&seed);
    w[i] = unit * draw(&seed);
  }
  for (int i = 0; i < 2 * s->m; i++) lambda[i] = draw(&seed);
  double t = GENERIC * s->settings.duration;
  trm_system_visit(e->system, t, q, v);
  *x = (trm_virtual){.t = t,
                     .system = e->system,
                     .motion = &e->system->motion,
                     .v = v,
                     .a = a,
                     .lambda = lambda,
                     .slots = e->system->slots,
                     .w = w,
                     .nu = lambda + s->m};
  return true;
}

static double value_at(trm_variant *variant, int formula, double t, const double *q,
                       const double *v) {
  trm_system_visit(variant->simulation->engine->system, t, q, v);
  return trm_variant_value(variant, formula, t);
}

static bool hangs_on(trm_adjoint *s, trm_variant *side, int i, const trm_virtual *x) {
  trm_variant *base = &s->node[0].at;
  const double *q = x->motion->q;
  if (!trm_expression_is_same(base->instants[i].formula, side->instants[i].formula)) return true;
  double here = value_at(base, i, x->t, q, x->v), there = value_at(side, i, x->t, q, x->v);
  return !(fabs(here - there) <= 1e-13 * fabs(here));
}

/* Parts that are evaluated at the sides. */
static bool has_sides(const trm_differing *parts) {
  return parts->whole || parts->slots || parts->bodies + parts->primitives + parts->forces > 0;
}

static bool has_slopes(const trm_differing *parts) {
  return parts->springs + parts->masses > 0;
}

/* Most equations are of second degree in a parameter: then two sides do for four. */
static void choose_weights(const trm_adjoint *s, trm_adjoint_by *p, const trm_virtual *x) {
  const trm_stencil *by = p->n.by;
  double all = 0, near = 0;
  for (int k = 0; k < by->sides; k++) {
    double sum = NAN, two = fabs(by->place[k]) == 1 ? by->place[k] / 2 : 0;
    trm_system *sys = p->side[k].simulation->engine->system;
    trm_contract(sys, s->node[0].tangent, &p->parts, x, &sum);
    trm_add_slopes(sys, x->system, trm_side_weight(&p->n, k), &p->parts);
    all += trm_side_weight(&p->n, k) * sum;
    near += two / p->n.step * sum;
  }
  for (int k = 0; k < by->sides; k++) {
    double two = fabs(by->place[k]) == 1 ? by->place[k] / 2 : 0;
    bool enough = fabs(all - near) <= ALIKE * fabs(all);
    p->weight[k] = enough ? two / p->n.step : trm_side_weight(&p->n, k);
    if (!has_sides(&p->parts)) p->weight[k] = 0;
  }
}

/* ---- parameters, alone and in groups ---- */

static bool needs_all_sides(const trm_adjoint *s, const trm_adjoint_by *p) {
  bool all = p->parts.laws || p->of_jumps;
  for (int i = 0; i < s->asked->count; i++) all |= p->of_formula[i];
  return all;
}

/* Of one with neighbours of its own: sides that nothing is asked of any more. */
static void free_sides(const trm_adjoint *s, trm_adjoint_by *p) {
  for (int k = 0; k < p->n.by->sides && !needs_all_sides(s, p); k++)
    if (p->weight[k] == 0) trm_variant_free(&p->side[k]);
}

static bool quantity_differs(const trm_quantity *one, const trm_quantity *other) {
  if (!one->formula || !other->formula)
    return one->formula || other->formula || one->number != other->number;
  return !trm_expression_is_same(one->formula, other->formula);
}

static bool events_differ(const trm_model *one, const trm_model *other) {
  bool differ = false;
  for (int i = 0; i < one->event_count; i++) {
    const trm_event *e = &one->events[i], *f = &other->events[i];
    differ |= quantity_differs(&e->when, &f->when);
    for (int k = 0; k < e->set_count; k++)
      differ |= quantity_differs(&e->sets[k].value, &f->sets[k].value);
  }
  return differ;
}

/* Of the run's jumps, as far as the parts that differ tell. */
static bool changes_jumps(const trm_adjoint *s, const trm_adjoint_by *p, const trm_model *other) {
  const trm_differing *parts = &p->parts;
  return s->trace.jump_count > 0 && (parts->whole || parts->slots || parts->laws ||
                                     parts->forces > 0 || parts->chain.formulas > 0 ||
                                     events_differ(s->node[0].at.simulation->engine->model, other));
}

static int index_of(const trm_model *model, const char *parameter) {
  int k = 0;
  while (strcmp(model->parameters[k].name, parameter) != 0) k++;
  return k;
}

static bool look_at_parts(trm_adjoint *s, trm_adjoint_by *p, const trm_virtual *x) {
  trm_engine *side = p->n.side[0].simulation->engine;
  trm_system *base = s->node[0].at.simulation->engine->system;
  int parameter = index_of(base->model, p->n.name);
  for (int i = 0; i < s->asked->count; i++) p->of_formula[i] = hangs_on(s, &p->n.side[0], i, x);
  if (!trm_find_differing(base, side->system, parameter, s->symbols, x, s->arena, &p->parts))
    return false;
  s->chained |= p->parts.chain.formulas > 0;
  p->of_jumps = changes_jumps(s, p, side->model);
  return true;
}

static trm_status stand_alone(trm_adjoint *s, trm_adjoint_by *p, const trm_virtual *x,
                              trm_diagnostics *diagnostics) {
  p->start = TRM_NEW(s->arena, double, s->trace.size);
  if (!p->start) return TRM_NO_MEMORY;
  trm_status status =
      trm_neighbours_begin(&p->n, &s->node[0].at, &s->settings, s->asked, p->start, diagnostics);
  if (status != TRM_OK) return status;
  p->side = p->n.side;
  p->parts = (trm_differing){0};
  if (!look_at_parts(s, p, x)) return TRM_NO_MEMORY;
  choose_weights(s, p, x);
  free_sides(s, p);
  return TRM_OK;
}

static bool is_taken(int count, const int *part, const bool *taken) {
  for (int k = 0; k < count; k++)
    if (taken[part[k]]) return true;
  return false;
}

static void take(int count, const int *part, bool *taken) {
  for (int k = 0; k < count; k++) taken[part[k]] = true;
}

static bool is_apart(const trm_adjoint_group *g, const trm_differing *parts) {
  bool taken = is_taken(parts->bodies, parts->body, g->body) ||
               is_taken(parts->primitives, parts->primitive, g->primitive) ||
               is_taken(parts->forces, parts->force, g->force);
  for (int k = 0; k < parts->springs; k++) taken |= g->force[parts->spring[k].force];
  for (int k = 0; k < parts->masses; k++) taken |= g->body[parts->mass[k].body];
  return !taken;
}

static void join(trm_adjoint_group *g, const trm_differing *parts, int member) {
  take(parts->bodies, parts->body, g->body);
  take(parts->primitives, parts->primitive, g->primitive);
  take(parts->forces, parts->force, g->force);
  for (int k = 0; k < parts->springs; k++) g->force[parts->spring[k].force] = true;
  for (int k = 0; k < parts->masses; k++) g->body[parts->mass[k].body] = true;
  g->member[g->count++] = member;
}

/* The first group that changes none of its parts; NULL: out of memory. */
static trm_adjoint_group *find_group(trm_adjoint *s, const trm_differing *parts) {
  const trm_system *sys = s->node[0].at.simulation->engine->system;
  trm_adjoint_group *g = s->group;
  for (int i = 0; i < s->groups; i++, g++)
    if (is_apart(g, parts)) return g;
  g->body = TRM_NEW(s->arena, bool, sys->structure.blocks + 1);
  g->primitive = TRM_NEW(s->arena, bool, sys->primitive_count + 1);
  g->force = TRM_NEW(s->arena, bool, sys->model->force_count + 1);
  g->member = TRM_NEW(s->arena, int, s->count);
  if (trm_arena_failed(s->arena)) return NULL;
  s->groups++;
  return g;
}

/* One that moves the start, or more than parts, has neighbours of its own; of the others one shows
 * which parts it changes. */
static trm_status add_parameter(trm_adjoint *s, int k, const trm_virtual *x,
                                trm_diagnostics *diagnostics) {
  trm_adjoint_by *p = &s->by[k];
  trm_variant *base = &s->node[0].at;
  p->of_formula = TRM_NEW(s->arena, bool, s->asked->count + 1);
  if (!p->of_formula) return TRM_NO_MEMORY;
  size_t size = (size_t)s->trace.size * sizeof(double);
  if (!trm_neighbours_create_first(&p->n, base, &s->settings, s->asked) ||
      memcmp(p->n.side[0].y, base->y, size) != 0)
    return stand_alone(s, p, x, diagnostics);
  if (!look_at_parts(s, p, x)) return TRM_NO_MEMORY;
  if (p->parts.whole || p->parts.slots || needs_all_sides(s, p))
    return stand_alone(s, p, x, diagnostics);
  trm_neighbours_free(&p->n);
  if (!has_sides(&p->parts) && !has_slopes(&p->parts)) return TRM_OK;
  trm_adjoint_group *g = find_group(s, &p->parts);
  if (!g) return TRM_NO_MEMORY;
  join(g, &p->parts, k);
  return TRM_OK;
}

/* Where all of them cannot change together each has neighbours of its own. */
static trm_status complete_group(trm_adjoint *s, trm_adjoint_group *g, const trm_virtual *x,
                                 trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  const trm_neighbours **all = TRM_NEW(s->arena, const trm_neighbours *, g->count);
  if (!all) return TRM_NO_MEMORY;
  for (int i = 0; i < g->count; i++) all[i] = &s->by[g->member[i]].n;
  bool together =
      trm_neighbours_join(g->side, g->count, all, &s->node[0].at, &s->settings, s->asked);
  for (int i = 0; i < g->count && status == TRM_OK; i++) {
    trm_adjoint_by *p = &s->by[g->member[i]];
    p->side = g->side;
    if (together)
      choose_weights(s, p, x);
    else
      status = stand_alone(s, p, x, diagnostics);
  }
  for (int k = 0; k < TRM_MOST_SIDES; k++) {
    bool used = false;
    for (int i = 0; i < g->count; i++) used |= s->by[g->member[i]].weight[k] != 0;
    if (!used) trm_variant_free(&g->side[k]);
  }
  return status;
}

trm_status trm_adjoint_add_parameters(trm_adjoint *s, const trm_model *model,
                                      const char *const *names, trm_diagnostics *diagnostics) {
  trm_virtual x;
  trm_status status = TRM_OK;
  s->by = TRM_NEW(s->arena, trm_adjoint_by, s->count + 1);
  s->group = TRM_NEW(s->arena, trm_adjoint_group, s->count + 1);
  s->symbols = trm_symbols_create(s->node[0].at.simulation->engine->system, s->arena);
  if (!s->by || !s->group || !s->symbols || !look_around(s, &x) ||
      !trm_adjoint_find_times(s, model))
    return TRM_NO_MEMORY;
  for (int k = 0; k < s->count && status == TRM_OK; k++) {
    trm_neighbours_name(&s->by[k].n, model, names[k], &trm_four_sides);
    status = add_parameter(s, k, &x, diagnostics);
  }
  for (int i = 0; i < s->groups && status == TRM_OK; i++)
    status = complete_group(s, &s->group[i], &x, diagnostics);
  return status;
}

void trm_adjoint_free_parameters(trm_adjoint *s) {
  for (int k = 0; s->by && k < s->count; k++) trm_neighbours_free(&s->by[k].n);
  for (int i = 0; i < s->groups; i++)
    for (int k = 0; k < TRM_MOST_SIDES; k++) trm_variant_free(&s->group[i].side[k]);
}

/* ---- along the run ---- */

/* ∂ of the formulas that are integrated, or of the others at the end of the run. */
static void add_formulas(trm_adjoint *s, trm_adjoint_by *p, const trm_adjoint_node *at,
                         bool integrated, double scale, double *to) {
  const trm_system *from = at->at.simulation->engine->system;
  const double *y = at->at.y;
  bool any = false;
  for (int i = 0; i < s->asked->count; i++)
    any |= p->of_formula[i] && s->asked->integrated[i] == integrated;
  for (int k = 0; any && k < p->n.by->sides; k++) {
    trm_system_take_turns(p->side[k].simulation->engine->system, from);
    for (int i = 0; i < s->asked->count; i++)
      if (p->of_formula[i] && s->asked->integrated[i] == integrated)
        to[i * s->count] +=
            scale * trm_side_weight(&p->n, k) * value_at(&p->side[k], i, at->t, y, y + s->half);
  }
}

/* Laws of time have derivatives of their own: a row may change its form between two sides. */
static trm_status add_laws(trm_adjoint *s, int k, const trm_adjoint_node *p, double scale,
                           trm_diagnostics *diagnostics) {
  trm_adjoint_by *by = &s->by[k];
  const trm_system *sys = p->at.simulation->engine->system;
  const trm_virtual at = trm_adjoint_virtual(s, p, 0);
  for (int j = 0; j < by->parts.primitives; j++) {
    int primitive = by->parts.primitive[j];
    trm_law law, slope = {0};
    if (!sys->law[primitive]) continue;
    for (int side = 0; side < by->n.by->sides; side++) {
      trm_system *other = by->side[side].simulation->engine->system;
      double weight = trm_side_weight(&by->n, side);
      if (!trm_read_law(other, &at, primitive, &law)) return fail(other, diagnostics);
      slope.value += weight * law.value;
      slope.rate += weight * law.rate;
      slope.acceleration += weight * law.acceleration;
    }
    for (int i = 0; i < s->asked->count; i++) {
      const trm_virtual x = trm_adjoint_virtual(s, p, i);
      s->gradient[i * s->count + k] -= scale * trm_contract_law(sys, primitive, &slope, &x);
    }
  }
  return TRM_OK;
}

/* −∫ (wᵀ ∂r/∂p + νᵀ ∂e/∂p) dt over a step of length h, of one side: its memory is at hand. */
static trm_status add_side(trm_adjoint *s, int k, int side, double h,
                           trm_diagnostics *diagnostics) {
  const trm_adjoint_by *by = &s->by[k];
  trm_system *sys = by->side[side].simulation->engine->system;
  for (int j = 0; j < TRM_NODES; j++)
    for (int i = 0; i < s->asked->count; i++) {
      double sum;
      const trm_virtual x = trm_adjoint_virtual(s, &s->node[j], i);
      if (!trm_contract(sys, s->node[j].tangent, &by->parts, &x, &sum))
        return fail(sys, diagnostics);
      s->gradient[i * s->count + k] -= h * s->gauss.b[j] * by->weight[side] * sum;
    }
  return TRM_OK;
}

static void add_slopes(trm_adjoint *s, int k, const trm_adjoint_node *p, double scale) {
  for (int i = 0; i < s->asked->count; i++) {
    const trm_virtual x = trm_adjoint_virtual(s, p, i);
    s->gradient[i * s->count + k] -= scale * trm_contract_slopes(&s->by[k].parts, &x);
  }
}

/* By formulas of forces and signals: what each counts is the same for all parameters. */
static trm_status add_chains(trm_adjoint *s, double h, trm_diagnostics *diagnostics) {
  for (int j = 0; j < TRM_NODES && (s->chained || s->times > 0); j++)
    for (int i = 0; i < s->asked->count; i++) {
      trm_system *sys = s->node[j].at.simulation->engine->system;
      const trm_virtual x = trm_adjoint_virtual(s, &s->node[j], i);
      if (i == 0) trm_symbols_visit(s->symbols, &x);
      if (!trm_symbols_weigh(s->symbols, &x, sys->error, sizeof sys->error))
        return fail(sys, diagnostics);
      for (int k = 0; k < s->count; k++)
        s->gradient[i * s->count + k] -=
            h * s->gauss.b[j] * trm_contract_chain(s->symbols, &s->by[k].parts.chain);
      trm_adjoint_take_times(s, i, -h * s->gauss.b[j]);
    }
  return TRM_OK;
}

static bool hold_sides(trm_variant *side, const trm_system *like) {
  for (int k = 0; k < TRM_MOST_SIDES; k++)
    if (side[k].simulation &&
        !trm_system_fix_branches_like(side[k].simulation->engine->system, like))
      return false;
  return true;
}

bool trm_adjoint_fix_branches(trm_adjoint *s, const trm_adjoint_node *at) {
  trm_engine *e = at->at.simulation->engine;
  const double *q = at->at.y, *v = q + e->dynamics.at.v;
  if (!trm_system_has_branches(e->system) || !trm_system_can_fix_branches(e->system)) return true;
  unsigned long here = trm_system_branch(e->system, at->t, q, v);
  if (here == s->branch) return true;
  s->branch = here;
  bool good = trm_system_fix_branches(e->system, at->t, q, v);
  for (int k = 0; k < s->count && good; k++) good = hold_sides(s->by[k].n.side, e->system);
  for (int i = 0; i < s->groups && good; i++) good = hold_sides(s->group[i].side, e->system);
  trm_system_free_branches(e->system);
  return good;
}

trm_status trm_adjoint_add_step(trm_adjoint *s, double h, trm_diagnostics *diagnostics) {
  trm_status status = add_chains(s, h, diagnostics);
  for (int k = 0; k < s->count && status == TRM_OK; k++) {
    trm_adjoint_by *by = &s->by[k];
    for (int j = 0; j < TRM_NODES && status == TRM_OK; j++) {
      const trm_adjoint_node *at = &s->node[j];
      double scale = h * s->gauss.b[j];
      add_formulas(s, by, at, true, scale, s->gradient + k);
      if (has_slopes(&by->parts)) add_slopes(s, k, at, scale);
      if (by->parts.laws) status = add_laws(s, k, at, scale, diagnostics);
    }
    for (int side = 0; side < TRM_MOST_SIDES && status == TRM_OK; side++)
      if (by->weight[side] != 0) status = add_side(s, k, side, h, diagnostics);
  }
  return status;
}

void trm_adjoint_add_end(trm_adjoint *s, const trm_adjoint_node *at) {
  for (int k = 0; k < s->count; k++) add_formulas(s, &s->by[k], at, false, 1, s->gradient + k);
}

void trm_adjoint_add_start(trm_adjoint *s) {
  for (int k = 0; k < s->count; k++) {
    const double *q = s->by[k].start, *v = q ? q + s->half : NULL;
    for (int i = 0; q && i < s->asked->count; i++) {
      const double *mu = s->mu + i * s->width;
      double sum = 0;
      for (int c = 0; c < s->n; c++) sum += mu[c] * q[c];
      for (int c = 0; c < s->half; c++) sum += mu[s->n + c] * v[c];
      s->gradient[i * s->count + k] += sum;
    }
  }
}
