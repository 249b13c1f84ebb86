/* Constrained motion as one differential-algebraic system, by IDA: the stabilized index-2 form of
 * Gear, Gupta and Leimkuhler,
 *
 *     q̇ = v − S²Cqᵀ μ,   M v̇ + Cqᵀ λ = Q,   Cq v + Ct = 0,   C = 0
 *
 * with y = (q, v, z, λ, μ), S their units: lengths and pure numbers compare. There
 * is no μ for a row of velocity level, and neither λ nor μ for a row that the others determine:
 * these are zero. */
#include <float.h>
#include <ida/ida.h>
#include <string.h>

#include "integrator/integrator.h"
#include "integrator/saddle.h"
#include "integrator/sundials.h"
#include "math/lu.h"

/* Of the tolerance; IDA's 0.33 leaves an iteration error in the history that keeps the order low.
 */
#define CONVERGED 0.01
#define LOOSEST   10
#define ROUND_OFF 3e-13 /* what the iteration can reach, relative, far from singular positions */
#define NOISE     4e-15 /* of the largest velocity */
#define DIGITS    4     /* last ones, of the largest position */

typedef struct ida {
  trm_sundials common;
  trm_saddle *saddle; /* accelerations and multipliers of the rows in use, and the tangent */
  trm_lu *lu;
  bool *unmoved; /* [m] rows without a μ */
  double *e;     /* [m] */
  double *J;     /* in K's pattern */
  double *slope; /* laid out like Cq */
} ida;

static int weigh(N_Vector y, N_Vector weight, void *data) {
  const trm_dynamics *d = ((const ida *)data)->common.dynamics;
  trm_sundials_weigh(y, weight, data);
  /* the power of a system of the user's own is a difference of terms with the method's own v̇ */
  if (d->system->generic) trm_data_of(weight)[d->at.work] = TRM_NO_WEIGHT;
  return 0;
}

/* --- the equations --- */

static bool evaluate(ida *own, double t, const double *y) {
  trm_system *sys = own->common.dynamics->system;
  own->common.dynamics->evaluations++;
  trm_system_take_states(sys, y + own->common.dynamics->at.v);
  return trm_system_position(sys, t, y) &&
         trm_system_linearize(sys, y + own->common.dynamics->at.v) &&
         trm_system_velocity(sys, y + own->common.dynamics->at.v);
}

static int residual(sunrealtype t, N_Vector state, N_Vector rates, N_Vector result, void *data) {
  ida *own = data;
  trm_system *sys = own->common.dynamics->system;
  int n = own->common.dynamics->at.v, m = sys->m;
  const double *y = trm_data_of(state), *ydot = trm_data_of(rates);
  const double *lambda = y + 2 * n + 1, *mu = lambda + m;
  double *r = trm_data_of(result), *low = r + 2 * n + 1;
  const double *unit = own->common.dynamics->unit;
  if (!evaluate(own, t, y)) return trm_sundials_outcome(&own->common, false);
  memset(r, 0, (size_t)n * sizeof(double));
  trm_jacobian_transposed_add(&sys->structure, sys->Cq, 1, mu, r);
  for (int i = 0; i < n; i++) r[i] = ydot[i] - y[n + i] + unit[i] * unit[i] * r[i];
  trm_system_residual(sys, own->saddle->tangent, ydot + n, lambda, r + n);
  memcpy(sys->lambda, lambda, (size_t)m * sizeof(double)); /* the power may need both */
  sys->a = ydot + n;
  r[2 * n] = ydot[2 * n] - trm_system_power(sys);
  trm_system_velocity_residual(sys, y + n, low);
  for (int i = 0; i < m; i++) {
    if (own->saddle->redundant[i]) low[i] = lambda[i];
    low[m + i] = own->unmoved[i] ? mu[i] : sys->C[i];
  }
  return trm_sundials_outcome(&own->common, true);
}

/* --- their matrix --- */

