"""Shipped models with their own settings come out as completed; a sample of them with steps that are too large."""
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from coarse import ROOT, Matrix, Table

SANITIZED = "TRM_SANITIZED" in os.environ  # ten times as slow


class Coarse(unittest.TestCase):
    def test_own_settings(self):
        models = sorted((ROOT / "models").glob("*.yaml"))
        self.assertGreater(len(models), 30)
        for path in models:
            with self.subTest(model=path.stem):
                run = Table(path)
                self.assertEqual(run.exit, 0, run.error)
                self.assertEqual(run.summary["status"], "completed")
                self.assertIsNotNone(run.summary["estimated_error"])

    def test_sample(self):
        for name in ("pendulum",) if SANITIZED else ("pendulum", "kepler", "slider_crank"):
            with self.subTest(model=name):
                matrix = Matrix(name, methods=("rk4", "ab4", "trapezoidal", "three-field"), times=(1, 10, 100, 1000))
                self.assertEqual(matrix.wrong, [])
                self.assertEqual([what for good, what in matrix.estimates if not good], [])
                self.assertGreater(len(matrix.estimates), 8)


if __name__ == "__main__":
    unittest.main()
