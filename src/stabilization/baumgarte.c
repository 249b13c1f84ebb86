/* Baumgarte stabilization: Cq q̈ = Qd − 2α Ċ − β² C, in every evaluation; the state itself is never
 * corrected. */
#include "stabilization/stabilizer.h"

static bool create(trm_stabilizer *st, trm_arena *arena, const trm_settings *settings) {
  (void)arena;
  st->alpha = settings->alpha == TRM_UNSET ? 0 : settings->alpha; /* chosen at the start */
  st->beta = settings->beta == TRM_UNSET ? 0 : settings->beta;
  return true;
}

const trm_stabilization trm_stabilization_baumgarte = {.name = "baumgarte", .create = create};
