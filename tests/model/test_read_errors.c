/* Model files that are wrong: each mistake has one message, at its place. */
#define _XOPEN_SOURCE 700
#include "mistake.h"

#include <fcntl.h>

#define HEAD "trammel: 1\nspace: planar\n"
#define BODY "bodies: {b: {mass: 1, inertia: 1, points: {P: [1, 0], Q: [2, 0]}}}\n"
#define GOOD HEAD BODY

static void keys(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {GOOD "nam: x\n", 4, 1, "unknown key 'nam', did you mean 'name'?"},
      {GOOD "repeat: x\n", 4, 1, "unknown key 'repeat'; the keys are trammel, name"},
      {HEAD "bodies: {b: {masss: 1, inertia: 1}}\n", 3, 14,
       "body 'b': unknown key 'masss', did you mean 'mass'?"},
      {HEAD "bodies: {b: {inertia: 1}}\n", 3, 10, "body 'b': missing key 'mass'"},
      {HEAD "bodies: {b: {mass: 1}}\n", 3, 10, "body 'b': missing key 'inertia'"},
      {"space: planar\n" BODY, 1, 1, "missing key 'trammel'"},
      {"trammel: 1\n" BODY, 1, 1, "missing key 'space'"},
      {HEAD, 1, 1, "missing key 'bodies'"},
      {HEAD "bodies:\n", 3, 1, "the model has no bodies"},
      {"trammel: 2\nspace: planar\n" BODY, 1, 10, "the format version must be 1, found 2"},
      {"trammel: [1]\nspace: planar\n" BODY, 1, 10, "the format version must be 1, found a list"},
      {GOOD "name: a\nname: b\n", 5, 1, "duplicate key 'name', first given in line 4"},
      {GOOD "joints: {j: {connect: [ground, b]}}\n", 4, 10, "joint 'j': missing key 'type'"},
      {GOOD "joints: {j: {type: rigid}}\n", 4, 10, "joint 'j': missing key 'connect'"},
      {GOOD "joints: {j: {type: rigid, connect: [ground, b], length: 1}}\n", 4, 49,
       "unknown key 'length': type rigid does not have it, but distance has"},
      {GOOD "forces: {f: {type: torque, body: b, value: 1, damping: 1}}\n", 4, 47,
       "type torque does not have it, but spring-damper, torsion-spring-damper, bushing have"},
      {GOOD "forces: {f: {type: force, point: b.P}}\n", 4, 10, "force 'f': missing key 'value'"},
      {GOOD "joints: {j: {type: driver, of: b.x}}\n", 4, 10, "missing key 'value'"},
      {GOOD "joints: {j: {type: roller, connect: [b.P, ground], axis: x}}\n", 4, 43,
       "put the body second, the ground first"},
      {GOOD "simulate: {stepp: 1}\n", 4, 12, "unknown key 'stepp', did you mean 'step'?"},
      {HEAD "bodies: {b: {mass: 1, inertia: 1, shape: {cylinder: {radius: 1}}}}\n", 3, 53,
       "missing key 'length'"},
  };
  EXPECT_ALL(mistakes);
}

