/* Evaluating a formula. */
#include "expression/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/double2.h"
#include "math/extremes.h"

double trm_logic(trm_op op, double a, double b) {
  bool known = !isnan(a) && !isnan(b);
  switch (op) {
  case TRM_OP_AND: return a == 0 || b == 0 ? 0 : known ? 1 : NAN;
  case TRM_OP_OR: return (a != 0 && !isnan(a)) || (b != 0 && !isnan(b)) ? 1 : known ? 0 : NAN;
  case TRM_OP_LESS: return known ? a < b : NAN;
  case TRM_OP_LESS_EQUAL: return known ? a <= b : NAN;
  case TRM_OP_GREATER: return known ? a > b : NAN;
  case TRM_OP_GREATER_EQUAL: return known ? a >= b : NAN;
  case TRM_OP_EQUAL: return known ? a == b : NAN;
  case TRM_OP_NOT_EQUAL: return known ? a != b : NAN;
  default: return isnan(a) ? a : a == 0; /* not a */
  }
}

double trm_power(double x, double n) {
  if (n == 2) return x * x;
  if (n == 1) return x;
  if (n == 3) return x * x * x;
  if (n == -2) return 1 / (x * x);
  return pow(x, n);
}

double trm_sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;
}

double trm_mod(double x, double y) {
  double rest = fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

double trm_step(double x, double x0, double h0, double x1, double h1) {
  if (!(x0 < x1)) return NAN;
  if (x < x0) return h0;
  if (x >= x1) return h1;
  double u = (x - x0) / (x1 - x0);
  return h0 + (h1 - h0) * (u * u * (3 - 2 * u));
}

static double choose(double condition, double a, double b) {
  return isnan(condition) ? condition : condition != 0 ? a : b;
}

/* A whole number as a piece; of large ones the last digits. */
static unsigned whole_piece(double whole) {
  double rest = fmod(whole, 65536);
  return isnan(rest) ? 0 : (unsigned)(rest + 65536);
}

/* Which piece of a piecewise operation its operands select. */
static unsigned decision(const trm_expression *program, const trm_instruction *at,
                         const double *top) {
  trm_op op = at->op;
  switch (op) {
  case TRM_OP_BENT_TABLE: return trm_table_piece(program->tables[at->index], top[0], 0);
  case TRM_OP_BENT_TABLE2: return trm_table_piece(program->tables[at->index], top[-1], top[0]);
  case TRM_OP_SIGN: return *top > 0 ? 2 : *top < 0 ? 0 : 1; /* not a number: as zero */
  case TRM_OP_FLOOR: return whole_piece(floor(*top));
  case TRM_OP_ROUND: return whole_piece(round(*top));
  case TRM_OP_MOD: return whole_piece(floor(top[-1] / top[0]));
  case TRM_OP_HEAVISIDE:
  case TRM_OP_ABS: return *top >= 0;
  case TRM_OP_MIN:
  case TRM_OP_MAX: return top[-1] < top[0];
  case TRM_OP_STEP: return (unsigned)(top[-4] < top[-3]) + (top[-4] < top[-1]);
  case TRM_OP_IF: return top[-2] != 0;
  case TRM_OP_AND:
  case TRM_OP_OR:
  case TRM_OP_NOT: return 0; /* made of others */
  default: return trm_logic(op, top[-1], top[0]) != 0;
  }
}

static void tell_left(const trm_table *table, double x, double y, trm_expression_error *left) {
  if (!left->message[0]) trm_table_explain(table, x, y, left->message, sizeof left->message);
}

/* What an operation that decides keeps of its operands: the piece, or the whole number. */
static double decide(const trm_expression *program, const trm_instruction *at, const double *top) {
  switch (at->op) {
  case TRM_OP_FLOOR: return floor(*top);
  case TRM_OP_ROUND: return round(*top);
  case TRM_OP_MOD: return floor(top[-1] / top[0]);
  default: return decision(program, at, top);
  }
}

/* The operation on the piece that was decided for: what it makes of its first operand. */
static double on_piece(const trm_expression *program, const trm_instruction *at, double piece,
                       const double *x) {
  double u;
  switch (at->op) {
  case TRM_OP_SIGN: return piece - 1;
  case TRM_OP_ABS: return piece != 0 ? x[0] : -x[0];
  case TRM_OP_MIN: return piece != 0 ? x[0] : x[1];
  case TRM_OP_MAX: return piece != 0 ? x[1] : x[0];
  case TRM_OP_MOD: return x[0] - piece * x[1];
  case TRM_OP_IF: return piece != 0 ? x[1] : x[2];
  case TRM_OP_BENT_TABLE:
    return trm_table_jet_on(program->tables[at->index], (unsigned)piece, x[0]).f;
  case TRM_OP_STEP:
    u = (x[0] - x[1]) / (x[3] - x[1]);
    if (piece != 1) return piece != 0 ? x[2] : x[4];
    return x[2] + (x[4] - x[2]) * (u * u * (3 - 2 * u));
  default: return piece; /* of comparisons, heaviside, floor and round: that itself */
  }
}

/* branch != NULL: mixes in the decisions taken. left != NULL: says which table was left first.
 * held != NULL: the decisions to keep to; taken != NULL: takes them. Inlined, so that a value alone
 * asks for none of them. */
TRM_INLINE double run(const trm_expression *program, int first, int count, const double *slots,
                      unsigned long *branch, trm_expression_error *left, const double *held,
                      double *taken) {
  double stack[TRM_STACK_SIZE + 1], *top = stack;
  stack[0] = NAN; /* what an empty program leaves */
  const trm_instruction *at = program->code + first, *end = at + count;
  for (; at < end; at++) {
    if (branch && !trm_op_is_smooth(at->op)) *branch = *branch * 31 + decision(program, at, top);
    if (taken && trm_op_decides(at->op)) taken[at - program->code] = decide(program, at, top);
    if (held && trm_op_decides(at->op)) {
      int operands = trm_op_arity(at->op);
      top -= operands - 1;
      *top = on_piece(program, at, held[at - program->code], top);
      continue;
    }
    switch (at->op) {
    case TRM_OP_CONSTANT: *++top = at->value; break;
    case TRM_OP_SLOT: *++top = slots[at->index]; break;
    case TRM_OP_NEGATE: *top = -*top; break;
    case TRM_OP_ADD: top--, top[0] += top[1]; break;
    case TRM_OP_SUBTRACT: top--, top[0] -= top[1]; break;
    case TRM_OP_MULTIPLY: top--, top[0] *= top[1]; break;
    case TRM_OP_DIVIDE: top--, top[0] /= top[1]; break;
    case TRM_OP_POWER: top--, top[0] = trm_power(top[0], top[1]); break;
    case TRM_OP_FIXED_POWER: *top = trm_power(*top, at->value); break;
    case TRM_OP_LESS:
    case TRM_OP_LESS_EQUAL:
    case TRM_OP_GREATER:
    case TRM_OP_GREATER_EQUAL:
    case TRM_OP_EQUAL:
    case TRM_OP_NOT_EQUAL:
    case TRM_OP_AND:
    case TRM_OP_OR: top--, top[0] = trm_logic(at->op, top[0], top[1]); break;
    case TRM_OP_NOT: *top = trm_logic(at->op, *top, 0); break;
#define UNARY(op, name, smooth, value, ...)                                                        \
  case TRM_OP_##op: {                                                                              \
    const double x = *top;                                                                         \
    *top = value;                                                                                  \
    break;                                                                                         \
  }
      TRM_UNARY_FUNCTIONS(UNARY)
    case TRM_OP_ABS: *top = fabs(*top); break;
    case TRM_OP_MIN: top--, top[0] = trm_smaller(top[0], top[1]); break;
    case TRM_OP_MAX: top--, top[0] = trm_larger(top[0], top[1]); break;
    case TRM_OP_ATAN2: top--, top[0] = atan2(top[0], top[1]); break;
    case TRM_OP_HYPOT: top--, top[0] = hypot(top[0], top[1]); break;
    case TRM_OP_MOD: top--, top[0] = trm_mod(top[0], top[1]); break;
    case TRM_OP_STEP: top -= 4, top[0] = trm_step(top[0], top[1], top[2], top[3], top[4]); break;
    case TRM_OP_IF: top -= 2, top[0] = choose(top[0], top[1], top[2]); break;
    case TRM_OP_TABLE:
    case TRM_OP_BENT_TABLE:
      if (left) tell_left(program->tables[at->index], top[0], 0, left);
      *top = trm_table_jet(program->tables[at->index], *top).f;
      break;
    case TRM_OP_TABLE2:
    case TRM_OP_BENT_TABLE2:
      top--;
      if (left) tell_left(program->tables[at->index], top[0], top[1], left);
      *top = trm_surface_patch(program->tables[at->index], top[0], top[1]).f;
      break;
    }
  }
  return *top;
}

