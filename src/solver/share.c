/* Reactions of redundant joints by solutions of the cheap factorization. */
#include "solver/share.h"

#include <math.h>
#include <string.h>

#include "math/cholesky.h"

/* Of a null vector's square: below it, what is left without the other vectors is round-off. */
static const double least_pivot = 1e-10;

/* A row's entries over one block. */
typedef struct touch {
  int block, value; /* where they begin in Cq */
} touch;

struct trm_share {
  const trm_structure *structure;
  int count;
  int *row;     /* [count] */
  int *start;   /* [count + 1] of its touches */
  touch *touch; /* row after row */
  double *f, *x, *g;
  double *z; /* [count × m] the null vectors */
  double gram[TRM_FEW_SPARE * TRM_FEW_SPARE], c[TRM_FEW_SPARE];
};

/* Counts where nothing is to be written. */
static int list_touches(const trm_structure *s, int row, touch *to) {
  int count = 0;
  for (int b = 0; b < s->blocks; b++)
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++) {
      int value = s->panel_value[b] + (p - s->panel_start[b]) * trm_block_width(s, b);
      if (s->panel_row[p] != row) continue;
      if (to) to[count] = (touch){b, value};
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
    share->start[at + 1] = share->start[at] + list_touches(s, i, NULL);
    at++;
  }
  share->touch = TRM_NEW(arena, touch, share->start[at] + 1);
  for (int k = 0; share->touch && k < at; k++)
    list_touches(s, share->row[k], share->touch + share->start[k]);
  return share->touch != NULL;
}

trm_share *trm_share_create(trm_arena *arena, const trm_structure *s, const bool *rows, int count) {
  trm_share *share = TRM_NEW(arena, trm_share, 1);
  if (!share) return NULL;
  share->structure = s;
  share->count = count;
  share->row = TRM_NEW(arena, int, count + 1);
  share->start = TRM_NEW(arena, int, count + 1);
  share->f = TRM_NEW(arena, double, s->n + 1);
  share->x = TRM_NEW(arena, double, s->n + 1);
  share->g = TRM_NEW(arena, double, s->m + 1);
  share->z = TRM_NEW(arena, double, (size_t)count *(size_t)s->m + 1);
  bool good = share->row && share->start && share->f && share->x && share->g && share->z;
  return good && list_rows(share, arena, rows) ? share : NULL;
}

/* Cqᵀ z = 0: the row itself less what the others make of it, M x being round-off then */
static double *find_null_vector(trm_share *share, const double *Cq, int k, trm_share_solve *solve,
                                void *data) {
  const trm_structure *s = share->structure;
  double *z = share->z + (ptrdiff_t)k * s->m;
  memset(share->f, 0, (size_t)s->n * sizeof *share->f);
  for (int i = share->start[k]; i < share->start[k + 1]; i++) {
    const touch *t = &share->touch[i];
    memcpy(share->f + s->q_start[t->block], Cq + t->value,
           (size_t)trm_block_width(s, t->block) * sizeof *Cq);
  }
  solve(data, share->f, share->g, share->x, z);
  z[share->row[k]] = -1;
  return z;
}

static double weighted_dot(const trm_structure *s, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < s->m; i++) sum += s->weight[i] * s->weight[i] * a[i] * b[i];
  return sum;
}

/* Normal equations of W Z c = −W λ */
bool trm_share_apply(trm_share *share, const double *Cq, trm_share_solve *solve, void *data,
                     double *lambda) {
  const trm_structure *s = share->structure;
  int count = share->count;
  for (int k = 0; k < count; k++) {
    const double *z = find_null_vector(share, Cq, k, solve, data);
    for (int l = 0; l <= k; l++)
      share->gram[k * count + l] = weighted_dot(s, z, share->z + (ptrdiff_t)l * s->m);
    share->c[k] = -weighted_dot(s, z, lambda);
    if (!isfinite(share->c[k])) return false;
  }
  if (!(trm_cholesky_factor(count, share->gram, share->gram) > least_pivot)) return false;
  trm_cholesky_forward(count, share->gram, share->c);
  trm_cholesky_backward(count, share->gram, share->c);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < s->m; i++) lambda[i] += share->c[k] * share->z[(ptrdiff_t)k * s->m + i];
  return true;
}
