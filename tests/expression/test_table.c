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

/* Through six points and more a quintic comes back whole, whatever the intervals. */
static void quintics_are_reproduced(void **state) {
  (void)state;
  for (double x = -1; x <= 2; x += 0.0625) {
    double f = x * x * x * x * x - 2 * x * x * x + 1, d = 5 * x * x * x * x - 6 * x * x;
    const char *texts[] = {
        "table(x, -1, 2, -0.5, 1.21875, 0, 1, 0.5, 0.78125, 1, 0, 2, 17, 'quintic')",
        "table(x, -1, 2, -0.5, 1.21875, 0, 1, 0.25, 0.9697265625, 0.5, 0.78125, 1, 0, 1.5, "
        "1.84375, 2, 17, 'quintic')"};
    for (int i = 0; i < 2; i++) {
      trm_jet jet = jet_of(texts[i], x);
      expect_near(texts[i], jet.f, f, 1e-12);
      expect_near(texts[i], jet.d, d, 1e-12);
      expect_near(texts[i], jet.dd, 20 * x * x * x - 12 * x, 1e-11);
    }
  }
  trm_expression *e = parse("table(x, 0, 1, 1, 3, 2, 2, 3, 1, 4, 0, 5, 2, 'quintic')");
  assert_true(trm_expression_is_smooth(e));
  trm_expression_destroy(e);
  expect_error("table(x, 0, 1, 1, 3, 2, 2, 'quintic')", 0, "six points");
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
  expect_error_in(folder, "table(x, \"t.csv\", 3)", 18, "expected a text in quotes");
  remove_file();
}

static void expect_file_error(const char *text, size_t length, const char *part) {
  write_file(text, length);
  expect_error_in(folder, "table(x, \"t.csv\")", 10, part);
  remove_file();
}

