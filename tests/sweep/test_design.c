/* Designs: known numbers, strata, moments and correlations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sweep/design.h"
#include "sweep/random.h"

/* The known answers of Random123, the reference by the authors of Philox. */
static void test_philox(void **state) {
  (void)state;
  static const uint32_t counter[3][4] = {{0, 0, 0, 0},
                                         {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                                         {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
  static const uint32_t key[3][2] = {{0, 0}, {0xffffffff, 0xffffffff}, {0xa4093822, 0x299f31d0}};
  static const uint32_t expected[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                          {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                          {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
  for (int k = 0; k < 3; k++) {
    uint32_t out[4];
    trm_philox(counter[k], key[k], out);
    assert_memory_equal(out, expected[k], sizeof out);
  }
}

static void test_permutation(void **state) {
  (void)state;
  static const uint64_t counts[] = {1, 2, 3, 17, 1000};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    bool taken[1000] = {false};
    int fixed = 0;
    for (uint64_t i = 0; i < counts[c]; i++) {
      uint64_t place = trm_random_place(5, 2, i, counts[c]);
      assert_true(place < counts[c] && !taken[place]);
      taken[place] = true;
      fixed += place == i;
    }
    assert_true(counts[c] < 100 || fixed < 10); /* one is expected */
  }
}

/* The first points as every book prints them, in the order of the Gray code. */
static void test_sobol_points(void **state) {
  (void)state;
  static const double expected[8][3] = {{0, 0, 0},
                                        {0.5, 0.5, 0.5},
                                        {0.75, 0.25, 0.25},
                                        {0.25, 0.75, 0.75},
                                        {0.375, 0.375, 0.625},
                                        {0.875, 0.875, 0.125},
                                        {0.625, 0.125, 0.875},
                                        {0.125, 0.625, 0.375}};
  for (int k = 0; k < 3; k++) {
    uint32_t v[TRM_SOBOL_BITS];
    trm_sobol_directions(k, v);
    for (uint32_t i = 0; i < 8; i++)
      assert_true(trm_sobol_point(v, i ^ i >> 1) * 0x1p-32 == expected[i][k]);
  }
}

/* Every block of 2^m points has one in each of 2^m cells, scrambled or not; and the first two
 * columns one in each cell of every shape. */
static void test_sobol_strata(void **state) {
  (void)state;
  enum { M = 10, N = 1 << M };
  for (int k = 0; k < TRM_SOBOL_DIMENSIONS; k++) {
    uint32_t v[TRM_SOBOL_BITS];
    bool plain[N] = {false}, scrambled[N] = {false};
    trm_sobol_directions(k, v);
    for (uint32_t i = 0; i < N; i++) {
      uint32_t x = trm_sobol_point(v, 3 * N + i);
      plain[x >> (32 - M)] = true;
      scrambled[trm_sobol_scramble(x, 77 + (uint64_t)k) >> (32 - M)] = true;
    }
    for (int i = 0; i < N; i++) assert_true(plain[i] && scrambled[i]);
  }
  uint32_t a[TRM_SOBOL_BITS], b[TRM_SOBOL_BITS];
  trm_sobol_directions(0, a);
  trm_sobol_directions(1, b);
  for (int wide = 1; wide < M; wide++) {
    bool taken[N] = {false};
    for (uint32_t i = 0; i < N; i++) {
      uint32_t x = trm_sobol_scramble(trm_sobol_point(a, i), 1) >> (32 - wide);
      uint32_t y = trm_sobol_scramble(trm_sobol_point(b, i), 2) >> (32 - (M - wide));
      taken[x << (M - wide) | y] = true;
    }
    for (int i = 0; i < N; i++) assert_true(taken[i]);
  }
}

/* To as many digits as tables have them. */
static void test_normal(void **state) {
  (void)state;
  static const double known[][2] = {{0.5, 0},
                                    {0.975, 1.9599639845400542},
                                    {0.995, 2.5758293035489008},
                                    {0.0013498980316300946, -3},
                                    {1e-10, -6.361340902404056},
                                    {1e-300, -37.0471}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    double off = fabs(trm_normal_quantile(known[k][0]) - known[k][1]);
    assert_true(off <= (k == 5 ? 1e-4 : 4e-15 * fmax(1, fabs(known[k][1]))));
  }
  for (double x = -8; x <= 5; x += 0.37)
    assert_true(fabs(trm_normal_quantile(trm_normal_probability(x)) - x) <= 1e-10);
}

/* --- distributions --- */

static trm_symbol know(void *context, const char *name, size_t length) {
  (void)context;
  if (length == 1 && *name == 'L') return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = 4};
  return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
}

static bool parse(trm_variation *v, const char *text, trm_arena *arena, trm_diagnostics *d) {
  return trm_variation_parse(v, text, know, NULL, arena, d);
}

static void test_refusals(void **state) {
  (void)state;
  static const char *const wrong[] = {"m",
                                      "=1:2:3",
                                      "m=1:2",
                                      "m=1:2:0",
                                      "m=1:2:2.5",
                                      "m=gauss(1,2)",
                                      "m=normal(1)",
                                      "m=normal(1,0)",
                                      "m=uniform(2,1)",
                                      "m=triangular(0,2,1)",
                                      "m=discrete()",
                                      "m=normal(1,2",
                                      "m=normal(K,1)",
                                      "m=5",
                                      "m=uniform(1,1/0)",
                                      "m=1:x:3",
                                      "m=lognormal(0,-1)"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    trm_arena *arena = trm_arena_create();
    trm_diagnostics *d = trm_diagnostics_create();
    trm_variation v;
    assert_false(parse(&v, wrong[k], arena, d));
    assert_int_equal(trm_diagnostics_errors(d), 1);
    trm_diagnostics_destroy(d);
    trm_arena_destroy(arena);
  }
}

static void test_numbers(void **state) {
  (void)state;
  trm_arena *arena = trm_arena_create();
  trm_variation v;
  assert_true(parse(&v, "m=normal(2*L, max(0.1, L/100))", arena, NULL));
  assert_true(v.kind == TRM_VARY_NORMAL && v.numbers[0] == 8 && v.numbers[1] == 0.1);
  assert_true(parse(&v, "m=deg(-90):deg(90):3", arena, NULL));
  assert_true(trm_variation_level(&v, 0) == -trm_variation_level(&v, 2));
  assert_true(trm_variation_level(&v, 1) == 0);
  trm_arena_destroy(arena);
}

/* Mean and standard deviation by the formulas of each distribution. */
typedef struct expected {
  const char *text;
  double mean, sd;
} expected;

static const expected known[] = {{"a=uniform(-1, 3)", 1, 1.1547005383792515},
                                 {"b=normal(3, 0.1)", 3, 0.1},
                                 {"c=lognormal(0.2, 0.5)", 1.3840306459807514, 0.7375935467285942},
                                 {"d=triangular(0, 1, 5)", 2, 1.0801234497346435},
                                 {"e=discrete(1, 2, 6)", 3, 2.160246899469287},
                                 {"f=0:4:5", 2, 1.4142135623730951}};
enum { COLUMNS = sizeof known / sizeof *known };

static void make(trm_design *d, trm_design_kind kind, uint64_t samples, trm_arena *arena) {
  *d = (trm_design){.kind = kind, .columns = COLUMNS, .samples = samples, .seed = 11};
  d->variations = TRM_NEW(arena, trm_variation, COLUMNS);
  for (int k = 0; k < COLUMNS; k++)
    assert_true(parse(&d->variations[k], known[k].text, arena, NULL));
  assert_true(trm_design_prepare(d, arena, NULL));
}

static void moments(const trm_design *d, int k, double *mean, double *sd) {
  double sum = 0, squares = 0, values[COLUMNS];
  for (uint64_t i = 0; i < d->runs; i++) {
    trm_design_run(d, i, values);
    double x = values[k] - known[k].mean;
    sum += x;
    squares += x * x;
  }
  *mean = sum / (double)d->runs;
  *sd = sqrt(squares / (double)d->runs - *mean * *mean);
}

/* Random: five standard errors. Strata: the mean is far better than that. */
static void test_moments(void **state) {
  (void)state;
  static const trm_design_kind kinds[] = {TRM_DESIGN_RANDOM, TRM_DESIGN_LHS, TRM_DESIGN_SOBOL,
                                          TRM_DESIGN_SALTELLI};
  for (int i = 0; i < 4; i++) {
    trm_arena *arena = trm_arena_create();
    trm_design d;
    make(&d, kinds[i], 1 << 12, arena);
    assert_true(d.runs == (i < 3 ? 1 << 12 : (COLUMNS + 2) << 12));
    for (int k = 0; k < COLUMNS; k++) {
      double mean, sd, error = known[k].sd / sqrt(1 << 12);
      moments(&d, k, &mean, &sd);
      assert_true(fabs(mean) <= (i == 0 ? 5 * error : error / 2));
      assert_true(fabs(sd / known[k].sd - 1) <= 0.12);
    }
    trm_arena_destroy(arena);
  }
}

static void test_lhs_strata(void **state) {
  (void)state;
  enum { N = 500 };
  trm_arena *arena = trm_arena_create();
  trm_design d;
  make(&d, TRM_DESIGN_LHS, N, arena);
  bool taken[N] = {false};
  for (uint64_t i = 0; i < N; i++) {
    double values[COLUMNS];
    trm_design_run(&d, i, values);
    taken[(int)floor((values[0] + 1) / 4 * N)] = true;
  }
  for (int i = 0; i < N; i++) assert_true(taken[i]);
  trm_arena_destroy(arena);
}

static void test_grid(void **state) {
  (void)state;
  trm_arena *arena = trm_arena_create();
  trm_variation v[2];
  assert_true(parse(&v[0], "a=1:2:3", arena, NULL) &&
              parse(&v[1], "b=discrete(5, 7)", arena, NULL));
  trm_design d = {.kind = TRM_DESIGN_GRID, .columns = 2, .variations = v};
  assert_true(trm_design_prepare(&d, arena, NULL) && d.runs == 6);
  static const double rows[6][2] = {{1, 5}, {1, 7}, {1.5, 5}, {1.5, 7}, {2, 5}, {2, 7}};
  for (uint64_t i = 0; i < 6; i++) {
    double values[2];
    trm_design_run(&d, i, values);
    assert_true(values[0] == rows[i][0] && values[1] == rows[i][1]);
  }
  assert_true(parse(&v[1], "b=normal(5, 7)", arena, NULL));
  assert_false(trm_design_prepare(&d, arena, NULL));
  trm_arena_destroy(arena);
}

/* A block of Saltelli: A, B, and A with one column of B. */
static void test_saltelli(void **state) {
  (void)state;
  trm_arena *arena = trm_arena_create();
  trm_design d;
  make(&d, TRM_DESIGN_SALTELLI, 16, arena);
  double rows[COLUMNS + 2][COLUMNS];
  for (uint64_t i = 0; i < COLUMNS + 2; i++) trm_design_run(&d, 5 * (COLUMNS + 2) + i, rows[i]);
  for (int i = 0; i < COLUMNS; i++)
    for (int k = 0; k < COLUMNS; k++) assert_true(rows[i + 2][k] == rows[i == k][k]);
  assert_true(rows[0][0] != rows[1][0]);
  trm_arena_destroy(arena);
}

static void write(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

/* Two normal parameters have just that correlation, the other columns none. */
static void test_correlation(void **state) {
  (void)state;
  enum { N = 20000 };
  trm_arena *arena = trm_arena_create();
  trm_design d;
  trm_variation v[3];
  assert_true(parse(&v[0], "a=normal(1, 2)", arena, NULL) &&
              parse(&v[1], "b=normal(0, 1)", arena, NULL) &&
              parse(&v[2], "c=uniform(0, 1)", arena, NULL));
  d = (trm_design){.kind = TRM_DESIGN_RANDOM, .columns = 3, .variations = v, .samples = N};
  assert_true(trm_design_prepare(&d, arena, NULL));
  const char *path = "build/scratch_correlation.csv";
  write(path, "b,a\n1,-0.6\n-0.6,1\n");
  trm_results *matrix = trm_results_read_csv(path, NULL);
  assert_true(trm_design_correlate(&d, matrix, arena, NULL));
  trm_results_destroy(matrix);
  double ab = 0, ac = 0, values[3];
  for (uint64_t i = 0; i < N; i++) {
    trm_design_run(&d, i, values);
    ab += (values[0] - 1) / 2 * values[1] / N;
    ac += (values[0] - 1) / 2 * (values[2] - 0.5) * sqrt(12) / N;
  }
  assert_true(fabs(ab + 0.6) <= 5 / sqrt(N) && fabs(ac) <= 5 / sqrt(N));
  static const char *const wrong[] = {
      "a,b\n1,0.5\n0.4,1\n", "a,b\n1,0.5\n",    "a,z\n1,0\n0,1\n",
      "a,b\n1,1\n1,1\n",     "a,b\n2,0\n0,1\n", "a,b,c\n1,0.9,0\n0.9,1,0.9\n0,0.9,1\n"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    write(path, wrong[k]);
    matrix = trm_results_read_csv(path, NULL);
    assert_non_null(matrix);
    assert_false(trm_design_correlate(&d, matrix, arena, NULL));
    trm_results_destroy(matrix);
  }
  remove(path);
  trm_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_philox),       cmocka_unit_test(test_permutation),
      cmocka_unit_test(test_sobol_points), cmocka_unit_test(test_sobol_strata),
      cmocka_unit_test(test_normal),       cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_numbers),      cmocka_unit_test(test_moments),
      cmocka_unit_test(test_lhs_strata),   cmocka_unit_test(test_grid),
      cmocka_unit_test(test_saltelli),     cmocka_unit_test(test_correlation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
