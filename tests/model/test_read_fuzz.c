/* The shipped models with thousands of random changes: a model or a message, never a crash. */
#define _XOPEN_SOURCE 700
#include "load.h"

#include <dirent.h>

enum { MOST_BYTES = 20000, ROUNDS = 2000 };

static uint32_t seed = 1;

static uint32_t next_random(uint32_t below) {
  seed ^= seed << 13;
  seed ^= seed >> 17;
  seed ^= seed << 5;
  return seed % below;
}

/* What the syntax of YAML and of formulas is made of. */
static const char *const pieces[] = {"[",    "]",  "{",       "}",
                                     ":",    ": ", "- ",      "\n",
                                     "\n  ", "#",  "&a ",     "*a",
                                     "<<: ", "\"", "'",       "|",
                                     ">",    "!",  "%",       "@",
                                     "\t",   "\r", "---",     "\n...",
                                     ",",    "~",  "(",       ")",
                                     "/0",   "^",  "-",       "1e99",
                                     "9",    "..", "if(",     "t",
                                     "pi",   "x",  "ground.", "min(,",
                                     "é",    "\\", "? ",      "null",
                                     "0",    "=",  "*",       "mass",
                                     "type", "$(", "$(i)",    "repeat: {i: [1, 3]}, "};

static size_t insert(char *text, size_t size, const char *piece) {
  size_t length = strlen(piece), at = next_random((uint32_t)size + 1);
  if (size + length > MOST_BYTES) return size;
  memmove(text + at + length, text + at, size - at);
  memcpy(text + at, piece, length);
  return size + length;
}

static size_t cut(char *text, size_t size) {
  if (size < 2) return size;
  size_t at = next_random((uint32_t)size), length = 1 + next_random(20);
  if (length > size - at) length = size - at;
  memmove(text + at, text + at + length, size - at - length);
  return size - length;
}

/* Copies a stretch to another place: lines and brackets move between levels. */
static size_t copy(char *text, size_t size) {
  char piece[65];
  if (size == 0) return size;
  size_t at = next_random((uint32_t)size), length = 1 + next_random(64);
  if (length > size - at) length = size - at;
  memcpy(piece, text + at, length);
  piece[length] = '\0';
  return insert(text, size, piece);
}

static size_t change(char *text, size_t size) {
  switch (next_random(6)) {
  case 0: return cut(text, size);
  case 1: return copy(text, size);
  case 2:
    if (size > 0) text[next_random((uint32_t)size)] = (char)(1 + next_random(255));
    return size;
  case 3: {
    size_t end = next_random((uint32_t)size + 1); /* a file that stops in the middle */
    return next_random(20) == 0 ? end : size;
  }
  default: return insert(text, size, pieces[next_random(sizeof pieces / sizeof *pieces)]);
  }
}

static size_t read_model(const char *folder, const char *name, char *text) {
  char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  size_t size = fread(text, 1, MOST_BYTES, file);
  fclose(file);
  return size;
}

static void change_model(const char *folder, const char *name) {
  char original[MOST_BYTES], text[MOST_BYTES];
  size_t size = read_model(folder, name, original);
  assert_true(size > 0);
  for (int round = 0; round < ROUNDS; round++) {
    memcpy(text, original, size);
    size_t length = size;
    for (uint32_t k = 1 + next_random(5); k > 0; k--) length = change(text, length);
    loaded r = load_bytes(text, length); /* asserts a model or errors */
    unload(&r);
  }
}

static void changed_models_load_or_say_why(void **state) {
  (void)state;
  const char *source = getenv("TRM_SOURCE_DIR");
  char folder[400];
  snprintf(folder, sizeof folder, "%.300s/models", source ? source : ".");
  DIR *models = opendir(folder);
  assert_non_null(models);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(models));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".yaml") != 0) continue;
    change_model(folder, entry->d_name);
    count++;
  }
  closedir(models);
  assert_true(count > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(changed_models_load_or_say_why)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
