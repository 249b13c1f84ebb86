/* What a correction moves: a rod on a pin, put off its constraints and brought back. In angle
 * coordinates q = (x, y, θ) everything is known in closed form. */
#include "../run.h"

enum { N = 3, SIZE = 2 * N + 1 };

static const double mass = 2, inertia = 0.3, half = 0.5, angle = 0.7, rate = 1.3;

static trm_model *create_rod(void) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_body_def body = trm_default_body();
  body.name = "rod";
  body.mass = mass;
  body.inertia[2] = inertia;
  body.position[0] = half * cos(angle);
  body.position[1] = half * sin(angle);
  body.angle = angle;
  trm_model_add_body(model, &body);
  trm_model_add_point(model, "rod", "A", (double[3]){-half, 0, 0});
  trm_joint_def pin = trm_default_joint();
  pin.name = "pin";
  pin.connect[0] = "ground";
  pin.connect[1] = "rod.A";
  trm_model_add_joint(model, &pin);
  trm_model_add_initial(model, "rod.omega", rate);
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  return model;
}

static trm_simulation *simulate(const trm_model *model, const char *stabilization,
                                const char *weighting, const char *linear) {
  trm_settings settings = trm_default_settings();
  settings.coordinates = "angle";
  settings.stabilization = stabilization;
  settings.weighting = weighting;
  settings.linear = linear;
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  assert_int_equal(trm_simulation_state_size(sim), SIZE);
  return sim;
}

/* How far A is from the origin, and how fast it moves. */
static double open_by(const double *y) {
  return hypot(y[0] - half * cos(y[2]), y[1] - half * sin(y[2]));
}

static double slips_by(const double *y) {
  return hypot(y[3] + half * sin(y[2]) * y[5], y[4] - half * cos(y[2]) * y[5]);
}

/* Sets a state that is off by `off` in every coordinate and velocity; what it moved back by. */
static void correct(trm_simulation *sim, double off, double *moved, double *after) {
  double before[SIZE], t;
  trm_simulation_get_state(sim, &t, before);
  const double directions[2 * N] = {0.8, -0.5, 0.6, -0.3, 0.9, 0.4};
  for (int i = 0; i < 2 * N; i++) before[i] += off * directions[i];
  assert_true(open_by(before) > 0.1 * off && slips_by(before) > 0.1 * off);
  assert_int_equal(trm_simulation_set_state(sim, t, before, NULL), TRM_OK);
  trm_simulation_get_state(sim, &t, after);
  for (int i = 0; i < 2 * N; i++) moved[i] = after[i] - before[i];
  assert_true(open_by(after) <= 1e-10 && slips_by(after) <= 1e-14); /* the tolerance; exactly */
}

/* Direct correction is the smallest change, in the mass norm or in the plain one: across the motion
 * (−½ sin θ, ½ cos θ, 1), but for the square of what it moves. */
static void direct_moves_across(void **state) {
  (void)state;
  trm_model *model = create_rod();
  static const char *const weightings[] = {"mass", "none"};
  for (int w = 0; w < 2; w++) {
    const double off = 1e-5, weight[N] = {w ? 1 : mass, w ? 1 : mass, w ? 1 : inertia};
    trm_simulation *sim = simulate(model, "direct", weightings[w], "auto");
    double moved[2 * N], y[SIZE];
    correct(sim, off, moved, y);
    const double motion[N] = {-half * sin(y[2]), half * cos(y[2]), 1};
    double along = 0, speed = 0;
    for (int i = 0; i < N; i++) {
      along += motion[i] * weight[i] * moved[i];
      speed += motion[i] * weight[i] * moved[N + i];
    }
    assert_true(fabs(along) <= 10 * off * off);
    assert_true(fabs(speed) <= 1e-14); /* velocities: exactly */
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

/* Partitioning leaves the independent coordinate and its velocity as they are, to the last bit. */
static void partition_moves_the_dependent(void **state) {
  (void)state;
  trm_model *model = create_rod();
  static const char *const matrices[] = {"dense", "sparse"};
  for (int k = 0; k < 2; k++) {
    trm_simulation *sim = simulate(model, "partition", "mass", matrices[k]);
    double moved[2 * N], y[SIZE];
    int kept = 0;
    correct(sim, 1e-5, moved, y);
    for (int i = 0; i < N; i++) kept += moved[i] == 0 && moved[N + i] == 0;
    assert_int_equal(kept, 1);
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

/* Without a correction, and where it is in the rates, a state stays as it is set. */
static void others_do_not_move(void **state) {
  (void)state;
  trm_model *model = create_rod();
  static const char *const stabilizations[] = {"none", "baumgarte", "embedded"};
  for (int k = 0; k < 3; k++) {
    trm_simulation *sim = simulate(model, stabilizations[k], "mass", "auto");
    double y[SIZE], after[SIZE], t;
    trm_simulation_get_state(sim, &t, y);
    for (int i = 0; i < 2 * N; i++) y[i] += 1e-5;
    assert_int_equal(trm_simulation_set_state(sim, t, y, NULL), TRM_OK);
    trm_simulation_get_state(sim, &t, after);
    assert_memory_equal(y, after, sizeof y);
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(direct_moves_across),
      cmocka_unit_test(partition_moves_the_dependent),
      cmocka_unit_test(others_do_not_move),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
