/* What a study is, as a text: the folder keeps it, so that runs of two studies never mix. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trammel/version.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/mix.h"
#include "result/beside.h"
#include "sweep/sweep.h"

/* The text of a file, or NULL. */
static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  struct stat status;
  if (!file) return NULL;
  char *text = fstat(fileno(file), &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
  size_t length = text ? fread(text, 1, (size_t)status.st_size, file) : 0;
  if (text) text[length] = 0;
  fclose(file);
  return text;
}

static void write_settings(FILE *to, const trm_settings *s) {
  const char *texts[] = {
      s->coordinates, s->solver,   s->stabilization, s->weighting,          s->energy,
      s->integrator,  s->stepping, s->linear,        s->constraint_inertia, s->conserve};
  const double numbers[] = {s->duration, s->step, s->output_step, s->tolerance,      s->alpha,
                            s->beta,     s->rtol, s->atol,        s->spectral_radius};
  fputs("settings", to);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    fprintf(to, " %s", texts[i] && *texts[i] ? texts[i] : "-");
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) fprintf(to, " %.17g", numbers[i]);
  fputc('\n', to);
}

static void write_variation(FILE *to, const trm_variation *v) {
  static const char *const kinds[] = {"range",  "discrete",  "uniform",
                                      "normal", "lognormal", "triangular"};
  fprintf(to, "vary %s", v->name);
  if (v->numbers) fprintf(to, " %s", kinds[v->kind]);
  for (int i = 0; i < v->count; i++) fprintf(to, " %.17g", v->numbers[i]);
  fputc('\n', to);
}

static void write_design(FILE *to, const trm_design *d) {
  fprintf(to, "design %s, runs %" PRIu64 ", seed %" PRIu64 "\n", trm_design_name(d->kind), d->runs,
          d->seed);
  for (int k = 0; k < d->columns; k++) write_variation(to, &d->variations[k]);
  uint64_t print = TRM_MIX_START;
  if (d->factor)
    print = trm_mix(print, d->factor, (size_t)(d->columns * d->columns) * sizeof(double));
  for (int k = 0; d->table && k < d->columns; k++)
    print = trm_mix(print, d->table[k], (size_t)d->runs * sizeof(double));
  if (d->factor || d->table) fprintf(to, "numbers %016" PRIx64 "\n", print);
}

bool trm_study_describe(trm_sweep *s) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = open_memstream(&text, &length);
  if (!to) return false;
  fprintf(to, "trammel sweep, version %s\n", trm_version());
  fprintf(to, "model %016" PRIx64 " %s\n", trm_model_mix(s->model),
          s->model->embedded ? "spatial" : "");
  for (int i = 0; s->model->overrides && s->model->overrides[i]; i++)
    fprintf(to, "set %s\n", s->model->overrides[i]);
  write_settings(to, &s->settings);
  for (int i = 0; i < s->option_count; i++)
    fprintf(to, "option %s=%s\n", s->options[i], s->option_values[i]);
  write_design(to, &s->design);
  for (int i = 0; i < s->records.count; i++)
    fprintf(to, "%s %s\n", i < s->record_count ? "record" : "limit", s->records.texts[i]);
  if (s->series) fputs("series\n", to);
  bool good = trm_memory_close(to, &text);
  s->study = good ? trm_arena_string(s->arena, text) : NULL;
  s->print = good ? trm_mix(TRM_MIX_START, text, length) : 0;
  free(text);
  return s->study != NULL;
}

/* Of the first line that differs, for the message. */
static void first_difference(const char *a, const char *b, int *length_a, int *length_b,
                             const char **line_a, const char **line_b) {
  *line_a = a, *line_b = b;
  for (size_t i = 0; a[i] && a[i] == b[i]; i++)
    if (a[i] == '\n') *line_a = a + i + 1, *line_b = b + i + 1;
  *length_a = (int)strcspn(*line_a, "\n");
  *length_b = (int)strcspn(*line_b, "\n");
}

static bool refuse(const trm_sweep *s, const char *there, trm_diagnostics *diagnostics) {
  int here_length, there_length;
  const char *here_line, *there_line;
  first_difference(s->study, there, &here_length, &there_length, &here_line, &there_line);
  if (strncmp(here_line, "model", 5) == 0 && strncmp(there_line, "model", 5) == 0)
    trm_report(diagnostics, TRM_ERROR,
               "the folder '%s' holds a study of another model, or of this one as it was before it "
               "was changed; take another folder (-o), or remove that one",
               s->folder);
  else
    trm_report(diagnostics, TRM_ERROR,
               "the folder '%s' holds another study: '%.*s' there, '%.*s' here; take another "
               "folder (-o), or remove that one",
               s->folder, there_length > 100 ? 100 : there_length, there_line,
               here_length > 100 ? 100 : here_length, here_line);
  return false;
}

/* Written beside and moved there: whole or not at all. */
static bool leave(const trm_sweep *s, const char *path, trm_diagnostics *diagnostics) {
  char own[4200];
  snprintf(own, sizeof own, "%s.%ld", path, (long)getpid());
  FILE *file = fopen(own, "wb");
  bool good = file && fputs(s->study, file) >= 0 && fflush(file) == 0 && fsync(fileno(file)) == 0;
  int error = errno;
  if (file && fclose(file) != 0 && good) good = false, error = errno;
  if (good && rename(own, path) != 0) good = false, error = errno;
  if (good) trm_sync_name(path);
  if (good) return true;
  remove(own);
  trm_report(diagnostics, TRM_ERROR, "cannot write '%s': %s", path, strerror(error));
  return false;
}

bool trm_study_check(const trm_sweep *s, trm_diagnostics *diagnostics) {
  char path[4160];
  snprintf(path, sizeof path, "%.4096s/study.txt", s->folder);
  char *there = read_text(path);
  bool good = there ? strcmp(there, s->study) == 0 || refuse(s, there, diagnostics)
                    : leave(s, path, diagnostics);
  free(there);
  return good;
}
