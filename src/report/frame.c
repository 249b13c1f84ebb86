/* Ranges of a figure's axes: the user's, or with some room around the data. */
#include "report/frame.h"

#include <math.h>

#define ROOM     0.04  /* of the range, on either side of the data */
#define CONSTANT 1e-12 /* of the size: a range below is none */
#define LARGEST  1e300 /* differences of such numbers still fit */

static bool is_shown(double value, bool log) {
  return isfinite(value) && fabs(value) < LARGEST && (!log || value > 0);
}

double trm_frame_map(const trm_frame_axis *axis, double value) {
  if (!is_shown(value, axis->log)) return NAN;
  double part = axis->log
                    ? (log10(value) - log10(axis->low)) / (log10(axis->high) - log10(axis->low))
                    : (value - axis->low) / (axis->high - axis->low);
  return axis->from + part * (axis->to - axis->from);
}

/* A point counts for both axes or for none; a series of the other axis for x. */
static void extend(trm_frame *frame, const trm_plot_series *series, bool own) {
  for (size_t k = 0; k < series->count; k++) {
    double x = series->x[k], y = series->y[k];
    if (!is_shown(x, frame->x.log) || !is_shown(y, frame->y.log)) continue;
    frame->x.low = fmin(frame->x.low, x);
    frame->x.high = fmax(frame->x.high, x);
    if (!own) continue;
    frame->y.low = fmin(frame->y.low, y);
    frame->y.high = fmax(frame->y.high, y);
  }
}

/* In the logarithm of a logarithmic axis. */
static void make_room(trm_frame_axis *axis) {
  double low = axis->log ? log10(axis->low) : axis->low;
  double high = axis->log ? log10(axis->high) : axis->high;
  double size = fmax(fabs(low), fabs(high)), room = ROOM * (high - low);
  if (axis->log && high - low < CONSTANT * fmax(size, 1))
    room = 0.5;
  else if (!axis->log && high - low <= CONSTANT * size)
    room = size > 0 ? 0.1 * size : 1; /* all zero */
  axis->low = axis->log ? pow(10, fmax(low - room, -300)) : low - room;
  axis->high = axis->log ? pow(10, fmin(high + room, 300)) : high + room;
}

static void fit_axis(trm_frame_axis *axis, const trm_plot_axis *wanted) {
  axis->empty = !(axis->low <= axis->high);
  if (axis->empty) {
    axis->low = axis->log ? 0.1 : 0;
    axis->high = axis->log ? 10 : 1;
  } else {
    make_room(axis);
  }
  double low = is_shown(wanted->low, axis->log) ? wanted->low : axis->low;
  double high = is_shown(wanted->high, axis->log) ? wanted->high : axis->high;
  if (low < high) {
    axis->low = low;
    axis->high = high;
  }
}

void trm_frame_fit(trm_frame *frame, const trm_plot *plot, bool right) {
  const trm_plot_axis *y = right ? &plot->right : &plot->y;
  *frame = (trm_frame){.x = {.log = plot->x.log, .low = INFINITY, .high = -INFINITY},
                       .y = {.log = y->log, .low = INFINITY, .high = -INFINITY}};
  for (int k = 0; k < plot->series_count; k++)
    extend(frame, &plot->series[k], plot->series[k].right == right);
  fit_axis(&frame->x, &plot->x);
  fit_axis(&frame->y, y);
  const int wanted = 8;
  trm_frame_axis *axes[] = {&frame->x, &frame->y};
  for (int k = 0; k < 2; k++) {
    trm_frame_axis *axis = axes[k];
    if (axis->log)
      trm_ticks_log(&axis->ticks, axis->low, axis->high, wanted);
    else
      trm_ticks_linear(&axis->ticks, axis->low, axis->high, wanted);
  }
}
