/* Inertia over a step, body by body; the translations are as at the midpoint. */
#include "system/between.h"

#include <string.h>

#include "math/double2.h"
#include "system/mechanism.h"

enum { MOST = TRM_MOST_NQ, SQUARE = TRM_MOST_NQ * TRM_MOST_NQ };

bool trm_system_has_momenta(const trm_system *sys) {
  return !sys->generic && !sys->motion.coordinates->mass_constant;
}

/* Without what only the solver's M carries. */
static trm_inertia inertia_of(const trm_system *sys, const trm_tangent *t, int b) {
  const trm_structure *s = &sys->structure;
  trm_inertia inertia = sys->inertia[b];
  for (int i = 0; i < s->massless; i++)
    if (s->massless_block[i] == b && !t->kept[i])
      inertia.I[sys->motion.dim == 2 ? 2 : sys->massless_axis[i]] = 0;
  return inertia;
}

/* y += scale M(x) z, and s CᵢᵀCᵢ of a repaired M; over the rotational coordinates only */
static void add_mass_times(const trm_system *sys, const trm_inertia *inertia, int b,
                           const double *x, const double *z, double scale, double *y) {
  const trm_coordinates *co = sys->motion.coordinates;
  double M[SQUARE], C[6], rows[6 * MOST], repair = trm_system_repair(sys, b);
  co->mass(inertia, x, M);
  if (repair > 0) {
    co->normalize(x, C, rows);
    trm_repair_mass(co, repair, rows, M);
  }
  for (int i = co->dim; i < co->nq; i++)
    y[i] += scale * trm_pair_dot(co->nq - co->dim, M + i * co->nq + co->dim, z + co->dim);
}

/* What a body's rotation goes through. */
typedef struct stretch {
  const trm_coordinates *co;
  trm_inertia inertia;
  int b;
  double q0[MOST], q1[MOST], q[MOST], v0[MOST], v1[MOST], u[MOST];
} stretch;

static stretch stretch_of(const trm_system *sys, const trm_tangent *t, const trm_between *step,
                          int b) {
  stretch s = {.co = sys->motion.coordinates, .inertia = inertia_of(sys, t, b), .b = b};
  int at = b * s.co->nq;
  for (int i = 0; i < s.co->nq; i++) {
    s.u[i] = step->u[at + i];
    s.q0[i] = step->q0[at + i];
    s.q1[i] = s.q0[i] + s.u[i];
    s.q[i] = s.q0[i] + s.u[i] / 2;
    s.v0[i] = step->v0[at + i];
    s.v1[i] = 2 / step->h * s.u[i] - s.v0[i];
  }
  return s;
}

void trm_system_momenta(const trm_system *sys, const trm_tangent *t, const double *q,
                        const double *v, double *pi) {
  int nq = sys->motion.nq;
  memset(pi, 0, (size_t)sys->n * sizeof *pi);
  for (int b = 0; b < sys->motion.bodies; b++) {
    const trm_inertia inertia = inertia_of(sys, t, b);
    add_mass_times(sys, &inertia, b, q + b * nq, v + b * nq, 1, pi + b * nq);
  }
}

/* y += scale M̄ u */
static void add_mean_times(const trm_system *sys, const stretch *s, double scale, double *y) {
  add_mass_times(sys, &s->inertia, s->b, s->q0, s->u, scale / 2, y);
  add_mass_times(sys, &s->inertia, s->b, s->q1, s->u, scale / 2, y);
}

void trm_between_momenta(const trm_system *sys, const trm_tangent *t, const trm_between *step,
                         double *pi1) {
  int nq = sys->motion.nq;
  for (int i = 0; i < sys->n; i++) pi1[i] = -step->pi0[i];
  for (int b = 0; b < sys->motion.bodies; b++) {
    const stretch s = stretch_of(sys, t, step, b);
    add_mean_times(sys, &s, 2 / step->h, pi1 + b * nq);
  }
}

