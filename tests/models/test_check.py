"""run --check: every shipped model that has a reference agrees with it, and disagreement is told."""
import csv
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"

# what each can be asked for, with its own step
TOLERANCES = {"four_bar": 1e-9, "four_bar_diagonal_spring": 1e-9, "quick_return": 1e-9, "pendulum": 1e-9,
              "slider_crank": 1e-7, "double_inverted_pendulum": 1e-8}

# constant speed along x: x = 2 t
SLIDE = """trammel: 1
space: planar
bodies: {b: {mass: 1, inertia: 1, velocity: [2, 0], points: {P: [0, 3]}}}
simulate: {duration: 1, step: 0.01, output-step: 0.1}
outputs: [energy]
"""


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(cell) for cell in row] for row in rows[1:]]


class Check(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def run_check(self, status, model, *words):
        command = [PROGRAM, "run", str(model), "--check", "-o", str(self.folder / "out"), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, status, f"{model}: {done.stdout}{done.stderr}")
        return done

    def summary(self):
        return json.loads((self.folder / "out/summary.json").read_text())

    def write(self, reference, expected, model=SLIDE):
        (self.folder / "expected.csv").write_text(expected)
        path = self.folder / "slide.yaml"
        path.write_text(model + reference)
        return path


class Shipped(Check):
    def largest_difference(self, reference):
        names, rows = table(self.folder / "out/results.csv")
        at = {round(row[0], 9): row for row in rows}
        wanted, expected = table(reference)
        off = [abs(at[round(row[0], 9)][names.index(name)] - value) for row in expected for name, value in zip(wanted, row)]
        return math.nan if any(map(math.isnan, off)) else max(off)  # max() alone may drop it

    def test_every_reference_is_met(self):
        models = [path for path in sorted(MODELS.glob("*.yaml")) if "\nreference:" in path.read_text()]
        self.assertLessEqual(TOLERANCES.keys(), {path.stem for path in models})
        for model in models:
            done = self.run_check(0, model)
            self.assertRegex(done.stdout, r"\n  check +passed: ")
            check = self.summary()["check"]
            off = self.largest_difference(check["reference"])
            self.assertIs(check["passed"], True)
            self.assertEqual(check["rows"], len(table(check["reference"])[1]))
            self.assertEqual(check["tolerance"], TOLERANCES.get(model.stem, check["tolerance"]))
            self.assertLessEqual(off, check["tolerance"])
            self.assertAlmostEqual(check["max_difference"], off, delta=1e-14)

    def test_a_coarse_run_fails(self):
        done = self.run_check(1, MODELS / "pendulum.yaml", "--integrator", "euler")
        self.assertRegex(done.stdout, r"\n  check +failed: ")
        self.assertRegex(done.stderr, r"error: the check failed: bob\.\w+ differs by")
        self.assertIs(self.summary()["check"]["passed"], False)
        self.assertEqual(self.summary()["status"], "doubtful")


class Own(Check):
    def test_columns_are_recorded_for_the_check(self):
        model = self.write("reference: {file: expected.csv, tolerance: 1e-9}\n",
                           "t,b.x,b.P.y,energy.kinetic\n0,0,3,2\n0.5,1,3,2\n1,2,3,2\n")
        self.run_check(0, model)
        names, _ = table(self.folder / "out/results.csv")
        self.assertEqual(names[-2:], ["b.x", "b.P.y"])
        self.assertEqual(names.count("energy.kinetic"), 1)

    def test_the_largest_difference_is_named(self):
        model = self.write("parameters: {e: 1e-3}\nreference: {file: expected.csv, tolerance: e/10}\n",
                           "t,b.x,b.P.y\n0,0,3\n0.5,1.25,3\n1,2,2.5\n")
        done = self.run_check(1, model)
        check = self.summary()["check"]
        self.assertEqual((check["column"], check["time"]), ("b.P.y", 1))
        self.assertAlmostEqual(check["max_difference"], 0.5, delta=1e-9)
        self.assertAlmostEqual(check["tolerance"], 1e-4)
        self.assertIn("b.P.y differs by 0.5 at t = 1", done.stderr)

    def test_other_times_are_skipped(self):
        model = self.write("reference: {file: expected.csv, tolerance: 1e-9}\n",
                           "t,b.x\n0,0\n0.25,77\n0.5,1\n7,77\n")
        self.run_check(0, model)
        self.assertEqual(self.summary()["check"]["rows"], 2)

    def test_no_common_time(self):
        model = self.write("reference: {file: expected.csv, tolerance: 1e-9}\n",
                           "t,b.x\n0,0\n0.25,0.5\n")
        done = self.run_check(1, model)
        self.assertIn("choose another output-step", done.stderr)
        self.assertIs(self.summary()["check"]["passed"], False)
        self.assertIsNone(self.summary()["check"]["max_difference"])
        self.run_check(0, model, "--output-step", "0.05")

    def test_quiet_and_json(self):
        model = self.write("reference: {file: expected.csv, tolerance: 1e-9}\n", "t,b.x\n0,0\n1,3\n")
        done = self.run_check(1, model, "--quiet")
        self.assertEqual(done.stdout, "")
        self.assertIn("the check failed", done.stderr)
        self.assertIs(json.loads(self.run_check(1, model, "--json").stdout)["check"]["passed"], False)


class Wrong(Check):
    def test_no_reference(self):
        path = self.folder / "slide.yaml"
        path.write_text(SLIDE)
        self.assertIn("names no reference", self.run_check(2, path).stderr)

    def test_without_check_nothing_is_compared(self):
        path = self.write("reference: {file: nowhere.csv, tolerance: 1}\n", "")
        command = [PROGRAM, "run", str(path), "-o", str(self.folder / "out")]
        self.assertEqual(subprocess.run(command, capture_output=True).returncode, 0)
        self.assertNotIn("check", self.summary())

    def test_references_that_cannot_be_used(self):
        reference = "reference: {file: expected.csv, tolerance: 1}\n"
        cases = [("t,b.x,c.y\n0,0,0\n", "unknown measure 'c.y'"),
                 ("t,b.x\n0,zero\n", "'zero' is no number"),
                 ("", "expected.csv")]
        for expected, message in cases:
            self.assertIn(message, self.run_check(3, self.write(reference, expected)).stderr)
        path = self.write("reference: {file: nowhere.csv, tolerance: 1}\n", "")
        self.assertIn("nowhere.csv", self.run_check(3, path).stderr)

    def test_mistakes_in_the_model(self):
        cases = [("reference: expected.csv\n", "6:12: error: reference: expected a map"),
                 ("reference: {file: a.csv}\n", "6:1: error: reference: missing key 'tolerance'"),
                 ("reference: {tolerance: 1}\n", "6:1: error: reference: missing key 'file'"),
                 ("reference: {file: '', tolerance: 1}\n", "6:20: error: reference: the name"),
                 ("reference: {file: a.csv, tolerance: 0}\n", "6:37: error: reference: tolerance is 0"),
                 ("reference: {file: a.csv, tol: 1}\n", "6:26: error: reference: unknown key 'tol'"),
                 ("reference: {file: a.csv, tolerance: t}\n", "6:37: error: reference: tolerance: ")]
        for reference, message in cases:
            done = self.run_check(3, self.write(reference, ""))
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
