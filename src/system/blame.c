/* Who is behind a residual that does not go away: for messages. */
#include <stdio.h>
#include <string.h>

#include "system/system.h"

/* The force that acts most on a coordinate, or −1. */
static int strongest(trm_system *sys, int coordinate) {
  int best = -1;
  double most = 0, power = 0;
  for (int i = 0; i < sys->model->force_count; i++) {
    trm_element *e = &sys->elements[i];
    memset(sys->Q, 0, (size_t)sys->n * sizeof(double));
    if (e->type->apply(e, &sys->motion, sys->slots, sys->Q, &power)) return i;
    if (!(fabs(sys->Q[coordinate]) > most)) continue;
    most = fabs(sys->Q[coordinate]);
    best = i;
  }
  return best;
}

void trm_system_blame(trm_system *sys, int coordinate, int row, char *text, size_t size) {
  if (coordinate < 0) {
    int joint = trm_system_row_joint(sys, row), body = trm_system_row_body(sys, row);
    const char *name = joint >= 0  ? sys->model->joints[joint].name
                       : body >= 0 ? sys->model->bodies[body].name
                                   : "?";
    snprintf(text, size, "%s '%s'", joint >= 0 ? "joint" : "body", name);
    return;
  }
  int force = strongest(sys, coordinate);
  if (force >= 0)
    snprintf(text, size, "force '%s' on body '%s'", sys->model->forces[force].name,
             sys->model->bodies[coordinate / sys->motion.nq].name);
  else
    snprintf(text, size, "the motion of body '%s'",
             sys->model->bodies[coordinate / sys->motion.nq].name);
}
