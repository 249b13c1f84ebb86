/* Eigenvalues of a full real matrix, zeros first. */
#include "analysis/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/lapack_eigen.h"

/* All matrices are by column here. */
typedef struct deflation {
  int n, zeros, room;
  double *A;     /* [n²] by units, then in the basis V: [N B; 0 A2] with N nilpotent */
  double *V;     /* [n²] orthonormal */
  double *scale; /* [n] units */
  double *s, *u, *vt, *copy, *work;
  double norm;
} deflation;

static bool create(deflation *d, trm_arena *arena, int n) {
  size_t cells = (size_t)n * (size_t)n + 1;
  *d = (deflation){.n = n, .room = 64 * (n + 1) + 5 * n};
  d->A = TRM_NEW(arena, double, cells);
  d->V = TRM_NEW(arena, double, cells);
  d->scale = TRM_NEW(arena, double, n + 1);
  d->s = TRM_NEW(arena, double, n + 1);
  d->u = TRM_NEW(arena, double, cells);
  d->vt = TRM_NEW(arena, double, cells);
  d->copy = TRM_NEW(arena, double, cells);
  d->work = TRM_NEW(arena, double, d->room);
  return !trm_arena_failed(arena);
}

static double *column(double *A, int n, int j) {
  return A + (size_t)j * (size_t)n;
}

/* Columns first … n − 1 of V, and rows and columns of A, are turned by W, whose columns are rows of
 * `vt`, the last ones first: null vectors come to the front. */
static void turn(deflation *d, int first, int size) {
  int n = d->n;
  double *out = d->copy;
  for (int pass = 0; pass < 2; pass++) { /* columns of V, of A */
    double *X = pass ? d->A : d->V;
    for (int j = 0; j < size; j++)
      for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < size; k++)
          sum +=
              column(X, n, first + k)[i] * d->vt[(size_t)k * (size_t)size + (size_t)(size - 1 - j)];
        out[(size_t)j * (size_t)n + (size_t)i] = sum;
      }
    memcpy(column(X, n, first), out, (size_t)size * (size_t)n * sizeof(double));
  }
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < size; i++) {
      double sum = 0;
      for (int k = 0; k < size; k++)
        sum += d->vt[(size_t)k * (size_t)size + (size_t)(size - 1 - i)] *
               column(d->A, n, j)[first + k];
      d->s[i] = sum;
    }
    memcpy(column(d->A, n, j) + first, d->s, (size_t)size * sizeof(double));
  }
}

/* The null space of the last block; false: no convergence. */
static bool deflate(deflation *d, int *found) {
  int n = d->n, first = d->zeros, size = n - first, info;
  *found = 0;
  if (size == 0) return true;
  for (int j = 0; j < size; j++)
    memcpy(d->copy + (size_t)j * (size_t)size, column(d->A, n, first + j) + first,
           (size_t)size * sizeof(double));
  dgesvd_("N", "A", &size, &size, d->copy, &size, d->s, d->u, &n, d->vt, &size, d->work, &d->room,
          &info, 1, 1);
  if (info != 0) return false;
  if (first == 0) d->norm = d->s[0];
  while (*found < size && d->s[size - 1 - *found] <= TRM_NO_PART * d->norm) ++*found;
  if (*found == 0) return true;
  turn(d, first, size);
  for (int j = first; j < first + *found; j++)
    memset(column(d->A, n, j) + first, 0, (size_t)size * sizeof(double));
  d->zeros += *found;
  return true;
}

/* x = V (y, w) with (λ − N) y = B w. */
static bool lift(deflation *d, double complex lambda, const double complex *w, double complex *x,
                 double complex *y) {
  int n = d->n, zeros = d->zeros;
  for (int i = 0; i < zeros; i++) y[i] = 0;
  for (int j = zeros; j < n; j++)
    for (int i = 0; i < zeros; i++) y[i] += column(d->A, n, j)[i] * w[j - zeros];
  for (int i = zeros - 1; i >= 0; i--) { /* N is strictly upper triangular, by blocks */
    for (int j = i + 1; j < zeros; j++) y[i] += column(d->A, n, j)[i] * y[j];
    y[i] /= lambda;
  }
  for (int i = 0; i < n; i++) {
    double complex sum = 0;
    for (int j = 0; j < n; j++) sum += column(d->V, n, j)[i] * (j < zeros ? y[j] : w[j - zeros]);
    x[i] = sum * d->scale[i];
  }
  return true;
}

