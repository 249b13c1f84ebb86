/* Surfaces over a grid: the tensor product of not-a-knot cubic splines, or bilinear. */
#include "expression/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Z, ZX, ZY, ZXY, VALUES };

static double number(const trm_grid *grid, int row, int column) {
  return grid->numbers.xy[(size_t)row * grid->columns + (size_t)column];
}

static bool check_increase(const double *x, int count, const char *where, char *message,
                           size_t size) {
  if (count < 2) {
    snprintf(message, size, "a grid needs at least two arguments in its %s", where);
    return false;
  }
  for (int i = 1; i < count; i++) {
    if (x[i] > x[i - 1]) continue;
    snprintf(message, size, "the arguments in the %s of a grid must increase: %g comes after %g",
             where, x[i], x[i - 1]);
    return false;
  }
  return true;
}

/* Slopes of node value `of` along a line of nodes, `stride` nodes apart, into value `into`. */
static void slopes(trm_table *t, int first, int stride, int n, const double *x, int of, int into,
                   double *work) {
  double *z = work, *s = work + n;
  for (int i = 0; i < n; i++) z[i] = t->node[VALUES * (first + i * stride) + of];
  trm_spline_slopes(n, x, z, s, work + 2 * n);
  for (int i = 0; i < n; i++) t->node[VALUES * (first + i * stride) + into] = s[i];
}

/* Splines along rows, then of these along columns: in either order the same surface. */
static void fill(trm_table *t, const trm_grid *grid, double *work) {
  int n = t->count, m = t->rows;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) t->node[VALUES * (j * n + i)] = number(grid, j + 1, i + 1);
  for (int j = 0; j < m; j++) slopes(t, j * n, 1, n, t->x, Z, ZX, work);
  for (int i = 0; i < n; i++) {
    slopes(t, i, n, m, t->y, Z, ZY, work);
    slopes(t, i, n, m, t->y, ZX, ZXY, work);
  }
  t->slack[0] = 1e-12 * fmax(fabs(t->x[0]), fabs(t->x[n - 1]));
  t->slack[1] = 1e-12 * fmax(fabs(t->y[0]), fabs(t->y[m - 1]));
}

static bool is_finite_surface(const trm_table *t) {
  for (int i = 0; i < VALUES * t->rows * t->count; i++)
    if (!isfinite(t->node[i])) return false;
  return true;
}

static trm_table *allocate(const trm_grid *grid, trm_word name, double **work) {
  trm_table *t = calloc(1, sizeof *t);
  size_t n = grid->columns - 1, m = grid->numbers.count / grid->columns - 1;
  *work = calloc(3 * (n + m), sizeof **work);
  if (!t) return NULL;
  t->count = (int)n;
  t->rows = (int)m;
  t->name = calloc(name.length + 1, 1);
  t->x = calloc(n + 1, sizeof(double));
  t->y = calloc(m + 1, sizeof(double));
  t->node = calloc(VALUES * n * m + 1, sizeof(double));
  if (*work && t->name && t->x && t->y && t->node) return t;
  trm_table_destroy(t);
  return NULL;
}

trm_table *trm_surface_create(const trm_grid *grid, trm_word name, trm_table_options options,
                              char *message, size_t size) {
  double *work = NULL;
  trm_table *t = allocate(grid, name, &work);
  bool good = t != NULL;
  snprintf(message, size, "out of memory");
  if (t) {
    memcpy(t->name, name.text, name.length);
    t->options = options;
    for (int i = 0; i < t->count; i++) t->x[i] = number(grid, 0, i + 1);
    for (int j = 0; j < t->rows; j++) t->y[j] = number(grid, j + 1, 0);
    good = check_increase(t->x, t->count, "first row", message, size) &&
           check_increase(t->y, t->rows, "first column", message, size);
    if (good) fill(t, grid, work);
    if (good && !is_finite_surface(t)) {
      snprintf(message, size, "the points of the grid are too far or too near");
      good = false;
    }
  }
  free(work);
  if (good) return t;
  trm_table_destroy(t);
  return NULL;
}

