/* Rows that go to a file as they come: the same file as one that is written at the end, read back,
 * gone on with. */
#define _XOPEN_SOURCE 700
#include "result/results.h"
#include "result/stream.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_COLUMNS = 3000 };

static char folder[64], path[96], part[104], other[96];
static char text[MOST_COLUMNS][16];
static const char *names[MOST_COLUMNS];

static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/trm_stream_XXXXXX");
  if (!mkdtemp(folder)) return 1;
  snprintf(path, sizeof path, "%s/results", folder);
  snprintf(part, sizeof part, "%s/results.part", folder);
  snprintf(other, sizeof other, "%s/other", folder);
  for (int k = 0; k < MOST_COLUMNS; k++) {
    snprintf(text[k], sizeof text[k], "c%d", k);
    names[k] = text[k];
  }
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  unlink(path);
  unlink(part);
  unlink(other);
  return rmdir(folder); /* nothing else is left */
}

/* Numbers of all kinds, the same for the same place. */
static double value_at(int row, int column) {
  uint64_t x = (uint64_t)row * 2654435761u + (uint64_t)column * 40503u + 1;
  x ^= x >> 13;
  x *= 0x9e3779b97f4a7c15u;
  switch (x >> 61) {
  case 0: return 0;
  case 1: return -(double)row;
  case 2: return ldexp((double)(x & 0xfffffffffffff), (int)(x % 600) - 300);
  default: return sin((double)x);
  }
}

static void add(trm_results *results, int first, int end) {
  for (int i = first; i < end; i++) {
    double *row = trm_results_next_row(results);
    assert_non_null(row);
    for (int k = 0; k < trm_results_columns(results); k++) row[k] = value_at(i, k);
    assert_true(trm_results_add_row(results));
  }
}

static char *read_file(const char *name, size_t *size) {
  struct stat about;
  FILE *file = fopen(name, "rb");
  assert_non_null(file);
  assert_int_equal(fstat(fileno(file), &about), 0);
  char *bytes = malloc((size_t)about.st_size + 1);
  assert_non_null(bytes);
  *size = fread(bytes, 1, (size_t)about.st_size, file);
  fclose(file);
  return bytes;
}

static void check_same_files(void) {
  size_t a, b;
  char *x = read_file(path, &a), *y = read_file(other, &b);
  assert_int_equal(a, b);
  assert_memory_equal(x, y, a);
  free(x);
  free(y);
}

static void check_values(const trm_results *results, int rows) {
  assert_int_equal(trm_results_rows(results), rows);
  int stride = trm_results_columns(results) > 100 ? 97 : 1;
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < trm_results_columns(results); k += stride)
      assert_true(trm_results_get(results, i, k) == value_at(i, k));
  assert_true(isnan(trm_results_get(results, rows, 0)));
  assert_null(trm_results_column(results, 0));
}

static trm_results *open_stream(const char *format, int columns, int rows, long there,
                                long long bytes) {
  trm_results *results = trm_results_create();
  assert_int_equal(trm_results_stream(results, path, format, NULL), TRM_OK);
  trm_results_go_on(results, there, bytes);
  assert_true(trm_results_layout(results, columns, names, rows));
  return results;
}

static void write_other(const char *format, int columns, int rows) {
  trm_results *results = trm_results_create();
  assert_true(trm_results_layout(results, columns, names, rows));
  add(results, 0, rows);
  trm_status status = strcmp(format, "csv") == 0 ? trm_results_write_csv(results, other, NULL)
                                                 : trm_results_write_hdf5(results, other, NULL);
  assert_int_equal(status, TRM_OK);
  trm_results_destroy(results);
}

/* More rows than can wait, rows of one column and of thousands. */
static void check_whole(const char *format, int columns, int rows) {
  unlink(path);
  trm_results *results = open_stream(format, columns, rows, 0, 0);
  add(results, 0, rows);
  assert_int_not_equal(access(part, F_OK), -1);
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(trm_results_publish(results, NULL), TRM_OK);
  assert_int_equal(access(part, F_OK), -1);
  check_values(results, rows);
  trm_results_destroy(results);
  write_other(format, columns, rows);
  check_same_files();
}

