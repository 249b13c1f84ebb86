/* Outliers of `compare --methods`, on made-up differences. */
#include "../../cli/trial_judge.c"

#include "../check.h"

enum { COORDINATES = 4, SOLVERS = 3, STABILIZATIONS = 2, RUNS = 48 };
static const char *const coordinates[] = {"natural", "angle", "euler-parameters", "cartesian"};
static const char *const solvers[] = {"udwadia-kalaba", "udwadia-kalaba-general", "augmented"};
static const char *const stabilizations[] = {"direct", "baumgarte"};
static const char *const integrators[] = {"ab6", "rk4"};

/* Sound runs: exact with ab6, an error constant of each coordinates' own with rk4. */
static trm_cli_trials sound(trm_cli_trial trials[RUNS]) {
  static const double constants[COORDINATES] = {2e-6, 3e-8, 1e-6, 2e-6};
  for (int k = 0; k < RUNS; k++) {
    int group = k / (COORDINATES * SOLVERS), c = k / SOLVERS % COORDINATES;
    trm_settings settings = trm_default_settings();
    settings.coordinates = coordinates[c];
    settings.solver = solvers[k % SOLVERS];
    settings.stabilization = stabilizations[group / 2];
    settings.integrator = integrators[group % 2];
    trials[k] = (trm_cli_trial){.settings = settings,
                                .state = TRM_TRIAL_DONE,
                                .position = 1e-15,
                                .difference = group % 2 ? constants[c] : 1e-12};
  }
  trials[0].difference = NAN;
  trials[0].difference_column = -1;
  return (trm_cli_trials){.count = RUNS, .trials = trials};
}

static trm_cli_trial *find(trm_cli_trials *all, int c, int s, int stabilization, int integrator) {
  return &all->trials[((stabilization * 2 + integrator) * COORDINATES + c) * SOLVERS + s];
}

static int outliers(trm_cli_trials *all) {
  trm_cli_judge_trials(all);
  return trm_cli_count_marks(all, TRM_MARK_OUTLIER);
}

static void test_sound_runs(void **state) {
  trm_cli_trial trials[RUNS];
  trm_cli_trials all = sound(trials);
  (void)state;
  assert_int_equal(outliers(&all), 0);
  assert_int_equal(trm_cli_count_marks(&all, TRM_MARK_LOST), 0);
}

static void test_one_solver(void **state) {
  trm_cli_trial trials[RUNS];
  trm_cli_trials all = sound(trials);
  trm_cli_trial *wrong = find(&all, 3, 2, 0, 1);
  (void)state;
  wrong->difference = 3e-5; /* 2e-6 is usual */
  assert_int_equal(outliers(&all), 1);
  assert_int_equal(wrong->mark, TRM_MARK_OUTLIER);
  assert_non_null(strstr(wrong->message, "3.00e-05, where 2.00e-06 is usual"));
}

/* Of three solvers two are one computation: they are not two witnesses against the third. */
static void test_same_runs(void **state) {
  trm_cli_trial trials[RUNS];
  trm_cli_trials all = sound(trials);
  (void)state;
  for (int k = 0; k < RUNS; k++) trials[k].print = (unsigned long long)k + 1;
  trm_cli_trial *general = find(&all, 2, 1, 0, 1), *augmented = find(&all, 2, 2, 0, 1);
  augmented->print = general->print;
  find(&all, 1, 0, 0, 1)->print = 0; /* it has none */
  find(&all, 1, 1, 0, 1)->print = 0;
  trm_cli_find_same(&all);
  assert_int_equal(trm_cli_count_states(&all, TRM_TRIAL_SAME), 1);
  assert_int_equal(augmented->state, TRM_TRIAL_SAME);
  assert_string_equal(augmented->message, "same as with udwadia-kalaba-general");
  augmented->difference = 1; /* nobody looks at it */
  assert_int_equal(outliers(&all), 0);
  assert_int_equal(trm_cli_count_marks(&all, TRM_MARK_LOST), 0);
}

