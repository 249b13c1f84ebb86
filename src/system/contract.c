/* The equations of motion along a virtual motion, part by part. */
#include "system/contract.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "system/mechanism.h"
#include "system/signals.h"
#include "system/symbols.h"
#include "system/tangent_work.h"

#define ROUND_OFF 1e-13 /* of a part: it has not changed */
#define NEAR      2e-3  /* how far differences look */

/* ---- parts ---- */

static double dot(int count, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i] * y[i];
  return sum;
}

static double of_inertia(const trm_inertia *inertia, const double *weight, int b,
                         const trm_virtual *x) {
  const trm_coordinates *co = x->motion->coordinates;
  double M[TRM_MOST_NQ * TRM_MOST_NQ] = {0}, Q[TRM_MOST_NQ], sum = 0;
  int nq = co->nq, at = b * nq;
  const double *q = trm_motion_q(x->motion, b), *a = x->a + at, *w = x->w + at;
  memcpy(Q, weight, (size_t)nq * sizeof(double));
  co->mass(inertia, q, M);
  if (co->inertia_force) co->inertia_force(inertia, q, x->v + at, Q);
  for (int i = 0; i < nq; i++)
    sum += w[i] * ((co->mass_diagonal ? M[i] * a[i] : dot(nq, M + i * nq, a)) - Q[i]);
  return sum;
}

/* A fictitious inertia is cancelled, whatever it is: that of the motion. */
static trm_inertia inertia_of(const trm_system *sys, int b, const trm_system *like) {
  trm_inertia inertia = sys->inertia[b];
  for (int k = 0; k < 3; k++)
    if (like->principal[b].massless[k]) inertia.I[k] = like->inertia[b].I[k];
  return inertia;
}

static double of_body(const trm_system *sys, int b, const trm_virtual *x) {
  const trm_inertia inertia = inertia_of(sys, b, x->system);
  return of_inertia(&inertia, sys->weight_force + b * sys->motion.nq, b, x);
}

static double of_primitive(const trm_system *sys, int i, const trm_law *law, const trm_virtual *x) {
  trm_primitive *p = &sys->primitives[i];
  p->value = law->value;
  p->rate = law->rate;
  p->acceleration = law->acceleration;
  int nq = x->motion->nq;
  double Qd[3] = {0}, sum = 0;
  for (int k = 0; k < p->bodies; k++) memset(p->J[k], 0, (size_t)(p->rows * nq) * sizeof(double));
  p->type->jacobian(p, x->motion);
  p->type->bias(p, x->motion, Qd);
  Qd[0] += p->acceleration;
  for (int r = 0; r < p->rows; r++) {
    sum -= x->nu[p->row + r] * Qd[r];
    for (int k = 0; k < p->bodies; k++) {
      const double *J = p->J[k] + r * nq;
      int at = p->body[k] * nq;
      sum += x->lambda[p->row + r] * dot(nq, J, x->w + at);
      sum += x->nu[p->row + r] * dot(nq, J, x->a + at);
    }
  }
  return sum;
}

/* A value that is no law is the primitive's own. */
static double of_primitive_there(const trm_system *sys, int i, const trm_virtual *x) {
  const trm_primitive *p = &(x->system->law[i] ? x->system : sys)->primitives[i];
  const trm_law law = {p->value, p->rate, p->acceleration};
  return of_primitive(sys, i, &law, x);
}

bool trm_read_law(trm_system *sys, const trm_virtual *x, int i, trm_law *law) {
  const trm_primitive *p = &sys->primitives[i];
  if (sys->filtered) { /* for the rates of states */
    trm_system_take_turns(sys, x->system);
    trm_system_visit(sys, x->t, x->motion->q, x->v);
  }
  if (!trm_mechanism_laws(sys, x->t, x->v + sys->n, sys->state_rate)) return false;
  *law = (trm_law){p->value, p->rate, p->acceleration};
  return true;
}

/* Steps that are short beside the law, and within one form of a turn. */
static double law_step(const trm_primitive *p, const trm_law *d) {
  bool length = p->type == &trm_primitive_distance;
  double scale = fabs(d->value) / (length ? p->value : 1);
  scale = fmax(scale, fabs(d->rate) / fmax(1, fabs(p->rate)));
  scale = fmax(scale, fabs(d->acceleration) / fmax(1, fabs(p->acceleration)));
  double h = scale > 0 ? NEAR / scale : 0;
  bool turn = p->type == &trm_primitive_turn, dot = turn && trm_turn_takes_dot(p->value);
  for (int k = 0; turn && k < 8; k++, h /= 4)
    if (trm_turn_takes_dot(p->value + 3 * h * d->value) == dot &&
        trm_turn_takes_dot(p->value - 3 * h * d->value) == dot)
      break;
  return h;
}

