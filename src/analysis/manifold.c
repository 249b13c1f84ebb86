/* The motions next to a state that the constraints allow. */
#include "analysis/manifold.h"

#include <float.h>
#include <string.h>

#include "integrator/saddle.h"
#include "math/difference.h"
#include "math/lapack.h"

#define REACH 0.02 /* of a coordinate's span: how far differences look */
#define SOON  2e-3 /* s, the same in time; of a short run: of its duration */

/* --- memory --- */

static bool create_arrays(trm_manifold *m) {
  trm_arena *arena = m->arena;
  const trm_structure *s = &m->system->structure;
  int half = m->n + m->states, rows = m->m + s->massless + 1;
  int panels = s->panel_value[s->blocks] + 1;
  m->q = TRM_NEW(arena, double, m->n);
  m->v = TRM_NEW(arena, double, half);
  m->a = TRM_NEW(arena, double, half);
  m->lambda = TRM_NEW(arena, double, rows);
  m->residual = TRM_NEW(arena, double, half);
  m->place_row = TRM_NEW(arena, int, rows);
  m->all_row = TRM_NEW(arena, int, rows);
  m->S = TRM_NEW(arena, double, panels);
  m->T = TRM_NEW(arena, double, panels);
  m->mass = TRM_NEW(arena, double, (size_t)m->n *(size_t)m->n);
  m->mass_pivot = TRM_NEW(arena, int, m->n);
  m->force = TRM_NEW(arena, double, half);
  m->product = TRM_NEW(arena, double, half);
  m->x = TRM_NEW(arena, double, half);
  m->row = TRM_NEW(arena, double, rows);
  m->row2 = TRM_NEW(arena, double, rows);
  m->g = TRM_NEW(arena, double, rows);
  m->probe = TRM_NEW(arena, double, 2 * half);
  m->unit = rows + (rows > half ? rows : half);
  if (m->unit < 2 * m->width) m->unit = 2 * m->width; /* states and their rates */
  m->room = TRM_NEW(arena, double, TRM_DIFFERENCE_ROOM * m->unit);
  return !trm_arena_failed(arena);
}

static bool has_rates(const trm_system *sys) {
  for (int i = 0; i < sys->m; i++)
    if (sys->rate_row[i]) return true;
  return false;
}

static bool create_spaces(trm_manifold *m) {
  trm_system *sys = m->system;
  int rows = m->m + sys->structure.massless;
  m->place = m->rates = &m->rate_space;
  if (!trm_null_space_create(&m->rate_space, m->arena, m->n, rows, sys->span)) return false;
  if (!has_rates(sys)) return true;
  m->place = &m->place_space;
  return trm_null_space_create(&m->place_space, m->arena, m->n, rows, sys->span);
}

trm_manifold *trm_manifold_create(trm_engine *e) {
  trm_arena *arena = trm_arena_create();
  trm_manifold *m = arena ? TRM_NEW(arena, trm_manifold, 1) : NULL;
  if (!m) {
    trm_arena_destroy(arena);
    return NULL;
  }
  trm_system *sys = e->system;
  *m = (trm_manifold){.engine = e, .system = sys, .arena = arena, .n = sys->n, .m = sys->m};
  m->states = sys->states;
  m->width = 2 * m->n + m->states;
  m->tangent = trm_tangent_create(sys, arena);
  if (m->tangent && create_arrays(m) && create_spaces(m)) {
    m->t = e->t;
    memcpy(m->q, e->y, (size_t)m->n * sizeof(double));
    memcpy(m->v, e->y + e->dynamics.at.v, (size_t)(m->n + m->states) * sizeof(double));
    if (sys->structure.massless > 0) trm_solver_find_free(e->solver, m->tangent->kept);
    return m;
  }
  trm_arena_destroy(arena);
  return NULL;
}

void trm_manifold_destroy(trm_manifold *m) {
  if (m) trm_arena_destroy(m->arena);
}

