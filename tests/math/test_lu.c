/* LU factors: entries at one place added up, scales, new pivots, singular told. */
#include "../check.h"
#include "math/lu.h"

#define SIZE 7

/* Rows and columns of an arrow, the last diagonal entry in two parts. */
static trm_lu *arrow(trm_arena *arena) {
  trm_lu *lu = trm_lu_create(arena, SIZE, 3 * SIZE, 1);
  assert_non_null(lu);
  for (int i = 0; i < SIZE - 1; i++) {
    lu->value[trm_lu_add(lu, SIZE - 1, i)] = i + 1;
    lu->value[trm_lu_add(lu, i, SIZE - 1)] = 2;
  }
  for (int i = 0; i < SIZE; i++) lu->value[trm_lu_add(lu, i, i)] = i == 0 ? 0 : 3;
  lu->value[trm_lu_add(lu, SIZE - 1, SIZE - 1)] = 4;
  assert_true(trm_lu_prepare(lu));
  return lu;
}

static void product(const trm_lu *lu, const double *x, double *b) {
  for (int i = 0; i < SIZE; i++) b[i] = 0;
  for (int e = 0; e < lu->entries; e++) b[lu->row[e]] += lu->value[e] * x[lu->column[e]];
}

static void solves(void **state) {
  (void)state;
  trm_arena *arena = trm_arena_create();
  trm_lu *lu = arrow(arena);
  for (int round = 0; round < 3; round++) {
    double x[SIZE], b[SIZE];
    for (int i = 0; i < SIZE; i++) x[i] = 1 - i + 0.5 * round;
    lu->value[2] = 1 + 100 * round; /* other values, other pivots */
    product(lu, x, b);
    if (round > 0) trm_lu_equilibrate(lu);
    assert_true(trm_lu_factor(lu));
    trm_lu_solve(lu, b);
    for (int i = 0; i < SIZE; i++) assert_near(b[i], x[i], 1e-12);
  }
  trm_arena_destroy(arena);
}

static void a_singular_matrix_is_told(void **state) {
  (void)state;
  trm_arena *arena = trm_arena_create();
  trm_lu *lu = arrow(arena);
  assert_true(trm_lu_factor(lu));
  for (int e = 0; e < lu->entries; e++)
    if (lu->row[e] == 3) lu->value[e] = 0;
  assert_false(trm_lu_factor(lu));
  trm_arena_destroy(arena);
}

/* What is left of the second row of a singular matrix is round-off, a pivot all the same. In the
 * next matrix it is no good, whatever the order of rows and columns. */
static void pivots_of_a_singular_matrix_are_not_kept(void **state) {
  (void)state;
  static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  static const double first[3][3] = {{0.1, 0.3, 0}, {0.7, 2.1, 0}, {0, 0, 1}};
  static const double next[3][3] = {{0.1, 0.3, 0}, {0.7, 2.1, 1}, {0, 1, 0}};
  for (int k = 0; k < 36; k++) {
    const int *r = orders[k / 6], *c = orders[k % 6];
    trm_arena *arena = trm_arena_create();
    trm_lu *lu = trm_lu_create(arena, 3, 9, 1);
    double x[3] = {1, -2, 3}, b[3] = {0};
    assert_non_null(lu);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) lu->value[trm_lu_add(lu, r[i], c[j])] = first[i][j];
    assert_true(trm_lu_prepare(lu));
    if (!trm_lu_factor(lu)) fail_msg("singular to the last digit");
    for (int i = 0, e = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) lu->value[e++] = next[i][j];
    for (int e = 0; e < 9; e++) b[lu->row[e]] += lu->value[e] * x[lu->column[e]];
    assert_true(trm_lu_factor(lu));
    trm_lu_solve(lu, b);
    for (int i = 0; i < 3; i++) assert_near(b[i], x[i], 1e-12);
    trm_arena_destroy(arena);
  }
}

/* A hub's row and column, and others at random places. */
static void a_hub_is_solved(void **state) {
  (void)state;
  enum { COUNT = 600, EACH = 3 };
  trm_arena *arena = trm_arena_create();
  trm_lu *lu = trm_lu_create(arena, COUNT, (EACH + 3) * COUNT, 1);
  double x[COUNT], b[COUNT] = {0};
  unsigned random = 1;
  assert_non_null(lu);
  for (int i = 0; i < COUNT; i++) {
    lu->value[trm_lu_add(lu, (7 * i + 3) % COUNT, i)] = 20; /* largest, and off the diagonal */
    lu->value[trm_lu_add(lu, COUNT - 1, i)] = 1 + i % 3;
    lu->value[trm_lu_add(lu, i, COUNT - 1)] = 2;
    for (int k = 0; k < EACH; k++) {
      random = random * 1664525u + 1013904223u;
      lu->value[trm_lu_add(lu, (int)(random >> 8) % COUNT, i)] = 1 + 0.5 * k;
    }
    x[i] = 1 - 0.01 * i;
  }
  for (int e = 0; e < lu->entries; e++) b[lu->row[e]] += lu->value[e] * x[lu->column[e]];
  assert_true(trm_lu_prepare(lu));
  assert_true(trm_lu_factor(lu));
  trm_lu_solve(lu, b);
  for (int i = 0; i < COUNT; i++) assert_near(b[i], x[i], 1e-8);
  trm_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solves),
      cmocka_unit_test(a_singular_matrix_is_told),
      cmocka_unit_test(pivots_of_a_singular_matrix_are_not_kept),
      cmocka_unit_test(a_hub_is_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
