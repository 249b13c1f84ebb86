/* Formulas made of pieces: where one changes its piece, an integrator should not step across. */
#include "system/mechanism.h"

static void collect(trm_system *sys, const trm_quantity *quantity, const char *owner,
                    trm_origin origin) {
  if (!quantity->formula || trm_expression_is_smooth(quantity->formula)) return;
  sys->piecewise[sys->piecewise_count++] =
      (trm_piecewise){quantity->formula, owner, origin, 0, false};
}

bool trm_system_pieces(trm_system *sys) {
  const trm_model *model = sys->model;
  int most = 9 * model->force_count + model->joint_count + model->signal_count + 1;
  sys->piecewise = TRM_NEW(sys->arena, trm_piecewise, most);
  if (!sys->piecewise) return false;
  for (int i = 0; i < model->signal_count; i++) { /* before those that use them */
    const trm_signal *signal = &model->signals[model->signal_order[i]];
    collect(sys, &signal->value, signal->name, signal->origin);
  }
  for (int i = 0; i < model->force_count; i++) {
    const trm_force *force = &model->forces[i];
    for (int k = 0; k < TRM_MOST_VALUES; k++)
      collect(sys, &force->value[k], force->name, force->origin);
    collect(sys, &force->stiffness, force->name, force->origin);
    collect(sys, &force->damping, force->name, force->origin);
    collect(sys, &force->free, force->name, force->origin);
  }
  for (int j = 0; j < model->joint_count; j++)
    collect(sys, &model->joints[j].value, model->joints[j].name, model->joints[j].origin);
  return true;
}

unsigned long trm_pieces_branch(trm_system *sys, const double *slots) {
  unsigned long branch = 1;
  for (int i = 0; i < sys->piecewise_count; i++) {
    trm_piecewise *p = &sys->piecewise[i];
    unsigned long now = trm_expression_branch(p->formula, slots);
    p->changes = now != p->branch;
    p->branch = now;
    branch = branch * 1000003 + now;
  }
  return branch;
}

unsigned long trm_mechanism_branch(trm_system *sys, double t, const double *q, const double *v) {
  trm_mechanism_fill_slots(sys, t, q, v);
  return trm_pieces_branch(sys, sys->slots);
}

int trm_system_find_switch(const trm_system *sys, const double *before, const double *behind,
                           trm_switch *at) {
  for (int i = 0; i < sys->piecewise_count; i++) {
    const trm_expression *formula = sys->piecewise[i].formula;
    if (trm_expression_branch(formula, before) == trm_expression_branch(formula, behind)) continue;
    return trm_expression_find_switch(formula, before, behind, at) ? i : -1;
  }
  return -1;
}

bool trm_system_can_fix_branches(const trm_system *sys) {
  if (sys->generic) return false;
  for (int i = 0; i < sys->piecewise_count; i++)
    if (!trm_expression_can_fix_branches(sys->piecewise[i].formula)) return false;
  return true;
}

/* What one formula jumps by may put another one, which uses it, on another piece. */
bool trm_system_fix_branches(trm_system *sys, double t, const double *q, const double *v) {
  for (int round = 0; round <= sys->piecewise_count; round++) {
    trm_mechanism_fill_slots(sys, t, q, v);
    for (int i = 0; i < sys->piecewise_count; i++)
      if (!trm_expression_fix_branches(sys->piecewise[i].formula, sys->slots)) return false;
  }
  return true;
}

bool trm_system_fix_branches_like(trm_system *sys, const trm_system *other) {
  for (int i = 0; i < sys->piecewise_count; i++)
    if (!trm_expression_fix_branches_like(sys->piecewise[i].formula, other->piecewise[i].formula))
      return false;
  return true;
}

void trm_system_free_branches(trm_system *sys) {
  for (int i = 0; i < sys->piecewise_count; i++)
    trm_expression_free_branches(sys->piecewise[i].formula);
}
