"""A run ends where what it records is no finite number, and says which column it is."""
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from program import Run

# a constant push: from t = 1.34e4 on the square of the speed is more than a number can hold
PUSH = """
trammel: 1
name: a long push
space: planar
bodies: {b: {mass: 1, inertia: 1}}
forces: {push: {type: force, point: b, value: [1e150, 0]}}
simulate: {duration: 1.5e4, output-step: 100, step: %s, integrator: %s}
%s
"""


class NotFinite(unittest.TestCase):
    def assert_finite(self, run):
        for name, values in run.columns.items():
            self.assertTrue(all(map(math.isfinite, values)), name)

    def test_the_column_is_named(self):
        for integrator in ("euler", "rk4", "ab4"):
            with self.subTest(integrator=integrator):
                run = Run(PUSH % (100, integrator, ""), status=1)
                self.assertEqual(run.summary["status"], "failed")
                self.assertRegex(run.summary["message"], r"^t = 13500: 'energy\.kinetic' is infinite")
                self.assertIn("'energy.kinetic'", run.error)
                self.assertEqual(run["t"][-1], 13400)
                self.assertEqual(len(run["t"]), 135)
                self.assert_finite(run)

    def test_not_recorded(self):
        """Where nobody records the energy, or not at that time, its balance is lost all the same."""
        for integrator, outputs in (("rk4", "outputs: [b.x]"), ("dopri5", "")):
            run = Run(PUSH % (100, integrator, outputs), status=1)
            self.assertEqual(run.summary["status"], "failed")
            self.assertIn("the energy is no longer finite", run.summary["message"])
            self.assert_finite(run)

    def test_a_force_too_large_to_start_with(self):
        """Its square is infinite: once the first step was zero, for ever."""
        for integrator in ("dopri5", "dop853", "radau5"):
            with self.subTest(integrator=integrator):
                run = Run((PUSH % (100, integrator, "")).replace("1e150", "1e160"), status=1)
                self.assertEqual(run.summary["status"], "failed")
                self.assertNotIn("-nan", run.error)


if __name__ == "__main__":
    unittest.main()
