/* The three stages of radau5 in one linear problem, each with the Jacobian of its own state.
 *
 * Σⱼ (A⁻¹)ᵢⱼ dZⱼ − h Jᵢ dZᵢ = h ρᵢ, where dqᵢ = h Σⱼ Aᵢⱼ (dvⱼ + ρqⱼ), is, like saddle.h's problem,
 *
 *     Σⱼ ((A⁻¹)ᵢⱼ Mᵢ + h δᵢⱼ Dᵢ + h² Aᵢⱼ Kᵢ) dvⱼ + Cqᵢᵀ h dλᵢ = h (Mᵢ ρvᵢ − Kᵢ h Σⱼ Aᵢⱼ ρqⱼ)
 *     Σⱼ ((A⁻¹)ᵢⱼ Cqᵢ + h δᵢⱼ Tᵢ + h² Aᵢⱼ Sᵢ) dvⱼ − E h dλᵢ   = h (Cqᵢ ρvᵢ − Sᵢ h Σⱼ Aᵢⱼ ρqⱼ)
 *
 * A stiff force whose direction turns by φ over the step makes simplified Newton contract like
 * stiffness × φ²; this one does not feel it. */
#include <string.h>

#include "integrator/radau5.h"

#define REDUCED 100 /* coordinates: above, multipliers stay, and factors are sparse */

static bool describe(trm_structure *to, const trm_structure *s, trm_arena *arena) {
  int blocks = 3 * s->blocks, rows = 9 * s->panel_start[s->blocks];
  int *q_start = TRM_NEW(arena, int, blocks + 1), *panel_start = TRM_NEW(arena, int, blocks + 1);
  int *panel_row = TRM_NEW(arena, int, rows + 1), *panel_value = TRM_NEW(arena, int, blocks + 1);
  if (trm_arena_failed(arena)) return false;
  for (int k = 0; k < blocks; k++) {
    int b = k % s->blocks, at = panel_start[k];
    q_start[k + 1] = q_start[k] + trm_block_width(s, b);
    for (int i = 0; i < 3; i++)
      for (int r = s->panel_start[b]; r < s->panel_start[b + 1]; r++)
        panel_row[at++] = i * s->m + s->panel_row[r];
    panel_start[k + 1] = at;
    panel_value[k + 1] = panel_value[k] + (at - panel_start[k]) * trm_block_width(s, b);
  }
  *to = (trm_structure){.n = 3 * s->n,
                        .m = 3 * s->m,
                        .blocks = blocks,
                        .q_start = q_start,
                        .panel_start = panel_start,
                        .panel_row = panel_row,
                        .panel_value = panel_value};
  return true;
}

/* Where entry k of stage i is: the states of all stages are behind all coordinates. */
static int place(const trm_radau_stages *st, int i, int k) {
  int n = st->n - st->states;
  return k < n ? i * n + k : 3 * n + i * st->states + k - n;
}

/* Where it is in the right-hand side of the last factorization. */
static int entry(const trm_radau_stages *st, int i, int k) {
  return st->is_reduced ? i * st->n + k : place(st, i, k);
}

/* Rows of stage i by the states of stage j; how many there are. */
static int list_laws(const trm_radau_stages *st, trm_kkt_entry *law) {
  const trm_system *sys = st->system;
  int count = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < sys->law_slope_count; k++)
        law[count++] = (trm_kkt_entry){i * sys->m + sys->law_slopes[k].row,
                                       place(st, j, sys->n + sys->law_slopes[k].rate)};
  return count;
}

static trm_kkt *create_kkt(const trm_radau_stages *st, trm_arena *arena) {
  const trm_tangent *t = st->tangent[0];
  int n = st->n, count = t->nonzeros, at = 0;
  int *start = TRM_NEW(arena, int, 3 * n + 1), *row = TRM_NEW(arena, int, 9 * count + 1);
  int *from = TRM_NEW(arena, int, 9 * count + 1);
  trm_kkt_entry *law = TRM_NEW(arena, trm_kkt_entry, 9 * st->system->law_slope_count + 1);
  if (trm_arena_failed(arena)) return NULL;
  int coordinates = n - st->states;
  for (int c = 0; c < 3 * n; c++) {
    int state = c - 3 * coordinates;
    int j = state < 0 ? c / coordinates : state / st->states;
    int k = state < 0 ? c % coordinates : coordinates + state % st->states;
    for (int i = 0; i < 3; i++)
      for (int e = t->column_start[k]; e < t->column_start[k + 1]; e++, at++) {
        row[at] = place(st, i, t->row[e]);
        from[at] = (3 * i + j) * count + t->from[e];
      }
    start[c + 1] = at;
  }
  int laws = list_laws(st, law);
  const trm_kkt_pattern pattern = {&st->structure, start, row, from, 3 * st->states, laws, law};
  return trm_kkt_create(arena, &pattern, 1);
}

