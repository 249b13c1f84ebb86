/* Results: a table of measures over time, and the summary of a run. */
#ifndef TRAMMEL_RESULTS_H
#define TRAMMEL_RESULTS_H

#include <stdbool.h>
#include <stdio.h>
#include <trammel/diagnostics.h>
#include <trammel/export.h>

TRM_BEGIN_C

typedef struct trm_results trm_results;

TRM_API trm_results *trm_results_create(void);
TRM_API void trm_results_destroy(trm_results *results); /* accepts NULL */

TRM_API int trm_results_columns(const trm_results *results); /* the first is t */
TRM_API int trm_results_rows(const trm_results *results);
TRM_API const char *trm_results_name(const trm_results *results, int column);
TRM_API int trm_results_find(const trm_results *results, const char *name); /* −1: none */
TRM_API double trm_results_get(const trm_results *results, int row, int column);
/* All rows of a column, one after the other; they stay until the table is filled anew. NULL: none,
 * or they are in a file. */
TRM_API const double *trm_results_column(const trm_results *results, int column);

/* From the next trm_simulation_run on, rows go to the file `path`.part as they are recorded, within
 * a second and not into memory. format: csv or hdf5. trm_results_get reads them back. */
TRM_API trm_status trm_results_stream(trm_results *results, const char *path, const char *format,
                                      trm_diagnostics *diagnostics);
/* After that run: the file is on the disk, whole, and renamed to `path`. */
TRM_API trm_status trm_results_publish(trm_results *results, trm_diagnostics *diagnostics);

/* A formula of the columns ("hypot(A.fx, A.fy)"): a value for each row. TRM_BAD_USAGE, reported,
 * where it is none. */
TRM_API trm_status trm_results_evaluate(const trm_results *results, const char *formula,
                                        double *values, trm_diagnostics *diagnostics);

/* Both report what went wrong (unwritable, disk full) and return TRM_IO_ERROR. "-" is standard
 * output. */
TRM_API trm_status trm_results_write_csv(const trm_results *results, const char *path,
                                         trm_diagnostics *diagnostics);
/* One data set of doubles for each column, by its name, and the attribute `columns`, their order.
 */
TRM_API trm_status trm_results_write_hdf5(const trm_results *results, const char *path,
                                          trm_diagnostics *diagnostics);
TRM_API bool trm_results_has_hdf5(void); /* always */
/* Reads a CSV of numbers with one header line. */
TRM_API trm_results *trm_results_read_csv(const char *path, trm_diagnostics *diagnostics);
/* Reads the data sets of doubles with one dimension in the root of an HDF5 file (not compressed, of
 * the format that is the libraries' default), in the order in which they were made. */
TRM_API trm_results *trm_results_read_hdf5(const char *path, trm_diagnostics *diagnostics);
/* By the ending of the name: .h5 and .hdf5, else CSV. */
TRM_API trm_results *trm_results_read(const char *path, trm_diagnostics *diagnostics);

/* How a run agrees with expected results. */
typedef struct trm_check {
  const char *reference; /* the file; trm_results_check leaves it NULL */
  double tolerance;
  bool passed;
  int rows;              /* times compared */
  double max_difference; /* NaN where nothing could be compared, infinite where a number is NaN */
  const char *column;    /* where it is, and when; a name of the reference */
  double time;
} trm_check;

/* Compares all columns of the reference, at those of its times that the results have. TRM_FAILED,
 * reported, where nothing can be compared; whether they agree is in `check`. */
TRM_API trm_status trm_results_check(const trm_results *results, const trm_results *reference,
                                     double tolerance, trm_check *check,
                                     trm_diagnostics *diagnostics);

#define TRM_SWITCHES 32 /* times of the first ones are kept */

typedef struct trm_summary {
  const char *model;        /* the file, or "" */
  const char *name, *space; /* a system of its own has no space and no coordinates: NULL */
  const char *coordinates, *solver, *stabilization, *energy, *integrator;
  double step, duration;
  const char *status; /* "completed", "doubtful", "failed", "interrupted" */
  const char *message;
  double time_reached;
  long steps, evaluations;
  long newton_iterations, jacobians, factorizations, step_cuts; /* of implicit methods */
  long stiff_steps;           /* by radau5 in the place of dop853, which `auto` had chosen */
  int switches;               /* to radau5, back, … */
  const double *switch_times; /* [min(switches, TRM_SWITCHES)] */
  int bodies, generalized_coordinates, constraints, redundant_constraints, degrees_of_freedom;
  double wall_seconds, cpu_seconds, real_time_factor;
  double max_position_violation, max_velocity_violation;
  double energy_initial, energy_final, max_energy_error; /* NaN: the system gives no energy */
  const char *version;
  const trm_check *check; /* NULL: not checked, and not written */
  int metric_count;       /* of the model; 0: not written */
  const char *const *metric_names;
  const double *metrics;   /* NaN: it has no value */
  double estimated_error;  /* of a position, angle or quaternion component; NaN: none was made */
  double estimate_seconds; /* CPU time that took */
} trm_summary;

TRM_API trm_status trm_summary_write_json(const trm_summary *summary, const char *path,
                                          trm_diagnostics *diagnostics);

TRM_END_C

#endif
