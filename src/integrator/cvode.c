/* BDF and Adams methods of variable order and step by CVODE.
 *
 * `bdf` has the constraints enforced inside CVODE, by its projection interface, and its error made
 * tangent to them. Adams methods have no such interface: they go step by step, their rates drawn
 * back to the constraints, and start afresh from the projected state where it has drifted away. */
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "integrator/integrator.h"
#include "integrator/saddle.h"
#include "integrator/sundials.h"

#define FADE                                                                                       \
  20 /* steps over which a violation dies out: Adams methods of high order allow no less */
#define DRIFT 10 /* tolerances: a fresh start costs some twenty steps, so it must be rare */

typedef struct cvode {
  trm_sundials sundials;
  trm_integrator *in;
  trm_dynamics *dynamics;
  trm_saddle *saddle; /* bdf */
  SUNNonlinearSolver fixed_point;
  void *memory;
  N_Vector y, at, weight;
  double *scratch; /* [size] */
  double stop;     /* the time it must not pass */
  double rate;     /* adams: at which violations die out, 1/time */
  bool bdf;
  bool failed;           /* a callback, and the system says why */
  long rejections, cuts; /* before the last fresh start */
} cvode;

static double *data_of(N_Vector x) {
  return N_VGetArrayPointer(x);
}

/* What a callback returns: a smaller step may help. */
static int outcome(cvode *own, bool good) {
  own->failed = !good;
  return good ? 0 : 1;
}

static int rates(sunrealtype t, N_Vector y, N_Vector ydot, void *data) {
  cvode *own = data;
  return outcome(own, trm_dynamics_rates(own->dynamics, t, data_of(y), data_of(ydot)));
}

/* The same, drawn back to the constraints. */
static int drawn_rates(sunrealtype t, N_Vector y, N_Vector ydot, void *data) {
  cvode *own = data;
  trm_dynamics *d = own->dynamics;
  if (!trm_dynamics_rates(d, t, data_of(y), data_of(ydot))) return outcome(own, false);
  if (own->rate > 0) trm_embed_feedback(d, data_of(y), own->rate, data_of(ydot));
  return outcome(own, true);
}

static int weigh(N_Vector y, N_Vector weight, void *data) {
  const cvode *own = data;
  trm_sundials_weigh(own->in, own->dynamics, own->in->size, data_of(y), data_of(weight));
  return 0;
}

static int project(sunrealtype t, N_Vector y, N_Vector change, sunrealtype eps, N_Vector error,
                   void *data) {
  cvode *own = data;
  trm_dynamics *d = own->dynamics;
  (void)eps; /* to our own tolerance, always */
  weigh(y, own->weight, own);
  memcpy(own->scratch, data_of(y), (size_t)d->size * sizeof(double));
  if (!trm_dynamics_project(d, t, own->scratch, false)) return outcome(own, false);
  for (int i = 0; i < d->size; i++) data_of(change)[i] = own->scratch[i] - data_of(y)[i];
  if (error) {
    trm_dynamics_tangent(d, data_of(error));
    trm_dynamics_tangent(d, data_of(error) + d->at.v);
  }
  return outcome(own, true);
}

static int linearize(sunrealtype t, N_Vector y, N_Vector ydot, SUNMatrix A,
                     sunbooleantype still_good, sunbooleantype *now, sunrealtype gamma, void *data,
                     N_Vector u1, N_Vector u2, N_Vector u3) {
  cvode *own = data;
  (void)ydot, (void)A, (void)u1, (void)u2, (void)u3;
  *now = !still_good;
  own->in->refactorizations += still_good;
  if (!still_good) {
    own->in->jacobians++;
    if (!trm_dynamics_rates(own->dynamics, t, data_of(y), own->scratch)) return outcome(own, false);
    if (!trm_saddle_linearize(own->saddle)) return outcome(own, false);
  }
  return trm_saddle_factor(own->saddle, gamma) ? 0 : 1;
}

static void solve(void *data, double *b) {
  cvode *own = data;
  own->in->iterations++;
  trm_saddle_solve(own->saddle, b);
}

