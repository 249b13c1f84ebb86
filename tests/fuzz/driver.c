/* Runs a harness without libFuzzer: first the files of its corpus as they are, then random changes
 * of them.
 *
 *   fuzz_model [--runs=N] [--seconds=S] [--seed=N] [--dictionary=FILE] FILE|FOLDER...
 *
 * The input that was under way when a harness ended it is kept as crash-HARNESS. */
#define _DEFAULT_SOURCE /* d_type aside, names of folders */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum { LONGEST = 1 << 16, MOST_SEEDS = 4000, MOST_WORDS = 400, SECONDS_AN_INPUT = 60 };

typedef struct bytes {
  uint8_t *data;
  size_t size;
} bytes;

static bytes seeds[MOST_SEEDS], words[MOST_WORDS], now;
static int seed_count, word_count;
static uint64_t state = 1;
static const char *name;

/* --- what is kept of a failure --- */

static void keep_input(void) {
  char path[300];
  snprintf(path, sizeof path, "crash-%s", name);
  FILE *file = now.data ? fopen(path, "wb") : NULL;
  if (!file) return;
  fwrite(now.data, 1, now.size, file);
  fclose(file);
  fprintf(stderr, "the input is in %s\n", path);
}

static void end(int signal_number) {
  fprintf(stderr, "%s: %s\n", name,
          signal_number == SIGALRM ? "an input took too long" : "a failure");
  keep_input();
  signal(signal_number == SIGALRM ? SIGABRT : signal_number, SIG_DFL);
  abort();
}

/* the sanitizers call this; without them nobody does */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* --- seeds --- */

static void add_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return;
  uint8_t *data = malloc(LONGEST);
  size_t size = data ? fread(data, 1, LONGEST, file) : 0;
  fclose(file);
  if (data && seed_count < MOST_SEEDS) seeds[seed_count++] = (bytes){data, size};
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void add(const char *path) {
  struct dirent **entries;
  int count = scandir(path, &entries, NULL, by_name);
  if (count < 0) add_file(path);
  for (int i = 0; i < count; i++) {
    char inside[4096];
    snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
    DIR *folder = opendir(inside); /* folders within are left out */
    if (folder)
      closedir(folder);
    else
      add_file(inside);
    free(entries[i]);
  }
  if (count >= 0) free(entries);
}

/* Lines "word", as libFuzzer has them; \\, \" and \x0a within. */
static void add_words(const char *path) {
  char line[300];
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    char *end_quote = strrchr(line, '"');
    if (line[0] != '"' || end_quote == line || word_count == MOST_WORDS) continue;
    bytes word = {malloc(sizeof line), 0};
    for (const char *c = line + 1; word.data && c < end_quote; c++) {
      unsigned code = (unsigned char)*c;
      if (*c == '\\') code = (unsigned char)*++c;
      if (c[-1] == '\\' && code == 'x' && sscanf(c + 1, "%2x", &code) == 1) c += 2;
      word.data[word.size++] = (uint8_t)code;
    }
    if (word.data) words[word_count++] = word;
  }
  if (file) fclose(file);
}

/* --- changes --- */

static size_t draw(size_t below) { /* xorshift: the same inputs on every machine */
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return below ? (size_t)(state >> 11) % below : 0;
}

/* In the place of `gone` bytes at `at`. */
static void insert(size_t at, size_t gone, const uint8_t *data, size_t size) {
  if (now.size - gone + size > LONGEST) return;
  memmove(now.data + at + size, now.data + at + gone, now.size - at - gone);
  if (size > 0) memmove(now.data + at, data, size);
  now.size += size - gone;
}

static void change(void) {
  static const char *const numbers[] = {
      "0",   "-1",    "1e308", "1e-308", "nan", ".inf", "2147483648", "99999999999999999999",
      "1e9", "0x1p3", ""};
  size_t at = draw(now.size + 1), left = now.size - at, some = draw(left < 32 ? left + 1 : 32);
  const bytes *other = &seeds[draw((size_t)seed_count)];
  uint8_t byte = (uint8_t)draw(256), copy[64];
  switch (draw(8)) {
  case 0:
    if (left > 0) now.data[at] ^= (uint8_t)(1u << draw(8));
    break;
  case 1: insert(at, 0, &byte, 1); break;
  case 2: insert(at, some, NULL, 0); break;
  case 3: /* a piece of it once more */
    memcpy(copy, now.data + at, some);
    insert(draw(now.size + 1), 0, copy, some);
    break;
  case 4: { /* a piece of another */
    size_t from = draw(other->size + 1), length = draw(other->size - from + 1);
    insert(at, draw(left + 1), other->data + from, length);
    break;
  }
  case 5:
  case 6:
    if (word_count > 0) {
      const bytes *word = &words[draw((size_t)word_count)];
      insert(at, draw(2) ? some : 0, word->data, word->size);
    }
    break;
  default: {
    const char *number = numbers[draw(sizeof numbers / sizeof *numbers)];
    size_t digits = 0;
    while (digits < left && strchr("0123456789.", now.data[at + digits]) && now.data[at + digits])
      digits++;
    insert(at, digits, (const uint8_t *)number, strlen(number));
  }
  }
}

static void try_input(void) {
  alarm(SECONDS_AN_INPUT);
  LLVMFuzzerTestOneInput(now.data, now.size);
  alarm(0);
}

static void take_seed(size_t index) {
  now.size = seeds[index].size;
  memcpy(now.data, seeds[index].data, now.size);
}

int main(int argc, char **argv) {
  long runs = 0, seconds = 0, done = 0;
  const char *slash = strrchr(argv[0], '/');
  name = slash ? slash + 1 : argv[0];
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--runs=", 7) == 0)
      runs = strtol(argv[i] + 7, NULL, 10);
    else if (strncmp(argv[i], "--seconds=", 10) == 0)
      seconds = strtol(argv[i] + 10, NULL, 10);
    else if (strncmp(argv[i], "--seed=", 7) == 0)
      state = strtoull(argv[i] + 7, NULL, 10) * 2654435761u + 1;
    else if (strncmp(argv[i], "--dictionary=", 13) == 0)
      add_words(argv[i] + 13);
    else
      add(argv[i]);
  }
  now.data = malloc(LONGEST);
  if (seed_count == 0 || !now.data) {
    fprintf(stderr, "%s: there is no input\n", name);
    return 2;
  }
  signal(SIGABRT, end);
  signal(SIGALRM, end);
  signal(SIGSEGV, end);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_input);
  for (int i = 0; i < seed_count; i++) {
    take_seed((size_t)i);
    try_input();
  }
  time_t stop = time(NULL) + seconds;
  while (done < runs || (seconds > 0 && time(NULL) < stop)) {
    take_seed(draw((size_t)seed_count));
    for (size_t k = 1 + draw(6); k > 0; k--) change();
    try_input();
    done++;
  }
  printf("%s: %d inputs of the corpus, %ld changed ones, no finding\n", name, seed_count, done);
  for (int i = 0; i < seed_count; i++) free(seeds[i].data);
  for (int i = 0; i < word_count; i++) free(words[i].data);
  free(now.data);
  now = (bytes){0}; /* what the sanitizer finds at the end is of no input */
  return 0;
}
