/* Every joint and force in every formulation: tangents against differences. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "../maxwell.h"
#include "../model/load.h"
#include "../sample_spatial.h"
#include "differences.h"

static const trm_coordinates *const planar_forms[] = {&trm_natural_planar, &trm_angle_planar,
                                                      &trm_euler_planar, &trm_cartesian_planar,
                                                      &trm_euler_planar_singular};
static const trm_coordinates *const spatial_forms[] = {
    &trm_natural_spatial, &trm_natural_spatial_flat, &trm_euler_spatial, &trm_relative_spatial};

static void check_forms(const trm_model *model) {
  bool plane = model->dim == 2;
  for (int f = 0; f < (plane ? 5 : 4); f++)
    for (int keep = 0; keep < 2; keep++) {
      const trm_coordinates *co = plane ? planar_forms[f] : spatial_forms[f];
      equations e = equations_of(model, co, keep);
      e.sys->quaternion[0][0] = -1; /* a body's quaternion goes on with the other sign */
      check_tangent(&e, co->name);
      forget(&e);
    }
}

static void planar_joints_and_forces(void **state) {
  (void)state;
  for (int forces = 0; forces < 2; forces++) {
    trm_model *model = sample_model(forces);
    assert_non_null(model);
    check_forms(model);
    trm_model_destroy(model);
  }
}

static void spatial_joints(void **state) {
  (void)state;
  trm_model *model = sample_spatial_model();
  check_forms(model);
  trm_model_destroy(model);
}

/* Forces that use every measure of position and velocity level, on bodies with inertia and without:
 * of p's rotation nothing is determined, of r's the joint determines it. */
static const char in_the_plane[] = //
    "trammel: 1\n"
    "space: planar\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: 0.7, position: [0.3, -0.2], angle: 0.4, com: [0.1, -0.2],\n"
    "      points: {A: [-0.4, 0.3], B: [0.8, 0.1]}}\n"
    "  b: {mass: 3, inertia: 0.9, position: [1.1, 0.5], angle: -1.2, points: {A: [0.2, 0.1]}}\n"
    "  p: {mass: 1, inertia: 0, position: [-0.5, 0.6], angle: 0.3}\n"
    "  r: {mass: 1, inertia: 0, position: [0.3, 1.2], angle: 1.3, points: {A: [0.3, -0.4]}}\n"
    "joints:\n"
    "  pin: {type: revolute, connect: [ground, r.A]}\n"
    "  slot: {type: prismatic, connect: [a, b.A], axis: [0.6, 0.8]}\n"
    "  rod: {type: distance, connect: [p, b]}\n"
    "  nut: {type: revolute, connect: [a.B, b]}\n"
    "forces:\n"
    "  point: {type: force, point: a.B, value: [\"sin(b.A.x)*p.vy + "
    "slot.displacement*slot.speed\",\n"
    "          \"momentum.lz*a.omega + r.omega^2\"]}\n"
    "  local: {type: force, point: b.A, frame: body, value: [\"3*a.angle^2 + "
    "pin.rate*pin.angle\",\n"
    "          \"momentum.px*momentum.py\"]}\n"
    "  twist: {type: torque, body: r, value: \"coil.angle*coil.rate + line.length*line.rate\"}\n"
    "  line: {type: spring-damper, connect: [a.A, p], stiffness: \"40 + 5*a.vx\",\n"
    "         damping: \"3 + cos(b.angle)\", length: \"0.5 + 0.1*r.y\"}\n"
    "  coil: {type: torsion-spring-damper, connect: [b, r], stiffness: 7, damping: \"2*p.x\",\n"
    "         angle: \"0.2*a.y\"}\n"
    "  motor: {type: actuator, of: pin, value: \"-4*pin.rate*exp(pin.angle)\"}\n"
    "  ram: {type: actuator, connect: [r, b.A], value: \"2 + ram.length*ram.rate\"}\n"
    "  rail: {type: actuator, of: slot, value: \"b.A.vx\"}\n"
    "  mount: {type: bushing, connect: [a.B, b], preload: [1, -2, 0.5],\n"
    "          stiffness: [[40, 3, 2], [3, 50, -4], [2, -4, 9]],\n"
    "          damping: [[4, 1, 0.2], [0.3, 5, -0.4], [-0.7, 0.4, 0.9]]}\n"
    "  pair: {type: load, connect: [a.A, b.A], force: [\"2 + a.u*b.v\", \"mount.ux - "
    "3*mount.rz\"],\n"
    "         torque: \"mount.uy*b.u + r.v\"}\n"
    "  held: {type: load, connect: [ground, a.B], force: [\"b.v\", \"a.x\"], torque: 0.4}\n"
    "  anchor: {type: load, connect: [a.B, ground], force: [1, \"b.u\"], torque: \"a.v\"}\n"
    "  clutch: {type: torsion-spring-damper, of: [pin, nut], stiffness: \"3 + b.u\", damping: 2,\n"
    "           angle: \"0.1*clutch.rate + clutch.angle^2\"}\n";

