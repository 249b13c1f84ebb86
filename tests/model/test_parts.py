"""Models made of parts: names, parameters, places, mirror images, and what is said about mistakes in them."""
import csv
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
ROOT = Path(__file__).resolve().parents[2]
BAD_USAGE, BAD_MODEL = 2, 3
AXES = "xyz"

# Every joint and force whose mirror image has a sign to turn. Nothing in it is symmetric.
ARM = """trammel: 1
name: An arm
space: spatial
gravity: [0, 0, 99]
parameters: {L: 1, m: 2, k: 50, half: L/2}
ground: {points: {O: [0.1, 0.5, 0.2], S: [0.3, 0.9, 0.4]}}
bodies:
  arm:
    mass: m
    inertia: [0.2, 0.25, 0.3, 0.01, 0.02, -0.03]
    com: [0.05, 0.02, -0.04]
    position: [half + 0.1, 0.5, 0.2]
    orientation: {axis: [1, 0, 0], angle: 0.3}
    points: {A: [-half, 0, 0], B: [half, 0.1, 0.1]}
    angular-velocity: [0.05, 0.5, 0.1]
  hub: {mass: 1, inertia: [0.1, 0.12, 0.13], position: [1.1, 0.6, 0.3], gravity: [0.3, 0.5, -9], velocity: [0, 0.1, 0.3]}
  slide: {mass: 0.5, inertia: [0.02, 0.03, 0.04], position: [1.3, 0.8, 0.7]}
  nut: {mass: 0.7, inertia: [0.02, 0.03, 0.04], position: [0.5, 0.2, 0.9]}
  drive: {mass: 0.8, inertia: [0.03, 0.02, 0.04], position: [0.2, 1.5, 0.9], points: {E: [0.3, 0.1, 0]}}
  sled: {mass: 0.9, inertia: [0.05, 0.06, 0.07], position: [0.4, 0.3, 2], orientation: {axis: [1, 2, 1], angle: 0.4}}
  wheel: {mass: 0.6, inertia: [0.02, 0.04, 0.03], position: [0.8, 1.7, 0.9]}
shafts:
  rotor: {inertia: 0.2, initial-rate: 0.7}
inputs:
  push: "0.4*sin(3*t)"
variables:
  lean: "arm.roll - 0.5*arm.pitch + 0.2*arm.yaw + 0.1*drive.u - 0.3*drive.v*hub.vh + 0.2*wheel.p*wheel.q"
  command: "push + 0.3*hub.vy - lag + b.uy - 0.2*b.rx"
states:
  lag: {initial: "0.3*arm.B.y + push", rate: "(command - lag)/0.2"}
  angle: {initial: 0.1, rate: "rotor.rate - 0.2*lag' + lean"}
joints:
  J: {type: revolute, connect: [ground.O, arm.A], axis: [0.1, 1, 0.2]}
  R: {type: revolute, connect: [ground, drive], at: [0.2, 1.5, 0.9], axis: [1, 0.2, 0.1]}
  CV: {type: constant-velocity, connect: [drive, wheel], at: [0.5, 1.6, 0.9], axes: [[1, 0.2, 0.1], [1, 0.5, -0.2]]}
  RG: {type: gear, joints: [R, rotor], ratio: 2}
  K: {type: spherical, connect: [arm, hub], at: [1.05, 0.55, 0.28]}
  C: {type: cylindrical, connect: [hub, slide], at: [1.3, 0.8, 0.7], axis: [0.3, 1, 0.5]}
  N: {type: screw, connect: [ground, nut], at: [0.5, 0.2, 0.9], axis: [1, 2, -1], pitch: 0.3}
  G: {type: gear, joints: [J, N.angle], ratio: 0.7}
  D: {type: driver, of: C.angle, value: "0.3*sin(2*t) + 0.2*smooth(push - 0.1*sled.y, 0.2)"}
  V: {type: driver, of: sled.v, rate: "0.3*cos(t) + 0.2*smooth(push, 0.2)"}
  W: {type: driver, of: sled.q, rate: "0.1*(lag - 1)"}
forces:
  s: {type: spring-damper, connect: [hub, ground.S], stiffness: "k*(1 + 0.1*arm.B.y)", damping: 0.3}
  turn: {type: torsion-spring-damper, connect: [ground, arm], axis: [0.2, 1, 0], stiffness: 3, damping: 0.1, angle: 0.2}
  f: {type: force, point: arm.B, value: ["sin(t)", "0.5*hub.y - hub.vx", "hub.vy*J.rate + hub.x"]}
  body: {type: force, point: hub, value: [1, "2*t", -1], frame: body}
  T: {type: torque, body: hub, value: ["sin(t)", "0.5*hub.wy", "0.1*hub.wx + 0.05*hub.qx"], frame: body}
  along: {type: actuator, of: C.displacement, value: "-20*C.displacement - C.speed"}
  motor: {type: actuator, of: J, value: "0.2*cos(t) + 0.1*angle"}
  link: {type: load, connect: [drive.E, hub], force: ["0.3*lag", "0.5 + lean", "push"], torque: ["0.1*wheel.q", 0.05, "-0.02*lag"]}
  wind: {type: torsion-spring-damper, of: [rotor, J], stiffness: 0.8, damping: 0.05, angle: 0.1}
  hold: {type: bushing, connect: [ground, wheel], at: [0.9, 1.7, 0.9], stiffness: [90, 80, 70, 0, 0, 0], damping: [3, 2, 1, 0.1, 0.1, 0.1]}
  b:
    type: bushing
    connect: [slide, ground]
    at: [1.3, 0.8, 0.7]
    orientation: {euler: zxz, angles: [0.3, 0.4, 0.5]}
    stiffness:
      - [40, 3, 1, 0.5, 0.2, 0.1]
      - [3, 50, 2, 0.1, 0.3, 0.2]
      - [1, 2, 60, 0.3, 0.1, 0.4]
      - [0.5, 0.1, 0.3, 4, 0.3, 0.2]
      - [0.2, 0.3, 0.1, 0.3, 5, 0.1]
      - [0.1, 0.2, 0.4, 0.2, 0.1, 6]
    damping: [1, 2, 3, 0.1, 0.2, 0.3]
    preload: [0.3, -0.2, 0.1, 0.02, 0.03, -0.01]
initial: {hub.vy: 0.2}
simulate: {duration: 1}
outputs: [arm, hub, slide, nut, J, C, N, G, D, s, turn, along, motor, drive, wheel, sled, V, W, rotor, R, CV, push, lean, command, lag, angle, "lag'",
          link, wind, b, energy.kinetic, energy.potential, energy.work]
"""
OUTPUTS = ["arm", "hub", "slide", "nut", "J", "C", "N", "G", "D", "s", "turn", "along", "motor",
           "drive", "wheel", "sled", "V", "W", "rotor", "R", "CV", "push", "lean", "command", "lag", "angle", "\"lag'\"", "link", "wind", "b"]
