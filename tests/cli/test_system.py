"""Systems of the user's own on the command line: check, run, compare, bench, and what is refused."""
import csv
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"

# two coordinates fall freely along a line
FALL = """trammel: 1
name: Fall
parameters: {g: 10}
system:
  coordinates: {x: 0, y: 0}
  mass: {x: 1, y: 1}
  forces: {y: -g}
  constraints: [x - y]
simulate: {duration: 1, step: 0.01, output-step: 0.5}
"""


class System(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.fall = self.folder / "fall.yaml"
        self.fall.write_text(FALL)

    def call(self, status, *words):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120,
                              cwd=self.folder)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
        return done

    def test_check(self):
        done = self.call(0, "check", MODELS / "point_double_four_bar.yaml")
        self.assertIn("(a system of its own)", done.stdout)
        self.assertRegex(done.stdout, r"generalized coordinates +6")
        self.assertRegex(done.stdout, r"constraint rows +5")
        self.assertRegex(done.stdout, r"degrees of freedom +1")
        found = json.loads(self.call(0, "check", self.fall, "--json").stdout)
        self.assertIsNone(found["space"])
        self.assertIsNone(found["coordinates"])
        self.assertEqual(found["degrees_of_freedom"], 1)

    def test_run_without_energy(self):
        done = self.call(0, "run", self.fall, "--set", "g=20", "-o", "out")
        self.assertIn("the system gives no energy", done.stdout)
        summary = json.loads((self.folder / "out/summary.json").read_text())
        for key in ("space", "coordinates", "energy_initial", "energy_final", "max_energy_error"):
            self.assertIsNone(summary[key], key)
        with open(self.folder / "out/results.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["t", "x", "y", "x'", "y'", "x''", "y''", "lambda1",
                                         "energy.kinetic", "constraint.position", "constraint.velocity"])
        # along the line both fall with g/2, the constraint carries the rest
        self.assertAlmostEqual(float(rows[-1]["y"]), -5, delta=1e-12)
        self.assertAlmostEqual(float(rows[-1]["x''"]), -10, delta=1e-12)
        self.assertAlmostEqual(float(rows[-1]["lambda1"]), 10, delta=1e-12)

    def test_methods(self):
        done = self.call(0, "compare", "--methods", self.fall, "--integrator", "rk4", "--json")
        runs = json.loads(done.stdout)["runs"]
        self.assertEqual(len(runs), 3 * 2)
        self.assertTrue(all(run["coordinates"] is None for run in runs))
        self.assertTrue(all(run["max_energy_error"] is None for run in runs))
        done = self.call(0, "bench", self.fall, "--seconds", "0.01")
        self.assertRegex(done.stdout, r"fall +own +udwadia-kalaba ")

    def test_accuracy(self):
        done = self.call(0, "accuracy", MODELS / "kepler.yaml", "--methods", "rk6", "--steps", "0.05,0.025,0.0125",
                         "--json", "-o", "out")
        runs = json.loads(done.stdout)["runs"]
        self.assertEqual([run["coordinates"] for run in runs], [None] * 3)
        self.assertAlmostEqual(runs[2]["order"], 6, delta=0.3)
        done = self.call(0, "accuracy", self.fall, "--methods", "rk4", "-o", "out")
        self.assertNotIn("nan", done.stdout)
        self.assertNotIn("nan", (self.folder / "out/accuracy.csv").read_text())

    def test_jumps_are_met(self):
        # x'' = -sign(x): from x = 1 back to it in 4 sqrt(2) seconds
        self.fall.write_text("trammel: 1\nsystem:\n  coordinates: {x: 1}\n  mass: {x: 1}\n"
                             "  forces: {x: -sign(x)}\n  energy: x'^2/2 + abs(x)\n"
                             "simulate: {duration: 4*sqrt(2), integrator: dopri5, rtol: 1e-9}\n")
        done = self.call(0, "run", self.fall, "-o", "out")
        self.assertIn("ended at a jump or bend of a formula", done.stdout)
        with open(self.folder / "out/results.csv", newline="") as file:
            last = list(csv.DictReader(file))[-1]
        self.assertAlmostEqual(float(last["x"]), 1, delta=1e-8)
        self.assertAlmostEqual(float(last["energy.work"]), 0, delta=1e-12)

    def test_refused(self):
        cases = [(["run", self.fall, "--coordinates", "natural"], 2, "coordinates of its own"),
                 (["check", self.fall, "--space", "spatial"], 2, "neither planar nor spatial"),
                 (["run", self.fall, "--energy", "conserve"], 2, "needs an energy"),
                 (["run", self.fall, "--set", "k=1"], 2, "no parameter 'k'"),
                 (["compare", "--methods", self.fall, "--coordinates", "angle"], 2, "of its own"),
                 (["accuracy", self.fall, "--coordinates", "angle"], 2, "of its own")]
        for words, status, message in cases:
            self.assertIn(message, self.call(status, *words).stderr)

    def test_leaving_a_domain(self):
        self.fall.write_text(FALL.replace("y: -g", "y: -g*sqrt(0.5 + y)"))
        done = self.call(1, "run", self.fall, "-o", "out", "--duration", "10")
        self.assertRegex(done.stderr, r"fall.yaml:7:15: error: t = \S+: the force on 'y' is not a number")
        summary = json.loads((self.folder / "out/summary.json").read_text())
        self.assertEqual(summary["status"], "failed")
        self.assertGreater(summary["time_reached"], 0.1)


if __name__ == "__main__":
    unittest.main()
