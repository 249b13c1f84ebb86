/* Stiff motion: an explicit pair's steps are as short as its fastest eigenvalue asks for, though
 * the motion is slow.
 *
 * Its last stage and its result are at the same time. By how much their rates differ, and their
 * states, tells that eigenvalue λ (Hairer & Wanner II, IV.2). All is measured in units of the step:
 * of |(q, h v)| all parts are lengths, and what the step follows, h |λ| < 1, does not come out at
 * more than one. Stability limits h |λ|, but at tight tolerances steps are shorter than that, for a
 * pair loses its order as soon as it feels λ. Smooth motion changes its accelerations by about h
 * |λ| in a step; where they change much less, λ is not of the motion.
 *
 * Next to a singular position both differences are round-off, and tell nothing (cross_singular.c).
 */
#include <string.h>

#include "integrator/integrator.h"
#include "math/rank.h"

#define EVERY        8   /* steps of a motion that is not suspected: one is examined */
#define STIFF        15  /* steps that λ limits, less than … */
#define SMOOTH       6   /* others in a row between them */
#define NEGLIGIBLE   0.2 /* h |λ|: below it λ does not matter to the step */
#define FASTER       100 /* than the motion λ is where it is not part of it */
#define GROWS        1.5 /* times the last step: the next one is not held back */
#define PROBE        5   /* steps by the other method until it is asked again whether it gains */
#define PROBES       3   /* times it did not, in a row */
#define WORTH        8   /* steps of the pair: what one of the other method costs, at most */
#define MOST_LIMITED 1e6 /* steps: what it grows to at most */
#define PERTURBATION                                                                               \
  1e-7 /* of the model's length: differences there are linear, above round-off                     \
        */

static void keep(trm_stiffness *s, trm_arena *arena) {
  TRM_KEEP(arena, s->limited);
  TRM_KEEP(arena, s->smooth);
  TRM_KEEP(arena, s->since_estimate);
  TRM_KEEP(arena, s->limits);
  TRM_KEEP(arena, s->reach);
  TRM_KEEP(arena, s->since);
  TRM_KEEP(arena, s->stiffly);
  TRM_KEEP(arena, s->has_gained);
  TRM_KEEP(arena, s->failures);
  TRM_KEEP(arena, s->gain);
  TRM_KEEP(arena, s->limited_to_switch);
  TRM_KEEP(arena, s->steps);
  TRM_KEEP(arena, s->switches);
  TRM_KEEP(arena, s->times);
}

bool trm_stiffness_create(trm_integrator *in, trm_arena *arena) {
  in->stiffness = TRM_NEW(arena, trm_stiffness, 1);
  if (!in->stiffness) return false;
  in->stiffness->limited_to_switch = STIFF;
  keep(in->stiffness, arena);
  return true;
}

bool trm_stiffness_has_started(const trm_integrator *in) {
  return in->stiffness && in->stiffness->other && in->stiffness->other->own;
}

bool trm_stiffness_start(trm_integrator *in, trm_dynamics *d, double t, const double *y) {
  trm_stiffness *s = in->stiffness;
  if (!s || !s->other || s->other->own) return true;
  return trm_integrator_start(s->other, d, s->arena, t, y);
}

bool trm_integrator_add_stiff_method(trm_integrator *in, const trm_settings *settings,
                                     trm_arena *arena, trm_dynamics *d) {
  trm_settings other = *settings;
  trm_stiffness *s = in->stiffness;
  other.integrator = "radau5";
  if (!s || trm_integrator_refuses(&other, NULL)) return true;
  s->arena = arena;
  s->direction = TRM_KEEP_NEW(arena, double, in->size);
  s->perturbed = TRM_NEW(arena, double, in->size);
  s->other = trm_integrator_create(&other, arena, d);
  return s->direction && s->perturbed && s->other;
}

/* h λ of a change (q, v) whose rates change by (v, a), all in units of the step. */
typedef struct growth {
  double q2, v2, a2;
} growth;

