/* A body's intrinsic rows eliminated first: the equations hold for any right-hand side, off the
 * constraints, too. */
#include <string.h>

#include "../check.h"
#include "../sample.h"
#include "solver/solver.h"

typedef struct fixture {
  trm_model *model;
  trm_arena *arena;
  trm_system *sys;
  trm_solver *solver;
  double *f, *g, *x, *lambda, *residual;
} fixture;

static double *random_vector(trm_arena *arena, int n, unsigned *state) {
  double *x = TRM_NEW(arena, double, n + 1);
  assert_non_null(x);
  for (int i = 0; i < n; i++) x[i] = sample_random(state);
  return x;
}

/* links: joints' rows are known as sides of links, where coordinates are axes */
static fixture fixture_of(const char *file, const char *coordinates, bool links,
                          trm_linear linear) {
  fixture z = {.model = trm_model_load(file, NULL, NULL, NULL), .arena = trm_arena_create()};
  unsigned state = 7;
  assert_non_null(z.model);
  int dim = trm_model_space(z.model) == TRM_PLANAR ? 2 : 3;
  z.sys =
      trm_system_create(z.model, trm_coordinates_find(coordinates, dim), false, NULL, 0, z.arena);
  assert_non_null(z.sys);
  if (!links) z.sys->structure.sides = NULL;
  z.solver = trm_solver_create_linear(&trm_udwadia_kalaba, z.arena, &z.sys->structure, linear);
  assert_non_null(z.solver);
  double *q = random_vector(z.arena, z.sys->n, &state),
         *written = TRM_NEW(z.arena, double, z.sys->n);
  trm_system_written(z.sys, written);
  for (int i = 0; i < z.sys->n; i++) q[i] = written[i] + 0.1 * q[i];
  assert_true(trm_system_position(z.sys, 0, q));
  z.f = random_vector(z.arena, z.sys->n, &state);
  z.g = random_vector(z.arena, z.sys->m, &state);
  z.x = TRM_NEW(z.arena, double, z.sys->n);
  z.lambda = TRM_NEW(z.arena, double, z.sys->m);
  z.residual = TRM_NEW(z.arena, double, z.sys->n + z.sys->m);
  return z;
}

static void release(fixture *z) {
  trm_arena_destroy(z->arena);
  trm_model_destroy(z->model);
}

static double largest(int n, const double *x) {
  double most = 1;
  for (int i = 0; i < n; i++) most = larger(most, fabs(x[i]));
  return most;
}

/* M x + Cqᵀ λ = f, Cq x = g */
static void check_equations(fixture *z, const double *f) {
  const trm_structure *s = &z->sys->structure;
  double round_off = 1e-13 * larger(largest(s->n, z->x), largest(s->m, z->lambda));
  trm_mass_times(s, z->sys->M, z->x, z->residual);
  trm_jacobian_transposed_add(s, z->sys->Cq, 1, z->lambda, z->residual);
  for (int i = 0; i < s->n; i++) assert_near(z->residual[i], f ? f[i] : 0, round_off);
  trm_jacobian_times(s, z->sys->Cq, z->x, z->residual);
  for (int i = 0; i < s->m; i++) assert_near(z->residual[i], z->g[i], round_off);
}

/* Two at once are what each is alone. */
static void check_both(fixture *z, const double *first) {
  int n = z->sys->n;
  unsigned state = 11;
  double *g = random_vector(z->arena, z->sys->m, &state), *alone = TRM_NEW(z->arena, double, n);
  double *const x[2] = {TRM_NEW(z->arena, double, n), TRM_NEW(z->arena, double, n)};
  const double *const gaps[2] = {z->g, g};
  trm_solver_project(z->solver, g, alone);
  trm_solver_project_both(z->solver, gaps, x);
  for (int i = 0; i < n; i++) {
    assert_near(x[0][i], first[i], 1e-13 * largest(n, first));
    assert_near(x[1][i], alone[i], 1e-13 * largest(n, alone));
  }
}

/* K in a skyline, full or not, and front by front */
static void check_linear(const char *file, const char *coordinates, bool links, trm_linear linear) {
  fixture z = fixture_of(file, coordinates, links, linear);
  assert_true(z.sys->structure.intrinsic > 0);
  trm_solver_factor(z.solver, z.sys->M, z.sys->Cq, z.sys->N);
  assert_int_equal(trm_solver_count(z.solver).decisions, 0);
  trm_solver_solve(z.solver, z.f, z.g, NULL, z.x, z.lambda);
  check_equations(&z, z.f);
  trm_solver_solve(z.solver, NULL, z.g, NULL, z.x, z.lambda);
  check_equations(&z, NULL);
  double *projected = TRM_NEW(z.arena, double, z.sys->n);
  trm_solver_project(z.solver, z.g, projected);
  for (int i = 0; i < z.sys->n; i++)
    assert_near(projected[i], z.x[i], 1e-15 * largest(z.sys->n, z.x));
  check_both(&z, projected);
  release(&z);
}

static void check_model(const char *file, const char *coordinates, bool links) {
  static const trm_linear all[] = {TRM_LINEAR_AUTO, TRM_LINEAR_DENSE, TRM_LINEAR_SPARSE};
  for (int i = 0; i < 3; i++) check_linear(file, coordinates, links, all[i]);
}

static void check_formulations(bool links) {
  static const char *const planar[] = {"natural", "cartesian", "euler-parameters"};
  for (int i = 0; i < 3; i++) {
    check_model("models/four_bar.yaml", planar[i], links);
    check_model("models/andrews.yaml", planar[i], links);
    check_model("models/slider_crank.yaml", planar[i], links);
  }
  for (int i = 0; i < 3; i += 2) {
    check_model("models/triple_pendulum.yaml", planar[i], links);
    check_model("models/heavy_top.yaml", planar[i], links);
    check_model("models/gyroscope.yaml", planar[i], links);
  }
}

static void equations_hold(void **state) {
  (void)state;
  check_formulations(false);
}

static void equations_of_links_hold(void **state) {
  (void)state;
  check_formulations(true);
}

/* A joint's row that repeats one of the body's intrinsic ones: its reduced row is round-off, not a
 * constraint.
 */
static void check_repeated_row(trm_linear linear) {
  fixture z = fixture_of("models/four_bar.yaml", "natural", false, linear);
  const trm_structure *s = &z.sys->structure;
  double *intrinsic = z.sys->Cq + s->panel_value[0], *joint = intrinsic + s->intrinsic * 6;
  memcpy(joint, intrinsic, 6 * sizeof *joint);
  for (int k = 2; k < 6; k++) joint[k] *= 1 + 1e-15 * k;
  z.g[s->panel_row[s->intrinsic]] = z.g[0];
  trm_solver_factor(z.solver, z.sys->M, z.sys->Cq, z.sys->N);
  assert_int_equal(trm_solver_rank(z.solver), s->m - 1);
  trm_solver_solve(z.solver, z.f, z.g, NULL, z.x, z.lambda);
  check_equations(&z, z.f);
  release(&z);
}

static void repeated_intrinsic_row_is_redundant(void **state) {
  (void)state;
  check_repeated_row(TRM_LINEAR_AUTO);
  check_repeated_row(TRM_LINEAR_SPARSE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equations_hold),
      cmocka_unit_test(equations_of_links_hold),
      cmocka_unit_test(repeated_intrinsic_row_is_redundant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
