/* Both solvers against dense elimination and against closed forms. */
#include "solver/solver.h"

#include "../problem.h"

#include <float.h>

static const trm_solver_class *const classes[] = {&trm_udwadia_kalaba, &trm_augmented};
enum { class_count = 2 };

static touch touches[most_rows];

static trm_solver *factored(problem *p, const trm_solver_class *type) {
  trm_solver *solver = trm_solver_create(type, p->arena, &p->s);
  assert_non_null(solver);
  trm_solver_factor(solver, p->M, p->Cq, p->N);
  return solver;
}

static trm_solver *solved(problem *p, const trm_solver_class *type) {
  trm_solver *solver = factored(p, type);
  trm_solver_solve(solver, p->f, p->g, p->bias, p->x, p->lambda);
  return solver;
}

static void assert_close(int n, const double *a, const double *expected, double tolerance) {
  double error = difference(n, a, expected);
  if (!(error <= tolerance)) fail_msg("differs by %g, allowed %g", error, tolerance);
}

/* ---- full rank ---- */

static void check_against_dense(const shape *s, int width, bool diagonal) {
  problem p = problem_create(s->blocks, width, diagonal, s->rows, s->touches);
  problem_fill(&p, (uint64_t)(s->rows + width));
  const double *expected = dense_solution(&p);
  for (int c = 0; c < class_count; c++) {
    trm_solver *solver = solved(&p, classes[c]);
    assert_close(p.s.n, p.x, expected, 1e-11 * largest(p.s.n, expected));
    assert_close(p.s.m, p.lambda, expected + p.s.n, 1e-11 * largest(p.s.m, expected + p.s.n));
    assert_int_equal(trm_solver_rank(solver), p.s.m);
    assert_int_equal(trm_solver_nullity(solver), 0);
    assert_int_equal(trm_solver_count(solver).decisions, 0);
  }
  problem_destroy(&p);
}

static void test_shapes_against_dense(void **state) {
  (void)state;
  shape s = {.touches = touches};
  for (int diagonal = 0; diagonal < 2; diagonal++) {
    shape_chain(&s, 12);
    check_against_dense(&s, 6, diagonal);
    shape_loop(&s, 7);
    check_against_dense(&s, 6, diagonal);
    shape_ladder(&s, 10);
    check_against_dense(&s, 6, diagonal);
    shape_grid(&s, 4);
    check_against_dense(&s, 5, diagonal);
  }
}

static void test_narrow_blocks_against_dense(void **state) {
  (void)state;
  for (int width = 1; width <= 4; width++) {
    shape s = {.blocks = 9, .touches = touches};
    for (int b = 0; b < 9; b++)
      if (width > 1 || b % 2) add_rows(&s, 1, b, b ? b - 1 : -1);
    check_against_dense(&s, width, true);
    check_against_dense(&s, width, false);
  }
}

static void test_one_dense_block(void **state) {
  (void)state;
  shape s = {.blocks = 1, .touches = touches};
  add_rows(&s, 4, 0, -1);
  check_against_dense(&s, 6, false);
}

static void test_without_constraints(void **state) {
  (void)state;
  problem p = problem_create(2, 3, true, 0, touches);
  problem_fill(&p, 1);
  for (int c = 0; c < class_count; c++) {
    trm_solver *solver = solved(&p, classes[c]);
    for (int i = 0; i < p.s.n; i++) assert_true(fabs(p.x[i] - p.f[i] / p.M[i]) < 1e-15 * 10);
    assert_int_equal(trm_solver_rank(solver), 0);
  }
  problem_destroy(&p);
}

static void test_no_force_is_zero_force(void **state) {
  (void)state;
  shape s = {.touches = touches};
  shape_loop(&s, 5);
  problem p = problem_create(s.blocks, 6, true, s.rows, s.touches);
  problem_fill(&p, 4);
  memset(p.f, 0, (size_t)p.s.n * sizeof *p.f);
  const double *expected = dense_solution(&p);
  for (int c = 0; c < class_count; c++) {
    trm_solver *solver = factored(&p, classes[c]);
    trm_solver_solve(solver, NULL, p.g, NULL, p.x, p.lambda);
    assert_close(p.s.n, p.x, expected, 1e-11);
    assert_close(p.s.m, p.lambda, expected + p.s.n, 1e-11);
  }
  problem_destroy(&p);
}

