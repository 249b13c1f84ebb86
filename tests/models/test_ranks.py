"""Mass ratios, nearly flat bodies, few decimals: what is hard to solve is not dependent, and what is dependent need not fit exactly."""
import math
import random
import sys
import unittest
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from extremes import largest
from program import Run, check, largest_difference


def unit(x):
    size = math.sqrt(sum(a * a for a in x))
    return [a / size for a in x]


def matrix(q):
    w, x, y, z = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def turn(q, v):
    return [sum(a * b for a, b in zip(row, v)) for row in matrix(q)]


def turn_back(q, v):
    return turn([q[0], -q[1], -q[2], -q[3]], v)


def double_pendulum(r, t1, t2, w1, w2):
    """Two rods of 1 m: 1 kg, then r."""
    c1, s1, c2, s2 = math.cos(t1), math.sin(t1), math.cos(t2), math.sin(t2)
    return f"""
trammel: 1
name: ratio
space: planar
gravity: [0, -9.81]
ground: {{points: {{O: [0, 0]}}}}
bodies:
  inner: {{mass: 1, inertia: {1 / 12!r}, position: [{c1 / 2!r}, {s1 / 2!r}], angle: {t1!r}, velocity: [{-s1 * w1 / 2!r}, {c1 * w1 / 2!r}], angular-velocity: {w1!r}, points: {{A: [-0.5, 0], B: [0.5, 0]}}}}
  outer: {{mass: {r!r}, inertia: {r / 12!r}, position: [{c1 + c2 / 2!r}, {s1 + s2 / 2!r}], angle: {t2!r}, velocity: [{-s1 * w1 - s2 * w2 / 2!r}, {c1 * w1 + c2 * w2 / 2!r}], angular-velocity: {w2!r}, points: {{A: [-0.5, 0], B: [0.5, 0]}}}}
joints:
  A: {{type: revolute, connect: [ground.O, inner.A]}}
  B: {{type: revolute, connect: [inner.B, outer.A]}}
simulate: {{duration: 0}}
outputs: [inner, outer, A, B]
"""


def times(A, B):
    return [[sum(a * B[k][j] for k, a in enumerate(row)) for j in range(4)] for row in A]


def bennett(theta, alpha, b):
    """Four links of lengths 1, b, 1, b, twisted by alpha and beta with sin(beta)/sin(alpha) = b: one degree of freedom. The last
    one is the ground."""
    beta = math.asin(b * math.sin(alpha))
    other = 2 * math.atan(math.sin((alpha + beta) / 2) / math.sin((beta - alpha) / 2) / math.tan(theta / 2))
    place, axes = [[float(i == j) for j in range(4)] for i in range(4)], []
    for turned, (length, twist) in zip((theta, other, -theta, -other), 2 * ((1, alpha), (b, beta))):
        axes.append(([row[3] for row in place[:3]], [row[2] for row in place[:3]]))
        c, s, ct, st = math.cos(turned), math.sin(turned), math.cos(twist), math.sin(twist)
        about = [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        place = times(times(place, about), [[1, 0, 0, length], [0, ct, -st, 0], [0, st, ct, 0], [0, 0, 0, 1]])
    names = ["ground", "l0", "l1", "l2", "ground"]
    text = "trammel: 1\nname: bennett\nspace: spatial\ngravity: [3, -4, -8]\nbodies:\n"
    for k in range(3):
        middle = [(x + y) / 2 for x, y in zip(axes[k][0], axes[k + 1][0])]
        text += f"  l{k}: {{mass: {1 + k}, inertia: [0.1, 0.2, 0.25], position: {middle}}}\n"
    text += "joints:\n" + "".join(f"  j{k}: {{type: revolute, connect: [{names[k]}, {names[k + 1]}], at: {at}, axis: {axis}}}\n"
                                  for k, (at, axis) in enumerate(axes))
    return text + "initial: {j0.rate: 4}\nsimulate: {duration: 4, output-step: 1}\n"


def exact(r, t1, t2, w1, w2):
    """Angular accelerations and reactions of B and A, the system of two equations solved without round-off."""
    g, F = 9.81, Fraction
    a11, a12, a22 = F(1 / 12) + F(1, 4) + F(r), F(r) * F(math.cos(t1 - t2) / 2), F(r / 12) + F(r) / 4
    b1 = F(-r * math.sin(t1 - t2) / 2 * w2**2) - (F(1, 2) + F(r)) * F(g * math.cos(t1))
    b2 = F(r * math.sin(t1 - t2) / 2 * w1**2) - F(r) * F(g * math.cos(t2) / 2)
    det = a11 * a22 - a12 * a12
    d1, d2 = float((b1 * a22 - a12 * b2) / det), float((a11 * b2 - a12 * b1) / det)
    x1, y1 = -d1 * math.sin(t1) - w1**2 * math.cos(t1), d1 * math.cos(t1) - w1**2 * math.sin(t1)
    x2, y2 = x1 + (-d2 * math.sin(t2) - w2**2 * math.cos(t2)) / 2, y1 + (d2 * math.cos(t2) - w2**2 * math.sin(t2)) / 2
    fx, fy = r * x2, r * (y2 + g)
    return [d1, d2], [fx, fy], [x1 / 2 + fx, y1 / 2 + g + fy]


class MassRatios(unittest.TestCase):
    def test_double_pendulum(self):
        """Accelerations and reactions to 1e-6 from 1e-12 to 1e12, with every solver."""
        forms = [("planar", c) for c in ["natural", "angle", "euler-parameters", "cartesian"]] + [("spatial", c) for c in ["natural", "euler-parameters"]]
        for power in [-12, -9, -6, 0, 6, 7.5, 8, 9, 12]:
            for seed in range(2):
                rng = random.Random(seed)
                state = [rng.uniform(-3, 3) for _ in range(4)] if seed else [0.4, -1.1, 0, 0]
                model, expected = double_pendulum(10.0**power, *state), exact(10.0**power, *state)
                for space, coordinates in forms:
                    for solver in ["udwadia-kalaba", "udwadia-kalaba-general", "augmented"]:
                        run = Run(model, "--space", space, "--coordinates", coordinates, "--solver", solver)
                        alpha = "alphaz" if space == "spatial" else "alpha"
                        found = [run.last(f"inner.{alpha}"), run.last(f"outer.{alpha}")], [run.last("B.fx"), run.last("B.fy")], [run.last("A.fx"), run.last("A.fy")]
                        for a, b in zip(found, expected):
                            off = largest(abs(x - y) for x, y in zip(a, b)) / max(map(abs, b))
                            self.assertLess(off, 1e-9, (power, seed, space, coordinates, solver))


POINTS = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
AXES = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]


