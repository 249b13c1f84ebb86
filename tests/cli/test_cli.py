"""The command-line program from outside: help, exit statuses, files, signals, full disks."""
import csv
import json
import os
import pty
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"
FOUR_BAR = str(MODELS / "four_bar.yaml")

SUMMARY_KEYS = """model name space coordinates solver stabilization energy integrator step duration status
message time_reached estimated_error estimate_seconds steps evaluations newton_iterations jacobians factorizations step_cuts stiff_steps switches switch_times bodies generalized_coordinates constraints redundant_constraints
degrees_of_freedom wall_seconds cpu_seconds real_time_factor max_position_violation
max_velocity_violation energy_initial energy_final max_energy_error version""".split()

ROD = """trammel: 1
name: Rod
space: planar
gravity: [0, -9.81]
parameters: {L: 2, m: 1}
ground: {points: {O: [0, 0]}}
bodies:
  rod: {mass: m, inertia: m*L^2/12, position: [L/2, 0], points: {A: [-L/2, 0], B: [L/2, 0]}}
joints:
  A: {type: revolute, connect: [ground.O, rod.A]}
simulate: {duration: 0.1, step: 1e-3, output-step: 1e-2}
"""

# long enough never to end by itself, few enough rows to fit anywhere
ENDLESS = ["--duration", "1e5", "--step", "1e-3", "--output-step", "1"]


def terminal(test):
    """A pseudo-terminal; the test is skipped where the machine has none."""
    try:
        return pty.openpty()
    except OSError as error:
        test.skipTest(str(error))


class CliTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def call(self, *words, **more):
        options = dict(cwd=self.folder, capture_output=True, text=True, timeout=120)
        return subprocess.run([PROGRAM, *map(str, words)], **{**options, **more})

    def expect(self, status, *words, **more):
        done = self.call(*words, **more)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
        return done

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def rows(self, path):
        with open(path, newline="") as file:
            return list(csv.reader(file))


class Help(CliTest):
    def test_help_and_version(self):
        done = self.expect(0, "--help")
        for command in ("run", "check", "methods", "bench"):
            self.assertIn(f"trammel {command}", done.stdout)
            own = self.expect(0, command, "--help")
            self.assertTrue(own.stdout.startswith(f"usage: trammel {command}"), own.stdout)
            self.assertIn("--help", own.stdout)
            self.assertEqual(own.stderr, "")
        self.assertRegex(self.expect(0, "--version").stdout, r"\Atrammel \d+\.\d+\.\d+\n\Z")

    def test_help_lists_every_option(self):
        for command in ("run", "check", "bench"):
            text = self.expect(0, command, "--help").stdout
            for option in """set coordinates solver stabilization integrator step duration output-step
                             tolerance json""".split():
                self.assertRegex(text, rf"--{option}\b", command)
        self.assertIn("Ctrl-C", self.expect(0, "run", "--help").stdout)

    def test_methods(self):
        text = self.expect(0, "methods").stdout
        for word in """coordinates solver stabilization integrator natural angle augmented udwadia-kalaba
                       direct none euler rk4 rk6 ab2 ab6 three-field generalized-alpha trapezoidal""".split():
            self.assertRegex(text, rf"(?m)^\*? *{word}\b")
        defaults, groups = re.findall(r"(?m)^\* \S+  ", text), re.findall(r"(?m)^[a-z-]+: ", text)
        self.assertEqual(len(defaults), len(groups))  # one of each
        self.expect(2, "methods", "something")


