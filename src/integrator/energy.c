/* Keeping the energy, or another conserved measure, by a change along the constraints (003 eq.
 * 18–20).
 *
 * Eq. (20) changes the velocity alone, and so do the embedded corrections. A step's own error is in
 * q as well as in v: put into v alone it becomes an error along the motion, the larger the slower
 * it is. Where positions are corrected anyway, the energy is met by the smallest change of both, α
 * of the tangent velocity v_t and β of the tangent acceleration p, down or up the potential. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrator/dynamics.h"
#include "math/extremes.h"

/* Below this multiple of the energy error there is too little motion to act on. */
static const double enough = 10;
/* Of the largest kinetic energy T0: below it a motion along the constraints is too slow. An error e
 * of the energy becomes one of the velocity, δv/v0 = e/(2 √(T T0)), which is √(T0/T) times what it
 * is at full speed: here a thousand times, and a method would lose its order. The thousand is
 * chosen. */
static const double slow = 1e-6;
/* Of the kinetic energy at an instant: where drivers have nearly all of it, the rest is no place
 * for errors of the whole. They would become √(T/T_t) times as large there: here ten times, chosen.
 */
static const double little = 1e-2;
/* Of the distance over which the motion changes: how far aside the energy is taken for its slope.
 */
static const double aside = 1e-4;
/* (ωh)² below which the motion is uniform within a step, and p is round-off. */
static const double uniform = 1e-10;
/* Of the span of the mechanism: there round-off in the energy's slope is as small as its bend. */
static const double nearest = 1e-8;

/* Of the largest kinetic energy, and of the square of the largest acceleration: less along the
 * constraints is none, as where drivers leave no freedom. */
static const double round_off = 1e-20;

static double error_at(trm_dynamics *d, const double *q, const double *v) {
  trm_system *sys = d->system;
  trm_system_take_position(sys, q);
  trm_system_take_velocity(sys, v);
  return trm_system_energy(sys) - sys->energy0 - v[d->at.v];
}

double trm_energy_error(trm_dynamics *d, const double *y) {
  return error_at(d, y, y + d->at.v);
}

static bool is_driven(const trm_system *sys) {
  for (int i = 0; i < sys->m; i++)
    if (sys->Ct[i] != 0) return true;
  return false;
}

/* v_t, and its kinetic energy; the energy of all of v. Where constraints stand still and velocities
 * are projected, v itself will do. */
static double find_tangent(trm_dynamics *d, const double *v) {
  memcpy(d->tangent, v, (size_t)d->n * sizeof(double));
  double whole = d->tangent_kinetic = trm_system_kinetic(d->system);
  if (!d->stabilizer->type->project || is_driven(d->system)) {
    trm_dynamics_tangent(d, d->tangent);
    trm_system_take_velocity(d->system, d->tangent);
    d->tangent_kinetic = trm_system_kinetic(d->system);
  }
  return whole;
}

/* p, from the last acceleration at hand. */
static void find_tangent_acceleration(trm_dynamics *d) {
  memcpy(d->tangent_acceleration, d->system->a, (size_t)d->n * sizeof(double));
  trm_dynamics_tangent(d, d->tangent_acceleration);
}

/* ω², by which changes of q weigh against those of v: the largest acceleration over the largest
 * velocity so far. Zero where nothing can be said. */
static double find_weight(trm_dynamics *d) {
  double h = d->system->t - d->last_time, vv = 2 * d->max_kinetic;
  double weight = vv > 0 ? d->max_acceleration / vv : 0;
  return weight * h * h > uniform ? weight : 0;
}

/* Of a change of q or v (first: where it is in a state), in units of a history's tolerance. */
static double tolerance_square(const trm_dynamics *d, int first, const double *x) {
  const double *w = d->weight + first;
  double sum = 0;
  for (int i = 0; i < d->n; i++) sum += w[i] * w[i] * x[i] * x[i];
  return sum / d->size;
}

/* dE/dβ along p */
static double find_slope(trm_dynamics *d, const double *q, const double *v, double error,
                         double reach) {
  memcpy(d->normal, q, (size_t)d->n * sizeof(double));
  trm_axpy(d->n, reach, d->tangent_acceleration, d->normal);
  return (error_at(d, d->normal, v) - error) / reach;
}

/* The smallest α² v_tᵀM v_t + ω² β² pᵀM p that takes away the energy error, or the smallest in
 * units of a history's tolerance; zero where too little moves. */
