/* Loading a model from a text, for the tests of the reader. */
#ifndef TESTS_MODEL_LOAD_H
#define TESTS_MODEL_LOAD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/model.h"

typedef struct loaded {
  trm_model *model;
  trm_diagnostics *diagnostics;
  trm_status status;
} loaded;

static char scratch[300];

static inline int make_scratch(void **state) {
  (void)state;
  const char *parent = getenv("TMPDIR");
  snprintf(scratch, sizeof scratch, "%.200s/trammel-read-XXXXXX", parent ? parent : "/tmp");
  return mkdtemp(scratch) ? 0 : -1;
}

static inline const char *scratch_path(const char *name) {
  static char path[400];
  snprintf(path, sizeof path, "%s/%s", scratch, name);
  return path;
}

static inline int remove_scratch(void **state) {
  (void)state;
  remove(scratch_path("m.yaml"));
  return rmdir(scratch);
}

static inline void write_bytes(const char *path, const void *bytes, size_t size) {
  remove(
      path); /* a file that is cut off at once is written to the disk first, by some file systems */
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static inline loaded load_path(const char *path, const char *const *overrides) {
  loaded result = {.diagnostics = trm_diagnostics_create(), .status = TRM_FAILED};
  result.model = trm_model_load(path, overrides, result.diagnostics, &result.status);
  /* a model or errors, never both, never neither */
  assert_int_equal(result.model != NULL, result.status == TRM_OK);
  assert_int_equal(result.model != NULL, trm_diagnostics_errors(result.diagnostics) == 0);
  return result;
}

static inline loaded load_bytes(const void *bytes, size_t size) {
  const char *path = scratch_path("m.yaml");
  write_bytes(path, bytes, size);
  return load_path(path, NULL);
}

static inline loaded load_text(const char *text, const char *const *overrides) {
  const char *path = scratch_path("m.yaml");
  write_bytes(path, text, strlen(text));
  return load_path(path, overrides);
}

static inline void unload(loaded *result) {
  trm_model_destroy(result->model);
  trm_diagnostics_destroy(result->diagnostics);
}

static inline void print_messages(const loaded *result) {
  char text[2000];
  for (int i = 0; i < trm_diagnostics_count(result->diagnostics); i++) {
    trm_diagnostic_format(trm_diagnostics_get(result->diagnostics, i), text, sizeof text);
    print_message("%s", text);
  }
}

/* A model that loads, or the test says why it does not. */
static inline loaded load_good(const char *text, const char *const *overrides) {
  loaded result = load_text(text, overrides);
  if (!result.model) print_messages(&result);
  assert_non_null(result.model);
  return result;
}

#endif
