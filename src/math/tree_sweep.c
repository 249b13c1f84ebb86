/* Sweeps through a tree: articulated inertias from the leaves to the ground, and what they give.
 *
 * Of a link with the freedoms S: pivots D = SᵀJ S, U = J S of its articulated inertia J = (I, H,
 * M), and J − U D⁻¹Uᵀ goes to the parent. */
#include <string.h>

#include "math/tree.h"
#include "math/tree_link.h"

/* Of the articulated inertia about all axes: a smaller pivot is that of a turn without inertia,
 * which nothing can accelerate. */
static const double nothing = 1e-13, vanishing = 1e-12;

/* ---- pivots of several freedoms ---- */

/* A = L Lᵀ, by rows; the diagonal is inverted, zero where a pivot vanishes. */
static void cholesky(int n, double *A) {
  double *row = A, trace = 0;
  for (int i = 0; i < n; row += ++i) trace += row[i];
  row = A;
  for (int i = 0; i < n; row += ++i) {
    double *other = A, pivot = row[i];
    for (int j = 0; j < i; other += ++j) {
      double sum = row[j];
      for (int k = 0; k < j; k++) sum -= row[k] * other[k];
      row[j] = sum * other[j];
      pivot -= row[j] * row[j];
    }
    row[i] = pivot > nothing * trace ? 1 / sqrt(pivot) : 0;
  }
}

static void lower_solve(int n, const double *L, const double *b, double *x) {
  const double *row = L;
  for (int i = 0; i < n; row += ++i) {
    double sum = b[i];
    for (int k = 0; k < i; k++) sum -= row[k] * x[k];
    x[i] = sum * row[i];
  }
}

static void upper_solve(int n, const double *L, const double *b, double *x) {
  for (int i = n - 1; i >= 0; i--) {
    double sum = b[i];
    for (int k = i + 1; k < n; k++) sum -= L[k * (k + 1) / 2 + i] * x[k];
    x[i] = sum * L[i * (i + 1) / 2 + i];
  }
}

/* ---- inertia ---- */

/* The articulated inertia of a link, or what of it goes to the parent; Ht = Hᵀ of the link. */
typedef struct inertia {
  trm_vector I[3], H[3], M[3], Ht[3];
} inertia;

TRM_INLINE inertia inertia_of(trm_link *l) {
  inertia J;
  trm_get_rows(l->I, J.I);
  trm_get_rows(l->H, J.H);
  trm_get_rows(l->M, J.M);
  trm_transpose(J.H, J.Ht);
  return J;
}

/* S += s x xᵀ */
static void add_square(double s, const double *x, double S[6]) {
  for (int i = 0, at = 0; i < 3; i++)
    for (int k = i; k < 3; k++) S[at++] += s * x[i] * x[k];
}

static double turn_without_inertia(trm_link *l, double trace, trm_vector I[3]) {
  double some = trace > 0 ? trace : 1;
  trm_vector n = trm_get(l->n);
  l->massless = true;
  memset(l->F, 0, sizeof l->F);
  add_square(some, l->n, l->F);
  trm_add_outer(trm_scaled(some, n), n, I);
  trm_put(trm_scaled(some, n), l->Un);
  memset(l->Uf, 0, sizeof l->Uf);
  return some;
}

/* One freedom: n the axis of turning, `pitch` of it of displacement; or the displacement alone.
 * The pivot; its column goes to Un, Uf. */
TRM_INLINE double find_column(trm_link *l, inertia *J) {
  trm_vector n = trm_get(l->n), Un, Uf;
  if (l->kind == TRM_LINK_PRISMATIC) {
    Un = trm_combine(J->Ht, l->n);
    Uf = trm_combine(J->M, l->n);
  } else {
    Un = trm_combine(J->I, l->n);
    Uf = trm_combine(J->H, l->n);
  }
  if (l->kind == TRM_LINK_SCREW) {
    Un = trm_add_times(l->pitch, trm_combine(J->Ht, l->n), Un);
    Uf = trm_add_times(l->pitch, trm_combine(J->M, l->n), Uf);
  }
  trm_put(Un, l->Un);
  trm_put(Uf, l->Uf);
  if (l->kind == TRM_LINK_PRISMATIC) return trm_inner(n, Uf);
  if (l->kind == TRM_LINK_SCREW) return trm_inner_both(n, Un, trm_scaled(l->pitch, n), Uf);
  double pivot = trm_inner(n, Un), trace = l->I[0][0] + l->I[1][1] + l->I[2][2];
  return pivot > nothing * trace ? pivot : turn_without_inertia(l, trace, J->I);
}

