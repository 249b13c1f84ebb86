/* A SUNDIALS context that never prints, and a direct linear solver that is ours. */
#include "integrator/sundials.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define NEARLY                                                                                     \
  1e6 /* multipliers of this size, made free of units, tell of dependent constraints               \
       */

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

bool trm_sundials_create(trm_sundials *own, trm_linear_solve *solve_with, void *data) {
  *own = (trm_sundials){.solve = solve_with, .data = data};
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

void trm_sundials_weigh(const trm_integrator *in, int n, int entries, const double *y,
                        double *weight) {
  double share = sqrt(entries / (2.0 * n));
  for (int i = 0; i < 2 * n; i++) weight[i] = share / (in->rtol * fabs(y[i]) + in->atol);
  for (int i = 2 * n; i < entries; i++) weight[i] = 1e-30; /* zero is not allowed */
}

bool trm_sundials_stuck(double t, double reached) {
  return reached - t < 16 * DBL_EPSILON * fmax(fabs(t), 1e-6);
}

/* scale[m] = the root of the diagonal of Cq M⁻¹ Cqᵀ, M by its diagonal */
static void find_scale(const trm_system *sys, double *scale) {
  const trm_structure *s = &sys->structure;
  memset(scale, 0, (size_t)s->m * sizeof(double));
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = sys->Cq + s->panel_value[b], *M = sys->M + s->mass_value[b];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++, row += width)
      for (int k = 0; k < width; k++) {
        double mass = M[s->mass_diagonal ? k : k * width + k];
        if (mass > 0) scale[s->panel_row[r]] += row[k] * row[k] / mass;
      }
  }
  for (int i = 0; i < s->m; i++) scale[i] = sqrt(scale[i]);
}

/* The row of a joint most in question where constraints are dependent or nearly so, else −1: by
 * inverse iteration, changes of them then take multipliers far above their own size. */
static int find_dependent(trm_dynamics *d) {
  trm_system *sys = d->system;
  double *g = sys->Qd, *lambda = d->stabilizer->g, *scale = d->mu, growth = 0;
  int row = -1;
  find_scale(sys, scale);
  for (int i = 0; i < sys->m; i++) g[i] = i % 2 ? scale[i] : -scale[i];
  for (int round = 0; round < 3; round++) {
    trm_solver_solve(d->solver, NULL, g, NULL, d->normal, lambda);
    growth = 0;
    for (int i = 0; i < sys->m; i++) {
      double size = fabs(lambda[i]) * scale[i];
      if (size <= growth || trm_system_row_group(sys, i) < 0) continue;
      growth = size;
      row = i;
    }
    for (int i = 0; i < sys->m && growth > 0; i++) g[i] = lambda[i] * scale[i] * scale[i] / growth;
  }
  return growth > NEARLY ? row : -1;
}

static void advise(trm_dynamics *d, char *text, size_t size) {
  trm_system *sys = d->system;
  int row = sys->m > 0 ? find_dependent(d) : -1;
  char name[48];
  if (row < 0) {
    snprintf(text, size, "a looser rtol or atol may help, or a force is not smooth");
    return;
  }
  trm_system_group_name(sys, trm_system_row_group(sys, row), name, sizeof name);
  snprintf(text, size,
           "the position is singular, or nearly so: the constraints are dependent there, among "
           "them %s",
           name);
}

bool trm_sundials_explain(trm_integrator *in, trm_dynamics *d, double t, const double *y, double h,
                          trm_trouble trouble, const double *error, const double *weight) {
  static const char *const words[] = {
      "the error stays above the tolerance", "the iteration does not converge",
      "the tolerance is beyond double precision", "the linear problem cannot be solved"};
  trm_system *sys = d->system;
  char where[64] = "", advice[160];
  int worst = 0;
  for (int i = 0; error && i < 2 * d->n; i++)
    if (fabs(error[i] * weight[i]) > fabs(error[worst] * weight[worst])) worst = i;
  if (error) trm_system_coordinate_name(sys, worst % d->n, where, sizeof where);
  if (!trm_dynamics_evaluate(d, t, y, in->rates)) return false;
  advise(d, advice, sizeof advice);
  snprintf(sys->error, sizeof sys->error, "t = %.9g: %s, down to a step of %.3g%s%s; %s", t,
           words[trouble], h, error ? ", most of it in the motion of " : "", where, advice);
  return false;
}
