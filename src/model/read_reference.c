/* The model's own check: a file of expected results. */
#include "model/read_parts.h"

typedef struct reference {
  const char *file;
  double tolerance;
} reference;

static void read_file(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_text(reader, node, "the name of a CSV file", &((reference *)target)->file);
}

static void read_tolerance(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_number(reader, node, &((reference *)target)->tolerance);
}

void trm_read_reference(trm_reader *reader, const trm_yaml_pair *section) {
  static const trm_field fields[] = {{"file", read_file, 1, 1},
                                     {"tolerance", read_tolerance, 1, 1}};
  static const trm_schema schema = {fields, 2, NULL, NULL};
  reference given = {NULL, 1};
  reader->key = "reference";
  if (section->value->kind != TRM_YAML_MAP) {
    trm_read_error(reader, section->value,
                   "expected a map like {file: expected.csv, tolerance: 1e-8}, found %s",
                   trm_yaml_kind_name(section->value));
    return;
  }
  reader->kind = "reference";
  reader->key = NULL;
  trm_read_fields(reader, section, &schema, 0, &given);
  if (given.file) trm_model_set_reference(reader->model, given.file, given.tolerance);
}
