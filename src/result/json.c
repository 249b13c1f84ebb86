/* JSON text. Strings may be anything a user or a file system gave; what comes out is valid. */
#include "result/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

static void write_control(trm_output *output, unsigned char c) {
  static const char letters[] = "btn\0fr"; /* of the codes 8 to 13 */
  if (c >= 8 && c <= 13 && letters[c - 8]) {
    trm_output_write(output, (char[]){'\\', letters[c - 8]}, 2);
    return;
  }
  char text[8];
  snprintf(text, sizeof text, "\\u%04x", c);
  trm_output_text(output, text);
}

static void write_string(trm_json *json, const char *text) {
  trm_output *output = json->output;
  trm_output_write(output, "\"", 1);
  while (*text) {
    unsigned char c = (unsigned char)*text;
    size_t length = trm_utf8_length(text);
    if (c < 0x20 || c == 0x7f || (json->html && c == '<')) {
      write_control(output, c);
    } else if (length == 0) {
      trm_output_text(output, "\xef\xbf\xbd"); /* U+FFFD: the replacement character */
    } else {
      if (c == '"' || c == '\\') trm_output_write(output, "\\", 1);
      trm_output_write(output, text, length);
    }
    text += length ? length : 1;
  }
  trm_output_write(output, "\"", 1);
}

void trm_json_begin(trm_json *json, trm_output *output) {
  *json = (trm_json){.output = output};
  trm_output_text(output, "{");
}

void trm_json_key(trm_json *json, const char *key) {
  if (json->begun) trm_output_text(json->output, ",");
  if (!json->html) trm_output_text(json->output, "\n  ");
  for (int i = 0; !json->html && i < json->depth; i++) trm_output_text(json->output, "  ");
  json->begun = true;
  if (!key) return;
  write_string(json, key);
  trm_output_text(json->output, json->html ? ":" : ": ");
}

void trm_json_string(trm_json *json, const char *key, const char *value) {
  trm_json_key(json, key);
  if (value)
    write_string(json, value);
  else
    trm_output_text(json->output, "null");
}

/* The fewest digits that read back the same: people look at these. */
static int digits_needed(double value) {
  for (int digits = 15; digits < 17; digits++) {
    char text[32];
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) return digits;
  }
  return 17;
}

static void write_number(trm_output *output, double value, int digits) {
  if (isfinite(value))
    trm_output_number(output, value, digits);
  else
    trm_output_text(output, "null");
}

void trm_json_number(trm_json *json, const char *key, double value) {
  trm_json_key(json, key);
  write_number(json->output, value, digits_needed(value));
}

void trm_json_numbers(trm_json *json, const char *key, const double *values, int count,
                      int digits) {
  trm_json_key(json, key);
  for (int i = 0; i < count; i++) {
    trm_output_text(json->output, i ? "," : "[");
    write_number(json->output, values[i], digits);
  }
  trm_output_text(json->output, count ? "]" : "[]");
}

void trm_json_bool(trm_json *json, const char *key, bool value) {
  trm_json_key(json, key);
  trm_output_text(json->output, value ? "true" : "false");
}

static void open_with(trm_json *json, const char *key, const char *bracket) {
  trm_json_key(json, key);
  trm_output_text(json->output, bracket);
  json->begun = false;
  json->depth++;
}

static void close_with(trm_json *json, const char *bracket) {
  if (!json->html) trm_output_text(json->output, "\n");
  for (int i = 0; !json->html && i < json->depth; i++) trm_output_text(json->output, "  ");
  trm_output_text(json->output, bracket);
  json->begun = true;
  json->depth--;
}

void trm_json_open(trm_json *json, const char *key) {
  open_with(json, key, "{");
}

void trm_json_close(trm_json *json) {
  close_with(json, "}");
}

void trm_json_open_list(trm_json *json, const char *key) {
  open_with(json, key, "[");
}

void trm_json_close_list(trm_json *json) {
  close_with(json, "]");
}

void trm_json_integer(trm_json *json, const char *key, long value) {
  trm_json_key(json, key);
  char text[32];
  snprintf(text, sizeof text, "%ld", value);
  trm_output_text(json->output, text);
}

void trm_json_end(trm_json *json) {
  trm_output_text(json->output, json->begun && !json->html ? "\n}\n" : "}\n");
}
