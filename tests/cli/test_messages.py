"""What the program says of common mistakes: one message, about the thing that is wrong."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
CRANK = """trammel: 1
name: crank
space: planar
ground: {points: {O: [0, 0]}}
bodies:
  crank: {bar: {A: [0, 0], B: [1, 0]}, mass: 1}
joints:
  A: {type: revolute, connect: [ground.O, crank.A]}
"""
SLIDER = CRANK.replace("joints:\n", "  rod: {bar: {B: [1, 0], C: [%s, 0]}, mass: 1}\njoints:\n") + """\
  B: {type: revolute, connect: [crank.B, rod.B]}
  C: {type: point-on-line, connect: [ground.O, rod.C], axis: x}
"""


class Messages(unittest.TestCase):
    def said(self, command, text, status, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.yaml"
            path.write_text(text)
            done = subprocess.run([PROGRAM, command, path, *options], capture_output=True, text=True, timeout=60, cwd=folder)
            self.assertEqual(done.returncode, status, done.stderr)
            return done.stderr

    def one_error(self, text, place, *parts):
        said = self.said("check", text, 3)
        self.assertEqual(said.count(" error: "), 1, said)
        for part in (f"m.yaml:{place}: error: ", *parts):
            self.assertIn(part, said)
        return said

    def test_conditions_are_named_and_joints_are_not_blamed(self):
        self.one_error(CRANK + "initial: {crank.B.x: 3}\n", "9:11", "initial condition 'crank.B.x' cannot be met",
                       "joints that do not allow it: A")
        self.one_error(CRANK + "initial: {crank.A.vx: 3}\n", "9:11", "initial conditions contradict", "'crank.A.vx'")

    def test_dead_centre(self):
        text = SLIDER % 3 + "  drive: {type: driver, of: rod.C.x, value: 3 - t}\n"
        self.one_error(text, "12:3", "joint 'drive' cannot move as required: the start is a dead centre")
        beside = text.replace("3 - t", "2.9 - t").replace("B: [1, 0]", "B: [1, 0.3]")
        self.assertNotIn("error", self.said("check", beside, 0))

    def test_loose_bodies_and_stretched_bushings_get_a_note(self):
        loose = CRANK.replace("joints:", "  loose: {mass: 1, inertia: 1}\njoints:")
        self.assertIn("m.yaml:7:3: note: body 'loose': no joint and no force holds it", self.said("check", loose, 0))
        held = "forces: {f: {type: bushing, connect: [crank.B, loose], stiffness: [9, 9, 1]}}\n"
        said = self.said("check", loose.replace("inertia: 1}", "inertia: 1, position: [5, 0]}") + held, 0)
        self.assertNotIn("no joint", said)
        self.assertIn("force 'f': as written its points are 4 apart", said)
        said = self.said("check", loose.replace("inertia: 1}", "inertia: 1, position: [1, 0]}") + held, 0)
        self.assertEqual(said, "")

    def test_yaml_in_our_words(self):
        head = "trammel: 1\nspace: planar\n"
        self.one_error("trammel: 1\nspace planar\nbodies: {b: {mass: 1, inertia: 1}}\n", "2:1", "a colon is missing")
        self.one_error(head + "bodies:\n  a: {mass: 1, inertia: 1}\n   b: {mass: 1, inertia: 1}\n", "5:4",
                       "not indented like the others")
        self.one_error(head + "bodies:\n  a: {mass: 1, inertia: 1\n  b: {mass: 1, inertia: 1}\n", "5:4",
                       "a comma or a closing '}' is missing", "opens at 4:6")
        self.one_error(head + 'name: "my model\nbodies:\n  a: {mass: 1, inertia: 1}\n  b: {mass: "2*3", inertia: 1}\n', "6:14",
                       "the quotes that open in line 3 do not end in it")
        self.one_error("trammel: 1\nspace: planar\nbodies:\n  b:\n    mass:1\n    inertia: 1\n", "5:5", "a blank behind the colon")
        self.one_error("trammel: 1\nspace: planar\nbodies\n  b: {mass: 1, inertia: 1}\n", "3:1", "a colon is missing")
        self.one_error(head + "name: 'my model\nbodies: {}\n", "3:8", "a closing quote is missing")

    def test_plot_of_a_model(self):
        self.assertIn("is a model, not its results: run it first, 'trammel run", self.said("plot", CRANK, 3))
        self.assertIn("is a model, not its results: run it first, 'trammel run", self.said("plot", CRANK, 3, "crank.x", "-o", "x.svg"))

    def test_round_off_is_no_movement(self):
        """A crank that is written 0.1 too far to the right moves, but does not turn."""
        said = self.said("check", CRANK.replace("bar: {A: [0, 0], B: [1, 0]}", "bar: {A: [0.1, 0], B: [1.1, 0]}"), 0)
        self.assertIn("assembly moved body 'crank' by 0.1\n", said)

    def test_half_a_turn_is_no_whole_one(self):
        """Written half a turn away from the global axes, round-off decides on the sign of a quaternion: nothing has turned."""
        text = """trammel: 1
space: spatial
bodies:
  a: {mass: 1, inertia: [1, 2, 2.5], position: [0.1, 0.2, 0.3]}
  b: {mass: 1, inertia: [1, 2, 2.5], position: [0.5, 0.1, 0.7], orientation: {quaternion: [0, 0.6, 0.8, 0]}}
joints:
  r: {type: revolute, connect: [ground, a], axis: [1, 2, 3], at: [0.1, 0.2, 0.3]}
  s: {type: spherical, connect: [a, b], at: [0.3, 0.2, 0.1]}
initial: {r.angle: 1e-13}
"""
        for coordinates in ("natural", "euler-parameters", "relative"):
            self.assertEqual(self.said("check", text, 0, "--coordinates", coordinates), "")


if __name__ == "__main__":
    unittest.main()
