/* Planar model files read as spatial ones. */
#define _XOPEN_SOURCE 700
#include "load.h"

#include <math.h>

#include "../check.h"

#define HEAD "trammel: 1\nspace: planar\n"

static loaded load_as(const char *text, trm_space space) {
  const char *path = scratch_path("m.yaml");
  write_bytes(path, text, strlen(text));
  loaded r = {.diagnostics = trm_diagnostics_create(), .status = TRM_FAILED};
  r.model = trm_model_load_as(path, NULL, space, r.diagnostics, &r.status);
  assert_int_equal(r.model != NULL, r.status == TRM_OK);
  return r;
}

static loaded embed(const char *text) {
  loaded r = load_as(text, TRM_SPATIAL);
  if (!r.model) print_messages(&r);
  assert_non_null(r.model);
  assert_int_equal(trm_model_space(r.model), TRM_SPATIAL);
  return r;
}

static void assert_vector(int count, const double *found, const double *expected) {
  for (int k = 0; k < count; k++) assert_near(found[k], expected[k], 1e-15);
}

static const trm_joint *joint_of(const loaded *r, const char *name) {
  for (int i = 0; i < r->model->joint_count; i++)
    if (strcmp(r->model->joints[i].name, name) == 0) return &r->model->joints[i];
  return NULL;
}

static void bodies_are_plates(void **state) {
  (void)state;
  loaded r = embed(HEAD "gravity: [0, -9.81]\nground: {points: {O: [1, 2]}}\n"
                        "bodies: {b: {mass: 2, inertia: 3, position: [4, 5], angle: deg(30) + 2*pi,"
                        " com: [0.1, 0], velocity: [1, 2], angular-velocity: 6}}\n");
  const trm_body *b = &r.model->bodies[0];
  const double c = cos(3.14159265358979323846 / 6), R[9] = {c, -0.5, 0, 0.5, c, 0, 0, 0, 1};
  assert_vector(6, b->inertia, (double[]){1.5, 1.5, 3, 0, 0, 0});
  assert_vector(9, b->R, R);
  assert_near(b->angle, 13 * 3.14159265358979323846 / 6, 1e-15);
  assert_vector(3, b->position, (double[]){4, 5, 0});
  assert_vector(3, b->gravity, (double[]){0, -9.81, 0});
  assert_vector(3, b->velocity, (double[]){1, 2, 0});
  assert_vector(3, b->angular_velocity, (double[]){0, 0, 6});
  assert_true(r.model->embedded);
  assert_int_equal(r.model->dim, 3);
  unload(&r);
}

static void joints_turn_about_z(void **state) {
  (void)state;
  loaded r = embed(HEAD "bodies:\n"
                        "  a: {mass: 1, inertia: 1, angle: pi/2, position: [3, 4]}\n"
                        "  b: {mass: 1, inertia: 1, position: [3, 5]}\n"
                        "joints:\n"
                        "  r: {type: revolute, connect: [a, b]}\n"
                        "  p: {type: prismatic, connect: [a, b], axis: [0, 2]}\n"
                        "  s: {type: roller, connect: [ground, a], axis: x}\n"
                        "  w: {type: rolling, connect: [a, b], radius: 2, axis: [1, 0]}\n"
                        "  c: {type: coordinate, sum: {a.angle: 1, b.y: 2}, value: 0}\n");
  const trm_joint *s = joint_of(&r, "s"), *w = joint_of(&r, "w"), *c = joint_of(&r, "c");
  assert_vector(3, joint_of(&r, "r")->axis[0], (double[]){0, 0, 1});
  assert_vector(3, joint_of(&r, "r")->axis[1], (double[]){0, 0, 1});
  assert_vector(3, joint_of(&r, "p")->axis[0], (double[]){1, 0, 0});
  /* the roller keeps its y, 4 */
  assert_int_equal(s->term_count, 1);
  assert_int_equal(s->terms[0].measure.component, 1);
  assert_near(s->value.number, 4, 0);
  /* the line's normal (0, 1) is x in a's frame; a gap is left to assembly as in the plane */
  assert_true(w->disc);
  assert_vector(3, w->axis[0], (double[]){1, 0, 0});
  assert_vector(3, w->axis[1], (double[]){0, 0, 1});
  assert_int_equal(c->terms[0].measure.kind, TRM_MEASURE_ANGLE);
  unload(&r);
}

