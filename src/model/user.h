/* A system of the user's own: callbacks, or formulas of t, coordinates and velocities. */
#ifndef TRM_MODEL_USER_H
#define TRM_MODEL_USER_H

#include <trammel/system.h>

#include "model/model.h"

/* In every formula slot 0 is t, 1 … n the coordinates, n + 1 … 2n the velocities. */
typedef struct trm_user {
  int n, m, p;        /* coordinates, position constraints, velocity constraints */
  const char **names; /* [n] of the coordinates */
  double *q, *v;      /* [n] as written */
  bool *v_given;      /* [n] */
  bool mass_constant, mass_diagonal;
  bool velocity_linear; /* Φᵥ in v */
  bool has_energy;

  bool formulas; /* else callbacks */
  trm_system_def callbacks;
  trm_quantity *mass;                        /* [n] where diagonal, else [n × n] */
  trm_quantity *force, *position, *velocity; /* [n], [m], [p] */
  trm_quantity energy;

  /* where formulas stand in the file; line 0 for callbacks */
  trm_origin mass_origin, energy_origin;
  trm_origin *coordinate_origin, *force_origin, *position_origin, *velocity_origin;
} trm_user;

/* A measure by its full name: a coordinate, x', x'', lambda1, energy.total, constraint.position. */
bool trm_user_measure(const trm_model *model, const char *text, size_t length, trm_measure *measure,
                      char *reason, size_t size);
/* Everything a selection names behind *count of *list; selection == NULL: all there is. */
bool trm_user_select(trm_model *model, const char *selection, trm_measure **list, int *count,
                     char *reason, size_t size);

#endif
