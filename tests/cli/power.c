/* Preloaded: keeps what a power failure would leave of the files under POWER_WATCH, in POWER_KEEP.
 *
 * The file `log` there has a line for each call that changes names or brings something to the disk,
 * in their order: "name PATH INODE", "rename INODE OLD|NEW", "unlink PATH", "cut INODE SIZE",
 * "sync INODE NUMBER SECONDS" with the contents of the file then in INODE-NUMBER, and "folder PATH"
 * where a folder was synced. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ISO C has no way from an object to a function */
#define REAL(name)                                                                                 \
  ((union {                                                                                        \
     void *object;                                                                                 \
     __typeof__(&name) call;                                                                       \
   }){dlsym(RTLD_NEXT, #name)}                                                                     \
       .call)

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1, syncs;

static const char *keep(void) {
  return getenv("POWER_KEEP");
}

static int is_watched(const char *path) {
  const char *watch = getenv("POWER_WATCH");
  return watch && keep() && strncmp(path, watch, strlen(watch)) == 0;
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
  char line[9000];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (log_file < 0) {
    snprintf(line + length + 1, sizeof line - (size_t)length - 1, "%s/log", keep());
    log_file = REAL(open)(line + length + 1, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  }
  if (write(log_file, line, (size_t)length) < 0) abort();
}

static unsigned long inode_of(int file, struct stat *about) {
  return fstat(file, about) == 0 ? (unsigned long)about->st_ino : 0;
}

/* The path that a file was opened by, or "". */
static void name_of(int file, char path[4096]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, 4095);
  path[length > 0 ? length : 0] = 0;
}

static int open_any(int folder, const char *path, int flags, mode_t mode) {
  struct stat about;
  pthread_mutex_lock(&order);
  int file = REAL(openat)(folder, path, flags, mode);
  if (file >= 0 && (flags & (O_CREAT | O_TRUNC)) && is_watched(path)) {
    unsigned long inode = inode_of(file, &about);
    if (flags & O_CREAT) note("name %s %lu\n", path, inode);
    if (flags & O_TRUNC) note("cut %lu 0\n", inode);
  }
  pthread_mutex_unlock(&order);
  return file;
}

static mode_t mode_of(int flags, va_list arguments) {
  return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(arguments, int) : 0;
}

#define OPEN(name)                                                                                 \
  int name(const char *path, int flags, ...) {                                                     \
    va_list arguments;                                                                             \
    va_start(arguments, flags);                                                                    \
    mode_t mode = mode_of(flags, arguments);                                                       \
    va_end(arguments);                                                                             \
    return open_any(AT_FDCWD, path, flags, mode);                                                  \
  }
OPEN(open)
OPEN(open64)

/* Copies what is there now. */
static void snapshot(int file, const struct stat *about, int number) {
  char path[4096], own[64], bytes[65536];
  snprintf(path, sizeof path, "%s/%lu-%d", keep(), (unsigned long)about->st_ino, number);
  snprintf(own, sizeof own, "/proc/self/fd/%d", file);
  int from = REAL(open)(own, O_RDONLY | O_CLOEXEC);
  int to = REAL(open)(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  for (long long left = about->st_size; left > 0;) {
    ssize_t got = read(from, bytes, left < (long long)sizeof bytes ? (size_t)left : sizeof bytes);
    if (got <= 0) break;
    if (write(to, bytes, (size_t)got) != got) abort();
    left -= got;
  }
  close(from);
  close(to);
}

static void sync_any(int file) {
  struct stat about;
  struct timespec now;
  char path[4096];
  name_of(file, path);
  if (!is_watched(path)) return;
  pthread_mutex_lock(&order);
  unsigned long inode = inode_of(file, &about);
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (S_ISDIR(about.st_mode)) {
    note("folder %s\n", path);
  } else {
    snapshot(file, &about, ++syncs);
    note("sync %lu %d %.3f\n", inode, syncs, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
  }
  pthread_mutex_unlock(&order);
}

int fsync(int file) {
  sync_any(file);
  return REAL(fsync)(file);
}

int fdatasync(int file) {
  sync_any(file);
  return REAL(fdatasync)(file);
}

int ftruncate(int file, off_t size) {
  struct stat about;
  char path[4096];
  name_of(file, path);
  pthread_mutex_lock(&order);
  int result = REAL(ftruncate)(file, size);
  if (result == 0 && is_watched(path))
    note("cut %lu %lld\n", inode_of(file, &about), (long long)size);
  pthread_mutex_unlock(&order);
  return result;
}

int rename(const char *old, const char *new) {
  struct stat about;
  pthread_mutex_lock(&order);
  int known = stat(old, &about);
  int result = REAL(rename)(old, new);
  if (result == 0 && known == 0 && is_watched(new))
    note("rename %lu %s|%s\n", (unsigned long)about.st_ino, old, new);
  pthread_mutex_unlock(&order);
  return result;
}

int unlink(const char *path) {
  pthread_mutex_lock(&order);
  int result = REAL(unlink)(path);
  if (result == 0 && is_watched(path)) note("unlink %s\n", path);
  pthread_mutex_unlock(&order);
  return result;
}