/* J −= U D⁻¹Uᵀ, with D⁻¹U given */
TRM_INLINE void subtract(trm_vector Un, trm_vector Uf, trm_vector Vn, trm_vector Vf, inertia *J) {
  trm_vector n = trm_scaled(-1, Vn);
  trm_add_outer(n, Un, J->I);
  trm_add_outer(n, Uf, J->H);
  trm_add_outer(trm_scaled(-1, Vf), Uf, J->M);
}

TRM_INLINE void eliminate_one(trm_link *l) {
  inertia J = inertia_of(l);
  l->root = 1 / sqrt(find_column(l, &J));
  trm_vector Un = trm_get(l->Un), Uf = trm_get(l->Uf);
  double inverse = l->root * l->root;
  subtract(Un, Uf, trm_scaled(inverse, Un), trm_scaled(inverse, Uf), &J);
  trm_put_rows(J.I, l->I);
  trm_put_rows(J.H, l->H);
  trm_put_rows(J.M, l->M);
}

/* F: some inertia about the axes about which S has none. Two rows of S span what it has, or one. */
static void fill_null_space(const double S[6], double trace, double F[6]) {
  const double row[3][3] = {{S[0], S[1], S[2]}, {S[1], S[3], S[4]}, {S[2], S[4], S[5]}};
  double best[3] = {0, 0, 0}, most = 0, some = trace > 0 ? trace : 1;
  memset(F, 0, 6 * sizeof *F);
  for (int k = 0; k < 3; k++) {
    double n[3];
    trm_cross(row[k], row[(k + 1) % 3], n);
    if (!(trm_dot3(n, n) > most)) continue;
    most = trm_dot3(n, n);
    memcpy(best, n, sizeof n);
  }
  if (sqrt(most) > vanishing * trace * trace) {
    add_square(some / most, best, F);
    return;
  }
  F[0] = F[3] = F[5] = some;
  for (int k = 0; k < 3; k++) {
    double square = trm_dot3(row[k], row[k]);
    if (!(square > trace * trace / 10)) continue; /* of one axis: the largest row lies along it */
    add_square(-some / square, row[k], F);
    return;
  }
}

/* The least eigenvalue of S, det S/(its minors) where it is small, is no round-off. Pivots would
 * tell by how S stands to the axes. */
static bool is_regular(const double S[6]) {
  double xy = S[0] * S[3] - S[1] * S[1], xz = S[0] * S[5] - S[2] * S[2];
  double yz = S[3] * S[5] - S[4] * S[4], minors = xy + xz + yz, trace = S[0] + S[3] + S[5];
  double det = S[0] * yz - S[1] * (S[1] * S[5] - S[2] * S[4]) + S[2] * (S[1] * S[4] - S[2] * S[3]);
  return minors > nothing * trace * trace && det > nothing * trace * minors;
}

/* L Lᵀ = S. Turns without inertia get some: nothing pulls at them, so that they go on as they do.
 */
static void turning_root(trm_link *l, const double S[6], double *L) {
  const double lower[6] = {S[0], S[1], S[3], S[2], S[4], S[5]};
  memcpy(L, lower, sizeof lower);
  cholesky(3, L);
  if (L[0] > 0 && L[2] > 0 && L[5] > 0 && is_regular(S)) return;
  l->massless = true;
  fill_null_space(S, S[0] + S[3] + S[5], l->F);
  const double *F = l->F;
  const double whole[6] = {S[0] + F[0], S[1] + F[1], S[3] + F[3],
                           S[2] + F[2], S[4] + F[4], S[5] + F[5]};
  memcpy(L, whole, sizeof whole);
  cholesky(3, L);
}

/* xx xy xz yy yz zz */
static void pack(double A[3][4], double S[6]) {
  for (int i = 0, at = 0; i < 3; i++)
    for (int k = i; k < 3; k++) S[at++] = A[i][k];
}

/* J − U D⁻¹Uᵀ has nothing but M − HᵀI⁻¹H. */
static void eliminate_ball(trm_link *l) {
  double S[6];
  pack(l->I, S);
  turning_root(l, S, l->L);
  for (int k = 0; k < 3; k++) {
    double column[3] = {l->H[0][k], l->H[1][k], l->H[2][k]};
    lower_solve(3, l->L, column, l->X + 3 * k);
  }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) l->M[i][k] -= trm_dot3(l->X + 3 * i, l->X + 3 * k);
  memset(l->I, 0, sizeof l->I);
  memset(l->H, 0, sizeof l->H);
}

