/* Model files in space that are wrong: each mistake has one message, at its place. */
#define _XOPEN_SOURCE 700
#include "mistake.h"

#define HEAD "trammel: 1\nspace: spatial\n"
#define BODY "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}}\n"
#define GOOD HEAD BODY
#define TURNED(orientation)                                                                        \
  HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 1], orientation: " orientation "}}\n"
#define MOVED(inertia) HEAD "bodies: {b: {mass: 1, inertia: " inertia "}}\n"
#define JOINT(joint)   GOOD "joints: {j: {" joint "}}\n"
#define FORCE(force)   GOOD "forces: {f: {" force "}}\n"

static void vectors(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {GOOD "gravity: [0, -9.81]\n", 4, 10, "gravity: expected 3 numbers, found 2"},
      {GOOD "ground: {points: {O: [0, 0]}}\n", 4, 22, "expected 3 numbers, found 2"},
      {HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0]}}\n", 3, 53,
       "expected 3 numbers, found 2"},
      {HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 1], angular-velocity: 3}}\n", 3, 61,
       "expected a list of 3 numbers, found a number"},
      {JOINT("type: spherical, connect: [ground, b], at: [0, 0]"), 4, 57,
       "at: expected 3 numbers, found 2"},
      {FORCE("type: force, point: b, value: [1, 1]"), 4, 44, "expected 3 numbers or formulas"},
      {FORCE("type: torque, body: b, value: 1"), 4, 44, "expected a list of 3 numbers or formulas"},
  };
  EXPECT_ALL(mistakes);
}

static void keys_of_the_other_space(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 1], angle: 1}}\n", 3, 43,
       "unknown key 'angle': a spatial body does not have it, but a planar body has"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, orientation: {}}}\n", 3, 35,
       "unknown key 'orientation': a planar body does not have it, but a spatial body has"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n", 3, 32,
       "inertia: expected a number, found a list"},
      {JOINT("type: roller, connect: [ground, b], axis: x"), 4, 20,
       "joint 'j': roller joints are for planar models only, this one is spatial"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\n"
       "joints: {j: {type: spherical, connect: [ground, b]}}\n",
       4, 20, "joint 'j': spherical joints are for spatial models only, this one is planar"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\n"
       "joints: {j: {type: revolute, connect: [ground, b], axis: [0, 0, 1]}}\n",
       4, 52, "unknown key 'axis': type revolute does not have it"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\n"
       "forces: {f: {type: torsion-spring-damper, connect: [ground, b], stiffness: 1, axis: [1]}}",
       4, 85, "in the plane everything turns about z"},
      {"trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\n"
       "forces: {f: {type: bushing, connect: [ground, b], stiffness: [1, 1, 1], orientation: {}}}",
       4, 86, "only bushings in space have an orientation"},
  };
  EXPECT_ALL(mistakes);
}

static void inertias_no_body_has(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {MOVED("1"), 3, 32, "expected [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or auto"},
      {MOVED("[1, 1]"), 3, 32, "inertia: expected 3 numbers, found 2"},
      {MOVED("[1, 1, 1, 0]"), 3, 32, "inertia: expected 6 numbers, found 4"},
      {MOVED("[1, -1, 1]"), 3, 32,
       "body 'b': no body has this inertia: its principal moments are "
       "-1, 1 and 1, they must not be negative"},
      {MOVED("[1, 1, 1, 2, 0, 0]"), 3, 32, "principal moments are -1, 1 and 3"},
      {MOVED("[1, 1, 3]"), 3, 32,
       "body 'b': no body has this inertia: of its principal moments "
       "1, 1 and 3 the largest is more than the sum of the others"},
      {MOVED("[2, 2, 1, 1.5, 0, 0]"), 3, 32, "principal moments 0.5, 1 and 3.5"},
      {MOVED("[0, 0, 1]"), 3, 32, "triangle inequality"},
      {MOVED("[1, 1, 2*(1 + 1e-8)]"), 3, 32, "triangle inequality"},
  };
  EXPECT_ALL(mistakes);
  loaded r = load_good(MOVED("[1, 1, 2*(1 + 1e-10)]"), NULL); /* round-off is none */
  unload(&r);
}

