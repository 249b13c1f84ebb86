/* Runs that are stopped at a step and go on in another simulation: every method, bit by bit. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../run.h"

static const char with_events[] =
    "trammel: 1\nname: events\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies: {bob: {mass: 1, inertia: 0, position: [1, 0]}, wheel: {mass: 1, inertia: 0.1, "
    "angular-velocity: 30}}\n"
    "joints: {rod: {type: distance, connect: [ground, bob]}, hub: {type: revolute, connect: "
    "[ground, wheel]}}\n"
    "states: {z: {initial: 0, rate: 7 + bob.x}, gear: {initial: 1}, sum: {initial: 0, rate: "
    "gear}}\n"
    "events:\n  tick: {when: z - 0.02, direction: rising, set: {z: 0, gear: -gear, sum: sum + z}}\n"
    "  below: {when: bob.x, set: {gear: \"gear + tick.count\"}}\n"
    "forces: {F: {type: force, point: bob, value: [gear*(1 + tick.count/100), 0]}, brake: {type: "
    "actuator, of: hub, value: -0.1*hub.rate}}\n"
    "simulate: {duration: 0.3, step: 1e-3, output-step: 7e-3}\n";

static char folder[64], table[96], second[96];

static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/trm_checkpoint_XXXXXX");
  if (!mkdtemp(folder)) return 1;
  snprintf(table, sizeof table, "%s/results", folder);
  snprintf(second, sizeof second, "%s/results.part", folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  char path[100];
  for (int k = 0; k < 2; k++) {
    snprintf(path, sizeof path, "%s/%d", folder, k);
    unlink(path);
  }
  unlink(table);
  unlink(second);
  return rmdir(folder);
}

typedef struct limit {
  long steps, most;
} limit;

static bool until_most(void *context, double time, double fraction) {
  limit *l = context;
  (void)time, (void)fraction;
  return ++l->steps < l->most;
}

static char *read_table(size_t *size) {
  FILE *file = fopen(table, "rb");
  assert_non_null(file);
  struct stat about;
  assert_int_equal(fstat(fileno(file), &about), 0);
  char *text = malloc((size_t)about.st_size + 1);
  assert_non_null(text);
  *size = fread(text, 1, (size_t)about.st_size, file);
  fclose(file);
  return text;
}

typedef struct outcome {
  char *text;
  size_t size;
  long steps, evaluations;
  double position, velocity, energy;
} outcome;

/* A run of at most so many steps, from the checkpoint where it resumes. */
static trm_status part(const trm_model *model, const trm_settings *settings, const char *format,
                       bool resumes, long most, outcome *o) {
  trm_simulation *sim = trm_simulation_create(model, settings, NULL, NULL);
  trm_results *results = trm_results_create();
  assert_non_null(sim);
  assert_non_null(results);
  limit l = {0, most};
  double time;
  trm_simulation_keep_frames(sim, 100);
  assert_int_equal(trm_results_stream(results, table, format, NULL), TRM_OK);
  assert_int_equal(trm_simulation_keep_checkpoints(sim, folder, 1e9, NULL), TRM_OK);
  if (resumes) {
    assert_int_equal(rename(table, second), 0); /* as it is while a run goes on */
    assert_int_equal(trm_simulation_resume(sim, results, folder, &time, NULL), TRM_OK);
    assert_true(time > 0);
  }
  trm_status status = trm_simulation_run(sim, results, until_most, &l, NULL);
  assert_int_equal(trm_results_publish(results, NULL), TRM_OK);
  const trm_summary *s = trm_simulation_summary(sim);
  *o = (outcome){.steps = s->steps,
                 .evaluations = s->evaluations,
                 .position = s->max_position_violation,
                 .velocity = s->max_velocity_violation,
                 .energy = s->max_energy_error};
  o->text = read_table(&o->size);
  trm_results_destroy(results);
  trm_simulation_destroy(sim);
  return status;
}

static int failures, compared;

static void check(const char *file, const char *format, long most, const char *const *keys) {
  trm_model *model = strncmp(file, "trammel", 7) == 0
                         ? trm_model_load_text(file, NULL, NULL, NULL, NULL)
                         : run_load(file);
  trm_settings settings = *trm_model_settings(model);
  if (settings.duration > 0.3) settings.duration = 0.3;
  for (; keys[0]; keys += 2)
    assert_int_equal(trm_settings_set(&settings, keys[0], keys[1], NULL), TRM_OK);
  if (!trm_simulation_refusal(&settings)) {
    outcome whole, first, rest;
    trm_status status = part(model, &settings, format, false, 1000000, &whole);
    if (part(model, &settings, format, false, most, &first) == TRM_INTERRUPTED) {
      trm_status ended = part(model, &settings, format, true, 1000000, &rest);
      bool same = status == ended && whole.size == rest.size &&
                  memcmp(whole.text, rest.text, whole.size) == 0 && whole.steps == rest.steps &&
                  whole.evaluations == rest.evaluations && whole.position == rest.position &&
                  whole.velocity == rest.velocity &&
                  (whole.energy == rest.energy || (isnan(whole.energy) && isnan(rest.energy)));
      if (!same)
        print_error("%.30s %s %s %s: steps %ld %ld, evaluations %ld %ld, bytes %zu %zu\n", file,
                    settings.integrator, settings.stabilization, format, whole.steps, rest.steps,
                    whole.evaluations, rest.evaluations, whole.size, rest.size);
      failures += !same;
      compared++;
      free(rest.text);
    }
    free(whole.text);
    free(first.text);
  }
  trm_model_destroy(model);
}

static void every_integrator(void **state) {
  (void)state;
  static const char *const methods[] = {"euler",
                                        "rk4",
                                        "rk6",
                                        "ab2",
                                        "ab3",
                                        "ab4",
                                        "ab5",
                                        "ab6",
                                        "dopri5",
                                        "dop853",
                                        "trapezoidal",
                                        "radau5",
                                        "generalized-alpha",
                                        "three-field"};
  static const char *const models[] = {"models/four_bar.yaml", "models/bricard.yaml",
                                       "models/scotch_yoke.yaml", with_events};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
      for (int h = 0; h < 2; h++) {
        const char *const keys[] = {"integrator", methods[k], NULL};
        check(models[i], h ? "hdf5" : "csv", 7 + 6 * (long)k, keys);
      }
  assert_true(compared >= 60);
  assert_int_equal(failures, 0);
}

static void every_other_method(void **state) {
  (void)state;
  static const char *const choices[][5] = {
      {"stabilization", "none"},
      {"stabilization", "baumgarte"},
      {"stabilization", "direct"},
      {"stabilization", "partition"},
      {"stabilization", "embedded"},
      {"energy", "conserve"},
      {"solver", "augmented"},
      {"solver", "udwadia-kalaba-general"},
      {"coordinates", "angle"},
      {"coordinates", "euler-parameters"},
      {"coordinates", "cartesian"},
      {"linear", "sparse"},
      {"integrator", "auto"},
      {"integrator", "radau5", "stepping", "fixed"},
      {"integrator", "trapezoidal", "stepping", "variable"},
  };
  for (size_t k = 0; k < sizeof choices / sizeof *choices; k++)
    for (long most = 5; most < 100; most += 40) {
      check("models/four_bar.yaml", "csv", most, choices[k]);
      check(with_events, "csv", most, choices[k]);
    }
  assert_true(compared >= 40);
  assert_int_equal(failures, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_integrator, set_up, tear_down),
      cmocka_unit_test_setup_teardown(every_other_method, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
