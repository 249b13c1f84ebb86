/* The table of results, written to CSV and read back. */
#define _POSIX_C_SOURCE 200809L
#include "result/results.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct fixture {
  trm_diagnostics *diagnostics;
  trm_results *results;
  char folder[64], path[96];
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  f->diagnostics = trm_diagnostics_create();
  f->results = trm_results_create();
  strcpy(f->folder, "/tmp/trm_results_XXXXXX");
  if (!mkdtemp(f->folder)) return 1;
  snprintf(f->path, sizeof f->path, "%s/results.csv", f->folder);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  trm_results_destroy(f->results);
  trm_diagnostics_destroy(f->diagnostics);
  unlink(f->path);
  rmdir(f->folder);
  free(f);
  return 0;
}

static const char *first_message(const fixture *f) {
  const trm_diagnostic *diagnostic = trm_diagnostics_get(f->diagnostics, 0);
  return diagnostic ? diagnostic->message : "";
}

static void put(const char *path, const char *text, size_t length) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static trm_results *read_text(fixture *f, const char *text) {
  put(f->path, text, strlen(text));
  return trm_results_read_csv(f->path, f->diagnostics);
}

static uint64_t bits(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}

static void table_holds_what_was_laid_out(void **state) {
  fixture *f = *state;
  char name[] = "rod.x";
  assert_true(trm_results_layout(f->results, 2, (const char *const[]){"t", name}, 2));
  name[0] = 'X';
  assert_int_equal(trm_results_columns(f->results), 2);
  assert_int_equal(trm_results_rows(f->results), 0);
  assert_string_equal(trm_results_name(f->results, 1), "rod.x");
  for (int k = 0; k < 2; k++) {
    double *row = trm_results_next_row(f->results);
    row[0] = k;
    row[1] = 10.5 * k;
    trm_results_add_row(f->results);
  }
  assert_null(trm_results_next_row(f->results));
  assert_int_equal(trm_results_rows(f->results), 2);
  assert_int_equal(trm_results_find(f->results, "rod.x"), 1);
  assert_int_equal(trm_results_find(f->results, "rod.y"), -1);
  assert_true(trm_results_get(f->results, 1, 1) == 10.5);
  const double *column = trm_results_column(f->results, 1);
  assert_true(column[0] == 0 && column[1] == 10.5);
  assert_null(trm_results_column(f->results, 2));
  assert_null(trm_results_column(f->results, -1));
}

static void outside_the_table_is_nothing(void **state) {
  fixture *f = *state;
  assert_int_equal(trm_results_columns(f->results), 0);
  assert_true(trm_results_layout(f->results, 1, (const char *const[]){"t"}, 1));
  assert_null(trm_results_name(f->results, 1));
  assert_null(trm_results_name(f->results, -1));
  assert_true(isnan(trm_results_get(f->results, 0, 0)));
  *trm_results_next_row(f->results) = 3;
  trm_results_add_row(f->results);
  assert_true(isnan(trm_results_get(f->results, 0, 1)));
  assert_true(isnan(trm_results_get(f->results, -1, 0)));
}

static void laying_out_again_starts_anew(void **state) {
  fixture *f = *state;
  assert_true(trm_results_layout(f->results, 1, (const char *const[]){"t"}, 1));
  *trm_results_next_row(f->results) = 3;
  trm_results_add_row(f->results);
  assert_true(trm_results_layout(f->results, 2, (const char *const[]){"t", "a"}, 3));
  assert_int_equal(trm_results_rows(f->results), 0);
  assert_int_equal(trm_results_columns(f->results), 2);
  assert_false(trm_results_layout(f->results, 0, NULL, 1));
  assert_false(trm_results_layout(f->results, 1, (const char *const[]){"t"}, -1));
}

static const double difficult[] = {
    0.0,     -0.0,     0.1,         1.0 / 3,           DBL_MAX, -DBL_MIN, DBL_TRUE_MIN,
    1e22,    5e-324,   123456789.0, 3.141592653589793, -1e-300, 1e15 + 1, 2.2250738585072011e-308,
    DBL_MAX, INFINITY, -INFINITY};
