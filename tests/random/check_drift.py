"""The three-field method keeps the energy of a conservative mechanism without a trend, in every formulation."""
import numpy as np

import program
from check_methods import COORDINATES, SINGULAR, TURN_A_STEP
from measures import Measures, state_of_row
from mechanism import GROUND, Mechanism

SPAN, STEP = 40, 1e-2  # in the mechanism's own unit of time
EXCLUDED = {"fast", "singular", "gaps", "redundant", "chain", "masses_apart", "point_masses", "rods"}
TREND = 4  # the mean of the last quarter over the largest of the first
# of the largest kinetic energy: velocities across the constraints are let grow to 0.02 of the speed, and no scaling takes up
# more than a tenth of what moves
REST = 10 * 0.02**2


PENDULUM = {"revolute", "spherical", "universal", "rigid"}


def pendulum(case):
    """The mechanism under gravity alone, where all bodies hang on the ground by joints that keep them near; else None."""
    joints = case.model.get("joints", {})
    stops = any(event.get("stop") for event in case.model.get("events", {}).values())
    if stops or not all(joint["type"] in PENDULUM for joint in joints.values()) or case.tags & EXCLUDED:
        return None
    held, size = {GROUND}, 0
    while len(held) > size:
        size = len(held)
        for joint in joints.values():
            sides = {text.partition(".")[0] for text in joint["connect"]}
            held |= sides if sides & held else set()
    if held != {GROUND, *case.model["bodies"]}:
        return None
    return {**case.model, "forces": {}, "outputs": ["energy", *case.model["bodies"]]}


def fastest(model, unit):
    """Angular velocity, by the default method: next to the axis of a universal joint a mass goes round it in a few steps."""
    run = program.run(model, "--duration", repr(SPAN * unit), "--output-step", repr(STEP * unit))
    spins = [[abs(row[name]) for name in run.columns if name.rpartition(".")[2] in ("wx", "wy", "wz", "omega")] for row in run.rows]
    return max((np.linalg.norm(spin) for spin in spins), default=0)


def check(case):
    """Texts."""
    model = pendulum(case)
    if model is None:
        return []
    coordinates = COORDINATES[model["space"]][case.seed // 7 % len(COORDINATES[model["space"]])]
    unit = case.units.c
    step = min(STEP * unit, TURN_A_STEP / max(fastest(model, unit), 1e-3 / unit))
    options = ("--coordinates", coordinates, "--integrator", "three-field", "--step", repr(float(step)))
    run = program.run(model, "--duration", repr(SPAN * unit), "--output-step", repr(SPAN * unit / 400), *options)
    if run.status != 0:
        mechanism = Mechanism(model)
        near = run.rows and Measures(state_of_row(mechanism, run.rows[-1])).motion.condition > SINGULAR
        return [] if near else [f"{' '.join(options)}: ends with {run.status}: {run.error}"]
    error = np.array(run.column("energy.error"))
    part = len(error) // 4
    mechanism = Mechanism(model)
    least = float(mechanism.length) / unit**2 / SPAN  # an acceleration that is weak for this mechanism
    weight = max(float(b.mass * mechanism.length) * max(float(np.abs(b.gravity).max()), least) for b in mechanism.bodies)
    kinetic = np.array(run.column("energy.kinetic"))
    size = max(kinetic) + weight  # at rest: of what forces could do
    error[kinetic < REST * max(kinetic)] = 0
    first, last = np.abs(error[:part]).max(), abs(error[-part:].mean())
    if last <= TREND * first + 1e-9 * size:
        return []
    return [f"{' '.join(options)}: the energy has a trend: at most {first:.2g} in the first quarter, {last:.2g} on average in the last"]
