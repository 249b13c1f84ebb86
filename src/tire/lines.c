/* A property file line by line: [SECTION], KEY = VALUE, rows of tables; $ and ! begin comments. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tire/read.h"

static bool is_end(char c) {
  return c == 0 || c == '\n' || c == '\r';
}

static bool is_comment(char c) {
  return c == '$' || c == '!';
}

static const char *skip_blanks(const char *at) {
  while (*at == ' ' || *at == '\t') at++;
  return at;
}

trm_place trm_tir_place(const trm_tir_reader *reader, int column) {
  return (trm_place){
      .file = reader->file, .line = reader->number, .column = column, .source = reader->line};
}

static int column_of(const trm_tir_reader *reader, const char *at) {
  return (int)(at - reader->line) + 1;
}

/* Copies [from, to) in upper case, without blanks at its end; false where it does not fit. */
static bool copy_name(char *name, size_t size, const char *from, const char *to) {
  while (to > from && (to[-1] == ' ' || to[-1] == '\t')) to--;
  size_t length = (size_t)(to - from);
  if (length == 0 || length >= size) return false;
  for (size_t k = 0; k < length; k++) name[k] = (char)toupper((unsigned char)from[k]);
  name[length] = 0;
  return true;
}

/* A decimal number, also with the exponent letter D; NULL where there is none. */
static const char *read_number(const char *at, double *value) {
  char digits[64];
  size_t length = strspn(at, "0123456789+-.eEdD");
  if (length == 0 || length >= sizeof digits) return NULL;
  for (size_t k = 0; k < length; k++) digits[k] = at[k] == 'd' || at[k] == 'D' ? 'e' : at[k];
  digits[length] = 0;
  char *end;
  *value = strtod(digits, &end);
  return end == digits || *end || !isfinite(*value) ? NULL : at + length;
}

static bool read_section(trm_tir_reader *r, trm_tir_line *line, const char *at) {
  const char *close = at + 1 + strcspn(at + 1, "]\r\n");
  line->kind = TIR_SECTION;
  line->column = column_of(r, at);
  if (*close == ']' && copy_name(line->name, sizeof line->name, skip_blanks(at + 1), close))
    return true;
  trm_report_place(r->diagnostics, TRM_ERROR, trm_tir_place(r, line->column),
                   "a section should read '[NAME]'");
  return false;
}

static bool read_row(trm_tir_reader *r, trm_tir_line *line, const char *at) {
  line->kind = TIR_ROW;
  line->column = column_of(r, at);
  line->count = 0;
  while (!is_end(*at) && !is_comment(*at)) {
    double value;
    const char *end = read_number(at, &value);
    if (!end) {
      trm_report_place(r->diagnostics, TRM_ERROR, trm_tir_place(r, column_of(r, at)),
                       "a row of a table has numbers only");
      return false;
    }
    if (line->count < 2) line->numbers[line->count] = value;
    line->count++;
    at = skip_blanks(end);
    if (*at == ',') at = skip_blanks(at + 1);
  }
  return true;
}

static bool read_text(trm_tir_reader *r, trm_tir_line *line, const char *at) {
  char quote = *at;
  const char *end = ++at;
  while (!is_end(*end) && *end != quote) end++;
  size_t length = (size_t)(end - at);
  if (*end != quote || length >= sizeof line->text) {
    trm_report_place(r->diagnostics, TRM_ERROR, trm_tir_place(r, line->column),
                     "this text has no second %c on its line", quote);
    return false;
  }
  line->quoted = true;
  memcpy(line->text, at, length);
  line->text[length] = 0;
  return true;
}

static bool read_value(trm_tir_reader *r, trm_tir_line *line, const char *at) {
  at = skip_blanks(at);
  line->column = column_of(r, at);
  line->quoted = false;
  line->count = 0;
  if (*at == '\'' || *at == '"') return read_text(r, line, at);
  size_t length = 0;
  while (!is_end(at[length]) && !is_comment(at[length]) && !strchr(" \t", at[length])) length++;
  if (length == 0 || length >= sizeof line->text) {
    trm_report_place(r->diagnostics, TRM_ERROR, trm_tir_place(r, line->column),
                     "%s has no value: '%s = ...' expected", line->name, line->name);
    return false;
  }
  memcpy(line->text, at, length);
  line->text[length] = 0;
  const char *end = read_number(line->text, &line->numbers[0]);
  line->count = end && !*end;
  return true;
}

static bool read_key(trm_tir_reader *r, trm_tir_line *line, const char *at) {
  const char *equals = at + strcspn(at, "=$!\r\n");
  line->kind = TIR_KEY;
  line->column = column_of(r, at);
  if (*equals == '=' && copy_name(line->name, sizeof line->name, at, equals))
    return read_value(r, line, equals + 1);
  trm_report_place(r->diagnostics, TRM_ERROR, trm_tir_place(r, line->column),
                   "'[SECTION]', 'KEY = VALUE' or a comment ($, !) expected");
  return false;
}

bool trm_tir_next(trm_tir_reader *r, trm_tir_line *line) {
  while (*r->next) {
    r->line = r->next;
    r->number++;
    r->next += strcspn(r->next, "\n");
    if (*r->next) r->next++;
    const char *at = skip_blanks(r->line);
    /* {…} names the columns of the rows under it */
    if (is_end(*at) || is_comment(*at) || *at == '{') continue;
    bool row = isdigit((unsigned char)*at) || strchr("+-.", *at);
    if (*at == '[' ? read_section(r, line, at)
        : row      ? read_row(r, line, at)
                   : read_key(r, line, at))
      return true;
  }
  return false;
}
