/* Which measures name the freedoms of a state. */
#include "analysis/independent.h"

#include <stdio.h>
#include <string.h>

#include "system/cardan.h"
#include "system/generic.h"
#include "system/tangent_work.h"

typedef struct candidates {
  trm_manifold *m;
  int count, room;
  trm_measure *place, *speed; /* [count] */
  bool failed;
} candidates;

/* --- rows --- */

/* The velocity that a position has, or comes nearest to it. */
static trm_measure speed_of(const trm_measure *place) {
  trm_measure speed = *place;
  speed.level = 1;
  if (place->kind == TRM_MEASURE_CARDAN) speed.kind = TRM_MEASURE_ORIENTATION;
  return speed;
}

bool trm_measure_row(const trm_system *sys, trm_tangent *t, const trm_measure *measure,
                     double *row) {
  if (measure->kind == TRM_MEASURE_CARDAN) {
    trm_system_cardan_slope(sys, measure->index, measure->component, 1, trm_tangent_row(t));
    trm_tangent_take_row(sys, t, row);
    return true;
  }
  bool names = measure->kind == TRM_MEASURE_POINT || measure->kind == TRM_MEASURE_ANGLE ||
               measure->kind == TRM_MEASURE_FREEDOM || measure->kind == TRM_MEASURE_COORDINATE;
  trm_measure speed = measure->level == 0 ? speed_of(measure) : *measure;
  return (measure->level > 0 || names) && trm_system_gradient(sys, &speed, row);
}

/* --- candidates --- */

static void add(candidates *c, const char *name) {
  const trm_model *model = c->m->system->model;
  trm_measure place;
  char reason[512];
  if (c->count == c->room ||
      !trm_measure_find(model, name, strlen(name), &place, reason, sizeof reason))
    return;
  place.name = trm_arena_string(c->m->arena, name);
  c->failed = c->failed || !place.name;
  c->place[c->count++] = place;
}

static void add_field(candidates *c, const char *owner, const char *field) {
  char name[1024];
  snprintf(name, sizeof name, "%s.%s", owner, field);
  add(c, name);
}

static void add_points(candidates *c, const trm_body *body, const char *const *axes, int dim) {
  char name[500];
  for (int p = 0; p < body->point_count; p++)
    for (int k = 0; k < dim; k++) {
      snprintf(name, sizeof name, "%s.%s", body->name, body->points[p].name);
      add_field(c, name, axes[k]);
    }
}

static void add_all(candidates *c) {
  const trm_model *model = c->m->system->model;
  static const char *const axes[] = {"x", "y", "z"}, *const turns[] = {"roll", "pitch", "yaw"};
  if (model->user) {
    for (int i = 0; i < c->m->n; i++) add(c, c->m->system->generic->user->names[i]);
    return;
  }
  for (int j = 0; j < model->joint_count; j++) {
    int freedoms = trm_model_freedoms(model, model->joints[j].type);
    if (freedoms & 1) add_field(c, model->joints[j].name, "angle");
    if (freedoms & 2) add_field(c, model->joints[j].name, "displacement");
  }
  for (int b = 0; b < trm_model_placed(model); b++) {
    const char *name = model->bodies[b].name;
    for (int k = 0; k < model->dim; k++) add_field(c, name, axes[k]);
    if (model->dim == 2) add_field(c, name, "angle");
    for (int k = 0; k < 3 && model->dim == 3; k++) add_field(c, name, turns[k]);
  }
  for (int b = 0; b < trm_model_placed(model); b++)
    add_points(c, &model->bodies[b], axes, model->dim);
}

static int count_all(const trm_model *model, int n) {
  int count = n + 2 * model->joint_count + 6 * model->body_count;
  for (int b = 0; b < model->body_count; b++) count += 3 * model->bodies[b].point_count;
  return count;
}

/* --- choice --- */

typedef struct choice {
  const trm_null_space *space;
  int count;     /* so far */
  double *basis; /* [dim × dim] orthonormal, of the rows chosen */
  double *row, *along;
} choice;

/* What is left of a row along the freedoms beside those chosen, as a part of the row. */
static double remainder_of(choice *c, const double *row) {
  const trm_null_space *s = c->space;
  double size = 0, left = 0;
  for (int i = 0; i < s->n; i++) size += row[i] * s->scale[i] * row[i] * s->scale[i];
  for (int j = 0; j < s->dim; j++) {
    c->along[j] = 0;
    for (int i = 0; i < s->n; i++)
      c->along[j] += row[i] * s->Z[(size_t)j * (size_t)s->n + (size_t)i];
  }
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < c->count; k++) {
      const double *b = c->basis + (size_t)k * (size_t)s->dim;
      double sum = 0;
      for (int j = 0; j < s->dim; j++) sum += b[j] * c->along[j];
      trm_axpy(s->dim, -sum, b, c->along);
    }
  for (int j = 0; j < s->dim; j++) left += c->along[j] * c->along[j];
  return size > 0 ? sqrt(left / size) : 0;
}

