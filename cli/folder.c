/* The folder for results, made and tried before the run so that no long run is lost. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096 };

static bool make_one(const char *path) {
  if (mkdir(path, 0777) == 0) return true;
  int error = errno;
  struct stat status;
  /* a link to a folder is one; EROFS and the like do not matter for what is there */
  if (stat(path, &status) == 0) {
    if (S_ISDIR(status.st_mode)) return true;
    error = ENOTDIR;
  }
  trm_cli_error("cannot create the folder '%s': %s", path, strerror(error));
  return false;
}

bool trm_cli_make_folder(const char *path) {
  char *part = malloc(strlen(path) + 1);
  if (!part) {
    trm_cli_error("out of memory");
    return false;
  }
  strcpy(part, path);
  bool good = true;
  for (char *c = part; *c && good; c++) {
    if (*c != '/' || c == part) continue;
    *c = 0;
    good = make_one(part);
    *c = '/';
  }
  if (good) good = make_one(part);
  free(part);
  return good;
}

int trm_cli_results_folder(const trm_cli_arguments *arguments, const char *end, char *folder,
                           size_t size) {
  char stem[256];
  const char *given = trm_cli_value(arguments, "output");
  if (given && !*given) {
    trm_cli_error("option '--output' needs a folder");
    return 2;
  }
  size_t length = size;
  if (given)
    length = (size_t)snprintf(folder, size, "%s", given);
  else if (trm_cli_stem(arguments->models[0], stem, sizeof stem))
    length = (size_t)snprintf(folder, size, "results/%s%s", stem, end);
  if (length >= size) {
    trm_cli_error("the name of the folder for results is too long");
    return 1;
  }
  while (length > 1 && folder[length - 1] == '/') folder[--length] = 0;
  return trm_cli_make_folder(folder) ? 0 : 1;
}

bool trm_cli_remove(const char *path) {
  if (unlink(path) == 0 || errno == ENOENT) return true;
  trm_cli_error("cannot remove '%s': %s", path, strerror(errno));
  return false;
}

/* Nothing is tried out: whoever is killed then would leave an empty file behind. */
bool trm_cli_check_replaceable(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) return true;
  if (!S_ISREG(status.st_mode)) {
    trm_cli_error("cannot write '%s': %s", path,
                  S_ISDIR(status.st_mode) ? "Is a directory" : "it is not a plain file");
    return false;
  }
  if (access(path, W_OK) == 0) return true;
  trm_cli_error("cannot write '%s': %s", path, strerror(errno));
  return false;
}

/* NULL where its name is too long. */
static const char *beside(const char *path, char *name, size_t size) {
  return snprintf(name, size, "%s.%ld.new", path, (long)getpid()) < (int)size ? name : NULL;
}

FILE *trm_cli_create(const char *path) {
  char name[LONGEST_PATH];
  if (!trm_cli_check_replaceable(path)) return NULL;
  errno = ENAMETOOLONG;
  FILE *file = beside(path, name, sizeof name) ? fopen(name, "w") : NULL;
  if (!file) trm_cli_error("cannot write '%s': %s", path, strerror(errno));
  return file;
}

bool trm_cli_commit(FILE *file, const char *path, bool keep) {
  char name[LONGEST_PATH];
  beside(path, name, sizeof name);
  errno = 0;
  bool failed = fflush(file) != 0 || ferror(file) != 0 || fsync(fileno(file)) != 0;
  int error = errno;
  if (fclose(file) != 0 && !failed) failed = true, error = errno;
  if (keep && !failed && rename(name, path) != 0) failed = true, error = errno;
  if (failed || !keep) unlink(name);
  if (failed) trm_cli_error("cannot write '%s': %s", path, strerror(error ? error : EIO));
  return !failed;
}

bool trm_cli_check_writable(const char *path) {
  struct stat status;
  bool there = lstat(path, &status) == 0;
  /* without truncating: what stands there stays until there is something better */
  int file = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file < 0) {
    trm_cli_error("cannot write '%s': %s", path, strerror(errno));
    return false;
  }
  close(file);
  if (!there) unlink(path);
  return true;
}
