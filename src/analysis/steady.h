/* Steady motions: every body moves with one frame, which turns and moves on, and may spin about an
 * axis of its own. In the frame nothing changes.
 *
 *     ẋ = u + ω × x,   Ṙ = ω̂ R + R σ̂        a linear map of natural coordinates, Euler parameters
 *                                           angles and coordinates of joints: q̇ = G q + g,
 *                                           and v̇ = G v */
#ifndef TRM_ANALYSIS_STEADY_H
#define TRM_ANALYSIS_STEADY_H

#include "analysis/manifold.h"

typedef struct trm_steady {
  double u[3], w[3];
  double (*spin)[3]; /* [bodies] σ in the axes of each */
  double *rate;      /* [n] of a system of its own: v itself, and G is zero; else work */
  double *slip;      /* [slips] work */
} trm_steady;

/* Axes about which the world looks the same: all without gravity, else the vertical one. Returns
 * how many. */
int trm_turning_axes(const trm_model *model, double axis[3][3]);
/* Directions in which it does: across gravity. */
int trm_moving_ways(const trm_model *model, double way[3][3]);
/* to += scale by */
void trm_steady_add(trm_steady *to, double scale, const trm_steady *by, const trm_system *system);
/* Room for one; false: out of memory. */
bool trm_steady_create(trm_steady *steady, trm_manifold *manifold);

/* out = G x of a change of q or v. */
void trm_steady_turn(const trm_steady *steady, const trm_system *system, const double *x,
                     double *out);
/* out = Gᵀ f; work [2 n] */
void trm_steady_pull(const trm_steady *steady, const trm_system *system, const double *f,
                     double *work, double *out);
/* out = G q + g */
void trm_steady_velocity(const trm_steady *steady, const trm_system *system, const double *q,
                         double *out);
/* Coordinates that G takes to one another, of a body: the first of them, and how many. */
void trm_steady_block(const trm_system *system, int body, int *first, int *width);
/* In coordinates of joints: what of the frame's motion they do not allow; so many numbers, by the
 * system's size. Bodies' own coordinates allow all. */
static inline int trm_steady_slips(const trm_system *system) {
  return system->spanning ? 6 * system->motion.bodies : 0;
}
void trm_steady_slip(const trm_steady *steady, const trm_system *system, double *slip);
/* Of such coordinates: G x, or with what is constant G x + g. */
void trm_steady_joints(const trm_steady *steady, const trm_system *system, const double *x,
                       bool constant, double *out);

/* How far the manifold's state is from moving with the frame, as a part of the largest velocity and
 * acceleration. */
double trm_steady_misfit(const trm_steady *steady, trm_manifold *manifold);
/* The frame that fits the velocities and accelerations of the manifold's state best; `off`: its
 * misfit. False: out of memory. */
bool trm_steady_find(trm_steady *steady, trm_manifold *manifold, double *off);

#endif
