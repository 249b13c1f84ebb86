/* From states to rates. */
#include <stdio.h>
#include <string.h>

#include "integrator/integrator.h"
#include "math/double2.h"
#include "math/extremes.h"
#include "stabilization/partition.h"

/* Of what rows that do not fit were open by as written: farther, others had better be left out. */
static const double opened = 3;

/* Stages within a step need no multipliers, which Baumgarte's and embedded rates and the power of
 * drivers are made of. At the end of an explicit step there is no tangent to follow, and direct
 * correction asks for no more than the constraints themselves. */
static void choose_evaluations(trm_dynamics *d, const trm_settings *settings) {
  const trm_stabilization *type = d->stabilizer->type;
  const trm_evaluation *least = d->system->type->least, *whole = &trm_evaluation_whole;
  bool feedback = d->correction || type == &trm_stabilization_baumgarte;
  bool direct = type == &trm_stabilization_direct && !d->conserve;
  bool tangents = !trm_integrator_find(settings->integrator)->tableau;
  if (!trm_solver_accelerates(d->solver)) least = whole;
  d->within = feedback || trm_system_is_driven(d->system) ? whole : least;
  d->end = direct && !tangents ? least : whole;
}

/* While a position is corrected the velocity is still off the constraints, which changes the energy
 * of a mechanism that they drive. */
static bool can_shift_within(const trm_dynamics *d) {
  return d->stabilizer->type->project && !trm_system_is_driven(d->system);
}

bool trm_dynamics_create(trm_dynamics *d, trm_arena *arena, trm_stabilizer *stabilizer,
                         const trm_settings *settings) {
  trm_system *sys = stabilizer->system;
  *d = (trm_dynamics){.system = sys,
                      .solver = stabilizer->solver,
                      .stabilizer = stabilizer,
                      .per_span = stabilizer->per_span,
                      .n = sys->n,
                      .at = trm_layout_of(sys->n, sys->states),
                      .kinetic = -1};
  d->size = d->at.size;
  d->normal = TRM_NEW(arena, double, sys->n);
  d->mu = TRM_NEW(arena, double, sys->m + 1);
  d->tangent = TRM_NEW(arena, double, sys->n);
  d->tangent_acceleration = TRM_NEW(arena, double, sys->n);
  d->unit = TRM_NEW(arena, double, d->at.v + 1);
  /* states, and a system of the user's own, have their own units */
  for (int i = 0; d->unit && i < d->at.v; i++)
    d->unit[i] = sys->generic || i >= sys->n ? 1 : sys->span[i];
  d->conserve = strcmp(settings->energy, "conserve") == 0;
  bool embedded = stabilizer->type == &trm_stabilization_embedded;
  if (embedded) d->correction = TRM_NEW(arena, double, d->size);
  if (d->conserve && !embedded && can_shift_within(d)) {
    stabilizer->shift = trm_energy_shift;
    stabilizer->shift_context = d;
  }
  choose_evaluations(d, settings);
  trm_dynamics_measure_rows(d);
  return !trm_arena_failed(arena);
}

void trm_dynamics_keep(trm_dynamics *d, trm_arena *arena) {
  TRM_KEEP(arena, d->evaluations);
  TRM_KEEP(arena, d->max_acceleration);
  TRM_KEEP(arena, d->last_time);
  TRM_KEEP(arena, d->gap);
  TRM_KEEP(arena, d->energy_digits);
  TRM_KEEP(arena, d->energy_skips);
  TRM_KEEP(arena, d->max_position_violation);
  TRM_KEEP(arena, d->max_velocity_violation);
  TRM_KEEP(arena, d->max_energy_error);
  TRM_KEEP(arena, d->max_kinetic);
  TRM_KEEP(arena, d->max_potential);
  TRM_KEEP(arena, d->position);
  TRM_KEEP(arena, d->velocity);
  TRM_KEEP(arena, d->max_rate);
  TRM_KEEP(arena, d->least_unit);
  if (d->correction) trm_keep(arena, d->correction, (size_t)d->size * sizeof(double));
}

