/* Reading the points of a table from a CSV file. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "expression/table.h"
#include "expression/token.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 64 << 20 };

/* The file being read, and where its trouble is told. */
typedef struct table_source {
  const char *name;
  int length; /* of the name */
  char *message;
  size_t size;
} table_source;

static bool fail(const table_source *source, const char *what) {
  snprintf(source->message, source->size, "table '%.*s': %s",
           source->length < 100 ? source->length : 100, source->name, what);
  return false;
}

static bool fail_line(const table_source *source, int line, const char *what) {
  char text[128];
  snprintf(text, sizeof text, "line %d: %s", line, what);
  return fail(source, text);
}

static char *join_path(const char *folder, const char *name, size_t length) {
  bool alone = !folder || !*folder || name[0] == '/';
  size_t before = alone ? 0 : strlen(folder) + 1;
  char *path = malloc(before + length + 1);
  if (!path) return NULL;
  if (!alone) {
    memcpy(path, folder, before - 1);
    path[before - 1] = '/';
  }
  memcpy(path + before, name, length);
  path[before + length] = '\0';
  return path;
}

static const char *skip_blanks(const char *at) {
  while (*at == ' ' || *at == '\t' || *at == '\r') at++;
  return at;
}

/* A signed, finite number; NULL where there is none. */
static const char *read_number(const char *at, double *value) {
  bool negative = *at == '-';
  if (*at == '-' || *at == '+') at++;
  size_t length = trm_number_read(at, value);
  if (length == 0 || isinf(*value)) return NULL;
  if (negative) *value = -*value;
  return at + length;
}

/* Past one separator: ',', ';' or blanks; NULL where there is none. */
static const char *skip_separator(const char *at) {
  const char *start = at;
  at = skip_blanks(at);
  if (*at == ',' || *at == ';') at = skip_blanks(at + 1);
  return at == start ? NULL : at;
}

/* The numbers of one line, up to `stop`; 0 where it is something else, −1 without memory. */
static int read_row(const char *at, const char *stop, trm_points *numbers) {
  int count = 0;
  for (at = skip_blanks(at); at < stop;) {
    double value;
    if (count > 0 && !(at = skip_separator(at))) return 0;
    at = read_number(at, &value);
    if (!at) return 0;
    if (!trm_points_add(numbers, value)) return -1;
    count++;
    if (skip_blanks(at) == stop) return count;
  }
  return 0;
}

static bool looks_like_header(const char *at) {
  return !strchr("+-.0123456789", *skip_blanks(at));
}

/* One cell of a header, without its quotes and the blanks around it; returns what follows it. */
static const char *read_cell(const char *at, const char *stop, trm_word *cell) {
  static const char quotes[] = "\"'";
  at = skip_blanks(at);
  bool quoted = at < stop && strchr(quotes, *at);
  const char *end = at + 1;
  if (quoted)
    while (end < stop && *end != *at) end++;
  else
    for (end = at; end < stop && !strchr(",;\t", *end);) end++;
  *cell = (trm_word){quoted ? at + 1 : at, (size_t)(end - at) - quoted};
  while (!quoted && cell->length > 0 && strchr(" \r", cell->text[cell->length - 1])) cell->length--;
  if (quoted && end < stop) end = skip_blanks(end + 1);
  return end < stop ? end + 1 : stop;
}

/* Which column has a name, from zero; reported where none has. */
static bool find_column(const table_source *source, const char *header, const char *stop,
                        bool table, trm_word name, size_t *column) {
  char text[240], list[100] = "";
  size_t used = 0;
  trm_word cell;
  *column = 0;
  for (const char *at = header; at < stop; (*column)++) {
    at = read_cell(at, stop, &cell);
    if (cell.length == name.length && memcmp(cell.text, name.text, name.length) == 0) return true;
    if (used < sizeof list)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", used ? ", " : "",
                               cell.length < 30 ? (int)cell.length : 30, cell.text);
  }
  snprintf(text, sizeof text, "there is no column '%.*s'%s%s",
           name.length < 40 ? (int)name.length : 40, name.text,
           !header ? ": the file has no header that names them"
           : table ? "; the columns are "
                   : ": no numbers stand below the first line",
           table ? list : "");
  return fail(source, text);
}

