/* What the tests of formulas share: names, and parsing that must succeed. */
#ifndef TEST_FORMULA_H
#define TEST_FORMULA_H

#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "expression/expression.h"

/* x, y, z, sin and x' are the slots 0 to 4, far.away.vx is slot 9; L = 2 and zero = 0 are
 * constants. */
enum { SLOTS = 10 };

static inline trm_symbol find_name(void *context, const char *name, size_t length) {
  static const char *const variables[] = {"x", "y", "z", "sin", "x'",
                                          "",  "",  "",  "",    "far.away.vx"};
  char word[16] = "";
  (void)context;
  if (length < sizeof word) memcpy(word, name, length);
  for (int i = 0; i < SLOTS; i++)
    if (word[0] && strcmp(word, variables[i]) == 0)
      return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = i};
  if (strcmp(word, "L") == 0) return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = 2};
  if (strcmp(word, "zero") == 0) return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = 0};
  if (strcmp(word, "bad") == 0) return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = NAN};
  if (strcmp(word, "t") == 0)
    return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .reason = "t may not be used in a mass"};
  const char *reason = strcmp(word, "M") == 0 ? "did you mean 'L'?" : NULL;
  return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN, .reason = reason};
}

static inline trm_expression *parse_in(const char *folder, const char *text) {
  trm_expression_error error = {.offset = 0};
  trm_expression *expression = trm_expression_parse(text, find_name, NULL, folder, &error);
  if (!expression) fail_msg("'%.80s' at %zu: %s", text, error.offset, error.message);
  return expression;
}

static inline trm_expression *parse(const char *text) {
  return parse_in(NULL, text);
}

/* At x, y, z = 0. */
static inline double value_at(const char *text, double x, double y) {
  double slots[SLOTS] = {x, y};
  trm_expression *expression = parse(text);
  double value = trm_expression_value(expression, slots);
  trm_expression_destroy(expression);
  return value;
}

/* With x and y as given jets, z = 0. */
static inline trm_jet jet_at(const char *text, trm_jet x, trm_jet y) {
  trm_jet slots[SLOTS] = {x, y};
  trm_expression *expression = parse(text);
  trm_jet jet = trm_expression_jet(expression, slots);
  trm_expression_destroy(expression);
  return jet;
}

static inline void expect_near(const char *what, double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance * larger(1, fabs(expected))))
    fail_msg("%s: %.17g, expected %.17g", what, value, expected);
}

/* The text must be refused at `offset` with a message that has `part` in it. */
static inline void expect_error_in(const char *folder, const char *text, size_t offset,
                                   const char *part) {
  trm_expression_error error = {.offset = 9999};
  trm_expression *expression = trm_expression_parse(text, find_name, NULL, folder, &error);
  trm_expression_destroy(expression);
  if (expression) fail_msg("'%.80s' was accepted", text);
  if (!strstr(error.message, part) || error.offset != offset)
    fail_msg("'%.80s' at %zu: '%s', expected at %zu: '%s'", text, error.offset, error.message,
             offset, part);
}

static inline void expect_error(const char *text, size_t offset, const char *part) {
  expect_error_in(NULL, text, offset, part);
}

#endif