/* Words of other programs are told what they are called here. */
static void other_words(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {GOOD "joints: {j: {type: hinge, connect: [ground, b]}}\n", 4, 20,
       "unknown joint type 'hinge': here it is called 'revolute'"},
      {GOOD "joints: {j: {type: ball, connect: [ground, b]}}\n", 4, 20,
       "'ball': here it is called 'revolute', in the plane"},
      {"trammel: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
       "joints: {j: {type: ball, connect: [ground, b]}}\n",
       4, 20, "'ball': here it is called 'spherical'"},
      {GOOD "joints: {j: {type: fixed, connect: [ground, b]}}\n", 4, 20, "called 'rigid'"},
      {GOOD "joints: {j: {type: weld, connect: [ground, b]}}\n", 4, 20, "called 'rigid'"},
      {GOOD "joints: {j: {type: motor, connect: [ground, b]}}\n", 4, 20,
       "a given motion is a 'driver' (of: J, value: 2*t); a given torque is the force 'actuator'"},
      {GOOD "joints: {j: {type: cam, connect: [ground, b]}}\n", 4, 20, "there is no cam yet"},
      {GOOD "forces: {f: {type: damper, connect: [ground, b.P], damping: 1}}\n", 4, 20,
       "unknown force type 'damper': here it is called 'spring-damper'"},
      {GOOD "forces: {f: {type: contact, connect: [ground, b]}}\n", 4, 20,
       "there is no contact yet"},
      {GOOD "joints: {j: {type: revolute, connect: [ground, b], limits: [0, 1]}}\n", 4, 52,
       "unknown key 'limits': there are no limits of joints yet"},
      {GOOD "joints: {j: {type: revolute, connect: [ground, b], friction: 1}}\n", 4, 52,
       "unknown key 'friction': there is no friction yet"},
      {GOOD "contact: {}\n", 4, 1, "unknown key 'contact': there is no contact yet"},
      {GOOD "constraints: {}\n", 4, 1, "unknown key 'constraints': here it is 'joints'"},
      {HEAD "bodies: {b: {m: 1, inertia: 1}}\n", 3, 14, "unknown key 'm': here it is 'mass'"},
      {GOOD "simulate: {dt: 1}\n", 4, 12, "unknown key 'dt', did you mean 'step'?"},
      {GOOD "parameters: {a: \"pow(2, 3)\"}\n", 4, 18,
       "unknown function 'pow': a power is written x^y"},
      {GOOD "parameters: {a: ln(2)}\n", 4, 17, "unknown function 'ln': here it is 'log'"},
      {GOOD "forces: {f: {type: torque, body: b, value: 3*time}}\n", 4, 46,
       "unknown name 'time': the time is written t"},
  };
  EXPECT_ALL(mistakes);
}

static void types_and_lengths(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {"[1, 2]\n", 1, 1, "expected a map that starts with 'trammel: 1', found a list"},
      {"hello\n", 1, 1, "found text"},
      {HEAD "bodies: [b]\n", 3, 9, "bodies: expected a map of bodies, found a list"},
      {HEAD "bodies: {b: 3}\n", 3, 13, "body 'b': expected a map with mass and inertia"},
      {HEAD "bodies: {b: {mass: [1], inertia: 1}}\n", 3, 20,
       "body 'b': mass: expected a number, found a list"},
      {HEAD "bodies: {b: {mass: , inertia: 1}}\n", 3, 14, "expected a number, found nothing"},
      {HEAD "bodies: {b: {mass: {x: 1}, inertia: 1}}\n", 3, 20, "expected a number, found a map"},
      {GOOD "gravity: 9.81\n", 4, 10, "expected a list of 2 numbers, found a number"},
      {GOOD "gravity: [0, 0, 9.81]\n", 4, 10, "gravity: expected 2 numbers, found 3"},
      {GOOD "gravity: [0]\n", 4, 10, "gravity: expected 2 numbers, found 1"},
      {HEAD "bodies: {b: {mass: 1, inertia: 1, color: #4477aa\n}}\n", 3, 35,
       "expected a color in quotes"},
      {HEAD "bodies: {b: {mass: 1, inertia: 1, color: steelblu}}\n", 3, 42,
       "color is 'steelblu', it must look like \"#4477aa\" or be a name, did you mean "
       "'steelblue'?"},
      {HEAD "bodies: {b: {mass: 1, inertia: 1, shape: {box: [1, 2]}}}\n", 3, 48,
       "expected 3 numbers, found 2"},
      {HEAD "bodies: {b: {mass: 1, inertia: 1, points: {A: [0, 0]}, shape: {rod: [A, X]}}}\n", 3,
       73, "no point 'X'"},
      {HEAD "bodies: {b: {mass: 1, inertia: 1, shape: {box: [1, 2, 3], sphere: 1}}}\n", 3, 42,
       "expected one shape, found 2"},
      {GOOD "joints: {j: {type: rigid, connect: [ground]}}\n", 4, 36,
       "connect: expected 2 sides (body.point or body), found 1"},
      {GOOD "joints: {j: {type: rigid, connect: [ground, {b: 1}]}}\n", 4, 45,
       "connect: expected body.point or body, found a map"},
      {GOOD "forces: {f: {type: force, point: b.P, value: 1}}\n", 4, 46, "expected a list of 2"},
      {GOOD "outputs: energy\n", 4, 10, "outputs: expected a list of measures, found text"},
      {GOOD "outputs: [[b]]\n", 4, 11,
       "outputs: expected a measure, or a name and its formula, found a list"},
      {GOOD "outputs: [b, {}]\n", 4, 14, "expected one name and its formula"},
      {GOOD "outputs: [{a: 1, c: 2}]\n", 4, 11, "found 2; each is an item of the list"},
      {GOOD "outputs: {a: [1]}\n", 4, 14, "output 'a': expected"},
      {GOOD "initial: [b.x]\n", 4, 10, "expected a map of measures and values, found a list"},
      {GOOD "parameters: [a]\n", 4, 13, "expected a map of names and numbers, found a list"},
  };
  EXPECT_ALL(mistakes);
}

