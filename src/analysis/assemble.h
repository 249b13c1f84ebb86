/* The consistent initial state. */
#ifndef TRM_ANALYSIS_ASSEMBLE_H
#define TRM_ANALYSIS_ASSEMBLE_H

#include "solver/solver.h"
#include "system/system.h"

typedef struct trm_assembly {
  double position_gap, velocity_gap; /* ‖C‖ and ‖Cq v + Ct‖ as written */
  double moved,
      turned; /* largest displacement of a body's origin (or change of a coordinate), rotation */
  const char *moved_body; /* or coordinate; or NULL */
} trm_assembly;

/* Brings q, as written, and the given velocities onto the constraints and the model's initial
 * conditions, at t = 0. Reports what moved; TRM_BAD_MODEL where it cannot be done. */
trm_status trm_assemble(trm_system *system, trm_solver *solver, double tolerance, double *q,
                        double *v, trm_assembly *assembly, trm_diagnostics *diagnostics);

/* Newton's method with the mass-weighted correction from q until ‖C‖ ≤ enough, angles in radians
 * and lengths by the system's size; halves steps that do not help. Returns the gap where it ended,
 * infinity where that cannot be evaluated, NaN without memory. Leaves the factorization there. */
double trm_close_position(trm_system *system, trm_solver *solver, double enough, double t,
                          double *q);

#define TRM_ROUND_OFF_GAP 1e-15 /* an `enough` that only round-off ends */

/* Onto the rows that steps keep: the solver knows which others are left out in general. */
trm_status trm_go_onto_kept_rows(trm_system *system, trm_solver *solver, double *q, double *v);

/* Of `initial:`, those on positions, `count` of them; NULL: out of memory. */
trm_condition *trm_position_conditions(const trm_model *model, trm_arena *arena, int *count);

/* The position level of a system of the user's own; q as written in, assembled out. */
trm_status trm_assemble_generic(trm_system *system, trm_solver *solver, double tolerance, double *q,
                                trm_assembly *assembly, trm_diagnostics *diagnostics);

enum { TRM_NAMED_SIZE = 160 };
/* Adds a name to "A, B", once; those that have no room are three dots. */
void trm_name_another(char names[TRM_NAMED_SIZE], const char *name);

#endif
