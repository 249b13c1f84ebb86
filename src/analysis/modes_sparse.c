/* Modes of large models:
 *
 *     A (x, w) = (w, a),   M a + K x + D w + Cqᵀ μ = 0,   Cq x = Cq w = 0
 *
 * (A − σ)⁻¹ (b, c) = (x, w) is found from (K + σ D + σ² M) x + Cqᵀ μ = −M c − (D + σ M) b, Cq x =
 * 0, w = σ x + b. The eigenvalues of the inverse that are largest are those next to σ. */
#include "analysis/modes_sparse.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/manifold.h"
#include "integrator/saddle.h"
#include "math/lapack.h"

#ifdef TRM_ARPACK

#define CLOSE   1e-12 /* eigenvalues are found to this part of themselves */
#define NOTHING 1e-3  /* of σ, which is below all others: an eigenvalue that is zero */
#define RESTS   1e-6  /* of the span in the unit of time: an acceleration that is none */

void dnaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev,
             const double *tol, double *resid, const int *ncv, double *v, const int *ldv,
             int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl, int *info,
             size_t, size_t);
void dneupd_(const int *rvec, const char *howmny, int *select, double *dr, double *di, double *z,
             const int *ldz, const double *sigmar, const double *sigmai, double *workev,
             const char *bmat, const int *n, const char *which, const int *nev, const double *tol,
             double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr,
             double *workd, double *workl, const int *lworkl, int *info, size_t, size_t, size_t);

typedef struct inverse {
  trm_system *sys;
  trm_tangent *t;
  trm_kkt *kkt;
  int n, m;
  double sigma;
  double *J, *E, *b, *Mc, *Db;
} inverse;

static bool fail(trm_system *sys, const char *reason) {
  sys->place = (trm_place){0};
  strcpy(sys->error, reason);
  return false;
}

/* A rate of the motion: √(force/(mass × length)), of the largest weights. */
static double rate_of(const trm_system *sys, const trm_tangent *t) {
  double force = 0, mass = 0;
  int width = t->K.width;
  for (int i = 0; i < sys->n; i++) {
    double own = t->M[(ptrdiff_t)i * width + i % width];
    force += fabs(sys->Q[i]) * sys->span[i];
    mass += fabs(own) * sys->span[i] * sys->span[i];
  }
  return force > 0 && mass > 0 ? sqrt(force / mass) : 1;
}

static bool prepare(inverse *v, trm_engine *e, trm_arena *arena) {
  trm_system *sys = e->system;
  const trm_structure *s = &sys->structure;
  v->sys = sys;
  v->n = sys->n;
  v->m = sys->m;
  v->t = trm_tangent_create(sys, arena);
  if (!v->t) return fail(sys, "out of memory");
  const trm_kkt_pattern pattern = {s, v->t->column_start, v->t->row, v->t->from, .more = 0};
  v->kkt = trm_kkt_create(arena, &pattern, 1);
  v->J = TRM_NEW(arena, double, v->t->nonzeros + 1);
  v->E = TRM_NEW(arena, double, v->m + 1);
  v->b = TRM_NEW(arena, double, v->n + v->m);
  v->Mc = TRM_NEW(arena, double, v->n);
  v->Db = TRM_NEW(arena, double, v->n);
  if (trm_arena_failed(arena) || !v->kkt) return fail(sys, "out of memory");
  trm_solver_want_intrinsic(e->solver, true);
  trm_engine_return(e);
  if (s->massless > 0) trm_solver_find_free(e->solver, v->t->kept);
  return trm_system_tangent(sys, sys->a, sys->lambda, v->t);
}

static bool factor(inverse *v, const bool *redundant) {
  const double *Cq = v->sys->Cq;
  trm_tangent_combine(v->t, v->sigma * v->sigma, v->sigma, 1, v->J);
  return trm_kkt_factor(v->kkt, v->J, Cq, Cq, NULL, v->E, redundant) ||
         fail(v->sys, "the stiffness cannot be factored");
}

