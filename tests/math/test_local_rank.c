/* Rank decisions where the rank is lost: against the dense ones, and how far they reach. */
#include "../problem.h"
#include "math/local_rank.h"
#include "solver/solver.h"

#include <stdlib.h>

static touch touches[most_rows];

/* A chain in which the row after every `every`-th joint nearly repeats one: δ of it is its own. */
static problem nearly_dependent(int blocks, int every, double delta, double slant) {
  shape s = {.touches = touches};
  shape_chain(&s, blocks);
  int plain = s.rows;
  for (int b = every; b < blocks; b += every) add_rows(&s, 1, b, b - 1);
  problem p = problem_create(blocks, 6, true, s.rows, s.touches);
  problem_fill(&p, 11);
  for (int r = plain, b = every; b < blocks; b += every, r++) {
    double size = delta;
    for (int side = 0; side < 2; side++) {
      double *to = row_entries(&p, r, b - side);
      const double *from = row_entries(&p, 3 * blocks + 2 * b, b - side);
      for (int k = 0; k < 6; k++)
        to[k] = 2 * from[k] + size * uniform(&(uint64_t){(uint64_t)(r + k)});
      size *= slant;
    }
  }
  return p;
}

/* f and g of a known solution: then it is one whatever rows are left out. */
static double *pose(problem *p) {
  uint64_t random = 5;
  double *x = doubles(p, p->s.n), *mu = doubles(p, p->s.m);
  for (int i = 0; i < p->s.n; i++) x[i] = uniform(&random);
  for (int i = 0; i < p->s.m; i++) mu[i] = uniform(&random);
  trm_jacobian_times(&p->s, p->Cq, x, p->g);
  trm_mass_times(&p->s, p->M, x, p->f);
  trm_jacobian_transposed_add(&p->s, p->Cq, 1, mu, p->f);
  return x;
}

static trm_solver *solved(problem *p, trm_linear linear) {
  trm_solver *solver = trm_solver_create_linear(&trm_udwadia_kalaba, p->arena, &p->s, linear);
  assert_non_null(solver);
  trm_solver_factor(solver, p->M, p->Cq, p->N);
  trm_solver_solve(solver, p->f, p->g, NULL, p->x, p->lambda);
  return solver;
}

/* Round-off divided by δ where all rows are kept; their own part where some are left out. */
static double allowed(const problem *p, const trm_solver *solver, double delta) {
  return trm_solver_rank(solver) == p->s.m ? 1e-13 / delta : 10 * delta;
}

static double imbalance(problem *p) {
  double *force = doubles(p, p->s.n);
  trm_mass_times(&p->s, p->M, p->x, force);
  trm_jacobian_transposed_add(&p->s, p->Cq, 1, p->lambda, force);
  return difference(p->s.n, force, p->f);
}

/* Rows of unit norm that stand out from one another by more than TRM_RANK_CUT, the largest first:
 * Gram and Schmidt, twice. */
static int dense_rank(problem *p) {
  int n = p->s.n, m = p->s.m, rank = 0;
  double *A = doubles(p, n * m);
  for (int r = 0; r < m; r++) {
    double *row = A + r * n, square = 0;
    for (int b = 0; b < p->s.blocks; b++)
      if (row_entries(p, r, b)) memcpy(row + 6 * b, row_entries(p, r, b), 6 * sizeof *row);
    for (int i = 0; i < n; i++) square += row[i] * row[i];
    for (int i = 0; i < n; i++) row[i] /= sqrt(square);
  }
  for (; rank < m; rank++) {
    int best = rank;
    double most = 0;
    for (int r = rank; r < m; r++) {
      double square = 0;
      for (int i = 0; i < n; i++) square += A[r * n + i] * A[r * n + i];
      if (square > most) most = square, best = r;
    }
    if (!(sqrt(most) > TRM_RANK_CUT)) break;
    for (int i = 0; i < n; i++) {
      double q = A[best * n + i] / sqrt(most);
      A[best * n + i] = A[rank * n + i];
      A[rank * n + i] = q;
    }
    for (int r = rank + 1; r < m; r++)
      for (int pass = 0; pass < 2; pass++) {
        double part = 0;
        for (int i = 0; i < n; i++) part += A[rank * n + i] * A[r * n + i];
        for (int i = 0; i < n; i++) A[r * n + i] -= part * A[rank * n + i];
      }
  }
  return rank;
}

static void test_agrees_with_dense(void **state) {
  (void)state;
  for (double delta = 1e-2; delta > 1e-10; delta /= 10)
    for (trm_linear linear = TRM_LINEAR_DENSE; linear <= TRM_LINEAR_SPARSE; linear++) {
      problem p = nearly_dependent(40, 3, delta, 0.3);
      const double *x = pose(&p);
      int dense = dense_rank(&p);
      trm_solver *solver = solved(&p, linear);
      print_message("delta %g: rank %d of %d, x %.1e\n", delta, dense, p.s.m,
                    difference(p.s.n, p.x, x));
      /* at the cut-off itself either is right */
      if (delta > 1e-6 || delta < 1e-8) assert_int_equal(trm_solver_rank(solver), dense);
      assert_true(difference(p.s.n, p.x, x) <= allowed(&p, solver, delta));
      assert_true(imbalance(&p) <= allowed(&p, solver, delta));
      problem_destroy(&p);
    }
}

