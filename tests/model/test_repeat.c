/* Entries that stand for many: what they generate, and how mistakes in them are told. */
#define _XOPEN_SOURCE 700
#include "mistake.h"

#include <math.h>
#include <trammel/trammel.h>

#define HEAD "trammel: 1\nspace: planar\n"

static int find_body(const trm_model *model, const char *name) {
  for (int i = 0; i < model->body_count; i++)
    if (strcmp(model->bodies[i].name, name) == 0) return i;
  return -1;
}

#define CHAIN                                                                                      \
  HEAD "gravity: [0, -9.81]\nparameters: {L: 0.7, m: 1.3, N: 5}\nground: {points: {O: [0, 0]}}\n"

static const char *const repeated_chain =
    CHAIN "bodies:\n"
          "  link$(i):\n"
          "    repeat: {i: [1, N]}\n"
          "    mass: m + i/10\n"
          "    inertia: m*L^2/12*i\n"
          "    position: [L*(i - 1/2), 0]\n"
          "    points: {A: [-L/2, 0], B: [L/2, 0]}\n"
          "    shape: {rod: [A, B]}\n"
          "joints:\n"
          "  joint1: {type: revolute, connect: [ground.O, link1.A]}\n"
          "  joint$(i + 1): {repeat: {i: [1, N - 1]}, type: revolute, connect: [link$(i).B, "
          "link$(i+1).A]}\n"
          "forces:\n"
          "  brake$(i): {repeat: {i: [1, N]}, type: torque, body: link$(i), value: "
          "-0.1*i*link$(i).omega + i*sin(i*t)}\n"
          "  tip: {type: force, point: link$(N).B, value: [t, 0]}\n";

/* The same chain, each entry by itself. */
static void write_out(char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, CHAIN "bodies:\n");
  for (int i = 1; i <= 5; i++)
    used += (size_t)snprintf(text + used, size - used,
                             "  link%d:\n    mass: m + %d/10\n    inertia: m*L^2/12*%d\n"
                             "    position: [L*(%d - 1/2), 0]\n"
                             "    points: {A: [-L/2, 0], B: [L/2, 0]}\n    shape: {rod: [A, B]}\n",
                             i, i, i, i);
  used += (size_t)snprintf(text + used, size - used,
                           "joints:\n  joint1: {type: revolute, connect: [ground.O, link1.A]}\n");
  for (int i = 2; i <= 5; i++)
    used += (size_t)snprintf(text + used, size - used,
                             "  joint%d: {type: revolute, connect: [link%d.B, link%d.A]}\n", i,
                             i - 1, i);
  used += (size_t)snprintf(text + used, size - used, "forces:\n");
  for (int i = 1; i <= 5; i++)
    used += (size_t)snprintf(text + used, size - used,
                             "  brake%d: {type: torque, body: link%d, value: "
                             "\"-0.1*%d*link%d.omega + %d*sin(%d*t)\"}\n",
                             i, i, i, i, i, i);
  snprintf(text + used, size - used, "  tip: {type: force, point: link5.B, value: [t, 0]}\n");
}

static trm_results *simulate(const trm_model *model) {
  trm_settings settings = trm_default_settings();
  settings.duration = 0.5;
  settings.step = 0.01;
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  trm_results *results = trm_results_create();
  assert_int_equal(trm_simulation_run(sim, results, NULL, NULL, NULL), TRM_OK);
  trm_simulation_destroy(sim);
  return results;
}

static void a_chain_equals_the_one_written_out(void **state) {
  (void)state;
  char text[8000];
  write_out(text, sizeof text);
  loaded written = load_good(text, NULL), repeated = load_good(repeated_chain, NULL);
  trm_results *a = simulate(written.model), *b = simulate(repeated.model);
  assert_int_equal(trm_results_columns(a), 1 + 5 * (9 + 3) + 7);
  assert_int_equal(trm_results_columns(a), trm_results_columns(b));
  assert_int_equal(trm_results_rows(a), trm_results_rows(b));
  for (int k = 0; k < trm_results_columns(a); k++) {
    assert_string_equal(trm_results_name(a, k), trm_results_name(b, k));
    for (int i = 0; i < trm_results_rows(a); i++)
      assert_true(trm_results_get(a, i, k) == trm_results_get(b, i, k));
  }
  /* and it moves: a torque on each, gravity on all */
  int angle = trm_results_find(a, "link5.angle");
  assert_true(fabs(trm_results_get(a, trm_results_rows(a) - 1, angle)) > 0.1);
  trm_results_destroy(a);
  trm_results_destroy(b);
  unload(&written);
  unload(&repeated);
}