/* y = (A − σ)⁻¹ x */
static void apply(inverse *v, const double *x, double *y) {
  int n = v->n;
  const double *b = x, *c = x + n;
  trm_tangent_mass_times(v->t, c, v->Mc);
  trm_damping_times(v->t, b, v->Db);
  for (int i = 0; i < n; i++) v->b[i] = -v->Mc[i] - v->Db[i];
  trm_tangent_mass_times(v->t, b, v->Mc);
  trm_axpy(n, -v->sigma, v->Mc, v->b);
  memset(v->b + n, 0, (size_t)v->m * sizeof(double));
  trm_kkt_solve(v->kkt, v->b);
  memcpy(y, v->b, (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) y[n + i] = v->sigma * v->b[i] + b[i];
}

/* About the distance of the nearest eigenvalue from σ, by a few inverse iterations. */
static double distance(inverse *v, double *x, double *y) {
  double size = 1, before = 1;
  for (int i = 0; i < 2 * v->n; i++) x[i] = sin(1 + 0.7 * i) + 0.1;
  for (int pass = 0; pass < 6; pass++) {
    apply(v, x, y);
    before = trm_norm_of(2 * v->n, x);
    size = trm_norm_of(2 * v->n, y);
    for (int i = 0; i < 2 * v->n; i++) x[i] = y[i] / size;
    if (pass < 5) before = 1;
  }
  return before / size;
}

/* A σ below the lowest frequency: far above it all eigenvalues are about as far away. Zero modes
 * are next to any σ: it then falls a few times only. */
static bool choose_shift(inverse *v, const bool *redundant, double *x, double *y) {
  enum { MOST = 5 };
  for (int i = 0;; i++) {
    if (!factor(v, redundant)) return false;
    if (i == MOST || distance(v, x, y) > 2 * v->sigma) return true;
    v->sigma /= 10;
  }
}

typedef struct arnoldi {
  int size, wanted, ncv, lworkl;
  double *resid, *V, *workd, *workl, *re, *im, *workev;
  int *select, iparam[11], ipntr[14];
} arnoldi;

static bool create(arnoldi *a, trm_arena *arena, int n, int count) {
  *a = (arnoldi){.size = 2 * n, .wanted = count + 2};
  a->ncv = 2 * a->wanted + 8;
  a->lworkl = 3 * a->ncv * a->ncv + 6 * a->ncv;
  a->resid = TRM_NEW(arena, double, a->size);
  a->V = TRM_NEW(arena, double, (size_t)a->size *(size_t)a->ncv);
  a->workd = TRM_NEW(arena, double, 3 * (size_t)a->size);
  a->workl = TRM_NEW(arena, double, a->lworkl);
  a->re = TRM_NEW(arena, double, a->ncv + 1);
  a->im = TRM_NEW(arena, double, a->ncv + 1);
  a->workev = TRM_NEW(arena, double, 3 * a->ncv);
  a->select = TRM_NEW(arena, int, a->ncv);
  return !trm_arena_failed(arena);
}

/* ARPACK remembers between its calls: one model at a time. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static bool iterate(arnoldi *a, inverse *v) {
  int ido = 0, info = 1, rvec = 1;
  double tol = CLOSE, zero = 0;
  a->iparam[0] = 1;
  a->iparam[2] = 500;
  a->iparam[6] = 1;
  /* a start within the motions that the constraints allow, the same every time */
  for (int i = 0; i < a->size; i++) a->workd[i] = sin(1 + 0.7 * i) + 0.1;
  apply(v, a->workd, a->resid);
  apply(v, a->resid, a->workd);
  memcpy(a->resid, a->workd, (size_t)a->size * sizeof(double));
  for (;;) {
    dnaupd_(&ido, "I", &a->size, "LM", &a->wanted, &tol, a->resid, &a->ncv, a->V, &a->size,
            a->iparam, a->ipntr, a->workd, a->workl, &a->lworkl, &info, 1, 2);
    if (ido != 1 && ido != -1) break;
    apply(v, a->workd + a->ipntr[0] - 1, a->workd + a->ipntr[1] - 1);
  }
  if (info != 0) return fail(v->sys, "the eigenvalues do not converge");
  dneupd_(&rvec, "A", a->select, a->re, a->im, a->V, &a->size, &zero, &zero, a->workev, "I",
          &a->size, "LM", &a->wanted, &tol, a->resid, &a->ncv, a->V, &a->size, a->iparam, a->ipntr,
          a->workd, a->workl, &a->lworkl, &info, 1, 1, 2);
  return info == 0 || fail(v->sys, "the eigenvectors were not found");
}

