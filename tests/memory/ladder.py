"""Runs the program with its N-th allocation failing, for many N: each run ends well, or in words and with no half file."""
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
SOURCE = Path(os.environ["TRM_SOURCE_DIR"])
PRELOAD = Path(os.environ["TRM_BUILD_DIR"]) / "tests/failing_malloc.so"
LIMIT = 120
WORDS = ("out of memory", "Cannot allocate memory", "optimum limit")  # a point that failed by it counts as a bad one

MODEL = """trammel: 1
name: Ladder
space: planar
gravity: [0, -9.81]
parameters: {L: 1}
ground: {points: {O: [0, 0]}}
bodies:
  rod$(i): {repeat: {i: [1, 3]}, mass: 1, inertia: 0.1, position: [i - 0.5, 0], points: {A: [-0.5, 0], B: [0.5, 0]}}
joints:
  J0: {type: revolute, connect: [ground.O, rod1.A]}
  J$(i): {repeat: {i: [1, 2]}, type: revolute, connect: [rod$(i).B, rod$(i+1).A]}
forces:
  s: {type: spring-damper, connect: [ground.O, rod3.B], stiffness: "1 + table(t, 'law.csv')", damping: 0.1}
  push: {type: force, point: rod2.B, value: [u, 0]}
inputs: {u: 0}
states: {z: {initial: 0, rate: "rod1.x"}}
events: {low: {when: "rod3.y + 0.5", direction: falling, set: {z: 0}}}
plots: {a: {title: A, y: [rod1.x]}}
metrics: {top: "max(rod1.x)"}
optimize: {vary: {L: [0.5, 2]}, minimize: "final((rod3.B.y + L)^2)", subject-to: ["final(rod3.B.x) >= -9"]}
simulate: {duration: 0.2, step: 1e-2}
"""

DRIVEN = """trammel: 1
name: Driven
space: planar
parameters: {a: 1}
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {A: [-0.5, 0]}}}
joints:
  J: {type: revolute, connect: [ground, rod.A]}
  D: {type: driver, of: J, value: a*sin(3*t)}
simulate: {duration: 0.2, step: 1e-2}
"""

ROBOT = """<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"><visual><geometry><box size="1 1 0.1"/></geometry><material name="grey"/></visual></link>
  <link name="arm">
    <inertial><origin xyz="0 0 0.5"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="0.5"/></inertial>
    <visual><geometry><cylinder radius="0.1" length="1"/></geometry></visual>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="2"/><dynamics damping="0.1"/>
  </joint>
</robot>
"""


