/* What the harnesses share: input as a file in memory, and what holds for every reader. */
#ifndef TRM_TESTS_FUZZ_H
#define TRM_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <trammel/diagnostics.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file that holds the input, the same path every time. */
const char *fuzz_file(const uint8_t *data, size_t size);
/* An empty folder, in memory where there is such a place, the same one every time. */
const char *fuzz_folder(void);
/* The input with a NUL behind it; free() it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Aborts where something was refused without a word, or taken in spite of an error. Every message
 * is formatted. */
void fuzz_check(const trm_diagnostics *diagnostics, int taken);

#endif
