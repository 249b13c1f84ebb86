/* Blocks grouped by the places of their rows. */
#include "math/segments.h"

/* Rows: the blocks they go with fit into a cache, and a few of hundred reach over. */
enum { segment_rows = 256 };

typedef struct reach {
  int first, last; /* segment */
} reach;

/* A block without rows may be anywhere. */
static reach reach_of(const trm_structure *s, const int *place, int b, int count) {
  int begin = s->panel_start[b], end = s->panel_start[b + 1];
  int anywhere = (int)((long long)b * count / s->blocks);
  if (begin == end || !place) return (reach){anywhere, anywhere};
  reach r = {count, 0};
  for (int p = begin; p < end; p++) {
    int segment = place[p] / segment_rows;
    if (segment < r.first) r.first = segment;
    if (segment > r.last) r.last = segment;
  }
  return r;
}

static int group_of(reach r, int count) {
  return r.first == r.last ? r.first : count + r.last;
}

/* A row waits for the last block that reaches it from behind. */
static void find_complete(const trm_segments *g, const trm_structure *s, const int *panel_place,
                          int *complete) {
  int first = g->count;
  for (int segment = g->count - 1; segment >= 0; segment--) {
    complete[segment] = g->place[first < segment + 1 ? first : segment + 1];
    int group = g->count + segment;
    for (int at = g->start[group]; at < g->start[group + 1]; at++) {
      reach r = reach_of(s, panel_place, g->block[at], g->count);
      if (r.first < first) first = r.first;
    }
  }
}

bool trm_segments_create(trm_segments *g, trm_arena *arena, const trm_structure *s, int places,
                         const int *panel_place) {
  int count = panel_place && places > segment_rows ? (places + segment_rows - 1) / segment_rows : 1;
  int *place = TRM_NEW(arena, int, count + 1), *start = TRM_NEW(arena, int, 2 * count + 3);
  int *block = TRM_NEW(arena, int, s->blocks + 1), *complete = TRM_NEW(arena, int, count);
  if (trm_arena_failed(arena)) return false;
  for (int i = 0; i < count; i++) place[i] = i * segment_rows;
  place[count] = places;
  for (int b = 0; b < s->blocks; b++)
    start[group_of(reach_of(s, panel_place, b, count), count) + 2]++;
  for (int i = 0; i < 2 * count; i++) start[i + 2] += start[i + 1];
  for (int b = 0; b < s->blocks; b++)
    block[start[group_of(reach_of(s, panel_place, b, count), count) + 1]++] = b;
  *g = (trm_segments){count, place, start, block, complete};
  find_complete(g, s, panel_place, complete);
  return true;
}