def bricard(seed, decimals=15, flat=None, size=1.0):
    """Turned at random, bodies with frames of their own; flat: what is left of a second moment; size: of what is rounded, in
    units of length."""
    rng = random.Random(seed)
    whole = unit([rng.gauss(0, 1) for _ in range(4)])

    def rounded(x):
        return [round(a, decimals) for a in x]

    def place(x):
        return [size * a for a in rounded(x)]
    points, axes = [turn(whole, p) for p in POINTS], [turn(whole, a) for a in AXES]
    text = f"trammel: 1\nname: Bricard\nspace: spatial\ngravity: {turn(whole, (0, -9.81 * size, 0))}\n"
    text += f"ground: {{points: {{O: {place(points[0])}, E: {place(points[5])}}}}}\nbodies:\n"
    for k in range(5):
        centre = [(a + b) / 2 for a, b in zip(points[k], points[k + 1])]
        q = unit([rng.gauss(0, 1) for _ in range(4)])
        first, second = (turn_back(q, [a - b for a, b in zip(p, centre)]) for p in (points[k], points[k + 1]))
        a, b = rng.uniform(0.02, 0.1), rng.uniform(0.02, 0.1)
        inertia = [0.05, 0.06, 0.07] if flat is None else [a, b, (a + b) * (1 - flat)]
        inertia = [size**2 * x for x in inertia]
        text += f"  r{k + 1}: {{mass: 1, inertia: {inertia}, position: {place(centre)}, orientation: {{quaternion: {rounded(q)}}}, points: {{A: {place(first)}, B: {place(second)}}}}}\n"
    text += "joints:\n"
    for k in range(6):
        ends = ("ground.O" if k == 0 else f"r{k}.B", "ground.E" if k == 5 else f"r{k + 1}.A")
        text += f"  J{k + 1}: {{type: revolute, connect: [{ends[0]}, {ends[1]}], axis: {rounded(axes[k])}}}\n"
    return text + "simulate: {duration: 1, output-step: 0.1}\noutputs: [r3, energy]\n"


