/* trammel compare: how well two runs agree. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 100, LONGEST_PATH = 4096 };

typedef struct compare {
  const trm_cli_arguments *arguments;
  int count;                /* runs, at least 2; the first is compared with each of the others */
  const char *const *paths; /* count */
  trm_diagnostics *diagnostics;
  trm_results **tables;  /* count */
  trm_comparison **all;  /* count, the first is NULL */
  int other;             /* the one at hand */
  trm_comparison *found; /* of this one */
  double tolerance;      /* negative: none */
} compare;

static double largest_difference(const compare *c) {
  return c->found->columns[c->found->largest].max_difference;
}

static bool is_within(const compare *c) {
  return c->tolerance < 0 || largest_difference(c) <= c->tolerance;
}

/* --- text --- */

static void print_only(const compare *c, int which) {
  int count = c->found->only_count[which], column;
  if (count == 0) return;
  column = printf("only in %s:", c->paths[which ? c->other : 0]);
  for (int k = 0; k < count; k++) {
    const char *name = c->found->only_in[which][k];
    if (column + (int)strlen(name) + 2 > WIDTH) column = printf("\n ") - 1;
    column += printf(" %s%s", name, k + 1 < count ? "," : "");
  }
  putchar('\n');
}

static void print_icc(const trm_estimate *icc, int width) {
  char text[64] = "-";
  if (isfinite(icc->value))
    snprintf(text, sizeof text, "%.6f [%.6f, %.6f]", icc->value, icc->low, icc->high);
  printf("  %-*s", width, text);
}

static void print_column(const trm_agreement *column, int width) {
  printf("%-*s %11.3e %11.6g %11.3e %11.3e %11.3e %11.3e", width, column->name,
         column->max_difference, column->max_time, column->rms_difference, column->bias.value,
         column->lower_limit.value, column->upper_limit.value);
  print_icc(&column->icc_consistency, 31);
  print_icc(&column->icc_absolute_agreement, 0);
  putchar('\n');
}

static void print_table(const trm_comparison *found) {
  int width = (int)strlen("column");
  for (int k = 0; k < found->column_count; k++) {
    int length = (int)strlen(found->columns[k].name);
    if (length > width) width = length;
  }
  printf("%-*s %11s %11s %11s %11s %11s %11s  %-31s  %s\n", width, "column", "max", "at t", "RMS",
         "bias", "lower", "upper", "ICC(C,1) [95 %]", "ICC(A,1) [95 %]");
  for (int k = 0; k < found->column_count; k++) print_column(&found->columns[k], width);
}

static void print_text(const compare *c) {
  const trm_comparison *found = c->found;
  const trm_agreement *worst = &found->columns[found->largest];
  printf("%s - %s: %d common times, t = %g to %g (of %d and %d rows)\n", c->paths[0],
         c->paths[c->other], found->rows, found->first_time, found->last_time,
         trm_results_rows(c->tables[0]), trm_results_rows(c->tables[c->other]));
  print_only(c, 0);
  print_only(c, 1);
  print_table(found);
  printf("largest difference %.3e: %s at t = %g", worst->max_difference, worst->name,
         worst->max_time);
  if (c->tolerance >= 0)
    printf(", %s the tolerance %g", is_within(c) ? "within" : "above", c->tolerance);
  putchar('\n');
}

/* --- JSON --- */

static void json_names(trm_cli_json *json, const char *key, const char *const *names, int count) {
  trm_cli_json_open(json, key, '[');
  for (int k = 0; k < count; k++) trm_cli_json_string(json, NULL, names[k]);
  trm_cli_json_close(json, ']');
}

static void json_estimate(trm_cli_json *json, const char *key, const trm_estimate *estimate) {
  char interval[64];
  snprintf(interval, sizeof interval, "%s_interval", key);
  trm_cli_json_number(json, key, estimate->value);
  if (!isfinite(estimate->value)) {
    trm_cli_json_number(json, interval, NAN);
    return;
  }
  trm_cli_json_open(json, interval, '[');
  trm_cli_json_number(json, NULL, estimate->low);
  trm_cli_json_number(json, NULL, estimate->high);
  trm_cli_json_close(json, ']');
}