static void bad_files_are_refused(void **state) {
  (void)state;
  expect_error_in(folder, "table(x, \"t.csv\")", 10,
                  "table 't.csv': the table file cannot be read: No such file");
  expect_error_in(folder, "table(x, \".\")", 10, "not a table file");
  expect_error_in(NULL, "table(x, \"/dev/zero\")", 10, "not a table file");
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

/* --- columns, straight pieces, outside --- */

static trm_jet jet_in(const char *text, trm_jet x, trm_jet y) {
  trm_jet slots[SLOTS] = {x, y};
  trm_expression *e = parse_in(folder, text);
  trm_jet jet = trm_expression_jet(e, slots);
  trm_expression_destroy(e);
  return jet;
}

static void expect_jet(const char *text, double x, double f, double d, double dd) {
  trm_jet jet = jet_in(text, (trm_jet){x, 1, 0}, (trm_jet){0});
  expect_near(text, jet.f, f, 1e-13);
  expect_near(text, jet.d, d, 1e-13);
  expect_near(text, jet.dd, dd, 1e-12);
}

static void put(const char *text) {
  write_file(text, strlen(text));
}

static void columns_have_names(void **state) {
  (void)state;
  put("t, height ,\"the force\"\n0,1,5\n1,2,7\n2,3,9\n");
  expect_jet("table(x, \"t.csv\")", 0.5, 1.5, 1, 0);
  expect_jet("table(x, \"t.csv\", \"height\")", 0.5, 1.5, 1, 0);
  expect_jet("table(x, \"t.csv\", \"the force\")", 0.5, 6, 2, 0);
  expect_jet("table(x, \"t.csv\", \"t\")", 0.5, 0.5, 1, 0);
  expect_jet("table(x, \"t.csv\", \"\", \"linear\")", 0.5, 1.5, 1, 0);
  expect_error_in(folder, "table(x, \"t.csv\", \"mass\")", 10,
                  "no column 'mass'; the columns are t, height, the force");
  remove_file();
  put("0 1 5\n1 2 7\n");
  expect_error_in(folder, "table(x, \"t.csv\", \"b\")", 10, "the file has no header");
  remove_file();
  put("t,a,b\n0,1\n1,2\n");
  expect_error_in(folder, "table(x, \"t.csv\", \"b\")", 10, "its rows have no such column");
  remove_file();
  put("t,a,b\n0,1,2\n1,2\n");
  expect_error_in(folder, "table(x, \"t.csv\")", 10, "line 3: expected 3 numbers, found 2");
  remove_file();
}

static void straight_pieces(void **state) {
  (void)state;
  const char *text = "table(x, 0, 1, 1, 3, 3, -1, \"linear\")";
  expect_jet(text, 0.25, 1.5, 2, 0);
  expect_jet(text, 2, 1, -2, 0);
  expect_jet(text, 3, -1, -2, 0);
  assert_true(isnan(value_at(text, 3.1, 0)));
  trm_expression *e = parse(text);
  assert_false(trm_expression_is_smooth(e));
  assert_string_equal(trm_expression_kink(e), "table");
  double left = 0.5, right = 1.5;
  assert_true(trm_expression_branch(e, &left) != trm_expression_branch(e, &right));
  trm_expression_destroy(e);
  expect_error("table(x, 0, 1, 1, 3, \"quadratic\")", 22, "\"cubic\" or \"linear\"");
  expect_error("table(x, 0, 1, 1, 3, \"linear\", \"clip\")", 32, "\"hold\" or \"extend\"");
  expect_error("table(x, 0, 1, 1, 3, \"linear\", \"hold\", 2)", 37, "expected ')'");
}

/* x³ through four points: 3x² and 6x at the ends. */
static void outside_goes_on(void **state) {
  (void)state;
#define CUBE "table(x, -1, -1, 0, 0, 1, 1, 2, 8, \"cubic\", "
  expect_jet(CUBE "\"extend\")", 3, 8 + 12, 12, 0);
  expect_jet(CUBE "\"extend\")", -2, -1 - 3, 3, 0);
  expect_jet(CUBE "\"extend\")", 1.5, 3.375, 6.75, 9);
  expect_jet(CUBE "\"hold\")", 3, 8, 0, 0);
  expect_jet(CUBE "\"hold\")", -2, -1, 0, 0);
  assert_true(isnan(value_at(CUBE "\"hold\")", NAN, 0)));
  assert_true(isnan(value_at(CUBE "\"error\")", 3, 0)));
  static const char *const kinks[] = {NULL, "table", NULL};
  static const char *const texts[] = {CUBE "\"error\")", CUBE "\"hold\")", CUBE "\"extend\")"};
  for (int i = 0; i < 3; i++) {
    trm_expression *e = parse(texts[i]);
    assert_int_equal(trm_expression_is_smooth(e), i == 0);
    const char *kink = trm_expression_kink(e);
    assert_true(kinks[i] ? kink && strcmp(kink, kinks[i]) == 0 : !kink);
    trm_expression_destroy(e);
  }
  expect_near("constant", value_at("table(L + 1, 0, 0, 2, 4, \"cubic\", \"extend\")", 0, 0), 6,
              1e-14);
}

static void leaving_is_explained(void **state) {
  (void)state;
  put("0,0\n1,2\n");
  trm_expression *e = parse_in(folder, "1 + table(x, 't.csv')");
  trm_expression_error error;
  double inside[SLOTS] = {0.5}, outside[SLOTS] = {1.25};
  assert_false(trm_expression_explain(e, inside, &error));
  assert_true(trm_expression_explain(e, outside, &error));
  assert_non_null(
      strstr(error.message, "x = 1.25 is outside the table 't.csv', which goes from 0 to 1"));
  trm_expression_destroy(e);
  remove_file();
}

/* --- surfaces --- */

static double wave(double x, double y) {
  return sin(x + 0.5) * exp(0.4 * y) + 0.3 * x * y;
}

/* Unequal intervals, so that nothing cancels. */
static double argument(int i, int n) {
  double u = (double)i / n;
  return 2 * (u + 0.15 * u * (1 - u));
}

static void write_surface(double (*f)(double, double), int nx, int ny) {
  static char text[200000];
  size_t n = (size_t)snprintf(text, sizeof text, "y\\x");
  for (int i = 0; i <= nx; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, ",%.17g", argument(i, nx));
  for (int j = 0; j <= ny; j++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "\n%.17g", argument(j, ny));
    for (int i = 0; i <= nx; i++)
      n += (size_t)snprintf(text + n, sizeof text - n, ",%.17g",
                            f(argument(i, nx), argument(j, ny)));
  }
  assert_true(n < sizeof text - 40);
  put(text);
}

