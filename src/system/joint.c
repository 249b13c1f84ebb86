/* Joints as short lists of primitives, their freedoms as scalars. What all of them share. */
#include "math/rotation.h"
#include "system/builder.h"
#include "system/rotation_driver.h"

#define MAX_PRIMITIVES 6 /* of one joint */

static trm_primitive *add(trm_builder *b, const trm_primitive_class *type, int rows, int bodies) {
  trm_system *sys = b->sys;
  trm_primitive *p = &sys->primitives[sys->primitive_count++];
  p->type = type;
  p->joint = b->joint;
  p->row = sys->m;
  p->rows = rows;
  p->body = TRM_NEW(sys->arena, int, bodies);
  p->J = TRM_NEW(sys->arena, double *, bodies);
  if (!p->body || !p->J) b->failed = true;
  sys->m += rows;
  return p;
}

/* The ground is not touched. */
static void touch(trm_builder *b, trm_primitive *p, int body) {
  if (b->failed || body < 0) return;
  for (int i = 0; i < p->bodies; i++)
    if (p->body[i] == body) return;
  p->body[p->bodies++] = body;
}

void trm_build_localize(const trm_motion *m, int body, const double g[3], double u[3]) {
  for (int k = 0; k < 3; k++) u[k] = k < m->dim ? trm_dot(m->dim, m->frames[body].a[k], g) : 0;
}

trm_primitive *trm_build_pair(trm_builder *b, const trm_primitive_class *type, int rows) {
  const trm_joint *j = &b->sys->model->joints[b->joint];
  trm_primitive *p = add(b, type, rows, 2);
  for (int side = 0; side < 2; side++) {
    p->end[side] = trm_system_point(b->sys, &j->end[side]);
    touch(b, p, j->end[side].body);
  }
  return p;
}

void trm_build_perpendicular(trm_builder *b, const double first[3], const double second[3]) {
  const trm_motion *m = &b->sys->motion;
  trm_primitive *p = trm_build_pair(b, &trm_primitive_dot, 1);
  const double *vectors[2] = {first, second};
  for (int side = 0; side < 2; side++) {
    p->direction[side].body = p->end[side].body;
    trm_build_localize(m, p->end[side].body, vectors[side], p->direction[side].u);
  }
}

trm_primitive *trm_build_slide(trm_builder *b, const double d[3], double value) {
  trm_primitive *p = trm_build_pair(b, &trm_primitive_slide, 1);
  p->direction[0].body = p->end[0].body;
  trm_build_localize(&b->sys->motion, p->end[0].body, d, p->direction[0].u);
  p->value = value;
  return p;
}

void trm_build_weld_points(trm_builder *b) {
  const trm_motion *m = &b->sys->motion;
  trm_primitive *p = trm_build_pair(b, &trm_primitive_position, m->dim);
  double r[3] = {0, 0, 0}, e[3] = {0, 0, 0};
  trm_position(m, &p->end[1], r);
  trm_sub(m->dim, r, m->frames[p->end[0].body].x, e);
  trm_build_localize(m, p->end[0].body, e, p->end[0].u);
}

void trm_build_law(trm_builder *b, trm_primitive *p, const trm_quantity *value) {
  p->value = value->number;
  if (value->formula) b->sys->law[p - b->sys->primitives] = value;
  if (!b->failed) trm_rotation_take(b->sys, p);
}

trm_primitive *trm_build_sum(trm_builder *b, int terms) {
  trm_system *sys = b->sys;
  trm_primitive *p = add(b, &trm_primitive_sum, 1, 2 * terms);
  p->term = TRM_NEW(sys->arena, trm_scalar *, terms);
  p->factor = TRM_NEW(sys->arena, double, terms);
  trm_scalar *scalars = TRM_NEW(sys->arena, trm_scalar, terms);
  if (!p->term || !p->factor || !scalars) b->failed = true;
  for (int k = 0; k < terms && !b->failed; k++) p->term[k] = &scalars[k];
  return p;
}

void trm_build_scalar(trm_builder *b, trm_primitive *p, const trm_scalar *s, double factor) {
  if (b->failed) return;
  *p->term[p->terms] = *s;
  p->factor[p->terms++] = factor;
  if (s->kind != TRM_SCALAR_COMPONENT) touch(b, p, s->end[0].body);
  touch(b, p, s->end[1].body);
}

void trm_build_term(trm_builder *b, trm_primitive *p, const trm_measure *measure, double factor) {
  const trm_scalar s = trm_system_scalar(b->sys, measure);
  trm_build_scalar(b, p, &s, factor);
}

static void keep_sum(trm_builder *b, const trm_joint *j) {
  trm_primitive *p = trm_build_sum(b, j->term_count);
  for (int k = 0; k < j->term_count; k++)
    trm_build_term(b, p, &j->terms[k].measure, j->terms[k].factor);
  if (!j->of_rate) {
    p->modulo = j->type == TRM_JOINT_DRIVER && trm_measure_is_euler(&j->terms[0].measure);
    trm_build_law(b, p, &j->value);
    return;
  }
  b->sys->rate_only[p - b->sys->primitives] = true;
  b->sys->law[p - b->sys->primitives] = &j->value; /* a constant rate takes power, too */
}

