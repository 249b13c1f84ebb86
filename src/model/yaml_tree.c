/* From the parser's events to a tree, without recursion. */
#include "model/yaml_tree.h"

#include <stdlib.h>
#include <string.h>

typedef trm_yaml_builder builder;
typedef trm_yaml_level level;

static bool grow(void **items, size_t *capacity, size_t size) {
  size_t larger = *capacity ? 2 * *capacity : 256;
  void *moved = realloc(*items, larger * size);
  if (!moved) return false;
  *items = moved;
  *capacity = larger;
  return true;
}

static bool fail(builder *b, const char *message) {
  trm_report_place(b->diagnostics, TRM_ERROR, trm_yaml_place(b->document, b->position), "%s",
                   message);
  return false;
}

static uint32_t position_of(builder *b, struct fy_token *token) {
  const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
  if (mark) b->position = (uint32_t)mark->input_pos;
  return b->position;
}

static trm_yaml *new_node(builder *b, trm_yaml_kind kind, struct fy_token *token) {
  trm_yaml *node = TRM_NEW(b->document->arena, trm_yaml, 1);
  if (!node) return NULL;
  node->kind = (uint8_t)kind;
  node->position = position_of(b, token);
  node->weight = 1;
  return node;
}

/* Maps have keys and values in turn: an even number of children means that a key comes next. */
static bool key_comes(const builder *b) {
  const level *top = b->depth > 0 ? &b->levels[b->depth - 1] : NULL;
  return top && top->node->kind == TRM_YAML_MAP && (b->pile_count - top->first) % 2 == 0;
}

static bool add_node(builder *b, trm_yaml *node) {
  if (b->depth == 0) {
    b->document->root = node;
    return true;
  }
  if (key_comes(b) && node->kind != TRM_YAML_TEXT) {
    b->position = node->position;
    return fail(b, "a key must be a name, not a list, a map or nothing");
  }
  if (b->pile_count == b->pile_capacity) {
    void *pile = b->pile;
    if (!grow(&pile, &b->pile_capacity, sizeof *b->pile)) return false;
    b->pile = pile;
  }
  b->pile[b->pile_count++] = node;
  return true;
}

static void add_weight(trm_yaml *node, uint32_t weight) {
  node->weight = weight > UINT32_MAX - node->weight ? UINT32_MAX : node->weight + weight;
}

static bool set_anchor(builder *b, struct fy_token *token, trm_yaml *node) {
  if (!token) return true;
  size_t length = 0;
  const char *text = fy_token_get_text(token, &length);
  const char *name = text ? trm_arena_substring(b->document->arena, text, length) : NULL;
  if (!name) return false;
  if (b->anchor_count == b->anchor_capacity) {
    void *items = b->anchored;
    size_t capacity = (size_t)b->anchor_capacity;
    if (!grow(&items, &capacity, sizeof *b->anchored)) return false;
    b->anchored = items;
    b->anchor_capacity = (int)capacity;
  }
  b->anchored[b->anchor_count] = node;
  return trm_map_put(b->anchors, name, length, b->anchor_count++);
}

/* `!!str` and the like say nothing new; any other tag would be lost silently. */
static bool check_tag(builder *b, struct fy_token *token) {
  static const char standard[] = "tag:yaml.org,2002:";
  if (!token) return true;
  size_t length = 0;
  const char *text = fy_token_get_text(token, &length);
  if (text && length >= strlen(standard) && memcmp(text, standard, strlen(standard)) == 0)
    return true;
  return fail(b, "model files have no tags (!...); text that starts with '!' stands in quotes");
}

static bool is_nothing(const char *text, size_t length) {
  static const char *const words[] = {"", "~", "null", "Null", "NULL"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) return true;
  return false;
}

/* The value of a plain text on one line is what stands in the file: much faster than asking. What
 * stands behind it is no text, so there is room for its end. */
static char *plain_text(const builder *b, struct fy_token *token, size_t *length) {
  const struct fy_mark *start = fy_token_start_mark(token), *end = fy_token_end_mark(token);
  if (!start || !end || start->line != end->line || end->input_pos > b->document->length)
    return NULL;
  *length = end->input_pos - start->input_pos;
  if (*length == 0) return NULL;
  b->document->words[end->input_pos] = '\0';
  return b->document->words + start->input_pos;
}

/* NULL: out of memory, or reported. */
static const char *text_of(builder *b, struct fy_token *token, enum fy_scalar_style style,
                           size_t *length) {
  const char *text = style == FYSS_PLAIN ? plain_text(b, token, length) : NULL;
  if (text) return text;
  text = fy_token_get_text(token, length);
  if (!text) return NULL;
  if (!memchr(text, '\0', *length)) return trm_arena_substring(b->document->arena, text, *length);
  fail(b, "a text cannot hold a NUL character");
  return NULL;
}