/* --- a state --- */

static bool stages(trm_manifold *m, double t, const double *q, const double *v) {
  trm_system *sys = m->system;
  trm_system_take_states(sys, v);
  return trm_system_position(sys, t, q) && trm_system_linearize(sys, v) &&
         trm_system_velocity(sys, v);
}

/* Rows of Cq into the space; redundant ones are left out. Rotations without inertia that nothing
 * determines stay: one row each. */
static int fill_rows(trm_manifold *m, bool all, trm_null_space *space, int *which) {
  const trm_system *sys = m->system;
  const trm_structure *s = &sys->structure;
  const bool *redundant = m->engine->dynamics.stabilizer->redundant;
  int *at = space->pivot, count = 0, n = m->n; /* pivot: free until it is factored */
  for (int r = 0; r < m->m; r++) {
    bool out =
        redundant[r] || (sys->inconsistent && sys->inconsistent[r]) || (!all && sys->rate_row[r]);
    at[r] = out ? -1 : count;
    if (!out) which[count++] = r;
  }
  int total = count;
  for (int i = 0; i < s->massless; i++)
    if (m->tangent->kept[i]) which[total++] = -1;
  memset(space->A, 0, (size_t)total * (size_t)n * sizeof(double));
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = sys->Cq + s->panel_value[b];
    for (int k = s->panel_start[b]; k < s->panel_start[b + 1]; k++, row += width)
      if (at[s->panel_row[k]] >= 0)
        memcpy(space->A + (size_t)at[s->panel_row[k]] * (size_t)n + s->q_start[b], row,
               (size_t)width * sizeof(double));
  }
  for (int i = 0; i < s->massless; i++) {
    if (!m->tangent->kept[i]) continue;
    int b = s->massless_block[i];
    memcpy(space->A + (size_t)count++ * (size_t)n + s->q_start[b], sys->N + s->massless_value[i],
           (size_t)trm_block_width(s, b) * sizeof(double));
  }
  return total;
}

/* Of all rows to those of a space. */
static const double *pick(const int *which, int count, const double *all, double *some) {
  for (int k = 0; k < count; k++) some[k] = which[k] < 0 ? 0 : all[which[k]];
  return some;
}

static void least_place(trm_manifold *m, const double *b, double *x) {
  const int *which = m->place == m->rates ? m->all_row : m->place_row;
  int count = m->place == m->rates ? m->all_rows : m->place_rows;
  trm_null_space_solve(m->place, pick(which, count, b, m->row2), x);
}

/* x [n], the least one with Cq x = b [m] */
static void find_least_rate(trm_manifold *m, const double *b, double *x) {
  trm_null_space_solve(m->rates, pick(m->all_row, m->all_rows, b, m->row2), x);
}

/* λ of Cqᵀ λ = f */
static void multipliers(trm_manifold *m, const double *f, double *lambda) {
  trm_null_space_multipliers(m->rates, f, m->row2);
  memset(lambda, 0, (size_t)m->m * sizeof(double));
  for (int k = 0; k < m->all_rows; k++)
    if (m->all_row[k] >= 0) lambda[m->all_row[k]] = m->row2[k];
}

static bool is_zero(int count, const double *x) {
  for (int i = 0; i < count; i++)
    if (x[i] != 0) return false;
  return true;
}

bool trm_manifold_evaluate(trm_manifold *m, double t, const double *q, const double *v) {
  trm_system *sys = m->system;
  m->t = t;
  memmove(m->q, q, (size_t)m->n * sizeof(double));
  memmove(m->v, v, (size_t)(m->n + m->states) * sizeof(double));
  if (!stages(m, t, m->q, m->v)) return false;
  m->all_rows = fill_rows(m, true, &m->rate_space, m->all_row);
  trm_null_space_factor(&m->rate_space, m->all_rows);
  if (m->place != m->rates) {
    m->place_rows = fill_rows(m, false, &m->place_space, m->place_row);
    trm_null_space_factor(&m->place_space, m->place_rows);
  }
  m->positions = m->place->dim;
  m->velocities = m->rates->dim;
  m->size = m->positions + m->velocities + m->states;
  m->moving = !is_zero(m->n, m->v) || !is_zero(m->m, sys->Qd) || !is_zero(m->m, sys->Ct) ||
              sys->filtered || !trm_system_is_linear(sys);
  return true;
}