static const char in_space[] = //
    "trammel: 1\n"
    "space: spatial\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.7, 0.9, 1.1, 0.1, -0.05, 0.08], com: [0.1, -0.2, 0.15],\n"
    "      position: [0.3, -0.2, 0.1], orientation: {axis: [1, 2, -1], angle: 0.7},\n"
    "      points: {A: [-0.4, 0.3, 0.2], B: [0.8, 0.1, -0.3]}}\n"
    "  b: {mass: 3, inertia: [0.5, 0.6, 0.4], position: [1.1, 0.5, -0.6],\n"
    "      orientation: {axis: [-1, 0.5, 2], angle: 2.1}, points: {A: [0.2, 0.1, 0.4]}}\n"
    "  p: {mass: 1, inertia: [0, 0, 0], position: [-0.5, 0.6, 0.3],\n"
    "      orientation: {axis: [1, 1, 0], angle: -0.8}}\n"
    "  r: {mass: 1, inertia: [0, 0.3, 0.3], position: [0.3, 1.2, -0.7],\n"
    "      orientation: {axis: [0, 1, 3], angle: 1.4}, points: {A: [0.3, -0.4, 0.2]}}\n"
    "joints:\n"
    "  pin: {type: revolute, connect: [ground, r.A], axis: [0.6, 0, 0.8]}\n"
    "  slot: {type: cylindrical, connect: [a, b.A], axis: [0.6, 0.8, 0]}\n"
    "  rod: {type: distance, connect: [p, b]}\n"
    "  bend: {type: constant-velocity, connect: [a.B, b], axes: [[1, 2, 0.5], [0.3, -1, 0.8]]}\n"
    "forces:\n"
    "  point: {type: force, point: a.B, value: [\"sin(b.A.x)*p.vy + "
    "slot.displacement*slot.speed\",\n"
    "          \"momentum.lz*a.wx + r.wy^2 + b.qw*b.qx\", \"a.qy - p.z*b.qz*r.wz\"]}\n"
    "  local: {type: force, point: b.A, frame: body, value: [\"3*slot.angle^2 + "
    "pin.rate*pin.angle\",\n"
    "          \"momentum.px*momentum.pz\", \"momentum.lx - momentum.ly\"]}\n"
    "  twist: {type: torque, body: r, value: [\"coil.angle*coil.rate\", 2, "
    "\"line.length*line.rate\"]}\n"
    "  spin: {type: torque, body: a, frame: body, value: [\"2 - a.wx\", \"b.wz*a.qw\", -1.5]}\n"
    "  line: {type: spring-damper, connect: [a.A, p], stiffness: \"40 + 5*a.vz\",\n"
    "         damping: \"3 + cos(b.z)\", length: \"0.5 + 0.1*r.y\"}\n"
    "  coil: {type: torsion-spring-damper, connect: [b, r], axis: [0.6, 0, 0.8], stiffness: 7,\n"
    "         damping: \"2*p.x\", angle: \"0.2*a.y\"}\n"
    "  motor: {type: actuator, of: pin, value: \"-4*pin.rate*exp(pin.angle)\"}\n"
    "  ram: {type: actuator, connect: [r, b.A], value: \"2 + ram.length*ram.rate\"}\n"
    "  mount: {type: bushing, connect: [a.B, b], preload: [1, -2, 0.5, 3, -1, 2],\n"
    "          stiffness: [[40, 3, 2, 1, 0, 4], [3, 50, -4, 2, 1, 0], [2, -4, 30, 0, 3, -2],\n"
    "                      [1, 2, 0, 9, 0.5, -1], [0, 1, 3, 0.5, 8, 2], [4, 0, -2, -1, 2, 7]],\n"
    "          damping: [4, 5, 6, 0.7, 0.8, 0.9]}\n"
    "  soft: {type: bushing, connect: [ground, r.A], stiffness: [9, 8, 7, 2, 3, 4],\n"
    "         damping: [1, 2, 1, 3, 2, 1]}\n"
    "  pair: {type: load, connect: [a.A, b.A], force: [\"2 + a.u*b.w\", \"mount.ux - "
    "3*mount.rz\",\n"
    "         \"a.v + b.p*a.q\"], torque: [\"mount.uy*b.u + r.r\", \"soft.rx*soft.ry\", "
    "\"a.roll\"]}\n"
    "  held: {type: load, connect: [ground, a.B], force: [\"b.v\", \"a.x\", 2], torque: [1, 2, "
    "3]}\n"
    "  anchor: {type: load, connect: [a.B, ground], force: [1, 2, \"b.uh*a.vh\"],\n"
    "           torque: [\"a.pitch*b.yaw\", \"b.vh\", \"b.roll - mount.uz\"]}\n"
    "  clutch: {type: torsion-spring-damper, of: [pin, slot.angle], stiffness: \"3 + b.u\", "
    "damping: 2,\n"
    "           angle: \"0.1*clutch.rate + clutch.angle^2\"}\n";

