"""trammel import: small robots against what mechanics says of them, and what is said of the rest."""
import json
import math
import os
import re
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
G = 9.81


def urdf(*parts):
    return '<robot name="r">\n' + "\n".join(parts) + "\n</robot>\n"


def link(name, mass=None, inertia=(0, 0, 0, 0, 0, 0), xyz="0 0 0", rpy="0 0 0", more=""):
    if mass is None:
        return f'<link name="{name}">{more}</link>'
    words = " ".join(f'{n}="{v}"' for n, v in zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), inertia))
    return (f'<link name="{name}"><inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{mass}"/>'
            f'<inertia {words}/></inertial>{more}</link>')


def joint(name, kind, parent, child, xyz="0 0 0", rpy="0 0 0", axis="0 1 0", more=""):
    return (f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}" rpy="{rpy}"/><parent link="{parent}"/>'
            f'<child link="{child}"/><axis xyz="{axis}"/>{more}</joint>')


class Import(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.at = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def convert(self, text, *options, name="robot.urdf", status=0):
        (self.at / name).write_text(text)
        done = subprocess.run([PROGRAM, "import", name, "-o", "model.yaml", *options], cwd=self.at,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        self.messages = done.stderr
        return (self.at / "model.yaml").read_text() if status == 0 else ""

    def start(self, *measures, more="", rest=""):
        """Measures at t = 0, with conditions of the initial state."""
        return self.run_model(*measures, more=more, rest=rest)[0]

    def run_model(self, *measures, more="", rest="", duration=1e-3, options=()):
        text = (self.at / "model.yaml").read_text()
        text, settings = text.rsplit("simulate: {duration: 1", 1)
        text += f"outputs: [{', '.join(measures)}]\nsimulate: {{duration: {duration}, rtol: 1e-11, atol: 1e-13{settings.strip()}\n" + more
        (self.at / "run.yaml").write_text(text)
        done = subprocess.run([PROGRAM, "run", "run.yaml", "-o", "out", "--no-report", "--quiet", *options], cwd=self.at,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (self.at / "out" / "results.csv").read_text().splitlines()
        names = lines[0].split(",")
        rows = [dict(zip(names, map(float, line.split(",")))) for line in (lines[1], lines[-1])]
        return rows

    def near(self, value, wanted, tolerance=1e-11):
        self.assertLessEqual(abs(value - wanted), tolerance * max(1, abs(wanted)), f"{value} is not {wanted}")

    # URDF

    def test_pendulum(self):
        """m g l / (I + m l²), the inertia turned by its own frame: about y it is what the file calls zz."""
        self.convert(urdf(link("base"), link("bob", 2, (0.3, 0.4, 0.5, 0, 0, 0), "0.7 0 0", f"{math.pi/2} 0 0"),
                          joint("pivot", "continuous", "base", "bob", xyz="0 0 3")))
        self.near(self.start("bob")["bob.alphay"], 2 * G * 0.7 / (0.5 + 2 * 0.49))

    def test_placed_joint(self):
        """The same pendulum behind a fixed joint that turns it by 90°: gravity is along its axis."""
        self.convert(urdf(link("base"), link("arm"), link("bob", 2, (0.3, 0.4, 0.5, 0, 0, 0), "0.7 0 0"),
                          joint("mount", "fixed", "base", "arm", rpy=f"{math.pi/2} 0 0"),
                          joint("pivot", "revolute", "arm", "bob", more='<limit lower="-1" upper="1"/>')))
        row = self.start("bob")
        for c in "xyz":
            self.near(row[f"bob.alpha{c}"], 0)
        self.assertIn("joint 'pivot': limits are not taken over", self.messages)
        self.assertIn("robot.urdf:6: joint 'pivot': limits", (self.at / "model.yaml").read_text())

    def test_lumped(self):
        """Two point masses on a massless rod: m g l (1 + 2·2) / m l² (1 + 2·4)."""
        self.convert(urdf(link("base"), link("rod"), link("a", 3), link("b", 6),
                          joint("pivot", "revolute", "base", "rod"),
                          joint("fa", "fixed", "rod", "a", xyz="0.5 0 0"), joint("fb", "fixed", "rod", "b", xyz="1 0 0")))
        row = self.start("rod")
        self.near(row["rod.alphay"], G / 0.5 * (1 + 2 * 2) / (1 + 2 * 4))

    def test_damped_slider(self):
        """v = v0 exp(−c t / m) without gravity along the rail."""
        self.convert(urdf(link("base"), link("cart", 2, (1, 1, 1, 0, 0, 0)),
                          joint("rail", "prismatic", "base", "cart", axis="2 0 0",
                                more='<dynamics damping="0.6" friction="0.1"/>')))
        last = self.run_model("cart", more="initial: {rail.speed: 3}\n", duration=2)[1]
        self.near(last["cart.vx"], 3 * math.exp(-0.6), 1e-8)
        self.assertIn("joint 'rail': friction is not taken over", self.messages)

    def test_mimic(self):
        """Two pendulums side by side, one turning −2 times as far: one freedom, from its energy."""
        self.convert(urdf(link("base"), link("a", 1, xyz="1 0 0"), link("b", 3, xyz="1 0 0"),
                          joint("ja", "continuous", "base", "a"),
                          joint("jb", "continuous", "base", "b", more='<mimic joint="ja" multiplier="-2" offset="0.5"/>')))
        row = self.start("a", "b", "jb")
        turned = 3 * G * math.cos(0.5)  # torque of gravity on b, which stands at 0.5
        alpha = (G - 2 * turned) / (1 + 4 * 3)
        self.near(row["a.alphay"], alpha)
        self.near(row["b.alphay"], -2 * alpha)
        self.assertIn("where the file counts 0.5", self.messages)

    def test_massless_between(self):
        """Two crossing hinges with nothing between: the bob on the second feels its own gravity only."""
        self.convert(urdf(link("base"), link("cross"), link("bob", 2, (0.1, 0.1, 0.1, 0, 0, 0), "0 0 -0.5"),
                          joint("first", "continuous", "base", "cross", axis="1 0 0"),
                          joint("second", "continuous", "cross", "bob", axis="0 1 0")))
        row = self.start("bob", "first", more="initial: {first.angle: 0.4}\n")
        self.near(row["bob.alphax"], -2 * G * 0.5 * math.sin(0.4) / (0.1 + 2 * 0.25), 1e-9)
        self.assertIn("'cross' has no mass but moves", self.messages)
        self.assertIn("coordinates: relative", (self.at / "model.yaml").read_text())

    def test_inertia_without_mass(self):
        """A damped wheel of two parts that have moments but no mass, and a rotor on the same axis: −c ω / I."""
        self.convert(urdf(link("base"), link("hub", 0, (1, 1, 0.01, 0, 0, 0)), link("rim", 0, (1, 1, 0.02, 0, 0, 0)),
                          link("rotor", 4, (1, 1, 0.2, 0, 0, 0)),
                          joint("spin", "continuous", "base", "hub", axis="0 0 1", more='<dynamics damping="0.6"/>'),
                          joint("mount", "fixed", "hub", "rim", xyz="1 0 0"),
                          joint("free", "continuous", "hub", "rotor", axis="0 0 1")))
        row = self.start("hub", "rotor", more="initial: {spin.rate: 2, free.rate: -2}\n")
        self.near(row["hub.alphaz"], -0.6 * 2 / 0.03)
        self.near(row["rotor.alphaz"], 0)

    def test_point_mass(self):
        """Moments that stand for none, or are an impossible round-off: a pendulum that may start anywhere, in all
        coordinates."""
        for moments in ((1e-20, 1e-20, 1e-20, 0, 0, 0), (-5.4e-20, -5.4e-20, 0, 0, 0, 0), (0, 0, 0, 0, 2.4e-35, 0)):
            self.convert(urdf(link("base"), link("bob", 2, moments, xyz="0 0 -0.5"), joint("pivot", "continuous", "base", "bob")))
            self.assertIn("body 'bob' is smaller than 1e-08 m: it becomes a point with a mass", self.messages)
            self.assertNotIn("no body has", self.messages)
            for coordinates in ("relative", "natural", "euler-parameters"):
                _, end = self.run_model("pivot.angle", "energy.error", duration=0.5, more="initial: {pivot.angle: 1}\n",
                                        options=("--coordinates", coordinates))
                self.near(end["energy.error"], 0)
                self.near(end["pivot.angle"], self.pendulum(1, 0.5, math.sqrt(G / 0.5)), 1e-8)

    def pendulum(self, angle, t, frequency, steps=2000):
        """Of a mathematical one from rest: Runge-Kutta's method of order four."""
        y, h = (angle, 0.0), t / steps
        rate = lambda a, w: (w, -frequency ** 2 * math.sin(a))  # noqa: E731
        for _ in range(steps):
            k1 = rate(*y)
            k2 = rate(y[0] + h / 2 * k1[0], y[1] + h / 2 * k1[1])
            k3 = rate(y[0] + h / 2 * k2[0], y[1] + h / 2 * k2[1])
            k4 = rate(y[0] + h * k3[0], y[1] + h * k3[1])
            y = tuple(a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4))
        return y[0]

    def test_massless_end(self):
        text = self.convert(urdf(link("base"), link("arm", 1, (1, 1, 1, 0, 0, 0)), link("tool"),
                                 joint("j", "continuous", "base", "arm"), joint("k", "continuous", "arm", "tool")))
        self.assertIn("joint 'k': nothing behind it has a mass", self.messages)
        self.assertNotIn("  k: {", text)

    def test_floating(self):
        body = link("thing", 2, (1, 1, 1, 0, 0, 0))
        self.convert(urdf(body), status=3)
        self.assertIn("--floating", self.messages)
        self.convert(urdf(body), "--floating")
        self.near(self.start("thing")["thing.az"], -G)

    def test_impossible_inertia(self):
        parts = (link("base"), link("a", 1, (1, 1, 3, 0, 0, 0)), joint("j", "continuous", "base", "a"))
        self.convert(urdf(*parts))
        self.assertIn("--balance-inertia", self.messages)
        done = subprocess.run([PROGRAM, "check", "model.yaml"], cwd=self.at, capture_output=True)
        self.assertEqual(done.returncode, 3)
        text = self.convert(urdf(*parts), "--balance-inertia")
        self.assertIn("inertia: [1.6666666666666667, 1.6666666666666667, 1.6666666666666667]", text)

    def test_errors_all_at_once(self):
        self.convert(urdf(link("base"), link("a", 1), joint("j", "hinge", "base", "a"),
                          joint("k", "fixed", "base", "nothing"), joint("m", "fixed", "base", "a", xyz="1 2")), status=3)
        self.assertIn("robot.urdf:4:1: error: joint 'j': its type must be", self.messages)
        self.assertIn("its child link 'nothing' is not there", self.messages)
        for broken in ("<robot>", "", "<sdf/>", "<collada/>", "<robot name='x'><link/></robot>"):
            self.convert(broken, status=3)
            self.assertIn("error:", self.messages)

    def test_names(self):
        text = self.convert(urdf(link("0-base"), link("t", 1, (1, 1, 1, 0, 0, 0)), joint("t", "continuous", "0-base", "t")))
        self.assertIn("  t_body:", text)
        self.assertIn("  t_joint: {type: revolute", text)
        self.start("t_body")

    def test_meshes(self):
        (self.at / "pkg" / "meshes").mkdir(parents=True)
        corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
        record = struct.pack("<12fH", 0, 0, 1, *[x for c in corners for x in c], 0)
        (self.at / "pkg" / "meshes" / "a.stl").write_bytes(b" " * 80 + struct.pack("<I", 1) + record)
        (self.at / "pkg" / "meshes" / "b.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2 3/3 -1\n")
        visual = '<visual><origin xyz="0 0 5"/><geometry><mesh filename="package://pkg/meshes/{}" scale="2 2 2"/></geometry></visual>'
        more = "".join(visual.format(n) for n in ("a.stl", "b.obj", "c.ply"))
        text = self.convert(urdf(link("base"), link("a", 1, (1, 1, 1, 0, 0, 0), more=more), joint("j", "continuous", "base", "a")))
        self.assertIn("mesh 'package://pkg/meshes/c.ply' is not taken over", self.messages)
        self.assertIn('shape: {mesh: "model_meshes/a.stl"}', text)
        data = (self.at / "model_meshes" / "a.stl").read_bytes()
        self.assertEqual(struct.unpack("<I", data[80:84])[0], 3)  # a triangle and a square
        self.assertEqual(struct.unpack("<9f", data[96:132]), (0, 0, 5, 2, 0, 5, 0, 2, 5))
        done = subprocess.run([PROGRAM, "check", "model.yaml"], cwd=self.at, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def read_stl(self, path):
        data = (self.at / path).read_bytes()
        count = struct.unpack("<I", data[80:84])[0]
        return [tuple(struct.unpack("<3f", data[96 + 50 * i + 12 * c:][:12]) for c in range(3)) for i in range(count)]

    def collada(self, primitives, nodes, unit="1", status=0):
        """A mesh of five corners, the last number of each being none of them."""
        (self.at / "c.dae").write_text(f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
<asset><unit name="u" meter="{unit}"/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="sa" count="20">0 0 0 9 1 0 0 9 1 1 0 9 0 1 0 9 0 0 1 9</float_array><technique_common>
<accessor source="#sa" count="5" stride="4"/></technique_common></source>
<source id="n"><float_array id="na" count="3">0 0 1</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>{primitives}</mesh></geometry></library_geometries>
<library_nodes><node id="part"><scale>1 1 -1</scale><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="shown">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#shown"/></scene></COLLADA>""")
        mesh = '<visual><geometry><mesh filename="c.dae"/></geometry></visual>'
        self.convert(urdf(link("base"), link("a", 1, (1, 1, 1, 0, 0, 0), more=mesh), joint("j", "continuous", "base", "a")))
        return self.read_stl("model_meshes/a.stl") if status == 0 else None

    def near_triangles(self, found, wanted):
        self.assertEqual(len(found), len(wanted))
        for a, b in zip(found, wanted):
            for p, q in zip(a, b):
                for x, y in zip(p, q):
                    self.assertLessEqual(abs(x - y), 1e-6, (found, wanted))

    def test_collada_faces(self):
        """All kinds of faces, with normals beside the corners; a strip turns every second one round."""
        v = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1)]
        both = '<input semantic="NORMAL" source="#n" offset="0"/><input semantic="VERTEX" source="#v" offset="1"/>'
        one = '<input semantic="VERTEX" source="#v" offset="0"/>'
        node = '<node><instance_geometry url="#g"/></node>'
        cases = [(f'<triangles count="2">{both}<p>0 0 0 1 0 2 0 4 0 3 0 2</p></triangles>', [(0, 1, 2), (4, 3, 2)]),
                 (f'<polylist count="2">{both}<vcount>4 3</vcount><p>0 0 0 1 0 2 0 3 0 0 0 1 0 4</p></polylist>',
                  [(0, 1, 2), (0, 2, 3), (0, 1, 4)]),
                 (f'<polygons count="2">{one}<p>0 1 2 3</p><p>4 3 2</p></polygons>', [(0, 1, 2), (0, 2, 3), (4, 3, 2)]),
                 (f'<tristrips count="1">{one}<p>0 1 2 3</p></tristrips>', [(0, 1, 2), (1, 3, 2)]),
                 (f'<trifans count="1">{one}<p>4 0 1 2</p></trifans><lines count="1">{one}<p>0 1</p></lines>',
                  [(4, 0, 1), (4, 1, 2)])]
        for primitive, wanted in cases:
            self.near_triangles(self.collada(primitive, node), [tuple(v[k] for k in t) for t in wanted])

    def test_collada_nodes(self):
        """Transformations in their order, units, a mirrored part with its outside still outside."""
        one = '<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 4</p></triangles>'
        nodes = ('<node><translate>1 2 3</translate><rotate>0 0 2 90</rotate><node><scale>2 1 1</scale>'
                 '<instance_geometry url="#g"/></node></node>'
                 '<node><matrix>1 0 0 5  0 0 -1 0  0 1 0 0  0 0 0 1</matrix><instance_node url="#part"/></node>')
        self.near_triangles(self.collada(one, nodes, unit="0.01"),
                            [((.01, .02, .03), (.01, .04, .03), (.01, .02, .04)),
                             ((.05, .01, 0), (.06, 0, 0), (.05, 0, 0))])

    def test_collada_refused(self):
        node = '<node><instance_geometry url="#g"/></node>'
        far = '<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 7</p></triangles>'
        for primitive, nodes, unit, word in ((far, node, "1", "a corner that is not there"), ("", node, "1", "no triangles"),
                                             (far, node, "-1", "no length"),
                                             (far, "<node><matrix>1 2</matrix></node>", "1", "as many numbers"),
                                             (far, '<node id="a"><instance_node url="#a"/></node>', "1", "in each other")):
            self.collada(primitive, nodes, unit, status=1)
            self.assertIn("mesh 'c.dae' is not taken over: ", self.messages)
            self.assertIn(word, self.messages)
            self.assertFalse((self.at / "model_meshes").exists())

    # MJCF

    def mjcf(self, body, *options, before="", after="", status=0):
        return self.convert(f"<mujoco>{before}<worldbody>{body}</worldbody>{after}</mujoco>\n", *options,
                            name="robot.xml", status=status)

    def test_geometry(self):
        """Inertia about the hinge from the shapes' formulas."""
        d = 500
        box = 8 * 0.1 * 0.2 * 0.3 * d
        ball = 4 / 3 * math.pi * 0.1 ** 3 * d
        rod = math.pi * 0.1 ** 2 * 0.6 * d
        egg = 4 / 3 * math.pi * 0.1 * 0.2 * 0.3 * d
        cases = {
            '<geom type="box" size="0.1 0.2 0.3" pos="1 0 0"/>': (box, box * (0.01 + 0.09) / 3 + box),
            '<geom type="sphere" size="0.1" pos="1 0 0"/>': (ball, ball * 0.4 * 0.01 + ball),
            '<geom type="cylinder" size="0.1 0.3" pos="1 0 0"/>': (rod, rod * (0.01 / 4 + 0.36 / 12) + rod),
            '<geom type="ellipsoid" size="0.1 0.2 0.3" pos="1 0 0"/>': (egg, egg * (0.01 + 0.09) / 5 + egg),
            # along x, turned by fromto: about y it is across
            '<geom type="capsule" size="0.1" fromto="0.7 0 0 1.3 0 0"/>':
                (rod + ball, rod * (0.01 / 4 + 0.36 / 12) + ball * (0.4 * 0.01 + 0.09 + 0.375 * 2 * 0.3 * 0.1) + rod + ball),
        }
        for geom, (mass, inertia) in cases.items():
            self.mjcf(f'<body name="b" childclass="light"><joint axis="0 1 0"/>{geom}</body>',
                      before='<default><default class="light"><geom density="500"/></default></default>')
            self.near(self.start("b")["b.alphay"], mass * G / inertia)

    def test_least_moments(self):
        """Principal moments, whatever the frame: a rod that is turned is bounded about its own axis."""
        self.mjcf('<body name="b"><joint axis="1 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 0.01" euler="0 45 0"/></body>'
                  '<body pos="0 0 1"><joint axis="1 0 0"/><geom size="0.1"/></body>', before='<compiler boundinertia="0.4"/>')
        inertia = json.loads(re.search(r" b:.*?inertia: (\[.*?\])", (self.at / "model.yaml").read_text(), re.S)[1])
        for found, expected in zip(inertia, (0.7, 1, 0.7, 0, -0.3, 0)):  # 1 across, 0.4 along (1, 0, 1)
            self.assertAlmostEqual(found, expected, delta=1e-12)

    def test_thick_between_two_points(self):
        """A box between two points is as wide as it is thick: the second size says nothing."""
        for size in ("0.1", "0.1 0.7"):
            text = self.mjcf(f'<body name="b"><joint axis="0 1 0"/><geom type="box" size="{size}" fromto="0.7 0 0 1.3 0 0"/></body>')
            self.near(float(re.search(r" b:\s+mass: (\S+)", text)[1]), 8 * 0.1 * 0.1 * 0.3 * 1000)
            self.near(self.start("b")["b.alphay"], G / ((0.01 + 0.09) / 3 + 1))

    def test_meshes_without_a_type(self):
        """A geom is a sphere where nothing else is said: one that is fitted to its mesh."""
        self.mjcf('<body name="b"><joint/><geom mesh="m"/></body>', status=3,
                  before='<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>')
        self.assertIn("error: geom of 'b' (sphere m): its mass is needed, but a shape fitted to a mesh", self.messages)

    def test_meshes_that_are_missing(self):
        """Whose they are, and which file."""
        before = '<asset><mesh name="m" file="a/arm.stl"/></asset>'
        self.mjcf('<body name="b"><joint/><inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/></body>',
                  before=before)
        self.assertIn("geom of 'b' (mesh a/arm.stl) is not taken over: it cannot be read", self.messages)
        self.mjcf('<body name="b"><joint/><geom name="g" type="mesh" mesh="m"/></body>', before=before, status=3)
        self.assertIn("error: geom 'g' (mesh a/arm.stl): its mass is needed, but it cannot be read", self.messages)

    def test_defaults_in_several_places(self):
        """A class has what the outermost one was given until its own section: ball of 1 kg, 0.4 kg m² and a rotor."""
        for kind, rotor in (("early", 0), ("late", 3), ("main", 3)):
            self.mjcf(f'<body name="b"><joint class="{kind}" axis="0 1 0"/><geom type="sphere" size="1" pos="1 0 0"/></body>',
                      before='<default><geom mass="1"/><default class="early"/></default>'
                             '<default><joint armature="3"/><default class="late"/></default>')
            self.near(self.start("b")["b.alphay"], G / (1.4 + rotor))

    def test_least_mass(self):
        """Bodies without mass get it, too: 0.1 at the end of a massless rod with a ball of 2 kg in its middle."""
        self.mjcf('<body name="b"><joint axis="0 1 0"/><body pos="1 0 0"><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body>'
                  '<body pos="2 0 0"/></body>', before='<compiler boundmass="0.1" boundinertia="0.01"/>')
        self.near(self.start("b")["b.alphay"], (2 + 0.1 * 2) * G / (2 + 1 + 0.1 * 4 + 2 * 0.01))

    def test_two_hinges_and_rotor(self):
        """Armature adds to the inertia of its joint; the spring is relaxed at springref."""
        self.mjcf('<body name="b" pos="0 0 1"><joint name="j" axis="0 1 0" armature="0.7" stiffness="5" springref="30" '
                  'damping="0.2"/><joint name="k" axis="1 0 0"/>'
                  '<inertial pos="0 0 0" mass="2" diaginertia="0.3 0.4 0.5"/></body>')
        row = self.start("b", "j", more="initial: {j.rate: 2}\n")
        self.near(row["b.alphay"], (5 * math.radians(30) - 0.2 * 2) / (0.4 + 0.7), 1e-9)

    def test_spring_alone(self):
        """A slider hangs on a spring: −k x / m."""
        self.mjcf('<body name="b"><joint name="s" type="slide" axis="1 0 0" stiffness="8"/>'
                  '<inertial pos="0 0 0" mass="4" diaginertia="1 1 1"/></body>')
        self.near(self.start("b", more="initial: {s.displacement: 0.5}\n")["b.ax"], -1)

    def test_actuators(self):
        """A position servo of gear 2 and gain 3 pulls with 2·3·(u − 2 q)."""
        self.mjcf('<body name="b"><joint name="s" type="slide" axis="1 0 0" ref="0.1"/>'
                  '<inertial pos="0 0 0" mass="4" diaginertia="1 1 1"/></body>',
                  after='<actuator><position name="servo" joint="s" kp="3" gear="2"/><motor name="push" joint="s" gear="5"/>'
                        '<muscle name="arm" joint="s"/></actuator>')
        self.assertIn("actuator muscle 'arm' is not taken over", self.messages)
        self.near(self.start("b")["b.ax"], 6 * (0 - 2 * 0.1) / 4)
        row = self.run_model("b", options=("--input", "servo=1", "--input", "push=0.5"))[0]
        self.near(row["b.ax"], (6 * (1 - 2 * 0.1) + 5 * 0.5) / 4)

    def test_orientations(self):
        """One rotation in every form; the body falls about an axis that only the right one gives."""
        s = math.sqrt(0.5)
        forms = [f'quat="{s} 0 0 {s}"', 'euler="0 0 90"', 'axisangle="0 0 3 90"', 'xyaxes="0 1 0 -1 0 0"']
        for form in forms:
            self.mjcf(f'<body name="b" {form}><joint axis="0 1 0"/>'
                      '<inertial pos="1 0 0" mass="1" diaginertia="0 0 0"/></body>')
            row = self.start("b")
            self.near(row["b.alphax"], -G)  # the axis is −x, the mass lies along y
            self.near(row["b.alphay"], 0)
        self.mjcf('<body name="b" zaxis="1 0 0"><joint axis="0 1 0"/><inertial pos="0 0 1" mass="1" diaginertia="0 0 0"/></body>')
        self.near(self.start("b")["b.alphay"], G)
        self.mjcf('<body name="b" euler="0.5 0.3 0"><joint axis="0 0 1"/><inertial pos="1 0 0" mass="1" diaginertia="0 0 0"/></body>',
                  before='<compiler angle="radian" eulerseq="ZYX"/>')
        # fixed axes: first about z by 0.5, then about y by 0.3; the axis z goes to (sin 0.3, 0, cos 0.3)
        axis = (math.sin(0.3), 0, math.cos(0.3))
        arm = (math.cos(0.5) * math.cos(0.3), math.sin(0.5), -math.cos(0.5) * math.sin(0.3))
        torque = -G * (arm[1] * axis[0] - arm[0] * axis[1])  # axis · (arm × (0, 0, −g))
        row = self.start("b")
        self.near(row["b.alphax"], torque * axis[0])
        self.near(row["b.alphaz"], torque * axis[2])

    def test_closed_loop(self):
        """A parallelogram of two cranks and a coupler: one freedom, (m1 l²/3 + m2 l² + m1 l²/3) alpha = …"""
        rod = '<inertial pos="0 0 -0.5" mass="3" diaginertia="0.25 0.25 0"/>'
        self.mjcf(f'<body name="a"><joint name="ja" axis="0 1 0"/>{rod}'
                  '<body name="c" pos="0 0 -1"><joint name="jc" axis="0 1 0"/><inertial pos="1 0 0" mass="2" diaginertia="0 0.1 0.1"/>'
                  f'</body></body><body name="d" pos="2 0 0"><joint name="jd" axis="0 1 0"/>{rod}</body>',
                  after='<equality><connect name="close" body1="d" body2="c" anchor="0 0 -1"/></equality>')
        row = self.start("a", "d", "c", more="initial: {ja.angle: 0.3}\n")
        alpha = -(3 * G * 0.5 * 2 + 2 * G) * math.sin(0.3) / (2 * (0.25 + 3 * 0.25) + 2)
        self.near(row["a.alphay"], alpha)
        self.near(row["d.alphay"], alpha)
        self.near(row["c.alphay"], 0, 1e-9)

    def test_joint_equality_and_weld(self):
        bob = '<inertial pos="1 0 0" mass="{}" diaginertia="0 0 0"/>'
        self.mjcf(f'<body name="a"><joint name="ja" axis="0 1 0"/>{bob.format(1)}</body>'
                  f'<body name="b"><joint name="jb" axis="0 1 0"/>{bob.format(2)}</body>'
                  f'<body name="c"><joint name="jc" axis="0 1 0"/>{bob.format(5)}</body>',
                  after='<equality><joint joint1="jb" joint2="ja" polycoef="0 3 0 0 0"/><weld body1="c" body2="a"/></equality>')
        row = self.start("a", "b", "c")
        alpha = (6 * G + 3 * 2 * G) / (6 + 9 * 2)
        self.near(row["a.alphay"], alpha)
        self.near(row["b.alphay"], 3 * alpha)
        self.near(row["c.alphay"], alpha)

    SLIDES = ('<body name="{0}"><joint name="s{0}" type="slide" axis="1 0 0" {1}/>'
              '<inertial pos="0 0 0" mass="{2}" diaginertia="1 1 1"/></body>')

    def test_tendon_of_joints(self):
        """L = 2 a − 3 b, a spring k, a damper c and a servo along it: each slide gets its factor times the pull."""
        text = self.mjcf(self.SLIDES.format("a", "", 4) + self.SLIDES.format("b", 'ref="0.1"', 5),
                         before='<default><tendon stiffness="7" damping="0.5"/></default>',
                         after='<tendon><fixed name="pull" springlength="0.2"><joint joint="sa" coef="2"/>'
                               '<joint joint="sb" coef="-3"/></fixed></tendon>'
                               '<actuator><position name="servo" tendon="pull" kp="11" gear="0.5"/></actuator>')
        self.assertNotIn("'pull'", text.split("trammel: 1")[0])
        a, da, u = 0.3, 0.4, 0.6
        row = self.run_model("a", "b", "pull_length", more=f"initial: {{sa.displacement: {a}, sa.speed: {da}}}\n",
                             options=("--input", f"servo={u}"))[0]
        length = 2 * a - 3 * 0.1
        pull = -7 * (length - 0.2) - 0.5 * 2 * da + 0.5 * 11 * (u - 0.5 * length)
        self.near(row["pull_length"], length)
        self.near(row["a.ax"], 2 * pull / 4)
        self.near(row["b.ax"], -3 * pull / 5)

    def test_tendon_slack(self):
        """A range of lengths without force; no length given: that of the springs of its joints."""
        parts = self.SLIDES.format("a", "", 4) + self.SLIDES.format("b", 'springref="0.25"', 5)
        tendon = '<tendon><fixed stiffness="10" {}><joint joint="sa" coef="1"/><joint joint="sb" coef="2"/></fixed></tendon>'
        for given, force in (('springlength="-0.1 0.2"', 0), ('springlength="-0.3 -0.1"', -1), ('springlength="0.2 0.3"', 2),
                             ("", 5)):
            self.mjcf(parts, after=tendon.format(given))
            row = self.start("a", "b")
            self.near(row["a.ax"], force / 4)
            self.near(row["b.ax"], 2 * force / 5)

    def test_tendon_of_sites(self):
        """From the ground over a body to another and around a pulley that halves: tensions along straight lines."""
        free = '<body name="{0}" pos="{1}"><freejoint/><inertial pos="0 0 0" mass="{2}" diaginertia="1 1 1"/>{3}</body>'
        site = '<site name="{}" pos="0 0 0"/>'
        path = ('<tendon><spatial name="rope" stiffness="3" springlength="4"><site site="w"/><site site="p"/>{}<site site="q"/>'
                '</spatial></tendon>')
        bodies = (site.format("w") + free.format("a", "3 4 0", 2, site.format("p"))
                  + free.format("b", "3 4 2", 5, site.format("q")))
        self.mjcf(bodies, before='<option gravity="0 0 0"/>', after=path.format(""))
        tension = 3 * (5 + 2 - 4)
        row = self.start("a", "b")
        for c, wanted in zip("xyz", (-tension * 3 / 5 / 2, -tension * 4 / 5 / 2, tension / 2)):
            self.near(row[f"a.a{c}"], wanted)
        self.near(row["b.az"], -tension / 5)
        self.mjcf(bodies, before='<option gravity="0 0 0"/>',
                  after=path.format('<pulley divisor="2"/><site site="p"/>'))
        tension = 3 * (5 + 2 / 2 - 4)
        self.near(self.start("b")["b.az"], -tension / 2 / 5)
        self.mjcf(bodies + '<geom name="drum" size="0.1"/>', after=path.format('<geom geom="drum"/>'))
        self.assertIn("tendon 'rope' is not taken over: it goes around a geom", self.messages)

    def test_tendon_coupling(self):
        """a + 2 b = 0.3 c: what holds them is normal to that."""
        parts = "".join(self.SLIDES.format(n, "", m) for n, m in (("a", 1), ("b", 2), ("c", 5)))
        gravity = '<option gravity="3 0 0"/>'
        tendons = ('<tendon><fixed name="one"><joint joint="sa" coef="1"/><joint joint="sb" coef="2"/></fixed>'
                   '<fixed name="two"><joint joint="sc" coef="1"/></fixed></tendon>')
        text = self.mjcf(parts, before=gravity, after=tendons + '<equality><tendon tendon1="one" tendon2="two" polycoef="0 0.3 0 0 0"/>'
                                                                '</equality>')
        self.assertIn("type: coordinate", text)
        row = self.start("a", "b", "c")
        normal, masses = [1, 2, -0.3], [1, 2, 5]
        multiplier = sum(n * 3 for n in normal) / sum(n * n / m for n, m in zip(normal, masses))
        for body, n, m in zip("abc", normal, masses):
            self.near(row[f"{body}.ax"], 3 - n * multiplier / m)
        self.mjcf(parts, after=tendons + '<equality><tendon name="bent" tendon1="one" polycoef="0 1 2 0 0"/></equality>')
        self.assertIn("tendon coupling 'bent' is not taken over: it is a polynomial", self.messages)

    def test_sites_joined(self):
        """Two pendulums, their ends apart as written: connected they make a triangle with sides 1, 1 and 0.8."""
        rod = ('<body name="{0}" pos="{1} 0 0"><joint name="j{0}" axis="0 1 0"/><inertial pos="0 0 -0.5" mass="1" '
               'diaginertia="0.1 0.1 0.1"/><site name="e{0}" pos="0 0 -1"/></body>')
        self.mjcf(rod.format("l", -0.4) + rod.format("r", 0.4),
                  after='<equality><connect site1="el" site2="er"/></equality>')
        row = self.start("jl", "jr")
        self.near(abs(row["jl.angle"]), math.asin(0.4), 1e-9)
        self.near(row["jr.angle"], -row["jl.angle"], 1e-9)

    def test_weld_elsewhere(self):
        """A free body goes where its weld holds it: turned by 90° about z, its point (1, 0, 0) at (0, 2, 0) of the other."""
        bodies = ('<body name="base" pos="1 0 0"><joint axis="0 1 0"/><geom size="0.1"/></body>'
                  '<body name="free" pos="9 9 9"><freejoint/><geom size="0.1"/>'
                  '<body name="tip" pos="0 0 1"><joint name="wag"/><inertial pos="1 0 0" mass="1" diaginertia="1 1 1"/></body></body>')
        weld = '<equality><weld name="hold" body1="base" body2="free" anchor="1 0 0" relpose="0 2 0 0.5 0 0 0.5"/></equality>'
        self.mjcf(bodies, after=weld)
        self.assertIn("body 'free' is written where weld 'hold' holds it", self.messages)
        row = self.start("free", "tip", "base")
        for body, place in (("base", (1, 0, 0)), ("free", (1, 1, 0)), ("tip", (1, 1, 1))):
            for c, wanted in zip("xyz", place):
                self.near(row[f"{body}.{c}"], wanted)
        self.near(row["tip.qz"], math.sqrt(0.5))
        self.mjcf(bodies.replace("<freejoint/>", '<joint axis="0 0 1"/>'), after=weld)
        self.assertIn("weld 'hold' is not taken over: the file begins elsewhere", self.messages)

    def test_activation(self):
        """An input behind a lag of 0.2 s: the force is 1 − exp(−t/0.2) of it; behind an integrator it is t."""
        general = '<actuator><general name="act" joint="sa" gainprm="6" {}/></actuator>'
        for kind, wanted in (('dyntype="filter" dynprm="0.2"', 1 - math.exp(-0.5)), ('dyntype="integrator"', 0.1)):
            self.mjcf(self.SLIDES.format("a", "", 4), after=general.format(kind))
            row = self.run_model("a", duration=0.1, options=("--input", "act=1"))[-1]
            self.near(row["a.ax"], 6 * wanted / 4, 1e-9)
        self.mjcf(self.SLIDES.format("a", "", 4), after=general.format('dyntype="muscle"'))
        self.assertIn("actuator general 'act' is not taken over: it has a law of another kind", self.messages)

    def test_names_made(self):
        """What a name is made into does not take the name of another."""
        text = self.mjcf('<body name="x_effort"><joint name="x_passive" damping="1"/><geom size="0.1"/></body>',
                         after='<actuator><motor name="x" joint="x_passive"/></actuator>')
        self.near(self.run_model("x_effort", options=("--input", "x_input=2"))[0]["x_effort.alphaz"], 2 / (0.4 * 4 / 3 * math.pi * 1e-2), 1e-9)
        self.assertIn('x_input: 0  # "x"', text)
        self.assertIn('name: "robot"', text)  # the file's, where it has none
        self.mjcf('<site name="\x7f"/><body name="a\x7fb"><freejoint/><geom size="0.1"/></body>')
        self.near(self.start("a_b")["a_b.az"], -G)

    def test_too_large(self):
        """What no number can hold is an error at its place, not a model that cannot be read."""
        self.mjcf('<body name="b"><freejoint/><geom size="1e200"/></body>', status=3)
        self.assertIn("robot.xml:1:", self.messages)
        self.assertIn("body 'b': its numbers are too large to reckon with", self.messages)
        self.mjcf('<body name="b"><joint name="j"/><geom size="1"/></body>', status=3,
                  after='<actuator><motor name="m" joint="j" gear="1e200"/><position name="p" joint="j" gear="1e200" kp="2"/></actuator>')
        self.assertIn("actuator 'p': its numbers", self.messages)
        self.assertNotIn("actuator 'm': its numbers", self.messages)
        self.convert(urdf(link("a"), link("b", 1, (1, 1, 1, 0, 0, 0)), joint("j", "revolute", "a", "b", axis="0 1e308 1")), status=3)
        self.assertIn("joint 'j': its numbers are too large", self.messages)

    def test_free_ball_include(self):
        (self.at / "inner.xml").write_text('<mujocoinclude><body name="in"><joint type="ball"/>'
                                           '<inertial pos="0 0 -1" mass="1" diaginertia="1 1 1"/></body></mujocoinclude>')
        text = self.mjcf('<include file="inner.xml"/><body name="f" pos="5 0 0"><freejoint/><geom size="0.1" mass="2"/></body>',
                         before='<option gravity="0 0 -3"/>')
        self.assertIn("type: spherical", text)
        row = self.start("f", "in", more="initial: {in.wx: 1}\n")
        self.near(row["f.az"], -3)
        self.near(row["in.alphay"], 0)
        done = subprocess.run([PROGRAM, "check", "model.yaml", ], cwd=self.at, capture_output=True, text=True)
        self.assertIn("degrees of freedom         9", done.stdout)

    def test_files_of_included_files(self):
        """Relative to the file that was asked for; what is not there, to the included file that names it."""
        (self.at / "parts").mkdir()
        (self.at / "parts" / "cube.obj").write_text(
            "".join(f"v {x} {y} {z}\n" for x in (0, 2) for y in (0, 1) for z in (0, 1))
            + "".join(f"f {f}\n" for f in ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")))
        (self.at / "parts" / "asset.xml").write_text('<mujoco><asset><mesh name="cube" file="cube.obj"/></asset></mujoco>')
        (self.at / "parts" / "all.xml").write_text('<mujoco><include file="asset.xml"/><include file="both.xml"/></mujoco>')
        (self.at / "parts" / "both.xml").write_text("<mujoco><this_is_not_meant/></mujoco>")
        (self.at / "both.xml").write_text("<mujoco/>")
        self.mjcf('<body name="b"><freejoint/><geom type="mesh" mesh="cube" density="3"/></body>',
                  before='<compiler meshdir="elsewhere"/><include file="parts/all.xml"/>')
        self.assertNotIn("this_is_not_meant", self.messages)
        self.near(self.start("energy")["energy.kinetic"], 0)
        self.assertRegex((self.at / "model.yaml").read_text(), r"mass: (6|5\.99999999999999\d*|6\.00000000000000\d*)\n")

    def test_not_taken_over(self):
        text = self.mjcf(
            '<light/><geom type="plane" size="1 1 1"/><body mocap="true" name="hand" user="1"/>'
            '<body name="b"><joint name="j" range="-1 1" frictionloss="2" damping="1 0.5" actuatorgravcomp="true"/>'
            '<geom name="ball" size="0.1" rgba="1 0 0 1" friction="1" fluidshape="ellipsoid"/>'
            '<body name="c" pos="1 0 0"><joint name="k"/><geom size="0.1"/></body></body>',
            before='<option timestep="0.01" gravity="0 0 -9"><flag contact="disable" gravity="enable"/></option>'
                   '<default><joint actuatorfrcrange="-1 1" armature="0.1"/><default class="soft"><equality solref="0.01 1"/>'
                   '</default></default>',
            after='<tendon><fixed name="pull" springyield="1"><joint joint="j" coef="1"/></fixed></tendon>'
                  '<equality><joint name="e" joint1="k" joint2="j" solimp="0.9 0.9 0.1"/></equality>'
                  '<actuator><motor name="m" joint="j" delay="0.1" ctrlrange="-1 1" gear="2"/></actuator>'
                  '<sensor><jointpos name="q" joint="j"/></sensor><custom><numeric name="n" data="1"/></custom>'
                  '<keyframe><key name="home"/></keyframe><visual/>')
        for what in ("joint 'j': limits are", "joint 'j': friction is", "contact of the geoms of 'b'", "shapes of 'world'",
                     "tendon 'pull' has no spring, damper, actuator or coupling: left out", "body 'hand': user: not",
                     "joint 'j': terms of higher order of its damping are", "joint 'j': actuatorgravcomp: not",
                     "geom 'ball': fluidshape: not", "joint: actuatorfrcrange: not", "equality: solref: not",
                     "fixed 'pull': springyield: not", "joint 'e': solimp: not", "actuator 'm': its ranges are",
                     "motor 'm': delay: not", "sensor jointpos 'q' is", "custom numeric 'n' is", "section <visual> is",
                     "keyframe key 'home'", "light is not", "body 'hand': mocap is not", "colours are not",
                     "option: timestep: not", "flag: contact: not"):
            self.assertIn(what, self.messages)
            self.assertIn(what, text.split("trammel: 1")[0])
        self.assertNotRegex(text.split("trammel: 1")[0], r"gear|armature|gravity|friction\b(?! is)")

    def test_cube_mesh(self):
        """A mesh has the mass of what it encloses."""
        v = [(x, y, z) for x in (0, 2) for y in (0, 1) for z in (0, 1)]
        faces = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"]
        (self.at / "cube.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in v) + "".join(f"f {f}\n" for f in faces))
        self.mjcf('<body name="b"><joint axis="0 1 0"/><geom type="mesh" mesh="cube" density="3"/></body>',
                  before='<asset><mesh file="cube.obj"/></asset>')
        m = 6
        self.near(self.start("b")["b.alphay"], m * G * 1 / (m * (4 + 1) / 12 + m * (1 + 0.25)))

    def near_box(self, mesh, mass, inertia):
        """A mesh of density 3 on a hinge about y through the origin: mass, and moment about that."""
        text = self.mjcf('<body name="b"><joint axis="0 1 0"/><geom type="mesh" mesh="m" density="3"/></body>',
                         before=f'<asset><mesh name="m" {mesh}/></asset>')
        self.near(float(re.search(r"mass: (\S+)", text)[1]), mass)
        self.near(self.start("b")["b.alphay"], mass * G * 1 / inertia)

    def test_mesh_of_points(self):
        """A box of 2, 1, 1 by its corners, which lie in its faces, too; by faces; by a MuJoCo file."""
        v = [(x, y, z) for x in (0, 1, 2) for y in (0, 1) for z in (0, 0.5, 1)] + [(1, 0.5, 0.5)]
        m, inertia = 6, 6 * (4 + 1) / 12 + 6 * (1 + 0.25)
        flat = " ".join(str(x) for p in v for x in p)
        self.near_box(f'vertex="{flat}"', m, inertia)
        corners = [(x, y, z) for x in (0, 2) for y in (0, 1) for z in (0, 1)]
        faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
                 (1, 5, 7), (1, 7, 3)]
        given = " ".join(str(x) for p in corners for x in p), " ".join(str(i) for f in faces for i in f)
        self.near_box(f'inertia="exact" vertex="{given[0]}" face="{given[1]}"', m, inertia)
        for numbers in (faces, []):  # without faces it is the hull
            data = struct.pack("<4i", len(corners), 1, 1, len(numbers)) + struct.pack("<24f", *[x for p in corners for x in p])
            data += struct.pack("<5f", *[0] * 5) + b"".join(struct.pack("<3i", *f) for f in numbers)
            (self.at / "box.msh").write_bytes(data)
            self.near_box('file="box.msh"', m, inertia)
        self.near_box('file="box.msh" scale="1 1 -1" refpos="0 0 -1"', m, inertia)

    def test_mesh_inertia(self):
        """A box of 2, 1, 1 with a dent: the whole box by its hull; a hollow one by its faces."""
        v = [(x, y, z) for x in (0, 2) for y in (0, 1) for z in (0, 1)] + [(1, 0.5, 0.2)]
        sides = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5"]
        lid = ["2 6 9", "6 8 9", "8 4 9", "4 2 9"]
        (self.at / "dent.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in v) + "".join(f"f {f}\n" for f in sides + lid))
        self.near_box('file="dent.obj" inertia="convex"', 6, 6 * (4 + 1) / 12 + 6 * (1 + 0.25))
        (self.at / "box.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in v) + "".join(f"f {f}\n" for f in sides + ["2 6 8 4"]))
        # plates of 3 kg/m²: about the middle, those across z, y and x
        across = 2 * 6 * (4 / 12 + 1 / 4) + 2 * 6 * (4 + 1) / 12 + 2 * 3 * (1 / 12 + 1)
        self.near_box('file="box.obj" inertia="shell"', 30, across + 30 * (1 + 0.25))

    def test_shapes_refused(self):
        """As MuJoCo does: sizes that are not positive or missing, shapes and default classes that are not there."""
        for geom, word in (('size="-1"', "(sphere): its mass is needed, but its sizes must be positive"),
                           ('type="capsule" size="0.1"', "its sizes"), ('type="box" size="1 0 1"', "its sizes"), ('type="ball" size="1"', "there is no such shape"),
                           ('class="x" size="1"', "there is no default class 'x'")):
            self.mjcf(f'<body name="b"><joint/><geom {geom}/></body>', status=3)
            self.assertIn(word, self.messages)
        self.mjcf('<body childclass="y"><joint/><geom class="main" size="1"/></body>', status=3,
                  before='<default><default class="x"/></default>')
        self.assertIn("robot.xml:1:59: error: there is no default class 'y'", self.messages)

    def test_mesh_refused(self):
        flat = '<asset><mesh name="m" vertex="0 0 0 1 0 0 1 1 0 0 1 0"/></asset>'
        geom = '<body name="b"><joint axis="0 1 0"/><geom type="mesh" mesh="m"/></body>'
        (self.at / "cut.msh").write_bytes(struct.pack("<4i", 1 << 28, 0, 0, 1) + b"1234")
        for asset, word in ((flat, "its points lie in a plane"), (flat.replace("0 1 0", "0 1"), "numbers, three each"),
                            (flat.replace("/>", ' face="0 1 4"/>'), "a corner that is not there"),
                            (flat.replace("/>", ' face="0 1 nan"/>'), "numbers, three each"),
                            ('<asset><mesh name="m"/></asset>', "no file and no vertex"),
                            ('<asset><mesh name="m" file="cut.msh"/></asset>', "no MSH file")):
            self.mjcf(geom, before=asset, status=3)
            self.assertIn(": its mass is needed, but ", self.messages)
            self.assertIn(word, self.messages)

    def test_units(self):
        """SI is said where the standard of the format says it."""
        self.mjcf('<body><joint/><geom size="0.1"/></body>')
        self.assertNotIn("\nunits:", (self.at / "model.yaml").read_text())
        self.sdf(self.sdf_link("bob", 1, (1, 1, 1)))
        self.assertIn("\nunits: SI\n", (self.at / "model.yaml").read_text())
        self.convert(urdf(link("base"), link("bob", 1, (1, 1, 1)), joint("j", "continuous", "base", "bob")))
        self.assertIn("\nunits: SI\n", (self.at / "model.yaml").read_text())

    # SDF

    def sdf(self, parts, *options, version="1.9", status=0, around="", name="robot.sdf"):
        return self.convert(f'<sdf version="{version}"><model name="m">\n{parts}\n</model>{around}</sdf>\n', *options,
                            name=name, status=status)

    def sdf_link(self, name, mass, inertia=(0, 0, 0), pose="", com="", more=""):
        moments = "".join(f"<i{a}{a}>{v}</i{a}{a}>" for a, v in zip("xyz", inertia))
        return (f'<link name="{name}">{pose}<inertial>{com}<mass>{mass}</mass><inertia>{moments}</inertia></inertial>'
                f'{more}</link>\n')

    def sdf_joint(self, name, kind, parent, child, axis="0 1 0", more="", dynamics=""):
        return (f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
                f'<axis><xyz>{axis}</xyz>{dynamics}</axis>{more}</joint>\n')

    def test_sdf_pendulum(self):
        """As in URDF; the standard's gravity is 9.8."""
        self.sdf("<pose>0 0 3 0 0 0</pose>"
                 + self.sdf_link("bob", 2, (0.3, 0.4, 0.5), com=f"<pose>0.7 0 0 {math.pi/2} 0 0</pose>")
                 + self.sdf_joint("pivot", "revolute", "world", "bob",
                                  dynamics="<limit><lower>-1</lower></limit><dynamics><friction>1</friction></dynamics>"))
        row = self.start("bob")
        self.near(row["bob.alphay"], 2 * 9.8 * 0.7 / (0.5 + 2 * 0.49))
        self.near(row["bob.z"], 3)
        self.assertIn("joint 'pivot': limits are not taken over", self.messages)
        self.assertIn("joint 'pivot': friction is not taken over", self.messages)

    def test_sdf_frames(self):
        """Poses in chains, in every form: a pendulum at (1, 2, 3), turned by 90° about z, its arm along y then."""
        chain = ('<frame name="f"><pose>1 0 0 0 0 0</pose></frame>'
                 '<frame name="g" attached_to="f"><pose degrees="true">0 2 0 0 0 90</pose></frame>')
        s = math.sqrt(0.5)
        for pose in ('<pose relative_to="g">0 0 3 0 0 0</pose>', f'<pose relative_to="f">0 2 3 0 0 {math.pi/2}</pose>',
                     f'<pose rotation_format="quat_xyzw">1 2 3 0 0 {s} {s}</pose>'):
            # the axis: y of the link, which is −x; as one of the model the same
            for axis in ("<xyz>0 1 0</xyz>", '<xyz expressed_in="__model__">-1 0 0</xyz>', '<xyz expressed_in="g">0 2 0</xyz>'):
                self.sdf(chain + self.sdf_link("bob", 1, pose=pose, com="<pose>0.5 0 0 0 0 0</pose>")
                         + f'<joint name="j" type="continuous"><parent>world</parent><child>bob</child><axis>{axis}</axis></joint>')
                row = self.start("bob")
                for c, wanted in zip("xyz", (-9.8 / 0.5, 0, 0)):
                    self.near(row[f"bob.alpha{c}"], wanted)
                for c, wanted in zip("xyz", (1, 2, 3)):
                    self.near(row[f"bob.{c}"], wanted)

    def test_sdf_axis_of_old_files(self):
        """Until 1.4 an axis is one of the model, then one of the joint, which its pose turns."""
        bob = self.sdf_link("bob", 1, pose=f"<pose>0 0 0 0 0 {math.pi/2}</pose>", com="<pose>0.5 0 0 0 0 0</pose>")
        turned = f"<pose>0 0 0 0 0 {-math.pi/2}</pose>"
        for version, axis, more, dynamics in (("1.4", "1 0 0", "", ""), ("1.5", "0 1 0", "", ""), ("1.6", "1 0 0", turned, ""),
                                              ("1.6", "1 0 0", "", "<use_parent_model_frame>1</use_parent_model_frame>")):
            self.sdf(bob + self.sdf_joint("j", "revolute", "world", "bob", axis, more, dynamics), version=version)
            row = self.start("bob")
            self.near(abs(row["bob.alphax"]), 9.8 / 0.5)
            self.near(row["bob.alphay"], 0)

    def test_sdf_closed_loop(self):
        """The parallelogram of test_closed_loop, with a third hinge that closes it; nothing said of the ground: it falls."""
        rod = "<pose>0 0 -0.5 0 0 0</pose>"
        parts = (self.sdf_link("a", 3, (0.25, 0.25, 0), com=rod) + self.sdf_link("d", 3, (0.25, 0.25, 0), "<pose>2 0 0 0 0 0</pose>", rod)
                 + self.sdf_link("c", 2, (0, 0.1, 0.1), "<pose>0 0 -1 0 0 0</pose>", "<pose>1 0 0 0 0 0</pose>")
                 + self.sdf_joint("jc", "revolute", "a", "c")
                 + self.sdf_joint("close", "revolute", "d", "c", more="<pose>2 0 0 0 0 0</pose>"))
        self.sdf(parts + self.sdf_joint("ja", "revolute", "world", "a") + self.sdf_joint("jd", "revolute", "world", "d"))
        row = self.start("a", "d", "c", more="initial: {ja.angle: 0.3}\n")
        alpha = -(3 * 9.8 * 0.5 * 2 + 2 * 9.8) * math.sin(0.3) / (2 * (0.25 + 3 * 0.25) + 2)
        for body, wanted in (("a", alpha), ("d", alpha), ("c", 0)):
            self.near(row[f"{body}.alphay"], wanted, 1e-9)
        self.sdf(parts)
        self.near(self.start("c")["c.az"], -9.8)
        self.sdf(self.sdf_link("world", 1, (1, 1, 1)) + self.sdf_link("a", 1, (1, 1, 1)) + self.sdf_joint("j", "fixed", "world", "a"))
        self.near(self.start("world")["world.az"], -9.8)  # a link of this name is no ground

    def test_sdf_coupled(self):
        """A gearbox: theta2 = −ratio theta1; mimic: the ratio and what it starts with; a spring and a damper."""
        com = "<pose>1 0 0 0 0 0</pose>"
        parts = (self.sdf_link("a", 1, com=com) + self.sdf_link("b", 3, com=com)
                 + self.sdf_joint("ja", "revolute", "world", "a"))
        gears = ('<joint name="g" type="gearbox"><parent>a</parent><child>b</child><gearbox_reference_body>world'
                 '</gearbox_reference_body><gearbox_ratio>{}</gearbox_ratio><axis><xyz>0 1 0</xyz></axis>'
                 '<axis2><xyz>0 {} 0</xyz></axis2></joint>')
        mimic = '<mimic joint="ja"><multiplier>-2</multiplier><offset>0</offset></mimic>'
        alpha = (9.8 - 2 * 3 * 9.8) / (1 + 4 * 3)
        jb = self.sdf_joint("jb", "revolute", "world", "b")
        for more in (jb + gears.format(2, 1), gears.format(-2, -1) + jb, self.sdf_joint("jb", "revolute", "world", "b", dynamics=mimic)):
            self.sdf(parts + more)
            row = self.start("a", "b")
            self.near(row["a.alphay"], alpha)
            self.near(row["b.alphay"], -2 * alpha)
        self.sdf(self.sdf_link("s", 4) + self.sdf_joint(
            "slide", "prismatic", "world", "s", "1 0 0", dynamics="<dynamics><damping>2</damping><spring_stiffness>8"
            "</spring_stiffness><spring_reference>0.5</spring_reference></dynamics>"))
        row = self.start("s", more="initial: {slide.speed: 3, slide.displacement: 0.1}\n")
        self.near(row["s.ax"], (8 * 0.4 - 2 * 3) / 4)

    def test_sdf_universal(self):
        """Two crossing hinges, as in test_massless_between; and a ball joint."""
        bob = self.sdf_link("bob", 2, (0.1, 0.1, 0.1), com="<pose>0 0 -0.5 0 0 0</pose>")
        wanted = -2 * 9.8 * 0.5 * math.sin(0.4) / (0.1 + 2 * 0.25)
        self.sdf(bob + self.sdf_joint("u", "universal", "world", "bob", "1 0 0", "<axis2><xyz>0 1 0</xyz></axis2>"))
        self.near(self.start("bob", more="initial: {u_axis.angle: 0.4}\n")["bob.alphax"], wanted, 1e-9)
        self.sdf(self.sdf_link("bob", 2, (0.1, 0.1, 0.1), pose="<pose>0 0 0 0.4 0 0</pose>", com="<pose>0 0 -0.5 0 0 0</pose>")
                 + self.sdf_joint("b", "ball", "world", "bob"))
        self.near(self.start("bob")["bob.alphax"], wanted)

    def test_sdf_world(self):
        """Models in models, includes with another name and place, static models, gravity of the world and of links."""
        (self.at / "thing").mkdir()
        (self.at / "thing" / "model.sdf").write_text(
            '<sdf version="1.6"><model name="thing"><pose>9 9 9 0 0 0</pose>' + self.sdf_link("l", 1, (1, 1, 1)) + "</model></sdf>")
        include = "<include><uri>model://thing</uri><name>{}</name><pose>{}</pose>{}</include>"
        nested = ('<model name="outer"><pose>1 0 0 0 0 0</pose><model name="inner"><pose>0 2 0 0 0 0</pose>'
                  + self.sdf_link("l", 1, (1, 1, 1), more="<gravity>0</gravity>") + "</model>"
                  + self.sdf_link("k", 1, (1, 1, 1)) + self.sdf_joint("j", "fixed", "k", "inner::l") + "</model>")
        text = self.convert('<sdf version="1.9"><world name="w"><gravity>0 0 -3</gravity>'
                            + include.format("one", "0 0 7 0 0 0", "") + include.format("two", "0 0 8 0 0 0", "<static>true</static>")
                            + nested + "<light name='sun'/></world></sdf>\n", name="robot.sdf")
        row = self.start("one__l", "outer__k")
        self.near(row["one__l.z"], 7)
        self.near(row["one__l.az"], -3)
        self.near(row["outer__k.x"], 1)
        self.assertIn("at_two__l: [0, 0, 8]", text)
        self.assertIn("at_outer__inner__l: [0, 2, 0]", text)
        self.assertIn("world 'w': light sun is not taken over", self.messages)
        self.assertIn("body 'outer::inner::l': its gravcomp", self.messages)

    def test_sdf_not_taken_over(self):
        text = self.sdf(self.sdf_link("a", 1, (1, 1, 1), more='<sensor name="eye"/><collision name="c"/><visual name="v">'
                                      '<geometry><plane/></geometry><material/></visual>')
                        + '<link name="bare"/><plugin name="p"/>')
        for what in ("robot.sdf:2: link 'a': sensor eye is", "link 'a': contact", "a shape 'plane'", "colours are",
                     "link 'bare' has no inertial", "robot.sdf:3: model 'm': plugin p is"):
            self.assertIn(what, text.split("trammel: 1")[0])

    def test_sdf_errors(self):
        a = self.sdf_link("a", 1, (1, 1, 1))
        for parts, said in ((a + self.sdf_joint("j", "screw", "world", "a"), "robot.sdf:3:1: error: joint 'j': its type must be"),
                            (a + self.sdf_joint("j", "revolute", "b", "a"), "its parent 'b' is not there"),
                            (a + self.sdf_joint("j", "revolute", "a", "world"), "its child must be a link"),
                            (a + self.sdf_joint("j", "revolute", "world", "a", "0 0 0"), "its axis is zero"),
                            (a + a, "link 'a' is there twice"), ("<link/>", "a link needs a name"),
                            (self.sdf_link("b", 1, pose="<pose>1 2 3</pose>"), "pose: it must be 6 numbers"),
                            (self.sdf_link("b", 1, pose='<pose relative_to="x">0 0 0 0 0 0</pose>'), "the frame 'x'"),
                            (self.sdf_link("b", "heavy"), "mass: it must be 1 number"),
                            ('<frame name="f"><pose relative_to="g"/></frame><frame name="g"><pose relative_to="f"/></frame>' + a,
                             "relative to itself"),
                            ('<link name="a"><inertial auto="true"/></link>', "(auto)"), ("<origin pose='0'/>" + a, "before 1.2"),
                            ("<include><uri>model://none</uri></include>", "there is no 'model://none'"),
                            (a + '<joint name="g" type="gearbox"><parent>a</parent><child>a</child>'
                             '<gearbox_reference_body>a</gearbox_reference_body></joint>', "revolute joints must join")):
            self.sdf(parts, status=3)
            self.assertIn(said, self.messages)
        (self.at / "model.sdf").write_text('<sdf version="1.6"><model name="m"><include><uri>model.sdf</uri></include></model></sdf>')
        self.sdf("<include><uri>model.sdf</uri></include>", status=3)
        self.assertIn("in more than 32 others", self.messages)


if __name__ == "__main__":
    unittest.main()
