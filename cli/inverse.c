/* trammel inverse: the efforts that a motion needs. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "markers.h"

typedef struct inverse {
  const trm_cli_arguments *given;
  trm_cli_arguments arguments; /* with the motion's drivers among the sets */
  trm_results *motion;         /* NULL: the model's own drivers */
  int moved;                   /* columns of the motion behind t */
  char **added;                /* [moved] overrides */
  trm_cli_state state;
  int count;                  /* of efforts */
  char **columns, **measures; /* [count] their names in the table, and in the model */
  trm_results *results;
} inverse;

static int no_memory(void) {
  trm_cli_error("out of memory");
  return 1;
}

static char *join(const char *a, const char *b, const char *c) {
  size_t room = strlen(a) + strlen(b) + strlen(c) + 1;
  char *text = malloc(room);
  if (text) snprintf(text, room, "%s%s%s", a, b, c);
  return text;
}

/* ---- the motion ---- */

static char *override_of(const char *measure, const char *path) {
  char *start = join("drivers.", measure, "=");
  char *whole = start ? join(start, path, "") : NULL;
  free(start);
  return whole;
}

static int add_drivers(inverse *i, const char *file) {
  int sets = i->given->set_count;
  char *path = realpath(file, NULL); /* the library looks beside the model */
  i->arguments.sets = calloc((size_t)(sets + i->moved) + 1, sizeof *i->arguments.sets);
  i->added = calloc((size_t)i->moved + 1, sizeof *i->added);
  bool good = path && i->arguments.sets && i->added;
  for (int k = 0; good && k < sets; k++) i->arguments.sets[k] = i->given->sets[k];
  for (int k = 0; good && k < i->moved; k++) {
    i->added[k] = override_of(trm_results_name(i->motion, k + 1), path);
    i->arguments.sets[sets + k] = i->added[k];
    good = i->added[k] != NULL;
  }
  i->arguments.set_count = sets + i->moved;
  free(path);
  return good ? 0 : no_memory();
}

static int read_motion(inverse *i, trm_diagnostics *diagnostics) {
  const char *file = trm_cli_value(i->given, "motion");
  char fitted[4096];
  if (trm_cli_given(i->given, "markers")) {
    if (file) {
      trm_cli_error("--motion and --markers both give the motion: one must go");
      return 2;
    }
    int status = trm_cli_markers(i->given, fitted, sizeof fitted);
    if (status != 0) return status;
    file = fitted;
  }
  if (!file) return 0;
  i->motion = trm_results_read_csv(file, diagnostics);
  trm_cli_print_diagnostics(diagnostics, false);
  if (!i->motion) return 3;
  i->moved = trm_results_columns(i->motion) - 1;
  if (i->moved < 1 || strcmp(trm_results_name(i->motion, 0), "t") != 0) {
    trm_cli_error("%s: the columns of a motion are t, then measures", file);
    return 3;
  }
  return add_drivers(i, file);
}

/* ---- the run ---- */

static int load(inverse *i) {
  trm_cli_state *s = &i->state;
  int status =
      trm_cli_load(&i->arguments, i->given->models[0], &s->model, &s->settings, s->diagnostics);
  if (status == 0) status = trm_cli_refuse_coordinates(i->given, s->model);
  if (status != 0) return status;
  trm_cli_take_bodies(&s->settings);
  if (i->motion && !trm_cli_given(i->given, "duration"))
    s->settings.duration = trm_results_get(i->motion, trm_results_rows(i->motion) - 1, 0);
  if (trm_model_driver_count(s->model) == 0) {
    trm_cli_error("%s has no driver: give its motion by a joint of type driver, or by --motion",
                  i->given->models[0]);
    return 2;
  }
  trm_status created = TRM_OK;
  s->simulation = trm_simulation_create(s->model, &s->settings, s->diagnostics, &created);
  return s->simulation ? 0 : created == TRM_OK ? 1 : trm_cli_exit_status(created);
}

