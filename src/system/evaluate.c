/* The stages of one evaluation: M, C, Cq, Ct from (t, q); Q, Qd from v. */
#include <string.h>

#include "base/parallel.h"
#include "coordinates/angle.h"
#include "force/bushing.h"
#include "system/euler.h"
#include "system/link.h"
#include "system/mechanism.h"
#include "system/rotation_driver.h"
#include "system/signals.h"

double trm_system_repair(const trm_system *sys, int b) {
  const double *I = sys->inertia[b].I;
  return sys->repair ? I[0] + I[1] + I[2] : 0;
}

/* That makes a singular M definite and only shifts the intrinsic multipliers by s g. */
void trm_repair_mass(const trm_coordinates *co, double s, const double *rows, double *M) {
  for (int r = 0; r < co->intrinsic; r++, rows += co->nq)
    for (int i = co->dim; i < co->nq; i++)
      for (int j = co->dim; j < co->nq; j++) M[i * co->nq + j] += s * rows[i] * rows[j];
}

/* Frames, normalization and mass of bodies. */
static void position_bodies(void *data, int part) {
  trm_system *sys = data;
  const trm_coordinates *co = sys->motion.coordinates;
  const trm_structure *s = &sys->structure;
  const double *q = sys->motion.q;
  trm_range r = trm_part_range(sys->motion.bodies, part);
  int spin = co->nq - co->dim;
  trm_motion_position_of(&sys->motion, r.begin, r.end);
  for (int b = r.begin; b < r.end; b++) {
    double *rows = sys->Cq + s->panel_value[b], *M = sys->M + s->mass_value[b];
    if (co->intrinsic > 0) co->normalize(q + b * co->nq, sys->C + b * co->intrinsic, rows);
    if (sys->links->dots > 0) trm_dots_jacobian(sys, b);
    if (sys->tangent && co->intrinsic > 0) {
      double *T = sys->tangent + b * spin * spin;
      co->split(q + b * co->nq, T, T + spin * (spin - co->intrinsic));
    }
    if (co->mass_constant) continue;
    co->mass(&sys->inertia[b], q + b * co->nq, M);
    if (sys->repair) trm_repair_mass(co, trm_system_repair(sys, b), rows, M);
  }
}

/* A state; of a filter y″ too, which is known at the velocity stage, where the rates are. */
static trm_jet state_jet(const trm_model *model, const trm_signal *y, const double *z,
                         const double *rates) {
  int dy = model->signals[y->smooth].state;
  if (!y->smooth) return (trm_jet){z[y->state], rates ? rates[y->state] : 0, 0};
  return (trm_jet){z[y->state], z[dy], rates ? rates[dy] : 0};
}

/* t, states and variables of them, with their derivatives. */
static void fill_law_slots(trm_system *sys, const double *z, const double *rates) {
  const trm_model *model = sys->model;
  sys->law_slots[0] = (trm_jet){sys->t, 1, 0};
  for (int i = 0; i < model->law_signal_count; i++) {
    const trm_signal *signal = &model->signals[model->law_signals[i]];
    trm_jet *jet = &sys->law_slots[signal->slot];
    if (signal->kind == TRM_SIGNAL_STATE)
      *jet = state_jet(model, signal, z, rates);
    else if (signal->value.formula)
      *jet = trm_expression_jet(signal->value.formula, sys->law_slots);
    else
      *jet = trm_jet_constant(signal->value.number);
  }
}

void trm_system_take_states(trm_system *sys, const double *v) {
  if (sys->filtered) memcpy(sys->law_states, v + sys->n, (size_t)sys->states * sizeof(double));
}

/* The table that a law, or a variable that it may use, has left. */
static bool explain_law(trm_system *sys, const trm_expression *law, trm_expression_error *error) {
  const trm_model *model = sys->model;
  for (int k = 0; k <= model->input_count; k++) sys->slots[k] = sys->law_slots[k].f;
  for (int i = 0; i < model->law_signal_count; i++) {
    const trm_signal *signal = &model->signals[model->law_signals[i]];
    if (signal->kind == TRM_SIGNAL_VARIABLE && signal->value.formula &&
        trm_expression_explain(signal->value.formula, sys->slots, error))
      return true;
  }
  return trm_expression_explain(law, sys->slots, error);
}

