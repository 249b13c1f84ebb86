/* Inputs from outside the file: "inputs.NAME=FORMULA" and "inputs.NAME=FILE.csv" among the
 * overrides. */
#include "model/read_include.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char start[] = "inputs.";

bool trm_read_is_input(const char *override) {
  return strncmp(override, start, strlen(start)) == 0;
}

__attribute__((format(printf, 3, 4))) static void report(trm_reader *reader, const char *override,
                                                         const char *format, ...) {
  char message[300];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  reader->wrong_usage = true;
  trm_report(reader->diagnostics, TRM_ERROR, "--input %.100s: %s", override + strlen(start),
             message);
}

/* t, and the parameters of the model's own file. */
static trm_symbol look_up(void *context, const char *name, size_t length) {
  if (length == 1 && name[0] == 't') return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 0};
  return trm_read_lookup(context, name, length);
}

/* What stands behind the "=" as a formula; NULL: reported, or no memory. */
static const char *formula_of(trm_reader *main, const char *override, const char *name) {
  const char *value = strchr(override, '=') + 1;
  size_t length = strlen(value), room = length + strlen(name) + 40;
  trm_expression_error error;
  char *text = trm_arena_alloc(main->document.arena, room, 1);
  if (!text) {
    main->no_memory = true;
    return NULL;
  }
  bool file = length > 4 && strcmp(value + length - 4, ".csv") == 0;
  snprintf(text, room, file ? "table(t, \"%s\", \"%s\", \"linear\", \"hold\")" : "%s", value, name);
  trm_expression *formula =
      trm_expression_take(main->shelf, text, look_up, main, main->folder, &error);
  trm_expression_destroy(formula);
  if (formula) return text;
  report(main, override, "%s", error.message);
  return NULL;
}

void trm_read_input_override(trm_reader *reader, const char *name, trm_value *value) {
  trm_reader *main = reader;
  size_t before = strlen(start), length = strlen(name);
  while (main->outer) main = main->outer;
  for (int i = 0; main->overrides && main->overrides[i]; i++) {
    const char *override = main->overrides[i];
    bool own = trm_read_is_input(override) && strncmp(override + before, name, length) == 0 &&
               override[before + length] == '=';
    if (!own) continue;
    main->override_used[i] = true;
    const char *text = formula_of(main, override, name);
    if (text) *value = trm_formula(text);
  }
}

static int list_inputs(const trm_reader *reader, const char **names, int most) {
  const trm_yaml_pair *inputs = trm_yaml_get(reader->document.root, "inputs", 6);
  int count = 0;
  for (int i = 0; inputs && inputs->value->kind == TRM_YAML_MAP && i < inputs->value->count; i++)
    if (count < most) names[count++] = inputs->value->pairs[i].key->text;
  for (int i = 0; i < reader->part_count; i++)
    count += list_inputs(reader->parts[i], names + count, most - count);
  return count;
}

void trm_read_unused_inputs(trm_reader *reader) {
  enum { MOST = 1000 };
  for (int i = 0; reader->overrides && reader->overrides[i]; i++) {
    const char *override = reader->overrides[i], *names[MOST];
    if (!trm_read_is_input(override) || reader->override_used[i]) continue;
    char word[64], hint[100];
    const char *name = override + strlen(start);
    int length = (int)strcspn(name, "=");
    snprintf(word, sizeof word, "%.*s", length < 60 ? length : 60, name);
    trm_read_suggest(reader, word, names, list_inputs(reader, names, MOST), hint, sizeof hint);
    report(reader, override, "the model has no input '%s'%s", word, hint);
  }
}
