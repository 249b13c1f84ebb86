/* Matrices factored by several threads at once come out as by one: a serial OpenBLAS by itself
 * gives wrong factors now and then. */
#include <pthread.h>
#include <string.h>

#include "../check.h"
#include "math/lapack.h"

enum { SIZE = 35, TIMES = 20000, THREADS = 4 };

static void fill(double *A, int seed) {
  for (int i = 0; i < SIZE * SIZE; i++)
    A[i] = sin(1.0 + i * (1 + 0.1 * seed)) + (i % (SIZE + 1) == 0);
}

static void factor(double *A, int seed) {
  int size = SIZE, pivot[SIZE], info;
  fill(A, seed);
  dgetrf_(&size, &size, A, &size, pivot, &info);
}

static void *work(void *data) {
  double expected[SIZE * SIZE], A[SIZE * SIZE];
  int seed = *(int *)data;
  long wrong = 0;
  factor(expected, seed);
  for (int i = 0; i < TIMES; i++) {
    factor(A, seed);
    wrong += memcmp(A, expected, sizeof A) != 0;
  }
  *(int *)data = wrong > 0;
  return NULL;
}

static void threads_do_not_meet(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  int seeds[THREADS];
  for (int i = 0; i < THREADS; i++) {
    seeds[i] = i;
    assert_int_equal(pthread_create(&threads[i], NULL, work, &seeds[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++) assert_int_equal(seeds[i], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_meet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
