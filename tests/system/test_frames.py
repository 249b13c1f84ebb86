#!/usr/bin/env python3
"""Measures in the axes of a body, of bushings and of applied forces, against independent computations."""
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from program import Run, largest_difference

FORMULATIONS = ("natural", "euler-parameters")
EXACT = ("--integrator", "dop853", "--rtol", "1e-11", "--atol", "1e-13")


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def matrix(w, x, y, z):
    """Rows of the rotation with this quaternion."""
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def carry(R, u):
    return [dot(row, u) for row in R]


def localize(R, v):
    return [sum(R[i][k] * v[i] for i in range(3)) for k in range(3)]


class Row:
    """One row of the results: components by name."""

    def __init__(self, run, i):
        self.run, self.i = run, i

    def __getitem__(self, name):
        return self.run[name][self.i]

    def vector(self, owner, names):
        return [self[f"{owner}.{name}"] for name in names.split()]

    def matrix(self, body):
        return matrix(*self.vector(body, "qw qx qy qz"))


def rows(run):
    return [Row(run, i) for i in range(len(run["t"]))]


# products of inertia and an offset: neither the principal axes nor the centre of mass are the user's
TUMBLING = """trammel: 1
space: spatial
gravity: [0.3, -1, -9.81]
bodies:
  b: {mass: 2, inertia: [0.7, 0.9, 1.1, 0.1, -0.05, 0.08], com: [0.1, -0.2, 0.15], position: [0.3, -0.2, 0.1],
      orientation: {axis: [1, 2, -1], angle: 0.7}, velocity: [2, 1, -3], angular-velocity: [0.9, 0.7, 5]}
simulate: {duration: 3, output-step: 0.01}
outputs: [b]
"""


