/* The parameters of each run. */
#include "sweep/design.h"

#include <math.h>
#include <string.h>

#include "sweep/random.h"

static const char *const names[] = {"grid", "random", "lhs", "sobol", "saltelli", "table"};

const char *trm_design_name(trm_design_kind kind) {
  return names[kind];
}

bool trm_design_find(const char *name, trm_design_kind *kind) {
  for (int k = 0; k < TRM_DESIGN_TABLE; k++)
    if (strcmp(names[k], name) == 0) {
      *kind = (trm_design_kind)k;
      return true;
    }
  return false;
}

static const double most_runs = 4294967296.0; /* 2³²: points of a Sobol sequence */

static bool count_grid(trm_design *d, trm_diagnostics *diagnostics) {
  double runs = 1;
  bool good = true;
  for (int k = 0; k < d->columns; k++) {
    const trm_variation *v = &d->variations[k];
    if (v->levels == 0) {
      trm_report(diagnostics, TRM_ERROR,
                 "--vary %s: a grid takes first:last:count or discrete(v1, v2, …), not a "
                 "distribution; design random, lhs or sobol does",
                 v->name);
      good = false;
    }
    runs *= (double)v->levels;
  }
  d->runs = runs <= most_runs ? (uint64_t)runs : UINT64_MAX;
  return good;
}

static bool prepare_sobol(trm_design *d, int columns, trm_arena *arena,
                          trm_diagnostics *diagnostics) {
  if (columns > TRM_SOBOL_DIMENSIONS) {
    trm_report(diagnostics, TRM_ERROR,
               "design '%s' takes at most %d parameters, here are %d; lhs and random take any "
               "number",
               names[d->kind], TRM_SOBOL_DIMENSIONS * d->columns / columns, d->columns);
    return false;
  }
  d->directions = trm_arena_alloc(arena, (size_t)columns, sizeof *d->directions);
  if (!d->directions) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    return false;
  }
  for (int k = 0; k < columns; k++) trm_sobol_directions(k, d->directions[k]);
  return true;
}

bool trm_design_prepare(trm_design *d, trm_arena *arena, trm_diagnostics *diagnostics) {
  bool good = true;
  d->runs = d->samples;
  if (d->kind == TRM_DESIGN_GRID) good = count_grid(d, diagnostics);
  if (d->kind == TRM_DESIGN_SOBOL) good = prepare_sobol(d, d->columns, arena, diagnostics);
  if (d->kind == TRM_DESIGN_SALTELLI) {
    good = prepare_sobol(d, 2 * d->columns, arena, diagnostics);
    d->runs = d->samples * ((uint64_t)d->columns + 2);
  }
  if (good && (double)d->runs > most_runs) {
    trm_report(diagnostics, TRM_ERROR, "the study has more than 2^32 runs");
    good = false;
  }
  return good;
}

/* --- correlated parameters --- */

static int column_of(const trm_design *d, const trm_results *matrix, int k,
                     trm_diagnostics *diagnostics) {
  const char *name = trm_results_name(matrix, k);
  for (int i = 0; i < d->columns; i++)
    if (strcmp(d->variations[i].name, name) == 0) return i;
  trm_report(diagnostics, TRM_ERROR,
             "the correlation matrix has a column '%s', which is not varied", name);
  return -1;
}

/* Into C, the unit matrix so far. */
static bool take_matrix(const trm_design *d, const trm_results *matrix, double *C,
                        trm_diagnostics *diagnostics) {
  int n = trm_results_columns(matrix);
  if (trm_results_rows(matrix) != n) {
    trm_report(diagnostics, TRM_ERROR,
               "the correlation matrix has %d columns and %d rows; it must be square, with the "
               "parameters' names above",
               n, trm_results_rows(matrix));
    return false;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int row = column_of(d, matrix, i, diagnostics);
      int column = row < 0 ? -1 : column_of(d, matrix, j, diagnostics);
      if (column < 0) return false;
      double c = trm_results_get(matrix, i, j);
      if (c != trm_results_get(matrix, j, i) || !(fabs(c) <= 1) || (i == j && c != 1)) {
        trm_report(diagnostics, TRM_ERROR,
                   "correlation of '%s' and '%s': the matrix must be symmetric, with ones on its "
                   "diagonal and no number beyond them",
                   d->variations[row].name, d->variations[column].name);
        return false;
      }
      C[row * d->columns + column] = c;
    }
  return true;
}

