"""Runs that are killed at random moments and resumed, compared with one that was left alone."""
import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"

# a controller, events that set states and change forces, counted turns, work
EVENTS = """trammel: 1
name: Events
space: planar
gravity: [0, -9.81]
bodies:
  bob: {mass: 1, inertia: 0, position: [1, 0]}
  wheel: {mass: 1, inertia: 0.1, angular-velocity: 9}
joints:
  rod: {type: distance, connect: [ground, bob]}
  hub: {type: revolute, connect: [ground, wheel]}
states:
  z: {initial: 0, rate: 7 + bob.x}
  gear: {initial: 1}
  sum: {initial: 0, rate: gear}
events:
  tick: {when: z - 0.2, direction: rising, set: {z: 0, gear: -gear, sum: sum + z}}
  below: {when: bob.x, set: {gear: gear/2 + sin(tick.count)}}
forces:
  F: {type: force, point: bob, value: [gear*(1 + sin(tick.count)), 0]}
  brake: {type: actuator, of: hub, value: -0.02*hub.rate*gear}
metrics:
  most: max(abs(bob.vx))
  swing: integral(bob.x^2)
simulate: {duration: 3, step: 1e-3, output-step: 5e-3}
"""

# a tree of joints, with a state that pushes it and an event that turns the push
ARM = """trammel: 1
name: Arm
space: spatial
gravity: [0, 0, -9.81]
bodies:
  upper: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 0], points: {A: [-0.5, 0, 0], B: [0.5, 0, 0]}}
  lower: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [1.5, 0, 0], points: {A: [-0.5, 0, 0]}}
joints:
  A: {type: revolute, connect: [ground, upper.A], axis: [0, 1, 0.3]}
  B: {type: spherical, connect: [upper.B, lower.A]}
states: {way: {initial: 1}, turns: {initial: 0, rate: A.rate}}
events: {low: {when: A.angle - 0.5, set: {way: -way}}}
forces: {motor: {type: actuator, of: A, value: 0.3*way - 0.1*A.rate}}
simulate: {duration: 5, output-step: 1e-2}
"""

# what the clock says is another thing each time
CLOCK = ("wall_seconds", "cpu_seconds", "real_time_factor", "estimate_seconds")


def command(model, folder, words):
    return [PROGRAM, "run", str(model), "-o", str(folder), "--quiet", *map(str, words)]


def contents(folder):
    """The results, the summary without its times, and the scene."""
    table = folder / "results.h5" if (folder / "results.h5").exists() else folder / "results.csv"
    summary = {key: value for key, value in json.loads((folder / "summary.json").read_text()).items() if key not in CLOCK}
    return table.read_bytes(), summary, (folder / "scene.json").read_bytes()


class Ladder:
    """One model and method, run once without a break."""

    def __init__(self, scratch, name, model, words, format="csv"):
        self.scratch, self.name, self.model = Path(scratch), name, model
        self.words = [*words, "--format", format]
        whole = self.scratch / f"{name} whole"
        began = time.monotonic()
        subprocess.run(command(model, whole, self.words), check=True, timeout=300)
        self.seconds = time.monotonic() - began
        self.expected = contents(whole)

    def climb(self, kills, seed):
        """The run, killed so many times at random moments of its way, checkpoints as dense as can be."""
        draw = random.Random(seed)
        folder = self.scratch / f"{self.name} {seed}"
        start = command(self.model, folder, [*self.words, "--checkpoint", "0.01"])
        again = [PROGRAM, "resume", str(folder), "--quiet"]
        killed = 0
        for k in range(kills):
            process = subprocess.Popen(again if (folder / "checkpoint/command").exists() else start, stderr=subprocess.PIPE)
            time.sleep(draw.uniform(0, 0.7 * self.seconds))
            process.kill()
            error = process.communicate()[1].decode()
            killed += process.returncode == -signal.SIGKILL
            assert process.returncode in (0, -signal.SIGKILL), f"{self.name}, seed {seed}: {error}"
        if (folder / "checkpoint/command").exists() or not (folder / "summary.json").exists():
            last = again if (folder / "checkpoint/command").exists() else start
            done = subprocess.run(last, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, f"{self.name}, seed {seed}: {done.stderr}"
        self.compare(folder, seed)
        left = sorted(path.name for path in folder.iterdir())
        assert not [name for name in left if name.endswith((".part", ".new")) or name in ("checkpoint", ".lock")], left
        shutil.rmtree(folder)
        return killed

    def compare(self, folder, seed):
        for what, found, expected in zip(("results", "summary", "scene"), contents(folder), self.expected):
            if found != expected and what == "summary":
                found = {key: value for key, value in found.items() if value != expected.get(key)}
                expected = {key: expected.get(key) for key in found}
            assert found == expected, f"{self.name}, seed {seed}: another {what}: " + \
                (f"{found}, expected {expected}" if what == "summary" else f"{len(found)} bytes, expected {len(expected)}")


def ladders(scratch, scale):
    """Fixed and variable steps, multistep, implicit, a method that changes; events, states; relative coordinates."""
    events = Path(scratch) / "events.yaml"
    events.write_text(EVENTS)
    four_bar = MODELS / "four_bar.yaml"
    yield Ladder(scratch, "events rk4", events, ["--integrator", "rk4", "--duration", 20 * scale])
    yield Ladder(scratch, "events dop853", events, ["--integrator", "dop853", "--duration", 10 * scale])
    yield Ladder(scratch, "events radau5", events, ["--integrator", "radau5", "--duration", 10 * scale])
    yield Ladder(scratch, "events ab4", events, ["--integrator", "ab4", "--duration", 20 * scale], "hdf5")
    yield Ladder(scratch, "four-bar auto", four_bar, ["--duration", 60 * scale])
    yield Ladder(scratch, "four-bar generalized-alpha", four_bar,
                 ["--integrator", "generalized-alpha", "--stepping", "fixed", "--duration", 10 * scale])
    yield Ladder(scratch, "bricard dopri5", MODELS / "bricard.yaml", ["--integrator", "dopri5", "--duration", 10 * scale], "hdf5")
    arm = Path(scratch) / "arm.yaml"
    arm.write_text(ARM)
    yield Ladder(scratch, "arm relative", arm,  # chaotic: with the default tolerance it is doubtful from 20 s on
                 ["--coordinates", "relative", "--integrator", "dop853", "--rtol", 1e-11, "--atol", 1e-14, "--duration", 20 * scale])
    yield Ladder(scratch, "governor", MODELS / "flyball_governor.yaml", [])
