/* radau5: its coefficients, its order, stiff systems, both kinds of Jacobian, and what it says
 * where it stops. */
#include "integrator/radau5.h"

#include "pushed.h"
#include "sundials.h"

/* --- coefficients --- */

/* Σⱼ aᵢⱼ cⱼ^(k−1) = cᵢ^k/k for k ≤ 3, and for the weights, the last row, up to k = 5. */
static void collocation(void **state) {
  (void)state;
  trm_radau_table t = trm_radau_coefficients();
  for (int k = 1; k <= 5; k++)
    for (int i = k <= 3 ? 0 : 2; i < 3; i++) {
      double sum = 0;
      for (int j = 0; j < 3; j++) sum += t.A[i][j] * pow(t.c[j], k - 1);
      assert_near(sum, pow(t.c[i], k) / k, 1e-15);
    }
  double sixth = 0;
  for (int j = 0; j < 3; j++) sixth += t.A[2][j] * pow(t.c[j], 5);
  assert_true(fabs(sixth - 1 / 6.0) > 1e-4);
  for (int k = 1; k <= 3; k++) { /* u = s^k is its own collocation polynomial */
    double slope = 0;
    for (int j = 0; j < 3; j++) slope += t.slope[j] * pow(t.c[j], k);
    assert_near(slope, k == 1, 1e-14);
  }
}

/* A⁻¹ A = 1, T⁻¹T = 1, and T⁻¹A⁻¹T has the eigenvalues on its diagonal. */
static void transformation(void **state) {
  (void)state;
  trm_radau_table t = trm_radau_coefficients();
  double im = t.complex[1];
  const double lambda[3][3] = {{t.real, 0, 0}, {0, t.complex[0], -im}, {0, im, t.complex[0]}};
  for (int i = 0; i < 9; i++) {
    int row = i / 3, column = i % 3;
    double inverse = 0, identity = 0, split = 0;
    for (int j = 0; j < 3; j++) {
      inverse += t.inverse_A[row][j] * t.A[j][column];
      identity += t.inverse_T[row][j] * t.T[j][column];
      for (int k = 0; k < 3; k++) split += t.inverse_T[row][j] * t.inverse_A[j][k] * t.T[k][column];
    }
    assert_near(inverse, row == column, 1e-14);
    assert_near(identity, row == column, 1e-14);
    assert_near(split, lambda[row][column], 2e-14);
  }
}

/* R(∞) = 1 − bᵀA⁻¹1 = 0 */
static void l_stable(void **state) {
  (void)state;
  trm_radau_table t = trm_radau_coefficients();
  double rest = 1;
  for (int j = 0; j < 9; j++) rest -= t.A[2][j / 3] * t.inverse_A[j / 3][j % 3];
  assert_near(rest, 0, 1e-14);
}

/* --- runs --- */

static trm_settings fixed(const trm_model *model, double step) {
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = "radau5";
  settings.stepping = "fixed";
  settings.step = step;
  settings.output_step = 0.1;
  return settings;
}

static double error_of(const trm_model *model, const trm_settings *settings, const char *name,
                       trm_summary *summary) {
  char path[80];
  snprintf(path, sizeof path, "models/reference/%s.csv", name);
  trm_results *reference = run_reference(path);
  trm_results *results = run_model(model, settings, summary);
  double off = run_difference(results, reference, settings->duration);
  trm_results_destroy(results);
  trm_results_destroy(reference);
  return off;
}

/* Against elliptic functions, in every formulation. */
static void fifth_order(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum.yaml");
  for (int c = 0; c < RUN_FORMULATIONS; c++) {
    trm_summary summary;
    trm_settings settings = fixed(model, 0.05);
    settings.coordinates = run_formulations[c];
    double coarse = error_of(model, &settings, "pendulum", &summary);
    assert_int_equal(summary.steps, (long)(settings.duration / 0.05 + 0.5));
    settings.step = 0.025;
    double fine = error_of(model, &settings, "pendulum", &summary);
    print_message("%-16s %.2e %.2e order %.2f\n", run_formulations[c], coarse, fine,
                  log2(coarse / fine));
    assert_near(log2(coarse / fine), 5, 0.3);
    assert_true(summary.max_position_violation <= 1e-11);
    assert_true(summary.jacobians < summary.newton_iterations);
    assert_int_equal(summary.step_cuts, 0);
  }
  trm_model_destroy(model);
}

