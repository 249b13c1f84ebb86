/* Callbacks that fail, and definitions that are wrong: which one, which component, when. */
#include "../run.h"

/* What a free particle with a spring gives, spoiled from a time on. */
typedef struct spoiler {
  const char *callback; /* which */
  double from, value;
} spoiler;

static bool spoils(const spoiler *s, const char *callback, double t) {
  return s && strcmp(s->callback, callback) == 0 && t > s->from;
}

static void mass(void *context, double t, const double *q, double *M) {
  (void)q;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
  if (spoils(context, "mass", t)) M[2] = ((spoiler *)context)->value;
  if (spoils(context, "definite", t)) M[3] = 0;
}

static void force(void *context, double t, const double *q, const double *v, double *Q) {
  (void)v;
  Q[0] = 0;
  Q[1] = -q[1];
  if (spoils(context, "force", t)) Q[1] = ((spoiler *)context)->value;
}

static void line(void *context, double t, const double *q, double *phi) {
  phi[0] = q[0] + q[1] - 1;
  if (spoils(context, "position", t)) phi[0] = ((spoiler *)context)->value;
}

static void line_jacobian(void *context, double t, const double *q, double *Cq, double *Ct) {
  (void)q;
  Cq[0] = Cq[1] = 1;
  Ct[0] = 0;
  if (spoils(context, "position_jacobian", t)) Cq[1] = ((spoiler *)context)->value;
}

static void line_gamma(void *context, double t, const double *q, const double *v, double *gamma) {
  (void)q, (void)v;
  gamma[0] = spoils(context, "position_gamma", t) ? ((spoiler *)context)->value : 0;
}

static void line_jet(void *context, trm_jet t, const trm_jet *q, trm_jet *phi) {
  phi[0] = trm_jet_shift(trm_jet_add(q[0], q[1]), -1);
  if (spoils(context, "position_jet", t.f)) phi[0].d = ((spoiler *)context)->value;
}

/* y' = 0.1 t, at velocity level */
static void rate(void *context, trm_jet t, const trm_jet *q, const trm_jet *v, trm_jet *phi) {
  (void)q;
  phi[0] = trm_jet_subtract(v[1], trm_jet_scale(t, 0.1));
  if (spoils(context, "velocity_jet", t.f)) phi[0].f = ((spoiler *)context)->value;
}

static double energy(void *context, double t, const double *q, const double *v) {
  double E = (v[0] * v[0] + v[1] * v[1] + q[1] * q[1]) / 2;
  return spoils(context, "energy", t) ? ((spoiler *)context)->value : E;
}

static trm_system_def particle(spoiler *context) {
  static const char *const names[] = {"x", "y"};
  static const double q[] = {0, 1};
  trm_system_def def = trm_default_system();
  def.coordinates = 2;
  def.names = names;
  def.q = q;
  def.context = context;
  def.mass = mass;
  def.force = force;
  def.energy = energy;
  return def;
}

/* The system with the kind of constraint that the callback belongs to. */
static trm_system_def particle_for(spoiler *s) {
  trm_system_def def = particle(s);
  bool jet = strcmp(s->callback, "position_jet") == 0;
  if (strcmp(s->callback, "velocity_jet") == 0) {
    def.velocity_constraints = 1;
    def.velocity_jet = rate;
    return def;
  }
  def.position_constraints = 1;
  def.position_jet = jet ? line_jet : NULL;
  def.position = jet ? NULL : line;
  def.position_jacobian = jet ? NULL : line_jacobian;
  def.position_gamma = jet ? NULL : line_gamma;
  return def;
}

static void expect(const char *found, const char *part) {
  if (!strstr(found, part)) fail_msg("'%s' is not in: %s", part, found);
}

