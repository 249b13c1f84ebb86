/* Steps reduced so that they divide the output step and the duration. */
#include "analysis/grid.h"

#include <limits.h>
#include <math.h>

#include "model/model.h"

#define MAX_ROWS 1000 /* of a run without an output step */
#define SLACK    1e-9 /* relative: 5/1e-3 is 5000 steps whatever its last digit */
#define SEARCH   1000 /* finer steps tried before the last stretch gets a step of its own */

static long ceil_ratio(double a, double b) {
  return (long)ceil(a / b * (1 - SLACK));
}

/* A row every few steps. */
static trm_grid free_grid(double duration, double step) {
  long steps = ceil_ratio(duration, step);
  long stride = (steps + MAX_ROWS - 2) / (MAX_ROWS - 1);
  double h = duration / (double)steps;
  return (trm_grid){duration, steps, steps, stride, (double)stride * h, h, h};
}

static bool divides(double rest, double h) {
  double ratio = rest / h;
  return fabs(ratio - round(ratio)) <= SLACK * ratio;
}

trm_grid trm_grid_create(const trm_settings *settings) {
  double step = trm_settings_step(settings);
  double duration = settings->duration, interval = fmin(settings->output_step, duration);
  if (duration <= 0) return (trm_grid){0, 0, 0, 1, step, step, step};
  if (interval <= 0) return free_grid(duration, step);
  long intervals = (long)floor(duration / interval * (1 + SLACK));
  double rest = duration - (double)intervals * interval;
  if (rest < SLACK * duration) rest = 0;
  long first = ceil_ratio(interval, step), stride = first;
  if (stride < 1) stride = first = 1;
  while (rest > 0 && stride < first + SEARCH && !divides(rest, interval / (double)stride)) stride++;
  if (stride == first + SEARCH) stride = first;
  trm_grid grid = {duration, 0, intervals * stride, stride, interval, interval / (double)stride, 0};
  long last = rest > 0 ? ceil_ratio(rest, grid.h) : 0;
  grid.steps = grid.uniform + last;
  grid.h_rest = last ? rest / (double)last : grid.h;
  return grid;
}

long trm_grid_before(const trm_grid *grid, double t) {
  long low = 0, high = 1;
  while (trm_grid_time(grid, high) <= t && high < LONG_MAX / 4) low = high, high *= 2;
  while (high - low > 1) {
    long middle = low + (high - low) / 2;
    if (trm_grid_time(grid, middle) <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

long trm_grid_rows(const trm_grid *grid) {
  long rows = grid->uniform / grid->stride + 1;
  bool ends_between = grid->uniform % grid->stride != 0 || grid->steps > grid->uniform;
  return rows + ends_between;
}
