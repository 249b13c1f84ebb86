/* Solutions with a border, and what its dependent rows leave open. */
#include "math/double2.h"
#include "math/local_rank.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Dropping one row in doubt may bring the next one out. */
enum { exclusions = 4 };
/* The second corrects what the first lost to a nearly singular Jacobian; one leaves some digits. */
enum { roughly = 1, exactly = 2 };
/* Conjugate gradients: loops far apart converge together, so few are needed at any size. */
enum { most_iterations = 300 };
static const double least_residual = 1e-13;
/* The gradient that they keep up to date drifts away from the true one, and a start far from the
 * least norm leaves its round-off behind: they begin again while that halves the true one. */
enum { most_starts = 6 };
static const double least_gain = 0.5;

/* eps = W y − g, by place; g == NULL: zero */
static void find_eps(trm_local_rank *rank, const double *y, const double *g) {
  const trm_structure *s = rank->structure;
  for (int i = 0; i < s->m; i++) rank->eps[i] = g ? -g[i] : 0;
  trm_panels_times(s, rank->W, rank->line_at, y, rank->K.panel_place, rank->eps);
}

/* y += factor Wᵀ mu */
static void add_transposed(const trm_local_rank *rank, double factor, const double *mu, double *y) {
  trm_panels_transposed(rank->structure, rank->W, factor, rank->K.panel_place, mu, rank->line_at,
                        y);
}

/* The factored rows: mu += K⁻¹ (W y − g), y −= Wᵀ of that. */
static void correct_factored(trm_local_rank *rank, const double *g, double *mu) {
  find_eps(rank, rank->y, g);
  trm_skyline_solve(&rank->K, rank->eps);
  add_transposed(rank, -1, rank->eps, rank->y);
  for (int i = 0; i < rank->structure->m; i++) mu[i] += rank->eps[i];
}

/* border_mu: the change of y along each q, by T \ (W y − g) */
static void find_change(trm_local_rank *rank, const double *g) {
  find_eps(rank, rank->y, g);
  for (int k = 0; k < rank->border; k++) {
    const trm_border_row *row = &rank->row[k];
    rank->border_mu[k] = 0;
    if (row->size == 0) continue;
    double sum = rank->eps[row->place];
    sum -= trm_pair_dot(k - row->first, rank->values + row->t, rank->border_mu + row->first);
    rank->border_mu[k] = sum / row->size;
  }
}

/* y −= Q change */
static void move_along(trm_local_rank *rank) {
  for (int k = 0; k < rank->border; k++) {
    const trm_border_row *row = &rank->row[k];
    if (row->size == 0) continue;
    const double *q = rank->values + row->q - row->span.begin;
    for (int i = row->span.begin; i < row->span.end; i++) rank->y[i] -= rank->border_mu[k] * q[i];
  }
}

/* change = T⁻ᵀ change: multipliers of the border's rows */
static void find_border_mu(trm_local_rank *rank) {
  for (int k = rank->border - 1; k >= 0; k--) {
    const trm_border_row *row = &rank->row[k];
    if (row->size == 0) continue;
    const double *t = rank->values + row->t - row->first;
    double value = rank->border_mu[k] /= row->size;
    for (int j = row->first; j < k; j++) rank->border_mu[j] -= t[j] * value;
  }
}

/* The border's rows, the factored ones staying satisfied. */
static void correct_border(trm_local_rank *rank, const double *g, double *mu) {
  int m = rank->structure->m;
  if (rank->border == 0) return;
  find_change(rank, g);
  move_along(rank);
  find_border_mu(rank);
  double *added = rank->added, *pull = rank->other;
  memset(added, 0, (size_t)m * sizeof *added);
  for (int k = 0; k < rank->border; k++) added[rank->row[k].place] = rank->border_mu[k];
  memset(pull, 0, (size_t)rank->structure->n * sizeof *pull);
  add_transposed(rank, 1, added, pull);
  find_eps(rank, pull, NULL);
  trm_skyline_solve(&rank->K, rank->eps);
  for (int i = 0; i < m; i++) mu[i] += added[i] - rank->eps[i];
}

/* y to the nearest one with W y = g, mu what pulls it there */
static void balance(trm_local_rank *rank, const double *g, int passes, double *mu) {
  memset(mu, 0, (size_t)rank->structure->m * sizeof *mu);
  for (int i = 0; i < passes; i++) {
    correct_factored(rank, g, mu);
    correct_factored(rank, g, mu); /* its pivots may be weak */
    correct_border(rank, g, mu);
  }
}

