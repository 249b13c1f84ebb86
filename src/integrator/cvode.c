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
  trm_sundials common;
  trm_saddle *saddle; /* bdf */
  double *scratch;    /* [size] */
  double *a;          /* [n] the last accelerations */
  double rate;        /* adams: at which violations die out, 1/time */
  bool bdf;
} cvode;

/* The library goes on to work in ydot, while the energy is corrected along the accelerations. */
static bool find_rates(cvode *own, double t, const double *y, double *ydot) {
  trm_dynamics *d = own->common.dynamics;
  if (!trm_dynamics_rates(d, t, y, ydot)) return false;
  memcpy(own->a, d->system->a, (size_t)d->n * sizeof(double));
  d->system->a = own->a;
  return true;
}

static int rates(sunrealtype t, N_Vector y, N_Vector ydot, void *data) {
  cvode *own = data;
  return trm_sundials_outcome(&own->common, find_rates(own, t, trm_data_of(y), trm_data_of(ydot)));
}

/* The same, drawn back to the constraints. */
static int drawn_rates(sunrealtype t, N_Vector y, N_Vector ydot, void *data) {
  cvode *own = data;
  trm_dynamics *d = own->common.dynamics;
  if (!find_rates(own, t, trm_data_of(y), trm_data_of(ydot)))
    return trm_sundials_outcome(&own->common, false);
  if (own->rate > 0) trm_embed_feedback(d, trm_data_of(y), own->rate, trm_data_of(ydot));
  return trm_sundials_outcome(&own->common, true);
}

static int project(sunrealtype t, N_Vector y, N_Vector change, sunrealtype eps, N_Vector error,
                   void *data) {
  cvode *own = data;
  trm_dynamics *d = own->common.dynamics;
  (void)eps; /* to our own tolerance, always */
  trm_sundials_weigh(y, own->common.weight, own);
  memcpy(own->scratch, trm_data_of(y), (size_t)d->size * sizeof(double));
  if (!trm_dynamics_project(d, t, own->scratch, false))
    return trm_sundials_outcome(&own->common, false);
  for (int i = 0; i < d->size; i++) trm_data_of(change)[i] = own->scratch[i] - trm_data_of(y)[i];
  if (error) {
    trm_dynamics_tangent(d, trm_data_of(error));
    trm_dynamics_tangent(d, trm_data_of(error) + d->at.v);
  }
  return trm_sundials_outcome(&own->common, true);
}

static int linearize(sunrealtype t, N_Vector y, N_Vector ydot, SUNMatrix A,
                     sunbooleantype still_good, sunbooleantype *now, sunrealtype gamma, void *data,
                     N_Vector u1, N_Vector u2, N_Vector u3) {
  cvode *own = data;
  (void)ydot, (void)A, (void)u1, (void)u2, (void)u3;
  *now = !still_good;
  own->common.in->refactorizations += still_good;
  if (!still_good) {
    own->common.in->jacobians++;
    if (!find_rates(own, t, trm_data_of(y), own->scratch))
      return trm_sundials_outcome(&own->common, false);
    if (!trm_saddle_linearize(own->saddle)) return trm_sundials_outcome(&own->common, false);
  }
  return trm_saddle_factor(own->saddle, gamma) ? 0 : 1;
}

static void solve(trm_sundials *common, double *b) {
  trm_saddle_solve(((cvode *)common)->saddle, b);
}

static bool use_newton(cvode *own, trm_arena *arena, double t, const double *y) {
  own->saddle = trm_saddle_create(arena, own->common.dynamics);
  if (!own->saddle) return false;
  if (!find_rates(own, t, y, own->scratch)) return false;
  trm_saddle_begin(own->saddle);
  own->common.dynamics->weight = trm_data_of(own->common.weight);
  return CVodeSetLinearSolver(own->common.memory, own->common.linear, own->common.matrix) == 0 &&
         CVodeSetLinSysFn(own->common.memory, linearize) == 0 &&
         CVodeSetProjFn(own->common.memory, project) == 0;
}

static void release_fixed_point(void *data) {
  SUNNonlinSolFree(data);
}

static bool use_fixed_point(cvode *own, trm_arena *arena) {
  SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(own->common.y, 0, own->common.context);
  return solver && trm_arena_defer(arena, release_fixed_point, solver) &&
         CVodeSetNonlinearSolver(own->common.memory, solver) == 0;
}

