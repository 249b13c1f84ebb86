"""The velocities that assembly finds: given ones are kept and the others follow by the smallest mass-weighted change from
rest; where that is contradictory, everything moves by the smallest one."""
import numpy as np

from joints import rows
from measures import state_of_row

EPSILON = np.finfo(float).eps
WEAK = 1e-4  # a pivot, docs/theory/udwadia-kalaba.md: above it solutions are not refined, and lose digits of epsilon over it


def given(mechanism, state):
    """Velocities as written, and which of them were given."""
    v, w = np.zeros((mechanism.count, 3)), np.zeros((mechanism.count, 3))
    known = np.zeros((mechanism.count, mechanism.free), dtype=bool)
    for i, body in enumerate(mechanism.bodies[1:], 1):
        entry = mechanism.description["bodies"][body.name]
        if "velocity" not in entry:
            continue
        spin = entry["angular-velocity"]
        v[i], w[i] = mechanism.vector(entry["velocity"]), [0, 0, spin] if mechanism.planar else spin
        known[i] = True
    rates = {name: entry.get("initial-rate") for name, entry in mechanism.description.get("shafts", {}).items()}
    beyond = {f"{name}.rate": mechanism.number(rate or 0) for name, rate in rates.items()}
    moving = type(state)(mechanism, 0, state.x, state.R, v, w, beyond=beyond)
    return np.asarray(moving.velocities(), dtype=float), np.append(known.ravel(), np.array([rate is not None for rate in rates.values()], dtype=bool))


def conditions(mechanism, state):
    """Rows and the rates they must have: joints, and `initial:`."""
    still = state.with_velocities(np.zeros(state.n))
    found = [row for name in mechanism.joints for row in rows(still, name)]
    J, rates = [row.jet.row for row in found], [-row.jet.rate for row in found]
    for name, value in mechanism.description.get("initial", {}).items():
        if name.rpartition(".")[2] in ("angle", "displacement", "x", "y", "z"):
            continue  # positions
        J.append(still.rate_row(name))
        rates.append(mechanism.number(value))
    return np.array(J, dtype=float).reshape(-1, state.n), np.array(rates, dtype=float)


def nearest(J, rates, written, scale, free, fits):
    """The velocities nearest to the written ones of which only the free ones change, and what they leave open."""
    A = J[:, free] * scale[free]
    change, *_ = np.linalg.lstsq(A, rates - J @ written, rcond=fits)
    v = written.copy()
    v[free] += scale[free] * change
    return v, np.abs(rates - J @ v).max(initial=0), condition_of(A)


def condition_of(A):
    values = np.linalg.svd(A, compute_uv=False) if A.size else np.ones(1)
    values = values[values > 1e-9 * values[0]] if values[0] > 0 else np.ones(1)
    return values[0] / values[-1]


def judge(mechanism, row, duration, motion):
    """Texts about velocities that are not the expected ones."""
    if any(not np.all(np.diag(body.inertia)[2 if mechanism.planar else 0:] > 0) for body in mechanism.bodies[1:]):
        return []  # nothing is smallest in a mass norm without masses
    state = state_of_row(mechanism, row)
    J, rates = conditions(mechanism, state)
    if motion.misfit:  # rows that do not fit are left out
        held = motion.kept + list(range(len(motion.rows), len(J)))
        J, rates = J[held], rates[held]
    written, known = given(mechanism, state)
    root = np.zeros((state.n, state.n))  # maps unit kinetic energies to velocities: M = root^-T root^-1
    free = mechanism.free
    for i, body in enumerate(mechanism.bodies[1:], 1):
        M = np.diag([float(body.mass)] * free)
        turn = slice(2, 3) if mechanism.planar else slice(3, 6)
        I = np.asarray(state.R[i] @ body.inertia @ state.R[i].T, dtype=float)
        M[turn, turn] = I[2:, 2:] if mechanism.planar else I
        k = slice(i * free, (i + 1) * free)
        root[k, k] = np.linalg.inv(np.linalg.cholesky(M)).T
    for k, inertia in enumerate(mechanism.shafts.values(), mechanism.moved):
        root[k, k] = float(inertia)**-0.5
    moving = np.arange(state.n) >= free
    B = J @ root
    at = lambda v: np.linalg.solve(root[free:, free:], v[free:])  # in these units
    start = np.concatenate([np.zeros(free), at(written)])
    unit = np.ones(state.n)
    size = np.abs(rates).max(initial=0) + np.abs(written).max(initial=0) + 0.1 * float(mechanism.length) / duration
    fits = max(1e-9, motion.misfit**0.5)  # where positions fit so far, velocities do
    v, left, condition = nearest(B, rates, start, unit, moving & ~known, fits)
    if left > fits * size:
        v, left, condition = nearest(B, rates, start, unit, moving, fits)
    # given velocities and positions have last digits, by which rows are open: to close them moves all by that over the least
    # singular value
    condition = max(condition, condition_of(B[:, moving]))
    expected = root @ v
    found = np.asarray(state.velocities(), dtype=float)
    # as speeds: what turns is measured by how fast the mechanism's length turns with it
    arm = np.ones((mechanism.count, free))
    arm[:, 2 if mechanism.planar else 3:] = float(mechanism.length)
    arm = np.append(arm.ravel(), [float(mechanism.length)] * len(mechanism.shafts))
    speed = max(np.abs(arm * x).max() for x in (expected, found, written))
    allowed = max(1e3 * (EPSILON + motion.misfit) * condition, EPSILON / WEAK) * max(speed, 0.1 * float(mechanism.length) / duration)
    off = np.abs(arm * (found - expected)).max()
    return [f"velocities at the start are off by {off:.2g}, allowed {allowed:.2g}"] if not off <= allowed else []