static bool factor_mass(trm_manifold *m) {
  int f = m->velocities, info = 0;
  for (int j = 0; j < f; j++) {
    const double *Zj = m->rates->Z + (size_t)j * (size_t)m->n;
    memset(m->x, 0, (size_t)(m->n + m->states) * sizeof(double));
    memcpy(m->x, Zj, (size_t)m->n * sizeof(double));
    trm_tangent_mass_times(m->tangent, m->x, m->product);
    for (int i = 0; i < f; i++) {
      const double *Zi = m->rates->Z + (size_t)i * (size_t)m->n;
      double sum = 0;
      for (int k = 0; k < m->n; k++) sum += Zi[k] * m->product[k];
      m->mass[(size_t)j * (size_t)f + (size_t)i] = sum;
    }
  }
  if (f > 0) dgetrf_(&f, &f, m->mass, &f, m->mass_pivot, &info);
  return info == 0;
}

/* M a + Cqᵀ λ = f, Cq a = g: a = Cq⁺ g + Z α */
static void solve_motion(trm_manifold *m, const double *f, const double *g, double *a,
                         double *lambda) {
  int n = m->n, dim = m->velocities, one = 1, info;
  find_least_rate(m, g, a);
  memset(m->x, 0, (size_t)(n + m->states) * sizeof(double));
  memcpy(m->x, a, (size_t)n * sizeof(double));
  trm_tangent_mass_times(m->tangent, m->x, m->product);
  double *alpha = m->x;
  for (int j = 0; j < dim; j++) {
    const double *Z = m->rates->Z + (size_t)j * (size_t)n;
    alpha[j] = 0;
    for (int k = 0; k < n; k++) alpha[j] += Z[k] * (f[k] - m->product[k]);
  }
  if (dim > 0) dgetrs_("N", &dim, &one, m->mass, &dim, m->mass_pivot, alpha, &dim, &info, 1);
  for (int j = 0; j < dim; j++) trm_axpy(n, alpha[j], m->rates->Z + (size_t)j * (size_t)n, a);
  memset(m->x, 0, (size_t)(n + m->states) * sizeof(double));
  memcpy(m->x, a, (size_t)n * sizeof(double));
  trm_tangent_mass_times(m->tangent, m->x, m->product);
  for (int k = 0; k < n; k++) m->x[k] = f[k] - m->product[k];
  multipliers(m, m->x, lambda);
}

/* Tangents at (a, λ). */
static bool differentiate(trm_manifold *m) {
  trm_system *sys = m->system;
  memcpy(sys->lambda, m->lambda, (size_t)m->m * sizeof(double));
  sys->a = m->a;
  if (!trm_system_tangent(sys, m->a, m->lambda, m->tangent)) return false;
  trm_system_jacobian_slope(sys, m->tangent, m->a, m->S);
  trm_system_jacobian_slope(sys, m->tangent, m->v, m->T);
  return true;
}

bool trm_manifold_react(trm_manifold *m, const double *a) {
  trm_system *sys = m->system;
  memmove(m->a, a, (size_t)m->n * sizeof(double));
  memcpy(m->a + m->n, sys->state_rate, (size_t)m->states * sizeof(double));
  memset(m->lambda, 0, (size_t)m->m * sizeof(double));
  trm_system_residual(sys, m->tangent, m->a, m->lambda, m->residual);
  for (int k = 0; k < m->n; k++) m->force[k] = -m->residual[k];
  multipliers(m, m->force, m->lambda);
  return differentiate(m);
}

