/* The front of the linear solvers: the cheap factorization first, the rank-revealing one where it
 * fails. */
#include "solver/solver.h"

#include <math.h>
#include <string.h>

#include "math/local_rank.h"
#include "math/loops.h"
#include "math/rank.h"
#include "math/repaired.h"
#include "math/shifted.h"
#include "math/simplicial.h"
#include "solver/massless.h"
#include "solver/share.h"

/* Unknowns; up to here the matrices of the augmented and the general form are factored densely. */
enum { dense_size = 60 };
/* Doubles; up to here a dense rank decision costs less than finding the place of the loss. */
static const double dense_rank = 3e4;
/* Beyond this memory for rank decisions is taken when it is asked for, or at the first rank loss: it
 * would dwarf what a system needs that only lives for its initial state. */
static const double dense_at_once = 4e6;
/* And beyond this it is hopeless: the cheap one with its lost pivots left out must do. */
static const double dense_at_all = 4e7;
/* A row takes part in a dependency where a null vector has more than round-off there. */
static const double least_share = 1e-6;
/* Of a null vector's largest entry: elimination with one as small as this is still sound. */
static const double least_pivot = 1e-3;

struct trm_solver {
  const trm_solver_class *type;
  void *self;
  trm_arena *arena;
  const trm_structure *structure;
  const double *M, *Cq;      /* of the last factorization */
  const trm_structure *seen; /* by the rank-revealing factorization: the shifted one, or the same */
  trm_shifted *shifted;      /* NULL: M is definite and the form plain */
  trm_repaired *repaired;    /* NULL: M is definite, or shifted */
  bool repairs;              /* the cheap factorization needs it, too */
  bool locally;              /* ranks are decided where they are lost */
  bool by_loops;             /* what each loop has too many is looked for first */
  trm_rank *rank;            /* NULL: not needed yet, or too large */
  trm_local_rank *local;     /* NULL: not needed yet */
  trm_massless *massless;    /* NULL: none */
  double *spare;             /* [m] for a lambda nobody wants */
  bool *loose;               /* [m] rows left out: others determine them; NULL: not needed yet */
  int loose_count;
  double *pull;     /* [2 n + m + 3] for a force, what it moves, and zeros */
  trm_share *share; /* of multipliers among them and the others; NULL: they are many, or none */
  bool hold;        /* they stay left out at the next factorization */
  int limit;        /* of the rank */
  bool sound;       /* the cheap factorization holds */
  bool fallback;    /* the rank-revealing one is in use */
  trm_solver_counters counters;
};

static bool is_sparse(const trm_structure *s, trm_linear linear) {
  return linear == TRM_LINEAR_AUTO ? s->n + s->m > dense_size : linear == TRM_LINEAR_SPARSE;
}

static bool is_shifted(const trm_solver *solver) {
  return solver->type->shifts || (solver->structure->mass_singular && solver->type->takes_singular);
}

/* The shifted form is one dense block; the others lose rank in a few places of many. */
static bool decide_locally(const trm_solver *solver, trm_linear linear) {
  if (is_shifted(solver) || linear == TRM_LINEAR_DENSE) return false;
  return linear == TRM_LINEAR_SPARSE || trm_rank_storage(solver->structure) > dense_rank;
}

/* Memory for what is likely or small. */
static bool prepare_fallback(trm_solver *solver) {
  double storage = trm_rank_storage(solver->seen);
  if (storage > dense_at_once) return true;
  if (solver->locally) {
    solver->local = trm_local_rank_create(solver->arena, solver->seen);
    return solver->local != NULL;
  }
  solver->rank = trm_rank_create(solver->arena, solver->seen);
  return solver->rank != NULL;
}

static bool shift(trm_solver *solver) {
  solver->shifted = trm_shifted_create(solver->arena, solver->structure);
  if (solver->shifted) solver->seen = &solver->shifted->structure;
  return solver->shifted;
}

/* What the rank-revealing factorization sees: it needs a definite M. A large shifted one waits
 * until the rank is lost. */
static bool make_definite(trm_solver *solver) {
  const trm_structure *s = solver->structure;
  if (is_shifted(solver)) {
    bool waits = !solver->type->shifts && trm_rank_storage(s) > dense_at_once;
    return waits || shift(solver);
  }
  if (!s->mass_singular) return true;
  solver->repaired = trm_repaired_create(solver->arena, s);
  solver->repairs = solver->type != &trm_udwadia_kalaba_reduced;
  if (solver->repaired) solver->seen = &solver->repaired->structure;
  return solver->repaired;
}

