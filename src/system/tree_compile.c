/* Compiling a mechanism in the coordinates of its joints: one block, one row for each quaternion,
 * then those of the joints that are not in the tree. */
#include <string.h>

#include "system/link.h"
#include "system/mechanism.h"
#include "system/signals.h"
#include "system/tree.h"

static bool create_spanning(trm_system *sys) {
  size_t bodies = (size_t)sys->model->body_count, twists = 6 * bodies + 1;
  trm_spanning *s = sys->spanning = TRM_NEW(sys->arena, trm_spanning, 1);
  if (!s) return false;
  s->link = TRM_NEW(sys->arena, int, bodies + 1);
  s->holds = TRM_NEW(sys->arena, int, bodies + 1);
  s->ball = TRM_NEW(sys->arena, int, bodies + 1);
  s->held = TRM_NEW(sys->arena, int, sys->model->joint_count + 1);
  s->sense = TRM_NEW(sys->arena, signed char, sys->model->joint_count + 1);
  s->twist = TRM_NEW(sys->arena, double, twists);
  s->motion = TRM_NEW(sys->arena, double, twists);
  s->applied = TRM_NEW(sys->arena, double, twists);
  s->row = TRM_NEW(sys->arena, double, twists);
  s->written = TRM_NEW(sys->arena, trm_frame, bodies + 1);
  return !trm_arena_failed(sys->arena);
}

/* Freedoms are counted from the configuration as written, and so are links. */
static void write_frames(trm_system *sys) {
  trm_frame *frames = sys->motion.frames;
  for (int b = 0; b < sys->motion.bodies; b++) frames[b] = trm_system_frame_written(sys, b);
  memcpy(sys->spanning->written, frames - 1, (size_t)(sys->motion.bodies + 1) * sizeof *frames);
  sys->spanning->written++;
}

static void find_balls(trm_system *sys) {
  const trm_tree *tree = sys->spanning->tree;
  int count = 0;
  for (int i = 0; i < tree->count; i++) {
    int at = trm_link_quaternion(&tree->link[i]);
    if (at >= 0) sys->spanning->ball[count++] = at;
  }
}

/* An angle is that of the second body against the first, about the first's axis. */
static void find_senses(trm_system *sys) {
  const trm_spanning *s = sys->spanning;
  for (int j = 0; j < sys->model->joint_count; j++) {
    const trm_joint *joint = &sys->model->joints[j];
    if (s->held[j] < 0 || !(trm_joint_freedoms(joint->type) & 1)) continue;
    int child = joint->end[1].body == s->held[j], parent = joint->end[1 - child].body;
    const trm_marker own = trm_system_axis(sys, joint->end[0].body, joint->axis[0]);
    const trm_marker turned = trm_system_axis(sys, parent, joint->axis[1 - child]);
    double n[3], m[3];
    trm_direction(&sys->motion, &own, n);
    trm_direction(&sys->motion, &turned, m);
    s->sense[j] = (trm_dot(3, n, m) > 0) == child ? 1 : -1;
  }
}

/* Joints of the tree keep no primitives. */
static void keep_closures(trm_system *sys) {
  int joints = sys->model->joint_count, count = 0;
  sys->m = sys->spanning->tree->balls;
  for (int j = 0; j < joints; j++) {
    int first = sys->first_primitive[j], last = sys->first_primitive[j + 1];
    sys->first_primitive[j] = count;
    if (sys->spanning->held[j] >= 0) continue;
    for (int i = first; i < last; i++, count++) {
      sys->primitives[count] = sys->primitives[i];
      sys->law[count] = sys->law[i];
      sys->rate_only[count] = sys->rate_only[i];
      sys->primitives[count].row = sys->m;
      sys->m += sys->primitives[count].rows;
    }
  }
  sys->first_primitive[joints] = sys->primitive_count = count;
}

