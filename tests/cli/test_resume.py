"""trammel resume: bit by bit what a run without a break leaves, and checkpoints that do not fit."""
import csv
import json
import os
import shutil
import signal
import struct
import subprocess
import time
import unittest
import zlib

import ladder
import sys
from durable import FOUR_BAR, MODELS, PROGRAM, Durable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from extremes import largest


class Resume(Durable):
    def test_kill_ladder(self):
        """Killed at random moments and resumed: bit by bit the results, summary and scene of a run without a break."""
        began = time.monotonic()
        self.expect(0, "run", FOUR_BAR, "-o", "out", "--duration", "20")
        scale = min(1, 0.2 / (time.monotonic() - began))  # less where the program is slow
        killed = 0
        for seed, rung in enumerate(ladder.ladders(self.folder, scale)):
            with self.subTest(rung.name):
                killed += rung.climb(2, 1900 + seed)
        self.assertGreater(killed, 5)

    @unittest.skipIf(os.environ.get("TRM_SANITIZED"), "the release build does it; minutes under sanitizers")
    def test_after_an_interruption(self):
        for words in (["--integrator", "rk4"], ["--integrator", "dop853", "--format", "hdf5"]):
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

    @unittest.skipIf(os.environ.get("TRM_SANITIZED"), "the release build does it; minutes under sanitizers")
    def test_to_the_tolerance_of_sundials(self):
        """Their history is not saved: the motion to the tolerance, and the same rows."""
        for integrator in ("bdf", "adams", "ida"):
            with self.subTest(integrator):
                shutil.rmtree(self.out, ignore_errors=True)
                words = ["--integrator", integrator, "--rtol", "1e-10", "--atol", "1e-12", "--duration", "20"]
                self.expect(0, "run", FOUR_BAR, "-o", "whole", *words)
                process = self.start("run", FOUR_BAR, "-o", "out", *words, "--checkpoint", "0.01", rows=1)
                process.kill()
                process.wait()
                self.expect(0, "resume", "out")
                tables = [list(csv.DictReader((self.folder / name / "results.csv").read_text().splitlines())) for name in ("whole", "out")]
                self.assertEqual([row["t"] for row in tables[0]], [row["t"] for row in tables[1]])
                off = largest(abs(float(a[x]) - float(b[x])) for a, b in zip(*tables) for x in ("coupler.x", "coupler.y", "crank.angle"))
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


TABLE = "0, 0\n1, 0.001\n5, 0.002\n300, 0.003\n"
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
        tables = {path.name: path.read_bytes() for path in self.out.glob("results*")}
        done = self.expect(2, "resume", "out")
        self.assertRegex(done.stderr, reason)  # nothing is lost by asking
        self.assertEqual({path.name: path.read_bytes() for path in self.out.glob("results*")}, tables)

    def test_one_of_two_is_enough(self):
        path = sorted((self.out / "checkpoint").glob("[01]"))[0]
        path.write_bytes(path.read_bytes()[:1000])
        self.assertIn("goes on from t =", self.expect(0, "resume", "out").stderr)
        self.expect(0, "run", "model.yaml", "-o", "whole", "--set", "k=2")
        self.assertEqual((self.out / "results.csv").read_bytes(), (self.folder / "whole/results.csv").read_bytes())

    def test_another_model(self):
        for name, text in self.files.items():
            (self.folder / name).write_text(text.replace("5, 0.002", "5, 0.0025").replace("9.81", "9.82").replace("0.1,", "0.11,"))
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

    def test_another_table(self):
        part = self.out / "results.csv.part"
        part.write_text(part.read_text().replace("\n0,", "\n7x,", 1))
        self.refuse("has not the rows that the checkpoint goes on from")
        part.rename(self.out / "results.csv")  # as of a run that was stopped
        self.refuse("has not the rows that the checkpoint goes on from")
        (self.out / "results.csv").unlink()
        self.refuse("has not the rows that the checkpoint goes on from")


if __name__ == "__main__":
    unittest.main()
