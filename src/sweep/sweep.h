/* What a study holds. */
#ifndef TRM_SWEEP_SWEEP_H
#define TRM_SWEEP_SWEEP_H

#include <pthread.h>
#include <trammel/sweep.h>

#include "sweep/design.h"
#include "sweep/record.h"
#include "sweep/store.h"

struct trm_statistics;

struct trm_sweep {
  trm_arena *arena;
  trm_model *model;      /* its own, as it is without any varied parameter */
  const char *path;      /* of the file, as the user has it */
  trm_settings settings; /* of the model as it is */
  bool fixed;            /* they are those of each run */
  int option_count;
  const char **options, **option_values; /* over those of each run's model */
  trm_design design;
  const char **parameters; /* [design.columns] */
  trm_results *table;      /* of a design by table, or NULL */
  trm_records records;     /* the records, then the limits */
  int record_count, limit_count;
  bool series; /* rows are kept, too; behind the values of a run is where: file, first, count */
  const char *folder;
  const char *study; /* a text that says what it is; equal texts, equal runs */
  uint64_t print;    /* a number of it */
  trm_store *store;

  uint64_t begin, end; /* of this part */
  uint64_t next;       /* not yet handed out */
  uint64_t done;       /* of this part */
  pthread_mutex_t taking;

  struct trm_statistics *statistics; /* of the last table, or NULL */
  int other_count;                   /* folders of the table that is written, beside its own */
  const char *const *others;
};

/* study.c: fills in study and print; false: no memory. */
bool trm_study_describe(trm_sweep *sweep);
/* Leaves it in the folder, or compares with what is there. False, reported. */
bool trm_study_check(const trm_sweep *sweep, trm_diagnostics *diagnostics);

/* Numbers that are kept of a run. */
enum { TRM_SWEEP_PLACE = 3 };
int trm_sweep_values(const trm_sweep *sweep);

/* Those of a run of this model. */
trm_settings trm_sweep_settings(const trm_sweep *sweep, const trm_model *model);

/* A row of the table. */
typedef struct trm_sweep_row {
  uint64_t run;             /* from 0 on */
  const double *parameters; /* [design.columns] */
  const char *status, *message;
  const double *values; /* [records, then limits: 1, 0 or NaN; then where its rows are] */
} trm_sweep_row;

typedef bool (*trm_sweep_sink)(void *context, const trm_sweep_row *row);

/* All runs that the store has, in order. False where a sink says so, or reported. */
bool trm_sweep_visit(trm_sweep *sweep, trm_store *store, trm_sweep_sink sink, void *context,
                     trm_diagnostics *diagnostics);

/* table.c: sweep.csv */
trm_status trm_sweep_write_csv(trm_sweep *sweep, trm_store *store, const char *path,
                               trm_diagnostics *diagnostics);
/* series.c: series.csv, where the rows of each run are */
trm_status trm_sweep_write_series(trm_sweep *sweep, trm_store *store, const char *path,
                                  trm_diagnostics *diagnostics);
/* table_hdf5.c: sweep.h5 */
trm_status trm_sweep_write_hdf5(trm_sweep *sweep, trm_store *store, uint64_t rows, const char *path,
                                trm_diagnostics *diagnostics);

#endif
