/* Reads rows of numbers, and tires of the shipped files. */
#ifndef TRM_TESTS_TIRE_POINTS_H
#define TRM_TESTS_TIRE_POINTS_H

#include <stdio.h>
#include <stdlib.h>
#include <trammel/tire.h>

/* The next row of `count` numbers; false at the end. */
static inline bool read_row(FILE *file, double *row, int count) {
  char line[1024];
  if (!fgets(line, sizeof line, file)) return false;
  char *at = line;
  for (int k = 0; k < count; k++) {
    row[k] = strtod(at, &at);
    if (*at == ',') at++;
  }
  return true;
}

static inline FILE *open_table(const char *path) {
  char head[1024];
  FILE *file = fopen(path, "r");
  if (file && !fgets(head, sizeof head, file)) abort();
  return file;
}

static inline trm_tire *load_text(const char *text, trm_diagnostics *diagnostics) {
  char path[] = "/tmp/trammel_tire_XXXXXX";
  int descriptor = mkstemp(path);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (!file) abort();
  fputs(text, file);
  fclose(file);
  trm_tire *tire = trm_tire_load(path, diagnostics, NULL);
  remove(path);
  return tire;
}

#endif
