/* Replaces the allocator of a test program by one that counts; not where a sanitizer owns it. */
#ifndef TRM_TESTS_COUNTING_H
#define TRM_TESTS_COUNTING_H

#include <stddef.h>
#include <stdlib.h>

#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)
#define TRM_COUNTING 1

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static long counted_allocations;

/* seen by shared libraries, too, whatever the compiler's options */
#pragma GCC visibility push(default)

void *malloc(size_t size) {
  counted_allocations++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  counted_allocations++;
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  counted_allocations++;
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  counted_allocations++;
  return __libc_memalign(alignment, size);
}

#pragma GCC visibility pop

#else
#define TRM_COUNTING 0
static long counted_allocations;
#endif

#endif