/* Qd −= 2α Ċ + β² C; a row that is only a rate decays at α with −α Ċ */
static void add_baumgarte(trm_dynamics *d, const double *v) {
  trm_system *sys = d->system;
  const trm_stabilizer *st = d->stabilizer;
  trm_system_velocity_residual(sys, v, d->mu);
  for (int i = 0; i < sys->m; i++)
    if (sys->rate_row[i]) d->mu[i] /= 2;
  trm_axpy(sys->m, -2 * st->alpha, d->mu, sys->Qd);
  trm_axpy(sys->m, -st->beta * st->beta, sys->C, sys->Qd);
}

/* q̈ and λ at the factored position, 000 eq. 75 */
static bool accelerate(trm_dynamics *d, const trm_evaluation *evaluation, const double *y,
                       double *ydot) {
  trm_system *sys = d->system;
  if (!evaluation->velocity(sys, y + d->at.v)) return false;
  if (d->stabilizer->alpha > 0 || d->stabilizer->beta > 0) add_baumgarte(d, y + d->at.v);
  d->evaluations++;
  trm_solver_solve(d->solver, sys->Q, sys->Qd, sys->massless_bias, ydot + d->at.v, sys->lambda);
  sys->a = ydot + d->at.v;
  memcpy(ydot, y + d->at.v, (size_t)d->at.v * sizeof(double));
  if (d->at.states > 0)
    memcpy(ydot + d->at.z, sys->state_rate, (size_t)d->at.states * sizeof(double));
  if (d->correction) trm_embed_rates(d, y, ydot);
  ydot[d->at.work] = trm_system_power(sys);
  return true;
}

bool trm_dynamics_factor(trm_dynamics *d, double t, const double *y) {
  trm_system *sys = d->system;
  trm_system_take_states(sys, y + d->at.v);
  if (!trm_system_position(sys, t, y) || !trm_system_linearize(sys, y + d->at.v)) return false;
  trm_solver_factor(d->solver, sys->M, sys->Cq, sys->N);
  return true;
}

bool trm_dynamics_rates(trm_dynamics *d, double t, const double *y, double *ydot) {
  return trm_dynamics_factor(d, t, y) && accelerate(d, &trm_evaluation_whole, y, ydot);
}

static bool accelerate_at_once(trm_dynamics *d, double t, const double *q, const double *v,
                               double *ydot) {
  trm_system *sys = d->system;
  const trm_stage stage = {sys->M, sys->Cq, sys->Q, sys->Qd, d->within->fill, sys, ydot + d->at.v};
  if (!d->within->stage(sys, t, q, v)) return false;
  ydot[d->at.work] = sys->power;
  if (d->at.states > 0)
    memcpy(ydot + d->at.z, sys->state_rate, (size_t)d->at.states * sizeof(double));
  if (!trm_solver_accelerate(d->solver, &stage)) return false;
  d->evaluations++;
  return true;
}

bool trm_dynamics_stage(trm_dynamics *d, double t, const double *q, double *ydot) {
  return accelerate_at_once(d, t, q, ydot, ydot);
}

/* A sum is finite only where all its terms are. */
static bool have_finite_sum(int size, const double *x, const double *y) {
  trm_double2 one = {0, 0}, two = {0, 0};
  for (ptrdiff_t i = 0; i + 1 < size; i += 2) {
    one += *(const trm_double2 *)(x + i);
    two += *(const trm_double2 *)(y + i);
  }
  one += two;
  return isfinite(one[0] + one[1] + (size % 2 ? x[size - 1] + y[size - 1] : 0));
}

static bool is_finite(trm_dynamics *d, const double *y, const double *ydot) {
  if (have_finite_sum(d->size, y, ydot)) return true;
  const trm_system *sys = d->system;
  int bad = 0;
  char name[220] = "the energy balance";
  while (bad < d->at.v && isfinite(y[bad] + ydot[bad] + ydot[d->at.v + bad])) bad++;
  if (bad < d->at.v) trm_system_coordinate_name(sys, bad, name, sizeof name);
  snprintf(d->system->error, sizeof d->system->error,
           "t = %.9g: %s%s is no longer finite; a smaller step may help", sys->t,
           bad < d->n ? "the motion of " : "", name);
  return false;
}

bool trm_dynamics_evaluate(trm_dynamics *d, double t, const double *y, double *ydot) {
  trm_system *sys = d->system;
  if (!trm_dynamics_rates(d, t, y, ydot)) return false;
  sys->velocity_violation = trm_system_velocity_residual(sys, y + d->at.v, d->stabilizer->g);
  return is_finite(d, y, ydot);
}