static bool restart(trm_sundials *own, double t, const double *y) {
  memcpy(trm_data_of(own->y), y, (size_t)own->in->size * sizeof(double));
  return CVodeReInit(own->memory, t, own->y) == 0;
}

/* How far the projection has moved the state, in units of the tolerance. */
static double drift(cvode *own) {
  trm_integrator *in = own->common.in;
  for (int i = 0; i < in->size; i++) own->scratch[i] = in->trial[i] - trm_data_of(own->common.y)[i];
  for (int i = own->common.dynamics->at.z; i < in->size; i++) own->scratch[i] = 0;
  trm_sundials_weigh(own->common.y, own->common.weight, own);
  double sum = 0;
  for (int i = 0; i < in->size; i++)
    sum += own->scratch[i] * own->scratch[i] * trm_data_of(own->common.weight)[i] *
           trm_data_of(own->common.weight)[i];
  return sqrt(sum / in->size);
}

/* Violations are to die out over some steps; a method that has drifted away nevertheless starts
 * afresh. */
static void follow(cvode *own) {
  double last = 0;
  CVodeGetLastStep(own->common.memory, &last);
  double rate = 1 / (FADE * last), before = own->rate > 0 ? own->rate : rate;
  own->rate = fmin(rate, 1.05 * before); /* not at once: steps are small where it is singular */
  own->common.in->fresh = !(drift(own) <= DRIFT);
  own->common.in->projections += own->common.in->fresh;
}

static int advance(trm_sundials *own, const double *y, double until, double *reached) {
  (void)y;
  return CVode(own->memory, until, own->y, reached, CV_ONE_STEP);
}

static bool accept(trm_sundials *common, double t) {
  cvode *own = (cvode *)common;
  trm_integrator *in = common->in;
  if (own->bdf) return trm_dynamics_evaluate(common->dynamics, t, in->trial, in->rates);
  if (!trm_dynamics_correct(common->dynamics, t, in->trial, in->rates)) return false;
  follow(own);
  return true;
}

static const trm_sundials_class type = {.stop_at = CVodeSetStopTime,
                                        .derivative = CVodeGetDky,
                                        .step = CVodeGetCurrentStep,
                                        .errors = CVodeGetEstLocalErrors,
                                        .weights = CVodeGetErrWeights,
                                        .rejections = CVodeGetNumErrTestFails,
                                        .cuts = CVodeGetNumNonlinSolvConvFails,
                                        .release = CVodeFree,
                                        .solve = solve,
                                        .restart = restart,
                                        .advance = advance,
                                        .accept = accept};

static bool start(trm_integrator *in, trm_dynamics *d, trm_arena *arena, double t, const double *y,
                  bool bdf) {
  cvode *own = in->own = TRM_NEW(arena, cvode, 1);
  if (!own) return false;
  trm_sundials *common = &own->common;
  own->bdf = bdf;
  own->scratch = TRM_NEW(arena, double, d->size);
  own->a = TRM_NEW(arena, double, d->n);
  if (!own->scratch || !own->a) return false;
  if (!trm_sundials_create(common, &type, in, d, arena, d->size)) return false;
  void *memory = common->memory = CVodeCreate(bdf ? CV_BDF : CV_ADAMS, common->context);
  if (!memory) return false;
  memcpy(trm_data_of(common->y), y, (size_t)d->size * sizeof(double));
#if SUNDIALS_VERSION_MAJOR < 7
  CVodeSetErrFile(memory, NULL);
#endif
  bool good = CVodeInit(memory, bdf ? rates : drawn_rates, t, common->y) == 0 &&
              CVodeSetUserData(memory, own) == 0 &&
              CVodeWFtolerances(memory, trm_sundials_weigh) == 0;
  if (isfinite(in->largest)) good = good && CVodeSetMaxStep(memory, in->largest) == 0;
  return good && (bdf ? use_newton(own, arena, t, y) : use_fixed_point(own, arena));
}

bool trm_cvode_start_bdf(trm_integrator *in, trm_dynamics *d, trm_arena *arena, double t,
                         const double *y) {
  return start(in, d, arena, t, y, true);
}

bool trm_cvode_start_adams(trm_integrator *in, trm_dynamics *d, trm_arena *arena, double t,
                           const double *y) {
  return start(in, d, arena, t, y, false);
}
