/* trammel run: simulates a model and leaves its results in a folder. */
#define _POSIX_C_SOURCE 200809L
#include "durable.h"
#include "external.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_PATH = TRM_CLI_LONGEST_PATH };

typedef struct run {
  const trm_cli_arguments *arguments;
  const char *model_path;
  bool json, quiet, check;
  bool estimates, allows; /* doubtful runs */
  trm_diagnostics *diagnostics;
  trm_model *model;
  trm_settings settings;
  trm_simulation *simulation;
  trm_results *results;
  trm_summary summary;
  trm_cli_reference reference;
  trm_cli_texts messages; /* for the report */
  bool hdf5;
  bool reports;
  bool opens;     /* the report */
  bool streams;   /* the table goes to standard output, and there are no files */
  bool resume;    /* goes on with one that was stopped */
  bool reopened;  /* the table of that one is a part again */
  double between; /* seconds from checkpoint to checkpoint */
  trm_cli_lock lock;
  char folder[LONGEST_PATH - 32];
  char table[LONGEST_PATH], part[LONGEST_PATH + 8]; /* while it grows */
  char json_file[LONGEST_PATH], scene[LONGEST_PATH], report[LONGEST_PATH];
  char other[LONGEST_PATH]; /* a table in the other format */
} run;

static void print_diagnostics(run *r) {
  trm_cli_keep_diagnostics(&r->messages, r->diagnostics);
  trm_cli_print_diagnostics(r->diagnostics, r->quiet);
}

static int prepare(run *r) {
  int status = trm_cli_load(r->arguments, r->model_path, &r->model, &r->settings, r->diagnostics);
  if (status == 0) status = trm_cli_refuse_coordinates(r->arguments, r->model);
  if (status == 0) {
    trm_status created = TRM_OK;
    r->simulation = trm_simulation_create(r->model, &r->settings, r->diagnostics, &created);
    if (!r->simulation) status = created == TRM_OK ? 1 : trm_cli_exit_status(created);
  }
  print_diagnostics(r);
  if (status == 0 && r->check)
    status = trm_cli_reference_open(&r->reference, r->model, r->simulation, r->diagnostics);
  if (status != 0) return status;
  r->results = trm_results_create();
  if (r->results) return 0;
  trm_cli_error("out of memory");
  return 1;
}

static int prepare_folder(run *r) {
  const char *folder = r->folder;
  int status = trm_cli_results_folder(r->arguments, "", r->folder, sizeof r->folder);
  if (status == 0) status = trm_cli_lock_folder(&r->lock, folder);
  if (status != 0) return status;
  snprintf(r->table, sizeof r->table, "%s/results.%s", folder, r->hdf5 ? "h5" : "csv");
  snprintf(r->other, sizeof r->other, "%s/results.%s", folder, r->hdf5 ? "csv" : "h5");
  snprintf(r->scene, sizeof r->scene, "%s/scene.json", folder);
  snprintf(r->report, sizeof r->report, "%s/report.html", folder);
  snprintf(r->json_file, sizeof r->json_file, "%s/summary.json", folder);
  snprintf(r->part, sizeof r->part, "%s.part", r->table);
  bool good = trm_cli_check_replaceable(r->part) && trm_cli_check_replaceable(r->table) &&
              trm_cli_check_replaceable(r->json_file) && trm_cli_check_replaceable(r->scene) &&
              (!r->reports || trm_cli_check_replaceable(r->report));
  return good ? 0 : 1;
}

/* The table goes on behind the rows of the checkpoint: as a part again where the run was stopped
 * and not killed. */
