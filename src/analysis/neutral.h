/* Where along its frame's motions a mechanism stands. Nothing there tells one place from another:
 * a search for a steady motion leaves these directions alone. */
#ifndef TRM_ANALYSIS_NEUTRAL_H
#define TRM_ANALYSIS_NEUTRAL_H

#include "analysis/symmetry.h"

typedef struct trm_neutral {
  trm_symmetry symmetry;
  int count;     /* directions */
  int first;     /* of those that velocities may go along, too; the others come before */
  double *d;     /* [count × n] orthonormal by coordinates' spans */
  double *along; /* [count × n] parts of each along the freedoms of velocity */
  double *sum, *gram, *c, *w, *work;
  int room;
} trm_neutral;

/* False: out of memory. */
bool trm_neutral_create(trm_neutral *neutral, trm_manifold *manifold);
/* At the state of the manifold, with its tangents; f [n]: the forces that nothing holds. */
void trm_neutral_find(trm_neutral *neutral, trm_manifold *manifold, const double *f);
/* How far a change of place goes along the k-th one. */
double trm_neutral_part(const trm_neutral *neutral, const trm_manifold *manifold, int k,
                        const double *dq);
/* The column of a change of place, −δf along the freedoms of velocity and what a thick fluid takes.
 * Neutral directions turn with the place, and what f has along them is the same everywhere: both
 * are nothing there. */
void trm_neutral_free(const trm_neutral *neutral, const trm_manifold *manifold, double *column,
                      double *damp);

#endif
