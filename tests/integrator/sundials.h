/* Runs by CVODE and IDA. */
#ifndef TRM_TESTS_SUNDIALS_H
#define TRM_TESTS_SUNDIALS_H

#include "../run.h"

#define SUNDIALS_METHODS 3
static const char *const sundials_methods[SUNDIALS_METHODS] = {"adams", "bdf", "ida"};

static inline trm_settings sundials_settings(const trm_model *model, const char *integrator,
                                             double tolerance) {
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = integrator;
  settings.step = TRM_UNSET;
  settings.rtol = settings.atol = tolerance;
  return settings;
}

/* Andrews' mechanism: relative errors of the published end state, the worst angle and velocity. */
static inline void sundials_andrews(const char *integrator, double tolerance, double error[2],
                                    trm_summary *summary) {
  static const struct {
    const char *plus, *minus;
    double value;
    int level;
  } published[] = {{"K1.angle", NULL, 15.81077119629904, 0},
                   {"F.angle", NULL, -15.75637105984298, 0},
                   {"K3.angle", NULL, 0.04082224013073101, 0},
                   {"K4.angle", "K5.angle", -0.5347301163226948, 0},
                   {"K5.angle", NULL, 0.5244099658805304, 0},
                   {"K6.angle", "K7.angle", 0.5347301163226948, 0},
                   {"K7.angle", NULL, 1.048080741042263, 0},
                   {"K1.omega", NULL, 1139.920302151208, 1},
                   {"F.rate", NULL, -1424.379294994111, 1},
                   {"K3.omega", NULL, 11.03291221937134, 1},
                   {"K4.omega", "K5.omega", 19.29337464421385, 1},
                   {"K5.omega", NULL, 0.5735699284790808, 1},
                   {"K6.omega", "K7.omega", -19.29337464421385, 1},
                   {"K7.omega", NULL, 0.3231791658026955, 1}};
  trm_model *model = run_load("models/andrews.yaml");
  trm_settings settings = sundials_settings(model, integrator, tolerance);
  trm_results *results = run_model(model, &settings, summary);
  int last = trm_results_rows(results) - 1;
  error[0] = error[1] = 0;
  for (size_t k = 0; k < sizeof published / sizeof *published; k++) {
    double value = trm_results_get(results, last, trm_results_find(results, published[k].plus));
    if (published[k].minus)
      value -= trm_results_get(results, last, trm_results_find(results, published[k].minus));
    /* digits behind the point for small angles, relative for fast ones */
    double scale = larger(1, fabs(published[k].value));
    int level = published[k].level;
    error[level] = larger(error[level], fabs(value - published[k].value) / scale);
  }
  print_message("andrews %s at %.0e: angles %.1e, velocities %.1e, %ld steps\n", integrator,
                tolerance, error[0], error[1], summary->steps);
  trm_results_destroy(results);
  trm_model_destroy(model);
}

#endif
