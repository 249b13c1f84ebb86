/* Derivatives of a smooth vector function by central differences, extrapolated to a step of zero:
 * to about 1e-12 of its size. Exact, to round-off, where the function is quadratic. */
#ifndef TRM_MATH_DIFFERENCE_H
#define TRM_MATH_DIFFERENCE_H

#include <stdbool.h>

/* out [count] at the step h; false where it cannot be evaluated there. */
typedef bool (*trm_function)(void *context, double h, double *out);

/* slope [count] = df/dh at zero, from steps of `step` and less; room: [TRM_DIFFERENCE_ROOM ×
 * count]. False: it cannot be evaluated anywhere near. */
enum { TRM_DIFFERENCE_LEVELS = 6, TRM_DIFFERENCE_ROOM = 2 * TRM_DIFFERENCE_LEVELS + 2 };
bool trm_difference(trm_function function, void *context, double step, int count, double *room,
                    double *slope);

#endif
