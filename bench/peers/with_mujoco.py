"""One run in MuJoCo: with_mujoco.py CASE STEP. Prints CPU seconds of the loop and the largest energy error."""
import json
import sys
import time

import mujoco
import numpy as np

from mechanisms import CASES

STEPS_BETWEEN_LOOKS = 5


def words(values):
    return " ".join(repr(float(v)) for v in values)


def describe(m, step):
    """Reduced coordinates along the tree; the loops are equality constraints, as stiff as the step allows."""
    tree, loops = m.tree(lines_first=True)
    children = {}
    for joint, parent, body in tree:
        children.setdefault(parent, []).append((joint, body))
    lines = []

    def add(parent, origin):
        for joint, body in children.get(parent, []):
            here = np.array(m.bodies[body].position)
            lines.append(f'<body name="b{body}" pos="{words(here - origin)}"><inertial pos="0 0 0" '
                         f'mass="{m.bodies[body].mass}" diaginertia="{words(m.bodies[body].inertia)}"/>')
            kind, axis = "ball" if joint.kind == "spherical" else "hinge", joint.axis
            if joint.kind == "line":  # along it and about its point
                lines.append(f'<joint type="slide" axis="{words(axis)}"/>')
                axis = (0, 0, 1)
            lines.append(f'<joint type="{kind}" pos="{words(np.array(joint.point) - here)}" axis="{words(axis)}"/>')
            add(body, here)
            lines.append("</body>")

    sys.setrecursionlimit(10000)
    add(-1, np.zeros(3))
    soft = f'solref="{2 * step} 1" solimp="0.9999 0.9999 0.001 0.5 2"'
    ties = []
    for joint in loops:
        first, other = (joint.first, joint.second) if joint.first >= 0 else (joint.second, joint.first)
        target = f'body2="b{other}"' if other >= 0 else ""
        points = [np.array(joint.point)]
        if not m.planar:
            points.append(points[0] + np.array(joint.axis))  # two points make an axis
        for point in points:
            anchor = words(point - np.array(m.bodies[first].position))
            ties.append(f'<connect body1="b{first}" {target} anchor="{anchor}" {soft}/>')
    return (f'<mujoco><option timestep="{step}" integrator="RK4" gravity="{words(m.gravity)}" tolerance="1e-12" '
            f'iterations="100"><flag energy="enable" contact="disable"/></option>'
            f'<compiler balanceinertia="false"/><worldbody>{"".join(lines)}</worldbody>'
            f'<equality>{"".join(ties)}</equality></mujoco>')


def set_velocities(m, model, data):
    """Generalized velocities from those of the bodies: least squares over all of them."""
    rows, right = [], []
    for i, body in enumerate(m.bodies):
        jp, jr = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBodyCom(model, data, jp, jr, model.body(f"b{i}").id)
        rows += [jp, jr]
        right += [body.velocity, body.omega]
    data.qvel[:] = np.linalg.lstsq(np.vstack(rows), np.concatenate(right), rcond=None)[0]


def start(case, step):
    m = CASES[case][0]()
    model = mujoco.MjModel.from_xml_string(describe(m, step))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    if any(np.any(b.velocity) or np.any(b.omega) for b in m.bodies):
        set_velocities(m, model, data)
    return m, model, data


def main():
    case, step = sys.argv[1], float(sys.argv[2])
    m, model, data = start(case, step)
    steps = round(m.duration / step)
    before = time.process_time()
    mujoco.mj_step(model, data, nstep=steps)
    cpu = time.process_time() - before
    m, model, data = start(case, step)
    mujoco.mj_forward(model, data)
    energy, worst = sum(data.energy), 0
    for _ in range(steps // STEPS_BETWEEN_LOOKS):
        mujoco.mj_step(model, data, nstep=STEPS_BETWEEN_LOOKS)
        worst = np.maximum(worst, abs(sum(data.energy) - energy))  # max() may drop a NaN
    print(json.dumps({"cpu": cpu, "error": worst if np.isfinite(worst) else None}))


main()
