/* Lines and columns of a document. */
#include "model/yaml.h"

#include <string.h>

#include "expression/token.h"

/* A line ends with LF, CR LF or CR alone. */
static bool ends_line(const char *text, size_t i) {
  return text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n');
}

static bool find_lines(trm_document *document) {
  int count = 1;
  for (size_t i = 0; i < document->length; i++) count += ends_line(document->text, i);
  document->lines = TRM_NEW(document->arena, uint32_t, count);
  if (!document->lines) return false;
  document->line_count = 1;
  for (size_t i = 0; i < document->length; i++)
    if (ends_line(document->text, i)) document->lines[document->line_count++] = (uint32_t)i + 1;
  return true;
}

static int line_of(const trm_document *document, uint32_t position) {
  int low = 0, high = document->line_count;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (document->lines[middle] <= position)
      low = middle;
    else
      high = middle;
  }
  return low;
}

trm_place trm_yaml_place(trm_document *document, uint32_t position) {
  trm_place place = {.file = document->file, .from = document->from};
  if (!document->lines && !find_lines(document)) return place;
  if (position > document->length) position = (uint32_t)document->length;
  int line = line_of(document, position);
  uint32_t from = document->lines[line];
  int column = 1;
  /* a file may be one line with 10⁵ errors in it */
  if (line + 1 == document->last_line && document->last_position <= position)
    from = document->last_position, column = document->last_column;
  for (uint32_t i = from; i < position; i++)
    column += ((unsigned char)document->text[i + 1] & 0xc0) != 0x80;
  place.line = document->last_line = line + 1;
  place.column = document->last_column = column;
  document->last_position = position;
  if (!document->foreign) place.source = document->text + document->lines[line];
  return place;
}

/* Steps over what stands for one or more bytes of the value; returns how many of the value. */
static size_t step(const trm_document *document, size_t *at, char quote) {
  const char *s = document->text + *at;
  if (quote == '"' && s[0] == '\\' && s[1]) {
    *at += s[1] == 'x' ? 4 : s[1] == 'u' ? 6 : s[1] == 'U' ? 10 : 2;
    return 1;
  }
  if (quote == '\'' && s[0] == '\'' && s[1] == '\'') {
    *at += 2;
    return 1;
  }
  size_t blank = strspn(s, " \t\r\n");
  /* a line break and the blanks around it fold into one space */
  if (blank > 0 && memchr(s, '\n', blank)) {
    *at += blank;
    return 1;
  }
  *at += 1;
  return 1;
}

trm_place trm_yaml_place_in(trm_document *document, const trm_yaml *node, size_t offset) {
  size_t at = node->position;
  if (node->kind == TRM_YAML_TEXT) {
    char quote = node->quoted && at > 0 ? document->text[at - 1] : '\0';
    for (size_t done = 0; done < offset && at < document->length;)
      done += step(document, &at, quote);
    if (at > document->length) at = document->length;
  }
  return trm_yaml_place(document, (uint32_t)at);
}

static bool is_number(const trm_yaml *node) {
  if (node->kind != TRM_YAML_TEXT || node->quoted) return false;
  double value;
  const char *digits = node->text + strspn(node->text, "-+");
  size_t length = trm_number_read(digits, &value);
  return length > 0 && digits[length] == 0;
}

const char *trm_yaml_kind_name(const trm_yaml *node) {
  static const char *const names[] = {"nothing", "text", "a list", "a map"};
  if (is_number(node)) return "a number";
  return names[node->kind];
}
