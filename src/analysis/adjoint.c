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
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/curved.h"
#include "analysis/differentiate.h"
#include "analysis/trace.h"
#include "math/double2.h"
#include "system/contract.h"
#include "system/tangent_work.h"

enum { ITERATIONS = 300, FARTHEST = 2 };
#define FINE      1e-1  /* of rtol, and a part of μ: iterations end */
#define ROUND_OFF 1e-10 /* what iterations may leave */
#define GENERIC   0.618 /* of the run: a time when laws of time are not zero */
#define ALIKE     1e-10 /* derivatives of two orders: the lower one is exact */

/* The equations at one of Gauss's points, with a factorization of its own. */
typedef struct node {
  trm_variant at;
  trm_tangent *tangent;
  trm_curved curved; /* ∂e/∂q and ∂e/∂v */
  double t;
  double *source;    /* [asked × width] ∂g/∂(q, v, z) */
  double *mu, *rate; /* [asked × width] */
  double *w, *nu;    /* [asked × half], [asked × m] */
  double *gradient;  /* of a formula, by its slots */
  double *room;      /* [3 × blocks of the tangent] */
  double *next;      /* [width] */
  double *zero;      /* [m] */
} node;

/* A parameter. */
typedef struct by_parameter {
  trm_neighbours n;
  trm_differing parts;
  bool *of_formula;              /* [asked] it hangs on the parameter itself */
  double *start;                 /* [size] of the assembled start */
  double weight[TRM_MOST_SIDES]; /* of the sides in derivatives of parts */
} by_parameter;

typedef struct adjoint {
  trm_arena *arena;
  const trm_asked *asked;
  trm_settings settings;
  trm_trace trace;
  trm_gauss gauss;
  node node[TRM_NODES];
  int count; /* parameters */
  by_parameter *by;
  int n, states, half, width, m; /* width: of μ, (q, v, z) */
  double *mu;                    /* [asked × width] at the end of the step at hand */
  double last;                   /* the length of the step taken before; 0: none was */
  double *value, *gradient;
} adjoint;

/* ---- what is refused ---- */

static bool is_beyond(const trm_measure *measure) {
  return !trm_system_has_slope(measure);
}

