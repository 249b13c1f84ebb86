/* The threads that write and sync, the rows that wait for them, and reading back. */
#define _POSIX_C_SOURCE 200809L
#include "result/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "result/beside.h"

#ifdef __APPLE__ /* has no other */
#define fdatasync     fsync
#define CLOCK_TO_WAIT CLOCK_REALTIME
#else
#define CLOCK_TO_WAIT CLOCK_MONOTONIC
#endif

enum { ROOM = 1 << 20, WINDOW = 1 << 18 }; /* bytes: rows that wait, rows that are read back */
static const long rest = 400000000;        /* ns at most from write to write, sync to sync */

struct trm_stream {
  trm_row_file file;
  char *path, *part;
  size_t capacity; /* rows that may wait */
  double *rows;    /* [capacity × columns] a ring */
  int numbers;     /* file of all rows */

  bool writes, syncs; /* these threads are there */
  pthread_t writer, syncer;
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t filled, written, ended;
  long added, done;  /* rows */
  long kept;         /* of these the file has */
  bool urgent, ends; /* somebody waits for the rows; no more come */
  int error;         /* errno of the first trouble */

  double *window; /* rows read back: [window_room × columns] */
  long window_first, window_count, window_room;
};

/* ---- the threads ---- */

static int write_piece(trm_stream *s, long first, long count) {
  size_t columns = (size_t)s->file.columns, size = columns * sizeof(double);
  const double *rows = s->rows + ((size_t)first % s->capacity) * columns;
  int error = s->file.type->write(&s->file, rows, (int)count);
  if (error) return error;
  return trm_write_all(s->numbers, rows, (size_t)count * size, (long long)first * (long long)size);
}

/* The ring in one piece or two. */
static int write_waiting(trm_stream *s, long first, long end) {
  int error = 0;
  while (!error && first < end) {
    long left = (long)(s->capacity - (size_t)first % s->capacity);
    long count = end - first < left ? end - first : left;
    error = write_piece(s, first, count);
    first += count;
  }
  return error;
}

/* On the disk first, then found by readers. */
static int sync_rows(trm_stream *s, long rows) {
  if (fdatasync(s->file.file) != 0 && errno != EINVAL && errno != EROFS) return errno;
  return s->file.type->settle(&s->file, rows);
}

/* Sleeps on a condition, for so long at most; whether the time is up. */
static bool sleep_on(trm_stream *s, pthread_cond_t *condition, const struct timespec *until) {
  return pthread_cond_timedwait(condition, &s->lock, until) == ETIMEDOUT;
}

static struct timespec later(void) {
  struct timespec until;
  clock_gettime(CLOCK_TO_WAIT, &until);
  until.tv_nsec += rest;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  return until;
}

static void *write_all(void *context) {
  trm_stream *s = context;
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (plain) uselocale(plain); /* numbers have a decimal point */
  pthread_mutex_lock(&s->lock);
  while (!s->ends || s->done < s->added) {
    struct timespec until = later();
    bool late = false;
    while (!late && !s->ends && !s->urgent && s->added - s->done < (long)s->capacity / 2)
      late = sleep_on(s, &s->filled, &until);
    long first = s->done, end = s->added;
    int error = s->error;
    pthread_mutex_unlock(&s->lock);
    if (!error && first < end) error = write_waiting(s, first, end);
    pthread_mutex_lock(&s->lock);
    if (!s->error) s->error = error;
    s->done = end; /* what cannot be written is given up */
    s->kept = s->file.rows;
    s->urgent = s->urgent && s->done < s->added;
    pthread_cond_broadcast(&s->written);
  }
  pthread_mutex_unlock(&s->lock);
  if (plain) {
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(plain);
  }
  return NULL;
}

/* Apart from the other, which a slow disk must not keep from writing. */
static void *sync_all(void *context) {
  trm_stream *s = context;
  pthread_mutex_lock(&s->lock);
  long synced = s->done;
  while (!s->ends) {
    struct timespec until = later();
    while (!s->ends && !sleep_on(s, &s->ended, &until)) continue;
    long rows = s->done;
    if (s->ends || s->error || rows == synced) continue;
    pthread_mutex_unlock(&s->lock);
    int error = sync_rows(s, rows);
    synced = rows;
    pthread_mutex_lock(&s->lock);
    if (!s->error) s->error = error;
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

/* Signals are for the thread that can stop the run. */
static int start_threads(trm_stream *s) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&s->writer, NULL, write_all, s);
  s->writes = error == 0;
  if (!error) error = pthread_create(&s->syncer, NULL, sync_all, s);
  s->syncs = error == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error == EAGAIN ? ENOMEM : error; /* no room for the stack of a thread */
}

static void stop_threads(trm_stream *s) {
  if (!s->writes) return;
  pthread_mutex_lock(&s->lock);
  s->ends = true;
  pthread_cond_signal(&s->filled);
  pthread_cond_signal(&s->ended);
  pthread_mutex_unlock(&s->lock);
  pthread_join(s->writer, NULL);
  if (s->syncs) pthread_join(s->syncer, NULL);
  s->writes = s->syncs = false;
}

/* ---- opening and closing ---- */

static bool keep_number(void *context, const double *row) {
  trm_stream *s = context;
  size_t size = (size_t)s->file.columns * sizeof *row;
  int error = trm_write_all(s->numbers, row, size, (long long)s->done++ * (long long)size);
  if (error) errno = error;
  return !error;
}

