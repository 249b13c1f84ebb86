/* Which runs disagree. With one integrator, coordinates change only the error constant and solvers
 * only round-off: together they tell what difference is usual. */
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMES    10.0  /* as far as usual: error constants differ, but not more */
#define LOST     0.01  /* of a column's range */
#define ROUNDING 1e-9  /* differences below are round-off */
#define SMALLEST 1e-11 /* violation that corrections are held to */

enum { MOST_COORDINATES = 16 };

static bool is(const char *a, const char *b) {
  return strcmp(a, b) == 0;
}

static bool is_corrected(const trm_cli_trial *trial) {
  const char *stabilization = trial->settings.stabilization;
  return is(stabilization, "direct") || is(stabilization, "partition");
}

static bool same_integrator(const trm_cli_trial *a, const trm_cli_trial *b) {
  return is(a->settings.integrator, b->settings.integrator);
}

static bool same_group(const trm_cli_trial *a, const trm_cli_trial *b) {
  return same_integrator(a, b) && is(a->settings.stabilization, b->settings.stabilization);
}

static bool same_coordinates(const trm_cli_trial *a, const trm_cli_trial *b) {
  return is(a->settings.coordinates, b->settings.coordinates);
}

static bool is_judged(const trm_cli_trial *trial) {
  return trial->state == TRM_TRIAL_DONE || trial->state == TRM_TRIAL_FAILED;
}

/* A failure is farther off than any number, and so is what is none; the first is not compared. */
static double distance(const trm_cli_trial *trial) {
  if (trial->state == TRM_TRIAL_FAILED) return INFINITY;
  if (trial->difference_column < 0) return 0;
  return isnan(trial->difference) ? INFINITY : trial->difference;
}

