/* Tables of formulas, over one argument and over two. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expression/expression.h"
#include "fuzz.h"

static trm_symbol look_up(void *context, const char *name, size_t length) {
  (void)context;
  if (length != 1 || (*name != 'x' && *name != 'y'))
    return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = *name == 'y'};
}

static void use(const char *text) {
  static const double points[][2] = {{0, 0}, {0.5, 0.5}, {1, 2}, {-3, 1e9}, {NAN, 1}, {1, NAN}};
  trm_expression_error error = {0};
  trm_expression *formula = trm_expression_parse(text, look_up, NULL, NULL, &error);
  if (!formula && !*error.message) abort();
  for (size_t i = 0; formula && i < sizeof points / sizeof *points; i++) {
    double gradient[2];
    trm_expression_gradient(formula, points[i], gradient);
    trm_jet jets[2] = {{points[i][0], 1, 0}, {points[i][1], 1, 0}};
    trm_expression_jet(formula, jets);
    trm_expression_branch(formula, points[i]);
    trm_expression_explain(formula, points[i], &error);
  }
  trm_expression_destroy(formula);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const calls[] = {"table(x, '%s')", "table(x, '%s', 'b', 'linear', 'hold')",
                                      "table(x, '%s', 'b', 'cubic', 'extend')",
                                      "table2(x, y, '%s')"};
  const char *path = fuzz_file(data, size);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    char text[200];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, calls[i], path);
#pragma GCC diagnostic pop
    use(text);
  }
  return 0;
}
