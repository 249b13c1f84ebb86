/* Formulas over final values and integrals of a run: "final(rod.B.x)^2 + 0.1*integral(u^2)". */
#ifndef TRM_ANALYSIS_GOAL_H
#define TRM_ANALYSIS_GOAL_H

#include "analysis/neighbour.h"

/* What goals ask a run for; each once. */
typedef struct trm_terms {
  trm_arena *arena;
  const trm_model *model;
  int count;
  const char **formulas; /* [count] */
  bool *integrated;
} trm_terms;

/* A formula whose slots are terms. NULL, reported, where it is none. */
trm_expression *trm_goal_parse(trm_terms *terms, const char *text, trm_diagnostics *diagnostics);

#endif
