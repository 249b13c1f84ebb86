/* Reading the points of a table from a CSV file. */
#define _POSIX_C_SOURCE 200809L
#include "expression/table.h"
#include "expression/token.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_FILE = 64 << 20 };

/* The file being read, and where its trouble is told. */
typedef struct table_source {
  const char *name;
  int length; /* of the name */
  char *message;
  size_t size;
} table_source;

static bool fail(const table_source *source, const char *what) {
  snprintf(source->message, source->size, "table '%.*s': %s", source->length, source->name, what);
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

/* The whole file with a NUL behind it; a device or pipe is refused before it can block. */
static char *load(const table_source *source, const char *path, size_t *length) {
  struct stat status;
  if (stat(path, &status) != 0) return fail(source, strerror(errno)), NULL;
  if (!S_ISREG(status.st_mode)) return fail(source, "not a file"), NULL;
  if (status.st_size > LARGEST_FILE) return fail(source, "larger than 64 MB"), NULL;
  FILE *file = fopen(path, "rb");
  if (!file) return fail(source, strerror(errno)), NULL;
  size_t size = (size_t)status.st_size;
  char *text = malloc(size + 1);
  if (text) *length = fread(text, 1, size, file);
  bool bad = ferror(file) != 0;
  fclose(file);
  if (!text) return fail(source, "out of memory"), NULL;
  text[*length] = '\0';
  if (!bad) return text;
  free(text);
  return fail(source, "cannot be read"), NULL;
}

static const char *skip_blanks(const char *at) {
  while (*at == ' ' || *at == '\t' || *at == '\r') at++;
  return at;
}

static bool is_line_end(char c) {
  return c == '\n' || c == '\0';
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

/* One line "x, y" (also with ';', a tab or blanks between); NULL where it is something else. */
static const char *read_row(const char *at, double row[2]) {
  at = read_number(skip_blanks(at), &row[0]);
  if (!at) return NULL;
  const char *separator = at;
  at = skip_blanks(at);
  if (*at == ',' || *at == ';') at = skip_blanks(at + 1);
  if (at == separator) return NULL;
  at = read_number(at, &row[1]);
  if (!at) return NULL;
  at = skip_blanks(at);
  return is_line_end(*at) ? at : NULL;
}

static bool looks_like_header(const char *at) {
  return !strchr("+-.0123456789", *skip_blanks(at));
}

static bool read_rows(const table_source *source, const char *at, const char *end,
                      trm_points *points) {
  double before = 0;
  for (int line = 1; at < end; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    double row[2];
    bool blank = skip_blanks(at) == stop;
    bool header = line == 1 && !blank && looks_like_header(at);
    if (!blank && !header) {
      if (read_row(at, row) != stop) return fail_line(source, line, "expected two numbers 'x, y'");
      if (points->count > 0 && row[0] <= before) return fail_line(source, line, "x must increase");
      if (!trm_points_add(points, row[0]) || !trm_points_add(points, row[1]))
        return fail(source, "out of memory");
      before = row[0];
    }
    at = stop + 1;
  }
  return points->count >= 4 || fail(source, "needs at least two points");
}

bool trm_points_read(trm_points *points, const char *folder, const char *name, size_t length,
                     char *message, size_t size) {
  table_source source = {name, length > 100 ? 100 : (int)length, message, size};
  if (length == 0) return fail(&source, "the file name is empty");
  char *path = join_path(folder, name, length);
  if (!path) return fail(&source, "out of memory");
  size_t read = 0;
  char *text = load(&source, path, &read);
  free(path);
  if (!text) return false;
  const char *start = strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? text + 3 : text; /* byte order mark */
  bool done = read_rows(&source, start, text + read, points);
  free(text);
  return done;
}
