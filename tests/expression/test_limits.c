/* Formulas that are long, deep or garbage. */
#include "formula.h"

#include <time.h>

enum { MEGABYTE = 1 << 20 };

/* head, then `piece` repeated to about a megabyte, then tail. */
static char *long_text(const char *head, const char *piece, const char *tail) {
  size_t n = strlen(head), step = strlen(piece), end = strlen(tail);
  char *text = malloc(MEGABYTE + n + step + end + 1);
  assert_non_null(text);
  memcpy(text, head, n);
  while (n < MEGABYTE) {
    memcpy(text + n, piece, step);
    n += step;
  }
  memcpy(text + n, tail, end + 1);
  return text;
}

static trm_expression *parse_long(const char *head, const char *piece, const char *tail,
                                  trm_expression_error *error) {
  char *text = long_text(head, piece, tail);
  clock_t start = clock();
  trm_expression *e = trm_expression_parse(text, find_name, NULL, NULL, error);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  free(text);
  if (!(seconds <= 10)) fail_msg("a megabyte of '%s' took %g s", piece, seconds);
  return e;
}

static void expect_long_value(const char *head, const char *piece, const char *tail,
                              double expected) {
  trm_expression_error error = {.offset = 0};
  trm_expression *e = parse_long(head, piece, tail, &error);
  if (!e) fail_msg("'%s' at %zu: %s", piece, error.offset, error.message);
  double slots[SLOTS] = {1, 2, 3}, gradient[SLOTS];
  expect_near(piece, trm_expression_value(e, slots), expected, 1e-9);
  expect_near(piece, trm_expression_gradient(e, slots, gradient), expected, 1e-9);
  trm_expression_destroy(e);
}

static void expect_long_error(const char *head, const char *piece, const char *tail,
                              const char *part) {
  trm_expression_error error = {.offset = 0};
  trm_expression *e = parse_long(head, piece, tail, &error);
  trm_expression_destroy(e);
  assert_null(e);
  if (!strstr(error.message, part)) fail_msg("'%s': %s", piece, error.message);
}

static void long_formulas_are_fine(void **state) {
  (void)state;
  expect_long_value("x", "+x", "", 1 + MEGABYTE / 2.0 - 0);
  expect_long_value("1", "*1", "", 1);
  expect_long_value("", " ", "x", 1);
  expect_long_value("max(y", ",x", ")", 2);
  expect_long_value("0", " or x > 2", "", 0);
  expect_long_value("0.", "0", "1", 0);
}

static void long_nonsense_is_refused(void **state) {
  (void)state;
  expect_long_error("", "(", "", "nested too deeply");
  expect_long_error("", "-", "1", "nested too deeply");
  expect_long_error("", "not ", "1", "nested too deeply");
  expect_long_error("", "2^", "1", "nested too deeply");
  expect_long_error("", "x+(", "1", "nested too deeply");
  expect_long_error("", "sin(", "1", "nested too deeply");
  expect_long_error("", "if(x,1,", "1", "nested too deeply");
  expect_long_error("", "9", "", "too large");
  expect_long_error("", "a", "", "unknown name 'aaaa");
  expect_long_error("", "f", "(1)", "unknown function 'ffff");
  expect_long_error("", "1.", "", "is not a number");
  expect_long_error("sin(1", ",1", ")", "function 'sin' takes 1 argument, here are");
  expect_long_error("table(x", ",1", ")", "");
  expect_long_error("table(x, '", "a", "')", "table 'aaaa");
  expect_long_error("'", "a", "", "not closed");
}

static void nest(char *text, const char *open, int levels, const char *inner, const char *close) {
  text[0] = '\0';
  for (int i = 0; i < levels; i++) strcat(text, open);
  strcat(text, inner);
  for (int i = 0; i < levels; i++) strcat(text, close);
}

