/* The functions of the formula language: the one place where each is listed. */
#ifndef TRM_EXPRESSION_FUNCTION_H
#define TRM_EXPRESSION_FUNCTION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define TRM_PI         3.14159265358979323846
#define TRM_ANY_NUMBER INT_MAX /* of arguments */

/* U(op, name, smooth, f(x), d = f'(x), f''(x)); each column may use those before it. */
#define TRM_UNARY_FUNCTIONS(U)                                                                     \
  U(SIN, sin, true, sin(x), cos(x), -f)                                                            \
  U(COS, cos, true, cos(x), -sin(x), -f)                                                           \
  U(TAN, tan, true, tan(x), 1 + f * f, 2 * f * d)                                                  \
  U(ASIN, asin, true, asin(x), 1 / sqrt((1 - x) * (1 + x)), x * d * d * d)                         \
  U(ACOS, acos, true, acos(x), -1 / sqrt((1 - x) * (1 + x)), x * d * d * d)                        \
  U(ATAN, atan, true, atan(x), 1 / (1 + x * x), -2 * x * d * d)                                    \
  U(SINH, sinh, true, sinh(x), cosh(x), f)                                                         \
  U(COSH, cosh, true, cosh(x), sinh(x), f)                                                         \
  U(TANH, tanh, true, tanh(x), trm_power(cosh(x), -2), -2 * f * d)                                 \
  U(EXP, exp, true, exp(x), f, f)                                                                  \
  U(LOG, log, true, log(x), 1 / x, -d * d)                                                         \
  U(SQRT, sqrt, true, sqrt(x), 0.5 / f, -0.5 * d / x)                                              \
  U(DEG, deg, true, x / 180 * TRM_PI, TRM_PI / 180, 0)                                             \
  U(SIGN, sign, false, trm_sign(x), 0, 0)                                                          \
  U(FLOOR, floor, false, floor(x), 0, 0)                                                           \
  U(ROUND, round, false, round(x), 0, 0)                                                           \
  U(HEAVISIDE, heaviside, false, (x >= 0 ? 1 : x < 0 ? 0 : x), 0, 0)

/* F(op, name, least and most arguments, smooth): those whose rules need more than f, f', f''.
 * Bent tables are those of straight pieces, and those that may be left. */
#define TRM_OTHER_FUNCTIONS(F)                                                                     \
  F(ABS, abs, 1, 1, false)                                                                         \
  F(MIN, min, 1, TRM_ANY_NUMBER, false)                                                            \
  F(MAX, max, 1, TRM_ANY_NUMBER, false)                                                            \
  F(ATAN2, atan2, 2, 2, true)                                                                      \
  F(HYPOT, hypot, 2, 2, true)                                                                      \
  F(MOD, mod, 2, 2, false)                                                                         \
  F(STEP, step, 5, 5, false)                                                                       \
  F(IF, if, 3, 3, false)                                                                           \
  F(TABLE, table, 2, TRM_ANY_NUMBER, true)                                                         \
  F(TABLE2, table2, 3, TRM_ANY_NUMBER, true)                                                       \
  F(BENT_TABLE, table, 2, TRM_ANY_NUMBER, false)                                                   \
  F(BENT_TABLE2, table2, 3, TRM_ANY_NUMBER, false)

typedef enum trm_op {
  TRM_OP_CONSTANT,
  TRM_OP_SLOT,
  TRM_OP_NEGATE,
  TRM_OP_ADD,
  TRM_OP_SUBTRACT,
  TRM_OP_MULTIPLY,
  TRM_OP_DIVIDE,
  TRM_OP_POWER,
  TRM_OP_FIXED_POWER, /* the exponent is the instruction's value */
  TRM_OP_LESS,
  TRM_OP_LESS_EQUAL,
  TRM_OP_GREATER,
  TRM_OP_GREATER_EQUAL,
  TRM_OP_EQUAL,
  TRM_OP_NOT_EQUAL,
  TRM_OP_AND,
  TRM_OP_OR,
  TRM_OP_NOT,
#define TRM_LIST_OP(op, ...) TRM_OP_##op,
  TRM_UNARY_FUNCTIONS(TRM_LIST_OP) TRM_OTHER_FUNCTIONS(TRM_LIST_OP)
#undef TRM_LIST_OP
} trm_op;

typedef struct trm_function {
  const char *name;
  trm_op op;
  int least, most; /* arguments */
  bool smooth;
} trm_function;

const trm_function *trm_function_find(const char *name, size_t length); /* or NULL */
const trm_function *trm_function_of(trm_op op);                         /* NULL for an operator */
const char *trm_function_nearest(const char *word);                     /* or NULL */

bool trm_op_is_smooth(trm_op op);
int trm_op_arity(trm_op op);    /* how many operands it takes */
bool trm_op_decides(trm_op op); /* it chooses a piece, by its operands */

#endif
