/* Inputs, variables and states in the model file: columns, and mistakes at their places. */
#define _XOPEN_SOURCE 700
#include "mistake.h"

#define GOOD                                                                                       \
  "trammel: 1\nspace: planar\nparameters: {p: 2}\n"                                                \
  "bodies: {b: {mass: 1, inertia: 1}}\njoints: {j: {type: revolute, connect: [ground, b]}}\n"

static void mistakes(void **state) {
  (void)state;
  const mistake list[] = {
      {GOOD "variables: {a: c, c: \"2*d\", d: \"a + 1\"}\n", 6, 16,
       "variable 'a': circular: it needs 'c', which needs 'd', which needs 'a'; an algebraic loop"},
      {GOOD "variables: {a: \"a + 1\"}\n", 6, 17, "variable 'a': circular: it needs 'a'"},
      {GOOD "states: {z: {initial: 0, rate: \"1 - z'\"}}\n", 6, 33,
       "state 'z': circular: it needs"},
      {GOOD "inputs: {u: b.x}\n", 6, 13,
       "input 'u': 'b.x' is a measure of the motion; an input is a number or a formula of t"},
      {GOOD "inputs: {u: 1, w: u}\n", 6, 19, "'u' is an input; an input is a number or a formula"},
      {GOOD "inputs: {u: 1}\nvariables: {u: 2}\n", 7, 16,
       "variable 'u': there is an input of this name; bodies, joints, forces, shafts, signals and "
       "events "
       "share"},
      {GOOD "states: {b: {initial: 0}}\n", 6, 10, "state 'b': there is a body of this name"},
      {GOOD "states: {p: {initial: 0}}\n", 6, 10, "state 'p': there is a parameter of this name"},
      {GOOD "states: {t: {initial: 0}}\n", 6, 10, "state 't': this name is reserved"},
      {GOOD "events: {ground: {when: b.x, stop: true}}\n", 6, 10,
       "event 'ground': this name is reserved"},
      {GOOD "states: {z: {rate: 1}}\n", 6, 10, "state 'z': missing key 'initial'"},
      {GOOD "states: {z: 1}\n", 6, 13, "state 'z': expected {initial: …, rate: …}, found a number"},
      {GOOD "states: {z: {initial: 0, rat: 1}}\n", 6, 26,
       "state 'z': unknown key 'rat', did you mean 'rate'?"},
      {GOOD "states: {z: {initial: 0, rate: b.ax}}\n", 6, 32,
       "'b.ax' is an acceleration; forces and signals may use positions and velocities only"},
      {GOOD "variables: {v: \"2*z\"}\nstates: {z: {initial: y}, y: {initial: v}}\n", 7, 23,
       "state 'z': circular: initial values need one another, none can be the first"},
      {GOOD "variables: {v: \"1 + smooth(b.x)\"}\n", 6, 21,
       "variable 'v': function 'smooth' takes 2 arguments, smooth(x, tau)"},
      {GOOD "variables: {v: \"1 + smooth(b.x, 2 - p)\"}\n", 6, 33, "tau is 0, it must be positive"},
      {GOOD "variables: {v: \"1 + smooth(b.x, t)\"}\n", 6, 33,
       "tau is a number or a formula of parameters"},
      {GOOD "variables: {v: \"1 + smooth(2*b.ax, 1)\"}\n", 6, 30, "'b.ax' is an acceleration"},
      {GOOD "variables: {v: \"1 + smooth(2*c, 1)\"}\n", 6, 30, "unknown name 'c'"},
      {GOOD "variables: {v: \"1 + smooth(2*b.x, 1\"}\n", 6, 36, "expected ')', found the end"},
      {GOOD "inputs: {v: \"smooth(t, 1)\"}\n", 6, 14, "a variable may use smooth"},
      {GOOD "ground: {points: {P: [\"smooth(1, 1)\", 0]}}\n", 6, 24, "has no place here"},
      {GOOD "states: {zed: {initial: 0, rate: \"-zet\"}}\n", 6, 36, "unknown name 'zet'"},
      {GOOD "variables: {v: \"w'\"}\ninputs: {w: 1}\n", 6, 17, "'w'': only a state has a rate"},
      {GOOD "states: {z: {initial: 0}}\noutputs: [z.x]\n", 7, 11, "state 'z' is a measure itself"},
      {GOOD "states: {1z: {initial: 0}}\n", 6, 10, "state '1z': '1z' is no name"},
      {GOOD "states: [z]\n", 6, 9, "states: expected a map of states, found a list"},
      {"trammel: 1\nsystem: {coordinates: {x: 0}, mass: [[1]]}\nstates: {z: {initial: 0}}\n", 3, 1,
       "unknown key 'states': a model with 'system' does not have it"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\ninputs: {u: 1}\n"
       "joints: {d: {type: driver, of: b.x, value: u}}\n",
       5, 44,
       "'u' is an input; a joint's law needs a second derivative, which it does not have: "
       "smooth(x, tau) of it has one"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\nstates: {u: {initial: 1}}\n"
       "joints: {d: {type: distance, connect: [ground, b], length: \"2 + u\"}}\n",
       5, 65, "'u' is a state; a joint's law needs a second derivative"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\ninputs: {u: 1}\n"
       "variables: {p: \"2*q + t\", q: u}\njoints: {d: {type: driver, of: b.x, value: \"t + "
       "p\"}}\n",
       6, 45,
       "'p' is a variable that hangs on 'u'; a joint's law needs a second derivative, which it "
       "does not have: smooth(x, tau) of it has one"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\nvariables: {p: \"t - 1\"}\n"
       "joints: {d: {type: distance, connect: [ground, b], length: p}}\n",
       5, 60, "length is -1 at t = 0, it must be positive"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\nvariables: {p: \"1/t\"}\n"
       "joints: {d: {type: driver, of: b.x, value: p}}\n",
       5, 44, "value is NaN or infinite at t = 0"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\ninputs: {u: 1}\n"
       "joints: {d: {type: driver, of: b.vx, rate: u}}\n",
       5, 44, "'u' is an input; a driver on velocity level needs a derivative, which it does not"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\n"
       "joints: {d: {type: driver, of: b.vx, rate: b.x}}\n",
       4, 44, "'b.x' is a measure of the motion; only t"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\ninputs: {u: 1}\n"
       "variables: {w: \"2*u\"}\njoints: {d: {type: driver, of: b.vx, rate: w}}\n",
       6, 44, "'w' is a variable that hangs on 'u'; a driver on velocity level needs a derivative"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\n"
       "joints: {d: {type: driver, of: b.x, rate: 1}}\n",
       4, 32, "'b.x' is a position; a driver with a rate holds a velocity of a body"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\n"
       "joints: {d: {type: driver, of: b.vx, value: 1}}\n",
       4, 32, "'b.vx' is a velocity; a driver drives"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\n"
       "joints: {d: {type: driver, of: b.vx, value: 1, rate: 2}}\n",
       4, 54, "value and rate are both given, one must go"},
      {GOOD "states: {z: {initial: 0}}\njoints: {k: {type: revolute, connect: [ground, z]}}\n", 7,
       1, "duplicate key 'joints'"},
      {GOOD "states: {z: {initial: 0}}\nforces: {f: {type: torque, body: z, value: 1}}\n", 7, 34,
       "'z' is a state, a body is needed here"},
  };
  EXPECT_ALL(list);
}

/* By default every signal is a column, behind the bodies; a state's rate has to be asked for. */
static void columns(void **state) {
  (void)state;
  loaded r = load_text(GOOD "inputs: {u: 1}\nvariables: {w: \"u + z\"}\n"
                            "states: {z: {initial: 3, rate: w}}\n",
                       NULL);
  assert_non_null(r.model);
  const char *const names[] = {"u", "w", "z", "energy.kinetic"};
  for (int i = 0; i < 4; i++) assert_string_equal(r.model->outputs[12 + i].name, names[i]);
  unload(&r);
  r = load_text(GOOD "states: {z: {initial: 3, rate: 1}}\noutputs: [\"z'\", z]\n", NULL);
  assert_non_null(r.model);
  assert_int_equal(r.model->output_count, 2);
  assert_int_equal(r.model->outputs[0].kind, TRM_MEASURE_STATE_RATE);
  unload(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(mistakes), cmocka_unit_test(columns)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
