"""FMUs, used through the functions of FMI 2 and 3 alone: against `trammel run`, and what the standard asks of them."""
import ctypes as c
import csv
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zipfile
from pathlib import Path

SOURCE = Path(os.environ["TRM_SOURCE_DIR"])
BINARY = Path(os.environ["TRM_BUILD_DIR"]) / "libtrammel_fmu.so"
PROGRAM = os.environ["TRAMMEL"]
MODELS = ["four_bar", "andrews", "bricard", "flyball_governor", "rolling_disc", "slider_crank", "driven_four_bar",
          "kepler", "chaplygin_sleigh", "gyroscope"]

CART = """
trammel: 1
name: Cart
space: planar
gravity: [0, 0]
parameters: {m: 2, twice: 2*m, k: 0}
inputs: {u: 1}
states: {hits: {initial: 0, rate: 0}}
events:
  half: {when: cart.x - 0.5, direction: rising, set: {hits: hits + 1}}
bodies: {cart: {mass: m, inertia: twice, position: [0, 0]}}
joints: {rail: {type: prismatic, connect: [ground, cart], at: [0, 0], axis: [1, 0]}}
forces: {push: {type: force, point: cart, value: [u, 0]}}
simulate: {duration: 2, rtol: 1e-10, atol: 1e-12}
outputs: [cart.x, cart.vx, hits, energy]
"""
STOPS = CART.replace("set: {hits: hits + 1}", "stop: true")


# with every kind of measure, written in metres and in millimetres
MEASURED = """
trammel: 1
name: Measured
units: {units}
space: {space}
gravity: {gravity}
inputs: {{u: 3 N}}
variables: {{twice: 2*a.{height}}}
events: {{late: {{when: t - 1 ms, direction: rising, set: {{hits: 1}}}}}}
states: {{hits: {{initial: 0}}}}
bodies:
  a: {{mass: 2 kg, inertia: {inertia}, position: {at}, velocity: {moves}, {turns}, points: {{P: {at}}}}}
  b: {{mass: 3 kg, inertia: {inertia}, position: {there}, points: {{P: {at}}}}}
joints:
  rail: {{type: prismatic, connect: [ground, b], at: {at}, axis: {axis}}}
  pin: {{type: revolute, connect: [b, a], at: {at}{pin}}}
forces:
  spring: {{type: spring-damper, connect: [ground.O, a.P], length: 50 mm, stiffness: 2 N/mm, damping: 3 N*s/m}}
  coil: {{type: torsion-spring-damper, connect: [b, a]{pin}, stiffness: 2 Nm, damping: 3 N*m*s}}
  motor: {{type: actuator, of: pin, value: 5 Nm}}
  pull: {{type: actuator, of: rail, value: u}}
  push: {{type: force, point: a.P, value: {push}}}
  twist: {{type: torque, body: a, value: {twist}}}
  mount: {{type: bushing, connect: [ground.O, b.P], stiffness: {stiffness}, damping: {stiffness}}}
ground: {{points: {{O: {at}}}}}
simulate: {{duration: 0.1, rtol: 1e-10, atol: 1e-12}}
outputs: [a, b, a.P, rail, pin, spring, coil, motor, pull, push, twist, mount, energy, momentum, constraint, twice, late.time,
  late.count, {{half: a.{height}/2}}, {measures}]
"""
PLANE = {"space": "planar", "gravity": "[0, -9.81 m/s^2]", "inertia": "2 kg*m^2", "at": "[100 mm, 200 mm]", "height": "y",
         "there": "[0, 0]", "axis": "[1, 0]", "pin": "", "moves": "[30 mm/s, 0]", "turns": "angular-velocity: 2 rad/s",
         "push": "[7 N, 8 N]", "twist": "2 Nm", "stiffness": "[2 N/mm, 3 N/mm, 4 Nm]",
         "measures": "a.kinetic, spring.energy, spring.power, a.u, a.aX"}
SPACE = {"space": "spatial", "gravity": "[0, 0, -9.81 m/s^2]", "inertia": "[2 kg*m^2, 2 kg*m^2, 3 kg*m^2]", "height": "z",
         "at": "[100 mm, 200 mm, 50 mm]", "there": "[0, 0, 0]", "axis": "[1, 0, 0]", "pin": ", axis: [0, 0, 1]",
         "moves": "[30 mm/s, 0, 0]", "turns": "angular-velocity: [0, 0, 2 rad/s]", "push": "[7 N, 8 N, 9 N]",
         "twist": "[0, 0, 2 Nm]", "stiffness": "[2 N/mm, 3 N/mm, 3 N/mm, 4 Nm, 4 Nm, 4 Nm]",
         "measures": "a.kinetic, spring.energy, spring.power, a.u, a.p, a.aX, a.yaw, a.uh, a.axh"}
