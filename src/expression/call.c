/* Parsing function calls. */
#include "expression/parser.h"

#include "base/synonyms.h"

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
  const trm_synonym *other = trm_synonym_find(TRM_SYNONYM_FUNCTION, word, NULL, 0);
  if (other && other->here)
    return trm_parse_fail(parser, name.offset, "unknown function %s: here it is '%s'%s%s",
                          quote.text, other->here, other->hint ? ", " : "",
                          other->hint ? other->hint : "");
  if (other)
    return trm_parse_fail(parser, name.offset, "unknown function %s: %s", quote.text, other->hint);
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

/* Asked for as a whole: smooth(x, tau) has a memory, and norm(P) an argument that is no number. */
static bool is_whole(const trm_parser *parser, trm_token name) {
  static const char *const names[] = {"smooth", "norm", "dot", "cross", "rotate"};
  for (int i = 0; i < 5; i++)
    if (strlen(names[i]) == name.length &&
        memcmp(names[i], parser->text + name.offset, name.length) == 0)
      return true;
  return false;
}

static bool refuse_whole(trm_parser *parser, trm_token name, const trm_symbol *symbol) {
  if (symbol->kind == TRM_SYMBOL_REFUSED)
    return trm_parse_fail(parser, name.offset + (size_t)symbol->slot, "%s", symbol->reason);
  bool smooth = parser->text[name.offset] == 's';
  return trm_parse_fail(parser, name.offset, "%s",
                        smooth ? "smooth(x, tau) has no place here: it is a filter that the "
                                 "simulation carries on with the motion"
                               : "vectors are parameters: give this a name there, and use that");
}

static bool parse_whole(trm_parser *parser, trm_token name) {
  int depth = 0;
  do {
    if (parser->token.kind == TRM_TOKEN_END)
      return trm_parse_fail(parser, parser->token.offset, "expected ')', found the end");
    depth += (parser->token.kind == '(') - (parser->token.kind == ')');
    if (depth > 0 && !trm_parse_advance(parser)) return false;
  } while (depth > 0);
  const char *text = parser->text + name.offset;
  size_t length = parser->token.offset + 1 - name.offset;
  trm_symbol symbol = {.kind = TRM_SYMBOL_UNKNOWN};
  if (parser->lookup) symbol = parser->lookup(parser->context, text, length);
  bool good = false;
  if (symbol.kind == TRM_SYMBOL_VARIABLE)
    good = trm_emit_slot(parser, symbol.slot, name.offset);
  else if (symbol.kind == TRM_SYMBOL_CONSTANT)
    good = trm_emit_constant(parser, symbol.value);
  else
    return refuse_whole(parser, name, &symbol);
  return good && trm_parse_advance(parser);
}

bool trm_parse_call(trm_parser *parser, trm_token name) {
  if (parser->series && trm_series_has(parser, name)) return trm_series_call(parser, name);
  if (is_whole(parser, name)) return parse_whole(parser, name);
  const trm_function *function = trm_function_find(parser->text + name.offset, name.length);
  if (!function) return refuse_function(parser, name);
  if (!trm_parse_advance(parser)) return false;
  call_state call = {.function = function, .name = name};
  if (function->op == TRM_OP_TABLE) return trm_parse_table(parser, name);
  if (function->op == TRM_OP_TABLE2) return trm_parse_surface(parser, name);
  return parse_plain_call(parser, &call);
}
