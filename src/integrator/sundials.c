/* A SUNDIALS context that never prints, and a direct linear solver that is ours. */
#include "integrator/sundials.h"

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
  const trm_sundials *own = S->content;
  (void)A;
  (void)tolerance;
  if (x != b) N_VScale(1, b, x);
  own->solve(own->data, N_VGetArrayPointer(x));
  return 0;
}

/* Messages are ours: made from the flags that the calls return. */
static bool silence(SUNContext context) {
#if SUNDIALS_VERSION_MAJOR < 7
  return context != NULL; /* by CVodeSetErrFile, IDASetErrFile */
#else
  return SUNContext_ClearErrHandlers(context) == 0;
#endif
}

bool trm_sundials_create(trm_sundials *own, int size, trm_linear_solve *solve_with, void *data) {
  *own = (trm_sundials){.solve = solve_with, .data = data};
  if (!trm_memory_left((size_t)size * VECTORS * sizeof(double))) return false;
  if (SUNContext_Create(SUN_COMM_NULL, &own->context) != 0 || !silence(own->context)) return false;
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

void trm_sundials_destroy(trm_sundials *own) {
  if (own->linear) SUNLinSolFreeEmpty(own->linear);
  if (own->matrix) SUNMatFreeEmpty(own->matrix);
  if (own->context) SUNContext_Free(&own->context);
}

void trm_sundials_weigh(const trm_integrator *in, const trm_dynamics *d, int entries,
                        const double *y, double *weight) {
  for (int i = 0; i < d->size; i++) { /* q and v together count as much as an entry of z */
    double share = i < d->at.z ? sqrt(entries / (2.0 * d->n)) : sqrt(entries);
    bool unread = trm_layout_is_unread(&d->at, i);
    weight[i] = unread ? TRM_NO_WEIGHT : share * trm_weight(in, d, i, y[i]);
  }
  for (int i = d->size; i < entries; i++) weight[i] = TRM_NO_WEIGHT;
}

#define CRAWL  0.05 /* of its last steps: next to a singular position it gets no farther */
#define FORGET 0.9  /* of the longest, a step */
#define CREEP  0.01 /* of its last steps: a jump may be ahead */
#define NEAR   1e-1 /* of the largest pivot met */
#define START  40   /* steps of a fresh history, short anyway */

static bool is_near(const trm_integrator *in, const trm_dynamics *d) {
  return trm_solver_least_pivot(d->solver) < NEAR * in->widest;
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
  in->since = START;
  return step_by_substitute(in, d, t, end, y, ydot);
}

bool trm_sundials_step(trm_integrator *in, trm_dynamics *d, double t, double *end, const double *y,
                       const double *ydot, trm_sundials_advance *advance, void *data) {
  double last = *end;
  in->since++;
  in->widest = fmax(in->widest, trm_solver_least_pivot(d->solver));
  if (trm_events_are_at_zero(in)) return leave_zero(in, d, t, end, y, ydot);
  if (in->substituted && (is_near(in, d) || in->since < START))
    return cross_by_substitute(in, d, t, end, y, ydot);
  bool fresh = in->substituted;
  in->substituted = false;
  bool good = advance(data, t, end, y, fresh);
  if (fresh) in->since = 0;
  bool crawls = good && in->since > START && *end - t < CRAWL * in->longest;
  if ((is_near(in, d) || rows_differ(d)) && (!good || crawls) && !in->slides) {
    *end = last;
    in->since = is_near(in, d) ? START : 0;
    return cross_by_substitute(in, d, t, end, y, ydot);
  }
  if (good) in->longest = fmax(FORGET * in->longest, *end - t);
  return good;
}

void trm_sundials_forget(void *integrator) {
  trm_integrator *in = integrator;
  in->fresh = true;
}

/* On over a jump just ahead of trial, if there is one; a bend is left to the error control: a
 * quantity that is zero but for round-off changes its sign all the time. */
static bool cross_jump(trm_integrator *in, trm_dynamics *d, double h, double *end, bool *jumps) {
  double from = *end, near = TRM_JUST * fmax(in->longest, h);
  *jumps = false;
  if (!trm_dynamics_evaluate(d, from, in->trial, in->rates)) return false;
  double way = trm_way_to_change(in, d, from, near);
  *jumps = isfinite(way) && trm_jumps(in, d, from, way);
  if (!*jumps) return true;
  *end += way;
  return trm_cross_change(in, d, from, way, near);
}

bool trm_sundials_handle_change(trm_integrator *in, trm_dynamics *d, double t, double *end,
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

bool trm_sundials_stuck(double t, double reached) {
  return reached - t < 16 * DBL_EPSILON * fmax(fabs(t), 1e-6);
}

bool trm_sundials_explain(trm_integrator *in, trm_dynamics *d, double t, const double *y, double h,
                          trm_trouble trouble, double *error, const double *weight) {
  static const char *const words[] = {
      "the error stays above the tolerance", "the iteration does not converge",
      "the tolerance is beyond double precision", "the linear problem cannot be solved",
      "steps come to nothing"};
  for (int i = 0; i < d->at.work; i++) {
    if (trouble == TRM_TOO_FINE) error[i] = DBL_EPSILON * y[i]; /* no step was estimated */
    error[i] *= weight[i];
  }
  trm_failure failure = {.what = words[trouble], .step = h, .advice = TRM_LOOSER};
  trm_failure_of(&failure, &d->at, error);
  return trm_explain(d, t, y, in->rates, &failure);
}