/* C = L Lᵀ in place; false: C is not positive definite. */
static bool factor(double *C, int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double sum = C[i * n + j];
      for (int k = 0; k < j && i >= j; k++) sum -= C[i * n + k] * C[j * n + k];
      if (i == j && !(sum > 1e-12)) return false;
      C[i * n + j] = i < j ? 0 : i == j ? sqrt(sum) : sum / C[j * n + j];
    }
  return true;
}

bool trm_design_correlate(trm_design *d, const trm_results *matrix, trm_arena *arena,
                          trm_diagnostics *diagnostics) {
  if (d->kind != TRM_DESIGN_RANDOM && d->kind != TRM_DESIGN_LHS && d->kind != TRM_DESIGN_SOBOL) {
    trm_report(diagnostics, TRM_ERROR,
               "design '%s' has independent parameters; random, lhs and sobol take a correlation",
               names[d->kind]);
    return false;
  }
  int n = d->columns;
  d->factor = TRM_NEW(arena, double, n *n);
  if (!d->factor) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    return false;
  }
  for (int k = 0; k < n; k++) d->factor[k * n + k] = 1;
  if (!take_matrix(d, matrix, d->factor, diagnostics)) return false;
  if (factor(d->factor, n)) return true;
  trm_report(diagnostics, TRM_ERROR,
             "the correlation matrix is not positive definite: no parameters have such "
             "correlations");
  return false;
}

/* --- a run --- */

static double sobol_unit(const trm_design *d, uint64_t point, int column) {
  uint32_t x = trm_sobol_point(d->directions[column], (uint32_t)point);
  return trm_sobol_unit(trm_sobol_scramble(x, trm_random_bits(d->seed, 0, (uint32_t)column)));
}

/* Points A and B have columns of their own; run k > 1 of a block is A with column k − 2 of B. */
static double saltelli_unit(const trm_design *d, uint64_t run, int column) {
  uint64_t block = (uint64_t)d->columns + 2, which = run % block;
  bool of_b = which == 1 || which == (uint64_t)column + 2;
  return sobol_unit(d, run / block, column + (of_b ? d->columns : 0));
}

static double lhs_unit(const trm_design *d, uint64_t run, int column) {
  uint64_t stratum = trm_random_place(d->seed, (uint32_t)column, run, d->runs);
  double inside = trm_random_unit(trm_random_bits(d->seed, run, (uint32_t)column));
  double u = ((double)stratum + inside) / (double)d->runs;
  return u < 1 ? u : nextafter(1, 0);
}

static double unit(const trm_design *d, uint64_t run, int column) {
  switch (d->kind) {
  case TRM_DESIGN_LHS: return lhs_unit(d, run, column);
  case TRM_DESIGN_SOBOL: return sobol_unit(d, run, column);
  case TRM_DESIGN_SALTELLI: return saltelli_unit(d, run, column);
  default: return trm_random_unit(trm_random_bits(d->seed, run, (uint32_t)column));
  }
}

/* Normal scores z become L z, row by row from the last, which needs those above it. */
static void correlate(const trm_design *d, double *u) {
  int n = d->columns;
  for (int k = 0; k < n; k++) u[k] = trm_normal_quantile(u[k]);
  for (int i = n - 1; i >= 0; i--) {
    double sum = 0;
    for (int k = 0; k <= i; k++) sum += d->factor[i * n + k] * u[k];
    u[i] = fmin(fmax(trm_normal_probability(sum), 1e-300), 1 - 0x1p-53); /* inside (0, 1) */
  }
}

/* The last parameter changes fastest. */
static void grid_run(const trm_design *d, uint64_t run, double *values) {
  for (int k = d->columns - 1; k >= 0; k--) {
    uint64_t levels = (uint64_t)d->variations[k].levels;
    values[k] = trm_variation_level(&d->variations[k], (long)(run % levels));
    run /= levels;
  }
}

void trm_design_run(const trm_design *d, uint64_t run, double *values) {
  if (d->kind == TRM_DESIGN_GRID) {
    grid_run(d, run, values);
    return;
  }
  for (int k = 0; k < d->columns; k++) values[k] = d->table ? d->table[k][run] : unit(d, run, k);
  if (d->table) return;
  if (d->factor) correlate(d, values);
  for (int k = 0; k < d->columns; k++)
    values[k] = trm_variation_quantile(&d->variations[k], values[k]);
}
