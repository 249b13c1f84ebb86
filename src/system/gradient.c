/* Gradients of measures of velocity level, for what is to be conserved. */
#include <string.h>

#include "system/mechanism.h"

/* Of component `axis` of the momentum: Σ m v, or Σ x × m v + I ω. */
static void momentum_gradient(const trm_system *sys, int component, double *row) {
  const trm_motion *m = &sys->motion;
  int axis = component % 3;
  for (int b = 0; b < trm_model_placed(sys->model); b++) {
    double e[3] = {axis == 0, axis == 1, axis == 2}, s[3] = {0, 0, 0}, l[3];
    const trm_marker centre = {.body = b};
    double *part = row + (ptrdiff_t)b * m->nq;
    if (component < 3) {
      trm_row_point(m, &centre, e, sys->inertia[b].mass, part);
      continue;
    }
    trm_cross(e, m->frames[b].x, s);
    trm_row_point(m, &centre, s, sys->inertia[b].mass, part);
    trm_system_spin_momentum(sys, b, e, l); /* I is symmetric */
    trm_row_spin(m, b, l, part);
  }
}

bool trm_mechanism_gradient(const trm_system *sys, const trm_measure *measure, double *row) {
  const trm_motion *m = &sys->motion;
  memset(row, 0, (size_t)(m->bodies * m->nq) * sizeof(double));
  if (measure->kind == TRM_MEASURE_MOMENTUM) {
    momentum_gradient(sys, measure->component, row);
    return true;
  }
  bool moves = measure->kind == TRM_MEASURE_POINT || measure->kind == TRM_MEASURE_ANGLE ||
               measure->kind == TRM_MEASURE_ORIENTATION || measure->kind == TRM_MEASURE_FREEDOM ||
               measure->kind == TRM_MEASURE_BODY_AXES || measure->kind == TRM_MEASURE_HEADING;
  if (!moves || measure->level != 1) return false;
  trm_scalar s = trm_system_scalar(sys, measure);
  int first = s.end[0].body, second = s.end[1].body;
  trm_scalar_gradient(&s, m, 1, first < 0 ? NULL : row + (ptrdiff_t)first * m->nq,
                      second < 0 ? NULL : row + (ptrdiff_t)second * m->nq);
  return true;
}
