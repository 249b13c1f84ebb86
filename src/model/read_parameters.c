/* Parameters: evaluated in order, overridden from outside. */
#include "model/read_repeat.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST_CYCLE = 50, MOST_SEARCHES = 100 }; /* beyond them the message is plainer */

static trm_symbol refuse(const char *reason) {
  return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .reason = reason};
}

/* ASCII only, whatever the locale. */
static bool is_word_character(char c) {
  return trm_is_name(&c, 1) || c == '_' || c == '.' || (c >= '0' && c <= '9');
}

static const char *text_of(const trm_parameter_entry *entry) {
  if (entry->override) return entry->override;
  return entry->node->kind == TRM_YAML_TEXT ? entry->node->text : "";
}

/* Whether the expression of parameter `from` needs `target`, directly or through others. */
static bool needs(trm_reader *reader, int from, int target, int depth) {
  trm_parameter_entry *entry = &reader->parameters[from];
  if (entry->searched_for == target + 1 || depth > DEEPEST_CYCLE) return false;
  entry->searched_for = target + 1;
  const char *s = text_of(entry);
  while (*s) {
    size_t length = 0;
    while (is_word_character(s[length])) length++;
    int used = length ? trm_map_get(reader->parameter_index, s, length) : -1;
    if (used == target || (used >= 0 && needs(reader, used, target, depth + 1))) return true;
    s += length ? length : 1;
  }
  return false;
}

static trm_symbol refuse_pending(trm_reader *reader, int used) {
  const char *name = reader->parameters[used].name;
  const char *self = reader->parameters[reader->evaluating].name;
  if (used == reader->evaluating)
    snprintf(reader->reason, sizeof reader->reason, "circular: '%.60s' is defined by itself", name);
  else if (reader->searches++ < MOST_SEARCHES && needs(reader, used, reader->evaluating, 0))
    snprintf(reader->reason, sizeof reader->reason,
             "circular: '%.60s' needs '%.60s', which needs '%.60s'", self, name, self);
  else
    snprintf(reader->reason, sizeof reader->reason,
             "'%.60s' is defined later: parameters are evaluated in order", name);
  return refuse(reader->reason);
}

static bool is_infinity(const char *word) {
  static const char *const words[] = {"inf", "Inf", "INF", "infinity", "nan", "NaN", "NAN"};
  for (int i = 0; i < 7; i++)
    if (strcmp(word, words[i]) == 0) return true;
  return false;
}

static trm_symbol unknown(trm_reader *reader, const char *name, size_t length) {
  char word[64], hint[100];
  snprintf(word, sizeof word, "%.*s", length < 60 ? (int)length : 60, name);
  if (strcmp(word, "t") == 0)
    return refuse("a constant is needed here: t may be used in drivers and forces only");
  if (memchr(name, '.', length))
    return refuse("a constant is needed here: measures may be used in forces only");
  if (is_infinity(word)) return refuse("a number must be finite");
  const char *names[1000];
  int count = reader->parameter_count < 1000 ? reader->parameter_count : 1000;
  for (int i = 0; i < count; i++) names[i] = reader->parameters[i].name;
  trm_read_suggest(reader, word, names, count, hint, sizeof hint);
  snprintf(reader->reason, sizeof reader->reason, "%s", hint[0] ? hint + 2 : "");
  return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN, .reason = hint[0] ? reader->reason : NULL};
}

/* What a part does not define is looked for in the file that includes it. */
static trm_symbol look_outside(trm_reader *reader, const char *name, size_t length) {
  reader->outer->uses_bad = false;
  trm_symbol symbol = trm_read_lookup(reader->outer, name, length);
  reader->uses_bad |= reader->outer->uses_bad;
  return symbol;
}

static bool is_taken(void *context, const char *name, size_t length) {
  double local;
  const trm_reader *reader = context;
  bool taken = trm_repeat_value(reader, name, length, &local);
  for (; reader && !taken; reader = reader->outer)
    taken = trm_map_get(reader->parameter_index, name, length) >= 0 ||
            trm_map_get(reader->vector_index, name, length) >= 0;
  return taken;
}

trm_symbol trm_read_lookup(void *context, const char *name, size_t length) {
  trm_reader *reader = context;
  if (name[0] == '.' || (name[0] >= '0' && name[0] <= '9'))
    return trm_draft_unit(reader->model->draft, name, length, is_taken, reader, reader->reason,
                          sizeof reader->reason);
  double local;
  if (trm_repeat_value(reader, name, length, &local))
    return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = local};
  bool call = length > 0 && name[length - 1] == ')';
  if (call || trm_vector_dimension(reader, name, length) > 0)
    return trm_vector_symbol(reader, name, length);
  int known = trm_map_get(reader->parameter_index, name, length);
  if (known < 0 && reader->outer) return look_outside(reader, name, length);
  if (known < 0) return unknown(reader, name, length);
  const trm_parameter_entry *entry = &reader->parameters[known];
  if (entry->state == TRM_PARAMETER_PENDING) return refuse_pending(reader, known);
  if (entry->state == TRM_PARAMETER_BAD) {
    /* a value would invite errors that are none, a division by zero say */
    reader->uses_bad = true;
    return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 0};
  }
  return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = entry->value};
}

