/* The stage of an implicit step by modified Newton:
 *
 *     (M + gamma/beta D + share/beta K) du + A1ᵀ dλ/beta = −r/beta
 *     A2 du − E dλ/beta                                  = −φ
 *
 * E makes it an augmented Lagrangian iteration with the weights m̄, c̄, k̄ of 004 eq. 19: E acts on
 * how fast λ converges where constraints are dependent, not on what it converges to. */
#include <float.h>
#include <string.h>

#include "integrator/implicit.h"
#include "integrator/newton.h"
#include "math/extremes.h"

#define MAX_ITERATIONS 12
#define MAX_JACOBIANS  4
#define STALL          1e-9  /* a change below it that no longer shrinks is round-off */
#define ROUND_OFF      1e-13 /* … with any Jacobian */
#define SLOW           0.4   /* a contraction above it needs a new Jacobian */
#define REUSE          0.05  /* … above it the next step gets one */
#define WEIGHT         1e13  /* of the augmented Lagrangian: only how fast it converges */
#define NO_WEIGHT      1e-30
#define APPROACH       1e-2  /* of the farthest distance: closer to a singular position */
#define SLIGHT         1e-12 /* of their units: constraints that miss less are met */
#define LOOSE          1e-3  /* … of a step's motion, before the last change */
#define QUADRATIC      1e-12 /* of the length: a gradient that misses less is exact */

/* --- residual --- */

static void set_stage(trm_implicit *im) {
  const double *q = im->now.y;
  for (int i = 0; i < im->n; i++) {
    im->q[i] = q[i] + im->share * im->u[i];
    im->v[i] = im->v0[i] + im->gamma * im->u[i];
    im->a[i] = im->a0[i] + im->beta * im->u[i];
    im->x[i] = q[i] + im->u[i];
  }
}

/* Reactions along the discrete gradient: Ā u = φ(q + u) − φ(q) for constraints that are not
 * quadratic, too (Gonzalez), by the rotational part of u, on which alone they depend in other ways.
 * A constraint that moves keeps its midpoint gradient. */
static void add_discrete_gradient(trm_implicit *im, const trm_system *sys) {
  const trm_structure *s = &sys->structure;
  bool any = false;
  for (int r = 0; r < im->m; r++) {
    double miss = sys->C[r] - im->miss[r];
    bool fits = fabs(miss) <= QUADRATIC * im->length || im->rate[r] || trm_system_row_moves(sys, r);
    im->miss[r] = fits || im->left_out[r] ? 0 : miss;
    im->square[r] = 0;
    any = any || im->miss[r] != 0;
  }
  for (int pass = 0; any && pass < 2; pass++)
    for (int b = 0; b < s->blocks; b++)
      for (int k = s->panel_start[b]; k < s->panel_start[b + 1]; k++) {
        int r = s->panel_row[k];
        for (int i = s->q_start[b]; i < s->q_start[b + 1] && im->miss[r] != 0; i++) {
          double turn = im->turns[i] ? im->u[i] : 0;
          if (pass == 0)
            im->square[r] += turn * turn;
          else if (im->square[r] > 0)
            im->b[i] += im->lambda[r] * im->miss[r] / im->square[r] * turn;
        }
      }
}

static bool evaluate_stage(trm_implicit *im, trm_dynamics *d) {
  trm_system *sys = d->system;
  set_stage(im);
  d->evaluations++;
  trm_system_take_states(sys, im->v);
  if (!trm_system_position(sys, im->stage_t, im->q) || !trm_system_linearize(sys, im->v) ||
      !trm_system_velocity(sys, im->v))
    return false;
  trm_system_residual(sys, im->tangent, im->a, im->lambda, im->b);
  if (im->scheme->inertia) im->scheme->inertia(im, sys, NULL);
  memcpy(sys->lambda, im->lambda, (size_t)im->m * sizeof(double)); /* the power may need both */
  sys->a = im->a;
  im->power = trm_system_power(sys);
  trm_system_velocity_residual(sys, im->v, im->b + im->n); /* for the rows of velocity level */
  return true;
}

/* φ of the end, and velocity rows per gamma: lengths all of them. */
static void add_constraints(trm_implicit *im, const trm_system *sys) {
  double *phi = im->b + im->n;
  for (int r = 0; r < im->m; r++) phi[r] = im->rate[r] ? phi[r] / im->gamma : sys->C[r];
  for (int r = 0; r < im->m; r++)
    if (im->left_out[r]) phi[r] = 0;
}

/* --- Jacobian --- */

static double trace(const double *A, int begin, int width) {
  double sum = 0;
  for (int i = begin; i < width; i++) sum += A[i * width + i];
  return sum;
}

