/* Settings: defaults, text to values, ranges, and the tables for help. */
#include "slider.h"

static void defaults(void **state) {
  (void)state;
  trm_settings s = trm_default_settings();
  assert_string_equal(s.coordinates, "auto");
  assert_string_equal(s.solver, "auto");
  assert_string_equal(s.stabilization, "direct");
  assert_string_equal(s.weighting, "mass");
  assert_string_equal(s.integrator, "auto");
  assert_near(s.duration, 1);
  assert_near(s.step, TRM_UNSET);
  assert_near(s.output_step, 0);
  assert_near(s.tolerance, 1e-10);
  assert_int_equal(trm_settings_check(&s, NULL), TRM_OK);
}

static void check_choice(const char *integrator, const char *stepping, double step, double rtol,
                         trm_settings expected) {
  trm_settings s = trm_default_settings();
  s.integrator = integrator;
  s.stepping = stepping;
  s.step = step;
  s.rtol = rtol;
  s = trm_settings_resolve(&s);
  assert_string_equal(s.integrator, expected.integrator);
  assert_near(s.rtol, expected.rtol);
  assert_near(s.atol, expected.atol);
}

static void what_is_not_given_is_chosen(void **state) {
  (void)state;
  const double none = TRM_UNSET;
  check_choice("auto", "auto", none, none,
               (trm_settings){.integrator = "dop853", .rtol = 1e-10, .atol = 1e-13});
  check_choice("auto", "auto", none, 1e-4,
               (trm_settings){.integrator = "dop853", .rtol = 1e-4, .atol = 1e-9});
  check_choice("auto", "auto", 1e-3, none,
               (trm_settings){.integrator = "rk4", .rtol = 1e-10, .atol = 1e-13});
  check_choice("auto", "fixed", none, none,
               (trm_settings){.integrator = "rk4", .rtol = 1e-10, .atol = 1e-13});
  check_choice("bdf", "auto", none, none,
               (trm_settings){.integrator = "bdf", .rtol = 1e-6, .atol = 1e-9});
}

static void every_method_can_be_set(void **state) {
  (void)state;
  for (int i = 0; i < trm_method_count(); i++) {
    const trm_method *m = trm_method_get(i);
    trm_settings s = trm_default_settings();
    char value[32];
    snprintf(value, sizeof value, "%s", m->name);
    assert_int_equal(trm_settings_set(&s, m->key, value, NULL), TRM_OK);
    const struct {
      const char *key, *value;
    } fields[] = {{"coordinates", s.coordinates},
                  {"solver", s.solver},
                  {"stabilization", s.stabilization},
                  {"weighting", s.weighting},
                  {"energy", s.energy},
                  {"integrator", s.integrator},
                  {"stepping", s.stepping},
                  {"linear", s.linear},
                  {"constraint-inertia", s.constraint_inertia}};
    int found = 0;
    for (int k = 0; k < 9; k++) /* the table's own string */
      found += strcmp(fields[k].key, m->key) == 0 && fields[k].value == m->name;
    assert_int_equal(found, 1);
    assert_true(strlen(m->when) > 10);
  }
  assert_null(trm_method_get(-1));
  assert_null(trm_method_get(trm_method_count()));
}

static void numbers_are_expressions(void **state) {
  (void)state;
  trm_settings s = trm_default_settings();
  assert_int_equal(trm_settings_set(&s, "step", "1/1000", NULL), TRM_OK);
  assert_int_equal(trm_settings_set(&s, "duration", "2*pi", NULL), TRM_OK);
  assert_int_equal(trm_settings_set(&s, "output-step", "1e-2", NULL), TRM_OK);
  assert_int_equal(trm_settings_set(&s, "tolerance", "1e-12", NULL), TRM_OK);
  assert_true(s.step == 1.0 / 1000);
  assert_near(s.duration, 8 * quarter_pi);
  assert_true(s.output_step == 1e-2);
  assert_true(s.tolerance == 1e-12);
}

