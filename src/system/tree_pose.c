/* Between the coordinates of a tree and the frames of its bodies. */
#include <string.h>

#include "math/rotation.h"
#include "system/mechanism.h"
#include "system/tree.h"

/* ---- from frames ---- */

/* A link's reference point, from the frame of its body; of the ground the origin. */
static void reference(const trm_link *l, trm_frame *frame, double o[3]) {
  double d[3];
  trm_carry(3, frame->a, l->com, d);
  trm_sub(3, frame->x, d, o);
}

static double angle_of(const trm_link *l, double e[3][3]) {
  double x = 0, y = 0;
  for (int k = 0; k < 3; k++) {
    x += trm_dot(3, l->cosine[k], e[k]);
    y += trm_dot(3, l->sine[k], e[k]);
  }
  return atan2(y, x);
}

/* Of the first of two turns: the axis of the second tells; e is turned back by it. */
static double first_angle(const trm_link *l, const trm_link *second, double e[3][3]) {
  double m[3] = {0, 0, 0}, across[3];
  for (int k = 0; k < 3; k++) {
    double e0[3];
    for (int i = 0; i < 3; i++) e0[i] = second->still[k][i] + second->cosine[k][i];
    trm_axpy(3, trm_dot(3, second->axis, e0), e[k], m);
  }
  trm_cross(l->axis, second->axis, across);
  double angle = atan2(trm_dot(3, across, m), trm_dot(3, second->axis, m));
  double s = sin(angle), c = cos(angle);
  for (int k = 0; k < 3; k++) {
    double turned[3], along = (1 - c) * trm_dot(3, l->axis, e[k]);
    trm_cross(l->axis, e[k], turned);
    for (int i = 0; i < 3; i++) e[k][i] = c * e[k][i] - s * turned[i] + along * l->axis[i];
  }
  return angle;
}

/* The turn that goes with a displacement. */
static double screw_angle(const trm_link *l, double angle, double way) {
  static const double turn = 6.283185307179586476925;
  return l->pitch == 0 ? angle : angle + turn * round((way / l->pitch - angle) / turn);
}

int trm_tree_first_of_joint(const trm_tree *tree, int last) {
  int first = last;
  while (tree->link[first].parent >= 0 && tree->link[tree->link[first].parent].body < 0)
    first = tree->link[first].parent;
  return first;
}

static void read_joint(const trm_system *sys, int body, trm_frame *frames, double *q) {
  const trm_tree *tree = sys->spanning->tree;
  int last = sys->spanning->link[body], first = trm_tree_first_of_joint(tree, last);
  const trm_link *parent = &tree->link[tree->link[first].parent];
  trm_frame *from = &frames[parent->body], *to = &frames[body];
  double o[2][3], d[3], way[3], e[3][3];
  reference(parent, from, o[0]);
  reference(&tree->link[last], to, o[1]);
  trm_sub(3, o[1], o[0], d);
  for (int i = 0; i < 3; i++) {
    way[i] = trm_dot(3, from->a[i], d) - tree->link[first].arm[i];
    for (int k = 0; k < 3; k++) e[k][i] = trm_dot(3, from->a[i], to->a[k]);
  }
  for (int i = first; i <= last; i++) {
    const trm_link *l = &tree->link[i];
    double *ql = q + l->at;
    switch (l->kind) {
    case TRM_LINK_REVOLUTE:
      ql[0] = i < last ? first_angle(l, &tree->link[last], e) : angle_of(l, e);
      break;
    case TRM_LINK_PRISMATIC: ql[0] = trm_dot(3, l->axis, way); break;
    case TRM_LINK_SCREW: ql[0] = screw_angle(l, angle_of(l, e), trm_dot(3, l->axis, way)); break;
    case TRM_LINK_BALL: trm_quaternion_of(e, ql); break;
    case TRM_LINK_FREE:
      memcpy(ql, o[1], 3 * sizeof *ql);
      trm_quaternion_of(to->a, ql + 3);
      break;
    case TRM_LINK_FIXED: break;
    }
  }
}

void trm_tree_read_poses(const trm_system *sys, trm_frame *frames, double *q) {
  for (int b = 0; b < sys->motion.bodies; b++) read_joint(sys, b, frames, q);
}

