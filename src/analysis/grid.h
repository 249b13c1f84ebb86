/* The time grid of a fixed-step run: steps that meet every output time and the end. */
#ifndef TRM_ANALYSIS_GRID_H
#define TRM_ANALYSIS_GRID_H

#include <stdbool.h>
#include <trammel/settings.h>

typedef struct trm_grid {
  double duration;
  long steps;      /* to the end */
  long uniform;    /* steps of length h; the rest, to the end, have length h_rest */
  long stride;     /* a row every so many steps, and one at the end */
  double interval; /* `stride` steps */
  double h, h_rest;
} trm_grid;

trm_grid trm_grid_create(const trm_settings *settings);
long trm_grid_before(const trm_grid *grid, double t); /* the last step that ends at t or before */
long trm_grid_rows(const trm_grid *grid);

/* Also beyond the end. */
static inline double trm_grid_time(const trm_grid *grid, long step) {
  if (step == grid->steps) return grid->duration;
  if (step <= grid->uniform || grid->duration == 0)
    return (double)step * grid->interval / (double)grid->stride;
  return grid->duration - (double)(grid->steps - step) * grid->h_rest;
}

/* Length of the step that starts there. */
static inline double trm_grid_step(const trm_grid *grid, long step) {
  return step < grid->uniform ? grid->h : grid->h_rest;
}

static inline bool trm_grid_is_output(const trm_grid *grid, long step) {
  return step == grid->steps || (step <= grid->uniform && step % grid->stride == 0);
}

#endif
