/* Reactions of redundant joints by solutions of the cheap factorization. */
#include "solver/share.h"

#include <math.h>
#include <string.h>

#include "math/cholesky.h"
#include "math/double2.h"

/* Of a null vector's square: below it, what is left without the other vectors is round-off. */
static const double least_pivot = 1e-10;

struct trm_share {
  const trm_structure *structure;
  int count;
  int *row;                /* [count] */
  int *start;              /* [count + 1] of its blocks */
  int *block, *value;      /* row after row: where it touches, and where that begins in Cq */
  int first;               /* the first row with a weight */
  double *room;            /* see trm_pulls */
  double *z;               /* [count × m] the null vectors */
  double *weighted, *load; /* [count × m], [m]: those and λ by their weights */
  double gram[TRM_FEW_SPARE * TRM_FEW_SPARE], c[TRM_FEW_SPARE];
};

/* Counts where nothing is to be written. */
static int list_touches(const trm_structure *s, int row, int *block, int *at) {
  int count = 0;
  for (int b = 0; b < s->blocks; b++)
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++) {
      int value = s->panel_value[b] + (p - s->panel_start[b]) * trm_block_width(s, b);
      if (s->panel_row[p] != row) continue;
      if (block) {
        block[count] = b;
        at[count] = value;
      }
      count++;
    }
  return count;
}

static bool list_rows(trm_share *share, trm_arena *arena, const bool *rows) {
  const trm_structure *s = share->structure;
  int at = 0;
  for (int i = 0; i < s->m; i++) {
    if (!rows[i]) continue;
    share->row[at] = i;
    share->start[at + 1] = share->start[at] + list_touches(s, i, NULL, NULL);
    at++;
  }
  share->block = TRM_NEW(arena, int, share->start[at] + 1);
  share->value = TRM_NEW(arena, int, share->start[at] + 1);
  if (!share->block || !share->value) return false;
  for (int k = 0; k < at; k++)
    list_touches(s, share->row[k], share->block + share->start[k], share->value + share->start[k]);
  return true;
}

trm_share *trm_share_create(trm_arena *arena, const trm_structure *s, const bool *rows, int count) {
  trm_share *share = TRM_NEW(arena, trm_share, 1);
  if (!share) return NULL;
  share->structure = s;
  share->count = count;
  share->row = TRM_NEW(arena, int, count + 1);
  share->start = TRM_NEW(arena, int, count + 1);
  share->room = TRM_NEW(arena, double, (size_t)s->m *TRM_SKYLINE_MANY + 1);
  share->z = TRM_NEW(arena, double, (size_t)count *(size_t)s->m + 1);
  share->weighted = TRM_NEW(arena, double, (size_t)count *(size_t)s->m + 1);
  share->load = TRM_NEW(arena, double, s->m + 1);
  while (share->first < s->m && s->weight[share->first] == 0) share->first++;
  bool good =
      share->row && share->start && share->room && share->z && share->weighted && share->load;
  return good && list_rows(share, arena, rows) ? share : NULL;
}

/* Cqᵀ z = 0: a row itself less what the others make of it, M x being round-off then */
static bool find_null_vectors(trm_share *share, const double *Cq, trm_share_solve *solve,
                              void *data) {
  ptrdiff_t m = share->structure->m;
  trm_pulls pulls = {share->count, share->row, share->start, share->block,
                     share->value, Cq,         share->room};
  if (!solve(data, &pulls, share->z)) return false;
  for (int k = 0; k < share->count; k++) share->z[k * m + share->row[k]] = -1;
  return true;
}

/* By weight, of the rows that have one. */
static double *weigh(const trm_share *share, const double *x, double *to) {
  int first = share->first, count = share->structure->m - first;
  trm_pair_times(count, share->structure->weight + first, x + first, to);
  return to;
}

/* Normal equations of W Z c = −W λ */
bool trm_share_apply(trm_share *share, const double *Cq, trm_share_solve *solve, void *data,
                     double *lambda) {
  int count = share->count, m = share->structure->m, size = m - share->first;
  const double *load = weigh(share, lambda, share->load);
  if (!find_null_vectors(share, Cq, solve, data)) return false;
  for (int k = 0; k < count; k++) {
    const double *z = weigh(share, share->z + (ptrdiff_t)k * m, share->weighted + (ptrdiff_t)k * m);
    for (int l = 0; l <= k; l++)
      share->gram[k * count + l] = trm_pair_dot(size, z, share->weighted + (ptrdiff_t)l * m);
    share->c[k] = -trm_pair_dot(size, z, load);
    if (!isfinite(share->c[k])) return false;
  }
  if (!(trm_cholesky_factor(count, share->gram, share->gram) > least_pivot)) return false;
  trm_cholesky_forward(count, share->gram, share->c);
  trm_cholesky_backward(count, share->gram, share->c);
  for (int k = 0; k < count; k++)
    trm_pair_axpy(m, share->c[k], share->z + (ptrdiff_t)k * m, lambda);
  return true;
}