static void error_follows_the_tolerance(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum.yaml");
  for (int c = 0; c < RUN_FORMULATIONS; c++) {
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
      trm_summary summary;
      trm_settings settings = sundials_settings(model, "radau5", fine ? 1e-9 : 1e-6);
      settings.coordinates = run_formulations[c];
      settings.output_step = 0.1;
      error[fine] = error_of(model, &settings, "pendulum", &summary);
      assert_true(summary.max_position_violation <= 1e-11);
      assert_true(summary.max_velocity_violation <= 1e-12);
    }
    print_message("%-16s %.1e, %.1e\n", run_formulations[c], error[0], error[1]);
    assert_true(error[0] <= 5e-4 && error[1] <= 5e-7 && error[1] < error[0] / 100);
  }
  trm_model_destroy(model);
}

/* 004, example 4: springs and dampers whose modes decay at 8000 1/s, at steps of 1/20 s. */
static void stiff(void **state) {
  (void)state;
  static const char *const coordinates[] = {"natural", "euler-parameters"};
  trm_model *model = run_load("models/flyball_governor.yaml");
  for (int k = 0; k < 4; k++) {
    trm_summary summary;
    trm_settings settings = fixed(model, 0.05);
    if (k % 2) settings = sundials_settings(model, "radau5", 1e-5);
    settings.coordinates = coordinates[k / 2];
    settings.duration = 3;
    settings.output_step = 0.1;
    double error = error_of(model, &settings, "flyball_governor", &summary);
    print_message("%s, %s: %.1e, %ld steps, %ld Jacobians\n", coordinates[k / 2],
                  k % 2 ? "variable" : "fixed", error, summary.steps, summary.jacobians);
    assert_true(error <= 2e-4 && summary.steps <= 300 && summary.step_cuts == 0);
  }
  trm_model_destroy(model);
}

/* One linear problem by four ways: LAPACK and sparse factors, and their complex and stacked kin. */
static void dense_is_the_same(void **state) {
  (void)state;
  static const char *const models[] = {"models/flyball_governor.yaml", "models/peaucellier.yaml"};
  for (int k = 0; k < 2; k++) {
    trm_model *model = run_load(models[k]);
    double end[2];
    for (int sparse = 0; sparse < 2; sparse++) {
      trm_settings settings = fixed(model, 0.02);
      settings.linear = sparse ? "sparse" : "dense";
      settings.duration = 0.2;
      trm_results *results = run_model(model, &settings, NULL);
      end[sparse] = trm_results_get(results, trm_results_rows(results) - 1, 3);
      trm_results_destroy(results);
    }
    assert_near(end[0], end[1], 1e-9);
    trm_model_destroy(model);
  }
}

/* IFToMM A03, the published end state. */
static void andrews(void **state) {
  (void)state;
  double error[2];
  trm_summary summary;
  sundials_andrews("radau5", 1e-8, error, &summary);
  assert_true(error[0] <= 5e-5 && error[1] <= 5e-4);
}

/* Through the singular positions on the right branch: the exact reduction has the tip. */
static void singular_positions(void **state) {
  (void)state;
  trm_model *model = run_load("models/n_four_bar.yaml");
  for (int loose = 0; loose < 2; loose++) {
    trm_summary summary;
    trm_settings settings = sundials_settings(model, "radau5", loose ? 1e-6 : 1e-8);
    double error = error_of(model, &settings, "double_four_bar", &summary);
    print_message("n_four_bar: %.1e, %ld steps\n", error, summary.steps);
    assert_true(error <= (loose ? 2e-2 : 2e-4));
    assert_true(summary.max_position_violation <= 1e-11);
  }
  trm_model_destroy(model);
}

