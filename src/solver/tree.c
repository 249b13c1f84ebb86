/* Udwadia-Kalaba of a tree whose only rows are those of its quaternions.
 *
 * M p = stiff p along a quaternion p, whose length nothing else feels: M⁻¹Cqᵀ of its row is
 * p/stiff, and K is diagonal. The tree moves by itself, and each row is answered along its own p.
 */
#include "math/tree.h"
#include "math/vector.h"
#include "solver/solver.h"

#include <string.h>

static void *create(trm_arena *arena, const trm_structure *s, trm_linear linear) {
  (void)arena, (void)linear;
  return s->tree;
}

/* Its pivots are never lost. */
static double factor(void *tree, const double *M, const double *Cq) {
  (void)M, (void)Cq;
  trm_tree_factor(tree);
  return 1;
}

static double accelerate(void *tree, const trm_stage *stage) {
  trm_tree_accelerate(tree, stage->x);
  return 1;
}

static void solve(void *data, const double *f, const double *g, double *x, double *lambda) {
  trm_tree *tree = data;
  if (f) {
    trm_tree_forward(tree, &tree->all, f, x);
    trm_tree_backward(tree, x, x);
  } else {
    memset(x, 0, (size_t)tree->n * sizeof *x);
  }
  for (int i = 0, ball = 0; ball < tree->balls; i++) {
    const trm_link *l = &tree->link[i];
    int at = trm_link_quaternion(l);
    if (at < 0) continue;
    const double *p = tree->q + at;
    double along = (g[ball] - trm_dot4(p, x + at)) / trm_dot4(p, p);
    for (int k = 0; k < 4; k++) x[at + k] += along * p[k];
    lambda[ball++] = -l->stiff * along;
  }
}

static void omit(void *tree, const bool *rows) {
  (void)tree, (void)rows; /* none depends on others */
}

const trm_solver_class trm_udwadia_kalaba_tree = {
    .name = "udwadia-kalaba",
    .create = create,
    .factor = factor,
    .solve = solve,
    .omit = omit,
    .accelerate = accelerate,
};
