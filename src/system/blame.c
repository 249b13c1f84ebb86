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
  char name[160];
  int group = coordinate < 0 ? trm_system_row_group(sys, row) : -1;
  if (group >= 0) {
    trm_system_group_name(sys, group, name, sizeof name);
    snprintf(text, size, sys->generic ? "%s" : "joint '%s'", name);
    return;
  }
  if (coordinate < 0)
    coordinate = sys->generic ? 0 : row / sys->motion.coordinates->intrinsic * sys->motion.nq;
  trm_system_coordinate_name(sys, coordinate, name, sizeof name);
  int force = sys->generic ? -1 : strongest(sys, coordinate);
  if (force >= 0)
    snprintf(text, size, "force '%s' on %s", sys->model->forces[force].name, name);
  else
    snprintf(text, size, "the motion of %s", name);
}