static bool on_scalar(builder *b, const struct fy_event *event) {
  struct fy_token *token = event->scalar.value;
  trm_yaml *node = new_node(b, TRM_YAML_TEXT, token);
  if (!node) return false;
  size_t length = 0;
  enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
  node->text = token ? text_of(b, token, style, &length) : "";
  if (!node->text) return false;
  node->flow = b->depth > 0 && b->levels[b->depth - 1].node->flow;
  node->quoted = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
  if (style == FYSS_PLAIN && is_nothing(node->text, length)) node->kind = TRM_YAML_NOTHING;
  node->count = (int)length;
  return check_tag(b, event->scalar.tag) && set_anchor(b, event->scalar.anchor, node) &&
         add_node(b, node);
}

static bool on_start(builder *b, trm_yaml_kind kind, struct fy_token *start,
                     struct fy_token *anchor, struct fy_token *tag) {
  trm_yaml *node = new_node(b, kind, start);
  if (!node) return false;
  char first = b->document->text[node->position];
  node->flow = start && (first == '[' || first == '{');
  if (b->depth == TRM_YAML_DEEPEST) {
    trm_report_place(b->diagnostics, TRM_ERROR, trm_yaml_place(b->document, node->position),
                     "nested too deeply: more than %d levels", TRM_YAML_DEEPEST);
    return false;
  }
  if (!check_tag(b, tag) || !set_anchor(b, anchor, node) || !add_node(b, node)) return false;
  b->levels[b->depth++] = (level){node, b->pile_count};
  return true;
}

/* Moves the children from the pile into the arena; keys and values alternate as in pairs. */
static bool on_end(builder *b) {
  level top = b->levels[--b->depth];
  trm_yaml *node = top.node;
  size_t count = b->pile_count - top.first;
  b->pile_count = top.first;
  for (size_t i = 0; i < count; i++) add_weight(node, b->pile[top.first + i]->weight);
  trm_yaml **children = TRM_NEW(b->document->arena, trm_yaml *, count);
  if (!children) return false;
  memcpy(children, b->pile + top.first, count * sizeof *children);
  if (node->kind == TRM_YAML_LIST) {
    node->items = children;
    node->count = (int)count;
    return true;
  }
  node->pairs = (trm_yaml_pair *)(void *)children;
  node->count = (int)(count / 2);
  return trm_yaml_close_map(b->document, node, b->diagnostics);
}

static bool is_open(const builder *b, const trm_yaml *node) {
  for (int i = 0; i < b->depth; i++)
    if (b->levels[i].node == node) return true;
  return false;
}

/* An alias is the node itself: nothing is copied, so a bomb costs nothing. It is refused all the
 * same: whoever walks the tree would pay. */
static bool on_alias(builder *b, struct fy_token *token) {
  size_t length = 0;
  const char *name = token ? fy_token_get_text(token, &length) : NULL;
  if (!name) return false;
  trm_place place = trm_yaml_place(b->document, position_of(b, token));
  int shown = length < 100 ? (int)length : 100;
  int known = trm_map_get(b->anchors, name, length);
  trm_yaml *node = known >= 0 ? b->anchored[known] : NULL;
  if (!node)
    trm_report_place(b->diagnostics, TRM_ERROR, place, "alias '*%.*s' has no anchor '&%.*s'", shown,
                     name, shown, name);
  else if (is_open(b, node))
    trm_report_place(b->diagnostics, TRM_ERROR, place, "alias '*%.*s' stands inside its own anchor",
                     shown, name);
  else if ((b->aliased += node->weight) > TRM_YAML_MOST_ALIASED)
    trm_report_place(b->diagnostics, TRM_ERROR, place,
                     "the aliases up to here stand for more than %d million values: refused as an "
                     "alias bomb",
                     TRM_YAML_MOST_ALIASED / 1000000);
  else
    return add_node(b, node);
  return false;
}

bool trm_yaml_on_event(trm_yaml_builder *b, const struct fy_event *event) {
  switch (event->type) {
  case FYET_DOCUMENT_START:
    position_of(b, event->document_start.document_start);
    if (b->documents++ > 0) return fail(b, "a second document starts here: a file has one model");
    return true;
  case FYET_SCALAR: return on_scalar(b, event);
  case FYET_ALIAS: return on_alias(b, event->alias.anchor);
  case FYET_SEQUENCE_START:
    return on_start(b, TRM_YAML_LIST, event->sequence_start.sequence_start,
                    event->sequence_start.anchor, event->sequence_start.tag);
  case FYET_MAPPING_START:
    return on_start(b, TRM_YAML_MAP, event->mapping_start.mapping_start,
                    event->mapping_start.anchor, event->mapping_start.tag);
  case FYET_SEQUENCE_END:
  case FYET_MAPPING_END: return on_end(b);
  default: return true;
  }
}
