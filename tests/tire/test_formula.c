/* The Magic Formula against points computed independently (twice, in 40 digits), and its
 * derivatives. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../extremes.h"
#include "points.h"
#include "tire/tire.h"

static const char *const files[][2] = {
    {"models/vehicle/sedan.tir", "tests/tire/points_TS.csv"},
    {"models/vehicle/sedan_symmetric.tir", "tests/tire/points_SYM.csv"},
    {"models/vehicle/van.tir", "tests/tire/points_VAN.csv"}};
enum { FILES = 3, COLUMNS = 11 };

static trm_tire *load(const char *path) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_tire *tire = trm_tire_load(path, diagnostics, NULL);
  assert_int_equal(trm_diagnostics_count(diagnostics), 0); /* shipped files say everything */
  assert_non_null(tire);
  trm_diagnostics_destroy(diagnostics);
  return tire;
}

static double off(double value, double expected) {
  return fabs(value - expected) / fmax(fabs(expected), 1e-4);
}

/* 120 points: combined, and pure in use mode 3 */
static void points_are_met(void **state) {
  (void)state;
  double worst = 0;
  int points = 0;
  for (int k = 0; k < FILES; k++) {
    trm_tire *tire = load(files[k][0]);
    FILE *table = open_table(files[k][1]);
    assert_non_null(table);
    for (double p[COLUMNS]; read_row(table, p, COLUMNS); points++) {
      trm_tire_slip slip = {p[0], p[1], p[2], p[3], 16.6};
      trm_tire_forces f, pure;
      assert_int_equal(trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &f, NULL), 0);
      tire->mode = 3;
      trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &pure, NULL);
      tire->mode = 4;
      const double got[] = {pure.fx, pure.fy, pure.mz, f.fx, f.fy, f.mz, f.my};
      for (int i = 0; i < 7; i++) worst = larger(worst, off(got[i], p[4 + i]));
    }
    fclose(table);
    trm_tire_destroy(tire);
  }
  assert_int_equal(points, 120);
  assert_true(worst <= 1e-11);
}

/* one of five inputs, moved by h */
static trm_tire_slip moved(const trm_tire_slip *slip, int input, double h) {
  trm_tire_slip s = *slip;
  double *at[] = {&s.load, &s.kappa, &s.alpha, &s.gamma, &s.speed};
  *at[input] += h;
  return s;
}

static void values(const trm_tire *tire, trm_tire_side side, const trm_tire_slip *slip, double mu,
                   double f[5]) {
  trm_tire_forces forces;
  trm_tire_evaluate(tire, side, slip, mu, &forces, NULL);
  const double all[5] = {forces.fx, forces.fy, forces.mx, forces.my, forces.mz};
  memcpy(f, all, sizeof all);
}

/* d(force i)/d(input j) by central differences of order six. */
static double difference(const trm_tire *tire, trm_tire_side side, const trm_tire_slip *slip,
                         double mu, int i, int j, double h) {
  static const double weight[3] = {45, -9, 1};
  double sum = 0, up[5], down[5];
  for (int k = 0; k < 3; k++) {
    trm_tire_slip above = moved(slip, j, (k + 1) * h), below = moved(slip, j, -(k + 1) * h);
    values(tire, side, &above, mu, up);
    values(tire, side, &below, mu, down);
    sum += weight[k] * (up[i] - down[i]);
  }
  return sum / (60 * h);
}

/* Relative to the size of a force's change. The smaller step counts beside a sign's change, where
 * the larger one would reach across. */
static double slope_error(const trm_tire *tire, trm_tire_side side, const trm_tire_slip *slip,
                          double mu) {
  static const double steps[5] = {2, 1e-4, 1e-4, 1e-4, 1e-3}, size[5] = {1, 1e4, 1e4, 1e4, 10};
  double slopes[5][5], worst = 0;
  trm_tire_forces f;
  trm_tire_evaluate(tire, side, slip, mu, &f, slopes);
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) {
      double wide = fabs(slopes[i][j] - difference(tire, side, slip, mu, i, j, steps[j]));
      double near = fabs(slopes[i][j] - difference(tire, side, slip, mu, i, j, steps[j] / 30));
      worst = larger(worst, smaller(wide, near) / size[j]);
    }
  return worst;
}

