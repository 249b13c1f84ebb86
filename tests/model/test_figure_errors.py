"""Mistakes in plots, metrics, things on the ground and the view: each has its message and place."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
BAD_MODEL = 3

# Each case replaces one part of it.
GOOD = """trammel: 1
space: spatial
parameters: {L: 2}
ground:
  points: {O: [0, 0, 0], P: [1, 0, 0]}
  shapes:
    road: {box: [9, 3, 0.1], at: [4, 0, 0]}
    cone$(i): {repeat: {i: [1, 3]}, cone: {radius: 0.1, height: 0.4}, at: [2*i, 1, 0]}
    lane: {path: {s: [0, 9], point: [s, sin(s), 0]}}
    edge: {path: [O, P]}
bodies:
  rod: {mass: 1, inertia: [1, 1, 1], points: {B: [L, 0, 0]}}
joints:
  J: {type: revolute, connect: [ground.O, rod], axis: [0, 0, 1]}
view: {follow: rod.B, from: [1, 1, 1]}
simulate: {duration: 0.1}
plots:
  way: {title: Way, x: rod.B.x, y: [rod.B.y, L*rod.B.x]}
  turn: {y: {angle: J.angle, rate: J.rate}}
metrics:
  far: max(abs(rod.B.x))
  when: first(rod.B.x > L)
  both: far + when
"""

# the part replaced, what replaces it, and what the message must say (line:column and words)
MISTAKES = [
    ("y: [rod.B.y,", "y: [rodd.B.y,", ":18:37: error: plot 'way': ", "did you mean 'rod'?"),
    ("y: [rod.B.y,", "y: [rod.B.q,", ":18:37: error: plot 'way': ", "q"),
    ("L*rod.B.x]", "K*rod.B.x]", ":18:46: error: plot 'way': ", "unknown name 'K'"),
    ("L*rod.B.x]", "L*(rod.B.x]", ":18:46: error: plot 'way': y: ", "unbalanced parentheses"),
    ("x: rod.B.x,", "x: rod,", ":18:24: error: plot 'way': ", "rod"),
    ("y: {angle: J.angle,", "y: {angle: J.angel,", ":19:21: error: plot 'turn': ", "angel"),
    ("title: Way", "titel: Way", ":18:9: error: plot 'way': ", "did you mean 'title'?"),
    ("x: rod.B.x, y: [rod.B.y, L*rod.B.x]", "x: rod.B.x", ":18:3: error: plot 'way': ", "missing key 'y'"),
    ("turn: {y: {angle: J.angle, rate: J.rate}}", "turn: J.angle", ":19:9: error: plot 'turn': ", "expected a map"),
    ("far: max(abs(rod.B.x))", "far: rod.B.x", ":21:8: error: metric 'far': ", "changes over the run; write final(rod.B.x)"),
    ("max(abs(rod.B.x))", "max(abs(rod.C.x))", ":21:16: error: metric 'far': ", "no measure or point 'C.x'"),
    ("max(abs(rod.B.x))", "maxi(rod.B.x)", ":21:8: error: metric 'far': ", "did you mean 'max'?"),
    ("both: far", "L: far", ":23:6: error: metric 'L': ", "has a meaning already"),
    ("both: far", "rod: far", ":23:8: error: metric 'rod': ", "has a meaning already"),
    ("both: far", "both: farr", ":23:9: error: metric 'both': ", "unknown name 'farr', did you mean 'far'?"),
    ("first(rod.B.x > L)", "at(rod.B.x)", ":22:9: error: metric 'when': ", "takes 2 arguments"),
    ("box: [9, 3, 0.1]", "box: [9, 3]", ":7:17: error: shape 'road': box: ", "expected 3 numbers"),
    ("box: [9, 3, 0.1]", "bxo: [9, 3, 0.1]", ":7:12: error: shape 'road': ", "did you mean 'box'?"),
    ("box: [9, 3, 0.1], at", "at", ":7:5: error: shape 'road': ", "a shape is missing"),
    ("box: [9, 3, 0.1], at", "box: [9, 3, 0.1], sphere: 1, at", ":7:11: error: shape 'road': ", "one shape, found 2"),
    ("height: 0.4", "hight: 0.4", ":8:57: error: shape 'cone1': ", "did you mean 'height'?"),
    ("at: [2*i, 1, 0]", "at: [2*j, 1, 0]", ":8:78: error: shape 'cone1': at: ", "unknown name 'j'"),
    ("at: [2*i, 1, 0]", "at: [2*i, 1]", ":8:75: error: shape 'cone1': at: ", "expected 3 numbers"),
    ("point: [s, sin(s), 0]", "point: [s, log(-s), 0]", ":9:41: error: shape 'lane': ", "no finite number"),
    ("point: [s, sin(s), 0]", "point: [s, sin(u), 0]", ":9:45: error: shape 'lane': ", "unknown name 'u'"),
    ("point: [s, sin(s), 0]", "point: [s, 0, 0], count: 1", ":9:55: error: shape 'lane': ", "an integer from 2"),
    ("path: [O, P]", "path: [O, Q]", ":10:5: error: shape 'edge': ", "ground has no point 'Q'; its points are O, P"),
    ("follow: rod.B", "follow: rodd.B", ":15:16: error: view: ", "unknown body 'rodd', did you mean 'rod'?"),
    ("follow: rod.B", "follow: rod.C", ":15:16: error: view: ", "no point 'C'; its points are B"),
    ("follow: rod.B", "folow: rod.B", ":15:8: error: view: ", "did you mean 'follow'?"),
    ("from: [1, 1, 1]", "forces: yes", ":15:31: error: view: forces: ", "expected true or false, found 'yes'"),
    ("from: [1, 1, 1]", "from: [0, 0, 0]", ":15:29: error: view: ", "length zero"),
]


class FigureErrorTest(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.yaml"
            path.write_text(text)
            return subprocess.run([PROGRAM, "check", str(path)], capture_output=True, text=True)

    def test_the_model_is_good(self):
        done = self.check(GOOD)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_each_mistake_is_told_once_and_placed(self):
        for before, after, place, words in MISTAKES:
            with self.subTest(after=after):
                self.assertIn(before, GOOD)
                done = self.check(GOOD.replace(before, after, 1))
                self.assertEqual(done.returncode, BAD_MODEL, done.stderr)
                self.assertIn(place, done.stderr)
                self.assertIn(words, done.stderr)
                self.assertEqual(done.stderr.count("error: "), 1, done.stderr)

    def test_all_are_told_at_once(self):
        text = GOOD.replace("rod.B.y,", "rod.B.q,").replace("max(abs(", "maxi(abs(").replace("follow: rod", "follow: rud")
        self.assertEqual(self.check(text).stderr.count("error: "), 3)


if __name__ == "__main__":
    unittest.main()
