/* Udwadia-Kalaba, 000 eq. 77, with everything seen through M = L Lᵀ: W = Cq L⁻ᵀ, K = W Wᵀ. */
#include "math/gram.h"
#include "math/mass_root.h"
#include "solver/solver.h"

#include <string.h>

typedef struct udwadia_kalaba {
  const trm_structure *structure;
  trm_mass_root mass;
  trm_gram K;
  double *W;   /* Cq L⁻ᵀ, in the layout of Cq */
  double *y;   /* [n] Lᵀ x */
  double *eps; /* [m] Cq M⁻¹ f − g, then λ; by place */
} udwadia_kalaba;

static void *create(trm_arena *arena, const trm_structure *s, trm_linear linear) {
  udwadia_kalaba *self = TRM_NEW(arena, udwadia_kalaba, 1);
  if (!self) return NULL;
  self->structure = s;
  self->W = TRM_NEW(arena, double, s->panel_value[s->blocks] + 1);
  self->y = TRM_NEW(arena, double, s->n + 1);
  self->eps = TRM_NEW(arena, double, s->m + 1);
  if (!self->W || !self->y || !self->eps) return NULL;
  if (!trm_mass_root_create(&self->mass, arena, s)) return NULL;
  return trm_gram_create(&self->K, arena, s, linear == TRM_LINEAR_DENSE) ? self : NULL;
}

static double factor(void *data, const double *M, const double *Cq) {
  udwadia_kalaba *self = data;
  trm_mass_root_factor(&self->mass, M);
  trm_mass_root_panels(&self->mass, Cq, self->W);
  return trm_gram_factor(&self->K, self->W);
}

static void omit(void *data, const bool *rows) {
  udwadia_kalaba *self = data;
  trm_gram_omit(&self->K, rows);
}

/* Forced inline so that the common widths get their own unrolled copies. */
static inline __attribute__((always_inline)) void
panel_times(int rows, int width, const double *restrict W, const int *restrict place,
            const double *restrict y, double *restrict eps) {
  for (int r = 0; r < rows; r++, W += width) {
    double sum = 0;
#pragma GCC unroll 12
    for (int k = 0; k < width; k++) sum += W[k] * y[k];
    eps[place[r]] += sum;
  }
}

/* eps += W y */
static void add_product(const udwadia_kalaba *self, const double *y, double *eps) {
  const trm_structure *s = self->structure;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), rows = trm_panel_rows(s, b);
    const double *W = self->W + s->panel_value[b], *yb = y + s->q_start[b];
    const int *place = self->K.panel_place + s->panel_start[b];
    switch (width) {
    case 3: panel_times(rows, 3, W, place, yb, eps); break;
    case 6: panel_times(rows, 6, W, place, yb, eps); break;
    case 12: panel_times(rows, 12, W, place, yb, eps); break;
    default: panel_times(rows, width, W, place, yb, eps);
    }
  }
}

static inline __attribute__((always_inline)) void
panel_transposed(int rows, int width, const double *restrict W, const int *restrict place,
                 const double *restrict lambda, double *restrict y) {
  for (int r = 0; r < rows; r++, W += width) {
    double l = lambda[place[r]];
#pragma GCC unroll 12
    for (int k = 0; k < width; k++) y[k] -= W[k] * l;
  }
}

/* y −= Wᵀ lambda */
static void subtract_transposed(const udwadia_kalaba *self, const double *lambda, double *y) {
  const trm_structure *s = self->structure;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), rows = trm_panel_rows(s, b);
    const double *W = self->W + s->panel_value[b];
    const int *place = self->K.panel_place + s->panel_start[b];
    double *yb = y + s->q_start[b];
    switch (width) {
    case 3: panel_transposed(rows, 3, W, place, lambda, yb); break;
    case 6: panel_transposed(rows, 6, W, place, lambda, yb); break;
    case 12: panel_transposed(rows, 12, W, place, lambda, yb); break;
    default: panel_transposed(rows, width, W, place, lambda, yb);
    }
  }
}

/* λ = K⁻¹ (W y − g), y −= Wᵀ λ */
static void solve(void *data, const double *f, const double *g, double *x, double *lambda) {
  udwadia_kalaba *self = data;
  const trm_structure *s = self->structure;
  const int *order = self->K.order;
  for (int i = 0; i < s->m; i++) self->eps[i] = -g[order[i]];
  if (f) {
    trm_mass_root_forward(&self->mass, f, self->y);
    add_product(self, self->y, self->eps);
  } else {
    memset(self->y, 0, (size_t)s->n * sizeof *self->y);
  }
  trm_gram_solve(&self->K, self->eps);
  subtract_transposed(self, self->eps, self->y);
  for (int i = 0; i < s->m; i++) lambda[order[i]] = self->eps[i];
  trm_mass_root_backward(&self->mass, self->y, x);
}

const trm_solver_class trm_udwadia_kalaba = {
    .name = "udwadia-kalaba",
    .create = create,
    .factor = factor,
    .solve = solve,
    .omit = omit,
    .reduced = &trm_udwadia_kalaba_reduced,
    .tree = &trm_udwadia_kalaba_tree,
};

/* The front hands it the shifted matrices. */
const trm_solver_class trm_udwadia_kalaba_general = {
    .name = "udwadia-kalaba-general",
    .create = create,
    .factor = factor,
    .solve = solve,
    .omit = omit,
    .takes_singular = true,
    .shifts = true,
    .most = 1000,
};
