/* Where a formula goes from one piece to the next: the function that passes zero there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expression/program.h"

/* Whether what passes zero is a difference of its operands, or its only one. */
static bool has_zero(trm_op op) {
  return op != TRM_OP_IF && op != TRM_OP_STEP;
}

bool trm_expression_find_switch(const trm_expression *expression, const double *before,
                                const double *behind, trm_switch *at) {
  size_t count = (size_t)expression->count;
  double *one = calloc(2 * count, sizeof(double)), *two = one + count;
  if (!one) return false;
  trm_program_decide(expression, before, one);
  trm_program_decide(expression, behind, two);
  size_t i = 0;
  while (i < count && one[i] == two[i]) i++;
  bool found = i < count && has_zero(expression->code[i].op);
  if (found) *at = (trm_switch){(int)i, fmax(one[i], two[i])};
  free(one);
  return found;
}

static int add_zero(trm_instruction *code, int count, trm_op op, double multiple) {
  switch (op) {
  case TRM_OP_SIGN:
  case TRM_OP_FLOOR:
  case TRM_OP_ROUND:
  case TRM_OP_HEAVISIDE:
  case TRM_OP_ABS: return count;
  case TRM_OP_MOD: /* x is so many times y */
    code[count++] = (trm_instruction){.op = TRM_OP_CONSTANT, .value = multiple};
    code[count++] = (trm_instruction){.op = TRM_OP_MULTIPLY};
    break;
  default: break;
  }
  code[count++] = (trm_instruction){.op = TRM_OP_SUBTRACT};
  return count;
}

trm_expression *trm_expression_switching(const trm_expression *expression, const trm_switch *at) {
  if (at->at >= expression->count) return NULL;
  size_t count = (size_t)at->at, used = (size_t)expression->used_count,
         tables = (size_t)expression->table_count;
  trm_expression *zero = calloc(1, sizeof *zero);
  if (!zero) return NULL;
  zero->code = calloc(count + 3, sizeof *zero->code);
  zero->used = calloc(used + 1, sizeof *zero->used);
  zero->tables = calloc(tables + 1, sizeof *zero->tables); /* borrowed: none is counted */
  if (!zero->code || !zero->used || !zero->tables) {
    trm_expression_destroy(zero);
    return NULL;
  }
  memcpy(zero->code, expression->code, count * sizeof *zero->code);
  memcpy(zero->used, expression->used, used * sizeof *zero->used);
  for (size_t i = 0; i < tables; i++) zero->tables[i] = expression->tables[i];
  zero->count = add_zero(zero->code, at->at, expression->code[at->at].op, at->multiple);
  zero->used_count = (int)used;
  return zero;
}
