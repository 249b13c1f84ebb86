/* Compiling a model: bodies, frames and inertias; joints, forces and layout have their own files.
 */
#include <string.h>

#include "system/system.h"

trm_marker trm_system_point(const trm_model *model, const trm_end *end) {
  trm_marker marker = {end->body, {end->u[0], end->u[1], end->u[2]}};
  if (end->body >= 0)
    for (int i = 0; i < 3; i++) marker.u[i] -= model->bodies[end->body].com[i];
  return marker;
}

trm_marker trm_system_axis(int body, const double u[3]) {
  return (trm_marker){body, {u[0], u[1], u[2]}};
}

/* The lever arm of a body: its farthest joint or force end from the centre of mass, else the
 * model's length. */
static double lever(const trm_model *model, int body) {
  double longest = 0;
  for (int j = 0; j < model->joint_count; j++)
    for (int side = 0; side < 2; side++) {
      if (model->joints[j].end[side].body != body) continue;
      trm_marker p = trm_system_point(model, &model->joints[j].end[side]);
      longest = fmax(longest, trm_norm(model->dim, p.u));
    }
  return longest > 0 ? longest : model->length;
}

static int fill_inertia(trm_system *sys) {
  int massless = 0;
  for (int b = 0; b < sys->model->body_count; b++) {
    const trm_body *body = &sys->model->bodies[b];
    trm_inertia *inertia = &sys->inertia[b];
    inertia->mass = body->mass;
    memcpy(inertia->I, body->inertia, sizeof inertia->I);
    sys->massless[b] = body->inertia[2] == 0;
    if (!sys->massless[b]) continue;
    double arm = lever(sys->model, b);
    inertia->I[2] = body->mass * arm * arm; /* cancelled by the solver, see solver.h */
    massless++;
  }
  return massless;
}

static bool create_frames(trm_system *sys, const trm_coordinates *co) {
  int bodies = sys->model->body_count;
  trm_frame *frames = TRM_NEW(sys->arena, trm_frame, bodies + 1);
  if (!frames) return false;
  for (int k = 0; k < 3; k++) frames[0].a[k][k] = 1;
  sys->motion = (trm_motion){co, co->dim, co->nq, bodies, NULL, frames + 1};
  return true;
}

static bool create_bodies(trm_system *sys, const trm_coordinates *co) {
  int bodies = sys->model->body_count, nq = co->nq;
  sys->inertia = TRM_NEW(sys->arena, trm_inertia, bodies);
  sys->massless = TRM_NEW(sys->arena, bool, bodies);
  sys->weight_force = TRM_NEW(sys->arena, double, sys->n);
  sys->body_angle = TRM_NEW(sys->arena, trm_scalar, bodies);
  if (!sys->inertia || !sys->massless || !sys->weight_force || !sys->body_angle) return false;
  sys->structure.massless = fill_inertia(sys);
  for (int b = 0; b < bodies; b++) {
    const trm_body *body = &sys->model->bodies[b];
    for (int i = 0; i < co->dim; i++) sys->weight_force[b * nq + i] = body->mass * body->gravity[i];
    double x = cos(body->angle), y = sin(body->angle);
    long turns = lround((body->angle - atan2(y, x)) / 6.283185307179586);
    sys->body_angle[b] = (trm_scalar){.kind = TRM_SCALAR_ANGLE,
                                      .end = {{TRM_GROUND, {1, 0, 0}}, {b, {1, 0, 0}}},
                                      .winding = {x, y, turns}};
  }
  return true;
}

static bool create_arrays(trm_system *sys) {
  size_t n = (size_t)sys->n, m = (size_t)sys->m;
  const trm_structure *s = &sys->structure;
  sys->M = TRM_NEW(sys->arena, double, s->mass_value[s->blocks]);
  sys->N = TRM_NEW(sys->arena, double, s->massless_value[s->massless] + 1);
  sys->massless_bias = TRM_NEW(sys->arena, double, s->massless + 1);
  sys->slots = TRM_NEW(sys->arena, double, sys->model->input_count + 1);
  sys->C = TRM_NEW(sys->arena, double, m + 1);
  sys->Ct = TRM_NEW(sys->arena, double, m + 1);
  sys->Qd = TRM_NEW(sys->arena, double, m + 1);
  sys->lambda = TRM_NEW(sys->arena, double, m + 1);
  sys->Q = TRM_NEW(sys->arena, double, n);
  sys->a = TRM_NEW(sys->arena, double, n);
  return sys->M && sys->N && sys->massless_bias && sys->slots && sys->C && sys->Ct && sys->Qd &&
         sys->lambda && sys->Q && sys->a;
}

void trm_system_written(const trm_system *sys, double *q, double *v) {
  const trm_coordinates *co = sys->motion.coordinates;
  for (int b = 0; b < sys->model->body_count; b++) {
    const trm_body *body = &sys->model->bodies[b];
    trm_frame frame = {0};
    double offset[3] = {0, 0, 0}, velocity[3];
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++) frame.a[k][i] = body->R[3 * i + k];
    trm_carry(co->dim, frame.a, body->com, offset);
    for (int i = 0; i < 3; i++) frame.x[i] = body->position[i] + offset[i];
    const double *w = body->angular_velocity;
    velocity[0] = body->velocity[0] + w[1] * offset[2] - w[2] * offset[1];
    velocity[1] = body->velocity[1] + w[2] * offset[0] - w[0] * offset[2];
    velocity[2] = body->velocity[2] + w[0] * offset[1] - w[1] * offset[0];
    co->from_pose(&frame, body->angle, q + b * co->nq);
    co->from_twist(q + b * co->nq, velocity, w, v + b * co->nq);
  }
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

trm_system *trm_system_create(const trm_model *model, const trm_coordinates *coordinates,
                              const trm_condition *conditions, int condition_count,
                              trm_arena *arena) {
  trm_system *sys = TRM_NEW(arena, trm_system, 1);
  if (!sys) return NULL;
  sys->model = model;
  sys->arena = arena;
  sys->n = model->body_count * coordinates->nq;
  double *q = TRM_NEW(arena, double, sys->n), *v = TRM_NEW(arena, double, sys->n);
  if (!q || !v || !create_frames(sys, coordinates) || !create_bodies(sys, coordinates)) return NULL;
  trm_system_written(sys, q, v);
  trm_motion_position(&sys->motion, q); /* freedoms are counted from the configuration as written */
  if (!trm_system_joints(sys, conditions, condition_count) || !trm_system_forces(sys) ||
      !trm_system_layout(sys) || !create_arrays(sys))
    return NULL;
  evaluate_constants(sys, q);
  return sys;
}
