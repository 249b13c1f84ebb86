/* Formulas: values, precedence, names, messages. */
#include "formula.h"

#include <locale.h>

static void check_value(const char *text, double expected) {
  expect_near(text, value_at(text, 0, 0), expected, 0);
}

static void numbers_are_decimal(void **state) {
  (void)state;
  check_value("010", 10);
  check_value("1e-3", 1e-3);
  check_value(".5", 0.5);
  check_value("2.", 2);
  check_value(" 1.25E+2\n", 125);
  check_value("0.1", 0.1);
  check_value("00000000000000000000000000000000000000000000000000000000000001", 1);
  expect_error("0x10", 0, "'0x10' is not a number");
  expect_error("1e", 0, "'1e' is not a number");
  expect_error("1+1.2.3", 2, "'1.2.3' is not a number");
  expect_error("2mm + 1", 0,
               "'2mm' is not a number: between a number and its unit there is a blank");
  expect_error("1 + 3N/mm", 4, "between a number and its unit there is a blank");
  expect_error("2x", 0, "a product is written 2*x");
  expect_error("2x", 0, "2*x");
  expect_error("2*1e999", 2, "too large");
  expect_error("nan", 0, "unknown name 'nan'");
  expect_error("inf", 0, "unknown name 'inf'");
  expect_error(".", 0, "not a number");
}

static void operators_bind_as_usual(void **state) {
  (void)state;
  check_value("-2^2", -4);
  check_value("2^3^2", 512);
  check_value("2^-1", 0.5);
  check_value("2^-2^2", 0.0625);
  check_value("(-2)^2", 4);
  check_value("(-2)^3", -8);
  check_value("8-3-2", 3);
  check_value("64/4/2", 8);
  check_value("2+3*4", 14);
  check_value("2*-3", -6);
  check_value("--3", 3);
  check_value("+3-+2", 1);
  check_value("-3*2", -6);
  check_value("7-2*3^2/6", 4);
  check_value("((((1))))", 1);
}

static void logic_and_comparisons(void **state) {
  (void)state;
  check_value("1 < 2", 1);
  check_value("2 <= 2", 1);
  check_value("2 > 2", 0);
  check_value("2 >= 3", 0);
  check_value("2 == 2.0", 1);
  check_value("2 != 2", 0);
  check_value("1 + 1 < 1 * 3", 1);
  check_value("not 1 > 2", 1);
  check_value("not 0 and 0", 0);
  check_value("not (0 and 0)", 1);
  check_value("1 or 0 and 0", 1);
  check_value("(1 or 0) and 0", 0);
  check_value("3 and 5", 1);
  check_value("not not 7", 1);
  check_value("if(2 > 1, 10, 20) + if(0, 1, 2)", 12);
  assert_true(value_at("x > 1 and y < 1", 2, 0) == 1);
  assert_true(value_at("x > 1 or y < 1", 0, 2) == 0);
}

static void whole_numbers(void **state) {
  (void)state;
  check_value("floor(2.7)", 2);
  check_value("floor(-2.3)", -3);
  check_value("round(2.5)", 3);
  check_value("round(-2.5)", -3);
  check_value("round(2.4)", 2);
  check_value("mod(7, 3)", 1);
  check_value("mod(-7, 3)", 2);
  check_value("mod(7, -3)", -2);
  check_value("mod(6, 3)", 0);
  check_value("mod(5.5, 2)", 1.5);
  expect_error("mod(1, 0)", 0, "mod(1, 0) is not a real number");
  /* each piece has a number of its own */
  trm_expression *e = parse("floor(x) + mod(y, 2)");
  double a[SLOTS] = {1.2, 0.5}, b[SLOTS] = {1.9, 1.5}, c[SLOTS] = {2.1, 0.5}, d[SLOTS] = {1.2, 2.5};
  assert_true(trm_expression_branch(e, a) == trm_expression_branch(e, b));
  assert_true(trm_expression_branch(e, a) != trm_expression_branch(e, c));
  assert_true(trm_expression_branch(e, a) != trm_expression_branch(e, d));
  assert_false(trm_expression_is_smooth(e));
  assert_string_equal(trm_expression_kink(e), "floor");
  trm_expression_destroy(e);
}

