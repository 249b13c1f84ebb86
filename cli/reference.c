/* run --check: the results against the reference that the model names. */
#include "cli.h"

#include <stdio.h>

int trm_cli_reference_open(trm_cli_reference *reference, const trm_model *model,
                           trm_simulation *simulation, trm_diagnostics *diagnostics) {
  *reference = (trm_cli_reference){0};
  if (!trm_model_reference(model, &reference->file, &reference->tolerance)) {
    trm_cli_error("--check: the model names no reference: {file: ..., tolerance: ...}");
    return 2;
  }
  reference->table = trm_results_read(reference->file, diagnostics);
  /* a file without times is another one: its names are not told, they may be secrets */
  bool good = reference->table && trm_results_find(reference->table, "t") >= 0;
  for (int k = 0; good && k < trm_results_columns(reference->table); k++)
    good = trm_simulation_record(simulation, trm_results_name(reference->table, k), diagnostics);
  trm_cli_print_diagnostics(diagnostics, true);
  if (good) return 0;
  trm_cli_error(
      "--check: the reference '%s' cannot be used: it is a table of t and measures of the model",
      reference->file);
  return 3;
}

bool trm_cli_reference_check(trm_cli_reference *reference, const trm_results *results,
                             trm_diagnostics *diagnostics) {
  trm_check *check = &reference->check;
  trm_status status =
      trm_results_check(results, reference->table, reference->tolerance, check, diagnostics);
  check->reference = reference->file;
  trm_cli_print_diagnostics(diagnostics, true);
  if (status == TRM_OK && !check->passed)
    trm_cli_error("the check failed: %s differs by %.3g at t = %g, the tolerance is %g",
                  check->column, check->max_difference, check->time, check->tolerance);
  return check->passed;
}

void trm_cli_reference_print(const trm_cli_reference *reference) {
  const trm_check *check = &reference->check;
  printf("  %-27s%s", "check", check->passed ? "passed" : "failed");
  if (check->column)
    printf(": %s differs most, by %.2e at t = %g; tolerance %g, %d of %d times", check->column,
           check->max_difference, check->time, check->tolerance, check->rows,
           trm_results_rows(reference->table));
  putchar('\n');
}
