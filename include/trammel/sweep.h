/* Studies: many runs of one model with other parameters each.
 *
 * create → run → write → destroy. Finished runs are kept in the study's folder as they end: a study
 * that was stopped, killed or cut off goes on where it was when the same one is created there
 * again. What a run gives hangs on its number and the seed alone, never on threads, processes or
 * order. */
#ifndef TRAMMEL_SWEEP_H
#define TRAMMEL_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <trammel/diagnostics.h>
#include <trammel/export.h>
#include <trammel/model.h>
#include <trammel/settings.h>

TRM_BEGIN_C

typedef struct trm_sweep trm_sweep;

typedef struct trm_sweep_def {
  size_t size; /* of this struct, see export.h */
  /* "L=1:2:11", "m=normal(3, 0.1)", uniform(a, b), lognormal(mean, sd of the logarithm),
   * triangular(a, mode, b), discrete(v1, v2, …); numbers may be formulas of the model's parameters
   */
  int vary_count;
  const char *const *vary;
  const char *table;  /* a CSV file of parameters, one row a run, in place of `vary`; or NULL */
  const char *design; /* grid, random, lhs, sobol, saltelli; NULL: grid where all have values to
                         count, else random */
  long samples; /* of the designs but grid, 0: 100; saltelli has so many blocks of parameters + 2 */
  uint64_t seed;
  const char *correlation; /* a CSV file: names, then a square matrix; or NULL */
  /* Formulas over a run, "max(rod.B.x)" or "reach=max(rod.B.x)": of measures, parameters and the
   * model's metrics */
  int record_count;
  const char *const *records;
  int limit_count; /* conditions over a run, "max(A.f) < 500": the share that meets them is told */
  const char *const *limits;
  const char *folder; /* of the study */
  int part, parts;    /* this process does one of so many parts, counted from 1 */
  int option_count; /* "rtol=1e-6": over the settings of each run's model, whose own may hang on */
  const char *const *options; /* its parameters */
  bool series;                /* each run's rows, in HDF5 files in FOLDER/series */
} trm_sweep_def;

TRM_API void trm_sweep_def_init(trm_sweep_def *defaults, size_t size);
static inline trm_sweep_def trm_default_sweep_def(void) {
  trm_sweep_def defaults;
  trm_sweep_def_init(&defaults, sizeof defaults);
  return defaults;
}

/* Reads and checks everything, and what the folder holds of this study. settings == NULL: the
 * model's own, in each run those that its parameters give. NULL, reported, where something is wrong
 * or the folder holds another study; status may be NULL. */
TRM_API trm_sweep *trm_sweep_create(const trm_model *model, const trm_settings *settings,
                                    const trm_sweep_def *definition, trm_diagnostics *diagnostics,
                                    trm_status *status);
TRM_API void trm_sweep_destroy(trm_sweep *sweep); /* accepts NULL */

TRM_API uint64_t trm_sweep_runs(const trm_sweep *sweep); /* of the whole study */
TRM_API uint64_t trm_sweep_part(const trm_sweep *sweep); /* of this part of it */
TRM_API uint64_t trm_sweep_done(const trm_sweep *sweep); /* of this part, finished so far */

/* Called now and then, by one thread at a time; return false to stop: runs under way are left. */
typedef bool (*trm_sweep_progress)(void *context, uint64_t done, uint64_t all);

/* Where runs come from: the next `*count` from `*first` on, 0 based. False: there are no more. */
typedef bool (*trm_sweep_supply)(void *context, uint64_t *first, uint64_t *count);

/* Runs that are not done yet, a block for one of so many workers; from any thread. */
TRM_API bool trm_sweep_take(trm_sweep *sweep, int workers, uint64_t *first, uint64_t *count);

/* Does what is left of this part. supply == NULL: trm_sweep_take. A run that fails is a row with
 * its message, no failure. TRM_INTERRUPTED: progress said so. TRM_IO_ERROR, reported: a run could
 * not be kept. */
TRM_API trm_status trm_sweep_run(trm_sweep *sweep, int threads, trm_sweep_supply supply,
                                 void *supplier, trm_sweep_progress progress, void *context,
                                 trm_diagnostics *diagnostics);

/* What a study says, in doubles; NaN where there is nothing to say. Intervals are those of 95 %. */
typedef struct trm_sweep_share {
  const char *limit;
  uint64_t passed, runs; /* a run that failed has not passed */
  double share, low, high;
} trm_sweep_share;

typedef struct trm_sweep_statistic {
  const char *record;
  uint64_t count; /* runs that have a value */
  double mean, mean_low, mean_high, sd, sd_low, sd_high, least, most;
} trm_sweep_statistic;

/* Of a record and a parameter. */
typedef struct trm_sweep_influence {
  double correlation, correlation_low, correlation_high;
  double first, first_low, first_high; /* Sobol indices: design saltelli only */
  double total, total_low, total_high;
} trm_sweep_influence;

/* Writes sweep.csv, sweep.h5 (where the library has HDF5), sweep.json and sweep.html of all runs
 * that are there, in the study's folder and in `others`, which may be NULL. Fills in what the
 * functions below tell. */
TRM_API trm_status trm_sweep_write(trm_sweep *sweep, int other_count, const char *const *others,
                                   bool page, trm_diagnostics *diagnostics);

TRM_API uint64_t trm_sweep_present(const trm_sweep *sweep);   /* runs in the table */
TRM_API uint64_t trm_sweep_completed(const trm_sweep *sweep); /* of them, by status "completed" */
TRM_API int trm_sweep_parameters(const trm_sweep *sweep);
TRM_API const char *trm_sweep_parameter(const trm_sweep *sweep, int parameter);
/* [trm_sweep_parameters] of a run, counted from 0 */
TRM_API void trm_sweep_run_parameters(const trm_sweep *sweep, uint64_t run, double *values);
TRM_API int trm_sweep_records(const trm_sweep *sweep);
TRM_API int trm_sweep_limits(const trm_sweep *sweep);
TRM_API trm_sweep_statistic trm_sweep_get_statistic(const trm_sweep *sweep, int record);
TRM_API trm_sweep_share trm_sweep_get_share(const trm_sweep *sweep, int limit);
TRM_API trm_sweep_influence trm_sweep_get_influence(const trm_sweep *sweep, int record,
                                                    int parameter);

TRM_END_C

#endif
