/* The four-bar linkage of models/four_bar.yaml, built by calls instead of a file. */
#include <math.h>
#include <stdio.h>
#include <trammel/trammel.h>

static void add_link(trm_model *model, const char *name, double x, double y, double angle) {
  trm_body_def body = trm_default_body();
  body.name = name;
  body.mass = 3;
  body.inertia[2] = 4.04;
  body.position[0] = x;
  body.position[1] = y;
  body.angle = angle;
  trm_model_add_body(model, &body);
  trm_model_add_point(model, name, "first", (double[3]){-2, 0, 0});
  trm_model_add_point(model, name, "last", (double[3]){2, 0, 0});
}

static void add_pin(trm_model *model, const char *name, const char *first, const char *second) {
  trm_joint_def joint = trm_default_joint();
  joint.name = name;
  joint.type = TRM_JOINT_REVOLUTE;
  joint.connect[0] = first;
  joint.connect[1] = second;
  trm_model_add_joint(model, &joint);
}

int main(void) {
  const double pi = 3.14159265358979323846, r = sqrt(2);
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_model_set_name(model, "Four-bar linkage", "built by calls");
  trm_model_set_gravity(model, (double[3]){0, -9.81, 0});
  trm_model_add_point(model, "ground", "A", (double[3]){0, 0, 0});
  trm_model_add_point(model, "ground", "D", (double[3]){4, 0, 0});
  add_link(model, "crank", r, -r, -pi / 4);
  add_link(model, "coupler", 2 * r + 2, -2 * r, 0);
  add_link(model, "rocker", r + 4, -r, 3 * pi / 4);
  add_pin(model, "A", "ground.A", "crank.first");
  add_pin(model, "B", "crank.last", "coupler.first");
  add_pin(model, "C", "coupler.last", "rocker.first");
  add_pin(model, "D", "rocker.last", "ground.D");

  trm_settings settings = trm_default_settings();
  settings.integrator = "ab6";
  settings.duration = 5;
  trm_simulation *simulation = NULL;
  if (trm_model_finish(model, NULL) == TRM_OK)
    simulation = trm_simulation_create(model, &settings, NULL, NULL);
  if (!simulation || trm_simulation_run(simulation, NULL, NULL, NULL, NULL) != TRM_OK) return 1;
  int y = trm_simulation_find(simulation, "coupler.y", NULL);
  int force = trm_simulation_find(simulation, "A.fy", NULL);
  printf("after %g s the coupler is at y = %.9f m, pin A carries %.3f N upwards\n",
         trm_simulation_time(simulation), trm_simulation_get(simulation, y),
         trm_simulation_get(simulation, force));
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
  return 0;
}
