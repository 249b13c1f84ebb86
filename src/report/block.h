/* Tables of single-precision numbers inside a page or a scene: compressed, then base64. */
#ifndef TRM_REPORT_BLOCK_H
#define TRM_REPORT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "result/json.h"

/* Writes <script id="..."> with rows × columns numbers, given row after row. False: no memory. */
bool trm_block_write(trm_output *output, const char *id, const float *values, size_t rows,
                     size_t columns);

/* The same as an object {"rows": N, "data": "…"}. */
bool trm_block_write_object(trm_json *json, const char *key, const float *values, size_t rows,
                            size_t columns);

/* The other way: the base64 text; free() the numbers. NULL where it is no such block. */
float *trm_block_read(const char *text, size_t length, size_t rows, size_t columns);

#endif
