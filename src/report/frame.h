/* The rectangle in which a figure has its curves: from values to pixels. */
#ifndef TRM_REPORT_FRAME_H
#define TRM_REPORT_FRAME_H

#include <trammel/plot.h>

#include "report/ticks.h"

typedef struct trm_frame_axis {
  bool log;
  bool empty; /* no series has anything to show */
  double low, high;
  double from, to; /* their pixels */
  trm_ticks ticks;
} trm_frame_axis;

typedef struct trm_frame {
  trm_frame_axis x, y;
} trm_frame;

/* Ranges and ticks, by the axis on the left or on the right; pixels are the caller's. */
void trm_frame_fit(trm_frame *frame, const trm_plot *plot, bool right);

/* Pixels, or NaN for what the axis cannot show. */
double trm_frame_map(const trm_frame_axis *axis, double value);

#endif