# kilograms, metres, seconds and radians of a measure by its name
POWERS = [(r"(a|b)\.(P\.)?[xyz]|twice_|rail\.displacement|(spring|pull)\.length|mount\.u[xyz]", (0, 1, 0, 0)),
          (r"(a|b)\.(P\.)?v[xyz]|rail\.speed|(spring|pull)\.rate|(a|b)\.(u|v|w|uh|vh)", (0, 1, -1, 0)),
          (r"(a|b)\.(P\.)?a[xyzXYZ]|(a|b)\.a[xy]h", (0, 1, -2, 0)),
          (r"(pin|coil|motor|a|b)\.angle|(a|b)\.(roll|pitch|yaw)|mount\.r[xyz]", (0, 0, 0, 1)),
          (r"(pin|coil|motor)\.rate|(a|b)\.(omega|w[xyz]|[pqr])", (0, 0, -1, 1)), (r"(a|b)\.alpha[xyz]?", (0, 0, -2, 1)),
          (r"\w+\.(f[xyz]?|force)", (1, 1, -2, 0)), (r"\w+\.(t[xyz]?|torque)", (1, 2, -2, 0)),
          (r"energy\.\w+|(a|b)\.kinetic|(spring|coil|mount)\.energy", (1, 2, -2, 0)), (r"\w+\.power", (1, 2, -3, 0)),
          (r"momentum\.p.", (1, 1, -1, 0)), (r"momentum\.l.", (1, 2, -1, 0)), (r"time|late\.time", (0, 0, 1, 0))]
UNKNOWN = r"a\.q.|b\.q.|constraint\.\w+|twice|half|late\.count|hits|u|[qvz]\[\d+\]|der\([qvz]\[\d+\]\)|event\[1\]"