/* The constraint's own inertia, damping and stiffness as the step sees them, 004 eq. 19 with c =
 * W⁻¹a/(a W⁻¹aᵀ), W the diagonal of M: 1/E = weight Σ c² (M + gamma/beta D + share/beta K). */
static void find_weights(trm_implicit *im, const trm_structure *s) {
  const trm_tangent *t = im->tangent;
  double *reach = im->square; /* Σ a²/W */
  int width = t->K.width;
  memset(reach, 0, (size_t)im->m * sizeof(double));
  memset(im->E, 0, (size_t)im->m * sizeof(double));
  for (int b = 0; b < s->blocks; b++) {
    const double *a = im->A2 + s->panel_value[b], *M = t->M + (ptrdiff_t)b * width * width;
    const double *J = im->J + (ptrdiff_t)t->diagonal[b] * width * width;
    /* the diagonal of a flat body's M comes and goes with the position, its trace does not */
    bool shared = s->intrinsic > 0;
    double M_trace = shared ? trace(M, s->plain, width) : 0;
    double J_trace = shared ? trace(J, s->plain, width) : 0;
    for (int k = s->panel_start[b]; k < s->panel_start[b + 1]; k++, a += width)
      for (int i = 0; i < width; i++) {
        bool turns = shared && i >= s->plain;
        double W = turns ? M_trace : M[i * width + i], kept = turns ? J_trace : J[i * width + i];
        if (!im->constraint_inertia) kept -= W;
        if (!(W > 0)) continue;
        reach[s->panel_row[k]] += a[i] * a[i] / W;
        im->E[s->panel_row[k]] += a[i] * a[i] / (W * W) * kept;
      }
  }
  for (int r = 0; r < im->m; r++) {
    double weight = reach[r] > 0 ? im->E[r] / (reach[r] * reach[r]) : 1;
    double least = reach[r] > 0 && im->constraint_inertia ? 1e-3 / reach[r] : NO_WEIGHT;
    im->E[r] = 1 / (WEIGHT * trm_larger(weight, least));
  }
}

/* Rows of velocity level: Cq + share/gamma ∂(Cq v)/∂q, into A2. */
static void add_rate_rows(trm_implicit *im, trm_dynamics *d, bool before) {
  trm_system *sys = d->system;
  const trm_structure *s = &sys->structure;
  int total = s->panel_value[s->blocks];
  if (before) {
    trm_system_jacobian_slope(sys, im->tangent, im->v, im->slope);
    for (int k = 0; k < total; k++)
      im->slope[k] = sys->Cq[k] + im->share / im->gamma * im->slope[k];
    return;
  }
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), at = s->panel_value[b];
    for (int k = s->panel_start[b]; k < s->panel_start[b + 1]; k++, at += width)
      if (im->rate[s->panel_row[k]])
        memcpy(im->A2 + at, im->slope + at, (size_t)width * sizeof(double));
  }
}

/* At the stage: J and A1. */
static bool differentiate(trm_implicit *im, trm_dynamics *d) {
  trm_system *sys = d->system;
  size_t panels = (size_t)sys->structure.panel_value[sys->structure.blocks] * sizeof(double);
  if (!trm_system_tangent(sys, im->a, im->lambda, im->tangent)) return false;
  trm_tangent_combine(im->tangent, 1, im->gamma / im->beta, im->share / im->beta, im->J);
  if (im->scheme->inertia) im->scheme->inertia(im, sys, im->J);
  memcpy(im->A1, sys->Cq, panels);
  if (im->rates > 0) add_rate_rows(im, d, true);
  trm_system_law_slopes(sys);
  return true;
}

/* The rows' derivatives by the states that laws hang on: z moves by gamma u, at the end by
 * gamma/share u; rows of velocity level are divided by gamma. */
static void find_laws(trm_implicit *im, const trm_system *sys) {
  for (int i = 0; i < sys->law_slope_count; i++) {
    const trm_law_slope *s = &sys->law_slopes[i];
    im->law[i] = -s->slope * (im->rate[s->row] ? 1 : im->gamma / im->share);
  }
}

/* What one of span changes a row by, at most so far: a length, or a number where it is of
 * directions. */
static void find_units(trm_implicit *im, const trm_structure *s) {
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *a = im->A2 + s->panel_value[b], *span = im->span + s->q_start[b];
    for (int k = s->panel_start[b]; k < s->panel_start[b + 1]; k++, a += width) {
      double *unit = &im->unit[s->panel_row[k]];
      for (int i = 0; i < width; i++) *unit = trm_larger(*unit, fabs(a[i]) * span[i]);
    }
  }
}

