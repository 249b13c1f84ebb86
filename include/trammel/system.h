/* Systems of your own: M(t,q) q̈ = Q(t,q,v) under Φ(t,q) = 0 and Φᵥ(t,q,v) = 0, given by callbacks.
 *
 *   trm_system_def def = trm_default_system();
 *   def.coordinates = 2, def.q = start, def.mass = mass, def.force = force, …
 *   trm_model *model = trm_model_create_system(&def);
 *   trm_model_finish(model, diagnostics);          then as with every model: trm_simulation_create
 *
 * A callback says that it cannot be evaluated by a NaN; the run then stops and names it. It may be
 * called with states that are never reached, and from every thread that simulates the model. */
#ifndef TRAMMEL_SYSTEM_H
#define TRAMMEL_SYSTEM_H

#include <stddef.h>
#include <trammel/export.h>
#include <trammel/jet.h>
#include <trammel/model.h>

TRM_BEGIN_C

/* Arrays and names are copied; the context is not. n coordinates, m position constraints, p
 * velocity constraints. */
typedef struct trm_system_def {
  size_t size;              /* of this struct, see export.h */
  int coordinates;          /* n ≥ 1 */
  int position_constraints; /* m ≥ 0 */
  int velocity_constraints; /* p ≥ 0 */
  const char *const *names; /* [n] of the coordinates; NULL: q1, q2, … */
  const double *q;          /* [n] at the start; brought onto the constraints */
  const double *v;          /* [n]; NULL: at rest, or as the constraints require */
  void *context;            /* handed to every callback */

  bool mass_constant;   /* M is evaluated once */
  bool velocity_linear; /* Φᵥ is linear in v: saves evaluations */

  /* M: n × n row-major, symmetric, positive definite */
  void (*mass)(void *context, double t, const double *q, double *M);
  /* Q: [n] everything that is not M q̈ or a constraint force, inertia forces included */
  void (*force)(void *context, double t, const double *q, const double *v, double *Q);

  /* Φ: [m] over jets, from which all derivatives follow exactly … */
  void (*position_jet)(void *context, trm_jet t, const trm_jet *q, trm_jet *phi);
  /* … or as numbers, with Cq = ∂Φ/∂q (m × n row-major), Ct = ∂Φ/∂t and the γ of Cq q̈ = γ */
  void (*position)(void *context, double t, const double *q, double *phi);
  void (*position_jacobian)(void *context, double t, const double *q, double *Cq, double *Ct);
  void (*position_gamma)(void *context, double t, const double *q, const double *v, double *gamma);

  /* Φᵥ: [p] over jets, or as numbers with A = ∂Φᵥ/∂v (p × n) and the γ of A q̈ = γ */
  void (*velocity_jet)(void *context, trm_jet t, const trm_jet *q, const trm_jet *v, trm_jet *phi);
  void (*velocity)(void *context, double t, const double *q, const double *v, double *phi);
  void (*velocity_jacobian)(void *context, double t, const double *q, const double *v, double *A);
  void (*velocity_gamma)(void *context, double t, const double *q, const double *v, double *gamma);

  /* E, optional. Over jets: what the equations of motion do to it counts as work. As a number: it
   * is constant but for `power`, that of forces it does not hold (NULL: none), and for constraints
   * that depend on time. */
  trm_jet (*energy_jet)(void *context, trm_jet t, const trm_jet *q, const trm_jet *v);
  double (*energy)(void *context, double t, const double *q, const double *v);
  double (*power)(void *context, double t, const double *q, const double *v);
} trm_system_def;

TRM_API void trm_system_init(trm_system_def *defaults, size_t size);
static inline trm_system_def trm_default_system(void) {
  trm_system_def defaults;
  trm_system_init(&defaults, sizeof defaults);
  return defaults;
}

/* What is missing or wrong is reported by trm_model_finish. Measures are the coordinates by name,
 * x' and x'' of x, lambda1 … (M q̈ = Q − Cqᵀ λ, position constraints first), energy, constraint. The
 * setting `coordinates` has no meaning here. NULL: out of memory. */
TRM_API trm_model *trm_model_create_system(const trm_system_def *definition);

/* Whether the model is a system of its own, by callbacks or in a file, and has no bodies. */
TRM_API bool trm_model_is_system(const trm_model *model);

TRM_END_C

#endif
