/* Writing beside, syncing, renaming. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "result/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_in_place(const char *path) {
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

int trm_beside_open(trm_beside *beside, const char *path) {
  struct stat there;
  bool exists = stat(path, &there) == 0;
  *beside = (trm_beside){.file = -1};
  if (exists && !S_ISREG(there.st_mode)) { /* a device; a folder fails here, too */
    beside->file = open_in_place(path);
    return beside->file < 0 ? errno : 0;
  }
  beside->target = exists ? realpath(path, NULL) : strdup(path);
  size_t room = beside->target ? strlen(beside->target) + 32 : 0;
  beside->temporary = malloc(room + 1);
  if (!beside->target || !beside->temporary) return ENOMEM;
  snprintf(beside->temporary, room, "%s.%ld.new", beside->target, (long)getpid());
  beside->file = open(beside->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (beside->file >= 0) {
    if (exists) (void)!fchmod(beside->file, there.st_mode & 07777);
    return 0;
  }
  int error = errno;
  free(beside->temporary);
  beside->temporary = NULL;
  /* a folder that is closed may hold a file that is not */
  if (exists) beside->file = open_in_place(path);
  return beside->file < 0 ? error : 0;
}

int trm_beside_close(trm_beside *beside, bool keep) {
  int error = 0;
  if (beside->file >= 0) {
    if (keep && beside->temporary && fsync(beside->file) != 0) error = errno;
    /* a network file system may find its disk full only here */
    if (close(beside->file) != 0 && !error) error = errno;
  }
  bool renames = beside->temporary && beside->file >= 0;
  if (renames && keep && !error && rename(beside->temporary, beside->target) != 0) error = errno;
  if (renames && (!keep || error)) unlink(beside->temporary);
  free(beside->temporary);
  free(beside->target);
  *beside = (trm_beside){.file = -1};
  return error;
}

void trm_sync_name(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  int file = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (file >= 0) {
    fsync(file); /* not every file system can */
    close(file);
  }
  free(folder);
}

int trm_open_nameless(const char *path) {
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  char *name = malloc(length + 32);
  if (!name) return -1;
  memcpy(name, path, length);
  strcpy(name + length, ".");
#ifdef O_TMPFILE
  int file = open(name, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#else
  int file = -1;
#endif
  if (file < 0) { /* not every file system has files without a name */
    strcpy(name + length, "trammelXXXXXX");
    file = mkstemp(name);
    if (file >= 0) unlink(name);
  }
  free(name);
  return file;
}

int trm_write_all(int file, const void *bytes, size_t size, long long at) {
  const char *next = bytes;
  while (size > 0) {
    ssize_t done = at < 0 ? write(file, next, size) : pwrite(file, next, size, (off_t)at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : ENOSPC;
    next += done;
    size -= (size_t)done;
    if (at >= 0) at += done;
  }
  return 0;
}

int trm_read_all(int file, void *bytes, size_t size, long long at) {
  char *next = bytes;
  while (size > 0) {
    ssize_t done = pread(file, next, size, (off_t)at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : EIO;
    next += done;
    size -= (size_t)done;
    at += done;
  }
  return 0;
}
