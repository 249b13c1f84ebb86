/* Formulas over final values and integrals of a run. */
#include "analysis/goal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct scope {
  trm_terms *terms;
  char reason[200];
} scope;

/* −1: out of memory. */
static int add_term(trm_terms *t, const char *text, size_t length, bool integrated) {
  for (int i = 0; i < t->count; i++)
    if (t->integrated[i] == integrated && strlen(t->formulas[i]) == length &&
        memcmp(t->formulas[i], text, length) == 0)
      return i;
  const char **formulas = TRM_NEW(t->arena, const char *, t->count + 1);
  bool *kinds = TRM_NEW(t->arena, bool, t->count + 1);
  char *copy = trm_arena_substring(t->arena, text, length);
  if (!formulas || !kinds || !copy) return -1;
  for (int i = 0; i < t->count; i++) {
    formulas[i] = t->formulas[i];
    kinds[i] = t->integrated[i];
  }
  formulas[t->count] = copy;
  kinds[t->count] = integrated;
  t->formulas = formulas;
  t->integrated = kinds;
  return t->count++;
}

/* "term.kN" stands for a term; a parameter is a term of its own, so that derivatives by others that
 * it is made of are found. */
static trm_symbol look_up(void *context, const char *name, size_t length) {
  scope *s = context;
  int slot = -1;
  char word[64];
  snprintf(word, sizeof word, "%.*s", length < 60 ? (int)length : 60, name);
  if (sscanf(word, "term.k%d", &slot) == 1)
    return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = slot};
  for (int i = 0; i < s->terms->model->parameter_count && slot < 0; i++)
    if (strcmp(s->terms->model->parameters[i].name, word) == 0)
      slot = add_term(s->terms, name, length, false);
  if (slot >= 0) return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = slot};
  snprintf(s->reason, sizeof s->reason,
           "'%s' is no parameter; a measure is written final(%s), or in an integral", word, word);
  return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .reason = s->reason};
}

/* Behind the bracket that closes the one at `text`; NULL: none does. */
static const char *behind_bracket(const char *text) {
  int depth = 0;
  for (; *text; text++) {
    depth += (*text == '(') - (*text == ')');
    if (depth == 0) return text + 1;
  }
  return NULL;
}

/* The length of "final" or "integral" before a bracket; 0: it is neither. */
static size_t call_at(const char *start, const char *at, bool *integrated) {
  static const char *const words[] = {"final(", "integral("};
  if (at > start && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.')) return 0;
  for (int k = 0; k < 2; k++)
    if (strncmp(at, words[k], strlen(words[k])) == 0) {
      *integrated = k == 1;
      return strlen(words[k]) - 1;
    }
  return 0;
}

/* The formula with its terms' names in place of the calls; NULL: out of memory. */
static char *replace_calls(trm_terms *terms, const char *text) {
  size_t size = 4 * strlen(text) + 64;
  char *out = trm_arena_alloc(terms->arena, size, 1), *to = out;
  for (const char *at = text; out && *at;) {
    bool integrated = false;
    size_t word = call_at(text, at, &integrated);
    const char *end = word ? behind_bracket(at + word) : NULL;
    if (!end) {
      *to++ = *at++;
      continue;
    }
    const char *inside = at + word + 1;
    int slot = add_term(terms, inside, (size_t)(end - 1 - inside), integrated);
    if (slot < 0) return NULL;
    to += snprintf(to, size - (size_t)(to - out), "term.k%d", slot);
    at = end;
  }
  if (out) *to = 0;
  return out;
}

trm_expression *trm_goal_parse(trm_terms *terms, const char *text, trm_diagnostics *diagnostics) {
  scope s = {.terms = terms};
  trm_expression_error error = {.message = "out of memory"};
  char *outer = replace_calls(terms, text);
  trm_expression *formula = outer ? trm_expression_parse(outer, look_up, &s, NULL, &error) : NULL;
  if (!formula) trm_report(diagnostics, TRM_ERROR, "optimize: '%s': %s", text, error.message);
  return formula;
}