static void words_and_names(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {"trammel: 1\nspace: plane\n" BODY, 2, 8, "unknown space 'plane', did you mean 'planar'?"},
      {"trammel: 1\nspace: 2D\n" BODY, 2, 8, "it is planar or spatial"},
      {GOOD "joints: {j: {type: revolut, connect: [ground, b]}}\n", 4, 20,
       "unknown joint type 'revolut', did you mean 'revolute'?"},
      {GOOD "joints: {j: {type: magic, connect: [ground, b]}}\noutputs: [j]\n", 4, 20,
       "unknown joint type 'magic'; the types are revolute"},
      {GOOD "forces: {f: {type: sprung, connect: [ground, b]}}\n", 4, 20, "unknown force type"},
      {GOOD "forces: {f: {type: force, point: b, value: [1, 1], frame: boddy}}\n", 4, 59,
       "unknown frame 'boddy', did you mean 'body'?"},
      {GOOD "joints: {j: {type: roller, connect: [ground, b], axis: z}}\n", 4, 56, "x or y"},
      {GOOD "joints: {j: {type: rigid, connect: [ground, bb]}}\n", 4, 45, "unknown body 'bb'"},
      {GOOD "joints: {j: {type: rigid, connect: [ground, b.R]}}\n", 4, 45, "no point 'R'"},
      {GOOD "forces: {f: {type: actuator, of: jj, value: 1}}\n", 4, 34, "unknown joint 'jj'"},
      {GOOD "joints: {b: {type: rigid, connect: [ground, b]}}\n", 4, 10, "share one name space"},
      {HEAD "bodies: {t: {mass: 1, inertia: 1}}\n", 3, 10, "reserved"},
      {HEAD "bodies: {a/b: {mass: 1, inertia: 1}}\n", 3, 10, "'a/b' is no name"},
      {HEAD "bodies: {b: {mass: 1, inertia: 1, points: {vx: [0, 0]}}}\n", 3, 44, "measure"},
      {GOOD "parameters: {pi: 3}\n", 4, 14, "reserved"},
      {GOOD "simulate: {integrator: rk5}\n", 4, 24, "unknown integrator 'rk5'"},
      {GOOD "outputs: [b, bb.x]\n", 4, 14, "'bb'"},
      {GOOD "outputs: [b, {a: b.x + b.ux}]\n", 4, 24, "body 'b' has no measure or point 'ux'"},
      {GOOD "outputs: {b: 2}\n", 4, 14, "output 'b': there is a body of this name"},
      {GOOD "outputs: {a: b.x, c: a + 1}\n", 4, 22, "'a' is a formula of an output itself"},
      {GOOD "outputs: {a: b.x, energy: 1}\n", 4, 27, "this name is reserved"},
      {GOOD "outputs: [{a: b.x}, a.x]\n", 4, 21, "output 'a' is a measure itself"},
      {GOOD "outputs: {a: b.ax}\nvariables: {v: a}\n", 5, 16,
       "'a' is a formula of an output; forces and signals may use positions and velocities only"},
      {GOOD "initial: {b.q: 1}\n", 4, 11, "no measure"},
      {GOOD "joints: {j: {type: coordinate, sum: {b.q: 1}, value: 0}}\n", 4, 38, "no measure"},
  };
  EXPECT_ALL(mistakes);
}

#define JOINTS GOOD "joints:\n  J: {type: revolute, connect: [ground, b.P]}\n"

