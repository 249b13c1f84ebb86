/* How far a turning vector goes round: against the sum of very many short ways. */
#include "../check.h"
#include "../sample.h"
#include "math/arc.h"
#include "math/vector.h"

static void turn(const double u[3], const double n[3], double s, double to[3]) {
  double across[3], along = trm_dot(3, n, u);
  trm_cross(n, u, across);
  for (int k = 0; k < 3; k++)
    to[k] = cos(s) * u[k] + sin(s) * across[k] + (1 - cos(s)) * along * n[k];
}

/* The pole is passed at a distance of many steps, so each of them goes the short way. */
static double summed(const double u[3], const double phi[3], int x, int y, double *nearest) {
  enum { STEPS = 50000 };
  double s = trm_norm(3, phi), n[3], at[3], sum = 0, last = atan2(u[y], u[x]);
  for (int k = 0; k < 3; k++) n[k] = phi[k] / s;
  *nearest = 1;
  for (int i = 1; i <= STEPS; i++) {
    turn(u, n, s * i / STEPS, at);
    double angle = atan2(at[y], at[x]);
    sum += remainder(angle - last, 6.283185307179586);
    last = angle;
    if (!(hypot(at[x], at[y]) >= *nearest)) *nearest = hypot(at[x], at[y]);
  }
  return sum;
}

static void check_arc(const double u[3], const double phi[3], int x, int y) {
  double nearest, expected = summed(u, phi, x, y, &nearest);
  if (nearest < 3e-3) return;
  assert_near(trm_arc_angle(u, phi, x, y), expected, 1e-9 * (1 + fabs(expected)));
}

static void arcs_of_any_length(void **unused) {
  unsigned state = 3;
  (void)unused;
  for (int i = 0; i < 60; i++) {
    double u[3], phi[3], length = pow(10, 1.5 * sample_random(&state));
    for (int k = 0; k < 3; k++) u[k] = sample_random(&state), phi[k] = sample_random(&state);
    double size = trm_norm(3, u), angle = trm_norm(3, phi);
    for (int k = 0; k < 3; k++) u[k] /= size, phi[k] *= length / angle;
    check_arc(u, phi, 0, 1);
    check_arc(u, phi, 2, 1);
  }
}

/* Exactly half a turn, whole turns, and close by the pole on either side of it. */
static void arcs_with_a_catch(void **unused) {
  (void)unused;
  const double pi = 3.14159265358979323846, x[3] = {1, 0, 0};
  for (int k = -7; k <= 7; k++)
    if (k != 0) assert_near(trm_arc_angle(x, (double[3]){0, 0, k * pi}, 0, 1), k * pi, 1e-12);
  assert_near(trm_arc_angle(x, (double[3]){0, 0, 0}, 0, 1), 0, 0);
  for (int side = -1; side <= 1; side += 2) {
    const double u[3] = {0.6, side * 0.01, 0.8}, phi[3] = {0, -1.8, 0};
    check_arc(u, phi, 0, 1);
    assert_near(trm_arc_angle(u, phi, 0, 1), side * pi, 0.1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(arcs_of_any_length),
                                     cmocka_unit_test(arcs_with_a_catch)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
