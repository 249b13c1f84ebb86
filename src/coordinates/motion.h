/* The bodies in motion: what constraints and forces are written over. */
#ifndef TRM_COORDINATES_MOTION_H
#define TRM_COORDINATES_MOTION_H

#include <stddef.h>

#include "coordinates/coordinates.h"
#include "math/vector.h"

typedef struct trm_motion {
  const trm_coordinates *coordinates;
  int dim, nq; /* of the coordinates, at hand */
  int stride;  /* from one body's in q to the next one's; 0: they have none of their own */
  int bodies;
  const double *q;   /* of the last position stage; body b starts at b·stride */
  trm_frame *frames; /* [−1 … bodies − 1]: the ground's is at −1 and stands still */
  double since;      /* time from the accepted state to this one: turns are counted by it */
} trm_motion;

/* A body-fixed point or direction: body −1 is the ground; u in the centre-of-mass frame. */
typedef struct trm_marker {
  int body;
  double u[3];
} trm_marker;

void trm_motion_position(trm_motion *motion, const double *q);
void trm_motion_velocity(trm_motion *motion, const double *qdot);
/* The same of bodies begin … end − 1, q being there. */
void trm_motion_position_of(const trm_motion *motion, int begin, int end);
void trm_motion_velocity_of(const trm_motion *motion, const double *qdot, int begin, int end);

static inline const double *trm_motion_q(const trm_motion *motion, int body) {
  return motion->q + (ptrdiff_t)body * motion->stride;
}

/* Σ u[k] axes[k] */
static inline void trm_carry(int dim, double axes[3][3], const double *u, double *d) {
  d[0] = u[0] * axes[0][0] + u[1] * axes[1][0];
  d[1] = u[0] * axes[0][1] + u[1] * axes[1][1];
  d[2] = 0;
  if (dim == 2) return;
  d[0] += u[2] * axes[2][0];
  d[1] += u[2] * axes[2][1];
  d[2] = u[0] * axes[0][2] + u[1] * axes[1][2] + u[2] * axes[2][2];
}

/* direction d, its rate, and its second derivative where q̈ = 0 */
static inline void trm_direction(const trm_motion *m, const trm_marker *p, double *d) {
  trm_carry(m->dim, m->frames[p->body].a, p->u, d);
}
static inline void trm_direction_rate(const trm_motion *m, const trm_marker *p, double *d) {
  trm_carry(m->dim, m->frames[p->body].da, p->u, d);
}
static inline void trm_direction_bias(const trm_motion *m, const trm_marker *p, double *d) {
  trm_carry(m->dim, m->frames[p->body].dda, p->u, d);
}

/* point r, its velocity; its bias is the direction's */
static inline void trm_position(const trm_motion *m, const trm_marker *p, double *r) {
  trm_direction(m, p, r);
  trm_add(m->dim, m->frames[p->body].x, r);
}
static inline void trm_velocity(const trm_motion *m, const trm_marker *p, double *v) {
  trm_direction_rate(m, p, v);
  trm_add(m->dim, m->frames[p->body].v, v);
}

/* row[nq] += scale N(u)ᵀ s; nothing where row is NULL (the ground) */
static inline void trm_row_direction(const trm_motion *m, const trm_marker *p, const double *s,
                                     double scale, double *row) {
  if (row)
    m->coordinates->add(trm_motion_q(m, p->body), m->frames[p->body].a, p->u, s, scale,
                        row + m->dim);
}

/* row[nq] += scale L(u)ᵀ s: also the generalized force of a force s at the point */
static inline void trm_row_point(const trm_motion *m, const trm_marker *p, const double *s,
                                 double scale, double *row) {
  if (!row) return;
  for (int i = 0; i < m->dim; i++) row[i] += scale * s[i];
  trm_row_direction(m, p, s, scale, row);
}

/* ω = W q̇ = ½ Σ a[k] × ȧ[k] in global axes, and its derivative where q̈ = 0; planar: (0, 0, ω) */
void trm_spin(const trm_motion *m, int body, double w[3]);
void trm_spin_bias(const trm_motion *m, int body, double b[3]);
/* ½ Σ a[k] × d[k] for any rates d of the axes */
void trm_spin_of(int dim, double a[3][3], double d[3][3], double w[3]);

/* row[nq] += Wᵀ τ: the generalized force of a torque; nothing where row is NULL */
void trm_row_spin(const trm_motion *m, int body, const double tau[3], double *row);

#endif
