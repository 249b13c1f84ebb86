/* Redundancies found loop by loop are those of the dense factorization: how many, and whose. */
#include "../run.h"

static void compare(const trm_model *model, const char *path) {
  trm_simulation *sim[2];
  trm_inspection found[2];
  for (int k = 0; k < 2; k++) {
    trm_settings settings = *trm_model_settings(model);
    settings.linear = k ? "sparse" : "dense";
    sim[k] = trm_simulation_create(model, &settings, NULL, NULL);
    assert_non_null(sim[k]);
    found[k] = trm_simulation_inspect(sim[k]);
  }
  print_message("%s: %d of %d rows redundant, %d joints\n", path, found[1].redundant,
                found[1].constraints, found[1].redundant_joints);
  assert_int_equal(found[0].redundant, found[1].redundant);
  assert_int_equal(found[0].rank_at_start, found[1].rank_at_start);
  assert_int_equal(found[0].redundant_joints, found[1].redundant_joints);
  for (int i = 0; i < found[0].redundant_joints; i++)
    assert_string_equal(trm_simulation_redundant_joint(sim[0], i),
                        trm_simulation_redundant_joint(sim[1], i));
  for (int k = 0; k < 2; k++) trm_simulation_destroy(sim[k]);
}

static void loops_agree_with_dense(void **state) {
  (void)state;
  static const struct {
    const char *path, *override;
    trm_space space;
    int redundant;
  } list[] = {{"models/n_four_bar_spatial.yaml", "N=5", TRM_SPATIAL, 15},
              {"models/n_four_bar.yaml", "N=5", TRM_PLANAR, 0},
              {"models/parallel_cranks.yaml", NULL, TRM_PLANAR, 1},
              {"models/parallel_cranks.yaml", NULL, TRM_SPATIAL, 7},
              {"models/four_bar.yaml", NULL, TRM_SPATIAL, 3},
              {"models/bricard.yaml", NULL, TRM_SPATIAL, 1}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const char *const overrides[] = {list[i].override, NULL};
    trm_model *model = trm_model_load_as(list[i].path, overrides, list[i].space, NULL, NULL);
    assert_non_null(model);
    trm_simulation *sim = trm_simulation_create(model, NULL, NULL, NULL);
    assert_int_equal(trm_simulation_inspect(sim).redundant, list[i].redundant);
    trm_simulation_destroy(sim);
    compare(model, list[i].path);
    trm_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(loops_agree_with_dense)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
