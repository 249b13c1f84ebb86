/* Rows and kept blocks eliminated along a tree: solutions against Gaussian elimination of W Wᵀ,
 * rows left out, and no fill around a hub. */
#include "../problem.h"
#include "math/gram.h"

enum { width = 3, most_touches = 2 * 80 * 80 };
static touch rows[most_touches];

typedef struct mechanism {
  problem p;
  trm_fronts *K;
} mechanism;

/* Rows between two blocks do not change when both move as one, as those of joints. */
static void fill(problem *p, uint64_t seed) {
  uint64_t state = seed;
  for (int r = 0; r < p->s.m; r++)
    for (int i = 0; i < width; i++) {
      double v = uniform(&state);
      row_entries(p, r, rows[r].a)[i] = v;
      if (rows[r].b >= 0) row_entries(p, r, rows[r].b)[i] = -v;
    }
}

static mechanism mechanism_of(int blocks, int count, bool net) {
  mechanism m = {.p = problem_create(blocks, width, true, count, rows)};
  const trm_structure *s = &m.p.s;
  fill(&m.p, 5);
  assert_true(trm_fronts_create(&m.K, m.p.arena, s, 1e9, !net, net));
  assert_non_null(m.K);
  assert_true(trm_fronts_aim(m.K, m.p.arena, blocks, s->panel_start, m.K->panel_place));
  return m;
}

static void assemble(mechanism *m) {
  const trm_structure *s = &m->p.s;
  trm_fronts *K = m->K;
  trm_fronts_clear(K);
  for (int b = 0; b < s->blocks; b++) {
    const trm_spot *spot = K->spot + K->spot_start[b];
    const double *W = m->p.Cq + s->panel_value[b];
    for (int r = 0; r < trm_panel_rows(s, b); r++) {
      if (K->block_place[b] >= 0) {
        for (int i = 0; i < width; i++) K->value[spot->at + i * spot->column] = W[r * width + i];
        spot++;
        continue;
      }
      for (int c = 0; c <= r; c++, spot++)
        for (int i = 0; i < width; i++) K->value[spot->at] += W[r * width + i] * W[c * width + i];
    }
  }
}

/* λ of W Wᵀ λ = b over the rows that are not left out */
static double *reference(problem *p, const double *b, const bool *left_out) {
  int m = p->s.m;
  double *K = doubles(p, m * m), *row = doubles(p, m), *y = doubles(p, p->s.n), *x = doubles(p, m);
  for (int j = 0; j < m; j++) {
    memset(y, 0, (size_t)p->s.n * sizeof *y);
    for (int i = 0; i < m; i++) row[i] = i == j;
    trm_jacobian_transposed_add(&p->s, p->Cq, 1, row, y);
    trm_jacobian_times(&p->s, p->Cq, y, row);
    bool out = left_out && left_out[j];
    for (int i = 0; i < m; i++) K[i * m + j] = out || (left_out && left_out[i]) ? i == j : row[i];
    x[j] = out ? 0 : b[j];
  }
  eliminate(m, K, x);
  return x;
}

static void check_solution(mechanism *m, const bool *left_out) {
  problem *p = &m->p;
  const trm_fronts *K = m->K;
  double *b = doubles(p, p->s.m), *x = doubles(p, K->size), *u = doubles(p, p->s.n);
  double *lambda = doubles(p, p->s.m);
  for (int i = 0; i < p->s.m; i++) b[i] = cos(i);
  for (int i = 0; i < K->size; i++) x[i] = K->order[i] >= 0 ? b[K->order[i]] : 0;
  trm_fronts_solve(K, x);
  double *expected = reference(p, b, left_out);
  for (int i = 0; i < K->size; i++)
    if (K->order[i] >= 0) {
      assert_near(x[i], expected[K->order[i]], 1e-11);
      lambda[K->order[i]] = x[i];
    }
  trm_jacobian_transposed_add(&p->s, p->Cq, 1, lambda, u);
  for (int k = 0; k < p->s.blocks; k++)
    for (int i = 0; i < width && K->block_place[k] >= 0; i++)
      assert_near(x[K->block_place[k] + i], u[k * width + i], 1e-11);
}

/* Limbs of three blocks on a hub, joints of two rows; pairs of limbs are tied at their ends by one
 * row, the last two to the ground. */
static int add_limbs(int limbs, bool tied) {
  int count = 0;
  for (int i = 0; i < limbs; i++)
    for (int k = 0; k < 3; k++)
      for (int r = 0; r < 2; r++) rows[count++] = (touch){1 + 3 * i + k, k > 0 ? 3 * i + k : 0};
  for (int i = 0; i + 1 < limbs && tied; i += 2)
    rows[count++] = (touch){3 + 3 * i, i + 3 < limbs ? 6 + 3 * i : -1};
  rows[count++] = (touch){0, -1};
  return count;
}

static void test_solves(void **state) {
  (void)state;
  for (int limbs = 1; limbs < 9; limbs++)
    for (int tied = 0; tied < 2; tied++) {
      mechanism m = mechanism_of(1 + 3 * limbs, add_limbs(limbs, tied), false);
      assert_true((m.K->block_place[0] >= 0) == (trm_panel_rows(&m.p.s, 0) > 2.5 * width));
      for (int repeat = 0; repeat < 2; repeat++) { /* nothing is left from the first */
        assemble(&m);
        assert_true(trm_fronts_factor(m.K) > TRM_PIVOT_DOUBT);
        check_solution(&m, NULL);
      }
      problem_destroy(&m.p);
    }
}

