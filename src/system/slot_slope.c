/* How the measures that formulas use change with q and v. */
#include "force/bushing.h"
#include "math/rotation.h"
#include "system/cardan.h"
#include "system/signals.h"
#include "system/tangent_work.h"
#include "system/tree.h"

/* s or ṡ */
static void scalar_slope(const trm_system *sys, const trm_scalar *s, int level, double scale,
                         trm_row *q, trm_row *v) {
  const trm_motion *m = &sys->motion;
  trm_row *row = level ? v : q;
  trm_scalar_gradient(s, m, scale, trm_row_part(row, s->end[0].body),
                      trm_row_part(row, s->end[1].body));
  const trm_curvature along_v = {.motion = m, .x = trm_body_rates(sys), .row = q};
  if (level) trm_scalar_curvature(s, scale, &along_v);
}

static void spin_slope(const trm_system *sys, int body, int axis, double scale, trm_row *q,
                       trm_row *v) {
  const trm_scalar spin = {
      .kind = TRM_SCALAR_SPIN, .axis = axis, .end = {{.body = TRM_GROUND}, {.body = body}}};
  scalar_slope(sys, &spin, 1, scale, q, v);
}

/* A component of the quaternion of the user's axes, see trm_system_orientation. */
static void orientation_slope(const trm_system *sys, int body, int component, double scale,
                              trm_row *q) {
  const trm_motion *m = &sys->motion;
  double a[3][3], p[4], accepted[4];
  trm_lever lever[3];
  for (int k = 0; k < 3; k++) {
    trm_marker axis = trm_system_axis(sys, body, (double[3]){k == 0, k == 1, k == 2});
    trm_direction(m, &axis, a[k]);
    trm_lever_direction(m, &axis, &lever[k]);
  }
  trm_quaternion_of(a, p);
  trm_system_orientation(sys, body, accepted);
  double sign = p[component] == accepted[component] ? 1 : -1, *part = trm_row_part(q, body);
  for (int j = m->dim; j < m->nq; j++) {
    double da[3][3], dp[4];
    for (int k = 0; k < 9; k++) da[k / 3][k % 3] = lever[k / 3].L[k % 3][j];
    trm_quaternion_slope(a, da, dp);
    part[j] += scale * sign * dp[component];
  }
}

/* g·Σ I[k] (a[k]·ω) a[k] with the true inertia */
static void spin_momentum_slope(const trm_system *sys, int b, const double g[3], double scale,
                                trm_row *q, trm_row *v) {
  const trm_motion *m = &sys->motion;
  const trm_principal *principal = &sys->principal[b];
  double w[3], by_w[3] = {0, 0, 0};
  trm_spin(m, b, w);
  for (int k = 0; k < 3; k++) {
    trm_marker axis = {b, {k == 0, k == 1, k == 2}};
    const double *a = m->frames[b].a[k];
    double by_a[3] = {0, 0, 0}, I = principal->massless[k] ? 0 : principal->I[k];
    trm_axpy(3, I * trm_dot(3, a, g), a, by_w);
    trm_axpy(3, I * trm_dot(3, a, g), w, by_a);
    trm_axpy(3, I * trm_dot(3, a, w), g, by_a);
    trm_row_direction(m, &axis, by_a, scale, trm_row_part(q, b));
  }
  for (int i = 0; i < 3; i++) spin_slope(sys, b, i, scale * by_w[i], q, v);
}

static void momentum_slope(const trm_system *sys, int component, double scale, trm_row *q,
                           trm_row *v) {
  const trm_motion *m = &sys->motion;
  const double g[3] = {component % 3 == 0, component % 3 == 1, component % 3 == 2};
  for (int b = 0; b < trm_model_placed(sys->model); b++) {
    const trm_frame *f = &m->frames[b];
    double by_x[3], by_v[3], mass = scale * sys->inertia[b].mass;
    double *qb = trm_row_part(q, b), *vb = trm_row_part(v, b);
    if (component < 3) {
      vb[component] += mass;
      continue;
    }
    trm_cross(f->v, g, by_x);
    trm_cross(g, f->x, by_v);
    trm_axpy(m->dim, mass, by_x, qb);
    trm_axpy(m->dim, mass, by_v, vb);
    if (m->dim == 3)
      spin_momentum_slope(sys, b, g, scale, q, v);
    else if (!sys->principal[b].massless[2])
      spin_slope(sys, b, 2, scale * sys->principal[b].I[2], q, v);
  }
}

