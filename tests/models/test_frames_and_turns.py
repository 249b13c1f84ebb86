"""Body frames, turns and relative rotations: turned as a whole, put in space, counted over any number of turns."""
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from extremes import largest
from program import Run, largest_difference


def matrix(q):
    w, x, y, z = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def times(q, p):
    w, x, y, z = q
    a, b, c, d = p
    return [w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c, w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a]


def unit(q):
    size = math.sqrt(sum(x * x for x in q))
    return [x / size for x in q]


def turn(q, v):
    return [sum(a * b for a, b in zip(row, v)) for row in matrix(q)]


PRODUCTS = "[0.5, 0.6, 0.7, 0.05, -0.1, 0.08]"
TENSOR = [[0.5, 0.05, -0.1], [0.05, 0.6, 0.08], [-0.1, 0.08, 0.7]]


class BodyFrame(unittest.TestCase):
    """Components in body axes are along the body's own axes, not its principal ones."""

    def run_with(self, force, coordinates):
        q = unit([0.9, 0.3, -0.2, 0.4])
        run = Run(f"""
trammel: 1
name: pushed
space: spatial
bodies:
  b: {{mass: 2, inertia: {PRODUCTS}, orientation: {{quaternion: {q}}}, points: {{A: [0.3, -0.2, 0.1]}}}}
forces:
  f: {force}
simulate: {{duration: 0}}
outputs: [b]
""", "--coordinates", coordinates)
        return q, run

    def test_force(self):
        for coordinates in ["natural", "euler-parameters"]:
            q, run = self.run_with("{type: force, point: b, frame: body, value: [1, 2, 3]}", coordinates)
            for name, expected in zip(["b.ax", "b.ay", "b.az"], turn(q, [0.5, 1, 1.5])):
                self.assertAlmostEqual(run[name][0], expected, delta=1e-14)

    def test_torque(self):
        for coordinates in ["natural", "euler-parameters"]:
            q, run = self.run_with("{type: torque, body: b, frame: body, value: [1, 2, 3]}", coordinates)
            alpha = [run[f"b.alpha{k}"][0] for k in "xyz"]
            local = turn([q[0], -q[1], -q[2], -q[3]], alpha)
            for row, expected in zip(TENSOR, [1, 2, 3]):  # at rest: I α = τ
                self.assertAlmostEqual(sum(a * b for a, b in zip(row, local)), expected, delta=1e-13)

    def test_tangent(self):
        """Implicit methods see the same force: of order 5 they agree to the tolerance."""
        model = f"""
trammel: 1
name: pushed
space: spatial
bodies:
  b: {{mass: 2, inertia: {PRODUCTS}, points: {{A: [0.3, -0.2, 0.1]}}, angular-velocity: [1, 2, -1]}}
forces:
  f: {{type: force, point: b.A, frame: body, value: [1, 2, 3]}}
  m: {{type: torque, body: b, frame: body, value: [0.3, "sin(t)", -0.2]}}
simulate: {{duration: 2, output-step: 0.5, rtol: 1e-9, atol: 1e-12}}
outputs: [b]
"""
        reference = Run(model)
        for coordinates in ["natural", "euler-parameters"]:
            run = Run(model, "--integrator", "radau5", "--coordinates", coordinates)
            self.assertLess(largest_difference(run, reference), 1e-6)


