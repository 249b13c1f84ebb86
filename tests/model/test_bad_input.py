"""Bad input to the program: each kind has its own message and exit status."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
BAD_USAGE, BAD_MODEL, FAILED = 2, 3, 1

# A pendulum; each case replaces one part of it.
GOOD = """trammel: 1
name: Pendulum
space: planar
gravity: [0, -9.81]
parameters:
  L: 2
  m: 1
ground: {points: {O: [0, 0]}}
bodies:
  rod:
    mass: m
    inertia: m*L^2/12
    position: [L/2, 0]
    points: {A: [-L/2, 0], B: [L/2, 0]}
joints:
  J: {type: revolute, connect: [ground.O, rod.A]}
forces:
  motor: {type: actuator, of: J, value: 0}
simulate:
  duration: 0.1
  step: 1e-3
outputs: [rod, energy]
"""

# name, the part replaced, what replaces it, and what the message must say (file:line:column and words)
MISTAKES = [
    ("unknown key", "    mass: m", "    masss: m", ":11:5: error: ", "did you mean 'mass'?"),
    ("unknown key at the top", "name:", "nme:", ":2:1: error: ", "unknown key 'nme', did you mean 'name'?"),
    ("unknown key of a type", "connect: [ground.O, rod.A]", "connect: [ground.O, rod.A], length: 1",
     ":16:51: error: ", "unknown key 'length'"),
    ("unknown setting", "  step: 1e-3", "  stepp: 1e-3", ":21:3: error: ", "did you mean 'step'?"),
    ("missing key", "    mass: m\n", "", ":10:3: error: ", "missing key 'mass'"),
    ("missing format version", "trammel: 1\n", "", "error: ", "missing key 'trammel'"),
    ("other format version", "trammel: 1", "trammel: 2", ":1:10: error: ", "version must be 1"),
    ("wrong type", "mass: m", "mass: [m]", ":11:11: error: ", "expected a number, found a list"),
    ("wrong length", "position: [L/2, 0]", "position: [L/2, 0, 0]", ":13:15: error: ",
     "expected 2 numbers, found 3"),
    ("commas without quotes", "position: [L/2, 0]", "position: [max(L, 1), 0]", ":13:15: error: ",
     "expressions with commas stand in quotes"),
    ("unknown body", "rod.A]", "rodd.A]", ":16:43: error: ", "unknown body 'rodd', did you mean 'rod'?"),
    ("unknown point", "rod.A]", "rod.C]", ":16:43: error: ", "no point 'C'"),
    ("unknown joint", "of: J", "of: K", ":18:31: error: ", "unknown joint 'K'"),
    ("unknown joint type", "type: revolute", "type: revolte", ":16:13: error: ", "did you mean 'revolute'?"),
    ("unknown force type", "type: actuator", "type: acctuator", ":18:17: error: ", "did you mean 'actuator'?"),
    ("unknown method", "step: 1e-3", "step: 1e-3\n  integrator: rk5", ":22:15: error: ", "unknown integrator 'rk5'"),
    ("unknown measure", "outputs: [rod,", "outputs: [rodd,", ":22:11: error: ", "rodd"),
    ("unknown space", "space: planar", "space: planer", ":3:8: error: ", "did you mean 'planar'?"),
    ("duplicate name", "  motor: {", "  J: {", ":18:3: error: ", "share one name space"),
    ("duplicate key", "    mass: m", "    mass: m\n    mass: 2", ":12:5: error: ", "duplicate key 'mass'"),
    ("undefined parameter", "mass: m", "mass: mm", ":11:11: error: ", "unknown name 'mm'"),
    ("misspelt parameter", "  L: 2", "  Length: 2\n  L: Lenght", ":7:6: error: ", "did you mean 'Length'?"),
    ("later parameter", "  L: 2", "  L: m", ":6:6: error: ", "'m' is defined later"),
    ("circular parameters", "  L: 2\n  m: 1", "  L: m\n  m: L", ":6:6: error: ", "circular"),
    ("parameter of itself", "  L: 2", "  L: L", ":6:6: error: ", "circular: 'L' is defined by itself"),
    ("syntax error in an expression", "mass: m", "mass: m +", ":11:14: error: ", "expected a value"),
    ("unbalanced parenthesis", "mass: m", "mass: (m", ":11:13: error: ", "expected ')'"),
    ("unknown function", "mass: m", "mass: sinn(m)", ":11:11: error: ", "sinn"),
    ("division by zero", "mass: m", "mass: m/0", ":11:12: error: ", "division by zero"),
    ("division by zero in a force", "value: 0", "value: 1/0", ":18:42: error: ", "division by zero"),
    ("NaN", "mass: m", "mass: .nan", ":11:11: error: ", "finite"),
    ("NaN from a function", "mass: m", "mass: sqrt(-m)", ":11:11: error: ", "not a real number"),
    ("infinite value", "mass: m", "mass: .inf", ":11:11: error: ", "finite"),
    ("number beyond the range", "mass: m", "mass: 1e999", ":11:11: error: ", "too large"),
    ("zero mass", "mass: m", "mass: 0", ":11:11: error: ", "mass is 0, it must be positive"),
    ("negative mass", "mass: m", "mass: -m", ":11:11: error: ", "mass is -1, it must be positive"),
    ("negative inertia", "m*L^2/12", "-2", ":12:14: error: ", "inertia is -2, it must not be negative"),
    ("zero step", "step: 1e-3", "step: 0", ":21:9: error: ", "step is 0, it must be positive"),
    ("negative step", "step: 1e-3", "step: -1", ":21:9: error: ", "step is -1, it must be positive"),
    ("negative duration", "duration: 0.1", "duration: -1", ":20:13: error: ", "duration is -1"),
    ("acceleration in a force", "value: 0", "value: rod.ax", ":18:41: error: ", "algebraic loop"),
    ("gear ratio zero", "rod.A]}", "rod.A]}\n  K: {type: revolute, connect: [ground, rod]}\n"
     "  G: {type: gear, joints: [J, K], ratio: 0}", ":18:42: error: ", "joint 'G': ratio is 0"),
    ("gear of a joint with itself", "rod.A]}", "rod.A]}\n  G: {type: gear, joints: [J, J], ratio: 1}",
     ":17:31: error: ", "couples joint 'J' with itself"),
    ("driver of an unknown body", "rod.A]}", "rod.A]}\n  D: {type: driver, of: rodd.angle, value: t}",
     ":17:25: error: ", "'rodd', did you mean 'rod'?"),
    ("driver that follows the motion", "rod.A]}", "rod.A]}\n  D: {type: driver, of: J, value: t + rod.x}",
     ":17:39: error: ", "only t and parameters may be used here"),
    ("two drivers of one freedom", "rod.A]}", "rod.A]}\n  D: {type: driver, of: J, value: t}\n"
     "  E: {type: driver, of: J.angle, value: t}", ":18:25: error: ", "driven already, by driver 'D'"),
    ("negative radius", "rod.A]}", "rod.A]}\n  R: {type: rolling, connect: [ground, rod], axis: [1, 1], radius: -1}",
     ":17:68: error: ", "radius is -1, it must be positive"),
    ("rolling without axis", "rod.A]}", "rod.A]}\n  R: {type: rolling, connect: [ground, rod], radius: 1}",
     ":17:3: error: ", "a rolling joint needs an axis"),
    ("YAML syntax", "[ground.O, rod.A]}", "[ground.O, rod.A}", "error: ", "YAML syntax"),
    ("tab as indentation", "    mass: m", "\tmass: m", "error: ", "tab"),
    ("two documents", "simulate:", "---\nsimulate:", ":19:1: error: ", "second document"),
    ("alias without anchor", "mass: m", "mass: *m", ":11:12: error: ", "has no anchor"),
]


class BadInput(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.model = self.folder / "m.yaml"
        self.model.write_text(GOOD)

    def expect(self, status, *parts, model=None, arguments=("-o", "out"), command="run"):
        words = [PROGRAM, command, str(model or "m.yaml"), *map(str, arguments)]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, timeout=120)
        said = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, status, f"{words}: {said}")
        for part in parts:
            self.assertIn(part, said)
        if status:
            self.assertIn("error:", said)
            self.assertNotIn("Sanitizer", said)
        return said

    def test_the_good_model_is_good(self):
        self.expect(0)

    def test_mistakes_in_the_file(self):
        for name, old, new, *parts in MISTAKES:
            with self.subTest(name):
                self.assertIn(old, GOOD)
                self.model.write_text(GOOD.replace(old, new, 1))
                for command in "run", "check":
                    arguments = ("-o", "out") if command == "run" else ()
                    said = self.expect(BAD_MODEL, "m.yaml:", *parts, arguments=arguments, command=command)
                    self.assertEqual(said.count("error:"), 1, said)

    def test_all_mistakes_are_reported(self):
        text = GOOD.replace("mass: m", "mass: -1").replace("rod.A]", "rod.C]").replace("step: 1e-3", "step: 0")
        self.model.write_text(text)
        said = self.expect(BAD_MODEL, ":11:11: error: body 'rod': mass is -1, it must be positive\n      mass: -1\n",
                           ":16:43: error: ", ":21:9: error: ")
        self.assertEqual(said.count("error:"), 3, said)

    def test_options(self):
        for name, arguments, part in [
            ("unknown option", ["--nonsense"], "nonsense"),
            ("unknown method", ["--integrator", "rk5"], "unknown integrator 'rk5'"),
            ("zero step", ["--step", "0"], "step is 0, it must be positive"),
            ("negative duration", ["--duration", "-1"], "duration is -1"),
            ("no number", ["--step", "abc"], "abc"),
            ("unknown parameter", ["--set", "mm=1"], "has no parameter 'mm'"),
            ("no value", ["--set", "m"], "NAME=VALUE"),
            ("bad value", ["--set", "m=1/0"], "division by zero"),
        ]:
            with self.subTest(name):
                self.expect(BAD_USAGE, part, arguments=arguments)
        self.expect(BAD_MODEL, "mass is -1, it must be positive", arguments=["--set", "m=-1"])

    def test_contradictory_joints(self):
        # the far end of a rod of length 2 pinned 50 away from where it can be
        text = GOOD.replace("ground: {points: {O: [0, 0]}}", "ground: {points: {O: [0, 0], P: [50, 0]}}")
        text = text.replace("forces:", "  K: {type: revolute, connect: [ground.P, rod.B]}\nforces:")
        self.model.write_text(text)
        self.expect(BAD_MODEL, "K")
        self.expect(BAD_MODEL, "K", command="check", arguments=())

    def test_empty_file(self):
        for text in "", "\n\n", "# only a comment\n":
            self.model.write_text(text)
            self.expect(BAD_MODEL, "m.yaml: error: the file is empty")

    def test_binary_file(self):
        self.model.write_bytes(Path(PROGRAM).read_bytes()[:4096])
        self.expect(BAD_MODEL, "m.yaml:1:1: error: this is a binary file")
        self.model.write_bytes(GOOD.encode() + b"\0")
        self.expect(BAD_MODEL, "m.yaml:23:1: error: this is a binary file")
        self.model.write_bytes(GOOD.encode().replace(b"Pendulum", b"P\xffndulum"))
        self.expect(BAD_MODEL, "m.yaml:2:8: error: this byte is not UTF-8")
        self.model.write_bytes(GOOD.encode("utf-16"))
        self.expect(BAD_MODEL, "UTF-16")

    def test_directory(self):
        (self.folder / "folder").mkdir()
        self.expect(BAD_MODEL, "folder: error: this is a directory", model="folder")

    def test_missing_file(self):
        self.expect(BAD_MODEL, "nowhere.yaml: error: ", "No such file", model="nowhere.yaml")

    def test_large_file(self):
        with open(self.model, "r+b") as file:
            file.truncate(100 << 20)
        self.expect(BAD_MODEL, "the file has 100 MB; model files may have at most 64 MB")

    def test_pipe_and_device(self):
        os.mkfifo(self.folder / "pipe")
        self.expect(BAD_MODEL, "a pipe or a device", model="pipe")
        self.expect(BAD_MODEL, "a pipe or a device", model="/dev/zero")

    def test_deep_nesting(self):
        for text in "[" * 10**6, "{a: " * 10**5, "- " * 10**5, "a: " + "[" * 100 + "]" * 100:
            self.model.write_text(text)
            self.expect(BAD_MODEL, "nested too deeply")
        self.model.write_text(GOOD.replace("mass: m", "mass: " + "(" * 10**6))
        self.expect(BAD_MODEL, "nested too deep")

    def test_alias_bomb(self):
        lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1]"]
        lines += [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 8) + "]" for i in range(1, 30)]
        self.model.write_text(GOOD + "\n".join(lines) + "\n")
        self.expect(BAD_MODEL, "alias bomb")

    def test_unreadable_file(self):
        self.model.chmod(0)
        if not os.access(self.model, os.R_OK):
            self.expect(BAD_MODEL, "m.yaml: error: ", "Permission denied")
        memory = Path("/proc/self/mem")  # may be opened, but reading at its start fails, for root too
        if memory.exists():
            self.expect(BAD_MODEL, "/proc/self/mem: error: the model file cannot be read", model=memory)

    def test_unwritable_output(self):
        (self.folder / "file").write_text("in the way")
        self.expect(FAILED, "file", arguments=("-o", "file/out"))
        self.expect(FAILED, "file", arguments=("-o", "file"))
        (self.folder / "out" / "results.csv").mkdir(parents=True)
        self.expect(FAILED, "results.csv", "Is a directory")
        locked = self.folder / "locked"
        locked.mkdir()
        locked.chmod(0o500)
        if not os.access(locked, os.W_OK):
            self.expect(FAILED, "locked", "Permission denied", arguments=("-o", "locked/out"))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_output_is_a_device(self):
        """A full disk is in cli/durable: files are written beside and renamed, which a device cannot be."""
        for name in "results.csv", "summary.json":
            with self.subTest(name):
                folder = self.folder / ("full " + name)
                folder.mkdir()
                (folder / name).symlink_to("/dev/full")
                self.expect(FAILED, name, "not a plain file", arguments=("-o", folder))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_full_standard_output(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "run", "m.yaml", "-o", "out", "--json"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"No space left", done.stderr)


if __name__ == "__main__":
    unittest.main()
