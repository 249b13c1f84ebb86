/* The table of `compare --methods`, as text and as JSON. */
#include "trial.h"

#include <math.h>
#include <stdio.h>

static const char *const states[] = {"waiting", "completed", "failed", "refused", "late", "same"};
static const char *const marks[] = {"", "outlier", "lost"};

/* It ran, but is not compared. */
static bool is_aside(const trm_cli_trial *trial) {
  return trial->state == TRM_TRIAL_LATE || trial->state == TRM_TRIAL_SAME;
}

static const char *mark_of(const trm_cli_trial *trial) {
  if (trial->state == TRM_TRIAL_FAILED && trial->mark != TRM_MARK_LOST) return "failed";
  if (is_aside(trial)) return trial->message;
  return trial->state == TRM_TRIAL_REFUSED ? "refused" : marks[trial->mark];
}

static void print_number(const char *format, int width, double value, bool known) {
  if (known && !isnan(value))
    printf(format, value);
  else
    printf(" %*s", width, "-");
}

static const char *coordinates_of(const trm_cli_trials *all, const trm_cli_trial *trial) {
  return all->system ? "own" : trial->settings.coordinates;
}

static void print_trial(const trm_cli_trials *all, const trm_cli_trial *trial) {
  const trm_settings *s = &trial->settings;
  bool ran = trial->state != TRM_TRIAL_REFUSED;
  const char *mark = trial == all->trials ? "the first" : mark_of(trial);
  if (trial->mark != TRM_MARK_NONE) mark = mark_of(trial);
  printf("%-16s %-22s %-13s %-10s", coordinates_of(all, trial), s->solver, s->stabilization,
         s->integrator);
  print_number(" %9.2e", 9, trial->position, ran);
  print_number(" %9.2e", 9, trial->velocity, ran);
  print_number(" %9.2e", 9, trial->energy, ran);
  print_number(" %10.2e", 10, trial->difference, ran);
  print_number(" %9.6f", 9, trial->icc, ran);
  print_number(" %8.0f", 8, (double)trial->steps, ran);
  print_number(" %9.1f", 9, 1e3 * trial->cpu_seconds, ran);
  printf("%s%s\n", *mark ? "  " : "", mark);
}

static void print_messages(const trm_cli_trials *all) {
  for (int k = 0; k < all->count; k++) {
    const trm_cli_trial *trial = &all->trials[k];
    const trm_settings *s = &trial->settings;
    if (!trial->message[0] || is_aside(trial)) continue;
    printf("%s %s %s %s: %s: %s\n", coordinates_of(all, trial), s->solver, s->stabilization,
           s->integrator, mark_of(trial), trial->message);
  }
}

static int compared_columns(const trm_cli_trials *all) {
  int count = 0;
  for (int k = 0; all->columns && k < trm_results_columns(all->first); k++)
    count += all->columns[k].compared;
  return count;
}

static void print_end(const trm_cli_trials *all) {
  int waiting = trm_cli_count_states(all, TRM_TRIAL_WAITING);
  int outliers = trm_cli_count_marks(all, TRM_MARK_OUTLIER);
  int lost = trm_cli_count_marks(all, TRM_MARK_LOST);
  int refused = trm_cli_count_states(all, TRM_TRIAL_REFUSED);
  int late = trm_cli_count_states(all, TRM_TRIAL_LATE);
  int same = trm_cli_count_states(all, TRM_TRIAL_SAME);
  int counted = all->count - waiting - late - same;
  printf("%d run%s, %d columns compared, %.3g s on %d thread%s: ", counted, counted == 1 ? "" : "s",
         compared_columns(all), all->wall_seconds, all->threads, all->threads == 1 ? "" : "s");
  if (outliers)
    printf("%d outlier%s", outliers, outliers == 1 ? "" : "s");
  else
    fputs("no outlier", stdout);
  if (lost) printf(", %d lost (the method cannot follow this motion at this step)", lost);
  if (refused) printf(", %d refused", refused);
  if (same) printf("; not counted: %d the same as another, bit by bit", same);
  if (late) printf("; not compared: %d with no end within %.3g s", late, all->limit);
  if (waiting) printf("; interrupted, %d runs are missing", waiting);
  putchar('\n');
}