/* Entries in the order in which `fill` writes them. */
static void lay_out(ida *own) {
  const trm_structure *s = &own->common.dynamics->system->structure;
  const trm_tangent *t = own->saddle->tangent;
  trm_lu *lu = own->lu;
  int n = own->common.dynamics->at.v, low = 2 * n + 1, lower = low + s->m;
  for (int c = 0; c < n; c++)
    for (int e = t->column_start[c]; e < t->column_start[c + 1]; e++) {
      trm_lu_add(lu, n + t->row[e], c);
      trm_lu_add(lu, n + t->row[e], n + c);
    }
  for (int b = 0; b < s->blocks; b++)
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++)
      for (int c = s->q_start[b], r = s->panel_row[p]; c < s->q_start[b + 1]; c++) {
        trm_lu_add(lu, low + r, c);
        trm_lu_add(lu, low + r, n + c);
        trm_lu_add(lu, n + c, low + r);
        trm_lu_add(lu, lower + r, c);
        trm_lu_add(lu, c, lower + r);
      }
  for (int i = 0; i < own->common.size; i++) trm_lu_add(lu, i, i);
  for (int i = 0; i < n; i++) trm_lu_add(lu, i, n + i);
  for (int i = 0; i < s->m; i++) trm_lu_add(lu, 2 * n, low + i);
  const trm_system *sys = own->common.dynamics->system;
  for (int i = 0; i < sys->law_slope_count; i++) { /* laws by the states that they hang on */
    const trm_law_slope *law = &sys->law_slopes[i];
    trm_lu_add(lu, low + law->row, n + sys->n + law->rate);
    trm_lu_add(lu, lower + law->row, n + sys->n + law->state);
  }
}

static double *fill_rows(ida *own, double *to) {
  const trm_system *sys = own->common.dynamics->system;
  const trm_structure *s = &sys->structure;
  const double *Cq = sys->Cq, *slope = own->slope;
  for (int b = 0; b < s->blocks; b++)
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++) {
      bool bound = !own->saddle->redundant[s->panel_row[p]], moved = !own->unmoved[s->panel_row[p]];
      const double *unit = own->common.dynamics->unit + s->q_start[b];
      for (int k = 0; k < trm_block_width(s, b); k++, Cq++, slope++) {
        *to++ = bound ? *slope : 0;
        *to++ = bound ? *Cq : 0;
        *to++ = *Cq;
        *to++ = moved ? *Cq : 0;
        *to++ = unit[k] * unit[k] * *Cq;
      }
    }
  return to;
}

/* e[m] small against Cq S²Cqᵀ */
static void regularize_units(const trm_dynamics *d, double *e) {
  memset(e, 0, (size_t)d->system->m * sizeof(double));
  trm_jacobian_squares(&d->system->structure, d->system->Cq, d->unit, e);
  for (int i = 0; i < d->system->m; i++) e[i] *= TRM_REGULAR;
}

/* Of multipliers that move all of a row by its unit; e[m], small against what answers them. */
static void scale_multipliers(const trm_dynamics *d, const double *e, double rate, double *scale) {
  const trm_system *sys = d->system;
  memset(scale, 0, (size_t)sys->m * sizeof(double));
  trm_jacobian_squares(&sys->structure, sys->Cq, d->unit, scale);
  for (int i = 0; i < sys->m; i++)
    scale[i] = e[i] > 0 ? rate * sqrt(scale[i]) * TRM_REGULAR / e[i] : 1;
}

