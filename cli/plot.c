/* trammel plot: measures of a run as a figure. */
#define _POSIX_C_SOURCE 200809L
#include "external.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096, MOST_CURVES = 64, MOST_PANELS = 16 };

/* One figure of several below each other. */
typedef struct panel {
  int first, count; /* of the curves */
  int left;         /* of these, the rest is by the axis on the right */
  bool both;        /* a ':' was there */
} panel;

typedef struct plot {
  const trm_cli_arguments *arguments;
  trm_diagnostics *diagnostics;
  trm_results *table;
  const char *names[MOST_CURVES]; /* columns or formulas */
  int count;
  panel panels[MOST_PANELS];
  int panel_count;
  const char *over; /* on the other axis */
  double *values;   /* (count + 1) × rows */
  trm_plot_series series[MOST_CURVES];
} plot;

const char *trm_cli_ending(const char *path) {
  const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  return dot && (!slash || dot > slash) ? dot + 1 : "";
}

bool trm_cli_number(const trm_cli_arguments *arguments, const char *name, double low,
                    double *value) {
  const char *text = trm_cli_value(arguments, name);
  if (!text) return true;
  char *end;
  double number = strtod(text, &end);
  if (end != text && *end == 0 && isfinite(number) && number >= low) {
    *value = number;
    return true;
  }
  trm_cli_error("--%s: '%s' is no number from %g", name, text, low);
  return false;
}

static bool add_curve(plot *p, const char *name) {
  if (p->count == MOST_CURVES) {
    trm_cli_error("a figure has at most %d curves", MOST_CURVES);
    return false;
  }
  p->names[p->count++] = name;
  panel *last = &p->panels[p->panel_count - 1];
  last->count++;
  if (!last->both) last->left++;
  return true;
}

static bool is_formula(const char *name) {
  return strpbrk(name, "+-*/^()<> ") != NULL;
}

/* "bob.x" selects itself, "bob" everything under it, "2*bob.x" is a formula. */
static bool select_columns(plot *p, const char *name) {
  size_t length = strlen(name);
  int before = p->count;
  if (trm_results_find(p->table, name) >= 0 || is_formula(name)) return add_curve(p, name);
  for (int c = 1; c < trm_results_columns(p->table); c++) {
    const char *column = trm_results_name(p->table, c);
    if (strncmp(column, name, length) == 0 && column[length] == '.' && !add_curve(p, column))
      return false;
  }
  if (p->count > before) return true;
  int count = trm_results_columns(p->table);
  const char **names = calloc((size_t)count + 1, sizeof *names);
  for (int c = 0; names && c < count; c++) names[c] = trm_results_name(p->table, c);
  const char *nearest = names ? trm_cli_nearest(name, names, count) : NULL;
  if (nearest)
    trm_cli_error("the results have no '%s'; did you mean '%s'?", name, nearest);
  else
    trm_cli_error("the results have no '%s'; the first line of results.csv lists what they have",
                  name);
  free(names);
  return false;
}

static bool is_whole(const plot *p) {
  const panel *last = &p->panels[p->panel_count - 1];
  bool good = last->count > 0 && (!last->both || last->count > last->left);
  if (!good) trm_cli_error("a measure is missing before or behind '/' or ':'");
  return good;
}

static bool next_panel(plot *p) {
  if (p->panel_count == MOST_PANELS) {
    trm_cli_error("a figure has at most %d panels", MOST_PANELS);
    return false;
  }
  p->panels[p->panel_count++] = (panel){.first = p->count};
  return true;
}

/* A measure; '/': the next panel; ':': from here on by the axis on the right. */
static bool take_word(plot *p, const char *word) {
  panel *last = &p->panels[p->panel_count - 1];
  if (strcmp(word, "/") == 0) return is_whole(p) && next_panel(p);
  if (strcmp(word, ":") != 0) return select_columns(p, word);
  if (last->both || last->count == 0) {
    trm_cli_error("':' stands once in a panel, between the measures of the two axes");
    return false;
  }
  return last->both = true;
}

