/* Two tables: which rows and columns are compared, and what is refused. */
#include <stdlib.h>
#include <string.h>
#include <trammel/compare.h>

#include "../check.h"
#include "result/results.h"

typedef struct fixture {
  trm_diagnostics *diagnostics;
  trm_results *tables[2];
  trm_status status;
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  f->diagnostics = trm_diagnostics_create();
  for (int k = 0; k < 2; k++) f->tables[k] = trm_results_create();
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  for (int k = 0; k < 2; k++) trm_results_destroy(f->tables[k]);
  trm_diagnostics_destroy(f->diagnostics);
  free(f);
  return 0;
}

/* names: NULL-terminated; values: row after row */
static void fill(trm_results *table, const char *const *names, int rows, const double *values) {
  int columns = 0;
  while (names[columns]) columns++;
  assert_true(trm_results_layout(table, columns, names, rows));
  for (int i = 0; i < rows; i++) {
    memcpy(trm_results_next_row(table), values + i * columns, (size_t)columns * sizeof *values);
    trm_results_add_row(table);
  }
}

static trm_comparison *compare(fixture *f, const trm_compare_options *options) {
  trm_diagnostics_clear(f->diagnostics);
  return trm_compare_results(f->tables[0], f->tables[1], options, f->diagnostics, &f->status);
}

static void refused(fixture *f, const trm_compare_options *options, trm_status status,
                    const char *words) {
  assert_null(compare(f, options));
  assert_int_equal(f->status, status);
  assert_int_equal(trm_diagnostics_errors(f->diagnostics), 1);
  char text[512];
  trm_diagnostic_format(trm_diagnostics_get(f->diagnostics, 0), text, sizeof text);
  if (!strstr(text, words)) fail_msg("'%s' is not in '%s'", words, text);
}

static void times_and_columns(void **state) {
  fixture *f = *state;
  fill(f->tables[0], (const char *const[]){"t", "x", "y", "z", NULL}, 5,
       (double[]){0, 1, 0, 0, 0.1, 2, 0, 0, 0.2, 4, 1, 0, 0.3, 8, 0, 0, 0.4, 9, 0, 0});
  /* another order, every other time, round-off in one of them */
  fill(f->tables[1], (const char *const[]){"y", "u", "t", "x", NULL}, 4,
       (double[]){0, 0, 0, 1, 0, 0, 0.2 + 1e-10, 4.5, 0, 0, 0.35, 7, 0, 0, 0.4, 9});
  trm_comparison *found = compare(f, NULL);
  assert_non_null(found);
  assert_int_equal(f->status, TRM_OK);
  /* the comparison keeps nothing of the tables */
  for (int k = 0; k < 2; k++)
    assert_true(trm_results_layout(f->tables[k], 1, (const char *const[]){"w"}, 0));
  assert_int_equal(found->rows, 3);
  assert_near(found->last_time, 0.4, 0);
  assert_int_equal(found->column_count, 2);
  assert_string_equal(found->columns[0].name, "x");
  assert_near(found->columns[0].max_difference, 0.5, 0);
  assert_near(found->columns[0].bias.value, -0.5 / 3, 1e-15);
  assert_string_equal(found->columns[1].name, "y");
  assert_near(found->columns[1].max_time, 0.2, 0);
  assert_int_equal(found->largest, 1);
  assert_int_equal(found->only_count[0], 1);
  assert_string_equal(found->only_in[0][0], "z");
  assert_int_equal(found->only_count[1], 1);
  assert_string_equal(found->only_in[1][0], "u");
  trm_comparison_destroy(found);
  trm_comparison_destroy(NULL);
}

static void selections(void **state) {
  fixture *f = *state;
  const double values[] = {0, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1};
  fill(f->tables[0], (const char *const[]){"t", "bob.x", "bob.y", "bobbin.x", NULL}, 3, values);
  fill(f->tables[1], (const char *const[]){"t", "bob.x", "rod.y", "bobbin.x", NULL}, 3, values);
  trm_compare_options options = trm_default_compare_options();
  options.column_count = 1;
  options.columns = (const char *const[]){"bob"};
  trm_comparison *found = compare(f, &options);
  assert_non_null(found);
  assert_int_equal(found->column_count, 1);
  assert_string_equal(found->columns[0].name, "bob.x");
  assert_int_equal(found->only_count[0], 1);
  assert_int_equal(found->only_count[1], 0);
  trm_comparison_destroy(found);
  options.columns = (const char *const[]){"rod"};
  refused(f, &options, TRM_BAD_USAGE, "'rod' is in 'second table' but not in 'first table'");
  options.columns = (const char *const[]){"bo"};
  refused(f, &options, TRM_BAD_USAGE, "no column 'bo'");
}

