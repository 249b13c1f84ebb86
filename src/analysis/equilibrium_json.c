/* An equilibrium as JSON: the measures at the simulation's state. */
#include <stdio.h>
#include <string.h>
#include <trammel/analysis.h>

#include "analysis/simulation.h"
#include "result/json.h"

static void write_measures(trm_json *json, trm_engine *e, const trm_measure *measures, int count,
                           double *values) {
  trm_engine_measures(e, measures, count, values);
  for (int i = 0; i < count; i++) trm_json_number(json, measures[i].name, values[i]);
}

static bool is_listed(const trm_model *model, const char *name) {
  for (int i = 0; i < model->output_count; i++)
    if (strcmp(model->outputs[i].name, name) == 0) return true;
  return false;
}

static void write_reactions(trm_json *json, trm_engine *e) {
  const trm_model *model = e->model;
  static const char *const fields[] = {"fx", "fy", "fz", "tx", "ty", "tz", "f", "t", "effort"};
  char name[1024], reason[512];
  for (int j = 0; j < model->joint_count; j++)
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
      trm_measure measure;
      double value;
      snprintf(name, sizeof name, "%s.%s", model->joints[j].name, fields[k]);
      if (!trm_measure_find(model, name, strlen(name), &measure, reason, sizeof reason) ||
          is_listed(model, name))
        continue;
      trm_engine_measures(e, &measure, 1, &value);
      trm_json_number(json, name, value);
    }
}

trm_status trm_equilibrium_write_json(trm_simulation *sim, const trm_equilibrium_result *result,
                                      const char *path, trm_diagnostics *diagnostics) {
  trm_engine *e = sim->engine;
  trm_arena *arena = trm_arena_create();
  double *values = arena ? TRM_NEW(arena, double, e->model->output_count + 1) : NULL;
  trm_output *output = values ? trm_output_open(path, diagnostics) : NULL;
  if (!output) {
    if (!values) trm_report(diagnostics, TRM_ERROR, "cannot write '%s': out of memory", path);
    trm_arena_destroy(arena);
    return TRM_NO_MEMORY;
  }
  trm_json json;
  trm_json_begin(&json, output);
  trm_json_string(&json, "status", result->found ? "found" : "none");
  trm_json_number(&json, "residual", result->residual);
  trm_json_integer(&json, "iterations", result->iterations);
  if (result->stable == TRM_UNDECIDED)
    trm_json_string(&json, "stable", NULL);
  else
    trm_json_bool(&json, "stable", result->stable == TRM_YES);
  trm_json_open(&json, "measures");
  if (result->found) {
    write_measures(&json, e, e->model->outputs, e->model->output_count, values);
    write_reactions(&json, e);
  }
  trm_json_close(&json);
  trm_json_end(&json);
  trm_arena_destroy(arena);
  return trm_output_close(output, diagnostics);
}
