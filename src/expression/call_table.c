/* Parsing tables: the points or the file, and how to read between and outside of them. */
#include "expression/parser.h"

#include <string.h>

/* One coordinate of a table written out: a constant, taken off the program again. */
static bool parse_coordinate(trm_parser *parser, trm_points *points) {
  size_t offset = parser->token.offset;
  trm_mark start = trm_emit_mark(parser);
  double value;
  if (!trm_parse_expression(parser)) return false;
  if (!trm_emit_is_constant(parser, start, &value))
    return trm_parse_fail(parser, offset, "the points of a table must be constants");
  trm_emit_truncate(parser, start);
  return trm_points_add(points, value) || trm_parse_no_memory(parser, offset);
}

/* What follows the points or the file of a table, each where it is given: a column, how to go from
 * point to point, and what is outside. */
typedef struct table_words {
  trm_word file, column;
  trm_table_options options;
} table_words;

/* The string that comes next, with the comma before it; empty where none does. */
static bool parse_word(trm_parser *parser, trm_word *word, size_t *offset) {
  *word = (trm_word){"", 0};
  if (parser->token.kind != ',') return true;
  if (!trm_parse_advance(parser)) return false;
  *offset = parser->token.offset;
  if (parser->token.kind != TRM_TOKEN_STRING)
    return trm_parse_fail(parser, *offset, "expected a text in quotes, found %s",
                          trm_quote_token(parser, parser->token).text);
  *word = (trm_word){parser->text + parser->token.offset, parser->token.length};
  return trm_parse_advance(parser);
}

/* Which of `count` words it is; the first where it is empty, −1 where it is none. */
static int choose_word(trm_word word, const char *const *words, int count) {
  if (word.length == 0) return 0;
  for (int i = 0; i < count; i++)
    if (strlen(words[i]) == word.length && memcmp(words[i], word.text, word.length) == 0) return i;
  return -1;
}

static bool parse_options(trm_parser *parser, bool curve, trm_table_options *options) {
  static const char *const between[] = {"cubic", "linear", "quintic"};
  static const char *const outside[] = {"error", "hold", "extend"};
  trm_word word;
  size_t at = 0;
  if (!parse_word(parser, &word, &at)) return false;
  int chosen = choose_word(word, between, curve ? 3 : 2);
  if (chosen < 0)
    return trm_parse_fail(parser, at, "between its points a table is %s\"cubic\" or \"linear\"",
                          curve ? "\"quintic\", " : "");
  options->linear = chosen == 1;
  options->quintic = chosen == 2;
  if (!parse_word(parser, &word, &at)) return false;
  chosen = choose_word(word, outside, 3);
  if (chosen < 0)
    return trm_parse_fail(parser, at,
                          "outside its range a table is an \"error\", or it goes on: \"hold\" or "
                          "\"extend\"");
  options->outside = (trm_outside)chosen;
  return true;
}

static bool parse_file(trm_parser *parser, table_words *words) {
  words->file = (trm_word){parser->text + parser->token.offset, parser->token.length};
  return trm_parse_advance(parser);
}

static bool parse_file_points(trm_parser *parser, table_words *words, trm_points *points) {
  char message[200];
  size_t offset = parser->token.offset, at = offset;
  if (!parse_file(parser, words) || !parse_word(parser, &words->column, &at)) return false;
  if (!trm_points_read(points, parser->shelf, parser->folder, words->file, words->column, message,
                       sizeof message))
    return trm_parse_fail(parser, offset, "%s", message);
  return true;
}

static bool text_follows(const trm_parser *parser) {
  const char *next = parser->text + parser->token.offset + 1;
  next += strspn(next, " \t\r\n");
  return *next == '"' || *next == '\'';
}

/* x0, y0, x1, y1, …; the comma before a text is left for it. */
static bool parse_points(trm_parser *parser, trm_points *points, size_t offset) {
  if (!parse_coordinate(parser, points)) return false;
  while (parser->token.kind == ',' && !text_follows(parser))
    if (!trm_parse_advance(parser) || !parse_coordinate(parser, points)) return false;
  if (points->count % 2 == 0) return true;
  return trm_parse_fail(parser, offset,
                        "the points of a table come in pairs x, y; here are %zu numbers",
                        points->count);
}

static bool parse_table_of(trm_parser *parser, trm_points *points, size_t offset) {
  char message[200];
  table_words words = {.file = {"", 0}};
  bool good = parser->token.kind == TRM_TOKEN_STRING ? parse_file_points(parser, &words, points)
                                                     : parse_points(parser, points, offset);
  if (!good || !parse_options(parser, true, &words.options)) return false;
  if (!trm_parse_expect(parser, ')', "')'")) return false;
  if (parser->dead) return true; /* x stands for the value nobody asks for */
  trm_table *table = trm_table_create(points, words.file, words.options, message, sizeof message);
  if (!table) return trm_parse_fail(parser, offset, "%s", message);
  return trm_emit_table(parser, table, offset);
}

bool trm_parse_table(trm_parser *parser, trm_token name) {
  bool empty = parser->token.kind == ')';
  if (!empty && !trm_parse_expression(parser)) return false;
  if (parser->token.kind == ')')
    return trm_parse_fail(
        parser, name.offset,
        "a table is written table(x, \"file.csv\") or table(x, x0, y0, x1, y1, ...)");
  if (!trm_parse_expect(parser, ',', "','")) return false;
  trm_points points = {0};
  bool done = parse_table_of(parser, &points, name.offset);
  trm_points_free(&points);
  return done;
}

static bool parse_surface_of(trm_parser *parser, trm_grid *grid, size_t offset) {
  char message[200];
  table_words words = {.file = {"", 0}};
  size_t at = parser->token.offset;
  if (!parse_file(parser, &words)) return false;
  if (!trm_grid_read(grid, parser->shelf, parser->folder, words.file, message, sizeof message))
    return trm_parse_fail(parser, at, "%s", message);
  if (!parse_options(parser, false, &words.options)) return false;
  if (!trm_parse_expect(parser, ')', "')'")) return false;
  /* any operation stands for the value nobody asks for */
  if (parser->dead) return trm_emit_operation(parser, TRM_OP_ADD, 2, offset);
  trm_table *table = trm_surface_create(grid, words.file, words.options, message, sizeof message);
  if (!table)
    return trm_parse_fail(parser, at, "table '%.*s': %s",
                          words.file.length < 100 ? (int)words.file.length : 100, words.file.text,
                          message);
  return trm_emit_table(parser, table, offset);
}

bool trm_parse_surface(trm_parser *parser, trm_token name) {
  static const char form[] = "a table of two variables is written table2(x, y, \"file.csv\")";
  for (int i = 0; i < 2; i++) {
    bool text = parser->token.kind == TRM_TOKEN_STRING;
    if (text || parser->token.kind == ')') return trm_parse_fail(parser, name.offset, form);
    if (!trm_parse_expression(parser)) return false;
    if (parser->token.kind == ')') return trm_parse_fail(parser, name.offset, form);
    if (!trm_parse_expect(parser, ',', "','")) return false;
  }
  if (parser->token.kind != TRM_TOKEN_STRING) return trm_parse_fail(parser, name.offset, form);
  trm_grid grid = {.columns = 0};
  bool done = parse_surface_of(parser, &grid, name.offset);
  trm_points_free(&grid.numbers);
  return done;
}
