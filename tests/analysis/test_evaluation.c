/* Steps evaluated by links, straight from q and v, against those evaluated whole. */
#include <stdlib.h>

#include "../run.h"
#include "analysis/simulation.h"

/* Forces, other joints, drivers, rolling, gears, redundant joints, the plane and space. */
static const char *const models[] = {
    "models/four_bar.yaml",    "models/n_four_bar.yaml",      "models/slider_crank.yaml",
    "models/andrews.yaml",     "models/driven_four_bar.yaml", "models/gears.yaml",
    "models/cam.yaml",         "models/triple_pendulum.yaml", "models/bricard.yaml",
    "models/gyroscope.yaml",   "models/screw_press.yaml",     "models/hookes_joint.yaml",
    "models/rolling_disc.yaml"};
enum { MODELS = sizeof models / sizeof *models, STEPS = 40 };

static trm_simulation *start(const trm_model *model, const char *integrator, bool by_links) {
  trm_settings settings = *trm_model_settings(model);
  settings.coordinates = "natural"; /* links are of bodies that have their own */
  settings.integrator = integrator;
  if (!(settings.step > 0 && settings.step < 5e-4)) settings.step = 5e-4;
  settings.rtol = 1e-8;
  settings.threads = 1;
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  trm_dynamics *d = &sim->engine->dynamics;
  assert_ptr_equal(d->end, &trm_evaluation_links);
  if (!by_links) d->within = d->end = &trm_evaluation_whole;
  return sim;
}

static double size_of(int count, const double *x) {
  double most = 1;
  for (int i = 0; i < count; i++) most = larger(most, fabs(x[i]));
  return most;
}

/* Every output, and what the summary tells. */
static void compare(trm_simulation *links, trm_simulation *whole, const char *what) {
  const trm_model *model = links->engine->model;
  int count = model->output_count;
  double *a = calloc((size_t)count, sizeof *a), *b = calloc((size_t)count, sizeof *b);
  assert_true(a && b);
  trm_engine_measures(links->engine, model->outputs, count, a);
  trm_engine_measures(whole->engine, model->outputs, count, b);
  double round_off = 1e-10 * size_of(count, b);
  for (int i = 0; i < count; i++)
    if (!(fabs(a[i] - b[i]) <= round_off))
      fail_msg("%s %s: at %.17g and %.17g s %s is %.17g, it should be %.17g", what,
               links->engine->settings.integrator, links->engine->t, whole->engine->t,
               model->outputs[i].name, a[i], b[i]);
  double energy = links->engine->dynamics.max_kinetic + links->engine->dynamics.max_potential;
  assert_near(links->engine->dynamics.max_kinetic, whole->engine->dynamics.max_kinetic,
              1e-10 * energy);
  assert_near(links->engine->dynamics.max_potential, whole->engine->dynamics.max_potential,
              1e-10 * energy);
  assert_true(links->engine->dynamics.max_position_violation < 1e-10);
  free(a);
  free(b);
}

static void check(const char *path, const char *integrator) {
  trm_model *model = run_load(path);
  trm_simulation *links = start(model, integrator, true), *whole = start(model, integrator, false);
  for (int i = 0; i < STEPS; i++) {
    assert_int_equal(trm_simulation_step(links, NULL), TRM_OK);
    assert_int_equal(trm_simulation_step(whole, NULL), TRM_OK);
    if (i % 13 == 0 || i == STEPS - 1) compare(links, whole, path);
  }
  trm_simulation_destroy(links);
  trm_simulation_destroy(whole);
  trm_model_destroy(model);
}

static void both_ways_agree(void **state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    check(models[i], "rk4");
    check(models[i], "ab6");
  }
}

/* Variable steps are never quite the same; rows are at the same times. */
static void results_agree(void **state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    trm_model *model = run_load(models[i]);
    trm_results *results[2];
    for (int k = 0; k < 2; k++) {
      trm_simulation *sim = start(model, "dop853", k == 0);
      sim->grid.duration = smaller(sim->grid.duration, 0.3);
      results[k] = trm_results_create();
      assert_int_equal(trm_simulation_run(sim, results[k], NULL, NULL, NULL), TRM_OK);
      trm_simulation_destroy(sim);
    }
    int rows = trm_results_rows(results[0]), columns = trm_results_columns(results[0]);
    assert_int_equal(rows, trm_results_rows(results[1]));
    assert_true(rows > 1);
    for (int c = 0; c < columns; c++) {
      double size = 1;
      for (int r = 0; r < rows; r++) size = larger(size, fabs(trm_results_get(results[1], r, c)));
      for (int r = 0; r < rows; r++)
        assert_near(trm_results_get(results[0], r, c), trm_results_get(results[1], r, c),
                    1e-6 * size);
    }
    for (int k = 0; k < 2; k++) trm_results_destroy(results[k]);
    trm_model_destroy(model);
  }
}

