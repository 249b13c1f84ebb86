/* Constrained motion as one differential-algebraic system, by IDA: the stabilized index-2 form of
 * Gear, Gupta and Leimkuhler,
 *
 *     q̇ = v − S²Cqᵀ μ,   M v̇ + Cqᵀ λ = Q,   Cq v + Ct = 0,   C = 0
 *
 * with y = (q, v, z, λ, μ), S their units: lengths and pure numbers compare. There
 * is no μ for a row of velocity level, and neither λ nor μ for a row that the others determine:
 * these are zero. */
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

typedef struct ida {
  trm_sundials sundials;
  trm_integrator *in;
  trm_dynamics *dynamics;
  trm_saddle *saddle; /* accelerations and multipliers of the rows in use, and the tangent */
  trm_lu *lu;
  bool *unmoved; /* [m] rows without a μ */
  double *e;     /* [m] */
  double *J;     /* in K's pattern */
  double *slope; /* laid out like Cq */
  void *memory;
  N_Vector y, ydot, at, weight;
  double stop;           /* the time it must not pass */
  bool failed;           /* a callback, and the system says why */
  long rejections, cuts; /* before the last fresh start */
  int size;
} ida;

static double *data_of(N_Vector x) {
  return N_VGetArrayPointer(x);
}

static int outcome(ida *own, bool good) {
  own->failed = !good;
  return good ? 0 : 1;
}

static int weigh(N_Vector y, N_Vector weight, void *data) {
  const ida *own = data;
  trm_sundials_weigh(own->in, own->dynamics, own->size, data_of(y), data_of(weight));
  /* the power of a system of the user's own is a difference of terms with the method's own v̇ */
  if (own->dynamics->system->generic) data_of(weight)[own->dynamics->at.work] = TRM_NO_WEIGHT;
  return 0;
}

/* --- the equations --- */

static bool evaluate(ida *own, double t, const double *y) {
  trm_system *sys = own->dynamics->system;
  own->dynamics->evaluations++;
  trm_system_take_states(sys, y + own->dynamics->at.v);
  return trm_system_position(sys, t, y) && trm_system_linearize(sys, y + own->dynamics->at.v) &&
         trm_system_velocity(sys, y + own->dynamics->at.v);
}

static int residual(sunrealtype t, N_Vector state, N_Vector rates, N_Vector result, void *data) {
  ida *own = data;
  trm_system *sys = own->dynamics->system;
  int n = own->dynamics->at.v, m = sys->m;
  const double *y = data_of(state), *ydot = data_of(rates);
  const double *lambda = y + 2 * n + 1, *mu = lambda + m;
  double *r = data_of(result), *low = r + 2 * n + 1;
  const double *unit = own->dynamics->unit;
  if (!evaluate(own, t, y)) return outcome(own, false);
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
  return outcome(own, true);
}

/* --- their matrix --- */

/* Entries in the order in which `fill` writes them. */
static void lay_out(ida *own) {
  const trm_structure *s = &own->dynamics->system->structure;
  const trm_tangent *t = own->saddle->tangent;
  trm_lu *lu = own->lu;
  int n = own->dynamics->at.v, low = 2 * n + 1, lower = low + s->m;
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
  for (int i = 0; i < own->size; i++) trm_lu_add(lu, i, i);
  for (int i = 0; i < n; i++) trm_lu_add(lu, i, n + i);
  for (int i = 0; i < s->m; i++) trm_lu_add(lu, 2 * n, low + i);
  const trm_system *sys = own->dynamics->system;
  for (int i = 0; i < sys->law_slope_count; i++) { /* laws by the states that they hang on */
    const trm_law_slope *law = &sys->law_slopes[i];
    trm_lu_add(lu, low + law->row, n + sys->n + law->rate);
    trm_lu_add(lu, lower + law->row, n + sys->n + law->state);
  }
}

static double *fill_rows(ida *own, double *to) {
  const trm_system *sys = own->dynamics->system;
  const trm_structure *s = &sys->structure;
  const double *Cq = sys->Cq, *slope = own->slope;
  for (int b = 0; b < s->blocks; b++)
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++) {
      bool bound = !own->saddle->redundant[s->panel_row[p]], moved = !own->unmoved[s->panel_row[p]];
      const double *unit = own->dynamics->unit + s->q_start[b];
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
  const trm_structure *s = &d->system->structure;
  const double *Cq = d->system->Cq;
  memset(e, 0, (size_t)s->m * sizeof(double));
  for (int b = 0; b < s->blocks; b++)
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++)
      for (int k = 0; k < trm_block_width(s, b); k++, Cq++) {
        double part = *Cq * d->unit[s->q_start[b] + k];
        e[s->panel_row[p]] += TRM_REGULAR * part * part;
      }
}

