/* Rows as HDF5, format 0 of its specification (HDF5 File Format Specification 2.0): a chunked data
 * set for each column. The library writes no file that survives a kill between any two of its
 * writes, and brings half a web browser along; the part of the format that a growing table needs is
 * small. All that describes the table has its place from the start, for as many rows as there can
 * be; rows are written behind it, then the numbers that make them known. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/beside.h"
#include "result/rows.h"

enum {
  CHUNK = 8192,        /* rows, 64 kB */
  MOST_CHUNKS = 65000, /* of a column: a node counts them in 16 bits */
  LEAF = 256,          /* names in a node of the group */
  NODE = 24,           /* bytes before the keys of a node */
  KEY = 24,            /* of a chunk: its size, filters, row, and a zero for the numbers' bytes */
  ENTRY = 40,          /* of a name */
  MESSAGE = 8,         /* before the data of a message */
  MOST_NAMES = 4000,   /* in an attribute: a message has 64 kB at most */
  LEAST_HEAP = 4096,
  END_OF_FILE = 44, /* where the superblock of version 1 has it */
};
static const uint64_t nowhere = UINT64_MAX;

/* ---- bytes, the lowest first ---- */

typedef struct bytes {
  unsigned char *data;
  size_t used, room;
  bool failed;
} bytes;

static unsigned char *more(bytes *b, size_t count) {
  if (b->used + count > b->room) {
    size_t room = 2 * (b->used + count);
    unsigned char *data = realloc(b->data, room);
    if (!data) {
      b->failed = true;
      return NULL;
    }
    b->data = data;
    b->room = room;
  }
  unsigned char *at = b->data + b->used;
  memset(at, 0, count);
  b->used += count;
  return at;
}

static void store(unsigned char *at, uint64_t value, int size) {
  for (int i = 0; i < size; i++) at[i] = (unsigned char)(value >> (8 * i));
}

static void put(bytes *b, uint64_t value, int size) {
  unsigned char *at = more(b, (size_t)size);
  if (at) store(at, value, size);
}

static void put_text(bytes *b, const char *text, size_t size) {
  unsigned char *at = more(b, size);
  if (at) memcpy(at, text, size);
}

/* Zeros up to a multiple of 8. */
static void fill(bytes *b) {
  more(b, (8 - b->used % 8) % 8);
}

static void patch(bytes *b, size_t at, uint64_t value, int size) {
  if (!b->failed) store(b->data + at, value, size);
}

/* ---- what the file looks like ---- */

typedef struct table {
  long chunk, chunks; /* rows in one; how many there can be */
  long present;       /* chunks that are known */
  uint64_t *space;    /* [columns] where the number of rows is */
  uint64_t *tree;     /* [columns] the node of the chunks */
  uint64_t data;  /* where the chunks begin: a chunk of every column, the next of every column */
  long *before;   /* [columns + 1] numbers of a row before each column */
  double *values; /* [chunk] of the widest column */
} table;

static size_t begin_message(bytes *b, int type) {
  put(b, (uint64_t)type, 2);
  put(b, 0, 6);
  return b->used;
}

static void end_message(bytes *b, size_t start) {
  more(b, (8 - (b->used - start) % 8) % 8);
  patch(b, start - MESSAGE + 2, b->used - start, 2);
}

static size_t begin_object(bytes *b) {
  fill(b);
  size_t start = b->used;
  put(b, 1, 2); /* version */
  put(b, 0, 2); /* messages */
  put(b, 1, 4); /* references */
  put(b, 0, 4); /* bytes */
  put(b, 0, 4);
  return start;
}

static void end_object(bytes *b, size_t start, int messages) {
  patch(b, start + 2, (uint64_t)messages, 2);
  patch(b, start + 8, b->used - start - 16, 4);
}

/* Of one dimension; where its length is. */
static size_t put_space(bytes *b, uint64_t count, bool unlimited) {
  put(b, 1, 1);         /* version */
  put(b, 1, 1);         /* dimensions */
  put(b, unlimited, 1); /* a largest length follows */
  put(b, 0, 5);
  size_t at = b->used;
  put(b, count, 8);
  if (unlimited) put(b, nowhere, 8);
  return at;
}

static void put_double_type(bytes *b) {
  const uint16_t one = 1;
  bool little = *(const unsigned char *)&one == 1;
  put(b, 0x11, 1); /* version 1, floating point */
  put(b, little ? 0x20 : 0x21, 1);
  put(b, 63, 1); /* sign */
  put(b, 0, 1);
  put(b, 8, 4);
  put(b, 0, 2);
  put(b, 64, 2);
  put(b, 52, 1); /* exponent */
  put(b, 11, 1);
  put(b, 0, 1); /* mantissa */
  put(b, 52, 1);
  put(b, 1023, 4);
}

