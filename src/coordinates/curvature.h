/* Second derivatives of what is made of points, directions and spins.
 *
 * A row ∂F/∂q = Σ Lᵢᵀ gᵢ has the derivative
 *
 *     B = Σ Lᵢᵀ (∂gᵢ/∂zⱼ) Lⱼ + Σ ∂(Lᵢᵀ gᵢ)/∂q with gᵢ held,   zᵢ the points and directions,
 *
 * the second part being the formulation's own: nothing where its axes are linear in q. Rows of
 * velocity level have the same form; their B is not symmetric. */
#ifndef TRM_COORDINATES_CURVATURE_H
#define TRM_COORDINATES_CURVATURE_H

#include "coordinates/blocks.h"
#include "coordinates/motion.h"

enum { TRM_MOST_NQ = 12 }; /* coordinates of a body */

/* Where B goes: into blocks, or contracted from the left, row += xᵀ B. */
typedef struct trm_curvature {
  const trm_motion *motion;
  const trm_blocks *blocks;
  const double *x; /* [bodies × nq]; NULL: into blocks */
  trm_row *row;
} trm_curvature;

/* The Jacobian of a point, a direction or a spin. */
typedef struct trm_lever {
  int body;
  double L[3][TRM_MOST_NQ];
  int count[3]; /* of the row's entries that are not zero: few in natural coordinates */
  int column[3][TRM_MOST_NQ]; /* which */
} trm_lever;

void trm_lever_point(const trm_motion *motion, const trm_marker *marker, trm_lever *lever);
void trm_lever_direction(const trm_motion *motion, const trm_marker *marker, trm_lever *lever);
void trm_lever_spin(const trm_motion *motion, int body, trm_lever *lever);

/* B += scale leftᵀ G right; G == NULL: the identity. `both`: and its transpose. */
void trm_curve(const trm_curvature *c, const trm_lever *left, double G[3][3],
               const trm_lever *right, double scale);
void trm_curve_both(const trm_curvature *c, const trm_lever *left, double G[3][3],
                    const trm_lever *right, double scale);
/* B += scale left rightᵀ, rows over one body each; nothing where either is the ground */
void trm_curve_rows(const trm_curvature *c, int left_body, const double *left, int right_body,
                    const double *right, double scale);
/* B += scale ∂(N(u)ᵀ s)/∂q with s held: of a point and of a direction */
void trm_bend(const trm_curvature *c, const trm_marker *marker, const double *s, double scale);
/* B += scale ∂(Wᵀτ)/∂q with τ held */
void trm_bend_spin(const trm_curvature *c, int body, const double tau[3], double scale);

/* G += scale s̃ (G x = s × x), G += scale a bᵀ, G += scale 1 */
void trm_add_skew(const double s[3], double scale, double G[3][3]);
void trm_add_outer(const double *a, const double *b, double scale, double G[3][3]);
void trm_add_unit(double scale, double G[3][3]);

#endif
