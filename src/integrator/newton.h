/* Modified Newton, one for all implicit methods of our own: a method makes an iteration; whether
 * its changes die out, whether the Jacobian still does, and whether there is hope is found here.
 * SUNDIALS has its own, with our linear problems. */
#ifndef TRM_INTEGRATOR_NEWTON_H
#define TRM_INTEGRATOR_NEWTON_H

#include <stdbool.h>

typedef struct trm_newton trm_newton;

struct trm_newton {
  /* one iteration, renew: with a new Jacobian; the size of its change. NaN: it failed. */
  double (*iterate)(trm_newton *newton, bool renew);
  void *method;
  double tolerance;   /* of what is left of the changes to come */
  double round_off;   /* changes below it that no longer shrink are round-off */
  double last_resort; /* a last change below it will do */
  double slowest;     /* a contraction above it needs a new Jacobian */
  double stalled_at;  /* a contraction above it does not shrink */
  int most;           /* iterations */
  int renewals;       /* of the Jacobian at most */
  bool trusts_new;    /* a Jacobian of this step is kept while it is not the slowest */
  bool averages;      /* contractions: with those before */

  int made;           /* Jacobians so far */
  bool met;           /* set by iterate: what else must hold */
  double contraction; /* the last; 0: there was one change alone */
  bool stalled;       /* the last change was round-off */
};

/* From where the method is, renew: with a new Jacobian. False: no convergence. */
bool trm_newton_solve(trm_newton *newton, bool renew);

#endif
