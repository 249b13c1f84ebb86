/* Systems of the user's own in motion: every method against exact solutions, assembly, work,
 * failures. */
#include "../run.h"

static const double m = 1, g = 9.81, L = 1;

/* --- the pendulum, released at (1, 0) --- */

static void pendulum_mass(void *context, double t, const double *q, double *M) {
  (void)context, (void)t, (void)q;
  M[0] = M[3] = m;
  M[1] = M[2] = 0;
}

static void pendulum_force(void *context, double t, const double *q, const double *v, double *Q) {
  double c = context ? *(const double *)context : 0; /* damping */
  (void)t, (void)q;
  Q[0] = -c * v[0];
  Q[1] = -m * g - c * v[1];
}

static void rod(void *context, trm_jet t, const trm_jet *q, trm_jet *phi) {
  (void)context, (void)t;
  trm_jet square = trm_jet_add(trm_jet_square(q[0]), trm_jet_square(q[1]));
  phi[0] = trm_jet_scale(trm_jet_shift(square, -L * L), 1 / (2 * L));
}

static void rod_value(void *context, double t, const double *q, double *phi) {
  (void)context, (void)t;
  phi[0] = (q[0] * q[0] + q[1] * q[1] - L * L) / (2 * L);
}

static void rod_jacobian(void *context, double t, const double *q, double *Cq, double *Ct) {
  (void)context, (void)t;
  Cq[0] = q[0] / L;
  Cq[1] = q[1] / L;
  Ct[0] = 0;
}

static void rod_gamma(void *context, double t, const double *q, const double *v, double *gamma) {
  (void)context, (void)t, (void)q;
  gamma[0] = -(v[0] * v[0] + v[1] * v[1]) / L;
}

static double pendulum_energy(void *context, double t, const double *q, const double *v) {
  (void)context, (void)t;
  return m * (v[0] * v[0] + v[1] * v[1]) / 2 + m * g * q[1];
}

static double damper_power(void *context, double t, const double *q, const double *v) {
  (void)t, (void)q;
  return -*(const double *)context * (v[0] * v[0] + v[1] * v[1]);
}

static trm_jet pendulum_energy_jet(void *context, trm_jet t, const trm_jet *q, const trm_jet *v) {
  (void)context, (void)t;
  trm_jet square = trm_jet_add(trm_jet_square(v[0]), trm_jet_square(v[1]));
  return trm_jet_add(trm_jet_scale(square, m / 2), trm_jet_scale(q[1], m * g));
}

static trm_system_def pendulum(void) {
  static const char *const names[] = {"x", "y"};
  static const double start[] = {1, 0};
  trm_system_def def = trm_default_system();
  def.coordinates = 2;
  def.position_constraints = 1;
  def.names = names;
  def.q = start;
  def.mass = pendulum_mass;
  def.mass_constant = true;
  def.force = pendulum_force;
  def.position_jet = rod;
  def.energy = pendulum_energy;
  return def;
}

static trm_model *finish(trm_model *model) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status status = trm_model_finish(model, diagnostics);
  if (status != TRM_OK) run_print(diagnostics);
  assert_int_equal(status, TRM_OK);
  trm_diagnostics_destroy(diagnostics);
  return model;
}

static trm_model *build(const trm_system_def *def) {
  return finish(trm_model_create_system(def));
}

typedef struct order {
  const char *integrator;
  int order;
} order;

static const order orders[] = {{"euler", 1}, {"rk4", 4}, {"rk6", 6}, {"ab2", 2},    {"ab3", 3},
                               {"ab4", 4},   {"ab5", 5}, {"ab6", 6}, {"dopri5", 0}, {"dop853", 0}};
enum { ORDERS = sizeof orders / sizeof *orders };

/* (h w)^p over w T radians at speed v, with w and v those at the bottom, and a factor of ten. */
static double allowed(const order *o, const char *stabilization, double h, double T) {
  double w = sqrt(2 * g / L), v = w * L;
  double scale = o->order ? 10 * v * w * T * pow(h * w, o->order) : 1e-8; /* rtol = 1e-10 */
  /* Baumgarte's feedback makes motion of the stages' own violations */
  return larger(scale, 1e-10) + (strcmp(stabilization, "baumgarte") == 0 ? 1e-6 : 0);
}