void trm_cli_print_trials(const trm_cli_trials *all) {
  printf("%-16s %-22s %-13s %-10s %9s %9s %9s %10s %9s %8s %9s\n", "coordinates", "solver",
         "stabilization", "integrator", "position", "velocity", "energy", "difference", "ICC(A,1)",
         "steps", "CPU ms");
  for (int k = 0; k < all->count; k++)
    if (all->trials[k].state != TRM_TRIAL_WAITING) print_trial(all, &all->trials[k]);
  putchar('\n');
  print_messages(all);
  print_end(all);
}

/* --- JSON --- */

static const char *column_name(const trm_cli_trials *all, int column) {
  return column < 0 ? NULL : trm_results_name(all->first, column);
}

static void json_trial(trm_cli_json *json, const trm_cli_trials *all, const trm_cli_trial *trial) {
  const trm_settings *s = &trial->settings;
  trm_cli_json_open(json, NULL, '{');
  trm_cli_json_string(json, "coordinates", all->system ? NULL : s->coordinates);
  trm_cli_json_string(json, "solver", s->solver);
  trm_cli_json_string(json, "stabilization", s->stabilization);
  trm_cli_json_string(json, "integrator", s->integrator);
  trm_cli_json_string(json, "status", states[trial->state]);
  trm_cli_json_string(json, "mark", trial->mark == TRM_MARK_NONE ? NULL : marks[trial->mark]);
  trm_cli_json_string(json, "message", trial->message);
  trm_cli_json_number(json, "max_position_violation", trial->position);
  trm_cli_json_number(json, "max_velocity_violation", trial->velocity);
  trm_cli_json_number(json, "max_energy_error", trial->energy);
  trm_cli_json_number(json, "difference", trial->difference);
  trm_cli_json_string(json, "difference_column", column_name(all, trial->difference_column));
  trm_cli_json_number(json, "usual_difference", trial->usual);
  trm_cli_json_number(json, "icc", trial->icc);
  trm_cli_json_string(json, "icc_column", column_name(all, trial->icc_column));
  trm_cli_json_number(json, "time_reached", trial->time_reached);
  trm_cli_json_number(json, "steps", (double)trial->steps);
  trm_cli_json_number(json, "evaluations", (double)trial->evaluations);
  trm_cli_json_number(json, "cpu_seconds", trial->cpu_seconds);
  trm_cli_json_close(json, '}');
}

static void json_columns(trm_cli_json *json, const trm_cli_trials *all) {
  trm_cli_json_open(json, "columns", '[');
  for (int k = 0; all->columns && k < trm_results_columns(all->first); k++) {
    if (!all->columns[k].compared) continue;
    trm_cli_json_open(json, NULL, '{');
    trm_cli_json_string(json, "name", trm_results_name(all->first, k));
    trm_cli_json_number(json, "scale", all->columns[k].scale);
    trm_cli_json_bool(json, "moves", all->columns[k].moves);
    trm_cli_json_close(json, '}');
  }
  trm_cli_json_close(json, ']');
}

void trm_cli_json_trials(const trm_cli_trials *all, FILE *file) {
  int waiting = trm_cli_count_states(all, TRM_TRIAL_WAITING);
  trm_cli_json json = {.file = file};
  trm_cli_json_open(&json, NULL, '{');
  trm_cli_json_string(&json, "model", all->path);
  trm_cli_json_number(&json, "threads", all->threads);
  trm_cli_json_number(&json, "wall_seconds", all->wall_seconds);
  json_columns(&json, all);
  trm_cli_json_open(&json, "runs", '[');
  for (int k = 0; k < all->count; k++)
    if (all->trials[k].state != TRM_TRIAL_WAITING) json_trial(&json, all, &all->trials[k]);
  trm_cli_json_close(&json, ']');
  trm_cli_json_number(&json, "missing", waiting);
  trm_cli_json_number(&json, "outliers", trm_cli_count_marks(all, TRM_MARK_OUTLIER));
  trm_cli_json_number(&json, "lost", trm_cli_count_marks(all, TRM_MARK_LOST));
  trm_cli_json_number(&json, "refused", trm_cli_count_states(all, TRM_TRIAL_REFUSED));
  trm_cli_json_number(&json, "late", trm_cli_count_states(all, TRM_TRIAL_LATE));
  trm_cli_json_number(&json, "same", trm_cli_count_states(all, TRM_TRIAL_SAME));
  trm_cli_json_number(&json, "time_limit", all->limit);
  trm_cli_json_string(&json, "version", trm_version());
  trm_cli_json_close(&json, '}');
}
