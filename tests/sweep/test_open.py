"""trammel sweep --open: the page is served to this machine, behind a word that nobody can guess."""
import csv
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

PROGRAM = Path(os.environ["TRAMMEL"])
MODEL = """\
trammel: 1
name: Swing
space: planar
gravity: [0, -g]
parameters: {l: 1, g: 9.81, far: 1}
bodies: {bob: {mass: 1, inertia: 0, position: ["l*sin(far)", "-l*cos(far)"]}}
joints: {rod: {type: distance, connect: [ground, bob]}}
simulate: {duration: 0.5}
"""
# in place of a browser: what it was asked to show
BROWSER = """#!/bin/sh
echo "$1" > shown
"""


class Open(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "model.yaml").write_text(MODEL)
        browser = self.folder / "xdg-open"
        browser.write_text(BROWSER)
        browser.chmod(0o755)
        words = ["sweep", "model.yaml", "--vary", "l=1:2:3", "--vary", "far=discrete(0.5, 4e9)", "--set", "g=2", "--rtol",
                 "1e-7", "--record", "final(bob.x)", "--duration", "0.25", "-o", "out", "--open", "--quiet"]
        self.server = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.PIPE, text=True,
                                       env=dict(os.environ, PATH=f"{self.folder}:/bin:/usr/bin"))
        self.addCleanup(self.server.stdout.close)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        self.address = self.server.stdout.readline().strip()
        self.host, self.port, self.word = re.fullmatch(r"http://([\d.]+):(\d+)/([0-9a-f]{32})/", self.address).groups()

    def get(self, path, data=None):
        with urllib.request.urlopen(self.address + path, data=data, timeout=120) as answer:
            return answer.geturl(), answer.read().decode()

    def status(self, address, data=None):
        try:
            with urllib.request.urlopen(address, data=data, timeout=60) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            error.close()
            return error.code

    def status_or_none(self, address):
        try:
            return self.status(address)
        except OSError:
            return None

    def test_points(self):
        self.assertTrue('"kind":"sweep"' in self.get("")[1])
        idle = socket.create_connection((self.host, int(self.port)))  # browsers keep some that say nothing
        self.addCleanup(idle.close)
        where, page = self.get("run/3", b"")
        self.assertEqual(where, self.address + "report/3")
        self.assertTrue("Swing" in page)
        with open(self.folder / "out/sweep.csv", newline="") as file:
            row = list(csv.DictReader(file))[2]
        with open(self.folder / "out/points/3/results.csv", newline="") as file:
            last = list(csv.DictReader(file))[-1]
        self.assertEqual(row["final(bob.x)"], last["bob.x"])  # the same motion, bit by bit
        self.assertEqual((float(last["t"]), float(row["l"])), (0.25, 1.5))
        before = (self.folder / "out/points/3/report.html").stat().st_mtime_ns
        where, page = self.get("run/3/1", b"")
        self.assertEqual(where, self.address + "comparison/3/1")
        self.assertTrue("points/1" in page)
        self.assertEqual((self.folder / "out/points/3/report.html").stat().st_mtime_ns, before)
        self.assertEqual(json.loads((self.folder / "out/points/1/summary.json").read_text())["duration"], 0.25)

    def test_strangers(self):
        other = f"http://{self.host}:{self.port}/"
        for address, data in ((other, None), (other + "0" * 32 + "/", None), (other + "0" * 32 + "/run/1", b""),
                              (self.address + "run/1", None), (self.address + "run/0", b""), (self.address + "run/7", b""),
                              (self.address + "run/1/2/3", b""), (self.address + "run/-1", b""),
                              (self.address + "report/1", None), (self.address + "report/1/../../../model.yaml", None),
                              (self.address + "../model.yaml", None), (self.address + "comparison/1", None)):
            self.assertEqual(self.status(address, data), 404, address)
        self.assertFalse((self.folder / "out/points").exists())
        for text in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / SMTP\r\n\r\n", b"\x00" * 50 + b"\r\n\r\n"):
            with socket.create_connection((self.host, int(self.port)), timeout=60) as line:
                line.sendall(text)
                self.assertIn(b" 400 ", line.makefile("rb").readline())
        with socket.create_connection((self.host, int(self.port)), timeout=60) as line:  # without an end
            line.sendall(b"GET /" + b"a" * 20000)
            line.makefile("rb").read()
        self.assertEqual(self.host, "127.0.0.1")
        self.assertEqual((self.folder / "shown").read_text().strip(), self.address)

    def test_ends_by_its_signal(self):
        self.server.send_signal(signal.SIGINT)
        self.assertEqual(self.server.wait(timeout=60), -signal.SIGINT)
        self.assertNotEqual(self.status_or_none(self.address), 200)
        done = subprocess.run([PROGRAM, "sweep", "model.yaml", "--vary", "l=1:2:3", "--open", "--no-report"],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--no-report", done.stderr)


if __name__ == "__main__":
    unittest.main()