static void orientations(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {TURNED("{quaternion: [0, 0, 0, 0]}"), 3, 56,
       "body 'b': orientation: the quaternion has length zero"},
      {TURNED("{quaternion: [1, 0, 0]}"), 3, 69, "quaternion: expected 4 numbers, found 3"},
      {TURNED("{axis: [0, 0, 0], angle: 1}"), 3, 56, "orientation: the axis has length zero"},
      {TURNED("{axis: [0, 0, 1]}"), 3, 56, "orientation: expected one of {quaternion: "},
      {TURNED("{}"), 3, 56, "expected one of {quaternion: "},
      {TURNED("{quaternion: [1, 0, 0, 0], angle: 1}"), 3, 56, "expected one of {quaternion: "},
      {TURNED("1"), 3, 56, "expected a map like {axis: [0, 0, 1], angle: pi/2}, found a number"},
      {TURNED("{euler: zzx, angles: [1, 2, 3]}"), 3, 64, "'zzx' is no sequence of three axes"},
      {TURNED("{euler: zx, angles: [1, 2, 3]}"), 3, 64, "'zx' is no sequence"},
      {TURNED("{euler: zxw, angles: [1, 2, 3]}"), 3, 64, "'zxw' is no sequence"},
      {TURNED("{euler: zxz, angles: [1, 2]}"), 3, 77, "angles: expected 3 numbers, found 2"},
      {TURNED("{x: [1, 1, 0], y: [-2, -2, 0]}"), 3, 56, "the x and y axes are parallel"},
      {TURNED("{x: [0, 0, 0], y: [1, 0, 0]}"), 3, 56, "the x axis has length zero"},
      {TURNED("{x: [1, 0, 0], y: [0, 0, 0]}"), 3, 56, "the y axis has length zero"},
      {TURNED("{matrix: [[1, 0, 0], [0, 1, 0]]}"), 3, 65, "matrix: expected 3 rows, found 2"},
      {TURNED("{matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}"), 3, 43,
       "body 'b': the matrix of the orientation is no rotation"},
      {TURNED("{matrix: [[1, 0, 0], [0, 1, 1e-5], [0, 0, 1]]}"), 3, 43, "is no rotation"},
      {TURNED("{matrix: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}"), 3, 43, "a reflection"},
      {TURNED("{quaternion: [x, 0, 0, 0]}"), 3, 70, "unknown name 'x'"},
      {TURNED("{quaternoin: [1, 0, 0, 0]}"), 3, 57, "did you mean 'quaternion'?"},
  };
  EXPECT_ALL(mistakes);
}

static void axes(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {JOINT("type: revolute, connect: [ground, b]"), 4, 10,
       "joint 'j': a revolute joint needs an axis"},
      {JOINT("type: revolute, connect: [ground, b], axis: [0, 0, 0]"), 4, 58,
       "joint 'j': the axis has length zero"},
      {JOINT("type: revolute, connect: [ground, b], axes: [[0, 0, 1], [0, 0, 0]]"), 4, 70,
       "the axis has length zero"},
      {JOINT("type: revolute, connect: [ground, b], axes: [[0, 0, 1], [1, 0, 0]]"), 4, 58,
       "the axes are perpendicular as written, a revolute joint needs them parallel"},
      {JOINT("type: universal, connect: [ground, b], axes: [[0, 0, 1], [0, 0, 2]]"), 4, 59,
       "the axes of a universal joint must be perpendicular as written, their angle is 0 degrees"},
      {JOINT("type: universal, connect: [ground, b], axes: [[1, 0, 0], [1, 1, 0]]"), 4, 59,
       "their angle is 45 degrees"},
      {JOINT("type: universal, connect: [ground, b]"), 4, 10, "a universal joint needs axes"},
      {JOINT("type: universal, connect: [ground, b], axis: [0, 0, 1]"), 4, 53,
       "unknown key 'axis': type universal does not have it"},
      {JOINT("type: parallel, connect: [ground, b], axes: [[0, 0, 1], [0, 1, 0]]"), 4, 58,
       "the axes are perpendicular as written, a parallel joint"},
      {JOINT("type: perpendicular, connect: [ground, b], axes: [[0, 0, 1], [0, 0, -1]]"), 4, 63,
       "the axes are parallel as written, a perpendicular joint"},
      {JOINT("type: spherical, connect: [ground, b], axis: [0, 0, 1]"), 4, 53,
       "type spherical does not have it"},
      {JOINT("type: screw, connect: [ground, b], axis: [0, 0, 1]"), 4, 10, "missing key 'pitch'"},
      {JOINT("type: screw, connect: [ground, b], axis: [0, 0, 1], pitch: 0"), 4, 73,
       "joint 'j': pitch is 0, it must be finite and not 0"},
      {JOINT("type: spherical, connect: [b, b]"), 4, 44, "connects body 'b' with itself"},
      {JOINT("type: spherical, connect: [ground, ground]"), 4, 49, "connects ground with itself"},
      {JOINT("type: distance, connect: [ground, b], length: 0"), 4, 60, "use spherical"},
      {FORCE("type: torsion-spring-damper, connect: [ground, b], stiffness: 1"), 4, 10,
       "force 'f': a torsion-spring-damper needs an axis"},
      {FORCE("type: torsion-spring-damper, connect: [ground, b], stiffness: 1, axis: [0, 0, 0]"), 4,
       85, "the axis has length zero"},
  };
  EXPECT_ALL(mistakes);
}

