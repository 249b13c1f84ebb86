/* Forces that nothing holds at a state, beside those that act there. */
#include "analysis/balance.h"

#include <math.h>
#include <string.h>

#include "integrator/saddle.h"

#define LITTLE 1e-3 /* of a span */

double trm_balance_little(const trm_manifold *m) {
  const trm_tangent *t = m->tangent;
  const double *span = m->system->span;
  double largest = 0;
  for (int c = 0; c < m->n; c++)
    for (int e = t->column_start[c]; e < t->column_start[c + 1]; e++)
      if (t->row[e] == c)
        largest = fmax(largest, LITTLE * fabs(t->K.value[t->from[e]]) * span[c] * span[c]);
  return largest;
}

/* What velocities cause: drags that cancel drives are in none of the sums. */
static double largest_drag(const trm_manifold *m) {
  const trm_tangent *t = m->tangent;
  double largest = 0;
  for (int c = 0; c < m->n; c++)
    for (int e = t->column_start[c]; e < t->column_start[c + 1]; e++)
      if (t->row[e] < m->n)
        largest =
            fmax(largest, fabs(t->D.value[t->from[e]] * m->v[c]) * m->system->span[t->row[e]]);
  return largest;
}

/* Moments of forces about the axes of coordinates. */
static double largest_force(const trm_manifold *m, const double *reaction) {
  const trm_system *sys = m->system;
  double largest = largest_drag(m);
  for (int i = 0; i < m->n; i++) {
    double weight = sys->weight_force ? sys->weight_force[i] : 0, other = m->residual[i] + weight;
    double force = fmax(fmax(fabs(weight), fabs(other)), fabs(reaction[i]));
    largest = fmax(largest, force * sys->span[i]);
  }
  return largest;
}

double trm_balance(const trm_manifold *m, double little, double *f) {
  double left = 0;
  memset(f, 0, (size_t)m->n * sizeof(double));
  trm_jacobian_transposed_add(&m->system->structure, m->system->Cq, -1, m->lambda, f);
  double largest = fmax(little, largest_force(m, f));
  for (int i = 0; i < m->n; i++) f[i] -= m->residual[i];
  for (int j = 0; j < m->velocities; j++) {
    const double *Z = m->rates->Z + (size_t)j * (size_t)m->n;
    double along = 0;
    for (int i = 0; i < m->n; i++) along += Z[i] * f[i];
    left = fmax(left, fabs(along));
  }
  return largest > 0 ? left / largest : 0;
}
