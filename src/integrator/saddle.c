/* The linear problem behind a step of a stiff method. */
#include "integrator/saddle.h"

#include <string.h>

static int panel_values(const trm_structure *s) {
  return s->panel_value[s->blocks];
}

bool trm_slopes_create(trm_slopes *slopes, trm_arena *arena, const trm_system *sys) {
  const trm_structure *s = &sys->structure;
  slopes->law = TRM_KEEP_NEW(arena, double, sys->law_slope_count + 1);
  slopes->Cq = TRM_KEEP_NEW(arena, double, panel_values(s) + 1);
  slopes->S = TRM_KEEP_NEW(arena, double, panel_values(s) + 1);
  slopes->T = TRM_KEEP_NEW(arena, double, panel_values(s) + 1);
  return !trm_arena_failed(arena);
}

void trm_laws_times(const trm_slopes *slopes, const trm_system *sys, const double *x, double *y) {
  for (int i = 0; i < sys->law_slope_count; i++)
    y[sys->law_slopes[i].row] += slopes->law[i] * x[sys->n + sys->law_slopes[i].rate];
}

bool trm_slopes_find(trm_slopes *slopes, trm_system *sys, trm_tangent *tangent) {
  if (!trm_system_tangent(sys, sys->a, sys->lambda, tangent)) return false;
  memcpy(slopes->Cq, sys->Cq, (size_t)panel_values(&sys->structure) * sizeof(double));
  trm_system_jacobian_slope(sys, tangent, sys->a, slopes->S);
  trm_system_jacobian_slope(sys, tangent, sys->v, slopes->T);
  trm_system_law_slopes(sys);
  for (int i = 0; i < sys->law_slope_count; i++) slopes->law[i] = -sys->law_slopes[i].slope;
  return true;
}

trm_kkt *trm_kkt_of_tangent(trm_arena *arena, const trm_system *sys, const trm_tangent *t,
                            bool rates, int parts) {
  int laws = sys->law_slope_count;
  trm_kkt_entry *law = TRM_NEW(arena, trm_kkt_entry, laws + 1);
  for (int i = 0; law && i < laws; i++) {
    const trm_law_slope *slope = &sys->law_slopes[i];
    law[i] = (trm_kkt_entry){slope->row, sys->n + (rates ? slope->rate : slope->state)};
  }
  const trm_kkt_pattern pattern = {
      &sys->structure, t->column_start, t->row, t->from, t->n - sys->n, laws, law};
  return law ? trm_kkt_create(arena, &pattern, parts) : NULL;
}

trm_saddle *trm_saddle_create(trm_arena *arena, trm_dynamics *d) {
  trm_saddle *sd = TRM_NEW(arena, trm_saddle, 1);
  const trm_structure *s = &d->system->structure;
  if (!sd) return NULL;
  sd->system = d->system;
  sd->solver = d->solver;
  trm_solver_want_intrinsic(d->solver, true); /* they bend the constraints' forces */
  sd->chosen = d->stabilizer->redundant;
  sd->redundant = TRM_KEEP_NEW(arena, bool, s->m + 1);
  sd->tangent = trm_tangent_create(d->system, arena);
  if (!sd->tangent || !sd->redundant) return NULL;
  memcpy(sd->redundant, sd->chosen, (size_t)s->m * sizeof(bool));
  const trm_tangent *t = sd->tangent;
  int values = panel_values(s);
  TRM_KEEP(arena, sd->gamma);
  TRM_KEEP(arena, sd->complex_gamma);
  sd->kkt = trm_kkt_of_tangent(arena, d->system, t, true, 1);
  sd->J[0] = TRM_NEW(arena, double, t->nonzeros + 1);
  sd->A[0] = TRM_NEW(arena, double, values + 1);
  sd->E = TRM_NEW(arena, double, s->m + 1);
  sd->n = t->n;
  sd->b = TRM_NEW(arena, double, 2 * (t->n + s->m));
  sd->Mb = TRM_NEW(arena, double, t->n + s->m);
  sd->Kb = TRM_NEW(arena, double, t->n + s->m);
  return trm_slopes_create(&sd->at, arena, d->system) && sd->kkt ? sd : NULL;
}

bool trm_saddle_create_complex(trm_saddle *sd, trm_arena *arena) {
  const trm_structure *s = &sd->system->structure;
  const trm_tangent *t = sd->tangent;
  sd->complex_kkt = trm_kkt_of_tangent(arena, sd->system, t, true, 2);
  sd->J[1] = TRM_NEW(arena, double, t->nonzeros + 1);
  sd->A[1] = TRM_NEW(arena, double, panel_values(s) + 1);
  return sd->complex_kkt && sd->J[1] && sd->A[1];
}

bool trm_saddle_linearize(trm_saddle *sd) {
  return trm_slopes_find(&sd->at, sd->system, sd->tangent);
}

void trm_regularize(const trm_system *sys, const trm_tangent *t, const double *Cq, double *e) {
  const trm_structure *s = &sys->structure;
  memset(e, 0, (size_t)s->m * sizeof(double));
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = Cq + s->panel_value[b], *M = t->M + (ptrdiff_t)b * width * width;
    double trace = 0;
    const double *unit = sys->span + s->q_start[b]; /* lengths and pure numbers compare */
    for (int k = 0; k < width; k++) trace += fabs(M[k * width + k]) * unit[k] * unit[k];
    for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++, row += width)
      for (int k = 0; k < width && trace > 0; k++)
        e[s->panel_row[r]] += TRM_REGULAR * row[k] * row[k] * unit[k] * unit[k] * width / trace;
  }
}

