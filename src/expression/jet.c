/* First and second derivative of a formula along one parameter. */
#include "expression/program.h"

#include <math.h>

static trm_jet choose(trm_jet condition, trm_jet a, trm_jet b) {
  if (isnan(condition.f)) return (trm_jet){NAN, NAN, NAN};
  return condition.f != 0 ? a : b;
}

static trm_jet minus(trm_jet x) {
  return trm_jet_multiply(trm_jet_constant(-1), x);
}

/* h0 + (h1 − h0) u² (3 − 2 u) with u = (x − x0)/(x1 − x0) */
static trm_jet ramp(const trm_jet *x) {
  trm_jet u = trm_jet_divide(trm_jet_subtract(x[0], x[1]), trm_jet_subtract(x[3], x[1]));
  trm_jet rest = trm_jet_subtract(trm_jet_constant(3), trm_jet_add(u, u));
  trm_jet part = trm_jet_multiply(trm_jet_multiply(u, u), rest);
  return trm_jet_add(x[2], trm_jet_multiply(trm_jet_subtract(x[4], x[2]), part));
}

/* As in value.c. */
static trm_jet on_piece(const trm_expression *program, const trm_instruction *at, double piece,
                        const trm_jet *x) {
  switch (at->op) {
  case TRM_OP_SIGN: return trm_jet_constant(piece - 1);
  case TRM_OP_ABS: return piece != 0 ? x[0] : minus(x[0]);
  case TRM_OP_MIN: return piece != 0 ? x[0] : x[1];
  case TRM_OP_MAX: return piece != 0 ? x[1] : x[0];
  case TRM_OP_MOD: return trm_jet_subtract(x[0], trm_jet_multiply(trm_jet_constant(piece), x[1]));
  case TRM_OP_IF: return piece != 0 ? x[1] : x[2];
  case TRM_OP_BENT_TABLE:
    return trm_jet_chain(trm_table_jet_on(program->tables[at->index], (unsigned)piece, x[0].f),
                         x[0]);
  case TRM_OP_STEP: return piece == 1 ? ramp(x) : piece != 0 ? x[2] : x[4];
  default: return trm_jet_constant(piece);
  }
}

trm_jet trm_expression_jet(const trm_expression *expression, const trm_jet *slots) {
  const double *held = expression->held;
  trm_jet stack[TRM_STACK_SIZE + 1], *top = stack;
  stack[0] = trm_jet_constant(NAN);
  const trm_instruction *at = expression->code, *end = at + expression->count;
  for (; at < end; at++) {
    if (held && trm_op_decides(at->op)) {
      top -= trm_op_arity(at->op) - 1;
      *top = on_piece(expression, at, held[at - expression->code], top);
      continue;
    }
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
      top -= trm_op_arity(at->op) - 1;
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
