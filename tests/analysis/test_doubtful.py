"""A run that came to its end is judged: what is wrong is doubtful, and what is right is not, whatever the units."""
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from extremes import largest
from program import Run

ROOT = Path(__file__).parents[2]

# two rods of one length fall from the horizontal
RODS = """
trammel: 1
name: double pendulum
space: planar
parameters: {L: 1, m: 1, g: 9.81*L}
gravity: [0, -g]
bodies:
  upper: {mass: m, inertia: m*L^2/12, position: [L/2, 0], points: {A: [-L/2, 0], B: [L/2, 0]}}
  lower: {mass: m, inertia: m*L^2/12, position: [3*L/2, 0], points: {A: [-L/2, 0], B: [L/2, 0]}}
joints:
  A: {type: revolute, connect: [ground, upper.A]}
  B: {type: revolute, connect: [upper.B, lower.A]}
simulate: {duration: 3}
"""
# x = cos(w t) exactly
OSCILLATOR = """
trammel: 1
name: oscillator
space: planar
parameters: {w: 7}
bodies: {b: {mass: 2, inertia: 1, position: [1, 0], points: {P: [0, 0]}}}
ground: {points: {O: [0, 0]}}
joints: {rail: {type: prismatic, connect: [ground.O, b.P], axis: [1, 0]}}
forces: {f: {type: force, point: b.P, value: ["-2*w^2*b.x", 0]}}
outputs: [b.x]
simulate: {duration: 5, output-step: 0.05}
"""
# Three parallel cranks, the last one longer by 2 %: its joints close as written but for 5e-4 and are left out, being redundant.
# The circle of its end and that of the coupler's part then: at the angle a from the start the ends are 0.02 (1 - cos a) or more apart.
CRANKS = """
trammel: 1
name: cranks
space: planar
parameters: {long: 0.02, c: cos(1), s: sin(1)}
ground: {points: {P: [0, 0], Q: [1, 0], R: [2 - long*c + 5e-4, -long*s]}}
bodies:
  p: {mass: 1, inertia: 0.1, position: [c/2, s/2], angle: 1, points: {A: [-1/2, 0], B: [1/2, 0]}}
  q: {mass: 1, inertia: 0.1, position: [1 + c/2, s/2], angle: 1, points: {A: [-1/2, 0], B: [1/2, 0]}}
  r: {mass: 1, inertia: 0.1, position: [2 + c/2 - long*c/2, s/2 - long*s/2], angle: 1, points: {A: [-(1 + long)/2, 0], B: [(1 + long)/2, 0]}}
  rod: {mass: 2, inertia: 0.5, position: [c, s], points: {P: [0, 0], Q: [1, 0], R: [2, 0]}}
joints:
  A: {type: revolute, connect: [ground.P, p.A]}
  B: {type: revolute, connect: [p.B, rod.P]}
  C: {type: revolute, connect: [ground.Q, q.A]}
  D: {type: revolute, connect: [q.B, rod.Q]}
  E: {type: revolute, connect: [ground.R, r.A]}
  F: {type: revolute, connect: [r.B, rod.R]}
initial: {A.rate: 1}
simulate: {duration: 1.5}
"""
# the same in space, about axes that are not parallel
SPATIAL = """
trammel: 1
name: double pendulum in space
space: spatial
parameters: {L: 1, m: 1, g: 9.81*L}
gravity: [0, 0, -g]
bodies:
  upper: {mass: m, inertia: [m*L^2/100, m*L^2/12, m*L^2/12], position: [L/2, 0, 0], points: {A: [-L/2, 0, 0], B: [L/2, 0, 0]}}
  lower: {mass: m, inertia: [m*L^2/100, m*L^2/12, m*L^2/12], position: [3*L/2, 0, 0], points: {A: [-L/2, 0, 0], B: [L/2, 0, 0]}}
joints:
  A: {type: revolute, connect: [ground, upper.A], axis: [0, 1, 0.3]}
  B: {type: revolute, connect: [upper.B, lower.A], axis: [0.2, 1, 0]}
simulate: {duration: 3}
"""
# an arm on a ball, led by two angles of its orientation, and a second one that swings on it
LED = """
trammel: 1
name: led arm
space: spatial
parameters: {L: 1, m: 1, g: 9.81*L}
gravity: [0, 0, -g]
bodies:
  arm: {mass: m, inertia: [m*L^2/100, m*L^2/12, m*L^2/12], position: [L/2, 0, 0]}
  end: {mass: m, inertia: [m*L^2/100, m*L^2/12, m*L^2/12], position: [3*L/2, 0, 0]}
joints:
  A: {type: spherical, connect: [ground, arm], at: [0, 0, 0]}
  B: {type: revolute, connect: [arm, end], at: [L, 0, 0], axis: [0.2, 1, 0]}
  pitch: {type: driver, of: arm.pitch, value: sin(3*t)}
  yaw: {type: driver, of: arm.yaw, value: 2*t^2}
simulate: {duration: 3}
"""
UNITS = ((1, 1), (1e-9, 1), (1e9, 1), (1, 1e-12), (1, 1e12), (1e-9, 1e12), (1e9, 1e-12))
# what should come out, in any units; and how
JUDGED = (
    ("completed", ()),
    ("completed", ("--step", 1e-3)),
    ("completed", ("--integrator", "three-field", "--step", 1e-2)),
    ("doubtful", ("--step", 0.1)),
    ("doubtful", ("--integrator", "three-field", "--step", 0.2)),
    ("doubtful", ("--stabilization", "none", "--step", 0.02)),
    ("doubtful", ("--stabilization", "embedded", "--step", 0.1)),
)


