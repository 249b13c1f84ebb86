/* Logs of finished runs. */
#define _GNU_SOURCE /* O_CLOEXEC, DT_REG */
#include "sweep/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diagnostics.h"
#include "result/beside.h"

/* Begins a log: in the byte order of the machine, which the checksum sees, too. */
typedef struct head {
  char magic[8];
  uint64_t study;
  uint64_t values;
} head;

/* Begins a record; then the values, status and message with a NUL behind each, filled up to eight
 * bytes, and the checksum. */
typedef struct entry {
  uint64_t run;
  uint64_t text; /* bytes, filled up */
} entry;

static const char magic[8] = {'T', 'R', 'M', 'R', 'U', 'N', 'S', '1'};

/* A stretch of a log, and the runs in it: logs are nearly in order, so that few hold a window. */
typedef struct stretch {
  int log;
  off_t begin, end;
  uint64_t least, most;
} stretch;

enum { STRETCH = 1 << 20, LONGEST_TEXT = 8192, LONGEST_PATH = 4096, SYNC_SECONDS = 5 };

struct trm_store {
  char folder[LONGEST_PATH]; /* where this process writes */
  uint64_t study, runs;
  int values;
  uint8_t *done; /* a bit a run */

  int log_count; /* read so far */
  char **logs;   /* their paths */
  int stretch_count;
  stretch *stretches;

  pthread_mutex_t writing;
  int file; /* < 0: not yet */
  off_t written;
  int error;
  time_t synced;
  trm_store_first first; /* before that, or NULL */
  void *first_context;
  char *record;

  trm_arena *window;
  trm_kept_run *rows;
};

static size_t fill(size_t bytes) {
  return (bytes + 7) & ~(size_t)7;
}

static uint64_t check_sum(uint64_t study, const char *bytes, size_t length) {
  uint64_t sum = 14695981039346656037u ^ study;
  for (size_t i = 0; i + 8 <= length; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    sum = (sum ^ word) * 1099511628211u;
    sum ^= sum >> 29;
  }
  return sum;
}

bool trm_store_has(const trm_store *s, uint64_t run) {
  return s->done[run / 8] >> run % 8 & 1;
}

uint64_t trm_store_count(const trm_store *s, uint64_t first, uint64_t end) {
  uint64_t count = 0;
  for (uint64_t run = first; run < end; run++) count += trm_store_has(s, run);
  return count;
}

/* --- reading --- */

static bool complain(trm_diagnostics *diagnostics, const char *verb, const char *path) {
  trm_report(diagnostics, TRM_ERROR, "cannot %s '%s': %s", verb, path, strerror(errno));
  return false;
}

static bool no_memory(trm_diagnostics *diagnostics) {
  trm_report(diagnostics, TRM_ERROR, "out of memory");
  return false;
}

/* Of the record at `bytes`, or 0 where none is whole. */
static size_t whole_record(const trm_store *s, const char *bytes, size_t length) {
  entry e;
  size_t front = sizeof e + (size_t)s->values * sizeof(double);
  if (length < front) return 0;
  memcpy(&e, bytes, sizeof e);
  if (e.text > LONGEST_TEXT || e.text % 8 || e.run >= s->runs) return 0;
  size_t size = front + (size_t)e.text + 8;
  uint64_t sum;
  if (length < size) return 0;
  memcpy(&sum, bytes + size - 8, 8);
  return sum == check_sum(s->study, bytes, size - 8) ? size : 0;
}

static bool add_stretch(trm_store *s, stretch found) {
  int n = s->stretch_count;
  if ((n & (n - 1)) == 0) {
    stretch *grown = realloc(s->stretches, (n ? 2 * (size_t)n : 1) * sizeof *grown);
    if (!grown) return false;
    s->stretches = grown;
  }
  s->stretches[s->stretch_count++] = found;
  return true;
}