/* A mass matrix declared constant is factored once; one that is not, every time. */
static void test_constant_mass_is_factored_once(void **state) {
  (void)state;
  shape s = {.touches = touches};
  shape_chain(&s, 3);
  problem p = problem_create(s.blocks, 6, false, s.rows, s.touches);
  problem_fill(&p, 5);
  p.s.mass_constant = true;
  trm_solver *constant = factored(&p, &trm_udwadia_kalaba);
  p.s.mass_constant = false;
  trm_solver *changing = factored(&p, &trm_udwadia_kalaba);
  const double *before = dense_solution(&p);
  double *M = doubles(&p, p.s.mass_value[p.s.blocks]);
  for (int i = 0; i < p.s.mass_value[p.s.blocks]; i++) M[i] = 2 * p.M[i];
  p.s.mass_constant = true;
  trm_solver_factor(constant, M, p.Cq, NULL);
  p.s.mass_constant = false;
  trm_solver_factor(changing, M, p.Cq, NULL);
  trm_solver_solve(constant, p.f, p.g, NULL, p.x, p.lambda);
  assert_close(p.s.n, p.x, before, 1e-11);
  p.M = M;
  const double *after = dense_solution(&p);
  trm_solver_solve(changing, p.f, p.g, NULL, p.x, p.lambda);
  assert_close(p.s.n, p.x, after, 1e-11);
  problem_destroy(&p);
}

/* Light and heavy parts, long and short rows: the residuals stay at round-off of their own size. */
static void test_bad_scaling(void **state) {
  (void)state;
  shape s = {.touches = touches};
  shape_chain(&s, 6);
  problem p = problem_create(s.blocks, 6, true, s.rows, s.touches);
  problem_fill(&p, 6);
  double *Cx = doubles(&p, p.s.m);
  for (int twice = 0; twice < 2; twice++) { /* masses 1e6 apart, then 1e12 */
    for (int b = 0; b < p.s.blocks; b++)
      for (int k = 0; k < 6; k++) p.M[6 * b + k] *= b % 2 ? 1e3 : 1e-3;
    for (int c = 0; c < class_count; c++) {
      trm_solver *solver = solved(&p, classes[c]);
      trm_jacobian_times(&p.s, p.Cq, p.x, Cx);
      assert_close(p.s.m, Cx, p.g, 1e-12 * larger(1, largest(p.s.n, p.x)));
      assert_int_equal(trm_solver_rank(solver), p.s.m); /* however small a pivot is */
      if (!twice) assert_true(trm_solver_count(solver).decisions <= 1);
    }
  }
  problem_destroy(&p);
}

/* ---- rank loss ---- */

/* A chain whose row 1 is repeated as the last row, times factor; the last row is left out of plain.
 */
static void make_redundant(problem *p, problem *plain, double factor, bool diagonal) {
  shape s = {.touches = touches};
  shape_chain(&s, 4);
  *plain = problem_create(s.blocks, 6, diagonal, s.rows, s.touches);
  problem_fill(plain, 8);
  int row = s.rows - 1, a = touches[row].a, b = touches[row].b;
  add_rows(&s, 1, a, b);
  *p = problem_create(s.blocks, 6, diagonal, s.rows, s.touches);
  memcpy(p->M, plain->M, (size_t)plain->s.mass_value[s.blocks] * sizeof *p->M);
  memcpy(p->f, plain->f, (size_t)plain->s.n * sizeof *p->f);
  memcpy(p->g, plain->g, (size_t)plain->s.m * sizeof *p->g);
  for (int r = 0; r < s.rows; r++)
    for (int block = 0; block < s.blocks; block++) {
      double *to = row_entries(p, r, block);
      const double *from = row_entries(plain, r == s.rows - 1 ? row : r, block);
      for (int k = 0; to && k < 6; k++) to[k] = (r == s.rows - 1 ? factor : 1) * from[k];
    }
  p->g[s.rows - 1] = factor * p->g[row];
}

