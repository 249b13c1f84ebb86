/* MAT-files, level 5 (MathWorks, "MAT-File Format"): elements of a type, a size and data that fill
 * eight bytes. */
#include "result/mat.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { INT8 = 1, UINT16 = 4, INT32 = 5, UINT32 = 6, DOUBLE = 9, MATRIX = 14 }; /* of data */
enum { CELL = 1, CHARACTERS = 4, REAL = 6 };                                   /* of arrays */
enum { TAG = 8, COMPLEX = 0x0800, NAMED_ONLY = 63 };

static size_t padded(size_t size) {
  return (size + 7) / 8 * 8;
}

static void put(trm_output *o, const void *bytes, size_t size) {
  static const char zero[8] = {0};
  trm_output_write(o, bytes, size);
  trm_output_write(o, zero, padded(size) - size);
}

static void put_tag(trm_output *o, uint32_t type, size_t size) {
  const uint32_t tag[2] = {type, (uint32_t)size};
  trm_output_write(o, (const char *)tag, sizeof tag);
}

static void put_element(trm_output *o, uint32_t type, const void *bytes, size_t size) {
  put_tag(o, type, size);
  put(o, bytes, size);
}

static size_t name_length(const char *name) {
  size_t length = strlen(name);
  return length < NAMED_ONLY ? length : NAMED_ONLY;
}

/* Of flags, dimensions and name. */
static size_t head_size(const char *name) {
  return 3 * TAG + 8 + 8 + padded(name_length(name));
}

static void put_head(trm_output *o, uint32_t kind, const char *name, int rows, int columns) {
  const uint32_t flags[2] = {kind, 0};
  const int32_t dimensions[2] = {rows, columns};
  put_element(o, UINT32, flags, sizeof flags);
  put_element(o, INT32, dimensions, sizeof dimensions);
  put_element(o, INT8, name, name_length(name));
}

void trm_mat_begin(trm_output *o) {
  char header[128];
  const uint16_t version = 0x0100, order = 'M' << 8 | 'I';
  memset(header, ' ', sizeof header);
  memcpy(header, "MATLAB 5.0 MAT-file, written by Trammel", 39);
  memset(header + 116, 0, 8);
  memcpy(header + 124, &version, 2);
  memcpy(header + 126, &order, 2);
  trm_output_write(o, header, sizeof header);
}

static void put_numbers(trm_output *o, int rows, int columns, const double *values) {
  put_tag(o, DOUBLE, (size_t)rows * (size_t)columns * sizeof(double));
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      put(o, &values[(size_t)i * (size_t)columns + (size_t)j], sizeof(double));
}

void trm_mat_matrix(trm_output *o, const char *name, int rows, int columns, const double *re,
                    const double *im) {
  size_t part = TAG + (size_t)rows * (size_t)columns * sizeof(double);
  put_tag(o, MATRIX, head_size(name) + part * (im ? 2 : 1));
  put_head(o, im ? REAL | COMPLEX : REAL, name, rows, columns);
  put_numbers(o, rows, columns, re);
  if (im) put_numbers(o, rows, columns, im);
}

static size_t text_size(const char *text) {
  return head_size("") + TAG + padded(2 * strlen(text));
}

/* Sixteen bits a character: names are ASCII. */
static void put_text(trm_output *o, const char *text) {
  size_t length = strlen(text);
  put_tag(o, MATRIX, text_size(text));
  put_head(o, CHARACTERS, "", length > 0, (int)length);
  put_tag(o, UINT16, 2 * length);
  for (size_t i = 0; i < length; i++) {
    const uint16_t letter = (unsigned char)text[i];
    trm_output_write(o, (const char *)&letter, sizeof letter);
  }
  static const char zero[8] = {0};
  trm_output_write(o, zero, padded(2 * length) - 2 * length);
}

void trm_mat_names(trm_output *o, const char *name, const char *const *names, int count) {
  size_t size = head_size(name);
  for (int i = 0; i < count; i++) size += TAG + text_size(names[i]);
  put_tag(o, MATRIX, size);
  put_head(o, CELL, name, count, 1);
  for (int i = 0; i < count; i++) put_text(o, names[i]);
}
