"""Closed loops of MJCF files: rigid from MuJoCo's Jacobian, and MuJoCo's own ever stiffer springs."""
import mujoco
import numpy as np
import trammel as tr

from .imported import Uncomparable, difference, largest, matrix, settings_of

STATES = 10
SOFTNESS = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]  # of the constraints, beside the masses that they hold
LEAST = 1e-15  # what MuJoCo's softness is at least
WEIGHTS = "body_invweight0", "dof_invweight0", "tendon_invweight0"
BALL = 1


class Pushed:
    """The imported model with random forces and torques on all bodies, and the same in MuJoCo."""

    def __init__(self, other, model, yaml, text, random):
        self.other, self.model = other, model
        names = [b for b, k in other.body.items() if k >= 0]
        weights = {b: float(model.data["bodies"][b]["mass"]) for b in names}
        heaviest = max(weights.values())
        self.pushes = {b: (5 * heaviest * random.uniform(-1, 1, 3), heaviest * random.uniform(-1, 1, 3)) for b in names}
        lines = ""
        for k, (b, (force, torque)) in enumerate(self.pushes.items()):
            lines += f"  push_{k}: {{type: force, point: {b}, value: {force.tolist()}}}\n"
            lines += f"  twist_{k}: {{type: torque, body: {b}, value: {torque.tolist()}}}\n"
        head, end = text.rsplit("simulate:", 1)
        if "\nforces:\n" in head:
            head = head.replace("\nforces:\n", "\nforces:\n" + lines, 1)
        else:
            head += "forces:\n" + lines
        path = yaml.with_name("pushed.yaml")
        path.write_text(f"{head}simulate:{end}")
        self.simulation = tr.load(str(path)).simulation(**settings_of(text))

    def follow(self):
        """Brings MuJoCo's model to where ours is, at rest. Gives the largest gap of its constraints there."""
        peer, data, sim = self.other.peer, self.other.data, self.simulation
        now = {b: (matrix([sim[f"{b}.q{c}"] for c in "wxyz"]), np.array([sim[f"{b}.{c}"] for c in "xyz"]))
               for b in self.model.bodies}
        data.qpos[:], data.qvel[:], data.xfrc_applied[:] = peer.qpos0, 0, 0
        for n, k in self.other.joint.items():
            at, joint = peer.jnt_qposadr[k], self.model.tree[n]
            if peer.jnt_type[k] == BALL:
                first, second = joint["connect"]
                carried = np.eye(3) if first == "ground" else now[first][0] @ self.model.bodies[first][0].T
                R0 = self.model.bodies[second][0]
                mujoco.mju_mat2Quat(data.qpos[at:at + 4], (R0.T @ carried.T @ now[second][0]).flatten())
            else:
                data.qpos[at] += sim[f"{n}.{'angle' if joint['type'] == 'revolute' else 'displacement'}"]
        for b in self.model.free:
            at = peer.jnt_qposadr[peer.body_jntadr[self.other.body[b]]]
            data.qpos[at:at + 3] = now[b][1]
            mujoco.mju_mat2Quat(data.qpos[at + 3:at + 7], now[b][0].flatten())
        mujoco.mj_kinematics(peer, data)
        for b, (force, torque) in self.pushes.items():
            k = self.other.body[b]
            assert np.allclose(data.xpos[k], now[b][1], rtol=0, atol=1e-8), f"{b} is elsewhere"
            data.xfrc_applied[k] = [*force, *(torque + np.cross(data.xpos[k] - data.xipos[k], force))]
        peer.eq_solimp[:, :2] = 0.5  # softness 1: efc_R is what it takes 1 / mass for
        peer.eq_solref[:] = -1e-12  # no acceleration to close the last digits of a gap
        mujoco.mj_forward(peer, data)
        return largest(abs(data.efc_pos[:data.nefc]), default=0)

    def scatter(self, state_at, random):
        """A random state at rest where the loops are closed; False: none is found."""
        start = self.simulation.state
        rates = {n: np.zeros(3) if j["type"] == "spherical" else 0.0 for n, j in self.model.tree.items()}
        for size in (0.5, 0.1, 0.02):
            values, bases = {}, {}
            for n, j in self.model.tree.items():
                values[n] = size * random.uniform(-1, 1)
                if j["type"] == "spherical":
                    values[n] = self.model.turn(random.normal(size=3), values[n])
            for b in self.model.free:
                R, x = self.model.bodies[b]
                turned = self.model.turn(random.normal(size=3), size * random.uniform(-1, 1))
                bases[b] = turned @ R, x + size * random.uniform(-1, 1, 3), np.zeros(3), np.zeros(3)
            whole = start.copy()
            state = state_at(self.model.move(values, rates, bases), values, rates)
            whole[:len(state)] = state
            try:
                self.simulation.set_state(0, whole)
                return True
            except tr.TrammelError:
                self.simulation.set_state(0, start)
        return False


