/* The grammar of formulas, one function per level of precedence. */
#include "expression/parser.h"

#include "base/synonyms.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool trm_parse_fail(trm_parser *parser, size_t offset, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(parser->error->message, sizeof parser->error->message, format, arguments);
  va_end(arguments);
  parser->error->offset = offset;
  return false;
}

bool trm_parse_no_memory(trm_parser *parser, size_t offset) {
  trm_parse_fail(parser, offset, "out of memory");
  parser->error->no_memory = true;
  return false;
}

trm_quote trm_quote_token(const trm_parser *parser, trm_token token) {
  trm_quote quote;
  int length = token.length > 40 ? 40 : (int)token.length;
  const char *more = token.length > 40 ? "..." : "";
  const char *start = parser->text + token.offset;
  const char *format = token.kind == TRM_TOKEN_STRING ? "\"%.*s%s\"" : "'%.*s%s'";
  if (token.kind == TRM_TOKEN_END)
    snprintf(quote.text, sizeof quote.text, "the end");
  else
    snprintf(quote.text, sizeof quote.text, format, length, start, more);
  return quote;
}

bool trm_parse_advance(trm_parser *parser) {
  size_t quotes = parser->token.kind == TRM_TOKEN_STRING;
  size_t next = parser->token.offset + parser->token.length + quotes;
  parser->before = parser->token.kind;
  return trm_token_read(parser->text, next, &parser->token, parser->error);
}

bool trm_parse_expect(trm_parser *parser, int kind, const char *what) {
  if (parser->token.kind == kind) return trm_parse_advance(parser);
  return trm_parse_fail(parser, parser->token.offset, "expected %s, found %s", what,
                        trm_quote_token(parser, parser->token).text);
}

static bool enter(trm_parser *parser) {
  if (++parser->nesting <= TRM_NESTING_LIMIT) return true;
  return trm_parse_fail(parser, parser->token.offset, "nested too deeply: more than %d levels",
                        TRM_NESTING_LIMIT);
}

static bool leave(trm_parser *parser) {
  parser->nesting--;
  return true;
}

static trm_symbol find_symbol(trm_parser *parser, trm_token name) {
  if (!parser->lookup) return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
  return parser->lookup(parser->context, parser->text + name.offset, name.length);
}

static bool refuse_name(trm_parser *parser, trm_token name, const char *reason) {
  trm_quote quote = trm_quote_token(parser, name);
  const trm_function *function = trm_function_find(parser->text + name.offset, name.length);
  char text[16];
  snprintf(text, sizeof text, "%.*s", name.length < 15 ? (int)name.length : 15,
           parser->text + name.offset);
  const trm_synonym *word = trm_synonym_find(TRM_SYNONYM_NAME, text, NULL, 0);
  if (word)
    return trm_parse_fail(parser, name.offset, "unknown name %s: %s", quote.text, word->hint);
  if (reason) return trm_parse_fail(parser, name.offset, "unknown name %s, %s", quote.text, reason);
  if (!function) return trm_parse_fail(parser, name.offset, "unknown name %s", quote.text);
  return trm_parse_fail(parser, name.offset, "unknown name %s; the function is written %s(...)",
                        quote.text, function->name);
}

static bool parse_symbol(trm_parser *parser, trm_token name) {
  if (name.length == 2 && memcmp(parser->text + name.offset, "pi", 2) == 0)
    return trm_emit_constant(parser, TRM_PI);
  trm_symbol symbol = find_symbol(parser, name);
  switch (symbol.kind) {
  case TRM_SYMBOL_CONSTANT:
    if (isfinite(symbol.value)) return trm_emit_constant(parser, symbol.value);
    return trm_parse_fail(parser, name.offset, "%s is not a finite number",
                          trm_quote_token(parser, name).text);
  case TRM_SYMBOL_VARIABLE:
  case TRM_SYMBOL_RESULT:
    return parser->series ? trm_series_symbol(parser, name, &symbol)
                          : trm_emit_slot(parser, symbol.slot, name.offset);
  case TRM_SYMBOL_REFUSED:
    return trm_parse_fail(parser, name.offset, "%s", symbol.reason ? symbol.reason : "not allowed");
  default: return refuse_name(parser, name, symbol.reason);
  }
}

static bool parse_parentheses(trm_parser *parser) {
  return trm_parse_advance(parser) && trm_parse_expression(parser) &&
         trm_parse_expect(parser, ')', "')'");
}

/* What a unit is worth is not a formula's to know. */
static bool parse_quantity(trm_parser *parser, trm_token token) {
  trm_symbol symbol = find_symbol(parser, token);
  if (symbol.kind == TRM_SYMBOL_CONSTANT) return trm_emit_constant(parser, symbol.value);
  return trm_parse_fail(parser, token.offset, "%s",
                        symbol.kind == TRM_SYMBOL_REFUSED ? symbol.reason
                                                          : "units have no place here");
}

static bool parse_primary(trm_parser *parser) {
  trm_token token = parser->token;
  switch (token.kind) {
  case '(': return parse_parentheses(parser);
  case TRM_TOKEN_NUMBER: return trm_emit_constant(parser, token.value) && trm_parse_advance(parser);
  case TRM_TOKEN_QUANTITY: return parse_quantity(parser, token) && trm_parse_advance(parser);
  case TRM_TOKEN_NAME:
    if (!trm_parse_advance(parser)) return false;
    return parser->token.kind == '(' ? trm_parse_call(parser, token) : parse_symbol(parser, token);
  default: return trm_parse_expect(parser, TRM_TOKEN_NUMBER, "a value");
  }
}