/* On the ground nothing is passed on. Displacements come first: their pivots are masses. */
static void eliminate_free(trm_link *l) {
  double(*M)[4] = l->M;
  const double lower[6] = {M[0][0], M[1][0], M[1][1], M[2][0], M[2][1], M[2][2]};
  double *row[3] = {l->L + 6, l->L + 10, l->L + 15}, root[6], S[6];
  memcpy(l->L, lower, sizeof lower);
  cholesky(3, l->L);
  for (int k = 0; k < 3; k++) lower_solve(3, l->L, l->H[k], row[k]);
  pack(l->I, S);
  for (int i = 0, at = 0; i < 3; i++)
    for (int k = i; k < 3; k++) S[at++] -= trm_dot3(row[i], row[k]);
  turning_root(l, S, root);
  row[0][3] = root[0];
  memcpy(row[1] + 3, root + 1, 2 * sizeof(double));
  memcpy(row[2] + 3, root + 3, 3 * sizeof(double));
}

TRM_INLINE void eliminate(trm_link *l) {
  switch (l->kind) {
  case TRM_LINK_REVOLUTE:
  case TRM_LINK_PRISMATIC:
  case TRM_LINK_SCREW: eliminate_one(l); break;
  case TRM_LINK_BALL: eliminate_ball(l); break;
  case TRM_LINK_FREE: eliminate_free(l); break;
  case TRM_LINK_FIXED: break;
  }
}

/* At the parent's reference point: H' = H + p̃ M, I' = I − H p̃ + p̃ H'ᵀ. */
TRM_INLINE void shift(const double *p, inertia *J) {
  trm_vector arm = trm_get(p);
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3; /* row k of p̃ is −p[j] at i and p[i] at j */
    J->H[k] = trm_add_times(p[i], J->M[j], trm_add_times(-p[j], J->M[i], J->H[k]));
    J->I[k] = trm_add_times(p[i], J->Ht[j], trm_add_times(-p[j], J->Ht[i], J->I[k]));
    J->I[k] = trm_plus(J->I[k], trm_product(arm, J->H[k]));
  }
}

TRM_INLINE void add_rows(const trm_vector A[3], double to[3][4]) {
  for (int k = 0; k < 3; k++) trm_put(trm_plus(trm_get(to[k]), A[k]), to[k]);
}

TRM_INLINE void add_inertia(const inertia *J, trm_link *to) {
  add_rows(J->I, to->I);
  add_rows(J->H, to->H);
  add_rows(J->M, to->M);
}

void trm_tree_factor(trm_tree *tree) {
  trm_tree_start(tree);
  for (int i = tree->count - 1; i >= 0; i--) {
    trm_link *l = &tree->link[i];
    eliminate(l);
    if (l->parent < 0) continue;
    inertia J = inertia_of(l);
    shift(l->p, &J);
    add_inertia(&J, &tree->link[l->parent]);
  }
}

static double pivot_of(double root) {
  return root > 0 ? 1 / (root * root) : 0;
}

void trm_tree_scale(const trm_tree *tree, double *M) {
  for (int i = 0; i < tree->count; i++) {
    const trm_link *l = &tree->link[i];
    double *Ml = M + l->at;
    switch (l->kind) {
    case TRM_LINK_REVOLUTE:
    case TRM_LINK_PRISMATIC:
    case TRM_LINK_SCREW: Ml[0] = pivot_of(l->root); break;
    case TRM_LINK_BALL:
    case TRM_LINK_FREE:
      if (l->kind == TRM_LINK_FREE) {
        for (int k = 0; k < 3; k++) *Ml++ = pivot_of(l->L[0]);
      }
      for (int k = 0; k < 4; k++) Ml[k] = l->stiff;
      break;
    case TRM_LINK_FIXED: break;
    }
  }
}

/* ---- from the leaves ---- */

/* The generalized force f of a ball as a torque. */
static void ball_torque(trm_link *parent, const double *p, const double *f, double *torque) {
  double unit[3], dp[4], along[3];
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) unit[i] = i == k;
    trm_ball_rates(p, unit, dp);
    along[k] = f[0] * dp[0] + trm_dot3(f + 1, dp + 1);
  }
  trm_along(parent->a, along, torque);
}

