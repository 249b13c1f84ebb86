/* Comparing two tables: which times and columns both have, then the agreement of each column. */
#include "base/arena.h"
#include "base/diagnostics.h"
#include "base/map.h"
#include "base/sized.h"
#include "result/number.h"
#include "result/statistics.h"

#include <math.h>
#include <string.h>

enum { LEAST_ROWS = 3 };

typedef struct side {
  const trm_results *table;
  const char *name;
  int time;         /* its column */
  trm_map *columns; /* by name */
  int *rows;        /* of the common times */
  double *values;   /* of the column at hand, at the common times */
} side;

typedef struct comparer {
  trm_comparison found; /* first: the caller has its address */
  trm_arena *arena;     /* holds all, this too */
  side sides[2];
  const trm_compare_options *options;
  trm_diagnostics *diagnostics;
  trm_status status;
  double *t;        /* common times */
  double *column_t; /* those of the column at hand */
} comparer;

static const trm_compare_options no_options = {0};

void trm_compare_options_init(trm_compare_options *defaults, size_t size) {
  trm_sized_give(defaults, size, &no_options, sizeof no_options);
}

static bool fail(comparer *c, trm_status status) {
  c->status = status;
  return false;
}

static bool out_of_memory(comparer *c) {
  trm_report(c->diagnostics, TRM_ERROR, "out of memory");
  return fail(c, TRM_NO_MEMORY);
}

static trm_place in(const side *s) {
  return (trm_place){.file = s->name};
}

static bool index_columns(comparer *c, side *s) {
  s->columns = trm_map_create(c->arena);
  if (!s->columns) return out_of_memory(c);
  for (int k = 0; k < trm_results_columns(s->table); k++) {
    const char *name = trm_results_name(s->table, k);
    if (trm_map_get(s->columns, name, strlen(name)) >= 0) {
      trm_report_place(c->diagnostics, TRM_ERROR, in(s), "two columns are called '%s'", name);
      return fail(c, TRM_FAILED);
    }
    if (!trm_map_put(s->columns, name, strlen(name), k)) return out_of_memory(c);
  }
  s->time = trm_map_get(s->columns, "t", 1);
  if (s->time >= 0) return true;
  trm_report_place(c->diagnostics, TRM_ERROR, in(s), "there is no column 't'");
  return fail(c, TRM_FAILED);
}

/* Increasing times make the matching one pass, and unique. */
static bool check_times(comparer *c, const side *s) {
  double before = -INFINITY;
  for (int i = 0; i < trm_results_rows(s->table); i++) {
    double t = trm_results_get(s->table, i, s->time);
    if (!isfinite(t)) {
      char text[TRM_NUMBER_SIZE];
      trm_number_write(t, text);
      trm_report_place(c->diagnostics, TRM_ERROR, in(s), "row %d: t is %s, no finite number", i + 1,
                       text);
    } else if (t <= before) {
      trm_report_place(c->diagnostics, TRM_ERROR, in(s),
                       "row %d: t = %.9g is not after t = %.9g of the row before", i + 1, t,
                       before);
    }
    if (!(isfinite(t) && t > before)) return fail(c, TRM_FAILED);
    before = t;
  }
  return true;
}

static bool match_times(comparer *c) {
  side *a = &c->sides[0], *b = &c->sides[1];
  int rows_a = trm_results_rows(a->table), rows_b = trm_results_rows(b->table), n = 0;
  for (int i = 0, j = 0; i < rows_a && j < rows_b;) {
    double ta = trm_results_get(a->table, i, a->time), tb = trm_results_get(b->table, j, b->time);
    if (fabs(ta - tb) <= 1e-9 * fmax(1, fabs(ta))) {
      a->rows[n] = i++;
      b->rows[n] = j++;
      c->t[n++] = ta;
    } else if (ta < tb) {
      i++;
    } else {
      j++;
    }
  }
  c->found.rows = n;
  c->found.row_in[0] = a->rows;
  c->found.row_in[1] = b->rows;
  if (n < LEAST_ROWS) {
    trm_report(c->diagnostics, TRM_ERROR,
               "%d time%s common to '%s' (%d rows) and '%s' (%d rows), but %d are needed: run both "
               "with the same --output-step",
               n, n == 1 ? " is" : "s are", a->name, rows_a, b->name, rows_b, LEAST_ROWS);
    return fail(c, TRM_FAILED);
  }
  c->found.first_time = c->t[0];
  c->found.last_time = c->t[n - 1];
  return true;
}