/* A planar angle is driven by the forms of 002, anything else as a sum of one term. */
void trm_build_relation(trm_builder *b, const trm_joint *j) {
  bool driver = j->type == TRM_JOINT_DRIVER && b->sys->motion.dim == 2 && !j->of_rate;
  trm_scalar driven = driver ? trm_system_scalar(b->sys, &j->terms[0].measure) : (trm_scalar){0};
  if (!driver || driven.kind != TRM_SCALAR_ANGLE) {
    keep_sum(b, j);
    return;
  }
  trm_primitive *p = trm_build_pair(b, &trm_primitive_turn, 1);
  p->direction[0] = driven.end[0];
  p->direction[1] = driven.end[1];
  trm_build_law(b, p, &j->value);
}

/* The angle of the second relative to the first, zero as written; about axis[0] in space. */
void trm_system_angle(const trm_system *sys, int first, int second, const double axis[3],
                      trm_scalar *s) {
  const trm_motion *m = &sys->motion;
  double d[3] = {0, 0, 0}, e[3] = {0, 0, 0};
  *s = (trm_scalar){.kind = TRM_SCALAR_ANGLE, .winding = {1, 0, 0, 0}};
  if (m->dim == 3) {
    double n[3];
    const trm_marker along = trm_system_axis(sys, first, axis);
    trm_direction(m, &along, n);
    trm_find_across(n, d);
    trm_cross(n, d, e);
  } else {
    for (int i = 0; i < 2; i++) d[i] = m->frames[first].a[0][i];
    e[0] = -d[1];
    e[1] = d[0];
  }
  const int body[2] = {first, second};
  for (int side = 0; side < 2; side++) {
    s->end[side].body = s->across[side].body = body[side];
    trm_build_localize(m, body[side], d, s->end[side].u);
    trm_build_localize(m, body[side], e, s->across[side].u);
  }
  s->offset = trm_scalar_value(s, m);
}

/* Freedoms are zero as written. */
static void add_freedoms(trm_system *sys, int joint) {
  const trm_joint *j = &sys->model->joints[joint];
  int freedoms = trm_joint_freedoms(j->type), first = j->end[0].body;
  if (freedoms & 1)
    trm_system_angle(sys, first, j->end[1].body, j->axis[0], &sys->freedom[2 * joint]);
  if (freedoms & 2) {
    trm_scalar *s = &sys->freedom[2 * joint + 1];
    *s = (trm_scalar){.kind = TRM_SCALAR_DISPLACEMENT};
    for (int side = 0; side < 2; side++) s->end[side] = trm_system_point(sys, &j->end[side]);
    s->along = trm_system_axis(sys, first, j->axis[0]);
    s->offset = trm_scalar_value(s, &sys->motion);
  }
}

static void add_condition(trm_builder *b, const trm_condition *condition) {
  trm_primitive *p = trm_build_sum(b, 1);
  trm_build_term(b, p, &condition->measure, 1);
  p->modulo = trm_measure_is_euler(&condition->measure);
  b->sys->rate_only[p - b->sys->primitives] = condition->rate;
  *(condition->rate ? &p->rate : &p->value) = condition->value;
}

bool trm_system_joints(trm_system *sys, const trm_condition *conditions, int count) {
  int joints = sys->model->joint_count, most = joints * MAX_PRIMITIVES + count;
  sys->primitives = TRM_NEW(sys->arena, trm_primitive, most + 1);
  sys->law = TRM_NEW(sys->arena, const trm_quantity *, most + 1);
  sys->rate_only = TRM_NEW(sys->arena, bool, most + 1);
  sys->first_primitive = TRM_NEW(sys->arena, int, joints + 1);
  sys->freedom = TRM_NEW(sys->arena, trm_scalar, 2 * joints + 1);
  sys->rotation =
      trm_arena_alloc(sys->arena, (size_t)sys->model->body_count + 1, sizeof *sys->rotation);
  if (trm_arena_failed(sys->arena)) return false;
  sys->m = sys->model->body_count * sys->motion.coordinates->intrinsic;
  trm_builder b = {sys, 0, false};
  for (int j = 0; j < joints; j++) add_freedoms(sys, j);
  for (; b.joint < joints; b.joint++) {
    sys->first_primitive[b.joint] = sys->primitive_count;
    if (sys->motion.dim == 2)
      trm_build_planar(&b, &sys->model->joints[b.joint]);
    else
      trm_build_spatial(&b, &sys->model->joints[b.joint]);
  }
  sys->first_primitive[joints] = sys->primitive_count;
  b.joint = -1;
  for (int i = 0; i < count; i++) add_condition(&b, &conditions[i]);
  return !b.failed;
}
