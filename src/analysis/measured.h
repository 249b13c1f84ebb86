/* A record to be met: columns of a file at its times, by least squares. */
#ifndef TRM_ANALYSIS_MEASURED_H
#define TRM_ANALYSIS_MEASURED_H

#include "analysis/neighbour.h"

typedef struct trm_measured {
  int rows, columns;         /* 0: there is no record */
  const char **names;        /* [columns] measures */
  double *times;             /* [rows] */
  double *data;              /* [rows × columns] NaN: not measured */
  double *weights;           /* [columns] of squares */
  int points;                /* that were measured */
  double size;               /* √Σ weight data² */
  const double (*bounds)[2]; /* [count] of the parameters */

  /* of the run at hand, by what trm_measured_add is told */
  int first;       /* which of what is asked for are the columns */
  int count;       /* parameters */
  double sum;      /* Σ weight (measure − data)² */
  double *slope;   /* [count] of the sum */
  double *squares; /* [count²] Σ weight s sᵀ, with s the derivatives of a measure */
  double *room;    /* [count² + 2 count] */
} trm_measured;

/* The file that the model's section names. */
trm_status trm_measured_read(trm_measured *fit, const trm_model *model, double duration,
                             trm_arena *arena, trm_diagnostics *diagnostics);
void trm_measured_begin(trm_measured *fit);
/* A trm_asked's `tell`; the context is the fit. */
void trm_measured_add(void *context, int row, const double *value, const double *slope);
/* After a run of the optimum: covariance [count²] of the estimates, with the deviation of a
 * measurement of weight one, from what is left. False: the record does not determine them all. */
bool trm_measured_covariance(const trm_measured *fit, double *covariance, double *deviation);

#endif
