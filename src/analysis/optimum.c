/* An optimum for users: before and after, and what estimates are worth. */
#include <math.h>
#include <trammel/analysis.h>

#include "result/json.h"

static void write_parameters(trm_json *json, const char *key, const trm_optimum *o,
                             const double *values) {
  trm_json_open(json, key);
  for (int k = 0; values && k < o->count; k++) trm_json_number(json, o->parameters[k], values[k]);
  trm_json_close(json);
}

static void write_goals(trm_json *json, const trm_optimum *o) {
  trm_json_open_list(json, "goals");
  for (int i = 0; i < o->goal_count; i++) {
    const trm_optimum_goal *g = &o->goals[i];
    trm_json_open(json, NULL);
    trm_json_string(json, g->condition ? "condition" : "formula", g->formula);
    if (!g->condition) trm_json_number(json, "weight", g->weight);
    trm_json_number(json, "start", g->start);
    trm_json_number(json, "value", g->value);
    trm_json_close(json);
  }
  trm_json_close_list(json);
}

static void write_starts(trm_json *json, const trm_optimum *o) {
  trm_json_open_list(json, "starts");
  for (int i = 0; i < o->start_count; i++) {
    trm_json_open(json, NULL);
    trm_json_string(json, "status", o->starts[i].status);
    trm_json_number(json, "value", o->starts[i].value);
    write_parameters(json, "parameters", o, o->starts[i].values);
    trm_json_close(json);
  }
  trm_json_close_list(json);
}

/* Standard deviations, covariance and correlation: rows in the order of the parameters. */
static void write_fit(trm_json *json, const trm_optimum *o) {
  const double *c = o->covariance;
  trm_json_open(json, "fit");
  trm_json_integer(json, "points", o->points);
  trm_json_number(json, "deviation", c ? o->deviation : NAN);
  trm_json_open(json, "standard_errors");
  for (int k = 0; k < o->count; k++)
    trm_json_number(json, o->parameters[k], c ? sqrt(c[k * o->count + k]) : NAN);
  trm_json_close(json);
  for (int part = 0; part < 2 && c; part++) {
    trm_json_open_list(json, part ? "correlation" : "covariance");
    for (int i = 0; i < o->count; i++) {
      trm_json_open_list(json, NULL);
      for (int k = 0; k < o->count; k++) {
        double scale = part ? sqrt(c[i * o->count + i] * c[k * o->count + k]) : 1;
        trm_json_number(json, NULL, c[i * o->count + k] / scale);
      }
      trm_json_close_list(json);
    }
    trm_json_close_list(json);
  }
  trm_json_close(json);
}

trm_status trm_optimum_write_json(const trm_optimum *o, const char *path,
                                  trm_diagnostics *diagnostics) {
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_json json;
  trm_json_begin(&json, output);
  trm_json_string(&json, "status", o->status);
  trm_json_number(&json, "value", o->value);
  write_parameters(&json, "parameters", o, o->values);
  trm_json_integer(&json, "evaluations", o->evaluations);
  trm_json_integer(&json, "gradients", o->gradients);
  trm_json_string(&json, "method", o->method);
  trm_json_open(&json, "start");
  trm_json_number(&json, "value", o->start_value);
  write_parameters(&json, "parameters", o, o->start);
  trm_json_close(&json);
  write_goals(&json, o);
  if (o->start_count > 1) write_starts(&json, o);
  if (o->points > 0) write_fit(&json, o);
  trm_json_end(&json);
  return trm_output_close(output, diagnostics);
}