enum { DIFFICULT = sizeof difficult / sizeof *difficult };

static void fill(fixture *f) {
  assert_true(trm_results_layout(f->results, 2, (const char *const[]){"t", "a.x"}, DIFFICULT));
  for (int k = 0; k < DIFFICULT; k++) {
    double *row = trm_results_next_row(f->results);
    row[0] = k;
    row[1] = difficult[k];
    trm_results_add_row(f->results);
  }
}

static void expect_back(fixture *f) {
  trm_results *back = trm_results_read_csv(f->path, f->diagnostics);
  assert_non_null(back);
  assert_int_equal(trm_results_columns(back), 2);
  assert_int_equal(trm_results_rows(back), DIFFICULT);
  assert_string_equal(trm_results_name(back, 1), "a.x");
  for (int k = 0; k < DIFFICULT; k++)
    assert_true(bits(trm_results_get(back, k, 1)) == bits(difficult[k]));
  trm_results_destroy(back);
}

static void every_double_comes_back(void **state) {
  fixture *f = *state;
  fill(f);
  assert_int_equal(trm_results_write_csv(f->results, f->path, f->diagnostics), TRM_OK);
  expect_back(f);
  assert_int_equal(trm_diagnostics_count(f->diagnostics), 0);
}

static void text_is_plain_csv(void **state) {
  fixture *f = *state;
  assert_true(trm_results_layout(f->results, 3, (const char *const[]){"t", "a.x", "a.y"}, 2));
  memcpy(trm_results_next_row(f->results), (double[]){0, 0.1, -1}, 3 * sizeof(double));
  trm_results_add_row(f->results);
  memcpy(trm_results_next_row(f->results), (double[]){0.5, 1e-20, NAN}, 3 * sizeof(double));
  trm_results_add_row(f->results);
  assert_int_equal(trm_results_write_csv(f->results, f->path, f->diagnostics), TRM_OK);
  char text[200] = "";
  FILE *file = fopen(f->path, "rb");
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = 0;
  assert_string_equal(text, "t,a.x,a.y\n0,0.10000000000000001,-1\n"
                            "0.5,9.9999999999999995e-21,nan\n");
}

static void locale_changes_nothing(void **state) {
  fixture *f = *state;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) skip();
  fill(f);
  assert_int_equal(trm_results_write_csv(f->results, f->path, f->diagnostics), TRM_OK);
  expect_back(f);
  char text[16];
  snprintf(text, sizeof text, "%g", 0.5);
  setlocale(LC_NUMERIC, "C");
  assert_string_equal(text, "0,5"); /* the caller's locale is as it was */
}

static void large_tables_pass_the_buffer(void **state) {
  fixture *f = *state;
  enum { ROWS = 20000 };
  assert_true(trm_results_layout(f->results, 2, (const char *const[]){"t", "a"}, ROWS));
  for (int k = 0; k < ROWS; k++) {
    double *row = trm_results_next_row(f->results);
    row[0] = k;
    row[1] = sin(k);
    trm_results_add_row(f->results);
  }
  assert_int_equal(trm_results_write_csv(f->results, f->path, f->diagnostics), TRM_OK);
  trm_results *back = trm_results_read_csv(f->path, f->diagnostics);
  assert_non_null(back);
  assert_int_equal(trm_results_rows(back), ROWS);
  for (int k = 0; k < ROWS; k++) assert_true(trm_results_get(back, k, 1) == sin(k));
  trm_results_destroy(back);
}

static void full_disk_is_an_error(void **state) {
  fixture *f = *state;
  fill(f);
  assert_int_equal(trm_results_write_csv(f->results, "/dev/full", f->diagnostics), TRM_IO_ERROR);
  assert_non_null(strstr(first_message(f), "/dev/full"));
  assert_non_null(strstr(first_message(f), "No space left on device"));
}

static void cut_off_file_is_an_error(void **state) {
  fixture *f = *state;
  struct rlimit before, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  fill(f);
  small = (struct rlimit){100, before.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  trm_status status = trm_results_write_csv(f->results, f->path, f->diagnostics);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_DFL);
  assert_int_equal(status, TRM_IO_ERROR);
  assert_non_null(strstr(first_message(f), "File too large"));
}