static void parameters_set_the_number(void **state) {
  (void)state;
  const char *const overrides[] = {"N=20000", NULL};
  loaded r = load_good(repeated_chain, overrides);
  assert_int_equal(r.model->body_count, 20000);
  assert_int_equal(r.model->joint_count, 20000);
  assert_int_equal(r.model->force_count, 20001);
  const trm_body *last = &r.model->bodies[19999];
  assert_string_equal(last->name, "link20000");
  assert_true(last->mass == 1.3 + 2000 && last->position[0] == 0.7 * 19999.5);
  assert_string_equal(r.model->joints[19999].name, "joint20000");
  assert_int_equal(r.model->joints[19999].end[0].body, 19998);
  assert_int_equal(r.model->joints[19999].end[1].body, 19999);
  assert_int_equal(r.model->forces[20000].end[0].body, 19999);
  unload(&r);
}

static void two_indices_give_a_grid(void **state) {
  (void)state;
  loaded r = load_good(HEAD "bodies:\n"
                            "  first: {mass: 1, inertia: 1}\n"
                            "  n$(i)_$(j): {repeat: {i: [1, 2], j: [4, 6]}, mass: 10*i + j, "
                            "inertia: 1, points: {P$(j - 3): [i, j]}}\n"
                            "  last: {mass: 1, inertia: 1}\n",
                       NULL);
  static const char *const names[] = {"first", "n1_4", "n1_5", "n1_6",
                                      "n2_4",  "n2_5", "n2_6", "last"};
  static const double masses[] = {1, 14, 15, 16, 24, 25, 26, 1};
  assert_int_equal(r.model->body_count, 8);
  for (int i = 0; i < 8; i++) {
    assert_string_equal(r.model->bodies[i].name, names[i]);
    assert_true(r.model->bodies[i].mass == masses[i]);
  }
  assert_string_equal(r.model->bodies[5].points[0].name, "P2");
  assert_true(r.model->bodies[5].points[0].u[0] == 2 && r.model->bodies[5].points[0].u[1] == 5);
  unload(&r);
}

static void an_empty_range_gives_nothing(void **state) {
  (void)state;
  loaded r = load_good(HEAD "parameters: {N: 0}\nbodies:\n  a: {mass: 1, inertia: 1}\n"
                            "  b$(i): {repeat: {i: [1, N]}, mass: nonsense, inertia: 1}\n"
                            "  c$(i)_$(j): {repeat: {i: [1, 1e6], j: [1, N]}, mass: 1}\n",
                       NULL);
  assert_int_equal(r.model->body_count, 1);
  assert_int_equal(find_body(r.model, "a"), 0);
  unload(&r);
}

#define TWO                                                                                        \
  HEAD "bodies:\n  b$(i): {repeat: {i: [1, 2]}, mass: 1, inertia: 1, position: [i, 0], points: "   \
       "{P: [0, 0]}}\n"

static void formulas_know_the_index(void **state) {
  (void)state;
  loaded r = load_good(TWO "forces:\n"
                           "  f$(i + 2): {repeat: {i: [-2, -1]}, type: torque, body: b1, value: "
                           "-i^2 + 2*i}\n"
                           "  g$(sin): {repeat: {sin: [3, 3]}, type: torque, body: b1, value: "
                           "sin(0)*sin + sin (0) + sin}\n"
                           "  h$(k): {repeat: {k: [1, 2]}, type: force, point: b$(3 - k).P, "
                           "value: [\"max(k, 1)\", b$(k).P.x]}\n",
                       NULL);
  const trm_force *forces = r.model->forces;
  assert_string_equal(forces[0].name, "f0");
  assert_true(forces[0].value[2].number == -8); /* −(−2)² + 2·(−2) */
  assert_true(forces[1].value[2].number == -3);
  assert_true(forces[2].value[2].number == 3); /* the function keeps its name */
  assert_int_equal(forces[3].end[0].body, 1);
  assert_int_equal(forces[4].end[0].body, 0);
  assert_true(forces[4].value[0].number == 2);
  assert_int_equal(r.model->input_count, 2);
  assert_string_equal(r.model->inputs[1].name, "b2.P.x");
  unload(&r);
}