/* At the end: A2, then all of it is factored. */
static bool factor(trm_implicit *im, trm_dynamics *d, bool first) {
  const trm_system *sys = d->system;
  size_t panels = (size_t)sys->structure.panel_value[sys->structure.blocks] * sizeof(double);
  memcpy(im->A2, sys->Cq, panels);
  if (im->rates > 0) add_rate_rows(im, d, false);
  find_weights(im, &sys->structure);
  find_units(im, &sys->structure);
  im->jacobians++;
  im->factored_beta = im->beta;
  im->factored_gamma = im->gamma;
  im->stale = false;
  find_laws(im, sys);
  im->factored = trm_kkt_factor(im->kkt, im->J, im->A1, im->A2, im->law, im->E, im->left_out);
  if (!im->factored) return false;
  double distance = trm_kkt_distance(im->kkt);
  im->distance = first ? distance : fmin(im->distance, distance); /* large λ hide it */
  im->farthest = fmax(im->farthest, distance);
  return true;
}

/* Compared with the best so far: masses and stiffnesses of all sizes are in it. A factorization
 * from there is not kept: with it the next step's iteration may go to any branch. */
static bool is_close(const trm_implicit *im) {
  return im->distance < APPROACH * im->farthest;
}

/* The stage is between the step's ends. */
static void take_end_states(const trm_implicit *im, trm_dynamics *d) {
  trm_system *sys = d->system;
  const double *now = im->now.y + d->at.z, *stage = im->v + sys->n;
  for (int k = 0; sys->filtered && k < sys->states; k++)
    sys->law_states[k] = now[k] + (stage[k] - now[k]) / im->share;
}

/* Residual, and the factorization where it is wanted. */
static bool linearize(trm_implicit *im, trm_dynamics *d, bool jacobian, bool first) {
  trm_system *sys = d->system;
  if (!evaluate_stage(im, d)) return false;
  if (jacobian && !differentiate(im, d)) return false;
  bool between = im->share < 1;
  if (between) {
    trm_jacobian_times(&sys->structure, sys->Cq, im->u, im->miss);
    take_end_states(im, d);
    if (!trm_system_position(sys, im->end_t, im->x)) return false;
    add_discrete_gradient(im, sys);
  }
  add_constraints(im, sys);
  return !jacobian || factor(im, d, first);
}

/* --- iteration --- */

/* The largest change in units of span; remembers where, and the residual. */
static double change(trm_implicit *im) {
  double size = 0, largest = 0;
  im->residual = 0;
  for (int i = 0; i < im->n; i++) im->b[i] /= -im->beta;
  for (int r = 0; r < im->m; r++) im->b[im->n + r] *= -1;
  for (int r = 0; r < im->m && !isnan(largest); r++) {
    double part = fabs(im->b[im->n + r]);
    if (part <= largest * im->unit[r]) continue;
    largest = part / im->unit[r];
    im->worst = im->n + r;
  }
  im->residual = im->violation = largest;
  trm_kkt_solve(im->kkt, im->b);
  int most = 0;
  for (int i = 0; i < im->n && !isnan(size); i++) {
    double part = fabs(im->b[i]) / im->span[i];
    if (part <= size) continue;
    most = i;
    size = part;
  }
  if (!(size <= largest)) {
    im->worst = most;
    im->residual = size;
  }
  trm_axpy(im->n, 1, im->b, im->u);
  trm_axpy(im->m, im->beta, im->b + im->n, im->lambda);
  return size;
}

static bool needs_jacobian(const trm_implicit *im) {
  return !im->factored || im->stale || fabs(im->factored_beta / im->beta - 1) > 1e-6 ||
         fabs(im->factored_gamma / im->gamma - 1) > 1e-6;
}

/* λ without bounds lets u come to rest although no position meets the constraints. */
static bool is_met(const trm_implicit *im) {
  return im->violation <= fmax(LOOSE * im->motion, SLIGHT);
}

typedef struct stage {
  trm_implicit *im;
  trm_dynamics *d;
} stage;

static double iterate(trm_newton *newton, bool renew) {
  const stage *at = newton->method;
  if (!linearize(at->im, at->d, renew, newton->made == 1)) return NAN;
  if (renew) newton->round_off = STALL;
  at->im->iterations++;
  double size = change(at->im);
  newton->met = is_met(at->im);
  return size;
}

bool trm_implicit_stage(trm_implicit *im, trm_dynamics *d) {
  stage at = {im, d};
  trm_newton newton = {.iterate = iterate,
                       .method = &at,
                       .tolerance = im->tolerance,
                       .round_off = ROUND_OFF,
                       .last_resort = im->scheme->kinetic ? 0 : STALL,
                       .slowest = SLOW,
                       .stalled_at = SLOW,
                       .most = MAX_ITERATIONS,
                       .renewals = MAX_JACOBIANS,
                       .trusts_new = true};
  if (!trm_newton_solve(&newton, needs_jacobian(im))) return false;
  im->stale = (newton.contraction > REUSE && !newton.stalled) || is_close(im);
  return true;
}