/* Of f along p: what M has there is `stiff`. */
static double along_ball(const trm_link *l, const double *p, const double *f) {
  double square = p[0] * p[0] + trm_dot3(p + 1, p + 1);
  return (p[0] * f[0] + trm_dot3(p + 1, f + 1)) / sqrt(square * l->stiff);
}

/* u of the freedoms from the wrench on the link, f over its coordinates (NULL: zero); the wrench
 * becomes what is passed on. */
TRM_INLINE void give_up_one(trm_link *l, double f) {
  trm_vector n = trm_get(l->n), wn = trm_get(l->wn), wf = trm_get(l->wf);
  double work = trm_inner(n, l->kind == TRM_LINK_PRISMATIC ? wf : wn);
  if (l->kind == TRM_LINK_SCREW) work += l->pitch * trm_inner(n, wf);
  double u = (f - work) * l->root;
  l->u[0] = u;
  trm_put(trm_add_times(u * l->root, trm_get(l->Un), wn), l->wn);
  trm_put(trm_add_times(u * l->root, trm_get(l->Uf), wf), l->wf);
}

static void give_up_ball(trm_link *l, const double *torque) {
  double left[3];
  trm_sub(3, torque, l->wn, left);
  lower_solve(3, l->L, left, l->u);
  for (int k = 0; k < 3; k++) {
    l->wn[k] = torque[k];
    l->wf[k] += trm_dot3(l->X + 3 * k, l->u);
  }
}

static void give_up_free(trm_link *l, const double *force, const double *torque) {
  double left[6];
  trm_sub(3, force, l->wf, left);
  trm_sub(3, torque, l->wn, left + 3);
  lower_solve(6, l->L, left, l->u);
}

void trm_tree_forward(trm_tree *tree, const trm_path *path, const double *f, double *z) {
  for (int i = 0; i < path->count; i++) {
    trm_link *l = &tree->link[path->link[i]];
    memset(l->wn, 0, sizeof l->wn);
    memset(l->wf, 0, sizeof l->wf);
  }
  for (int i = path->count - 1; i >= 0; i--) {
    trm_link *l = &tree->link[path->link[i]], *parent = &tree->link[l->parent];
    const double *p = tree->q + l->at, *fl = f + l->at;
    double torque[3], *zl = z + l->at;
    switch (l->kind) {
    case TRM_LINK_REVOLUTE:
    case TRM_LINK_PRISMATIC:
    case TRM_LINK_SCREW:
      give_up_one(l, fl[0]);
      zl[0] = l->u[0];
      break;
    case TRM_LINK_BALL:
      ball_torque(parent, p, fl, torque);
      give_up_ball(l, torque);
      zl[3] = along_ball(l, p, fl);
      memcpy(zl, l->u, 3 * sizeof *zl);
      break;
    case TRM_LINK_FREE:
      ball_torque(parent, p + 3, fl + 3, torque);
      give_up_free(l, fl, torque);
      zl[6] = along_ball(l, p + 3, fl + 3);
      memcpy(zl, l->u, 6 * sizeof *zl);
      break;
    case TRM_LINK_FIXED: break;
    }
    if (l->parent >= 0) trm_link_pass_wrench(l, parent);
  }
}

/* ---- from the ground ---- */

/* dw, dv of the parent, at the link's reference point. */
TRM_INLINE void take_over(trm_link *l, const trm_link *parent) {
  trm_vector dw = trm_get(parent->dw);
  trm_put(dw, l->dw);
  trm_put(trm_plus(trm_get(parent->dv), trm_product(dw, trm_get(l->p))), l->dv);
}

/* x of one freedom from u and the accelerations it is carried along with, which become its own. */
TRM_INLINE double move_one(trm_link *l, double u) {
  trm_vector dw = trm_get(l->dw), dv = trm_get(l->dv), n = trm_get(l->n);
  double x = l->root * (u - l->root * trm_inner_both(trm_get(l->Un), dw, trm_get(l->Uf), dv));
  if (l->kind != TRM_LINK_PRISMATIC) trm_put(trm_add_times(x, n, dw), l->dw);
  if (l->kind == TRM_LINK_PRISMATIC) trm_put(trm_add_times(x, n, dv), l->dv);
  if (l->kind == TRM_LINK_SCREW) trm_put(trm_add_times(l->pitch * x, n, dv), l->dv);
  return x;
}

