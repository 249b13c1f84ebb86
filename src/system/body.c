/* Bodies: every one lives in its centre-of-mass frame along its principal axes; the user's frame is
 * mapped once. */
#include <string.h>

#include "base/parallel.h"
#include "math/axes.h"
#include "math/rotation.h"
#include "system/cardan.h"
#include "system/mechanism.h"

/* Relative to the largest: below this a moment of inertia is zero. */
static const double negligible = 1e-12;

trm_marker trm_system_point(const trm_system *sys, const trm_end *end) {
  trm_marker marker = {.body = end->body};
  trm_system_arm(sys, end, marker.u);
  return marker;
}

trm_marker trm_system_axis(const trm_system *sys, int body, const double u[3]) {
  trm_marker marker = {.body = body};
  trm_system_localize(sys, body, u, marker.u);
  return marker;
}

/* The lever arm of a body: its farthest joint end from the centre of mass, else the model's length.
 */
static double lever(const trm_system *sys, int body) {
  const trm_model *model = sys->model;
  double longest = 0;
  for (int j = 0; j < model->joint_count; j++)
    for (int side = 0; side < 2; side++) {
      if (model->joints[j].end[side].body != body) continue;
      trm_marker p = trm_system_point(sys, &model->joints[j].end[side]);
      longest = fmax(longest, trm_norm(model->dim, p.u));
    }
  return longest > 0 ? longest : model->length;
}

/* A rotation without inertia gets a fictitious one, which the solver cancels (solver.h): a rod
 * about its axis the one it has across, a point mass that of its lever arm. */
static int replace_zeros(trm_system *sys, int body) {
  double *I = sys->inertia[body].I, largest = fmax(I[0], fmax(I[1], I[2]));
  int first = sys->motion.dim == 2 ? 2 : 0, zeros = 0;
  if (sys->motion.dim == 2) largest = I[2];
  double arm = largest > 0 ? 0 : lever(sys, body), instead = largest;
  if (largest == 0) instead = sys->model->bodies[body].mass * arm * arm;
  for (int k = first; k < 3; k++) {
    bool zero = I[k] <= negligible * largest;
    sys->principal[body].massless[k] = zero;
    if (zero) I[k] = instead;
    zeros += zero;
  }
  return zeros;
}

/* Whether a second moment vanishes: a lamina, a rod. */
static bool is_flat(const trm_inertia *inertia) {
  double J[3];
  trm_second_moments(inertia->I, J);
  return J[0] == 0 || J[1] == 0 || J[2] == 0;
}

static void add_angle(trm_system *sys, int b) {
  const trm_body *body = &sys->model->bodies[b];
  double x = cos(body->angle), y = sin(body->angle);
  double turns = round((body->angle - atan2(y, x)) / 6.283185307179586);
  trm_scalar *s = &sys->body_angle[b];
  *s = (trm_scalar){.kind = TRM_SCALAR_ANGLE, .winding = {x, y, turns, 0}};
  for (int side = 0; side < 2; side++) {
    int of = side ? b : TRM_GROUND;
    s->end[side] = trm_system_axis(sys, of, (double[3]){1, 0, 0});
    s->across[side] = trm_system_axis(sys, of, (double[3]){0, 1, 0});
  }
}

/* Masses and principal axes; the coordinates change to their form for flat bodies where there is
 * one. */
static void fill_bodies(trm_system *sys) {
  bool flat = false;
  for (int b = 0; b < sys->model->body_count; b++) {
    const trm_body *body = &sys->model->bodies[b];
    sys->inertia[b].mass = body->mass;
    if (sys->motion.dim == 2)
      sys->inertia[b].I[2] = body->inertia[2];
    else
      trm_principal_axes(body->inertia, sys->inertia[b].I, sys->principal[b].axes);
    memcpy(sys->principal[b].I, sys->inertia[b].I, sizeof sys->principal[b].I);
    sys->structure.massless += replace_zeros(sys, b);
    flat = flat || is_flat(&sys->inertia[b]);
    if (sys->motion.dim == 2 || sys->model->embedded) add_angle(sys, b);
  }
  if (flat && sys->motion.coordinates->flat)
    sys->motion.coordinates = sys->motion.coordinates->flat;
}

bool trm_system_bodies(trm_system *sys) {
  int bodies = sys->model->body_count, nq = sys->motion.nq;
  trm_frame *frames = TRM_NEW(sys->arena, trm_frame, bodies + 1);
  sys->inertia = TRM_NEW(sys->arena, trm_inertia, bodies + 1);
  sys->principal = TRM_NEW(sys->arena, trm_principal, bodies + 1);
  sys->weight_force = TRM_NEW(sys->arena, double, sys->n + 1);
  sys->body_angle = TRM_NEW(sys->arena, trm_scalar, bodies + 1);
  sys->quaternion = trm_arena_alloc(sys->arena, (size_t)bodies + 1, sizeof *sys->quaternion);
  sys->spin = trm_arena_alloc(sys->arena, (size_t)bodies + 1, sizeof *sys->spin);
  sys->cardan = trm_arena_alloc(sys->arena, (size_t)bodies + 1, sizeof *sys->cardan);
  sys->counts_cardan = TRM_NEW(sys->arena, bool, bodies + 1);
  int most = bodies > sys->model->joint_count ? bodies : sys->model->joint_count;
  sys->part_far = TRM_NEW(sys->arena, double, trm_part_count(most) + 1);
  if (trm_arena_failed(sys->arena)) return false;
  for (int k = 0; k < 3; k++) frames[0].a[k][k] = 1; /* the ground's */
  sys->motion.frames = frames + 1;
  fill_bodies(sys);
  for (int b = 0; b < bodies; b++)
    for (int i = 0; i < sys->motion.dim; i++)
      sys->weight_force[b * nq + i] = sys->inertia[b].mass * sys->model->bodies[b].gravity[i];
  return true;
}

