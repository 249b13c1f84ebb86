/* Reading a table of numbers from HDF5, format 0 of its specification: data sets of doubles with
 * one dimension, in chunks or in one piece, not compressed. So are ours, and those of most
 * programs. Every address is checked: a file may be damaged, or made to harm. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/file.h"
#include "result/results.h"

enum {
  DEEPEST = 16,      /* nodes above each other */
  MOST_BLOCKS = 256, /* that the header of an object is made of */
  GROUP_NODE = 24,   /* bytes before the keys of a node */
  CHUNK_KEY = 24,    /* of one dimension */
  ENTRY = 40
};
enum { SPACE = 0x01, TYPE = 0x03, LAYOUT = 0x08, FILTERS = 0x0b, MORE = 0x10, GROUP = 0x11 };

typedef struct column {
  const char *name;
  uint64_t object; /* objects stand in the order in which they were made */
  uint64_t rows;
  uint64_t data;  /* where the numbers are, or the tree of chunks */
  uint64_t chunk; /* rows in one; 0: one piece */
  bool number, filtered;
} column;

typedef struct reader {
  const char *path;
  trm_diagnostics *diagnostics;
  const unsigned char *bytes;
  uint64_t length;
  uint64_t pieces; /* nodes, names, messages that were read: what runs in circles has no end */
  uint64_t tree, heap, names;
  column *columns;
  int count, room;
  trm_results *results;
} reader;

static bool fail(reader *r, const char *what) {
  trm_place place = {.file = r->path};
  trm_report_place(r->diagnostics, TRM_ERROR, place, "%s", what);
  return false;
}

static bool damaged(reader *r) {
  return fail(r, "the HDF5 file is damaged, or of a newer format than 0");
}

static bool has(const reader *r, uint64_t at, uint64_t size) {
  return at <= r->length && size <= r->length - at;
}

/* Zero where the file has ended. */
static uint64_t number(const reader *r, uint64_t at, int size) {
  uint64_t value = 0;
  for (int i = size - 1; has(r, at, (uint64_t)size) && i >= 0; i--)
    value = value << 8 | r->bytes[at + (uint64_t)i];
  return value;
}

/* Each has eight bytes at least, and is read once where nothing leads back. */
static bool is_another(reader *r) {
  return ++r->pieces <= r->length / 8;
}

static bool is_marked(const reader *r, uint64_t at, const char *mark) {
  return has(r, at, 8) && memcmp(r->bytes + at, mark, 4) == 0;
}

/* ---- objects ---- */

typedef bool (*message_sink)(reader *r, int type, uint64_t at, uint64_t size, void *target);

/* All messages of an object. */
static bool read_object(reader *r, uint64_t object, message_sink sink, void *target) {
  uint64_t starts[MOST_BLOCKS] = {object + 16}, sizes[MOST_BLOCKS] = {number(r, object + 8, 4)};
  int blocks = 1;
  if (!has(r, object, 16) || r->bytes[object] != 1) return damaged(r);
  for (int b = 0; b < blocks; b++) {
    if (!has(r, starts[b], sizes[b])) return damaged(r);
    for (uint64_t at = starts[b], end = at + sizes[b]; at + 8 <= end;) {
      int type = (int)number(r, at, 2);
      uint64_t size = number(r, at + 2, 2), data = at + 8;
      if (size > end - data || !is_another(r)) return damaged(r);
      if (type == MORE && size >= 16 && blocks < MOST_BLOCKS) {
        starts[blocks] = number(r, data, 8);
        sizes[blocks++] = number(r, data + 8, 8);
      } else if (!sink(r, type, data, size, target)) {
        return false;
      }
      at = data + size;
    }
  }
  return true;
}

static bool take_group(reader *r, int type, uint64_t at, uint64_t size, void *target) {
  (void)target;
  if (type != GROUP || size < 16) return true;
  r->tree = number(r, at, 8);
  r->heap = number(r, at + 8, 8);
  return true;
}

