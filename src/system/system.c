/* What every system does, each in its own way or all alike. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "math/double2.h"
#include "system/tangent.h"

void trm_system_written(const trm_system *sys, double *q) {
  sys->type->written(sys, q);
}

void trm_system_given_velocities(const trm_system *sys, const double *q, double *v) {
  sys->type->given_velocities(sys, q, v);
}

void trm_system_from_frames(const trm_system *sys, const trm_system *from, double *q) {
  sys->type->from_frames(sys, from, q);
}

void trm_system_from_rates(const trm_system *sys, const trm_system *from, double *v) {
  sys->type->from_rates(sys, from, v);
}

bool trm_system_position(trm_system *sys, double t, const double *q) {
  return sys->type->position(sys, t, q);
}

bool trm_system_velocity(trm_system *sys, const double *v) {
  return sys->type->velocity(sys, v);
}

void trm_system_drop_rates(trm_system *sys) {
  sys->type->drop_rates(sys);
}

bool trm_system_linearize(trm_system *sys, const double *v) {
  return trm_system_is_linear(sys) || sys->type->linearize(sys, v);
}

void trm_system_take_velocity(trm_system *sys, const double *v) {
  sys->type->take_velocity(sys, v);
}

void trm_system_take_position(trm_system *sys, const double *q) {
  sys->type->take_position(sys, q);
}

void trm_system_complete_frames(trm_system *sys) {
  if (sys->type->complete_frames) sys->type->complete_frames(sys);
}

void trm_system_find_motion(trm_system *sys) {
  if (sys->type->find_motion) sys->type->find_motion(sys);
}

static double norm_of_consistent_rows(const trm_system *sys, const double *x) {
  double square = 0;
  for (int i = 0; i < sys->m; i++)
    if (!sys->inconsistent[i]) square += x[i] * x[i];
  return sqrt(square);
}

static inline double norm_of_rows(const trm_system *sys, const double *x) {
  return sys->inconsistent ? norm_of_consistent_rows(sys, x) : sqrt(trm_pair_dot(sys->m, x, x));
}

double trm_system_violation(const trm_system *sys) {
  return norm_of_rows(sys, sys->C);
}

double trm_system_row_unit(const trm_system *sys, int row) {
  double weight = sys->structure.weight[row], sum = 0;
  if (!sys->generic) return weight > 0 ? weight * sys->model->length : 1;
  for (int j = 0; j < sys->n; j++) sum += fabs(sys->Cq[row * sys->n + j]) * sys->span[j];
  return sum > 0 ? sum : 1;
}

double trm_system_gap(const trm_system *sys) {
  double square = 0;
  for (int i = 0; i < sys->m; i++) {
    if (sys->inconsistent && sys->inconsistent[i]) continue;
    double part = sys->C[i] / trm_system_row_unit(sys, i);
    square += part * part;
  }
  return sqrt(square);
}

void trm_rows_times(const trm_system *sys, const double *x, double *y) {
  trm_jacobian_times(&sys->structure, sys->Cq, x, y);
}

void trm_rows_residual(const trm_system *sys, const double *v, double *residual) {
  trm_rows_times(sys, v, residual);
  trm_pair_axpy(sys->m, 1, sys->Ct, residual);
}

void trm_system_jacobian_times(const trm_system *sys, const double *x, double *y) {
  sys->type->times(sys, x, y);
}

double trm_system_velocity_residual(const trm_system *sys, const double *v, double *residual) {
  sys->type->residual(sys, v, residual);
  return norm_of_rows(sys, residual);
}

bool trm_system_row_moves(const trm_system *sys, int row) {
  return sys->timed_row[row] || sys->Ct[row] != 0;
}

bool trm_system_is_driven(const trm_system *sys) {
  for (int i = 0; i < sys->primitive_count; i++)
    if (sys->law[i]) return true;
  return false;
}

double trm_system_power(const trm_system *sys) {
  return sys->type->power(sys);
}

double trm_system_power_by_lambda(const trm_system *sys, int row) {
  return sys->type->power_by_lambda(sys, row);
}

void trm_system_accept(trm_system *sys) {
  sys->type->accept(sys, INFINITY);
}

void trm_system_follow(trm_system *sys, double fastest) {
  sys->type->accept(sys, fastest);
}

static void energies_whole(trm_system *sys, double *T, double *V) {
  *T = trm_system_kinetic(sys);
  *V = trm_system_potential(sys);
}

const trm_evaluation trm_evaluation_whole = {
    .position = trm_system_position, .velocity = trm_system_velocity, .energies = energies_whole};

bool trm_system_has_branches(const trm_system *sys) {
  return sys->piecewise_count > 0;
}

unsigned long trm_system_branch(trm_system *sys, double t, const double *q, const double *v) {
  return sys->type->branch(sys, t, q, v);
}

const trm_piecewise *trm_system_changes(const trm_system *sys) {
  for (int i = 0; i < sys->piecewise_count; i++)
    if (sys->piecewise[i].changes) return &sys->piecewise[i];
  return NULL;
}

double trm_system_kinetic(const trm_system *sys) {
  return sys->type->kinetic(sys);
}

double trm_system_potential(const trm_system *sys) {
  return sys->type->potential(sys);
}

double trm_system_energy(const trm_system *sys) {
  return trm_system_kinetic(sys) + trm_system_potential(sys);
}

static void energies(const trm_system *sys, double parts[6]) {
  double T = trm_system_kinetic(sys), V = trm_system_potential(sys);
  parts[0] = T;
  parts[1] = V;
  parts[2] = T + V;
  parts[3] = sys->work;
  parts[4] = T + V - sys->energy0 - sys->work;
}

/* Where it has no finite value it has none. */
static double formula_value(const trm_system *sys, int index) {
  const trm_output_formula *f = &sys->model->formulas[index];
  trm_system_measures(sys, f->measures, f->count, sys->formula_slots);
  double value = trm_expression_value(f->formula, sys->formula_slots);
  return isfinite(value) ? value : NAN;
}

