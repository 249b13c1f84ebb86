/* L D Lᵀ of nets, ordered by minimum degree: solutions, rows left out, and when it pays. */
#include "../problem.h"
#include "math/rank.h"
#include "math/simplicial.h"

enum { most_links = 2 * 80 * 80 };
static touch links[most_links];

/* Rows of blocks, each linked to its neighbours above and to the left. */
static problem create_net(int down, int across, int *rows) {
  int count = 0;
  for (int i = 0; i < down; i++)
    for (int j = 0; j < across; j++) {
      int b = i * across + j;
      links[count++] = (touch){b, i > 0 ? b - across : -1};
      if (j > 0) links[count++] = (touch){b, b - 1};
    }
  *rows = count;
  return problem_create(down * across, 3, true, count, links);
}

/* ‖W Wᵀ x − b‖ over the rows that are not left out, by row */
static double residual(problem *p, const trm_simplicial *k, const double *x, const double *b) {
  double *y = doubles(p, p->s.n), *Ky = doubles(p, p->s.m), *rows = doubles(p, p->s.m), most = 0;
  for (int i = 0; i < p->s.m; i++) rows[k->order[i]] = x[i];
  trm_jacobian_transposed_add(&p->s, p->Cq, 1, rows, y);
  trm_jacobian_times(&p->s, p->Cq, y, Ky);
  for (int i = 0; i < p->s.m; i++)
    if (k->pivot_inverse[i] != 0) most = larger(most, fabs(Ky[k->order[i]] - b[i]));
  return most;
}

static void test_solves(void **state) {
  (void)state;
  int rows;
  problem p = create_net(9, 7, &rows);
  problem_fill(&p, 3);
  trm_simplicial *k = trm_simplicial_create(p.arena, &p.s);
  assert_non_null(k);
  double *b = doubles(&p, rows), *x = doubles(&p, rows);
  for (int repeat = 0; repeat < 2; repeat++) { /* nothing is left from the first */
    trm_simplicial_assemble(k, &p.s, p.Cq);
    assert_true(trm_simplicial_factor(k) > TRM_PIVOT_DOUBT);
    for (int i = 0; i < rows; i++) x[i] = b[i] = cos(i);
    trm_simplicial_solve(k, x);
    assert_true(residual(&p, k, x, b) < 1e-11);
  }
  problem_destroy(&p);
}

/* A row that repeats another is lost by its pivot; left out by name it gets nothing. */
static void test_lost_rows(void **state) {
  (void)state;
  int rows;
  problem p = create_net(9, 7, &rows);
  problem_fill(&p, 3);
  bool *redundant = TRM_NEW(p.arena, bool, rows);
  /* blocks 1 and 0 share row 2; row 0 is of block 0 alone: its copy in row 2 */
  memcpy(row_entries(&p, 2, 0), row_entries(&p, 0, 0), 3 * sizeof(double));
  memset(row_entries(&p, 2, 1), 0, 3 * sizeof(double));
  trm_simplicial *k = trm_simplicial_create(p.arena, &p.s);
  double *b = doubles(&p, rows), *x = doubles(&p, rows);
  trm_simplicial_assemble(k, &p.s, p.Cq);
  assert_true(trm_simplicial_factor(k) == 0);
  redundant[2] = true;
  trm_simplicial_omit(k, redundant);
  trm_simplicial_assemble(k, &p.s, p.Cq);
  assert_true(trm_simplicial_factor(k) > TRM_PIVOT_DOUBT);
  for (int i = 0; i < rows; i++) x[i] = b[i] = sin(i);
  trm_simplicial_solve(k, x);
  assert_true(residual(&p, k, x, b) < 1e-11);
  for (int i = 0; i < rows; i++)
    if (k->order[i] == 2) assert_true(x[i] == 0);
  problem_destroy(&p);
}

/* A wide net fills a skyline, a long strip does not. */
static void test_pays(void **state) {
  (void)state;
  int rows;
  problem net = create_net(80, 80, &rows), strip = create_net(1000, 3, &rows);
  assert_true(trm_simplicial_is_cheaper(&net.s));
  assert_false(trm_simplicial_is_cheaper(&strip.s));
  problem_destroy(&net);
  problem_destroy(&strip);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_solves),
                                     cmocka_unit_test(test_lost_rows), cmocka_unit_test(test_pays)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
