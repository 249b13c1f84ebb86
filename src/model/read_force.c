/* Forces. */
#include "model/read_include.h"

#include <string.h>

enum {
  FORCE = 1u << TRM_FORCE_FORCE,
  TORQUE = 1u << TRM_FORCE_TORQUE,
  SPRING = 1u << TRM_FORCE_SPRING_DAMPER,
  TORSION = 1u << TRM_FORCE_TORSION_SPRING_DAMPER,
  ACTUATOR = 1u << TRM_FORCE_ACTUATOR,
  BUSHING = 1u << TRM_FORCE_BUSHING,
  LOAD = 1u << TRM_FORCE_LOAD,
  TIRE = 1u << TRM_FORCE_TIRE,
  LOADS = FORCE | TORQUE,
  SPRINGS = SPRING | TORSION,
  CONNECTED = SPRINGS | BUSHING | ACTUATOR | LOAD
};

static const char *type_name(int type) {
  return type <= TRM_FORCE_TIRE ? trm_force_type_name((trm_force_type)type) : NULL;
}

static void read_connect(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_connect(reader, node, ((trm_force_def *)target)->connect);
}

static void read_at(trm_reader *reader, trm_yaml *node, void *target) {
  trm_force_def *force = target;
  trm_read_at(reader, node, &force->at_given, force->at, &force->at_second_given, force->at_second);
}

static void read_point(trm_reader *reader, trm_yaml *node, void *target) {
  trm_force_def *force = target;
  force->connect[0] = "ground"; /* where there is an error, reported here */
  trm_read_name(reader, node, "body.point or body", &force->connect[0]);
}

static void read_body(trm_reader *reader, trm_yaml *node, void *target) {
  trm_force_def *force = target;
  force->connect[0] = "ground";
  trm_read_name(reader, node, "the name of a body", &force->connect[0]);
}

/* An actuator's joint, or the two that a torsion spring connects. */
static void read_of(trm_reader *reader, trm_yaml *node, void *target) {
  static const char what[] = "the name of a joint or shaft";
  trm_force_def *force = target;
  if (force->type != TRM_FORCE_TORSION_SPRING_DAMPER) {
    trm_read_name(reader, node, what, &force->of);
    return;
  }
  if (!trm_read_list(reader, node, 2, "joints or shafts")) return;
  for (int i = 0; i < 2; i++)
    if (!trm_read_name(reader, node->items[i], what, &force->between[i])) node->bad = true;
}

static void read_components(trm_reader *reader, trm_yaml *node, trm_value *values) {
  int dim = reader->model->dim;
  for (int i = 0; i < dim; i++) values[i] = trm_number(0);
  if (!trm_read_list(reader, node, dim, "numbers or formulas")) return;
  for (int i = 0; i < dim; i++) trm_read_formula(reader, node->items[i], &values[i]);
}

static void read_force_of_load(trm_reader *reader, trm_yaml *node, void *target) {
  read_components(reader, node, ((trm_force_def *)target)->value);
}

static void read_torque(trm_reader *reader, trm_yaml *node, void *target) {
  trm_force_def *force = target;
  if (reader->model->space == TRM_SPATIAL)
    read_components(reader, node, force->torque);
  else
    trm_read_formula(reader, node, &force->torque[2]);
}

static void read_value(trm_reader *reader, trm_yaml *node, void *target) {
  trm_force_def *force = target;
  bool torque = force->type == TRM_FORCE_TORQUE, spatial = reader->model->space == TRM_SPATIAL;
  if (force->type == TRM_FORCE_FORCE || (torque && spatial))
    read_components(reader, node, force->value);
  else
    trm_read_formula(reader, node, &force->value[torque ? 2 : 0]);
}