static void gears_rolling_and_drivers(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {JOINTS "  K: {type: revolute, connect: [ground, b.Q]}\n"
              "  G: {type: gear, joints: [J, K], ratio: 1 - 1}\n",
       7, 42, "joint 'G': ratio is 0, it must be finite and not 0"},
      {JOINTS "  W: {type: rigid, connect: [ground, b]}\n"
              "  G: {type: gear, joints: [J, W], ratio: 2}\n",
       7, 31, "joint 'W' of type rigid has no freedom"},
      {JOINTS "  G: {type: gear, joints: [J, J.angle], ratio: 2}\n", 6, 31,
       "joint 'G' couples joint 'J' with itself"},
      {JOINTS "  G: {type: gear, joints: [J], ratio: 2}\n", 6, 27, "expected 2 joints, found 1"},
      {JOINTS "  G: {type: gear, joints: [J, [J]], ratio: 2}\n", 6, 31,
       "joints: expected the name of a joint, found a list"},
      {JOINTS "  K: {type: revolute, connect: [ground, b.Q]}\n"
              "  G: {type: gear, joints: [J, K], ratio: x}\n",
       7, 42, "joint 'G': ratio: unknown name 'x'"},
      {JOINTS "  G: {type: gear, ratio: 2}\n", 6, 3, "joint 'G': missing key 'joints'"},
      {JOINTS "  K: {type: revolute, connect: [ground, b.Q]}\n"
              "  G: {type: gear, joints: [J, K], ratio: 2, connect: [ground, b]}\n",
       7, 45, "type gear does not have it, but revolute, prismatic"},
      {JOINTS "  D: {type: driver, of: b.anlge, value: t}\n", 6, 25,
       "joint 'D': body 'b' has no measure 'anlge', did you mean 'angle'?"},
      {JOINTS "  D: {type: driver, of: J, value: 2*b.x}\n", 6, 37,
       "'b.x' is a measure of the motion; only t and parameters may be used here"},
      {JOINTS "  D: {type: driver, of: J, value: t}\n"
              "  E: {type: driver, of: J.angle, value: t}\n",
       7, 25, "joint 'E': 'J.angle' is driven already, by driver 'D'"},
      {JOINTS "  D: {type: driver, of: [J], value: t}\n", 6, 25, "expected what is driven"},
      {JOINTS "  D: {type: driver, of: J, value: [t]}\n", 6, 35, "value: expected"},
      {JOINTS "  D: {type: driver, of: J}\n", 6, 3, "missing key 'value'"},
      {JOINTS "  D: {type: driver, value: t}\n", 6, 3, "missing key 'of'"},
      {GOOD "joints: {r: {type: rolling, connect: [ground, b.P], axis: [0, 1], radius: -1}}\n", 4,
       75, "joint 'r': radius is -1, it must be positive"},
      {GOOD "joints: {r: {type: rolling, connect: [ground, b.P], axis: [0, 1], radius: 0}}\n", 4,
       75, "radius is 0, it must be positive"},
      {GOOD "joints: {r: {type: rolling, connect: [ground, b.P], axis: [0, 1]}}\n", 4, 10,
       "missing key 'radius'"},
      {GOOD "joints: {r: {type: rolling, connect: [ground, b.P], radius: 1}}\n", 4, 10,
       "joint 'r': a rolling joint needs an axis"},
      {GOOD "joints: {r: {type: rolling, connect: [ground, b.P], axis: [1, 0], radius: 1}}\n", 4,
       47, "the disc's centre lies on the line as written"},
      {GOOD "joints: {r: {type: rolling, connect: [ground, b.P], axis: [0, 1], radius: 1}}\n"
            "forces: {f: {type: actuator, of: r, value: 1}}\n",
       5, 34, "joint 'r' has two freedoms; write r.angle or r.displacement"},
  };
  EXPECT_ALL(mistakes);
}