typedef struct entry {
  double complex value;
  int at;
} entry;

static int by_size(const void *a, const void *b) {
  const entry *x = a, *y = b;
  double p = cabs(x->value), q = cabs(y->value);
  /* pairs have one size but for the last bit, and stay together */
  if (x->value == conj(y->value) && x->at != y->at)
    return cimag(x->value) > cimag(y->value) ? -1 : 1;
  return p < q ? -1 : p > q ? 1 : x->at - y->at;
}

static bool solve(deflation *d, trm_eigen *e, trm_arena *arena) {
  int n = d->n, zeros = d->zeros, size = n - zeros, one = 1, info = 0;
  double *wr = TRM_NEW(arena, double, 2 * n + 2), *wi = wr ? wr + n + 1 : NULL;
  double complex *w = TRM_NEW(arena, double complex, n + 1),
                 *y = TRM_NEW(arena, double complex, n + 1);
  double complex *x = TRM_NEW(arena, double complex, (size_t)n *(size_t)n + 1);
  entry *order = TRM_NEW(arena, entry, n + 1);
  if (trm_arena_failed(arena)) return false;
  for (int j = 0; j < size; j++)
    memcpy(d->copy + (size_t)j * (size_t)size, column(d->A, n, zeros + j) + zeros,
           (size_t)size * sizeof(double));
  if (size > 0)
    dgeev_("N", "V", &size, d->copy, &size, wr, wi, d->u, &one, d->vt, &size, d->work, &d->room,
           &info, 1, 1);
  if (info != 0) return false;
  for (int k = 0; k < zeros; k++) {
    order[k] = (entry){0, k};
    for (int i = 0; i < n; i++)
      x[(size_t)k * (size_t)n + (size_t)i] = column(d->V, n, k)[i] * d->scale[i];
  }
  for (int k = 0; k < size; k++) {
    bool second = wi[k] < 0;
    const double *re = d->vt + (size_t)(second ? k - 1 : k) * (size_t)size, *im = re + size;
    for (int i = 0; i < size; i++)
      w[i] = re[i] + (wi[k] == 0 ? 0 : (second ? -1 : 1) * im[i]) * _Complex_I;
    double complex lambda = wr[k] + wi[k] * _Complex_I;
    lift(d, lambda, w, x + (size_t)(zeros + k) * (size_t)n, y);
    order[zeros + k] = (entry){lambda, zeros + k};
  }
  qsort(order, (size_t)n, sizeof *order, by_size);
  for (int k = 0; k < n; k++) {
    e->value[k] = order[k].value;
    memcpy(e->vector + (size_t)k * (size_t)n, x + (size_t)order[k].at * (size_t)n,
           (size_t)n * sizeof *x);
  }
  return true;
}

bool trm_eigen_find(trm_eigen *e, trm_arena *arena, int n, const double *A, const double *unit) {
  deflation d;
  int found;
  *e = (trm_eigen){.n = n};
  e->value = TRM_NEW(arena, double complex, n + 1);
  e->vector = TRM_NEW(arena, double complex, (size_t)n *(size_t)n + 1);
  if (!e->value || !e->vector || !create(&d, arena, n)) return false;
  if (n == 0) return true;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      column(d.A, n, j)[i] = A[(size_t)i * (size_t)n + (size_t)j] * unit[j] / unit[i];
  for (int j = 0; j < n; j++) {
    column(d.V, n, j)[j] = 1;
    d.scale[j] = unit[j];
  }
  do {
    if (!deflate(&d, &found)) return false;
  } while (found > 0);
  e->zeros = d.zeros;
  return solve(&d, e, arena);
}