static void slopes_are_derivatives(void **state) {
  (void)state;
  double worst = 0;
  for (int k = 0; k < FILES; k++) {
    trm_tire *tire = load(files[k][0]);
    tire->QSX1 = 0.02, tire->QSX2 = 0.1, tire->QSX3 = -0.05; /* nothing without a slope */
    tire->QSY2 = 0.01, tire->QSY3 = 0.002, tire->QSY4 = 0.001, tire->QBZ10 = 0.1;
    FILE *table = open_table(files[k][1]);
    for (double p[COLUMNS]; read_row(table, p, COLUMNS);) {
      /* off the kinks of the formula: signs of slips */
      trm_tire_slip slip = {p[0] + 7, p[1] + 0.0071, p[2] - 0.0113, p[3] + 0.0049, 16.6};
      static const double speeds[] = {16.6, 0.4, -0.7, -12};
      for (int v = 0; v < 4; v++) {
        slip.speed = speeds[v];
        for (tire->mode = 1; tire->mode < 4; tire->mode++)
          worst = larger(worst, slope_error(tire, TRM_TIRE_LEFT, &slip, 1));
        worst = larger(worst, slope_error(tire, TRM_TIRE_LEFT, &slip, 1));
        worst = larger(worst, slope_error(tire, TRM_TIRE_RIGHT, &slip, 0.6));
      }
      /* beyond the ranges, and below the least load */
      slip.load = 20000, slip.kappa = 2;
      worst = larger(worst, slope_error(tire, TRM_TIRE_RIGHT, &slip, 1));
      slip.load = 90, slip.kappa = p[1] + 0.0071;
      worst = larger(worst, slope_error(tire, TRM_TIRE_LEFT, &slip, 1));
    }
    fclose(table);
    trm_tire_destroy(tire);
  }
  assert_true(worst <= 1e-7);
}

/* Stiffness, friction and peak of sedan_symmetric at its nominal load: closed forms. */
static void stiffness_and_peaks(void **state) {
  (void)state;
  trm_tire *tire = load("models/vehicle/sedan_symmetric.tir");
  trm_tire_slip slip = {.load = 4850, .speed = 16.6};
  trm_tire_forces f;
  double slopes[5][5];
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &f, slopes);
  assert_true(off(slopes[0][1], 108169.55) <= 1e-12);
  assert_true(off(slopes[1][2], -85018.98704696666) <= 1e-12);
  assert_true(f.fx == 0 && f.fy == 0 && f.mz == 0);
  slip.alpha = -0.18636054540328725;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &f, slopes);
  assert_true(off(f.fy, 5087.165) <= 1e-12);
  /* half the friction: half the peak at half the slip, the same stiffness */
  slip.alpha /= 2;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 0.5, &f, slopes);
  assert_true(off(f.fy, 5087.165 / 2) <= 1e-12);
  trm_tire_destroy(tire);
}

static void use_modes_leave_out(void **state) {
  (void)state;
  static const bool expected[5][5] = {
      {0, 0, 0, 0, 0}, {1, 0, 0, 1, 0}, {0, 1, 1, 0, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}};
  trm_tire *tire = load("models/vehicle/van.tir");
  tire->QSX1 = 0.1;
  trm_tire_slip slip = {3000, 0.05, 0.04, 0.03, 10};
  for (tire->mode = 0; tire->mode <= 4; tire->mode++) {
    double f[5];
    values(tire, TRM_TIRE_LEFT, &slip, 1, f);
    for (int i = 0; i < 5; i++) assert_int_equal(f[i] != 0, expected[tire->mode][i]);
  }
  trm_tire_destroy(tire);
}

/* A right wheel is the left one in a mirror; a reversing wheel leads its trail. */
static void mirror_and_reverse(void **state) {
  (void)state;
  trm_tire *tire = load("models/vehicle/van.tir");
  trm_tire_slip slip = {3000, 0.05, 0.04, 0.03, 10}, mirrored = {3000, 0.05, -0.04, -0.03, 10};
  double left[5], right[5], back[5];
  static const double sign[5] = {1, -1, -1, 1, -1};
  values(tire, TRM_TIRE_LEFT, &slip, 1, left);
  values(tire, TRM_TIRE_RIGHT, &mirrored, 1, right);
  for (int i = 0; i < 5; i++) assert_true(left[i] == sign[i] * right[i]);
  tire->SSZ1 = tire->SSZ2 = tire->SSZ3 = tire->SSZ4 = 0;
  values(tire, TRM_TIRE_LEFT, &slip, 1, left);
  slip.speed = -10;
  values(tire, TRM_TIRE_LEFT, &slip, 1, back);
  assert_true(back[0] == left[0] && back[1] == left[1]);
  assert_true(back[3] == -left[3] && back[4] == -left[4]);
  trm_tire_destroy(tire);
}

