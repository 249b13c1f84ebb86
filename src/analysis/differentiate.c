/* Derivatives of a run by the method that costs less. */
#include "analysis/differentiate.h"

#include <string.h>

#include "base/flush.h"
#include "base/text.h"
#include "math/serial.h"

#define RTOL 1e-10
#define ATOL 1e-13

enum {
  FORWARD_COST = 7, /* of a parameter, in runs */
  ADJOINT_COST = 6  /* of a formula, in runs */
};

static trm_status find_parameter(const trm_model *model, const char *name,
                                 trm_diagnostics *diagnostics) {
  for (int i = 0; i < model->parameter_count; i++)
    if (strcmp(model->parameters[i].name, name) == 0) return TRM_OK;
  trm_arena *arena = trm_arena_create();
  const char **names = arena ? TRM_NEW(arena, const char *, model->parameter_count + 1) : NULL;
  for (int i = 0; names && i < model->parameter_count; i++) names[i] = model->parameters[i].name;
  const char *nearest = names ? trm_nearest(name, names, model->parameter_count) : NULL;
  trm_report(diagnostics, TRM_ERROR, "the model has no parameter '%s'%s%s%s", name,
             nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  trm_arena_destroy(arena);
  return TRM_BAD_USAGE;
}

/* What is differentiated must be the motion itself, without feedback of violations. */
static trm_status choose_settings(trm_settings *s, trm_diagnostics *diagnostics) {
  s->conserve[0] = 0;
  if (s->rtol == TRM_UNSET) s->rtol = RTOL;
  if (s->atol == TRM_UNSET) s->atol = ATOL;
  trm_status status = TRM_OK;
  if (strcmp(s->coordinates, "auto") == 0) /* the adjoint's */
    status = trm_settings_set(s, "coordinates", "natural", diagnostics);
  if (status == TRM_OK) status = trm_settings_set(s, "stabilization", "direct", diagnostics);
  if (status == TRM_OK) status = trm_settings_set(s, "energy", "free", diagnostics);
  if (status == TRM_OK) status = trm_settings_set(s, "integrator", "dop853", diagnostics);
  return status;
}

static trm_status check(const trm_model *model, int count, const char *const *parameters,
                        trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  if (!model->overrides) {
    trm_report(diagnostics, TRM_ERROR,
               "only models that were read have parameters to differentiate by");
    return TRM_BAD_USAGE;
  }
  for (int k = 0; k < count; k++) {
    trm_status one = find_parameter(model, parameters[k], diagnostics);
    if (one != TRM_OK) status = one;
  }
  return status;
}

static trm_status choose_method(const trm_model *model, const trm_asked *asked, int count,
                                trm_derivation *by, trm_diagnostics *diagnostics) {
  char why[256] = "";
  bool refused = trm_adjoint_refuses(model, asked, why, sizeof why);
  if (*by == TRM_ADJOINT && refused) {
    trm_report(diagnostics, TRM_ERROR, "%s; use the method 'forward'", why);
    return TRM_BAD_USAGE;
  }
  bool cheaper = ADJOINT_COST * asked->count < FORWARD_COST * count;
  if (*by == TRM_CHEAPEST && (refused || !cheaper)) *by = TRM_FORWARD;
  return TRM_OK;
}

/* What the adjoint cannot do on its way is done forward. */
static trm_status try_both(const trm_model *model, const trm_settings *settings,
                           const trm_asked *asked, int count, const char *const *parameters,
                           trm_derivation *by, double *value, double *gradient) {
  trm_diagnostics *said = trm_diagnostics_create();
  trm_status status = TRM_NO_MEMORY;
  if (said)
    status =
        trm_differentiate_adjoint(model, settings, asked, count, parameters, value, gradient, said);
  trm_diagnostics_destroy(said);
  bool over = status == TRM_OK || status == TRM_NO_MEMORY || status == TRM_INTERRUPTED;
  *by = over ? TRM_ADJOINT : TRM_FORWARD;
  return status;
}

static trm_status work(const trm_model *model, const trm_settings *settings, const trm_asked *asked,
                       int count, const char *const *parameters, trm_derivation *by, double *value,
                       double *gradient, trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  if (*by == TRM_CHEAPEST)
    status = try_both(model, settings, asked, count, parameters, by, value, gradient);
  else if (*by == TRM_ADJOINT)
    status = trm_differentiate_adjoint(model, settings, asked, count, parameters, value, gradient,
                                       diagnostics);
  if (*by == TRM_FORWARD)
    status = trm_differentiate_forward(model, settings, asked, count, parameters, value, gradient,
                                       diagnostics);
  return status;
}

/* The same model, whose neighbours have no rows; their formulas are kept as symbols, or not. */
static trm_model *copy_plain(const trm_model *model, bool symbols, trm_diagnostics *diagnostics,
                             trm_status *status) {
  trm_model *copy = symbols ? trm_model_with_symbols(model, 0, NULL, NULL, diagnostics, status)
                            : trm_model_with(model, 0, NULL, NULL, diagnostics, status);
  if (copy && model->formula_count == 0) trm_model_leave_out_outputs(copy);
  return copy;
}

trm_status trm_differentiate(const trm_model *model, const trm_settings *given,
                             const trm_asked *asked, int count, const char *const *parameters,
                             trm_derivation *by, double *value, double *gradient,
                             trm_diagnostics *diagnostics) {
  trm_settings settings = *given;
  trm_status status = check(model, count, parameters, diagnostics);
  if (status == TRM_OK) status = choose_settings(&settings, diagnostics);
  if (status == TRM_OK) status = choose_method(model, asked, count, by, diagnostics);
  if (status != TRM_OK) return status;
  trm_model *copy = copy_plain(model, *by != TRM_FORWARD, diagnostics, &status);
  if (copy) {
    unsigned before = trm_flush_begin();
    trm_serial_begin();
    status = work(copy, &settings, asked, count, parameters, by, value, gradient, diagnostics);
    trm_serial_end();
    trm_flush_set(before);
  }
  trm_model_destroy(copy);
  if (status == TRM_NO_MEMORY) trm_report(diagnostics, TRM_ERROR, "out of memory");
  return status;
}
