"""trammel sweep: records against analysis, the same bytes whatever happens, refusals, indices."""
import csv
import json
import math
import os
import pty
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = Path(os.environ["TRAMMEL"])
MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"
OSCILLATOR = """\
trammel: 1
name: Oscillator
system:
  coordinates: {x: a}
  mass: {x: 1}
  forces: {x: -w^2*x}
parameters: {a: 1, w: 2, unused: w/2}
simulate: {duration: 3}
"""
# a mass of -1 cannot be
PENDULUM = """\
trammel: 1
name: Pendulum
space: planar
gravity: [0, -9.81]
parameters: {m: 1, l: 1}
bodies: {rod: {mass: m, inertia: m*l^2/12, position: [l/2, 0], points: {O: [-l/2, 0], tip: [l/2, 0]}}}
joints: {J: {type: revolute, connect: [ground, rod.O]}}
simulate: {duration: 1}
"""
ISHIGAMI = """\
trammel: 1
name: Ishigami
system:
  coordinates: {y: "sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)"}
  mass: {y: 1}
parameters: {x1: 0, x2: 0, x3: 0}
simulate: {duration: 0.1, integrator: rk4, step: 0.1}
"""


class SweepTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def model(self, text):
        path = self.folder / "model.yaml"
        path.write_text(text)
        return path

    def run_program(self, *words, status=0, **options):
        done = subprocess.run([PROGRAM, "sweep", *map(str, words)], capture_output=True, text=True, timeout=250,
                              cwd=self.folder, **options)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}{done.stderr}")
        return done

    def sweep(self, model, *words, out="out", status=0):
        self.run_program(model, *words, "-o", out, "--no-report", status=status)
        return self.rows(out)

    def rows(self, out="out"):
        with open(self.folder / out / "sweep.csv", newline="") as file:
            return list(csv.DictReader(file))

    def bytes(self, out):
        return [(self.folder / out / name).read_bytes() for name in ("sweep.csv", "sweep.h5")
                if (self.folder / out / name).exists()]