static void the_file_is_that_of_the_end(void **state) {
  (void)state;
  check_whole("csv", 1, 300000);
  check_whole("csv", 7, 50000);
  check_whole("csv", MOST_COLUMNS, 200);
  check_whole("hdf5", 7, 50000);
  check_whole("hdf5", MOST_COLUMNS, 200);
}

/* Cut off behind some rows that are on the disk, as after a kill, and gone on with. */
static void check_going_on(const char *format, int columns, int rows, int synced, int lost) {
  trm_results *results = open_stream(format, columns, rows, 0, 0);
  long there;
  long long bytes;
  add(results, 0, synced);
  assert_int_equal(trm_results_sync(results, &there, &bytes), 0);
  assert_int_equal(there, synced);
  add(results, synced, synced + lost);
  trm_results_destroy(results);
  results = open_stream(format, columns, rows, there, bytes);
  check_values(results, synced);
  add(results, synced, rows);
  check_values(results, rows);
  assert_int_equal(trm_results_publish(results, NULL), TRM_OK);
  trm_results_destroy(results);
  write_other(format, columns, rows);
  check_same_files();
}

static void goes_on_behind_any_row(void **state) {
  (void)state;
  static const int synced[] = {1, 2, 8191, 8192, 8193, 16384, 19999};
  for (size_t i = 0; i < sizeof synced / sizeof *synced; i++)
    for (int h = 0; h < 2; h++) {
      check_going_on(h ? "hdf5" : "csv", 5, 20000, synced[i], 0);
      check_going_on(h ? "hdf5" : "csv", 5, 20000, synced[i], (20000 - synced[i]) / 2);
    }
}

/* Rows that are not those of the checkpoint. */
static void refuses_another_file(void **state) {
  (void)state;
  for (int h = 0; h < 2; h++) {
    const char *format = h ? "hdf5" : "csv";
    trm_results *results = open_stream(format, 3, 100, 0, 0);
    long there;
    long long bytes;
    add(results, 0, 50);
    assert_int_equal(trm_results_sync(results, &there, &bytes), 0);
    trm_results_destroy(results);
    results = trm_results_create();
    assert_int_equal(trm_results_stream(results, path, format, NULL), TRM_OK);
    trm_results_go_on(results, there, bytes);
    assert_false(trm_results_layout(results, 4, names, 100)); /* other columns */
    trm_results_go_on(results, h ? 5000 : there + 1, bytes);  /* other rows */
    assert_false(trm_results_layout(results, 3, names, 100));
    trm_results_go_on(results, there, bytes);
    assert_true(trm_results_layout(results, 3, names, 100));
    trm_results_destroy(results);
  }
}

/* A row is in the file before the next one comes, however long that takes. */
static void a_row_does_not_wait(void **state) {
  (void)state;
  trm_results *results = open_stream("csv", 3, 100, 0, 0);
  add(results, 0, 1);
  nanosleep(&(struct timespec){.tv_nsec = 900000000}, NULL);
  size_t size;
  char *bytes = read_file(part, &size);
  int rows = -1;
  for (size_t i = 0; i < size; i++) rows += bytes[i] == '\n';
  assert_int_equal(rows, 1);
  free(bytes);
  trm_results_destroy(results);
}

static void says_what_is_wrong(void **state) {
  (void)state;
  trm_results *results = trm_results_create();
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  assert_int_equal(trm_results_stream(results, path, "xls", diagnostics), TRM_BAD_USAGE);
  assert_string_equal(trm_diagnostics_get(diagnostics, 0)->message,
                      "unknown format 'xls'; it must be csv or hdf5");
  assert_int_equal(trm_results_stream(results, "/nowhere/at/all", "csv", NULL), TRM_OK);
  assert_false(trm_results_layout(results, 3, names, 10));
  trm_results_destroy(results);
  trm_diagnostics_destroy(diagnostics);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_file_is_that_of_the_end, set_up, tear_down),
      cmocka_unit_test_setup_teardown(goes_on_behind_any_row, set_up, tear_down),
      cmocka_unit_test_setup_teardown(refuses_another_file, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_row_does_not_wait, set_up, tear_down),
      cmocka_unit_test_setup_teardown(says_what_is_wrong, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
