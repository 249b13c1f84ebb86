/* Whether two force elements differ in more than their formulas. */
#include <math.h>
#include <string.h>

#include "force/element.h"

#define ROUND_OFF 1e-13 /* of a vector */

static bool are_near(int count, const double *x, const double *y) {
  double size = 0, apart = 0;
  for (int i = 0; i < count; i++) {
    size = fmax(size, fmax(fabs(x[i]), fabs(y[i])));
    apart = fmax(apart, fabs(x[i] - y[i]));
  }
  return apart <= ROUND_OFF * size;
}

static bool are_markers(int count, const trm_marker *x, const trm_marker *y) {
  bool same = true;
  for (int i = 0; i < count; i++)
    same = same && x[i].body == y[i].body && are_near(3, x[i].u, y[i].u);
  return same;
}

static bool are_scalars(const trm_scalar *x, const trm_scalar *y) {
  if (!x || !y) return x == y;
  return x->kind == y->kind && x->axis == y->axis && are_near(1, &x->offset, &y->offset) &&
         are_markers(2, x->end, y->end) && are_markers(2, x->across, y->across) &&
         are_markers(1, &x->along, &y->along);
}

static bool are_mounts(const trm_mount *x, const trm_mount *y) {
  if (!x || !y) return x == y;
  return are_markers(2, x->end, y->end) && are_markers(3, x->axis[0], y->axis[0]) &&
         are_markers(3, x->axis[1], y->axis[1]) && are_near(36, x->K, y->K) &&
         are_near(36, x->D, y->D) && are_near(6, x->preload, y->preload);
}

static bool are_formulas(const trm_quantity *x, const trm_quantity *y) {
  if (!x->formula || !y->formula) return !x->formula && !y->formula && x->number == y->number;
  return trm_expression_is_same(x->formula, y->formula);
}

/* Tires of one file share its numbers, scaled ones are copies. */
static bool are_tires(const trm_tire *x, const trm_tire *y) {
  trm_tire one = *x, other = *y;
  bool same = one.curve_count == other.curve_count;
  for (int i = 0; i < one.curve_count && same; i++)
    same = one.curve_at[i] == other.curve_at[i] && one.curve_load[i] == other.curve_load[i];
  one.curve_at = one.curve_load = one.curve_slope = NULL;
  other.curve_at = other.curve_load = other.curve_slope = NULL;
  return same && memcmp(&one, &other, sizeof one) == 0;
}

static bool are_rollings(const trm_rolling *x, const trm_rolling *y) {
  if (!x || !y) return x == y;
  return x->side == y->side && are_tires(x->tire, y->tire) &&
         are_formulas(&x->surface->height, &y->surface->height) &&
         are_formulas(&x->surface->friction, &y->surface->friction);
}

bool trm_element_is_alike(const trm_element *x, const trm_element *y) {
  return x->type == y->type && are_markers(1, &x->end, &y->end) &&
         are_markers(1, &x->from, &y->from) && are_markers(3, x->axis, y->axis) &&
         are_scalars(x->scalar, y->scalar) && are_scalars(x->against, y->against) &&
         are_mounts(x->mount, y->mount) && are_rollings(x->rolling, y->rolling);
}