static const struct {
  const char *callback, *message;
} cases[] = {
    {"mass", "the mass matrix, row 2, column 1, is not a number, as callback 'mass' has it"},
    {"definite", "the mass matrix is not positive definite, as coordinate 'y' shows"},
    {"force", "the force on 'y' is not a number, as callback 'force' has it"},
    {"position", "constraint 1 is not a number, as callback 'position' has it"},
    {"position_jacobian",
     "the derivative of constraint 1 by y is not a number, as callback 'position_jacobian' has it"},
    {"position_gamma",
     "the acceleration term of constraint 1 is not a number, as callback 'position_gamma' has it"},
    {"position_jet",
     "the derivative of constraint 1 by x is not a number, as callback 'position_jet' has it"},
    {"velocity_jet", "velocity constraint 1 is not a number, as callback 'velocity_jet' has it"},
    {"energy", "the energy is not a number, as callback 'energy' has it"},
};
enum { CASES = sizeof cases / sizeof *cases };

/* The run stops, keeps what it has, and says which callback, component and time. */
static void during_a_run(void **state) {
  (void)state;
  for (int i = 0; i < CASES; i++) {
    spoiler s = {cases[i].callback, 0.5, NAN};
    trm_system_def def = particle_for(&s);
    trm_model *model = trm_model_create_system(&def);
    assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
    trm_settings settings = trm_default_settings();
    settings.step = 0.01;
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_simulation *sim = trm_simulation_create(model, &settings, diagnostics, NULL);
    trm_results *results = trm_results_create();
    assert_non_null(sim);
    assert_int_equal(trm_simulation_run(sim, results, NULL, NULL, diagnostics), TRM_FAILED);
    const trm_summary *summary = trm_simulation_summary(sim);
    expect(summary->message, cases[i].message);
    expect(summary->message, "t = 0.5"); /* 0.505 or 0.51 */
    assert_string_equal(summary->status, "failed");
    assert_near(summary->time_reached, 0.5, 1e-9);
    assert_int_equal(trm_results_rows(results), 51);
    assert_true(isfinite(trm_results_get(results, 50, trm_results_find(results, "y"))));
    assert_int_equal(trm_diagnostics_errors(diagnostics), 1);
    trm_results_destroy(results);
    trm_simulation_destroy(sim);
    trm_diagnostics_destroy(diagnostics);
    trm_model_destroy(model);
  }
}

static void at_the_start(void **state) {
  (void)state;
  for (int i = 0; i < CASES; i++) {
    spoiler s = {cases[i].callback, -1, NAN};
    trm_system_def def = particle_for(&s);
    trm_model *model = trm_model_create_system(&def);
    assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_status status;
    assert_null(trm_simulation_create(model, NULL, diagnostics, &status));
    assert_int_equal(status, TRM_BAD_MODEL);
    const char *message = trm_diagnostics_get(diagnostics, 0)->message;
    expect(message, "the initial state cannot be evaluated: t = 0: ");
    expect(message, cases[i].message);
    trm_diagnostics_destroy(diagnostics);
    trm_model_destroy(model);
  }
}

static void asymmetric(void **state) {
  (void)state;
  spoiler s = {"mass", -1, 0.25};
  trm_system_def def = particle(&s);
  trm_model *model = trm_model_create_system(&def);
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  assert_null(trm_simulation_create(model, NULL, diagnostics, NULL));
  expect(trm_diagnostics_get(diagnostics, 0)->message,
         "the mass matrix is not symmetric: row 2, column 1 is 0.25, row 1, column 2 is 0");
  trm_diagnostics_destroy(diagnostics);
  trm_model_destroy(model);
}

/* --- definitions --- */

static void expect_refused(const trm_system_def *def, const char *message) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = trm_model_create_system(def);
  assert_non_null(model);
  assert_int_equal(trm_model_finish(model, diagnostics), TRM_BAD_MODEL);
  assert_int_equal(trm_diagnostics_errors(diagnostics), 1);
  expect(trm_diagnostics_get(diagnostics, 0)->message, message);
  trm_diagnostics_destroy(diagnostics);
  trm_model_destroy(model);
}