class Doubtful(unittest.TestCase):
    def test_whatever_the_units(self):
        for status, options in JUDGED:
            for length, mass in UNITS:
                with self.subTest(options=options, length=length, mass=mass):
                    run = Run(RODS, *options, "--set", f"L={length}", "--set", f"m={mass}",
                              status=status == "doubtful", estimate=True)
                    self.assertEqual(run.summary["status"], status, run.summary["message"])

    def test_whatever_the_units_in_space(self):
        for coordinates in ("natural", "euler-parameters", "relative"):
            for status, options in (("completed", ()), ("completed", ("--step", 5e-3)), ("doubtful", ("--step", 0.1))):
                for length, mass in UNITS:
                    with self.subTest(coordinates=coordinates, options=options, length=length, mass=mass):
                        run = Run(SPATIAL, *options, "--coordinates", coordinates, "--set", f"L={length}", "--set", f"m={mass}",
                                  status=status == "doubtful", estimate=True)
                        self.assertEqual(run.summary["status"], status, run.summary["message"])

    def test_whatever_the_units_of_what_is_led(self):
        for coordinates in ("natural", "euler-parameters", "relative"):
            for status, options in (("completed", ()), ("completed", ("--step", 1e-3)), ("doubtful", ("--step", 0.02))):
                for length, mass in UNITS:
                    with self.subTest(coordinates=coordinates, options=options, length=length, mass=mass):
                        run = Run(LED, *options, "--coordinates", coordinates, "--set", f"L={length}", "--set", f"m={mass}",
                                  status=status == "doubtful", estimate=True)
                        self.assertEqual(run.summary["status"], status, run.summary["message"])

    def test_violations_are_named(self):
        run = Run(RODS, "--stabilization", "none", "--step", 0.05, status=1)
        self.assertEqual(run.summary["status"], "doubtful")
        self.assertGreater(run.summary["max_position_violation"], 1e-3)
        self.assertRegex(run.summary["message"], r"(joint '[AB]'|body 'lower'|body 'upper') is open by")
        self.assertIn("take stabilization direct", run.summary["message"])
        self.assertIn("doubtful", run.error)
        self.assertEqual(run["t"][-1], 3)

    def test_velocity_violations_are_named(self):
        run = Run(ROOT / "models/chaplygin_sleigh.yaml", "--integrator", "three-field", "--step", 0.1, status=1)
        self.assertEqual(run.summary["status"], "doubtful")
        self.assertGreater(run.summary["max_velocity_violation"], 1e-2)
        self.assertIn("velocity constraint 1 opens at", run.summary["message"])

    def test_a_redundant_joint_that_opens(self):
        run = Run(CRANKS, status=1)
        self.assertRegex(run.error, "joint '[A-F]' is open by 0.0[0-9]+ of the model's length")
        self.assertIn("it is redundant and was left out", run.error)
        self.assertNotIn("of the model's length", Run(CRANKS, "--duration", 0.2).error)

    def test_allowed(self):
        """Who knows gets exit status 0; the summary stays what it is."""
        run = Run(RODS, "--stabilization", "none", "--step", 0.05, "--allow-doubtful")
        self.assertEqual(run.summary["status"], "doubtful")
        self.assertEqual(run.error, "")

    def test_an_energy_that_is_no_number_is_not_zero(self):
        heavy = "trammel: 1\nname: heavy\nspace: planar\noutputs: [b.x]\nsimulate: {duration: 0}\n" \
                "bodies: {b: {mass: 1e300, inertia: 1, velocity: [1e10, 0]}}\n"
        run = Run(heavy, status=1)
        self.assertEqual(run.summary["status"], "doubtful")
        self.assertIsNone(run.summary["max_energy_error"])
        self.assertIn("take other units", run.summary["message"])

    def test_large_steps_that_keep_the_energy(self):
        """Second order, no damping: the balance is right, the motion is not."""
        for options in (("--integrator", "trapezoidal"), ("--integrator", "three-field"),
                        ("--integrator", "rk4", "--energy", "conserve")):
            with self.subTest(options=options):
                run = Run(RODS, *options, "--step", 0.1, status=1, estimate=True)
                self.assertEqual(run.summary["status"], "doubtful")
                self.assertRegex(run.summary["message"], r"estimated error of (upper|lower)\.")
                self.assertIn("take a smaller step", run.summary["message"])


