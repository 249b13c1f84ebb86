/* A study: what it consists of, and who does which of its runs. */
#define _POSIX_C_SOURCE 200809L /* mkdir */
#include "sweep/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sized.h"
#include "base/text.h"
#include "sweep/statistics.h"

static const trm_sweep_def no_study = {.part = 1, .parts = 1};

void trm_sweep_def_init(trm_sweep_def *defaults, size_t size) {
  trm_sized_give(defaults, size, &no_study, sizeof no_study);
}

/* --- which parameters --- */

static trm_symbol find_parameter(void *context, const char *name, size_t length) {
  const trm_model *model = context;
  for (int i = 0; i < model->parameter_count; i++)
    if (strlen(model->parameters[i].name) == length &&
        memcmp(model->parameters[i].name, name, length) == 0)
      return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = model->parameters[i].value};
  return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
}

static bool out_of_memory(trm_diagnostics *diagnostics) {
  trm_report(diagnostics, TRM_ERROR, "out of memory");
  return false;
}

static bool read_variations(trm_sweep *s, const trm_sweep_def *def, trm_diagnostics *diagnostics) {
  trm_design *d = &s->design;
  bool good = true;
  d->columns = def->vary_count;
  d->variations = TRM_NEW(s->arena, trm_variation, def->vary_count + 1);
  if (!d->variations) return out_of_memory(diagnostics);
  for (int k = 0; k < def->vary_count; k++)
    if (!trm_variation_parse(&d->variations[k], def->vary[k], find_parameter, s->model, s->arena,
                             diagnostics))
      good = false;
  return good;
}

static bool read_table(trm_sweep *s, const trm_sweep_def *def, trm_diagnostics *diagnostics) {
  trm_design *d = &s->design;
  if (def->vary_count > 0 || def->correlation) {
    trm_report(diagnostics, TRM_ERROR,
               "--table has all parameters: --vary and --correlation do "
               "not go with it");
    return false;
  }
  s->table = trm_results_read_csv(def->table, diagnostics);
  if (!s->table) return false;
  d->columns = trm_results_columns(s->table);
  d->samples = (uint64_t)trm_results_rows(s->table);
  d->variations = TRM_NEW(s->arena, trm_variation, d->columns + 1);
  const double **columns = TRM_NEW(s->arena, const double *, d->columns + 1);
  if (!d->variations || !columns) return out_of_memory(diagnostics);
  for (int k = 0; k < d->columns; k++) {
    d->variations[k].name = trm_results_name(s->table, k);
    columns[k] = trm_results_column(s->table, k);
  }
  d->table = columns;
  if (d->samples > 0 && d->columns > 0) return true;
  trm_report(diagnostics, TRM_ERROR, "the table '%s' has no rows", def->table);
  return false;
}

static bool choose_design(trm_sweep *s, const trm_sweep_def *def, trm_diagnostics *diagnostics) {
  trm_design *d = &s->design;
  bool countable = true;
  for (int k = 0; k < d->columns; k++) countable = countable && d->variations[k].levels > 0;
  d->kind = def->table ? TRM_DESIGN_TABLE : countable ? TRM_DESIGN_GRID : TRM_DESIGN_RANDOM;
  if (def->table && def->design) {
    trm_report(diagnostics, TRM_ERROR,
               "--table is a design of its own; --design does not go with "
               "it");
    return false;
  }
  if (def->design && !trm_design_find(def->design, &d->kind)) {
    trm_report(diagnostics, TRM_ERROR,
               "--design: unknown design '%s'; it must be grid, random, lhs, sobol or saltelli",
               def->design);
    return false;
  }
  if (def->samples == 0 || (d->kind != TRM_DESIGN_GRID && d->kind != TRM_DESIGN_TABLE)) return true;
  trm_report(diagnostics, TRM_ERROR,
             "--samples does not go with %s; it is for the designs random, lhs, sobol and saltelli",
             def->table ? "--table, which has a row for each run"
                        : "a grid, which has every combination of the values");
  return false;
}

