/* Which rows the others determine: rank decisions where the pivots of the cheap factorization ask
 * for one, and the rows that are then left out. */
#include "solver/rows.h"

#include <math.h>
#include <string.h>

#include "math/loops.h"

/* Null vectors of all rows, doubles: up to here to find them costs less than to look at each loop.
 */
static const double few_values = 3e4;
/* Rows: beyond, memory for rank decisions is taken when it is asked for, or at the first rank loss:
 * it would dwarf what a system needs that only lives for its initial state. */
enum { at_once = 1000 };
/* Of the least pivot at which all rows were found to be independent: above it no rank is decided.
 */
static const double trusted_part = 0.1;
/* Of the largest pivot since the rows left out in general were chosen: below it others may do
 * better. Where rows do not fit exactly a change moves the position: it is put off. */
static const double poor = 0.3, very_poor = 0.01;

void trm_solver_prepare(trm_solver *solver) {
  if (!solver->local) solver->local = trm_local_rank_create(solver->arena, &solver->twist.rows);
  if (solver->local) solver->local->cut = solver->cut;
}

/* Below this pivot a rank is decided. */
static double deciding_pivot(const trm_solver *solver) {
  double root = fmax(solver->doubt, solver->cut);
  return solver->type->roots ? root : root * root;
}

bool trm_rows_create(trm_solver *solver, trm_linear linear) {
  const trm_structure *s = solver->structure;
  if (!trm_twist_create(&solver->twist, solver->arena, s)) return false;
  const trm_structure *rows = &solver->twist.rows;
  double values = (double)rows->m * (rows->n + 2.0 * rows->m);
  solver->large = linear == TRM_LINEAR_SPARSE || (linear == TRM_LINEAR_AUTO && values > few_values);
  solver->redundant = TRM_NEW(solver->arena, bool, s->m + 1);
  solver->left_out = TRM_NEW(solver->arena, bool, s->m + 1);
  solver->scratch = TRM_NEW(solver->arena, bool, s->m + 1);
  solver->loops = TRM_NEW(solver->arena, bool, s->m + 1);
  solver->unread_lambda = TRM_NEW(solver->arena, double, s->m + 1);
  solver->rest = TRM_NEW(solver->arena, double, 2 * (s->n + s->m) + 1);
  solver->y = TRM_NEW(solver->arena, double, rows->n + 1);
  solver->cut = TRM_RANK_CUT;
  solver->doubt = TRM_RANK_DOUBT;
  solver->trusted = deciding_pivot(solver);
  if (trm_arena_failed(solver->arena)) return false;
  if (rows->m > at_once) return true;
  trm_solver_prepare(solver);
  return solver->local;
}

static void leave_out_again(void *data) {
  trm_solver *solver = data;
  trm_solver_set_left_out(solver, solver->left_out, solver->left_out_count);
  if (solver->share) trm_least_norm_rows(solver->share, solver->redundant);
}

void trm_solver_keep(trm_solver *solver) {
  trm_arena *arena = solver->arena;
  size_t rows = (size_t)solver->structure->m * sizeof(bool);
  trm_keep(arena, solver->redundant, rows);
  trm_keep(arena, solver->left_out, rows);
  TRM_KEEP(arena, solver->left_out_count);
  TRM_KEEP(arena, solver->least);
  TRM_KEEP(arena, solver->trusted);
  TRM_KEEP(arena, solver->chosen);
  TRM_KEEP(arena, solver->rank_lost);
  TRM_KEEP(arena, solver->near);
  TRM_KEEP(arena, solver->unknown);
  TRM_KEEP(arena, solver->counters);
  if (solver->massless) TRM_KEEP(arena, solver->massless->free_count);
  trm_keep_derived(arena, leave_out_again, solver);
}

/* ---- rank decisions ---- */

/* The rows of the twist behind the blocks' intrinsic ones, which are never left out. */
static const bool *of_twist(const trm_solver *solver, const bool *rows) {
  return rows + solver->twist.first;
}

static int count_rows(const bool *rows, int count) {
  int sum = 0;
  for (int i = 0; i < count; i++) sum += rows[i];
  return sum;
}

static void leave_out(trm_solver *solver, const bool *of_joints) {
  int first = solver->twist.first, joints = solver->twist.rows.m;
  memset(solver->scratch, 0, (size_t)first * sizeof(bool));
  memcpy(solver->scratch + first, of_joints, (size_t)joints * sizeof(bool));
  trm_solver_set_left_out(solver, solver->scratch, count_rows(of_joints, joints));
  solver->rank_lost = true;
  trm_solver_factor_cheaply(solver);
}

