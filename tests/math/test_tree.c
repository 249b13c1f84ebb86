/* Sweeps through a tree of all kinds of links: accelerations against inverse dynamics, the factor
 * against products with M; and the same by registers of four numbers, which this file is compiled
 * for where a processor can have them, against the library. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../extremes.h"
#include "math/tree.h"

/* What a tree does, by the library. */
typedef struct sweeps {
  void (*state)(trm_tree *tree, const double *q, const double *v, const double *applied);
  void (*accelerate)(trm_tree *tree, double *a);
  void (*force)(trm_tree *tree, double *Q);
  void (*times)(trm_tree *tree, const double *x, double *y);
  void (*factor)(trm_tree *tree);
  void (*forward)(trm_tree *tree, const trm_path *path, const double *f, double *z);
  void (*backward)(trm_tree *tree, const double *y, double *x);
  void (*transposed)(trm_tree *tree, const trm_path *path, const double *wrench, double *y);
} sweeps;

#define SWEEPS                                                                                     \
  {                                                                                                \
    trm_tree_state, trm_tree_accelerate, trm_tree_force, trm_tree_times, trm_tree_factor,          \
        trm_tree_forward, trm_tree_backward, trm_tree_transposed                                   \
  }

static const sweeps library = SWEEPS;

/* And as compiled here, under other names. */
#define trm_tree_create     own_create
#define trm_link_turn       own_turn
#define trm_ball_spin       own_spin
#define trm_ball_rates      own_rates
#define trm_tree_position   own_position
#define trm_tree_velocity   own_velocity
#define trm_tree_places     own_places
#define trm_tree_speeds     own_speeds
#define trm_tree_load       own_load
#define trm_tree_start      own_start
#define trm_tree_state      own_state
#define trm_tree_scale      own_scale
#define trm_tree_accelerate own_accelerate
#define trm_tree_force      own_force
#define trm_tree_times      own_times
#define trm_tree_factor     own_factor
#define trm_tree_follow     own_follow
#define trm_tree_transmit   own_transmit
#define trm_tree_forward    own_forward
#define trm_tree_backward   own_backward
#define trm_tree_transposed own_transposed
void trm_ball_spin(const double *p, const double *dp, double w[3]);
void trm_ball_rates(const double *p, const double w[3], double *dp);
#include "math/tree.c"
#include "math/tree_sweep.c"

#include "math/tree_inverse.c"

static const sweeps own = SWEEPS;

enum { links = 14, most = 7 * links };

static uint64_t random = 3;

static double uniform(void) {
  random = random * 6364136223846793005u + 1442695040888963407u;
  return (double)(random >> 11) / 4503599627370496.0 - 1;
}

static void draw(int count, double *x) {
  for (int i = 0; i < count; i++) x[i] = uniform();
}

static void draw_axis(double n[3]) {
  draw(3, n);
  double length = trm_norm(3, n);
  for (int i = 0; i < 3; i++) n[i] /= length;
}

/* A free one or one on the ground first; the others hang on any before them. */
static trm_tree *draw_tree(trm_arena *arena, bool floats) {
  static const trm_link_kind kinds[] = {TRM_LINK_REVOLUTE, TRM_LINK_PRISMATIC, TRM_LINK_SCREW,
                                        TRM_LINK_BALL, TRM_LINK_FIXED};
  trm_tree *tree = trm_tree_create(arena, links);
  double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  tree->n = tree->balls = 0;
  tree->all.count = links;
  for (int i = 0; i < links; i++) {
    trm_link *l = &tree->link[i];
    double axis[3];
    l->kind = i > 0 ? kinds[i % 5] : floats ? TRM_LINK_FREE : TRM_LINK_REVOLUTE;
    l->parent = i > 0 ? (int)(fabs(uniform()) * i) : -1;
    l->at = tree->n;
    l->body = i;
    l->pitch = uniform();
    l->mass = 1.5 + uniform();
    l->stiff = 1;
    for (int k = 0; k < 3; k++) l->inertia[k] = 0.3 + 0.1 * uniform();
    draw(3, l->arm);
    draw(3, l->com);
    draw_axis(axis);
    trm_link_turn(l, axis, identity);
    tree->n += trm_link_coordinates(l);
    tree->balls += trm_link_quaternion(l) >= 0;
  }
  return tree;
}

/* Less what a quaternion's length takes, which its row answers. */
static void take_across(const trm_tree *tree, const double *q, double *r) {
  for (int i = 0; i < tree->count; i++) {
    int at = trm_link_quaternion(&tree->link[i]);
    double along = 0, square = 0;
    for (int k = 0; at >= 0 && k < 4; k++) {
      along += q[at + k] * r[at + k];
      square += q[at + k] * q[at + k];
    }
    for (int k = 0; at >= 0 && k < 4; k++) r[at + k] -= along / square * q[at + k];
  }
}

static double farthest(int n, const double *x, const double *y) {
  double off = 0;
  for (int i = 0; i < n; i++) off = larger(off, fabs(x[i] - y[i]) / (1 + fabs(y[i])));
  return off;
}

typedef struct results {
  double a[most], Q[most], M[most], x[most], row[most];
} results;

static void sweep(const sweeps *by, trm_tree *tree, const double *q, const double *v,
                  const double *applied, results *r) {
  double z[most];
  by->state(tree, q, v, applied);
  by->accelerate(tree, r->a);
  by->state(tree, q, v, applied);
  by->force(tree, r->Q);
  by->times(tree, r->a, r->M);
  by->factor(tree);
  by->forward(tree, &tree->all, r->M, z);
  by->backward(tree, z, r->x);
  by->transposed(tree, &tree->all, applied, r->row);
}

static void check(bool floats) {
  for (int trial = 0; trial < 50; trial++) {
    trm_arena *arena = trm_arena_create();
    trm_tree *tree = draw_tree(arena, floats);
    double q[most], v[most], applied[6 * links], r[most];
    results seen[2];
    int n = tree->n;
    draw(n, q);
    draw(n, v);
    draw(6 * links, applied);
    sweep(&library, tree, q, v, applied, &seen[0]);
    sweep(&own, tree, q, v, applied, &seen[1]);
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < n; i++) r[i] = seen[k].M[i] - seen[k].Q[i];
      take_across(tree, q, r);
      double off = 0;
      for (int i = 0; i < n; i++) off = larger(off, fabs(r[i]) / (1 + fabs(seen[k].Q[i])));
      assert_true(off <= 1e-12);                               /* M q̈ = Q */
      assert_true(farthest(n, seen[k].x, seen[k].a) <= 1e-12); /* M⁻¹ M x = x */
    }
    assert_true(farthest(n, seen[1].a, seen[0].a) <= 1e-12);
    assert_true(farthest(n, seen[1].row, seen[0].row) <= 1e-12);
    trm_arena_destroy(arena);
  }
}

static void on_the_ground(void **state) {
  (void)state;
  check(false);
}

static void floating(void **state) {
  (void)state;
  check(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_the_ground),
      cmocka_unit_test(floating),
  };
#ifdef __AVX2__
  if (!__builtin_cpu_supports("avx2")) return 77;
#endif
  return cmocka_run_group_tests(tests, NULL, NULL);
}
