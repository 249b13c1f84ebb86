/* A mechanism in the coordinates of its joints as a system: its stages and its operations. */
#include <stdio.h>
#include <string.h>

#include "coordinates/angle.h"
#include "math/double2.h"
#include "system/link.h"
#include "system/mechanism.h"
#include "system/tree.h"

#define ROUND_OFF 1e-13 /* of a row over the bodies */

static bool has_closures(const trm_system *sys) {
  return sys->primitive_count > 0;
}

/* What is not zero of a quaternion's row. */
static double *ball_row(const trm_system *sys, int ball) {
  return sys->Cq + (ptrdiff_t)ball * sys->n + sys->spanning->ball[ball];
}

/* ---- position ---- */

/* (p·p − 1)/2 = 0 */
static void position_balls(trm_system *sys, const double *q) {
  const trm_spanning *s = sys->spanning;
  for (int i = 0; i < s->tree->balls; i++) {
    const double *p = q + s->ball[i];
    sys->C[i] = (trm_dot4(p, p) - 1) / 2;
    memcpy(ball_row(sys, i), p, 4 * sizeof *p);
  }
}

/* As the projection in the mass norm would: M keeps what is along a quaternion by itself. */
static bool normalize(trm_system *sys, double *q, double *v) {
  const trm_spanning *s = sys->spanning;
  double square = 0;
  if (has_closures(sys)) return false;
  for (int i = 0; i < s->tree->balls; i++) {
    double *p = q + s->ball[i], *dp = v + s->ball[i], size = sqrt(trm_dot4(p, p));
    for (int k = 0; k < 4; k++) p[k] /= size;
    double along = trm_dot4(p, dp);
    for (int k = 0; k < 4; k++) dp[k] -= along * p[k];
    square += pow(trm_dot4(p, dp), 2);
  }
  position_balls(sys, q);
  sys->velocity_violation = sqrt(square);
  return true;
}

/* y = Cq x */
static void times(const trm_system *sys, const double *x, double *y) {
  const trm_spanning *s = sys->spanning;
  for (int i = 0; i < s->tree->balls; i++) y[i] = trm_dot4(ball_row(sys, i), x + s->ball[i]);
  for (int i = s->tree->balls; i < sys->m; i++)
    y[i] = trm_pair_dot(sys->n, sys->Cq + (ptrdiff_t)i * sys->n, x);
}

static void residual(const trm_system *sys, const double *v, double *gap) {
  times(sys, v, gap);
  trm_axpy(sys->m, 1, sys->Ct, gap);
}

/* Where no joint of the tree moves what a row is over, the wrenches cancel: what is left is zero,
 * and must not look like a row that is independent of the others. */
static void drop_round_off(const trm_system *sys, const trm_primitive *p, int r, double *row) {
  const trm_path *path = &sys->structure.paths[p->row];
  double bodies = 0;
  for (int k = 0; k < p->bodies; k++) {
    const double *J = p->J[k] + 6 * (ptrdiff_t)r;
    bodies +=
        sys->size * (fabs(J[0]) + fabs(J[1]) + fabs(J[2])) + fabs(J[3]) + fabs(J[4]) + fabs(J[5]);
  }
  for (int k = 0; k < path->count; k++) {
    const trm_link *l = &sys->spanning->tree->link[path->link[k]];
    for (int i = l->at; i < l->at + trm_link_coordinates(l); i++)
      if (!(fabs(row[i]) * sys->span[i] <= ROUND_OFF * bodies)) return;
  }
  memset(row, 0, (size_t)sys->n * sizeof *row);
}

/* Rows of one primitive: as wrenches on its bodies, then over the tree. */
static void project_rows(trm_system *sys, const trm_primitive *p) {
  const trm_spanning *s = sys->spanning;
  for (int r = 0; r < p->rows; r++) {
    double *row = sys->Cq + (ptrdiff_t)(p->row + r) * sys->n;
    for (int k = 0; k < p->bodies; k++)
      memcpy(s->row + 6 * (ptrdiff_t)p->body[k], p->J[k] + 6 * (ptrdiff_t)r, 6 * sizeof(double));
    trm_tree_transposed(s->tree, &sys->structure.paths[p->row], s->row, row);
    drop_round_off(sys, p, r, row);
    for (int k = 0; k < p->bodies; k++)
      memset(s->row + 6 * (ptrdiff_t)p->body[k], 0, 6 * sizeof(double));
  }
}

