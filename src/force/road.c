/* The road: height, slopes and curvature of a formula of x and y. */
#include "force/element.h"

static trm_jet along(const trm_expression *formula, double x, double y, double dx, double dy) {
  const trm_jet slots[2] = {{x, dx, 0}, {y, dy, 0}};
  return trm_expression_jet(formula, slots);
}

void trm_road_at(const void *surface, double x, double y, bool curved, trm_road_point *p) {
  const trm_ground_form *form = surface;
  const trm_expression *height = form->height.formula;
  const double at[2] = {x, y};
  *p = (trm_road_point){.z = form->height.number,
                        .friction = trm_quantity_value(&form->friction, at)};
  if (!height) return;
  trm_jet by_x = along(height, x, y, 1, 0), by_y = along(height, x, y, 0, 1);
  p->z = by_x.f, p->zx = by_x.d, p->zy = by_y.d;
  if (!curved) return;
  p->zxx = by_x.dd, p->zyy = by_y.dd;
  p->zxy = 0.5 * (along(height, x, y, 1, 1).dd - p->zxx - p->zyy);
}
