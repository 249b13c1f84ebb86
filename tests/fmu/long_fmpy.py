"""FMPy, a client that others wrote: it validates the FMUs of shipped models in both versions, simulates them in both
kinds to where `trammel run` comes, and asks for directional derivatives. Where the fmusim of the Reference FMUs is
there, it simulates them, too."""
import csv
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD = Path(os.environ["TRM_BUILD_DIR"])
SOURCE = Path(os.environ["TRM_SOURCE_DIR"])
PROGRAM = os.environ["TRAMMEL"]
FMUSIM = shutil.which("fmusim")
FEWEST = 20
FINE = "--integrator", "radau5", "--rtol", "1e-11", "--atol", "1e-13"
LARGEST_OF_EXCHANGE = 1e-5  # of an output, or of 1, where the tolerance of FMPy's solver is 1e-12


def environment():
    python = BUILD / "fmpy" / "bin" / "python"
    if python.exists():
        return python
    made = subprocess.run([sys.executable, "-m", "venv", BUILD / "fmpy"], capture_output=True)
    if made.returncode != 0 or subprocess.run([python, "-m", "pip", "install", "-q", "fmpy", "numpy"]).returncode != 0:
        print("no FMPy to be had")
        sys.exit(77)
    return python


def models():
    """The mechanisms at the top, and some of each folder."""
    found = sorted((SOURCE / "models").glob("*.yaml"))
    more = ["short/four_bar.yaml", "short/stewart.yaml", "bicycle/whipple.yaml", "axle/front_axle.yaml",
            "vehicle/step_steer.yaml"]
    return found + [SOURCE / "models" / name for name in more]


def last_row(model, folder, end, *options):
    out = Path(folder) / "run"
    subprocess.run([PROGRAM, "run", model, "-o", out, "--no-report", "--no-estimate", "--quiet", "--allow-doubtful",
                    "--duration", str(end), "--output-step", str(end), *options], check=True, capture_output=True)
    with open(out / "results.csv", newline="") as file:
        return {name: float(value) for name, value in list(csv.DictReader(file))[-1].items()}


def derivatives(path, description):
    """Of the rates by the last velocity, in model exchange: largest error against differences of order four."""
    import numpy as np
    from fmpy import extract
    from fmpy.fmi2 import FMU2Model
    from fmpy.fmi3 import FMU3Model
    old = description.fmiVersion.startswith("2")
    rates = [d.variable for d in description.modelStructure.derivatives] if hasattr(
        description, "modelStructure") else [d.variable for d in description.derivatives]
    states = [rate.derivative for rate in rates]
    values = {"guid": description.guid, "unzipDirectory": extract(path), "instanceName": "it",
              "modelIdentifier": description.modelExchange.modelIdentifier}
    unit = (FMU2Model if old else FMU3Model)(**values)
    unit.instantiate()
    if old:
        unit.setupExperiment()
        unit.enterInitializationMode()
    else:
        unit.enterInitializationMode(startTime=0.0)
    unit.exitInitializationMode()
    read = unit.getReal if old else unit.getFloat64
    write = unit.setReal if old else unit.setFloat64
    knowns, unknowns = [s.valueReference for s in states], [r.valueReference for r in rates]
    at, seed = np.array(read(knowns)), np.zeros(len(knowns))
    seed[2 * len(at) // 3] = 1
    found = np.array(unit.getDirectionalDerivative(unknowns, knowns, list(seed)))

    def probe(part):
        write(knowns, list(at + part * seed))
        return np.array(read(unknowns))

    h = 1e-3
    expected = (8 * (probe(h) - probe(-h)) - (probe(2 * h) - probe(-2 * h))) / (12 * h)
    unit.terminate()
    unit.freeInstance()
    return float(np.max(np.abs(found - expected), initial=0) / max(1.0, np.max(np.abs(expected), initial=0)))


def by_fmusim(path, kind, end, folder):
    """Its last row of all outputs."""
    out = Path(folder) / "fmusim.csv"
    words = ["--interface-type", "me", "--solver", "cvode", "--tolerance", "1e-12"] if kind == "ModelExchange" else [
        "--interface-type", "cs"]
    subprocess.run([FMUSIM, *words, "--stop-time", str(end), "--output-interval", str(end / 30), "--output-file", out, path],
                   check=True, capture_output=True)
    with open(out, newline="") as file:
        return {name: float(value) for name, value in list(csv.DictReader(file))[-1].items()}


def check(model, version, folder):
    import fmpy
    from fmpy.validation import validate_fmu
    path = str(Path(folder) / f"{model.stem}_{version}.fmu")
    subprocess.run([PROGRAM, "fmu", model, "-o", path, "--fmi", str(version)], check=True, capture_output=True)
    problems = list(validate_fmu(path))
    description = fmpy.read_model_description(path)
    end = min(0.03, float(description.defaultExperiment.stopTime))
    fine, own = last_row(model, folder, end, *FINE), last_row(model, folder, end)
    names = [v.name for v in description.modelVariables if v.causality == "output" and v.name in fine]

    def size(name):
        """Of an output, or 1. An error of the energy is a difference of energies: it is of their size."""
        alike = [n for n in fine if n.startswith("energy.")] if name == "energy.error" else [name]
        return max(1.0, *(abs(fine[n]) for n in alike))

    def off(row):
        """The largest difference of all outputs, and where."""
        found = [(abs(row[n] - fine[n]) / size(n), n) for n in names]
        return max(found, key=lambda pair: float("inf") if pair[0] != pair[0] else pair[0], default=(0.0, ""))

    # co-simulation brings the model's own method and tolerances, and is as near as these are; model exchange is FMPy's
    bounds = {"CoSimulation": 10 * off(own)[0] + 1e-6, "ModelExchange": LARGEST_OF_EXCHANGE}
    for kind, bound in bounds.items():
        rows = fmpy.simulate_fmu(path, fmi_type=kind, stop_time=end, output=names,
                                 relative_tolerance=1e-12 if kind == "ModelExchange" else None,
                                 output_interval=end / 30, record_events=False)
        error, name = off({n: float(rows[n][-1]) for n in names})
        if not error <= bound:
            problems.append(f"{kind}: {name} is off by {error:.2g}, more than {bound:.2g}")
        if FMUSIM:
            error, name = off(by_fmusim(path, kind, end, folder))
            if not error <= bound:
                problems.append(f"fmusim, {kind}: {name} is off by {error:.2g}, more than {bound:.2g}")
    error = derivatives(path, description)
    if not error <= 1e-6:
        problems.append(f"a directional derivative is off by {error:.2g}")
    return problems


def main():
    faults = 0
    print("with", FMUSIM or "no fmusim", flush=True)
    wanted = os.environ.get("TRM_MODELS", "")  # some of them, for who looks for a fault
    for model in [m for m in models() if not wanted or m.stem in wanted.split(",")]:
        for version in (2, 3):
            with tempfile.TemporaryDirectory() as folder:
                problems = check(model, version, folder)
            print(model.relative_to(SOURCE / "models"), version, "; ".join(problems) or "good", flush=True)
            faults += bool(problems)
    if len(models()) < FEWEST:
        faults += 1
    return int(faults > 0)


if __name__ == "__main__":
    if not (BUILD / "libtrammel_fmu.so").exists():
        print("built without FMUs")
        sys.exit(77)
    if "inside" not in sys.argv:
        sys.exit(subprocess.run([environment(), __file__, "inside"]).returncode)
    sys.exit(main())
