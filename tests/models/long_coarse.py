"""All shipped models × six methods × steps up to 1000 times too large: 0 wrong ones that say nothing, and estimates that
are within a factor of 10 of the true error in 9 of 10 runs. The vehicle with its own settings."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from coarse import ROOT, Matrix, Table


class Coarse(unittest.TestCase):
    def test_matrix(self):
        wrong, estimates, count = [], [], 0
        for path in sorted((ROOT / "models").glob("*.yaml")):
            matrix = Matrix(path.stem)
            wrong += matrix.wrong
            estimates += matrix.estimates
            count += matrix.count
        poor = [what for good, what in estimates if not good]
        print(f"{count} runs, {len(wrong)} wrong; {len(estimates)} estimates, {len(poor)} not within a factor of 10", *poor, sep="\n")
        self.assertEqual(wrong, [])
        self.assertGreater(count, 900)
        self.assertGreater(len(estimates), 400)
        self.assertLessEqual(len(poor), 0.1 * len(estimates))

    def test_vehicle(self):
        for path in sorted((ROOT / "models/vehicle").glob("*.yaml")):
            if "simulate:" not in path.read_text():
                continue
            with self.subTest(model=path.stem):
                run = Table(path)
                self.assertEqual(run.summary.get("status"), "completed", run.error)
                self.assertEqual(run.exit, 0)


if __name__ == "__main__":
    unittest.main()
