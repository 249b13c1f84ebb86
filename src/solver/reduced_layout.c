/* Rows of joints over what bodies' intrinsic rows leave free: which is where, and room for it. */
#include "solver/reduced.h"

#include <stddef.h>

#include "math/twist.h"

static bool create_sides(trm_reduced *self, trm_arena *arena, const trm_sides *given) {
  trm_sides *sides = &self->sides;
  size_t blocks = (size_t)self->joints.blocks, plain = (size_t)self->shape.plain;
  size_t count = given ? (size_t)given->start[blocks] : 0;
  bool dots = given && given->other;
  sides->start = TRM_NEW(arena, int, blocks + 1);
  sides->linked = TRM_NEW(arena, bool, blocks + 1);
  sides->kind = TRM_NEW(arena, unsigned char, count + 1);
  sides->u = TRM_NEW(arena, double, count *plain + 1);
  self->side_place = TRM_NEW(arena, int, count + 1);
  self->d = TRM_NEW(arena, double, dots ? count *plain + 1 : 1);
  self->duals = TRM_NEW(arena, double, blocks *(size_t)self->shape.spin + 1);
  if (dots) sides->other = TRM_NEW(arena, int, count + 1);
  if (dots) sides->of_other = TRM_NEW(arena, double, count *plain + 1);
  return !trm_arena_failed(arena);
}

/* Of one block, by place; from: where it is among the given. */
static void sort_sides(trm_reduced *self, const trm_sides *given, int b, int *from) {
  int *start = self->sides.start + b, *place = self->side_place;
  int p = self->joints.panel_start[b];
  for (int s = given->start[b]; s < given->start[b + 1]; s++) {
    int at = start[1]++;
    for (; at > start[0] && place[at - 1] > self->K.panel_place[p]; at--) {
      place[at] = place[at - 1];
      from[at] = from[at - 1];
    }
    place[at] = self->K.panel_place[p];
    from[at] = s;
    p += trm_side_rows(given->kind[s], self->shape.plain);
  }
}

static void copy_side(trm_reduced *self, const trm_sides *given, int from, int to) {
  ptrdiff_t plain = self->shape.plain;
  size_t size = (size_t)plain * sizeof(double);
  self->sides.kind[to] = given->kind[from];
  memcpy(self->sides.u + to * plain, given->u + from * plain, size);
  if (!given->other) return;
  self->sides.other[to] = given->other[from];
  memcpy(self->sides.of_other + to * plain, given->of_other + from * plain, size);
}

/* Rows of one primitive have consecutive places: they touch the same blocks. */
static bool lay_out_sides(trm_reduced *self, trm_arena *arena) {
  const trm_sides *given = self->structure->sides;
  int blocks = self->joints.blocks;
  if (!create_sides(self, arena, given)) return false;
  if (!given) return true;
  int *from = TRM_NEW(arena, int, given->start[blocks] + 1);
  if (!from) return false;
  int *start = self->sides.start;
  for (int b = 0; b < blocks; b++) {
    start[b + 1] = start[b];
    self->sides.linked[b] = given->linked[b];
    if (given->linked[b]) sort_sides(self, given, b, from);
  }
  for (int s = 0; s < start[blocks]; s++) copy_side(self, given, from[s], s);
  return true;
}

/* Of linked blocks the first rows of their sides stand for all. */
static bool aim_fronts(trm_reduced *self, trm_arena *arena) {
  const trm_structure *j = &self->joints;
  int *start = TRM_NEW(arena, int, j->blocks + 1), count = 0;
  int *place = TRM_NEW(arena, int, j->panel_start[j->blocks] + 1);
  if (!start || !place) return false;
  for (int b = 0; b < j->blocks; b++) {
    bool linked = self->sides.linked && self->sides.linked[b];
    const int *of = (linked ? self->sides.start : j->panel_start) + b;
    for (int i = of[0]; i < of[1]; i++)
      place[count++] = linked ? self->side_place[i] : self->K.panel_place[i];
    start[b + 1] = count;
  }
  return trm_fronts_aim(self->K.fronts, arena, j->blocks, start, place);
}

static bool lay_out_rows(trm_reduced *self, trm_arena *arena) {
  const trm_structure *j = &self->joints;
  bool linked = self->structure->axes != NULL;
  for (int b = 0; b < j->blocks && linked; b++) linked = self->sides.linked[b];
  self->width = self->shape.free + (linked ? 0 : self->shape.plain);
  self->W = TRM_NEW(arena, double, (size_t)j->panel_start[j->blocks] * (size_t)self->width + 1);
  return self->W != NULL;
}

static bool lay_out_K(trm_reduced *self, trm_arena *arena, trm_storage storage) {
  const trm_structure *s = self->structure;
  const bool *linked = s->axes && s->sides ? s->sides->linked : NULL;
  if (!trm_gram_create_joints(&self->K, arena, &self->joints, storage, linked)) return false;
  self->K.line.pool = s->pool;
  self->eps = TRM_NEW(arena, double, self->K.places + 1);
  self->weight = TRM_NEW(arena, double, 2 * (size_t)self->K.places + 1);
  return self->eps && self->weight;
}

trm_reduced *trm_reduced_lay_out(trm_arena *arena, const trm_structure *s, trm_storage storage) {
  trm_reduced *self = TRM_NEW(arena, trm_reduced, 1);
  if (!self) return NULL;
  int spin = trm_block_width(s, 0) - s->plain, free = spin - s->intrinsic;
  self->arena = arena;
  self->structure = s;
  self->wants_intrinsic = true;
  self->shape = (trm_shape){s->plain, spin, s->intrinsic, free, s->mass_diagonal, s->axes != NULL};
  if (!trm_twist_lay_out(&self->joints, arena, s)) return NULL;
  const trm_structure *j = &self->joints;
  size_t blocks = (size_t)s->blocks;
  self->h = TRM_NEW(arena, double, blocks *(size_t)s->plain + 1);
  self->B = TRM_NEW(arena, double, blocks *(size_t)(spin * free) + 1);
  if (!self->h || !self->B || !lay_out_K(self, arena, storage)) return NULL;
  if ((s->axes && !lay_out_sides(self, arena)) || !lay_out_rows(self, arena)) return NULL;
  if (self->K.fronts && !aim_fronts(self, arena)) return NULL;
  const int *place = self->K.fronts ? NULL : self->K.panel_place;
  if (!trm_segments_create(&self->segments, arena, j, self->K.places, place)) return NULL;
  self->turns = trm_turns_create(arena, self->segments.count);
  return self->turns ? self : NULL;
}
