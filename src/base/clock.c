/* Wall and processor time, from the POSIX clocks. */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <time.h>

static double read_clock(clockid_t clock) {
  struct timespec now = {0, 0};
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double trm_wall_seconds(void) {
  return read_clock(CLOCK_MONOTONIC);
}

double trm_cpu_seconds(void) {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
