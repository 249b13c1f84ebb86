/* Mass properties from shapes, bars and points in global coordinates. */
#define _XOPEN_SOURCE 700
#include "mistake.h"

#include <math.h>

#define PLANE "trammel: 1\nspace: planar\n"
#define SPACE "trammel: 1\nspace: spatial\n"

static const double pi = 3.14159265358979323846;

static void expect(const char *what, double value, double expected, double scale) {
  if (!(fabs(value - expected) <= 4e-15 * scale))
    fail_msg("%s is %.17g, expected %.17g", what, value, expected);
}

/* [Ixx Iyy Izz Ixy Ixz Iyz] */
static void expect_body(const trm_body *b, double mass, const double com[3], const double I[6]) {
  double scale = fmax(fabs(I[0]), fmax(fabs(I[1]), fabs(I[2])));
  expect("the mass", b->mass, mass, mass);
  for (int k = 0; k < 3; k++) expect("the centre of mass", b->com[k], com[k], 1);
  for (int k = 0; k < 6; k++) expect("the inertia", b->inertia[k], I[k], scale);
}

static trm_body body_of(const char *keys, loaded *r) {
  char text[1000];
  snprintf(text, sizeof text, SPACE "bodies: {b: {%s}}\n", keys);
  *r = load_good(text, NULL);
  return r->model->bodies[0];
}

static void solids_have_the_inertia_of_the_textbook(void **state) {
  (void)state;
  const double O[3] = {0, 0, 0};
  loaded r;
  double m = 2 * 24;
  trm_body b = body_of("density: 2, shape: {box: [2, 3, 4]}", &r);
  expect_body(&b, m, O, (const double[]){m * 25 / 12, m * 20 / 12, m * 13 / 12, 0, 0, 0});
  unload(&r);
  b = body_of("mass: 5, inertia: auto, shape: {sphere: 3}", &r);
  expect_body(&b, 5, O, (const double[]){18, 18, 18, 0, 0, 0});
  unload(&r);
  m = 3 * pi * 4 * 6;
  b = body_of("density: 3, shape: {cylinder: {radius: 2, length: 6, axis: -y}}", &r);
  expect_body(&b, m, O, (const double[]){m * 4, m * 2, m * 4, 0, 0, 0});
  unload(&r);
  m = pi * 4 * 8 / 3;
  b = body_of("density: 1, shape: {cone: {radius: 2, height: 8, axis: x}}", &r);
  double across = m * (3.0 / 20 * 4 + 3.0 / 80 * 64);
  expect_body(&b, m, (const double[]){2, 0, 0},
              (const double[]){0.3 * m * 4, across, across, 0, 0, 0});
  unload(&r);
}

static void rods_and_paths(void **state) {
  (void)state;
  loaded r;
  trm_body b = body_of("mass: 6, inertia: auto, shape: {rod: [A, B]}, points: {A: [1, 0, 0], B: "
                       "[1, 2, 0]}",
                       &r);
  expect_body(&b, 6, (const double[]){1, 1, 0}, (const double[]){2, 0, 2, 0, 0, 0});
  unload(&r);
  /* a tube */
  double m = 7 * pi * (0.25 - 0.09) * 3;
  b = body_of("density: 7, section: {radius: 0.5, inner: 0.3}, shape: {rod: [A, B]}, points: {A: "
              "[0, 0, -1], B: [0, 0, 2]}",
              &r);
  double across = m * (3 * (0.25 + 0.09) + 9) / 12;
  expect_body(&b, m, (const double[]){0, 0, 0.5},
              (const double[]){across, across, m * 0.34 / 2, 0, 0, 0});
  unload(&r);
  /* two arms of 2 and 1 with a right angle: of the pieces about their common centre (1, 1/6)/… */
  b = body_of("density: 1, section: 1, shape: {path: [A, O, B]}, points: {A: [2, 0, 0], O: [0, 0, "
              "0], B: [0, 1, 0]}",
              &r);
  const double c[2] = {2.0 / 3, 0.5 / 3};
  double Sxx = 2 * (1.0 / 3 + 1) - 3 * c[0] * c[0], Syy = 1.0 / 3 - 3 * c[1] * c[1];
  expect_body(&b, 3, (const double[]){c[0], c[1], 0},
              (const double[]){Syy, Sxx, Sxx + Syy, 3 * c[0] * c[1], 0, 0});
  unload(&r);
}

