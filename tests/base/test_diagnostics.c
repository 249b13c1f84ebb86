/* Collecting and writing messages. */
#include "base/diagnostics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_text(const trm_diagnostics *diagnostics, int index, const char *expected) {
  char text[2000];
  size_t length = trm_diagnostic_format(trm_diagnostics_get(diagnostics, index), text, sizeof text);
  assert_string_equal(text, expected);
  assert_int_equal(length, strlen(expected));
}

static void errors_are_counted_apart(void **state) {
  (void)state;
  trm_diagnostics *d = trm_diagnostics_create();
  for (int i = 0; i < 100; i++) trm_report(d, i % 4 ? TRM_WARNING : TRM_ERROR, "number %d", i);
  assert_int_equal(trm_diagnostics_count(d), 100);
  assert_int_equal(trm_diagnostics_errors(d), 25);
  assert_string_equal(trm_diagnostics_get(d, 99)->message, "number 99");
  assert_null(trm_diagnostics_get(d, 100));
  assert_null(trm_diagnostics_get(d, -1));
  trm_diagnostics_clear(d);
  assert_int_equal(trm_diagnostics_count(d) + trm_diagnostics_errors(d), 0);
  trm_report(d, TRM_NOTE, "again");
  assert_text(d, 0, "note: again\n");
  trm_diagnostics_destroy(d);
}

static void a_place_shows_its_line_and_a_caret(void **state) {
  (void)state;
  trm_diagnostics *d = trm_diagnostics_create();
  char source[] = "    mass: -1\n    inertia: 1\n";
  trm_place place = {"slider.yaml", 12, 11, source, NULL};
  trm_report_place(d, TRM_ERROR, place, "body '%s': mass is %d, it must be positive", "crank", -1);
  source[4] = 'X'; /* the text is copied */
  assert_text(d, 0,
              "slider.yaml:12:11: error: body 'crank': mass is -1, it must be positive\n"
              "      mass: -1\n"
              "            ^\n");
  trm_diagnostics_destroy(d);
}

static void carets_count_characters_and_keep_tabs(void **state) {
  (void)state;
  trm_diagnostics *d = trm_diagnostics_create();
  trm_place place = {"m.yaml", 1, 4, "\t\xc3\xa9=x\r\n", NULL};
  trm_report_place(d, TRM_WARNING, place, "here");
  assert_text(d, 0, "m.yaml:1:4: warning: here\n  \t\xc3\xa9=x\n  \t  ^\n");
  trm_diagnostics_destroy(d);
}

static void control_characters_never_reach_the_terminal(void **state) {
  (void)state;
  trm_diagnostics *d = trm_diagnostics_create();
  trm_place place = {"m.yaml", 1, 1, "\x1b[31m", NULL};
  trm_report_place(d, TRM_ERROR, place, "unknown key '%s'", "a\nb\x1b");
  assert_text(d, 0, "m.yaml:1:1: error: unknown key 'a b?'\n  ?[31m\n  ^\n");
  trm_diagnostics_destroy(d);
}

static void a_huge_line_is_cut_between_characters(void **state) {
  (void)state;
  trm_diagnostics *d = trm_diagnostics_create();
  static char line[100000];
  for (size_t i = 0; i + 3 < sizeof line; i += 3) memcpy(line + i, "\xe2\x82\xac", 3);
  trm_report_place(d, TRM_ERROR, (trm_place){"m.yaml", 1, 90000, line, NULL}, "far out");
  size_t length = strlen(trm_diagnostics_get(d, 0)->source);
  assert_true(length > 100 && length < 1000);
  assert_int_equal(length % 3, 0);
  assert_true(trm_diagnostic_format(trm_diagnostics_get(d, 0), NULL, 0) < 2000);
  trm_diagnostics_destroy(d);
}

static trm_place locate(void *context, const char *path, size_t offset) {
  if (strcmp(path, "bodies/crank/mass") != 0) return (trm_place){0};
  return (trm_place){context, 3, 7 + (int)offset, "mass: 1/0", NULL};
}

static void paths_become_places_while_a_locator_is_set(void **state) {
  (void)state;
  trm_diagnostics *d = trm_diagnostics_create();
  char file[] = "m.yaml";
  trm_diagnostics_set_locator(d, locate, file);
  trm_report_path(d, TRM_ERROR, "bodies/crank/mass", 1, "division by zero");
  trm_report_path(d, TRM_ERROR, "joints/A", 0, "cannot close");
  trm_diagnostics_set_locator(d, NULL, NULL);
  trm_report_path(d, TRM_ERROR, "bodies/crank/mass", 1, "division by zero");
  assert_text(d, 0, "m.yaml:3:8: error: division by zero\n  mass: 1/0\n         ^\n");
  assert_text(d, 1, "error: joints/A: cannot close\n");
  assert_text(d, 2, "error: bodies/crank/mass: division by zero\n");
  trm_diagnostics_destroy(d);
}

static void a_short_buffer_gets_what_fits(void **state) {
  (void)state;
  trm_diagnostics *d = trm_diagnostics_create();
  trm_report_place(d, TRM_ERROR, (trm_place){"m.yaml", 2, 3, "abc", NULL}, "message");
  char text[12] = "";
  size_t needed = strlen("m.yaml:2:3: error: message\n  abc\n    ^\n");
  assert_int_equal(trm_diagnostic_format(trm_diagnostics_get(d, 0), text, sizeof text), needed);
  assert_string_equal(text, "m.yaml:2:3:");
  trm_diagnostics_destroy(d);
}

static void nobody_listening_is_fine(void **state) {
  (void)state;
  trm_report(NULL, TRM_ERROR, "x");
  trm_report_path(NULL, TRM_ERROR, "a/b", 0, "x");
  trm_report_place(NULL, TRM_ERROR, (trm_place){0}, "x");
  trm_diagnostics_set_locator(NULL, locate, NULL);
  trm_diagnostics_clear(NULL);
  trm_diagnostics_destroy(NULL);
  assert_int_equal(trm_diagnostics_count(NULL), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_counted_apart),
      cmocka_unit_test(a_place_shows_its_line_and_a_caret),
      cmocka_unit_test(carets_count_characters_and_keep_tabs),
      cmocka_unit_test(control_characters_never_reach_the_terminal),
      cmocka_unit_test(a_huge_line_is_cut_between_characters),
      cmocka_unit_test(paths_become_places_while_a_locator_is_set),
      cmocka_unit_test(a_short_buffer_gets_what_fits),
      cmocka_unit_test(nobody_listening_is_fine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