static int open_files(trm_stream *s, const trm_stream_plan *plan) {
  bool goes_on = plan->rows > 0; /* with rows that must be there */
  int flags = O_RDWR | O_CLOEXEC | (goes_on ? 0 : O_CREAT | O_TRUNC);
  s->file.file = open(s->part, flags, 0666);
  if (s->file.file < 0) return goes_on && errno == ENOENT ? EILSEQ : errno;
  struct stat about; /* a pipe would take rows until it is full, and then wait */
  if (fstat(s->file.file, &about) != 0) return errno;
  if (!S_ISREG(about.st_mode)) return ESPIPE;
  s->numbers = trm_open_nameless(s->path);
  if (s->numbers < 0) return errno;
  if (plan->rows == 0) return s->file.type->begin(&s->file);
  int error = s->file.type->go_on(&s->file, plan->rows, plan->size, keep_number, s);
  s->added = s->done;
  return error;
}

static int prepare(trm_stream *s, const trm_stream_plan *plan) {
  size_t size = (size_t)plan->columns * sizeof(double), length = strlen(plan->path);
  s->file = (trm_row_file){.type = plan->type,
                           .file = -1,
                           .columns = plan->columns,
                           .names = plan->names,
                           .most = plan->most};
  s->numbers = -1;
  s->capacity = ROOM / size < 4 ? 4 : ROOM / size;
  s->window_room = WINDOW / size < 1 ? 1 : (long)(WINDOW / size);
  s->rows = malloc(s->capacity * size);
  s->window = malloc((size_t)s->window_room * size);
  s->path = strdup(plan->path);
  s->part = malloc(length + 6);
  if (!s->rows || !s->window || !s->path || !s->part) return ENOMEM;
  snprintf(s->part, length + 6, "%s.part", plan->path);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
#ifndef __APPLE__
  pthread_condattr_setclock(&monotonic, CLOCK_TO_WAIT);
#endif
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->filled, &monotonic);
  pthread_cond_init(&s->written, NULL);
  pthread_cond_init(&s->ended, &monotonic);
  pthread_condattr_destroy(&monotonic);
  int error = open_files(s, plan);
  s->kept = s->file.rows;
  if (!error) trm_sync_name(s->part);
  return error ? error : start_threads(s);
}

trm_stream *trm_stream_open(const trm_stream_plan *plan) {
  trm_stream *s = calloc(1, sizeof *s);
  int error = s ? prepare(s, plan) : ENOMEM;
  if (!error) return s;
  trm_stream_close(s);
  errno = error;
  return NULL;
}

void trm_stream_close(trm_stream *s) {
  if (!s) return;
  stop_threads(s);
  if (s->file.type) s->file.type->end(&s->file);
  if (s->file.file >= 0) close(s->file.file);
  if (s->numbers >= 0) close(s->numbers);
  free(s->rows);
  free(s->window);
  free(s->path);
  free(s->part);
  free(s);
}

/* ---- rows come ---- */

double *trm_stream_next(trm_stream *s) {
  pthread_mutex_lock(&s->lock);
  while (s->added - s->done == (long)s->capacity) pthread_cond_wait(&s->written, &s->lock);
  long row = s->added;
  pthread_mutex_unlock(&s->lock);
  return s->rows + ((size_t)row % s->capacity) * (size_t)s->file.columns;
}

bool trm_stream_add(trm_stream *s) {
  pthread_mutex_lock(&s->lock);
  s->added++;
  if (s->added - s->done == (long)s->capacity / 2) pthread_cond_signal(&s->filled);
  bool good = s->error == 0;
  pthread_mutex_unlock(&s->lock);
  return good;
}

int trm_stream_drain(trm_stream *s, bool sync) {
  pthread_mutex_lock(&s->lock);
  s->urgent = s->writes && s->done < s->added;
  pthread_cond_signal(&s->filled);
  while (s->writes && s->done < s->added) pthread_cond_wait(&s->written, &s->lock);
  if (!s->error && sync) s->error = sync_rows(s, s->done);
  int error = s->error;
  pthread_mutex_unlock(&s->lock);
  return error;
}

long trm_stream_rows(trm_stream *s) {
  pthread_mutex_lock(&s->lock);
  long rows = s->error ? s->kept : s->added;
  pthread_mutex_unlock(&s->lock);
  return rows;
}

long long trm_stream_size(const trm_stream *s) {
  return s->file.size;
}

const char *trm_stream_part(const trm_stream *s) {
  return s->part;
}

int trm_stream_publish(trm_stream *s) {
  trm_stream_drain(s, false);
  stop_threads(s);
  int error = s->file.type->settle(&s->file, s->file.rows);
  if (fsync(s->file.file) != 0 && errno != EINVAL && errno != EROFS && !error) error = errno;
  s->file.type->end(&s->file);
  if (close(s->file.file) != 0 && !error) error = errno;
  s->file.file = -1;
  if (rename(s->part, s->path) != 0 && !error) error = errno;
  return error;
}

/* ---- reading back ---- */

static bool load_window(trm_stream *s, long row) {
  size_t size = (size_t)s->file.columns * sizeof(double);
  long first = row - row % s->window_room;
  ssize_t got =
      pread(s->numbers, s->window, (size_t)s->window_room * size, (off_t)first * (off_t)size);
  s->window_first = first;
  s->window_count = got > 0 ? got / (ssize_t)size : 0;
  return row < first + s->window_count;
}

const double *trm_stream_row(trm_stream *s, long row) {
  bool there = row >= s->window_first && row < s->window_first + s->window_count;
  if (!there) {
    trm_stream_drain(s, false);
    if (row < 0 || row >= trm_stream_rows(s) || !load_window(s, row)) return NULL;
  }
  return s->window + (size_t)(row - s->window_first) * (size_t)s->file.columns;
}
