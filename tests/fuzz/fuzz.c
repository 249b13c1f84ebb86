/* What the harnesses share. */
#define _GNU_SOURCE /* memfd_create, nftw */
#include "fuzz.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void need(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

/* the parser of YAML leaks a little of its own where brackets nest deeply */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libfyaml\n";
}

const char *fuzz_file(const uint8_t *data, size_t size) {
  static int file = -1;
  static char path[64];
  if (file < 0) {
#ifdef __linux__
    file = memfd_create("fuzz", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
#else
    strcpy(path, "/tmp/trammel_fuzz_XXXXXX");
    file = mkstemp(path);
#endif
  }
  need(file >= 0 && ftruncate(file, 0) == 0, "no file for the input");
  need(pwrite(file, data, size, 0) == (ssize_t)size, "the input cannot be written");
  return path;
}

static char folder[40];

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *at) {
  (void)about, (void)type, (void)at;
  return remove(path);
}

static void remove_folder(void) {
  nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void) {
  if (*folder) return folder;
  strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/trammel_fuzz_XXXXXX"
                                               : "/tmp/trammel_fuzz_XXXXXX");
  need(mkdtemp(folder) != NULL, "no folder for the input");
  atexit(remove_folder);
  return folder;
}

char *fuzz_text(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  need(text != NULL, "out of memory");
  if (size > 0) memcpy(text, data, size);
  text[size] = 0;
  return text;
}

void fuzz_check(const trm_diagnostics *diagnostics, int taken) {
  need(taken || trm_diagnostics_errors(diagnostics) > 0, "refused without a word");
  need(!taken || trm_diagnostics_errors(diagnostics) == 0, "taken in spite of an error");
  for (int i = 0; i < trm_diagnostics_count(diagnostics); i++) {
    char text[2000];
    const trm_diagnostic *diagnostic = trm_diagnostics_get(diagnostics, i);
    need(diagnostic->message && *diagnostic->message, "a message without words");
    trm_diagnostic_format(diagnostic, text, sizeof text);
  }
}
