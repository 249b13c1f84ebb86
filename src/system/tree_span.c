/* The spanning tree: which joints are in it, and the links that stand for them. */
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "system/builder.h"
#include "system/mechanism.h"
#include "system/tree.h"

enum { FREEDOMS_OF_FREE = 6, MOST_LINKS = 3 };

/* Freedoms of a joint that can be in the tree, else −1. */
static int freedoms_of(trm_joint_type type) {
  switch (type) {
  case TRM_JOINT_RIGID: return 0;
  case TRM_JOINT_REVOLUTE:
  case TRM_JOINT_SHAFT:
  case TRM_JOINT_PRISMATIC:
  case TRM_JOINT_SCREW: return 1;
  case TRM_JOINT_CYLINDRICAL:
  case TRM_JOINT_UNIVERSAL: return 2;
  case TRM_JOINT_SPHERICAL:
  case TRM_JOINT_PLANAR: return 3;
  default: return -1;
  }
}

/* ---- which joints ---- */

/* Bodies that are connected have one representative; the ground is the last of them. */
static int representative(int *set, int i) {
  while (set[i] != i) i = set[i] = set[set[i]];
  return i;
}

static bool join(int *set, int a, int b) {
  int ra = representative(set, a), rb = representative(set, b);
  set[ra] = rb;
  return ra != rb;
}

/* The stiffest joints first: few freedoms in the tree are few constraints beside it. */
static void choose_joints(const trm_model *model, int *set, bool *chosen) {
  int bodies = model->body_count;
  for (int i = 0; i <= bodies; i++) set[i] = i;
  for (int freedoms = 0; freedoms < FREEDOMS_OF_FREE; freedoms++)
    for (int j = 0; j < model->joint_count; j++) {
      const trm_joint *joint = &model->joints[j];
      int first = joint->end[0].body, second = joint->end[1].body;
      if (freedoms_of(joint->type) != freedoms) continue;
      chosen[j] = join(set, first < 0 ? bodies : first, second < 0 ? bodies : second);
    }
}

typedef struct neighbours {
  int *start, *joint; /* [bodies + 2], of chosen joints; the ground is the last */
} neighbours;

static int place_of(const trm_model *model, int body) {
  return body < 0 ? model->body_count : body;
}

static void list_neighbours(const trm_model *model, const bool *chosen, neighbours *n, int *used) {
  int bodies = model->body_count;
  memset(n->start, 0, (size_t)(bodies + 2) * sizeof(int));
  for (int j = 0; j < model->joint_count; j++)
    for (int side = 0; side < 2 && chosen[j]; side++)
      n->start[place_of(model, model->joints[j].end[side].body) + 1]++;
  for (int b = 0; b <= bodies; b++) n->start[b + 1] += n->start[b];
  for (int b = 0; b <= bodies; b++) used[b] = n->start[b];
  for (int j = 0; j < model->joint_count; j++)
    for (int side = 0; side < 2 && chosen[j]; side++)
      n->joint[used[place_of(model, model->joints[j].end[side].body)]++] = j;
}

/* From one body on through the chosen joints, parents before children. */
static int visit(const trm_model *model, const trm_spanning *s, const neighbours *n, int from,
                 int *order) {
  int count = 0;
  for (int i = -1; i < count; i++) {
    int body = i < 0 ? from : order[i];
    int place = place_of(model, body);
    for (int k = n->start[place]; k < n->start[place + 1]; k++) {
      int j = n->joint[k];
      const trm_end *end = model->joints[j].end;
      int other = end[end[0].body == body].body;
      if (s->held[j] >= 0 || other < 0) continue;
      s->held[j] = other;
      s->holds[other] = j;
      order[count++] = other;
    }
  }
  return count;
}

/* ---- links ---- */

/* A joint between two bodies as written, along the parent's axes. */
typedef struct edge {
  const trm_joint *joint;
  int parent, child; /* sides */
  double e[3][3];    /* axes of the child */
  double n[3];       /* the joint's axis on the parent, and on the child: */
  double m[3];
  double at[3];  /* the joint's point on the parent, from its centre of mass */
  double gap[3]; /* from there to the child's */
} edge;

