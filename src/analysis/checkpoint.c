/* Checkpoints: two files in turn, each with a checksum, so that one is good whatever happens. */
#define _POSIX_C_SOURCE 200809L
#include "analysis/checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trammel/version.h>
#include <zlib.h>

#include "analysis/simulation.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mix.h"
#include "result/beside.h"
#include "result/output.h"
#include "result/results.h"

/* The same on every machine of one byte order, so that another kind of machine can be told. */
typedef struct header {
  char magic[8];
  uint32_t order, word;
  char version[24];
  uint32_t checksum, padding; /* of all behind these */
  uint64_t size;              /* of the file */
  uint64_t number;            /* the larger, the newer */
  uint64_t model;       /* a number that model, files, methods, output times and columns give */
  uint64_t rows, bytes; /* of the results */
  uint64_t state;       /* bytes that follow: the simulation; then frames and marks */
  uint64_t count[2],
      seen[2]; /* of frames for pictures and of marks; rows that they were taken of */
  double time, wall_seconds, cpu_seconds;
} header;

enum { SUMMED = offsetof(header, size) };

typedef struct trm_checkpoints {
  char *folder;
  double seconds; /* of the clock between them; infinite: none are kept */
  double last;    /* when that was */
  double started, cpu_started;
  double read;          /* when the clock was read last */
  long calls, interval; /* steps since; how many that should be */
  uint64_t number;      /* of the last */
  uint64_t model;
  char *bytes; /* the checkpoint to go on from, or NULL */
  bool resumes, warned;
} trm_checkpoints;

static trm_checkpoints *checkpoints_of(trm_simulation *sim) {
  if (!sim->checkpoints) sim->checkpoints = calloc(1, sizeof *sim->checkpoints);
  if (sim->checkpoints && !sim->checkpoints->folder) sim->checkpoints->seconds = INFINITY;
  return sim->checkpoints;
}

static bool set_folder(trm_checkpoints *c, const char *folder) {
  char *copy = strdup(folder);
  if (!copy) return false;
  free(c->folder);
  c->folder = copy;
  return true;
}

void trm_checkpoints_free(trm_checkpoints *c) {
  if (!c) return;
  free(c->folder);
  free(c->bytes);
  free(c);
}

static trm_status no_memory(trm_diagnostics *diagnostics) {
  trm_report(diagnostics, TRM_ERROR, "out of memory");
  return TRM_NO_MEMORY;
}

trm_status trm_simulation_keep_checkpoints(trm_simulation *sim, const char *folder, double seconds,
                                           trm_diagnostics *diagnostics) {
  trm_checkpoints *c = checkpoints_of(sim);
  if (!c || !set_folder(c, folder)) return no_memory(diagnostics);
  c->seconds = seconds;
  return TRM_OK;
}

/* ---- what it must fit to ---- */

static uint64_t mix_names(uint64_t sum, const trm_measure *measures, int count) {
  for (int i = 0; i < count; i++) sum = trm_mix_text(sum, measures[i].name);
  return sum;
}

static uint64_t describe_run(const trm_simulation *sim) {
  const trm_grid *grid = &sim->grid;
  const trm_model *model = sim->engine->model;
  const double numbers[] = {grid->duration,       grid->interval,      grid->h,
                            grid->h_rest,         (double)grid->steps, (double)grid->uniform,
                            (double)grid->stride, sim->film.most};
  uint64_t sum = trm_simulation_fingerprint(sim);
  sum = trm_mix(sum, numbers, sizeof numbers);
  sum = mix_names(sum, model->outputs, model->output_count);
  return mix_names(sum, sim->extra, sim->extra_count);
}

static header describe(const trm_checkpoints *c) {
  header h = {.magic = "trmcheck", .order = 0x01020304, .word = sizeof(void *), .model = c->model};
  snprintf(h.version, sizeof h.version, "%s", trm_version());
  return h;
}

/* ---- writing ---- */

/* Frames for pictures, and marks that an error is estimated from: taken of some of the rows. */
typedef struct taken {
  int *count, capacity;
  long *rows;
  double *t;
  void *values;
  size_t each; /* bytes of the values of one */
} taken;

static void list_taken(trm_simulation *sim, taken lists[2]) {
  trm_film *film = &sim->film;
  trm_marks *marks = &sim->marks;
  size_t frame = (size_t)film->width * sizeof *film->values;
  size_t mark = (size_t)marks->width * sizeof *marks->values;
  lists[0] = (taken){&film->count, film->capacity, &film->rows, film->t, film->values, frame};
  lists[1] = (taken){&marks->count, marks->capacity, &marks->rows, marks->t, marks->values, mark};
}

