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

    # ---- smooth(x, tau) ----

    FILTER = """trammel: 1
space: planar
parameters: {tau: 0.2}
bodies: {rod: {mass: 2, inertia: 0.3}, cart: {mass: 1.5, inertia: 1, position: [3, 0]}}
inputs: {ramp: "1 + 0.7*t", up: "if(t > 0, 1, 0)"}
variables: {half: "0.5*smooth(ramp, tau)"}
joints:
  J: {type: revolute, connect: [ground, rod]}
  D: {type: driver, of: J.angle, value: "2*half"}
  X: {type: driver, of: cart.x, value: "2 + smooth(ramp, tau)^2"}
states: {after: {initial: "half", rate: "0*smooth(up, tau)"}}
forces: {pull: {type: force, point: cart, value: [0, "1.5*smooth(smooth(ramp, tau), 2*tau)"]}}
outputs: [half, J.angle, J.rate, rod.alpha, D.effort, X.effort, cart.x, cart.ay, after, constraint, energy]
simulate: {duration: 1, output-step: 0.125}
"""

    @staticmethod
    def ramp(t, tau=0.2, slope=0.7):
        """y, y′, y″ of the filter of 1 + slope t"""
        decay = math.exp(-t / tau)
        return (1 + slope * (t - 2 * tau + (t + 2 * tau) * decay), slope * (1 - (1 + t / tau) * decay),
                slope * t / tau ** 2 * decay)

    def check_ramp(self, run, tolerance):
        for i, t in enumerate(run["t"]):
            y, dy, ddy = self.ramp(t)
            self.near(run["half"][i], y / 2, tolerance, f"half at {t}")
            self.near(run["J.angle"][i], y, tolerance)
            self.near(run["J.rate"][i], dy, 20 * tolerance)
            self.near(run["D.effort"][i], 0.3 * ddy, 100 * tolerance)
            self.near(run["cart.x"][i], 2 + y * y, 10 * tolerance)
            self.near(run["X.effort"][i], 1.5 * (2 * dy * dy + 2 * y * ddy), 500 * tolerance)
            self.near(run["after"][i], 0.5, tolerance)
            self.near(run["constraint.position"][i], 0, 1e-12)
            self.near(run["constraint.velocity"][i], 0, 1e-11)

    def test_drivers_follow_a_filtered_input(self):
        for coordinates in PLANAR:
            with self.subTest(coordinates):
                run = Run(self.FILTER, *EXACT, "--coordinates", coordinates)
                self.check_ramp(run, 1e-9)
                self.near(max(map(abs, run["energy.error"])), 0, 1e-8)

    def test_every_integrator_at_its_order(self):
        orders = {"euler": 1, "rk4": 4, "ab3": 3, "trapezoidal": 2, "generalized-alpha": 2, "three-field": 2}
        for name, order in orders.items():
            with self.subTest(name):
                off = []
                for step in (0.0125, 0.00625):
                    run = Run(self.FILTER, "--integrator", name, "--step", step)
                    off.append(max(abs(x - self.ramp(t)[0]) for t, x in zip(run["t"], run["J.angle"])))
                    self.near(max(run["constraint.position"]), 0, 1e-10)
                rate = math.log2(off[0] / off[1])
                self.assertTrue(abs(rate - order) <= 0.35, f"{name}: order {rate}, errors {off}")
        for name in ("dopri5", "radau5", "ida", "bdf", "adams"):
            with self.subTest(name):
                self.check_ramp(Run(self.FILTER, "--integrator", name, "--rtol", "1e-9", "--atol", "1e-11"), 1e-7)


if __name__ == "__main__":
    unittest.main()