const trm_parameter_entry *trm_read_parameter(const trm_reader *reader, const char *name,
                                              size_t length) {
  double local;
  if (trm_repeat_value(reader, name, length, &local)) return NULL;
  int known = trm_map_get(reader->parameter_index, name, length);
  if (known >= 0) return &reader->parameters[known];
  return reader->outer ? trm_read_parameter(reader->outer, name, length) : NULL;
}

static void report_override(trm_reader *reader, const char *override, const char *message) {
  reader->wrong_usage = true;
  trm_report(reader->diagnostics, TRM_ERROR, "--set %.100s: %s", override, message);
}

/* Whose text is that of a number; of others there is a message to make. */
static const double *number_of(const trm_reader *main, const char *name, size_t length) {
  for (int i = main->value_count - 1; i >= 0; i--)
    if (trm_text_is(main->value_names[i], name, length))
      return isfinite(main->values[i]) ? &main->values[i] : NULL;
  return NULL;
}

/* Those of parts have the names of their parts; one that an outer file has is not looked for
 * farther in. */
static void set_overrides(trm_reader *reader) {
  const trm_reader *main = reader;
  while (main->outer) main = main->outer;
  size_t before = strlen(reader->prefix);
  for (int i = 0; main->overrides && main->overrides[i]; i++) {
    const char *override = main->overrides[i], *equals = strchr(override, '=');
    size_t length = equals ? (size_t)(equals - override) : 0;
    bool own = length > before && strncmp(override, reader->prefix, before) == 0;
    int known = own ? trm_map_get(reader->parameter_index, override + before, length - before) : -1;
    bool outside = reader->outer && main->parameter_index &&
                   trm_map_get(main->parameter_index, override, length) >= 0;
    if (known < 0 || outside || !equals[1]) continue;
    reader->parameters[known].override = equals + 1;
    reader->parameters[known].number = number_of(main, override, length);
    main->override_used[i] = true;
  }
}

static void report_unused(trm_reader *reader, const char *override) {
  const char *equals = strchr(override, '=');
  if (!equals || equals == override || !equals[1]) {
    report_override(reader, override, "an override is written NAME=VALUE");
    return;
  }
  size_t length = (size_t)(equals - override);
  char message[300];
  if (trm_vector_dimension(reader, override, length) > 0) {
    report_override(reader, override, "this is a vector: set its components, NAME.x=VALUE");
    return;
  }
  trm_symbol symbol = unknown(reader, override, length);
  bool hint = symbol.kind == TRM_SYMBOL_UNKNOWN && symbol.reason;
  snprintf(message, sizeof message, "the model has no parameter '%.*s'%s%s",
           length < 60 ? (int)length : 60, override, hint ? ", " : "", hint ? symbol.reason : "");
  report_override(reader, override, message);
}

void trm_read_unused_overrides(trm_reader *reader) {
  for (int i = 0; reader->overrides && reader->overrides[i]; i++)
    if (!reader->override_used[i] && !trm_read_is_input(reader->overrides[i]) &&
        !trm_read_is_motion(reader->overrides[i]))
      report_unused(reader, reader->overrides[i]);
}

/* In the model that it is made of. */
static double value_before(const trm_reader *main, const char *name) {
  const trm_model *earlier = main->earlier;
  for (int i = 0; earlier && i < earlier->parameter_count; i++)
    if (strcmp(earlier->parameters[i].name, name) == 0) return earlier->parameters[i].value;
  return NAN;
}

static bool evaluate_override(trm_reader *reader, trm_parameter_entry *entry) {
  trm_expression_error error;
  char whole[200];
  reader->uses_bad = false;
  if (entry->number) {
    entry->value = *entry->number;
    reader->move = reader->near ? entry->value - value_before(reader, entry->name) : 0;
    return true;
  }
  snprintf(whole, sizeof whole, "%.60s=%.100s", entry->name, entry->override);
  if (trm_read_evaluate(reader, entry->override, &entry->value, &error)) return !reader->uses_bad;
  report_override(reader, whole, error.message);
  return false;
}

