/* Compiling a model: bodies, joints, forces and layout have their own files. */
#include <string.h>

#include "system/link.h"
#include "system/signals.h"
#include "system/tree.h"

bool trm_system_arrays(trm_system *sys) {
  size_t n = (size_t)sys->n, m = (size_t)sys->m;
  const trm_structure *s = &sys->structure;
  sys->M = TRM_NEW(sys->arena, double, s->mass_value[s->blocks]);
  sys->N = TRM_NEW(sys->arena, double, s->massless_value[s->massless] + 1);
  sys->massless_bias = TRM_NEW(sys->arena, double, s->massless + 1);
  sys->slots = TRM_NEW(sys->arena, double, sys->model->input_count + 1);
  sys->formula_slots = TRM_NEW(sys->arena, double, sys->model->most_slots + 1);
  sys->law_states = TRM_NEW(sys->arena, double, sys->states + 1);
  sys->law_slots = TRM_NEW(sys->arena, trm_jet, sys->model->input_count + 1);
  sys->C = TRM_NEW(sys->arena, double, m + 1);
  sys->Ct = TRM_NEW(sys->arena, double, m + 1);
  sys->Qd = TRM_NEW(sys->arena, double, m + 1);
  sys->lambda = TRM_NEW(sys->arena, double, m + 1);
  sys->Q = TRM_NEW(sys->arena, double, n);
  sys->a = TRM_NEW(sys->arena, double, n);
  sys->state_rate = TRM_NEW(sys->arena, double, sys->states + 1);
  sys->span = TRM_NEW(sys->arena, double, n);
  sys->rate_row = TRM_NEW(sys->arena, bool, m + 1);
  sys->timed_row = TRM_NEW(sys->arena, bool, m + 1);
  return !trm_arena_failed(sys->arena);
}

static void describe(trm_system *sys) {
  const trm_motion *m = &sys->motion;
  const trm_coordinates *co = m->coordinates;
  bool linked = co->natural && co->mass_constant && sys->structure.massless == 0;
  if (linked) sys->type = &trm_mechanism_linked;
  memcpy(sys->Q, sys->weight_force, (size_t)sys->n * sizeof(double));
  for (int i = 0; i < sys->n; i++) sys->span[i] = i % m->nq < m->dim ? sys->size : 1;
  sys->structure.span = sys->span;
}

/* The constant parts of the position stage: M, and with linear coordinates some Jacobians. */
static void evaluate_constants(trm_system *sys, const double *q) {
  const trm_coordinates *co = sys->motion.coordinates;
  trm_motion_position(&sys->motion, q);
  if (co->mass_constant)
    for (int b = 0; b < sys->motion.bodies; b++)
      co->mass(&sys->inertia[b], q + b * co->nq, sys->M + sys->structure.mass_value[b]);
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    if (co->linear && p->type->linear_constant) p->type->jacobian(p, &sys->motion);
  }
}

static void keep_scalar(trm_arena *arena, trm_scalar *scalar) {
  if (scalar && scalar->kind == TRM_SCALAR_ANGLE) TRM_KEEP(arena, scalar->winding);
}

/* Counted turns, signs of quaternions. */
static void keep_turns(trm_system *sys, trm_arena *arena) {
  if (sys->generic) return;
  int bodies = sys->motion.bodies;
  for (int b = 0; b < bodies; b++) keep_scalar(arena, &sys->body_angle[b]);
  for (int j = 0; j < sys->model->joint_count; j++) keep_scalar(arena, &sys->freedom[2 * j]);
  for (int i = 0; i < sys->model->force_count; i++) {
    trm_element *e = &sys->elements[i];
    if (sys->model->forces[i].joint < 0) keep_scalar(arena, e->scalar);
    if (e->rolling) TRM_KEEP(arena, e->rolling->beyond);
    if (e->rolling) TRM_KEEP(arena, e->rolling->beyond_t);
    if (!e->mount) continue;
    TRM_KEEP(arena, e->turned);
    TRM_KEEP(arena, e->turning);
  }
  for (int i = 0; i < sys->primitive_count; i++)
    for (int k = 0; k < sys->primitives[i].terms; k++)
      keep_scalar(arena, sys->primitives[i].term[k]);
  if (sys->motion.dim < 3) return;
  if (sys->spanning) {
    trm_keep(arena, sys->spanning->counted, (size_t)sys->n * sizeof(double));
    TRM_KEEP(arena, sys->spanning->counted_rate);
  }
  trm_keep(arena, sys->quaternion, (size_t)bodies * sizeof *sys->quaternion);
  trm_keep(arena, sys->spin, (size_t)bodies * sizeof *sys->spin);
  trm_keep(arena, sys->cardan, (size_t)bodies * sizeof *sys->cardan);
}

static void take_turn(trm_scalar *scalar, const trm_scalar *from) {
  if (scalar && scalar->kind == TRM_SCALAR_ANGLE) scalar->winding = from->winding;
}