class Usage(CliTest):
    def error(self, *words):
        done = self.expect(2, *words)
        self.assertEqual(done.stdout, "")
        self.assertIn("error:", done.stderr)
        return done.stderr

    def test_commands(self):
        self.assertIn("usage:", self.expect(2).stderr)
        self.assertIn("did you mean 'run'", self.error("rnu"))
        self.assertIn("did you mean 'trammel run a.yaml'", self.error("a.yaml"))
        self.error("--frobnicate")

    def test_unknown_options(self):
        self.assertIn("did you mean '--step'", self.error("run", FOUR_BAR, "--stpe", "1"))
        self.assertIn("did you mean '--json'", self.error("run", FOUR_BAR, "--jsn"))
        self.assertIn("did you mean '--output-step'", self.error("run", FOUR_BAR, "-output-step", "1"))
        self.assertIn("'--frobnicate'", self.error("run", FOUR_BAR, "--frobnicate=3"))
        self.error("run", FOUR_BAR, "-x")

    def test_models(self):
        self.assertIn("missing", self.error("run"))
        self.assertIn("missing", self.error("check", "--json"))
        self.assertIn("b.yaml", self.error("check", FOUR_BAR, "b.yaml"))

    def test_values(self):
        self.assertIn("needs a value", self.error("run", FOUR_BAR, "--step"))
        self.assertIn("needs a value", self.error("run", FOUR_BAR, "--step", "--json"))
        self.assertIn("takes no value", self.error("run", FOUR_BAR, "--json=yes"))
        self.assertIn("NAME=VALUE", self.error("run", FOUR_BAR, "--set", "L"))
        self.assertIn("NAME=VALUE", self.error("run", FOUR_BAR, "--set", "=1"))
        self.assertIn("error: --step: ", self.error("run", FOUR_BAR, "--step", "fast"))
        self.assertIn("rk5", self.error("run", FOUR_BAR, "--integrator", "rk5"))
        self.assertIn("up to 1000", self.error("run", MODELS / "chain.yaml", "--set", "N=200", "--solver", "udwadia-kalaba-general"))
        self.error("run", FOUR_BAR, "--step", "-1e-3")
        self.error("run", FOUR_BAR, "--duration", "-1")
        self.error("bench", FOUR_BAR, "--seconds", "0")
        self.assertFalse((self.folder / "results").exists())


class BadModel(CliTest):
    def test_bad_models(self):
        bad = ROD.replace("mass: m,", "mass: -1,").replace("rod.A]", "rad.A]")
        path = self.write("bad.yaml", bad)
        for command in ("run", "check"):
            done = self.expect(3, command, path)
            self.assertEqual(done.stdout, "")
            places = re.findall(r"bad\.yaml:(\d+):\d+: error: ", done.stderr)
            self.assertEqual(places, ["8", "10"], done.stderr)
        self.assertFalse((self.folder / "results").exists())

    def test_unreadable(self):
        for path in ("nowhere.yaml", str(self.folder), "/dev/null"):
            done = self.expect(3, "run", path)
            self.assertIn("error:", done.stderr)
            self.assertEqual(done.stdout, "")

    def test_unknown_parameter(self):
        done = self.call("run", self.write("rod.yaml", ROD), "--set", "Q=1")
        self.assertIn(done.returncode, (2, 3))
        self.assertIn("Q", done.stderr)


