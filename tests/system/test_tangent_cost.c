/* What a tangent costs: memory that grows with the bodies, none taken while evaluating; and its
 * other forms, dense and by column. */
#include "../counting.h"
#include "../run.h"
#include "differences.h"

static trm_model *chain(const char *overrides) {
  trm_model *model =
      trm_model_load("models/n_four_bar.yaml", (const char *const[]){overrides, NULL}, NULL, NULL);
  assert_non_null(model);
  return model;
}

/* A chain of N four-bars has 2N + 1 bodies, each coupled to its neighbours at most. */
static void pattern_grows_with_the_bodies(void **state) {
  (void)state;
  int blocks[2], bodies[2];
  static const char *const sizes[2] = {"N=20", "N=200"};
  for (int i = 0; i < 2; i++) {
    trm_model *model = chain(sizes[i]);
    equations e = equations_of(model, &trm_natural_planar, false);
    bodies[i] = e.sys->motion.bodies;
    blocks[i] = e.tangent->K.start[bodies[i]];
    forget(&e);
    trm_model_destroy(model);
  }
  assert_true(bodies[1] - bodies[0] == 360);
  assert_true(blocks[1] - blocks[0] <= 6 * 360);
}

static void evaluation_does_not_allocate(void **state) {
  (void)state;
  if (!TRM_COUNTING) skip();
  trm_model *model = sample_model(true);
  equations e = equations_of(model, &trm_euler_planar, false);
  double *r = TRM_NEW(e.arena, double, e.sys->n + e.sys->m);
  evaluate(&e, r, r + e.sys->n);
  long before = counted_allocations;
  assert_true(trm_system_tangent(e.sys, e.a, e.lambda, e.tangent));
  trm_system_jacobian_slope(e.sys, e.tangent, e.v, e.slope);
  assert_int_equal(counted_allocations, before);
  forget(&e);
  trm_model_destroy(model);
}

static void add_dense(const trm_tangent *t, const double *J, double *A, int leading) {
  for (int k = 0; k < t->n; k++)
    for (int e = t->column_start[k]; e < t->column_start[k + 1]; e++)
      A[(ptrdiff_t)k * leading + t->row[e]] += J[t->from[e]];
}

/* Dense, from blocks and by column: J x is the same. */
static void forms_agree(void **state) {
  (void)state;
  trm_model *model = sample_model(true);
  equations e = equations_of(model, &trm_angle_planar, false);
  const trm_tangent *t = e.tangent;
  int n = e.sys->n, nq = e.sys->motion.nq, leading = n + 3;
  double *work = TRM_NEW(e.arena, double, n + e.sys->m), A[64 * 64] = {0}, J[4096];
  assert_true(n * leading <= 64 * 64 && t->nonzeros <= 4096);
  evaluate(&e, work, work + n);
  assert_true(trm_system_tangent(e.sys, e.a, e.lambda, e.tangent));
  trm_tangent_combine(t, 2, -3, 0.5, J);
  add_dense(t, J, A, leading);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      double expected = 0.5 * entry(&e, t->K.value, i, k) - 3 * entry(&e, t->D.value, i, k);
      if (i / nq == k / nq) expected += 2 * t->M[i * nq + k % nq];
      assert_near(A[k * leading + i], expected, 1e-12 * fabs(expected));
    }
  assert_int_equal(t->column_start[n], t->nonzeros);
  for (int k = 0; k < n; k++)
    for (int i = t->column_start[k] + 1; i < t->column_start[k + 1]; i++)
      assert_true(t->row[i] > t->row[i - 1]);
  forget(&e);
  trm_model_destroy(model);
}

/* The root of a length that is zero has no finite slope: the force is named. */
static void an_infinite_slope_is_an_error(void **state) {
  (void)state;
  trm_model *model = trm_model_create(TRM_PLANAR);
  sample_body(model, "a", 0, 0, 0);
  trm_force_def f = trm_default_force();
  f.name = "shove", f.type = TRM_FORCE_FORCE, f.connect[0] = "a";
  f.value[0] = trm_formula("sqrt(a.y)");
  trm_model_add_force(model, &f);
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  equations e = equations_of(model, &trm_angle_planar, false);
  double r[3], rate[1];
  e.q[0] = 0.1, e.q[1] = 0.2, e.q[2] = 0; /* the body's origin is at y = 0.2 − (−0.2) */
  evaluate(&e, r, rate);
  assert_true(trm_system_tangent(e.sys, e.a, e.lambda, e.tangent));
  e.q[0] = 0.1, e.q[1] = -0.2, e.q[2] = 0;
  evaluate(&e, r, rate);
  assert_false(trm_system_tangent(e.sys, e.a, e.lambda, e.tangent));
  assert_non_null(strstr(e.sys->error, "t = 0.3: force 'shove': the derivative of its formula"));
  forget(&e);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pattern_grows_with_the_bodies),
      cmocka_unit_test(evaluation_does_not_allocate),
      cmocka_unit_test(forms_agree),
      cmocka_unit_test(an_infinite_slope_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
