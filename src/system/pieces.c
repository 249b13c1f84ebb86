/* Formulas made of pieces: where one changes its piece, an integrator should not step across. */
#include "system/mechanism.h"

static void collect(trm_system *sys, const trm_quantity *quantity) {
  if (quantity->formula && !trm_expression_is_smooth(quantity->formula))
    sys->piecewise[sys->piecewise_count++] = quantity->formula;
}

bool trm_system_pieces(trm_system *sys) {
  const trm_model *model = sys->model;
  int most = 6 * model->force_count + model->joint_count + 1;
  sys->piecewise = TRM_NEW(sys->arena, const trm_expression *, most);
  if (!sys->piecewise) return false;
  for (int i = 0; i < model->force_count; i++) {
    const trm_force *force = &model->forces[i];
    for (int k = 0; k < 3; k++) collect(sys, &force->value[k]);
    collect(sys, &force->stiffness);
    collect(sys, &force->damping);
    collect(sys, &force->free);
  }
  for (int j = 0; j < model->joint_count; j++) collect(sys, &model->joints[j].value);
  return true;
}

unsigned long trm_mechanism_branch(trm_system *sys, double t, const double *q, const double *v) {
  unsigned long branch = 1;
  sys->t = t;
  trm_motion_position(&sys->motion, q);
  trm_motion_velocity(&sys->motion, v);
  trm_system_fill_slots(sys);
  for (int i = 0; i < sys->piecewise_count; i++)
    branch = branch * 1000003 + trm_expression_branch(sys->piecewise[i], sys->slots);
  return branch;
}
