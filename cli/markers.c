/* trammel inverse --markers: the motion that comes nearest to measured markers. */
#include "markers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct markers {
  trm_cli_state state;
  trm_results *file;
  int count, rows;
  const char **names;
  double *t, *values, *weights;
  trm_marker_fit *fit;
} markers;

static int read_file(markers *m, const char *file) {
  m->file = trm_results_read_csv(file, m->state.diagnostics);
  if (!m->file) return 3;
  m->count = trm_results_columns(m->file) - 1;
  m->rows = trm_results_rows(m->file);
  if (m->count < 1 || m->rows < 1 || strcmp(trm_results_name(m->file, 0), "t") != 0) {
    trm_cli_error("%s: the columns of markers are t, then measures, with a row or more", file);
    return 3;
  }
  size_t columns = (size_t)m->count, rows = (size_t)m->rows;
  m->names = calloc(columns, sizeof *m->names);
  m->t = calloc(rows, sizeof *m->t);
  m->values = calloc(rows * columns, sizeof *m->values);
  m->weights = calloc(columns, sizeof *m->weights);
  if (!m->names || !m->t || !m->values || !m->weights) return 1;
  for (int k = 0; k < m->count; k++) {
    m->names[k] = trm_results_name(m->file, k + 1);
    m->weights[k] = 1;
  }
  for (int i = 0; i < m->rows; i++) {
    m->t[i] = trm_results_get(m->file, i, 0);
    for (int k = 0; k < m->count; k++)
      m->values[(size_t)i * columns + (size_t)k] = trm_results_get(m->file, i, k + 1);
  }
  return 0;
}

/* "rod.B" is all of rod.B.x, rod.B.y. */
static bool is_under(const char *name, const char *text, size_t length) {
  return strncmp(name, text, length) == 0 && (name[length] == 0 || name[length] == '.');
}

static int read_weights(markers *m, const char *text) {
  while (text && *text) {
    size_t length = strcspn(text, "=");
    char *end = NULL;
    double weight = text[length] == '=' ? strtod(text + length + 1, &end) : -1;
    bool used = false, good = end && end != text + length + 1 && (*end == ',' || !*end);
    for (int k = 0; k < m->count; k++)
      if (is_under(m->names[k], text, length)) m->weights[k] = weight, used = true;
    if (!good || !(weight >= 0) || weight > 1e300 || !used) {
      trm_cli_error(
          "--weights takes MARKER=WEIGHT,... with columns of the markers and numbers that "
          "are not negative, not '%s'",
          text);
      return 2;
    }
    text = *end ? end + 1 : end;
  }
  return 0;
}

static int write_rows(const char *path, const markers *m, const char *const *names, int count,
                      const double *values, const double *rms) {
  FILE *file = trm_cli_create(path);
  if (!file) return 1;
  fputs(rms ? "t,rms" : "t", file);
  for (int k = 0; k < count; k++) fprintf(file, ",%s", names[k]);
  for (int i = 0; i < m->rows; i++) {
    fprintf(file, "\n%.17g", m->t[i]);
    if (rms) fprintf(file, ",%.17g", rms[i]);
    for (int k = 0; k < count; k++)
      fprintf(file, ",%.17g", values[(size_t)i * (size_t)count + (size_t)k]);
  }
  fputc('\n', file);
  return trm_cli_commit(file, path, true) ? 0 : 1;
}

static int fit(markers *m) {
  trm_marker_options options = trm_default_marker_options();
  trm_status status;
  options.count = m->count;
  options.rows = m->rows;
  options.measures = m->names;
  options.weights = m->weights;
  options.t = m->t;
  options.values = m->values;
  m->fit = trm_simulation_fit_markers(m->state.simulation, &options, m->state.diagnostics, &status);
  return m->fit ? 0 : trm_cli_exit_status(status);
}

static int write_motion(markers *m, const trm_cli_arguments *arguments, char *motion, size_t size) {
  char gaps[4096];
  double worst = 0;
  int status = trm_cli_result_file(arguments, "motion.csv", motion, size);
  if (status == 0) status = trm_cli_result_file(arguments, "markers.csv", gaps, sizeof gaps);
  if (status == 0)
    status = write_rows(motion, m, m->fit->names, m->fit->count, m->fit->values, NULL);
  if (status == 0) status = write_rows(gaps, m, m->names, m->count, m->fit->left, m->fit->rms);
  if (status != 0) return status;
  for (int i = 0; i < m->rows; i++) worst = m->fit->rms[i] > worst ? m->fit->rms[i] : worst;
  printf("%s: %d markers at %d times\n", trm_cli_title(m->state.model), m->count, m->rows);
  printf("  %-27s%d, in %s\n", "freedoms that they tell", m->fit->count, motion);
  if (m->fit->undetermined > 0)
    printf("  %-27s%d\n", "freedoms they do not tell", m->fit->undetermined);
  printf("  %-27s%g at most, in %s\n", "mean gap", worst, gaps);
  return 0;
}

int trm_cli_markers(const trm_cli_arguments *arguments, char *motion, size_t size) {
  markers m = {0};
  int status = trm_cli_state_load(&m.state, arguments, NULL);
  if (status == 0) status = read_file(&m, trm_cli_value(arguments, "markers"));
  if (status == 0) status = read_weights(&m, trm_cli_value(arguments, "weights"));
  if (status == 0) status = fit(&m);
  if (status == 0) status = write_motion(&m, arguments, motion, size);
  if (m.state.diagnostics) trm_cli_print_diagnostics(m.state.diagnostics, false);
  trm_marker_fit_destroy(m.fit);
  trm_results_destroy(m.file);
  trm_cli_state_release(&m.state);
  free(m.names);
  free(m.t);
  free(m.values);
  free(m.weights);
  return status;
}
