/* A singular diagonal mass matrix made definite, block by block. */
#include "math/repaired.h"

#include "math/double2.h"

#include <stddef.h>
#include <string.h>

trm_repaired *trm_repaired_create(trm_arena *arena, const trm_structure *s) {
  trm_repaired *self = TRM_NEW(arena, trm_repaired, 1);
  int *mass_value = TRM_NEW(arena, int, s->blocks + 1);
  if (!self || !mass_value) return NULL;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    mass_value[b + 1] = mass_value[b] + width * width;
  }
  self->from = s;
  self->structure = *s;
  self->structure.mass_value = mass_value;
  self->structure.mass_diagonal = false;
  self->structure.mass_constant = false;
  self->structure.mass_singular = false;
  self->M = TRM_NEW(arena, double, mass_value[s->blocks] + 1);
  self->scale = TRM_NEW(arena, double, s->blocks + 1);
  self->f = TRM_NEW(arena, double, s->n + 1);
  return self->M && self->scale && self->f ? self : NULL;
}

/* Of the size of M, whichever entries of it vanish. */
static double find_scale(int plain, int width, const double *diagonal) {
  double trace = 0;
  for (int i = plain; i < width; i++) trace += diagonal[i];
  return trace * 2 / 3; /* natural coordinates: the sum of the principal moments */
}

static void fill_block(const trm_structure *s, int b, double scale, const double *diagonal,
                       const double *rows, double *M) {
  int width = trm_block_width(s, b);
  memset(M, 0, (size_t)(width * width) * sizeof *M);
  for (int i = 0; i < width; i++) M[i * width + i] = diagonal[i];
  for (int r = 0; r < s->intrinsic; r++, rows += width)
    for (int i = s->plain; i < width; i++)
      trm_pair_axpy(width, scale * rows[i], rows, M + i * width);
}

void trm_repaired_fill(trm_repaired *self, const double *M, const double *Cq) {
  const trm_structure *s = self->from;
  self->Cq = Cq;
  for (int b = 0; b < s->blocks; b++) {
    const double *diagonal = M + s->mass_value[b];
    double scale = self->scale[b] = find_scale(s->plain, trm_block_width(s, b), diagonal);
    fill_block(s, b, scale, diagonal, Cq + s->panel_value[b],
               self->M + self->structure.mass_value[b]);
  }
}

const double *trm_repaired_force(trm_repaired *self, const double *f, const double *g) {
  const trm_structure *s = self->from;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), at = s->q_start[b];
    double *to = self->f + at;
    memcpy(to, f + at, (size_t)width * sizeof *to);
    const double *row = self->Cq + s->panel_value[b];
    for (int r = 0; r < s->intrinsic; r++, row += width)
      trm_pair_axpy(width, self->scale[b] * g[b * s->intrinsic + r], row, to);
  }
  return self->f;
}
