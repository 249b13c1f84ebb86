/* A results table for plots: fewer rows where there are many, extremes kept. */
#ifndef TRM_REPORT_EXCERPT_H
#define TRM_REPORT_EXCERPT_H

#include <trammel/results.h>

#include "result/json.h"

typedef struct trm_excerpt {
  int rows, columns; /* columns without t */
  double *t;         /* [rows] */
  float *values;     /* [rows × columns] */
} trm_excerpt;

/* False: no memory. */
bool trm_excerpt_create(trm_excerpt *excerpt, const trm_results *results);
void trm_excerpt_free(trm_excerpt *excerpt);
/* An object: names, times, and how many rows there were. */
void trm_excerpt_write(const trm_excerpt *excerpt, const trm_results *results, const char *key,
                       trm_json *json);

#endif
