/* The types of joints and forces: their names in model files, and what they can be asked for. */
#include <string.h>

#include "model/model.h"

enum { ANGLE = 1, DISPLACEMENT = 2 };
enum { REACTION = 1, EFFORT = 2 };
enum { PLANE = 1 << TRM_PLANAR, SPACE = 1 << TRM_SPATIAL };

static const struct {
  const char *name;
  int freedoms, results, spaces;
} joints[] = {
    [TRM_JOINT_REVOLUTE] = {"revolute", ANGLE, REACTION, PLANE | SPACE},
    [TRM_JOINT_PRISMATIC] = {"prismatic", DISPLACEMENT, REACTION, PLANE | SPACE},
    [TRM_JOINT_RIGID] = {"rigid", 0, REACTION, PLANE | SPACE},
    [TRM_JOINT_POINT_ON_LINE] = {"point-on-line", DISPLACEMENT, REACTION, PLANE | SPACE},
    [TRM_JOINT_ROLLER] = {"roller", 0, REACTION, PLANE},
    [TRM_JOINT_DISTANCE] = {"distance", 0, REACTION, PLANE | SPACE},
    [TRM_JOINT_COORDINATE] = {"coordinate", 0, EFFORT, PLANE | SPACE},
    [TRM_JOINT_GEAR] = {"gear", 0, EFFORT, PLANE | SPACE},
    [TRM_JOINT_ROLLING] = {"rolling", ANGLE | DISPLACEMENT, REACTION, PLANE | SPACE},
    [TRM_JOINT_DRIVER] = {"driver", 0, REACTION | EFFORT, PLANE | SPACE},
    [TRM_JOINT_SPHERICAL] = {"spherical", 0, REACTION, SPACE},
    [TRM_JOINT_UNIVERSAL] = {"universal", 0, REACTION, SPACE},
    [TRM_JOINT_CYLINDRICAL] = {"cylindrical", ANGLE | DISPLACEMENT, REACTION, SPACE},
    [TRM_JOINT_PLANAR] = {"planar", 0, REACTION, SPACE},
    [TRM_JOINT_POINT_ON_PLANE] = {"point-on-plane", 0, REACTION, SPACE},
    [TRM_JOINT_PARALLEL] = {"parallel", 0, REACTION, SPACE},
    [TRM_JOINT_PERPENDICULAR] = {"perpendicular", 0, REACTION, SPACE},
    [TRM_JOINT_SCREW] = {"screw", ANGLE | DISPLACEMENT, REACTION | EFFORT, SPACE},
    [TRM_JOINT_CONSTANT_VELOCITY] = {"constant-velocity", 0, REACTION, SPACE},
    [TRM_JOINT_HALF_SHAFT] = {"half-shaft", 0, REACTION, SPACE},
    [TRM_JOINT_SHAFT] = {"shaft", ANGLE, 0, PLANE | SPACE},
};

static const char *const forces[] = {
    [TRM_FORCE_FORCE] = "force",
    [TRM_FORCE_TORQUE] = "torque",
    [TRM_FORCE_SPRING_DAMPER] = "spring-damper",
    [TRM_FORCE_TORSION_SPRING_DAMPER] = "torsion-spring-damper",
    [TRM_FORCE_ACTUATOR] = "actuator",
    [TRM_FORCE_BUSHING] = "bushing",
    [TRM_FORCE_LOAD] = "load",
    [TRM_FORCE_TIRE] = "tire",
};

int trm_joint_freedoms(trm_joint_type type) {
  return joints[type].freedoms;
}

int trm_model_freedoms(const trm_model *model, trm_joint_type type) {
  /* what rolls in space does not move along a line */
  bool none = type == TRM_JOINT_ROLLING && model->space == TRM_SPATIAL;
  return none ? 0 : joints[type].freedoms;
}

bool trm_joint_has_reaction(trm_joint_type type) {
  return joints[type].results & REACTION;
}

bool trm_model_has_reaction(const trm_model *model, const trm_joint *joint) {
  bool drives = joint->type == TRM_JOINT_DRIVER && joint->term_count > 0 &&
                joint->terms[0].measure.kind == TRM_MEASURE_FREEDOM;
  bool shaft = drives && model->joints[joint->terms[0].measure.index].type == TRM_JOINT_SHAFT;
  return trm_joint_has_reaction(joint->type) && !shaft;
}

bool trm_joint_has_effort(trm_joint_type type) {
  return joints[type].results & EFFORT;
}

bool trm_joint_is_for(trm_joint_type type, trm_space space) {
  return joints[type].spaces & 1 << space;
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
