/* The structure record: blocks of M, panels of Cq, and where every primitive writes its rows. */
#include "system/system.h"

/* Counts rows per body, then turns counts into starts. */
static void lay_out_blocks(trm_system *sys, int *q_start, int *panel_start, int *panel_value,
                           int *mass_value) {
  const trm_coordinates *co = sys->motion.coordinates;
  int bodies = sys->motion.bodies, nq = co->nq;
  for (int b = 0; b < bodies; b++) panel_start[b + 1] = co->intrinsic;
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    for (int k = 0; k < p->bodies; k++) panel_start[p->body[k] + 1] += p->rows;
  }
  for (int b = 0; b < bodies; b++) {
    panel_start[b + 1] += panel_start[b];
    q_start[b + 1] = (b + 1) * nq;
    panel_value[b + 1] = panel_start[b + 1] * nq;
    mass_value[b + 1] = (b + 1) * (co->mass_diagonal ? nq : nq * nq);
  }
}

/* Rows of a panel: intrinsic first, then primitives in their order. */
static void place_rows(trm_system *sys, const int *panel_start, int *panel_row, int *used) {
  const trm_coordinates *co = sys->motion.coordinates;
  for (int b = 0; b < sys->motion.bodies; b++) {
    used[b] = panel_start[b];
    for (int k = 0; k < co->intrinsic; k++) panel_row[used[b]++] = b * co->intrinsic + k;
  }
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    for (int k = 0; k < p->bodies; k++) {
      int b = p->body[k];
      p->J[k] = sys->Cq + (ptrdiff_t)used[b] * co->nq;
      for (int r = 0; r < p->rows; r++) panel_row[used[b]++] = p->row + r;
    }
  }
}

static bool lay_out_massless(trm_system *sys) {
  trm_structure *s = &sys->structure;
  int *block = TRM_NEW(sys->arena, int, s->massless + 1), i = 0;
  int *value = TRM_NEW(sys->arena, int, s->massless + 1);
  double *inertia = TRM_NEW(sys->arena, double, s->massless + 1);
  sys->massless_axis = TRM_NEW(sys->arena, int, s->massless + 1);
  if (trm_arena_failed(sys->arena)) return false;
  for (int b = 0; b < sys->motion.bodies; b++)
    for (int k = 0; k < 3; k++) {
      if (!sys->principal[b].massless[k]) continue;
      block[i] = b;
      inertia[i] = sys->inertia[b].I[k];
      sys->massless_axis[i++] = k;
      value[i] = i * sys->motion.nq;
    }
  s->massless_block = block;
  s->massless_value = value;
  s->massless_inertia = inertia;
  return true;
}

/* What a unit of the multiplier does counts: forces as they are, torques divided by a length of the
 * model. A sum pulls with its factors, so that it does not matter how it is written. */
static double weight_of(const trm_primitive *p, double length) {
  double square = 0;
  if (p->terms == 0) return p->type->torque ? 1 / length : 1;
  for (int k = 0; k < p->terms; k++) {
    double part = p->factor[k] / (trm_scalar_turns(p->term[k]) ? length : 1);
    square += part * part;
  }
  return sqrt(square);
}

/* Intrinsic multipliers do not count. */
bool trm_system_weigh_rows(trm_system *sys) {
  double *weight = TRM_NEW(sys->arena, double, sys->m + 1);
  if (!weight) return false;
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    for (int r = 0; r < p->rows; r++) weight[p->row + r] = weight_of(p, sys->model->length);
  }
  sys->structure.weight = weight;
  return true;
}

static bool lay_out_intrinsic_rows(trm_system *sys) {
  const trm_coordinates *co = sys->motion.coordinates;
  int spin = co->nq - co->dim;
  sys->structure.intrinsic = co->intrinsic;
  sys->structure.plain = co->dim;
  if (co->natural) {
    sys->structure.axes = &sys->motion.q;
    return true;
  }
  sys->tangent = TRM_NEW(sys->arena, double, (size_t)sys->motion.bodies *(size_t)(spin * spin) + 1);
  sys->structure.tangent = sys->tangent;
  return sys->tangent != NULL;
}

bool trm_system_layout(trm_system *sys) {
  trm_structure *s = &sys->structure;
  int bodies = sys->motion.bodies;
  int *q_start = TRM_NEW(sys->arena, int, bodies + 1);
  int *panel_start = TRM_NEW(sys->arena, int, bodies + 1);
  int *panel_value = TRM_NEW(sys->arena, int, bodies + 1);
  int *mass_value = TRM_NEW(sys->arena, int, bodies + 1);
  int *used = TRM_NEW(sys->arena, int, bodies + 1);
  if (trm_arena_failed(sys->arena)) return false;
  lay_out_blocks(sys, q_start, panel_start, panel_value, mass_value);
  int *panel_row = TRM_NEW(sys->arena, int, panel_start[bodies] + 1);
  sys->Cq = TRM_NEW(sys->arena, double, panel_value[bodies] + 1);
  if (!panel_row || !sys->Cq) return false;
  place_rows(sys, panel_start, panel_row, used);
  s->n = sys->n;
  s->m = sys->m;
  s->blocks = bodies;
  s->q_start = q_start;
  s->panel_start = panel_start;
  s->panel_row = panel_row;
  s->panel_value = panel_value;
  s->mass_value = mass_value;
  s->mass_diagonal = sys->motion.coordinates->mass_diagonal;
  s->mass_singular = sys->motion.coordinates->mass_singular && !sys->repair;
  s->mass_constant = sys->motion.coordinates->mass_constant;
  return lay_out_massless(sys) && trm_system_weigh_rows(sys) && lay_out_intrinsic_rows(sys);
}
