"""Integrators off the beaten path: damped wheels, flat bodies, oblique corrections, long runs, other units."""
import math
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from extremes import largest
from program import Run, largest_difference

MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"

WHEEL = """
trammel: 1
name: damped wheel
space: planar
bodies: {w: {mass: 1, inertia: 1, angular-velocity: 5}}
joints: {J: {type: revolute, connect: [ground, w]}}
forces: {d: {type: torsion-spring-damper, connect: [ground, w], stiffness: 0, damping: 0.5}}
simulate: {duration: 2, output-step: 0.5, step: 1e-3}
outputs: [w.omega, energy]
"""

# the spring stores energy and does no work
SLIDE = """
trammel: 1
name: A slide that starts from rest
space: planar
gravity: [0, -9.81]
bodies: {b: {mass: 0.4, inertia: 0.01, position: [0.7, -0.9], angle: -0.9}}
joints: {J: {type: prismatic, connect: [ground, b], at: [0.7, -0.9], axis: [1, 2]}}
forces: {F: {type: torsion-spring-damper, connect: [ground, b], at: [0.7, -0.9], stiffness: 1, angle: %g}}
simulate: {duration: 0.3}
outputs: [b, energy]
"""

PLATE = """
trammel: 1
name: flat plate
space: spatial
gravity: [0, 0, -9.81]
bodies:
  p: {mass: 1, inertia: [0.3, 0.1, 0.2], points: {A: [0.3, -0.5, 0.7]}}
ground: {points: {O: [0.3, -0.5, 0.7]}}
joints: {h: {type: %s, connect: [ground.O, p.A]%s}}
simulate: {duration: 1, output-step: 0.1, step: 1e-3}
outputs: [p, h, energy]
"""

PARALLEL_CRANKS = """
trammel: 1
name: three parallel cranks
space: planar
ground: {points: {A: [0, 0], B: [2, 0], C: [0.7, 0.9]}}
bodies:
  a: {mass: 1, inertia: 0.1, position: [0, 0], angle: 0.5, angular-velocity: 8, points: {P: [1, 0]}}
  b: {mass: 1, inertia: 0.1, position: [2, 0], angle: 0.5, points: {P: [1, 0]}}
  c: {mass: 1, inertia: 0.1, position: [0.7, 0.9], angle: 0.5, points: {P: [1, 0]}}
  plate: {mass: 2, inertia: 0.4, position: ["cos(0.5)", "sin(0.5)"], points: {B: [2, 0], C: [0.7, 0.9]}}
joints:
  J1: {type: revolute, connect: [ground.A, a]}
  J2: {type: revolute, connect: [ground.B, b]}
  J3: {type: revolute, connect: [ground.C, c]}
  J4: {type: revolute, connect: [a.P, plate]}
  J5: {type: revolute, connect: [b.P, plate.B]}
  J6: {type: revolute, connect: [c.P, plate.C]}
initial: {a.omega: 8}
simulate: {duration: 1, output-step: 0.05}
outputs: [a.angle, c.angle]
"""

SLIDER = """
trammel: 1
name: dry friction
space: planar
gravity: [%s, 0]
bodies: {b: {mass: 2, inertia: 0.1, velocity: [%s, 0]}}
joints: {rail: {type: prismatic, connect: [ground, b], axis: [1, 0]}}
forces: {brake: {type: force, point: b, value: ["-4*sign(b.vx)", 0]}}
simulate: {duration: 3, output-step: 0.1}
outputs: [b.x, b.vx]
"""

SPHERICAL_PENDULUM = """
trammel: 1
name: spherical pendulum
space: spatial
gravity: [0, 0, -9.81]
ground: {points: {O: [0, 0, 0]}}
bodies:
  b: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [1, 0, 0], angular-velocity: [0, 0.5, 2], velocity: [0, 2, -0.5], points: {A: [-1, 0, 0]}}
joints: {s: {type: spherical, connect: [ground.O, b.A]}}
simulate: {duration: 400, step: 2e-2, output-step: 50}
outputs: [b, energy]
"""