void trm_mechanism_given_velocities(const trm_system *sys, const double *q, double *v) {
  const trm_coordinates *co = sys->motion.coordinates;
  for (int b = 0; b < sys->model->body_count; b++) {
    const trm_body *body = &sys->model->bodies[b];
    double a[3][3] = {{0}}, com[3], offset[3] = {0, 0, 0}, velocity[3];
    co->axes(q + b * co->nq, a);
    trm_system_localize(sys, b, body->com, com);
    trm_carry(co->dim, a, com, offset);
    trm_cross(body->angular_velocity, offset, velocity);
    for (int i = 0; i < 3; i++) velocity[i] += body->velocity[i];
    co->from_twist(q + b * co->nq, velocity, body->angular_velocity, v + b * co->nq);
  }
}

trm_frame trm_system_frame_written(const trm_system *sys, int b) {
  const trm_body *body = &sys->model->bodies[b];
  trm_frame frame = {.x = {0}};
  for (int i = 0; i < 3; i++) {
    frame.x[i] = body->position[i] + trm_dot(3, body->R + 3 * i, body->com);
    for (int k = 0; k < 3; k++)
      frame.a[k][i] = sys->motion.dim == 2 ? body->R[3 * i + k]
                                           : trm_dot(3, body->R + 3 * i, sys->principal[b].axes[k]);
  }
  return frame;
}

void trm_mechanism_written(const trm_system *sys, double *q) {
  const trm_coordinates *co = sys->motion.coordinates;
  for (int b = 0; b < sys->model->body_count; b++) {
    const trm_frame frame = trm_system_frame_written(sys, b);
    co->from_pose(&frame, sys->model->bodies[b].angle, q + b * co->nq);
  }
}

void trm_mechanism_from_frames(const trm_system *sys, const trm_system *from, double *q) {
  const trm_coordinates *co = sys->motion.coordinates;
  for (int b = 0; b < from->motion.bodies; b++) {
    double angle = co->dim == 2 ? trm_scalar_value(&from->body_angle[b], &from->motion) : 0;
    co->from_pose(&from->motion.frames[b], angle, q + b * co->nq);
  }
}

/* The user's axes from the principal ones. */
static void user_axes(const trm_system *sys, int body, double a[3][3]) {
  double(*principal)[3] = sys->principal[body].axes;
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++)
    trm_axes_carry(3, *sys->motion.frames[body].a,
                   (double[]){principal[0][k], principal[1][k], principal[2][k]}, a[k]);
}

/* The sign is that of the quaternion expected when the body turns from the accepted one. */
void trm_system_orientation(const trm_system *sys, int body, double p[4]) {
  double a[3][3], turn[3] = {0, 0, 0};
  trm_axpy(3, sys->motion.since, sys->spin[body], turn);
  user_axes(sys, body, a);
  trm_quaternion_of(a, p);
  trm_quaternion_follow(sys->quaternion[body], turn, p);
}

double trm_system_accept_orientation(trm_system *sys, int body) {
  const trm_frame *frame = &sys->motion.frames[body];
  double a[3][3], p[4], spin[3], turn[3], *last = sys->spin[body];
  trm_axes_spin(*frame->a, *frame->da, spin);
  for (int i = 0; i < 3; i++) turn[i] = sys->motion.since * (last[i] + spin[i]) / 2;
  user_axes(sys, body, a);
  trm_quaternion_near(a, p);
  trm_quaternion_follow(sys->quaternion[body], turn, p);
  double far = trm_system_accept_cardan(sys, body, p, turn);
  memcpy(sys->quaternion[body], p, sizeof p);
  memcpy(last, spin, sizeof spin);
  return far;
}

/* The rotation nearest to the first two axes. */
static double make_orthonormal(int dim, double a[3][3]) {
  double angle = atan2(a[0][1] - a[1][0], a[0][0] + a[1][1]);
  if (dim == 2) {
    a[0][0] = a[1][1] = cos(angle);
    a[0][1] = sin(angle);
    a[1][0] = -sin(angle);
    return angle;
  }
  double along = trm_dot(3, a[0], a[1]) / trm_dot(3, a[0], a[0]);
  trm_axpy(3, -along, a[0], a[1]);
  for (int k = 0; k < 2; k++) {
    double length = trm_norm(3, a[k]);
    for (int i = 0; i < 3; i++) a[k][i] /= length;
  }
  trm_cross(a[0], a[1], a[2]);
  return 0;
}

void trm_system_make_rigid(trm_system *sys, double *q) {
  const trm_coordinates *co = sys->motion.coordinates;
  for (int b = 0; b < sys->motion.bodies && co->intrinsic > 0; b++) {
    trm_frame *frame = &sys->motion.frames[b];
    double angle = make_orthonormal(co->dim, frame->a);
    co->from_pose(frame, angle, q + b * co->nq);
  }
  trm_system_position(sys, sys->t, q);
}
