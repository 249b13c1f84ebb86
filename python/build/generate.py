"""Writes the C source of trammel._trammel: generate.py INCLUDE_FOLDER OUT.c"""

import sys

import cffi
import declarations

# A run asks its progress once a step; Python is asked ten times a second.
SOURCE = r"""
#include <time.h>
#include <trammel/trammel.h>

typedef struct trm_py_watch {
  void *python;
  double next; /* s, when Python is asked again */
} trm_py_watch;

static bool trm_py_ask(void *python, double time, double fraction);

static double seconds(void) {
  struct timespec now;
#ifdef CLOCK_MONOTONIC_COARSE
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
  clock_gettime(CLOCK_MONOTONIC, &now);
#endif
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool trm_py_progress(void *context, double time, double fraction) {
  trm_py_watch *watch = context;
  double now = seconds();
  if (now < watch->next) return true;
  watch->next = now + 0.1;
  return trm_py_ask(watch->python, time, fraction);
}

static bool trm_py_alive(void);

/* trm_simulation_advance that Ctrl-C ends, between two steps. */
static trm_status trm_py_advance(trm_simulation *simulation, double until,
                                 trm_diagnostics *diagnostics) {
  if (!(trm_simulation_time(simulation) < until))
    return trm_simulation_advance(simulation, until, diagnostics);
  double next = 0;
  for (;;) {
    trm_status status = trm_simulation_step_to(simulation, until, diagnostics);
    if (status != TRM_OK || !(trm_simulation_time(simulation) < until) ||
        trm_simulation_stopped(simulation))
      return status;
    double now = seconds();
    if (now < next) continue;
    if (next > 0 && !trm_py_alive()) return TRM_INTERRUPTED;
    next = now + 0.1;
  }
}
"""

DECLARATIONS = """
typedef struct trm_py_watch {
  void *python;
  double next;
} trm_py_watch;
bool trm_py_progress(void *context, double time, double fraction);
trm_status trm_py_advance(trm_simulation *simulation, double until, trm_diagnostics *diagnostics);
extern "Python" bool trm_py_alive(void);
extern "Python" bool trm_py_ask(void *python, double time, double fraction);
extern "Python" double trm_py_input(void *context, double t, const double *arguments,
                                    double *gradient);
"""

include, out = sys.argv[1:]
ffi = cffi.FFI()
ffi.cdef(declarations.read(include))
ffi.cdef(DECLARATIONS)
ffi.set_source("trammel._trammel", SOURCE)
ffi.emit_c_code(out)
