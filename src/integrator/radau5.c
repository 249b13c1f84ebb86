/* Steps of radau5: Jacobians and factorizations, start values, error, interpolant.
 *
 * Every step starts from the corrected state and ends with one. */
#include "integrator/radau5.h"

#include <float.h>
#include <limits.h>
#include <string.h>

#define NEWTON   1e-12 /* of a span: Newton's error where the step is fixed */
#define PATIENCE 50    /* steps with a Jacobian for each stage until one for all is tried again */
#define CUTS     12    /* a fixed step is halved so often at most */

/* --- creation --- */

static bool create_arrays(trm_radau5 *own, trm_arena *arena, int size) {
  double **const list[] = {&own->Z[0], &own->Z[1],   &own->Z[2], &own->W[0], &own->W[1],
                           &own->W[2], &own->F[0],   &own->F[1], &own->F[2], &own->y,
                           &own->ydot, &own->weight, &own->error};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (!(*list[i] = TRM_NEW(arena, double, size))) return false;
  return true;
}

/* The estimate is of order three, the method of order five: with a looser tolerance for the
 * estimate the error is about what was asked for (as in Hairer's program). */
static void adapt_tolerances(trm_integrator *in) {
  double asked = in->rtol;
  in->rtol = 0.1 * pow(asked, 2 / 3.0);
  if (asked > 0) in->atol *= in->rtol / asked;
}

static void keep(trm_radau5 *own, trm_arena *arena) {
  TRM_KEEP(arena, own->linearizes);
  TRM_KEEP(arena, own->staged);
  TRM_KEEP(arena, own->factored);
  TRM_KEEP(arena, own->linearized);
  TRM_KEEP(arena, own->stale);
  TRM_KEEP(arena, own->doubtful);
  TRM_KEEP(arena, own->staged_left);
  TRM_KEEP(arena, own->staged_steps);
}

bool trm_radau5_start(trm_integrator *in, trm_dynamics *d, trm_arena *arena, double t,
                      const double *y) {
  trm_radau5 *own = in->own = TRM_NEW(arena, trm_radau5, 1);
  if (!own || !create_arrays(own, arena, in->size)) return false;
  own->table = trm_radau_coefficients();
  own->saddle = trm_saddle_create(arena, d);
  if (!own->saddle || !trm_saddle_create_complex(own->saddle, arena)) return false;
  if (!trm_dynamics_rates(d, t, y, in->rates)) return false;
  trm_saddle_begin(own->saddle);
  if (!trm_radau_stages_create(&own->stages, arena, d, in->linear)) return false;
  if (in->variable) adapt_tolerances(in);
  double share = fmin(0.03, sqrt(in->rtol)), rtol = fmax(in->rtol, 1e-12);
  keep(own, arena);
  own->newton_tolerance = in->variable ? fmax(10 * DBL_EPSILON / rtol, fmax(share, 1e-6)) : 1;
  return true;
}

/* --- one step --- */

/* What the work of a fixed step is measured by. From rest it is what the step itself can bring:
 * energy: conserve makes a velocity of it. */
static double energy_of(const trm_integrator *in, trm_dynamics *d, double work) {
  const trm_radau5 *own = in->own;
  double a2 = fmax(trm_dynamics_free(d), trm_dynamics_square(d, in->rates + d->at.v));
  return fmax(fabs(work), fmax(d->max_kinetic, own->h * own->h * a2));
}

static void weigh(trm_integrator *in, trm_dynamics *d, const double *y) {
  trm_radau5 *own = in->own;
  const double *span = d->system->span;
  for (int i = 0; i < d->at.v; i++) {
    int v = d->at.v + i;
    double unit = i < d->n ? span[i] : fmax(1, fabs(y[v])), unread = i >= d->n;
    own->weight[i] =
        in->variable ? trm_error_weight(in, d, i, y[i]) : (1 - unread) / (NEWTON * unit);
    own->weight[v] = in->variable ? trm_error_weight(in, d, v, y[v]) : own->h / (NEWTON * unit);
  }
  double work = y[d->at.work], energy = in->variable ? 0 : energy_of(in, d, work);
  own->weight[d->at.work] = in->variable ? trm_error_weight(in, d, d->at.work, work)
                            : energy > 0 ? 1 / (NEWTON * energy)
                                         : 0;
}

static bool linearize(trm_integrator *in, trm_dynamics *d, const double *y) {
  trm_radau5 *own = in->own;
  if (own->staged) {
    own->linearizes = true;
    own->stale = false;
    return own->linearized = true;
  }
  own->linearized =
      trm_dynamics_rates(d, own->t, y, in->trial) && trm_saddle_linearize(own->saddle);
  own->stale = false;
  own->factored = 0;
  in->jacobians++;
  return own->linearized;
}

