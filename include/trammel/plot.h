/* Figures of curves, written as SVG that reads well on a light and on a dark page. */
#ifndef TRAMMEL_PLOT_H
#define TRAMMEL_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <trammel/diagnostics.h>
#include <trammel/export.h>

TRM_BEGIN_C

typedef struct trm_plot_axis {
  const char *label; /* or NULL */
  bool log;
  double low, high; /* what it shows; NaN: what the data need */
} trm_plot_axis;

/* Any number of points: what is too fine to be seen is left out, never a peak. NaN, infinity and
 * what a logarithmic axis cannot show interrupt the line. */
typedef struct trm_plot_series {
  const char *name; /* in the legend, UTF-8; NULL: not there */
  size_t count;
  const double *x, *y; /* count each */
  bool line, markers;
  bool right; /* by the axis on the right */
  bool pale;  /* wide, grey and behind the others: a bound, a front */
} trm_plot_series;

typedef struct trm_plot {
  size_t size;       /* of this struct, see export.h */
  const char *title; /* or NULL */
  double width;      /* pixels, legend included */
  double height;     /* grows where the legend needs it */
  trm_plot_axis x, y;
  int series_count;
  const trm_plot_series *series;
  trm_plot_axis right; /* of the series that have it; without them it is not drawn */
} trm_plot;

TRM_API void trm_plot_init(trm_plot *defaults, size_t size);
static inline trm_plot trm_default_plot(void) {
  trm_plot defaults;
  trm_plot_init(&defaults, sizeof defaults);
  return defaults;
}

/* Reports what went wrong (unwritable, disk full) and returns TRM_IO_ERROR. "-" is standard output.
 */
TRM_API trm_status trm_plot_write_svg(const trm_plot *plot, const char *path,
                                      trm_diagnostics *diagnostics);

/* Figures below each other, in one. */
TRM_API trm_status trm_plot_write_panels(const trm_plot *const *plots, int count, const char *path,
                                         trm_diagnostics *diagnostics);

TRM_END_C

#endif
