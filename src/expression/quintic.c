/* Splines of degree five through points. */
#include <math.h>
#include <stdlib.h>

#include "expression/table.h"
#include "math/lapack.h"

enum { BAND = 6, ROWS = 3 * BAND + 1 }; /* of the matrix below and above its diagonal; stored */

/* The spline's unknowns: s0, b0, s1, b1, … in units of the mean interval. */
typedef struct quintic {
  int n;
  double unit;
  const double *x, *y;
  double *A, *right;
} quintic;

static void add(quintic *q, int row, int column, double value) {
  q->A[(size_t)column * ROWS + (size_t)(2 * BAND + row - column)] += value;
}

/* Adds factor times the derivative of this order, 3 … 5, of piece i at its end or its start. */
static void add_derivative(quintic *q, int row, int i, int order, bool end, double factor) {
  /* of Hermite's quintic on 0 … 1: rows a3, a4, a5 by y1 − y0, s0, s1, b0, b1 */
  static const double part[3][5] = {
      {10, -6, -4, -1.5, 0.5}, {-15, 8, 7, 1.5, -1}, {6, -3, -3, -0.5, 0.5}};
  static const double at_start[3][3] = {{6, 0, 0}, {0, 24, 0}, {0, 0, 120}};
  static const double at_end[3][3] = {{6, 24, 60}, {0, 24, 120}, {0, 0, 120}};
  double h = (q->x[i + 1] - q->x[i]) / q->unit, c[5] = {0};
  for (int k = 0; k < 3; k++) {
    double weight = end ? at_end[order - 3][k] : at_start[order - 3][k];
    for (int j = 0; j < 5; j++) c[j] += weight * part[k][j] * factor / pow(h, order);
  }
  add(q, row, 2 * i, c[1] * h);
  add(q, row, 2 * i + 2, c[2] * h);
  add(q, row, 2 * i + 1, c[3] * h * h);
  add(q, row, 2 * i + 3, c[4] * h * h);
  q->right[row] -= c[0] * (q->y[i + 1] - q->y[i]);
}

/* The derivative does not jump at point i. */
static void join(quintic *q, int row, int i, int order) {
  add_derivative(q, row, i - 1, order, true, 1);
  add_derivative(q, row, i, order, false, -1);
}

static bool solve(quintic *q) {
  int size = 2 * q->n, band = BAND, rows = ROWS, one = 1, info = 1;
  int *pivot = calloc((size_t)size, sizeof *pivot);
  join(q, 0, 1, 5);
  join(q, 1, 2, 5);
  for (int i = 1; i + 1 < q->n; i++) {
    join(q, 2 * i, i, 3);
    join(q, 2 * i + 1, i, 4);
  }
  join(q, size - 2, q->n - 3, 5);
  join(q, size - 1, q->n - 2, 5);
  if (pivot) dgbsv_(&size, &band, &band, &one, q->A, &rows, pivot, q->right, &size, &info);
  free(pivot);
  return info == 0;
}

bool trm_quintic_slopes(int n, const double *x, const double *y, double *slope, double *bend) {
  quintic q = {.n = n, .unit = (x[n - 1] - x[0]) / (n - 1), .x = x, .y = y};
  q.A = calloc((size_t)(2 * n) * ROWS, sizeof *q.A);
  q.right = calloc((size_t)(2 * n), sizeof *q.right);
  bool good = q.A && q.right && solve(&q);
  for (int i = 0; good && i < n; i++) {
    slope[i] = q.right[2 * i] / q.unit;
    bend[i] = q.right[2 * i + 1] / (q.unit * q.unit);
  }
  free(q.A);
  free(q.right);
  return good;
}