/* A time law and its exact derivatives; false where a distance is not positive. */
static bool evaluate_law(trm_system *sys, int i) {
  trm_primitive *p = &sys->primitives[i];
  const trm_expression *law = sys->law[i]->formula;
  trm_jet value =
      law ? trm_expression_jet(law, sys->law_slots) : trm_jet_constant(sys->law[i]->number);
  if (sys->rate_only[i]) value = (trm_jet){0, value.f, value.d}; /* ∫, which nobody reads */
  p->value = value.f;
  p->rate = value.d;
  p->acceleration = value.dd;
  trm_rotation_take(sys, p);
  bool good = isfinite(value.f) && isfinite(value.d) && isfinite(value.dd);
  trm_expression_error left;
  if (!good && law && explain_law(sys, law, &left))
    return trm_system_fail(sys, sys->t, "joint '%s': %s", sys->model->joints[p->joint].name,
                           left.message);
  if (good && (p->type != &trm_primitive_distance || value.f > 0)) return true;
  return trm_system_fail(sys, sys->t, "joint '%s': its %s is %g%s",
                         sys->model->joints[p->joint].name, sys->rate_only[i] ? "rate" : "value",
                         sys->rate_only[i] ? value.d : value.f,
                         good ? ", a distance must be positive" : "");
}

void trm_system_law_slopes(trm_system *sys) {
  const trm_model *model = sys->model;
  const double *z = sys->v + sys->n;
  for (int i = 0; i < sys->law_slope_count; i++) {
    trm_law_slope *slope = &sys->law_slopes[i];
    sys->law_slots[0] = (trm_jet){sys->t, 0, 0};
    for (int k = 0; k < model->law_signal_count; k++) {
      const trm_signal *signal = &model->signals[model->law_signals[k]];
      trm_jet *jet = &sys->law_slots[signal->slot];
      if (signal->kind == TRM_SIGNAL_STATE)
        *jet = (trm_jet){z[signal->state], signal->state == slope->state, 0};
      else if (signal->value.formula)
        *jet = trm_expression_jet(signal->value.formula, sys->law_slots);
    }
    slope->slope = trm_expression_jet(sys->law[slope->primitive]->formula, sys->law_slots).d;
  }
}

/* A thin disc that lies flat touches its plane everywhere: there is no contact point to go on with.
 */
static bool lies_flat(trm_system *sys, const trm_primitive *p) {
  double n[3], a[3], c[3];
  if (p->type != &trm_primitive_contact || !p->disc) return false;
  trm_direction(&sys->motion, &p->normal, n);
  trm_direction(&sys->motion, &p->direction[1], a);
  trm_cross(n, a, c);
  if (!(trm_norm(3, c) <= 1e-4)) return false;
  return !trm_system_fail(sys, sys->t, "joint '%s': the disc lies flat on its plane",
                          sys->model->joints[p->joint].name);
}

static void position_primitive(trm_system *sys, int i) {
  trm_primitive *p = &sys->primitives[i];
  const trm_motion *m = &sys->motion;
  if (!m->coordinates->linear || !p->type->linear_constant) {
    for (int k = 0; k < p->bodies; k++)
      memset(p->J[k], 0, (size_t)(p->rows * m->nq) * sizeof(double));
    p->type->jacobian(p, m);
  }
  sys->Ct[p->row] = -p->rate;
  if (sys->rate_only[i])
    sys->C[p->row] = 0;
  else
    p->type->position(p, m, sys->C + p->row);
}

static void in_parts(trm_system *sys, int items, trm_part *work) {
  trm_parallel(sys->structure.pool, trm_part_count(items), work, sys);
}

/* Shafts that are bent back onto one another: no rate of one is that of the other. */
static bool is_bent_back(trm_system *sys, const trm_primitive *p) {
  if (!trm_system_keeps_twist(sys, p) || !trm_angle_is_lost(p->term[0], &sys->motion)) return false;
  return !trm_system_fail(sys, sys->t,
                          "joint '%s': its axes are bent by half a turn, where a "
                          "constant-velocity joint does not say how they turn",
                          sys->model->joints[p->joint].name);
}

/* The time laws first: they may fail. */
static bool evaluate_timed(trm_system *sys) {
  if (sys->links->timed_count > 0) fill_law_slots(sys, sys->law_states, NULL);
  for (int k = 0; k < sys->links->timed_count; k++) {
    int i = sys->links->timed[k];
    if (sys->law[i] && !evaluate_law(sys, i)) return false;
  }
  for (int k = 0; k < sys->links->timed_count; k++) {
    const trm_primitive *p = &sys->primitives[sys->links->timed[k]];
    if (lies_flat(sys, p) || is_bent_back(sys, p) || trm_euler_fails(sys, p, 1e-5) ||
        trm_euler_is_behind(sys, p) || trm_rotation_fails(sys, p, 1e-5))
      return false;
  }
  return true;
}

bool trm_mechanism_laws(trm_system *sys, double t, const double *z, const double *rates) {
  sys->t = t;
  if (sys->links->timed_count > 0) fill_law_slots(sys, z, rates);
  for (int k = 0; k < sys->links->timed_count; k++) {
    int i = sys->links->timed[k];
    if (sys->law[i] && !evaluate_law(sys, i)) return false;
  }
  return true;
}