static void fill(ida *own, double cj) {
  const trm_system *sys = own->dynamics->system;
  const trm_tangent *t = own->saddle->tangent;
  int n = own->dynamics->at.v, m = sys->m;
  double *to = own->lu->value;
  trm_tangent_combine(t, cj, 1, 0, own->J);
  for (int e = 0; e < t->column_start[t->n]; e++) {
    *to++ = t->K.value[t->from[e]];
    *to++ = own->J[t->from[e]];
  }
  to = fill_rows(own, to);
  trm_regularize(sys, t, sys->Cq, own->e);
  for (int i = 0; i < n; i++) *to++ = cj;
  for (int i = 0; i < n; i++) *to++ = 0;
  *to++ = cj;
  for (int i = 0; i < m; i++) *to++ = own->saddle->redundant[i] ? 1 : -own->e[i] / cj;
  regularize_units(own->dynamics, own->e);
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
  trm_system *sys = own->dynamics->system;
  const double *y = data_of(state), *a = data_of(rates) + own->dynamics->at.v;
  const double *lambda = y + own->dynamics->size;
  (void)r, (void)A, (void)u1, (void)u2, (void)u3;
  own->in->jacobians++;
  if (!evaluate(own, t, y) || !trm_system_tangent(sys, a, lambda, own->saddle->tangent))
    return outcome(own, false);
  trm_system_jacobian_slope(sys, own->saddle->tangent, sys->v, own->slope);
  trm_system_law_slopes(sys);
  fill(own, cj);
  trm_lu_equilibrate(own->lu);
  return trm_lu_factor(own->lu) ? 0 : 1;
}

static void solve(void *data, double *b) {
  ida *own = data;
  own->in->iterations++;
  trm_lu_solve(own->lu, b);
}

/* --- from start to step --- */

/* Rates and multipliers that go with a state on the constraints. */
static void find_unmoved(ida *own, const trm_system *sys) {
  for (int i = 0; i < sys->m; i++) own->unmoved[i] = own->saddle->redundant[i] || sys->rate_row[i];
}

static bool make_consistent(ida *own, double t, const double *state) {
  trm_dynamics *d = own->dynamics;
  trm_system *sys = d->system;
  int n = d->at.v;
  double *y = data_of(own->y), *ydot = data_of(own->ydot);
  N_VConst(0, own->y);
  N_VConst(0, own->ydot);
  memcpy(y, state, (size_t)d->size * sizeof(double));
  if (!trm_dynamics_rates(d, t, y, ydot)) return false;
  trm_saddle_begin(own->saddle);
  if (!trm_saddle_linearize(own->saddle) || !trm_saddle_factor(own->saddle, 0)) return false;
  find_unmoved(own, sys);
  double *f = data_of(own->at), *none = f + n;
  N_VConst(0, own->at);
  trm_system_residual(sys, own->saddle->tangent, none, none + n, f);
  for (int i = 0; i < n; i++) f[i] = -f[i];
  trm_saddle_accelerations(own->saddle, f, sys->Qd, ydot + n, y + 2 * n + 1);
  return true;
}

static bool create_matrix(ida *own, trm_arena *arena) {
  const trm_system *sys = own->dynamics->system;
  const trm_structure *s = &sys->structure;
  const trm_tangent *t = own->saddle->tangent;
  int values = s->panel_value[s->blocks];
  own->size = own->dynamics->size + 2 * s->m;
  own->unmoved = TRM_NEW(arena, bool, s->m + 1);
  own->e = TRM_NEW(arena, double, s->m + 1);
  own->J = TRM_NEW(arena, double, t->nonzeros + 1);
  own->slope = TRM_NEW(arena, double, values + 1);
  own->lu = trm_lu_create(arena, own->size,
                          2 * t->column_start[t->n] + 5 * values + own->size + own->dynamics->at.v +
                              s->m + 2 * sys->law_slope_count,
                          1);
  if (!own->unmoved || !own->e || !own->J || !own->slope || !own->lu) return false;
  find_unmoved(own, sys);
  lay_out(own);
  return trm_lu_prepare(own->lu);
}

static bool create_vectors(ida *own) {
  SUNContext context = own->sundials.context;
  own->y = N_VNew_Serial(own->size, context);
  own->ydot = N_VNew_Serial(own->size, context);
  own->at = N_VNew_Serial(own->size, context);
  own->weight = N_VNew_Serial(own->size, context);
  own->memory = IDACreate(context);
  return own->y && own->ydot && own->at && own->weight && own->memory;
}

static void release(void *data) {
  ida *own = data;
  IDAFree(&own->memory);
  if (own->y) N_VDestroy(own->y);
  if (own->ydot) N_VDestroy(own->ydot);
  if (own->at) N_VDestroy(own->at);
  if (own->weight) N_VDestroy(own->weight);
  trm_sundials_destroy(&own->sundials);
}