/* ---- rows in doubt ---- */

/* Forces, factored rows and what the border asked for before, near row k. */
static double known_near(const trm_local_rank *rank, int k) {
  const trm_border_row *row = &rank->row[k];
  double known = 0;
  for (int i = row->span.begin; i < row->span.end; i++) {
    double change = rank->y[i] - rank->free_y[i];
    known += rank->free_y[i] * rank->free_y[i] + change * change;
  }
  for (int j = k - 1; j >= 0 && rank->row[j].farthest > row->span.begin; j--)
    known += rank->border_mu[j] * rank->border_mu[j];
  return known;
}

/* Rows in doubt that ask for much against everything else around them: only an error does. */
static bool exclude_doubtful(trm_local_rank *rank, const double *g) {
  bool found = false;
  find_change(rank, g);
  for (int k = 0; k < rank->border; k++) {
    trm_border_row *row = &rank->row[k];
    if (row->size == 0 || row->size >= TRM_RANK_DOUBT) continue;
    double change = rank->border_mu[k];
    row->excluded = change * change > TRM_RANK_SHARE * TRM_RANK_SHARE * known_near(rank, k);
    if (row->excluded) rank->border_mu[k] = 0;
    found = found || row->excluded;
  }
  return found;
}

/* Between the order of the coordinates and that of the line. */
static void line_coordinates(const trm_local_rank *rank, const double *x, double *y) {
  const trm_structure *s = rank->structure;
  for (int b = 0; b < s->blocks; b++)
    memcpy(y + rank->line_at[b], x + s->q_start[b], (size_t)trm_block_width(s, b) * sizeof *y);
}

void trm_local_rank_exclude(trm_local_rank *rank, const double *y, const double *g) {
  const trm_structure *s = rank->structure;
  const int *order = rank->K.order;
  if (rank->border == 0) return;
  for (int i = 0; i < s->m; i++) rank->g[i] = rank->scale[i] * g[order[i]];
  line_coordinates(rank, y, rank->y);
  memcpy(rank->free_y, rank->y, (size_t)s->n * sizeof *rank->y);
  correct_factored(rank, rank->g, rank->mu);
  correct_factored(rank, rank->g, rank->mu); /* its pivots may be weak */
  for (int i = 0; i < exclusions && exclude_doubtful(rank, rank->g); i++)
    trm_local_rank_build(rank);
}

/* ---- the null space: z with Wᵀ z = 0, one for each dependent row ---- */

static bool is_dependent(const trm_border_row *row) {
  return row->size == 0;
}

/* z = B c: the dependent rows' share c (in r, by border row), balanced by the others */
static void spread(trm_local_rank *rank, const double *c, int passes, double *z) {
  memset(z, 0, (size_t)rank->structure->m * sizeof *z);
  for (int k = 0; k < rank->border; k++)
    if (is_dependent(&rank->row[k])) z[rank->row[k].place] = c[k];
  memset(rank->y, 0, (size_t)rank->structure->n * sizeof *rank->y);
  add_transposed(rank, 1, z, rank->y);
  balance(rank, NULL, passes, rank->mu);
  for (int i = 0; i < rank->structure->m; i++) z[i] -= rank->mu[i];
}

/* c = Bᵀ v */
static void gather(trm_local_rank *rank, const double *v, double *c) {
  memset(rank->y, 0, (size_t)rank->structure->n * sizeof *rank->y);
  balance(rank, v, exactly, rank->mu);
  find_eps(rank, rank->y, NULL);
  for (int k = 0; k < rank->border; k++) {
    int place = rank->row[k].place;
    c[k] = is_dependent(&rank->row[k]) ? v[place] - rank->eps[place] : 0;
  }
}

/* v = Ω² z, Ω the weights of multipliers of rows of unit norm */
static void weigh(const trm_local_rank *rank, const double *z, double *v) {
  for (int i = 0; i < rank->structure->m; i++) v[i] = rank->square[i] * z[i];
}

/* r = −Bᵀ Ω² mu; its square */
static double find_gradient(trm_local_rank *rank, const double *mu) {
  weigh(rank, mu, rank->g);
  gather(rank, rank->g, rank->r);
  for (int k = 0; k < rank->border; k++) rank->r[k] = -rank->r[k];
  return trm_pair_dot(rank->border, rank->r, rank->r);
}

