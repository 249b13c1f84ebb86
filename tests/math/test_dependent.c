/* Dependent coordinates of mechanisms, open and closed, redundant and in nets: together they must
 * be determined, and nearly as well as all coordinates are. */
#include "../run.h"
#include "analysis/simulation.h"
#include "math/dependent.h"
#include "math/lapack.h"
#include "stabilization/partition.h"

#include <math.h>
#include <string.h>

typedef struct mechanism {
  trm_model *model;
  trm_simulation *sim;
  const trm_system *system;
  const bool *redundant;
  trm_arena *arena;
  double *scale; /* [n] */
} mechanism;

static mechanism create(const char *path, const char *set) {
  const char *const overrides[] = {set, NULL};
  mechanism k = {.model = trm_model_load(path, overrides, NULL, NULL), .arena = trm_arena_create()};
  assert_non_null(k.model);
  assert_non_null(k.sim = trm_simulation_create(k.model, NULL, NULL, NULL));
  k.system = k.sim->engine->dynamics.system;
  k.redundant = k.sim->engine->dynamics.stabilizer->redundant;
  k.scale = TRM_NEW(k.arena, double, k.system->n);
  while (k.sim->engine->t < 0.2) assert_int_equal(trm_simulation_step(k.sim, NULL), TRM_OK);
  assert_true(
      trm_system_position(k.sim->engine->dynamics.system, k.sim->engine->t, k.sim->engine->y));
  trm_partition_weigh(k.system, k.scale);
  return k;
}

static void destroy(mechanism *k) {
  trm_simulation_destroy(k->sim);
  trm_model_destroy(k->model);
  trm_arena_destroy(k->arena);
}

/* K += w wᵀ of a scaled column of Cq; place: of rows that are not redundant, else −1 */
static void add_column(const mechanism *k, int b, int q, const int *place, int rows, double *K) {
  const trm_structure *s = &k->system->structure;
  const double *column = k->system->Cq + s->panel_value[b] + q - s->q_start[b];
  int width = trm_block_width(s, b);
  for (int i = s->panel_start[b]; i < s->panel_start[b + 1]; i++)
    for (int j = s->panel_start[b]; j < s->panel_start[b + 1]; j++) {
      int row = place[s->panel_row[i]], other = place[s->panel_row[j]];
      if (row < 0 || other < 0) continue;
      K[row * rows + other] += k->scale[q] * column[(i - s->panel_start[b]) * width] * k->scale[q] *
                               column[(j - s->panel_start[b]) * width];
    }
}

/* The least singular value of some columns of the scaled Cq; NULL: of all */
static double least(const mechanism *k, const bool *columns) {
  const trm_structure *s = &k->system->structure;
  double *K = TRM_NEW(k->arena, double, s->m * s->m), *square = TRM_NEW(k->arena, double, s->m);
  int *place = TRM_NEW(k->arena, int, s->m), rows = 0, info, size = 64 * s->m;
  double *work = TRM_NEW(k->arena, double, size);
  for (int i = 0; i < s->m; i++) place[i] = k->redundant[i] ? -1 : rows++;
  for (int b = 0; b < s->blocks; b++)
    for (int q = s->q_start[b]; q < s->q_start[b + 1]; q++)
      if (!columns || columns[q]) add_column(k, b, q, place, rows, K);
  dsyev_("N", "U", &rows, K, &rows, square, work, &size, &info, 1, 1);
  assert_int_equal(info, 0);
  return sqrt(square[0]);
}

/* Of the best there could be: interlacing allows no more than all columns have. */
static const double part = 0.25;

static void check(const char *path, const char *set) {
  mechanism k = create(path, set);
  const trm_structure *s = &k.system->structure;
  bool *dependent = TRM_NEW(k.arena, bool, s->n);
  int rows = 0, chosen = 0;
  for (int i = 0; i < s->m; i++) rows += !k.redundant[i];
  int count = trm_dependent_choose(s, k.system->Cq, k.scale, k.redundant, dependent);
  for (int q = 0; q < s->n; q++) chosen += dependent[q];
  assert_int_equal(count, rows);
  assert_int_equal(chosen, rows);
  double ratio = least(&k, dependent) / least(&k, NULL);
  if (!(ratio > part)) fail_msg("%s: %g of what all coordinates have", path, ratio);
  destroy(&k);
}

static void test_mechanisms(void **state) {
  (void)state;
  check("models/four_bar.yaml", NULL);
  check("models/chain.yaml", "N=30");
  check("models/n_four_bar.yaml", "N=15");
  check("models/n_four_bar_spatial.yaml", "N=5");
  check("models/peaucellier.yaml", NULL);
  check("models/bricard.yaml", NULL);
  check("models/net.yaml", "N=5");
}

/* A third row that the first two determine: no coordinate is left for it but round-off. */
static void test_dependent_rows(void **state) {
  (void)state;
  static const int q_start[] = {0, 3}, panel_start[] = {0, 3}, panel_row[] = {0, 1, 2};
  static const int panel_value[] = {0, 9};
  static const double Cq[] = {.3, .7, .2, .6, .1, .4, 0, 1, 0}, scale[] = {1, 1, 1};
  static const bool skip[3];
  const trm_structure s = {.n = 3,
                           .m = 3,
                           .blocks = 1,
                           .q_start = q_start,
                           .panel_start = panel_start,
                           .panel_row = panel_row,
                           .panel_value = panel_value};
  bool dependent[3];
  assert_int_equal(trm_dependent_choose(&s, Cq, scale, skip, dependent), 2);
  assert_int_equal(dependent[0] + dependent[1] + dependent[2], 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mechanisms),
                                     cmocka_unit_test(test_dependent_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
