/* Tops and gyroscopes: steady precession in closed form, nutation against the reduced equations;
 * the flyball governor against its reference. */
#include "space_run.h"

static const double pi = 3.14159265358979323846, g = 9.81;

/* --- Lagrange's top --- */

enum { THETA, THETA_RATE, PHI, TOP_STATES };

/* Both reduce to B θ'' = sin θ (D cos θ φ'² − L3 φ' + mgl),
 * φ' = (Lz − L3 cos θ)/(E + F sin²θ). */
enum { TOP_B, TOP_D, TOP_E, TOP_F, TOP_L3, TOP_LZ, TOP_MGL, TOP_CONSTANTS };

static double precession(const double *k, const double *y) {
  double s = sin(y[THETA]), c = cos(y[THETA]);
  return (k[TOP_LZ] - k[TOP_L3] * c) / (k[TOP_E] + k[TOP_F] * s * s);
}

static void top_rates(const double *k, const double *y, double *dy) {
  double s = sin(y[THETA]), c = cos(y[THETA]), p = precession(k, y);
  dy[THETA] = y[THETA_RATE];
  dy[THETA_RATE] = s * (k[TOP_D] * c * p * p - k[TOP_L3] * p + k[TOP_MGL]) / k[TOP_B];
  dy[PHI] = p;
}

/* The shipped top, with precession p at the start. */
static const double top_m = 0.4, top_l = 0.08, top_r = 0.06, top_spin = 120;
static const double top_theta = 40 * pi / 180;

static void top_start(double p, double *k, double *y) {
  double A = top_m * (top_r * top_r / 4 + top_l * top_l), C = top_m * top_r * top_r / 2;
  double s = sin(top_theta), c = cos(top_theta);
  k[TOP_B] = k[TOP_D] = k[TOP_F] = A;
  k[TOP_E] = 0;
  k[TOP_L3] = C * (top_spin + p * c);
  k[TOP_LZ] = A * s * s * p + k[TOP_L3] * c;
  k[TOP_MGL] = top_m * g * top_l;
  y[THETA] = top_theta, y[THETA_RATE] = 0, y[PHI] = 0;
}

/* The axis is (sin φ sin θ, −cos φ sin θ, cos θ). */
static void check_axis(const trm_results *results, int row, const char *point, double length,
                       const double *y, double tolerance) {
  static const char *const xyz[3] = {"x", "y", "z"};
  double s = sin(y[THETA]), axis[3] = {sin(y[PHI]) * s, -cos(y[PHI]) * s, cos(y[THETA])};
  char name[32];
  for (int i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "%s.%s", point, xyz[i]);
    assert_near(space_value(results, row, name), length * axis[i], tolerance);
  }
}

/* Along its own axis; the product of inertia with spin follows from the angular momentum. */
static void check_momenta(const trm_results *results, int row, const double *k, const double *y) {
  double s = sin(y[THETA]), axis[3] = {sin(y[PHI]) * s, -cos(y[PHI]) * s, cos(y[THETA])};
  double L3 = axis[0] * space_value(results, row, "momentum.lx") +
              axis[1] * space_value(results, row, "momentum.ly") +
              axis[2] * space_value(results, row, "momentum.lz");
  assert_near(space_value(results, row, "momentum.lz"), k[TOP_LZ], 1e-10);
  assert_near(L3, k[TOP_L3], 1e-9);
}