static void references_of_all_kinds(void **state) {
  (void)state;
  loaded r = load_good(
      TWO "joints:\n"
          "  j$(i): {repeat: {i: [1, 2]}, type: revolute, connect: [ground, b$(i)], at: "
          "[i, 0]}\n"
          "  c: {type: coordinate, sum: {j$(1).angle: 1, j$(1 + 1).angle: -2}, value: 0}\n"
          "forces:\n"
          "  m$(i): {repeat: {i: [1, 2]}, type: actuator, of: j$(i), value: i}\n",
      NULL);
  assert_int_equal(r.model->joint_count, 3);
  assert_int_equal(r.model->joints[2].terms[1].measure.index, 1);
  assert_int_equal(r.model->forces[1].joint, 1);
  assert_true(r.model->forces[1].value[0].number == 2);
  unload(&r);
}

static void aliases_and_merge_keys(void **state) {
  (void)state;
  loaded r =
      load_good(HEAD "bodies:\n"
                     "  a$(i): &a {repeat: {i: [1, 2]}, mass: i, inertia: 1, points: {P$(i): "
                     "[i, 0]}}\n"
                     "  b$(i): *a\n"
                     "  c$(i): {<<: *a, mass: 10*i}\n",
                NULL);
  assert_int_equal(r.model->body_count, 6);
  assert_true(r.model->bodies[find_body(r.model, "b2")].mass == 2);
  assert_true(r.model->bodies[find_body(r.model, "c2")].mass == 20);
  assert_string_equal(r.model->bodies[find_body(r.model, "c1")].points[0].name, "P1");
  unload(&r);
}

static void places_are_those_of_the_template(void **state) {
  (void)state;
  loaded r = load_good(TWO "  last: {mass: 1, inertia: 1}\n", NULL);
  static const int lines[] = {4, 4, 5};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(r.model->bodies[i].origin.line, lines[i]);
    assert_int_equal(r.model->bodies[i].origin.column, 3);
  }
  assert_int_equal(strncmp(r.model->bodies[2].origin.source, "  last: {", 9), 0);
  unload(&r);
}

#define B(repeat, rest) HEAD "bodies:\n  b$(i): {repeat: " repeat ", " rest "}\n"