static void numbers(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {HEAD "bodies: {b: {mass: 1 + m, inertia: 1}}\n", 3, 24, "unknown name 'm'"},
      {HEAD "parameters: {width: 1}\nbodies: {b: {mass: widht, inertia: 1}}\n", 4, 20,
       "unknown name 'widht', did you mean 'width'?"},
      {HEAD "bodies: {b: {mass: 1 +, inertia: 1}}\n", 3, 23, "expected a value"},
      {HEAD "bodies: {b: {mass: \"1 + \\\"x\", inertia: 1}}\n", 3, 25, ""},
      {HEAD "bodies: {b: {mass: 'sin(x)', inertia: 1}}\n", 3, 25, "unknown name 'x'"},
      {HEAD "bodies:\n  b:\n    mass: 1\n    inertia: 1 +\n      2*y\n", 7, 9, "unknown name 'y'"},
      {"{name: \"\xc3\xa9\xc3\xa9\", trammel: 1, space: planar, bodies: {b: {mass: q, inertia: "
       "1}}}\n",
       1, 60, "unknown name 'q'"},
      {HEAD "bodies: {b: {mass: 1/0, inertia: 1}}\n", 3, 21, "division by zero"},
      {HEAD "bodies: {b: {mass: .inf, inertia: 1}}\n", 3, 20, "it must be finite"},
      {HEAD "bodies: {b: {mass: nan, inertia: 1}}\n", 3, 20, "must be finite"},
      {HEAD "bodies: {b: {mass: 1e999, inertia: 1}}\n", 3, 20, "too large"},
      {HEAD "bodies: {b: {mass: sqrt(-1), inertia: 1}}\n", 3, 20, "not a real number"},
      {HEAD "bodies: {b: {mass: -1, inertia: 1}}\n", 3, 20, "mass is -1, it must be positive"},
      {HEAD "bodies: {b: {mass: 0, inertia: 1}}\n", 3, 20, "mass is 0, it must be positive"},
      {HEAD "bodies: {b: {mass: 1, inertia: -2}}\n", 3, 32, "inertia is -2"},
      {HEAD "bodies: {b: {mass: t, inertia: 1}}\n", 3, 20, "a constant is needed here"},
      {HEAD "bodies: {b: {mass: b.x, inertia: 1}}\n", 3, 20, "measures may be used in forces"},
      {GOOD "gravity: [atan2(1, 2), 3]\n", 4, 10, "expressions with commas stand in quotes"},
      {GOOD "gravity: [sin(), 2]\n", 4, 11, "sin"},
      {GOOD "forces: {f: {type: torque, body: b, value: 1 + 2/0}}\n", 4, 49, "division by zero"},
      {GOOD "forces: {f: {type: torque, body: b, value: \"b.ax\"}}\n", 4, 45, "algebraic loop"},
      {GOOD "forces: {f: {type: force, point: b, value: [0, 3*zz]}}\n", 4, 50, "unknown name 'zz'"},
      {GOOD "simulate: {step: 0}\n", 4, 18, "step is 0, it must be positive"},
      {GOOD "simulate: {step: -1}\n", 4, 18, "step is -1, it must be positive"},
      {GOOD "simulate: {duration: -1}\n", 4, 22, "duration is -1, it must not be negative"},
      {GOOD "simulate: {duration: two}\n", 4, 22, "unknown name 'two'"},
  };
  EXPECT_ALL(mistakes);
}

static void parameters(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {GOOD "parameters: {a: b, b: 1}\n", 4, 17, "parameter 'a': 'b' is defined later"},
      {GOOD "parameters: {a: a + 1}\n", 4, 17, "circular: 'a' is defined by itself"},
      {GOOD "parameters: {a: b, b: 2*a}\n", 4, 17, "circular: 'a' needs 'b', which needs 'a'"},
      {GOOD "parameters: {a: c, b: a, c: b}\n", 4, 17, "circular: 'a' needs 'c', which needs 'a'"},
      {GOOD "parameters: {a: z}\n", 4, 17, "parameter 'a': unknown name 'z'"},
      /* what uses a wrong parameter is not wrong itself */
      {HEAD "parameters: {a: z, b: 1/(a - 1)}\nbodies: {b: {mass: a - 1, inertia: b}}\n"
            "forces: {f: {type: torque, body: b, value: 1/(b - 1)}}\nsimulate: {step: b}\n",
       3, 17, "unknown name 'z'"},
  };
  EXPECT_ALL(mistakes);
}

