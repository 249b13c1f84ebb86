/* Null spaces by QR with pivoting. */
#include "math/null_space.h"

#include <math.h>
#include <string.h>

#include "math/lapack.h"

#define DEPENDENT 1e-10 /* of a row of unit size: what is left of it beside the others */

bool trm_null_space_create(trm_null_space *s, trm_arena *arena, int n, int most,
                           const double *scale) {
  int larger = n > most ? n : most;
  *s = (trm_null_space){.n = n, .most = most, .scale = scale, .work_size = 64 * (larger + 1)};
  s->Z = TRM_NEW(arena, double, (size_t)n *(size_t)n + 1);
  s->A = TRM_NEW(arena, double, (size_t)n *(size_t)most + 1);
  s->size = TRM_NEW(arena, double, most + 1);
  s->tau = TRM_NEW(arena, double, larger + 1);
  s->work = TRM_NEW(arena, double, s->work_size);
  s->x = TRM_NEW(arena, double, larger + 1);
  s->pivot = TRM_NEW(arena, int, most + 1);
  return !trm_arena_failed(arena);
}

static void normalize(trm_null_space *s) {
  for (int r = 0; r < s->rows; r++) {
    double *row = s->A + (size_t)r * (size_t)s->n, sum = 0;
    for (int i = 0; i < s->n; i++) row[i] *= s->scale[i];
    for (int i = 0; i < s->n; i++) sum += row[i] * row[i];
    s->size[r] = sum > 0 ? sqrt(sum) : 1;
    for (int i = 0; i < s->n; i++) row[i] /= s->size[r];
  }
}

static void find_basis(trm_null_space *s) {
  int n = s->n, dim = s->dim, info;
  memset(s->Z, 0, (size_t)n * (size_t)dim * sizeof(double));
  for (int j = 0; j < dim; j++) s->Z[(size_t)j * (size_t)n + (size_t)(s->rank + j)] = 1;
  int reflectors = s->rows < n ? s->rows : n;
  if (dim > 0 && reflectors > 0)
    dormqr_("L", "N", &n, &dim, &reflectors, s->A, &n, s->tau, s->Z, &n, s->work, &s->work_size,
            &info, 1, 1);
  for (int j = 0; j < dim; j++)
    for (int i = 0; i < n; i++) s->Z[(size_t)j * (size_t)n + (size_t)i] *= s->scale[i];
}

void trm_null_space_factor(trm_null_space *s, int rows) {
  int n = s->n, info, least = rows < n ? rows : n;
  s->rows = rows;
  s->rank = 0;
  normalize(s);
  memset(s->pivot, 0, (size_t)rows * sizeof(int));
  if (rows > 0) dgeqp3_(&n, &rows, s->A, &n, s->pivot, s->tau, s->work, &s->work_size, &info);
  while (s->rank < least) {
    if (!(fabs(s->A[(size_t)s->rank * (size_t)(n + 1)]) > DEPENDENT)) break;
    s->rank++;
  }
  s->dim = n - s->rank;
  find_basis(s);
}

void trm_null_space_solve(const trm_null_space *s, const double *b, double *x) {
  int n = s->n, one = 1, info, reflectors = s->rows < n ? s->rows : n;
  memset(s->x, 0, (size_t)n * sizeof(double));
  for (int k = 0; k < s->rank; k++) s->x[k] = b[s->pivot[k] - 1] / s->size[s->pivot[k] - 1];
  if (s->rank > 0) {
    dtrsv_("U", "T", "N", &s->rank, s->A, &n, s->x, &one, 1, 1, 1);
    dormqr_("L", "N", &n, &one, &reflectors, s->A, &n, s->tau, s->x, &n, s->work, &s->work_size,
            &info, 1, 1);
  }
  for (int i = 0; i < n; i++) x[i] = s->x[i] * s->scale[i];
}

void trm_null_space_multipliers(const trm_null_space *s, const double *f, double *y) {
  int n = s->n, one = 1, info, reflectors = s->rows < n ? s->rows : n;
  memset(y, 0, (size_t)s->rows * sizeof(double));
  if (s->rank == 0) return;
  for (int i = 0; i < n; i++) s->x[i] = f[i] * s->scale[i];
  dormqr_("L", "T", &n, &one, &reflectors, s->A, &n, s->tau, s->x, &n, s->work, &s->work_size,
          &info, 1, 1);
  dtrsv_("U", "N", "N", &s->rank, s->A, &n, s->x, &one, 1, 1, 1);
  for (int k = 0; k < s->rank; k++) y[s->pivot[k] - 1] = s->x[k] / s->size[s->pivot[k] - 1];
}
