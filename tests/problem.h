/* Block-structured test problems and a dense solution to compare with. */
#ifndef TRM_TEST_PROBLEM_H
#define TRM_TEST_PROBLEM_H

#include <string.h>

#include "base/arena.h"
#include "check.h"
#include "math/structure.h"

/* A constraint row touches block a, and block b unless that is −1. */
typedef struct touch {
  int a, b;
} touch;

typedef struct problem {
  trm_arena *arena;
  trm_structure s;
  double *M, *Cq, *N; /* values in the structure's layout */
  double *f, *g, *bias;
  double *x, *lambda;
  double *weight;
} problem;

/* A small generator of our own: the same numbers everywhere. */
static inline double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

static inline double *doubles(problem *p, int count) {
  double *array = TRM_NEW(p->arena, double, count + 1);
  assert_non_null(array);
  return array;
}

static inline int *ints(problem *p, int count) {
  int *array = TRM_NEW(p->arena, int, count + 1);
  assert_non_null(array);
  return array;
}

/* All blocks of one width; values zero. */
static inline problem problem_create(int blocks, int width, bool diagonal, int rows,
                                     const touch *touches) {
  problem p = {.arena = trm_arena_create()};
  int *q = ints(&p, blocks + 1), *start = ints(&p, blocks + 1), *value = ints(&p, blocks + 1);
  int *mass = ints(&p, blocks + 1), *panel_row = ints(&p, 2 * rows), *at = ints(&p, blocks);
  for (int r = 0; r < rows; r++) {
    start[touches[r].a + 1]++;
    if (touches[r].b >= 0) start[touches[r].b + 1]++;
  }
  for (int b = 0; b < blocks; b++) start[b + 1] += start[b];
  for (int b = 0; b <= blocks; b++) {
    q[b] = b * width;
    value[b] = start[b] * width;
    mass[b] = b * (diagonal ? width : width * width);
  }
  for (int b = 0; b < blocks; b++) at[b] = start[b];
  for (int r = 0; r < rows; r++) {
    panel_row[at[touches[r].a]++] = r;
    if (touches[r].b >= 0) panel_row[at[touches[r].b]++] = r;
  }
  p.M = doubles(&p, mass[blocks]);
  p.Cq = doubles(&p, value[blocks]);
  p.f = doubles(&p, q[blocks]);
  p.x = doubles(&p, q[blocks]);
  p.g = doubles(&p, rows);
  p.lambda = doubles(&p, rows);
  p.weight = doubles(&p, rows);
  for (int r = 0; r < rows; r++) p.weight[r] = 1;
  p.s = (trm_structure){.n = q[blocks],
                        .m = rows,
                        .blocks = blocks,
                        .q_start = q,
                        .panel_start = start,
                        .panel_row = panel_row,
                        .panel_value = value,
                        .mass_value = mass,
                        .mass_diagonal = diagonal,
                        .weight = p.weight};
  return p;
}

static inline void problem_destroy(problem *p) {
  trm_arena_destroy(p->arena);
}

/* where row's entries over a block are; NULL: it does not touch it */
static inline double *row_entries(problem *p, int row, int block) {
  const trm_structure *s = &p->s;
  for (int i = s->panel_start[block]; i < s->panel_start[block + 1]; i++)
    if (s->panel_row[i] == row)
      return p->Cq + s->panel_value[block] +
             (i - s->panel_start[block]) * trm_block_width(s, block);
  return NULL;
}

/* Random, with M = H Hᵀ + 1 and dominant entries in Cq wherever a block has columns left for its
 * rows. */
static inline void problem_fill(problem *p, uint64_t seed) {
  const trm_structure *s = &p->s;
  uint64_t state = seed;
  int *used = ints(p, s->blocks);
  for (int i = 0; i < s->panel_value[s->blocks]; i++) p->Cq[i] = 0.2 * uniform(&state);
  for (int r = 0; r < s->m; r++)
    for (int b = s->blocks - 1; b >= 0; b--) {
      double *entries = row_entries(p, r, b);
      if (!entries || used[b] == trm_block_width(s, b)) continue;
      entries[used[b]++] += 1.5;
      break;
    }
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    double *M = p->M + s->mass_value[b], H[36];
    assert_true(width <= 6);
    for (int i = 0; i < width * width; i++) H[i] = uniform(&state);
    for (int i = 0; i < width; i++) {
      if (s->mass_diagonal) {
        M[i] = 1.5 + uniform(&state);
        continue;
      }
      for (int j = 0; j < width; j++) {
        double sum = i == j;
        for (int k = 0; k < width; k++) sum += H[i * width + k] * H[j * width + k];
        M[i * width + j] = sum;
      }
    }
  }
  for (int i = 0; i < s->n; i++) p->f[i] = uniform(&state);
  for (int i = 0; i < s->m; i++) p->g[i] = uniform(&state);
}

