/* Random numbers by counting: the one of (seed, run, column) hangs on nothing that was drawn
 * before, so that no order of threads, ranks and restarts changes it. */
#ifndef TRM_SWEEP_RANDOM_H
#define TRM_SWEEP_RANDOM_H

#include <stdint.h>

/* Philox 4×32 with ten rounds (Salmon and others, Parallel random numbers: as easy as 1, 2, 3,
 * 2011). */
void trm_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* 64 bits of (seed, run, column). */
uint64_t trm_random_bits(uint64_t seed, uint64_t run, uint32_t column);

/* From bits to a number inside (0, 1), never one of its ends. */
static inline double trm_random_unit(uint64_t bits) {
  return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

/* Where a permutation of 0 … count − 1, another one for each column, puts i. */
uint64_t trm_random_place(uint64_t seed, uint32_t column, uint64_t i, uint64_t count);

#endif
