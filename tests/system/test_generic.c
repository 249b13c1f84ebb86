/* Systems of the user's own: derivatives against differences, formulas against jets. */
#define _XOPEN_SOURCE 700
#include <math.h>

#include "../check.h"
#include "../model/load.h"
#include "system/tangent.h"

enum { N = 3, M = 2, P = 2, ROWS = M + P };

static void mass(void *context, double t, const double *q, double *mass_matrix) {
  const double values[N * N] = {2 + sin(q[1]), 0.3 * q[2], 0, 0.3 * q[2], 3 + t, 0, 0, 0, 1};
  (void)context;
  memcpy(mass_matrix, values, sizeof values);
}

static void force(void *context, double t, const double *q, const double *v, double *Q) {
  (void)context;
  Q[0] = -q[0] * v[2];
  Q[1] = cos(t);
  Q[2] = v[0] * v[1] + q[2];
}

static void position(void *context, trm_jet t, const trm_jet *q, trm_jet *phi) {
  (void)context;
  phi[0] = trm_jet_add(trm_jet_multiply(trm_jet_square(q[0]), q[1]),
                       trm_jet_multiply(trm_jet_sin(q[2]), t));
  phi[1] =
      trm_jet_subtract(trm_jet_exp(trm_jet_multiply(q[0], q[2])),
                       trm_jet_divide(trm_jet_power(q[1], 3), trm_jet_shift(trm_jet_cos(t), 2)));
}

static void velocity(void *context, trm_jet t, const trm_jet *q, const trm_jet *v, trm_jet *phi) {
  (void)context;
  phi[0] = trm_jet_subtract(
      trm_jet_add(trm_jet_multiply(v[0], q[1]), trm_jet_multiply(trm_jet_square(v[2]), q[0])),
      trm_jet_multiply(v[1], trm_jet_sqrt(trm_jet_shift(t, 1))));
  phi[1] = trm_jet_shift(trm_jet_add(trm_jet_multiply(v[0], trm_jet_log(q[2])),
                                     trm_jet_multiply(v[1], trm_jet_tan(q[0]))),
                         -2);
}

static trm_jet energy(void *context, trm_jet t, const trm_jet *q, const trm_jet *v) {
  (void)context;
  return trm_jet_add(trm_jet_multiply(trm_jet_square(v[0]), q[1]), trm_jet_multiply(t, v[2]));
}

static const char text[] = "trammel: 1\n"
                           "system:\n"
                           "  coordinates: {a: 0.7, b: 1.3, c: 0.9}\n"
                           "  mass: [[2 + sin(b), 0.3*c, 0], [0.3*c, 3 + t, 0], [0, 0, 1]]\n"
                           "  forces: {a: -a*c', b: cos(t), c: a'*b' + c}\n"
                           "  constraints: [a^2*b + sin(c)*t, exp(a*c) - b^3/(2 + cos(t))]\n"
                           "  velocity-constraints: [a'*b - b'*sqrt(1 + t) + c'^2*a, a'*log(c) + "
                           "b'*tan(a) - 2]\n"
                           "  energy: a'^2*b + t*c'\n";

static const double q0[N] = {0.7, 1.3, 0.9}, v0[N] = {0.4, -1.1, 0.6}, a0[N] = {1.5, -0.2, 0.8};
static const double t0 = 0.6;

static trm_model *by_jets(void) {
  trm_system_def def = trm_default_system();
  def.coordinates = N;
  def.position_constraints = M;
  def.velocity_constraints = P;
  def.q = q0;
  def.mass = mass;
  def.force = force;
  def.position_jet = position;
  def.velocity_jet = velocity;
  def.energy_jet = energy;
  trm_model *model = trm_model_create_system(&def);
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  return model;
}

typedef struct fixture {
  trm_model *model;
  trm_arena *arena;
  trm_system *sys;
} fixture;

static fixture set_up(trm_model *model) {
  fixture f = {.model = model, .arena = trm_arena_create()};
  f.sys = trm_system_create(model, NULL, false, NULL, 0, f.arena);
  assert_non_null(f.sys);
  assert_int_equal(f.sys->m, ROWS);
  assert_false(trm_system_is_linear(f.sys));
  return f;
}

static void tear_down(fixture *f) {
  trm_arena_destroy(f->arena);
  trm_model_destroy(f->model);
}

static void evaluate(trm_system *sys, double t, const double *q, const double *v) {
  assert_true(trm_system_position(sys, t, q));
  assert_true(trm_system_linearize(sys, v));
  assert_true(trm_system_velocity(sys, v));
}

/* C of the position constraints, Φᵥ of the others */
static void residuals(trm_system *sys, double t, const double *q, const double *v, double *r) {
  double rates[ROWS];
  assert_true(trm_system_position(sys, t, q));
  trm_system_velocity_residual(sys, v, rates);
  for (int i = 0; i < ROWS; i++) r[i] = i < M ? sys->C[i] : rates[i];
}