/* Text of any length, UTF-8. */
static void put_text_type(bytes *b) {
  put(b, 0x19, 1); /* version 1, variable length */
  put(b, 0x01, 1); /* a string, with a zero behind it */
  put(b, 0x01, 1); /* UTF-8 */
  put(b, 0, 1);
  put(b, 16, 4);
  put(b, 0x13, 1); /* of characters */
  put(b, 0x10, 1);
  put(b, 0, 2);
  put(b, 1, 4);
}

/* Text of so many bytes, zeros behind it, UTF-8. */
static void put_fixed_text_type(bytes *b, long size) {
  put(b, 0x13, 1); /* version 1, a string */
  put(b, 0x11, 1);
  put(b, 0, 2);
  put(b, (uint64_t)size, 4);
}

static long width(const table *t, int column) { /* numbers of a row */
  return t->before[column + 1] - t->before[column];
}

static void put_column(bytes *b, table *t, int column, bool text) {
  size_t object = begin_object(b), message = begin_message(b, 0x01);
  t->space[column] = put_space(b, 0, true);
  end_message(b, message);
  message = begin_message(b, 0x03);
  text ? put_fixed_text_type(b, 8 * width(t, column)) : put_double_type(b);
  end_message(b, message);
  message = begin_message(b, 0x05); /* fill value: the default, where something was given up */
  put(b, 2, 1);
  put(b, 3, 1);
  put(b, 2, 1);
  put(b, 1, 1);
  put(b, 0, 4);
  end_message(b, message);
  message = begin_message(b, 0x08); /* chunks */
  put(b, 3, 1);
  put(b, 2, 1);
  put(b, 2, 1);
  size_t tree = b->used;
  put(b, 0, 8);
  put(b, (uint64_t)t->chunk, 4);
  put(b, (uint64_t)width(t, column) * 8, 4);
  end_message(b, message);
  end_object(b, object, 4);
  fill(b);
  t->tree[column] = b->used;
  patch(b, tree, t->tree[column], 8);
  put_text(b, "TREE\1\0\0\0", 8);
  put(b, nowhere, 8);
  put(b, nowhere, 8);
  more(b, (size_t)(t->chunks + t->chunks % 2) * (KEY + 8) + KEY);
}

/* A heap of the columns' names, and attributes that list them in their order. */
static uint64_t put_name_heap(bytes *b, const trm_row_file *file, int first, int count) {
  fill(b);
  size_t start = b->used;
  put_text(b, "GCOL\1\0\0\0", 8);
  put(b, 0, 8);
  for (int i = 0; i < count; i++) {
    size_t length = strlen(file->names[first + i]);
    put(b, (uint64_t)i + 1, 2);
    put(b, 1, 2);
    put(b, 0, 4);
    put(b, length, 8);
    put_text(b, file->names[first + i], length);
    fill(b);
  }
  size_t used = b->used - start, size = used + 16 < LEAST_HEAP ? LEAST_HEAP : used + 16;
  patch(b, start + 8, size, 8);
  put(b, 0, 8); /* what is free */
  put(b, size - used, 8);
  more(b, size - used - 16);
  return start;
}

static void put_names(bytes *b, const trm_row_file *file, int first, int count, uint64_t heap) {
  char name[16] = "columns";
  if (first > 0) snprintf(name, sizeof name, "columns%d", first / MOST_NAMES + 1);
  size_t message = begin_message(b, 0x0c), length = strlen(name) + 1;
  put(b, 1, 2); /* version */
  put(b, length, 2);
  put(b, 16, 2); /* type */
  put(b, 16, 2); /* space */
  put_text(b, name, length);
  fill(b);
  put_text_type(b);
  fill(b);
  put_space(b, (uint64_t)count, false);
  for (int i = 0; i < count; i++) {
    put(b, strlen(file->names[first + i]), 4);
    put(b, heap, 8);
    put(b, (uint64_t)i + 1, 4);
  }
  end_message(b, message);
}

typedef struct name {
  const char *text;
  uint64_t object, offset; /* of the column; in the heap of names */
} name;

static int compare_names(const void *a, const void *b) {
  return strcmp(((const name *)a)->text, ((const name *)b)->text);
}

