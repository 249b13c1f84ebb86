/* K = W Wᵀ in a skyline, or front by front. */
#include "math/gram.h"

#include <math.h>

#include "math/double2.h"

/* Operations of fronts for one of a skyline, below which they pay: measured. */
static const double sparse_part = 0.7;
/* Rows in a profile: above, a mechanism may be a net. */
static const double narrow = 24;

/* Of a skyline, with forming K; −1: out of memory */
static double skyline_operations(const trm_structure *s, double *profile) {
  double sum = trm_skyline_operations(s, profile);
  for (int b = 0; b < s->blocks && sum >= 0; b++)
    sum += (double)trm_block_width(s, b) * trm_panel_rows(s, b) * trm_panel_rows(s, b);
  return sum;
}

static bool create(trm_gram *k, trm_arena *arena, const trm_structure *s, trm_storage storage,
                   bool keep, const bool *apart) {
  double profile = INFINITY, most = storage == TRM_FRONTS ? INFINITY : 0;
  *k = (trm_gram){.structure = s};
  if (storage == TRM_CHEAPER) most = sparse_part * skyline_operations(s, &profile);
  if (most < 0) return false;
  if (most > 0 && !trm_fronts_create(&k->fronts, arena, s, most, keep, profile > narrow))
    return false;
  if (!k->fronts && !trm_skyline_create(&k->line, arena, s, storage == TRM_FULL_SKYLINE, apart))
    return false;
  k->places = k->fronts ? k->fronts->size : k->line.size;
  k->order = k->fronts ? k->fronts->order : k->line.order;
  k->panel_place = k->fronts ? k->fronts->panel_place : k->line.panel_place;
  k->pivot_inverse = k->fronts ? k->fronts->inverse : k->line.pivot_inverse;
  return true;
}

bool trm_gram_create_joints(trm_gram *k, trm_arena *arena, const trm_structure *s,
                            trm_storage storage, const bool *apart) {
  return create(k, arena, s, storage, true, apart);
}

bool trm_gram_create(trm_gram *k, trm_arena *arena, const trm_structure *s, bool dense) {
  if (!create(k, arena, s, dense ? TRM_FULL_SKYLINE : TRM_CHEAPER, false, NULL)) return false;
  return !k->fronts || trm_fronts_aim(k->fronts, arena, s->blocks, s->panel_start, k->panel_place);
}

void trm_gram_omit(trm_gram *k, const bool *rows) {
  if (k->fronts)
    trm_fronts_omit(k->fronts, rows);
  else
    trm_skyline_omit(&k->line, rows);
}

/* No block is kept. */
static void assemble_fronts(trm_fronts *k, const trm_structure *s, const double *W) {
  const trm_spot *spot = k->spot;
  trm_fronts_clear(k);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), rows = trm_panel_rows(s, b);
    const double *Wb = W + s->panel_value[b];
    for (int r = 0; r < rows; r++)
      for (int c = 0; c <= r; c++)
        k->value[spot++->at] += trm_pair_dot(width, Wb + r * width, Wb + c * width);
  }
}

double trm_gram_factor(trm_gram *k, const double *W) {
  if (W && k->fronts)
    assemble_fronts(k->fronts, k->structure, W);
  else if (W)
    trm_skyline_assemble(&k->line, k->structure, W);
  return k->fronts ? trm_fronts_factor(k->fronts) : trm_skyline_factor(&k->line);
}

void trm_gram_solve(const trm_gram *k, double *b) {
  if (k->fronts)
    trm_fronts_solve(k->fronts, b);
  else
    trm_skyline_solve(&k->line, b);
}

const trm_pivot_range *trm_gram_pivots(const trm_gram *k) {
  return k->fronts ? &k->fronts->last : &k->line.last;
}

double trm_gram_diagonal(const trm_gram *k, int place) {
  const bool *omitted = k->fronts ? k->fronts->omitted : k->line.omitted;
  if (k->order[place] < 0 || omitted[place]) return INFINITY;
  return k->fronts ? k->fronts->scale[place] : k->line.value[k->line.row[place] + place];
}
