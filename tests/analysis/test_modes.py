"""Eigenvalues and shapes against independent computations, in every formulation."""
import cmath
import csv
import math
import unittest

from analyses import ALL_SPATIAL, HERE, PLANAR, REFERENCE, ROOT, ask, eigenvalues, farthest, largest

CHAIN = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {N: 10, l: 2/N, m: 3/N}
bodies:
  link$(i): {repeat: {i: [1, N]}, mass: m, inertia: m*l^2/12, position: [0, -(i - 0.5)*l], angle: -pi/2, points: {A: [-l/2, 0], B: [l/2, 0]}}
joints:
  pin: {type: revolute, connect: [ground, link1.A]}
  pin$(i): {repeat: {i: [2, N]}, type: revolute, connect: [link$(i-1).B, link$(i).A]}
"""

# the crank starts at its spring's free angle
FOUR_BAR = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {a: 0.4, b: 0.9, c: 0.7, th: pi/3, x: "a*cos(th) - 1", y: a*sin(th), d: "hypot(x, y)",
             s: "atan2(y, x) - acos((d^2 + c^2 - b^2)/(2*d*c))", u: "1 + c*cos(s)", w: c*sin(s), p: "atan2(w - a*sin(th), u - a*cos(th))"}
ground: {points: {O: [0, 0], E: [1, 0]}}
bodies:
  crank: {mass: 2*a, inertia: 2*a^3/12, position: [a/2*cos(th), a/2*sin(th)], angle: th, points: {A: [-a/2, 0], B: [a/2, 0]}}
  coupler: {mass: 2*b, inertia: 2*b^3/12, position: [a*cos(th) + b/2*cos(p), a*sin(th) + b/2*sin(p)], angle: p, points: {A: [-b/2, 0], B: [b/2, 0]}}
  rocker: {mass: 2*c, inertia: 2*c^3/12, position: [1 + c/2*cos(s), c/2*sin(s)], angle: s, points: {A: [-c/2, 0], B: [c/2, 0]}}
joints:
  A: {type: revolute, connect: [ground.O, crank.A]}
  B: {type: revolute, connect: [crank.B, coupler.A]}
  C: {type: revolute, connect: [coupler.B, rocker.B]}
  D: {type: revolute, connect: [ground.E, rocker.A]}
forces:
  spring: {type: torsion-spring-damper, connect: [ground.O, crank.A], stiffness: 30, damping: 0.5}
outputs: [crank.angle]
"""


def stewart():
    r = REFERENCE["stewart"]
    legs, base, top = "", "", ""
    for i, (a, b, l) in enumerate(zip(r["base_angles_deg"], r["platform_angles_deg"], r["leg_free_length"])):
        a, b = math.radians(a), math.radians(b)
        base += f"B{i}: [{math.cos(a)!r}, {math.sin(a)!r}, 0], "
        top += f"P{i}: [{0.6 * math.cos(b)!r}, {0.6 * math.sin(b)!r}, 0], "
        legs += f"  leg{i}: {{type: spring-damper, connect: [ground.B{i}, platform.P{i}], stiffness: 200000, damping: 300, length: {l!r}}}\n"
    return f"""
trammel: 1
space: spatial
gravity: [0, 0, -9.81]
ground: {{points: {{{base.rstrip(', ')}}}}}
bodies:
  platform: {{mass: 40, inertia: [3.2, 3.2, 6], position: [0, 0, 0.9], points: {{{top.rstrip(', ')}}}}}
forces:
{legs}"""


