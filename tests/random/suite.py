"""All checks of one mechanism, told as failures that name the seed."""
import numpy as np

import check_invariance
import check_methods
import check_reference
import program
from generate import generate

CHECKS = ("reference", "invariance", "methods")


class Failure:
    """What went wrong with which model; `options` are those of `trammel run`."""

    def __init__(self, case, check, text, options=""):
        self.case, self.check, self.text, self.options = case, check, text, options

    def __str__(self):
        return f"{self.case}: {self.check}: {self.text}"

    def keep(self, folder):
        """The model, and beside it what failed and how to see it."""
        folder.mkdir(parents=True, exist_ok=True)
        stem = f"{self.case.seed:06d}_{self.check.replace(' ', '_')}"
        (folder / f"{stem}.yaml").write_text(program.yaml(self.case.model))
        with open(folder / f"{stem}.txt", "a") as file:
            file.write(f"{self}\n  trammel run {stem}.yaml --duration {self.case.duration} {self.options}\n")


def reference(case):
    return [Failure(case, "reference", text) for text in check_reference.check(case)]


def invariance(case, names=None):
    found = check_invariance.check(case, names)
    return [Failure(case, f"invariance {name}", text) for name, texts in found.items() for text in texts]


def methods(case, count):
    reference = check_methods.Reference(case)
    if not reference.usable:
        return []
    rng, failures = np.random.default_rng([case.seed, 3]), []
    for _ in range(count):
        combination = check_methods.Combination.draw(rng, case.model["space"])
        failures += [Failure(case, "methods", text, str(combination)) for text in check_methods.check(reference, combination)]
    return failures


def examine(seed, checks=CHECKS, invariances=None, combinations=3):
    """All failures of one seed."""
    case = generate(seed)
    failures = []
    if "reference" in checks:
        failures += reference(case)
    if "invariance" in checks:
        failures += invariance(case, invariances)
    if "methods" in checks:
        failures += methods(case, combinations)
    return failures