class Redundancy(unittest.TestCase):
    def test_nearly_flat_bodies(self):
        """In a redundant loop: no row of a body may be dropped because little mass resists it."""
        for flat in [1e-6, 1e-7, 5e-9, 1e-10]:
            for seed in [2, 6]:
                run = Run(bricard(seed, flat=flat), "--duration", "3")
                self.assertLess(run.summary["max_energy_error"], 1e-9, (flat, seed))
                self.assertLess(run.summary["steps"], 100)

    def test_rows_that_become_dependent_on_the_way(self):
        """Which of the redundant rows are left out changes before those that are kept depend on one another."""
        for shape in [(0.53, 0.78, 0.24), (1.54, 0.88, 0.57), (1.7, 0.63, 0.54), (1.76, 1.0, 0.4), (2.33, 0.62, 0.71)]:
            for options in [[], ["--coordinates", "euler-parameters"]]:
                run = Run(bennett(*shape), *options)
                self.assertEqual(run.summary["redundant_constraints"], 3)
                self.assertLess(run.summary["max_energy_error"], 5e-8, (shape, options))

    def test_few_decimals(self):
        """Redundant joints written with few decimals are closed as far as they go, and named."""
        places = ["r3.x", "r3.y", "r3.z"]
        for seed in range(3):
            reference = Run(bricard(seed))
            for decimals in [5, 6, 8, 9]:
                model = bricard(seed, decimals)
                self.assertRegex(check(model), "degrees of freedom +1\n")
                for options in [[], ["--coordinates", "euler-parameters"], ["--solver", "augmented"], ["--solver", "udwadia-kalaba-general"],
                                ["--stabilization", "partition"], ["--integrator", "trapezoidal", "--step", "1e-3"], ["--linear", "sparse"]]:
                    run = Run(model, *options)
                    self.assertIn("does not fit the others exactly", run.error)
                    self.assertLess(largest_difference(run, reference, places), 10.0**(1.2 - decimals) + 1e-6 * ("trapezoidal" in options), (seed, decimals, options))
                    self.assertLess(run.summary["max_position_violation"], 1e-10)
                    # where other rows are left out than before, bodies move by what does not fit: with a weight of 50 N
                    limit = 1e-5 if "trapezoidal" in options else 50 * 10.0**-decimals
                    self.assertLess(run.summary["max_energy_error"], limit, (seed, decimals, options))

    def test_few_decimals_in_other_units(self):
        """What is left open of directions is a pure number, and of lengths a part of the model's own."""
        for seed, decimals in [(0, 3), (2, 3), (0, 6), (2, 9), (0, 10), (2, 10)]:
            runs = {}
            for size in [1.0, 1e3, 1e-3, 1e-4]:
                options = ["--rtol", "1e-10", "--atol", max(1e-13 * min(1, size), 1e-16)]
                runs[size] = run = Run(bricard(seed, decimals, size=size), *options, status=3 if decimals == 3 else 0)
                if decimals == 3:
                    self.assertIn("cannot close", run.error)
                    continue
                self.assertEqual(run.summary["redundant_constraints"], 1)
                self.assertLess(run.summary["max_energy_error"] / size**2, 1e-9, (seed, decimals, size))
                for place, unit in [("r3.x", size), ("r3.y", size), ("r3.z", size), ("r3.qw", 1), ("r3.qx", 1)]:
                    for here, there in zip(runs[1.0][place], run[place]):
                        self.assertLess(abs(there / unit - here), 1e-9, (seed, decimals, size, place))

    def test_few_decimals_over_a_turn(self):
        """Cranks of equal length under a plate, turned by `whole`: which rows are left out must change on the way."""
        tilt, speed, length = 0.7, 1.0, 0.5
        for whole in [0.0, 0.5, 1.3]:
            turned = lambda x, y: [round(math.cos(whole) * x - math.sin(whole) * y, 6), round(math.sin(whole) * x + math.cos(whole) * y, 6)]
            feet = [(0, 0), (1, 0), (0.4, 0.7), (1.2, 0.9)]
            arm = (length * math.cos(tilt), length * math.sin(tilt))
            text = "trammel: 1\nname: plate\nspace: planar\nground: {points: {" + ", ".join(f"F{k}: {turned(*f)}" for k, f in enumerate(feet)) + "}}\nbodies:\n"
            text += f"  plate: {{mass: 1, inertia: 0.2, position: {turned(*arm)}, angle: {round(whole, 6)}, points: {{" + ", ".join(
                f"F{k}: {[round(x, 6) for x in f]}" for k, f in enumerate(feet)) + "}}\n"
            for k, f in enumerate(feet):
                text += (f"  c{k}: {{mass: 1, inertia: 0.1, position: {turned(f[0] + arm[0] / 2, f[1] + arm[1] / 2)}, angle: {round(whole + tilt, 6)}, "
                         f"points: {{A: [{-length / 2}, 0], B: [{length / 2}, 0]}}}}\n")
            text += "joints:\n" + "".join(f"  A{k}: {{type: revolute, connect: [ground.F{k}, c{k}.A]}}\n  B{k}: {{type: revolute, connect: [c{k}.B, plate.F{k}]}}\n"
                                          for k in range(len(feet)))
            text += f"initial: {{c0.omega: {speed}}}\nsimulate: {{duration: 6, output-step: 0.5}}\noutputs: [plate, c0, c2, energy]\n"
            for options in [[], ["--linear", "sparse"], ["--coordinates", "euler-parameters"], ["--stabilization", "partition"],
                            ["--stabilization", "partition", "--linear", "sparse"], ["--integrator", "radau5"], ["--weighting", "none"]]:
                run = Run(text, *options)
                self.assertLess(abs(run.last("plate.angle") - whole), 1e-4, (whole, options))
                # corrections that are not the smallest in the mass norm cost energy where the rows change
                limit = 5e-3 if "partition" in options or "none" in options else 1e-4
                for crank in ["c0", "c2"]:
                    self.assertLess(abs(run.last(f"{crank}.angle") - whole - tilt - 6 * speed), limit, (whole, options))

    def test_contradiction_is_refused(self):
        """Two pins, 1 m apart on the ground and 1.01 m on the body."""
        run = Run("""
trammel: 1
name: two pins
space: planar
ground: {points: {A: [0, 0], B: [1, 0]}}
bodies: {b: {mass: 1, inertia: 1, points: {A: [0, 0], B: [1.01, 0]}}}
joints: {P: {type: revolute, connect: [ground.A, b.A]}, Q: {type: revolute, connect: [ground.B, b.B]}}
""", status=3)
        self.assertIn("joint 'P' cannot close", run.error)
        self.assertIn("joint 'Q' cannot close", run.error)