static double growth_of(growth g) {
  double from = g.q2 + g.v2, to = g.v2 + g.a2;
  return from > 0 && to < INFINITY ? sqrt(to / from) : 0;
}

static void add(growth *g, double unit, double q, double v, double a) {
  g->q2 += q * q / (unit * unit);
  g->v2 += v * v / (unit * unit);
  g->a2 += a * a / (unit * unit);
}

/* h |λ|, from the last stage of a pair to its result; the way, where it is asked for. */
static double last_growth(const trm_integrator *in, const trm_dynamics *d, double *way) {
  const trm_tableau *rk = in->type->tableau;
  const double *a = rk->a + (ptrdiff_t)(rk->stages - 1) * rk->stages;
  const double *last = in->k + (ptrdiff_t)(rk->stages - 1) * in->size, *end = last + in->size;
  double h = in->length;
  growth g = {0};
  for (int i = 0; i < d->at.v; i++) {
    double q = 0, v = 0;
    for (int s = 0; s < rk->stages; s++) {
      const double *k = in->k + (ptrdiff_t)s * in->size;
      q += (rk->b[s] - a[s]) * k[i];
      v += (rk->b[s] - a[s]) * k[d->at.v + i];
    }
    add(&g, d->unit[i], h * q, h * h * v, h * h * (end[d->at.v + i] - last[d->at.v + i]));
    if (!way) continue;
    way[i] = h * q;
    way[d->at.v + i] = h * v;
  }
  return growth_of(g);
}

/* By how much of themselves accelerations change in a step. */
static double change(const trm_integrator *in, const trm_dynamics *d) {
  const double *a = in->k + d->at.v, *end = a + (ptrdiff_t)in->type->tableau->stages * in->size;
  growth g = {0};
  for (int i = 0; i < d->at.v; i++) add(&g, d->unit[i], a[i], end[i] - a[i], 0);
  return sqrt(g.v2 / g.q2);
}

static bool is_next_to_singular(trm_integrator *in, const trm_dynamics *d) {
  double pivot = trm_solver_least_pivot(d->solver);
  in->largest_pivot = fmax(in->largest_pivot, pivot);
  return d->system->m > 0 && pivot < TRM_PIVOT_WEAK * in->largest_pivot;
}

/* After a step of the pair. */
static void watch(trm_integrator *in, trm_dynamics *d, double t) {
  trm_stiffness *s = in->stiffness;
  if (in->length == 0 || (s->limited == 0 && ++s->since_estimate < EVERY)) return;
  s->since_estimate = 0;
  double z = last_growth(in, d, NULL);
  bool held = in->next < GROWS * in->length && !is_next_to_singular(in, d);
  if (held && (z > in->type->stable || (z > NEGLIGIBLE && z > FASTER * change(in, d)))) {
    s->reach = s->limited ? s->reach + (fmin(z, in->type->stable) - s->reach) / STIFF : z;
    s->smooth = 0;
    s->limited++;
    if (s->limited == STIFF && s->limits == 0) s->since = t;
    s->limits += s->limited == STIFF ? STIFF : s->limited > STIFF;
  } else if (++s->smooth >= SMOOTH) {
    s->limited = 0;
  }
}

/* The direction is turned towards the fastest one by each evaluation. */
static double perturb(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                      const double *ydot) {
  trm_stiffness *s = in->stiffness;
  double *u = s->direction, *rates = s->perturbed, size = 0;
  growth g = {0};
  for (int i = 0; i < d->at.v; i++) add(&g, d->unit[i], u[i], h * u[d->at.v + i], 0);
  size = PERTURBATION / sqrt(g.q2 + g.v2);
  if (!(size < INFINITY)) return 0;
  for (int i = 0; i < in->size; i++) u[i] = y[i] + size * u[i];
  if (!trm_dynamics_rates(d, t, u, rates)) return 0;
  g = (growth){0};
  for (int i = 0; i < d->at.v; i++) {
    double q = u[i] - y[i], v = u[d->at.v + i] - y[d->at.v + i],
           a = rates[d->at.v + i] - ydot[d->at.v + i];
    add(&g, d->unit[i], q, h * v, h * h * a);
    u[i] = v;
    u[d->at.v + i] = a;
  }
  u[d->at.work] = 0;
  return growth_of(g);
}