static bool name_parameters(trm_sweep *s, trm_diagnostics *diagnostics) {
  trm_design *d = &s->design;
  s->parameters = TRM_NEW(s->arena, const char *, d->columns + 1);
  if (!s->parameters) return out_of_memory(diagnostics);
  for (int k = 0; k < d->columns; k++) {
    s->parameters[k] = d->variations[k].name;
    for (int i = 0; i < k; i++)
      if (strcmp(s->parameters[i], s->parameters[k]) == 0) {
        trm_report(diagnostics, TRM_ERROR, "parameter '%s' is varied twice", s->parameters[k]);
        return false;
      }
  }
  return true;
}

static bool correlate(trm_sweep *s, const char *path, trm_diagnostics *diagnostics) {
  trm_results *matrix = trm_results_read_csv(path, diagnostics);
  bool good = matrix && trm_design_correlate(&s->design, matrix, s->arena, diagnostics);
  trm_results_destroy(matrix);
  return good;
}

static bool read_design(trm_sweep *s, const trm_sweep_def *def, trm_diagnostics *diagnostics) {
  s->design.seed = def->seed;
  s->design.samples = def->samples > 0 ? (uint64_t)def->samples : 100;
  if (def->vary_count == 0 && !def->table) {
    trm_report(diagnostics, TRM_ERROR,
               "nothing is varied: --vary NAME=VALUES or --table FILE says "
               "what is");
    return false;
  }
  if (def->samples < 0) {
    trm_report(diagnostics, TRM_ERROR, "--samples is %ld, it must be positive", def->samples);
    return false;
  }
  return (def->table ? read_table(s, def, diagnostics) : read_variations(s, def, diagnostics)) &&
         choose_design(s, def, diagnostics) && name_parameters(s, diagnostics) &&
         trm_design_prepare(&s->design, s->arena, diagnostics) &&
         (!def->correlation || correlate(s, def->correlation, diagnostics));
}

/* --- settings --- */

static bool read_options(trm_sweep *s, const trm_sweep_def *def, trm_diagnostics *diagnostics) {
  trm_settings settings = *trm_model_settings(s->model);
  bool good = true;
  s->options = TRM_NEW(s->arena, const char *, def->option_count + 1);
  s->option_values = TRM_NEW(s->arena, const char *, def->option_count + 1);
  if (!s->options || !s->option_values) return out_of_memory(diagnostics);
  s->option_count = def->option_count;
  for (int i = 0; i < def->option_count; i++) {
    const char *text = def->options[i];
    size_t key = strcspn(text, "=");
    s->options[i] = trm_arena_substring(s->arena, text, key);
    s->option_values[i] = trm_arena_string(s->arena, text[key] ? text + key + 1 : "");
    if (!s->options[i] || !s->option_values[i]) return out_of_memory(diagnostics);
    if (trm_settings_set(&settings, s->options[i], s->option_values[i], diagnostics) != TRM_OK)
      good = false;
  }
  return good;
}

static trm_settings over_options(const trm_sweep *s, trm_settings settings) {
  for (int i = 0; i < s->option_count; i++) /* they were good */
    trm_settings_set(&settings, s->options[i], s->option_values[i], NULL);
  settings.threads = 1; /* a run is one thread's */
  return settings;
}

int trm_sweep_values(const trm_sweep *s) {
  return s->records.count + (s->series ? TRM_SWEEP_PLACE : 0);
}

trm_settings trm_sweep_settings(const trm_sweep *s, const trm_model *model) {
  const trm_settings *own = trm_model_settings(model);
  /* those that hang on no parameter are known already */
  if (s->fixed || memcmp(own, trm_model_settings(s->model), sizeof *own) == 0) return s->settings;
  return over_options(s, *own);
}

/* --- creating --- */

/* What is said of --set NAME=VALUE is said of --vary NAME. */
static void report_name(const char *message, trm_diagnostics *diagnostics) {
  const char *set = "--set ", *colon = strstr(message, ": ");
  size_t begin = strlen(set), name = strcspn(message + begin, "=");
  if (strncmp(message, set, begin) != 0 || !colon)
    trm_report(diagnostics, TRM_ERROR, "%s", message);
  else
    trm_report(diagnostics, TRM_ERROR, "--vary %.*s%s", (int)name, message + begin, colon);
}