/* Reads as many bytes as there are, up to `size`; < 0: an error. */
static ssize_t read_at(int file, char *bytes, size_t size, off_t at) {
  size_t have = 0;
  while (have < size) {
    ssize_t n = pread(file, bytes + have, size - have, at + (off_t)have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    have += (size_t)n;
  }
  return (ssize_t)have;
}

/* The whole records of a log, stretch by stretch. */
static bool scan(trm_store *s, int file, int log, char *buffer) {
  off_t at = sizeof(head);
  for (;;) {
    ssize_t have = read_at(file, buffer, STRETCH, at);
    if (have < 0) return false;
    stretch found = {log, at, at, UINT64_MAX, 0};
    size_t used = 0, size;
    while ((size = whole_record(s, buffer + used, (size_t)have - used)) > 0) {
      uint64_t run;
      memcpy(&run, buffer + used, sizeof run);
      s->done[run / 8] |= (uint8_t)(1 << run % 8);
      if (run < found.least) found.least = run;
      if (run > found.most) found.most = run;
      used += size;
    }
    if (used == 0) return true;
    found.end = at += (off_t)used;
    if (!add_stretch(s, found)) {
      errno = ENOMEM;
      return false;
    }
  }
}

static bool read_log(trm_store *s, const char *path, trm_diagnostics *diagnostics) {
  char **logs = realloc(s->logs, ((size_t)s->log_count + 1) * sizeof *logs);
  if (logs) s->logs = logs;
  char *copy = logs ? strdup(path) : NULL, *buffer = copy ? malloc(STRETCH) : NULL;
  if (!buffer) {
    free(copy);
    return no_memory(diagnostics);
  }
  s->logs[s->log_count] = copy;
  int log = s->log_count++, file = open(path, O_RDONLY | O_CLOEXEC);
  head h;
  ssize_t have = file >= 0 ? read_at(file, (char *)&h, sizeof h, 0) : -1;
  bool good = have >= 0, whole = have == (ssize_t)sizeof h; /* else it was cut short at once */
  bool ours = whole && memcmp(h.magic, magic, sizeof magic) == 0 && h.study == s->study &&
              h.values == (uint64_t)s->values;
  if (whole && !ours) trm_report(diagnostics, TRM_ERROR, "'%s' holds runs of another study", path);
  if (good && ours) good = scan(s, file, log, buffer);
  if (!good) complain(diagnostics, "read", path);
  if (file >= 0) close(file);
  free(buffer);
  return good && (ours || !whole);
}

static int is_log(const struct dirent *entry_of) {
  const char *end = strrchr(entry_of->d_name, '.');
  return end && strcmp(end, ".log") == 0;
}

bool trm_store_add(trm_store *s, const char *folder, trm_diagnostics *diagnostics) {
  struct dirent **list = NULL;
  char path[LONGEST_PATH + 300];
  int count = scandir(folder, &list, is_log, alphasort);
  if (count < 0) return complain(diagnostics, "read the folder", folder);
  bool good = true;
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
    if (good) good = read_log(s, path, diagnostics);
    free(list[i]);
  }
  free(list);
  return good;
}

trm_store *trm_store_open(const char *folder, uint64_t study, uint64_t runs, int values,
                          trm_diagnostics *diagnostics) {
  if (strlen(folder) >= LONGEST_PATH) {
    trm_report(diagnostics, TRM_ERROR, "the name of the folder for results is too long");
    return NULL;
  }
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    complain(diagnostics, "create the folder", folder);
    return NULL;
  }
  trm_store *s = calloc(1, sizeof *s);
  if (!s) {
    no_memory(diagnostics);
    return NULL;
  }
  snprintf(s->folder, sizeof s->folder, "%s", folder);
  s->study = study;
  s->runs = runs;
  s->values = values;
  s->file = -1;
  pthread_mutex_init(&s->writing, NULL);
  s->done = calloc((size_t)(runs / 8) + 1, 1);
  s->record = malloc(sizeof(entry) + (size_t)values * sizeof(double) + LONGEST_TEXT + 8);
  if (s->done && s->record ? trm_store_add(s, folder, diagnostics) : no_memory(diagnostics))
    return s;
  trm_store_close(s);
  return NULL;
}

void trm_store_close(trm_store *s) {
  if (!s) return;
  if (s->file >= 0) close(s->file);
  for (int i = 0; i < s->log_count; i++) free(s->logs[i]);
  free(s->logs);
  free(s->stretches);
  free(s->done);
  free(s->record);
  free(s->rows);
  trm_arena_destroy(s->window);
  pthread_mutex_destroy(&s->writing);
  free(s);
}

/* --- writing --- */

static bool write_all(trm_store *s, const char *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = write(s->file, bytes + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      s->error = n < 0 ? errno : EIO;
      return false;
    }
    done += (size_t)n;
  }
  s->written += (off_t)size;
  return true;
}

/* A log of its own, by machine and process, and under the first free number where a process had
 * that number before. */
static bool begin_log(trm_store *s) {
  char path[LONGEST_PATH + 320], host[256] = "";
  gethostname(host, sizeof host - 1);
  for (int number = 1; s->file < 0; number++) {
    snprintf(path, sizeof path, "%s/%s-%ld-%d.log", s->folder, host, (long)getpid(), number);
    s->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (s->file < 0 && errno != EEXIST) {
      s->error = errno;
      return false;
    }
  }
  head h = {.study = s->study, .values = (uint64_t)s->values};
  memcpy(h.magic, magic, sizeof magic);
  trm_sync_name(path);
  trm_sync_name(s->folder);
  return write_all(s, (const char *)&h, sizeof h);
}

