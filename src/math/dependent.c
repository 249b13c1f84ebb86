/* Dependent coordinates by KLU: partial pivoting on Cqᵀ takes of each constraint row the largest
 * entry that is left. The matrix is made square by empty columns, which COLAMD puts last. */
#include "math/dependent.h"

#include <klu.h>
#include <math.h>
#include <string.h>

/* Of a row's largest entry: less is round-off. */
static const double vanished = 1e-10;

/* Cqᵀ by column, less the rows that are skipped. */
typedef struct transposed {
  int size;
  int *start, *row;
  double *value;
  double *largest; /* [size] entry of a column */
} transposed;

/* Into entries behind one another; end [m]: where the next one of a row goes, −1: it is skipped.
 * Without room for them: counted. */
static void list_entries(const trm_structure *s, const double *Cq, const double *scale, int *end,
                         transposed *A) {
  const double *value = Cq;
  for (int b = 0; b < s->blocks; b++)
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++)
      for (int q = s->q_start[b]; q < s->q_start[b + 1]; q++, value++) {
        int *at = &end[s->panel_row[p]];
        if (*at < 0 || *value == 0) continue;
        if (A->row) A->row[*at] = q;
        if (A->row) A->value[*at] = *value * scale[q];
        (*at)++;
      }
}

static bool transpose(transposed *A, trm_arena *arena, const trm_structure *s, const double *Cq,
                      const double *scale, const bool *skip) {
  int *end = TRM_NEW(arena, int, s->m + 1), columns = 0, entries = 0;
  A->size = s->n > s->m ? s->n : s->m;
  A->start = TRM_NEW(arena, int, A->size + 1);
  A->largest = TRM_NEW(arena, double, A->size + 1);
  if (trm_arena_failed(arena)) return false;
  for (int r = 0; r < s->m; r++) end[r] = skip[r] ? -1 : 0;
  list_entries(s, Cq, scale, end, A);
  for (int r = 0; r < s->m; r++) {
    if (skip[r]) continue;
    int count = end[r];
    A->start[columns++] = end[r] = entries;
    entries += count;
  }
  for (int c = columns; c <= A->size; c++) A->start[c] = entries;
  A->row = TRM_NEW(arena, int, entries + 1);
  A->value = TRM_NEW(arena, double, entries + 1);
  if (trm_arena_failed(arena)) return false;
  list_entries(s, Cq, scale, end, A);
  for (int c = 0; c < A->size; c++)
    for (int e = A->start[c]; e < A->start[c + 1]; e++)
      A->largest[c] = fmax(A->largest[c], fabs(A->value[e]));
  return true;
}

static int take_pivots(const transposed *A, bool *dependent) {
  klu_common common;
  klu_defaults(&common);
  common.btf = 0;
  common.ordering = 1; /* COLAMD */
  common.scale = -1;
  common.tol = 1; /* the largest entry is the pivot */
  common.halt_if_singular = 0;
  klu_symbolic *order = klu_analyze(A->size, A->start, A->row, &common);
  klu_numeric *LU = order ? klu_factor(A->start, A->row, A->value, order, &common) : NULL;
  int count = LU ? 0 : -1;
  for (int k = 0; LU && k < A->size; k++) {
    double pivot = fabs(((const double *)LU->Udiag)[k]), largest = A->largest[order->Q[k]];
    if (!(largest > 0 && pivot > vanished * largest)) continue;
    dependent[LU->Pnum[k]] = true;
    count++;
  }
  klu_free_numeric(&LU, &common);
  klu_free_symbolic(&order, &common);
  return count;
}

int trm_dependent_choose(const trm_structure *s, const double *Cq, const double *scale,
                         const bool *skip, bool *dependent) {
  trm_arena *scratch = trm_arena_create();
  transposed A = {0};
  memset(dependent, 0, (size_t)s->n * sizeof *dependent);
  int count =
      scratch && transpose(&A, scratch, s, Cq, scale, skip) ? take_pivots(&A, dependent) : -1;
  trm_arena_destroy(scratch);
  return count;
}
