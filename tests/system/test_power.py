#!/usr/bin/env python3
"""Power and energy of forces, kinetic energy of bodies: what the powers give is what the bodies gain, at every instant."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from program import Run

PLANE = """trammel: 1
space: planar
bodies:
  a: {mass: 2, inertia: 0.4, angle: 0.4, angular-velocity: 2, points: {A: [0.3, -0.1]}}  # turns about its centre of mass
  b: {mass: 3, inertia: 0.6, position: [1.5, 0.6], angle: -1, velocity: [0, -1], angular-velocity: -1, points: {B: [0.2, 0.4]}}
joints:
  pin: {type: revolute, connect: [ground, a]}
forces:
  FORCE
simulate: {duration: 1, output-step: 0.05}
outputs: [a, b, f, energy]
"""
SPACE = """trammel: 1
space: spatial
bodies:
  a: {mass: 2, inertia: [0.4, 0.4, 0.4], orientation: {axis: [1, 2, 0.5], angle: 0.4}, velocity: [1, 0.5, -0.2],
      angular-velocity: [0.5, -0.7, 1], points: {A: [0.3, -0.1, 0.2]}}
  b: {mass: 3, inertia: [0.6, 0.6, 0.6], position: [1.5, 0.6, 0.3], orientation: {axis: [0, 1, 1], angle: 2},
      angular-velocity: [-1, 0.4, 0.3], points: {B: [0.2, 0.4, 0.1]}}
forces:
  FORCE
simulate: {duration: 1, output-step: 0.05}
outputs: [a, b, f, energy]
"""
FORCES = {
    "planar": ["{type: force, point: b.B, value: [2 + b.vx, 3*sin(t)]}",
               "{type: force, point: b.B, value: [2, 3], frame: body}",
               "{type: torque, body: b, value: 4 - b.omega}",
               "{type: load, connect: [a.A, b.B], force: [3, 2*sin(t)], torque: 0.5}",
               "{type: spring-damper, connect: [a.A, b.B], stiffness: 30, damping: 2, length: 1}",
               "{type: spring-damper, connect: [a.A, b.B], stiffness: 30 + t, length: 1}",
               "{type: torsion-spring-damper, connect: [a, b], stiffness: 5, damping: 0.3, angle: 0.2}",
               "{type: actuator, connect: [a.A, b.B], value: 3*cos(t)}",
               "{type: actuator, of: pin, value: 2}",
               "{type: bushing, connect: [a.A, b.B], stiffness: [20, 30, 4], damping: [1, 2, 0.2], preload: [1, 2, 0.5]}"],
    "spatial": ["{type: force, point: b.B, value: [2, 3*sin(t), 1 - b.vz]}",
                "{type: force, point: b.B, value: [2, 3, 1], frame: body}",
                "{type: torque, body: b, value: [1, 2, 0.5], frame: body}",
                "{type: load, connect: [a.A, b.B], force: [3, 2, 1], torque: [0.5, 1, -1]}",
                "{type: spring-damper, connect: [a.A, b.B], stiffness: 30, damping: 2, length: 1}",
                "{type: torsion-spring-damper, connect: [a, b], axis: [0, 0, 1], stiffness: 5, damping: 0.3}",
                "{type: actuator, connect: [a.A, b.B], value: 3*cos(t)}",
                "{type: bushing, connect: [a.A, b.B], stiffness: [20, 30, 25, 4, 3, 2], damping: [1, 2, 1, 0.2, 0.1, 0.3]}"],
}
BODIES = {"a": (2, 0.4), "b": (3, 0.6)}
COMPONENTS = {"planar": (("vx", "ax"), ("vy", "ay")), "spatial": (("vx", "ax"), ("vy", "ay"), ("vz", "az"))}
SPINS = {"planar": (("omega", "alpha"),), "spatial": (("wx", "alphax"), ("wy", "alphay"), ("wz", "alphaz"))}


def balances(space, run, row):
    """dT/dt and T of each body, by their definitions; a sphere's inertia needs no axes."""
    gains, energies = {}, {}
    for body, (mass, inertia) in BODIES.items():
        pairs = [(mass, pair) for pair in COMPONENTS[space]] + [(inertia, pair) for pair in SPINS[space]]
        gains[body] = sum(k * run[f"{body}.{v}"][row] * run[f"{body}.{a}"][row] for k, (v, a) in pairs)
        energies[body] = sum(k * run[f"{body}.{v}"][row] ** 2 / 2 for k, (v, _) in pairs)
    return gains, energies


class PowerTest(unittest.TestCase):
    def near(self, found, expected, size, what):
        self.assertTrue(abs(found - expected) <= 1e-9 * size, f"{what}: {found}, expected {expected}")

    def test_power_is_what_bodies_gain(self):
        for space, text in (("planar", PLANE), ("spatial", SPACE)):
            for force in FORCES[space]:
                forms = ("natural", "euler-parameters") + (("angle", "cartesian") if space == "planar" else ())
                for form in forms:
                    run = Run(text.replace("FORCE", f"f: {force}"), "--coordinates", form)
                    what = f"{space} {form} {force}"
                    self.assertGreater(max(map(abs, run["f.power"])), 0.1, what)
                    for row in range(len(run["t"])):
                        gains, energies = balances(space, run, row)
                        size = 1 + sum(energies.values()) + sum(map(abs, gains.values()))
                        self.near(run["f.power"][row], sum(gains.values()), 10 * size, what)
                        for body in BODIES:
                            self.near(run[f"{body}.kinetic"][row], energies[body], size, what)

    def test_stored_energy(self):
        """Without gravity it is the mechanism's potential energy; what is not constant stores none."""
        for space, text in (("planar", PLANE), ("spatial", SPACE)):
            for force in FORCES[space]:
                if "spring" not in force and "bushing" not in force:
                    continue
                run = Run(text.replace("FORCE", f"f: {force}"))
                for stored, V in zip(run["f.energy"], run["energy.potential"]):
                    self.near(stored, V, 1, force)
                constant = "30 + t" not in force
                self.assertEqual(max(run["f.energy"]) > 1e-3, constant, force)

    def test_spring(self):
        """k (l - l0)^2/2, and minus force times rate."""
        run = Run(PLANE.replace("FORCE", "f: " + FORCES["planar"][4]))
        for stored, power, length, rate, force in zip(*(run[f"f.{name}"] for name in ("energy", "power", "length", "rate", "force"))):
            self.near(stored, 30 * (length - 1) ** 2 / 2, 100, "energy")
            self.near(power, -force * rate, 100, "power")

    def test_not_in_forces(self):
        error = Run(PLANE.replace("FORCE", "f: {type: torque, body: b, value: a.kinetic}"), status=3).error
        self.assertIn("'a.kinetic' is an energy; forces and signals may use positions and velocities only", error)


if __name__ == "__main__":
    unittest.main()
