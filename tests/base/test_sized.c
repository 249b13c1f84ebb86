/* Programs built with another version of the headers: shorter and longer structs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <trammel/trammel.h>

#include <cmocka.h>

static void test_shorter_settings_keep_the_defaults_of_what_they_lack(void **state) {
  (void)state;
  trm_settings old = trm_default_settings();
  old.size = offsetof(trm_settings, rtol);
  old.rtol = 0.5; /* what lies behind an old program's struct */
  old.step = 0.25;
  trm_settings now = trm_settings_resolve(&old);
  assert_true(now.size == sizeof now);
  assert_true(now.rtol == 1e-10);
  assert_true(now.step == 0.25);
}

static void test_nothing_is_written_behind_a_shorter_struct(void **state) {
  (void)state;
  trm_settings room;
  memset(&room, 0x5a, sizeof room);
  size_t size = offsetof(trm_settings, rtol);
  trm_settings_init(&room, size);
  assert_true(room.size == size);
  const unsigned char *bytes = (const unsigned char *)&room;
  for (size_t i = size; i < sizeof room; i++) assert_int_equal(bytes[i], 0x5a);
  trm_diagnostics *d = trm_diagnostics_create();
  assert_int_equal(trm_settings_set(&room, "step", "0.5", d), TRM_OK);
  assert_int_equal(trm_settings_set(&room, "rtol", "0.5", d), TRM_BAD_USAGE);
  for (size_t i = size; i < sizeof room; i++) assert_int_equal(bytes[i], 0x5a);
  trm_diagnostics_destroy(d);
}

static void test_a_longer_struct_is_taken(void **state) {
  (void)state;
  struct {
    trm_body_def body;
    double later;
  } newer;
  trm_body_init(&newer.body, sizeof newer);
  assert_true(newer.body.size == sizeof newer);
  assert_true(newer.later == 0);
  newer.body.name = "crank";
  newer.body.mass = 2;
  newer.body.inertia[2] = 1;
  newer.later = 7;
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_diagnostics *d = trm_diagnostics_create();
  trm_model_add_body(model, &newer.body);
  assert_int_equal(trm_model_finish(model, d), TRM_OK);
  assert_string_equal(trm_model_body_name(model, 0), "crank");
  trm_model_destroy(model);
  trm_diagnostics_destroy(d);
}

static void test_structs_without_a_size_are_refused(void **state) {
  (void)state;
  trm_diagnostics *d = trm_diagnostics_create();
  const trm_settings settings = {0};
  assert_int_equal(trm_settings_check(&settings, d), TRM_BAD_USAGE);
  trm_model *model = trm_model_create(TRM_PLANAR);
  const trm_body_def body = {.name = "crank", .mass = 1};
  trm_model_add_body(model, &body);
  assert_int_equal(trm_model_finish(model, d), TRM_BAD_USAGE);
  const trm_plot plot = {.width = 100};
  assert_int_equal(trm_plot_write_svg(&plot, "-", d), TRM_BAD_USAGE);
  assert_true(trm_diagnostics_errors(d) == 3);
  for (int i = 0; i < 3; i++)
    assert_non_null(strstr(trm_diagnostics_get(d, i)->message, "begin with trm_default_"));
  trm_model_destroy(model);
  trm_diagnostics_destroy(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shorter_settings_keep_the_defaults_of_what_they_lack),
      cmocka_unit_test(test_nothing_is_written_behind_a_shorter_struct),
      cmocka_unit_test(test_a_longer_struct_is_taken),
      cmocka_unit_test(test_structs_without_a_size_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