trm_solver *trm_solver_create_linear(const trm_solver_class *type, trm_arena *arena,
                                     const trm_structure *structure, trm_linear linear) {
  trm_solver *solver = TRM_NEW(arena, trm_solver, 1);
  if (!solver) return NULL;
  bool net = type->reduced && linear != TRM_LINEAR_DENSE && trm_simplicial_pays(structure);
  if (type->reduced && structure->own > 0 && !net) type = type->reduced;
  if (type->sparse && is_sparse(structure, linear)) type = type->sparse;
  solver->type = type;
  solver->arena = arena;
  solver->structure = solver->seen = structure;
  solver->limit = structure->m;
  solver->spare = TRM_NEW(arena, double, structure->m + 1);
  if (!solver->spare) return NULL;
  if (!make_definite(solver)) return NULL;
  solver->self =
      type->create(arena, type->shifts || solver->repairs ? solver->seen : structure, linear);
  solver->locally = decide_locally(solver, linear);
  solver->by_loops = type->omit && (solver->locally || type == &trm_augmented_sparse);
  if (!solver->self || !prepare_fallback(solver)) return NULL;
  if (structure->massless > 0) {
    solver->massless = trm_massless_create(arena, structure);
    if (!solver->massless) return NULL;
  }
  return solver;
}

trm_solver *trm_solver_create(const trm_solver_class *type, trm_arena *arena,
                              const trm_structure *structure) {
  return trm_solver_create_linear(type, arena, structure, TRM_LINEAR_AUTO);
}

const trm_solver_class *trm_solver_find(const char *name) {
  static const trm_solver_class *const all[] = {&trm_udwadia_kalaba, &trm_udwadia_kalaba_general,
                                                &trm_augmented};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i]->name, name) == 0) return all[i];
  return strcmp(name, "auto") == 0 ? &trm_udwadia_kalaba : NULL;
}

trm_linear trm_linear_find(const char *name) {
  if (strcmp(name, "dense") == 0) return TRM_LINEAR_DENSE;
  return strcmp(name, "sparse") == 0 ? TRM_LINEAR_SPARSE : TRM_LINEAR_AUTO;
}

static void plain_solve(void *data, const double *f, const double *g, double *x, double *lambda) {
  trm_solver *solver = data;
  if (solver->shifted && (solver->fallback || solver->type->shifts))
    f = trm_shifted_force(solver->shifted, f, g);
  if (solver->repaired && (solver->fallback || solver->repairs) && f)
    f = trm_repaired_force(solver->repaired, f, g);
  if (!solver->fallback)
    solver->type->solve(solver->self, f, g, x, lambda);
  else if (solver->locally)
    trm_local_rank_solve(solver->local, f, g, x, lambda);
  else
    trm_rank_solve(solver->rank, f, g, x, lambda);
}

static const double *definite_mass(trm_solver *solver, const double *M, const double *Cq) {
  if (!solver->repaired) return M;
  trm_repaired_fill(solver->repaired, M, Cq);
  return solver->repaired->M;
}

static void make_local_rank(trm_solver *solver) {
  if (!solver->local) solver->local = trm_local_rank_create(solver->arena, solver->seen);
}

static void make_dense_rank(trm_solver *solver) {
  bool possible = trm_rank_storage(solver->seen) <= dense_at_all;
  if (!solver->rank && possible) solver->rank = trm_rank_create(solver->arena, solver->seen);
}

void trm_solver_prepare(trm_solver *solver) {
  if (solver->locally)
    make_local_rank(solver);
  else if (solver->shifted || !is_shifted(solver))
    make_dense_rank(solver);
}

static void fall_back_locally(trm_solver *solver, const double *M, const double *Cq) {
  make_local_rank(solver);
  trm_local_rank *local = solver->local;
  if (!local || local->hopeless) return; /* too long a chain stays too long */
  local->limit = solver->limit;
  local->known = solver->loose_count > 0 ? solver->loose : NULL;
  local->known_here = !solver->hold;
  trm_local_rank_factor(local, definite_mass(solver, M, Cq), Cq);
  solver->fallback = !local->hopeless;
}

static void fall_back_densely(trm_solver *solver, const double *M, const double *Cq) {
  bool waits = is_shifted(solver) && !solver->shifted;
  bool possible = trm_rank_storage(solver->seen) <= dense_at_all;
  if (!waits || (possible && shift(solver))) make_dense_rank(solver);
  if (!solver->rank) return;
  solver->fallback = true;
  trm_shifted *shifted = solver->shifted;
  if (shifted) trm_shifted_fill(shifted, M, Cq);
  solver->rank->limit = solver->limit;
  trm_rank_factor(solver->rank, shifted ? shifted->M : definite_mass(solver, M, Cq),
                  shifted ? shifted->Cq : Cq);
}

