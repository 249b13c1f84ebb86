/* How formulas depend on a range of slots, and which functions have kinks. */
#include <string.h>

#include "../check.h"
#include "expression/expression.h"

/* t a b v w are slots 0 to 4 */
static trm_symbol look_up(void *context, const char *name, size_t length) {
  static const char names[] = "tabvw";
  (void)context;
  const char *at = length == 1 ? strchr(names, name[0]) : NULL;
  if (!at) return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = (int)(at - names)};
}

static trm_expression *parse(const char *text) {
  trm_expression_error error;
  trm_expression *e = trm_expression_parse(text, look_up, NULL, NULL, &error);
  assert_non_null(e);
  return e;
}

static void degrees(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int degree; /* in v and w */
  } cases[] = {
      {"a*b^2 + sin(t)", 0},
      {"v", 1},
      {"-v*sin(a) + 2*w/b", 1},
      {"deg(v) - (w + v)*(a - t)", 1},
      {"v^1", 1},
      {"v*w", 2},
      {"a/v", 2},
      {"v^2", 2},
      {"sin(v)", 2},
      {"hypot(v, a)", 2},
      {"if(a > 0, v, 2*w)", 1},
      {"if(v > 0, a, b)", 2},
      {"abs(w)", 2},
      {"table(a, 0, 0, 1, 1)*v", 1},
      {"step(a, 0, 0, 1, 1)*w", 1},
      {"step(v, 0, 0, 1, 1)", 2},
      {"atan2(a, b) + v", 1},
      {"a^v", 2},
      {"min(a, b)*max(t, 1)", 0},
      {"a > b and not (t > 1)", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    trm_expression *e = parse(cases[i].text);
    if (trm_expression_degree(e, 3, 2) != cases[i].degree)
      fail_msg("%s: %d", cases[i].text, trm_expression_degree(e, 3, 2));
    trm_expression_destroy(e);
  }
}

static void kinks(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"sin(a)*sqrt(b) + a^3", NULL},
      {"step(t, 0, 0, 1, 1)", NULL},
      {"a + abs(b)", "abs"},
      {"min(a, b)", "min"},
      {"sign(a)", "sign"},
      {"if(t > 1, a, b)", "a comparison"},
      {"heaviside(t)*a", "heaviside"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    trm_expression *e = parse(cases[i][0]);
    const char *found = trm_expression_kink(e);
    if (cases[i][1])
      assert_string_equal(found, cases[i][1]);
    else
      assert_null(found);
    trm_expression_destroy(e);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(degrees), cmocka_unit_test(kinks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