static bool take_column(reader *r, int type, uint64_t at, uint64_t size, void *target) {
  column *c = target;
  int version = (int)number(r, at, 1), second = (int)number(r, at + 1, 1);
  switch (type) {
  case SPACE:
    if (second != 1)
      c->number = false; /* dimensions */
    else if (size >= 12)
      c->rows = number(r, at + (version == 1 ? 8 : 4), 8);
    return true;
  case TYPE: /* floating point of 8 bytes, the lowest first */
    c->number = c->number && (version & 15) == 1 && (second & 1) == 0 && number(r, at + 4, 4) == 8;
    return true;
  case LAYOUT:
    if (version != 3 || second < 1 || second > 2)
      return fail(r, "a data set is stored in a way that is not read here");
    c->data = number(r, at + (second == 2 ? 3 : 2), 8);
    c->chunk = second == 2 ? number(r, at + 11, 4) : 0;
    return second == 1 || c->chunk > 0 || damaged(r);
  case FILTERS: c->filtered = true; return true;
  default: return true;
  }
}

/* ---- names ---- */

static const char *name_at(const reader *r, uint64_t offset) {
  uint64_t at = r->names + offset;
  if (offset > r->length || !has(r, at, 1)) return NULL;
  return memchr(r->bytes + at, 0, (size_t)(r->length - at)) ? (const char *)r->bytes + at : NULL;
}

static bool add_column(reader *r, uint64_t entry) {
  column c = {
      .name = name_at(r, number(r, entry, 8)), .object = number(r, entry + 8, 8), .number = true};
  if (!has(r, entry, ENTRY) || !c.name || !is_another(r)) return damaged(r);
  if (!read_object(r, c.object, take_column, &c)) return false;
  if (c.number && c.filtered)
    return fail(r, "its data sets are compressed, which is not read here");
  if (!c.number) return true; /* text, or of another kind */
  if (r->count == r->room) {
    r->room = 2 * r->room + 64;
    column *columns = realloc(r->columns, (size_t)r->room * sizeof *columns);
    if (!columns) return fail(r, "out of memory");
    r->columns = columns;
  }
  r->columns[r->count++] = c;
  return true;
}

static bool read_names(reader *r, uint64_t node, int depth) {
  if (depth > DEEPEST || !is_another(r)) return damaged(r);
  uint64_t count = number(r, node + 6, 2);
  if (is_marked(r, node, "SNOD")) {
    for (uint64_t i = 0; i < count; i++)
      if (!add_column(r, node + 8 + i * ENTRY)) return false;
    return true;
  }
  if (!is_marked(r, node, "TREE") || r->bytes[node + 4] != 0 ||
      !has(r, node, GROUP_NODE + 16 * count))
    return damaged(r);
  for (uint64_t i = 0; i < count; i++)
    if (!read_names(r, number(r, node + GROUP_NODE + 16 * i + 8, 8), depth + 1)) return false;
  return true;
}

static int compare_objects(const void *a, const void *b) {
  uint64_t x = ((const column *)a)->object, y = ((const column *)b)->object;
  return (x > y) - (x < y);
}

/* ---- numbers ---- */

static void copy(const reader *r, uint64_t at, uint64_t count, double *to) {
  for (uint64_t i = 0; i < count; i++) {
    uint64_t bits = number(r, at + 8 * i, 8);
    memcpy(&to[i], &bits, sizeof bits);
  }
}

static bool read_chunks(reader *r, const column *c, uint64_t node, int depth, double *values) {
  if (depth > DEEPEST || !is_another(r)) return damaged(r);
  uint64_t count = number(r, node + 6, 2), pair = CHUNK_KEY + 8;
  if (!is_marked(r, node, "TREE") || r->bytes[node + 4] != 1 ||
      !has(r, node, GROUP_NODE + pair * count))
    return damaged(r);
  bool leaf = r->bytes[node + 5] == 0;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t key = node + GROUP_NODE + pair * i, row = number(r, key + 8, 8),
             child = number(r, key + CHUNK_KEY, 8);
    if (!leaf && !read_chunks(r, c, child, depth + 1, values)) return false;
    if (!leaf || row >= c->rows) continue;
    uint64_t here = c->rows - row < c->chunk ? c->rows - row : c->chunk;
    if (!has(r, child, 8 * here)) return damaged(r);
    copy(r, child, here, values + row);
  }
  return true;
}

