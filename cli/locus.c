/* trammel modes --along: eigenvalues over a parameter, and where stability changes. */
#include "locus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CRITICAL = 100, BISECTIONS = 200 };
#define UNSTABLE 1e-12 /* of the largest eigenvalue: a real part that grows */

typedef struct critical {
  double value, im;
} critical;

typedef struct locus {
  trm_cli_state *s;
  const trm_cli_along *along;
  trm_modes **modes; /* [count] */
  int criticals;
  critical critical[MOST_CRITICAL];
} locus;

static trm_modes *modes_at(locus *l, double value) {
  trm_status status =
      trm_simulation_set_parameter(l->s->simulation, l->along->name, value, l->s->diagnostics);
  if (status != TRM_OK || trm_cli_state_go(l->s) != 0) return NULL;
  return trm_simulation_modes(l->s->simulation, NULL, l->s->diagnostics, &status);
}

static double largest(const trm_modes *m) {
  double size = 0;
  for (int k = 0; k < m->count; k++) size = fmax(size, hypot(m->modes[k].re, m->modes[k].im));
  return size;
}

/* How many grow. */
static int growing(const trm_modes *m) {
  double floor = UNSTABLE * largest(m);
  int count = 0;
  for (int k = 0; k < m->count; k++) count += m->modes[k].re > floor;
  return count;
}

/* The imaginary part of the eigenvalue that has just begun to grow; on the other side a real one
 * may be nothing but round-off among zeros. */
static double border(const trm_modes *m) {
  double least = INFINITY, im = 0;
  double floor = UNSTABLE * largest(m);
  for (int k = 0; k < m->count; k++) {
    const trm_mode *mode = &m->modes[k];
    if (mode->re <= floor || mode->re >= least) continue;
    least = mode->re;
    im = fabs(mode->im);
  }
  return im;
}

/* By bisection down to neighbouring numbers between the values i − 1 and i. */
static bool find_critical(locus *l, int i) {
  double low = trm_cli_along_value(l->along, i - 1), high = trm_cli_along_value(l->along, i);
  int before = growing(l->modes[i - 1]), after = growing(l->modes[i]);
  int most = before > after ? before : after;
  double im = border(l->modes[before > after ? i - 1 : i]);
  for (int k = 0; k < BISECTIONS; k++) {
    double middle = low + (high - low) / 2;
    if (middle == low || middle == high || fabs(high - low) <= 1e-13 * fabs(middle)) break;
    trm_modes *m = modes_at(l, middle);
    if (!m) return false;
    int now = growing(m);
    if (now >= most) im = border(m);
    if (now == before)
      low = middle;
    else
      high = middle;
    trm_modes_destroy(m);
  }
  if (l->criticals < MOST_CRITICAL)
    l->critical[l->criticals++] = (critical){low + (high - low) / 2, im};
  return true;
}

static bool trace(locus *l) {
  for (int i = 0; i < l->along->count; i++)
    if (!(l->modes[i] = modes_at(l, trm_cli_along_value(l->along, i)))) return false;
  for (int i = 1; i < l->along->count; i++)
    if (growing(l->modes[i]) != growing(l->modes[i - 1]) && !find_critical(l, i)) return false;
  return true;
}

static void write_json(const locus *l, FILE *file) {
  fprintf(file, "{\n  \"parameter\": \"%s\",\n  \"values\": [", l->along->name);
  for (int i = 0; i < l->along->count; i++)
    fprintf(file, "%s%.17g", i ? ", " : "", trm_cli_along_value(l->along, i));
  fprintf(file, "],\n  \"eigenvalues\": [\n");
  for (int i = 0; i < l->along->count; i++) {
    const trm_modes *m = l->modes[i];
    fprintf(file, "    [");
    for (int k = 0; k < m->count; k++)
      fprintf(file, "%s[%.17g, %.17g]", k ? ", " : "", m->modes[k].re, m->modes[k].im);
    fprintf(file, "]%s\n", i < l->along->count - 1 ? "," : "");
  }
  fprintf(file, "  ],\n  \"critical\": [");
  for (int i = 0; i < l->criticals; i++)
    fprintf(file, "%s{\"value\": %.17g, \"im\": %.17g}", i ? ", " : "", l->critical[i].value,
            l->critical[i].im);
  fprintf(file, "]\n}\n");
}

static bool write_locus(const locus *l, const char *path) {
  FILE *file = trm_cli_create(path);
  if (!file) return false;
  write_json(l, file);
  return trm_cli_commit(file, path, true);
}

/* --- figure --- */

/* Eigenvalues as branches: each goes on with the one that is nearest to where it leads. */
typedef struct branches {
  int count, points;
  double *re, *im; /* [count × points] */
  double *p;       /* [points] */
  double *begin;   /* [2 × count] where each begins */
} branches;

