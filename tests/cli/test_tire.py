"""trammel tire: the page, the table, messages."""
import csv
import os
import re
import subprocess
import tempfile
import unittest
from math import atan, exp, sin
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
SEDAN = Path(os.environ["TRM_SOURCE_DIR"]) / "models/vehicle/sedan_symmetric.tir"


def tire(*words):
    return subprocess.run([PROGRAM, "tire", *map(str, words)], capture_output=True, text=True, timeout=60)


class Tire(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_files(self):
        done = tire(SEDAN, "-o", self.folder / "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = (self.folder / "out/tire.html").read_text()
        for word in ("Longitudinal force", "Side force", "Aligning moment", "Combined slip", "Relaxation lengths"):
            self.assertIn(word, page)
        self.assertEqual(page.count("<svg"), 6)
        self.assertNotIn("no data to show", page)
        self.assertNotIn("nan", page.lower())
        self.assertEqual(re.findall(r"(?:src|href)=", page), [])  # self-contained
        with open(self.folder / "out/tire.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["curve"] for row in rows}, {"longitudinal", "lateral", "combined", "camber"})
        checked = 0
        for row in rows:
            self.assertEqual([name for name in row if row[name].lower() in ("nan", "inf", "-inf")], [])
            if row["curve"] == "longitudinal":
                load, kappa = float(row["fz"]), float(row["kappa"])
                d = load / 4850 - 1
                mu = 1.1739 - 0.16395 * d
                b = (22.303 + 0.48896 * d) * exp(0.21253 * d) / (1.6411 * mu)
                e = min(1, 0.46403 + 0.25022 * d + 0.067842 * d * d)
                force = load * mu * sin(1.6411 * atan(b * kappa - e * (b * kappa - atan(b * kappa))))
                self.assertLessEqual(abs(float(row["fx"]) - force), 1e-8 * load)
                checked += 1
        self.assertGreater(checked, 500)

    def test_notes_and_errors(self):
        bad = self.folder / "bad.tir"
        bad.write_text(SEDAN.read_text().replace("= 0.344", "= -0.344").replace("[LATERAL_COEFFICIENTS]", "[X]"))
        done = tire(bad, "-o", self.folder / "out")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"bad\.tir:\d+:\d+: error: UNLOADED_RADIUS is -0\.344, it should be positive")
        self.assertRegex(done.stderr, r"bad\.tir:\d+:\d+: error: section \[LATERAL_COEFFICIENTS\] is missing")
        self.assertFalse((self.folder / "out").exists())
        bad.write_text(SEDAN.read_text().replace("PEX4 ", "PEX7 "))
        done = tire(bad, "-o", self.folder / "out")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"bad\.tir:\d+:\d+: warning: unknown key PEX7 is left out")
        self.assertRegex(done.stderr, r"bad\.tir: note: \[LONGITUDINAL_COEFFICIENTS\] by default: PEX4 = 0")

    def test_usage(self):
        self.assertEqual(tire().returncode, 2)
        self.assertIn("the tire file is missing", tire().stderr)
        self.assertEqual(tire("none.tir").returncode, 3)
        self.assertIn("tire.html", tire("--help").stdout)
        (self.folder / "file").write_text("")
        self.assertEqual(tire(SEDAN, "-o", self.folder / "file/under").returncode, 1)


if __name__ == "__main__":
    unittest.main()
