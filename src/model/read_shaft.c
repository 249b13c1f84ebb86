/* Shafts. */
#include "model/read_include.h"

static void read_inertia(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_number(reader, node, &((trm_shaft_def *)target)->inertia);
  trm_read_unit(reader, node, TRM_AN_INERTIA);
}

static void read_rate(trm_reader *reader, trm_yaml *node, void *target) {
  trm_shaft_def *shaft = target;
  shaft->rate_given = trm_read_number(reader, node, &shaft->rate);
  trm_read_unit(reader, node, TRM_AN_ANGULAR_VELOCITY);
}

static const trm_field fields[] = {{"inertia", read_inertia, 1, 1},
                                   {"initial-rate", read_rate, 1, 0}};
static const trm_schema schema = {fields, sizeof fields / sizeof *fields, NULL, NULL};

/* A shaft with an error is declared all the same, so that what names it is no error too. */
static void read_shaft(trm_reader *reader, const trm_yaml_pair *pair) {
  trm_shaft_def shaft = trm_default_shaft();
  shaft.name = reader->name = pair->key->text;
  if (pair->value->kind == TRM_YAML_MAP)
    trm_read_fields(reader, pair, &schema, 0, &shaft);
  else
    trm_read_error(reader, pair->value, "expected a map with an inertia, found %s",
                   trm_yaml_kind_name(pair->value));
  if (reader->outer) trm_part_shaft(reader, &shaft);
  trm_model_add_shaft(reader->model, &shaft);
}

void trm_read_shafts(trm_reader *reader, trm_yaml *section) {
  reader->key = "shafts";
  if (!trm_read_map(reader, section, "shafts")) return;
  reader->kind = "shaft";
  reader->key = NULL;
  for (int i = 0; i < section->count; i++) read_shaft(reader, &section->pairs[i]);
  reader->kind = reader->name = NULL;
}
