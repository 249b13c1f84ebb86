/* A number, or a formula evaluated where it is used. */
#ifndef TRM_EXPRESSION_QUANTITY_H
#define TRM_EXPRESSION_QUANTITY_H

#include "expression/expression.h"

typedef struct trm_quantity {
  double number; /* where formula is NULL */
  trm_expression *formula;
  trm_expression *symbols; /* the same with parameters as slots, of a model that keeps them, where
                              it hangs on any; else NULL */
} trm_quantity;

static inline double trm_quantity_value(const trm_quantity *quantity, const double *slots) {
  return quantity->formula ? trm_expression_value(quantity->formula, slots) : quantity->number;
}

static inline void trm_quantity_free(const trm_quantity *quantity) {
  trm_expression_destroy(quantity->formula);
  trm_expression_destroy(quantity->symbols);
}

#endif
