/* trammel sweep: many runs of one model, with other parameters each. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "parallel.h"
#include "ranks.h"
#include "sweep.h"

enum { LONGEST_PATH = 4096 };

typedef struct sweep {
  const trm_cli_arguments *arguments;
  bool json, quiet, merge, page, open;
  int threads;
  trm_cli_ranks ranks;
  const char **lists; /* values of --vary, --record, --limit */
  char **options;     /* "--rtol=1e-6", of the keys that were given */
  const char **keys;  /* "rtol=1e-6", as the library takes them */
  trm_sweep_def definition;
  char folder[LONGEST_PATH - 64];
  trm_diagnostics *diagnostics;
  trm_model *model;
  trm_settings settings;
  trm_sweep *study;
  trm_cli_bar bar;
  uint64_t before; /* done when this process came */
  double start;
} sweep;

/* --- the command line --- */

static bool read_whole(const char *option, const char *text, uint64_t least, uint64_t most,
                       uint64_t *number) {
  char *end;
  unsigned long long value = strtoull(text, &end, 10);
  if (end != text && !*end && text[0] != '-' && value >= least && value <= most) {
    *number = value;
    return true;
  }
  trm_cli_error("--%s: '%s' is no whole number from %" PRIu64 " on", option, text, least);
  return false;
}

static bool read_part(const char *text, trm_sweep_def *def) {
  int used = 0;
  if (sscanf(text, "%d/%d%n", &def->part, &def->parts, &used) == 2 && !text[used] &&
      def->part >= 1 && def->part <= def->parts)
    return true;
  trm_cli_error("--part: '%s' is not written i/n, with i from 1 to n", text);
  return false;
}

static int read_list(sweep *s, const char *name, const char *const **list) {
  *list = s->lists;
  int count = trm_cli_values(s->arguments, name, s->lists);
  s->lists += count;
  return count;
}

/* The keys of `simulate` that were given, as the library takes them. */
static bool read_options(sweep *s) {
  trm_sweep_def *def = &s->definition;
  s->options = calloc((size_t)trm_key_count() + 1, sizeof *s->options);
  s->keys = calloc((size_t)trm_key_count() + 1, sizeof *s->keys);
  if (!s->options || !s->keys) return false;
  for (int k = 0; k < trm_key_count(); k++) {
    const char *key = trm_key_get(k)->name, *value = trm_cli_value(s->arguments, key);
    if (!value || trm_cli_owns(s->arguments->command, key)) continue;
    size_t room = strlen(key) + strlen(value) + 4;
    char *text = malloc(room);
    if (!text) return false;
    snprintf(text, room, "--%s=%s", key, value);
    s->keys[def->option_count] = text + 2;
    s->options[def->option_count++] = text;
  }
  def->options = s->keys;
  return true;
}

static void free_options(sweep *s) {
  for (int k = 0; s->options && k < s->definition.option_count; k++) free(s->options[k]);
  free(s->options);
  free(s->keys);
}

static bool read_definition(sweep *s) {
  const trm_cli_arguments *a = s->arguments;
  trm_sweep_def *def = &s->definition;
  *def = trm_default_sweep_def();
  def->vary_count = read_list(s, "vary", &def->vary);
  def->record_count = read_list(s, "record", &def->records);
  def->limit_count = read_list(s, "limit", &def->limits);
  def->table = trm_cli_value(a, "table");
  def->design = trm_cli_value(a, "design");
  def->correlation = trm_cli_value(a, "correlation");
  def->series = trm_cli_given(a, "series");
  if (!read_options(s)) {
    trm_cli_error("out of memory");
    return false;
  }
  const char *samples = trm_cli_value(a, "samples"), *seed = trm_cli_value(a, "seed");
  const char *part = trm_cli_value(a, "part");
  uint64_t count = 0;
  if (samples && !read_whole("samples", samples, 1, INT32_MAX, &count)) return false;
  if (samples) def->samples = (long)count;
  if (seed && !read_whole("seed", seed, 0, UINT64_MAX, &def->seed)) return false;
  if (part && !read_part(part, def)) return false;
  if (part && s->ranks.count > 1) {
    trm_cli_error("--part is for jobs without MPI: under mpirun the ranks share the runs");
    return false;
  }
  if (s->open && !s->page) {
    trm_cli_error("--open shows the page, and --no-report writes none");
    return false;
  }
  if (a->model_count > 1 && !s->merge) {
    trm_cli_error("'%s' is one argument too many (folders go with --merge)", a->models[1]);
    return false;
  }
  if (s->ranks.count > 1 && !trm_cli_given(a, "threads")) {
    s->threads = 1; /* mpirun has a rank for each processor */
    return true;
  }
  return trm_cli_read_threads(a, &s->threads);
}

