"""trammel plot and trammel film: figures, films, glTF, and what they say when something is missing."""
import csv
import json
import math
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"


class PicturesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        for model in ("jansen", "bricard", "four_bar_diagonal_spring", "rolling_disc"):
            subprocess.run([PROGRAM, "run", MODELS / f"{model}.yaml", "-o", model, "--quiet", "--duration", "2"], cwd=cls.folder, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def expect(self, status, *words, **more):
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=120, **more)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
        return done

    def rows(self, run):
        with open(self.folder / run / "results.csv", newline="") as file:
            return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]

    # --- plot ---

    def test_plot_svg(self):
        self.expect(0, "plot", "jansen", "foot.toe.x", "energy", "-o", "a.svg")
        text = (self.folder / "a.svg").read_text()
        xml.fromstring(text)
        for name in ("foot.toe.x", "energy.kinetic", "energy.error"):
            self.assertIn(name, text)

    def test_plot_panels_and_two_axes(self):
        """Curves in pixels, taken back to numbers by the ticks of their own axis and panel."""
        self.expect(0, "plot", "jansen", "foot.toe.x", ":", "foot.toe.vx", "/", "foot.toe.y", "-o", "two.svg")
        page = xml.fromstring((self.folder / "two.svg").read_text())
        space = "{http://www.w3.org/2000/svg}"
        panels = page.findall(f"{space}g")
        self.assertEqual(len(panels), 2)
        self.assertEqual([panel.get("transform") for panel in panels], ["translate(0 0)", "translate(0 280)"])
        rows = self.rows("jansen")
        for panel, anchors in ((panels[0], {"end": "foot.toe.x", "start": "foot.toe.vx"}), (panels[1], {"end": "foot.toe.y"})):
            curves = panel.findall(f"{space}g")
            self.assertEqual(len(curves), len(anchors))
            for curve, (anchor, name) in zip(curves, anchors.items()):
                ticks = [(float(text.text.replace("\u2212", "-")), float(text.get("y")) - 4)
                         for text in panel.findall(f"{space}text") if text.get("text-anchor") == anchor]
                (low, at_low), (high, at_high) = ticks[0], ticks[-1]
                numbers = re.findall(r"[-+]?[0-9.]+", curve.find(f"{space}path").get("d"))
                pixels = [float(y) for y in numbers[1::2]]
                scale = (high - low) / (at_high - at_low)
                drawn = [low + scale * (y - at_low) for y in pixels]
                column = [row[name] for row in rows]
                for found, expected in ((min(drawn), min(column)), (max(drawn), max(column))):
                    self.assertTrue(abs(found - expected) <= 1.5 * abs(scale), (name, found, expected))
        for words in ((":", "foot.toe.x"), ("foot.toe.x", "/"), ("foot.toe.x", ":"), ("foot.toe.x", ":", "/", "foot.toe.y")):
            self.expect(2, "plot", "jansen", *words, "-o", "bad.svg")

    def test_plot_of_several_runs(self):
        """Each measure once a run: the curves are those of the runs drawn alone, on one pair of axes."""
        subprocess.run([PROGRAM, "run", MODELS / "jansen.yaml", "-o", "other/half", "--quiet", "--duration", "1"],
                       cwd=self.folder, check=True)
        text = self.expect(0, "plot", "jansen", "other/half/", "foot.toe.x", "/", "foot.toe.y", "foot.toe.x", "-o", "-").stdout
        names = ["".join(t.itertext()) for t in xml.fromstring(text).iter("{http://www.w3.org/2000/svg}text")]
        for label in ("jansen", "half", "foot.toe.x", "foot.toe.y, jansen", "foot.toe.y, half"):
            self.assertIn(label, names)
        # the same run twice is the same curve twice
        twice = self.expect(0, "plot", "jansen", "jansen/results.csv", "foot.toe.x", "-o", "-").stdout
        curves = re.findall(r'<path[^>]* d="([^"]+)"', twice) or re.findall(r'points="([^"]+)"', twice)
        self.assertEqual(len([c for c in curves if len(c) > 1000]), 2)
        self.assertEqual(len({c for c in curves if len(c) > 1000}), 1)
        # a measure counts before a file of its name
        (self.folder / "energy").mkdir(exist_ok=True)
        self.assertIn("energy.kinetic", self.expect(0, "plot", "jansen", "energy", "-o", "-").stdout)
        self.assertIn("'bricard' has no 'foot.toe.x'", self.expect(2, "plot", "jansen", "bricard", "foot.toe.x", "-o", "-").stderr)

    def test_plot_to_standard_output_and_phase_plane(self):
        done = self.expect(0, "plot", "jansen/results.csv", "foot.toe.y", "--over", "foot.toe.x", "--title", "A <way>", "-o", "-")
        xml.fromstring(done.stdout)
        self.assertIn("A &lt;way", done.stdout)
        self.assertIn("foot.toe.x", done.stdout)

    def test_plot_of_formulas(self):
        """x − 0 and 2 y/2 are the curves of x and y themselves."""
        plain = self.expect(0, "plot", "jansen", "foot.toe.y", "--over", "foot.toe.x", "-o", "-").stdout
        formula = self.expect(0, "plot", "jansen", "2*foot.toe.y/2", "--over", "foot.toe.x - 0", "-o", "-").stdout
        curves = [re.findall(r'[" ]d="([^"]*)"|points="([^"]*)"', text) for text in (plain, formula)]
        self.assertGreater(len(str(curves[0])), 500)
        self.assertEqual(*curves)
        self.assertIn("2*foot.toe.y/2", formula)
        doubled = self.expect(0, "plot", "jansen", "2*foot.toe.y", "-o", "-").stdout
        self.assertNotEqual(doubled, self.expect(0, "plot", "jansen", "foot.toe.y", "-o", "-").stdout)

    @unittest.skipUnless(shutil.which("rsvg-convert"), "no rsvg-convert")
    def test_plot_png(self):
        self.expect(0, "plot", "jansen", "energy.error", "--log", "-o", "a.png", "--width", "400")
        head = (self.folder / "a.png").read_bytes()[:24]
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">I", head[16:20])[0], 800)
        self.assertEqual(sorted(p.name for p in self.folder.glob("a.png*")), ["a.png"])

    def test_plot_mistakes(self):
        self.assertIn("--from 1 is not before --to 0.5",
                      self.expect(2, "plot", "jansen", "foot.toe.x", "-o", "a.svg", "--from", "1", "--to", "0.5").stderr)
        self.assertIn("did you mean 'foot.toe.x'", self.expect(2, "plot", "jansen", "foot.toe.q", "-o", "b.svg").stderr)
        self.assertIn("unknown name 'foot.toe.q', did you mean 'foot.toe.x'?",
                      self.expect(2, "plot", "jansen", "2*foot.toe.q", "-o", "b.svg").stderr)
        self.assertIn("division by zero", self.expect(2, "plot", "jansen", "foot.toe.x/0", "-o", "b.svg").stderr)
        self.assertIn("-o FILE", self.expect(2, "plot", "jansen", "foot").stderr)
        self.assertIn(".svg or .png", self.expect(2, "plot", "jansen", "energy", "-o", "b.pdf").stderr)
        self.assertIn("no number", self.expect(2, "plot", "jansen", "energy", "-o", "b.svg", "--from", "x").stderr)
        self.expect(3, "plot", "nowhere", "x", "-o", "b.svg")
        self.expect(1, "plot", "jansen", "energy", "-o", "no/such/folder.svg")

    # --- film ---

    def test_png_and_films_without_their_programs(self):
        done = self.expect(1, "film", "jansen", "-o", "a.mp4", env={"PATH": "/nowhere"})
        self.assertIn("needs the program 'ffmpeg', which is not installed", done.stderr)
        done = self.expect(1, "plot", "jansen", "energy", "-o", "c.png", env={"PATH": "/nowhere"})
        self.assertIn("needs the program 'rsvg-convert', which is not installed", done.stderr)

    @unittest.skipUnless(shutil.which("ffmpeg"), "no ffmpeg")
    def test_films(self):
        for ending, magic in (("mp4", b"ftyp"), ("gif", b"GIF89a"), ("webp", b"WEBP")):
            self.expect(0, "film", "jansen", "-o", f"f.{ending}", "--size", "160x120", "--seconds", "0.5", "--fps", "10")
            self.assertIn(magic, (self.folder / f"f.{ending}").read_bytes()[:16])
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width", "-of", "csv=p=0", "f.mp4"],
                               cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(probe.stdout.strip(), "160,5")

    @unittest.skipUnless(shutil.which("ffmpeg"), "no ffmpeg")
    def test_a_still_shows_bodies_where_the_results_say(self):
        # the toe is the lowest thing drawn: the lowest green pixel is at its place
        at = 1.23
        self.expect(0, "film", "jansen", "-o", "s.png", "--at", at, "--size", "640x480")
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", "s.png", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                             cwd=self.folder, capture_output=True).stdout
        green = [(i // 3 % 640, i // 3 // 640) for i in range(0, len(raw), 3) if raw[i] < 60 and raw[i + 1] > 110 and raw[i + 2] < 80]
        lowest = max(y for _, y in green)
        x = sum(a for a, b in green if b == lowest) / sum(1 for a, b in green if b == lowest)
        rows = self.rows("jansen")
        now = min(rows, key=lambda row: abs(row["t"] - at))
        # the view fits all that moves into the picture: margins of 8 % and 6 pixels about the whole motion
        points = [k[:-2] for k in rows[0] if k.endswith(".x") and f"{k[:-2]}.y" in rows[0]]
        xs = [row[f"{p}.x"] for row in rows for p in points]
        ys = [row[f"{p}.y"] for row in rows for p in points]
        self.assertTrue(all(map(math.isfinite, xs + ys)))  # max() and min() may drop a NaN
        margin = 0.08 * 480 + 6
        scale = min((640 - 2 * margin) / (max(xs) - min(xs)), (480 - 2 * margin) / (max(ys) - min(ys)))
        expected = 320 + scale * (now["foot.toe.x"] - (max(xs) + min(xs)) / 2)
        bottom = 240 - scale * (now["foot.toe.y"] - (max(ys) + min(ys)) / 2)
        self.assertAlmostEqual(x + 0.5, expected, delta=3)
        self.assertAlmostEqual(lowest, bottom, delta=6)

    def test_svg_moves_by_itself(self):
        self.expect(0, "film", "four_bar_diagonal_spring", "-o", "m.svg", "--seconds", "2")
        root = xml.parse(self.folder / "m.svg").getroot()
        moving = root.findall(".//{http://www.w3.org/2000/svg}animate")
        self.assertGreater(len(moving), 5)
        for animate in moving:
            self.assertEqual(len(animate.get("values").split(";")), 24)
        self.expect(0, "film", "bricard", "-o", "still.svg", "--at", "0.5", "--trace", "rod3.B", "--ghosts", "4")
        self.assertNotIn("animate", (self.folder / "still.svg").read_text())

    def lines(self, model):
        """The polylines of a still at the start, as lists of points in pixels."""
        (self.folder / "drawn.yaml").write_text(model)
        self.expect(0, "run", "drawn.yaml", "-o", "drawn", "--quiet", "--no-report")
        self.expect(0, "film", "drawn", "-o", "drawn.svg", "--at", "0", "--size", "600x400")
        text = (self.folder / "drawn.svg").read_text()
        found = [[float(x) for x in re.findall(r"-?[0-9.]+", path)] for path in re.findall(r'(?: d|points)="([^"]*)"', text)]
        return [list(zip(path[::2], path[1::2])) for path in found]

    def test_rails_and_bushings(self):
        """A rail ends where the slider turns back, a little more than its block; a bushing is a ring three above it."""
        model = """trammel: 1
space: planar
ground: {points: {M: [0, 3]}}
bodies: {b: {mass: 1, inertia: 1}, c: {mass: 1, inertia: 1, position: [0, 3]}}
joints:
  J: {type: prismatic, connect: [ground, b], axis: [1, 0]}
  D: {type: driver, of: J, value: "STROKE*sin(t)"}
forces:
  m: {type: bushing, connect: [ground.M, c], stiffness: [1, 1, 1]}
simulate: {duration: 6.3, output-step: 0.05}
"""
        for stroke in (1, 2):
            lines = self.lines(model.replace("STROKE", str(stroke)))
            (rail,) = [path for path in lines if len(path) == 2]
            (ring,) = [path for path in lines if len(path) > 30]
            scale = abs(rail[0][1] - sum(y for _, y in ring[:-1]) / (len(ring) - 1)) / 3
            self.assertLess(abs(rail[0][1] - rail[1][1]), 1e-6)
            self.assertGreater(abs(rail[1][0] - rail[0][0]) / scale, 2 * stroke)
            self.assertLess(abs(rail[1][0] - rail[0][0]) / scale, 2 * stroke + 0.4)
            for a, b in zip(ring[:16], ring[16:]):
                self.assertLess(abs(math.dist(a, b) - math.dist(ring[0], ring[16])), 0.2)

    def test_film_mistakes(self):
        self.assertIn(".glb", self.expect(2, "film", "jansen", "-o", "a.avi").stderr)
        self.assertIn("no point 'foot.heel'", self.expect(2, "film", "jansen", "-o", "a.svg", "--trace", "foot.heel").stderr)
        self.assertIn("960x720", self.expect(2, "film", "jansen", "-o", "a.svg", "--size", "big").stderr)
        self.assertTrue(self.expect(3, "film", "nowhere", "-o", "a.svg").stderr.startswith("nowhere: error: "))
        (self.folder / "broken").mkdir(exist_ok=True)
        whole = (self.folder / "jansen/scene.json").read_text()
        data = re.compile(r'("frames":{"rows":\d+,"data":").{50}')
        self.assertRegex(whole, data)
        for text in ("", "<html>", "{}", whole[:whole.index('"data":') + 300], data.sub(r"\1", whole)):
            (self.folder / "broken/scene.json").write_text(text)
            self.assertIn("no scene of a run", self.expect(3, "film", "broken", "-o", "a.glb").stderr)

    def test_the_motion_is_that_of_the_last_run(self):
        """Also without a report: once an old one stayed, and its motion was drawn."""
        pictures = []
        for duration, options in ((1, ()), (2, ("--no-report",)), (1, ("--no-report",))):
            self.expect(0, "run", MODELS / "jansen.yaml", "-o", "again", "--quiet", "--duration", duration, *options)
            self.expect(0, "film", "again", "-o", "again.svg", "--fps", 5)
            pictures.append((self.folder / "again.svg").read_text())
        self.assertEqual(pictures[0], pictures[2])
        self.assertNotEqual(pictures[0], pictures[1])
        self.expect(0, "film", "again/scene.json", "-o", "again2.svg", "--fps", 5)
        self.assertEqual((self.folder / "again2.svg").read_text(), pictures[2])

    def test_nothing_to_film(self):
        self.expect(0, "run", MODELS / "point_pendulum.yaml", "-o", "formulas", "--quiet", "--duration", "1")
        self.assertIn("the model has no bodies", self.expect(3, "film", "formulas", "-o", "a.svg").stderr)
        self.expect(0, "plot", "formulas", "y", "--over", "x", "-o", "formulas.svg")

    # --- glTF ---

    def glb(self, run):
        self.expect(0, "film", run, "-o", f"{run}.glb")
        data = (self.folder / f"{run}.glb").read_bytes()
        magic, version, total, length, kind = struct.unpack("<4sIII4s", data[:20])
        self.assertEqual((magic, version, total, kind), (b"glTF", 2, len(data), b"JSON"))
        scene = json.loads(data[20:20 + length])
        size, kind = struct.unpack("<I4s", data[20 + length:28 + length])
        self.assertEqual((kind, size), (b"BIN\0", len(data) - 28 - length))
        self.assertEqual(scene["buffers"][0]["byteLength"], size)
        return scene, data[28 + length:]

    def values(self, scene, binary, index):
        accessor = scene["accessors"][index]
        view = scene["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        self.assertLessEqual(view["byteOffset"] + view["byteLength"], len(binary))
        self.assertEqual(view["byteLength"], 4 * width * accessor["count"])
        flat = struct.unpack_from(f"<{width * accessor['count']}f", binary, view["byteOffset"])
        self.assertTrue(all(map(math.isfinite, flat)))
        rows = [flat[i:i + width] for i in range(0, len(flat), width)]
        for bound, choose in (("min", min), ("max", max)):
            if bound in accessor:
                self.assertEqual([choose(row[k] for row in rows) for k in range(width)],
                                 [struct.unpack("<f", struct.pack("<f", v))[0] for v in accessor[bound]])
        return rows

    def check_motion(self, run, body, point, own):
        """A point of a body, carried by the node's animation, goes where results.csv says."""
        scene, binary = self.glb(run)
        for index in range(len(scene["accessors"])):
            self.values(scene, binary, index)
        names = [node["name"] for node in scene["nodes"]]
        motion = scene["animations"][0]
        tracks = {}
        for channel in motion["channels"]:
            if channel["target"]["node"] == names.index(body):
                sampler = motion["samplers"][channel["sampler"]]
                tracks[channel["target"]["path"]] = self.values(scene, binary, sampler["output"])
                times = self.values(scene, binary, sampler["input"])
        rows = {round(row["t"], 6): row for row in self.rows(run)}
        for (t,), (x, y, z), (qx, qy, qz, w) in zip(times, tracks["translation"], tracks["rotation"]):
            row = rows[round(t, 6)]
            self.assertAlmostEqual(qx * qx + qy * qy + qz * qz + w * w, 1, delta=1e-6)
            # u + 2 w (q × u) + 2 q × (q × u)
            ux, uy, uz = own
            cx, cy, cz = qy * uz - qz * uy, qz * ux - qx * uz, qx * uy - qy * ux
            place = (x + ux + 2 * (w * cx + qy * cz - qz * cy), y + uy + 2 * (w * cy + qz * cx - qx * cz), z + uz + 2 * (w * cz + qx * cy - qy * cx))
            for k, axis in enumerate("xyz"):
                self.assertAlmostEqual(place[k], row.get(f"{body}.{point}.{axis}", 0), delta=2e-5)
        self.assertGreater(len(times), 10)
        return scene

    def test_glb_planar(self):
        scene = self.check_motion("jansen", "crank", "X", (0.15, 0, 0))
        self.assertEqual(scene["nodes"][0]["rotation"], [0, 0, 0, 1])

    def test_glb_spatial(self):
        self.check_motion("bricard", "rod3", "B", (0, 0, 0.5))

    def test_glb_stands_upright(self):
        # gravity along −z: z must become y
        scene, _ = self.glb("rolling_disc")
        qx, qy, qz, w = scene["nodes"][0]["rotation"]
        up = (2 * (qx * qz + w * qy), 2 * (qy * qz - w * qx), 1 - 2 * (qx * qx + qy * qy))
        for value, expected in zip(up, (0, 1, 0)):
            self.assertAlmostEqual(value, expected, delta=1e-6)


if __name__ == "__main__":
    unittest.main()
