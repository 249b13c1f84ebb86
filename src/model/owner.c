/* What can be asked for by name, under bodies, points, joints, forces and the whole mechanism. */
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "model/owner.h"
#include "tire/wheel.h"

/* The order is that of the columns a selection gives. */
static const trm_measure_field planar_body_fields[] = {
    {"x", TRM_MEASURE_POINT, 0, 0},     {"y", TRM_MEASURE_POINT, 1, 0},
    {"angle", TRM_MEASURE_ANGLE, 0, 0}, {"vx", TRM_MEASURE_POINT, 0, 1},
    {"vy", TRM_MEASURE_POINT, 1, 1},    {"omega", TRM_MEASURE_ANGLE, 0, 1},
    {"ax", TRM_MEASURE_POINT, 0, 2},    {"ay", TRM_MEASURE_POINT, 1, 2},
    {"alpha", TRM_MEASURE_ANGLE, 0, 2},
};
static const trm_measure_field body_fields[] = {
    {"x", TRM_MEASURE_POINT, 0, 0},
    {"y", TRM_MEASURE_POINT, 1, 0},
    {"z", TRM_MEASURE_POINT, 2, 0},
    {"qw", TRM_MEASURE_ORIENTATION, 0, 0},
    {"qx", TRM_MEASURE_ORIENTATION, 1, 0},
    {"qy", TRM_MEASURE_ORIENTATION, 2, 0},
    {"qz", TRM_MEASURE_ORIENTATION, 3, 0},
    {"vx", TRM_MEASURE_POINT, 0, 1},
    {"vy", TRM_MEASURE_POINT, 1, 1},
    {"vz", TRM_MEASURE_POINT, 2, 1},
    {"wx", TRM_MEASURE_ORIENTATION, 0, 1},
    {"wy", TRM_MEASURE_ORIENTATION, 1, 1},
    {"wz", TRM_MEASURE_ORIENTATION, 2, 1},
    {"ax", TRM_MEASURE_POINT, 0, 2},
    {"ay", TRM_MEASURE_POINT, 1, 2},
    {"az", TRM_MEASURE_POINT, 2, 2},
    {"alphax", TRM_MEASURE_ORIENTATION, 0, 2},
    {"alphay", TRM_MEASURE_ORIENTATION, 1, 2},
    {"alphaz", TRM_MEASURE_ORIENTATION, 2, 2},
};
/* in the body's own axes, and in the frame that turns with its yaw only */
static const trm_measure_field planar_frame_fields[] = {
    {"u", TRM_MEASURE_BODY_AXES, 0, 1},
    {"v", TRM_MEASURE_BODY_AXES, 1, 1},
    {"aX", TRM_MEASURE_BODY_AXES, 0, 2},
    {"aY", TRM_MEASURE_BODY_AXES, 1, 2},
};
static const trm_measure_field frame_fields[] = {
    {"roll", TRM_MEASURE_CARDAN, 0, 0},  {"pitch", TRM_MEASURE_CARDAN, 1, 0},
    {"yaw", TRM_MEASURE_CARDAN, 2, 0},   {"u", TRM_MEASURE_BODY_AXES, 0, 1},
    {"v", TRM_MEASURE_BODY_AXES, 1, 1},  {"w", TRM_MEASURE_BODY_AXES, 2, 1},
    {"p", TRM_MEASURE_BODY_AXES, 3, 1},  {"q", TRM_MEASURE_BODY_AXES, 4, 1},
    {"r", TRM_MEASURE_BODY_AXES, 5, 1},  {"aX", TRM_MEASURE_BODY_AXES, 0, 2},
    {"aY", TRM_MEASURE_BODY_AXES, 1, 2}, {"aZ", TRM_MEASURE_BODY_AXES, 2, 2},
    {"uh", TRM_MEASURE_HEADING, 0, 1},   {"vh", TRM_MEASURE_HEADING, 1, 1},
    {"axh", TRM_MEASURE_HEADING, 0, 2},  {"ayh", TRM_MEASURE_HEADING, 1, 2},
};
static const trm_measure_field kinetic_fields[] = {{"kinetic", TRM_MEASURE_KINETIC, 0, 2}};
/* of a planar model in space: what its formulas and outputs name */
static const trm_measure_field embedded_fields[] = {{"angle", TRM_MEASURE_ANGLE, 0, 0},
                                                    {"omega", TRM_MEASURE_ANGLE, 0, 1},
                                                    {"alpha", TRM_MEASURE_ANGLE, 0, 2}};