static void find_least_norms(trm_dynamics *d, const double *q, const double *v, double *alpha,
                             double *beta) {
  double error = error_at(d, q, v), weight = find_weight(d), ease = 1, lever = 0;
  *alpha = *beta = 0;
  double whole = find_tangent(d, v);
  bool moves = d->tangent_kinetic > round_off * d->max_kinetic;
  double gain = moves ? 2 * d->tangent_kinetic : 0, reached = gain; /* reached: as an energy */
  if (d->weight && gain > 0) ease = gain / tolerance_square(d, d->at.v, d->tangent);
  gain *= ease;
  if (weight > 0) {
    find_tangent_acceleration(d);
    double pp = trm_dynamics_square(d, d->tangent_acceleration);
    double reach = fmax(aside / weight, nearest * sqrt(d->energy_unit / pp));
    bool free = pp > round_off * d->max_acceleration;
    double slope = free ? find_slope(d, q, v, error, reach) : 0;
    double square = d->weight ? tolerance_square(d, 0, d->tangent_acceleration) : weight * pp;
    lever = free ? slope / square : 0;
    gain += lever * slope;
    reached += free ? slope * slope / (weight * pp) : 0;
  }
  if (reached < 2 * little * whole) return;
  bool acts = d->weight ? gain > 0 : gain * d->max_kinetic > enough * error * error;
  if (!acts) return;
  double share = -error / gain, size = d->weight ? fabs(error) / sqrt(gain) : 0;
  if (size > 1) share /= size; /* no test for errors would let more pass, however short the step */
  *alpha = share * ease;
  *beta = share * lever;
}

/* The kept measure H: the least change of v along the constraints, w = N M⁻¹ ∂H/∂v, of which H is
 * linear; what to add of w. */
static double find_kept_share(trm_dynamics *d, const double *v) {
  trm_system *sys = d->system;
  double *gradient = d->normal, *w = d->tangent, rate = 0;
  trm_system_take_velocity(sys, v);
  double error = trm_system_measure(sys, d->kept) - d->kept0, kinetic = trm_system_kinetic(sys);
  trm_system_gradient(sys, d->kept, gradient);
  memset(sys->Qd, 0, (size_t)sys->m * sizeof(double));
  trm_solver_solve(d->solver, gradient, sys->Qd, NULL, w, d->mu);
  for (int i = 0; i < d->n; i++) rate += gradient[i] * w[i];
  bool acts = rate > 0 && kinetic * rate > enough * error * error / 2;
  d->energy_skips += !acts;
  return acts ? -error / rate : 0;
}

/* α of the tangent velocity alone, spread over a step or exactly. */
static double find_rest(trm_dynamics *d, const double *v, bool exactly) {
  trm_system_take_velocity(d->system, v);
  double error = trm_system_energy(d->system) - d->system->energy0 - v[d->at.v];
  double least = fmax(slow * d->max_kinetic, little * find_tangent(d, v));
  bool acts = d->tangent_kinetic > fmax(enough * fabs(error), least);
  d->energy_skips += !acts;
  if (!acts) return 0;
  return exactly ? sqrt(1 - error / d->tangent_kinetic) - 1 : -error / (2 * d->tangent_kinetic);
}

void trm_energy_correction(trm_dynamics *d, const double *y, double *dv) {
  const double *v = y + d->at.v;
  double share = d->kept ? find_kept_share(d, v) : find_rest(d, v, false);
  trm_axpy(d->n, share, d->tangent, dv);
  trm_system_take_velocity(d->system, v); /* measures follow */
}

void trm_energy_shift(void *context, double *q, double *v) {
  trm_dynamics *d = context;
  double alpha, beta;
  if (d->kept) return;
  find_least_norms(d, q, v, &alpha, &beta);
  trm_axpy(d->n, alpha, d->tangent, v);
  trm_axpy(d->n, beta, d->tangent_acceleration, q);
}

void trm_energy_restore(trm_dynamics *d, double *y) {
  if (d->weight && !d->kept) return; /* what is left is taken away with the next step */
  double *v = y + d->at.v, share = d->kept ? find_kept_share(d, v) : find_rest(d, v, true);
  trm_axpy(d->n, share, d->tangent, v);
}

/* Forces do work on the last digits of positions. */
void trm_energy_note_digits(trm_dynamics *d, const double *q) {
  double work = 0;
  for (int i = 0; i < d->n; i++) work += fabs(d->system->Q[i] * q[i]);
  d->energy_digits = trm_larger(d->energy_digits, DBL_EPSILON * work);
}

double trm_dynamics_kinetic(trm_dynamics *d, const double *v) {
  const trm_system *sys = d->system;
  const trm_structure *s = &sys->structure;
  double sum = trm_dynamics_square(d, v);
  for (int i = 0; i < s->massless; i++) { /* without what M carries for massless rotations */
    int b = s->massless_block[i];
    double rate = 0;
    for (int k = 0; k < trm_block_width(s, b); k++)
      rate += sys->N[s->massless_value[i] + k] * v[s->q_start[b] + k];
    sum -= s->massless_inertia[i] * rate * rate;
  }
  return sum / 2;
}

void trm_restore_kinetic(trm_dynamics *d, double *y) {
  trm_system *sys = d->system;
  double *v = y + d->at.v, excess = d->kinetic - trm_dynamics_kinetic(d, v);
  memcpy(d->tangent, v, (size_t)d->n * sizeof(double));
  trm_dynamics_tangent(d, d->tangent); /* what drives the constraints stays as it is */
  double kinetic = trm_dynamics_kinetic(d, d->tangent);
  if (kinetic > enough * fabs(excess))
    trm_axpy(d->n, sqrt(1 + excess / kinetic) - 1, d->tangent, v);
  sys->velocity_violation = trm_system_velocity_residual(sys, v, d->stabilizer->g);
}
