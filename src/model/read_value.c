/* Numbers, vectors, texts and formulas of a model file. */
#include "model/read_include.h"
#include "model/read_repeat.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SUGGESTIONS = 100 }; /* thousands of errors must not take minutes */

static void report(trm_reader *reader, trm_yaml *node, size_t offset, const char *format,
                   va_list args) {
  char message[512];
  node->bad = true;
  if (reader->reported > TRM_YAML_MOST_ERRORS || !trm_repeat_reports(reader, node)) return;
  if (reader->reported++ == TRM_YAML_MOST_ERRORS) {
    trm_report(reader->diagnostics, TRM_ERROR, "more than %d errors: the others are not shown",
               TRM_YAML_MOST_ERRORS);
    return;
  }
  vsnprintf(message, sizeof message, format, args);
  trm_place place =
      trm_yaml_place_in(&reader->document, node, trm_repeat_origin(reader, node, offset));
  const char *key = reader->key ? reader->key : "", *colon = reader->key ? ": " : "";
  if (reader->kind && reader->name)
    trm_report_place(reader->diagnostics, TRM_ERROR, place, "%s '%.60s': %.60s%s%s", reader->kind,
                     reader->name, key, colon, message);
  else
    trm_report_place(reader->diagnostics, TRM_ERROR, place, "%s%s%.60s%s%s",
                     reader->kind ? reader->kind : "", reader->kind ? ": " : "", key, colon,
                     message);
}

void trm_read_error(trm_reader *reader, trm_yaml *node, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(reader, node, 0, format, args);
  va_end(args);
}

void trm_read_error_in(trm_reader *reader, trm_yaml *node, size_t offset, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(reader, node, offset, format, args);
  va_end(args);
}

void trm_read_suggest(trm_reader *reader, const char *word, const char *const *names, int count,
                      char *text, size_t size) {
  text[0] = '\0';
  if (reader->suggestions++ >= MOST_SUGGESTIONS) return;
  const char *nearest = trm_nearest(word, names, count < 1000 ? count : 1000);
  if (nearest) snprintf(text, size, ", did you mean '%.60s'?", nearest);
}

/* Opening minus closing parentheses differ from zero. */
static bool is_unbalanced(const char *text) {
  int open = 0;
  for (; *text; text++) open += (*text == '(') - (*text == ')');
  return open != 0;
}

bool trm_read_is_cut(const trm_yaml *node) {
  return node->kind == TRM_YAML_TEXT && node->flow && !node->quoted && is_unbalanced(node->text);
}

/* Most values of a large file are plain: a parameter, or a few digits. At most 15 of them are
 * exact, and so is the power of ten below. */
static bool read_plain(trm_reader *reader, const char *text, double *number) {
  enum { EXACT = 15 };
  int known = trm_map_get(reader->parameter_index, text, strlen(text));
  if (known >= 0 && reader->parameters[known].state == TRM_PARAMETER_KNOWN) {
    *number = reader->parameters[known].value;
    reader->move = reader->parameters[known].move;
    return true;
  }
  double digits = 0, scale = 1;
  int count = 0;
  bool point = false, negative = *text == '-';
  for (const char *c = text + negative; *c; c++) {
    if (*c == '.' && !point && count > 0) {
      point = true;
    } else if (*c >= '0' && *c <= '9' && count++ < EXACT) {
      digits = 10 * digits + (*c - '0');
      if (point) scale *= 10;
    } else {
      return false;
    }
  }
  *number = negative ? -(digits / scale) : digits / scale;
  return count > 0;
}

/* ---- numbers that are moved ---- */

enum { MOST_MOVED = 32 };

/* Parameters in a formula, as often as they occur there: where they were, and how far they move. */
typedef struct moving {
  trm_reader *reader;
  int count;
  double before[MOST_MOVED], move[MOST_MOVED];
} moving;

static trm_symbol look_for_moving(void *context, const char *name, size_t length) {
  moving *m = context;
  trm_symbol symbol = trm_read_lookup(m->reader, name, length);
  const trm_parameter_entry *entry =
      symbol.kind == TRM_SYMBOL_CONSTANT ? trm_read_parameter(m->reader, name, length) : NULL;
  if (!entry || entry->move == 0 || m->count == MOST_MOVED) return symbol;
  m->before[m->count] = entry->value - entry->move;
  m->move[m->count] = entry->move;
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = m->count++};
}

