/* A caller with a decimal comma reads the same numbers from every kind of file. */
#define _POSIX_C_SOURCE 200809L
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/trammel.h>
#include <unistd.h>

#include "../check.h"
#include "report/mesh.h"

static char folder[64];

static void write_file(const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

/* A locale of our own: others may not be installed. */
static bool use_comma(void) {
  char command[256], text[16];
  write_file("source", "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\n"
                       "thousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n");
  snprintf(command, sizeof command, "cd %s && localedef -c -i ./source ./comma >log 2>&1", folder);
  if (system(command) < 0) return false;
  setenv("LOCPATH", folder, 1);
  if (!setlocale(LC_NUMERIC, "comma")) return false;
  snprintf(text, sizeof text, "%g", 0.5);
  return text[1] == ',';
}

static const char part[] = "trammel: 1\n"
                           "space: planar\n"
                           "parameters: {L: 1.5}\n"
                           "bodies:\n"
                           "  rod: {mass: 1, inertia: 0.25, shape: {mesh: m.stl}}\n"
                           "joints:\n"
                           "  J: {type: roller, axis: x, connect: [ground, rod]}\n"
                           "  D: {type: driver, of: rod.x, value: \"table(t, 't.csv')\"}\n";
static const char model[] = "trammel: 1\n"
                            "space: planar\n"
                            "parameters: {a: 0.5}\n"
                            "include:\n"
                            "  - {file: part.yaml, at: [1.25, 0.5], mirror: x, with: {L: 2.5*a}}\n"
                            "simulate: {duration: 0.5, step: 0.125*a}\n";

/* What a locale may change: steps, positions of parts with formulas, corners of meshes. */
typedef struct numbers {
  double step, duration, x;
  float corner;
} numbers;

static numbers read_all(void) {
  char path[128];
  numbers found = {0};
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  snprintf(path, sizeof path, "%s/model.yaml", folder);
  trm_model *read = trm_model_load(path, NULL, diagnostics, NULL);
  const trm_diagnostic *first = trm_diagnostics_get(diagnostics, 0);
  if (!read) fail_msg("%s", first ? first->message : "no message");
  found.step = trm_model_settings(read)->step;
  found.duration = trm_model_settings(read)->duration;
  trm_mesh *meshes;
  int count;
  assert_true(trm_meshes_read(read, &meshes, &count, diagnostics));
  assert_int_equal(count, 1);
  assert_int_equal(meshes[0].count, 1);
  found.corner = meshes[0].corners[0];
  trm_meshes_free(meshes, count);
  trm_simulation *motion = trm_simulation_create(read, NULL, diagnostics, NULL);
  assert_non_null(motion);
  assert_int_equal(trm_simulation_set_parameter(motion, "a", 0.75, diagnostics), TRM_OK);
  found.x = trm_simulation_get(motion, trm_simulation_find(motion, "rod.x", diagnostics));
  trm_simulation_destroy(motion);
  trm_model_destroy(read);
  trm_diagnostics_destroy(diagnostics);
  return found;
}

static void decimal_commas_change_nothing(void **state) {
  (void)state;
  strcpy(folder, "/tmp/trammel_locale_XXXXXX");
  assert_non_null(mkdtemp(folder));
  write_file("part.yaml", part);
  write_file("model.yaml", model);
  write_file("t.csv", "t,x\n0,0.25\n0.5,0.75\n1.5,2.5\n");
  write_file("m.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0.5 0 0\nvertex 1.5 0 0\n"
                      "vertex 0 1.5 0\nendloop\nendfacet\nendsolid a\n");
  numbers plain = read_all();
  assert_float_equal(plain.step, 0.0625, 0);
  assert_float_equal(plain.duration, 0.5, 0);
  assert_near(plain.x, 1.25 - 0.25, 1e-10); /* the driver's start in the mirror */
  assert_float_equal(fabs(plain.corner), 0.5, 0);
  bool comma = use_comma();
  if (comma) {
    numbers other = read_all();
    assert_float_equal(other.step, plain.step, 0);
    assert_float_equal(other.duration, plain.duration, 0);
    assert_float_equal(other.x, plain.x, 0);
    assert_float_equal(other.corner, plain.corner, 0);
    char text[16];
    snprintf(text, sizeof text, "%g", 0.5);
    assert_string_equal(text, "0,5"); /* the caller's locale is as it was */
  }
  setlocale(LC_NUMERIC, "C");
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  if (!comma) skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(decimal_commas_change_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