/* Each of the last rows is twice another one, and nothing else is dependent. The weighted
 * multipliers of least norm are orthogonal to all null vectors, and pull like any others. */
static void test_minimum_norm(void **state) {
  (void)state;
  enum { copies = 13 };
  for (trm_linear linear = TRM_LINEAR_DENSE; linear <= TRM_LINEAR_SPARSE; linear++) {
    problem p = nearly_dependent(40, 3, 0, 1);
    int m = p.s.m;
    pose(&p);
    for (int r = 0; r < m; r++) p.weight[r] = r % 7 ? 0.5 + r % 3 : 0;
    bool *rows = TRM_NEW(p.arena, bool, m);
    trm_solver *solver = solved(&p, linear);
    assert_int_equal(trm_solver_nullity(solver), copies);
    trm_solver_minimum_norm(solver, p.lambda);
    assert_true(imbalance(&p) < 1e-11);
    double *z = doubles(&p, copies * m), size = largest(m, p.lambda);
    assert_int_equal(trm_solver_null_space(solver, 20, z), copies);
    for (int k = 0; k < copies; k++) {
      double along = 0;
      assert_true(largest(m, z + k * m) > 0.01);
      assert_true(annihilated(&p, z + k * m) < 1e-12);
      for (int r = 0; r < m; r++) along += p.weight[r] * p.weight[r] * p.lambda[r] * z[k * m + r];
      assert_true(fabs(along) <= 1e-10 * size * largest(m, z + k * m));
    }
    trm_solver_dependent(solver, rows);
    for (int r = 0; r < m; r++) {
      int b = (r - 3 * 40) / 2;
      bool copied = r >= 3 * 40 && r < m - copies && (r - 3 * 40) % 2 == 0 && b > 0 && b % 3 == 0;
      assert_int_equal(rows[r], copied || r >= m - copies);
    }
    problem_destroy(&p);
  }
}

/* Rows that are left out in general stay left out, however far they stand out. */
static void test_left_out(void **state) {
  (void)state;
  problem p = nearly_dependent(40, 13, 1e-6, 1);
  const double *x = pose(&p);
  trm_solver *solver =
      trm_solver_create_linear(&trm_udwadia_kalaba, p.arena, &p.s, TRM_LINEAR_SPARSE);
  bool *out = TRM_NEW(p.arena, bool, p.s.m);
  out[p.s.m - 1] = out[p.s.m - 2] = true;
  trm_solver_set_redundant(solver, out);
  trm_solver_factor(solver, p.M, p.Cq, p.N);
  assert_int_equal(trm_solver_rank(solver), p.s.m - 2);
  trm_solver_solve(solver, p.f, p.g, NULL, p.x, p.lambda);
  assert_true(difference(p.s.n, p.x, x) <= allowed(&p, solver, 1e-6));
  problem_destroy(&p);
}

/* One row in doubt that asks for a hundred times what everything else does: an error. */
static void test_doubtful_row_is_left_out(void **state) {
  (void)state;
  for (int wild = 0; wild < 2; wild++) {
    problem p = nearly_dependent(300, 250, 1e-5, 1);
    const double *x = pose(&p);
    if (wild) p.g[p.s.m - 1] += 1;
    trm_solver *solver = solved(&p, TRM_LINEAR_SPARSE);
    assert_int_equal(trm_solver_rank(solver), p.s.m - wild);
    assert_true(difference(p.s.n, p.x, x) <= allowed(&p, solver, 1e-5));
    problem_destroy(&p);
  }
}

/* A single loss in a long chain: one row in the border, and of it no more than its surroundings. */
static void test_loss_stays_local(void **state) {
  (void)state;
  enum { blocks = 3000 };
  for (int losses = 1; losses <= 100; losses *= 100) {
    problem p = nearly_dependent(blocks, blocks / losses - 1, 1e-5, 1);
    const double *x = pose(&p);
    trm_local_rank *rank = trm_local_rank_create(p.arena, &p.s);
    assert_non_null(rank);
    trm_local_rank_decide(rank, p.Cq);
    assert_int_equal(rank->border, losses == 1 ? 1 : 103);
    assert_int_equal(rank->rank, p.s.m);
    print_message("%d losses: %lld values for %d coordinates\n", rank->border, rank->used, p.s.n);
    assert_true(rank->used < 1000 * rank->border);
    solved(&p, TRM_LINEAR_SPARSE);
    assert_true(difference(p.s.n, p.x, x) < 1e-8);
    problem_destroy(&p);
  }
}

static void test_nan_passes_through(void **state) {
  (void)state;
  problem p = nearly_dependent(10, 3, 0, 1);
  p.Cq[7] = NAN;
  solved(&p, TRM_LINEAR_SPARSE);
  assert_true(isnan(p.x[0]) && isnan(p.lambda[0]));
  problem_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_agrees_with_dense), cmocka_unit_test(test_minimum_norm),
      cmocka_unit_test(test_left_out),          cmocka_unit_test(test_doubtful_row_is_left_out),
      cmocka_unit_test(test_loss_stays_local),  cmocka_unit_test(test_nan_passes_through),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
