/* The pattern of K and D: which bodies' coordinates act on which bodies' equations. */
#include <stdlib.h>
#include <string.h>

#include "math/tree_vary.h"
#include "system/signals.h"
#include "system/tangent_work.h"
#include "system/tree.h"

/* Pairs are visited twice: to count those of each row, then to write them down. */
typedef struct pairs {
  const trm_system *sys;
  int *start;  /* [bodies + 1] */
  int bodies;  /* with the blocks of states */
  int *used;   /* [bodies] */
  int *column; /* NULL while counting */
} pairs;

static void add_pair(pairs *p, int row, int column) {
  if (row < 0 || column < 0) return;
  if (p->column) p->column[p->start[row] + p->used[row]] = column;
  p->used[row]++;
}

void trm_element_pushes(const trm_element *e, int body[TRM_MOST_PUSHED]) {
  body[0] = body[2] = e->from.body;
  body[1] = body[3] = e->end.body;
  for (int side = 0; side < 2; side++) {
    if (e->scalar) body[side] = body[2 + side] = e->scalar->end[side].body;
    if (e->against) body[2 + side] = e->against->end[side].body;
    if (e->mount) body[side] = body[2 + side] = e->mount->end[side].body;
  }
}

/* Every row with the bodies that a measure is taken from. */
static void add_columns(pairs *p, const int rows[TRM_MOST_PUSHED], const int *columns, int count) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < TRM_MOST_PUSHED; k++) add_pair(p, rows[k], columns[i]);
}

static void add_slot(pairs *p, const int rows[TRM_MOST_PUSHED], int slot);

/* A state is a column of its own, any other signal is all that it hangs on. */
static void add_signal(pairs *p, const int rows[TRM_MOST_PUSHED], const trm_measure *measure) {
  const trm_signal *signal = &p->sys->model->signals[measure->index];
  if (signal->kind == TRM_SIGNAL_STATE && measure->kind == TRM_MEASURE_SIGNAL) {
    int column = trm_signals_block(p->sys, signal->state);
    add_columns(p, rows, &column, 1);
  } else {
    for (int i = 0; i < signal->base_count; i++) add_slot(p, rows, signal->base[i]);
  }
}

static void add_measure(pairs *p, const int rows[TRM_MOST_PUSHED], const trm_measure *measure) {
  const trm_system *sys = p->sys;
  int columns[TRM_MOST_PUSHED] = {measure->index, TRM_GROUND, TRM_GROUND, TRM_GROUND};
  if (measure->kind == TRM_MEASURE_MOMENTUM) {
    for (int b = 0; b < trm_model_placed(sys->model); b++) add_columns(p, rows, &b, 1);
    return;
  }
  if (measure->kind == TRM_MEASURE_TIRE) {
    const trm_element *e = &sys->elements[measure->index];
    columns[0] = e->end.body;
    for (int k = 0; k < e->type->states; k++)
      columns[1 + k] = trm_signals_block(sys, e->first_state + k);
  } else if (measure->kind == TRM_MEASURE_ELEMENT || measure->kind == TRM_MEASURE_DEFLECTION) {
    trm_element_pushes(&sys->elements[measure->index], columns);
  } else if (measure->kind == TRM_MEASURE_POINT || measure->kind == TRM_MEASURE_FREEDOM) {
    const trm_scalar s = trm_system_scalar(sys, measure);
    for (int side = 0; side < 2; side++) columns[side] = s.end[side].body;
  }
  add_columns(p, rows, columns, TRM_MOST_PUSHED);
}

static void add_slot(pairs *p, const int rows[TRM_MOST_PUSHED], int slot) {
  const trm_measure *measure = &p->sys->model->inputs[slot - 1];
  if (measure->kind == TRM_MEASURE_SIGNAL || measure->kind == TRM_MEASURE_STATE_RATE)
    add_signal(p, rows, measure);
  else if (measure->kind != TRM_MEASURE_EVENT) /* constant from event to event */
    add_measure(p, rows, measure);
}

static void add_quantity(pairs *p, const int rows[TRM_MOST_PUSHED], const trm_quantity *quantity) {
  const int *slots;
  int count = quantity->formula ? trm_expression_used(quantity->formula, &slots) : 0;
  for (int i = 0; i < count; i++)
    if (slots[i] > 0) add_slot(p, rows, slots[i]);
}

static void add_formulas(pairs *p, const int rows[TRM_MOST_PUSHED], const trm_element *e) {
  for (int k = 0; k < TRM_MOST_VALUES; k++) add_quantity(p, rows, &e->value[k]);
  add_quantity(p, rows, &e->stiffness);
  add_quantity(p, rows, &e->damping);
  add_quantity(p, rows, &e->free);
}

