/* A strip along the axes of x and y under all wheels of all frames. */
#include "report/road.h"

#include <math.h>
#include <stdlib.h>

#include "force/element.h"
#include "tire/tire.h"

#define ROOM 12.0 /* beside the wheels, in radii of the largest */

enum { LONG_WAY = 300, ACROSS = 30 }; /* cells of an uneven road */

typedef struct strip {
  double low[2], high[2];
  int cells[2];
} strip;

static void take(strip *s, const double p[2], double margin) {
  for (int k = 0; k < 2; k++) {
    s->low[k] = fmin(s->low[k], p[k] - margin);
    s->high[k] = fmax(s->high[k], p[k] + margin);
  }
}

static strip find_strip(const trm_model *model, const trm_film *film) {
  strip s = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, {1, 1}};
  for (int i = 0; i < model->force_count; i++) {
    const trm_force *force = &model->forces[i];
    if (force->type != TRM_FORCE_TIRE) continue;
    double margin = ROOM * force->tire->UNLOADED_RADIUS;
    for (int k = 0; k < film->count; k++) {
      const float *pose = film->values + (size_t)k * (size_t)film->width +
                          (size_t)force->end[0].body * (size_t)film->pose;
      const double p[2] = {(double)pose[0], (double)pose[1]};
      if (isfinite(p[0]) && isfinite(p[1])) take(&s, p, margin);
    }
  }
  if (!model->road.height.formula) return s;
  bool along_x = s.high[0] - s.low[0] >= s.high[1] - s.low[1];
  s.cells[along_x ? 0 : 1] = LONG_WAY;
  s.cells[along_x ? 1 : 0] = ACROSS;
  return s;
}

static void corner(const trm_model *model, const strip *s, int i, int j, float *at) {
  trm_road_point point;
  const int index[2] = {i, j};
  double p[2];
  for (int k = 0; k < 2; k++) p[k] = s->low[k] + (s->high[k] - s->low[k]) * index[k] / s->cells[k];
  trm_road_at(&model->road, p[0], p[1], false, &point);
  at[0] = (float)p[0], at[1] = (float)p[1];
  at[2] = isfinite(point.z) ? (float)point.z : 0; /* beside the data nobody drives */
}

bool trm_pavement_create(trm_pavement *road, const trm_model *model, const trm_film *film) {
  *road = (trm_pavement){0, NULL};
  if (film->pose != 7) return true; /* no space, no tires */
  const strip s = find_strip(model, film);
  if (!(s.low[0] < s.high[0])) return true;
  int count = 2 * s.cells[0] * s.cells[1];
  float *at = road->corners = malloc((size_t)count * 9 * sizeof *at);
  if (!at) return false;
  road->count = count;
  for (int i = 0; i < s.cells[0]; i++)
    for (int j = 0; j < s.cells[1]; j++) {
      const int ring[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
      for (int k = 0; k < 6; k++, at += 3) corner(model, &s, i + ring[k][0], j + ring[k][1], at);
    }
  return true;
}

void trm_pavement_free(trm_pavement *road) {
  free(road->corners);
  *road = (trm_pavement){0, NULL};
}