class Turns(unittest.TestCase):
    def test_long_steps(self):
        """A free wheel makes 159 turns however long the steps are."""
        for shape in ["space: planar", "space: planar\nparameters: {x: 1}"]:
            for coordinates, exact in [("angle", 1e-9), ("euler-parameters", 10), ("natural", 15), ("cartesian", 15)]:
                for tolerance in ["1e-3", "1e-4", "1e-9"]:
                    run = Run(f"""
trammel: 1
name: wheel
{shape}
bodies: {{w: {{mass: 1, inertia: 1, angle: 20, angular-velocity: 10}}}}
simulate: {{duration: 100, output-step: 20}}
outputs: [w.angle]
""", "--coordinates", coordinates, "--rtol", tolerance, "--atol", tolerance, "--allow-doubtful")
                    for t, angle in zip(run["t"], run["w.angle"]):
                        self.assertAlmostEqual(angle, 20 + 10 * t, delta=exact)  # coarse ones lose some speed, no turns

    def test_between_rows(self):
        """Rows within a step of several turns, with a motor that speeds it up from rest."""
        run = Run("""
trammel: 1
name: motor
space: planar
bodies: {w: {mass: 1, inertia: 1}}
joints: {J: {type: revolute, connect: [ground, w]}}
forces: {m: {type: actuator, of: J, value: 2}}
simulate: {duration: 60, output-step: 1, coordinates: angle}
outputs: [w.angle, J.angle]
""")
        for t, angle, relative in zip(run["t"], run["w.angle"], run["J.angle"]):
            self.assertAlmostEqual(angle, t * t, delta=1e-8 * (1 + t * t))
            self.assertAlmostEqual(relative, t * t, delta=1e-8 * (1 + t * t))

    def test_quaternions_stay_continuous(self):
        for tolerance in ["1e-3", "1e-6"]:
            for coordinates in ["natural", "euler-parameters"]:
                run = Run("""
trammel: 1
name: spin
space: spatial
bodies: {w: {mass: 1, inertia: [1, 1.5, 2], angular-velocity: [0, 0, 10]}}
simulate: {duration: 30, output-step: 0.02}
outputs: [w.qw, w.qz]
""", "--coordinates", coordinates, "--rtol", tolerance, "--atol", tolerance, "--allow-doubtful")
                for name in ["w.qw", "w.qz"]:
                    rows = run[name]
                    self.assertLess(largest(abs(a - b) for a, b in zip(rows, rows[1:])), 0.15)


class TorsionSpring(unittest.TestCase):
    """Between bodies that nothing keeps coaxial: the twist about the axis carried by the first."""

    def model(self, q):
        def v(x):
            return turn(q, x)
        one, two = unit([1, 0.2, 0.1, -0.3]), unit([0.7, -0.2, 0.5, 0.1])
        return f"""
trammel: 1
name: twist
space: spatial
bodies:
  a: {{mass: 1, inertia: {PRODUCTS}, orientation: {{quaternion: {times(q, one)}}}, angular-velocity: {v([0.5, 1, 3])}}}
  b: {{mass: 2, inertia: [0.3, 0.2, 0.4], orientation: {{quaternion: {times(q, two)}}}, angular-velocity: {v([-2, 0.4, -3])}}}
forces:
  s: {{type: torsion-spring-damper, connect: [a, b], axis: {v([0.2, 0.1, 1])}, stiffness: 2, damping: 0.1, angle: 0.5}}
simulate: {{duration: 2, output-step: 0.1}}
outputs: [a, b, s, energy]
"""

    def test_turned_as_a_whole(self):
        q = unit([0.3, -0.5, 0.7, 0.2])
        plain, turned = Run(self.model([1, 0, 0, 0])), Run(self.model(q))
        self.assertLess(largest_difference(plain, turned, ["s.angle", "s.rate", "s.torque", "energy.kinetic"]), 1e-8)
        for row in range(len(plain["t"])):
            spin = [plain[f"b.w{k}"][row] for k in "xyz"]
            for k, expected in zip("xyz", turn(q, spin)):
                self.assertAlmostEqual(turned[f"b.w{k}"][row], expected, delta=1e-8)

    def test_it_is_the_twist(self):
        for coordinates in ["natural", "euler-parameters"]:
            run = Run(self.model([1, 0, 0, 0]), "--coordinates", coordinates)
            self.assertLess(run.summary["max_energy_error"], 1e-8)
            n, before = None, 0.0
            first = {}
            for row in range(len(run["t"])):
                a, b = ([run[f"{name}.q{k}"][row] for k in "wxyz"] for name in "ab")
                first = first or {"a": a, "b": b}
                since = {name: times(p, [first[name][0], *(-x for x in first[name][1:])]) for name, p in [("a", a), ("b", b)]}
                back = [since["a"][0], *(-x for x in since["a"][1:])]
                relative = times(back, since["b"])  # in the axes as written
                n = unit([0.2, 0.1, 1])
                twist = 2 * math.atan2(sum(x * y for x, y in zip(relative[1:], n)), relative[0])
                twist += 2 * math.pi * round((run["s.angle"][row] - twist) / (2 * math.pi))
                self.assertAlmostEqual(run["s.angle"][row], twist, delta=1e-9)
                self.assertLess(abs(twist - before), 2)
                before = twist
                expected = -2 * (twist - 0.5) - 0.1 * run["s.rate"][row]
                self.assertAlmostEqual(run["s.torque"][row], expected, delta=1e-8)


