/* Runs as arguments: the folder of a run, or a CSV file. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <string.h>
#include <sys/stat.h>

enum { LONGEST_PATH = 4096 };

bool trm_cli_file_of_run(const char *path, const char *name, char *file, size_t size) {
  struct stat about;
  const char *slash = strrchr(path, '/');
  bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
  int stem = folder ? (int)strlen(path) : slash ? (int)(slash - path) : 0;
  int length = snprintf(file, size, "%.*s%s%s", stem, path, stem > 0 || folder ? "/" : "", name);
  return length < (int)size;
}

trm_results *trm_cli_read_results(const char *path, trm_diagnostics *diagnostics) {
  char csv[LONGEST_PATH];
  struct stat about;
  bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
  if (folder && trm_cli_file_of_run(path, "results.csv", csv, sizeof csv)) path = csv;
  const char *dot = strrchr(path, '.');
  if (dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0)) {
    trm_cli_error("'%s' is a model, not its results: run it first, 'trammel run %s', and give the "
                  "folder that it writes",
                  path, path);
    return NULL;
  }
  return trm_results_read_csv(path, diagnostics);
}
