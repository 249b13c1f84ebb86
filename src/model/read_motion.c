/* A motion from outside the file: "drivers.MEASURE=FILE.csv" among the overrides. */
#include "model/read_include.h"

#include <stdio.h>
#include <string.h>

static const char start[] = "drivers.";

bool trm_read_is_motion(const char *override) {
  return strncmp(override, start, strlen(start)) == 0 && strchr(override, '=');
}

static void report(trm_reader *reader, const char *override, const char *message) {
  reader->wrong_usage = true;
  trm_report(reader->diagnostics, TRM_ERROR, "motion %.100s: %s", override + strlen(start),
             message);
}

static trm_symbol look_up(void *context, const char *name, size_t length) {
  (void)context;
  if (length == 1 && name[0] == 't') return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 0};
  return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
}

static char *new_text(trm_reader *reader, size_t room) {
  char *text = trm_arena_alloc(reader->document.arena, room, 1);
  if (!text) reader->no_memory = true;
  return text;
}

static void add_driver(trm_reader *reader, const char *override) {
  const char *measure = override + strlen(start), *equals = strchr(measure, '=');
  int length = (int)(equals - measure);
  size_t room = strlen(override) + 40;
  char *name = new_text(reader, room), *of = new_text(reader, room), *law = new_text(reader, room);
  trm_expression_error error;
  if (!name || !of || !law) return;
  snprintf(of, room, "%.*s", length, measure);
  snprintf(name, room, "drive_%s", of);
  for (char *c = name; *c; c++)
    if (*c == '.') *c = '_';
  snprintf(law, room, "table(t, \"%s\", \"%s\", \"quintic\")", equals + 1, of);
  trm_expression *formula =
      trm_expression_take(reader->shelf, law, look_up, NULL, reader->folder, &error);
  trm_expression_destroy(formula);
  if (!formula) {
    report(reader, override, error.message);
    return;
  }
  trm_joint_def joint = trm_default_joint();
  joint.name = name;
  joint.type = TRM_JOINT_DRIVER;
  joint.of = of;
  joint.value = trm_formula(law);
  trm_model_add_joint(reader->model, &joint);
}

void trm_read_motion(trm_reader *reader) {
  for (int i = 0; reader->overrides && reader->overrides[i]; i++)
    if (trm_read_is_motion(reader->overrides[i])) add_driver(reader, reader->overrides[i]);
}
