/* Rows of joints over what bodies' intrinsic rows leave free: which is where, and room for it. */
#include "solver/reduced.h"

#include <stddef.h>

#include "math/twist.h"

static int most(int a, int b) {
  return a > b ? a : b;
}

static trm_cell *cell_of(const trm_reduced *self, int b) {
  return (trm_cell *)(void *)(self->cell + (ptrdiff_t)b * trm_cell_size(self->shape));
}

static double *side_at(const trm_reduced *self, int side) {
  return self->side + (ptrdiff_t)side * trm_side_size(self->shape);
}

static trm_seat *seat_at(const trm_reduced *self, int side) {
  return (trm_seat *)(void *)side_at(self, side);
}

static bool create_cells(trm_reduced *self, trm_arena *arena, const trm_sides *given) {
  int blocks = self->joints.blocks;
  self->cell = TRM_NEW(arena, double, (size_t)blocks *(size_t)trm_cell_size(self->shape) + 1);
  if (!self->cell) return false;
  for (int b = 0; b < blocks; b++) {
    bool linked = self->structure->axes && given && given->linked[b];
    int sides = linked ? given->start[b + 1] - given->start[b] : -1;
    int side = b > 0 ? cell_of(self, b - 1)->side + most(cell_of(self, b - 1)->sides, 0) : 0;
    *cell_of(self, b) =
        (trm_cell){self->joints.panel_start[b], trm_panel_rows(&self->joints, b), side, sides};
  }
  return true;
}

static bool create_sides(trm_reduced *self, trm_arena *arena, const trm_sides *given) {
  size_t blocks = (size_t)self->joints.blocks, plain = (size_t)self->shape.plain;
  size_t count = (size_t)given->start[blocks];
  bool dots = given->other != NULL;
  self->side = TRM_NEW(arena, double, count *(size_t)trm_side_size(self->shape) + 1);
  self->d = TRM_NEW(arena, double, dots ? count *plain + 1 : 1);
  if (dots) self->other = TRM_NEW(arena, int, count + 1);
  if (dots) self->of_other = TRM_NEW(arena, double, count *plain + 1);
  return self->side && self->d && (!dots || (self->other && self->of_other));
}

static void copy_side(trm_reduced *self, const trm_sides *given, int from, int to, int place) {
  ptrdiff_t plain = self->shape.plain;
  size_t size = (size_t)plain * sizeof(double);
  bool dot = given->kind[from] == TRM_SIDE_DOT;
  *seat_at(self, to) = (trm_seat){place, dot ? 0 : (float)trm_side_sign(given->kind[from])};
  memcpy(side_at(self, to) + TRM_SEAT, given->u + from * plain, size);
  if (!given->other) return;
  self->other[to] = given->other[from];
  memcpy(self->of_other + to * plain, given->of_other + from * plain, size);
}

/* Of one block, by place. Rows of one primitive have consecutive places: they touch the same
 * blocks. */
static void sort_sides(trm_reduced *self, const trm_sides *given, int b) {
  const trm_cell *cell = cell_of(self, b);
  const int *panel_place = self->K.panel_place;
  for (int s = given->start[b], p = cell->first; s < given->start[b + 1]; s++) {
    int before = 0;
    for (int t = given->start[b], q = cell->first; t < given->start[b + 1]; t++) {
      before += panel_place[q] < panel_place[p];
      q += trm_side_rows(given->kind[t], self->shape.plain);
    }
    copy_side(self, given, s, cell->side + before, panel_place[p]);
    p += trm_side_rows(given->kind[s], self->shape.plain);
  }
}

static bool lay_out_sides(trm_reduced *self, trm_arena *arena) {
  const trm_sides *given = self->structure->sides;
  if (!given || !self->structure->axes) { /* there are none, but blocks say where they are */
    self->side = self->d = TRM_NEW(arena, double, 1);
    return self->side != NULL;
  }
  if (!create_sides(self, arena, given)) return false;
  for (int b = 0; b < self->joints.blocks; b++)
    if (given->linked[b]) sort_sides(self, given, b);
  return true;
}

/* Of linked blocks the first rows of their sides stand for all. */
static bool aim_fronts(trm_reduced *self, trm_arena *arena) {
  const trm_structure *j = &self->joints;
  int *start = TRM_NEW(arena, int, j->blocks + 1), count = 0;
  int *place = TRM_NEW(arena, int, j->panel_start[j->blocks] + 1);
  if (!start || !place) return false;
  for (int b = 0; b < j->blocks; b++) {
    const trm_cell *cell = cell_of(self, b);
    for (int i = 0; i < cell->sides; i++) place[count++] = seat_at(self, cell->side + i)->place;
    for (int i = 0; i < cell->rows && cell->sides < 0; i++)
      place[count++] = self->K.panel_place[cell->first + i];
    start[b + 1] = count;
  }
  return trm_fronts_aim(self->K.fronts, arena, j->blocks, start, place);
}

static bool lay_out_rows(trm_reduced *self, trm_arena *arena) {
  const trm_structure *j = &self->joints;
  bool linked = self->structure->axes != NULL;
  for (int b = 0; b < j->blocks && linked; b++) linked = cell_of(self, b)->sides >= 0;
  self->width = self->shape.free + (linked ? 0 : self->shape.plain);
  self->W = TRM_NEW(arena, double, (size_t)j->panel_start[j->blocks] * (size_t)self->width + 1);
  return self->W != NULL;
}

static bool lay_out_K(trm_reduced *self, trm_arena *arena, trm_storage storage) {
  const trm_structure *s = self->structure;
  const bool *linked = s->axes && s->sides ? s->sides->linked : NULL;
  if (!trm_gram_create_joints(&self->K, arena, &self->joints, storage, linked)) return false;
  self->K.line.pool = s->pool;
  self->eps = TRM_NEW(arena, double, 2 * (size_t)self->K.places + 1);
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
  if (!create_cells(self, arena, s->sides) || !lay_out_K(self, arena, storage)) return NULL;
  if (!lay_out_sides(self, arena) || !lay_out_rows(self, arena)) return NULL;
  if (self->K.fronts && !aim_fronts(self, arena)) return NULL;
  const int *place = self->K.fronts ? NULL : self->K.panel_place;
  if (!trm_segments_create(&self->segments, arena, j, self->K.places, place)) return NULL;
  self->turns = trm_turns_create(arena, self->segments.count);
  return self->turns ? self : NULL;
}
