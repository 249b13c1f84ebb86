/* Looking at the bytes of a file before the YAML parser does. */
#include "model/yaml.h"

#include <string.h>

#include "base/text.h"

static void report(trm_document *document, trm_diagnostics *diagnostics, size_t position,
                   const char *message) {
  trm_place place = trm_yaml_place(document, (uint32_t)position);
  place.source = NULL; /* no use showing bytes that are no text */
  trm_report_place(diagnostics, TRM_ERROR, place, "%s", message);
}

static bool check_characters(trm_document *document, trm_diagnostics *diagnostics) {
  const unsigned char *text = (const unsigned char *)document->text;
  if (document->length >= 2 &&
      (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
    report(document, diagnostics, 0, "the file is in UTF-16; model files are UTF-8 text");
    return false;
  }
  for (size_t i = 0; i < document->length;) {
    if (text[i] >= 0x20 && text[i] < 0x7f) {
      i++;
      continue;
    }
    size_t length = trm_utf8_length(document->text + i);
    if (length == 0) {
      report(document, diagnostics, i, "this byte is not UTF-8: a model file is UTF-8 text");
      return false;
    }
    if ((text[i] < 0x20 && !memchr("\t\n\r", text[i], 3)) || text[i] == 0x7f) {
      report(document, diagnostics, i,
             "this is a binary file or holds a control character: a model file is text");
      return false;
    }
    i += length;
  }
  return true;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Such a bracket may turn out to be a key: the parser keeps all of it in memory to find out. */
static bool starts_line(const char *text, size_t i) {
  while (i > 0 && strchr(" -?", text[i - 1])) i--;
  return i == 0 || text[i - 1] == '\n' || text[i - 1] == '\r';
}

static bool report_brackets(trm_document *document, trm_diagnostics *diagnostics, size_t deep,
                            size_t start) {
  trm_place place = trm_yaml_place(document, (uint32_t)(deep ? deep : start));
  if (deep)
    trm_report_place(diagnostics, TRM_ERROR, place, "nested too deeply: more than %d levels",
                     TRM_YAML_DEEPEST);
  else
    trm_report_place(diagnostics, TRM_ERROR, place,
                     "this bracket holds more than %d MB: write it with indentation instead",
                     TRM_YAML_LONGEST_FLOW >> 20);
  return false;
}

/* Counts brackets without regard to quotes and comments: the bounds are far above what these hold.
 * A letter at the start of a line begins a key outside of all brackets. */
static bool check_brackets(trm_document *document, trm_diagnostics *diagnostics) {
  const char *text = document->text;
  size_t open = 0, start = 0;
  bool kept = false;
  for (size_t i = 0; i <= document->length; i++) { /* the NUL byte at the end, too */
    char c = text[i];
    if (c > '\n' && c != '[' && c != ']' && c != '{' && c != '}') continue;
    if (c == '\n' && is_letter(text[i + 1])) open = 0;
    if ((c == '[' || c == '{') && open++ == 0) {
      start = i;
      kept = starts_line(text, i);
    }
    if ((c == ']' || c == '}') && open > 0) open--;
    if (open > 16 * TRM_YAML_DEEPEST) return report_brackets(document, diagnostics, i, start);
    if (open > 0 && kept && i - start > TRM_YAML_LONGEST_FLOW)
      return report_brackets(document, diagnostics, 0, start);
  }
  return true;
}

static bool is_word(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/* Every model has the key `trammel`, also one that is broken elsewhere. */
static bool has_version(const char *text) {
  static const char key[] = "trammel";
  for (const char *at = text; (at = strstr(at, key)); at++) {
    const char *behind = at + strlen(key);
    behind += strspn(behind, "\"' \t");
    if (*behind == ':' && (at == text || !is_word(at[-1]))) return true;
  }
  return false;
}

bool trm_yaml_scan(trm_document *document, trm_diagnostics *diagnostics) {
  document->foreign = !has_version(document->text);
  return check_characters(document, diagnostics) && check_brackets(document, diagnostics);
}
