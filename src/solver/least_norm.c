/* Reactions of redundant joints by solutions of the cheap factorization. */
#include "solver/least_norm.h"

#include <math.h>

#include "math/cholesky.h"
#include "math/double2.h"

/* Of a null vector's square: below it, what is left without the other vectors is round-off. */
static const double least_pivot = 1e-10;

struct trm_least_norm {
  const trm_structure *structure;
  trm_pulls pulls;
  trm_touch *touch;
  int *row;       /* [count] */
  int *pull;      /* [m] */
  double *z;      /* [m × 2 pairs] the null vectors, side by side */
  int first;      /* the first row with a weight */
  double *square; /* [m] of the weights */
  double gram[TRM_FEW_REDUNDANT * TRM_FEW_REDUNDANT], c[TRM_FEW_REDUNDANT];
};

/* How many blocks a row touches at most. */
static int most_touches(const trm_structure *s, int *count) {
  int most = 1;
  for (int p = 0; p < s->panel_start[s->blocks]; p++) {
    int touched = ++count[s->panel_row[p]];
    if (touched > most) most = touched;
  }
  return most;
}

void trm_least_norm_rows(trm_least_norm *share, const bool *rows) {
  const trm_structure *s = share->structure;
  trm_pulls *pulls = &share->pulls;
  int at = 0;
  for (int i = 0; i < s->m; i++) {
    if (!rows[i]) continue;
    share->pull[i] = at;
    share->row[at++] = i;
  }
  pulls->touches = 0;
  for (int b = 0; b < s->blocks; b++)
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++) {
      int row = s->panel_row[p];
      if (rows[row])
        share->touch[pulls->touches++] = (trm_touch){b, share->pull[row], p - s->panel_start[b]};
    }
}

static void square_weights(trm_least_norm *share) {
  const trm_structure *s = share->structure;
  for (int i = 0; i < s->m; i++) share->square[i] = s->weight[i] * s->weight[i];
  while (share->first < s->m && s->weight[share->first] == 0) share->first++;
}

trm_least_norm *trm_least_norm_create(trm_arena *arena, const trm_structure *s, const bool *rows,
                                      int count) {
  trm_least_norm *share = TRM_NEW(arena, trm_least_norm, 1);
  if (!share) return NULL;
  int pairs = (count + 1) / 2;
  size_t size = (size_t)s->m * (size_t)(2 * pairs) + 1;
  share->structure = s;
  share->pulls = (trm_pulls){.count = count, .pairs = pairs, .room = TRM_NEW(arena, double, size)};
  share->row = TRM_NEW(arena, int, count + 1);
  share->pull = TRM_NEW(arena, int, s->m + 1);
  share->z = TRM_NEW(arena, double, size);
  share->square = TRM_NEW(arena, double, s->m + 1);
  if (trm_arena_failed(arena)) return NULL;
  share->touch = TRM_NEW(arena, trm_touch, count * most_touches(s, share->pull) + 1);
  share->pulls.touch = share->touch;
  if (!share->touch) return NULL;
  square_weights(share);
  trm_least_norm_rows(share, rows);
  return share;
}

/* Cqᵀ z = 0: a row itself less what the others make of it, M x being round-off then */
static bool find_null_vectors(trm_least_norm *share, trm_least_norm_solve *solve, void *data) {
  const trm_pulls *pulls = &share->pulls;
  if (!solve(data, pulls, share->z)) return false;
  for (ptrdiff_t k = 0; k < pulls->count; k++) share->z[2 * pulls->pairs * share->row[k] + k] = -1;
  return true;
}

/* Of ZᵀW²Z the two rows of a pair up to the diagonal, and of −ZᵀW²λ what belongs to them; in
 * registers. */
TRM_INLINE void find_products(int pair, trm_least_norm *share, const double *lambda) {
  int pairs = share->pulls.pairs, count = share->pulls.count;
  const trm_double2 *z = (const trm_double2 *)share->z + (ptrdiff_t)share->first * pairs;
  trm_double2 load = {0, 0}, one[TRM_FEW_REDUNDANT / 2] = {{0}}, two[TRM_FEW_REDUNDANT / 2] = {{0}};
  for (int i = share->first; i < share->structure->m; i++, z += pairs) {
    double square = share->square[i];
    trm_double2 weighted = (trm_double2){square, square} * z[pair];
    load -= (trm_double2){lambda[i], lambda[i]} * weighted;
#pragma GCC unroll 4
    for (int l = 0; l <= pair; l++) {
      one[l] += (trm_double2){weighted[0], weighted[0]} * z[l];
      two[l] += (trm_double2){weighted[1], weighted[1]} * z[l];
    }
  }
  for (int k = 2 * pair, side = 0; side < 2 && k < count; k++, side++) {
    const trm_double2 *row = side ? two : one;
    for (int l = 0; l <= k; l++) share->gram[k * count + l] = row[l / 2][l % 2];
    share->c[k] = load[side];
  }
}

/* Normal equations of W Z c = −W λ */
static void find_equations(trm_least_norm *share, const double *lambda) {
  int pairs = share->pulls.pairs;
  find_products(0, share, lambda);
  if (pairs > 1) find_products(1, share, lambda);
  if (pairs > 2) find_products(2, share, lambda);
  if (pairs > 3) find_products(3, share, lambda);
}

static bool is_finite(int count, const double *x) {
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* lambda += Z c */
TRM_INLINE void add_vectors(int pairs, const trm_least_norm *share, double *restrict lambda) {
  const double *z = share->z;
  for (int i = 0; i < share->structure->m; i++, z += 2 * pairs)
    lambda[i] += trm_pair_dot(2 * pairs, share->c, z);
}

bool trm_least_norm_apply(trm_least_norm *share, trm_least_norm_solve *solve, void *data,
                          double *lambda) {
  int count = share->pulls.count;
  if (!find_null_vectors(share, solve, data)) return false;
  find_equations(share, lambda);
  if (!is_finite(count, share->c)) return false;
  if (!(trm_cholesky_factor(count, share->gram, share->gram) > least_pivot)) return false;
  trm_cholesky_forward(count, share->gram, share->c);
  trm_cholesky_backward(count, share->gram, share->c);
  TRM_BY_PAIRS(add_vectors, share->pulls.pairs, share, lambda)
  return true;
}