static void read_frame(trm_reader *reader, trm_yaml *node, void *target) {
  static const char *const frames[] = {"global", "body"};
  trm_force_def *force = target;
  const char *frame = NULL;
  char hint[100];
  if (!trm_read_text(reader, node, "global or body", &frame)) return;
  force->body_frame = strcmp(frame, "body") == 0;
  if (force->body_frame || strcmp(frame, "global") == 0) return;
  trm_read_suggest(reader, frame, frames, 2, hint, sizeof hint);
  trm_read_error(reader, node, "unknown frame '%.60s'%s", frame,
                 hint[0] ? hint : "; it is global or body");
}

/* A bushing's diagonal, or its whole matrix by rows. */
static void read_matrix(trm_reader *reader, trm_yaml *node, double *matrix) {
  int n = reader->model->space == TRM_PLANAR ? 3 : 6;
  double diagonal[6];
  if (node->kind != TRM_YAML_LIST || node->count != n) {
    trm_read_error(reader, node, "expected %d numbers or %d rows of %d, found %s", n, n, n,
                   node->kind == TRM_YAML_LIST ? "another count" : trm_yaml_kind_name(node));
  } else if (node->items[0]->kind == TRM_YAML_LIST) {
    for (int i = 0; i < n; i++)
      if (!trm_read_vector(reader, node->items[i], n, &matrix[(size_t)i * (size_t)n]))
        node->bad = true;
  } else if (trm_read_vector(reader, node, n, diagonal)) {
    for (int i = 0; i < n; i++) matrix[i * (n + 1)] = diagonal[i];
  }
}

static void read_stiffness(trm_reader *reader, trm_yaml *node, void *target) {
  trm_force_def *force = target;
  if (force->type == TRM_FORCE_BUSHING)
    read_matrix(reader, node, force->bushing_stiffness);
  else
    trm_read_formula(reader, node, &force->stiffness);
}

static void read_damping(trm_reader *reader, trm_yaml *node, void *target) {
  trm_force_def *force = target;
  if (force->type == TRM_FORCE_BUSHING)
    read_matrix(reader, node, force->bushing_damping);
  else
    trm_read_formula(reader, node, &force->damping);
}

static void read_preload(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_vector(reader, node, reader->model->space == TRM_PLANAR ? 3 : 6,
                  ((trm_force_def *)target)->preload);
}

static void read_axis(trm_reader *reader, trm_yaml *node, void *target) {
  trm_force_def *force = target;
  if (reader->model->space == TRM_PLANAR) {
    trm_read_error(reader, node, "in the plane everything turns about z: there is no axis to give");
    return;
  }
  force->axis_given = true;
  if (!trm_read_direction(reader, node, 3, force->axis)) force->axis[0] = 1;
}

static void read_orientation(trm_reader *reader, trm_yaml *node, void *target) {
  if (reader->model->space == TRM_PLANAR)
    trm_read_error(reader, node, "only bushings in space have an orientation of their own");
  else
    trm_read_orientation(reader, node, ((trm_force_def *)target)->orientation);
}

static void read_free(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_formula(reader, node, &((trm_force_def *)target)->free);
}

static void read_centre(trm_reader *reader, trm_yaml *node, void *target) {
  trm_read_text(reader, node, "the name of a point of the wheel",
                &((trm_force_def *)target)->centre);
}

static void read_file(trm_reader *reader, trm_yaml *node, void *target) {
  trm_force_def *force = target;
  if (trm_read_text(reader, node, "the name of a tire's property file", &force->file) &&
      !force->file[0])
    trm_read_error(reader, node, "the name of the file is empty");
}

static void read_side(trm_reader *reader, trm_yaml *node, void *target) {
  static const char *const sides[] = {"left", "right"};
  trm_force_def *force = target;
  const char *side = NULL;
  char hint[100];
  if (!trm_read_text(reader, node, "left or right", &side)) return;
  force->side = strcmp(side, "right") == 0 ? TRM_TIRE_RIGHT : TRM_TIRE_LEFT;
  if (force->side == TRM_TIRE_RIGHT || strcmp(side, "left") == 0) return;
  trm_read_suggest(reader, side, sides, 2, hint, sizeof hint);
  trm_read_error(reader, node, "unknown side '%.60s'%s", side,
                 hint[0] ? hint : "; it is left or right");
}