class Fmu:
    """An FMU unpacked: its description and its binary."""

    def __init__(self, folder, model, version, *options):
        self.version, self.folder = version, Path(folder)
        path = self.folder / "model.yaml"
        if isinstance(model, Path):
            path = model
        else:
            path.write_text(model)
        archive = self.folder / f"unit{version}.fmu"
        done = subprocess.run([PROGRAM, "fmu", path, "-o", archive, "--fmi", str(version), *options],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        self.place = Path(tempfile.mkdtemp(dir=folder))  # a library that is loaded must not be written over
        with zipfile.ZipFile(archive) as unit:
            unit.extractall(self.place)
        root = xml.parse(self.place / "modelDescription.xml").getroot()
        self.root, self.token = root, root.get("guid" if version == 2 else "instantiationToken")
        self.variables = [v for v in root.find("ModelVariables")]
        self.reference = {v.get("name"): int(v.get("valueReference")) for v in self.variables}
        where = "linux64" if version == 2 else "x86_64-linux"
        self.library = c.CDLL(str(self.place / "binaries" / where / f"unit{version}.so"))
        self.states = sum(self._rate(v) is not None for v in self.variables)
        self.messages = []

    def _rate(self, variable):
        return (variable.find("Real") if self.version == 2 else variable).get("derivative")

    def start(self, kind="cs", token=None, values=None, tolerance=0.0, **options):
        return Instance(self, kind, token or self.token, values or {}, tolerance, **options)


class Instance:
    def __init__(self, fmu, kind, token, values, tolerance, returns=False, initializing=False):
        self.fmu, self.version, self.stopped = fmu, fmu.version, False
        resources = fmu.place / "resources"
        lib = fmu.library
        if self.version == 2:
            logger = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_int, c.c_char_p, c.c_char_p, c.c_char_p)
            self.log = logger(lambda e, n, s, k, m, text: fmu.messages.append((text or b"").decode()))

            class Calls(c.Structure):
                _fields_ = [("log", logger), ("a", c.c_void_p), ("f", c.c_void_p), ("s", c.c_void_p), ("e", c.c_void_p)]

            self.calls = Calls(self.log)
            lib.fmi2Instantiate.restype = c.c_void_p
            where = resources.as_uri()
            self.c = lib.fmi2Instantiate(b"it", int(kind == "cs"), token.encode(), where.encode(),
                                         c.byref(self.calls), 0, 0)
        else:
            logger = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.c_char_p, c.c_char_p)
            self.log = logger(lambda e, s, k, text: fmu.messages.append(text.decode()))
            path = f"{resources}/".encode()
            if kind == "cs":
                lib.fmi3InstantiateCoSimulation.restype = c.c_void_p
                self.c = lib.fmi3InstantiateCoSimulation(b"it", token.encode(), path, False, False, returns, returns, None,
                                                         c.c_size_t(0), None, self.log, None)
            else:
                lib.fmi3InstantiateModelExchange.restype = c.c_void_p
                self.c = lib.fmi3InstantiateModelExchange(b"it", token.encode(), path, False, False, None, self.log)
        if not self.c:
            raise RuntimeError("; ".join(fmu.messages))
        for name, value in values.items():
            self[name] = value
        if self.version == 2:
            self.call("SetupExperiment", int(tolerance > 0), c.c_double(tolerance), c.c_double(0), 0, c.c_double(0))
            self.call("EnterInitializationMode")
        else:
            self.call("EnterInitializationMode", tolerance > 0, c.c_double(tolerance), c.c_double(0), False,
                      c.c_double(0))
        if not initializing:
            self.call("ExitInitializationMode")

    def call(self, name, *arguments, allowed=(0,)):
        function = getattr(self.fmu.library, f"fmi{self.version}{name}")
        status = function(c.c_void_p(self.c), *arguments)
        if status not in allowed:
            raise RuntimeError(f"{name}: {status}: {'; '.join(self.fmu.messages)}")
        return status

    def _real(self, verb, name, value):
        reference = (c.c_uint * 1)(self.fmu.reference[name])
        more = () if self.version == 2 else (c.c_size_t(1),)
        self.call(verb + ("Real" if self.version == 2 else "Float64"), reference, c.c_size_t(1), value, *more)

    def __getitem__(self, name):
        value = (c.c_double * 1)()
        self._real("Get", name, value)
        return value[0]

    def __setitem__(self, name, value):
        self._real("Set", name, (c.c_double * 1)(value))

    def step(self, t, h):
        if self.version == 2:
            self.stopped = self.call("DoStep", c.c_double(t), c.c_double(h), 1, allowed=(0, 2)) == 2
            return
        flags = [c.c_bool() for _ in range(3)]
        reached = c.c_double()
        self.call("DoStep", c.c_double(t), c.c_double(h), True, *map(c.byref, flags), c.byref(reached))
        self.event, self.stopped, self.early = (flag.value for flag in flags)
        self.reached = reached.value

    def along(self, unknowns, knowns, seed, verb="Directional"):
        """The Jacobian of the unknowns by the knowns times the seed; Adjoint: its transpose."""
        u, k = ((c.c_uint * len(names))(*(self.fmu.reference[n] for n in names)) for names in (unknowns, knowns))
        count = len(knowns if verb == "Adjoint" else unknowns)
        found, seeds = (c.c_double * count)(*[math.nan] * count), (c.c_double * len(seed))(*seed)
        sizes = ((), ()) if self.version == 2 else ((c.c_size_t(len(seed)),), (c.c_size_t(count),))
        self.call(f"Get{verb}Derivative", u, c.c_size_t(len(u)), k, c.c_size_t(len(k)), seeds, *sizes[0], found,
                  *sizes[1])
        return list(found)

    def save(self):
        state = "FMUstate" if self.version == 2 else "FMUState"
        kept, size = c.c_void_p(), c.c_size_t()
        self.call("Get" + state, c.byref(kept))
        self.call(f"Serialized{state}Size", kept, c.byref(size))
        data = c.create_string_buffer(size.value)
        self.call("Serialize" + state, kept, data, size)
        self.call("Free" + state, c.byref(kept))
        return data.raw

    def restore(self, data):
        state = "FMUstate" if self.version == 2 else "FMUState"
        kept = c.c_void_p()
        self.call(("DeSerialize" if self.version == 2 else "Deserialize") + state, data, c.c_size_t(len(data)),
                  c.byref(kept))
        self.call("Set" + state, kept)
        self.call("Free" + state, c.byref(kept))

    # model exchange

    def new_states(self):
        if self.version == 2:
            info = (c.c_int * 10)()
            self.call("NewDiscreteStates", info)
            return bool(info[3]), bool(info[1])
        flags = [c.c_bool() for _ in range(5)]
        self.call("UpdateDiscreteStates", *map(c.byref, flags), c.byref(c.c_double()))
        return flags[3].value, flags[1].value

    def vector(self, name, size):
        values = (c.c_double * size)()
        self.call(name, values, c.c_size_t(size))
        return list(values)

    def rates(self, t, x):
        self.call("SetTime", c.c_double(t))
        self.call("SetContinuousStates", (c.c_double * len(x))(*x), c.c_size_t(len(x)))
        return self.vector("GetDerivatives" if self.version == 2 else "GetContinuousStateDerivatives", len(x))

    def integrate(self, end, steps):
        """Classical Runge-Kutta; events at the ends of steps."""
        n, h = self.fmu.states, end / steps
        self.new_states()
        self.call("EnterContinuousTimeMode")
        x = self.vector("GetContinuousStates", n)
        for k in range(steps):
            t = k * h
            k1 = self.rates(t, x)
            k2 = self.rates(t + h / 2, [a + h / 2 * b for a, b in zip(x, k1)])
            k3 = self.rates(t + h / 2, [a + h / 2 * b for a, b in zip(x, k2)])
            k4 = self.rates(t + h, [a + h * b for a, b in zip(x, k3)])
            x = [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(x, k1, k2, k3, k4)]
            self.call("SetTime", c.c_double(t + h))
            self.call("SetContinuousStates", (c.c_double * n)(*x), c.c_size_t(n))
            flag = c.c_int() if self.version == 2 else c.c_bool()
            self.call("CompletedIntegratorStep", 1, c.byref(flag), c.byref(type(flag)()))
            self.call("EnterEventMode")
            changed, stopped = self.new_states()
            self.call("EnterContinuousTimeMode")
            if changed:
                x = self.vector("GetContinuousStates", n)
            if stopped:
                return t + h
        return end

    def free(self):
        self.fmu.library[f"fmi{self.version}FreeInstance"](c.c_void_p(self.c))


