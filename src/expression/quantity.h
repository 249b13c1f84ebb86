/* A number, or a formula evaluated where it is used. */
#ifndef TRM_EXPRESSION_QUANTITY_H
#define TRM_EXPRESSION_QUANTITY_H

#include "expression/expression.h"

typedef struct trm_quantity {
  double number; /* where formula is NULL */
  trm_expression *formula;
} trm_quantity;

static inline double trm_quantity_value(const trm_quantity *quantity, const double *slots) {
  return quantity->formula ? trm_expression_value(quantity->formula, slots) : quantity->number;
}

#endif