static void json_column(trm_cli_json *json, const trm_agreement *column) {
  trm_cli_json_open(json, NULL, '{');
  trm_cli_json_string(json, "name", column->name);
  trm_cli_json_number(json, "max_difference", column->max_difference);
  trm_cli_json_number(json, "max_time", column->max_time);
  trm_cli_json_number(json, "rms_difference", column->rms_difference);
  trm_cli_json_number(json, "sd", column->sd);
  json_estimate(json, "bias", &column->bias);
  json_estimate(json, "lower_limit", &column->lower_limit);
  json_estimate(json, "upper_limit", &column->upper_limit);
  json_estimate(json, "icc_consistency", &column->icc_consistency);
  json_estimate(json, "icc_absolute_agreement", &column->icc_absolute_agreement);
  trm_cli_json_close(json, '}');
}

static void json_comparison(const compare *c, trm_cli_json *list) {
  const trm_comparison *found = c->found;
  trm_cli_json json = *list;
  const char *const files[2] = {c->paths[0], c->paths[c->other]};
  trm_cli_json_open(&json, NULL, '{');
  json_names(&json, "files", files, 2);
  trm_cli_json_number(&json, "common_times", found->rows);
  trm_cli_json_number(&json, "first_time", found->first_time);
  trm_cli_json_number(&json, "last_time", found->last_time);
  json_names(&json, "only_in_first", found->only_in[0], found->only_count[0]);
  json_names(&json, "only_in_second", found->only_in[1], found->only_count[1]);
  trm_cli_json_open(&json, "columns", '[');
  for (int k = 0; k < found->column_count; k++) json_column(&json, &found->columns[k]);
  trm_cli_json_close(&json, ']');
  trm_cli_json_number(&json, "max_difference", largest_difference(c));
  trm_cli_json_string(&json, "max_column", found->columns[found->largest].name);
  trm_cli_json_number(&json, "tolerance", c->tolerance >= 0 ? c->tolerance : NAN);
  trm_cli_json_bool(&json, "within_tolerance", is_within(c));
  trm_cli_json_string(&json, "version", trm_version());
  trm_cli_json_close(&json, '}');
  *list = json;
}

static void take(compare *c, int other) {
  c->other = other;
  c->found = c->all[other];
}

/* One object; of more than two runs a list. */
static void print_json(compare *c) {
  trm_cli_json json = {0};
  if (c->count > 2) trm_cli_json_open(&json, NULL, '[');
  for (int k = 1; k < c->count; k++) {
    take(c, k);
    json_comparison(c, &json);
  }
  if (c->count > 2) trm_cli_json_close(&json, ']');
}

/* --- the command --- */

static bool read_tolerance(compare *c) {
  const char *text = trm_cli_value(c->arguments, "tolerance");
  c->tolerance = -1;
  if (!text) return true;
  char *end;
  c->tolerance = strtod(text, &end);
  if (end != text && *end == 0 && c->tolerance >= 0 && isfinite(c->tolerance)) return true;
  trm_cli_error("--tolerance: '%s' is no number from 0", text);
  return false;
}

/* Cuts `text` apart at its commas; names[] has room for as many. 0 where one is empty. */
static int split(char *text, const char **names) {
  int count = 0;
  for (char *rest = text; rest;) {
    char *comma = strchr(rest, ',');
    if (comma) *comma = 0;
    if (!*rest) return 0;
    names[count++] = rest;
    rest = comma ? comma + 1 : NULL;
  }
  return count;
}

static int compare_tables(compare *c, char *columns, const char **names) {
  trm_compare_options options = trm_default_compare_options();
  options.names[0] = c->paths[0];
  options.names[1] = c->paths[c->other];
  if (columns) {
    options.columns = names;
    options.column_count = split(columns, names);
    if (options.column_count == 0) {
      trm_cli_error("--columns takes names with a comma between them: bob.x,bob.y");
      return 2;
    }
  }
  trm_status status = TRM_OK;
  c->all[c->other] =
      trm_compare_results(c->tables[0], c->tables[c->other], &options, c->diagnostics, &status);
  trm_cli_print_diagnostics(c->diagnostics, false);
  if (c->all[c->other]) return 0;
  return status == TRM_FAILED ? 3 : trm_cli_exit_status(status);
}

static int compare_selected(compare *c) {
  const char *given = trm_cli_value(c->arguments, "columns");
  if (!given) return compare_tables(c, NULL, NULL);
  size_t size = strlen(given) + 1;
  char *columns = malloc(size);
  const char **names = calloc(size, sizeof *names);
  int status = 1;
  if (columns && names)
    status = compare_tables(c, memcpy(columns, given, size), names);
  else
    trm_cli_error("out of memory");
  free(columns);
  free(names);
  return status;
}

static int read_all(compare *c) {
  bool good = true;
  for (int k = 0; k < c->count; k++) {
    c->tables[k] = trm_cli_read_results(c->paths[k], c->diagnostics);
    good = good && c->tables[k];
  }
  trm_cli_print_diagnostics(c->diagnostics, false);
  return good ? 0 : 3;
}