static double rounding(const trm_cli_trial *trial) {
  return fmax(ROUNDING, 10 * trial->settings.tolerance);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Of two, the smaller. */
static double median(double *values, int count) {
  if (count == 0) return NAN;
  qsort(values, (size_t)count, sizeof *values, by_size);
  return values[(count - 1) / 2];
}

static double group_median(const trm_cli_trials *all, const trm_cli_trial *member, double *values) {
  int count = 0;
  for (int k = 1; k < all->count; k++) {
    const trm_cli_trial *trial = &all->trials[k];
    if (is_judged(trial) && same_group(trial, member)) values[count++] = distance(trial);
  }
  return median(values, count);
}

/* Over the solvers. Those who share the errors of the first have no difference to tell. */
static double solvers_median(const trm_cli_trials *all, const trm_cli_trial *member,
                             double *values) {
  const trm_cli_trial *first = &all->trials[0];
  int count = 0;
  if (same_group(member, first) && same_coordinates(member, first)) return NAN;
  for (int k = 1; k < all->count; k++) {
    const trm_cli_trial *trial = &all->trials[k];
    if (is_judged(trial) && same_group(trial, member) && same_coordinates(trial, member))
      values[count++] = distance(trial);
  }
  return median(values, count);
}

/* The largest in these coordinates, with this integrator. Direct correction and partition are
 * equally good, but which of them is lucky depends on the model. */
static double usual_in(const trm_cli_trials *all, const char *coordinates,
                       const trm_cli_trial *member, double *values) {
  double usual = NAN;
  for (int k = 1; k < all->count; k++) {
    const trm_cli_trial *trial = &all->trials[k];
    if (!is_judged(trial) || !is(trial->settings.coordinates, coordinates)) continue;
    bool alike = is_corrected(trial) && is_corrected(member) && same_integrator(trial, member);
    if (alike || same_group(trial, member)) usual = fmax(usual, solvers_median(all, trial, values));
  }
  return usual;
}

/* The largest of all coordinates, but not of one that stands alone: it may be wrong. (The smallest
 * may be exact by chance: an angle that is a polynomial of time.) */
static double usual_difference(const trm_cli_trials *all, const trm_cli_trial *trial,
                               double *values) {
  double usual[MOST_COORDINATES];
  int count = 0;
  for (int k = 0; k < trm_method_count() && count < MOST_COORDINATES; k++) {
    const trm_method *method = trm_method_get(k);
    if (!is(method->key, "coordinates")) continue;
    double one = usual_in(all, method->name, trial, values);
    if (!isnan(one)) usual[count++] = one;
  }
  if (count == 0) return group_median(all, trial, values);
  qsort(usual, (size_t)count, sizeof *usual, by_size);
  while (count > 1 && usual[count - 1] > TIMES * usual[count - 2] + rounding(trial)) count--;
  return usual[count - 1];
}

static void judge_difference(trm_cli_trial *trial, bool all_lost) {
  double limit = TIMES * trial->usual + rounding(trial);
  if (all_lost) limit = fmin(limit, LOST);
  if (!(distance(trial) > limit)) return;
  trial->mark = TRM_MARK_OUTLIER;
  if (trial->state == TRM_TRIAL_DONE)
    snprintf(trial->message, sizeof trial->message, "difference %.2e, where %.2e is usual",
             trial->difference, trial->usual);
}

static void judge_violation(trm_cli_trial *trial) {
  double limit = fmax(10 * trial->settings.tolerance, SMALLEST);
  if (!is_corrected(trial) || trial->position <= limit) return;
  trial->mark = TRM_MARK_OUTLIER;
  snprintf(trial->message, sizeof trial->message, "position violation %.2e, more than %.2e",
           trial->position, limit);
}

static void judge(trm_cli_trial *trial, bool lost, bool all_lost) {
  if (lost && !all_lost) {
    if (distance(trial) > LOST) trial->mark = TRM_MARK_LOST;
    return;
  }
  if (trial->state == TRM_TRIAL_DONE) judge_violation(trial);
  if (trial->mark == TRM_MARK_NONE) judge_difference(trial, all_lost);
  if (isfinite(distance(trial))) return;
  trial->mark = TRM_MARK_OUTLIER;
  if (trial->state == TRM_TRIAL_DONE)
    snprintf(trial->message, sizeof trial->message, "the difference is not finite");
}

/* The first run cannot differ from itself: it is wrong where its coordinates by other methods come
 * near to it, and no other coordinates do. */
static void judge_first(trm_cli_trials *all) {
  trm_cli_trial *first = &all->trials[0];
  double same = INFINITY, others = INFINITY;
  for (int k = 1; k < all->count; k++) {
    const trm_cli_trial *trial = &all->trials[k];
    if (!is_judged(trial) || same_group(trial, first)) continue;
    double *nearest = same_coordinates(trial, first) ? &same : &others;
    *nearest = fmin(*nearest, distance(trial));
  }
  if (isinf(same) || isinf(others) || others <= TIMES * same + rounding(first)) return;
  first->mark = TRM_MARK_OUTLIER;
  snprintf(first->message, sizeof first->message,
           "no run in other coordinates comes nearer than %.2e; in these, %.2e", others, same);
}

static trm_cli_trial *find_same(trm_cli_trials *all, int index) {
  for (int k = 0; k < index; k++) {
    trm_cli_trial *trial = &all->trials[k];
    if (trial->state == TRM_TRIAL_DONE && trial->print == all->trials[index].print) return trial;
  }
  return NULL;
}

/* By what its methods differ from those of another. */
static void name_other(trm_cli_trial *trial, const trm_settings *other) {
  const trm_settings *own = &trial->settings;
  const char *const names[][2] = {{other->coordinates, own->coordinates},
                                  {other->solver, own->solver},
                                  {other->stabilization, own->stabilization},
                                  {other->integrator, own->integrator}};
  int used = snprintf(trial->message, sizeof trial->message, "same as with");
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (!is(names[k][0], names[k][1]))
      used +=
          snprintf(trial->message + used, sizeof trial->message - (size_t)used, " %s", names[k][0]);
}

void trm_cli_find_same(trm_cli_trials *all) {
  for (int k = 1; k < all->count; k++) {
    trm_cli_trial *trial = &all->trials[k];
    if (trial->state != TRM_TRIAL_DONE || trial->print == 0) continue;
    const trm_cli_trial *same = find_same(all, k);
    if (!same) continue;
    trial->state = TRM_TRIAL_SAME;
    name_other(trial, &same->settings);
  }
}

void trm_cli_judge_trials(trm_cli_trials *all) {
  double *values = calloc(2 * (size_t)all->count, sizeof *values);
  bool all_lost = true;
  if (!values) return;
  double *medians = values + all->count;
  for (int k = 0; k < all->count; k++) {
    trm_cli_trial *trial = &all->trials[k];
    if (!is_judged(trial)) continue;
    medians[k] = group_median(all, trial, values);
    trial->usual = usual_difference(all, trial, values);
    if (!(medians[k] > LOST)) all_lost = false;
  }
  for (int k = 0; k < all->count; k++)
    if (is_judged(&all->trials[k])) judge(&all->trials[k], medians[k] > LOST, all_lost);
  judge_first(all);
  /* without it nothing was compared */
  if (all->trials[0].state == TRM_TRIAL_FAILED) all->trials[0].mark = TRM_MARK_OUTLIER;
  free(values);
}

int trm_cli_count_marks(const trm_cli_trials *all, trm_cli_mark mark) {
  int count = 0;
  for (int k = 0; k < all->count; k++) count += all->trials[k].mark == mark;
  return count;
}

int trm_cli_count_states(const trm_cli_trials *all, trm_cli_state state) {
  int count = 0;
  for (int k = 0; k < all->count; k++) count += all->trials[k].state == state;
  return count;
}
