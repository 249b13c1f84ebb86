/* How the equations of motion hang on parameters through formulas of forces and signals: by the
 * derivatives of these formulas themselves, which have parameters as slots (trm_model.symbols).
 * What a formula makes of S (see system/contract.h) is found once for all parameters, backwards
 * along the signals. */
#ifndef TRM_SYSTEM_SYMBOLS_H
#define TRM_SYSTEM_SYMBOLS_H

#include "system/contract.h"

enum { TRM_SYMBOL_VALUES = 9 }; /* of a force: its values, stiffness, damping, free */

/* A formula of a force, or of a signal. */
typedef struct trm_symbol_formula {
  const trm_quantity *quantity;
  int force, value; /* force −1: of a signal */
  int signal;
  int first; /* of its slopes */
} trm_symbol_formula;

struct trm_symbols {
  const trm_model *model;
  int count;
  trm_symbol_formula *formula; /* [count] those with symbols, forces first */
  int *of_signal;              /* [signals] which of them, or −1 */
  double *slots, *gradient;    /* [1 + parameters + inputs] */
  double *slope;               /* by each parameter that a formula uses, at the state at hand */
  double *weight;              /* [count] ∂S by the formula */
  double *by_slot;             /* [1 + inputs] ∂S by the slot */
  double *Q;                   /* room for forces */
};

/* Of a mechanism whose model keeps symbols. NULL: out of memory. */
trm_symbols *trm_symbols_create(const trm_system *system, trm_arena *arena);

/* What hangs on a parameter of the model, found by what differs in another one. Of a chain: room
 * for all there may be; false: out of memory. */
bool trm_symbols_chain(const trm_symbols *symbols, trm_arena *arena, trm_chain *chain);
/* How the other parameters hang on it. False: their formulas do not tell. */
bool trm_symbols_begin(trm_symbols *symbols, const trm_model *other, int parameter,
                       trm_chain *chain);
/* All signals that differ, or a force's formulas. False: not all have the same symbols, and none is
 * added. */
bool trm_symbols_add_signals(const trm_symbols *symbols, const trm_model *other, trm_chain *chain);
bool trm_symbols_add_force(const trm_symbols *symbols, const trm_model *other, int force,
                           trm_chain *chain);

/* At a state, and along a virtual motion there: dS is that of trm_contract_chain then. */
void trm_symbols_visit(trm_symbols *symbols, const trm_virtual *at);
bool trm_symbols_weigh(trm_symbols *symbols, const trm_virtual *at, char *error, size_t size);
double trm_contract_chain(const trm_symbols *symbols, const trm_chain *chain);

/* Derivatives of a sum by slots, in `by_slot`: none; those of a formula are added; what variables
 * and rates of states make of others is. */
void trm_symbols_clear(trm_symbols *symbols);
void trm_symbols_pass_on(trm_symbols *symbols, const trm_expression *formula, const double *slots,
                         double weight);
void trm_symbols_resolve(trm_symbols *symbols, const trm_system *system);

#endif
