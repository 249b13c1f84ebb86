"""MuJoCo's own reading of files, also of those that were written for older versions of it."""
import atexit
import functools
import os
import shutil
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

import mujoco


def modernize(root):
    """Takes out of a tree what MuJoCo took once and refuses today, and what the importer leaves out for the same reason.
    None of it has a say in the motion as it is compared."""
    balls = {j.get("name") for j in root.iter("joint") if j.get("type") == "ball"}
    for option in root.iter("option"):
        for word in "apirate", "collision":
            option.attrib.pop(word, None)
    for sort in root.iter("default"):
        sort.attrib.pop("group", None)
    for top in root.findall("default"):
        if top.get("class", "main") != "main":  # the outermost class by another name: an inner one that adds nothing to it
            top.append(xml.Element("default", {"class": top.attrib.pop("class")}))
    for tendons in root.iter("tendon"):
        for tendon in tendons.findall("fixed"):
            if balls & {j.get("joint") for j in tendon}:
                tendons.remove(tendon)
                forget(root, tendon.get("name"))


def forget(root, tendon):
    """Whatever refers to it."""
    for parent in root.iter():
        for child in [c for c in parent if tendon in (c.get("tendon"), c.get("tendon1"), c.get("tendon2"))]:
            parent.remove(child)


@functools.lru_cache(maxsize=None)
def mirror(package):
    """A folder of links to all files of a package, with its XML made new."""
    def take(source, target):
        try:
            tree = xml.parse(source) if source.endswith(".xml") else None
        except xml.ParseError:
            tree = None
        if tree is None:
            os.symlink(source, target)
        else:
            modernize(tree.getroot())
            tree.write(target)

    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    return Path(shutil.copytree(package, Path(folder) / "new", copy_function=take))


def renewed(path):
    """The same file in the mirror of its package."""
    for folder in map(Path, os.environ["TRM_ROBOTS"].split(":")):
        if folder in path.parent.parents:
            package = folder / path.relative_to(folder).parts[0]
            return mirror(package) / path.relative_to(package)
    return path


def without_looks(spec):
    """Sensors, contacts, keyframes, and shapes without mass or of bodies whose inertia is given have no say in the motion;
    what they name may be missing."""
    from_shapes = spec.compiler.inertiafromgeom == 1
    around = {w.target.name for t in spec.tendons for w in t.path if isinstance(w.target, mujoco.MjsGeom)}
    idle = [g for b in spec.bodies for g in b.geoms if g.name not in around
            and (b.id == 0 or g.mass == 0 or g.density == 0 or (b.explicitinertial and not from_shapes))]
    looks = [spec.sensors, spec.pairs, spec.excludes, spec.keys, spec.skins, spec.textures, spec.materials, idle]
    for thing in [thing for things in looks for thing in things]:
        spec.delete(thing)
    spec.compiler.LRopt.mode = mujoco.mjtLRMode.mjLRMODE_NONE  # how long muscles become
    used = {g.meshname for g in spec.geoms}
    for g in spec.geoms:
        g.material = ""
    for shape in [*spec.hfields, *(m for m in spec.meshes if m.name not in used)]:
        spec.delete(shape)
    return spec


def compiled(path):
    """What is read, and MuJoCo's model of it: as it is, without what is to be looked at, made new."""
    ways = [lambda: mujoco.MjSpec.from_file(str(path)), lambda: without_looks(mujoco.MjSpec.from_file(str(path))),
            lambda: without_looks(mujoco.MjSpec.from_file(str(renewed(path))))]
    refused = None
    for way in ways:
        try:
            spec = way()
            return spec, spec.compile()
        except ValueError as error:
            refused = refused or error
    raise refused