/* In units of the unknowns: what goes with a move by S in a time 1/cj. */
static void fill(ida *own, double cj) {
  const trm_dynamics *d = own->common.dynamics;
  const trm_system *sys = d->system;
  const trm_tangent *t = own->saddle->tangent;
  int n = own->common.dynamics->at.v, m = sys->m;
  double *to = own->lu->value, *right = own->lu->right;
  for (int i = 0; i < n; i++) right[i] = d->unit[i], right[n + i] = cj * d->unit[i];
  right[2 * n] = cj * cj * d->energy_unit;
  trm_tangent_combine(t, cj, 1, 0, own->J);
  for (int e = 0; e < t->column_start[t->n]; e++) {
    *to++ = t->K.value[t->from[e]];
    *to++ = own->J[t->from[e]];
  }
  to = fill_rows(own, to);
  trm_regularize(sys, t, sys->Cq, own->e);
  scale_multipliers(d, own->e, cj * cj, right + 2 * n + 1);
  for (int i = 0; i < n; i++) *to++ = cj;
  for (int i = 0; i < n; i++) *to++ = 0;
  *to++ = cj;
  for (int i = 0; i < m; i++) *to++ = own->saddle->redundant[i] ? 1 : -own->e[i] / cj;
  regularize_units(d, own->e);
  scale_multipliers(d, own->e, cj, right + 2 * n + 1 + m);
  for (int i = 0; i < m; i++) *to++ = own->unmoved[i] ? 1 : -own->e[i] / cj;
  for (int i = 0; i < n; i++) *to++ = -1;
  for (int i = 0; i < m; i++)
    *to++ = own->saddle->redundant[i] ? 0 : -trm_system_power_by_lambda(sys, i);
  for (int i = 0; i < sys->law_slope_count; i++) {
    const trm_law_slope *law = &sys->law_slopes[i];
    *to++ = own->saddle->redundant[law->row] ? 0 : -law->slope;
    *to++ = own->unmoved[law->row] ? 0 : -law->slope;
  }
}

static int linearize(sunrealtype t, sunrealtype cj, N_Vector state, N_Vector rates, N_Vector r,
                     SUNMatrix A, void *data, N_Vector u1, N_Vector u2, N_Vector u3) {
  ida *own = data;
  trm_system *sys = own->common.dynamics->system;
  const double *y = trm_data_of(state), *a = trm_data_of(rates) + own->common.dynamics->at.v;
  const double *lambda = y + own->common.dynamics->size;
  (void)r, (void)A, (void)u1, (void)u2, (void)u3;
  own->common.in->jacobians++;
  if (!evaluate(own, t, y) || !trm_system_tangent(sys, a, lambda, own->saddle->tangent))
    return trm_sundials_outcome(&own->common, false);
  trm_system_jacobian_slope(sys, own->saddle->tangent, sys->v, own->slope);
  trm_system_law_slopes(sys);
  fill(own, cj);
  trm_lu_equilibrate(own->lu);
  return trm_lu_factor(own->lu) ? 0 : 1;
}

/* In units of the model's own. */
static double largest_of(const trm_dynamics *d, const double *x) {
  double largest = 0;
  for (int i = 0; i < d->n; i++) largest = fmax(largest, fabs(x[i]) / d->unit[i]);
  return largest;
}

/* Constraints find a position from all others. Where no more than last digits of these still move
 * it, as next to zero at a tight atol, the iteration is at its end. */
static void solve(trm_sundials *common, double *b) {
  const ida *own = (const ida *)common;
  const trm_dynamics *d = common->dynamics;
  trm_lu_solve(own->lu, b);
  if (largest_of(d, b) <= common->digits) memset(b, 0, (size_t)d->n * sizeof(double));
}

/* --- from start to step --- */

/* Rates and multipliers that go with a state on the constraints. */
static void find_unmoved(ida *own, const trm_system *sys) {
  for (int i = 0; i < sys->m; i++) own->unmoved[i] = own->saddle->redundant[i] || sys->rate_row[i];
}

static bool make_consistent(ida *own, double t, const double *state) {
  trm_dynamics *d = own->common.dynamics;
  trm_system *sys = d->system;
  int n = d->at.v;
  double *y = trm_data_of(own->common.y), *ydot = trm_data_of(own->common.ydot);
  N_VConst(0, own->common.y);
  N_VConst(0, own->common.ydot);
  memcpy(y, state, (size_t)d->size * sizeof(double));
  if (!trm_dynamics_rates(d, t, y, ydot)) return false;
  trm_saddle_begin(own->saddle);
  if (!trm_saddle_linearize(own->saddle) || !trm_saddle_factor(own->saddle, 0)) return false;
  find_unmoved(own, sys);
  double *f = trm_data_of(own->common.at), *none = f + n;
  N_VConst(0, own->common.at);
  trm_system_residual(sys, own->saddle->tangent, none, none + n, f);
  for (int i = 0; i < n; i++) f[i] = -f[i];
  trm_saddle_accelerations(own->saddle, f, sys->Qd, ydot + n, y + 2 * n + 1);
  return true;
}