class Estimate(unittest.TestCase):
    def true_error(self, run):
        return largest(abs(x - math.cos(7 * t)) for t, x in zip(run["t"], run["b.x"]))

    def judge(self, *options):
        run = Run(OSCILLATOR, *options, "--allow-doubtful", estimate=True)
        true, estimated = self.true_error(run), run.summary["estimated_error"]
        self.assertIsNotNone(estimated)
        if true > 0.05 * 2.2:
            self.assertEqual(run.summary["status"], "doubtful")
        if true < 0.05 * 1.8 and run.summary["max_energy_error"] < 0.01 * 49:
            self.assertEqual(run.summary["status"], "completed", run.summary["message"])
        floor = 1e-12
        self.assertTrue(true / 10 <= estimated + floor and estimated <= 10 * true + floor, f"{estimated} of {true}")

    def test_fixed_steps(self):
        for integrator in ("euler", "rk4", "rk6", "ab2", "ab4", "ab6", "trapezoidal", "generalized-alpha", "three-field"):
            for step in (0.05, 0.01, 1e-3):
                with self.subTest(integrator=integrator, step=step):
                    if integrator in ("euler", "ab4", "ab6") and step == 0.05:
                        continue  # far beyond all bounds: they fail, which is no error to estimate
                    self.judge("--integrator", integrator, "--step", step)

    def test_variable_steps(self):
        for integrator in ("dopri5", "dop853", "radau5", "adams", "bdf", "ida"):
            for rtol in (1e-2, 1e-4, 1e-6, 1e-8):
                with self.subTest(integrator=integrator, rtol=rtol):
                    self.judge("--integrator", integrator, "--rtol", rtol, "--atol", rtol / 1000)

    def test_the_default(self):
        self.judge()

    def test_switched_off(self):
        run = Run(OSCILLATOR, "--integrator", "rk4", "--step", 0.01)
        self.assertIsNone(run.summary["estimated_error"])
        self.assertEqual(run.summary["estimate_seconds"], 0)

    def test_the_cost_is_told(self):
        run = Run(OSCILLATOR, estimate=True)
        self.assertGreater(run.summary["estimate_seconds"], 0)


TRIANGLE = """
trammel: 1
name: a frame
space: planar
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 1, points: {A: [0, 0], B: [1, 0]}}
  b: {mass: 1, inertia: 1, position: [1, 0], points: {A: [0, 0], B: [0, 1]}}
joints:
  A: {type: revolute, connect: [ground, a.A]}
  B: {type: revolute, connect: [a.B, b.A]}
  C: {type: revolute, connect: [b.B, ground], at: [1, 1]}
simulate: {duration: 1}
"""
DRIVEN = """
trammel: 1
name: driven
space: planar
bodies: {a: {mass: 1, inertia: 1, points: {A: [0, 0]}}}
joints:
  A: {type: revolute, connect: [ground, a.A]}
  D: {type: driver, of: A.angle, value: "%s"}
simulate: {duration: 1}
"""


class Impossible(unittest.TestCase):
    def test_what_cannot_move_is_told(self):
        run = Run(TRIANGLE, estimate=True)
        self.assertEqual(run.summary["degrees_of_freedom"], 0)
        self.assertIn("nothing can move", run.summary["message"])
        self.assertNotIn("nothing can move", Run(DRIVEN % "t", estimate=True).summary["message"])

    def test_a_law_that_jumps_is_refused(self):
        for law, what, at in (("heaviside(t - 0.5)", "its value jumps at t = 0.5, from 0 to 1", 0.5),
                              ("if(t < 0.3, t, 2)", "its value jumps at t = 0.3", 0.3)):
            with self.subTest(law=law):
                run = Run(DRIVEN % law, status=3)
                self.assertRegex(run.error, r"model\.yaml:8:3: error: joint 'D': " + what.replace(".", r"\."))
                self.assertIn("smooth(x, tau)", run.error)
                Run(DRIVEN % law, "--duration", at / 2)  # before it all is well

    def test_a_blow_is_told(self):
        for law, what in (("min(t, 0.25)", "its rate jumps at t = 0.25, from 1 to 0"),
                          ("abs(t - 0.125)", "its rate jumps at t = 0.125, from -1 to 1")):
            with self.subTest(law=law):
                run = Run(DRIVEN % law, "--allow-doubtful")
                self.assertIn("warning: joint 'D': " + what, run.error)

    def test_laws_that_do_not(self):
        for law in ("step(t, 0.2, 0, 0.4, 1)", "abs(t - 0.5)*(t - 0.5)", "if(t < 0.5, 0, (t - 0.5)^2)", "abs(sin(t)) + 1e-3*sin(40*t)",
                    "smooth(heaviside(t - 0.5), 0.05)"):
            with self.subTest(law=law):
                self.assertNotIn("jumps", Run(DRIVEN % law).error)


if __name__ == "__main__":
    unittest.main()
