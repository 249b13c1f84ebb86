/* The road that tires roll on. */
#include "model/read_parts.h"

#include <string.h>

typedef struct road {
  trm_value height, friction;
  const char *grid;
} road;

static void read_formula(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_formula(reader, node, &((road *)target)->height);
}

static void read_grid(trm_reader *reader, trm_yaml *node, void *target) {
  road *given = target;
  if (!trm_read_text(reader, node, "the name of a CSV file", &given->grid)) return;
  if (given->grid[0] && !strchr(given->grid, '"')) return;
  trm_read_error(reader, node,
                 given->grid[0] ? "the name of a file cannot have quotes in it"
                                : "the name of the file is empty");
  given->grid = NULL;
}

static void read_friction(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_formula(reader, node, &((road *)target)->friction);
}

void trm_read_road(trm_reader *reader, const trm_yaml_pair *section) {
  static const trm_field fields[] = {{"formula", read_formula, 1, 0},
                                     {"grid", read_grid, 1, 0},
                                     {"friction", read_friction, 1, 0}};
  static const trm_schema schema = {fields, 3, NULL, NULL};
  const trm_yaml *value = section->value;
  road given = {.grid = NULL};
  reader->key = "road";
  if (value->kind == TRM_YAML_TEXT && strcmp(value->text, "flat") == 0) return;
  if (value->kind != TRM_YAML_MAP) {
    trm_read_error(
        reader, section->value,
        "expected flat or a map like {formula: \"0.05*sin(x)\", friction: 0.9}, found %s",
        value->kind == TRM_YAML_TEXT ? value->text : trm_yaml_kind_name(value));
    return;
  }
  reader->kind = "road";
  reader->key = NULL;
  trm_read_fields(reader, section, &schema, 0, &given);
  trm_model_set_road(reader->model, &given.height, given.grid, &given.friction);
}
