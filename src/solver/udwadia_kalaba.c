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

/* λ = K⁻¹ (W y − g), y −= Wᵀ λ */
static void solve(void *data, const double *f, const double *g, double *x, double *lambda) {
  udwadia_kalaba *self = data;
  const trm_structure *s = self->structure;
  const int *order = self->K.order, *place = self->K.panel_place;
  for (int i = 0; i < s->m; i++) self->eps[i] = -g[order[i]];
  if (f) {
    trm_mass_root_forward(&self->mass, f, self->y);
    trm_panels_times(s, self->W, s->q_start, self->y, place, self->eps);
  } else {
    memset(self->y, 0, (size_t)s->n * sizeof *self->y);
  }
  trm_gram_solve(&self->K, self->eps);
  trm_panels_transposed(s, self->W, -1, place, self->eps, s->q_start, self->y);
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
