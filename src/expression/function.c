/* The table of functions, made from the list in the header. */
#include "expression/function.h"

#include "base/text.h"

#include <string.h>

#define UNARY(op, name, smooth, ...)         {#name, TRM_OP_##op, 1, 1, smooth},
#define OTHER(op, name, least, most, smooth) {#name, TRM_OP_##op, least, most, smooth},
static const trm_function functions[] = {TRM_UNARY_FUNCTIONS(UNARY) TRM_OTHER_FUNCTIONS(OTHER)};

enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

const trm_function *trm_function_find(const char *name, size_t length) {
  for (int i = 0; i < FUNCTION_COUNT; i++) {
    const char *known = functions[i].name;
    if (strlen(known) == length && memcmp(known, name, length) == 0) return &functions[i];
  }
  return NULL;
}

/* Both lists are one: functions follow the operators in the same order. */
const trm_function *trm_function_of(trm_op op) {
  return op > TRM_OP_NOT ? &functions[op - TRM_OP_NOT - 1] : NULL;
}

const char *trm_function_nearest(const char *word) {
  const char *names[FUNCTION_COUNT];
  for (int i = 0; i < FUNCTION_COUNT; i++) names[i] = functions[i].name;
  return trm_nearest(word, names, FUNCTION_COUNT);
}

bool trm_op_is_smooth(trm_op op) {
  return op < TRM_OP_LESS || (op > TRM_OP_NOT && trm_function_of(op)->smooth);
}
