/* Directions along which nothing tells one place from another. */
#include "analysis/neutral.h"

#include <string.h>

#include "math/lapack_eigen.h"

#define NOTHING 1e-12 /* of the largest: motions that move nothing, squared */
#define WHOLE   1e-9  /* what is missing of a direction that velocities may go along */

bool trm_neutral_create(trm_neutral *s, trm_manifold *m) {
  *s = (trm_neutral){0};
  if (!trm_symmetry_create(&s->symmetry, m, 1)) return false;
  size_t most = (size_t)s->symmetry.candidates + 1, all = most * (size_t)(m->n + 1);
  s->room = 70 * (int)most;
  s->d = TRM_NEW(m->arena, double, all);
  s->along = TRM_NEW(m->arena, double, all);
  s->sum = TRM_NEW(m->arena, double, all);
  s->gram = TRM_NEW(m->arena, double, most *most);
  s->c = TRM_NEW(m->arena, double, most *most);
  s->w = TRM_NEW(m->arena, double, most);
  s->work = TRM_NEW(m->arena, double, s->room);
  return !trm_arena_failed(m->arena);
}

static double *row_of(double *rows, const trm_manifold *m, int k) {
  return rows + (size_t)k * (size_t)m->n;
}

static double product(const trm_manifold *m, const double *a, const double *b) {
  const double *span = m->system->span;
  double sum = 0;
  for (int i = 0; i < m->n; i++) sum += a[i] / span[i] * (b[i] / span[i]);
  return sum;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void find_along(trm_neutral *s, trm_manifold *m) {
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < m->velocities; i++)
      row_of(s->along, m, k)[i] =
          product(m, row_of(s->d, m, k), m->rates->Z + (size_t)i * (size_t)m->n);
}

/* Principal axes of rows by their products: into c, by column, and w, the least first. */
static void find_axes(trm_neutral *s) {
  int count = s->count, info;
  memcpy(s->c, s->gram, (size_t)count * (size_t)count * sizeof(double));
  if (count > 0) dsyev_("V", "U", &count, s->c, &count, s->w, s->work, &s->room, &info, 1, 1);
}

/* Rows become sums of rows, those from `first` on. */
static void combine(trm_neutral *s, const trm_manifold *m, int first, double *rows) {
  int kept = s->count - first;
  for (int k = 0; k < kept; k++) {
    memset(row_of(s->sum, m, k), 0, (size_t)m->n * sizeof(double));
    for (int j = 0; j < s->count; j++)
      trm_axpy(m->n, s->c[(first + k) * s->count + j], row_of(rows, m, j), row_of(s->sum, m, k));
  }
  memcpy(rows, s->sum, (size_t)kept * (size_t)m->n * sizeof(double));
}

/* One of each that does move something, orthonormal. */
static void make_orthonormal(trm_neutral *s, trm_manifold *m) {
  int first = 0;
  for (int i = 0; i < s->count; i++)
    for (int j = 0; j < s->count; j++)
      s->gram[i * s->count + j] = product(m, row_of(s->d, m, i), row_of(s->d, m, j));
  find_axes(s);
  while (first < s->count && !(s->w[first] > NOTHING * s->w[s->count - 1])) first++;
  for (int k = first; k < s->count; k++)
    for (int j = 0; j < s->count; j++) s->c[k * s->count + j] /= sqrt(s->w[k]);
  combine(s, m, first, s->d);
  s->count -= first;
}

/* Those last that velocities may go along. */
static void sort(trm_neutral *s, trm_manifold *m) {
  find_along(s, m);
  for (int i = 0; i < s->count; i++)
    for (int j = 0; j < s->count; j++)
      s->gram[i * s->count + j] =
          dot(m->velocities, row_of(s->along, m, i), row_of(s->along, m, j));
  find_axes(s);
  combine(s, m, 0, s->d);
  find_along(s, m);
  for (s->first = s->count; s->first > 0 && s->w[s->first - 1] > 1 - WHOLE;) s->first--;
}

void trm_neutral_find(trm_neutral *s, trm_manifold *m, const double *f) {
  trm_symmetry_find(&s->symmetry, m, f, true);
  s->count = s->symmetry.count;
  for (int k = 0; k < s->count; k++) {
    trm_steady *unit = &s->symmetry.unit;
    trm_symmetry_get(&s->symmetry, k, m->system, unit);
    trm_steady_velocity(unit, m->system, m->q, row_of(s->d, m, k));
  }
  make_orthonormal(s, m);
  sort(s, m);
}

double trm_neutral_part(const trm_neutral *s, const trm_manifold *m, int k, const double *dq) {
  return product(m, row_of(s->d, m, k), dq);
}

void trm_neutral_free(const trm_neutral *s, const trm_manifold *m, double *column, double *damp) {
  int dim = m->velocities;
  for (int k = s->first; k < s->count; k++) {
    const double *along = row_of(s->along, m, k);
    trm_axpy(dim, -dot(dim, along, column), along, column);
    trm_axpy(dim, -dot(dim, along, damp), along, damp);
  }
}
