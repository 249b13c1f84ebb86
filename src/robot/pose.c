/* Places and rotations. */
#include <math.h>
#include <string.h>

#include "robot/robot.h"

trm_robot_pose trm_robot_identity(void) {
  return (trm_robot_pose){{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

void trm_robot_turn(const trm_robot_pose *pose, const double v[3], double out[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = pose->R[i][0] * v[0] + pose->R[i][1] * v[1] + pose->R[i][2] * v[2];
}

void trm_robot_point(const trm_robot_pose *pose, const double v[3], double out[3]) {
  trm_robot_turn(pose, v, out);
  for (int i = 0; i < 3; i++) out[i] += pose->x[i];
}

void trm_robot_product(double a[3][3], double b[3][3], double c[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

trm_robot_pose trm_robot_compose(const trm_robot_pose *a, const trm_robot_pose *b) {
  trm_robot_pose c, left = *a, right = *b;
  trm_robot_point(a, b->x, c.x);
  trm_robot_product(left.R, right.R, c.R);
  return c;
}

trm_robot_pose trm_robot_relative(const trm_robot_pose *a, const trm_robot_pose *b) {
  trm_robot_pose inverse;
  for (int i = 0; i < 3; i++) {
    inverse.x[i] = 0;
    for (int k = 0; k < 3; k++) {
      inverse.R[i][k] = a->R[k][i];
      inverse.x[i] -= a->R[k][i] * a->x[k];
    }
  }
  return trm_robot_compose(&inverse, b);
}

void trm_robot_quaternion(const double given[4], double R[3][3]) {
  double q[4], length = 0;
  for (int i = 0; i < 4; i++) length += given[i] * given[i];
  length = sqrt(length);
  for (int i = 0; i < 4; i++) q[i] = length > 0 ? given[i] / length : i == 0;
  double w = q[0], x = q[1], y = q[2], z = q[3];
  double rows[3][3] = {{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                       {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                       {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
  memcpy(R, rows, sizeof rows);
}

void trm_robot_about(const double axis[3], double angle, double R[3][3]) {
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  double s = length > 0 ? sin(angle / 2) / length : 0;
  const double q[4] = {cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]};
  trm_robot_quaternion(q, R);
}

void trm_robot_roll_pitch_yaw(const double rpy[3], double R[3][3]) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double x[3][3], y[3][3], z[3][3], zy[3][3];
  trm_robot_about(axes[0], rpy[0], x);
  trm_robot_about(axes[1], rpy[1], y);
  trm_robot_about(axes[2], rpy[2], z);
  trm_robot_product(z, y, zy);
  trm_robot_product(zy, x, R);
}
