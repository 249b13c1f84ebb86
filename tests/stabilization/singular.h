/* The double four-bar of paper 003, sec. 4.2, over its 1000 s and some 500 singular passages. */
#ifndef TRM_TESTS_SINGULAR_H
#define TRM_TESTS_SINGULAR_H

#include "../run.h"

/* RK4 with both corrections, against the exact reduction; returns the largest violation. */
static inline double singular_passages(const trm_model *model, const trm_results *reference,
                                       const char *coordinates, const char *stabilization) {
  trm_settings settings = *trm_model_settings(model);
  settings.coordinates = coordinates;
  settings.stabilization = stabilization;
  settings.energy = "conserve";
  settings.integrator = "rk4";
  settings.step = 1e-2;
  settings.output_step = 5;
  settings.duration = 1000;
  trm_summary summary;
  trm_results *results = run_model(model, &settings, &summary);
  double off = run_difference(results, reference, 1000);
  print_message("%-16s %-9s violation %.1e  energy %.1e J  trajectory %.1e m\n", coordinates,
                stabilization, summary.max_position_violation, summary.max_energy_error, off);
  bool embedded = strcmp(stabilization, "embedded") == 0;
  assert_true(summary.max_energy_error <= (embedded ? 2e-6 : 1e-9));
  assert_true(off <= 5e-4); /* plain RK4 on the reduced equation: 1.7e-2 */
  trm_results_destroy(results);
  return summary.max_position_violation;
}

#endif