/* From the links of a primitive's bodies to the ground; on: [links] false, and so again. */
static bool find_path(const trm_system *sys, const trm_primitive *p, bool *on, trm_path *path) {
  const trm_spanning *s = sys->spanning;
  for (int k = 0; k < p->bodies; k++)
    for (int i = s->link[p->body[k]]; i >= 0 && !on[i]; i = s->tree->link[i].parent) {
      on[i] = true;
      path->count++;
    }
  path->link = TRM_NEW(sys->arena, int, path->count + 1);
  if (!path->link) return false;
  for (int i = 0, k = 0; k < path->count; i++) {
    if (on[i]) path->link[k++] = i;
    on[i] = false;
  }
  return true;
}

/* A quaternion's row is over its own link, and pulls at no other. */
static bool find_paths(trm_system *sys) {
  const trm_tree *tree = sys->spanning->tree;
  trm_path *paths = TRM_NEW(sys->arena, trm_path, sys->m + 1);
  bool *on = TRM_NEW(sys->arena, bool, tree->count + 1);
  if (!paths || !on) return false;
  for (int i = 0, ball = 0; ball < tree->balls; i++)
    if (trm_link_quaternion(&tree->link[i]) >= 0) paths[ball++] = (trm_path){1, tree->all.link + i};
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    if (!find_path(sys, p, on, &paths[p->row])) return false;
    for (int r = 1; r < p->rows; r++) paths[p->row + r] = paths[p->row];
  }
  sys->structure.paths = paths;
  return true;
}

static bool lay_out(trm_system *sys) {
  sys->Cq = TRM_NEW(sys->arena, double, (size_t)sys->m *(size_t)sys->n + 1);
  if (!sys->Cq || !trm_structure_whole(&sys->structure, sys->arena, sys->n, sys->m, true))
    return false;
  sys->structure.tree = sys->spanning->tree;
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    for (int k = 0; k < p->bodies; k++)
      if (!(p->J[k] = TRM_NEW(sys->arena, double, 6 * p->rows))) return false;
  }
  return find_paths(sys) && trm_system_weigh_rows(sys);
}

static void describe(trm_system *sys, const double *q) {
  trm_tree *tree = sys->spanning->tree;
  for (int i = 0; i < sys->n; i++) sys->span[i] = 1;
  for (int i = 0; i < tree->count; i++) {
    const trm_link *l = &tree->link[i];
    bool slides = l->kind == TRM_LINK_PRISMATIC || l->kind == TRM_LINK_FREE;
    for (int k = 0; slides && k < (l->kind == TRM_LINK_FREE ? 3 : 1); k++)
      sys->span[l->at + k] = sys->size;
  }
  sys->structure.span = sys->span;
  trm_tree_position(tree, q);
  trm_tree_factor(tree);
  trm_tree_scale(tree, sys->M);
}

trm_system *trm_tree_system_create(const trm_model *model, const trm_coordinates *coordinates,
                                   trm_arena *arena) {
  trm_system *sys = TRM_NEW(arena, trm_system, 1);
  if (!sys) return NULL;
  sys->type = &trm_mechanism_tree;
  sys->model = model;
  sys->arena = arena;
  sys->n = model->body_count * coordinates->nq; /* of the bodies' forces */
  sys->states = model->state_count;
  sys->motion = (trm_motion){.coordinates = coordinates,
                             .dim = coordinates->dim,
                             .nq = coordinates->nq,
                             .bodies = model->body_count};
  if (!trm_system_bodies(sys) || !create_spanning(sys)) return NULL;
  write_frames(sys);
  if (!trm_tree_span(sys)) return NULL;
  find_balls(sys);
  find_senses(sys);
  sys->n = sys->spanning->tree->n;
  double *q = TRM_NEW(arena, double, sys->n + 1);
  sys->spanning->counted = TRM_NEW(arena, double, sys->n + 1);
  sys->spanning->turned = TRM_NEW(arena, double, sys->spanning->tree->count + 1);
  if (!q || !sys->spanning->counted || !sys->spanning->turned || !trm_system_joints(sys, NULL, 0))
    return NULL;
  keep_closures(sys);
  if (!trm_system_forces(sys) || !trm_system_pieces(sys) || !lay_out(sys) ||
      !trm_system_links(sys, true) || !trm_mechanism_complete(sys))
    return NULL;
  trm_system_written(sys, q);
  describe(sys, q);
  return sys;
}