static void follow(const locus *l, branches *b, int i, bool *taken) {
  const trm_modes *m = l->modes[i];
  memset(taken, 0, (size_t)m->count * sizeof *taken);
  for (int k = 0; k < b->count; k++) {
    double *re = b->re + (size_t)k * (size_t)b->points, *im = b->im + (size_t)k * (size_t)b->points;
    double x = i > 1 ? 2 * re[i - 1] - re[i - 2] : re[i > 0 ? i - 1 : 0];
    double y = i > 1 ? 2 * im[i - 1] - im[i - 2] : im[i > 0 ? i - 1 : 0], least = INFINITY;
    int best = i == 0 ? k : -1;
    for (int j = 0; j < m->count && i > 0; j++) {
      double off = hypot(m->modes[j].re - x, m->modes[j].im - y);
      if (!taken[j] && off < least) least = off, best = j;
    }
    re[i] = best >= 0 ? m->modes[best].re : NAN;
    im[i] = best >= 0 ? m->modes[best].im : NAN;
    if (best >= 0) taken[best] = true;
  }
}

static bool gather(const locus *l, branches *b) {
  b->points = l->along->count;
  b->count = l->modes[0]->count;
  int most = 0;
  for (int i = 0; i < b->points; i++) most = l->modes[i]->count > most ? l->modes[i]->count : most;
  size_t all = (size_t)b->count * (size_t)b->points;
  bool *taken = calloc((size_t)most + 1, sizeof *taken);
  b->re = calloc(2 * all + (size_t)b->points + 2 * (size_t)b->count + 1, sizeof *b->re);
  if (b->re && taken) {
    b->im = b->re + all;
    b->p = b->im + all;
    b->begin = b->p + b->points;
    for (int i = 0; i < b->points; i++) {
      b->p[i] = trm_cli_along_value(l->along, i);
      follow(l, b, i, taken);
    }
  }
  free(taken);
  return b->re && b->im;
}

/* Real parts over the parameter, and the root locus, with circles where it begins. */
static bool draw(const locus *l, const char *path) {
  branches b = {0};
  trm_plot_series *series = gather(l, &b) ? calloc(2 * (size_t)b.count + 1, sizeof *series) : NULL;
  bool good = series != NULL;
  char begin[64];
  for (int k = 0; good && k < b.count; k++) {
    const double *re = b.re + (size_t)k * (size_t)b.points,
                 *im = b.im + (size_t)k * (size_t)b.points;
    size_t points = (size_t)b.points;
    series[k] = (trm_plot_series){.count = points, .x = b.p, .y = re, .line = true};
    series[b.count + k] = (trm_plot_series){.count = points, .x = re, .y = im, .line = true};
    b.begin[k] = re[0];
    b.begin[b.count + k] = im[0];
  }
  if (good)
    series[2 * b.count] = (trm_plot_series){
        .count = (size_t)b.count, .x = b.begin, .y = b.begin + b.count, .markers = true};
  snprintf(begin, sizeof begin, "Root locus, from %.30s = %g", l->along->name, l->along->first);
  trm_plot plots[2] = {trm_default_plot(), trm_default_plot()};
  plots[0].title = "Real parts of the eigenvalues";
  plots[0].x.label = l->along->name;
  plots[0].y.label = "1/s";
  plots[0].series_count = b.count;
  plots[0].series = series;
  plots[1].title = begin;
  plots[1].x.label = "real part, 1/s";
  plots[1].y.label = "imaginary part, 1/s";
  plots[1].series_count = b.count + 1;
  plots[1].series = series + b.count;
  const trm_plot *panels[] = {&plots[0], &plots[1]};
  good = good && trm_plot_write_panels(panels, 2, path, l->s->diagnostics) == TRM_OK;
  free(series);
  free(b.re);
  return good;
}

int trm_cli_locus(trm_cli_state *s, const trm_cli_along *along, const char *path,
                  const char *figure, bool json) {
  locus l = {.s = s, .along = along};
  l.modes = calloc((size_t)along->count, sizeof *l.modes);
  bool good = l.modes && trace(&l) && write_locus(&l, path) && draw(&l, figure);
  if (good && json) write_json(&l, stdout);
  if (good && !json) {
    printf("%s: eigenvalues along %s\n", trm_cli_title(s->model), along->name);
    for (int i = 0; i < l.criticals; i++)
      printf("  %-27s%s = %.12g, %s\n", "stability changes at", along->name, l.critical[i].value,
             l.critical[i].im > 0 ? "oscillating" : "without oscillation");
    printf("  %-27s%s\n", "written", path);
  }
  for (int i = 0; l.modes && i < along->count; i++) trm_modes_destroy(l.modes[i]);
  free(l.modes);
  return good ? 0 : 1;
}
