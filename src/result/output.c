/* Writing files, with a buffer of our own: errno still belongs to the write that failed. */
#define _POSIX_C_SOURCE 200809L
#include "result/output.h"
#include "base/diagnostics.h"
#include "result/beside.h"
#include "result/number.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 16, LONGEST_NUMBER = 32 };

struct trm_output {
  const char *path;
  FILE *file;        /* standard output, or NULL */
  trm_beside beside; /* any other */
  bool opened;
  int error;              /* errno of the first thing that went wrong */
  locale_t plain, before; /* decimal points now, the caller's afterwards */
  size_t used;
  char buffer[BUFFER];
};

static void remember(trm_output *output, int error) {
  if (!output->error) output->error = error;
}

trm_output *trm_output_open(const char *path, trm_diagnostics *diagnostics) {
  trm_output *output = malloc(sizeof *output);
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (!output || !plain) {
    free(output);
    if (plain) freelocale(plain);
    trm_report(diagnostics, TRM_ERROR, "cannot write '%s': out of memory", path);
    return NULL;
  }
  output->path = path;
  output->error = 0;
  output->used = 0;
  output->plain = plain;
  output->before = uselocale(plain);
  output->file = strcmp(path, "-") == 0 ? stdout : NULL;
  output->beside = (trm_beside){.file = -1};
  if (!output->file) output->error = trm_beside_open(&output->beside, path);
  output->opened = !output->error;
  return output;
}

/* Flushing at once makes stdio report the error now, not at some later call. */
static int write_out(trm_output *output) {
  if (!output->file) return trm_write_all(output->beside.file, output->buffer, output->used, -1);
  errno = 0;
  bool good = fwrite(output->buffer, 1, output->used, output->file) == output->used &&
              fflush(output->file) == 0;
  return good ? 0 : errno ? errno : EIO;
}

static void flush(trm_output *output) {
  if (!output->error) remember(output, write_out(output));
  output->used = 0;
}

void trm_output_write(trm_output *output, const char *bytes, size_t length) {
  while (length > 0) {
    if (output->used == BUFFER) flush(output);
    size_t room = BUFFER - output->used;
    size_t part = length < room ? length : room;
    memcpy(output->buffer + output->used, bytes, part);
    output->used += part;
    bytes += part;
    length -= part;
  }
}

void trm_output_text(trm_output *output, const char *text) {
  trm_output_write(output, text, strlen(text));
}

void trm_output_number(trm_output *output, double value, int digits) {
  if (BUFFER - output->used < LONGEST_NUMBER) flush(output);
  char *text = output->buffer + output->used;
  output->used += (size_t)snprintf(text, LONGEST_NUMBER, "%.*g", digits, value);
}

void trm_output_exact(trm_output *output, double value) {
  if (BUFFER - output->used < TRM_NUMBER_SIZE) flush(output);
  output->used += trm_number_write(value, output->buffer + output->used);
}

bool trm_output_failed(const trm_output *output) {
  return output->error != 0;
}

static void report(const trm_output *output, trm_diagnostics *diagnostics) {
  const char *verb = output->opened ? "write" : "create", *reason = strerror(output->error);
  if (strcmp(output->path, "-") == 0)
    trm_report(diagnostics, TRM_ERROR, "cannot write standard output: %s", reason);
  else
    trm_report(diagnostics, TRM_ERROR, "cannot %s '%s': %s", verb, output->path, reason);
}

trm_status trm_output_close(trm_output *output, trm_diagnostics *diagnostics) {
  flush(output);
  if (!output->file) remember(output, trm_beside_close(&output->beside, !output->error));
  uselocale(output->before);
  freelocale(output->plain);
  trm_status status = output->error ? TRM_IO_ERROR : TRM_OK;
  if (output->error) report(output, diagnostics);
  free(output);
  return status;
}
