/* One block of the reduced form: its intrinsic rows satisfied, what they leave free, and the
 * joints' rows. Forced inline so that a known shape unrolls. */
#ifndef TRM_SOLVER_REDUCED_BLOCK_H
#define TRM_SOLVER_REDUCED_BLOCK_H

#include "math/axes.h"
#include "math/fronts.h"
#include "math/structure.h"

#include <math.h>
#include <string.h>

enum { TRM_MAX_PLAIN = 3, TRM_MAX_SPIN = 9, TRM_MAX_FREE = 3 };

/* Of a block: `plain` coordinates its intrinsic rows leave alone, then `spin` others. */
typedef struct trm_shape {
  int plain, spin, intrinsic, free; /* free = spin − intrinsic */
  int diagonal;                     /* M is */
  int axes;                         /* the spin coordinates are */
} trm_shape;

/* What a block's numbers begin with: they are side by side in memory, one stream for all blocks. */
typedef struct trm_cell {
  int first, rows; /* of joints, in all panels one behind the other */
  int side, sides; /* of linked blocks, whose rows are taken from the sides, not from C; else −1 */
} trm_cell;

/* And a side's. */
typedef struct trm_seat {
  int place;  /* of the first row, the others following */
  float sign; /* of a point's; of dots zero */
} trm_seat;

/* What belongs to one block. */
typedef struct trm_block {
  int rows;            /* of joints */
  const int *row;      /* [rows] as numbered among the joints' */
  const int *place;    /* [rows] in K */
  const double *C;     /* its joints' rows of Cq */
  const double *M;     /* behind the plain coordinates */
  const double *T, *G; /* where the spin coordinates are no axes */
  const double *axes;  /* where they are */
  double *duals;       /* [spin] vectors dual to them */
  int sides;           /* in the order of their places; −1: see trm_cell */
  const double *side;  /* [sides] records of a seat and u[plain] */
  double *d;           /* [sides × plain] of dots */
  double *h;           /* [plain] 1/√M */
  double *B;           /* [free × spin], column after column */
  double *W;           /* [rows × (plain + free)], of a linked block [rows × free] */
} trm_block;

enum { TRM_CELL = sizeof(trm_cell) / sizeof(double), TRM_SEAT = sizeof(trm_seat) / sizeof(double) };

TRM_INLINE int trm_cell_size(trm_shape z) {
  return TRM_CELL + z.plain + z.spin * z.free + (z.axes ? z.spin : 0);
}

TRM_INLINE int trm_side_size(trm_shape z) {
  return TRM_SEAT + z.plain;
}

TRM_INLINE const trm_seat *trm_seat_of(const double *side) {
  return (const trm_seat *)(const void *)side;
}

TRM_INLINE bool trm_is_linked(trm_shape z, const trm_block *k) {
  return z.axes && k->sides >= 0;
}

TRM_INLINE bool trm_is_dot(const double *side) {
  return trm_seat_of(side)->sign == 0;
}

/* of a side */
TRM_INLINE int trm_seat_rows(trm_shape z, const double *side) {
  return trm_is_dot(side) ? 1 : z.plain;
}

/* ---- what the intrinsic rows leave free ---- */

/* y = M x over the spin coordinates */
TRM_INLINE void trm_block_mass(trm_shape z, const double *M, const double *x, double *y) {
  if (z.diagonal) {
    trm_pair_times(z.spin, M, x, y);
    return;
  }
  for (int i = 0; i < z.spin; i++) y[i] = trm_pair_dot(z.spin, M + i * (z.plain + z.spin), x);
}

/* B: the columns of T made orthonormal under M, one after the other; they nearly are orthogonal. */
TRM_INLINE void trm_block_orthonormalize(trm_shape z, const trm_block *k) {
  double MB[TRM_MAX_SPIN], turns[TRM_MAX_FREE * TRM_MAX_SPIN];
  if (z.axes) {
    trm_axes_turns(z.plain, k->axes, turns);
    trm_axes_duals(z.plain, k->axes, k->duals);
  }
  const double *T = z.axes ? turns : k->T;
  for (int c = 0; c < z.free; c++) {
    double *B = k->B + c * z.spin;
    trm_pair_copy(z.spin, T + c * z.spin, B);
    trm_block_mass(z, k->M, B, MB);
    for (int l = 0; l < c; l++) {
      const double *other = k->B + l * z.spin;
      trm_pair_axpy(z.spin, -trm_pair_dot(z.spin, other, MB), other, B);
    }
    if (c > 0) trm_block_mass(z, k->M, B, MB);
    double scale = 1 / sqrt(trm_pair_dot(z.spin, B, MB));
#pragma GCC unroll 9
    for (int i = 0; i < z.spin; i++) B[i] *= scale;
  }
}

