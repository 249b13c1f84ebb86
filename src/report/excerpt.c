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

/* Extremes of a stretch in every column: values, and in which of its rows. */
typedef struct extremes {
  const trm_row_source *source;
  double *row;        /* [columns] the one at hand */
  double *low, *high; /* [columns] */
  int *at_low, *at_high;
} extremes;

static bool create(extremes *e, const trm_row_source *source) {
  size_t columns = (size_t)source->columns + 1;
  *e = (extremes){.source = source};
  e->row = malloc(columns * sizeof *e->row);
  e->low = malloc(columns * sizeof *e->low);
  e->high = malloc(columns * sizeof *e->high);
  e->at_low = malloc(columns * sizeof *e->at_low);
  e->at_high = malloc(columns * sizeof *e->at_high);
  return e->row && e->low && e->high && e->at_low && e->at_high;
}

static void destroy(extremes *e) {
  free(e->row);
  free(e->low);
  free(e->high);
  free(e->at_low);
  free(e->at_high);
}

static void copy_row(extremes *e, int row, trm_excerpt *excerpt) {
  float *values = excerpt->values + (size_t)excerpt->rows * (size_t)excerpt->columns;
  e->source->read(e->source->context, row, e->row);
  for (int c = 0; c < excerpt->columns; c++) values[c] = (float)e->row[c + 1];
  excerpt->t[excerpt->rows++] = e->row[0];
}

/* A gap where one of the values is no number. */
static void compare(extremes *e, int row, bool first) {
  for (int c = 1; c < e->source->columns; c++) {
    double value = e->row[c];
    if (first || isnan(value) || value < e->low[c]) e->low[c] = value, e->at_low[c] = row;
    if (first || isnan(value) || value > e->high[c]) e->high[c] = value, e->at_high[c] = row;
  }
}

static void reduce(extremes *e, int first, int end, trm_excerpt *excerpt) {
  float *values = excerpt->values + (size_t)excerpt->rows * (size_t)excerpt->columns;
  for (int row = first; row < end; row++) {
    e->source->read(e->source->context, row, e->row);
    compare(e, row, row == first);
    if (row == first || row == (first + end) / 2) excerpt->t[excerpt->rows++] = e->row[0];
  }
  if (end - first == 1) excerpt->t[excerpt->rows++] = e->row[0];
  for (int c = 0; c < excerpt->columns; c++) {
    bool falls = e->at_low[c + 1] > e->at_high[c + 1];
    values[c] = (float)(falls ? e->high[c + 1] : e->low[c + 1]);
    values[excerpt->columns + c] = (float)(falls ? e->low[c + 1] : e->high[c + 1]);
  }
}

static void take_rows(extremes *e, int stretch, trm_excerpt *excerpt) {
  int rows = e->source->rows;
  for (int row = 0; !stretch && row < rows; row++) copy_row(e, row, excerpt);
  if (!stretch) return;
  copy_row(e, 0, excerpt); /* the first and the last row stay as they are */
  for (int first = 1; first < rows - 1; first += stretch)
    reduce(e, first, first + stretch < rows - 1 ? first + stretch : rows - 1, excerpt);
  copy_row(e, rows - 1, excerpt);
}

bool trm_excerpt_take(trm_excerpt *excerpt, const trm_row_source *source) {
  int rows = source->rows, columns = source->columns > 0 ? source->columns - 1 : 0;
  int stretch = choose_stretch(rows, columns);
  size_t room = (size_t)(stretch ? 2 * (rows / stretch + 1) + 2 : rows) + 1;
  extremes e;
  *excerpt = (trm_excerpt){.all = rows, .columns = columns};
  excerpt->names = malloc(((size_t)columns + 1) * sizeof *excerpt->names);
  excerpt->t = malloc(room * sizeof *excerpt->t);
  excerpt->values = malloc((room * (size_t)columns + 1) * sizeof *excerpt->values);
  bool good = create(&e, source) && excerpt->names && excerpt->t && excerpt->values;
  for (int c = 0; good && c < columns; c++) excerpt->names[c] = source->names[c + 1];
  if (good)
    take_rows(&e, stretch, excerpt);
  else
    trm_excerpt_free(excerpt);
  destroy(&e);
  return good;
}

static void read_results(void *context, int row, double *values) {
  const trm_results *results = context;
  for (int k = 0; k < trm_results_columns(results); k++)
    values[k] = trm_results_get(results, row, k);
}

bool trm_excerpt_create(trm_excerpt *excerpt, const trm_results *results) {
  trm_row_source source = {.rows = trm_results_rows(results),
                           .columns = trm_results_columns(results),
                           .read = read_results,
                           .context = (void *)results};
  source.names = malloc(((size_t)source.columns + 1) * sizeof *source.names);
  for (int k = 0; source.names && k < source.columns; k++)
    source.names[k] = trm_results_name(results, k);
  bool good = source.names && trm_excerpt_take(excerpt, &source);
  if (!good) *excerpt = (trm_excerpt){0};
  free(source.names);
  return good;
}

void trm_excerpt_free(trm_excerpt *excerpt) {
  free(excerpt->names);
  free(excerpt->t);
  free(excerpt->values);
  *excerpt = (trm_excerpt){0};
}

void trm_excerpt_write(const trm_excerpt *excerpt, const char *key, trm_json *json) {
  trm_json_open(json, key);
  trm_json_open_list(json, "names");
  for (int c = 0; c < excerpt->columns; c++) trm_json_string(json, NULL, excerpt->names[c]);
  trm_json_close_list(json);
  trm_json_numbers(json, "t", excerpt->t, excerpt->rows, 15);
  trm_json_integer(json, "rows", excerpt->all);
  trm_json_close(json);
}
