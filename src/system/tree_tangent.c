/* Tangents in the coordinates of joints: inverse dynamics differentiated column by column, with
 * what forces, signals and the joints that are not in the tree have over the bodies. */
#include <string.h>

#include "math/tree_vary.h"
#include "system/mechanism.h"
#include "system/tangent_work.h"
#include "system/tree.h"

static double product(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* y += B x over bodies and states; x is zero from there on */
static void add_product(const trm_blocks *B, const double *x, double *y) {
  int width = B->width;
  for (int b = 0; b < B->bodies; b++)
    for (int k = B->start[b]; k < B->start[b + 1]; k++) {
      const double *block = B->value + (ptrdiff_t)k * width * width;
      const double *xk = x + (ptrdiff_t)B->column[k] * width;
      for (int i = 0; i < width; i++)
        y[(ptrdiff_t)b * width + i] += product(width, block + (ptrdiff_t)i * width, xk);
    }
}

/* The entry (i, j) of K or D, all of whose blocks are there. */
static double *entry(const trm_blocks *B, int i, int j) {
  int width = B->width, block = (i / width) * B->bodies + j / width;
  return B->value + (ptrdiff_t)block * width * width + (ptrdiff_t)(i % width) * width + j % width;
}

/* Column j: equations of the coordinates, then those of the states as they are over the bodies. */
static void put_column(const trm_system *sys, const trm_tangent *t, const trm_blocks *B, int j) {
  const trm_tangent_work *w = t->work;
  int first = sys->motion.bodies * 6;
  for (int i = 0; i < sys->n; i++) *entry(B, i, j) = w->column[i];
  for (int k = 0; k < sys->states; k++) *entry(B, sys->n + k, j) = w->more[first + k];
}

static void find_mass(const trm_system *sys, trm_tangent *t) {
  trm_tangent_work *w = t->work;
  int n = sys->n;
  for (int j = 0; j < n; j++) {
    w->unit[j] = 1;
    trm_tree_times(sys->spanning->tree, w->unit, w->column);
    w->unit[j] = 0;
    for (int i = 0; i < n; i++) t->M[(ptrdiff_t)i * n + j] = w->column[i];
  }
}

/* Columns of the states: forces and rates of states that hang on them. */
static void find_state_columns(const trm_system *sys, trm_tangent *t, size_t bytes) {
  trm_tangent_work *w = t->work;
  trm_tree *tree = sys->spanning->tree;
  int first = sys->motion.bodies * 6;
  for (int k = 0; k < sys->states; k++) {
    memset(w->displaced, 0, bytes);
    memset(w->more, 0, bytes);
    w->displaced[first + k] = 1;
    add_product(&w->bodies->D, w->displaced, w->more);
    trm_tree_transposed(tree, &tree->all, w->more, w->column);
    put_column(sys, t, &t->D, sys->n + k);
  }
}

/* The tree at what r is of: accelerations a, and what is applied with the multipliers λ. */
static void go_there(trm_system *sys, const double *a, const double *lambda) {
  const trm_spanning *s = sys->spanning;
  size_t bytes = (size_t)sys->motion.bodies * 6 * sizeof(double);
  trm_tree_follow(s->tree, a);
  memcpy(s->row, trm_tree_applied(sys), bytes);
  trm_tree_add_reactions(sys, lambda, s->row);
  trm_tree_load(s->tree, s->row);
  memset(s->row, 0, bytes);
  trm_tree_transmit(s->tree);
}

bool trm_tree_tangent(trm_system *sys, const double *a, const double *lambda, trm_tangent *t) {
  trm_tangent_work *w = t->work;
  trm_tangent *bodies = w->bodies;
  const trm_spanning *s = sys->spanning;
  size_t bytes = (size_t)(bodies->K.bodies * bodies->K.width) * sizeof(double);
  trm_system_complete_frames(sys);
  if (!trm_tangent_elements(sys, lambda, bodies)) return false;
  find_mass(sys, t);
  find_state_columns(sys, t, bytes);
  go_there(sys, a, lambda);
  trm_variation_follow(w->variation, sys->v);
  memset(w->displaced, 0, bytes);
  memset(w->changed, 0, bytes);
  for (int j = 0; j < sys->n; j++) {
    trm_variation_displace(w->variation, j, w->displaced, w->changed);
    memset(w->more, 0, bytes);
    add_product(&bodies->K, w->displaced, w->more);
    add_product(&bodies->D, w->changed, w->more);
    trm_variation_by_place(w->variation, a, w->more, w->column);
    put_column(sys, t, &t->K, j);
    memset(w->more, 0, bytes);
    add_product(&bodies->D, w->displaced, w->more);
    trm_variation_by_rate(w->variation, w->more, w->column);
    put_column(sys, t, &t->D, j);
  }
  for (int i = 0; i < s->tree->balls; i++) /* the bend of (p·p − 1)/2 */
    for (int k = s->ball[i]; k < s->ball[i] + 4; k++) *entry(&t->K, k, k) += lambda[i];
  return true;
}

/* Of J_b (J x): the first factor by places, the second as it changes with the coordinates. */
static void slope_of_closures(const trm_system *sys, trm_tangent *t, const double *x,
                              double *slope) {
  const trm_spanning *s = sys->spanning;
  trm_tangent_work *w = t->work;
  trm_row *row = &w->bodies->work->q;
  trm_variation_follow(w->variation, x);
  trm_variation_twists(w->variation, w->more);
  const trm_curvature along_x = {.motion = &sys->motion, .x = w->more, .row = row};
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    for (int r = 0; r < p->rows; r++) {
      const double unit[3] = {r == 0, r == 1, r == 2};
      p->type->curvature(p, unit, &along_x);
      trm_tree_transposed(s->tree, &s->tree->all, row->value,
                          slope + (ptrdiff_t)(p->row + r) * sys->n);
      trm_row_clear(row);
    }
  }
  for (int j = 0; j < sys->n; j++) {
    trm_variation_displace(w->variation, j, w->displaced, w->changed);
    for (int i = 0; i < sys->primitive_count; i++) {
      const trm_primitive *p = &sys->primitives[i];
      for (int k = 0; k < p->bodies; k++)
        for (int r = 0; r < p->rows; r++)
          slope[(ptrdiff_t)(p->row + r) * sys->n + j] +=
              product(6, p->J[k] + 6 * (ptrdiff_t)r, w->changed + 6 * (ptrdiff_t)p->body[k]);
    }
  }
}

void trm_tree_slope(const trm_system *sys, trm_tangent *t, const double *x, double *slope) {
  const trm_spanning *s = sys->spanning;
  memset(slope, 0, (size_t)sys->m * (size_t)sys->n * sizeof *slope);
  for (int i = 0; i < s->tree->balls; i++)
    memcpy(slope + (ptrdiff_t)i * sys->n + s->ball[i], x + s->ball[i], 4 * sizeof *x);
  if (sys->primitive_count > 0) slope_of_closures(sys, t, x, slope);
}

void trm_tangent_take_row(const trm_system *sys, const trm_tangent *t, double *row) {
  trm_row *q = trm_tangent_row(t);
  trm_tree *tree = sys->structure.tree;
  if (tree)
    trm_tree_transposed(tree, &tree->all, q->value, row);
  else
    memcpy(row, q->value, (size_t)sys->n * sizeof(double));
  trm_row_clear(q);
}
