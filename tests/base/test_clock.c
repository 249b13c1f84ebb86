/* The clocks run, and processor time is not wall time. */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

static void sleeping_takes_wall_time_only(void **state) {
  (void)state;
  double wall = trm_wall_seconds(), cpu = trm_cpu_seconds();
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  wall = trm_wall_seconds() - wall;
  cpu = trm_cpu_seconds() - cpu;
  assert_true(wall >= 0.0499);
  assert_true(cpu >= 0 && cpu < 0.04);
}

static void computing_takes_processor_time(void **state) {
  (void)state;
  double start = trm_cpu_seconds();
  volatile double sum = 0;
  for (int i = 0; i < 2000000; i++) sum = sum + 1.0;
  assert_true(trm_cpu_seconds() - start > 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sleeping_takes_wall_time_only),
      cmocka_unit_test(computing_takes_processor_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
