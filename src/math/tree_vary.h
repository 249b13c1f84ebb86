/* How the forces of a tree's inverse dynamics change with its coordinates and their rates, column
 * by column and exactly: every quantity of the sweeps is differentiated along one coordinate.
 *
 *     r(q, v, a) = M a − Q,   δr by δq, by δv
 *
 * Bodies are displaced by twists, (δx of the centre of mass, δφ) along global axes. What forces
 * change by, where bodies are displaced and their twists change, is the caller's. */
#ifndef TRM_MATH_TREE_VARY_H
#define TRM_MATH_TREE_VARY_H

#include "math/tree.h"

/* Changes of what a link has under the same names. */
typedef struct trm_shift {
  double turn[3]; /* δφ of its axes */
  double p[3], n[3], c[3], o[3];
  double w[3], vo[3];
  double dw[3], dv[3];
  double wn[3], wf[3];
} trm_shift;

typedef struct trm_variation {
  trm_tree *tree;
  const int *link;  /* [n] whose coordinate it is */
  const double *x;  /* rates that twists are of, */
  double (*w)[3];   /* [−1 … links − 1] the links' ω with them, */
  double (*vo)[3];  /* and the velocities of their reference points */
  trm_shift *shift; /* [−1 … links − 1] */
  int column;       /* the coordinate at hand */
} trm_variation;

/* NULL: out of memory. */
trm_variation *trm_variation_create(trm_arena *arena, trm_tree *tree);

/* Twists are those of the rates x [n], at the tree's position; x must stay. */
void trm_variation_follow(trm_variation *variation, const double *x);
/* These twists themselves, [bodies × 6]. */
void trm_variation_twists(const trm_variation *variation, double *twist);
/* Coordinate `column` changes: how bodies are displaced, and how their twists change, [bodies × 6]
 * each; also what rates x of that coordinate alone move them by. */
void trm_variation_displace(trm_variation *variation, int column, double *displaced,
                            double *changed);
/* The column of ∂r/∂q, with what forces take more of the bodies [bodies × 6], after the last one;
 * of the rates and accelerations of trm_tree_velocity, _follow and _transmit. Then that of ∂r/∂v.
 */
void trm_variation_by_place(trm_variation *variation, const double *a, const double *more,
                            double *y);
void trm_variation_by_rate(trm_variation *variation, const double *more, double *y);

#endif
