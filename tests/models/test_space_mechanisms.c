/* Mechanisms in space against the solutions named in their files, in both formulations, with every
 * solver and both corrections. */
#include "../run.h"
#include "jet.h"

#define COMBINATIONS 12
#define G            9.81
static const double pi = 3.14159265358979323846;

static trm_settings settings_of(const trm_model *model, int combination) {
  static const char *const formulations[2] = {"natural", "euler-parameters"};
  trm_settings settings = *trm_model_settings(model);
  settings.coordinates = formulations[combination % 2];
  settings.stabilization = combination / 2 % 2 ? "partition" : "direct";
  settings.solver = run_solvers[combination / 4];
  return settings;
}

static double value_at(const trm_results *results, int row, const char *name) {
  int column = trm_results_find(results, name);
  if (column < 0) fail_msg("column %s is missing", name);
  return trm_results_get(results, row, column);
}

static trm_results *run_within(const trm_model *model, const trm_settings *settings,
                               double energy_error, int freedoms, int redundant) {
  trm_summary summary;
  trm_results *results = run_model(model, settings, &summary);
  print_message("%-28s %-16s %-22s %-9s energy %.1e J  violations %.1e %.1e\n",
                trm_model_name(model), settings->coordinates, settings->solver,
                settings->stabilization, summary.max_energy_error, summary.max_position_violation,
                summary.max_velocity_violation);
  assert_true(summary.max_position_violation <= 1e-12);
  assert_true(summary.max_velocity_violation <= 1e-12);
  assert_true(summary.max_energy_error <= energy_error);
  assert_int_equal(summary.degrees_of_freedom, freedoms);
  assert_int_equal(summary.redundant_constraints, redundant);
  return results;
}

/* models/spherical_pendulum.yaml */

typedef struct {
  double theta, rate, phi;
} swing;

static swing swing_rates(swing s) {
  const double m = 2.3, a = (2 * 1 + 0.3 * 0.5) / m, start = 2 * sin(pi / 3) * sin(pi / 3);
  const double I = 0.4 * 2 * 0.08 * 0.08 + 2 + 0.3 / 3; /* about the pivot */
  double sine = sin(s.theta), round = start / (sine * sine);
  return (swing){s.rate, round * round * sine * cos(s.theta) - m * G * a / I * sine, round};
}

static swing swing_along(swing s, double h, swing k) {
  return (swing){s.theta + h * k.theta, s.rate + h * k.rate, s.phi + h * k.phi};
}

static swing swing_step(swing s, double h) {
  swing k1 = swing_rates(s), k2 = swing_rates(swing_along(s, h / 2, k1));
  swing k3 = swing_rates(swing_along(s, h / 2, k2)), k4 = swing_rates(swing_along(s, h, k3));
  s = swing_along(swing_along(s, h / 6, k1), h / 6, k4);
  return swing_along(swing_along(s, h / 3, k2), h / 3, k3);
}

static void check_spherical_pendulum(const trm_results *results) {
  swing s = {pi / 3, 0, 0};
  for (int row = 0; row < trm_results_rows(results); row++) {
    assert_near(value_at(results, row, "ball.B.x"), sin(s.theta) * cos(s.phi), 1e-8);
    assert_near(value_at(results, row, "ball.B.y"), sin(s.theta) * sin(s.phi), 1e-8);
    assert_near(value_at(results, row, "ball.B.z"), -cos(s.theta), 1e-8);
    assert_near(value_at(results, row, "momentum.lz"), value_at(results, 0, "momentum.lz"), 1e-9);
    assert_near(value_at(results, row, "A.tx"), 0, 1e-12);
    for (int i = 0; i < 20; i++) s = swing_step(s, 1e-2 / 20);
  }
  assert_true(s.phi > 2 * pi); /* once round at least */
}