/* ---- the joints' rows, from C ---- */

/* W [rows × (plain + free)] = C B */
TRM_INLINE void trm_rows_reduce(trm_shape z, const trm_block *k, double *W) {
  const double *C = k->C;
  for (int r = 0; r < k->rows; r++, C += z.plain + z.spin, W += z.plain + z.free) {
#pragma GCC unroll 3
    for (int i = 0; i < z.plain; i++) W[i] = C[i] * k->h[i];
#pragma GCC unroll 3
    for (int c = 0; c < z.free; c++)
      W[z.plain + c] = trm_pair_dot(z.spin, C + z.plain, k->B + c * z.spin);
  }
}

/* W to its spots */
TRM_INLINE void trm_rows_spread(trm_shape z, const trm_block *k, const double *W,
                                const trm_spot *spot, double *value) {
  for (int r = 0; r < k->rows; r++, spot++)
    for (int c = 0; c < z.plain + z.free; c++) value[spot->at + c * spot->column] = *W++;
}

/* K += W Wᵀ, each pair of rows at its spot */
TRM_INLINE void trm_rows_gram(trm_shape z, const trm_block *k, const double *W,
                              const trm_spot *spot, double *value) {
  int width = z.plain + z.free;
  for (int r = 0; r < k->rows; r++)
    for (int c = 0; c <= r; c++)
      value[spot++->at] += trm_pair_dot(width, W + r * width, W + c * width);
}

/* Of W Wᵀ the column of one row, to places `stride` apart. */
TRM_INLINE void trm_rows_column(trm_shape z, const trm_block *k, int row, int stride,
                                double *column) {
  int width = z.plain + z.free;
  for (int r = 0; r < k->rows; r++)
    column[k->place[r] * stride] += trm_pair_dot(width, k->W + r * width, k->W + row * width);
}

/* C x of one row; the plain part by itself where pairs would not be those that x was written in: a
 * load across two stores waits for both */
TRM_INLINE double trm_row_times(trm_shape z, const double *C, const double *x) {
  int apart = z.plain % 2 ? z.plain : 0, width = z.plain + z.spin;
  double sum = trm_pair_dot(width - apart, C + apart, x + apart);
#pragma GCC unroll 3
  for (int i = 0; i < apart; i++) sum += C[i] * x[i];
  return sum;
}

/* eps += C x */
TRM_INLINE void trm_rows_times(trm_shape z, const trm_block *k, const double *x, double *eps) {
  const double *C = k->C;
  for (int r = 0; r < k->rows; r++, C += z.plain + z.spin)
    eps[k->place[r]] += trm_row_times(z, C, x);
}

/* f += Cᵀ lambda, the multiplier of row r being lambda[at[r]] */
TRM_INLINE void trm_rows_pull(trm_shape z, const trm_block *k, const int *at, const double *lambda,
                              double *f) {
  int width = z.plain + z.spin;
  for (int r = 0; r < k->rows; r++) trm_pair_axpy(width, lambda[at[r]], k->C + r * width, f);
}

/* ---- the same, from the sides of links ---- */

/* Numbers just computed go to memory in the pairs they will be read in: a load across two stores
 * waits for both. */
TRM_INLINE void trm_free_store(int free, double w0, double w1, double w2, double *W) {
  if (free == 3)
    *(trm_double2 *)W = (trm_double2){w0, w1}, W[2] = w2;
  else
    W[0] = w0;
}

TRM_INLINE void trm_side_reduce(trm_shape z, const trm_block *k, const double *side,
                                const double *d, double *W) {
  const double *u = side + TRM_SEAT;
  double s[TRM_MAX_FREE][TRM_MAX_PLAIN] = {{0}}, sign = trm_seat_of(side)->sign;
#pragma GCC unroll 3
  for (int c = 0; c < z.free; c++) trm_axes_carry(z.plain, k->B + c * z.spin, u, s[c]);
  if (trm_is_dot(side)) {
    trm_free_store(z.free, trm_axes_dot(z.plain, s[0], d), trm_axes_dot(z.plain, s[1], d),
                   trm_axes_dot(z.plain, s[2], d), W);
    return;
  }
  if (z.free == 1 && z.plain == 2) {
    *(trm_double2 *)W = (trm_double2){sign, sign} * *(const trm_double2 *)s[0];
    return;
  }
#pragma GCC unroll 3
  for (int i = 0; i < z.plain; i++)
    trm_free_store(z.free, sign * s[0][i], sign * s[1][i], sign * s[2][i], W + i * z.free);
}

