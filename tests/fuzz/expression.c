/* Formulas: parsed, evaluated and differentiated. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expression/expression.h"
#include "fuzz.h"

enum { SLOTS = 4 };

static trm_symbol look_up(void *context, const char *name, size_t length) {
  static const char *const names[SLOTS] = {"t", "x", "rod.B.vx", "y'"};
  (void)context;
  for (int k = 0; k < SLOTS; k++)
    if (strlen(names[k]) == length && memcmp(names[k], name, length) == 0)
      return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = k};
  if (length == 1 && *name == 'L') return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = 2.5};
  return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
}

/* The value is the same in every way that it is asked for. */
static void evaluate(const trm_expression *formula, const double *slots) {
  double gradient[SLOTS];
  trm_jet jets[SLOTS];
  for (int k = 0; k < SLOTS; k++) jets[k] = (trm_jet){slots[k], 1, 0};
  double value = trm_expression_value(formula, slots);
  double again = trm_expression_gradient(formula, slots, gradient);
  trm_jet jet = trm_expression_jet(formula, jets);
  if (!(value == again || (isnan(value) && isnan(again)))) abort();
  if (!(value == jet.f || (isnan(value) && isnan(jet.f)))) abort();
  trm_expression_branch(formula, slots);
  trm_expression_error error;
  trm_expression_explain(formula, slots, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const double points[][SLOTS] = {
      {0}, {0.5, -1, 3, 1e-3}, {1e300, -1e300, 1e-300, INFINITY}, {1, NAN, -0.0, 2}};
  char *text = fuzz_text(data, size);
  trm_expression_error error = {0};
  trm_expression *formula = trm_expression_parse(text, look_up, NULL, "/nowhere", &error);
  if (!formula && (!*error.message || error.offset > strlen(text))) abort();
  for (size_t i = 0; formula && i < sizeof points / sizeof *points; i++)
    evaluate(formula, points[i]);
  if (formula) {
    trm_expression_is_smooth(formula);
    trm_expression_kink(formula);
    trm_expression_degree(formula, 0, 2);
  }
  trm_expression_destroy(formula);
  free(text);
  return 0;
}