static size_t bytes_of(const taken *list, uint64_t count) {
  return (size_t)count * (sizeof(double) + list->each);
}

/* The whole file; NULL: no memory, or the rows cannot be written, which the run will find. */
static char *make(trm_simulation *sim, trm_results *results, size_t *size) {
  trm_checkpoints *c = sim->checkpoints;
  taken lists[2];
  list_taken(sim, lists);
  long rows = 0;
  long long bytes = 0;
  size_t state = trm_simulation_save(sim, NULL, 0);
  header h = describe(c);
  h.size = sizeof h + state;
  for (int i = 0; i < 2; i++) {
    h.count[i] = (uint64_t)*lists[i].count;
    h.seen[i] = (uint64_t)*lists[i].rows;
    h.size += bytes_of(&lists[i], h.count[i]);
  }
  if (state == 0 || trm_results_sync(results, &rows, &bytes) != 0) return NULL;
  char *all = malloc(h.size);
  if (!all) return NULL;
  h.number = ++c->number;
  h.rows = (uint64_t)rows;
  h.bytes = (uint64_t)bytes;
  h.state = state;
  h.time = sim->engine->t;
  h.wall_seconds = sim->wall_seconds + trm_wall_seconds() - c->started;
  h.cpu_seconds = sim->cpu_seconds + trm_cpu_seconds() - c->cpu_started;
  memcpy(all, &h, sizeof h);
  trm_simulation_save(sim, all + sizeof h, state);
  char *at = all + sizeof h + state;
  for (int i = 0; i < 2; i++) {
    if (h.count[i] == 0) continue;
    size_t times = h.count[i] * sizeof(double), values = bytes_of(&lists[i], h.count[i]) - times;
    memcpy(at, lists[i].t, times);
    memcpy(at + times, lists[i].values, values);
    at += times + values;
  }
  h.checksum = (uint32_t)crc32_z(0, (const unsigned char *)all + SUMMED, h.size - SUMMED);
  memcpy(all, &h, sizeof h);
  *size = h.size;
  return all;
}

static void write_one(trm_simulation *sim, trm_results *results, trm_diagnostics *diagnostics) {
  trm_checkpoints *c = sim->checkpoints;
  char path[4096];
  size_t size;
  char *all = make(sim, results, &size);
  snprintf(path, sizeof path, "%s/%d", c->folder, (int)(c->number % 2));
  trm_diagnostics *own = trm_diagnostics_create();
  trm_output *output = all && own ? trm_output_open(path, own) : NULL;
  if (output) trm_output_write(output, all, size);
  trm_status status = output ? trm_output_close(output, own) : TRM_NO_MEMORY;
  if (status == TRM_OK) trm_sync_name(path);
  free(all);
  /* a run is worth more than its checkpoints */
  const trm_diagnostic *why = own ? trm_diagnostics_get(own, 0) : NULL;
  if (status != TRM_OK && !c->warned)
    trm_report(diagnostics, TRM_WARNING, "no checkpoint: %s", why ? why->message : "out of memory");
  c->warned |= status != TRM_OK;
  trm_diagnostics_destroy(own);
}

/* Reads the clock every few milliseconds, from calls that come every step. */
static bool is_due(trm_checkpoints *c) {
  if (++c->calls < c->interval) return false;
  double now = trm_wall_seconds(), passed = now - c->read;
  if (passed < 2e-3 && c->interval < 256)
    c->interval = 2 * c->interval + 1;
  else if (passed > 8e-3)
    c->interval /= 2;
  c->calls = 0;
  c->read = now;
  if (now - c->last < c->seconds) return false;
  c->last = now;
  return true;
}

void trm_checkpoints_step(trm_simulation *sim, trm_results *results, bool stops,
                          trm_diagnostics *diagnostics) {
  trm_checkpoints *c = sim->checkpoints;
  if (!c || !results || isinf(c->seconds) || !trm_results_part(results)) return;
  if (stops || is_due(c)) write_one(sim, results, diagnostics);
}

/* ---- reading ---- */

/* NULL where there is none. */
static char *read_file(const char *folder, int which, size_t *size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", folder, which);
  trm_file file = trm_file_read(path, "checkpoint", SIZE_MAX);
  *size = file.length;
  return file.text;
}

