/* Partial derivatives of a formula: forward, a few slots in each pass. */
#include "expression/program.h"

#include <math.h>

enum { WIDTH = 4 }; /* slots per pass */

typedef struct dual {
  double f, d[WIDTH];
} dual;

/* Operations work in place, on the top of the stack: a dual is too large to pass around. */
static void set_fixed(dual *x, double value) {
  x->f = value;
  for (int k = 0; k < WIDTH; k++) x->d[k] = 0;
}

static void set_variable(dual *x, int slot, const double *slots, const int pass[WIDTH]) {
  x->f = slots[slot];
  for (int k = 0; k < WIDTH; k++) x->d[k] = slot == pass[k];
}

/* a = f(a, b) with the partial derivatives fa, fb. */
static void combine(dual *a, const dual *b, double f, double fa, double fb) {
  a->f = f;
  for (int k = 0; k < WIDTH; k++) a->d[k] = fa * a->d[k] + fb * b->d[k];
}

static void divide(dual *a, const dual *b) {
  a->f /= b->f;
  for (int k = 0; k < WIDTH; k++) a->d[k] = (a->d[k] - a->f * b->d[k]) / b->f;
}

/* v = condition, a, b */
static void choose(dual v[3]) {
  if (isnan(v[0].f))
    combine(&v[0], &v[1], NAN, NAN, NAN);
  else
    v[0] = v[0].f != 0 ? v[1] : v[2];
}

static void unary(const trm_expression *expression, const trm_instruction *at, dual *x) {
  trm_jet f = trm_unary_jet(expression, at, x->f);
  x->f = f.f;
  for (int k = 0; k < WIDTH; k++) x->d[k] = isnan(f.f) ? NAN : trm_jet_times(f.d, x->d[k]);
}

static void surface(const trm_table *table, dual *x, const dual *y) {
  trm_patch p = trm_surface_patch(table, x->f, y->f);
  combine(x, y, p.f, p.x, p.y);
}

/* These may have a corner where every slot sees its own one-sided derivative. */
static void joint(trm_op op, int arity, dual *v) {
  dual result = {0};
  for (int k = 0; k < WIDTH; k++) {
    trm_jet jets[5];
    for (int i = 0; i < arity; i++) jets[i] = (trm_jet){v[i].f, v[i].d[k], 0};
    trm_jet jet = trm_joint_jet(op, jets);
    result.f = jet.f;
    result.d[k] = jet.d;
  }
  v[0] = result;
}

static dual run(const trm_expression *expression, const double *slots, const int pass[WIDTH]) {
  dual stack[TRM_STACK_SIZE + 1], *top = stack;
  set_fixed(stack, NAN);
  const trm_instruction *at = expression->code, *end = at + expression->count;
  for (; at < end; at++) {
    switch (at->op) {
    case TRM_OP_CONSTANT: set_fixed(++top, at->value); break;
    case TRM_OP_SLOT: set_variable(++top, at->index, slots, pass); break;
    case TRM_OP_NEGATE: combine(top, top, -top->f, -1, 0); break;
    case TRM_OP_ADD: top--, combine(top, top + 1, top[0].f + top[1].f, 1, 1); break;
    case TRM_OP_SUBTRACT: top--, combine(top, top + 1, top[0].f - top[1].f, 1, -1); break;
    case TRM_OP_MULTIPLY:
      top--, combine(top, top + 1, top[0].f * top[1].f, top[1].f, top[0].f);
      break;
    case TRM_OP_DIVIDE: top--, divide(top, top + 1); break;
    case TRM_OP_LESS:
    case TRM_OP_LESS_EQUAL:
    case TRM_OP_GREATER:
    case TRM_OP_GREATER_EQUAL:
    case TRM_OP_EQUAL:
    case TRM_OP_NOT_EQUAL:
    case TRM_OP_AND:
    case TRM_OP_OR: top--, set_fixed(top, trm_logic(at->op, top[0].f, top[1].f)); break;
    case TRM_OP_IF: top -= 2, choose(top); break;
    case TRM_OP_POWER:
    case TRM_OP_ABS:
    case TRM_OP_MIN:
    case TRM_OP_MAX:
    case TRM_OP_ATAN2:
    case TRM_OP_HYPOT:
    case TRM_OP_MOD:
    case TRM_OP_STEP:
      top -= trm_op_arity(at->op) - 1;
      joint(at->op, trm_op_arity(at->op), top);
      break;
    case TRM_OP_TABLE2:
    case TRM_OP_BENT_TABLE2: top--, surface(expression->tables[at->index], top, top + 1); break;
    default: unary(expression, at, top); break;
    }
  }
  return *top;
}

double trm_expression_gradient(const trm_expression *expression, const double *slots,
                               double *gradient) {
  int slot_count = trm_expression_slot_count(expression);
  for (int k = 0; k < slot_count; k++) gradient[k] = 0;
  if (expression->used_count == 0) return trm_expression_value(expression, slots);
  double value = 0;
  for (int first = 0; first < expression->used_count; first += WIDTH) {
    int pass[WIDTH], n = expression->used_count - first;
    for (int k = 0; k < WIDTH; k++) pass[k] = k < n ? expression->used[first + k] : -1;
    dual result = run(expression, slots, pass);
    for (int k = 0; k < WIDTH && k < n; k++) gradient[pass[k]] = result.d[k];
    value = result.f;
  }
  return value;
}
