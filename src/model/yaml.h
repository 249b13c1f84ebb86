/* A YAML document as a tree that remembers where in the file everything stands. */
#ifndef TRM_MODEL_YAML_H
#define TRM_MODEL_YAML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diagnostics.h"
#include "base/map.h"

enum {
  TRM_YAML_MOST_ERRORS = 10000,            /* nobody reads more; a large file may have millions */
  TRM_YAML_DEEPEST = 64,                   /* levels of nesting */
  TRM_YAML_LONGEST_FLOW = 8 << 20,         /* bytes in one [...] that starts a line */
  TRM_YAML_MOST_ALIASED = 10 * 1000 * 1000 /* nodes reached through aliases */
};

typedef enum trm_yaml_kind {
  TRM_YAML_NOTHING, /* no value, `~` or `null` */
  TRM_YAML_TEXT,
  TRM_YAML_LIST,
  TRM_YAML_MAP
} trm_yaml_kind;

typedef struct trm_yaml trm_yaml;

typedef struct trm_yaml_pair {
  trm_yaml *key, *value;
} trm_yaml_pair;

/* Kept small: large files have millions of them. */
struct trm_yaml {
  uint8_t kind;      /* trm_yaml_kind */
  bool quoted, flow; /* text in quotes; [...] or {...}, or a text in them */
  bool bad;          /* an error was reported here: what follows from it is not reported again */
  uint32_t position; /* byte offset of the first character */
  int count;         /* items, pairs, or bytes of text */
  uint32_t weight;   /* nodes below with aliases followed, saturating; see trm_yaml_pack */
  union {
    const char *text;
    trm_yaml **items;
    trm_yaml_pair *pairs;
  };
  trm_map *index; /* of a large map: key → pair */
};

typedef struct trm_document {
  trm_arena *arena;
  const char *file;
  const char *from; /* "car.yaml:12:5": where a part is included, or NULL */
  const char *text; /* the whole file, NUL-terminated, without a byte order mark */
  size_t length;
  bool kept;    /* the text, for as long as the model: it lies on its shelf */
  bool foreign; /* no model: nothing of it is shown to whoever asked, it may be a secret */
  char *words;  /* another copy, where texts are cut out in place */
  trm_yaml *root;
  uint32_t *lines; /* where each line starts; made with the first message */
  int line_count;
  uint32_t last_position; /* the last place asked for: columns of a long line are counted on */
  int last_line, last_column;
} trm_document;

/* Fills in document->root. On errors reports them and returns false; false without an error: no
 * memory. Duplicate keys are reported, and the first one kept. */
bool trm_yaml_parse(trm_document *document, trm_diagnostics *diagnostics);
/* A tree to be copied: what an alias stands for is one in the copy, too. The texts of the tree that
 * it is made of must outlive both. NULL: no memory. */
typedef struct trm_yaml_block trm_yaml_block;
trm_yaml_block *trm_yaml_pack(trm_yaml *root, trm_arena *arena);
trm_yaml *trm_yaml_unpack(const trm_yaml_block *block, trm_arena *arena);
/* What the parser cannot be trusted with: no text, endless nesting. Also whether it is foreign. */
bool trm_yaml_scan(trm_document *document, trm_diagnostics *diagnostics);

/* Takes in the `<<` entries of a closed map, makes its index and reports duplicate keys. */
bool trm_yaml_close_map(trm_document *document, trm_yaml *map, trm_diagnostics *diagnostics);
const trm_yaml_pair *trm_yaml_get(const trm_yaml *map, const char *key, size_t length);

trm_place trm_yaml_place(trm_document *document, uint32_t position);
/* The place of a character of a text, quotes and escapes counted. */
trm_place trm_yaml_place_in(trm_document *document, const trm_yaml *node, size_t offset);
/* For messages: "a list", "nothing". */
const char *trm_yaml_kind_name(const trm_yaml *node);

#endif
