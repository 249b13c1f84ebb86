/* Dependent coordinates by KLU, which factors Cqᵀ filled up to a square with empty columns. */
#include "math/dependent.h"

#include <klu.h>

#include "math/row_groups.h"

/* The columns: rows of Cq that are kept. */
typedef struct columns {
  int *start; /* [n + 1] */
  int *index;
  double *value;
  int kept;
} columns;

static bool list_columns(columns *c, trm_arena *arena, const trm_structure *s, const double *Cq,
                         const double *scale, const bool *skip) {
  trm_row_groups rows;
  int entries = s->panel_value[s->blocks], at = 0;
  c->start = TRM_NEW(arena, int, s->n + 2);
  c->index = TRM_NEW(arena, int, entries + 1);
  c->value = TRM_NEW(arena, double, entries + 1);
  if (!c->start || !c->index || !c->value) return false;
  if (!trm_row_groups_find(&rows, arena, s)) return false;
  for (int row = 0; row < s->m && c->kept < s->n; row++) {
    if (skip[row]) continue;
    for (int t = rows.row_blocks.start[row]; t < rows.row_blocks.start[row + 1]; t++) {
      int b = rows.row_blocks.item[t];
      const double *entry = Cq + rows.row_value[t];
      for (int i = 0; i < trm_block_width(s, b); i++) {
        if (entry[i] == 0) continue;
        c->index[at] = s->q_start[b] + i;
        c->value[at++] = entry[i] * scale[s->q_start[b] + i];
      }
    }
    c->start[++c->kept] = at;
  }
  for (int k = c->kept; k < s->n; k++) c->start[k + 1] = at;
  return true;
}

static bool eliminate(const columns *c, int n, int *coordinate) {
  klu_common common;
  klu_defaults(&common);
  common.btf = 0;
  common.ordering = 1; /* by columns (COLAMD), for pivots from any row */
  common.scale = -1;
  common.tol = 1; /* the largest entry, whatever the pattern */
  common.halt_if_singular = 0;
  klu_symbolic *symbolic = klu_analyze(n, c->start, c->index, &common);
  klu_numeric *numeric =
      symbolic ? klu_factor(c->start, c->index, c->value, symbolic, &common) : NULL;
  for (int k = 0; k < n && numeric; k++)
    if (symbolic->Q[k] < c->kept) coordinate[symbolic->Q[k]] = numeric->Pnum[k];
  bool done = numeric != NULL;
  if (numeric) klu_free_numeric(&numeric, &common);
  if (symbolic) klu_free_symbolic(&symbolic, &common);
  return done;
}

bool trm_dependent_choose(const trm_structure *s, const double *Cq, const double *scale,
                          const bool *skip, int *coordinate) {
  columns c = {0};
  trm_arena *scratch = trm_arena_create();
  bool done =
      scratch && list_columns(&c, scratch, s, Cq, scale, skip) && eliminate(&c, s->n, coordinate);
  trm_arena_destroy(scratch);
  return done;
}
