/* The units of a property file, under the names that vendors use. */
#include <string.h>
#include <strings.h>

#include "tire/read.h"

typedef struct unit {
  const char *name;
  double si;
} unit;

static const unit lengths[] = {{"meter", 1},
                               {"metre", 1},
                               {"meters", 1},
                               {"m", 1},
                               {"mm", 1e-3},
                               {"cm", 1e-2},
                               {"km", 1e3},
                               {"millimeter", 1e-3},
                               {"millimetre", 1e-3},
                               {"centimeter", 1e-2},
                               {"kilometer", 1e3},
                               {"inch", 0.0254},
                               {"in", 0.0254},
                               {"foot", 0.3048},
                               {"feet", 0.3048},
                               {"ft", 0.3048},
                               {NULL, 0}};
static const unit forces[] = {{"newton", 1},
                              {"newtons", 1},
                              {"n", 1},
                              {"kilonewton", 1e3},
                              {"knewton", 1e3},
                              {"kn", 1e3},
                              {"pound_force", 4.4482216152605},
                              {"lbf", 4.4482216152605},
                              {"kg_force", 9.80665},
                              {"kgf", 9.80665},
                              {NULL, 0}};
static const unit angles[] = {{"radians", 1},
                              {"radian", 1},
                              {"rad", 1},
                              {"degrees", 0.017453292519943295},
                              {"degree", 0.017453292519943295},
                              {"deg", 0.017453292519943295},
                              {NULL, 0}};
static const unit masses[] = {{"kg", 1},
                              {"kilogram", 1},
                              {"gram", 1e-3},
                              {"g", 1e-3},
                              {"tonne", 1e3},
                              {"megagram", 1e3},
                              {"pound_mass", 0.45359237},
                              {"lbm", 0.45359237},
                              {"slug", 14.593902937206364},
                              {NULL, 0}};
static const unit times[] = {{"second", 1},         {"seconds", 1}, {"sec", 1},     {"s", 1},
                             {"millisecond", 1e-3}, {"ms", 1e-3},   {"minute", 60}, {"min", 60},
                             {"hour", 3600},        {"h", 3600},    {NULL, 0}};

static double find(const unit *units, const char *name) {
  for (; units->name; units++)
    if (strcasecmp(units->name, name) == 0) return units->si;
  return 0;
}

bool trm_tir_unit(trm_tir_units *units, const trm_tir_reader *reader, const trm_tir_line *line) {
  const struct {
    const char *key, *examples;
    const unit *table;
    double *factor;
  } known[] = {
      {"LENGTH", "'meter', 'mm', 'inch'", lengths, &units->length},
      {"FORCE", "'newton', 'kN', 'pound_force'", forces, &units->force},
      {"ANGLE", "'radians', 'degrees'", angles, &units->angle},
      {"MASS", "'kg', 'gram', 'pound_mass'", masses, &units->mass},
      {"TIME", "'second', 'millisecond'", times, &units->time},
  };
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (strcmp(line->name, known[k].key) != 0) continue;
    double factor = find(known[k].table, line->text);
    if (factor > 0)
      *known[k].factor = factor;
    else
      trm_report_place(reader->diagnostics, TRM_ERROR, trm_tir_place(reader, line->column),
                       "%s: unknown unit '%s'; %s are known", line->name, line->text,
                       known[k].examples);
    return true;
  }
  return false;
}

double trm_tir_factor(const trm_tir_units *u, trm_tire_unit kind) {
  switch (kind) {
  case UNIT_LENGTH: return u->length;
  case UNIT_FORCE: return u->force;
  case UNIT_STIFFNESS: return u->force / u->length;
  case UNIT_DAMPING: return u->force * u->time / u->length;
  case UNIT_SPEED: return u->length / u->time;
  case UNIT_ANGLE: return u->angle;
  case UNIT_NONE: break;
  }
  return 1;
}