bool trm_ida_start(trm_integrator *in, trm_dynamics *d, trm_arena *arena, double t,
                   const double *y) {
  ida *own = in->own = TRM_NEW(arena, ida, 1);
  if (!own || !trm_arena_defer(arena, release, own)) return false;
  own->in = in;
  own->dynamics = d;
  trm_keep_derived(arena, trm_sundials_forget, in);
  own->stop = INFINITY;
  own->saddle = trm_saddle_create(arena, d);
  if (!own->saddle || !create_matrix(own, arena)) return false;
  if (!trm_sundials_create(&own->sundials, d->size, solve, own) || !create_vectors(own))
    return false;
  if (!make_consistent(own, t, y)) return false;
#if SUNDIALS_VERSION_MAJOR < 7
  IDASetErrFile(own->memory, NULL);
#endif
  bool good = IDAInit(own->memory, residual, t, own->y, own->ydot) == 0 &&
              IDASetUserData(own->memory, own) == 0 && IDAWFtolerances(own->memory, weigh) == 0 &&
              IDASetLinearSolver(own->memory, own->sundials.linear, own->sundials.matrix) == 0 &&
              IDASetJacFn(own->memory, linearize) == 0;
  if (isfinite(in->largest)) good = good && IDASetMaxStep(own->memory, in->largest) == 0;
  return good;
}

static bool explain(ida *own, int flag, double t, const double *y) {
  double h = 0;
  if (own->failed && flag != IDA_ERR_FAIL) return false; /* the system has said why */
  IDAGetCurrentStep(own->memory, &h);
  if (IDAGetEstLocalErrors(own->memory, own->at) != 0 ||
      IDAGetErrWeights(own->memory, own->weight) != 0)
    N_VConst(0, own->at);
  trm_trouble trouble = flag == IDA_WARNING        ? TRM_STUCK
                        : flag == IDA_ERR_FAIL     ? TRM_INACCURATE
                        : flag == IDA_CONV_FAIL    ? TRM_DIVERGENT
                        : flag == IDA_TOO_MUCH_ACC ? TRM_TOO_FINE
                                                   : TRM_UNSOLVABLE;
  return trm_sundials_explain(own->in, own->dynamics, t, y, h, trouble, data_of(own->at),
                              data_of(own->weight));
}

static void count(ida *own) {
  trm_integrator *in = own->in;
  long rejections = 0, cuts = 0;
  IDAGetNumErrTestFails(own->memory, &rejections);
  IDAGetNumNonlinSolvConvFails(own->memory, &cuts);
  in->rejections = own->rejections + rejections;
  in->cuts = own->cuts + cuts;
}

static bool restart(ida *own, double t, const double *y) {
  own->rejections = own->in->rejections;
  own->cuts = own->in->cuts;
  own->in->fresh = false;
  own->stop = INFINITY; /* forgotten where it was reached */
  return make_consistent(own, t, y) && IDAReInit(own->memory, t, own->y, own->ydot) == 0;
}

void trm_ida_interpolate(const trm_integrator *in, double t, double *y) {
  const ida *own = in->own;
  bool inside = IDAGetDky(own->memory, t, 0, own->at) == 0;
  memcpy(y, data_of(inside ? own->at : own->y), (size_t)in->size * sizeof(double));
}

/* The iteration ends where round-off does not let it go on. Constraints turn that of positions into
 * velocities, by the inverse of the least pivot: near singular positions it is a lot. */
static void expect_round_off(ida *own, const double *y) {
  const trm_dynamics *d = own->dynamics;
  double pivot = fmin(1, fmax(trm_solver_least_pivot(d->solver), 1e-16)), noise = 0;
  for (int i = 0; i < d->n; i++) noise = fmax(noise, fabs(y[d->at.v + i]) / d->unit[i]);
  noise *= NOISE / pivot;
  double reached = fmax(ROUND_OFF / own->in->rtol, noise / own->in->atol);
  IDASetNonlinConvCoef(own->memory, fmin(LOOSEST, fmax(CONVERGED, reached)));
}

/* The step itself, into trial and rates. */
static bool advance(void *data, double t, double *end, const double *y, bool fresh) {
  ida *own = data;
  trm_integrator *in = own->in;
  own->in->fresh = own->in->fresh || fresh;
  double reached;
  if (own->in->fresh && !restart(own, t, y)) return explain(own, IDA_ILL_INPUT, t, y);
  if (isfinite(*end) && *end != own->stop) IDASetStopTime(own->memory, own->stop = *end);
  own->failed = false;
  expect_round_off(own, y);
  int flag = IDASolve(own->memory, isfinite(*end) ? *end : t + 1, &reached, own->y, own->ydot,
                      IDA_ONE_STEP);
  count(own);
  if (flag == IDA_SUCCESS && trm_sundials_stuck(t, reached)) flag = IDA_WARNING;
  if (flag < 0 || flag == IDA_WARNING) return explain(own, flag, t, y);
  *end = reached;
  memcpy(in->trial, data_of(own->y), (size_t)in->size * sizeof(double));
  if (!trm_sundials_handle_change(in, own->dynamics, t, end, y, &own->in->fresh)) return false;
  return own->in->fresh || trm_dynamics_correct(own->dynamics, *end, in->trial, in->rates);
}

bool trm_ida_step(trm_integrator *in, trm_dynamics *d, double t, double *end, double h,
                  const double *y, const double *ydot) {
  (void)h;
  return trm_sundials_step(in, d, t, end, y, ydot, advance, in->own);
}
