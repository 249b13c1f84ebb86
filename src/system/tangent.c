/* K, D and M of the equations of motion, and their residual. */
#include "system/tangent.h"

#include <string.h>

#include "system/mechanism.h"
#include "system/signals.h"
#include "system/tangent_work.h"
#include "system/tree.h"

/* --- one body's inertia and normalization --- */

void trm_tangent_copy_mass(const trm_system *sys, int b, double *M) {
  const trm_structure *s = &sys->structure;
  int width = trm_block_width(s, b);
  const double *from = sys->M + s->mass_value[b];
  if (!s->mass_diagonal) {
    memcpy(M, from, (size_t)(width * width) * sizeof *M);
    return;
  }
  memset(M, 0, (size_t)(width * width) * sizeof *M);
  for (int i = 0; i < width; i++) M[i * width + i] = from[i];
}

void trm_repair_slope(const trm_coordinates *co, double s, const double *rows, const double *a,
                      double *K) {
  double Ca[6] = {0}, C[6], slope[6 * TRM_MOST_NQ] = {0};
  int nq = co->nq;
  co->normalize(a, C, slope);
  for (int r = 0; r < co->intrinsic; r++)
    for (int i = 0; i < nq; i++) {
      Ca[r] += rows[r * nq + i] * a[i];
      trm_axpy(nq, s * rows[r * nq + i], slope + r * nq, K + i * nq);
    }
  co->normalize_bend(Ca, s, K);
}

static void body_tangent(const trm_system *sys, int b, const double *a, const double *lambda,
                         trm_tangent *t) {
  const trm_coordinates *co = sys->motion.coordinates;
  int at = b * co->nq, size = co->nq * co->nq;
  const double *q = sys->motion.q + at, *v = sys->v + at;
  double *K = t->K.value + (ptrdiff_t)t->diagonal[b] * size;
  double *D = t->D.value + (ptrdiff_t)t->diagonal[b] * size;
  trm_tangent_copy_mass(sys, b, t->M + (ptrdiff_t)b * size);
  if (co->mass_slope) co->mass_slope(&sys->inertia[b], q, a + at, 1, K);
  if (sys->repair)
    trm_repair_slope(co, trm_system_repair(sys, b), sys->Cq + sys->structure.panel_value[b], a + at,
                     K);
  if (co->inertia_force_slope) co->inertia_force_slope(&sys->inertia[b], q, v, -1, K, D);
  if (co->normalize_bend) co->normalize_bend(lambda + b * co->intrinsic, 1, K);
}

/* --- all of it --- */

static bool force_tangents(trm_system *sys, trm_force_tangent *to) {
  for (int i = 0; i < sys->model->force_count; i++) {
    const trm_element *e = &sys->elements[i];
    const char *reason = e->type->tangent(e, to);
    if (reason)
      return trm_system_fail(sys, sys->t, "force '%s': %s", sys->model->forces[i].name, reason);
  }
  return true;
}

static trm_force_tangent begin(trm_system *sys, trm_tangent *t) {
  trm_tangent_work *work = t->work;
  size_t size = (size_t)t->K.start[t->K.bodies] * (size_t)(t->K.width * t->K.width);
  memset(t->K.value, 0, size * sizeof(double));
  memset(t->D.value, 0, size * sizeof(double));
  return (trm_force_tangent){.K = {.motion = &sys->motion, .blocks = &t->K},
                             .D = &t->D,
                             .state_v = trm_body_rates(sys),
                             .state_block = trm_system_blocks(sys),
                             .slots = sys->slots,
                             .gradient = work->gradient,
                             .add_slot = trm_system_add_slot_slope,
                             .context = sys,
                             .push = &work->push,
                             .q = &work->q,
                             .v = &work->v};
}

static void add_curvature(const trm_system *sys, const double *lambda,
                          const trm_force_tangent *to) {
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    p->type->curvature(p, lambda + p->row, &to->K);
  }
}

static bool add_forces(trm_system *sys, trm_force_tangent *to) {
  trm_signals_differentiate(sys);
  return force_tangents(sys, to) && trm_signals_tangent(sys, to);
}

bool trm_mechanism_tangent(trm_system *sys, const double *a, const double *lambda, trm_tangent *t) {
  trm_force_tangent to = begin(sys, t);
  for (int b = 0; b < sys->motion.bodies; b++) body_tangent(sys, b, a, lambda, t);
  add_curvature(sys, lambda, &to);
  trm_tangent_remove_massless(sys, a, t, &to);
  return add_forces(sys, &to);
}

bool trm_tangent_elements(trm_system *sys, const double *lambda, trm_tangent *t) {
  trm_force_tangent to = begin(sys, t);
  add_curvature(sys, lambda, &to);
  return add_forces(sys, &to);
}

void trm_system_residual(const trm_system *sys, const trm_tangent *t, const double *a,
                         const double *lambda, double *r) {
  const trm_structure *s = &sys->structure;
  trm_mass_times(s, sys->M, a, r);
  trm_jacobian_transposed_add(s, sys->Cq, 1, lambda, r);
  trm_axpy(sys->n, -1, sys->Q, r);
  for (int i = 0; i < s->massless; i++) {
    int start = s->q_start[s->massless_block[i]], nq = sys->motion.nq;
    const double *N = sys->N + s->massless_value[i];
    double rate = sys->massless_bias[i];
    for (int k = 0; k < nq; k++) rate += N[k] * a[start + k];
    if (!t->kept[i]) trm_axpy(nq, -s->massless_inertia[i] * rate, N, r + start);
  }
  for (int k = 0; k < sys->states; k++) r[sys->n + k] = a[sys->n + k] - sys->state_rate[k];
}

void trm_mechanism_slope(const trm_system *sys, trm_tangent *t, const double *x, double *slope) {
  const trm_coordinates *co = sys->motion.coordinates;
  const trm_structure *s = &sys->structure;
  trm_row *row = &t->work->q;
  double C[6];
  for (int b = 0; b < sys->motion.bodies && co->intrinsic > 0; b++) {
    double *rows = slope + s->panel_value[b];
    memset(rows, 0, (size_t)(co->intrinsic * co->nq) * sizeof *rows);
    co->normalize(x + b * co->nq, C, rows); /* linear in q, symmetric */
  }
  const trm_curvature along_x = {.motion = &sys->motion, .x = x, .row = row};
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    for (int r = 0; r < p->rows; r++) {
      const double unit[3] = {r == 0, r == 1, r == 2};
      p->type->curvature(p, unit, &along_x);
      for (int k = 0; k < p->bodies; k++)
        memcpy(slope + (p->J[k] - sys->Cq) + (ptrdiff_t)r * co->nq,
               row->value + (ptrdiff_t)p->body[k] * co->nq, (size_t)co->nq * sizeof(double));
      trm_row_clear(row);
    }
  }
}

void trm_tangent_combine(const trm_tangent *t, double mass, double damping, double stiffness,
                         double *J) {
  int size = t->K.width * t->K.width, count = t->K.start[t->K.bodies] * size;
  for (int i = 0; i < count; i++) J[i] = damping * t->D.value[i] + stiffness * t->K.value[i];
  for (int b = 0; b < t->K.bodies; b++)
    trm_axpy(size, mass, t->M + (ptrdiff_t)b * size, J + (ptrdiff_t)t->diagonal[b] * size);
}