/* --- the page --- */

static bool write_page(compare *c, const char *path) {
  if (strcmp(path, "-") != 0 && !trm_cli_check_writable(path)) return false;
  trm_report_run *runs = calloc((size_t)c->count, sizeof *runs);
  char(*scenes)[LONGEST_PATH] = calloc((size_t)c->count, sizeof *scenes);
  trm_status status = TRM_NO_MEMORY;
  for (int k = 0; runs && scenes && k < c->count; k++) {
    bool there = trm_cli_file_of_run(c->paths[k], "scene.json", scenes[k], sizeof *scenes) &&
                 access(scenes[k], R_OK) == 0;
    runs[k] = (trm_report_run){.name = c->paths[k],
                               .results = c->tables[k],
                               .scene = there ? scenes[k] : NULL,
                               .comparison = c->all[k]};
  }
  if (runs && scenes)
    status = trm_report_write_comparison(runs, c->count, path, c->diagnostics);
  else
    trm_cli_error("out of memory");
  trm_cli_print_diagnostics(c->diagnostics, false);
  free(runs);
  free(scenes);
  return status == TRM_OK;
}

static int compare_files(compare *c) {
  const char *page = trm_cli_value(c->arguments, "page");
  int status = read_all(c);
  for (c->other = 1; status == 0 && c->other < c->count; c->other++) status = compare_selected(c);
  if (status != 0) return status;
  if (trm_cli_given(c->arguments, "json")) print_json(c);
  bool within = true;
  for (int k = 1; k < c->count; k++) {
    take(c, k);
    within = within && is_within(c);
    if (trm_cli_given(c->arguments, "json")) continue;
    if (k > 1) putchar('\n');
    print_text(c);
  }
  if (page && !write_page(c, page)) return 1;
  return within ? 0 : 1;
}

static int compare_command(const trm_cli_arguments *arguments) {
  compare c = {.arguments = arguments, .paths = arguments->models, .count = arguments->model_count};
  if (c.count < 2) {
    trm_cli_error("compare takes two or more runs: folders or results files");
    fputs("'trammel compare --help' tells more\n", stderr);
    return 2;
  }
  if (!read_tolerance(&c)) return 2;
  int status = 1;
  c.diagnostics = trm_diagnostics_create();
  c.tables = calloc((size_t)c.count, sizeof *c.tables);
  c.all = calloc((size_t)c.count, sizeof *c.all);
  if (c.diagnostics && c.tables && c.all)
    status = compare_files(&c);
  else
    trm_cli_error("out of memory");
  for (int k = 0; c.tables && c.all && k < c.count; k++) {
    trm_comparison_destroy(c.all[k]);
    trm_results_destroy(c.tables[k]);
  }
  free(c.tables);
  free(c.all);
  trm_diagnostics_destroy(c.diagnostics);
  return status;
}

static const trm_cli_option options[] = {
    {"columns", 0, "NAMES", "compare only these (bob.x,bob.y; bob: all under it); default: all"},
    {"tolerance", 0, "E", "exit status 1 where a difference is larger than E"},
    {"json", 0, NULL, "print the comparison as JSON"},
    {"page", 0, "FILE", "also as a page: animations and plots over each other, Bland-Altman plots"},
    {"methods", 0, NULL, "compare all methods on one MODEL: see trammel compare --methods --help"},
    {0}};

const trm_cli_command trm_cli_compare = {
    .name = "compare",
    .usage =
        "A B... [--columns NAMES] [--tolerance E] [--json] [--page FILE] | --methods MODEL ...",
    .summary = "agreement of two runs, or of all methods on one model (--methods)",
    .notes =
        "A and B are folders of runs or tables, CSV or HDF5; A is compared with each of the "
        "others.\n"
        "Rows are compared at the times, and columns by the names, that both files have.\n"
        "Per column: the largest |A - B| and its time; the root of the mean square; bias (mean of\n"
        "A - B) and Bland-Altman limits of agreement, bias -+ 1.96 standard deviations; "
        "intraclass\n"
        "correlation for consistency, ICC(C,1), and absolute agreement, ICC(A,1), with 95 %\n"
        "confidence intervals ('-' where nothing varies).\n\n"
        "exit status: 0 compared, and within E; 1 a difference is larger than E; 2 wrong usage;\n"
        "3 a file cannot be read, has errors, or the two have too little in common\n",
    .options = options,
    .most_models = -1,
    .with_methods = &trm_cli_compare_methods,
    .run = compare_command};