bool trm_radau_stages_create(trm_radau_stages *st, trm_arena *arena, trm_dynamics *d,
                             trm_linear linear) {
  const trm_structure *s = &d->system->structure;
  st->system = d->system;
  st->n = d->at.v;
  st->states = d->at.states;
  trm_solver_want_intrinsic(d->solver, true); /* they bend the constraints' forces */
  for (int i = 0; i < 3; i++) {
    st->tangent[i] = trm_tangent_create(d->system, arena);
    if (!st->tangent[i] || !trm_slopes_create(&st->at[i], arena, d->system)) return false;
    trm_solver_find_free(d->solver, st->tangent[i]->kept);
  }
  if (!describe(&st->structure, s, arena)) return false;
  int values = st->structure.panel_value[st->structure.blocks];
  TRM_KEEP(arena, st->is_reduced);
  st->kkt = create_kkt(st, arena);
  st->J = TRM_NEW(arena, double, 9 * st->tangent[0]->nonzeros + 1);
  st->A1 = TRM_NEW(arena, double, values + 1);
  st->A2 = TRM_NEW(arena, double, values + 1);
  st->E = TRM_NEW(arena, double, 3 * s->m + 1);
  st->b = TRM_NEW(arena, double, 3 * (st->n + s->m) + 1);
  st->x = TRM_NEW(arena, double, st->n + s->m + 1);
  st->Mx = TRM_NEW(arena, double, st->n + 1);
  st->law = TRM_NEW(arena, double, 9 * d->system->law_slope_count + 1);
  st->redundant = TRM_NEW(arena, bool, 3 * s->m + 1);
  int kept = 0;
  for (int r = 0; r < s->m; r++) kept += !d->stabilizer->redundant[r];
  bool small = linear == TRM_LINEAR_AUTO ? st->n <= REDUCED : linear == TRM_LINEAR_DENSE;
  bool reduces = small && kept <= s->n && d->system->law_slope_count == 0;
  if (reduces)
    st->reduced = trm_radau_reduced_create(arena, s, st->states, d->stabilizer->redundant);
  if (reduces && !st->reduced) return false;
  if (trm_arena_failed(arena) || !st->kkt) return false;
  st->chosen = d->stabilizer->redundant;
  return true;
}

/* The rows of stage i that the velocities of stage j enter, of all blocks. */
static void fill_rows(trm_radau_stages *st, const trm_radau_table *table, double h, int i, int j) {
  const trm_structure *s = &st->system->structure, *all = &st->structure;
  const trm_slopes *at = &st->at[i];
  double one = table->inverse_A[i][j], two = h * h * table->A[i][j], both = i == j ? 2 * h : 0;
  for (int b = 0; b < s->blocks; b++) {
    int from = s->panel_value[b], count = s->panel_value[b + 1] - from;
    int to = all->panel_value[j * s->blocks + b] + i * count;
    for (int k = 0; k < count; k++) {
      double Cq = at->Cq[from + k];
      st->A1[to + k] = i == j ? Cq : 0;
      st->A2[to + k] = one * Cq + both * at->T[from + k] + two * at->S[from + k];
    }
  }
}

static bool factor_whole(trm_radau_stages *st, const trm_radau_table *table, double h) {
  int m = st->system->m, count = st->tangent[0]->nonzeros, laws = st->system->law_slope_count;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      trm_tangent_combine(st->tangent[i], table->inverse_A[i][j], i == j ? h : 0,
                          h * h * table->A[i][j], st->J + (ptrdiff_t)(3 * i + j) * count);
      fill_rows(st, table, h, i, j);
      for (int k = 0; k < laws; k++)
        st->law[(3 * i + j) * laws + k] = table->inverse_A[i][j] * st->at[i].law[k];
    }
    trm_regularize(st->system, st->tangent[i], st->at[i].Cq, st->E + i * m);
  }
  return trm_kkt_factor(st->kkt, st->J, st->A1, st->A2, st->law, st->E, st->redundant);
}

bool trm_radau_stages_factor(trm_radau_stages *st, const trm_radau_table *table, double h) {
  int m = st->system->m;
  for (int i = 0; i < 3; i++) memcpy(st->redundant + i * m, st->chosen, (size_t)m * sizeof(bool));
  st->is_reduced = st->reduced && trm_radau_reduced_factor(st->reduced, st, table, h);
  return st->is_reduced || factor_whole(st, table, h);
}

void trm_radau_stages_solve(trm_radau_stages *st, const trm_radau_table *table, double h,
                            double *const r[3]) {
  const trm_structure *s = &st->system->structure;
  int n = st->n, m = s->m;
  for (int k = 0; k < n; k++) { /* what ρq alone makes of q */
    double x = r[0][k], y = r[1][k], z = r[2][k];
    for (int i = 0; i < 3; i++)
      r[i][k] = h * (table->A[i][0] * x + table->A[i][1] * y + table->A[i][2] * z);
  }
  for (int i = 0; i < 3; i++) {
    double *low = st->b + 3 * n + i * m, *top = st->Mx;
    trm_tangent_mass_times(st->tangent[i], r[i] + n, top);
    trm_stiffness_times(st->tangent[i], r[i], st->x);
    trm_jacobian_times(s, st->at[i].Cq, r[i] + n, low);
    trm_laws_times(&st->at[i], st->system, r[i] + n, low);
    trm_jacobian_times(s, st->at[i].S, r[i], st->x + n);
    for (int k = 0; k < n; k++) st->b[entry(st, i, k)] = h * (top[k] - st->x[k]);
    for (int k = 0; k < m; k++) low[k] = st->redundant[k] ? 0 : h * (low[k] - st->x[n + k]);
  }
  if (st->is_reduced)
    trm_radau_reduced_solve(st->reduced, st->b);
  else
    trm_kkt_solve(st->kkt, st->b);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < n; k++) {
      r[i][n + k] = st->b[entry(st, i, k)];
      for (int j = 0; j < 3; j++) r[i][k] += h * table->A[i][j] * st->b[entry(st, j, k)];
    }
  }
}
