/* Units behind numbers: 3 mm, 45 deg, 2 N/mm^2. */
#ifndef TRM_EXPRESSION_UNIT_H
#define TRM_EXPRESSION_UNIT_H

#include <stdbool.h>
#include <stddef.h>

/* The units of length and mass that a model is written in, in metres and kilograms; its time is in
 * seconds. */
typedef struct trm_units {
  const char *name;
  double length, mass;
} trm_units;

typedef struct trm_dimension {
  int length, mass, time;
} trm_dimension;

const trm_units *trm_units_get(int index); /* NULL behind the last; the first is SI */

/* Length of the unit that `text` starts with, units joined by * / ^ without blanks; 0: none. */
size_t trm_unit_length(const char *text);

/* The next single unit in it from *at on; false behind the last. */
bool trm_unit_next(const char *text, size_t length, size_t *at, size_t *end);

/* A unit that may have been meant, or NULL. */
const char *trm_unit_nearest(const char *word);

/* What a unit is in those of a model. */
double trm_unit_value(const char *text, size_t length, const trm_units *units);
trm_dimension trm_unit_dimension(const char *text, size_t length);

#endif
