/* cmocka with its prerequisites, and closeness of doubles. */
#ifndef TRM_TESTS_CHECK_H
#define TRM_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "extremes.h"

/* A NaN fails every test: larger and smaller keep it. */
#pragma GCC poison fmax fmin

#define assert_near(found, expected, tolerance)                                                    \
  trm_check_near((found), (expected), (tolerance), #found, __FILE__, __LINE__)

static inline void trm_check_near(double found, double expected, double tolerance, const char *what,
                                  const char *file, int line) {
  if (fabs(found - expected) <= tolerance) return;
  print_error("%s: %.17g, expected %.17g within %g (off by %g)\n", what, found, expected, tolerance,
              fabs(found - expected));
  _fail(file, line);
}

#endif
