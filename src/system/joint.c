/* Joints as short lists of primitives, their freedoms as scalars. */
#include <string.h>

#include "system/system.h"

#define MAX_PRIMITIVES 2 /* of one joint */

typedef struct builder {
  trm_system *sys;
  int joint;
  bool failed;
} builder;

/* A primitive between two bodies; the ground is not touched. */
static trm_primitive *add(builder *b, const trm_primitive_class *type, int rows, int bodies) {
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

static void touch(builder *b, trm_primitive *p, int body) {
  if (b->failed || body < 0) return;
  for (int i = 0; i < p->bodies; i++)
    if (p->body[i] == body) return;
  p->body[p->bodies++] = body;
}

/* The perpendicular in the plane. */
static void perpendicular(const double u[3], double n[3]) {
  n[0] = -u[1];
  n[1] = u[0];
  n[2] = 0;
}

/* A global vector of the configuration as written, in a body's axes. */
static void localize(const trm_motion *m, int body, const double g[3], double u[3]) {
  for (int k = 0; k < 3; k++) u[k] = k < m->dim ? trm_dot(m->dim, m->frames[body].a[k], g) : 0;
}

static trm_primitive *add_pair(builder *b, const trm_primitive_class *type, int rows) {
  trm_system *sys = b->sys;
  const trm_joint *j = &sys->model->joints[b->joint];
  trm_primitive *p = add(b, type, rows, 2);
  for (int side = 0; side < 2; side++) {
    p->end[side] = trm_system_point(sys->model, &j->end[side]);
    touch(b, p, j->end[side].body);
  }
  return p;
}

/* The relative orientation as written: the first's direction u stays perpendicular to the second's.
 */
static void keep_orientation(builder *b, const double u[3]) {
  const trm_motion *m = &b->sys->motion;
  trm_primitive *p = add_pair(b, &trm_primitive_dot, 1);
  double g[3], n[3];
  p->direction[0] = trm_system_axis(p->end[0].body, u);
  trm_direction(m, &p->direction[0], g);
  perpendicular(g, n);
  p->direction[1].body = p->end[1].body;
  localize(m, p->end[1].body, n, p->direction[1].u);
}

/* The second's point stays on the first's line. */
static void keep_on_line(builder *b, const double axis[3]) {
  trm_primitive *p = add_pair(b, &trm_primitive_slide, 1);
  double n[3];
  perpendicular(axis, n);
  p->direction[0] = trm_system_axis(p->end[0].body, n);
}

/* The first's point is put where the second's is as written, so that the pose as written is kept.
 */
static void keep_pose(builder *b) {
  const trm_motion *m = &b->sys->motion;
  trm_primitive *p = add_pair(b, &trm_primitive_position, m->dim);
  double r[3], e[3];
  trm_position(m, &p->end[1], r);
  trm_sub(m->dim, r, m->frames[p->end[0].body].x, e);
  localize(m, p->end[0].body, e, p->end[0].u);
  keep_orientation(b, (double[3]){1, 0, 0});
}

static void keep_distance(builder *b, const trm_joint *j) {
  trm_primitive *p = add_pair(b, &trm_primitive_distance, 1);
  p->value = j->value.number;
  if (j->value.formula) b->sys->law[p - b->sys->primitives] = &j->value;
}

static trm_primitive *add_sum(builder *b, int terms) {
  trm_system *sys = b->sys;
  trm_primitive *p = add(b, &trm_primitive_sum, 1, 2 * terms);
  p->term = TRM_NEW(sys->arena, trm_scalar *, terms);
  p->factor = TRM_NEW(sys->arena, double, terms);
  trm_scalar *scalars = TRM_NEW(sys->arena, trm_scalar, terms);
  if (!p->term || !p->factor || !scalars) b->failed = true;
  for (int k = 0; k < terms && !b->failed; k++) p->term[k] = &scalars[k];
  return p;
}

static void add_term(builder *b, trm_primitive *p, const trm_measure *measure, double factor) {
  if (b->failed) return;
  trm_scalar *s = p->term[p->terms];
  *s = trm_system_scalar(b->sys, measure);
  p->factor[p->terms++] = factor;
  if (s->kind != TRM_SCALAR_COMPONENT) touch(b, p, s->end[0].body);
  touch(b, p, s->end[1].body);
}

static void keep_sum(builder *b, const trm_joint *j) {
  trm_primitive *p = add_sum(b, j->term_count);
  for (int k = 0; k < j->term_count; k++) add_term(b, p, &j->terms[k].measure, j->terms[k].factor);
  p->value = j->value.number;
  if (j->value.formula) b->sys->law[p - b->sys->primitives] = &j->value;
}

/* The second's point keeps the coordinate across the axis that it has as written. */
static void keep_coordinate(builder *b, const trm_joint *j) {
  int across = fabs(j->axis[1][0]) > fabs(j->axis[1][1]) ? 1 : 0;
  trm_measure measure = {.kind = TRM_MEASURE_POINT, .end = j->end[1], .component = across};
  trm_primitive *p = add_sum(b, 1);
  add_term(b, p, &measure, 1);
  if (!b->failed) p->value = trm_scalar_value(p->term[0], &b->sys->motion);
  p->end[1] = trm_system_point(b->sys->model, &j->end[1]);
}

static void add_joint(builder *b) {
  const trm_joint *j = &b->sys->model->joints[b->joint];
  switch (j->type) {
  case TRM_JOINT_REVOLUTE: add_pair(b, &trm_primitive_position, b->sys->motion.dim); break;
  case TRM_JOINT_PRISMATIC:
    keep_orientation(b, j->axis[0]);
    keep_on_line(b, j->axis[0]);
    break;
  case TRM_JOINT_RIGID: keep_pose(b); break;
  case TRM_JOINT_POINT_ON_LINE: keep_on_line(b, j->axis[0]); break;
  case TRM_JOINT_ROLLER: keep_coordinate(b, j); break;
  case TRM_JOINT_DISTANCE: keep_distance(b, j); break;
  case TRM_JOINT_COORDINATE: keep_sum(b, j); break;
  }
}

/* Freedoms are zero as written. */
static void add_freedoms(trm_system *sys, int joint) {
  const trm_joint *j = &sys->model->joints[joint];
  const trm_motion *m = &sys->motion;
  int freedoms = trm_joint_freedoms(j->type);
  int first = j->end[0].body, second = j->end[1].body;
  if (freedoms & 1) {
    trm_scalar *s = &sys->freedom[2 * joint];
    *s = (trm_scalar){.kind = TRM_SCALAR_ANGLE, .winding = {1, 0, 0}};
    s->end[0] = trm_system_axis(first, (double[3]){1, 0, 0});
    s->end[1].body = second;
    localize(m, second, m->frames[first].a[0], s->end[1].u);
  }
  if (freedoms & 2) {
    trm_scalar *s = &sys->freedom[2 * joint + 1];
    *s = (trm_scalar){.kind = TRM_SCALAR_DISPLACEMENT};
    for (int side = 0; side < 2; side++) s->end[side] = trm_system_point(sys->model, &j->end[side]);
    s->along = trm_system_axis(first, j->axis[0]);
    s->offset = trm_scalar_value(s, m);
  }
}

static void add_condition(builder *b, const trm_condition *condition) {
  trm_primitive *p = add_sum(b, 1);
  add_term(b, p, &condition->measure, 1);
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
  if (!sys->primitives || !sys->law || !sys->rate_only || !sys->first_primitive || !sys->freedom)
    return false;
  sys->m = sys->model->body_count * sys->motion.coordinates->intrinsic;
  builder b = {sys, 0, false};
  for (int j = 0; j < joints; j++) add_freedoms(sys, j);
  for (; b.joint < joints; b.joint++) {
    sys->first_primitive[b.joint] = sys->primitive_count;
    add_joint(&b);
  }
  sys->first_primitive[joints] = sys->primitive_count;
  b.joint = -1;
  for (int i = 0; i < count; i++) add_condition(&b, &conditions[i]);
  return !b.failed;
}