static void nutating_top(void **state) {
  (void)state;
  trm_model *model = run_load("models/heavy_top.yaml");
  for (int c = 0; c < SPACE_COMBINATIONS; c++) {
    double k[TOP_CONSTANTS], y[TOP_STATES], lowest = 0;
    top_start(0, k, y);
    trm_settings settings = space_settings(model, c);
    settings.duration = RUN_STRIDE > 1 ? 0.5 : 2;
    trm_summary summary;
    trm_results *results = space_run(model, &settings, &summary);
    for (int i = 0; i < trm_results_rows(results); i++) {
      check_axis(results, i, "top.G", top_l, y, 1e-8);
      check_momenta(results, i, k, y);
      lowest = larger(lowest, y[THETA]);
      for (int s = 0; s < 100; s++) space_rk4(top_rates, k, TOP_STATES, 1e-4, y);
    }
    assert_true(lowest - top_theta > 0.1); /* radians: it does nutate */
    assert_int_equal(summary.degrees_of_freedom, 3);
    assert_true(summary.max_energy_error <= 1e-9);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* (A − C) cos θ p² − C spin p + mgl = 0, the slow root; the fixed point carries the weight and
 * draws the centre of mass towards the vertical. */
static void precessing_top(void **state) {
  (void)state;
  double k[TOP_CONSTANTS], y[TOP_STATES], C = top_m * top_r * top_r / 2;
  top_start(0, k, y);
  double a = (k[TOP_B] - C) * cos(top_theta), b = C * top_spin;
  double p = (b - sqrt(b * b - 4 * a * k[TOP_MGL])) / (2 * a);
  char text[40];
  snprintf(text, sizeof text, "phidot=%.17g", p);
  const char *const overrides[] = {text, NULL};
  trm_model *model = space_load("models/heavy_top.yaml", overrides);
  for (int c = 0; c < SPACE_COMBINATIONS; c++) {
    trm_settings settings = space_settings(model, c);
    settings.duration = 0.5;
    trm_summary summary;
    trm_results *results = space_run(model, &settings, &summary);
    for (int i = 0; i < trm_results_rows(results); i++) {
      y[PHI] = p * space_value(results, i, "t");
      double inwards = top_m * top_l * sin(top_theta) * p * p;
      check_axis(results, i, "top.G", top_l, y, 1e-9);
      assert_near(space_value(results, i, "O.fx"), -inwards * sin(y[PHI]), 1e-7);
      assert_near(space_value(results, i, "O.fy"), inwards * cos(y[PHI]), 1e-7);
      assert_near(space_value(results, i, "O.fz"), top_m * g, 1e-7);
    }
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* --- gyroscope in gimbals --- */

static const double gyro_w3 = 100, gyro_theta = 60 * pi / 180;

/* The slow precession of the closed condition. */
static double gyro_start(double kick, double *k, double *y) {
  const double mr = 1.2, r = 0.08, mi = 0.2, ri = 0.1, mw = 0.15, l = 0.1, mo = 0.3, ro = 0.12;
  double A = mr * r * r / 4, L3 = mr * r * r / 2 * gyro_w3, Jz = mi * ri * ri / 2;
  double Jx = Jz + mw * l * l, Jy = mi * ri * ri + mw * l * l, Oz = mo * ro * ro / 2;
  double c = cos(gyro_theta), s = sin(gyro_theta), J = (A + Jy - Jz) * c;
  double p = (L3 - sqrt(L3 * L3 - 4 * J * mw * g * l)) / (2 * J);
  k[TOP_B] = A + Jx;
  k[TOP_D] = k[TOP_F] = A + Jy - Jz;
  k[TOP_E] = Oz + Jz;
  k[TOP_L3] = L3;
  k[TOP_LZ] = (k[TOP_E] + k[TOP_F] * s * s) * p + L3 * c;
  k[TOP_MGL] = mw * g * l;
  y[THETA] = gyro_theta, y[THETA_RATE] = kick, y[PHI] = 0;
  return p;
}

static void check_gyroscope(const trm_results *results, int row, const double *k, const double *y) {
  double p = precession(k, y);
  assert_near(space_value(results, row, "vertical.angle"), y[PHI], 1e-8);
  assert_near(space_value(results, row, "hinge.angle"), y[THETA] - gyro_theta, 1e-8);
  assert_near(space_value(results, row, "vertical.rate"), p, 1e-7);
  assert_near(space_value(results, row, "hinge.rate"), y[THETA_RATE], 1e-7);
  assert_near(space_value(results, row, "axle.rate"), gyro_w3 - p * cos(y[THETA]), 1e-7);
  assert_near(space_value(results, row, "momentum.lz"), k[TOP_LZ], 1e-9);
  check_axis(results, row, "inner.tip", 0.1, y, 1e-8);
}

static void run_gyroscope(double kick) {
  char text[40];
  snprintf(text, sizeof text, "kick=%.17g", kick);
  const char *const overrides[] = {text, NULL};
  trm_model *model = space_load("models/gyroscope.yaml", overrides);
  for (int c = 0; c < SPACE_COMBINATIONS; c++) {
    double k[TOP_CONSTANTS], y[TOP_STATES], p = gyro_start(kick, k, y);
    trm_settings settings = space_settings(model, c);
    settings.duration = RUN_STRIDE > 1 ? 0.1 : 0.5;
    trm_summary summary;
    trm_results *results = space_run(model, &settings, &summary);
    for (int i = 0; i < trm_results_rows(results); i++) {
      check_gyroscope(results, i, k, y);
      if (kick == 0) assert_near(space_value(results, i, "vertical.rate"), p, 1e-8);
      for (int s = 0; s < 100; s++) space_rk4(top_rates, k, TOP_STATES, 1e-4, y);
    }
    assert_int_equal(summary.degrees_of_freedom, 3);
    assert_true(summary.max_energy_error <= 1e-8);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

static void precessing_gyroscope(void **state) {
  (void)state;
  run_gyroscope(0);
}

static void nutating_gyroscope(void **state) {
  (void)state;
  run_gyroscope(3);
}

/* --- flyball governor, 004 ex. 4: stiff; the whole of it is a long test --- */

static void flyball_governor(void **state) {
  (void)state;
  trm_model *model = run_load("models/flyball_governor.yaml");
  trm_results *reference = run_reference("models/reference/flyball_governor.csv");
  for (int c = 0; c < SPACE_COMBINATIONS; c++) {
    trm_settings settings = space_settings(model, c);
    settings.step = 5e-5;
    settings.duration = c < SPACE_FORMULATIONS && RUN_STRIDE == 1 ? 0.5 : 0.1;
    trm_summary summary;
    trm_results *results = space_run(model, &settings, &summary);
    assert_true(run_difference(results, reference, settings.duration) <= 1e-8);
    assert_int_equal(summary.degrees_of_freedom, 4);
    assert_true(summary.max_energy_error <= 1e-7);
    int last = trm_results_rows(results) - 1; /* free about z: its momentum stays */
    assert_near(space_value(results, last, "momentum.lz"), space_value(results, 0, "momentum.lz"),
                1e-9);
    trm_results_destroy(results);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* A free ball about z: q = (cos ωt/2, 0, 0, sin ωt/2), which a sign that starts anew at every row
 * would not be. */
static void quaternion_is_continuous(void **state) {
  (void)state;
  static const char *const integrators[] = {"rk4", "dopri5", "dop853"};
  const double omega = 3;
  trm_model *model = trm_model_create(TRM_SPATIAL);
  trm_body_def ball = trm_default_body();
  ball.name = "ball";
  ball.mass = 1;
  for (int i = 0; i < 3; i++) ball.inertia[i] = 1;
  ball.angular_velocity_given = true;
  ball.angular_velocity[2] = omega;
  trm_model_add_body(model, &ball);
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  for (int c = 0; c < 3 * SPACE_FORMULATIONS; c++) {
    trm_settings settings = trm_default_settings();
    settings.coordinates = space_formulations[c % 2];
    settings.integrator = integrators[c / 2];
    settings.duration = 10;
    settings.step = settings.output_step = 0.01;
    settings.rtol = 1e-8;
    if (c / 2) settings.step = TRM_UNSET; /* several rows within a step */
    trm_summary summary;
    trm_results *results = space_run(model, &settings, &summary);
    for (int row = 0; row < trm_results_rows(results); row++) {
      double half = omega * trm_results_get(results, row, 0) / 2;
      assert_near(space_value(results, row, "ball.qw"), cos(half), 1e-5);
      assert_near(space_value(results, row, "ball.qz"), sin(half), 1e-5);
    }
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nutating_top),         cmocka_unit_test(precessing_top),
      cmocka_unit_test(precessing_gyroscope), cmocka_unit_test(nutating_gyroscope),
      cmocka_unit_test(flyball_governor),     cmocka_unit_test(quaternion_is_continuous),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