static const trm_measure_field planar_point_fields[] = {
    {"x", TRM_MEASURE_POINT, 0, 0},  {"y", TRM_MEASURE_POINT, 1, 0},
    {"vx", TRM_MEASURE_POINT, 0, 1}, {"vy", TRM_MEASURE_POINT, 1, 1},
    {"ax", TRM_MEASURE_POINT, 0, 2}, {"ay", TRM_MEASURE_POINT, 1, 2},
};
static const trm_measure_field point_fields[] = {
    {"x", TRM_MEASURE_POINT, 0, 0},  {"y", TRM_MEASURE_POINT, 1, 0},
    {"z", TRM_MEASURE_POINT, 2, 0},  {"vx", TRM_MEASURE_POINT, 0, 1},
    {"vy", TRM_MEASURE_POINT, 1, 1}, {"vz", TRM_MEASURE_POINT, 2, 1},
    {"ax", TRM_MEASURE_POINT, 0, 2}, {"ay", TRM_MEASURE_POINT, 1, 2},
    {"az", TRM_MEASURE_POINT, 2, 2},
};
static const trm_measure_field angle_fields[] = {{"angle", TRM_MEASURE_FREEDOM, 0, 0},
                                                 {"rate", TRM_MEASURE_FREEDOM, 0, 1}};
static const trm_measure_field displacement_fields[] = {{"displacement", TRM_MEASURE_FREEDOM, 1, 0},
                                                        {"speed", TRM_MEASURE_FREEDOM, 1, 1}};
static const trm_measure_field planar_reaction_fields[] = {{"fx", TRM_MEASURE_REACTION, 0, 2},
                                                           {"fy", TRM_MEASURE_REACTION, 1, 2},
                                                           {"tz", TRM_MEASURE_REACTION, 5, 2}};
static const trm_measure_field reaction_fields[] = {
    {"fx", TRM_MEASURE_REACTION, 0, 2}, {"fy", TRM_MEASURE_REACTION, 1, 2},
    {"fz", TRM_MEASURE_REACTION, 2, 2}, {"tx", TRM_MEASURE_REACTION, 3, 2},
    {"ty", TRM_MEASURE_REACTION, 4, 2}, {"tz", TRM_MEASURE_REACTION, 5, 2},
};
static const trm_measure_field magnitude_fields[] = {{"f", TRM_MEASURE_REACTION, 6, 2},
                                                     {"t", TRM_MEASURE_REACTION, 7, 2}};
static const trm_measure_field effort_fields[] = {{"effort", TRM_MEASURE_EFFORT, 0, 2}};
static const trm_measure_field line_fields[] = {{"length", TRM_MEASURE_ELEMENT, 0, 0},
                                                {"rate", TRM_MEASURE_ELEMENT, 0, 1},
                                                {"force", TRM_MEASURE_ELEMENT, 0, 2}};
static const trm_measure_field turn_fields[] = {{"angle", TRM_MEASURE_ELEMENT, 0, 0},
                                                {"rate", TRM_MEASURE_ELEMENT, 0, 1},
                                                {"torque", TRM_MEASURE_ELEMENT, 0, 2}};
static const trm_measure_field planar_applied_force_fields[] = {{"fx", TRM_MEASURE_WRENCH, 0, 2},
                                                                {"fy", TRM_MEASURE_WRENCH, 1, 2}};
static const trm_measure_field applied_force_fields[] = {{"fx", TRM_MEASURE_WRENCH, 0, 2},
                                                         {"fy", TRM_MEASURE_WRENCH, 1, 2},
                                                         {"fz", TRM_MEASURE_WRENCH, 2, 2}};
static const trm_measure_field planar_applied_torque_fields[] = {{"tz", TRM_MEASURE_WRENCH, 5, 2}};
static const trm_measure_field applied_torque_fields[] = {{"tx", TRM_MEASURE_WRENCH, 3, 2},
                                                          {"ty", TRM_MEASURE_WRENCH, 4, 2},
                                                          {"tz", TRM_MEASURE_WRENCH, 5, 2}};
static const trm_measure_field planar_deflection_fields[] = {{"ux", TRM_MEASURE_DEFLECTION, 0, 0},
                                                             {"uy", TRM_MEASURE_DEFLECTION, 1, 0},
                                                             {"rz", TRM_MEASURE_DEFLECTION, 5, 0}};