static bool use_newton(cvode *own, trm_arena *arena, double t, const double *y) {
  own->saddle = trm_saddle_create(arena, own->dynamics);
  if (!own->saddle) return false;
  if (!trm_dynamics_rates(own->dynamics, t, y, own->scratch)) return false;
  trm_saddle_begin(own->saddle);
  own->dynamics->weight = data_of(own->weight);
  return CVodeSetLinearSolver(own->memory, own->sundials.linear, own->sundials.matrix) == 0 &&
         CVodeSetLinSysFn(own->memory, linearize) == 0 && CVodeSetProjFn(own->memory, project) == 0;
}

static bool use_fixed_point(cvode *own) {
  own->fixed_point = SUNNonlinSol_FixedPoint(own->y, 0, own->sundials.context);
  return own->fixed_point && CVodeSetNonlinearSolver(own->memory, own->fixed_point) == 0;
}

static void release(void *data) {
  cvode *own = data;
  CVodeFree(&own->memory);
  if (own->fixed_point) SUNNonlinSolFree(own->fixed_point);
  if (own->y) N_VDestroy(own->y);
  if (own->at) N_VDestroy(own->at);
  if (own->weight) N_VDestroy(own->weight);
  trm_sundials_destroy(&own->sundials);
}

static bool start(trm_integrator *in, trm_dynamics *d, trm_arena *arena, double t, const double *y,
                  bool bdf) {
  cvode *own = in->own = TRM_NEW(arena, cvode, 1);
  if (!own || !trm_arena_defer(arena, release, own)) return false;
  own->in = in;
  own->dynamics = d;
  trm_keep_derived(arena, trm_sundials_forget, in);
  own->bdf = bdf;
  own->stop = INFINITY;
  own->scratch = TRM_NEW(arena, double, d->size);
  if (!own->scratch || !trm_sundials_create(&own->sundials, d->size, solve, own)) return false;
  own->y = N_VNew_Serial(d->size, own->sundials.context);
  own->at = N_VNew_Serial(d->size, own->sundials.context);
  own->weight = N_VNew_Serial(d->size, own->sundials.context);
  own->memory = CVodeCreate(bdf ? CV_BDF : CV_ADAMS, own->sundials.context);
  if (!own->y || !own->at || !own->weight || !own->memory) return false;
  memcpy(data_of(own->y), y, (size_t)d->size * sizeof(double));
#if SUNDIALS_VERSION_MAJOR < 7
  CVodeSetErrFile(own->memory, NULL);
#endif
  bool good = CVodeInit(own->memory, bdf ? rates : drawn_rates, t, own->y) == 0 &&
              CVodeSetUserData(own->memory, own) == 0 && CVodeWFtolerances(own->memory, weigh) == 0;
  if (isfinite(in->largest)) good = good && CVodeSetMaxStep(own->memory, in->largest) == 0;
  return good && (bdf ? use_newton(own, arena, t, y) : use_fixed_point(own));
}

bool trm_cvode_start_bdf(trm_integrator *in, trm_dynamics *d, trm_arena *arena, double t,
                         const double *y) {
  return start(in, d, arena, t, y, true);
}

bool trm_cvode_start_adams(trm_integrator *in, trm_dynamics *d, trm_arena *arena, double t,
                           const double *y) {
  return start(in, d, arena, t, y, false);
}

static bool explain(cvode *own, int flag, double t, const double *y) {
  double h = 0;
  if (own->failed && flag != CV_ERR_FAILURE) return false; /* the system has said why */
  CVodeGetCurrentStep(own->memory, &h);
  if (CVodeGetEstLocalErrors(own->memory, own->at) != 0 ||
      CVodeGetErrWeights(own->memory, own->weight) != 0)
    N_VConst(0, own->at);
  trm_trouble trouble = flag == CV_WARNING        ? TRM_STUCK
                        : flag == CV_ERR_FAILURE  ? TRM_INACCURATE
                        : flag == CV_CONV_FAILURE ? TRM_DIVERGENT
                        : flag == CV_TOO_MUCH_ACC ? TRM_TOO_FINE
                                                  : TRM_UNSOLVABLE;
  return trm_sundials_explain(own->in, own->dynamics, t, y, h, trouble, data_of(own->at),
                              data_of(own->weight));
}

