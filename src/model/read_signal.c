/* Inputs, variables, states. */
#include "model/read_parts.h"

#include <string.h>

/* An input that a function may be put in place of. */
typedef struct input {
  trm_value value;
  int count;
  trm_value *arguments;
} input;

static void read_value(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_formula(reader, node, &((input *)target)->value);
}

static void read_of(trm_reader *reader, trm_yaml *node, void *target) {
  input *in = target;
  if (node->kind != TRM_YAML_LIST) {
    trm_read_error(reader, node, "expected a list of measures or formulas, found %s",
                   trm_yaml_kind_name(node));
    return;
  }
  in->arguments = TRM_NEW(reader->document.arena, trm_value, node->count + 1);
  if (!in->arguments) reader->no_memory = true;
  for (int i = 0; in->arguments && i < node->count; i++)
    if (trm_read_formula(reader, node->items[i], &in->arguments[i])) in->count = i + 1;
}

static const trm_field input_fields[] = {{"of", read_of, 1, 1}, {"value", read_value, 1, 0}};
static const trm_schema input_schema = {input_fields, sizeof input_fields / sizeof *input_fields,
                                        NULL, ""};

static void read_input(trm_reader *reader, const trm_yaml_pair *pair) {
  input in = {.value = trm_number(0)};
  if (pair->value->kind == TRM_YAML_MAP)
    trm_read_fields(reader, pair, &input_schema, 0, &in);
  else
    trm_read_formula(reader, pair->value, &in.value);
  trm_read_input_override(reader, reader->name, &in.value);
  trm_model_add_input_of(reader->model, reader->name, &in.value, in.count, in.arguments);
}

static void read_values(trm_reader *reader, trm_yaml *section, const char *kind,
                        void (*read)(trm_reader *reader, const trm_yaml_pair *pair)) {
  reader->kind = kind;
  for (int i = 0; i < section->count; i++) {
    reader->name = section->pairs[i].key->text;
    read(reader, &section->pairs[i]);
  }
  reader->kind = reader->name = NULL;
}

static void read_variable(trm_reader *reader, const trm_yaml_pair *pair) {
  trm_value value;
  trm_read_formula(reader, pair->value, &value);
  trm_model_add_variable(reader->model, reader->name, &value);
}

void trm_read_inputs(trm_reader *reader, trm_yaml *section) {
  reader->key = "inputs";
  if (!trm_read_map(reader, section, "names and numbers or formulas of t")) return;
  reader->key = NULL;
  read_values(reader, section, "input", read_input);
}

void trm_read_variables(trm_reader *reader, trm_yaml *section) {
  reader->key = "variables";
  if (!trm_read_map(reader, section, "names and formulas")) return;
  reader->key = NULL;
  read_values(reader, section, "variable", read_variable);
}

typedef struct state {
  trm_value initial, rate;
} state;

static void read_initial(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_formula(reader, node, &((state *)target)->initial);
}

static void read_rate(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_formula(reader, node, &((state *)target)->rate);
}

static const trm_field fields[] = {{"initial", read_initial, 1, 1}, {"rate", read_rate, 1, 0}};
static const trm_schema schema = {fields, sizeof fields / sizeof *fields, NULL, ""};

void trm_read_states(trm_reader *reader, trm_yaml *section) {
  reader->key = "states";
  if (!trm_read_map(reader, section, "states")) return;
  reader->kind = "state";
  reader->key = NULL;
  for (int i = 0; i < section->count; i++) {
    const trm_yaml_pair *pair = &section->pairs[i];
    state s = {.initial = {.given = false}};
    reader->name = pair->key->text;
    if (pair->value->kind == TRM_YAML_MAP)
      trm_read_fields(reader, pair, &schema, 0, &s);
    else
      trm_read_error(reader, pair->value, "expected {initial: …, rate: …}, found %s",
                     trm_yaml_kind_name(pair->value));
    trm_model_add_state(reader->model, reader->name, &s.initial, &s.rate);
  }
  reader->kind = reader->name = NULL;
}