bool trm_manifold_accelerate(trm_manifold *m) {
  trm_system *sys = m->system;
  memset(m->a, 0, (size_t)(m->n + m->states) * sizeof(double));
  memset(m->lambda, 0, (size_t)m->m * sizeof(double));
  if (!trm_system_tangent(sys, m->a, m->lambda, m->tangent)) return false; /* M is wanted */
  if (!factor_mass(m)) {
    sys->place = (trm_place){0};
    strcpy(sys->error, "a rotation without inertia is held by forces alone: it has no motion of "
                       "its own to linearize; give its body an inertia");
    return false;
  }
  trm_system_residual(sys, m->tangent, m->a, m->lambda, m->residual);
  for (int k = 0; k < m->n; k++) m->force[k] = -m->residual[k];
  solve_motion(m, m->force, sys->Qd, m->a, m->lambda);
  memcpy(m->a + m->n, sys->state_rate, (size_t)m->states * sizeof(double));
  return differentiate(m);
}

/* --- directions --- */

typedef struct probe {
  trm_manifold *m;
  const double *direction, *rate, *multiplier;
  int input;
  double value; /* of the input */
  trm_reader read;
  void *context;
} probe;

/* The stages at the state next to this one. */
static bool move(probe *p, double h) {
  trm_manifold *m = p->m;
  double *q = m->probe, *v = q + m->n;
  m->away = h;
  memcpy(q, m->q, (size_t)m->n * sizeof(double));
  memcpy(v, m->v, (size_t)(m->n + m->states) * sizeof(double));
  if (p->direction) trm_axpy(m->width, h, p->direction, q); /* v stands behind q */
  if (p->input >= 0) m->system->given_inputs[p->input].value = p->value + h;
  return stages(m, p->input == TRM_TIME_ITSELF ? m->t + h : m->t, q, v);
}

/* Cq a − Qd, and the forces left over at fixed a and λ, rates of states behind them */
static bool right_hand_side(void *context, double h, double *out) {
  probe *p = context;
  trm_manifold *m = p->m;
  const trm_system *sys = m->system;
  if (!move(p, h)) return false;
  trm_jacobian_times(&sys->structure, sys->Cq, m->a, out);
  trm_axpy(m->m, -1, sys->Qd, out);
  trm_system_residual(sys, m->tangent, m->a, m->lambda, m->product);
  for (int i = 0; i < m->n + m->states; i++) out[m->m + i] = -m->product[i];
  return true;
}

/* C and Cq v + Ct at the fixed v */
static bool conditions(void *context, double h, double *out) {
  probe *p = context;
  trm_manifold *m = p->m;
  if (!move(p, h)) return false;
  memcpy(out, m->system->C, (size_t)m->m * sizeof(double));
  trm_system_velocity_residual(m->system, m->probe + m->n, out + m->m);
  return true;
}

static bool measured(void *context, double h, double *out) {
  probe *p = context;
  trm_manifold *m = p->m;
  trm_system *sys = m->system;
  if (!move(p, h)) return false;
  double *a = m->force; /* free here */
  memcpy(a, m->a, (size_t)(m->n + m->states) * sizeof(double));
  trm_axpy(m->n + m->states, h, p->rate + m->n, a);
  memcpy(sys->lambda, m->lambda, (size_t)m->m * sizeof(double));
  trm_axpy(m->m, h, p->multiplier, sys->lambda);
  sys->a = a;
  trm_system_find_motion(sys);
  p->read(p->context, sys, out);
  return true;
}

/* The largest part of a direction, by what its coordinates are measured by. */
static double reach_of(const trm_manifold *m, const double *direction) {
  double place = 0, speed = 0, fastest = 0;
  const double *dv = direction + m->n, *dz = dv + m->n, *z = m->v + m->n;
  for (int i = 0; i < m->n; i++) {
    place = fmax(place, fabs(direction[i]) / m->system->span[i]);
    speed = fmax(speed, fabs(dv[i]) / m->system->span[i]);
    fastest = fmax(fastest, fabs(m->v[i]) / m->system->span[i]);
  }
  for (int k = 0; k < m->states; k++) place = fmax(place, fabs(dz[k]) / fmax(1, fabs(z[k])));
  return fmax(place, speed / fmax(1, fastest));
}

