/* Blocks grouped by the places of their rows. */
#include "math/segments.h"

/* Rows: the blocks they go with fit into a cache, and a few of hundred reach over. */
enum { segment_rows = 256 };

/* count: it reaches over; a block without rows may be anywhere */
static int segment_of(const trm_structure *s, const int *place, int b, int count) {
  int begin = s->panel_start[b], end = s->panel_start[b + 1];
  if (begin == end) return (int)((long long)b * count / s->blocks);
  int segment = place[begin] / segment_rows;
  for (int p = begin; p < end; p++)
    if (place[p] / segment_rows != segment) return count;
  return segment;
}

bool trm_segments_create(trm_segments *g, trm_arena *arena, const trm_structure *s,
                         const int *panel_place) {
  int count = s->m > segment_rows ? (s->m + segment_rows - 1) / segment_rows : 1;
  int *place = TRM_NEW(arena, int, count + 1), *start = TRM_NEW(arena, int, count + 3);
  int *block = TRM_NEW(arena, int, s->blocks + 1);
  if (!place || !start || !block) return false;
  for (int i = 0; i < count; i++) place[i] = i * segment_rows;
  place[count] = s->m;
  for (int b = 0; b < s->blocks; b++) start[segment_of(s, panel_place, b, count) + 2]++;
  for (int i = 0; i <= count; i++) start[i + 2] += start[i + 1];
  for (int b = 0; b < s->blocks; b++) block[start[segment_of(s, panel_place, b, count) + 1]++] = b;
  *g = (trm_segments){count, place, start, block};
  return true;
}