class Records(SweepTest):
    def test_against_analysis(self):
        """x = a cos wt: extremes at the steps, integrals with the motion."""
        formulas = ["integral(x)", "mean(x^2)", "rms(x)", "final(x)", "max(x')", "time_of_max(x')", "range(x)",
                    "final(x)/a + unused", "initial(x)", "n=integral(abs(x))"]
        words = [word for formula in formulas for word in ("--record", formula)]
        model = self.model(OSCILLATOR)
        # fixed steps of 1e-3 meet the bends of abs(x) within a step
        for method, off, bend in (("auto", 1e-8, 1e-8), ("dop853", 1e-5, 1e-5), ("radau5", 1e-4, 1e-4),
                                  ("bdf", 1e-3, 1e-3), ("rk4", 1e-9, 1e-6), ("ab6", 1e-9, 1e-6),
                                  ("trapezoidal", 1e-4, 1e-4)):
            rows = self.sweep(model, "--vary", "a=1:2:2", "--vary", "w=1.5:2.5:3", *words, "--integrator", method,
                              out=method)
            self.assertEqual([int(row["run"]) for row in rows], [1, 2, 3, 4, 5, 6])
            for row in rows:
                a, w, T = float(row["a"]), float(row["w"]), 3
                square = a**2 * (0.5 + math.sin(2 * w * T) / (4 * w * T))
                quarters = 2 * w * T / math.pi
                self.assertEqual(row["status"], "completed")
                for name, value, tolerance in (
                        ("integral(x)", a * math.sin(w * T) / w, off), ("mean(x^2)", square, off),
                        ("rms(x)", math.sqrt(square), off), ("final(x)", a * math.cos(w * T), off),
                        ("final(x)/a + unused", math.cos(w * T) + w / 2, off), ("initial(x)", a, 1e-15),
                        ("n", self.absolute(a, w, T), 3 * bend)):
                    self.assertLessEqual(abs(float(row[name]) - value), tolerance * max(1, a), f"{method} {name}")
                self.assertGreater(quarters, 2)
                # the extremes at accepted steps are those of the motion but for a step
                self.assertLessEqual(abs(float(row["time_of_max(x')"]) - 1.5 * math.pi / w), 0.5)
                self.assertLessEqual(float(row["max(x')"]), a * w * (1 + 1e-3))

    def absolute(self, a, w, T):
        whole = math.floor(w * T / math.pi + 0.5)  # zeros of the cosine
        sign = 1 if whole % 2 == 0 else -1
        return a / w * (2 * whole + sign * math.sin(w * T))

    def test_settings_by_parameters(self):
        """A duration that hangs on a varied parameter, unless an option says otherwise."""
        model = self.model(OSCILLATOR.replace("duration: 3", "duration: 3*a"))
        rows = self.sweep(model, "--vary", "a=1:2:2", "--record", "final(t)")
        self.assertEqual([float(row["final(t)"]) for row in rows], [3, 6])
        rows = self.sweep(model, "--vary", "a=1:2:2", "--record", "final(t)", "--duration", 3, out="three")
        self.assertEqual([float(row["final(t)"]) for row in rows], [3, 3])

    def test_events(self):
        """z jumps from t to 0 at t = 1: a saw tooth."""
        model = self.model("""\
trammel: 1
name: Saw
space: planar
parameters: {r: 1}
bodies: {b: {mass: 1, inertia: 1}}
states: {z: {initial: 0, rate: r}}
events: {back: {when: z - 1, direction: rising, set: {z: 0}}}
simulate: {duration: 2.5}
""")
        for method in ("dop853", "rk4"):
            row, = self.sweep(model, "--vary", "r=1:1:1", "--record", "integral(z)", "--record", "max(z)", "--record",
                              "final(z)", "--integrator", method, out=method)
            self.assertAlmostEqual(float(row["integral(z)"]), 1.125, delta=1e-9)
            self.assertAlmostEqual(float(row["max(z)"]), 1, delta=1e-9)
            self.assertAlmostEqual(float(row["final(z)"]), 0.5, delta=1e-9)

    def test_metrics_and_reactions(self):
        """The rod at rest in a vertical position: its pin carries its weight."""
        model = self.model(PENDULUM.replace("simulate:", "initial: {J.angle: -pi/2}\nmetrics: {fall: 'at(rod.tip.y, 0.5)'}\nsimulate:"))
        rows = self.sweep(model, "--vary", "m=discrete(1, 4)", "--record", "max(J.f)", "--record", "mean(J.fy)", "--record", "2*fall")
        for row in rows:
            self.assertAlmostEqual(float(row["max(J.f)"]), 9.81 * float(row["m"]), delta=1e-9)
            self.assertAlmostEqual(float(row["mean(J.fy)"]), 9.81 * float(row["m"]), delta=1e-9)
            self.assertAlmostEqual(float(row["2*fall"]), -2, delta=1e-9)

    def test_table_and_hdf5(self):
        (self.folder / "runs.csv").write_text("w,a\n1,0.5\n2,1.5\n")
        rows = self.sweep(self.model(OSCILLATOR), "--table", "runs.csv", "--record", "max(x)/1", "--limit", "max(x) < 1")
        self.assertEqual([(float(row["w"]), float(row["a"]), float(row["max(x)/1"])) for row in rows],
                         [(1, 0.5, 0.5), (2, 1.5, 1.5)])
        said = json.loads((self.folder / "out/sweep.json").read_text())
        self.assertEqual(said["limits"][0]["share"], 0.5)
        try:
            import h5py
        except ImportError:
            return
        if (self.folder / "out/sweep.h5").exists():
            with h5py.File(self.folder / "out/sweep.h5") as file:
                names = [name.decode() if isinstance(name, bytes) else name for name in file.attrs["columns"]]
                self.assertEqual(names, [name.replace("/", "\u2215") for name in rows[0]])
                self.assertEqual(list(file["run"]), [1, 2])
                self.assertEqual(list(file["max(x)\u22151"]), [0.5, 1.5])
                self.assertEqual(list(file["status"]), [b"completed"] * 2)


