/* Finding the shipped models. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096 };

bool trm_cli_stem(const char *path, char *stem, size_t size) {
  if (strcmp(path, "-") == 0) path = "stdin";
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
  if (length == 0 || length >= size) return false;
  memcpy(stem, name, length);
  stem[length] = 0;
  return true;
}

static bool is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Beside the folder the program stands in: a build tree or an installation. */
static bool beside_program(const char *relative, char *path, size_t size) {
  char program[LONGEST_PATH];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return false;
  program[length] = 0;
  char *slash = strrchr(program, '/');
  if (slash) *slash = 0;
  return snprintf(path, size, "%s/%s", program, relative) < (int)size && is_folder(path);
}

static bool find_folder(char *path, size_t size) {
  const char *named = getenv("TRAMMEL_MODELS");
  if (named && *named) return snprintf(path, size, "%s", named) < (int)size && is_folder(path);
  if (beside_program("../models", path, size)) return true;
  if (beside_program("../share/trammel/models", path, size)) return true;
  if (beside_program("../../models", path, size)) return true; /* build/<preset>/trammel */
#ifdef TRM_MODELS_DIR
  return snprintf(path, size, "%s", TRM_MODELS_DIR) < (int)size && is_folder(path);
#else
  return false;
#endif
}

static int is_model(const struct dirent *entry) {
  const char *dot = strrchr(entry->d_name, '.');
  return dot && dot != entry->d_name && strcmp(dot, ".yaml") == 0;
}

static char *join(const char *folder, const char *name) {
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s/%s", folder, name);
  return path;
}

/* NULL where memory runs out. */
static char **join_all(const char *folder, struct dirent **entries, int count) {
  char **paths = calloc((size_t)count + 1, sizeof *paths);
  for (int k = 0; paths && k < count; k++) {
    paths[k] = join(folder, entries[k]->d_name);
    if (paths[k]) continue;
    trm_cli_free_paths(paths, k);
    return NULL;
  }
  return paths;
}

char **trm_cli_shipped_models(int *count) {
  char folder[LONGEST_PATH];
  struct dirent **entries;
  char **paths = NULL;
  bool there = find_folder(folder, sizeof folder);
  *count = there ? scandir(folder, &entries, is_model, alphasort) : 0;
  bool no_memory = *count < 0 && errno == ENOMEM;
  if (*count > 0) {
    paths = join_all(folder, entries, *count);
    no_memory = !paths;
    for (int k = 0; k < *count; k++) free(entries[k]);
  }
  if (*count >= 0 && there) free(entries);
  if (no_memory)
    trm_cli_error("out of memory");
  else if (!paths)
    trm_cli_error("the shipped models are not found; TRAMMEL_MODELS may name their folder");
  if (!paths) *count = 0;
  return paths;
}

void trm_cli_free_paths(char **paths, int count) {
  for (int k = 0; k < count; k++) free(paths[k]);
  free(paths);
}