static int take_up(run *r) {
  char checkpoint[LONGEST_PATH];
  double time;
  if (!trm_cli_name(checkpoint, r->folder, "checkpoint")) return 1;
  trm_status status =
      trm_simulation_resume(r->simulation, r->results, checkpoint, &time, r->diagnostics);
  print_diagnostics(r);
  if (status != TRM_OK) return trm_cli_exit_status(status);
  if (!isnan(time) && access(r->part, F_OK) != 0) r->reopened = rename(r->table, r->part) == 0;
  if (!r->quiet && isnan(time))
    fputs("there is no checkpoint yet: the run starts at the beginning\n", stderr);
  else if (!r->quiet)
    fprintf(stderr, "the run goes on from t = %g\n", time);
  return 0;
}

/* Rows go to their file as they come, checkpoints beside it. */
static int prepare_files(run *r) {
  char checkpoint[LONGEST_PATH], part[LONGEST_PATH + 8];
  if (!trm_cli_name(checkpoint, r->folder, "checkpoint")) return 1;
  trm_simulation_keep_frames(r->simulation, TRM_REPORT_FRAMES);
  trm_status status =
      trm_results_stream(r->results, r->table, r->hdf5 ? "hdf5" : "csv", r->diagnostics);
  if (status == TRM_OK)
    status = trm_simulation_keep_checkpoints(r->simulation, checkpoint, r->between, r->diagnostics);
  print_diagnostics(r);
  if (status != TRM_OK) return trm_cli_exit_status(status);
  trm_cli_remove_leftovers(r->folder);
  if (r->resume) return take_up(r);
  snprintf(part, sizeof part, "%s.part", r->other);
  trm_cli_remove(part);
  trm_cli_remove_checkpoints(r->folder);
  return trm_cli_write_command(r->arguments, r->folder) ? 0 : 1;
}

static trm_status simulate(run *r) {
  trm_cli_bar bar;
  trm_cli_bar_start(&bar, !r->quiet);
  trm_cli_catch_signals();
  if (r->estimates) trm_simulation_keep_marks(r->simulation);
  trm_status status =
      trm_simulation_run(r->simulation, r->results, trm_cli_bar_step, &bar, r->diagnostics);
  trm_cli_bar_end(&bar);
  if (r->estimates && status == TRM_OK) {
    trm_cli_bar_start(&bar, !r->quiet);
    trm_status estimated =
        trm_simulation_estimate(r->simulation, trm_cli_bar_step, &bar, r->diagnostics);
    trm_cli_bar_end(&bar);
    if (estimated == TRM_INTERRUPTED)
      trm_cli_error("interrupted while the error was estimated: the run is complete");
  }
  print_diagnostics(r);
  r->summary = *trm_simulation_summary(r->simulation);
  r->summary.model = r->model_path; /* as the user wrote it */
  return status;
}

/* scene: whether its file is there to be taken. */
static bool write_report(run *r, bool scene) {
  trm_report_options options = trm_default_report_options();
  options.summary = &r->summary;
  options.message_count = r->messages.count;
  options.messages = (const char *const *)r->messages.texts;
  options.scene = scene ? r->scene : NULL;
  return trm_report_write(r->simulation, r->results, &options, r->report, r->diagnostics) == TRM_OK;
}

static bool write_table(run *r) {
  if (trm_results_rows(r->results) > 0)
    return trm_results_publish(r->results, r->diagnostics) == TRM_OK;
  return trm_cli_remove(r->part) && trm_cli_remove(r->table);
}

/* All are tried: a disk too full for the table may still have room for the summary. What an earlier
 * run left does not stay: it would pass for this one's, so it goes first. The summary comes last:
 * where it is, all is. */
static bool write_files(run *r) {
  bool good = trm_cli_remove(r->json_file) && trm_cli_remove(r->report) &&
              trm_cli_remove(r->scene) && trm_cli_remove(r->other);
  if (!write_table(r)) good = false;
  bool scene = trm_scene_write(r->simulation, r->scene, r->diagnostics) == TRM_OK;
  if (!scene || (r->reports && !write_report(r, scene))) good = false;
  if (trm_summary_write_json(&r->summary, r->json_file, r->diagnostics) != TRM_OK) good = false;
  trm_cli_sync_folder(r->folder);
  print_diagnostics(r);
  return good;
}