# Components with names of their own, of the three axes in turn.
POLAR = ("u", "v", "w"), ("aX", "aY", "aZ"), ("uh", "vh"), ("axh", "ayh")
AXIAL = ("roll", "pitch", "yaw"), ("p", "q", "r")


def nature(key):
    """Of a component: its axis and whether the vector is axial; None: a scalar."""
    if key in ("kinetic", "power", "energy"):
        return None
    for names in POLAR + AXIAL:
        if key in names:
            return AXES[names.index(key)], names in AXIAL
    return (key[-1], key[:-1] in ("w", "alpha", "t", "q", "r")) if key and key[-1] in AXES else None


def model(include, gravity=(0, 0, -9.81), more="", outputs=("",)):
    names = [name.replace('"', '"' + prefix, 1) if '"' in name else prefix + name for prefix in outputs for name in OUTPUTS] + ["energy.kinetic", "energy.potential", "energy.work"]
    return (f"trammel: 1\nspace: spatial\ngravity: [{', '.join(map(repr, gravity))}]\n{more}include:\n" +
            "".join(f"  - {entry}\n" for entry in include) + f"outputs: [{', '.join(names)}]\nsimulate: {{duration: 1}}\n")


class Parts(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)
        self.write("arm.yaml", ARM)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def call(self, *words):
        return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=self.folder, timeout=60)

    def run_text(self, text, *options):
        self.write("car.yaml", text)
        done = self.call("run", "car.yaml", "-o", "out", "--quiet", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "out/results.csv", newline="") as file:
            return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]

    def refuse(self, text, *expected, status=BAD_MODEL, options=()):
        self.write("car.yaml", text)
        done = self.call("check", "car.yaml", *options)
        self.assertEqual(done.returncode, status, done.stderr)
        for words in expected:
            self.assertIn(words, done.stderr)
        return done.stderr

    def agree(self, rows, others, expected, tolerance=1e-9):
        """expected(row): what the others must have; relative to the largest value of a column or one"""
        self.assertEqual(len(rows), len(others))
        wanted = [expected(row) for row in rows]
        self.assertGreater(len(wanted[0]), 20)
        for name in wanted[0]:
            size = max(1.0, *(abs(row[name]) for row in wanted))
            for row, other in zip(wanted, others):
                self.assertLessEqual(abs(row[name] - other[name]), tolerance * size, f"{name} at {other['t']}")

    def plain(self, gravity=(0, 0, -9.81)):
        return self.run_text(re.sub(r"gravity: \[0, 0, 99\]", f"gravity: [{', '.join(map(repr, gravity))}]", ARM))

    # --- the same as written out ---

    def test_a_part_is_what_it_is_written_out(self):
        rows = self.run_text(model(["{file: arm.yaml}"]))
        self.agree(self.plain(), rows, dict, 0)

    def test_two_parts_do_not_meet(self):
        rows = self.run_text(model(["{file: arm.yaml, prefix: a_}", "{file: arm.yaml, prefix: b_, at: [3, 1, -2]}"], outputs=("a_", "b_")))
        first = self.plain()
        owner = lambda name, prefix: name if name == "t" else prefix + name
        keep = lambda row: {name: value for name, value in row.items() if not name.startswith("energy")}
        self.agree(first, rows, lambda row: {owner(name, "a_"): value for name, value in keep(row).items()}, 1e-8)
        # formulas of a part see the part's own axes: moved, it moves alike
        moved = {"x": 3, "y": 1, "z": -2}
        shifted = lambda name: moved.get(name.rpartition(".")[2], 0)
        self.agree(first, rows, lambda row: {owner(name, "b_"): value + shifted(name) for name, value in keep(row).items()}, 1e-8)
        energy = lambda row: row["energy.kinetic"]
        for row, both in zip(first, rows):
            self.assertLessEqual(abs(2 * energy(row) - energy(both)), 1e-8 * max(1, energy(both)))

    def image(self, axis, row, at=(0, 0, 0)):
        """The mirror image of a row: polar vectors, axial ones, and freedoms along axes that are axial."""
        new = {}
        for name, value in row.items():
            owner, _, key = name.rpartition(".")
            sign = 1
            vector = nature(key) if owner not in ("", "energy") else None
            if vector:
                polar = -1 if vector[0] == axis else 1
                sign = -polar if vector[1] else polar
            elif owner in ("C", "N", "along") and key in ("displacement", "speed", "length", "rate", "force", "effort"):
                sign = 1 if (owner, key) in (("C", "rate"), ("N", "rate")) else -1
            elif key == "effort" and owner in "VW":
                sign = (-1 if owner == "V" else 1) if axis == "y" else (1 if owner == "V" else -1)
            new[name] = sign * value + (at[AXES.index(key)] if key in AXES and key else 0)
        return new

    def test_mirror_images(self):
        for axis in AXES:
            with self.subTest(axis=axis):
                gravity = [0.7, -1.1, -9.81]
                mirrored = [-g if a == axis else g for g, a in zip(gravity, AXES)]
                rows = self.run_text(model([f"{{file: arm.yaml, mirror: {axis}, at: [1, 2, 3]}}"], mirrored))
                # potential: weight of what is moved by `at`
                expected = lambda row: {name: value for name, value in self.image(axis, row, (1, 2, 3)).items() if name != "energy.potential"}
                self.agree(self.plain(gravity), rows, expected, 1e-9)

    def test_mirrored_twice_is_not_mirrored(self):
        self.write("sub/inner.yaml", "trammel: 1\ninclude: [{file: ../arm.yaml, mirror: y, prefix: i_, at: [1, 2, 3]}]\n")
        rows = self.run_text(model(["{file: sub/inner.yaml, prefix: o_, mirror: y, at: [-1, 2, -3]}"], outputs=("o_i_",)))
        whole = lambda name: name == "t" or name.startswith("energy")
        self.agree(self.plain(), rows, lambda row: {name if whole(name) else f"o_i_{name}": value for name, value in row.items()}, 1e-9)

    def test_planar_parts(self):
        part = """trammel: 1
space: planar
bodies:
  a: {mass: 1, inertia: 0.1, position: [0.5, 0.2], angle: 0.3, points: {P: [0.4, 0.1]}, angular-velocity: 0.4}
  b: {mass: 2, inertia: 0.3, position: [1, 1]}
joints:
  J: {type: revolute, connect: [ground, a], at: [0.1, 0.1]}
  S: {type: prismatic, connect: [ground, b], at: [1, 1], axis: [1, 0.5]}
  G: {type: gear, joints: [J, S], ratio: 0.4}
forces:
  f: {type: force, point: a.P, value: ["a.y", "cos(t) - a.omega"]}
  T: {type: torque, body: a, value: "0.3 - a.angle + 0.1*J.rate"}
  spring: {type: torsion-spring-damper, connect: [ground, a], stiffness: 2, angle: 0.3}
  mount: {type: bushing, connect: [a, b], stiffness: [[9, 1, 0.5], [1, 8, 0.2], [0.5, 0.2, 3]], preload: [1, 2, 0.3]}
  motor: {type: actuator, of: J, value: "sin(t) + lag"}
  pair: {type: load, connect: [a.P, b], force: ["lag", "0.3*a.v"], torque: "0.2*rotor.rate"}
  wind: {type: torsion-spring-damper, of: [rotor, J], stiffness: 0.8, damping: 0.05, angle: 0.1}
shafts: {rotor: {inertia: 0.1, initial-rate: 0.5}}
states: {lag: {initial: "a.y", rate: "a.omega + a.u - lag + 0.1*mount.uy"}}
"""
        tail = "simulate: {duration: 1}\noutputs: [%sa, %sb, %sJ, %sS, %sspring, %srotor, %swind, %slag, %spair, %smount]\n"
        self.write("plane.yaml", part)
        plain = self.run_text(part + "gravity: [0.5, -9.81]\n" + tail % (("",) * 10))
        for axis in "xy":
            with self.subTest(axis=axis):
                gravity = [-0.5, -9.81] if axis == "x" else [0.5, 9.81]
                rows = self.run_text(f"trammel: 1\nspace: planar\ngravity: {gravity}\ninclude: [{{file: plane.yaml, prefix: q_, mirror: {axis}}}]\n" +
                                     tail % (("q_",) * 10))
                turned = ("angle", "omega", "alpha", "tz", "torque")

                def expected(row):
                    new = {}
                    for name, value in row.items():
                        key = name.rpartition(".")[2]
                        vector = nature(key) if "." in name else None
                        turns = (key in turned or name in ("J.rate", "spring.rate", "rotor.rate", "wind.rate") or
                                 (vector and (vector[1] or vector[0] == axis)))
                        new[name if name == "t" else f"q_{name}"] = -value if turns else value
                    return new
                self.agree(plain, rows, expected, 1e-9)

    # --- parameters ---

    BODY = "trammel: 1\nparameters: {L: 1, M: 2*L, height: 0}\nbodies: {b: {mass: M, inertia: 1, position: [L, 0]}}\n"
    HEAD = "trammel: 1\nspace: planar\n"

    def start(self, text, *options):
        row = self.run_text(text + "simulate: {duration: 0.1}\noutputs: [p_b.x, momentum.px]\n", *options)[0]
        return row["p_b.x"]

    def test_parameters_are_local(self):
        self.write("b.yaml", self.BODY)
        text = self.HEAD + "parameters: {L: 5, w: 3}\ninclude: [{file: b.yaml, prefix: p_%s}]\n"
        self.assertEqual(self.start(text % ""), 1)
        self.assertEqual(self.start(text % ", with: {L: w + L}"), 8)
        self.assertEqual(self.start(text % ", with: {L: w + L}", "--set", "w=1"), 6)
        self.assertEqual(self.start(text % ", with: {L: w + L}", "--set", "p_L=7"), 7)
        self.refuse(text % ", with: {N: 1}", "car.yaml:4:45: error: include: N: the part has no such parameter")
        self.refuse(text % ", with: {heigth: 1}", "did you mean 'height'?")
        self.refuse(text % ", with: {L: v}", "unknown name 'v'")
        self.refuse(text % "", "the model has no parameter 'p_N'", status=BAD_USAGE, options=("--set", "p_N=1"))

    def test_what_a_part_does_not_have_is_looked_for_outside(self):
        self.write("spring.yaml", "trammel: 1\nforces: {s: {type: spring-damper, connect: [chassis.P, ground.G], stiffness: k, length: 1}}\n")
        rows = self.run_text(self.HEAD + """parameters: {k: 5}
ground: {points: {G: [0, 0]}}
bodies: {chassis: {mass: 1, inertia: 1, position: [3, 0], points: {P: [0, 0]}}}
include: [{file: spring.yaml, prefix: left_}]
simulate: {duration: 0.1}
outputs: [left_s.force]
""")
        self.assertAlmostEqual(rows[0]["left_s.force"], 10, 12)

    def test_repeated_entries(self):
        self.write("row.yaml", """trammel: 1
parameters: {N: 3}
bodies: {link$(i): {repeat: {i: [1, N]}, mass: i, inertia: 1, position: [i - 0.5, 0], points: {A: [-0.5, 0], B: [0.5, 0]}}}
joints:
  J1: {type: revolute, connect: [ground, link1.A]}
  J$(i): {repeat: {i: [2, N]}, type: revolute, connect: [link$(i-1).B, link$(i).A]}
forces: {f$(i): {repeat: {i: [1, N]}, type: force, point: link$(i).B, value: ["-link$(i).B.y*i", "i*N"]}}
""")
        text = self.HEAD + "bodies: {own$(i): {repeat: {i: [1, 2]}, mass: 1, inertia: 1}}\ninclude: [{file: row.yaml, prefix: r_, mirror: y, with: {N: 4}}]\n"
        done = self.run_text(text + "simulate: {duration: 0.2}\noutputs: [r_link4, r_J4, own2]\n")
        self.assertEqual(done[0]["r_link4.x"], 3.5)
        self.write("row.yaml", (self.folder / "row.yaml").read_text().replace("B.y*i", "B.q*i"))
        self.refuse(text, "row.yaml:7:81: error: force 'r_f1': ", "(included from car.yaml:4:11)")

    # --- mistakes ---

    def test_mistakes_name_the_part(self):
        self.write("parts/b.yaml", self.BODY.replace("mass: M", "mass: -1"))
        text = self.HEAD + "include: [{file: parts/b.yaml, prefix: p_}]\n"
        said = self.refuse(text, "parts/b.yaml:3:20: error: body 'p_b': mass is -1, it must be positive (included from car.yaml:3:11)")
        self.assertIn("bodies: {b: {mass: -1,", said)
        self.write("parts/b.yaml", self.BODY.replace("mass: M", "masss: M"))
        self.refuse(text, "parts/b.yaml:3:14: error: body 'p_b': unknown key 'masss', did you mean 'mass'? (included from car.yaml:3:11)")
        self.write("parts/b.yaml", self.BODY + "forces: {f: {type: force, point: b, value: [1, 'b.vx*w']}}\n")
        self.refuse(text, "parts/b.yaml:4:54: error: force 'p_f': unknown name 'w' (included from car.yaml:3:11)")
        self.write("parts/b.yaml", self.BODY + "forces: {f: {type: force, point: b, value: [1, steering]}}\n")
        self.refuse(text + 'variables: {stering: "0"}\n', "unknown name 'steering', did you mean 'stering'?")
        self.write("parts/b.yaml", self.BODY + "joints: {j: {type: revolute, connect: [ground, c]}}\n")
        self.refuse(text, "parts/b.yaml:4:48: error: joint 'p_j': unknown body 'c'")
        self.write("parts/b.yaml", "trammel: 1\nbodies: {b: [\n")
        self.refuse(text, "YAML syntax", "(included from car.yaml:3:11)")
        self.write("parts/b.yaml", self.BODY + "initial: {b.vq: 1}\n")
        self.refuse(text, "parts/b.yaml:4:11: error: initial", "(included from car.yaml:3:11)")
        self.write("parts/b.yaml", self.BODY + "space: spatial\n")
        self.refuse(text, "parts/b.yaml:4:8: error: space: the part is spatial, the model planar")
        self.write("parts/b.yaml", "trammel: 1\nsystem: {coordinates: {x: 1}, mass: {x: 1}}\n")
        self.refuse(text, "parts/b.yaml:2:1: error: a part has bodies, not a system of its own")

    def test_mistakes_of_nested_parts(self):
        self.write("a.yaml", "trammel: 1\ninclude:\n  - {file: parts/b.yaml, prefix: i_}\n")
        self.write("parts/b.yaml", self.BODY.replace("mass: M", "mass: -1"))
        self.refuse(self.HEAD + "include: [{file: a.yaml, prefix: o_}]\n",
                    "b.yaml:3:20: error: body 'o_i_b': mass is -1, it must be positive (included from a.yaml:3:5, included from car.yaml:3:11)")

    def test_mistakes_of_include(self):
        self.write("b.yaml", self.BODY)
        for entry, *expected in [
                ("{prefix: p_}", "car.yaml:3:11: error: include: missing key 'file'"),
                ("{file: c.yaml}", "c.yaml: error: the model file cannot be read: No such file", "(included from car.yaml:3:11)"),
                ("{file: .}", "this is a directory"),
                ("{file: ''}", "the name of the file is empty"),
                ("{file: b.yaml, prefix: 2b}", "'2b' cannot start a name"),
                ("{file: b.yaml, mirror: z}", "a part is mirrored by x or y, not by 'z'"),
                ("{file: b.yaml, at: [1, 2, 3]}", "expected 2 numbers, found 3"),
                ("{file: b.yaml, miror: x}", "did you mean 'mirror'?"),
                ("b.yaml", "expected a map like {file: part.yaml, prefix: left_}"),
                ("{file: b.yaml, with: 3}", "expected a map of parameters of the part"),
                ("{file: car.yaml}", "a cycle: 'car.yaml' includes itself")]:
            with self.subTest(entry=entry):
                self.refuse(self.HEAD + f"include: [{entry}]\n", *expected)
        self.refuse(self.HEAD + "include: {file: b.yaml}\n", "include: expected a list of parts, found a map")
        self.refuse(self.HEAD + "include: []\n", "the model has no bodies")
        self.refuse(self.HEAD + "include: [{file: b.yaml}, {file: b.yaml}]\n", "body 'b' is defined twice")

    def test_cycles_end(self):
        self.write("a.yaml", "trammel: 1\ninclude: [{file: ./b.yaml, prefix: b_}]\n")
        self.write("b.yaml", "trammel: 1\ninclude: [{file: ../%s/a.yaml, prefix: a_}]\n" % self.folder.name)
        self.refuse(self.HEAD + "include: [{file: a.yaml, prefix: p_}]\n", "a cycle: ", "includes itself by way of others")

    def test_pipes_are_refused(self):
        os.mkfifo(self.folder / "pipe.yaml")
        self.refuse(self.HEAD + "include: [{file: pipe.yaml}]\n", "this is a pipe or a device")

    def test_all_mistakes_at_once(self):
        self.write("b.yaml", self.BODY.replace("inertia: 1", "inertia: -1"))
        said = self.refuse(self.HEAD + "bodies: {a: {mass: -1, inertia: 1}}\ninclude: [{file: b.yaml, prefix: p_}, {file: b.yaml, prefix: q_}]\n")
        self.assertEqual([line.partition(" error")[0] for line in said.splitlines() if " error: " in line][:3],
                         ["car.yaml:3:20:", "b.yaml:3:32:", "b.yaml:3:32:"])

    # --- files beside the part, and what else reads models ---

    def test_tables_are_beside_the_part(self):
        self.write("parts/f.csv", "t,a,b\n0,1,5\n1,2,6\n")
        self.write("parts/b.yaml", self.BODY.replace("L: 1", "L: \"table(0.5, 'f.csv', 'b')\"") +
                   "forces: {f: {type: force, point: b, value: [\"table(t, 'f.csv', 'a', 'linear', 'hold')\", 0]}}\n")
        text = self.HEAD + "include: [{file: parts/b.yaml, prefix: p_}]\n"
        self.assertEqual(self.start(text), 5.5)
        rows = self.run_text(text + "simulate: {duration: 1}\noutputs: [p_b.vx]\n")
        self.assertAlmostEqual(rows[-1]["p_b.vx"], 1.5 / 11, 9)

    def test_leaving_a_table_names_it(self):
        self.write("parts/f.csv", "0,1\n1,2\n")
        self.write("parts/b.yaml", self.BODY + "forces: {f: {type: force, point: b, value: [\"table(2*t, 'f.csv')\", 0]}}\n")
        self.write("car.yaml", self.HEAD + "include: [{file: parts/b.yaml, prefix: p_}]\nsimulate: {duration: 1}\n")
        done = self.call("run", "car.yaml", "-o", "out", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"force 'p_f': x = 1(\.\d+)? is outside the table 'parts/f.csv', which goes from 0 to 1")

    def test_check_and_report(self):
        self.write("car.yaml", model(["{file: arm.yaml, prefix: l_}", "{file: arm.yaml, prefix: r_, mirror: y}"], outputs=("l_", "r_")))
        done = self.call("check", "car.yaml", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["bodies"], 14)
        self.assertEqual(self.call("run", "car.yaml", "-o", "out", "--quiet", "--duration", "0.1").returncode, 0)
        self.assertIn("r_slide", (self.folder / "out/report.html").read_text())

    def test_measures_in_plots_keep_their_names(self):
        """A formula of a part stands in parentheses; a measure alone is the column, by its name."""
        self.write("parts/disc.yaml", "trammel: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1], position: [1, 2, 3]}}\n"
                   "plots: {way: {y: [b.x, 2*b.y], x: b.z}}\n")
        self.run_text("trammel: 1\nspace: spatial\ninclude: [{file: parts/disc.yaml, prefix: p_}]\noutputs: [p_b.x]\nsimulate: {duration: 1}\n")
        report = (self.folder / "out/report.html").read_text()
        labels = re.findall(r'"label": *"([^"]*p_b[^"]*)"', report)
        self.assertEqual(labels, ["p_b.z", "p_b.x", " (2*p_b.y)"])