def run(model, folder, *options):
    out = Path(folder) / "run"
    subprocess.run([PROGRAM, "run", model, "-o", out, "--no-report", "--quiet", *options], check=True,
                   capture_output=True)
    with open(out / "results.csv", newline="") as file:
        return list(csv.DictReader(file))


LINKAGE = """
trammel: 1
name: Linkage
space: planar
gravity: [0, -9.81]
parameters: {L: 1.2}
inputs: {push: 0.5, turn: "0.2*sin(2*t)"}
states: {lag: {initial: 0.1, rate: "(push - lag)/0.3 + rod.omega*t"}}
events: {low: {when: "rod.y + 0.3*push", set: {lag: 0}}}
bodies:
  crank: {mass: 1, inertia: 0.2, position: [L/2, 0], points: {E: [L/2, 0]}}
  rod: {mass: 2, inertia: 0.3, position: [L + 0.5, 0.1], points: {E: [-0.5, -0.1]}}
joints:
  A: {type: revolute, connect: [ground, crank], at: [0, 0]}
  B: {type: revolute, connect: [crank.E, rod.E]}
  motor: {type: driver, of: A.angle, value: "smooth(turn, 0.2)"}
forces: {f: {type: force, point: rod, value: [push^2, lag]}}
simulate: {duration: 2}
outputs: [rod.x, rod.vy, B.fx, motor.effort]
"""
SIDES = [(-3, -1 / 60), (-2, 9 / 60), (-1, -45 / 60), (1, 45 / 60), (2, -9 / 60), (3, 1 / 60)]


