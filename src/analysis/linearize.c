/* A, B, C, D on the constraint manifold about any state. */
#include <stdlib.h>
#include <string.h>
#include <trammel/analysis.h>

#include "analysis/frame.h"
#include "analysis/independent.h"
#include "analysis/modes.h"
#include "analysis/simulation.h"
#include "base/flush.h"
#include "base/sized.h"
#include "math/lapack_eigen.h"
#include "math/serial.h"
#include "result/json.h"

typedef struct linearization {
  trm_linear_model linear; /* first: it is what users hold */
  trm_arena *arena;
  trm_manifold *m;
  trm_independent independent;
  int inputs, outputs, size;
  int *input;            /* [inputs] signals */
  trm_measure *measures; /* [outputs] */
  double *X, *R, *Y;     /* [size × size] states and their rates by direction; outputs */
  double *A, *B, *C, *D;
  trm_steady frame;
  bool moves, steady; /* steady: in the frame, or at rest */
} linearization;

void trm_linear_options_init(trm_linear_options *defaults, size_t size) {
  const trm_linear_options plain = {.size = sizeof plain};
  trm_sized_give(defaults, size, &plain, sizeof plain);
}

static int count_names(const char *const *names) {
  int count = 0;
  while (names && names[count]) count++;
  return count;
}

static const char *const *copy_names(trm_arena *arena, const char *const *names, int count) {
  const char **copy = TRM_NEW(arena, const char *, count + 1);
  for (int i = 0; copy && i < count; i++)
    if (!(copy[i] = trm_arena_string(arena, names[i]))) return NULL;
  return copy;
}

/* --- inputs and outputs --- */

static trm_status find_inputs(linearization *l, trm_simulation *sim, const char *const *names,
                              trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  for (int i = 0; i < l->inputs; i++) {
    l->input[i] = trm_simulation_input(sim, names[i]);
    if (l->input[i] >= 0) continue;
    trm_report(diagnostics, TRM_ERROR, "the model has no input '%s'; inputs stand under `inputs:`",
               names[i]);
    status = TRM_BAD_USAGE;
  }
  return status;
}

static trm_status find_outputs(linearization *l, trm_system *sys, const char *const *names,
                               trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  char reason[512];
  for (int i = 0; i < l->outputs; i++) {
    trm_measure *measure = &l->measures[i];
    if (trm_measure_find(sys->model, names[i], strlen(names[i]), measure, reason, sizeof reason)) {
      trm_system_expect(sys, measure);
      continue;
    }
    trm_report(diagnostics, TRM_ERROR, "outputs: %s", reason);
    status = TRM_BAD_USAGE;
  }
  return status;
}

typedef struct output_reader {
  trm_engine *engine;
  const linearization *l;
  trm_solver *solver;
  int first, count;
} output_reader;

/* Redundant joints share their reactions in the way of least norm. */
static void read_outputs(void *context, const trm_system *sys, double *out) {
  output_reader *r = context;
  if (trm_solver_rank(r->solver) != sys->m) trm_solver_minimum_norm(r->solver, sys->lambda);
  trm_system_measures(sys, r->l->measures + r->first, r->count, out);
}

/* --- matrices --- */

/* Where nothing moves and nothing accelerates the rows themselves tell, without differences. */
static bool is_still(const trm_manifold *m) {
  for (int i = 0; i < m->n; i++)
    if (m->v[i] != 0 || fabs(m->a[i]) > 1e-9 * m->system->span[i]) return false;
  return !m->moving;
}

static double row_times(int n, const double *row, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += row[i] * x[i];
  return sum;
}

/* Positions along a direction: their rows tell, wherever it is. */
static void read_places(const linearization *l, const double *direction, double *x) {
  const trm_independent *in = &l->independent;
  int n = l->m->n;
  for (int i = 0; i < in->positions; i++)
    x[i] = direction ? row_times(n, in->place_row + (size_t)i * (size_t)n, direction) : 0;
}

static void read_still(const linearization *l, const double *direction, const double *rate,
                       double *x) {
  const trm_independent *in = &l->independent;
  int n = l->m->n, size = in->size;
  for (int i = 0; i < in->positions; i++)
    x[size + i] = row_times(n, in->place_row + (size_t)i * (size_t)n, rate);
  for (int i = 0; i < in->velocities; i++) {
    const double *row = in->speed_row + (size_t)i * (size_t)n;
    x[in->positions + i] = direction ? row_times(n, row, direction + n) : 0;
    x[size + in->positions + i] = row_times(n, row, rate + n);
  }
  for (int k = 0; k < in->states; k++) {
    int at = in->positions + in->velocities + k;
    x[at] = direction ? direction[2 * n + k] : 0;
    x[size + at] = rate[2 * n + k];
  }
}