static void every_force_and_measure(void **state) {
  (void)state;
  const char *const texts[] = {in_the_plane, in_space};
  for (int i = 0; i < 2; i++) {
    loaded file = load_good(texts[i], NULL);
    check_forms(file.model);
    unload(&file);
  }
}

/* The fictitious inertia stays in all three, or in none. */
static void a_massless_rotation_may_be_kept(void **state) {
  (void)state;
  loaded file = load_good(in_space, NULL);
  for (int f = 0; f < 3; f++) {
    equations e = equations_of(file.model, spatial_forms[f], false);
    assert_int_equal(e.sys->structure.massless, 4);
    e.tangent->kept[1] = e.tangent->kept[3] = true;
    check_tangent(&e, spatial_forms[f]->name);
    forget(&e);
  }
  unload(&file);
}

/* States that feed forces, and each other through variables in any order and more than once; more
 * of them than a body has coordinates. */
#define SIGNALS(x, y, rate)                                                                        \
  "inputs: {u: \"sin(t)\", level: 0.3}\n"                                                          \
  "variables:\n"                                                                                   \
  "  all: \"half^2 + half*z1 + u\"\n"                                                              \
  "  half: \"z0*" x " - " rate "*z2 + level\"\n"                                                   \
  "states:\n"                                                                                      \
  "  z0: {initial: 1, rate: \"-z0*all + " y "*" rate "\"}\n"                                       \
  "  z1: {initial: 0, rate: \"z0' + half - z1^3\"}\n"                                              \
  "  z2: {initial: \"" x "\"}\n"                                                                   \
  "  z3: {initial: 0, rate: \"" rate "*z4 - t*z3\"}\n"                                             \
  "  z4: {initial: 0, rate: \"-z3\"}\n"                                                            \
  "  z5: {initial: 0, rate: 2}\n"                                                                  \
  "  z6: {initial: 0, rate: \"z12*z5\"}\n"                                                         \
  "  z7: {initial: 0, rate: \"z8\"}\n"                                                             \
  "  z8: {initial: 0, rate: \"z9\"}\n"                                                             \
  "  z9: {initial: 0, rate: \"z10\"}\n"                                                            \
  "  z10: {initial: 0, rate: \"z11\"}\n"                                                           \
  "  z11: {initial: 0, rate: \"z12\"}\n"                                                           \
  "  z12: {initial: 0, rate: \"z13*" y "\"}\n"                                                     \
  "  z13: {initial: 0, rate: \"-z0\"}\n"