static void test_redundant_row(void **state) {
  (void)state;
  for (int c = 0; c < class_count; c++)
    for (int diagonal = 0; diagonal < 2; diagonal++) {
      problem p, plain;
      make_redundant(&p, &plain, -3, diagonal);
      const double *expected = dense_solution(&plain);
      trm_solver *solver = solved(&p, classes[c]);
      assert_close(p.s.n, p.x, expected, 1e-11);
      assert_int_equal(trm_solver_rank(solver), p.s.m - 1);
      assert_int_equal(trm_solver_nullity(solver), 1);
      assert_int_equal(trm_solver_count(solver).decisions, 1);
      bool dependent[most_rows];
      trm_solver_dependent(solver, dependent);
      for (int r = 0; r < p.s.m; r++) assert_int_equal(dependent[r], r >= p.s.m - 2);
      double *force = doubles(&p, p.s.n), *Mx = doubles(&p, p.s.n);
      trm_mass_times(&p.s, p.M, p.x, Mx);
      for (int i = 0; i < p.s.n; i++) force[i] = p.f[i] - Mx[i];
      trm_jacobian_transposed_add(&p.s, p.Cq, -1, p.lambda, force);
      assert_true(largest(p.s.n, force) < 1e-11);
      problem_destroy(&p);
      problem_destroy(&plain);
    }
}

/* λ of the single row is shared by the two: least Σ (wλ)² gives parts 1/w². */
static void check_shares(double first_weight, double second_weight) {
  problem p, plain;
  make_redundant(&p, &plain, 1, true);
  const double *expected = dense_solution(&plain);
  int first = p.s.m - 2, second = p.s.m - 1;
  double whole = expected[plain.s.n + first];
  double a = 1 / (first_weight * first_weight), b = 1 / (second_weight * second_weight);
  p.weight[first] = first_weight;
  p.weight[second] = second_weight;
  for (int i = 0; i < 12; i++) p.weight[i] = 0; /* the rows of a single block */
  for (int c = 0; c < class_count; c++) {
    trm_solver *solver = solved(&p, classes[c]);
    trm_solver_minimum_norm(solver, p.lambda);
    assert_close(first, p.lambda, expected + p.s.n, 1e-11);
    assert_close(1, p.lambda + first, (double[]){whole * a / (a + b)}, 1e-11);
    assert_close(1, p.lambda + second, (double[]){whole * b / (a + b)}, 1e-11);
    /* the factorization is as good as before */
    trm_solver_solve(solver, p.f, p.g, NULL, p.x, p.lambda);
    assert_close(p.s.n, p.x, expected, 1e-11);
  }
  problem_destroy(&p);
  problem_destroy(&plain);
}

static void test_minimum_norm_shares(void **state) {
  (void)state;
  check_shares(1, 1);
  check_shares(1, 2);
}

/* A null space among rows without weight leaves λ finite, its forces unchanged. */
static void test_minimum_norm_without_weights(void **state) {
  (void)state;
  problem p, plain;
  make_redundant(&p, &plain, 1, true);
  for (int i = 0; i < p.s.m; i++) p.weight[i] = 0;
  trm_solver *solver = solved(&p, &trm_udwadia_kalaba);
  double *lambda = doubles(&p, p.s.m);
  memcpy(lambda, p.lambda, (size_t)p.s.m * sizeof *lambda);
  trm_solver_minimum_norm(solver, lambda);
  for (int i = 0; i < p.s.m; i++) lambda[i] -= p.lambda[i];
  assert_true(annihilated(&p, lambda) < 1e-12);
  problem_destroy(&p);
  problem_destroy(&plain);
}

/* Two equal rows asked for g − 1 and g + 1 meet at g. */
/* Of rows that contradict each other the one that is kept is met. */
static void test_contradiction(void **state) {
  (void)state;
  problem p, plain;
  make_redundant(&p, &plain, 1, true);
  p.g[p.s.m - 2] -= 1;
  p.g[p.s.m - 1] += 1;
  for (int c = 0; c < class_count; c++) {
    trm_solver *solver = solved(&p, classes[c]);
    double *met = doubles(&p, p.s.m);
    assert_int_equal(trm_solver_rank(solver), p.s.m - 1);
    trm_jacobian_times(&p.s, p.Cq, p.x, met);
    for (int i = 0; i < p.s.m; i++)
      if (trm_solver_left_out(solver)[i])
        assert_true(p.lambda[i] == 0);
      else
        assert_near(met[i], p.g[i], 1e-11);
  }
  problem_destroy(&p);
  problem_destroy(&plain);
}