static void spherical_pendulum(void **state) {
  (void)state;
  trm_model *model = run_load("models/spherical_pendulum.yaml");
  for (int c = 0; c < COMBINATIONS; c += RUN_STRIDE) {
    trm_settings settings = settings_of(model, c);
    trm_results *results = run_within(model, &settings, 1e-8, 3, 0);
    check_spherical_pendulum(results);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* models/spatial_slider_crank.yaml */

static const double crank = 0.08, rod = 0.3;

typedef struct {
  jet theta, yB, zB, s;
} slider_crank_motion;

static slider_crank_motion slider_crank_at(jet theta) {
  slider_crank_motion m = {.theta = theta};
  m.yB = jet_add(jet_of(0.1), jet_scale(crank, jet_cos(theta)));
  m.zB = jet_add(jet_of(0.12), jet_scale(crank, jet_sin(theta)));
  jet across = jet_add(jet_mul(m.yB, m.yB), jet_mul(m.zB, m.zB));
  m.s = jet_sqrt(jet_sub(jet_of(rod * rod), across));
  return m;
}

/* Per unit speed of the crank. The rod's centre is the mean of its ends, a slender rod's inertia
 * m/6 (2 B·B' + B·C' + C·B' + 2 C·C'). */
static double slider_crank_effort(const slider_crank_motion *m, const slider_crank_motion *unit) {
  const double m_crank = 0.5, m_rod = 0.6, m_slider = 2, load = 20;
  double I = 4e-4 + m_crank * crank * crank / 4;
  double power = I * m->theta.a + m_crank * G * unit->zB.v / 2 + m_rod * G * unit->zB.v / 2;
  power += m_rod / 3 * (m->yB.a * unit->yB.v + m->zB.a * unit->zB.v + m->s.a * unit->s.v);
  return power + (m_slider * m->s.a + load * m->s.v) * unit->s.v;
}

static void check_slider_crank(const trm_results *results) {
  double w = 2 * pi, ripple = 0.2;
  for (int row = 0; row < trm_results_rows(results); row++) {
    double t = trm_results_get(results, row, 0);
    jet theta = {pi / 6 + w * t - ripple * sin(w * t), w - ripple * w * cos(w * t),
                 ripple * w * w * sin(w * t)};
    slider_crank_motion m = slider_crank_at(theta), unit = slider_crank_at((jet){theta.x, 1, 0});
    double effort = slider_crank_effort(&m, &unit);
    assert_near(value_at(results, row, "slider.x"), m.s.x, 1e-10);
    assert_near(value_at(results, row, "slider.vx"), m.s.v, 1e-9);
    assert_near(value_at(results, row, "slider.ax"), m.s.a, 1e-8);
    assert_near(value_at(results, row, "rod.B.y"), m.yB.x, 1e-10);
    assert_near(value_at(results, row, "rod.B.az"), m.zB.a, 1e-8);
    assert_near(value_at(results, row, "drive.effort"), effort, 1e-8);
  }
}

static void spatial_slider_crank(void **state) {
  (void)state;
  trm_model *model = run_load("models/spatial_slider_crank.yaml");
  for (int c = 0; c < COMBINATIONS; c += RUN_STRIDE) {
    trm_settings settings = settings_of(model, c);
    settings.step = 2e-3;
    settings.duration = 1;
    trm_results *results = run_within(model, &settings, 1e-6, 0, 0);
    check_slider_crank(results);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* models/screw_press.yaml */

static void check_screw_press(const trm_results *results) {
  const double k = 0.04 / (2 * pi), m = 120 + 80, mass = 8 / (k * k) + m, K = 2e7;
  double w = sqrt(K / mass), rest = -m * G / K, B = -k * 4 * pi / w;
  for (int row = 0; row < trm_results_rows(results); row++) {
    double t = trm_results_get(results, row, 0);
    double s = rest - rest * cos(w * t) + B * sin(w * t);
    double v = rest * w * sin(w * t) + B * w * cos(w * t), a = -w * w * (s - rest);
    assert_near(value_at(results, row, "guide.displacement"), s, 1e-12);
    assert_near(value_at(results, row, "nut.angle"), s / k, 1e-9);
    assert_near(value_at(results, row, "spindle.wz"), v / k, 1e-8);
    assert_near(value_at(results, row, "work.force"), K * s, 1e-4);
    assert_near(value_at(results, row, "thrust.fz"), 80 * (a + G) + K * s, 1e-4);
    /* the nut turns the flywheel back, with the spindle's weight and thrust on the thread */
    assert_near(value_at(results, row, "nut.tz"), 8 * a / k, 1e-6);
    assert_near(value_at(results, row, "nut.fz"), (120 + 80) * (a + G) + K * s, 1e-4);
    assert_near(value_at(results, row, "nut.effort"), value_at(results, row, "nut.fz"), 1e-6);
  }
}

static void screw_press(void **state) {
  (void)state;
  trm_model *model = run_load("models/screw_press.yaml");
  for (int c = 0; c < COMBINATIONS; c += RUN_STRIDE) {
    trm_settings settings = settings_of(model, c);
    trm_results *results = run_within(model, &settings, 1e-7, 1, 0);
    check_screw_press(results);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* models/hookes_joint.yaml */

static jet second_shaft(jet a) {
  return jet_atan2(jet_scale(cos(2 * pi / 9), jet_sin(a)), jet_cos(a));
}

static void check_hookes_joint(const trm_results *results) {
  const double I2 = 0.05, load = 0.1;
  double slowest = INFINITY, fastest = 0;
  for (int row = 0; row < trm_results_rows(results); row++) {
    jet a = {2 * pi * trm_results_get(results, row, 0), 2 * pi, 0};
    jet b = second_shaft(a), unit = second_shaft((jet){a.x, 1, 0});
    double angle = value_at(results, row, "B.angle");
    assert_near(remainder(angle - b.x, 2 * pi), 0, 1e-10);
    assert_true(fabs(angle - a.x) < 0.2); /* counted over turns */
    assert_near(value_at(results, row, "B.rate"), b.v, 1e-9);
    assert_near(value_at(results, row, "drive.effort"), (I2 * b.a + load * b.v) * unit.v, 1e-8);
    slowest = smaller(slowest, value_at(results, row, "B.rate"));
    fastest = larger(fastest, value_at(results, row, "B.rate"));
  }
  assert_near(slowest, 2 * pi * cos(2 * pi / 9), 1e-9);
  assert_near(fastest, 2 * pi / cos(2 * pi / 9), 1e-9);
}

static void hookes_joint(void **state) {
  (void)state;
  trm_model *model = run_load("models/hookes_joint.yaml");
  for (int c = 0; c < COMBINATIONS; c += RUN_STRIDE) {
    trm_settings settings = settings_of(model, c);
    settings.step = 5e-3;
    trm_results *results = run_within(model, &settings, 1e-5, 0, 3);
    check_hookes_joint(results);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* models/n_four_bar_spatial.yaml: through a singular configuration on the plane's branch. */
static void n_four_bar_spatial(void **state) {
  (void)state;
  trm_model *model = run_load("models/n_four_bar_spatial.yaml");
  trm_results *reference = run_reference("models/reference/double_four_bar.csv");
  for (int c = 0; c < COMBINATIONS; c += RUN_STRIDE) {
    trm_settings settings = settings_of(model, c);
    bool part = c / 2 % 2;
    settings.step = 5e-3;
    settings.duration = 1;
    trm_results *results = run_within(model, &settings, part ? 1e-3 : 1e-5, 1, 6);
    assert_true(run_difference(results, reference, 1) <= (part ? 1e-3 : 1e-6));
    for (int row = 0; row < trm_results_rows(results); row++) {
      assert_near(value_at(results, row, "post1.B.z"), 0, 1e-12);
      assert_near(value_at(results, row, "coupler1.qw"), 1, 1e-6);
    }
    trm_results_destroy(results);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* 001, Table 2: natural and Euler parameters, augmented and Udwadia-Kalaba, both corrections. */
static void check_triple_pendulum(const trm_model *model, const trm_settings *settings,
                                  const trm_results *reference, double energy_error) {
  static const char *const tip[3] = {"three.D.x", "three.D.y", "three.D.z"};
  trm_results *results = run_within(model, settings, energy_error, 9, 0);
  int last = trm_results_rows(results) - 1;
  assert_near(value_at(results, last, "t"), 5, 1e-12);
  assert_near(value_at(reference, 50, "t"), 5, 1e-12);
  for (int k = 0; k < 3; k++)
    assert_near(value_at(results, last, tip[k]), value_at(reference, 50, tip[k]), 1e-4);
  trm_results_destroy(results);
}

/* The energy error is AB4's own: a sixteenth at half the step. */
static void triple_pendulum(void **state) {
  (void)state;
  trm_model *model = run_load("models/triple_pendulum.yaml");
  trm_results *reference = run_reference("models/reference/triple_pendulum.csv");
  for (int c = 4; c < COMBINATIONS; c += RUN_STRIDE) { /* all but plain Udwadia-Kalaba */
    trm_settings settings = settings_of(model, c);
    assert_string_equal(settings.integrator, "ab4");
    assert_near(settings.step, 1e-3, 0);
    settings.duration = 5;
    check_triple_pendulum(model, &settings, reference, 4e-3);
    if (c > 4) continue;
    settings.step = 5e-4;
    check_triple_pendulum(model, &settings, reference, 4e-3 / 16);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* IFToMM A04. */
static void check_bricard(const trm_model *model, const trm_settings *settings,
                          const trm_results *reference) {
  trm_results *results = run_within(model, settings, 1e-6, 1, 1);
  assert_string_equal(settings->integrator, "ab6");
  assert_true(run_difference(results, reference, settings->duration) <= 1e-7);
  double E0 = value_at(results, 0, "energy.total");
  for (int row = 0; row < trm_results_rows(results); row++)
    assert_near(value_at(results, row, "energy.total"), E0, 1e-6);
  trm_results_destroy(results);
}

/* The model's own step with the fastest solver, ten times that with the others. */
static void bricard(void **state) {
  (void)state;
  trm_model *model = run_load("models/bricard.yaml");
  trm_results *reference = run_reference("models/reference/bricard.csv");
  for (int c = 0; c < COMBINATIONS; c += RUN_STRIDE) {
    trm_settings settings = settings_of(model, c);
    assert_near(settings.step, 1e-3, 0);
    if (c > 1) settings.step = 1e-2;
    if (c / 2 % 2) settings.duration = 2;
    check_bricard(model, &settings, reference);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spherical_pendulum),
      cmocka_unit_test(spatial_slider_crank),
      cmocka_unit_test(screw_press),
      cmocka_unit_test(hookes_joint),
      cmocka_unit_test(n_four_bar_spatial),
      cmocka_unit_test(triple_pendulum),
      cmocka_unit_test(bricard),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
