/* Numbers below 1e-308 count as zero while it lasts. Forces die out along a chain until they are as
 * small, and hardware takes a hundred cycles for each operation with one: a chain of 500 took a
 * third longer. */
#ifndef TRM_BASE_FLUSH_H
#define TRM_BASE_FLUSH_H

#if defined(__SSE2__)
#include <xmmintrin.h>

enum { TRM_FLUSH = 0x8040 }; /* results, operands */

static inline unsigned trm_flush_get(void) {
  return _mm_getcsr() & TRM_FLUSH;
}

static inline void trm_flush_set(unsigned flush) {
  unsigned all = _mm_getcsr();
  if ((all & TRM_FLUSH) != flush) _mm_setcsr((all & ~(unsigned)TRM_FLUSH) | flush);
}
#elif defined(__aarch64__) && defined(__GNUC__)
enum { TRM_FLUSH = 1 << 24 };

static inline unsigned trm_flush_get(void) {
  unsigned long all;
  __asm__ volatile("mrs %0, fpcr" : "=r"(all));
  return (unsigned)all & TRM_FLUSH;
}

static inline void trm_flush_set(unsigned flush) {
  unsigned long all;
  __asm__ volatile("mrs %0, fpcr" : "=r"(all));
  __asm__ volatile("msr fpcr, %0" : : "r"((all & ~(unsigned long)TRM_FLUSH) | flush));
}
#else
enum { TRM_FLUSH = 0 };

static inline unsigned trm_flush_get(void) {
  return 0;
}

static inline void trm_flush_set(unsigned flush) {
  (void)flush;
}
#endif

/* What it was before, for the end. */
static inline unsigned trm_flush_begin(void) {
  unsigned before = trm_flush_get();
  trm_flush_set(TRM_FLUSH);
  return before;
}

#endif
