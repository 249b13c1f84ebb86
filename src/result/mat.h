/* MAT-files, level 5, as MATLAB, Octave and SciPy read them: matrices of doubles and lists of
 * names. Uncompressed, in the machine's byte order, which the header tells. */
#ifndef TRM_RESULT_MAT_H
#define TRM_RESULT_MAT_H

#include "result/output.h"

void trm_mat_begin(trm_output *output);
/* Row-major; im may be NULL. Names are those of variables there: letters, digits, underscores. */
void trm_mat_matrix(trm_output *output, const char *name, int rows, int columns, const double *re,
                    const double *im);
/* A column of texts, a cell array. */
void trm_mat_names(trm_output *output, const char *name, const char *const *names, int count);

#endif
