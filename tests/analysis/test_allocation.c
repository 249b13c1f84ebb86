/* No allocation in the time loop: every formulation, solver, stabilization and integrator,
 * redundant joints included. New pivots of sparse factors may take memory, so that the first step
 * is not counted. */
#define _POSIX_C_SOURCE 200809L
#include "../counting.h"
#include "../model/load.h"
#include "../run.h"
#include "analysis/simulation.h"
#include "integrator/radau5.h"
#include "stabilization/partition.h"

static const char *const models[] = {"models/four_bar_diagonal_spring.yaml", "models/pendulum.yaml",
                                     "models/peaucellier.yaml", "models/point_double_four_bar.yaml",
                                     "models/chaplygin_sleigh.yaml"};
static const char *const trees[] = {"models/gyroscope.yaml", "models/heavy_top.yaml",
                                    "models/spatial_slider_crank.yaml"};

static void check(const trm_model *model, const trm_settings *settings) {
  trm_simulation *sim = trm_simulation_create(model, settings, NULL, NULL);
  assert_non_null(sim);
  assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
  long before = counted_allocations;
  for (int i = 0; i < 20; i++) assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
  if (counted_allocations != before)
    fail_msg("%ld allocations with %s, %s, %s, %s", counted_allocations - before,
             settings->coordinates, settings->solver, settings->stabilization,
             settings->integrator);
  trm_simulation_destroy(sim);
}

/* Every method of the table, one key at a time from the default. */
static void check_methods(trm_model *model) {
  for (int k = 0; k < trm_method_count(); k++) {
    trm_settings settings = *trm_model_settings(model);
    const trm_method *method = trm_method_get(k);
    if (method->spatial_only && trm_model_space(model) == TRM_PLANAR) continue;
    assert_int_equal(trm_settings_set(&settings, method->key, method->name, NULL), TRM_OK);
    bool variable = strcmp(method->name, "variable") == 0; /* only of implicit methods */
    if (variable) trm_settings_set(&settings, "integrator", "three-field", NULL);
    check(model, &settings);
  }
  trm_model_destroy(model);
}

static void steps_do_not_allocate(void **state) {
  (void)state;
  if (!TRM_COUNTING) skip();
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) check_methods(run_load(models[i]));
}

static void large_steps_do_not_allocate(void **state) {
  (void)state;
  static const char *const overrides[] = {"N=40", NULL};
  if (!TRM_COUNTING) skip();
  trm_model *model = trm_model_load("models/chain.yaml", overrides, NULL, NULL);
  assert_non_null(model);
  check_methods(model);
}

/* With and without joints beside the tree, by every integrator. */
static void tree_steps_do_not_allocate(void **state) {
  (void)state;
  if (!TRM_COUNTING) skip();
  for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
    trm_model *model = run_load(trees[i]);
    trm_settings settings = *trm_model_settings(model);
    settings.coordinates = "relative";
    for (int k = 0; k < trm_method_count(); k++) {
      const trm_method *method = trm_method_get(k);
      if (strcmp(method->key, "integrator") != 0) continue;
      if (strcmp(method->name, "three-field") == 0) continue; /* its momenta are those of bodies */
      settings.integrator = method->name;
      check(model, &settings);
    }
    trm_model_destroy(model);
  }
}

/* Small models are dense by default. */
static void sparse_steps_do_not_allocate(void **state) {
  (void)state;
  static const char *const integrators[] = {"bdf", "ida", "radau5"};
  if (!TRM_COUNTING) skip();
  for (size_t i = 0; i < 3 * (sizeof models / sizeof *models); i++) {
    trm_model *model = run_load(models[i / 3]);
    trm_settings settings = *trm_model_settings(model);
    settings.integrator = integrators[i % 3];
    settings.linear = "sparse";
    check(model, &settings);
    trm_model_destroy(model);
  }
}

/* The rates of states on the way straight ahead, until a rank was decided so often. */
static long look_ahead(trm_simulation *sim, double piece, long enough) {
  trm_dynamics *d = &sim->engine->dynamics;
  trm_arena *arena = trm_arena_create();
  double *y = TRM_NEW(arena, double, d->size), *rates = TRM_NEW(arena, double, d->size);
  long before = counted_allocations, start = trm_solver_count(sim->engine->solver).decisions,
       found = 0;
  for (double h = 0; h < 1e-3 && found < enough; h += piece) {
    for (int i = 0; i < d->size; i++) y[i] = sim->engine->y[i] + h * sim->engine->ydot[i];
    assert_true(trm_dynamics_rates(d, sim->engine->t + h, y, rates));
    found = trm_solver_count(sim->engine->solver).decisions - start;
  }
  assert_int_equal(counted_allocations, before);
  trm_arena_destroy(arena);
  return found;
}