/* The state as the step has left it gets the right energy. What projecting it changes then is work
 * of the drives that move the constraints, and counted as such. */
static bool project_after_shift(trm_dynamics *d, double t, double *y) {
  double *v = y + d->at.v;
  if (!trm_dynamics_factor(d, t, y)) return false;
  trm_energy_shift(d, y, v);
  if (!trm_dynamics_factor(d, t, y)) return false;
  trm_energy_restore(d, y);
  double before = trm_energy_error(d, y);
  if (!trm_stabilize(d->stabilizer, d->end, t, y, v, false)) return false;
  y[d->at.work] += trm_energy_error(d, y) - before;
  return true;
}

/* Where nothing is projected behind it, not: velocities stay beside the constraints that drives
 * move. What takes them back later, baumgarte's accelerations or the next step of an implicit rule,
 * does work, which would be taken for an error of the motion in every step. */
static bool shifts_before(const trm_dynamics *d) {
  return !d->kept && !can_shift_within(d) && d->stabilizer->type->project;
}

bool trm_dynamics_project(trm_dynamics *d, double t, double *y, bool nearby) {
  bool keeps = d->conserve && !d->correction;
  if (keeps && shifts_before(d)) {
    if (!project_after_shift(d, t, y)) return false;
  } else {
    if (!trm_stabilize(d->stabilizer, d->end, t, y, y + d->at.v, nearby)) return false;
    if (keeps) trm_energy_restore(d, y);
    if (keeps && !trm_stabilize_at(d->stabilizer, y + d->at.v)) return false;
  }
  if (d->kinetic >= 0) trm_restore_kinetic(d, y);
  return true;
}

/* Without constraints but those of coordinates themselves the end of a step is one stage more. */
static bool is_normalized(const trm_dynamics *d, double *y) {
  bool kept = d->conserve || d->kinetic >= 0, alike = d->end == d->within && d->end->normalize;
  return alike && !kept && d->end->normalize(d->system, y, y + d->at.v);
}

static bool end_at_once(trm_dynamics *d, double t, const double *y, double *ydot) {
  const double *v = y + d->at.v;
  if (!accelerate_at_once(d, t, y, v, ydot)) return false;
  memcpy(ydot, v, (size_t)d->at.v * sizeof(double));
  d->system->a = ydot + d->at.v;
  return is_finite(d, y, ydot);
}

/* Of a whole evaluation a factorization is a small part: to save one gains 2 % at most. */
bool trm_dynamics_end_step(trm_dynamics *d, double t, double *y, double *ydot, bool nearby) {
  if (is_normalized(d, y)) return end_at_once(d, t, y, ydot);
  return trm_dynamics_project(d, t, y, nearby && d->end != &trm_evaluation_whole) &&
         accelerate(d, d->end, y, ydot) && is_finite(d, y, ydot);
}

bool trm_dynamics_correct(trm_dynamics *d, double t, double *y, double *ydot) {
  return trm_dynamics_end_step(d, t, y, ydot, false);
}

/* The redundant row that fits the others least, and how far it is open. */
static trm_worst find_gap(const trm_system *sys) {
  trm_worst worst = {.t = sys->t, .left_out = true};
  for (int i = 0; i < sys->m && sys->inconsistent; i++) {
    double gap = sys->inconsistent[i] ? fabs(sys->C[i]) / trm_system_row_unit(sys, i) : 0;
    if (gap > worst.size) worst.size = gap, worst.row = i;
  }
  return worst;
}

/* Others are left out from now on, by everyone; false: the same ones. */
static bool choose_anew(trm_dynamics *d) {
  trm_system *sys = d->system;
  size_t size = (size_t)sys->m * sizeof(bool);
  trm_system_complete_rows(sys);
  if (!trm_solver_choose_anew(d->solver)) return false;
  if (!sys->inconsistent) return true;
  memcpy(sys->inconsistent, trm_solver_left_out(d->solver), size);
  memcpy(d->stabilizer->redundant, sys->inconsistent, size);
  d->stabilizer->choices++;
  return true;
}

/* As the mechanism moves rows that do not fit open more and more. Where they do so without end the
 * motion has left them, as on another branch behind a singular position: they are violated. */
