/* A slider-crank built by calls, and checks on what building it reported. */
#ifndef TRM_TESTS_MODEL_SLIDER_H
#define TRM_TESTS_MODEL_SLIDER_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

static const double quarter_pi = 0.78539816339744831;

/* The path becomes the file and the offset the column, so that both can be checked. */
static inline trm_place locate(void *context, const char *path, size_t offset) {
  (void)context;
  return (trm_place){.file = path, .line = 1, .column = (int)offset};
}

static inline trm_diagnostics *start(void) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_diagnostics_set_locator(diagnostics, locate, NULL);
  return diagnostics;
}

static inline void add_rod(trm_model *model, const char *name, double x, double y, double angle) {
  trm_body_def body = trm_default_body();
  body.name = name;
  body.mass = 1;
  body.inertia[2] = 1.0 / 12;
  body.position[0] = x;
  body.position[1] = y;
  body.angle = angle;
  trm_model_add_body(model, &body);
  trm_model_add_point(model, name, "A", (double[3]){-0.5, 0, 0});
  trm_model_add_point(model, name, "B", (double[3]){0.5, 0, 0});
}

static inline trm_joint_def joint_def(const char *name, trm_joint_type type, const char *first,
                                      const char *second) {
  trm_joint_def joint = trm_default_joint();
  joint.name = name;
  joint.type = type;
  joint.connect[0] = first;
  joint.connect[1] = second;
  return joint;
}

static inline trm_joint_def line_def(const char *name, trm_joint_type type, const char *first,
                                     const char *second, double x, double y) {
  trm_joint_def joint = joint_def(name, type, first, second);
  joint.axis_given = true;
  joint.axis[0] = x;
  joint.axis[1] = y;
  return joint;
}

static inline void add_joint(trm_model *model, trm_joint_def joint) {
  trm_model_add_joint(model, &joint);
}

static inline trm_force_def force_def(const char *name, trm_force_type type, const char *first,
                                      const char *second) {
  trm_force_def force = trm_default_force();
  force.name = name;
  force.type = type;
  force.connect[0] = first;
  force.connect[1] = second;
  return force;
}

static inline void add_force(trm_model *model, trm_force_def force) {
  trm_model_add_force(model, &force);
}

/* ground.O, crank and rod at 45° with points A and B, joints A, B and slider. */
static inline trm_model *slider_crank(void) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  double c = cos(quarter_pi), s = sin(quarter_pi);
  trm_model_set_parameter(model, "L", 1);
  trm_model_set_parameter(model, "stiff", 3);
  trm_model_add_point(model, "ground", "O", (double[3]){0, 0, 0});
  add_rod(model, "crank", c / 2, s / 2, quarter_pi);
  add_rod(model, "rod", 1.5 * c, s / 2, -quarter_pi);
  add_joint(model, joint_def("A", TRM_JOINT_REVOLUTE, "ground.O", "crank.A"));
  add_joint(model, joint_def("B", TRM_JOINT_REVOLUTE, "crank.B", "rod.A"));
  add_joint(model, line_def("slider", TRM_JOINT_POINT_ON_LINE, "ground.O", "rod.B", 1, 0));
  return model;
}

static inline const trm_diagnostic *find_message(const trm_diagnostics *diagnostics,
                                                 const char *path, const char *part) {
  for (int i = 0; i < trm_diagnostics_count(diagnostics); i++) {
    const trm_diagnostic *d = trm_diagnostics_get(diagnostics, i);
    if (d->file && strcmp(d->file, path) == 0 && strstr(d->message, part)) return d;
  }
  for (int i = 0; i < trm_diagnostics_count(diagnostics); i++)
    print_error("got %s: %s\n", trm_diagnostics_get(diagnostics, i)->file,
                trm_diagnostics_get(diagnostics, i)->message);
  print_error("wanted %s: …%s…\n", path, part);
  return NULL;
}

/* Finishes a model that must fail with exactly one error, and destroys it. Returns its offset. */
static inline int assert_error(trm_model *model, const char *path, const char *part) {
  trm_diagnostics *diagnostics = start();
  assert_int_equal(trm_model_finish(model, diagnostics), TRM_BAD_MODEL);
  const trm_diagnostic *d = find_message(diagnostics, path, part);
  assert_non_null(d);
  assert_int_equal(d->severity, TRM_ERROR);
  assert_int_equal(trm_diagnostics_errors(diagnostics), 1);
  int offset = d->column;
  trm_diagnostics_destroy(diagnostics);
  trm_model_destroy(model);
  return offset;
}

static inline void assert_finishes(trm_model *model) {
  trm_diagnostics *diagnostics = start();
  trm_status status = trm_model_finish(model, diagnostics);
  if (status != TRM_OK)
    print_error("%s: %s\n", trm_diagnostics_get(diagnostics, 0)->file,
                trm_diagnostics_get(diagnostics, 0)->message);
  assert_int_equal(status, TRM_OK);
  assert_int_equal(trm_diagnostics_count(diagnostics), 0);
  assert_true(model->finished);
  trm_diagnostics_destroy(diagnostics);
}

static inline void assert_near(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-14)) print_error("%.17g is not %.17g\n", value, expected);
  assert_true(fabs(value - expected) <= 1e-14);
}

#endif
