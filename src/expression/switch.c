/* Where a formula goes from one piece to the next: the function that passes zero there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expression/program.h"

bool trm_expression_find_switch(const trm_expression *expression, const double *before,
                                const double *behind, trm_switch *at) {
  size_t count = (size_t)expression->count;
  double *one = calloc(2 * count, sizeof(double)), *two = one + count;
  if (!one) return false;
  trm_program_decide(expression, before, one);
  trm_program_decide(expression, behind, two);
  size_t i = 0;
  while (i < count && one[i] == two[i]) i++;
  bool found = i < count && expression->code[i].op != TRM_OP_IF; /* of a number that is no truth */
  if (found) *at = (trm_switch){(int)i, fmax(one[i], two[i])};
  free(one);
  return found;
}

/* Appends the k-th operand of an operation, counted from its last. */
static int add_operand(const trm_expression *from, int at, int k, trm_instruction *code,
                       int count) {
  int end = at, first = at;
  for (int i = 0; i <= k; i++) {
    end = first;
    for (int open = 1; open > 0; open--) open += trm_op_arity(from->code[--first].op);
  }
  memcpy(code + count, from->code + first, (size_t)(end - first) * sizeof *code);
  return count + end - first;
}

/* An operand, or the difference of two. */
static int add_zero(const trm_expression *from, const trm_switch *at, trm_instruction *code) {
  trm_op op = from->code[at->at].op;
  bool step = op == TRM_OP_STEP; /* of x, x0, h0, x1, h1: before x0 the piece is 2 */
  int arity = trm_op_arity(op), other = !step ? 0 : at->most == 2 ? 3 : 1;
  int count = add_operand(from, at->at, arity - 1, code, 0);
  if (arity == 1) return count;
  count = add_operand(from, at->at, other, code, count);
  if (op == TRM_OP_MOD) { /* x is so many times y */
    code[count++] = (trm_instruction){.op = TRM_OP_CONSTANT, .value = at->most};
    code[count++] = (trm_instruction){.op = TRM_OP_MULTIPLY};
  }
  code[count++] = (trm_instruction){.op = TRM_OP_SUBTRACT};
  return count;
}

trm_expression *trm_expression_switching(const trm_expression *expression, const trm_switch *at) {
  if (at->at >= expression->count) return NULL;
  size_t count = (size_t)expression->count, used = (size_t)expression->used_count,
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
  memcpy(zero->used, expression->used, used * sizeof *zero->used);
  for (size_t i = 0; i < tables; i++) zero->tables[i] = expression->tables[i];
  zero->count = add_zero(expression, at, zero->code);
  zero->used_count = (int)used;
  return zero;
}