/* Along (1, q_rate, v_rate) from the test's point, by s. */
static void move(trm_system *sys, double s, double t_rate, const double *q_rate,
                 const double *v_rate, double *r) {
  double q[N], v[N];
  for (int i = 0; i < N; i++) {
    q[i] = q0[i] + s * (q_rate ? q_rate[i] : 0);
    v[i] = v0[i] + s * (v_rate ? v_rate[i] : 0);
  }
  residuals(sys, t0 + s * t_rate, q, v, r);
}

static void check_rows(trm_system *sys) {
  const double h = 1e-5;
  double low[ROWS], high[ROWS], Cq[ROWS * N], Ct[ROWS];
  evaluate(sys, t0, q0, v0);
  memcpy(Cq, sys->Cq, sizeof Cq);
  memcpy(Ct, sys->Ct, sizeof Ct);
  for (int j = 0; j < N; j++) {
    double unit[N] = {0};
    unit[j] = 1;
    for (int i = 0; i < ROWS; i++) {
      bool position_row = i < M;
      move(sys, -h, 0, position_row ? unit : NULL, position_row ? NULL : unit, low);
      move(sys, h, 0, position_row ? unit : NULL, position_row ? NULL : unit, high);
      assert_near(Cq[i * N + j], (high[i] - low[i]) / (2 * h), 1e-8);
    }
  }
  move(sys, -h, 1, NULL, NULL, low);
  move(sys, h, 1, NULL, NULL, high);
  for (int i = 0; i < M; i++) assert_near(Ct[i], (high[i] - low[i]) / (2 * h), 1e-8);
}

/* Position rows: second derivative along (1, v); velocity rows: first. */
static void check_gamma(trm_system *sys) {
  const double h = 1e-4;
  double low[ROWS], high[ROWS], here[ROWS], Qd[ROWS];
  evaluate(sys, t0, q0, v0);
  memcpy(Qd, sys->Qd, sizeof Qd);
  move(sys, -h, 1, v0, NULL, low);
  move(sys, 0, 1, v0, NULL, here);
  move(sys, h, 1, v0, NULL, high);
  for (int i = 0; i < M; i++) assert_near(Qd[i], -(high[i] - 2 * here[i] + low[i]) / (h * h), 1e-6);
  for (int i = M; i < ROWS; i++) assert_near(Qd[i], -(high[i] - low[i]) / (2 * h), 1e-7);
}

static void jets_are_exact(void **state) {
  (void)state;
  fixture f = set_up(by_jets());
  check_rows(f.sys);
  check_gamma(f.sys);
  tear_down(&f);
}

static void formulas_are_the_same(void **state) {
  (void)state;
  loaded r = load_good(text, NULL);
  trm_diagnostics_destroy(r.diagnostics);
  fixture f = set_up(r.model), g = set_up(by_jets());
  check_rows(f.sys);
  check_gamma(f.sys);
  evaluate(f.sys, t0, q0, v0);
  evaluate(g.sys, t0, q0, v0);
  f.sys->a = g.sys->a = a0;
  for (int i = 0; i < ROWS; i++) {
    assert_near(f.sys->C[i], g.sys->C[i], 1e-15);
    assert_near(f.sys->Ct[i], g.sys->Ct[i], 1e-15);
    assert_near(f.sys->Qd[i], g.sys->Qd[i], 1e-14);
    for (int j = 0; j < N; j++) assert_near(f.sys->Cq[i * N + j], g.sys->Cq[i * N + j], 1e-15);
  }
  for (int i = 0; i < N; i++) assert_near(f.sys->Q[i], g.sys->Q[i], 1e-15);
  for (int i = 0; i < N * N; i++) assert_near(f.sys->M[i], g.sys->M[i], 1e-15);
  assert_near(trm_system_energy(f.sys), trm_system_energy(g.sys), 1e-15);
  /* Ė of a'² b + t c', by hand; no multipliers */
  double rate = 2 * v0[0] * a0[0] * q0[1] + v0[0] * v0[0] * v0[1] + v0[2] + t0 * a0[2];
  assert_near(trm_system_power(f.sys), rate, 1e-15);
  assert_near(trm_system_power(g.sys), rate, 1e-15);
  tear_down(&f);
  tear_down(&g);
}

/* --- the tangent --- */

static const double lambda0[ROWS] = {0.8, -1.4, 2.1, 0.5};

/* R = M a − Q + Cqᵀλ at a point near the test's own */
static void balance(trm_system *sys, double s, int q_slot, int v_slot, double *R) {
  double q[N], v[N];
  memcpy(q, q0, sizeof q);
  memcpy(v, v0, sizeof v);
  if (q_slot >= 0) q[q_slot] += s;
  if (v_slot >= 0) v[v_slot] += s;
  evaluate(sys, t0, q, v);
  trm_mass_times(&sys->structure, sys->M, a0, R);
  trm_axpy(N, -1, sys->Q, R);
  trm_jacobian_transposed_add(&sys->structure, sys->Cq, 1, lambda0, R);
}