def rigid(other):
    """M a + Jᵀλ = f, J a = 0 in the null space of J; None: the rank is a matter of round-off. With it the least
    1 / mass that the constraints hold, of what MuJoCo takes them for."""
    peer, data = other.peer, other.data
    J = data.efc_J[:data.nefc * peer.nv].reshape(data.nefc, peer.nv)
    _, sizes, V = np.linalg.svd(J)
    sizes = sizes / sizes[0]
    rank = int(np.sum(sizes > 1e-12))
    if any((sizes > 1e-15) & (sizes < 1e-8)):
        return None, None
    Z = V[rank:].T
    M = other.mass_matrix()
    a = Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (M @ data.qacc_smooth)) if rank < peer.nv else np.zeros(peer.nv)
    scaled = J / np.sqrt(data.efc_R[:data.nefc])[:, None]
    strengths = np.linalg.svd(np.linalg.solve(np.linalg.cholesky(M), scaled.T), compute_uv=False)
    return a, strengths[rank - 1] ** 2


def soften(other, weights, softness):
    """MuJoCo bounds the impedance by 0.9999: beyond, the weights that it is relative to are less. None: so soft it
    cannot be."""
    peer, data = other.peer, other.data
    inside = max(softness, 1e-4)
    peer.eq_solimp[:, :2] = 1 - inside
    for name, weight in weights.items():
        getattr(peer, name)[:] = weight * softness / inside
    mujoco.mj_forward(peer, data)
    return data.qacc.copy() if min(data.efc_R[:data.nefc]) > 2 * LEAST else None


def stiff_limit(other, ours, least):
    """How the difference goes down, and what is left of it in the limit."""
    peer = other.peer
    peer.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    peer.opt.iterations, peer.opt.tolerance = 100, 0
    weights = {n: getattr(peer, n).copy() for n in WEIGHTS}
    steps = [soften(other, weights, s * min(1, least)) for s in SOFTNESS]
    for name, weight in weights.items():
        getattr(peer, name)[:] = weight
    steps = [s for s in steps if s is not None]
    off = [difference(ours, other.accelerations(a)) for a in steps]
    return off, difference(ours, other.accelerations(limit(steps)))


def limit(steps):
    """Of what is ten times stiffer from step to step: the polynomial through all of them, where the softness is 0."""
    values = list(steps)
    for order in range(1, len(values)):
        values = [(10 ** order * b - a) / (10 ** order - 1) for a, b in zip(values, values[1:])]
    return values[0]


def compare_loops(other, model, yaml, text, state_at, random):
    """As written and at random states, at rest: MuJoCo's constraints know nothing of how their Jacobian changes."""
    other.peer.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    for name in WEIGHTS:  # where it takes 1 / mass for 0 it has a softness that nothing changes
        weight = getattr(other.peer, name)
        weight[weight <= 1e-9 * weight.max(initial=0)] = weight.max(initial=0)
    pushed = Pushed(other, model, yaml, text, random)
    found = {}

    def keep(name, value):
        found[name] = max(found.get(name, 0), value)

    for k in range(STATES):
        if k > 0 and not pushed.scatter(state_at, random):
            continue
        keep("gap", pushed.follow())
        a, least = rigid(other)
        if a is None:
            continue
        ours = {b: (np.array([pushed.simulation[f"{b}.a{c}"] for c in "xyz"]),
                    np.array([pushed.simulation[f"{b}.alpha{c}"] for c in "xyz"])) for b in model.bodies}
        keep("accelerations", difference(ours, other.accelerations(a)))
        off, left = stiff_limit(other, ours, least)
        keep("stiff limit", left)
        if len(off) > 3 and off[-2] > 1e-8:  # above round-off: ten times stiffer is ten times nearer, once it is stiff
            falls = all(b < a for a, b in zip(off[2:], off[3:]))
            keep("stiff decrease", off[-1] / off[-2] if falls else float("inf"))
    if "stiff limit" not in found:
        raise Uncomparable("how many constraints are independent is a matter of round-off")
    return found