static void choose_rows(trm_dynamics *d) {
  const trm_system *sys = d->system;
  trm_worst worst = find_gap(sys);
  bool open = worst.size > opened * sys->inconsistency;
  bool more = open && worst.size > opened * d->gap && trm_solver_is_regular(d->solver);
  if (open && worst.size > d->position.size) d->position = worst;
  if (!trm_solver_choice_is_poor(d->solver) && !more) return;
  if (!choose_anew(d)) d->gap = fmax(d->gap, worst.size);
}

bool trm_dynamics_choose_rows(trm_dynamics *d, double t, const double *y) {
  return trm_dynamics_factor(d, t, y) && trm_solver_is_regular(d->solver) && choose_anew(d);
}

void trm_dynamics_commit(trm_dynamics *d, const double *y) {
  trm_system *sys = d->system;
  double T, V;
  sys->work = y[d->at.work];
  d->end->energies(sys, &T, &V);
  double violation = trm_system_violation(sys);
  d->max_position_violation = trm_larger(d->max_position_violation, violation);
  d->max_velocity_violation = trm_larger(d->max_velocity_violation, sys->velocity_violation);
  d->max_energy_error = trm_larger(d->max_energy_error, fabs(T + V - sys->energy0 - sys->work));
  d->max_kinetic = trm_larger(d->max_kinetic, T);
  d->max_potential = trm_larger(d->max_potential, fabs(V));
  trm_dynamics_note_rate(d, y + d->at.v);
  trm_dynamics_find_worst(d, violation, sys->velocity_violation, y + d->at.v);
  trm_system_follow(sys, d->max_rate);
  trm_solver_accept(d->solver);
  choose_rows(d);
  if (d->conserve) {
    d->max_acceleration = trm_larger(d->max_acceleration, trm_dynamics_square(d, sys->a));
    trm_energy_note_digits(d, y);
  }
  if (d->correction) trm_embed_correction(d, y);
  d->last_time = sys->t;
}

double trm_dynamics_square(trm_dynamics *d, const double *x) {
  double sum = 0;
  trm_mass_times(&d->system->structure, d->system->M, x, d->normal);
  for (int i = 0; i < d->n; i++) sum += x[i] * d->normal[i];
  return sum;
}

/* Newton and Euler for one body: what would deform it does not count, however little mass the
 * coordinates have there. */
static double free_body(const trm_system *sys, int b) {
  const trm_coordinates *co = sys->motion.coordinates;
  const trm_inertia *inertia = &sys->inertia[b];
  const double *Q = sys->Q + b * co->nq, *moment = co->dim == 2 ? &inertia->I[2] : inertia->I;
  int spin = co->nq - co->dim, turns = spin - co->intrinsic;
  double split[81] = {1}, sum = 0; /* at most nine of natural coordinates; an angle turns itself */
  if (co->intrinsic > 0) co->split(sys->motion.q + b * co->nq, split, split + spin * turns);
  for (int i = 0; i < co->dim; i++) sum += Q[i] * Q[i] / inertia->mass;
  for (int k = 0; k < turns; k++) {
    double torque = 0;
    for (int i = 0; i < spin; i++) torque += split[k * spin + i] * Q[co->dim + i];
    if (moment[k] > 0) sum += torque * torque / moment[k];
  }
  return sum;
}

double trm_dynamics_free(trm_dynamics *d) {
  const trm_system *sys = d->system;
  double sum = 0; /* normal: 1/√M */
  if (sys->type->free_motion) return sys->type->free_motion(sys);
  for (int b = 0; b < sys->motion.bodies; b++) sum += free_body(sys, b);
  if (sys->motion.bodies > 0) return sum;
  trm_partition_weigh(sys, d->normal); /* of equations that the user wrote */
  for (int i = 0; i < d->n; i++) sum += sys->Q[i] * sys->Q[i] * d->normal[i] * d->normal[i];
  return sum;
}

void trm_dynamics_tangent(trm_dynamics *d, double *e) {
  if (d->system->m == 0) return;
  trm_system_jacobian_times(d->system, e, d->mu);
  trm_solver_project(d->solver, d->mu, d->normal);
  trm_axpy(d->n, -1, d->normal, e);
}
