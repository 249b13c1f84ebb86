/* The bytes of a model file. */
#define _POSIX_C_SOURCE 200809L
#include "model/read_parts.h"
#include "base/files_read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static trm_status fail(const trm_document *document, trm_diagnostics *diagnostics,
                       const char *message) {
  trm_report_place(diagnostics, TRM_ERROR,
                   (trm_place){.file = document->file, .from = document->from}, "%s", message);
  return TRM_IO_ERROR;
}

static trm_status fail_errno(const trm_document *document, trm_diagnostics *diagnostics) {
  trm_report_place(diagnostics, TRM_ERROR,
                   (trm_place){.file = document->file, .from = document->from},
                   "the model file cannot be read: %s", strerror(errno));
  return TRM_IO_ERROR;
}

static trm_status fail_large(const trm_document *document, trm_diagnostics *diagnostics,
                             long long bytes) {
  trm_report_place(diagnostics, TRM_ERROR,
                   (trm_place){.file = document->file, .from = document->from},
                   "the file has %lld MB; model files may have at most %d MB", bytes >> 20,
                   TRM_MODEL_FILE_LIMIT >> 20);
  return TRM_BAD_MODEL;
}

/* Reads to the end; −1 on an error, more than `size` never. */
static ssize_t read_all(int file, char *bytes, size_t size) {
  size_t used = 0;
  while (used < size) {
    ssize_t got = read(file, bytes + used, size - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    used += (size_t)got;
  }
  return (ssize_t)used;
}

static trm_status read_open(trm_document *document, trm_diagnostics *diagnostics, int file) {
  struct stat about;
  if (fstat(file, &about) != 0) return fail_errno(document, diagnostics);
  if (S_ISDIR(about.st_mode))
    return fail(document, diagnostics, "this is a directory, not a model file");
  if (!S_ISREG(about.st_mode))
    return fail(document, diagnostics, "this is a pipe or a device, not a model file");
  if (about.st_size > TRM_MODEL_FILE_LIMIT)
    return fail_large(document, diagnostics, (long long)about.st_size);
  /* one byte more than it should have: the file may grow meanwhile */
  size_t size = (size_t)about.st_size + 1;
  char *bytes = trm_arena_alloc(document->arena, size + 1, 1);
  if (!bytes) return TRM_NO_MEMORY;
  ssize_t length = read_all(file, bytes, size);
  if (length < 0) return fail_errno(document, diagnostics);
  if ((size_t)length == size)
    return fail(document, diagnostics, "the file is growing while it is read");
  document->text = bytes;
  document->length = (size_t)length;
  return TRM_OK;
}

trm_status trm_read_file(trm_document *document, trm_diagnostics *diagnostics) {
  trm_files_note(document->file);
  /* without O_NONBLOCK, opening a pipe that nobody writes to would wait forever */
  int file = open(document->file, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return fail_errno(document, diagnostics);
  trm_status status = read_open(document, diagnostics, file);
  close(file);
  static const char mark[] = "\xef\xbb\xbf"; /* byte order mark */
  if (status == TRM_OK && document->length >= 3 && memcmp(document->text, mark, 3) == 0) {
    document->text += 3;
    document->length -= 3;
  }
  return status;
}