/* W [rows × free]: the plain columns are known without */
TRM_INLINE void trm_sides_reduce(trm_shape z, const trm_block *k, double *W) {
  const double *side = k->side, *d = k->d;
  for (int s = 0; s < k->sides; s++, side += trm_side_size(z), d += z.plain) {
    trm_side_reduce(z, k, side, d, W);
    W += trm_seat_rows(z, side) * z.free;
  }
}

/* W to its spots, the plain columns included */
TRM_INLINE void trm_sides_spread(trm_shape z, const trm_block *k, const double *W,
                                 const trm_spot *spot, double *value) {
  const double *side = k->side;
  for (int s = 0; s < k->sides; s++, spot++, side += trm_side_size(z)) {
    int rows = trm_seat_rows(z, side);
    double *to = value + spot->at, sign = trm_seat_of(side)->sign;
    for (int i = 0; i < rows; i++, to += spot->row) {
      if (rows > 1) to[i * spot->column] = sign * k->h[i];
      for (int c = 0; c < z.free; c++) to[(z.plain + c) * spot->column] = *W++;
    }
  }
}

/* Of K = W Wᵀ the rows of one side, and of another not behind it; by_row: row says where
 * rows of K begin, else a column of K is `step` behind the last. The plain columns have only what
 * one coordinate makes of two points. */
TRM_INLINE void trm_sides_gram_of(trm_shape z, int rows, int columns, bool same, double plain,
                                  const trm_block *k, const double *Ws, const double *Wt,
                                  bool by_row, const int *row, int step, double *value) {
#pragma GCC unroll 3
  for (int i = 0; i < rows; i++) {
    double *to = value + (by_row ? row[i] : i);
#pragma GCC unroll 3
    for (int j = 0; j < columns; j++) {
      if (same && j > i) continue;
      double sum = trm_pair_dot(z.free, Ws + i * z.free, Wt + j * z.free);
      if (i == j && rows > 1 && columns > 1) sum += plain * k->h[i] * k->h[i];
      to[j * step] += sum;
    }
  }
}

/* K += W Wᵀ of all sides, by rows of K or by spots of pairs of sides */
TRM_INLINE void trm_sides_gram(trm_shape z, const trm_block *k, const double *W, bool by_row,
                               const int *row, const trm_spot *spot, double *value) {
  const double *Ws = W, *of_s = k->side;
  for (int s = 0; s < k->sides; s++, of_s += trm_side_size(z)) {
    const double *Wt = W, *of_t = k->side;
    const trm_seat *here = trm_seat_of(of_s);
    const int *rows = by_row ? row + here->place : NULL;
    bool point = !trm_is_dot(of_s);
    for (int t = 0; t < s; t++, of_t += trm_side_size(z)) {
      double *to = value + (by_row ? trm_seat_of(of_t)->place : spot->at);
      double sign = here->sign * trm_seat_of(of_t)->sign;
      int step = by_row ? 1 : spot++->column;
      if (trm_is_dot(of_t)) {
        trm_sides_gram_of(z, point ? z.plain : 1, 1, false, 0, k, Ws, Wt, by_row, rows, step, to);
        Wt += z.free;
      } else {
        if (point)
          trm_sides_gram_of(z, z.plain, z.plain, false, sign, k, Ws, Wt, by_row, rows, step, to);
        else
          trm_sides_gram_of(z, 1, z.plain, false, 0, k, Ws, Wt, by_row, rows, step, to);
        Wt += z.plain * z.free;
      }
    }
    double *to = value + (by_row ? here->place : spot->at);
    int step = by_row ? 1 : spot++->column;
    if (point)
      trm_sides_gram_of(z, z.plain, z.plain, true, 1, k, Ws, Ws, by_row, rows, step, to);
    else
      trm_sides_gram_of(z, 1, 1, true, 0, k, Ws, Ws, by_row, rows, step, to);
    Ws += (point ? z.plain : 1) * z.free;
  }
}