void trm_system_take_turns(trm_system *sys, const trm_system *from) {
  const trm_model *model = sys->model;
  size_t bodies = (size_t)sys->motion.bodies;
  sys->accepted_t = from->accepted_t;
  sys->followed_t = from->followed_t;
  for (int b = 0; b < sys->motion.bodies; b++) take_turn(&sys->body_angle[b], &from->body_angle[b]);
  for (int j = 0; j < model->joint_count; j++) {
    take_turn(&sys->freedom[2 * j], &from->freedom[2 * j]);
    for (int i = sys->first_primitive[j]; i < sys->first_primitive[j + 1]; i++) {
      const trm_primitive *p = &sys->primitives[i];
      const trm_primitive *other =
          &from->primitives[i - sys->first_primitive[j] + from->first_primitive[j]];
      for (int k = 0; k < p->terms; k++) take_turn(p->term[k], other->term[k]);
    }
  }
  for (int i = 0; i < model->force_count; i++) {
    trm_element *e = &sys->elements[i];
    const trm_element *other = &from->elements[i];
    take_turn(e->scalar, other->scalar);
    memcpy(e->turned, other->turned, sizeof e->turned);
    memcpy(e->turning, other->turning, sizeof e->turning);
  }
  memcpy(sys->event_records, from->event_records,
         (size_t)model->event_count * sizeof *sys->event_records);
  memcpy(sys->quaternion, from->quaternion, bodies * sizeof *sys->quaternion);
  memcpy(sys->spin, from->spin, bodies * sizeof *sys->spin);
  memcpy(sys->cardan, from->cardan, bodies * sizeof *sys->cardan);
}

void trm_system_keep_turns(trm_system *sys, trm_arena *arena) {
  TRM_KEEP(arena, sys->accepted_t);
  TRM_KEEP(arena, sys->followed_t);
  TRM_KEEP(arena, sys->far);
  keep_turns(sys, arena);
}

void trm_system_keep(trm_system *sys) {
  TRM_KEEP(sys->arena, sys->work);
  TRM_KEEP(sys->arena, sys->energy0);
  TRM_KEEP(sys->arena, sys->velocity_violation);
  trm_keep(sys->arena, sys->event_records,
           (size_t)sys->model->event_count * sizeof *sys->event_records);
  trm_keep(sys->arena, sys->given_inputs,
           (size_t)sys->model->signal_count * sizeof *sys->given_inputs);
  if (sys->inconsistent) trm_keep(sys->arena, sys->inconsistent, (size_t)sys->m * sizeof(bool));
  trm_system_keep_turns(sys, sys->arena);
}

/* Every law with every state that any law hangs on: they are few. */
static bool list_law_slopes(trm_system *sys) {
  const trm_model *model = sys->model;
  int states = 0, laws = 0;
  for (int i = 0; i < model->law_signal_count; i++)
    states += model->signals[model->law_signals[i]].kind == TRM_SIGNAL_STATE;
  for (int i = 0; i < sys->primitive_count; i++) laws += sys->law[i] && sys->law[i]->formula;
  sys->filtered = states > 0;
  sys->law_slopes = TRM_NEW(sys->arena, trm_law_slope, states * laws + 1);
  for (int i = 0; sys->law_slopes && i < sys->primitive_count; i++)
    for (int k = 0; sys->law[i] && sys->law[i]->formula && k < states; k++) {
      const trm_signal *z = &model->signals[model->law_signals[k]];
      int rate = sys->rate_only[i] || !z->smooth ? z->state : model->signals[z->smooth].state;
      sys->law_slopes[sys->law_slope_count++] =
          (trm_law_slope){i, sys->primitives[i].row, z->state, rate, 0};
    }
  return sys->law_slopes;
}

bool trm_mechanism_complete(trm_system *sys) {
  const trm_model *model = sys->model;
  if (!trm_system_arrays(sys) || !trm_signals_create(sys) || !trm_events_create(sys)) return false;
  for (int i = 0; i < model->input_count; i++) trm_system_expect(sys, &model->inputs[i]);
  for (int i = 0; i < model->output_count; i++) trm_system_expect(sys, &model->outputs[i]);
  for (int i = 0; i < sys->primitive_count; i++)
    for (int r = sys->primitives[i].row, k = 0; k < sys->primitives[i].rows; k++, r++) {
      sys->rate_row[r] = sys->rate_only[i];
      sys->timed_row[r] = sys->law[i];
    }
  sys->size = model->length;
  sys->groups = model->joint_count;
  sys->has_energy = true;
  return list_law_slopes(sys);
}

trm_system *trm_system_create(const trm_model *model, const trm_coordinates *coordinates,
                              bool keep_singular, const trm_condition *conditions,
                              int condition_count, trm_arena *arena) {
  if (model->user) return trm_generic_create(model, conditions, condition_count, arena);
  if (coordinates->joints) return trm_tree_system_create(model, coordinates, arena);
  trm_system *sys = TRM_NEW(arena, trm_system, 1);
  if (!sys) return NULL;
  sys->type = &trm_mechanism;
  sys->model = model;
  sys->arena = arena;
  sys->n = model->body_count * coordinates->nq;
  sys->states = model->state_count;
  sys->motion = (trm_motion){.coordinates = coordinates,
                             .dim = coordinates->dim,
                             .nq = coordinates->nq,
                             .stride = coordinates->nq,
                             .bodies = model->body_count};
  double *q = TRM_NEW(arena, double, sys->n + 1);
  if (!q || !trm_system_bodies(sys)) return NULL;
  const trm_coordinates *co = sys->motion.coordinates;
  sys->repair = co->mass_singular && !co->mass_diagonal && !keep_singular;
  trm_system_written(sys, q);
  trm_motion_position(&sys->motion, q); /* freedoms are counted from the configuration as written */
  if (!trm_system_joints(sys, conditions, condition_count) || !trm_system_forces(sys) ||
      !trm_system_pieces(sys) || !trm_system_layout(sys) ||
      !trm_system_links(sys, condition_count > 0) || !trm_mechanism_complete(sys))
    return NULL;
  describe(sys);
  evaluate_constants(sys, q);
  return sys;
}
