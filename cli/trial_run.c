/* One run of a model by one choice of methods. */
#include <stdio.h>
#include <string.h>

#include "trial.h"

static void copy_summary(trm_cli_trial *trial, const trm_summary *summary) {
  trial->position = summary->max_position_violation;
  trial->velocity = summary->max_velocity_violation;
  trial->energy = summary->max_energy_error;
  trial->time_reached = summary->time_reached;
  trial->cpu_seconds = summary->cpu_seconds;
  trial->step = summary->step;
  trial->steps = summary->steps;
  trial->evaluations = summary->evaluations;
}

void trm_cli_keep_error(trm_cli_trial *trial, const trm_diagnostics *diagnostics) {
  for (int k = 0; k < trm_diagnostics_count(diagnostics); k++) {
    const trm_diagnostic *diagnostic = trm_diagnostics_get(diagnostics, k);
    if (diagnostic->severity != TRM_ERROR) continue;
    snprintf(trial->message, sizeof trial->message, "%s", diagnostic->message);
    return;
  }
}

static trm_cli_state state_of(trm_status status) {
  switch (status) {
  case TRM_OK: return TRM_TRIAL_DONE;
  case TRM_INTERRUPTED: return TRM_TRIAL_WAITING;
  default: return TRM_TRIAL_FAILED;
  }
}

/* FNV-1a */
static void add(unsigned long long *print, double value) {
  unsigned char bytes[sizeof value];
  memcpy(bytes, &value, sizeof value);
  for (size_t k = 0; k < sizeof bytes; k++) *print = (*print ^ bytes[k]) * 1099511628211ULL;
}

unsigned long long trm_cli_fingerprint(const trm_cli_trial *trial, const trm_results *results) {
  const double numbers[] = {trial->position, trial->velocity, trial->energy, (double)trial->steps,
                            (double)trial->evaluations};
  unsigned long long print = 14695981039346656037ULL;
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) add(&print, numbers[k]);
  for (int row = 0; row < trm_results_rows(results); row++)
    for (int k = 0; k < trm_results_columns(results); k++)
      add(&print, trm_results_get(results, row, k));
  return print ? print : 1;
}

static trm_status record(trm_simulation *simulation, const char *const *measures,
                         trm_diagnostics *diagnostics) {
  for (int k = 0; measures && measures[k]; k++)
    if (!trm_simulation_record(simulation, measures[k], diagnostics)) return TRM_BAD_MODEL;
  return TRM_OK;
}

void trm_cli_run_trial(trm_cli_trial *trial, const trm_model *model, const char *const *measures,
                       trm_results *results, trm_cli_watch *watch, trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  trm_simulation *simulation = trm_simulation_create(model, &trial->settings, diagnostics, &status);
  if (simulation) {
    status = record(simulation, measures, diagnostics);
    if (status == TRM_OK)
      status = trm_simulation_run(simulation, results, trm_cli_watch_step, watch, diagnostics);
    copy_summary(trial, trm_simulation_summary(simulation));
  }
  trial->state = !simulation && status == TRM_BAD_USAGE ? TRM_TRIAL_REFUSED : state_of(status);
  if (status == TRM_INTERRUPTED && watch->late) trial->state = TRM_TRIAL_LATE;
  trm_simulation_destroy(simulation);
}