/* Other rows are the redundant ones from now on. */
static void change_redundant(trm_solver *solver, const bool *of_joints) {
  leave_out(solver, of_joints);
  memcpy(solver->redundant, solver->left_out, (size_t)solver->structure->m * sizeof(bool));
  solver->rank_lost = false;
  if (solver->share) trm_least_norm_rows(solver->share, solver->redundant);
}

/* The rows kept in general are independent here, although masses make a pivot small. It falls with
 * the square of the distance. */
static void trust(trm_solver *solver, double distance) {
  double part = trusted_part * solver->doubt / distance;
  if (!solver->type->roots) part *= part;
  if (part < 1) solver->trusted = fmin(solver->trusted, solver->least * part);
}

/* The rows that are not left out are independent: small pivots are those of the order in which they
 * are eliminated. */
static void eliminate_otherwise(trm_solver *solver) {
  const trm_solver_class *type = solver->type;
  if (trm_rows_are_independent(solver) || !type->fall_back || !type->fall_back(solver->self))
    return;
  type->omit(solver->self, solver->left_out);
  trm_solver_factor_cheaply(solver);
}

/* What a decision on all rows leads to. */
static void follow(trm_solver *solver, int rank, double distance, const bool *of_joints) {
  int joints = solver->twist.rows.m;
  bool same = memcmp(of_joints, of_twist(solver, solver->left_out), (size_t)joints) == 0;
  if (rank < joints - solver->redundant_count) {
    if (!same) leave_out(solver, of_joints);
    if (solver->least == 0) eliminate_otherwise(solver);
    return;
  }
  solver->near = distance < solver->doubt;
  if (!same && solver->redundant_count > 0 && solver->cut == TRM_RANK_CUT)
    change_redundant(solver, of_joints); /* others, as many */
  solver->rank_lost = false;
  if (!solver->near || solver->least == 0) eliminate_otherwise(solver);
  if (!solver->near && solver->cut == TRM_RANK_CUT) trust(solver, distance);
}

/* Most redundancies are those of single loops: found one by one, without the whole. */
static bool leave_loops_out(trm_solver *solver) {
  bool *loose = solver->scratch;
  if (solver->known || !solver->large) return false;
  if (trm_loops_find(&solver->twist.rows, solver->twist.G, solver->cut, loose, NULL) <= 0)
    return false;
  memmove(solver->loops, loose, (size_t)solver->twist.rows.m * sizeof *loose);
  leave_out(solver, solver->loops);
  return trm_rows_are_independent(solver);
}

static void decide(trm_solver *solver) {
  trm_local_rank *local = solver->local;
  if (leave_loops_out(solver)) return;
  local->limit = solver->twist.rows.m - solver->redundant_count;
  local->known = solver->left_out_count > 0 ? of_twist(solver, solver->left_out) : NULL;
  local->known_here = solver->rank_lost;
  trm_local_rank_decide(local, solver->twist.G);
  solver->unknown = local->undecidable && !(solver->least > 0);
  if (!local->undecidable && local->valid)
    follow(solver, local->rank, local->distance, local->left_out);
}

void trm_rows_decide(trm_solver *solver) {
  solver->counters.decisions++;
  trm_solver_prepare(solver);
  solver->decided = solver->local;
  solver->unknown = !solver->decided && !(solver->least > 0);
  if (!solver->decided) return;
  trm_twist_fill(&solver->twist, solver->Cq);
  decide(solver);
}

/* What f would do to the bodies without constraints, as a scale. */
static void find_free_motion(trm_solver *solver, const double *f, double *x) {
  const trm_structure *s = solver->structure;
  trm_mass_of_coordinates(s, solver->M, x);
  for (int i = 0; i < s->n; i++) x[i] = x[i] > 0 ? f[i] / x[i] : 0;
}

void trm_rows_doubt(trm_solver *solver, const double *f, const double *g) {
  double *of_joints = solver->rest;
  find_free_motion(solver, f, solver->rest);
  trm_twist_of(&solver->twist, solver->rest, solver->y);
  trm_twist_gap(&solver->twist, solver->Cq, g, of_joints);
  if (trm_local_rank_doubt(solver->local, solver->y, of_joints))
    leave_out(solver, solver->local->left_out);
}

/* ---- rows left out ---- */

const bool *trm_solver_left_out(const trm_solver *solver) {
  return solver->left_out;
}

int trm_solver_rank(const trm_solver *solver) {
  return solver->unknown ? -1 : solver->structure->m - solver->left_out_count;
}

bool trm_solver_is_regular(const trm_solver *solver) {
  return !solver->rank_lost && !solver->unknown && !solver->near;
}