static void what_nothing_holds_is_held_in_the_plane(void **state) {
  (void)state;
  loaded r = embed(HEAD "bodies:\n"
                        "  held: {mass: 1, inertia: 1}\n"
                        "  chained: {mass: 1, inertia: 1}\n"
                        "  free: {mass: 1, inertia: 1}\n"
                        "  first: {mass: 1, inertia: 1}\n"
                        "  second: {mass: 1, inertia: 1, position: [1, 0]}\n"
                        "joints:\n"
                        "  d: {type: distance, connect: [ground, second]}\n"
                        "  k: {type: rigid, connect: [second, first]}\n"
                        "  i: {type: revolute, connect: [held, chained]}\n"
                        "  j: {type: prismatic, connect: [ground, held], axis: [1, 0]}\n"
                        "forces:\n"
                        "  plane_free: {type: torque, body: free, value: 1}\n");
  assert_int_equal(r.model->joint_count, 6);
  const trm_joint *free_one = joint_of(&r, "plane__free"), *pair = joint_of(&r, "plane_first");
  assert_non_null(free_one);
  assert_non_null(pair);
  assert_int_equal(free_one->type, TRM_JOINT_PLANAR);
  assert_int_equal(free_one->end[0].body, TRM_GROUND);
  assert_int_equal(free_one->end[1].body, 2);
  assert_vector(3, free_one->axis[0], (double[]){0, 0, 1});
  assert_int_equal(pair->end[1].body, 3);
  assert_int_equal(free_one->origin.line, 0);
  assert_int_equal(joint_of(&r, "j")->origin.line, 13);
  unload(&r);
}

/* A free body is held at its centre of mass: the rod stays the longest. */
static void lengths_stay(void **state) {
  (void)state;
  loaded r =
      embed(HEAD "bodies:\n"
                 "  free: {mass: 1, inertia: 1, com: [3, 4], position: [5, 6], angle: pi/6}\n"
                 "  rod: {mass: 1, inertia: 1}\n"
                 "joints: {j: {type: revolute, connect: [ground, rod], at: [0, 2]}}\n");
  const trm_joint *hold = joint_of(&r, "plane_free");
  assert_non_null(hold);
  assert_near(r.model->length, 2, 1e-15);
  assert_vector(3, hold->end[1].u, (double[]){3, 4, 0});
  assert_near(hold->end[0].u[0], 5 + 3 * sqrt(3) / 2 - 4.0 / 2, 1e-14);
  assert_near(hold->end[0].u[1], 6 + 3.0 / 2 + 4 * sqrt(3) / 2, 1e-14);
  unload(&r);
}

static void forces_act_in_the_plane(void **state) {
  (void)state;
  loaded r = embed(HEAD "bodies: {b: {mass: 1, inertia: 1}}\n"
                        "forces:\n"
                        "  f: {type: force, point: b, value: [1, 2]}\n"
                        "  m: {type: torque, body: b, value: 3*b.omega}\n"
                        "  k: {type: torsion-spring-damper, connect: [ground, b], stiffness: 1}\n"
                        "  u: {type: bushing, connect: [ground, b], preload: [7, 8, 9],\n"
                        "      stiffness: [[1, 2, 3], [2, 4, 5], [3, 5, 6]]}\n");
  const trm_force *f = r.model->forces;
  assert_near(f[0].value[1].number, 2, 0);
  assert_near(f[0].value[2].number, 0, 0);
  assert_non_null(f[1].value[2].formula);
  assert_int_equal(r.model->inputs[0].kind, TRM_MEASURE_ANGLE);
  assert_int_equal(r.model->inputs[0].level, 1);
  assert_vector(3, f[2].axis, (double[]){0, 0, 1});
  assert_vector(6, f[3].bushing->preload, (double[]){7, 8, 0, 0, 0, 9});
  const double K[36] = {
      [0] = 1, [1] = 2, [5] = 3, [6] = 2, [7] = 4, [11] = 5, [30] = 3, [31] = 5, [35] = 6};
  assert_vector(36, f[3].bushing->K, K);
  unload(&r);
}

