/* A small JSON writer: one object of strings and numbers. */
#ifndef TRM_RESULT_JSON_H
#define TRM_RESULT_JSON_H

#include "result/output.h"

typedef struct trm_json {
  trm_output *output;
  bool begun; /* something stands before the next key */
} trm_json;

void trm_json_begin(trm_json *json, trm_output *output);
void trm_json_string(trm_json *json, const char *key, const char *value); /* NULL → null */
void trm_json_number(trm_json *json, const char *key, double value);      /* NaN, ±∞ → null */
void trm_json_integer(trm_json *json, const char *key, long value);
void trm_json_end(trm_json *json);

#endif