/* x[3]: the turning, along global axes. L Lᵀ x = L u − I ω̇ − H a; I = L Lᵀ */
static void move_ball(trm_link *l, const double *u, double *x) {
  double left[3], carried[3];
  for (int k = 0; k < 3; k++)
    left[k] = u[k] - l->X[k] * l->dv[0] - l->X[3 + k] * l->dv[1] - l->X[6 + k] * l->dv[2];
  upper_solve(3, l->L, left, x);
  memcpy(carried, l->dw, sizeof carried);
  memcpy(l->dw, x, 3 * sizeof *x);
  trm_sub(3, x, carried, x);
}

static void move_free(trm_link *l, const double *u, double *x) {
  double own[6];
  upper_solve(6, l->L, u, own);
  for (int k = 0; k < 3; k++) {
    x[k] = own[k] - l->dv[k];
    x[3 + k] = own[3 + k] - l->dw[k];
  }
  memcpy(l->dv, own, 3 * sizeof *own);
  memcpy(l->dw, own + 3, 3 * sizeof *own);
}

/* Rates of p from a turning along global axes, and what z has along p. */
static void ball_coordinates(const trm_link *l, trm_link *parent, const double *p,
                             const double *turn, double along, double *x) {
  double w[3] = {trm_dot3(parent->a[0], turn), trm_dot3(parent->a[1], turn),
                 trm_dot3(parent->a[2], turn)};
  double square = p[0] * p[0] + trm_dot3(p + 1, p + 1);
  trm_ball_rates(p, w, x);
  along /= sqrt(square * l->stiff);
  for (int i = 0; i < 4; i++) x[i] += along * p[i];
}

void trm_tree_backward(trm_tree *tree, const double *y, double *x) {
  for (int i = 0; i < tree->count; i++) {
    trm_link *l = &tree->link[i], *parent = &tree->link[l->parent];
    const double *p = tree->q + l->at, *yl = y + l->at;
    double turn[6], *xl = x + l->at;
    take_over(l, parent);
    switch (l->kind) {
    case TRM_LINK_REVOLUTE:
    case TRM_LINK_PRISMATIC:
    case TRM_LINK_SCREW: xl[0] = move_one(l, yl[0]); break;
    case TRM_LINK_BALL:
      move_ball(l, yl, turn);
      ball_coordinates(l, parent, p, turn, yl[3], xl);
      break;
    case TRM_LINK_FREE:
      move_free(l, yl, turn);
      ball_coordinates(l, parent, p + 3, turn + 3, yl[6], xl + 3);
      memcpy(xl, turn, 3 * sizeof *xl);
      break;
    case TRM_LINK_FIXED: break;
    }
  }
}

/* ---- accelerations in one go ---- */

/* p̈ of a ball that turns at ω along the parent's axes, with ω̇ from `turn`; p·p̈ = −ṗ·ṗ. */
static void ball_acceleration(trm_link *parent, const double *p, const double *dp,
                              const double *turn, double *a) {
  double w[3] = {trm_dot3(parent->a[0], turn), trm_dot3(parent->a[1], turn),
                 trm_dot3(parent->a[2], turn)};
  double square = p[0] * p[0] + trm_dot3(p + 1, p + 1);
  trm_ball_rates(p, w, a);
  double along = -(dp[0] * dp[0] + trm_dot3(dp + 1, dp + 1)) / square;
  for (int i = 0; i < 4; i++) a[i] += along * p[i];
}

/* The wrench on a link and what the biases of its accelerations ask for, with U u: to the parent.
 */
TRM_INLINE void pass_on(const trm_link *l, const inertia *J, trm_vector n, trm_vector f,
                        trm_link *parent) {
  n = trm_plus(n, trm_plus(trm_combine(J->I, l->bw), trm_combine(J->Ht, l->bv)));
  f = trm_plus(f, trm_plus(trm_combine(J->H, l->bw), trm_combine(J->M, l->bv)));
  n = trm_plus(n, trm_product(trm_get(l->p), f));
  trm_put(trm_plus(trm_get(parent->wn), n), parent->wn);
  trm_put(trm_plus(trm_get(parent->wf), f), parent->wf);
}

/* One freedom, all at once. What is passed on is shifted before the freedom is taken from it, so
 * that nothing waits for the division: J − U D⁻¹Uᵀ at the parent's reference point is J there, less
 * U there. Un and Uf become D⁻¹U there: q̈ = u − Un·ω̇ − Uf·a of the parent. */
