#!/usr/bin/env python3
"""Formulas of the outputs, against the same computed from the columns, and closed forms."""
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from program import Run

PENDULUM = """trammel: 1
space: planar
gravity: [0, -g]
parameters: {L: 2, m: 3, g: 9.81}
bodies:
  bob: {mass: m, inertia: 0, position: [L, 0], points: {O: [-L, 0]}}
joints:
  pin: {type: revolute, connect: [ground, bob.O]}
simulate: {duration: 2, output-step: 0.05}
"""
# twice the same pin: a redundant joint, whose reactions are shared
DOUBLE = PENDULUM.replace("simulate", "  pin2: {type: revolute, connect: [ground, bob.O]}\nsimulate")


class OutputFormulasTest(unittest.TestCase):
    def near(self, found, expected, tolerance, what=""):
        self.assertTrue(abs(found - expected) <= tolerance, f"{what}: {found}, expected {expected}")

    def test_pull_of_a_pendulum(self):
        """Released level: v = sqrt(2 g h), and the pin pulls with 3 m g sin(fall), in every formulation."""
        model = PENDULUM + """outputs:
  - bob
  - {speed: "hypot(bob.vx, bob.vy)"}
  - {pull: "hypot(pin.fx, pin.fy)"}
  - {weight: "pull0*t/t"}
metrics: {most: max(pull)}
""".replace("pull0", "m*g")
        for form in ("natural", "angle", "euler-parameters", "cartesian"):
            run = Run(model, "--coordinates", form)
            for speed, pull, y, weight, t in zip(run["speed"], run["pull"], run["bob.y"], run["weight"], run["t"]):
                self.near(speed, math.sqrt(max(0.0, -2 * 9.81 * y)), 1e-6, f"{form} speed at {t}")
                self.near(pull, 3 * 3 * 9.81 * abs(y) / 2, 1e-5, f"{form} pull at {t}")
                if t == 0:  # 0/0
                    self.assertTrue(math.isnan(weight))
                else:
                    self.near(weight, 3 * 9.81, 1e-12)
            self.near(run.summary["metrics"]["most"], max(run["pull"]), 1e-12)

    def test_columns_in_their_order(self):
        run = Run(PENDULUM + "outputs: [bob.x, {a: 2*bob.x + t}, pin.f, {b: pin.f - pin.fx*0}]\n")
        self.assertEqual(list(run.columns), ["t", "bob.x", "a", "pin.f", "b"])
        for t, x, a, f, b in zip(*run.columns.values()):
            self.near(a, 2 * x + t, 1e-12)
            self.assertEqual(f, b)
        self.assertEqual(list(Run(PENDULUM + "outputs: {a: bob.x}\n").columns), ["t", "a"])

    def test_reactions_of_redundant_joints(self):
        """They are shared out where only a formula asks for them."""
        run = Run(DOUBLE + 'outputs: [{half: "hypot(pin.fx, pin.fy)"}, {other: pin2.f}, bob.y]\n')
        for half, other, y in zip(run["half"], run["other"], run["bob.y"]):
            self.near(half, 3 * 3 * 9.81 * abs(y) / 4, 1e-5)
            self.near(other, half, 1e-9)

    def test_default_columns_obey_newton(self):
        run = Run(PENDULUM)
        for ax, ay, fx, fy in zip(run["bob.ax"], run["bob.ay"], run["pin.fx"], run["pin.fy"]):
            self.near(3 * ax, fx, 1e-9)
            self.near(3 * ay, fy - 3 * 9.81, 1e-9)

    def test_system_of_ones_own(self):
        system = """trammel: 1
system: {coordinates: {x: 1}, mass: {x: 2}, forces: {x: -8*x}}
simulate: {duration: 3, output-step: 0.1}
outputs: [x, {swing: "hypot(x, x'/2)"}, {push: "2*x''"}]
"""
        run = Run(system)
        for x, swing, push in zip(run["x"], run["swing"], run["push"]):
            self.near(swing, 1, 1e-7)
            self.near(push, -8 * x, 1e-9)
        error = Run(system.replace("{swing:", "{x:"), status=3).error
        self.assertIn("output 'x': there is a measure of this name", error)


if __name__ == "__main__":
    unittest.main()