static void mistakes(void **state) {
  (void)state;
  const mistake all[] = {
      {B("3", "mass: 1, inertia: 1"), 4, 19, "body 'b$(i)': repeat: expected indices"},
      {B("{}", "mass: 1, inertia: 1"), 4, 19, "found none"},
      {B("{i: 3}", "mass: 1, inertia: 1"), 4, 23, "expected a list of 2 bounds"},
      {B("{i: [1, 2, 3]}", "mass: 1, inertia: 1"), 4, 23, "expected 2 bounds"},
      {B("{i: [1, 5/2]}", "mass: 1, inertia: 1"), 4, 27, "the bound is 2.5, it must be an integer"},
      {B("{i: [1, n]}", "mass: 1, inertia: 1"), 4, 27, "unknown name 'n'"},
      {B("{i: [1, 2], j: [1, i]}", "mass: 1, inertia: 1"), 4, 38, "unknown name 'i'"},
      {B("{2i: [1, 2]}", "mass: 1, inertia: 1"), 4, 20, "'2i' is no name for an index"},
      {B("{t: [1, 2]}", "mass: 1, inertia: 1"), 4, 20, "may not be called 't'"},
      {HEAD "parameters: {i: 1}\nbodies:\n  b$(i): {repeat: {i: [1, 2]}, mass: 1, inertia: 1}\n", 5,
       20, "may not be called 'i': there is a parameter of this name"},
      {B("{i: [1, 1e9]}", "mass: 1, inertia: 1"), 4, 19, "more than 1000000 repeated entries"},
      {B("{i: [1, 2000], j: [1, 2000]}", "mass: 1, inertia: 1"), 4, 19, "more than 1000000"},
      {B("{i: [1, 1e10]}", "mass: 1, inertia: 1"), 4, 27, "must be an integer"},
      {HEAD "bodies:\n  b: {repeat: {i: [1, 3]}, mass: 1, inertia: 1}\n", 4, 3,
       "body 'b': the name of a repeated entry holds its index: b$(i)"},
      {B("{i: [1, 3], j: [1, 2]}", "mass: 1, inertia: 1"), 4, 3, "body 'b1' is defined twice"},
      {HEAD "bodies:\n  b$(-i): {repeat: {i: [1, 3]}, mass: 1, inertia: 1}\n", 4, 3,
       "body 'b-1': 'b-1' is no name"},
      {HEAD "bodies:\n  b$(i/2): {repeat: {i: [2, 3]}, mass: 1, inertia: 1}\n", 4, 6,
       "$(i/2) is 1.5, it must be an integer"},
      {HEAD "bodies:\n  b$(k): {repeat: {i: [2, 3]}, mass: 1, inertia: 1}\n", 4, 6,
       "body 'b$(k)': unknown name 'k'"},
      {HEAD "bodies:\n  b$(i: {repeat: {i: [2, 3]}, mass: 1, inertia: 1}\n", 4, 4,
       "the '$(' opened here is not closed"},
      /* in what is repeated */
      {B("{i: [1, 9]}", "mass: 4 - i, inertia: 1"), 4, 38, "body 'b4': mass is 0"},
      {B("{i: [1, 9]}", "mass: sqrt(4 - i), inertia: 1"), 4, 38, "body 'b5': mass: sqrt(-1)"},
      {B("{i: [1, 9]}", "mass: 1 + ma, inertia: 1"), 4, 42, "body 'b1': mass: unknown name 'ma'"},
      {B("{i: [1, 9]}", "masss: 1, inertia: 1"), 4, 32, "body 'b1': unknown key 'masss'"},
      {B("{i: [1, 9]}", "inertia: 1"), 4, 3, "body 'b1': missing key 'mass'"},
      {B("{i: [1, 9]}", "mass: 1, inertia: 1, points: {x: [0, 0]}"), 4, 62,
       "a point may not be called 'x'"},
      {B("{i: [1, 9]}", "mass: 1, inertia: 1, points: {P$(i/0): [0, 0]}"), 4, 66,
       "body 'b1': division by zero"},
      {B("{i: [1, 9]}", "mass: 1, inertia: 1, shape: {rod: [A, B$(i)]}, points: {A: [0, 0]}"), 4,
       70, "body 'b1' has no point 'B1'"},
      {TWO "joints:\n  j$(i): {repeat: {i: [1, 9]}, type: revolute, connect: [ground, b$(i)]}\n", 6,
       66, "joint 'j3': unknown body 'b3'"},
      {TWO "joints:\n  j$(i): {repeat: {i: [1, 2]}, type: revolut, connect: [ground, b$(i)]}\n", 6,
       38, "joint 'j1': unknown joint type 'revolut', did you mean 'revolute'?"},
      /* the place in a formula is that of the file, not of the text made of it */
      {TWO "forces:\n  f$(100*i): {repeat: {i: [1, 2]}, type: torque, body: b$(i), value: "
           "b$(i + 1 - 1).omega*i + q}\n",
       6, 94, "force 'f100': unknown name 'q'"},
      {TWO "forces:\n  f$(i): {repeat: {i: [1, 2]}, type: torque, body: b$(i), value: "
           "100*i*i - b$(i).omeg}\n",
       6, 76, "body 'b1' has no measure 'omeg', did you mean 'omega'?"},
      {TWO "joints:\n  c$(i): {repeat: {i: [1, 2]}, type: coordinate, sum: {b$(i).angl: 1}, "
           "value: 0}\n",
       6, 56, "joint 'c1'"},
      {TWO "forces: {f: {type: force, point: b$(1/2).P, value: [0, 0]}}\n", 5, 37,
       "force 'f': $(1/2) is 0.5, it must be an integer"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) expect_one(&all[i]);
}

/* Different mistakes of one template are told together. */
static void different_mistakes_are_all_told(void **state) {
  (void)state;
  loaded r = load_text(B("{i: [1, 100]}", "mass: 3 - i, inertia: 50 - i, angle: foo"), NULL);
  assert_int_equal(trm_diagnostics_errors(r.diagnostics), 3);
  assert_non_null(strstr(trm_diagnostics_get(r.diagnostics, 0)->message, "'b3': mass is 0"));
  assert_non_null(strstr(trm_diagnostics_get(r.diagnostics, 1)->message, "'b51': inertia is -1"));
  assert_non_null(strstr(trm_diagnostics_get(r.diagnostics, 2)->message, "'b1': angle"));
  unload(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_equals_the_one_written_out),
      cmocka_unit_test(parameters_set_the_number),
      cmocka_unit_test(two_indices_give_a_grid),
      cmocka_unit_test(an_empty_range_gives_nothing),
      cmocka_unit_test(formulas_know_the_index),
      cmocka_unit_test(references_of_all_kinds),
      cmocka_unit_test(aliases_and_merge_keys),
      cmocka_unit_test(places_are_those_of_the_template),
      cmocka_unit_test(mistakes),
      cmocka_unit_test(different_mistakes_are_all_told),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
