/* Driven orientations in every formulation in space: tangents against differences. Vectors next to
 * none, beyond half a turn and next to a whole one, and angles of sequences. */
#include "differences.h"

#include <stdio.h>

static const char *const formulations[] = {"natural", "euler-parameters", "relative"};

static void check_drivers(const char *drivers, const char *written) {
  char text[1024];
  snprintf(text, sizeof text,
           "trammel: 1\nspace: spatial\nbodies:\n"
           "  b: {mass: 2, inertia: [0.3, 0.5, 0.6], com: [0.1, 0.2, -0.1], orientation: %s}\n"
           "  c: {mass: 1, inertia: [0.1, 0.2, 0.2], position: [1, 0, 0]}\n"
           "joints:\n  o: {type: spherical, connect: [b, c], at: [0.5, 0, 0]}\n%s",
           written, drivers);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = trm_model_load_text(text, "model", NULL, diagnostics, NULL);
  assert_int_equal(trm_diagnostics_errors(diagnostics), 0);
  assert_non_null(model);
  for (int f = 0; f < 3; f++) {
    const trm_coordinates *co = trm_coordinates_find(formulations[f], model->dim);
    assert_non_null(co);
    equations e = equations_of(model, co, false);
    check_tangent(&e, formulations[f]);
    forget(&e);
  }
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
}

static void rotation_vectors(void **state) {
  (void)state;
  static const double length[] = {0, 1e-5, 0.2, 0.9, 3.1, 3.2, 4.5, 5.9};
  for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
    const double axis[3] = {2 / 7.0, -3 / 7.0, 6 / 7.0};
    char drivers[256], written[128];
    snprintf(drivers, sizeof drivers,
             "  d: {type: driver, of: b, rotation: [%.17g + 0.1*t, %.17g - 0.2*t, %.17g]}\n",
             length[i] * axis[0], length[i] * axis[1], length[i] * axis[2]);
    snprintf(written, sizeof written, "{axis: [2, -3, 6], angle: %.17g}", length[i]);
    check_drivers(drivers, written);
  }
}

static void euler_angles(void **state) {
  (void)state;
  check_drivers("  d1: {type: driver, of: b.zxz1, value: t}\n"
                "  d2: {type: driver, of: b.zxz2, value: 1.2}\n"
                "  d3: {type: driver, of: b.zxz3, value: -t}\n",
                "{euler: zxz, angles: [0, 1.2, 0]}");
  check_drivers("  d1: {type: driver, of: b.yaw, value: t}\n"
                "  d2: {type: driver, of: b.pitch, value: 0.4}\n"
                "  d3: {type: driver, of: b.roll, value: 0.3}\n",
                "{euler: zyx, angles: [0, 0.4, 0.3]}");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotation_vectors),
      cmocka_unit_test(euler_angles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
