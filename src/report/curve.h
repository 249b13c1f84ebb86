/* The path of a series in a figure. */
#ifndef TRM_REPORT_CURVE_H
#define TRM_REPORT_CURVE_H

#include "report/frame.h"
#include "result/output.h"

/* The line, as the commands of an SVG path: clipped to the frame, interrupted at gaps, at most four
 * points for each passage of a column of pixels. */
void trm_curve_write(trm_output *output, const trm_frame *frame, const trm_plot_series *series);

/* Calls back for each point to be marked, in pixels; not for each of very many. */
typedef void (*trm_curve_mark)(void *context, double x, double y);
void trm_curve_marks(const trm_frame *frame, const trm_plot_series *series, trm_curve_mark mark,
                     void *context);

#endif
