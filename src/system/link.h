/* The two primitives that most joints are made of, where the coordinates are the axes themselves:
 * all their evaluation needs, side by side in memory. */
#ifndef TRM_SYSTEM_LINK_H
#define TRM_SYSTEM_LINK_H

#include "system/system.h"

/* Two points coincide: the Jacobian is constant, the bias stays zero. */
typedef struct trm_point_link {
  int row;
  int at[2]; /* of the body's coordinates; −1: the ground */
  double u[2][3];
} trm_point_link;

/* Two directions keep their angle. */
typedef struct trm_dot_link {
  int row;
  int at[2];
  double value;
  double u[2][3];
} trm_dot_link;

typedef struct trm_links {
  int points, dots, others;
  trm_point_link *point;
  trm_dot_link *dot;
  trm_sides sides; /* of the bodies, in the order of the rows in their panels */
  int *other;      /* the other primitives */
  int *timed;      /* of them those with a time law, or that may fail */
  int timed_count;
  int *mixed; /* bodies with rows of links and of others */
  int mixed_count;
  double (*energies)[2]; /* by part of the bodies */
} trm_links;

/* once: of a system with conditions, which is solved at the start, memory counts more than time. */
bool trm_system_links(trm_system *system, bool once);

/* C of a part of the links, and Qd, which stays zero of points; the rows of dots by body. */
void trm_links_position(void *system, int part);
void trm_links_bias(void *system, int part);
void trm_dots_jacobian(const trm_system *sys, int body);

/* Of the kind of which there are more. */
static inline int trm_links_count(const trm_links *links) {
  return links->points > links->dots ? links->points : links->dots;
}

/* Primitives that are no links, from frames: their rows of Cq and those beside them in a panel, C,
 * Ct; Qd. */
bool trm_unlinked_position(trm_system *system);
bool trm_unlinked_bias(trm_system *system);

void trm_links_complete_frames(trm_system *sys);
/* y = Cq x and Cq v + Ct at the position of the last evaluation, though Cq itself may be stale */
void trm_links_times(const trm_system *sys, const double *x, double *y);
void trm_links_residual(const trm_system *sys, const double *v, double *residual);

/* Whether a primitive is that of a constant-velocity joint which holds the twist. */
bool trm_system_keeps_twist(const trm_system *system, const trm_primitive *primitive);

#endif
