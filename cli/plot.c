/* trammel plot: measures of a run as a figure. */
#define _POSIX_C_SOURCE 200809L
#include "external.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  LONGEST_PATH = 4096,
  LONGEST_LABEL = 160,
  MOST_CURVES = 64,
  MOST_PANELS = 16,
  MOST_RUNS = 16
};

/* One run: its table, and what the other axis has of it. */
typedef struct run {
  const char *name; /* as the legend says it */
  trm_results *table;
  double *over;
} run;

typedef struct curve {
  const char *name; /* a column or formula */
  const run *of;
  char label[LONGEST_LABEL];
} curve;

/* One figure of several below each other. */
typedef struct panel {
  int first, count; /* of the curves */
  int left;         /* of these, the rest is by the axis on the right */
  bool both;        /* a ':' was there */
} panel;

typedef struct plot {
  const trm_cli_arguments *arguments;
  trm_diagnostics *diagnostics;
  run runs[MOST_RUNS];
  int run_count;
  curve curves[MOST_CURVES]; /* of one measure those of all runs, one after the other */
  int count;
  panel panels[MOST_PANELS];
  int panel_count;
  const char *over; /* on the other axis */
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
  panel *last = &p->panels[p->panel_count - 1];
  if (p->count + p->run_count > MOST_CURVES) {
    trm_cli_error("a figure has at most %d curves", MOST_CURVES);
    return false;
  }
  for (int k = 0; k < p->run_count; k++)
    p->curves[p->count++] = (curve){.name = name, .of = &p->runs[k]};
  last->count += p->run_count;
  if (!last->both) last->left += p->run_count;
  return true;
}

static bool is_formula(const char *name) {
  return strpbrk(name, "+-*/^()<> ") != NULL;
}

static bool is_under(const char *column, const char *name) {
  size_t length = strlen(name);
  return strncmp(column, name, length) == 0 && column[length] == '.';
}

/* "bob.x" selects itself, "bob" everything under it, "2*bob.x" is a formula. */
static bool select_columns(plot *p, const char *name) {
  const trm_results *table = p->runs[0].table;
  int before = p->count, count = trm_results_columns(table);
  if (trm_results_find(table, name) >= 0 || is_formula(name)) return add_curve(p, name);
  for (int c = 1; c < count; c++) {
    const char *column = trm_results_name(table, c);
    if (is_under(column, name) && !add_curve(p, column)) return false;
  }
  if (p->count > before) return true;
  const char **names = calloc((size_t)count + 1, sizeof *names);
  for (int c = 0; names && c < count; c++) names[c] = trm_results_name(table, c);
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
  if (p->run_count == arguments->model_count) {
    trm_cli_error("the measures are missing that are to be drawn, like '%s'; the first line of "
                  "results.csv lists them",
                  trm_results_name(p->runs[0].table, trm_results_columns(p->runs[0].table) > 1));
    return false;
  }
  if (!trm_cli_value(arguments, "output")) {
    trm_cli_error("plot needs '-o FILE', which ends in .svg or .png");
    return false;
  }
  const char *over = trm_cli_value(arguments, "over");
  if (!next_panel(p)) return false;
  for (int k = p->run_count; k < arguments->model_count; k++)
    if (!take_word(p, arguments->models[k])) return false;
  if (!is_whole(p)) return false;
  p->over = over ? over : "t";
  if (is_formula(p->over) || trm_results_find(p->runs[0].table, p->over) >= 0) return true;
  trm_cli_error("the results have no '%s'", over);
  return false;
}

/* One value a row of a column or formula; NULL where there is none. The caller frees them. */
static double *read_values(plot *p, const run *of, const char *name) {
  int column = trm_results_find(of->table, name), rows = trm_results_rows(of->table);
  double *values = malloc((size_t)rows * sizeof *values + 1);
  if (!values) trm_cli_error("out of memory");
  for (int row = 0; values && column >= 0 && row < rows; row++)
    values[row] = trm_results_get(of->table, row, column);
  if (!values || column >= 0) return values;
  bool good = false;
  if (is_formula(name))
    good = trm_results_evaluate(of->table, name, values, p->diagnostics) == TRM_OK;
  else
    trm_cli_error("'%s' has no '%s'", of->name, name);
  trm_cli_print_diagnostics(p->diagnostics, false);
  if (good) return values;
  free(values);
  return NULL;
}

/* A logarithm of errors: their size counts, not their sign. */
static void take_sizes(double *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] = fabs(values[i]);
}

