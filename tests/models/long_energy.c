/* What `energy: conserve` does to the trajectory of every shipped mechanism at h = 1e-2 (RK4,
 * direct correction): lower errors wherever the energy alone decides how far along the motion is.
 */
#include "../run.h"

typedef struct {
  const char *name;
  double duration; /* 0: the model's own */
  double limit;    /* of the error with over the error without */
} row;

/* Conservative, one freedom: never larger. */
static const row one_freedom[] = {
    {"bricard", 0, 1},           {"four_bar", 0, 1},           {"n_four_bar", 0, 1},
    {"parallel_cranks", 0, 1},   {"peaucellier", 0, 1},        {"pendulum", 0, 1},
    {"screw_press", 0, 1},       {"slider_crank_braun", 0, 1}, {"slider_crank_iftomm", 0, 1},
    {"n_four_bar_spatial", 0, 1}};

/* Dampers, or more freedoms; the triple pendulum before chaos takes over. */
static const row others[] = {{"four_bar_diagonal_spring", 0, 1.1},
                             {"gears", 0, 1.1},
                             {"quick_return", 0, 1.1},
                             {"rolling_disc", 0, 1.1},
                             {"rolling_wheel", 0, 1.1},
                             {"slider_crank", 0, 1.1},
                             {"spherical_pendulum", 0, 1.1},
                             {"triple_pendulum", 5, 1.1},
                             {"turntable_free", 0, 1.1}};

static const char *const pose[] = {"x", "y", "z", "angle", "qw", "qx", "qy", "qz"};
enum { POSE = sizeof pose / sizeof *pose };

static trm_results *run_with(const trm_model *model, trm_settings settings, const char *energy) {
  settings.energy = energy;
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  assert_non_null(sim);
  for (int i = 0; i < POSE * trm_model_body_count(model); i++) {
    char name[200];
    snprintf(name, sizeof name, "%s.%s", trm_model_body_name(model, i / POSE), pose[i % POSE]);
    trm_simulation_record(sim, name, NULL); /* those the space has */
  }
  trm_results *results = trm_results_create();
  assert_int_equal(trm_simulation_run(sim, results, NULL, NULL, NULL), TRM_OK);
  trm_simulation_destroy(sim);
  return results;
}

/* Largest difference of the bodies' poses. */
static double off(const trm_model *model, const trm_results *a, const trm_results *b) {
  double largest = 0;
  for (int i = 0; i < POSE * trm_model_body_count(model); i++) {
    char name[200];
    snprintf(name, sizeof name, "%s.%s", trm_model_body_name(model, i / POSE), pose[i % POSE]);
    int ka = trm_results_find(a, name), kb = trm_results_find(b, name);
    for (int r = 0; ka >= 0 && r < trm_results_rows(a); r++)
      largest = larger(largest, fabs(trm_results_get(a, r, ka) - trm_results_get(b, r, kb)));
  }
  return largest;
}

static void compare(const row *m) {
  char path[200];
  snprintf(path, sizeof path, "models/%s.yaml", m->name);
  trm_model *model = run_load(path);
  trm_settings settings = *trm_model_settings(model), tight;
  settings.coordinates = "natural";
  settings.stabilization = "direct";
  settings.integrator = "rk4";
  settings.step = 1e-2;
  settings.output_step = 0.1;
  if (m->duration > 0) settings.duration = m->duration;
  tight = settings;
  tight.integrator = "dopri5";
  tight.rtol = 1e-12;
  tight.atol = 1e-13;
  trm_results *exact = run_with(model, tight, "free");
  trm_results *free = run_with(model, settings, "free");
  trm_results *kept = run_with(model, settings, "conserve");
  double without = off(model, free, exact), with = off(model, kept, exact);
  print_message("| %-24s | %4g | %.1e | %.1e | %.2f |\n", m->name, settings.duration, without, with,
                with / without);
  assert_true(without > 0);
  assert_true(with <= m->limit * without);
  trm_results_destroy(exact);
  trm_results_destroy(free);
  trm_results_destroy(kept);
  trm_model_destroy(model);
}

static void conservative_with_one_freedom(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof one_freedom / sizeof *one_freedom; i++) compare(&one_freedom[i]);
}

static void all_the_others(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) compare(&others[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(conservative_with_one_freedom),
                                     cmocka_unit_test(all_the_others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
