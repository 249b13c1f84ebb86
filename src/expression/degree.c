/* How a formula depends on some of its slots, read off its program. */
#include "expression/program.h"

const char *trm_expression_kink(const trm_expression *expression) {
  for (int i = 0; i < expression->count; i++) {
    trm_op op = expression->code[i].op;
    bool table = op == TRM_OP_BENT_TABLE || op == TRM_OP_BENT_TABLE2;
    if (table && !trm_table_has_kinks(expression->tables[expression->code[i].index])) continue;
    if (trm_op_is_smooth(op) || op == TRM_OP_STEP) continue;
    const trm_function *function = trm_function_of(op);
    return function ? function->name : "a comparison";
  }
  return NULL;
}

static int at_most(int degree) {
  return degree > 2 ? 2 : degree;
}

/* The degree of a result from those of its operands. */
static int combine(const trm_instruction *at, const int *d) {
  int all = 0;
  for (int k = 0; k < trm_op_arity(at->op); k++) all = d[k] > all ? d[k] : all;
  if (all == 0) return 0;
  switch (at->op) {
  case TRM_OP_NEGATE:
  case TRM_OP_DEG:
  case TRM_OP_ADD:
  case TRM_OP_SUBTRACT: return all;
  case TRM_OP_MULTIPLY: return at_most(d[0] + d[1]);
  case TRM_OP_DIVIDE: return d[1] == 0 ? d[0] : 2;
  case TRM_OP_IF: return d[0] == 0 ? all : 2;
  case TRM_OP_FIXED_POWER: return at->value == 1 ? d[0] : 2;
  default: return 2;
  }
}

int trm_expression_degree(const trm_expression *expression, int first, int count) {
  int stack[TRM_STACK_SIZE + 6] = {0}, *top = stack;
  for (int i = 0; i < expression->count; i++) {
    const trm_instruction *at = &expression->code[i];
    bool chosen = at->op == TRM_OP_SLOT && at->index >= first && at->index < first + count;
    top -= trm_op_arity(at->op) - 1;
    *top = at->op == TRM_OP_SLOT ? chosen : combine(at, top);
  }
  return *top;
}
