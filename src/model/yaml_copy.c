/* A tree in one block of memory, which is quickly copied: reading marks its nodes, so that each
 * reading has a copy of its own. */
#include "model/yaml.h"

#include <string.h>

/* Nodes first, the root the first of them; then pairs, then items. */
struct trm_yaml_block {
  size_t nodes, pairs, items;
  char *bytes;
};

/* Where the next of each goes. */
typedef struct filling {
  trm_yaml *root, *node;
  trm_yaml_pair *pair;
  trm_yaml **item;
} filling;

static size_t size_of(const trm_yaml_block *b) {
  return b->nodes * sizeof(trm_yaml) + b->pairs * sizeof(trm_yaml_pair) +
         b->items * sizeof(trm_yaml *);
}

static filling lay_out(const trm_yaml_block *b, char *bytes) {
  trm_yaml *root = (trm_yaml *)(void *)bytes;
  trm_yaml_pair *pair = (trm_yaml_pair *)(void *)(root + b->nodes);
  return (filling){root, root, pair, (trm_yaml **)(void *)(pair + b->pairs)};
}

/* What an alias stands for as often as it is named: there will be room enough. The weight of a node
 * has had its use; now it says where the node is in the block, or 0. */
static void count(trm_yaml *node, trm_yaml_block *b) {
  node->weight = 0;
  b->nodes++;
  if (node->kind == TRM_YAML_LIST) {
    b->items += (size_t)node->count;
    for (int i = 0; i < node->count; i++) count(node->items[i], b);
  } else if (node->kind == TRM_YAML_MAP) {
    b->pairs += (size_t)node->count;
    for (int i = 0; i < node->count; i++) {
      count(node->pairs[i].key, b);
      count(node->pairs[i].value, b);
    }
  }
}

/* What an alias stands for is one in the block, too. */
static trm_yaml *fill(trm_yaml *from, filling *f) {
  if (from->weight) return f->root + from->weight - 1;
  trm_yaml *to = f->node++;
  from->weight = (uint32_t)(to - f->root) + 1;
  *to = *from;
  if (from->kind == TRM_YAML_LIST) {
    to->items = f->item;
    f->item += from->count;
    for (int i = 0; i < from->count; i++) to->items[i] = fill(from->items[i], f);
  } else if (from->kind == TRM_YAML_MAP) {
    to->pairs = f->pair;
    f->pair += from->count;
    for (int i = 0; i < from->count; i++) {
      to->pairs[i].key = fill(from->pairs[i].key, f);
      to->pairs[i].value = fill(from->pairs[i].value, f);
    }
  }
  return to;
}

trm_yaml_block *trm_yaml_pack(trm_yaml *root, trm_arena *arena) {
  trm_yaml_block *b = TRM_NEW(arena, trm_yaml_block, 1);
  if (!b) return NULL;
  count(root, b);
  b->bytes = trm_arena_alloc(arena, size_of(b), 1);
  if (!b->bytes) return NULL;
  filling f = lay_out(b, b->bytes);
  fill(root, &f);
  return b;
}

/* Texts and indices are never written to. */
trm_yaml *trm_yaml_unpack(const trm_yaml_block *b, trm_arena *arena) {
  char *bytes = trm_arena_alloc(arena, size_of(b), 1);
  if (!bytes) return NULL;
  memcpy(bytes, b->bytes, size_of(b));
  filling from = lay_out(b, b->bytes), to = lay_out(b, bytes);
  for (size_t i = 0; i < b->nodes; i++) {
    trm_yaml *node = &to.root[i];
    if (node->kind == TRM_YAML_LIST) node->items = to.item + (node->items - from.item);
    if (node->kind == TRM_YAML_MAP) node->pairs = to.pair + (node->pairs - from.pair);
  }
  for (size_t i = 0; i < b->items; i++)
    if (to.item[i]) to.item[i] = to.root + (to.item[i] - from.root);
  for (size_t i = 0; i < b->pairs; i++) {
    trm_yaml_pair *pair = &to.pair[i];
    if (!pair->key) continue; /* room that an alias left */
    pair->key = to.root + (pair->key - from.root);
    pair->value = to.root + (pair->value - from.root);
  }
  return to.root;
}