/* ω and the velocity of the reference point. */
static void twist_of(const trm_motion *m, const trm_link *l, double w[3], double v[3]) {
  double d[3];
  trm_spin(m, l->body, w);
  trm_carry(3, m->frames[l->body].da, l->com, d);
  trm_sub(3, m->frames[l->body].v, d, v);
}

void trm_tree_read_rates(const trm_system *sys, const trm_motion *m, double *v) {
  const trm_tree *tree = sys->spanning->tree;
  for (int b = 0; b < m->bodies; b++) {
    int last = sys->spanning->link[b], first = trm_tree_first_of_joint(tree, last);
    const trm_link *child = &tree->link[last], *parent = &tree->link[tree->link[first].parent];
    double w[2][3], u[2][3], arm[3], carried[3], spin[3], speed[3], local[3];
    twist_of(m, parent, w[0], u[0]);
    twist_of(m, child, w[1], u[1]);
    trm_sub(3, child->o, parent->o, arm);
    trm_cross(w[0], arm, carried);
    trm_sub(3, w[1], w[0], spin);
    trm_sub(3, u[1], u[0], speed);
    trm_sub(3, speed, carried, speed);
    for (int k = 0; k < 3; k++) local[k] = trm_dot(3, parent->a[k], spin);
    for (int i = first; i <= last; i++) {
      const trm_link *l = &tree->link[i];
      double *vl = v + l->at;
      switch (l->kind) {
      case TRM_LINK_SCREW:
      case TRM_LINK_REVOLUTE: vl[0] = trm_dot(3, l->n, spin); break;
      case TRM_LINK_PRISMATIC: vl[0] = trm_dot(3, l->n, speed); break;
      case TRM_LINK_BALL: trm_ball_rates(tree->q + l->at, local, vl); break;
      case TRM_LINK_FREE:
        memcpy(vl, u[1], 3 * sizeof *vl);
        trm_ball_rates(tree->q + l->at + 3, local, vl + 3);
        break;
      case TRM_LINK_FIXED: break;
      }
    }
  }
}

/* ---- to frames ---- */

void trm_tree_write_poses(trm_system *sys) {
  const trm_spanning *s = sys->spanning;
  trm_tree_places(s->tree);
  for (int b = 0; b < sys->motion.bodies; b++) {
    const trm_link *l = &s->tree->link[s->link[b]];
    trm_frame *frame = &sys->motion.frames[b];
    for (int i = 0; i < 3; i++) {
      memcpy(frame->a[i], l->a[i], sizeof frame->a[i]);
      frame->x[i] = l->o[i] + l->c[i];
    }
  }
}

void trm_tree_write_rates(trm_system *sys) {
  const trm_spanning *s = sys->spanning;
  trm_tree_speeds(s->tree);
  for (int b = 0; b < sys->motion.bodies; b++) {
    const trm_link *l = &s->tree->link[s->link[b]];
    double *twist = s->twist + 6 * (ptrdiff_t)b;
    trm_cross(l->w, l->c, twist);
    trm_add(3, l->vo, twist);
    memcpy(twist + 3, l->w, 3 * sizeof *twist);
  }
  trm_motion_velocity(&sys->motion, s->twist);
}

/* ---- what joints of the tree transmit ---- */

void trm_tree_reaction(const trm_system *sys, int joint, double parts[6]) {
  const trm_spanning *s = sys->spanning;
  const trm_joint *j = &sys->model->joints[joint];
  const trm_link *l = &s->tree->link[s->link[s->held[joint]]];
  const trm_marker point = trm_system_point(sys, &j->end[1]);
  double sign = j->end[1].body == s->held[joint] ? 1 : -1, r[3], arm[3], moment[3];
  trm_position(&sys->motion, &point, r);
  trm_sub(3, l->o, r, arm);
  trm_cross(arm, l->wf, moment);
  for (int k = 0; k < 3; k++) {
    parts[k] = sign * l->wf[k];
    parts[3 + k] = sign * (l->wn[k] + moment[k]);
  }
}

double trm_tree_effort(const trm_system *sys, int joint) {
  const trm_joint *j = &sys->model->joints[joint];
  const trm_marker axis = trm_system_axis(sys, j->end[0].body, j->axis[0]);
  double parts[6], d[3];
  trm_tree_reaction(sys, joint, parts);
  trm_direction(&sys->motion, &axis, d);
  return trm_dot(3, d, parts);
}
