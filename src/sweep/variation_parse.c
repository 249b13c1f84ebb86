/* Reading how a parameter is varied. */
#include "sweep/variation.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

typedef struct form {
  const char *name; /* of the distribution */
  trm_variation_kind kind;
  int numbers; /* 0: any */
  const char *written;
} form;

static const form forms[] = {{"uniform", TRM_VARY_UNIFORM, 2, "uniform(a, b)"},
                             {"normal", TRM_VARY_NORMAL, 2, "normal(mean, sd)"},
                             {"lognormal", TRM_VARY_LOGNORMAL, 2, "lognormal(mean, sd)"},
                             {"triangular", TRM_VARY_TRIANGULAR, 3, "triangular(a, mode, b)"},
                             {"discrete", TRM_VARY_DISCRETE, 0, "discrete(v1, v2, …)"}};
enum { FORMS = sizeof forms / sizeof *forms };

typedef struct reader {
  trm_variation *variation;
  const char *text; /* the whole, for messages */
  trm_symbol_lookup lookup;
  void *context;
  trm_arena *arena;
  trm_diagnostics *diagnostics;
} reader;

static bool refuse(const reader *r, const char *why) {
  trm_report(r->diagnostics, TRM_ERROR, "--vary '%s': %s", r->text, why);
  return false;
}

/* Where a part ends: at `mark` outside of parentheses, or at the end. */
static size_t part_length(const char *text, size_t length, char mark) {
  int depth = 0;
  for (size_t k = 0; k < length; k++) {
    if (text[k] == mark && depth == 0) return k;
    depth += (text[k] == '(') - (text[k] == ')');
  }
  return length;
}

static bool read_number(const reader *r, const char *text, size_t length, double *value) {
  trm_expression_error error;
  char *copy = trm_arena_substring(r->arena, text, length);
  trm_expression *formula =
      copy ? trm_expression_parse(copy, r->lookup, r->context, NULL, &error) : NULL;
  if (!formula) return refuse(r, copy ? error.message : "out of memory");
  bool constant = trm_expression_is_constant(formula);
  *value = constant ? trm_expression_value(formula, NULL) : NAN;
  trm_expression_destroy(formula);
  return isfinite(*value) || refuse(r, constant ? "a number is not finite" : "no number");
}

/* The numbers between marks. */
static bool read_numbers(const reader *r, const char *text, size_t length, char mark) {
  trm_variation *v = r->variation;
  v->numbers = TRM_NEW(r->arena, double, length / 2 + 1); /* no more than fit */
  if (!v->numbers) return refuse(r, "out of memory");
  for (size_t at = 0;;) {
    size_t part = part_length(text + at, length - at, mark);
    if (!read_number(r, text + at, part, &v->numbers[v->count++])) return false;
    if ((at += part + 1) > length) return true;
  }
}

static bool check_range(const reader *r) {
  trm_variation *v = r->variation;
  if (v->count != 3) return refuse(r, "a range is first:last:count, 1:2:11 say");
  if (!(v->numbers[2] >= 1 && v->numbers[2] <= 1e9 && v->numbers[2] == floor(v->numbers[2])))
    return refuse(r, "the third number says how many values there are: a whole one from 1 on");
  v->kind = TRM_VARY_RANGE;
  v->levels = (long)v->numbers[2];
  return true;
}

static bool check_form(const reader *r, const form *f) {
  trm_variation *v = r->variation;
  const double *n = v->numbers;
  v->kind = f->kind;
  if (f->kind == TRM_VARY_DISCRETE) v->levels = v->count;
  if (f->numbers && v->count != f->numbers) {
    trm_report(r->diagnostics, TRM_ERROR, "--vary '%s': it is written %s", r->text, f->written);
    return false;
  }
  if (f->kind == TRM_VARY_UNIFORM && !(n[0] < n[1]))
    return refuse(r, "its first number must be the smaller one");
  if ((f->kind == TRM_VARY_NORMAL || f->kind == TRM_VARY_LOGNORMAL) && !(n[1] > 0))
    return refuse(r, "the standard deviation must be positive");
  if (f->kind == TRM_VARY_TRIANGULAR && !(n[0] < n[2] && n[0] <= n[1] && n[1] <= n[2]))
    return refuse(r, "it must be a <= mode <= b, with a < b");
  return true;
}

static const form *find_form(const char *name, size_t length) {
  for (int k = 0; k < FORMS; k++)
    if (strlen(forms[k].name) == length && memcmp(forms[k].name, name, length) == 0)
      return &forms[k];
  return NULL;
}

static bool refuse_word(const reader *r, const char *word, size_t length) {
  const char *names[FORMS], *copy = trm_arena_substring(r->arena, word, length);
  for (int k = 0; k < FORMS; k++) names[k] = forms[k].name;
  const char *nearest = copy ? trm_nearest(copy, names, FORMS) : NULL;
  if (!nearest)
    return refuse(r, "it takes first:last:count, uniform(a, b), normal(mean, sd), "
                     "lognormal(mean, sd), triangular(a, mode, b) or discrete(v1, v2, …)");
  trm_report(r->diagnostics, TRM_ERROR,
             "--vary '%s': unknown distribution '%s'; did you mean '%s'?", r->text, copy, nearest);
  return false;
}

bool trm_variation_parse(trm_variation *variation, const char *text, trm_symbol_lookup lookup,
                         void *context, trm_arena *arena, trm_diagnostics *diagnostics) {
  const reader r = {variation, text, lookup, context, arena, diagnostics};
  size_t name = strcspn(text, "=");
  *variation = (trm_variation){.name = trm_arena_substring(arena, text, name)};
  if (!variation->name) return refuse(&r, "out of memory");
  if (name == 0 || text[name] == 0) return refuse(&r, "it takes NAME=VALUES");
  const char *values = text + name + 1;
  values += strspn(values, " ");
  size_t length = strlen(values), word = strcspn(values, "(");
  while (length > 0 && values[length - 1] == ' ') length--;
  if (part_length(values, length, ':') < length)
    return read_numbers(&r, values, length, ':') && check_range(&r);
  const form *f = word < length ? find_form(values, word) : NULL;
  if (!f || values[length - 1] != ')') return refuse_word(&r, values, word);
  return read_numbers(&r, values + word + 1, length - word - 2, ',') && check_form(&r, f);
}
