/* Running a shipped model in a test. */
#ifndef TRM_TESTS_RUN_H
#define TRM_TESTS_RUN_H

#include <string.h>
#include <trammel/trammel.h>

#include "check.h"

static inline void run_print(const trm_diagnostics *diagnostics) {
  char text[1024];
  for (int i = 0; i < trm_diagnostics_count(diagnostics); i++) {
    trm_diagnostic_format(trm_diagnostics_get(diagnostics, i), text, sizeof text);
    print_error("%s", text);
  }
}

#define RUN_FORMULATIONS 4
#define RUN_SOLVERS      3
static const char *const run_formulations[RUN_FORMULATIONS] = {"natural", "angle",
                                                               "euler-parameters", "cartesian"};
static const char *const run_solvers[RUN_SOLVERS] = {"udwadia-kalaba", "udwadia-kalaba-general",
                                                     "augmented"};

/* Between combinations that a test tries: sanitizers are slow, so not all of formulations × solvers
 * there, but each of both. */
#ifdef __SANITIZE_ADDRESS__
#define RUN_STRIDE 3
#else
#define RUN_STRIDE 1
#endif

/* Every method of a key, `auto` and the like included. */
static inline int run_methods(const char *key, const char *names[32]) {
  int count = 0;
  for (int i = 0; i < trm_method_count(); i++)
    if (strcmp(trm_method_get(i)->key, key) == 0) names[count++] = trm_method_get(i)->name;
  return count;
}

/* With constraint enforcement of their own. */
static inline bool run_is_implicit(const char *integrator) {
  return strcmp(integrator, "trapezoidal") == 0 || strcmp(integrator, "generalized-alpha") == 0 ||
         strcmp(integrator, "three-field") == 0 || strcmp(integrator, "radau5") == 0 ||
         strcmp(integrator, "adams") == 0 || strcmp(integrator, "bdf") == 0 ||
         strcmp(integrator, "ida") == 0;
}

static inline trm_model *run_load(const char *path) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = trm_model_load(path, NULL, diagnostics, NULL);
  if (!model) run_print(diagnostics);
  trm_diagnostics_destroy(diagnostics);
  assert_non_null(model);
  return model;
}

/* Runs to the end; the summary is copied, its strings are not to be used. */
static inline trm_results *run_model(const trm_model *model, const trm_settings *settings,
                                     trm_summary *summary) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_simulation *sim = trm_simulation_create(model, settings, diagnostics, NULL);
  trm_results *results = trm_results_create();
  trm_status status = sim ? trm_simulation_run(sim, results, NULL, NULL, diagnostics) : TRM_FAILED;
  if (status != TRM_OK) run_print(diagnostics);
  assert_int_equal(status, TRM_OK);
  if (summary) *summary = *trm_simulation_summary(sim);
  trm_simulation_destroy(sim);
  trm_diagnostics_destroy(diagnostics);
  return results;
}

static inline trm_results *run_reference(const char *path) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_results *reference = trm_results_read_csv(path, diagnostics);
  if (!reference) run_print(diagnostics);
  trm_diagnostics_destroy(diagnostics);
  assert_non_null(reference);
  return reference;
}

/* Largest difference over all columns of the reference and all its rows up to `end`, NaN where one
 * is; every column and time must be there. */
static inline double run_difference(const trm_results *results, const trm_results *reference,
                                    double end) {
  double largest = 0;
  int row = 0;
  for (int i = 0; i < trm_results_rows(reference); i++) {
    double t = trm_results_get(reference, i, 0);
    if (t > end + 1e-9) break;
    while (row < trm_results_rows(results) && trm_results_get(results, row, 0) < t - 1e-9) row++;
    assert_true(row < trm_results_rows(results));
    assert_near(trm_results_get(results, row, 0), t, 1e-9);
    for (int k = 1; k < trm_results_columns(reference); k++) {
      int column = trm_results_find(results, trm_results_name(reference, k));
      if (column < 0) fail_msg("column %s is missing", trm_results_name(reference, k));
      double off = fabs(trm_results_get(results, row, column) - trm_results_get(reference, i, k));
      largest = larger(largest, off);
    }
  }
  return largest;
}

#endif
