/* Linear models and modes as MAT-files. */
#include <stdlib.h>
#include <trammel/analysis.h>

#include "base/diagnostics.h"
#include "result/mat.h"

trm_status trm_linear_model_write_mat(const trm_linear_model *l, const char *path,
                                      trm_diagnostics *diagnostics) {
  trm_output *o = trm_output_open(path, diagnostics);
  if (!o) return TRM_NO_MEMORY;
  trm_mat_begin(o);
  trm_mat_matrix(o, "A", l->state_count, l->state_count, l->A, NULL);
  trm_mat_matrix(o, "B", l->state_count, l->input_count, l->B, NULL);
  trm_mat_matrix(o, "C", l->output_count, l->state_count, l->C, NULL);
  trm_mat_matrix(o, "D", l->output_count, l->input_count, l->D, NULL);
  trm_mat_names(o, "states", l->states, l->state_count);
  trm_mat_names(o, "inputs", l->inputs, l->input_count);
  trm_mat_names(o, "outputs", l->outputs, l->output_count);
  trm_mat_matrix(o, "time", 1, 1, &l->time, NULL);
  return trm_output_close(o, diagnostics);
}

static void write_modes(trm_output *o, const trm_modes *m, double *re, double *im) {
  trm_mat_begin(o);
  for (int k = 0; k < m->count; k++) re[k] = m->modes[k].re, im[k] = m->modes[k].im;
  trm_mat_matrix(o, "eigenvalues", m->count, 1, re, im);
  for (int k = 0; k < m->count; k++) re[k] = m->modes[k].frequency, im[k] = m->modes[k].damping;
  trm_mat_matrix(o, "frequency", m->count, 1, re, NULL);
  trm_mat_matrix(o, "damping", m->count, 1, im, NULL);
  trm_mat_names(o, "measures", m->measures, m->measure_count);
  for (int i = 0; i < m->measure_count; i++)
    for (int k = 0; k < m->count; k++) {
      size_t at = (size_t)i * (size_t)m->count + (size_t)k;
      re[at] = m->modes[k].shape[2 * i];
      im[at] = m->modes[k].shape[2 * i + 1];
    }
  trm_mat_matrix(o, "shapes", m->measure_count, m->count, re, im);
}

trm_status trm_modes_write_mat(const trm_modes *m, const char *path, trm_diagnostics *diagnostics) {
  size_t most = (size_t)m->count * (size_t)(m->measure_count + 1) + 1;
  double *re = malloc(2 * most * sizeof *re);
  trm_output *o = re ? trm_output_open(path, diagnostics) : NULL;
  if (!o) {
    if (!re) trm_report(diagnostics, TRM_ERROR, "out of memory");
    free(re);
    return TRM_NO_MEMORY;
  }
  write_modes(o, m, re, re + most);
  free(re);
  return trm_output_close(o, diagnostics);
}
