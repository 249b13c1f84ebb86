/* The report of a run: one self-contained HTML page with animation, plots, summary and model. */
#ifndef TRAMMEL_REPORT_H
#define TRAMMEL_REPORT_H

#include <stddef.h>
#include <trammel/compare.h>
#include <trammel/export.h>
#include <trammel/simulation.h>

TRM_BEGIN_C

/* Frames that a page animates well: for trm_simulation_keep_frames before the run. */
#define TRM_REPORT_FRAMES 600

/* Used during the call only. */
typedef struct trm_report_options {
  size_t size;                 /* of this struct, see export.h */
  const trm_summary *summary;  /* NULL: the simulation's own */
  int message_count;           /* warnings and notes to be shown */
  const char *const *messages; /* formatted, several lines each */
  const char *scene;           /* the scene.json of this run; NULL: made here */
} trm_report_options;

TRM_API void trm_report_options_init(trm_report_options *defaults, size_t size);
static inline trm_report_options trm_default_report_options(void) {
  trm_report_options defaults;
  trm_report_options_init(&defaults, sizeof defaults);
  return defaults;
}

/* After trm_simulation_run, whether it succeeded or not. Without frames there is no animation.
 * options == NULL: the defaults. Reports what went wrong and returns TRM_IO_ERROR or TRM_NO_MEMORY.
 */
TRM_API trm_status trm_report_write(trm_simulation *simulation, const trm_results *results,
                                    const trm_report_options *options, const char *path,
                                    trm_diagnostics *diagnostics);

/* One of the runs of a comparison. */
typedef struct trm_report_run {
  const char *name; /* such as its folder */
  const trm_results *results;
  const char *scene;                /* its scene.json, for the animation; NULL: none */
  const trm_comparison *comparison; /* the first run with this one; NULL for the first */
} trm_report_run;

/* A page that overlays runs: animation, plots, agreement with the first. */
TRM_API trm_status trm_report_write_comparison(const trm_report_run *runs, int count,
                                               const char *path, trm_diagnostics *diagnostics);
/* A page with a table of methods; json: what `trammel compare --methods --json` prints. */
TRM_API trm_status trm_report_write_methods(const char *title, const char *json, const char *path,
                                            trm_diagnostics *diagnostics);

/* Whether this library was built with the page: without, reports only say what is missing. */
TRM_API bool trm_report_has_page(void);

TRM_END_C

#endif