static edge edge_of(const trm_system *sys, int j, int body) {
  const trm_joint *joint = &sys->model->joints[j];
  const trm_motion *motion = &sys->motion;
  edge g = {.joint = joint, .child = joint->end[1].body == body};
  g.parent = 1 - g.child;
  int parent = joint->end[g.parent].body;
  trm_marker points[2] = {trm_system_point(sys, &joint->end[g.parent]),
                          trm_system_point(sys, &joint->end[g.child])};
  trm_marker axis = trm_system_axis(sys, body, joint->axis[g.child]);
  double r[2][3], d[3], m[3];
  for (int k = 0; k < 2; k++) trm_position(motion, &points[k], r[k]);
  trm_sub(3, r[1], r[0], d);
  trm_direction(motion, &axis, m);
  memcpy(g.at, points[0].u, sizeof g.at);
  trm_system_localize(sys, parent, joint->axis[g.parent], g.n);
  trm_build_localize(motion, parent, d, g.gap);
  trm_build_localize(motion, parent, m, g.m);
  for (int k = 0; k < 3; k++) trm_build_localize(motion, parent, motion->frames[body].a[k], g.e[k]);
  return g;
}

/* The child's axis is brought to the parent's; which way it points stays as written. */
static void align_axes(edge *g) {
  double sign = trm_dot(3, g->n, g->m) < 0 ? -1 : 1;
  double m[3] = {sign * g->m[0], sign * g->m[1], sign * g->m[2]};
  for (int k = 0; k < 3; k++) trm_turn_along(m, g->n, g->e[k]);
}

static trm_link *next_link(trm_tree *tree, int parent, trm_link_kind kind) {
  trm_link *l = &tree->link[tree->count++];
  l->kind = kind;
  l->parent = parent;
  l->at = tree->n;
  l->body = -1;
  tree->n += trm_link_coordinates(l);
  tree->balls += trm_link_quaternion(l) >= 0;
  tree->all.count = tree->count;
  return l;
}

static double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* One freedom before others: it does not turn the axes at zero. */
static void add_between(trm_tree *tree, int *parent, trm_link_kind kind, const double axis[3],
                        double arm[3]) {
  trm_link *l = next_link(tree, *parent, kind);
  trm_link_turn(l, axis, identity);
  memcpy(l->arm, arm, 3 * sizeof *arm);
  memset(arm, 0, 3 * sizeof *arm);
  *parent = tree->count - 1;
}

static trm_link *add_joint(trm_tree *tree, int parent, edge *g, double arm[3]) {
  trm_joint_type type = g->joint->type;
  trm_link_kind kind = TRM_LINK_REVOLUTE;
  double axis[3], e[3], f[3];
  memcpy(axis, g->n, sizeof axis);
  if (freedoms_of(type) > 0 && type != TRM_JOINT_SPHERICAL && type != TRM_JOINT_UNIVERSAL)
    align_axes(g);
  switch (type) {
  case TRM_JOINT_PRISMATIC: kind = TRM_LINK_PRISMATIC; break;
  case TRM_JOINT_SCREW:
    kind = TRM_LINK_SCREW;
    trm_axpy(3, trm_dot(3, g->n, g->gap), g->n, arm);
    break;
  case TRM_JOINT_SPHERICAL: kind = TRM_LINK_BALL; break;
  case TRM_JOINT_RIGID:
    kind = TRM_LINK_FIXED;
    trm_add(3, g->gap, arm);
    break;
  case TRM_JOINT_CYLINDRICAL: add_between(tree, &parent, TRM_LINK_PRISMATIC, g->n, arm); break;
  case TRM_JOINT_PLANAR:
    trm_find_across(g->n, e);
    trm_cross(g->n, e, f);
    add_between(tree, &parent, TRM_LINK_PRISMATIC, e, arm);
    add_between(tree, &parent, TRM_LINK_PRISMATIC, f, arm);
    break;
  case TRM_JOINT_UNIVERSAL: { /* the child's axis comes to stand across the parent's */
    double along = trm_dot(3, g->n, g->m);
    for (int i = 0; i < 3; i++) axis[i] = g->m[i] - along * g->n[i];
    double length = trm_norm(3, axis);
    for (int i = 0; i < 3; i++) axis[i] /= length;
    for (int k = 0; k < 3; k++) trm_turn_along(g->m, axis, g->e[k]);
    add_between(tree, &parent, TRM_LINK_REVOLUTE, g->n, arm);
    break;
  }
  default: break;
  }
  trm_link *l = next_link(tree, parent, kind);
  l->pitch = g->joint->pitch / 6.283185307179586476925;
  trm_link_turn(l, axis, g->e);
  memcpy(l->arm, arm, 3 * sizeof *arm);
  return l;
}

