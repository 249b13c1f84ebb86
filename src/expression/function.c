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

int trm_op_arity(trm_op op) {
  switch (op) {
  case TRM_OP_CONSTANT:
  case TRM_OP_SLOT: return 0;
  case TRM_OP_NEGATE:
  case TRM_OP_FIXED_POWER:
  case TRM_OP_NOT: return 1;
  case TRM_OP_MIN:
  case TRM_OP_MAX:
  case TRM_OP_ATAN2:
  case TRM_OP_HYPOT:
  case TRM_OP_MOD:
  case TRM_OP_TABLE2:
  case TRM_OP_BENT_TABLE2: return 2;
  case TRM_OP_IF: return 3;
  case TRM_OP_STEP: return 5;
  default: return op > TRM_OP_NOT ? 1 : 2; /* functions, operators */
  }
}

bool trm_op_is_smooth(trm_op op) {
  return op < TRM_OP_LESS || (op > TRM_OP_NOT && trm_function_of(op)->smooth);
}

bool trm_op_decides(trm_op op) { /* logic is made of others */
  return !trm_op_is_smooth(op) && op != TRM_OP_AND && op != TRM_OP_OR && op != TRM_OP_NOT;
}
