/* Bringing a state back onto the constraints after a step. */
#ifndef TRM_STABILIZATION_H
#define TRM_STABILIZATION_H

#include "solver/solver.h"
#include "system/system.h"

typedef struct trm_stabilizer trm_stabilizer;

typedef struct trm_stabilization {
  const char *name;
  bool (*create)(trm_stabilizer *stabilizer, trm_arena *arena, const trm_settings *settings);
  /* What q or v is to be moved back by, with the position stage and the factorization at q. */
  void (*project)(trm_stabilizer *stabilizer, const double *residual, double *dx);
  /* the same of both at once; NULL: it gains nothing */
  void (*project_both)(trm_stabilizer *stabilizer, const double *const residual[2],
                       double *const dx[2]);
  void (*factor)(
      trm_stabilizer *stabilizer); /* what it needs beside the acceleration's factorization */
} trm_stabilization;

/* project == NULL: the state stays as it is. */
extern const trm_stabilization trm_stabilization_none;
extern const trm_stabilization trm_stabilization_embedded; /* 003: see integrator/embedded.c */
extern const trm_stabilization trm_stabilization_baumgarte;
/* 000 eq. 78–79: mass-weighted, by the acceleration's factorization, or unweighted by its own */
extern const trm_stabilization trm_stabilization_direct, trm_stabilization_unweighted;
extern const trm_stabilization
    trm_stabilization_partition; /* 001: robust coordinate partitioning */

struct trm_stabilizer {
  const trm_stabilization *type;
  trm_system *system;
  trm_solver *solver; /* shared with the acceleration: factored at the state it leaves */
  double tolerance;   /* on ‖C‖ */
  int rank;           /* of Cq in general; m until it is known */
  bool *redundant;    /* [m] rows that the others determine in general */
  long choices;       /* how often others were chosen */
  double alpha, beta; /* Baumgarte: Cq q̈ = Qd − 2α Ċ − β² C; zero with the others */
  double *g;          /* [m] */
  double *dx;         /* [n] what a projection takes away */
  double *dv;         /* [n] what the last velocities were corrected by, at first */
  double *per_span;   /* [n] 1/span of the coordinates */
  double reach;       /* the largest coordinate as written: what round-off is measured by */
  /* after the first correction of a position: moves q and v along the constraints; or NULL */
  void (*shift)(void *context, double *q, double *v);
  void *shift_context;
  long corrections; /* position iterations so far */
  long stalls;      /* corrections that ended at round-off above the tolerance */
  void *own;        /* of the method */
};

/* NULL: out of memory. */
trm_stabilizer *trm_stabilizer_create(trm_arena *arena, trm_system *system, trm_solver *solver,
                                      const trm_settings *settings);

/* Corrects q, then v. Leaves the position stage and the factorization at the corrected q. nearby:
 * the factorization at hand is of a position next to it, and `project` needs no other. False where
 * the constraints cannot be met: see system->error. */
bool trm_stabilize(trm_stabilizer *stabilizer, const trm_evaluation *evaluation, double t,
                   double *q, double *v, bool nearby);
/* Velocity constraints that are not linear are taken at v, and factored there. */
bool trm_stabilize_at(trm_stabilizer *stabilizer, const double *v);

#endif
