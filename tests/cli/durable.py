"""A folder for runs that are stopped, killed and resumed."""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"
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