static bool differences(trm_manifold *m, probe *p, trm_function function, int count, double *out) {
  trm_system *sys = m->system;
  trm_given_input before = {0};
  double step = 1;
  if (p->direction) {
    double reach = reach_of(m, p->direction);
    if (reach > 0) step = REACH / reach;
  }
  if (p->input >= 0) {
    before = sys->given_inputs[p->input];
    p->value = sys->slots[sys->model->signals[p->input].slot];
    sys->given_inputs[p->input] = (trm_given_input){.over = true, .value = p->value};
    step = fmin(step, REACH * fmax(1, fabs(p->value)));
  }
  if (p->input == TRM_TIME_ITSELF) step = fmin(step, SOON * fmin(1, m->engine->settings.duration));
  bool good = trm_difference(function, p, step, count, m->room, out);
  if (p->input >= 0) sys->given_inputs[p->input] = before;
  /* back to the state itself */
  if (!stages(m, m->t, m->q, m->v)) return false;
  memcpy(sys->lambda, m->lambda, (size_t)m->m * sizeof(double));
  sys->a = m->a;
  return good;
}

bool trm_manifold_follow(trm_manifold *m, const double *direction, int input, double *rate,
                         double *multiplier) {
  int n = m->n, half = n + m->states;
  double *slope = m->room + (TRM_DIFFERENCE_ROOM - 1) * m->unit;
  bool alone = !direction && input != TRM_NO_INPUT, driven = m->moving || alone;
  memset(slope, 0, (size_t)(m->m + half) * sizeof(double));
  if (driven) {
    probe p = {.m = m, .direction = direction, .input = input};
    if (!differences(m, &p, right_hand_side, m->m + half, slope)) return false;
  }
  if (alone || m->system->filtered) { /* the tangents have no joints whose laws hang on states */
    memcpy(m->force, slope + m->m, (size_t)half * sizeof(double));
  } else {
    memset(m->x, 0, (size_t)half * sizeof(double));
    memcpy(m->x, direction, (size_t)n * sizeof(double));
    trm_stiffness_times(m->tangent, m->x, m->force);
    trm_damping_times(m->tangent, direction + n, m->product);
    for (int i = 0; i < half; i++) m->force[i] = -(m->force[i] + m->product[i]);
    if (!driven) trm_jacobian_times(&m->system->structure, m->S, m->x, slope);
  }
  for (int i = 0; i < m->m; i++) m->g[i] = -slope[i];
  memset(rate, 0, (size_t)m->width * sizeof(double));
  if (direction) memcpy(rate, direction + n, (size_t)n * sizeof(double));
  memcpy(rate + 2 * n, m->force + n, (size_t)m->states * sizeof(double));
  solve_motion(m, m->force, m->g, rate + n, multiplier);
  return true;
}

bool trm_manifold_leave(trm_manifold *m, const double *direction, bool time, double *place,
                        double *speed) {
  double *slope = m->room + (TRM_DIFFERENCE_ROOM - 1) * m->unit;
  probe p = {.m = m, .direction = direction, .input = time ? TRM_TIME_ITSELF : TRM_NO_INPUT};
  if (!differences(m, &p, conditions, 2 * m->m, slope)) return false;
  memcpy(place, slope, (size_t)m->m * sizeof(double));
  memcpy(speed, slope + m->m, (size_t)m->m * sizeof(double));
  return true;
}