static void take(choice *c, double *kept) {
  double *b = c->basis + (size_t)c->count * (size_t)c->space->dim, size = 0;
  for (int j = 0; j < c->space->dim; j++) size += c->along[j] * c->along[j];
  for (int j = 0; j < c->space->dim; j++) b[j] = c->along[j] / sqrt(size);
  memcpy(kept + (size_t)c->count * (size_t)c->space->n, c->row,
         (size_t)c->space->n * sizeof(double));
  c->count++;
}

/* In their order, those first that are clearly independent. */
static int choose(trm_manifold *m, const trm_null_space *space, const trm_measure *from, int count,
                  trm_measure *chosen, double *rows) {
  static const double enough[] = {0.2, 0.02, 1e-4, 1e-7};
  choice c = {.space = space,
              .basis = TRM_NEW(m->arena, double, (size_t)space->dim *(size_t)space->dim + 1),
              .row = TRM_NEW(m->arena, double, space->n),
              .along = TRM_NEW(m->arena, double, space->dim + 1)};
  bool *taken = TRM_NEW(m->arena, bool, count + 1);
  if (!c.basis || !c.row || !c.along || !taken) return -1;
  for (int pass = 0; pass < 4; pass++)
    for (int i = 0; i < count && c.count < space->dim; i++) {
      if (taken[i] || !trm_measure_row(m->system, m->tangent, &from[i], c.row)) continue;
      if (remainder_of(&c, c.row) < enough[pass]) continue;
      taken[i] = true;
      chosen[c.count] = from[i];
      take(&c, rows);
    }
  return c.count;
}

static trm_status take_given(candidates *c, const char *const *given,
                             trm_diagnostics *diagnostics) {
  const trm_model *model = c->m->system->model;
  char reason[512];
  for (int i = 0; given[i]; i++) {
    trm_measure measure;
    if (!trm_measure_find(model, given[i], strlen(given[i]), &measure, reason, sizeof reason)) {
      trm_report(diagnostics, TRM_ERROR, "states: %s", reason);
      return TRM_BAD_USAGE;
    }
    if (!trm_measure_row(c->m->system, c->m->tangent, &measure, c->m->x) || measure.level > 0) {
      trm_report(diagnostics, TRM_ERROR,
                 "states: '%s' is no position: a body's or point's coordinate, an angle, or a "
                 "joint's freedom is wanted; rates and the model's own states come by themselves",
                 given[i]);
      return TRM_BAD_USAGE;
    }
    add(c, given[i]);
  }
  return TRM_OK;
}

static bool create_candidates(candidates *c, int more) {
  c->room = count_all(c->m->system->model, c->m->n) + more;
  c->place = TRM_NEW(c->m->arena, trm_measure, c->room + 1);
  c->speed = TRM_NEW(c->m->arena, trm_measure, 2 * c->room + 1);
  return c->place && c->speed;
}

/* A rate has the name that its measure would be found by. */
static const char *name_speed(trm_arena *arena, const trm_measure *speed) {
  static const char *const velocities[] = {"vx", "vy", "vz"}, *const spins[] = {"wx", "wy", "wz"};
  char name[512];
  const char *dot = strrchr(speed->name, '.');
  int owner = dot ? (int)(dot - speed->name) : 0;
  const char *field = "omega";
  if (speed->kind == TRM_MEASURE_COORDINATE) {
    snprintf(name, sizeof name, "%s'", speed->name);
    return trm_arena_string(arena, name);
  }
  if (speed->kind == TRM_MEASURE_POINT) field = velocities[speed->component];
  if (speed->kind == TRM_MEASURE_ORIENTATION) field = spins[speed->component];
  if (speed->kind == TRM_MEASURE_FREEDOM) field = speed->component ? "speed" : "rate";
  snprintf(name, sizeof name, "%.*s.%s", owner, speed->name, field);
  return trm_arena_string(arena, name);
}

static const char *name_state(trm_manifold *m, int k) {
  const trm_system *sys = m->system;
  const trm_model *model = sys->model;
  char name[512];
  int force = 0;
  if (k < model->state_count) return model->signals[model->states[k]].name;
  const trm_element *e = sys->elements;
  while (k >= e->first_state + e->type->states) e++, force++;
  snprintf(name, sizeof name, "%s.%s", model->forces[force].name,
           e->type->state_names[k - e->first_state]);
  return trm_arena_string(m->arena, name);
}

