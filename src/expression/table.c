/* Curves: not-a-knot splines or straight lines, kept as one polynomial per interval. */
#include "expression/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool check_points(const trm_points *points, bool quintic, char *message, size_t size) {
  if (points->count < (quintic ? 12 : 4)) {
    snprintf(message, size, "a %stable needs at least %s points", quintic ? "quintic " : "",
             quintic ? "six" : "two");
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

void trm_spline_slopes(int n, const double *x, const double *y, double *slope, double *work) {
  if (n < 4)
    few_slopes(n, x, y, slope);
  else
    solve_slopes(n, x, y, slope, work);
}

static void fill_cubics(trm_table *table, const double *y, const double *s) {
  for (int i = 0; i + 1 < table->count; i++) {
    double h = table->x[i + 1] - table->x[i], m = (y[i + 1] - y[i]) / h;
    double *c = table->piece + 4 * i;
    bool linear = table->options.linear;
    c[0] = y[i];
    c[1] = linear ? m : s[i];
    c[2] = linear ? 0 : (3 * m - 2 * s[i] - s[i + 1]) / h;
    c[3] = linear ? 0 : (s[i] + s[i + 1] - 2 * m) / (h * h);
  }
}

/* Hermite's quintics */
static bool fill_quintics(trm_table *table, const double *y, double *s, double *b) {
  if (!trm_quintic_slopes(table->count, table->x, y, s, b)) return false;
  for (int i = 0; i + 1 < table->count; i++) {
    double h = table->x[i + 1] - table->x[i], *c = table->piece + 6 * i;
    double rise = (y[i + 1] - y[i] - h * (s[i] + h * b[i] / 2)) / (h * h * h);
    double turn = (s[i + 1] - s[i] - h * b[i]) / (h * h), bend = (b[i + 1] - b[i]) / h;
    c[0] = y[i];
    c[1] = s[i];
    c[2] = b[i] / 2;
    c[3] = 10 * rise - 4 * turn + bend / 2;
    c[4] = (-15 * rise + 7 * turn - bend) / h;
    c[5] = (6 * rise - 3 * turn + bend / 2) / (h * h);
  }
  return true;
}

static bool fill_table(trm_table *table, const trm_points *points, double *work) {
  int n = table->count;
  double *y = work, *s = work + n;
  for (int i = 0; i < n; i++) {
    table->x[i] = points->xy[2 * i];
    y[i] = points->xy[2 * i + 1];
  }
  table->slack[0] = 1e-12 * fmax(fabs(table->x[0]), fabs(table->x[n - 1]));
  if (table->options.quintic) return fill_quintics(table, y, s, work + 2 * n);
  trm_spline_slopes(n, table->x, y, s, work + 2 * n);
  fill_cubics(table, y, s);
  return true;
}

static bool is_finite_table(const trm_table *table) {
  for (int i = 0; i < table->terms * (table->count - 1); i++)
    if (!isfinite(table->piece[i])) return false;
  return true;
}

trm_table *trm_table_create(const trm_points *points, trm_word name, trm_table_options options,
                            char *message, size_t size) {
  if (!check_points(points, options.quintic, message, size)) return NULL;
  size_t n = points->count / 2;
  trm_table *table = calloc(1, sizeof *table);
  double *work = calloc(3 * n, sizeof *work);
  if (table) {
    table->name = calloc(name.length + 1, 1);
    table->x = calloc(n, sizeof(double));
    table->terms = options.quintic ? 6 : 4;
    table->piece = calloc((size_t)table->terms * n, sizeof(double));
  }
  const char *trouble = "out of memory";
  if (table && work && table->name && table->x && table->piece) {
    if (name.length) memcpy(table->name, name.text, name.length);
    table->options = options;
    table->count = (int)n;
    if (fill_table(table, points, work))
      trouble = is_finite_table(table) ? NULL : "the points of the table are too far or too near";
  }
  free(work);
  if (!trouble) return table;
  snprintf(message, size, "%s", trouble);
  trm_table_destroy(table);
  return NULL;
}

trm_table *trm_table_share(trm_table *table) {
  atomic_fetch_add(&table->sharers, 1);
  return table;
}

void trm_table_destroy(trm_table *table) {
  if (!table || atomic_fetch_sub(&table->sharers, 1) > 0) return;
  free(table->name);
  free(table->x);
  free(table->y);
  free(table->piece);
  free(table->node);
  free(table);
}

int trm_table_interval(const double *x, int count, double at) {
  int low = 0, high = count - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (at < x[middle])
      high = middle;
    else
      low = middle;
  }
  return low;
}