HALF_CAR = """
trammel: 1
space: planar
gravity: [0, -9.81]
# At rest the car is pitched, and its levers are a cos(pitch), b cos(pitch). Those of the reference, which is
# linear in the pitch, are 1.288 and 1.488; its static pitch is the tangent of this one.
parameters: {tangent: -0.005387489946562827, a: 1.288*sqrt(1 + tangent^2), b: 1.488*sqrt(1 + tangent^2)}
bodies:
  body: {mass: 1560, inertia: 2100, position: [0, 0.7], points: {F: [a, 0], R: [-b, 0]}}
  front: {mass: 70, inertia: 1, position: [a, 0.3]}
  rear: {mass: 70, inertia: 1, position: [-b, 0.3]}
joints:
  upright: {type: coordinate, sum: {body.x: 1}, value: 0}
  front_slide: {type: prismatic, connect: [ground, front], axis: [0, 1]}
  rear_slide: {type: prismatic, connect: [ground, rear], axis: [0, 1]}
forces:
  front_strut: {type: load, connect: [ground, front], force: [0, "-ff - 560000*(front.y - 0.3)"], torque: 0}
  rear_strut: {type: load, connect: [ground, rear], force: [0, "-fr - 560000*(rear.y - 0.3)"], torque: 0}
  front_body: {type: force, point: body.F, value: [0, ff]}
  rear_body: {type: force, point: body.R, value: [0, fr]}
variables:
  ff: "-50000*(body.F.y - front.y - 0.4) - 3200*(body.F.vy - front.vy)"
  fr: "-47000*(body.R.y - rear.y - 0.4) - 3000*(body.R.vy - rear.vy)"
outputs: [body.angle]
"""

# point masses on massless rods; and the same on distances, whose rotations nothing determines
DOUBLE = """
trammel: 1
space: planar
gravity: [0, -9.81]
bodies:
  one: {mass: 1.5, inertia: 0, position: [0, -1], points: {A: [0, 1]}}
  two: {mass: 0.7, inertia: 0, position: [0, -1.6], points: {A: [0, 0.6]}}
joints:
"""
RODS = "  a: {type: revolute, connect: [ground, one.A]}\n  b: {type: revolute, connect: [one, two.A]}\n"
DISTANCES = "  a: {type: distance, connect: [ground, one]}\n  b: {type: distance, connect: [one, two]}\n"


