/* Rows as lines of text: one header line, full double precision. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/beside.h"
#include "result/number.h"
#include "result/rows.h"

enum { BUFFER = 1 << 16, LONGEST_NUMBER = 25 }; /* with what separates it */

/* Whole lines that wait. */
typedef struct lines {
  size_t used, room;
  char text[]; /* [room] */
} lines;

static lines *create_lines(const trm_row_file *file) {
  size_t row = (size_t)file->columns * LONGEST_NUMBER + TRM_NUMBER_SIZE, header = 1;
  for (int k = 0; k < file->columns; k++) header += strlen(file->names[k]) + 1;
  size_t least = row > header ? row : header, room = least > BUFFER ? least : BUFFER;
  lines *l = malloc(sizeof *l + room);
  if (l) *l = (lines){.room = room};
  return l;
}

/* A disk that is full takes a part of a line: only whole ones stay. */
static void keep_whole(trm_row_file *file) {
  const lines *l = file->own;
  off_t reached = lseek(file->file, 0, SEEK_CUR);
  long long got = reached > file->size ? (long long)reached - file->size : 0, whole = 0;
  for (long long i = 0; i < got && i < (long long)l->used; i++) {
    if (l->text[i] != '\n') continue;
    file->rows++;
    whole = i + 1;
  }
  file->size += whole;
  (void)!ftruncate(file->file, (off_t)file->size);
}

static int flush(trm_row_file *file, long rows) {
  lines *l = file->own;
  int error = trm_write_all(file->file, l->text, l->used, -1);
  if (error) {
    keep_whole(file);
    return error;
  }
  file->size += (long long)l->used;
  file->rows += rows;
  l->used = 0;
  return 0;
}

static int begin(trm_row_file *file) {
  lines *l = file->own = create_lines(file);
  if (!l) return ENOMEM;
  for (int k = 0; k < file->columns; k++) {
    size_t length = strlen(file->names[k]);
    memcpy(l->text + l->used, file->names[k], length);
    l->used += length;
    l->text[l->used++] = k + 1 < file->columns ? ',' : '\n';
  }
  return flush(file, 0);
}

static int write_rows(trm_row_file *file, const double *rows, int count) {
  lines *l = file->own;
  size_t longest = (size_t)file->columns * LONGEST_NUMBER + TRM_NUMBER_SIZE;
  long waiting = 0;
  for (int i = 0; i < count; i++, waiting++) {
    if (l->used + longest > l->room) {
      int error = flush(file, waiting);
      if (error) return error;
      waiting = 0;
    }
    for (int k = 0; k < file->columns; k++) {
      l->used += trm_number_write(*rows++, l->text + l->used);
      l->text[l->used++] = k + 1 < file->columns ? ',' : '\n';
    }
  }
  return flush(file, waiting);
}

static int settle(trm_row_file *file, long rows) {
  (void)file, (void)rows; /* a line is there as soon as it is written */
  return 0;
}

/* Reads lines of numbers: the file is ours, so any other text is damage. */
typedef struct reader {
  trm_row_file *file;
  char text[BUFFER];
  size_t at, end;
  long long left; /* bytes still to come */
} reader;

static int next_byte(reader *r) {
  if (r->at == r->end) {
    size_t part = r->left < BUFFER ? (size_t)r->left : BUFFER;
    ssize_t got = part > 0 ? read(r->file->file, r->text, part) : 0;
    if (got <= 0) return -1;
    r->left -= got;
    r->at = 0;
    r->end = (size_t)got;
  }
  return (unsigned char)r->text[r->at++];
}

static bool read_number(reader *r, int stop, double *value) {
  char text[TRM_NUMBER_SIZE], *end;
  size_t length = 0;
  int c = next_byte(r);
  for (; c >= 0 && c != ',' && c != '\n' && length + 1 < sizeof text; c = next_byte(r))
    text[length++] = (char)c;
  text[length] = 0;
  *value = strtod(text, &end);
  return c == stop && length > 0 && *end == 0;
}

static bool read_header(reader *r) {
  const trm_row_file *file = r->file;
  for (int k = 0; k < file->columns; k++) {
    for (const char *name = file->names[k]; *name; name++)
      if (next_byte(r) != (unsigned char)*name) return false;
    if (next_byte(r) != (k + 1 < file->columns ? ',' : '\n')) return false;
  }
  return true;
}

static bool read_rows(reader *r, double *row, long rows, trm_row_sink sink, void *context) {
  int columns = r->file->columns;
  for (long i = 0; i < rows; i++) {
    for (int k = 0; k < columns; k++)
      if (!read_number(r, k + 1 < columns ? ',' : '\n', &row[k])) return false;
    if (!sink(context, row)) return false;
  }
  return r->left == 0 && r->at == r->end;
}

static int go_on(trm_row_file *file, long rows, long long size, trm_row_sink sink, void *context) {
  reader *r = malloc(sizeof *r);
  double *row = malloc((size_t)file->columns * sizeof *row);
  file->own = create_lines(file);
  bool memory = r && row && file->own;
  int error = memory ? 0 : ENOMEM;
  if (memory) {
    r->file = file;
    r->left = size;
    r->at = r->end = 0;
    errno = 0;
    bool good = lseek(file->file, 0, SEEK_SET) == 0 && read_header(r) &&
                read_rows(r, row, rows, sink, context);
    if (!good) error = errno ? errno : EILSEQ;
  }
  free(r);
  free(row);
  if (!error &&
      (ftruncate(file->file, (off_t)size) != 0 || lseek(file->file, (off_t)size, SEEK_SET) < 0))
    error = errno;
  file->rows = rows;
  file->size = size;
  return error;
}

static void end(trm_row_file *file) {
  free(file->own);
  file->own = NULL;
}

const trm_row_class trm_rows_csv = {"csv", begin, write_rows, settle, go_on, end};

const trm_row_class *trm_rows_find(const char *name) {
  const trm_row_class *const all[] = {&trm_rows_csv, &trm_rows_hdf5};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i]->name, name) == 0) return all[i];
  return NULL;
}
