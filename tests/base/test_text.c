/* Names and spelling suggestions. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool is_name(const char *text) {
  return trm_is_name(text, strlen(text));
}

static void names_start_with_a_letter(void **state) {
  (void)state;
  assert_true(is_name("crank"));
  assert_true(is_name("B_2"));
  assert_true(trm_is_name("rod.B", 3));
  assert_false(is_name(""));
  assert_false(is_name("2B"));
  assert_false(is_name("_B"));
  assert_false(is_name("rod.B"));
  assert_false(is_name("spring-damper"));
  assert_false(is_name("\xc3\xa9"));
  assert_false(trm_is_name("a\0b", 3));
}

static const char *const keys[] = {"mass",     "inertia", "position",      "angle", "points",
                                   "velocity", "length",  "spring-damper", "vx",    "vy"};

static const char *nearest(const char *word) {
  return trm_nearest(word, keys, (int)(sizeof keys / sizeof *keys));
}

static void slips_find_what_was_meant(void **state) {
  (void)state;
  assert_string_equal(nearest("mas"), "mass");
  assert_string_equal(nearest("MASS"), "mass");
  assert_string_equal(nearest("angel"), "angle");
  assert_string_equal(nearest("lenght"), "length");
  assert_string_equal(nearest("intertia"), "inertia");
  assert_string_equal(nearest("spring_damper"), "spring-damper");
  assert_string_equal(nearest("velocities"), "velocity");
}

static void strangers_find_nothing(void **state) {
  (void)state;
  assert_null(nearest("colour"));
  assert_null(nearest("vz"));
  assert_null(nearest(""));
  assert_null(trm_nearest("mass", NULL, 0));
  char word[1000];
  memset(word, 'm', sizeof word);
  word[sizeof word - 1] = 0;
  assert_null(nearest(word));
}

static void the_nearest_of_several_wins(void **state) {
  (void)state;
  const char *const names[] = {"link10", "link1", "link2"};
  assert_string_equal(trm_nearest("link11", names, 3), "link10");
  assert_string_equal(trm_nearest("Link2", names, 3), "link2");
}

static void characters(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length;
  } cases[] = {{"a", 1},
               {"\xc3\xa9", 2},
               {"\xe2\x82\xac", 3},
               {"\xf0\x9f\x98\x80", 4},
               {"\x80", 0},              /* goes on, but nothing has begun */
               {"\xc3", 0},              /* ends early */
               {"\xc0\xaf", 0},          /* overlong */
               {"\xed\xa0\x80", 0},      /* surrogate */
               {"\xf4\x90\x80\x80", 0}}; /* beyond U+10FFFF */
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    assert_int_equal(trm_utf8_length(cases[k].text), cases[k].length);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_start_with_a_letter),
      cmocka_unit_test(slips_find_what_was_meant),
      cmocka_unit_test(strangers_find_nothing),
      cmocka_unit_test(the_nearest_of_several_wins),
      cmocka_unit_test(characters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
