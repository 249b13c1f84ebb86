/* How far a cheap factorization can be believed. */
#ifndef TRM_MATH_PIVOTS_H
#define TRM_MATH_PIVOTS_H

typedef enum trm_pivots {
  TRM_PIVOTS_SOUND,
  TRM_PIVOTS_WEAK,     /* digits were lost: refine */
  TRM_PIVOTS_DOUBTFUL, /* near rank loss: the rank-revealing factorization should look, if it can */
  TRM_PIVOTS_LOST      /* more or fewer than are redundant: it must look */
} trm_pivots;

#endif
