/* Redundancies found loop by loop are those of the dense factorization: how many, and whose. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

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

/* Scissors in space: two arms side by side, tied at each crossing. */
static const char scissors[] =
    "trammel: 1\n"
    "name: Scissors\n"
    "space: spatial\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {N: 5, c: 0.8, s: 0.6}\n"
    "bodies:\n"
    "  a$(i):\n"
    "    repeat: {i: [1, N]}\n"
    "    mass: 1\n"
    "    inertia: [0.01, 0.34, 0.34]\n"
    "    position: [0, (i - 1)*2*s, 0]\n"
    "    orientation: {axis: [0, 0, 1], angle: atan(s/c)}\n"
    "    com: [1, 0, 0]\n"
    "    points: {A: [0, 0, 0], M: [1, 0, 0], B: [2, 0, 0]}\n"
    "  b$(i):\n"
    "    repeat: {i: [1, N]}\n"
    "    mass: 1\n"
    "    inertia: [0.01, 0.34, 0.34]\n"
    "    position: [2*c, (i - 1)*2*s, 0]\n"
    "    orientation: {axis: [0, 0, 1], angle: pi - atan(s/c)}\n"
    "    com: [1, 0, 0]\n"
    "    points: {A: [0, 0, 0], M: [1, 0, 0], B: [2, 0, 0]}\n"
    "joints:\n"
    "  foot: {type: revolute, connect: [ground, a1.A], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  slide: {type: point-on-line, connect: [ground, b1.A], at: [2*c, 0, 0], axis: [1, 0, 0]}\n"
    "  centre$(i): {repeat: {i: [1, N]}, type: revolute, connect: [a$(i).M, b$(i).M], axis: [0, 0, "
    "1]}\n"
    "  left$(i): {repeat: {i: [2, N]}, type: revolute, connect: [\"b$(i - 1).B\", a$(i).A], axis: "
    "[0, 0, 1]}\n"
    "  right$(i): {repeat: {i: [2, N]}, type: revolute, connect: [\"a$(i - 1).B\", b$(i).A], axis: "
    "[0, 0, 1]}\n";

static trm_model *load_text(const char *text, const char *override) {
  char path[] = "/tmp/scissors-XXXXXX";
  const char *const overrides[] = {override, NULL};
  int handle = mkstemp(path);
  FILE *file = handle >= 0 ? fdopen(handle, "w") : NULL;
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  trm_model *model = trm_model_load(path, overrides, NULL, NULL);
  unlink(path);
  assert_non_null(model);
  return model;
}

/* 2N bars with 6 freedoms each; 3N − 1 hinges with 5 rows, a slide with 2; one freedom is left. */
static void scissors_of_any_length(void **state) {
  (void)state;
  static const struct {
    const char *override;
    int stages;
  } sizes[] = {{"N=3", 3}, {"N=200", 200}};
  for (int k = 0; k < 2; k++) {
    trm_model *model = load_text(scissors, sizes[k].override);
    trm_simulation *sim = trm_simulation_create(model, NULL, NULL, NULL);
    trm_inspection found = trm_simulation_inspect(sim);
    assert_int_equal(found.degrees_of_freedom, 1);
    assert_int_equal(found.redundant, 3 * sizes[k].stages - 2);
    trm_simulation_destroy(sim);
    trm_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(loops_agree_with_dense),
                                     cmocka_unit_test(scissors_of_any_length)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
