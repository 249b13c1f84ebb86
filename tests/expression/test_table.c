/* Tables in formulas: the spline, files, and what is refused. */
#define _POSIX_C_SOURCE 200809L
#include "formula.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[256];

static int make_folder(void **state) {
  (void)state;
  const char *where = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/trm_table_XXXXXX", where && *where ? where : "/tmp");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  return rmdir(folder);
}

static void path_of(char *path, size_t size, const char *name) {
  snprintf(path, size, "%s/%s", folder, name);
}

static void write_file(const char *text, size_t length) {
  char path[300];
  path_of(path, sizeof path, "t.csv");
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static void remove_file(void) {
  char path[300];
  path_of(path, sizeof path, "t.csv");
  assert_int_equal(unlink(path), 0);
}

static trm_jet jet_of(const char *text, double x) {
  return jet_at(text, (trm_jet){x, 1, 0}, (trm_jet){0});
}

static void expect_polynomial(const char *text, double x, double f, double d, double dd) {
  trm_jet jet = jet_of(text, x);
  expect_near(text, jet.f, f, 2e-14);
  expect_near(text, jet.d, d, 2e-14);
  expect_near(text, jet.dd, dd, 1e-13);
}

/* Not-a-knot: two points make the line, three the parabola, four and more of a cubic that cubic. */
static void polynomials_are_reproduced(void **state) {
  (void)state;
  for (double x = -1; x <= 3; x += 0.125) {
    expect_polynomial("table(x, -1, 5, 3, -3)", x, 3 - 2 * x, -2, 0);
    expect_polynomial("table(x, -1, 3, 0, 1, 3, 7)", x, 1 - x + x * x, 2 * x - 1, 2);
    expect_polynomial("table(x, -1, -4, 0, -1, 2, 5, 3, 20)", x, x * x * x - x * x + x - 1,
                      3 * x * x - 2 * x + 1, 6 * x - 2);
    expect_polynomial("table(x, -1, -4, -0.5, -1.875, 0, -1, 1, 0, 2, 5, 3, 20)", x,
                      x * x * x - x * x + x - 1, 3 * x * x - 2 * x + 1, 6 * x - 2);
  }
}

static void splines_pass_their_points_smoothly(void **state) {
  (void)state;
  const char *text = "table(x, 0, 1, 1, 3, 2.5, -1, 3, 0, 4, 2, 6, 2)";
  static const double x[] = {0, 1, 2.5, 3, 4, 6}, y[] = {1, 3, -1, 0, 2, 2};
  for (int i = 0; i < 6; i++) expect_near(text, jet_of(text, x[i]).f, y[i], 1e-14);
  for (int i = 1; i < 5; i++) {
    trm_jet left = jet_of(text, nextafter(x[i], -1)), right = jet_of(text, x[i]);
    expect_near("slope", left.d, right.d, 1e-12);
    expect_near("curvature", left.dd, right.dd, 1e-12);
  }
  /* one cubic over the first two and over the last two intervals */
  double first = (jet_of(text, 0.75).dd - jet_of(text, 0.25).dd) / 0.5;
  double second = (jet_of(text, 2).dd - jet_of(text, 1.5).dd) / 0.5;
  expect_near("third derivative at the start", first, second, 1e-12);
  first = (jet_of(text, 3.75).dd - jet_of(text, 3.25).dd) / 0.5;
  second = (jet_of(text, 5).dd - jet_of(text, 4.5).dd) / 0.5;
  expect_near("third derivative at the end", first, second, 1e-12);
}

static void many_points_converge(void **state) {
  (void)state;
  char text[4096];
  size_t n = (size_t)snprintf(text, sizeof text, "table(x");
  for (int i = 0; i <= 64; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, ", %d/32, sin(%d/32)", i, i);
  snprintf(text + n, sizeof text - n, ")");
  for (double x = 0; x <= 2; x += 0.01) {
    trm_jet jet = jet_of(text, x);
    expect_near("sine", jet.f, sin(x), 1e-7);
    expect_near("cosine", jet.d, cos(x), 1e-5);
    expect_near("minus sine", jet.dd, -sin(x), 2e-3);
  }
}

static void outside_is_an_error(void **state) {
  (void)state;
  assert_true(isnan(value_at("table(x, 0, 0, 1, 1)", 1.01, 0)));
  assert_true(isnan(value_at("table(x, 0, 0, 1, 1)", -0.01, 0)));
  assert_true(isnan(value_at("table(x, 0, 0, 1, 1)", NAN, 0)));
  assert_true(isnan(jet_of("table(x, 0, 0, 1, 1)", 2).d));
  expect_near("end", value_at("table(x, 0, 0, 1, 1)", 1 + 1e-14, 0), 1, 1e-13);
  expect_error("1+table(L, 0, 0, 1, 1)", 2, "x = 2 is outside the table, which goes from 0 to 1");
  expect_near("constant", value_at("table(L, 0, 0, 4, 8)", 0, 0), 4, 0);
}

static void bad_points_are_refused(void **state) {
  (void)state;
  expect_error("table(x, 1, 2)", 0, "at least two points");
  expect_error("table(x, 1, 2, 3)", 0, "in pairs x, y; here are 3 numbers");
  expect_error("table(x, 1, 2, 1, 3)", 0, "must increase: point 2 has 1 after 1");
  expect_error("table(x, 0, 1, y, 3)", 15, "must be constants");
  expect_error("table(x, 0, 1, 1e-310, 3)", 0, "too far or too near");
  expect_error("table(x, 0, 1, 1, 3", 19, "expected ')'");
  expect_error("table(x 3)", 8, "expected ','");
}

static void expect_file(const char *text, double at, double expected) {
  write_file(text, strlen(text));
  double slots[SLOTS] = {at};
  trm_expression *e = parse_in(folder, "table(x, \"t.csv\") + table(x, 't.csv')");
  expect_near(text, trm_expression_value(e, slots), 2 * expected, 1e-14);
  trm_expression_destroy(e);
  remove_file();
}

static void files_are_read(void **state) {
  (void)state;
  expect_file("0,0\n1,2\n", 0.5, 1);
  expect_file("time,height\n0,0\n1,2", 0.25, 0.5);
  expect_file("\xEF\xBB\xBF\"t\";\"h\"\r\n-1;-1e0\r\n1;1\r\n\r\n", 0.25, 0.25);
  expect_file("# measured\n\n 0\t1\n 2   1.5 \n", 1, 1.25);
  expect_file("0, -1\n1, +2\n", 1, 2);
  write_file("0,0\n1,2\n", 8);
  char text[400], path[300];
  path_of(path, sizeof path, "t.csv");
  snprintf(text, sizeof text, "table(0.5, \"%s\")", path);
  expect_near("absolute path", value_at(text, 0, 0), 1, 0);
  expect_error_in(folder, "table(x, \"t.csv\", 3)", 16, "expected ')'");
  remove_file();
}

static void expect_file_error(const char *text, size_t length, const char *part) {
  write_file(text, length);
  expect_error_in(folder, "table(x, \"t.csv\")", 10, part);
  remove_file();
}

static void bad_files_are_refused(void **state) {
  (void)state;
  expect_error_in(folder, "table(x, \"t.csv\")", 10, "table 't.csv': No such file");
  expect_error_in(folder, "table(x, \".\")", 10, "not a file");
  expect_error_in(NULL, "table(x, \"/dev/zero\")", 10, "not a file");
  expect_error_in(folder, "table(x, \"\")", 10, "empty");
  expect_file_error("", 0, "at least two points");
  expect_file_error("x,y\n1,2\n", 8, "at least two points");
  expect_file_error("x,y\nu,v\n1,2\n2,3\n", 16, "line 2: expected two numbers 'x, y'");
  expect_file_error("1,2\n2,3,4\n", 10, "line 2");
  expect_file_error("1,2\n2\n", 6, "line 2");
  expect_file_error("1,2\n2,nan\n", 10, "line 2");
  expect_file_error("1,2\n2,0x3\n", 10, "line 2");
  expect_file_error("1,2\n2,1e999\n", 12, "line 2");
  expect_file_error("1,2\n2,3\n2,4\n", 12, "line 3: x must increase");
  expect_file_error("1,2\n2,3\0\n", 9, "line 2");
  expect_file_error("\0\0\0\n1,2\n2,3\n", 12, "line 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polynomials_are_reproduced),
      cmocka_unit_test(splines_pass_their_points_smoothly),
      cmocka_unit_test(many_points_converge),
      cmocka_unit_test(outside_is_an_error),
      cmocka_unit_test(bad_points_are_refused),
      cmocka_unit_test(files_are_read),
      cmocka_unit_test(bad_files_are_refused),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