PARALLELOGRAM = """
trammel: 1
name: parallelogram
space: planar
gravity: [0, -9.81]
ground: {points: {O: [0, 0], D: [2, 0]}}
bodies:
  a: {mass: 1, inertia: 0.1, position: [0, 0.5], angle: pi/2, angular-velocity: -6, points: {A: [-0.5, 0], B: [0.5, 0]}}
  b: {mass: 1, inertia: 0.3, position: [1, 1], points: {A: [-1, 0], B: [1, 0]}}
  c: {mass: 1, inertia: 0.1, position: [2, 0.5], angle: pi/2, points: {A: [-0.5, 0], B: [0.5, 0]}}
joints:
  A: {type: revolute, connect: [ground.O, a.A]}
  B: {type: revolute, connect: [a.B, b.A]}
  C: {type: revolute, connect: [b.B, c.B]}
  D: {type: revolute, connect: [ground.D, c.A]}
simulate: {duration: 3, output-step: 0.05}
outputs: [a.angle, c.angle, energy]
"""


def linkage(length, mass, time):
    """Two rods, a spring and a damper, in units of their own."""
    L, M, T = length, mass, time
    return f"""
trammel: 1
name: units
space: planar
gravity: [0, {-9.81 * L / T**2!r}]
ground: {{points: {{O: [0, 0]}}}}
bodies:
  crank: {{mass: {2 * M!r}, inertia: {0.3 * M * L * L!r}, position: [{0.5 * L!r}, 0], points: {{A: [{-0.5 * L!r}, 0], B: [{0.5 * L!r}, 0]}}}}
  rod: {{mass: {M!r}, inertia: {0.1 * M * L * L!r}, position: [{1.6 * L!r}, 0], points: {{A: [{-0.6 * L!r}, 0], B: [{0.6 * L!r}, 0]}}, angular-velocity: {1 / T!r}}}
joints:
  A: {{type: revolute, connect: [ground.O, crank.A]}}
  B: {{type: revolute, connect: [crank.B, rod.A]}}
forces:
  s: {{type: spring-damper, connect: [ground.O, rod.B], stiffness: {300 * M / T**2!r}, damping: {4 * M / T!r}, length: {1.9 * L!r}}}
simulate: {{duration: {2 * T!r}, output-step: {0.1 * T!r}}}
outputs: [rod.B.x, rod.B.y, rod.angle, energy]
"""