static bool copy_values(plot *p) {
  for (int k = 0; k < p->run_count; k++)
    if (!(p->runs[k].over = read_values(p, &p->runs[k], p->over))) return false;
  for (int k = 0; k < p->count; k++) {
    const curve *own = &p->curves[k];
    double *y = read_values(p, own->of, own->name);
    if (!y) return false;
    size_t rows = (size_t)trm_results_rows(own->of->table);
    if (trm_cli_given(p->arguments, "log")) take_sizes(y, rows);
    p->series[k] = (trm_plot_series){.count = rows, .x = own->of->over, .y = y, .line = true};
  }
  return true;
}

static bool one_measure(const plot *p, int first, int count) {
  for (int k = 1; k < count; k++)
    if (strcmp(p->curves[first + k].name, p->curves[first].name) != 0) return false;
  return count > 0;
}

/* A single measure names its axis: the legend names the runs, or is not needed. */
static const char *label_axis(plot *p, int first, int count) {
  bool single = one_measure(p, first, count), several = p->run_count > 1;
  for (int k = first; k < first + count; k++) {
    curve *own = &p->curves[k];
    snprintf(own->label, sizeof own->label, "%s%s%s", single ? "" : own->name,
             !single && several ? ", " : "", several ? own->of->name : "");
    p->series[k].name = single && !several ? NULL : own->label;
  }
  return single ? p->curves[first].name : NULL;
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

/* "results/fine/" and "results/fine/results.csv" are the run "fine". */
static const char *run_name(const char *path) {
  static const char *const tables[] = {"/results.csv", "/results.h5", "/"};
  size_t length = strlen(path);
  for (int k = 0; k < 3; k++) {
    size_t ending = strlen(tables[k]);
    if (length > ending && strcmp(path + length - ending, tables[k]) == 0) length -= ending;
  }
  size_t begin = length;
  while (begin > 0 && path[begin - 1] != '/') begin--;
  return strndup(path + begin, length - begin);
}

static bool is_measure(const trm_results *table, const char *word) {
  bool found = is_formula(word) && strchr(word, '/') == NULL;
  for (int c = 0; c < trm_results_columns(table) && !found; c++)
    found =
        strcmp(trm_results_name(table, c), word) == 0 || is_under(trm_results_name(table, c), word);
  return found;
}

/* The first word, and those behind it that are files or folders and no measures of the first. */
static bool read_runs(plot *p) {
  const trm_cli_arguments *arguments = p->arguments;
  for (int k = 0; k < arguments->model_count; k++) {
    const char *path = arguments->models[k];
    bool further = k > 0;
    if (further && (strcmp(path, "/") == 0 || is_measure(p->runs[0].table, path))) break;
    if (further && access(path, F_OK) != 0) break;
    if (k == MOST_RUNS) {
      trm_cli_error("a figure has at most %d runs", MOST_RUNS);
      return false;
    }
    run *own = &p->runs[p->run_count++];
    own->name = run_name(path);
    own->table = trm_cli_read_results(path, p->diagnostics);
    trm_cli_print_diagnostics(p->diagnostics, false);
    if (!own->name) trm_cli_error("out of memory");
    if (!own->table || !own->name) return false;
  }
  return true;
}

static void forget(plot *p) {
  for (int k = 0; k < p->run_count; k++) {
    free((char *)p->runs[k].name);
    free(p->runs[k].over);
    trm_results_destroy(p->runs[k].table);
  }
  for (int k = 0; k < p->count; k++) free((double *)p->series[k].y);
  trm_diagnostics_destroy(p->diagnostics);
  free(p);
}

static int plot_command(const trm_cli_arguments *arguments) {
  plot *p = calloc(1, sizeof *p);
  if (!p || !(p->diagnostics = trm_diagnostics_create())) {
    trm_cli_error("out of memory");
    free(p);
    return 1;
  }
  p->arguments = arguments;
  int status = !read_runs(p) ? 3 : choose(p) ? write_figure(p) : 2;
  forget(p);
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
    .usage = "DIR... MEASURE... [: MEASURE...] [/ MEASURE...] -o FILE [--over MEASURE] [--log] "
             "[--title TEXT] [--from T] [--to T]",
    .summary = "measures of a run as a figure, SVG or PNG",
    .notes =
        "DIR is the folder of a run, or its table, CSV or HDF5; of several runs each measure is "
        "drawn\n"
        "once a run. A measure is a column (rod.B.x), or a name with everything under it (energy), "
        "or\n"
        "a formula of columns (\"hypot(A.fx, A.fy)\"). '/' begins the next panel below, ':' "
        "stands\n"
        "before the measures of the axis on the right.\n\n"
        "exit status: 0 drawn; 1 the figure could not be written; 2 wrong usage; 3 bad results\n",
    .options = options,
    .input = "folder of a run",
    .least_models = 1,
    .most_models = -1,
    .run = plot_command};
