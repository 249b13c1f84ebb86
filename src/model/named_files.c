/* Any word of a model's text that is the name of a file, beside it, may be what the model is made
 * of: which formula or key reads it does not matter here. */
#define _POSIX_C_SOURCE 200809L
#include "model/named_files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_PATH = 4096 };

/* FNV-1a */
static uint64_t mix(uint64_t sum, const char *data, size_t size) {
  for (size_t i = 0; i < size; i++) sum = (sum ^ (unsigned char)data[i]) * 1099511628211u;
  return sum;
}

static uint64_t mix_file(uint64_t sum, const char *path) {
  struct stat about;
  char block[4096];
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return sum;
  FILE *file = fopen(path, "rb");
  if (!file) return sum;
  sum = mix(sum, path, strlen(path));
  for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;) sum = mix(sum, block, got);
  fclose(file);
  return sum;
}

/* Words without a point or slash are names of things. */
static uint64_t mix_word(uint64_t sum, const char *word, size_t length, const char *model) {
  char path[LONGEST_PATH];
  const char *slash = strrchr(model, '/');
  int folder = word[0] == '/' || !slash ? 0 : (int)(slash - model) + 1;
  if (length == 0 || length > 1000 || !(memchr(word, '.', length) || memchr(word, '/', length)))
    return sum;
  int used = snprintf(path, sizeof path, "%.*s%.*s", folder, model, (int)length, word);
  return used < (int)sizeof path ? mix_file(sum, path) : sum;
}

static uint64_t mix_words(uint64_t sum, const char *text, const char *stops, const char *model) {
  while (*text) {
    size_t length = strcspn(text, stops);
    sum = mix_word(sum, text, length, model);
    text += length + (text[length] != 0);
  }
  return sum;
}

/* Names with blanks stand in quotes. */
static uint64_t mix_text(uint64_t sum, const char *text, const char *model) {
  sum = mix_words(sum, text, " \t\r\n\"',;:=(){}[]", model);
  return mix_words(sum, text, "\"'\n", model);
}

uint64_t trm_model_named_files(const trm_model *model, uint64_t sum) {
  sum = mix_text(sum, model->text, model->file);
  for (int i = 0; i < model->part_count; i++)
    sum = mix_text(sum, model->parts[i].text, model->parts[i].file);
  for (int i = 0; model->overrides && model->overrides[i]; i++)
    sum = mix_text(sum, model->overrides[i], model->file);
  return sum;
}
