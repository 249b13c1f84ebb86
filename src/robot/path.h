/* Where files that a robot names are. */
#ifndef TRM_ROBOT_PATH_H
#define TRM_ROBOT_PATH_H

#include "robot/robot.h"

enum { TRM_ROBOT_LONGEST_PATH = 4096 };

/* A file named in another one: relative to it, or package://NAME/REST, which is looked for in the
 * folders of packages and in all folders above. False: not found. */
bool trm_robot_find_file(const trm_robot *robot, const char *from, const char *name, char *path,
                         size_t size);
/* A name beside a file, as it is; the second: true if it can be read. */
void trm_robot_beside(const char *from, const char *name, char *path, size_t size);
bool trm_robot_is_beside(const char *from, const char *name, char *path, size_t size);

#endif
