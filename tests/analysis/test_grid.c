/* The time grid meets every output time and the end with equal steps where that is possible. */
#include "../check.h"
#include "analysis/grid.h"

static trm_grid grid(double duration, double step, double output_step) {
  trm_settings settings = trm_default_settings();
  settings.duration = duration;
  settings.step = step;
  settings.output_step = output_step;
  return trm_grid_create(&settings);
}

/* Times grow by the steps, end at the duration, and as many rows come as were announced. */
static void check(const trm_grid *g) {
  long rows = 0;
  for (long i = 0; i <= g->steps; i++) {
    rows += trm_grid_is_output(g, i);
    if (i == g->steps) break;
    double length = trm_grid_time(g, i + 1) - trm_grid_time(g, i);
    assert_near(length, trm_grid_step(g, i), 1e-12 * g->duration);
  }
  assert_int_equal(rows, trm_grid_rows(g));
  assert_near(trm_grid_time(g, g->steps), g->duration, 0);
  assert_near(trm_grid_time(g, 0), 0, 0);
}

static void divides_evenly(void **state) {
  (void)state;
  trm_grid g = grid(5, 1e-3, 1e-2);
  assert_int_equal(g.steps, 5000);
  assert_int_equal(g.stride, 10);
  assert_int_equal(trm_grid_rows(&g), 501);
  assert_near(trm_grid_time(&g, 300), 0.3, 0); /* the very number a user writes */
  check(&g);
}

static void is_reduced(void **state) {
  (void)state;
  trm_grid g = grid(1, 3e-3, 1e-2);
  assert_int_equal(g.stride, 4);
  assert_near(g.h, 2.5e-3, 1e-18);
  check(&g);
  g = grid(1, 0.4, 1);
  assert_int_equal(g.steps, 3);
  check(&g);
}

/* 1.25 is no multiple of 0.5; a step of 0.05 divides both, 0.07 becomes 0.0625. */
static void meets_the_end(void **state) {
  (void)state;
  trm_grid g = grid(1.25, 0.05, 0.5);
  assert_int_equal(g.steps, 25);
  assert_int_equal(trm_grid_rows(&g), 4);
  check(&g);
  g = grid(1.25, 0.07, 0.5);
  assert_near(g.h, 0.0625, 1e-15);
  assert_near(g.h_rest, g.h, 1e-15);
  check(&g);
  g = grid(3.141592653589793, 0.01, 0.1); /* no common divisor: a last stretch of its own */
  assert_true(g.h_rest <= 0.01 && g.h_rest > 0);
  check(&g);
}

static void at_most_a_thousand_rows(void **state) {
  (void)state;
  trm_grid g = grid(5, 1e-3, 0);
  assert_true(trm_grid_rows(&g) <= 1000);
  check(&g);
  g = grid(0.5, 1e-3, 0);
  assert_int_equal(trm_grid_rows(&g), 501);
  check(&g);
  g = grid(0.01, 1, 0);
  assert_int_equal(g.steps, 1);
  check(&g);
}

static void nothing_to_do(void **state) {
  (void)state;
  trm_grid g = grid(0, 1e-3, 0);
  assert_int_equal(g.steps, 0);
  assert_int_equal(trm_grid_rows(&g), 1);
  assert_near(trm_grid_time(&g, 3), 3e-3, 1e-18); /* stepping on by hand */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(divides_evenly), cmocka_unit_test(is_reduced),
      cmocka_unit_test(meets_the_end),  cmocka_unit_test(at_most_a_thousand_rows),
      cmocka_unit_test(nothing_to_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
