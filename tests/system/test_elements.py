#!/usr/bin/env python3
"""Loads, constant-velocity joints and shafts, against closed forms and conservation laws."""
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from extremes import largest
from program import Run, check, largest_difference

PLANAR = ("natural", "angle", "euler-parameters", "cartesian")
SPATIAL = ("natural", "euler-parameters")
EXACT = ("--integrator", "dop853", "--rtol", "1e-11", "--atol", "1e-13")
STIFF = ("--integrator", "radau5", "--rtol", "1e-10", "--atol", "1e-12")


def forms(space):
    return PLANAR if space == "planar" else SPATIAL


class ElementsTest(unittest.TestCase):
    def near(self, found, expected, tolerance, what=""):
        self.assertTrue(abs(found - expected) <= tolerance, f"{what}: {found}, expected {expected}")

    # ---- load ----

    PAIR = {"planar": """trammel: 1
space: planar
bodies:
  a: {mass: 2, inertia: 0.4, com: [0.1, 0.2], angle: 0.4, velocity: [1, 0.5], angular-velocity: 2, points: {A: [0.3, -0.1]}}
  b: {mass: 3, inertia: 0.6, com: [-0.2, 0.1], position: [1.5, 0.6], angle: -1, angular-velocity: -1, points: {B: [0.2, 0.4]}}
forces:
  pair: {type: load, connect: [a.A, b.B], force: ["3*sin(2*t) - b.u", "2 + b.v*a.x"], torque: "0.5 - 0.3*b.omega"}
simulate: {duration: 2, output-step: 0.1}
outputs: [a, b, pair, momentum, energy]
""", "spatial": """trammel: 1
space: spatial
bodies:
  a: {mass: 2, inertia: [0.7, 0.9, 1.1, 0.1, -0.05, 0.08], com: [0.1, 0.2, -0.1], orientation: {axis: [1, 2, 0.5], angle: 0.4},
      velocity: [1, 0.5, -0.2], angular-velocity: [0.5, -0.7, 1], points: {A: [0.3, -0.1, 0.2]}}
  b: {mass: 3, inertia: [0.6, 0.5, 0.8], com: [-0.2, 0.1, 0.1], position: [1.5, 0.6, 0.3], orientation: {axis: [0, 1, 1], angle: 2},
      angular-velocity: [-1, 0.4, 0.3], points: {B: [0.2, 0.4, 0.1]}}
forces:
  pair: {type: load, connect: [a.A, b.B], force: ["3*sin(2*t) - b.u", "2 + b.v*a.x", "b.pitch"],
         torque: ["0.5 - 0.3*b.r", "0.2*t", "a.yaw - 0.4"]}
simulate: {duration: 2, output-step: 0.1}
outputs: [a, b, pair, momentum, energy]
"""}

    def test_load_keeps_momentum(self):
        for space, model in self.PAIR.items():
            reference = None
            for options in [("--coordinates", form, *EXACT) for form in forms(space)] + [STIFF]:
                run = Run(model, *options)
                for name in (name for name in run.columns if name.startswith("momentum.")):
                    for value in run[name]:
                        self.near(value, run[name][0], 1e-9, f"{space} {options} {name}")
                self.assertTrue(run.summary["max_energy_error"] <= 1e-8, options)
                self.assertGreater(abs(run.last("energy.work")), 0.1)
                reference = reference or run
                self.assertTrue(largest_difference(reference, run) <= 1e-7, options)

    def test_load_acts_on_the_second(self):
        """At the start m a = F with F in the axes of the first."""
        run = Run(self.PAIR["planar"], *EXACT)
        c, s = math.cos(0.4), math.sin(0.4)
        u, v = run["b.u"][0], run["b.v"][0]
        fx, fy = -u, 2 + v * run["a.x"][0]
        F = (c * fx - s * fy, s * fx + c * fy)
        self.near(run["pair.fx"][0], F[0], 1e-12)
        self.near(run["pair.fy"][0], F[1], 1e-12)
        self.near(run["pair.tz"][0], 0.5 + 0.3, 1e-12)
        # acceleration of b's centre of mass, (-0.2, 0.1) in b's axes at −1 rad, spinning at −1
        c, s = math.cos(-1), math.sin(-1)
        com, w, alpha = (-0.2 * c - 0.1 * s, -0.2 * s + 0.1 * c), -1, run["b.alpha"][0]
        self.near(3 * (run["b.ax"][0] - alpha * com[1] - w * w * com[0]), F[0], 1e-11)
        self.near(3 * (run["b.ay"][0] + alpha * com[0] - w * w * com[1]), F[1], 1e-11)

    def test_load_from_ground_is_a_force(self):
        model = """trammel: 1
space: spatial
bodies: {{b: {{mass: 2, inertia: [0.7, 0.9, 1.1], com: [0.1, 0, 0.2], points: {{P: [0.4, 0.2, -0.3]}}, angular-velocity: [1, 2, 0]}}}}
forces: {{{forces}}}
simulate: {{duration: 1, output-step: 0.1}}
outputs: [b]
"""
        values = '["sin(t)", 1, "b.vx"]'
        load = model.format(forces=f"f: {{type: load, connect: [ground, b.P], force: {values}, torque: [0.1, 0.2, 0.3]}}")
        apart = model.format(forces=f"f: {{type: force, point: b.P, value: {values}}}, m: {{type: torque, body: b, value: [0.1, 0.2, 0.3]}}")
        turned = model.format(forces='f: {type: load, connect: [b, ground], force: ["sin(t)", 1, "b.vx"]}')
        self.assertTrue(largest_difference(Run(load, *EXACT), Run(apart, *EXACT)) <= 1e-10)
        self.assertEqual(len(Run(turned, *EXACT)["t"]), 11)  # the ground may be second

    # ---- constant-velocity joint ----

    # the output shaft keeps its direction, the joint everything else: no constraint is redundant
    JOINT = """trammel: 1
space: spatial
parameters: {{bend: deg({bend})}}
bodies:
  in: {{mass: 1, inertia: [0.1, 0.2, 0.2]}}
  out: {{mass: 1, inertia: [0.1, 0.2, 0.2], orientation: {{axis: [0, 0, 1], angle: bend}}}}
joints:
  bearing: {{type: revolute, connect: [ground, in], axis: [1, 0, 0]}}
  J: {{type: {type}, connect: [in, out], axes: {axes}}}
  guide: {{type: parallel, connect: [ground, out], axes: [[cos(bend), sin(bend), 0], [1, 0, 0]]}}
  motor: {{type: driver, of: bearing, value: "4*t + 0.5*sin(3*t)"}}
forces: {{load: {{type: torque, body: out, frame: body, value: [-2, 0, 0]}}}}
simulate: {{duration: 5, output-step: 0.05}}
outputs: [in, out, J, motor, energy]
"""

    def test_same_rate_at_any_bend(self):
        for bend in (0, 30, 75, 120, 160):
            model = self.JOINT.format(bend=bend, type="constant-velocity", axes="[[1, 0, 0], [1, 0, 0]]")
            for form in SPATIAL:
                run = Run(model, "--coordinates", form, *EXACT)
                self.assertEqual(run.summary["redundant_constraints"], 0)
                self.assertEqual(run.summary["degrees_of_freedom"], 0)
                self.assertGreater(run.last("in.roll"), 3 * 2 * math.pi)
                for a, b, effort, wx, alpha in zip(run["in.p"], run["out.p"], run["motor.effort"], run["in.p"], run["in.aX"]):
                    self.near(b, a, 1e-9, f"{bend} degrees")
                # what the load takes, the motor gives: the joint does no work
                for t, effort in zip(run["t"], run["motor.effort"]):
                    self.near(effort, 2 + 0.2 * -4.5 * math.sin(3 * t), 1e-7, f"effort at {bend} degrees")
                self.assertTrue(run.summary["max_energy_error"] <= 1e-7)

    def test_universal_joint_differs(self):
        """ω2/ω1 between cos β and 1/cos β: that of a universal joint is not one."""
        model = self.JOINT.format(bend=30, type="universal", axes="[[0, 0, 1], [0, 1, 0]]")
        run = Run(model, *EXACT)
        ratios = [b / a for a, b in zip(run["in.p"], run["out.p"])]
        self.near(max(ratios), 1 / math.cos(math.pi / 6), 1e-2)
        self.near(min(ratios), math.cos(math.pi / 6), 1e-2)

    def test_bent_back(self):
        """At 2 rad/s: less than a hundredth of a radian from half a turn the run ends and names the joint."""
        model = """trammel: 1
space: spatial
bodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1], angular-velocity: [2, 0, 0]}}
joints: {J: {type: constant-velocity, connect: [ground, b], axes: [[0, 0, 1], [0, 0, 1]]}}
simulate: {duration: 3}
outputs: [b]
"""
        for form in SPATIAL:
            run = Run(model, "--coordinates", form, status=1)
            self.assertIn("joint 'J': its axes are bent by half a turn", run.error)
            self.near(2 * float(run.error.split("t = ")[1].split(":")[0]), math.pi, math.acos(1 - 5e-5) + 1e-8)  # nine digits

    def test_bend_that_changes(self):
        """Two bodies that swing: (n0 + n1)·(ω1 − ω0) = 0, the torque is along n0 + n1, energy and momentum are kept."""
        model = """trammel: 1
space: spatial
bodies:
  a: {mass: 2, inertia: [0.7, 0.9, 1.1, 0.1, -0.05, 0.08], orientation: {axis: [1, 2, -1], angle: 0.7}, angular-velocity: [2, 1, -1], velocity: [0, 0, 0]}
  b: {mass: 1, inertia: [0.3, 0.4, 0.5], orientation: {axis: [0, 1, 1], angle: 0.9}, position: [1, 0.2, 0]}
joints: {J: {type: constant-velocity, connect: [a, b], at: [0.5, 0.1, -0.1], axes: [[1, 0.2, 0], [1, 0, -0.3]]}}
simulate: {duration: 3, output-step: 0.05}
outputs: [a, b, J, energy, momentum]
"""
        runs = [Run(model, *options) for options in (EXACT, EXACT + ("--coordinates", "euler-parameters"), STIFF)]
        for run in runs[1:]:
            self.assertTrue(largest_difference(runs[0], run) <= 1e-6)
        run = runs[0]
        self.assertEqual(run.summary["degrees_of_freedom"], 8)
        self.assertTrue(run.summary["max_energy_error"] <= 1e-9)
        for i in range(len(run["t"])):
            axes = []
            for body, local in (("a", (1, 0.2, 0)), ("b", (1, 0, -0.3))):
                w, x, y, z = (run[f"{body}.q{k}"][i] for k in "wxyz")
                R = ((1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                     (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                     (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))
                size = math.hypot(*local)
                axes.append([sum(R[k][j] * local[j] for j in range(3)) / size for k in range(3)])
            n = [p + q for p, q in zip(*axes)]
            rate = sum(n[k] * (run[f"b.w{'xyz'[k]}"][i] - run[f"a.w{'xyz'[k]}"][i]) for k in range(3))
            self.near(rate, 0, 1e-9)
            torque = [run[f"J.t{k}"][i] for k in "xyz"]
            cross = [n[1] * torque[2] - n[2] * torque[1], n[2] * torque[0] - n[0] * torque[2], n[0] * torque[1] - n[1] * torque[0]]
            self.near(math.hypot(*cross), 0, 1e-9 * (1 + math.hypot(*torque)))
            for name in ("px", "py", "pz", "lx", "ly", "lz"):
                self.near(run[f"momentum.{name}"][i], run[f"momentum.{name}"][0], 1e-9)
        self.assertGreater(max(run["J.t"]), 0.1)

    # ---- half-shaft ----

    def test_half_shaft(self):
        """Moved apart and bent, the second still turns like the first; a stiff torsion spring comes near, as 1/k."""
        model = """trammel: 1
space: spatial
bodies:
  in: {{mass: 1, inertia: [0.1, 0.2, 0.2], angular-velocity: [3, 0, 0]}}
  arm: {{mass: 1, inertia: [0.2, 0.2, 0.2], position: [0.5, 0, 0]}}
  out: {{mass: 2, inertia: [0.3, 0.2, 0.2], position: [1, 0, 0], angular-velocity: [3, 0, 0]}}
joints:
  bearing: {{type: revolute, connect: [ground, in], axis: [1, 0, 0]}}
  swing: {{type: revolute, connect: [ground, arm], at: [0.5, 0, 1], axis: [0, 1, 0]}}
  sway: {{type: driver, of: swing, value: "0.6*(1 - cos(4*t))"}}
  hub: {{type: revolute, connect: [arm, out], axis: [1, 0, 0]}}
{joint}
forces:
  load: {{type: torque, body: out, frame: body, value: [5, 0, 0]}}
{spring}
simulate: {{duration: 2, output-step: 0.02}}
outputs: [in, out, energy]
"""
        joint = "  shaft: {type: half-shaft, connect: [in, out], axes: [[1, 0, 0], [1, 0, 0]]}"
        spring = "  shaft: {type: torsion-spring-damper, connect: [in, out], axis: [1, 0, 0], stiffness: %g}"
        for form in SPATIAL:
            run = Run(model.format(joint=joint, spring=""), "--coordinates", form, *EXACT)
            self.assertEqual(run.summary["degrees_of_freedom"], 1)
            self.assertGreater(max(abs(w) for w in run["out.wz"]), 1)  # it is bent while it turns
            for a, b in zip(run["in.p"], run["out.p"]):
                self.near(b, a, 1e-9)
            self.assertTrue(run.summary["max_energy_error"] <= 1e-9 * max(run["energy.kinetic"]), run.summary["max_energy_error"])
            soft = [Run(model.format(joint="", spring=spring % k), "--coordinates", form, *EXACT) for k in (1e3, 1e4)]
            off = [largest(abs(a - b) for a, b in zip(run["in.roll"], other["in.roll"])) for other in soft]
            self.assertTrue(1e-6 <= off[1] <= 0.2 * off[0] <= 2e-3, off)

    # ---- shafts ----

    def test_two_shafts_and_a_spring(self):
        """Exact vibration: ω² = k (1/J1 + 1/J2)."""
        model = """trammel: 1
space: {space}
shafts: {{a: {{inertia: 2, initial-rate: 3}}, b: {{inertia: 5}}}}
forces: {{spring: {{type: torsion-spring-damper, of: [a, b], stiffness: 40}}}}
simulate: {{duration: 4, output-step: 0.1}}
outputs: [a, b, spring, energy]
"""
        w = math.sqrt(40 * (1 / 2 + 1 / 5))
        for space in ("planar", "spatial"):
            options = [("--coordinates", form, *EXACT) for form in forms(space)] + [STIFF]
            if space == "planar":
                options.append(("--space", "spatial", *EXACT))
            for option in options:
                run = Run(model.format(space=space), *option)
                self.assertEqual((run.summary["bodies"], run.summary["degrees_of_freedom"]), (0, 2))
                self.assertEqual(sorted(run.columns)[:4], ["a.angle", "a.rate", "b.angle", "b.rate"])
                for i, t in enumerate(run["t"]):
                    apart, mean = -3 / w * math.sin(w * t), 6 / 7 * t
                    self.near(run["a.angle"][i], mean - 5 / 7 * apart, 1e-7, option)
                    self.near(run["b.angle"][i], mean + 2 / 7 * apart, 1e-7, option)
                    self.near(run["spring.angle"][i], apart, 1e-7)
                    self.near(run["spring.rate"][i], -3 * math.cos(w * t), 1e-6)
                    self.near(run["spring.torque"][i], -40 * apart, 1e-5)
                    self.near(run["energy.total"][i], 9, 1e-6)

    def test_gear_train(self):
        """θ2 = −2 θ1, θJ = 3 θ2: one torque accelerates them all."""
        for space, inertia, axis in (("planar", "0.5", ""), ("spatial", "[1, 1, 0.5]", ", axis: [0, 0, 1]")):
            model = f"""trammel: 1
space: {space}
gravity: {[0, -9.81] if space == 'planar' else [0, 0, -9.81]}
bodies: {{wheel: {{mass: 3, inertia: {inertia}}}}}
shafts: {{s1: {{inertia: 0.2}}, s2: {{inertia: 0.1}}}}
joints:
  J: {{type: revolute, connect: [ground, wheel]{axis}}}
  g1: {{type: gear, joints: [s1, s2], ratio: -2}}
  g2: {{type: gear, joints: [s2, J], ratio: 3}}
forces: {{motor: {{type: actuator, of: s1, value: "2 - 0*s1.rate"}}}}
simulate: {{duration: 2, output-step: 0.1}}
outputs: [s1, s2, J, motor, wheel, energy, g1]
"""
            total = 0.2 + 4 * 0.1 + 36 * 0.5
            for form in forms(space):
                run = Run(model, "--coordinates", form, *EXACT)
                for i, t in enumerate(run["t"]):
                    angle = t * t / total
                    self.near(run["s1.angle"][i], angle, 1e-9, form)
                    self.near(run["s2.angle"][i], -2 * angle, 1e-9, form)
                    self.near(run["J.angle"][i], -6 * angle, 1e-9, form)
                    self.near(run["energy.work"][i], 2 * angle, 1e-9, form)
                    self.near(run["motor.angle"][i], angle, 1e-9)
                    # the gear's torque on s1 is what the motor's leaves of J α; effort: on what it drives, s2
                    self.near(abs(run["g1.effort"][i]), (2 - 0.2 * 2 / total) / 2, 1e-9)

    def test_wherever_a_freedom_is(self):
        model = """trammel: 1
space: planar
bodies: {b: {mass: 1, inertia: 1}}
shafts: {s: {inertia: 2}, driven: {inertia: 1}, free: {inertia: 3}, held: {inertia: 4}}
joints:
  J: {type: revolute, connect: [ground, b]}
  motor: {type: driver, of: driven, value: "t^2"}
  sum: {type: coordinate, sum: {s.angle: 1, J.angle: -2}, value: 0}
  stop: {type: driver, of: held.angle, value: 0}
forces:
  coil: {type: torsion-spring-damper, of: [driven, held], stiffness: 5, damping: 1, angle: "0.1*s.rate"}
  twist: {type: torque, body: b, value: "free.rate"}
initial: {s.rate: 4, free.rate: -1, free.angle: 0.5}
simulate: {duration: 1, output-step: 0.1}
outputs: [s, J, driven, free, motor, stop, coil]
"""
        for options in (EXACT, STIFF, EXACT + ("--space", "spatial")):
            run = Run(model, *options)
            for i, t in enumerate(run["t"]):
                rate = 4 - 2 / 9 * t  # s and J together: 2·θ̈s + θ̈J/2 = τ/2, θs = 2 θJ, τ = −1
                self.near(run["s.rate"][i], rate, 1e-8)
                self.near(run["J.rate"][i], rate / 2, 1e-8)
                self.near(run["free.angle"][i], 0.5 - t, 1e-8)
                self.near(run["driven.angle"][i], t * t, 1e-8)
                torque = -5 * (-t * t - 0.1 * rate) + 2 * t  # on held
                self.near(run["coil.torque"][i], torque, 1e-7)
                self.near(run["motor.effort"][i], 2 + torque, 1e-7)
                self.near(run["stop.effort"][i], -torque, 1e-7)

    def test_turned_axes_do_not_matter(self):
        """A torsion spring between a revolute joint along any axis and a shaft: the axis is the joint's own."""
        runs = []
        for axis in ("[0, 0, 1]", "[1, -2, 0.5]"):
            model = f"""trammel: 1
space: spatial
bodies: {{b: {{mass: 1, inertia: [2, 2, 2]}}}}
shafts: {{s: {{inertia: 3, initial-rate: 1}}}}
joints: {{J: {{type: revolute, connect: [ground, b], axis: {axis}}}}}
forces: {{coil: {{type: torsion-spring-damper, of: [J, s], stiffness: 5, damping: 0.2}}}}
simulate: {{duration: 2, output-step: 0.1}}
outputs: [s, J, coil, energy]
"""
            runs.append(Run(model, *EXACT))
        self.assertTrue(largest_difference(*runs) <= 1e-9)

    def test_check_counts(self):
        text = check("trammel: 1\nspace: planar\nshafts: {a: {inertia: 1}, b: {inertia: 2}}\n")
        self.assertRegex(text, r"bodies +0\n +shafts +2\n")
        self.assertRegex(text, r"degrees of freedom +2\n")
        default = Run("trammel: 1\nspace: spatial\nshafts: {a: {inertia: 1}}\nsimulate: {duration: 1}\n")
        self.assertEqual(list(default.columns)[:3], ["t", "a.angle", "a.rate"])
        self.assertNotIn("a.x", default.columns)

    # ---- mistakes ----

    def test_mistakes(self):
        plane = "trammel: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\n"
        space = "trammel: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
        joint = "joints: {J: {type: revolute, connect: [ground, b]}, P: {type: prismatic, connect: [ground, b], axis: [1, 0]}}\n"
        cases = (
            (plane + "shafts: {s: {inertia: -1}}\n", "4:23: error: shaft 's': inertia is -1, it must be positive"),
            (plane + "shafts: {s: {}}\n", "4:10: error: shaft 's': missing key 'inertia'"),
            (plane + "shafts: {s: 3}\n", "4:13: error: shaft 's': expected a map with an inertia"),
            (plane + "shafts: {s: {inertia: 1, rate: 1}}\n", "4:26: error: shaft 's': unknown key 'rate'"),
            (plane + "shafts: {b: {inertia: 1}}\n", "4:10: error: shaft 'b': there is a body of this name"),
            (plane + "shafts: {s: {inertia: 1}}\njoints: {J: {type: revolute, connect: [ground, s]}}\n",
             "5:48: error: joint 'J': 's' is a shaft, a body is needed here"),
            (plane + "shafts: {s: {inertia: 1}}\noutputs: [s.fx]\n", "5:11: error: output 's.fx': shaft 's' has no measure 'fx'"),
            (plane + joint + "forces: {f: {type: torsion-spring-damper, of: [J, P], stiffness: 1}}\n",
             "5:51: error: force 'f': 'P' is a displacement"),
            (plane + joint + "forces: {f: {type: torsion-spring-damper, of: [J, J], stiffness: 1}}\n",
             "5:51: error: force 'f' connects 'J' with itself"),
            (plane + joint + "forces: {f: {type: torsion-spring-damper, of: [J], stiffness: 1}}\n", "5:47: error: force 'f': of: expected 2"),
            (plane + "forces: {f: {type: torsion-spring-damper, stiffness: 1}}\n",
             "4:10: error: force 'f': a torsion-spring-damper needs connect (two bodies) or of (two angles)"),
            (plane + "forces: {f: {type: load, connect: [ground, b]}}\n", "4:10: error: force 'f': a load needs force, torque or both"),
            (plane + "forces: {f: {type: load, connect: [b, b], torque: 1}}\n", "4:39: error: force 'f' connects body 'b' with itself"),
            (plane + "forces: {f: {type: load, connect: [ground, b], force: [1, 2, 3]}}\n", "4:55: error: force 'f': force: expected 2"),
            (space + "forces: {f: {type: load, connect: [ground, b], torque: 1}}\n", "4:56: error: force 'f': torque: expected a list of 3 numbers"),
            (space + 'forces: {f: {type: load, connect: [ground, b], force: [0, "b.aX", 0]}}\n',
             "4:60: error: force 'f': 'b.aX' is an acceleration"),
            (space + "joints: {J: {type: constant-velocity, connect: [ground, b], axis: [1, 0, 0]}}\n", "4:61: error: joint 'J': unknown key 'axis'"),
            (space + "joints: {J: {type: constant-velocity, connect: [ground, b]}}\n",
             "4:10: error: joint 'J': a constant-velocity joint needs axes: [a, b]"),
            (space + "joints: {J: {type: constant-velocity, connect: [ground, b], axes: [[1, 0, 0], [-2, 0, 0]]}}\n",
             "4:67: error: joint 'J': the axes point in opposite directions as written"),
            (plane + "joints: {J: {type: constant-velocity, connect: [ground, b], axes: [[1, 0], [1, 0]]}}\n",
             "4:20: error: joint 'J': "),
            (plane + "joints: {J: {type: shaft, connect: [ground, b]}}\n", "4:20: error: joint 'J': unknown joint type 'shaft'"),
        )
        for model, message in cases:
            self.assertIn("model.yaml:" + message, Run(model, status=3).error)


if __name__ == "__main__":
    unittest.main()
