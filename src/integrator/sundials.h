/* SUNDIALS 6 and 7: what differs between them, and our linear solver in their interface. */
#ifndef TRM_INTEGRATOR_SUNDIALS_H
#define TRM_INTEGRATOR_SUNDIALS_H

#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "integrator/integrator.h"

#if SUNDIALS_VERSION_MAJOR < 7
#define SUN_COMM_NULL NULL
#endif

/* b = A⁻¹ b with whatever the Jacobian callback has left */
typedef void trm_linear_solve(void *data, double *b);

typedef struct trm_sundials {
  SUNContext context;
  SUNMatrix matrix; /* a name for what is kept elsewhere */
  SUNLinearSolver linear;
  trm_linear_solve *solve;
  void *data;
} trm_sundials;

/* For vectors of this size. False: out of memory; destroy it all the same. */
bool trm_sundials_create(trm_sundials *sundials, int size, trm_linear_solve *solve, void *data);
void trm_sundials_destroy(trm_sundials *sundials);

#define TRM_NO_WEIGHT 1e-30 /* zero is not allowed */

/* Of y = (q, v, z, …) with the given number of entries: only q, v and z are controlled, and the
 * others do not dilute the norm. */
void trm_sundials_weigh(const trm_integrator *integrator, const trm_dynamics *dynamics, int entries,
                        const double *y, double *weight);

/* A step into in->trial and in->rates; fresh: from a state that is not the method's own. */
typedef bool trm_sundials_advance(void *data, double t, double *end, const double *y, bool fresh);
/* By the method itself or, next to a singular position where it fails or crawls, in->substitute. */
bool trm_sundials_step(trm_integrator *integrator, trm_dynamics *dynamics, double t, double *end,
                       const double *y, const double *ydot, trm_sundials_advance *advance,
                       void *data);

/* Of an integrator that was restored: the library's history is not kept. */
void trm_sundials_forget(void *integrator);

/* Where a formula leaves its piece before *end or just behind it: back or on to the place, and on
 * to the new piece, on which the next step starts afresh. The corrector does not converge across a
 * jump: the method may creep towards it without reaching it. */
bool trm_sundials_handle_change(trm_integrator *integrator, trm_dynamics *dynamics, double t,
                                double *end, const double *y, bool *fresh);

/* The step from t has come to nothing: such a method would go on for ever. */
bool trm_sundials_stuck(double t, double reached);

typedef enum trm_trouble {
  TRM_INACCURATE,
  TRM_DIVERGENT,
  TRM_TOO_FINE,
  TRM_UNSOLVABLE,
  TRM_STUCK
} trm_trouble;

/* Says so in system->error, at the last good state y; error[2n], to be weighted: how large it is
 * and who is behind it. False. */
bool trm_sundials_explain(trm_integrator *integrator, trm_dynamics *dynamics, double t,
                          const double *y, double h, trm_trouble trouble, double *error,
                          const double *weight);

#endif
