"""Metrics of a run: against the rows of results.csv, and against a motion known in closed form."""
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

# thrown upwards in a field of constant gravity, seen from above
BALL = """trammel: 1
name: Ball
space: planar
gravity: [0, -10]
parameters: {v: 20, half: 0.5}
bodies:
  ball: {mass: 2, inertia: 0, velocity: [3, v]}
simulate: {duration: 4, output-step: 0.01}
outputs: [ball.x]
metrics:
  height: max(ball.y)
  rise_time: time_of_max(ball.y)
  average: mean(ball.y)
  area: integral(ball.y)
  steady: rms(ball.vx)
  passes: first(ball.y > 15)
  falls: first(ball.vy < 0)
  there: "at(ball.x, 2.005)"
  half_way: first(ball.y >= half*height)
  gradient: "slope(ball.vy, ball.x, 2, 9)"
  shot: range(ball.x)
  ratio: height/shot
  never: first(ball.y > 21)
"""


class MetricsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def run_model(self, text, *options, status=0):
        (self.folder / "model.yaml").write_text(text)
        done = subprocess.run([PROGRAM, "run", "model.yaml", "-o", "out", "--no-report", *options], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        self.printed = done.stdout
        with open(self.folder / "out/results.csv", newline="") as file:
            reader = csv.DictReader(file)
            self.header = reader.fieldnames
            rows = [[float(value) for value in row.values()] for row in reader]
        columns = dict(zip(self.header, zip(*rows)))
        return columns, json.loads((self.folder / "out/summary.json").read_text())

    def test_a_throw_has_the_values_of_the_formulas(self):
        columns, summary = self.run_model(BALL)
        expected = {
            "height": 20, "rise_time": 2, "steady": 3, "falls": 2, "gradient": -10 / 3, "shot": 12, "ratio": 20 / 12,
            "there": 6.015, "passes": 1, "half_way": 2 - math.sqrt(2),
            # trapezoids over a parabola: h²/12 f'' t too small
            "area": 20 * 16 / 2 - 5 * 64 / 3 - 1e-4 / 12 * 10 * 4, "average": (160 - 320 / 3) / 4 - 1e-4 / 12 * 10,
        }
        found = summary["metrics"]
        self.assertEqual(list(found), [line.split(":")[0].strip() for line in BALL.split("metrics:\n")[1].splitlines()])
        self.assertIsNone(found.pop("never"))
        for name, value in expected.items():
            # `first` and `at` are linear between rows: h²/8 |f''|, over the speed there
            delta = 1e-4 / 8 * 10 / 10 if name in ("passes", "half_way") else 1e-9
            self.assertAlmostEqual(found[name], value, delta=delta, msg=name)
        self.assertRegex(self.printed, r"  height +20\n")
        self.assertRegex(self.printed, r"  never +none\n")

    def test_what_they_use_is_recorded_behind_the_outputs(self):
        self.run_model(BALL)
        self.assertEqual(self.header, ["t", "ball.x", "ball.y", "ball.vx", "ball.vy"])

    def test_parameters_count(self):
        _, summary = self.run_model(BALL, "--set", "v=10")
        self.assertAlmostEqual(summary["metrics"]["height"], 5, delta=1e-9)

    def test_they_are_those_of_the_rows(self):
        text = (MODELS / "slider_crank.yaml").read_text() + """
metrics:
  top: max(rod.B.x)
  low: min(rod.B.x)
  span: range(rod.B.x)
  load: max(hypot(A.fx, A.fy))
  when: time_of_max(hypot(A.fx, A.fy))
  slow: time_of_min(abs(rod.B.vx))
  square: rms(rod.B.vx)
  middle: mean(rod.B.x)
  way: integral(abs(rod.B.vx))
  line: "slope(rod.B.vx, rod.B.x, 3, 3.5)"
  start: initial(rod.B.x)
  end: final(rod.B.x)
"""
        c, summary = self.run_model(text)
        found, t, x, v = summary["metrics"], c["t"], c["rod.B.x"], c["rod.B.vx"]
        load = [math.hypot(*f) for f in zip(c["A.fx"], c["A.fy"])]

        def integral(y):
            return math.fsum((t[i] - t[i - 1]) * (y[i] + y[i - 1]) / 2 for i in range(1, len(t)))

        inside = [(a, b) for a, b in zip(x, v) if 3 <= a <= 3.5]
        mx, my = (math.fsum(part) / len(inside) for part in zip(*inside))
        line = math.fsum((a - mx) * (b - my) for a, b in inside) / math.fsum((a - mx) ** 2 for a, b in inside)
        speed = [abs(value) for value in v]
        expected = {
            "top": max(x), "low": min(x), "span": max(x) - min(x), "load": max(load), "when": t[load.index(max(load))],
            "slow": t[speed.index(min(speed))], "square": math.sqrt(integral([y * y for y in v]) / (t[-1] - t[0])),
            "middle": integral(x) / (t[-1] - t[0]), "way": integral(speed), "line": line, "start": x[0], "end": x[-1],
        }
        self.assertEqual(set(found), set(expected))
        for name, value in expected.items():
            self.assertAlmostEqual(found[name], value, delta=1e-11 * max(1, abs(value)), msg=name)

    def test_systems_of_formulas_have_them(self):
        text = (MODELS / "point_pendulum.yaml").read_text() + "\nmetrics: {low: min(y), fast: max(abs(x')), pull: \"max(lambda1, 0)\"}\n"
        (self.folder / "model.yaml").write_text(text)
        done = subprocess.run([PROGRAM, "check", "model.yaml"], cwd=self.folder, capture_output=True, text=True)
        self.assertIn("'lambda1' changes over the run", done.stderr)
        c, summary = self.run_model(text.replace("max(lambda1, 0)", "max(max(lambda1), 0)"))
        self.assertEqual(summary["metrics"]["low"], min(c["y"]))
        self.assertEqual(summary["metrics"]["fast"], max(abs(x) for x in c["x'"]))
        self.assertEqual(summary["metrics"]["pull"], max(max(c["lambda1"]), 0))

    def test_a_run_that_fails_has_those_of_its_rows(self):
        text = BALL.replace("bodies:", "forces: {wall: {type: force, point: ball, value: [\"if(t < 1.5, 0, sqrt(1.5 - t))\", 0]}}\nbodies:")
        columns, summary = self.run_model(text, status=1)
        self.assertEqual(summary["status"], "failed")
        self.assertEqual(summary["metrics"]["height"], max(columns["ball.y"]))

    def test_without_metrics_there_are_none(self):
        _, summary = self.run_model(BALL.split("metrics:")[0])
        self.assertNotIn("metrics", summary)


if __name__ == "__main__":
    unittest.main()
