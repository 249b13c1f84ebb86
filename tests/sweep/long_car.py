"""The shipped study of the whole car's understeer gradient, at three of its points: signs and sizes of the influences by
the formula of the single-track car, with the loads and the tires of the car."""
import csv
import math
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
SOURCE = Path(os.environ["TRM_SOURCE_DIR"])
POINTS = ((1, 1), (1.05, 1), (1, 1.05))


def command():
    text = (SOURCE / "docs/sweeps.md").read_text().replace("\\\n", " ")
    return shlex.split(re.search(r"^ *(trammel sweep models/vehicle/steady_circle.yaml .*)$", text, re.MULTILINE)[1])


def key(text, name):
    return float(re.search(rf"(?m)^{name}\s*=\s*(\S+)", text)[1])


class Car(unittest.TestCase):
    def test_influences(self):
        words = command()
        self.assertEqual([word for word in words if word.startswith(("front=", "rear="))],
                         ["front=normal(1, 0.05)", "rear=normal(1, 0.05)"])
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "points.csv"
            table.write_text("front,rear\n" + "".join(f"{front},{rear}\n" for front, rear in POINTS))
            loads = [word for side in ("fl", "rl") for word in ("--record", f"{side}=initial({side}_tire.fz)")]
            done = subprocess.run([PROGRAM, "sweep", words[2], "--table", table, "--record", "understeer_gradient", *loads,
                                   "-o", folder, "--no-report"], cwd=SOURCE, capture_output=True, text=True, timeout=1200)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(Path(folder) / "sweep.csv", newline="") as file:
                rows = list(csv.DictReader(file))
        gradient = [float(row["understeer_gradient"]) for row in rows]
        print(gradient)
        tire = (SOURCE / "models/vehicle/sedan_symmetric.tir").read_text()
        nominal = key(tire, "FNOMIN")
        for axle, sign, found in (("fl", -1, gradient[1] - gradient[0]), ("rl", 1, gradient[2] - gradient[0])):
            load = float(rows[0][axle])
            stiffness = abs(key(tire, "PKY1")) * nominal * math.sin(2 * math.atan(load / key(tire, "PKY2") / nominal))
            expected = sign * load / 9.81 / stiffness * (1 - 1 / 1.05)
            self.assertTrue(0.75 < found / expected < 1.4, f"{axle}: {found}, by the formula {expected}")


if __name__ == "__main__":
    unittest.main()