/* States, their rates and the outputs along a direction or an input. */
static bool slopes(linearization *l, trm_engine *e, const trm_course_of *along, double *x,
                   double *y) {
  trm_independent_reader reader = {&l->independent, l->m->tangent, l->m->product};
  if (is_still(l->m))
    read_still(l, along->direction, along->rate, x);
  else if (!trm_manifold_slopes(l->m, along, trm_independent_read, &reader, 2 * l->independent.size,
                                x))
    return false;
  read_places(l, along->direction, x);
  for (int first = 0; first < l->outputs; first += l->m->unit) {
    int left = l->outputs - first, count = left < l->m->unit ? left : l->m->unit;
    output_reader outputs = {e, l, e->solver, first, count};
    if (!trm_manifold_slopes(l->m, along, read_outputs, &outputs, count, y + first)) return false;
  }
  return true;
}

/* --- in the frame of a steady motion --- */

static bool find_frame(linearization *l) {
  trm_manifold *m = l->m;
  double off;
  for (int i = 0; i < m->n; i++) l->moves = l->moves || m->v[i] != 0;
  l->steady = !l->moves && trm_manifold_is_balanced(m);
  if (!l->moves) return true;
  if (!trm_frame_find(&l->frame, m, &off)) return false;
  l->steady = off <= TRM_STEADY;
  return true;
}

/* There rates are parts of the basis, c, which do not change: R = X c. */
static bool turn_rates(linearization *l) {
  size_t n = (size_t)l->size;
  double *c = TRM_NEW(l->arena, double, n *n + 1), left;
  if (!c) return false;
  trm_manifold_matrix(l->m, &l->frame, c, &left);
  l->steady = left <= TRM_STEADY;
  if (!l->steady) return true;
  memset(l->R, 0, n * n * sizeof(double));
  for (size_t j = 0; j < n; j++)
    for (size_t k = 0; k < n; k++) trm_axpy((int)n, c[k * n + j], l->X + k * n, l->R + j * n);
  return true;
}

/* A = R X⁻¹, C = Y X⁻¹, with directions in the columns */
static bool divide(linearization *l) {
  int n = l->size, info = 0, *pivot = TRM_NEW(l->arena, int, n + 1);
  double *b = TRM_NEW(l->arena, double, n + 1);
  if (!pivot || !b) return false;
  /* here a direction is a row: Xᵀ Aᵀ = Rᵀ, and Fortran reads rows as columns */
  double *X = TRM_NEW(l->arena, double, (size_t)n *(size_t)n + 1);
  if (!X) return false;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      X[(size_t)i * (size_t)n + (size_t)j] = l->X[(size_t)j * (size_t)n + (size_t)i];
  if (n > 0) dgetrf_(&n, &n, X, &n, pivot, &info);
  if (info != 0) return false;
  int one = 1;
  for (int i = 0; i < n + l->outputs; i++) {
    int width = i < n ? n : l->outputs, k = i < n ? i : i - n;
    const double *from = i < n ? l->R : l->Y;
    double *to = i < n ? l->A + (size_t)i * (size_t)n : l->C + (size_t)k * (size_t)n;
    for (int j = 0; j < n; j++) b[j] = from[(size_t)j * (size_t)width + (size_t)k];
    if (n > 0) dgetrs_("N", &n, &one, X, &n, pivot, b, &n, &info, 1);
    memcpy(to, b, (size_t)n * sizeof(double));
  }
  return true;
}

