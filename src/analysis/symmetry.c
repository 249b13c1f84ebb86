/* Which motions of the whole a mechanism does not notice. */
#include "analysis/symmetry.h"

#include <string.h>

#include "integrator/saddle.h"
#include "math/lapack.h"

#define NEGLIGIBLE 1e-10 /* of the largest that a change could do */

/* --- candidates --- */

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static int axes_of(const trm_system *sys) {
  return sys->motion.dim == 3 ? 3 : 1;
}

bool trm_symmetry_create(trm_symmetry *s, trm_manifold *m, int states) {
  const trm_system *sys = m->system;
  int half = m->n + m->states;
  *s = (trm_symmetry){0};
  s->turns = sys->generic ? 0 : trm_turning_axes(sys->model, s->turn);
  s->ways = sys->generic ? 0 : trm_moving_ways(sys->model, s->way);
  s->candidates = sys->generic ? m->n : s->turns + s->ways + axes_of(sys) * sys->motion.bodies;
  s->rows = half + 2 * (m->m + sys->structure.massless) + trm_steady_slips(sys);
  s->room = 64 * (s->candidates + 1);
  double **vectors[] = {&s->d, &s->Gv, &s->Ga, &s->change};
  s->pull = TRM_NEW(m->arena, double, 2 * half + 1);
  bool good = trm_steady_create(&s->unit, m);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = TRM_NEW(m->arena, double, half + 1);
  size_t k = (size_t)s->candidates + 1;
  s->motion = TRM_NEW(m->arena, double, k *k);
  s->height = states * s->rows;
  s->A = TRM_NEW(m->arena, double, k *((size_t)s->height + 1));
  s->row = TRM_NEW(m->arena, double, m->states + 1);
  s->reach = TRM_NEW(m->arena, double, m->m + 1);
  s->at = TRM_NEW(m->arena, double, k);
  s->tau = TRM_NEW(m->arena, double, k);
  s->work = TRM_NEW(m->arena, double, s->room);
  s->pivot = TRM_NEW(m->arena, int, k);
  return !trm_arena_failed(m->arena) && good;
}

/* to += scale × the candidate j, which moves coordinates by their spans a second */
static void add_candidate(const trm_symmetry *s, int j, const trm_system *sys, double scale,
                          trm_steady *to) {
  int way = j - s->turns, spin = way - s->ways, axes = axes_of(sys);
  if (sys->generic)
    to->rate[j] += scale * sys->span[j];
  else if (way < 0)
    trm_axpy(3, scale, s->turn[j], to->w);
  else if (spin < 0)
    trm_axpy(3, scale * sys->size, s->way[way], to->u);
  else
    to->spin[spin / axes][axes == 3 ? spin % 3 : 2] += scale;
}

static void read_candidates(const trm_symmetry *s, const trm_system *sys, const trm_steady *from,
                            double *at) {
  int axes = axes_of(sys);
  for (int j = 0; j < s->candidates; j++) {
    int way = j - s->turns, spin = way - s->ways;
    if (sys->generic)
      at[j] = from->rate[j] / sys->span[j];
    else if (way < 0)
      at[j] = trm_dot(3, s->turn[j], from->w);
    else if (spin < 0)
      at[j] = trm_dot(3, s->way[way], from->u) / sys->size;
    else
      at[j] = from->spin[spin / axes][axes == 3 ? spin % 3 : 2];
  }
}

static void clear(const trm_system *sys, trm_steady *st) {
  memset(st->u, 0, sizeof st->u);
  memset(st->w, 0, sizeof st->w);
  if (sys->generic) memset(st->rate, 0, (size_t)sys->n * sizeof(double));
  if (!sys->generic) memset(st->spin, 0, (size_t)sys->motion.bodies * sizeof *st->spin);
}

/* --- what they do --- */

/* The largest that a change could do to the forces, and to each state's rate. */
static double measure_rows(trm_symmetry *s, const trm_manifold *m, const double *f) {
  const trm_tangent *t = m->tangent;
  const double *span = m->system->span;
  double largest = 0;
  memset(s->row, 0, (size_t)m->states * sizeof(double));
  for (int c = 0; c < t->n; c++) {
    double by = c < m->n ? span[c] : 0, speed = c < m->n ? fabs(m->v[c]) : 0;
    for (int e = t->column_start[c]; e < t->column_start[c + 1]; e++) {
      int i = t->row[e];
      double does = fabs(t->K.value[t->from[e]]) * by + fabs(t->D.value[t->from[e]]) * speed;
      if (i < m->n) largest = fmax(largest, span[i] * does);
      if (i >= m->n) s->row[i - m->n] = fmax(s->row[i - m->n], does);
    }
  }
  for (int i = 0; i < m->n; i++) largest = fmax(largest, span[i] * fabs(f[i]));
  return largest;
}

