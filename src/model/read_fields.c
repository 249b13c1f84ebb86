/* The keys of an object: unknown ones, missing ones, and a reader for each. */
#include "model/read_parts.h"

#include "base/synonyms.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FIELDS = 32 };

static unsigned bit(int type) {
  return 1u << type;
}

static int find(const trm_schema *schema, const char *key) {
  for (int i = 0; i < schema->count; i++)
    if (strcmp(schema->fields[i].key, key) == 0) return i;
  return -1;
}

static int keys_of(const trm_schema *schema, int type, const char *keys[MOST_FIELDS]) {
  int count = 0;
  for (int i = 0; i < schema->count && count < MOST_FIELDS; i++)
    if (schema->fields[i].types & bit(type)) keys[count++] = schema->fields[i].key;
  return count;
}

static void list_keys(const char *const *keys, int count, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < count && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", keys[i]);
}

/* Returns what the word is called here, or NULL. */
static const char *report_word(trm_reader *reader, trm_yaml *key, const trm_synonym *word) {
  if (word->here)
    trm_read_error(reader, key, "unknown key '%s': here it is '%s'%s%s", word->word, word->here,
                   word->hint ? ", " : "", word->hint ? word->hint : "");
  else
    trm_read_error(reader, key, "unknown key '%s': %s", word->word, word->hint);
  return word->here;
}

/* Returns the field that was probably meant, or −1. */
static int report_unknown(trm_reader *reader, trm_yaml *key, const trm_schema *schema, int type) {
  const char *keys[MOST_FIELDS];
  char list[400];
  int count = keys_of(schema, type, keys);
  const char *meant = NULL;
  const trm_synonym *word = trm_synonym_find(TRM_SYNONYM_KEY, key->text, keys, count);
  if (word) {
    meant = report_word(reader, key, word);
  } else if (trm_read_is_cut(key)) {
    trm_read_error(reader, key, "unknown key '%.60s': " TRM_READ_CUT_HINT, key->text);
  } else if ((meant = trm_nearest(key->text, keys, count))) {
    trm_read_error(reader, key, "unknown key '%.60s', did you mean '%s'?", key->text, meant);
  } else {
    list_keys(keys, count, list, sizeof list);
    trm_read_error(reader, key, "unknown key '%.60s'; the keys are %s", key->text, list);
  }
  return meant ? find(schema, meant) : -1;
}

static void report_misplaced(trm_reader *reader, trm_yaml *key, const trm_schema *schema, int type,
                             const trm_field *field) {
  const char *owners[MOST_FIELDS];
  char list[400];
  int count = 0;
  for (int t = 0; t < MOST_FIELDS && schema->type_name(t); t++)
    if (field->types & bit(t)) owners[count++] = schema->type_name(t);
  list_keys(owners, count, list, sizeof list);
  trm_read_error(reader, key, "unknown key '%s': %s%s does not have it, but %s %s", key->text,
                 schema->word, schema->type_name(type), list, count == 1 ? "has" : "have");
}

/* Returns the field that the key is or was meant to be. */
static int read_pair(trm_reader *reader, const trm_yaml_pair *pair, const trm_schema *schema,
                     int type, void *target) {
  int found = find(schema, pair->key->text);
  if (found < 0) return report_unknown(reader, pair->key, schema, type);
  const trm_field *field = &schema->fields[found];
  if (!(field->types & bit(type))) {
    report_misplaced(reader, pair->key, schema, type, field);
  } else if (field->read) {
    reader->key = field->key;
    field->read(reader, pair->value, target);
    reader->key = NULL;
  }
  return found;
}

void trm_read_fields(trm_reader *reader, const trm_yaml_pair *object, const trm_schema *schema,
                     int type, void *target) {
  unsigned seen = 0;
  const trm_yaml *map = object->value;
  for (int i = 0; i < map->count; i++) {
    int found = read_pair(reader, &map->pairs[i], schema, type, target);
    if (found >= 0) seen |= bit(found);
    /* the key it was meant to be is not missing */
    if (map->pairs[i].key->bad) object->value->bad = true;
  }
  for (int i = 0; i < schema->count; i++) {
    if (!(schema->fields[i].required & bit(type)) || (seen & bit(i))) continue;
    trm_read_error(reader, object->key, "missing key '%s'", schema->fields[i].key);
    object->value->bad = true;
  }
}