TRM_INLINE void reduce_one(trm_link *restrict l, trm_link *restrict parent) {
  trm_vector wn = trm_get(l->wn), wf = trm_get(l->wf), axis = trm_get(l->n);
  inertia J = inertia_of(l);
  double inverse = 1 / find_column(l, &J);
  trm_vector Un = trm_get(l->Un), Uf = trm_get(l->Uf);
  double work = trm_inner_both(Un, trm_get(l->bw), Uf, trm_get(l->bv));
  if (l->kind == TRM_LINK_REVOLUTE) work += trm_inner(axis, wn);
  if (l->kind == TRM_LINK_PRISMATIC) work += trm_inner(axis, wf);
  if (l->kind == TRM_LINK_SCREW) work += trm_inner_both(axis, wn, trm_scaled(l->pitch, axis), wf);
  l->u[0] = -inverse * work;
  if (l->parent < 0) return;
  pass_on(l, &J, trm_add_times(l->u[0], Un, wn), trm_add_times(l->u[0], Uf, wf), parent);
  shift(l->p, &J);
  Un = trm_plus(Un, trm_product(trm_get(l->p), Uf));
  trm_vector Vn = trm_scaled(inverse, Un), Vf = trm_scaled(inverse, Uf);
  trm_put(Vn, l->Un);
  trm_put(Vf, l->Uf);
  subtract(Un, Uf, Vn, Vf, &J);
  add_inertia(&J, parent);
}

/* x of one freedom, and the accelerations of what it moves. */
TRM_INLINE double go_along(trm_link *restrict l, const trm_link *restrict parent) {
  trm_vector dw = trm_get(parent->dw), dv = trm_get(parent->dv), n = trm_get(l->n);
  double x = l->u[0];
  if (l->parent >= 0) x -= trm_inner_both(trm_get(l->Un), dw, trm_get(l->Uf), dv);
  dv = trm_plus(dv, trm_plus(trm_get(l->bv), trm_product(dw, trm_get(l->p))));
  dw = trm_plus(dw, trm_get(l->bw));
  if (l->kind != TRM_LINK_PRISMATIC) dw = trm_add_times(x, n, dw);
  if (l->kind == TRM_LINK_PRISMATIC) dv = trm_add_times(x, n, dv);
  if (l->kind == TRM_LINK_SCREW) dv = trm_add_times(l->pitch * x, n, dv);
  trm_put(dw, l->dw);
  trm_put(dv, l->dv);
  return x;
}

static void reduce_others(trm_link *l, trm_link *parent) {
  static const double zero[3];
  eliminate(l);
  if (l->kind == TRM_LINK_BALL) give_up_ball(l, zero);
  if (l->kind == TRM_LINK_FREE) give_up_free(l, zero, zero);
  if (l->parent < 0) return;
  inertia J = inertia_of(l);
  pass_on(l, &J, trm_get(l->wn), trm_get(l->wf), parent);
  shift(l->p, &J);
  add_inertia(&J, parent);
}

static bool is_single(trm_link_kind kind) {
  return kind == TRM_LINK_REVOLUTE || kind == TRM_LINK_PRISMATIC || kind == TRM_LINK_SCREW;
}

static void leaves_to_ground(trm_tree *tree) {
  for (int i = tree->count - 1; i >= 0; i--) {
    trm_link *l = &tree->link[i], *parent = &tree->link[l->parent];
    if (is_single(l->kind))
      reduce_one(l, parent);
    else
      reduce_others(l, parent);
  }
}

void trm_tree_accelerate(trm_tree *tree, double *a) {
  leaves_to_ground(tree);
  for (int i = 0; i < tree->count; i++) {
    trm_link *l = &tree->link[i], *parent = &tree->link[l->parent];
    const double *q = tree->q + l->at, *v = tree->v + l->at;
    double turn[6], *al = a + l->at;
    if (is_single(l->kind)) {
      al[0] = go_along(l, parent);
      continue;
    }
    take_over(l, parent);
    trm_add_scaled(1, l->bw, l->dw);
    trm_add_scaled(1, l->bv, l->dv);
    switch (l->kind) {
    case TRM_LINK_BALL:
      move_ball(l, l->u, turn);
      ball_acceleration(parent, q, v, turn, al);
      break;
    case TRM_LINK_FREE:
      move_free(l, l->u, turn);
      ball_acceleration(parent, q + 3, v + 3, turn + 3, al + 3);
      memcpy(al, turn, 3 * sizeof *al);
      break;
    default: break; /* it is fixed */
    }
  }
}
