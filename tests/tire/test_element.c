/* The tire as a force element: tangents against differences, on a hilly road, in all forms; its
 * measures in formulas of other forces. */
#include "../system/differences.h"

#include "force/element.h"
#include "model/model.h"

static const char wheels[] = //
    "trammel: 1\nspace: spatial\n"
    "road: {formula: \"0.05*sin(0.8*x)*cos(0.6*y)\", friction: 0.8}\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.7, 0.5, 0.4], position: [0.3, -0.2, 0.33], com: [0.02, 0.03, "
    "0.01],\n"
    "      points: {C: [0.01, 0.02, -0.005]}}\n"
    "  b: {mass: 3, inertia: [0.9, 0.4, 0.8], position: [1.1, 0.5, 0.36]}\n"
    "joints:\n"
    "  rod: {type: distance, connect: [a, b]}\n"
    "forces:\n"
    "  left: {type: tire, wheel: a, centre: C, axis: [0.1, 1, 0.05], file: FILE, side: left}\n"
    "  push: {type: force, point: b, value: [\"left.fy*left.kappa\", \"left.mz + "
    "left.x*left.speed\","
    " \"alone\"]}\n"
    "  right: {type: tire, wheel: b, file: FILE, side: right}\n"
    "variables:\n"
    "  alone: \"right.fz*right.alpha + left.gamma*100 + right.deflection*left.z - left.mx + "
    "right.my + left.fx*0.1 + right.y\"\n"
    "states:\n"
    "  sum: {initial: 0, rate: \"left.fy*1e-3 - alone*sum*1e-3\"}\n";

static const trm_coordinates *const forms[] = {&trm_natural_spatial, &trm_euler_spatial};

static trm_model *load_wheels(const char *file) {
  char text[4096];
  size_t used = 0;
  for (const char *c = wheels; *c && used + 300 < sizeof text;) {
    bool here = strncmp(c, "FILE", 4) == 0;
    if (here)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s", file);
    else
      text[used++] = *c;
    c += here ? 4 : 1;
  }
  text[used] = 0;
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_model *model = trm_model_load_text(text, NULL, NULL, diagnostics, NULL);
  for (int k = 0; k < trm_diagnostics_count(diagnostics); k++)
    if (trm_diagnostics_get(diagnostics, k)->severity == TRM_ERROR)
      print_error("%s\n", trm_diagnostics_get(diagnostics, k)->message);
  trm_diagnostics_destroy(diagnostics);
  assert_non_null(model);
  return model;
}

/* The largest difference of a column, in units of its largest entry; of each entry with the step
 * that fits beside kinks and above round-off. */
static double worst_entry(equations *e, double *x, const double *blocks, int k) {
  int n = e->tangent->n, m = e->sys->m;
  double *r = TRM_NEW(e->arena, double, 4 * (n + m)), *rate = r + n, *noise = rate + m;
  double *best = noise + n, size = 1, worst = 0;
  static const double steps[] = {3e-4, 1e-5, 2e-7};
  for (int step = 0; step < 3; step++) {
    differentiate(e, x, k, steps[step], r, rate, noise);
    for (int i = 0; i < n; i++) {
      double off = fabs(entry(e, blocks, i, k) - r[i]);
      best[i] = step ? smaller(best[i], off) : off;
      size = larger(size, fabs(r[i]));
    }
  }
  for (int i = 0; i < n; i++) worst = larger(worst, best[i] / size);
  return worst;
}

static double check(equations *e) {
  int n = e->tangent->n;
  double *r = TRM_NEW(e->arena, double, 2 * (n + e->sys->m)), worst = 0;
  evaluate(e, r, r + n);
  assert_true(trm_system_tangent(e->sys, e->a, e->lambda, e->tangent));
  for (int k = 0; k < n; k++) {
    worst = larger(worst, worst_entry(e, e->q, e->tangent->K.value, k));
    worst = larger(worst, worst_entry(e, e->v, e->tangent->D.value, k));
  }
  return worst;
}

static void tangents(void **state) {
  (void)state;
  static const char *const files[] = {"models/vehicle/sedan.tir", "models/vehicle/van.tir"};
  static const double speeds[] = {12, 0.7, 0.1, -5};
  for (int i = 0; i < 16; i++) {
    trm_model *model = load_wheels(files[i / 2 % 2]);
    double speed = speeds[i / 4];
    for (int k = 0; k < 2; k++) {
      trm_body *body = &model->bodies[k];
      body->velocity_given = body->angular_velocity_given = true;
      body->velocity[0] = speed;
      body->angular_velocity[1] = 1.02 * speed / 0.33;
    }
    equations e = equations_of(model, forms[i % 2], false);
    trm_system_written(e.sys, e.q);
    trm_system_given_velocities(e.sys, e.q, e.v);
    unsigned random = 7 + (unsigned)i;
    for (int k = 0; k < e.sys->n; k++) {
      e.q[k] += 2e-3 * sample_random(&random);
      e.v[k] += 0.02 * fabs(speed) * sample_random(&random);
    }
    for (int k = e.sys->n; k < e.tangent->n; k++) e.v[k] = 0.01 * sample_random(&random);
    double worst = check(&e);
    if (!(worst <= 1e-7)) print_error("case %d: %g\n", i, worst);
    assert_true(worst <= 1e-7);

    forget(&e);
    trm_model_destroy(model);
  }
}

/* One wheel by calls; the file is read once for both of its tires. */
static void built_by_calls(void **state) {
  (void)state;
  static const char *const mistakes[] = {NULL, "wheel", "file", "side"};
  for (int k = 0; k < 4; k++) {
    trm_model *model = trm_model_create(TRM_SPATIAL);
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_body_def body = trm_default_body();
    body.name = "wheel";
    body.mass = 20;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    body.position[2] = 0.33;
    trm_model_add_body(model, &body);
    trm_force_def tire = trm_default_force();
    tire.type = TRM_FORCE_TIRE;
    tire.name = "a";
    tire.connect[0] = k == 1 ? NULL : "wheel";
    tire.file = k == 2 ? NULL : "models/vehicle/van.tir";
    tire.side = k == 3 ? TRM_TIRE_SYMMETRIC : TRM_TIRE_RIGHT;
    trm_model_add_force(model, &tire);
    tire.name = "b";
    trm_model_add_force(model, &tire);
    const trm_value height = trm_formula("0.1*x + y^2"), friction = trm_number(0.7);
    trm_model_set_road(model, &height, NULL, &friction);
    trm_status status = trm_model_finish(model, diagnostics);
    assert_int_equal(status, mistakes[k] ? TRM_BAD_MODEL : TRM_OK);
    if (mistakes[k]) {
      assert_non_null(strstr(trm_diagnostics_get(diagnostics, 0)->message, mistakes[k]));
    } else {
      assert_ptr_equal(model->forces[0].tire, model->forces[1].tire);
      assert_int_equal(model->tire_count, 1);
      trm_road_point p;
      trm_road_at(&model->road, 2, 3, true, &p);
      assert_true(fabs(p.z - 9.2) <= 1e-14 && fabs(p.zx - 0.1) <= 1e-15 && p.zy == 6);
      assert_true(p.zxx == 0 && p.zyy == 2 && fabs(p.zxy) <= 1e-15 && p.friction == 0.7);
    }
    trm_model_destroy(model);
    trm_diagnostics_destroy(diagnostics);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tangents), cmocka_unit_test(built_by_calls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