/* f(p) + ∇f·Δp. False: it has to be f(p + Δp). */
static bool evaluate_moved(trm_reader *reader, const char *text, double *number) {
  moving m = {.reader = reader};
  double gradient[MOST_MOVED] = {0}, move = 0;
  trm_expression_error error = {0};
  trm_expression *formula =
      trm_expression_take(reader->shelf, text, look_for_moving, &m, reader->folder, &error);
  reader->no_memory |= !formula && error.no_memory;
  if (!formula || reader->uses_bad) {
    trm_expression_destroy(formula);
    return false;
  }
  double value = trm_expression_gradient(formula, m.before, gradient);
  trm_expression_destroy(formula);
  for (int i = 0; i < m.count; i++) move += gradient[i] * m.move[i];
  if (!isfinite(value + move)) return false;
  *number = value + move;
  reader->move = move;
  return true;
}

bool trm_read_evaluate(trm_reader *reader, const char *text, double *number,
                       trm_expression_error *error) {
  reader->uses_bad = false;
  reader->move = 0;
  if (read_plain(reader, text, number)) return true;
  if (reader->near && evaluate_moved(reader, text, number)) return true;
  trm_expression *expression =
      trm_expression_take(reader->shelf, text, trm_read_lookup, reader, reader->folder, error);
  reader->no_memory |= !expression && error->no_memory;
  if (!expression) return false;
  const double slot = 1; /* only a bad parameter is variable here */
  double value = trm_expression_value(expression, &slot);
  trm_expression_destroy(expression);
  if (reader->uses_bad) return true;
  if (isfinite(value)) {
    *number = value;
    return true;
  }
  *error = (trm_expression_error){.offset = 0};
  snprintf(error->message, sizeof error->message, "the value is %s, it must be finite",
           isnan(value) ? "not a number (NaN)" : "infinite");
  return false;
}