/* Largest error of the value, and of first and second derivatives along a slanted line. */
static void surface_errors(int n, double error[3]) {
  const double a = 0.6, b = -0.8;
  write_surface(wave, n, n + 1);
  trm_expression *e = parse_in(folder, "table2(x, y, 't.csv')");
  error[0] = error[1] = error[2] = 0;
  for (double x = 0; x <= 2; x += 0.037)
    for (double y = 0; y <= 2; y += 0.041) {
      trm_jet slots[SLOTS] = {{x, a, 0.3}, {y, b, -0.2}};
      trm_jet jet = trm_expression_jet(e, slots);
      double s = sin(x + 0.5), c = cos(x + 0.5), g = exp(0.4 * y);
      double fx = c * g + 0.3 * y, fy = 0.4 * s * g + 0.3 * x;
      double d = fx * a + fy * b;
      double dd = -s * g * a * a + 2 * (0.4 * c * g + 0.3) * a * b + 0.16 * s * g * b * b +
                  fx * 0.3 - fy * 0.2;
      error[0] = larger(error[0], fabs(jet.f - wave(x, y)));
      error[1] = larger(error[1], fabs(jet.d - d));
      error[2] = larger(error[2], fabs(jet.dd - dd));
      double gradient[SLOTS], values[SLOTS] = {x, y};
      expect_near("value", trm_expression_gradient(e, values, gradient), jet.f, 1e-13);
      expect_near("gradient", gradient[0] * a + gradient[1] * b, jet.d, 1e-12);
    }
  trm_expression_destroy(e);
  remove_file();
}

/* Fourth, third and second order. */
static void surfaces_converge(void **state) {
  (void)state;
  double coarse[3], fine[3];
  surface_errors(8, coarse);
  surface_errors(32, fine);
  for (int k = 0; k < 3; k++) {
    double order = log(coarse[k] / fine[k]) / log(4.0);
    print_message("derivative %d: %.3g, %.3g, order %.2f\n", k, coarse[k], fine[k], order);
    assert_true(order > 4 - k - 0.35);
    assert_true(fine[k] < 2e-2);
  }
}

static double bicubic(double x, double y) {
  return (x * x * x - 2 * x + 1) * (y * y * y + y * y - 3) + x * y;
}

/* The surface of a bicubic is that bicubic; straight pieces keep what is bilinear. */
static void polynomial_surfaces(void **state) {
  (void)state;
  write_surface(bicubic, 4, 5);
  for (double x = 0; x <= 2; x += 0.1)
    for (double y = 0; y <= 2; y += 0.1) {
      trm_jet jet = jet_in("table2(x, y, 't.csv')", (trm_jet){x, 1, 0}, (trm_jet){y, 0, 0});
      double q = y * y * y + y * y - 3;
      expect_near("bicubic", jet.f, bicubic(x, y), 1e-12);
      expect_near("∂/∂x", jet.d, (3 * x * x - 2) * q + y, 1e-11);
      expect_near("∂²/∂x²", jet.dd, 6 * x * q, 1e-10);
    }
  remove_file();
  put("corner,0,1,3\n0,1,2,4\n2,5,8,14\n");
  for (double x = 0; x <= 3; x += 0.25)
    for (double y = 0; y <= 2; y += 0.25) {
      trm_jet jet =
          jet_in("table2(x, y, 't.csv', 'linear')", (trm_jet){x, 1, 0}, (trm_jet){y, 1, 0});
      expect_near("bilinear", jet.f, 1 + x + 2 * y + x * y, 1e-13);
      expect_near("slope", jet.d, 1 + y + 2 + x, 1e-13);
      expect_near("twice the mixed derivative", jet.dd, 2, 1e-13);
    }
  remove_file();
}

