"""Equilibria and steady motions against independent computations, from the written pose."""
import math
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from analyses import ALL_SPATIAL, PLANAR, REFERENCE, ROOT, ask, eigenvalues, farthest

SANITIZED = "TRM_SANITIZED" in os.environ

CHAIN = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {N: 10, L: 3, span: 2, drop: 0, M: 6, l: L/N, m: M/N}
ground: {points: {O: [0, 0], E: [span, -drop]}}
bodies:
  link$(i): {repeat: {i: [1, N]}, mass: m, inertia: m*l^2/12, position: ["(i - 0.5)*span/N", "-0.3*sin(pi*(i - 0.5)/N) - drop*(i - 0.5)/N"],
             angle: "-0.8*cos(pi*(i - 0.5)/N)", points: {A: [-l/2, 0], B: [l/2, 0]}}
joints:
  pin: {type: revolute, connect: [ground.O, link1.A]}
  pin$(i): {repeat: {i: [2, N]}, type: revolute, connect: [link$(i-1).B, link$(i).A]}
  last: {type: revolute, connect: ["link$(N).B", ground.E]}
outputs: [energy]
"""

BAR = """
trammel: 1
space: planar
gravity: [0, -9.81]
ground: {points: {P: [0, 1], Q: [1.1, 1]}}
bodies:
  bar: {mass: 12, inertia: 1, com: [0.62, 0], position: [0, 0.3], angle: 0.3, points: {B: [1, 0]}}
forces:
  left: {type: spring-damper, connect: [bar, ground.P], stiffness: 900, length: 0.4}
  right: {type: spring-damper, connect: [bar.B, ground.Q], stiffness: 1400, length: 0.4}
outputs: [bar]
"""

# two arms in a turning frame, a slider below them
GOVERNOR = """
trammel: 1
space: spatial
gravity: [0, 0, -9.81]
parameters: {w: 2*pi, m: 5, M: 3, l: 1, a: 0.9}
bodies:
  frame: {mass: 1, inertia: [1, 1, 1], angular-velocity: [0, 0, w]}
  right: {mass: m, inertia: [0, 0, 0], position: [l*sin(a), 0, -l*cos(a)], angular-velocity: [0, 0, w], points: {O: [-l*sin(a), 0, l*cos(a)]}}
  left: {mass: m, inertia: [0, 0, 0], position: [-l*sin(a), 0, -l*cos(a)], angular-velocity: [0, 0, w], points: {O: [l*sin(a), 0, l*cos(a)]}}
  slider: {mass: M, inertia: [1, 1, 1], position: [0, 0, -2*l*cos(a)], angular-velocity: [0, 0, w]}
joints:
  bearing: {type: revolute, connect: [ground, frame], axis: [0, 0, 1]}
  a: {type: revolute, connect: [frame, right.O], axis: [0, 1, 0]}
  b: {type: revolute, connect: [frame, left.O], axis: [0, 1, 0]}
  sleeve: {type: prismatic, connect: [frame, slider], axis: [0, 0, 1]}
  c: {type: distance, connect: [right, slider]}
  d: {type: distance, connect: [left, slider]}
