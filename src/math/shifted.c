/* The general form's auxiliary mass matrix and force, 001 eq. 28–29. */
#include "math/shifted.h"

#include <math.h>
#include <string.h>

trm_shifted *trm_shifted_create(trm_arena *arena, const trm_structure *s) {
  trm_shifted *self = TRM_NEW(arena, trm_shifted, 1);
  if (!self) return NULL;
  size_t n = (size_t)s->n, m = (size_t)s->m;
  self->M = TRM_NEW(arena, double, n *n);
  self->Cq = TRM_NEW(arena, double, m *n + 1);
  self->f = TRM_NEW(arena, double, 2 * n);
  self->alpha = TRM_NEW(arena, double, 2 * m + 1);
  self->from = s;
  if (!trm_structure_whole(&self->structure, arena, s->n, s->m, false)) return NULL;
  self->structure.weight = s->weight;
  if (trm_arena_failed(arena)) return NULL;
  return self;
}

static double diagonal(const trm_shifted *self, int i) {
  return self->M[(size_t)i * (size_t)self->from->n + (size_t)i];
}

static void spread_mass(trm_shifted *self, const double *M) {
  const trm_structure *s = self->from;
  memset(self->M, 0, (size_t)s->n * (size_t)s->n * sizeof *self->M);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), q = s->q_start[b];
    const double *Mb = M + s->mass_value[b];
    for (int i = 0; i < width; i++) {
      double *row = self->M + (size_t)(q + i) * (size_t)s->n + q;
      if (s->mass_diagonal)
        row[i] = Mb[i];
      else
        memcpy(row, Mb + i * width, (size_t)width * sizeof *row);
    }
  }
}

/* The coordinates of a rotation hold one another: a flat body's axis across it has next to no mass
 * of its own, and rows that add no more to it would nearly depend on one another. */
static void find_masses(const trm_structure *s, const double *M, double *mass) {
  trm_mass_of_coordinates(s, M, mass);
  for (int b = 0; b < s->blocks && s->intrinsic > 0; b++) {
    double *own = mass + s->q_start[b], largest = 0;
    int width = trm_block_width(s, b);
    for (int i = s->plain; i < width; i++) largest = fmax(largest, own[i]);
    for (int i = s->plain; i < width; i++) own[i] = largest;
  }
}

/* One over the diagonal of Cq M⁻¹Cqᵀ; of a row that holds nothing with a mass, one over Cq Cqᵀ. */
static double find_alpha(int n, const double *c, const double *mass) {
  double heavy = 0, plain = 0;
  for (int i = 0; i < n; i++) {
    if (mass[i] > 0) heavy += c[i] * c[i] / mass[i];
    plain += c[i] * c[i];
  }
  return heavy > 0 ? 1 / heavy : plain > 0 ? 1 / plain : 0;
}

static void spread_jacobian(trm_shifted *self, const double *Cq, const bool *left_out) {
  const trm_structure *s = self->from;
  memset(self->Cq, 0, (size_t)s->m * (size_t)s->n * sizeof *self->Cq);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = Cq + s->panel_value[b];
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++, row += width)
      if (!left_out[s->panel_row[p]])
        memcpy(self->Cq + (size_t)s->panel_row[p] * (size_t)s->n + s->q_start[b], row,
               (size_t)width * sizeof *row);
  }
}

void trm_shifted_fill(trm_shifted *self, const double *M, const double *Cq, const bool *left_out) {
  int n = self->from->n, m = self->from->m;
  double *mass = self->f, *of_M = mass + n; /* its diagonal */
  spread_mass(self, M);
  find_masses(self->from, M, mass);
  for (int i = 0; i < n; i++) of_M[i] = diagonal(self, i);
  spread_jacobian(self, Cq, left_out);
  for (int r = 0; r < m; r++) {
    const double *c = self->Cq + (size_t)r * (size_t)n;
    self->alpha[r] = find_alpha(n, c, mass);
    for (int i = 0; i < n; i++) {
      if (c[i] == 0) continue; /* a row touches a few bodies only */
      double *row = self->M + (size_t)i * (size_t)n, s = self->alpha[r] * c[i];
      for (int j = 0; j < n; j++) row[j] += s * c[j];
    }
  }
  self->lightest = 1;
  for (int i = 0; i < n; i++) self->lightest = fmin(self->lightest, of_M[i] / diagonal(self, i));
}

const double *trm_shifted_force(trm_shifted *self, const double *f, const double *g) {
  size_t bytes = (size_t)self->from->n * sizeof(double);
  if (f)
    memcpy(self->f, f, bytes);
  else
    memset(self->f, 0, bytes);
  double *scaled = self->alpha + self->from->m;
  for (int i = 0; i < self->from->m; i++) scaled[i] = self->alpha[i] * g[i];
  trm_jacobian_transposed_add(&self->structure, self->Cq, 1, scaled, self->f);
  return self->f;
}
