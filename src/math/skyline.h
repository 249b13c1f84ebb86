/* K = W Wᵀ of the constraint rows and its factorization L D Lᵀ, in skyline storage. */
#ifndef TRM_MATH_SKYLINE_H
#define TRM_MATH_SKYLINE_H

#include "base/parallel.h"
#include "math/rank.h"
#include "math/structure.h"

/* Of the factorization of a range of rows. */
typedef struct trm_pivot_range {
  double part;           /* the least pivot of a row that is not omitted, as part of its diagonal */
  double least, largest; /* of the diagonal */
} trm_pivot_range;

typedef struct trm_skyline {
  int size;
  int entries;
  const int *order;   /* [size] the constraint row in each place */
  const int *first;   /* [size] first column of each row's profile */
  const int *row;     /* [size] entry (i, j) is value[row[i] + j], first[i] ≤ j ≤ i */
  const bool *second; /* [size + 1] second of two rows with the same profile, worked on together */
  double *value;      /* [entries] K, then L; the diagonal stays what it was before the reduction */
  double *pivot_inverse;    /* [size] 1/D, 0 where the pivot was lost */
  double cut;               /* a pivot below this part of its diagonal is lost */
  bool *omitted;            /* [size] rows left out, by place: they get λ = 0 */
  trm_pivot_range last;     /* factorization */
  int next;                 /* row, step by step */
  trm_pool *pool;           /* NULL: one thread */
  int parts;                /* ranges of rows that share no column */
  const int *part;          /* [parts + 1] */
  trm_pivot_range *outcome; /* [parts] */
  /* by panel, in the order of the structure */
  const int *panel_place; /* [panel_start[blocks]] place of each panel row */
  const int
      *position; /* entry of each pair (r, s ≤ r) of a panel's rows, pairs of one panel together */
  const int *position_start; /* [blocks] */
} trm_skyline;

/* dense: every profile begins with the first row; apart: blocks that are never added by
 * trm_skyline_add, or NULL */
bool trm_skyline_create(trm_skyline *skyline, trm_arena *arena, const trm_structure *structure,
                        bool dense, const bool *apart);

/* Products and sums that the elimination of all rows but blocks' intrinsic ones takes; −1: out of
 * memory. width: of the profile, root mean square */
double trm_skyline_operations(const trm_structure *structure, double *width);

/* These rows, by row, are left out. NULL: none. */
void trm_skyline_omit(trm_skyline *skyline, const bool *rows);

/* K = W Wᵀ; W in the layout of Cq */
void trm_skyline_assemble(trm_skyline *skyline, const trm_structure *structure, const double *W);
/* In parts: places begin … end − 1 become zero, a block adds its share, W being its rows alone. */
void trm_skyline_clear(trm_skyline *skyline, int begin, int end);
void trm_skyline_add(trm_skyline *skyline, int block, int rows, int width, const double *W);

/* Returns last.part: 0 where a row that is not omitted is lost. */
double trm_skyline_factor(trm_skyline *skyline);
/* b = K \ b, in the order of the places */
void trm_skyline_solve(const trm_skyline *skyline, double *b);
/* The same of several at once, side by side in each place [size × 2 pairs], by one thread. */
enum { TRM_SKYLINE_MANY = 8 };
void trm_skyline_solve_many(const trm_skyline *skyline, int pairs, double *b);

/* The same by one thread at a time, rows being worked on as soon as they are complete and still in
 * the cache: begin, advance … to the last row. With b the first half of a solution is found
 * on the way; the second by scale, and retreat from the last rows to the first: those from begin on
 * are then found. */
void trm_skyline_begin(trm_skyline *skyline, bool factor);
void trm_skyline_advance(trm_skyline *skyline, int end, bool factor, double *b);
void trm_skyline_scale(const trm_skyline *skyline, double *b);
/* both, all rows at once */
void trm_skyline_return(const trm_skyline *skyline, double *b);
void trm_skyline_retreat(const trm_skyline *skyline, int begin, int end, double *b);

#endif