static void fall_back(trm_solver *solver, const double *M, const double *Cq) {
  solver->counters.fallbacks++;
  (solver->locally ? fall_back_locally : fall_back_densely)(solver, M, Cq);
}

static trm_pivots factor_cheaply(trm_solver *solver, const double *M, const double *Cq) {
  trm_shifted *shifted = solver->shifted;
  if (solver->repairs) M = definite_mass(solver, M, Cq);
  if (!solver->type->shifts) return solver->type->factor(solver->self, M, Cq);
  trm_shifted_fill(shifted, M, Cq);
  return solver->type->factor(solver->self, shifted->M, shifted->Cq);
}

/* ---- rows left out ---- */

static bool make_room_for_loose(trm_solver *solver) {
  if (!solver->loose) solver->loose = TRM_NEW(solver->arena, bool, solver->structure->m + 1);
  return solver->loose != NULL;
}

/* The rows in `loose` are left out from now on; off the constraints, in the stages of a long step,
 * no pivot would tell that they are redundant. */
static void omit_loose(trm_solver *solver, int count) {
  int redundant = solver->structure->m - solver->limit;
  solver->loose_count = count;
  solver->type->omit(solver->self, solver->loose);
  solver->type->expect(solver->self, count > redundant ? count : redundant);
  if (solver->local) solver->local->hopeless = false;
}

static void take_back(trm_solver *solver) {
  memset(solver->loose, 0, (size_t)solver->structure->m * sizeof *solver->loose);
  omit_loose(solver, 0);
}

/* A singular M has no say in what depends on what. */
static int find_loops(trm_solver *solver, bool *part) {
  const double *M = solver->structure->mass_singular ? NULL : solver->M;
  return trm_loops_find(solver->structure, M, solver->Cq, solver->loose, part);
}

/* false: no loop has rows too many */
static bool omit_loops(trm_solver *solver) {
  if (!solver->by_loops || solver->hold || !make_room_for_loose(solver)) return false;
  int found = find_loops(solver, NULL);
  if (found > 0) omit_loose(solver, found);
  return found > 0;
}

void trm_solver_hold_loops(trm_solver *solver, bool hold) {
  solver->hold = hold && solver->loose_count > 0;
}

void trm_solver_leave_out(trm_solver *solver, const bool *rows) {
  int count = 0;
  if (!solver->type->omit || !make_room_for_loose(solver)) return;
  for (int i = 0; i < solver->structure->m; i++) count += solver->loose[i] = rows[i];
  omit_loose(solver, count);
  solver->hold = count > 0;
}

/* Before the cheap factorization; false: there is none for redundant rows. */
static bool begin(trm_solver *solver, const double *M, const double *Cq) {
  solver->counters.factorizations++;
  solver->fallback = false;
  solver->M = M;
  solver->Cq = Cq;
  if (solver->loose_count > 0 && !solver->hold) take_back(solver);
  return solver->limit == solver->structure->m || solver->type->expect;
}

/* Whether it is to be believed. */
static bool holds(trm_solver *solver, trm_pivots pivots) {
  solver->sound = pivots != TRM_PIVOTS_LOST;
  bool look = pivots == TRM_PIVOTS_DOUBTFUL && (solver->rank || solver->locally);
  return solver->sound && !look;
}

void trm_solver_factor(trm_solver *solver, const double *M, const double *Cq, const double *N) {
  bool redundant = solver->limit < solver->structure->m;
  trm_pivots pivots = TRM_PIVOTS_LOST;
  if (begin(solver, M, Cq)) pivots = factor_cheaply(solver, M, Cq);
  if (pivots == TRM_PIVOTS_LOST && !redundant && omit_loops(solver))
    pivots = factor_cheaply(solver, M, Cq);
  if (!holds(solver, pivots)) fall_back(solver, M, Cq);
  if (solver->massless) trm_massless_factor(solver->massless, N, plain_solve, solver);
}

bool trm_solver_accelerates(const trm_solver *solver) {
  return solver->type->accelerate && !solver->massless;
}

bool trm_solver_accelerate(trm_solver *solver, const trm_stage *stage) {
  bool cheaply = begin(solver, stage->M, stage->Cq);
  return cheaply && holds(solver, solver->type->accelerate(solver->self, stage));
}

