/* Sobol's sequence in base two. */
#ifndef TRM_SWEEP_SOBOL_H
#define TRM_SWEEP_SOBOL_H

#include <stdint.h>

enum { TRM_SOBOL_BITS = 32, TRM_SOBOL_DIMENSIONS = 128 };

/* Of a dimension from 0 on; the first is van der Corput's. */
void trm_sobol_directions(int dimension, uint32_t directions[TRM_SOBOL_BITS]);

/* Point `index` in units of 2⁻³². */
uint32_t trm_sobol_point(const uint32_t directions[TRM_SOBOL_BITS], uint32_t index);

/* Owen's scrambling: each bit is turned or not by a number of the bits above it. Any block of 2^k
 * points stays as evenly spread as it was; what is left to chance is where in its cell each point
 * lies. */
uint32_t trm_sobol_scramble(uint32_t point, uint64_t key);

/* The middle of its cell, inside (0, 1). */
static inline double trm_sobol_unit(uint32_t point) {
  return ((double)point + 0.5) * 0x1p-32;
}

#endif
