/* The slider-crank of D. J. Braun and M. Goldfarb in the six absolute coordinates of their eq. 21,
 * as a system of its own: constraints over jets (eq. 22 and its missing fifth row), energy (eq.
 * 23), corrected as they do. 100 s with their step of 1e-2 s. */
#include <stdio.h>
#include <trammel/trammel.h>

enum { X1, Y1, TH1, X2, Y2, TH2, N };

static const double m = 1, l = 1, g = 9.81, J = 1.0 / 12;

static void mass(void *context, double t, const double *q, double *M) {
  const double diagonal[N] = {m, m, J, m, m, J};
  (void)context, (void)t, (void)q;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) M[N * i + j] = i == j ? diagonal[i] : 0;
}

static void force(void *context, double t, const double *q, const double *v, double *Q) {
  (void)context, (void)t, (void)q, (void)v;
  for (int i = 0; i < N; i++) Q[i] = i == Y1 || i == Y2 ? -m * g : 0;
}

/* Jets carry derivatives along: nothing else has to be differentiated by hand. */
static void constraints(void *context, trm_jet t, const trm_jet *q, trm_jet *phi) {
  trm_jet c1 = trm_jet_scale(trm_jet_cos(q[TH1]), l / 2);
  trm_jet s1 = trm_jet_scale(trm_jet_sin(q[TH1]), l / 2);
  trm_jet c2 = trm_jet_scale(trm_jet_cos(q[TH2]), l / 2);
  trm_jet s2 = trm_jet_scale(trm_jet_sin(q[TH2]), l / 2);
  (void)context, (void)t;
  phi[0] = trm_jet_subtract(q[X1], c1);
  phi[1] = trm_jet_subtract(q[Y1], s1);
  phi[2] = trm_jet_subtract(trm_jet_add(q[X1], c1), trm_jet_subtract(q[X2], c2));
  phi[3] = trm_jet_subtract(trm_jet_add(q[Y1], s1), trm_jet_subtract(q[Y2], s2));
  phi[4] = trm_jet_add(q[Y2], s2); /* the slider stays on the x axis */
}

static double energy(void *context, double t, const double *q, const double *v) {
  double linear = v[X1] * v[X1] + v[Y1] * v[Y1] + v[X2] * v[X2] + v[Y2] * v[Y2];
  double angular = v[TH1] * v[TH1] + v[TH2] * v[TH2];
  (void)context, (void)t;
  return (m * linear + J * angular) / 2 + m * g * (q[Y1] + q[Y2]);
}

int main(void) {
  const double pi = 3.14159265358979323846, c = cos(pi / 4) / 2;
  trm_system_def def = trm_default_system();
  def.coordinates = N;
  def.position_constraints = 5;
  def.names = (const char *const[]){"x1", "y1", "theta1", "x2", "y2", "theta2"};
  def.q = (const double[]){c, c, pi / 4, 3 * c, c, -pi / 4};
  def.mass = mass;
  def.mass_constant = true;
  def.force = force;
  def.position_jet = constraints;
  def.energy = energy;
  trm_model *model = trm_model_create_system(&def);

  trm_settings settings = trm_default_settings();
  settings.stabilization = "embedded";
  settings.energy = "conserve";
  settings.step = 1e-2;
  settings.duration = 100;
  trm_simulation *simulation = NULL;
  if (trm_model_finish(model, NULL) == TRM_OK)
    simulation = trm_simulation_create(model, &settings, NULL, NULL);
  if (!simulation || trm_simulation_run(simulation, NULL, NULL, NULL, NULL) != TRM_OK) return 1;
  double x2 = trm_simulation_get(simulation, trm_simulation_find(simulation, "x2", NULL));
  double th2 = trm_simulation_get(simulation, trm_simulation_find(simulation, "theta2", NULL));
  const trm_summary *summary = trm_simulation_summary(simulation);
  printf("after 100 s the slider is at %.5f m\n", x2 + l / 2 * cos(th2));
  printf("constraints are kept to 1e-7: %s, the energy to 1e-5 J: %s\n",
         summary->max_position_violation < 1e-7 ? "yes" : "no",
         summary->max_energy_error < 1e-5 ? "yes" : "no");
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
  return 0;
}
