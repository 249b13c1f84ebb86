/* First and second derivative of a formula along one parameter. */
#include "expression/program.h"

#include <math.h>

static trm_jet choose(trm_jet condition, trm_jet a, trm_jet b) {
  if (isnan(condition.f)) return (trm_jet){NAN, NAN, NAN};
  return condition.f != 0 ? a : b;
}

trm_jet trm_expression_jet(const trm_expression *expression, const trm_jet *slots) {
  trm_jet stack[TRM_STACK_SIZE + 1], *top = stack;
  stack[0] = trm_jet_constant(NAN);
  const trm_instruction *at = expression->code, *end = at + expression->count;
  for (; at < end; at++) {
    switch (at->op) {
    case TRM_OP_CONSTANT: *++top = trm_jet_constant(at->value); break;
    case TRM_OP_SLOT: *++top = slots[at->index]; break;
    case TRM_OP_ADD: top--, top[0] = trm_jet_add(top[0], top[1]); break;
    case TRM_OP_SUBTRACT: top--, top[0] = trm_jet_subtract(top[0], top[1]); break;
    case TRM_OP_MULTIPLY: top--, top[0] = trm_jet_multiply(top[0], top[1]); break;
    case TRM_OP_DIVIDE: top--, top[0] = trm_jet_divide(top[0], top[1]); break;
    case TRM_OP_LESS:
    case TRM_OP_LESS_EQUAL:
    case TRM_OP_GREATER:
    case TRM_OP_GREATER_EQUAL:
    case TRM_OP_EQUAL:
    case TRM_OP_NOT_EQUAL:
    case TRM_OP_AND:
    case TRM_OP_OR: top--, top[0] = trm_jet_constant(trm_logic(at->op, top[0].f, top[1].f)); break;
    case TRM_OP_IF: top -= 2, top[0] = choose(top[0], top[1], top[2]); break;
    case TRM_OP_POWER:
    case TRM_OP_ABS:
    case TRM_OP_MIN:
    case TRM_OP_MAX:
    case TRM_OP_ATAN2:
    case TRM_OP_HYPOT:
    case TRM_OP_MOD:
    case TRM_OP_STEP:
      top -= trm_joint_arity(at->op) - 1;
      top[0] = trm_joint_jet(at->op, top);
      break;
    case TRM_OP_TABLE2:
    case TRM_OP_BENT_TABLE2:
      top--, top[0] = trm_surface_jet(expression->tables[at->index], top[0], top[1]);
      break;
    default: top[0] = trm_jet_chain(trm_unary_jet(expression, at, top[0].f), top[0]); break;
    }
  }
  return *top;
}