static void test_zero_row(void **state) {
  (void)state;
  problem p, plain;
  make_redundant(&p, &plain, 0, true);
  const double *expected = dense_solution(&plain);
  for (int c = 0; c < class_count; c++) {
    trm_solver *solver = solved(&p, classes[c]);
    assert_close(p.s.n, p.x, expected, 1e-11);
    assert_int_equal(trm_solver_rank(solver), p.s.m - 1);
    trm_solver_minimum_norm(solver, p.lambda);
    assert_close(1, p.lambda + p.s.m - 1, (double[]){0}, 1e-14);
  }
  problem_destroy(&p);
  problem_destroy(&plain);
}

/* More rows than coordinates: everything is held. */
static void test_more_rows_than_coordinates(void **state) {
  (void)state;
  shape s = {.blocks = 1, .touches = touches};
  add_rows(&s, 5, 0, -1);
  problem p = problem_create(1, 3, true, s.rows, s.touches);
  problem_fill(&p, 9);
  const double x[] = {1, -2, 3};
  trm_jacobian_times(&p.s, p.Cq, x, p.g);
  for (int c = 0; c < class_count; c++) {
    trm_solver *solver = solved(&p, classes[c]);
    assert_close(3, p.x, x, 1e-12);
    assert_int_equal(trm_solver_rank(solver), 3);
    assert_int_equal(trm_solver_nullity(solver), 2);
    bool dependent[5];
    trm_solver_dependent(solver, dependent);
    for (int r = 0; r < 5; r++) assert_true(dependent[r]);
  }
  problem_destroy(&p);
}

/* Rows (1, 0) and (1, δ) with g = (g₁, g₁ + δ g₂) give x = (g₁, g₂) at every δ. Where δ is below
 * the cut-off x₂ is free, and f is such that it stays g₂: the answer does not jump. */
static void test_nearly_singular(void **state) {
  (void)state;
  const touch two[] = {{0, -1}, {0, -1}};
  for (int power = -10; power >= -47; power--) {
    double delta = ldexp(1, power); /* so that g is exact */
    problem p = problem_create(1, 2, true, 2, two);
    p.M[0] = 2;
    p.M[1] = 3;
    p.Cq[0] = p.Cq[2] = 1;
    p.Cq[3] = delta;
    p.g[0] = 1;
    p.g[1] = 1 + 2 * delta;
    p.f[0] = 0.3;
    p.f[1] = 6;
    for (int c = 0; c < class_count; c++) {
      solved(&p, classes[c]);
      assert_close(1, p.x, (double[]){1}, 4 * DBL_EPSILON);
      assert_close(1, p.x + 1, (double[]){2}, 8 * DBL_EPSILON / delta);
      assert_true(fabs(p.x[1] - 2) < 1e-3);
    }
    problem_destroy(&p);
  }
}

/* ---- massless rotations ---- */

/* A massless rod of length l with a point mass at its end: θ̈ = −(gravity/l) cos θ whatever I is. */
static void test_point_pendulum(void **state) {
  (void)state;
  const double m = 1.7, l = 0.6, gravity = 9.81, omega = 2.5;
  const touch two[] = {{0, -1}, {0, -1}};
  const int block[] = {0}, value[] = {0, 3};
  double N[] = {0, 0, 1};
  for (int c = 0; c < class_count; c++)
    for (int k = 0; k < 24; k++) {
      double theta = 0.3 * k, s = sin(theta), co = cos(theta), alpha = -gravity / l * co;
      double inertia[] = {k % 2 ? 0.1 * m * l * l : 3 * m * l * l};
      problem p = problem_create(1, 3, true, 2, two);
      memcpy(p.M, (double[]){m, m, inertia[0]}, 3 * sizeof(double));
      memcpy(p.Cq, (double[]){1, 0, l * s, 0, 1, -l * co}, 6 * sizeof(double));
      memcpy(p.g, (double[]){-l * co * omega * omega, -l * s * omega * omega}, 2 * sizeof(double));
      p.f[1] = -m * gravity;
      p.N = N;
      p.s.massless = 1;
      p.s.massless_block = block;
      p.s.massless_value = value;
      p.s.massless_inertia = inertia;
      solved(&p, classes[c]);
      double ax = -l * s * alpha - l * co * omega * omega,
             ay = l * co * alpha - l * s * omega * omega;
      assert_close(3, p.x, (double[]){ax, ay, alpha}, 1e-12);
      assert_close(2, p.lambda, (double[]){-m * ax, -m * (gravity + ay)}, 1e-12);
      problem_destroy(&p);
    }
}