/* Redundant joints, in the plane and in space; rolling without slip. */
static void other_constraints(void **state) {
  (void)state;
  static const char *const models[] = {"models/parallel_cranks.yaml", "models/bricard.yaml",
                                       "models/rolling_sphere_turntable.yaml"};
  for (int k = 0; k < 6; k++) {
    trm_model *model = run_load(models[k / 2]);
    trm_settings settings = sundials_settings(model, "radau5", 1e-8);
    settings.duration = 1;
    settings.linear = k % 2 ? "sparse" : "dense";
    trm_summary summary;
    trm_results_destroy(run_model(model, &settings, &summary));
    assert_true(k >= 4 || summary.redundant_constraints > 0);
    assert_true(summary.max_position_violation <= 1e-10);
    assert_true(summary.max_velocity_violation <= 1e-10);
    assert_true(summary.max_energy_error <= 1e-5);
    trm_model_destroy(model);
  }
}

/* F = 6 from t = 1/3 on: x = t + ½·3·(t − 1/3)², exact for every method of order two. */
static void a_jump_is_met(void **state) {
  (void)state;
  trm_model *model = pushed_cart("if(t < 1/3, 0, 6)");
  trm_settings settings = sundials_settings(model, "radau5", 1e-6);
  settings.duration = 1;
  settings.output_step = 0.125;
  trm_results *results = run_model(model, &settings, NULL);
  assert_int_equal(trm_results_rows(results), 9);
  for (int i = 0; i < 9; i++) {
    double t = 0.125 * i, late = larger(0, t - 1 / 3.0);
    assert_near(trm_results_get(results, i, 1), t + 1.5 * late * late, 1e-9);
  }
  trm_results_destroy(results);
  trm_model_destroy(model);
}

/* A force that ends the world at x = 1: the run stops there and says where. */
static void a_pole_is_told(void **state) {
  (void)state;
  trm_model *model = pushed_cart("1/sqrt(1 - cart.x)");
  for (int variable = 0; variable < 2; variable++) {
    trm_settings settings = variable ? sundials_settings(model, "radau5", 1e-6) : fixed(model, 0.1);
    settings.duration = 5;
    trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
    assert_non_null(sim);
    assert_int_equal(trm_simulation_run(sim, NULL, NULL, NULL, NULL), TRM_FAILED);
    const char *message = trm_simulation_summary(sim)->message;
    print_message("%s\n", message);
    assert_true(strncmp(message, "t = 0.", 6) == 0);
    assert_true(trm_simulation_time(sim) > 0.5 && trm_simulation_time(sim) < 1);
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

static void energy_is_kept(void **state) {
  (void)state;
  trm_model *model = run_load("models/pendulum.yaml");
  trm_settings settings = sundials_settings(model, "radau5", 1e-5);
  trm_summary before, summary;
  trm_results_destroy(run_model(model, &settings, &before));
  settings.energy = "conserve";
  trm_results_destroy(run_model(model, &settings, &summary));
  assert_true(before.max_energy_error >= 1e-5 && summary.max_energy_error <= 1e-9);
  trm_model_destroy(model);
}

static void what_makes_no_sense_is_refused(void **state) {
  (void)state;
  static const char *const cases[][3] = {{"radau5", "stabilization", "baumgarte"},
                                         {"radau5", "stabilization", "embedded"},
                                         {"dopri5", "stepping", "fixed"},
                                         {"bdf", "stepping", "fixed"}};
  trm_model *model = run_load("models/pendulum.yaml");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    trm_status status;
    trm_settings settings = *trm_model_settings(model);
    trm_settings_set(&settings, "integrator", cases[k][0], NULL);
    trm_settings_set(&settings, cases[k][1], cases[k][2], NULL);
    assert_null(trm_simulation_create(model, &settings, NULL, &status));
    assert_int_equal(status, TRM_BAD_USAGE);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(collocation),
      cmocka_unit_test(transformation),
      cmocka_unit_test(l_stable),
      cmocka_unit_test(fifth_order),
      cmocka_unit_test(error_follows_the_tolerance),
      cmocka_unit_test(stiff),
      cmocka_unit_test(dense_is_the_same),
      cmocka_unit_test(andrews),
      cmocka_unit_test(singular_positions),
      cmocka_unit_test(other_constraints),
      cmocka_unit_test(a_jump_is_met),
      cmocka_unit_test(a_pole_is_told),
      cmocka_unit_test(energy_is_kept),
      cmocka_unit_test(what_makes_no_sense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