DRIVER
outputs: [right.x, right.z, frame.wz]
"""


def near(test, found, expected, tolerance):
    test.assertLessEqual(abs(found - expected), tolerance)


class Equilibrium(unittest.TestCase):
    def test_chains_between_supports(self):
        for chain in REFERENCE["chains"]:
            sets = [f"--set={k}={chain[k]}" for k in ("N", "L", "span", "drop")] + [f"--set=M={chain['mass']}"]
            points = chain["points"]
            outputs = ", ".join(f"link{i}.B" for i in range(1, len(points)))
            for coordinates in PLANAR if chain["N"] <= 20 else ("natural",):
                found = ask("equilibrium", CHAIN.replace("outputs: [energy]", f"outputs: [{outputs}]"), *sets, "--coordinates", coordinates)
                self.assertEqual((found["status"], found["stable"]), ("found", True))
                self.assertLessEqual(found["residual"], 1e-12)
                near(self, found["measures"]["pin.fx"], -chain["H"], 1e-9)
                near(self, found["measures"]["pin.fy"], chain["V"], 1e-9)
                for i, point in enumerate(points[1:], 1):
                    near(self, found["measures"][f"link{i}.B.x"], point[0], 1e-9)
                    near(self, found["measures"][f"link{i}.B.y"], point[1], 1e-9)

    def test_bar_on_springs(self):
        for coordinates in PLANAR:
            found = ask("equilibrium", BAR, "--coordinates", coordinates)
            self.assertEqual((found["status"], found["stable"]), ("found", True))
            near(self, found["measures"]["bar.x"], 0.06173365840831625, 1e-9)
            near(self, found["measures"]["bar.y"], 0.5540418243854579, 1e-9)
            near(self, found["measures"]["bar.angle"], -0.004719125696759524, 1e-9)

    def test_four_bar(self):
        from test_modes import FOUR_BAR
        found = ask("equilibrium", FOUR_BAR)
        self.assertIs(found["stable"], True)
        near(self, found["measures"]["crank.angle"], 0.9374720536465122, 1e-10)

    def test_unstable_one_is_said_to_be(self):
        """The cart-pole stands upright as written; a little beside it falls to the other side of the world."""
        from test_linearize import CART_POLE
        found = ask("equilibrium", CART_POLE)
        self.assertEqual((found["status"], found["stable"]), ("found", False))
        tilted = CART_POLE.replace("position: [0, l], angle: pi/2", "position: [-0.01, l], angle: pi/2 + 0.025") + "outputs: [pole.angle]\n"
        found = ask("equilibrium", tilted)
        self.assertEqual(found["status"], "found")
        near(self, math.cos(found["measures"]["pole.angle"] + math.pi / 2), 1, 1e-12)

    def test_path(self):
        """A spring that a weight stretches: y = −m g/k; the masses are found one after the other."""
        model = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {m: 1, k: 100}
bodies: {weight: {mass: m, inertia: 1}}
joints: {slide: {type: prismatic, connect: [ground, weight], axis: [0, 1]}}
forces: {spring: {type: actuator, of: slide, value: "-k*weight.y"}}
outputs: [weight.y]
"""
        found = ask("equilibrium", model, "--along", "m=1:3:5", file="path.json")
        self.assertEqual((found["parameter"], found["values"], found["stable"]), ("m", [1, 1.5, 2, 2.5, 3], [True] * 5))
        for m, y in zip(found["values"], found["measures"]["weight.y"]):
            near(self, y, -m * 9.81 / 100, 1e-13)
        self.assertIn("--along", ask("equilibrium", model, "--along", "m=1", status=2))
        self.assertIn("--at", ask("equilibrium", model, "--along", "m=1:2:2", "--at", 1, status=2))

    def test_path_that_turns(self):
        """A shallow truss snaps through: P = k y (L0/L − 1), greatest where L³ = L0 a²."""
        model = """
trammel: 1
space: planar
parameters: {P: 0, k: 1000, a: 1, h: 0.3}
bodies: {top: {mass: 1, inertia: 1, position: [0, h]}}
ground: {points: {A: [a, 0]}}
joints: {slide: {type: prismatic, connect: [ground, top], at: [0, h], axis: [0, 1]}}
forces:
  bar: {type: spring-damper, connect: [ground.A, top], stiffness: k, length: sqrt(a^2 + h^2), damping: 1}
  load: {type: force, point: top, value: [0, -P]}
outputs: [top.y]
"""
        L0 = math.hypot(1, 0.3)
        y = math.sqrt(L0 ** (2 / 3) - 1)
        greatest = 1000 * y * (L0 / math.hypot(1, y) - 1)
        for coordinates in PLANAR:
            found = ask("equilibrium", model, "--along", "P=-15:15:13", "--coordinates", coordinates, file="path.json")
            expected = [-15 + 2.5 * i for i in range(8)] + [greatest, 2.5, 0, -2.5, -greatest] + [-2.5 + 2.5 * i for i in range(8)]
            self.assertEqual(len(found["values"]), len(expected))
            for P, value, height, stable in zip(expected, found["values"], found["measures"]["top.y"], found["stable"]):
                near(self, value, P, 1e-9)
                near(self, 1000 * height * (L0 / math.hypot(1, height) - 1), P, 1e-9)
                if abs(abs(P) - greatest) > 1e-6:
                    self.assertEqual(stable, abs(height) > y)
            self.assertEqual(found["turning"], [8, 12])
            near(self, found["measures"]["top.y"][8], y, 1e-8)
        for count in (2, 4, 5):  # few values do not make it jump to another branch
            found = ask("equilibrium", model, "--along", f"P=-15:15:{count}", file="path.json")
            turns = [found["values"][i] for i in found["turning"]]
            self.assertEqual(len(turns), 2)
            near(self, turns[0], greatest, 1e-9)
            near(self, turns[1], -greatest, 1e-9)

    def test_path_over_a_length(self):
        """The constraints change with the parameter: each point is the equilibrium sought there alone."""
        model = ROOT / "models/four_bar_diagonal_spring.yaml"
        found = ask("equilibrium", model, "--along", "L=4:5:4", file="path.json")
        self.assertEqual(len(found["values"]), 4)
        for i, L in enumerate(found["values"]):
            alone = ask("equilibrium", model, "--set", f"L={L!r}")["measures"]
            for measure in ("crank.angle", "coupler.x", "coupler.y"):
                near(self, found["measures"][measure][i], alone[measure], 1e-8)

    def test_start_in_equilibrium(self):
        """A run that starts there stays there; a word that is neither is an error."""
        import csv
        import subprocess
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bar.yaml"
            path.write_text(BAR + "initial: equilibrium\n")
            done = subprocess.run([os.environ["TRAMMEL"], "run", path, "-o", folder, "--quiet", "--no-report", "--duration", "1"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(Path(folder) / "results.csv", newline="") as table:
                for row in csv.DictReader(table):
                    near(self, float(row["bar.y"]), 0.5540418243854579, 1e-9)
            path.write_text(BAR + "initial: rest\n")
            done = subprocess.run([os.environ["TRAMMEL"], "check", path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 3)
            self.assertIn("'equilibrium' or 'steady', found 'rest'", done.stderr)

    def test_none(self):
        """A body in the air falls for ever."""
        falling = "trammel: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  stone: {mass: 1, inertia: 1}\n"
        found = ask("equilibrium", falling, status=1)
        self.assertEqual((found["status"], found["measures"]), ("none", {}))
        self.assertIn("it is left by the motion of body 'stone'", ask("equilibrium", falling, status=1, read="stderr"))

    def test_what_is_left_is_named(self):
        pushed = """
trammel: 1
space: planar
states: {z: {rate: r, initial: 0}}
parameters: {r: 0, f: 3}
bodies: {cart: {mass: 1, inertia: 1}, held: {mass: 1, inertia: 1, points: {P: [1, 0]}}}
joints: {rail: {type: prismatic, connect: [ground, cart], axis: x}, other: {type: prismatic, connect: [ground, held], axis: x}}
forces:
  push: {type: force, point: cart, value: [f, 0]}
  spring: {type: spring-damper, connect: [ground, held.P], stiffness: 5, damping: 1, length: 2}
"""
        self.assertIn("it is left by force 'push' on body 'cart'", ask("equilibrium", pushed, status=1, read="stderr"))
        self.assertIn("the state 'z' does not come to rest", ask("equilibrium", pushed, "--set", "f=0", "--set", "r=1", status=1, read="stderr"))

    def test_figure_shows_what_changes(self):
        """Of a body on a spring: places; no speeds, and no accelerations, which are round-off."""
        model = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {m: 1}
bodies: {load: {mass: m, inertia: 1, position: [0.3, -2]}}
joints: {guide: {type: prismatic, connect: [ground, load], axis: y}}
forces: {spring: {type: actuator, of: guide, value: "-40*load.y"}}
outputs: [load]
"""
        figure = ask("equilibrium", model, "--along", "m=1:3:5", file="path.svg", read=True)
        for name in ("y", "x", "vy", "ay"):
            self.assertEqual(f">load.{name}<" in figure, name == "y", name)

    def test_neutral_directions_stay(self):
        found = ask("equilibrium", "trammel: 1\nspace: planar\nbodies:\n  puck: {mass: 1, inertia: 1, position: [3, 4], angle: 0.5}\n")
        self.assertEqual((found["status"], found["stable"]), ("found", None))
        self.assertEqual([found["measures"][f"puck.{k}"] for k in ("x", "y", "angle")], [3, 4, 0.5])

    def test_states_and_inputs(self):
        """A controller with an integral holds a mass at its set point: its state carries the weight."""
        model = """
trammel: 1
space: planar
gravity: [0, -9.81]
inputs: {target: 0}
states: {sum: {initial: 0, rate: "target - m.y"}}
bodies: {m: {mass: 2, inertia: 1}}
joints: {slide: {type: prismatic, connect: [ground, m], axis: [0, 1]}}
forces: {hold: {type: actuator, of: slide, value: "50*(target - m.y) + 100*sum - 20*m.vy"}}
outputs: [m.y, sum]
"""
        found = ask("equilibrium", model, "--input", "target=0.3")
        self.assertIs(found["stable"], True)
        near(self, found["measures"]["m.y"], 0.3, 1e-12)
        near(self, found["measures"]["sum"], 2 * 9.81 / 100, 1e-12)

    def test_states_that_a_velocity_leads(self):
        """A block slides on bristles, which bend as far as it moves, on a plane that gives way; a gear that only an event changes stays."""
        model = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {m: 2, k: 500, K: 3000, slope: 0.1, x0: 0.4, y0: 0.2, u0: 0.003}
bodies: {block: {mass: m, inertia: 1, position: [x0, y0]}}
joints: {upright: {type: coordinate, sum: {block.angle: 1}, value: 0}}
states:
  bent: {initial: u0, rate: block.vx}
  gear: {initial: 3}
forces:
  plane: {type: force, point: block, value: ["-gear*k*bent - slope*K*block.y", "-K*block.y - 10*block.vy"]}
outputs: [block, bent, gear]
"""
        for coordinates in PLANAR:
            found = ask("equilibrium", model, "--coordinates", coordinates)
            self.assertLessEqual(found["residual"], 1e-13)
            y, bent = -2 * 9.81 / 3000, 0.1 * 2 * 9.81 / 1500
            for name, expected in (("block.y", y), ("bent", bent), ("block.x", 0.4 + bent - 0.003), ("gear", 3)):
                near(self, found["measures"][name], expected, 1e-12)
        path = ask("equilibrium", model, "--along", "k=500:1000:3", file="path.json")
        for k, *found in zip((500, 750, 1000), *(path["measures"][name] for name in ("bent", "block.x", "gear"))):
            bent = 0.1 * 2 * 9.81 / (3 * k)
            for value, expected in zip(found, (bent, 0.4 + bent - 0.003, 3)):
                near(self, value, expected, 1e-10)

    def test_a_soft_direction_beside_stiff_ones(self):
        """A wheel on bristles that are stretched by another radius than that of their moment, and a soft spring: forces have no potential, and
        the symmetric part of their stiffness leads nowhere."""
        model = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {k: 1e6, R: 0.3, h: 0.31, e: 1}
bodies: {cart: {mass: 1000, inertia: 1}, wheel: {mass: 20, inertia: 1}}
joints: {rail: {type: prismatic, connect: [ground, cart], axis: x}, hub: {type: revolute, connect: [ground, wheel]}}
forces:
  pull: {type: actuator, of: rail, value: "-k*(cart.x - R*wheel.angle)"}
  roll: {type: actuator, of: hub, value: "k*h*(cart.x - R*wheel.angle) - e*(wheel.angle - 2)"}
outputs: [cart.x, wheel.angle]
"""
        for coordinates in PLANAR:
            for e in (1, 100):
                found = ask("equilibrium", model, "--set", f"e={e}", "--coordinates", coordinates)
                self.assertLessEqual(found["residual"], 1e-13)
                near(self, found["measures"]["wheel.angle"], 2, 1e-8)
                near(self, found["measures"]["cart.x"], 0.6, 1e-8)

    def test_system_of_its_own(self):
        model = "trammel: 1\nsystem:\n  coordinates: {x: 0.3}\n  mass: {x: 2}\n  forces: {x: \"5 - 3*x - x^3 - x'\"}\n"
        found = ask("equilibrium", model)
        self.assertIs(found["stable"], True)
        x = found["measures"]["x"]
        near(self, 5 - 3 * x - x ** 3, 0, 1e-12)

    def test_constraints_and_singular_forces_of_a_system(self):
        """A point on a circle falls to its lowest place; a planet without speed finds no rest in the sun."""
        found = ask("equilibrium", ROOT / "models/point_pendulum.yaml")
        self.assertIs(found["stable"], True)
        near(self, found["measures"]["x"], 0, 1e-9)
        near(self, found["measures"]["y"], -1, 1e-12)
        self.assertEqual(ask("equilibrium", ROOT / "models/kepler.yaml", status=1)["status"], "none")

    def test_governor_on_rigid_rods(self):
        for w, m, M, l, cos in ((2 * math.pi, 5, 3, 1, 0.3975843246125335), (6, 5, 0.0001, 0.5, None), (14, 1, 2, 0.3, 0.5005102040816326)):
            cos = cos or (m + M) * 9.81 / (m * l * w * w)
            for driver in ("  hold: {type: driver, of: bearing.rate, rate: w}", '  hold: {type: driver, of: bearing, value: "w*t"}', ""):
                for coordinates in ALL_SPATIAL:
                    found = ask("equilibrium", GOVERNOR.replace("DRIVER", driver), "--steady", "--coordinates", coordinates,
                                *(f"--set={k}={v!r}" for k, v in (("w", w), ("m", m), ("M", M), ("l", l))))
                    self.assertEqual(found["status"], "found")
                    near(self, found["measures"]["right.z"], -l * cos, 1e-9)
                    near(self, found["measures"]["frame.wz"], w, 1e-9)

    def test_governor_with_spring_rods(self):
        text = (ROOT / "models/flyball_governor.yaml").read_text()
        text = text.replace("a: 0.01\n  rho: 3000", "a: 1e-5\n  rho: 0.3/(L*a^2)").replace("mc: rho*b^3", "mc: 3")
        text = re.sub(r"(?m)^reference:.*$", "", text).replace("forces:\n", "  hold: {type: driver, of: bearing.rate, rate: omega}\nforces:\n")
        for w, slider, arm in ((2 * math.pi, 0.30783515501594183, 0.31271294453541715), (5, 0.48381257613509204, 0.5049160859893209),
                               (8, 0.19048316909204455, 0.1911391525056783)):
            for coordinates in ALL_SPATIAL:
                found = ask("equilibrium", text, "--steady", "--set", f"omega={w!r}", "--coordinates", coordinates)
                near(self, 1 - found["measures"]["slider.z"], slider, 1e-9)
                near(self, found["measures"]["arm_right.pitch"], arm, 1e-9)

    def test_steady_path_over_a_speed(self):
        """A speed that a parameter gives at the start and nothing else determines: each motion is at its own, as if it were sought alone."""
        sets = ("--set", "m=1", "--set", "M=2", "--set", "l=0.3", "--set", "a=1")
        found = ask("equilibrium", GOVERNOR.replace("DRIVER", ""), "--steady", *sets, "--along", "w=14:20:4", file="path.json")
        self.assertEqual((found["status"], found["values"]), ("found", [14, 16, 18, 20]))
        for w, z, wz in zip(found["values"], found["measures"]["right.z"], found["measures"]["frame.wz"]):
            near(self, wz, w, 1e-9)
            near(self, z, -3 * 9.81 / (w * w), 1e-9)

    def test_paths_on_standard_output(self):
        import json
        import subprocess
        for command, key in (("equilibrium", "measures"), ("modes", "eigenvalues")):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "bar.yaml"
                path.write_text(BAR.replace("mass: 12", "mass: m").replace("ground:", "parameters: {m: 12}\nground:"))
                more = ("--at", "equilibrium") if command == "modes" else ()
                done = subprocess.run([os.environ["TRAMMEL"], command, path, "-o", folder, "--along", "m=10:12:3", "--json", *more], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(key, json.loads(done.stdout))

    def test_spins_that_a_shaft_couples(self):
        """A motor turns a fan through a shaft: the speed at which the drag is its torque, and the twist."""
        model = """
trammel: 1
space: spatial
parameters: {T: 3, c: 0.25, k: 40}
bodies:
  rotor: {mass: 2, inertia: [0.3, 0.2, 0.2], angular-velocity: [7, 0, 0]}
  fan: {mass: 1, position: [1, 0, 0], inertia: [0.1, 0.4, 0.4], angular-velocity: [7, 0, 0]}
joints:
  a: {type: revolute, connect: [ground, rotor], axis: x}
  b: {type: revolute, connect: [ground, fan], at: [1, 0, 0], axis: x}
forces:
  shaft: {type: torsion-spring-damper, connect: [rotor, fan], axis: [1, 0, 0], stiffness: k, damping: 0.5}
  motor: {type: actuator, of: a, value: T}
  drag: {type: actuator, of: b, value: "-c*b.rate"}
outputs: [a.rate, b.rate, shaft.angle]
"""
        for coordinates in ALL_SPATIAL:
            found = ask("equilibrium", model, "--steady", "--coordinates", coordinates)
            for name, value in (("a.rate", 12), ("b.rate", 12), ("shaft.angle", -3 / 40)):
                near(self, found["measures"][name], value, 1e-9)

    def test_motors_from_rest(self):
        """A motor against drag comes to T/c, one with a winding to V k/(R c + k²) and V c/(R c + k²), from rest and from any speed, in one
        step: both are linear. A shaft alone does, too. At rest none of them is in equilibrium."""
        motor = """
trammel: 1
space: planar
parameters: {V: 24, R: 0.6, L: 3e-4, k: 0.05, c: 0.01, J: 7e-5, w: 0, T: 0.3}
BODY
states: {current: {initial: 0, rate: "(V - R*current - k*NAME.rate)/L"}}
forces: {torque: {type: actuator, of: NAME, value: VALUE - c*NAME.rate}}
outputs: [NAME.rate, current]
"""
        rotor = "bodies: {rotor: {mass: 1, inertia: J, angular-velocity: w}}\njoints: {pin: {type: revolute, connect: [ground, rotor]}}"
        for body, name, formulations in ((rotor, "pin", PLANAR), ("shafts: {axle: {inertia: J, initial-rate: w}}", "axle", ("natural",))):
            model = motor.replace("BODY", body).replace("NAME", name)
            plain = re.sub("(?m)^states:.*$", "", model).replace(", current]", "]")
            for coordinates in formulations:
                for w in (0, 1, 400):
                    options = ("--set", f"w={w}", "--coordinates", coordinates)
                    for c in (0.01, 1e-5):
                        found = ask("equilibrium", model.replace("VALUE", "k*current"), "--steady", *options, "--set", f"c={c}")
                        expected = 24 / (0.6 * c + 0.05 ** 2)
                        near(self, found["measures"][f"{name}.rate"], 0.05 * expected, 1e-9 * expected)
                        near(self, found["measures"]["current"], c * expected, 1e-9 * expected)
                        self.assertLessEqual(found["iterations"], 6)
                    found = ask("equilibrium", plain.replace("VALUE", "T"), "--steady", *options)
                    near(self, found["measures"][f"{name}.rate"], 30, 1e-9)
                    self.assertIsNone(found["stable"])  # where it stands is neutral
            said = ask("equilibrium", model.replace("VALUE", "k*current"), status=1, read="stderr")
            self.assertIn("it is left by force 'torque'", said)
            self.assertIn("if it moves on, ask for a steady motion", said)

    def test_steady_where_a_spring_holds(self):
        """A soft spring to the ground beside a hard one: nothing moves on, and both stretch."""
        model = """
trammel: 1
space: planar
gravity: [0, -9.81]
bodies: {m: {mass: 2, inertia: 1}, n: {mass: 1, inertia: 1, position: [1, 0]}}
joints:
  slide: {type: prismatic, connect: [ground, m], axis: [1, 0]}
  other: {type: prismatic, connect: [m, n], axis: [1, 0]}
forces:
  soft: {type: actuator, of: slide, value: "5 - 10*slide.displacement"}
  hard: {type: actuator, of: other, value: "2 - 1e8*other.displacement"}
outputs: [slide.displacement, other.displacement, m.vx]
"""
        found = ask("equilibrium", model, "--steady")["measures"]
        near(self, found["slide.displacement"], 0.5, 1e-9)
        near(self, found["other.displacement"], 2e-8, 1e-15)
        near(self, found["m.vx"], 0, 1e-12)

    def test_no_steady_motion_over_a_wavy_road(self):
        """Forces that ask for the place let nothing move on."""
        model = """
trammel: 1
space: planar
gravity: [0, -9.81]
bodies: {m: {mass: 2, inertia: 1, velocity: [3, 0], position: [0.2, 0]}}
joints: {slide: {type: prismatic, connect: [ground, m], axis: [1, 0]}}
forces: {wave: {type: actuator, of: slide, value: "sin(m.x)"}}
outputs: [m.x, m.vx]
"""
        found = ask("equilibrium", model, "--steady")["measures"]
        near(self, math.sin(found["m.x"]), 0, 1e-9)
        near(self, found["m.vx"], 0, 1e-12)

    @unittest.skipIf(SANITIZED, "long")
    def test_the_car(self):
        """The 53-body car on static tires: rest and the first twelve pairs."""
        sys.path.insert(0, str(ROOT / "tests/vehicle"))
        from test_vehicle import on_static_tires, without_forces
        with tempfile.TemporaryDirectory() as folder:
            here = Path(folder) / "vehicle"
            shutil.copytree(ROOT / "models/vehicle", here)
            tire, file = here / "sedan_symmetric.tir", here / "straight.yaml"
            tire.write_text(without_forces(tire.read_text()))
            file.write_text(on_static_tires(file.read_text()))
            found = ask("equilibrium", file)
            for measure, expected, tolerance in (("chassis.z", 0.5683897524926729, 1e-10), ("chassis.pitch", 0.0006923345525448411, 1e-10),
                                                 ("fl_wheel.z", 0.3282645963533742, 1e-10), ("rl_wheel.z", 0.33021176687919623, 1e-10),
                                                 ("fl_spring_of_air.fz", 4419.052530018883, 1e-5), ("rl_spring_of_air.fz", 3872.2198527241303, 1e-5)):
                near(self, found["measures"][measure], expected, tolerance)
            modes = ask("modes", file, "--at", "equilibrium")
            self.assertEqual((modes["degrees_of_freedom"], modes["zero_modes"]), (134, 22))  # 14, and 8 idle states of tires
            self.assertLessEqual(farthest(eigenvalues(modes), [complex(*x) for x in REFERENCE["car"]]), 1e-6)


if __name__ == "__main__":
    unittest.main()
