/* Derivatives of a run by parameters, for users. */
#include <string.h>
#include <trammel/analysis.h>

#include "analysis/differentiate.h"
#include "base/sized.h"
#include "result/json.h"

typedef struct sensitivity {
  trm_sensitivity found; /* first: it is what users hold */
  trm_arena *arena;
} sensitivity;

void trm_sensitivity_options_init(trm_sensitivity_options *defaults, size_t size) {
  const trm_sensitivity_options plain = {.size = sizeof plain};
  trm_sized_give(defaults, size, &plain, sizeof plain);
}

static trm_status check(const trm_sensitivity_options *o, trm_diagnostics *diagnostics) {
  const char *wrong = NULL;
  if (!o->of && !o->integral)
    wrong = "a sensitivity is of something: give a formula at the end, or one to integrate";
  else if (!o->wrt || !o->wrt[0])
    wrong = "a sensitivity is with respect to parameters: name one";
  else if (o->method && strcmp(o->method, "forward") != 0 && strcmp(o->method, "adjoint") != 0)
    wrong = "derivatives are computed by the methods 'forward' and 'adjoint'";
  if (!wrong) return TRM_OK;
  trm_report(diagnostics, TRM_ERROR, "%s", wrong);
  return TRM_BAD_USAGE;
}

static trm_status work(sensitivity *s, const trm_simulation *sim, const trm_sensitivity_options *o,
                       trm_diagnostics *diagnostics) {
  const char *formulas[2];
  bool integrated[2];
  trm_asked asked = {.formulas = formulas,
                     .integrated = integrated,
                     .progress = o->progress,
                     .progress_context = o->context};
  int count = 0;
  trm_status status = check(o, diagnostics);
  if (status != TRM_OK) return status;
  while (o->wrt[count]) count++;
  if (o->of) formulas[asked.count] = o->of, integrated[asked.count++] = false;
  if (o->integral) formulas[asked.count] = o->integral, integrated[asked.count++] = true;
  double value[2] = {0}, *slope = TRM_NEW(s->arena, double, 2 * count);
  const char **names = TRM_NEW(s->arena, const char *, count + 1);
  if (!slope || !names) return TRM_NO_MEMORY;
  for (int k = 0; k < count; k++)
    if (!(names[k] = trm_arena_string(s->arena, o->wrt[k]))) return TRM_NO_MEMORY;
  trm_derivation by = !o->method                          ? TRM_CHEAPEST
                      : strcmp(o->method, "forward") == 0 ? TRM_FORWARD
                                                          : TRM_ADJOINT;
  status = trm_differentiate(sim->engine->model, &sim->asked, &asked, count, names, &by, value,
                             slope, diagnostics);
  if (status == TRM_OK && asked.count == 2) trm_axpy(count, 1, slope + count, slope);
  s->found = (trm_sensitivity){.value = value[0] + value[1],
                               .method = by == TRM_ADJOINT ? "adjoint" : "forward",
                               .count = count,
                               .parameters = names,
                               .gradient = slope};
  return status;
}

trm_sensitivity *trm_simulation_sensitivity(const trm_simulation *sim,
                                            const trm_sensitivity_options *given,
                                            trm_diagnostics *diagnostics, trm_status *status) {
  trm_sensitivity_options options;
  trm_status ignored, *result = status ? status : &ignored;
  trm_sensitivity_options_init(&options, sizeof options);
  *result = TRM_BAD_USAGE;
  if (!trm_sized_take_or_report(&options, sizeof options, given, "trm_default_sensitivity_options",
                                diagnostics))
    return NULL;
  trm_arena *arena = trm_arena_create();
  sensitivity *s = arena ? TRM_NEW(arena, sensitivity, 1) : NULL;
  *result = TRM_NO_MEMORY;
  if (s) {
    s->arena = arena;
    *result = work(s, sim, &options, diagnostics);
  } else {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
  }
  if (*result == TRM_OK) return &s->found;
  trm_arena_destroy(arena);
  return NULL;
}

void trm_sensitivity_destroy(trm_sensitivity *found) {
  if (found) trm_arena_destroy(((sensitivity *)found)->arena);
}

trm_status trm_sensitivity_write_json(const trm_sensitivity *found, const char *path,
                                      trm_diagnostics *diagnostics) {
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_json json;
  trm_json_begin(&json, output);
  trm_json_number(&json, "value", found->value);
  trm_json_string(&json, "method", found->method);
  trm_json_open(&json, "gradient");
  for (int k = 0; k < found->count; k++)
    trm_json_number(&json, found->parameters[k], found->gradient[k]);
  trm_json_close(&json);
  trm_json_end(&json);
  return trm_output_close(output, diagnostics);
}
