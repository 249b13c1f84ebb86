/* Modes of vibration: eigenvalues and shapes on the constraint manifold. */
#include "analysis/modes.h"

#include <stdio.h>
#include <string.h>

#include "analysis/balance.h"
#include "analysis/frame.h"
#include "analysis/independent.h"
#include "analysis/modes_sparse.h"
#include "analysis/simulation.h"
#include "base/flush.h"
#include "base/sized.h"
#include "integrator/saddle.h"
#include "math/lapack.h"
#include "math/serial.h"
#include "result/json.h"
#include "system/generic.h"

#define PI 3.14159265358979323846

typedef struct analysis {
  trm_modes modes; /* first: it is what users hold */
  trm_arena *arena;
  trm_manifold *m;
  int size;
  double *slope; /* [measures × size] of each along each direction */
  double *body;  /* [6 × bodies × size] of their origins and rotations */
} analysis;

void trm_modes_options_init(trm_modes_options *defaults, size_t size) {
  const trm_modes_options plain = {.size = sizeof plain};
  trm_sized_give(defaults, size, &plain, sizeof plain);
}

/* --- the matrix --- */

void trm_manifold_matrix(trm_manifold *m, const trm_steady *steady, double *A, double *left) {
  double *rate = m->room, *turned = rate + m->width, *c = turned + m->width; /* free here */
  double largest = 0;
  *left = 0;
  for (int j = 0; j < m->size; j++) {
    const double *direction = m->direction + (size_t)j * (size_t)m->width;
    double off, size = 0;
    memcpy(rate, m->rate + (size_t)j * (size_t)m->width, (size_t)m->width * sizeof(double));
    for (int k = 0; steady && k < 2; k++) {
      trm_steady_turn(steady, m->system, direction + k * m->n, turned);
      trm_axpy(m->n, -1, turned, rate + k * m->n);
    }
    for (int i = 0; i < 2 * m->n; i++) size = fmax(size, fabs(rate[i]) / m->system->span[i % m->n]);
    trm_manifold_parts(m, rate, c, &off);
    largest = fmax(largest, size);
    *left = fmax(*left, off);
    for (int i = 0; i < m->size; i++) A[(size_t)i * (size_t)m->size + (size_t)j] = c[i];
  }
  if (largest > 0) *left /= largest;
}

#define ROUND_OFF 1e-13 /* of what motion and forces would cause alone: so much cancels */

/* The square of a rate: that of the motion, or that at which the forces would begin one. */
static double usual_drive(const trm_manifold *m) {
  trm_dynamics *d = &m->engine->dynamics;
  double fastest = 0;
  for (int i = 0; i < m->n; i++) fastest = fmax(fastest, fabs(m->v[i]) / m->system->span[i]);
  double forces = d->energy_unit > 0 ? sqrt(trm_dynamics_free(d) / d->energy_unit) : 0;
  return fmax(fastest * fastest, forces);
}

/* Velocities are measured in a unit of time in which the motion is neither fast nor slow; but not
 * in one so long that round-off of what the motion and the forces cause counts in it. */
bool trm_manifold_eigen(trm_manifold *m, const double *A, trm_arena *arena, trm_eigen *e) {
  int n = m->size, first = m->positions, last = first + m->velocities;
  double *unit = TRM_NEW(arena, double, n + 1), drive = 0, follow = 0;
  if (!unit) return false;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double size = fabs(A[(size_t)i * (size_t)n + (size_t)j]);
      if (i >= first && i < last && j < first) drive = fmax(drive, size);
      if (i < first && j >= first && j < last) follow = fmax(follow, size);
    }
  drive = fmax(drive, ROUND_OFF / TRM_NO_PART * follow * usual_drive(m));
  double rate = drive > 0 && follow > 0 ? sqrt(drive / follow) : 1;
  for (int i = 0; i < n; i++) unit[i] = i >= first && i < last ? rate : 1;
  return trm_eigen_find(e, arena, n, A, unit);
}

/* --- stability --- */

#define REAL 1e-11 /* of the largest eigenvalue: a real part that is one */

/* The least eigenvalue of the stiffness along the freedoms, as a part of the largest; it decides
 * where nothing is damped. */
