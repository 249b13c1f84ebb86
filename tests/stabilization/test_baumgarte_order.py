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


if __name__ == "__main__":
    unittest.main()
