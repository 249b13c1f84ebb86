/* What the front of the solvers (solver.c) and its rows (rows.c) share. */
#ifndef TRM_SOLVER_ROWS_H
#define TRM_SOLVER_ROWS_H

#include "math/local_rank.h"
#include "math/shifted.h"
#include "math/twist.h"
#include "solver/least_norm.h"
#include "solver/massless.h"
#include "solver/solver.h"

struct trm_solver {
  const trm_solver_class *type;
  void *self;
  trm_arena *arena;
  const trm_structure *structure;
  const double *M, *Cq;   /* of the last factorization */
  trm_shifted *shifted;   /* of the general form, or NULL */
  trm_massless *massless; /* NULL: none */
  double *unread_lambda;  /* [m] for a lambda that the caller does not want */
  double *rest;           /* [n + m] residual and correction of a refinement, twice */

  bool known; /* which rows are left out in general: what more is lost is a singular position's */
  bool *redundant; /* [m] they */
  int redundant_count;
  bool *left_out; /* [m] at the last factorization */
  int left_out_count;
  bool *scratch, *loops; /* [m] */
  double least;          /* its pivot */
  double lowest;         /* the least of all since trm_solver_watch */
  double trusted;        /* down to this pivot all rows but the redundant ones are independent */
  double chosen;         /* the pivot when these were chosen; 0: not known yet */
  bool rank_lost;        /* more rows than the redundant ones are left out */
  bool near;             /* a singular position is: rows are in doubt */
  bool unknown;          /* pivots are lost, and nobody could say which rows are dependent */

  trm_twist twist;
  double cut;            /* of ranks */
  double doubt;          /* TRM_RANK_DOUBT, or as much more as rows do not fit */
  bool large;            /* loops of their own are looked at first */
  trm_local_rank *local; /* NULL: not needed yet */
  bool decided;          /* a rank, at the last position */
  double *y;             /* [twist.rows.n] */

  double *null_vectors;  /* [joints × redundant_count] to choose others by; NULL: they are many */
  double *pull;          /* [2 n + m + 3] for a force, what it moves, and zeros */
  trm_least_norm *share; /* of multipliers among redundant rows and others; NULL: many, or none */
  trm_solver_counters counters;
};

/* ---- of solver.c ---- */

/* The cheap factorization, without the rows that are left out; its least pivot. */
double trm_solver_factor_cheaply(trm_solver *solver);
void trm_solver_set_left_out(trm_solver *solver, const bool *rows, int count);
/* Without what massless rotations add. */
void trm_solver_plain(void *solver, const double *f, const double *g, double *x, double *lambda);

/* ---- of rows.c ---- */

/* False: out of memory. */
bool trm_rows_create(trm_solver *solver, trm_linear linear);
/* Above the trusted pivot all rows are independent that are not left out in general. */
static inline bool trm_rows_are_independent(const trm_solver *solver) {
  return !(solver->least < solver->trusted); /* a NaN passes through to the results */
}
/* Decides the rank at the position at hand. */
void trm_rows_decide(trm_solver *solver);
/* The same of all rows, for their null vectors at the last position; false: there are none, or
 * nobody can tell. */
bool trm_rows_decide_all(trm_solver *solver);
/* Near a singular position what a row asks for may be an error: then it is left out, too. */
void trm_rows_doubt(trm_solver *solver, const double *f, const double *g);

#endif