static const char *why_damaged(const char *bytes, size_t size, const header *should) {
  header is;
  if (size < sizeof is) return "it is cut short";
  memcpy(&is, bytes, sizeof is);
  if (memcmp(is.magic, should->magic, sizeof is.magic) != 0) return "it is no checkpoint";
  if (is.order != should->order) return NULL; /* of another kind of machine: its numbers are, too */
  if (is.size != size) return "it is cut short";
  uint32_t sum = (uint32_t)crc32_z(0, (const unsigned char *)bytes + SUMMED, size - SUMMED);
  if (sum != is.checksum) return "its checksum is wrong";
  bool fits = is.state <= size && sizeof is + is.state <= size;
  return fits ? NULL : "its sizes do not fit";
}

static const char *why_not(const header *is, const header *should) {
  if (is->order != should->order || is->word != should->word)
    return "the checkpoint was written on another kind of machine (byte order or word size)";
  if (memcmp(is->version, should->version, sizeof is->version) != 0)
    return "the checkpoint was written by another version of Trammel";
  if (is->model != should->model)
    return "the checkpoint is of another model: its file, a file that it names, a parameter or an "
           "option has changed since";
  return NULL;
}

/* The newer one that is whole. NULL with a reason where there are only damaged ones. */
static char *read_newest(const trm_checkpoints *c, const header *should, const char **reason) {
  char *newest = NULL;
  *reason = NULL;
  for (int k = 0; k < 2; k++) {
    size_t size;
    char *bytes = read_file(c->folder, k, &size);
    const char *damage = bytes ? why_damaged(bytes, size, should) : NULL;
    if (damage) *reason = damage;
    bool newer =
        bytes && !damage && (!newest || ((header *)bytes)->number > ((header *)newest)->number);
    free(newer ? newest : bytes);
    if (newer) newest = bytes;
  }
  return newest;
}

trm_status trm_simulation_resume(trm_simulation *sim, trm_results *results, const char *folder,
                                 double *time, trm_diagnostics *diagnostics) {
  trm_checkpoints *c = checkpoints_of(sim);
  *time = NAN;
  if (!c || !set_folder(c, folder)) return no_memory(diagnostics);
  c->model = describe_run(sim);
  const char *reason;
  header is = {0}, should = describe(c);
  char *bytes = read_newest(c, &should, &reason);
  if (!bytes && !reason) return TRM_OK;
  if (bytes) memcpy(&is, bytes, sizeof is);
  const char *refusal = bytes ? why_not(&is, &should) : NULL;
  if (refusal || !bytes) {
    if (refusal)
      trm_report(diagnostics, TRM_ERROR, "%s", refusal);
    else
      trm_report(diagnostics, TRM_ERROR, "no checkpoint in '%s' is whole: %s", folder, reason);
    free(bytes);
    return TRM_BAD_USAGE;
  }
  trm_status status = trm_simulation_restore(sim, bytes + sizeof is, is.state, diagnostics);
  if (status != TRM_OK) {
    free(bytes);
    return status;
  }
  free(c->bytes);
  c->bytes = bytes;
  c->number = is.number;
  c->resumes = true;
  *time = is.time;
  sim->wall_seconds = is.wall_seconds;
  sim->cpu_seconds = is.cpu_seconds;
  trm_results_go_on(results, (long)is.rows, (long long)is.bytes);
  return TRM_OK;
}

/* ---- a run ---- */

static void take_lists(trm_simulation *sim, const char *bytes) {
  header is;
  memcpy(&is, bytes, sizeof is);
  taken lists[2];
  list_taken(sim, lists);
  const char *at = bytes + sizeof is + is.state;
  for (int i = 0; i < 2; i++) {
    taken *list = &lists[i];
    size_t size = bytes_of(list, is.count[i]), times = is.count[i] * sizeof(double);
    if (is.count[i] == 0) continue;
    if (is.count[i] > (uint64_t)list->capacity || at + size > bytes + is.size) return;
    *list->count = (int)is.count[i];
    *list->rows = (long)is.seen[i];
    memcpy(list->t, at, times);
    memcpy(list->values, at + times, size - times);
    at += size;
  }
}

void trm_checkpoints_begin(trm_simulation *sim, const trm_results *results) {
  trm_checkpoints *c = sim->checkpoints;
  if (!c || !results) return;
  if (!c->resumes && !isinf(c->seconds)) c->model = describe_run(sim);
  if (c->resumes) take_lists(sim, c->bytes);
  c->calls = c->interval = 0;
  c->last = c->read = c->started = trm_wall_seconds();
  c->cpu_started = trm_cpu_seconds();
}

bool trm_checkpoints_resumes(const trm_simulation *sim) {
  return sim->checkpoints && sim->checkpoints->resumes;
}

void trm_checkpoints_end(trm_simulation *sim) {
  if (sim->checkpoints) sim->checkpoints->resumes = false;
}
