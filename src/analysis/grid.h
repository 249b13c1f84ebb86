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
double trm_grid_time(const trm_grid *grid, long step); /* also beyond the end */
double trm_grid_step(const trm_grid *grid, long step); /* length of the step that starts there */
long trm_grid_before(const trm_grid *grid, double t);  /* the last step that ends at t or before */
bool trm_grid_is_output(const trm_grid *grid, long step);
long trm_grid_rows(const trm_grid *grid);

#endif