static bool fill(linearization *l, trm_engine *e) {
  trm_manifold *m = l->m;
  int n = l->size;
  double *x = TRM_NEW(l->arena, double, 2 * n + 1), *y = TRM_NEW(l->arena, double, l->outputs + 1);
  double *rate = TRM_NEW(l->arena, double, m->width),
         *multiplier = TRM_NEW(l->arena, double, m->m + 1);
  if (trm_arena_failed(l->arena)) return false;
  for (int j = 0; j < n; j++) {
    const trm_course_of along = {m->direction + (size_t)j * (size_t)m->width,
                                 m->rate + (size_t)j * (size_t)m->width,
                                 m->multiplier + (size_t)j * (size_t)m->m, TRM_NO_INPUT};
    if (!slopes(l, e, &along, x, y)) return false;
    memcpy(l->X + (size_t)j * (size_t)n, x, (size_t)n * sizeof(double));
    memcpy(l->R + (size_t)j * (size_t)n, x + n, (size_t)n * sizeof(double));
    memcpy(l->Y + (size_t)j * (size_t)l->outputs, y, (size_t)l->outputs * sizeof(double));
  }
  if (l->moves && l->steady && !turn_rates(l)) return false;
  for (int k = 0; k < l->inputs; k++) {
    const trm_course_of along = {NULL, rate, multiplier, l->input[k]};
    if (!trm_manifold_follow(m, NULL, l->input[k], rate, multiplier) || !slopes(l, e, &along, x, y))
      return false;
    for (int i = 0; i < n; i++) l->B[i * l->inputs + k] = x[n + i];
    for (int i = 0; i < l->outputs; i++) l->D[i * l->inputs + k] = y[i];
  }
  return divide(l);
}

static bool create_arrays(linearization *l, const trm_linear_options *options) {
  size_t n = (size_t)l->size;
  trm_arena *arena = l->arena;
  l->X = TRM_NEW(arena, double, n *n + 1);
  l->R = TRM_NEW(arena, double, n *n + 1);
  l->Y = TRM_NEW(arena, double, n *(size_t)l->outputs + 1);
  l->A = TRM_NEW(arena, double, n *n + 1);
  l->B = TRM_NEW(arena, double, n *(size_t)l->inputs + 1);
  l->C = TRM_NEW(arena, double, n *(size_t)l->outputs + 1);
  l->D = TRM_NEW(arena, double, (size_t)l->outputs *(size_t)l->inputs + 1);
  l->linear = (trm_linear_model){.state_count = l->size,
                                 .input_count = l->inputs,
                                 .output_count = l->outputs,
                                 .positions = l->independent.positions,
                                 .velocities = l->independent.velocities,
                                 .states = copy_names(arena, l->independent.names, l->size),
                                 .inputs = copy_names(arena, options->inputs, l->inputs),
                                 .outputs = copy_names(arena, options->outputs, l->outputs),
                                 .A = l->A,
                                 .B = l->B,
                                 .C = l->C,
                                 .D = l->D,
                                 .time = l->m->t};
  return !trm_arena_failed(arena) && l->linear.states && l->linear.inputs && l->linear.outputs;
}

static trm_status fail(trm_engine *e, trm_diagnostics *diagnostics) {
  trm_report_place(diagnostics, TRM_ERROR, e->system->place, "the state cannot be linearized: %s",
                   e->system->error);
  return TRM_FAILED;
}

static trm_status work(linearization *l, trm_simulation *sim, const trm_linear_options *options,
                       trm_diagnostics *diagnostics) {
  trm_engine *e = sim->engine;
  trm_status status = find_inputs(l, sim, options->inputs, diagnostics);
  trm_status found = find_outputs(l, e->system, options->outputs, diagnostics);
  if (status == TRM_OK) status = found;
  if (status != TRM_OK) return status;
  l->m = trm_manifold_create(e);
  if (!l->m) return TRM_NO_MEMORY;
  trm_manifold *m = l->m;
  if (!trm_manifold_evaluate(m, m->t, m->q, m->v) || !trm_manifold_accelerate(m))
    return fail(e, diagnostics);
  if (!find_frame(l)) return trm_arena_failed(m->arena) ? TRM_NO_MEMORY : fail(e, diagnostics);
  status = trm_independent_choose(&l->independent, m, options->states, diagnostics);
  if (status != TRM_OK) return status;
  l->size = l->independent.size;
  if (!create_arrays(l, options)) return TRM_NO_MEMORY;
  if (!trm_manifold_directions(m) || !fill(l, e)) return fail(e, diagnostics);
  l->linear.steady = l->steady;
  if (!l->steady && l->inputs > 0 && l->outputs > 0)
    trm_report(diagnostics, TRM_NOTE,
               "the state is no equilibrium and no steady motion: A changes on the way, and "
               "responses to inputs are those of this moment");
  return TRM_OK;
}

