/* The augmented form [M Cqᵀ; Cq 0], 000 eq. 76, dense, by a symmetric indefinite factorization. */
#include "math/lapack.h"
#include "math/rank.h"
#include "solver/solver.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Of the largest entry of a singular M: what counts as one in the scaling. */
static const double smallest_mass = 1e-3;

typedef struct augmented {
  const trm_structure *structure;
  int size;      /* n + m */
  double *A;     /* [size × size] column-major, lower part */
  double *scale; /* [size] 1/√Mᵢᵢ, 1/norm of Cq's rows under it */
  double *rhs;   /* [size] */
  int *pivot;    /* [size] */
  bool *out;     /* [m] rows left out */
  double *work;
  int work_size;
} augmented;

static void *create(trm_arena *arena, const trm_structure *s, trm_linear linear) {
  (void)linear;
  augmented *self = TRM_NEW(arena, augmented, 1);
  size_t size = (size_t)s->n + (size_t)s->m;
  if (!self || size > INT_MAX) return NULL;
  self->structure = s;
  self->size = (int)size;
  self->A = TRM_NEW(arena, double, size *size + 1);
  self->scale = TRM_NEW(arena, double, size + 1);
  self->rhs = TRM_NEW(arena, double, size + 1);
  self->pivot = TRM_NEW(arena, int, size + 1);
  self->out = TRM_NEW(arena, bool, s->m + 1);
  if (!self->A || !self->scale || !self->rhs || !self->pivot || !self->out) return NULL;
  int lda = self->size + !self->size, query = -1, info;
  double asked = 1;
  dsytrf_("L", &self->size, self->A, &lda, self->pivot, &asked, &query, &info, 1);
  self->work_size = (int)fmax(asked, 1);
  self->work = TRM_NEW(arena, double, self->work_size);
  return self->work ? self : NULL;
}

static double largest_mass(const trm_structure *s, const double *M) {
  double largest = 0;
  for (int b = 0; b < s->blocks && s->mass_singular; b++) {
    int width = trm_block_width(s, b), stride = s->mass_diagonal ? 1 : width + 1;
    for (int i = 0; i < width; i++) largest = fmax(largest, M[s->mass_value[b] + i * stride]);
  }
  return largest;
}

/* M's diagonal becomes one, and so do the norms of Cq's rows: pivots can be compared. */
static void find_scale(augmented *self, const double *M, const double *Cq) {
  const trm_structure *s = self->structure;
  double *q_scale = self->scale, *row_scale = self->scale + s->n;
  memset(row_scale, 0, (size_t)s->m * sizeof *row_scale);
  double floor = smallest_mass * largest_mass(s, M); /* a singular M may have zeros */
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), stride = s->mass_diagonal ? 1 : width + 1;
    double *h = q_scale + s->q_start[b];
    for (int i = 0; i < width; i++) {
      double mass = M[s->mass_value[b] + i * stride];
      h[i] = 1 / sqrt(s->mass_singular && mass < floor ? floor : mass);
    }
    const double *row = Cq + s->panel_value[b];
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++, row += width)
      for (int k = 0; k < width; k++) row_scale[s->panel_row[p]] += row[k] * row[k] * h[k] * h[k];
  }
  for (int i = 0; i < s->m; i++) {
    row_scale[i] = row_scale[i] > 0 ? 1 / sqrt(row_scale[i]) : 1;
    if (self->out[i]) row_scale[i] = 0;
  }
}

static double *entry(augmented *self, int i, int j) {
  return self->A + (size_t)j * (size_t)self->size + i;
}

static void fill_mass(augmented *self, const double *M) {
  const trm_structure *s = self->structure;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), q = s->q_start[b];
    const double *Mb = M + s->mass_value[b], *h = self->scale + q;
    for (int i = 0; i < width; i++) {
      if (s->mass_diagonal) {
        *entry(self, q + i, q + i) = Mb[i] * h[i] * h[i];
        continue;
      }
      for (int j = 0; j <= i; j++) *entry(self, q + i, q + j) = Mb[i * width + j] * h[i] * h[j];
    }
  }
}

static void fill_jacobian(augmented *self, const double *Cq) {
  const trm_structure *s = self->structure;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), q = s->q_start[b];
    const double *row = Cq + s->panel_value[b], *h = self->scale + q;
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++, row += width) {
      int i = s->n + s->panel_row[p];
      for (int k = 0; k < width; k++) *entry(self, i, q + k) = row[k] * self->scale[i] * h[k];
    }
  }
  for (int i = 0; i < s->m; i++)
    if (self->out[i]) *entry(self, s->n + i, s->n + i) = -1;
}

/* Eigenvalues of D: a 2 × 2 block gives its larger one and the product. */
static double weakest_pivot(augmented *self) {
  double largest = 0, smallest = INFINITY;
  for (int k = 0; k < self->size; k++) {
    double a = *entry(self, k, k), big = fabs(a), small = big;
    if (self->pivot[k] < 0) {
      double c = *entry(self, k + 1, k), d = *entry(self, k + 1, k + 1);
      big = fabs((a + d) / 2) + hypot((a - d) / 2, c);
      small = big > 0 ? fabs(a * d - c * c) / big : 0;
      k++;
    }
    if (big > largest) largest = big;
    if (small < smallest) smallest = small;
  }
  return smallest / largest;
}

static double factor(void *data, const double *M, const double *Cq) {
  augmented *self = data;
  int n = self->size, info;
  if (n == 0) return 1;
  memset(self->A, 0, (size_t)n * (size_t)n * sizeof *self->A);
  find_scale(self, M, Cq);
  fill_mass(self, M);
  fill_jacobian(self, Cq);
  dsytrf_("L", &n, self->A, &n, self->pivot, self->work, &self->work_size, &info, 1);
  double weakest = weakest_pivot(self);
  return weakest <= TRM_PIVOT_LOST ? 0 : weakest; /* a NaN passes through to the results */
}

static void omit(void *data, const bool *rows) {
  augmented *self = data;
  memcpy(self->out, rows, (size_t)self->structure->m * sizeof *rows);
}

static void solve(void *data, const double *f, const double *g, double *x, double *lambda) {
  augmented *self = data;
  int n = self->structure->n, m = self->structure->m, one = 1, info;
  const double *q_scale = self->scale, *row_scale = self->scale + n;
  if (self->size == 0) return;
  for (int i = 0; i < n; i++) self->rhs[i] = f ? q_scale[i] * f[i] : 0;
  for (int i = 0; i < m; i++) self->rhs[n + i] = row_scale[i] * g[i];
  dsytrs_("L", &self->size, &one, self->A, &self->size, self->pivot, self->rhs, &self->size, &info,
          1);
  for (int i = 0; i < n; i++) x[i] = q_scale[i] * self->rhs[i];
  for (int i = 0; i < m; i++) lambda[i] = row_scale[i] * self->rhs[n + i];
}

const trm_solver_class trm_augmented = {
    .name = "augmented",
    .create = create,
    .factor = factor,
    .solve = solve,
    .omit = omit,
    .takes_singular = true,
    .sparse = &trm_augmented_sparse,
};
