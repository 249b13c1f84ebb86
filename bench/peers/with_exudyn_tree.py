"""One run of a tree in Exudyn, its KinematicTree with an explicit method: with_exudyn_tree.py MODEL.bin METHOD STEP DURATION. Prints as
motion.hpp does. Energies are Pinocchio's at the same coordinates."""
import json
import sys
import time

import exudyn as exu
import numpy as np
import pinocchio as pin
from exudyn.utilities import NodeGenericODE2, ObjectKinematicTree

from robots import GRAVITY, axis_of


def turned_to_z(axis):
    """A rotation whose third column is the axis."""
    other = np.eye(3)[np.argmin(np.abs(axis))]
    x = np.cross(other, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def build(tree):
    system = exu.SystemContainer()
    mbs = system.AddSystem()
    turn = [np.eye(3)] + [turned_to_z(axis_of(tree, i)) for i in range(1, tree.njoints)]
    links = range(1, tree.njoints)
    n = tree.nv
    node = mbs.AddNode(NodeGenericODE2(numberOfODE2Coordinates=n, referenceCoordinates=[0.] * n, initialCoordinates=[0.] * n,
                                       initialCoordinates_t=[0.] * n))
    mbs.AddObject(ObjectKinematicTree(
        nodeNumber=node, jointTypes=[exu.JointType.RevoluteZ] * n, linkParents=[tree.parents[i] - 1 for i in links],
        jointTransformations=exu.Matrix3DList([turn[tree.parents[i]].T @ tree.jointPlacements[i].rotation @ turn[i] for i in links]),
        jointOffsets=exu.Vector3DList([turn[tree.parents[i]].T @ tree.jointPlacements[i].translation for i in links]),
        linkInertiasCOM=exu.Matrix3DList([turn[i].T @ tree.inertias[i].inertia @ turn[i] for i in links]),
        linkCOMs=exu.Vector3DList([turn[i].T @ tree.inertias[i].lever for i in links]),
        linkMasses=[tree.inertias[i].mass for i in links], gravity=list(GRAVITY)))
    mbs.Assemble()
    return system, mbs, node


def settings(step, duration):
    s = exu.SimulationSettings()
    s.timeIntegration.numberOfSteps = round(duration / step)
    s.timeIntegration.endTime = duration
    s.timeIntegration.verboseMode = 0
    s.timeIntegration.explicitIntegration.computeEndOfStepAccelerations = False
    s.solutionSettings.writeSolutionToFile = False
    s.solutionSettings.sensorsWritePeriod = duration
    return s


def main():
    tree = pin.Model()
    tree.loadFromBinary(sys.argv[1])
    method, step, duration = getattr(exu.DynamicSolverType, sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
    system, mbs, node = build(tree)
    before = time.process_time()
    mbs.SolveDynamic(settings(step, duration), solverType=method)
    cpu = time.process_time() - before
    system, mbs, node = build(tree)
    data, seen, middle, steps = tree.createData(), [], [], [0]

    def look(mbs, t):
        q = np.array(mbs.GetNodeOutput(node, exu.OutputVariableType.Coordinates))
        v = np.array(mbs.GetNodeOutput(node, exu.OutputVariableType.Coordinates_t))
        seen.append(pin.computeKineticEnergy(tree, data, q, v) + pin.computePotentialEnergy(tree, data, q))
        steps[0] += 1
        if steps[0] - 1 == round(1 / step):  # steps behind us
            middle.append(q)
        return True

    mbs.SetPreStepUserFunction(look)
    mbs.SolveDynamic(settings(step, duration), solverType=method)
    look(mbs, duration)
    error = np.max(np.abs(np.array(seen) - seen[0]))
    print(json.dumps({"cpu": cpu, "error": error if np.isfinite(error) else -1, "evaluations": 0, "steps": steps[0] - 1,
                      "middle": list(middle[0]) if middle else []}))


main()
