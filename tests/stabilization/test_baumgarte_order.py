"""Integrators keep their order with Baumgarte stabilization and its default coefficients."""
import math
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from program import Run, largest_difference

MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"


class BaumgarteOrder(unittest.TestCase):
    def test_runge_kutta(self):
        options = ["--duration", "1", "--output-step", "1", "--stabilization", "baumgarte"]
        for name, columns in [("four_bar", ["crank.x", "crank.vy"]), ("double_inverted_pendulum", ["cart.x", "cart.vx"])]:
            model = MODELS / f"{name}.yaml"
            reference = Run(model, *options[:4], "--integrator", "dop853", "--step", "1", "--rtol", "1e-12", "--atol", "1e-14")
            for integrator, order, steps in [("rk4", 4, ["4e-3", "2e-3"]), ("rk6", 6, ["1.6e-2", "8e-3"] if name != "four_bar" else ["8e-3", "4e-3"])]:
                errors = [largest_difference(Run(model, *options, "--integrator", integrator, "--step", h), reference, columns) for h in steps]
                self.assertGreater(math.log2(errors[0] / errors[1]), order - 0.5, (name, integrator, errors))

    def test_thin_body(self):
        """Natural coordinates have next to no mass across a thin plate: what would only deform it does not tell how fast it moves."""
        model = """trammel: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  plate: {mass: 1, inertia: [0.02, 0.03, 0.04999999], orientation: {axis: [1, 2, 0.5], angle: 0.7}, points: {A: [0.3, -0.2, 0.1], B: [0.1, 0.1, 0.2]}}
joints: {hinge: {type: revolute, connect: [ground, plate.A], axis: [0.3, 1, 0.2]}}
forces: {push: {type: force, point: plate.B, value: [1, 0.5, 2]}}
outputs: [plate]
"""
        options = ["--duration", "1", "--output-step", "1"]
        reference = Run(model, *options, "--integrator", "dop853", "--rtol", "1e-12", "--atol", "1e-14")
        rk4 = ["--coordinates", "natural", "--stabilization", "baumgarte", "--integrator", "rk4", "--step"]
        errors = [largest_difference(Run(model, *options, *rk4, h), reference, ["plate.x", "plate.vz"]) for h in ("2e-3", "1e-3")]
        self.assertGreater(math.log2(errors[0] / errors[1]), 3.5, errors)

    def test_driven_from_rest(self):
        """Without a force only the driver tells how fast the motion is; one that waits tells nothing at the start."""
        model = """trammel: 1
space: planar
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {A: [-0.5, 0], B: [0.5, 0]}}
  rod: {mass: 1, inertia: 0.1, position: [1, -0.5], points: {A: [0, 0.5]}}
joints:
  A: {type: revolute, connect: [ground, crank.A]}
  B: {type: revolute, connect: [crank.B, rod.A]}
  motor: {type: driver, of: A, value: "%s"}
outputs: [rod]
"""
        options = ["--duration", "1", "--output-step", "1"]
        for law in ("1 - cos(2*t)", "t^5"):
            reference = Run(model % law, *options, "--integrator", "dop853", "--rtol", "1e-12", "--atol", "1e-14")
            rk4 = ["--stabilization", "baumgarte", "--integrator", "rk4", "--step"]
            errors = [largest_difference(Run(model % law, *options, *rk4, h), reference, ["rod.x", "rod.vy"]) for h in ("5e-3", "2.5e-3")]
            self.assertGreater(math.log2(errors[0] / errors[1]), 3.5, (law, errors))


if __name__ == "__main__":
    unittest.main()
