/* A SUNDIALS context that never prints, and a direct linear solver that is ours. */
#include "integrator/sundials.h"

#include <cvode/cvode.h>
#include <float.h>
#include <string.h>

#include "base/memory.h"

enum { VECTORS = 30 }; /* a method of order 12 has not as many */

static SUNMatrix_ID matrix_id(SUNMatrix A) {
  (void)A;
  return SUNMATRIX_CUSTOM;
}

static int zero_matrix(SUNMatrix A) {
  (void)A;
  return 0;
}

static SUNLinearSolver_Type linear_type(SUNLinearSolver S) {
  (void)S;
  return SUNLINEARSOLVER_DIRECT;
}

static int solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b, sunrealtype tolerance) {
  trm_sundials *own = S->content;
  (void)A;
  (void)tolerance;
  if (x != b) N_VScale(1, b, x);
  own->in->iterations++;
  own->type->solve(own, trm_data_of(x));
  return 0;
}

/* Messages are ours: made from the flags that the calls return. */
static bool discard_messages(SUNContext context) {
#if SUNDIALS_VERSION_MAJOR < 7
  return context != NULL; /* by CVodeSetErrFile, IDASetErrFile */
#else
  return SUNContext_ClearErrHandlers(context) == 0;
#endif
}

static void release(void *data) {
  trm_sundials *own = data;
  N_Vector vectors[] = {own->y, own->ydot, own->at, own->weight};
  own->type->release(&own->memory);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    if (vectors[i]) N_VDestroy(vectors[i]);
  if (own->linear) SUNLinSolFreeEmpty(own->linear);
  if (own->matrix) SUNMatFreeEmpty(own->matrix);
  if (own->context) SUNContext_Free(&own->context);
}

/* Of an integrator that was restored: the library's history is not kept. */
static void forget(void *integrator) {
  trm_integrator *in = integrator;
  in->fresh = true;
}

static bool create_linear(trm_sundials *own) {
  own->matrix = SUNMatNewEmpty(own->context);
  own->linear = SUNLinSolNewEmpty(own->context);
  if (!own->matrix || !own->linear) return false;
  own->matrix->ops->getid = matrix_id;
  own->matrix->ops->zero = zero_matrix;
  own->linear->ops->gettype = linear_type;
  own->linear->ops->solve = solve;
  own->linear->content = own;
  return true;
}

bool trm_sundials_create(trm_sundials *own, const trm_sundials_class *type, trm_integrator *in,
                         trm_dynamics *d, trm_arena *arena, int size) {
  *own = (trm_sundials){.type = type, .in = in, .dynamics = d, .size = size, .stop = INFINITY};
  if (!trm_arena_defer(arena, release, own)) return false;
  trm_keep_derived(arena, forget, in);
  if (!trm_memory_left((size_t)size * VECTORS * sizeof(double))) return false;
  if (SUNContext_Create(SUN_COMM_NULL, &own->context) != 0 || !discard_messages(own->context))
    return false;
  N_Vector *const vectors[] = {&own->y, &own->ydot, &own->at, &own->weight};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    if (!(*vectors[i] = N_VNew_Serial(size, own->context))) return false;
  return create_linear(own);
}

int trm_sundials_outcome(trm_sundials *own, bool good) {
  own->failed = !good;
  own->has_failed = own->has_failed || !good;
  return good ? 0 : 1;
}

int trm_sundials_weigh(N_Vector state, N_Vector weights, void *data) {
  const trm_sundials *own = data;
  const trm_integrator *in = own->in;
  const trm_dynamics *d = own->dynamics;
  const double *y = trm_data_of(state);
  double *weight = trm_data_of(weights);
  int entries = own->size;
  double share = sqrt(entries / (2.0 * d->n)); /* q and v count as much as an entry of z */
  for (int half = 0; half < 2; half++) {
    double least = half ? in->atol : in->atol + own->digits;
    for (int k = 0, i = half * d->at.v; k < d->n; k++, i++)
      weight[i] = share * (1 / (least * d->unit[k] + in->rtol * fabs(y[i])));
  }
  for (int i = d->n; i < d->at.v; i++) weight[i] = TRM_NO_WEIGHT;
  for (int i = d->at.z; i < d->size; i++)
    weight[i] = sqrt(entries) * trm_error_weight(in, d, i, y[i]);
  for (int i = d->size; i < entries; i++) weight[i] = TRM_NO_WEIGHT;
  return 0;
}