bool trm_adjoint_refuses(const trm_model *model, const trm_asked *asked, char *why, size_t size) {
  const char *reason = NULL;
  if (strcmp(trm_model_settings(model)->coordinates, "relative") == 0)
    reason = "the adjoint needs tangents, which relative coordinates do not have yet";
  if (model->user) reason = "the adjoint is for mechanisms, not for systems of equations";
  if (asked->time_count > 0) reason = "the adjoint is for the end of a run";
  if (model->event_count > 0) reason = "the adjoint does not go back over events";
  for (int i = 0; i < model->signal_count; i++)
    if (model->signals[i].smooth) reason = "the adjoint does not know smooth(…)";
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

static bool create_node(adjoint *s, node *p) {
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
  return p->room && p->next && p->zero && p->tangent && p->source && p->mu && p->rate && p->w &&
         p->nu && p->gradient && trm_curved_create(&p->curved, sys, s->arena);
}

static trm_status create(adjoint *s, const trm_model *model, trm_diagnostics *diagnostics) {
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
  s->by = TRM_NEW(s->arena, by_parameter, s->count + 1);
  return s->mu && s->by ? TRM_OK : TRM_NO_MEMORY;
}

/* ---- parameters ---- */

/* Numbers in (−1, 1) without a pattern. */
static double draw(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* A state next to the start and a virtual motion, all of them generic. */
static bool look_around(adjoint *s, trm_virtual *x) {
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

static bool hangs_on(adjoint *s, trm_neighbours *n, int i, const trm_virtual *x) {
  trm_variant *base = &s->node[0].at, *side = &n->side[0];
  const double *q = x->motion->q;
  if (!trm_expression_is_same(base->instants[i].formula, side->instants[i].formula)) return true;
  double here = value_at(base, i, x->t, q, x->v), there = value_at(side, i, x->t, q, x->v);
  return !(fabs(here - there) <= 1e-13 * fabs(here));
}

/* Most equations are of second degree in a parameter: then two sides do for four. */
static void choose_weights(const adjoint *s, by_parameter *p, const trm_virtual *x) {
  const trm_stencil *by = p->n.by;
  double all = 0, near = 0;
  for (int k = 0; k < by->sides; k++) {
    double sum = NAN, two = fabs(by->place[k]) == 1 ? by->place[k] / 2 : 0;
    trm_system *sys = p->n.side[k].simulation->engine->system;
    trm_contract(sys, s->node[0].tangent, &p->parts, x, &sum);
    all += trm_side_weight(&p->n, k) * sum;
    near += two / p->n.step * sum;
  }
  for (int k = 0; k < by->sides; k++) {
    double two = fabs(by->place[k]) == 1 ? by->place[k] / 2 : 0;
    bool enough = fabs(all - near) <= ALIKE * fabs(all);
    p->weight[k] = enough ? two / p->n.step : trm_side_weight(&p->n, k);
  }
}

/* Sides that nothing is asked of any more. */
static void free_sides(const adjoint *s, by_parameter *p) {
  const trm_differing *parts = &p->parts;
  bool all = parts->laws, any = parts->whole || parts->slots;
  any |= parts->bodies + parts->primitives + parts->forces > 0;
  for (int i = 0; i < s->asked->count; i++) all |= p->of_formula[i];
  for (int k = 0; k < p->n.by->sides && !all; k++)
    if (!any || p->weight[k] == 0) trm_variant_free(&p->n.side[k]);
}

static trm_status add_parameter(adjoint *s, int k, const trm_model *model, const char *name,
                                trm_diagnostics *diagnostics) {
  by_parameter *p = &s->by[k];
  trm_variant *base = &s->node[0].at;
  p->start = TRM_NEW(s->arena, double, s->trace.size);
  p->of_formula = TRM_NEW(s->arena, bool, s->asked->count + 1);
  if (!p->start || !p->of_formula) return TRM_NO_MEMORY;
  trm_neighbours_name(&p->n, model, name, &trm_four_sides);
  trm_status status =
      trm_neighbours_begin(&p->n, base, &s->settings, s->asked, p->start, diagnostics);
  if (status != TRM_OK) return status;
  trm_virtual x;
  if (!look_around(s, &x)) return TRM_NO_MEMORY;
  for (int i = 0; i < s->asked->count; i++) p->of_formula[i] = hangs_on(s, &p->n, i, &x);
  bool found = trm_find_differing(base->simulation->engine->system,
                                  p->n.side[0].simulation->engine->system, &x, s->arena, &p->parts);
  if (!found) return TRM_NO_MEMORY;
  choose_weights(s, p, &x);
  free_sides(s, p);
  return TRM_OK;
}

static trm_status fail(const trm_system *sys, trm_diagnostics *diagnostics) {
  trm_report_place(diagnostics, TRM_ERROR, sys->place, "%s", sys->error);
  return TRM_FAILED;
}

static void turn_to(trm_variant *v, const adjoint *s, int step) {
  trm_arena *arena = v->simulation->engine->arena;
  trm_kept_restore(arena, trm_trace_kept(&s->trace, step), s->trace.bytes);
  trm_kept_derive(arena);
}

/* ∂ of the formulas that are integrated, or of the others at the end of the run. */
static void add_formulas(adjoint *s, by_parameter *p, const node *at, bool integrated, double scale,
                         double *to) {
  const trm_system *from = at->at.simulation->engine->system;
  const double *y = at->at.y;
  bool any = false;
  for (int i = 0; i < s->asked->count; i++)
    any |= p->of_formula[i] && s->asked->integrated[i] == integrated;
  for (int k = 0; any && k < p->n.by->sides; k++) {
    trm_system_take_turns(p->n.side[k].simulation->engine->system, from);
    for (int i = 0; i < s->asked->count; i++)
      if (p->of_formula[i] && s->asked->integrated[i] == integrated)
        to[i * s->count] +=
            scale * trm_side_weight(&p->n, k) * value_at(&p->n.side[k], i, at->t, y, y + s->half);
  }
}

static trm_virtual virtual_of(const adjoint *s, const node *p, int i) {
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

/* Laws of time have derivatives of their own: a row may change its form between two sides. */
static trm_status add_laws(adjoint *s, int k, const node *p, double scale,
                           trm_diagnostics *diagnostics) {
  by_parameter *by = &s->by[k];
  const trm_system *sys = p->at.simulation->engine->system;
  for (int j = 0; by->parts.laws && j < by->parts.primitives; j++) {
    int primitive = by->parts.primitive[j];
    trm_law law, slope = {0};
    if (!sys->law[primitive]) continue;
    for (int side = 0; side < by->n.by->sides; side++) {
      trm_system *other = by->n.side[side].simulation->engine->system;
      double weight = trm_side_weight(&by->n, side);
      if (!trm_read_law(other, p->t, primitive, &law)) return fail(other, diagnostics);
      slope.value += weight * law.value;
      slope.rate += weight * law.rate;
      slope.acceleration += weight * law.acceleration;
    }
    for (int i = 0; i < s->asked->count; i++) {
      const trm_virtual x = virtual_of(s, p, i);
      s->gradient[i * s->count + k] -= scale * trm_contract_law(sys, primitive, &slope, &x);
    }
  }
  return TRM_OK;
}

/* −∫ (wᵀ ∂r/∂p + νᵀ ∂e/∂p) dt, one point of it. */
static trm_status add_parts(adjoint *s, int k, const node *p, double scale,
                            trm_diagnostics *diagnostics) {
  by_parameter *by = &s->by[k];
  const trm_differing *parts = &by->parts;
  if (!parts->whole && !parts->slots && parts->bodies + parts->primitives + parts->forces == 0)
    return TRM_OK;
  for (int side = 0; side < by->n.by->sides; side++) {
    if (by->weight[side] == 0) continue;
    trm_system *sys = by->n.side[side].simulation->engine->system;
    for (int i = 0; i < s->asked->count; i++) {
      double sum;
      const trm_virtual x = virtual_of(s, p, i);
      if (!trm_contract(sys, p->tangent, parts, &x, &sum)) return fail(sys, diagnostics);
      s->gradient[i * s->count + k] -= scale * by->weight[side] * sum;
    }
  }
  return add_laws(s, k, p, scale, diagnostics);
}

/* ---- points ---- */

/* ∂(formula)/∂(q, v, z) at the state evaluated last. */
static void find_source(adjoint *s, node *p, int i, double *out) {
  trm_instant *in = &p->at.instants[i];
  trm_system *sys = p->at.simulation->engine->system;
  trm_row *q = &p->tangent->work->q, *v = &p->tangent->work->v;
  trm_variant_value(&p->at, i, p->t); /* fills the slots */
  trm_expression_gradient(in->formula, in->slots, p->gradient);
  int used = trm_expression_slot_count(in->formula);
  for (int k = 1; k < used; k++)
    if (p->gradient[k] != 0) trm_system_add_slope(sys, &in->measures[k - 1], p->gradient[k], q, v);
  memcpy(out, q->value, (size_t)s->n * sizeof(double));
  memcpy(out + s->n, v->value, (size_t)s->half * sizeof(double));
  trm_row_clear(q);
  trm_row_clear(v);
}

/* Evaluates the motion there, its tangents, and the formulas. */
static trm_status visit(adjoint *s, node *p, int step, double t, const double *y,
                        trm_diagnostics *diagnostics) {
  trm_engine *e = p->at.simulation->engine;
  trm_dynamics *d = &e->dynamics;
  double *v = p->at.y + d->at.v, *a = p->at.ydot + d->at.v;
  p->t = t;
  turn_to(&p->at, s, step);
  memcpy(p->at.y, y, (size_t)d->size * sizeof(double));
  if (!trm_curved_look(&p->curved, e->system, p->tangent, t, p->at.y, v) ||
      !trm_dynamics_rates(d, t, p->at.y, p->at.ydot) ||
      !trm_system_tangent(e->system, a, e->system->lambda, p->tangent))
    return fail(e->system, diagnostics);
  trm_curved_complete(&p->curved, e->system, p->tangent, v, a);
  e->system->work = p->at.y[d->at.work];
  return TRM_OK;
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
      case 6: add_block(6, block, xb, yc); break;
      case 7: add_block(7, block, xb, yc); break;
      case 12: add_block(12, block, xb, yc); break;
      default: add_block(width, block, xb, yc); break;
      }
    }
}

/* μ̇ of the i-th formula. */
static void find_rate(adjoint *s, node *p, int i) {
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
  add_transposed(&p->tangent->K, x, y);
  add_transposed(&p->tangent->D, x, z);
  memcpy(by_q, y, (size_t)s->n * sizeof(double)); /* the columns of states in K are zero */
  memcpy(by_v, z, (size_t)s->half * sizeof(double));
  trm_jacobian_transposed_add(&e->system->structure, p->curved.by_q, 1, nu, by_q);
  trm_jacobian_transposed_add(&e->system->structure, p->curved.by_v, 1, nu, by_v);
  trm_pair_axpy(s->n, -1, mu, by_v);
  if (s->asked->integrated[i]) trm_pair_axpy(s->width, -1, source, rate);
}

/* ---- steps ---- */

/* How far the i-th rate of a node has moved from `before`, over a step, as a part of μ. */
static double find_motion(const adjoint *s, const node *p, int i, double h, const double *before) {
  const double *mu = p->mu + i * s->width, *rate = p->rate + i * s->width;
  double most = 0;
  for (int part = 0; part < 2; part++) {
    int from = part * s->n, to = part ? s->width : s->n;
    double size = 0, moved = 0;
    for (int c = from; c < to; c++) {
      double d = rate[c] - before[c];
      size += mu[c] * mu[c];
      moved += d * d;
    }
    if (!isfinite(size + moved)) return INFINITY;
    if (size > 0) most = fmax(most, h * sqrt(moved / size));
  }
  return most;
}

/* One sweep over the points, backwards from the end of the step, each with the latest rates of the
 * others: how far it has moved the rates. */
static double sweep(adjoint *s, int i, double h) {
  double moved = 0;
  for (int k = TRM_NODES - 1; k >= 0; k--) {
    node *p = &s->node[k];
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
static void predict(adjoint *s, int i, double h) {
  const trm_gauss *g = &s->gauss;
  double far = s->last > 0 ? h / s->last : 0;
  size_t bytes = (size_t)s->width * sizeof(double);
  bool near = far > 0 && far < FARTHEST;
  for (int j = 0; j < TRM_NODES; j++) {
    node *p = &s->node[j];
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

static trm_status follow(adjoint *s, int i, double t, double h, trm_diagnostics *diagnostics) {
  double moved = INFINITY, before = INFINITY, left = INFINITY, fine = FINE * s->settings.rtol;
  predict(s, i, h);
  for (int n = 0; n < ITERATIONS && !(left <= fine); n++, before = moved) {
    moved = sweep(s, i, h);
    /* the next ones are smaller by as much as this one is */
    left = moved < before && isfinite(before) ? moved * moved / (before - moved) : moved;
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

static trm_status step_back(adjoint *s, int step, trm_diagnostics *diagnostics) {
  double t = s->trace.time[step], h = s->trace.time[step + 1] - t;
  trm_status status = TRM_OK;
  for (int k = 0; k < TRM_NODES && status == TRM_OK; k++) {
    node *p = &s->node[k];
    status =
        visit(s, p, step, t + s->gauss.c[k] * h, trm_trace_state(&s->trace, step, k), diagnostics);
    for (int i = 0; status == TRM_OK && i < s->asked->count; i++)
      if (s->asked->integrated[i]) {
        find_source(s, p, i, p->source + i * s->width);
        s->value[i] += h * s->gauss.b[k] * trm_variant_value(&p->at, i, p->t);
      }
  }
  for (int i = 0; status == TRM_OK && i < s->asked->count; i++)
    status = follow(s, i, t, h, diagnostics);
  s->last = h;
  for (int j = 0; j < s->count && status == TRM_OK; j++)
    for (int k = 0; k < TRM_NODES && status == TRM_OK; k++) {
      node *p = &s->node[k];
      double scale = h * s->gauss.b[k];
      add_formulas(s, &s->by[j], p, true, scale, s->gradient + j);
      status = add_parts(s, j, p, scale, diagnostics);
    }
  return status;
}

/* At the end of the run. */
static trm_status turn_back(adjoint *s, const double *y, trm_diagnostics *diagnostics) {
  node *p = &s->node[0];
  double t = s->trace.time[s->trace.steps];
  trm_status status = visit(s, p, s->trace.steps, t, y, diagnostics);
  for (int i = 0; status == TRM_OK && i < s->asked->count; i++) {
    if (s->asked->integrated[i]) continue;
    find_source(s, p, i, s->mu + i * s->width);
    s->value[i] = trm_variant_value(&p->at, i, t);
  }
  for (int j = 0; j < s->count && status == TRM_OK; j++)
    add_formulas(s, &s->by[j], p, false, 1, s->gradient + j);
  return status;
}

/* μ(0)ᵀ dy(0)/dp */
static void add_start(adjoint *s, int k) {
  const double *q = s->by[k].start, *v = q + s->half;
  for (int i = 0; i < s->asked->count; i++) {
    const double *mu = s->mu + i * s->width;
    double sum = 0;
    for (int c = 0; c < s->n; c++) sum += mu[c] * q[c];
    for (int c = 0; c < s->half; c++) sum += mu[s->n + c] * v[c];
    s->gradient[i * s->count + k] += sum;
  }
}

static trm_status check_finite(const adjoint *s, trm_diagnostics *diagnostics) {
  double finite = 0;
  for (int i = 0; i < s->asked->count; i++) finite += 0 * s->value[i];
  for (int i = 0; i < s->asked->count * s->count; i++) finite += 0 * s->gradient[i];
  if (finite == 0) return TRM_OK;
  trm_report(diagnostics, TRM_ERROR, "the value or its derivatives are not finite");
  return TRM_FAILED;
}

static trm_status work(adjoint *s, const trm_model *model, const char *const *parameters,
                       trm_diagnostics *diagnostics) {
  trm_variant run = {0};
  trm_status status = create(s, model, diagnostics);
  if (status != TRM_OK) return status;
  status = trm_variant_create(&run, model, false, &s->settings, s->asked, diagnostics);
  if (status == TRM_OK) status = trm_trace_run(&s->trace, &run, s->settings.duration, diagnostics);
  for (int k = 0; k < s->count && status == TRM_OK; k++)
    status = add_parameter(s, k, model, parameters[k], diagnostics);
  if (status == TRM_OK && s->trace.steps > 0) status = turn_back(s, run.y, diagnostics);
  for (int step = s->trace.steps - 1; step >= 0 && status == TRM_OK; step--)
    status = step_back(s, step, diagnostics);
  for (int k = 0; k < s->count && status == TRM_OK; k++) add_start(s, k);
  trm_variant_free(&run);
  return status == TRM_OK ? check_finite(s, diagnostics) : status;
}

trm_status trm_differentiate_adjoint(const trm_model *model, const trm_settings *settings,
                                     const trm_asked *asked, int count,
                                     const char *const *parameters, double *value, double *gradient,
                                     trm_diagnostics *diagnostics) {
  adjoint s = {.arena = trm_arena_create(),
               .asked = asked,
               .settings = *settings,
               .gauss = trm_gauss_method(),
               .count = count,
               .value = value,
               .gradient = gradient};
  trm_status status = TRM_NO_MEMORY;
  memset(value, 0, (size_t)asked->count * sizeof(double));
  memset(gradient, 0, (size_t)asked->count * (size_t)count * sizeof(double));
  if (s.arena) status = work(&s, model, parameters, diagnostics);
  for (int k = 0; s.by && k < count; k++) trm_neighbours_free(&s.by[k].n);
  for (int i = 0; i < TRM_NODES; i++) trm_variant_free(&s.node[i].at);
  trm_trace_free(&s.trace);
  trm_arena_destroy(s.arena);
  return status;
}