/* Of K = W Wᵀ the column of the row in one place, to places `stride` apart. */
TRM_INLINE void trm_sides_column(trm_shape z, const trm_block *k, int place, int stride,
                                 double *column) {
  const double *side = k->side, *W = k->W, *Ws = W;
  for (; place >= trm_seat_of(side)->place + trm_seat_rows(z, side); side += trm_side_size(z))
    Ws += trm_seat_rows(z, side) * z.free;
  int row = place - trm_seat_of(side)->place;
  Ws += row * z.free;
  double plain = trm_seat_of(side)->sign * k->h[row] * k->h[row];
  side = k->side;
  for (int t = 0; t < k->sides; t++, side += trm_side_size(z)) {
    double *to = column + trm_seat_of(side)->place * stride;
    int rows = trm_seat_rows(z, side);
    if (rows > 1) to[row * stride] += trm_seat_of(side)->sign * plain;
#pragma GCC unroll 3
    for (int j = 0; j < rows; j++, W += z.free, to += stride) *to += trm_pair_dot(z.free, Ws, W);
  }
}

/* Of a point in the plane z is not read, of a dot x alone. */
typedef struct trm_gaps {
  trm_double2 xy;
  double z;
} trm_gaps;

/* C x of one side */
TRM_INLINE trm_gaps trm_side_times(trm_shape z, const double *side, const double *d,
                                   const double *x) {
  double r[3] = {0}, sign = trm_seat_of(side)->sign;
  trm_axes_carry(z.plain, x + z.plain, side + TRM_SEAT, r);
  if (trm_is_dot(side)) return (trm_gaps){{trm_axes_dot(z.plain, r, d), 0}, 0};
  trm_double2 both = {sign, sign};
  return (trm_gaps){both * (*(const trm_double2 *)x + (trm_double2){r[0], r[1]}),
                    z.plain == 3 ? sign * (x[2] + r[2]) : 0};
}

/* eps += C x */
TRM_INLINE void trm_sides_times(trm_shape z, const trm_block *k, const double *x, double *eps) {
  const double *side = k->side, *d = k->d;
  for (int s = 0; s < k->sides; s++, side += trm_side_size(z), d += z.plain) {
    trm_gaps r = trm_side_times(z, side, d, x);
    double *to = eps + trm_seat_of(side)->place;
    if (trm_is_dot(side)) {
      *to += r.xy[0];
      continue;
    }
    *(trm_double2 *)to += r.xy;
    if (z.plain == 3) to[2] += r.z;
  }
}

/* f += Cᵀ lambda, lambda by place, or by row where `order` gives the row of a place */
TRM_INLINE void trm_sides_pull(trm_shape z, const trm_block *k, const int *order,
                               const double *lambda, double *f) {
  const double *side = k->side, *d = k->d;
  for (int s = 0; s < k->sides; s++, side += trm_side_size(z), d += z.plain) {
    int place = trm_seat_of(side)->place;
    const double *l = lambda + (order ? order[place] : place), *u = side + TRM_SEAT;
    if (trm_is_dot(side)) {
      trm_axes_spread(z.plain, u, *l * d[0], *l * d[1], z.plain == 3 ? *l * d[2] : 0, f + z.plain);
      continue;
    }
    double sign = trm_seat_of(side)->sign, e0 = sign * l[0], e1 = sign * l[1];
    double e2 = z.plain == 3 ? sign * l[2] : 0;
    *(trm_double2 *)f += (trm_double2){e0, e1};
    if (z.plain == 3) f[2] += e2;
    trm_axes_spread(z.plain, u, e0, e1, e2, f + z.plain);
  }
}

/* ---- of either kind ---- */

TRM_INLINE void trm_block_times(trm_shape z, const trm_block *k, const double *x, double *eps) {
  if (trm_is_linked(z, k))
    trm_sides_times(z, k, x, eps);
  else
    trm_rows_times(z, k, x, eps);
}

/* ---- solving ---- */

/* force = M x − f over the spin coordinates */
TRM_INLINE void trm_block_residual(trm_shape z, const double *M, const double *f, const double *x,
                                   double *force) {
  trm_block_mass(z, M, x, force);
  if (f) trm_pair_axpy(z.spin, -1, f, force);
}

/* spin = G g */
TRM_INLINE void trm_block_satisfy(trm_shape z, const trm_block *k, const double *g, double *spin) {
  if (z.axes) {
    trm_axes_deform(z.plain, k->duals, g, spin);
    return;
  }
  memset(spin, 0, (size_t)z.spin * sizeof *spin);
#pragma GCC unroll 6
  for (int r = 0; r < z.intrinsic; r++) trm_pair_axpy(z.spin, g[r], k->G + r * z.spin, spin);
}

