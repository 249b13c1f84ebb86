/* The double four-bar linkage of D. J. Braun and M. Goldfarb, section 4.2, in point coordinates:
 * six coordinates, five constraints, which lose rank whenever the posts lie flat. Its reduced
 * equation is θ'' + (7g/6l) cos θ = 0. */
#include <stdio.h>
#include <trammel/trammel.h>

enum { N = 6, M_ROWS = 5 };

static const double m = 1, l = 1, g = 9.81;

/* Rods between points: a third of the mass at each end, a sixth across. */
static void mass(void *context, double t, const double *q, double *M) {
  const double points[3][3] = {{2 * m / 3, m / 6, 0}, {m / 6, m, m / 6}, {0, m / 6, 2 * m / 3}};
  (void)context, (void)t, (void)q;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) M[N * i + j] = i % 2 == j % 2 ? points[i / 2][j / 2] : 0;
}

static void force(void *context, double t, const double *q, const double *v, double *Q) {
  const double weight[N] = {0, -m * g, 0, -1.5 * m * g, 0, -m * g};
  (void)context, (void)t, (void)q, (void)v;
  for (int i = 0; i < N; i++) Q[i] = weight[i];
}

static trm_jet distance(trm_jet dx, trm_jet dy) {
  trm_jet square = trm_jet_add(trm_jet_square(dx), trm_jet_square(dy));
  return trm_jet_scale(trm_jet_shift(square, -l * l), 1 / (2 * l));
}

static void constraints(void *context, trm_jet t, const trm_jet *q, trm_jet *phi) {
  (void)context, (void)t;
  for (int i = 0; i < 3; i++) phi[i] = distance(trm_jet_shift(q[2 * i], -i * l), q[2 * i + 1]);
  for (int i = 0; i < 2; i++)
    phi[3 + i] = distance(trm_jet_subtract(q[2 * i + 2], q[2 * i]),
                          trm_jet_subtract(q[2 * i + 3], q[2 * i + 1]));
}

int main(void) {
  trm_system_def def = trm_default_system();
  def.coordinates = N;
  def.position_constraints = M_ROWS;
  def.names = (const char *const[]){"x1", "y1", "x2", "y2", "x3", "y3"};
  def.q = (const double[]){0, 1, 1, 1, 2, 1};
  def.v = (const double[]){1, 0, 1, 0, 1, 0};
  def.mass = mass;
  def.mass_constant = true;
  def.force = force;
  def.position_jet = constraints;
  trm_model *model = trm_model_create_system(&def);

  trm_settings settings = trm_default_settings();
  settings.duration = 10;
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_simulation *simulation = NULL;
  if (trm_model_finish(model, diagnostics) == TRM_OK)
    simulation = trm_simulation_create(model, &settings, diagnostics, NULL);
  if (!simulation || trm_simulation_run(simulation, NULL, NULL, NULL, NULL) != TRM_OK) return 1;
  trm_inspection found = trm_simulation_inspect(simulation);
  printf("%d coordinates, %d constraints, %d freedom\n", found.coordinates, found.constraints,
         found.degrees_of_freedom);
  for (int i = 1; i <= 3; i += 2) {
    char x[16], y[16];
    snprintf(x, sizeof x, "x%d", i);
    snprintf(y, sizeof y, "y%d", i);
    printf("after 10 s joint %d is at (%.7f, %.7f) m\n", i,
           trm_simulation_get(simulation, trm_simulation_find(simulation, x, NULL)),
           trm_simulation_get(simulation, trm_simulation_find(simulation, y, NULL)));
  }
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
  return 0;
}
