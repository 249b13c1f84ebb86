/* Statistics of a study, row by row. */
#include "sweep/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/distribution.h"
#include "result/json.h"

/* Two numbers of many pairs: means and second moments about them (Welford). */
typedef struct pair {
  double n, x, y, xx, yy, xy;
} pair;

static void add(pair *p, double x, double y) {
  double dx = x - p->x, dy = y - p->y;
  p->n += 1;
  p->x += dx / p->n;
  p->y += dy / p->n;
  p->xx += dx * (x - p->x);
  p->yy += dy * (y - p->y);
  p->xy += dx * (y - p->y);
}

struct trm_statistics {
  int records, parameters, limits;
  bool samples; /* drawn, and so intervals have a meaning */
  uint64_t present, completed;
  double *least, *most; /* [records] */
  pair *with;           /* [records × (parameters + 1)] parameter and record; the last: itself */
  uint64_t *passed;     /* [limits] */

  /* Saltelli's blocks: x is the estimator's numerator, y that of the variance */
  pair *first, *total; /* [records × parameters] */
  int width;           /* runs of a block */
  double *block;       /* [width × records] */
  uint64_t in_block;
};

static pair *pair_of(const trm_statistics *t, int record, int parameter) {
  return &t->with[record * (t->parameters + 1) + parameter];
}

static bool count_row(void *context, const trm_sweep_row *row) {
  trm_statistics *t = context;
  t->present++;
  t->completed += strcmp(row->status, "completed") == 0;
  for (int i = 0; i < t->limits; i++) {
    double met = row->values[t->records + i];
    t->passed[i] += met == met && met != 0 && strcmp(row->status, "failed") != 0;
  }
  for (int i = 0; i < t->records; i++) {
    double y = row->values[i];
    if (!isfinite(y) || strcmp(row->status, "failed") == 0) continue;
    pair *own = pair_of(t, i, t->parameters);
    t->least[i] = own->n > 0 ? fmin(t->least[i], y) : y;
    t->most[i] = own->n > 0 ? fmax(t->most[i], y) : y;
    add(own, y, y);
    for (int k = 0; k < t->parameters; k++) add(pair_of(t, i, k), row->parameters[k], y);
  }
  return true;
}

/* A block of runs A, B, A with column k of B: numerators of the first-order index (Saltelli 2010)
 * and of the total one (Jansen 1999), and of the variance, all about the mean. */
static void count_block(trm_statistics *t, int record) {
  double mean = pair_of(t, record, t->parameters)->x;
  const double *f = t->block + record;
  for (int k = 0; k < t->width; k++)
    if (!isfinite(f[k * t->records])) return;
  double a = f[0] - mean, b = f[t->records] - mean, variance = (a * a + b * b) / 2;
  for (int k = 0; k < t->parameters; k++) {
    double ab = f[(k + 2) * t->records] - mean;
    add(&t->first[record * t->parameters + k], b * (ab - a), variance);
    add(&t->total[record * t->parameters + k], (a - ab) * (a - ab) / 2, variance);
  }
}

static bool collect_block(void *context, const trm_sweep_row *row) {
  trm_statistics *t = context;
  uint64_t place = row->run % (uint64_t)t->width;
  if (place == 0) t->in_block = 0;
  double *to = t->block + (ptrdiff_t)place * t->records;
  bool failed = strcmp(row->status, "failed") == 0;
  for (int i = 0; i < t->records; i++) to[i] = failed ? (double)NAN : row->values[i];
  if (++t->in_block < (uint64_t)t->width || place != (uint64_t)t->width - 1) return true;
  for (int i = 0; i < t->records; i++) count_block(t, i);
  return true;
}

static trm_statistics *create(const trm_sweep *s) {
  trm_statistics *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->records = s->record_count;
  t->parameters = s->design.columns;
  t->limits = s->limit_count;
  t->samples = s->design.kind != TRM_DESIGN_GRID;
  t->width = t->parameters + 2;
  size_t records = (size_t)t->records + 1, pairs = records * ((size_t)t->parameters + 2);
  t->least = calloc(records, sizeof *t->least);
  t->most = calloc(records, sizeof *t->most);
  t->with = calloc(pairs, sizeof *t->with);
  t->first = calloc(pairs, sizeof *t->first);
  t->total = calloc(pairs, sizeof *t->total);
  t->block = calloc(pairs + records, sizeof *t->block);
  t->passed = calloc((size_t)t->limits + 1, sizeof *t->passed);
  if (t->least && t->most && t->with && t->first && t->total && t->block && t->passed) return t;
  trm_statistics_free(t);
  return NULL;
}