static void add_body(trm_system *sys, int body) {
  trm_spanning *s = sys->spanning;
  trm_tree *tree = s->tree;
  trm_link *l;
  int j = s->holds[body];
  if (j < 0) {
    l = next_link(tree, -1, TRM_LINK_FREE);
  } else {
    edge g = edge_of(sys, j, body);
    int from = g.joint->end[g.parent].body, parent = from < 0 ? -1 : s->link[from];
    double arm[3];
    memcpy(arm, tree->link[parent].com, sizeof arm);
    trm_add(3, g.at, arm);
    l = add_joint(tree, parent, &g, arm);
    trm_marker point = trm_system_point(sys, &g.joint->end[g.child]);
    for (int i = 0; i < 3; i++) l->com[i] = -point.u[i];
  }
  const trm_principal *principal = &sys->principal[body];
  s->link[body] = tree->count - 1;
  l->body = body;
  l->mass = sys->inertia[body].mass;
  l->stiff = l->mass * sys->model->length * sys->model->length;
  for (int k = 0; k < 3; k++) {
    l->inertia[k] = principal->massless[k] ? 0 : principal->I[k];
    s->slender = s->slender || principal->massless[k];
  }
}

/* Bodies that a joint of the tree, or several, connect with one that is placed. */
static int place(trm_system *sys, const neighbours *n, int from, int *order) {
  int count = visit(sys->model, sys->spanning, n, from, order);
  for (int i = 0; i < count; i++) add_body(sys, order[i]);
  return count;
}

bool trm_tree_span(trm_system *sys) {
  const trm_model *model = sys->model;
  trm_spanning *s = sys->spanning;
  int bodies = model->body_count, joints = model->joint_count;
  bool *chosen = calloc((size_t)joints + 1, sizeof *chosen);
  int *work = calloc((size_t)(MOST_LINKS * bodies + 2 * joints + 6), sizeof *work);
  s->tree = trm_tree_create(sys->arena, MOST_LINKS * bodies + 1);
  bool good = chosen && work && s->tree;
  if (good) {
    int *set = work, *order = set + bodies + 1;
    neighbours n = {order + bodies + 1, order + 2 * bodies + 3};
    choose_joints(model, set, chosen);
    list_neighbours(model, chosen, &n, set);
    for (int b = 0; b < bodies; b++) s->holds[b] = s->link[b] = -1;
    for (int j = 0; j < joints; j++) s->held[j] = -1;
    s->tree->count = 0;
    place(sys, &n, -1, order);
    for (int b = 0; b < bodies; b++) { /* what does not hang on the ground flies */
      if (s->link[b] >= 0) continue;
      add_body(sys, b);
      place(sys, &n, b, order);
    }
  }
  free(chosen);
  free(work);
  return good;
}

/* ---- what a model's tree is like ---- */

bool trm_tree_count(const trm_model *model, trm_tree_size *size) {
  int bodies = model->body_count, joints = model->joint_count, free_bodies = bodies;
  bool *chosen = calloc((size_t)joints + 1, sizeof *chosen);
  int *set = calloc((size_t)bodies + 1, sizeof *set);
  bool good = chosen && set;
  *size = (trm_tree_size){0};
  if (good) choose_joints(model, set, chosen);
  for (int j = 0; good && j < joints; j++) {
    trm_joint_type type = model->joints[j].type;
    bool ball = chosen[j] && type == TRM_JOINT_SPHERICAL;
    if (chosen[j]) size->coordinates += ball ? 4 : freedoms_of(type);
    size->quaternions += ball;
    size->closures += !chosen[j];
    free_bodies -= chosen[j];
  }
  size->coordinates += 7 * free_bodies;
  size->quaternions += free_bodies;
  free(chosen);
  free(set);
  return good;
}