static void evaluate(const trm_system *sys, const trm_measure *measure, trm_reading *reading) {
  double *parts = reading->parts;
  memset(parts, 0, sizeof reading->parts);
  switch (measure->kind) {
  case TRM_MEASURE_TIME: parts[0] = sys->t; return;
  case TRM_MEASURE_ENERGY: energies(sys, parts); return;
  case TRM_MEASURE_CONSTRAINT:
    parts[0] = trm_system_violation(sys);
    parts[1] = sys->velocity_violation;
    return;
  case TRM_MEASURE_FORMULA: parts[0] = formula_value(sys, measure->index); return;
  default: sys->type->measure(sys, measure, reading);
  }
}

double trm_system_measure(const trm_system *sys, const trm_measure *measure) {
  double value;
  trm_system_measures(sys, measure, 1, &value);
  return value;
}

void trm_system_measures(const trm_system *sys, const trm_measure *measures, int count,
                         double *values) {
  trm_reading reading;
  reading.body = TRM_GROUND - 1; /* the rest belongs to it */
  for (int i = 0; i < count; i++) {
    if (i == 0 || !measures[i].together) evaluate(sys, &measures[i], &reading);
    values[i] = reading.parts[measures[i].component];
  }
}

bool trm_system_gradient(const trm_system *sys, const trm_measure *measure, double *row) {
  return sys->type->gradient(sys, measure, row);
}

bool trm_system_tangent(trm_system *sys, const double *a, const double *lambda, trm_tangent *t) {
  return sys->type->tangent(sys, a, lambda, t);
}

void trm_system_jacobian_slope(const trm_system *sys, trm_tangent *t, const double *x,
                               double *slope) {
  sys->type->slope(sys, t, x, slope);
}

int trm_system_row_group(const trm_system *sys, int row) {
  return sys->type->row_group(sys, row);
}

void trm_system_group_name(const trm_system *sys, int group, char *text, size_t size) {
  sys->type->group_name(sys, group, text, size);
}

void trm_system_coordinate_name(const trm_system *sys, int coordinate, char *text, size_t size) {
  const trm_model *model = sys->model;
  int state = coordinate - sys->n, force = 0;
  if (state < 0) {
    sys->type->coordinate_name(sys, coordinate, text, size);
  } else if (state < model->state_count) {
    snprintf(text, size, "state '%s'", model->signals[model->states[state]].name);
  } else {
    const trm_element *e = sys->elements;
    while (state >= e->first_state + e->type->states) e++, force++;
    snprintf(text, size, "state '%s' of force '%s'", e->type->state_names[state - e->first_state],
             model->forces[force].name);
  }
}

bool trm_system_fail(trm_system *sys, double t, const char *format, ...) {
  va_list args;
  int used = snprintf(sys->error, sizeof sys->error, "t = %.9g: ", t);
  va_start(args, format);
  vsnprintf(sys->error + used, sizeof sys->error - (size_t)used, format, args);
  va_end(args);
  return false;
}

void trm_system_explain(trm_system *sys, double violation, double *q) {
  sys->type->explain(sys, violation, q);
}
