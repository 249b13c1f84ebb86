/* FNV-1a: a number that bytes give, to tell whether two things are the same. */
#ifndef TRM_BASE_MIX_H
#define TRM_BASE_MIX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TRM_MIX_START 14695981039346656037u

static inline uint64_t trm_mix(uint64_t sum, const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < size; i++) sum = (sum ^ byte[i]) * 1099511628211u;
  return sum;
}

/* With its end, so that "ab", "c" is not "a", "bc". */
static inline uint64_t trm_mix_text(uint64_t sum, const char *text) {
  return trm_mix(sum, text, strlen(text) + 1);
}

/* A NULL-terminated list, or NULL. */
static inline uint64_t trm_mix_texts(uint64_t sum, const char *const *texts) {
  for (; texts && *texts; texts++) sum = trm_mix_text(sum, *texts);
  return sum;
}

#endif
