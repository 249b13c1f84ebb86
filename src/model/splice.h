/* A text made of pieces of another. It remembers where one of its characters came from. */
#ifndef TRM_MODEL_SPLICE_H
#define TRM_MODEL_SPLICE_H

#include <string.h>

#include "model/read_parts.h"

typedef struct trm_splice {
  char *text;
  size_t used;
  size_t sought, origin;
} trm_splice;

/* Room for `text` with `more` characters put into it; false where there is no memory. */
static inline bool trm_splice_start(trm_reader *reader, trm_splice *s, const char *text,
                                    size_t more, size_t sought) {
  size_t length = strlen(text);
  *s = (trm_splice){.sought = sought, .origin = length};
  s->text = trm_arena_alloc(reader->document.arena, length + more + 1, 1);
  if (!s->text) reader->no_memory = true;
  return s->text != NULL;
}

/* A piece that stands at `from` in the other text, copied from there or in the place of it. */
static inline void trm_splice_add(trm_splice *s, const char *piece, size_t length, size_t from,
                                  bool copied) {
  if (s->sought >= s->used && s->sought < s->used + length)
    s->origin = from + (copied ? s->sought - s->used : 0);
  memcpy(s->text + s->used, piece, length);
  s->used += length;
}

#endif
