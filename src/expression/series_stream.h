/* A formula over a run, found while the run goes on: no rows are kept. */
#ifndef TRM_EXPRESSION_SERIES_STREAM_H
#define TRM_EXPRESSION_SERIES_STREAM_H

#include "expression/series.h"

typedef struct trm_series_stream trm_series_stream;

/* NULL, with `error` filled in, where a formula needs rows: at, first, slope, and a function over
 * the run inside another one. The series must outlive it. */
trm_series_stream *trm_series_stream_create(const trm_series *series, trm_expression_error *error);
void trm_series_stream_destroy(trm_series_stream *stream); /* accepts NULL */

/* results: of trm_series_value, before the first state. */
void trm_series_stream_begin(trm_series_stream *stream, double t, const double *results);
/* The run is at this state; a variable's slot is an index into `slots`. */
void trm_series_stream_state(trm_series_stream *stream, double t, const double *slots);

/* mean, rms and integral: what they integrate, and what a part of the run has given. */
int trm_series_stream_integrals(const trm_series_stream *stream);
void trm_series_stream_integrands(trm_series_stream *stream, const double *slots, double *values);
void trm_series_stream_add(trm_series_stream *stream, const double *parts);

/* Of the run so far; results as far as they are needed outside of functions over the run. */
double trm_series_stream_value(trm_series_stream *stream, const double *results);

#endif
