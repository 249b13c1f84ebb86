/* Shapes as triangles in the frame of their body, for exchange with other programs. */
#ifndef TRM_REPORT_SOLID_H
#define TRM_REPORT_SOLID_H

#include "report/film.h"

typedef struct trm_solid {
  int count, capacity; /* triangles */
  float *corners;      /* [count × 9], malloc'ed */
  bool no_memory;
} trm_solid;

/* Lines are drawn as rods of that radius. */
void trm_solid_of(const trm_scene *scene, const trm_actor *actor, double radius, trm_solid *solid);

#endif
