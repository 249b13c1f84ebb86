"""What users can lose: kills, signals, full disks, two runs in a folder, old files beside new ones, foreign checkpoints."""
import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import zlib
from pathlib import Path

import ladder

PROGRAM, MODELS = ladder.PROGRAM, ladder.MODELS
FOUR_BAR = str(MODELS / "four_bar.yaml")
ENDLESS = ["--duration", "1e5", "--step", "1e-3", "--output-step", "1e-1"]


def lines(path):
    """Whole lines: the last one of a file that is being written may be cut off."""
    return path.read_text().rpartition("\n")[0].split("\n")


class Durable(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.out = self.folder / "out"

    def call(self, *words, **more):
        return subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=120, **more)

    def expect(self, status, *words, **more):
        done = self.call(*words, **more)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
        return done

    def start(self, *words, rows=3, file="results.csv.part", **more):
        """A run that has written some rows."""
        def defaults():  # this test itself may run with signals ignored
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU):
                signal.signal(number, signal.SIG_DFL)
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, **{"preexec_fn": defaults, **more})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            if (self.out / file).exists() and (self.out / file).read_bytes().count(b"\n") > rows:
                return process
            time.sleep(0.01)
        self.fail(f"no rows in {file}: {process.poll()}")

    def summary(self):
        return json.loads((self.out / "summary.json").read_text())


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
        """Peak memory of ten times as many rows, with report, check of a metric and all: 200 000 rows are 180 MB as numbers."""
        model = self.folder / "model.yaml"
        model.write_text(Path(FOUR_BAR).read_text().replace("reference:", "# reference:") + "\nmetrics: {most: max(crank.x), mean: mean(crank.y)}\n")
        peaks = []
        for rows in (20000, 200000):
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


class Resume(Durable):
    def test_kill_ladder(self):
        """Killed at random moments and resumed: bit by bit the results, summary and scene of a run without a break."""
        killed = 0
        for seed, rung in enumerate(ladder.ladders(self.folder, 1)):
            with self.subTest(rung.name):
                killed += rung.climb(2, 1900 + seed)
        self.assertGreater(killed, 5)

    def test_after_an_interruption(self):
        for words in (["--integrator", "rk4"], ["--integrator", "dop853"], ["--format", "hdf5"]):
            with self.subTest(words):
                shutil.rmtree(self.out, ignore_errors=True)
                words = [*words, "--duration", "300", "--output-step", "0.1"]
                whole = ladder.Ladder(self.folder, "whole", FOUR_BAR, words, "hdf5" if "hdf5" in words else "csv")
                file = "results.h5.part" if "hdf5" in words else "results.csv.part"
                process = self.start("run", FOUR_BAR, "-o", "out", *words, rows=2, file=file)
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=60)
                self.assertEqual(self.summary()["status"], "interrupted")
                done = self.expect(0, "resume", "out")
                self.assertIn("goes on from t =", done.stderr)
                whole.compare(self.out, "interrupted")
                done = self.expect(0, "resume", "out")
                self.assertIn("is finished", done.stdout)

    def test_to_the_tolerance_of_sundials(self):
        """Their history is not saved: the motion to the tolerance, and the same rows."""
        import csv
        for integrator in ("bdf", "adams", "ida"):
            with self.subTest(integrator):
                shutil.rmtree(self.out, ignore_errors=True)
                words = ["--integrator", integrator, "--rtol", "1e-10", "--atol", "1e-12", "--duration", "20"]
                self.expect(0, "run", FOUR_BAR, "-o", "whole", *words)
                process = self.start("run", FOUR_BAR, "-o", "out", *words, "--checkpoint", "0.01", rows=1)
                process.kill()
                process.wait()
                self.expect(0, "resume", "out")
                tables = [list(csv.DictReader(open(self.folder / name / "results.csv"))) for name in ("whole", "out")]
                self.assertEqual([row["t"] for row in tables[0]], [row["t"] for row in tables[1]])
                off = max(abs(float(a[x]) - float(b[x])) for a, b in zip(*tables) for x in ("coupler.x", "coupler.y", "crank.angle"))
                self.assertLess(off, 1e-5)

    def test_nothing_to_resume(self):
        self.assertIn("no folder", self.expect(2, "resume", "nowhere").stderr)
        self.out.mkdir()
        self.assertIn("no run to resume", self.expect(2, "resume", "out").stderr)
        self.assertIn("folder of a run is missing", self.expect(2, "resume").stderr)

    def test_bad_seconds(self):
        self.assertIn("--checkpoint", self.expect(2, "run", FOUR_BAR, "--checkpoint", "soon").stderr)
        self.assertIn("--checkpoint", self.expect(2, "run", FOUR_BAR, "--checkpoint", "-1").stderr)

    def test_from_another_folder(self):
        """Relative names are those of the folder that the run was started in."""
        shutil.copy(FOUR_BAR, self.folder / "model.yaml")
        (self.folder / "reference").symlink_to(MODELS / "reference")
        process = self.start("run", "model.yaml", "-o", "out", "--duration", "200", "--output-step", "0.1")
        process.kill()
        process.wait()
        done = subprocess.run([PROGRAM, "resume", self.out, "--json"], cwd="/", capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), self.summary())
        self.assertEqual(self.summary()["model"], "model.yaml")


