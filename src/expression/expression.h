/* Formulas: parsed once, evaluated fast, differentiated exactly. */
#ifndef TRM_EXPRESSION_H
#define TRM_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <trammel/jet.h>

#include "base/shelf.h"

typedef struct trm_expression trm_expression;

/* What a name in a formula stands for; the caller of trm_expression_parse decides. */
typedef enum trm_symbol_kind {
  TRM_SYMBOL_UNKNOWN,  /* `reason` may hold a suggestion ("did you mean 'L'?") or be NULL */
  TRM_SYMBOL_CONSTANT, /* `value` */
  TRM_SYMBOL_VARIABLE, /* `slot`: index into the values given at evaluation */
  TRM_SYMBOL_REFUSED,  /* known, but not allowed here: `reason` is the whole message */
  TRM_SYMBOL_RESULT    /* of formulas over a run: `slot`, index into what other formulas gave */
} trm_symbol_kind;

typedef struct trm_symbol {
  trm_symbol_kind kind;
  double value;
  int slot;
  const char *reason;
} trm_symbol;

/* Names may hold dots and a trailing prime: "rod.B.vx", "x'". `pi` is built in and never asked for.
 * A call of smooth, norm, dot, cross or rotate is asked for as a whole, "smooth(u, 0.1)", and
 * so is a number with a unit, "3 mm"; where it is refused, `slot` says at
 * which of its characters. */
typedef trm_symbol (*trm_symbol_lookup)(void *context, const char *name, size_t length);

typedef struct trm_expression_error {
  size_t offset; /* into the text */
  char message[256];
  bool no_memory; /* the formula may be right */
} trm_expression_error;

/* `folder`: where table files are looked for (NULL: the working directory).
 * NULL on error, with `error` filled in: syntax, unknown name, wrong number of arguments, division
 * by zero or a domain error between constants, an unreadable table, nesting beyond a fixed depth.
 */
trm_expression *trm_expression_parse(const char *text, trm_symbol_lookup lookup, void *context,
                                     const char *folder, trm_expression_error *error);
/* The same. A formula that lies on the shelf is not parsed again: only its names are looked up. One
 * that does not is put there, where the shelf is open. shelf: or NULL. */
trm_expression *trm_expression_take(trm_shelf *shelf, const char *text, trm_symbol_lookup lookup,
                                    void *context, const char *folder, trm_expression_error *error);
void trm_expression_destroy(trm_expression *expression); /* accepts NULL */

bool trm_expression_is_constant(const trm_expression *expression);
/* Its value is 0 or 1: a comparison, or and, or, not. */
bool trm_expression_is_condition(const trm_expression *expression);
int trm_expression_slot_count(const trm_expression *expression); /* highest slot used + 1 */
int trm_expression_used(const trm_expression *expression, const int **slots); /* how many, which */
/* False where the formula or a derivative may jump: sign, step, if, abs, min, max, heaviside,
 * floor, round, mod, comparisons. */
bool trm_expression_is_smooth(const trm_expression *expression);
/* The first function that has a jump or a kink, "a comparison", or NULL. `step` has neither: only
 * its second derivative jumps. */
const char *trm_expression_kink(const trm_expression *expression);
/* The same operations on the same slots and constants; tables are alike where their files are. */
bool trm_expression_is_same(const trm_expression *one, const trm_expression *other);
/* In the slots first … first + count − 1: 0 independent, 1 linear, 2 neither. */
int trm_expression_degree(const trm_expression *expression, int first, int count);

/* No allocation; safe from many threads. A domain error gives NaN. */
double trm_expression_value(const trm_expression *expression, const double *slots);

/* Which table was left, where there is no value because of that; for messages. */
bool trm_expression_explain(const trm_expression *expression, const double *slots,
                            trm_expression_error *error);

/* A number that stays the same while sign, step, if, abs, min, max and comparisons stay on their
 * pieces. */
unsigned long trm_expression_branch(const trm_expression *expression, const double *slots);
/* Its value and jet keep to the pieces that it is on at these slots, or that another one of the
 * same form keeps to, wherever they are asked for from now on; its branch stays free. Not of
 * surfaces made of straight pieces. False: out of memory. */
bool trm_expression_can_fix_branches(const trm_expression *expression);
bool trm_expression_fix_branches(trm_expression *expression, const double *slots);
bool trm_expression_fix_branches_like(trm_expression *expression, const trm_expression *other);
void trm_expression_free_branches(trm_expression *expression); /* it is free again */

/* The first place where its pieces differ between two sets of slots. False: there is none, or
 * nothing passes zero there, or memory is out. */
typedef struct trm_switch {
  int at;      /* which of its operations */
  double most; /* of both pieces, as their operation numbers them */
} trm_switch;
bool trm_expression_find_switch(const trm_expression *expression, const double *before,
                                const double *behind, trm_switch *at);
/* What passes zero there, of this formula or of another one of the same form. It uses the tables of
 * that, and must not outlive it. NULL: out of memory. */
trm_expression *trm_expression_switching(const trm_expression *expression, const trm_switch *at);

/* Derivatives along s when each slot is itself a jet in s. With slot t = {t, 1, 0}: time
 * derivatives; with q + s v: the directional derivatives Jv and vᵀHv. */
trm_jet trm_expression_jet(const trm_expression *expression, const trm_jet *slots);

/* The value; gradient[k] = ∂f/∂slot k for k < slot_count. */
double trm_expression_gradient(const trm_expression *expression, const double *slots,
                               double *gradient);

#endif
