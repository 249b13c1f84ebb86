"""Closed loops of MJCF files: rigid from MuJoCo's Jacobian, and MuJoCo's own ever stiffer springs."""
import mujoco
import numpy as np

from .imported import accelerations, difference

SOFTNESS = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]  # of the constraints, beside the masses that they hold
CLOSED = 1e-6


def rigid(other):
    """M a + Jᵀλ = f, J a = 0 in the null space of J; None: the rank is a matter of round-off."""
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
    return a, sizes[rank - 1]


def soften(other, weights, softness):
    """MuJoCo bounds the impedance by 0.9999: beyond, the weights that it is relative to are less."""
    peer, data = other.peer, other.data
    inside = max(softness, 1e-4)
    peer.eq_solimp[:, :2] = 1 - inside
    peer.body_invweight0[:] = weights[0] * softness / inside
    peer.dof_invweight0[:] = weights[1] * softness / inside
    data.qpos[:], data.qvel[:] = peer.qpos0, 0
    mujoco.mj_forward(peer, data)
    return data.qacc.copy()


def stiff_limit(other, ours):
    """How the difference goes down, and what is left of it in the limit."""
    peer = other.peer
    peer.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    peer.opt.iterations, peer.opt.tolerance = 100, 0
    weights = peer.body_invweight0.copy(), peer.dof_invweight0.copy()
    steps = [soften(other, weights, s) for s in SOFTNESS]
    off = [difference(ours, other.accelerations(a)) for a in steps]
    limit = (10 * steps[-1] - steps[-2]) / 9
    return off, difference(ours, other.accelerations(limit))


def compare_at_rest(other, model, simulation, text):
    head = text.split("trammel: 1")[0]
    if "equality" in head or "coupling" in head:
        return None  # constraints that are not taken over
    peer, data = other.peer, other.data
    peer.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
    peer.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data.qpos[:], data.qvel[:] = peer.qpos0, 0
    mujoco.mj_forward(peer, data)
    if data.nefc == 0 or max(abs(data.efc_pos[:data.nefc])) > CLOSED:
        return None  # it does not start where its loops are closed
    a, least = rigid(other)
    if a is None:
        return None
    ours = accelerations(simulation, model, simulation.state)
    found = {"accelerations": difference(ours, other.accelerations(a))}
    if least > 1e-3:  # else no stiffness that double precision allows is stiff enough
        off, limit = stiff_limit(other, ours)
        found["stiff limit"] = limit
        if off[-2] > 1e-8:  # above round-off: ten times stiffer is ten times nearer, once it is stiff beside the masses
            falls = all(b < a for a, b in zip(off[2:], off[3:]))
            found["stiff decrease"] = off[-1] / off[-2] if falls else float("inf")
    return found
