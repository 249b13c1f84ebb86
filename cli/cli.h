/* What the commands share. */
#ifndef TRM_CLI_H
#define TRM_CLI_H

#include <stdbool.h>
#include <stdio.h>
#include <trammel/trammel.h>

typedef struct trm_cli_option {
  const char *name;     /* "output" for --output */
  char letter;          /* 'o' for -o, or 0 */
  const char *argument; /* "DIR"; NULL for a flag */
  const char *help;
} trm_cli_option;

struct trm_cli_arguments;

/* The options of a command end with an empty one; --help is every command's. */
typedef struct trm_cli_command {
  const char *name;
  const char *usage;   /* what follows the name */
  const char *summary; /* one line */
  const char *notes;   /* the end of its help, or NULL */
  const trm_cli_option *options;
  bool settings;            /* also takes --set and every key of `simulate` */
  const char *const *lists; /* keys that take several values and are read by the command, or NULL */
  const char *input;        /* what it reads; NULL: a model file */
  int least_models, most_models;              /* most < 0: any number */
  const struct trm_cli_command *with_methods; /* in its place where --methods is given, or NULL */
  int (*run)(const struct trm_cli_arguments *arguments); /* returns the exit status */
} trm_cli_command;

extern const trm_cli_command trm_cli_run, trm_cli_check, trm_cli_methods, trm_cli_bench,
    trm_cli_compare, trm_cli_compare_methods, trm_cli_accuracy_command, trm_cli_plot, trm_cli_film,
    trm_cli_tire, trm_cli_fmu, trm_cli_import, trm_cli_resume, trm_cli_sweep, trm_cli_linearize,
    trm_cli_equilibrium, trm_cli_modes, trm_cli_response, trm_cli_inverse, trm_cli_sensitivity,
    trm_cli_optimize, trm_cli_models, trm_cli_new;

/* --- options.c --- */

typedef struct trm_cli_arguments {
  const trm_cli_command *command;
  int model_count, set_count, option_count, input_count;
  const char **models; /* model_count */
  const char **sets;   /* "NAME=VALUE", NULL-terminated, each NAME once */
  char **inputs;       /* those of the sets that were made here, "inputs.NAME=…" */
  const char **values; /* of the command's options, then of the keys; NULL where not given */
  int all_count;       /* options in the order they were given, each as often as it was */
  int *all;            /* which */
  const char **all_values;
  int word_count; /* as they stood behind the command */
  char *const *words;
} trm_cli_arguments;

/* False, and said why, where the command line is wrong. Released afterwards in any case. */
bool trm_cli_parse(trm_cli_arguments *arguments, const trm_cli_command *command, int count,
                   char *const *words);
void trm_cli_release(trm_cli_arguments *arguments);

/* NULL: not given; a flag that was given is "". */
const char *trm_cli_value(const trm_cli_arguments *arguments, const char *name);
bool trm_cli_given(const trm_cli_arguments *arguments, const char *name);
/* All values of an option that may be given several times, into a list with room for all words
 * (NULL: only counts them). */
int trm_cli_values(const trm_cli_arguments *arguments, const char *name, const char **values);

int trm_cli_option_count(const trm_cli_command *command);
bool trm_cli_owns(const trm_cli_command *command, const char *name); /* a meaning of its own */
trm_cli_option trm_cli_option_get(const trm_cli_command *command, int index);

/* --- help.c --- */

void trm_cli_print_help(const trm_cli_command *const *commands, int count);
void trm_cli_print_command_help(const trm_cli_command *command);

/* --- suggest.c --- */

/* The candidate that was probably meant, or NULL. */
const char *trm_cli_nearest(const char *word, const char *const *candidates, int count);

/* --- load.c --- */

/* A mistyped setting is said before a large model is read. Returns the exit status. */
int trm_cli_check_options(const trm_cli_arguments *arguments, trm_diagnostics *diagnostics);
/* The model with its overrides, and its settings with the options over them. Returns the exit
 * status; the diagnostics are the caller's to print. */
int trm_cli_load(const trm_cli_arguments *arguments, const char *path, trm_model **model,
                 trm_settings *settings, trm_diagnostics *diagnostics);
/* --coordinates with a system of its own: said, and 2; else 0. */
int trm_cli_refuse_coordinates(const trm_cli_arguments *arguments, const trm_model *model);
/* Where nobody says, a state is analysed in coordinates of the bodies: in these frames may turn. */
void trm_cli_take_bodies(trm_settings *settings);
int trm_cli_exit_status(trm_status status);
/* What the library calls simulate/step is --step here; clears them. */
void trm_cli_print_option_errors(trm_diagnostics *diagnostics);

/* --- reference.c --- */

typedef struct trm_cli_reference {
  const char *file; /* the model's */
  double tolerance;
  trm_results *table; /* trm_results_destroy it */
  trm_check check;
} trm_cli_reference;

