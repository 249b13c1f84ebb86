/* A file being written: keeps the first error until it is closed, so that none is lost. */
#ifndef TRM_RESULT_OUTPUT_H
#define TRM_RESULT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <trammel/diagnostics.h>

typedef struct trm_output trm_output;

/* "-" is standard output. An output that could not be opened takes everything and says so when it
 * is closed; NULL, reported, when memory is out. Until it is closed, this thread formats numbers
 * with a decimal point whatever its locale. */
trm_output *trm_output_open(const char *path, trm_diagnostics *diagnostics);
void trm_output_write(trm_output *output, const char *bytes, size_t length);
void trm_output_text(trm_output *output, const char *text);
void trm_output_number(trm_output *output, double value, int digits); /* %.<digits>g */
void trm_output_exact(trm_output *output, double value); /* every double reads back as itself */
bool trm_output_failed(const trm_output *output);
trm_status trm_output_close(trm_output *output, trm_diagnostics *diagnostics);

#endif
