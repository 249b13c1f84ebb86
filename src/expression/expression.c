/* Formulas from text, and what can be asked of them. */
#define _POSIX_C_SOURCE 200809L
#include "base/locale.h"
#include "expression/parser.h"
#include "expression/unit.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_slots(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static bool collect_slots(trm_expression *program) {
  int n = 0;
  for (int i = 0; i < program->count; i++) n += program->code[i].op == TRM_OP_SLOT;
  if (n == 0) return true;
  int *used = program->used = malloc((size_t)n * sizeof *used);
  if (!used) return false;
  n = 0;
  for (int i = 0; i < program->count; i++)
    if (program->code[i].op == TRM_OP_SLOT) used[n++] = program->code[i].index;
  qsort(used, (size_t)n, sizeof *used, compare_slots);
  for (int i = 0; i < n; i++)
    if (i == 0 || used[i] != used[i - 1]) used[program->used_count++] = used[i];
  return true;
}

bool trm_parse_complete(trm_parser *parser) {
  trm_expression *program = parser->program;
  if (!collect_slots(program)) return trm_parse_no_memory(parser, 0);
  program->smooth = true;
  for (int i = 0; i < program->count; i++)
    program->smooth = program->smooth && trm_op_is_smooth(program->code[i].op);
  return true;
}

/* A name behind a number. */
static bool refuse_unit(trm_parser *parser, trm_token name) {
  char word[64];
  snprintf(word, sizeof word, "%.*s", name.length > 60 ? 60 : (int)name.length,
           parser->text + name.offset);
  const char *nearest = trm_unit_nearest(word);
  return trm_parse_fail(parser, name.offset, "expected an operator or a unit, found %s%s%s%s",
                        trm_quote_token(parser, name).text, nearest ? ", did you mean '" : "",
                        nearest ? nearest : "", nearest ? "'?" : "");
}

static bool parse_text(trm_parser *parser) {
  /* every instruction stands for at least one character, and they are counted in an int */
  if (strlen(parser->text) > INT_MAX / 4) return trm_parse_fail(parser, 0, "too long");
  if (!trm_parse_advance(parser)) return false;
  if (parser->token.kind == TRM_TOKEN_END)
    return trm_parse_fail(parser, parser->token.offset, "the expression is empty");
  if (!trm_parse_expression(parser)) return false;
  trm_token token = parser->token;
  if (token.kind == ')') return trm_parse_fail(parser, token.offset, "')' without a '(' before it");
  if (token.kind == ',') return trm_parse_fail(parser, token.offset, "',' outside of a function");
  if (token.kind == TRM_TOKEN_NAME && parser->before == TRM_TOKEN_NUMBER)
    return refuse_unit(parser, token);
  if (token.kind == TRM_TOKEN_NAME && parser->before == TRM_TOKEN_QUANTITY)
    return trm_parse_expect(parser, TRM_TOKEN_END,
                            "an operator (units are joined without blanks, as in kg*m^2)");
  return trm_parse_expect(parser, TRM_TOKEN_END, "an operator") && trm_parse_complete(parser);
}

/* The user's locale may have a decimal comma; it is set aside for this thread only. */
bool trm_parse_all(trm_parser *parser) {
  trm_locale caller = trm_locale_begin();
  bool done = parse_text(parser);
  trm_locale_end(caller);
  return done;
}

trm_expression *trm_expression_parse(const char *text, trm_symbol_lookup lookup, void *context,
                                     const char *folder, trm_expression_error *error) {
  return trm_parse_text(NULL, text, lookup, context, folder, error);
}

trm_expression *trm_parse_text(trm_shelf *shelf, const char *text, trm_symbol_lookup lookup,
                               void *context, const char *folder, trm_expression_error *error) {
  trm_expression *program = calloc(1, sizeof *program);
  trm_parser parser = {.text = text,
                       .lookup = lookup,
                       .context = context,
                       .folder = folder,
                       .shelf = shelf,
                       .error = error,
                       .program = program};
  error->no_memory = false;
  if (!program) {
    trm_parse_no_memory(&parser, 0);
    return NULL;
  }
  if (trm_parse_all(&parser)) return program;
  trm_expression_destroy(program);
  return NULL;
}

void trm_expression_destroy(trm_expression *expression) {
  if (!expression) return;
  for (int i = 0; i < expression->table_count; i++) trm_table_destroy(expression->tables[i]);
  free(expression->tables);
  free(expression->code);
  free(expression->used);
  free(expression->held);
  free(expression);
}

bool trm_expression_is_constant(const trm_expression *expression) {
  return expression->count == 1 && expression->code[0].op == TRM_OP_CONSTANT;
}

bool trm_expression_is_condition(const trm_expression *expression) {
  trm_op last = expression->code[expression->count - 1].op;
  return last >= TRM_OP_LESS && last <= TRM_OP_NOT;
}

int trm_expression_slot_count(const trm_expression *expression) {
  int n = expression->used_count;
  return n ? expression->used[n - 1] + 1 : 0;
}

int trm_expression_used(const trm_expression *expression, const int **slots) {
  *slots = expression->used;
  return expression->used_count;
}

bool trm_expression_is_smooth(const trm_expression *expression) {
  return expression->smooth;
}

bool trm_expression_is_same(const trm_expression *one, const trm_expression *other) {
  if (one->count != other->count || one->table_count != other->table_count) return false;
  for (int i = 0; i < one->table_count; i++) {
    const char *name = one->tables[i]->name;
    /* points that are written out may hang on parameters */
    if (!name || !name[0] || strcmp(name, other->tables[i]->name) != 0) return false;
  }
  for (int i = 0; i < one->count; i++) {
    const trm_instruction *a = &one->code[i], *b = &other->code[i];
    bool same = a->value == b->value || (isnan(a->value) && isnan(b->value));
    if (a->op != b->op || a->index != b->index || !same) return false;
  }
  return true;
}