static const char signals_in_the_plane[] = //
    "trammel: 1\nspace: planar\nbodies:\n"
    "  a: {mass: 2, inertia: 0.7, position: [0.3, -0.2], angle: 0.4, points: {A: [-0.4, 0.3]}}\n"
    "  b: {mass: 3, inertia: 0.9, position: [1.1, 0.5], angle: -1.2, points: {A: [0.2, 0.1]}}\n"
    "  c: {mass: 3, inertia: 0.9, position: [1.6, 0.9]}\n"
    "joints:\n"
    "  pin: {type: revolute, connect: [ground, a.A]}\n"
    "  rod: {type: distance, connect: [a, b.A]}\n"
    "forces:\n"
    "  push: {type: force, point: b.A, value: [\"all*z13 + z3'\", \"half*b.vx\"]}\n"
    "  motor: {type: actuator, of: pin, value: \"z1*z6 - all\"}\n"
    "  spring: {type: spring-damper, connect: [c, b.A], stiffness: \"4 + z4^2\", damping: z1, "
    "length: \"0.2*half\"}\n"
    "  series: {type: spring-damper, connect: [a, c], stiffness: 3, damping: 0.4, length: "
    "\"0.1*half\"}\n" SIGNALS("c.x", "b.angle", "pin.rate");

static const char signals_in_space[] = //
    "trammel: 1\nspace: spatial\nbodies:\n"
    "  a: {mass: 2, inertia: [0.7, 0.5, 0.4], position: [0.3, -0.2, 0.1], points: {A: [-0.4, 0.3, "
    "0]}}\n"
    "  b: {mass: 3, inertia: [0.9, 0.4, 0.8], position: [1.1, 0.5, 0.3]}\n"
    "joints:\n"
    "  pin: {type: revolute, connect: [ground, a.A], axis: [0.6, 0, 0.8]}\n"
    "  rod: {type: distance, connect: [a, b]}\n"
    "forces:\n"
    "  push: {type: force, point: b, value: [\"all*z13 + z3'\", \"half*b.vx\", z4]}\n"
    "  turn: {type: torque, body: a, value: [\"z1*z6 - all\", 0, z3], frame: body}\n"
    "  series: {type: spring-damper, connect: [a, b], stiffness: 3, damping: 0.4, length: "
    "\"0.1*half\"}\n" //
    SIGNALS("b.x", "a.qy", "b.wz");

static void signals(void **state) {
  (void)state;
  const char *const texts[] = {signals_in_the_plane, signals_in_space};
  for (int i = 0; i < 2; i++) {
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_model *model = trm_model_load_text(texts[i], NULL, NULL, diagnostics, NULL);
    for (int k = 0; k < trm_diagnostics_count(diagnostics); k++)
      print_error("%s\n", trm_diagnostics_get(diagnostics, k)->message);
    assert_non_null(model);
    check_forms(model);
    for (int k = 0; k < model->force_count; k++)
      if (strcmp(model->forces[k].name, "series") == 0) model->forces[k].own = &maxwell;
    check_forms(model);
    trm_model_destroy(model);
    trm_diagnostics_destroy(diagnostics);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planar_joints_and_forces),
      cmocka_unit_test(spatial_joints),
      cmocka_unit_test(every_force_and_measure),
      cmocka_unit_test(a_massless_rotation_may_be_kept),
      cmocka_unit_test(signals),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
