/* The table of a study as HDF5: a data set for each column, row after row in chunks. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <trammel/results.h>

#include "sweep/sweep.h"

#ifdef TRM_HDF5 /* found by CMake */
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include "sweep/statistics.h"

enum { CHUNK = 8192 }; /* rows */

typedef struct writer {
  const trm_sweep *sweep;
  hid_t text;               /* the type of status and message */
  hid_t *sets;              /* run, parameters, status, message, records */
  int columns;              /* of numbers: parameters and records */
  int64_t *runs;            /* [CHUNK] */
  double *values;           /* [columns × CHUNK] */
  char **status, **message; /* [CHUNK] */
  hsize_t written, waiting;
} writer;

/* A slash would be a folder. */
static char *set_name(const char *name) {
  char *safe = malloc(3 * strlen(name) + 1), *to = safe;
  for (; safe && *name; name++) {
    if (*name == '/') {
      memcpy(to, "\xe2\x88\x95", 3); /* a division slash */
      to += 3;
    } else {
      *to++ = *name;
    }
  }
  if (safe) *to = 0;
  return safe;
}

static hid_t create_set(hid_t file, const char *name, hid_t type, hsize_t rows) {
  hsize_t chunk = rows < 1 ? 1 : rows < CHUNK ? rows : CHUNK;
  char *safe = set_name(name);
  hid_t space = H5Screate_simple(1, &rows, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(layout, 1, &chunk);
  H5Pset_obj_track_times(layout, false); /* the same study, the same bytes */
  hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  H5Pset_chunk_cache(access, 1, 0, 1); /* chunks are written whole: none needs to stay */
  hid_t set = safe ? H5Dcreate2(file, safe, type, space, H5P_DEFAULT, layout, access) : -1;
  H5Pclose(access);
  H5Pclose(layout);
  H5Sclose(space);
  free(safe);
  return set;
}

static const char *column_name(const trm_sweep *s, int k) {
  int parameters = s->design.columns;
  if (k == 0) return "run";
  if (k <= parameters) return s->parameters[k - 1];
  if (k == parameters + 1) return "status";
  if (k == parameters + 2) return "message";
  return s->records.names[k - parameters - 3];
}

static int column_count(const trm_sweep *s) {
  return 3 + s->design.columns + s->record_count;
}

static bool create_sets(writer *w, hid_t file, hsize_t rows) {
  const trm_sweep *s = w->sweep;
  for (int k = 0; k < column_count(s); k++) {
    bool text = k == s->design.columns + 1 || k == s->design.columns + 2;
    hid_t type = k == 0 ? H5T_STD_I64LE : text ? w->text : H5T_IEEE_F64LE;
    if ((w->sets[k] = create_set(file, column_name(s, k), type, rows)) < 0) return false;
  }
  return true;
}

/* The columns' order, which HDF5 does not keep. */
static bool write_names(const writer *w, hid_t file) {
  hsize_t columns = (hsize_t)column_count(w->sweep);
  const char **names = malloc(columns * sizeof *names);
  for (hsize_t i = 0; names && i < columns; i++) names[i] = column_name(w->sweep, (int)i);
  hid_t space = H5Screate_simple(1, &columns, NULL);
  hid_t attribute = H5Acreate2(file, "columns", w->text, space, H5P_DEFAULT, H5P_DEFAULT);
  bool good = names && attribute >= 0 && H5Awrite(attribute, w->text, names) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  free(names);
  return good;
}

static bool write_part(const writer *w, int set, hid_t type, const void *values) {
  hid_t here = H5Screate_simple(1, &w->waiting, NULL), there = H5Dget_space(w->sets[set]);
  bool good =
      H5Sselect_hyperslab(there, H5S_SELECT_SET, &w->written, NULL, &w->waiting, NULL) >= 0 &&
      H5Dwrite(w->sets[set], type, here, there, H5P_DEFAULT, values) >= 0;
  H5Sclose(here);
  H5Sclose(there);
  return good;
}

/* Writes what is waiting. */
static bool flush(writer *w) {
  const trm_sweep *s = w->sweep;
  int parameters = s->design.columns;
  bool good = w->waiting == 0 || write_part(w, 0, H5T_NATIVE_INT64, w->runs);
  for (int k = 0; good && w->waiting > 0 && k < w->columns; k++)
    good =
        write_part(w, 1 + k + (k < parameters ? 0 : 2), H5T_NATIVE_DOUBLE, w->values + k * CHUNK);
  if (good && w->waiting > 0)
    good = write_part(w, parameters + 1, w->text, w->status) &&
           write_part(w, parameters + 2, w->text, w->message);
  for (hsize_t i = 0; i < w->waiting; i++) {
    free(w->status[i]);
    free(w->message[i]);
  }
  w->written += w->waiting;
  w->waiting = 0;
  return good;
}

static bool put_row(void *context, const trm_sweep_row *row) {
  writer *w = context;
  const trm_sweep *s = w->sweep;
  hsize_t at = w->waiting;
  w->runs[at] = (int64_t)row->run + 1;
  for (int k = 0; k < s->design.columns; k++) w->values[k * CHUNK + (int)at] = row->parameters[k];
  for (int i = 0; i < s->record_count; i++)
    w->values[(s->design.columns + i) * CHUNK + (int)at] = row->values[i];
  w->status[at] = strdup(row->status);
  w->message[at] = strdup(row->message);
  w->waiting++;
  if (!w->status[at] || !w->message[at]) return false;
  return w->waiting < CHUNK || flush(w);
}

static bool write_file(writer *w, hid_t file, trm_sweep *s, trm_store *store, uint64_t rows,
                       trm_diagnostics *diagnostics) {
  bool good = create_sets(w, file, rows) && write_names(w, file) &&
              trm_sweep_visit(s, store, put_row, w, diagnostics);
  if (!flush(w)) good = false;
  for (int k = 0; k < column_count(s); k++)
    if (w->sets[k] >= 0 && H5Dclose(w->sets[k]) < 0) good = false;
  return good;
}

/* HDF5 that meets a full disk does not even let the program end in peace: the room is taken, and
 * given back just before. */
static bool has_room(const trm_sweep *s, const char *path, uint64_t rows,
                     trm_diagnostics *diagnostics) {
  double texts = 96.0 * (double)rows + (double)trm_sweep_text_bytes(s);
  double need = 8.0 * (double)rows * column_count(s) + texts + 4096.0 * column_count(s) + (1 << 16);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int error = file >= 0 ? posix_fallocate(file, 0, (off_t)need) : errno;
  if (file >= 0 && ftruncate(file, 0) != 0 && !error) error = errno;
  if (file >= 0) close(file);
  if (!error) return true;
  trm_report(diagnostics, TRM_ERROR, "cannot write '%s': %s", path, strerror(error));
  return false;
}

static bool create_writer(writer *w, const trm_sweep *s) {
  *w = (writer){.sweep = s, .columns = s->design.columns + s->record_count};
  w->sets = malloc((size_t)column_count(s) * sizeof *w->sets);
  w->runs = malloc(CHUNK * sizeof *w->runs);
  w->values = malloc(((size_t)w->columns + 1) * CHUNK * sizeof *w->values);
  w->status = calloc(CHUNK, sizeof *w->status);
  w->message = calloc(CHUNK, sizeof *w->message);
  w->text = H5Tcopy(H5T_C_S1);
  H5Tset_size(w->text, H5T_VARIABLE);
  H5Tset_cset(w->text, H5T_CSET_UTF8);
  for (int k = 0; w->sets && k < column_count(s); k++) w->sets[k] = -1;
  return w->sets && w->runs && w->values && w->status && w->message;
}

/* With a cache of what it knows about the file that does not grow. */
static hid_t create_file(const char *path) {
  H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (H5Pget_mdc_config(access, &cache) >= 0) {
    cache.set_initial_size = true;
    cache.initial_size = cache.min_size = cache.max_size = 1 << 20;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    H5Pset_mdc_config(access, &cache);
  }
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  return file;
}

trm_status trm_sweep_write_hdf5(trm_sweep *s, trm_store *store, uint64_t rows, const char *path,
                                trm_diagnostics *diagnostics) {
  writer w;
  H5E_auto2_t before;
  void *context;
  if (!has_room(s, path, rows, diagnostics)) return TRM_IO_ERROR;
  H5Eget_auto2(H5E_DEFAULT, &before, &context);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* it prints otherwise */
  bool good = create_writer(&w, s);
  hid_t file = good ? create_file(path) : -1;
  good = file >= 0 && write_file(&w, file, s, store, rows, diagnostics);
  if (file >= 0 && H5Fclose(file) < 0) good = false;
  H5Tclose(w.text);
  H5Eset_auto2(H5E_DEFAULT, before, context);
  free(w.sets);
  free(w.runs);
  free(w.values);
  free(w.status);
  free(w.message);
  if (!good) trm_report(diagnostics, TRM_ERROR, "cannot write '%s'", path);
  return good ? TRM_OK : TRM_IO_ERROR;
}

#else

trm_status trm_sweep_write_hdf5(trm_sweep *s, trm_store *store, uint64_t rows, const char *path,
                                trm_diagnostics *diagnostics) {
  (void)s, (void)store, (void)rows, (void)path, (void)diagnostics;
  return TRM_OK; /* text only */
}

#endif