static double least_stiffness(trm_manifold *m) {
  int f = m->velocities, info, room = 64 * (f + 1);
  double *K = TRM_NEW(m->arena, double, (size_t)f *(size_t)f + 1);
  double *w = TRM_NEW(m->arena, double, f + 1), *work = TRM_NEW(m->arena, double, room);
  if (!K || !w || !work || f == 0 || m->place != m->rates) return 0;
  for (int j = 0; j < f; j++) {
    memset(m->x, 0, (size_t)(m->n + m->states) * sizeof(double));
    memcpy(m->x, m->rates->Z + (size_t)j * (size_t)m->n, (size_t)m->n * sizeof(double));
    trm_stiffness_times(m->tangent, m->x, m->product);
    for (int i = 0; i < f; i++)
      for (int k = 0; k < m->n; k++)
        K[(size_t)j * (size_t)f + (size_t)i] +=
            m->rates->Z[(size_t)i * (size_t)m->n + (size_t)k] * m->product[k];
  }
  for (int j = 0; j < f; j++)
    for (int i = 0; i < j; i++) {
      double *a = &K[(size_t)j * (size_t)f + (size_t)i], *b = &K[(size_t)i * (size_t)f + (size_t)j];
      *a = *b = (*a + *b) / 2;
    }
  dsyev_("N", "U", &f, K, &f, w, work, &room, &info, 1, 1);
  double largest = fmax(fabs(w[0]), fabs(w[f - 1]));
  return info == 0 && largest > 0 ? w[0] / largest : 0;
}

trm_answer trm_stability(trm_manifold *m, const trm_eigen *e, bool at_rest) {
  double largest = 0, most = -INFINITY;
  for (int i = 0; i < e->n; i++) {
    largest = fmax(largest, cabs(e->value[i]));
    if (e->value[i] != 0) most = fmax(most, creal(e->value[i]));
  }
  if (most > REAL * largest) return TRM_NO;
  if (e->zeros > 0) return TRM_UNDECIDED;
  if (most < -REAL * largest) return TRM_YES;
  return at_rest && m->states == 0 && least_stiffness(m) > 1e-10 ? TRM_YES : TRM_UNDECIDED;
}

/* --- shapes --- */

typedef struct shapes {
  analysis *a;
  int count, room;
  const char **names;
  double *slope;
} shapes;

static bool add(shapes *s, const char *name) {
  trm_manifold *m = s->a->m;
  trm_measure measure;
  char reason[512];
  if (!trm_measure_find(m->system->model, name, strlen(name), &measure, reason, sizeof reason) ||
      !trm_measure_row(m->system, m->tangent, &measure, m->product))
    return true;
  double *slope = s->slope + (size_t)s->count * (size_t)m->size;
  for (int j = 0; j < m->size; j++) {
    const double *d = m->direction + (size_t)j * (size_t)m->width;
    slope[j] = 0;
    for (int i = 0; i < m->n; i++) slope[j] += m->product[i] * d[i];
  }
  return (s->names[s->count++] = trm_arena_string(s->a->arena, name)) != NULL;
}

static bool add_field(shapes *s, const char *owner, const char *field) {
  char name[1024];
  snprintf(name, sizeof name, "%s.%s", owner, field);
  return add(s, name);
}

static bool add_mechanism(shapes *s, const trm_model *model) {
  static const char *const planar[] = {"x", "y", "angle"};
  static const char *const spatial[] = {"x", "y", "z", "roll", "pitch", "yaw"};
  bool good = true;
  for (int b = 0; b < trm_model_placed(model); b++)
    for (int k = 0; k < (model->dim == 2 ? 3 : 6); k++)
      good = good && add_field(s, model->bodies[b].name, model->dim == 2 ? planar[k] : spatial[k]);
  for (int j = 0; j < model->joint_count; j++) {
    int freedoms = trm_model_freedoms(model, model->joints[j].type);
    if (freedoms & 1) good = good && add_field(s, model->joints[j].name, "angle");
    if (freedoms & 2) good = good && add_field(s, model->joints[j].name, "displacement");
  }
  return good;
}

/* Positions of bodies, freedoms of joints, the model's states. */
static bool measure_shapes(analysis *a) {
  trm_manifold *m = a->m;
  const trm_model *model = m->system->model;
  shapes s = {.a = a, .room = m->n + 6 * model->body_count + 2 * model->joint_count + m->states};
  s.names = TRM_NEW(a->arena, const char *, s.room + 1);
  s.slope = TRM_NEW(a->arena, double, (size_t)(s.room + 1) * (size_t)m->size);
  if (!s.names || !s.slope) return false;
  bool good = true;
  if (model->user)
    for (int i = 0; i < m->n; i++) good = good && add(&s, m->system->generic->user->names[i]);
  else
    good = add_mechanism(&s, model);
  for (int k = 0; k < model->state_count && good; k++) {
    s.slope[(size_t)s.count * (size_t)m->size + (size_t)(m->positions + m->velocities + k)] = 1;
    s.names[s.count] = trm_arena_string(a->arena, model->signals[model->states[k]].name);
    good = s.names[s.count++] != NULL;
  }
  a->modes.measure_count = s.count;
  a->modes.measures = s.names;
  a->slope = s.slope;
  return good;
}

