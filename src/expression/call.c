/* Parsing function calls. */
#include "expression/parser.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIXED_ARGUMENTS = 5 }; /* the most a function takes that does not take any number */

typedef struct call_state {
  const trm_function *function;
  trm_token name;
  int count;                        /* arguments so far */
  double constant[FIXED_ARGUMENTS]; /* their values, NaN where not constant */
  int chosen; /* of `if`: the argument a constant condition selects, 0 where it is open */
} call_state;

static bool refuse_function(trm_parser *parser, trm_token name) {
  const char *start = parser->text + name.offset;
  trm_quote quote = trm_quote_token(parser, name);
  char word[64];
  snprintf(word, sizeof word, "%.*s", name.length > 60 ? 60 : (int)name.length, start);
  trm_symbol symbol = {.kind = TRM_SYMBOL_UNKNOWN};
  if (parser->lookup) symbol = parser->lookup(parser->context, start, name.length);
  if (symbol.kind != TRM_SYMBOL_UNKNOWN || strcmp(word, "pi") == 0)
    return trm_parse_fail(parser, name.offset,
                          "%s is not a function; a product is written %s*(...)", quote.text, word);
  const char *nearest = parser->series ? trm_series_nearest(word) : NULL;
  if (!nearest) nearest = trm_function_nearest(word);
  if (!nearest) return trm_parse_fail(parser, name.offset, "unknown function %s", quote.text);
  return trm_parse_fail(parser, name.offset, "unknown function %s, did you mean '%s'?", quote.text,
                        nearest);
}

static bool refuse_count(trm_parser *parser, const call_state *call) {
  const trm_function *function = call->function;
  const char *atleast = function->most == TRM_ANY_NUMBER ? "at least " : "";
  const char *plural = function->least == 1 ? "" : "s";
  const char *verb = call->count == 1 ? "is" : "are";
  return trm_parse_fail(parser, call->name.offset,
                        "function '%s' takes %s%d argument%s, here %s %d", function->name, atleast,
                        function->least, plural, verb, call->count);
}

static bool is_dead(const call_state *call) {
  return call->function->op == TRM_OP_IF && call->chosen && call->count != call->chosen;
}

static bool is_extreme(const call_state *call) {
  return call->function->op == TRM_OP_MIN || call->function->op == TRM_OP_MAX;
}

/* After an argument: keeps its value, drops what is not needed, joins those of min and max. */
static bool finish_argument(trm_parser *parser, call_state *call, trm_mark start) {
  double value, constant = trm_emit_is_constant(parser, start, &value) ? value : NAN;
  int index = call->count++;
  if (index < FIXED_ARGUMENTS) call->constant[index] = constant;
  if (call->function->op == TRM_OP_IF && index == 0 && !isnan(constant)) {
    call->chosen = constant != 0 ? 1 : 2;
    trm_emit_truncate(parser, start);
  }
  if (is_extreme(call) && index > 0)
    return trm_emit_operation(parser, call->function->op, 2, call->name.offset);
  return true;
}

static bool parse_argument(trm_parser *parser, call_state *call) {
  trm_mark start = trm_emit_mark(parser);
  bool dead = is_dead(call), surplus = call->count >= call->function->most;
  parser->dead += dead;
  if (!trm_parse_expression(parser)) return false;
  parser->dead -= dead;
  if (!finish_argument(parser, call, start)) return false;
  /* surplus arguments are only counted, for the message */
  if (dead || surplus) trm_emit_truncate(parser, start);
  return true;
}

static bool emit_call(trm_parser *parser, const call_state *call) {
  trm_op op = call->function->op;
  const double *v = call->constant;
  if (is_extreme(call) || (op == TRM_OP_IF && call->chosen)) return true;
  if (op == TRM_OP_STEP && v[1] >= v[3] && !parser->dead)
    return trm_parse_fail(parser, call->name.offset,
                          "step(x, x0, h0, x1, h1) needs x0 < x1, here are %g and %g", v[1], v[3]);
  return trm_emit_operation(parser, op, call->count, call->name.offset);
}

static bool parse_plain_call(trm_parser *parser, call_state *call) {
  bool more = parser->token.kind != ')';
  while (more) {
    if (!parse_argument(parser, call)) return false;
    more = parser->token.kind == ',';
    if (more && !trm_parse_advance(parser)) return false;
  }
  bool fits = call->count >= call->function->least && call->count <= call->function->most;
  size_t end = parser->token.offset;
  if (parser->token.kind != ')')
    return trm_parse_fail(parser, end, "expected ',' or ')', found %s",
                          trm_quote_token(parser, parser->token).text);
  if (!fits) return refuse_count(parser, call);
  return emit_call(parser, call) && trm_parse_advance(parser);
}

/* One coordinate of a table written out: a constant, taken off the program again. */
static bool parse_coordinate(trm_parser *parser, trm_points *points) {
  size_t offset = parser->token.offset;
  trm_mark start = trm_emit_mark(parser);
  double value;
  if (!trm_parse_expression(parser)) return false;
  if (!trm_emit_is_constant(parser, start, &value))
    return trm_parse_fail(parser, offset, "the points of a table must be constants");
  trm_emit_truncate(parser, start);
  return trm_points_add(points, value) || trm_parse_fail(parser, offset, "out of memory");
}

static bool parse_points(trm_parser *parser, trm_points *points, size_t offset) {
  char message[200];
  trm_token token = parser->token;
  if (token.kind == TRM_TOKEN_STRING) {
    if (!trm_points_read(points, parser->folder, parser->text + token.offset, token.length, message,
                         sizeof message))
      return trm_parse_fail(parser, token.offset, "%s", message);
    return trm_parse_advance(parser);
  }
  if (!parse_coordinate(parser, points)) return false;
  while (parser->token.kind == ',')
    if (!trm_parse_advance(parser) || !parse_coordinate(parser, points)) return false;
  if (points->count % 2 == 0) return true;
  return trm_parse_fail(parser, offset,
                        "the points of a table come in pairs x, y; here are %zu numbers",
                        points->count);
}

static bool parse_table_of(trm_parser *parser, trm_points *points, size_t offset) {
  char message[200];
  if (!parse_points(parser, points, offset)) return false;
  if (!trm_parse_expect(parser, ')', "')'")) return false;
  if (parser->dead) return true; /* x stands for the value nobody asks for */
  trm_table *table = trm_table_create(points, message, sizeof message);
  if (!table) return trm_parse_fail(parser, offset, "%s", message);
  return trm_emit_table(parser, table, offset);
}

static bool parse_table(trm_parser *parser, trm_token name) {
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

bool trm_parse_call(trm_parser *parser, trm_token name) {
  if (parser->series && trm_series_has(parser, name)) return trm_series_call(parser, name);
  const trm_function *function = trm_function_find(parser->text + name.offset, name.length);
  if (!function) return refuse_function(parser, name);
  if (!trm_parse_advance(parser)) return false;
  call_state call = {.function = function, .name = name};
  return function->op == TRM_OP_TABLE ? parse_table(parser, name) : parse_plain_call(parser, &call);
}