/* How C and Cq v + Ct change with q or z: into row[m] and g[m]. */
static bool condition_slopes(trm_manifold *m, const double *direction) {
  if (!m->moving) {
    memset(m->g, 0, (size_t)m->m * sizeof(double));
    return true;
  }
  if (m->system->filtered || !is_zero(m->m, m->system->Ct) || !trm_system_is_linear(m->system))
    return trm_manifold_leave(m, direction, false, m->row, m->g);
  trm_jacobian_times(&m->system->structure, m->T, direction, m->g);
  return true;
}

/* The velocity that goes with a change of place or of states. */
static bool complete(trm_manifold *m, double *direction) {
  if (!condition_slopes(m, direction)) return false;
  for (int i = 0; i < m->m; i++) m->g[i] *= -1;
  find_least_rate(m, m->g, direction + m->n);
  return true;
}

/* A state may move what joints hang on. */
static bool complete_place(trm_manifold *m, double *direction) {
  if (!m->system->filtered) return true;
  if (!condition_slopes(m, direction)) return false;
  for (int i = 0; i < m->m; i++) m->row[i] *= -1;
  least_place(m, m->row, direction);
  return true;
}

bool trm_manifold_place_of_state(trm_manifold *m, int state, double *direction) {
  memset(direction, 0, (size_t)m->width * sizeof(double));
  direction[2 * m->n + state] = 1;
  return complete_place(m, direction);
}

/* A state whose rate has a slope hangs on the place, or on a state. */
static void release(trm_manifold *m, const double *slope, bool *led) {
  for (int k = 0; k < m->states; k++) led[k] = led[k] && slope[m->n + k] == 0;
}

void trm_manifold_lead(trm_manifold *m, const double *of_state, bool *led, double *follow) {
  size_t n = (size_t)m->n, half = (n + (size_t)m->states) * sizeof(double);
  double *z = m->x;
  for (int k = 0; k < m->states; k++) led[k] = true;
  for (int j = 0; j < m->positions && m->states > 0; j++) {
    memset(m->x, 0, half);
    memcpy(m->x, m->place->Z + (size_t)j * n, n * sizeof(double));
    trm_stiffness_times(m->tangent, m->x, m->product);
    release(m, m->product, led);
    trm_damping_times(m->tangent, m->x, m->product);
    for (int k = 0; k < m->states; k++) follow[(size_t)k * n + (size_t)j] = -m->product[m->n + k];
  }
  for (int i = 0; i < m->states; i++) {
    memset(z, 0, half);
    memcpy(z, of_state + (size_t)i * (size_t)m->width, n * sizeof(double));
    trm_stiffness_times(m->tangent, z, m->product);
    release(m, m->product, led);
    memset(z, 0, half);
    z[m->n + i] = 1;
    trm_damping_times(m->tangent, z, m->product);
    release(m, m->product, led);
  }
  for (int k = 0; k < m->states; k++)
    if (!led[k]) memset(follow + (size_t)k * n, 0, n * sizeof(double));
}

/* What a basis of orthonormal columns, divided by spans, has of x. */
static double part_of(const trm_manifold *m, const double *Z, const double *x) {
  const double *span = m->system->span;
  double sum = 0;
  for (int i = 0; i < m->n; i++) sum += Z[i] / span[i] * (x[i] / span[i]);
  return sum;
}

void trm_manifold_parts(trm_manifold *m, const double *direction, double *c, double *left) {
  int n = m->n, first = m->positions + m->velocities;
  double *rest = m->probe;
  memcpy(rest, direction, (size_t)m->width * sizeof(double));
  for (int k = 0; k < m->states; k++) c[first + k] = direction[2 * n + k];
  for (int j = first; j < m->size; j++)
    trm_axpy(m->width, -c[j], m->direction + (size_t)j * (size_t)m->width, rest);
  for (int j = 0; j < m->positions; j++)
    c[j] = part_of(m, m->place->Z + (size_t)j * (size_t)n, rest);
  for (int j = 0; j < m->positions; j++)
    trm_axpy(m->width, -c[j], m->direction + (size_t)j * (size_t)m->width, rest);
  for (int j = 0; j < m->velocities; j++)
    c[m->positions + j] = part_of(m, m->rates->Z + (size_t)j * (size_t)n, rest + n);
  for (int j = m->positions; j < first; j++)
    trm_axpy(m->width, -c[j], m->direction + (size_t)j * (size_t)m->width, rest);
  if (!left) return;
  *left = 0;
  for (int i = 0; i < 2 * n; i++) *left = fmax(*left, fabs(rest[i]) / m->system->span[i % n]);
}