static void nesting_has_a_limit(void **state) {
  (void)state;
  char text[4096];
  nest(text, "(", 199, "x", ")");
  expect_near("parentheses", value_at(text, 5, 0), 5, 0);
  nest(text, "(", 200, "x", ")");
  expect_error(text, 200, "nested too deeply: more than 200 levels");
  nest(text, "x+(", 127, "x", ")");
  expect_near("operands", value_at(text, 1, 0), 128, 0);
  trm_jet jet = jet_at(text, (trm_jet){1, 1, 0}, (trm_jet){0});
  expect_near("operands", jet.d, 128, 0);
  nest(text, "x+(", 128, "x", ")");
  expect_error(text, 3 * 128, "more than 128 operands");
}

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static bool same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* Whatever parses must evaluate, and all three ways must give the same value. */
static int try_text(const char *text) {
  trm_expression_error error = {.offset = 9999};
  trm_expression *e = trm_expression_parse(text, find_name, NULL, NULL, &error);
  if (!e) {
    assert_true(error.offset <= strlen(text) && error.message[0]);
    return 0;
  }
  double slots[SLOTS] = {0.5, -2, 0, 1, 3, [9] = 1e3}, gradient[SLOTS];
  trm_jet jets[SLOTS];
  for (int i = 0; i < SLOTS; i++) jets[i] = (trm_jet){slots[i], 1, -0.5};
  double value = trm_expression_value(e, slots);
  if (!same(value, trm_expression_jet(e, jets).f) ||
      !same(value, trm_expression_gradient(e, slots, gradient)))
    fail_msg("%s: %.17g, jet %.17g", text, value, trm_expression_jet(e, jets).f);
  trm_expression_destroy(e);
  return 1;
}

static void random_bytes_do_no_harm(void **state) {
  (void)state;
  uint64_t seed = 88172645463325252u;
  for (int i = 0; i < 20000; i++) {
    char text[64] = "";
    size_t n = next_random(&seed) % 60;
    bool ascii = next_random(&seed) % 2;
    for (size_t k = 0; k < n; k++) {
      unsigned byte = (unsigned)(next_random(&seed) >> 20) & 0xFF;
      text[k] = (char)(ascii ? ' ' + byte % 95 : byte ? byte : 1);
    }
    try_text(text);
  }
}

static void random_tokens_do_no_harm(void **state) {
  (void)state;
  static const char *const tokens[] = {"x",
                                       "y",
                                       "z",
                                       "x'",
                                       "L",
                                       "zero",
                                       "1",
                                       "2.5",
                                       "0",
                                       "-",
                                       "+",
                                       "*",
                                       "/",
                                       "^",
                                       "(",
                                       ")",
                                       ",",
                                       "<",
                                       ">=",
                                       "==",
                                       " and ",
                                       " or ",
                                       " not ",
                                       "sin(",
                                       "atan2(",
                                       "hypot(",
                                       "if(",
                                       "step(x,0,y,2,",
                                       "table(x,0,1,1,2,2,",
                                       "abs(",
                                       "max(",
                                       "min(",
                                       "sqrt(",
                                       "log(",
                                       "pi",
                                       "x+y",
                                       "(x-z)",
                                       "tanh(x)",
                                       "sign(y)",
                                       "heaviside(z)",
                                       "exp(y)",
                                       "acos(x)",
                                       "'",
                                       "\""};
  uint64_t seed = 1234567890123457u;
  int parsed = 0;
  for (int i = 0; i < 40000; i++) {
    char text[400] = "";
    size_t n = 1 + next_random(&seed) % 9;
    for (size_t k = 0; k < n; k++)
      strcat(text, tokens[next_random(&seed) % (sizeof tokens / sizeof tokens[0])]);
    parsed += try_text(text);
  }
  assert_true(parsed > 1000); /* else the loop has seen nothing but errors */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_formulas_are_fine),   cmocka_unit_test(long_nonsense_is_refused),
      cmocka_unit_test(nesting_has_a_limit),      cmocka_unit_test(random_bytes_do_no_harm),
      cmocka_unit_test(random_tokens_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
