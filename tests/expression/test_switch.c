/* What passes zero where a formula goes from one piece to the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formula.h"

typedef struct crossing {
  const char *text;
  double before[2], behind[2];
  double at[2]; /* on the boundary */
  double by[2]; /* gradient of what passes zero there, up to a factor */
} crossing;

static void test_crossings(void **state) {
  (void)state;
  static const crossing all[] = {
      {"if(x < y, 1, 2)", {1, 2}, {3, 2}, {2, 2}, {1, -1}},
      {"3*sign(x^2 - y)", {1, 2}, {2, 2}, {2, 4}, {4, -1}},
      {"abs(x*y)", {1, -1}, {1, 1}, {3, 0}, {0, 3}},
      {"x*heaviside(sin(y))", {1, -1}, {1, 1}, {1, 0}, {0, 1}},
      {"y + floor(x/y)", {1.9, 1}, {2.1, 1}, {2, 1}, {1, -2}},
      {"round(x/y)", {0.4, 1}, {0.6, 1}, {0.5, 1}, {1, -0.5}},
      {"mod(x, y)", {2.9, 1}, {3.1, 1}, {3, 1}, {1, -3}},
      {"mod(x, y)", {3.1, 1}, {2.9, 1}, {3, 1}, {1, -3}},
      {"step(x, y, 0, 2*y, 1)", {0, 1}, {1.5, 1}, {1, 1}, {1, -1}},
      {"step(x, y, 0, 2*y, 1)", {3, 1}, {1.5, 1}, {2, 1}, {1, -2}},
      {"max(x, 2*y, 1)", {1, 1}, {3, 1}, {2, 1}, {1, -2}},
      /* the first that changes is what the others hang on */
      {"if(sign(if(x > y, 1, -1)) > 0, x, y)", {1, 2}, {3, 2}, {2, 2}, {1, -1}},
      {"if(x > 0 and y > 1, 1, 0)", {1, 0.5}, {1, 1.5}, {1, 1}, {0, 1}},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const crossing *c = &all[i];
    trm_expression *formula = parse(c->text);
    trm_switch at;
    double gradient[2] = {0, 0};
    assert_true(trm_expression_find_switch(formula, c->before, c->behind, &at));
    trm_expression *zero = trm_expression_switching(formula, &at);
    assert_non_null(zero);
    trm_expression_gradient(zero, c->at, gradient);
    double scale = (gradient[0] * c->by[0] + gradient[1] * c->by[1]) /
                   (c->by[0] * c->by[0] + c->by[1] * c->by[1]);
    assert_true(fabs(scale) > 0.1);
    for (int k = 0; k < 2; k++) assert_true(fabs(gradient[k] - scale * c->by[k]) <= 1e-14);
    trm_expression_destroy(zero);
    trm_expression_destroy(formula);
  }
}

/* The same piece, or a condition that is no comparison. */
static void test_none(void **state) {
  (void)state;
  static const double before[] = {1, 0}, behind[] = {1, 1};
  static const char *const texts[] = {"abs(x)", "if(y, 1, 2)", "x + y"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    trm_switch at;
    trm_expression *formula = parse(texts[i]);
    assert_false(trm_expression_find_switch(formula, before, behind, &at));
    trm_expression_destroy(formula);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crossings),
      cmocka_unit_test(test_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