/* Displacements of the bodies' origins, and their rotations, along each direction. */
static bool measure_bodies(analysis *a) {
  trm_manifold *m = a->m;
  const trm_model *model = m->system->model;
  int placed = model->user ? 0 : trm_model_placed(model);
  a->body = TRM_NEW(a->arena, double, 6 * (size_t)placed * (size_t)m->size + 1);
  if (!a->body) return false;
  for (int i = 0; i < 6 * placed; i++) {
    int b = i / 6, k = i % 6;
    trm_measure measure = {.kind = TRM_MEASURE_POINT, .index = b, .component = k, .level = 1};
    measure.end.body = b;
    if (model->dim == 2 && k >= 2 && k < 5) continue;
    if (k >= 3) {
      measure.kind = model->dim == 2 ? TRM_MEASURE_ANGLE : TRM_MEASURE_ORIENTATION;
      measure.component = model->dim == 2 ? 0 : k - 3;
    }
    if (!trm_measure_row(m->system, m->tangent, &measure, m->product)) continue;
    double *slope = a->body + (size_t)i * (size_t)m->size;
    for (int j = 0; j < m->size; j++)
      for (int c = 0; c < m->n; c++)
        slope[j] += m->product[c] * m->direction[(size_t)j * (size_t)m->width + (size_t)c];
  }
  return true;
}

/* The largest component becomes 1; returns what it was. */
static double complex normalize(double *shape, int count) {
  double complex largest = 0;
  for (int k = 0; k < count; k++) {
    double complex part = shape[2 * k] + shape[2 * k + 1] * _Complex_I;
    if (cabs(part) > cabs(largest) * (1 + 1e-9)) largest = part;
  }
  for (int k = 0; k < count && largest != 0; k++) {
    double complex part = (shape[2 * k] + shape[2 * k + 1] * _Complex_I) / largest;
    shape[2 * k] = creal(part);
    shape[2 * k + 1] = cimag(part);
  }
  return largest;
}

static double complex shape_of(analysis *a, const double complex *c, double *shape) {
  int count = a->modes.measure_count;
  for (int k = 0; k < count; k++) {
    double complex sum = 0;
    for (int j = 0; j < a->size; j++)
      sum += a->slope[(size_t)k * (size_t)a->size + (size_t)j] * c[j];
    shape[2 * k] = creal(sum);
    shape[2 * k + 1] = cimag(sum);
  }
  return normalize(shape, count);
}

static void move_bodies(const analysis *a, const double complex *c, double complex unit, int placed,
                        double *motion) {
  for (int i = 0; i < 6 * placed; i++) {
    double complex sum = 0;
    for (int j = 0; j < a->size; j++)
      sum += a->body[(size_t)i * (size_t)a->size + (size_t)j] * c[j];
    if (unit != 0) sum /= unit;
    motion[2 * i] = creal(sum);
    motion[2 * i + 1] = cimag(sum);
  }
}

static bool fill(analysis *a, const trm_eigen *e, int wanted) {
  int count = wanted > 0 && wanted < e->n ? wanted : e->n;
  while (count > 0 && count < e->n && cimag(e->value[count - 1]) > 0) count++;
  trm_mode *modes = TRM_NEW(a->arena, trm_mode, count + 1);
  size_t each = 2 * (size_t)a->modes.measure_count;
  double *shape = TRM_NEW(a->arena, double, each *(size_t)count + 1);
  const trm_model *model = a->m->system->model;
  int placed = model->user ? 0 : trm_model_placed(model);
  double *motion = TRM_NEW(a->arena, double, 12 * (size_t)placed * (size_t)count + 1);
  if (!modes || !shape || !motion || !measure_bodies(a)) return false;
  for (int k = 0; k < count; k++, shape += each, motion += 12 * (ptrdiff_t)placed) {
    double complex value = e->value[k];
    double size = cabs(value);
    const double complex *c = e->vector + (size_t)k * (size_t)e->n;
    move_bodies(a, c, shape_of(a, c, shape), placed, motion);
    modes[k] = (trm_mode){.re = creal(value),
                          .im = cimag(value),
                          .frequency = size / (2 * PI),
                          .damping = size > 0 ? -creal(value) / size : 0,
                          .shape = shape,
                          .motion = placed > 0 ? motion : NULL};
  }
  a->modes.count = count;
  a->modes.modes = modes;
  a->modes.total = e->n;
  a->modes.zero_modes = e->zeros;
  a->modes.degrees_of_freedom = a->m->velocities;
  return true;
}

