/* Figures: what is drawn where, gaps, clipping, many points, names that are no XML. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <trammel/trammel.h>

#include "../check.h"

/* The text of the figure, to be freed. */
static char *write_plot(const trm_plot *plot) {
  char path[] = "/tmp/trm_plot_XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  assert_int_equal(trm_plot_write_svg(plot, path, NULL), TRM_OK);
  FILE *input = fopen(path, "rb");
  assert_non_null(input);
  fseek(input, 0, SEEK_END);
  size_t size = (size_t)ftell(input);
  char *text = malloc(size + 1);
  assert_non_null(text);
  rewind(input);
  assert_int_equal(fread(text, 1, size, input), size);
  text[size] = 0;
  fclose(input);
  unlink(path);
  return text;
}

static trm_plot plot_of(const trm_plot_series *series) {
  trm_plot plot = trm_default_plot();
  plot.series = series;
  plot.series_count = 1;
  return plot;
}

/* The first curve: the commands of its path. */
static char *curve_of(const char *svg) {
  static const char start[] = "<path class=\"line\" d=\"";
  const char *from = strstr(svg, start);
  assert_non_null(from);
  from += strlen(start);
  size_t length = strcspn(from, "\"");
  char *path = malloc(length + 1);
  assert_non_null(path);
  memcpy(path, from, length);
  path[length] = 0;
  return path;
}

static int count(const char *text, char c) {
  int found = 0;
  for (; *text; text++) found += *text == c;
  return found;
}

typedef struct {
  double left, top, right, bottom;
} box;

static box frame_of(const char *svg) {
  double x, y, width, height;
  const char *rect = strstr(svg, "class=\"frame\"");
  assert_non_null(rect);
  assert_int_equal(sscanf(rect, "class=\"frame\" x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"",
                          &x, &y, &width, &height),
                   4);
  return (box){x, y, x + width, y + height};
}

/* All points of a path lie in the frame; the number of them. */
static int check_inside(const char *path, box frame) {
  int points = 0;
  for (const char *c = path; *c;) {
    if (!isdigit((unsigned char)*c) && *c != '-') {
      c++;
      continue;
    }
    char *end;
    double x = strtod(c, &end), y = strtod(end, &end);
    assert_true(x >= frame.left - 0.06 && x <= frame.right + 0.06);
    assert_true(y >= frame.top - 0.06 && y <= frame.bottom + 0.06);
    points++;
    c = end;
  }
  return points;
}

/* Straight in the logarithms: y = x³ over two decades each way, from corner to corner. */
static void logarithmic_axes(void **state) {
  (void)state;
  double x[] = {0.01, 0.1, 1}, y[] = {1e-6, 1e-3, 1};
  trm_plot_series series = {.name = "cubic", .count = 3, .x = x, .y = y, .line = true};
  trm_plot plot = plot_of(&series);
  plot.x = (trm_plot_axis){.log = true, .low = 0.01, .high = 1};
  plot.y = (trm_plot_axis){.log = true, .low = 1e-6, .high = 1};
  char *svg = write_plot(&plot), *path = curve_of(svg);
  box f = frame_of(svg);
  double at[6];
  assert_int_equal(
      sscanf(path, "M%lf %lfL%lf %lfL%lf %lf", at, at + 1, at + 2, at + 3, at + 4, at + 5), 6);
  assert_near(at[0], f.left, 0.1);
  assert_near(at[1], f.bottom, 0.1);
  assert_near(at[2], (f.left + f.right) / 2, 0.1);
  assert_near(at[3], (f.top + f.bottom) / 2, 0.1);
  assert_near(at[4], f.right, 0.1);
  assert_near(at[5], f.top, 0.1);
  free(path);
  free(svg);
}

/* What cannot be shown interrupts the line; a point alone is a dot. */
static void gaps(void **state) {
  (void)state;
  double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, y[] = {1, 2, NAN, 3, INFINITY, 4, 5, -1, 6};
  trm_plot_series series = {.count = 9, .x = x, .y = y, .line = true};
  trm_plot plot = plot_of(&series);
  char *svg = write_plot(&plot), *path = curve_of(svg);
  assert_int_equal(count(path, 'M'), 3); /* 1 2, 3 alone, 4 5 −1 6 */
  assert_int_equal(count(path, 'L'), 4);
  assert_int_equal(count(path, 'h'), 1);
  free(path);
  free(svg);
  plot.y.log = true; /* −1 is a gap now */
  svg = write_plot(&plot), path = curve_of(svg);
  assert_int_equal(count(path, 'M'), 4);
  assert_int_equal(count(path, 'L'), 2);
  free(path);
  free(svg);
}

