/* Accelerations and multipliers, and every projection of the stabilizations: one linear problem,
 *
 *     M x + Cqᵀ λ = f
 *     Cq x        = g
 *
 * acceleration: f = Q + Qv, g = Qd (000 eq. 75); mass-weighted correction: f = 0, g = −C or −(Cq v
 * + Ct).
 *
 * Rank loss is normal: rows that the others determine (math/rank.h) are left out, with λ = 0, and x
 * is then the solution nearest to M⁻¹f in the mass norm.
 *
 * A rotation without inertia would make M singular. M carries a fictitious inertia I there, and the
 * solver cancels it with a torque τ = I (N x + bias) on that rotation, solved for exactly. Where no
 * constraint determines the rotation, τ is zero and it stays at rest. */
#ifndef TRM_SOLVER_H
#define TRM_SOLVER_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_solver trm_solver;

/* How matrices are stored, and whether ranks are first looked for loop by loop: by size and
 * structure, or as the settings say. */
typedef enum trm_linear { TRM_LINEAR_AUTO, TRM_LINEAR_DENSE, TRM_LINEAR_SPARSE } trm_linear;

/* The equations of a stage, of which some are written when their turn has come. */
typedef struct trm_stage {
  const double *M, *Cq, *f, *g;
  /* brings the intrinsic rows' g of these blocks up to date; called by several threads at once, for
   * different blocks */
  void (*fill)(void *context, int count, const int *blocks);
  void *context;
  double *x;
} trm_stage;

/* Where a pull is in Cq. */
typedef struct trm_touch {
  int block, pull;
  int row; /* of the block's panel */
} trm_touch;

/* Forces that are rows of Cq, over the blocks they touch. */
typedef struct trm_pulls {
  int count;              /* at most TRM_SKYLINE_MANY */
  int pairs;              /* to hold them side by side */
  int touches;            /* block after block */
  const trm_touch *touch; /* [touches] */
  double *room;           /* [m × 2 pairs] */
} trm_pulls;

typedef struct trm_solver_class {
  const char *name;
  void *(*create)(trm_arena *arena, const trm_structure *structure, trm_linear linear);
  /* The least pivot of a row that is not left out, as part of its diagonal: about the square of the
   * least singular value in the mass norm. 0: lost. */
  double (*factor)(void *self, const double *M, const double *Cq);
  void (*solve)(void *self, const double *f, const double *g, double *x, double *lambda);
  /* of a singular position: about the least pivot of K; NULL: it is what factor returns */
  double (*distance)(void *self);
  void (*omit)(void *self, const bool *rows); /* [m] are left out from the next factorization on */
  /* Takes the order of elimination in which no pivot is smaller than the rows' own; false: it is
   * taken already. NULL: there is no other */
  bool (*fall_back)(void *self);
  double (*accelerate)(void *self, const trm_stage *stage); /* as factor; NULL: it cannot */
  void (*want_intrinsic)(void *self, bool wanted); /* λ of blocks' intrinsic rows; NULL: always */
  /* λ alone [m × 2 pairs], of several f with g = 0; false: solve must do. NULL: it cannot */
  bool (*solve_pulls)(void *self, const trm_pulls *pulls, double *lambda);
  /* two of solve's x at once, with f = 0; false: one after the other. NULL: it cannot */
  bool (*project_both)(void *self, const double *const g[2], double *const x[2]);
  bool skips_lambda;   /* solve's lambda may be NULL */
  bool takes_singular; /* M may be semidefinite */
  bool shifts;         /* works on M + α CqᵀCq and f + α Cqᵀg */
  bool refines;        /* its solutions by itself where pivots are weak */
  bool roots;          /* a pivot may be a singular value itself, not its square */
  int most;            /* n + m: above, full matrices take too long; 0: any */
  const struct trm_solver_class *reduced; /* the same where blocks have intrinsic rows; or NULL */
  const struct trm_solver_class *tree;    /* the same where M is that of a tree alone; or NULL */
} trm_solver_class;

extern const trm_solver_class trm_udwadia_kalaba; /* K = Cq M⁻¹ Cqᵀ, 000 eq. 77 */
extern const trm_solver_class trm_udwadia_kalaba_reduced;
extern const trm_solver_class trm_udwadia_kalaba_tree; /* no rows but those of quaternions */
extern const trm_solver_class
    trm_udwadia_kalaba_general;              /* the same with M + α CqᵀCq, 001 eq. 28–30 */
extern const trm_solver_class trm_augmented; /* [M Cqᵀ; Cq 0], 000 eq. 76 */

/* By name; `auto` is the plain form: every formulation can make its M definite. NULL: no such
 * solver. */
const trm_solver_class *trm_solver_find(const char *name);

/* `auto`, `dense` or `sparse` */
trm_linear trm_linear_find(const char *name);

/* All memory comes from the arena, here and now; nothing is allocated later. NULL: out of memory.
 */
