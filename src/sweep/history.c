/* Series of runs: rows go to HDF5 as they do in a single run. */
#define _GNU_SOURCE /* getrandom */
#include "sweep/history.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/beside.h"
#include "result/rows.h"

/* A file has room for so many rows: all that describes them is written when it begins. */
enum { MOST_ROWS = 1 << 22, BLOCK = 1024, LONGEST_PATH = 4200 };

struct trm_history {
  char folder[LONGEST_PATH];
  trm_row_file file;     /* file.file < 0: none is open */
  uint64_t number;       /* of it */
  char **names;          /* [file.columns] */
  double *block;         /* [BLOCK × file.columns] */
  pthread_mutex_t using; /* the file stays open while it is synced */
};

trm_history *trm_history_create(const char *folder) {
  trm_history *h = calloc(1, sizeof *h);
  if (!h) return NULL;
  snprintf(h->folder, sizeof h->folder, "%.4100s", folder);
  h->file.file = -1;
  pthread_mutex_init(&h->using, NULL);
  return h;
}

void trm_history_name(const char *folder, uint64_t file, char *path, size_t size) {
  snprintf(path, size, "%s/%013" PRIx64 ".h5", folder, file);
}

/* ---- files ---- */

static int sync_file(int file) {
  return fdatasync(file) == 0 || errno == EINVAL ? 0 : errno;
}

static int close_file(trm_history *h) {
  int error = 0;
  if (h->file.file < 0) return 0;
  error = sync_file(h->file.file);
  h->file.type->end(&h->file);
  if (close(h->file.file) != 0 && !error) error = errno;
  for (int k = 0; h->names && k < h->file.columns; k++) free(h->names[k]);
  free(h->names);
  free(h->block);
  h->names = NULL;
  h->block = NULL;
  h->file = (trm_row_file){.file = -1};
  return error;
}

void trm_history_destroy(trm_history *h) {
  if (!h) return;
  close_file(h);
  pthread_mutex_destroy(&h->using);
  free(h);
}

static bool name_columns(trm_history *h, const trm_results *rows) {
  int columns = 1 + trm_results_columns(rows);
  h->names = calloc((size_t)columns, sizeof *h->names);
  h->block = malloc((size_t)BLOCK * (size_t)columns * sizeof *h->block);
  bool good = h->names && h->block;
  for (int k = 0; good && k < columns; k++) {
    h->names[k] = strdup(k == 0 ? "run" : trm_results_name(rows, k - 1));
    good = h->names[k] != NULL;
  }
  h->file.columns = h->names ? columns : 0;
  h->file.names = (const char *const *)h->names;
  return good;
}

/* Under a number that no file has: workers anywhere may share the folder. */
static int create_file(trm_history *h) {
  char path[LONGEST_PATH + 32];
  if (mkdir(h->folder, 0777) != 0 && errno != EEXIST) return errno;
  do {
    if (getrandom(&h->number, sizeof h->number, 0) != (ssize_t)sizeof h->number) return EIO;
    h->number >>= 12;
    trm_history_name(h->folder, h->number, path, sizeof path);
    h->file.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (h->file.file < 0 && errno == EEXIST);
  if (h->file.file < 0) return errno;
  trm_sync_name(path);
  trm_sync_name(h->folder);
  return 0;
}

static int begin_file(trm_history *h, const trm_results *rows) {
  int error = close_file(h);
  if (!error) error = create_file(h);
  if (error) return error;
  long count = trm_results_rows(rows);
  h->file.type = &trm_rows_hdf5;
  h->file.most = count > MOST_ROWS ? count : MOST_ROWS;
  return name_columns(h, rows) ? h->file.type->begin(&h->file) : ENOMEM;
}

/* Other parameters may give a model other columns. */
static bool fits(const trm_history *h, const trm_results *rows) {
  if (h->file.file < 0 || h->file.columns != 1 + trm_results_columns(rows) ||
      h->file.rows + trm_results_rows(rows) > h->file.most)
    return false;
  for (int k = 1; k < h->file.columns; k++)
    if (strcmp(h->names[k], trm_results_name(rows, k - 1)) != 0) return false;
  return true;
}

/* ---- rows ---- */

static int write_rows(trm_history *h, uint64_t run, const trm_results *rows) {
  int columns = h->file.columns, count = trm_results_rows(rows), error = 0;
  for (int first = 0; !error && first < count; first += BLOCK) {
    int here = count - first < BLOCK ? count - first : BLOCK;
    double *to = h->block;
    for (int i = first; i < first + here; i++) {
      *to++ = (double)run + 1;
      for (int k = 0; k + 1 < columns; k++) *to++ = trm_results_get(rows, i, k);
    }
    error = h->file.type->write(&h->file, h->block, here);
  }
  return error ? error : h->file.type->settle(&h->file, h->file.rows);
}

int trm_history_add(trm_history *h, uint64_t run, const trm_results *rows,
                    trm_history_place *place) {
  int count = trm_results_rows(rows);
  *place = (trm_history_place){0};
  if (count == 0) return 0;
  pthread_mutex_lock(&h->using);
  int error = fits(h, rows) ? 0 : begin_file(h, rows);
  *place = (trm_history_place){h->number, h->file.rows, count};
  if (!error) error = write_rows(h, run, rows);
  if (error) close_file(h); /* what a full disk has cut off is left alone */
  pthread_mutex_unlock(&h->using);
  return error;
}

int trm_history_sync(trm_history *h) {
  pthread_mutex_lock(&h->using);
  int error = h->file.file < 0 ? 0 : sync_file(h->file.file);
  pthread_mutex_unlock(&h->using);
  return error;
}