static bool create_matrix(ida *own, trm_arena *arena) {
  const trm_system *sys = own->common.dynamics->system;
  const trm_structure *s = &sys->structure;
  const trm_tangent *t = own->saddle->tangent;
  int values = s->panel_value[s->blocks];
  own->unmoved = TRM_NEW(arena, bool, s->m + 1);
  own->e = TRM_NEW(arena, double, s->m + 1);
  own->J = TRM_NEW(arena, double, t->nonzeros + 1);
  own->slope = TRM_NEW(arena, double, values + 1);
  own->lu = trm_lu_create(arena, own->common.size,
                          2 * t->column_start[t->n] + 5 * values + own->common.size +
                              own->common.dynamics->at.v + s->m + 2 * sys->law_slope_count,
                          1);
  if (trm_arena_failed(arena) || !own->lu) return false;
  find_unmoved(own, sys);
  lay_out(own);
  return trm_lu_prepare(own->lu);
}

static bool restart(trm_sundials *common, double t, const double *y) {
  return make_consistent((ida *)common, t, y) &&
         IDAReInit(common->memory, t, common->y, common->ydot) == 0;
}

/* The iteration ends where round-off does not let it go on. Near singular positions constraints
 * turn that of positions into velocities, by as much as the least pivot has fallen: masses that
 * differ by many orders make it small everywhere. */
static void expect_round_off(trm_sundials *own, const double *y) {
  const trm_dynamics *d = own->dynamics;
  double pivot = trm_solver_least_pivot(d->solver) / own->in->largest_pivot;
  double noise = NOISE / fmin(1, fmax(pivot, 1e-16)) * largest_of(d, y + d->at.v);
  double reached = fmax(ROUND_OFF / own->in->rtol, noise / own->in->atol);
  IDASetNonlinConvCoef(own->memory, fmin(LOOSEST, fmax(CONVERGED, reached)));
  own->digits = DIGITS * DBL_EPSILON * largest_of(d, y);
}

static int advance(trm_sundials *own, const double *y, double until, double *reached) {
  expect_round_off(own, y);
  return IDASolve(own->memory, until, reached, own->y, own->ydot, IDA_ONE_STEP);
}

static bool accept(trm_sundials *own, double t) {
  return trm_dynamics_correct(own->dynamics, t, own->in->trial, own->in->rates);
}

static const trm_sundials_class type = {.stop_at = IDASetStopTime,
                                        .derivative = IDAGetDky,
                                        .step = IDAGetCurrentStep,
                                        .errors = IDAGetEstLocalErrors,
                                        .weights = IDAGetErrWeights,
                                        .rejections = IDAGetNumErrTestFails,
                                        .cuts = IDAGetNumNonlinSolvConvFails,
                                        .release = IDAFree,
                                        .solve = solve,
                                        .restart = restart,
                                        .advance = advance,
                                        .accept = accept};

bool trm_ida_start(trm_integrator *in, trm_dynamics *d, trm_arena *arena, double t,
                   const double *y) {
  ida *own = in->own = TRM_NEW(arena, ida, 1);
  if (!own || !(own->saddle = trm_saddle_create(arena, d))) return false;
  trm_sundials *common = &own->common;
  if (!trm_sundials_create(common, &type, in, d, arena, d->size + 2 * d->system->m) ||
      !create_matrix(own, arena))
    return false;
  void *memory = common->memory = IDACreate(common->context);
  if (!memory || !make_consistent(own, t, y)) return false;
#if SUNDIALS_VERSION_MAJOR < 7
  IDASetErrFile(memory, NULL);
#endif
  bool good = IDAInit(memory, residual, t, common->y, common->ydot) == 0 &&
              IDASetUserData(memory, own) == 0 && IDAWFtolerances(memory, weigh) == 0 &&
              IDASetLinearSolver(memory, common->linear, common->matrix) == 0 &&
              IDASetJacFn(memory, linearize) == 0;
  if (isfinite(in->largest)) good = good && IDASetMaxStep(memory, in->largest) == 0;
  return good;
}