static bool factor(trm_integrator *in) {
  trm_radau5 *own = in->own;
  const double *eigen = own->table.complex;
  double square = eigen[0] * eigen[0] + eigen[1] * eigen[1];
  const double gamma[2] = {own->h * eigen[0] / square, -own->h * eigen[1] / square};
  bool good = trm_saddle_factor(own->saddle, own->h / own->table.real) &&
              trm_saddle_factor_complex(own->saddle, gamma);
  in->refactorizations += own->factored != 0;
  own->factored = good ? own->h : 0;
  return good;
}

/* On with the collocation polynomial of the last step, whichever that was; what the interpolant has
 * more, miss × w(s), would grow too fast. */
static void predict(trm_integrator *in) {
  trm_radau5 *own = in->own;
  const double *miss = in->dense + 4 * (ptrdiff_t)in->size;
  if (in->known == 0) {
    for (int s = 0; s < 3; s++) memset(own->Z[s], 0, (size_t)in->size * sizeof(double));
    return;
  }
  trm_integrator_interpolate(in, own->t, own->error);
  for (int s = 0; s < 3; s++) {
    double t = own->t + own->table.c[s] * own->h, x = (t - in->from) / in->length;
    trm_integrator_interpolate(in, t, own->Z[s]);
    trm_axpy(in->size, -1, own->error, own->Z[s]);
    trm_axpy(in->size, x * (1 - x) * (1 - x) * (1 - 2.5 * x) / 2.5, miss, own->Z[s]);
  }
}

/* (1 − h γ₀ ∂f/∂y)⁻¹ γ₀ (h f − h u̇(0)), γ₀ the inverse of the real eigenvalue: IV (8.19) */
static void find_error(trm_integrator *in, const double *f) {
  trm_radau5 *own = in->own;
  const trm_radau_table *table = &own->table;
  for (int i = 0; i < in->size; i++) {
    double slope = 0;
    for (int s = 0; s < 3; s++) slope += table->slope[s] * own->Z[s][i];
    own->error[i] = (own->h * f[i] - slope) / table->real;
  }
  if (!own->staged) {
    trm_saddle_solve(own->saddle, own->error);
    return;
  }
  for (int s = 0; s < 3; s++)
    for (int i = 0; i < in->size; i++) own->F[s][i] = own->error[i] / own->h;
  trm_radau_stages_solve(&own->stages, table, own->h, own->F);
  memcpy(own->error, own->F[2], (size_t)(in->size - 1) * sizeof(double));
}

static bool fail(const trm_integrator *in, trm_dynamics *d) {
  const trm_radau5 *own = in->own;
  trm_system *sys = d->system;
  char name[200];
  trm_system_name_cause(sys, own->worst % d->at.v, -1, name, sizeof name);
  return trm_system_fail(sys, own->t,
                         "Newton's iteration does not converge even with a step of %.3g: residual "
                         "%.3g, most of it in %s; a smaller step may help",
                         own->h, fabs(own->residual), name);
}

/* One Jacobian for all stages, or one for each: where the first does not do, and for a while
 * afterwards, twice as long where it did not do for longer than that. */
static void choose_jacobians(trm_radau5 *own, bool staged) {
  own->staged = staged;
  own->linearized = own->linearizes = false;
  own->factored = 0;
  if (staged) {
    own->staged_steps = -own->staged_left < own->staged_steps ? 2 * own->staged_steps : PATIENCE;
    own->staged_left = own->staged_steps;
  }
}

static bool is_due(const trm_radau5 *own, const trm_integrator *in) {
  bool moved = own->staged && own->factored != own->h;
  return !own->linearized || own->stale || in->known == 0 || moved;
}

/* With the Jacobian at hand, or a new one, or one for each stage. */
static bool find_stages(trm_integrator *in, trm_dynamics *d, const double *y) {
  trm_radau5 *own = in->own;
  if (own->staged && own->staged_left == 0) choose_jacobians(own, false);
  for (bool fresh = is_due(own, in);; fresh = true) {
    d->system->error[0] = 0;
    if (fresh && !linearize(in, d, y)) return false;
    if (!own->staged && own->factored != own->h && !factor(in)) return false;
    predict(in);
    if (trm_radau_newton(in, d, y)) return true;
    if (fresh && own->staged) return false;
    if (fresh) choose_jacobians(own, true);
  }
}