void trm_statistics_free(trm_statistics *t) {
  if (!t) return;
  free(t->least);
  free(t->most);
  free(t->with);
  free(t->first);
  free(t->total);
  free(t->block);
  free(t->passed);
  free(t);
}

trm_statistics *trm_statistics_create(trm_sweep *s, trm_store *store,
                                      trm_diagnostics *diagnostics) {
  trm_statistics *t = create(s);
  if (!t) trm_report(diagnostics, TRM_ERROR, "out of memory");
  bool good = t && trm_sweep_visit(s, store, count_row, t, diagnostics);
  if (good && s->design.kind == TRM_DESIGN_SALTELLI && t->records > 0)
    good = trm_sweep_visit(s, store, collect_block, t, diagnostics);
  if (good) return t;
  trm_statistics_free(t);
  return NULL;
}

/* --- what they say --- */

static const double normal_95 = 1.9599639845400542;

/* Chi-squared over its freedoms, by Wilson and Hilferty. */
static double chi_squared(double z, double freedoms) {
  double s = 2 / (9 * freedoms), c = 1 - s + z * sqrt(s);
  return c * c * c;
}

trm_sweep_statistic trm_sweep_get_statistic(const trm_sweep *s, int record) {
  const trm_statistics *t = s->statistics;
  trm_sweep_statistic said = {s->records.names[record], 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  const pair *own = t ? pair_of(t, record, t->parameters) : NULL;
  if (!own || own->n == 0) return said;
  said.count = (uint64_t)own->n;
  said.mean = own->x;
  said.least = t->least[record];
  said.most = t->most[record];
  if (own->n < 2) return said;
  said.sd = sqrt(own->xx / (own->n - 1));
  if (!t->samples) return said;
  double error = trm_t_two_sided(0.95, own->n - 1) * said.sd / sqrt(own->n);
  said.mean_low = own->x - error;
  said.mean_high = own->x + error;
  said.sd_low = said.sd / sqrt(chi_squared(normal_95, own->n - 1));
  said.sd_high = said.sd / sqrt(fmax(chi_squared(-normal_95, own->n - 1), 0));
  return said;
}

/* Wilson's interval: also for shares next to 0 and 1. */
trm_sweep_share trm_sweep_get_share(const trm_sweep *s, int limit) {
  const trm_statistics *t = s->statistics;
  trm_sweep_share said = {s->records.names[s->record_count + limit], 0, 0, NAN, NAN, NAN};
  if (!t || t->present == 0) return said;
  double n = (double)t->present, p = (double)t->passed[limit] / n, z = normal_95;
  double middle = p + z * z / (2 * n), width = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  said.passed = t->passed[limit];
  said.runs = t->present;
  said.share = p;
  if (!t->samples) return said;
  said.low = t->passed[limit] == 0 ? 0 : (middle - width) / (1 + z * z / n);
  said.high = t->passed[limit] == t->present ? 1 : (middle + width) / (1 + z * z / n);
  return said;
}

/* x over y and its interval: what the moments of both say of their ratio. */
static void ratio(const pair *p, double *value, double *low, double *high) {
  *value = *low = *high = NAN;
  if (p->n < 2 || !(p->y > 0)) return;
  *value = p->x / p->y;
  double spread = p->xx - 2 * *value * p->xy + *value * *value * p->yy;
  double error = sqrt(fmax(spread, 0) / (p->n - 1) / p->n) / p->y;
  double width = trm_t_two_sided(0.95, p->n - 1) * error;
  *low = *value - width;
  *high = *value + width;
}

trm_sweep_influence trm_sweep_get_influence(const trm_sweep *s, int record, int parameter) {
  const trm_statistics *t = s->statistics;
  trm_sweep_influence said = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  if (!t) return said;
  const pair *p = pair_of(t, record, parameter);
  if (p->n > 1 && p->xx > 0 && p->yy > 0) {
    said.correlation = p->xy / sqrt(p->xx * p->yy);
    if (p->n > 3 && t->samples) {
      double z = atanh(fmax(-1, fmin(1, said.correlation))), width = normal_95 / sqrt(p->n - 3);
      said.correlation_low = tanh(z - width);
      said.correlation_high = tanh(z + width);
    }
  }
  if (s->design.kind != TRM_DESIGN_SALTELLI) return said;
  int at = record * t->parameters + parameter;
  ratio(&t->first[at], &said.first, &said.first_low, &said.first_high);
  ratio(&t->total[at], &said.total, &said.total_low, &said.total_high);
  return said;
}

uint64_t trm_sweep_present(const trm_sweep *s) {
  return s->statistics ? s->statistics->present : 0;
}

uint64_t trm_sweep_completed(const trm_sweep *s) {
  return s->statistics ? s->statistics->completed : 0;
}

/* --- as JSON --- */

static void write_interval(trm_json *json, const char *key, double low, double high) {
  if (isnan(low)) return;
  trm_json_open_list(json, key);
  trm_json_number(json, NULL, low);
  trm_json_number(json, NULL, high);
  trm_json_close_list(json);
}

static void write_statistic(trm_json *json, const trm_sweep_statistic *said) {
  trm_json_open(json, said->record);
  trm_json_number(json, "count", (double)said->count);
  trm_json_number(json, "mean", said->mean);
  write_interval(json, "mean_confidence", said->mean_low, said->mean_high);
  trm_json_number(json, "sd", said->sd);
  write_interval(json, "sd_confidence", said->sd_low, said->sd_high);
  trm_json_number(json, "min", said->least);
  trm_json_number(json, "max", said->most);
  trm_json_close(json);
}

static void write_limits(const trm_sweep *s, trm_json *json) {
  trm_json_open_list(json, "limits");
  for (int i = 0; i < s->limit_count; i++) {
    trm_sweep_share said = trm_sweep_get_share(s, i);
    trm_json_open(json, NULL);
    trm_json_string(json, "limit", said.limit);
    trm_json_number(json, "passed", (double)said.passed);
    trm_json_number(json, "runs", (double)said.runs);
    trm_json_number(json, "share", said.share);
    write_interval(json, "confidence", said.low, said.high);
    trm_json_close(json);
  }
  trm_json_close_list(json);
}

static void write_influence(trm_json *json, const char *name, const trm_sweep_influence *said,
                            bool sobol) {
  trm_json_open(json, name);
  if (sobol) {
    trm_json_number(json, "first", said->first);
    write_interval(json, "first_confidence", said->first_low, said->first_high);
    trm_json_number(json, "total", said->total);
    write_interval(json, "total_confidence", said->total_low, said->total_high);
  } else {
    trm_json_number(json, "value", said->correlation);
    write_interval(json, "confidence", said->correlation_low, said->correlation_high);
  }
  trm_json_close(json);
}

static void write_influences(const trm_sweep *s, trm_json *json, const char *key, bool sobol) {
  trm_json_open(json, key);
  for (int i = 0; i < s->record_count; i++) {
    trm_json_open(json, s->records.names[i]);
    for (int k = 0; k < s->design.columns; k++) {
      trm_sweep_influence said = trm_sweep_get_influence(s, i, k);
      write_influence(json, s->parameters[k], &said, sobol);
    }
    trm_json_close(json);
  }
  trm_json_close(json);
}

void trm_statistics_write(const trm_sweep *s, trm_json *json) {
  trm_json_open(json, "records");
  for (int i = 0; i < s->record_count; i++) {
    trm_sweep_statistic said = trm_sweep_get_statistic(s, i);
    write_statistic(json, &said);
  }
  trm_json_close(json);
  write_limits(s, json);
  write_influences(s, json, "correlation", false);
  if (s->design.kind == TRM_DESIGN_SALTELLI) write_influences(s, json, "sobol", true);
}