/* Value, slopes and, for a cubic, second derivatives on both sides of every line of the grid. */
static void surfaces_are_smooth(void **state) {
  (void)state;
  write_surface(wave, 5, 6);
  trm_expression *e = parse_in(folder, "table2(x, y, 't.csv')");
  for (int i = 1; i < 5; i++)
    for (double y = 0.1; y < 2; y += 0.3)
      for (int k = 0; k < 4; k++) {
        static const double direction[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
        double line = argument(i, 5), other = argument(i, 6);
        trm_jet in_x[2], in_y[2];
        for (int side = 0; side < 2; side++) {
          double x = nextafter(line, side ? 9 : -9), v = nextafter(other, side ? 9 : -9);
          trm_jet p[SLOTS] = {{x, direction[k][0], 0}, {y, direction[k][1], 0}};
          trm_jet q[SLOTS] = {{y, direction[k][0], 0}, {v, direction[k][1], 0}};
          in_x[side] = trm_expression_jet(e, p);
          in_y[side] = trm_expression_jet(e, q);
        }
        expect_near("slope across x", in_x[0].d, in_x[1].d, 1e-12);
        expect_near("curvature across x", in_x[0].dd, in_x[1].dd, 1e-11);
        expect_near("slope across y", in_y[0].d, in_y[1].d, 1e-12);
        expect_near("curvature across y", in_y[0].dd, in_y[1].dd, 1e-11);
      }
  trm_expression_destroy(e);
  remove_file();
}

static void outside_a_surface(void **state) {
  (void)state;
  put("corner,0,1,3\n0,1,2,4\n2,5,8,14\n");
  trm_jet x = {4, 1, 0}, y = {5, 1, 0}, inside = {1, 1, 0};
  assert_true(isnan(jet_in("table2(x, y, 't.csv')", x, inside).f));
  trm_jet jet = jet_in("table2(x, y, 't.csv', 'cubic', 'extend')", x, y);
  expect_near("corner", jet.f, 1 + 4 + 10 + 20, 1e-12); /* 1 + x + 2y + xy, which is straight */
  expect_near("corner", jet.d, 1 + 5 + 2 + 4, 1e-12);
  expect_near("corner", jet.dd, 2, 1e-12);
  jet = jet_in("table2(x, y, 't.csv', 'cubic', 'hold')", x, inside);
  expect_near("edge", jet.f, 1 + 3 + 2 + 3, 1e-12);
  expect_near("edge", jet.d, 2 + 3, 1e-12);
  trm_expression *e = parse_in(folder, "table2(x, y, 't.csv')");
  trm_expression_error error;
  double slots[SLOTS] = {1, -3};
  assert_true(trm_expression_explain(e, slots, &error));
  assert_non_null(
      strstr(error.message, "y = -3 is outside the table 't.csv', which goes from 0 to 2"));
  trm_expression_destroy(e);
  expect_error_in(folder, "table2(9, 1, 't.csv')", 0, "x = 9 is outside the table 't.csv'");
  remove_file();
}

static void expect_grid_error(const char *text, const char *part) {
  put(text);
  expect_error_in(folder, "table2(x, y, \"t.csv\")", 14, part);
  remove_file();
}

static void bad_grids_are_refused(void **state) {
  (void)state;
  expect_error("table2(x, \"t.csv\")", 0, "table2(x, y, \"file.csv\")");
  expect_error("table2(x, y)", 0, "table2(x, y, \"file.csv\")");
  expect_error("table2(x, y, 3)", 0, "table2(x, y, \"file.csv\")");
  expect_error_in(folder, "table2(x, y, 't.csv')", 14, "No such file");
  expect_error_in(NULL, "table2(x, y, '/dev/zero')", 14, "not a table file");
  expect_grid_error("", "line 1: expected a corner and two or more arguments x");
  expect_grid_error("0,1\n1,2\n2,3\n", "line 1: expected a corner");
  expect_grid_error("c,0,1\n1,2,3\n", "at least two rows");
  expect_grid_error("c,0,1\n1,2,3\n2,3\n", "line 3: expected 3 numbers, found 2");
  expect_grid_error("c,0,1\n1,2,nan\n2,3,4\n", "line 2");
  expect_grid_error("c,0,1\n1,2,3\n1,3,4\n", "line 3: y must increase");
  expect_grid_error("c,0,0\n1,2,3\n2,3,4\n",
                    "in the first row of a grid must increase: 0 comes after 0");
  char path[300];
  path_of(path, sizeof path, "t.csv");
  assert_int_equal(mkfifo(path, 0600), 0);
  expect_error_in(folder, "table2(x, y, 't.csv')", 14, "not a table file");
  expect_error_in(folder, "table(x, 't.csv')", 10, "not a table file");
  remove_file();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polynomials_are_reproduced),
      cmocka_unit_test(quintics_are_reproduced),
      cmocka_unit_test(splines_pass_their_points_smoothly),
      cmocka_unit_test(many_points_converge),
      cmocka_unit_test(outside_is_an_error),
      cmocka_unit_test(bad_points_are_refused),
      cmocka_unit_test(files_are_read),
      cmocka_unit_test(bad_files_are_refused),
      cmocka_unit_test(columns_have_names),
      cmocka_unit_test(straight_pieces),
      cmocka_unit_test(outside_goes_on),
      cmocka_unit_test(leaving_is_explained),
      cmocka_unit_test(surfaces_converge),
      cmocka_unit_test(polynomial_surfaces),
      cmocka_unit_test(surfaces_are_smooth),
      cmocka_unit_test(outside_a_surface),
      cmocka_unit_test(bad_grids_are_refused),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