/* x: what satisfies the intrinsic rows and, along what they leave free, M x = f */
TRM_INLINE void trm_block_start(trm_shape z, const trm_block *k, const double *f, const double *g,
                                double *x) {
  double spin[TRM_MAX_SPIN], force[TRM_MAX_SPIN];
  trm_block_satisfy(z, k, g, spin);
  trm_block_residual(z, k->M, f ? f + z.plain : NULL, spin, force);
#pragma GCC unroll 3
  for (int c = 0; c < z.free; c++) {
    const double *B = k->B + c * z.spin;
    trm_pair_axpy(z.spin, -trm_pair_dot(z.spin, B, force), B, spin);
  }
  if (f) {
    trm_pair_times(z.plain, k->h, f, x);
    trm_pair_times(z.plain, k->h, x, x);
  } else {
    memset(x, 0, (size_t)z.plain * sizeof *x);
  }
  trm_pair_copy(z.spin, spin, x + z.plain);
}

/* y = Wᵀ eps of a linked block in the plane: a point's rows are a pair */
TRM_INLINE void trm_sides_gather_planar(trm_shape z, const trm_block *k, const double *eps,
                                        double *y) {
  const double *W = k->W, *side = k->side;
  trm_double2 plain = {0, 0}, turn = {0, 0};
  for (int s = 0; s < k->sides; s++, side += trm_side_size(z)) {
    const double *l = eps + trm_seat_of(side)->place;
    if (trm_is_dot(side)) {
      turn[0] += *W++ * *l;
      continue;
    }
    double sign = trm_seat_of(side)->sign;
    plain += (trm_double2){sign, sign} * *(const trm_double2 *)l;
    turn += *(const trm_double2 *)W * *(const trm_double2 *)l;
    W += 2;
  }
  *(trm_double2 *)y = *(const trm_double2 *)k->h * plain;
  y[2] = turn[0] + turn[1];
}

/* in space: a row has three */
TRM_INLINE void trm_sides_gather_spatial(trm_shape z, const trm_block *k, const double *eps,
                                         double *y) {
  const double *W = k->W, *side = k->side;
  trm_double2 plain = {0, 0}, turn = {0, 0};
  double plain2 = 0, turn2 = 0;
  for (int s = 0; s < k->sides; s++, side += trm_side_size(z)) {
    const double *l = eps + trm_seat_of(side)->place;
    int rows = trm_is_dot(side) ? 1 : 3;
    double sign = trm_seat_of(side)->sign;
    if (rows > 1) {
      plain += (trm_double2){sign, sign} * *(const trm_double2 *)l;
      plain2 += sign * l[2];
    }
#pragma GCC unroll 3
    for (int i = 0; i < rows; i++, W += 3) {
      turn += (trm_double2){l[i], l[i]} * *(const trm_double2 *)W;
      turn2 += l[i] * W[2];
    }
  }
  *(trm_double2 *)y = *(const trm_double2 *)k->h * plain;
  y[2] = k->h[2] * plain2;
  y[3] = turn[0];
  y[4] = turn[1];
  y[5] = turn2;
}

/* y = Wᵀ eps */
TRM_INLINE void trm_block_pull(trm_shape z, const trm_block *k, const double *eps, double *y) {
  int width = z.plain + z.free;
  if (!trm_is_linked(z, k)) {
    for (int r = 0; r < k->rows; r++) trm_pair_axpy(width, eps[k->place[r]], k->W + r * width, y);
    return;
  }
  if (z.plain == 2)
    trm_sides_gather_planar(z, k, eps, y);
  else
    trm_sides_gather_spatial(z, k, eps, y);
}

/* x −= B y */
TRM_INLINE void trm_block_move(trm_shape z, const trm_block *k, const double *y, double *x) {
  trm_pair_subtract(z.plain, k->h, y, x);
#pragma GCC unroll 3
  for (int c = 0; c < z.free; c++)
    trm_pair_axpy(z.spin, -y[z.plain + c], k->B + c * z.spin, x + z.plain);
}

/* x −= B Wᵀ eps */
TRM_INLINE void trm_block_correct(trm_shape z, const trm_block *k, const double *eps, double *x) {
  double y[TRM_MAX_PLAIN + TRM_MAX_FREE] = {0};
  trm_block_pull(z, k, eps, y);
  trm_block_move(z, k, y, x);
}