/* What no chunk holds was never written. */
static bool read_column(reader *r, const column *c, double *values) {
  for (uint64_t i = 0; i < c->rows; i++) values[i] = NAN;
  if (c->rows == 0) return true;
  if (c->chunk > 0) return read_chunks(r, c, c->data, 0, values);
  if (!has(r, c->data, 8 * c->rows)) return damaged(r);
  copy(r, c->data, c->rows, values);
  return true;
}

static bool lay_out(reader *r) {
  const char **names = calloc((size_t)r->count, sizeof *names);
  r->results = trm_results_create();
  for (int k = 0; names && k < r->count; k++) names[k] = r->columns[k].name;
  bool good = names && r->results &&
              trm_results_layout(r->results, r->count, names, (int)r->columns[0].rows);
  free(names);
  return good || fail(r, "out of memory");
}

static bool fill(reader *r) {
  size_t rows = (size_t)r->columns[0].rows, columns = (size_t)r->count;
  double *values = malloc(rows * columns * sizeof *values + 1);
  bool good = values || fail(r, "out of memory");
  for (size_t k = 0; good && k < columns; k++)
    good = read_column(r, &r->columns[k], values + k * rows);
  for (size_t i = 0; good && i < rows; i++) {
    double *row = trm_results_next_row(r->results);
    for (size_t k = 0; k < columns; k++) row[k] = values[k * rows + i];
    trm_results_add_row(r->results);
  }
  free(values);
  return good;
}

static bool read_table(reader *r) {
  static const char mark[8] = "\x89HDF\r\n\x1a\n";
  if (!has(r, 0, 100) || memcmp(r->bytes, mark, 8) != 0) return fail(r, "this is no HDF5 file");
  int version = r->bytes[8];
  if (version > 1 || r->bytes[13] != 8 || r->bytes[14] != 8) return damaged(r);
  uint64_t root = version == 0 ? 56 : 60;
  if (!read_object(r, number(r, root + 8, 8), take_group, NULL)) return false;
  if (!is_marked(r, r->heap, "HEAP")) return damaged(r);
  r->names = number(r, r->heap + 24, 8);
  if (!read_names(r, r->tree, 0)) return false;
  if (r->count == 0)
    return fail(r, "the HDF5 file has no columns: data sets of doubles in its root");
  qsort(r->columns, (size_t)r->count, sizeof *r->columns, compare_objects);
  for (int k = 0; k < r->count; k++)
    if (r->columns[k].rows != r->columns[0].rows)
      return fail(r, "the columns of the HDF5 file differ in their number of rows");
  uint64_t most = r->length / 8 / (uint64_t)r->count; /* no number is in two columns */
  if (r->columns[0].rows > most || r->columns[0].rows > INT32_MAX) return damaged(r);
  return lay_out(r) && fill(r);
}

trm_results *trm_results_read_hdf5(const char *path, trm_diagnostics *diagnostics) {
  reader r = {.path = path, .diagnostics = diagnostics};
  trm_file file = trm_file_read(path, "table", SIZE_MAX);
  r.bytes = (const unsigned char *)file.text;
  r.length = file.length;
  bool good = file.text ? read_table(&r) : fail(&r, file.reason);
  free(file.text);
  free(r.columns);
  if (good) return r.results;
  trm_results_destroy(r.results);
  return NULL;
}

trm_results *trm_results_read(const char *path, trm_diagnostics *diagnostics) {
  size_t length = strlen(path);
  bool hdf5 = (length > 3 && strcmp(path + length - 3, ".h5") == 0) ||
              (length > 5 && strcmp(path + length - 5, ".hdf5") == 0);
  return hdf5 ? trm_results_read_hdf5(path, diagnostics) : trm_results_read_csv(path, diagnostics);
}