/* The model's own drivers come first, then those of the motion in the order of its columns. */
static int record(inverse *i) {
  trm_cli_state *s = &i->state;
  i->count = trm_model_driver_count(s->model);
  i->columns = calloc((size_t)i->count + 1, sizeof *i->columns);
  i->measures = calloc((size_t)i->count + 1, sizeof *i->measures);
  i->results = trm_results_create();
  if (!i->columns || !i->measures || !i->results) return no_memory();
  int own = i->count - i->moved;
  for (int k = 0; k < i->count; k++) {
    const char *driver = trm_model_driver_name(s->model, k);
    i->measures[k] = join(driver, ".effort", "");
    i->columns[k] = k < own ? join(driver, ".effort", "")
                            : join(trm_results_name(i->motion, k - own + 1), ".effort", "");
    if (!i->measures[k] || !i->columns[k]) return no_memory();
    if (!trm_simulation_record(s->simulation, i->measures[k], s->diagnostics)) return 1;
  }
  return 0;
}

static int write_table(const inverse *i, const char *path) {
  FILE *file = trm_cli_create(path);
  if (!file) return 1;
  fputs("t", file);
  for (int k = 0; k < i->count; k++) fprintf(file, ",%s", i->columns[k]);
  fputc('\n', file);
  for (int row = 0; row < trm_results_rows(i->results); row++) {
    fprintf(file, "%.17g", trm_results_get(i->results, row, 0));
    for (int k = 0; k < i->count; k++)
      fprintf(file, ",%.17g",
              trm_results_get(i->results, row, trm_results_find(i->results, i->measures[k])));
    fputc('\n', file);
  }
  return trm_cli_commit(file, path, true) ? 0 : 1;
}

static double largest(const inverse *i, int k) {
  int column = trm_results_find(i->results, i->measures[k]);
  double most = 0;
  for (int row = 0; row < trm_results_rows(i->results); row++) {
    double value = trm_results_get(i->results, row, column);
    if (!(value <= most && -value <= most)) most = value < 0 ? -value : value;
  }
  return most;
}

/* ---- actuators ---- */

#define LACKING 1e-6 /* of the efforts that are needed */

static int write_efforts(inverse *i, char **names, int count, FILE *file) {
  trm_cli_state *s = &i->state;
  const char *worst = NULL, *lacks = NULL;
  double *efforts = calloc((size_t)count + 1, sizeof *efforts), left, most = 0, when = 0;
  trm_status created = TRM_OK;
  trm_simulation *sim = trm_simulation_create(s->model, &s->settings, s->diagnostics, &created);
  int status = sim && efforts ? 0 : 1;
  trm_cli_print_diagnostics(s->diagnostics, true); /* of the assembly, as before */
  fputs("t", file);
  for (int k = 0; k < count; k++) fprintf(file, ",%s.effort", names[k]);
  fputs(",left\n", file);
  for (int row = 0; status == 0 && row < trm_results_rows(i->results); row++) {
    double t = trm_results_get(i->results, row, 0);
    trm_status went = trm_simulation_advance(sim, t, s->diagnostics);
    if (went == TRM_OK)
      went = trm_simulation_actuate(sim, (const char *const *)names, count, efforts, &left, &worst,
                                    s->diagnostics);
    status = trm_cli_exit_status(went);
    if (status != 0) break;
    if (!(left <= most)) most = left, when = t, lacks = worst;
    fprintf(file, "%.17g", t);
    for (int k = 0; k < count; k++) fprintf(file, ",%.17g", efforts[k]);
    fprintf(file, ",%.17g\n", left);
  }
  if (status == 0 && !(most <= LACKING)) {
    trm_cli_error("these actuators cannot make the motion: at t = %g they lack %.2g of what it "
                  "needs, most along '%s'",
                  when, most, lacks ? lacks : "");
    status = 1;
  }
  free(efforts);
  trm_simulation_destroy(sim);
  return status;
}

static int actuate(inverse *i) {
  char path[4096];
  char **names;
  if (!trm_cli_names(trm_cli_value(i->given, "actuators"), &names)) return 1;
  int count = 0, status = trm_cli_result_file(i->given, "actuators.csv", path, sizeof path);
  while (names && names[count]) count++;
  FILE *file = status == 0 ? trm_cli_create(path) : NULL;
  if (!file) {
    trm_cli_free_names(names);
    return 1;
  }
  status = write_efforts(i, names, count, file);
  if (!trm_cli_commit(file, path, status == 0)) status = 1;
  if (status == 0) printf("  %-27s%s\n", "actuators", path);
  trm_cli_free_names(names);
  return status;
}