static void planar_measures_keep_their_names(void **state) {
  (void)state;
  loaded r = embed(HEAD "bodies: {b: {mass: 1, inertia: 1}}\n"
                        "outputs: [b.x, b.angle, b.omega, b.wz]\ninitial: {b.angle: 1}\n");
  static const char *const names[] = {"b.x", "b.angle", "b.omega", "b.wz"};
  assert_int_equal(r.model->output_count, 4);
  for (int i = 0; i < 4; i++) assert_string_equal(r.model->outputs[i].name, names[i]);
  unload(&r);
  r = embed(HEAD "bodies: {b: {mass: 1, inertia: 1}}\n");
  assert_int_equal(r.model->output_count, 19 + 3 + 6 + 7);
  assert_string_equal(r.model->outputs[19].name, "b.angle");
  assert_string_equal(r.model->outputs[20].name, "b.omega");
  unload(&r);
}

static void expect_error(const char *text, trm_space space, trm_status status,
                         const char *message) {
  loaded r = load_as(text, space);
  assert_int_equal(r.status, status);
  assert_int_equal(trm_diagnostics_errors(r.diagnostics), 1);
  const char *found = trm_diagnostics_get(r.diagnostics, 0)->message;
  if (!strstr(found, message)) print_message("%s\n", found);
  assert_non_null(strstr(found, message));
  unload(&r);
}

static void what_cannot_be_embedded(void **state) {
  (void)state;
  expect_error("trammel: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n",
               TRM_PLANAR, TRM_BAD_USAGE, "a spatial model has no planar form");
  expect_error(HEAD "bodies: {b: {mass: 1, inertia: 1, position: [0, 1]}}\njoints:\n"
                    "  w: {type: rolling, connect: [ground, b], radius: 1, axis: [1, 0]}\n"
                    "outputs: [w.displacement]\n",
               TRM_SPATIAL, TRM_BAD_MODEL, "joint 'w' has no measure 'displacement'");
  expect_error(HEAD "bodies: {b: {mass: 1, inertia: 1, points: {wz: [0, 0]}}}\n", TRM_SPATIAL,
               TRM_BAD_MODEL, "a point may not be called 'wz'");
  expect_error(HEAD "bodies: {b: {mass: -1, inertia: 1}}\n", TRM_SPATIAL, TRM_BAD_MODEL,
               "mass is -1");
}

static void other_spaces_stay_as_they_are(void **state) {
  (void)state;
  loaded r = load_as(HEAD "bodies: {b: {mass: 1, inertia: 1}}\n", TRM_PLANAR);
  assert_int_equal(trm_model_space(r.model), TRM_PLANAR);
  assert_int_equal(r.model->joint_count, 0);
  unload(&r);
  r = load_as("trammel: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n",
              TRM_SPATIAL);
  assert_false(r.model->embedded);
  assert_int_equal(r.model->joint_count, 0);
  unload(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_are_plates),
      cmocka_unit_test(joints_turn_about_z),
      cmocka_unit_test(what_nothing_holds_is_held_in_the_plane),
      cmocka_unit_test(lengths_stay),
      cmocka_unit_test(forces_act_in_the_plane),
      cmocka_unit_test(planar_measures_keep_their_names),
      cmocka_unit_test(what_cannot_be_embedded),
      cmocka_unit_test(other_spaces_stay_as_they_are),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
