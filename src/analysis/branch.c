/* Newton's method on a branch of equilibria. */
#include "analysis/branch.h"

#include <math.h>
#include <string.h>

#include "integrator/saddle.h"
#include "math/lapack.h"

#define MOST    12    /* iterations */
#define ENOUGH  1e-11 /* of a coordinate's scale: a step that is round-off */
#define GOOD    1e-7  /* a step that may be: it must not become smaller any more */
#define FAR     0.5   /* a step that leaves the branch */
#define NEUTRAL 1e-11 /* of the stiffness */
#define ASIDE   1e-6  /* of the range: a neighbour for ∂/∂p */

static void stand_free(trm_stand *s) {
  trm_manifold_destroy(s->manifold);
  trm_simulation_destroy(s->simulation);
  trm_model_destroy(s->model);
  *s = (trm_stand){0};
}

double trm_branch_value(const trm_branch *b, double p) {
  return p == 1 ? b->first + b->range : b->first + p * b->range;
}

static bool stand_create(trm_branch *b, double p, trm_stand *s) {
  double value = trm_branch_value(b, p);
  trm_status status;
  *s = (trm_stand){0};
  s->model = trm_model_with(b->base->engine->model, 1, &b->name, &value, b->diagnostics, &status);
  if (s->model)
    s->simulation = trm_simulation_create(s->model, &b->base->asked, b->diagnostics, &status);
  if (s->simulation) s->manifold = trm_manifold_create(s->simulation->engine);
  const trm_manifold *m = s->manifold;
  if (m && (b->n == 0 || (m->n == b->n && m->states == b->states))) return true;
  stand_free(s); /* no memory, no such mechanism, or another number of coordinates */
  return false;
}

static bool create_arrays(trm_branch *b) {
  int all = b->n + b->states, most = all + 2;
  const trm_manifold *m = b->at.manifold;
  b->room = 70 * most;
  double **vectors[] = {&b->scale, &b->f, &b->next, &b->move, &b->row, &b->b};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = TRM_NEW(b->arena, double, most);
  b->by_p = TRM_NEW(b->arena, double, 2 * all + 2);
  b->A = TRM_NEW(b->arena, double, (size_t)most *(size_t)most);
  b->work = TRM_NEW(b->arena, double, b->room);
  b->of_state = TRM_NEW(b->arena, double, (size_t)b->states *(size_t)m->width + 1);
  b->follow = TRM_NEW(b->arena, double, (size_t)b->states *(size_t)m->n + 1);
  b->led = TRM_NEW(b->arena, bool, b->states + 1);
  if (!b->follow || !b->led) return false;
  b->pivot = TRM_NEW(b->arena, int, most);
  if (trm_arena_failed(b->arena)) return false;
  for (int i = 0; i < b->n; i++) b->scale[i] = m->system->span[i];
  for (int k = 0; k < b->states; k++) b->scale[b->n + k] = fmax(1, fabs(m->v[b->n + k]));
  return true;
}

bool trm_branch_create(trm_branch *b, const trm_simulation *base, const char *name, double first,
                       double last, trm_arena *arena) {
  *b = (trm_branch){.base = base, .name = name, .first = first, .range = last - first};
  b->arena = arena;
  b->t = base->engine->t;
  if (!stand_create(b, 0, &b->at)) return false;
  b->n = b->at.manifold->n;
  b->states = b->at.manifold->states;
  return create_arrays(b);
}

void trm_branch_free(trm_branch *b) {
  stand_free(&b->at);
}

bool trm_branch_point_create(trm_branch_point *point, const trm_branch *b) {
  int all = b->n + b->states;
  point->p = 0;
  point->x = TRM_NEW(b->arena, double, all + 1);
  point->ahead = TRM_NEW(b->arena, double, all + 1);
  return point->x && point->ahead;
}

void trm_branch_point_copy(trm_branch_point *to, const trm_branch_point *from,
                           const trm_branch *b) {
  size_t all = (size_t)(b->n + b->states);
  to->p = from->p;
  memcpy(to->x, from->x, all * sizeof(double));
  memcpy(to->ahead, from->ahead, (all + 1) * sizeof(double));
}

/* --- equations --- */

