#!/usr/bin/env python3
"""Every integrator on every shipped model: error at equal cost, cost at equal error, as Markdown tables.

usage: bench/methods.py TRAMMEL [MODEL.yaml...]

Runs `trammel accuracy` and interpolates its error-cost points. Times are CPU milliseconds of the time loop on this machine."""
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

METHODS = ["rk4", "rk6", "ab6", "dopri5", "dop853", "radau5", "adams", "bdf", "ida", "trapezoidal", "generalized-alpha", "three-field"]
ERROR = 1e-5  # of the reference's measures, in their units
ROUND_OFF = 1e-16  # less is chance
SHARE = 3  # equal cost: as much CPU as so many runs of the method that is cheapest at that error
LONGEST = 90  # s for one model; after that a tenth of its duration must do


def available(program):
    text = subprocess.run([program, "methods"], capture_output=True, text=True, check=True).stdout
    return [m for m in METHODS if m in text.split()]


def interpolate(points, x):
    """log y at log x between the two neighbours, None outside."""
    points = sorted(points)
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 <= x <= x1 and x1 > x0:
            s = (math.log(x) - math.log(x0)) / (math.log(x1) - math.log(x0))
            return math.exp((1 - s) * math.log(y0) + s * math.log(y1))
    return None


def best_so_far(points):
    """(cost, error) with every error the smallest up to that cost: a front without steps back."""
    front, least = [], math.inf
    for cost, error in sorted(points):
        if error < least:
            least = error
            front.append((cost, error))
    return front


def measure(program, model, methods, extra=()):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "accuracy", str(model), "--methods", ",".join(methods), "--json", "--quiet", "-o", folder, *extra]
        run = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
        return json.loads(run.stdout)["runs"]


def measure_some(program, model, methods):
    """The model's runs and its name, with the time simulated where it is not all of it."""
    try:
        return measure(program, model, methods), model.stem
    except subprocess.TimeoutExpired:
        duration = float(re.search(r"\bduration: *([0-9.e+-]+)", model.read_text())[1]) / 10
        return measure(program, model, methods, ["--duration", str(duration)]), f"{model.stem} ({duration:g} s)"


def front_of(runs, method):
    return best_so_far([(1e3 * r["cpu_seconds"], max(r["error"], ROUND_OFF)) for r in runs
                        if r["integrator"] == method and r["status"] == "completed" and r["error"] is not None])


def cost_at(front, error):
    if front and front[0][1] <= error:
        return front[0][0]
    return interpolate([(e, c) for c, e in front], error)


def error_at(front, cost):
    if front and front[-1][0] <= cost:
        return front[-1][1]
    return interpolate(front, cost)


def table(runs, methods):
    """{method: (cost at equal error, error at equal cost)} and that cost."""
    fronts = {method: front_of(runs, method) for method in methods}
    costs = {method: cost_at(front, ERROR) for method, front in fronts.items()}
    budget = SHARE * min((c for c in costs.values() if c is not None), default=math.nan)
    return {m: (costs[m], error_at(fronts[m], budget)) for m in methods}, budget


def emphasize(values, form):
    good = [v for v in values if v is not None]
    return ["–" if v is None else f"**{form(v)}**" if v == min(good) else form(v) for v in values]


def main():
    program, models = sys.argv[1], [Path(m) for m in sys.argv[2:]]
    if not models:
        models = sorted((Path(__file__).parent.parent / "models").glob("*.yaml"))
    methods = available(program)
    head = "| model | " + " | ".join(methods) + " |\n|---|" + "---|" * len(methods)
    costs, errors = [], []
    for model in models:
        try:
            runs, name = measure_some(program, model, methods)
            cells, budget = table(runs, methods)
        except (subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as reason:
            print(f"{model.stem}: {reason}", file=sys.stderr)
            continue
        costs.append(f"| {name} | " + " | ".join(emphasize([cells[m][0] for m in methods], "{:.3g}".format)) + " |")
        errors.append(f"| {name} | {budget:.2g} | " + " | ".join(emphasize([cells[m][1] for m in methods], "{:.0e}".format)) + " |")
        print(model.stem, file=sys.stderr)
    print(f"CPU milliseconds for an error of {ERROR:g}\n\n{head}\n" + "\n".join(costs))
    head = head.replace("| model |", "| model | ms |", 1).replace("|---|", "|---|---|", 1)
    print(f"\nError after {SHARE} times the least of these\n\n{head}\n" + "\n".join(errors))


main()
