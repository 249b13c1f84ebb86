/* Spatial models in both formulations and with every solver. */
#ifndef TRM_TESTS_SPACE_RUN_H
#define TRM_TESTS_SPACE_RUN_H

#include "../run.h"

#define SPACE_FORMULATIONS 2
#define SPACE_COMBINATIONS (SPACE_FORMULATIONS * RUN_SOLVERS)
static const char *const space_formulations[SPACE_FORMULATIONS] = {"natural", "euler-parameters"};

static inline trm_model *space_load(const char *path, const char *const *overrides) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = trm_model_load(path, overrides, diagnostics, NULL);
  if (!model) run_print(diagnostics);
  trm_diagnostics_destroy(diagnostics);
  assert_non_null(model);
  return model;
}

static inline trm_settings space_settings(const trm_model *model, int combination) {
  trm_settings settings = *trm_model_settings(model);
  settings.coordinates = space_formulations[combination % SPACE_FORMULATIONS];
  settings.solver = run_solvers[combination / SPACE_FORMULATIONS];
  return settings;
}

/* Violations are checked in every run. */
static inline trm_results *space_run(const trm_model *model, const trm_settings *settings,
                                     trm_summary *summary) {
  trm_results *results = run_model(model, settings, summary);
  print_message("%-30s %-16s %-22s %-6s energy %.1e J  violations %.1e %.1e  %.2f s\n",
                trm_model_name(model), settings->coordinates, settings->solver,
                settings->integrator, summary->max_energy_error, summary->max_position_violation,
                summary->max_velocity_violation, summary->wall_seconds);
  assert_true(summary->max_position_violation <= 1e-12);
  assert_true(summary->max_velocity_violation <= 1e-12);
  return results;
}

static inline double space_value(const trm_results *results, int row, const char *name) {
  int column = trm_results_find(results, name);
  if (column < 0) fail_msg("column %s is missing", name);
  return trm_results_get(results, row, column);
}

/* y advances from t to t + h by RK4. */
typedef void (*space_rates)(const double *constants, const double *y, double *dy);
static inline void space_rk4(space_rates f, const double *constants, int n, double h, double *y) {
  double k[4][8], z[8];
  f(constants, y, k[0]);
  for (int s = 1; s < 4; s++) {
    for (int i = 0; i < n; i++) z[i] = y[i] + (s < 3 ? h / 2 : h) * k[s - 1][i];
    f(constants, z, k[s]);
  }
  for (int i = 0; i < n; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

#endif
