/* Where the parts of a state stand: y = (q, s, v, z, work).
 *
 * A state z of the model, ż = g(t, q, v, z), is the velocity of a coordinate of unit inertia under
 * the force g, whose position s nobody reads. So integrators carry it with the loops they have over
 * positions and velocities; and behind the velocities v[n] there are always the states z. */
#ifndef TRM_SYSTEM_STATE_H
#define TRM_SYSTEM_STATE_H

typedef struct trm_layout {
  int n, states; /* coordinates, states of the model */
  int v, z, work,
      size; /* where each begins; v: also how many positions, and velocities, there are */
} trm_layout;

static inline trm_layout trm_layout_of(int n, int states) {
  int half = n + states;
  return (trm_layout){n, states, half, half + n, 2 * half, 2 * half + 1};
}

/* Whether an entry is such an s. */
static inline bool trm_layout_is_unread(const trm_layout *at, int entry) {
  return entry >= at->n && entry < at->v;
}

#endif