static void element_slope(const trm_system *sys, const trm_measure *measure, double scale,
                          trm_row *q, trm_row *v) {
  const trm_element *e = &sys->elements[measure->index];
  scalar_slope(sys, e->scalar, measure->level, scale, q, v);
  if (e->against) scalar_slope(sys, e->against, measure->level, -scale, q, v);
}

bool trm_system_has_slope(const trm_measure *measure) {
  switch (measure->kind) {
  case TRM_MEASURE_TIME:
  case TRM_MEASURE_SIGNAL:
  case TRM_MEASURE_STATE_RATE:
  case TRM_MEASURE_TIRE:
  case TRM_MEASURE_EVENT: /* constant from event to event */
  case TRM_MEASURE_MOMENTUM: return true;
  case TRM_MEASURE_POINT:
  case TRM_MEASURE_ANGLE:
  case TRM_MEASURE_ORIENTATION:
  case TRM_MEASURE_FREEDOM:
  case TRM_MEASURE_ELEMENT:
  case TRM_MEASURE_CARDAN:
  case TRM_MEASURE_BODY_AXES:
  case TRM_MEASURE_HEADING:
  case TRM_MEASURE_DEFLECTION: return measure->level < 2;
  default: return false;
  }
}

void trm_system_add_slope(const trm_system *sys, const trm_measure *measure, double scale,
                          trm_row *q, trm_row *v) {
  int level = measure->level;
  switch (measure->kind) {
  case TRM_MEASURE_ANGLE:
    if (level) {
      spin_slope(sys, measure->index, 2, scale, q, v);
      return;
    }
    break;
  case TRM_MEASURE_ORIENTATION:
    if (level)
      spin_slope(sys, measure->index, measure->component, scale, q, v);
    else
      orientation_slope(sys, measure->index, measure->component, scale, q);
    return;
  case TRM_MEASURE_ELEMENT: element_slope(sys, measure, scale, q, v); return;
  case TRM_MEASURE_CARDAN:
    trm_system_cardan_slope(sys, measure->index, measure->component, scale, q);
    return;
  case TRM_MEASURE_DEFLECTION:
    trm_bushing_deflection_slope(&sys->elements[measure->index], &sys->motion, measure->component,
                                 scale, q);
    return;
  case TRM_MEASURE_TIRE:
    trm_tire_measure_slope(&sys->elements[measure->index], &sys->motion, trm_body_rates(sys),
                           trm_system_blocks(sys), measure->component, scale, q, v);
    return;
  case TRM_MEASURE_SIGNAL:
    trm_signals_slope(sys, sys->model->signals[measure->index].slot, scale, q, v);
    return;
  case TRM_MEASURE_STATE_RATE:
    trm_signals_slope(sys, sys->model->signals[measure->index].rate_slot, scale, q, v);
    return;
  case TRM_MEASURE_TIME: return;
  case TRM_MEASURE_EVENT: return;
  case TRM_MEASURE_MOMENTUM: momentum_slope(sys, measure->component, scale, q, v); return;
  default: break;
  }
  const trm_scalar s = trm_system_scalar(sys, measure);
  scalar_slope(sys, &s, level, scale, q, v);
}

void trm_system_add_slot_slope(void *context, int slot, double scale, trm_row *q, trm_row *v) {
  const trm_system *sys = context;
  trm_system_add_slope(sys, &sys->model->inputs[slot - 1], scale, q, v);
}
