/* Reading a whole file. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"

#include "base/files_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((format(printf, 3, 4))) static void fail(trm_file *file, trm_status status,
                                                       const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(file->reason, sizeof file->reason, format, args);
  va_end(args);
  file->status = status;
  free(file->text);
  file->text = NULL;
}

static void fail_errno(trm_file *file, const char *kind) {
  fail(file, TRM_IO_ERROR, "the %s cannot be read: %s", kind, strerror(errno));
}

/* Reads to the end; −1 on an error, more than `size` never. */
static ssize_t read_all(int from, char *bytes, size_t size) {
  size_t used = 0;
  while (used < size) {
    ssize_t got = read(from, bytes + used, size - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    used += (size_t)got;
  }
  return (ssize_t)used;
}

static void take(trm_file *file, int from, const char *kind, size_t most) {
  struct stat about;
  if (fstat(from, &about) != 0) {
    fail_errno(file, kind);
  } else if (!S_ISREG(about.st_mode)) {
    fail(file, TRM_IO_ERROR, "this is a %s, not a %s",
         S_ISDIR(about.st_mode) ? "directory" : "pipe or a device", kind);
  } else if (about.st_size < 0 || (uintmax_t)about.st_size > most) {
    fail(file, TRM_BAD_MODEL, "the file has %lld MB; %ss may have at most %zu MB",
         (long long)about.st_size >> 20, kind, most >> 20);
  } else {
    /* one byte more than it should have: the file may grow meanwhile */
    size_t size = (size_t)about.st_size + 1;
    file->text = malloc(size + 1);
    ssize_t length = file->text ? read_all(from, file->text, size) : 0;
    if (!file->text)
      fail(file, TRM_NO_MEMORY, "out of memory");
    else if (length < 0)
      fail_errno(file, kind);
    else if ((size_t)length == size)
      fail(file, TRM_IO_ERROR, "the file is growing while it is read");
    else
      file->text[file->length = (size_t)length] = 0;
  }
}

trm_file trm_file_read(const char *path, const char *kind, size_t most) {
  trm_file file = {.status = TRM_OK};
  /* without O_NONBLOCK, opening a pipe that nobody writes to would wait forever */
  int from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (from < 0) {
    fail_errno(&file, kind);
    return file;
  }
  take(&file, from, kind, most < SIZE_MAX / 2 ? most : SIZE_MAX / 2);
  close(from);
  if (file.text) trm_files_note(path, file.text, file.length);
  return file;
}