static uint64_t put_link_heap(bytes *b, name *names, int count) {
  fill(b);
  size_t heap = b->used;
  put_text(b, "HEAP\0\0\0\0", 8);
  put(b, 0, 8);
  put(b, 1, 8); /* nothing is free */
  put(b, b->used + 8, 8);
  size_t start = b->used;
  put(b, 0, 8); /* the empty name */
  for (int i = 0; i < count; i++) {
    names[i].offset = b->used - start;
    put_text(b, names[i].text, strlen(names[i].text) + 1);
    fill(b);
  }
  patch(b, heap + 8, b->used - start, 8);
  return heap;
}

/* Names in leaves, and one node above them. */
static uint64_t put_links(bytes *b, const name *names, int count, int leaves) {
  fill(b);
  size_t node = b->used;
  put_text(b, "TREE\0\0", 6);
  put(b, (uint64_t)leaves, 2);
  put(b, nowhere, 8);
  put(b, nowhere, 8);
  size_t keys = b->used;
  more(b, (size_t)(leaves + leaves % 2) * 16 + 8);
  for (int k = 0; k < leaves; k++) {
    int first = k * LEAF, here = count - first < LEAF ? count - first : LEAF;
    patch(b, keys + (size_t)k * 16 + 8, b->used, 8);
    patch(b, keys + (size_t)k * 16 + 16, names[first + here - 1].offset, 8);
    put_text(b, "SNOD\1\0", 6);
    put(b, (uint64_t)here, 2);
    for (int i = 0; i < LEAF; i++) {
      put(b, i < here ? names[first + i].offset : 0, 8);
      put(b, i < here ? names[first + i].object : 0, 8);
      more(b, ENTRY - 16);
    }
  }
  return node;
}

static void put_superblock(bytes *b, const table *t, int leaves) {
  put_text(b, "\x89HDF\r\n\x1a\n", 8);
  put(b, 1, 1); /* version */
  put(b, 0, 4);
  put(b, 8, 1); /* bytes of an address, of a length */
  put(b, 8, 1);
  put(b, 0, 1);
  put(b, LEAF / 2, 2);
  put(b, (uint64_t)(leaves + 1) / 2, 2);
  put(b, 0, 4);
  put(b, (uint64_t)(t->chunks + 1) / 2, 2);
  put(b, 0, 2);
  put(b, 0, 8);
  put(b, nowhere, 8);
  put(b, 0, 8); /* the end of the file */
  put(b, nowhere, 8);
  put(b, 0, 8); /* the root: its entry */
  put(b, 0, 8);
  put(b, 1, 8); /* what follows is its tree and heap */
  put(b, 0, 8);
  put(b, 0, 8);
}

static void put_all(bytes *b, table *t, const trm_row_file *file, name *names) {
  int leaves = (file->columns + LEAF - 1) / LEAF, lists = 0;
  put_superblock(b, t, leaves);
  size_t root_entry = b->used - ENTRY;
  for (int k = 0; k < file->columns; k++) {
    fill(b);
    names[k] = (name){file->names[k], b->used, 0};
    put_column(b, t, k, file->texts && file->texts[k] > 0);
  }
  qsort(names, (size_t)file->columns, sizeof *names, compare_names);
  uint64_t heap = put_link_heap(b, names, file->columns);
  uint64_t tree = put_links(b, names, file->columns, leaves);
  uint64_t lists_at = 0;
  for (int first = 0; first < file->columns; first += MOST_NAMES, lists++) {
    int count = file->columns - first < MOST_NAMES ? file->columns - first : MOST_NAMES;
    uint64_t at = put_name_heap(b, file, first, count);
    if (first == 0) lists_at = at;
  }
  size_t root = begin_object(b), message = begin_message(b, 0x11);
  put(b, tree, 8);
  put(b, heap, 8);
  end_message(b, message);
  for (int first = 0; first < file->columns; first += MOST_NAMES) {
    int count = file->columns - first < MOST_NAMES ? file->columns - first : MOST_NAMES;
    put_names(b, file, first, count, lists_at);
    if (!b->failed) { /* the next heap stands behind this one */
      uint64_t size = 0;
      for (int i = 0; i < 8; i++) size |= (uint64_t)b->data[lists_at + 8 + (size_t)i] << (8 * i);
      lists_at += size;
    }
  }
  end_object(b, root, 1 + lists);
  patch(b, root_entry + 8, root, 8);
  patch(b, root_entry + 24, tree, 8);
  patch(b, root_entry + 32, heap, 8);
}

/* ---- rows ---- */

