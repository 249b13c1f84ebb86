/* What sparse LU factors are made of, and a column of them. */
#ifndef TRM_MATH_SPARSE_LU_WORK_H
#define TRM_MATH_SPARSE_LU_WORK_H

#include <math.h>

#include "math/extremes.h"
#include "math/sparse_lu.h"

/* One factor by column, without its diagonal. */
typedef struct trm_triangle {
  ptrdiff_t *start; /* [size + 1] */
  int *row;         /* steps; while pivots are chosen, L's are rows of A */
  double *value;
  ptrdiff_t room; /* entries there is memory for */
} trm_triangle;

struct trm_sparse_lu {
  trm_arena *arena;
  int size, parts;
  const int *start, *index; /* A's pattern */
  int *column;              /* [size] of A, by step */
  bool chosen;              /* there are pivots */
  int *step;                /* [size] of the row's pivot; −1: none yet */
  int *pivot;               /* [size] its row, by step */
  trm_triangle L, U;        /* U's entries in an order in which they can be found */
  double *inverse;          /* [size × parts] of the pivots */
  double *x;                /* [size × parts] a column at work; zero elsewhere */
  double growth;            /* the least of A's largest entry to U's, over the columns */
  int *wanted;              /* [size] the row that would be best, by step */
  int *wanted_by;           /* [size] the step, by row */
  int *mark;                /* [size] rows: the last step that has seen them */
  int *order;               /* [size] steps that change a column, at its end */
  int *candidate;           /* [size] rows for its pivot */
  int *stack;               /* [size] of a search */
  ptrdiff_t *where;         /* [size] how far it is in each column */
};

/* Entries that L and U, columns taken in the order `column`, have at most, whatever rows the pivots
 * come from; a guess where that is far more than A has. False: out of memory. */
bool trm_sparse_lu_room(int size, const int *start, const int *index, const int *column,
                        ptrdiff_t *lower, ptrdiff_t *upper);

/* Memory for `room` entries, those used so far copied. False: out of memory, and nothing is lost.
 */
bool trm_triangle_enlarge(trm_triangle *t, trm_arena *arena, ptrdiff_t used, ptrdiff_t room,
                          int parts);

/* With pivots chosen anew. False: singular, or out of memory. */
bool trm_sparse_lu_choose(trm_sparse_lu *lu, const double *value);

/* `parts` is 1 or 2, a constant where speed matters: in refactorizations and solutions. */

static inline double trm_size_of(int parts, const double *a) {
  return parts == 1 ? fabs(a[0]) : fabs(a[0]) + fabs(a[1]);
}

/* a *= b */
static inline void trm_multiply(int parts, double *a, const double *b) {
  double re = a[0], im = parts == 1 ? 0 : a[1];
  a[0] = parts == 1 ? re * b[0] : re * b[0] - im * b[1];
  if (parts == 2) a[1] = re * b[1] + im * b[0];
}

/* to = from, which becomes zero */
static inline void trm_take(int parts, double *from, double *to) {
  for (int p = 0; p < parts; p++) {
    to[p] = from[p];
    from[p] = 0;
  }
}

/* x −= u × column k of a factor */
static inline void trm_subtract(int parts, const trm_triangle *t, int k, const double *u,
                                double *x) {
  double re = u[0], im = parts == 1 ? 0 : u[1];
  ptrdiff_t end = t->start[k + 1];
  for (ptrdiff_t e = t->start[k]; e < end; e++) {
    const double *a = t->value + parts * e;
    double *to = x + (ptrdiff_t)parts * t->row[e];
    to[0] -= parts == 1 ? a[0] * re : a[0] * re - a[1] * im;
    if (parts == 2) to[1] -= a[0] * im + a[1] * re;
  }
}

/* x = A's column at this step, rows by `place` or as they are; the size of its largest entry */
static inline double trm_scatter(trm_sparse_lu *lu, int parts, const double *value, int k,
                                 const int *place) {
  int c = lu->column[k], end = lu->start[c + 1];
  double largest = 0;
  for (int e = lu->start[c]; e < end; e++) {
    const double *from = value + (ptrdiff_t)parts * e;
    double *to = lu->x + (ptrdiff_t)parts * (place ? place[lu->index[e]] : lu->index[e]);
    for (int p = 0; p < parts; p++) to[p] = from[p];
    largest = trm_larger(largest, trm_size_of(parts, from));
  }
  return largest;
}

/* U's entry number e, from its place in x, and L's column that belongs to it: the entry's size */
static inline double trm_eliminate(trm_sparse_lu *lu, int parts, ptrdiff_t e, int step, int at) {
  double *u = lu->U.value + parts * e;
  trm_take(parts, lu->x + (ptrdiff_t)parts * at, u);
  trm_subtract(parts, &lu->L, step, u, lu->x);
  return trm_size_of(parts, u);
}

static inline bool trm_invert(int parts, const double *a, double *inverse) {
  if (!isfinite(trm_size_of(parts, a))) return false; /* its inverse would be zero */
  if (parts == 1) return isfinite(inverse[0] = 1 / a[0]);
  double scale = trm_size_of(2, a), re = a[0] / scale, im = a[1] / scale;
  double square = (re * re + im * im) * scale;
  inverse[0] = re / square;
  inverse[1] = -im / square;
  return isfinite(inverse[0]) && isfinite(inverse[1]);
}

/* L's column from x, which becomes zero, as does the pivot at `at`. False: it is lost. */
static inline bool trm_divide(trm_sparse_lu *lu, int parts, int k, int at, double of_A,
                              double of_U) {
  double pivot[2] = {0, 0}, *inverse = lu->inverse + (ptrdiff_t)parts * k;
  ptrdiff_t end = lu->L.start[k + 1];
  if (at >= 0) trm_take(parts, lu->x + (ptrdiff_t)parts * at, pivot);
  of_U = trm_larger(of_U, trm_size_of(parts, pivot));
  if (of_A < lu->growth * of_U) lu->growth = of_A / of_U;
  bool good = trm_invert(parts, pivot, inverse);
  for (ptrdiff_t e = lu->L.start[k]; e < end; e++) {
    double *value = lu->L.value + parts * e;
    trm_take(parts, lu->x + (ptrdiff_t)parts * lu->L.row[e], value);
    trm_multiply(parts, value, inverse);
  }
  return good;
}

#endif