trm_solver *trm_solver_create(const trm_solver_class *type, trm_arena *arena,
                              const trm_structure *structure);
trm_solver *trm_solver_create_linear(const trm_solver_class *type, trm_arena *arena,
                                     const trm_structure *structure, trm_linear linear);
/* Memory for deciding ranks is taken now, not at the first loss. */
void trm_solver_prepare(trm_solver *solver);

/* Declares the rows left out, and what is known of them, to be kept with the state. */
void trm_solver_keep(trm_solver *solver);

/* M positive definite, or semidefinite where the solver takes it. N: values of the massless rows,
 * may be NULL where there are none. Of linked blocks (structure->sides) Cq is not read unless a
 * rank must be decided. The arrays must stay as they are, within round-off, until the last solve
 * with this factorization. */
void trm_solver_factor(trm_solver *solver, const double *M, const double *Cq, const double *N);

/* Factorization and solution in one go, where blocks' intrinsic rows are eliminated: of Cq only the
 * other rows are read, and no multipliers are wanted. False: a rank must be decided. */
bool trm_solver_accelerate(trm_solver *solver, const trm_stage *stage);
bool trm_solver_accelerates(const trm_solver *solver);
/* Factorization alone; of blocks that are linked Cq need not be up to date. False: a rank must be
 * decided. */
bool trm_solver_factor_links(trm_solver *solver, const double *M, const double *Cq);

/* f == NULL: zero. bias == NULL: zero, else [massless]. x and lambda must not alias f and g. */
void trm_solver_solve(trm_solver *solver, const double *f, const double *g, const double *bias,
                      double *x, double *lambda);

/* The same with f = 0 and bias = 0, where lambda is not wanted. */
void trm_solver_project(trm_solver *solver, const double *g, double *x);
void trm_solver_project_both(trm_solver *solver, const double *const g[2], double *const x[2]);

/* Whether multipliers of blocks' intrinsic rows are wanted: they are at first, else they may stay
 * as they are. */
void trm_solver_want_intrinsic(trm_solver *solver, bool wanted);

/* ---- rows left out ---- */

/* [m] at the last factorization, and how many. */
const bool *trm_solver_left_out(const trm_solver *solver);
/* The rank that Cq has: rows that are not left out. −1: too large to say. */
int trm_solver_rank(const trm_solver *solver);
/* These rows [m] are left out from now on: in general the others determine them. What more is lost
 * is a singular position's. NULL: it is not known which. */
void trm_solver_set_redundant(trm_solver *solver, const bool *rows);
/* Rows are dependent whose least singular value is below this: for models that were written with
 * few decimals. The rows left out in general then stay the same. */
void trm_solver_cut(trm_solver *solver, double cut);
/* The last position is not singular, nor nearly so. */
bool trm_solver_is_regular(const trm_solver *solver);

/* Whether other rows had better be left out than those that were chosen elsewhere; and to do so
 * (false: the same ones). At accepted states only: within a step the equations off the constraints
 * must stay the same. */
bool trm_solver_choice_is_poor(trm_solver *solver);
/* Whether it has been in between, since the watch began: rows that are kept may become dependent
 * and independent again, where others would not. */
void trm_solver_watch(trm_solver *solver);
bool trm_solver_choice_was_poor(const trm_solver *solver);
bool trm_solver_choose_anew(trm_solver *solver);

/* Of the last factorization: round-off grows by its inverse. 0 in a singular position. */
double trm_solver_least_pivot(const trm_solver *solver);

/* Of the left null space at the last factorization, z with Cqᵀ z = 0 over the rows that are not
 * blocks' intrinsic ones; none where all rows are kept. */
int trm_solver_nullity(trm_solver *solver);
/* Its first columns of m, `most` at most; how many is returned. */
int trm_solver_null_space(trm_solver *solver, int most, double *z);
/* [m] whether a row takes part in it */
void trm_solver_dependent(trm_solver *solver, bool *dependent);

/* residual [m] is left of equations that contradict one another, in rows left out: it is spread
 * over all rows that take part. */
void trm_solver_contradiction(trm_solver *solver, double *residual);

/* Moves lambda within the null space to the smallest weighted norm over the joint multipliers. */
void trm_solver_minimum_norm(trm_solver *solver, double *lambda);
/* The same where it takes no more than links, whose rows of Cq may be behind; false: it does not.
 */
bool trm_solver_share_links(trm_solver *solver, double *lambda);

/* The last factorization is of a state that was accepted: massless rotations that are free there
 * are free next to it. */
void trm_solver_accept(trm_solver *solver);
/* As many of the massless rotations [massless] as nothing determined at the last factorization:
 * with these held, all others are determined. */
void trm_solver_find_free(const trm_solver *solver, bool *free);

typedef struct trm_solver_counters {
  long factorizations;
  long decisions; /* of ranks */
} trm_solver_counters;

trm_solver_counters trm_solver_count(const trm_solver *solver);

#endif