/* --- the runs --- */

static bool show(void *context, uint64_t done, uint64_t all) {
  sweep *s = context;
  double passed = trm_cli_seconds() - s->start;
  char text[96];
  if (s->bar.visible && done > s->before && passed > 0) {
    double rate = (double)(done - s->before) / passed;
    snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64 ", %.3g a second,", done, all, rate);
    /* of what was left when it began: the time left is found from that */
    trm_cli_bar_show(&s->bar, text, (double)(done - s->before) / (double)(all - s->before));
  }
  return !trm_cli_stopped();
}

static int prepare(sweep *s) {
  int status =
      trm_cli_load(s->arguments, s->arguments->models[0], &s->model, &s->settings, s->diagnostics);
  if (status == 0) status = trm_cli_refuse_coordinates(s->arguments, s->model);
  if (status == 0)
    status = trm_cli_results_folder(s->arguments, "_sweep", s->folder, sizeof s->folder);
  if (s->ranks.rank == 0) trm_cli_print_diagnostics(s->diagnostics, s->quiet);
  trm_diagnostics_clear(s->diagnostics);
  s->definition.folder = s->folder;
  return status;
}

/* Rank 0 makes the folder a study's; then the others find it. */
static int open_study(sweep *s) {
  trm_status status = TRM_OK;
  if (s->ranks.rank == 0) {
    s->study = trm_sweep_create(s->model, NULL, &s->definition, s->diagnostics, &status);
    trm_cli_print_diagnostics(s->diagnostics, s->quiet);
  }
  status = (trm_status)trm_cli_ranks_agree((int)status);
  if (status == TRM_OK && s->ranks.rank > 0) {
    s->study = trm_sweep_create(s->model, NULL, &s->definition, s->diagnostics, &status);
    trm_cli_print_diagnostics(s->diagnostics, true);
  }
  return trm_cli_exit_status(status);
}

static trm_status do_runs(sweep *s) {
  trm_cli_bar_start(&s->bar, !s->quiet && s->ranks.rank == 0);
  trm_cli_catch_signals();
  s->before = trm_sweep_done(s->study);
  s->start = trm_cli_seconds();
  trm_status status = trm_cli_ranks_run(&s->ranks, s->study, s->threads, show, s, s->diagnostics);
  trm_cli_bar_end(&s->bar);
  trm_cli_print_diagnostics(s->diagnostics, s->quiet);
  return status;
}

static int say_missing(sweep *s, trm_status outcome) {
  uint64_t present = trm_sweep_present(s->study), all = trm_sweep_runs(s->study);
  if (outcome == TRM_INTERRUPTED)
    trm_cli_error("stopped; %" PRIu64 " of %" PRIu64 " runs are kept, and the same command goes on",
                  present, all);
  else if (present < all && s->definition.parts == 1)
    trm_cli_error("%" PRIu64 " of %" PRIu64 " runs are missing; the same command goes on%s",
                  all - present, all, s->merge ? " without --merge" : "");
  return outcome != TRM_OK || (present < all && s->definition.parts == 1) ? 1 : 0;
}

static int print_json(sweep *s) {
  char path[LONGEST_PATH];
  snprintf(path, sizeof path, "%s/sweep.json", s->folder);
  FILE *file = fopen(path, "rb");
  for (int c; file && (c = getc(file)) != EOF;) putchar(c);
  if (file) fclose(file);
  return file ? 0 : 1;
}

static int write_tables(sweep *s, trm_status outcome) {
  const trm_cli_arguments *a = s->arguments;
  trm_status written = trm_sweep_write(s->study, s->merge ? a->model_count - 1 : 0, a->models + 1,
                                       s->page, s->diagnostics);
  trm_cli_print_diagnostics(s->diagnostics, s->quiet);
  if (written != TRM_OK) return 1;
  int status = say_missing(s, outcome);
  if (s->json)
    status |= print_json(s);
  else if (!s->quiet)
    trm_cli_print_study(s->study, s->folder, s->definition.series, s->page);
  if (s->open && !trm_cli_stopped() &&
      !trm_cli_open_study(a, s->study, s->folder, s->options, s->quiet || s->json))
    status = 1;
  return status;
}

