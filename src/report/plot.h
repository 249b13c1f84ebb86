/* A figure as part of another document. */
#ifndef TRM_REPORT_PLOT_H
#define TRM_REPORT_PLOT_H

#include <trammel/plot.h>

#include "result/output.h"

/* The <svg> element. */
void trm_plot_draw(const trm_plot *plot, trm_output *output);

#endif
