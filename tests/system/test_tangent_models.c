/* The shipped models in every formulation, planar ones in space too: tangents against differences.
 */
#include <glob.h>

#include "differences.h"

static const char *const formulations[] = {"natural", "angle", "euler-parameters", "cartesian",
                                           "relative"};

static void check_model(const char *path, trm_space space) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = trm_model_load_as(path, NULL, space, diagnostics, NULL);
  assert_int_equal(trm_diagnostics_errors(diagnostics), 0);
  assert_non_null(model);
  for (int f = 0; f < 5; f++) {
    const trm_coordinates *co = trm_coordinates_find(formulations[f], model->dim);
    for (int singular = 0; singular < 2 && co; singular++) {
      equations e = equations_of(model, singular && co->singular ? co->singular : co, singular);
      check_tangent(&e, path);
      forget(&e);
    }
  }
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
}

static void check_system(const trm_model *model, const char *path) {
  equations e = equations_of(model, NULL, false);
  check_tangent(&e, path);
  forget(&e);
}

static void every_shipped_model(void **state) {
  (void)state;
  glob_t files;
  assert_int_equal(glob("models/*.yaml", 0, NULL, &files), 0);
  assert_true(files.gl_pathc >= 31);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    trm_model *model = trm_model_load(files.gl_pathv[i], NULL, NULL, NULL);
    assert_non_null(model);
    trm_space space = trm_model_space(model);
    bool own = trm_model_is_system(model);
    if (own) check_system(model, files.gl_pathv[i]);
    trm_model_destroy(model);
    if (own) continue;
    check_model(files.gl_pathv[i], space);
    if (space == TRM_PLANAR) check_model(files.gl_pathv[i], TRM_SPATIAL);
  }
  globfree(&files);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_shipped_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