/* An element's states hang on its bodies, its formulas and each other, and its force on them. */
static void add_states(pairs *p, const int body[TRM_MOST_PUSHED], const trm_element *e) {
  for (int k = 0; k < e->type->states; k++) {
    int state = trm_signals_block(p->sys, e->first_state + k);
    const int rows[TRM_MOST_PUSHED] = {state, TRM_GROUND, TRM_GROUND, TRM_GROUND};
    add_formulas(p, rows, e);
    for (int side = 0; side < TRM_MOST_PUSHED; side++) {
      add_pair(p, body[side], state);
      add_pair(p, state, body[side]);
    }
    for (int l = 0; l < e->type->states; l++)
      add_pair(p, state, trm_signals_block(p->sys, e->first_state + l));
  }
}

static void add_element(pairs *p, const trm_element *e) {
  int body[TRM_MOST_PUSHED];
  trm_element_pushes(e, body);
  add_columns(p, body, body, TRM_MOST_PUSHED);
  add_formulas(p, body, e);
  add_states(p, body, e);
}

static void visit(pairs *p) {
  const trm_system *sys = p->sys;
  memset(p->used, 0, (size_t)p->bodies * sizeof(int));
  for (int b = 0; b < p->bodies; b++) add_pair(p, b, b);
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *primitive = &sys->primitives[i];
    for (int k = 0; k < primitive->bodies; k++)
      for (int l = 0; l < primitive->bodies; l++)
        add_pair(p, primitive->body[k], primitive->body[l]);
  }
  for (int i = 0; i < sys->model->force_count; i++) add_element(p, &sys->elements[i]);
  for (int i = 0; i < sys->model->signal_count; i++) {
    const trm_signal *signal = &sys->model->signals[i];
    const int rows[TRM_MOST_PUSHED] = {trm_signals_block(sys, signal->state), TRM_GROUND,
                                       TRM_GROUND, TRM_GROUND};
    for (int k = 0; k < signal->base_count && signal->kind == TRM_SIGNAL_STATE; k++)
      add_slot(p, rows, signal->base[k]);
  }
}

static int compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

/* Sorts each row and drops what is there twice. */
static void sort_rows(pairs *p, int bodies) {
  int kept = 0;
  for (int b = 0; b < bodies; b++) {
    int *row = p->column + p->start[b], first = kept;
    qsort(row, (size_t)p->used[b], sizeof *row, compare);
    for (int k = 0; k < p->used[b]; k++)
      if (kept == first || p->column[kept - 1] != row[k]) p->column[kept++] = row[k];
    p->start[b] = first;
  }
  p->start[bodies] = kept;
}

/* Of the bodies; a generic system has one block, with all its coordinates. */
static bool find_pattern(const trm_system *sys, trm_arena *arena, trm_tangent *t) {
  int blocks = trm_system_blocks(sys), width = trm_system_width(sys);
  int bodies = blocks + (sys->states + width - 1) / width;
  pairs p = {.sys = sys,
             .bodies = bodies,
             .start = TRM_NEW(arena, int, bodies + 1),
             .used = TRM_NEW(arena, int, bodies + 1)};
  int *diagonal = TRM_NEW(arena, int, bodies + 1);
  if (!p.start || !p.used || !diagonal) return false;
  visit(&p);
  for (int b = 0; b < bodies; b++) p.start[b + 1] = p.start[b] + p.used[b];
  p.column = TRM_NEW(arena, int, p.start[bodies] + 1);
  if (!p.column) return false;
  visit(&p);
  sort_rows(&p, bodies);
  for (int b = 0; b < bodies; b++)
    for (int k = p.start[b]; k < p.start[b + 1]; k++)
      if (p.column[k] == b) diagonal[b] = k;
  t->diagonal = diagonal;
  t->n = blocks * width + sys->states;
  t->K = (trm_blocks){width, bodies, p.start, p.column, NULL};
  return true;
}

/* Coordinates of joints: all hang on all. */
static bool fill_pattern(const trm_system *sys, trm_arena *arena, trm_tangent *t) {
  int width = sys->n, bodies = 1 + (sys->states + width - 1) / width;
  int *start = TRM_NEW(arena, int, bodies + 1), *diagonal = TRM_NEW(arena, int, bodies + 1);
  int *column = TRM_NEW(arena, int, bodies *bodies + 1);
  if (!start || !diagonal || !column) return false;
  for (int b = 0; b < bodies; b++) {
    start[b + 1] = start[b] + bodies;
    diagonal[b] = start[b] + b;
    for (int k = 0; k < bodies; k++) column[start[b] + k] = k;
  }
  t->diagonal = diagonal;
  t->n = sys->n + sys->states;
  t->K = (trm_blocks){width, bodies, start, column, NULL};
  return true;
}

