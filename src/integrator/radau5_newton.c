/* The stages of radau5: simplified Newton in the variables that split its linear problem into a
 * real and a complex one (Hairer & Wanner II, IV.8). */
#include <float.h>
#include <string.h>

#include "integrator/newton.h"
#include "integrator/radau5.h"

#define MAX_ITERATIONS 10
#define STALL          1e3 /* a change below so many units that no longer shrinks is round-off */
#define STALLED        0.5
#define SLOWEST        0.99
#define RENEWALS       2    /* of the stages' Jacobians within a step */
#define KEEP           1e-2 /* a contraction above it: the next step gets a new Jacobian */

trm_radau_table trm_radau_coefficients(void) {
  double root = sqrt(6), ninth = cbrt(9);
  double alpha = (12 - ninth * (ninth - 1)) / 60, beta = ninth * (ninth + 1) * sqrt(3) / 60;
  double square = alpha * alpha + beta * beta;
  trm_radau_table table = {
      .c = {(4 - root) / 10, (4 + root) / 10, 1},
      .A = {{(88 - 7 * root) / 360, (296 - 169 * root) / 1800, (-2 + 3 * root) / 225},
            {(296 + 169 * root) / 1800, (88 + 7 * root) / 360, (-2 - 3 * root) / 225},
            {(16 - root) / 36, (16 + root) / 36, 1 / 9.0}},
      .T = {{9.1232394870892942792e-2, -0.14125529502095420843, -3.0029194105147424492e-2},
            {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
            {0.96604818261509293619, 1, 0}},
      .inverse_T = {{4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
                    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
                    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}},
      .real = 30 / (6 + ninth * (ninth - 1)),
      .complex = {alpha / square, beta / square},
      .slope = {(13 + 7 * root) / 3, (13 - 7 * root) / 3, 1 / 3.0}};
  double a = table.real, re = table.complex[0], im = table.complex[1];
  const double lambda[3][3] = {{a, 0, 0}, {0, re, -im}, {0, im, re}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 9; k++)
        table.inverse_A[i][j] +=
            table.T[i][k / 3] * lambda[k / 3][k % 3] * table.inverse_T[k % 3][j];
  return table;
}

/* to = matrix from, entry by entry of the three vectors */
static void transform(double matrix[3][3], int size, double *const from[3], double *const to[3]) {
  for (int i = 0; i < size; i++) {
    double x = from[0][i], y = from[1][i], z = from[2][i];
    for (int s = 0; s < 3; s++) to[s][i] = matrix[s][0] * x + matrix[s][1] * y + matrix[s][2] * z;
  }
}

static bool evaluate(trm_integrator *in, trm_dynamics *d, const double *y) {
  trm_radau5 *own = in->own;
  for (int s = 0; s < 3; s++) {
    for (int i = 0; i < in->size; i++) in->trial[i] = y[i] + own->Z[s][i];
    if (!trm_dynamics_rates(d, own->t + own->table.c[s] * own->h, in->trial, own->F[s]))
      return false;
    trm_radau_stages *st = &own->stages;
    if (own->linearizes && !trm_slopes_find(&st->at[s], d->system, st->tangent[s])) return false;
  }
  return true;
}

/* The changes of Z, into F. */
static bool solve_staged(trm_integrator *in, int entries) {
  trm_radau5 *own = in->own;
  const trm_radau_table *table = &own->table;
  double *const *F = own->F, *const *Z = own->Z;
  if (own->linearizes || own->factored != own->h) {
    in->jacobians += own->linearizes;
    in->refactorizations += !own->linearizes;
    own->linearizes = false;
    own->factored = own->h;
    if (!trm_radau_stages_factor(&own->stages, table, own->h)) return false;
  }
  for (int i = 0; i < entries; i++)
    for (int s = 0; s < 3; s++) {
      const double *row = table->inverse_A[s];
      F[s][i] -= (row[0] * Z[0][i] + row[1] * Z[1][i] + row[2] * Z[2][i]) / own->h;
    }
  trm_radau_stages_solve(&own->stages, table, own->h, F);
  for (int s = 0; s < 3; s++) trm_axpy(entries, 1, F[s], Z[s]);
  return true;
}

/* F becomes γ T⁻¹F − W, the right-hand sides of (1 − γ ∂f/∂y) ΔW. */
static void find_residual(trm_radau5 *own, int entries) {
  const trm_saddle *sd = own->saddle;
  const double *gamma = sd->complex_gamma;
  double *const *F = own->F, *const *W = own->W;
  transform(own->table.inverse_T, entries, F, F);
  for (int i = 0; i < entries; i++) {
    double re = F[1][i], im = F[2][i];
    F[0][i] = sd->gamma * F[0][i] - W[0][i];
    F[1][i] = gamma[0] * re - gamma[1] * im - W[1][i];
    F[2][i] = gamma[0] * im + gamma[1] * re - W[2][i];
  }
}

/* Of the changes in F and of the work, in units of the weights; remembers where most of it is. */
static double measure(trm_radau5 *own, int entries, double work) {
  double sum = pow(work * own->weight[entries], 2), largest = 0;
  for (int i = 0; i < entries; i++) {
    double part = 0;
    for (int s = 0; s < 3; s++) part += own->F[s][i] * own->F[s][i];
    part *= own->weight[i] * own->weight[i];
    sum += part;
    if (part <= largest || isnan(largest)) continue; /* a NaN is the worst */
    largest = part;
    own->worst = i;
  }
  return own->residual = sqrt(sum / (3 * entries));
}

/* One iteration; the size of its change. */
static double change(trm_integrator *in, trm_dynamics *d, const double *y) {
  trm_radau5 *own = in->own;
  int entries = d->at.work;
  if (!evaluate(in, d, y)) return NAN;
  in->iterations++;
  double power[3];
  for (int s = 0; s < 3; s++) power[s] = own->F[s][entries];
  if (own->staged) {
    if (!solve_staged(in, entries)) return NAN;
  } else {
    find_residual(own, entries);
    trm_saddle_solve(own->saddle, own->F[0]);
    trm_saddle_solve_complex(own->saddle, own->F[1], own->F[2]);
    for (int s = 0; s < 3; s++) trm_axpy(entries, 1, own->F[s], own->W[s]);
    transform(own->table.T, entries, own->W, own->Z);
  }
  double before = own->Z[2][entries];
  for (int s = 0; s < 3; s++) { /* the work is but an integral, of stages one change behind */
    const double *a = own->table.A[s];
    own->Z[s][entries] = own->h * (a[0] * power[0] + a[1] * power[1] + a[2] * power[2]);
  }
  return measure(own, entries, own->Z[2][entries] - before);
}

typedef struct step {
  trm_integrator *in;
  trm_dynamics *d;
  const double *y;
} step;

static double iterate(trm_newton *newton, bool renew) {
  const step *at = newton->method;
  trm_radau5 *own = at->in->own;
  own->linearizes = own->linearizes || renew; /* where it has come to */
  newton->met = true;
  return change(at->in, at->d, at->y);
}

bool trm_radau_newton(trm_integrator *in, trm_dynamics *d, const double *y) {
  trm_radau5 *own = in->own;
  step at = {in, d, y};
  int renewals = own->staged ? RENEWALS : 0;
  trm_newton newton = {.iterate = iterate,
                       .method = &at,
                       .tolerance = own->newton_tolerance,
                       .round_off = in->variable ? 0 : STALL,
                       .slowest = SLOWEST,
                       .stalled_at = STALLED,
                       .most = MAX_ITERATIONS * (1 + renewals),
                       .renewals = renewals,
                       .averages = true};
  if (!own->staged) transform(own->table.inverse_T, d->at.work, own->Z, own->W);
  if (!trm_newton_solve(&newton, false)) return false;
  own->stale = newton.contraction > KEEP && !newton.stalled && !own->staged;
  return true;
}
