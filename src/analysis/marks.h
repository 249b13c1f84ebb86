/* Where a run has been, at some of its rows: the pose of every body and the angle of every shaft,
 * or the coordinates of a system of the user's own. What an error is estimated from. */
#ifndef TRM_ANALYSIS_MARKS_H
#define TRM_ANALYSIS_MARKS_H

#include "model/model.h"

typedef struct trm_marks {
  bool wanted;           /* by the next run */
  bool all;              /* every row is one */
  int width;             /* numbers of a mark */
  trm_measure *measures; /* [width] */
  long every;            /* a mark every so many rows, and one at the end */
  long rows, last_row;   /* seen; of a whole run */
  int count, capacity;
  double *t;      /* [capacity] */
  double *values; /* [capacity × width] mark after mark */
} trm_marks;

struct trm_simulation;

/* Takes all memory; nothing to do where no marks are wanted. False: out of memory. */
bool trm_marks_lay_out(struct trm_simulation *simulation);
/* The current state is a row of the results: maybe a mark, too. */
void trm_marks_row(struct trm_simulation *simulation, double t);
void trm_marks_free(trm_marks *marks);

static inline const double *trm_marks_at(const trm_marks *marks, int mark) {
  return marks->values + (size_t)mark * (size_t)marks->width;
}

/* "bob.x", for messages */
void trm_marks_name(const trm_model *model, const trm_measure *measure, char *text, size_t size);

#endif
