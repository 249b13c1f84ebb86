"""Results as HDF5, read with h5py: the same numbers as the CSV, bit for bit; partial runs, full disks, wrong words."""
import csv
import json
import math
import os
import signal
import struct
import shutil
import subprocess
import sys
import tempfile
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

PROGRAM = os.environ["TRAMMEL"]
MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"
FOUR_BAR = MODELS / "four_bar.yaml"


def harmful(names, nodes, blocks, rows, size):
    """A group of so many nodes, all the same one of so many names, all of one object; its header goes on in so many
    blocks, all the same one."""
    data = bytearray(size)

    def put(at, form, *values):
        data[at:at + struct.calcsize("<" + form)] = struct.pack("<" + form, *values)

    put(0, "8s5xBB", b"\x89HDF\r\n\x1a\n", 8, 8)
    put(64, "Q", 200)                                               # the root, a group
    put(200, "B7xI4xHH4xQQ", 1, 24, 0x11, 16, 400, 300)
    put(300, "4s20xQ", b"HEAP", 350)
    put(350, "2s", b"t")
    put(400, "4sBBH", b"TREE", 0, 0, nodes)
    node = 440 + 16 * nodes
    for i in range(nodes):
        put(432 + 16 * i, "Q", node)
    put(node, "4s2xH", b"SNOD", names)
    object = node + 16 + 40 * names
    for i in range(names):
        put(node + 16 + 40 * i, "Q", object)
    far = object + 2000 + 24 * blocks
    messages = [(1, struct.pack("<BB6xQ", 1, 1, rows)), (3, struct.pack("<B3xI", 0x11, 8)), (8, struct.pack("<BBQ6x", 3, 1, 0))]
    messages += [(0x10, struct.pack("<QQ", far, size - far))] * blocks
    body = b"".join(struct.pack("<HH4x", kind, len(text)) + text for kind, text in messages)
    put(object, "B7xI4x", 1, len(body))
    data[object + 16:object + 16 + len(body)] = body
    return bytes(data)


class Hdf5Test(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def run_model(self, status, *words):
        done = subprocess.run([PROGRAM, "run", *map(str, words), "--no-report"], cwd=self.folder, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def same(self, folder, text):
        """Every column of the one is that of the other, to the last bit."""
        with open(self.folder / text / "results.csv", newline="") as file:
            names, *rows = csv.reader(file)
        with h5py.File(self.folder / folder / "results.h5") as found:
            self.assertEqual([name if isinstance(name, str) else name.decode() for name in found.attrs["columns"]], names)
            self.assertEqual(set(found), set(names))
            for k, name in enumerate(names):
                values = found[name][:].tolist()
                expected = [float(row[k]) for row in rows]
                self.assertFalse(any(map(math.isnan, expected)), name)
                self.assertEqual(struct.pack(f"{len(values)}d", *values), struct.pack(f"{len(expected)}d", *expected))
        return len(rows)

    def test_same_as_csv(self):
        for model in ("four_bar", "bricard", "kepler"):
            with self.subTest(model):
                words = (MODELS / f"{model}.yaml", "--duration", "1")
                self.run_model(0, *words, "-o", "csv", "--format", "csv")
                self.assertIn("results.h5", self.run_model(0, *words, "-o", "hdf5", "--format", "hdf5").stdout)
                self.assertFalse((self.folder / "hdf5/results.csv").exists())
                self.same("hdf5", "csv")

    @unittest.skipUnless(shutil.which("ldd"), "ldd is not here")
    def test_no_library_at_the_start(self):
        """That of HDF5 would bring a TLS stack along."""
        needed = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True, timeout=60).stdout
        self.assertIn("libc.so", needed)
        for library in ("hdf5", "ssl", "crypto", "curl"):
            self.assertNotIn(f"lib{library}", needed)

    def test_many_chunks(self):
        words = (FOUR_BAR, "--duration", "20", "--output-step", "1e-3")
        self.run_model(0, *words, "-o", "csv")
        self.run_model(0, *words, "-o", "hdf5", "--format", "hdf5")
        self.assertEqual(self.same("hdf5", "csv"), 20001)
        with h5py.File(self.folder / "hdf5/results.h5") as found:
            self.assertEqual(found["t"].chunks, (8192,))
            self.assertEqual(found["t"].dtype, "<f8")

    def test_many_columns(self):
        """Names fill many nodes, and more than one attribute."""
        (self.folder / "many.yaml").write_text(
            "trammel: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
            "  b$(i): {repeat: {i: [1, 1400]}, mass: 1, inertia: 1, position: [i, 0], angular-velocity: i}\n")
        words = ("many.yaml", "--duration", "0.01", "--step", "1e-3", "--allow-doubtful")
        self.run_model(0, *words, "-o", "csv")
        self.run_model(0, *words, "-o", "hdf5", "--format", "hdf5")
        with open(self.folder / "csv/results.csv", newline="") as file:
            names, *rows = csv.reader(file)
        self.assertGreater(len(names), 8000)
        with h5py.File(self.folder / "hdf5/results.h5") as found:
            self.assertEqual([name for part in ("columns", "columns2", "columns3", "columns4") for name in found.attrs[part]][:len(names)], names)
            self.assertEqual(set(found), set(names))
            for k in range(0, len(names), 97):
                self.assertEqual(found[names[k]][:].tolist(), [float(row[k]) for row in rows])

    def test_failed_run_keeps_its_rows(self):
        model = self.folder / "failing.yaml"
        text = FOUR_BAR.read_text()
        model.write_text(text.replace("forces:\n", "forces:\n  bad: {type: torque, body: crank, value: 1/(0.55 - t)}\n", 1)
                         .replace("reference:", "# reference:"))
        self.run_model(1, model, "-o", "csv")
        self.run_model(1, model, "-o", "hdf5", "--format", "hdf5")
        self.assertGreater(self.same("hdf5", "csv"), 50)

    def test_interrupted_run_keeps_its_rows(self):
        process = subprocess.Popen([PROGRAM, "run", FOUR_BAR, "--format", "hdf5", "--duration", "1e5", "--output-step", "1",
                                    "--no-report", "-o", "out"], cwd=self.folder, stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        reached = json.loads((self.folder / "out/summary.json").read_text())["time_reached"]
        with h5py.File(self.folder / "out/results.h5") as found:
            self.assertAlmostEqual(found["t"][-1], reached, delta=1e-9)

    def test_made_to_harm(self):
        """One data set under 18 million names, and one whose header leads to itself: refused at once, in little memory."""
        for names, nodes, blocks, rows, size in ((60000, 300, 0, 300000, 2600000), (1000, 1000, 250, 10, 400000)):
            with self.subTest(names=names):
                (self.folder / "harm.h5").write_bytes(harmful(names, nodes, blocks, rows, size))
                done = subprocess.run([PROGRAM, "compare", "harm.h5", "harm.h5"], cwd=self.folder, capture_output=True, text=True, timeout=20)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("harm.h5: error: the HDF5 file is damaged", done.stderr)

    def test_unwritable(self):
        (self.folder / "out/results.h5").mkdir(parents=True)
        self.assertIn("out/results.h5", self.run_model(1, FOUR_BAR, "--format", "hdf5", "-o", "out").stderr)

    def test_unknown_format(self):
        self.assertIn("must be csv or hdf5", self.run_model(2, FOUR_BAR, "--format", "xls").stderr)


if __name__ == "__main__":
    unittest.main()