/* A vector's formula is said to be wrong once, not for each component. */
static bool read_entry(trm_reader *reader, trm_parameter_entry *entry) {
  if (entry->component < 0 ||
      trm_vector_of_text(reader, entry->node->kind == TRM_YAML_TEXT ? entry->node->text : "") == 0)
    return trm_read_number(reader, entry->node, &entry->value);
  double v[3] = {0, 0, 0};
  bool good = !entry->node->bad &&
              trm_read_vector(reader, entry->node, trm_vector_of_node(reader, entry->node), v);
  if (good) entry->value = v[entry->component];
  return good;
}

static void evaluate(trm_reader *reader, int index) {
  trm_parameter_entry *entry = &reader->parameters[index];
  reader->evaluating = index;
  reader->name = entry->name;
  bool good = entry->state == TRM_PARAMETER_KNOWN;
  reader->move = entry->move;
  if (entry->override)
    good = evaluate_override(reader, entry);
  else if (!entry->given)
    good = read_entry(reader, entry);
  entry->state = good ? TRM_PARAMETER_KNOWN : TRM_PARAMETER_BAD;
  entry->move = good ? reader->move : 0;
  if (!good) entry->value = 1;
  reader->bad_parameters += !good;
  reader->name = NULL;
}

static bool declare_entry(trm_reader *reader, const char *name, trm_yaml *node, int component) {
  int index = reader->parameter_count++;
  reader->parameters[index] =
      (trm_parameter_entry){.name = name, .node = node, .component = component, .value = 1};
  return name && trm_map_put(reader->parameter_index, name, strlen(name), index);
}

static bool declare_one(trm_reader *reader, const trm_yaml_pair *pair) {
  const char *name = pair->key->text;
  int dimension = trm_vector_of_node(reader, pair->value);
  if (dimension == 0) return declare_entry(reader, name, pair->value, -1);
  bool good = trm_map_put(reader->vector_index, name, strlen(name), dimension);
  for (int k = 0; good && k < dimension; k++) {
    bool list = pair->value->kind == TRM_YAML_LIST;
    const char *component = trm_vector_component(reader->document.arena, name, k);
    good = declare_entry(reader, component, list ? pair->value->items[k] : pair->value, k);
  }
  return good;
}

static bool declare(trm_reader *reader, trm_yaml *section) {
  trm_arena *arena = reader->document.arena;
  reader->parameter_index = trm_map_create(arena);
  reader->vector_index = trm_map_create(arena);
  int count = section && section->kind == TRM_YAML_MAP ? section->count : 0;
  reader->parameters = TRM_NEW(arena, trm_parameter_entry, 3 * (size_t)count);
  if (!reader->parameter_index || !reader->vector_index || !reader->parameters) return false;
  for (int i = 0; i < count; i++)
    if (!declare_one(reader, &section->pairs[i])) return false;
  return true;
}

bool trm_read_declare(trm_reader *reader) {
  const trm_yaml_pair *pair = trm_yaml_get(reader->document.root, "parameters", 10);
  trm_yaml *section = pair ? pair->value : NULL;
  reader->key = "parameters";
  if (section) trm_read_map(reader, section, "names and numbers");
  reader->key = NULL;
  return declare(reader, section);
}

void trm_read_parameters(trm_reader *reader) {
  reader->kind = "parameter";
  set_overrides(reader);
  for (int i = 0; i < reader->parameter_count; i++) evaluate(reader, i);
  reader->kind = NULL;
  reader->evaluating = -1;
}

/* One parameter in the formula of another. */
static trm_symbol look_for_symbol(void *context, const char *name, size_t length) {
  trm_reader *reader = context;
  int known = trm_map_get(reader->parameter_index, name, length);
  if (known < 0) return trm_read_lookup(context, name, length);
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 1 + known};
}

static bool has_letters(const char *text) {
  for (; *text; text++)
    if (trm_is_name(text, 1)) return true;
  return false;
}

bool trm_read_symbols(trm_reader *reader) {
  trm_model *model = reader->model;
  int count = model->parameter_count;
  model->parameter_symbols = TRM_NEW(model->arena, trm_expression *, count + 1);
  for (int i = 0; model->parameter_symbols && i < count; i++) {
    const trm_parameter_entry *entry = &reader->parameters[i];
    trm_expression_error error = {0};
    if (entry->override || entry->node->kind != TRM_YAML_TEXT) continue;
    if (!has_letters(entry->node->text)) continue;
    trm_expression *own = trm_expression_take(reader->shelf, entry->node->text, look_for_symbol,
                                              reader, reader->folder, &error);
    if (!own && error.no_memory) return false;
    if (own && trm_expression_is_constant(own)) {
      trm_expression_destroy(own);
      own = NULL;
    }
    model->parameter_symbols[i] = own;
  }
  return model->parameter_symbols != NULL;
}
