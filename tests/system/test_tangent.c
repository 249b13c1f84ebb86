/* Every joint and force in every formulation: tangents against differences. */
#include "../sample_spatial.h"
#include "differences.h"

static const trm_coordinates *const planar_forms[] = {
    &trm_natural_planar, &trm_angle_planar, &trm_euler_planar, &trm_cartesian_planar,
    &trm_euler_planar_singular};
static const trm_coordinates *const spatial_forms[] = {
    &trm_natural_spatial, &trm_natural_spatial_flat, &trm_euler_spatial};

static void check_forms(const trm_model *model) {
  bool plane = model->dim == 2;
  for (int f = 0; f < (plane ? 5 : 3); f++)
    for (int keep = 0; keep < 2; keep++) {
      const trm_coordinates *co = plane ? planar_forms[f] : spatial_forms[f];
      equations e = equations_of(model, co, keep);
      check_tangent(&e, co->name);
      forget(&e);
    }
}

static void planar_joints_and_forces(void **state) {
  (void)state;
  for (int forces = 0; forces < 2; forces++) {
    trm_model *model = sample_model(forces);
    assert_non_null(model);
    check_forms(model);
    trm_model_destroy(model);
  }
}

static void spatial_joints(void **state) {
  (void)state;
  trm_model *model = sample_spatial_model();
  check_forms(model);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planar_joints_and_forces),
      cmocka_unit_test(spatial_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
