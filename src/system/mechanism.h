/* A mechanism's side of the operations every system has. Internal to this room. */
#ifndef TRM_SYSTEM_MECHANISM_H
#define TRM_SYSTEM_MECHANISM_H

#include <string.h>

#include "system/system.h"

/* A body's pose in the model file. */
trm_frame trm_system_frame_written(const trm_system *system, int body);
void trm_mechanism_written(const trm_system *system, double *q);
void trm_mechanism_from_frames(const trm_system *system, const trm_system *from, double *q);
void trm_mechanism_given_velocities(const trm_system *system, const double *q, double *v);
bool trm_mechanism_position(trm_system *system, double t, const double *q);
bool trm_mechanism_velocity(trm_system *system, const double *v);
void trm_mechanism_drop_rates(trm_system *system);
double trm_mechanism_power(const trm_system *system);
void trm_mechanism_accept(trm_system *system, double fastest);
/* How far a body can have turned since turns were counted. True: they are now, but for angles of
 * joints in a tree that it knows since then, which is where `turned` is finite. */
double trm_mechanism_turned(const trm_system *system, double fastest);
bool trm_mechanism_count_turns(trm_system *system, double turned);
unsigned long trm_mechanism_branch(trm_system *system, double t, const double *q, const double *v);
double trm_mechanism_kinetic(const trm_system *system);
double trm_mechanism_potential(const trm_system *system);
double trm_mechanism_spring_energy(const trm_system *system); /* of all force elements */
/* Values of primitives that follow laws of time, at t. False: see system->error. */
bool trm_mechanism_laws(trm_system *system, double t, const double *z, const double *rates);
/* Adds what the force elements do to Q, over the bodies' coordinates, and power; from frames. */
bool trm_mechanism_forces(trm_system *system, double *Q);
bool trm_mechanism_gradient(const trm_system *system, const trm_measure *measure, double *row);
bool trm_mechanism_tangent(trm_system *system, const double *a, const double *lambda,
                           struct trm_tangent *tangent);
void trm_mechanism_slope(const trm_system *system, struct trm_tangent *tangent, const double *x,
                         double *slope);
void trm_mechanism_measure(const trm_system *system, const trm_measure *measure,
                           trm_reading *reading);
double trm_mechanism_power_by_lambda(const trm_system *system, int row);
int trm_mechanism_row_joint(const trm_system *system, int row);
void trm_mechanism_joint_name(const trm_system *system, int joint, char *text, size_t size);
void trm_mechanism_explain(trm_system *system, double violation, double *q);
/* Whether a driver of an orientation is within so many radians of where its angles or rotation
 * vector have no value: then system->error says so. */
bool trm_system_explain_orientation(trm_system *system, double within);

/* M += s CᵢᵀCᵢ of a body's intrinsic rows, and K += s ∂(CᵢᵀCᵢ a)/∂q: Cᵢ is linear in q, so that
 * ∂(Cᵢ a)/∂q is Cᵢ at a. */
void trm_repair_mass(const trm_coordinates *coordinates, double s, const double *rows, double *M);
void trm_repair_slope(const trm_coordinates *coordinates, double s, const double *rows,
                      const double *a, double *K);

/* The rest of a mechanism, when its bodies, joints, forces and layout are there. False: out of
 * memory. */
bool trm_mechanism_complete(trm_system *system);

/* What mechanisms have in common, whatever their coordinates. */
#define TRM_MECHANISM_OPERATIONS                                                                   \
  .power = trm_mechanism_power, .power_by_lambda = trm_mechanism_power_by_lambda,                  \
  .branch = trm_mechanism_branch, .kinetic = trm_mechanism_kinetic,                                \
  .potential = trm_mechanism_potential, .measure = trm_mechanism_measure,                          \
  .row_group = trm_mechanism_row_joint, .group_name = trm_mechanism_joint_name,                    \
  .explain = trm_mechanism_explain

/* Q is not the weight alone. */
static inline bool trm_mechanism_is_forced(const trm_system *sys) {
  return sys->model->force_count > 0 || sys->motion.coordinates->inertia_force ||
         sys->structure.massless > 0;
}

/* To the state at t. */
static inline void trm_system_move_to(trm_system *sys, double t, const double *q) {
  sys->t = t;
  sys->motion.q = q;
  sys->motion.since = t - sys->accepted_t;
}

/* Slots of formulas at (t, q, v), without the stages. */
void trm_mechanism_fill_slots(trm_system *sys, double t, const double *q, const double *v);

/* Components of a body-frame vector along the principal axes; the ground has none. */
static inline void trm_system_localize(const trm_system *sys, int body, const double u[3],
                                       double out[3]) {
  if (body < 0 || sys->motion.dim == 2) {
    memcpy(out, u, 3 * sizeof *out);
    return;
  }
  double(*axes)[3] = sys->principal[body].axes;
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) out[k] = trm_dot(3, axes[k], u);
}

/* From the centre of mass to the point. */
static inline void trm_system_arm(const trm_system *sys, const trm_end *end, double u[3]) {
  static const double origin[3];
  const double *com = end->body < 0 ? origin : sys->model->bodies[end->body].com;
  double d[3] = {end->u[0] - com[0], end->u[1] - com[1], end->u[2] - com[2]};
  trm_system_localize(sys, end->body, d, u);
}

#endif
