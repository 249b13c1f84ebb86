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
  double *held; /* [count] the decisions that it keeps to, see trm_expression_fix_branches; NULL:
                   none */
};

/* Runs a part of the program that leaves one value. */
double trm_program_run(const trm_expression *program, int first, int count, const double *slots);
/* The piece that each operation which has several is on: pieces [count], others as they are. */
void trm_program_decide(const trm_expression *program, const double *slots, double *pieces);

/* Logic knows true, false and NaN for "cannot be said": false and NaN is false, true or NaN true.
 */
double trm_logic(trm_op op, double a, double b);
double trm_power(double x, double n);
double trm_sign(double x);
double trm_mod(double x, double y); /* has the sign of y */
double trm_step(double x, double x0, double h0, double x1, double h1);

/* Value, first and second derivative of an operation of one argument at x. */
trm_jet trm_unary_jet(const trm_expression *program, const trm_instruction *instruction, double x);

/* POWER, ABS, MIN, MAX, ATAN2, HYPOT, STEP of jets. At a corner the derivatives are those towards
 * growing s: that is where a simulation goes. */
trm_jet trm_joint_jet(trm_op op, const trm_jet *arguments);

#endif
