/* Quaternions of axes, also of such as are not quite at right angles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../extremes.h"
#include "math/rotation.h"

static uint64_t random = 7;

static double uniform(void) {
  random = random * 6364136223846793005u + 1442695040888963407u;
  return (double)(random >> 11) / 4503599627370496.0 - 1;
}

/* A unit quaternion with w ≥ 0, often with two parts of nearly the same size. */
static void draw(double p[4]) {
  double square = 0;
  for (int i = 0; i < 4; i++) {
    p[i] = uniform();
    if (i > 0 && uniform() > 0) p[i] = p[i - 1] * (1 + 1e-3 * uniform());
    square += p[i] * p[i];
  }
  double size = p[0] < 0 ? -sqrt(square) : sqrt(square);
  for (int i = 0; i < 4; i++) p[i] /= size;
}

/* Columns of the rotation matrix, as axes. */
static void axes_of(const double p[4], double a[3][3]) {
  double w = p[0], x = p[1], y = p[2], z = p[3];
  const double R[3][3] = {
      {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
  };
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) a[k][i] = R[i][k];
}

/* Axes R S e_k with a symmetric S next to one: R is the nearest rotation, whatever S is. */
static void stretch(double by, double a[3][3]) {
  double S[3][3], b[3][3] = {{0}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k <= i; k++) S[i][k] = S[k][i] = (i == k) + by * uniform();
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) b[k][i] += S[j][k] * a[j][i];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) a[k][i] = b[k][i];
}

static void nearest_rotation(void **state) {
  (void)state;
  static const double stretches[] = {0, 1e-8, 1e-4, 1e-2, 0.1};
  for (int s = 0; s < 5; s++) {
    double off = 0;
    for (int k = 0; k < 2000; k++) {
      double p[4], found[4], a[3][3];
      draw(p);
      if (p[0] < 1e-3) continue; /* both signs are the same rotation */
      axes_of(p, a);
      stretch(stretches[s], a);
      trm_quaternion_of(a, found);
      for (int i = 0; i < 4; i++) off = larger(off, fabs(found[i] - p[i]));
    }
    print_message("stretched by %g: %.1e\n", stretches[s], off);
    assert_true(off <= 2e-15);
  }
}

/* Turned by da = v × a, dp is half v times p; against differences. */
static void slope(void **state) {
  (void)state;
  double off = 0;
  for (int k = 0; k < 1000; k++) {
    double p[4], a[3][3], da[3][3], dp[4], ends[2][4];
    const double v[3] = {uniform(), uniform(), uniform()}, h = 1e-5;
    draw(p);
    if (p[0] < 1e-3) continue;
    axes_of(p, a);
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++)
        da[j][i] = v[(i + 1) % 3] * a[j][(i + 2) % 3] - v[(i + 2) % 3] * a[j][(i + 1) % 3];
    trm_quaternion_slope(a, da, dp);
    for (int side = 0; side < 2; side++) {
      double b[3][3];
      for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) b[j][i] = a[j][i] + (side ? h : -h) * da[j][i];
      trm_quaternion_of(b, ends[side]);
    }
    for (int i = 0; i < 4; i++)
      off = larger(off, fabs((ends[1][i] - ends[0][i]) / (2 * h) - dp[i]));
  }
  assert_true(off <= 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nearest_rotation), cmocka_unit_test(slope)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
