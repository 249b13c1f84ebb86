/* Parsing formulas over a run. Each argument of such a function is a program of its own. */
#include "expression/series_parts.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const trm_reduction_kind kinds[] = {
    {"min", trm_reduce_min, 1, 1, 1},
    {"max", trm_reduce_max, 1, 1, 1},
    {"range", trm_reduce_range, 1, 1, 1},
    {"mean", trm_reduce_mean, 1, 1, 1},
    {"rms", trm_reduce_rms, 1, 1, 1},
    {"integral", trm_reduce_integral, 1, 1, 1},
    {"initial", trm_reduce_initial, 1, 1, 1},
    {"final", trm_reduce_final, 1, 1, 1},
    {"time_of_min", trm_reduce_time_of_min, 1, 1, 1},
    {"time_of_max", trm_reduce_time_of_max, 1, 1, 1},
    {"first", trm_reduce_first, 1, 1, 1},
    {"at", trm_reduce_at, 2, 2, 1},
    {"slope", trm_reduce_slope, 2, 4, 2},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const trm_reduction_kind *find_kind(const trm_parser *parser, trm_token name) {
  for (int i = 0; i < KINDS; i++)
    if (strlen(kinds[i].name) == name.length &&
        memcmp(kinds[i].name, parser->text + name.offset, name.length) == 0)
      return &kinds[i];
  return NULL;
}

const char *trm_series_nearest(const char *word) {
  const char *names[KINDS];
  for (int i = 0; i < KINDS; i++) names[i] = kinds[i].name;
  return trm_nearest(word, names, KINDS);
}

/* Of the call whose parenthesis is next. */
static int count_arguments(const trm_parser *parser) {
  trm_token token = parser->token;
  trm_expression_error error;
  int depth = 0, count = 1;
  do {
    depth += (token.kind == '(') - (token.kind == ')');
    count += depth == 1 && token.kind == ',';
    size_t quotes = token.kind == TRM_TOKEN_STRING;
    if (!trm_token_read(parser->text, token.offset + token.length + quotes, &token, &error)) break;
  } while (depth > 0 && token.kind != TRM_TOKEN_END);
  return count;
}

/* min and max of several values are the ordinary functions. */
bool trm_series_has(const trm_parser *parser, trm_token name) {
  const trm_reduction_kind *kind = find_kind(parser, name);
  return kind && (!trm_function_find(kind->name, name.length) || count_arguments(parser) == 1);
}

static void *grow(void *items, int count, size_t size) {
  if (count & (count - 1)) return items; /* full at 0, 1, 2, 4, … */
  return realloc(items, (count ? 2 * (size_t)count : 1) * size);
}

/* The slot that stands for a column, a result or a function over the run. */
static bool emit_name(trm_parser *parser, trm_series_kind kind, int index, size_t offset) {
  trm_series *series = parser->series;
  for (int i = 0; i < series->name_count; i++)
    if (series->names[i].kind == kind && series->names[i].index == index)
      return trm_emit_slot(parser, i, offset);
  trm_series_name *names = grow(series->names, series->name_count, sizeof *names);
  if (!names) return trm_parse_no_memory(parser, offset);
  series->names = names;
  names[series->name_count] = (trm_series_name){kind, index};
  return trm_emit_slot(parser, series->name_count++, offset);
}

bool trm_series_symbol(trm_parser *parser, trm_token name, const trm_symbol *symbol) {
  if (symbol->kind == TRM_SYMBOL_RESULT)
    return emit_name(parser, TRM_SERIES_RESULT, symbol->slot, name.offset);
  if (parser->over_run) return emit_name(parser, TRM_SERIES_COLUMN, symbol->slot, name.offset);
  int length = name.length > 40 ? 40 : (int)name.length;
  const char *text = parser->text + name.offset;
  return trm_parse_fail(parser, name.offset,
                        "'%.*s' changes over the run; write final(%.*s), max(%.*s) or the like",
                        length, text, length, text, length, text);
}

/* A program of its own; the one it stands in waits. */
static trm_expression *parse_argument(trm_parser *parser, bool over_run) {
  trm_parser outer = *parser;
  trm_expression *program = calloc(1, sizeof *program);
  if (!program) {
    trm_parse_no_memory(parser, parser->token.offset);
    return NULL;
  }
  parser->program = program;
  parser->code_capacity = parser->table_capacity = parser->depth = 0;
  parser->over_run = over_run;
  bool good = trm_parse_expression(parser) && trm_parse_complete(parser);
  parser->program = outer.program;
  parser->code_capacity = outer.code_capacity;
  parser->table_capacity = outer.table_capacity;
  parser->depth = outer.depth;
  parser->over_run = outer.over_run;
  if (good) return program;
  trm_expression_destroy(program);
  return NULL;
}