/* The largest that a change could do to each constraint. */
static void measure_constraints(trm_symmetry *s, const trm_manifold *m) {
  const trm_system *sys = m->system;
  const trm_structure *st = &sys->structure;
  memset(s->reach, 0, (size_t)m->m * sizeof(double));
  for (int b = 0; b < st->blocks; b++) {
    int width = trm_block_width(st, b);
    const double *row = sys->Cq + st->panel_value[b], *span = sys->span + st->q_start[b];
    for (int k = st->panel_start[b]; k < st->panel_start[b + 1]; k++, row += width) {
      double *reach = &s->reach[st->panel_row[k]];
      for (int i = 0; i < width; i++) *reach = fmax(*reach, fabs(row[i]) * span[i]);
    }
  }
}

static bool counts(const trm_manifold *m, int row, bool driven) {
  const trm_system *sys = m->system;
  return row >= 0 && !sys->rate_row[row] && (driven || sys->Ct[row] == 0);
}

/* What the candidate j does to forces and rates of states that a symmetry would not. */
static void fill_forces(trm_symmetry *s, trm_manifold *m, const double *f, double largest,
                        double *column) {
  const trm_system *sys = m->system;
  int n = m->n, half = n + m->states, dim = m->velocities;
  trm_steady_pull(&s->unit, sys, f, s->pull, s->change);
  for (int i = 0; i < n; i++) s->change[i] *= -1;
  memset(s->change + n, 0, (size_t)m->states * sizeof(double));
  trm_stiffness_times(m->tangent, s->d, m->product);
  trm_axpy(half, 1, m->product, s->change);
  trm_damping_times(m->tangent, s->Gv, m->product);
  trm_axpy(half, 1, m->product, s->change);
  trm_tangent_mass_times(m->tangent, s->Ga, m->product);
  trm_axpy(n, 1, m->product, s->change);
  for (int i = 0; i < dim && largest > 0; i++) /* multipliers may turn, too */
    column[i] = dot(n, m->rates->Z + (size_t)i * (size_t)n, s->change) / largest;
  for (int k = 0; k < m->states; k++)
    if (s->row[k] > 0) column[n + k] = s->change[n + k] / s->row[k];
}

/* The same of constraints. Rows that hold may turn into one another. */
static void fill_constraints(trm_symmetry *s, trm_manifold *m, bool driven, double *column) {
  const trm_system *sys = m->system;
  const trm_structure *st = &sys->structure;
  double fastest = 0;
  for (int i = 0; i < m->n; i++) fastest = fmax(fastest, fabs(m->v[i]) / sys->span[i]);
  trm_jacobian_times(st, sys->Cq, s->d, m->row);
  for (int k = 0; k < m->all_rows; k++)
    if (counts(m, m->all_row[k], driven))
      column[k] = m->row[m->all_row[k]] / s->reach[m->all_row[k]];
  trm_jacobian_times(st, m->T, s->d, m->row);
  trm_jacobian_times(st, sys->Cq, s->Gv, m->g);
  for (int k = 0; k < m->all_rows && fastest > 0; k++) {
    int r = m->all_row[k];
    if (r < 0 || !sys->rate_row[r]) continue;
    double change = fabs(m->row[r] + m->g[r]) / s->reach[r];
    column[m->all_rows + k] = fmax(0, change - s->slip) / fastest;
  }
}

/* The largest velocity that constraints of velocities do not allow. */
static double measure_slip(const trm_symmetry *s, trm_manifold *m) {
  const trm_system *sys = m->system;
  double slip = 0;
  trm_system_velocity_residual(sys, m->v, m->g);
  for (int k = 0; k < m->all_rows; k++) {
    int r = m->all_row[k];
    if (r >= 0 && sys->rate_row[r]) slip = fmax(slip, fabs(m->g[r]) / s->reach[r]);
  }
  return slip;
}

