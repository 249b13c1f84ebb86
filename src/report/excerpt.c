/* Fewer rows for plots. A stretch of rows becomes two: smallest and largest value of each column,
 * in the order in which they occur. */
#include "report/excerpt.h"

#include <math.h>
#include <stdlib.h>

#define MOST_ROWS    2000
#define FEWEST_ROWS  100
#define MOST_NUMBERS 2000000 /* of a table: 8 MB before compression */

/* Rows in a stretch; 0: all rows are kept. */
static int choose_stretch(int rows, int columns) {
  int most = MOST_NUMBERS / (columns > 0 ? columns : 1);
  if (most > MOST_ROWS) most = MOST_ROWS;
  if (most < FEWEST_ROWS) most = FEWEST_ROWS;
  if (rows <= most) return 0;
  return 2 * ((rows - 3) / (most - 2) + 1);
}

static void copy_row(const trm_results *results, int row, trm_excerpt *excerpt) {
  float *values = excerpt->values + (size_t)excerpt->rows * (size_t)excerpt->columns;
  for (int c = 0; c < excerpt->columns; c++)
    values[c] = (float)trm_results_get(results, row, c + 1);
  excerpt->t[excerpt->rows++] = trm_results_get(results, row, 0);
}

/* A gap where one of the values is no number. */
static void find_extremes(const trm_results *results, int column, int first, int end,
                          float pair[2]) {
  int low = first, high = first;
  for (int row = first + 1; row < end; row++) {
    double value = trm_results_get(results, row, column);
    if (isnan(value) || value < trm_results_get(results, low, column)) low = row;
    if (isnan(value) || value > trm_results_get(results, high, column)) high = row;
  }
  pair[low > high] = (float)trm_results_get(results, low, column);
  pair[low <= high] = (float)trm_results_get(results, high, column);
}

static void reduce(const trm_results *results, int first, int end, trm_excerpt *excerpt) {
  float *values = excerpt->values + (size_t)excerpt->rows * (size_t)excerpt->columns;
  for (int c = 0; c < excerpt->columns; c++) {
    float pair[2];
    find_extremes(results, c + 1, first, end, pair);
    values[c] = pair[0];
    values[excerpt->columns + c] = pair[1];
  }
  excerpt->t[excerpt->rows++] = trm_results_get(results, first, 0);
  excerpt->t[excerpt->rows++] = trm_results_get(results, (first + end) / 2, 0);
}

bool trm_excerpt_create(trm_excerpt *excerpt, const trm_results *results) {
  int rows = trm_results_rows(results), columns = trm_results_columns(results) - 1;
  if (columns < 0) columns = 0;
  int stretch = choose_stretch(rows, columns);
  size_t room = (size_t)(stretch ? 2 * (rows / stretch + 1) + 2 : rows) + 1;
  *excerpt = (trm_excerpt){.columns = columns};
  excerpt->t = malloc(room * sizeof *excerpt->t);
  excerpt->values = malloc((room * (size_t)columns + 1) * sizeof *excerpt->values);
  if (!excerpt->t || !excerpt->values) {
    trm_excerpt_free(excerpt);
    return false;
  }
  if (!stretch) {
    for (int row = 0; row < rows; row++) copy_row(results, row, excerpt);
    return true;
  }
  copy_row(results, 0, excerpt); /* the first and the last row stay as they are */
  for (int first = 1; first < rows - 1; first += stretch)
    reduce(results, first, first + stretch < rows - 1 ? first + stretch : rows - 1, excerpt);
  copy_row(results, rows - 1, excerpt);
  return true;
}

void trm_excerpt_free(trm_excerpt *excerpt) {
  free(excerpt->t);
  free(excerpt->values);
  *excerpt = (trm_excerpt){0};
}

void trm_excerpt_write(const trm_excerpt *excerpt, const trm_results *results, const char *key,
                       trm_json *json) {
  trm_json_open(json, key);
  trm_json_open_list(json, "names");
  for (int c = 1; c <= excerpt->columns; c++)
    trm_json_string(json, NULL, trm_results_name(results, c));
  trm_json_close_list(json);
  trm_json_numbers(json, "t", excerpt->t, excerpt->rows, 15);
  trm_json_integer(json, "rows", trm_results_rows(results));
  trm_json_close(json);
}
