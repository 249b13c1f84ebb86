/* Slopes of the equations of motion by parameters, from the derivatives of formulas, against
 * differences of order six between whole mechanisms; and what formulas do not tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../check.h"
#include "analysis/simulation.h"
#include "system/symbols.h"

static const char text[] =
    "trammel: 1\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {m: 1.3, k: 7, c: 0.4, two: 2, sum: two*k + c, all: sum*m, P: [3, k], n: 2}\n"
    "bodies:\n"
    "  rod: {mass: 1.1, inertia: 0.2, position: [0.5, 0.1], points: {O: [-0.5, 0], B: [0.5, 0]}}\n"
    "  bob: {mass: 0.7, inertia: 0.1, position: [1.4, 0.3]}\n"
    "joints:\n"
    "  pin: {type: revolute, connect: [ground, rod.O]}\n"
    "variables:\n"
    "  u: \"c*bob.vx + k^2*rod.angle\"\n"
    "  v: \"2*u - all*z + t*w'\"\n"
    "states:\n"
    "  z: {initial: 0.2, rate: \"u/m - two*z + tanh(c*w)\"}\n"
    "  w: {initial: 0.1, rate: \"if(bob.x > 0, k*z, -c)\"}\n"
    "forces:\n"
    "  push: {type: force, point: bob, value: [\"v - c*bob.vy\", \"-all\"]}\n"
    "  twist: {type: torque, body: rod, value: \"-sqrt(k)*u\"}\n"
    "  motor: {type: actuator, of: pin, value: c}\n"
    "  spring: {type: spring-damper, connect: [rod.B, bob], stiffness: \"k*(1 + z^2)\", damping: "
    "c*m, length: \"0.3*two + 0.1*sin(w)\"}\n"
    "  plain: {type: spring-damper, connect: [ground, bob], stiffness: k, damping: c, length: "
    "two}\n"
    "  end$(i): {repeat: {i: [1, n]}, let: {h: m/3}, type: force, point: rod.B, value: [\"h*u\", "
    "0]}\n"
    "  along: {type: torque, body: bob, value: \"P.y*bob.omega\"}\n";

typedef struct mechanism {
  trm_model *model;
  trm_simulation *simulation;
} mechanism;

static mechanism create(const trm_model *of, const char *name, double value) {
  trm_status status;
  mechanism m;
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  m.model = trm_model_with_symbols(of, name ? 1 : 0, &name, &value, diagnostics, &status);
  m.simulation = m.model ? trm_simulation_create(m.model, NULL, diagnostics, &status) : NULL;
  if (!m.simulation) print_message("%s\n", trm_diagnostics_get(diagnostics, 0)->message);
  assert_non_null(m.simulation);
  trm_diagnostics_destroy(diagnostics);
  return m;
}

static trm_system *system_of(const mechanism *m) {
  return m->simulation->engine->system;
}

static void destroy(mechanism *m) {
  trm_simulation_destroy(m->simulation);
  trm_model_destroy(m->model);
}

enum { MOST = 64 };
typedef struct place {
  double q[MOST], v[MOST], a[MOST], w[MOST], lambda[MOST], nu[MOST], slots[MOST];
  trm_virtual x;
} place;

/* Somewhere, with some virtual motion. */
static void go(place *p, const mechanism *base) {
  trm_system *sys = system_of(base);
  int half = sys->n + sys->states;
  assert_true(half < MOST && sys->m < MOST && sys->model->input_count + 1 < MOST);
  for (int i = 0; i < half; i++) {
    if (i < sys->n) p->q[i] = base->simulation->engine->y[i] + 0.05 * sin(7 * i);
    p->v[i] = sin(3 * i + 1);
    p->a[i] = cos(5 * i);
    p->w[i] = sin(11 * i + 2);
  }
  for (int i = 0; i < sys->m; i++) p->lambda[i] = cos(i), p->nu[i] = sin(2 * i + 1);
  trm_system_visit(sys, 0.7, p->q, p->v);
  memcpy(p->slots, sys->slots, (size_t)(sys->model->input_count + 1) * sizeof(double));
  p->x = (trm_virtual){.t = 0.7,
                       .system = sys,
                       .motion = &sys->motion,
                       .v = p->v,
                       .a = p->a,
                       .lambda = p->lambda,
                       .slots = p->slots,
                       .w = p->w,
                       .nu = p->nu};
}

