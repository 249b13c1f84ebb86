/* Random numbers by counting. */
#include "sweep/random.h"

static void multiply(uint32_t a, uint32_t b, uint32_t *high, uint32_t *low) {
  uint64_t product = (uint64_t)a * b;
  *high = (uint32_t)(product >> 32);
  *low = (uint32_t)product;
}

void trm_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
  for (int round = 0; round < 10; round++) {
    uint32_t high[2], low[2];
    multiply(0xD2511F53, c[0], &high[0], &low[0]);
    multiply(0xCD9E8D57, c[2], &high[1], &low[1]);
    c[0] = high[1] ^ c[1] ^ k[0];
    c[2] = high[0] ^ c[3] ^ k[1];
    c[1] = low[1];
    c[3] = low[0];
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  for (int i = 0; i < 4; i++) out[i] = c[i];
}

/* use: draws of different purpose never share a counter */
static uint64_t draw(uint64_t seed, uint64_t run, uint32_t column, uint32_t use) {
  const uint32_t counter[4] = {(uint32_t)run, (uint32_t)(run >> 32), column, use};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t out[4];
  trm_philox(counter, key, out);
  return (uint64_t)out[0] << 32 | out[1];
}

uint64_t trm_random_bits(uint64_t seed, uint64_t run, uint32_t column) {
  return draw(seed, run, column, 0);
}

enum { ROUNDS = 8 };

/* A Feistel network permutes the smallest square of a power of two that holds count; what it takes
 * beyond count is sent through it again, and so the rest is permuted, too. */
uint64_t trm_random_place(uint64_t seed, uint32_t column, uint64_t i, uint64_t count) {
  int half = 1;
  while (half < 31 && (uint64_t)1 << 2 * half < count) half++;
  uint64_t mask = ((uint64_t)1 << half) - 1;
  do {
    uint64_t left = i >> half, right = i & mask;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
      uint64_t next = left ^ (draw(seed, right, column, round) & mask);
      left = right;
      right = next;
    }
    i = left << half | right;
  } while (i >= count);
  return i;
}