/* --- all of it --- */

static trm_status fail(trm_engine *e, trm_diagnostics *diagnostics) {
  trm_report_place(diagnostics, TRM_ERROR, e->system->place, "the modes cannot be found: %s",
                   e->system->error);
  return TRM_FAILED;
}

static trm_status refuse(double off, trm_diagnostics *diagnostics) {
  trm_report(diagnostics, TRM_ERROR,
             "the state moves, and not steadily (by %.1e of its largest velocity and "
             "acceleration): its modes would depend on the coordinates; ask at an equilibrium or "
             "a steady motion, or linearize",
             off);
  return TRM_FAILED;
}

static bool is_moving(const trm_manifold *m) {
  for (int i = 0; i < m->n; i++)
    if (m->v[i] != 0) return true;
  return false;
}

bool trm_manifold_is_balanced(const trm_manifold *m) {
  return trm_balance(m, trm_balance_little(m), m->force) <= TRM_STEADY; /* force: free here */
}

/* A state that forces are about to move has no modes of its own either. Where all that moves goes
 * straight they are those of every place, so that it is said and no more. */
static void warn_of_forces(const trm_manifold *m, trm_diagnostics *diagnostics) {
  if (!trm_manifold_is_balanced(m))
    trm_report(diagnostics, TRM_WARNING,
               "the state is at rest but not in equilibrium: where anything turns, its modes "
               "depend on the coordinates; ask at the equilibrium");
}

enum { FEWEST = 10, MOST_SHAPED = 1000 };

/* Of a large model: shapes over the model's outputs that are positions. */
static bool shape_large(analysis *a, trm_engine *e, trm_tangent *tangent, const trm_eigen *eigen) {
  const trm_model *model = e->model;
  int n = e->system->n, count = 0;
  const char **names = TRM_NEW(a->arena, const char *, model->output_count + 1);
  double *row = TRM_NEW(a->arena, double, n);
  trm_mode *modes = TRM_NEW(a->arena, trm_mode, eigen->n + 1);
  int most = model->output_count < MOST_SHAPED ? model->output_count : MOST_SHAPED;
  double *shape = TRM_NEW(a->arena, double, 2 * (size_t)most * (size_t)eigen->n + 1);
  if (trm_arena_failed(a->arena)) return false;
  for (int i = 0; i < model->output_count && count < most; i++) {
    const trm_measure *measure = &model->outputs[i];
    if (measure->level > 0 || !trm_measure_row(e->system, tangent, measure, row)) continue;
    for (int k = 0; k < eigen->n; k++) {
      double complex sum = 0;
      for (int j = 0; j < n; j++) sum += row[j] * eigen->vector[(size_t)k * (size_t)n + (size_t)j];
      shape[2 * ((size_t)k * (size_t)most + (size_t)count)] = creal(sum);
      shape[2 * ((size_t)k * (size_t)most + (size_t)count) + 1] = cimag(sum);
    }
    if (!(names[count++] = trm_arena_string(a->arena, measure->name))) return false;
  }
  for (int k = 0; k < eigen->n; k++) {
    double *one = shape + 2 * (size_t)k * (size_t)most, size = cabs(eigen->value[k]);
    normalize(one, count);
    modes[k] = (trm_mode){creal(eigen->value[k]),
                          cimag(eigen->value[k]),
                          size / (2 * PI),
                          size > 0 ? -creal(eigen->value[k]) / size : 0,
                          one,
                          NULL};
  }
  a->modes = (trm_modes){.degrees_of_freedom = n - e->redundancy.generic,
                         .total = 2 * (n - e->redundancy.generic),
                         .count = eigen->n,
                         .zero_modes = eigen->zeros,
                         .modes = modes,
                         .measure_count = count,
                         .measures = names};
  return true;
}

static trm_status work_large(analysis *a, trm_engine *e, const trm_modes_options *options,
                             trm_diagnostics *diagnostics) {
  trm_eigen eigen;
  trm_tangent *tangent;
  int count = options->count > 0 ? options->count : FEWEST;
  if (options->count == 0)
    trm_report(diagnostics, TRM_NOTE, "the model is large: its lowest %d modes were sought", count);
  if (!trm_modes_sparse(e, count, a->arena, &eigen, &tangent)) return fail(e, diagnostics);
  return shape_large(a, e, tangent, &eigen) ? TRM_OK : TRM_NO_MEMORY;
}