class FramesTest(unittest.TestCase):
    def close(self, found, expected, tolerance, what=""):
        self.assertEqual(len(found), len(expected))
        for a, b in zip(found, expected):
            self.assertTrue(abs(a - b) <= tolerance, f"{what}: {found}, expected {expected}")

    def test_body_axes(self):
        for formulation in FORMULATIONS:
            for row in rows(Run(TUMBLING, "--coordinates", formulation, *EXACT)):
                R = row.matrix("b")
                for names, vector in (("u v w", "vx vy vz"), ("p q r", "wx wy wz"), ("aX aY aZ", "ax ay az")):
                    self.close(row.vector("b", names), localize(R, row.vector("b", vector)), 1e-11, names)
                yaw, pitch, roll = (row[f"b.{name}"] for name in ("yaw", "pitch", "roll"))
                c, s = math.cos(yaw), math.sin(yaw)
                Rz = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
                for names, vector in (("uh vh", "vx vy vz"), ("axh ayh", "ax ay az")):
                    self.close(row.vector("b", names), localize(Rz, row.vector("b", vector))[:2], 1e-11, names)
                # R = Rz Ry Rx: its first column and last row
                x, y = math.cos(pitch), math.sin(pitch)
                self.close([R[0][0], R[1][0], R[2][0]], [c * x, s * x, -y], 1e-12, "first column")
                self.close(R[2], [-y, x * math.sin(roll), x * math.cos(roll)], 1e-12, "last row")
                self.assertTrue(abs(pitch) <= math.pi / 2)

    def test_turns_are_continuous(self):
        """Away from the pole neither jumps, and their last values are the same with any steps."""
        fine = Run(TUMBLING, *EXACT)
        turns = 0
        for name in ("b.yaw", "b.roll"):
            for before, after, pitch in zip(fine[name], fine[name][1:], fine["b.pitch"]):
                if abs(pitch) < 1.3:
                    self.assertTrue(abs(after - before) < 0.5, f"{name}: {before}, {after}")
            turns += abs(fine.last(name))
        self.assertGreater(turns, 2 * math.pi)
        for options in (("--integrator", "rk4", "--step", "0.01"), ("--integrator", "radau5"),
                        ("--coordinates", "euler-parameters", *EXACT, "--output-step", "3")):
            other = Run(TUMBLING, *options)
            for name in ("b.yaw", "b.roll", "b.pitch"):
                self.assertTrue(abs(other.last(name) - fine.last(name)) <= 1e-4, f"{name} {options}")

    def test_counted_turns(self):
        """A body that spins about its own x axis, and one about the vertical: many turns, both ways."""
        for rate in (7.0, -9.0):
            model = f"""trammel: 1
space: spatial
bodies:
  roller: {{mass: 1, inertia: [1, 1, 1], orientation: {{euler: zyx, angles: [0.5, 0.3, 0]}},
            angular-velocity: [{rate}*cos(0.3)*cos(0.5), {rate}*cos(0.3)*sin(0.5), -{rate}*sin(0.3)]}}
  top: {{mass: 1, inertia: [1, 1, 1], orientation: {{euler: zyx, angles: [0, 0.4, -0.2]}}, angular-velocity: [0, 0, {rate}]}}
simulate: {{duration: 6, output-step: 0.5}}
outputs: [roller, top]
"""
            for formulation in FORMULATIONS:
                run = Run(model, "--coordinates", formulation, *EXACT)
                for t, roll, pitch, yaw in zip(run["t"], run["roller.roll"], run["roller.pitch"], run["roller.yaw"]):
                    self.close([roll, pitch, yaw], [rate * t, 0.3, 0.5], 1e-8)
                for t, roll, pitch, yaw in zip(run["t"], run["top.roll"], run["top.pitch"], run["top.yaw"]):
                    self.close([roll, pitch, yaw], [-0.2, 0.4, rate * t], 1e-8)

    def test_planar(self):
        model = """trammel: 1
space: planar
gravity: [0, -9.81]
bodies: {b: {mass: 2, inertia: 0.4, com: [0.3, 0.1], angle: 0.3, velocity: [1, 2], angular-velocity: 4}}
simulate: {duration: 2, output-step: 0.1}
outputs: [b]
"""
        for options in ((), ("--coordinates", "angle"), ("--coordinates", "euler-parameters"),
                        ("--coordinates", "cartesian"), ("--space", "spatial")):
            run = Run(model, *EXACT, *options)
            for row in rows(run):
                c, s = math.cos(row["b.angle"]), math.sin(row["b.angle"])
                for names, (x, y) in (("u v", row.vector("b", "vx vy")), ("aX aY", row.vector("b", "ax ay"))):
                    self.close(row.vector("b", names), [c * x + s * y, c * y - s * x], 1e-11, names)

    def test_in_formulas(self):
        """A force in body axes is the same as one whose components are turned by hand; stiff methods too."""
        model = """trammel: 1
space: spatial
bodies:
  b: {{mass: 2, inertia: [0.7, 0.9, 1.1], orientation: {{axis: [1, 2, -1], angle: 0.7}}, velocity: [2, 1, -3],
      angular-velocity: [1, 2, 1]}}
forces:
  drag: {{type: force, point: b, {drag}}}
  brake: {{type: torque, body: b, {brake}}}
simulate: {{duration: 2, output-step: 0.1}}
outputs: [b]
"""
        turned = model.format(drag='frame: body, value: ["-3*b.u", "-b.v", "-2*b.w"]',
                              brake='frame: body, value: ["-b.p", "-2*b.q", "-3*b.r"]')
        # v = Σ (axis·v) axis: the same drag in global axes with the axes from the quaternion
        axes = [["1 - 2*(b.qy^2 + b.qz^2)", "2*(b.qx*b.qy + b.qw*b.qz)", "2*(b.qx*b.qz - b.qw*b.qy)"],
                ["2*(b.qx*b.qy - b.qw*b.qz)", "1 - 2*(b.qx^2 + b.qz^2)", "2*(b.qy*b.qz + b.qw*b.qx)"],
                ["2*(b.qx*b.qz + b.qw*b.qy)", "2*(b.qy*b.qz - b.qw*b.qx)", "1 - 2*(b.qx^2 + b.qy^2)"]]

        def along(rates, factors):
            parts = []
            for i in range(3):
                terms = []
                for k in range(3):
                    rate = " + ".join(f"({axes[k][j]})*{rates[j]}" for j in range(3))
                    terms.append(f"-{factors[k]}*({rate})*({axes[k][i]})")
                parts.append('"' + " + ".join(terms) + '"')
            return "value: [" + ", ".join(parts) + "]"

        by_hand = model.format(drag=along(["b.vx", "b.vy", "b.vz"], [3, 1, 2]), brake=along(["b.wx", "b.wy", "b.wz"], [1, 2, 3]))
        reference = Run(by_hand, *EXACT)
        names = [name for name in reference.columns if name != "t"]
        for options in (EXACT, EXACT + ("--coordinates", "euler-parameters"),
                        ("--integrator", "radau5", "--rtol", "1e-10", "--atol", "1e-12")):
            self.assertTrue(largest_difference(reference, Run(turned, *options), names) <= 1e-7, options)

    def test_initial_speed(self):
        model = TUMBLING.replace("simulate:", "initial: {b.u: 12, b.v: 0, b.q: -1.5, b.w: 0.5, b.p: 0, b.r: 2}\nsimulate:")
        run = Run(model, "--duration", "0.1")
        self.close([run[f"b.{name}"][0] for name in "uvwpqr"], [12, 0, 0.5, 0, -1.5, 2], 1e-12)
        run = Run(TUMBLING.replace("simulate:", "initial: {b.uh: 5, b.vh: 0}\nsimulate:"), "--duration", "0.1")
        self.close([run["b.uh"][0], run["b.vh"][0]], [5, 0], 1e-12)

    def test_bushing_and_applied_forces(self):
        """What they measure is what moves the body: Newton and Euler."""
        model = """trammel: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  b: {mass: 2, inertia: [0.7, 0.9, 1.1, 0.1, -0.05, 0.08], com: [0.1, -0.2, 0.15], position: [0.3, -0.2, 0.1],
      orientation: {axis: [1, 2, -1], angle: 0.7}, points: {P: [0.4, 0.2, -0.3], F: [-0.2, 0.5, 0.1]},
      angular-velocity: [2, 1, -3]}
forces:
  mount: {type: bushing, connect: [ground, b.P], stiffness: [50, 60, 70, 20, 15, 10], damping: [1, 2, 3, 0.5, 0.4, 0.3],
          preload: [1, 2, 3, 0.4, 0.5, 0.6], orientation: {axis: [0, 1, 0], angle: 0.4}, at: [0.6, 0.1, 0]}
  push: {type: force, point: b.F, frame: body, value: ["sin(3*t)", 1, "2 + b.u"]}
  twist: {type: torque, body: b, frame: body, value: [0.5, "b.p", -0.3]}
  pair: {type: load, connect: [ground, b.F], force: ["1 - b.x", 0.2, 0.3], torque: [0.1, "0.2*t", 0.4]}
simulate: {duration: 1, output-step: 0.05}
outputs: [b, mount, push, twist, pair]
"""
        inertia = [[0.7, 0.1, -0.05], [0.1, 0.9, 0.08], [-0.05, 0.08, 1.1]]
        model = model.replace(", at: [0.6, 0.1, 0]", "")
        runs = [Run(model, "--coordinates", formulation, *EXACT) for formulation in FORMULATIONS]
        self.assertTrue(largest_difference(*runs) <= 1e-8)
        for row in rows(runs[0]):
            R = row.matrix("b")
            w, alpha = row.vector("b", "wx wy wz"), row.vector("b", "alphax alphay alphaz")
            com = carry(R, [0.1, -0.2, 0.15])
            a = [x + y + z for x, y, z in zip(row.vector("b", "ax ay az"), cross(alpha, com), cross(w, cross(w, com)))]
            force, torque = [0, 0, 2 * -9.81], [0, 0, 0]
            for name, point in (("mount", "P"), ("push", "F"), ("twist", None), ("pair", "F")):
                if point:
                    f = row.vector(name, "fx fy fz")
                    arm = [x - y - z for x, y, z in zip(row.vector(f"b.{point}", "x y z"), row.vector("b", "x y z"), com)]
                    force = [x + y for x, y in zip(force, f)]
                    torque = [x + y for x, y in zip(torque, cross(arm, f))]
                if name != "push":
                    torque = [x + y for x, y in zip(torque, row.vector(name, "tx ty tz"))]
            Iw, Ialpha = (carry(R, carry(inertia, localize(R, v))) for v in (w, alpha))
            self.close([2 * x for x in a], force, 1e-8, "force")
            self.close([x + y for x, y in zip(Ialpha, cross(w, Iw))], torque, 1e-8, "torque")
            self.close(row.vector("push", "fx fy fz"), carry(R, [math.sin(3 * row["t"]), 1, 2 + row["b.u"]]), 1e-11, "push")
            self.close(row.vector("twist", "tx ty tz"), carry(R, [0.5, row["b.p"], -0.3]), 1e-11, "twist")
            self.close(row.vector("pair", "fx fy fz tx ty tz"),
                       [1 - row["b.x"], 0.2, 0.3, 0.1, 0.2 * row["t"], 0.4], 1e-11, "pair")
        # deflections: the gap and the rotation vector since as written, in axes turned by 0.4 about y
        first, c, s = rows(runs[0])[0], math.cos(0.4), math.sin(0.4)
        axes = [[c, 0, -s], [0, 1, 0], [s, 0, c]]
        start = first.matrix("b")
        for row in rows(runs[0]):
            gap = row.vector("b.P", "x y z")
            self.close(row.vector("mount", "ux uy uz"), [dot(axis, gap) for axis in axes], 1e-11, "gap")
            R = row.matrix("b")
            turned = [[sum(R[i][k] * start[j][k] for k in range(3)) for j in range(3)] for i in range(3)]
            cosine = (turned[0][0] + turned[1][1] + turned[2][2] - 1) / 2
            double = [turned[2][1] - turned[1][2], turned[0][2] - turned[2][0], turned[1][0] - turned[0][1]]
            sine = math.sqrt(dot(double, double)) / 2
            angle = math.atan2(sine, cosine)
            phi = [x / (2 * sine) * angle if sine > 1e-9 else 0 for x in double]
            if angle < 3:
                self.close(row.vector("mount", "rx ry rz"), [dot(axis, phi) for axis in axes], 1e-8, "rotation")

    def test_planar_bushing(self):
        model = """trammel: 1
space: planar
bodies: {b: {mass: 2, inertia: 0.4, com: [0.1, 0.2], angle: 0.3, points: {P: [0.4, -0.3]}, angular-velocity: 4}}
forces:
  mount: {type: bushing, connect: [ground, b.P], stiffness: [50, 60, 7], damping: [1, 2, 0.3], preload: [1, 2, 0.4]}
  push: {type: force, point: b.P, value: [1, "b.u"]}
  twist: {type: torque, body: b, value: "b.v"}
  pair: {type: load, connect: [ground, b.P], force: [0.3, "0.1*b.x"], torque: 0.2}
simulate: {duration: 1, output-step: 0.05}
outputs: [b, mount, push, twist, pair]
"""
        reference = None
        for options in ((), ("--coordinates", "angle"), ("--coordinates", "euler-parameters"),
                        ("--coordinates", "cartesian"), ("--space", "spatial")):
            run = Run(model, *EXACT, *options)
            reference = reference or run
            self.assertTrue(largest_difference(reference, run, reference.columns) <= 1e-8, options)
        for row in rows(reference):
            c, s = math.cos(row["b.angle"]), math.sin(row["b.angle"])
            com = [c * 0.1 - s * 0.2, s * 0.1 + c * 0.2]
            w, alpha = row["b.omega"], row["b.alpha"]
            a = [row["b.ax"] - alpha * com[1] - w * w * com[0], row["b.ay"] + alpha * com[0] - w * w * com[1]]
            f = [sum(row[f"{name}.f{k}"] for name in ("mount", "push", "pair")) for k in "xy"]
            arm = [row[f"b.P.{k}"] - row[f"b.{k}"] - com["xy".index(k)] for k in "xy"]
            t = arm[0] * f[1] - arm[1] * f[0] + sum(row[f"{name}.tz"] for name in ("mount", "twist", "pair"))
            self.close([2 * a[0], 2 * a[1], 0.4 * alpha], [*f, t], 1e-8)
            self.close(row.vector("mount", "ux uy rz"), [row["b.P.x"], row["b.P.y"], row["b.angle"] - 0.3], 1e-11)

    def test_magnitudes(self):
        model = """trammel: 1
space: {space}
gravity: {gravity}
bodies: {{b: {{mass: 2, inertia: {inertia}, position: {at}}}}}
joints: {{J: {{type: revolute, connect: [ground, b], at: {zero}{axis}}}}}
simulate: {{duration: 1, output-step: 0.1}}
outputs: [J]
"""
        plane = Run(model.format(space="planar", gravity=[1, -9], inertia=1, at=[1, 0], zero=[0, 0], axis=""))
        space = Run(model.format(space="spatial", gravity=[1, -9, 2], inertia=[1, 2, 2], at=[1, 0, 0.5], zero=[0, 0, 0],
                                 axis=", axis: [0, 1, 1]"))
        for row in rows(plane):
            self.close([row["J.f"], row["J.t"]], [math.hypot(row["J.fx"], row["J.fy"]), abs(row["J.tz"])], 1e-12)
        for row in rows(space):
            self.close([row["J.f"], row["J.t"]], [math.hypot(*row.vector("J", "fx fy fz")), math.hypot(*row.vector("J", "tx ty tz"))], 1e-12)
        self.assertGreater(space.last("J.t"), 0.1)

    def test_mistakes(self):
        start = "trammel: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\nforces:\n"
        force = start + '  f: {type: force, point: b, value: ["%s", 0, 0]}\n'
        cases = ((force % "b.aX", "model.yaml:5:39: error: force 'f': 'b.aX' is an acceleration"),
                 (force % "b.axh", "model.yaml:5:39: error: force 'f': 'b.axh' is an acceleration"),
                 (force % "b.rol", "model.yaml:5:39: error: force 'f': body 'b' has no measure 'rol', did you mean 'roll'?"),
                 (force % "f.fx", "model.yaml:5:39: error: force 'f': 'f.fx' is a force"),
                 (start.replace("[1, 1, 1]}}", "[1, 1, 1], points: {yaw: [0, 0, 0]}}}") + "  {}\n", "model.yaml:3:52: error: body 'b'"),
                 (force % "1" + "initial: {b.qw: 1}\n", "model.yaml:6:11: error: initial 'b.qw': this is"))
        for model, message in cases:
            self.assertIn(message, Run(model, status=3).error)


if __name__ == "__main__":
    unittest.main()