static void yaml(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {HEAD "bodies: [1, 2\n", 4, 1, "inside the bracket that opens at 3:9"},
      {HEAD "bodies:\n\tb: {mass: 1, inertia: 1}\n", 4, 1, "indented with a tab"},
      {HEAD "name: a: b\n", 3, 8, "YAML syntax"},
      {GOOD "---\na: 1\n", 4, 1, "a second document starts here"},
      {GOOD "name: *nope\n", 4, 8, "alias '*nope' has no anchor"},
      {GOOD "outputs: &a [*a]\n", 4, 15, "alias '*a' stands inside its own anchor"},
      {GOOD "name: !include x\n", 4, 16, "model files have no tags"},
      {GOOD "? [a]\n: b\n", 4, 3, "a key must be a name"},
      {GOOD "<<: 3\n", 4, 5, "'<<' takes a map or a list of maps, found a number"},
      {GOOD "name: \"a\\0b\"\n", 4, 8, "NUL"},
      {"%YAML 3.0\n---\na: 1\n", 0, 0, "YAML syntax"},
      {"# nothing here\n\n", 0, 0, "the file is empty"},
      {"", 0, 0, "the file is empty"},
      {"~\n", 1, 1, "found nothing"},
  };
  EXPECT_ALL(mistakes);
}

/* All mistakes of a file at once, in the order of the file. */
static void all_errors_are_reported_in_order(void **state) {
  (void)state;
  loaded r = load_text("trammel: 1\nspace: planar\ngravity: [1]\nbodies:\n  a:\n    mass: -1\n"
                       "    inertia: x\n  b:\n    mass: y\n    inertia: -1\njoints:\n"
                       "  j: {type: rigid, connect: [a.Q, c]}\nsimulate: {step: 0}\n",
                       NULL);
  const int lines[] = {3, 6, 7, 9, 10, 12, 12, 13};
  if (trm_diagnostics_count(r.diagnostics) != 8) print_messages(&r);
  assert_int_equal(trm_diagnostics_count(r.diagnostics), 8);
  for (int i = 0; i < 8; i++)
    assert_int_equal(trm_diagnostics_get(r.diagnostics, i)->line, lines[i]);
  assert_string_equal(trm_diagnostics_get(r.diagnostics, 1)->source, "    mass: -1");
  unload(&r);
}

static void expect_override_error(const char *override, const char *message) {
  const char *overrides[] = {override, NULL};
  loaded r = load_text(HEAD "parameters: {length: 1, b: length}\n" BODY, overrides);
  assert_int_equal(trm_diagnostics_errors(r.diagnostics), 1);
  assert_int_equal(r.status, TRM_BAD_USAGE);
  const char *found = trm_diagnostics_get(r.diagnostics, 0)->message;
  if (!strstr(found, message)) print_message("%s\n", found);
  assert_non_null(strstr(found, message));
  unload(&r);
}

static void overrides(void **state) {
  (void)state;
  expect_override_error("lenght=1", "has no parameter 'lenght', did you mean 'length'?");
  expect_override_error("length", "NAME=VALUE");
  expect_override_error("length=", "NAME=VALUE");
  expect_override_error("=1", "NAME=VALUE");
  expect_override_error("length=1/0", "--set length=1/0: division by zero");
  expect_override_error("length=b", "circular");
  expect_override_error("b=q", "unknown name 'q'");
}

static void expect_file_error(const char *path, trm_status status, const char *message) {
  loaded r = load_path(path, NULL);
  assert_int_equal(trm_diagnostics_errors(r.diagnostics), 1);
  const trm_diagnostic *d = trm_diagnostics_get(r.diagnostics, 0);
  if (!strstr(d->message, message)) print_message("%s\n", d->message);
  assert_non_null(strstr(d->message, message));
  assert_string_equal(d->file, path);
  assert_int_equal(r.status, status);
  unload(&r);
}

static void files_that_are_no_model_files(void **state) {
  (void)state;
  const char *path = scratch_path("m.yaml");
  remove(path);
  expect_file_error(path, TRM_IO_ERROR, "No such file");
  expect_file_error(scratch, TRM_IO_ERROR, "this is a directory");
  expect_file_error("/dev/zero", TRM_IO_ERROR, "a pipe or a device");
  assert_int_equal(mkfifo(path, 0600), 0);
  expect_file_error(path, TRM_IO_ERROR, "a pipe or a device");
  assert_int_equal(remove(path), 0);
  write_bytes(path, HEAD, strlen(HEAD));
  assert_int_equal(truncate(path, 100 << 20), 0);
  expect_file_error(path, TRM_BAD_MODEL, "the file has 100 MB; model files may have at most 64 MB");
  assert_int_equal(truncate(path, 64 << 20), 0); /* full of NUL bytes */
  expect_file_error(path, TRM_BAD_MODEL, "binary");
  assert_int_equal(chmod(path, 0), 0);
  if (access(path, R_OK) != 0) expect_file_error(path, TRM_IO_ERROR, "Permission denied");
}