static const trm_measure_field deflection_fields[] = {
    {"ux", TRM_MEASURE_DEFLECTION, 0, 0}, {"uy", TRM_MEASURE_DEFLECTION, 1, 0},
    {"uz", TRM_MEASURE_DEFLECTION, 2, 0}, {"rx", TRM_MEASURE_DEFLECTION, 3, 0},
    {"ry", TRM_MEASURE_DEFLECTION, 4, 0}, {"rz", TRM_MEASURE_DEFLECTION, 5, 0},
};
static const trm_measure_field power_fields[] = {{"power", TRM_MEASURE_POWER, 0, 2}};
static const trm_measure_field stored_fields[] = {{"energy", TRM_MEASURE_POWER, 1, 2}};
/* what a tire does hangs on positions, velocities and its states: of the level of velocities */
static const trm_measure_field tire_fields[] = {
    {"fx", TRM_MEASURE_TIRE, TRM_WHEEL_FX, 1},
    {"fy", TRM_MEASURE_TIRE, TRM_WHEEL_FY, 1},
    {"fz", TRM_MEASURE_TIRE, TRM_WHEEL_FZ, 1},
    {"mx", TRM_MEASURE_TIRE, TRM_WHEEL_MX, 1},
    {"my", TRM_MEASURE_TIRE, TRM_WHEEL_MY, 1},
    {"mz", TRM_MEASURE_TIRE, TRM_WHEEL_MZ, 1},
    {"kappa", TRM_MEASURE_TIRE, TRM_WHEEL_KAPPA, 1},
    {"alpha", TRM_MEASURE_TIRE, TRM_WHEEL_ALPHA, 1},
    {"gamma", TRM_MEASURE_TIRE, TRM_WHEEL_GAMMA, 1},
    {"deflection", TRM_MEASURE_TIRE, TRM_WHEEL_DEFLECTION, 1},
    {"speed", TRM_MEASURE_TIRE, TRM_WHEEL_SPEED, 1},
    {"x", TRM_MEASURE_TIRE, TRM_WHEEL_X, 1},
    {"y", TRM_MEASURE_TIRE, TRM_WHEEL_Y, 1},
    {"z", TRM_MEASURE_TIRE, TRM_WHEEL_Z, 1},
};
/* energies are not for formulas, so their level is that of forces */
static const trm_measure_field energy_fields[] = {
    {"kinetic", TRM_MEASURE_ENERGY, 0, 2}, {"potential", TRM_MEASURE_ENERGY, 1, 2},
    {"total", TRM_MEASURE_ENERGY, 2, 2},   {"work", TRM_MEASURE_ENERGY, 3, 2},
    {"error", TRM_MEASURE_ENERGY, 4, 2},
};
static const trm_measure_field planar_momentum_fields[] = {{"px", TRM_MEASURE_MOMENTUM, 0, 1},
                                                           {"py", TRM_MEASURE_MOMENTUM, 1, 1},
                                                           {"lz", TRM_MEASURE_MOMENTUM, 5, 1}};
static const trm_measure_field momentum_fields[] = {
    {"px", TRM_MEASURE_MOMENTUM, 0, 1}, {"py", TRM_MEASURE_MOMENTUM, 1, 1},
    {"pz", TRM_MEASURE_MOMENTUM, 2, 1}, {"lx", TRM_MEASURE_MOMENTUM, 3, 1},
    {"ly", TRM_MEASURE_MOMENTUM, 4, 1}, {"lz", TRM_MEASURE_MOMENTUM, 5, 1},
};
static const trm_measure_field event_fields[] = {{"count", TRM_MEASURE_EVENT, 0, 1},
                                                 {"time", TRM_MEASURE_EVENT, 1, 1}};
static const trm_measure_field constraint_fields[] = {{"position", TRM_MEASURE_CONSTRAINT, 0, 2},
                                                      {"velocity", TRM_MEASURE_CONSTRAINT, 1, 2}};

#define GROUP(fields)                                                                              \
  (trm_measure_group) {                                                                            \
    fields, (int)(sizeof fields / sizeof *fields)                                                  \
  }

