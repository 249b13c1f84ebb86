/* Counted angles: many turns in both directions, from any start. */

#include "../check.h"
#include "coordinates/scalar.h"

static void follow(double start, double step, int steps) {
  trm_winding w = {cos(start), sin(start), 0};
  w.turns = lround((start - atan2(w.y, w.x)) / 6.283185307179586);
  double angle = start;
  for (int i = 0; i < steps; i++) {
    angle += step;
    assert_near(trm_winding_angle(&w, cos(angle), sin(angle)), angle, 1e-11 * (1 + fabs(angle)));
    trm_winding_accept(&w, cos(angle), sin(angle));
  }
}

static void turns_are_counted(void **state) {
  (void)state;
  follow(0, 0.3, 1000);
  follow(0, -0.3, 1000);
  follow(4.45, 2.9, 500); /* nearly half a turn a step */
  follow(-20, -2.9, 500);
  follow(3.14159265358979, 1e-9, 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(turns_are_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