class Modes(unittest.TestCase):
    def test_nothing_but_zeros(self):
        """A sphere at rest on a table: ten zeros, and neither stable nor unstable. Round-off of weights that cancel is no stiffness; a spring of
        1e-9 N/m under 1 kg, which is a part of 1e-10 of them, is one."""
        for coordinates in ALL_SPATIAL:
            at_rest = (ROOT / "models/turntable_free.yaml", "--coordinates", coordinates)
            found = ask("modes", at_rest[0], "--at", "equilibrium", *at_rest[1:])
            self.assertEqual((found["zero_modes"], eigenvalues(found)), (10, 10 * [0]))
            self.assertIsNone(ask("equilibrium", *at_rest)["stable"])
        soft = """
trammel: 1
space: planar
gravity: [0, -9.81]
bodies:
  cart: {mass: 1, inertia: 1}
joints:
  rail: {type: prismatic, connect: [ground, cart], axis: [1, 0]}
forces:
  spring: {type: actuator, of: rail, value: "-1e-9*rail.displacement"}
"""
        for coordinates in PLANAR:
            self.assertLessEqual(farthest([x / 1e-9 ** 0.5 for x in eigenvalues(ask("modes", soft, "--coordinates", coordinates))], [1j, -1j]), 1e-9)

    def test_hanging_chains(self):
        for N, omega in REFERENCE["chain_modes"].items():
            for coordinates in PLANAR if int(N) <= 20 else ("natural",):
                found = ask("modes", CHAIN, "--set", f"N={N}", "--coordinates", coordinates)
                self.assertEqual(len(found["modes"]), 2 * int(N))
                self.assertEqual((found["degrees_of_freedom"], found["zero_modes"]), (int(N), 0))
                values = [mode["im"] for mode in found["modes"] if mode["im"] > 0]
                self.assertLessEqual(largest(abs(a - b) / b for a, b in zip(values, omega)), 1e-9)
                self.assertLessEqual(largest(abs(mode["re"]) for mode in found["modes"]), 1e-9)

    def test_large_models(self):
        """Sparse: eigenvalue and shape solve the chain's equations in its angles, and none is left out."""
        N, m, l, g = 500, 3 / 500, 2 / 500, 9.81
        outputs = ", ".join(f"link{i}.angle" for i in range(1, N + 1))
        try:
            found = ask("modes", f"{CHAIN}outputs: [{outputs}]\n", "--set", f"N={N}", "--count", 9)
        except AssertionError as error:
            if "built; install it (Debian: libarpack2-dev)" in str(error):
                self.skipTest("built without ARPACK")
            raise
        self.assertEqual((len(found["modes"]), found["degrees_of_freedom"], found["zero_modes"]), (10, N, 0))
        # the hanging rope, a little below the chain
        rope = (2.6630117887578892, 6.11272324327837, 9.582807108415048, 13.057493970052079, 16.53392685695458)
        for mode, limit in zip(found["modes"][::2], rope):
            self.assertTrue(0 < mode["im"] / limit - 1 < 1e-4)
            self.assertLessEqual(abs(mode["re"]), 1e-9)
            shape = [mode["shape"][f"link{i}.angle"][0] for i in range(1, N + 1)]
            for i in (1, 2, 100, 333, N):
                inertia = sum((N - max(i, k) + (1 / 3 if i == k else 1 / 2)) * shape[k - 1] for k in range(1, N + 1))
                weight = g / l * (N - i + 1 / 2) * shape[i - 1]
                self.assertLessEqual(abs(mode["im"] ** 2 * inertia - weight), 1e-6 * g / l * N)
        self.assertIn("equilibrium only", ask("modes", CHAIN.replace("[0, -(i - 0.5)*l], angle: -pi/2", "[(i - 0.5)*l, 0], angle: 0"), "--set", f"N={N}", status=1))

    def test_double_pendulum_of_points(self):
        for joints in (RODS, DISTANCES):
            for coordinates in PLANAR:
                values = eigenvalues(ask("modes", DOUBLE + joints, "--coordinates", coordinates))
                self.assertEqual(len(values), 4)
                self.assertLessEqual(farthest(values, [2.7678313442579934j, 5.541399611085903j]), 1e-10)

    def test_four_bar_with_a_spring(self):
        for coordinates in PLANAR:
            found = ask("modes", FOUR_BAR, "--at", "equilibrium", "--coordinates", coordinates)
            self.assertEqual(len(found["modes"]), 2)
            self.assertLessEqual(farthest(eigenvalues(found), [-1.0557322616851093 + 10.285493374687652j]), 1e-9)
            mode = found["modes"][0]
            self.assertAlmostEqual(mode["frequency"], math.hypot(mode["re"], mode["im"]) / (2 * math.pi), 12)
            self.assertAlmostEqual(mode["damping"], -mode["re"] / math.hypot(mode["re"], mode["im"]), 12)

    def test_stewart_platform(self):
        for coordinates in ALL_SPATIAL:
            found = ask("modes", stewart(), "--coordinates", coordinates)
            self.assertEqual(len(found["modes"]), 12)
            self.assertLessEqual(farthest(eigenvalues(found), [complex(*x) for x in REFERENCE["stewart"]["eigenvalues"]]), 1e-9)

    def test_cars_in_the_plane(self):
        from test_linearize import QUARTER
        for coordinates in PLANAR:
            quarter = eigenvalues(ask("modes", QUARTER, "--at", "equilibrium", "--coordinates", coordinates))
            self.assertLessEqual(farthest(quarter, [complex(*x) for x in REFERENCE["quarter_eigenvalues"]] + [-50]), 1e-9)
            half = eigenvalues(ask("modes", HALF_CAR, "--at", "equilibrium", "--coordinates", coordinates))
            self.assertEqual(len(half), 8)
            self.assertLessEqual(farthest(half, [complex(*x) for x in REFERENCE["half_eigenvalues"]]), 1e-9)

    def test_shapes(self):
        """Of a chain of two: the shape solves the equations; the largest part is 1."""
        found = ask("modes", CHAIN, "--set", "N=2")
        for mode in found["modes"]:
            parts = {name: complex(*value) for name, value in mode["shape"].items()}
            self.assertAlmostEqual(max(abs(x) for x in parts.values()), 1, 9)
            self.assertTrue(any(abs(x - 1) < 1e-9 for x in parts.values()))
            m, l, g, w2 = 1.5, 1.0, 9.81, -(complex(mode["re"], mode["im"]) ** 2)
            one, two = parts["link1.angle"], parts["link2.angle"]
            # of two rods hanging from each other
            first = (m * l * l / 3 + m * l * l) * one + m * l * l / 2 * two
            second = m * l * l / 2 * one + m * l * l / 3 * two
            self.assertLessEqual(abs(w2 * first - 1.5 * m * g * l * one), 1e-8)
            self.assertLessEqual(abs(w2 * second - 0.5 * m * g * l * two), 1e-8)
            self.assertAlmostEqual(parts["pin2.angle"], two - one, 9)

    def test_page(self):
        """Bodies move in it as the shapes say; each pair is there once."""
        import json
        text = ask("modes", CHAIN, "--set", "N=3", file="modes.html", read=str)
        page, _ = json.JSONDecoder().raw_decode(text.split("const data = ")[1])
        found = ask("modes", CHAIN, "--set", "N=3")
        self.assertEqual([body["name"] for body in page["bodies"]], ["link1", "link2", "link3"])
        self.assertEqual(len(page["modes"]), 3)
        self.assertEqual(page["name"], "model.yaml")
        for mode, expected in zip(page["modes"], found["modes"][::2]):
            for b in range(3):
                for i, name in ((0, "x"), (1, "y"), (5, "angle")):
                    part = complex(*mode["motion"][12 * b + 2 * i:12 * b + 2 * i + 2])
                    self.assertLessEqual(abs(part - complex(*expected["shape"][f"link{b + 1}.{name}"])), 1e-5)

    def test_count_never_splits_a_pair(self):
        found = ask("modes", CHAIN, "--count", 3)
        self.assertEqual(len(found["modes"]), 4)
        self.assertIn("--count", ask("modes", CHAIN, "--count", 0, status=2))

    def test_bicycle(self):
        """Every eigenvalue of the Whipple benchmark, with its six zeros; stability by critical speeds."""
        model = ROOT / "models/bicycle/whipple.yaml"
        with open(HERE / "reference/whipple_eigenvalues.csv", newline="") as table:
            rows = list(csv.DictReader(table))
        self.assertEqual(len(rows), 11)
        for row in rows:
            expected = [complex(float(row[f"re{k}"]), float(row[f"im{k}"])) for k in range(1, 5)]
            for coordinates in ALL_SPATIAL:
                found = ask("modes", model, "--set", f"v={row['v']}", "--coordinates", coordinates)
                self.assertEqual((len(found["modes"]), found["zero_modes"], found["degrees_of_freedom"]), (10, 6, 3))
                self.assertLessEqual(farthest(eigenvalues(found), expected), 1e-10)
        critical = ask("modes", model, "--along", "v=3:7:9", file="locus.json")["critical"]
        self.assertEqual(len(critical), 2)
        self.assertLessEqual(abs(critical[0]["value"] - 4.292382536341104), 1e-7)
        self.assertLessEqual(abs(critical[1]["value"] - 6.024262015388359), 1e-7)
        self.assertGreater(critical[0]["im"], 1)
        self.assertEqual(critical[1]["im"], 0)

    def test_rolling_disc(self):
        """In the frame that goes round with it a place elsewhere circles: ±Ωi."""
        values = eigenvalues(ask("modes", ROOT / "models/rolling_disc.yaml"))
        self.assertLessEqual(farthest(values, [3j, -3j]), 1e-9)

    def test_turntable(self):
        """A block between springs on a table that turns, in a joint of a plane, of two ways, or freely with its place beside its frame: seen from
        the table x'' = (Ω² − k/m) x + 2 Ω y', y'' = (Ω² − k/m) y − 2 Ω x', λ = i (±Ω ± sqrt(k/m)), and its turning against the table."""
        model = """
trammel: 1
space: spatial
gravity: [0, 0, -9.81]
parameters: {W: 3, m: 2, k: 60, c: 5, J: 0.4}
bodies:
  table: {mass: 8, inertia: [1, 1, 2], com: [0.1, 0.2, -0.1], angular-velocity: [0, 0, W]}
  block: {mass: m, inertia: [0.2, 0.3, J], position: [0, 0, 0.3], angular-velocity: [0, 0, W]}
  slide: {mass: 0.5, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1], com: [0, 0, 0.2], angular-velocity: [0, 0, W]}
joints:
  axle: {type: revolute, connect: [ground, table], axis: z}
  pace: {type: driver, of: axle.rate, rate: W}
  rest: {type: planar, connect: [table, block], at: [0, 0, 0.3], axis: z}
  post: {type: cylindrical, connect: [block, slide], axis: z}
forces:
  pull: {type: force, point: block, value: [-k*block.x, -k*block.y, 0]}
  turn: {type: torsion-spring-damper, connect: [table, block], axis: z, stiffness: c}
  hold: {type: actuator, of: post.displacement, value: "0.5*9.81 - 30*post.displacement"}
  grip: {type: torsion-spring-damper, connect: [block, slide], axis: z, stiffness: 0.7}
"""
        w = (60 / 2.5) ** 0.5
        a, b = 0.4, 0.1  # J and the slide's
        p, q = 5.7 / a + 0.7 / b, 5 * 0.7 / (a * b)
        turns = [math.sqrt((p + s * math.sqrt(p * p - 4 * q)) / 2) for s in (1, -1)]
        expected = [1j * s * x for s in (1, -1) for x in (w + 3, w - 3, *turns, math.sqrt(30 / 0.5))]
        for coordinates in ALL_SPATIAL:
            found = eigenvalues(ask("modes", model, "--at", "steady", "--coordinates", coordinates))
            self.assertLessEqual(farthest(found, expected), 1e-9, coordinates)
            self.assertLessEqual(farthest(expected, [x for x in found if x]), 1e-9, coordinates)

    def test_trees_that_turn(self):
        """The same in every formulation: chains of all joints about a vertical axis, bodies that spin on them, a body that flies with a rotor."""
        chain = """
trammel: 1
space: spatial
gravity: [0, 0, -9.81]
parameters: {W: 5, s: 12}
bodies:
  mast: {mass: 3, inertia: [0.2, 0.2, 0.1], angular-velocity: [0, 0, W]}
  arm: {mass: 2, inertia: [0.03, 0.2, 0.22], position: [0.5, 0, -0.2], com: [0.05, 0.02, 0], angular-velocity: [0, 0, W], points: {E: [0.6, 0.1, -0.1]}}
  ball: {mass: 1, inertia: [0.05, 0.05, 0.02], position: [1.1, 0.1, -0.7], angular-velocity: [0, 0, W], points: {A: [0, 0, 0.4]}}
  cross: {mass: 0.6, inertia: [0.02, 0.03, 0.01], position: [-0.4, 0, -0.3], angular-velocity: [0, 0, W], points: {E: [0, 0.1, 0]}}
  disc: {mass: 0.8, inertia: [0.016, 0.016, 0.03], position: [-0.4, 0.1, -0.8], angular-velocity: [0, 0, s], points: {A: [0, 0, 0.5]}}
joints:
  axle: {type: cylindrical, connect: [ground, mast], axis: z}
  hinge: {type: revolute, connect: [mast, arm], at: [0.1, 0, 0], axis: y}
  hang: {type: spherical, connect: [arm.E, ball.A]}
  fork: {type: universal, connect: [mast, cross], at: [-0.1, 0, 0], axes: [x, y]}
  spin: {type: revolute, connect: [cross.E, disc.A], axis: z}
forces:
  lift: {type: actuator, of: axle.displacement, value: "7.4*9.81 - 200*axle.displacement"}
  spring: {type: torsion-spring-damper, connect: [mast, arm], axis: y, stiffness: 20, damping: 1}
  damper: {type: torsion-spring-damper, connect: [arm, ball], axis: z, stiffness: 3, damping: 0.3}
  bend: {type: spring-damper, connect: [mast, cross], stiffness: 40, damping: 3}
"""
        flight = """
trammel: 1
space: spatial
parameters: {W: 2}
bodies:
  hull: {mass: 5, inertia: [0.5, 0.7, 0.9], position: [1, 2, 3], velocity: [0, 0, 0.3], angular-velocity: [0, 0, W], points: {A: [0, 0, 0.3]}}
  rotor: {mass: 1, inertia: [0.026, 0.026, 0.05], position: [1, 2, 3.4], velocity: [0, 0, 0.3], angular-velocity: [0, 0, 40], points: {A: [0, 0, -0.1]}}
joints: {axle: {type: revolute, connect: [hull.A, rotor.A], axis: z}}
"""
        for model, at, near in ((chain, ("--at", "steady"), 1e-9), (flight, (), 1e-6)):  # in flight 2j is twice a root of one chain
            plain, *others = [ask("modes", model, *at, "--coordinates", coordinates) for coordinates in ALL_SPATIAL]
            fastest = max(map(abs, eigenvalues(plain)))
            self.assertGreater(fastest, 1)
            for found in others:
                self.assertEqual((found["zero_modes"], len(found["modes"])), (plain["zero_modes"], len(plain["modes"])))
                self.assertLessEqual(farthest(eigenvalues(found), eigenvalues(plain)), near)
                self.assertLessEqual(farthest(eigenvalues(plain), eigenvalues(found)), near)
        for coordinates in ALL_SPATIAL:  # speeds that nothing determines keep their values, however far the search goes
            found = ask("equilibrium", chain + "outputs: [axle.rate, spin.rate]\n", "--steady", "--coordinates", coordinates)["measures"]
            self.assertLessEqual(max(abs(found["axle.rate"] - 5), abs(found["spin.rate"] - 7)), 1e-9)

    def test_turning_satellite(self):
        """Its inertia is not the same about all axes across the one it turns about: what is seen in the frame that turns with it has constant
        coefficients. The tip of the axis goes round by Euler's equations, and places and attitude by the turning: three pairs of ±Ωi."""
        model = """
trammel: 1
space: spatial
parameters: {Ix: 0.3, Iy: 0.4, Iz: 0.5, w: 2}
bodies: {b: {mass: 2, inertia: [Ix, Iy, Iz], angular-velocity: [0, 0, w]}}
"""
        for Ix, Iy, Iz in ((0.3, 0.4, 0.5), (0.3, 0.5, 0.4), (0.5, 0.4, 0.3)):
            tip = cmath.sqrt(-4 * (Iz - Ix) * (Iz - Iy) / (Ix * Iy))
            for coordinates in ALL_SPATIAL:
                found = ask("modes", model, *(f"--set={k}={x}" for k, x in (("Ix", Ix), ("Iy", Iy), ("Iz", Iz))), "--coordinates", coordinates)
                values = [x for x in eigenvalues(found) if x]
                self.assertEqual((found["zero_modes"], len(values)), (4, 8))
                self.assertLessEqual(farthest(values, [tip, -tip, 2j, -2j]), 1e-6)  # 2j is twice a root of one chain
                self.assertLessEqual(farthest([tip, -tip, 2j, -2j], values), 1e-6)
                self.assertLessEqual(min(abs(x - tip) for x in values), 1e-9)
        # about an axis of symmetry it spins in its place
        found = ask("modes", model, "--set", "Iy=0.3")
        self.assertEqual(found["zero_modes"], 10)
        self.assertLessEqual(farthest(eigenvalues(found), [4j / 3 + 2j, -4j / 3 - 2j]), 1e-9)

    def test_rotors(self):
        """A disc on a shaft whose stiffness is not the same all around, or on such bearings; with both nothing is steady. In the frame that
        turns with the shaft (λ² + a)(λ² + b) + 4 Ω² λ² = 0 with a = k1/m − Ω², b = k2/m − Ω²: unstable between the two speeds."""
        model = """
trammel: 1
space: planar
parameters: {m: 2, k1: 200, k2: 450, K1: 0, K2: 0, w: 3}
bodies: {disc: {mass: m, inertia: 0.3, angular-velocity: w}}
variables:
  u: disc.x*cos(disc.angle) + disc.y*sin(disc.angle)
  v: disc.y*cos(disc.angle) - disc.x*sin(disc.angle)
forces:
  shaft: {type: force, point: disc, frame: body, value: [-k1*u, -k2*v]}
  bearing: {type: force, point: disc, value: [-K1*disc.x, -K2*disc.y]}
"""
        swap = ("--set", "k1=0", "--set", "k2=0", "--set", "K1=200", "--set", "K2=450")
        for coordinates in PLANAR:
            for w in (3, 12):
                a, b = 100 - w * w, 225 - w * w
                p, q = a + b + 4 * w * w, a * b
                roots = [cmath.sqrt((-p + sign * cmath.sqrt(p * p - 4 * q)) / 2) for sign in (1, -1)]
                found = ask("modes", model, "--set", f"w={w}", "--coordinates", coordinates)
                self.assertEqual((found["zero_modes"], len(found["modes"])), (2, 6))
                self.assertLessEqual(farthest(eigenvalues(found), [x * s for x in roots for s in (1, -1)]), 1e-9)
                found = ask("modes", model, *swap, "--set", f"w={w}", "--coordinates", coordinates)
                self.assertLessEqual(farthest(eigenvalues(found), [10j, -10j, 15j, -15j]), 1e-9)
                self.assertIs(ask("equilibrium", model, "--steady", "--set", f"w={w}", "--coordinates", coordinates)["stable"], False if w == 12 else None)
            self.assertIn("not steadily", ask("modes", model, "--set", "K1=200", "--set", "K2=450", "--coordinates", coordinates, status=1))

    def test_at_rest_without_equilibrium(self):
        """Forces are about to move it: that is said, also where a freedom goes straight. Places written with ten digits are equilibria."""
        bob = """
trammel: 1
space: spatial
gravity: [0, 0, -9.81]
parameters: {x: 0.6, z: -0.8}
ground: {points: {O: [0, 0, 0]}}
bodies: {bob: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [x, 0, z], points: {O: [-x, 0, -z]}}}
joints: {pin: {type: spherical, connect: [ground.O, bob.O]}}
"""
        said = "at rest but not in equilibrium"
        self.assertIn(said, ask("modes", bob, read="stderr"))
        self.assertNotIn(said, ask("modes", bob, "--at", "equilibrium", read="stderr"))
        for x, warns in (("1e-3", True), ("1e-10", False), ("0", False)):
            found = ask("modes", bob, "--set", f"x={x}", "--set", "z=-1", read="stderr")
            self.assertEqual(said in found, warns, x)

    def test_equilibrium_without_forces(self):
        """A torsion spring that holds nothing: round-off is no force, also where joints are redundant."""
        model = (ROOT / "models/parallel_cranks.yaml").read_text()
        model += "forces: {hold: {type: torsion-spring-damper, connect: [ground, left], stiffness: 8, damping: 3, angle: 1}}\n"
        for coordinates in PLANAR:
            options = ("--at", "equilibrium", "--coordinates", coordinates)
            self.assertNotIn("not in equilibrium", ask("modes", model, *options, read="stderr"))
            self.assertIs(ask("linearize", model, *options)["steady"], True)
            inertia = 3 * (0.1 + 0.25) + 2
            root = cmath.sqrt(9 - 4 * inertia * 8) / (2 * inertia)
            self.assertLessEqual(farthest(eigenvalues(ask("modes", model, *options)), [-1.5 / inertia + root, -1.5 / inertia - root]), 1e-9)

    def test_fast_rotor(self):
        """At 30 000 rad/s round-off of Ω² is as large as nothing else: where it stands is neutral all the same."""
        model = """
trammel: 1
space: planar
parameters: {T: 0.3, c: 1e-5, J: 7e-5}
bodies: {rotor: {mass: 1, inertia: J, angular-velocity: T/c}}
joints: {pin: {type: revolute, connect: [ground, rotor]}}
forces: {torque: {type: actuator, of: pin, value: T - c*pin.rate}}
"""
        for coordinates in PLANAR:
            found = ask("modes", model, "--coordinates", coordinates)
            self.assertEqual((found["zero_modes"], len(found["modes"])), (1, 2))
            self.assertLessEqual(farthest(eigenvalues(found), [-1 / 7]), 1e-6)
            self.assertIsNone(ask("equilibrium", model, "--steady", "--coordinates", coordinates)["stable"])

    def test_motion_that_is_not_steady(self):
        self.assertIn("not steadily", ask("modes", ROOT / "models/four_bar.yaml", "--at", 0.4, status=1))
        swing = 'trammel: 1\nsystem: {coordinates: {a: 0}, velocities: {a: 2}, mass: {a: 1}, forces: {a: "-9.81*sin(a)"}}\n'  # at its lowest place
        self.assertIn("not steadily", ask("modes", swing, status=1))

    def test_wrong_range(self):
        for text in ("v", "v=1", "v=1:2", "v=1:2:1", "v=1:1:5", "=1:2:3"):
            self.assertIn("--along", ask("modes", ROOT / "models/bicycle/whipple.yaml", "--along", text, status=2))


if __name__ == "__main__":
    unittest.main()