/* What differs between the plane and space. */
#define GROUP_OF(model, fields)                                                                    \
  ((model)->space == TRM_PLANAR ? GROUP(planar_##fields) : GROUP(fields))

static void add_body_groups(const trm_model *model, trm_owner *o) {
  o->group[o->groups++] = GROUP_OF(model, body_fields);
  if (model->embedded) o->group[o->groups++] = GROUP(embedded_fields);
  o->group[o->groups++] = GROUP_OF(model, frame_fields);
  o->group[o->groups++] = GROUP(kinetic_fields);
}

bool trm_is_body_measure(const trm_model *model, const char *name, size_t length) {
  trm_owner o = {0};
  add_body_groups(model, &o);
  for (int g = 0; g < o.groups; g++)
    for (int i = 0; i < o.group[g].count; i++)
      if (trm_text_is(o.group[g].fields[i].name, name, length)) return true;
  return false;
}

static bool find_whole(const trm_model *model, const char *text, size_t length, trm_owner *o) {
  const struct {
    const char *name;
    trm_measure_group fields;
  } wholes[] = {
      {"energy", GROUP(energy_fields)},
      {"momentum", GROUP_OF(model, momentum_fields)},
      {"constraint", GROUP(constraint_fields)},
  };
  for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
    if (!trm_text_is(wholes[i].name, text, length)) continue;
    *o = (trm_owner){.kind = "", .name = text, .length = length, .groups = 1};
    o->group[0] = wholes[i].fields;
    return true;
  }
  return false;
}

static trm_owner owner_of_joint(const trm_model *model, int index, const char *text,
                                size_t length) {
  trm_joint_type type = model->joints[index].type;
  const char *kind = type == TRM_JOINT_SHAFT ? "shaft" : "joint";
  trm_owner o = {.kind = kind, .name = text, .length = length, .index = index};
  int freedoms = trm_model_freedoms(model, type);
  if (freedoms & 1) o.group[o.groups++] = GROUP(angle_fields);
  if (freedoms & 2) o.group[o.groups++] = GROUP(displacement_fields);
  if (trm_joint_has_effort(type)) o.group[o.groups++] = GROUP(effort_fields);
  if (!trm_model_has_reaction(model, &model->joints[index])) return o;
  o.group[o.groups++] = GROUP_OF(model, reaction_fields);
  o.group[o.groups++] = GROUP(magnitude_fields);
  return o;
}

static trm_owner owner_of_force(const trm_model *model, int index, const char *text,
                                size_t length) {
  const trm_force *force = &model->forces[index];
  trm_owner o = {.kind = "force", .name = text, .length = length, .index = index};
  trm_force_type type = force->type;
  bool both = type == TRM_FORCE_BUSHING || type == TRM_FORCE_LOAD;
  bool spring = type == TRM_FORCE_SPRING_DAMPER || type == TRM_FORCE_TORSION_SPRING_DAMPER;
  bool turns = type == TRM_FORCE_TORSION_SPRING_DAMPER ||
               (type == TRM_FORCE_ACTUATOR && force->joint >= 0 && force->freedom == 0);
  if (both || type == TRM_FORCE_FORCE) o.group[o.groups++] = GROUP_OF(model, applied_force_fields);
  if (both || type == TRM_FORCE_TORQUE)
    o.group[o.groups++] = GROUP_OF(model, applied_torque_fields);
  if (type == TRM_FORCE_TIRE) o.group[o.groups++] = GROUP(tire_fields);
  if (type == TRM_FORCE_BUSHING) o.group[o.groups++] = GROUP_OF(model, deflection_fields);
  if (o.groups == 0) o.group[o.groups++] = turns ? GROUP(turn_fields) : GROUP(line_fields);
  if (type != TRM_FORCE_TIRE) o.group[o.groups++] = GROUP(power_fields);
  if (spring || type == TRM_FORCE_BUSHING) o.group[o.groups++] = GROUP(stored_fields);
  return o;
}

trm_owner trm_owner_of_body(const trm_model *model, int index) {
  const trm_body *body = &model->bodies[index];
  trm_owner o = {.kind = "body",
                 .name = body->name,
                 .length = strlen(body->name),
                 .index = index,
                 .end = {index, {0, 0, 0}},
                 .body = body};
  add_body_groups(model, &o);
  return o;
}

trm_owner trm_owner_of_point(const trm_model *model, int body, const trm_point *point,
                             const char *text, size_t length) {
  trm_owner o = {.kind = "point", .name = text, .length = length, .index = body, .groups = 1};
  o.end = (trm_end){body, {point->u[0], point->u[1], point->u[2]}};
  o.group[0] = GROUP_OF(model, point_fields);
  return o;
}

static trm_owner owner_of_event(int index, const char *text, size_t length) {
  trm_owner o = {.kind = "event", .name = text, .length = length, .index = index, .groups = 1};
  o.group[0] = GROUP(event_fields);
  return o;
}

/* The thing a measure starts with, from one dot to the next: "rod.B.x" → the point "rod.B". */
bool trm_owner_find(const trm_model *model, const char *text, size_t length, trm_owner *o,
                    char *reason, size_t size) {
  const char *dot = memchr(text, '.', length);
  size_t first = dot ? (size_t)(dot - text) : length;
  trm_item item;
  char hint[128];
  if (find_whole(model, text, first, o)) return true;
  if (trm_text_is("ground", text, first)) {
    snprintf(reason, size, "'%.*s': ground does not move, it has no measures", (int)length, text);
    return false;
  }
  if (!trm_index_find(model, text, first, &item)) {
    trm_suggest(model, text, first, model->index->names, model->index->name_count, hint,
                sizeof hint);
    snprintf(reason, size, "unknown body, joint or force '%.*s'%s", (int)first, text, hint);
    return false;
  }
  if (item.kind == TRM_ITEM_SIGNAL || item.kind == TRM_ITEM_OUTPUT) {
    snprintf(reason, size, "'%.*s': %s '%.*s' is a measure itself%s", (int)length, text,
             trm_item_kind_name(model, item), (int)first, text,
             item.kind == TRM_ITEM_SIGNAL && model->signals[item.index].kind == TRM_SIGNAL_STATE
                 ? "; its rate has a prime behind it"
                 : ", and has no others");
    return false;
  }
  if (item.kind == TRM_ITEM_JOINT) *o = owner_of_joint(model, item.index, text, first);
  if (item.kind == TRM_ITEM_FORCE) *o = owner_of_force(model, item.index, text, first);
  if (item.kind == TRM_ITEM_EVENT) *o = owner_of_event(item.index, text, first);
  if (item.kind != TRM_ITEM_BODY) return true;
  const char *rest = text + first + 1;
  const char *next = dot ? memchr(rest, '.', length - first - 1) : NULL;
  size_t second = next ? (size_t)(next - text) : length;
  int point = dot ? trm_index_point(model, text, second) : -1;
  *o = point < 0 ? trm_owner_of_body(model, item.index)
                 : trm_owner_of_point(model, item.index, &model->bodies[item.index].points[point],
                                      text, second);
  return true;
}

/* "body 'rod'", "point 'rod.B'", "energy" */
static void describe(const trm_owner *o, char *text, size_t size) {
  snprintf(text, size, *o->kind ? "%s '%.*s'" : "%s%.*s", o->kind, (int)o->length, o->name);
}

static void list_fields(const trm_owner *o, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int g = 0; g < o->groups; g++)
    for (int i = 0; i < o->group[g].count && used < size; i++)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                               o->group[g].fields[i].name);
}

