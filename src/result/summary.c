/* The summary of a run as JSON; programs outside the project read these keys. */
#include "result/summary.h"

static void write_methods(trm_json *json, const trm_summary *s) {
  trm_json_string(json, "model", s->model);
  trm_json_string(json, "name", s->name);
  trm_json_string(json, "space", s->space);
  trm_json_string(json, "coordinates", s->coordinates);
  trm_json_string(json, "solver", s->solver);
  trm_json_string(json, "stabilization", s->stabilization);
  trm_json_string(json, "energy", s->energy);
  trm_json_string(json, "integrator", s->integrator);
  trm_json_number(json, "step", s->step);
  trm_json_number(json, "duration", s->duration);
}

static void write_outcome(trm_json *json, const trm_summary *s) {
  trm_json_string(json, "status", s->status);
  trm_json_string(json, "message", s->message);
  trm_json_number(json, "time_reached", s->time_reached);
  trm_json_number(json, "estimated_error", s->estimated_error);
  trm_json_number(json, "estimate_seconds", s->estimate_seconds);
  trm_json_integer(json, "steps", s->steps);
  trm_json_integer(json, "evaluations", s->evaluations);
  trm_json_integer(json, "newton_iterations", s->newton_iterations);
  trm_json_integer(json, "jacobians", s->jacobians);
  trm_json_integer(json, "factorizations", s->factorizations);
  trm_json_integer(json, "step_cuts", s->step_cuts);
  trm_json_integer(json, "stiff_steps", s->stiff_steps);
  trm_json_integer(json, "switches", s->switches);
  trm_json_numbers(json, "switch_times", s->switch_times,
                   s->switches < TRM_SWITCHES ? s->switches : TRM_SWITCHES, 17);
  trm_json_integer(json, "bodies", s->bodies);
  trm_json_integer(json, "generalized_coordinates", s->generalized_coordinates);
  trm_json_integer(json, "constraints", s->constraints);
  trm_json_integer(json, "redundant_constraints", s->redundant_constraints);
  trm_json_integer(json, "degrees_of_freedom", s->degrees_of_freedom);
}

static void write_quality(trm_json *json, const trm_summary *s) {
  trm_json_number(json, "wall_seconds", s->wall_seconds);
  trm_json_number(json, "cpu_seconds", s->cpu_seconds);
  trm_json_number(json, "real_time_factor", s->real_time_factor);
  trm_json_number(json, "max_position_violation", s->max_position_violation);
  trm_json_number(json, "max_velocity_violation", s->max_velocity_violation);
  trm_json_number(json, "energy_initial", s->energy_initial);
  trm_json_number(json, "energy_final", s->energy_final);
  trm_json_number(json, "max_energy_error", s->max_energy_error);
  trm_json_string(json, "version", s->version);
}

static void write_check(trm_json *json, const trm_check *check) {
  trm_json_open(json, "check");
  trm_json_string(json, "reference", check->reference);
  trm_json_number(json, "tolerance", check->tolerance);
  trm_json_bool(json, "passed", check->passed);
  trm_json_integer(json, "rows", check->rows);
  trm_json_number(json, "max_difference", check->max_difference);
  trm_json_string(json, "column", check->column);
  trm_json_number(json, "time", check->time);
  trm_json_close(json);
}

static void write_metrics(trm_json *json, const trm_summary *s) {
  trm_json_open(json, "metrics");
  for (int i = 0; i < s->metric_count; i++)
    trm_json_number(json, s->metric_names[i], s->metrics[i]);
  trm_json_close(json);
}

void trm_summary_write_fields(const trm_summary *summary, trm_json *json) {
  write_methods(json, summary);
  write_outcome(json, summary);
  write_quality(json, summary);
  if (summary->metric_count > 0) write_metrics(json, summary);
  if (summary->check) write_check(json, summary->check);
}

trm_status trm_summary_write_json(const trm_summary *summary, const char *path,
                                  trm_diagnostics *diagnostics) {
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_json json;
  trm_json_begin(&json, output);
  trm_summary_write_fields(summary, &json);
  trm_json_end(&json);
  return trm_output_close(output, diagnostics);
}
