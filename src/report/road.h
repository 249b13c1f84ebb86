/* The road that a car has driven over, as triangles for pictures. */
#ifndef TRM_REPORT_ROAD_H
#define TRM_REPORT_ROAD_H

#include "analysis/film.h"

typedef struct trm_pavement {
  int count;      /* triangles */
  float *corners; /* [count × 9] */
} trm_pavement;

/* Empty where no tire rolls. free with trm_pavement_free. False: no memory, and empty. */
bool trm_pavement_create(trm_pavement *road, const trm_model *model, const trm_film *film);
void trm_pavement_free(trm_pavement *road);

#endif