static void definitions(void **state) {
  (void)state;
  trm_system_def def = particle(NULL);
  def.coordinates = 0;
  expect_refused(&def, "coordinates is 0, it must be between 1 and");
  def.coordinates = -3;
  expect_refused(&def, "coordinates is -3");
  def.coordinates = 2000000000;
  expect_refused(&def, "coordinates is 2000000000");
  def = particle(NULL);
  def.velocity_constraints = -1;
  expect_refused(&def, "velocity_constraints is -1");
  def = particle(NULL);
  def.mass = NULL;
  expect_refused(&def, "callback 'mass' is missing");
  def = particle(NULL);
  def.force = NULL;
  expect_refused(&def, "callback 'force' is missing");
  def = particle(NULL);
  def.q = NULL;
  expect_refused(&def, "the initial coordinates q are missing");
  def = particle(NULL);
  def.q = (const double[]){0, NAN};
  expect_refused(&def, "coordinate 'y': its value at the start is");
  def = particle(NULL);
  def.v = (const double[]){INFINITY, 0};
  expect_refused(&def, "coordinate 'x': its velocity at the start is");
  def = particle(NULL);
  def.names = (const char *const[]){"x", "x"};
  expect_refused(&def, "coordinate 'x' is defined twice");
  def.names = (const char *const[]){"x", NULL};
  expect_refused(&def, "is no name");
  def = particle(NULL);
  def.position_constraints = 1;
  expect_refused(&def, "callback 'position_jet' is missing");
  def.position = line;
  def.position_gamma = line_gamma;
  expect_refused(&def, "callback 'position_jacobian' is missing");
  def.position_gamma = NULL;
  def.position_jet = line_jet;
  expect_refused(&def, "'position' and its derivatives must not be given beside it");
  def = particle(NULL);
  def.velocity_jet = rate;
  expect_refused(&def, "velocity_constraints is 0");
  def = particle(NULL);
  def.energy = NULL;
  def.power = energy;
  expect_refused(&def, "callback 'power' goes with 'energy'");
}

static void with_bodies(void **state) {
  (void)state;
  trm_system_def def = particle(NULL);
  trm_body_def body = trm_default_body();
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = trm_model_create_system(&def);
  trm_model_add_body(model, &body);
  assert_int_equal(trm_model_finish(model, diagnostics), TRM_BAD_MODEL);
  trm_model_destroy(model);
  model = trm_model_create_system(NULL);
  assert_int_equal(trm_model_finish(model, diagnostics), TRM_BAD_MODEL);
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
}

/* Without names they are q1, q2; without an energy there is nothing to conserve. */
static void defaults(void **state) {
  (void)state;
  trm_system_def def = particle(NULL);
  def.names = NULL;
  def.energy = NULL;
  trm_model *model = trm_model_create_system(&def);
  assert_int_equal(trm_model_finish(model, NULL), TRM_OK);
  assert_true(trm_model_is_system(model));
  trm_settings settings = trm_default_settings();
  settings.energy = "conserve";
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status status;
  assert_null(trm_simulation_create(model, &settings, diagnostics, &status));
  assert_int_equal(status, TRM_BAD_USAGE);
  expect(trm_diagnostics_get(diagnostics, 0)->message, "needs an energy");
  trm_simulation *sim = trm_simulation_create(model, NULL, diagnostics, NULL);
  assert_non_null(sim);
  assert_true(trm_simulation_find(sim, "q2''", diagnostics) >= 0);
  assert_true(trm_simulation_find(sim, "energy.kinetic", diagnostics) >= 0);
  assert_true(trm_simulation_find(sim, "energy.error", diagnostics) < 0);
  assert_true(trm_simulation_find(sim, "q3", diagnostics) < 0);
  assert_true(isnan(trm_simulation_summary(sim)->energy_initial));
  trm_simulation_destroy(sim);
  trm_diagnostics_destroy(diagnostics);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(during_a_run), cmocka_unit_test(at_the_start), cmocka_unit_test(asymmetric),
      cmocka_unit_test(definitions),  cmocka_unit_test(with_bodies),  cmocka_unit_test(defaults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
