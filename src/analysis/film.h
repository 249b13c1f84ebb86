/* Frames of a run for pictures: poses, reactions, energies and violations in single precision. */
#ifndef TRM_ANALYSIS_FILM_H
#define TRM_ANALYSIS_FILM_H

#include "model/model.h"

#define TRM_FILM_SERIES 6 /* energies and violations at the end of a frame */

/* The force of an element, drawn as an arrow: its place and components in every frame. */
typedef struct trm_film_arrow {
  int force;   /* which element */
  bool pull;   /* a tension between the ends: components follow from their places */
  double sign; /* of its measure as a tension */
} trm_film_arrow;

typedef struct trm_film {
  int most;           /* frames asked for */
  int width;          /* numbers in a frame */
  int pose;           /* numbers of a body's pose: x y angle, or x y z qw qx qy qz */
  int force;          /* numbers of a joint's reaction: 2 or 3 */
  int reaction_count; /* joints that have one */
  int *reactions;     /* which */
  int arrow_count;
  trm_film_arrow *arrows;
  trm_measure *sources;  /* [arrows × 7] place, place of the other end, tension or components */
  double *read;          /* [arrows × 7] */
  int first_arrow;       /* number in a frame */
  trm_measure *measures; /* [width] poses, reactions, room for the arrows, series */
  long stride;           /* a frame every so many rows, and one at the end */
  long rows, last_row;   /* seen; of a whole run */
  int count, capacity;
  double *t;     /* [capacity] */
  double *exact; /* [width] the frame at hand */
  float *values; /* [capacity × width] frame after frame */
} trm_film;

struct trm_simulation;

/* Takes all memory; nothing to do where no frames are wanted. */
bool trm_film_lay_out(struct trm_simulation *simulation);
/* The current state is a row of the results: maybe a frame too. */
void trm_film_row(struct trm_simulation *simulation, double t);
/* The current state is where a run ended early. */
void trm_film_end(struct trm_simulation *simulation, double t);
void trm_film_free(trm_film *film);

extern const char *const trm_film_series[TRM_FILM_SERIES]; /* their names */

#endif
