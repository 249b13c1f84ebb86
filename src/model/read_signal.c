/* Inputs, variables, states. */
#include "model/read_parts.h"

#include <string.h>

static void read_values(trm_reader *reader, trm_yaml *section, const char *kind,
                        void (*add)(trm_model *model, const char *name, const trm_value *value)) {
  reader->kind = kind;
  for (int i = 0; i < section->count; i++) {
    trm_value value;
    reader->name = section->pairs[i].key->text;
    trm_read_formula(reader, section->pairs[i].value, &value);
    if (add == trm_model_add_input) trm_read_input_override(reader, reader->name, &value);
    add(reader->model, reader->name, &value);
  }
  reader->kind = reader->name = NULL;
}

void trm_read_inputs(trm_reader *reader, trm_yaml *section) {
  reader->key = "inputs";
  if (!trm_read_map(reader, section, "names and numbers or formulas of t")) return;
  reader->key = NULL;
  read_values(reader, section, "input", trm_model_add_input);
}

void trm_read_variables(trm_reader *reader, trm_yaml *section) {
  reader->key = "variables";
  if (!trm_read_map(reader, section, "names and formulas")) return;
  reader->key = NULL;
  read_values(reader, section, "variable", trm_model_add_variable);
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
