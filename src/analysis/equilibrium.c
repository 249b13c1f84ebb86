/* Where a mechanism comes to rest, or moves steadily: Newton's method on the constraint manifold
 * with exact tangents. In the frame of a steady motion, v = Γ(q) and a = G v (steady.h); at rest
 * both are zero.
 *
 *     F(q, z) = (Zᵀ (Q − M a), ż, −(Cq v + Ct)),   (J + σ E) δ = F
 *
 * over changes of place, of states, and of the frame's motion. σ makes the step one of a motion
 * without inertia in a thick fluid: forces lead to where they do no more work, a minimum of the
 * energy where there is one. It falls to zero on the way: then the step is Newton's. What nothing
 * determines stays as it is. */
#include <float.h>
#include <string.h>
#include <trammel/analysis.h>

#include "analysis/balance.h"
#include "analysis/equilibrium.h"
#include "analysis/frame.h"
#include "analysis/modes.h"
#include "analysis/neutral.h"
#include "analysis/simulation.h"
#include "base/flush.h"
#include "base/sized.h"
#include "integrator/saddle.h"
#include "math/lapack_eigen.h"
#include "math/serial.h"

#define ENOUGH   1e-14 /* a residual at round-off */
#define GOOD     1e-9  /* a residual that may be round-off: it must not fall any more */
#define SHORT    1e-6  /* of a span: where a step leads no farther, what is left is round-off */
#define PATIENCE 12    /* steps that do not lower it, where they are longer */
#define NEUTRAL  1e-11 /* of the stiffness: directions along which nothing pushes */
#define FARTHEST 0.25  /* of a coordinate's span: a step */
#define NEAR     1e-3  /* a residual */
#define FALLING  0.1   /* σ after a good step */
#define STAY     1e-4  /* of what the frame's motion does: how much it would rather stay */

typedef struct search {
  trm_manifold *m;
  trm_steady *frame; /* NULL: at rest */
  trm_steady unit;
  trm_symmetry motions;  /* that the frame may have */
  trm_neutral places;    /* where along them it stands: it stays */
  int unknowns;          /* positions, states, motions of the frame */
  int equations, forces; /* velocities, states, and in a frame the constraints' velocities */
  double *J, *E;         /* [equations × unknowns] by column */
  double *F, *step;      /* [equations], [unknowns] */
  double *move;          /* [n + states] of the step: (δq, δz) */
  double *of_state;      /* [states × width] what laws of joints make of a state */
  bool *led;             /* [states] by the place, as `follow` [states × n] says */
  double *follow;
  double *f, *f_new; /* [n] unbalanced forces */
  double *q, *v;     /* the trial */
  double *dv, *da;   /* [n + states] that go with a change */
  double *copy, *work, *w, *w_im;
  int *pivot, room;
  double little;  /* a small force of the start; negative: not yet known */
  double fastest; /* velocity of the start: a frame that stands has round-off alone */
  double sigma, norm, residual, length; /* length: of the last step */
} search;

