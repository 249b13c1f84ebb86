/* The folder for results, made and tried before the run so that no long run is lost. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