/* A box of 2 × 3 × 4 with its corner at (1, −1, 5), as twelve triangles. */
static void write_box(const char *path, int triangles) {
  static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                   {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                   {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "solid box\n");
  for (int t = 0; t < triangles; t++) {
    fprintf(file, "facet normal 0 0 0\nouter loop\n");
    for (int k = 0; k < 3; k++) {
      int c = faces[t][k];
      fprintf(file, "vertex %d %d %d\n", 1 + 2 * (c & 1), -1 + 3 * (c >> 1 & 1), 5 + 4 * (c >> 2));
    }
    fprintf(file, "endloop\nendfacet\n");
  }
  fprintf(file, "endsolid box\n");
  assert_int_equal(fclose(file), 0);
}

static void meshes(void **state) {
  (void)state;
  loaded r;
  double m = 0.5 * 24;
  write_box(scratch_path("box.stl"), 12);
  trm_body b = body_of("density: 0.5, shape: {mesh: box.stl}", &r);
  const double I[] = {m * 25 / 12, m * 20 / 12, m * 13 / 12, 0, 0, 0}, c[] = {2, 0.5, 7};
  expect("the mass", b.mass, m, m);
  for (int k = 0; k < 3; k++) expect("the centre of mass", b.com[k], c[k], 10);
  for (int k = 0; k < 6; k++) expect("the inertia", b.inertia[k], I[k], m * 100);
  unload(&r);
  write_box(scratch_path("box.stl"), 11);
  expect_one(&(mistake){SPACE "bodies: {b: {density: 1, shape: {mesh: box.stl}}}\n", 3, 33,
                        "it is no closed surface seen from outside"});
  remove(scratch_path("box.stl"));
}

static void mistakes_with_solids(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {PLANE "bodies: {b: {density: 1, mass: 1, shape: {sphere: 1}}}\n", 3, 23,
       "give the mass or the density, not both"},
      {PLANE "bodies: {b: {density: 1, inertia: 1, shape: {sphere: 1}}}\n", 3, 35, "leave it out"},
      {PLANE "bodies: {b: {mass: 1, inertia: auto, com: [1, 0], shape: {sphere: 1}}}\n", 3, 43,
       "the centre of mass follows from the shape"},
      {PLANE "bodies: {b: {mass: 1, inertia: auto}}\n", 3, 32, "a 'shape' is needed"},
      {PLANE "bodies: {b: {density: 1, shape: {rod: [A, B]}, points: {A: [0, 0], B: [1, 0]}}}\n", 3,
       23, "needs its 'section'"},
      {PLANE "bodies: {b: {density: -1, shape: {sphere: 1}}}\n", 3, 23, "the density is -1"},
      {PLANE "bodies: {b: {density: 1, shape: {sphere: 0}}}\n", 3, 33, "the shape has no volume"},
      {PLANE "bodies: {b: {mass: 1, shape: {sphere: 1}}}\n", 3, 10,
       "missing key 'inertia'; 'inertia: auto' is that of the shape"},
      {PLANE "bodies: {b: {mass: 1, bar: {A: [0, 0], B: [0, 0]}}}\n", 3, 28,
       "the bar has length 0"},
      {PLANE "bodies: {b: {mass: 1, bar: {A: [0, 0]}}}\n", 3, 28, "expected two points"},
      {PLANE "bodies: {b: {mass: 1, bar: {A: [0, 0], B: [1, 0]}, angle: 1}}\n", 3, 59,
       "the pose follows from the bar"},
      {PLANE "bodies: {b: {mass: 1, inertia: 1, length: 2}}\n", 3, 43, "that of a 'bar'"},
  };
  EXPECT_ALL(mistakes);
}

/* A point of a body in global coordinates, as written. */
static void global(const trm_body *b, const double u[3], double p[3]) {
  for (int i = 0; i < 3; i++)
    p[i] = b->position[i] + b->R[3 * i] * u[0] + b->R[3 * i + 1] * u[1] + b->R[3 * i + 2] * u[2];
}

static void bars(void **state) {
  (void)state;
  loaded r = load_good(PLANE "bodies:\n"
                             "  a: {bar: {A: [1, 1], B: [4, 5]}, mass: 12, at: {C: [2, 7]}}\n"
                             "  b: {bar: {from: [0, 0], to: [0, -3]}, length: 2, density: 1, "
                             "section: 0.5}\n",
                       NULL);
  const trm_body *a = r.model->bodies, *b = a + 1;
  const double ends[3][2] = {{1, 1}, {4, 5}, {2, 7}};
  for (int k = 0; k < 3; k++) {
    double p[3];
    global(a, a->points[k].u, p);
    expect("x", p[0], ends[k][0], 1);
    expect("y", p[1], ends[k][1], 2);
  }
  expect("the inertia", a->inertia[2], 25, 25);
  assert_int_equal(a->shape.type, TRM_SHAPE_ROD);
  expect("the mass", b->mass, 1, 1);
  expect("the inertia", b->inertia[2], 4.0 / 12, 1);
  expect("the angle", b->angle, -pi / 2, 1);
  expect("half the length", b->points[1].u[0], 1, 1);
  expect("y", b->position[1], -1.5, 1);
  unload(&r);

  r = load_good(SPACE "bodies:\n"
                      "  a: {bar: {A: [1, 1, 0], B: [1, 3, 2]}, mass: 3, at: {C: [4, 4, 4]}}\n"
                      "  b: {bar: {A: [1, 1, 0], B: [1, 1, -2]}, mass: 3}\n",
                NULL);
  const double corners[3][3] = {{1, 1, 0}, {1, 3, 2}, {4, 4, 4}};
  for (int k = 0; k < 3; k++) {
    double p[3];
    global(r.model->bodies, r.model->bodies[0].points[k].u, p);
    for (int i = 0; i < 3; i++) expect("a coordinate", p[i], corners[k][i], 5);
  }
  const double I[] = {0, 2, 2, 0, 0, 0};
  for (int k = 0; k < 6; k++) expect("the inertia", r.model->bodies[0].inertia[k], I[k], 2);
  double p[3];
  global(r.model->bodies + 1, r.model->bodies[1].points[1].u, p);
  expect("z", p[2], -2, 2);
  unload(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_have_the_inertia_of_the_textbook),
      cmocka_unit_test(rods_and_paths),
      cmocka_unit_test(meshes),
      cmocka_unit_test(mistakes_with_solids),
      cmocka_unit_test(bars),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