class Same(SweepTest):
    STUDY = ("--vary", "m=normal(1, 0.7)", "--vary", "l=uniform(0.5, 2)", "--design", "lhs", "--samples", "400", "--seed",
             "7", "--record", "min(rod.tip.y)", "--record", "rms(rod.omega)", "--limit", "max(J.f) < 30")

    def test_threads_parts_and_kills(self):
        model = self.model(PENDULUM)
        rows = self.sweep(model, *self.STUDY, "--threads", 1, out="one")
        self.assertEqual(len(rows), 400)
        failed = [row for row in rows if row["status"] != "completed"]
        for row in rows:
            self.assertEqual(row["status"] == "failed", float(row["m"]) <= 0, row)
        self.assertTrue(5 < len(failed) < 100)
        self.assertIn("mass", failed[0]["message"])
        self.assertTrue(all(math.isnan(float(row["rms(rod.omega)"])) for row in failed))
        self.sweep(model, *self.STUDY, "--threads", 4, out="four")
        self.assertEqual(self.bytes("one"), self.bytes("four"))
        for part in (3, 1, 2):
            self.run_program(model, *self.STUDY, "--part", f"{part}/3", "-o", "parts", "--no-report")
        self.run_program(model, *self.STUDY, "--merge", "-o", "parts", "--no-report")
        self.assertEqual(self.bytes("one"), self.bytes("parts"))
        for part in (1, 2):
            self.run_program(model, *self.STUDY, "--part", f"{part}/2", "-o", f"far{part}", "--no-report")
        self.run_program(model, "far2", *self.STUDY, "--merge", "-o", "far1", "--no-report")
        self.assertEqual(self.bytes("one"), self.bytes("far1"))
        self.kill(model, "killed", 3)
        self.assertEqual(self.bytes("one"), self.bytes("killed"))

    def kill(self, model, out, times):
        command = [PROGRAM, "sweep", model, *self.STUDY, "--threads", "2", "-o", out, "--no-report"]
        kept, killed = 0, 0
        for _ in range(times):
            run = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            end = time.monotonic() + 60
            while time.monotonic() < end and run.poll() is None and self.kept(out) < kept + 30:
                time.sleep(0.001)
            run.send_signal(signal.SIGKILL)
            killed += run.wait() == -signal.SIGKILL
            self.assertGreaterEqual(self.kept(out), kept)  # nothing is done twice or lost
            kept = self.kept(out)
        self.assertGreater(killed, 0)
        # a record that was cut short
        log = max((self.folder / out / "runs").glob("*.log"), key=lambda path: path.stat().st_size)
        log.write_bytes(log.read_bytes()[:-11])
        self.run_program(model, *self.STUDY, "-o", out, "--no-report")
        self.assertEqual(sorted(self.kept_runs(out)), list(range(400)))  # each was done once

    def kept_runs(self, out):
        """From the logs: run, bytes of text, three values, text, checksum."""
        for path in (self.folder / out / "runs").glob("*.log"):
            log, at = path.read_bytes(), 24
            while at + 48 <= len(log):
                run, text = struct.unpack_from("=QQ", log, at)
                at += 16 + 24 + text + 8
                if at <= len(log):
                    yield run

    def kept(self, out):
        return sum(max(0, path.stat().st_size - 24) // 100 for path in (self.folder / out / "runs").glob("*.log"))

    def test_fails_on_the_way(self):
        """The root has no value from t = a on: no numbers of a part of the run."""
        model = self.model(OSCILLATOR.replace("forces: {x: -w^2*x}", "forces: {x: sqrt(a - t)}"))
        rows = self.sweep(model, "--vary", "a=discrete(1, 4)", "--record", "max(x)", "--limit", "max(x) > 0")
        self.assertEqual([row["status"] for row in rows], ["failed", "completed"])
        self.assertIn("t = ", rows[0]["message"])
        self.assertTrue(math.isnan(float(rows[0]["max(x)"])) and float(rows[1]["max(x)"]) > 4)
        said = json.loads((self.folder / "out/sweep.json").read_text())
        self.assertEqual((said["completed"], said["limits"][0]["passed"], said["records"]["max(x)"]["count"]), (1, 1, 1))

    def test_started_by_mpirun_without_it(self):
        """The plain program alone: says what to do, and does not do the study once a rank."""
        alone = self.folder / "alone"
        shutil.copy(PROGRAM, alone)
        environment = dict(os.environ, OMPI_COMM_WORLD_SIZE="2")
        done = subprocess.run([alone, "sweep", self.model(PENDULUM), "--vary", "m=1:2:2", "-o", "out"], cwd=self.folder,
                              capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 2)
        self.assertIn("trammel-mpi", done.stderr)

    def test_stopped(self):
        """Ctrl-C keeps the runs, and says how many."""
        model = self.model(PENDULUM.replace("duration: 1", "duration: 200"))
        command = [PROGRAM, "sweep", model, *self.STUDY, "-o", "out", "--no-report"]
        run = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while self.kept("out") < 2 and run.poll() is None:
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        _, error = run.communicate(timeout=60)
        self.assertEqual(run.returncode, -signal.SIGINT, error)
        self.assertIn("of 400 runs are kept", error)
        self.assertTrue(2 <= len(self.rows()) < 400)

    def test_progress(self):
        """On a terminal: how many, how fast, how long still."""
        try:
            ours, theirs = pty.openpty()
        except OSError as error:
            self.skipTest(str(error))
        model = self.model(PENDULUM.replace("duration: 1", "duration: 20"))
        run = subprocess.Popen([PROGRAM, "sweep", model, *self.STUDY, "-o", "out", "--no-report"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=theirs, env=dict(os.environ, TERM="xterm"))
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(run.wait(timeout=200), 0)
        self.assertRegex(shown.decode(), r"\d+ %  \d+ of 400, [\d.]+ a second, .*left")

    def test_full_disk(self):
        model = self.model(PENDULUM)
        limit = 4096

        def narrow():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        done = self.run_program(model, *self.STUDY, "--threads", 2, "-o", "full", "--no-report", status=1,
                                preexec_fn=narrow, restore_signals=False)
        self.assertIn("could not be kept", done.stderr)
        self.sweep(model, *self.STUDY, out="full")
        self.sweep(model, *self.STUDY, out="one")
        self.assertEqual(self.bytes("one"), self.bytes("full"))

    def test_ranks(self):
        mpirun = shutil.which("mpirun")
        if not mpirun or not PROGRAM.with_name("trammel-mpi").exists():
            self.skipTest("no MPI here")
        model = self.model(PENDULUM)
        self.sweep(model, *self.STUDY, out="one")
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_rmaps_base_oversubscribe="1", ASAN_OPTIONS="detect_leaks=0")  # MPI's own
        done = subprocess.run([mpirun, "-n", "3", PROGRAM, "sweep", model, *self.STUDY, "-o", "ranks", "--no-report"],
                              cwd=self.folder, capture_output=True, text=True, timeout=200, env=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.bytes("one"), self.bytes("ranks"))
        self.assertGreater(len(list((self.folder / "ranks/runs").glob("*.log"))), 1)


class Refusals(SweepTest):
    def test_another_study(self):
        model = self.model(PENDULUM)
        study = ("--vary", "m=1:2:2", "--record", "max(rod.x)")
        self.sweep(model, *study)
        self.sweep(model, *study)  # the same: nothing to do
        for other in (("--vary", "m=1:3:2", "--record", "max(rod.x)"), ("--vary", "m=1:2:2", "--record", "min(rod.x)"),
                      (*study, "--rtol", "1e-5"), (*study, "--set", "l=2"),
                      ("--vary", "m=1:2:2", "--record", "a=max(rod.x)")):
            done = self.run_program(model, *other, "-o", "out", status=1)
            self.assertIn("holds another study", done.stderr)
        # a table that the model names
        (self.folder / "torque.csv").write_text("t,T\n0,0\n1,0\n2,0\n")
        driven = self.folder / "driven.yaml"
        driven.write_text(PENDULUM + "forces: {motor: {type: actuator, of: J, value: 'table(t, \"torque.csv\")'}}\n")
        self.sweep(driven, *study, out="driven")
        (self.folder / "torque.csv").write_text("t,T\n0,0\n1,0\n2,1\n")
        self.assertIn("another model", self.run_program(driven, *study, "-o", "driven", status=1).stderr)
        self.model(PENDULUM.replace("9.81", "9.8"))
        self.assertIn("another model", self.run_program(model, *study, "-o", "out", status=1).stderr)

    def test_usage(self):
        model = self.model(PENDULUM)
        (self.folder / "runs.csv").write_text("m\n1\n2\n")
        for words, said in ((("--record", "max(rod.x)"), "nothing is varied"),
                            (("--vary", "mm=1:2:3"), "--vary mm: the model has no parameter 'mm'"),
                            (("--vary", "m=1:2:3", "--vary", "m=1:2:3"), "varied twice"),
                            (("--vary", "m=1:2:3", "--record", "rod.x"), "changes over the run"),
                            (("--vary", "m=1:2:3", "--record", "max(rood.x)"), "rood.x"),
                            (("--vary", "m=1:2:3", "--record", "at(rod.x, 1)"), "metrics"),
                            (("--vary", "m=1:2:3", "--record", "rms(rod.x - mean(rod.x))"), "metrics"),
                            (("--vary", "m=normal(1,2)", "--design", "grid"), "distribution"),
                            (("--vary", "m=normal(1,2)", "--design", "sobal"), "unknown design"),
                            (("--vary", "m=normal(1,2)", "--samples", "0"), "--samples"),
                            (("--vary", "m=1:2:3", "--samples", "5"), "--samples does not go with a grid"),
                            (("--table", "runs.csv", "--samples", "5"), "--samples does not go with --table"),
                            (("--vary", "m=1:2:3", "--limit", "max(rod.x)"), "'max(rod.x)' is no condition"),
                            (("--vary", "m=1:2:3", "--limit", "max(rod.x) - 1"), "is no condition"),
                            (("--vary", "m=normal(1,2)", "--part", "3/2"), "--part"),
                            (("--vary", "m=normal(1,2)", "--seed", "-1"), "--seed"),
                            (("--vary", "m=normal(1,2)", "elsewhere"), "too many"),
                            (("--table", "none.csv"), "none.csv"),
                            (("--vary", "m=normal(1,2)", "--threads", "0"), "--threads")):
            done = self.run_program(model, *words, "-o", "out", status=2)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stdout, "")
        self.run_program("none.yaml", "--vary", "m=1:2:3", status=3)