/* Nothing holds the rotation of the second body: it stays at rest, the first is as before. */
static void test_free_massless_rotation_rests(void **state) {
  (void)state;
  const touch three[] = {{0, -1}, {0, -1}, {1, -1}};
  const int block[] = {0, 1}, value[] = {0, 3, 6};
  const double inertia[] = {0.5, 0.25};
  double N[] = {0, 0, 1, 0, 0, 1};
  for (int c = 0; c < class_count; c++) {
    problem p = problem_create(2, 3, true, 3, three);
    memcpy(p.M, (double[]){2, 2, 0.5, 1, 1, 0.25}, 6 * sizeof(double));
    memcpy(p.Cq, (double[]){1, 0, 0, 0, 1, -1, 1, 0, 0}, 9 * sizeof(double)); /* θ = 0, l = 1 */
    p.f[1] = -2 * 9.81;
    p.f[4] = -9.81;
    p.N = N;
    p.s.massless = 2;
    p.s.massless_block = block;
    p.s.massless_value = value;
    p.s.massless_inertia = inertia;
    solved(&p, classes[c]);
    assert_close(6, p.x, (double[]){0, -9.81, -9.81, 0, -9.81, 0}, 1e-12);
    assert_close(3, p.lambda, (double[]){0, 0, 0}, 1e-12);
    problem_destroy(&p);
  }
}

/* A spin about an axis that is along none of the body's own: to hold it one rotation must do, and
 * two where two are free. */
static void test_free_rotations_are_counted(void **state) {
  (void)state;
  const touch two[] = {{0, -1}, {0, -1}};
  const int block[] = {0, 0, 0}, value[] = {0, 3, 6, 9};
  const double inertia[] = {1, 1, 1};
  double N[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int c = 0; c < class_count; c++)
    for (int rows = 1; rows <= 2; rows++) { /* free: (1, 1, 0) and (0, 0, 1), or (1, 1, 1) */
      problem p = problem_create(1, 3, true, rows, two);
      memcpy(p.M, (double[]){1, 1, 1}, 3 * sizeof(double));
      memcpy(p.Cq, (double[]){1, -1, 0, 1, 1, -2}, (size_t)(3 * rows) * sizeof(double));
      p.N = N;
      p.s.massless = 3;
      p.s.massless_block = block;
      p.s.massless_value = value;
      p.s.massless_inertia = inertia;
      trm_solver *solver = solved(&p, classes[c]);
      bool free[3];
      trm_solver_find_free(solver, free);
      assert_int_equal(free[0] + free[1] + free[2], 3 - rows);
      assert_true(rows == 2 || free[2]); /* of the rest either will do */
      problem_destroy(&p);
    }
}

/* M = M_true + Nᵀ I N with a regular M_true: the border must give what M_true gives. */
static void test_massless_against_dense(void **state) {
  (void)state;
  shape s = {.touches = touches};
  shape_chain(&s, 5);
  problem p = problem_create(s.blocks, 6, false, s.rows, s.touches);
  problem_fill(&p, 12);
  const int block[] = {0, 2, 2, 4}, value[] = {0, 6, 12, 18, 24};
  const double inertia[] = {0.5, 2, 1, 0.1};
  uint64_t random = 5;
  p.N = doubles(&p, 24);
  p.bias = doubles(&p, 4);
  for (int i = 0; i < 24; i++) p.N[i] = uniform(&random);
  for (int j = 0; j < 4; j++) {
    p.bias[j] = uniform(&random);
    double *M = p.M + p.s.mass_value[block[j]], *N = p.N + value[j];
    for (int i = 0; i < 6; i++)
      for (int k = 0; k < 6; k++) M[6 * i + k] += inertia[j] * N[i] * N[k];
  }
  p.s.massless = 4;
  p.s.massless_block = block;
  p.s.massless_value = value;
  p.s.massless_inertia = inertia;
  const double *expected = dense_solution(&p);
  for (int c = 0; c < class_count; c++) {
    solved(&p, classes[c]);
    assert_close(p.s.n, p.x, expected, 1e-11);
    assert_close(p.s.m, p.lambda, expected + p.s.n, 1e-11);
  }
  problem_destroy(&p);
}

