/* The augmented form [M Cqᵀ; Cq 0], 000 eq. 76. */
#include "math/kkt.h"
#include "solver/solver.h"

#include <math.h>
#include <string.h>

typedef struct augmented {
  const trm_structure *structure;
  trm_kkt *kkt;
  double *none;   /* [m] zeros */
  double *b;      /* [n + m] */
  bool *left_out; /* [m] rows left out */
  bool lost;      /* nothing can be solved */
} augmented;

/* M by column, for the factorization to know. */
static bool list_mass(trm_arena *arena, const trm_structure *s, int **start, int **row,
                      int **from) {
  int entries = s->mass_diagonal ? s->n : s->mass_value[s->blocks], at = 0;
  *start = TRM_NEW(arena, int, s->n + 1);
  *row = TRM_NEW(arena, int, entries + 1);
  *from = TRM_NEW(arena, int, entries + 1);
  if (!*start || !*row || !*from) return false;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), q = s->q_start[b];
    for (int c = 0; c < width; c++) {
      for (int r = 0; r < width; r++) {
        if (s->mass_diagonal && r != c) continue;
        (*row)[at] = q + r;
        (*from)[at++] = s->mass_value[b] + (s->mass_diagonal ? c : r * width + c);
      }
      (*start)[q + c + 1] = at;
    }
  }
  return true;
}

static void *create(trm_arena *arena, const trm_structure *s, trm_linear linear) {
  (void)linear; /* the same factors at every size */
  augmented *self = TRM_NEW(arena, augmented, 1);
  int *start, *row, *from;
  if (!self || !list_mass(arena, s, &start, &row, &from)) return NULL;
  self->structure = s;
  const trm_kkt_pattern pattern = {s, start, row, from, .more = 0};
  self->kkt = trm_kkt_create(arena, &pattern, 1);
  self->none = TRM_NEW(arena, double, s->m + 1);
  self->b = TRM_NEW(arena, double, s->n + s->m + 1);
  self->left_out = TRM_NEW(arena, bool, s->m + 1);
  return self->kkt && self->none && self->b && self->left_out ? self : NULL;
}

static double factor(void *data, const double *M, const double *Cq) {
  augmented *self = data;
  self->lost = !trm_kkt_factor(self->kkt, M, Cq, Cq, NULL, self->none, self->left_out);
  return self->lost ? 0 : trm_kkt_least_pivot(self->kkt);
}

/* A kept pivot may be small far from singular positions. */
static double distance(void *data) {
  augmented *self = data;
  return self->lost ? 0 : trm_kkt_distance(self->kkt);
}

static void omit(void *data, const bool *rows) {
  augmented *self = data;
  memcpy(self->left_out, rows, (size_t)self->structure->m * sizeof *rows);
}

static void solve(void *data, const double *f, const double *g, double *x, double *lambda) {
  augmented *self = data;
  int n = self->structure->n, m = self->structure->m;
  double *b = self->b;
  for (int i = 0; i < n; i++) b[i] = self->lost ? NAN : f ? f[i] : 0;
  for (int i = 0; i < m; i++) b[n + i] = self->left_out[i] ? 0 : self->lost ? NAN : g[i];
  if (!self->lost) trm_kkt_solve(self->kkt, b);
  memcpy(x, b, (size_t)n * sizeof *x);
  memcpy(lambda, b + n, (size_t)m * sizeof *lambda);
}

const trm_solver_class trm_augmented = {
    .name = "augmented",
    .create = create,
    .factor = factor,
    .solve = solve,
    .distance = distance,
    .omit = omit,
    .takes_singular = true,
    .roots = true,
};