/* One part of the matrix: its share of the terms of order zero, one and two in γ. */
static void combine(trm_saddle *sd, int part, double one, double gamma, double square) {
  int values = panel_values(&sd->system->structure);
  double *A = sd->A[part];
  trm_tangent_combine(sd->tangent, one, gamma, square, sd->J[part]);
  for (int i = 0; i < values; i++)
    A[i] = one * sd->at.Cq[i] + 2 * gamma * sd->at.T[i] + square * sd->at.S[i];
}

bool trm_saddle_factor(trm_saddle *sd, double gamma) {
  sd->gamma = gamma;
  memcpy(sd->redundant, sd->chosen, (size_t)sd->system->m * sizeof(bool));
  combine(sd, 0, 1, gamma, gamma * gamma);
  trm_regularize(sd->system, sd->tangent, sd->at.Cq, sd->E);
  return trm_kkt_factor(sd->kkt, sd->J[0], sd->at.Cq, sd->A[0], sd->at.law, sd->E, sd->redundant);
}

bool trm_saddle_factor_complex(trm_saddle *sd, const double gamma[2]) {
  double re = sd->complex_gamma[0] = gamma[0], im = sd->complex_gamma[1] = gamma[1];
  const double *J[2] = {sd->J[0], sd->J[1]}, *A[2] = {sd->A[0], sd->A[1]};
  combine(sd, 0, 1, re, re * re - im * im);
  combine(sd, 1, 0, im, 2 * re * im);
  trm_regularize(sd->system, sd->tangent, sd->at.Cq, sd->E);
  return trm_kkt_factor_complex(sd->complex_kkt, J, sd->at.Cq, A, sd->at.law, sd->E, sd->redundant);
}

void trm_saddle_begin(trm_saddle *sd) {
  trm_solver_find_free(sd->solver, sd->tangent->kept);
}

/* y = K x */
void trm_stiffness_times(const trm_tangent *t, const double *x, double *y) {
  memset(y, 0, (size_t)t->n * sizeof(double));
  for (int c = 0; c < t->n; c++)
    for (int e = t->column_start[c]; e < t->column_start[c + 1]; e++)
      y[t->row[e]] += t->K.value[t->from[e]] * x[c];
}

/* y = M x */
void trm_tangent_mass_times(const trm_tangent *t, const double *x, double *y) {
  int width = t->K.width;
  for (int i = 0; i < t->n; i++) {
    int first = i / width * width;
    y[i] = 0;
    for (int k = 0; k < width && first + k < t->n; k++)
      y[i] += t->M[(ptrdiff_t)i * width + k] * x[first + k];
  }
}

/* The right-hand side's terms of order zero and one in γ. */
static void multiply(trm_saddle *sd, const double *b) {
  const trm_structure *s = &sd->system->structure;
  int n = sd->n;
  trm_tangent_mass_times(sd->tangent, b + n, sd->Mb);
  trm_stiffness_times(sd->tangent, b, sd->Kb);
  trm_jacobian_times(s, sd->at.Cq, b + n, sd->Mb + n);
  trm_laws_times(&sd->at, sd->system, b + n, sd->Mb + n);
  trm_jacobian_times(s, sd->at.S, b, sd->Kb + n);
  for (int i = 0; i < s->m; i++)
    if (sd->redundant[i]) sd->Mb[n + i] = sd->Kb[n + i] = 0;
}

void trm_saddle_solve(trm_saddle *sd, double *b) {
  int n = sd->n;
  multiply(sd, b);
  for (int i = 0; i < n + sd->system->m; i++) sd->b[i] = sd->Mb[i] - sd->gamma * sd->Kb[i];
  trm_kkt_solve(sd->kkt, sd->b);
  memcpy(b + n, sd->b, (size_t)n * sizeof(double));
  trm_axpy(n, sd->gamma, sd->b, b);
}

void trm_saddle_solve_complex(trm_saddle *sd, double *re, double *im) {
  int n = sd->n, size = n + sd->system->m;
  const double *gamma = sd->complex_gamma;
  double *b = sd->b;
  multiply(sd, re);
  for (int i = 0; i < size; i++) {
    b[2 * i] = sd->Mb[i] - gamma[0] * sd->Kb[i];
    b[2 * i + 1] = -gamma[1] * sd->Kb[i];
  }
  multiply(sd, im);
  for (int i = 0; i < size; i++) {
    b[2 * i] += gamma[1] * sd->Kb[i];
    b[2 * i + 1] += sd->Mb[i] - gamma[0] * sd->Kb[i];
  }
  trm_kkt_solve(sd->complex_kkt, b);
  for (int i = 0; i < n; i++) {
    re[n + i] = b[2 * i];
    im[n + i] = b[2 * i + 1];
    re[i] += gamma[0] * b[2 * i] - gamma[1] * b[2 * i + 1];
    im[i] += gamma[0] * b[2 * i + 1] + gamma[1] * b[2 * i];
  }
}

void trm_saddle_accelerations(trm_saddle *sd, const double *f, const double *g, double *a,
                              double *lambda) {
  const trm_system *sys = sd->system;
  memcpy(sd->b, f, (size_t)sd->n * sizeof(double));
  memcpy(sd->b + sd->n, g, (size_t)sys->m * sizeof(double));
  /* g has the states' rates, the matrix, too */
  for (int i = 0; i < sys->law_slope_count; i++)
    sd->b[sd->n + sys->law_slopes[i].row] +=
        sd->at.law[i] * sys->state_rate[sys->law_slopes[i].rate];
  for (int i = 0; i < sys->m; i++)
    if (sd->redundant[i]) sd->b[sd->n + i] = 0;
  trm_kkt_solve(sd->kkt, sd->b);
  memcpy(a, sd->b, (size_t)sd->n * sizeof(double));
  memcpy(lambda, sd->b + sd->n, (size_t)sys->m * sizeof(double));
}