static void position_others(void *data, int part) {
  trm_system *sys = data;
  trm_range r = trm_part_range(sys->links->others, part);
  for (int i = r.begin; i < r.end; i++) position_primitive(sys, sys->links->other[i]);
}

bool trm_unlinked_position(trm_system *sys) {
  const trm_links *links = sys->links;
  if (links->others == 0) return true;
  if (!evaluate_timed(sys)) return false;
  in_parts(sys, links->others, position_others);
  for (int i = 0; i < links->mixed_count; i++) trm_dots_jacobian(sys, links->mixed[i]);
  return true;
}

/* The global direction of a rotation without inertia. */
static const double *massless_direction(const trm_system *sys, int i) {
  static const double z[3] = {0, 0, 1};
  int body = sys->structure.massless_block[i];
  return sys->motion.dim == 2 ? z : sys->motion.frames[body].a[sys->massless_axis[i]];
}

static void evaluate_massless(trm_system *sys) {
  const trm_structure *s = &sys->structure;
  for (int i = 0; i < s->massless; i++) {
    double *row = sys->N + s->massless_value[i];
    memset(row, 0, (size_t)sys->motion.nq * sizeof(double));
    trm_row_spin(&sys->motion, s->massless_block[i], massless_direction(sys, i), row);
  }
}

bool trm_mechanism_position(trm_system *sys, double t, const double *q) {
  const trm_links *links = sys->links;
  trm_system_move_to(sys, t, q);
  sys->frames_stale = sys->rows_stale = false;
  in_parts(sys, sys->motion.bodies, position_bodies);
  if (!evaluate_timed(sys)) return false;
  in_parts(sys, trm_links_count(links), trm_links_position);
  in_parts(sys, links->others, position_others);
  evaluate_massless(sys);
  return true;
}

void trm_mechanism_drop_rates(trm_system *sys) {
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    for (int k = 0; k < p->bodies && sys->rate_only[i]; k++)
      memset(p->J[k], 0, (size_t)(p->rows * sys->motion.nq) * sizeof(double));
  }
}

void trm_system_fill_slots(trm_system *sys, const double *v) {
  const trm_model *model = sys->model;
  sys->slots[0] = sys->t;
  for (int i = 0; i < model->force_count && sys->states > model->state_count; i++) {
    trm_element *e = &sys->elements[i];
    e->z = v + sys->n + e->first_state;
    if (e->type->sense) e->type->sense(e, &sys->motion);
  }
  for (int i = 0; i < model->input_count; i++)
    if (!trm_is_signal(&model->inputs[i]))
      sys->slots[1 + i] = trm_system_measure(sys, &model->inputs[i]);
  if (sys->signals) trm_signals_fill(sys, v + sys->n);
}

void trm_mechanism_fill_slots(trm_system *sys, double t, const double *q, const double *v) {
  trm_system_move_to(sys, t, q);
  trm_system_take_position(sys, q);
  trm_system_take_velocity(sys, v);
  trm_system_fill_slots(sys, v);
}

/* What the solver cancels is I (n·ω̇) n; the fictitious momentum I (n·ω) n also turns with the body,
 * which takes the torque I (n·ω) ω × n. */
static void turn_massless(trm_system *sys, int i) {
  const trm_motion *m = &sys->motion;
  int body = sys->structure.massless_block[i];
  const double *n = massless_direction(sys, i);
  double w[3], tau[3];
  trm_spin(m, body, w);
  trm_cross(w, n, tau);
  double momentum = sys->structure.massless_inertia[i] * trm_dot(3, n, w);
  for (int k = 0; k < 3; k++) tau[k] *= momentum;
  trm_row_spin(m, body, tau, trm_body_rows(m, sys->Q, body));
}

static const char out_of_domain[] =
    "its value is not a finite number: a formula has left its domain (a division by zero, a root "
    "of a negative number, a table outside its range)";

static bool motion_is_finite(const trm_system *sys) {
  double sum = 0;
  for (int i = 0; i < sys->n; i++) sum += 0 * (sys->motion.q[i] + sys->v[i]);
  return sum == 0;
}

/* The table that a force has left, or what may have happened otherwise. */
static const char *explain(const trm_system *sys, const trm_force *force,
                           trm_expression_error *error) {
  const trm_quantity *const formulas[] = {&force->value[0], &force->value[1],  &force->value[2],
                                          &force->free,     &force->stiffness, &force->damping};
  for (int k = 0; k < 6; k++)
    if (formulas[k]->formula && trm_expression_explain(formulas[k]->formula, sys->slots, error))
      return error->message;
  return out_of_domain;
}