static void fill(trm_symmetry *s, trm_manifold *m, int j, const double *f, bool driven,
                 double largest, double *column) {
  const trm_system *sys = m->system;
  size_t bytes = (size_t)(m->n + m->states) * sizeof(double);
  clear(sys, &s->unit);
  add_candidate(s, j, sys, 1, &s->unit);
  memset(s->d, 0, bytes);
  memset(s->Gv, 0, bytes);
  memset(s->Ga, 0, bytes);
  trm_steady_velocity(&s->unit, sys, m->q, s->d);
  trm_steady_turn(&s->unit, sys, m->v, s->Gv);
  trm_steady_turn(&s->unit, sys, m->a, s->Ga);
  memset(column, 0, (size_t)s->rows * sizeof(double));
  fill_forces(s, m, f, largest, column);
  fill_constraints(s, m, driven, column + m->n + m->states);
  trm_steady_slip(&s->unit, sys, column + s->rows - trm_steady_slips(sys));
}

/* --- which of them --- */

/* Each column by those before it, twice against round-off. */
static void make_orthonormal(trm_symmetry *s) {
  int k = s->candidates;
  for (int i = 0; i < s->count; i++) {
    double *x = s->motion + (size_t)i * (size_t)k;
    for (int j = 0; j < 2 * i; j++) {
      const double *y = s->motion + (size_t)(j % i) * (size_t)k;
      trm_axpy(k, -dot(k, x, y), y, x);
    }
    double size = sqrt(dot(k, x, x));
    for (int j = 0; j < k; j++) x[j] /= size;
  }
}

/* A P = Q R: with R = [R1 R2; 0 0] the null space is P (−R1⁻¹ R2, 1) */
void trm_symmetry_solve(trm_symmetry *s) {
  int rows = s->height, k = s->candidates, info, rank = 0, one = 1;
  int most = rows < k ? rows : k;
  memset(s->pivot, 0, (size_t)k * sizeof(int));
  dgeqp3_(&rows, &k, s->A, &rows, s->pivot, s->tau, s->work, &s->room, &info);
  while (rank < most && fabs(s->A[(size_t)rank * ((size_t)rows + 1)]) > NEGLIGIBLE) rank++;
  s->count = k - rank;
  memset(s->motion, 0, (size_t)s->count * (size_t)k * sizeof(double));
  for (int i = 0; i < s->count; i++) {
    double *x = s->motion + (size_t)i * (size_t)k, *R2 = s->A + (size_t)(rank + i) * (size_t)rows;
    if (rank > 0) dtrsv_("U", "N", "N", &rank, s->A, &rows, R2, &one, 1, 1, 1);
    for (int j = 0; j < rank; j++) x[s->pivot[j] - 1] = -R2[j];
    x[s->pivot[rank + i] - 1] = 1;
  }
  make_orthonormal(s);
}

void trm_symmetry_ask(trm_symmetry *s, int state, trm_manifold *m, const double *f, bool driven) {
  double largest = measure_rows(s, m, f);
  measure_constraints(s, m);
  s->slip = measure_slip(s, m);
  for (int j = 0; j < s->candidates; j++)
    fill(s, m, j, f, driven, largest,
         s->A + (size_t)j * (size_t)s->height + (size_t)state * (size_t)s->rows);
}

void trm_symmetry_find(trm_symmetry *s, trm_manifold *m, const double *f, bool driven) {
  trm_symmetry_ask(s, 0, m, f, driven);
  trm_symmetry_solve(s);
}

void trm_symmetry_get(const trm_symmetry *s, int k, const trm_system *sys, trm_steady *unit) {
  clear(sys, unit);
  for (int j = 0; j < s->candidates; j++)
    add_candidate(s, j, sys, s->motion[(size_t)k * (size_t)s->candidates + (size_t)j], unit);
}

double trm_symmetry_take(trm_symmetry *s, const trm_system *sys, trm_steady *frame) {
  int k = s->candidates;
  double *at = s->at, size;
  read_candidates(s, sys, frame, at);
  size = sqrt(dot(k, at, at));
  clear(sys, frame);
  for (int i = 0; i < s->count; i++) {
    const double *x = s->motion + (size_t)i * (size_t)k;
    double part = dot(k, x, at);
    trm_axpy(k, -part, x, at);
    for (int j = 0; j < k; j++) add_candidate(s, j, sys, part * x[j], frame);
  }
  return size > 0 ? sqrt(dot(k, at, at)) / size : 0;
}