void trm_between_residual(const trm_system *sys, const trm_tangent *t, const trm_between *step,
                          double *r) {
  const trm_coordinates *co = sys->motion.coordinates;
  double h = step->h;
  for (int b = 0; b < sys->motion.bodies; b++) {
    const stretch s = stretch_of(sys, t, step, b);
    int at = b * co->nq;
    double y[MOST] = {0}, midpoint[MOST], Qv[MOST] = {0}, v[MOST];
    for (int i = 0; i < co->nq; i++) v[i] = s.u[i] / h;
    add_mean_times(sys, &s, 2 / (h * h), y);
    add_mass_times(sys, &s.inertia, b, s.v0, s.q, -0.5, y);
    add_mass_times(sys, &s.inertia, b, s.v1, s.q, -0.5, y);
    memset(midpoint, 0, sizeof midpoint);
    add_mass_times(sys, &s.inertia, b, s.q, step->a + at, 1, midpoint);
    if (co->inertia_force) co->inertia_force(&s.inertia, s.q, v, Qv);
    for (int i = co->dim; i < co->nq; i++)
      r[at + i] += y[i] - 2 / h * step->pi0[at + i] - midpoint[i] + Qv[i];
  }
}

/* block += scale ∂(M(x) z)/∂x */
static void add_mass_slope(const trm_system *sys, const trm_inertia *inertia, int b,
                           const double *x, const double *z, double scale, double *block) {
  const trm_coordinates *co = sys->motion.coordinates;
  double C[6], rows[6 * MOST] = {0}, repair = trm_system_repair(sys, b);
  co->mass_slope(inertia, x, z, scale, block);
  if (repair == 0) return;
  co->normalize(x, C, rows);
  trm_repair_slope(co, scale * repair, rows, z, block);
}

/* block += scale M(x), rotational */
static void add_mass(const trm_system *sys, const trm_inertia *inertia, int b, const double *x,
                     double scale, double *block) {
  const trm_coordinates *co = sys->motion.coordinates;
  for (int j = co->dim; j < co->nq; j++) {
    double unit[MOST] = {0}, column[MOST] = {0};
    unit[j] = 1;
    add_mass_times(sys, inertia, b, x, unit, scale, column);
    for (int i = co->dim; i < co->nq; i++) block[i * co->nq + j] += column[i];
  }
}

void trm_between_tangent(const trm_system *sys, const trm_tangent *t, const trm_between *step,
                         double *J) {
  const trm_coordinates *co = sys->motion.coordinates;
  double h = step->h, beta = 2 / (h * h), gamma = 1 / h;
  int nq = co->nq;
  for (int b = 0; b < sys->motion.bodies; b++) {
    const stretch s = stretch_of(sys, t, step, b);
    double block[SQUARE] = {0}, K[SQUARE] = {0}, D[SQUARE] = {0}, v[MOST];
    double *to = J + (ptrdiff_t)t->diagonal[b] * nq * nq;
    for (int i = 0; i < nq; i++) v[i] = s.u[i] / h;
    add_mass(sys, &s.inertia, b, s.q0, 0.5, block);
    add_mass(sys, &s.inertia, b, s.q1, 0.5, block);
    add_mass_slope(sys, &s.inertia, b, s.q1, s.u, 0.5, block);
    add_mass_slope(sys, &s.inertia, b, s.v1, s.q, -0.5 * (2 / h) / beta, block);
    add_mass(sys, &s.inertia, b, s.v0, -0.25 / beta, block);
    add_mass(sys, &s.inertia, b, s.v1, -0.25 / beta, block);
    /* what the stage's own tangent has instead */
    add_mass(sys, &s.inertia, b, s.q, -1, block);
    add_mass_slope(sys, &s.inertia, b, s.q, step->a + b * nq, -0.5 / beta, block);
    if (co->inertia_force_slope) co->inertia_force_slope(&s.inertia, s.q, v, 1, K, D);
    for (int i = co->dim; i < nq; i++)
      for (int j = co->dim; j < nq; j++)
        to[i * nq + j] +=
            block[i * nq + j] + 0.5 / beta * K[i * nq + j] + gamma / beta * D[i * nq + j];
  }
}