class Bushings(unittest.TestCase):
    PLANAR = """
trammel: 1
name: bushing
space: planar
gravity: [0, -2]
ground: {points: {O: [0.1, 0.2]}}
bodies:
  b: {mass: 1, inertia: 0.2, position: [0.3, 0.1], angular-velocity: 60, points: {A: [-0.2, 0.1]}}
forces:
  k: {type: bushing, connect: [ground.O, b.A], stiffness: [300, 200, 1.5], damping: [2, 2, 0.01]}
simulate: {duration: 3, output-step: 0.1}
outputs: [b.x, b.y, b.angle, b.omega, energy.total]
"""

    def test_planar_in_space(self):
        """Several turns: the planar model counts them, and so does the same model in space."""
        plane = Run(self.PLANAR)
        self.assertGreater(max(plane["b.angle"]), 2 * math.pi + 1)
        for options in [[], ["--integrator", "radau5"], ["--coordinates", "euler-parameters"]]:
            space = Run(self.PLANAR, "--space", "spatial", *options, "--rtol", "1e-11", "--atol", "1e-13")
            self.assertLess(largest_difference(plane, space, list(plane.columns)), 1e-5)

    def spinning(self, spin):
        return f"""
trammel: 1
name: bushing
space: spatial
bodies:
  b: {{mass: 1, inertia: [0.2, 0.3, 0.4], angular-velocity: {spin}}}
forces:
  k: {{type: bushing, connect: [ground, b], stiffness: [100, 100, 100, 5, 6, 7]}}
simulate: {{duration: 3, output-step: 0.01}}
outputs: [b, energy]
"""

    def test_past_half_a_turn(self):
        """Energy is kept where the rotation goes beyond half a turn and comes back."""
        for coordinates in ["natural", "euler-parameters"]:
            run = Run(self.spinning([20, 3, 2]), "--coordinates", coordinates)
            angles = [2 * math.acos(max(-1, min(1, x))) for x in run["b.qw"]]
            self.assertGreater(max(angles), 3.5)
            self.assertLess(max(angles), 6)
            self.assertLess(run.summary["max_energy_error"], 1e-7)
            radau = Run(self.spinning([20, 3, 2]), "--coordinates", coordinates, "--integrator", "radau5", "--rtol", "1e-9", "--atol", "1e-12")
            self.assertLess(largest_difference(run, radau, ["b.qw", "b.qx", "b.qy", "b.qz"]), 1e-5)

    def test_a_full_turn_is_refused(self):
        for spin in [[60, 0, 0], [60, 1e-3, 0], [-40, 0, 0]]:  # beside it the axis turns about, and all is smooth
            for integrator in ["auto", "rk4", "radau5", "adams", "bdf", "ida", "three-field", "trapezoidal"]:
                run = Run(self.spinning(spin), "--integrator", integrator, status=1)
                self.assertIn("force 'k'", run.error, integrator)
                self.assertIn("full turn", run.error, integrator)