static bool create(search *s, trm_manifold *m, trm_steady *frame) {
  trm_arena *arena = m->arena;
  *s = (search){.m = m, .frame = frame, .little = -1};
  if (frame && (!trm_symmetry_create(&s->motions, m, 1) || !trm_neutral_create(&s->places, m) ||
                !trm_steady_create(&s->unit, m)))
    return false;
  int most_motions = s->motions.candidates;
  int columns = m->n + m->states + most_motions + 1;
  int rows =
      m->n + m->states + (frame ? m->m + m->system->structure.massless + 2 * most_motions : 0) + 1;
  int larger = rows > columns ? rows : columns;
  size_t most = (size_t)larger, cells = (size_t)rows * (size_t)columns;
  s->room = 70 * larger;
  s->J = TRM_NEW(arena, double, cells);
  s->E = TRM_NEW(arena, double, cells);
  s->copy = TRM_NEW(arena, double, cells);
  double **vectors[] = {&s->F, &s->step, &s->move, &s->f,  &s->f_new, &s->q,
                        &s->v, &s->w,    &s->w_im, &s->dv, &s->da};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = TRM_NEW(arena, double, most);
  s->of_state = TRM_NEW(arena, double, (size_t)m->states *(size_t)m->width + 1);
  s->led = TRM_NEW(arena, bool, m->states + 1);
  s->follow = TRM_NEW(arena, double, (size_t)m->states *(size_t)m->n + 1);
  s->work = TRM_NEW(arena, double, s->room);
  s->pivot = TRM_NEW(arena, int, most);
  return !trm_arena_failed(arena);
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* --- the state --- */

/* How large what changes is beside what there is: forces that nothing holds, rates of states,
 * velocities that the constraints do not allow. */
static void balance(search *s, double *f) {
  trm_manifold *m = s->m;
  const trm_system *sys = m->system;
  double speed = s->fastest, slip = 0;
  if (s->little < 0) s->little = trm_balance_little(m);
  s->residual = trm_balance(m, s->little, f);
  for (int i = 0; i < m->n; i++) speed = fmax(speed, fabs(m->v[i]));
  for (int k = 0; k < m->states; k++)
    s->residual = fmax(s->residual, fabs(sys->state_rate[k]) / fmax(1, fabs(m->v[m->n + k])));
  if (!s->frame) return;
  trm_system_velocity_residual(sys, m->v, m->g);
  for (int k = 0; k < m->all_rows; k++)
    if (m->all_row[k] >= 0) slip = fmax(slip, fabs(m->g[m->all_row[k]]));
  if (slip > 0) s->residual = fmax(s->residual, slip / fmax(speed, slip));
}

/* At q and z; v is overwritten. */
static bool evaluate(search *s, const double *q, double *v, double *f) {
  trm_manifold *m = s->m;
  memset(v, 0, (size_t)m->n * sizeof(double));
  memset(s->da, 0, (size_t)(m->n + m->states) * sizeof(double));
  if (s->frame) {
    trm_steady_velocity(s->frame, m->system, q, v);
    trm_steady_turn(s->frame, m->system, v, s->da);
  }
  if (!trm_manifold_evaluate(m, m->t, q, v) || !trm_manifold_react(m, s->da)) return false;
  balance(s, f);
  return isfinite(s->residual);
}

/* --- equations --- */

/* What a change does to the forces and to the velocities that constraints see: into a column. */
static void fill_column(search *s, const double *dq, const double *dv, const double *da,
                        double *column) {
  trm_manifold *m = s->m;
  const trm_structure *st = &m->system->structure;
  int n = m->n, half = n + m->states, dim = m->velocities;
  double *push = m->force;
  memset(m->x, 0, (size_t)half * sizeof(double));
  memcpy(m->x, dq, (size_t)n * sizeof(double));
  trm_stiffness_times(m->tangent, m->x, push);
  trm_damping_times(m->tangent, dv, m->product);
  trm_axpy(half, 1, m->product, push);
  trm_tangent_mass_times(m->tangent, da, m->product);
  trm_axpy(n, 1, m->product, push);
  for (int i = 0; i < dim; i++) column[i] = dot(n, m->rates->Z + (size_t)i * (size_t)n, push);
  memcpy(column + dim, push + n, (size_t)m->states * sizeof(double));
  if (!s->frame) return;
  trm_jacobian_times(st, m->T, dq, m->row);
  trm_jacobian_times(st, m->system->Cq, dv, m->g);
  for (int k = 0; k < m->all_rows; k++)
    column[s->forces + k] = m->all_row[k] < 0 ? 0 : m->row[m->all_row[k]] + m->g[m->all_row[k]];
}

static bool is_led(const search *s, int state) {
  return !s->frame && s->led[state];
}

/* The j-th change of place, of a state, or of the frame: (dq, dv, da). */
static void set_change(search *s, int j, double *dq) {
  trm_manifold *m = s->m;
  int n = m->n, state = j - m->positions, change = state - m->states;
  size_t half = (size_t)(n + m->states) * sizeof(double);
  memset(s->dv, 0, half);
  memset(s->da, 0, half);
  memset(dq, 0, (size_t)n * sizeof(double));
  if (state < 0) {
    memcpy(dq, m->place->Z + (size_t)j * (size_t)n, (size_t)n * sizeof(double));
    for (int k = 0; k < m->states && !s->frame; k++) {
      s->dv[n + k] = s->follow[(size_t)k * (size_t)n + (size_t)j];
      trm_axpy(n, s->dv[n + k], s->of_state + (size_t)k * (size_t)m->width, dq);
    }
  } else if (change < 0 && !is_led(s, state))
    memcpy(dq, s->of_state + (size_t)state * (size_t)m->width, (size_t)n * sizeof(double));
  if (s->frame) trm_steady_turn(s->frame, m->system, dq, s->dv);
  if (change >= 0) {
    trm_symmetry_get(&s->motions, change, m->system, &s->unit);
    trm_steady_velocity(&s->unit, m->system, m->q, s->dv);
    trm_steady_turn(&s->unit, m->system, m->v, s->w);
    trm_axpy(n, 1, s->w, s->da);
  }
  if (s->frame) {
    trm_steady_turn(s->frame, m->system, s->dv, s->w);
    trm_axpy(n, 1, s->w, s->da);
  }
  if (state >= 0 && change < 0 && !is_led(s, state)) s->dv[n + state] = 1;
}

/* Rates of states, and velocities, count as much as forces do, also where none hangs on the place.
 * The frame's motion changes only where nothing else will do. */
static void weigh(search *s, int stay) {
  int rows = s->equations, first = s->m->velocities, frame = s->m->positions + s->m->states;
  double weight = 0;
  for (int j = 0; j < s->unknowns; j++)
    for (int i = 0; i < first; i++)
      weight = fmax(weight, fabs(s->J[(size_t)j * (size_t)rows + (size_t)i]));
  if (weight == 0) weight = 1;
  for (int i = first; i < stay; i++) {
    double largest = 0;
    for (int j = 0; j < s->unknowns && i < s->forces; j++)
      largest = fmax(largest, fabs(s->J[(size_t)j * (size_t)rows + (size_t)i]));
    double scale = largest > 0 ? weight / largest : weight;
    s->F[i] *= scale;
    for (int j = 0; j < s->unknowns; j++) s->J[(size_t)j * (size_t)rows + (size_t)i] *= scale;
  }
  for (int k = 0; k < s->motions.count; k++) {
    double *column = s->J + (size_t)(frame + k) * (size_t)rows, size = 0;
    for (int i = 0; i < stay; i++) size = fmax(size, fabs(column[i]));
    column[stay + k] = STAY * size;
  }
}

/* F, J and E at the state that was evaluated. */
static bool linearize(search *s) {
  trm_manifold *m = s->m;
  int n = m->n, dim = m->velocities;
  const double *span = m->system->span;
  double *dq = s->q;
  s->unknowns = m->positions + m->states + s->motions.count;
  s->forces = dim + m->states;
  if (s->frame) trm_neutral_find(&s->places, m, s->f);
  int rates = s->frame ? m->all_rows : 0;
  s->equations = s->forces + rates + s->places.count + s->motions.count;
  for (int i = 0; i < dim; i++) s->F[i] = dot(n, m->rates->Z + (size_t)i * (size_t)n, s->f);
  memcpy(s->F + dim, m->system->state_rate, (size_t)m->states * sizeof(double));
  trm_system_velocity_residual(m->system, m->v, m->g);
  for (int k = 0; k < rates; k++)
    s->F[s->forces + k] = m->all_row[k] < 0 ? 0 : -m->g[m->all_row[k]];
  memset(s->F + s->forces + rates, 0,
         (size_t)(s->places.count + s->motions.count) * sizeof(double));
  for (int k = 0; k < m->states; k++)
    if (!trm_manifold_place_of_state(m, k, s->of_state + (size_t)k * (size_t)m->width))
      return false;
  if (!s->frame) trm_manifold_lead(m, s->of_state, s->led, s->follow);
  s->norm = 0;
  for (int j = 0; j < s->unknowns; j++) {
    double *column = s->J + (size_t)j * (size_t)s->equations;
    double *damp = s->E + (size_t)j * (size_t)s->equations;
    set_change(s, j, dq);
    memset(column, 0, (size_t)s->equations * sizeof(double));
    fill_column(s, dq, s->dv, s->da, column);
    for (int i = 0; i < s->places.count; i++)
      column[s->forces + rates + i] = trm_neutral_part(&s->places, m, i, dq);
    memset(damp, 0, (size_t)s->equations * sizeof(double));
    for (int i = 0; i < dim && j < m->positions; i++) {
      const double *Z = m->rates->Z + (size_t)i * (size_t)n;
      for (int k = 0; k < n; k++) damp[i] += Z[k] / span[k] * (dq[k] / span[k]);
      s->norm = fmax(s->norm, fabs(column[i]));
    }
    if (s->frame && j < m->positions) trm_neutral_free(&s->places, m, column, damp);
  }
  weigh(s, s->forces + rates + s->places.count);
  return true;
}

/* The least real part of an eigenvalue of the stiffness J Eᵀ along the freedoms of velocity: where
 * it is negative forces lead away on both sides. */
static double least_stiffness(search *s) {
  trm_manifold *m = s->m;
  int f = m->velocities, rows = s->equations, one = 1, info;
  double none, least = INFINITY;
  if (f == 0) return 0;
  memset(s->copy, 0, (size_t)f * (size_t)f * sizeof(double));
  for (int j = 0; j < m->positions; j++) {
    const double *J = s->J + (size_t)j * (size_t)rows, *E = s->E + (size_t)j * (size_t)rows;
    for (int k = 0; k < f; k++)
      if (E[k] != 0) trm_axpy(f, E[k], J, s->copy + (size_t)k * (size_t)f);
  }
  if (!isfinite(dot(f * f, s->copy, s->copy))) return 0;
  dgeev_("N", "N", &f, s->copy, &f, s->w, s->w_im, &none, &one, &none, &one, s->work, &s->room,
         &info, 1, 1);
  for (int i = 0; i < f; i++) least = fmin(least, s->w[i]);
  return info == 0 ? least : 0;
}

/* (J + σ E) δ = F, of least size where directions are neutral */
static bool solve(search *s) {
  trm_manifold *m = s->m;
  int rows = s->equations, columns = s->unknowns, one = 1, rank, info;
  int most = rows > columns ? rows : columns;
  double rcond = NEUTRAL;
  size_t cells = (size_t)rows * (size_t)columns;
  for (size_t i = 0; i < cells; i++) s->copy[i] = s->J[i] + s->sigma * s->E[i];
  memset(s->step, 0, (size_t)most * sizeof(double));
  memcpy(s->step, s->F, (size_t)rows * sizeof(double));
  memset(s->pivot, 0, (size_t)columns * sizeof(int));
  if (rows > 0 && columns > 0)
    dgelsy_(&rows, &columns, &one, s->copy, &rows, s->step, &most, s->pivot, &rcond, &rank, s->work,
            &s->room, &info);
  memset(s->move, 0, (size_t)(m->n + m->states) * sizeof(double));
  for (int j = 0; j < m->positions; j++)
    trm_axpy(m->n, s->step[j], m->place->Z + (size_t)j * (size_t)m->n, s->move);
  for (int k = 0; k < m->states; k++) {
    double *step = &s->step[m->positions + k];
    if (!s->frame) *step += dot(m->positions, s->follow + (size_t)k * (size_t)m->n, s->step);
    trm_axpy(m->n, *step, s->of_state + (size_t)k * (size_t)m->width, s->move);
    s->move[m->n + k] = *step;
  }
  return isfinite(dot(m->n + m->states, s->move, s->move));
}

/* --- steps --- */

/* Coordinates of a system of its own that start at zero have no size of their own. */
static double length_of(const search *s) {
  const double *span = s->m->system->span;
  double length = 0, longest = 0;
  for (int i = 0; i < s->m->n; i++) longest = fmax(longest, span[i]);
  for (int i = 0; i < s->m->n; i++)
    length = fmax(length, fabs(s->move[i]) / (s->m->system->generic ? longest : span[i]));
  return length;
}

typedef struct place_before {
  double *q, *v;
  double residual;
} place_before;

static void change_frame(search *s, double part) {
  for (int k = 0; k < s->motions.count; k++) {
    trm_symmetry_get(&s->motions, k, s->m->system, &s->unit);
    trm_steady_add(s->frame, part * s->step[s->m->positions + s->m->states + k], &s->unit,
                   s->m->system);
  }
}

/* A part of the step, brought onto the constraints and evaluated there. */
static bool try(search *s, const place_before *b, double part) {
  trm_manifold *m = s->m;
  double violation;
  memcpy(s->q, b->q, (size_t)m->n * sizeof(double));
  memcpy(s->v, b->v, (size_t)(m->n + m->states) * sizeof(double));
  trm_axpy(m->n, part, s->move, s->q);
  trm_axpy(m->states, part, s->move + m->n, s->v + m->n);
  if (!trm_manifold_close(m, m->t, s->q, s->v, &violation)) return false;
  change_frame(s, part);
  if (evaluate(s, s->q, s->v, s->f_new)) return true;
  change_frame(s, -part);
  return false;
}

/* Forces do work along a good step, or they become less. */
static bool is_good(const search *s, const place_before *b) {
  double work = 0;
  for (int i = 0; i < s->m->n; i++) work += (s->f[i] + s->f_new[i]) / 2 * (s->q[i] - b->q[i]);
  return work > 0 || s->residual <= b->residual;
}

static double largest_push(const search *s) {
  double largest = 0;
  for (int i = 0; i < s->m->velocities; i++) largest = fmax(largest, fabs(s->F[i]));
  return largest;
}

/* The frame moves as the mechanism may move steadily. */
static bool keep_to_motions(search *s) {
  trm_manifold *m = s->m;
  trm_symmetry_find(&s->motions, m, s->f, false);
  double off = trm_symmetry_take(&s->motions, m->system, s->frame);
  memcpy(s->q, m->q, (size_t)m->n * sizeof(double));
  memcpy(s->v, m->v, (size_t)(m->n + m->states) * sizeof(double));
  return off <= ENOUGH || evaluate(s, s->q, s->v, s->f);
}

/* One step; false: there is none that leads on. */
static bool advance(search *s, place_before *b) {
  trm_manifold *m = s->m;
  memcpy(b->q, m->q, (size_t)m->n * sizeof(double));
  memcpy(b->v, m->v, (size_t)(m->n + m->states) * sizeof(double));
  b->residual = s->residual;
  if (!linearize(s)) return false;
  /* the stiffness of a motion is not a potential's: near a steady one Newton's step is the way */
  double least = s->frame && s->residual < NEAR ? 0 : least_stiffness(s);
  double saddle = least < -1e-9 * s->norm ? -1.5 * least : 0;
  s->sigma = fmax(s->sigma, saddle);
  for (int attempt = 0; attempt < 30; attempt++) {
    if (!solve(s)) return false;
    double length = length_of(s), part = length > FARTHEST ? FARTHEST / length : 1;
    bool tried = try(s, b, part);
    /* pushed, and without stiffness; a state or the frame may have moved */
    bool stands = length < DBL_EPSILON && b->residual > GOOD && !(s->residual < b->residual / 2);
    if (tried && !stands && is_good(s, b)) {
      s->length = length;
      memcpy(s->f, s->f_new, (size_t)m->n * sizeof(double));
      trm_system_accept(m->system); /* turns are counted from step to step */
      s->sigma *= part < 1 ? 1 : FALLING;
      if (s->sigma < 1e-7 * s->norm) s->sigma = 0;
      return true;
    }
    if (tried) change_frame(s, -part);
    /* the spaces at hand are of the trial: back */
    if (!evaluate(s, b->q, b->v, s->f)) return false;
    s->sigma = fmax(4 * s->sigma, fmax(1e-4 * s->norm, stands ? largest_push(s) : 0));
  }
  return false;
}

/* What is left at the state evaluated last: into system->error. */
static void explain(search *s) {
  trm_manifold *m = s->m;
  trm_system *sys = m->system;
  char cause[300];
  double most = 0, part = 0;
  int moving = 0, state = -1, worst = 0;
  for (int j = 0; j < m->velocities; j++) {
    double left = fabs(dot(m->n, m->rates->Z + (size_t)j * (size_t)m->n, s->f));
    if (left > most) most = left, moving = j;
  }
  for (int k = 0; k < m->states; k++)
    if (fabs(sys->state_rate[k]) / fmax(1, fabs(m->v[m->n + k])) >= s->residual) state = k;
  const double *Z = m->rates->Z + (size_t)moving * (size_t)m->n;
  for (int i = 0; i < m->n; i++)
    if (fabs(Z[i] * s->f[i]) > part) part = fabs(Z[i] * s->f[i]), worst = i;
  if (state >= 0)
    snprintf(sys->error, sizeof sys->error,
             "the state '%s' does not come to rest: it changes by %.3g a second",
             sys->model->signals[sys->model->states[state]].name, sys->state_rate[state]);
  else if (m->velocities > 0) {
    trm_system_name_cause(sys, worst, -1, cause, sizeof cause);
    snprintf(sys->error, sizeof sys->error,
             "the largest unbalanced force is %.1e of the largest force; it is left by %s",
             s->residual, cause);
  }
}

/* From the manifold's state, which becomes the best one found. False: out of memory, or a state
 * cannot be evaluated. */
static bool settle(trm_manifold *m, trm_steady *frame, int most, trm_equilibrium_result *result) {
  search s;
  place_before b = {0};
  if (!create(&s, m, frame)) return false;
  b.q = TRM_NEW(m->arena, double, m->n);
  b.v = TRM_NEW(m->arena, double, m->n + m->states);
  double *best = TRM_NEW(m->arena, double, m->width);
  if (!b.q || !b.v || !best) return false;
  double least = INFINITY;
  int stalled = 0;
  for (int i = 0; i < m->n; i++) s.fastest = fmax(s.fastest, fabs(m->v[i]));
  memcpy(s.q, m->q, (size_t)m->n * sizeof(double));
  memcpy(s.v, m->v, (size_t)(m->n + m->states) * sizeof(double));
  if (!evaluate(&s, s.q, s.v, s.f)) return false;
  for (result->iterations = 0;; result->iterations++) {
    if (frame && !keep_to_motions(&s)) return false;
    stalled = s.residual < 0.5 * least ? 0 : stalled + 1;
    if (s.residual <= least) {
      least = s.residual;
      memcpy(best, m->q, (size_t)m->n * sizeof(double));
      memcpy(best + m->n, m->v, (size_t)(m->n + m->states) * sizeof(double));
    }
    if (least <= ENOUGH || (least <= GOOD && stalled >= (s.length < SHORT ? 2 : PATIENCE))) break;
    if (result->iterations == most || !advance(&s, &b)) break;
  }
  result->residual = least;
  result->found = least <= GOOD;
  if (!result->found && !m->system->error[0]) {
    memcpy(s.v + m->n, best + 2 * m->n, (size_t)m->states * sizeof(double));
    if (evaluate(&s, best, s.v, s.f)) explain(&s);
  }
  memcpy(m->q, best, (size_t)m->n * sizeof(double));
  memcpy(m->v, best + m->n, (size_t)(m->n + m->states) * sizeof(double));
  return true;
}

/* The frame is the one that fits the velocities best. */
static bool settle_steady(trm_manifold *m, int most, trm_equilibrium_result *result) {
  trm_steady frame;
  double off;
  return trm_manifold_evaluate(m, m->t, m->q, m->v) && trm_manifold_accelerate(m) &&
         trm_steady_find(&frame, m, &off) && settle(m, &frame, most, result);
}

/* --- public --- */

void trm_equilibrium_options_init(trm_equilibrium_options *defaults, size_t size) {
  const trm_equilibrium_options plain = {.size = sizeof plain, .iterations = 1000};
  trm_sized_give(defaults, size, &plain, sizeof plain);
}

static trm_status take_over(trm_simulation *sim, const trm_manifold *m,
                            trm_diagnostics *diagnostics) {
  const trm_layout *at = &sim->engine->dynamics.at;
  double *state = TRM_NEW(m->arena, double, trm_simulation_state_size(sim));
  if (!state) return TRM_NO_MEMORY;
  memcpy(state, m->q, (size_t)at->n * sizeof(double));
  memcpy(state + at->n, m->v, (size_t)(at->n + at->states) * sizeof(double));
  return trm_simulation_set_state(sim, m->t, state, diagnostics);
}

static bool is_at_rest(const trm_manifold *m) {
  for (int i = 0; i < m->n; i++)
    if (m->v[i] != 0) return false;
  return true;
}

trm_status trm_equilibrium_judge(trm_manifold *m, trm_equilibrium_result *result) {
  trm_steady steady, *frame = NULL;
  double off, left;
  trm_eigen eigen;
  if (!trm_manifold_evaluate(m, m->t, m->q, m->v) || !trm_manifold_accelerate(m)) return TRM_OK;
  if (result->steady) {
    if (!trm_frame_find(&steady, m, &off))
      return trm_arena_failed(m->arena) ? TRM_NO_MEMORY : TRM_OK; /* it stays undecided */
    if (!(off <= TRM_STEADY)) return TRM_OK;
    frame = &steady;
  }
  if (!trm_manifold_directions(m)) return TRM_OK; /* it stays undecided */
  double *A = TRM_NEW(m->arena, double, (size_t)m->size *(size_t)m->size + 1);
  if (!A) return TRM_NO_MEMORY;
  trm_manifold_matrix(m, frame, A, &left);
  if (trm_manifold_eigen(m, A, m->arena, &eigen))
    result->stable = trm_stability(m, &eigen, is_at_rest(m));
  return TRM_OK;
}

static trm_status work(trm_simulation *sim, const trm_equilibrium_options *options,
                       trm_equilibrium_result *result, trm_diagnostics *diagnostics) {
  trm_manifold *m = trm_manifold_create(sim->engine);
  if (!m) return TRM_NO_MEMORY;
  size_t size = trm_kept_size(sim->engine->arena);
  char *before = TRM_NEW(m->arena, char, size + 1); /* turns that the search counts */
  if (!before) {
    trm_manifold_destroy(m);
    return TRM_NO_MEMORY;
  }
  trm_kept_save(sim->engine->arena, before);
  sim->engine->system->error[0] = 0;
  bool good = options->steady ? settle_steady(m, options->iterations, result)
                              : settle(m, NULL, options->iterations, result);
  trm_status status = good && result->found ? TRM_OK : TRM_FAILED;
  if (trm_arena_failed(m->arena) || trm_arena_failed(sim->engine->arena)) status = TRM_NO_MEMORY;
  if (status == TRM_FAILED) {
    const char *why = sim->engine->system->error;
    trm_report(diagnostics, TRM_ERROR, "no %s was found in %d iterations%s%s%s",
               options->steady ? "steady motion" : "equilibrium", result->iterations,
               *why ? ": " : "", why,
               options->steady ? "" : "; if it moves on, ask for a steady motion");
  }
  if (status != TRM_OK) {
    trm_kept_restore(sim->engine->arena, before, size);
    trm_kept_derive(sim->engine->arena);
  }
  if (status == TRM_OK) status = take_over(sim, m, diagnostics);
  if (status == TRM_OK) status = trm_equilibrium_judge(m, result);
  trm_manifold_destroy(m);
  trm_engine_return(sim->engine);
  return status;
}

trm_status trm_simulation_settle(trm_simulation *sim, const trm_equilibrium_options *given,
                                 trm_equilibrium_result *result, trm_diagnostics *diagnostics) {
  trm_equilibrium_options options;
  trm_equilibrium_options_init(&options, sizeof options);
  if (!trm_sized_take_or_report(&options, sizeof options, given, "trm_default_equilibrium_options",
                                diagnostics))
    return TRM_BAD_USAGE;
  trm_equilibrium_result found = trm_default_equilibrium_result();
  found.steady = options.steady;
  found.residual = INFINITY;
  unsigned before = trm_flush_begin();
  trm_serial_begin();
  trm_status status = work(sim, &options, &found, diagnostics);
  trm_serial_end();
  trm_flush_set(before);
  if (status == TRM_NO_MEMORY) trm_report(diagnostics, TRM_ERROR, "out of memory");
  if (result) trm_sized_give(result, result->size, &found, sizeof found);
  return status;
}
