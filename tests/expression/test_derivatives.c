/* Jets and gradients of formulas against differences and closed forms. */
#include "formula.h"

/* Sixth-order central differences: error far below the tolerance at this step. */
static const double H = 1e-2;
static const double weights1[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
static const double weights2[] = {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90};

/* The path x(s) = x + 0.7 s + 0.3 s^2, y(s) = y - 0.4 s + 0.5 s^2. */
static double along_path(const char *text, double x, double y, double s) {
  return value_at(text, x + 0.7 * s + 0.3 * s * s, y - 0.4 * s + 0.5 * s * s);
}

static void expect_path_derivatives(const char *text, double x, double y) {
  trm_jet jet = jet_at(text, (trm_jet){x, 0.7, 0.6}, (trm_jet){y, -0.4, 1.0});
  double f = along_path(text, x, y, 0), d = 0, dd = weights2[0] * f;
  for (int k = 1; k <= 3; k++) {
    double ahead = along_path(text, x, y, k * H), behind = along_path(text, x, y, -k * H);
    d += weights1[k - 1] * (ahead - behind);
    dd += weights2[k] * (ahead + behind);
  }
  assert_true(jet.f == f);
  expect_near(text, jet.d, d / H, 1e-8);
  expect_near(text, jet.dd, dd / (H * H), 1e-7);
}

static void jets_match_differences(void **state) {
  (void)state;
  static const char *const texts[] = {"x + y",
                                      "x - y",
                                      "x*y",
                                      "x/y",
                                      "-x",
                                      "x^2",
                                      "x^3",
                                      "x^-2",
                                      "x^4",
                                      "x^2.5",
                                      "x^y",
                                      "2^x",
                                      "y^2^x",
                                      "sin(x)",
                                      "cos(x)",
                                      "tan(x)",
                                      "asin(x/2)",
                                      "acos(x/2)",
                                      "atan(x)",
                                      "atan2(x, y)",
                                      "atan2(-y, -x)",
                                      "sinh(x)",
                                      "cosh(x)",
                                      "tanh(x)",
                                      "exp(x)",
                                      "log(x)",
                                      "sqrt(x)",
                                      "abs(x)",
                                      "abs(-x)",
                                      "min(x, y)",
                                      "max(x, y)",
                                      "max(x, y, 4*x)",
                                      "sign(x)*x^2",
                                      "hypot(x, y)",
                                      "floor(4*x)*x*y",
                                      "round(x)*y^2",
                                      "mod(7*x, y)",
                                      "mod(-x*x, 3*y)",
                                      "deg(x)*y",
                                      "heaviside(x)*x^3",
                                      "heaviside(-x)*x^3",
                                      "step(x, 0.2, y, 1.7, 3)",
                                      "step(1, y - 2, x, y, x*y)",
                                      "step(x, 5, y^2, 6, 3)",
                                      "step(x, 0, 3, 0.1, y^2)",
                                      "if(x > 0, x^2*y, y)",
                                      "if(x < 0 and not y, y, x*sin(y))",
                                      "table(x, -1, 2, 0, 1, 1, 3, 2, -1, 3, 0)*y",
                                      "table(x*y, 0, 0, 4, 16, 5, 25)",
                                      "exp(-x^2)*cos(3*y)/(1 + x*y)"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    expect_path_derivatives(texts[i], 0.8, 1.3);
    expect_path_derivatives(texts[i], 0.55, 1.7);
  }
}

static void expect_jet(const char *text, trm_jet x, double f, double d, double dd) {
  trm_jet jet = jet_at(text, x, (trm_jet){0});
  expect_near(text, jet.f, f, 1e-14);
  expect_near(text, jet.d, d, 1e-14);
  expect_near(text, jet.dd, dd, 1e-14);
}

static trm_jet at(double x) {
  return (trm_jet){x, 1, 0};
}

static void jets_match_closed_forms(void **state) {
  (void)state;
  double c = cosh(0.6), w = 1 - 0.36;
  expect_jet("sin(3*x)", at(0.6), sin(1.8), 3 * cos(1.8), -9 * sin(1.8));
  expect_jet("exp(x^2)", at(0.6), exp(0.36), 1.2 * exp(0.36), (2 + 1.44) * exp(0.36));
  expect_jet("log(x)", at(0.6), log(0.6), 1 / 0.6, -1 / 0.36);
  expect_jet("sqrt(x)", at(4), 2, 0.25, -1.0 / 32);
  expect_jet("asin(x)", at(0.6), asin(0.6), 1 / sqrt(w), 0.6 / pow(w, 1.5));
  expect_jet("acos(x)", at(0.6), acos(0.6), -1 / sqrt(w), -0.6 / pow(w, 1.5));
  expect_jet("atan(x)", at(0.6), atan(0.6), 1 / 1.36, -1.2 / (1.36 * 1.36));
  expect_jet("tanh(x)", at(0.6), tanh(0.6), 1 / (c * c), -2 * tanh(0.6) / (c * c));
  expect_jet("x^x", at(2), 4, 4 * (log(2) + 1), 4 * (pow(log(2) + 1, 2) + 0.5));
  expect_jet("hypot(3*x, 4*x)", at(2), 10, 5, 0);
  expect_jet("hypot(x, 1)", at(0), 1, 0, 1);
  expect_jet("atan2(x, 1)", at(0.6), atan(0.6), 1 / 1.36, -1.2 / (1.36 * 1.36));
  expect_jet("atan2(sin(x), cos(x))", at(3), 3, 1, 0);
  expect_jet("1/x", at(-2), -0.5, -0.25, -0.25);
  expect_jet("deg(x)", at(90), acos(0), acos(-1) / 180, 0);
  expect_jet("step(x, 0, 0, 1, 1)", at(0.25), 0.15625, 1.125, 3);
}

static void powers_at_zero_and_below(void **state) {
  (void)state;
  expect_jet("x^2", at(-3), 9, -6, 2);
  expect_jet("x^3", at(-2), -8, 12, -12);
  expect_jet("x^5", at(-2), -32, 80, -160);
  expect_jet("x^-1", at(-2), -0.5, -0.25, -0.25);
  expect_jet("x^0", at(0), 1, 0, 0);
  expect_jet("x^1", at(0), 0, 1, 0);
  expect_jet("x^2", at(0), 0, 0, 2);
  expect_jet("x^3", at(0), 0, 0, 0);
  expect_jet("x^2.5", at(0), 0, 0, 0);
  expect_jet("x^(2 + y)", at(-3), 9, -6, 2); /* y stands still */
  expect_jet("x^(2 + x)", at(0), 0, 0, 2);
  expect_jet("0^(x + 1)", at(1), 0, 0, 0);
  assert_true(isnan(jet_at("x^(2 + x*0 + x)", at(-3), at(0)).d));
}

/* At a corner: the derivatives in the direction of growing s. */
static void corners_look_ahead(void **state) {
  (void)state;
  trm_jet back = {0, -1, 0};
  expect_jet("abs(x)", at(0), 0, 1, 0);
  expect_jet("abs(x)", back, 0, 1, 0);
  expect_jet("abs(x)", (trm_jet){0, 0, -2}, 0, 0, 2);
  expect_jet("max(0, x)", at(0), 0, 1, 0);
  expect_jet("max(0, x)", back, 0, 0, 0);
  expect_jet("min(0, x)", at(0), 0, 0, 0);
  expect_jet("max(x, 2*x, x^2 + 2*x)", at(0), 0, 2, 2);
  expect_jet("hypot(3*x, 4*x)", at(0), 0, 5, 0);
  expect_jet("hypot(3*x, 4*x)", back, 0, 5, 0);
  expect_jet("step(x, 0, 0, 1, 1)", at(0), 0, 0, 6);
  expect_jet("step(x, 0, 0, 1, 1)", at(1), 1, 0, 0);
  expect_jet("step(x, 0, 0, 1, 1)", (trm_jet){1, -1, 0}, 1, 0, -6);
  expect_jet("sqrt(y)", at(0), 0, 0, 0); /* an argument at rest adds nothing */
  expect_jet("hypot(y, y)", at(0), 0, 0, 0);
  assert_true(isinf(jet_at("sqrt(x)", at(0), at(0)).d));
}

static void gradients_are_exact(void **state) {
  (void)state;
  trm_expression *e = parse("x^2*y + 3*z*far.away.vx - x'/sin + L*hypot(x, y)");
  double slots[SLOTS] = {3, 4, 5, 2, 7, [9] = -2}, gradient[SLOTS];
  memset(gradient, 0x7f, sizeof gradient);
  assert_true(trm_expression_gradient(e, slots, gradient) == 36 - 30 - 3.5 + 10);
  double expected[SLOTS] = {24 + 6.0 / 5, 9 + 8.0 / 5, -6, 7.0 / 4, -0.5, [9] = 15};
  for (int k = 0; k < SLOTS; k++) expect_near("gradient", gradient[k], expected[k], 1e-15);
  trm_expression_destroy(e);
  e = parse("5");
  assert_true(trm_expression_gradient(e, NULL, NULL) == 5);
  trm_expression_destroy(e);
}

static void gradients_agree_with_jets(void **state) {
  (void)state;
  static const char *const texts[] = {"x*y - z/x",
                                      "atan2(x, y)^2",
                                      "x^y",
                                      "hypot(x, y)*z",
                                      "step(z, x, y, 3, x*y)",
                                      "max(x, y, z) + min(x, y)",
                                      "if(x > y, sin(x)*y, z^2)",
                                      "abs(x - y)",
                                      "-sqrt(x)*tanh(z)",
                                      "table(x, 0, 1, 1, 0, 2, 3)",
                                      "not x + (x < y)*z",
                                      "abs(x - 0.7)",
                                      "max(x, 0.7)",
                                      "hypot(x - 0.7, 0)"};
  double slots[SLOTS] = {0.7, 1.2, 0.9}, gradient[SLOTS];
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    trm_expression *e = parse(texts[i]);
    double value = trm_expression_gradient(e, slots, gradient);
    assert_true(value == trm_expression_value(e, slots));
    for (int k = 0; k < trm_expression_slot_count(e); k++) {
      trm_jet jets[SLOTS] = {{0.7, k == 0, 0}, {1.2, k == 1, 0}, {0.9, k == 2, 0}};
      expect_near(texts[i], gradient[k], trm_expression_jet(e, jets).d, 1e-15);
    }
    trm_expression_destroy(e);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jets_match_differences),   cmocka_unit_test(jets_match_closed_forms),
      cmocka_unit_test(powers_at_zero_and_below), cmocka_unit_test(corners_look_ahead),
      cmocka_unit_test(gradients_are_exact),      cmocka_unit_test(gradients_agree_with_jets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