static table *create_table(trm_row_file *file) {
  size_t columns = (size_t)file->columns;
  table *t = file->own = calloc(1, sizeof *t);
  if (!t) return NULL;
  long most = file->most > 0 ? file->most : 1;
  t->chunk = most < CHUNK ? most : CHUNK;
  while ((most - 1) / t->chunk + 1 > MOST_CHUNKS) t->chunk *= 2;
  t->chunks = (most - 1) / t->chunk + 1;
  t->space = calloc(columns, sizeof *t->space);
  t->tree = calloc(columns, sizeof *t->tree);
  t->before = calloc(columns + 1, sizeof *t->before);
  long widest = 1;
  for (int k = 0; t->before && k < file->columns; k++) {
    t->before[k + 1] = t->before[k] + (file->texts && file->texts[k] ? file->texts[k] / 8 : 1);
    if (width(t, k) > widest) widest = width(t, k);
  }
  t->values = malloc((size_t)t->chunk * (size_t)widest * sizeof *t->values);
  return t->space && t->tree && t->before && t->values ? t : NULL;
}

/* The bytes before the chunks; their places are kept in the table. */
static int describe(trm_row_file *file, bytes *b) {
  table *t = create_table(file);
  name *names = t ? calloc((size_t)file->columns, sizeof *names) : NULL;
  if (names) put_all(b, t, file, names);
  while (!b->failed && b->used % 4096 != 0) fill(b), more(b, 8);
  free(names);
  if (!names || b->failed) return ENOMEM;
  t->data = b->used;
  return 0;
}

static long long place(const trm_row_file *file, long chunk, int column) {
  const table *t = file->own;
  long long size = (long long)t->chunk * 8, row = t->before[file->columns];
  return (long long)t->data + (chunk * row + t->before[column]) * size;
}

static int put_number(const trm_row_file *file, uint64_t at, uint64_t value, int size) {
  unsigned char text[8];
  store(text, value, size);
  return trm_write_all(file->file, text, (size_t)size, (long long)at);
}

/* A device has no length. */
static int set_length(const trm_row_file *file, long long length) {
  return ftruncate(file->file, (off_t)length) == 0 || errno == EINVAL ? 0 : errno;
}

static int begin(trm_row_file *file) {
  bytes b = {0};
  int error = describe(file, &b);
  if (!error) {
    patch(&b, END_OF_FILE, b.used, 8);
    error = trm_write_all(file->file, b.data, b.used, 0);
  }
  file->size = (long long)b.used;
  free(b.data);
  return error;
}

/* Names the chunks up to one, in the nodes of all columns. */
static int add_chunks(trm_row_file *file, long until) {
  table *t = file->own;
  int error = 0;
  for (; !error && t->present < until; t->present++) {
    long c = t->present;
    long long end = place(file, c + 1, 0);
    error = set_length(file, end);
    if (!error) error = put_number(file, END_OF_FILE, (uint64_t)end, 8);
    for (int k = 0; !error && k < file->columns; k++) {
      unsigned char entry[2 * KEY + 8] = {0};
      store(entry, (uint64_t)t->chunk * (uint64_t)width(t, k) * 8, 4);
      store(entry + 8, (uint64_t)c * (uint64_t)t->chunk, 8);
      store(entry + KEY, (uint64_t)place(file, c, k), 8);
      store(entry + KEY + 8 + 8, (uint64_t)(c + 1) * (uint64_t)t->chunk, 8);
      uint64_t at = t->tree[k] + NODE + (uint64_t)c * (KEY + 8);
      error = trm_write_all(file->file, entry, sizeof entry, (long long)at);
      if (!error) error = put_number(file, t->tree[k] + 6, (uint64_t)c + 1, 2);
    }
    file->size = end;
  }
  return error;
}

/* Within one chunk. */
static int write_piece(trm_row_file *file, const double *rows, long first, long count) {
  table *t = file->own;
  int error = add_chunks(file, first / t->chunk + 1);
  for (int k = 0; !error && k < file->columns; k++) {
    long wide = width(t, k), row = t->before[file->columns];
    for (long i = 0; i < count; i++)
      memcpy(t->values + i * wide, rows + i * row + t->before[k], (size_t)wide * 8);
    long long at = place(file, first / t->chunk, k) + first % t->chunk * wide * 8;
    error = trm_write_all(file->file, t->values, (size_t)(count * wide) * 8, at);
  }
  return error;
}

static int write_rows(trm_row_file *file, const double *rows, int count) {
  const table *t = file->own;
  for (long done = 0; done < count;) {
    long left = t->chunk - file->rows % t->chunk, part = count - done < left ? count - done : left;
    int error = write_piece(file, rows + done * t->before[file->columns], file->rows, part);
    if (error) return error;
    file->rows += part;
    done += part;
  }
  return 0;
}

static int settle(trm_row_file *file, long rows) {
  const table *t = file->own;
  int error = 0;
  for (int k = 0; !error && k < file->columns; k++)
    error = put_number(file, t->space[k], (uint64_t)rows, 8);
  return error;
}

