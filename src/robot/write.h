/* What the writers of a model's sections share. */
#ifndef TRM_ROBOT_WRITE_H
#define TRM_ROBOT_WRITE_H

#include "robot/robot.h"

/* --- write.c --- */

void trm_robot_write_number(FILE *file, double value);
void trm_robot_write_list(FILE *file, int count, const double *values);
/* The name in the robot's file, as a comment, where the model has another. */
void trm_robot_write_name(FILE *file, const char *label, const char *name);
/* Its head, once. */
void trm_robot_write_section(FILE *file, const char *name, bool *begun);
const char *trm_robot_label_of(const trm_robot *robot, int body);
bool trm_robot_one_freedom(const trm_robot_joint *joint);
const char *trm_robot_freedom(const trm_robot_joint *joint);
const char *trm_robot_rate(const trm_robot_joint *joint);

/* --- write_force.c --- */

/* Inputs, and the signals between them and the forces. */
void trm_robot_write_signals(const trm_robot *robot, FILE *file);
void trm_robot_write_forces(const trm_robot *robot, FILE *file);

#endif