/* "bob" selects "bob" and "bob.x", but not "bobbin.x". */
static bool selects(const char *selection, const char *column) {
  size_t length = strlen(selection);
  if (strncmp(selection, column, length) != 0) return false;
  return column[length] == 0 || column[length] == '.';
}

static bool is_selected(const comparer *c, const char *column) {
  for (int k = 0; k < c->options->column_count; k++)
    if (selects(c->options->columns[k], column)) return true;
  return c->options->column_count == 0;
}

/* Sorts the columns of a side into common ones, named in the first pass only, and its own. */
static bool sort_columns(comparer *c, int which) {
  const side *s = &c->sides[which], *other = &c->sides[1 - which];
  int count = trm_results_columns(s->table);
  const char **only = TRM_NEW(c->arena, const char *, count);
  trm_comparison *found = &c->found;
  if (which == 0) found->columns = TRM_NEW(c->arena, trm_agreement, count);
  if (!only || !found->columns) return out_of_memory(c);
  found->only_in[which] = only;
  for (int k = 0; k < count; k++) {
    const char *name = trm_results_name(s->table, k);
    if (k == s->time || !is_selected(c, name)) continue;
    bool common = trm_map_get(other->columns, name, strlen(name)) >= 0;
    if (common && which == 1) continue;
    const char *copy = trm_arena_string(c->arena, name);
    if (!copy) return out_of_memory(c);
    if (common)
      found->columns[found->column_count++].name = copy;
    else
      only[found->only_count[which]++] = copy;
  }
  return true;
}

static bool selects_any(const char *selection, const char *const *names, int count) {
  for (int k = 0; k < count; k++)
    if (selects(selection, names[k])) return true;
  return false;
}

static bool check_selection(comparer *c, const char *selection) {
  const trm_comparison *found = &c->found;
  for (int k = 0; k < found->column_count; k++)
    if (selects(selection, found->columns[k].name)) return true;
  for (int which = 0; which < 2; which++)
    if (selects_any(selection, found->only_in[which], found->only_count[which])) {
      trm_report(c->diagnostics, TRM_ERROR, "column '%s' is in '%s' but not in '%s'", selection,
                 c->sides[which].name, c->sides[1 - which].name);
      return fail(c, TRM_BAD_USAGE);
    }
  trm_report(c->diagnostics, TRM_ERROR, "there is no column '%s' in '%s' and '%s'", selection,
             c->sides[0].name, c->sides[1].name);
  return fail(c, TRM_BAD_USAGE);
}

static bool choose_columns(comparer *c) {
  if (!sort_columns(c, 0) || !sort_columns(c, 1)) return false;
  bool good = true;
  for (int k = 0; k < c->options->column_count; k++)
    if (!check_selection(c, c->options->columns[k])) good = false;
  if (!good || c->found.column_count > 0) return good;
  trm_report(c->diagnostics, TRM_ERROR, "'%s' and '%s' have no column in common but t",
             c->sides[0].name, c->sides[1].name);
  return fail(c, TRM_FAILED);
}

static double value_at(const side *s, int row, const char *name) {
  return trm_results_get(s->table, s->rows[row], trm_map_get(s->columns, name, strlen(name)));
}

static bool is_number(comparer *c, const side *s, int row, const char *name) {
  double number = value_at(s, row, name);
  if (isfinite(number)) return true;
  char value[TRM_NUMBER_SIZE];
  trm_number_write(number, value);
  trm_report_place(c->diagnostics, TRM_ERROR, in(s),
                   "row %d, column '%s': %s at t = %.9g is no finite number", s->rows[row] + 1,
                   name, value, c->t[row]);
  return fail(c, TRM_FAILED);
}

