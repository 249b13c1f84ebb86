/* Where along a motion something comes to pass: the one search for events and changes of piece. */
#ifndef TRM_INTEGRATOR_SEARCH_H
#define TRM_INTEGRATOR_SEARCH_H

#include <stdbool.h>

/* Times before and behind it, and how deep it is there; infinite: only the side is known. */
typedef struct trm_bracket {
  double low, high;
  double below, above; /* ≤ 0 < above */
  double seen;         /* the time that was asked last */
} trm_bracket;

/* How deep it is at *t, or at an earlier time, which *t becomes. False: it cannot be found. */
typedef bool trm_depth(void *of, double *t, double *depth);

/* Until low and high are no farther apart than `resolution` and a share of the way to low, or the
 * motion does not come as far as low again. False: a depth could not be found. */
bool trm_search(trm_bracket *at, double resolution, double share, trm_depth *depth, void *of);

#endif