static void rolling(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {JOINT("type: rolling, connect: [ground, b], radius: 0.5, axis: [0, 0, 1]"), 4, 47,
       "joint 'j': the sphere does not touch the plane as written: its centre is at 1 from the "
       "plane, it must be at 0.5"},
      {JOINT("type: rolling, connect: [ground, b], radius: 0.5, axes: [[0, 0, 1], [1, 0, 0]]"), 4,
       47, "the disc does not touch the plane as written"},
      {JOINT("type: rolling, connect: [ground, b], radius: 1, axis: [1, 0, 0]"), 4, 47,
       "the sphere's centre lies in the plane as written"},
      {JOINT("type: rolling, connect: [ground, b], radius: 1, axes: [[0, 0, 1], [0, 0, -1]]"), 4,
       68, "the disc lies flat on the plane as written"},
      {JOINT("type: rolling, connect: [ground, b], radius: 0, axis: [0, 0, 1]"), 4, 59,
       "radius is 0, it must be positive"},
      {JOINT("type: rolling, connect: [ground, b], radius: 1"), 4, 10,
       "a rolling joint needs an axis"},
      {GOOD "joints:\n  r: {type: rolling, connect: [ground, b], radius: 1, axis: [0, 0, 1]}\n"
            "  d: {type: driver, of: r, value: t}\n",
       6, 25,
       "joint 'r' of type rolling has no freedom; revolute, prismatic, point-on-line, cylindrical "
       "and screw joints have"},
  };
  EXPECT_ALL(mistakes);
  /* what assembly closes: a hundredth of the radius */
  loaded r =
      load_good(JOINT("type: rolling, connect: [ground, b], radius: 1.005, axis: [0, 0, 1]"), NULL);
  unload(&r);
}

static void measures(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {GOOD "initial: {b.qw: 1}\n", 4, 11, "this is a component of a quaternion"},
      {GOOD "initial: {b.alphax: 1}\n", 4, 11, "this is an acceleration"},
      {GOOD "initial: {b.omega: 1}\n", 4, 11,
       "body 'b' has no measure 'omega'; in space its angular velocity is wx, wy, wz"},
      {GOOD "outputs: [b.angle]\n", 4, 11, "in space its orientation is qw, qx, qy, qz"},
      {JOINT("type: coordinate, sum: {b.qx: 1}, value: 0"), 4, 38,
       "'b.qx' is a component of a quaternion; a sum takes positions and angles"},
      {JOINT("type: driver, of: b.qx, value: t"), 4, 32,
       "'b.qx' is a component of a quaternion; a driver drives the freedom of a joint, an angle of "
       "the orientation (yaw, zxz1) or a coordinate of a point"},
      {JOINT("type: driver, of: b.angle, value: t"), 4, 32, "body 'b' has no measure 'angle'"},
      {GOOD "joints:\n  c: {type: cylindrical, connect: [ground, b], axis: [0, 0, 1]}\n"
            "  d: {type: driver, of: c, value: t}\n",
       6, 25, "joint 'c' has two freedoms; write c.angle or c.displacement"},
      {HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 1], points: {qw: [0, 0, 0]}}}\n", 3, 52,
       "a point may not be called 'qw'"},
      {HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 1], points: {alphaz: [0, 0, 0]}}}\n", 3, 52,
       "a point may not be called 'alphaz'"},
      {FORCE("type: force, point: b, value: [b.alphax, 0, 0]"), 4, 45, "'b.alphax' is an acc"},
  };
  EXPECT_ALL(mistakes);
}

#define BUSHING(keys) FORCE("type: bushing, connect: [ground, b], " keys)
#define ROW           "[1, 0, 0, 0, 0, 0]"

static void bushings(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {FORCE("type: bushing, connect: [ground, b]"), 4, 10, "needs stiffness, damping or both"},
      {BUSHING("stiffness: 1"), 4, 62,
       "stiffness: expected 6 numbers or 6 rows of 6, found a number"},
      {BUSHING("stiffness: [1, 1, 1]"), 4, 62, "expected 6 numbers or 6 rows of 6"},
      {BUSHING("damping: [" ROW ", " ROW ", " ROW ", " ROW ", " ROW ", [1]]"), 4, 161,
       "damping: expected 6 numbers, found 1"},
      {BUSHING("stiffness: [" ROW ", " ROW ", " ROW ", " ROW ", " ROW ", " ROW "]"), 4, 62,
       "force 'f': stiffness must be symmetric, but row 2, column 1 is 1 and row 1, column 2 is 0"},
      {BUSHING("stiffness: [1, 1, 1, 1, 1, 1], preload: [1]"), 4, 91,
       "preload: expected 6 numbers, found 1"},
      {BUSHING("stiffness: [1, 1, 1, 1, 1, 1], orientation: {quaternion: [0, 0, 0, 0]}"), 4, 95,
       "force 'f': orientation: the quaternion has length zero"},
      {BUSHING("stiffness: [1, 1, 1, 1, 1, 1]") "outputs: [f.u]\n", 5, 11,
       "force 'f' has no measure 'u'; its measures are fx, fy, fz, tx, ty, tz, ux, uy, uz, rx"},
  };
  EXPECT_ALL(mistakes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors),
      cmocka_unit_test(keys_of_the_other_space),
      cmocka_unit_test(inertias_no_body_has),
      cmocka_unit_test(orientations),
      cmocka_unit_test(axes),
      cmocka_unit_test(rolling),
      cmocka_unit_test(measures),
      cmocka_unit_test(bushings),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
