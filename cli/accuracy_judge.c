/* Observed orders, the floor under all errors, the front of work and precision. */
#include "accuracy.h"

#include <math.h>

#define FLOOR 10.0 /* times the reference's own error: it is not known better than that */
#define SMALL 1e-6 /* of the motion: errors above are those of the method */

enum { LEVELS = 7 }; /* 1e-2 … 1e-14 */

int trm_cli_count_points(const trm_cli_accuracy *a, trm_cli_state state) {
  int count = 0;
  for (int k = 0; k < a->count; k++) count += a->points[k].run.state == state;
  return count;
}

static bool is_done(const trm_cli_point *point) {
  return point->run.state == TRM_TRIAL_DONE;
}

static double error_of(const trm_cli_point *point) {
  return point->run.difference;
}

static bool follows(const trm_cli_point *before, const trm_cli_point *point) {
  return before->series == point->series && is_done(before) && is_done(point) &&
         before->run.step > point->run.step;
}

static double observed_order(const trm_cli_point *before, const trm_cli_point *point) {
  if (!(error_of(before) > 0) || !(error_of(point) > 0)) return NAN;
  return log(error_of(before) / error_of(point)) / log(before->run.step / point->run.step);
}

/* An error that hardly falls with the step, from two units in the last place to one, is round-off
 * or the reference's; finer steps do not change that. */
static void judge_order(const trm_cli_accuracy *a, trm_cli_point *before, trm_cli_point *point) {
  double small = SMALL * a->exact.scale;
  if (!before || !follows(before, point)) return;
  point->order = observed_order(before, point);
  bool ends = point->order <= 1 && error_of(before) < small && error_of(point) < small;
  if (ends) before->floor = true;
  if (before->floor) point->floor = true;
}

/* Below the floor all are equally accurate. */
static bool is_better(const trm_cli_point *one, const trm_cli_point *other) {
  bool as_accurate = error_of(one) <= error_of(other) || (one->floor && other->floor);
  bool as_fast = one->run.cpu_seconds <= other->run.cpu_seconds;
  bool equal = error_of(one) == error_of(other) && one->run.cpu_seconds == other->run.cpu_seconds;
  return as_accurate && as_fast && !equal;
}

static bool is_on_front(const trm_cli_accuracy *a, const trm_cli_point *point) {
  if (!is_done(point)) return false;
  for (int k = 0; k < a->count; k++)
    if (is_done(&a->points[k]) && is_better(&a->points[k], point)) return false;
  return true;
}

void trm_cli_judge_points(trm_cli_accuracy *a) {
  for (int k = 0; k < a->count; k++) {
    trm_cli_point *point = &a->points[k];
    if (!is_done(point)) continue;
    point->floor = error_of(point) <= FLOOR * a->exact.own || error_of(point) == 0;
    judge_order(a, k > 0 ? point - 1 : NULL, point);
  }
  for (int k = 0; k < a->count; k++) {
    trm_cli_point *point = &a->points[k];
    if (point->floor) point->order = NAN;
    point->front = is_on_front(a, point);
  }
}

double trm_cli_floor(const trm_cli_accuracy *a) {
  double lowest = a->exact.own;
  if (!isnan(lowest)) return lowest;
  for (int k = 0; k < a->count; k++)
    if (a->points[k].floor) lowest = fmin(lowest, error_of(&a->points[k])); /* fmin drops the NaN */
  return lowest;
}

const trm_cli_point *trm_cli_fastest(const trm_cli_accuracy *a, double error) {
  const trm_cli_point *best = NULL;
  for (int k = 0; k < a->count; k++) {
    const trm_cli_point *point = &a->points[k];
    if (!is_done(point) || error_of(point) > error) continue;
    if (!best || point->run.cpu_seconds < best->run.cpu_seconds) best = point;
  }
  return best;
}

/* One level more where the same run is the best for several: only the tightest is named. */
double trm_cli_level(const trm_cli_accuracy *a, int k) {
  for (int power = 1; power <= LEVELS; power++) {
    double level = pow(10, -2 * power);
    const trm_cli_point *best = trm_cli_fastest(a, level);
    if (!best) return 0;
    bool again = power < LEVELS && trm_cli_fastest(a, level / 100) == best;
    if (!again && k-- == 0) return level;
  }
  return 0;
}
