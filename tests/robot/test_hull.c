/* Convex hulls: closed, with all points inside, of the right volume. */
#include "../check.h"
#include "base/arena.h"
#include "robot/robot.h"

enum { MOST = 4000 };

static unsigned long seed = 1;

static double uniform(void) { /* in −1 … 1 */
  seed = seed * 6364136223846793005UL + 1442695040888963407UL;
  return (double)(seed >> 11) / (double)(1UL << 52) - 1;
}

static trm_robot_mesh hull_of(trm_robot *robot, int count, double (*points)[3]) {
  trm_robot_mesh mesh = {0};
  assert_null(trm_robot_mesh_hull(robot, count, points[0], &mesh));
  return mesh;
}

static bool same(const double *a, const double *b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Each edge belongs to two faces, once in each direction. */
static void check_closed(const trm_robot_mesh *mesh) {
  for (int i = 0; i < 3 * mesh->count; i++) {
    const double *a = mesh->corners + 3 * i;
    const double *b = mesh->corners + 3 * (i % 3 == 2 ? i - 2 : i + 1);
    int reverse = 0;
    for (int k = 0; k < 3 * mesh->count; k++) {
      const double *c = mesh->corners + 3 * k;
      const double *d = mesh->corners + 3 * (k % 3 == 2 ? k - 2 : k + 1);
      reverse += same(a, d) && same(b, c);
    }
    assert_int_equal(reverse, 1);
  }
}

/* By how much a point is outside. */
static double protrusion(const trm_robot_mesh *mesh, int count, double (*points)[3]) {
  double worst = 0;
  for (int i = 0; i < mesh->count; i++) {
    const double *a = mesh->corners + 9 * i, *b = a + 3, *c = a + 6;
    double n[3];
    for (int k = 0; k < 3; k++) {
      int p = (k + 1) % 3, q = (k + 2) % 3;
      n[k] = (b[p] - a[p]) * (c[q] - a[q]) - (b[q] - a[q]) * (c[p] - a[p]);
    }
    double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int j = 0; j < count && size > 1e-9; j++) {
      double above = 0;
      for (int k = 0; k < 3; k++) above += n[k] / size * (points[j][k] - a[k]);
      worst = larger(worst, above);
    }
  }
  return worst;
}

static double check(int count, double (*points)[3]) {
  trm_robot robot = {.arena = trm_arena_create()};
  trm_robot_mesh mesh = hull_of(&robot, count, points);
  trm_robot_mass mass;
  check_closed(&mesh);
  assert_true(protrusion(&mesh, count, points) <= 1e-9);
  assert_null(trm_robot_mesh_mass(&robot, &mesh, TRM_MESH_EXACT, &mass));
  trm_arena_destroy(robot.arena);
  return mass.mass;
}

/* A grid: nearly all of its points lie in faces or edges of the cube. Moved and scaled. */
static void grids(void **state) {
  (void)state;
  static double points[MOST][3];
  for (int n = 2; n <= 7; n++) {
    int count = 0;
    for (int i = 0; i < n * n * n; i++, count++) {
      points[count][0] = 5 + 2.0 * (i % n) / (n - 1);
      points[count][1] = -3 + 0.7 * (i / n % n) / (n - 1);
      points[count][2] = 1.1 * (i / n / n) / (n - 1);
    }
    assert_near(check(count, points), 2 * 0.7 * 1.1, 1e-12);
  }
}

/* Of a ball whose surface has n points the hull has all of them as corners: 2 n − 4 faces. */
static void balls(void **state) {
  (void)state;
  static double points[MOST][3];
  trm_robot robot = {.arena = trm_arena_create()};
  for (int n = 10; n <= 500; n += 70) {
    for (int i = 0; i < 2 * n; i++) {
      double size = 0;
      for (int k = 0; k < 3; k++) points[i][k] = uniform(), size += points[i][k] * points[i][k];
      double radius = i < n ? 1 : 0.5 * fabs(uniform()); /* the others lie within */
      for (int k = 0; k < 3; k++) points[i][k] *= radius / sqrt(size);
    }
    trm_robot_mesh mesh = hull_of(&robot, n, points);
    assert_int_equal(mesh.count, 2 * n - 4);
    double alone = check(n, points);
    if (n > 100) assert_near(check(2 * n, points), alone, 1e-12);
    assert_true(alone < 4.18879 && alone > 0.2);
  }
  trm_arena_destroy(robot.arena);
}

/* Each point many times, and in single precision: faces that are flat but for the last digits. */
static void rounded(void **state) {
  (void)state;
  static double points[MOST][3];
  const double c = cos(0.3), s = sin(0.3);
  int count = 0;
  for (int i = 0; i < 10 * 10 * 10; i++, count++) {
    double x = i % 10 / 9.0, y = i / 10 % 10 / 9.0, z = i / 100 / 9.0;
    points[count][0] = (double)(float)(c * x - s * y);
    points[count][1] = (double)(float)(s * x + c * y);
    points[count][2] = (double)(float)(c * z + 0.1 * x);
  }
  for (int i = 0; i < 1000; i++, count++)
    for (int k = 0; k < 3; k++) points[count][k] = points[i][k];
  trm_robot robot = {.arena = trm_arena_create()};
  trm_robot_mesh mesh = hull_of(&robot, count, points);
  trm_robot_mass mass;
  assert_true(protrusion(&mesh, count, points) <= 1e-6);
  assert_null(trm_robot_mesh_mass(&robot, &mesh, TRM_MESH_EXACT, &mass));
  assert_near(mass.mass, c, 1e-6);
  trm_arena_destroy(robot.arena);
}

static void refused(void **state) {
  (void)state;
  static double points[][3] = {{1, 1, 1}, {1, 1, 1}, {2, 3, 4}, {3, 5, 7}, {0, 1, 0}};
  trm_robot robot = {.arena = trm_arena_create()};
  trm_robot_mesh mesh = {0};
  for (int count = 0; count <= 5; count++) /* none, one, a line, a plane */
    assert_non_null(trm_robot_mesh_hull(&robot, count, points[0], &mesh));
  assert_int_equal(mesh.count, 0);
  trm_arena_destroy(robot.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(grids), cmocka_unit_test(balls),
                                     cmocka_unit_test(rounded), cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
