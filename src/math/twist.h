/* The constraints as geometry sees them: rows over translations and turns of the bodies, in units
 * of the model. What blocks' intrinsic rows forbid is left out, masses and units have no say, and
 * every formulation gives the same numbers. */
#ifndef TRM_MATH_TWIST_H
#define TRM_MATH_TWIST_H

#include "base/arena.h"
#include "math/structure.h"

typedef struct trm_twist {
  const trm_structure *from;
  trm_structure rows;   /* those of `from` behind the intrinsic ones, over free motions */
  int first;            /* so many intrinsic rows come before */
  double *G;            /* in the layout of `rows` */
  double *whole, *left; /* [rows.m] squares of norms: of the row itself, of what is left of it */
} trm_twist;

/* Of rows behind the intrinsic ones, over as many coordinates fewer. False: out of memory. */
bool trm_twist_lay_out(trm_structure *rows, trm_arena *arena, const trm_structure *structure);
bool trm_twist_create(trm_twist *twist, trm_arena *arena, const trm_structure *structure);
void trm_twist_fill(trm_twist *twist, const double *Cq);
/* y[rows.n] of rates x[n], without what intrinsic rows forbid */
void trm_twist_of(const trm_twist *twist, const double *x, double *y);
/* left[rows.m]: what is left of Cq x = g [m] for y, once the intrinsic rows have got their part. */
void trm_twist_gap(const trm_twist *twist, const double *Cq, const double *g, double *left);

#endif
