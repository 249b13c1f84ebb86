/* A mechanism with every joint of space, for tests that look at equations rather than motions. */
#ifndef TRM_TESTS_SAMPLE_SPATIAL_H
#define TRM_TESTS_SAMPLE_SPATIAL_H

#include <string.h>

#include "check.h"
#include "sample.h"

static inline void sample_spatial_body(trm_model *model, const char *name, const double at[3],
                                       double angle) {
  trm_body_def body = trm_default_body();
  body.name = name;
  body.mass = 2;
  const double inertia[6] = {0.7, 0.9, 1.1, 0.1, -0.05, 0.08}, com[3] = {0.1, -0.2, 0.15};
  memcpy(body.inertia, inertia, sizeof inertia);
  memcpy(body.com, com, sizeof com);
  memcpy(body.position, at, sizeof body.position);
  double c = cos(angle), s = sin(angle);
  const double R[9] = {c, -s * 0.6, s * 0.8, s, c * 0.6, -c * 0.8, 0, 0.8, 0.6};
  memcpy(body.orientation, R, sizeof R);
  trm_model_add_body(model, &body);
  trm_model_add_point(model, name, "A", (double[3]){-0.4, 0.3, 0.2});
  trm_model_add_point(model, name, "B", (double[3]){0.8, 0.1, -0.3});
}

static inline void sample_spatial_joint(trm_model *model, const char *name, trm_joint_type type,
                                        const char *first, const char *second) {
  trm_joint_def joint = trm_default_joint();
  joint.name = name;
  joint.type = type;
  joint.connect[0] = first;
  joint.connect[1] = second;
  bool two = type == TRM_JOINT_UNIVERSAL || type == TRM_JOINT_PARALLEL ||
             type == TRM_JOINT_PERPENDICULAR || type == TRM_JOINT_CONSTANT_VELOCITY ||
             type == TRM_JOINT_HALF_SHAFT;
  bool none = type == TRM_JOINT_SPHERICAL || type == TRM_JOINT_RIGID || type == TRM_JOINT_DISTANCE;
  joint.axis_given = !two && !none;
  joint.axes_given = two;
  const double axis[3] = {0.6, 0, 0.8};
  memcpy(joint.axis, axis, sizeof axis);
  joint.axes[0][0] = 1, joint.axes[1][1] = 1;
  if (type == TRM_JOINT_DISTANCE) joint.value = trm_number(1.3);
  if (type == TRM_JOINT_SCREW) joint.pitch = 0.35;
  if (type == TRM_JOINT_ROLLING) joint.radius = 0.13082;
  trm_model_add_joint(model, &joint);
}

/* A universal joint must be perpendicular as written: two bodies with the same orientation. */
static inline trm_model *sample_spatial_model(void) {
  trm_model *model = trm_model_create(TRM_SPATIAL);
  sample_spatial_body(model, "a", (double[3]){0.3, -0.2, 0.1}, 0.4);
  sample_spatial_body(model, "b", (double[3]){1.1, 0.5, -0.6}, 0.4);
  sample_spatial_body(model, "c", (double[3]){-0.7, 0.9, 0.4}, 2.5);
  sample_spatial_body(model, "d", (double[3]){0.2, 1.4, 0.8}, -0.9);
  sample_spatial_joint(model, "ball", TRM_JOINT_SPHERICAL, "a.A", "b.B");
  sample_spatial_joint(model, "hinge", TRM_JOINT_REVOLUTE, "b.A", "c.B");
  sample_spatial_joint(model, "cross", TRM_JOINT_UNIVERSAL, "a.B", "b.A");
  sample_spatial_joint(model, "tube", TRM_JOINT_CYLINDRICAL, "c.A", "d.B");
  sample_spatial_joint(model, "rail", TRM_JOINT_PRISMATIC, "ground", "d.A");
  sample_spatial_joint(model, "weld", TRM_JOINT_RIGID, "c.B", "a");
  sample_spatial_joint(model, "table", TRM_JOINT_PLANAR, "d.B", "b");
  sample_spatial_joint(model, "plane", TRM_JOINT_POINT_ON_PLANE, "a.B", "c.A");
  sample_spatial_joint(model, "line", TRM_JOINT_POINT_ON_LINE, "b.B", "d");
  sample_spatial_joint(model, "same", TRM_JOINT_PARALLEL, "a", "d");
  sample_spatial_joint(model, "square", TRM_JOINT_PERPENDICULAR, "c", "d");
  sample_spatial_joint(model, "screw", TRM_JOINT_SCREW, "d.A", "a.A");
  sample_spatial_joint(model, "bend", TRM_JOINT_CONSTANT_VELOCITY, "b.A", "d.B");
  sample_spatial_joint(model, "axle", TRM_JOINT_HALF_SHAFT, "c.A", "a.B");
  sample_spatial_joint(model, "rod", TRM_JOINT_DISTANCE, "a.B", "d.B");
  sample_spatial_joint(model, "sphere", TRM_JOINT_ROLLING, "c.A", "b.A");
  trm_joint_def disc = trm_default_joint();
  disc.name = "disc", disc.type = TRM_JOINT_ROLLING, disc.connect[0] = "a.A",
  disc.connect[1] = "d.A";
  disc.axes_given = true, disc.axes[0][2] = 1, disc.axes[1][0] = 1, disc.axes[1][1] = 0.5,
  disc.radius = 2.04252;
  trm_model_add_joint(model, &disc);
  sample_driver(model, "turn", "hinge", "0.1 + t^2");
  sample_driver(model, "push", "rail", "0.4*sin(3*t)");
  sample_driver(model, "lift", "b.B.z", "1 - t");
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  if (trm_model_finish(model, diagnostics) != TRM_OK)
    for (int i = 0; i < trm_diagnostics_count(diagnostics); i++)
      print_error("%s\n", trm_diagnostics_get(diagnostics, i)->message);
  assert_int_equal(trm_diagnostics_errors(diagnostics), 0);
  trm_diagnostics_destroy(diagnostics);
  return model;
}

#endif