class TumblingTorsionSpring(unittest.TestCase):
    """About z, of a body that turns about an axis nearly across it: half a turn leaves the axis twice the tilt away from its opposite."""

    @staticmethod
    def tumbling(tilt):
        return f"""
trammel: 1
name: a torsion spring that tumbles
space: spatial
bodies:
  b: {{mass: 1, inertia: [0.2, 0.2, 0.2]}}
joints:
  h: {{type: revolute, connect: [ground, b], axis: [{math.cos(tilt)}, 0, {math.sin(tilt)}]}}
forces:
  s: {{type: torsion-spring-damper, connect: [ground, b], axis: [0, 0, 1], stiffness: 0.3}}
initial: {{h.rate: 8}}
simulate: {{duration: 1, output-step: 0.01}}
outputs: [b, h, s, energy]
"""

    def test_swing_near_half_a_turn(self):
        run = Run(self.tumbling(0.1))
        self.assertGreater(run["h.angle"][-1], 5)
        self.assertLess(run.summary["max_energy_error"], 1e-7)

    def test_half_a_turn_of_swing_is_refused(self):
        for options in ((), ("--coordinates", "euler-parameters"), ("--integrator", "radau5")):
            run = Run(self.tumbling(1e-3), *options, status=1)
            self.assertIn("force 's'", run.error)
            self.assertIn("half a turn", run.error)
            self.assertTrue(3.0 < run["h.angle"][-1] < math.pi, run["h.angle"][-1])


def about(axis, angle):
    size = math.sqrt(sum(x * x for x in axis))
    return [math.cos(angle / 2)] + [math.sin(angle / 2) * x / size for x in axis]


class PastThePole(unittest.TestCase):
    """A free symmetric body wobbles, and its x axis passes the vertical closely, on either side: its yaw turns one way or the other."""

    OUTER, INNER, SPIN = 0.5, 0.8, [1.5, 0, 3.0]  # moments of inertia; ω at first, in body axes
    CLOSE, PASSES, END = 2e-5, 1.3, 2.0

    def attitude(self, t):
        """By its own momentum at L/A, about its axis at (1 - C/A) ω3."""
        momentum = [self.OUTER * self.SPIN[0], 0, self.INNER * self.SPIN[2]]
        rate = math.sqrt(sum(x * x for x in momentum)) / self.OUTER
        return times(about(momentum, rate * t), about([0, 0, 1], (1 - self.INNER / self.OUTER) * self.SPIN[2] * t))

    def axis(self, t):
        return turn(self.attitude(t), [1, 0, 0])

    def upright(self, side):
        """A turn of all that brings what is beside the way to the vertical."""
        h = 1e-5
        x, way = self.axis(self.PASSES), [(b - a) / (2 * h) for a, b in zip(self.axis(self.PASSES - h), self.axis(self.PASSES + h))]
        size = math.sqrt(sum(v * v for v in way))
        beside = [(x[1] * way[2] - x[2] * way[1]) / size, (x[2] * way[0] - x[0] * way[2]) / size, (x[0] * way[1] - x[1] * way[0]) / size]
        p = [a + side * self.CLOSE * b for a, b in zip(x, beside)]
        return about([p[1], -p[0], 0], math.atan2(math.hypot(p[0], p[1]), p[2]))

    def yaw(self, whole):
        """Followed in steps that are short beside the distance from the vertical."""
        yaw = None
        for k in range(50001):
            x = turn(whole, self.axis(self.END * k / 50000))
            here = math.atan2(x[1], x[0])
            yaw = here if yaw is None else yaw + math.remainder(here - yaw, 2 * math.pi)
        return yaw

    def test_yaw(self):
        expected = [self.yaw(self.upright(side)) for side in [1, -1]]
        self.assertAlmostEqual(abs(expected[0] - expected[1]), 2 * math.pi, delta=0.01)
        for side, yaw in zip([1, -1], expected):
            whole = self.upright(side)
            for coordinates in ["natural", "euler-parameters"]:
                run = Run(f"""
trammel: 1
name: wobbler
space: spatial
gravity: [0, 0, 0]
bodies:
  b: {{mass: 1, inertia: [{self.OUTER}, {self.OUTER}, {self.INNER}], orientation: {{quaternion: {whole}}}, angular-velocity: {turn(whole, self.SPIN)}}}
simulate: {{duration: {self.END}, step: 0.001, output-step: {self.END}, integrator: rk4}}
outputs: [b.yaw]
""", "--coordinates", coordinates)
                self.assertAlmostEqual(run["b.yaw"][-1], yaw, delta=1e-5)


if __name__ == "__main__":
    unittest.main()
