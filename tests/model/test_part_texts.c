/* Parts through the library: texts that are kept, parameters that change, places of later errors.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "load.h"

#include <trammel/trammel.h>

static const char part[] = "trammel: 1\n"
                           "parameters: {x: 1, gap: 0}\n"
                           "bodies: {b: {mass: 1, inertia: 1, position: [x, 0]}}\n"
                           "joints: {J: {type: rigid, connect: [ground, b]}}\n";
static const char whole[] = "trammel: 1\nspace: planar\n"
                            "parameters: {shift: 2}\n"
                            "include:\n"
                            "  - {file: part.yaml, prefix: p_, at: [shift, 0]}\n"
                            "  - {file: part.yaml, prefix: q_, at: [shift, 0], mirror: x}\n";

static void write_part(const char *text) {
  write_bytes(scratch_path("part.yaml"), text, strlen(text));
}

static void remove_part(void) {
  assert_int_equal(remove(scratch_path("part.yaml")), 0);
}

static void expect(trm_simulation *sim, const char *measure, double expected) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  int handle = trm_simulation_find(sim, measure, diagnostics);
  assert_true(handle >= 0);
  double off = fabs(trm_simulation_get(sim, handle) - expected);
  assert_true(off <= 1e-14);
  trm_diagnostics_destroy(diagnostics);
}

/* The files are read once: what changes them later changes no model. */
static void parameters_change_without_the_files(void **state) {
  (void)state;
  write_part(part);
  loaded m = load_text(whole, NULL);
  assert_non_null(m.model);
  remove_part();
  trm_status status;
  trm_simulation *sim = trm_simulation_create(m.model, NULL, m.diagnostics, &status);
  assert_non_null(sim);
  expect(sim, "p_b.x", 3);
  expect(sim, "q_b.x", 1);
  assert_int_equal(trm_simulation_set_parameter(sim, "q_x", 5, m.diagnostics), TRM_OK);
  expect(sim, "p_b.x", 3);
  expect(sim, "q_b.x", -3);
  assert_int_equal(trm_simulation_set_parameter(sim, "shift", 10, m.diagnostics), TRM_OK);
  expect(sim, "p_b.x", 11);
  expect(sim, "q_b.x", 5);
  assert_int_equal(trm_simulation_set_parameter(sim, "r_x", 5, m.diagnostics), TRM_BAD_USAGE);
  trm_simulation_destroy(sim);
  unload(&m);
}

/* A saved state fits the model it was saved from: a part that changed makes another one. */
static void states_know_the_parts(void **state) {
  (void)state;
  write_part(part);
  loaded m = load_text(whole, NULL);
  write_part("trammel: 1\n"
             "parameters: {x: 1, gap: 0}\n"
             "bodies: {b: {mass: 2, inertia: 1, position: [x, 0]}}\n"
             "joints: {J: {type: rigid, connect: [ground, b]}}\n");
  loaded other = load_text(whole, NULL);
  remove_part();
  trm_status status;
  trm_simulation *a = trm_simulation_create(m.model, NULL, m.diagnostics, &status);
  trm_simulation *b = trm_simulation_create(other.model, NULL, other.diagnostics, &status);
  assert_non_null(a);
  assert_non_null(b);
  static char bytes[1 << 20];
  size_t size = trm_simulation_save(a, bytes, sizeof bytes);
  assert_true(size > 0 && size <= sizeof bytes);
  assert_int_equal(trm_simulation_restore(a, bytes, size, m.diagnostics), TRM_OK);
  assert_int_not_equal(trm_simulation_restore(b, bytes, size, other.diagnostics), TRM_OK);
  trm_simulation_destroy(a);
  trm_simulation_destroy(b);
  unload(&m);
  unload(&other);
}

/* What only assembly finds is told at its place in the part, too. */
static void later_errors_have_their_place(void **state) {
  (void)state;
  write_part("trammel: 1\n"
             "bodies: {b: {mass: 1, inertia: 1}}\n"
             "joints:\n"
             "  J: {type: distance, connect: [ground, b], at: [0, 0]}\n");
  loaded m = load_text(whole, NULL);
  assert_null(m.model);
  const trm_diagnostic *d = trm_diagnostics_get(m.diagnostics, 0);
  assert_non_null(strstr(d->file, "part.yaml"));
  assert_int_equal(d->line, 4);
  assert_non_null(strstr(d->message, ":5:5)"));
  unload(&m);
  write_part("trammel: 1\n"
             "bodies: {b: {mass: 1, inertia: 1, position: [1, 0]}}\n"
             "joints:\n"
             "  J: {type: distance, connect: [ground, b], length: 2}\n"
             "  K: {type: rigid, connect: [ground, b]}\n");
  m = load_text(whole, NULL);
  assert_non_null(m.model);
  remove_part();
  trm_status status;
  assert_null(trm_simulation_create(m.model, NULL, m.diagnostics, &status));
  bool found = false;
  for (int i = 0; (d = trm_diagnostics_get(m.diagnostics, i)); i++)
    found |= d->file && strstr(d->file, "part.yaml") && d->line >= 4 &&
             strstr(d->message, "(included from ");
  assert_true(found);
  unload(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_change_without_the_files),
      cmocka_unit_test(states_know_the_parts),
      cmocka_unit_test(later_errors_have_their_place),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