/* Hermite's cubics on an interval of length h at u in 0 … 1, for the values and the slopes at its
 * two ends, and their derivatives; linear: the slopes do not count. */
typedef struct basis {
  double value[3][2], slope[3][2]; /* [derivative][end] */
} basis;

static basis hermite(double u, double h, bool linear) {
  if (linear) return (basis){.value = {{1 - u, u}, {-1 / h, 1 / h}, {0, 0}}, .slope = {{0}}};
  double v = 1 - u, hh = h * h;
  return (basis){
      .value = {{v * v * (1 + 2 * u), u * u * (3 - 2 * u)},
                {-6 * u * v / h, 6 * u * v / h},
                {(12 * u - 6) / hh, (6 - 12 * u) / hh}},
      .slope = {{h * u * v * v, -h * u * u * v},
                {v * (1 - 3 * u), u * (3 * u - 2)},
                {(6 * u - 4) / h, (6 * u - 2) / h}},
  };
}

/* Beyond an edge, by `past`: a straight line, or the value at the edge. */
static void leave(double f[3][2], double past, trm_outside outside) {
  for (int end = 0; end < 2; end++) {
    if (outside == TRM_OUTSIDE_HOLD) f[1][end] = 0;
    f[0][end] += past * f[1][end];
    f[2][end] = 0;
  }
}

/* The functions at an argument, and the interval they are of; false where it may not be. */
static bool basis_at(const trm_table *t, const double *x, int count, double slack, double at,
                     basis *b, int *interval) {
  double edge = at;
  if (at < x[0] - slack) edge = x[0];
  if (at > x[count - 1] + slack) edge = x[count - 1];
  if (isnan(at) || (edge != at && t->options.outside == TRM_OUTSIDE_ERROR)) return false;
  int i = *interval = trm_table_interval(x, count, edge);
  double h = x[i + 1] - x[i];
  *b = hermite((edge - x[i]) / h, h, t->options.linear);
  if (edge == at) return true;
  leave(b->value, at - edge, t->options.outside);
  leave(b->slope, at - edge, t->options.outside);
  return true;
}

/* ∂ⁱ⁺ʲz/∂xⁱ∂yʲ */
static double derivative(const trm_table *t, const double *corner, const basis *x, const basis *y,
                         int i, int j) {
  double sum = 0;
  for (int b = 0; b < 2; b++)
    for (int a = 0; a < 2; a++) {
      const double *z = corner + VALUES * (b * t->count + a);
      sum += y->value[j][b] * (x->value[i][a] * z[Z] + x->slope[i][a] * z[ZX]) +
             y->slope[j][b] * (x->value[i][a] * z[ZY] + x->slope[i][a] * z[ZXY]);
    }
  return sum;
}

trm_patch trm_surface_patch(const trm_table *t, double x, double y) {
  basis p, q;
  int i, j;
  if (!basis_at(t, t->x, t->count, t->slack[0], x, &p, &i) ||
      !basis_at(t, t->y, t->rows, t->slack[1], y, &q, &j))
    return (trm_patch){NAN, NAN, NAN, NAN, NAN, NAN};
  const double *corner = t->node + VALUES * (j * t->count + i);
  return (trm_patch){derivative(t, corner, &p, &q, 0, 0), derivative(t, corner, &p, &q, 1, 0),
                     derivative(t, corner, &p, &q, 0, 1), derivative(t, corner, &p, &q, 2, 0),
                     derivative(t, corner, &p, &q, 1, 1), derivative(t, corner, &p, &q, 0, 2)};
}

trm_jet trm_surface_jet(const trm_table *t, trm_jet x, trm_jet y) {
  trm_patch p = trm_surface_patch(t, x.f, y.f);
  return (trm_jet){p.f, p.x * x.d + p.y * y.d,
                   p.xx * x.d * x.d + 2 * p.xy * x.d * y.d + p.yy * y.d * y.d + p.x * x.dd +
                       p.y * y.dd};
}