/* The rows of a column, without those in which neither side has a number: the time of an event
 * that has not been. −1: reported. */
static int gather(comparer *c, const char *name) {
  side *a = &c->sides[0], *b = &c->sides[1];
  int rows = 0;
  for (int i = 0; i < c->found.rows; i++) {
    a->values[rows] = value_at(a, i, name);
    b->values[rows] = value_at(b, i, name);
    c->column_t[rows] = c->t[i];
    if (isnan(a->values[rows]) && isnan(b->values[rows])) continue;
    if (!is_number(c, a, i, name) || !is_number(c, b, i, name)) return -1;
    rows++;
  }
  return rows;
}

static bool compare_columns(comparer *c) {
  trm_comparison *found = &c->found;
  bool good = true;
  int kept = 0;
  for (int k = 0; k < found->column_count; k++) {
    const char *name = found->columns[k].name;
    int rows = gather(c, name);
    good = good && rows >= 0;
    if (rows < LEAST_ROWS) continue;
    trm_agreement *column = &found->columns[kept++];
    *column = trm_agreement_compute(c->column_t, c->sides[0].values, c->sides[1].values, rows);
    column->name = name;
    if (column->max_difference > found->columns[found->largest].max_difference)
      found->largest = kept - 1;
  }
  found->column_count = kept;
  if (!good || kept > 0) return good;
  trm_report(c->diagnostics, TRM_ERROR, "'%s' and '%s' have fewer than %d numbers to compare",
             c->sides[0].name, c->sides[1].name, LEAST_ROWS);
  return fail(c, TRM_FAILED);
}

static bool lay_out(comparer *c) {
  int rows = trm_results_rows(c->sides[0].table);
  c->t = TRM_NEW(c->arena, double, rows + 1);
  c->column_t = TRM_NEW(c->arena, double, rows + 1);
  for (int which = 0; which < 2; which++) {
    side *s = &c->sides[which];
    s->rows = TRM_NEW(c->arena, int, rows + 1);
    s->values = TRM_NEW(c->arena, double, rows + 1);
    if (trm_arena_failed(c->arena)) return out_of_memory(c);
    if (!index_columns(c, s) || !check_times(c, s)) return false;
  }
  return true;
}

static comparer *create(void) {
  trm_arena *arena = trm_arena_create();
  comparer *c = arena ? TRM_NEW(arena, comparer, 1) : NULL;
  if (c)
    c->arena = arena;
  else
    trm_arena_destroy(arena);
  return c;
}

trm_comparison *trm_compare_results(const trm_results *first, const trm_results *second,
                                    const trm_compare_options *options,
                                    trm_diagnostics *diagnostics, trm_status *status) {
  trm_compare_options own = no_options;
  if (status) *status = TRM_BAD_USAGE;
  if (!trm_sized_take_or_report(&own, sizeof own, options, "trm_default_compare_options",
                                diagnostics))
    return NULL;
  comparer *c = create();
  if (status) *status = c ? TRM_OK : TRM_NO_MEMORY;
  if (!c) trm_report(diagnostics, TRM_ERROR, "out of memory");
  if (!c) return NULL;
  c->options = &own;
  c->diagnostics = diagnostics;
  c->sides[0] = (side){.table = first, .name = c->options->names[0]};
  c->sides[1] = (side){.table = second, .name = c->options->names[1]};
  if (!c->sides[0].name) c->sides[0].name = "first table";
  if (!c->sides[1].name) c->sides[1].name = "second table";
  if (lay_out(c) && choose_columns(c) && match_times(c) && compare_columns(c)) return &c->found;
  if (status) *status = c->status;
  trm_arena_destroy(c->arena);
  return NULL;
}

void trm_comparison_destroy(trm_comparison *comparison) {
  if (comparison) trm_arena_destroy(((comparer *)comparison)->arena);
}