static void ranges_hold(void **state) {
  (void)state;
  trm_tire *tire = load("models/vehicle/sedan.tir");
  trm_tire_slip in = {9000, 1.5, 0.1, 0.26181, 10}, out = {12000, 3, 0.1, 0.5, 10};
  trm_tire_forces a, b;
  double slopes[5][5];
  assert_int_equal(trm_tire_evaluate(tire, TRM_TIRE_LEFT, &in, 1, &a, NULL), 0);
  assert_int_equal(trm_tire_evaluate(tire, TRM_TIRE_LEFT, &out, 1, &b, slopes),
                   TRM_TIRE_LOAD | TRM_TIRE_KAPPA | TRM_TIRE_GAMMA);
  char text[100], few[8];
  const char *named = "longitudinal slip (KPUMIN -1.5 to KPUMAX 1.5), slip angle";
  size_t length = trm_tire_name_beyond(tire, TRM_TIRE_KAPPA | TRM_TIRE_ALPHA, text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_memory_equal(text, named, strlen(named));
  assert_int_equal(trm_tire_name_beyond(tire, TRM_TIRE_KAPPA | TRM_TIRE_ALPHA, few, sizeof few),
                   length);
  assert_string_equal(few, "longitu");
  assert_true(a.fx == b.fx && a.fy == b.fy && a.mz == b.mz);
  assert_true(slopes[0][0] == 0 && slopes[0][1] == 0 && slopes[1][3] == 0 && slopes[1][2] != 0);
  /* below the least load: in proportion, nothing at all without load */
  trm_tire_slip least = {200, 0.01, 0.02, 0, 10}, less = {50, 0.01, 0.02, 0, 10};
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &least, 1, &a, NULL);
  assert_int_equal(trm_tire_evaluate(tire, TRM_TIRE_LEFT, &less, 1, &b, NULL), 0);
  assert_true(fabs(a.fy / 4 - b.fy) <= 1e-12 * fabs(a.fy));
  less.load = 0;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &less, 1, &b, slopes);
  assert_true(b.fx == 0 && b.fy == 0 && b.mz == 0 && slopes[1][2] == 0);
  trm_tire_destroy(tire);
}

/* E > 1 is 1: D sin(C atan(atan x)), written out */
static void curvature_is_limited(void **state) {
  (void)state;
  trm_tire *tire = load("models/vehicle/sedan_symmetric.tir");
  tire->PEX1 = 3, tire->PEX2 = tire->PEX3 = 0, tire->mode = 3;
  double b = 22.303 / (1.6411 * 1.1739);
  trm_tire_slip slip = {4850, 0.3, 0, 0, 16.6};
  trm_tire_forces f;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &f, NULL);
  assert_true(off(f.fx, 4850 * 1.1739 * sin(1.6411 * atan(atan(b * 0.3)))) <= 1e-12);
  trm_tire_destroy(tire);
}

/* Scale factors: shifts, camber, trail, residual and the others against formulas of their own. */
static void scale_factors_scale(void **state) {
  (void)state;
  trm_tire *tire = load("models/vehicle/van.tir");
  trm_tire_slip slip = {3800, 0, 0.03, 0, 16.6}, zero = {3800, 0, 0, 0, 16.6};
  trm_tire_forces f, g;
  tire->mode = 3;
  tire->LHX = tire->LHY = tire->LVX = tire->LVY = tire->LRES = 0;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &zero, 1, &f, NULL);
  assert_true(f.fx == 0 && f.fy == 0 && f.mz == 0);
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &f, NULL);
  tire->LTR = 2, tire->LMY = 3;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &g, NULL);
  assert_true(off(g.mz, 2 * f.mz) <= 1e-12 && off(g.my, 3 * f.my) <= 1e-12 && g.fy == f.fy);
  /* twice the friction and twice the stiffness: twice the force */
  tire->LMUY = 2, tire->LKY = 2;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &g, NULL);
  assert_true(off(g.fy, 2 * f.fy) <= 1e-12);
  /* without the scale of camber there is none */
  tire->LGAX = tire->LGAY = tire->LGAZ = 0;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &f, NULL);
  slip.gamma = 0.1;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &g, NULL);
  assert_true(f.fx == g.fx && f.fy == g.fy && f.mz == g.mz);
  trm_tire_destroy(tire);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_met),       cmocka_unit_test(slopes_are_derivatives),
      cmocka_unit_test(stiffness_and_peaks),  cmocka_unit_test(use_modes_leave_out),
      cmocka_unit_test(mirror_and_reverse),   cmocka_unit_test(ranges_hold),
      cmocka_unit_test(curvature_is_limited), cmocka_unit_test(scale_factors_scale)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
