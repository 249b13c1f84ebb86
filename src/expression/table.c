/* Not-a-knot cubic splines, kept as one polynomial per interval. */
#include "expression/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct trm_table {
  int count;     /* points */
  double *x;     /* [count] */
  double *cubic; /* [count - 1][4]: y = c0 + u (c1 + u (c2 + u c3)), u = x - x[i] */
  double slack;  /* a clock that adds up its steps may pass the last point by round-off */
};

bool trm_points_add(trm_points *points, double number) {
  if (points->count == points->capacity) {
    size_t capacity = points->capacity ? 2 * points->capacity : 32;
    double *grown = realloc(points->xy, capacity * sizeof *grown);
    if (!grown) return false;
    points->xy = grown;
    points->capacity = capacity;
  }
  points->xy[points->count++] = number;
  return true;
}

void trm_points_free(trm_points *points) {
  free(points->xy);
  *points = (trm_points){0};
}

static bool check_points(const trm_points *points, char *message, size_t size) {
  if (points->count < 4) {
    snprintf(message, size, "a table needs at least two points");
    return false;
  }
  for (size_t i = 2; i < points->count; i += 2) {
    double before = points->xy[i - 2], x = points->xy[i];
    if (x > before) continue;
    snprintf(message, size, "the x of a table must increase: point %zu has %g after %g", i / 2 + 1,
             x, before);
    return false;
  }
  return true;
}

/* Slopes s of the not-a-knot spline: a tridiagonal system, its right side in s on entry of the
 * solve. */
static void solve_slopes(int n, const double *x, const double *y, double *s, double *upper) {
  int last = n - 1;
  double h0 = x[1] - x[0], h1 = x[2] - x[1], sum = h0 + h1;
  double m0 = (y[1] - y[0]) / h0, m1 = (y[2] - y[1]) / h1;
  /* equal third derivatives across x1 make the first row */
  upper[0] = sum / h1;
  s[0] = ((h0 + 2 * sum) * h1 * m0 + h0 * h0 * m1) / (sum * h1);
  for (int i = 1; i < last; i++) {
    double a = x[i] - x[i - 1], b = x[i + 1] - x[i];
    double right = 3 * (b * (y[i] - y[i - 1]) / a + a * (y[i + 1] - y[i]) / b);
    double pivot = 2 * (a + b) - b * upper[i - 1];
    upper[i] = a / pivot;
    s[i] = (right - b * s[i - 1]) / pivot;
  }
  h0 = x[last - 1] - x[last - 2], h1 = x[last] - x[last - 1], sum = h0 + h1;
  m0 = (y[last - 1] - y[last - 2]) / h0, m1 = (y[last] - y[last - 1]) / h1;
  double right = (h1 * h1 * m0 + (2 * sum + h1) * h0 * m1) / sum;
  s[last] = (right - sum * s[last - 1]) / (h0 - sum * upper[last - 1]);
  for (int i = last - 1; i >= 0; i--) s[i] -= upper[i] * s[i + 1];
}

/* Two points make a line, three a parabola: the not-a-knot conditions degenerate there. */
static void few_slopes(int n, const double *x, const double *y, double *s) {
  double m0 = (y[1] - y[0]) / (x[1] - x[0]);
  double m1 = n == 2 ? m0 : (y[2] - y[1]) / (x[2] - x[1]);
  double bend = n == 2 ? 0 : (m1 - m0) / (x[2] - x[0]);
  for (int i = 0; i < n; i++) s[i] = m0 + bend * (2 * x[i] - x[0] - x[1]);
}

static void fill_cubics(trm_table *table, const double *y, const double *s) {
  for (int i = 0; i + 1 < table->count; i++) {
    double h = table->x[i + 1] - table->x[i], m = (y[i + 1] - y[i]) / h;
    double *c = table->cubic + 4 * i;
    c[0] = y[i];
    c[1] = s[i];
    c[2] = (3 * m - 2 * s[i] - s[i + 1]) / h;
    c[3] = (s[i] + s[i + 1] - 2 * m) / (h * h);
  }
}

static void fill_table(trm_table *table, const trm_points *points, double *work) {
  int n = table->count;
  double *y = work, *s = work + n, *upper = work + 2 * n;
  for (int i = 0; i < n; i++) {
    table->x[i] = points->xy[2 * i];
    y[i] = points->xy[2 * i + 1];
  }
  if (n < 4)
    few_slopes(n, table->x, y, s);
  else
    solve_slopes(n, table->x, y, s, upper);
  fill_cubics(table, y, s);
  table->slack = 1e-12 * fmax(fabs(table->x[0]), fabs(table->x[n - 1]));
}

static bool is_finite_table(const trm_table *table) {
  for (int i = 0; i < 4 * (table->count - 1); i++)
    if (!isfinite(table->cubic[i])) return false;
  return true;
}

trm_table *trm_table_create(const trm_points *points, char *message, size_t size) {
  if (!check_points(points, message, size)) return NULL;
  size_t n = points->count / 2;
  trm_table *table = calloc(1, sizeof *table);
  double *work = calloc(3 * n, sizeof *work);
  if (table) table->x = calloc(n, sizeof(double));
  if (table) table->cubic = calloc(4 * n, sizeof(double));
  const char *trouble = "out of memory";
  if (table && work && table->x && table->cubic) {
    table->count = (int)n;
    fill_table(table, points, work);
    trouble = is_finite_table(table) ? NULL : "the points of the table are too far or too near";
  }
  free(work);
  if (!trouble) return table;
  snprintf(message, size, "%s", trouble);
  trm_table_destroy(table);
  return NULL;
}

void trm_table_destroy(trm_table *table) {
  if (!table) return;
  free(table->x);
  free(table->cubic);
  free(table);
}

void trm_table_range(const trm_table *table, double *first, double *last) {
  *first = table->x[0];
  *last = table->x[table->count - 1];
}

trm_jet trm_table_jet(const trm_table *table, double x) {
  int low = 0, high = table->count - 1;
  if (!(x >= table->x[low] - table->slack && x <= table->x[high] + table->slack))
    return (trm_jet){NAN, NAN, NAN};
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (x < table->x[middle])
      high = middle;
    else
      low = middle;
  }
  const double *c = table->cubic + 4 * low;
  double u = x - table->x[low];
  return (trm_jet){c[0] + u * (c[1] + u * (c[2] + u * c[3])), c[1] + u * (2 * c[2] + 3 * u * c[3]),
                   2 * c[2] + 6 * u * c[3]};
}
