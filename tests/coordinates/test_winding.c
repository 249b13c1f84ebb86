/* Counted angles: many turns in both directions, from any start, in steps of any length. */

#include "../check.h"
#include "coordinates/angle.h"

/* With a rate that changes a lot from step to step. */
static void follow(double start, double step, int steps) {
  double h = 0.1, rate = step / h, change = 2 / h;
  trm_winding w = {cos(start), sin(start), 0, rate};
  w.turns = round((start - atan2(w.y, w.x)) / 6.283185307179586);
  double angle = start;
  for (int i = 0; i < steps; i++) {
    angle += step;
    double x = 2 * cos(angle), y = 2 * sin(angle);
    assert_near(trm_winding_angle(&w, x, y, h), angle, 1e-11 * (1 + fabs(angle)));
    trm_winding_accept(&w, x, y, h, rate + (i % 2 ? change : -change));
  }
}

static void turns_are_counted(void **state) {
  (void)state;
  follow(0, 0.3, 1000);
  follow(0, -0.3, 1000);
  follow(4.45, 2.9, 500); /* nearly half a turn a step */
  follow(-20, -2.9, 500);
  follow(3.14159265358979, 1e-9, 100);
  follow(0.3, 3.2, 500);
  follow(0, -5, 500);
  follow(1, 1234.5, 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(turns_are_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
