/* Ten orbits of the sphere of paper 004, example 5: radius, period and speed. */
#include "space_run.h"

static void ten_orbits(void **state) {
  (void)state;
  const double radius = 0.393888388318734, centre = 0.278521150410817;
  trm_model *model = run_load("models/rolling_sphere_turntable.yaml");
  for (int c = 0; c < SPACE_FORMULATIONS; c++) {
    trm_settings settings = space_settings(model, c);
    settings.duration = 35;
    settings.step = 5e-5;
    trm_summary summary;
    trm_results *results = space_run(model, &settings, &summary);
    int last = trm_results_rows(results) - 1;
    for (int i = 0; i <= last; i++) {
      double x = space_value(results, i, "sphere.x"), y = space_value(results, i, "sphere.y");
      double vx = space_value(results, i, "sphere.vx"), vy = space_value(results, i, "sphere.vy");
      assert_near(hypot(x - centre, y - centre), radius, 1e-9);
      assert_near(hypot(vx, vy), sqrt(0.5), 1e-9);
    }
    /* after ten periods it is where it began, and as fast */
    assert_near(space_value(results, last, "t"), 35, 1e-12);
    assert_near(space_value(results, last, "sphere.x"), 0, 1e-9);
    assert_near(space_value(results, last, "sphere.y"), 0, 1e-9);
    assert_near(space_value(results, last, "sphere.vx"), 0.5, 1e-9);
    assert_near(space_value(results, last, "sphere.vy"), -0.5, 1e-9);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ten_orbits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