bool trm_rows_decide_all(trm_solver *solver) {
  if (solver->left_out_count == 0 || solver->unknown || !solver->M) return false;
  trm_solver_prepare(solver);
  trm_local_rank *local = solver->local;
  if (!local) return false;
  trm_twist_fill(&solver->twist, solver->Cq);
  local->limit = solver->twist.rows.m - solver->left_out_count;
  local->known = of_twist(solver, solver->left_out);
  local->known_here = true;
  trm_local_rank_decide(local, solver->twist.G);
  return !local->undecidable;
}

/* As the mechanism moves, the others determine the rows left out worse and worse; where these do
 * not fit exactly, others would ask for another position: whoever knows by how much must tell. */
bool trm_solver_choice_is_poor(trm_solver *solver) {
  if (solver->redundant_count == 0 || !trm_solver_is_regular(solver)) return false;
  double pivot = trm_solver_least_pivot(solver);
  solver->chosen = fmax(solver->chosen, pivot);
  return pivot < (solver->cut > TRM_RANK_CUT ? very_poor : poor) * solver->chosen;
}

void trm_solver_watch(trm_solver *solver) {
  solver->lowest = INFINITY;
}

bool trm_solver_choice_was_poor(const trm_solver *solver) {
  bool comparable = !solver->type->distance && solver->cut == TRM_RANK_CUT;
  return comparable && solver->redundant_count > 0 && solver->lowest < poor * solver->chosen;
}

/* Of few rows the best; of many those that loops leave over here, if they are all. */
static const bool *choose_best(trm_solver *solver) {
  int joints = solver->twist.rows.m, count = solver->redundant_count;
  const int *order = solver->local->K.order;
  if (!solver->null_vectors) {
    int found =
        trm_loops_find(&solver->twist.rows, solver->twist.G, solver->cut, solver->loops, NULL);
    return found == count ? solver->loops : of_twist(solver, solver->left_out);
  }
  trm_local_rank_null_space_roughly(solver->local, count, solver->null_vectors);
  for (int i = 0; i < joints; i++) /* of rows of unit norm */
    for (int k = 0; k < count; k++)
      solver->null_vectors[(ptrdiff_t)k * joints + order[i]] /= solver->local->scale[i];
  memset(solver->loops, 0, (size_t)joints * sizeof *solver->loops);
  trm_rank_choose(joints, count, solver->null_vectors, solver->loops);
  return solver->loops;
}

bool trm_solver_choose_anew(trm_solver *solver) {
  int joints = solver->twist.rows.m;
  solver->chosen = trm_solver_least_pivot(solver);
  if (solver->redundant_count == 0 || trm_solver_nullity(solver) != solver->redundant_count)
    return false;
  const bool *best = choose_best(solver);
  if (memcmp(best, of_twist(solver, solver->left_out), (size_t)joints) == 0) return false;
  change_redundant(solver, best);
  solver->chosen = trm_solver_least_pivot(solver);
  return true;
}

double trm_solver_least_pivot(const trm_solver *solver) {
  if (solver->rank_lost || solver->unknown) return 0;
  return solver->type->distance ? solver->type->distance(solver->self) : solver->least;
}

static void make_least_norm(trm_solver *solver) {
  const trm_structure *s = solver->structure;
  int count = solver->redundant_count;
  solver->share = NULL;
  solver->null_vectors = NULL;
  if (count > 0 && (double)solver->twist.rows.m * count <= few_values)
    solver->null_vectors = TRM_NEW(solver->arena, double, solver->twist.rows.m *count + 1);
  if (count == 0 || count > TRM_FEW_REDUNDANT || solver->massless || solver->shifted) return;
  if (!solver->pull) solver->pull = TRM_NEW(solver->arena, double, 2 * s->n + s->m + 3);
  if (solver->pull)
    solver->share = trm_least_norm_create(solver->arena, s, solver->redundant, count);
}

void trm_solver_set_redundant(trm_solver *solver, const bool *rows) {
  int m = solver->structure->m;
  solver->known = rows != NULL;
  for (int i = 0; i < m; i++) solver->redundant[i] = rows && rows[i];
  solver->redundant_count = count_rows(solver->redundant, m);
  solver->trusted = deciding_pivot(solver);
  solver->chosen = 0;
  trm_solver_set_left_out(solver, solver->redundant, solver->redundant_count);
  solver->rank_lost = false;
  make_least_norm(solver);
}

/* The cut is the root of what rows do not fit by, and the doubt its root again: so are TRM_RANK_CUT
 * and TRM_RANK_DOUBT of round-off. */
void trm_solver_cut(trm_solver *solver, double cut) {
  solver->cut = fmax(cut, TRM_RANK_CUT);
  solver->doubt = cut > TRM_RANK_CUT ? fmax(TRM_RANK_DOUBT, sqrt(cut)) : TRM_RANK_DOUBT;
  solver->trusted = deciding_pivot(solver);
  trm_solver_prepare(solver);
}
