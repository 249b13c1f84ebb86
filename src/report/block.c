/* Numbers change little from row to row: differences of their bits along a column, the four bytes
 * of each in planes of their own, deflate. The page undoes it in web/src/block.js. */
#include "report/block.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Column after column, so that a column's differences stand together. */
static void shuffle(const float *values, size_t rows, size_t columns, unsigned char *planes) {
  size_t count = rows * columns, place = 0;
  for (size_t c = 0; c < columns; c++) {
    uint32_t before = 0;
    for (size_t r = 0; r < rows; r++, place++) {
      uint32_t bits;
      memcpy(&bits, &values[r * columns + c], 4);
      uint32_t change = bits - before;
      before = bits;
      for (size_t k = 0; k < 4; k++) planes[k * count + place] = (unsigned char)(change >> (8 * k));
    }
  }
}

static void unshuffle(const unsigned char *planes, size_t rows, size_t columns, float *values) {
  size_t count = rows * columns, place = 0;
  for (size_t c = 0; c < columns; c++) {
    uint32_t bits = 0;
    for (size_t r = 0; r < rows; r++, place++) {
      for (size_t k = 0; k < 4; k++) bits += (uint32_t)planes[k * count + place] << (8 * k);
      memcpy(&values[r * columns + c], &bits, 4);
    }
  }
}

static void write_base64(trm_output *output, const unsigned char *bytes, size_t length) {
  for (size_t i = 0; i < length; i += 3) {
    size_t left = length - i;
    uint32_t group = (uint32_t)bytes[i] << 16;
    if (left > 1) group |= (uint32_t)bytes[i + 1] << 8;
    if (left > 2) group |= bytes[i + 2];
    char text[4] = {digits[group >> 18], digits[group >> 12 & 63], digits[group >> 6 & 63],
                    digits[group & 63]};
    if (left < 3) text[3] = '=';
    if (left < 2) text[2] = '=';
    trm_output_write(output, text, 4);
  }
}

static bool write_packed(trm_output *output, const float *values, size_t rows, size_t columns) {
  size_t size = 4 * rows * columns;
  uLongf packed_size = compressBound((uLong)size);
  unsigned char *planes = malloc(size + 1), *packed = malloc(packed_size);
  bool good = planes && packed;
  if (good) {
    shuffle(values, rows, columns, planes);
    good = compress2(packed, &packed_size, planes, (uLong)size, 6) == Z_OK;
  }
  if (good) write_base64(output, packed, packed_size);
  free(planes);
  free(packed);
  return good;
}

bool trm_block_write(trm_output *output, const char *id, const float *values, size_t rows,
                     size_t columns) {
  trm_output_text(output, "<script type=\"application/octet-stream\" id=\"");
  trm_output_text(output, id);
  trm_output_text(output, "\" data-rows=\"");
  trm_output_number(output, (double)rows, 15);
  trm_output_text(output, "\">");
  bool good = write_packed(output, values, rows, columns);
  trm_output_text(output, "</script>\n");
  return good;
}

bool trm_block_write_object(trm_json *json, const char *key, const float *values, size_t rows,
                            size_t columns) {
  trm_json_open(json, key);
  trm_json_integer(json, "rows", (long)rows);
  trm_json_key(json, "data");
  trm_output_text(json->output, "\"");
  bool good = write_packed(json->output, values, rows, columns);
  trm_output_text(json->output, "\"");
  trm_json_close(json);
  return good;
}

/* The number of bytes, or 0 where there is a character that does not belong. */
static size_t read_base64(const char *text, size_t length, unsigned char *bytes) {
  uint32_t group = 0;
  size_t used = 0, taken = 0;
  while (length > 0 && text[length - 1] == '=') length--;
  for (size_t i = 0; i < length; i++) {
    const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
    if (!digit) return 0;
    group = group << 6 | (uint32_t)(digit - digits);
    if (++taken < 4) continue;
    for (int k = 2; k >= 0; k--) bytes[used++] = (unsigned char)(group >> (8 * k));
    group = 0;
    taken = 0;
  }
  if (taken == 3) group <<= 6;
  if (taken == 2) group <<= 12;
  for (size_t k = 0; k + 1 < taken; k++) bytes[used++] = (unsigned char)(group >> (16 - 8 * k));
  return used;
}

float *trm_block_read(const char *text, size_t length, size_t rows, size_t columns) {
  size_t size = 4 * rows * columns;
  uLongf plain_size = (uLongf)size;
  unsigned char *packed = malloc(length + 4), *planes = malloc(size + 1);
  float *values = malloc(size + 4);
  bool good = packed && planes && values;
  if (good) {
    size_t packed_size = read_base64(text, length, packed);
    good =
        uncompress(planes, &plain_size, packed, (uLong)packed_size) == Z_OK && plain_size == size;
  }
  if (good) unshuffle(planes, rows, columns, values);
  free(packed);
  free(planes);
  if (good) return values;
  free(values);
  return NULL;
}
