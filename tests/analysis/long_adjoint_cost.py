"""The adjoint of 200 parameters takes the processor time of at most five runs, and that of a long run limited memory."""
import json
import os
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
LINKS = 50
TIMES = 5
MOTION = ("--rtol", "1e-10", "--atol", "1e-13")
RUN = ("--integrator", "dop853", "--stabilization", "direct", "--energy", "free", "--no-estimate", "--no-report")


def chain():
    """Lengths, masses, stiffnesses and dampings of its links are 200 parameters; the lengths move the start, too."""
    each = range(LINKS)
    lines = ["trammel: 1", "space: planar", "gravity: [0, -9.81]", "simulate: {duration: 10}", "parameters:"]
    lines += [f"  L{i}: {0.1 + 0.002 * (i % 7)}\n  m{i}: {0.2 + 0.01 * (i % 5)}\n  k{i}: {0.05 + 0.01 * (i % 3)}\n  c{i}: {0.002 + 0.0005 * (i % 4)}" for i in each]
    lines += ["bodies:"]
    for i in each:
        middle = "+".join([f"L{j}" for j in range(i)] + [f"L{i}/2"])
        lines.append(f"  b{i}: {{mass: m{i}, inertia: m{i}*L{i}^2/12, position: [{middle}, 0], points: {{A: [-L{i}/2, 0], B: [L{i}/2, 0]}}}}")
    lines += ["joints:"]
    lines += [f"  j{i}: {{type: revolute, connect: [{f'b{i - 1}.B' if i else 'ground'}, b{i}.A]}}" for i in each]
    lines += ["forces:"]
    lines += [f"  s{i}: {{type: torsion-spring-damper, connect: [{f'b{i - 1}' if i else 'ground'}, b{i}], stiffness: k{i}, damping: c{i}}}" for i in each]
    return "\n".join(lines) + "\n"


def seconds(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([PROGRAM, *map(str, command)], check=True, capture_output=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


class AdjointCost(unittest.TestCase):
    def check_cost(self, text, duration=10):
        wrt = ",".join(f"{kind}{i}" for i in range(LINKS) for kind in "Lmkc")
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "chain.yaml"
            model.write_text(text)
            motion = (*MOTION, "--duration", duration)
            run, adjoint = [], []
            for _ in range(TIMES):  # in turn, so that both meet the same machine
                run.append(seconds("run", model, "-o", folder, *motion, *RUN))
                adjoint.append(seconds("sensitivity", model, "-o", folder, "--of", "b49.x", "--wrt", wrt, "--method", "adjoint", *motion))
        print("runs", min(adjoint) / min(run), flush=True)
        self.assertLessEqual(min(adjoint), 5 * min(run), f"{min(adjoint) / min(run):.2f} runs")

    def test_two_hundred_parameters(self):
        self.check_cost(chain())

    def test_formulas_and_variables(self):
        """Stiffnesses and dampings in formulas: of forces, and of variables that forces follow."""
        bodies = chain().split("forces:")[0]
        turn = [tuple(f"b{i}.{what}" + (f" - b{i - 1}.{what}" if i else "") for what in ("angle", "omega")) for i in range(LINKS)]
        formulas = [f'"-k{i}*({angle}) - c{i}*({omega})"' for i, (angle, omega) in enumerate(turn)]
        motors = "forces:\n" + "".join(f"  s{i}: {{type: actuator, of: j{i}, value: %s}}\n" for i in range(LINKS))
        self.check_cost(bodies + motors % tuple(formulas))
        self.check_cost(bodies + "variables:\n" + "".join(f"  u{i}: {formula}\n" for i, formula in enumerate(formulas)) + motors % tuple(f"u{i}" for i in range(LINKS)))

    def test_beyond_the_memory(self):
        """25000 steps are 324 MB: the first 256 of them are in a file when the run ends."""
        self.check_cost(chain(), 100)

    def test_over_events(self):
        """A motor at its upper end is switched whenever the chain turns round there."""
        self.check_cost(chain() + """  kick: {type: actuator, of: j0, value: push}
states: {push: {initial: 0.05}}
events:
  up: {when: b0.omega, direction: rising, set: {push: 0.25*m0}}
  down: {when: b0.omega, direction: falling, set: {push: -0.05}}
""")

    def test_memory_of_a_long_run(self):
        """Too long for the memory of a trace: it is kept in pieces. Many pendulums move as one does, whose run is short enough."""
        model = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {N: 1, L: 1.1, th0: 0.3}
simulate: {duration: 1000}
bodies:
  rod$(i): {repeat: {i: [1, N]}, mass: 1, inertia: L^2/12, position: [L/2*sin(th0), -L/2*cos(th0)], angle: th0, points: {O: [0, L/2]}}
joints:
  pin$(i): {repeat: {i: [1, N]}, type: revolute, connect: [ground, rod$(i).O]}
"""
        options = ("--of", "rod1.angle", "--wrt", "L,th0", "--method", "adjoint", "--rtol", "1e-11", "--atol", "1e-13")
        found = []
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.yaml"
            path.write_text(model)
            for N in 1, 100:
                subprocess.run([PROGRAM, "sensitivity", path, "-o", folder, *options, "--set", f"N={N}"], check=True, capture_output=True)
                found.append(json.loads((Path(folder) / "sensitivity.json").read_text())["gradient"])
        megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print("peak memory", megabytes, "MB", flush=True)
        self.assertLess(megabytes, 400)
        for name, value in found[0].items():
            self.assertLessEqual(abs(found[1][name] - value), 1e-6 * abs(value), name)


if __name__ == "__main__":
    unittest.main()