static trm_status work(analysis *a, trm_engine *e, const trm_modes_options *options,
                       trm_diagnostics *diagnostics) {
  if (e->system->n > TRM_MODES_LARGE) return work_large(a, e, options, diagnostics);
  a->m = trm_manifold_create(e);
  if (!a->m) return TRM_NO_MEMORY;
  trm_manifold *m = a->m;
  if (!trm_manifold_evaluate(m, m->t, m->q, m->v) || !trm_manifold_accelerate(m))
    return fail(e, diagnostics);
  trm_steady steady, *frame = is_moving(m) ? &steady : NULL;
  double off = 0;
  if (frame && !trm_frame_find(frame, m, &off))
    return trm_arena_failed(m->arena) ? TRM_NO_MEMORY : fail(e, diagnostics);
  if (!(off <= TRM_STEADY)) return refuse(off, diagnostics);
  if (!frame) warn_of_forces(m, diagnostics);
  a->size = m->size;
  double *A = TRM_NEW(a->arena, double, (size_t)m->size *(size_t)m->size + 1), left;
  trm_eigen eigen;
  if (!A) return TRM_NO_MEMORY;
  if (!trm_manifold_directions(m)) return fail(e, diagnostics);
  trm_manifold_matrix(m, frame, A, &left);
  if (frame && !(left <= TRM_STEADY)) return refuse(left, diagnostics);
  if (!trm_manifold_eigen(m, A, a->arena, &eigen)) {
    if (trm_arena_failed(a->arena)) return TRM_NO_MEMORY;
    trm_report(diagnostics, TRM_ERROR, "the eigenvalues do not converge");
    return TRM_FAILED;
  }
  return measure_shapes(a) && fill(a, &eigen, options->count) ? TRM_OK : TRM_NO_MEMORY;
}

trm_modes *trm_simulation_modes(trm_simulation *sim, const trm_modes_options *given,
                                trm_diagnostics *diagnostics, trm_status *status) {
  trm_modes_options options;
  trm_status ignored, *result = status ? status : &ignored;
  trm_modes_options_init(&options, sizeof options);
  *result = TRM_BAD_USAGE;
  if (!trm_sized_take_or_report(&options, sizeof options, given, "trm_default_modes_options",
                                diagnostics))
    return NULL;
  trm_arena *arena = trm_arena_create();
  analysis *a = arena ? TRM_NEW(arena, analysis, 1) : NULL;
  *result = TRM_NO_MEMORY;
  if (a) {
    unsigned before = trm_flush_begin();
    trm_serial_begin();
    a->arena = arena;
    *result = work(a, sim->engine, &options, diagnostics);
    trm_manifold_destroy(a->m);
    trm_engine_return(sim->engine);
    trm_serial_end();
    trm_flush_set(before);
  }
  if (*result == TRM_OK) return &a->modes;
  if (*result == TRM_NO_MEMORY) trm_report(diagnostics, TRM_ERROR, "out of memory");
  trm_arena_destroy(arena);
  return NULL;
}

void trm_modes_destroy(trm_modes *modes) {
  if (modes) trm_arena_destroy(((analysis *)modes)->arena);
}

/* --- JSON --- */

static void write_mode(trm_json *json, const trm_modes *modes, const trm_mode *mode) {
  trm_json_open(json, NULL);
  trm_json_number(json, "re", mode->re);
  trm_json_number(json, "im", mode->im);
  trm_json_number(json, "frequency", mode->frequency);
  trm_json_number(json, "damping", mode->damping);
  trm_json_open(json, "shape");
  for (int k = 0; k < modes->measure_count; k++)
    trm_json_numbers(json, modes->measures[k], mode->shape + 2 * k, 2, 12);
  trm_json_close(json);
  trm_json_close(json);
}

trm_status trm_modes_write_json(const trm_modes *modes, const char *at, const char *path,
                                trm_diagnostics *diagnostics) {
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_json json;
  trm_json_begin(&json, output);
  trm_json_string(&json, "at", at);
  trm_json_integer(&json, "degrees_of_freedom", modes->degrees_of_freedom);
  trm_json_integer(&json, "zero_modes", modes->zero_modes);
  trm_json_open_list(&json, "modes");
  for (int k = 0; k < modes->count; k++) write_mode(&json, modes, &modes->modes[k]);
  trm_json_close_list(&json);
  trm_json_end(&json);
  return trm_output_close(output, diagnostics);
}
