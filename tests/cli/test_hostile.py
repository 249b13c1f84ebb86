"""Input that means harm: pipes and devices, foreign pages, foreign files, other locales."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
TIRES = Path(os.environ["TRM_SOURCE_DIR"]) / "models"
LIMIT = 60  # seconds: what takes longer hangs

PENDULUM = """trammel: 1
name: Pendulum
space: planar
gravity: [0, -9.81]
ground: {points: {O: [0, 0]}}
bodies:
  rod:
    mass: 1
    inertia: 0.1
    position: [0.5, 0]
    points: {A: [-0.5, 0]}
joints:
  J: {type: revolute, connect: [ground.O, rod.A]}
simulate: {duration: 0.1, step: 1e-2}
"""


class Elements(HTMLParser):
    """The elements of a page, as a browser finds them."""

    def __init__(self, text):
        super().__init__()
        self.scripts = []
        self.names = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.names.append(tag)
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append([dict(attributes), ""])

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1][1] += data

    def handle_endtag(self, tag):
        self.inside = False


class Hostile(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "m.yaml").write_text(PENDULUM)

    def trammel(self, *words, **options):
        return subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              timeout=LIMIT, stdin=subprocess.DEVNULL, **options)

    def expect(self, status, *words, **options):
        done = self.trammel(*words, **options)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}{done.stderr}")
        return done

    # --- pipes and devices ---

    def test_pipes_and_devices_are_refused(self):
        self.expect(0, "run", "m.yaml", "-o", "good", "--quiet")
        os.mkfifo(self.folder / "pipe")
        (self.folder / "run").mkdir()
        os.mkfifo(self.folder / "run/scene.json")
        os.mkfifo(self.folder / "run/results.csv")
        text = "this is a pipe or a device, not a "
        for kind, command in (
                ("table", ("compare", "good", "FILE")), ("table", ("compare", "FILE", "good")),
                ("table", ("compare", "run", "good")), ("table", ("plot", "FILE", "rod.x", "-o", "a.svg")),
                ("table file", ("run", "m.yaml", "--input", "u=FILE.csv")),
                ("scene file", ("film", "run/scene.json", "-o", "a.svg")), ("scene file", ("film", "run", "-o", "a.svg")),
                ("tire file", ("tire", "FILE")), ("model file", ("check", "FILE"))):
            for file in ("pipe", "/dev/zero", "/dev/tty"):
                with self.subTest(kind=kind, command=command, file=file):
                    if command[-1] == "u=FILE.csv":
                        (self.folder / "in.csv").unlink(missing_ok=True)
                        (self.folder / "in.csv").symlink_to(file)
                        (self.folder / "u.yaml").write_text(PENDULUM + "inputs: {u: 0}\n")
                        done = self.trammel("run", "u.yaml", "--input", "u=in.csv")
                    else:
                        done = self.trammel(*(file if word == "FILE" else word for word in command))
                    self.assertIn(done.returncode, (1, 2, 3))
                    if file != "/dev/tty":  # without a terminal it cannot be opened
                        self.assertIn(text + kind, done.stderr)

    def test_nobody_reads_the_pipe(self):
        """Writing to a pipe without a reader waited forever."""
        self.expect(0, "run", "m.yaml", "-o", "good", "--quiet")
        os.mkfifo(self.folder / "pipe.svg")
        for words in (("plot", "good", "rod.x", "-o", "pipe.svg"), ("film", "good", "-o", "pipe.svg"),
                      ("compare", "good", "good", "--page", "pipe.svg")):
            self.assertIn("cannot write 'pipe.svg'", self.expect(1, *words).stderr)
        for name in ("results.csv", "summary.json", "scene.json", "report.html"):
            (self.folder / "out").mkdir(exist_ok=True)
            os.mkfifo(self.folder / "out" / name)
            self.assertIn(f"out/{name}'", self.expect(1, "run", "m.yaml", "-o", "out").stderr)
            (self.folder / "out" / name).unlink()

    def test_pipes_in_models(self):
        os.mkfifo(self.folder / "pipe")
        for part in ("shape: {mesh: pipe}", "shape: {mesh: /dev/zero}"):
            (self.folder / "m.yaml").write_text(PENDULUM.replace("mass: 1", "mass: 1\n    " + part))
            done = self.expect(0, "run", "m.yaml", "-o", "out")
            self.assertIn("this is a pipe or a device, not a mesh file", done.stderr)
        (self.folder / "m.yaml").write_text(PENDULUM + "reference: {file: pipe, tolerance: 1e-8}\n")
        self.assertIn("not a table", self.expect(3, "run", "m.yaml", "--check", "--quiet").stderr)
        (self.folder / "m.yaml").write_text(PENDULUM + "forces: {w: {type: tire, wheel: rod, file: pipe, side: left}}\n")
        self.expect(3, "check", "m.yaml")

    # --- foreign files ---

    def test_foreign_files_are_not_shown(self):
        """Whoever runs it may read what the one who wrote the model may not."""
        for name, text in (("shadow", "root:$6$secret:20228:0:99999:7:::\ndaemon:*secret:1::\n"),
                           ("keys.yaml", "password: secret\ntoken: {secret: secret}\n"), ("plain", "secret\n"),
                           ("broken", "KEY=secret\nTOKEN: secret: [secret\n"), ("list", "- secret\n- secret\n"),
                           ("ini", "[default]\nkey = secret\n"), ("tabs", "\tsecret\n\t: secret\n"),
                           ("rows.csv", "user,pass\nsecret,1\n2,secret\n"), ("numbers", "secret,secret\n1\n")):
            (self.folder / name).write_text(text)
            self.expect(0, "run", "m.yaml", "-o", "good", "--quiet")
            (self.folder / "r.yaml").write_text(PENDULUM + "reference: {file: %s, tolerance: 1}\n" % name)
            (self.folder / "i.yaml").write_text("trammel: 1\nspace: planar\ninclude: [{file: %s}]\n" % name)
            models = ["r.yaml", "i.yaml"]
            for k, call in enumerate(("table(t, '%s')", "table(t, '%s', 'x')", "table2(t, t, '%s')")):
                models.append("f%d.yaml" % k)
                (self.folder / models[-1]).write_text(
                    PENDULUM + "forces: {f: {type: force, point: rod, value: [\"%s\", 0]}}\n" % (call % name))
            (self.folder / "w.yaml").write_text(PENDULUM + "forces: {w: {type: tire, wheel: rod, file: %s}}\n" % name)
            (self.folder / "run").mkdir(exist_ok=True)
            (self.folder / "run/scene.json").write_text('{"name": ' + text + "}")
            for words in (("check", name), ("film", "run", "-o", "a.svg"), ("run", name), ("tire", name), ("compare", name, "good"), ("film", name, "-o", "a.svg"),
                          ("plot", name, "x", "-o", "a.svg"), *(("run", model, "--check", "-o", "out") for model in models)):
                with self.subTest(name=name, words=words):
                    done = self.trammel(*words)
                    self.assertIn(done.returncode, (1, 2, 3))
                    self.assertTrue(done.stderr)
                    self.assertNotIn("secret", done.stdout + done.stderr)

    # --- settings ---

    def refuse(self, settings, status, *words, options=(), command="run"):
        (self.folder / "s.yaml").write_text(PENDULUM.replace("{duration: 0.1, step: 1e-2}", settings))
        done = self.expect(status, command, "s.yaml", *options)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((self.folder / "results").exists() and list((self.folder / "results").rglob("*.csv")))

    def test_output_step_beyond_all_rows(self):
        """Once it completed with one row: the number of rows was more than a long holds."""
        for integrator in ("rk4", "dopri5"):
            for step in ("1e-18", "1e-300", "1e-13"):
                settings = "\n  duration: 10\n  integrator: %s\n  output-step: %s" % (integrator, step)
                self.refuse(settings, 3, "s.yaml:17:16: error: output-step is ", "rows")
            self.refuse("{duration: 10, integrator: %s}" % integrator, 2, "output-step is 1e-18",
                        options=("--output-step", "1e-18"))

    def test_methods_that_do_not_go_together(self):
        """At the key of the file where the file is wrong, and then it is a bad model; an option is wrong usage."""
        for first, second, message in (
                ("integrator: adams", "stabilization: baumgarte", "stabilization must be direct"),
                ("integrator: ida", "energy: conserve", "its history"),
                ("integrator: rk4", "stepping: variable", "stepping 'variable'"),
                ("integrator: dop853", "stepping: fixed", "stepping 'fixed'"),
                ("integrator: radau5", "stabilization: embedded", "it meets the constraints itself"),
                ("integrator: three-field", "energy: conserve", "velocities of its own"),
                ("integrator: three-field", "conserve: rod.vx", "velocities of its own"),
                ("step: 1e-3", "conserve: rodd.vx", "unknown measure 'rodd.vx'"),
                ("step: 1e-3", "conserve: rod.vy", "not conserved here")):
            with self.subTest(first=first, second=second):
                for command in ("run", "check"):
                    self.refuse("{duration: 0.1, %s, %s}" % (first, second), 3,
                                "s.yaml:14:%d: error: " % (len("simulate: {duration: 0.1, , ") + len(first) + 1), message,
                                "simulate: {duration", command=command)
                for given, option in ((first, second), (second, first)):
                    key, value = option.split(": ")
                    if key != "step" and not given.startswith("conserve: rodd"):
                        self.refuse("{duration: 0.1, %s}" % given, 2, "error: ", message, options=("--" + key, value))
        # an option mends it
        (self.folder / "s.yaml").write_text(PENDULUM.replace("step: 1e-2", "integrator: adams, stabilization: baumgarte"))
        self.expect(0, "run", "s.yaml", "-o", "out", "--integrator", "rk4", "--quiet")
        spatial = ("trammel: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                   "simulate: {duration: 1, coordinates: angle}\n")
        (self.folder / "b.yaml").write_text(spatial)
        self.assertIn("b.yaml:4:25: error: coordinates 'angle' are for planar models", self.expect(3, "check", "b.yaml").stderr)
        self.expect(0, "check", "b.yaml", "--coordinates", "natural")

    # --- pages ---

    def test_foreign_scenes_run_no_script(self):
        """HTML ends a script at </script in any case, and a <!-- inside hides what ends it."""
        for run in ("a", "b"):
            self.expect(0, "run", "m.yaml", "-o", run, "--quiet")
        file = self.folder / "b/scene.json"
        whole = file.read_text()
        for attack in ("</script><script>alert(1)</script>", "</SCRIPT ><IMG src=x onerror=alert(1)>",
                       "<!--<script>", "</sCrIpT\n><svg onload=alert(1)>"):
            name = "Pendulum" + json.dumps(attack)[1:-1]
            file.write_text(whole.replace("Pendulum", name))
            self.expect(0, "compare", "a", "b", "--page", "page.html")
            page = Elements((self.folder / "page.html").read_text())
            found = {script[0].get("id"): script[1] for script in page.scripts}
            self.assertEqual(json.loads(found["r1-scene"])["name"], "Pendulum" + attack)
            self.assertEqual(json.loads(found["r0-scene"])["name"], "Pendulum")
            self.assertNotIn("img", page.names)
            self.assertNotIn("<!--", found["r1-scene"])
        # names of columns and of the model, too
        table = (self.folder / "a/results.csv").read_text()
        evil = "</SCRIPT><script>alert(1)</script>"
        for run in ("a", "b"):
            (self.folder / run / "results.csv").write_text(table.replace("rod.x", evil, 1))
        file.write_text(whole)
        self.expect(0, "compare", "a", "b", "--page", "page.html")
        page = Elements((self.folder / "page.html").read_text())
        found = {script[0].get("id"): script[1] for script in page.scripts}
        self.assertIn(evil, [column["name"] for column in json.loads(found["data"])["comparisons"][0]["columns"]])


if __name__ == "__main__":
    unittest.main()
