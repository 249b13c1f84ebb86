/* Directional derivatives. Of states, inputs and the time they are the engine's own; of parameters,
 * while these may still be set, they are differences of order six between twins of this FMU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

#define STEP 4e-3 /* of a parameter: errors of order six and round-off are both small there */

/* ---- the engine's ---- */

static bool find_differential(trm_fmu *f) {
  if (!trm_fmu_catch_up(f)) return false;
  if (f->differential) return true;
  trm_status status;
  f->differential = trm_simulation_differentiate(f->simulation, f->plan.outputs.count,
                                                 f->output_handles, f->diagnostics, &status);
  return trm_fmu_check(f, status);
}

/* A change, and what comes of it. */
typedef struct course {
  double *state, *inputs;          /* [states], [inputs.count] */
  double *rates, *outputs, *event; /* [states], [outputs.count], [events] */
  double *room;
} course;

static bool create_course(const trm_fmu_plan *p, course *c) {
  size_t states = (size_t)p->states, inputs = (size_t)p->inputs.count;
  size_t outputs = (size_t)p->outputs.count;
  double *room = calloc(2 * states + inputs + outputs + (size_t)p->events + 1, sizeof *room);
  *c = (course){.room = room};
  if (!room) return false;
  c->state = room;
  c->inputs = c->state + states;
  c->rates = c->inputs + inputs;
  c->outputs = c->rates + states;
  c->event = c->outputs + outputs;
  return true;
}

static double value_of(const trm_fmu *f, const course *c, unsigned unknown) {
  int i;
  switch (trm_fmu_find(&f->plan, unknown, &i)) {
  case TRM_FMU_OUTPUT: return c->outputs[i];
  case TRM_FMU_STATE: return c->state[i];
  case TRM_FMU_DERIVATIVE: return c->rates[i];
  case TRM_FMU_INDICATOR: return c->event[i];
  default: return NAN;
  }
}

/* Seeds of parameters stay behind. */
static bool follow(trm_fmu *f, course *c, const unsigned *unknowns, size_t unknown_count,
                   const unsigned *knowns, size_t known_count, const double *seed, double *values) {
  trm_change change = {.state = c->state, .inputs = c->inputs};
  int i;
  for (size_t k = 0; k < known_count; k++) switch (trm_fmu_find(&f->plan, knowns[k], &i)) {
    case TRM_FMU_TIME: change.time += seed[k]; break;
    case TRM_FMU_INPUT: c->inputs[i] += seed[k]; break;
    case TRM_FMU_STATE: c->state[i] += seed[k]; break;
    default: break;
    }
  if (!find_differential(f) ||
      !trm_fmu_check(f, trm_differential_along(f->differential, &change, c->rates, c->outputs,
                                               c->event, f->diagnostics)))
    return false;
  for (size_t j = 0; j < unknown_count; j++) values[j] = value_of(f, c, unknowns[j]);
  return true;
}

/* ---- parameters ---- */

/* Another instance with the same values. */
static trm_fmu *create_twin(trm_fmu *f) {
  trm_fmu *twin = trm_fmu_create(f->folder, f->plan.token, f->exchange, f->say, f->context);
  if (!twin) return NULL;
  memcpy(twin->parameters, f->parameters, (size_t)f->plan.parameters.count * sizeof(double));
  memcpy(twin->chosen, f->chosen, (size_t)f->plan.parameters.count * sizeof(bool));
  memcpy(twin->inputs, f->inputs, (size_t)f->plan.inputs.count * sizeof(double));
  memcpy(twin->driven, f->driven, (size_t)f->plan.inputs.count * sizeof(bool));
  twin->t = f->t;
  twin->tolerance = f->tolerance;
  twin->stale = true;
  return twin;
}

static bool add_parameter(trm_fmu *f, trm_fmu *twin, const unsigned *unknowns, size_t count,
                          unsigned known, double seed, double *values) {
  static const double place[] = {-3, -2, -1, 1, 2, 3}, weight[] = {-1, 9, -45, 45, -9, 1};
  double at, side, size;
  if (!trm_fmu_get(f, known, &at)) return false;
  size = STEP * (at != 0 ? fabs(at) : 1);
  for (int k = 0; k < 6; k++) {
    if (!trm_fmu_set(twin, known, at + place[k] * size)) return false;
    for (size_t j = 0; j < count; j++) {
      if (!trm_fmu_get(twin, unknowns[j], &side)) return false;
      values[j] += seed * weight[k] / (60 * size) * side;
    }
  }
  return trm_fmu_set(twin, known, at);
}

static bool add_parameters(trm_fmu *f, const unsigned *unknowns, size_t unknown_count,
                           const unsigned *knowns, size_t known_count, const double *seed,
                           double *values) {
  trm_fmu *twin = NULL;
  bool good = true;
  int i;
  for (size_t k = 0; good && k < known_count; k++) {
    if (trm_fmu_find(&f->plan, knowns[k], &i) != TRM_FMU_PARAMETER || seed[k] == 0) continue;
    if (!twin) twin = create_twin(f);
    good = twin && add_parameter(f, twin, unknowns, unknown_count, knowns[k], seed[k], values);
  }
  trm_fmu_destroy(twin);
  return good;
}

/* ---- both ---- */

static bool check_variables(trm_fmu *f, const unsigned *unknowns, size_t unknown_count,
                            const unsigned *knowns, size_t known_count) {
  int i;
  for (size_t j = 0; j < unknown_count; j++) {
    trm_fmu_kind kind = trm_fmu_find(&f->plan, unknowns[j], &i);
    if (kind < TRM_FMU_OUTPUT || kind == TRM_FMU_KINDS)
      return trm_fmu_complain(f, "only outputs, states, their derivatives and event indicators "
                                 "have directional derivatives");
  }
  for (size_t k = 0; k < known_count; k++) {
    trm_fmu_kind kind = trm_fmu_find(&f->plan, knowns[k], &i);
    if (kind == TRM_FMU_PARAMETER && !f->initializing)
      return trm_fmu_complain(f, "parameters are fixed: derivatives by them are given in "
                                 "initialization mode only");
    if (kind != TRM_FMU_TIME && kind != TRM_FMU_PARAMETER && kind != TRM_FMU_INPUT &&
        kind != TRM_FMU_STATE)
      return trm_fmu_complain(f, "directional derivatives are by states, inputs, parameters and "
                                 "time");
  }
  return true;
}

bool trm_fmu_along(trm_fmu *f, const unsigned *unknowns, size_t unknown_count,
                   const unsigned *knowns, size_t known_count, const double *seed, double *values) {
  course c;
  if (!check_variables(f, unknowns, unknown_count, knowns, known_count)) return false;
  bool good = create_course(&f->plan, &c) || trm_fmu_complain(f, "out of memory");
  good = good && follow(f, &c, unknowns, unknown_count, knowns, known_count, seed, values) &&
         add_parameters(f, unknowns, unknown_count, knowns, known_count, seed, values);
  free(c.room);
  return good;
}

bool trm_fmu_against(trm_fmu *f, const unsigned *unknowns, size_t unknown_count,
                     const unsigned *knowns, size_t known_count, const double *seed,
                     double *values) {
  const double one = 1;
  double *column = calloc(unknown_count + 1, sizeof *column);
  bool good = column || trm_fmu_complain(f, "out of memory");
  for (size_t k = 0; good && k < known_count; k++) {
    good = trm_fmu_along(f, unknowns, unknown_count, &knowns[k], 1, &one, column);
    values[k] = 0;
    for (size_t j = 0; j < unknown_count; j++) values[k] += seed[j] * column[j];
  }
  free(column);
  return good;
}
