/* Agreement of raters (here: runs) over subjects (here: times). Formulas: docs/theory/agreement.md.
 */
#ifndef TRM_RESULT_STATISTICS_H
#define TRM_RESULT_STATISTICS_H

#include <trammel/compare.h>

/* Two-way analysis of variance without replication: mean squares of n subjects by k raters. */
typedef struct trm_anova {
  int n, k;
  double MSR; /* between subjects (rows), n − 1 freedoms */
  double MSC; /* between raters (columns), k − 1 */
  double MSE; /* what is left, (n − 1)(k − 1) */
} trm_anova;

/* ratings: k pointers to n values each; n, k ≥ 2 */
trm_anova trm_anova_two_way(const double *const *ratings, int n, int k);

/* ICC(C,1) and ICC(A,1) of McGraw and Wong (1996); NaN where nothing varies. */
trm_estimate trm_icc_consistency(const trm_anova *anova);
trm_estimate trm_icc_absolute_agreement(const trm_anova *anova);

/* All of one column but its name; n ≥ 3, finite values. */
trm_agreement trm_agreement_compute(const double *t, const double *a, const double *b, int n);

#endif
