"""Power failures: of what a run has written only that is left which was brought to the disk. It is resumed from there,
and leaves bit by bit what a run without a break leaves."""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import ladder

SHIM = Path(os.environ["TRM_BUILD_DIR"]) / "tests/power.so"
if not SHIM.exists() or "TRM_SANITIZED" in os.environ:  # the sanitizers have such calls of their own
    print("no calls can be seen here")
    sys.exit(77)


class Disk:
    """What the log tells of the disk. names: "as called", every change of a name survives; "synced", only those before
    a sync of their folder. Of a file survives what was there when it was synced last, at the size it was cut to."""

    def __init__(self, keep):
        self.keep = Path(keep)
        self.contents, self.times, self.cuts = {}, {}, {}
        self.now, self.safe = {}, {}
        for line in (self.keep / "log").read_text().splitlines():
            kind, rest = line.split(" ", 1)
            getattr(self, kind)(rest)

    def name(self, rest):
        path, inode = rest.rsplit(" ", 1)
        self.now[path] = inode

    def rename(self, rest):
        inode, paths = rest.split(" ", 1)
        old, new = paths.split("|")
        self.now.pop(old, None)
        self.now[new] = inode

    def unlink(self, path):
        self.now.pop(path, None)

    def cut(self, rest):
        inode, size = rest.split()
        self.cuts[inode] = min(int(size), self.cuts.get(inode, int(size)))

    def sync(self, rest):
        inode, number, seconds = rest.split()
        self.contents[inode] = self.keep / f"{inode}-{number}"
        self.cuts.pop(inode, None)
        self.times.setdefault(inode, []).append(float(seconds))

    def folder(self, path):
        here = {name: inode for name, inode in self.now.items() if os.path.dirname(name) == path}
        self.safe = {name: inode for name, inode in self.safe.items() if os.path.dirname(name) != path} | here

    def restore(self, watched, to, synced):
        for name, inode in (self.safe if synced else self.now).items():
            path = to / os.path.relpath(name, watched)
            path.parent.mkdir(parents=True, exist_ok=True)
            data = self.contents[inode].read_bytes() if inode in self.contents else b""
            path.write_bytes(data[:self.cuts.get(inode, len(data))])


class Power(unittest.TestCase):
    def setUp(self):
        self.scratch = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.scratch)
        self.model = self.scratch / "events.yaml"
        self.model.write_text(ladder.EVENTS)

    def start(self, command, watched, keep):
        keep.mkdir()
        environment = dict(os.environ, LD_PRELOAD=str(SHIM), POWER_WATCH=str(watched), POWER_KEEP=str(keep))
        return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)

    def outage(self, words, expected, seconds, draw, number):
        watched, keep = self.scratch / f"run{number}", self.scratch / f"keep{number}"
        command = ladder.command(self.model, watched, [*words, "--checkpoint", "0.05"])
        process = self.start(command, watched, keep)
        time.sleep(draw.uniform(0.1, 1) * seconds)
        process.kill()
        error = process.communicate()[1].decode()
        self.assertIn(process.returncode, (0, -9), error)
        disk = Disk(keep)
        for synced in (False, True):
            left = self.scratch / f"left{number}{synced}"
            left.mkdir()
            disk.restore(watched, left, synced)
            again = [ladder.PROGRAM, "resume", str(left), "--quiet"]
            resumes = (left / "checkpoint/command").exists()
            whole = (left / "summary.json").exists() and not resumes
            self.assertTrue(resumes or whole or not any(left.glob("results*")), sorted(left.iterdir()))
            if not whole:
                done = subprocess.run(again if resumes else ladder.command(self.model, left, words), capture_output=True,
                                      text=True, timeout=300)
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(ladder.contents(left), expected)
        part = [inode for name, inode in disk.now.items() if ".part" in name]
        return process.returncode == -9, disk.times.get(part[0], []) if part else []

    def test_outages(self):
        draw = random.Random(7)
        for format in ("csv", "hdf5"):
            words = ["--integrator", "rk4", "--duration", "30", "--format", format, "--no-report"]
            whole = self.scratch / f"whole {format}"
            began = time.monotonic()
            subprocess.run(ladder.command(self.model, whole, words), check=True, timeout=300)
            seconds = time.monotonic() - began
            outages = [self.outage(words, ladder.contents(whole), seconds, draw, f"{format}{k}") for k in range(3)]
            self.assertTrue(any(killed for killed, _ in outages))
            gaps = sorted(b - a for _, times in outages for a, b in zip(times, times[1:]))
            if gaps:  # a machine that is busy may take longer now and then
                self.assertLessEqual(gaps[len(gaps) // 2], 1)

    def test_at_the_end(self):
        """A run that has ended is on the disk, names and all, and nothing else is."""
        watched, keep = self.scratch / "run", self.scratch / "keep"
        process = self.start(ladder.command(self.model, watched, ["--duration", "0.5"]), watched, keep)
        self.assertEqual(process.communicate()[1].decode(), "")
        self.assertEqual(process.returncode, 0)
        left = self.scratch / "left"
        left.mkdir()
        Disk(keep).restore(watched, left, True)
        names = {"results.csv", "summary.json", "scene.json", "report.html"}
        self.assertLessEqual(names, {path.name for path in left.iterdir()})
        for name in names:
            self.assertEqual((left / name).read_bytes(), (watched / name).read_bytes(), name)


if __name__ == "__main__":
    unittest.main()