bool trm_manifold_directions(trm_manifold *m) {
  int n = m->n, width = m->width;
  size_t cells = (size_t)m->size * (size_t)width;
  m->direction = TRM_NEW(m->arena, double, cells + 1);
  m->rate = TRM_NEW(m->arena, double, cells + 1);
  m->multiplier = TRM_NEW(m->arena, double, (size_t)m->size *(size_t)m->m + 1);
  if (!m->direction || !m->rate || !m->multiplier) {
    strcpy(m->system->error, "out of memory");
    return false;
  }
  for (int j = 0; j < m->size; j++) {
    double *d = m->direction + (size_t)j * (size_t)width;
    int speed = j - m->positions, state = speed - m->velocities;
    memset(d, 0, (size_t)width * sizeof(double));
    if (speed < 0)
      memcpy(d, m->place->Z + (size_t)j * (size_t)n, (size_t)n * sizeof(double));
    else if (state < 0)
      memcpy(d + n, m->rates->Z + (size_t)speed * (size_t)n, (size_t)n * sizeof(double));
    else
      d[2 * n + state] = 1;
    bool good =
        (speed >= 0 && state < 0) || ((state < 0 || complete_place(m, d)) && complete(m, d));
    if (!good || !trm_manifold_follow(m, d, TRM_NO_INPUT, m->rate + (size_t)j * (size_t)width,
                                      m->multiplier + (size_t)j * (size_t)m->m))
      return false;
  }
  return true;
}

bool trm_manifold_slopes(trm_manifold *m, const trm_course_of *along, trm_reader read,
                         void *context, int count, double *slopes) {
  probe p = {.m = m,
             .direction = along->direction,
             .rate = along->rate,
             .multiplier = along->multiplier,
             .input = along->input,
             .read = read,
             .context = context};
  return differences(m, &p, measured, count, slopes);
}

/* --- onto the constraints --- */

enum { PASSES = 30 };

bool trm_manifold_close(trm_manifold *m, double t, double *q, const double *v, double *violation) {
  trm_system *sys = m->system;
  double last = INFINITY;
  trm_system_take_states(sys, v);
  for (int i = 0; i < PASSES; i++) {
    if (!trm_system_position(sys, t, q)) return false;
    double now = trm_system_violation(sys);
    *violation = now;
    if (!isfinite(now)) return false;
    if (now <= DBL_EPSILON * sys->size || now > 0.5 * last) break;
    last = now;
    for (int r = 0; r < m->m; r++) m->g[r] = sys->rate_row[r] ? 0 : -sys->C[r];
    least_place(m, m->g, m->x);
    trm_axpy(m->n, 1, m->x, q);
  }
  return *violation <= m->engine->settings.tolerance || trm_system_gap(sys) <= 1e-10;
}

void trm_manifold_allow(trm_manifold *m, double *v) {
  trm_system_velocity_residual(m->system, v, m->g);
  for (int i = 0; i < m->m; i++) m->g[i] *= -1;
  find_least_rate(m, m->g, m->x);
  trm_axpy(m->n, 1, m->x, v);
}

void trm_damping_times(const trm_tangent *t, const double *x, double *y) {
  memset(y, 0, (size_t)t->n * sizeof(double));
  for (int c = 0; c < t->n; c++)
    for (int e = t->column_start[c]; e < t->column_start[c + 1]; e++)
      y[t->row[e]] += t->D.value[t->from[e]] * x[c];
}