/* At rest at x, brought onto the constraints: f [n] that nothing holds, ż behind. */
static bool balance(const trm_branch *b, const trm_stand *s, double *x, double *f) {
  trm_manifold *m = s->manifold;
  double *v = b->work, *zero = b->work + b->n + b->states, violation;
  memset(b->work, 0, 2 * (size_t)(b->n + b->states) * sizeof(double));
  memcpy(v + b->n, x + b->n, (size_t)b->states * sizeof(double));
  if (!trm_manifold_evaluate(m, b->t, x, v) || !trm_manifold_close(m, b->t, x, v, &violation) ||
      !trm_manifold_evaluate(m, b->t, x, v) || !trm_manifold_react(m, zero))
    return false;
  memset(f, 0, (size_t)b->n * sizeof(double));
  trm_jacobian_transposed_add(&m->system->structure, m->system->Cq, -1, m->lambda, f);
  for (int i = 0; i < b->n; i++) f[i] -= m->residual[i];
  memcpy(f + b->n, m->system->state_rate, (size_t)b->states * sizeof(double));
  return true;
}

/* by_p: how x, on its constraints, and the balance change with the parameter. */
static bool differentiate(trm_branch *b, const trm_branch_point *at) {
  int all = b->n + b->states;
  trm_stand aside;
  double *x = b->by_p, *f = b->by_p + all;
  if (!stand_create(b, at->p + ASIDE, &aside)) return false;
  memcpy(x, at->x, (size_t)all * sizeof(double));
  bool good = balance(b, &aside, x, f);
  stand_free(&aside);
  for (int i = 0; good && i < all; i++) {
    x[i] = (x[i] - at->x[i]) / ASIDE;
    f[i] = (f[i] - b->f[i]) / ASIDE;
  }
  return good;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* The change of x that goes with the j-th unknown: places, then states, the parameter last. */
static void unit_change(const trm_branch *b, int j, double *dx) {
  const trm_manifold *m = b->at.manifold;
  int state = j - m->positions;
  memset(dx, 0, (size_t)(b->n + b->states) * sizeof(double));
  if (state < 0) {
    memcpy(dx, m->place->Z + (size_t)j * (size_t)b->n, (size_t)b->n * sizeof(double));
    for (int k = 0; k < b->states; k++) {
      double *dz = &dx[b->n + k];
      *dz = b->follow[(size_t)k * (size_t)b->n + (size_t)j];
      trm_axpy(b->n, *dz, b->of_state + (size_t)k * (size_t)m->width, dx);
    }
  } else if (state < b->states) {
    if (b->led[state]) return;
    memcpy(dx, b->of_state + (size_t)state * (size_t)m->width, (size_t)b->n * sizeof(double));
    dx[b->n + state] = 1;
  } else {
    memcpy(dx, b->by_p, (size_t)(b->n + b->states) * sizeof(double));
  }
}

/* A column: minus the change of the balance. */
static void fill_column(const trm_branch *b, int j, const double *dx, double *column) {
  trm_manifold *m = b->at.manifold;
  int n = b->n, dim = m->velocities;
  double *push = m->force;
  if (j == m->positions + b->states) {
    for (int i = 0; i < n + b->states; i++) push[i] = -b->by_p[n + b->states + i];
  } else {
    memset(m->x, 0, (size_t)(n + b->states) * sizeof(double));
    memcpy(m->x, dx, (size_t)n * sizeof(double));
    trm_stiffness_times(m->tangent, m->x, push);
    memset(m->x, 0, (size_t)n * sizeof(double));
    memcpy(m->x + n, dx + n, (size_t)b->states * sizeof(double));
    trm_damping_times(m->tangent, m->x, m->product);
    trm_axpy(n + b->states, 1, m->product, push);
  }
  for (int i = 0; i < dim; i++) column[i] = dot(n, m->rates->Z + (size_t)i * (size_t)n, push);
  memcpy(column + dim, push + n, (size_t)b->states * sizeof(double));
}

/* ⟨ahead, (dx, dp)⟩ */
static double along(const trm_branch *b, const double *ahead, const double *dx, double dp) {
  int all = b->n + b->states;
  double sum = ahead[all] * dp;
  for (int i = 0; i < all; i++) sum += ahead[i] / b->scale[i] * (dx[i] / b->scale[i]);
  return sum;
}

/* Solves for `move` [n + states] and returns the parameter's part. ahead == NULL: the parameter
 * itself; `last`: the right-hand side of the last row. */
static double solve(trm_branch *b, const double *ahead, bool homogeneous, double last) {
  trm_manifold *m = b->at.manifold;
  int all = b->n + b->states, columns = m->positions + b->states + 1;
  int equations = m->velocities + b->states, rows = equations + 1, one = 1, rank, info;
  int larger = rows > columns ? rows : columns;
  double largest = 0, rcond = NEUTRAL;
  for (int j = 0; j < columns; j++) {
    double *column = b->A + (size_t)j * (size_t)rows;
    unit_change(b, j, b->move);
    fill_column(b, j, b->move, column);
    bool p = j == columns - 1;
    column[equations] = ahead ? along(b, ahead, b->move, p) : p;
    for (int i = 0; i < equations; i++) largest = fmax(largest, fabs(column[i]));
  }
  double weight = largest > 0 ? largest : 1; /* the last row counts like the others */
  for (int j = 0; j < columns; j++) b->A[(size_t)j * (size_t)rows + (size_t)equations] *= weight;
  memset(b->b, 0, (size_t)larger * sizeof(double));
  for (int i = 0; i < m->velocities && !homogeneous; i++)
    b->b[i] = dot(b->n, m->rates->Z + (size_t)i * (size_t)b->n, b->f);
  if (!homogeneous) memcpy(b->b + m->velocities, b->f + b->n, (size_t)b->states * sizeof(double));
  b->b[equations] = weight * last;
  memset(b->pivot, 0, (size_t)columns * sizeof(int));
  dgelsy_(&rows, &columns, &one, b->A, &rows, b->b, &larger, b->pivot, &rcond, &rank, b->work,
          &b->room, &info);
  memset(b->move, 0, (size_t)all * sizeof(double));
  for (int j = 0; j < columns; j++) {
    unit_change(b, j, b->row);
    trm_axpy(all, b->b[j], b->row, b->move);
  }
  return b->b[columns - 1];
}

static bool evaluate(trm_branch *b, trm_branch_point *point) {
  stand_free(&b->at);
  if (!stand_create(b, point->p, &b->at) || !balance(b, &b->at, point->x, b->f)) return false;
  trm_manifold *m = b->at.manifold;
  for (int k = 0; k < b->states; k++)
    if (!trm_manifold_place_of_state(m, k, b->of_state + (size_t)k * (size_t)m->width))
      return false;
  trm_manifold_lead(m, b->of_state, b->led, b->follow);
  return differentiate(b, point);
}

static double length_of(const trm_branch *b, double dp) {
  double length = fabs(dp);
  for (int i = 0; i < b->n + b->states; i++) length = fmax(length, fabs(b->move[i]) / b->scale[i]);
  return length;
}

/* The tangent: the one whose last row is 1 along the old one, of unit length. */
static bool turn(trm_branch *b, trm_branch_point *point, bool fresh) {
  int all = b->n + b->states;
  double dp = solve(b, fresh ? NULL : point->ahead, true, 1), size = dp * dp;
  for (int i = 0; i < all; i++) size += b->move[i] / b->scale[i] * (b->move[i] / b->scale[i]);
  size = sqrt(size);
  if (!(size > 0) || !isfinite(size)) return false;
  for (int i = 0; i < all; i++) point->ahead[i] = b->move[i] / size;
  point->ahead[all] = dp / size;
  return true;
}

int trm_branch_solve(trm_branch *b, trm_branch_point *point, const trm_branch_point *from,
                     double s) {
  int all = b->n + b->states;
  double last = INFINITY;
  for (int i = 1; i <= MOST; i++) {
    if (!evaluate(b, point)) return 0;
    double left = 0;
    if (from) {
      for (int k = 0; k < all; k++) b->next[k] = point->x[k] - from->x[k];
      left = s - along(b, from->ahead, b->next, point->p - from->p);
    }
    double dp = solve(b, from ? from->ahead : NULL, false, left), length = length_of(b, dp);
    if (!(length <= FAR)) return 0;
    trm_axpy(all, 1, b->move, point->x);
    if (from) point->p += dp;
    if (length <= ENOUGH || (length <= GOOD && length > last / 2)) {
      if (from) memcpy(point->ahead, from->ahead, (size_t)(all + 1) * sizeof(double));
      bool fresh = dot(all + 1, point->ahead, point->ahead) == 0;
      return turn(b, point, fresh) ? i : 0;
    }
    last = length;
  }
  return 0;
}