class Run(CliTest):
    def test_default_folder_and_table(self):
        done = self.expect(0, "run", self.write("rod.yaml", ROD))
        self.assertEqual(sorted(p.name for p in (self.folder / "results/rod").iterdir()),
                         ["report.html", "results.csv", "scene.json", "summary.json"])
        for word in ("steps", "wall time", "real-time factor", "position violation",
                     "velocity violation", "energy error", "results/rod/results.csv",
                     "results/rod/summary.json", "results/rod/report.html"):
            self.assertIn(word, done.stdout)
        self.assertEqual(done.stderr, "")

    def test_nothing_of_an_earlier_run_stays(self):
        """What this run does not write would pass for its own; the user's own files do stay."""
        path, out = self.write("rod.yaml", ROD), self.folder / "out"
        self.expect(0, "run", path, "-o", "out")
        for name in ("results.h5", "mine.txt"):
            (out / name).write_text("old")
        self.expect(0, "run", path, "-o", "out", "--no-report")
        self.assertEqual(sorted(p.name for p in out.iterdir()), ["mine.txt", "results.csv", "scene.json", "summary.json"])
        # nothing but a summary of a run without any row
        fast = self.write("fast.yaml", "trammel: 1\nname: Fast\nspace: planar\nsimulate: {duration: 1}\n"
                          "bodies: {b: {mass: 1, inertia: 1, velocity: [1e160, 0]}}\n")
        done = self.expect(1, "run", fast, "-o", "out", "--no-report")
        self.assertIn("t = 0: 'energy.kinetic' is infinite", done.stderr)
        self.assertEqual(sorted(p.name for p in out.iterdir()), ["mine.txt", "scene.json", "summary.json"])
        (out / "results.h5").mkdir()
        done = self.expect(1, "run", path, "-o", "out")
        self.assertIn("cannot remove 'out/results.h5'", done.stderr)

    def test_summary(self):
        done = self.expect(0, "run", FOUR_BAR, "-o", "a/b/c", "--json", "--duration", "0.5",
                           "--no-report")
        self.assertEqual(done.stdout, (self.folder / "a/b/c/summary.json").read_text())
        summary = json.loads(done.stdout)
        self.assertEqual(list(summary), SUMMARY_KEYS)
        self.assertEqual(summary["status"], "completed")
        self.assertEqual(summary["model"], FOUR_BAR)
        self.assertEqual(summary["space"], "planar")
        self.assertEqual(summary["bodies"], 3)
        self.assertEqual(summary["degrees_of_freedom"], 1)
        self.assertEqual(summary["steps"], 500)
        self.assertAlmostEqual(summary["time_reached"], 0.5, delta=1e-12)
        self.assertGreater(summary["real_time_factor"], 0)

    def test_table_says_what_the_summary_says(self):
        path = self.write("rod.yaml", ROD)
        self.assertNotIn("note", self.expect(0, "run", path).stdout)
        done = self.expect(0, "run", path, "--step", "3e-3")
        self.assertRegex(done.stdout, r"(?m)^  note +the step was reduced to 0.0025 ")

    def test_quiet(self):
        done = self.expect(0, "run", self.write("rod.yaml", ROD), "--quiet", "-oout")
        self.assertEqual(done.stdout + done.stderr, "")
        self.assertTrue((self.folder / "out/results.csv").exists())

    def test_last_option_counts(self):
        path = self.write("rod.yaml", ROD)
        done = self.expect(0, "run", "--step", "5e-3", path, "--step=1e-2", "--integrator", "rk4",
                           "--json", "--step", "2e-3", "-o", "x", "-o", "y", "--integrator=euler",
                           "--allow-doubtful")
        summary = json.loads(done.stdout)
        self.assertEqual(summary["step"], 2e-3)
        self.assertEqual(summary["integrator"], "euler")
        self.assertTrue((self.folder / "y/summary.json").exists())
        self.assertFalse((self.folder / "x").exists())

    def test_set(self):
        path = self.write("rod.yaml", ROD)
        for words, x in (((), 1.0), (("--set", "L=3"), 1.5), (("--set", "L=3", "--set=L=5"), 2.5)):
            self.expect(0, "run", path, "-o", "out", *words)
            rows = self.rows(self.folder / "out/results.csv")
            self.assertEqual(float(rows[1][rows[0].index("rod.x")]), x)

    def test_dashes_end_options(self):
        self.write("-rod.yaml", ROD)
        self.expect(0, "run", "-o", "out", "--", "-rod.yaml")

    def test_csv(self):
        self.expect(0, "run", FOUR_BAR, "-o", "out", "--duration", "1", "--output-step", "0.01")
        text = (self.folder / "out/results.csv").read_text()
        self.assertTrue(text.endswith("\n"))
        self.assertNotIn("\r", text)
        rows = self.rows(self.folder / "out/results.csv")
        header, rows = rows[0], rows[1:]
        self.assertEqual(header[0], "t")
        self.assertEqual(len(header), len(set(header)))
        for name in ("crank.x", "crank.angle", "crank.omega", "crank.alpha", "A.fx", "energy.total",
                     "constraint.position", "constraint.velocity", "spring.force"):
            self.assertIn(name, header)
        self.assertEqual(len(rows), 101)
        self.assertEqual(rows[0][0], "0")
        self.assertAlmostEqual(float(rows[-1][0]), 1, delta=1e-12)
        for k, row in enumerate(rows):
            self.assertEqual(len(row), len(header))
            self.assertAlmostEqual(float(row[0]), 0.01 * k, delta=1e-12)
            for field in row:
                self.assertEqual("%.17g" % float(field), field)

    def test_check(self):
        done = self.expect(0, "check", FOUR_BAR)
        self.assertRegex(done.stdout, r"degrees of freedom +1\n")
        found = json.loads(self.expect(0, "check", FOUR_BAR, "--json").stdout)
        self.assertEqual(found["bodies"], 3)
        self.assertEqual(found["degrees_of_freedom"], 1)
        self.assertEqual(found["redundant_constraints"], 0)
        self.assertEqual(found["redundant_joints"], [])
        self.assertEqual(found["constraints"] - found["redundant_constraints"], found["rank"])
        self.assertEqual(found["joint_constraints"], 3 * found["bodies"] - found["degrees_of_freedom"] + found["redundant_constraints"])
        self.assertEqual(found["generalized_coordinates"] - found["rank"], 1)
        self.assertFalse((self.folder / "results").exists())

    def test_check_of_what_cannot_move(self):
        locked = """trammel: 1
space: planar
ground: {points: {A: [0, 0], B: [1, 0]}}
bodies: {b: {mass: 1, inertia: 1, points: {A: [0, 0], B: [1, 0]}}}
joints:
  a: {type: revolute, connect: [ground.A, b.A]}
  c: {type: %s}
"""
        for joint, moves in (("roller, connect: [ground.B, b.B], axis: y", False), ("driver, of: a, value: t", True)):
            (self.folder / "locked.yaml").write_text(locked % joint)
            done = self.expect(0, "check", "locked.yaml")
            self.assertRegex(done.stdout, r"degrees of freedom +0\n" if moves else r"degrees of freedom +0: nothing can move")

    def test_bench(self):
        path = self.write("rod.yaml", ROD)
        done = self.expect(3, "bench", "nowhere.yaml", path, "--seconds", "0.01", "--json")
        bench = json.loads(done.stdout)
        good = [run for run in bench["runs"] if run["model"] == "rod" and "error" not in run]
        pairs = {(run["coordinates"], run["solver"]) for run in good}
        for pair in (("natural", "udwadia-kalaba"), ("natural", "augmented"),
                     ("angle", "udwadia-kalaba"), ("angle", "augmented")):
            self.assertIn(pair, pairs)
        for run in good:
            self.assertAlmostEqual(run["steps_per_second"] * run["ns_per_step"], 1e9, delta=1)
            self.assertEqual((run["bodies"], run["ns_per_body_and_step"]), (1, run["ns_per_step"]))
            size = {"natural": (6, 5), "angle": (3, 2), "euler-parameters": (4, 3), "cartesian": (4, 3)}
            self.assertEqual((run["generalized_coordinates"], run["constraints"]), size[run["coordinates"]])
            self.assertTrue(1e3 < run["memory_bytes"] < 1e5)
        self.assertTrue(any(run["model"] == "nowhere" and run["error"] for run in bench["runs"]))
        table = self.expect(0, "bench", path, "--seconds=0.01", "--solver", "augmented").stdout
        self.assertRegex(table, r"model +formulation +solver +bodies +coordinates +constraints +steps/s +ns/step "
                                r"+ns/body +real-time +kB")
        self.assertRegex(table, r"rod +natural +augmented +1 +6 +5 +\d+ +(\d+) +\1 ")
        self.assertNotIn("udwadia", table)
        self.expect(3, "bench", "nowhere.yaml")
        failing = self.write("failing.yaml", ROD + "forces: {f: {type: torque, body: rod, value: 1/(0.05 - t)}}\n")
        self.assertIn("force 'f'", self.expect(1, "bench", failing, "--seconds", "0.01").stdout)

    def test_bench_finds_shipped_models(self):
        self.write("rod.yaml", ROD)
        there = {**os.environ, "TRAMMEL_MODELS": str(self.folder)}
        done = self.expect(0, "bench", "--seconds", "0.01", env=there)
        self.assertIn("rod", done.stdout)
        self.assertNotIn("four_bar", done.stdout)
        self.expect(1, "bench", env={**os.environ, "TRAMMEL_MODELS": "/nowhere"})


