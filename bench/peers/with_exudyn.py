"""One run in Exudyn: with_exudyn.py CASE STEP. Prints CPU seconds of the loop and the largest energy error."""
import json
import sys
import time

import exudyn as exu
import numpy as np
from exudyn.utilities import (LoadMassProportional, MarkerBodyMass, MarkerBodyPosition, MarkerBodyRigid, NodeRigidBody2D,
                              ObjectGround, ObjectJointGeneric, ObjectJointPrismatic2D, ObjectJointRevolute2D,
                              ObjectRigidBody2D, RigidBodyInertia)

from mechanisms import CASES


class Planar:
    """Rigid bodies of the plane, three coordinates each."""

    def body(self, mbs, b):
        node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[b.position[0], b.position[1], 0],
                                           initialVelocities=[b.velocity[0], b.velocity[1], b.omega[2]]))
        return mbs.AddObject(ObjectRigidBody2D(physicsMass=b.mass, physicsInertia=b.inertia[2], nodeNumber=node))

    def joint(self, mbs, joint, markers):
        if joint.kind == "line":
            mbs.AddObject(ObjectJointPrismatic2D(markerNumbers=markers, axisMarker0=list(joint.axis),
                                                 normalMarker1=[0, 1, 0], constrainRotation=False))
        else:
            mbs.AddObject(ObjectJointRevolute2D(markerNumbers=markers))


class Spatial:
    """Euler parameters."""

    def body(self, mbs, b):
        return mbs.CreateRigidBody(inertia=RigidBodyInertia(mass=b.mass, inertiaTensor=np.diag(b.inertia)),
                                   referencePosition=list(b.position), returnDict=True)["bodyNumber"]

    def joint(self, mbs, joint, markers):
        rotation = np.eye(3)
        axes = [1, 1, 1, 0, 0, 0]
        if joint.kind == "revolute":  # about the third axis of the joint
            a = np.array(joint.axis, dtype=float)
            rotation = np.column_stack([np.roll(a, 1), np.roll(a, 2), a])
            axes = [1, 1, 1, 1, 1, 0]
        mbs.AddObject(ObjectJointGeneric(markerNumbers=markers, constrainedAxes=axes, rotationMarker0=rotation,
                                         rotationMarker1=rotation))


def build(case):
    m = CASES[case][0]()
    system = exu.SystemContainer()
    mbs = system.AddSystem()
    maker = Planar() if m.planar else Spatial()
    ground = mbs.AddObject(ObjectGround())
    numbers = []
    for b in m.bodies:
        numbers.append(maker.body(mbs, b))
        mbs.AddLoad(LoadMassProportional(markerNumber=mbs.AddMarker(MarkerBodyMass(bodyNumber=numbers[-1])),
                                         loadVector=list(m.gravity)))
    for joint in m.joints:
        markers = []
        for end in (joint.first, joint.second):
            origin = np.array(m.bodies[end].position) if end >= 0 else np.zeros(3)
            rigid = not m.planar or joint.kind == "line"
            marker = (MarkerBodyRigid if rigid else MarkerBodyPosition)
            markers.append(mbs.AddMarker(marker(bodyNumber=numbers[end] if end >= 0 else ground,
                                                localPosition=list(np.array(joint.point) - origin))))
        maker.joint(mbs, joint, markers)
    mbs.Assemble()
    return m, system, mbs, numbers



def settings(m, step):
    s = exu.SimulationSettings()
    s.timeIntegration.numberOfSteps = round(m.duration / step)
    s.timeIntegration.endTime = m.duration
    s.timeIntegration.generalizedAlpha.spectralRadius = 0.9  # at 1 it fails at singular positions
    s.timeIntegration.newton.useModifiedNewton = True
    s.timeIntegration.verboseMode = 0
    s.solutionSettings.writeSolutionToFile = False
    s.linearSolverType = exu.LinearSolverType.EigenSparse if len(m.bodies) > 20 else exu.LinearSolverType.EigenDense
    s.linearSolverSettings.ignoreSingularJacobian = True
    return s


def energy_of(m, mbs, numbers):
    total = 0
    for b, n in zip(m.bodies, numbers):
        total += mbs.GetObjectOutputBody(n, exu.OutputVariableType.KineticEnergy, [0, 0, 0])
        total -= b.mass * np.dot(m.gravity, mbs.GetObjectOutputBody(n, exu.OutputVariableType.Position, [0, 0, 0]))
    return total


def main():
    case, step = sys.argv[1], float(sys.argv[2])
    m, system, mbs, _ = build(case)
    before = time.process_time()
    mbs.SolveDynamic(settings(m, step))
    cpu = time.process_time() - before
    m, system, mbs, numbers = build(case)
    seen, looks = [], [0]

    def look(mbs, t):
        looks[0] += 1
        if looks[0] % max(1, round(m.duration / step / 200)) == 0:
            seen.append(energy_of(m, mbs, numbers))
        return True

    mbs.SetPreStepUserFunction(look)
    mbs.SolveDynamic(settings(m, step))
    start = -sum(b.mass * np.dot(m.gravity, b.position) for b in m.bodies)
    start += sum(0.5 * b.mass * np.dot(b.velocity, b.velocity) + 0.5 * np.dot(b.omega, np.array(b.inertia) * b.omega)
                 for b in m.bodies)
    worst = np.max([abs(e - start) for e in seen])  # max() may drop a NaN
    print(json.dumps({"cpu": cpu, "error": worst if np.isfinite(worst) else None}))


main()