class Joints(unittest.TestCase):
    def test_prismatic_takes_both_axes(self):
        """The second's own axis lies along the first's: assembly turns the slider by the angle between them."""
        for space, z in [("planar", ""), ("spatial", ", 0")]:
            run = Run(f"""
trammel: 1
name: slider
space: {space}
bodies:
  s: {{mass: 1, inertia: {"0.1" if space == "planar" else "[0.1, 0.1, 0.1]"}}}
joints:
  p: {{type: prismatic, connect: [ground, s], axes: [["cos(0.3)", "sin(0.3)"{z}], ["cos(0.1)", "sin(0.1)"{z}]]}}
simulate: {{duration: 0}}
outputs: [s]
""")
            angle = run.last("s.angle") if space == "planar" else 2 * math.atan2(run.last("s.qz"), run.last("s.qw"))
            self.assertAlmostEqual(angle, 0.2, delta=1e-12)

    def test_upright_bicycle_is_regular(self):
        text = check("""
trammel: 1
name: bicycle
space: spatial
gravity: [0, 0, -9.81]
bodies:
  rear: {mass: 2, inertia: [0.0603, 0.12, 0.0603], position: [0, 0, 0.3], velocity: [5, 0, 0], angular-velocity: [0, 5/0.3, 0]}
  frame: {mass: 85, inertia: [9.2, 11, 2.8, 0, -2.4, 0], position: [0.3, 0, 0.9], velocity: [5, 0, 0]}
  fork: {mass: 4, inertia: [0.05892, 0.06, 0.00708, 0, 0.00756, 0], position: [0.9, 0, 0.7], velocity: [5, 0, 0]}
  front: {mass: 3, inertia: [0.1405, 0.28, 0.1405], position: [1.02, 0, 0.35], velocity: [5, 0, 0], angular-velocity: [0, 5/0.35, 0]}
joints:
  rear_hub: {type: revolute, connect: [frame, rear], at: [0, 0, 0.3], axis: [0, 1, 0]}
  front_hub: {type: revolute, connect: [fork, front], at: [1.02, 0, 0.35], axis: [0, 1, 0]}
  steer: {type: revolute, connect: [frame, fork], at: [1.1 - 0.8*sin(pi/10), 0, 0.8*cos(pi/10)], axis: [-sin(pi/10), 0, cos(pi/10)]}
  rear_tire: {type: rolling, connect: [ground, rear], radius: 0.3, axes: [[0, 0, 1], [0, 1, 0]]}
  front_tire: {type: rolling, connect: [ground, front], radius: 0.35, axes: [[0, 0, 1], [0, 1, 0]]}
""")
        self.assertRegex(text, "start +regular")
        self.assertRegex(text, "degrees of freedom +3")


