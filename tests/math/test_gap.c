/* The gap between two points of bodies far from the origin: as exact as the bodies are large, not
 * as they are far away. */
#include "../check.h"
#include "math/vector.h"

/* A million metres away a number has 1e-10 of them. */
static const double far = 1048576, bar = 0.3, gap = 1e-13;

static void between_bodies(void **state) {
  (void)state;
  double x0[2] = {far, -far}, d0[2] = {bar + gap, bar}, x1[2] = {far + 0.25, -far - 0.25};
  double d1[2] = {bar - 0.25, bar + 0.25}, c[2];
  trm_gap(2, x0, d0, x1, d1, false, c);
  assert_near(c[0], gap, 1e-16);
  assert_near(c[1], 0, 1e-16);
}

/* The ground's origin is the world's: its points are far away from it. */
static void to_the_ground(void **state) {
  (void)state;
  double still[3] = {0, 0, 0}, point[3] = {far, 2 * far, -far};
  double x[3] = {far + 0.25, 2 * far - 0.25, -far - 0.5}, d[3] = {gap - 0.25, 0.25, 0.5}, c[3];
  trm_gap(3, x, d, still, point, true, c);
  assert_near(c[0], gap, 1e-16);
  assert_near(c[1], 0, 1e-16);
  trm_gap(3, still, point, x, d, false, c);
  assert_near(c[0], -gap, 1e-16);
  assert_near(c[2], 0, 1e-16);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(between_bodies),
                                     cmocka_unit_test(to_the_ground)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