static void print_metrics(const trm_summary *s) {
  for (int i = 0; i < s->metric_count; i++)
    if (isnan(s->metrics[i]))
      printf("  %-27s%s\n", s->metric_names[i], "none");
    else
      printf("  %-27s%.6g\n", s->metric_names[i], s->metrics[i]);
}

static bool is_doubtful(const run *r) {
  return strcmp(r->summary.status, "doubtful") == 0;
}

static void print_table(const run *r, bool written) {
  const trm_summary *s = &r->summary;
  printf("%s: %s at t = %g\n", s->name && *s->name ? s->name : r->model_path, s->status,
         s->time_reached);
  printf("  %-27s%ld\n", "steps", s->steps);
  if (s->newton_iterations > 0)
    printf("  %-27s%ld, with %ld Jacobians and %ld steps cut\n", "Newton iterations",
           s->newton_iterations, s->jacobians, s->step_cuts);
  printf("  %-27s%.3g s\n", "wall time", s->wall_seconds);
  printf("  %-27s%.3g\n", "real-time factor", s->real_time_factor);
  printf("  %-27s%.2e\n", "largest position violation", s->max_position_violation);
  printf("  %-27s%.2e\n", "largest velocity violation", s->max_velocity_violation);
  if (isnan(s->energy_initial))
    printf("  %-27s%s\n", "largest energy error", "unknown, the system gives no energy");
  else
    printf("  %-27s%.2e\n", "largest energy error", s->max_energy_error);
  if (isnan(s->estimated_error))
    printf("  %-27s%s\n", "estimated error", "none was made");
  else
    printf("  %-27s%.2e\n", "estimated error", s->estimated_error);
  /* why a run ended early, or is doubtful, has been said already */
  bool said = strcmp(s->status, "completed") != 0 && !(is_doubtful(r) && r->allows);
  if (*s->message && !said) printf("  %-27s%s\n", "note", s->message);
  if (r->check) trm_cli_reference_print(&r->reference);
  print_metrics(s);
  if (!written) return;
  if (trm_results_rows(r->results) > 0) printf("  %-27s%s\n", "results", r->table);
  printf("  %-27s%s\n", "summary", r->json_file);
  if (r->reports) printf("  %-27s%s\n", "report", r->report);
}

static bool print_outcome(run *r, bool written) {
  if (r->json) {
    trm_cli_flush();
    trm_status status = trm_summary_write_json(&r->summary, "-", r->diagnostics);
    print_diagnostics(r);
    clearerr(stdout); /* has been said */
    return status == TRM_OK;
  }
  if (!r->quiet) print_table(r, written);
  return true;
}

static int read_options(run *r) {
  const char *format = trm_cli_value(r->arguments, "format");
  r->hdf5 = format && strcmp(format, "hdf5") == 0;
  if (format && !r->hdf5 && strcmp(format, "csv") != 0) {
    trm_cli_error("--format: unknown format '%s'; it must be csv or hdf5", format);
    return 2;
  }
  if (r->opens && !r->reports) {
    trm_cli_error("--open shows the report, and --no-report writes none");
    return 2;
  }
  if (r->streams && (r->hdf5 || r->json || r->opens)) {
    trm_cli_error("-o - prints the table as CSV and writes no files: --%s does not go with it",
                  r->hdf5   ? "format hdf5"
                  : r->json ? "json"
                            : "open");
    return 2;
  }
  r->between = 60;
  return trm_cli_number(r->arguments, "checkpoint", 0, &r->between) ? 0 : 2;
}

/* Whether it may pass: doubts are said, and the reference is looked at. */
static bool judge(run *r) {
  bool passed = !is_doubtful(r) || r->allows;
  if (!passed)
    trm_cli_error("the run is doubtful, its results are kept (--allow-doubtful accepts it): %s",
                  r->summary.message);
  if (!r->check) return passed;
  passed &= trm_cli_reference_check(&r->reference, r->results, r->diagnostics);
  r->summary.check = &r->reference.check;
  return passed;
}

