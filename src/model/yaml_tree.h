/* Growing a YAML tree event by event. Internal to yaml.c and yaml_tree.c. */
#ifndef TRM_MODEL_YAML_TREE_H
#define TRM_MODEL_YAML_TREE_H

#include <libfyaml.h>

#include "model/yaml.h"

/* A list or map that is not closed yet; its children are collected on the builder's pile. */
typedef struct trm_yaml_level {
  trm_yaml *node;
  size_t first; /* on the pile */
} trm_yaml_level;

typedef struct trm_yaml_builder {
  trm_document *document;
  trm_diagnostics *diagnostics;
  trm_yaml_level levels[TRM_YAML_DEEPEST];
  int depth;
  trm_yaml **pile;
  size_t pile_count, pile_capacity;
  trm_map *anchors; /* → anchored */
  trm_yaml **anchored;
  int anchor_count, anchor_capacity;
  uint64_t aliased;  /* nodes reached through aliases so far */
  uint32_t position; /* of the last token: what has no place of its own stands there */
  int documents;
} trm_yaml_builder;

/* False after an error; none was reported where memory is out. */
bool trm_yaml_on_event(trm_yaml_builder *b, const struct fy_event *event);

#endif
