/* Second derivatives over points, directions and spins: one pair of levers at a time. */
#include "coordinates/curvature.h"

#include <string.h>

static void level(int body, trm_lever *lever) {
  lever->body = body;
  memset(lever->L, 0, sizeof lever->L);
}

static void list_entries(const trm_motion *m, trm_lever *lever) {
  for (int k = 0; k < 3; k++) {
    lever->count[k] = 0;
    for (int i = 0; i < m->nq; i++)
      if (lever->L[k][i] != 0) lever->column[k][lever->count[k]++] = i;
  }
}

static void fill_direction(const trm_motion *m, const trm_marker *marker, trm_lever *lever) {
  level(marker->body, lever);
  if (marker->body < 0) return;
  for (int k = 0; k < m->dim; k++) {
    double axis[3] = {k == 0, k == 1, k == 2};
    trm_row_direction(m, marker, axis, 1, lever->L[k]);
  }
}

void trm_lever_direction(const trm_motion *m, const trm_marker *marker, trm_lever *lever) {
  fill_direction(m, marker, lever);
  list_entries(m, lever);
}

void trm_lever_point(const trm_motion *m, const trm_marker *marker, trm_lever *lever) {
  fill_direction(m, marker, lever);
  for (int k = 0; k < m->dim && marker->body >= 0; k++) lever->L[k][k] += 1;
  list_entries(m, lever);
}

void trm_lever_spin(const trm_motion *m, int body, trm_lever *lever) {
  level(body, lever);
  for (int k = m->dim == 2 ? 2 : 0; k < 3 && body >= 0; k++) {
    double axis[3] = {k == 0, k == 1, k == 2};
    trm_row_spin(m, body, axis, lever->L[k]);
  }
  list_entries(m, lever);
}

/* block += g (row k of left)ᵀ (row l of right) */
static void add_rows(const trm_lever *left, int k, double g, const trm_lever *right, int l,
                     int width, double *block) {
  for (int i = 0; i < left->count[k]; i++) {
    int at = left->column[k][i];
    double factor = g * left->L[k][at], *row = block + at * width;
    for (int j = 0; j < right->count[l]; j++)
      row[right->column[l][j]] += factor * right->L[l][right->column[l][j]];
  }
}

static double rate(const trm_lever *lever, int k, const double *x) {
  double sum = 0;
  for (int i = 0; i < lever->count[k]; i++)
    sum += lever->L[k][lever->column[k][i]] * x[lever->column[k][i]];
  return sum;
}

void trm_curve(const trm_curvature *c, const trm_lever *left, double G[3][3],
               const trm_lever *right, double scale) {
  const trm_motion *m = c->motion;
  if (left->body < 0 || right->body < 0 || scale == 0) return;
  double *block = c->x ? NULL : trm_blocks_find(c->blocks, left->body, right->body);
  double *part = c->x ? trm_row_part(c->row, right->body) : NULL;
  for (int k = 0; k < m->dim; k++) {
    double along = c->x ? rate(left, k, c->x + (ptrdiff_t)left->body * m->nq) : 0;
    for (int l = G ? 0 : k; l < (G ? m->dim : k + 1); l++) {
      double g = G ? scale * G[k][l] : scale;
      if (block)
        add_rows(left, k, g, right, l, m->nq, block);
      else
        trm_axpy(m->nq, g * along, right->L[l], part);
    }
  }
}

void trm_curve_rows(const trm_curvature *c, int left_body, const double *left, int right_body,
                    const double *right, double scale) {
  int nq = c->motion->nq;
  if (left_body < 0 || right_body < 0) return;
  if (c->x) {
    const double *x = c->x + (ptrdiff_t)left_body * nq;
    double along = 0;
    for (int i = 0; i < nq; i++) along += left[i] * x[i];
    trm_axpy(nq, scale * along, right, trm_row_part(c->row, right_body));
    return;
  }
  double *block = trm_blocks_find(c->blocks, left_body, right_body);
  for (int i = 0; i < nq; i++)
    if (left[i] != 0) trm_axpy(nq, scale * left[i], right, block + i * nq);
}

void trm_curve_both(const trm_curvature *c, const trm_lever *left, double G[3][3],
                    const trm_lever *right, double scale) {
  double T[3][3];
  for (int i = 0; i < 9 && G; i++) T[i / 3][i % 3] = G[i % 3][i / 3];
  trm_curve(c, left, G, right, scale);
  trm_curve(c, right, G ? T : NULL, left, scale);
}

void trm_bend(const trm_curvature *c, const trm_marker *marker, const double *s, double scale) {
  const trm_motion *m = c->motion;
  int body = marker->body, nq = m->nq;
  double own[TRM_MOST_NQ * TRM_MOST_NQ], *block = own;
  if (body < 0 || !m->coordinates->bend) return;
  if (c->x)
    memset(own, 0, (size_t)(nq * nq) * sizeof *own);
  else
    block = trm_blocks_find(c->blocks, body, body);
  m->coordinates->bend(trm_motion_q(m, body), m->frames[body].a, marker->u, s, scale, block);
  if (!c->x) return;
  double *part = trm_row_part(c->row, body);
  const double *x = c->x + (ptrdiff_t)body * nq;
  for (int i = m->dim; i < nq; i++) trm_axpy(nq, x[i], own + i * nq, part);
}

/* Wᵀτ = ½ Σ N(e_k)ᵀ (τ × a[k]) */
void trm_bend_spin(const trm_curvature *c, int body, const double tau[3], double scale) {
  const trm_motion *m = c->motion;
  double G[3][3] = {{0}}, t[3] = {0, 0, tau[2]};
  if (body < 0) return;
  for (int i = 0; i < 3 && m->dim == 3; i++) t[i] = tau[i];
  trm_add_skew(t, 1, G);
  for (int k = 0; k < m->dim; k++) {
    trm_marker axis = {body, {k == 0, k == 1, k == 2}};
    trm_lever lever;
    double s[3];
    trm_cross(t, m->frames[body].a[k], s);
    trm_lever_direction(m, &axis, &lever);
    trm_bend(c, &axis, s, scale / 2);
    trm_curve(c, &lever, G, &lever, scale / 2);
  }
}

void trm_add_skew(const double s[3], double scale, double G[3][3]) {
  G[0][1] -= scale * s[2], G[1][0] += scale * s[2];
  G[2][0] -= scale * s[1], G[0][2] += scale * s[1];
  G[1][2] -= scale * s[0], G[2][1] += scale * s[0];
}

void trm_add_outer(const double *a, const double *b, double scale, double G[3][3]) {
  for (int i = 0; i < 3; i++) trm_axpy(3, scale * a[i], b, G[i]);
}

void trm_add_unit(double scale, double G[3][3]) {
  for (int i = 0; i < 3; i++) G[i][i] += scale;
}