/* Names that the model does not have are wrong usage; values that it cannot have are a run's. */
static trm_status try_parameters(trm_sweep *s, trm_diagnostics *diagnostics) {
  double *values = TRM_NEW(s->arena, double, s->design.columns + 1);
  trm_diagnostics *said = trm_diagnostics_create();
  trm_status status = TRM_NO_MEMORY;
  trm_model *model = NULL;
  if (values && said) {
    trm_design_run(&s->design, 0, values);
    model = trm_model_with(s->model, s->design.columns, s->parameters, values, said, &status);
    if (status == TRM_BAD_USAGE)
      for (int i = 0; i < trm_diagnostics_count(said); i++)
        report_name(trm_diagnostics_get(said, i)->message, diagnostics);
  }
  trm_model_destroy(model);
  trm_diagnostics_destroy(said);
  if (status == TRM_NO_MEMORY) out_of_memory(diagnostics);
  return status == TRM_BAD_MODEL ? TRM_OK : status;
}

static trm_status try_settings(trm_sweep *s, trm_diagnostics *diagnostics) {
  trm_diagnostics *said = trm_diagnostics_create();
  trm_status status = TRM_NO_MEMORY;
  trm_simulation *sim = said ? trm_simulation_create(s->model, &s->settings, said, &status) : NULL;
  for (int i = 0; said && status == TRM_BAD_USAGE && i < trm_diagnostics_count(said); i++)
    trm_report(diagnostics, TRM_ERROR, "%s", trm_diagnostics_get(said, i)->message);
  trm_simulation_destroy(sim);
  trm_diagnostics_destroy(said);
  return status == TRM_BAD_USAGE ? status : TRM_OK;
}

static trm_status read_all(trm_sweep *s, const trm_sweep_def *def, trm_diagnostics *diagnostics) {
  bool good = read_design(s, def, diagnostics);
  s->record_count = def->record_count;
  s->limit_count = def->limit_count;
  if (!trm_records_parse(&s->records, s->model, "--record", def->record_count, def->records,
                         s->arena, diagnostics))
    good = false;
  if (!trm_records_parse(&s->records, s->model, "--limit", def->limit_count, def->limits, s->arena,
                         diagnostics))
    good = false;
  for (int i = 0; good && i < def->limit_count; i++)
    if (!trm_series_is_condition(s->records.series[s->record_count + i])) {
      trm_report(diagnostics, TRM_ERROR, "--limit '%s' is no condition: write %s < 1, say",
                 def->limits[i], def->limits[i]);
      good = false;
    }
  if (def->parts < 1 || def->part < 1 || def->part > def->parts) {
    trm_report(diagnostics, TRM_ERROR, "--part %d/%d: it is written i/n, with i from 1 to n",
               def->part, def->parts);
    good = false;
  }
  if (!good) return TRM_BAD_USAGE;
  trm_status status = try_parameters(s, diagnostics);
  if (status == TRM_OK) status = try_settings(s, diagnostics);
  if (status == TRM_OK && !trm_study_describe(s)) return TRM_NO_MEMORY;
  return status;
}

static trm_status open_folder(trm_sweep *s, const trm_sweep_def *def,
                              trm_diagnostics *diagnostics) {
  char runs[4160];
  if (!def->folder || strlen(def->folder) > 4000) {
    trm_report(diagnostics, TRM_ERROR, "the study needs a folder for its runs");
    return TRM_BAD_USAGE;
  }
  s->folder = trm_arena_string(s->arena, def->folder);
  if (!s->folder) return TRM_NO_MEMORY;
  if (mkdir(s->folder, 0777) != 0 && errno != EEXIST) {
    trm_report(diagnostics, TRM_ERROR, "cannot create the folder '%s': %s", s->folder,
               strerror(errno));
    return TRM_IO_ERROR;
  }
  if (!trm_study_check(s, diagnostics)) return TRM_FAILED;
  snprintf(runs, sizeof runs, "%s/runs", s->folder);
  s->store = trm_store_open(runs, s->print, s->design.runs, trm_sweep_values(s), diagnostics);
  if (!s->store) return TRM_IO_ERROR;
  uint64_t all = s->design.runs, parts = (uint64_t)def->parts, part = (uint64_t)def->part - 1;
  s->begin = s->next = all / parts * part + (part < all % parts ? part : all % parts);
  s->end = s->begin + all / parts + (part < all % parts);
  s->done = trm_store_count(s->store, s->begin, s->end);
  return TRM_OK;
}