static bool parse_unary(trm_parser *parser);

/* 2^-1 and 2^3^2 = 2^9: the exponent is a signed power again. */
static bool parse_power(trm_parser *parser) {
  if (!parse_primary(parser)) return false;
  trm_token token = parser->token;
  if (token.kind != '^') return true;
  return enter(parser) && trm_parse_advance(parser) && parse_unary(parser) &&
         trm_emit_operation(parser, TRM_OP_POWER, 2, token.offset) && leave(parser);
}

static bool parse_unary(trm_parser *parser) {
  trm_token token = parser->token;
  if (token.kind != '-' && token.kind != '+') return parse_power(parser);
  if (!enter(parser) || !trm_parse_advance(parser) || !parse_unary(parser)) return false;
  leave(parser);
  return token.kind == '+' || trm_emit_operation(parser, TRM_OP_NEGATE, 1, token.offset);
}

static bool parse_product(trm_parser *parser) {
  if (!parse_unary(parser)) return false;
  while (parser->token.kind == '*' || parser->token.kind == '/') {
    trm_token token = parser->token;
    trm_op op = token.kind == '*' ? TRM_OP_MULTIPLY : TRM_OP_DIVIDE;
    if (!trm_parse_advance(parser) || !parse_unary(parser)) return false;
    if (!trm_emit_operation(parser, op, 2, token.offset)) return false;
  }
  return true;
}

static bool parse_sum(trm_parser *parser) {
  if (!parse_product(parser)) return false;
  while (parser->token.kind == '+' || parser->token.kind == '-') {
    trm_token token = parser->token;
    trm_op op = token.kind == '+' ? TRM_OP_ADD : TRM_OP_SUBTRACT;
    if (!trm_parse_advance(parser) || !parse_product(parser)) return false;
    if (!trm_emit_operation(parser, op, 2, token.offset)) return false;
  }
  return true;
}

/* TRM_OP_CONSTANT where the token does not compare. */
static trm_op comparison(int kind) {
  switch (kind) {
  case '<': return TRM_OP_LESS;
  case '>': return TRM_OP_GREATER;
  case TRM_TOKEN_LESS_EQUAL: return TRM_OP_LESS_EQUAL;
  case TRM_TOKEN_GREATER_EQUAL: return TRM_OP_GREATER_EQUAL;
  case TRM_TOKEN_EQUAL: return TRM_OP_EQUAL;
  case TRM_TOKEN_NOT_EQUAL: return TRM_OP_NOT_EQUAL;
  default: return TRM_OP_CONSTANT;
  }
}

static bool parse_comparison(trm_parser *parser) {
  if (!parse_sum(parser)) return false;
  trm_token token = parser->token;
  trm_op op = comparison(token.kind);
  if (op == TRM_OP_CONSTANT) return true;
  if (!trm_parse_advance(parser) || !parse_sum(parser)) return false;
  if (comparison(parser->token.kind) != TRM_OP_CONSTANT)
    return trm_parse_fail(parser, parser->token.offset,
                          "comparisons do not chain: write a < b and b < c");
  return trm_emit_operation(parser, op, 2, token.offset);
}

static bool parse_not(trm_parser *parser) {
  trm_token token = parser->token;
  if (token.kind != TRM_TOKEN_NOT) return parse_comparison(parser);
  if (!enter(parser) || !trm_parse_advance(parser) || !parse_not(parser)) return false;
  return leave(parser) && trm_emit_operation(parser, TRM_OP_NOT, 1, token.offset);
}

/* A constant that decides the result makes the other side dead: L > 0 and 1/L < 2 is right for L =
 * 0. */
static bool parse_logical(trm_parser *parser, trm_op op, bool (*operand)(trm_parser *)) {
  int kind = op == TRM_OP_AND ? TRM_TOKEN_AND : TRM_TOKEN_OR;
  bool decisive = op == TRM_OP_OR;
  trm_mark start = trm_emit_mark(parser);
  if (!operand(parser)) return false;
  while (parser->token.kind == kind) {
    trm_token token = parser->token;
    trm_mark right = trm_emit_mark(parser);
    double value;
    bool decided = trm_emit_is_constant(parser, start, &value) && (value != 0) == decisive;
    parser->dead += decided;
    if (!trm_parse_advance(parser) || !operand(parser)) return false;
    parser->dead -= decided;
    decided = decided || (trm_emit_is_constant(parser, right, &value) && (value != 0) == decisive);
    if (decided) trm_emit_truncate(parser, start);
    if (decided ? !trm_emit_constant(parser, decisive)
                : !trm_emit_operation(parser, op, 2, token.offset))
      return false;
  }
  return true;
}

static bool parse_and(trm_parser *parser) {
  return parse_logical(parser, TRM_OP_AND, parse_not);
}

bool trm_parse_expression(trm_parser *parser) {
  return enter(parser) && parse_logical(parser, TRM_OP_OR, parse_and) && leave(parser);
}
