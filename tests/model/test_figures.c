/* Figures, metrics, scenery and view of a model that is built by calls. */
#include <string.h>
#include <trammel/trammel.h>

#include "../check.h"

/* A ball thrown upwards: y = 20 t − 5 t². */
static trm_model *throw_ball(void) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_body_def ball = trm_default_body();
  trm_settings settings = trm_default_settings();
  ball.name = "ball";
  ball.mass = 1;
  ball.velocity_given = true;
  ball.velocity[1] = 20;
  settings.duration = 4;
  settings.output_step = 0.1;
  trm_model_set_gravity(model, (double[3]){0, -10, 0});
  trm_model_set_settings(model, &settings);
  trm_model_set_parameter(model, "two", 2);
  trm_model_add_body(model, &ball);
  trm_model_add_output(model, "ball.x");
  return model;
}

static void a_model_built_by_calls_has_metrics(void **state) {
  (void)state;
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = throw_ball();
  trm_figure_def figure = trm_default_figure();
  trm_scenery_def post = trm_default_scenery();
  figure.name = "way";
  figure.y = (const char *const[]){"ball.y", "two*ball.vy"};
  figure.count = 2;
  post.name = "post";
  post.shape.type = TRM_SHAPE_BOX;
  trm_model_add_figure(model, &figure);
  post.position[2] = -1; /* pictures are in space */
  trm_model_add_scenery(model, &post);
  trm_model_set_view(model, "ball", NULL, false);
  trm_model_add_metric(model, "height", "max(ball.y)");
  trm_model_add_metric(model, "twice", "two*height");
  trm_model_add_metric(model, "never", "first(ball.y > 30)");
  assert_int_equal(trm_model_finish(model, diagnostics), TRM_OK);
  trm_simulation *simulation = trm_simulation_create(model, NULL, diagnostics, NULL);
  trm_results *results = trm_results_create();
  assert_non_null(simulation);
  assert_int_equal(trm_simulation_run(simulation, results, NULL, NULL, diagnostics), TRM_OK);
  assert_int_equal(trm_results_columns(results), 4); /* t, ball.x, ball.y, ball.vy */
  assert_string_equal(trm_results_name(results, 3), "ball.vy");
  const trm_summary *summary = trm_simulation_summary(simulation);
  assert_int_equal(summary->metric_count, 3);
  assert_string_equal(summary->metric_names[1], "twice");
  assert_near(summary->metrics[0], 20, 1e-9);
  assert_near(summary->metrics[1], 40, 2e-9);
  assert_true(isnan(summary->metrics[2]));
  /* without a table there are no rows to take them from */
  assert_int_equal(trm_simulation_run(simulation, NULL, NULL, NULL, diagnostics), TRM_OK);
  assert_int_equal(trm_simulation_summary(simulation)->metric_count, 0);
  trm_results_destroy(results);
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
}

static void definitions_need_their_size(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_model *model = throw_ball();
    if (k == 0) trm_model_add_figure(model, &(trm_figure_def){.name = "way"});
    if (k == 1) trm_model_add_scenery(model, &(trm_scenery_def){.name = "post"});
    assert_int_equal(trm_model_finish(model, diagnostics), TRM_BAD_USAGE);
    trm_model_destroy(model);
    trm_diagnostics_destroy(diagnostics);
  }
}

static void mistakes_are_reported(void **state) {
  (void)state;
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = throw_ball();
  trm_figure_def figure = trm_default_figure();
  figure.name = "empty";
  trm_model_add_figure(model, &figure);
  trm_model_add_metric(model, "height", "max(ball.q)");
  trm_model_add_metric(model, "height", "max(ball.y)");
  trm_model_add_metric(model, "1st", "max(ball.y)");
  trm_model_set_view(model, "bal", NULL, false);
  assert_int_equal(trm_model_finish(model, diagnostics), TRM_BAD_MODEL);
  assert_int_equal(trm_diagnostics_count(diagnostics), 5);
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_built_by_calls_has_metrics),
      cmocka_unit_test(definitions_need_their_size),
      cmocka_unit_test(mistakes_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