static void read_scale(trm_reader *reader, trm_yaml *node, void *target) {
  trm_force_def *force = target;
  if (!trm_read_map(reader, node, "scaling coefficients of the tire, {LKY: 1.1} say")) return;
  const char **names = TRM_NEW(reader->document.arena, const char *, node->count + 1);
  double *scales = TRM_NEW(reader->document.arena, double, node->count + 1);
  if (!names || !scales) {
    reader->no_memory = true;
    return;
  }
  for (int k = 0; k < node->count; k++) {
    names[k] = node->pairs[k].key->text;
    if (!trm_read_number(reader, node->pairs[k].value, &scales[k])) scales[k] = 1;
  }
  force->scale_count = node->count;
  force->scale_names = names;
  force->scales = scales;
}

static const trm_field fields[] = {
    {"type", NULL, LOADS | CONNECTED | TIRE, 0},
    {"point", read_point, FORCE, FORCE},
    {"body", read_body, TORQUE, TORQUE},
    {"connect", read_connect, CONNECTED, SPRING | BUSHING | LOAD},
    {"at", read_at, CONNECTED, 0},
    {"of", read_of, ACTUATOR | TORSION, 0},
    {"force", read_force_of_load, LOAD, 0},
    {"torque", read_torque, LOAD, 0},
    {"value", read_value, LOADS | ACTUATOR, LOADS | ACTUATOR},
    {"frame", read_frame, LOADS, 0},
    {"axis", read_axis, TORSION | TIRE, 0},
    {"wheel", read_body, TIRE, TIRE},
    {"centre", read_centre, TIRE, 0},
    {"file", read_file, TIRE, TIRE},
    {"side", read_side, TIRE, TIRE},
    {"scale", read_scale, TIRE, 0},
    {"stiffness", read_stiffness, SPRINGS | BUSHING, 0},
    {"damping", read_damping, SPRINGS | BUSHING, 0},
    {"length", read_free, SPRING, 0},
    {"angle", read_free, TORSION, 0},
    {"preload", read_preload, BUSHING, 0},
    {"orientation", read_orientation, BUSHING, 0},
};
static const trm_schema schema = {fields, sizeof fields / sizeof *fields, type_name, "type "};

static void check_bushing(trm_reader *reader, const trm_yaml_pair *pair) {
  if (trm_yaml_get(pair->value, "stiffness", 9) || trm_yaml_get(pair->value, "damping", 7)) return;
  if (!pair->value->bad)
    trm_read_error(reader, pair->key, "a bushing needs stiffness, damping or both");
}

/* What a force without a readable type would act on is unknown: it is declared as one that has all
 * measures, so that what names it is no error too; the builder's complaints about it are dropped.
 */
static void read_force(trm_reader *reader, const trm_yaml_pair *pair) {
  trm_force_def force = trm_default_force();
  force.name = reader->name = pair->key->text;
  int type = trm_read_type(reader, pair, type_name, NULL);
  force.type = type >= 0 ? (trm_force_type)type : TRM_FORCE_SPRING_DAMPER;
  if (type >= 0) {
    trm_read_fields(reader, pair, &schema, type, &force);
    if (type == TRM_FORCE_BUSHING) check_bushing(reader, pair);
  } else {
    const trm_yaml_pair *connect = trm_yaml_get(pair->value, "connect", 7);
    if (connect) read_connect(reader, connect->value, &force);
  }
  trm_part_force(reader, &force);
  trm_model_add_force(reader->model, &force);
}

void trm_read_forces(trm_reader *reader, trm_yaml *section) {
  reader->key = "forces";
  if (!trm_read_map(reader, section, "forces")) return;
  reader->kind = "force";
  reader->key = NULL;
  trm_read_entries(reader, section, read_force);
  reader->kind = reader->name = NULL;
}