static void missing_folder_is_an_error(void **state) {
  fixture *f = *state;
  fill(f);
  assert_int_equal(trm_results_write_csv(f->results, "/nowhere/at/all.csv", f->diagnostics),
                   TRM_IO_ERROR);
  assert_non_null(strstr(first_message(f), "'/nowhere/at/all.csv': No such file or directory"));
  assert_int_equal(trm_results_write_csv(f->results, f->folder, NULL), TRM_IO_ERROR);
}

static void foreign_files_are_read(void **state) {
  fixture *f = *state;
  trm_results *back =
      read_text(f, "\xef\xbb\xbf\"t\" , a.x\r\n 0 ,1e3\r\n\r\n1,-2.5\r\n  \r\n3,NaN");
  assert_non_null(back);
  assert_int_equal(trm_results_rows(back), 3);
  assert_string_equal(trm_results_name(back, 0), "t");
  assert_string_equal(trm_results_name(back, 1), "a.x");
  assert_true(trm_results_get(back, 0, 1) == 1000);
  assert_true(trm_results_get(back, 1, 1) == -2.5);
  assert_true(isnan(trm_results_get(back, 2, 1)));
  trm_results_destroy(back);
  back = read_text(f, "t,a\n");
  assert_non_null(back);
  assert_int_equal(trm_results_rows(back), 0);
  trm_results_destroy(back);
}

static void every_bad_line_is_named(void **state) {
  fixture *f = *state;
  assert_null(read_text(f, "t,a\n0,1\n\n1,x\n2\n3,4,5\n4,\n"));
  assert_int_equal(trm_diagnostics_errors(f->diagnostics), 4);
  const int lines[] = {4, 5, 6, 7};
  for (int k = 0; k < 4; k++) {
    const trm_diagnostic *diagnostic = trm_diagnostics_get(f->diagnostics, k);
    assert_int_equal(diagnostic->line, lines[k]);
    assert_string_equal(diagnostic->file, f->path);
  }
  assert_string_equal(first_message(f), "'x' is no number");
  assert_string_equal(trm_diagnostics_get(f->diagnostics, 1)->message,
                      "1 numbers, but the header has 2 columns");
}

static void endless_errors_are_cut_short(void **state) {
  fixture *f = *state;
  FILE *file = fopen(f->path, "w");
  for (int k = 0; k < 1000; k++) fputs("a,b\n", file);
  fclose(file);
  assert_null(trm_results_read_csv(f->path, f->diagnostics));
  assert_in_range(trm_diagnostics_errors(f->diagnostics), 1, 50);
}

static void unreadable_files_say_why(void **state) {
  fixture *f = *state;
  assert_null(trm_results_read_csv("/nowhere/at/all.csv", f->diagnostics));
  assert_string_equal(first_message(f), "the table cannot be read: No such file or directory");
  trm_diagnostics_clear(f->diagnostics);
  assert_null(trm_results_read_csv(f->folder, f->diagnostics));
  assert_string_equal(first_message(f), "this is a directory, not a table");
  trm_diagnostics_clear(f->diagnostics);
  assert_null(read_text(f, "\n \n"));
  assert_non_null(strstr(first_message(f), "empty"));
  trm_diagnostics_clear(f->diagnostics);
  put(f->path, "t,a\n0,\0\n", 8);
  assert_null(trm_results_read_csv(f->path, f->diagnostics));
  assert_non_null(strstr(first_message(f), "no text file"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(table_holds_what_was_laid_out),
      TEST(outside_the_table_is_nothing),
      TEST(laying_out_again_starts_anew),
      TEST(every_double_comes_back),
      TEST(text_is_plain_csv),
      TEST(locale_changes_nothing),
      TEST(large_tables_pass_the_buffer),
      TEST(full_disk_is_an_error),
      TEST(cut_off_file_is_an_error),
      TEST(missing_folder_is_an_error),
      TEST(foreign_files_are_read),
      TEST(every_bad_line_is_named),
      TEST(endless_errors_are_cut_short),
      TEST(unreadable_files_say_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
