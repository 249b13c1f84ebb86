/* Entries that stand for many: `link$(i): {repeat: {i: [1, N]}, ...}`. Internal to read*.c. */
#ifndef TRM_MODEL_READ_REPEAT_H
#define TRM_MODEL_READ_REPEAT_H

#include "model/build.h"
#include "model/read_parts.h"

typedef struct trm_repeat_index {
  const char *name;
  size_t length;
  long first, count;
  long value; /* in the entry being read */
} trm_repeat_index;

/* A name under `let`: its value in the entry being read. */
typedef struct trm_repeat_local {
  const char *name;
  size_t length;
  trm_yaml *node;
  int component, dimension; /* of a vector; −1 and 0: a number */
  double value;
} trm_repeat_local;

/* A text of the template that holds `$(...)`. */
typedef struct trm_repeat_slot {
  trm_yaml *node;
  const char *text; /* as in the file; the node has that of the entry being read */
  int length;
} trm_repeat_slot;

/* A template; one without `repeat` that uses `$(...)` stands for one entry. */
typedef struct trm_repeat {
  trm_yaml_pair entry; /* its map is without `repeat` */
  trm_yaml *key;
  int index_count, slot_count;
  trm_repeat_index *indices;
  int local_count;
  trm_repeat_local *locals;
  trm_repeat_slot *slots;
  int first, count; /* the entries it stands for, among those of the model */
} trm_repeat;

/* repeat_text.c */

/* The value of an index, or of a name under `let`, in the entry being read. */
bool trm_repeat_value(const trm_reader *reader, const char *name, size_t length, double *value);
/* How many components a vector under `let` has, or 0. */
int trm_repeat_dimension(const trm_reader *reader, const char *name, size_t length);
/* The text with each `$(...)` replaced by its integer; NULL with `error` filled in, its message
 * empty where a bad parameter was used. */
const char *trm_repeat_expand(trm_reader *reader, const char *text, trm_expression_error *error);
/* Where a character of a node's text stands in the file's text of it. */
size_t trm_repeat_origin(trm_reader *reader, const trm_yaml *node, size_t offset);
/* The same for a character of the formula that trm_repeat_formula made of it. */
size_t trm_repeat_formula_origin(trm_reader *reader, const trm_yaml *node, size_t offset);
bool trm_repeat_is_integer(double number, long *integer);

/* repeat_bind.c */

/* Gives the nodes of a template the texts of one of its entries. False: its name is unknown. */
bool trm_repeat_bind(trm_reader *reader, trm_repeat *repeat, int instance);
void trm_repeat_unbind(trm_reader *reader);
/* The template of a generated name, bound to it; `length` of the path is the name. */
const trm_yaml_pair *trm_repeat_find(trm_reader *reader, const char *section, const char *path,
                                     size_t *length);

#endif