/* A x = b by Gaussian elimination with complete row search; x replaces b */
static inline void eliminate(int n, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[pivot * n + k])) pivot = i;
    for (int j = 0; j < n; j++) {
      double swap = A[k * n + j];
      A[k * n + j] = A[pivot * n + j];
      A[pivot * n + j] = swap;
    }
    double swap = b[k];
    b[k] = b[pivot];
    b[pivot] = swap;
    for (int i = k + 1; i < n; i++) {
      double factor = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
  }
}

/* The whole of [M Cqᵀ; Cq 0], row-major, the fictitious inertias taken out; x and λ one after the
 * other. */
static inline double *dense_solution(problem *p) {
  const trm_structure *s = &p->s;
  int size = s->n + s->m;
  double *A = doubles(p, size * size), *b = doubles(p, size);
  for (int c = 0; c < s->blocks; c++) {
    int width = trm_block_width(s, c), q = s->q_start[c];
    for (int i = 0; i < width; i++)
      for (int j = 0; j < width; j++) {
        const double *M = p->M + s->mass_value[c];
        A[(q + i) * size + q + j] = s->mass_diagonal ? (i == j ? M[i] : 0) : M[i * width + j];
      }
    for (int r = s->panel_start[c]; r < s->panel_start[c + 1]; r++)
      for (int k = 0; k < width; k++) {
        double value = p->Cq[s->panel_value[c] + (r - s->panel_start[c]) * width + k];
        A[(s->n + s->panel_row[r]) * size + q + k] = value;
        A[(q + k) * size + s->n + s->panel_row[r]] = value;
      }
  }
  memcpy(b, p->f, (size_t)s->n * sizeof *b);
  memcpy(b + s->n, p->g, (size_t)s->m * sizeof *b);
  for (int j = 0; j < s->massless; j++) {
    int q = s->q_start[s->massless_block[j]], width = trm_block_width(s, s->massless_block[j]);
    const double *N = p->N + s->massless_value[j];
    for (int i = 0; i < width; i++) {
      for (int k = 0; k < width; k++)
        A[(q + i) * size + q + k] -= s->massless_inertia[j] * N[i] * N[k];
      b[q + i] += s->massless_inertia[j] * N[i] * p->bias[j];
    }
  }
  eliminate(size, A, b);
  return b;
}

static inline double largest(int n, const double *a) {
  double value = 0;
  for (int i = 0; i < n; i++) value = larger(value, fabs(a[i]));
  return value;
}

static inline double difference(int n, const double *a, const double *b) {
  double value = 0;
  for (int i = 0; i < n; i++) value = larger(value, fabs(a[i] - b[i]));
  return value;
}

/* largest entry of Cqᵀ z */
static inline double annihilated(problem *p, const double *z) {
  double *y = doubles(p, p->s.n);
  trm_jacobian_transposed_add(&p->s, p->Cq, 1, z, y);
  return largest(p->s.n, y);
}

/* ---- shapes; every block also has three rows of its own, like the intrinsic ones ---- */

enum { most_rows = 400000 };

typedef struct shape {
  int blocks, rows;
  touch *touches; /* [most_rows], the caller's */
} shape;

static inline void add_rows(shape *s, int count, int a, int b) {
  for (int i = 0; i < count; i++) {
    assert_true(s->rows < most_rows);
    s->touches[s->rows++] = (touch){a, b};
  }
}

static inline void shape_chain(shape *s, int blocks) {
  s->blocks = blocks;
  s->rows = 0;
  for (int b = 0; b < blocks; b++) add_rows(s, 3, b, -1);
  for (int b = 0; b < blocks; b++) add_rows(s, 2, b, b - 1);
}

static inline void shape_loop(shape *s, int blocks) {
  shape_chain(s, blocks);
  add_rows(s, 1, blocks - 1, 0);
}

/* rungs between two rails; blocks numbered rail by rail, so that the given order is a bad one */
static inline void shape_ladder(shape *s, int blocks) {
  int half = blocks / 2;
  s->blocks = 2 * half;
  s->rows = 0;
  for (int b = 0; b < 2 * half; b++) add_rows(s, 3, b, -1);
  for (int b = 1; b < half; b++) {
    add_rows(s, 2, b, b - 1);
    add_rows(s, 1, half + b, half + b - 1);
  }
  for (int b = 0; b < half; b++) add_rows(s, 1, half + b, b);
}

static inline void shape_grid(shape *s, int side) {
  s->blocks = side * side;
  s->rows = 0;
  for (int b = 0; b < side * side; b++) {
    add_rows(s, 3, b, -1);
    if (b % side) add_rows(s, 1, b, b - 1);
    if (b >= side) add_rows(s, 1, b, b - side);
  }
}

#endif
