/* The block Cholesky factor of the mass matrix. */
#include "math/mass_root.h"

#include "math/cholesky.h"
#include "math/double2.h"
#include "math/tree.h"

#include <math.h>
#include <string.h>

bool trm_mass_root_create(trm_mass_root *root, trm_arena *arena, const trm_structure *structure) {
  root->structure = structure;
  root->ready = false;
  int values = structure->mass_diagonal ? structure->n : structure->mass_value[structure->blocks];
  root->root = TRM_NEW(arena, double, values + 1);
  return root->root != NULL;
}

void trm_mass_root_factor(trm_mass_root *root, const double *M) {
  const trm_structure *s = root->structure;
  if (root->ready && s->mass_constant) return;
  root->ready = true;
  if (s->tree) {
    trm_tree_factor(s->tree);
    return;
  }
  if (s->mass_diagonal) {
    for (int b = 0; b < s->blocks; b++)
      for (int i = s->q_start[b], at = s->mass_value[b]; i < s->q_start[b + 1]; i++, at++)
        root->root[i] = 1 / sqrt(M[at]);
    return;
  }
  for (int b = 0; b < s->blocks; b++) {
    int at = s->mass_value[b];
    trm_cholesky_factor(trm_block_width(s, b), M + at, root->root + at);
  }
}

TRM_INLINE void scale_rows(int width, int rows, const double *h, const double *C, double *W) {
  for (int r = 0; r < rows; r++) trm_pair_times(width, h, C + r * width, W + r * width);
}

void trm_mass_root_panels(const trm_mass_root *root, const double *Cq, double *W) {
  const trm_structure *s = root->structure;
  for (int r = 0; s->tree && r < s->m; r++)
    trm_tree_forward(s->tree, &s->paths[r], Cq + r * s->n, W + r * s->n);
  for (int b = 0; b < s->blocks && !s->tree; b++) {
    int width = trm_block_width(s, b), rows = trm_panel_rows(s, b), at = s->panel_value[b];
    if (s->mass_diagonal) {
      TRM_BY_WIDTH(scale_rows, width, rows, root->root + s->q_start[b], Cq + at, W + at)
      continue;
    }
    const double *L = root->root + s->mass_value[b];
    memcpy(W + at, Cq + at, (size_t)(rows * width) * sizeof *W);
    for (int r = 0; r < rows; r++) trm_cholesky_forward(width, L, W + at + r * width);
  }
}

void trm_mass_root_forward(const trm_mass_root *root, const double *f, double *z) {
  const trm_structure *s = root->structure;
  if (s->tree) {
    trm_tree_forward(s->tree, &s->tree->all, f, z);
    return;
  }
  if (s->mass_diagonal) {
    for (int i = 0; i < s->n; i++) z[i] = root->root[i] * f[i];
    return;
  }
  memcpy(z, f, (size_t)s->n * sizeof *z);
  for (int b = 0; b < s->blocks; b++)
    trm_cholesky_forward(trm_block_width(s, b), root->root + s->mass_value[b], z + s->q_start[b]);
}

void trm_mass_root_backward(const trm_mass_root *root, const double *y, double *x) {
  const trm_structure *s = root->structure;
  if (s->tree) {
    trm_tree_backward(s->tree, y, x);
    return;
  }
  if (s->mass_diagonal) {
    for (int i = 0; i < s->n; i++) x[i] = root->root[i] * y[i];
    return;
  }
  memmove(x, y, (size_t)s->n * sizeof *x);
  for (int b = 0; b < s->blocks; b++)
    trm_cholesky_backward(trm_block_width(s, b), root->root + s->mass_value[b], x + s->q_start[b]);
}
