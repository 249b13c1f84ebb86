/* What assembly finds wrong stands somewhere in the model file, and the messages say where. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <unistd.h>

#include "../run.h"

#define HEAD                                                                                       \
  "trammel: 1\nspace: planar\nground: {points: {O: [0, 0]}}\n"                                     \
  "bodies:\n"                                                                                      \
  "  rod: {mass: 1, inertia: 1, points: {A: [-1, 0], B: [1, 0]}, position: [1, 0]}\n"

/* The simulation of a model given as text, and the messages about it. */
static trm_simulation *start(const char *text, trm_model **model, trm_diagnostics *diagnostics,
                             trm_status *status) {
  char path[] = "/tmp/trammel-places-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), strlen(text));
  close(file);
  *model = trm_model_load(path, NULL, diagnostics, NULL);
  unlink(path); /* messages come from what was read */
  if (!*model) run_print(diagnostics);
  assert_non_null(*model);
  return trm_simulation_create(*model, NULL, diagnostics, status);
}

static const trm_diagnostic *find(const trm_diagnostics *diagnostics, const char *text) {
  for (int i = 0; i < trm_diagnostics_count(diagnostics); i++) {
    const trm_diagnostic *d = trm_diagnostics_get(diagnostics, i);
    if (strstr(d->message, text)) return d;
  }
  run_print(diagnostics);
  fail_msg("nothing says '%s'", text);
  return NULL;
}

static void expect(const char *text, trm_status wanted, const char *message, int line, int column,
                   const char *source) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model;
  trm_status status;
  trm_simulation *sim = start(text, &model, diagnostics, &status);
  assert_int_equal(status, wanted);
  const trm_diagnostic *d = find(diagnostics, message);
  assert_non_null(d->file);
  assert_int_equal(d->line, line);
  assert_int_equal(d->column, column);
  assert_string_equal(d->source, source);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
}

static void joints_that_cannot_close(void **state) {
  (void)state;
  expect(HEAD "joints:\n"
              "  A: {type: revolute, connect: [ground.O, rod.A]}\n"
              "  far: {type: revolute, connect: [ground, rod.B], at: [9, 9]}\n",
         TRM_BAD_MODEL, "joint 'far' cannot close", 8, 3,
         "  far: {type: revolute, connect: [ground, rod.B], at: [9, 9]}");
  /* the second of a template */
  expect(HEAD "joints:\n  j$(i): {repeat: {i: [0, 1]}, type: revolute, connect: [ground, rod.A], "
              "at: [9*i, 0]}\n",
         TRM_BAD_MODEL, "joint 'j1' cannot close", 7, 3,
         "  j$(i): {repeat: {i: [0, 1]}, type: revolute, connect: [ground, rod.A], at: [9*i, 0]}");
}

static void conditions_that_cannot_be_met(void **state) {
  (void)state;
  const char *joint = HEAD "joints: {A: {type: revolute, connect: [ground.O, rod.A]}}\n";
  char text[1000];
  snprintf(text, sizeof text, "%sinitial:\n  rod.omega: 1\n  rod.B.x: 7 # no\n", joint);
  expect(text, TRM_BAD_MODEL, "'rod.B.x' cannot be met", 9, 3, "  rod.B.x: 7 # no");
  snprintf(text, sizeof text, "%sinitial: {rod.A.vx: 1}\n", joint);
  expect(text, TRM_BAD_MODEL, "'rod.A.vx' is off", 7, 11, "initial: {rod.A.vx: 1}");
}

static void bodies_that_had_to_move(void **state) {
  (void)state;
  expect("trammel: 1\nspace: planar\nbodies:\n"
         "  rod: {mass: 1, inertia: 1, points: {A: [-1, 0]}, position: [1.5, 0]}\n"
         "joints: {A: {type: revolute, connect: [ground, rod.A]}}\n",
         TRM_OK, "assembly moved body 'rod'", 4, 3,
         "  rod: {mass: 1, inertia: 1, points: {A: [-1, 0]}, position: [1.5, 0]}");
  expect("trammel: 1\nspace: planar\nbodies:\n"
         "  rod: {mass: 1, inertia: 1, velocity: [1, 0]}\n"
         "joints: {A: {type: revolute, connect: [ground, rod]}}\n",
         TRM_OK, "the velocity given for body 'rod'", 4, 3,
         "  rod: {mass: 1, inertia: 1, velocity: [1, 0]}");
}

/* Built by calls there is no file. */
static void models_without_a_file(void **state) {
  (void)state;
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_body_def body = trm_default_body();
  body.name = "rod";
  body.mass = body.inertia[2] = 1;
  trm_model_add_body(model, &body);
  trm_joint_def joint = trm_default_joint();
  joint.name = "A";
  joint.connect[0] = "ground";
  joint.connect[1] = "rod";
  trm_model_add_point(model, "ground", "P", (double[3]){5, 0, 0});
  joint.connect[0] = "ground.P";
  trm_model_add_joint(model, &joint);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  assert_int_equal(trm_model_finish(model, diagnostics), TRM_OK);
  assert_null(trm_simulation_create(model, NULL, diagnostics, NULL));
  const trm_diagnostic *d = find(diagnostics, "joint 'A' cannot close");
  assert_null(d->file);
  assert_int_equal(d->line, 0);
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_that_cannot_close),
      cmocka_unit_test(conditions_that_cannot_be_met),
      cmocka_unit_test(bodies_that_had_to_move),
      cmocka_unit_test(models_without_a_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