static bool go_to(trm_system *sys, double t, const double *q, bool frames) {
  trm_system_move_to(sys, t, q);
  trm_tree_position(sys->spanning->tree, q);
  if (sys->spanning->slender) trm_tree_factor(sys->spanning->tree); /* what turns got for it */
  position_balls(sys, q);
  sys->frames_stale = !frames;
  if (frames) trm_tree_write_poses(sys);
  if (!trm_unlinked_position(sys)) return false;
  for (int i = 0; i < sys->primitive_count; i++) project_rows(sys, &sys->primitives[i]);
  return true;
}

static bool position_whole(trm_system *sys, double t, const double *q) {
  return go_to(sys, t, q, true);
}

static bool position_least(trm_system *sys, double t, const double *q) {
  return go_to(sys, t, q, has_closures(sys));
}

static void drop_rates(trm_system *sys) {
  for (int i = 0; i < sys->primitive_count; i++)
    if (sys->rate_only[i])
      memset(sys->Cq + (ptrdiff_t)sys->primitives[i].row * sys->n, 0,
             (size_t)(sys->primitives[i].rows * sys->n) * sizeof(double));
}

/* ---- velocity ---- */

static void bias_balls(trm_system *sys) {
  const trm_spanning *s = sys->spanning;
  for (int i = 0; i < s->tree->balls; i++) {
    const double *dp = sys->v + s->ball[i];
    sys->Qd[i] = -trm_dot4(dp, dp);
  }
}

/* Formulas and forces are there to be evaluated; else the weight is all. */
static bool is_forced(const trm_system *sys) {
  return sys->model->force_count > 0 || sys->signals || sys->filtered;
}

/* Frames are read by forces and formulas, and by the joints that are not in the tree. */
static bool needs_frames(const trm_system *sys) {
  return has_closures(sys) || is_forced(sys);
}

const double *trm_tree_applied(const trm_system *sys) {
  return is_forced(sys) ? sys->spanning->applied : sys->weight_force;
}

/* What acts on the bodies; frames are stale until somebody asks where nobody needs them here. */
static bool load(trm_system *sys, const double *v, bool frames) {
  const trm_spanning *s = sys->spanning;
  size_t bytes = (size_t)sys->motion.bodies * 6 * sizeof(double);
  sys->v = v;
  sys->power = 0;
  trm_tree_velocity(s->tree, v);
  if (frames) {
    if (sys->frames_stale) trm_tree_write_poses(sys);
    trm_tree_write_rates(sys);
    sys->frames_stale = false;
  }
  if (is_forced(sys)) {
    memcpy(s->applied, sys->weight_force, bytes);
    trm_system_fill_slots(sys, v);
    if (!trm_mechanism_forces(sys, s->applied)) return false;
  }
  trm_tree_load(s->tree, trm_tree_applied(sys));
  return true;
}

/* Accelerations of the bodies, from those of the links. */
static void read_motion(const trm_system *sys) {
  const trm_spanning *s = sys->spanning;
  for (int b = 0; b < sys->motion.bodies; b++) {
    const trm_link *l = &s->tree->link[s->link[b]];
    double *a = s->motion + 6 * (ptrdiff_t)b, arm[3], more[3];
    trm_cross(l->dw, l->c, a);
    trm_cross(l->w, l->c, arm);
    trm_cross(l->w, arm, more);
    for (int i = 0; i < 3; i++) {
      a[i] += l->dv[i] + more[i];
      a[3 + i] = l->dw[i];
    }
  }
}

/* Rows hold for accelerations of the bodies, which are not zero where q̈ is. */
static void bias_closures(trm_system *sys) {
  const trm_spanning *s = sys->spanning;
  if (!has_closures(sys)) return;
  read_motion(sys);
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    for (int k = 0; k < p->bodies; k++)
      for (int r = 0; r < p->rows; r++)
        for (int c = 0; c < 6; c++)
          sys->Qd[p->row + r] -= p->J[k][6 * r + c] * s->motion[6 * (ptrdiff_t)p->body[k] + c];
  }
}

static bool move(trm_system *sys, const double *v, bool frames) {
  memset(sys->Qd, 0, (size_t)sys->m * sizeof(double));
  if (!load(sys, v, frames) || !trm_unlinked_bias(sys)) return false;
  bias_balls(sys);
  trm_tree_force(sys->spanning->tree, sys->Q);
  bias_closures(sys); /* the links have the accelerations of q̈ = 0 */
  return true;
}

static bool velocity_whole(trm_system *sys, const double *v) {
  return move(sys, v, true);
}

static bool velocity_least(trm_system *sys, const double *v) {
  return move(sys, v, needs_frames(sys));
}

