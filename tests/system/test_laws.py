#!/usr/bin/env python3
"""Laws of joints: what they may be made of, against closed forms."""
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from program import Run

PLANAR = ("natural", "angle", "euler-parameters", "cartesian")
EXACT = ("--integrator", "dop853", "--rtol", "1e-11", "--atol", "1e-13")


class LawsTest(unittest.TestCase):
    def near(self, found, expected, tolerance, what=""):
        self.assertTrue(abs(found - expected) <= tolerance, f"{what}: {found}, expected {expected}")

    # ---- variables of t alone ----

    VARIABLES = """trammel: 1
space: planar
parameters: {I: 0.3, m: 2, w: 3}
bodies:
  rod: {mass: m, inertia: I}
  bob: {mass: m, inertia: I, position: [1, 0]}
joints:
  J: {type: revolute, connect: [ground, rod]}
  D: {type: driver, of: J.angle, value: "2*turn"}
  L: {type: distance, connect: [ground, bob], length: "1 + turn^2"}
  Y: {type: coordinate, sum: {bob.y: 1}, value: zero}
variables:
  turn: "swing*top"
  swing: sin(w*t)
  top: 0.4
  zero: 0
outputs: [turn, J.angle, J.rate, D.effort, bob.x, bob.vx, L.fx, constraint, energy]
simulate: {duration: 2, output-step: 0.25}
"""

    def test_a_variable_is_its_formula(self):
        for coordinates in PLANAR:
            with self.subTest(coordinates):
                run = Run(self.VARIABLES, *EXACT, "--coordinates", coordinates)
                for i, t in enumerate(run["t"]):
                    u, du, ddu = 0.4 * math.sin(3 * t), 1.2 * math.cos(3 * t), -3.6 * math.sin(3 * t)
                    self.near(run["turn"][i], u, 1e-14)
                    self.near(run["J.angle"][i], 2 * u, 1e-10)
                    self.near(run["J.rate"][i], 2 * du, 1e-10)
                    self.near(run["D.effort"][i], 0.3 * 2 * ddu, 1e-9)
                    self.near(run["bob.x"][i], 1 + u * u, 1e-10)
                    self.near(run["bob.vx"][i], 2 * u * du, 1e-10)
                    self.near(abs(run["L.fx"][i]), abs(2 * (2 * du * du + 2 * u * ddu)), 1e-9)
                    self.near(run["energy.error"][i], 0, 1e-9)


if __name__ == "__main__":
    unittest.main()
