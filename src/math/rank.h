/* Which rows the others determine: the policy behind all rank decisions (local_rank.h).
 *
 * A rank is a matter of geometry. It is decided on rows of unit norm over translations and turns in
 * units of the model (twist.h): masses that differ by many orders make the equations hard to solve,
 * they do not make rows dependent. Rows are independent by the least singular value s of those that
 * are kept, found as pivots of a QR factorization with row exchanges. */
#ifndef TRM_MATH_RANK_H
#define TRM_MATH_RANK_H

#include <stdbool.h>

/* Below this s, the root of round-off, a row is dependent: what round-off ε in C asks for there,
 * ε/s, is farther away than the linearization reaches, s. Looser ones spoil the double four-bar. */
#define TRM_RANK_CUT 1e-7
/* Below this s a row is in doubt: an error ε of C is an acceleration ε/s³ that nothing but the
 * error asks for; with ε of 1e-16 it is as large as the motion's own from s = 5e-6 on. */
#define TRM_RANK_DOUBT 1e-4
/* Of everything else together: a row in doubt may not ask for more. */
#define TRM_RANK_SHARE 0.5
/* Cheap factorizations have pivots like s². Above the square of TRM_RANK_DOUBT no rank is decided.
 */
#define TRM_PIVOT_DOUBT 1e-8
/* Below this pivot digits are lost, and solutions are refined. */
#define TRM_PIVOT_WEAK 1e-4
/* Below this it is round-off of the elimination: nothing is divided by it. */
#define TRM_PIVOT_LOST 1e-15
/* A row takes part in a dependency where a null vector has more than round-off there. */
#define TRM_RANK_PART 1e-6

/* One row for each null vector in Z [m × columns], which is lost, by elimination with the largest
 * entry of all: then the others determine it best, and what is left of them is as independent as it
 * can be. */
void trm_rank_choose(int m, int columns, double *Z, bool *left_out);

#endif