class Corners(unittest.TestCase):
    def test_conserve_keeps_the_work(self):
        """A wheel with a damper slows down: 5 exp(−t/2)."""
        for integrator in ["trapezoidal", "rk4", "ab4", "dop853"]:
            run = Run(WHEEL, "--integrator", integrator, "--energy", "conserve")
            self.assertAlmostEqual(run.last("w.omega"), 5 * math.exp(-1), delta=1e-5)
            self.assertAlmostEqual(run.last("energy.work"), 12.5 * (math.exp(-2) - 1), delta=1e-4)

    def test_conserve_starts_from_rest(self):
        """Where the velocity tells nothing of the energy, positions do, along the acceleration: the slide falls by g t²/2."""
        for angle in [0, 2.5]:
            for rtol in [1e-7, 1e-8, 1e-9, 1e-10]:
                run = Run(SLIDE % angle, "--integrator", "bdf", "--energy", "conserve", "--rtol", rtol, "--atol", rtol / 1000)
                self.assertLess(run.summary["steps"], 30)
                self.assertLess(run.summary["max_energy_error"], 1e-13)
                self.assertAlmostEqual(run.last("b.vx"), -9.81 * 2 / 5 * 0.3, delta=0.1 * rtol)

    def test_flat_plate(self):
        """Iyy + Izz = Ixx only up to round-off, on a hinge off its plane."""
        for joint in [("revolute", ", axis: [1, 0, 0]"), ("spherical", "")]:
            reference = Run(PLATE % joint, "--integrator", "dop853", "--rtol", "1e-11", "--atol", "1e-13")
            for integrator in ["three-field", "generalized-alpha", "trapezoidal"]:
                for coordinates in ["natural", "euler-parameters"]:
                    for solver in ["udwadia-kalaba", "augmented"]:
                        run = Run(PLATE % joint, "--integrator", integrator, "--coordinates", coordinates, "--solver", solver)
                        off = largest_difference(run, reference, ["p.x", "p.y", "p.z", "p.qw", "p.qx", "p.qy", "p.qz"])
                        self.assertLess(off, 1e-5, (joint, integrator, coordinates, solver))

    def test_nearly_flat_body(self):
        """A second moment of 1e-13 across the body's plane, which is oblique to its axes: Newton's iteration is as fast as of a thick one."""
        text = """
trammel: 1
name: nearly flat
space: spatial
gravity: [-1.7, 0.9, 9.6]
bodies:
  b: {mass: 0.94, inertia: [THICK + 0.025173503701403924, THICK + 0.03208841773566982, THICK + 0.02568762191340017, 0.007758074020644349, 0.00023516741941718696, -0.009592161939567084], com: [0.08, 0.5, -0.33], orientation: {quaternion: [0.53, -0.2, -0.05, -0.82]}, velocity: [-0.14, -0.03, -0.36], angular-velocity: [1.7, -0.3, -0.6]}
joints: {J: {type: spherical, connect: [b, ground], at: [0.32, 0.15, -0.14]}}
simulate: {duration: 0.25, output-step: 0.05}
outputs: [b]
"""
        for integrator in ("trapezoidal", "generalized-alpha", "three-field"):
            options = ["--coordinates", "natural", "--integrator", integrator, "--stepping", "variable", "--rtol", "1e-4", "--atol", "1e-7"]
            flat, thick = (Run(text.replace("THICK", second), *options).summary for second in ("0", "0.01"))
            iterations = [run["newton_iterations"] / run["steps"] for run in (flat, thick)]
            self.assertLess(iterations[0], 1.1 * iterations[1], integrator)
            self.assertLess(flat["jacobians"], flat["steps"], integrator)

    def test_trapezoidal_is_of_second_order(self):
        """Whichever way the stabilization corrects."""
        model = MODELS / "four_bar.yaml"
        options = ["--duration", "2", "--output-step", "0.1"]
        reference = Run(model, *options, "--integrator", "dop853", "--rtol", "1e-11", "--atol", "1e-13")
        names = ["crank.x", "crank.y", "crank.vx", "rocker.x"]
        for stabilization in [["direct"], ["partition"], ["none"], ["direct", "--weighting", "none"], ["partition", "--linear", "sparse"]]:
            errors = []
            for step in ["4e-3", "2e-3"]:
                run = Run(model, *options, "--integrator", "trapezoidal", "--step", step, "--stabilization", *stabilization)
                errors.append(largest_difference(run, reference, names))
            self.assertGreater(math.log2(errors[0] / errors[1]), 1.9, stabilization)
            self.assertLess(errors[1], 1e-4)

    def test_trapezoidal_takes_the_work_of_drivers(self):
        """A driven pendulum: its energy is known, and so is the work that the driver does."""
        text = """
trammel: 1
name: driven pendulum
space: planar
gravity: [4.8, -8.6]
bodies: {b: {mass: 0.3, inertia: 0.08, position: [0.5, 0], angular-velocity: 1, velocity: [0, 0.5]}}
joints:
  J: {type: revolute, connect: [ground, b], at: [0, 0]}
  D: {type: driver, of: J, value: t + t^2/2}
outputs: [energy]
"""
        for coordinates in ("natural", "angle"):
            for energy in ("free", "conserve"):
                work = [Run(text, "--integrator", "trapezoidal", "--coordinates", coordinates, "--energy", energy, "--duration", 0.5, "--step",
                            0.5 / steps, "--output-step", 0.5).last("energy.work") for steps in (50, 100)]
                angle, rate = 0.5 + 0.5**2 / 2, 1.5
                inertia, weight = 0.08 + 0.3 * 0.25, 0.3 * 0.5
                rises = -weight * (4.8 * (math.cos(angle) - 1) - 8.6 * math.sin(angle))
                exact = inertia * (rate**2 - 1) / 2 + rises
                off = [abs(w - exact) for w in work]
                with self.subTest(coordinates=coordinates, energy=energy):
                    self.assertLess(off[1], 0.3 * off[0])

    def test_three_field_keeps_the_energy(self):
        """In Euler parameters, whose mass matrix changes, as in natural coordinates."""
        for coordinates in ["natural", "euler-parameters"]:
            run = Run(SPHERICAL_PENDULUM, "--integrator", "three-field", "--coordinates", coordinates)
            self.assertLess(run.summary["max_energy_error"], 1e-9, coordinates)

    def test_three_field_keeps_the_energy_of_a_skew_body(self):
        """Off its principal axes: what alternates across the constraints would grow a thousandfold in 400 s, and its energy with it."""
        skew = SPHERICAL_PENDULUM.replace("inertia: [0.1, 0.2, 0.25], position: [1, 0, 0], angular-velocity: [0, 0.5, 2], velocity: [0, 2, -0.5]",
                                          "inertia: [0.1, 0.2, 0.25, 0.02, 0.01, -0.03], angular-velocity: [0.3, 0.5, 1], position: [1, 0, 0.2], "
                                          "orientation: {axis: [1, 2, 3], angle: 1}")
        skew = skew.replace("[ground.O, b.A]", "[ground, b], at: [0, 0, 0]")
        run = Run(skew, "--integrator", "three-field", "--coordinates", "euler-parameters", "--output-step", "1")
        self.assertLess(run.summary["max_energy_error"], 1e-9)

    def test_velocities_are_on_the_constraints(self):
        """Implicit rules have a part across them that alternates: an event would fire at every step next to zero."""
        states = "states: {n: {initial: 0}}\nevents: {e: {when: b.v%s, set: {n: n + 1}}}\nsimulate:"
        for c in "xyz":
            model = SPHERICAL_PENDULUM.replace("simulate:", states % c).replace("energy]", "energy, e.count]")
            options = ["--duration", "4", "--output-step", "0.2"]
            count = Run(model, *options, "--integrator", "dop853", "--step", "1").last("e.count")
            for integrator in ["trapezoidal", "three-field", "generalized-alpha"]:
                for coordinates in ["natural", "euler-parameters"]:
                    for stabilization in ["direct", "partition", "none"]:
                        run = Run(model, *options, "--integrator", integrator, "--coordinates", coordinates, "--stabilization", stabilization,
                                  "--allow-doubtful")
                        with self.subTest(c=c, integrator=integrator, coordinates=coordinates, stabilization=stabilization):
                            self.assertLess(run.summary["max_velocity_violation"], 1e-11)
                            self.assertEqual(run.last("e.count"), count)

    def test_three_field_is_of_second_order(self):
        options = ["--duration", "2", "--output-step", "0.5"]
        reference = Run(SPHERICAL_PENDULUM, *options, "--integrator", "dop853", "--step", "1", "--rtol", "1e-11", "--atol", "1e-13")
        for stepping in ["fixed", "variable"]:
            errors = []
            for step in ["4e-3", "2e-3"] if stepping == "fixed" else ["1e-5", "1e-7"]:
                words = ["--step", step] if stepping == "fixed" else ["--step", "1", "--rtol", step, "--atol", step]
                run = Run(SPHERICAL_PENDULUM, *options, "--integrator", "three-field", "--coordinates", "euler-parameters", "--stepping", stepping, *words)
                errors.append(largest_difference(run, reference, ["b.x", "b.y", "b.z", "b.vx", "b.wx", "b.wz"]))
            if stepping == "fixed":
                self.assertGreater(math.log2(errors[0] / errors[1]), 1.9)
            self.assertLess(errors[1], errors[0] / (3 if stepping == "fixed" else 10))

    def test_scotch_yoke(self):
        """A driven mechanism whose mass matrix in Euler parameters is singular at the start."""
        for coordinates in ["natural", "euler-parameters"]:
            for solver in ["udwadia-kalaba", "augmented", "udwadia-kalaba-general"]:
                for integrator in ["trapezoidal", "generalized-alpha", "three-field", "radau5", "bdf", "ida"]:
                    run = Run(MODELS / "scotch_yoke.yaml", "--coordinates", coordinates, "--solver", solver, "--integrator", integrator)
                    for t, x in zip(run["t"], run["yoke.x"]):
                        self.assertAlmostEqual(x, 0.1 * math.cos(4 * math.pi * t), delta=1e-8)

    def test_multistep_methods_cross_singular_positions(self):
        """A parallelogram goes through its flat positions eight times."""
        for tolerance in ["1e-5", "1e-6", "1e-8"]:
            for integrator in ["adams", "bdf", "ida"]:
                run = Run(PARALLELOGRAM, "--integrator", integrator, "--rtol", tolerance, "--atol", str(float(tolerance) / 1000))
                self.assertLess(run.summary["steps"], 40000)
                for a, b in zip(run["a.angle"], run["c.angle"]):
                    self.assertAlmostEqual(a, b, delta=1e-9)  # it stays on its branch
                self.assertLess(run.summary["max_energy_error"], 2e4 * float(tolerance))  # of 50 J; bdf is the worst

    def test_redundant_rows_wear_out(self):
        """ida keeps its rows; where they come close to depending on one another, the mechanism not being singular, it goes on."""
        for tolerance in ["1e-5", "1e-7"]:
            for solver in ["udwadia-kalaba", "augmented"]:
                run = Run(PARALLEL_CRANKS, "--integrator", "ida", "--coordinates", "euler-parameters", "--linear", "sparse", "--solver", solver,
                          "--rtol", tolerance, "--atol", "1e-10")
                for t, a, b in zip(run["t"], run["a.angle"], run["c.angle"]):
                    self.assertAlmostEqual(a, 0.5 + 8 * t, delta=1e3 * float(tolerance))
                    self.assertAlmostEqual(a, b, delta=1e-8)

    def test_ida_in_small_units(self):
        """Of a loop: which pivots are good must not hang on units."""
        def loop(L, M):
            v = lambda x, y: f"[{x * L!r}, {y * L!r}]"
            return f"""
trammel: 1
name: four-bar linkage in units of its own
space: planar
gravity: [0, {-9.81 * L!r}]
ground: {{points: {{O: [0, 0], D: {v(3, 0)}}}}}
bodies:
  a: {{mass: {M!r}, inertia: {0.1 * M * L * L!r}, position: {v(0, 0.5)}, points: {{A: {v(0, -0.5)}, B: {v(0, 0.5)}}}}}
  b: {{mass: {2 * M!r}, inertia: {0.8 * M * L * L!r}, position: {v(1.5, 1.5)}, points: {{A: {v(-1.5, -0.5)}, B: {v(1.5, 0.5)}}}}}
  c: {{mass: {1.5 * M!r}, inertia: {0.5 * M * L * L!r}, position: {v(3, 1)}, points: {{A: {v(0, -1)}, B: {v(0, 1)}}}}}
joints:
  A: {{type: revolute, connect: [ground.O, a.A]}}
  B: {{type: revolute, connect: [a.B, b.A]}}
  C: {{type: revolute, connect: [b.B, c.B]}}
  D: {{type: revolute, connect: [c.A, ground.D]}}
initial: {{A.rate: 2}}
simulate: {{duration: 2, output-step: 0.1, integrator: ida}}
outputs: [A.angle]
"""
        exact = Run(loop(1, 1), "--integrator", "dop853", "--rtol", 1e-11)["A.angle"]
        steps = Run(loop(1, 1)).summary["steps"]
        for length, mass in ((1e-6, 1e-12), (1e-6, 1e-15), (1e-4, 1e-18), (1, 1e-27)):
            with self.subTest(length=length, mass=mass):
                run = Run(loop(length, mass))
                self.assertLess(largest(abs(a - b) for a, b in zip(run["A.angle"], exact)), 1e-3)
                self.assertLess(run.summary["steps"], 1.5 * steps)

    def test_units(self):
        """The same steps, whatever lengths and masses are measured in."""
        for integrator in ["dop853", "radau5", "adams", "bdf", "ida", "trapezoidal"]:
            options = ["--integrator", integrator, *(["--stepping", "variable"] if integrator == "trapezoidal" else [])]
            plain = Run(linkage(1, 1, 1), *options)
            for L, M in [(1, 1e-12), (1, 1e12), (1e-9, 1), (1e9, 1), (1e-4, 1e-9)]:
                run = Run(linkage(L, M, 1), *options)
                self.assertAlmostEqual(run.summary["steps"] / plain.summary["steps"], 1, delta=0.15)
                for name, unit in [("rod.B.x", L), ("rod.B.y", L), ("rod.angle", 1), ("energy.work", M * L * L)]:
                    for a, b in zip(run[name], plain[name]):
                        self.assertAlmostEqual(a / unit, b, delta=3e-4, msg=f"{integrator} {L} {M} {name}")

    def test_work_is_as_good_as_the_motion(self):
        """Where drivers leave no freedom, the work is all there is to integrate."""
        for name in ["scotch_yoke", "driven_four_bar", "driven_quick_return"]:
            for integrator in ["dop853", "radau5", "bdf", "adams", "ida"]:
                run = Run(MODELS / f"{name}.yaml", "--integrator", integrator, "--step", "10", "--rtol", "1e-6", "--atol", "1e-9")
                self.assertLess(run.summary["max_energy_error"], 1e-3 * max(run["energy.kinetic"]), (name, integrator))

    def test_a_jacobian_for_each_stage_is_no_habit(self):
        """At singular positions radau5 takes one for a while; such a position every turn makes the while no longer."""
        for name in ["parallel_cranks", "n_four_bar"]:
            run = Run(MODELS / f"{name}.yaml", "--integrator", "radau5", "--step", "1e-3", "--duration", "30")
            self.assertLess(run.summary["jacobians"], 0.1 * run.summary["steps"], name)

    def test_a_law_that_comes_to_rest(self):
        """Steps end where the cam begins to dwell: its rate is zero there, and its row has moved all the same."""
        errors = []
        for step in ["5e-3", "2.5e-3"]:
            run = Run(MODELS / "cam.yaml", "--integrator", "three-field", "--step", step, "--output-step", "1",
                      "--duration", "2", "--allow-doubtful")
            errors.append(run.summary["max_energy_error"])
        self.assertLess(errors[0], 0.2)  # the kinetic energy: the step is a long one
        self.assertGreater(errors[0] / errors[1], 3)  # order two

    def test_dry_friction_comes_to_rest(self):
        """A sliding mode: the run ends there, and says why. Slower than its friction it passes on."""
        for integrator in ["dop853", "dopri5", "radau5", "adams", "bdf", "ida"]:
            for slope, speed, end in [(0, 3, 1.5), (-1, 3, 1), (1.5, 0, 0), (-1.5, -0.5, 1)]:
                run = Run(SLIDER % (slope, speed), "--integrator", integrator, status=1)
                self.assertIn("the formula of 'brake' jumps", run.error, (integrator, slope, speed))
                self.assertIn("model.yaml:8:10: error:", run.error)  # where the force stands
                self.assertAlmostEqual(float(run.error.split("t = ")[1].split(":")[0]), end, delta=1e-5)
            run = Run(SLIDER % (-3, 3.1), "--integrator", integrator)
            for t, x, v in zip(run["t"], run["b.x"], run["b.vx"]):
                s = max(t - 3.1 / 5, 0)  # since it turned
                self.assertAlmostEqual(v, 3.1 - 5 * t if s == 0 else -s, delta=2e-5, msg=integrator)
                self.assertAlmostEqual(x, 3.1 * t - 2.5 * t * t if s == 0 else 3.1**2 / 10 - s * s / 2, delta=2e-5, msg=integrator)


if __name__ == "__main__":
    unittest.main()
