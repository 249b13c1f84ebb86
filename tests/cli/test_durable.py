"""What users can lose: kills, signals, full disks, two runs in a folder, old files beside new ones."""
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from durable import ENDLESS, FOUR_BAR, PROGRAM, Durable, lines


class Rows(Durable):
    def test_rows_are_there_while_the_run_goes_on(self):
        """The last row on the disk is never older than a second of the clock, until the program is killed."""
        process = self.start("run", FOUR_BAR, "-o", "out", *ENDLESS)
        seen = []
        for _ in range(4):
            time.sleep(1)
            seen.append(float(lines(self.out / "results.csv.part")[-1].split(",")[0]))
        for a, b in zip(seen, seen[1:]):
            self.assertGreater(b, a)
        process.kill()
        process.wait()
        self.assertFalse((self.out / "results.csv").exists())
        self.assertFalse((self.out / "summary.json").exists())
        after = lines(self.out / "results.csv.part")
        self.assertGreaterEqual(float(after[-1].split(",")[0]), seen[-1])
        self.assertEqual({line.count(",") for line in after}, {after[0].count(",")})

    def test_memory_does_not_grow_with_rows(self):
        """Peak memory of ten times as many rows, with report and metrics: 100 000 rows are 90 MB as numbers."""
        model = self.folder / "model.yaml"
        model.write_text(Path(FOUR_BAR).read_text().replace("reference:", "# reference:") + "\nmetrics: {most: max(crank.x), mean: mean(crank.y)}\n")
        peaks = []
        for rows in (10000, 100000):
            code = ("import resource, subprocess, sys\n"
                    "subprocess.run(sys.argv[1:], check=True)\n"
                    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            words = [PROGRAM, "run", model, "-o", self.out, "--quiet", "--step", "1e-3", "--output-step", "1e-3", "--duration", rows * 1e-3]
            done = subprocess.run(["python3", "-c", code, *map(str, words)], capture_output=True, text=True, timeout=250)
            self.assertEqual(done.returncode, 0, done.stderr)
            peaks.append(int(done.stdout))
        self.assertLess(peaks[1], peaks[0] + 20000, "kB")

    def test_hdf5_part_is_a_whole_file(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("h5py is missing")
        process = subprocess.Popen([PROGRAM, "run", FOUR_BAR, "-o", self.out, *ENDLESS, "--format", "hdf5"], stderr=subprocess.DEVNULL)
        time.sleep(2)
        process.kill()
        process.wait()
        with h5py.File(self.out / "results.h5.part") as found:
            rows = len(found["t"])
            self.assertGreater(rows, 10)
            for k, t in enumerate(found["t"][:]):
                self.assertAlmostEqual(t, 0.1 * k, delta=1e-9 * (1 + k))
            self.assertEqual({len(found[name]) for name in found}, {rows})


class Signals(Durable):
    def test_ends_by_the_signal_with_its_results(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU):
            with self.subTest(number):
                shutil.rmtree(self.out, ignore_errors=True)
                process = self.start("run", FOUR_BAR, "-o", "out", *ENDLESS)
                process.send_signal(number)
                _, errors = process.communicate(timeout=60)
                self.assertEqual(process.returncode, -number, errors)
                self.assertIn("interrupted", errors)
                self.assertEqual(self.summary()["status"], "interrupted")
                last = float(lines(self.out / "results.csv")[-1].split(",")[0])
                self.assertAlmostEqual(last, self.summary()["time_reached"], delta=1e-9 * (1 + last))
                self.assertFalse((self.out / "results.csv.part").exists())

    def test_hangups_come_in_pairs(self):
        process = self.start("run", FOUR_BAR, "-o", "out", *ENDLESS)
        for _ in range(5):
            process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGHUP)
        self.assertEqual(self.summary()["status"], "interrupted")

    def test_a_shell_loop_stops(self):
        """A shell that runs one after the other ends when Ctrl-C has ended one."""
        script = f'for i in 1 2 3; do echo $i; "$0" run "$1" -o out {" ".join(ENDLESS)} --quiet; done'
        process = subprocess.Popen(["bash", "-c", script, PROGRAM, FOUR_BAR], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        part, deadline = self.out / "results.csv.part", time.monotonic() + 60
        while time.monotonic() < deadline and not (part.exists() and part.stat().st_size > 10000):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(out, "1\n")
        self.assertEqual(self.summary()["status"], "interrupted")

    def test_ignored_hangups_stay_ignored(self):
        process = self.start("run", FOUR_BAR, "-o", "out", *ENDLESS, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        time.sleep(1)
        self.assertIsNone(process.poll())


class FullDisk(Durable):
    def test_a_file_that_may_not_grow(self):
        for format, table in (("csv", "results.csv"), ("hdf5", "results.h5")):
            with self.subTest(format):
                shutil.rmtree(self.out, ignore_errors=True)
                limit = 1 << 20
                done = self.call("run", FOUR_BAR, "-o", "out", "--step", "1e-3", "--output-step", "1e-3", "--format", format,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(f"cannot write 'out/{table}.part': File too large", done.stderr)
                self.assertEqual(self.summary()["status"], "failed")
                self.assertIn("File too large", self.summary()["message"])
                if format == "csv":
                    rows = lines(self.out / table)
                    self.assertGreater(len(rows), 100)
                    self.assertTrue((self.out / table).read_bytes().endswith(b"\n"))
                    self.assertEqual({row.count(",") for row in rows}, {rows[0].count(",")})

    @unittest.skipUnless(os.geteuid() == 0, "needs a file system of its own")
    def test_a_full_disk(self):
        self.out.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", self.out], capture_output=True).returncode != 0:
            self.skipTest("cannot mount")
        self.addCleanup(subprocess.run, ["umount", self.out])
        done = self.expect(1, "run", FOUR_BAR, "-o", "out", *ENDLESS)
        self.assertIn("No space left on device", done.stderr)
        rows = lines(self.out / "results.csv")
        self.assertGreater(len(rows), 100)
        self.assertEqual({row.count(",") for row in rows}, {rows[0].count(",")})


MODEL = """trammel: 1
name: Small
space: planar
gravity: [0, -9.81]
parameters: {k: 3}
inputs: {u: 0}
bodies: {rod: {mass: 1, inertia: 0.1, position: [0, -0.5], points: {A: [0, 0.5]}}}
joints: {J: {type: revolute, connect: [ground, rod.A]}}
forces: {push: {type: actuator, of: J, value: u - k*J.angle}}
optimize: {vary: {k: [1, 9]}, minimize: "final((rod.x - 0.1)^2)"}
simulate: {duration: 0.2, step: 1e-2}
"""
DRIVEN = MODEL.replace("forces:", "  # ").replace("joints: {", "joints: {D: {type: driver, of: J, value: sin(3*t)}, ")
# what writes which file, but for `run`
WRITERS = (
    ("equilibrium.json", ("equilibrium", "m.yaml")), ("modes.json", ("modes", "m.yaml")), ("locus.json", ("modes", "m.yaml", "--along", "k=1:5:3")),
    ("linear.json", ("linearize", "m.yaml", "--inputs", "u", "--outputs", "rod.x")), ("inverse.csv", ("inverse", "driven.yaml")),
    ("response.csv", ("response", "m.yaml", "--from-input", "u", "--to-output", "rod.x")),
    ("sensitivity.json", ("sensitivity", "m.yaml", "--of", "rod.x", "--wrt", "k")), ("optimum.json", ("optimize", "m.yaml", "--no-report")),
    ("accuracy.csv", ("accuracy", "m.yaml", "--steps", "1e-2,5e-3", "--methods", "rk4")),
    ("sweep.csv", ("sweep", "m.yaml", "--vary", "k=1:2:2", "--record", "max(rod.x)")))


class Analyses(Durable):
    def test_a_file_is_whole_or_its_old_self(self):
        """A file that may not grow: an error with its reason, the old one as it was, nothing beside it."""
        (self.folder / "m.yaml").write_text(MODEL)
        (self.folder / "driven.yaml").write_text(DRIVEN)
        for name, words in WRITERS:
            with self.subTest(name):
                shutil.rmtree(self.out, ignore_errors=True)
                self.assertIn(self.call(*words, "-o", "out").returncode, (0, 1))
                before = (self.out / name).read_bytes()
                limit = min(60, len(before) // 2)
                done = self.call(*words, "-o", "out", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("File too large", done.stderr)
                self.assertEqual((self.out / name).read_bytes(), before)
                self.assertEqual([p.name for p in self.out.rglob("*") if ".new" in p.name or ".part" in p.name], [])


class Folder(Durable):
    def test_two_runs_in_one_folder(self):
        process = self.start("run", FOUR_BAR, "-o", "out", *ENDLESS)
        for words in (["run", FOUR_BAR, "-o", "out"], ["resume", "out"]):
            done = self.expect(2, *words)
            self.assertIn("another run is writing into", done.stderr)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertGreater(len(lines(self.out / "results.csv")), 3)
        self.expect(0, "run", FOUR_BAR, "-o", "out")

    def test_a_killed_run_keeps_nobody_out(self):
        process = self.start("run", FOUR_BAR, "-o", "out", *ENDLESS)
        process.kill()
        process.wait()
        self.expect(0, "run", FOUR_BAR, "-o", "out")
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), ["report.html", "results.csv", "scene.json", "summary.json"])

    def test_a_pipe_in_the_way(self):
        """A pipe takes rows until it is full, and then nobody hears a signal."""
        for name in ("results.csv", "results.csv.part", "summary.json", "scene.json", "report.html", ".lock", "checkpoint"):
            with self.subTest(name):
                shutil.rmtree(self.out, ignore_errors=True)
                self.out.mkdir()
                os.mkfifo(self.out / name)
                done = self.call("run", FOUR_BAR, "-o", "out", *("--step", "1e-3"))
                self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                self.assertIn(name, done.stderr if done.returncode else name)
        shutil.rmtree(self.out)
        (self.out / "checkpoint").mkdir(parents=True)
        os.mkfifo(self.out / "checkpoint/command")
        self.expect(2, "resume", "out")

    def test_old_files_do_not_stay(self):
        self.expect(0, "run", FOUR_BAR, "-o", "out", "--format", "hdf5")
        self.expect(0, "run", FOUR_BAR, "-o", "out", "--no-report")
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), ["results.csv", "scene.json", "summary.json"])

    def test_old_results_stay_until_there_are_new_ones(self):
        self.expect(0, "run", FOUR_BAR, "-o", "out")
        before = {path.name: path.read_bytes() for path in self.out.iterdir()}
        process = self.start("run", FOUR_BAR, "-o", "out", *ENDLESS)
        process.kill()
        process.wait()
        for name, text in before.items():
            self.assertEqual((self.out / name).read_bytes(), text, name)

    def test_every_file_is_whole_whenever_it_is_killed(self):
        """Killed at random moments of a short run over older results: the summary, where there is one, is that of all files."""
        draw = random.Random(19)
        words = {5: [], 4: ["--duration", "4"]}
        whole = {}
        for duration, more in words.items():
            self.expect(0, "run", FOUR_BAR, "-o", "out", *more)
            whole[duration] = (self.out / "results.csv").read_bytes()
        for k in range(40):
            process = subprocess.Popen([PROGRAM, "run", FOUR_BAR, "-o", self.out, "--quiet", *words[4 + k % 2]])
            time.sleep(draw.uniform(0, 0.08))
            process.kill()
            process.wait()
            if (self.out / "summary.json").exists():
                duration = self.summary()["duration"]
                self.assertEqual((self.out / "results.csv").read_bytes(), whole[duration])
                for name in ("scene.json", "report.html"):
                    self.assertTrue((self.out / name).exists(), name)
            if (self.out / "results.csv").exists():
                self.assertIn((self.out / "results.csv").read_bytes(), whole.values())
            if (self.out / "report.html").exists():
                self.assertTrue((self.out / "report.html").read_text().rstrip().endswith("</html>"))
            if (self.out / "scene.json").exists():
                json.loads((self.out / "scene.json").read_text())


if __name__ == "__main__":
    unittest.main()