static void check_tangent(trm_system *sys, double tolerance) {
  const double h = 1e-5;
  double K[N * N], D[N * N], low[N], high[N], slope[ROWS * N];
  trm_tangent *tangent = trm_tangent_create(sys, sys->arena);
  evaluate(sys, t0, q0, v0);
  assert_true(trm_system_tangent(sys, a0, lambda0, tangent));
  trm_system_jacobian_slope(sys, tangent, a0, slope);
  memcpy(K, tangent->K.value, sizeof K);
  memcpy(D, tangent->D.value, sizeof D);
  for (int k = 0; k < N * N; k++) assert_near(tangent->M[k], sys->M[k], 0);
  for (int j = 0; j < N; j++)
    for (int level = 0; level < 2; level++) {
      balance(sys, -h, level ? -1 : j, level ? j : -1, low);
      balance(sys, h, level ? -1 : j, level ? j : -1, high);
      for (int i = 0; i < N; i++)
        assert_near((level ? D : K)[i * N + j], (high[i] - low[i]) / (2 * h), tolerance);
    }
  for (int j = 0; j < N; j++) {
    double R[N], Ca[2][ROWS];
    for (int side = 0; side < 2; side++) {
      balance(sys, side ? h : -h, j, -1, R);
      trm_jacobian_times(&sys->structure, sys->Cq, a0, Ca[side]);
    }
    for (int i = 0; i < ROWS; i++)
      assert_near(slope[i * N + j], (Ca[1][i] - Ca[0][i]) / (2 * h), tolerance);
  }
}

static void position_value(void *context, double t, const double *q, double *phi) {
  trm_jet jets[N], out[M];
  for (int i = 0; i < N; i++) jets[i] = trm_jet_constant(q[i]);
  position(context, trm_jet_constant(t), jets, out);
  for (int i = 0; i < M; i++) phi[i] = out[i].f;
}

static void position_jacobian(void *context, double t, const double *q, double *Cq, double *Ct) {
  trm_jet jets[N], out[M];
  for (int i = 0; i < N; i++) jets[i] = trm_jet_constant(q[i]);
  for (int j = 0; j < N; j++) {
    jets[j].d = 1;
    position(context, trm_jet_constant(t), jets, out);
    jets[j].d = 0;
    for (int i = 0; i < M; i++) Cq[i * N + j] = out[i].d;
  }
  position(context, (trm_jet){t, 1, 0}, jets, out);
  for (int i = 0; i < M; i++) Ct[i] = out[i].d;
}

static void position_gamma(void *context, double t, const double *q, const double *v, double *gam) {
  trm_jet jets[N], out[M];
  for (int i = 0; i < N; i++) jets[i] = (trm_jet){q[i], v[i], 0};
  position(context, (trm_jet){t, 1, 0}, jets, out);
  for (int i = 0; i < M; i++) gam[i] = -out[i].dd;
}

static void tangents(void **state) {
  (void)state;
  loaded r = load_good(text, NULL);
  trm_diagnostics_destroy(r.diagnostics);
  fixture f = set_up(r.model), g = set_up(by_jets());
  check_tangent(f.sys, 1e-8);
  check_tangent(g.sys, 1e-7);
  tear_down(&f);
  tear_down(&g);
  trm_system_def def = trm_default_system();
  def.coordinates = N;
  def.position_constraints = M;
  def.velocity_constraints = P;
  def.q = q0;
  def.mass = mass;
  def.force = force;
  def.position = position_value;
  def.position_jacobian = position_jacobian;
  def.position_gamma = position_gamma;
  def.velocity_jet = velocity;
  trm_model *model = trm_model_create_system(&def);
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  fixture plain = set_up(model);
  check_rows(plain.sys);
  check_gamma(plain.sys);
  check_tangent(plain.sys, 1e-7);
  tear_down(&plain);
}

/* T = vᵀMv/2, and no velocity of the last stage may hide in it. */
static void kinetic_energy(void **state) {
  (void)state;
  fixture f = set_up(by_jets());
  const double v[N] = {1, 2, 3};
  assert_true(trm_system_position(f.sys, 0, q0));
  trm_system_take_velocity(f.sys, v);
  double T = (2 + sin(1.3)) / 2 + 3 * 4 / 2.0 + 9 / 2.0 + 0.3 * 0.9 * 2;
  assert_near(trm_system_kinetic(f.sys), T, 1e-14);
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jets_are_exact),
      cmocka_unit_test(formulas_are_the_same),
      cmocka_unit_test(tangents),
      cmocka_unit_test(kinetic_energy),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
