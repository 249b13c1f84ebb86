/* A mechanism with every joint and force type, for tests that look at equations rather than
 * motions. */
#ifndef TRM_TESTS_SAMPLE_H
#define TRM_TESTS_SAMPLE_H

#include <stdlib.h>
#include <trammel/trammel.h>

#include "system/system.h"

static inline double sample_random(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)*state / 2147483648.0 - 1;
}

static inline void sample_body(trm_model *model, const char *name, double x, double y,
                               double angle) {
  trm_body_def body = trm_default_body();
  body.name = name;
  body.mass = 2 + x * x;
  body.inertia[2] = 0.7 + y * y;
  body.com[0] = 0.1;
  body.com[1] = -0.2;
  body.position[0] = x;
  body.position[1] = y;
  body.angle = angle;
  trm_model_add_body(model, &body);
  trm_model_add_point(model, name, "A", (double[3]){-0.4, 0.3, 0});
  trm_model_add_point(model, name, "B", (double[3]){0.8, 0.1, 0});
}

static inline void sample_joint(trm_model *model, const char *name, trm_joint_type type,
                                const char *first, const char *second) {
  trm_joint_def joint = trm_default_joint();
  joint.name = name;
  joint.type = type;
  joint.connect[0] = first;
  joint.connect[1] = second;
  bool axis = type == TRM_JOINT_PRISMATIC || type == TRM_JOINT_POINT_ON_LINE;
  if (axis || type == TRM_JOINT_ROLLER) {
    joint.axis_given = true;
    joint.axis[0] = axis ? 0.6 : 1;
    joint.axis[1] = axis ? 0.8 : 0;
  }
  if (type == TRM_JOINT_DISTANCE) joint.value = trm_formula("1.3 + 0.2*sin(2*t)");
  static const trm_term_def terms[] = {
      {"b.angle", 1}, {"c.B.x", -2}, {"rev.angle", 0.5}, {"line.displacement", 3}};
  if (type == TRM_JOINT_ROLLING) {
    joint.axis_given = true;
    joint.axis[0] = 0.28, joint.axis[1] = 0.96;
    joint.radius = 0.35;
  }
  if (type == TRM_JOINT_GEAR) {
    joint.joints[0] = "rev", joint.joints[1] = "line";
    joint.ratio = -1.7;
  }
  if (type == TRM_JOINT_COORDINATE) {
    joint.term_count = 4;
    joint.terms = terms;
    joint.value = trm_formula("0.3*t^2");
  }
  trm_model_add_joint(model, &joint);
}

static inline void sample_driver(trm_model *model, const char *name, const char *of,
                                 const char *law) {
  trm_joint_def joint = trm_default_joint();
  joint.name = name;
  joint.type = TRM_JOINT_DRIVER;
  joint.of = of;
  joint.value = trm_formula(law);
  trm_model_add_joint(model, &joint);
}

static inline void sample_forces(trm_model *model) {
  trm_force_def f = trm_default_force();
  f.name = "shove", f.type = TRM_FORCE_FORCE, f.connect[0] = "a.B", f.body_frame = true;
  f.value[0] = trm_formula("3*cos(t)"), f.value[1] = trm_formula("-b.vx*c.angle");
  trm_model_add_force(model, &f);
  f = trm_default_force();
  f.name = "twist", f.type = TRM_FORCE_TORQUE, f.connect[0] = "b";
  f.value[2] = trm_formula("1.5 - spring.length");
  trm_model_add_force(model, &f);
  f = trm_default_force();
  f.name = "spring", f.type = TRM_FORCE_SPRING_DAMPER, f.connect[0] = "a.A", f.connect[1] = "d.B";
  f.stiffness = trm_number(40), f.damping = trm_number(3), f.free = trm_number(0.5);
  trm_model_add_force(model, &f);
  f.name = "coil", f.type = TRM_FORCE_TORSION_SPRING_DAMPER, f.connect[0] = "b", f.connect[1] = "c";
  f.stiffness = trm_number(7), f.damping = trm_number(0), f.free = trm_number(0.2);
  trm_model_add_force(model, &f);
  f = trm_default_force();
  f.name = "ram", f.type = TRM_FORCE_ACTUATOR, f.connect[0] = "ground", f.connect[1] = "d.A";
  f.value[0] = trm_formula("2*t");
  trm_model_add_force(model, &f);
  f = trm_default_force();
  f.name = "motor", f.type = TRM_FORCE_ACTUATOR, f.of = "rev", f.value[0] = trm_number(4);
  trm_model_add_force(model, &f);
}

/* NULL where it does not build; joints need not close: only equations are looked at. */
static inline trm_model *sample_model(bool with_forces) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  trm_model_set_gravity(model, (double[3]){1, -9.81, 0});
  sample_body(model, "a", 0.3, -0.2, 0.4);
  sample_body(model, "b", 1.1, 0.5, -1.2);
  sample_body(model, "c", -0.7, 0.9, 2.5);
  sample_body(model, "d", 0.2, 1.4, 0.9);
  sample_joint(model, "rev", TRM_JOINT_REVOLUTE, "a.A", "b.B");
  sample_joint(model, "slide", TRM_JOINT_PRISMATIC, "b.A", "c.A");
  sample_joint(model, "weld", TRM_JOINT_RIGID, "c.B", "d");
  sample_joint(model, "line", TRM_JOINT_POINT_ON_LINE, "d.A", "a.B");
  sample_joint(model, "rail", TRM_JOINT_POINT_ON_LINE, "ground", "b.A");
  sample_joint(model, "roll", TRM_JOINT_ROLLER, "ground", "c.B");
  sample_joint(model, "rod", TRM_JOINT_DISTANCE, "a.B", "d.B");
  sample_joint(model, "tie", TRM_JOINT_DISTANCE, "ground", "c.A");
  sample_joint(model, "mix", TRM_JOINT_COORDINATE, NULL, NULL);
  sample_joint(model, "disc", TRM_JOINT_ROLLING, "a.A", "c.B");
  sample_joint(model, "gear", TRM_JOINT_GEAR, NULL, NULL);
  sample_driver(model, "near0", "rev", "0.1"); /* cross form; moving laws: test_drivers.c */
  sample_driver(model, "near90", "d.angle", "0.95");
  sample_driver(model, "far", "a.angle", "2"); /* dot form */
  sample_driver(model, "push", "slide", "0.4*sin(3*t)");
  sample_driver(model, "lift", "b.B.y", "1 - t");
  if (with_forces) sample_forces(model);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  if (trm_model_finish(model, diagnostics) != TRM_OK) {
    for (int i = 0; i < trm_diagnostics_count(diagnostics); i++)
      fprintf(stderr, "%s\n", trm_diagnostics_get(diagnostics, i)->message);
    trm_model_destroy(model);
    model = NULL;
  }
  trm_diagnostics_destroy(diagnostics);
  return model;
}

#endif
