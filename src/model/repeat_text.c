/* Texts of a repeated entry: `$(i + 1)` becomes a number, and so does an index in a formula. */
#include "model/read_include.h"
#include "model/read_repeat.h"

#include "expression/token.h"
#include "model/splice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NUMBER = 32 };

bool trm_repeat_value(const trm_reader *reader, const char *name, size_t length, double *value) {
  const trm_repeat *repeat = reader->repeat;
  for (int i = 0; repeat && i < repeat->index_count; i++) {
    const trm_repeat_index *index = &repeat->indices[i];
    if (index->length != length || memcmp(index->name, name, length) != 0) continue;
    *value = (double)index->value;
    return true;
  }
  for (int i = 0; repeat && i < repeat->local_count; i++) {
    const trm_repeat_local *local = &repeat->locals[i];
    if (local->length != length || memcmp(local->name, name, length) != 0) continue;
    *value = local->value;
    return true;
  }
  return false;
}

int trm_repeat_dimension(const trm_reader *reader, const char *name, size_t length) {
  const trm_repeat *repeat = reader->repeat;
  for (int i = 0; repeat && i < repeat->local_count; i++) {
    const trm_repeat_local *local = &repeat->locals[i];
    if (local->component == 0 && local->length == length + 2 &&
        memcmp(local->name, name, length) == 0)
      return local->dimension;
  }
  return 0;
}

bool trm_repeat_is_integer(double number, long *integer) {
  const double round_off = 1e-9, largest = 1e9;
  double nearest = round(number);
  if (!(fabs(nearest) <= largest) || fabs(number - nearest) > round_off) return false;
  *integer = (long)nearest;
  return true;
}

static const char *closing(const char *open) {
  int depth = 0;
  for (; *open; open++) {
    depth += (*open == '(') - (*open == ')');
    if (depth == 0) return open;
  }
  return NULL;
}

static bool evaluate(trm_reader *reader, const char *text, size_t length, long *value,
                     trm_expression_error *error) {
  double number = 0;
  if (trm_repeat_value(reader, text, length, &number) && trm_repeat_is_integer(number, value))
    return true; /* `$(i)`, the usual one */
  const char *expression = trm_arena_substring(reader->document.arena, text, length);
  error->message[0] = '\0';
  if (!expression) reader->no_memory = true;
  if (!expression || !trm_read_evaluate(reader, expression, &number, error) || reader->uses_bad)
    return false;
  if (trm_repeat_is_integer(number, value)) return true;
  error->offset = 0;
  snprintf(error->message, sizeof error->message, "$(%.60s) is %g, it must be an integer",
           expression, number);
  return false;
}

/* Replaces the `$(...)` that starts at `dollar`; returns what follows it, or NULL. */
static const char *replace(trm_reader *reader, trm_splice *s, const char *text, const char *dollar,
                           trm_expression_error *error) {
  char digits[LONGEST_NUMBER];
  const char *end = closing(dollar + 1);
  size_t at = (size_t)(dollar - text);
  long value;
  if (!end) {
    *error = (trm_expression_error){.offset = at, .message = "the '$(' opened here is not closed"};
    return NULL;
  }
  if (!evaluate(reader, dollar + 2, (size_t)(end - dollar) - 2, &value, error)) {
    error->offset += at + 2;
    return NULL;
  }
  trm_splice_add(s, digits, (size_t)snprintf(digits, sizeof digits, "%ld", value), at, false);
  return end + 1;
}

static bool expand(trm_reader *reader, trm_splice *s, const char *text, size_t sought,
                   trm_expression_error *error) {
  size_t count = 0;
  for (const char *c = text; (c = strstr(c, "$(")); c += 2) count++;
  if (!trm_splice_start(reader, s, text, count * LONGEST_NUMBER, sought)) return false;
  const char *from = text;
  for (const char *dollar; (dollar = strstr(from, "$("));) {
    trm_splice_add(s, from, (size_t)(dollar - from), (size_t)(from - text), true);
    from = replace(reader, s, text, dollar, error);
    if (!from) return false;
  }
  trm_splice_add(s, from, strlen(from), (size_t)(from - text), true);
  return true;
}

const char *trm_repeat_expand(trm_reader *reader, const char *text, trm_expression_error *error) {
  trm_splice s;
  *error = (trm_expression_error){.offset = 0};
  return expand(reader, &s, text, 0, error) ? s.text : NULL;
}

size_t trm_repeat_origin(trm_reader *reader, const trm_yaml *node, size_t offset) {
  const trm_repeat *repeat = reader->repeat;
  for (int i = 0; repeat && i < repeat->slot_count; i++) {
    const trm_repeat_slot *slot = &repeat->slots[i];
    if (slot->node != node || node->text == slot->text) continue;
    trm_expression_error error;
    trm_splice s;
    return expand(reader, &s, slot->text, offset, &error) ? s.origin : 0;
  }
  return offset;
}

static bool is_call(const char *after) {
  return after[strspn(after, " \t\r\n")] == '(';
}

/* The next index in a formula, from *next on; false behind the last. */
static bool next_index(const trm_reader *reader, const char *text, size_t *next, trm_token *token,
                       double *value) {
  trm_expression_error ignored; /* the builder says what is wrong with a formula */
  while (trm_token_read(text, *next, token, &ignored) && token->kind != TRM_TOKEN_END) {
    *next = token->offset + token->length + (token->kind == TRM_TOKEN_STRING);
    if (token->kind == TRM_TOKEN_NAME && !is_call(text + *next) &&
        trm_repeat_value(reader, text + token->offset, token->length, value))
      return true;
  }
  return false;
}

/* Puts the values of indices into a formula; false where there are none in it. */
static bool bind_formula(trm_reader *reader, trm_splice *s, const char *text, size_t sought) {
  trm_token token;
  size_t next = 0, count = 0, from = 0;
  double value;
  if (!reader->repeat || reader->repeat->index_count + reader->repeat->local_count == 0)
    return false;
  while (next_index(reader, text, &next, &token, &value)) count++;
  if (count == 0 || !trm_splice_start(reader, s, text, count * LONGEST_NUMBER, sought))
    return false;
  for (next = 0; next_index(reader, text, &next, &token, &value); from = next) {
    char number[LONGEST_NUMBER];
    trm_splice_add(s, text + from, token.offset - from, from, true);
    trm_splice_add(s, number, (size_t)snprintf(number, sizeof number, "(%.17g)", value),
                   token.offset, false);
  }
  trm_splice_add(s, text + from, strlen(text + from), from, true);
  return true;
}

const char *trm_repeat_formula(trm_reader *reader, const char *text) {
  trm_splice s;
  return bind_formula(reader, &s, text, 0) ? s.text : text;
}

size_t trm_repeat_formula_origin(trm_reader *reader, const trm_yaml *node, size_t offset) {
  trm_splice s;
  if (node->kind != TRM_YAML_TEXT) return offset;
  offset = trm_part_formula_origin(reader, trm_repeat_formula(reader, node->text), offset);
  if (bind_formula(reader, &s, node->text, offset)) offset = s.origin;
  return trm_repeat_origin(reader, node, offset);
}