/* All lines from `at` on, each with as many numbers as the first; the first column increases. */
static bool read_rows(const table_source *source, const char *at, const char *end, int line,
                      const char *increase, trm_grid *grid) {
  double before = -INFINITY;
  for (; at < end; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    if (skip_blanks(at) < stop) {
      char text[80];
      int count = read_row(at, stop, &grid->numbers);
      if (count < 0) return fail(source, "out of memory");
      if (grid->columns == 0) grid->columns = (size_t)count;
      bool pairs = grid->columns == 2 || count == 0;
      snprintf(text, sizeof text,
               pairs ? "expected two numbers 'x, y'" : "expected %zu numbers, found %d",
               grid->columns, count);
      if (count < 2 || (size_t)count != grid->columns) return fail_line(source, line, text);
      double first = grid->numbers.xy[grid->numbers.count - grid->columns];
      if (!(first > before)) return fail_line(source, line, increase);
      before = first;
    }
    at = stop + 1;
  }
  return true;
}

/* The text behind a byte order mark and blank lines; `line` is its number. */
static const char *first_line(const char *text, const char *end, int *line) {
  if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
  *line = 1;
  for (const char *at = skip_blanks(text); at < end && *at == '\n'; at = skip_blanks(text)) {
    text = at + 1;
    ++*line;
  }
  return text;
}

static const char *line_end(const char *at, const char *end) {
  const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
  return stop ? stop : end;
}

/* Whether two numbers begin the line after this one. */
static bool begins_row(const char *stop, const char *end) {
  double value;
  const char *at = stop < end ? read_number(skip_blanks(stop + 1), &value) : NULL;
  if (at) at = skip_separator(at);
  return at && read_number(at, &value);
}

static bool take_columns(const table_source *source, const char *text, const char *end,
                         trm_word column, trm_points *points) {
  trm_grid grid = {0};
  size_t chosen = 1;
  int line;
  const char *at = first_line(text, end, &line), *stop = line_end(at, end), *header = NULL;
  if (at < end && looks_like_header(at)) header = at;
  bool table = header && begins_row(stop, end); /* other files may be secrets */
  bool good = column.length == 0 ||
              find_column(source, header, header ? stop : header, table, column, &chosen);
  if (header) at = stop + 1, line++;
  good = good && read_rows(source, at, end, line, "x must increase", &grid);
  size_t rows = good && grid.columns ? grid.numbers.count / grid.columns : 0;
  if (good && rows < 2) good = fail(source, "needs at least two points");
  if (good && chosen >= grid.columns) good = fail(source, "its rows have no such column");
  for (size_t i = 0; good && i < rows; i++) {
    const double *row = grid.numbers.xy + i * grid.columns;
    good = (trm_points_add(points, row[0]) && trm_points_add(points, row[chosen])) ||
           fail(source, "out of memory");
  }
  trm_points_free(&grid.numbers);
  return good;
}

/* The first row starts with a corner that may hold anything. */
static bool take_grid(const table_source *source, const char *text, const char *end,
                      trm_grid *grid) {
  int line;
  const char *at = first_line(text, end, &line), *stop = line_end(at, end);
  const char *cell = at;
  while (cell < stop && !strchr(",;\t", *cell)) cell++;
  if (cell == stop) { /* blanks between: the corner is a word */
    cell = skip_blanks(at);
    while (cell < stop && !strchr(" \r", *cell)) cell++;
  } else {
    cell++;
  }
  if (!trm_points_add(&grid->numbers, 0)) return fail(source, "out of memory");
  int count = cell < stop ? read_row(cell, stop, &grid->numbers) : 0;
  if (count < 0) return fail(source, "out of memory");
  if (count < 2) return fail_line(source, line, "expected a corner and two or more arguments x");
  grid->columns = (size_t)count + 1;
  if (!read_rows(source, stop + 1, end, line + 1, "y must increase", grid)) return false;
  return grid->numbers.count >= 3 * grid->columns || fail(source, "needs at least two rows");
}