static const double plain[] = {0, 1, 1, 2, 2, 5};
static const char *const names[] = {"t", "x", NULL};

static void too_little_in_common(void **state) {
  fixture *f = *state;
  trm_compare_options options = trm_default_compare_options();
  options.names[0] = "a.csv";
  options.names[1] = "b.csv";
  fill(f->tables[0], names, 3, plain);
  fill(f->tables[1], names, 3, (double[]){0, 1, 0.7, 2, 1, 5});
  refused(f, &options, TRM_FAILED,
          "2 times are common to 'a.csv' (3 rows) and 'b.csv' (3 rows), but 3 are needed");
  fill(f->tables[1], names, 0, plain);
  refused(f, &options, TRM_FAILED, "--output-step");
  fill(f->tables[1], (const char *const[]){"t", "y", NULL}, 3, plain);
  refused(f, &options, TRM_FAILED, "no column in common");
}

/* The time of an event that has not been, in both: the other rows are compared. */
static void empty_cells(void **state) {
  fixture *f = *state;
  trm_compare_options options = trm_default_compare_options();
  const char *const three[] = {"t", "x", "y", NULL};
  fill(f->tables[0], three, 4, (double[]){0, NAN, NAN, 1, 1, NAN, 2, 3, NAN, 3, 4, 1});
  fill(f->tables[1], three, 4, (double[]){0, NAN, NAN, 1, 1, NAN, 2, 5, NAN, 3, 4, 1});
  trm_comparison *found = trm_compare_results(f->tables[0], f->tables[1], &options, NULL, NULL);
  assert_non_null(found);
  assert_int_equal(found->column_count, 1);
  assert_string_equal(found->columns[0].name, "x");
  assert_true(found->columns[0].max_difference == 2 && found->columns[0].max_time == 2);
  trm_comparison_destroy(found);
  options.columns = (const char *const[]){"y"};
  options.column_count = 1;
  refused(f, &options, TRM_FAILED, "fewer than 3 numbers");
}

static void bad_cells(void **state) {
  fixture *f = *state;
  trm_compare_options options = trm_default_compare_options();
  options.names[1] = "b.csv";
  fill(f->tables[0], names, 3, plain);
  fill(f->tables[1], names, 3, (double[]){0, 1, 1, NAN, 2, 5});
  refused(f, &options, TRM_FAILED, "b.csv: error: row 2, column 'x': nan at t = 1");
  fill(f->tables[1], names, 3, (double[]){0, 1, 1, 1, 2, INFINITY});
  refused(f, &options, TRM_FAILED, "b.csv: error: row 3, column 'x': inf at t = 2");
  fill(f->tables[1], names, 3, (double[]){0, 1, NAN, 1, 2, 1});
  refused(f, &options, TRM_FAILED, "b.csv: error: row 2: t is nan");
  fill(f->tables[1], names, 3, (double[]){0, 1, 1, 1, 1, 1});
  refused(f, &options, TRM_FAILED, "b.csv: error: row 3: t = 1 is not after t = 1");
  fill(f->tables[1], (const char *const[]){"x", "x", NULL}, 3, plain);
  refused(f, &options, TRM_FAILED, "b.csv: error: two columns are called 'x'");
  fill(f->tables[1], (const char *const[]){"time", "x", NULL}, 3, plain);
  refused(f, &options, TRM_FAILED, "b.csv: error: there is no column 't'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(times_and_columns, set_up, tear_down),
      cmocka_unit_test_setup_teardown(selections, set_up, tear_down),
      cmocka_unit_test_setup_teardown(too_little_in_common, set_up, tear_down),
      cmocka_unit_test_setup_teardown(empty_cells, set_up, tear_down),
      cmocka_unit_test_setup_teardown(bad_cells, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