#define SLOW   0.05 /* of its last steps: next to a singular position it gets no farther */
#define FORGET 0.9  /* of the longest, a step */
#define CREEP  0.01 /* of its last steps: a jump may be ahead */
#define NEAR   1e-1 /* of the largest pivot met */
#define START  40   /* steps of a fresh history, short anyway */

static bool is_near(const trm_integrator *in, const trm_dynamics *d) {
  return trm_solver_least_pivot(d->solver) < NEAR * in->largest_pivot;
}

/* Others than those that the method keeps are left out: its own may be close to depending on one
 * another where the mechanism is not singular. */
static bool rows_differ(const trm_dynamics *d) {
  size_t size = (size_t)d->system->m * sizeof(bool);
  return memcmp(trm_solver_left_out(d->solver), d->stabilizer->redundant, size) != 0;
}

/* A step of the pair instead, into in->trial and in->rates. */
static bool step_by_substitute(trm_integrator *in, trm_dynamics *d, double t, double *end,
                               const double *y, const double *ydot) {
  trm_integrator *other = in->substitute;
  if (!in->substituted) other->next = in->longest; /* as long as the method's own were */
  if (!trm_variable_step(other, d, t, end, 0, y, ydot)) return false;
  memcpy(in->trial, other->trial, (size_t)in->size * sizeof(double));
  memcpy(in->rates, other->rates, (size_t)in->size * sizeof(double));
  other->regular = trm_solver_is_regular(d->solver);
  return in->substituted = true;
}

static bool cross_by_substitute(trm_integrator *in, trm_dynamics *d, double t, double *end,
                                const double *y, const double *ydot) {
  in->substitutions++;
  return step_by_substitute(in, d, t, end, y, ydot);
}

/* A first step of low order does not see which way a formula leaves zero, and whether it comes
 * back: the pair does. */
static bool leave_zero(trm_integrator *in, trm_dynamics *d, double t, double *end, const double *y,
                       const double *ydot) {
  in->own_steps = START;
  return step_by_substitute(in, d, t, end, y, ydot);
}

/* On over a jump just ahead of trial, if there is one; a bend is left to the error control: a
 * quantity that is zero but for round-off changes its sign all the time. */
static bool cross_jump(trm_integrator *in, trm_dynamics *d, double h, double *end, bool *jumps) {
  double from = *end, near = TRM_STRAIGHT * fmax(in->longest, h);
  *jumps = false;
  if (!trm_dynamics_evaluate(d, from, in->trial, in->rates)) return false;
  double way = trm_time_to_change(in, d, from, near);
  *jumps = isfinite(way) && trm_rates_jump(in, d, from, way);
  if (!*jumps) return true;
  *end += way;
  return trm_cross_change(in, d, from, way, near);
}

/* Where a formula leaves its piece before *end or just behind it: back or on to the place, and on
 * to the new piece, on which the next step starts afresh. The corrector does not converge across a
 * jump: the method may creep towards it without reaching it. */
static bool handle_change(trm_integrator *in, trm_dynamics *d, double t, double *end,
                          const double *y, bool *fresh) {
  double h = *end - t, at;
  if (!trm_system_has_branches(d->system)) return true;
  if (trm_find_change(in, d, t, h, y, &at) && at > 0) {
    double place = t + at;
    trm_integrator_interpolate(in, place, in->trial);
    if (!cross_jump(in, d, h, &place, fresh)) return false;
    if (*fresh) *end = place;
    if (*fresh) return true;
    trm_integrator_interpolate(in, *end, in->trial);
  }
  return h >= CREEP * in->longest || cross_jump(in, d, h, end, fresh);
}

/* The step from t has come to nothing: such a method would go on for ever. */
static bool is_stuck(double t, double reached) {
  return reached - t < 16 * DBL_EPSILON * fmax(fabs(t), 1e-6);
}

static const char *trouble(int flag) {
  switch (flag) {
  case CV_WARNING: return "steps come to nothing";
  case CV_ERR_FAILURE: return "the error stays above the tolerance";
  case CV_CONV_FAILURE: return "the iteration does not converge";
  case CV_TOO_MUCH_ACC: return "the tolerance is beyond double precision";
  default: return "the linear problem cannot be solved";
  }
}

/* Says so in system->error, at the last good state y: how large the error is and who is behind it.
 */