/* Reads the model's reference and has the simulation record its columns. Returns the exit status.
 */
int trm_cli_reference_open(trm_cli_reference *reference, const trm_model *model,
                           trm_simulation *simulation, trm_diagnostics *diagnostics);
/* False, and said why, where the results do not agree. */
bool trm_cli_reference_check(trm_cli_reference *reference, const trm_results *results,
                             trm_diagnostics *diagnostics);
void trm_cli_reference_print(const trm_cli_reference *reference);

/* --- message.c --- */

__attribute__((format(printf, 1, 2))) void trm_cli_error(const char *format, ...);
/* Messages kept for later. */
typedef struct trm_cli_texts {
  int count;
  char **texts; /* count */
} trm_cli_texts;

void trm_cli_keep_diagnostics(trm_cli_texts *kept, const trm_diagnostics *diagnostics);
void trm_cli_free_texts(trm_cli_texts *kept);
/* To standard error, then clears them. */
void trm_cli_print_diagnostics(trm_diagnostics *diagnostics, bool only_errors);
/* Writes out what is buffered for standard output; its first error is kept for the end. */
void trm_cli_flush(void);
/* At the very end: `status`, or 1 where standard output could not be written. */
int trm_cli_finish(int status);

/* --- results.c --- */

/* Reads the table of a run: its folder, or the file, CSV or HDF5. */
trm_results *trm_cli_read_results(const char *path, trm_diagnostics *diagnostics);
/* Another file of the run, in its folder or beside its CSV file; false where it does not fit. */
bool trm_cli_file_of_run(const char *path, const char *name, char *file, size_t size);

/* --- json.c --- */

/* One line of an object: indentation, key, value. */
typedef struct trm_cli_json {
  FILE *file; /* NULL: standard output */
  int depth;
  bool begun;
} trm_cli_json;

void trm_cli_json_open(trm_cli_json *json, const char *key, char bracket);
void trm_cli_json_close(trm_cli_json *json, char bracket);
void trm_cli_json_string(trm_cli_json *json, const char *key, const char *value);
void trm_cli_json_number(trm_cli_json *json, const char *key, double value);
void trm_cli_json_bool(trm_cli_json *json, const char *key, bool value);

/* --- models.c --- */

/* The shipped models, sorted; free with trm_cli_free_paths. NULL: none, which is said. */
char **trm_cli_shipped_models(int *count);
void trm_cli_free_paths(char **paths, int count);
/* "four_bar" of "models/four_bar.yaml"; false where it does not fit. */
bool trm_cli_stem(const char *path, char *stem, size_t size);

/* --- folder.c --- */

/* Like mkdir -p; false, and said why, where that fails. */
bool trm_cli_make_folder(const char *path);
/* The folder for results, made: --output, or results/<stem of the first model><end>. Returns the
 * exit status. */
int trm_cli_results_folder(const trm_cli_arguments *arguments, const char *end, char *folder,
                           size_t size);
/* Whether a file can be written there; leaves no trace. */
bool trm_cli_check_writable(const char *path);
/* Whether a file stands there that may be replaced by another, or none. */
bool trm_cli_check_replaceable(const char *path);
/* A file beside `path`, NULL where there can be none, which is said; when it is whole it takes the
 * place of what was there, or is given up. */
FILE *trm_cli_create(const char *path);
bool trm_cli_commit(FILE *file, const char *path, bool keep);
/* True where nothing was there either. */
bool trm_cli_remove(const char *path);

/* --- progress.c --- */

double trm_cli_seconds(void); /* monotonic */

/* Tells about every 10 ms, from calls that come every step: reads the clock only now and then. */
typedef struct trm_cli_ticker {
  double last;
  long calls, interval;
} trm_cli_ticker;

bool trm_cli_tick(trm_cli_ticker *ticker, double *now);

typedef struct trm_cli_bar {
  bool visible, drawn;
  double start, shown;
  trm_cli_ticker ticker;
} trm_cli_bar;

void trm_cli_bar_start(trm_cli_bar *bar, bool wanted);
bool trm_cli_bar_step(void *bar, double time, double fraction);             /* a trm_progress */
void trm_cli_bar_show(trm_cli_bar *bar, const char *text, double fraction); /* now and then */
void trm_cli_bar_end(trm_cli_bar *bar); /* takes it off the screen */

/* From now on Ctrl-C, SIGTERM, SIGQUIT, SIGHUP and SIGXCPU stop the run at its next step; a second
 * one of the first three kills. */
void trm_cli_catch_signals(void);
bool trm_cli_stopped(void);
/* At the very end: a program that was stopped ends by that signal, so that a shell's loop ends,
 * too. */
void trm_cli_end_by_signal(void);

#endif