/* dS of some parts by differences of order six. */
static double difference(const trm_model *model, const place *p, const trm_differing *parts,
                         const char *name, double value) {
  static const double weight[] = {0, 45, -9, 1};
  double all = 0, h = 1e-2 * value;
  for (int k = -3; k <= 3; k++) {
    double sum;
    if (k == 0) continue;
    mechanism side = create(model, name, value + k * h);
    assert_true(trm_contract(system_of(&side), NULL, parts, &p->x, &sum));
    all += (k < 0 ? -weight[-k] : weight[k]) / (60 * h) * sum;
    destroy(&side);
  }
  return all;
}

typedef struct expected {
  const char *name;
  double value;
  int formulas, springs; /* that tell */
  int forces;            /* that do not */
} expected;

static void compare(const trm_model *model, const mechanism *base, int parameter,
                    const expected *e) {
  static const trm_differing whole = {.whole = true};
  static place p;
  trm_arena *arena = trm_arena_create();
  trm_symbols *symbols = trm_symbols_create(system_of(base), arena);
  mechanism side = create(model, e->name, e->value * 1.001);
  trm_differing parts = {0};
  char error[256];
  go(&p, base);
  assert_true(trm_find_differing(system_of(base), system_of(&side), parameter, symbols, &p.x, arena,
                                 &parts));
  assert_true(!parts.laws && !parts.slots);
  assert_int_equal(parts.bodies + parts.primitives + parts.masses, 0);
  assert_int_equal(parts.chain.formulas, e->formulas);
  assert_int_equal(parts.springs, e->springs);
  assert_int_equal(parts.forces, e->forces);
  trm_symbols_visit(symbols, &p.x);
  assert_true(trm_symbols_weigh(symbols, &p.x, error, sizeof error));
  trm_add_slopes(system_of(&side), system_of(base), 1000 / e->value, &parts);
  trm_add_slopes(system_of(base), system_of(base), -1000 / e->value, &parts);
  double exact = difference(model, &p, &whole, e->name, e->value);
  double found = trm_contract_chain(symbols, &parts.chain) + trm_contract_slopes(&parts, &p.x) +
                 (e->forces > 0 ? difference(model, &p, &parts, e->name, e->value) : 0);
  print_message("%s: %.12g, off by %.2g\n", e->name, exact, found - exact);
  assert_true(fabs(exact) > 0.1);
  assert_true(fabs(found - exact) <= 1e-9 * fabs(exact));
  destroy(&side);
  trm_arena_destroy(arena);
}

static void formulas_against_differences(void **state) {
  (void)state;
  static const expected all[] = {
      /* counted in the text */
      {"m", 1.3, 4, 0, 2},    /* `let` writes numbers into two texts */ {"k", 7, 7, 1, 0},
      {"c", 0.4, 8, 1, 0},    {"two", 2, 4, 1, 0},
      {"sum", 14.4, 2, 0, 0}, {"all", 18.72, 2, 0, 0},
  };
  trm_model *model = trm_model_load_text(text, "symbols", NULL, NULL, NULL);
  assert_non_null(model);
  mechanism base = create(model, NULL, 0);
  for (int i = 0; i < 6; i++) {
    int parameter = 0;
    while (strcmp(model->parameters[parameter].name, all[i].name) != 0) parameter++;
    compare(model, &base, parameter, &all[i]);
  }
  destroy(&base);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas_against_differences)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
