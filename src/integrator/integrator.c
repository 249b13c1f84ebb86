/* The integrators by name. */
#include "integrator/integrator.h"

#include <string.h>

static const struct method {
  const char *name;
  const trm_tableau *tableau;
  int steps;
} methods[] = {
    {"euler", &trm_euler, 0}, {"rk4", &trm_rk4, 0}, {"rk6", &trm_rk6, 0}, {"ab2", &trm_rk4, 2},
    {"ab3", &trm_rk4, 3},     {"ab4", &trm_rk4, 4}, {"ab5", &trm_rk6, 5}, {"ab6", &trm_rk6, 6},
};

static const struct method *find(const char *name) {
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strcmp(methods[i].name, name) == 0) return &methods[i];
  return NULL;
}

static bool create_history(trm_integrator *in, trm_arena *arena) {
  in->history = TRM_NEW(arena, double *, in->steps - 1);
  for (int j = 0; in->history && j < in->steps - 1; j++)
    if (!(in->history[j] = TRM_NEW(arena, double, in->size))) return false;
  return in->history != NULL;
}

trm_integrator *trm_integrator_create(const char *name, trm_arena *arena, int size) {
  const struct method *method = find(name);
  trm_integrator *in = method ? TRM_NEW(arena, trm_integrator, 1) : NULL;
  if (!in) return NULL;
  in->name = method->name;
  in->tableau = method->tableau;
  in->steps = method->steps;
  in->size = size;
  in->k = TRM_NEW(arena, double, method->tableau->stages *size);
  in->trial = TRM_NEW(arena, double, size);
  in->rates = TRM_NEW(arena, double, size);
  if (!in->k || !in->trial || !in->rates) return NULL;
  if (in->steps == 0) return in;
  in->weights = trm_adams_bashforth_weights(in->steps);
  return create_history(in, arena) ? in : NULL;
}

bool trm_integrator_step(trm_integrator *in, trm_dynamics *dynamics, double t, double end, double h,
                         double *y, double *ydot) {
  bool good = in->steps ? trm_adams_bashforth_step(in, dynamics, t, end, h, y, ydot)
                        : trm_runge_kutta_step(in, dynamics, t, end, h, y, ydot);
  if (!good) return false;
  memcpy(y, in->trial, (size_t)in->size * sizeof(double));
  memcpy(ydot, in->rates, (size_t)in->size * sizeof(double));
  return true;
}

void trm_integrator_restart(trm_integrator *in) {
  in->known = 0;
}