double trm_program_run(const trm_expression *program, int first, int count, const double *slots) {
  return run(program, first, count, slots, NULL, NULL, NULL, NULL);
}

static double run_all(const trm_expression *program, const double *slots, unsigned long *branch,
                      trm_expression_error *left, const double *held, double *taken) {
  return run(program, 0, program->count, slots, branch, left, held, taken);
}

unsigned long trm_expression_branch(const trm_expression *expression, const double *slots) {
  unsigned long branch = 1;
  run_all(expression, slots, &branch, NULL, NULL, NULL);
  return branch;
}

double trm_expression_value(const trm_expression *expression, const double *slots) {
  if (expression->held) return run_all(expression, slots, NULL, NULL, expression->held, NULL);
  return trm_program_run(expression, 0, expression->count, slots);
}

bool trm_expression_explain(const trm_expression *expression, const double *slots,
                            trm_expression_error *error) {
  error->message[0] = '\0';
  run_all(expression, slots, NULL, error, NULL, NULL);
  return error->message[0] != '\0';
}

bool trm_expression_can_fix_branches(const trm_expression *expression) {
  for (int i = 0; i < expression->count; i++)
    if (expression->code[i].op == TRM_OP_BENT_TABLE2) return false;
  return true;
}

static bool has_room(trm_expression *expression) {
  if (!expression->held) expression->held = calloc((size_t)expression->count + 1, sizeof(double));
  return expression->held != NULL;
}

void trm_program_decide(const trm_expression *program, const double *slots, double *pieces) {
  run_all(program, slots, NULL, NULL, NULL, pieces);
}

bool trm_expression_fix_branches(trm_expression *expression, const double *slots) {
  if (!has_room(expression)) return false;
  trm_program_decide(expression, slots, expression->held);
  return true;
}

bool trm_expression_fix_branches_like(trm_expression *expression, const trm_expression *other) {
  if (!has_room(expression)) return false;
  memcpy(expression->held, other->held, (size_t)expression->count * sizeof(double));
  return true;
}

void trm_expression_free_branches(trm_expression *expression) {
  free(expression->held);
  expression->held = NULL;
}