static void print(const inverse *i, const char *path) {
  int free_ones = trm_simulation_inspect(i->state.simulation).degrees_of_freedom;
  printf("%s: efforts for a motion\n", trm_cli_title(i->state.model));
  for (int k = 0; k < i->count; k++) printf("  %-27s%g at most\n", i->columns[k], largest(i, k));
  if (free_ones > 0)
    printf("  %-27s%d: they move as forces let them\n", "freedoms without a driver", free_ones);
  printf("  %-27s%s\n", "written", path);
}

static int invert(inverse *i) {
  char path[4096];
  trm_cli_state *s = &i->state;
  int status = read_motion(i, s->diagnostics);
  if (status == 0) status = load(i);
  if (status == 0) status = record(i);
  if (status == 0) status = trm_cli_result_file(i->given, "inverse.csv", path, sizeof path);
  if (status != 0) return status;
  trm_cli_print_diagnostics(s->diagnostics, false); /* of the assembly: a motion may begin afar */
  trm_cli_catch_signals();
  trm_cli_bar bar;
  trm_cli_bar_start(&bar, true);
  trm_status ran =
      trm_simulation_run(s->simulation, i->results, trm_cli_bar_step, &bar, s->diagnostics);
  trm_cli_bar_end(&bar);
  status = write_table(i, path);
  if (status == 0) print(i, path);
  if (status == 0 && ran == TRM_OK && trm_cli_given(i->given, "actuators")) status = actuate(i);
  return ran == TRM_OK ? status : trm_cli_exit_status(ran);
}

static void release(inverse *i) {
  for (int k = 0; k < i->count; k++) {
    if (i->columns) free(i->columns[k]);
    if (i->measures) free(i->measures[k]);
  }
  for (int k = 0; i->added && k < i->moved; k++) free(i->added[k]);
  if (i->arguments.sets != i->given->sets) free(i->arguments.sets);
  free(i->columns);
  free(i->measures);
  free(i->added);
  trm_results_destroy(i->motion);
  trm_results_destroy(i->results);
  trm_cli_state_release(&i->state);
}

static int inverse_command(const trm_cli_arguments *arguments) {
  inverse i = {.given = arguments, .arguments = *arguments};
  i.state.diagnostics = trm_diagnostics_create();
  if (!i.state.diagnostics) return no_memory();
  int status = invert(&i);
  trm_cli_print_diagnostics(i.state.diagnostics, false);
  release(&i);
  return status;
}

static const trm_cli_option options[] = {
    {"output", 'o', "DIR", "folder for inverse.csv; default: results/<model>"},
    {"motion", 0, "FILE.csv", "columns t and measures: a driver for each, along a quintic spline"},
    {"markers", 0, "FILE.csv",
     "columns t and measures, too many or too few: the nearest motion is driven; motion.csv, "
     "markers.csv"},
    {"actuators", 0, "A,B",
     "joints, lengths or coordinates whose efforts make the motion: "
     "actuators.csv"},
    {"weights", 0, "M=W,...", "of markers; default 1 each"},
    {0}};

const trm_cli_command trm_cli_inverse = {
    .name = "inverse",
    .usage = "MODEL [--motion FILE.csv] [--markers FILE.csv] [--actuators A,B] [-o DIR] [--set "
             "NAME=VALUE]... [--KEY "
             "VALUE]...",
    .summary = "the efforts of drivers that a motion needs",
    .notes = "Freedoms that no driver moves are simulated. With --motion the run ends with the "
             "table, unless\n--duration is given.\n\n"
             "exit status: 0 done; 1 the motion is not possible, or could not be written; 2 wrong "
             "usage; 3 bad\nmodel or motion\n",
    .options = options,
    .settings = true,
    .least_models = 1,
    .most_models = 1,
    .run = inverse_command};