/* As much of a text as there is room for, with a NUL. */
static size_t put(char *to, const char *text, size_t room) {
  size_t length = strnlen(text, room - 1);
  memcpy(to, text, length);
  to[length] = 0;
  return length + 1;
}

static size_t compose(trm_store *s, uint64_t run, const double *values, const char *status,
                      const char *message) {
  size_t front = sizeof(entry) + (size_t)s->values * sizeof(double);
  char *text = s->record + front;
  size_t used = put(text, status, 64);
  used += put(text + used, message, LONGEST_TEXT - 72);
  size_t filled = fill(used);
  memset(text + used, 0, filled - used);
  entry e = {run, filled};
  memcpy(s->record, &e, sizeof e);
  memcpy(s->record + sizeof e, values, (size_t)s->values * sizeof(double));
  uint64_t sum = check_sum(s->study, s->record, front + filled);
  memcpy(text + filled, &sum, sizeof sum);
  return front + filled + sizeof sum;
}

/* A crash of the machine loses what was written in the last seconds, that of a process nothing. */
static void sync_sometimes(trm_store *s) {
  time_t now = time(NULL);
  if (now - s->synced < SYNC_SECONDS) return;
  s->synced = now;
  trm_store_sync(s);
}

bool trm_store_append(trm_store *s, uint64_t run, const double *values, const char *status,
                      const char *message) {
  pthread_mutex_lock(&s->writing);
  bool good = !s->error && (s->file >= 0 || begin_log(s));
  if (good) {
    off_t before = s->written;
    good = write_all(s, s->record, compose(s, run, values, status, message));
    /* the rest of a record that did not fit would only hide those behind it */
    if (!good && ftruncate(s->file, before) != 0) s->error = errno;
  }
  if (good) sync_sometimes(s);
  pthread_mutex_unlock(&s->writing);
  return good;
}

const char *trm_store_error(const trm_store *s) {
  return s->error ? strerror(s->error) : NULL;
}

void trm_store_set_first(trm_store *s, trm_store_first first, void *context) {
  s->first = first;
  s->first_context = context;
}

bool trm_store_sync(trm_store *s) {
  int error = s->first ? s->first(s->first_context) : 0;
  if (error && !s->error) s->error = error;
  if (s->file >= 0 && fdatasync(s->file) != 0 && errno != EINVAL && !s->error) s->error = errno;
  return !s->error;
}

/* --- windows --- */

/* Takes the window's runs out of a stretch. */
static bool take(trm_store *s, const char *bytes, size_t length, uint64_t first, uint64_t count) {
  size_t values = (size_t)s->values * sizeof(double);
  for (size_t at = 0, size; at < length; at += size) {
    entry e;
    if ((size = whole_record(s, bytes + at, length - at)) == 0) return true;
    memcpy(&e, bytes + at, sizeof e);
    if (e.run < first || e.run >= first + count || s->rows[e.run - first].status) continue;
    char *copy = trm_arena_alloc(s->window, size, 1);
    if (!copy) return false;
    memcpy(copy, bytes + at, size);
    const char *text = copy + sizeof e + values;
    s->rows[e.run - first] =
        (trm_kept_run){.status = text,
                       .message = text + strlen(text) + 1,
                       .values = (const double *)(const void *)(copy + sizeof e)};
  }
  return true;
}

static bool take_stretch(trm_store *s, const stretch *from, char *buffer, uint64_t first,
                         uint64_t count, trm_diagnostics *diagnostics) {
  const char *path = s->logs[from->log];
  int file = open(path, O_RDONLY | O_CLOEXEC);
  size_t size = (size_t)(from->end - from->begin);
  ssize_t have = file >= 0 ? read_at(file, buffer, size, from->begin) : -1;
  if (have < 0) complain(diagnostics, "read", path);
  if (file >= 0) close(file);
  if (have < 0) return false;
  return take(s, buffer, (size_t)have, first, count) || no_memory(diagnostics);
}

const trm_kept_run *trm_store_window(trm_store *s, uint64_t first, uint64_t count,
                                     trm_diagnostics *diagnostics) {
  trm_arena_destroy(s->window);
  free(s->rows);
  s->window = trm_arena_create();
  s->rows = calloc((size_t)count + 1, sizeof *s->rows);
  char *buffer = malloc(STRETCH);
  bool good = (s->window && s->rows && buffer) || no_memory(diagnostics);
  for (int i = 0; good && i < s->stretch_count; i++) {
    const stretch *from = &s->stretches[i];
    if (from->least < first + count && from->most >= first)
      good = take_stretch(s, from, buffer, first, count, diagnostics);
  }
  free(buffer);
  return good ? s->rows : NULL;
}