static void suggest(const trm_model *model, const trm_owner *o, const char *rest, size_t length,
                    char *hint, size_t size) {
  enum { MOST = 64 }; /* names compared: more points than that are no list to choose from */
  const char *names[MOST];
  int count = 0;
  for (int g = 0; g < o->groups; g++)
    for (int i = 0; i < o->group[g].count; i++) names[count++] = o->group[g].fields[i].name;
  for (int i = 0; o->body && i < o->body->point_count && count < MOST; i++)
    names[count++] = o->body->points[i].name;
  trm_suggest(model, rest, length, names, count, hint, size);
}

/* "angle" of a body in space: what takes its place there, or NULL. */
static const char *in_space(const trm_model *model, const trm_owner *o, const char *rest,
                            size_t length) {
  static const char *const names[][2] = {
      {"angle", "orientation is qw, qx, qy, qz"},
      {"omega", "angular velocity is wx, wy, wz"},
      {"alpha", "angular acceleration is alphax, alphay, alphaz"}};
  for (int i = 0; o->body && model->space == TRM_SPATIAL && i < 3; i++)
    if (trm_text_is(names[i][0], rest, length)) return names[i][1];
  return NULL;
}

void trm_owner_explain(const trm_model *model, const trm_owner *o, const char *rest, size_t length,
                       char *reason, size_t size) {
  char who[128], fields[256], points[256] = "", hint[128];
  describe(o, who, sizeof who);
  list_fields(o, fields, sizeof fields);
  if (o->body) trm_list_points(o->body, points, sizeof points);
  const char *instead = in_space(model, o, rest, length);
  suggest(model, o, rest, length, hint, sizeof hint);
  if (instead)
    snprintf(reason, size, "%s has no measure '%.*s'; in space its %s", who, (int)length, rest,
             instead);
  else if (o->groups == 0)
    snprintf(reason, size, "%s has no measures", who);
  else if (length == 0)
    snprintf(reason, size, "%s is no measure; its measures are %s", who, fields);
  else if (hint[0])
    snprintf(reason, size, "%s has no measure '%.*s'%s", who, (int)length, rest, hint);
  else
    snprintf(reason, size, "%s has no measure%s '%.*s'; its measures are %s%s%s", who,
             o->body ? " or point" : "", (int)length, rest, fields,
             points[0] ? "; its points are " : "", points);
}
