/* What passes zero where a formula goes from one piece to the next, and formulas that keep to one.
 */
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

typedef struct holding {
  const char *text;
  double there, here; /* x: it keeps to the piece of the first */
  trm_jet is;         /* along x = here + s */
} holding;

/* A formula that keeps to its pieces goes on as they do, and so do its derivatives. */
static void test_held_pieces(void **state) {
  (void)state;
  static const char table[] = "table(x, 0, 0, 1, 2, 3, 3, \"linear\", \"hold\")";
  const holding all[] = {
      {"if(x < 2, x^2, 0)", 1, 3, {9, 6, 2}},
      {"abs(x)*x", 1, -3, {9, -6, 2}},
      {"sign(x) + x", 1, -3, {-2, 1, 0}},
      {"max(x^2, 4)", 3, 1, {1, 2, 2}},
      {"min(x^2, 4)", 1, 3, {9, 6, 2}},
      {"mod(x, 2)", 3, 5, {3, 1, 0}},
      {"floor(x)*x", 3.5, 5, {15, 3, 0}},
      {"heaviside(x)*x", -1, 2, {0, 0, 0}},
      {"step(x, 0, 1, 1, 3)", 0.5, 2, {1 + 2 * 4 * (3 - 4), 2 * (6 * 2 - 6 * 4), 2 * (6 - 12 * 2)}},
      {"step(x, 0, 1, 1, 3)", -1, 2, {1, 0, 0}},
      {"step(x, 0, 1, 1, 3)", 3, 0.5, {3, 0, 0}},
      {table, 0.5, 2, {4, 2, 0}},
      {table, 2, 0, {1.5, 0.5, 0}},
      {table, 5, 1, {3, 0, 0}},
      {table, -1, 1, {0, 0, 0}},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const holding *h = &all[i];
    double there[SLOTS] = {h->there}, here[SLOTS] = {h->here};
    trm_jet along[SLOTS] = {{h->here, 1, 0}};
    trm_expression *formula = parse(h->text);
    assert_true(trm_expression_can_fix_branches(formula));
    assert_true(trm_expression_fix_branches(formula, there));
    trm_jet is = trm_expression_jet(formula, along);
    assert_true(fabs(trm_expression_value(formula, here) - h->is.f) <= 1e-13);
    assert_true(fabs(is.f - h->is.f) <= 1e-13 && fabs(is.d - h->is.d) <= 1e-13 &&
                fabs(is.dd - h->is.dd) <= 1e-13);
    trm_expression_free_branches(formula);
    assert_true(trm_expression_value(formula, there) ==
                trm_expression_jet(formula, (trm_jet[SLOTS]){{h->there, 1, 0}}).f);
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
      cmocka_unit_test(test_held_pieces),
      cmocka_unit_test(test_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