/* Three stages and the state at the end: its violation is taken back by the last stage's. */
static void four_factorizations_a_step(void **state) {
  (void)state;
  trm_model *model = run_load("models/n_four_bar.yaml");
  trm_simulation *sim = start(model, "rk4", true);
  long before = trm_solver_count(sim->engine->solver).factorizations;
  for (int i = 0; i < STEPS; i++) assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
  assert_int_equal(trm_solver_count(sim->engine->solver).factorizations - before, 4 * STEPS);
  assert_true(sim->engine->dynamics.max_position_violation < 1e-14);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

/* Reactions of redundant joints: unchanged on the bodies, and nothing along a null vector. */
static void shares_are_least(void **state) {
  (void)state;
  trm_model *model = run_load("models/bricard.yaml");
  trm_simulation *sim = start(model, "ab6", true);
  trm_system *sys = sim->engine->system;
  const trm_structure *s = &sys->structure;
  double *before = calloc((size_t)(s->m + s->n), sizeof *before), *force = before + s->m;
  double *z = calloc((size_t)s->m, sizeof *z), along = 0, size = 0;
  assert_true(before && z);
  for (int i = 0; i < STEPS; i++) assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
  trm_system_complete_rows(sys);
  memcpy(before, sys->lambda, (size_t)s->m * sizeof *before);
  long fallbacks = trm_solver_count(sim->engine->solver).decisions;
  trm_solver_minimum_norm(sim->engine->solver, sys->lambda);
  assert_int_equal(trm_solver_count(sim->engine->solver).decisions, fallbacks);
  double moved = 0;
  for (int i = 0; i < s->m; i++) moved += fabs(before[i] -= sys->lambda[i]);
  assert_true(moved > 1e-3);
  trm_jacobian_transposed_add(s, sys->Cq, 1, before, force);
  int intrinsic = s->intrinsic * s->blocks; /* their multipliers are not asked for */
  for (int b = 0; b < s->blocks; b++)
    for (int i = 0; i < s->plain; i++) assert_near(force[s->q_start[b] + i], 0, 1e-11);
  assert_int_equal(trm_solver_null_space(sim->engine->solver, 1, z), 1);
  for (int i = intrinsic; i < s->m; i++) {
    along += s->weight[i] * s->weight[i] * z[i] * sys->lambda[i];
    size += fabs(s->weight[i] * s->weight[i] * z[i] * sys->lambda[i]);
  }
  assert_near(along, 0, 1e-9 * size);
  free(before);
  free(z);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

/* Rows that are completed at an accepted state, as a choice of redundant rows does, leave frames to
 * be completed: in natural coordinates their velocities are among v. */
static void frames_follow_rows(void **state) {
  (void)state;
  trm_model *model = run_load("models/bricard.yaml");
  trm_simulation *sim = start(model, "rk4", true);
  const trm_system *sys = sim->engine->system;
  double value, off = 0, size = 0;
  for (int i = 0; i < STEPS; i++) assert_int_equal(trm_simulation_step(sim, NULL), TRM_OK);
  trm_system_complete_rows(sim->engine->system);
  trm_engine_measures(sim->engine, model->outputs, 1, &value);
  for (int b = 0; b < sys->motion.bodies; b++)
    for (int i = 0; i < 3; i++) {
      double v = sim->engine->y[sys->n + b * sys->motion.nq + i];
      off = larger(off, fabs(sys->motion.frames[b].v[i] - v));
      size = larger(size, fabs(v));
    }
  assert_true(size > 1e-3);
  assert_true(off <= 1e-14 * size);
  trm_simulation_destroy(sim);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_follow_rows), cmocka_unit_test(both_ways_agree),
      cmocka_unit_test(results_agree), cmocka_unit_test(four_factorizations_a_step),
      cmocka_unit_test(shares_are_least)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
