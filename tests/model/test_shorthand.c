/* Short ways to write a model: each must mean what its long form means. */
#define _XOPEN_SOURCE 700
#include "mistake.h"

#include <math.h>

#define PLANE "trammel: 1\nspace: planar\n"
#define SPACE "trammel: 1\nspace: spatial\n"

static void expect_vector(const double *v, double x, double y, double z) {
  const double expected[] = {x, y, z};
  for (int k = 0; k < 3; k++)
    if (!(fabs(v[k] - expected[k]) <= 1e-15 * fmax(1, fabs(expected[k]))))
      fail_msg("component %d is %.17g, expected %.17g", k, v[k], expected[k]);
}

static void directions_have_names(void **state) {
  (void)state;
  loaded r = load_good(SPACE "bodies: {b: {mass: 1, inertia: [1, 1, 1], orientation: {axis: -z, "
                             "angle: pi/2}}}\n"
                             "joints:\n"
                             "  j: {type: cylindrical, connect: [ground, b], axis: -y}\n"
                             "  u: {type: perpendicular, connect: [ground, b], axes: [x, +z]}\n"
                             "forces: {s: {type: torsion-spring-damper, connect: [ground, b], "
                             "stiffness: 1, axis: z}}\n",
                       NULL);
  expect_vector(r.model->joints[0].axis[0], 0, -1, 0);
  expect_vector(r.model->joints[1].axis[0], 1, 0, 0);
  expect_vector(r.model->joints[1].axis[1], 0, 0, 1);
  const double *R = r.model->bodies[0].R; /* about −z the x axis turns to −y */
  assert_true(fabs(R[3] + 1) < 1e-15 && fabs(R[0]) < 1e-15);
  unload(&r);
  r = load_good(PLANE "bodies: {b: {mass: 1, inertia: 1}}\n"
                      "joints: {j: {type: prismatic, connect: [ground, b], axis: -x}}\n",
                NULL);
  assert_true(r.model->joints[0].axis[0][0] == -1 && r.model->joints[0].axis[0][1] == 0);
  unload(&r);
  expect_one(&(mistake){PLANE "bodies: {b: {mass: 1, inertia: 1}}\n"
                              "joints: {j: {type: prismatic, connect: [ground, b], axis: z}}\n",
                        4, 59, "the model is planar: directions are x, -x, y, -y or [x, y]"});
}

static void colors_have_names(void **state) {
  (void)state;
  loaded r = load_good(PLANE "ground: {color: gray}\nbodies: {b: {mass: 1, inertia: 1, color: "
                             "rebeccapurple}, c: {mass: 1, inertia: 1, color: yellowgreen}, d: "
                             "{mass: 1, inertia: 1, color: aliceblue}}\n",
                       NULL);
  assert_string_equal(r.model->ground.color, "#808080");
  assert_string_equal(r.model->bodies[0].color, "#663399");
  assert_string_equal(r.model->bodies[1].color, "#9acd32");
  assert_string_equal(r.model->bodies[2].color, "#f0f8ff");
  unload(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(directions_have_names),
      cmocka_unit_test(colors_have_names),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