class Derivatives(unittest.TestCase):
    def check(self, it, unknowns, knowns, seed, at, step):
        """Against differences of order six of what the FMU itself tells."""
        def read(part):
            t, x = at["time"], list(at["x"])
            for name, value in zip(knowns, seed):
                if name == "time":
                    t += part * value
                elif name in at["states"]:
                    x[at["states"].index(name)] += part * value
                else:
                    it[name] = at[name] + part * value
            it.rates(t, x)
            return [it[name] for name in unknowns]

        sides = [(weight / step, read(place * step)) for place, weight in SIDES]
        expected = [sum(weight * values[i] for weight, values in sides) for i in range(len(unknowns))]
        read(0)
        found = it.along(unknowns, knowns, seed)
        scale = max(1, *map(abs, expected))
        for name, a, b in zip(unknowns, found, expected):
            self.assertLess(abs(a - b), 1e-8 * scale, (name, a, b, knowns))
        return found

    def test_by_states_inputs_and_time(self):
        draw = random.Random(5)
        with tempfile.TemporaryDirectory() as folder:
            for version in (2, 3):
                for model in (LINKAGE, SOURCE / "models" / "four_bar.yaml"):
                    fmu = Fmu(folder, model, version, "--tolerance", "1e-14")
                    it = fmu.start("me", tolerance=1e-13)
                    it.integrate(0.2, 20)
                    names = list(fmu.reference)
                    states = [name[4:-1] for name in names if name.startswith("der(")]
                    inputs = [v.get("name") for v in fmu.variables if v.get("causality") == "input"]
                    unknowns = [v.get("name") for v in fmu.variables if v.get("causality") == "output"]
                    unknowns += [f"der({name})" for name in states] + [n for n in names if n.startswith("event[")]
                    at = {"time": 0.2, "states": states, "x": it.vector("GetContinuousStates", fmu.states),
                          **{name: it[name] for name in inputs}}
                    for known in inputs + ["time"]:
                        self.check(it, unknowns, [known], [1.0], at, 1e-3)
                    knowns = states + inputs + ["time"]
                    for _ in range(2):  # also away from the constraints
                        seed = [draw.uniform(-1, 1) for _ in knowns]
                        found = self.check(it, unknowns, knowns, seed, at, 1e-3)
                    if version == 3:
                        weights = [draw.uniform(-1, 1) for _ in unknowns]
                        back = it.along(unknowns, knowns, weights, "Adjoint")
                        a, b = (sum(p * q for p, q in zip(*pair)) for pair in ((weights, found), (back, seed)))
                        self.assertLess(abs(a - b), 1e-9 * max(1, abs(a)))
                    it.free()

    def test_by_inputs_as_told(self):
        """What the description says hangs on no input directly has no derivative by it; what is of one input is of that alone."""
        model = LINKAGE.replace("outputs: [", "outputs: [rod, A, B, motor, f, energy, momentum, constraint, lag, lag', push, "
                                "late, low.count, {lift: rod.y + 2*shown}, ").replace("states:", "variables: {shown: turn + rod.x, "
                                                                                      "late: lag + 1}\nstates:")
        of = {"lift": {"turn"}, "lag'": {"push"}, "late": set(), "lag": set(), "rod.x": set(), "rod.vy": set(), "A.angle": set(),
              "low.count": set(), "energy.kinetic": set(), "B.fx": {"push", "turn"}, "rod.ax": {"push", "turn"}}
        with tempfile.TemporaryDirectory() as folder:
            for version in (2, 3):
                fmu = Fmu(folder, model, version)
                key = {str(i + 1) if version == 2 else v.get("valueReference"): v for i, v in enumerate(fmu.variables)}
                structure = fmu.root.find("ModelStructure")
                entries = structure.find("Outputs") if version == 2 else structure.findall("Output")
                inputs = [v.get("name") for v in fmu.variables if v.get("causality") == "input"]
                told = {}
                for entry in entries:
                    known = entry.get("dependencies")
                    known = None if known is None else {key[k].get("name") for k in known.split()}
                    self.assertTrue(known is None or len(known - set(inputs)) == 1 + fmu.states)  # the time and all states
                    told[key[entry.get("index") or entry.get("valueReference")].get("name")] = set(inputs) & (known or set(inputs))
                self.assertGreater(len(told), 40)
                for name, expected in of.items():
                    self.assertEqual(told[name], expected, name)
                it = fmu.start("me", tolerance=1e-13)
                it.integrate(0.2, 20)
                for known in inputs:
                    found = dict(zip(told, it.along(list(told), [known], [1.0])))
                    for name in [n for n in told if known not in told[n]]:
                        self.assertLessEqual(abs(found[name]), 1e-12, (name, known))
                    self.assertGreater(abs(found["rod.ax"]) + abs(found["B.fx"]), 1e-3 * (known == "push"))
                it.free()

    def test_of_a_co_simulation(self):
        """x'' = u/m: an output by an input, which is held over the next step."""
        with tempfile.TemporaryDirectory() as folder:
            for version in (2, 3):
                it = Fmu(folder, CART.replace("hits, energy", "cart.ax"), version).start(values={"m": 4})
                it.step(0, 0.1)
                self.assertAlmostEqual(it.along(["cart.ax"], ["u"], [3.0])[0], 0.75, delta=1e-12)
                self.assertAlmostEqual(it.along(["cart.x"], ["u"], [3.0])[0], 0, delta=1e-12)
                it.step(0.1, 0.1)
                self.assertAlmostEqual(it["cart.x"], 0.25 * 0.2**2 / 2, delta=1e-9)
                it.free()

    def test_by_parameters(self):
        """The start of a pendulum by its length, in initialization mode only."""
        model = LINKAGE.replace("outputs: [", "outputs: [crank.E.x, ")
        with tempfile.TemporaryDirectory() as folder:
            for version in (2, 3):
                fmu = Fmu(folder, model, version)
                it = fmu.start("me", values={"L": 1.5}, initializing=True)
                # written as L and L + 0.5
                found = it.along(["crank.E.x", "rod.x"], ["L"], [2.0])
                self.assertAlmostEqual(found[0], 2, delta=1e-9)
                self.assertAlmostEqual(found[1], 2, delta=1e-9)
                it.call("ExitInitializationMode")
                with self.assertRaisesRegex(RuntimeError, "initialization mode"):
                    it.along(["rod.x"], ["L"], [1.0])
                with self.assertRaisesRegex(RuntimeError, "by states, inputs"):
                    it.along(["rod.x"], ["rod.x"], [1.0])
                with self.assertRaisesRegex(RuntimeError, "only outputs"):
                    it.along(["push"], ["push"], [1.0])
                it.free()


