/* The shape of M and Cq: fixed once, known to whoever fills them and whoever factors them. */
#ifndef TRM_MATH_STRUCTURE_H
#define TRM_MATH_STRUCTURE_H

#include <stdbool.h>

#include "base/arena.h"

/* What a joint asks of one of its bodies. Where coordinates are axes its rows hold few different
 * numbers: the point or direction u of the body, the direction d of the other. */
typedef enum trm_side_kind {
  TRM_SIDE_POINT, /* `plain` rows (1, u ⊗ 1) */
  TRM_SIDE_MINUS, /* `plain` rows (−1, −u ⊗ 1) */
  TRM_SIDE_DOT,   /* one row (0, u ⊗ d) */
  TRM_SIDE_ROW    /* one row of any kind */
} trm_side_kind;

static inline int trm_side_rows(int kind, int plain) {
  return kind == TRM_SIDE_POINT || kind == TRM_SIDE_MINUS ? plain : 1;
}

static inline double trm_side_sign(int kind) {
  return kind == TRM_SIDE_MINUS ? -1 : 1;
}

typedef struct trm_sides {
  bool *linked;        /* [blocks] it has no rows of other kinds, else all are taken from Cq */
  int *start;          /* [blocks + 1] */
  unsigned char *kind; /* [start[blocks]] in the order of the panels' rows */
  double *u;           /* [start[blocks] × plain] */
  int *other;       /* of a dot: first coordinate of the other block; −1: the ground; or NULL */
  double *of_other; /* [start[blocks] × plain] of a dot: d in the axes of the other; or NULL */
} trm_sides;

/* Coordinates come in blocks (one per body; a generic system has one). M is block diagonal.
 * Cq is kept by block: panel b holds, as a dense row-major matrix, every constraint row that
 * touches block b. */
typedef struct trm_structure {
  int n;              /* coordinates */
  int m;              /* constraint rows */
  int blocks;         /* blocks of M */
  const int *q_start; /* [blocks + 1] block b has coordinates q_start[b] … q_start[b+1] − 1 */
  const int
      *panel_start; /* [blocks + 1] its rows are panel_row[panel_start[b] … panel_start[b+1] − 1] */
  const int *panel_row;   /* [panel_start[blocks]] constraint row of each panel row */
  const int *panel_value; /* [blocks + 1] where panel b starts in Cq's values */
  const int
      *mass_value; /* [blocks + 1] where block b starts in M's values: width, or width × width */
  bool mass_diagonal; /* M holds only diagonals */
  bool mass_singular; /* M alone is only semidefinite: not every solver takes it */
  bool mass_constant; /* M never changes after the first evaluation */
  const double *span; /* [n] what a coordinate is measured by in geometry; NULL: one */
  const double
      *weight;  /* [m] of a multiplier in the minimum norm: 0 intrinsic, 1 force, 1/length torque */
  int massless; /* rotations without inertia: M carries a fictitious one, see solver.h */
  const int *massless_block; /* [massless] the block each is in */
  const int *massless_value; /* [massless + 1] where its row N (∂ω/∂q̇ over the block) starts in N's
                                values */
  const double *massless_inertia; /* [massless] the fictitious inertia M carries for it */
  /* Rows that touch one block alone, to be eliminated with it: the first `intrinsic` of each
   * panel, row b·intrinsic + k of all; 0: none. Blocks then have one width; the first `plain`
   * coordinates are not touched by the intrinsic rows, and M is diagonal there. */
  int intrinsic, plain;
  /* [blocks] of the other p coordinates, at the position of Cq: columns of p entries, p − intrinsic
   * of T, then `intrinsic` of G, with intrinsic rows × T = 0, intrinsic rows × G = 1 */
  const double *tangent;
  /* or, where these coordinates are axes and the intrinsic rows their dot products (math/axes.h),
   * where the coordinates of the last evaluation are; else NULL */
  const double *const *axes;
  const trm_sides *sides; /* of the joints' rows, where there are axes; or NULL */
  /* M is that of a tree (math/tree.h), in one block: then its values are a diagonal that is good
   * for scales alone; or NULL */
  struct trm_tree *tree;
  const struct trm_path *paths; /* [m] the links that each row is over */
  struct trm_pool *pool;        /* of threads that work on it; NULL: one thread */
} trm_structure;

static inline int trm_block_width(const trm_structure *s, int block) {
  return s->q_start[block + 1] - s->q_start[block];
}

static inline int trm_panel_rows(const trm_structure *s, int block) {
  return s->panel_start[block + 1] - s->panel_start[block];
}

/* One block with all rows, of whose values M and Cq have every one, or M its diagonal alone. False:
 * out of memory. */
bool trm_structure_whole(trm_structure *s, trm_arena *arena, int n, int m, bool mass_diagonal);

/* y += W x and y += scale Wᵀ lambda, W laid out like Cq: of each block where it begins in x or y,
 * of each panel row where it is in the other */
void trm_panels_times(const trm_structure *s, const double *W, const int *begin, const double *x,
                      const int *place, double *y);
void trm_panels_transposed(const trm_structure *s, const double *W, double scale, const int *place,
                           const double *lambda, const int *begin, double *y);
/* y = Cq x */
void trm_jacobian_times(const trm_structure *s, const double *Cq, const double *x, double *y);
/* y += scale Cqᵀ lambda */
void trm_jacobian_transposed_add(const trm_structure *s, const double *Cq, double scale,
                                 const double *lambda, double *y);
/* square[m] += of the rows' entries, each times the unit[n] of its coordinate; NULL: one */
void trm_jacobian_squares(const trm_structure *s, const double *Cq, const double *unit,
                          double *square);
/* norm[m] of the rows, coordinates counted by their spans */
void trm_jacobian_norms(const trm_structure *s, const double *Cq, double *norm);
/* rf = f − M x − Cqᵀ λ, rg = g − Cq x; f may be NULL */
void trm_structure_residual(const trm_structure *s, const double *M, const double *Cq,
                            const double *f, const double *g, const double *x, const double *lambda,
                            double *rf, double *rg);
/* mass[n] that each coordinate has: where M is singular those of a rotation share its trace, which
 * does not depend on the position, and some may have none. */
void trm_mass_of_coordinates(const trm_structure *s, const double *M, double *mass);
/* y = M x */
void trm_mass_times(const trm_structure *s, const double *M, const double *x, double *y);

#endif