static void test_one_formulation(void **state) {
  trm_cli_trial trials[RUNS];
  trm_cli_trials all = sound(trials);
  (void)state;
  for (int s = 0; s < SOLVERS; s++)
    for (int g = 0; g < 4; g++) find(&all, 1, s, g / 2, g % 2)->difference = 1e-4;
  assert_int_equal(outliers(&all), 4 * SOLVERS);
  assert_int_equal(find(&all, 1, 0, 0, 0)->mark, TRM_MARK_OUTLIER);
}

/* All others are equally far from the first, whatever the method. */
static void test_first_formulation(void **state) {
  trm_cli_trial trials[RUNS];
  trm_cli_trials all = sound(trials);
  (void)state;
  for (int k = 0; k < RUNS; k++)
    if (!same_coordinates(&trials[k], &trials[0])) trials[k].difference = 1e-4;
  assert_int_equal(outliers(&all), 1);
  assert_int_equal(trials[0].mark, TRM_MARK_OUTLIER);
}

static void test_violations(void **state) {
  trm_cli_trial trials[RUNS];
  trm_cli_trials all = sound(trials);
  (void)state;
  find(&all, 2, 1, 0, 0)->position = 2e-9; /* the tolerance is 1e-10 */
  find(&all, 2, 1, 1, 0)->position = 1e-4; /* baumgarte promises nothing */
  find(&all, 2, 2, 0, 0)->position = NAN;
  assert_int_equal(outliers(&all), 2);
  assert_int_equal(find(&all, 2, 1, 0, 0)->mark, TRM_MARK_OUTLIER);
  assert_int_equal(find(&all, 2, 2, 0, 0)->mark, TRM_MARK_OUTLIER);
}

static void test_failures(void **state) {
  trm_cli_trial trials[RUNS];
  trm_cli_trials all = sound(trials);
  (void)state;
  find(&all, 0, 1, 0, 1)->state = TRM_TRIAL_FAILED;
  find(&all, 0, 2, 0, 1)->state = TRM_TRIAL_REFUSED;
  find(&all, 1, 2, 0, 1)->state = TRM_TRIAL_WAITING;
  assert_int_equal(outliers(&all), 1);
  assert_int_equal(find(&all, 0, 1, 0, 1)->mark, TRM_MARK_OUTLIER);
}

/* Where most of a group fail or run away it is the method's fault, not a run's. */
static void test_lost(void **state) {
  trm_cli_trial trials[RUNS];
  trm_cli_trials all = sound(trials);
  (void)state;
  for (int c = 0; c < COORDINATES; c++) {
    find(&all, c, 0, 1, 1)->state = TRM_TRIAL_FAILED;
    find(&all, c, 1, 1, 1)->difference = 0.5;
  }
  assert_int_equal(outliers(&all), 0);
  assert_int_equal(trm_cli_count_marks(&all, TRM_MARK_LOST), 8);
}

static void test_all_lost(void **state) {
  trm_cli_trial trials[RUNS];
  trm_cli_trials all = sound(trials);
  (void)state;
  for (int k = 1; k < RUNS; k++) trials[k].difference = 0.5;
  assert_int_equal(outliers(&all), RUNS - 1);
}

/* What is no number is no agreement, also where all runs of a kind are so. */
static void test_no_number(void **state) {
  trm_cli_trial trials[RUNS];
  trm_cli_trials all = sound(trials);
  (void)state;
  find(&all, 3, 2, 0, 1)->difference = NAN;
  assert_int_equal(outliers(&all), 1);
  assert_non_null(strstr(find(&all, 3, 2, 0, 1)->message, "not finite"));
  all = sound(trials);
  for (int k = 1; k < RUNS; k++) trials[k].difference = NAN;
  assert_int_equal(outliers(&all), RUNS - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sound_runs),        cmocka_unit_test(test_one_solver),
      cmocka_unit_test(test_same_runs),         cmocka_unit_test(test_one_formulation),
      cmocka_unit_test(test_first_formulation), cmocka_unit_test(test_violations),
      cmocka_unit_test(test_failures),          cmocka_unit_test(test_lost),
      cmocka_unit_test(test_all_lost),          cmocka_unit_test(test_no_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
