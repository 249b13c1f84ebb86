/* A small JSON writer: an object of strings, numbers and objects. */
#ifndef TRM_RESULT_JSON_H
#define TRM_RESULT_JSON_H

#include "result/output.h"

typedef struct trm_json {
  trm_output *output;
  bool begun; /* something stands before the next key */
  bool html;  /* inside a page: no line breaks, and no '<' in strings */
  int depth;  /* objects open inside */
} trm_json;

/* Where a key may be NULL it is left out: an item of a list. */

void trm_json_begin(trm_json *json, trm_output *output);
void trm_json_key(trm_json *json, const char *key); /* the caller writes the value */
void trm_json_string(trm_json *json, const char *key, const char *value); /* NULL → null */
void trm_json_number(trm_json *json, const char *key, double value);      /* NaN, ±∞ → null */
void trm_json_bool(trm_json *json, const char *key, bool value);
void trm_json_integer(trm_json *json, const char *key, long value);
/* An object inside: what is written until it is closed belongs to it. */
void trm_json_open(trm_json *json, const char *key);
void trm_json_close(trm_json *json);
void trm_json_open_list(trm_json *json, const char *key);
void trm_json_close_list(trm_json *json);
/* A list of numbers with so many digits. */
void trm_json_numbers(trm_json *json, const char *key, const double *values, int count, int digits);
void trm_json_end(trm_json *json);

#endif