bool trm_solver_factor_links(trm_solver *solver, const double *M, const double *Cq) {
  return begin(solver, M, Cq) && holds(solver, solver->type->factor(solver->self, M, Cq));
}

void trm_solver_solve(trm_solver *solver, const double *f, const double *g, const double *bias,
                      double *x, double *lambda) {
  plain_solve(solver, f, g, x, lambda);
  if (solver->massless) trm_massless_correct(solver->massless, bias, x, lambda);
}

void trm_solver_project(trm_solver *solver, const double *g, double *x) {
  bool skip = solver->type->skips_lambda && !solver->fallback && !solver->massless;
  trm_solver_solve(solver, NULL, g, NULL, x, skip ? NULL : solver->spare);
}

void trm_solver_want_own(trm_solver *solver, bool wanted) {
  if (solver->type->want_own) solver->type->want_own(solver->self, wanted);
}

void trm_solver_limit_rank(trm_solver *solver, int rank) {
  int m = solver->structure->m;
  solver->limit = rank >= 0 && rank < m ? rank : m;
  solver->by_loops = false; /* what is lost from here on is a singular position's */
  int left_out = m - solver->limit > solver->loose_count ? m - solver->limit : solver->loose_count;
  if (solver->type->expect) solver->type->expect(solver->self, left_out);
}

bool trm_solver_is_sound(const trm_solver *solver) {
  return solver->sound && !solver->fallback;
}

static int fallback_rank(const trm_solver *solver) {
  return solver->locally ? solver->local->rank : solver->rank->rank;
}

int trm_solver_rank(const trm_solver *solver) {
  if (solver->fallback) return fallback_rank(solver);
  int kept = solver->structure->m - solver->loose_count;
  if (!solver->sound) return -1;
  return kept < solver->limit ? kept : solver->limit;
}

/* The null space is the rank-revealing factorization's; where the cheap one left redundant rows
 * out, it comes late. */
static bool look_closely(trm_solver *solver) {
  bool left_out = solver->limit < solver->structure->m || solver->loose_count > 0;
  if (!solver->fallback && left_out && solver->M) fall_back(solver, solver->M, solver->Cq);
  return solver->fallback;
}

int trm_solver_nullity(trm_solver *solver) {
  return look_closely(solver) ? solver->structure->m - fallback_rank(solver) : 0;
}

int trm_solver_null_space(trm_solver *solver, int most, double *z) {
  int m = solver->structure->m, nullity = trm_solver_nullity(solver);
  int columns = nullity < most ? nullity : most;
  if (columns > 0 && solver->locally)
    trm_local_rank_null_space(solver->local, columns, z);
  else if (columns > 0)
    memcpy(z, trm_rank_null_space(solver->rank), (size_t)columns * (size_t)m * sizeof *z);
  return columns;
}

/* The rows with more than round-off in one null vector. */
static void mark_dependent(int m, const double *z, bool *dependent) {
  double largest = 0;
  for (int i = 0; i < m; i++) largest = fmax(largest, fabs(z[i]));
  for (int i = 0; i < m; i++) dependent[i] = dependent[i] || fabs(z[i]) > least_share * largest;
}

/* Where loops alone made the cheap factorization sound, they tell. */
static bool ask_loops(trm_solver *solver, bool *dependent) {
  if (solver->fallback || !solver->sound || solver->loose_count == 0 || solver->hold) return false;
  return find_loops(solver, dependent) > 0;
}

void trm_solver_dependent(trm_solver *solver, bool *dependent) {
  if (ask_loops(solver, dependent)) return;
  int m = solver->structure->m, nullity = trm_solver_nullity(solver);
  memset(dependent, 0, (size_t)m * sizeof *dependent);
  if (nullity > 0 && solver->locally) {
    trm_local_rank_dependent(solver->local, dependent);
    return;
  }
  const double *z = nullity > 0 ? trm_rank_null_space(solver->rank) : NULL;
  for (int k = 0; k < nullity; k++) mark_dependent(m, z + (ptrdiff_t)k * m, dependent);
}

static int find_largest(const double *x, int begin, int end) {
  int largest = begin;
  for (int i = begin; i < end; i++)
    if (fabs(x[i]) > fabs(x[largest])) largest = i;
  return largest;
}

/* One row for each null vector, by elimination with the largest entry: what is left without them is
 * independent. A body's own row is never to blame where a joint's is in it, too. z is lost. */
