/* λ of W Wᵀ λ = eps without forming W Wᵀ of blocks with many rows: these are kept as unknowns,
 *
 *     [K   W ] [λ]   [eps]
 *     [Wᵀ −1 ] [u] = [ 0 ],   u = Wᵀ λ,   K = W Wᵀ of the other blocks,
 *
 * and all is eliminated from the leaves of a spanning tree of the blocks to its roots. The joints
 * of a kept block then meet the rest through it alone, however many they are: a tree has no fill.
 * Rows that close a loop come just before the block that the whole loop hangs on.
 *
 * All pivots exist where those of W Wᵀ over all blocks do. Kept blocks' are −1 and less. Rows are
 * eliminated while the block their loop hangs on may be held; but between blocks rows do not change
 * when all move as one, so what is independent stays so when one block is held. */
#ifndef TRM_MATH_FRONTS_H
#define TRM_MATH_FRONTS_H

#include "base/arena.h"
#include "math/skyline.h"

/* A joint or a kept block: rows of the unknowns that are eliminated, the upper triangle alone.
 * Columns of each joint and block are filled up to whole pairs. */
typedef struct trm_front {
  int first, own; /* unknowns eliminated here */
  int size;       /* columns: of these, then of those they meet */
  int value;      /* where the rows begin */
  int run, runs;  /* what they meet */
  bool block;
} trm_front;

/* Unknowns of another front that one meets. */
typedef struct trm_run {
  int first, count;
  int column; /* in this front */
  int size;   /* of the front they are eliminated in */
  int target; /* where the rows of this run, from its columns on, go; then those of later runs */
} trm_run;

/* Where the entry of two unknowns is; steps to those of the next first one, the next second one. */
typedef struct trm_spot {
  int at, row, column;
} trm_spot;

typedef struct trm_fronts {
  int size;               /* unknowns: all rows, and the kept blocks' coordinates */
  const int *order;       /* [size] the constraint row in each place; −1: a block's coordinate */
  const int *panel_place; /* [panel_start[blocks]] place of each panel row */
  const int *block_place; /* [blocks] of a kept block; −1: it is not */
  int count;
  const trm_front *front; /* [count] in the order of elimination */
  const trm_run *run;
  const int *target;
  const trm_spot *spot;  /* block after block: of a kept one's rows, else of all pairs of rows (r,
                            s ≤ r); or of what stands for them */
  const int *spot_start; /* [blocks] */
  size_t entries;
  double *value;        /* [entries] */
  double *inverse;      /* [size] of the pivots, 0 where lost */
  double *scale;        /* [size] of a row: all that blocks add to its pivot, nothing taken off */
  double *room;         /* [2 × the most unknowns eliminated at once] */
  bool *omitted;        /* [size] rows left out: they get λ = 0 */
  trm_pivot_range last; /* factorization, of rows alone */
} trm_fronts;

/* NULL where forming K and eliminating takes more products and sums than `most`. keep: blocks may
 * be kept; net: the order of minimum degree is tried, too. False: out of memory. */
bool trm_fronts_create(trm_fronts **fronts, trm_arena *arena, const trm_structure *structure,
                       double most, bool keep, bool net);
/* These rows, by row, are left out. */
void trm_fronts_omit(trm_fronts *fronts, const bool *rows);

/* Spots of what blocks have at these places [start[blocks]]; false: out of memory. */
bool trm_fronts_aim(trm_fronts *fronts, trm_arena *arena, int blocks, const int *start,
                    const int *place);

/* Before entries are added: all are zero. */
void trm_fronts_clear(trm_fronts *fronts);
/* Returns last.part: 0 where a row that is not omitted is lost. */
double trm_fronts_factor(trm_fronts *fronts);
/* b = eps by place and 0 for blocks; then λ and u */
void trm_fronts_solve(const trm_fronts *fronts, double *b);

#endif