/* The table on standard output, and nothing else anywhere. */
static int run_to_output(run *r) {
  int status = read_options(r);
  if (status == 0) status = prepare(r);
  if (status != 0) return status;
  trm_status outcome = simulate(r);
  if (outcome == TRM_INTERRUPTED) trm_cli_error("interrupted at t = %g", r->summary.time_reached);
  bool passed = judge(r);
  trm_cli_flush();
  bool written = trm_results_write_csv(r->results, "-", r->diagnostics) == TRM_OK;
  print_diagnostics(r);
  clearerr(stdout); /* has been said */
  return outcome == TRM_OK && passed && written ? 0 : 1;
}

static int run_all(run *r) {
  int status = read_options(r);
  if (status == 0) status = prepare(r);
  if (status == 0) status = prepare_folder(r);
  if (status == 0) status = prepare_files(r);
  if (status != 0) return status;
  trm_status outcome = simulate(r);
  bool begun = trm_results_rows(r->results) > 0;
  /* what stands there is not touched where the run could not begin */
  if (outcome == TRM_BAD_USAGE && r->reopened) rename(r->part, r->table);
  if (outcome == TRM_IO_ERROR || outcome == TRM_BAD_USAGE || (outcome == TRM_NO_MEMORY && !begun))
    return trm_cli_exit_status(outcome);
  if (outcome == TRM_INTERRUPTED)
    trm_cli_error("interrupted at t = %g; what was computed is kept; 'trammel resume %s' goes on",
                  r->summary.time_reached, r->folder);
  bool passed = judge(r);
  bool written = write_files(r);
  if (!begun || (outcome == TRM_OK && written)) trm_cli_remove_checkpoints(r->folder);
  bool printed = print_outcome(r, written);
  if (r->opens && written && !trm_cli_open_page(r->report)) printed = false;
  return outcome == TRM_OK && passed && written && printed ? 0 : 1;
}

static int run_model(const trm_cli_arguments *arguments, bool resume) {
  run *r = calloc(1, sizeof *r);
  if (r) r->diagnostics = trm_diagnostics_create();
  if (!r || !r->diagnostics) {
    free(r);
    trm_cli_error("out of memory");
    return 1;
  }
  r->arguments = arguments;
  r->model_path = arguments->models[0];
  r->json = trm_cli_given(arguments, "json");
  r->quiet = trm_cli_given(arguments, "quiet");
  r->check = trm_cli_given(arguments, "check");
  r->reports = !trm_cli_given(arguments, "no-report");
  r->resume = resume;
  r->lock.file = -1;
  r->estimates = !trm_cli_given(arguments, "no-estimate");
  r->allows = trm_cli_given(arguments, "allow-doubtful");
  r->opens = trm_cli_given(arguments, "open");
  const char *output = trm_cli_value(arguments, "output");
  r->streams = output && strcmp(output, "-") == 0;
  int status = r->streams ? run_to_output(r) : run_all(r);
  trm_results_destroy(r->results);
  trm_results_destroy(r->reference.table);
  trm_simulation_destroy(r->simulation);
  trm_model_destroy(r->model);
  trm_diagnostics_destroy(r->diagnostics);
  trm_cli_free_texts(&r->messages);
  trm_cli_unlock_folder(&r->lock);
  free(r);
  return status;
}

/* Two models of one name would write into one folder. */
static bool have_names_of_their_own(const trm_cli_arguments *arguments) {
  char one[256], other[256];
  for (int i = 0; i < arguments->model_count; i++)
    for (int k = 0; k < i; k++) {
      const char *const *models = arguments->models;
      if (!trm_cli_stem(models[i], one, sizeof one) ||
          !trm_cli_stem(models[k], other, sizeof other) || strcmp(one, other) != 0)
        continue;
      trm_cli_error("'%s' and '%s' have the same name: their results would be in one folder",
                    models[k], models[i]);
      return false;
    }
  return true;
}

