/* The linear problem behind a BDF step. */
#include "integrator/saddle.h"

#include <string.h>

#define REGULAR 1e-10

static int panel_values(const trm_structure *s) {
  return s->panel_value[s->blocks];
}

trm_saddle *trm_saddle_create(trm_arena *arena, trm_dynamics *d, bool sparse) {
  trm_saddle *sd = TRM_NEW(arena, trm_saddle, 1);
  const trm_structure *s = &d->system->structure;
  if (!sd) return NULL;
  sd->system = d->system;
  sd->solver = d->solver;
  sd->spare = d->stabilizer->spare;
  sd->tangent = trm_tangent_create(d->system, arena);
  if (!sd->tangent) return NULL;
  const trm_tangent *t = sd->tangent;
  int values = panel_values(s);
  sd->kkt = trm_kkt_create(arena, s, t->column_start, t->row, t->from, sparse);
  sd->J = TRM_NEW(arena, double, t->nonzeros + 1);
  sd->Cq = TRM_NEW(arena, double, values + 1);
  sd->S = TRM_NEW(arena, double, values + 1);
  sd->T = TRM_NEW(arena, double, values + 1);
  sd->A = TRM_NEW(arena, double, values + 1);
  sd->E = TRM_NEW(arena, double, s->m + 1);
  sd->b = TRM_NEW(arena, double, s->n + s->m);
  bool good = sd->kkt && sd->J && sd->Cq && sd->S && sd->T && sd->A && sd->E && sd->b;
  return good ? sd : NULL;
}

bool trm_saddle_linearize(trm_saddle *sd) {
  trm_system *sys = sd->system;
  if (!trm_system_tangent(sys, sys->a, sys->lambda, sd->tangent)) return false;
  memcpy(sd->Cq, sys->Cq, (size_t)panel_values(&sys->structure) * sizeof(double));
  trm_system_jacobian_slope(sys, sd->tangent, sys->a, sd->S);
  trm_system_jacobian_slope(sys, sd->tangent, sys->v, sd->T);
  return true;
}

void trm_regularize(const trm_system *sys, const trm_tangent *t, const double *Cq, double *e) {
  const trm_structure *s = &sys->structure;
  memset(e, 0, (size_t)s->m * sizeof(double));
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = Cq + s->panel_value[b], *M = t->M + (ptrdiff_t)b * width * width;
    double trace = 0;
    for (int k = 0; k < width; k++) trace += fabs(M[k * width + k]);
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++, row += width)
      for (int k = 0; k < width && trace > 0; k++)
        e[s->panel_row[r]] += REGULAR * row[k] * row[k] * width / trace;
  }
}

bool trm_saddle_factor(trm_saddle *sd, double gamma) {
  int values = panel_values(&sd->system->structure);
  sd->gamma = gamma;
  trm_tangent_combine(sd->tangent, 1, gamma, gamma * gamma, sd->J);
  for (int i = 0; i < values; i++)
    sd->A[i] = sd->Cq[i] + 2 * gamma * sd->T[i] + gamma * gamma * sd->S[i];
  trm_regularize(sd->system, sd->tangent, sd->Cq, sd->E);
  return trm_kkt_factor(sd->kkt, sd->J, sd->Cq, sd->A, sd->E, sd->spare);
}

bool trm_saddle_begin(trm_saddle *sd) {
  for (int i = 0; i < sd->system->structure.massless; i++)
    sd->tangent->kept[i] = trm_solver_rotation_is_free(sd->solver, i);
  return trm_saddle_linearize(sd) && trm_saddle_factor(sd, 0);
}

/* y += scale K x */
static void add_stiffness(const trm_tangent *t, double scale, const double *x, double *y) {
  for (int c = 0; c < t->K.bodies * t->K.width; c++)
    for (int e = t->column_start[c]; e < t->column_start[c + 1]; e++)
      y[t->row[e]] += scale * t->K.value[t->from[e]] * x[c];
}

/* y = M x */
static void mass_times(const trm_tangent *t, const double *x, double *y) {
  int width = t->K.width;
  for (int i = 0; i < t->K.bodies * width; i++) {
    y[i] = 0;
    for (int k = 0; k < width; k++)
      y[i] += t->M[(ptrdiff_t)i * width + k] * x[i / width * width + k];
  }
}

static void solve(trm_saddle *sd) {
  for (int i = 0; i < sd->system->m; i++)
    if (sd->spare[i]) sd->b[sd->system->n + i] = 0;
  trm_kkt_solve(sd->kkt, sd->b);
}

void trm_saddle_solve(trm_saddle *sd, double *b) {
  const trm_system *sys = sd->system;
  int n = sys->n;
  double *low = sd->b + n;
  mass_times(sd->tangent, b + n, sd->b);
  add_stiffness(sd->tangent, -sd->gamma, b, sd->b);
  trm_jacobian_times(&sys->structure, sd->S, b, sys->Qd);
  trm_jacobian_times(&sys->structure, sd->Cq, b + n, low);
  trm_axpy(sys->m, -sd->gamma, sys->Qd, low);
  solve(sd);
  memcpy(b + n, sd->b, (size_t)n * sizeof(double));
  trm_axpy(n, sd->gamma, sd->b, b);
}

void trm_saddle_accelerations(trm_saddle *sd, const double *f, const double *g, double *a,
                              double *lambda) {
  const trm_system *sys = sd->system;
  memcpy(sd->b, f, (size_t)sys->n * sizeof(double));
  memcpy(sd->b + sys->n, g, (size_t)sys->m * sizeof(double));
  solve(sd);
  memcpy(a, sd->b, (size_t)sys->n * sizeof(double));
  memcpy(lambda, sd->b + sys->n, (size_t)sys->m * sizeof(double));
}
