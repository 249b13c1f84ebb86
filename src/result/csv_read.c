/* Reading a CSV of numbers with one header line. */
#define _POSIX_C_SOURCE 200809L
#include "base/diagnostics.h"
#include "base/file.h"
#include "base/locale.h"
#include "result/results.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ERRORS = 20 }; /* a file of another kind would give one a line */

typedef struct reader {
  const char *path;
  trm_diagnostics *diagnostics;
  char *text; /* the whole file, NUL-terminated; lines are cut apart in place */
  char *next; /* the line to come */
  int line;   /* of the one last cut off */
  int columns, rows, errors;
  bool timed;         /* there is a column t */
  const char **names; /* columns, into text */
  trm_results *results;
} reader;

static bool fail(reader *r, const char *what) {
  trm_place place = {.file = r->path};
  trm_report_place(r->diagnostics, TRM_ERROR, place, "%s", what);
  return false;
}

static bool read_all(reader *r) {
  trm_file file = trm_file_read(r->path, "table", SIZE_MAX);
  if (!file.text) return fail(r, file.reason);
  r->text = file.text;
  if (memchr(r->text, 0, file.length)) return fail(r, "this is no text file");
  return true;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts off the next line that is not empty, or NULL at the end. */
static char *next_line(reader *r) {
  while (r->next && *r->next) {
    char *line = r->next, *end = strchr(line, '\n');
    if (end) *end = 0;
    r->next = end ? end + 1 : NULL;
    r->line++;
    while (is_blank(*line)) line++;
    if (*line) return line;
  }
  return NULL;
}

/* Spaces and the quotes some programs put around names do not belong to them. */
static char *trim(char *field) {
  while (is_blank(*field)) field++;
  size_t length = strlen(field);
  while (length > 0 && is_blank(field[length - 1])) length--;
  if (length >= 2 && field[0] == '"' && field[length - 1] == '"') {
    field++;
    length -= 2;
  }
  field[length] = 0;
  return field;
}

/* Cuts off the first field; *rest becomes NULL with the last one. */
static char *next_field(char **rest) {
  char *field = *rest, *comma = strchr(field, ',');
  if (comma) *comma = 0;
  *rest = comma ? comma + 1 : NULL;
  return field;
}

static bool read_header(reader *r) {
  r->next = r->text;
  if (strncmp(r->next, "\xef\xbb\xbf", 3) == 0) r->next += 3; /* byte-order mark */
  char *line = next_line(r);
  if (!line) return fail(r, "the file is empty: a header line was expected");
  size_t count = 1;
  for (const char *c = line; *c; c++) count += *c == ',';
  if (count > INT32_MAX) return fail(r, "too many columns");
  r->columns = (int)count;
  r->names = calloc(count, sizeof *r->names);
  if (!r->names) return fail(r, "out of memory");
  for (int k = 0; k < r->columns; k++) {
    r->names[k] = trim(next_field(&line));
    r->timed |= strcmp(r->names[k], "t") == 0;
  }
  return true;
}

/* Lines left, empty ones too: only room is taken for them. */
static bool count_rows(reader *r) {
  size_t rows = 0;
  for (const char *c = r->next; c && *c; c = strchr(c, '\n'), c = c ? c + 1 : NULL) rows++;
  if (rows > INT32_MAX) return fail(r, "too many rows");
  r->rows = (int)rows;
  return true;
}

static bool read_number(reader *r, char *field, double *value) {
  char *text = trim(field), *end;
  *value = strtod(text, &end);
  if (end != text && *end == 0) return true;
  trm_place place = {.file = r->path, .line = r->line};
  /* what has no times is no results file, and may be a secret */
  if (r->timed)
    trm_report_place(r->diagnostics, TRM_ERROR, place, "'%.40s' is no number", text);
  else
    trm_report_place(r->diagnostics, TRM_ERROR, place, "a number was expected");
  return false;
}

static bool read_row(reader *r, char *line, double *row) {
  int count = 0;
  bool good = true;
  for (char *rest = line; rest && good; count++) {
    double value;
    good = read_number(r, next_field(&rest), &value);
    if (count < r->columns) row[count] = value;
  }
  if (!good || count == r->columns) return good;
  trm_place place = {.file = r->path, .line = r->line};
  trm_report_place(r->diagnostics, TRM_ERROR, place, "%d numbers, but the header has %d columns",
                   count, r->columns);
  return false;
}

static bool read_rows(reader *r) {
  char *line;
  while (r->errors < MOST_ERRORS && (line = next_line(r))) {
    if (!read_row(r, line, trm_results_next_row(r->results))) r->errors++;
    trm_results_add_row(r->results);
  }
  return r->errors == 0;
}

static bool read_file(reader *r) {
  if (!read_all(r) || !read_header(r) || !count_rows(r)) return false;
  r->results = trm_results_create();
  if (!r->results || !trm_results_layout(r->results, r->columns, r->names, r->rows))
    return fail(r, "out of memory");
  return read_rows(r);
}

trm_results *trm_results_read_csv(const char *path, trm_diagnostics *diagnostics) {
  reader r = {.path = path, .diagnostics = diagnostics};
  trm_locale caller = trm_locale_begin();
  bool good = read_file(&r);
  trm_locale_end(caller);
  free(r.text);
  free(r.names);
  if (good) return r.results;
  trm_results_destroy(r.results);
  return NULL;
}