/* ---- bad numbers, large systems ---- */

static bool has_nan(int n, const double *a) {
  for (int i = 0; i < n; i++)
    if (isnan(a[i])) return true;
  return false;
}

static void test_nan_passes_through(void **state) {
  (void)state;
  const double bad[] = {NAN, INFINITY};
  for (int c = 0; c < class_count; c++)
    for (int what = 0; what < 6; what++) {
      problem p, plain;
      make_redundant(&p, &plain, 1, what % 2);
      problem *one = what < 3 ? &p : &plain;
      double *array = what % 3 == 0 ? one->M : what % 3 == 1 ? one->Cq : one->g;
      for (int k = 0; k < 2; k++) {
        array[0] = bad[k];
        trm_solver *solver = solved(one, classes[c]);
        /* an infinite mass is a wall: only that it ends is asked */
        assert_true(bad[k] == INFINITY || has_nan(one->s.n, one->x));
        trm_solver_minimum_norm(solver, one->lambda);
      }
      problem_destroy(&p);
      problem_destroy(&plain);
    }
}

/* A long chain with one row said twice, too large for the dense factorization. */
static void test_large_redundant_chain(void **state) {
  (void)state;
  enum { blocks = 4000 };
  shape s = {.touches = touches};
  shape_chain(&s, blocks);
  add_rows(&s, 1, blocks / 2, -1);
  problem p = problem_create(blocks, 6, true, s.rows, s.touches);
  uint64_t random = 3;
  for (int b = 0; b < blocks; b++)
    for (int i = p.s.panel_start[b], own = 0; i < p.s.panel_start[b + 1]; i++) {
      double *entries = p.Cq + 6 * i;
      for (int k = 0; k < 6; k++) entries[k] = 0.2 * uniform(&random);
      if (touches[p.s.panel_row[i]].a == b && own < 6) entries[own++] += 1.5;
    }
  double *repeated = row_entries(&p, s.rows - 1, blocks / 2);
  memcpy(repeated, row_entries(&p, 3 * (blocks / 2), blocks / 2), 6 * sizeof *repeated);
  for (int i = 0; i < p.s.n; i++) {
    p.M[i] = 1.5 + uniform(&random);
    p.f[i] = uniform(&random);
  }
  double *Cx = doubles(&p, p.s.m);
  trm_solver *solver = solved(&p, &trm_udwadia_kalaba);
  trm_jacobian_times(&p.s, p.Cq, p.x, Cx);
  assert_true(largest(p.s.m, Cx) < 1e-12);
  assert_int_equal(trm_solver_rank(solver), p.s.m - 1);
  assert_int_equal(trm_solver_nullity(solver), 1);
  problem_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes_against_dense),
      cmocka_unit_test(test_narrow_blocks_against_dense),
      cmocka_unit_test(test_one_dense_block),
      cmocka_unit_test(test_without_constraints),
      cmocka_unit_test(test_no_force_is_zero_force),
      cmocka_unit_test(test_constant_mass_is_factored_once),
      cmocka_unit_test(test_bad_scaling),
      cmocka_unit_test(test_redundant_row),
      cmocka_unit_test(test_minimum_norm_shares),
      cmocka_unit_test(test_minimum_norm_without_weights),
      cmocka_unit_test(test_contradiction),
      cmocka_unit_test(test_zero_row),
      cmocka_unit_test(test_more_rows_than_coordinates),
      cmocka_unit_test(test_nearly_singular),
      cmocka_unit_test(test_point_pendulum),
      cmocka_unit_test(test_free_massless_rotation_rests),
      cmocka_unit_test(test_free_rotations_are_counted),
      cmocka_unit_test(test_massless_against_dense),
      cmocka_unit_test(test_nan_passes_through),
      cmocka_unit_test(test_large_redundant_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
