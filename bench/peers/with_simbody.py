"""One run in Simbody: with_simbody.py CASE ACCURACY, by the program that TRM_SIMBODY names."""
import os
import subprocess
import sys

from mechanisms import CASES


def describe(m):
    tree, loops = m.tree()
    number = {-1: 0}
    for joint, parent, body in tree:
        number[body] = len(number)
    lines = [f"{m.duration} {int(m.planar)} {len(tree)} {len(loops)}", " ".join(map(repr, map(float, m.gravity)))]
    for joint, parent, body in tree:
        b = m.bodies[body]
        numbers = [*b.inertia, *b.position, *b.omega, *joint.point, *joint.axis]
        lines.append(f"{number[parent]} {joint.kind} {b.mass} " + " ".join(repr(float(v)) for v in numbers))
    for joint in loops:
        numbers = [*joint.point, *joint.axis]
        lines.append(f"{number[joint.first]} {number[joint.second]} {joint.kind} " + " ".join(repr(float(v)) for v in numbers))
    return "\n".join(lines) + "\n"


sys.exit(subprocess.run([os.environ["TRM_SIMBODY"], sys.argv[2]], input=describe(CASES[sys.argv[1]][0]()), text=True).returncode)
