/* A file's text and tree: from the shelf, where it has been read before. */
#include "base/shelf.h"
#include "model/read_include.h"

#include <stdlib.h>
#include <string.h>

/* Nodes of a tree that is kept: a larger one is parsed again, which is little beside the runs of
 * such a model. */
enum { MOST_KEPT = 200000 };

typedef struct text {
  size_t length;
  char bytes[];
} text;

typedef struct tree {
  trm_arena *arena;
  trm_yaml_block *block;
  bool foreign;
} tree;

static void destroy_arena(void *arena) {
  trm_arena_destroy(arena);
}

static void destroy_tree(void *object) {
  trm_arena_destroy(((tree *)object)->arena);
  free(object);
}

static bool take_text(trm_document *document, const text *kept) {
  if (!kept) return false;
  document->kept = true;
  document->text = kept->bytes;
  document->length = kept->length;
  return true;
}

static bool keep_text(trm_reader *reader) {
  trm_document *document = &reader->document;
  text *kept = malloc(sizeof *kept + document->length + 1);
  if (!kept) return false;
  kept->length = document->length;
  memcpy(kept->bytes, document->text, document->length);
  kept->bytes[document->length] = '\0';
  if (!trm_shelf_put(reader->shelf, TRM_SHELF_TEXT, document->file, kept, free)) return false;
  return take_text(document, kept);
}

static trm_status find_text(trm_reader *reader) {
  trm_document *document = &reader->document;
  if (take_text(document, trm_shelf_get(reader->shelf, TRM_SHELF_TEXT, document->file)))
    return TRM_OK;
  trm_status status = document->text ? TRM_OK : trm_read_file(document, reader->diagnostics);
  if (status != TRM_OK || !trm_shelf_is_open(reader->shelf, TRM_SHELF_TEXT)) return status;
  return keep_text(reader) ? TRM_OK : TRM_NO_MEMORY;
}

/* Keeps a copy of the tree that is going to be read. Where something was said of it, that is to be
 * said again. */
static bool keep_tree(trm_reader *reader, trm_arena *arena, trm_yaml *root, bool silent) {
  trm_document *document = &reader->document;
  document->root = root;
  if (!silent || root->weight > MOST_KEPT || !trm_shelf_is_open(reader->shelf, TRM_SHELF_TREE))
    return trm_arena_defer(document->arena, destroy_arena, arena);
  tree *kept = malloc(sizeof *kept);
  if (!kept) {
    trm_arena_destroy(arena);
    return false;
  }
  *kept = (tree){arena, trm_yaml_pack(root, arena), document->foreign};
  bool good = kept->block != NULL;
  return trm_shelf_put(reader->shelf, TRM_SHELF_TREE, document->file, kept, destroy_tree) && good;
}

static trm_status parse(trm_reader *reader) {
  trm_document *document = &reader->document, own = *document;
  int before = trm_diagnostics_count(reader->diagnostics);
  own.arena = trm_arena_create();
  bool good = own.arena && trm_yaml_scan(&own, reader->diagnostics) &&
              trm_yaml_parse(&own, reader->diagnostics);
  bool silent = trm_diagnostics_count(reader->diagnostics) == before;
  document->foreign = own.foreign;
  if (good) return keep_tree(reader, own.arena, own.root, silent) ? TRM_OK : TRM_NO_MEMORY;
  trm_arena_destroy(own.arena);
  return !silent ? TRM_BAD_MODEL : TRM_NO_MEMORY;
}

trm_status trm_read_tree(trm_reader *reader) {
  trm_document *document = &reader->document;
  trm_status status = find_text(reader);
  if (status != TRM_OK) return status;
  const tree *kept = trm_shelf_get(reader->shelf, TRM_SHELF_TREE, document->file);
  if (!kept) return parse(reader);
  document->foreign = kept->foreign;
  document->root = trm_yaml_unpack(kept->block, document->arena);
  return document->root ? TRM_OK : TRM_NO_MEMORY;
}
