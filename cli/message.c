/* Messages to standard error, and the care for standard output. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"note", "warning", "error"};
static const char *const colors[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};
static int output_error; /* errno of the first failed write to standard output */

/* https://no-color.org: set and not empty */
static bool use_color(void) {
  const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
  if (no_color && *no_color) return false;
  return isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

void trm_cli_error(const char *format, ...) {
  bool color = use_color();
  fprintf(stderr, "trammel: %serror:%s ", color ? colors[TRM_ERROR] : "", color ? "\033[0m" : "");
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
}

/* The place in bold, the kind of message in its colour. */
static void print_colored(const trm_diagnostic *diagnostic, const char *text) {
  const char *name = names[diagnostic->severity];
  const char *kind = strstr(text + (diagnostic->file ? strlen(diagnostic->file) : 0), name);
  if (!kind) {
    fputs(text, stderr);
    return;
  }
  fprintf(stderr, "\033[1m%.*s\033[0m%s%s:\033[0m%s", (int)(kind - text), text,
          colors[diagnostic->severity], name, kind + strlen(name) + 1);
}

static void print_one(const trm_diagnostic *diagnostic, bool color) {
  size_t size = trm_diagnostic_format(diagnostic, NULL, 0) + 1;
  char *text = malloc(size);
  if (!text) {
    trm_cli_error("%s", diagnostic->message);
    return;
  }
  trm_diagnostic_format(diagnostic, text, size);
  if (color)
    print_colored(diagnostic, text);
  else
    fputs(text, stderr);
  free(text);
}

void trm_cli_keep_diagnostics(trm_cli_texts *kept, const trm_diagnostics *diagnostics) {
  for (int k = 0; k < trm_diagnostics_count(diagnostics); k++) {
    const trm_diagnostic *diagnostic = trm_diagnostics_get(diagnostics, k);
    size_t size = trm_diagnostic_format(diagnostic, NULL, 0) + 1;
    char **grown = realloc(kept->texts, (size_t)(kept->count + 1) * sizeof *grown);
    if (!grown) return; /* it is printed all the same */
    kept->texts = grown;
    char *text = grown[kept->count] = malloc(size);
    if (!text) return;
    trm_diagnostic_format(diagnostic, text, size);
    kept->count++;
  }
}

void trm_cli_free_texts(trm_cli_texts *kept) {
  for (int k = 0; k < kept->count; k++) free(kept->texts[k]);
  free(kept->texts);
}

void trm_cli_print_diagnostics(trm_diagnostics *diagnostics, bool only_errors) {
  bool color = use_color();
  for (int k = 0; k < trm_diagnostics_count(diagnostics); k++) {
    const trm_diagnostic *diagnostic = trm_diagnostics_get(diagnostics, k);
    if (!only_errors || diagnostic->severity == TRM_ERROR) print_one(diagnostic, color);
  }
  trm_diagnostics_clear(diagnostics);
}

void trm_cli_flush(void) {
  errno = 0;
  if (fflush(stdout) != 0 && !output_error) output_error = errno ? errno : EIO;
}

int trm_cli_finish(int status) {
  trm_cli_flush();
  bool failed = ferror(stdout) != 0;
  errno = 0;
  if (fclose(stdout) != 0 && !output_error) output_error = errno ? errno : EIO;
  if (!failed && !output_error) return status;
  trm_cli_error("cannot write standard output: %s", strerror(output_error ? output_error : EIO));
  return status ? status : 1;
}
