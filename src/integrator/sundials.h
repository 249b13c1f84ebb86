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

typedef struct trm_sundials trm_sundials;

/* What CVODE and IDA do alike, each by functions of its own; flags have the same numbers. */
typedef struct trm_sundials_class {
  int (*stop_at)(void *memory, sunrealtype t);
  int (*derivative)(void *memory, sunrealtype t, int order, N_Vector y);
  int (*step)(void *memory, sunrealtype *h);
  int (*errors)(void *memory, N_Vector error);
  int (*weights)(void *memory, N_Vector weight);
  int (*rejections)(void *memory, long *count);
  int (*cuts)(void *memory, long *count);
  void (*release)(void **memory);
  /* b = A⁻¹ b with whatever the Jacobian callback has left */
  void (*solve)(trm_sundials *sundials, double *b);
  bool (*restart)(trm_sundials *sundials, double t, const double *y);
  /* a step from y, towards `until` */
  int (*advance)(trm_sundials *sundials, const double *y, double until, double *reached);
  /* trial, the method's own, becomes a state with its rates */
  bool (*accept)(trm_sundials *sundials, double t);
} trm_sundials_class;

struct trm_sundials {
  const trm_sundials_class *type;
  SUNContext context;
  SUNMatrix matrix; /* a name for what is kept elsewhere */
  SUNLinearSolver linear;
  trm_integrator *in;
  trm_dynamics *dynamics;
  void *memory; /* of the library */
  int size;     /* of its vectors */
  N_Vector y, ydot, at, weight;
  double digits;         /* of positions, in units of the model's own: no error */
  double stop;           /* the time it must not pass */
  bool failed;           /* the last callback, and the system says why */
  bool has_failed;       /* any of the step at hand: shorter steps got past it */
  long rejections, cuts; /* before the last fresh start */
};

/* The common part of in->own, which stands first there; memory is the caller's to make. False: out
 * of memory. */
bool trm_sundials_create(trm_sundials *sundials, const trm_sundials_class *type,
                         trm_integrator *integrator, trm_dynamics *dynamics, trm_arena *arena,
                         int size);
/* What a callback returns: a smaller step may help. */
int trm_sundials_outcome(trm_sundials *sundials, bool good);

static inline double *trm_data_of(N_Vector x) {
  return N_VGetArrayPointer(x);
}

#define TRM_NO_WEIGHT 1e-30 /* zero is not allowed */

/* Of y = (q, v, z, …): only q, v and z are controlled, and the others do not dilute the norm. */
int trm_sundials_weigh(N_Vector y, N_Vector weight, void *sundials);

#endif