/* h |λ| of a step of length h; the mean of two, for a frequency exchanges q and v. */
static double probe(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                    const double *ydot) {
  double one = perturb(in, d, t, h, y, ydot), two = perturb(in, d, t, h, y, ydot);
  return sqrt(one * two);
}

static void count_switch(trm_stiffness *s, double t) {
  if (s->switches < TRM_SWITCHES) s->times[s->switches] = t;
  s->switches++;
  s->stiffly = !s->stiffly;
}

/* A fresh start with steps as long as those before. */
static void hand_over(trm_integrator *from, trm_integrator *to) {
  to->next = from->next;
  to->longest = from->longest;
  to->error = 0;
  to->length = 0; /* nothing to go on with */
  trm_integrator_restart(to);
}

static void go_over(trm_integrator *in, trm_dynamics *d, double t, const double *y) {
  trm_stiffness *s = in->stiffness;
  last_growth(in, d, s->direction);
  s->direction[d->at.work] = 0;
  if (!trm_stiffness_start(in, d, t, y)) {
    s->other = NULL; /* out of memory: on as before */
    return;
  }
  hand_over(in, s->other);
  count_switch(s, t);
  s->since_estimate = s->failures = 0;
  s->gain = 1;
  s->has_gained = false;
}

/* Where that gained nothing it is tried again only after twice as many steps. */
static void go_back(trm_integrator *in, double t) {
  trm_stiffness *s = in->stiffness;
  hand_over(s->other, in);
  in->next /= fmax(s->gain, 1);
  count_switch(s, t);
  s->limited = s->smooth = s->since_estimate = 0;
  s->limited_to_switch = s->has_gained ? STIFF : fmin(2 * s->limited_to_switch, MOST_LIMITED);
}

/* Whether a step of the other method is as long as all those of the pair that it costs, or has
 * lately been. */
static bool is_worth(trm_integrator *in, trm_dynamics *d, double t, const double *y,
                     const double *ydot) {
  trm_stiffness *s = in->stiffness;
  if (++s->since_estimate < PROBE) return true;
  s->since_estimate = 0;
  s->gain = probe(in, d, t, s->other->next, y, ydot) / s->reach;
  s->failures = s->gain > WORTH ? 0 : s->failures + 1;
  s->has_gained = s->has_gained || s->failures == 0;
  return s->failures < PROBES;
}

static bool step_other(trm_integrator *in, trm_dynamics *d, double t, double *end, const double *y,
                       const double *ydot) {
  trm_integrator *other = in->stiffness->other;
  double last = *end;
  if (!trm_variable_step(other, d, t, end, 0, y, ydot)) {
    *end = last;
    return false;
  }
  memcpy(in->trial, other->trial, (size_t)in->size * sizeof(double));
  memcpy(in->rates, other->rates, (size_t)in->size * sizeof(double));
  in->stiffness->steps++;
  return true;
}

bool trm_stiffness_step(trm_integrator *in, trm_dynamics *d, double t, double *end, double h,
                        const double *y, const double *ydot) {
  trm_stiffness *s = in->stiffness;
  if (!s->stiffly && s->other && s->limited >= s->limited_to_switch) go_over(in, d, t, y);
  if (s->stiffly) {
    if (is_worth(in, d, t, y, ydot) && step_other(in, d, t, end, y, ydot)) return true;
    go_back(in, t);
  }
  if (!trm_variable_step(in, d, t, end, h, y, ydot)) return false;
  watch(in, d, *end);
  return true;
}