/* The text of the file, to be freed, and its end; NULL with the reason told. */
static char *open_text(const table_source *source, const char *folder, const char **end) {
  if (source->length == 0) return fail(source, "the file name is empty"), NULL;
  char *path = join_path(folder, source->name, (size_t)source->length);
  if (!path) return fail(source, "out of memory"), NULL;
  trm_file read = trm_file_read(path, "table file", LARGEST_FILE);
  free(path);
  if (!read.text) return fail(source, read.reason), NULL;
  *end = read.text + read.length;
  return read.text;
}

/* ---- on the shelf ---- */

static void destroy_grid(void *object) {
  trm_points_free(&((trm_grid *)object)->numbers);
  free(object);
}

static bool copy_grid(const trm_grid *from, trm_grid *to) {
  *to = (trm_grid){.columns = from->columns};
  for (size_t i = 0; i < from->numbers.count; i++)
    if (!trm_points_add(&to->numbers, from->numbers.xy[i])) return false;
  return true;
}

static bool keep_grid(trm_shelf *shelf, const char *name, const trm_grid *grid) {
  if (!trm_shelf_is_open(shelf, TRM_SHELF_TABLE)) return true;
  trm_grid *kept = calloc(1, sizeof *kept);
  if (!kept) return false;
  if (copy_grid(grid, kept)) return trm_shelf_put(shelf, TRM_SHELF_TABLE, name, kept, destroy_grid);
  destroy_grid(kept);
  return false;
}

/* "g folder/f.csv" and "p folder/f.csv column"; to be freed. */
static char *name_kept(char kind, const char *folder, trm_word file, trm_word column) {
  size_t size = (folder ? strlen(folder) : 0) + file.length + column.length + 5;
  char *name = malloc(size);
  if (name)
    snprintf(name, size, "%c %s/%.*s\n%.*s", kind, folder ? folder : "", (int)file.length,
             file.text, (int)column.length, column.text);
  return name;
}

static bool read_file(const table_source *source, const char *folder, trm_word column, bool is_grid,
                      trm_grid *grid) {
  const char *end;
  char *text = open_text(source, folder, &end);
  bool done = text && (is_grid ? take_grid(source, text, end, grid)
                               : take_columns(source, text, end, column, &grid->numbers));
  free(text);
  return done;
}

static bool find(trm_shelf *shelf, const table_source *source, const char *folder, trm_word column,
                 bool is_grid, trm_grid *grid) {
  trm_word file = {source->name, (size_t)source->length};
  char *name = name_kept(is_grid ? 'g' : 'p', folder, file, column);
  if (!name) return fail(source, "out of memory");
  const trm_grid *kept = trm_shelf_get(shelf, TRM_SHELF_TABLE, name);
  bool done = kept || read_file(source, folder, column, is_grid, grid);
  if (done && !(kept ? copy_grid(kept, grid) : keep_grid(shelf, name, grid)))
    done = fail(source, "out of memory");
  free(name);
  return done;
}

bool trm_points_read(trm_points *points, trm_shelf *shelf, const char *folder, trm_word file,
                     trm_word column, char *message, size_t size) {
  table_source source = {file.text, (int)file.length, message, size};
  trm_grid grid = {.columns = 2};
  bool done = find(shelf, &source, folder, column, false, &grid);
  *points = grid.numbers;
  return done;
}

bool trm_points_are_kept(const trm_shelf *shelf, const char *folder, trm_word file,
                         trm_word column) {
  char *name = name_kept('p', folder, file, column);
  bool kept = name && trm_shelf_get(shelf, TRM_SHELF_TABLE, name);
  free(name);
  return kept;
}

bool trm_grid_read(trm_grid *grid, trm_shelf *shelf, const char *folder, trm_word file,
                   char *message, size_t size) {
  table_source source = {file.text, (int)file.length, message, size};
  return find(shelf, &source, folder, (trm_word){"", 0}, true, grid);
}