/* ---- going on ---- */

static int read_at(const trm_row_file *file, void *to, size_t size, long long at) {
  ssize_t got = pread(file->file, to, size, (off_t)at);
  return got == (ssize_t)size ? 0 : got < 0 ? errno : EILSEQ;
}

/* It begins as it would be begun now, but for what changes. */
static int compare(const trm_row_file *file, const bytes *b) {
  const table *t = file->own;
  unsigned char *there = malloc(b->used);
  int error = there ? read_at(file, there, b->used, 0) : ENOMEM;
  if (!error) {
    memcpy(there + END_OF_FILE, b->data + END_OF_FILE, 8);
    for (int k = 0; k < file->columns; k++) {
      size_t node = (size_t)(t->chunks + t->chunks % 2) * (KEY + 8) + KEY + NODE;
      memcpy(there + t->space[k], b->data + t->space[k], 8);
      memcpy(there + t->tree[k], b->data + t->tree[k], node);
    }
    if (memcmp(there, b->data, b->used) != 0) error = EILSEQ;
  }
  free(there);
  return error;
}

static int read_chunk(trm_row_file *file, long chunk, long count, double *rows) {
  table *t = file->own;
  int error = 0;
  for (int k = 0; !error && k < file->columns; k++) {
    long wide = width(t, k), row = t->before[file->columns];
    error = read_at(file, t->values, (size_t)(count * wide) * 8, place(file, chunk, k));
    for (long i = 0; i < count; i++)
      memcpy(rows + i * row + t->before[k], t->values + i * wide, (size_t)wide * 8);
  }
  return error;
}

static int read_rows(trm_row_file *file, long rows, trm_row_sink sink, void *context) {
  table *t = file->own;
  double *all = malloc((size_t)(t->chunk * t->before[file->columns]) * sizeof *all);
  int error = all ? 0 : ENOMEM;
  for (long first = 0; !error && first < rows; first += t->chunk) {
    long count = rows - first < t->chunk ? rows - first : t->chunk;
    error = read_chunk(file, first / t->chunk, count, all);
    for (long i = 0; !error && i < count; i++) {
      errno = 0;
      if (!sink(context, all + i * t->before[file->columns])) error = errno ? errno : EIO;
    }
  }
  free(all);
  return error;
}

/* The file is then as one that was never longer. */
static int cut(trm_row_file *file, long rows) {
  table *t = file->own;
  unsigned char zeros[2 * KEY + 8] = {0};
  long keep = rows > 0 ? (rows - 1) / t->chunk + 1 : 0;
  int error = 0;
  for (long c = keep; !error && c < t->chunks; c++)
    for (int k = 0; !error && k < file->columns; k++) {
      long long at = (long long)t->tree[k] + NODE + (long long)c * (KEY + 8);
      unsigned char child[8];
      error = read_at(file, child, 8, at + KEY);
      bool used = memcmp(child, zeros, 8) != 0;
      if (!error && used) error = trm_write_all(file->file, zeros + KEY, KEY + 8, at + KEY);
    }
  for (int k = 0; !error && k < file->columns; k++)
    error = put_number(file, t->tree[k] + 6, (uint64_t)keep, 2);
  t->present = keep;
  file->rows = rows;
  file->size = place(file, keep, 0);
  if (!error) error = settle(file, rows);
  if (!error) error = put_number(file, END_OF_FILE, (uint64_t)file->size, 8);
  long rest = keep * t->chunk - rows; /* of the last chunk */
  for (int k = 0; !error && rest > 0 && k < file->columns; k++) {
    long wide = width(t, k);
    memset(t->values, 0, (size_t)(rest * wide) * 8);
    error = trm_write_all(file->file, t->values, (size_t)(rest * wide) * 8,
                          place(file, keep - 1, k) + (t->chunk - rest) * wide * 8);
  }
  return error ? error : set_length(file, file->size);
}

static int go_on(trm_row_file *file, long rows, long long size, trm_row_sink sink, void *context) {
  (void)size;
  bytes b = {0};
  int error = describe(file, &b);
  if (!error) error = compare(file, &b);
  free(b.data);
  if (!error) error = read_rows(file, rows, sink, context);
  return error ? error : cut(file, rows);
}

static void end(trm_row_file *file) {
  table *t = file->own;
  if (!t) return;
  free(t->space);
  free(t->tree);
  free(t->before);
  free(t->values);
  free(t);
  file->own = NULL;
}

const trm_row_class trm_rows_hdf5 = {"hdf5", begin, write_rows, settle, go_on, end};
