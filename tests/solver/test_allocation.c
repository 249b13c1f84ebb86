/* Nothing is allocated after create and a first factorization, which chooses pivots. The allocator
 * is replaced, so that every call in the process is seen. */
#include "../counting.h"
#include "../problem.h"
#include "solver/solver.h"

static touch touches[most_rows];

static void check(const trm_solver_class *type, bool diagonal, bool redundant) {
  const int block[] = {1}, value[] = {0, 6};
  const double inertia[] = {0.1};
  shape s = {.touches = touches};
  shape_loop(&s, 4);
  if (redundant) add_rows(&s, 1, 2, 1);
  problem p = problem_create(s.blocks, 6, diagonal, s.rows, s.touches);
  problem_fill(&p, 2);
  for (int k = 0; redundant && k < 6; k++) /* a row of zeros */
    row_entries(&p, s.rows - 1, 1)[k] = row_entries(&p, s.rows - 1, 2)[k] = 0;
  p.N = doubles(&p, 6);
  p.N[5] = 1;
  p.s.massless = 1;
  p.s.massless_block = block;
  p.s.massless_value = value;
  p.s.massless_inertia = inertia;
  trm_solver *solver = trm_solver_create(type, p.arena, &p.s);
  assert_non_null(solver);
  trm_solver_factor(solver, p.M, p.Cq, p.N);
  long before = counted_allocations, decisions = trm_solver_count(solver).decisions;
  for (int i = 0; i < 3; i++) {
    trm_solver_factor(solver, p.M, p.Cq, p.N);
    trm_solver_solve(solver, p.f, p.g, NULL, p.x, p.lambda);
    bool dependent[most_rows];
    trm_solver_dependent(solver, dependent);
    trm_solver_minimum_norm(solver, p.lambda);
  }
  assert_int_equal(counted_allocations, before);
  assert_int_equal(trm_solver_count(solver).decisions - decisions, redundant ? 3 : 0);
  problem_destroy(&p);
}

static void test_counting_works(void **state) {
  (void)state;
  if (!TRM_COUNTING) skip();
  long before = counted_allocations;
  trm_arena_destroy(trm_arena_create());
  assert_true(counted_allocations > before);
}

static void test_loop_does_not_allocate(void **state) {
  (void)state;
  if (!TRM_COUNTING) skip();
  for (int k = 0; k < 4; k++) check(&trm_udwadia_kalaba, k & 1, k & 2);
  for (int k = 0; k < 2; k++) check(&trm_augmented, k, false); /* rank losses take new pivots */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counting_works),
      cmocka_unit_test(test_loop_does_not_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