static trm_jet evaluate_in(const trm_table *table, int i, double x) {
  const double *c = table->piece + table->terms * i;
  double u = x - table->x[i];
  trm_jet p = {c[0] + u * (c[1] + u * (c[2] + u * c[3])), c[1] + u * (2 * c[2] + 3 * u * c[3]),
               2 * c[2] + 6 * u * c[3]};
  if (table->terms == 4) return p;
  double u2 = u * u, c4 = c[4], c5 = c[5];
  return (trm_jet){p.f + u2 * u2 * (c4 + u * c5), p.d + u * u2 * (4 * c4 + 5 * u * c5),
                   p.dd + u2 * (12 * c4 + 20 * u * c5)};
}

static trm_jet evaluate(const trm_table *table, double x) {
  return evaluate_in(table, trm_table_interval(table->x, table->count, x), x);
}

/* Beyond an edge. */
static trm_jet evaluate_outside(const trm_table *table, double edge, double x) {
  trm_jet at = evaluate(table, edge);
  if (table->options.outside == TRM_OUTSIDE_HOLD) return (trm_jet){at.f, 0, 0};
  return (trm_jet){at.f + at.d * (x - edge), at.d, 0};
}

trm_jet trm_table_jet(const trm_table *table, double x) {
  double first = table->x[0], last = table->x[table->count - 1], slack = table->slack[0];
  if (x >= first - slack && x <= last + slack) return evaluate(table, x);
  if (isnan(x) || table->options.outside == TRM_OUTSIDE_ERROR) return (trm_jet){NAN, NAN, NAN};
  return evaluate_outside(table, x < first ? first : last, x);
}

bool trm_table_is_smooth(const trm_table *table) {
  return !table->options.linear && table->options.outside == TRM_OUTSIDE_ERROR;
}

bool trm_table_has_kinks(const trm_table *table) {
  return table->options.linear || table->options.outside == TRM_OUTSIDE_HOLD;
}

static unsigned piece_of(const double *x, int count, bool linear, double at) {
  if (at < x[0]) return 0;
  if (at > x[count - 1]) return 1;
  return linear ? 2 + (unsigned)trm_table_interval(x, count, at) : 2;
}

unsigned trm_table_piece(const trm_table *table, double x, double y) {
  unsigned piece = piece_of(table->x, table->count, table->options.linear, x);
  if (table->rows == 0) return piece;
  return piece * 31 + piece_of(table->y, table->rows, table->options.linear, y);
}

trm_jet trm_table_jet_on(const trm_table *table, unsigned piece, double x) {
  if (piece < 2) return evaluate_outside(table, table->x[piece ? table->count - 1 : 0], x);
  return table->options.linear ? evaluate_in(table, (int)piece - 2, x) : evaluate(table, x);
}

static bool explain(const trm_table *table, const char *argument, const double *x, int count,
                    double slack, double at, char *text, size_t size) {
  if (isnan(at) || (at >= x[0] - slack && at <= x[count - 1] + slack)) return false;
  bool named = table->name[0] != '\0';
  snprintf(text, size, "%s = %.12g is outside the table%s%.100s%s, which goes from %g to %g",
           argument, at, named ? " '" : "", table->name, named ? "'" : "", x[0], x[count - 1]);
  return true;
}

bool trm_table_explain(const trm_table *table, double x, double y, char *text, size_t size) {
  if (table->options.outside != TRM_OUTSIDE_ERROR) return false;
  if (explain(table, "x", table->x, table->count, table->slack[0], x, text, size)) return true;
  return table->rows > 0 &&
         explain(table, "y", table->y, table->rows, table->slack[1], y, text, size);
}
