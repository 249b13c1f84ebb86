/* The summary as JSON: its keys, its strings, its numbers. */
#define _POSIX_C_SOURCE 200809L
#include <trammel/results.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const trm_summary example = {.model = "models/four_bar.yaml",
                                    .name = "Four-bar",
                                    .space = "planar",
                                    .coordinates = "natural",
                                    .solver = "augmented",
                                    .stabilization = "direct",
                                    .energy = "free",
                                    .integrator = "ab6",
                                    .step = 1e-3,
                                    .duration = 0.1,
                                    .status = "completed",
                                    .message = "",
                                    .time_reached = 1.0 / 3,
                                    .steps = 5000,
                                    .max_energy_error = NAN,
                                    .real_time_factor = INFINITY,
                                    .version = "0.1.0"};

static char text[4096];

static const char *written(const trm_summary *summary) {
  char path[] = "/tmp/trm_summary_XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  trm_status status = trm_summary_write_json(summary, path, NULL);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  unlink(path);
  assert_int_equal(status, TRM_OK);
  return text;
}

static void keys_are_those_of_the_contract(void **state) {
  (void)state;
  static const char *const keys[] = {"model",
                                     "name",
                                     "space",
                                     "coordinates",
                                     "solver",
                                     "stabilization",
                                     "energy",
                                     "integrator",
                                     "step",
                                     "duration",
                                     "status",
                                     "message",
                                     "time_reached",
                                     "estimated_error",
                                     "steps",
                                     "evaluations",
                                     "bodies",
                                     "generalized_coordinates",
                                     "constraints",
                                     "redundant_constraints",
                                     "degrees_of_freedom",
                                     "wall_seconds",
                                     "cpu_seconds",
                                     "real_time_factor",
                                     "max_position_violation",
                                     "max_velocity_violation",
                                     "energy_initial",
                                     "energy_final",
                                     "max_energy_error",
                                     "version"};
  const char *place = written(&example);
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    char line[64];
    snprintf(line, sizeof line, "\n  \"%s\": ", keys[k]);
    place = strstr(place, line);
    assert_non_null(place);
  }
  assert_string_equal(place, "\n  \"version\": \"0.1.0\"\n}\n");
}

static void expect(const trm_summary *summary, const char *part) {
  if (!strstr(written(summary), part)) fail_msg("no %s in %s", part, text);
}

static void numbers_are_short_and_exact(void **state) {
  (void)state;
  expect(&example, "\"step\": 0.001,");
  expect(&example, "\"duration\": 0.1,");
  expect(&example, "\"time_reached\": 0.3333333333333333,");
  expect(&example, "\"steps\": 5000,");
  trm_summary other = example;
  other.step = nextafter(0.1, 1);
  expect(&other, "\"step\": 0.10000000000000002,");
}

static void what_is_no_number_is_null(void **state) {
  (void)state;
  expect(&example, "\"max_energy_error\": null,");
  expect(&example, "\"real_time_factor\": null,");
  trm_summary other = example;
  other.message = NULL;
  expect(&other, "\"message\": null,");
}

static void strings_are_escaped(void **state) {
  (void)state;
  trm_summary other = example;
  other.name = "a\"b\\c/\n\t\x01\x7f\x0b";
  expect(&other, "\"name\": \"a\\\"b\\\\c/\\n\\t\\u0001\\u007f\\u000b\",");
  other.name = "K\xc3\xbc"
               "be \xe2\x88\x9e \xf0\x9d\x9c\xb6";
  expect(&other, "\"name\": \"K\xc3\xbc"
                 "be \xe2\x88\x9e \xf0\x9d\x9c\xb6\",");
}

static void broken_utf8_is_replaced(void **state) {
  (void)state;
#define LOST "\xef\xbf\xbd"
  trm_summary other = example;
  other.name = "a\xff"
               "b\xc3";
  expect(&other, "\"name\": \"a" LOST "b" LOST "\",");
  other.name = "\xc0\xaf"
               "\xed\xa0\x80"; /* an overlong '/', a surrogate */
  expect(&other, "\"name\": \"" LOST LOST LOST LOST LOST "\",");
}

static void full_disk_is_an_error(void **state) {
  (void)state;
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  assert_int_equal(trm_summary_write_json(&example, "/dev/full", diagnostics), TRM_IO_ERROR);
  assert_int_equal(trm_diagnostics_errors(diagnostics), 1);
  assert_string_equal(trm_diagnostics_get(diagnostics, 0)->message,
                      "cannot write '/dev/full': No space left on device");
  trm_diagnostics_destroy(diagnostics);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_are_those_of_the_contract),
      cmocka_unit_test(numbers_are_short_and_exact),
      cmocka_unit_test(what_is_no_number_is_null),
      cmocka_unit_test(strings_are_escaped),
      cmocka_unit_test(broken_utf8_is_replaced),
      cmocka_unit_test(full_disk_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
