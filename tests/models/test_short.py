"""Mechanisms written by lengths, sketches and vectors move like their long forms, which are worked out by hand."""
import json
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from program import Run, check, largest_difference

MODELS = Path(__file__).parents[2] / "models"
SHORT = MODELS / "short"


def lines(path):
    return sum(1 for line in path.read_text().splitlines() if line.strip() and not line.strip().startswith("#"))


class Short(unittest.TestCase):
    def same(self, long, short, *options, limit, counted_from_sketch=(), model=None):
        self.assertLessEqual(2 * lines(short), lines(long), short)
        a, b = Run(model[0] if model else long, *options), Run(model[1] if model else short, *options)
        names = [name for name in b.columns if name in a.columns and name not in counted_from_sketch]
        self.assertGreater(len(names), 20)
        energy = max(abs(x) for name in names if name.startswith("energy.") for x in a[name]) if "energy.total" in names else 0
        for name in names:
            scale = energy if name.startswith("energy.") else max(1, *map(abs, a[name]))
            self.assertLessEqual(largest_difference(a, b, [name]), limit * scale, name)

    def test_four_bar(self):
        self.same(MODELS / "four_bar.yaml", SHORT / "four_bar.yaml", limit=1e-12,
                  counted_from_sketch=("A.angle", "B.angle", "C.angle", "D.angle"))

    def test_guess(self):
        """Points of a sketch by their names are the same as points written in each bar; mistakes are told once."""
        text = (SHORT / "four_bar.yaml").read_text()
        written = text.replace("[A, B], l", "{A: [0, 0], B: [3, -3]}, l").replace("[B, C], l", "{B: [3, -3], C: [7, -3]}, l")
        written = written.replace("[C, D], l", "{C: [7, -3], D: [L, 0]}, l").replace("guess: {B: [3, -3], C: [7, -3]}\n", "")
        self.assertNotIn("guess", written)
        ends = text.replace("bar: [A, B]", "bar: {from: A, to: B}").replace("bar: [B, C]", "bar: {to: C, from: B}")
        found = [{**json.loads(check(model, "--json")), "model": ""} for model in (written, text, ends)]
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])
        for old, new, message in (("guess: {B: [3, -3], C: [7, -3]}", "guess: [1, 2]", "expected a map of points"),
                                  ("C: [7, -3]}", "C: [7, -3, 1]}", "expected 2 numbers, found 3"),
                                  ("bar: [A, B]", "bar: [A, B, C]", "another number of points"),
                                  ("bar: [A, B]", "bar: A", "expected two points"),
                                  ("guess: {B", "guess: {b", "neither 'guess' nor the ground's points have 'B'")):
            self.assertIn(old, text)
            with self.assertRaises(AssertionError) as refused:
                check(text.replace(old, new))
            self.assertIn(message, str(refused.exception))

    def test_branches(self):
        """Four lengths close in two ways; the sketch chooses. At the coupler the angles follow from the triangle
        B C D by the law of cosines, mirrored."""
        a, b, c, d, start = 1, 3, 2.5, 3.5, 1.1
        bx, by = a * math.cos(start), a * math.sin(start)
        bd, to_d = math.hypot(d - bx, by), math.atan2(-by, d - bx)
        corner = math.acos((b * b + bd * bd - c * c) / (2 * b * bd))
        for side, y in ((1, 3), (-1, -3)):
            with self.subTest(side=side):
                found = json.loads(check(f"""trammel: 1
name: four-bar
space: planar
ground: {{points: {{A: [0, 0], D: [{d}, 0]}}}}
bodies:
  crank:   {{bar: {{A: [0, 0], B: [0.4, 0.8]}}, length: {a}, mass: 1}}
  coupler: {{bar: {{B: [0.4, 0.8], C: [3, {y}]}}, length: {b}, mass: 1}}
  rocker:  {{bar: {{C: [3, {y}], D: [{d}, 0]}}, length: {c}, mass: 1}}
joints:
  A: {{type: revolute, connect: [ground.A, crank.A]}}
  B: {{type: revolute, connect: [crank.B, coupler.B]}}
  C: {{type: revolute, connect: [coupler.C, rocker.C]}}
  D: {{type: revolute, connect: [ground.D, rocker.D]}}
initial: {{crank.angle: {start}}}
""", "--json"))["bends"]
                self.assertEqual(list(found), ["B", "C"])
                self.assertAlmostEqual(found["B"], to_d + side * corner - start, delta=1e-9)
                self.assertAlmostEqual(found["C"], -side * (math.pi - math.acos((b * b + c * c - bd * bd) / (2 * b * c))),
                                       delta=1e-9)

    def test_slider_crank(self):
        self.same(MODELS / "slider_crank.yaml", SHORT / "slider_crank.yaml", limit=1e-12,
                  counted_from_sketch=("A.angle", "B.angle", "C.angle", "guide.displacement"))

    def test_jansen(self):
        self.same(MODELS / "jansen.yaml", SHORT / "jansen.yaml", limit=1e-11)

    def test_stewart(self):
        self.same(SHORT / "stewart_long.yaml", SHORT / "stewart.yaml", "--integrator", "rk4", "--step", "1e-3",
                  limit=1e-11)

    def test_double_wishbone(self):
        """As the part of an axle, mirrored for its right side."""
        axle = MODELS / "axle/front_axle.yaml"
        parts = MODELS / "axle/double_wishbone.yaml", SHORT / "double_wishbone.yaml"
        axles = [axle.read_text().replace("file: double_wishbone.yaml", f"file: {part}") for part in parts]
        self.same(*parts, "--integrator", "rk4", "--step", "5e-4", limit=1e-10, model=axles)


if __name__ == "__main__":
    unittest.main()
