/* models/n_four_bar.yaml with N windows, by its exact reduction: all posts at one angle from the
 * vertical, see the model. */
#ifndef TRM_TESTS_WINDOWS_H
#define TRM_TESTS_WINDOWS_H

#include "run.h"

/* y: the angle and its rate; RK4 with steps small enough for round-off. */
static inline void windows_swing(int N, double y[2], double duration) {
  enum { steps = 50000 };
  double k = 9.81 * ((N + 1) / 2.0 + N) / ((N + 1) / 3.0 + N);
  double h = duration / steps;
  for (int s = 0; s < steps; s++) {
    double a1 = k * sin(y[0]), v2 = y[1] + h / 2 * a1, a2 = k * sin(y[0] + h / 2 * y[1]);
    double v3 = y[1] + h / 2 * a2, a3 = k * sin(y[0] + h / 2 * v2);
    double v4 = y[1] + h * a3, a4 = k * sin(y[0] + h * v3);
    y[0] += h / 6 * (y[1] + 2 * v2 + 2 * v3 + v4);
    y[1] += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
}

/* Of the tip's way over all rows, one every `interval`; several turns, through the positions in
 * which the posts lie. */
static inline double windows_error(int N, const trm_results *results, double interval) {
  double y[2] = {0, 1}, worst = 0;
  int x = trm_results_find(results, "post1.B.x");
  for (int row = 1; row < trm_results_rows(results); row++) {
    windows_swing(N, y, interval);
    worst = larger(worst, fabs(trm_results_get(results, row, x) - sin(y[0])));
  }
  assert_true(y[0] > 2 * 3.14159265358979);
  return worst;
}

#endif
