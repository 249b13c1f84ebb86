/* K = W Wᵀ and its factors in whichever storage takes fewer operations. */
#ifndef TRM_MATH_GRAM_H
#define TRM_MATH_GRAM_H

#include "math/simplicial.h"
#include "math/skyline.h"

typedef struct trm_gram {
  const trm_structure *structure;
  trm_skyline line;
  trm_simplicial *net;            /* instead, where a skyline would fill in; else NULL */
  const int *order, *panel_place; /* of the one in use */
  const double *pivot_inverse;    /* [m] by place, 0 where the pivot was lost */
} trm_gram;

/* dense: a skyline from the first row on. False: out of memory. */
bool trm_gram_create(trm_gram *gram, trm_arena *arena, const trm_structure *structure, bool dense);

/* These rows are left out. */
void trm_gram_omit(trm_gram *gram, const bool *rows);

/* W in the layout of Cq; the least pivot of a row that is not left out, as part of its diagonal */
double trm_gram_factor(trm_gram *gram, const double *W);
/* b = K \ b, in the order of the places */
void trm_gram_solve(const trm_gram *gram, double *b);

#endif
