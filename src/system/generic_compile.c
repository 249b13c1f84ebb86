/* Laying out a system of the user's own: one block, all rows in its panel. */
#include <string.h>

#include "system/generic.h"

static bool lay_out(trm_system *sys) {
  const trm_user *user = sys->generic->user;
  int n = sys->n, m = sys->m;
  double *weight = TRM_NEW(sys->arena, double, m + 1);
  sys->Cq = TRM_NEW(sys->arena, double, (size_t)m *(size_t)n + 1);
  if (!weight || !sys->Cq) return false;
  for (int i = 0; i < m; i++) weight[i] = 1;
  if (!trm_structure_whole(&sys->structure, sys->arena, n, m, user->mass_diagonal)) return false;
  sys->structure.mass_constant = user->mass_constant;
  sys->structure.weight = weight;
  return true;
}

static bool create_workspace(trm_system *sys) {
  trm_generic *g = sys->generic;
  const trm_user *user = g->user;
  size_t n = (size_t)sys->n, point = 1 + 2 * n;
  g->x = TRM_NEW(sys->arena, double, point);
  g->y = TRM_NEW(sys->arena, double, point);
  g->linear = TRM_NEW(sys->arena, double, n);
  g->jets = TRM_NEW(sys->arena, trm_jet, point);
  g->phi = TRM_NEW(sys->arena, trm_jet, user->m + user->p + 1);
  g->gradient = TRM_NEW(sys->arena, double, point);
  g->L = TRM_NEW(sys->arena, double, user->mass_diagonal ? 1 : n *n);
  g->product = TRM_NEW(sys->arena, double, n);
  g->residual = TRM_NEW(sys->arena, double, sys->m + 1);
  g->change = TRM_NEW(sys->arena, double, n);
  g->rows = TRM_NEW(sys->arena, double, (size_t)(user->m + user->p) * n + 1);
  return !trm_arena_failed(sys->arena);
}

static bool add_conditions(trm_generic *g, const trm_condition *conditions, int count,
                           trm_arena *arena) {
  trm_condition *copy = TRM_NEW(arena, trm_condition, count + 1);
  if (!copy) return false;
  if (count > 0) memcpy(copy, conditions, (size_t)count * sizeof *copy);
  g->conditions = copy;
  g->condition_count = count;
  return true;
}

/* origins: NULL where they have none of their own */
static void collect(trm_system *sys, const trm_quantity *list, int count,
                    const trm_origin *origins) {
  for (int i = 0; i < count; i++)
    if (list[i].formula && !trm_expression_is_smooth(list[i].formula))
      sys->piecewise[sys->piecewise_count++] = (trm_piecewise){
          list[i].formula, "system", origins ? origins[i] : (trm_origin){0}, 0, false};
}

static bool collect_pieces(trm_system *sys) {
  const trm_user *user = sys->generic->user;
  int mass = user->mass_diagonal ? user->n : user->n * user->n;
  if (!user->formulas) return true;
  sys->piecewise = TRM_NEW(sys->arena, trm_piecewise, mass + user->n + user->m + user->p);
  if (!sys->piecewise) return false;
  collect(sys, user->mass, mass, NULL);
  collect(sys, user->force, user->n, user->force_origin);
  collect(sys, user->position, user->m, user->position_origin);
  collect(sys, user->velocity, user->p, user->velocity_origin);
  return true;
}

/* Coordinates have no common unit: each is as large as it is at the start, or as all of them. */
static void measure_size(trm_system *sys) {
  trm_generic *g = sys->generic;
  const double *q = g->user->q;
  double largest = 0;
  for (int i = 0; i < sys->n; i++) largest = fmax(largest, fabs(q[i]));
  if (largest == 0) largest = 1;
  for (int i = 0; i < sys->n; i++) sys->span[i] = fmax(fabs(q[i]), 1e-3 * largest);
  sys->structure.span = sys->span;
  sys->size = largest;
  memcpy(g->x + 1, q, (size_t)sys->n * sizeof *q);
  trm_generic_position_rows(g, g->x, sys->C, sys->Cq, sys->Ct);
  for (int i = 0; i < g->user->m; i++) {
    double size = 0; /* of the terms that cancel in C */
    for (int j = 0; j < sys->n; j++) size += fabs(sys->Cq[i * sys->n + j] * q[j]);
    if (isfinite(size)) sys->size = fmax(sys->size, size);
  }
}

static bool uses_time(const trm_expression *formula) {
  const int *used;
  return trm_expression_used(formula, &used) > 0 && used[0] == 0;
}

trm_system *trm_generic_create(const trm_model *model, const trm_condition *conditions,
                               int condition_count, trm_arena *arena) {
  trm_system *sys = TRM_NEW(arena, trm_system, 1);
  trm_generic *g = TRM_NEW(arena, trm_generic, 1);
  if (!sys || !g) return NULL;
  const trm_user *user = g->user = model->user;
  sys->type = user->velocity_linear ? &trm_generic_linear : &trm_generic_nonlinear;
  sys->model = model;
  sys->arena = arena;
  sys->generic = g;
  sys->n = user->n;
  sys->groups = user->m + user->p;
  sys->m = sys->groups + condition_count;
  sys->has_energy = user->has_energy;
  if (!add_conditions(g, conditions, condition_count, arena) || !lay_out(sys) ||
      !trm_system_arrays(sys) || !create_workspace(sys) || !collect_pieces(sys))
    return NULL;
  for (int i = user->m; i < sys->m; i++)
    sys->rate_row[i] = i < sys->groups || g->conditions[i - sys->groups].rate;
  for (int i = 0; i < user->m && user->formulas; i++)
    sys->timed_row[i] = uses_time(user->position[i].formula);
  if (!user->velocity_linear) memcpy(g->linear, user->v, (size_t)user->n * sizeof(double));
  measure_size(sys);
  return sys;
}
