/* The skyline: how much it stores, and that it factors K. */
#include "../problem.h"
#include "math/ordering.h"
#include "math/skyline.h"

#include <stdlib.h>

static touch touches[most_rows];

static double entries_per_block(const shape *s) {
  problem p = problem_create(s->blocks, 6, true, s->rows, s->touches);
  trm_skyline skyline;
  assert_true(trm_skyline_create(&skyline, p.arena, &p.s, false, NULL));
  double ratio = (double)skyline.entries / s->blocks;
  problem_destroy(&p);
  return ratio;
}

/* By hand: a chain in its best order keeps, per block, 3 rows behind 2 columns and 2 rows behind 5.
 */
static void test_chain_is_linear(void **state) {
  (void)state;
  const double best = 3 * 2 + 6 + 2 * 5 + 3;
  for (int blocks = 100; blocks <= 10000; blocks *= 10) {
    shape s = {.touches = touches};
    shape_chain(&s, blocks);
    double ratio = entries_per_block(&s);
    assert_true(ratio > 0.98 * best && ratio <= best);
  }
}

static void test_shuffled_chain_is_linear(void **state) {
  (void)state;
  enum { blocks = 3000 };
  static int name[blocks];
  uint64_t random = 7;
  for (int i = 0; i < blocks; i++) name[i] = i;
  for (int i = blocks - 1; i > 0; i--) {
    int k = (int)((uniform(&random) + 1) / 2 * i), swap = name[i];
    name[i] = name[k];
    name[k] = swap;
  }
  shape s = {.blocks = blocks, .touches = touches};
  for (int b = 0; b < blocks; b++) {
    add_rows(&s, 3, name[b], -1);
    add_rows(&s, 2, name[b], b ? name[b - 1] : -1);
  }
  assert_true(entries_per_block(&s) <= 25);
}

static void test_ladder_and_loop_are_linear(void **state) {
  (void)state;
  double ladder = 0, loop = 0;
  for (int blocks = 100; blocks <= 10000; blocks *= 10) {
    shape s = {.touches = touches};
    shape_ladder(&s, blocks);
    double now = entries_per_block(&s);
    assert_true(blocks == 100 || now < 1.1 * ladder);
    ladder = now;
    shape_loop(&s, blocks);
    now = entries_per_block(&s);
    assert_true(blocks == 100 || now < 1.1 * loop);
    loop = now;
  }
  /* a wave front crosses two bodies: about twice the columns of a chain */
  assert_true(ladder < 75 && loop < 75);
}

static int compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static void test_order_is_a_permutation(void **state) {
  (void)state;
  shape s = {.touches = touches};
  shape_grid(&s, 9);
  add_rows(&s, 2, 80, 0);
  problem p = problem_create(s.blocks, 6, true, s.rows, s.touches);
  int *order = ints(&p, s.rows);
  assert_true(trm_ordering_reduce(&p.s, order));
  qsort(order, (size_t)s.rows, sizeof *order, compare);
  for (int i = 0; i < s.rows; i++) assert_int_equal(order[i], i);
  problem_destroy(&p);
}

/* The first right-hand side with its solution, and multiples of it beside it. */
static void check_several(problem *p, const trm_skyline *k, const double *b, int pairs) {
  int many = 2 * pairs;
  double *several = doubles(p, many * p->s.m);
  for (int i = 0; i < many * p->s.m; i++) several[i] = (i % many + 1) * b[i / many];
  trm_skyline_solve_many(k, pairs, several);
  for (int i = 0; i < many * p->s.m; i++) {
    double expected = (i % many + 1) * p->g[k->order[i / many]];
    assert_true(fabs(several[i] - expected) < 1e-11);
  }
}

/* Solving with the right-hand side K e for a known e, K from its definition; how many parts is
 * returned. */
static int check_solution(const shape *s) {
  problem p = problem_create(s->blocks, 6, true, s->rows, s->touches);
  problem_fill(&p, 3);
  trm_skyline skyline;
  assert_true(trm_skyline_create(&skyline, p.arena, &p.s, false, NULL));
  trm_skyline_assemble(&skyline, &p.s, p.Cq);
  assert_true(trm_skyline_factor(&skyline) > TRM_PIVOT_WEAK);
  trm_jacobian_transposed_add(&p.s, p.Cq, 1, p.g, p.x);
  trm_jacobian_times(&p.s, p.Cq, p.x, p.lambda);
  double *b = doubles(&p, p.s.m);
  for (int i = 0; i < p.s.m; i++) b[i] = p.lambda[skyline.order[i]];
  for (int pairs = 1; pairs <= TRM_SKYLINE_MANY / 2; pairs++) check_several(&p, &skyline, b, pairs);
  trm_skyline_solve(&skyline, b);
  for (int i = 0; i < p.s.m; i++) assert_true(fabs(b[i] - p.g[skyline.order[i]]) < 1e-12);
  int parts = skyline.parts;
  problem_destroy(&p);
  return parts;
}

static void test_solves_with_K(void **state) {
  (void)state;
  shape s = {.touches = touches};
  shape_grid(&s, 6);
  assert_int_equal(check_solution(&s), 1);
}

/* Chains of four blocks: nothing connects them, and 256 rows or more make a part. */
static void test_separate_mechanisms_are_parts(void **state) {
  (void)state;
  shape s = {.blocks = 400, .touches = touches};
  for (int b = 0; b < s.blocks; b++) add_rows(&s, 2, b, b % 4 ? b - 1 : -1);
  assert_int_equal(check_solution(&s), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chain_is_linear),
      cmocka_unit_test(test_shuffled_chain_is_linear),
      cmocka_unit_test(test_ladder_and_loop_are_linear),
      cmocka_unit_test(test_order_is_a_permutation),
      cmocka_unit_test(test_solves_with_K),
      cmocka_unit_test(test_separate_mechanisms_are_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
