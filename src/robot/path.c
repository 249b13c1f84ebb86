/* Where files that a robot names are. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "robot/path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void trm_robot_beside(const char *from, const char *name, char *path, size_t size) {
  const char *slash = strrchr(from, '/');
  if (*name == '/' || !slash)
    snprintf(path, size, "%s", name);
  else
    snprintf(path, size, "%.*s/%s", (int)(slash - from), from, name);
}

bool trm_robot_is_beside(const char *from, const char *name, char *path, size_t size) {
  trm_robot_beside(from, name, path, size);
  return access(path, R_OK) == 0;
}

static bool try(char *path, size_t size, const char *folder, const char *rest) {
  return snprintf(path, size, "%s/%s", folder, rest) < (int)size && access(path, R_OK) == 0;
}

/* In this folder, as a package of it or as the package itself. */
static bool in_folder(char *path, size_t size, const char *folder, const char *name) {
  const char *rest = strchr(name, '/');
  return try(path, size, folder, name) || (rest && try(path, size, folder, rest + 1));
}

bool trm_robot_find_file(const trm_robot *robot, const char *from, const char *name, char *path,
                         size_t size) {
  const char *schemes[] = {"package://", "model://"};
  if (strncmp(name, "file://", 7) == 0) name += 7;
  const char *package = NULL;
  for (int i = 0; i < 2; i++)
    if (strncmp(name, schemes[i], strlen(schemes[i])) == 0) package = name + strlen(schemes[i]);
  if (!package) return trm_robot_is_beside(from, name, path, size);
  for (int i = 0; robot->packages && robot->packages[i]; i++)
    if (in_folder(path, size, robot->packages[i], package)) return true;
  char *folder = realpath(from, NULL);
  bool found = false;
  while (folder && !found) {
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder) break;
    *slash = '\0';
    found = in_folder(path, size, folder, package);
  }
  free(folder);
  return found;
}
