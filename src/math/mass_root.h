/* M = L Lᵀ by block, and what is seen through it: W = Cq L⁻ᵀ, so that K = Cq M⁻¹ Cqᵀ = W Wᵀ. */
#ifndef TRM_MATH_MASS_ROOT_H
#define TRM_MATH_MASS_ROOT_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_mass_root {
  const trm_structure *structure;
  double *root; /* diagonal M: 1/√M by coordinate; else L as M's values, its diagonal inverted */
  bool ready;   /* factored once; enough for a constant M */
} trm_mass_root;

bool trm_mass_root_create(trm_mass_root *root, trm_arena *arena, const trm_structure *structure);
void trm_mass_root_factor(trm_mass_root *root, const double *M);

/* W = Cq L⁻ᵀ, in the layout of Cq */
void trm_mass_root_panels(const trm_mass_root *root, const double *Cq, double *W);
/* z = L \ f */
void trm_mass_root_forward(const trm_mass_root *root, const double *f, double *z);
/* x = Lᵀ \ y; x and y may be the same array */
void trm_mass_root_backward(const trm_mass_root *root, const double *y, double *x);

#endif
