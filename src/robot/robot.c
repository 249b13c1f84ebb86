/* Lists of a robot, what is said about it, and finding by name. */
#define _POSIX_C_SOURCE 200809L
#include "robot/robot.h"

#include <stdarg.h>
#include <string.h>

/* A zeroed entry more; an arena has no realloc, so the list doubles. */
static void *extend(trm_robot *robot, void *list, int *count, int *room, size_t size) {
  char **entries = list;
  if (*count == *room) {
    int wanted = *room ? 2 * *room : 16;
    char *grown = trm_arena_alloc(robot->arena, (size_t)wanted, size);
    if (!grown) {
      robot->no_memory = true;
      return NULL;
    }
    if (*count > 0) memcpy(grown, *entries, (size_t)*count * size);
    *entries = grown;
    *room = wanted;
  }
  char *entry = *entries + (size_t)(*count)++ * size;
  memset(entry, 0, size); /* one that was given up may have stood there */
  return entry;
}

#define EXTEND_IN(robot, owner, list, plural)                                                      \
  extend(robot, &(owner)->plural, &(owner)->list##_count, &(owner)->list##_room,                   \
         sizeof *(owner)->plural)
#define EXTEND(robot, list, plural) EXTEND_IN(robot, robot, list, plural)

trm_robot_body *trm_robot_add_body(trm_robot *robot, const char *name, const trm_xml *at) {
  trm_robot_body *body = EXTEND(robot, body, bodies);
  if (!body) return NULL;
  body->name = name;
  body->at = at;
  body->pose = trm_robot_identity();
  body->gravity = 1;
  body->fixed_to = robot->body_count - 1;
  return body;
}

trm_robot_joint *trm_robot_add_joint(trm_robot *robot, const char *name, const trm_xml *at) {
  trm_robot_joint *joint = EXTEND(robot, joint, joints);
  if (!joint) return NULL;
  joint->name = name;
  joint->at = at;
  return joint;
}

trm_robot_coupling *trm_robot_add_coupling(trm_robot *robot, const char *name, const trm_xml *at) {
  trm_robot_coupling *coupling = EXTEND(robot, coupling, couplings);
  if (!coupling) return NULL;
  coupling->name = name;
  coupling->at = at;
  return coupling;
}

trm_robot_tendon *trm_robot_add_tendon(trm_robot *robot, const char *name, const trm_xml *at) {
  trm_robot_tendon *tendon = EXTEND(robot, tendon, tendons);
  if (!tendon) return NULL;
  tendon->name = name;
  tendon->at = at;
  return tendon;
}

trm_robot_segment *trm_robot_add_segment(trm_robot *robot, trm_robot_tendon *tendon) {
  return EXTEND_IN(robot, tendon, segment, segments);
}

trm_robot_site *trm_robot_add_site(trm_robot *robot, const char *name, const trm_xml *at) {
  trm_robot_site *site = EXTEND(robot, site, sites);
  if (!site) return NULL;
  site->name = name;
  site->at = at;
  return site;
}

void trm_robot_add_term(trm_robot *robot, trm_robot_sum *sum, int joint, double factor) {
  trm_robot_term *term = NULL;
  for (int i = 0; i < sum->term_count; i++)
    if (sum->terms[i].joint == joint) term = &sum->terms[i];
  if (!term && !(term = EXTEND_IN(robot, sum, term, terms))) return;
  term->joint = joint;
  term->factor += factor;
}

void trm_robot_follow(trm_robot *robot, trm_robot_coupling *coupling, int second, int first,
                      double ratio) {
  trm_robot_add_term(robot, &coupling->sum, second, 1);
  trm_robot_add_term(robot, &coupling->sum, first, -ratio);
}

trm_robot_actuator *trm_robot_add_actuator(trm_robot *robot, const char *name, const trm_xml *at) {
  trm_robot_actuator *actuator = EXTEND(robot, actuator, actuators);
  if (!actuator) return NULL;
  actuator->name = name;
  actuator->at = at;
  actuator->joint = actuator->tendon = -1;
  return actuator;
}

char trm_robot_printable(char c) {
  return (unsigned char)c < ' ' || c == 127 ? ' ' : c;
}

static void print(char *text, size_t size, const char *format, va_list arguments) {
  bool cut = vsnprintf(text, size, format, arguments) >= (int)size;
  for (size_t n = strlen(text); cut && n > 0 && (text[n - 1] & 0x80); n--)
    text[n - 1] = '\0'; /* no half of a character */
  for (char *c = text; *c; c++) *c = trm_robot_printable(*c);
}

void trm_robot_note(trm_robot *robot, const trm_xml *at, const char *format, ...) {
  char text[512], line[800];
  va_list arguments;
  va_start(arguments, format);
  print(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *slash = at ? strrchr(at->file, '/') : NULL;
  if (at)
    snprintf(line, sizeof line, "%.200s:%d: %s", slash ? slash + 1 : at->file, at->line, text);
  else
    snprintf(line, sizeof line, "%s", text);
  const char **note = EXTEND(robot, note, notes);
  if (note && !(*note = trm_arena_string(robot->arena, line))) robot->no_memory = true;
  if (robot->no_memory) return;
  if (at)
    trm_report_place(robot->diagnostics, TRM_WARNING, trm_xml_place(at), "%s", text);
  else
    trm_report(robot->diagnostics, TRM_WARNING, "%s", text);
}

void trm_robot_note_dropped(trm_robot *robot, const trm_xml *at, const char *kind,
                            const char *name) {
  bool named = name && *name;
  trm_robot_note(robot, at, named ? "%s '%s' is not taken over" : "%s%s is not taken over", kind,
                 named ? name : "");
}

void trm_robot_error(trm_robot *robot, const trm_xml *at, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  print(text, sizeof text, format, arguments);
  va_end(arguments);
  if (at)
    trm_report_place(robot->diagnostics, TRM_ERROR, trm_xml_place(at), "%s", text);
  else
    trm_report(robot->diagnostics, TRM_ERROR, "%s", text);
}

bool trm_robot_vector(trm_robot *robot, const trm_xml *at, const char *name, const char *text,
                      int count, double *values) {
  double found[16];
  if (!text) return false;
  int given = trm_xml_numbers(text, count, found);
  if (given == count) {
    memcpy(values, found, (size_t)count * sizeof *values);
    return true;
  }
  trm_robot_error(robot, at, "%s: it must be %d number%s, not '%.60s'", name, count,
                  count == 1 ? "" : "s", text);
  return false;
}

int trm_robot_find_body(const trm_robot *robot, const char *name) {
  for (int i = 0; name && i < robot->body_count; i++)
    if (!robot->bodies[i].filler && strcmp(robot->bodies[i].name, name) == 0) return i;
  return -2;
}

int trm_robot_find_joint(const trm_robot *robot, const char *name) {
  for (int i = 0; name && i < robot->joint_count; i++)
    if (strcmp(robot->joints[i].name, name) == 0) return i;
  return -1;
}