/* Joints of more rows than have copies of their own. */
static void test_many_rows(void **state) {
  (void)state;
  int count = 0;
  for (int b = 0; b < 8; b++)
    for (int k = 0; k < 8; k++) rows[count++] = (touch){b, -1};
  mechanism m = mechanism_of(8, count, false);
  bool *left_out = TRM_NEW(m.p.arena, bool, count);
  for (int i = 0; i < count; i++) left_out[i] = i % 8 >= width;
  trm_fronts_omit(m.K, left_out);
  assemble(&m);
  assert_true(trm_fronts_factor(m.K) > TRM_PIVOT_DOUBT);
  check_solution(&m, left_out);
  problem_destroy(&m.p);
}

/* A row that repeats another is lost by its pivot; left out by name it gets nothing. */
static void test_lost_rows(void **state) {
  (void)state;
  int count = add_limbs(6, true), tie = count - 2;
  for (int same = 0; same < 2; same++) {
    rows[count] = rows[same ? 0 : tie];
    mechanism m = mechanism_of(19, count + 1, false);
    bool *left_out = TRM_NEW(m.p.arena, bool, count + 1);
    int of[] = {rows[count].a, rows[count].b};
    for (int i = 0; i < 2; i++)
      if (of[i] >= 0)
        memcpy(row_entries(&m.p, count, of[i]), row_entries(&m.p, same ? 0 : tie, of[i]),
               width * sizeof(double));
    assemble(&m);
    assert_true(trm_fronts_factor(m.K) < 1e-13);
    left_out[count] = true;
    trm_fronts_omit(m.K, left_out);
    assemble(&m);
    assert_true(trm_fronts_factor(m.K) > TRM_PIVOT_DOUBT);
    check_solution(&m, left_out);
    problem_destroy(&m.p);
  }
}

/* A row near one that repeats another: the pivot is the square of its distance. */
static void test_pivot_is_distance(void **state) {
  (void)state;
  int count = add_limbs(6, true), tie = count - 2;
  rows[count] = rows[tie];
  for (double distance = 1e-2; distance > 1e-6; distance /= 10) {
    mechanism m = mechanism_of(19, count + 1, false);
    double *last = row_entries(&m.p, count, rows[tie].a), aside = last[0];
    memcpy(last, row_entries(&m.p, tie, rows[tie].a), width * sizeof(double));
    last[0] += distance * aside;
    if (rows[tie].b >= 0)
      for (int i = 0; i < width; i++) row_entries(&m.p, count, rows[tie].b)[i] = -last[i];
    assemble(&m);
    double part = trm_fronts_factor(m.K) / (distance * distance);
    assert_true(part > 1e-3 && part < 1e2);
    problem_destroy(&m.p);
  }
}

/* Twice the limbs on one hub are twice the entries, tied or not; too many operations are refused.
 */
static void test_no_fill(void **state) {
  (void)state;
  for (int tied = 0; tied < 2; tied++) {
    mechanism small = mechanism_of(301, add_limbs(100, tied), false);
    mechanism large = mechanism_of(601, add_limbs(200, tied), false);
    assert_true((double)large.K->entries < 2.01 * (double)small.K->entries);
    assert_true(trm_fronts_create(&large.K, large.p.arena, &large.p.s, 1e3, true, false));
    assert_null(large.K);
    problem_destroy(&small.p);
    problem_destroy(&large.p);
  }
}

/* Rows of blocks, each linked to its neighbours above and to the left. */
static int add_net(int down, int across) {
  int count = 0;
  for (int i = 0; i < down; i++)
    for (int j = 0; j < across; j++) {
      int b = i * across + j;
      rows[count++] = (touch){b, i > 0 ? b - across : -1};
      if (j > 0) rows[count++] = (touch){b, b - 1};
    }
  return count;
}

/* A net is eliminated in an order of its own; a wide one fills a skyline, a long strip does not. */
static void test_nets(void **state) {
  (void)state;
  mechanism small = mechanism_of(9 * 7, add_net(9, 7), true);
  trm_gram strip, wide;
  assemble(&small);
  assert_true(trm_fronts_factor(small.K) > TRM_PIVOT_DOUBT);
  check_solution(&small, NULL);
  problem_destroy(&small.p);
  problem net = problem_create(80 * 80, width, true, add_net(80, 80), rows);
  assert_true(trm_gram_create(&wide, net.arena, &net.s, false));
  assert_non_null(wide.fronts);
  problem_destroy(&net);
  problem line = problem_create(1000 * 3, width, true, add_net(1000, 3), rows);
  assert_true(trm_gram_create(&strip, line.arena, &line.s, false));
  assert_null(strip.fronts);
  problem_destroy(&line);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solves),    cmocka_unit_test(test_many_rows),
      cmocka_unit_test(test_lost_rows), cmocka_unit_test(test_pivot_is_distance),
      cmocka_unit_test(test_no_fill),   cmocka_unit_test(test_nets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
