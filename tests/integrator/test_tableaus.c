/* The tables are what was published: every order condition, one for each rooted tree, holds for the
 * methods, their error estimators and their interpolants. */
#include "../check.h"
#include "integrator/integrator.h"

enum { ORDER = 8, TREES = 200, STAGES = 16 };

/* A rooted tree of so many nodes: what its condition says of a table. */
typedef struct tree {
  int order;
  double gamma;
  double weight[STAGES]; /* at each stage */
} tree;

typedef struct forest {
  int stages, count;
  const double *a; /* [stages × stages] */
  tree trees[TREES];
} forest;

static void graft(const forest *f, const tree *child, tree *parent) {
  parent->order += child->order;
  parent->gamma *= child->gamma;
  for (int i = 0; i < f->stages; i++) {
    double sum = 0;
    for (int k = 0; k < f->stages; k++) sum += f->a[i * f->stages + k] * child->weight[k];
    parent->weight[i] *= sum;
  }
}

/* Every multiset of children with so many nodes together; indices fall, so that none comes twice.
 */
static void grow(forest *f, const tree *so_far, int nodes, int largest) {
  if (nodes == 0) {
    assert_true(f->count < TREES);
    f->trees[f->count] = *so_far;
    f->trees[f->count++].gamma *= so_far->order;
    return;
  }
  for (int i = 0; i <= largest; i++) {
    if (f->trees[i].order > nodes) continue;
    tree next = *so_far;
    graft(f, &f->trees[i], &next);
    grow(f, &next, nodes - f->trees[i].order, i);
  }
}

static void plant(forest *f, int stages, const double *a) {
  tree root = {.order = 1, .gamma = 1};
  for (int i = 0; i < stages; i++) root.weight[i] = 1;
  *f = (forest){.stages = stages, .a = a};
  for (int order = 1; order <= ORDER; order++) grow(f, &root, order - 1, f->count - 1);
  assert_int_equal(f->count, 1 + 1 + 2 + 4 + 9 + 20 + 48 + 115);
}

/* The largest residual of Σ b weight = θⁿ/γ over the trees of up to `order` nodes. */
static double residual(const forest *f, const double *b, double theta, int order) {
  double worst = 0;
  for (int i = 0; i < f->count; i++) {
    double sum = -pow(theta, f->trees[i].order) / f->trees[i].gamma;
    for (int k = 0; k < f->stages; k++) sum += b[k] * f->trees[i].weight[k];
    if (f->trees[i].order <= order) worst = larger(worst, fabs(sum));
  }
  return worst;
}

static void has_order(const forest *f, const double *b, double theta, int order) {
  assert_true(residual(f, b, theta, order) <= 1e-12);
  if (order < ORDER) assert_true(residual(f, b, theta, order + 1) >= 1e-8); /* and no more */
}

static void methods_have_their_order(void **state) {
  (void)state;
  static forest f;
  const trm_tableau *tables[] = {&trm_euler, &trm_rk4, &trm_rk6, &trm_dopri5, &trm_dop853};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    const trm_tableau *rk = tables[i];
    plant(&f, rk->stages, rk->a);
    has_order(&f, rk->b, 1, rk->order);
    for (int s = 0; s < rk->stages; s++) {
      double sum = 0;
      for (int k = 0; k < rk->stages; k++) sum += rk->a[s * rk->stages + k];
      assert_near(sum, rk->c[s], 1e-14);
    }
  }
}

/* The stages of a pair: the table, the rates at the end, those of the interpolant. */
static int extend(const trm_pair *pair, double *a) {
  const trm_tableau *rk = pair->tableau;
  int known = rk->stages, all = known + 1 + pair->more;
  for (int i = 0; i < all * all; i++) a[i] = 0;
  for (int i = 0; i < known; i++)
    for (int k = 0; k < known; k++) a[i * all + k] = rk->a[i * known + k];
  for (int k = 0; k < known; k++) a[known * all + k] = rk->b[k];
  for (int i = 0; i < pair->more; i++)
    for (int k = 0; k < all; k++) a[(known + 1 + i) * all + k] = pair->more_a[i * all + k];
  return all;
}

static void estimators_have_theirs(void **state) {
  (void)state;
  static forest f;
  static double a[STAGES * STAGES];
  const struct {
    const trm_pair *pair;
    const double *error;
    int order;
  } cases[] = {{&trm_pair_dopri5, trm_pair_dopri5.error, 4},
               {&trm_pair_dop853, trm_pair_dop853.error, 5},
               {&trm_pair_dop853, trm_pair_dop853.coarse, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const trm_tableau *rk = cases[i].pair->tableau;
    double b[STAGES] = {0};
    int all = extend(cases[i].pair, a);
    plant(&f, all, a);
    for (int k = 0; k <= rk->stages; k++)
      b[k] = (k < rk->stages ? rk->b[k] : 0) - cases[i].error[k];
    has_order(&f, b, 1, cases[i].order);
  }
}

/* The weights of the interpolant at θ, from its parts r0 + θ (r1 + (1 − θ) (r2 + …)). */
static void weights_at(const trm_pair *pair, int parts, int all, double theta, double *b) {
  int known = pair->tableau->stages;
  for (int k = 0; k < all; k++) {
    double r[8], first = k == 0, last = k == known;
    r[0] = 0;
    r[1] = k < known ? pair->tableau->b[k] : 0;
    r[2] = first - r[1];
    r[3] = r[1] - last - r[2];
    for (int i = 4; i < parts; i++) r[i] = pair->dense[(i - 4) * all + k];
    b[k] = 0;
    for (int i = parts - 1; i > 0; i--) b[k] = (i % 2 ? theta : 1 - theta) * (r[i] + b[k]);
  }
}

static void interpolants_have_theirs(void **state) {
  (void)state;
  static forest f;
  static double a[STAGES * STAGES];
  const struct {
    const trm_control *control;
    int order;
  } cases[] = {{&trm_dopri5_control, 4}, {&trm_dop853_control, 7}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const trm_pair *pair = cases[i].control->pair;
    int all = extend(pair, a);
    plant(&f, all, a);
    for (int k = 0; k < pair->more; k++) {
      double sum = 0;
      for (int j = 0; j < all; j++) sum += pair->more_a[k * all + j];
      assert_near(sum, pair->more_c[k], 1e-14);
    }
    for (double theta = 0.125; theta < 1; theta += 0.25) {
      double b[STAGES];
      weights_at(pair, cases[i].control->parts, all, theta, b);
      has_order(&f, b, theta, cases[i].order);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(methods_have_their_order),
      cmocka_unit_test(estimators_have_theirs),
      cmocka_unit_test(interpolants_have_theirs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
