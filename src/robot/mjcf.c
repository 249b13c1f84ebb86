#include "robot/robot.h"
void trm_robot_read_mjcf(trm_robot *robot, trm_xml *root) {
  trm_robot_error(robot, root, "MJCF is not read yet");
}