/* Conjugate gradients on Bᵀ Ω² B c = r; the sum mu + B c is kept, not c. */
static void descend(trm_local_rank *rank, double square, double *mu) {
  int border = rank->border, m = rank->structure->m;
  double *r = rank->r, *p = rank->p, *z = rank->z, *v = rank->g, *Ap = rank->Ap, start = square;
  memcpy(p, r, (size_t)border * sizeof *p);
  for (int i = 0; i < most_iterations && square > start * least_residual * least_residual; i++) {
    spread(rank, p, exactly, z);
    weigh(rank, z, v);
    gather(rank, v, Ap);
    double curvature = trm_pair_dot(border, p, Ap);
    if (!(curvature > 0)) return; /* the rest has no weight */
    double step = square / curvature, before = square;
    for (int k = 0; k < m; k++) mu[k] += step * z[k];
    for (int k = 0; k < border; k++) r[k] -= step * Ap[k];
    square = trm_pair_dot(border, r, r);
    for (int k = 0; k < border; k++) p[k] = r[k] + square / before * p[k];
  }
}

static void minimize(trm_local_rank *rank, double *mu) {
  double last = INFINITY;
  for (int i = 0; i < most_starts; i++) {
    double square = find_gradient(rank, mu);
    if (!(square > 0 && square < least_gain * least_gain * last)) return;
    descend(rank, square, mu);
    last = square;
  }
}

void trm_local_rank_minimum_norm(trm_local_rank *rank, double *lambda) {
  int m = rank->structure->m;
  const int *order = rank->K.order;
  if (!rank->valid || rank->rank == m) return;
  double *mu = rank->least;
  for (int i = 0; i < m; i++) {
    double weight = rank->structure->weight[order[i]] * rank->scale[i];
    rank->square[i] = weight * weight;
    mu[i] = lambda[order[i]] / rank->scale[i];
    if (!isfinite(mu[i])) return;
  }
  minimize(rank, mu);
  for (int i = 0; i < m; i++) lambda[order[i]] = rank->scale[i] * mu[i];
}

/* What has the least norm is orthogonal to the null space; the rest lies in it. */
void trm_local_rank_contradiction(trm_local_rank *rank, double *residual) {
  int m = rank->structure->m;
  const int *order = rank->K.order;
  if (!rank->valid || rank->rank == m) return;
  double *mu = rank->least;
  for (int i = 0; i < m; i++) {
    rank->square[i] = 1;
    mu[i] = rank->scale[i] * residual[order[i]];
  }
  minimize(rank, mu);
  for (int i = 0; i < m; i++) residual[order[i]] -= mu[i] / rank->scale[i];
}

static void find_null_space(trm_local_rank *rank, int columns, int passes, double *z) {
  int m = rank->structure->m;
  for (int k = 0, column = 0; k < rank->border && column < columns; k++) {
    if (!is_dependent(&rank->row[k])) continue;
    memset(rank->r, 0, (size_t)m * sizeof *rank->r);
    rank->r[k] = 1;
    spread(rank, rank->r, passes, rank->z);
    double *to = z + (ptrdiff_t)column++ * m;
    for (int i = 0; i < m; i++) to[rank->K.order[i]] = rank->scale[i] * rank->z[i];
  }
}

void trm_local_rank_null_space(trm_local_rank *rank, int columns, double *z) {
  find_null_space(rank, columns, exactly, z);
}

void trm_local_rank_null_space_roughly(trm_local_rank *rank, int columns, double *z) {
  find_null_space(rank, columns, roughly, z);
}

/* Shares that no two rows' dependencies cancel by chance. */
void trm_local_rank_dependent(trm_local_rank *rank, bool *dependent) {
  int m = rank->structure->m;
  double largest = 0, fraction = 0;
  memset(dependent, 0, (size_t)m * sizeof *dependent);
  if (!rank->valid || rank->rank == m) return;
  for (int k = 0; k < rank->border; k++) {
    fraction += 0.618033988749895;
    fraction -= floor(fraction);
    rank->r[k] = 1 + fraction;
  }
  spread(rank, rank->r, exactly, rank->z);
  for (int i = 0; i < m; i++) largest = fmax(largest, fabs(rank->z[i]));
  for (int i = 0; i < m; i++)
    dependent[rank->K.order[i]] = fabs(rank->z[i]) > TRM_RANK_PART * largest;
}