/* ---- two at once, their numbers side by side in each place ---- */

/* eps += C x of both */
TRM_INLINE void trm_block_times_both(trm_shape z, const trm_block *k, const double *x0,
                                     const double *x1, trm_double2 *eps) {
  const double *C = k->C, *side = k->side, *d = k->d;
  bool linked = trm_is_linked(z, k);
  for (int r = 0; r < k->rows && !linked; r++, C += z.plain + z.spin)
    eps[k->place[r]] += (trm_double2){trm_row_times(z, C, x0), trm_row_times(z, C, x1)};
  for (int s = 0; s < k->sides && linked; s++, side += trm_side_size(z), d += z.plain) {
    trm_gaps r0 = trm_side_times(z, side, d, x0), r1 = trm_side_times(z, side, d, x1);
    trm_double2 *to = eps + trm_seat_of(side)->place;
    to[0] += (trm_double2){r0.xy[0], r1.xy[0]};
    if (trm_is_dot(side)) continue;
    to[1] += (trm_double2){r0.xy[1], r1.xy[1]};
    if (z.plain == 3) to[2] += (trm_double2){r0.z, r1.z};
  }
}

/* y = Wᵀ eps of both */
TRM_INLINE void trm_block_pull_both(trm_shape z, const trm_block *k, const trm_double2 *eps,
                                    trm_double2 *y) {
  const double *W = k->W, *side = k->side;
  bool linked = trm_is_linked(z, k);
#pragma GCC unroll 6
  for (int i = 0; i < z.plain + z.free; i++) y[i] = (trm_double2){0, 0};
  for (int r = 0; r < k->rows && !linked; r++, W += z.plain + z.free)
#pragma GCC unroll 6
    for (int i = 0; i < z.plain + z.free; i++) y[i] += W[i] * eps[k->place[r]];
  for (int s = 0; s < k->sides && linked; s++, side += trm_side_size(z)) {
    const trm_double2 *l = eps + trm_seat_of(side)->place;
    double sign = trm_seat_of(side)->sign;
    if (trm_is_dot(side)) {
#pragma GCC unroll 3
      for (int c = 0; c < z.free; c++) y[z.plain + c] += *W++ * *l;
      continue;
    }
#pragma GCC unroll 3
    for (int i = 0; i < z.plain; i++) {
      y[i] += sign * l[i];
#pragma GCC unroll 3
      for (int c = 0; c < z.free; c++) y[z.plain + c] += *W++ * l[i];
    }
  }
  if (!linked) return;
#pragma GCC unroll 3
  for (int i = 0; i < z.plain; i++) y[i] *= k->h[i];
}

/* x −= B Wᵀ eps of both */
TRM_INLINE void trm_block_correct_both(trm_shape z, const trm_block *k, const trm_double2 *eps,
                                       double *x0, double *x1) {
  enum { most = TRM_MAX_PLAIN + TRM_MAX_FREE };
  trm_double2 both[most];
  double y0[most], y1[most];
  trm_block_pull_both(z, k, eps, both);
#pragma GCC unroll 6
  for (int i = 0; i < z.plain + z.free; i++) {
    y0[i] = both[i][0];
    y1[i] = both[i][1];
  }
  trm_block_move(z, k, y0, x0);
  trm_block_move(z, k, y1, x1);
}

/* The intrinsic rows' λ = Gᵀ (f − M x − Cᵀ λ of the joints); order: of their rows */
TRM_INLINE void trm_block_intrinsic(trm_shape z, const trm_block *k, const int *order,
                                    const double *f, const double *x, const double *joint,
                                    double *lambda) {
  double all[TRM_MAX_PLAIN + TRM_MAX_SPIN] = {0}, *force = all + z.plain;
  trm_block_residual(z, k->M, f ? f + z.plain : NULL, x + z.plain, force);
  if (trm_is_linked(z, k))
    trm_sides_pull(z, k, order, joint, all);
  else
    trm_rows_pull(z, k, k->row, joint, all);
  if (z.axes) {
    trm_axes_stress(z.plain, k->duals, force, lambda);
    for (int r = 0; r < z.intrinsic; r++) lambda[r] = -lambda[r];
    return;
  }
#pragma GCC unroll 6
  for (int r = 0; r < z.intrinsic; r++) lambda[r] = -trm_pair_dot(z.spin, k->G + r * z.spin, force);
}

#endif