/* Nothing of an earlier motion is left. */
static void forget(trm_integrator *in) {
  trm_radau5 *own = in->own;
  own->staged_steps = own->staged_left = 0;
  choose_jacobians(own, false);
  own->stale = own->doubtful = in->fresh = false;
}

static bool attempt(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                    const double *ydot) {
  trm_radau5 *own = in->own;
  if (in->fresh) forget(in);
  own->t = t;
  own->h = h;
  weigh(in, d, y);
  if (!find_stages(in, d, y)) {
    in->cuts++;
    own->stale = true;
    return d->system->error[0] ? false : fail(in, d);
  }
  find_error(in, ydot);
  for (int i = 0; i < in->size; i++) in->trial[i] = y[i] + own->Z[2][i];
  return trm_dynamics_correct(d, t + h, in->trial, in->rates);
}

/* --- variable step --- */

static double norm(trm_integrator *in, trm_dynamics *d, const double *y) {
  const trm_radau5 *own = in->own;
  memcpy(in->estimate, own->error, (size_t)in->size * sizeof(double));
  return trm_step_error(in, d, y);
}

/* Where the step would be rejected at a start, the estimate is filtered once more: IV (8.20). */
static double estimate(trm_integrator *in, trm_dynamics *d, double h, const double *y,
                       const double *ydot) {
  trm_radau5 *own = in->own;
  double error = norm(in, d, y);
  (void)ydot;
  if (error <= 1 || !(own->doubtful || in->known == 0)) {
    own->doubtful = error > 1;
    return error;
  }
  for (int i = 0; i < in->size; i++) own->error[i] += y[i];
  if (!trm_dynamics_rates(d, own->t, own->error, own->F[0])) return error;
  find_error(in, own->F[0]);
  if (!trm_dynamics_evaluate(d, own->t + h, in->trial, in->rates)) return error;
  error = norm(in, d, y);
  own->doubtful = error > 1;
  return error;
}

/* The collocation polynomial, and where it misses the rate at the start, by the error's estimate:
 * w(s) = s (1 − s) (…), ẇ = Π (s − cᵢ)/Π (−cᵢ), which is of one order more. */
static void keep_dense(trm_integrator *in, double t, double h, const double *y,
                       const double *ydot) {
  const trm_radau5 *own = in->own;
  const trm_radau_table *table = &own->table;
  double *r0 = in->dense, *r1 = r0 + in->size, *r2 = r1 + in->size, *r3 = r2 + in->size,
         *r4 = r3 + in->size;
  double c1 = table->c[0], c2 = table->c[1];
  (void)ydot;
  in->from = t;
  in->length = h;
  in->complete = true;
  for (int i = 0; i < in->size; i++) {
    double all = in->trial[i] - y[i];
    double first = (own->Z[0][i] / c1 - all) / (1 - c1);
    double second = (own->Z[1][i] / c2 - all) / (1 - c2);
    double miss = own->error[i] * table->real;
    r0[i] = y[i];
    r1[i] = all;
    double bend = (second - first) / (c2 - c1);
    r2[i] = first - c1 * bend + miss;
    r3[i] = bend - miss;
    r4[i] = -2.5 * miss;
  }
}

static void accept(trm_integrator *in) {
  trm_radau5 *own = in->own;
  if (own->staged_left > INT_MIN) own->staged_left--;
  own->stale = own->stale || own->staged; /* the stages move on */
  in->known = 1;
}

const trm_control trm_radau5_control = {.order = 4,
                                        .parts = 5,
                                        .attempt = attempt,
                                        .estimate = estimate,
                                        .keep_dense = keep_dense,
                                        .accept = accept,
                                        .predicts = true,
                                        .steady = 1.2};

/* --- fixed step --- */

bool trm_radau5_step(trm_integrator *in, trm_dynamics *d, double t, double *end, double h,
                     const double *y, const double *ydot) {
  trm_radau5 *own = in->own;
  double whole = *end - t, at = t, step = whole;
  size_t size = (size_t)in->size * sizeof(double);
  (void)h;
  for (;;) {
    if (attempt(in, d, at, step, y, ydot)) {
      keep_dense(in, at, step, y, ydot);
      accept(in);
      at += step;
      step = *end - at;
      if (step < whole / (2 << CUTS)) return true;
      memcpy(own->y, in->trial, size);
      memcpy(own->ydot, in->rates, size);
      y = own->y;
      ydot = own->ydot;
    } else {
      step /= 2;
      if (step < whole / (1 << CUTS)) return false;
    }
  }
}
