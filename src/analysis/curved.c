/* Derivatives of the constraints' accelerations. */
#include "analysis/curved.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

#define REACH 1e-2 /* of a coordinate's span: how far differences look */

enum { SIDES = 3 };

static const double once[1 + SIDES] = {0, 45 / 60.0, -9 / 60.0, 1 / 60.0};
static const double twice[1 + SIDES] = {-490 / 180.0, 270 / 180.0, -27 / 180.0, 2 / 180.0};

static bool is_quadratic(const trm_primitive_class *type) {
  return type == &trm_primitive_position || type == &trm_primitive_dot ||
         type == &trm_primitive_slide || type == &trm_primitive_distance;
}

bool trm_curved_create(trm_curved *c, const trm_system *sys, trm_arena *arena) {
  int values = sys->structure.panel_value[sys->structure.blocks] + 1;
  c->is = !sys->motion.coordinates->linear;
  for (int i = 0; i < sys->primitive_count; i++)
    if (!is_quadratic(sys->primitives[i].type)) c->is = true;
  c->by_q = TRM_NEW(arena, double, values);
  c->by_v = TRM_NEW(arena, double, values);
  c->once = TRM_NEW(arena, double, values);
  c->twice = TRM_NEW(arena, double, values);
  c->slope = TRM_NEW(arena, double, values);
  c->room = TRM_NEW(arena, double, values);
  c->q = TRM_NEW(arena, double, sys->n);
  return !trm_arena_failed(arena);
}

bool trm_curved_evaluate(trm_curved *c, trm_system *sys, trm_tangent *tangent, double t,
                         const double *q, const double *v) {
  int values = sys->structure.panel_value[sys->structure.blocks];
  double fastest = 0;
  if (!c->is) return true;
  for (int i = 0; i < sys->n; i++) fastest = fmax(fastest, fabs(v[i]) / sys->span[i]);
  double h = fastest > 0 ? REACH / fastest : 1;
  memset(c->once, 0, (size_t)values * sizeof(double));
  memset(c->twice, 0, (size_t)values * sizeof(double));
  memset(c->slope, 0, (size_t)values * sizeof(double));
  for (int k = -SIDES; k <= SIDES; k++) {
    int place = k < 0 ? -k : k;
    double first = (k < 0 ? -once[place] : once[place]) / h;
    memcpy(c->q, q, (size_t)sys->n * sizeof(double));
    trm_axpy(sys->n, k * h, v, c->q);
    trm_system_take_states(sys, v);
    if (!trm_system_position(sys, t, c->q)) return false;
    trm_axpy(values, first, sys->Cq, c->once);
    trm_axpy(values, twice[place] / (h * h), sys->Cq, c->twice);
    trm_system_jacobian_slope(sys, tangent, v, c->room);
    trm_axpy(values, first, c->room, c->slope);
  }
  return true;
}

/* A length l(t) divides its row: what else D² makes of that. */
static void add_length(trm_curved *c, const trm_system *sys, const trm_primitive *p) {
  double rate = -p->rate / p->value, second = 2 * rate * rate - p->acceleration / p->value;
  for (int k = 0; k < p->bodies; k++)
    for (int i = 0; i < sys->motion.nq; i++) {
      long at = p->J[k] - sys->Cq + i;
      c->by_q[at] += 2 * rate * c->once[at] + second * sys->Cq[at];
      c->by_v[at] += 2 * rate * sys->Cq[at];
    }
}

void trm_curved_complete(trm_curved *c, const trm_system *sys, trm_tangent *tangent,
                         const double *v, const double *a) {
  const trm_structure *s = &sys->structure;
  int at = 0;
  trm_system_jacobian_slope(sys, tangent, a, c->by_q);
  trm_system_jacobian_slope(sys, tangent, v, c->by_v);
  if (!c->is) memcpy(c->once, c->by_v, (size_t)s->panel_value[s->blocks] * sizeof(double));
  for (int b = 0; b < s->blocks; b++)
    for (int k = s->panel_start[b]; k < s->panel_start[b + 1]; k++)
      for (int i = 0; i < trm_block_width(s, b); i++, at++) {
        bool rate = sys->rate_row[s->panel_row[k]];
        if (c->is) c->by_q[at] += rate ? c->slope[at] : c->twice[at];
        c->by_v[at] = c->once[at] + (rate ? c->by_v[at] : c->once[at]);
      }
  for (int i = 0; i < sys->primitive_count; i++)
    if (sys->law[i] && sys->primitives[i].type == &trm_primitive_distance)
      add_length(c, sys, &sys->primitives[i]);
}