/* Of an element with states. */
static const char *find_rates(trm_system *sys, trm_element *e) {
  double *rates = sys->state_rate + e->first_state, sum = 0;
  e->type->rates(e, &sys->motion, sys->slots, rates);
  for (int k = 0; k < e->type->states; k++) sum += 0 * (rates[k] - e->z[k]);
  return sum == 0 || !motion_is_finite(sys) ? NULL : "the rates of its states are not finite";
}

bool trm_mechanism_forces(trm_system *sys, double *Q) {
  const trm_model *model = sys->model;
  trm_expression_error error;
  if (model->state_count > 0 && motion_is_finite(sys) && !trm_signals_are_finite(sys)) return false;
  for (int i = 0; i < model->force_count; i++) {
    trm_element *e = &sys->elements[i];
    const char *reason = e->type->apply(e, &sys->motion, sys->slots, Q, &sys->power);
    /* a force that is not finite has no finite power either, even at rest */
    if (!reason && !isfinite(sys->power) && motion_is_finite(sys))
      reason = explain(sys, &model->forces[i], &error);
    if (!reason && e->type->states > 0) reason = find_rates(sys, e);
    if (reason)
      return trm_system_fail(sys, sys->t, "force '%s': %s", model->forces[i].name, reason);
  }
  return true;
}

/* Frames, weight, inertia forces and biases of the bodies' intrinsic rows. */
static void velocity_bodies(void *data, int part) {
  trm_system *sys = data;
  const trm_motion *m = &sys->motion;
  const trm_coordinates *co = m->coordinates;
  trm_range r = trm_part_range(m->bodies, part);
  ptrdiff_t first = (ptrdiff_t)r.begin * co->nq;
  trm_motion_velocity_of(m, sys->v, r.begin, r.end);
  if (trm_mechanism_is_forced(sys))
    memcpy(sys->Q + first, sys->weight_force + first,
           (size_t)((r.end - r.begin) * co->nq) * sizeof(double));
  for (int b = r.begin; b < r.end; b++) {
    int at = b * co->nq;
    if (co->inertia_force) co->inertia_force(&sys->inertia[b], m->q + at, sys->v + at, sys->Q + at);
    if (co->intrinsic > 0) co->normalize_bias(sys->v + at, sys->Qd + b * co->intrinsic);
  }
}

static void bias_others(void *data, int part) {
  trm_system *sys = data;
  trm_range r = trm_part_range(sys->links->others, part);
  for (int i = r.begin; i < r.end; i++) {
    const trm_primitive *p = &sys->primitives[sys->links->other[i]];
    p->type->bias(p, &sys->motion, sys->Qd + p->row);
    sys->Qd[p->row] += p->acceleration;
  }
}

/* Laws that hang on states, with their second derivatives; the slots are filled. */
static bool evaluate_filtered(trm_system *sys) {
  return trm_mechanism_laws(sys, sys->t, sys->v + sys->n, sys->state_rate);
}

static bool bias_unlinked(trm_system *sys) {
  for (int k = 0; k < sys->links->timed_count; k++)
    if (trm_euler_turns_back(sys, &sys->primitives[sys->links->timed[k]])) return false;
  in_parts(sys, sys->links->others, bias_others);
  return true;
}

bool trm_mechanism_velocity(trm_system *sys, const double *v) {
  const trm_motion *m = &sys->motion;
  sys->v = v;
  sys->power = 0;
  memset(sys->Qd, 0, (size_t)sys->m * sizeof(double));
  in_parts(sys, m->bodies, velocity_bodies);
  trm_system_fill_slots(sys, v);
  if (sys->filtered && !evaluate_filtered(sys)) return false;
  in_parts(sys, sys->links->dots, trm_links_bias);
  if (!bias_unlinked(sys)) return false;
  for (int i = 0; i < sys->structure.massless; i++) {
    double b[3];
    trm_spin_bias(m, sys->structure.massless_block[i], b);
    sys->massless_bias[i] = trm_dot(3, massless_direction(sys, i), b);
    if (m->dim == 3) turn_massless(sys, i);
  }
  return trm_mechanism_forces(sys, sys->Q);
}

bool trm_unlinked_bias(trm_system *sys) {
  if (sys->filtered && !evaluate_filtered(sys)) return false;
  return bias_unlinked(sys);
}

double trm_mechanism_power(const trm_system *sys) {
  double power = sys->power;
  for (int k = 0; k < sys->links->timed_count; k++) {
    int i = sys->links->timed[k], row = sys->primitives[i].row;
    if (sys->law[i]) power += sys->lambda[row] * sys->Ct[row];
  }
  return power;
}
