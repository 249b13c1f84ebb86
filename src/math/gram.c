/* K = W Wᵀ in a skyline, or with a sparse ordering. */
#include "math/gram.h"

bool trm_gram_create(trm_gram *k, trm_arena *arena, const trm_structure *s, bool dense) {
  trm_structure all = *s;
  all.intrinsic = 0; /* the bodies' intrinsic rows are in it, too */
  *k = (trm_gram){.structure = s};
  if (!dense && trm_simplicial_is_cheaper(&all)) {
    k->net = trm_simplicial_create(arena, s);
    if (!k->net) return false;
    k->order = k->net->order;
    k->panel_place = k->net->panel_place;
    k->pivot_inverse = k->net->pivot_inverse;
    return true;
  }
  if (!trm_skyline_create(&k->line, arena, s, dense, NULL)) return false;
  k->order = k->line.order;
  k->panel_place = k->line.panel_place;
  k->pivot_inverse = k->line.pivot_inverse;
  return true;
}

void trm_gram_omit(trm_gram *k, const bool *rows) {
  if (k->net)
    trm_simplicial_omit(k->net, rows);
  else
    trm_skyline_omit(&k->line, rows);
}

double trm_gram_factor(trm_gram *k, const double *W) {
  if (k->net) {
    trm_simplicial_assemble(k->net, k->structure, W);
    return trm_simplicial_factor(k->net);
  }
  trm_skyline_assemble(&k->line, k->structure, W);
  return trm_skyline_factor(&k->line);
}

void trm_gram_solve(const trm_gram *k, double *b) {
  if (k->net)
    trm_simplicial_solve(k->net, b);
  else
    trm_skyline_solve(&k->line, b);
}
