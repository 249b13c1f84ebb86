/* Formulas of parts. Inside a part every measure is seen in the part's own axes, so that a formula
 * means the same in a part that is mirrored or moved. */
#include "expression/token.h"
#include "model/read_include.h"
#include "model/splice.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NUMBER = 32, LONGEST_FRAME = 2 * LONGEST_NUMBER, DEEPEST = 64 };

/* Which string of a formula names a file: the first one of a table. */
typedef struct calls {
  bool awaits[DEEPEST];
  int depth;
  bool table; /* the last token was the name of one */
} calls;

static bool is_file(calls *c, const char *text, const trm_token *token) {
  bool *awaits = &c->awaits[c->depth % DEEPEST], file = false;
  if (token->kind == '(') {
    c->awaits[++c->depth % DEEPEST] = c->table;
  } else if (token->kind == ')' && c->depth > 0) {
    c->depth--;
  } else if (token->kind == TRM_TOKEN_STRING) {
    file = *awaits;
    *awaits = false;
  }
  c->table = token->kind == TRM_TOKEN_NAME && token->length >= 5 &&
             strncmp(text + token->offset, "table", 5) == 0;
  return file;
}

static bool is_call(const char *after) {
  return after[strspn(after, " \t\r\n")] == '(';
}

/* The value of a parameter that a name stands for in a part, where it is none of the model's. */
static const double *parameter(trm_reader *reader, const char *name, size_t length) {
  const char *word = trm_arena_substring(reader->document.arena, name, length);
  for (trm_reader *r = reader; word && r->outer; r = r->outer) {
    int known = trm_map_get(r->parameter_index, name, length);
    if (known >= 0) return &r->parameters[known].value;
    /* a thing of this part hides what is farther out */
    if (trm_part_name(r, word) != word) return NULL;
  }
  return NULL;
}

static void add_name(trm_reader *reader, trm_splice *s, const char *text, const trm_token *token) {
  const char *name = text + token->offset;
  const double *value = parameter(reader, name, token->length);
  char number[LONGEST_FRAME];
  if (value) {
    int n = snprintf(number, sizeof number, "(%.17g)", *value);
    trm_splice_add(s, number, (size_t)n, token->offset, false);
    return;
  }
  const char *word = trm_arena_substring(reader->document.arena, name, token->length);
  if (!word) {
    reader->no_memory = true;
    return;
  }
  word = trm_part_name(reader, word);
  double shift = 0, sign = strchr(word, '.') ? trm_part_sign(reader, word, &shift) : 1;
  bool plain = sign == 1 && shift == 0;
  if (!plain) trm_splice_add(s, sign < 0 ? "(-(" : "((", sign < 0 ? 3 : 2, token->offset, false);
  trm_splice_add(s, word, strlen(word), token->offset, false);
  if (plain) return;
  int n = snprintf(number, sizeof number, "-(%.17g)))", shift);
  trm_splice_add(s, number, (size_t)n, token->offset, false);
}

/* Tokens up to the first that is none; the builder says what is wrong there. */
static bool next_token(const char *text, size_t *next, trm_token *token) {
  trm_expression_error ignored;
  if (!trm_token_read(text, *next, token, &ignored) || token->kind == TRM_TOKEN_END) return false;
  *next = token->offset + token->length + (token->kind == TRM_TOKEN_STRING);
  return true;
}

/* In front of it stands a sign, which may change later, and an open parenthesis. */
static bool rewrite(trm_reader *reader, trm_splice *s, const char *text, size_t sought) {
  trm_token token;
  calls c = {.depth = 0};
  size_t next = 0, from = 0, count = 0;
  while (next_token(text, &next, &token)) count++;
  size_t more = strlen(reader->prefix) + strlen(reader->nest) + LONGEST_FRAME;
  if (!trm_splice_start(reader, s, text, (count + 1) * more, sought)) return false;
  trm_splice_add(s, " (", 2, 0, false);
  for (next = 0; next_token(text, &next, &token); from = next) {
    bool file = is_file(&c, text, &token);
    bool name = token.kind == TRM_TOKEN_NAME && !is_call(text + next);
    size_t end = name || file ? token.offset : next;
    trm_splice_add(s, text + from, end - from, from, true);
    if (name) add_name(reader, s, text, &token);
    if (!file) continue;
    if (text[token.offset] != '/')
      trm_splice_add(s, reader->nest, strlen(reader->nest), token.offset, false);
    trm_splice_add(s, text + token.offset, next - token.offset, token.offset, true);
  }
  trm_splice_add(s, text + from, strlen(text + from), from, true);
  trm_splice_add(s, ")", 1, strlen(text), false);
  return true;
}

const char *trm_part_formula(trm_reader *reader, const char *text) {
  trm_splice s;
  if (!reader->outer) return text;
  return rewrite(reader, &s, text, 0) ? s.text : text;
}

size_t trm_part_formula_origin(trm_reader *reader, const char *text, size_t offset) {
  trm_splice s;
  if (!reader->outer) return offset;
  return rewrite(reader, &s, text, offset) ? s.origin : offset;
}

void trm_part_value(trm_reader *reader, trm_value *value, double sign, double shift) {
  if (!value->given || (sign == 1 && shift == 0)) return;
  if (!value->text) {
    value->number = sign * value->number + shift;
    return;
  }
  size_t size = strlen(value->text) + LONGEST_NUMBER + 4;
  char *text = trm_arena_alloc(reader->document.arena, size, 1);
  if (!text) {
    reader->no_memory = true;
    return;
  }
  if (shift != 0)
    snprintf(text, size, "%s+(%.17g)", value->text, shift);
  else
    snprintf(text, size, "%s", value->text);
  if (sign < 0) text[0] = '-'; /* in place of the blank */
  value->text = text;
}
