/* The types of joints and forces: their names in model files, and what they can be asked for. */
#include <string.h>

#include "model/model.h"

enum { ANGLE = 1, DISPLACEMENT = 2 };

static const struct {
  const char *name;
  int freedoms;
  bool reaction;
} joints[] = {
    [TRM_JOINT_REVOLUTE] = {"revolute", ANGLE, true},
    [TRM_JOINT_PRISMATIC] = {"prismatic", DISPLACEMENT, true},
    [TRM_JOINT_RIGID] = {"rigid", 0, true},
    [TRM_JOINT_POINT_ON_LINE] = {"point-on-line", DISPLACEMENT, true},
    [TRM_JOINT_ROLLER] = {"roller", 0, true},
    [TRM_JOINT_DISTANCE] = {"distance", 0, true},
    [TRM_JOINT_COORDINATE] = {"coordinate", 0, false},
    [TRM_JOINT_GEAR] = {"gear", 0, false},
    [TRM_JOINT_ROLLING] = {"rolling", ANGLE | DISPLACEMENT, true},
    [TRM_JOINT_DRIVER] = {"driver", 0, true},
};

static const char *const forces[] = {
    [TRM_FORCE_FORCE] = "force",
    [TRM_FORCE_TORQUE] = "torque",
    [TRM_FORCE_SPRING_DAMPER] = "spring-damper",
    [TRM_FORCE_TORSION_SPRING_DAMPER] = "torsion-spring-damper",
    [TRM_FORCE_ACTUATOR] = "actuator",
};

int trm_joint_freedoms(trm_joint_type type) {
  return joints[type].freedoms;
}

bool trm_joint_has_reaction(trm_joint_type type) {
  return joints[type].reaction;
}

const char *trm_joint_type_name(trm_joint_type type) {
  return joints[type].name;
}

bool trm_joint_type_find(const char *name, trm_joint_type *type) {
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
    if (strcmp(name, joints[i].name) != 0) continue;
    *type = (trm_joint_type)i;
    return true;
  }
  return false;
}

const char *trm_force_type_name(trm_force_type type) {
  return forces[type];
}

bool trm_force_type_find(const char *name, trm_force_type *type) {
  for (size_t i = 0; i < sizeof forces / sizeof *forces; i++) {
    if (strcmp(name, forces[i]) != 0) continue;
    *type = (trm_force_type)i;
    return true;
  }
  return false;
}
