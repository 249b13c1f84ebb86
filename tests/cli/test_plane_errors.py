"""Motions that cannot be: drivers against each other, against the joints, out of reach; gears and coefficients."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
FORMULATIONS = ("natural", "angle", "euler-parameters", "cartesian")

TWO_CRANKS = """trammel: 1
space: planar
ground: {points: {O: [0, 0], D: [0.4, 0]}}
bodies:
  left: {mass: 1, inertia: 1, points: {A: [0, 0], B: [0.1, 0]}}
  right: {mass: 1, inertia: 1, position: [0.4, 0], points: {A: [0, 0], B: [0.1, 0]}}
joints:
  A: {type: revolute, connect: [ground.O, left.A]}
  B: {type: revolute, connect: [ground.D, right.A]}
"""

# stretched out where C.x = r + l = 0.4: at t = (0.4 - sqrt(0.08))/0.2 = 0.58579
PULLED = """trammel: 1
space: planar
ground: {points: {O: [0, 0]}}
parameters: {r: 0.1, l: 0.3}
bodies:
  crank: {mass: 1, inertia: 0.01, angle: pi/2, points: {A: [0, 0], B: [r, 0]}}
  rod: {mass: 1, inertia: 0.01, position: [0, r], angle: -asin(r/l), points: {B: [0, 0], C: [l, 0]}}
joints:
  A: {type: revolute, connect: [ground.O, crank.A]}
  B: {type: revolute, connect: [crank.B, rod.B]}
  C: {type: point-on-line, connect: [ground.O, rod.C], axis: [1, 0]}
  pull: {type: driver, of: rod.C.x, value: sqrt(l^2 - r^2) + 0.2*t}
simulate: {duration: 2, step: 1e-3}
"""


class PlaneErrors(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def call(self, status, text, *options):
        path = self.folder / "model.yaml"
        path.write_text(text)
        done = subprocess.run([PROGRAM, "run", "model.yaml", *options, "-o", "out", "--no-report"],
                              cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr

    def refused(self, joints, *words):
        """Exit status 3 in every formulation, and a message with all the words."""
        for coordinates in FORMULATIONS:
            text = self.call(3, TWO_CRANKS + joints, "--coordinates", coordinates)
            for word in words:
                self.assertIn(word, text, coordinates)
        return text

    def test_one_freedom_takes_one_driver(self):
        text = self.refused("  D1: {type: driver, of: A, value: t}\n  D2: {type: driver, of: A.angle, value: t}\n",
                            "joint 'D2'", "driven already", "'D1'")
        self.assertIn("model.yaml:11:", text)

    def test_drivers_that_contradict_each_other(self):
        drivers = "  D1: {type: driver, of: A, value: t}\n  D2: {type: driver, of: left.angle, value: %s}\n"
        self.refused(drivers % "2*t", "joint 'D1'", "joint 'D2'", "cannot move as required")
        self.refused(drivers % "1 + t", "joint 'D", "cannot close")

    def test_drivers_that_contradict_each_other_later(self):
        """They agree at the start, in position and velocity."""
        self.refused("  D1: {type: driver, of: A, value: t^3}\n  D2: {type: driver, of: left.angle, value: 2*t^3}\n",
                     "joint 'D1'", "joint 'D2'", "more drivers than freedoms")

    def test_drivers_that_contradict_the_joints(self):
        self.refused("  D: {type: driver, of: left.A.x, value: 0.1}\n", "joint 'D'", "cannot close")
        self.refused("  D: {type: driver, of: left.A.x, value: t}\n", "joint 'D'", "cannot move as required")
        self.refused("  G: {type: gear, joints: [A, B], ratio: -2}\n  D1: {type: driver, of: A, value: t}\n"
                     "  D2: {type: driver, of: B, value: t}\n", "joint 'D1'", "joint 'D2'", "cannot move as required")

    def test_more_drivers_than_freedoms(self):
        """Even where they agree: their efforts would be anybody's guess."""
        self.refused("  G: {type: gear, joints: [A, B], ratio: -2}\n  D1: {type: driver, of: A, value: t}\n"
                     "  D2: {type: driver, of: B, value: -2*t}\n", "'D1'", "'D2'", "more drivers than freedoms")
        self.refused("  D: {type: driver, of: left.A.x, value: 0}\n", "'D'", "more drivers than freedoms")

    def test_as_many_drivers_as_freedoms(self):
        self.call(0, TWO_CRANKS + "  D1: {type: driver, of: A, value: t}\n  D2: {type: driver, of: B, value: -t}\n")

    def test_motion_out_of_reach(self):
        for coordinates in FORMULATIONS:
            for stabilization in ("direct", "partition"):
                text = self.call(1, PULLED, "--coordinates", coordinates, "--stabilization", stabilization)
                self.assertIn("t = 0.58", text, coordinates)
                self.assertIn("cannot be met", text, coordinates)
                self.assertIn("joint 'pull'", text, coordinates)
                summary = json.loads((self.folder / "out/summary.json").read_text())
                self.assertEqual(summary["status"], "failed")
                self.assertAlmostEqual(summary["time_reached"], 0.5858, delta=2e-3)
                self.assertIn("t = 0.58", summary["message"])

    def test_motion_out_of_reach_from_the_start(self):
        text = self.call(3, PULLED.replace("sqrt(l^2 - r^2)", "0.5"))
        self.assertIn("joint '", text)
        self.assertIn("cannot close", text)

    def test_law_that_ends(self):
        text = self.call(1, PULLED.replace("value: sqrt(l^2 - r^2) + 0.2*t",
                                           'value: "table(t, 0, sqrt(l^2 - r^2), 0.25, 0.3, 0.5, 0.29)"'))
        self.assertIn("t = 0.5", text)
        self.assertIn("joint 'pull'", text)

    def test_gear_ratio(self):
        text = self.refused("  G: {type: gear, joints: [A, B], ratio: 0}\n", "joint 'G'", "ratio is 0")
        self.assertIn("model.yaml:10:", text)

    def test_baumgarte_coefficients(self):
        for key in ("alpha", "beta"):
            text = self.call(3, TWO_CRANKS + f"simulate: {{stabilization: baumgarte, {key}: -1}}\n")
            self.assertIn("model.yaml:10:", text)
            self.assertIn(f"{key} is -1, it must not be negative", text)
            text = self.call(2, TWO_CRANKS, "--stabilization", "baumgarte", f"--{key}", "-1")
            self.assertIn(f"{key} is -1", text)


if __name__ == "__main__":
    unittest.main()