static void choose_spare(double *z, int nullity, int own, int m, bool *spare) {
  for (int k = 0; k < nullity; k++) {
    double *pivot = z + (ptrdiff_t)k * m;
    int row = find_largest(pivot, 0, m), joint = own < m ? find_largest(pivot, own, m) : row;
    if (fabs(pivot[joint]) > least_pivot * fabs(pivot[row])) row = joint;
    spare[row] = true;
    for (int j = k + 1; j < nullity; j++) {
      double *other = z + (ptrdiff_t)j * m, factor = other[row] / pivot[row];
      for (int i = 0; i < m; i++) other[i] -= factor * pivot[i];
      other[row] = 0;
    }
  }
}

size_t trm_solver_spare_room(trm_solver *solver) {
  if (solver->locally || (!solver->fallback && solver->loose_count > 0)) return 0;
  return (size_t)trm_solver_nullity(solver) * (size_t)solver->structure->m;
}

static void list_spare(const trm_local_rank *local, bool *spare) {
  for (int k = 0; k < local->border; k++)
    spare[local->K.order[local->row[k].place]] = local->row[k].size == 0;
}

void trm_solver_find_spare(trm_solver *solver, double *z, bool *spare) {
  int m = solver->structure->m, own = solver->structure->own * solver->structure->blocks;
  memset(spare, 0, (size_t)m * sizeof *spare);
  if (!solver->fallback && solver->loose_count > 0)
    memcpy(spare, solver->loose, (size_t)m * sizeof *spare);
  else if (solver->fallback && solver->locally)
    list_spare(solver->local, spare);
  else if (!solver->locally)
    choose_spare(z, trm_solver_null_space(solver, m, z), own, m, spare);
  trm_solver_leave_out(solver, spare);
  if (!solver->hold || solver->loose_count > TRM_FEW_SPARE || solver->massless || solver->shifted)
    return;
  const trm_structure *s = solver->structure;
  solver->pull = TRM_NEW(solver->arena, double, 2 * s->n + s->m + 3);
  if (solver->pull)
    solver->share = trm_share_create(solver->arena, s, solver->loose, solver->loose_count);
}

/* One solution each where the class knows no better. */
static void hold_one(trm_solver *solver, const trm_pulls *pulls, int pull, double *lambda) {
  const trm_structure *s = solver->structure;
  double *f = solver->pull, *x = f + s->n + 1, *g = x + s->n + 1, *one = solver->spare;
  memset(f, 0, (size_t)s->n * sizeof *f);
  for (int i = 0; i < pulls->touches; i++) {
    const trm_touch *t = &pulls->touch[i];
    int b = t->block, width = trm_block_width(s, b);
    const double *row = solver->Cq + s->panel_value[b] + (ptrdiff_t)t->row * width;
    if (t->pull == pull) memcpy(f + s->q_start[b], row, (size_t)width * sizeof *f);
  }
  plain_solve(solver, f, g, x, one);
  for (ptrdiff_t i = 0; i < s->m; i++) lambda[2 * i * pulls->pairs + pull] = one[i];
}

static bool hold_links(void *data, const trm_pulls *pulls, double *lambda) {
  const trm_solver *solver = data;
  return solver->type->hold && solver->type->hold(solver->self, pulls, lambda);
}

static bool hold(void *data, const trm_pulls *pulls, double *lambda) {
  trm_solver *solver = data;
  if (hold_links(data, pulls, lambda)) return true;
  for (int p = 0; p < pulls->count; p++) hold_one(solver, pulls, p, lambda);
  return true;
}

/* The rows that are left out are all there is, and the rest is sound. */
static bool share_cheaply(trm_solver *solver, trm_share_solve *solve, double *lambda) {
  bool known = solver->share && solver->hold && solver->sound && !solver->fallback &&
               solver->loose_count == solver->structure->m - solver->limit;
  return known && trm_share_apply(solver->share, solve, solver, lambda);
}

bool trm_solver_share_links(trm_solver *solver, double *lambda) {
  return share_cheaply(solver, hold_links, lambda);
}

void trm_solver_minimum_norm(trm_solver *solver, double *lambda) {
  if (share_cheaply(solver, hold, lambda) || !look_closely(solver)) return;
  if (solver->locally)
    trm_local_rank_minimum_norm(solver->local, lambda);
  else
    trm_rank_minimum_norm(solver->rank, lambda);
}

trm_solver_counters trm_solver_count(const trm_solver *solver) {
  return solver->counters;
}

bool trm_solver_rotation_is_free(const trm_solver *solver, int i) {
  return solver->massless && trm_massless_is_free(solver->massless, i);
}