class FrontAxle(unittest.TestCase):
    """The shipped one."""

    def rows(self, **values):
        with tempfile.TemporaryDirectory() as folder:
            options = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
            subprocess.run([PROGRAM, "run", ROOT / "models/axle/front_axle.yaml", "-o", folder, "--quiet", "--no-report", *options],
                           check=True, timeout=60)
            with open(Path(folder) / "results.csv", newline="") as file:
                return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]

    def test_left_and_right_exchanged(self):
        rows = self.rows(left_bump=0.05, right_bump=0.01, steer=0.03)
        others = self.rows(left_bump=0.01, right_bump=0.05, steer=-0.03)
        self.assertGreater(max(abs(row["l_upright.qz"]) for row in rows), 0.1)
        for row, other in zip(rows, others, strict=True):
            for key, axial in [("y", False), ("vx", False), ("vy", False), ("z", False), ("qx", True), ("qz", True), ("wy", True)]:
                sign = (-1 if key[-1] == "y" else 1) * (-1 if axial else 1)
                left, right = row[f"l_upright.{key}"], other[f"r_upright.{key}"]
                self.assertLessEqual(abs(left - sign * right), 1e-8, f"{key} at {row['t']}")
            self.assertLessEqual(abs(row["l_spring.force"] - other["r_spring.force"]), 1e-5)
            self.assertLessEqual(abs(row["l_tie_rod.fy"] + other["r_tie_rod.fy"]), 1e-5)


if __name__ == "__main__":
    unittest.main()