typedef struct entry {
  double complex value;
  int at; /* the first of its pair's two columns */
} entry;

static int by_size(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->value == conj(y->value) && x->at == y->at)
    return cimag(x->value) > cimag(y->value) ? -1 : 1;
  double p = cabs(x->value), q = cabs(y->value);
  return p < q ? -1 : p > q ? 1 : x->at - y->at;
}

static bool collect(const arnoldi *a, const inverse *v, int count, trm_arena *arena, trm_eigen *e) {
  int found = a->iparam[4], n = v->n;
  entry *order = TRM_NEW(arena, entry, found + 1);
  e->value = TRM_NEW(arena, double complex, found + 1);
  e->vector = TRM_NEW(arena, double complex, (size_t)found *(size_t)n + 1);
  if (!order || !e->value || !e->vector) return fail(v->sys, "out of memory");
  for (int k = 0; k < found; k++) {
    int first = a->im[k] < 0 && k > 0 ? k - 1 : k;
    order[k] = (entry){v->sigma + 1 / (a->re[k] + a->im[k] * _Complex_I), first};
  }
  qsort(order, (size_t)found, sizeof *order, by_size);
  int kept = count < found ? count : found;
  while (kept > 0 && kept < found && cimag(order[kept - 1].value) > 0) kept++;
  for (int k = 0; k < kept; k++) {
    const double *re = a->V + (size_t)order[k].at * (size_t)a->size, *im = re + a->size;
    /* of 1/(λ − σ) the sign of the imaginary part is the other one */
    double sign = cimag(order[k].value) == 0 ? 0 : cimag(order[k].value) > 0 ? -1 : 1;
    e->value[k] = order[k].value;
    if (cabs(e->value[k]) <= NOTHING * v->sigma) {
      e->value[k] = 0;
      e->zeros++;
    }
    for (int i = 0; i < n; i++)
      e->vector[(size_t)k * (size_t)n + (size_t)i] =
          re[i] + (sign != 0 ? sign * im[i] : 0) * _Complex_I;
  }
  e->n = kept;
  return true;
}

static bool is_still(const trm_engine *e, double rate) {
  const trm_system *sys = e->system;
  const double *v = e->y + e->dynamics.at.v;
  for (int i = 0; i < sys->n; i++)
    if (v[i] != 0 || fabs(sys->a[i]) > RESTS * rate * rate * sys->span[i]) return false;
  return true;
}

bool trm_modes_sparse(trm_engine *e, int count, trm_arena *arena, trm_eigen *eigen,
                      trm_tangent **tangent) {
  trm_system *sys = e->system;
  inverse v = {0};
  arnoldi a;
  *eigen = (trm_eigen){0};
  if (sys->states > 0 || sys->filtered)
    return fail(sys, "a model of this size with states: it is too large for full matrices");
  for (int i = 0; i < sys->m; i++)
    if (sys->rate_row[i])
      return fail(sys, "a model of this size with constraints of velocities: it is too large for "
                       "full matrices");
  if (!prepare(&v, e, arena)) return false;
  v.sigma = rate_of(sys, v.t);
  *tangent = v.t;
  if (!is_still(e, v.sigma))
    return fail(sys, "modes of a model of this size are found at an equilibrium only, and this "
                     "state moves or accelerates");
  if (!create(&a, arena, v.n, count)) return fail(sys, "out of memory");
  if (!choose_shift(&v, e->dynamics.stabilizer->redundant, a.resid, a.workd)) return false;
  pthread_mutex_lock(&turn);
  bool good = iterate(&a, &v);
  pthread_mutex_unlock(&turn);
  return good && collect(&a, &v, count, arena, eigen);
}

#else

bool trm_modes_sparse(trm_engine *e, int count, trm_arena *arena, trm_eigen *eigen,
                      trm_tangent **tangent) {
  (void)count, (void)arena, (void)eigen, (void)tangent;
  e->system->place = (trm_place){0};
  strcpy(e->system->error, "a model of this size needs ARPACK, without which this program was "
                           "built; install it (Debian: libarpack2-dev) and build again");
  return false;
}

#endif