def geared_parallelogram(metre, gear="{type: gear, joints: [A, B], ratio: 1}"):
    """A coupler and a gear turn two cranks alike; lengths in parts of a metre."""
    return f"""
trammel: 1
name: geared
space: planar
gravity: [0, {-9.81 * metre!r}]
ground: {{points: {{O: [0, 0], P: [{2 * metre!r}, 0]}}}}
bodies:
  left: {{mass: 1, inertia: {0.1 * metre**2!r}, position: [{0.5 * metre!r}, 0], points: {{A: [{-0.5 * metre!r}, 0], B: [{0.5 * metre!r}, 0]}}}}
  right: {{mass: 3, inertia: {0.2 * metre**2!r}, position: [{2.5 * metre!r}, 0], angle: 0, points: {{A: [{-0.5 * metre!r}, 0], B: [{0.5 * metre!r}, 0]}}}}
  coupler: {{mass: 2, inertia: {0.3 * metre**2!r}, position: [{1.5 * metre!r}, {0.4 * metre!r}], points: {{A: [{-0.5 * metre!r}, {-0.4 * metre!r}], B: [{1.5 * metre!r}, {-0.4 * metre!r}]}}}}
joints:
  A: {{type: revolute, connect: [ground.O, left.A]}}
  B: {{type: revolute, connect: [ground.P, right.A]}}
  C: {{type: revolute, connect: [left.B, coupler.A]}}
  D: {{type: revolute, connect: [right.B, coupler.B]}}
  G: {gear}
simulate: {{duration: 0.1}}
outputs: [A, B, C, D, G]
"""


class SharedLoads(unittest.TestCase):
    def test_units(self):
        """Forces and the torque of a gear share a redundancy: in millimetres as in metres."""
        one, other = Run(geared_parallelogram(1.0)), Run(geared_parallelogram(1000.0))
        load = max(abs(one.last(f"{joint}.f{c}")) for joint in "ABCD" for c in "xy")
        for joint in "ABCD":
            for c in "xy":
                self.assertLess(abs(other.last(f"{joint}.f{c}") / 1000 - one.last(f"{joint}.f{c}")), 1e-7 * load)
        self.assertGreater(abs(one.last("G.effort")), 1e-3)
        self.assertLess(abs(other.last("G.effort") / 1e6 - one.last("G.effort")), 1e-7 * load)

    def test_a_gear_as_a_sum(self):
        """The same relation with other factors: nothing but its effort changes."""
        one = Run(geared_parallelogram(1.0, "{type: coordinate, sum: {B.angle: 1, A.angle: -1}}"))
        other = Run(geared_parallelogram(1.0, "{type: coordinate, sum: {A.angle: 7, B.angle: -7}}"))
        for name in [f"{joint}.f{c}" for joint in "ABCD" for c in "xy"]:
            self.assertLess(abs(other.last(name) - one.last(name)), 1e-9 * max(1, abs(one.last(name))), name)
        self.assertLess(abs(-7 * other.last("G.effort") - one.last("G.effort")), 1e-9)

    def test_two_gears(self):
        """Between the same wheels, one written from each side: each carries one half."""
        run = Run("""
trammel: 1
name: two gears
space: planar
bodies:
  a: {mass: 1, inertia: 0.5}
  b: {mass: 1, inertia: 2, position: [1, 0]}
joints:
  A: {type: revolute, connect: [ground, a], at: [0, 0]}
  B: {type: revolute, connect: [ground, b], at: [1, 0]}
  first: {type: gear, joints: [A, B], ratio: 2}
  second: {type: gear, joints: [B, A], ratio: 0.5}
forces:
  motor: {type: torque, body: a, value: 3}
simulate: {duration: 0}
outputs: [first, second, a]
""")
        alpha = 3 / (0.5 + 2 * 2**2)  # of a; b has twice as much
        self.assertAlmostEqual(run.last("a.alpha"), alpha, delta=1e-12)
        self.assertAlmostEqual(abs(run.last("first.effort")), 2 * 2 * alpha / 2, delta=1e-12)
        self.assertAlmostEqual(abs(run.last("second.effort")), 2 * 2 * alpha * 2 / 2, delta=1e-12)


if __name__ == "__main__":
    unittest.main()
