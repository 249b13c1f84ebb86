/* Who is behind a residual that does not go away: for messages. */
#include <stdio.h>
#include <string.h>

#include "system/system.h"

/* The body, or all of a generic system, that a coordinate is of: where its entries begin and end.
 */
static int block_of(const trm_system *sys, int coordinate, int *start, int *end) {
  int b = 0;
  while (coordinate >= sys->structure.q_start[b + 1]) b++;
  *start = sys->structure.q_start[b];
  *end = sys->structure.q_start[b + 1];
  return b;
}

/* The force that acts most on a coordinate's body, or −1. */
static int strongest_force(trm_system *sys, int coordinate) {
  int best = -1, start, end;
  double most = 0, power = 0;
  block_of(sys, coordinate, &start, &end);
  for (int i = 0; i < sys->model->force_count; i++) {
    trm_element *e = &sys->elements[i];
    memset(sys->Q, 0, (size_t)sys->n * sizeof(double));
    if (e->type->apply(e, &sys->motion, sys->slots, sys->Q, &power)) return i;
    for (int k = start; k < end; k++) {
      if (!(fabs(sys->Q[k]) > most)) continue;
      most = fabs(sys->Q[k]);
      best = i;
    }
  }
  return best;
}

/* The row of a joint whose reaction acts most there, or −1. */
static int strongest_reaction(const trm_system *sys, int coordinate) {
  const trm_structure *s = &sys->structure;
  int start, end, best = -1, b = block_of(sys, coordinate, &start, &end);
  const double *value = sys->Cq + s->panel_value[b];
  double most = 0;
  for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++)
    for (int k = start; k < end; k++, value++) {
      int row = s->panel_row[p];
      double reaction = fabs(*value * sys->lambda[row]);
      if (!(reaction > most) || trm_system_row_group(sys, row) < 0) continue;
      most = reaction;
      best = row;
    }
  return best;
}

void trm_system_name_cause(trm_system *sys, int coordinate, int row, char *text, size_t size) {
  char name[160];
  int group = coordinate < 0 ? trm_system_row_group(sys, row) : -1;
  if (group >= 0) {
    trm_system_group_name(sys, group, name, sizeof name);
    snprintf(text, size, sys->generic ? "%s" : "joint '%s'", name);
    return;
  }
  if (coordinate < 0) coordinate = sys->generic ? 0 : sys->type->row_coordinate(sys, row);
  trm_system_coordinate_name(sys, coordinate, name, sizeof name);
  if (coordinate >= sys->n) {
    snprintf(text, size, "%s", name);
    return;
  }
  int force = sys->generic || sys->spanning ? -1 : strongest_force(sys, coordinate);
  int reaction = force < 0 ? strongest_reaction(sys, coordinate) : -1;
  char joint[100] = "";
  if (reaction >= 0)
    trm_system_group_name(sys, trm_system_row_group(sys, reaction), joint, sizeof joint);
  if (force >= 0)
    snprintf(text, size, "force '%s' on %s", sys->model->forces[force].name, name);
  else if (reaction >= 0)
    snprintf(text, size, sys->generic ? "%s on %s" : "joint '%s' on %s", joint, name);
  else
    snprintf(text, size, "the motion of %s", name);
}
