/* Matrices are small: OpenBLAS's threads would only wait for each other, spinning, which has made
 * runs 2 to 8 times slower. They are the host program's, too: it gets them back. */
#include "math/serial.h"

#include "math/lapack.h"

#include <pthread.h>
#include <stdbool.h>

#ifdef __ELF__ /* other libraries lack them */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int count) __attribute__((weak));
extern int openblas_get_parallel(void) __attribute__((weak)); /* 0: it knows of no threads */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users, before;

void trm_serial_begin(void) {
  if (!openblas_get_num_threads || !openblas_set_num_threads) return;
  pthread_mutex_lock(&lock);
  if (users++ == 0) {
    before = openblas_get_num_threads();
    if (before > 1) openblas_set_num_threads(1);
  }
  pthread_mutex_unlock(&lock);
}

void trm_serial_end(void) {
  if (!openblas_get_num_threads || !openblas_set_num_threads) return;
  pthread_mutex_lock(&lock);
  if (--users == 0 && before > 1) openblas_set_num_threads(before);
  pthread_mutex_unlock(&lock);
}

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static bool is_single_threaded(void) {
  return openblas_get_parallel && openblas_get_parallel() == 0;
}

void trm_lapack_begin(void) {
  if (is_single_threaded()) pthread_mutex_lock(&one_at_a_time);
}

void trm_lapack_end(void) {
  if (is_single_threaded()) pthread_mutex_unlock(&one_at_a_time);
}
#else
void trm_lapack_begin(void) {}

void trm_lapack_end(void) {}

void trm_serial_begin(void) {}

void trm_serial_end(void) {}
#endif
