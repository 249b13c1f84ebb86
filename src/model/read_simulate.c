/* The defaults of a run, under `simulate`. */
#include <trammel/system.h>

#include "base/synonyms.h"
#include "model/read_parts.h"

#include <stdio.h>
#include <string.h>

enum { MOST_KEYS = 64 };

static bool check_key(trm_reader *reader, trm_yaml *key) {
  const char *names[MOST_KEYS];
  int count = trm_key_count() < MOST_KEYS ? trm_key_count() : MOST_KEYS;
  for (int i = 0; i < count; i++) {
    names[i] = trm_key_get(i)->name;
    if (strcmp(names[i], key->text) == 0) return true;
  }
  const char *meant = trm_meant_key(key->text, names, count);
  trm_read_error(reader, key, "unknown key '%.60s'%s%s%s", key->text,
                 meant ? ", did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
  return false;
}

static bool is_time(const char *key) {
  return strcmp(key, "duration") == 0 || strcmp(key, "step") == 0 ||
         strcmp(key, "output-step") == 0;
}

/* Names pass as they are; numbers may use parameters, which only the reader knows. */
static void read_setting(trm_reader *reader, const trm_yaml_pair *pair, trm_settings *settings) {
  const char *key = pair->key->text, *text = NULL;
  char digits[40];
  double number = 0;
  if (!check_key(reader, pair->key)) return;
  if (strcmp(key, "coordinates") == 0 && trm_model_is_system(reader->model)) {
    trm_read_error(reader, pair->key, "a system has its own coordinates: '%s' is for bodies", key);
    return;
  }
  reader->key = key;
  bool good;
  if (trm_settings_takes_text(key)) {
    good = trm_read_text(reader, pair->value, "a name", &text);
  } else {
    good = trm_read_number(reader, pair->value, &number);
    if (is_time(key)) trm_read_unit(reader, pair->value, TRM_A_TIME);
    snprintf(digits, sizeof digits, "%.17g", number);
    text = digits;
  }
  reader->key = NULL;
  if (good && trm_settings_set(settings, key, text, reader->diagnostics) == TRM_NO_MEMORY)
    reader->no_memory = true;
}

void trm_read_simulate(trm_reader *reader, trm_yaml *section) {
  trm_settings settings = trm_default_settings();
  reader->key = "simulate";
  if (!trm_read_map(reader, section, "settings")) return;
  reader->kind = "simulate";
  reader->key = NULL;
  for (int i = 0; i < section->count; i++) read_setting(reader, &section->pairs[i], &settings);
  trm_model_set_settings(reader->model, &settings);
  reader->kind = NULL;
}
