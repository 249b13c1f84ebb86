/* Runs as arguments: the folder of a run, or its table, CSV or HDF5. */
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
  char csv[LONGEST_PATH], hdf5[LONGEST_PATH];
  struct stat about;
  bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
  if (folder && trm_cli_file_of_run(path, "results.csv", csv, sizeof csv) &&
      trm_cli_file_of_run(path, "results.h5", hdf5, sizeof hdf5))
    path = stat(csv, &about) != 0 && stat(hdf5, &about) == 0 ? hdf5 : csv;
  const char *dot = strrchr(path, '.');
  if (dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0)) {
    trm_cli_error("'%s' is a model, not its results: run it first, 'trammel run %s', and give the "
                  "folder that it writes",
                  path, path);
    return NULL;
  }
  return trm_results_read(path, diagnostics);
}
