/* A planet around a fixed sun: no constraint at all, one conserved quantity. Runge-Kutta lets it
 * spiral; with `energy: conserve` it stays on its ellipse and is back after every revolution. */
#include <stdio.h>
#include <trammel/trammel.h>

static const double eccentricity = 0.6;

static void mass(void *context, double t, const double *q, double *M) {
  (void)context, (void)t, (void)q;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
}

static void force(void *context, double t, const double *q, const double *v, double *Q) {
  double r = hypot(q[0], q[1]);
  (void)context, (void)t, (void)v;
  for (int i = 0; i < 2; i++) Q[i] = -q[i] / (r * r * r);
}

static double energy(void *context, double t, const double *q, const double *v) {
  (void)context, (void)t;
  return (v[0] * v[0] + v[1] * v[1]) / 2 - 1 / hypot(q[0], q[1]);
}

int main(void) {
  const double pi = 3.14159265358979323846, e = eccentricity;
  trm_system_def def = trm_default_system();
  def.coordinates = 2;
  def.names = (const char *const[]){"x", "y"};
  def.q = (const double[]){1 - e, 0};
  def.v = (const double[]){0, sqrt((1 + e) / (1 - e))};
  def.mass = mass;
  def.mass_constant = true;
  def.force = force;
  def.energy = energy;
  trm_model *model = trm_model_create_system(&def);

  trm_settings settings = trm_default_settings();
  settings.energy = "conserve";
  settings.integrator = "rk6";
  settings.duration = 20 * pi;
  settings.step = 2 * pi / 1000;
  trm_simulation *simulation = NULL;
  if (trm_model_finish(model, NULL) == TRM_OK)
    simulation = trm_simulation_create(model, &settings, NULL, NULL);
  if (!simulation || trm_simulation_run(simulation, NULL, NULL, NULL, NULL) != TRM_OK) return 1;
  double x = trm_simulation_get(simulation, trm_simulation_find(simulation, "x", NULL));
  double y = trm_simulation_get(simulation, trm_simulation_find(simulation, "y", NULL));
  const trm_summary *summary = trm_simulation_summary(simulation);
  printf("after 10 revolutions: r = %.6f, |angle| < 1e-5: %s, energy %.12f\n", hypot(x, y),
         fabs(atan2(y, x)) < 1e-5 ? "yes" : "no", summary->energy_final);
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
  return 0;
}