/* YAML's own spelling of what no quantity can be. */
static bool is_yaml_infinity(const char *text) {
  text += *text == '-' || *text == '+';
  static const char *const words[] = {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"};
  for (int i = 0; i < 6; i++)
    if (strcmp(text, words[i]) == 0) return true;
  return false;
}

/* Whether a text is there at all; what was expected is said otherwise. */
static bool is_text(trm_reader *reader, trm_yaml *node, const char *what) {
  if (node->kind == TRM_YAML_TEXT) return true;
  trm_read_error(reader, node, "expected %s, found %s", what, trm_yaml_kind_name(node));
  return false;
}

bool trm_read_number(trm_reader *reader, trm_yaml *node, double *number) {
  if (!is_text(reader, node, "a number")) return false;
  if (is_yaml_infinity(node->text)) {
    trm_read_error(reader, node, "the value is %s, it must be finite", node->text);
    return false;
  }
  trm_expression_error error;
  if (trm_read_evaluate(reader, node->text, number, &error)) {
    if (reader->uses_bad) node->bad = true;
    return !reader->uses_bad;
  }
  if (trm_read_is_cut(node))
    trm_read_error_in(reader, node, error.offset, "%s: " TRM_READ_CUT_HINT, error.message);
  else
    trm_read_error_in(reader, node, error.offset, "%s", error.message);
  return false;
}

bool trm_read_list(trm_reader *reader, trm_yaml *node, int count, const char *what) {
  if (node->kind != TRM_YAML_LIST) {
    trm_read_error(reader, node, "expected a list of %d %s, found %s", count, what,
                   trm_yaml_kind_name(node));
    return false;
  }
  if (node->count == count) return true;
  bool cut = false;
  for (int i = 0; i < node->count; i++) cut |= trm_read_is_cut(node->items[i]);
  trm_read_error(reader, node, "expected %d %s, found %d%s", count, what, node->count,
                 cut ? ": " TRM_READ_CUT_HINT : "");
  return false;
}

static bool read_vector_formula(trm_reader *reader, trm_yaml *node, int count, double *vector) {
  trm_expression_error error;
  double v[3];
  int dimension = trm_vector_evaluate(reader, node->text, v, &error);
  if (dimension == 0)
    trm_read_error_in(reader, node, error.offset, "%s%s", error.message,
                      trm_read_is_cut(node) ? ": " TRM_READ_CUT_HINT : "");
  else if (dimension != count && !reader->uses_bad)
    trm_read_error(reader, node, "expected a vector of %d components, found %s", count,
                   dimension == 1   ? "a number"
                   : dimension == 2 ? "one of 2"
                                    : "one of 3");
  if (reader->uses_bad) node->bad = true;
  if (node->bad || dimension != count) return false;
  for (int k = 0; k < count; k++) vector[k] = v[k];
  return true;
}

bool trm_read_vector(trm_reader *reader, trm_yaml *node, int count, double *vector) {
  if (node->kind == TRM_YAML_TEXT && trm_vector_named(reader, node->text, strlen(node->text)) > 0)
    return read_vector_formula(reader, node, count, vector);
  if (!trm_read_list(reader, node, count, "numbers")) return false;
  bool good = true;
  for (int i = 0; i < count; i++) good &= trm_read_number(reader, node->items[i], &vector[i]);
  if (!good) node->bad = true;
  return good;
}

bool trm_read_direction(trm_reader *reader, trm_yaml *node, int count, double *vector) {
  const char *text = node->kind == TRM_YAML_TEXT ? node->text : "";
  bool sign = text[0] == '-' || text[0] == '+';
  int k = text[sign] && !text[sign + 1] ? text[sign] - 'x' : -1;
  if (k < 0 || k > 2) return trm_read_vector(reader, node, count, vector);
  if (k >= count) {
    trm_read_error(reader, node, "the model is planar: directions are x, -x, y, -y or [x, y]");
    return false;
  }
  for (int i = 0; i < count; i++) vector[i] = i == k ? (text[0] == '-' ? -1 : 1) : 0;
  return true;
}

bool trm_read_text(trm_reader *reader, trm_yaml *node, const char *what, const char **text) {
  if (!is_text(reader, node, what)) return false;
  *text = node->text;
  return true;
}

bool trm_read_name(trm_reader *reader, trm_yaml *node, const char *what, const char **name) {
  if (!trm_read_text(reader, node, what, name)) return false;
  *name = trm_part_name(reader, *name);
  return true;
}

/* Any name is a variable: the builder knows which ones exist. */
static trm_symbol look_for_bad(void *context, const char *name, size_t length) {
  trm_reader *reader = context;
  int known = -1;
  for (const trm_reader *r = reader; r && known < 0; r = r->outer) {
    known = trm_map_get(r->parameter_index, name, length);
    if (known >= 0 && r->parameters[known].state == TRM_PARAMETER_BAD) reader->uses_bad = true;
  }
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 0};
}

static bool uses_bad_parameter(trm_reader *reader, const char *text) {
  int bad = 0;
  for (const trm_reader *r = reader; r; r = r->outer) bad += r->bad_parameters;
  if (bad == 0) return false;
  reader->uses_bad = false;
  trm_expression_error error;
  trm_expression_destroy(trm_expression_parse(text, look_for_bad, reader, reader->folder, &error));
  return reader->uses_bad;
}

bool trm_read_formula(trm_reader *reader, trm_yaml *node, trm_value *value) {
  *value = trm_number(1); /* where there is an error: given, and harmless */
  if (!is_text(reader, node, "a number or a formula")) return false;
  if (trm_read_is_cut(node)) {
    trm_read_error(reader, node, "unbalanced parentheses: " TRM_READ_CUT_HINT);
    return false;
  }
  if (uses_bad_parameter(reader, node->text)) {
    node->bad = true;
    return false;
  }
  if (trm_vector_named(reader, node->text, strlen(node->text)) > 0) /* a constant, or an error */
    return trm_read_number(reader, node, &value->number);
  *value = trm_formula(trm_part_formula(reader, trm_repeat_formula(reader, node->text)));
  return true;
}

bool trm_read_map(trm_reader *reader, trm_yaml *node, const char *what) {
  if (node->kind == TRM_YAML_MAP) return true;
  /* a section whose entries are all commented out is an empty one */
  if (node->kind == TRM_YAML_NOTHING) return false;
  trm_read_error(reader, node, "expected a map of %s, found %s", what, trm_yaml_kind_name(node));
  return false;
}