TABLE = "0, 0\n1, 1\n5, 2\n300, 3\n"
PART = """trammel: 1
space: planar
bodies: {bob: {mass: 1, inertia: 0.1, position: [1, 0]}}
joints: {hub: {type: revolute, connect: [ground, bob], at: [0, 0]}}
"""
WHOLE = """trammel: 1
name: Refused
space: planar
gravity: [0, -9.81]
parameters: {k: 1}
include: [{file: part.yaml, prefix: a_}]
forces: {push: {type: torque, body: a_bob, value: 'k*table(t, "push.csv")'}}
simulate: {duration: 200, step: 1e-3, output-step: 1e-1}
"""


class Refusals(Durable):
    def setUp(self):
        super().setUp()
        self.files = {"model.yaml": WHOLE, "part.yaml": PART, "push.csv": TABLE}
        for name, text in self.files.items():
            (self.folder / name).write_text(text)
        process = self.start("run", "model.yaml", "-o", "out", "--checkpoint", "0.01", "--set", "k=2", rows=300)
        process.kill()
        process.wait()
        self.assertTrue(list((self.out / "checkpoint").glob("[01]")))

    def forge(self, change):
        """Both checkpoints with other bytes, and a checksum that fits."""
        for path in (self.out / "checkpoint").glob("[01]"):
            data = bytearray(path.read_bytes())
            change(data)
            data[40:44] = struct.pack("=I", zlib.crc32(bytes(data[48:])))
            path.write_bytes(data)

    def refuse(self, reason):
        part = (self.out / "results.csv.part").read_bytes()
        done = self.expect(2, "resume", "out")
        self.assertRegex(done.stderr, reason)
        self.assertEqual((self.out / "results.csv.part").read_bytes(), part)  # nothing is lost by asking

    def test_it_would_go_on(self):
        self.expect(0, "resume", "out")
        self.expect(0, "run", "model.yaml", "-o", "whole", "--set", "k=2")
        self.assertEqual((self.out / "results.csv").read_bytes(), (self.folder / "whole/results.csv").read_bytes())

    def test_another_model(self):
        for name, text in self.files.items():
            (self.folder / name).write_text(text.replace("5, 2", "5, 2.5").replace("9.81", "9.82").replace("0.1,", "0.11,"))
            self.refuse("of another model")
            (self.folder / name).write_text(text)
        command = self.out / "checkpoint/command"
        words = command.read_bytes()
        command.write_bytes(words.replace(b"k=2", b"k=3"))
        self.refuse("of another model")
        command.write_bytes(words.replace(b"--set\0", b"--duration=300\0--set\0"))
        self.refuse("of another model")
        command.write_bytes(words.replace(b"--set\0", b"--integrator=rk6\0--set\0"))
        self.refuse("of another model")
        command.write_bytes(words)
        self.expect(0, "resume", "out")

    def test_another_version(self):
        def change(data):
            data[16:40] = b"9.9.9".ljust(24, b"\0")
        self.forge(change)
        self.refuse("another version")

    def test_another_word(self):
        def change(data):
            data[12:16] = struct.pack("=I", 4 if struct.calcsize("P") == 8 else 8)
        self.forge(change)
        self.refuse("another kind of machine")

    def test_another_order(self):
        def change(data):
            data[8:12] = data[8:12][::-1]
        self.forge(change)
        self.refuse("another kind of machine")

    def test_damage(self):
        """One of the two is enough; without one there is a reason."""
        paths = sorted((self.out / "checkpoint").glob("[01]"))
        self.assertEqual(len(paths), 2)
        for path in paths:
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
        self.refuse("is whole: its checksum is wrong")
        for path in paths:
            path.write_bytes(path.read_bytes()[:100])
        self.refuse("is whole: it is cut short")

    def test_one_of_two_is_damaged(self):
        for path in sorted((self.out / "checkpoint").glob("[01]"))[:1]:
            path.write_bytes(path.read_bytes()[:1000])
        self.test_it_would_go_on()

    def test_another_table(self):
        part = self.out / "results.csv.part"
        text = part.read_text()
        part.write_text(text.replace("\n0,", "\n7x,", 1))
        self.assertIn("is not what the checkpoint goes on from", self.expect(1, "resume", "out").stderr)
        self.assertEqual(part.read_text(), text.replace("\n0,", "\n7x,", 1))


if __name__ == "__main__":
    unittest.main()