static trm_status create(trm_sweep *s, const trm_model *model, const trm_settings *settings,
                         const trm_sweep_def *def, trm_diagnostics *diagnostics) {
  trm_status status;
  if (!model->overrides) {
    trm_report(diagnostics, TRM_ERROR, "only models that were read have parameters to vary");
    return TRM_BAD_USAGE;
  }
  s->model = trm_model_with(model, 0, NULL, NULL, diagnostics, &status);
  if (!s->model) return status;
  s->series = def->series;
  if (!s->series) trm_model_leave_out_outputs(s->model);
  s->fixed = settings != NULL;
  if (!read_options(s, def, diagnostics)) return TRM_BAD_USAGE;
  s->settings = over_options(s, trm_settings_take(settings ? settings : trm_model_settings(model)));
  status = read_all(s, def, diagnostics);
  return status == TRM_OK ? open_folder(s, def, diagnostics) : status;
}

trm_sweep *trm_sweep_create(const trm_model *model, const trm_settings *settings,
                            const trm_sweep_def *definition, trm_diagnostics *diagnostics,
                            trm_status *status) {
  trm_sweep_def def = no_study;
  trm_status result = TRM_BAD_USAGE;
  trm_sweep *s = NULL;
  if (trm_sized_take_or_report(&def, sizeof def, definition, "trm_default_sweep_def",
                               diagnostics)) {
    s = calloc(1, sizeof *s);
    if (s) s->arena = trm_arena_create();
    if (s) pthread_mutex_init(&s->taking, NULL);
    result = s && s->arena ? create(s, model, settings, &def, diagnostics) : TRM_NO_MEMORY;
    if (result == TRM_NO_MEMORY) out_of_memory(diagnostics);
  }
  if (status) *status = result;
  if (result == TRM_OK) return s;
  trm_sweep_destroy(s);
  return NULL;
}

void trm_sweep_destroy(trm_sweep *s) {
  if (!s) return;
  trm_records_free(&s->records);
  trm_store_close(s->store);
  trm_results_destroy(s->table);
  trm_model_destroy(s->model);
  trm_statistics_free(s->statistics);
  pthread_mutex_destroy(&s->taking);
  trm_arena_destroy(s->arena);
  free(s);
}

/* --- who does which --- */

enum { LARGEST_BLOCK = 64, BLOCKS = 8 }; /* blocks for a worker, at least, of what is left */

bool trm_sweep_take(trm_sweep *s, int workers, uint64_t *first, uint64_t *count) {
  pthread_mutex_lock(&s->taking);
  while (s->next < s->end && trm_store_has(s->store, s->next)) s->next++;
  uint64_t size = (s->end - s->next) / (BLOCKS * (uint64_t)(workers < 1 ? 1 : workers));
  if (size < 1) size = 1;
  if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
  *first = s->next;
  while (s->next < s->end && s->next - *first < size && !trm_store_has(s->store, s->next))
    s->next++;
  *count = s->next - *first;
  pthread_mutex_unlock(&s->taking);
  return *count > 0;
}

uint64_t trm_sweep_runs(const trm_sweep *s) {
  return s->design.runs;
}

uint64_t trm_sweep_part(const trm_sweep *s) {
  return s->end - s->begin;
}

uint64_t trm_sweep_done(const trm_sweep *s) {
  return s->done;
}

int trm_sweep_parameters(const trm_sweep *s) {
  return s->design.columns;
}

const char *trm_sweep_parameter(const trm_sweep *s, int parameter) {
  return s->parameters[parameter];
}

void trm_sweep_run_parameters(const trm_sweep *s, uint64_t run, double *values) {
  trm_design_run(&s->design, run, values);
}

int trm_sweep_records(const trm_sweep *s) {
  return s->record_count;
}

int trm_sweep_limits(const trm_sweep *s) {
  return s->limit_count;
}