def stop_half_way(folder):
    """A run whose table may not grow to its end; `resume` goes on from its checkpoint."""
    limit = 60000
    done = subprocess.run([PROGRAM, "run", "m.yaml", "-o", "stopped", "--checkpoint", "0", "--duration", "1", "--no-report", "--quiet"],
                          cwd=folder, capture_output=True, text=True, timeout=LIMIT,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert done.returncode == 1 and "File too large" in done.stderr, done.stderr
    assert list((folder / "stopped/checkpoint").glob("[01]")), "there is no checkpoint"


def commands(folder):
    """name, words; DIR is the folder that a run may write to."""
    (folder / "m.yaml").write_text(MODEL)
    (folder / "bad.yaml").write_text(MODEL.replace("mass: 1", "mass: -1").replace("rod3.B]", "rod9.B]"))
    (folder / "law.csv").write_text("t,k\n0,1\n0.5,2\n3,4\n")
    (folder / "driven.yaml").write_text(DRIVEN)
    (folder / "arm.urdf").write_text(ROBOT)
    shutil.copy(SOURCE / "tests/fuzz/corpus/robot/tendons.xml", folder)
    shutil.rmtree(folder / "stopped", ignore_errors=True)
    stop_half_way(folder)
    for run in ("a", "b"):
        subprocess.run([PROGRAM, "run", "m.yaml", "-o", run, "--quiet"], cwd=folder, check=True, timeout=LIMIT)
    yield "check", ("check", "m.yaml")
    yield "bad", ("check", "bad.yaml")
    yield "run", ("run", "m.yaml", "-o", "DIR")
    yield "implicit", ("run", "m.yaml", "-o", "DIR", "--no-report", "--integrator", "bdf", "--linear", "sparse")
    yield "film", ("film", "a", "-o", "DIR/a.svg", "--fps", "5")
    yield "solid", ("film", "a", "-o", "DIR/a.glb")
    yield "plot", ("plot", "a", "rod1.x", "energy", "-o", "DIR/a.svg")
    yield "compare", ("compare", "a", "b", "--page", "DIR/page.html")
    yield "json", ("compare", "a", "b", "--json")
    yield "tire", ("tire", SOURCE / "models/vehicle/sedan.tir", "-o", "DIR")
    yield "methods", ("methods",)
    yield "resume", ("resume", "DIR/stopped", "--quiet")
    yield "sweep", ("sweep", "m.yaml", "--vary", "L=1:2:2", "--record", "max(rod1.x)", "--threads", "1", "-o", "DIR")
    yield "equilibrium", ("equilibrium", "m.yaml", "-o", "DIR")
    yield "modes", ("modes", "m.yaml", "--at", "equilibrium", "-o", "DIR")
    yield "linearize", ("linearize", "m.yaml", "--inputs", "u", "--outputs", "rod1.x", "-o", "DIR")
    yield "response", ("response", "m.yaml", "--from-input", "u", "--to-output", "rod1.x", "--points", "3", "-o", "DIR")
    yield "inverse", ("inverse", "driven.yaml", "-o", "DIR")
    yield "forward", ("sensitivity", "m.yaml", "--of", "rod1.x", "--wrt", "L", "--method", "forward", "-o", "DIR")
    yield "adjoint", ("sensitivity", "driven.yaml", "--of", "rod.x", "--integral", "rod.x^2", "--wrt", "a", "--method", "adjoint", "-o", "DIR")
    yield "optimize", ("optimize", "m.yaml", "--evaluations", "3", "--no-report", "-o", "DIR")
    yield "accuracy", ("accuracy", "m.yaml", "--steps", "1e-2,5e-3", "--methods", "rk4", "--threads", "1", "-o", "DIR")
    yield "compared", ("compare", "--methods", "driven.yaml", "--threads", "1")
    yield "fmu", ("fmu", "m.yaml", "-o", "DIR/m.fmu")
    yield "import", ("import", "arm.urdf", "-o", "DIR/arm.yaml")
    yield "mjcf", ("import", "tendons.xml", "-o", "DIR/tendons.yaml")
    yield "models", ("models", "four_bar", "-o", "DIR")
    yield "new", ("new", "DIR/new.yaml")
    yield "bench", ("bench", "m.yaml", "--seconds", "0.001")


def whole(path):
    """Whether a file that was left is complete."""
    if path.suffix == ".json":
        json.loads(path.read_text())
    elif path.suffix == ".html":
        assert path.read_text().rstrip().endswith("</html>"), path
    elif path.suffix == ".svg":
        assert path.read_text().rstrip().endswith("</svg>"), path
    elif path.suffix == ".fmu":
        assert zipfile.ZipFile(path).testzip() is None, path
    elif path.suffix == ".yaml":
        assert path.read_text().endswith("\n"), path
    elif path.suffix == ".csv":
        text = path.read_text()
        assert text.endswith("\n") and len({line.count(",") for line in text.splitlines()}) == 1, path


class Ladder:
    def __init__(self, folder):
        self.folder = folder
        self.failures = []
        self.count = 0

    def empty(self, out, words):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        if words[0] == "resume":
            shutil.copytree(self.folder / "stopped", out / "stopped")

    def once(self, words, at, on):
        out = self.folder / "out"
        self.empty(out, words)
        environment = {**os.environ, "LD_PRELOAD": str(PRELOAD), "FAIL_AT": str(at), "COUNT_INTO": str(self.folder / "count"),
                       **({"FAIL_ON": "1"} if on else {})}
        words = [str(word).replace("DIR", str(out)) for word in words]
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=LIMIT)
        self.count += 1
        return done, out

    def limited(self, words, megabytes):
        """The whole program, libraries included, with so much address space."""
        out = self.folder / "out"
        self.empty(out, words)
        limit = int(megabytes * 2**20)
        words = [str(word).replace("DIR", str(out)) for word in words]
        self.count += 1
        return subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=LIMIT,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    def squeeze(self, steps):
        """Less and less address space, until the libraries cannot even be loaded."""
        for name, words in commands(self.folder):
            if name not in ("run", "implicit", "film", "compare"):
                continue
            low, high = 1, 4096
            while high - low > 0.25:  # the least that does
                middle = (low + high) / 2
                low, high = (low, middle) if self.limited(words, middle).returncode == 0 else (middle, high)
            for k in range(steps):
                megabytes = high - (k + 1) * 6 / steps
                done = self.limited(words, megabytes)
                # libraries may crash while they are loaded, before the program begins
                loaded = (done.returncode != 127 and not any(word in done.stdout + done.stderr for word in ("OpenBLAS", "GnuTLS"))
                          and (done.returncode >= 0 or self.limited(["--version"], megabytes).returncode == 0))
                if loaded and done.returncode != 0 and not (0 < done.returncode < 4 and "emory" in done.stderr):
                    self.failures.append(f"{name} in {megabytes:.3f} MB: status {done.returncode}, {done.stderr!r}")
            print(f"{name}: at least {high:.1f} MB", flush=True)

    def judge(self, name, words, at, on, good):
        done, out = self.once(words, at, on)
        try:
            if done.returncode == 0:
                assert good == 0, "it ends well in spite of its input"
            else:
                assert 0 < done.returncode < 4, f"status {done.returncode}"
                assert any(word in done.stdout + done.stderr for word in WORDS) or (good != 0 and done.stderr), f"no word: {done.stderr!r}"
            assert "needs fewer rows" not in done.stderr or "completed" not in done.stdout, "completed without a row"
            for path in out.rglob("*"):
                if path.is_file() and not path.name.endswith(".part"):
                    whole(path)
        except (AssertionError, ValueError) as problem:
            self.failures.append(f"{name}, allocation {at}{' and all after it' if on else ''}: {problem}")

    def climb(self, most, only=()):
        """`most` rungs of each command, all of them where it is None."""
        drawn = random.Random(5)
        for name, words in commands(self.folder):
            if only and name not in only:
                continue
            done, _ = self.once(words, 0, False)
            good = done.returncode
            total = int((self.folder / "count").read_text())
            rungs = range(1, total + 1)
            if most and total > most:
                rungs = sorted(drawn.sample(rungs, most))
            for at in rungs:
                for on in (False, True):
                    self.judge(name, words, at, on, good)
            print(f"{name}: {total} allocations, {len(rungs)} rungs", flush=True)


def main(most, *only):
    if os.environ.get("TRM_SANITIZED") or not PRELOAD.exists():
        sys.exit(77)  # the sanitizers have an allocator of their own
    with tempfile.TemporaryDirectory() as folder:
        ladder = Ladder(Path(folder))
        ladder.climb(most, only)
        ladder.squeeze(most or 200)
    for failure in ladder.failures[:60]:
        print(failure)
    print(f"{ladder.count} runs, {len(ladder.failures)} failures")
    sys.exit(1 if ladder.failures else 0)