static void assert_refused(const char *key, const char *value, const char *path, const char *part) {
  trm_settings s = trm_default_settings(), before = s;
  trm_diagnostics *d = start();
  assert_int_equal(trm_settings_set(&s, key, value, d), TRM_BAD_USAGE);
  assert_int_equal(trm_diagnostics_errors(d), 1);
  assert_non_null(find_message(d, path, part));
  assert_ptr_equal(s.integrator, before.integrator);
  trm_diagnostics_destroy(d);
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  assert_refused("stpe", "1", "simulate/stpe", "unknown key 'stpe', did you mean 'step'?");
  assert_refused("zzz", "1", "simulate/zzz", "unknown key 'zzz'");
  assert_refused(
      "coordinates", "natrual", "simulate/coordinates",
      "unknown coordinates 'natrual', did you mean 'natural'? It is one of auto, natural, angle");
  assert_refused(
      "integrator", "gear", "simulate/integrator",
      "unknown integrator 'gear'; it must be one of auto, euler, rk4, rk6, ab2, ab3, ab4, ab5, "
      "ab6");
  assert_refused("step", "1/", "simulate/step", "step: ");
  assert_refused("step", "h", "simulate/step", "unknown name 'h'");
  assert_refused("step", "", "simulate/step", "step: ");
  assert_refused("step", "-1", "simulate/step", "step is -1, it must be positive");
  assert_refused("alpha", "-5", "simulate/alpha", "alpha is -5, it must not be negative");
  assert_refused("beta", "-1", "simulate/beta", "beta is -1, it must not be negative");
  assert_refused("atol", "0", "simulate/atol", "atol is 0, it must be positive");
}

static void assert_out_of_range(trm_settings s, const char *path, const char *part) {
  trm_diagnostics *d = start();
  assert_int_equal(trm_settings_check(&s, d), TRM_BAD_USAGE);
  assert_int_equal(trm_diagnostics_errors(d), 1);
  assert_non_null(find_message(d, path, part));
  trm_diagnostics_destroy(d);
}

static void ranges(void **state) {
  (void)state;
  trm_settings s = trm_default_settings();
  s.duration = 0; /* the start only */
  assert_int_equal(trm_settings_check(&s, NULL), TRM_OK);
  s.duration = -1;
  assert_out_of_range(s, "simulate/duration", "duration is -1, it must not be negative");
  s = trm_default_settings();
  s.step = 0;
  assert_out_of_range(s, "simulate/step", "step is 0, it must be positive");
  s.step = -0.1;
  assert_out_of_range(s, "simulate/step", "step is -0.1, it must be positive");
  s.step = 1e-300;
  assert_out_of_range(s, "simulate/step", "too small for a duration of 1");
  s.step = NAN;
  assert_out_of_range(s, "simulate/step", "NaN or infinite");
  s = trm_default_settings();
  s.rtol = s.atol = 1e-30; /* steps without an end */
  assert_out_of_range(s, "simulate/rtol",
                      "rtol is 1e-30 and atol is 1e-30, which is beyond double");
  s.rtol = 0;
  assert_out_of_range(s, "simulate/rtol", "one of them must be 1e-16 at least");
  s = trm_default_settings();
  s.output_step = -1;
  assert_out_of_range(s, "simulate/output-step", "must not be negative");
  s = trm_default_settings();
  s.tolerance = 0;
  assert_out_of_range(s, "simulate/tolerance", "tolerance is 0, it must be positive");
  s = trm_default_settings();
  s.spectral_radius = 1.5;
  assert_out_of_range(s, "simulate/spectral-radius", "it must be from 0 to 1");
  s = trm_default_settings();
  s.threads = 0;
  assert_out_of_range(s, "simulate/threads", "it must be a whole number from 1 to 256");
  s.threads = 2.5;
  assert_out_of_range(s, "simulate/threads", "threads is 2.5, it must be a whole number");
  s = trm_default_settings();
  s.solver = "magic";
  assert_out_of_range(s, "simulate/solver", "it must be one of auto, udwadia-kalaba, ");
  s.solver = NULL;
  assert_out_of_range(s, "simulate/solver", "unknown solver");
}

static void keys_for_help(void **state) {
  (void)state;
  static const char *const expected[] = {
      "coordinates",     "solver",     "stabilization", "weighting",   "energy",
      "conserve",        "integrator", "stepping",      "linear",      "constraint-inertia",
      "spectral-radius", "duration",   "step",          "output-step", "tolerance",
      "alpha",           "beta",       "rtol",          "atol",        "threads"};
  const int count = (int)(sizeof expected / sizeof *expected);
  assert_int_equal(trm_key_count(), count);
  for (int i = 0; i < count; i++) {
    assert_string_equal(trm_key_get(i)->name, expected[i]);
    assert_true(strlen(trm_key_get(i)->argument) > 0 && strlen(trm_key_get(i)->help) > 10);
  }
  assert_null(trm_key_get(count));
  assert_null(trm_key_get(-1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults),
      cmocka_unit_test(what_is_not_given_is_chosen),
      cmocka_unit_test(every_method_can_be_set),
      cmocka_unit_test(numbers_are_expressions),
      cmocka_unit_test(what_is_wrong_is_said),
      cmocka_unit_test(ranges),
      cmocka_unit_test(keys_for_help),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
