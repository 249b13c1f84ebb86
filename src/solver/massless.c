/* Rotations without inertia. */
#include "solver/massless.h"

#include "math/cholesky.h"
#include "math/lapack.h"
#include "math/rank.h"

#include <math.h>
#include <string.h>

/* T's eigenvalues lie in [0, 1]: 1 held by the constraints, 0 free. Below this a rotation is free.
 */
static const double free_rotation = 1e-10;
/* Stages are off the constraints, by ε of a length: what is free is held by ε² there. Below this
 * what was free at the last state is free. */
static const double nearly_free = 1e-2;
/* Cholesky pivots above this leave no doubt. */
static const double sure_pivot = 1e-6;

trm_massless *trm_massless_create(trm_arena *arena, const trm_structure *s) {
  trm_massless *self = TRM_NEW(arena, trm_massless, 1);
  if (!self) return NULL;
  size_t p = (size_t)s->massless, n = (size_t)s->n, m = (size_t)s->m;
  int size = s->massless, query = -1, info;
  double asked = 1, dummy = 0;
  dsyev_("V", "L", &size, &dummy, &size, &dummy, &asked, &query, &info, 1, 1);
  self->structure = s;
  self->work_size = (int)asked;
  self->X = TRM_NEW(arena, double, p *n);
  self->Lambda = TRM_NEW(arena, double, p *m);
  self->T = TRM_NEW(arena, double, p *p);
  self->V = TRM_NEW(arena, double, p *p);
  self->eigenvalue = TRM_NEW(arena, double, p);
  self->root = TRM_NEW(arena, double, p);
  self->tau = TRM_NEW(arena, double, p);
  self->scratch = TRM_NEW(arena, double, p);
  self->f = TRM_NEW(arena, double, n);
  self->g = TRM_NEW(arena, double, m);
  self->work = TRM_NEW(arena, double, self->work_size);
  if (trm_arena_failed(arena)) return NULL;
  for (size_t i = 0; i < p; i++) self->root[i] = sqrt(s->massless_inertia[i]);
  return self;
}

static int count_free(const trm_massless *self, double bound) {
  int count = 0;
  while (!self->determined && count < self->structure->massless && self->eigenvalue[count] <= bound)
    count++;
  return count;
}

void trm_massless_accept(trm_massless *self) {
  self->free_count = count_free(self, free_rotation);
}

/* N x of one rotation */
static double rate(const trm_massless *self, int j, const double *x) {
  const trm_structure *s = self->structure;
  int b = s->massless_block[j];
  const double *N = self->N + s->massless_value[j], *xb = x + s->q_start[b];
  double sum = 0;
  for (int k = 0; k < trm_block_width(s, b); k++) sum += N[k] * xb[k];
  return sum;
}

static void find_responses(trm_massless *self, trm_plain_solve *solve, void *data) {
  const trm_structure *s = self->structure;
  for (int j = 0; j < s->massless; j++) {
    int b = s->massless_block[j];
    double *fb = self->f + s->q_start[b];
    size_t bytes = (size_t)trm_block_width(s, b) * sizeof *fb, column = (size_t)j;
    memcpy(fb, self->N + s->massless_value[j], bytes);
    solve(data, self->f, self->g, self->X + column * (size_t)s->n,
          self->Lambda + column * (size_t)s->m);
    memset(fb, 0, bytes);
  }
}

/* T = 1 − √I S √I; false: not finite */
static bool fill(trm_massless *self) {
  int p = self->structure->massless;
  bool finite = true;
  for (int i = 0; i < p; i++)
    for (int j = 0; j < p; j++) {
      double S = rate(self, i, self->X + (size_t)j * (size_t)self->structure->n);
      double T = (i == j) - self->root[i] * S * self->root[j];
      finite = finite && isfinite(T);
      self->T[i * p + j] = T;
    }
  return finite;
}

void trm_massless_factor(trm_massless *self, const double *N, trm_plain_solve *solve, void *data) {
  int p = self->structure->massless, info;
  self->N = N;
  find_responses(self, solve, data);
  bool finite = fill(self);
  double least = INFINITY;
  for (int i = 0; i < p; i++) least = fmin(least, self->T[i * p + i]);
  double sure = self->free_count > 0 ? nearly_free : sure_pivot;
  self->determined = !finite || (least > sure && trm_cholesky_factor(p, self->T, self->T) > sure);
  if (self->determined) return;
  fill(self);
  dsyev_("V", "L", &p, self->T, &p, self->eigenvalue, self->work, &self->work_size, &info, 1, 1);
}

/* b = T⁺ b; a rotation that nothing determines gets the torque that keeps it at rest, whatever acts
 * on it */
static void apply_pseudo_inverse(trm_massless *self, double *b) {
  int p = self->structure->massless;
  double *sum = self->scratch;
  memset(sum, 0, (size_t)p * sizeof *sum);
  for (int k = 0; k < p; k++) {
    double bound = k < self->free_count ? nearly_free : free_rotation;
    bool free = self->eigenvalue[k] <= bound;
    const double *v = self->T + (size_t)k * (size_t)p;
    double part = 0;
    for (int i = 0; i < p; i++) part += v[i] * b[i];
    for (int i = 0; i < p; i++) sum[i] += v[i] * (free ? -part : part / self->eigenvalue[k]);
  }
  memcpy(b, sum, (size_t)p * sizeof *b);
}

void trm_massless_correct(trm_massless *self, const double *bias, double *x, double *lambda) {
  const trm_structure *s = self->structure;
  int p = s->massless;
  double *tau = self->tau;
  for (int j = 0; j < p; j++) tau[j] = self->root[j] * (rate(self, j, x) + (bias ? bias[j] : 0));
  if (self->determined) {
    trm_cholesky_forward(p, self->T, tau);
    trm_cholesky_backward(p, self->T, tau);
  } else {
    apply_pseudo_inverse(self, tau);
  }
  for (int j = 0; j < p; j++) {
    const double *X = self->X + (size_t)j * (size_t)s->n;
    const double *Lambda = self->Lambda + (size_t)j * (size_t)s->m;
    double torque = self->root[j] * tau[j];
    for (int i = 0; i < s->n; i++) x[i] += X[i] * torque;
    for (int i = 0; i < s->m; i++) lambda[i] += Lambda[i] * torque;
  }
}

void trm_massless_find_free(trm_massless *self, bool *free) {
  int p = self->structure->massless, count = count_free(self, free_rotation);
  memset(free, 0, (size_t)p * sizeof *free);
  memcpy(self->V, self->T, (size_t)(count * p) * sizeof *self->V);
  trm_rank_choose(p, count, self->V, free);
}
