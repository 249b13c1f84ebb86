"""trammel sweep --series, read with h5py: the rows of each run, once, whatever was killed or full."""
import csv
import os
import resource
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

try:
    import h5py
except ImportError:  # the system's Python has it where this one has not
    system = "/usr/bin/python3"
    there = os.path.exists(system) and subprocess.run([system, "-c", "import h5py"], capture_output=True).returncode == 0
    if there and os.path.realpath(sys.executable) != os.path.realpath(system):
        os.execv(system, [system, *sys.argv])
    print("h5py is missing (Debian: python3-h5py)")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).parent))
import test_study  # noqa: E402

RUNS = 120
STUDY = (*test_study.Same.STUDY, "--samples", str(RUNS), "--output-step", "0.02", "--series")  # the last of a kind counts


class Series(test_study.SweepTest):
    def setUp(self):
        super().setUp()
        self.path = self.model(test_study.PENDULUM)
        self.sweep(self.path, *STUDY[:-1], out="one")  # without series

    def start(self, out):
        return subprocess.Popen([test_study.PROGRAM, "sweep", self.path, *STUDY, "--threads", "2", "-o", out, "--no-report"],
                                cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def single(self, row):
        words = ["run", self.path, "--set", f"m={row['m']}", "--set", f"l={row['l']}", "--output-step", "0.02", "-o", "single",
                 "--quiet", "--no-report"]
        subprocess.run([test_study.PROGRAM, *words], cwd=self.folder, check=True)
        with open(self.folder / "single/results.csv", newline="") as file:
            return list(csv.DictReader(file))

    def check(self, out, here="."):
        """Each run that began has its rows where series.csv says; three of them are those of `trammel run`."""
        with open(self.folder / out / "series.csv", newline="") as file:
            places = {int(row["run"]): (self.folder / (out if row["file"].startswith("series") else here) / row["file"],
                                        int(row["first"]), int(row["rows"])) for row in csv.DictReader(file)}
        rows = {int(row["run"]): row for row in self.rows(out)}
        self.assertEqual(len(rows), RUNS)
        self.assertEqual(set(places), {run for run, row in rows.items() if row["status"] == "completed"})
        tables = {path: h5py.File(path) for path, _, _ in places.values()}
        numbers = {path: table["run"][:] for path, table in tables.items()}
        for run, (path, first, count) in places.items():
            self.assertEqual(count, 51)
            self.assertEqual(set(numbers[path][first:first + count]), {run})
        for run in (min(places), sorted(places)[len(places) // 2], max(places)):
            path, first, count = places[run]
            single, table = self.single(rows[run]), tables[path]
            self.assertEqual(set(table), {"run", *single[0]})
            for name in single[0]:
                self.assertEqual([float(one[name]) for one in single], table[name][first:first + count].tolist(), name)
        for table in tables.values():
            table.close()

    def test_killed_and_merged(self):
        """Rows of runs that were not finished are nobody's."""
        run = self.start("kept")
        while not any((self.folder / "kept/runs").glob("*.log")) and run.poll() is None:
            time.sleep(0.001)
        time.sleep(0.05)
        run.kill()
        run.wait()
        self.run_program(self.path, *STUDY, "-o", "kept", "--part", "1/2", "--no-report")
        self.run_program(self.path, *STUDY, "-o", "far", "--part", "2/2", "--no-report")
        self.run_program(self.path, "far", *STUDY, "-o", "kept", "--merge", "--no-report")
        self.assertEqual(self.bytes("one"), self.bytes("kept"))
        self.check("kept")
        self.assertIn("another study", self.run_program(self.path, *STUDY[:-1], "-o", "kept", status=1).stderr)

    def test_full_disk(self):
        def narrow():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
        done = self.run_program(self.path, *STUDY, "--threads", 2, "-o", "full", "--no-report", status=1, preexec_fn=narrow,
                                restore_signals=False)
        self.assertIn("full/series", done.stderr)
        self.sweep(self.path, *STUDY, out="full")
        self.assertEqual(self.bytes("one"), self.bytes("full"))
        self.check("full")

    def test_other_columns(self):
        """A parameter that counts bodies: files of their own."""
        (self.folder / "row.yaml").write_text("""\
trammel: 1
name: Row
space: planar
parameters: {n: 1}
bodies: {"b$(i)": {repeat: {i: [1, n]}, mass: 1, inertia: 1, velocity: [i, 0]}}
simulate: {duration: 1, output-step: 0.5}
""")
        self.run_program("row.yaml", "--vary", "n=1:3:3", "--record", "final(b1.x)", "--series", "--threads", 1, "-o", "row",
                         "--no-report")
        with open(self.folder / "row/series.csv", newline="") as file:
            places = list(csv.DictReader(file))
        self.assertEqual(len({place["file"] for place in places}), 3)
        for k, place in enumerate(places, 1):
            with h5py.File(self.folder / "row" / place["file"]) as table:
                self.assertAlmostEqual(table[f"b{k}.x"][-1], k, delta=1e-12)
                self.assertNotIn(f"b{k + 1}.x", table)


if __name__ == "__main__":
    unittest.main()