/* a > b becomes a − b, so that the time between two rows can be found. */
static void open_comparison(trm_reduction *reduction) {
  trm_expression *program = reduction->argument[0];
  trm_instruction *last = &program->code[program->count - 1];
  if (reduction->kind->value != trm_reduce_first || last->op < TRM_OP_LESS ||
      last->op > TRM_OP_GREATER_EQUAL)
    return;
  reduction->compares = true;
  reduction->comparison = last->op;
  last->op = TRM_OP_SUBTRACT;
}

static bool parse_arguments(trm_parser *parser, trm_reduction *reduction) {
  const trm_reduction_kind *kind = reduction->kind;
  do {
    if (!trm_parse_advance(parser)) return false;
    int k = reduction->count;
    if (k == kind->most) break;
    reduction->argument[k] = parse_argument(parser, k < kind->over_run);
    if (!reduction->argument[k]) return false;
    reduction->count++;
  } while (parser->token.kind == ',');
  return true;
}

static bool check_count(trm_parser *parser, trm_token name, const trm_reduction *reduction,
                        int given) {
  const trm_reduction_kind *kind = reduction->kind;
  if (kind->value == trm_reduce_slope && given != 2 && given != 4)
    return trm_parse_fail(
        parser, name.offset,
        "slope is written slope(y, x) or slope(y, x, lo, hi); here %s %d argument%s",
        given == 1 ? "is" : "are", given, given == 1 ? "" : "s");
  if (given >= kind->least && given <= kind->most) return true;
  return trm_parse_fail(parser, name.offset, "function '%s' takes %d argument%s, here %s %d",
                        kind->name, kind->least, kind->least == 1 ? "" : "s",
                        given == 1 ? "is" : "are", given);
}

bool trm_series_call(trm_parser *parser, trm_token name) {
  trm_series *series = parser->series;
  trm_reduction reduction = {.kind = find_kind(parser, name)};
  if (!check_count(parser, name, &reduction, count_arguments(parser))) return false;
  bool good = parse_arguments(parser, &reduction) && trm_parse_expect(parser, ')', "')'");
  trm_reduction *list =
      good ? grow(series->reductions, series->reduction_count, sizeof *list) : NULL;
  if (!list) {
    for (int k = 0; k < reduction.count; k++) trm_expression_destroy(reduction.argument[k]);
    return good ? trm_parse_no_memory(parser, name.offset) : false;
  }
  open_comparison(&reduction);
  series->reductions = list;
  list[series->reduction_count] = reduction;
  return emit_name(parser, TRM_SERIES_REDUCTION, series->reduction_count++, name.offset);
}

trm_series *trm_series_parse(const char *text, trm_symbol_lookup lookup, void *context,
                             const char *folder, trm_expression_error *error) {
  trm_series *series = calloc(1, sizeof *series);
  if (series) series->whole = calloc(1, sizeof *series->whole);
  trm_parser parser = {.text = text,
                       .lookup = lookup,
                       .context = context,
                       .folder = folder,
                       .error = error,
                       .series = series};
  error->no_memory = false;
  if (series && series->whole) {
    parser.program = series->whole;
    if (trm_parse_all(&parser)) return series;
  } else {
    trm_parse_no_memory(&parser, 0);
  }
  trm_series_destroy(series);
  return NULL;
}

bool trm_series_is_condition(const trm_series *series) {
  const trm_instruction *last = &series->whole->code[series->whole->count - 1];
  bool given = last->op == TRM_OP_SLOT && series->names[last->index].kind == TRM_SERIES_RESULT;
  return given || last->op == TRM_OP_IF || trm_expression_is_condition(series->whole);
}

void trm_series_destroy(trm_series *series) {
  if (!series) return;
  for (int i = 0; i < series->reduction_count; i++)
    for (int k = 0; k < series->reductions[i].count; k++)
      trm_expression_destroy(series->reductions[i].argument[k]);
  trm_expression_destroy(series->whole);
  free(series->reductions);
  free(series->names);
  free(series);
}
