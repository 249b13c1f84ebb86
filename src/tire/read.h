/* A property file on its way to a tire: lines, sections, keys, units. */
#ifndef TRM_TIRE_READ_H
#define TRM_TIRE_READ_H

#include "base/diagnostics.h"
#include "tire/tire.h"

typedef enum trm_tire_unit {
  UNIT_NONE,
  UNIT_LENGTH,
  UNIT_FORCE,
  UNIT_STIFFNESS,
  UNIT_DAMPING,
  UNIT_SPEED,
  UNIT_ANGLE
} trm_tire_unit;

/* --- lines.c --- */

typedef enum trm_tir_kind { TIR_SECTION, TIR_KEY, TIR_ROW } trm_tir_kind;

typedef struct trm_tir_line {
  trm_tir_kind kind;
  char name[64];     /* of the section or key, upper case */
  bool quoted;       /* the value is a text */
  char text[256];    /* the value as it stands, without quotes */
  double numbers[2]; /* of a key (one) or a row of a table */
  int count;
  int column; /* of the value, for messages */
} trm_tir_line;

typedef struct trm_tir_reader {
  const char *file, *text; /* text ends with NUL */
  const char *line, *next;
  int number; /* of the line */
  trm_diagnostics *diagnostics;
} trm_tir_reader;

/* The next line that says something; false at the end. What is no such line is reported. */
bool trm_tir_next(trm_tir_reader *reader, trm_tir_line *line);
trm_place trm_tir_place(const trm_tir_reader *reader, int column);

/* --- units.c --- */

typedef struct trm_tir_units {
  double length, force, angle, mass, time; /* in SI units */
} trm_tir_units;

/* Takes one line of [UNITS]; reports what it does not know. False: it is no such key. */
bool trm_tir_unit(trm_tir_units *units, const trm_tir_reader *reader, const trm_tir_line *line);
double trm_tir_factor(const trm_tir_units *units, trm_tire_unit unit);

#endif
