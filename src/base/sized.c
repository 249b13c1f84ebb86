#include "base/sized.h"

#include <string.h>

#include "base/diagnostics.h"

void trm_sized_give(void *to, size_t size, const void *own, size_t full) {
  memset(to, 0, size);
  memcpy(to, own, size < full ? size : full);
  memcpy(to, &size, sizeof size);
}

bool trm_sized_take(void *own, size_t full, const void *from) {
  size_t size;
  memcpy(&size, from, sizeof size);
  if (size < sizeof size) return false;
  memcpy(own, from, size < full ? size : full);
  memcpy(own, &full, sizeof full);
  return true;
}

bool trm_sized_take_or_report(void *own, size_t full, const void *from, const char *maker,
                              trm_diagnostics *diagnostics) {
  if (!from || trm_sized_take(own, full, from)) return true;
  trm_report(diagnostics, TRM_ERROR, "a struct has no size: begin with %s()", maker);
  return false;
}