/* Of a block row, those that are equations. */
static int rows_of(const trm_tangent *t, int b) {
  int left = t->n - b * t->K.width;
  return left < t->K.width ? left : t->K.width;
}

/* Blocks, rows of blocks, by column of scalars. */
static bool list_columns(trm_arena *arena, trm_tangent *t) {
  int width = t->K.width, bodies = t->K.bodies, n = t->n;
  t->nonzeros = t->K.start[bodies] * width * width;
  int *start = TRM_NEW(arena, int, n + 2), *row = TRM_NEW(arena, int, t->nonzeros + 1);
  int *from = TRM_NEW(arena, int, t->nonzeros + 1);
  if (!start || !row || !from) return false;
  int *next = start + 1; /* counts of column k in next[k + 1], then where it goes on */
  for (int b = 0; b < bodies; b++)
    for (int k = t->K.start[b]; k < t->K.start[b + 1]; k++)
      for (int j = 0; j < width && t->K.column[k] * width + j < t->n; j++)
        next[t->K.column[k] * width + j + 1] += rows_of(t, b);
  for (int j = 0; j < n; j++) next[j + 1] += next[j];
  for (int b = 0; b < bodies; b++)
    for (int k = t->K.start[b]; k < t->K.start[b + 1]; k++)
      for (int i = 0; i < width * rows_of(t, b); i++) {
        if (t->K.column[k] * width + i % width >= n) continue;
        int e = next[t->K.column[k] * width + i % width]++;
        row[e] = b * width + i / width;
        from[e] = k * width * width + i;
      }
  t->column_start = start;
  t->row = row;
  t->from = from;
  return true;
}

static void create_row(const trm_blocks *K, trm_arena *arena, trm_row *row) {
  *row = (trm_row){.width = K->width,
                   .body = TRM_NEW(arena, int, K->bodies + 1),
                   .touched = TRM_NEW(arena, bool, K->bodies + 1),
                   .value = TRM_NEW(arena, double, K->bodies * K->width + 1)};
}

static trm_tangent *create(const trm_system *sys, trm_arena *arena,
                           bool (*pattern)(const trm_system *, trm_arena *, trm_tangent *)) {
  trm_tangent *t = TRM_NEW(arena, trm_tangent, 1);
  trm_tangent_work *work = TRM_NEW(arena, trm_tangent_work, 1);
  if (!t || !work || !pattern(sys, arena, t) || !list_columns(arena, t)) return NULL;
  t->D = t->K;
  t->K.value = TRM_KEEP_NEW(arena, double, t->nonzeros + 1);
  t->D.value = TRM_KEEP_NEW(arena, double, t->nonzeros + 1);
  t->M = TRM_KEEP_NEW(arena, double, t->K.bodies * t->K.width * t->K.width + 1);
  if (!t->M) return NULL;
  for (int k = t->n - sys->states; k < t->n; k++) /* the first is a multiple of the width */
    t->M[(ptrdiff_t)k * t->K.width + k % t->K.width] = 1;
  t->kept = TRM_KEEP_NEW(arena, bool, sys->structure.massless + 1);
  t->work = work;
  work->gradient = TRM_NEW(arena, double, sys->model->input_count + 1);
  create_row(&t->K, arena, &work->push);
  create_row(&t->K, arena, &work->q);
  create_row(&t->K, arena, &work->v);
  return trm_arena_failed(arena) ? NULL : t;
}

/* Over the coordinates of joints, by way of the bodies. */
static trm_tangent *create_for_tree(const trm_system *sys, trm_arena *arena) {
  trm_tangent *t = create(sys, arena, fill_pattern);
  if (!t) return NULL;
  trm_tangent_work *w = t->work;
  w->bodies = create(sys, arena, find_pattern);
  if (!w->bodies) return NULL;
  int rows = w->bodies->K.bodies * w->bodies->K.width + 1;
  w->variation = trm_variation_create(arena, sys->spanning->tree);
  w->displaced = TRM_NEW(arena, double, rows);
  w->changed = TRM_NEW(arena, double, rows);
  w->more = TRM_NEW(arena, double, rows);
  w->column = TRM_NEW(arena, double, sys->n + 1);
  w->unit = TRM_NEW(arena, double, sys->n + 1);
  return trm_arena_failed(arena) ? NULL : t;
}

trm_tangent *trm_tangent_create(const trm_system *sys, trm_arena *arena) {
  return sys->spanning ? create_for_tree(sys, arena) : create(sys, arena, find_pattern);
}
