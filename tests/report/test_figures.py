"""Figures, things on the ground, the view and forces of elements: in report.html, scene.json, films and glTF."""
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

MODEL = """trammel: 1
name: Cart between cones
space: spatial
gravity: [0, 0, -9.81]
parameters: {v: 15, h: 0.5}
ground:
  points: {O: [0, 0, 0], P: [1, 2, 0]}
  shapes:
    road: {box: [100, 8, 0.02], at: [50, 0, -0.02], orientation: {axis: [0, 0, 1], angle: pi/2}, color: "#b8bec6"}
    cone$(i): {repeat: {i: [1, 4]}, cone: {radius: 0.2, height: 0.6}, at: [8*i, 1, 0], color: "#ee7733"}
    lane: {path: {s: [0, 100], count: 11, point: [s, "s^2/v", 0.01]}}
    edge: {path: [O, P]}
    gate: {path: [[9, -3], [9, 3]]}
    drum: {cylinder: {radius: 1, length: 2, axis: [1, 0, 0]}, at: [0, 5, 1], angle: pi}
bodies:
  car: {mass: 10, inertia: [1, 1, 1], position: [0, 0, h], velocity: [v, 1, 0], points: {top: [0, 0, 0.3]}, shape: {box: [3, 1.4, 0.6]}}
  bob: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 1.6], velocity: [v, 1, 0], shape: {cone: {radius: 0.2, height: 0.5}}}
joints:
  floor: {type: planar, connect: [ground, car], at: [0, 0, 0.5], axis: [0, 0, 1]}
  mast: {type: prismatic, connect: [car, bob], axis: [0, 0, 1]}
forces:
  spring: {type: spring-damper, connect: [car.top, bob], stiffness: 100, damping: 0.5, length: 0.9}
  ram: {type: actuator, connect: [ground.P, bob], value: 3 + t}
  tie: {type: spring-damper, connect: [bob, ground.P], stiffness: 2, length: 0}
  motor: {type: actuator, of: mast, value: 1}
  twist: {type: torque, body: car, value: [0, 0, 0]}
view: {follow: car.top, from: [-2, 0, 2], forces: true}
simulate: {duration: 2, output-step: 0.02}
outputs: [car.x]
plots:
  way: {title: "Way & <b>", x: car.x, y: {car: car.y, double: 2*car.y}, x-label: "x, m", y-label: "y, m"}
  spring: {y: [spring.force, spring.length*1000]}
  single: {x: "car.x/v", y: bob.z}
metrics: {far: max(car.x), never: first(car.x < -1)}
"""


def unpack(found):
    """Columns of a block of numbers; undoes what src/report/block.c does."""
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


class FiguresTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        (cls.folder / "model.yaml").write_text(MODEL)
        subprocess.run([PROGRAM, "run", "model.yaml", "-o", "out", "--quiet"], cwd=cls.folder, check=True)
        cls.page = (cls.folder / "out/report.html").read_text()
        cls.data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', cls.page, re.S)[1])
        cls.file = json.loads((cls.folder / "out/scene.json").read_text())
        with open(cls.folder / "out/results.csv", newline="") as file:
            cls.rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_the_page_has_the_figures(self):
        way, spring, single = self.data["plots"]
        self.assertEqual(way["title"], "Way & <b>")
        self.assertEqual((way["x"]["name"], way["x_label"], way["y_label"]), ("car.x", "x, m", "y, m"))
        self.assertEqual([(y["name"], y["label"]) for y in way["y"]], [("car.y", "car"), ("2*car.y", "double")])
        self.assertEqual((spring["title"], spring["x"]["name"], spring["x_label"]), ("spring", "t", None))
        self.assertEqual(single["x"]["name"], "car.x/v")

    def test_its_curves_are_formulas_of_the_rows(self):
        self.assertEqual(list(self.rows[0]), ["t", "car.x", "car.y", "spring.force", "spring.length", "bob.z"])
        names = self.data["table"]["names"]
        tag = re.search(r'id="table" data-rows="(\d+)">([^<]*)<', self.page)
        columns = dict(zip(names, unpack({"rows": int(tag[1]), "data": tag[2]})))
        self.assertEqual(names, [*list(self.rows[0])[1:], "2*car.y", "spring.length*1000", "car.x/v"])
        for i, row in enumerate(self.rows):
            self.assertAlmostEqual(columns["2*car.y"][i], 2 * row["car.y"], delta=1e-6)
            self.assertAlmostEqual(columns["spring.length*1000"][i], 1000 * row["spring.length"], delta=1e-3)
            self.assertAlmostEqual(columns["car.x/v"][i], row["car.x"] / 15, delta=1e-6)

    def test_the_page_has_the_metrics(self):
        found = self.data["summary"]["metrics"]
        self.assertEqual(found, {"far": max(row["car.x"] for row in self.rows), "never": None})

    def test_the_scene_has_what_is_on_the_ground(self):
        scenery = self.file["scene"]["scenery"]
        self.assertEqual([thing["name"] for thing in scenery],
                         ["road", "cone1", "cone2", "cone3", "cone4", "lane", "edge", "gate", "drum"])
        road, cone, lane, edge, gate, drum = scenery[0], scenery[3], *scenery[5:]
        self.assertEqual((road["shape"], road["position"], road["color"]), ({"box": [100, 8, 0.02]}, [50, 0, -0.02], "#b8bec6"))
        for a, b in zip(road["rotation"], [0, -1, 0, 1, 0, 0, 0, 0, 1]):
            self.assertAlmostEqual(a, b, delta=1e-12)
        self.assertEqual((cone["shape"], cone["position"]), ({"cone": [0.2, 0.6], "axis": [0, 0, 1]}, [24, 1, 0]))
        self.assertEqual(len(lane["shape"]["path"]), 11)
        for k, point in enumerate(lane["shape"]["path"]):
            for a, b in zip(point, [10 * k, 100 * k * k / 15, 0.01]):
                self.assertAlmostEqual(a, b, delta=1e-6)
        self.assertEqual(edge["shape"], {"path": [[0, 0, 0], [1, 2, 0]]})
        self.assertEqual(gate["shape"], {"path": [[9, -3, 0], [9, 3, 0]]})
        self.assertEqual(drum["shape"], {"cylinder": [1, 2], "axis": [1, 0, 0]})
        self.assertAlmostEqual(drum["rotation"][0], -1, delta=1e-12)
        self.assertEqual(self.file["scene"]["bodies"][1]["shape"], {"cone": [0.2, 0.5], "axis": [0, 0, 1]})

    def test_the_scene_has_the_view(self):
        view = self.file["scene"]["view"]
        self.assertEqual(view["follow"], [0, 0, 0, 0.3])
        self.assertIs(view["forces"], True)
        for a, b in zip(view["from"], [-math.sqrt(0.5), 0, math.sqrt(0.5)]):
            self.assertAlmostEqual(a, b, delta=1e-8)

    def test_frames_have_the_forces_of_elements(self):
        frames, columns = self.file["frames"], unpack(self.file["blocks"]["frames"])
        scene = self.file["scene"]
        self.assertEqual([scene["forces"][i]["name"] for i in frames["loads"]], ["spring", "ram", "tie"])
        first = 7 * 2 + 3 * len(frames["reactions"])
        self.assertEqual(frames["width"], first + 3 * 6 + len(frames["series"]))
        for i, row in enumerate(self.rows):
            bob = [columns[7 + k][i] for k in range(3)]
            spring, ram, tie = ([columns[first + 6 * n + k][i] for k in range(6)] for n in range(3))
            for k in range(3):  # both act on the bob
                self.assertAlmostEqual(spring[k], bob[k], delta=1e-5)
                self.assertAlmostEqual(ram[k], bob[k], delta=1e-5)
            # the spring is upright: tension pulls the bob down
            for found, expected in zip(spring[3:], [0, 0, -row["spring.force"]]):
                self.assertAlmostEqual(found, expected, delta=1e-4)
            # the ram pushes it away from P
            away = [bob[0] - 1, bob[1] - 2, bob[2]]
            for k in range(3):
                self.assertAlmostEqual(ram[3 + k], (3 + row["t"]) * away[k] / math.hypot(*away), delta=1e-4)
                # the tie pulls the ground at P
                self.assertAlmostEqual(tie[k], [1, 2, 0][k], delta=1e-6)
                self.assertAlmostEqual(tie[3 + k], 2 * away[k], delta=1e-3)

    def test_tires_push_at_the_contact(self):
        """A wheel that rolls along y: its own x is the global y, its y the global −x."""
        tire = Path(__file__).resolve().parents[2] / "models" / "vehicle" / "sedan.tir"
        (self.folder / "wheel.yaml").write_text(f"""trammel: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  wheel: {{mass: 400, inertia: [9, 9, 9], position: [3, 0, 0.33], velocity: [0.5, 9, 0], angular-velocity: [-30, 0, 0]}}
joints:
  up: {{type: perpendicular, connect: [ground, wheel], axes: [[0, 0, 1], [1, 0, 0]]}}
  on: {{type: perpendicular, connect: [ground, wheel], axes: [[0, 1, 0], [1, 0, 0]]}}
forces: {{tire: {{type: tire, wheel: wheel, axis: [-1, 0, 0], file: '{tire}', side: left}}}}
simulate: {{duration: 1, output-step: 0.02}}
outputs: [wheel, tire]
""")
        subprocess.run([PROGRAM, "run", "wheel.yaml", "-o", "wheel", "--quiet"], cwd=self.folder, check=True)
        file = json.loads((self.folder / "wheel/scene.json").read_text())
        columns = unpack(file["blocks"]["frames"])
        first = 7 + 3 * len(file["frames"]["reactions"])
        with open(self.folder / "wheel/results.csv", newline="") as table:
            rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(table)]
        self.assertEqual(len(file["frames"]["loads"]), 1)
        self.assertGreater(max(abs(row["tire.fy"]) for row in rows), 10)
        for i, row in enumerate(rows):
            expected = [row["wheel.x"], row["wheel.y"], 0, -row["tire.fy"], row["tire.fx"], row["tire.fz"]]
            for k in range(6):
                self.assertAlmostEqual(columns[first + k][i], expected[k], delta=1e-6 * (1 + abs(expected[k])))

        # the road lies under all of its way, with room on all sides
        road = file["scene"]["scenery"][-1]
        self.assertEqual((road["name"], road["shape"], file["scene"]["meshes"]), ("road", {"mesh": 0}, 1))
        corners = unpack(file["blocks"]["mesh0"])
        for k, axis in enumerate("xy"):
            places = [place for column in corners[k::3] for place in column]
            self.assertLess(min(places), min(row[f"wheel.{axis}"] for row in rows) - 1)
            self.assertGreater(max(places), max(row[f"wheel.{axis}"] for row in rows) + 1)
        self.assertTrue(all(z == 0 for column in corners[2::3] for z in column))

    def test_a_film_follows(self):
        """The box of the car stays where it is in every picture; the road does not."""
        places = {}
        for t in "0.5", "1.5":
            subprocess.run([PROGRAM, "film", "out", "--at", t, "-o", f"{t}.svg"], cwd=self.folder, check=True)
            text = (self.folder / f"{t}.svg").read_text()
            for color in "4477aa", "b8bec6", "ee7733":
                paths = re.findall(rf'<[^>]*#{color}[^>]*>', text)
                self.assertGreater(len(paths), 0, color)
                places.setdefault(color, []).append(paths)
        self.assertEqual(*places["4477aa"])
        self.assertNotEqual(*places["b8bec6"])
        self.assertNotEqual(*places["ee7733"])

    def test_gltf_has_what_is_on_the_ground(self):
        subprocess.run([PROGRAM, "film", "out", "-o", "scene.glb"], cwd=self.folder, check=True)
        data = (self.folder / "scene.glb").read_bytes()
        scene = json.loads(data[20:20 + struct.unpack("<I", data[12:16])[0]])
        nodes = {node["name"]: node for node in scene["nodes"]}
        self.assertEqual(len(scene["nodes"]), 1 + 2 + 9)
        self.assertEqual(sorted(scene["nodes"][0]["children"]), list(range(1, 12)))
        self.assertEqual(nodes["cone3"]["matrix"], [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 24, 1, 0, 1])
        # a quarter of a turn: x goes to y
        for a, b in zip(nodes["road"]["matrix"][:3], [0, 1, 0]):
            self.assertAlmostEqual(a, b, delta=1e-8)
        points = scene["accessors"][scene["meshes"][nodes["cone3"]["mesh"]]["primitives"][0]["attributes"]["POSITION"]]
        for a, b in zip(points["max"], [0.2, 0.2, 0.6]):
            self.assertAlmostEqual(a, b, delta=1e-6)
        self.assertEqual(points["min"][2], 0)


if __name__ == "__main__":
    unittest.main()