/* A triangle wave that leaves the frame at every peak, whatever its height. */
static void clipping(void **state) {
  (void)state;
  for (double height = 100; height < 1e250; height *= 1e100) {
    double x[21], y[21];
    for (int k = 0; k < 21; k++) x[k] = k, y[k] = k % 2 ? height : -height;
    trm_plot_series series = {.count = 21, .x = x, .y = y, .line = true, .markers = true};
    trm_plot plot = plot_of(&series);
    plot.y.low = -1;
    plot.y.high = 1;
    char *svg = write_plot(&plot), *path = curve_of(svg);
    box f = frame_of(svg);
    assert_int_equal(check_inside(path, f), 40); /* each crossing enters and leaves */
    double from[2], to[2];
    assert_int_equal(sscanf(path, "M%lf %lfL%lf %lf", from, from + 1, to, to + 1), 4);
    if (height == 100) {
      assert_near(from[1], f.bottom, 0.1);
      assert_near(to[1], f.top, 0.1);
    }
    assert_non_null(strstr(svg, "<path class=\"mark\" d=\"\"/>")); /* all outside */
    free(path);
    free(svg);
  }
}

/* Of a million points some thousands are enough, and no peak is lost. */
static void many_points(void **state) {
  (void)state;
  enum { POINTS = 1000000, PEAK = 654321 };
  double *x = malloc(POINTS * sizeof *x), *y = malloc(POINTS * sizeof *y);
  assert_true(x && y);
  for (int k = 0; k < POINTS; k++) {
    x[k] = k;
    y[k] = sin(k * 0.3);
  }
  y[PEAK] = 50;
  trm_plot_series series = {.count = POINTS, .x = x, .y = y, .line = true, .markers = true};
  trm_plot plot = plot_of(&series);
  plot.y.low = -2;
  plot.y.high = 50;
  char *svg = write_plot(&plot), *path = curve_of(svg);
  box f = frame_of(svg);
  int points = check_inside(path, f);
  assert_true(points > 1000 && points < 4 * 760);
  char top[32];
  snprintf(top, sizeof top, " %.2fL", f.top);
  assert_non_null(strstr(path, top));
  assert_true(strlen(svg) < 100000);
  free(path);
  free(svg);
  free(x);
  free(y);
}

static void names_are_escaped(void **state) {
  (void)state;
  double x[] = {0, 1}, y[] = {0, 1};
  trm_plot_series series = {.name = "a<b> & \"c\" \xc3\xa9 \xff\x01 \xef\xbf\xbf",
                            .count = 2,
                            .x = x,
                            .y = y,
                            .line = true};
  trm_plot plot = plot_of(&series);
  plot.title = "</svg>";
  plot.x.label = "x<y";
  plot.y.label = "%s & %n";
  char *svg = write_plot(&plot);
  assert_non_null(
      strstr(svg, "a&lt;b&gt; &amp; \"c\" \xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd<"));
  assert_non_null(strstr(svg, ">&lt;/svg&gt;<"));
  assert_non_null(strstr(svg, ">x&lt;y<"));
  assert_non_null(strstr(svg, ">%s &amp; %n<"));
  free(svg);
}

static void expect_text(const trm_plot *plot, const char *text) {
  char *svg = write_plot(plot);
  if (!strstr(svg, text)) fail_msg("'%s' is not in the figure", text);
  assert_null(strstr(svg, "nan"));
  free(svg);
}

static void nothing_to_show(void **state) {
  (void)state;
  double x[] = {1, 2}, y[] = {NAN, -1};
  trm_plot plot = trm_default_plot();
  expect_text(&plot, "no data to show");
  trm_plot_series series = {.name = "nothing", .count = 2, .x = x, .y = y, .line = true};
  plot = plot_of(&series);
  plot.y.log = true;
  expect_text(&plot, "no data to show");
  expect_text(&plot, ">nothing<");
}

/* A constant stands in the middle, on an axis that has a range. */
static void constant_series(void **state) {
  (void)state;
  static const double values[] = {0, 5, -1e-20, 1e15};
  double x[] = {3, 3}, y[2];
  trm_plot_series series = {.count = 2, .x = x, .y = y, .line = true, .markers = true};
  for (int k = 0; k < 8; k++) {
    trm_plot plot = plot_of(&series);
    plot.y.log = k / 4 && values[k % 4] > 0;
    y[0] = y[1] = values[k % 4];
    char *svg = write_plot(&plot), *path = curve_of(svg);
    box f = frame_of(svg);
    double at[2];
    assert_int_equal(sscanf(path, "M%lf %lfh0", at, at + 1), 2);
    assert_near(at[0], (f.left + f.right) / 2, 0.1);
    assert_near(at[1], (f.top + f.bottom) / 2, 0.1);
    assert_non_null(strstr(svg, "class=\"tick\""));
    free(path);
    free(svg);
  }
}

static void unwritable(void **state) {
  (void)state;
  trm_plot plot = trm_default_plot();
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  assert_int_equal(trm_plot_write_svg(&plot, "nowhere/at/all.svg", diagnostics), TRM_IO_ERROR);
  assert_int_equal(trm_diagnostics_errors(diagnostics), 1);
  assert_non_null(strstr(trm_diagnostics_get(diagnostics, 0)->message, "nowhere/at/all.svg"));
  trm_diagnostics_destroy(diagnostics);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(logarithmic_axes),  cmocka_unit_test(gaps),
      cmocka_unit_test(clipping),          cmocka_unit_test(many_points),
      cmocka_unit_test(names_are_escaped), cmocka_unit_test(nothing_to_show),
      cmocka_unit_test(constant_series),   cmocka_unit_test(unwritable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
