/* Every integrator converges at its order, in every formulation: the pendulum against elliptic
 * functions. */
#include "../run.h"

typedef struct {
  const char *integrator;
  double order, step, ratio;
} order_case;

/* Error at t = 2: the largest over positions and velocities. */
static double error(const trm_model *model, const trm_results *reference, const char *coordinates,
                    const char *integrator, double step) {
  trm_settings settings = *trm_model_settings(model);
  settings.coordinates = coordinates;
  settings.integrator = integrator;
  settings.step = step;
  settings.rtol = settings.atol = 1; /* dop853: the steps are the largest allowed */
  settings.duration = 2;
  settings.output_step = 0.1;
  trm_results *results = run_model(model, &settings, NULL);
  double off = run_difference(results, reference, 2);
  trm_results_destroy(results);
  return off;
}

static void converges_at_its_order(void **state) {
  (void)state;
  static const order_case cases[] = {
      {"euler", 1, 1e-4, 2},  {"rk4", 4, 1e-2, 2}, {"rk6", 6, 5e-2, 2},
      {"ab2", 2, 1e-3, 2},    {"ab3", 3, 2e-3, 2}, {"ab4", 4, 2.5e-3, 2},
      {"ab5", 5, 2.5e-3, 2},  {"ab6", 6, 5e-3, 2}, /* whose first steps are shorter: the ratio is
                                                      only nearly that of the steps */
      {"dop853", 8, 0.25, 5},
  };
  trm_model *model = run_load("models/pendulum.yaml");
  trm_results *reference = run_reference("models/reference/pendulum.csv");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int c = 0; c < RUN_FORMULATIONS; c++) {
      const char *coordinates = run_formulations[c];
      double coarse = error(model, reference, coordinates, cases[i].integrator, cases[i].step);
      double fine =
          error(model, reference, coordinates, cases[i].integrator, cases[i].step / cases[i].ratio);
      double order = log(coarse / fine) / log(cases[i].ratio);
      print_message("%-8s %-8s error %.2e -> %.2e, order %.2f\n", coordinates, cases[i].integrator,
                    coarse, fine, order);
      assert_true(order > cases[i].order - 0.35 && order < cases[i].order + 1.0);
      assert_true(fine > 1e-12); /* above round-off: the order means something */
    }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(converges_at_its_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