class Statements(SweepTest):
    def test_ishigami(self):
        """f = sin x1 + a sin² x2 + b x3⁴ sin x1, a = 7, b = 0.1: the indices are known."""
        self.sweep(self.model(ISHIGAMI), *(f"--vary=x{k}=uniform(-pi, pi)" for k in (1, 2, 3)), "--design", "saltelli",
                   "--samples", "2048", "--record", "final(y)")
        a, b, pi = 7, 0.1, math.pi
        variance = a**2 / 8 + b * pi**4 / 5 + b**2 * pi**8 / 18 + 0.5
        v1, v2, v13 = 0.5 * (1 + b * pi**4 / 5)**2, a**2 / 8, b**2 * pi**8 * (1 / 18 - 1 / 50)
        said = json.loads((self.folder / "out/sweep.json").read_text())
        self.assertEqual(said["runs"], 2048 * 5)
        mean = said["records"]["final(y)"]
        self.assertLessEqual(abs(mean["mean"] - a / 2), 0.02)
        self.assertTrue(mean["mean_confidence"][0] < a / 2 < mean["mean_confidence"][1])
        self.assertTrue(mean["sd_confidence"][0] < math.sqrt(variance) < mean["sd_confidence"][1])
        known = {"x1": (v1, v1 + v13), "x2": (v2, v2), "x3": (0, v13)}
        for name, (first, total) in known.items():
            index = said["sobol"]["final(y)"][name]
            for key, value in (("first", first / variance), ("total", total / variance)):
                low, high = index[key + "_confidence"]
                self.assertTrue(low <= value <= high, f"{name} {key}: {value} not in {low} .. {high}")
                self.assertTrue(high - low < 0.15)
                self.assertTrue(low <= index[key] <= high)

    def test_shares_and_correlation(self):
        """a is normal: P(a < 1) = Φ(1) with mean 0.5 and sd 0.5; x starts at a."""
        self.sweep(self.model(OSCILLATOR), "--vary", "a=normal(0.5, 0.5)", "--vary", "w=uniform(1, 2)", "--samples", "4000",
                   "--record", "initial(x)", "--limit", "initial(x) < 1", "--integrator", "rk4", "--step", "0.5")
        said = json.loads((self.folder / "out/sweep.json").read_text())
        share = said["limits"][0]
        low, high = share["confidence"]
        self.assertTrue(low < 0.8413447 < high and high - low < 0.03)
        # Wilson's formula written out
        n, p, z = 4000, share["share"], 1.9599639845
        root = z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
        self.assertAlmostEqual(low, (p + z * z / 2 / n - root) / (1 + z * z / n), delta=1e-9)
        self.assertAlmostEqual(said["correlation"]["initial(x)"]["a"]["value"], 1, delta=1e-12)
        self.assertLess(abs(said["correlation"]["initial(x)"]["w"]["value"]), 5 / math.sqrt(4000))


class Memory(SweepTest):
    RECORDS = 40

    def peak(self, model, samples):
        records = [word for k in range(self.RECORDS) for word in ("--record", f"r{k}=final(y) + {k}")]
        words = [PROGRAM, "sweep", model, "--vary", "x1=uniform(0, 1)", "--samples", str(samples), *records, "--threads",
                 "2", "-o", f"out{samples}", "--no-report", "--quiet"]
        # the address sanitizer keeps what was freed
        options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
        process = subprocess.Popen(words, cwd=self.folder, env=dict(os.environ, ASAN_OPTIONS=options))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        self.assertEqual(status, 0)
        return usage.ru_maxrss  # kB

    def test_memory_does_not_grow(self):
        """30 000 rows more would be 11 MB if they were kept."""
        model = self.model(ISHIGAMI)
        few, many = self.peak(model, 10000), self.peak(model, 40000)
        self.assertLess(many - few, 5000)


if __name__ == "__main__":
    unittest.main()