class Trouble(CliTest):
    def test_folder_cannot_be_made(self):
        path = self.write("rod.yaml", ROD)
        self.write("file", "")
        for folder, culprit in (("file", "file"), ("file/deeper", "file"), ("/proc/a/b", "/proc/a")):
            done = self.expect(1, "run", path, "-o", folder, *ENDLESS)
            self.assertIn(f"cannot create the folder '{culprit}': ", done.stderr)
            self.assertEqual(done.stdout, "")

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_folder_is_read_only(self):
        closed = self.folder / "closed"
        closed.mkdir(mode=0o555)
        done = self.expect(1, "run", self.write("rod.yaml", ROD), "-o", closed, *ENDLESS)
        self.assertIn("Permission denied", done.stderr)

    def test_results_file_is_a_folder(self):
        (self.folder / "out/results.csv").mkdir(parents=True)
        done = self.expect(1, "run", self.write("rod.yaml", ROD), "-o", "out", *ENDLESS)
        self.assertIn("out/results.csv", done.stderr)

    def test_devices_are_not_replaced(self):
        path = self.write("rod.yaml", ROD)
        for name in ("results.csv", "summary.json", "scene.json", "report.html"):
            out = self.folder / name.split(".")[0]
            out.mkdir()
            (out / name).symlink_to("/dev/null")
            done = self.expect(1, "run", path, "-o", out)
            self.assertIn(f"{out / name}': it is not a plain file", done.stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_standard_output(self):
        path = self.write("rod.yaml", ROD)
        for words in (["methods"], ["--help"], ["run", "--help"], ["--version"], ["check", path],
                      ["run", path], ["run", path, "--json"], ["bench", path, "--seconds", "0.01"]):
            with open("/dev/full", "w") as full:
                done = self.expect(1, *words, stdout=full, stderr=subprocess.PIPE,
                                   capture_output=False)
            self.assertIn("standard output: No space left on device", done.stderr)

    def test_broken_pipe(self):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = self.expect(1, "methods", stdout=writer, stderr=subprocess.PIPE,
                               capture_output=False)
        finally:
            os.close(writer)
        self.assertIn("standard output: Broken pipe", done.stderr)


def wait_until_caught(process, number):
    """Waits until the program has its own handler for the signal, so that the run is on."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        status = Path(f"/proc/{process.pid}/status").read_text()
        if int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> (number - 1) & 1:
            return
        time.sleep(0.01)
    raise TimeoutError("the run did not start")


@unittest.skipUnless(os.path.exists("/proc/self/status"), "needs /proc")
class Interrupt(CliTest):
    def start(self, *words, **more):
        def defaults():  # this test itself may run with signals ignored
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
        process = subprocess.Popen([PROGRAM, "run", FOUR_BAR, "-o", "out", *ENDLESS, *words],
                                   cwd=self.folder, preexec_fn=defaults, stdout=subprocess.PIPE,
                                   text=True, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_partial_results_are_kept(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("--json", stderr=subprocess.PIPE)
            wait_until_caught(process, number)
            time.sleep(1)
            process.send_signal(number)
            output, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, -number, errors)
            self.assertIn("interrupted", errors)
            summary = json.loads((self.folder / "out/summary.json").read_text())
            self.assertEqual(json.loads(output), summary)
            self.assertEqual(summary["status"], "interrupted")
            self.assertGreater(summary["steps"], 0)
            self.assertLess(summary["time_reached"], 1e5)
            rows = self.rows(self.folder / "out/results.csv")
            self.assertGreater(len(rows), 2)
            self.assertEqual(float(rows[1][0]), 0)
            self.assertLessEqual(float(rows[-1][0]), summary["time_reached"])

    def test_progress_bar_on_a_terminal_only(self):
        ours, theirs = terminal(self)
        process = self.start(stderr=theirs, env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        wait_until_caught(process, signal.SIGINT)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # how a terminal without writers ends
            pass
        os.close(ours)
        bars = re.findall(rb"\r\[[#-]+\] +\d+ %  t = \S+ +.*? left", shown)
        self.assertTrue(3 <= len(bars) <= 30, shown[-2000:])
        plain = self.expect(0, "run", self.write("rod.yaml", ROD))
        self.assertEqual(plain.stderr, "")

    def test_color_on_a_terminal_only(self):
        for extra, colored in (({}, True), ({"NO_COLOR": "1"}, False)):
            ours, theirs = terminal(self)
            clean = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
            self.expect(3, "check", "nowhere.yaml", stdout=subprocess.DEVNULL, stderr=theirs,
                        capture_output=False, env={**clean, "TERM": "xterm", **extra})
            os.close(theirs)
            self.assertEqual(b"\x1b[" in os.read(ours, 4096), colored)
            os.close(ours)


if __name__ == "__main__":
    unittest.main()