double trm_contract_law(const trm_system *sys, int i, const trm_law *d, const trm_virtual *x) {
  static const double weight[] = {0, 45 / 60.0, -9 / 60.0, 1 / 60.0};
  const trm_primitive *p = &sys->primitives[i];
  const trm_law law = {p->value, p->rate, p->acceleration};
  double h = law_step(p, d), sum = 0;
  for (int k = -3; k <= 3 && h > 0; k++) {
    const trm_law near = {law.value + k * h * d->value, law.rate + k * h * d->rate,
                          law.acceleration + k * h * d->acceleration};
    double w = (k < 0 ? -1 : 1) * weight[k < 0 ? -k : k] / h;
    if (k != 0) sum += w * of_primitive(sys, i, &near, x);
  }
  of_primitive(sys, i, &law, x); /* as it was */
  return sum;
}

/* ---- laws that hang on states ---- */

/* A filter's rate is a state, too. */
int trm_list_laws(const trm_system *sys, trm_law_by *list) {
  const trm_model *model = sys->model;
  int count = 0;
  for (int i = 0; i < sys->law_slope_count; i++) {
    const trm_law_slope *s = &sys->law_slopes[i];
    int smooth = model->signals[model->states[s->state]].smooth;
    list[count++] = (trm_law_by){.primitive = s->primitive, .state = s->state};
    if (smooth)
      list[count++] =
          (trm_law_by){.primitive = s->primitive, .state = model->signals[smooth].state};
  }
  return count;
}

static void add_law(const trm_primitive *p, double weight, trm_law *to) {
  to->value += weight * p->value;
  to->rate += weight * p->rate;
  to->acceleration += weight * p->acceleration;
}

/* By one number that the laws are evaluated with, z or ż of a state; they are linear in ż. */
static bool differentiate_law(trm_system *sys, double t, const double *z, const double *rates,
                              double *x, int primitive, trm_law *slope) {
  static const double weight[] = {0, 45 / 60.0, -9 / 60.0, 1 / 60.0};
  double at = *x, h = NEAR * fmax(1, fabs(at));
  bool good = true;
  *slope = (trm_law){0};
  for (int k = -3; k <= 3 && good; k++) {
    if (k == 0) continue;
    *x = at + k * h;
    good = trm_mechanism_laws(sys, t, z, rates);
    add_law(&sys->primitives[primitive], (k < 0 ? -weight[-k] : weight[k]) / h, slope);
  }
  *x = at;
  return good;
}

bool trm_differentiate_laws(trm_system *sys, double t, const double *v, int count,
                            trm_law_by *list) {
  double *z = (double *)v + sys->n, *rates = sys->state_rate; /* changed, and put back */
  bool good = true;
  for (int i = 0; i < count && good; i++) {
    trm_law_by *d = &list[i];
    good = differentiate_law(sys, t, z, rates, &z[d->state], d->primitive, &d->by_state) &&
           differentiate_law(sys, t, z, rates, &rates[d->state], d->primitive, &d->by_rate);
  }
  return good && trm_mechanism_laws(sys, t, z, rates);
}

