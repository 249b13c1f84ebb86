/* The frame about which small motions go on by constant coefficients.
 *
 * Along a steady motion itself more goes unnoticed than beside it: a body that turns about its
 * middle axis may be said to spin in its place, or to turn with the whole, but its inertia is not
 * the same all around that axis. So symmetries are asked for at a state next to this one. Motions
 * that do not turn the whole come first: where bodies spin in their places, that is what is seen.
 */
#include "analysis/frame.h"

#include <string.h>

#include "analysis/symmetry.h"
#include "math/lapack.h"

#define STATES 3    /* next to it: each has fewer freedoms than there may be motions */
#define NUDGE  0.03 /* of spans, velocities, states; what symmetry lacks may go with its square */
#define LEAST  1e-3 /* where constraints allow no more */
#define EXACT  1e-9 /* a motion that does not turn fits */
#define SLIGHT 1e-7 /* weight of accelerations: they decide what velocities leave open */

/* Numbers from −1 to 1 without a pattern. */
static double scatter(int i) {
  double x = 0.6180339887498949 * (i + 1);
  return 2 * (x - floor(x)) - 1;
}

static double largest_part(const trm_manifold *m, const double *x) {
  double largest = 0;
  for (int i = 0; i < m->n; i++) largest = fmax(largest, fabs(x[i]) / m->system->span[i]);
  return largest;
}

/* To a state next to (q, v) that the constraints allow. */
static bool go_beside(trm_manifold *m, int seed, double nudge, const double *q, const double *v,
                      double *to_q, double *to_v) {
  int n = m->n;
  double violation, fastest = largest_part(m, v);
  memcpy(to_q, q, (size_t)n * sizeof(double));
  memcpy(to_v, v, (size_t)(n + m->states) * sizeof(double));
  for (int j = 0; j < m->positions; j++)
    trm_axpy(n, nudge * scatter(seed + j), m->place->Z + (size_t)j * (size_t)n, to_q);
  for (int j = 0; j < m->velocities; j++)
    trm_axpy(n, nudge * fastest * scatter(seed + m->positions + j),
             m->rates->Z + (size_t)j * (size_t)n, to_v);
  for (int k = 0; k < m->states; k++)
    to_v[n + k] +=
        nudge * fmax(LEAST, fabs(to_v[n + k])) * scatter(seed + m->positions + m->velocities + k);
  if (!trm_manifold_close(m, m->t, to_q, to_v, &violation) ||
      !trm_manifold_evaluate(m, m->t, to_q, to_v))
    return false;
  trm_manifold_allow(m, to_v);
  return trm_manifold_evaluate(m, m->t, to_q, to_v) && trm_manifold_accelerate(m);
}

static bool go_back(trm_manifold *m, const double *q, const double *v) {
  return trm_manifold_evaluate(m, m->t, q, v) && trm_manifold_accelerate(m);
}

/* c of Σ c_k (G_k q + g_k) = v and, with a slight weight, Σ c_k G_k v = a: into the frame. */
static bool fit(trm_symmetry *s, trm_manifold *m, trm_steady *frame) {
  const trm_system *sys = m->system;
  int n = m->n, rows = 2 * n, columns = s->count, one = 1, rank, info;
  int room = 70 * (rows + columns + 1);
  double rcond = 1e-10, fastest = largest_part(m, m->v);
  double hardest = fmax(largest_part(m, m->a), fastest * fastest); /* not of round-off */
  double weight = hardest > 0 ? SLIGHT * fastest / hardest : SLIGHT;
  double *A = TRM_NEW(m->arena, double, (size_t)rows *(size_t)columns + 1);
  double *b = TRM_NEW(m->arena, double, rows + columns), *work = TRM_NEW(m->arena, double, room);
  int *pivot = TRM_NEW(m->arena, int, columns + 1);
  if (!A || !b || !work || !pivot || !trm_steady_create(frame, m)) return false;
  for (int k = 0; k < columns; k++) {
    double *column = A + (size_t)k * (size_t)rows;
    trm_symmetry_get(s, k, sys, &s->unit);
    trm_steady_velocity(&s->unit, sys, m->q, column);
    trm_steady_turn(&s->unit, sys, m->v, column + n);
    for (int i = 0; i < rows; i++) column[i] *= (i < n ? 1 : weight) / sys->span[i % n];
  }
  for (int i = 0; i < n; i++) {
    b[i] = m->v[i] / sys->span[i];
    b[n + i] = weight * m->a[i] / sys->span[i];
  }
  if (columns > 0)
    dgelsy_(&rows, &columns, &one, A, &rows, b, &rows, pivot, &rcond, &rank, work, &room, &info);
  for (int k = 0; k < columns; k++) {
    trm_symmetry_get(s, k, sys, &s->unit);
    trm_steady_add(frame, b[k], &s->unit, sys);
  }
  return true;
}

/* Asks in a state next to (q, v), as far from it as constraints allow; where they allow none, in
 * itself. */
static bool ask(trm_symmetry *still, trm_symmetry *turning, int state, trm_manifold *m,
                const double *q, const double *v, double *beside) {
  const double *nothing = beside + 2 * m->n + m->states;
  bool there = false;
  for (double nudge = NUDGE; !there && nudge >= LEAST; nudge /= 5) {
    there = go_beside(m, state * m->size, nudge, q, v, beside, beside + m->n);
    if (!there && !go_back(m, q, v)) return false;
  }
  trm_symmetry_ask(still, state, m, nothing, false);
  trm_symmetry_ask(turning, state, m, nothing, false);
  return !there || go_back(m, q, v);
}

bool trm_frame_find(trm_steady *frame, trm_manifold *m, double *off) {
  trm_symmetry still, turning;
  size_t n = (size_t)m->n, half = n + (size_t)m->states;
  double *q = TRM_NEW(m->arena, double, 2 * (n + half) + n), *v = q + n, *beside = v + half;
  if (!q || !trm_symmetry_create(&still, m, STATES) || !trm_symmetry_create(&turning, m, STATES))
    return false;
  memcpy(q, m->q, n * sizeof(double));
  memcpy(v, m->v, half * sizeof(double));
  still.candidates -= still.turns;
  still.turns = 0;
  for (int k = 0; k < STATES; k++)
    if (!ask(&still, &turning, k, m, q, v, beside)) return false;
  trm_symmetry_solve(&still);
  if (!fit(&still, m, frame)) return false;
  *off = trm_steady_misfit(frame, m);
  if (*off <= EXACT) return true;
  trm_symmetry_solve(&turning);
  if (!fit(&turning, m, frame)) return false;
  *off = trm_steady_misfit(frame, m);
  return true;
}
