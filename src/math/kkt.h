/* Linear systems of implicit methods, unsymmetric and with a fixed pattern:
 *
 *     J x  + A1ᵀ λ = f
 *     A2 x − E λ   = g
 *
 * Scaled to unit diagonals and rows before it is factored (lu.h).
 * Where J alone is singular and blocks' intrinsic rows make up for it, s A1ᵀA2 of these is added: x
 * stays the same, and their λ are found from those of the changed matrix. */
#ifndef TRM_MATH_KKT_H
#define TRM_MATH_KKT_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_kkt trm_kkt;

/* J is over the structure's n coordinates and `more` unknowns behind them that no constraint has. J
 * by column: entry e is at row[e] and has the value J[from[e]]. A1 and A2 are laid out like Cq.
 * parts: 1, or 2 for complex numbers. NULL: out of memory. */
trm_kkt *trm_kkt_create(trm_arena *arena, const trm_structure *structure, const int *column_start,
                        const int *row, const int *from, int more, int parts);

/* E is [m]. Rows with skip[m] are left out: their λ is zero. False: singular or not finite. */
bool trm_kkt_factor(trm_kkt *kkt, const double *J, const double *A1, const double *A2,
                    const double *E, const bool *skip);

/* The same of a complex one; J and A2 are a real and an imaginary part. */
bool trm_kkt_factor_complex(trm_kkt *kkt, const double *J[2], const double *A1, const double *A2[2],
                            const double *E, const bool *skip);

/* Entries of A2 in the columns of the unknowns behind the coordinates, on top of the last
 * factorization: the matrix plus value[i] at (row of constraint row[i], column[i]), by Woodbury's
 * formula. False: singular. Reserved once, at creation: how many at most; false: out of memory. */
bool trm_kkt_reserve(trm_kkt *kkt, trm_arena *arena, int most);
bool trm_kkt_couple(trm_kkt *kkt, int count, const int *row, const int *column,
                    const double *value);

/* Of a real one: how near A2 J⁻¹ A1ᵀ, scaled, is to losing rank: about its least singular value, by
 * one step of inverse iteration from where the last factorization was left. */
double trm_kkt_distance(trm_kkt *kkt);

/* Of a real one: the smallest pivot of the last factorization, of the scaled matrix. */
double trm_kkt_least_pivot(const trm_kkt *kkt);

/* b = (f, g) in, (x, λ) out; complex numbers are pairs */
void trm_kkt_solve(trm_kkt *kkt, double *b);

#endif
