/* Every force element in every formulation: power, potential, and values worked out by hand. */
#include <string.h>

#include "../check.h"
#include "../sample.h"

static const char *const formulations[] = {"natural", "angle", "euler-parameters", "cartesian"};
#define FORMULATIONS ((int)(sizeof formulations / sizeof *formulations))

static double energy_at(trm_system *sys, const double *q, const double *v) {
  assert_true(trm_system_position(sys, 0.4, q));
  assert_true(trm_system_velocity(sys, v));
  return trm_system_potential(sys);
}

/* Qᵀv = power of the non-conservative forces − dV/dt */
static void generalized_forces_do_the_right_power(void **state) {
  (void)state;
  for (int f = 0; f < FORMULATIONS; f++) {
    trm_model *model = sample_model(true);
    assert_non_null(model);
    trm_arena *arena = trm_arena_create();
    trm_system *sys =
        trm_system_create(model, trm_coordinates_find(formulations[f], 2), false, NULL, 0, arena);
    double q[64], v[64], plus[64], minus[64], h = 1e-6;
    trm_system_written(sys, q);
    const trm_coordinates *co = sys->motion.coordinates;
    for (int b = 0; b < model->body_count; b++) {
      double linear[3] = {0.3 * b - 1, 0.8, 0}, spin[3] = {0, 0, 1.1 - b};
      co->from_twist(q + b * co->nq, linear, spin, v + b * co->nq);
    }
    for (int i = 0; i < sys->n; i++) plus[i] = q[i] + h * v[i], minus[i] = q[i] - h * v[i];
    double rate = (energy_at(sys, plus, v) - energy_at(sys, minus, v)) / (2 * h), work = 0;
    energy_at(sys, q, v);
    for (int i = 0; i < sys->n; i++) work += sys->Q[i] * v[i];
    assert_near(work, sys->power - rate, 1e-6);
    trm_arena_destroy(arena);
    trm_model_destroy(model);
  }
}

/* A spring, a coil, an actuator and a motor at a state worked out by hand. */
static void forces_by_hand(void **state) {
  (void)state;
  for (int f = 0; f < FORMULATIONS; f++) {
    trm_model *model = sample_model(true);
    trm_arena *arena = trm_arena_create();
    trm_system *sys =
        trm_system_create(model, trm_coordinates_find(formulations[f], 2), false, NULL, 0, arena);
    double q[64], v[64] = {0};
    trm_system_written(sys, q);
    assert_true(trm_system_position(sys, 0.5, q));
    assert_true(trm_system_velocity(sys, v));
    double ax = 0.3 - 0.4 * cos(0.4) - 0.3 * sin(0.4), ay = -0.2 - 0.4 * sin(0.4) + 0.3 * cos(0.4);
    double dx = 0.2 + 0.8 * cos(0.9) - 0.1 * sin(0.9), dy = 1.4 + 0.8 * sin(0.9) + 0.1 * cos(0.9);
    double length = hypot(dx - ax, dy - ay);
    trm_measure m = {.kind = TRM_MEASURE_ELEMENT, .index = 2, .level = 0};
    assert_near(trm_system_measure(sys, &m), length, 1e-14);
    m.level = 2;
    assert_near(trm_system_measure(sys, &m), 40 * (length - 0.5), 1e-12);
    m.index = 3; /* coil: angle zero as written, free angle 0.2 */
    assert_near(trm_system_measure(sys, &m), 7 * 0.2, 1e-13);
    m.index = 4;
    assert_near(trm_system_measure(sys, &m), 1.0, 1e-15);
    trm_arena_destroy(arena);
    trm_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(generalized_forces_do_the_right_power),
      cmocka_unit_test(forces_by_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