static bool explain(trm_sundials *own, int flag, double t, const double *y) {
  const trm_dynamics *d = own->dynamics;
  double h = 0, *error = trm_data_of(own->at);
  bool said = flag == CV_WARNING ? own->has_failed : own->failed && flag != CV_ERR_FAILURE;
  if (said) return false; /* the system has said why */
  own->type->step(own->memory, &h);
  if (own->type->errors(own->memory, own->at) != 0 ||
      own->type->weights(own->memory, own->weight) != 0)
    N_VConst(0, own->at);
  for (int i = 0; i < d->at.work; i++) {
    if (flag == CV_TOO_MUCH_ACC) error[i] = DBL_EPSILON * y[i]; /* no step was estimated */
    error[i] *= trm_data_of(own->weight)[i];
  }
  trm_failure failure = {.what = trouble(flag), .step = h, .advice = TRM_LOOSER};
  trm_failure_of(&failure, &d->at, error);
  return trm_explain(own->dynamics, t, y, own->in->rates, &failure);
}

static void count(trm_sundials *own) {
  long rejections = 0, cuts = 0;
  own->type->rejections(own->memory, &rejections);
  own->type->cuts(own->memory, &cuts);
  own->in->rejections = own->rejections + rejections;
  own->in->cuts = own->cuts + cuts;
}

/* Which redundant rows are left out may have changed with the last state: it goes onto the others,
 * as the corrections of other methods' next steps would bring it there. */
static bool restart(trm_sundials *own, double t, const double *y) {
  trm_integrator *in = own->in;
  own->rejections = in->rejections;
  own->cuts = in->cuts;
  in->fresh = false;
  own->stop = INFINITY; /* forgotten where it was reached */
  memcpy(in->trial, y, (size_t)in->size * sizeof(double));
  return trm_dynamics_correct(own->dynamics, t, in->trial, in->rates) &&
         own->type->restart(own, t, in->trial);
}

void trm_sundials_interpolate(const trm_integrator *in, double t, double *y) {
  const trm_sundials *own = in->own;
  bool inside = own->type->derivative(own->memory, t, 0, own->at) == 0;
  memcpy(y, trm_data_of(inside ? own->at : own->y), (size_t)in->size * sizeof(double));
}

/* The step itself, into trial and rates; fresh: from a state that is not the method's own. */
static bool advance(trm_sundials *own, double t, double *end, const double *y, bool fresh) {
  trm_integrator *in = own->in;
  double reached;
  in->fresh = in->fresh || fresh;
  if (in->fresh && !restart(own, t, y)) return explain(own, CV_ILL_INPUT, t, y);
  if (isfinite(*end) && *end != own->stop) own->type->stop_at(own->memory, own->stop = *end);
  own->failed = own->has_failed = false;
  int flag = own->type->advance(own, y, isfinite(*end) ? *end : t + 1, &reached);
  count(own);
  if (flag == CV_SUCCESS && is_stuck(t, reached)) flag = CV_WARNING;
  if (flag < 0 || flag == CV_WARNING) return explain(own, flag, t, y);
  *end = reached;
  memcpy(in->trial, trm_data_of(own->y), (size_t)in->size * sizeof(double));
  if (!handle_change(in, own->dynamics, t, end, y, &in->fresh)) return false;
  return in->fresh || own->type->accept(own, *end); /* fresh: behind a change */
}

/* By the method itself or, next to a singular position where it fails or slows down,
 * in->substitute. */
bool trm_sundials_step(trm_integrator *in, trm_dynamics *d, double t, double *end, double h,
                       const double *y, const double *ydot) {
  (void)h;
  double last = *end;
  in->own_steps++;
  in->largest_pivot = fmax(in->largest_pivot, trm_solver_least_pivot(d->solver));
  if (trm_events_are_at_zero(in)) return leave_zero(in, d, t, end, y, ydot);
  if (in->substituted && (is_near(in, d) || in->own_steps < START))
    return cross_by_substitute(in, d, t, end, y, ydot);
  bool fresh = in->substituted;
  in->substituted = false;
  bool good = advance(in->own, t, end, y, fresh);
  if (fresh) in->own_steps = 0;
  bool is_slow = good && in->own_steps > START && *end - t < SLOW * in->longest;
  if ((is_near(in, d) || rows_differ(d)) && (!good || is_slow) && !in->slides) {
    *end = last;
    in->own_steps = is_near(in, d) ? START : 0;
    return cross_by_substitute(in, d, t, end, y, ydot);
  }
  if (good) in->longest = fmax(FORGET * in->longest, *end - t);
  return good;
}