class Units(unittest.TestCase):
    def test_description(self):
        """Names and references are unique; the structure names every output, derivative and initial unknown."""
        with tempfile.TemporaryDirectory() as folder:
            for version in (2, 3):
                fmu = Fmu(folder, CART, version)
                self.assertEqual(len(fmu.reference), len(fmu.variables))
                self.assertEqual(len(set(fmu.reference.values())), len(fmu.variables))
                key = {v.get("name"): str(i + 1) if version == 2 else v.get("valueReference")
                       for i, v in enumerate(fmu.variables)}
                structure = fmu.root.find("ModelStructure")
                if version == 2:
                    told = {part.tag: {u.get("index") for u in part} for part in structure}
                    outputs, rates, first = told["Outputs"], told["Derivatives"], told["InitialUnknowns"]
                else:
                    outputs, rates, first = ({u.get("valueReference") for u in structure.findall(tag)} for tag in
                                             ("Output", "ContinuousStateDerivative", "InitialUnknown"))
                    self.assertEqual(len(structure.findall("EventIndicator")), 1)
                self.assertEqual(outputs, {key[v.get("name")] for v in fmu.variables if v.get("causality") == "output"})
                self.assertEqual(len(rates), fmu.states)
                self.assertEqual(first, {key[v.get("name")] for v in fmu.variables if v.get("initial") == "calculated"
                                         and not v.get("name").startswith("event[")})
                names = {v.get("name") for v in fmu.variables if v.get("causality") == "parameter"}
                self.assertEqual(names, {"m", "k"})  # `twice` follows from m

    def test_units(self):
        """Those of the model: powers by the meaning of a name, factors by the same model in metres and in millimetres."""
        for kind in (PLANE, SPACE):
            for version in (2, 3):
                base = []
                for system in ("SI", "mm-N-s-t"):
                    with tempfile.TemporaryDirectory() as folder:
                        fmu = Fmu(folder, MEASURED.format(units=system, **kind), version)
                        self.assertEqual(fmu.root.get("variableNamingConvention"), "structured")
                        defined = {u.get("name"): u.find("BaseUnit") for u in fmu.root.find("UnitDefinitions")}
                        self.assertEqual(len(defined), len(fmu.root.find("UnitDefinitions")))
                        it, values = fmu.start(), {}
                        it.step(0, 0.01)
                        for v in fmu.variables:
                            name, unit = v.get("name"), (v.find("Real") if version == 2 else v).get("unit")
                            wanted = [powers for pattern, powers in POWERS if re.fullmatch(pattern, name)]
                            self.assertEqual(len(wanted), 0 if re.fullmatch(UNKNOWN, name) else 1, name)
                            self.assertEqual(unit is not None, bool(wanted), name)
                            if wanted:
                                found = defined[unit]
                                self.assertEqual(tuple(int(found.get(p, 0)) for p in ("kg", "m", "s", "rad")), wanted[0], name)
                                values[name] = it[name] * float(found.get("factor", 1))
                        it.free()
                        base.append(values)
                largest = max(map(abs, base[0].values()))
                self.assertEqual(list(base[0]), list(base[1]))
                for name, value in base[0].items():
                    self.assertAlmostEqual(value, base[1][name], delta=1e-7 * max(abs(value), 1e-3 * largest), msg=name)

    def test_units_and_names_that_nobody_knows(self):
        """A model that does not say its units has radians; a name that the standard has not makes names flat."""
        with tempfile.TemporaryDirectory() as folder:
            for version in (2, 3):
                fmu = Fmu(folder, MEASURED.format(units="SI", **PLANE).replace("units: SI\n", ""), version)
                self.assertIsNotNone(fmu.root.find("UnitDefinitions"))  # numbers with units are SI
                fmu = Fmu(folder, CART.replace("energy]", "cart.angle]"), version)
                self.assertEqual([u.get("name") for u in fmu.root.find("UnitDefinitions")], ["rad"])
                fmu = Fmu(folder, CART, version)
                self.assertIsNone(fmu.root.find("UnitDefinitions"))
                self.assertEqual(fmu.root.get("variableNamingConvention"), "structured")
                fmu = Fmu(folder, CART.replace("hits, energy]", "hits, hits']"), version)
                self.assertEqual(fmu.root.get("variableNamingConvention"), "flat")

    def test_needs_libc_only(self):
        done = subprocess.run(["ldd", BINARY], capture_output=True, text=True, check=True)
        libraries = {line.split()[0].split("/")[-1].split(".")[0] for line in done.stdout.splitlines()}
        self.assertLessEqual(libraries, {"linux-vdso", "libc", "libm", "ld-linux-x86-64", "ld-linux-aarch64"})

    def test_co_simulation_is_the_run(self):
        """Ten shipped models in both versions, by unequal steps: the motion of `trammel run`."""
        with tempfile.TemporaryDirectory() as folder:
            for name in MODELS:
                model = SOURCE / "models" / f"{name}.yaml"
                last = run(model, folder, "--duration", "0.3", "--output-step", "0.1")[-1]
                for version in (2, 3):
                    it = Fmu(folder, model, version).start()
                    for t, h in [(0, 0.05), (0.05, 0.15), (0.2, 0.1)]:
                        it.step(t, h)
                    for column in list(last)[1:4]:
                        self.assertLess(abs(it[column] - float(last[column])), 1e-6 * max(1, abs(it[column])),
                                        (name, version, column))
                    it.free()

    def test_model_exchange(self):
        """A Runge-Kutta method outside finds the same motion, which stays on the constraints."""
        with tempfile.TemporaryDirectory() as folder:
            model = SOURCE / "models" / "four_bar.yaml"
            last = run(model, folder, "--duration", "0.3", "--output-step", "0.1", "--rtol", "1e-11", "--atol", "1e-13",
                       "--integrator", "dop853")[-1]
            for version in (2, 3):
                it = Fmu(folder, model, version).start("me", tolerance=1e-9)
                self.assertEqual(it.integrate(0.3, 300), 0.3)
                for column in list(last)[1:4]:
                    self.assertLess(abs(it[column] - float(last[column])), 1e-7)
                it.free()

    def test_inputs_parameters_events(self):
        """x = u t²/(2 m); the event at x = 0.5 counts."""
        with tempfile.TemporaryDirectory() as folder:
            for version in (2, 3):
                fmu = Fmu(folder, CART, version)
                it = fmu.start(values={"m": 1})
                it["u"] = 4
                it.step(0, 1)
                self.assertAlmostEqual(it["cart.x"], 2, delta=1e-9)
                self.assertEqual(it["hits"], 1)
                it["u"] = 0
                it.step(1, 1)
                self.assertAlmostEqual(it["cart.x"], 6, delta=1e-9)
                self.assertEqual((it["u"], it["m"]), (0, 1))
                it.free()
                it = fmu.start("me", values={"m": 1, "u": 4})
                it.integrate(1, 100)
                self.assertAlmostEqual(it["cart.x"], 2, delta=1e-9)
                self.assertEqual(it["hits"], 1)
                self.assertAlmostEqual(it["der(q[1])"], 4, delta=1e-9)
                it.free()

    def test_event_at_zero(self):
        """A tool may find a zero to the last bit: it is the event, and going on from there is no second one."""
        with tempfile.TemporaryDirectory() as folder:
            for version in (2, 3):
                fmu = Fmu(folder, CART, version)
                it = fmu.start("me", values={"m": 1})
                it.new_states()
                hits = []
                for t, place in enumerate((0.25, 0.5, 0.5, 0.75, 0.5, 0.25, 0.5, 0.5, 0.25)):
                    it.call("EnterContinuousTimeMode")
                    x = it.vector("GetContinuousStates", fmu.states)
                    x[0] = place
                    it.call("SetTime", c.c_double(t))
                    it.call("SetContinuousStates", (c.c_double * fmu.states)(*x), c.c_size_t(fmu.states))
                    self.assertEqual(it["cart.x"], place)
                    it.call("EnterEventMode")
                    it.new_states()
                    hits.append(it["hits"])
                self.assertEqual(hits, [0, 1, 1, 1, 1, 1, 2, 2, 2])
                it.free()

    def test_event_that_stops(self):
        with tempfile.TemporaryDirectory() as folder:
            for version in (2, 3):
                fmu = Fmu(folder, STOPS, version)
                it = fmu.start(values={"m": 1, "u": 1})
                it.step(0, 2)
                self.assertTrue(it.stopped)
                self.assertAlmostEqual(it["time"], 1, delta=1e-8)  # t²/2 = 1/2
                it.free()
                it = fmu.start("me", values={"m": 1, "u": 1})
                self.assertAlmostEqual(it.integrate(2, 100), 1, delta=0.021)
                it.free()

    def test_early_return(self):
        """FMI 3: a step ends at an event, which waits for the tool's event mode."""
        with tempfile.TemporaryDirectory() as folder:
            fmu = Fmu(folder, CART, 3)
            it = fmu.start(values={"m": 1, "u": 4}, returns=True)
            it.step(0, 2)
            self.assertTrue(it.event and it.early and not it.stopped)
            self.assertAlmostEqual(it.reached, 0.5, delta=1e-9)  # 2 t² = 1/2
            self.assertEqual(it["hits"], 0)
            it.call("EnterEventMode")
            self.assertEqual(it.new_states()[1], False)
            self.assertEqual(it["hits"], 1)
            it["u"] = 0.0
            it.call("EnterStepMode")
            it.step(it.reached, 1.5)
            self.assertFalse(it.event or it.early)
            self.assertAlmostEqual(it["cart.x"], 0.5 + 2 * 1.5, delta=1e-8)
            it.free()
            it = Fmu(folder, STOPS, 3).start(values={"m": 1, "u": 4}, returns=True)
            it.step(0, 2)
            self.assertTrue(it.event and it.early)
            it.call("EnterEventMode")
            self.assertEqual(it.new_states()[1], True)  # terminate
            it.free()

    def test_state_goes_into_another_instance(self):
        """Bit by bit: saved, serialized, restored in a second instance that runs beside the first."""
        with tempfile.TemporaryDirectory() as folder:
            for version in (2, 3):
                for model in (CART, SOURCE / "models" / "four_bar.yaml"):
                    fmu = Fmu(folder, model, version)
                    first, second = fmu.start(), fmu.start(values={"m": 7} if model is CART else {})
                    first.step(0, 0.1)
                    data = first.save()
                    first.step(0.1, 0.2)
                    second.restore(data)
                    second.step(0.1, 0.2)
                    for name in fmu.reference:
                        a, b = first[name], second[name]
                        self.assertTrue(a == b or (math.isnan(a) and math.isnan(b)), (name, a, b))
                    first.restore(data)
                    first.step(0.1, 0.2)
                    self.assertEqual(first["q[1]"], second["q[1]"])
                    first.free(), second.free()

    def test_reset(self):
        with tempfile.TemporaryDirectory() as folder:
            for version in (2, 3):
                it = Fmu(folder, CART, version).start(values={"m": 1})
                it["u"] = 4
                it.step(0, 1)
                it.call("Reset")
                self.assertEqual((it["m"], it["u"], it["time"], it["cart.x"]), (2, 1, 0, 0))
                it.free()

    def test_refusals(self):
        with tempfile.TemporaryDirectory() as folder:
            for version in (2, 3):
                fmu = Fmu(folder, CART, version)
                with self.assertRaisesRegex(RuntimeError, "another FMU"):
                    fmu.start(token="{00}")
                it = fmu.start()
                for name, value in [("m", math.nan), ("cart.x", 1.0)]:
                    with self.assertRaises(RuntimeError):
                        it[name] = value
                it.step(0, 1)
                it["m"] = it["m"]
                with self.assertRaisesRegex(RuntimeError, "a parameter is fixed"):
                    it["m"] = 3
                self.assertEqual(it["m"], 2)
                self.assertAlmostEqual(it["cart.x"], 0.25, delta=1e-9)  # it goes on as it was
                it.call("Reset")
                it["m"] = 3
                it.free()
                with self.assertRaisesRegex(RuntimeError, "mass"):
                    fmu.start(values={"m": -1})

    def test_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.yaml"
            path.write_text(CART)
            for options, status, word in [(["--fmi", "4"], 2, "2 or 3"), (["--kind", "se"], 2, "cs, me or both"),
                                          (["--set", "mm=1"], 2, "mm"), (["-o", "/nowhere/x.fmu"], 1, "/nowhere/x.fmu"),
                                          (["--input", "u=u.csv"], 2, "from the tool"),
                                          (["--step", "-1"], 2, "trammel: error: --step: step is -1")]:
                done = subprocess.run([PROGRAM, "fmu", path, *options], capture_output=True, text=True, cwd=folder)
                self.assertEqual(done.returncode, status, (options, done.stderr))
                self.assertIn(word, done.stderr)
            for missing in ("nowhere.yaml", folder):
                done = subprocess.run([PROGRAM, "fmu", missing], capture_output=True, text=True, cwd=folder)
                self.assertEqual((done.returncode, done.stderr.count("error")), (3, 1), done.stderr)
            subprocess.run([PROGRAM, "fmu", path], check=True, cwd=folder, capture_output=True)
            first = (Path(folder) / "model.fmu").read_bytes()
            subprocess.run([PROGRAM, "fmu", path], check=True, cwd=folder, capture_output=True)
            self.assertEqual(first, (Path(folder) / "model.fmu").read_bytes())  # no clock in it
            for kind, tags in [("cs", ["CoSimulation"]), ("me", ["ModelExchange"])]:
                fmu = Fmu(folder, CART, 2, "--kind", kind)
                found = [tag for tag in ("CoSimulation", "ModelExchange") if fmu.root.find(tag) is not None]
                self.assertEqual(found, tags)

    def test_parts_and_tires_travel(self):
        """The car: included parts and a tire file, unpacked elsewhere."""
        with tempfile.TemporaryDirectory() as folder:
            it = Fmu(folder, SOURCE / "models" / "vehicle" / "step_steer.yaml", 2).start()
            it.step(0, 0.01)
            self.assertAlmostEqual(it["time"], 0.01, delta=1e-12)
            it.free()


if __name__ == "__main__":
    if not BINARY.exists():
        print("built without FMUs")
        sys.exit(77)
    unittest.main()