/* Every solver × stabilization × integrator × energy against elliptic functions. */
static void every_method(void **state) {
  (void)state;
  trm_system_def def = pendulum();
  trm_model *model = build(&def);
  trm_results *reference = run_reference("models/reference/point_pendulum.csv");
  const char *stabilizations[32], *energies[32];
  int s_count = run_methods("stabilization", stabilizations);
  int e_count = run_methods("energy", energies);
  int stride = RUN_STRIDE == 1 ? 1 : RUN_SOLVERS + 1;
  for (int c = 0; c < RUN_SOLVERS * s_count * ORDERS * e_count; c += stride) {
    trm_settings settings = trm_default_settings();
    const order *o = &orders[c / (RUN_SOLVERS * s_count) % ORDERS];
    settings.solver = run_solvers[c % RUN_SOLVERS];
    settings.stabilization = stabilizations[c / RUN_SOLVERS % s_count];
    settings.integrator = o->integrator;
    settings.energy = energies[c / (RUN_SOLVERS * s_count * ORDERS)];
    settings.step = 1e-3;
    settings.duration = 2;
    settings.output_step = 0.1;
    settings.rtol = 1e-10;
    settings.atol = 1e-12;
    trm_results *results = run_model(model, &settings, NULL);
    double off = run_difference(results, reference, 2);
    if (!(off <= allowed(o, settings.stabilization, 1e-3, 2)))
      fail_msg("%s %s %s %s: off by %.3g", settings.solver, settings.stabilization, o->integrator,
               settings.energy, off);
    trm_results_destroy(results);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* Derivatives by hand, by jets, by formulas: the same steps. */
static void three_ways(void **state) {
  (void)state;
  trm_system_def def = pendulum();
  trm_model *models[3] = {build(&def)};
  def.position_jet = NULL;
  def.position = rod_value;
  def.position_jacobian = rod_jacobian;
  def.position_gamma = rod_gamma;
  def.energy = NULL;
  def.energy_jet = pendulum_energy_jet;
  models[1] = build(&def);
  models[2] = run_load("models/point_pendulum.yaml");
  trm_settings settings = trm_default_settings();
  settings.duration = 3;
  settings.step = 1e-3;
  settings.energy = "conserve";
  trm_results *runs[3];
  for (int i = 0; i < 3; i++) runs[i] = run_model(models[i], &settings, NULL);
  for (int i = 1; i < 3; i++) assert_true(run_difference(runs[i], runs[0], 3) <= 1e-11);
  for (int i = 0; i < 3; i++) {
    trm_results_destroy(runs[i]);
    trm_model_destroy(models[i]);
  }
}

/* lambda1 is the force along the rod (m q̈ = Q − Cqᵀλ): three weights at the bottom. */
static void multiplier(void **state) {
  (void)state;
  trm_model *model = run_load("models/point_pendulum.yaml");
  trm_results *results = run_model(model, NULL, NULL);
  int y = trm_results_find(results, "y"), lambda = trm_results_find(results, "lambda1");
  assert_true(y > 0 && lambda > 0);
  for (int i = 0; i < trm_results_rows(results); i++)
    assert_near(trm_results_get(results, i, lambda), -3 * m * g * trm_results_get(results, i, y),
                1e-9);
  trm_results_destroy(results);
  trm_model_destroy(model);
}

/* --- velocity constraints --- */

/* |v| = 1 under gravity: turns downwards, angle −gd(g t). The constraint is not linear. */
static void speed(void *context, trm_jet t, const trm_jet *q, const trm_jet *v, trm_jet *phi) {
  (void)context, (void)t, (void)q;
  phi[0] = trm_jet_shift(trm_jet_add(trm_jet_square(v[0]), trm_jet_square(v[1])), -1);
}

static void speed_value(void *context, double t, const double *q, const double *v, double *phi) {
  (void)context, (void)t, (void)q;
  phi[0] = v[0] * v[0] + v[1] * v[1] - 1;
}

static void speed_jacobian(void *context, double t, const double *q, const double *v, double *A) {
  (void)context, (void)t, (void)q;
  A[0] = 2 * v[0];
  A[1] = 2 * v[1];
}

static void no_gamma(void *context, double t, const double *q, const double *v, double *gamma) {
  (void)context, (void)t, (void)q, (void)v;
  gamma[0] = 0;
}

static trm_model *constant_speed(bool jets) {
  trm_system_def def = pendulum();
  def.position_constraints = 0;
  def.position_jet = NULL;
  def.energy = NULL;
  def.velocity_constraints = 1;
  def.q = (const double[]){0, 0};
  def.v = (const double[]){1, 0};
  if (jets) {
    def.velocity_jet = speed;
  } else {
    def.velocity = speed_value;
    def.velocity_jacobian = speed_jacobian;
    def.velocity_gamma = no_gamma;
  }
  return build(&def);
}

static void nonlinear(void **state) {
  (void)state;
  const char *stabilizations[32];
  int count = run_methods("stabilization", stabilizations);
  for (int c = 0; c < RUN_SOLVERS * count; c++) {
    trm_model *model = constant_speed(c % 2);
    trm_settings settings = trm_default_settings();
    settings.solver = run_solvers[c % RUN_SOLVERS];
    settings.stabilization = stabilizations[c / RUN_SOLVERS];
    settings.duration = 0.5;
    settings.step = 1e-3;
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    int row = trm_results_rows(results) - 1;
    double u = g * 0.5, off = 0;
    off = larger(off, fabs(trm_results_get(results, row, trm_results_find(results, "x")) -
                           2 * atan(tanh(u / 2)) / g));
    off = larger(off, fabs(trm_results_get(results, row, trm_results_find(results, "y")) +
                           log(cosh(u)) / g));
    off =
        larger(off, fabs(trm_results_get(results, row, trm_results_find(results, "y'")) + tanh(u)));
    if (!(off <= 1e-9)) fail_msg("%s: off by %g", settings.stabilization, off);
    const char *by = settings.stabilization;
    bool corrected = strcmp(by, "direct") == 0 || strcmp(by, "partition") == 0;
    double most = corrected ? 1e-15 : strcmp(by, "baumgarte") == 0 ? 1e-7 : 1e-9;
    assert_true(summary.max_velocity_violation <= most);
    assert_true(isnan(summary.max_energy_error)); /* none is given */
    trm_results_destroy(results);
    trm_model_destroy(model);
  }
}

/* --- the start --- */

static double get(trm_simulation *sim, const char *measure) {
  int handle = trm_simulation_find(sim, measure, NULL);
  assert_true(handle >= 0);
  return trm_simulation_get(sim, handle);
}

/* Radially onto the circle: the smallest change with equal masses. */
static void assembly(void **state) {
  (void)state;
  trm_system_def def = pendulum();
  def.q = (const double[]){0.6 * 1.2, -0.8 * 1.2};
  trm_model *model = build(&def);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_simulation *sim = trm_simulation_create(model, NULL, diagnostics, NULL);
  assert_non_null(sim);
  assert_near(get(sim, "x"), 0.6, 1e-14);
  assert_near(get(sim, "y"), -0.8, 1e-14);
  trm_inspection found = trm_simulation_inspect(sim);
  assert_near(found.position_gap, 0.22, 1e-14);
  assert_near(found.moved, 0.16, 1e-14);
  assert_string_equal(found.moved_body, "y");
  assert_int_equal(found.degrees_of_freedom, 1);
  assert_int_equal(trm_diagnostics_get(diagnostics, 0)->severity, TRM_WARNING);
  trm_simulation_destroy(sim);
  trm_diagnostics_destroy(diagnostics);
  trm_model_destroy(model);
}

/* Conditions join the constraints: x = 0.6 and its rate, the others follow. */
static void conditions(void **state) {
  (void)state;
  trm_system_def def = pendulum();
  def.q = (const double[]){0.5, -0.8};
  trm_model *model = trm_model_create_system(&def);
  trm_model_add_initial(model, "x", 0.6);
  trm_model_add_initial(model, "x'", 2);
  finish(model);
  trm_simulation *sim = trm_simulation_create(model, NULL, NULL, NULL);
  assert_non_null(sim);
  assert_near(get(sim, "y"), -0.8, 1e-14);
  assert_near(get(sim, "x'"), 2, 1e-14);
  assert_near(get(sim, "y'"), 1.5, 1e-14);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

static void impossible_start(void **state) {
  (void)state;
  trm_system_def def = pendulum();
  trm_model *model = trm_model_create_system(&def);
  trm_model_add_initial(model, "x", 1.5);
  finish(model);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status status;
  assert_null(trm_simulation_create(model, NULL, diagnostics, &status));
  assert_int_equal(status, TRM_BAD_MODEL);
  assert_non_null(strstr(trm_diagnostics_get(diagnostics, 0)->message, "cannot be met"));
  trm_diagnostics_destroy(diagnostics);
  trm_model_destroy(model);
}

/* A given velocity that the constraint contradicts is changed, and that is said. */
static void contradicted_velocity(void **state) {
  (void)state;
  trm_system_def def = pendulum();
  def.v = (const double[]){1, 3};
  trm_model *model = build(&def);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_simulation *sim = trm_simulation_create(model, NULL, diagnostics, NULL);
  assert_non_null(sim);
  assert_near(get(sim, "x'"), 0, 1e-14);
  assert_near(get(sim, "y'"), 3, 1e-14);
  assert_int_equal(trm_diagnostics_count(diagnostics), 1);
  assert_non_null(strstr(trm_diagnostics_get(diagnostics, 0)->message,
                         "velocity given for coordinate 'x' contradicts"));
  trm_simulation_destroy(sim);
  trm_diagnostics_destroy(diagnostics);
  trm_model_destroy(model);
}

/* The same constraint twice. */
static void twice(void *context, trm_jet t, const trm_jet *q, trm_jet *phi) {
  rod(context, t, q, phi);
  phi[1] = trm_jet_scale(phi[0], 3);
}

static void redundant(void **state) {
  (void)state;
  trm_system_def def = pendulum();
  def.position_constraints = 2;
  def.position_jet = twice;
  trm_model *model = build(&def);
  trm_settings settings = trm_default_settings();
  settings.duration = 1;
  for (int s = 0; s < RUN_SOLVERS; s++) {
    settings.solver = run_solvers[s];
    trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
    trm_inspection found = trm_simulation_inspect(sim);
    assert_int_equal(found.redundant, 1);
    assert_int_equal(found.degrees_of_freedom, 1);
    assert_int_equal(found.redundant_joints, 2);
    assert_string_equal(trm_simulation_redundant_joint(sim, 1), "constraint 2");
    assert_int_equal(trm_simulation_run(sim, NULL, NULL, NULL, NULL), TRM_OK);
    /* the minimum norm: λ1 + 3 λ2 = −3 m g y, λ2 = 3 λ1 */
    assert_near(get(sim, "lambda1"), -0.3 * m * g * get(sim, "y"), 1e-8);
    assert_near(get(sim, "lambda2"), -0.9 * m * g * get(sim, "y"), 1e-8);
    trm_simulation_destroy(sim);
  }
  trm_model_destroy(model);
}

/* --- energy and work --- */

/* Damped: W = −c ∫v² dt, whichever way the energy is given; `conserve` follows it. */
static void damping(void **state) {
  (void)state;
  double c = 0.3;
  for (int way = 0; way < 4; way++) {
    trm_system_def def = pendulum();
    def.context = &c;
    if (way % 2) {
      def.energy = NULL;
      def.energy_jet = pendulum_energy_jet;
    } else {
      def.power = damper_power;
    }
    trm_model *model = build(&def);
    trm_settings settings = trm_default_settings();
    settings.duration = 2;
    settings.output_step = 1e-3;
    settings.energy = way < 2 ? "free" : "conserve";
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    assert_true(summary.max_energy_error <= (way < 2 ? 1e-9 : 1e-13));
    int T = trm_results_find(results, "energy.kinetic"), rows = trm_results_rows(results);
    double sum = 0; /* Simpson */
    for (int i = 0; i < rows; i++)
      sum += (i == 0 || i == rows - 1 ? 1 : i % 2 ? 4 : 2) * trm_results_get(results, i, T);
    double work = -2 * c / m * sum * 1e-3 / 3;
    assert_near(trm_results_get(results, rows - 1, trm_results_find(results, "energy.work")), work,
                1e-9);
    assert_true(work < -1);
    trm_results_destroy(results);
    trm_model_destroy(model);
  }
}

/* x = 0.3 sin 2t by a constraint of time, against a spring: what the driver does is work. */
static void drive(void *context, trm_jet t, const trm_jet *q, trm_jet *phi) {
  (void)context;
  phi[0] = trm_jet_subtract(q[0], trm_jet_scale(trm_jet_sin(trm_jet_scale(t, 2)), 0.3));
}

static void spring(void *context, double t, const double *q, const double *v, double *Q) {
  (void)context, (void)t, (void)v;
  Q[0] = -5 * q[0];
  Q[1] = 0;
}

static double spring_energy(void *context, double t, const double *q, const double *v) {
  (void)context, (void)t;
  return m * (v[0] * v[0] + v[1] * v[1]) / 2 + 2.5 * q[0] * q[0];
}

static trm_jet spring_energy_jet(void *context, trm_jet t, const trm_jet *q, const trm_jet *v) {
  (void)context, (void)t;
  trm_jet square = trm_jet_add(trm_jet_square(v[0]), trm_jet_square(v[1]));
  return trm_jet_add(trm_jet_scale(square, m / 2), trm_jet_scale(trm_jet_square(q[0]), 2.5));
}

static void driver(void **state) {
  (void)state;
  for (int jets = 0; jets < 2; jets++) {
    trm_system_def def = pendulum();
    def.q = (const double[]){0, 0};
    def.force = spring;
    def.position_jet = drive;
    def.energy = jets ? NULL : spring_energy;
    def.energy_jet = jets ? spring_energy_jet : NULL;
    trm_model *model = build(&def);
    trm_settings settings = trm_default_settings();
    settings.duration = 1.7;
    trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
    assert_near(get(sim, "x'"), 0.6, 1e-14);
    assert_int_equal(trm_simulation_run(sim, NULL, NULL, NULL, NULL), TRM_OK);
    double x = 0.3 * sin(3.4), v = 0.6 * cos(3.4), a = -1.2 * sin(3.4);
    assert_near(get(sim, "x"), x, 1e-12);
    assert_near(get(sim, "lambda1"), -5 * x - m * a, 1e-11);
    assert_near(get(sim, "energy.work"), m * v * v / 2 + 2.5 * x * x - m * 0.18, 1e-10);
    assert_true(trm_simulation_summary(sim)->max_energy_error <= 1e-10);
    trm_simulation_destroy(sim);
    trm_model_destroy(model);
  }
}

/* Figs. 6 and 7 of paper 003 over 10 s: through ten singular passages on one branch. */
static void point_double_four_bar(void **state) {
  (void)state;
  trm_model *model = run_load("models/point_double_four_bar.yaml");
  trm_results *reference = run_reference("models/reference/point_double_four_bar.csv");
  static const char *const stabilizations[] = {"direct", "embedded"};
  for (int k = 0; k < 2; k++) {
    trm_settings settings = *trm_model_settings(model);
    settings.step = 1e-2;
    settings.energy = "conserve";
    settings.stabilization = stabilizations[k];
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    assert_true(summary.max_position_violation <= (k ? 1e-8 : 1e-12));
    assert_true(summary.max_energy_error <= (k ? 2e-6 : 1e-12));
    assert_true(run_difference(results, reference, 10) <= 5e-6);
    trm_results_destroy(results);
  }
  trm_results_destroy(reference);
  trm_model_destroy(model);
}

/* The power of a system without a potential takes the accelerations of the state at hand. */
static void ida_counts_the_work(void **state) {
  (void)state;
  static const char *const models[] = {"models/point_pendulum.yaml",
                                       "models/point_double_four_bar.yaml",
                                       "models/chaplygin_sleigh.yaml"};
  for (int i = 0; i < 3; i++) {
    trm_model *model = run_load(models[i]);
    trm_settings settings = *trm_model_settings(model);
    settings.integrator = "ida";
    settings.duration = 1;
    trm_summary summary;
    trm_results_destroy(run_model(model, &settings, &summary));
    assert_true(summary.max_energy_error <= 1e-3); /* with rtol 1e-6; else 0.2 and 1.7 J */
    trm_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method),
      cmocka_unit_test(ida_counts_the_work),
      cmocka_unit_test(three_ways),
      cmocka_unit_test(multiplier),
      cmocka_unit_test(nonlinear),
      cmocka_unit_test(assembly),
      cmocka_unit_test(conditions),
      cmocka_unit_test(impossible_start),
      cmocka_unit_test(contradicted_velocity),
      cmocka_unit_test(redundant),
      cmocka_unit_test(damping),
      cmocka_unit_test(driver),
      cmocka_unit_test(point_double_four_bar),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