static bool choose(plot *p) {
  const trm_cli_arguments *arguments = p->arguments;
  const char *over = trm_cli_value(arguments, "over");
  if (!next_panel(p)) return false;
  for (int k = 1; k < arguments->model_count; k++)
    if (!take_word(p, arguments->models[k])) return false;
  if (!is_whole(p)) return false;
  p->over = over ? over : "t";
  if (is_formula(p->over) || trm_results_find(p->table, p->over) >= 0) return true;
  trm_cli_error("the results have no '%s'", over);
  return false;
}

static bool read_values(plot *p, const char *name, double *values) {
  int column = trm_results_find(p->table, name), rows = trm_results_rows(p->table);
  for (int row = 0; column >= 0 && row < rows; row++)
    values[row] = trm_results_get(p->table, row, column);
  if (column >= 0) return true;
  bool good = trm_results_evaluate(p->table, name, values, p->diagnostics) == TRM_OK;
  trm_cli_print_diagnostics(p->diagnostics, false);
  return good;
}

static bool copy_values(plot *p) {
  size_t rows = (size_t)trm_results_rows(p->table);
  p->values = malloc(((size_t)p->count + 1) * rows * sizeof *p->values + 1);
  if (!p->values) {
    trm_cli_error("out of memory");
    return false;
  }
  for (int k = 0; k <= p->count; k++)
    if (!read_values(p, k == 0 ? p->over : p->names[k - 1], p->values + (size_t)k * rows))
      return false;
  for (int k = 0; k < p->count; k++)
    p->series[k] = (trm_plot_series){.name = p->names[k],
                                     .count = rows,
                                     .x = p->values,
                                     .y = p->values + (size_t)(k + 1) * rows,
                                     .line = true};
  return true;
}

/* A logarithm of errors: their size counts, not their sign. */
static void take_sizes(plot *p) {
  size_t rows = (size_t)trm_results_rows(p->table);
  for (size_t i = rows; i < ((size_t)p->count + 1) * rows; i++) p->values[i] = fabs(p->values[i]);
}

/* A single measure names its axis, and needs no legend. */
static const char *label_axis(plot *p, int first, int count) {
  if (count != 1) return NULL;
  const char *name = p->series[first].name;
  p->series[first].name = NULL;
  return name;
}

static bool describe(plot *p, int index, trm_plot *figure) {
  const panel *own = &p->panels[index];
  bool last = index == p->panel_count - 1;
  if (index == 0) figure->title = trm_cli_value(p->arguments, "title");
  if (p->panel_count > 1) figure->height = 280;
  if (last) figure->x.label = p->over;
  figure->y.log = figure->right.log = trm_cli_given(p->arguments, "log");
  for (int k = own->left; k < own->count; k++) p->series[own->first + k].right = true;
  figure->y.label = label_axis(p, own->first, own->left);
  figure->right.label = label_axis(p, own->first + own->left, own->count - own->left);
  figure->series = p->series + own->first;
  figure->series_count = own->count;
  bool good = trm_cli_number(p->arguments, "width", 100, &figure->width) &&
              trm_cli_number(p->arguments, "height", 80, &figure->height) &&
              trm_cli_number(p->arguments, "from", -HUGE_VAL, &figure->x.low) &&
              trm_cli_number(p->arguments, "to", -HUGE_VAL, &figure->x.high);
  if (!good || !(figure->x.low >= figure->x.high)) return good;
  trm_cli_error("--from %g is not before --to %g", figure->x.low, figure->x.high);
  return false;
}

static bool write_svg(plot *p, const trm_plot *figures, const char *path) {
  const trm_plot *panels[MOST_PANELS];
  if (strcmp(path, "-") != 0 && !trm_cli_check_writable(path)) return false;
  for (int k = 0; k < p->panel_count; k++) panels[k] = &figures[k];
  trm_status status = trm_plot_write_panels(panels, p->panel_count, path, p->diagnostics);
  trm_cli_print_diagnostics(p->diagnostics, false);
  return status == TRM_OK;
}