static void bytes_that_are_no_text(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t size;
    const char *message;
  } cases[] = {
      {"\x7f"
       "ELF\2\1\1",
       7, "binary"},
      {"trammel: 1\n\0", 12, "binary"},
      {"name: \xff\n", 8, "not UTF-8"},
      {"name: \xc0\x80\n", 9, "not UTF-8"},
      {"name: \xed\xa0\x80\n", 10, "UTF-8"},
      {"name: \xf4\x90\x80\x80\n", 11, "UTF-8"},
      {"name: \xe2\x82", 8, "not UTF-8"},
      {"\xff\xfet\0r\0", 6, "UTF-16"},
      {"name: \x1b[2J\n", 11, "control character"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    loaded r = load_bytes(cases[i].bytes, cases[i].size);
    assert_int_equal(trm_diagnostics_errors(r.diagnostics), 1);
    const char *found = trm_diagnostics_get(r.diagnostics, 0)->message;
    if (!strstr(found, cases[i].message)) print_message("case %zu: %s\n", i, found);
    assert_non_null(strstr(found, cases[i].message));
    unload(&r);
  }
}

static void expect_repeated(const char *start, const char *unit, size_t count,
                            const char *message) {
  size_t length = strlen(unit), head = strlen(start);
  char *text = malloc(head + count * length + 1);
  assert_non_null(text);
  memcpy(text, start, head);
  for (size_t i = 0; i < count; i++) memcpy(text + head + i * length, unit, length);
  text[head + count * length] = '\0';
  loaded r = load_bytes(text, head + count * length);
  free(text);
  const char *found = trm_diagnostics_get(r.diagnostics, 0)->message;
  if (!strstr(found, message)) print_message("%s...: %s\n", unit, found);
  assert_non_null(strstr(found, message));
  unload(&r);
}

static void nesting_is_bounded(void **state) {
  (void)state;
  expect_repeated(HEAD "bodies: ", "[", 1000000, "nested too deeply");
  expect_repeated(HEAD "bodies: ", "[", 100, "nested too deeply");
  expect_repeated(HEAD "bodies: ", "{a: ", 250000, "nested too deeply");
  expect_repeated("", "- ", 500000, "nested too deeply");
  expect_repeated("", "? ", 500000, "a key must be a name");
  expect_repeated("", "[\n", 500000, "nested too deeply");
  expect_repeated(HEAD "bodies:\n  b:\n    inertia: 1\n    mass: ", "(", 1000000,
                  "nested too deep");
  expect_repeated("", "a: 1\n", 300000, "duplicate key 'a', first given in line 1");
  expect_repeated("{a: [", "1, ", 3000000, "this bracket holds more than 8 MB");
}

/* The nested lists of the billion laughs, and the same with merge keys. */
static void alias_bombs_are_refused(void **state) {
  (void)state;
  static const char *const forms[] = {
      "x%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n",
      "x%d: &a%d {<<: [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]}\n"};
  for (int k = 0; k < 2; k++) {
    char text[4000] = HEAD "x0: &a0 {k: [1, 1, 1, 1]}\n", line[200];
    for (int i = 1; i < 20; i++) {
      int j = i - 1;
      snprintf(line, sizeof line, forms[k], i, i, j, j, j, j, j, j, j, j);
      strcat(text, line);
    }
    loaded r = load_text(text, NULL);
    assert_int_equal(trm_diagnostics_errors(r.diagnostics), 1);
    assert_non_null(strstr(trm_diagnostics_get(r.diagnostics, 0)->message, "alias bomb"));
    unload(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys),
      cmocka_unit_test(other_words),
      cmocka_unit_test(types_and_lengths),
      cmocka_unit_test(words_and_names),
      cmocka_unit_test(gears_rolling_and_drivers),
      cmocka_unit_test(numbers),
      cmocka_unit_test(parameters),
      cmocka_unit_test(yaml),
      cmocka_unit_test(all_errors_are_reported_in_order),
      cmocka_unit_test(overrides),
      cmocka_unit_test(files_that_are_no_model_files),
      cmocka_unit_test(bytes_that_are_no_text),
      cmocka_unit_test(nesting_is_bounded),
      cmocka_unit_test(alias_bombs_are_refused),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
