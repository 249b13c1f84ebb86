"""report.html from outside the browser: what it holds, for every kind of run."""
import base64
import csv
import json
import math
import os
import re
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"

ROD = """trammel: 1
name: Rod </script> & <b>
space: planar
gravity: [0, -9.81]
bodies:
  rod: {mass: 1, inertia: 0.1, position: [1, 0], points: {A: [-1, 0]}}
joints:
  A: {type: revolute, connect: [ground, rod.A]}
simulate: {duration: 1, step: 1e-3, output-step: 1e-2}
outputs: [rod.vx]
"""


def block(page, name):
    """Rows and columns of a block of numbers, of the scene or of the page; undoes what src/report/block.c does."""
    found = data_of(page)["blocks"].get(name)
    if not found:
        tag = re.search(rf'<script type="application/octet-stream" id="{name}" data-rows="(\d+)">([^<]*)<', page)
        found = {"rows": int(tag[1]), "data": tag[2]}
    rows, planes = found["rows"], zlib.decompress(base64.b64decode(found["data"]))
    count = len(planes) // 4
    columns, bits = [], 0
    for i in range(count):
        if i % rows == 0:
            bits = 0
            columns.append([])
        bits = (bits + sum(planes[k * count + i] << 8 * k for k in range(4))) % 2**32
        columns[-1].append(struct.unpack("<f", struct.pack("<I", bits))[0])
    return columns


def data_of(page):
    parts = (re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.S)[1] for name in ("scene", "data"))
    return {key: value for part in parts for key, value in json.loads(part).items()}


class ReportTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def run_model(self, text, *options, status=0, name="model.yaml"):
        if not (self.folder / name).exists():
            (self.folder / name).write_text(text)
        done = subprocess.run([PROGRAM, "run", name, "-o", "out", *options], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        path = self.folder / "out/report.html"
        return path.read_text() if path.exists() else None

    def table(self):
        with open(self.folder / "out/results.csv", newline="") as file:
            return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]

    def test_names_cannot_break_the_page(self):
        page = self.run_model(ROD)
        self.assertIn("<title>Rod &lt;/script> &amp; &lt;b></title>", page)
        data = data_of(page)
        self.assertEqual(data["summary"]["name"], "Rod </script> & <b>")
        self.assertEqual(data["source"], ROD)

    def test_frames_have_poses_that_outputs_leave_out(self):
        page = self.run_model(ROD)
        data, frames = data_of(page), block(page, "frames")
        self.assertEqual(data["table"]["names"], ["rod.vx"])
        self.assertEqual(len(data["frames"]["t"]), 101)
        self.assertEqual(len(frames), data["frames"]["width"])
        self.assertEqual(len(frames), 3 + 2 + 6)
        # the rod turns about A: x² + y² = 1, and y/x is its angle's tangent
        for i in range(101):
            x, y, angle = (frames[k][i] for k in range(3))
            self.assertAlmostEqual(x * x + y * y, 1, delta=1e-6)
        # the reaction at the start: rod with moment of inertia 0.1 + 1 about A, a = g/1.1
        self.assertAlmostEqual(frames[3][0], 0, delta=1e-6)
        self.assertAlmostEqual(frames[4][0], 9.81 * (1 - 1 / 1.1), delta=1e-5)
        self.assertEqual(data["frames"]["series"][0], "energy.kinetic")
        self.assertAlmostEqual(frames[5][100] + frames[6][100], frames[5][0] + frames[6][0], delta=1e-5)

    def test_curves_are_those_of_the_results(self):
        page = self.run_model(ROD)
        rows = self.table()
        column = block(page, "table")[0]
        self.assertEqual(len(column), len(rows))
        for value, row in zip(column, rows):
            self.assertAlmostEqual(value, row["rod.vx"], delta=1e-6)

    def test_many_rows_become_fewer_and_keep_extremes(self):
        page = self.run_model(ROD, "--duration", "12", "--output-step", "1e-3")
        data, rows = data_of(page), self.table()
        self.assertEqual(data["table"]["rows"], 12001)
        self.assertLessEqual(len(data["table"]["t"]), 2000)
        self.assertLessEqual(len(data["frames"]["t"]), 602)
        self.assertEqual(data["frames"]["t"][-1], rows[-1]["t"])
        self.assertEqual(sorted(data["table"]["t"]), data["table"]["t"])
        column, exact = block(page, "table")[0], [row["rod.vx"] for row in rows]
        self.assertTrue(all(map(math.isfinite, [*column, *exact])))  # max() and min() may drop a NaN
        self.assertAlmostEqual(max(column), max(exact), delta=1e-6)
        self.assertAlmostEqual(min(column), min(exact), delta=1e-6)
        self.assertAlmostEqual(column[-1], exact[-1], delta=1e-6)

    def test_spatial_frames(self):
        (self.folder / "model.yaml").write_text((MODELS / "bricard.yaml").read_text().replace("reference:", "#"))
        page = self.run_model("", "--set", "a=0.2")
        data, frames = data_of(page), block(page, "frames")
        self.assertEqual(data["frames"]["pose"], 7)
        self.assertEqual(data["parameters"]["a"], 0.2)
        rows = self.table()
        # rod1.B is half a metre along the rod's x axis: origin + R (0.5, 0, 0)
        for i in (0, 50, 100):
            x, y, z, w, qx, qy, qz = (frames[k][i] for k in range(7))
            axis = (1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy + w * qz), 2 * (qx * qz - w * qy))
            for k, origin in enumerate((x, y, z)):
                self.assertAlmostEqual(origin + 0.5 * axis[k], rows[i]["rod1.B." + "xyz"[k]], delta=1e-5)

    def test_meshes(self):
        stl = b"solid: binary".ljust(80) + struct.pack("<I", 1) + struct.pack("<12fH", *range(12), 0)
        (self.folder / "one.stl").write_bytes(stl)
        (self.folder / "two.stl").write_text("solid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                                             "vertex 0 1e-1 0\nendloop\nendfacet\nendsolid two\n")
        text = ROD.replace("points: {A: [-1, 0]}}", "points: {A: [-1, 0]}, shape: {mesh: one.stl}}")
        page = self.run_model(text + "ground: {shape: {mesh: two.stl}}\n")
        self.assertEqual([c[0] for c in block(page, "mesh0")], [3, 4, 5, 6, 7, 8, 9, 10, 11])
        for value, expected in zip([c[0] for c in block(page, "mesh1")], [0, 0, 0, 1, 0, 0, 0, 0.1, 0]):
            self.assertAlmostEqual(value, expected, delta=1e-7)

    def test_meshes_are_inside_a_picture(self):
        """A wedge that reaches five times as far from its body as anything else does."""
        (self.folder / "one.stl").write_text("vertex 0 0 0 vertex 5 0 0 vertex 5 1 0")
        shape = "points: {A: [-1, 0]}, shape: {mesh: one.stl}, color: '#ff0000'}"
        self.run_model(ROD.replace("points: {A: [-1, 0]}}", shape))
        subprocess.run([PROGRAM, "film", "out", "--at", "0", "-o", "0.svg"], cwd=self.folder, check=True)
        text = (self.folder / "0.svg").read_text()
        width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', text).groups())
        drawn = re.search(r'd="([^"]*)"[^>]*#ff0000', text)[1]
        corners = [(float(x), float(y)) for x, y in re.findall(r"[ML](\S+) ([^LZ]+)", drawn)]
        self.assertEqual(len(corners), 3)
        for x, y in corners:
            self.assertTrue(0 <= x <= width and 0 <= y <= height, corners)

    def test_meshes_of_mirrored_parts(self):
        (self.folder / "one.stl").write_text("vertex 3 4 5 vertex 6 7 8 vertex 9 10 12")
        (self.folder / "part.yaml").write_text("trammel: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1], shape: {mesh: one.stl}}}\n")
        page = self.run_model("trammel: 1\nspace: spatial\nsimulate: {duration: 0.1}\n"
                              "include: [{file: part.yaml, prefix: a_}, {file: part.yaml, prefix: b_, mirror: y}]\n")
        self.assertEqual([c[0] for c in block(page, "mesh0")], [3, 4, 5, 6, 7, 8, 9, 10, 12])
        self.assertEqual([c[0] for c in block(page, "mesh1")], [3, -4, 5, 9, -10, 12, 6, -7, 8])

    def test_missing_mesh_is_a_warning(self):
        text = ROD.replace("points: {A: [-1, 0]}}", "points: {A: [-1, 0]}, shape: {mesh: none.stl}}")
        (self.folder / "model.yaml").write_text(text)
        done = subprocess.run([PROGRAM, "run", "model.yaml", "-o", "out"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: mesh 'none.stl' is left out of the pictures", done.stderr)

    def test_without_node_it_says_so(self):
        page = self.run_model(ROD)
        built = '<div id="app">' in page
        self.assertNotEqual(built, "built without Node.js" in page)
        cache = (Path(os.environ["TRM_BUILD_DIR"]) / "CMakeCache.txt").read_text()
        if "TRM_PAGE:BOOL=OFF" in cache:
            self.assertFalse(built)

    def test_no_report(self):
        self.assertIsNone(self.run_model(ROD, "--no-report"))

    def test_the_scene_is_a_file_and_the_page_has_it(self):
        page = self.run_model(ROD)
        text = (self.folder / "out/scene.json").read_text()
        self.assertIn(f'<script type="application/json" id="scene">{text}</script>', page)
        scene = json.loads(text)
        self.assertEqual(scene["name"], "Rod </script> & <b>")
        self.assertEqual(scene["blocks"]["frames"]["rows"], len(scene["frames"]["t"]))
        self.assertNotIn("<", text)  # it would end the page's script
        self.run_model(ROD, "--no-report")
        self.assertEqual((self.folder / "out/scene.json").read_text(), text)

    def test_failure_keeps_the_last_state_and_the_message(self):
        text = ROD + "forces:\n  F: {type: force, point: rod, value: [0, 'sqrt(0.5 - t)']}\n"
        page = self.run_model(text, status=1)
        data = data_of(page)
        self.assertEqual(data["summary"]["status"], "failed")
        self.assertTrue(data["summary"]["message"])
        self.assertIn("error:", data["messages"][0])
        self.assertEqual(data["frames"]["t"][-1], data["summary"]["time_reached"])

    def test_unwritable_report_is_an_error(self):
        (self.folder / "out").mkdir()
        (self.folder / "out/report.html").mkdir()
        (self.folder / "model.yaml").write_text(ROD)
        done = subprocess.run([PROGRAM, "run", "model.yaml", "-o", "out"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("report.html", done.stderr)


if __name__ == "__main__":
    unittest.main()
