/* Functions of the user's own in place of inputs' formulas. */
#include <string.h>

#include "base/diagnostics.h"
#include "model/model.h"

static int find(const trm_model *model, const char *name) {
  for (int i = 0; i < model->named_signals; i++)
    if (model->signals[i].kind == TRM_SIGNAL_INPUT && strcmp(model->signals[i].name, name) == 0)
      return i;
  return -1;
}

trm_status trm_model_set_input_function(trm_model *model, const char *input,
                                        trm_input_function function, void *context,
                                        trm_diagnostics *diagnostics) {
  int i = find(model, input);
  if (i < 0) {
    trm_report(diagnostics, TRM_ERROR, "the model has no input '%s'; inputs stand under `inputs:`",
               input);
    return TRM_BAD_USAGE;
  }
  model->functions[i] = (trm_own_function){function, context};
  return TRM_OK;
}

void trm_model_take_functions(trm_model *to, const trm_model *from) {
  for (int i = 0; to && i < from->named_signals; i++) {
    int k = from->functions[i].function ? find(to, from->signals[i].name) : -1;
    if (k >= 0) to->functions[k] = from->functions[i];
  }
}

int trm_model_input_arguments(const trm_model *model, int input) {
  const char *name = trm_model_input_name(model, input);
  int i = name ? find(model, name) : -1;
  return i < 0 ? 0 : model->signals[i].argument_count;
}