void trm_contract_laws(const trm_system *sys, int count, const trm_law_by *list,
                       const trm_virtual *x, double *by_state, double *by_rate) {
  static const trm_law unit[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double along[3] = {0};
  for (int i = 0; i < count; i++) {
    const trm_law_by *d = &list[i];
    for (int k = 0; k < 3 && (i == 0 || list[i - 1].primitive != d->primitive); k++)
      along[k] = trm_contract_law(sys, d->primitive, &unit[k], x);
    by_state[d->state] += along[0] * d->by_state.value + along[1] * d->by_state.rate +
                          along[2] * d->by_state.acceleration;
    by_rate[d->state] += along[0] * d->by_rate.value + along[1] * d->by_rate.rate +
                         along[2] * d->by_rate.acceleration;
  }
}

static void take_winding(trm_scalar *to, const trm_scalar *from) {
  if (to && from) to->winding = from->winding;
}

static void take_force(trm_element *to, const trm_element *from) {
  take_winding(to->scalar, from->scalar);
  take_winding(to->against, from->against);
  memcpy(to->turned, from->turned, sizeof to->turned);
  memcpy(to->turning, from->turning, sizeof to->turning);
}

/* The force of an element has entries at the bodies that it pushes, each listed once here. */
static int list_pushed(const trm_element *e, int body[TRM_MOST_PUSHED]) {
  int all[TRM_MOST_PUSHED], count = 0;
  trm_element_pushes(e, all);
  for (int k = 0; k < TRM_MOST_PUSHED; k++) {
    bool new = all[k] >= 0;
    for (int l = 0; l < k; l++) new = new &&all[l] != all[k];
    if (new) body[count++] = all[k];
  }
  return count;
}

const char *trm_contract_push(trm_element *e, const double *slots, const trm_virtual *x, double *Q,
                              double *sum) {
  double power = 0;
  int body[TRM_MOST_PUSHED], count = list_pushed(e, body), nq = x->motion->nq;
  for (int k = 0; k < count; k++) memset(Q + body[k] * nq, 0, (size_t)nq * sizeof(double));
  const char *reason = e->type->apply(e, x->motion, slots, Q, &power);
  for (int k = 0; k < count && !reason; k++) *sum -= dot(nq, Q + body[k] * nq, x->w + body[k] * nq);
  return reason;
}

/* NULL, or why not. */
static const char *of_force(trm_system *sys, int i, const double *slots, const trm_virtual *x,
                            double *sum) {
  trm_element *e = &sys->elements[i];
  double rates[8] = {0};
  take_force(e, &x->system->elements[i]);
  e->z = x->v + sys->n + e->first_state;
  if (e->type->sense) e->type->sense(e, x->motion);
  const char *reason = trm_contract_push(e, slots, x, sys->Q, sum);
  if (reason) return reason;
  if (e->type->states > 0) e->type->rates(e, x->motion, slots, rates);
  *sum -= dot(e->type->states, rates, x->w + sys->n + e->first_state);
  return NULL;
}

static bool of_forces(trm_system *sys, int count, const int *which, const double *slots,
                      const trm_virtual *x, double *sum) {
  for (int k = 0; k < count; k++) {
    int i = which ? which[k] : k;
    const char *reason = of_force(sys, i, slots, x, sum);
    if (!reason) continue;
    snprintf(sys->error, sizeof sys->error, "t = %.9g: force '%s': %s", x->t,
             sys->model->forces[i].name, reason);
    return false;
  }
  return true;
}

static double turn_along(const trm_scalar *s, const trm_virtual *x) {
  double part[2][TRM_MOST_NQ] = {{0}}, sum = 0;
  int nq = x->motion->nq;
  const int body[2] = {s->end[0].body, s->end[1].body};
  trm_scalar_gradient(s, x->motion, 1, body[0] < 0 ? NULL : part[0], body[1] < 0 ? NULL : part[1]);
  for (int k = 0; k < 2; k++)
    if (body[k] >= 0) sum += dot(nq, part[k], x->w + body[k] * nq);
  return sum;
}

double trm_contract_stretch(const trm_element *e, const trm_virtual *x) {
  return turn_along(e->scalar, x) - (e->against ? turn_along(e->against, x) : 0);
}

void trm_add_slopes(const trm_system *sys, const trm_system *base, double weight,
                    const trm_differing *parts) {
  for (int k = 0; k < parts->springs; k++) {
    trm_spring_slope *d = &parts->spring[k];
    const trm_element *e = &sys->elements[d->force];
    d->stiffness += weight * e->stiffness.number;
    d->damping += weight * e->damping.number;
    d->free += weight * e->free.number;
  }
  for (int k = 0; k < parts->masses; k++) {
    trm_mass_slope *d = &parts->mass[k];
    int nq = sys->motion.nq;
    double M[TRM_MOST_NQ] = {0};
    const trm_inertia inertia = inertia_of(sys, d->body, base);
    sys->motion.coordinates->mass(&inertia, NULL, M);
    trm_axpy(nq, weight, M, d->M);
    trm_axpy(nq, weight, sys->weight_force + d->body * nq, d->weight);
  }
}

static double of_masses(const trm_differing *parts, const trm_virtual *x) {
  double sum = 0;
  for (int k = 0; k < parts->masses; k++) {
    const trm_mass_slope *d = &parts->mass[k];
    int nq = x->motion->nq, at = d->body * nq;
    for (int i = 0; i < nq; i++) sum += x->w[at + i] * (d->M[i] * x->a[at + i] - d->weight[i]);
  }
  return sum;
}

/* Its force along the scalar s is −k (s − s0) − c ṡ. */
static double of_springs(const trm_differing *parts, const trm_virtual *x) {
  double sum = 0;
  for (int k = 0; k < parts->springs; k++) {
    const trm_spring_slope *d = &parts->spring[k];
    const trm_element *e = &x->system->elements[d->force];
    double stretch = trm_element_value(e, x->motion) - e->free.number;
    double effort = d->stiffness * stretch - e->stiffness.number * d->free;
    if (d->damping != 0) effort += d->damping * trm_element_rate(e, x->motion);
    sum += effort * trm_contract_stretch(e, x);
  }
  return sum;
}

double trm_contract_slopes(const trm_differing *parts, const trm_virtual *x) {
  return of_masses(parts, x) + of_springs(parts, x);
}

void trm_system_visit(trm_system *sys, double t, const double *q, const double *v) {
  trm_mechanism_fill_slots(sys, t, q, v);
  sys->frames_stale = false;
  sys->v = v;
}

/* ---- sums ---- */

static bool contract_whole(trm_system *sys, const trm_tangent *tangent, const trm_virtual *x,
                           double *sum) {
  double *r = sys->Q, *g = sys->C; /* room, once what they hold has been read */
  trm_system_take_turns(sys, x->system);
  trm_system_take_states(sys, x->v);
  if (!trm_system_position(sys, x->t, x->motion->q) || !trm_system_linearize(sys, x->v) ||
      !trm_system_velocity(sys, x->v))
    return false;
  trm_jacobian_times(&sys->structure, sys->Cq, x->a, g);
  *sum = dot(sys->m, x->nu, g) - dot(sys->m, x->nu, sys->Qd);
  *sum -= dot(sys->states, x->w + sys->n, sys->state_rate);
  *sum -= dot(sys->n, x->w, sys->Q);
  trm_jacobian_times(&sys->structure, sys->Cq, x->w, g);
  *sum += dot(sys->m, x->lambda, g);
  trm_mass_times(&sys->structure, sys->M, x->a, r);
  *sum += dot(sys->n, x->w, r);
  const trm_structure *s = &sys->structure;
  for (int i = 0; i < s->massless; i++) {
    int start = s->q_start[s->massless_block[i]], nq = sys->motion.nq;
    const double *N = sys->N + s->massless_value[i];
    double rate = sys->massless_bias[i] + dot(nq, N, x->a + start);
    if (!tangent->kept[i]) *sum -= s->massless_inertia[i] * rate * dot(nq, N, x->w + start);
  }
  return true;
}

bool trm_contract(trm_system *sys, const trm_tangent *tangent, const trm_differing *parts,
                  const trm_virtual *x, double *sum) {
  *sum = 0;
  if (parts->whole) return contract_whole(sys, tangent, x, sum);
  for (int k = 0; k < parts->bodies; k++) *sum += of_body(sys, parts->body[k], x);
  for (int k = 0; k < parts->primitives; k++)
    *sum += of_primitive_there(sys, parts->primitive[k], x);
  if (!parts->slots) return of_forces(sys, parts->forces, parts->force, x->slots, x, sum);
  trm_system_take_turns(sys, x->system);
  trm_system_visit(sys, x->t, x->motion->q, x->v);
  /* those of force elements follow with these */
  *sum -= dot(sys->model->state_count, x->w + sys->n, sys->state_rate);
  return of_forces(sys, sys->model->force_count, NULL, sys->slots, x, sum);
}

/* ---- what differs ---- */

static bool is_same(double x, double y) {
  return fabs(x - y) <= ROUND_OFF * (fabs(x) + fabs(y)) || (isnan(x) && isnan(y));
}

static bool quantities_are_same(const trm_quantity *x, const trm_quantity *y) {
  if (!x->formula || !y->formula) return !x->formula && !y->formula && x->number == y->number;
  return trm_expression_is_same(x->formula, y->formula);
}

static bool signals_are_same(const trm_model *one, const trm_model *other) {
  for (int i = 0; i < one->signal_count; i++)
    if (!quantities_are_same(&one->signals[i].value, &other->signals[i].value)) return false;
  return true;
}

static bool inputs_are_same(trm_system *one, trm_system *other, const trm_virtual *x) {
  if (one->model->input_count == 0) return true;
  trm_system_visit(one, x->t, x->motion->q, x->v);
  trm_system_visit(other, x->t, x->motion->q, x->v);
  if (!signals_are_same(one->model, other->model)) return false;
  for (int i = 0; i <= one->model->input_count; i++)
    if (!is_same(one->slots[i], other->slots[i])) return false;
  return true;
}

/* Of the motion alone; both have just been visited. */
static bool measures_are_same(const trm_system *one, const trm_system *other) {
  for (int i = 0; i < one->model->input_count; i++)
    if (!trm_is_signal(&one->model->inputs[i]) && !is_same(one->slots[1 + i], other->slots[1 + i]))
      return false;
  return true;
}

static bool formulas_are_same(const trm_element *e, const trm_element *f) {
  bool same = quantities_are_same(&e->stiffness, &f->stiffness) &&
              quantities_are_same(&e->damping, &f->damping) &&
              quantities_are_same(&e->free, &f->free);
  for (int k = 0; k < TRM_MOST_VALUES; k++)
    same = same && quantities_are_same(&e->value[k], &f->value[k]);
  return same;
}

static bool is_spring_of_numbers(const trm_element *e) {
  return e->type == &trm_element_spring && !e->stiffness.formula && !e->damping.formula &&
         !e->free.formula;
}

static bool laws_are_same(trm_system *one, trm_system *other, int i, const trm_virtual *x) {
  trm_law a, b;
  return trm_read_law(one, x, i, &a) && trm_read_law(other, x, i, &b) &&
         is_same(a.value, b.value) && is_same(a.rate, b.rate) &&
         is_same(a.acceleration, b.acceleration);
}

/* A law may hang on variables, and on the rates of states. */
static bool primitive_is_same(trm_system *one, trm_system *other, bool signals, int i,
                              const trm_virtual *x) {
  const trm_quantity *law = one->law[i], *changed = other->law[i];
  if (law && !(signals && quantities_are_same(law, changed))) return false;
  if (law && one->filtered && !laws_are_same(one, other, i, x)) return false;
  return is_same(of_primitive_there(one, i, x), of_primitive_there(other, i, x));
}

bool trm_find_differing(trm_system *one, trm_system *other, int parameter, trm_symbols *symbols,
                        const trm_virtual *x, trm_arena *arena, trm_differing *to) {
  const trm_model *model = one->model;
  to->body = TRM_NEW(arena, int, model->body_count + 1);
  to->primitive = TRM_NEW(arena, int, one->primitive_count + 1);
  to->force = TRM_NEW(arena, int, model->force_count + 1);
  to->spring = TRM_NEW(arena, trm_spring_slope, model->force_count + 1);
  to->mass = TRM_NEW(arena, trm_mass_slope, model->body_count + 1);
  if (trm_arena_failed(arena) || !trm_symbols_chain(symbols, arena, &to->chain)) return false;
  to->whole = one->structure.massless != other->structure.massless;
  if (to->whole) return true;
  bool signals = signals_are_same(model, other->model);
  const trm_coordinates *co = one->motion.coordinates;
  bool constant = co->mass_constant && co->mass_diagonal && !co->inertia_force;
  for (int b = 0; b < one->structure.blocks; b++) {
    if (is_same(of_body(one, b, x), of_body(other, b, x))) continue;
    if (constant)
      to->mass[to->masses++].body = b;
    else
      to->body[to->bodies++] = b;
  }
  for (int i = 0; i < one->primitive_count; i++)
    if (!primitive_is_same(one, other, signals, i, x)) {
      to->primitive[to->primitives++] = i;
      to->laws |= one->law[i] != NULL;
    }
  bool known = trm_symbols_begin(symbols, other->model, parameter, &to->chain);
  to->slots = !inputs_are_same(one, other, x) &&
              !(known && measures_are_same(one, other) &&
                trm_symbols_add_signals(symbols, other->model, &to->chain));
  for (int i = 0; i < model->force_count; i++) {
    bool form = trm_element_is_alike(&one->elements[i], &other->elements[i]);
    if (form && formulas_are_same(&one->elements[i], &other->elements[i])) continue;
    bool formulas = !to->slots && form;
    if (formulas && is_spring_of_numbers(&one->elements[i]) &&
        is_spring_of_numbers(&other->elements[i]))
      to->spring[to->springs++].force = i;
    else if (!(formulas && known && trm_symbols_add_force(symbols, other->model, i, &to->chain)))
      to->force[to->forces++] = i;
  }
  return true;
}