static void functions_match_libm(void **state) {
  (void)state;
  static const double xs[] = {-0.9, -0.3, 0.25, 0.8};
  for (int i = 0; i < 4; i++) {
    double x = xs[i], a = fabs(x);
    struct {
      const char *text;
      double expected;
    } cases[] = {{"sin(x)", sin(x)},
                 {"cos(x)", cos(x)},
                 {"tan(x)", tan(x)},
                 {"asin(x)", asin(x)},
                 {"acos(x)", acos(x)},
                 {"atan(x)", atan(x)},
                 {"atan2(x, y)", atan2(x, 3)},
                 {"sinh(x)", sinh(x)},
                 {"cosh(x)", cosh(x)},
                 {"tanh(x)", tanh(x)},
                 {"exp(x)", exp(x)},
                 {"log(abs(x))", log(a)},
                 {"sqrt(abs(x))", sqrt(a)},
                 {"abs(x)", a},
                 {"min(x, 0, y)", x < 0 ? x : 0},
                 {"max(y - 3, x)", x > 0 ? x : 0},
                 {"max(x)", x},
                 {"sign(x)", x > 0 ? 1 : -1},
                 {"hypot(x, y)", hypot(x, 3)},
                 {"deg(x)", x * acos(-1) / 180},
                 {"heaviside(x)", x > 0},
                 {"abs(x)^y", a * a * a},
                 {"y^x", pow(3, x)},
                 {"x^5", x * x * x * x * x},
                 {"x^-1", 1 / x},
                 {"abs(x)^0.5", sqrt(a)}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
      expect_near(cases[k].text, value_at(cases[k].text, x, 3), cases[k].expected, 4e-16);
  }
  check_value("pi", acos(-1));
  check_value("deg(180)", acos(-1));
  check_value("sign(0) + heaviside(0)", 1);
  check_value("min(3, 1, 2) + max(3, 1, 2)", 4);
}

/* ADAMS: h0 + (h1 - h0) u^2 (3 - 2u). */
static void step_is_the_cubic_one(void **state) {
  (void)state;
  const char *text = "step(x, 1, 10, 3, 20)";
  assert_true(value_at(text, 0, 0) == 10);
  assert_true(value_at(text, 1, 0) == 10);
  assert_true(value_at(text, 2, 0) == 15);
  assert_true(value_at(text, 1.5, 0) == 10 + 10 * 0.15625);
  assert_true(value_at(text, 3, 0) == 20);
  assert_true(value_at(text, 4, 0) == 20);
  expect_error("1 + step(x, 3, 0, 1, 1)", 4, "needs x0 < x1");
  assert_true(isnan(value_at("step(x, 1, 0, y, 1)", 0, 1)));
}

static void names_and_slots(void **state) {
  (void)state;
  trm_expression *e = parse("x'*2 + far.away.vx + sin + sin(sin) + L + pi");
  double slots[SLOTS] = {[3] = 0.5, [4] = 7, [9] = 100};
  expect_near("names", trm_expression_value(e, slots), 14 + 100 + 0.5 + sin(0.5) + 2 + acos(-1),
              1e-15);
  assert_int_equal(trm_expression_slot_count(e), 10);
  const int *used;
  assert_int_equal(trm_expression_used(e, &used), 3);
  assert_true(used[0] == 3 && used[1] == 4 && used[2] == 9);
  assert_false(trm_expression_is_constant(e));
  trm_expression_destroy(e);
  e = parse("sin (L*pi/4) + 3");
  assert_true(trm_expression_is_constant(e));
  assert_int_equal(trm_expression_slot_count(e), 0);
  assert_int_equal(trm_expression_used(e, &used), 0);
  assert_true(trm_expression_value(e, NULL) == sin(2 * acos(-1) / 4) + 3);
  trm_expression_destroy(e);
  trm_expression_destroy(NULL);
}

static void smoothness_is_known(void **state) {
  (void)state;
  static const char *const smooth[] = {"x^2 + sin(y)*sqrt(x)", "abs(-3)*x", "hypot(x, y)/2",
                                       "if(L > 1, x, abs(x))", "table(x, 0, 0, 1, 1)"};
  static const char *const rough[] = {
      "abs(x)", "sign(x)",     "heaviside(x)", "min(x, 1)", "max(x, 1)",
      "x > 1",  "if(x, 1, 2)", "not x",        "x and y",   "step(x, 0, 0, 1, 1)"};
  for (int i = 0; i < 15; i++) {
    trm_expression *e = parse(i < 5 ? smooth[i] : rough[i - 5]);
    assert_int_equal(trm_expression_is_smooth(e), i < 5);
    trm_expression_destroy(e);
  }
}

static void syntax_errors_say_what_is_right(void **state) {
  (void)state;
  expect_error("", 0, "empty");
  expect_error("  ", 2, "empty");
  expect_error("(1 + 2", 6, "expected ')', found the end");
  expect_error("(1 + 2]", 6, "']'");
  expect_error("1 + 2)", 5, "')' without a '('");
  expect_error("1 + * 2", 4, "expected a value, found '*'");
  expect_error("1 +", 3, "expected a value, found the end");
  expect_error("2 3", 2, "expected an operator, found '3'");
  expect_error("2 kgs", 2, "expected an operator or a unit, found 'kgs', did you mean 'kg'?");
  expect_error("1 + 2 furlong", 6, "expected an operator or a unit, found 'furlong'");
  expect_error("1, 2", 1, "',' outside of a function");
  expect_error("atan2(1", 7, "expected ',' or ')', found the end");
  expect_error("atan2(1,)", 8, "expected a value, found ')'");
  expect_error("x**2", 1, "x^2");
  expect_error("x = 2", 2, "'=='");
  expect_error("x && y", 2, "'and'");
  expect_error("!x", 0, "'not'");
  expect_error("2 \xE2\x88\x92 1", 2, "write '-'");
  expect_error("1 < x < 2", 6, "do not chain");
  expect_error("x \x01", 2, "byte 0x01");
  expect_error("x \xff", 2, "byte 0xFF");
  expect_error("\"text\"", 1, "expected a value, found \"text\"");
  expect_error("table(x, \"a.csv)", 9, "not closed");
  expect_error("_a", 0, "'_'");
}

static void unknown_names_are_told(void **state) {
  (void)state;
  expect_error("1 + M", 4, "unknown name 'M', did you mean 'L'?");
  expect_error("1 + Q", 4, "unknown name 'Q'");
  expect_error("2*t", 2, "t may not be used in a mass");
  expect_error("sine(1)", 0, "unknown function 'sine', did you mean 'sin'?");
  expect_error("1+Sqrt(1)", 2, "did you mean 'sqrt'?");
  expect_error("frobnicate(1)", 0, "unknown function 'frobnicate'");
  expect_error("x(2)", 0, "'x' is not a function; a product is written x*(...)");
  expect_error("2*pi(2)", 2, "pi*(...)");
  expect_error("cos + 1", 0, "cos(...)");
  expect_error("bad", 0, "not a finite number");
  trm_expression_error error;
  assert_null(trm_expression_parse("x", NULL, NULL, NULL, &error));
  assert_string_equal(error.message, "unknown name 'x'");
}

static void arguments_are_counted(void **state) {
  (void)state;
  expect_error("2+atan2(1, 2, 3)", 2, "function 'atan2' takes 2 arguments, here are 3");
  expect_error("sin()", 0, "function 'sin' takes 1 argument, here are 0");
  expect_error("min()", 0, "at least 1 argument, here are 0");
  expect_error("if(1)", 0, "function 'if' takes 3 arguments, here is 1");
  expect_error("if(1, 2, 3, 4)", 0, "takes 3 arguments, here are 4");
  expect_error("step(x, 1, 2, 3)", 0, "takes 5 arguments, here are 4");
  expect_error("table(x)", 0, "table(x, \"file.csv\")");
}

static void arithmetic_errors_between_constants(void **state) {
  (void)state;
  expect_error("3 + 1/0", 5, "division by zero");
  expect_error("x/(L - 2)", 1, "division by zero");
  expect_error("0^-1", 1, "division by zero");
  expect_error("1 + sqrt(-1)", 4, "sqrt(-1) is not a real number");
  expect_error("log(0)", 0, "log(0) is not finite");
  expect_error("asin(L)", 0, "asin(2) is not a real number");
  expect_error("(-8)^(1/3)", 4, "is not a real number");
  expect_error("1e308*10", 5, "too large");
  expect_error("exp(1000)", 0, "exp(1000) is not finite");
  assert_true(isnan(value_at("sqrt(x)", -1, 0)));
}

/* What a constant condition rules out may divide by zero, but not be nonsense. */
static void dead_branches_are_forgiven(void **state) {
  (void)state;
  check_value("if(zero > 0, 1/zero, 7)", 7);
  check_value("if(zero == 0, 7, log(zero))", 7);
  check_value("zero != 0 and 1/zero > 2", 0);
  check_value("zero == 0 or 1/zero > 2", 1);
  check_value("if(zero, table(5, 0, 0, 1/zero, 1), 3)", 3);
  expect_near("x", value_at("if(x > 1 and zero > 0, 1/zero, x)", 5, 0), 5, 0);
  expect_error("if(zero > 0, 1/zeroo, 7)", 15, "unknown name 'zeroo'");
  expect_error("if(x > 0, 1/zero, 7)", 11, "division by zero");
}

static void nan_is_never_decided_upon(void **state) {
  (void)state;
  static const char *const texts[] = {"sqrt(x) > 0",
                                      "if(sqrt(x) > 0, 1, 2)",
                                      "not sqrt(x)",
                                      "min(sqrt(x), 1)",
                                      "max(1, sqrt(x))",
                                      "sign(sqrt(x))",
                                      "heaviside(sqrt(x))",
                                      "sqrt(x) == 1",
                                      "sqrt(x) and 1",
                                      "abs(log(x))",
                                      "step(sqrt(x), 0, 0, 1, 1)"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (!isnan(value_at(texts[i], -1, 0))) fail_msg("%s", texts[i]);
    trm_jet jet = jet_at(texts[i], (trm_jet){-1, 1, 0}, (trm_jet){0});
    if (!isnan(jet.f)) fail_msg("jet of %s", texts[i]);
  }
  assert_true(value_at("sqrt(x) > 0 and y", -1, 0) == 0);
}

static void a_decimal_comma_does_not_matter(void **state) {
  (void)state;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) skip();
  check_value("1.5 + 0.25", 1.75);
  setlocale(LC_NUMERIC, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_decimal),
      cmocka_unit_test(operators_bind_as_usual),
      cmocka_unit_test(logic_and_comparisons),
      cmocka_unit_test(whole_numbers),
      cmocka_unit_test(functions_match_libm),
      cmocka_unit_test(step_is_the_cubic_one),
      cmocka_unit_test(names_and_slots),
      cmocka_unit_test(smoothness_is_known),
      cmocka_unit_test(syntax_errors_say_what_is_right),
      cmocka_unit_test(unknown_names_are_told),
      cmocka_unit_test(arguments_are_counted),
      cmocka_unit_test(arithmetic_errors_between_constants),
      cmocka_unit_test(dead_branches_are_forgiven),
      cmocka_unit_test(nan_is_never_decided_upon),
      cmocka_unit_test(a_decimal_comma_does_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
