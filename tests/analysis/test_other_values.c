/* A simulation whose parameter is set is, bit by bit, that of the model read with this value:
 * start, rates, and all outputs, of every shipped model and parameter. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../run.h"

static int models, parameters, moved;

static trm_simulation *create(const trm_model *model) {
  return model ? trm_simulation_create(model, NULL, NULL, NULL) : NULL;
}

/* Time and state, then its rates. */
static double *motion_of(trm_simulation *sim, int *count) {
  int size = trm_simulation_state_size(sim);
  double *all = calloc(2 * (size_t)size + 1, sizeof *all);
  assert_non_null(all);
  trm_simulation_get_state(sim, &all[2 * size], all);
  trm_status status = trm_simulation_derivatives(sim, all[2 * size], all, all + size, NULL);
  if (status != TRM_OK) memset(all + size, 0, (size_t)size * sizeof *all);
  *count = 2 * size + 1;
  return all;
}

static bool is_same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

static void compare(const char *path, const trm_model *model, trm_simulation *set,
                    trm_simulation *read, const char *name) {
  int count, other, wrong = 0;
  double *a = motion_of(set, &count), *b = motion_of(read, &other);
  assert_int_equal(count, other);
  for (int i = 0; i < count; i++) wrong += !is_same(a[i], b[i]);
  for (int k = 0; k < trm_model_output_count(model); k++) {
    const char *output = trm_model_output_name(model, k);
    int x = trm_simulation_find(set, output, NULL), y = trm_simulation_find(read, output, NULL);
    assert_int_equal(x, y);
    if (x >= 0) wrong += !is_same(trm_simulation_get(set, x), trm_simulation_get(read, y));
  }
  if (wrong > 0) print_error("%s, %s: %d numbers differ\n", path, name, wrong);
  assert_int_equal(wrong, 0);
  free(a);
  free(b);
}

/* What moves with the parameter shows that it has been set. */
static bool has_moved(trm_simulation *one, trm_simulation *other) {
  int count, count2;
  double *a = motion_of(one, &count), *b = motion_of(other, &count2);
  bool differs = count != count2 || memcmp(a, b, (size_t)count * sizeof *a) != 0;
  free(a);
  free(b);
  return differs;
}

static void try_parameter(const char *path, const trm_model *model, trm_simulation *first, int k) {
  const char *name = trm_model_parameter_name(model, k);
  double x = trm_model_parameter_value(model, k), value = x != 0 ? 1.001 * x : 0.001;
  char text[200];
  snprintf(text, sizeof text, "%s=%.17g", name, value);
  const char *const overrides[] = {text, NULL};
  trm_model *fresh = trm_model_load(path, overrides, NULL, NULL);
  trm_simulation *read = create(fresh), *set = create(model);
  assert_non_null(set);
  trm_status status = trm_simulation_set_parameter(set, name, value, NULL);
  assert_int_equal(status == TRM_OK, read != NULL);
  if (read) {
    compare(path, fresh, set, read, name);
    moved += has_moved(first, read);
  }
  trm_simulation_destroy(set);
  trm_simulation_destroy(read);
  trm_model_destroy(fresh);
  parameters++;
}

static int visit(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)info, (void)where;
  const char *end = strrchr(path, '.');
  if (kind != FTW_F || !end || strcmp(end, ".yaml") != 0) return 0;
  trm_model *model = trm_model_load(path, NULL, NULL, NULL);
  trm_simulation *first = create(model);
  models += first != NULL; /* others are parts */
  for (int k = 0; first && k < trm_model_parameter_count(model); k++)
    try_parameter(path, model, first, k);
  trm_simulation_destroy(first);
  trm_model_destroy(model);
  return 0;
}

static void every_model(void **state) {
  (void)state;
  assert_int_equal(nftw("models", visit, 10, FTW_PHYS), 0);
  print_message("%d parameters of %d models, %d of them move the start\n", parameters, models,
                moved);
  assert_true(models > 50 && parameters > 200 && moved > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
