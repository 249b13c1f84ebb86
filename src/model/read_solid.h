/* What a body is made of, while it is read. Internal to read_body.c and read_solid.c. */
#ifndef TRM_MODEL_READ_SOLID_H
#define TRM_MODEL_READ_SOLID_H

#include "model/read_parts.h"
#include "model/shape_mass.h"

typedef struct trm_named_point {
  const char *name;
  double at[3]; /* in the body's own axes */
} trm_named_point;

typedef struct trm_body_reading {
  trm_body_def def; /* first: the readers of its keys know only this */
  trm_yaml *mass, *inertia, *density, *com, *shape, *section, *bar, *length, *at,
      *position; /* keys, or NULL */
  double density_value, bar_length;
  bool automatic; /* inertia: auto */
  trm_section profile;
  int point_count;
  trm_named_point *points;
} trm_body_reading;

void trm_read_section(trm_reader *reader, trm_yaml *node, void *target);
/* read_bar.c: the pose, the points and the shape of a bar, then points given globally. */
void trm_read_pose(trm_reader *reader, trm_body_reading *body);
/* After all keys: mass, centre and inertia from the shape, or that one is missing. */
void trm_read_solid(trm_reader *reader, const trm_yaml_pair *entry, trm_body_reading *body);
/* Keeps a point of the body's own axes. */
void trm_read_keep_point(trm_reader *reader, trm_body_reading *body, const char *name,
                         const double at[3]);

#endif
