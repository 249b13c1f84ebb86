/* A mechanism as a system: its operations, and how it names its parts in messages. */
#include <stdio.h>

#include "system/euler.h"
#include "system/link.h"
#include "system/mechanism.h"
#include "system/rotation_driver.h"

#define NEXT_TO 0.3 /* radians: a step over a singular orientation ends about there */

static void take_velocity(trm_system *sys, const double *v) {
  trm_motion_velocity(&sys->motion, v);
}

static void take_position(trm_system *sys, const double *q) {
  trm_motion_position(&sys->motion, q);
}

/* Rows move where they have a time law, and nowhere else. */
double trm_mechanism_power_by_lambda(const trm_system *sys, int row) {
  return sys->Ct[row];
}

int trm_mechanism_row_joint(const trm_system *sys, int row) {
  int low = 0, high = sys->primitive_count; /* the first that ends behind the row */
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (row < sys->primitives[middle].row + sys->primitives[middle].rows)
      high = middle;
    else
      low = middle + 1;
  }
  bool inside = low < sys->primitive_count && row >= sys->primitives[low].row;
  return inside ? sys->primitives[low].joint : -1;
}

void trm_mechanism_joint_name(const trm_system *sys, int joint, char *text, size_t size) {
  snprintf(text, size, "%s", sys->model->joints[joint].name);
}

static void coordinate_name(const trm_system *sys, int coordinate, char *text, size_t size) {
  int body = coordinate / sys->motion.nq;
  snprintf(text, size, "%s '%.200s'", body < trm_model_placed(sys->model) ? "body" : "shaft",
           sys->model->bodies[body].name);
}

static int worst_row(const trm_system *sys, int first) {
  int worst = first;
  for (int i = first + 1; i < sys->m && !isnan(sys->C[worst]); i++)
    if (!(fabs(sys->C[i]) <= fabs(sys->C[worst]))) worst = i;
  return worst;
}

/* The driver most at odds with the rest, or NULL: where a mechanism locks, a motion law is out of
 * reach. */
static const trm_primitive *worst_driver(const trm_system *sys) {
  int worst = -1;
  for (int i = 0; i < sys->primitive_count; i++) {
    double off = sys->law[i] ? fabs(sys->C[sys->primitives[i].row]) : -1;
    if (off >= 0 && (worst < 0 || off > fabs(sys->C[sys->primitives[worst].row]))) worst = i;
  }
  return worst < 0 ? NULL : &sys->primitives[worst];
}

bool trm_system_explain_orientation(trm_system *sys, double within) {
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    if (trm_euler_fails(sys, p, within) || trm_rotation_fails(sys, p, within)) return true;
  }
  return false;
}

/* The bodies are made rigid so that the joint that cannot close is found. */
void trm_mechanism_explain(trm_system *sys, double violation, double *q) {
  int intrinsic = sys->primitive_count > 0 ? sys->primitives[0].row : sys->m;
  char name[220] = "the initial conditions";
  if (isfinite(violation) && intrinsic < sys->m) trm_system_make_rigid(sys, q);
  int row = worst_row(sys, intrinsic < sys->m ? intrinsic : 0);
  int joint = trm_mechanism_row_joint(sys, row);
  if (joint >= 0)
    snprintf(name, sizeof name, "joint '%.200s'", sys->model->joints[joint].name);
  else if (row < intrinsic)
    trm_system_coordinate_name(sys, sys->type->row_coordinate(sys, row), name, sizeof name);
  const trm_primitive *driver = worst_driver(sys);
  if (trm_system_explain_orientation(sys, NEXT_TO)) return;
  const char *otherwise =
      !driver          ? ""
      : driver->modulo ? "or goes over the singular orientation of its sequence of angles, or "
                       : "or ";
  trm_system_fail(sys, sys->t,
                  "the constraints cannot be met: violation %.3g, most of it in %s; %s%s%s%sa "
                  "smaller step may help",
                  fabs(violation), name, driver ? "the motion of joint '" : "",
                  driver ? sys->model->joints[driver->joint].name : "",
                  driver ? "' is out of reach, " : "", otherwise);
}

static int body_coordinate(const trm_system *sys, int body) {
  return body * sys->motion.nq;
}

static int row_coordinate(const trm_system *sys, int row) {
  return body_coordinate(sys, row / sys->motion.coordinates->intrinsic);
}

#define OPERATIONS                                                                                 \
  TRM_MECHANISM_OPERATIONS,                                                                        \
      .written = trm_mechanism_written, .given_velocities = trm_mechanism_given_velocities,        \
      .from_frames = trm_mechanism_from_frames, .position = trm_mechanism_position,                \
      .velocity = trm_mechanism_velocity, .drop_rates = trm_mechanism_drop_rates,                  \
      .accept = trm_mechanism_accept, .take_velocity = take_velocity,                              \
      .take_position = take_position, .gradient = trm_mechanism_gradient,                          \
      .tangent = trm_mechanism_tangent, .slope = trm_mechanism_slope,                              \
      .coordinate_name = coordinate_name, .body_coordinate = body_coordinate,                      \
      .row_coordinate = row_coordinate

const trm_system_class trm_mechanism = {OPERATIONS, .least = &trm_evaluation_whole,
                                        .times = trm_rows_times, .residual = trm_rows_residual};
const trm_system_class trm_mechanism_linked = {
    OPERATIONS, .least = &trm_evaluation_links, .complete_frames = trm_links_complete_frames,
    .times = trm_links_times, .residual = trm_links_residual};
