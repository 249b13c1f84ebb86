/* The flyball governor (004, example 4) by every implicit method: what an error of 1e-4 in s costs.
 * Steps and tolerances are refined until it is met; of some runs the fastest counts. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <trammel/trammel.h>

#include "../tests/extremes.h"

static const double most = 1e-4; /* m */
static const double aim = 50;    /* ms */
enum { ROUNDS = 7 };

static const struct {
  const char *integrator, *stepping;
  double first, ratio; /* of steps, or of rtol */
} methods[] = {{"trapezoidal", "auto", 1e-2, 2},
               {"generalized-alpha", "auto", 1e-2, 2},
               {"three-field", "auto", 1e-2, 2},
               {"trapezoidal", "variable", 1e-4, 10},
               {"generalized-alpha", "variable", 1e-4, 10},
               {"three-field", "variable", 1e-4, 10},
               {"bdf", "auto", 1e-4, 10},
               {"ida", "auto", 1e-4, 10},
               {"radau5", "fixed", 0.1, 2},
               {"radau5", "auto", 1e-2, 3}};

/* Of s = slider.z over all rows; NAN: the run has failed. */
static double run_once(const trm_model *model, const trm_settings *settings,
                       const trm_results *reference, trm_summary *summary) {
  trm_simulation *sim = trm_simulation_create(model, settings, NULL, NULL);
  trm_results *results = trm_results_create();
  double error = 0;
  if (!sim || trm_simulation_run(sim, results, NULL, NULL, NULL) != TRM_OK) error = NAN;
  if (sim) *summary = *trm_simulation_summary(sim);
  int s = trm_results_find(results, "slider.z"), exact = trm_results_find(reference, "slider.z");
  for (int i = 0; i < trm_results_rows(results); i++)
    error =
        larger(error, fabs(trm_results_get(results, i, s) - trm_results_get(reference, i, exact)));
  trm_results_destroy(results);
  trm_simulation_destroy(sim);
  return error;
}

/* ms, and the run's row */
static double refine(const trm_model *model, const trm_results *reference, int method,
                     const char *coordinates) {
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = methods[method].integrator;
  settings.stepping = methods[method].stepping;
  settings.coordinates = coordinates;
  settings.output_step = 0.1;
  bool variable = trm_settings_is_variable(&settings);
  double error = INFINITY, fastest = INFINITY, fineness = methods[method].first;
  trm_summary summary = {0};
  for (int k = 0; k < 12 && !(error <= most); k++, fineness /= methods[method].ratio) {
    settings.step = variable ? TRM_UNSET : fineness;
    if (variable) settings.rtol = fineness, settings.atol = fineness / 1000;
    error = run_once(model, &settings, reference, &summary);
  }
  for (int i = 0; i < ROUNDS; i++) {
    run_once(model, &settings, reference, &summary);
    fastest = smaller(fastest, 1e3 * summary.cpu_seconds);
  }
  printf("%-18s %-17s %-5s %8.2g %7ld %7ld %7ld %7ld %9.1e %8.0f\n", settings.integrator,
         coordinates, variable ? "rtol" : "step", variable ? settings.rtol : settings.step,
         summary.steps, summary.newton_iterations, summary.jacobians, summary.factorizations, error,
         fastest);
  return error <= most ? fastest : INFINITY;
}

int main(int count, char **paths) {
  trm_model *model = count == 3 ? trm_model_load(paths[1], NULL, NULL, NULL) : NULL;
  trm_results *reference = count == 3 ? trm_results_read_csv(paths[2], NULL) : NULL;
  double best = INFINITY;
  if (!model || !reference) return 2;
  printf("%-18s %-17s %14s %7s %7s %7s %7s %9s %8s\n", "flyball, 10 s", "", "", "steps", "Newton",
         "Jacob.", "factor.", "error", "CPU ms");
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (int natural = 0; natural < 2; natural++)
      best =
          smaller(best, refine(model, reference, (int)i, natural ? "natural" : "euler-parameters"));
  printf("best: %.0f ms for an error of %.0e; the aim is %.0f ms%s\n", best, most, aim,
         best <= aim ? "" : ": not met");
  trm_results_destroy(reference);
  trm_model_destroy(model);
  return best <= aim ? 0 : 1;
}
