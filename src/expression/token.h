/* Tokens of a formula. */
#ifndef TRM_EXPRESSION_TOKEN_H
#define TRM_EXPRESSION_TOKEN_H

#include "expression/expression.h"

/* One-character tokens stand for themselves. */
typedef enum trm_token_kind {
  TRM_TOKEN_END = 256,
  TRM_TOKEN_NUMBER,
  TRM_TOKEN_QUANTITY, /* a number with a unit, "3 mm"; its value is that of the number */
  TRM_TOKEN_NAME,
  TRM_TOKEN_STRING, /* offset and length without the quotes */
  TRM_TOKEN_LESS_EQUAL,
  TRM_TOKEN_GREATER_EQUAL,
  TRM_TOKEN_EQUAL,
  TRM_TOKEN_NOT_EQUAL,
  TRM_TOKEN_AND,
  TRM_TOKEN_OR,
  TRM_TOKEN_NOT
} trm_token_kind;

typedef struct trm_token {
  int kind;
  size_t offset, length;
  double value; /* of a number */
} trm_token;

/* The token at or after `offset`; false where there is none, with `error` filled in. */
bool trm_token_read(const char *text, size_t offset, trm_token *token, trm_expression_error *error);

/* Length of the unsigned decimal number `text` starts with, 0 where it starts with none;
 * its value is infinite where it is too large. The locale must have a decimal point. */
size_t trm_number_read(const char *text, double *value);

#endif