static void count(cvode *own) {
  trm_integrator *in = own->in;
  long rejections = 0, cuts = 0;
  CVodeGetNumErrTestFails(own->memory, &rejections);
  CVodeGetNumNonlinSolvConvFails(own->memory, &cuts);
  in->rejections = own->rejections + rejections;
  in->cuts = own->cuts + cuts;
}

static bool restart(cvode *own, double t, const double *y) {
  memcpy(data_of(own->y), y, (size_t)own->in->size * sizeof(double));
  own->rejections = own->in->rejections;
  own->cuts = own->in->cuts;
  own->in->fresh = false;
  own->stop = INFINITY; /* forgotten where it was reached */
  return CVodeReInit(own->memory, t, own->y) == 0;
}

void trm_cvode_interpolate(const trm_integrator *in, double t, double *y) {
  const cvode *own = in->own;
  bool inside = CVodeGetDky(own->memory, t, 0, own->at) == 0;
  memcpy(y, data_of(inside ? own->at : own->y), (size_t)in->size * sizeof(double));
}

/* How far the projection has moved the state, in units of the tolerance. */
static double drift(cvode *own) {
  trm_integrator *in = own->in;
  for (int i = 0; i < in->size; i++) own->scratch[i] = in->trial[i] - data_of(own->y)[i];
  for (int i = own->dynamics->at.z; i < in->size; i++) own->scratch[i] = 0;
  weigh(own->y, own->weight, own);
  double sum = 0;
  for (int i = 0; i < in->size; i++)
    sum += own->scratch[i] * own->scratch[i] * data_of(own->weight)[i] * data_of(own->weight)[i];
  return sqrt(sum / in->size);
}

/* Violations are to die out over some steps; a method that has drifted away nevertheless starts
 * afresh. */
static void follow(cvode *own) {
  double last = 0;
  CVodeGetLastStep(own->memory, &last);
  double rate = 1 / (FADE * last), before = own->rate > 0 ? own->rate : rate;
  own->rate = fmin(rate, 1.05 * before); /* not at once: steps are small where it is singular */
  own->in->fresh = !(drift(own) <= DRIFT);
  own->in->projections += own->in->fresh;
}

/* The step itself, into trial and rates. */
static bool advance(void *data, double t, double *end, const double *y, bool fresh) {
  cvode *own = data;
  trm_integrator *in = own->in;
  own->in->fresh = own->in->fresh || fresh;
  trm_dynamics *d = own->dynamics;
  double reached;
  if (own->in->fresh && !restart(own, t, y)) return explain(own, CV_ILL_INPUT, t, y);
  if (isfinite(*end) && *end != own->stop) CVodeSetStopTime(own->memory, own->stop = *end);
  own->failed = false;
  int flag = CVode(own->memory, isfinite(*end) ? *end : t + 1, own->y, &reached, CV_ONE_STEP);
  count(own);
  if (flag == CV_SUCCESS && trm_sundials_stuck(t, reached)) flag = CV_WARNING;
  if (flag < 0 || flag == CV_WARNING) return explain(own, flag, t, y);
  *end = reached;
  memcpy(in->trial, data_of(own->y), (size_t)in->size * sizeof(double));
  if (!trm_sundials_handle_change(in, own->dynamics, t, end, y, &own->in->fresh)) return false;
  if (own->in->fresh) return true; /* behind a change */
  if (own->bdf) return trm_dynamics_evaluate(d, *end, in->trial, in->rates);
  if (!trm_dynamics_correct(d, *end, in->trial, in->rates)) return false;
  follow(own);
  return true;
}

bool trm_cvode_step(trm_integrator *in, trm_dynamics *d, double t, double *end, double h,
                    const double *y, const double *ydot) {
  (void)h;
  return trm_sundials_step(in, d, t, end, y, ydot, advance, in->own);
}
