/* A formula compiled to a flat postfix program, and its evaluation. */
#ifndef TRM_EXPRESSION_PROGRAM_H
#define TRM_EXPRESSION_PROGRAM_H

#include "expression/expression.h"
#include "expression/function.h"
#include "expression/table.h"

/* Evaluation keeps its operands in a fixed array; parsing refuses what would not fit. */
enum { TRM_STACK_SIZE = 128 };

typedef struct trm_instruction {
  trm_op op;
  int index;    /* slot or table */
  double value; /* constant or fixed exponent */
} trm_instruction;

struct trm_expression {
  trm_instruction *code; /* [count] */
  int count;
  trm_table **tables; /* [table_count] */
  int table_count;
  int *used; /* [used_count], the slots that occur, increasing */
  int used_count;
  bool smooth;
};

/* Runs a part of the program that leaves one value. */
double trm_program_run(const trm_expression *program, int first, int count, const double *slots);

/* Logic knows true, false and NaN for "cannot be said": false and NaN is false, true or NaN true.
 */
double trm_logic(trm_op op, double a, double b);
double trm_power(double x, double n);
double trm_sign(double x);
double trm_step(double x, double x0, double h0, double x1, double h1);
double trm_smaller(double a, double b); /* NaN if either is */
double trm_larger(double a, double b);

/* Value, first and second derivative of an operation of one argument at x. */
trm_jet trm_unary_jet(const trm_expression *program, const trm_instruction *instruction, double x);

/* POWER, ABS, MIN, MAX, ATAN2, HYPOT, STEP of jets. At a corner the derivatives are those towards
 * growing s: that is where a simulation goes. */
int trm_joint_arity(trm_op op);
trm_jet trm_joint_jet(trm_op op, const trm_jet *arguments);

/* What does not move contributes nothing, even where the slope is infinite: sqrt(c) at c = 0. */
static inline double trm_times(double slope, double move) {
  return move == 0 ? 0 : slope * move;
}

/* f(x(s)) from f, f', f'' at x and the jet of x. */
trm_jet trm_jet_chain(trm_jet f, trm_jet x);

static inline trm_jet trm_jet_flat(double value) {
  return (trm_jet){value, 0, 0};
}

static inline trm_jet trm_jet_add(trm_jet a, trm_jet b) {
  return (trm_jet){a.f + b.f, a.d + b.d, a.dd + b.dd};
}

static inline trm_jet trm_jet_subtract(trm_jet a, trm_jet b) {
  return (trm_jet){a.f - b.f, a.d - b.d, a.dd - b.dd};
}

static inline trm_jet trm_jet_multiply(trm_jet a, trm_jet b) {
  return (trm_jet){a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd};
}

static inline trm_jet trm_jet_divide(trm_jet a, trm_jet b) {
  double f = a.f / b.f, d = (a.d - f * b.d) / b.f;
  return (trm_jet){f, d, (a.dd - 2 * d * b.d - f * b.dd) / b.f};
}

#endif
