/* The augmented form [M Cqᵀ; Cq 0], 000 eq. 76, sparse: ordered once, factored anew each
 * time. The general form, 001 eq. 28–30, is the same system: its matrix and right-hand side are
 * those of the augmented form multiplied by [1 αCqᵀ; 0 1], whatever α. */
#include "math/kkt.h"
#include "math/simplicial.h"
#include "solver/solver.h"

#include <math.h>
#include <string.h>

/* Pivots are singular values or their squares, as they happen to be chosen: above this neither is
 * in doubt. */
static const double sure_pivot = 1e-2;
/* Where M is singular there is no K to judge by. */
static const double lost_pivot = 1e-12;
static const double doubtful_pivot = 1e-8;
enum { refinements = 2 };

typedef struct sparse {
  const trm_structure *structure;
  trm_kkt *kkt;
  const trm_solver_class *judge_type; /* K = Cq M⁻¹ Cqᵀ, whose pivots tell what they are */
  void *judge;                        /* NULL: none, M is singular */
  const double *M, *Cq;               /* of the last factorization */
  double *none;                       /* [m] zeros */
  double *b;                          /* [n + m] */
  double *residual;                   /* [n + m] */
  bool *skip;                         /* [m] rows left out */
  int skipped, redundant;             /* those, and those expected */
  bool weak;                          /* refine */
  bool lost;                          /* the judge does without lost pivots, or nobody does */
} sparse;

/* M by column, for the factorization to know. */
static bool list_mass(trm_arena *arena, const trm_structure *s, int **start, int **row,
                      int **from) {
  int entries = s->mass_diagonal ? s->n : s->mass_value[s->blocks], at = 0;
  *start = TRM_NEW(arena, int, s->n + 1);
  *row = TRM_NEW(arena, int, entries + 1);
  *from = TRM_NEW(arena, int, entries + 1);
  if (!*start || !*row || !*from) return false;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), q = s->q_start[b];
    for (int c = 0; c < width; c++) {
      for (int r = 0; r < width; r++) {
        if (s->mass_diagonal && r != c) continue;
        (*row)[at] = q + r;
        (*from)[at++] = s->mass_value[b] + (s->mass_diagonal ? c : r * width + c);
      }
      (*start)[q + c + 1] = at;
    }
  }
  return true;
}

static void *create(trm_arena *arena, const trm_structure *s, trm_linear linear) {
  (void)linear; /* never dense */
  sparse *self = TRM_NEW(arena, sparse, 1);
  int *start, *row, *from;
  if (!self || !list_mass(arena, s, &start, &row, &from)) return NULL;
  self->structure = s;
  bool net = trm_simplicial_pays(s);
  self->judge_type = s->own > 0 && !net ? &trm_udwadia_kalaba_reduced : &trm_udwadia_kalaba;
  self->kkt = trm_kkt_create(arena, s, start, row, from, true);
  self->none = TRM_NEW(arena, double, s->m + 1);
  self->b = TRM_NEW(arena, double, s->n + s->m + 1);
  self->residual = TRM_NEW(arena, double, s->n + s->m + 1);
  self->skip = TRM_NEW(arena, bool, s->m + 1);
  if (!s->mass_singular) self->judge = self->judge_type->create(arena, s, TRM_LINEAR_SPARSE);
  bool made = self->kkt && self->none && self->b && self->residual && self->skip;
  return made && (self->judge || s->mass_singular) ? self : NULL;
}

static void tell_judge(sparse *self) {
  if (!self->judge) return;
  self->judge_type->omit(self->judge, self->skip);
  self->judge_type->expect(self->judge, self->redundant);
}

/* What the pivots of K say. */
static trm_pivots ask_judge(sparse *self, double least) {
  if (self->structure->mass_singular) {
    if (least <= lost_pivot) return TRM_PIVOTS_LOST;
    return least < doubtful_pivot ? TRM_PIVOTS_DOUBTFUL : TRM_PIVOTS_WEAK;
  }
  return self->judge_type->factor(self->judge, self->M, self->Cq);
}

static trm_pivots factor(void *data, const double *M, const double *Cq) {
  sparse *self = data;
  self->M = M;
  self->Cq = Cq;
  self->weak = false;
  self->lost = true;
  if (self->redundant != self->skipped) { /* unknown rows are too many: the judge leaves some out */
    ask_judge(self, 0);
    return TRM_PIVOTS_LOST;
  }
  bool factored = trm_kkt_factor(self->kkt, M, Cq, Cq, self->none, self->skip);
  double least = factored ? trm_kkt_least_pivot(self->kkt) : 0;
  trm_pivots pivots = least > sure_pivot ? TRM_PIVOTS_SOUND : ask_judge(self, least);
  self->lost = !factored || pivots == TRM_PIVOTS_LOST;
  self->weak = pivots != TRM_PIVOTS_SOUND;
  return self->lost ? TRM_PIVOTS_LOST : pivots;
}

static void expect(void *data, int redundant) {
  sparse *self = data;
  self->redundant = redundant;
  tell_judge(self);
}

static void omit(void *data, const bool *rows) {
  sparse *self = data;
  self->skipped = 0;
  for (int i = 0; i < self->structure->m; i++) self->skipped += self->skip[i] = rows[i];
  tell_judge(self);
}

/* x, λ += solution for (f, g); rows left out get λ = 0 */
static void add_solution(sparse *self, const double *f, const double *g, double *x,
                         double *lambda) {
  int n = self->structure->n, m = self->structure->m;
  double *b = self->b;
  for (int i = 0; i < n; i++) b[i] = f ? f[i] : 0;
  for (int i = 0; i < m; i++) b[n + i] = self->skip[i] ? 0 : g[i];
  trm_kkt_solve(self->kkt, b);
  for (int i = 0; i < n; i++) x[i] += b[i];
  for (int i = 0; i < m; i++) lambda[i] += b[n + i];
}

/* Without a factorization: by K with its lost pivots left out, or not at all. */
static void solve_lost(sparse *self, const double *f, const double *g, double *x, double *lambda) {
  if (self->judge) {
    self->judge_type->solve(self->judge, f, g, x, lambda);
    return;
  }
  for (int i = 0; i < self->structure->n; i++) x[i] = NAN;
  for (int i = 0; i < self->structure->m; i++) lambda[i] = NAN;
}

static void solve(void *data, const double *f, const double *g, double *x, double *lambda) {
  sparse *self = data;
  const trm_structure *s = self->structure;
  double *rf = self->residual, *rg = self->residual + s->n;
  if (self->lost) {
    solve_lost(self, f, g, x, lambda);
    return;
  }
  memset(x, 0, (size_t)s->n * sizeof *x);
  memset(lambda, 0, (size_t)s->m * sizeof *lambda);
  add_solution(self, f, g, x, lambda);
  for (int i = 0; self->weak && i < refinements; i++) {
    trm_structure_residual(s, self->M, self->Cq, f, g, x, lambda, rf, rg);
    add_solution(self, rf, rg, x, lambda);
  }
}

const trm_solver_class trm_augmented_sparse = {
    .name = "augmented",
    .create = create,
    .factor = factor,
    .solve = solve,
    .expect = expect,
    .omit = omit,
    .takes_singular = true,
};