static bool stage(trm_system *sys, double t, const double *q, const double *v) {
  trm_tree *tree = sys->spanning->tree;
  trm_system_move_to(sys, t, q);
  sys->frames_stale = true;
  if (is_forced(sys)) {
    trm_tree_position(tree, q);
    if (!load(sys, v, true)) return false;
    trm_tree_start(tree);
    return true;
  }
  sys->v = v;
  sys->power = 0;
  trm_tree_state(tree, q, v, sys->weight_force);
  return true;
}

static void take_position(trm_system *sys, const double *q) {
  sys->motion.q = q;
  trm_tree_position(sys->spanning->tree, q);
  trm_tree_write_poses(sys);
}

static void take_velocity(trm_system *sys, const double *v) {
  trm_tree_velocity(sys->spanning->tree, v);
  trm_tree_write_rates(sys);
}

static void complete_frames(trm_system *sys) {
  if (!sys->frames_stale) return;
  trm_tree_write_poses(sys);
  trm_tree_write_rates(sys);
  sys->frames_stale = false;
}

/* What joints that are not in the tree do to the bodies: −Jᵀλ. */
void trm_tree_add_reactions(const trm_system *sys, const double *lambda, double *applied) {
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    for (int k = 0; k < p->bodies; k++)
      for (int r = 0; r < p->rows; r++)
        trm_axpy(6, -lambda[p->row + r], p->J[k] + 6 * (ptrdiff_t)r,
                 applied + 6 * (ptrdiff_t)p->body[k]);
  }
}

/* Accelerations of the bodies, and what the joints of the tree transmit. */
static void find_motion(trm_system *sys) {
  const trm_spanning *s = sys->spanning;
  size_t bytes = (size_t)sys->motion.bodies * 6 * sizeof(double);
  complete_frames(sys);
  trm_tree_follow(s->tree, sys->a);
  memcpy(s->row, trm_tree_applied(sys), bytes);
  trm_tree_add_reactions(sys, sys->lambda, s->row);
  trm_tree_load(s->tree, s->row);
  memset(s->row, 0, bytes);
  trm_tree_transmit(s->tree);
  read_motion(sys);
}

/* ---- the accepted state ---- */

/* The angles between the ground and a body tell how far it has turned, but for its balls. What is
 * foreseen by the rates of the state where turns were counted must be as short. */
static double farthest_turn(const trm_system *sys, double fastest) {
  const trm_spanning *s = sys->spanning;
  double farthest = s->counted_rate * fabs(sys->motion.since);
  double ball = trm_mechanism_turned(sys, fastest);
  for (int i = 0; i < s->tree->count; i++) {
    const trm_link *l = &s->tree->link[i];
    double turned = l->parent < 0 ? 0 : s->turned[l->parent];
    if (trm_link_has_angle(l)) turned += fabs(sys->motion.q[l->at] - s->counted[l->at]);
    if (trm_link_quaternion(l) >= 0) turned += ball;
    s->turned[i] = turned;
    if (turned > farthest) farthest = turned;
  }
  return farthest;
}

static double fastest_turn(const trm_system *sys) {
  const trm_spanning *s = sys->spanning;
  double fastest = 0;
  for (int i = 0; i < s->tree->count; i++) {
    const trm_link *l = &s->tree->link[i];
    double rate = l->parent < 0 ? 0 : s->turned[l->parent];
    if (trm_link_has_angle(l)) rate += fabs(sys->v[l->at]);
    s->turned[i] = rate;
    if (rate > fastest) fastest = rate;
  }
  return fastest;
}

static void turn_joints(trm_system *sys) {
  const trm_spanning *s = sys->spanning;
  for (int j = 0; j < sys->model->joint_count; j++) {
    if (!s->sense[j]) continue;
    int at = s->tree->link[s->link[s->held[j]]].at;
    double angle = s->sense[j] * (sys->motion.q[at] - s->counted[at]);
    trm_winding_turn(&sys->freedom[2 * j].winding, angle, s->sense[j] * sys->v[at]);
  }
}

static void accept(trm_system *sys, double fastest) {
  trm_spanning *s = sys->spanning;
  bool follows = fastest < INFINITY && sys->far > 0; /* from a state that was counted here */
  double turned = follows ? farthest_turn(sys, fastest) : INFINITY;
  if (!trm_mechanism_count_turns(sys, turned)) return;
  if (follows) turn_joints(sys);
  memcpy(s->counted, sys->motion.q, (size_t)sys->n * sizeof(double));
  s->counted_rate = fastest_turn(sys);
}

/* Of the links, as bodies' frames would tell: the inertia that turns without any got has no share.
 */
