/* Chaplygin's sleigh: a body on a blade that does not slip sideways, its centre of mass a distance
 * `a` ahead. The constraint is one of velocities, the mass matrix depends on the angle.
 *
 * With J = 3 m a² and the turn rate w at the start, u = w t/2: speed along the blade 2 a w tanh u,
 * angle 2 gd(u), x = 4a (tanh² u − ln cosh u), y = 4a (gd(u) − tanh u / cosh u). */
#include <stdio.h>
#include <trammel/trammel.h>

enum { X, Y, TH, N };

typedef struct sleigh {
  double m, a, J;
} sleigh;

static void mass(void *context, double t, const double *q, double *M) {
  const sleigh *s = context;
  double c = s->m * s->a * cos(q[TH]), d = s->m * s->a * sin(q[TH]);
  const double values[N * N] = {s->m, 0, -d, 0, s->m, c, -d, c, s->J + s->m * s->a * s->a};
  (void)t;
  for (int k = 0; k < N * N; k++) M[k] = values[k];
}

/* The centrifugal force of the centre of mass: Q holds everything that is not M q̈. */
static void force(void *context, double t, const double *q, const double *v, double *Q) {
  const sleigh *s = context;
  double f = s->m * s->a * v[TH] * v[TH];
  (void)t;
  Q[X] = f * cos(q[TH]);
  Q[Y] = f * sin(q[TH]);
  Q[TH] = 0;
}

/* x' sin θ − y' cos θ */
static void blade(void *context, trm_jet t, const trm_jet *q, const trm_jet *v, trm_jet *phi) {
  (void)context, (void)t;
  phi[0] = trm_jet_subtract(trm_jet_multiply(v[X], trm_jet_sin(q[TH])),
                            trm_jet_multiply(v[Y], trm_jet_cos(q[TH])));
}

static double value(trm_simulation *simulation, const char *measure) {
  return trm_simulation_get(simulation, trm_simulation_find(simulation, measure, NULL));
}

int main(void) {
  sleigh s = {.m = 1, .a = 0.5, .J = 0.75};
  const double w = 1;
  trm_system_def def = trm_default_system();
  def.coordinates = N;
  def.velocity_constraints = 1;
  def.names = (const char *const[]){"x", "y", "theta"};
  def.q = (const double[]){0, 0, 0};
  def.v = (const double[]){0, 0, w};
  def.context = &s;
  def.mass = mass;
  def.force = force;
  def.velocity_jet = blade;
  def.velocity_linear = true;
  trm_model *model = trm_model_create_system(&def);

  trm_settings settings = trm_default_settings();
  settings.duration = 4;
  trm_simulation *simulation = NULL;
  if (trm_model_finish(model, NULL) == TRM_OK)
    simulation = trm_simulation_create(model, &settings, NULL, NULL);
  if (!simulation || trm_simulation_run(simulation, NULL, NULL, NULL, NULL) != TRM_OK) return 1;
  double u = w * settings.duration / 2, gd = 2 * atan(tanh(u / 2));
  printf("blade   (%.9f, %.9f), angle %.9f\n", value(simulation, "x"), value(simulation, "y"),
         value(simulation, "theta"));
  printf("exactly (%.9f, %.9f), angle %.9f\n", 4 * s.a * (tanh(u) * tanh(u) - log(cosh(u))),
         4 * s.a * (gd - tanh(u) / cosh(u)), 2 * gd);
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
  return 0;
}
