/* YAML text to a tree, with libfyaml; its complaints become diagnostics. */
#include "model/yaml_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What the library would print. */
typedef struct complaint {
  char text[200];
} complaint;

static void on_output(struct fy_diag *diag, void *user, const char *text, size_t length) {
  (void)diag;
  complaint *c = user;
  size_t used = strlen(c->text), room = sizeof c->text - 1 - used;
  while (length > 0 && text[length - 1] == '\n') length--;
  if (length > room) length = room;
  memcpy(c->text + used, text, length);
  c->text[used + length] = '\0';
}

static bool is_tab_indented(const char *line) {
  return line[strspn(line, " ")] == '\t';
}

/* The line of the first text in double quotes that does not end in its line, before `line`; 0:
 * none. */
static int open_quote(const trm_document *document, int line) {
  for (int k = 0; k < line && k < document->line_count; k++) {
    bool open = false;
    const char *c = document->text + document->lines[k];
    for (; *c && *c != '\n' && (open || *c != '#'); c++) {
      if (open && *c == '\\' && c[1] && c[1] != '\n')
        c++;
      else if (*c == '"')
        open = !open;
    }
    if (open) return k + 1;
  }
  return 0;
}

/* "mass:1", which is no key and no value. */
static bool lacks_blank(const char *line) {
  const char *key = line + strspn(line, " "), *colon = key + strcspn(key, ": \"'{[#\n");
  return colon > key && *colon == ':' && !strchr(" \r\n", colon[1]);
}

/* Causes that the parser's own words rarely name. */
static void describe_cause(trm_yaml_builder *b, int line, char *text, size_t size) {
  trm_document *document = b->document;
  text[0] = '\0';
  for (int k = line - 1; k <= line && k < document->line_count; k++)
    if (k >= 0 && is_tab_indented(document->text + document->lines[k]))
      snprintf(text, size, " (line %d is indented with a tab: YAML wants spaces)", k + 1);
  if (!text[0] && line > 0 && line <= document->line_count &&
      lacks_blank(document->text + document->lines[line - 1]))
    snprintf(text, size, ", with a blank behind the colon");
  int quote = text[0] ? 0 : open_quote(document, line);
  if (quote > 0) snprintf(text, size, " (the quotes that open in line %d do not end in it)", quote);
  if (text[0] || b->depth == 0 || !b->levels[b->depth - 1].node->flow) return;
  trm_place open = trm_yaml_place(document, b->levels[b->depth - 1].node->position);
  snprintf(text, size, " (inside the bracket that opens at %d:%d)", open.line, open.column);
}

/* What the parser complains of, in the words of this manual. */
static const char *in_our_words(const char *said) {
  static const struct {
    const char *said, *ours;
  } words[] = {
      {"could not find expected ':'", "a colon is missing: every line is 'key: value'"},
      {"invalid multiline plain key", "a colon is missing: every line is 'key: value'"},
      {"-quoted scalar without closing quote", "a closing quote is missing"},
      {"invalid indentation in mapping",
       "this line is not indented like the others of its map: entries of one map start in the same "
       "column"},
      {"missing comma in flow mapping", "a comma or a closing '}' is missing before this"},
      {"missing comma in flow sequence", "a comma or a closing ']' is missing before this"},
      {"invalid trailing content after double-quoted scalar",
       "the quotes end before this; perhaps they were opened too early, or one is missing"},
      {"invalid trailing content after single-quoted scalar",
       "the quotes end before this; perhaps they were opened too early, or one is missing"},
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(said, words[i].said)) return words[i].ours;
  return said;
}

static void report_syntax(trm_yaml_builder *b, struct fy_diag *diag, const complaint *said) {
  int before = trm_diagnostics_errors(b->diagnostics);
  trm_place end = trm_yaml_place(b->document, UINT32_MAX);
  void *state = NULL;
  for (const struct fy_diag_error *e; (e = fy_diag_errors_iterate(diag, &state));) {
    if (e->type != FYET_ERROR) continue;
    trm_place place = {
        .file = b->document->file, .line = e->line, .column = e->column, .from = b->document->from};
    if (e->line > end.line) place = end;
    if (place.line > 0 && place.line <= b->document->line_count && !b->document->foreign)
      place.source = b->document->text + b->document->lines[place.line - 1];
    char cause[120];
    describe_cause(b, place.line, cause, sizeof cause);
    trm_report_place(b->diagnostics, TRM_ERROR, place, "YAML syntax: %s%s",
                     b->document->foreign ? "this is no model file" : in_our_words(e->msg), cause);
  }
  if (trm_diagnostics_errors(b->diagnostics) > before) return;
  /* what is wrong with a text has a place; else a function of the parser has found no memory */
  const char *reason = said->text[0] ? said->text : "the file cannot be parsed";
  if (b->document->foreign) reason = "the file cannot be parsed";
  if (strstr(said->text, "fy_")) reason = "out of memory";
  trm_report_place(b->diagnostics, TRM_ERROR,
                   (trm_place){.file = b->document->file, .from = b->document->from},
                   "YAML syntax: %s", reason);
}

static bool run_parser(trm_yaml_builder *b, struct fy_parser *parser) {
  for (struct fy_event *event; (event = fy_parser_parse(parser));) {
    bool good = trm_yaml_on_event(b, event);
    fy_parser_event_free(parser, event);
    if (!good) return false;
  }
  return true;
}

static bool parse(trm_yaml_builder *b) {
  complaint said = {{0}};
  if (!trm_memory_left(2 * b->document->length)) return false;
  struct fy_diag_cfg diag_cfg;
  fy_diag_cfg_default(&diag_cfg);
  diag_cfg.fp = NULL; /* the default prints */
  diag_cfg.output_fn = on_output;
  diag_cfg.user = &said;
  struct fy_diag *diag = fy_diag_create(&diag_cfg);
  if (!diag) return false;
  fy_diag_set_collect_errors(diag, true);
  struct fy_parse_cfg cfg = {.search_path = "",
                             .flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
                                      FYPCF_SLOPPY_FLOW_INDENTATION,
                             .diag = diag};
  struct fy_parser *parser = fy_parser_create(&cfg);
  bool good = parser && fy_parser_set_string(parser, b->document->text, b->document->length) == 0;
  good = good && run_parser(b, parser);
  if (good && fy_diag_got_error(diag)) {
    report_syntax(b, diag, &said);
    good = false;
  }
  if (parser) fy_parser_destroy(parser);
  fy_diag_destroy(diag);
  return good;
}

bool trm_yaml_parse(trm_document *document, trm_diagnostics *diagnostics) {
  trm_yaml_builder b = {.document = document, .diagnostics = diagnostics};
  b.anchors = trm_map_create(document->arena);
  document->words = trm_arena_substring(document->arena, document->text, document->length);
  bool good = b.anchors && document->words && parse(&b);
  free(b.pile);
  free(b.anchored);
  if (good && !document->root)
    trm_report_place(diagnostics, TRM_ERROR,
                     (trm_place){.file = document->file, .from = document->from},
                     "the file is empty: a model starts with 'trammel: 1'");
  return good && document->root;
}
