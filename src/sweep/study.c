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

#include "sweep/sweep.h"

static uint64_t hash(uint64_t print, const void *bytes, size_t length) {
  const unsigned char *b = bytes;
  for (size_t i = 0; i < length; i++) print = (print ^ b[i]) * 1099511628211u;
  return print;
}

static const uint64_t start = 14695981039346656037u;

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

static bool is_path_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c && strchr("_-./+", c));
}

/* A file that is named beside another one, or by its whole path. */
static uint64_t hash_file(uint64_t print, const char *beside, const char *name, size_t length) {
  char path[4096];
  const char *slash = *name == '/' ? NULL : strrchr(beside, '/');
  int folder = slash ? (int)(slash - beside) + 1 : 0;
  if (snprintf(path, sizeof path, "%.*s%.*s", folder, beside, (int)length, name) >=
      (int)sizeof path)
    return print;
  char *text = read_text(path);
  if (text) print = hash(print, text, strlen(text));
  free(text);
  return print;
}

/* Tables and tires that a text names are a part of the model. */
static uint64_t hash_named(uint64_t print, const char *beside, const char *text) {
  while (*text) {
    size_t length = 0;
    while (is_path_character(text[length])) length++;
    bool file = length > 4 && (strncmp(text + length - 4, ".csv", 4) == 0 ||
                               strncmp(text + length - 4, ".tir", 4) == 0);
    if (file) print = hash_file(print, beside, text, length);
    text += length ? length : 1;
  }
  return print;
}

/* Of the file, all that it includes, and the files that they name. */
static uint64_t hash_model(const trm_model *model) {
  uint64_t print = hash(start, model->text, strlen(model->text));
  print = hash_named(print, model->file, model->text);
  for (int i = 0; i < model->part_count; i++) {
    print = hash(print, model->parts[i].text, strlen(model->parts[i].text));
    print = hash_named(print, model->parts[i].file, model->parts[i].text);
  }
  for (int i = 0; model->overrides && model->overrides[i]; i++)
    print = hash_named(print, model->file, model->overrides[i]);
  return print;
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
  uint64_t print = start;
  if (d->factor) print = hash(print, d->factor, (size_t)(d->columns * d->columns) * sizeof(double));
  for (int k = 0; d->table && k < d->columns; k++)
    print = hash(print, d->table[k], (size_t)d->runs * sizeof(double));
  if (d->factor || d->table) fprintf(to, "numbers %016" PRIx64 "\n", print);
}

bool trm_study_describe(trm_sweep *s) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = open_memstream(&text, &length);
  if (!to) return false;
  fprintf(to, "trammel sweep, version %s\n", trm_version());
  fprintf(to, "model %016" PRIx64 " %s\n", hash_model(s->model),
          s->model->embedded ? "spatial" : "");
  for (int i = 0; s->model->overrides && s->model->overrides[i]; i++)
    fprintf(to, "set %s\n", s->model->overrides[i]);
  write_settings(to, &s->settings);
  for (int i = 0; i < s->option_count; i++)
    fprintf(to, "option %s=%s\n", s->options[i], s->option_values[i]);
  write_design(to, &s->design);
  for (int i = 0; i < s->records.count; i++)
    fprintf(to, "%s %s\n", i < s->record_count ? "record" : "limit", s->records.texts[i]);
  bool good = fclose(to) == 0;
  s->study = good ? trm_arena_string(s->arena, text) : NULL;
  s->print = good ? hash(start, text, length) : 0;
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
