/* The search itself: NLopt's SLSQP or MMA from one start or several. Parameters go from 0 to 1
 * between their bounds. */
#include "analysis/search.h"

#include <math.h>
#include <string.h>

#ifdef TRM_NLOPT
#include <nlopt.h>

/* relative changes of the value, and of parameters by their bounds, at the end */
#define FINE 1e-10

typedef struct condition {
  trm_search *s;
  int goal; /* −1: what is to be small */
  double factor;
  nlopt_opt nlopt;
} condition;

static void place(const trm_search *s, const double *u, double *x) {
  for (int k = 0; k < s->count; k++) {
    const double *b = s->section->bounds[k];
    x[k] = b[0] + u[k] * (b[1] - b[0]);
  }
}

static double value_of(unsigned count, const double *u, double *slope, void *context) {
  condition *c = context;
  trm_search *s = c->s;
  trm_status status;
  place(s, u, s->x);
  const trm_candidate *p = trm_search_evaluate(s, s->x, NULL, &status);
  if (!p || s->stopped) {
    nlopt_force_stop(c->nlopt);
    return HUGE_VAL;
  }
  for (unsigned k = 0; slope && k < count; k++) slope[k] = 0;
  if (isnan(p->value[0])) return HUGE_VAL; /* a mechanism that does not move is no good one */
  double value = trm_search_value(s, p, c->goal, c->factor, slope);
  if (c->goal >= 0) return value;
  for (unsigned k = 0; slope && k < count; k++) slope[k] *= c->factor;
  return c->factor * value;
}

static nlopt_opt create(trm_search *s, condition *conditions) {
  const trm_optimize *o = s->section;
  bool mma = strcmp(o->method, "mma") == 0;
  nlopt_opt nlopt = nlopt_create(mma ? NLOPT_LD_MMA : NLOPT_LD_SLSQP, (unsigned)s->count);
  if (!nlopt) return NULL;
  /* methods that build up curvature want a value of about one */
  double first = fabs(s->found.start_value);
  conditions[0] = (condition){s, -1, first > 0 && isfinite(first) ? 1 / first : 1, nlopt};
  nlopt_set_min_objective(nlopt, value_of, &conditions[0]);
  for (int k = 0; k < o->condition_count; k++) {
    conditions[k + 1] = (condition){s, o->term_count + k, s->sign[k], nlopt};
    nlopt_add_inequality_constraint(nlopt, value_of, &conditions[k + 1], 1e-9);
  }
  nlopt_set_lower_bounds1(nlopt, 0);
  nlopt_set_upper_bounds1(nlopt, 1);
  nlopt_set_ftol_rel(nlopt, FINE);
  nlopt_set_xtol_rel(nlopt, FINE);
  return nlopt;
}

/* Halton's points fill the box evenly, the same each time. */
static double halton(int index, int dimension) {
  static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
  int base = primes[dimension % 16];
  double part = 1, sum = 0;
  for (int i = index + 20 * (dimension / 16); i > 0; i /= base) {
    part /= base;
    sum += part * (i % base);
  }
  return sum;
}

static void choose_start(const trm_search *s, int which, double *u) {
  const trm_optimize *o = s->section;
  for (int k = 0; k < s->count; k++)
    u[k] = which > 0 ? halton(which, k)
                     : (s->found.start[k] - o->bounds[k][0]) / (o->bounds[k][1] - o->bounds[k][0]);
}

static const char *word_of(const trm_search *s, nlopt_result result, double value) {
  /* round-off ends a search where there is no more to gain */
  bool found = (result > 0 || result == NLOPT_ROUNDOFF_LIMITED) && isfinite(value);
  return s->stopped                        ? "interrupted"
         : result == NLOPT_MAXEVAL_REACHED ? "limit"
         : found                           ? "found"
                                           : "failed";
}

/* From one start; how many evaluations NLopt has made. The best of all starts is kept. */
static int search_from(trm_search *s, nlopt_opt nlopt, int which, int most, double *u) {
  size_t bytes = (size_t)s->count * sizeof(double);
  double *before = TRM_NEW(s->arena, double, s->count + 1), ignored, best = s->best_value;
  double *found = TRM_NEW(s->arena, double, s->count + 1);
  if (!before || !found) {
    s->no_memory = true;
    return 0;
  }
  memcpy(before, s->best, bytes);
  s->best_value = NAN;
  s->at = NULL; /* what was evaluated before is judged again */
  choose_start(s, which, u);
  nlopt_set_maxeval(nlopt, most);
  nlopt_result result = nlopt_optimize(nlopt, u, &ignored);
  if (result == NLOPT_OUT_OF_MEMORY) s->no_memory = true;
  double value = s->best_value;
  const char *word = word_of(s, result, value);
  memcpy(found, s->best, bytes);
  s->starts[which] = (trm_optimum_start){word, value, isnan(value) ? NULL : found};
  bool better = !isnan(value) && !(value >= best);
  if (better || which == 0) s->found.status = word;
  if (!better) {
    memcpy(s->best, before, bytes);
    s->best_value = best;
  }
  return nlopt_get_numevals(nlopt);
}

void trm_search_all(trm_search *s) {
  condition *conditions = TRM_NEW(s->arena, condition, s->section->condition_count + 1);
  double *u = TRM_NEW(s->arena, double, s->count + 1);
  nlopt_opt nlopt = conditions && u ? create(s, conditions) : NULL;
  s->no_memory |= !nlopt;
  int left = s->most;
  s->found.status = "failed";
  s->best_value = NAN;
  for (int i = 0; i < s->section->starts && !s->no_memory; i++) {
    if (s->stopped || left <= 0)
      s->starts[i] = (trm_optimum_start){s->stopped ? "interrupted" : "limit", NAN, NULL};
    else
      left -= search_from(s, nlopt, i, left, u);
  }
  if (s->stopped) s->found.status = "interrupted";
  nlopt_destroy(nlopt);
}

#else

void trm_search_all(trm_search *s) {
  s->found.status = "failed";
}

#endif