static int output_option(const trm_cli_arguments *arguments) {
  int k = 0;
  while (strcmp(trm_cli_option_get(arguments->command, k).name, "output") != 0) k++;
  return k;
}

/* One after the other, each in a folder of its own; the worst exit status counts. */
static int run_several(const trm_cli_arguments *arguments) {
  const char *folder = trm_cli_value(arguments, "output");
  int worst = 0, output = output_option(arguments);
  if (folder && strcmp(folder, "-") == 0) {
    trm_cli_error("-o - prints the table of one model, not of %d", arguments->model_count);
    return 2;
  }
  if (!have_names_of_their_own(arguments)) return 2;
  for (int k = 0; k < arguments->model_count && !trm_cli_stopped(); k++) {
    trm_cli_arguments one = *arguments;
    char stem[256], own[LONGEST_PATH];
    one.models = arguments->models + k;
    one.model_count = 1;
    if (folder && trm_cli_stem(one.models[0], stem, sizeof stem) &&
        snprintf(own, sizeof own, "%s/%s", folder, stem) < (int)sizeof own)
      one.values[output] = own;
    int status = run_model(&one, false);
    if (status > worst) worst = status;
  }
  arguments->values[output] = folder;
  return worst;
}

static int run_command(const trm_cli_arguments *arguments) {
  return arguments->model_count > 1 ? run_several(arguments) : run_model(arguments, false);
}

int trm_cli_go_on(const trm_cli_arguments *arguments) {
  if (strcmp(arguments->models[0], "-") != 0) return run_model(arguments, true);
  trm_cli_error("the model came from standard input and is not kept: it cannot be resumed");
  return 2;
}

static const trm_cli_option options[] = {
    {"output", 'o', "DIR",
     "folder for results.csv, summary.json, scene.json and report.html; default: "
     "results/<model>, of several models DIR/<model>; -: the table on standard output, and no "
     "files"},
    {"format", 0, "F", "of the table: csv (the default), or hdf5, results.h5 in its place"},
    {"check", 0, NULL, "compare with the model's reference; a difference fails the run"},
    {"checkpoint", 0, "S",
     "seconds of the clock between checkpoints, from which 'trammel resume' goes on; default: 60"},
    {"space", 0, "SPACE", "spatial: a planar model in space, with the same motion"},
    {"json", 0, NULL, "print summary.json on standard output, and nothing else there"},
    {"quiet", 0, NULL, "print nothing but errors"},
    {"no-report", 0, NULL, "write no report.html"},
    {"open", 0, NULL, "show the report in the browser at the end"},
    {"no-estimate", 0, NULL, "do not estimate the error by other runs"},
    {"allow-doubtful", 0, NULL, "exit status 0 also where the run is doubtful"},
    {0}};

const trm_cli_command trm_cli_run = {
    .name = "run",
    .usage = "MODEL... [-o DIR] [--set NAME=VALUE]... [--input NAME=VALUE]... [--KEY VALUE]... "
             "[--check] [--json] [--quiet]",
    .summary = "simulate a model, write results.csv, summary.json and report.html",
    .notes =
        "MODEL may be -, standard input. Several models run one after the other.\n"
        "Rows are in results.csv.part (or .h5.part) within a second, and renamed at the end.\n"
        "Ctrl-C (or SIGTERM, SIGHUP, SIGQUIT, SIGXCPU) stops at the next step and keeps the\n"
        "partial results; the program then ends by that signal. A second Ctrl-C kills. 'trammel\n"
        "resume DIR' goes on, after a kill, too.\n\n"
        "exit status: 0 done; 1 the simulation failed (what was computed is kept), is doubtful,\n"
        "did not pass --check, or the results could not be written; 2 wrong usage, or another run\n"
        "is writing into the folder; 3 bad model\n",
    .options = options,
    .settings = true,
    .least_models = 1,
    .most_models = -1,
    .run = run_command};
