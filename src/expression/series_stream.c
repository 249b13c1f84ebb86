/* Formulas over a run that is under way. As over rows, a NaN makes the value NaN. */
#include "expression/series_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "expression/series_parts.h"

/* Of one function over the run. */
typedef struct tally {
  double first, last, least, most, time_of_least, time_of_most, integral;
} tally;

struct trm_series_stream {
  const trm_series *series;
  double begin, now;
  double *values; /* [name_count] */
  tally *tallies; /* [reduction_count] */
};

typedef double (*finding)(const tally *t, double span);

static double find_min(const tally *t, double span) {
  (void)span;
  return t->least;
}
static double find_max(const tally *t, double span) {
  (void)span;
  return t->most;
}
static double find_range(const tally *t, double span) {
  (void)span;
  return t->most - t->least;
}
static double find_initial(const tally *t, double span) {
  (void)span;
  return t->first;
}
static double find_final(const tally *t, double span) {
  (void)span;
  return t->last;
}
static double find_time_of_min(const tally *t, double span) {
  (void)span;
  return isnan(t->least) ? NAN : t->time_of_least;
}
static double find_time_of_max(const tally *t, double span) {
  (void)span;
  return isnan(t->most) ? NAN : t->time_of_most;
}
static double find_integral(const tally *t, double span) {
  (void)span;
  return t->integral;
}
static double find_mean(const tally *t, double span) {
  return span > 0 ? t->integral / span : t->first;
}
static double find_rms(const tally *t, double span) {
  return span > 0 ? sqrt(t->integral / span) : fabs(t->first);
}

static const struct {
  double (*over_rows)(const trm_rows *rows, const trm_reduction *reduction);
  finding find;
  int power; /* of what is integrated; 0: nothing */
} kinds[] = {{trm_reduce_min, find_min, 0},
             {trm_reduce_max, find_max, 0},
             {trm_reduce_range, find_range, 0},
             {trm_reduce_initial, find_initial, 0},
             {trm_reduce_final, find_final, 0},
             {trm_reduce_time_of_min, find_time_of_min, 0},
             {trm_reduce_time_of_max, find_time_of_max, 0},
             {trm_reduce_integral, find_integral, 1},
             {trm_reduce_mean, find_mean, 1},
             {trm_reduce_rms, find_rms, 2}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int kind_of(const trm_reduction *reduction) {
  for (int k = 0; k < KINDS; k++)
    if (kinds[k].over_rows == reduction->kind->value) return k;
  return -1;
}

static int power_of(const trm_reduction *reduction) {
  int kind = kind_of(reduction);
  return kind < 0 ? 0 : kinds[kind].power;
}

/* Whether what stands in a function over the run is found at each state by itself. */
static bool is_of_state(const trm_series *series, const trm_reduction *reduction) {
  const trm_expression *argument = reduction->argument[0];
  for (int i = 0; i < argument->used_count; i++)
    if (series->names[argument->used[i]].kind == TRM_SERIES_REDUCTION) return false;
  return true;
}

static bool can_stream(const trm_series *series, trm_expression_error *error) {
  for (int i = 0; i < series->reduction_count; i++) {
    const trm_reduction *reduction = &series->reductions[i];
    bool known = kind_of(reduction) >= 0;
    if (known && is_of_state(series, reduction)) continue;
    error->offset = 0;
    snprintf(error->message, sizeof error->message,
             known ? "%s(…) of what is found over the whole run needs its rows; write it as one "
                     "of the model's metrics, and name that"
                   : "%s(…) needs the rows of the run; write it as one of the model's metrics, "
                     "and name that",
             reduction->kind->name);
    return false;
  }
  return true;
}

trm_series_stream *trm_series_stream_create(const trm_series *series, trm_expression_error *error) {
  if (!can_stream(series, error)) return NULL;
  trm_series_stream *stream = calloc(1, sizeof *stream);
  if (stream) {
    stream->series = series;
    stream->values = calloc((size_t)series->name_count + 1, sizeof *stream->values);
    stream->tallies = calloc((size_t)series->reduction_count + 1, sizeof *stream->tallies);
    if (stream->values && stream->tallies) return stream;
  }
  trm_series_stream_destroy(stream);
  snprintf(error->message, sizeof error->message, "out of memory");
  return NULL;
}

void trm_series_stream_destroy(trm_series_stream *stream) {
  if (!stream) return;
  free(stream->values);
  free(stream->tallies);
  free(stream);
}

static void take_results(trm_series_stream *stream, const double *results) {
  const trm_series *series = stream->series;
  for (int i = 0; i < series->name_count; i++)
    if (series->names[i].kind == TRM_SERIES_RESULT)
      stream->values[i] = results[series->names[i].index];
}

void trm_series_stream_begin(trm_series_stream *stream, double t, const double *results) {
  const trm_series *series = stream->series;
  stream->begin = t;
  stream->now = -INFINITY; /* no state yet */
  take_results(stream, results);
  for (int i = 0; i < series->reduction_count; i++) stream->tallies[i].integral = 0;
}

static void take_slots(trm_series_stream *stream, const double *slots) {
  const trm_series *series = stream->series;
  for (int i = 0; i < series->name_count; i++)
    if (series->names[i].kind == TRM_SERIES_COLUMN)
      stream->values[i] = slots[series->names[i].index];
}

static void count(tally *t, double now, double x, bool begins) {
  if (begins) {
    *t = (tally){x, x, x, x, now, now, t->integral};
    return;
  }
  t->last = x;
  if (x > t->most || isnan(x)) t->most = x, t->time_of_most = now;
  if (x < t->least || isnan(x)) t->least = x, t->time_of_least = now;
}

void trm_series_stream_state(trm_series_stream *stream, double t, const double *slots) {
  const trm_series *series = stream->series;
  bool begins = stream->now == -INFINITY;
  take_slots(stream, slots);
  for (int i = 0; i < series->reduction_count; i++)
    count(&stream->tallies[i], t,
          trm_expression_value(series->reductions[i].argument[0], stream->values), begins);
  stream->now = t;
}

int trm_series_stream_integrals(const trm_series_stream *stream) {
  int count_of = 0;
  for (int i = 0; i < stream->series->reduction_count; i++)
    count_of += power_of(&stream->series->reductions[i]) > 0;
  return count_of;
}

void trm_series_stream_integrands(trm_series_stream *stream, const double *slots, double *values) {
  const trm_series *series = stream->series;
  take_slots(stream, slots);
  for (int i = 0; i < series->reduction_count; i++) {
    int power = power_of(&series->reductions[i]);
    if (power == 0) continue;
    double x = trm_expression_value(series->reductions[i].argument[0], stream->values);
    *values++ = power == 2 ? x * x : x;
  }
}

void trm_series_stream_add(trm_series_stream *stream, const double *parts) {
  for (int i = 0; i < stream->series->reduction_count; i++)
    if (power_of(&stream->series->reductions[i]) > 0) stream->tallies[i].integral += *parts++;
}

double trm_series_stream_value(trm_series_stream *stream, const double *results) {
  const trm_series *series = stream->series;
  take_results(stream, results);
  for (int i = 0; i < series->name_count; i++) {
    const trm_series_name *name = &series->names[i];
    if (name->kind != TRM_SERIES_REDUCTION) continue;
    const trm_reduction *reduction = &series->reductions[name->index];
    double span = stream->now - stream->begin;
    stream->values[i] = kinds[kind_of(reduction)].find(&stream->tallies[name->index], span);
  }
  return trm_expression_value(series->whole, stream->values);
}
