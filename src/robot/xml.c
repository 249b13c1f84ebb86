/* XML by expat: elements, attributes and text; comments and the rest are passed over. */
#include "robot/xml.h"

#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { MOST_BYTES = 1 << 28, DEEPEST = 1000 };

typedef struct reading {
  trm_arena *arena;
  XML_Parser parser;
  const char *file, *text;
  trm_xml *root, *open;
  int depth, skipped;  /* lines before it begins */
  char *words;         /* text of the element that is open, as far as it has come */
  size_t length, room; /* of it */
  bool no_memory, too_deep;
} reading;

static const char *plain_name(const char *name) {
  const char *colon = strrchr(name, ':');
  return colon ? colon + 1 : name;
}

static int line_number(const reading *r) {
  return r->skipped + (int)XML_GetCurrentLineNumber(r->parser);
}

static const char *line_of(const reading *r) {
  XML_Index at = XML_GetCurrentByteIndex(r->parser);
  while (at > 0 && r->text[at - 1] != '\n') at--;
  return r->text + (at > 0 ? at : 0);
}

static bool take_attributes(reading *r, trm_xml *element, const char **given) {
  int count = 0;
  while (given[2 * count]) count++;
  trm_xml_attribute *list = TRM_NEW(r->arena, trm_xml_attribute, count + 1);
  if (!list) return false;
  for (int i = 0; i < count; i++) {
    list[i].name = trm_arena_string(r->arena, plain_name(given[2 * i]));
    list[i].value = trm_arena_string(r->arena, given[2 * i + 1]);
    if (!list[i].name || !list[i].value) return false;
  }
  element->attribute_count = count;
  element->attributes = list;
  return true;
}

static void stop(reading *r, bool *why) {
  *why = true;
  XML_StopParser(r->parser, XML_FALSE);
}

static void XMLCALL begin(void *data, const char *name, const char **attributes) {
  reading *r = data;
  trm_xml *element = TRM_NEW(r->arena, trm_xml, 1);
  if (!element || !(element->name = trm_arena_string(r->arena, plain_name(name))) ||
      !take_attributes(r, element, attributes)) {
    stop(r, &r->no_memory);
    return;
  }
  element->file = r->file;
  element->line = line_number(r);
  element->column = (int)XML_GetCurrentColumnNumber(r->parser) + 1;
  element->source = line_of(r);
  element->parent = r->open;
  if (!r->open)
    r->root = element;
  else if (r->open->last)
    r->open->last = r->open->last->next = element;
  else
    r->open->first = r->open->last = element;
  r->open = element;
  r->length = 0;
  if (++r->depth > DEEPEST) stop(r, &r->too_deep);
}

static void XMLCALL take_text(void *data, const char *text, int length) {
  reading *r = data;
  size_t more = (size_t)length;
  if (r->length + more > r->room) {
    size_t room = 2 * (r->length + more);
    char *grown = realloc(r->words, room);
    if (!grown) {
      stop(r, &r->no_memory);
      return;
    }
    r->words = grown;
    r->room = room;
  }
  memcpy(r->words + r->length, text, more);
  r->length += more;
}

static bool is_blank(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (!strchr(" \t\r\n", text[i])) return false;
  return true;
}

/* Without the blanks around it. */
static bool keep_text(reading *r) {
  const char *from = r->words;
  size_t length = r->length;
  r->length = 0;
  if (r->open->first || is_blank(from, length)) return true;
  for (; strchr(" \t\r\n", *from); from++) length--;
  while (strchr(" \t\r\n", from[length - 1])) length--;
  return (r->open->text = trm_arena_substring(r->arena, from, length)) != NULL;
}

static void XMLCALL end(void *data, const char *name) {
  reading *r = data;
  (void)name;
  if (!keep_text(r)) {
    stop(r, &r->no_memory);
    return;
  }
  r->open = r->open->parent;
  r->depth--;
}

static trm_xml *parse(reading *r, size_t length, trm_diagnostics *diagnostics) {
  XML_SetUserData(r->parser, r);
  XML_SetElementHandler(r->parser, begin, end);
  XML_SetCharacterDataHandler(r->parser, take_text);
  if (XML_Parse(r->parser, r->text, (int)length, XML_TRUE) == XML_STATUS_OK) return r->root;
  if (r->no_memory) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    return NULL;
  }
  const trm_place place = {.file = r->file,
                           .line = line_number(r),
                           .column = (int)XML_GetCurrentColumnNumber(r->parser) + 1,
                           .source = line_of(r)};
  trm_report_place(diagnostics, TRM_ERROR, place, "this is no XML: %s",
                   r->too_deep ? "elements in more than 1000 others"
                               : XML_ErrorString(XML_GetErrorCode(r->parser)));
  return NULL;
}

trm_xml *trm_xml_read(const char *path, trm_arena *arena, trm_diagnostics *diagnostics) {
  trm_file file = trm_file_read(path, "robot file", MOST_BYTES);
  if (!file.text) {
    trm_report(diagnostics, TRM_ERROR, "%s: %s", path, file.reason);
    return NULL;
  }
  /* errors show lines of it later */
  if (!trm_arena_defer(arena, free, file.text)) return NULL;
  reading r = {.arena = arena, .text = file.text, .file = trm_arena_string(arena, path)};
  r.parser = r.file ? XML_ParserCreate(NULL) : NULL;
  if (!r.parser) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    return NULL;
  }
  for (; *r.text && strchr(" \t\r\n", *r.text); r.text++) r.skipped += *r.text == '\n';
  trm_xml *root = parse(&r, file.length - (size_t)(r.text - file.text), diagnostics);
  XML_ParserFree(r.parser);
  free(r.words);
  return root;
}

const char *trm_xml_get(const trm_xml *element, const char *name) {
  for (int i = 0; element && i < element->attribute_count; i++)
    if (strcmp(element->attributes[i].name, name) == 0) return element->attributes[i].value;
  return NULL;
}

static trm_xml *named(trm_xml *element, const char *name) {
  while (element && strcmp(element->name, name) != 0) element = element->next;
  return element;
}

trm_xml *trm_xml_child(const trm_xml *element, const char *name) {
  return element ? named(element->first, name) : NULL;
}

trm_xml *trm_xml_sibling(const trm_xml *element, const char *name) {
  return named(element->next, name);
}

trm_place trm_xml_place(const trm_xml *element) {
  return (trm_place){.file = element->file,
                     .line = element->line,
                     .column = element->column,
                     .source = element->source};
}

int trm_xml_numbers(const char *text, int most, double *values) {
  int count = 0;
  for (const char *at = text;; count++) {
    at += strspn(at, " \t\r\n,");
    if (!*at) return count;
    char *rest;
    double value = strtod(at, &rest);
    if (rest == at || !isfinite(value) || (*rest && !strchr(" \t\r\n,", *rest))) return -1;
    if (count < most) values[count] = value;
    at = rest;
  }
}