trm_linear_model *trm_simulation_linearize(trm_simulation *sim, const trm_linear_options *given,
                                           trm_diagnostics *diagnostics, trm_status *status) {
  trm_linear_options options;
  trm_status ignored, *result = status ? status : &ignored;
  trm_linear_options_init(&options, sizeof options);
  *result = TRM_BAD_USAGE;
  if (!trm_sized_take_or_report(&options, sizeof options, given, "trm_default_linear_options",
                                diagnostics))
    return NULL;
  trm_arena *arena = trm_arena_create();
  linearization *l = arena ? TRM_NEW(arena, linearization, 1) : NULL;
  *result = TRM_NO_MEMORY;
  if (l) {
    unsigned before = trm_flush_begin();
    trm_serial_begin();
    *l = (linearization){.arena = arena,
                         .inputs = count_names(options.inputs),
                         .outputs = count_names(options.outputs)};
    l->input = TRM_NEW(arena, int, l->inputs + 1);
    l->measures = TRM_NEW(arena, trm_measure, l->outputs + 1);
    if (l->input && l->measures) *result = work(l, sim, &options, diagnostics);
    trm_manifold_destroy(l->m);
    trm_engine_return(sim->engine);
    trm_serial_end();
    trm_flush_set(before);
  }
  if (*result == TRM_OK) return &l->linear;
  if (*result == TRM_NO_MEMORY) trm_report(diagnostics, TRM_ERROR, "out of memory");
  trm_arena_destroy(arena);
  return NULL;
}

void trm_linear_model_destroy(trm_linear_model *linear) {
  if (linear) trm_arena_destroy(((linearization *)linear)->arena);
}

/* --- response --- */

bool trm_linear_model_response(const trm_linear_model *l, int input, int output, double omega,
                               double *re, double *im) {
  int n = l->state_count, one = 1, info = 0;
  if (input < 0 || input >= l->input_count || output < 0 || output >= l->output_count) return false;
  size_t cells = (size_t)n * (size_t)n;
  double complex *S = calloc(cells + (size_t)n + 1, sizeof *S), *x = S ? S + cells : NULL;
  int *pivot = calloc((size_t)n + 1, sizeof *pivot);
  double complex sum = l->D[output * l->input_count + input];
  bool good = S && pivot;
  for (int i = 0; good && i < n; i++) {
    for (int j = 0; j < n; j++)
      S[(size_t)j * (size_t)n + (size_t)i] = (i == j ? _Complex_I * omega : 0) - l->A[i * n + j];
    x[i] = l->B[i * l->input_count + input];
  }
  if (good && n > 0) zgesv_(&n, &one, S, &n, pivot, x, &n, &info);
  good = good && info == 0;
  for (int i = 0; good && i < n; i++) sum += l->C[output * n + i] * x[i];
  *re = good ? creal(sum) : NAN;
  *im = good ? cimag(sum) : NAN;
  free(S);
  free(pivot);
  return good && isfinite(*re) && isfinite(*im);
}

/* --- JSON --- */

static void write_names(trm_json *json, const char *key, const char *const *names, int count) {
  trm_json_open_list(json, key);
  for (int i = 0; i < count; i++) trm_json_string(json, NULL, names[i]);
  trm_json_close_list(json);
}

static void write_matrix(trm_json *json, const char *key, const double *M, int rows, int columns) {
  trm_json_open_list(json, key);
  for (int i = 0; i < rows; i++)
    trm_json_numbers(json, NULL, M + (size_t)i * (size_t)columns, columns, 17);
  trm_json_close_list(json);
}

trm_status trm_linear_model_write_json(const trm_linear_model *l, const char *path,
                                       trm_diagnostics *diagnostics) {
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_json json;
  trm_json_begin(&json, output);
  trm_json_number(&json, "time", l->time);
  trm_json_bool(&json, "steady", l->steady);
  write_names(&json, "states", l->states, l->state_count);
  write_names(&json, "inputs", l->inputs, l->input_count);
  write_names(&json, "outputs", l->outputs, l->output_count);
  write_matrix(&json, "A", l->A, l->state_count, l->state_count);
  write_matrix(&json, "B", l->B, l->state_count, l->input_count);
  write_matrix(&json, "C", l->C, l->output_count, l->state_count);
  write_matrix(&json, "D", l->D, l->output_count, l->input_count);
  trm_json_end(&json);
  return trm_output_close(output, diagnostics);
}
