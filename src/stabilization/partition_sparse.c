/* Coordinate partitioning (001 sec. 4) of large systems: dependent coordinates are chosen by a
 * sparse elimination, and their columns of Cq are factored anew at each position. */
#include <math.h>
#include <string.h>

#include "math/dependent.h"
#include "math/lu.h"
#include "stabilization/partition.h"

/* Of the least pivot when they were chosen: below it the choice is made anew. */
static const double worn_out = 0.5;
/* Of the best choice so far: below it a singular position is near, and all coordinates move. */
static const double ill = 0.25;
/* Where the dependent coordinates must move this much farther than all of them would, by the mass
 * norm, all of them do: errors across the constraints would turn into errors along the motion. */
static const double farthest = 10;

typedef struct sparse {
  trm_arena *choice; /* memory of the choice in force; NULL: none yet */
  trm_lu *lu;        /* of the dependent columns; NULL: none */
  int *from;         /* [entries] of its values in Cq */
  int *dependent;    /* [kept] coordinates */
  int *place;        /* [n] among the dependent ones; −1: independent */
  int *kept_row;     /* [m] */
  int kept;
  double *scale;     /* [n] 1/√M */
  double *row_scale; /* [m] 1/norm of Cq's rows under it */
  double *b;         /* [m] */
  double chosen;     /* its least pivot when it was made */
  double best;       /* of all choices */
  double least;      /* its least pivot now, relative to the largest */
} sparse;

static void release(void *data) {
  sparse *own = data;
  trm_arena_destroy(own->choice);
}

static bool create(trm_stabilizer *st, trm_arena *arena, const trm_settings *settings) {
  sparse *own = st->own = TRM_NEW(arena, sparse, 1);
  size_t n = (size_t)st->system->n + 1, m = (size_t)st->system->m + 1;
  (void)settings;
  if (!own) return false;
  own->dependent = TRM_NEW(arena, int, n);
  own->place = TRM_NEW(arena, int, n);
  own->kept_row = TRM_NEW(arena, int, m);
  own->scale = TRM_NEW(arena, double, n);
  own->row_scale = TRM_NEW(arena, double, m);
  own->b = TRM_NEW(arena, double, m);
  return own->dependent && own->place && own->kept_row && own->scale && own->row_scale && own->b &&
         trm_arena_defer(arena, release, own);
}

static void scale_rows(sparse *own, const trm_system *sys) {
  const trm_structure *s = &sys->structure;
  double *square = own->row_scale;
  memset(square, 0, (size_t)s->m * sizeof *square);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = sys->Cq + s->panel_value[b], *h = own->scale + s->q_start[b];
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++, row += width)
      for (int i = 0; i < width; i++) square[s->panel_row[p]] += row[i] * row[i] * h[i] * h[i];
  }
  for (int i = 0; i < s->m; i++) square[i] = square[i] > 0 ? 1 / sqrt(square[i]) : 1;
}

/* Entries of the dependent columns in the kept rows: counted, and added where told. */
static int list_entries(sparse *own, const trm_structure *s, const int *kept_place, bool add) {
  int count = 0;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), at = s->panel_value[b];
    for (int p = s->panel_start[b]; p < s->panel_start[b + 1]; p++)
      for (int i = 0; i < width; i++, at++) {
        int column = own->place[s->q_start[b] + i], row = kept_place[s->panel_row[p]];
        if (column < 0 || row < 0) continue;
        if (add) own->from[trm_lu_add(own->lu, row, column)] = at;
        count++;
      }
  }
  return count;
}

static void list_kept(sparse *own, const trm_stabilizer *st, int *kept_place) {
  own->kept = 0;
  for (int i = 0; i < st->system->m; i++) {
    kept_place[i] = st->spare[i] ? -1 : own->kept;
    if (!st->spare[i]) own->kept_row[own->kept++] = i;
  }
}

/* New dependent coordinates, and the pattern of their columns; false: there are none */
static bool lay_out(sparse *own, const trm_stabilizer *st) {
  const trm_system *sys = st->system;
  const trm_structure *s = &sys->structure;
  int *kept_place = TRM_NEW(own->choice, int, s->m + 1);
  if (!kept_place) return false;
  list_kept(own, st, kept_place);
  if (own->kept == 0 || own->kept > s->n) return false;
  if (!trm_dependent_choose(s, sys->Cq, own->scale, st->spare, own->dependent)) return false;
  for (int q = 0; q < s->n; q++) own->place[q] = -1;
  for (int k = 0; k < own->kept; k++) own->place[own->dependent[k]] = k;
  int entries = list_entries(own, s, kept_place, false);
  own->from = TRM_NEW(own->choice, int, entries + 1);
  own->lu = trm_lu_create(own->choice, own->kept, entries, true);
  if (!own->from || !own->lu) return false;
  list_entries(own, s, kept_place, true);
  return trm_lu_prepare(own->lu);
}

static void choose(sparse *own, const trm_stabilizer *st) {
  trm_arena_destroy(own->choice);
  own->lu = NULL;
  own->choice = trm_arena_create();
  if (!own->choice || !lay_out(own, st)) own->lu = NULL;
}

/* least: 0 where there is no use in it */
static void refactor(sparse *own, const trm_system *sys, bool renew) {
  trm_lu *lu = own->lu;
  own->least = 0;
  if (!lu) return;
  if (renew) trm_lu_renew(lu);
  for (int e = 0; e < lu->entries; e++) {
    int q = own->dependent[lu->column[e]], row = own->kept_row[lu->row[e]];
    lu->value[e] = sys->Cq[own->from[e]] * own->scale[q] * own->row_scale[row];
  }
  if (trm_lu_factor(lu)) own->least = trm_lu_least_pivot(lu);
}

static void factor(trm_stabilizer *st) {
  sparse *own = st->own;
  if (st->system->m == 0) return;
  trm_partition_weigh(st->system, own->scale);
  scale_rows(own, st->system);
  for (int renew = 0; renew < 2 && own->lu; renew++) {
    refactor(own, st->system, renew);
    if (own->least >= worn_out * own->chosen) return;
  }
  choose(own, st);
  refactor(own, st->system, true);
  own->best = fmax(own->best, own->least);
  own->chosen = own->least;
}

/* b: the dependent coordinates' change, scaled; false: too far, against the mass-weighted dx */
static bool find_dependent(sparse *own, const trm_system *sys, const double *residual,
                           const double *dx) {
  double square = 0, least = 0;
  for (int k = 0; k < own->kept; k++) {
    int row = own->kept_row[k];
    own->b[k] = own->row_scale[row] * residual[row];
  }
  trm_lu_solve(own->lu, own->b);
  for (int k = 0; k < own->kept; k++) square += own->b[k] * own->b[k];
  for (int i = 0; i < sys->n; i++) least += pow(dx[i] / own->scale[i], 2);
  return square <= farthest * farthest * least;
}

static void project(trm_stabilizer *st, const double *residual, double *dx) {
  sparse *own = st->own;
  trm_solver_project(st->solver, residual, dx);
  if (own->least <= ill * own->best || !find_dependent(own, st->system, residual, dx)) return;
  memset(dx, 0, (size_t)st->system->n * sizeof *dx);
  for (int k = 0; k < own->kept; k++) {
    int q = own->dependent[k];
    dx[q] = own->scale[q] * own->b[k];
  }
}

const trm_stabilization trm_stabilization_partition_sparse = {
    .name = "partition", .create = create, .project = project, .factor = factor};