static bool copy_into(FILE *to, const char *path) {
  char buffer[1 << 14];
  FILE *from = fopen(path, "rb");
  if (!from) return false;
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, from)) > 0;) fwrite(buffer, 1, got, to);
  fclose(from);
  return true;
}

/* librsvg turns the SVG into pixels, twice as many as the figure is wide. */
static bool write_png(plot *p, const trm_plot *figures, const char *path) {
  char svg[LONGEST_PATH];
  if (snprintf(svg, sizeof svg, "%s.svg~", path) >= (int)sizeof svg) return false;
  if (!trm_cli_check_writable(path) || !write_svg(p, figures, svg)) return false;
  const char *words[] = {"rsvg-convert", "--zoom=2", "--output", path, NULL};
  trm_cli_pipe renderer;
  bool good = trm_cli_pipe_open(&renderer, words, "PNG output (SVG needs nothing)");
  if (good) {
    good = copy_into(renderer.file, svg);
    good = trm_cli_pipe_close(&renderer) && good;
  }
  unlink(svg);
  return good;
}

static int write_figure(plot *p) {
  const char *path = trm_cli_value(p->arguments, "output");
  trm_plot figures[MOST_PANELS];
  if (!copy_values(p)) return 2;
  if (trm_cli_given(p->arguments, "log")) take_sizes(p);
  for (int k = 0; k < p->panel_count; k++) {
    figures[k] = trm_default_plot();
    if (!describe(p, k, &figures[k])) return 2;
  }
  const char *ending = trm_cli_ending(path);
  if (strcmp(ending, "svg") == 0 || strcmp(path, "-") == 0)
    return write_svg(p, figures, path) ? 0 : 1;
  if (strcmp(ending, "png") == 0) return write_png(p, figures, path) ? 0 : 1;
  trm_cli_error("'%s' should end in .svg or .png", path);
  return 2;
}

static int plot_command(const trm_cli_arguments *arguments) {
  if (!trm_cli_value(arguments, "output")) {
    trm_cli_error("plot needs '-o FILE', which ends in .svg or .png");
    return 2;
  }
  plot *p = calloc(1, sizeof *p);
  int status = 1;
  if (p && (p->diagnostics = trm_diagnostics_create())) {
    p->arguments = arguments;
    p->table = trm_cli_read_results(arguments->models[0], p->diagnostics);
    trm_cli_print_diagnostics(p->diagnostics, false);
    status = !p->table ? 3 : choose(p) ? write_figure(p) : 2;
    trm_results_destroy(p->table);
    trm_diagnostics_destroy(p->diagnostics);
    free(p->values);
  } else {
    trm_cli_error("out of memory");
  }
  free(p);
  return status;
}

static const trm_cli_option options[] = {
    {"output", 'o', "FILE", "the figure: .svg, or .png where rsvg-convert is installed; -: SVG"},
    {"over", 0, "MEASURE", "on the other axis instead of t: a phase plane"},
    {"log", 0, NULL, "sizes on a logarithmic axis"},
    {"title", 0, "TEXT", "above the figure"},
    {"from", 0, "T", "where the axis begins"},
    {"to", 0, "T", "where it ends"},
    {"width", 0, "W", "pixels"},
    {"height", 0, "H", "pixels"},
    {0}};

const trm_cli_command trm_cli_plot = {
    .name = "plot",
    .usage = "DIR MEASURE... [: MEASURE...] [/ MEASURE...] -o FILE [--over MEASURE] [--log] "
             "[--title TEXT] [--from T] [--to T]",
    .summary = "measures of a run as a figure, SVG or PNG",
    .notes =
        "DIR is the folder of a run, or its table, CSV or HDF5. A measure is a column (rod.B.x) or "
        "a name "
        "with\n"
        "everything under it (energy), or a formula of columns (\"hypot(A.fx, A.fy)\"). '/' begins "
        "the\n"
        "next panel below, ':' stands before the measures of the axis on the right.\n\n"
        "exit status: 0 drawn; 1 the figure could not be written; 2 wrong usage; 3 bad results\n",
    .options = options,
    .least_models = 2,
    .most_models = -1,
    .run = plot_command};