/* All posts lie down at t = 0.7217. */
static void check_rank_decisions(const char *size, double piece, long decisions) {
  const char *const overrides[] = {size, NULL};
  trm_model *model = trm_model_load("models/n_four_bar.yaml", overrides, NULL, NULL);
  assert_non_null(model);
  trm_simulation *sim = trm_simulation_create(model, NULL, NULL, NULL);
  assert_non_null(sim);
  while (sim->engine->t < 0.7205) assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
  assert_int_equal(look_ahead(sim, piece, decisions), decisions);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

/* Large enough for ranks to be decided where they are lost, and for that to take megabytes. */
static void rank_decisions_do_not_allocate(void **state) {
  (void)state;
  if (!TRM_COUNTING) skip();
  check_rank_decisions("N=60", 1e-7, 100);
  check_rank_decisions("N=1000", 1e-6, 2);
}

/* Partitioning chooses other coordinates as the mechanism turns, by pivots that KLU takes memory
 * for; in between it takes none. */
static void kept_choices_do_not_allocate(void **state) {
  (void)state;
  if (!TRM_COUNTING) skip();
  trm_model *model =
      trm_model_load("models/n_four_bar.yaml", (const char *[]){"N=30", NULL}, NULL, NULL);
  assert_non_null(model);
  trm_settings settings = *trm_model_settings(model);
  settings.stabilization = "partition";
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  const trm_stabilizer *st = sim->engine->dynamics.stabilizer;
  int kept = 0, chosen = 0;
  while (sim->engine->t < 1) {
    long before = counted_allocations, choices = trm_partition_choices(st);
    assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
    bool same = trm_partition_choices(st) == choices;
    if (same) assert_int_equal(counted_allocations, before);
    *(same ? &kept : &chosen) += 1;
  }
  assert_true(chosen > 0 && kept > 10 * chosen);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

/* Sparse and with fixed steps, from the second one until `end`. */
static trm_simulation *step_until(const trm_model *model, const char *integrator, double step,
                                  double end) {
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = integrator;
  settings.linear = "sparse";
  settings.step = step;
  settings.stepping = "fixed";
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
  long before = counted_allocations;
  while (sim->engine->t < end) assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
  if (counted_allocations != before)
    fail_msg("%ld allocations with %s", counted_allocations - before, integrator);
  return sim;
}

/* Until all posts nearly lie down, at t = 0.7217, where sparse factors need other pivots. */
static void kept_pivots_do_not_allocate(void **state) {
  (void)state;
  static const char *const integrators[] = {"trapezoidal", "generalized-alpha", "three-field",
                                            "radau5"};
  static const char *const overrides[] = {"N=20", NULL};
  if (!TRM_COUNTING) skip();
  trm_model *model = trm_model_load("models/n_four_bar.yaml", overrides, NULL, NULL);
  assert_non_null(model);
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
    trm_simulation_destroy(step_until(model, integrators[i], 1e-3, 0.7));
  trm_model_destroy(model);
}

/* Stiff springs that turn by a radian in three steps: radau5 needs a Jacobian for each stage. */
static void stages_do_not_allocate(void **state) {
  (void)state;
  if (!TRM_COUNTING) skip();
  loaded swings = load_good(
      "{trammel: 1, name: Swings, space: planar, ground: {points: {O: [0, 0]}},\n"
      "bodies: {b$(i): {repeat: {i: [1, 600]}, mass: 1, inertia: 0.1, position: [1, 0],\n"
      "  velocity: [0, 3], angular-velocity: 0}},\n"
      "forces: {s$(i): {repeat: {i: [1, 600]}, type: spring-damper, connect: [ground.O, b$(i)],\n"
      "  stiffness: 1e8, damping: 1e4, length: 1}}, simulate: {duration: 1}}\n",
      NULL);
  trm_simulation *sim = step_until(swings.model, "radau5", 0.1, 0.3);
  const trm_radau5 *own = sim->integrator->own;
  assert_true(own->staged);
  trm_simulation_destroy(sim);
  unload(&swings);
}

static bool count_steps(void *context, double time, double fraction) {
  (void)time;
  (void)fraction;
  long *at = context;
  if (*at < 0) *at = counted_allocations;
  assert_int_equal(counted_allocations, *at);
  return true;
}

/* Recording included: from the first step to the last. */
static void runs_do_not_allocate(void **state) {
  (void)state;
  if (!TRM_COUNTING) skip();
  trm_model *model = run_load(models[0]);
  trm_simulation *sim = trm_simulation_create(model, NULL, NULL, NULL);
  trm_results *results = trm_results_create();
  long at = -1;
  assert_int_equal(trm_simulation_run(sim, results, count_steps, &at, NULL), TRM_OK);
  assert_int_equal(counted_allocations, at);
  trm_results_destroy(results);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_do_not_allocate),
      cmocka_unit_test(large_steps_do_not_allocate),
      cmocka_unit_test(tree_steps_do_not_allocate),
      cmocka_unit_test(sparse_steps_do_not_allocate),
      cmocka_unit_test(rank_decisions_do_not_allocate),
      cmocka_unit_test(kept_choices_do_not_allocate),
      cmocka_unit_test(kept_pivots_do_not_allocate),
      cmocka_unit_test(stages_do_not_allocate),
      cmocka_unit_test(runs_do_not_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
