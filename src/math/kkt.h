/* Linear systems of implicit methods, unsymmetric and with a fixed pattern:
 *
 *     J x  + A1ᵀ λ = f
 *     A2 x − E λ   = g
 *
 * Scaled to unit diagonals and rows before it is factored (lu.h); J alone may be singular. */
#ifndef TRM_MATH_KKT_H
#define TRM_MATH_KKT_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_kkt trm_kkt;

/* An entry of A2 beside the panels: of a constraint, by one of the unknowns behind the coordinates.
 */
typedef struct trm_kkt_entry {
  int row, column;
} trm_kkt_entry;

typedef struct trm_kkt_pattern {
  const trm_structure *structure; /* must stay */
  const int *column_start, *row,
      *from; /* J by column: entry e is at row[e], its value J[from[e]] */
  int more;  /* unknowns of J behind the structure's n coordinates */
  int laws;  /* entries of A2 in their columns */
  const trm_kkt_entry *law;
} trm_kkt_pattern;

/* parts: 1, or 2 for complex numbers. NULL: out of memory. */
trm_kkt *trm_kkt_create(trm_arena *arena, const trm_kkt_pattern *pattern, int parts);

/* A1 and A2 are laid out like Cq, law [laws] are real; E is [m]. Rows with skip[m] are left out:
 * their λ is zero. False: singular or not finite. */
bool trm_kkt_factor(trm_kkt *kkt, const double *J, const double *A1, const double *A2,
                    const double *law, const double *E, const bool *skip);

/* The same of a complex one; J and A2 are a real and an imaginary part. */
bool trm_kkt_factor_complex(trm_kkt *kkt, const double *J[2], const double *A1, const double *A2[2],
                            const double *law, const double *E, const bool *skip);

/* Of a real one: how near A2 J⁻¹ A1ᵀ, scaled, is to losing rank: about its least singular value, by
 * one step of inverse iteration from where the last factorization was left, at first by several. */
double trm_kkt_distance(trm_kkt *kkt);

/* Of a real one: the smallest pivot of the last factorization, of the scaled matrix. */
double trm_kkt_least_pivot(const trm_kkt *kkt);

/* b = (f, g) in, (x, λ) out; complex numbers are pairs */
void trm_kkt_solve(trm_kkt *kkt, double *b);

#endif
