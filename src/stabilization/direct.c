/* Direct correction, 000 eq. 78–79: x −= W⁻¹Cqᵀ(Cq W⁻¹Cqᵀ)⁺ residual, with W = M by default, W = I
 * as published. */
#include <string.h>

#include "stabilization/stabilizer.h"

typedef struct unweighted {
  trm_solver *projector; /* with M = I */
  double *identity;      /* that M */
  trm_structure plain;   /* that goes with it */
  long choices;          /* of the rows it leaves out, by the stabilizer's count; −1: none yet */
} unweighted;

static double *unit_mass(trm_arena *arena, const trm_structure *s) {
  double *M = TRM_NEW(arena, double, s->mass_value[s->blocks]);
  if (!M) return NULL;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    for (int i = 0; i < width; i++)
      M[s->mass_value[b] + (s->mass_diagonal ? i : i * width + i)] = 1;
  }
  return M;
}

static bool create_unweighted(trm_stabilizer *st, trm_arena *arena, const trm_settings *settings) {
  unweighted *own = st->own = TRM_NEW(arena, unweighted, 1);
  if (!own) return false;
  own->plain = st->system->structure;
  own->plain.massless = 0; /* with M = I no rotation is massless */
  own->plain.mass_constant = true;
  own->plain.mass_singular = false;
  own->identity = unit_mass(arena, &own->plain);
  own->projector = trm_solver_create_linear(trm_solver_find(settings->solver), arena, &own->plain,
                                            trm_linear_find(settings->linear));
  if (!own->identity || !own->projector) return false;
  own->choices = -1;
  TRM_KEEP(arena, own->choices);
  trm_solver_keep(own->projector);
  return true;
}

static void factor_unweighted(trm_stabilizer *st) {
  unweighted *own = st->own;
  if (own->choices != st->choices) trm_solver_set_redundant(own->projector, st->redundant);
  own->choices = st->choices;
  trm_solver_factor(own->projector, own->identity, st->system->Cq, NULL);
}

static void project_unweighted(trm_stabilizer *st, const double *residual, double *dx) {
  const unweighted *own = st->own;
  trm_solver_project(own->projector, residual, dx);
}

const trm_stabilization trm_stabilization_unweighted = {.name = "direct",
                                                        .create = create_unweighted,
                                                        .project = project_unweighted,
                                                        .factor = factor_unweighted};

static bool create(trm_stabilizer *st, trm_arena *arena, const trm_settings *settings) {
  if (strcmp(settings->weighting, "none") != 0) return true;
  st->type = &trm_stabilization_unweighted;
  return st->type->create(st, arena, settings);
}

static void project(trm_stabilizer *st, const double *residual, double *dx) {
  trm_solver_project(st->solver, residual, dx);
}

static void project_both(trm_stabilizer *st, const double *const residual[2], double *const dx[2]) {
  trm_solver_project_both(st->solver, residual, dx);
}

const trm_stabilization trm_stabilization_direct = {
    .name = "direct", .create = create, .project = project, .project_both = project_both};