static void energies(trm_system *sys, double *T, double *V) {
  const trm_spanning *s = sys->spanning;
  double twice = 0, weight = 0;
  if (is_forced(sys)) complete_frames(sys);
  trm_tree_places(s->tree);
  trm_tree_speeds(s->tree);
  for (int b = 0; b < sys->motion.bodies; b++) {
    const trm_link *l = &s->tree->link[s->link[b]];
    const double *force = sys->weight_force + 6 * (ptrdiff_t)b;
    double v[3];
    trm_cross(l->w, l->c, v);
    for (int k = 0; k < 3; k++) {
      double along = trm_dot(3, l->a[k], l->w);
      v[k] += l->vo[k];
      twice += l->inertia[k] * along * along;
      weight += force[k] * (l->o[k] + l->c[k]);
    }
    twice += l->mass * trm_dot(3, v, v);
  }
  *T = twice / 2;
  *V = trm_mechanism_spring_energy(sys) - weight;
}

const trm_evaluation trm_evaluation_tree = {.position = position_least,
                                            .velocity = velocity_least,
                                            .energies = energies,
                                            .stage = stage,
                                            .normalize = normalize};

static double free_motion(const trm_system *sys) {
  const trm_spanning *s = sys->spanning;
  double sum = 0;
  for (int b = 0; b < sys->motion.bodies; b++) {
    const trm_link *l = &s->tree->link[s->link[b]];
    const double *force = trm_tree_applied(sys) + 6 * (ptrdiff_t)b;
    sum += trm_dot(3, force, force) / l->mass;
    for (int k = 0; k < 3; k++) {
      double torque = trm_dot(3, l->a[k], force + 3);
      if (l->inertia[k] > 0) sum += torque * torque / l->inertia[k];
    }
  }
  return sum;
}

/* ---- poses and twists ---- */

static void from_frames(const trm_system *sys, const trm_system *from, double *q) {
  trm_tree_read_poses(sys, from->motion.frames, q);
}

static void written(const trm_system *sys, double *q) {
  trm_frame *frames = sys->spanning->written;
  trm_tree_read_poses(sys, frames, q);
}

static void from_rates(const trm_system *sys, const trm_system *from, double *v) {
  trm_tree_read_rates(sys, &from->motion, v);
}

/* ---- the rest ---- */

static bool gradient(const trm_system *sys, const trm_measure *measure, double *row) {
  const trm_spanning *s = sys->spanning;
  size_t bytes = (size_t)sys->motion.bodies * 6 * sizeof(double);
  bool good = trm_mechanism_gradient(sys, measure, s->row);
  if (good) trm_tree_transposed(s->tree, &s->tree->all, s->row, row);
  memset(s->row, 0, bytes);
  return good;
}

static void coordinate_name(const trm_system *sys, int coordinate, char *text, size_t size) {
  const trm_spanning *s = sys->spanning;
  int i = s->tree->count - 1;
  while (i > 0 && s->tree->link[i].at > coordinate) i--;
  while (s->tree->link[i].body < 0) i++; /* the body that the joint holds */
  int body = s->tree->link[i].body;
  snprintf(text, size, "%s '%.200s'", body < trm_model_placed(sys->model) ? "body" : "shaft",
           sys->model->bodies[body].name);
}

/* A fixed link has no coordinate of its own: it moves by those of what it is fixed to. */
static int body_coordinate(const trm_system *sys, int body) {
  const trm_link *link = sys->spanning->tree->link;
  int i = sys->spanning->link[body];
  while (i >= 0 && link[i].kind == TRM_LINK_FIXED) i = link[i].parent;
  return i < 0 ? 0 : link[i].at;
}

static int row_coordinate(const trm_system *sys, int row) {
  return sys->spanning->ball[row];
}

const trm_system_class trm_mechanism_tree = {
    TRM_MECHANISM_OPERATIONS,
    .least = &trm_evaluation_tree,
    .written = written,
    .from_frames = from_frames,
    .from_rates = from_rates,
    .position = position_whole,
    .velocity = velocity_whole,
    .drop_rates = drop_rates,
    .accept = accept,
    .free_motion = free_motion,
    .take_velocity = take_velocity,
    .take_position = take_position,
    .complete_frames = complete_frames,
    .find_motion = find_motion,
    .times = times,
    .residual = residual,
    .gradient = gradient,
    .tangent = trm_tree_tangent,
    .slope = trm_tree_slope,
    .coordinate_name = coordinate_name,
    .body_coordinate = body_coordinate,
    .row_coordinate = row_coordinate,
};