static int run_all(sweep *s) {
  if (!read_definition(s)) return 2;
  int status = prepare(s);
  if (status == 0) status = open_study(s);
  if (status != 0) return status;
  trm_status outcome = s->merge ? TRM_OK : do_runs(s);
  if (s->ranks.rank > 0) return outcome == TRM_OK ? 0 : 1;
  return write_tables(s, outcome);
}

/* What a run took is given back to the next one, not to the system. */
static void keep_memory(void) {
#if defined(__GLIBC__)
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
#endif
}

static int run_command(const trm_cli_arguments *arguments) {
  sweep *s = calloc(1, sizeof *s);
  const char **lists = calloc((size_t)arguments->word_count + 1, sizeof *lists);
  int status = 1;
  keep_memory();
  if (s) s->diagnostics = trm_diagnostics_create();
  if (!s || !lists || !s->diagnostics) {
    trm_cli_error("out of memory");
  } else {
    s->arguments = arguments;
    s->lists = lists;
    s->json = trm_cli_given(arguments, "json");
    s->quiet = trm_cli_given(arguments, "quiet");
    s->merge = trm_cli_given(arguments, "merge");
    s->open = trm_cli_given(arguments, "open");
    s->page = !trm_cli_given(arguments, "no-report");
    status = 2;
    if (trm_cli_ranks_begin(&s->ranks, arguments)) {
      status = run_all(s);
      trm_sweep_destroy(s->study);
      trm_model_destroy(s->model);
      trm_cli_ranks_end();
    }
  }
  if (s) trm_diagnostics_destroy(s->diagnostics);
  if (s) free_options(s);
  free(lists);
  free(s);
  return status;
}

static const trm_cli_option options[] = {
    {"vary", 0, "NAME=VALUES",
     "a parameter and its values: first:last:count, discrete(v1,v2,...), uniform(a,b), "
     "normal(mean,sd), lognormal(mean,sd of the logarithm), triangular(a,mode,b); several times"},
    {"table", 0, "FILE", "parameters from a CSV file, one row a run, in place of --vary"},
    {"design", 0, "D",
     "grid (every combination), random, lhs (Latin hypercube), sobol (low discrepancy), saltelli "
     "(for Sobol indices); default: grid where all parameters have values to count, else random"},
    {"samples", 0, "N",
     "runs of a design but grid (saltelli: N times parameters + 2); default 100"},
    {"seed", 0, "S", "of the random numbers, default 0"},
    {"correlation", 0, "FILE", "correlations: a CSV file with the names, then a square matrix"},
    {"record", 0, "FORMULA",
     "a column: a formula over the run, max(rod.B.x) say, or NAME=FORMULA; min max range mean rms "
     "integral initial final time_of_min time_of_max, and the model's metrics; several times"},
    {"limit", 0, "CONDITION", "max(A.f) < 500 say: tells the share of runs that meet it"},
    {"series", 0, NULL,
     "keep the rows of every run, as `run` writes them: HDF5 files in DIR/series, series.csv tells "
     "where each run is"},
    {"output", 'o', "DIR", "folder of the study, default: results/<model>_sweep"},
    {"threads", 0, "N", "runs at a time, default: as many as there are processors"},
    {"part", 0, "I/N", "only the I-th of N parts, for job arrays"},
    {"merge", 0, NULL,
     "no runs: the tables of what is there, in DIR and in further folders behind MODEL"},
    {"json", 0, NULL, "print sweep.json on standard output, and nothing else there"},
    {"quiet", 0, NULL, "print nothing but errors"},
    {"no-report", 0, NULL, "write no sweep.html"},
    {"open", 0, NULL,
     "then show the page in the browser, where a click on a point runs it and opens its report; "
     "served to this machine alone until Ctrl-C"},
    {0}};

const trm_cli_command trm_cli_sweep = {
    .name = "sweep",
    .usage = "MODEL --vary NAME=VALUES... --record FORMULA... [--design D] [--samples N] [-o DIR] "
             "[--set NAME=VALUE]... [--KEY VALUE]...",
    .summary = "run a model many times with other parameters: sweep.csv, sweep.h5, sweep.html",
    .notes =
        "Finished runs are kept at once: after Ctrl-C, a kill or a crash the same command goes on\n"
        "where it was. A run that fails is a row with its message. The table hangs on the design\n"
        "and the seed only, not on threads, parts or ranks; under mpirun all ranks take part.\n\n"
        "exit status: 0 done; 1 stopped, runs are missing, or something could not be written;\n"
        "2 wrong usage; 3 bad model\n",
    .options = options,
    .settings = true,
    .least_models = 1,
    .most_models = -1,
    .run = run_command};
