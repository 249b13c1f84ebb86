/* How a formula changes with the motion, and the force along with it. */
#include "force/element.h"

const char trm_not_smooth[] =
    "the derivative of its formula is not a finite number here (a root of zero, a vertical step)";

bool trm_quantity_slope(const trm_quantity *quantity, double scale, trm_force_tangent *to) {
  const int *used;
  bool finite = true;
  if (!quantity->formula) return true;
  trm_expression_gradient(quantity->formula, to->slots, to->gradient);
  int count = trm_expression_used(quantity->formula, &used);
  for (int i = 0; i < count; i++) {
    double slope = scale * to->gradient[used[i]];
    if (used[i] == 0 || slope == 0) continue; /* slot 0 is t */
    finite = finite && isfinite(slope);
    to->add_slot(to->context, used[i], slope, to->q, to->v);
  }
  return finite;
}

void trm_push_slope(trm_force_tangent *to) {
  trm_blocks_add_outer(to->K.blocks, -1, to->push, to->q);
  trm_blocks_add_outer(to->D, -1, to->push, to->v);
  trm_row_clear(to->push);
  trm_row_clear(to->q);
  trm_row_clear(to->v);
}