static bool name_all(trm_independent *in, trm_manifold *m) {
  in->names = TRM_NEW(m->arena, const char *, in->size + 1);
  if (!in->names) return false;
  for (int i = 0; i < in->positions; i++) in->names[i] = in->place[i].name;
  for (int i = 0; i < in->velocities; i++)
    in->names[in->positions + i] = name_speed(m->arena, &in->speed[i]);
  for (int k = 0; k < in->states; k++)
    in->names[in->positions + in->velocities + k] = name_state(m, k);
  for (int i = 0; i < in->size; i++)
    if (!in->names[i]) return false;
  return true;
}

static trm_status too_few(const trm_manifold *m, int found, bool given,
                          trm_diagnostics *diagnostics) {
  if (found < 0) return TRM_NO_MEMORY;
  trm_report(diagnostics, TRM_ERROR,
             given ? "states: %d of the positions given are independent, the model has %d freedoms "
                     "of position"
                   : "only %d of the %d freedoms have measures of their own: name points on the "
                     "bodies that move",
             found, m->positions);
  return given ? TRM_BAD_USAGE : TRM_FAILED;
}

trm_status trm_independent_choose(trm_independent *in, trm_manifold *m, const char *const *chosen,
                                  trm_diagnostics *diagnostics) {
  candidates c = {.m = m};
  int given = 0;
  while (chosen && chosen[given]) given++;
  *in = (trm_independent){.states = m->states};
  in->place = TRM_NEW(m->arena, trm_measure, m->positions + 1);
  in->speed = TRM_NEW(m->arena, trm_measure, m->velocities + 1);
  in->place_row = TRM_NEW(m->arena, double, (size_t)m->positions *(size_t)m->n + 1);
  in->speed_row = TRM_NEW(m->arena, double, (size_t)m->velocities *(size_t)m->n + 1);
  if (!create_candidates(&c, given) || !in->place || !in->speed || !in->place_row || !in->speed_row)
    return TRM_NO_MEMORY;
  trm_status status = given ? take_given(&c, chosen, diagnostics) : TRM_OK;
  if (status != TRM_OK) return status;
  if (!given) add_all(&c);
  if (c.failed) return TRM_NO_MEMORY;
  in->positions = choose(m, m->place, c.place, c.count, in->place, in->place_row);
  if (in->positions < m->positions || (given && given != m->positions))
    return too_few(m, in->positions, given, diagnostics);
  int speeds = 0;
  for (int i = 0; i < in->positions; i++) trm_system_expect(m->system, &in->place[i]);
  for (int i = 0; i < in->positions; i++) c.speed[speeds++] = speed_of(&in->place[i]);
  for (int i = 0; i < c.count; i++) c.speed[speeds++] = speed_of(&c.place[i]);
  in->velocities = choose(m, m->rates, c.speed, speeds, in->speed, in->speed_row);
  if (in->velocities < m->velocities) return too_few(m, in->velocities, given, diagnostics);
  in->size = in->positions + in->velocities + in->states;
  return name_all(in, m) ? TRM_OK : TRM_NO_MEMORY;
}

/* --- values --- */

static double times(int n, const double *row, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += row[i] * x[i];
  return sum;
}

/* The acceleration of a velocity: row a, and what there is without a. */
static double acceleration(const trm_system *sys, const trm_measure *speed, const double *row) {
  double sum = times(sys->n, row, sys->a);
  if (speed->kind == TRM_MEASURE_COORDINATE) return sum;
  const trm_scalar s = trm_system_scalar(sys, speed);
  return sum + trm_scalar_bias(&s, &sys->motion);
}

void trm_independent_read(void *context, const trm_system *sys, double *out) {
  const trm_independent_reader *r = context;
  const trm_independent *in = r->independent;
  double *rates = out + in->size;
  for (int i = 0; i < in->positions; i++) {
    trm_measure_row(sys, r->tangent, &in->place[i], r->row);
    out[i] = trm_system_measure(sys, &in->place[i]);
    rates[i] = times(sys->n, r->row, sys->v);
  }
  for (int i = 0; i < in->velocities; i++) {
    trm_measure_row(sys, r->tangent, &in->speed[i], r->row);
    out[in->positions + i] = times(sys->n, r->row, sys->v);
    rates[in->positions + i] = acceleration(sys, &in->speed[i], r->row);
  }
  int first = in->positions + in->velocities;
  memcpy(out + first, sys->v + sys->n, (size_t)in->states * sizeof(double));
  memcpy(rates + first, sys->state_rate, (size_t)in->states * sizeof(double));
}
